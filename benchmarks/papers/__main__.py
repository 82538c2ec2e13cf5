"""Run the papers' experiments: ``python -m benchmarks.papers sparse_centers --only figure6``."""

import sys
import time
import warnings
from importlib import import_module

from threadpoolctl import threadpool_limits

from . import inventory
from ._data import find_data_folder, missing_files
from ._settings import Settings, parse_arguments

PAPERS = {
    "sparse_centers": "Calafiore and Fracastoro 2022, Sparse l1 and l2 center classifiers",
    "fisher_subspace": "Rozza 2010, Classifiers based on a new estimate of the Fisher subspace",
    "disjoint_centroids": "Fraiman and Li 2021, Classification with nearest disjoint centroids",
    "centroid_selection": "Xia, Su and Kong, Feature selection via l2-distance to centroids",
}


def main(arguments=None):
    """Run what the command line asks for; return the exit status."""
    args = parse_arguments(arguments, PAPERS)
    experiments = find_experiments(args.papers or list(PAPERS), split_names(args.only))
    if args.list:
        print("\n".join(f"{paper:<16} {name}" for paper, name in experiments))
        return 0
    settings = make_settings(args)
    # Rivals that stop at their limit of iterations, features without variance: known, not news.
    warnings.filterwarnings("ignore", module=r"sklearn\.")
    with threadpool_limits(limits=settings.n_threads):
        for (paper, name), experiment in experiments.items():
            run_experiment(f"{paper} {name}", experiment, settings)
    if settings.results == inventory.RESULTS:
        inventory.write()
    return 0


def find_experiments(papers, only):
    """Collect {(paper, name): experiment} in the order of the registry."""
    check_names("paper", papers, PAPERS)
    found = {
        (paper, name): experiment
        for paper in papers
        for name, experiment in import_module(f".{paper}", __package__).EXPERIMENTS.items()
    }
    check_names("--only", only, [name for _, name in found])
    return {key: value for key, value in found.items() if not only or key[1] in only}


def check_names(argument, given, allowed):
    unknown = [name for name in given if name not in allowed]
    if unknown:
        sys.exit(f"{argument}: unknown {', '.join(unknown)}; allowed are {', '.join(allowed)}")


def split_names(text):
    return [name.strip() for name in text.split(",") if name.strip()]


def make_settings(args):
    args.results.mkdir(parents=True, exist_ok=True)
    return Settings(
        n_splits=args.splits,
        n_slow_splits=min(args.slow_splits or args.splits, args.splits),
        n_seeds=args.seeds,
        seed=args.seed,
        n_threads=args.threads,
        data=find_data_folder(args.data),
        results=args.results,
        peer_seconds=args.peer_seconds,
    )


def run_experiment(title, experiment, settings):
    missing = missing_files(settings.data, experiment.needs)
    if missing:
        print(f"{title}: skipped; it needs {', '.join(missing)} in the folder of data sets")
        print("  name that folder with --data or with the environment variable CENTROIDAL_DATA")
        return
    start = time.perf_counter()
    experiment.run(settings)
    print(f"[{title}: {time.perf_counter() - start:.0f} s]\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
