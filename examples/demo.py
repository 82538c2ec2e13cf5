"""The main job on the table that ships with centroidal: which few genes tell the types apart?

Run by `make demo`. The data are generated in the shape of gene expression, not measured, so it is
known which genes are informative.
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from centroidal import SparseCenterClassifierCV
from centroidal.datasets import load_expression
from centroidal.inspection import SparsityPathDisplay

PICTURE = Path("sparsity_path.png")


def main():
    """Choose, show, compare, draw."""
    genes = load_expression()
    n_samples, n_genes = genes.data.shape
    print(
        f"Generated table in the shape of gene expression: {n_samples} samples, {n_genes} genes, "
        f"{len(genes.target_names)} classes; {genes.informative.sum()} genes are informative.\n"
    )
    model = SparseCenterClassifierCV(scale="within", rule="one_se").fit(genes.data, genes.target)
    show_selection(model, genes)
    show_comparison(genes)
    draw_path(model)


def show_selection(model, genes):
    """Print the selected genes with the center of each class."""
    print(f"{model.n_features_to_select_} genes chosen by 5-fold cross-validation (one-SE rule):\n")
    print(f"{'gene':>12} {'gain':>7}  " + "".join(f"{name:>9}" for name in genes.target_names))
    for column in model.feature_ranking_[: model.n_features_to_select_]:
        centers = "".join(f"{center:9.2f}" for center in model.centers_[:, column])
        mark = "" if genes.informative[column] else "   (not informative)"
        name, gain = genes.feature_names[column], model.feature_gains_[column]
        print(f"{name:>12} {gain:7.2f}  {centers}{mark}")


def show_comparison(genes):
    """Print accuracies from an outer cross-validation, in which each method chooses anew."""
    n_genes = genes.data.shape[1]
    numbers = np.unique(np.geomspace(1, n_genes, 15).round().astype(int))
    inner = StratifiedKFold(5, shuffle=True, random_state=0)
    outer = StratifiedKFold(5, shuffle=True, random_state=1)
    methods = {
        "sparse centers, k chosen inside": SparseCenterClassifierCV(scale="within", cv=inner),
        "sparse centers, one-SE rule": SparseCenterClassifierCV(
            scale="within", cv=inner, rule="one_se"
        ),
        "NearestCentroid, all genes": NearestCentroid(),
        "SelectKBest + NearestCentroid, k chosen inside": GridSearchCV(
            make_pipeline(SelectKBest(), NearestCentroid()), {"selectkbest__k": numbers}, cv=inner
        ),
        "the same on standardised genes": GridSearchCV(
            make_pipeline(StandardScaler(), SelectKBest(), NearestCentroid()),
            {"selectkbest__k": numbers},
            cv=inner,
        ),
    }
    print("\nAccuracy on samples that took no part in choosing or fitting (5 outer folds):\n")
    for name, method in methods.items():
        scores = cross_val_score(method, genes.data, genes.target, cv=outer)
        error = scores.std(ddof=1) / np.sqrt(scores.size)
        print(f"{name:>48}  {scores.mean():.3f} +- {error:.3f}")


def draw_path(model):
    """Write the picture of accuracy against the number of genes."""
    mpl.use("Agg")
    display = SparsityPathDisplay.from_estimator(model, name="sparse centers")
    display.ax_.set_title("Few genes are enough")
    display.figure_.savefig(PICTURE, dpi=150, bbox_inches="tight")
    print(f"\nAccuracy against the number of genes: {PICTURE}")


if __name__ == "__main__":
    main()
