"""What a run is asked to do: the command line, and how an experiment presents itself."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

__all__ = ["Experiment", "Settings", "parse_arguments"]

RESULTS = Path(__file__).parent / "results"


class Settings(NamedTuple):
    """How often, from which seed, with which data, and where the results go."""

    n_splits: int
    n_slow_splits: int
    n_seeds: int
    seed: int
    n_threads: int
    data: Path | None
    results: Path
    peer_seconds: float = 0.0


class Experiment(NamedTuple):
    """One figure or table of a paper; `needs` names the data files without which it is skipped."""

    run: Callable[[Settings], None]
    needs: tuple[str, ...] = ()


def parse_arguments(arguments, paper_names):
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=__doc__)
    add = parser.add_argument
    add("papers", nargs="*", metavar="paper", help=f"of {', '.join(paper_names)}; default: all")
    add("--only", default="", metavar="A,B", help="names of experiments; --list shows them")
    add("--list", action="store_true", help="list the experiments and stop")
    add("--data", type=Path, help="folder of data sets; default: CENTROIDAL_DATA or ../shared/data")
    add("--results", type=Path, default=RESULTS, help="where CSV files and pictures go")
    add("--splits", type=int, default=50, help="random 80/20 splits")
    add("--slow-splits", type=int, help="fewer splits for the expensive rivals, such as 5")
    add("--seeds", type=int, default=20, help="repetitions on synthetic data")
    add("--seed", type=int, default=0, help="the first seed; the others count up from it")
    add("--threads", type=int, default=1, help="threads for BLAS and for our own loops")
    add("--peer-seconds", type=float, default=0.0, help="limit for the slowest peers; 0: not run")
    return parser.parse_args(arguments)
