"""Run the speed cases, print the ratios, write a tracked CSV for each family of estimators.

python -m benchmarks.speed [fisher_subspace ...] [--only dense_l2,predict] [--threads 2]
"""

import argparse
import csv
import inspect
import platform
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_limits

FAMILIES = (
    "sparse_centers",
    "fisher_subspace",
    "disjoint_centroids",
    "feature_selection",
    "command_line",
    "streams",
    "cost_model",
)
RESULTS = Path(__file__).parent / "results"
PACKAGES = ("centroidal", "numpy", "scipy", "scikit-learn", "numba", "pyarrow", "dask")


def main():
    options = read_options()
    only = options.only.split(",") if options.only else None
    with threadpool_limits(limits=options.threads):
        for family in options.families or FAMILIES:
            rows = {} if only is None else written(family)
            for row in run_family(family, only, options.threads):
                rows[row["case"]] = row
                write(family, rows.values())  # so that a run that is stopped keeps them


def read_options():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("families", nargs="*", choices=[*FAMILIES, []], help="default: all")
    parser.add_argument("--only", help="comma-separated cases; only their rows are replaced")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def run_family(family, only, threads):
    """Yield the rows of the cases of a family, printing each."""
    for case in import_module(f".{family}", __package__).CASES:
        if only is None or case.__name__ in only:
            for result in run(case, threads):
                row = as_row(result, threads)
                print(as_text(row), flush=True)
                yield row


def run(case, threads):
    """Each case gives one result or yields several."""
    result = case(threads)
    return result if inspect.isgenerator(result) else [result]


def as_row(result, threads):
    """Flatten a result: times, ratios, what they should be, and whether they are."""
    ours, ours_mb = split(result["ours"])
    limit_name, limit, limit_target = result["limit"]
    peer_name, peer, peer_target = result.get("peer", ("", None, None))
    limit, _ = split(limit)
    peer, peer_mb = split(peer)
    row = {
        "case": result["case"],
        "ours_s": rounded(ours),
        "ours_extra_mb": rounded(ours_mb),
        "memory_target_mb": result.get("memory_target_mb", ""),
        "limit": limit_name,
        "limit_s": rounded(limit),
        "times_limit": rounded(ours / limit) if limit else "",
        "limit_target": limit_target or "",
        "peer": peer_name,
        "peer_s": rounded(peer),
        "peer_extra_mb": rounded(peer_mb),
        "times_faster": rounded(peer / ours) if isinstance(peer, float) else "",
        "faster_target": peer_target or "",
    }
    row["reached"] = "yes" if result.get("reached", is_reached(row, ours)) else "no"
    row["note"] = result.get("note", "")
    row["threads"], row["seed"] = threads, 0
    row["machine"] = f"{platform.machine()} {platform.system()}, Python {platform.python_version()}"
    row["versions"] = " ".join(f"{package}=={version(package)}" for package in PACKAGES)
    return row


def is_reached(row, seconds):
    """Whether every target of the row is met; without a ratio the limit is in seconds."""
    compared = row["times_limit"] if row["times_limit"] != "" else seconds
    return (
        (row["limit_target"] == "" or compared <= row["limit_target"])
        and (row["faster_target"] == "" or row["times_faster"] >= row["faster_target"])
        and (row["memory_target_mb"] == "" or row["ours_extra_mb"] <= row["memory_target_mb"])
    )


def split(value):
    """Time and memory of a measurement; a plain time or a failure has no memory."""
    return value if isinstance(value, tuple) else (value, None)


def rounded(value):
    if value is None or isinstance(value, str):
        return value or ""
    return float(f"{value:.3g}")


def as_text(row):
    text = f"{row['case']}: {row['ours_s']} s"
    if row["ours_extra_mb"] != "":
        text += f", {row['ours_extra_mb']} MB extra"
    if row["times_limit"] != "":
        text += f"; {row['times_limit']} x {row['limit']}"
    if row["times_faster"] != "":
        text += f"; {row['times_faster']} times faster than {row['peer']}"
    elif row["peer"]:
        text += f"; {row['peer']} {row['peer_s']}"
    if row["note"]:
        text += f"; {row['note']}"
    return f"{text}  [targets reached: {row['reached']}]"


def written(family):
    """Rows of an earlier run by case."""
    path = RESULTS / f"{family}.csv"
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {row["case"]: row for row in csv.DictReader(file)}


def write(family, rows):
    RESULTS.mkdir(exist_ok=True)
    rows = list(rows)
    with (RESULTS / f"{family}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[-1]), restval="")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
