"""Are probabilities right, and do no calls keep their promise? ``python -m benchmarks.calls``.

Each gene-expression set of the folder CENTROIDAL_DATA, and the table that ships, is split again and
again: features are selected from two thirds of the samples, and the model that is kept is asked
about the others, and about zeros, ten times the samples, noise, and samples in which each feature
has its values in another order. A row a set goes to benchmarks/calls.csv: log loss of the
classifier as it is, of the calibrated model, what was promised, and that of logistic regression on
all features; how many features the model reads; the share of new samples that are called, that are
right of these, and whose class is credible; and the share of what is no sample that is called all
the same. Columns that begin with ``panel`` tell the same of a table of the features that the model
reads, and of nothing else.

The background, by which noise is known, was designed on DESIGN alone.
"""

import argparse
import csv
import os
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from centroidal.datasets import load_expression
from centroidal.model_selection import select_features
from centroidal.solvers.conformal import describe_calls

DESIGN = ("colon", "singh", "golub_desouto", "sorlie_datamicroarray")
SHIPPED = "shipped"
SETS = (
    *DESIGN, "allaml", "glioma", "chowdary", "nakayama_datamicroarray", "garber_2001_desouto",
    "lung_bhattacharjee_desouto", "christensen_datamicroarray", SHIPPED,
)  # fmt: skip
FEWEST, LEVEL = 9, 0.1  # samples of a class, and share of errors
METHOD = "recursive"


def read_set(name):
    """Return samples and classes, without those that have too few samples to split."""
    if name == SHIPPED:
        return load_expression(return_X_y=True)
    with np.load(Path(os.environ["CENTROIDAL_DATA"]) / f"{name}.npz", allow_pickle=True) as file:
        X, y = file["X"].astype(float), file["y"].astype(str)
    labels, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, labels[counts >= FEWEST])
    return X[kept], np.unique(y[kept], return_inverse=True)[1]


def measure(X, y, seed):
    """Return what one split shows."""
    X, new, y, labels = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=seed)
    found = select_features(X, y, method=METHOD, n_repeats=1, random_state=seed)
    model, rng = found.model, np.random.default_rng(seed)
    peer = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X, y)
    calls = describe_calls(model.predict_set(new, LEVEL), labels, LEVEL)
    strange = {
        "zeros": np.zeros((1, X.shape[1])),
        "times_ten": 10.0 * new,
        "noise": rng.normal(size=new.shape),
        "noise_of_the_table": rng.normal(X.mean(), X.std(), size=new.shape),
        "noise_of_each_feature": rng.normal(X.mean(axis=0), X.std(axis=0), size=new.shape),
        "shuffled": rng.permuted(new, axis=0),
    }
    panel = model.without_background()
    of_panel = describe_calls(panel.predict_set(new, LEVEL), labels, LEVEL)
    losses = {
        "log_loss_raw": model.estimator_.predict_proba(new),
        "log_loss": model.predict_proba(new),
        "log_loss_of_logistic_regression": peer.predict_proba(new),
    }
    return {
        **{name: log_loss(labels, shares) for name, shares in losses.items()},
        "log_loss_promised": found.metrics["log_loss"],
        "n_features": found.n_features_to_select,
        "called": calls["called"],
        "right_of_called": np.nan if calls["accuracy"] is None else calls["accuracy"],
        "coverage": calls["coverage"],
        "smallest_class_coverage": calls["class_coverage"][np.argmin(np.bincount(y))],
        **{
            f"called_{name}": np.mean(model.predict_set(rows, LEVEL).sum(axis=1) == 1)
            for name, rows in strange.items()
        },
        "panel_called": of_panel["called"],
        "panel_coverage": of_panel["coverage"],
        **{
            f"panel_called_{name}": np.mean(panel.predict_set(rows, LEVEL).sum(axis=1) == 1)
            for name, rows in strange.items()
        },
    }


def main():
    """Measure all sets and write the table as it grows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calls", description=__doc__)
    parser.add_argument("--splits", type=int, default=10, help="of each set")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    args = parser.parse_args()
    with args.output.open("w", newline="") as stream:
        writer = None
        for name in SETS:
            X, y = read_set(name)
            splits = [measure(X, y, seed) for seed in range(args.splits)]
            means = {key: np.nanmean([each[key] for each in splits]) for key in splits[0]}
            row = {"set": name, "n_samples": len(y), "n_classes": int(y.max()) + 1}
            row |= {"no_call": LEVEL, "splits": args.splits}
            row |= {key: round(float(value), 4) for key, value in means.items()}
            if writer is None:
                writer = csv.DictWriter(stream, row)
                writer.writeheader()
            writer.writerow(row)
            stream.flush()
            print(row, flush=True)


if __name__ == "__main__":
    main()
