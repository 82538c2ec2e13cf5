"""The rows of the tables: the paper's methods under their names there, what we add, and peers.

Whatever a method chooses, it chooses by 5-fold cross-validation of the error on its training part;
of equals the one with fewer features. Stand-ins, as R's packages have no twin in scikit-learn:

* NSC: `NearestCentroid` with a threshold after z-scores, as its distance does not standardise.
* LDA: shrunken by Ledoit and Wolf for the paper's penalised one; it does not select features.
* SVM: Gaussian kernel after z-scores, as R's ``svm`` has it; on genes a linear one under an l1
  penalty, after z-scores.
* Logistic: l1 penalty after z-scores, as R's ``glmnet`` has it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC

from centroidal import DisjointCentroidClassifier, DisjointCentroidClassifierCV

__all__ = [
    "GENE_METHODS",
    "LOGISTIC_OF_GENES",
    "LOG_METHODS",
    "NDC_S_OF_GENES",
    "SHARING_METHODS",
    "SIMULATION_METHODS",
    "Method",
    "disjoint",
]

N_NEIGHBORS = 15
N_FOLDS = 5
N_FEW_STARTS = 5
THRESHOLDS = (8.0, 6.0, 4.0, 3.0, 2.0, 1.0, 0.5, None)  # from few features to all
INVERSE_PENALTIES = (0.003, 0.01, 0.03, 0.1, 1.0)
GENE_INVERSE_PENALTIES = (0.01, 0.03, 0.1, 0.3, 1.0, 10.0)
SHARED = (None, 0.5, 1.0)


class Method(NamedTuple):
    """A row of a table; `make(seed)` returns an unfitted classifier.

    `role` is "paper" (its methods), "ours" (what we add to them) or "instead" (what else a user
    would pick). `mask` tells from the fitted classifier which features it uses; without it, all.
    The slow ones run on fewer repeats, and the one with `once` on the first.
    """

    name: str
    make: Callable
    role: str = "paper"
    mask: Callable | None = None
    is_slow: bool = False
    once: bool = False

    def n_repeats(self, n_seeds, slow_cost):
        """Count the repeats that the seeds pay for, at least one."""
        if self.once:
            return 1
        return max(1, n_seeds // slow_cost) if self.is_slow else n_seeds

    def used_by(self, model, n_features):
        """Return the mask of the features that a fitted model uses."""
        if self.mask is None:
            return np.ones(n_features, dtype=bool)
        return self.mask(innermost(model))


def innermost(model):
    """Look into pipelines for the last step, and into searches for the best estimator."""
    while isinstance(model, Pipeline | GridSearchCV):
        model = model[-1] if isinstance(model, Pipeline) else model.best_estimator_
    return model


def in_groups(model):
    return model.support_


def between_centroids(model):
    return np.ptp(model.centroids_, axis=0) > 0


def with_coefficients(model):
    return model.coef_.any(axis=0)


def disjoint(name, role="paper", *, is_slow=False, logs=False, **options):
    """Return a row of disjoint centroids with a given weight of the baseline."""

    def make(seed):
        return prepared(DisjointCentroidClassifier(**options, random_state=seed), logs)

    return Method(name, make, role, in_groups, is_slow)


def disjoint_cv(name, role="paper", *, is_slow=True, once=False, logs=False, **options):
    """Return a row of disjoint centroids with the weight of the baseline chosen."""

    def make(seed):
        model = DisjointCentroidClassifierCV(**options, cv=N_FOLDS, rule="best", random_state=seed)
        return prepared(model, logs)

    return Method(name, make, role, in_groups, is_slow, once)


def fixed(name, make, role="paper", *, is_slow=False, logs=False):
    return Method(name, lambda seed: prepared(make(), logs), role, is_slow=is_slow)


def prepared(model, logs):
    """Put logarithms and z-scores before a model, if that is asked for."""
    if not logs:
        return model
    return make_pipeline(FunctionTransformer(np.log), standardised(model))


def chosen(model, **candidates):
    """Choose by cross-validation; the first of equals."""
    return GridSearchCV(model, {name: list(v) for name, v in candidates.items()}, cv=N_FOLDS)


def standardised(model):
    return make_pipeline(StandardScaler(), model)


def make_shrunken(seed):
    return standardised(chosen(NearestCentroid(), shrink_threshold=THRESHOLDS))


def logistic(name, solver, inverse_penalties, *, is_slow):
    """Return a row of logistic regression under an l1 penalty that is chosen."""

    def make(seed):
        model = LogisticRegressionCV(
            Cs=inverse_penalties,
            l1_ratios=(1,),
            solver=solver,
            cv=N_FOLDS,
            scoring="accuracy",
            tol=1e-3,
            max_iter=300,
            random_state=seed,
            use_legacy_attributes=False,
        )
        return standardised(model)

    return Method(name, make, mask=with_coefficients, is_slow=is_slow)


def make_gene_svm(seed):
    model = LinearSVC(penalty="l1", dual=False, random_state=seed)
    return standardised(chosen(model, C=GENE_INVERSE_PENALTIES))


def make_shared(seed):
    """Choose how many features all classes share: none, half, all."""
    return chosen(DisjointCentroidClassifier(random_state=seed), shared_features=SHARED)


def make_lda():
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")


def make_neighbours():
    return KNeighborsClassifier(N_NEIGHBORS)


def make_scaled_svc():
    return standardised(SVC())


NDC = disjoint("NDC")
NDC_S = disjoint_cv("NDC-S")
NC = fixed("NC", NearestCentroid)
KNN = fixed("KNN", make_neighbours)
MARGIN = disjoint("margin", "ours", assignment="margin")
MARGIN_CV = disjoint_cv("margin CV", "ours", assignment="margin")
OVERLAPPING_CV = disjoint_cv("overlapping CV", "ours", assignment="margin", disjoint=False)
TWO_WAY_CV = disjoint_cv("two-way CV", "ours", disjoint=False)  # as section 9 proposes
NAIVE_BAYES = fixed("GaussianNB", GaussianNB, "instead")

SIMULATION_METHODS = (
    NDC,
    NDC_S,
    NC,
    Method("NSC", make_shrunken, mask=between_centroids, is_slow=True),
    KNN,
    fixed("LDA", make_lda),
    fixed("SVM", make_scaled_svc, is_slow=True),
    logistic("Logistic", "saga", INVERSE_PENALTIES, is_slow=True),
    disjoint("NDC, logistic", "ours", calibration="logistic"),
    MARGIN,
    MARGIN_CV,
    OVERLAPPING_CV,
    TWO_WAY_CV,
    NAIVE_BAYES,
    fixed("QDA", QuadraticDiscriminantAnalysis, "instead"),
    fixed("SVC, unscaled", SVC, "instead", is_slow=True),
)
# In table 1 every feature speaks of every class.
SHARING_METHODS = (
    disjoint("NDC, half shared", "ours", shared_features=0.5),
    Method("NDC, shared by CV", make_shared, "ours", in_groups, is_slow=True),
)

NDC_S_OF_GENES = disjoint_cv(
    f"NDC-S, {N_FEW_STARTS} starts", "ours", is_slow=False, n_init=N_FEW_STARTS
)
LOGISTIC_OF_GENES = logistic("Logistic", "liblinear", GENE_INVERSE_PENALTIES, is_slow=False)
GENE_METHODS = (
    NDC,
    disjoint_cv("NDC-S", once=True),
    NC,
    Method("NSC", make_shrunken, mask=between_centroids),
    KNN,
    fixed("LDA", make_lda, is_slow=True),
    Method("SVM", make_gene_svm, mask=with_coefficients),
    LOGISTIC_OF_GENES,
    NDC_S_OF_GENES,
    MARGIN,
    OVERLAPPING_CV._replace(is_slow=False),
    NAIVE_BAYES,
)
LOG_METHODS = (
    disjoint("NDC, logs", "ours", logs=True),
    disjoint_cv(f"NDC-S, {N_FEW_STARTS} starts, logs", "ours", logs=True, n_init=N_FEW_STARTS),
    disjoint("margin, logs", "ours", logs=True, assignment="margin"),
    disjoint_cv("overlapping CV, logs", "ours", logs=True, assignment="margin", disjoint=False),
    fixed("NC, logs", NearestCentroid, "instead", logs=True),
    fixed("GaussianNB, logs", GaussianNB, "instead", logs=True),
)
