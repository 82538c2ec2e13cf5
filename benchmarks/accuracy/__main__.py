"""Command of the benchmark: run, tabulate, or compare rankings."""

import argparse
from pathlib import Path

from ..papers._data import find_data_folder, missing_files
from .measure import N_REPEATS, SETS, run

HERE = Path(__file__).parent


def main():
    """Measure what is missing, or make tables of what is there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy")
    parser.add_argument("step", choices=["run", "tabulate", "rankings"])
    parser.add_argument("--data", help="folder of the sets (default: that of CENTROIDAL_DATA)")
    parser.add_argument("--role", choices=["ours", "peer"], help="run these only")
    parser.add_argument("--only", nargs="+", help="run the methods of these names only")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS, metavar="SET")
    parser.add_argument("--repeats", type=int, default=N_REPEATS, help="how often folds are drawn")
    parser.add_argument("--scores", type=Path, default=HERE / "scores.csv")
    args = parser.parse_args()
    if args.step == "tabulate":
        from .ranks import tabulate

        tabulate(args.scores)
        return
    folder = find_data_folder(args.data)
    if args.step == "rankings":
        from . import rankings

        rankings.run(folder, HERE / "rankings.csv", args.repeats)
        return
    absent = missing_files(folder, [f"{name}.npz" for name in args.sets])
    sets = [name for name in args.sets if f"{name}.npz" not in absent]
    if absent:
        print(f"Skipped, since CENTROIDAL_DATA has no {', '.join(absent)}.")
    run(folder, args.scores, sets, args.role, args.only, args.repeats)


if __name__ == "__main__":
    main()
