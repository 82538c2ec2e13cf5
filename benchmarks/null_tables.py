"""Is chance called chance? ``python -m benchmarks.null_tables``.

Tables in which nothing tells the classes apart are generated, features selected, and the promised
95 % interval is asked whether it holds what any selection reaches there, a half. Rows of
benchmarks/null_tables.csv are kinds of tables:

- plain; wide, with many more features than samples; unbalanced, 3 to 1, scored by mean recall;
- grouped: 30 patients with 4 samples each, a label for each patient, and `groups`;
- blocked: sites and classes go together, but the site is in no feature;
- not grouped: the grouped tables without `groups`, as a warning: the interval must not be trusted;
- site effect: sites and classes go together and each site has its own instrument. New samples of
  these sites are told apart better than by chance, so only `blocks` show the truth: the score of
  sites that are left out whole.
"""

import argparse
import csv
from pathlib import Path

import numpy as np

from centroidal.model_selection import select_features

CHANCE = 0.5


def plain(rng, n_samples=60, n_features=200):
    """Noise, and as many samples of either class."""
    return rng.normal(size=(n_samples, n_features)), rng.permutation(n_samples) % 2, {}


def wide(rng):
    """Many more features than samples."""
    return plain(rng, 40, 2000)


def unbalanced(rng):
    """Three times as many samples of one class."""
    X, order, _ = plain(rng, 80)
    y = (np.argsort(order, kind="stable") % 4 == 0).astype(int)
    return X, y, {"scoring": "balanced_accuracy"}


def grouped(rng):
    """Patients who are alike in all samples of theirs, and a label for each of them."""
    patients = np.repeat(np.arange(30), 4)
    X = rng.normal(size=(30, 500))[patients] + 0.3 * rng.normal(size=(120, 500))
    return X, (rng.permutation(30) % 2)[patients], {"groups": patients}


def not_grouped(rng):
    """Return the same patients, of whom nothing is said."""
    X, y, _ = grouped(rng)
    return X, y, {}


def blocked(rng, effect=0.0):
    """Three sites, where the ill are 80, 50 and 20 in 100."""
    sites = np.repeat(np.arange(3), 30)
    y = np.concatenate([rng.permutation(30) < n_ill for n_ill in (24, 15, 6)]).astype(int)
    X = rng.normal(size=(90, 200))
    X[:, :10] += effect * (1 - sites)[:, None]
    return X, y, {"blocks": sites, "scoring": "balanced_accuracy"}


def site_effect(rng):
    """Return the same sites, each with an instrument of its own."""
    return blocked(rng, 2.0)


NULL = (plain, wide, unbalanced, grouped, blocked)
WARNINGS = (not_grouped, site_effect)


def measure(kind, n_runs):
    """Return how often the interval holds chance, and what else was said."""
    found = []
    for seed in range(n_runs):
        X, y, options = kind(np.random.default_rng(seed))
        selection = select_features(X, y, method="l2", random_state=seed, **options)
        low, high = selection.interval
        in_blocks = np.nan if selection.blocks is None else selection.blocks["score"]
        found.append((low <= CHANCE <= high, high - low, selection.score, in_blocks,
                      selection.beats_random, bool(selection.repeat_summary()),
                      selection.is_confounded))  # fmt: skip
    names = (
        "covers_chance", "width", "mean_score", "mean_score_of_blocks", "said_above_random",
        "warned_of_repeats", "said_confounded",
    )  # fmt: skip
    return dict(zip(names, np.mean(found, axis=0).round(4).tolist(), strict=True))


def main():
    """Measure all kinds and write the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.null_tables", description=__doc__.split("\n\n")[1]
    )
    parser.add_argument("--runs", type=int, default=80, help="tables of each kind, with its seeds")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    args = parser.parse_args()
    rows = []
    for kind in (*NULL, *WARNINGS):
        n_runs = args.runs if kind in NULL else max(1, args.runs // 2)
        row = {"tables": kind.__name__.replace("_", " "), "runs": n_runs, **measure(kind, n_runs)}
        rows.append(row)
        print(*row.values(), flush=True)
    with args.output.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    n_null = args.runs * len(NULL)
    covered = sum(row["covers_chance"] for row in rows[: len(NULL)]) / len(NULL)
    print(f"chance is in the interval of {100 * covered:.1f} % of {n_null} tables without signal")


if __name__ == "__main__":
    main()
