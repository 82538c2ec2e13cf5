"""What ranks features in figure 4: the paper's methods under their names there, and the peers.

Parameters were chosen beforehand and are the same for all sets. A method gets samples that were
standardised by the training part, and returns all features from the best to the worst. Features
with equal scores, such as the many with none, follow the method's own rule if it has one (how
much of what is left they would explain), else the F statistic of the analysis of variance.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import centroidal
from centroidal import L21CentroidSelector, LinearCentroidEncoder, ReliefFSelector

__all__ = [
    "METHODS",
    "NEURAL",
    "PEERS",
    "RANDOM",
    "RELIEF_READINGS",
    "Method",
    "l1_logistic",
    "neural_methods",
]

RANDOM = "random features"
L21_ALPHA, SLCE_ALPHA, SCE_ALPHA, C = 0.1, 0.02, 2e-4, 1.0
N_PREFILTERED = 1000
N_TREES = 300


class Method(NamedTuple):
    """A name, whether the paper has it, and `rank(X, y, seed)` -> features, the best first."""

    name: str
    role: str
    rank: Callable
    is_slow: bool = False


def own_ranking(make):
    """Rank by a selector that has a rule for ties."""

    def rank(X, y, seed):
        return make(seed).fit(X, y).feature_ranking_

    return rank


def by_scores(score):
    """Rank by decreasing score, then by the F statistic."""

    def rank(X, y, seed):
        return np.lexsort([-f_scores(X, y), -score(X, y, seed)])

    return rank


def f_scores(X, y):
    """F statistics; zero for constant features, which have none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(f_classif(X, y)[0])


def l1_logistic(seed):
    """One model a class; for two classes a single one."""
    model = LogisticRegression(l1_ratio=1, C=C, solver="liblinear", random_state=seed)
    return OneVsRestClassifier(model)


def score_l1_logistic(X, y, seed):
    models = l1_logistic(seed).fit(X, y).estimators_
    return np.linalg.norm(np.vstack([model.coef_ for model in models]), axis=0)


def score_l1_svm(X, y, seed):
    model = LinearSVC(penalty="l1", dual=False, C=C, random_state=seed).fit(X, y)
    return np.linalg.norm(model.coef_, axis=0)


def score_forest(X, y, seed):
    return RandomForestClassifier(N_TREES, random_state=seed).fit(X, y).feature_importances_


def score_relief(X, y, seed=None):
    """Score as section 3.3.2 does."""
    return ReliefFSelector(variant="squared").fit(X, y).scores_


def neural(name, **options):
    """Describe a variant of the sparse centroid-encoder."""

    def make(seed):
        return centroidal.SparseCentroidEncoder(alpha=SCE_ALPHA, random_state=seed, **options)

    return Method(name, "paper", own_ranking(make), is_slow=True)


def neural_methods():
    """Return the encoders, or none, with a message, where they cannot run."""
    if find_spec("torch") is None or not hasattr(centroidal, "SparseCentroidEncoder"):
        print("SCE, AO-SCE and RSCE are left out: they need centroidal[neural], that is PyTorch")
        return ()
    return NEURAL


NEURAL = (
    neural("SCE"),
    neural("AO-SCE", training="alternating"),
    neural("RSCE", prefilter=ReliefFSelector(N_PREFILTERED)),
)
METHODS = (
    Method("Ours", "paper", own_ranking(lambda seed: L21CentroidSelector(L21_ALPHA))),
    Method(
        "RFS", "paper", own_ranking(lambda seed: L21CentroidSelector(L21_ALPHA, targets="classes"))
    ),
    Method("SLCE", "paper", own_ranking(lambda seed: LinearCentroidEncoder(alpha=SLCE_ALPHA))),
    Method("Relief", "paper", by_scores(score_relief)),
    Method("ReliefF", "classic", own_ranking(lambda seed: ReliefFSelector())),
    Method("f_classif", "instead", by_scores(lambda X, y, seed: f_scores(X, y))),
    Method("L1 logistic", "instead", by_scores(score_l1_logistic)),
    Method("L1 linear SVM", "instead", by_scores(score_l1_svm)),
    Method("random forest", "instead", by_scores(score_forest)),
)
PEERS = tuple(method.name for method in METHODS if method.role == "instead")

# Figure 3 calls features with weights near zero good; a sort by |weight| has the bad ones first.
RELIEF_READINGS = (
    Method("highest first", "ours", by_scores(score_relief)),
    Method(
        "nearest to zero first", "paper", by_scores(lambda X, y, s: -np.abs(score_relief(X, y)))
    ),
    Method("largest |weight| first", "ours", by_scores(lambda X, y, s: np.abs(score_relief(X, y)))),
)
