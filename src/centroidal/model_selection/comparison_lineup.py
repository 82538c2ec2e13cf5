"""Whom to compare: our estimators beside what is commonly used, each choosing for itself."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.fixes import parse_version
from sklearn.utils.metadata_routing import get_routing_for_object

from .._parameters import check_count
from ..feature_selection import (
    L21CentroidSelector,
    LinearCentroidEncoder,
    ReliefFSelector,
    SparseCentroidEncoder,
)
from ._feature_subset import scaled_logistic
from .disjoint_centroid_cv import DisjointCentroidClassifierCV
from .fisher_subspace_cv import FisherSubspaceClassifierCV
from .random_features import RandomFeaturesClassifier
from .ranked_features_cv import RankedFeaturesClassifierCV
from .sparse_center_cv import SparseCenterClassifierCV

__all__ = ["comparison_lineup", "inner_folds"]

_INNER_FOLDS = 5
_NUMBERS_OF_FEATURES = (4, 16, 64, 256)


def comparison_lineup(
    n_features, *, is_sparse=False, inner_cv=5, scoring=None, n_features_grid=None, neural=False
):
    """Whom :func:`compare` compares if nothing is said: our estimators and what is commonly used.

    Every number of features, penalty or threshold is chosen by a search over few values, inside
    the samples that the member is fitted to. Data are scaled there as well.

    ========================= ====================================================================
    sparse l2 centers         :class:`~centroidal.SparseCenterClassifierCV`
    sparse l1 centers         the same with medians; dense data only
    disjoint centroids        :class:`~centroidal.DisjointCentroidClassifierCV` by margins
    Fisher subspace           :class:`~centroidal.FisherSubspaceClassifierCV`
    l2,1 + logistic           :class:`~centroidal.L21CentroidSelector`, logistic regression
    ReliefF + logistic        :class:`~centroidal.ReliefFSelector`, logistic regression
    linear encoder + logistic :class:`~centroidal.LinearCentroidEncoder`, logistic regression
    network + logistic        :class:`~centroidal.SparseCentroidEncoder`, the same; if `neural`
    nearest centroid          of scikit-learn, all features
    shrunken centroids        the same with a threshold; dense data only
    F test + SVM              features of the highest F statistic, linear SVM
    l1 logistic               logistic regression with an l1 penalty
    random forest             of scikit-learn
    naive Bayes               Gaussian; dense data only
    random features           :class:`RandomFeaturesClassifier`, as many as sparse l2 centers
    majority class            no features at all
    ========================= ====================================================================

    Parameters
    ----------
    n_features : int
        Number of features of the data.
    is_sparse : bool, default=False
        Whether the data are sparse. Members that would make them dense are left out.
    inner_cv : int or cross-validation generator, default=5
        Folds of the searches. A number is of stratified folds, shuffled in the same way for all.
    scoring : str, callable or None, default=None
        What the searches choose by; None is accuracy.
    n_features_grid : array-like of int or None, default=None
        Numbers of features that are tried where each of them costs a fit; None is 4, 16, 64 and
        256, as far as there are so many.
    neural : bool, default=False
        Whether to add the sparse centroid-encoder, which needs PyTorch and takes long.

    Returns
    -------
    dict of str to classifier
        Not fitted. Add your own, or drop some.

    Examples
    --------
    >>> from centroidal.model_selection import comparison_lineup
    >>> lineup = comparison_lineup(2000)
    >>> len(lineup)
    15
    >>> "naive Bayes" in comparison_lineup(2000, is_sparse=True)
    False
    """
    check_count("n_features", n_features)
    sizes = _check_sizes(n_features_grid, n_features)
    if isinstance(inner_cv, Integral):
        if isinstance(inner_cv, bool) or inner_cv < 2:
            raise ValueError(f"inner_cv={inner_cv} must be at least 2 folds.")
        inner_cv = StratifiedKFold(int(inner_cv), shuffle=True, random_state=0)
    build = _Builder(inner_cv, scoring, sizes, bool(is_sparse))
    return build.ours(neural) | build.others() | build.references()


def _check_sizes(values, n_features):
    if values is None:
        return [size for size in _NUMBERS_OF_FEATURES if size < n_features] or [n_features]
    if isinstance(values, str) or not np.iterable(values) or not len(values):
        raise TypeError(f"n_features_grid={values!r} must hold numbers of features, or be None.")
    for size in values:
        check_count("a value of n_features_grid", size)
        if size > n_features:
            raise ValueError(f"n_features_grid holds {size}, more than n_features={n_features}.")
    return sorted({int(size) for size in values})


class _Builder(NamedTuple):
    """Makes the members of a line-up for given data and inner folds."""

    cv: Any
    scoring: Any
    sizes: list
    is_sparse: bool

    @property
    def scaler(self):
        return StandardScaler(with_mean=not self.is_sparse)

    @property
    def choosing(self):
        return {"cv": self.cv, "scoring": self.scoring}

    def search(self, steps, grid):
        return GridSearchCV(Pipeline(steps), grid, **self.choosing)

    def selected(self, selector):
        """Logistic regression on the best features of a selector, with their number chosen."""
        return RankedFeaturesClassifierCV(
            selector,
            scaled_logistic(self.is_sparse),
            n_features_grid=self.sizes,
            **self.choosing,
        )

    def sparse_centers(self, **folds):
        scale = "std" if self.is_sparse else "within"
        return SparseCenterClassifierCV(scale=scale, scoring=self.scoring, **folds)

    def ours(self, neural):
        margin = {"disjoint": False, "scale": "within"}
        l1 = SparseCenterClassifierCV(metric="l1", scale="mad", **self.choosing)
        members = {
            "sparse l2 centers": self.sparse_centers(cv=self.cv),
            "sparse l1 centers": l1,
            "disjoint centroids": DisjointCentroidClassifierCV("margin", **margin, **self.choosing),
            "Fisher subspace": make_pipeline(
                self.scaler, FisherSubspaceClassifierCV(**self.choosing)
            ),
            "l2,1 + logistic": self.selected(L21CentroidSelector()),
            "ReliefF + logistic": self.selected(ReliefFSelector()),
            "linear encoder + logistic": self.selected(LinearCentroidEncoder()),
        }
        if self.is_sparse:  # medians of columns that are mostly zero say nothing
            del members["sparse l1 centers"]
        if neural:
            members["network + logistic"] = self.selected(SparseCentroidEncoder())
        return members

    def others(self):
        varying, scale = ("varying", VarianceThreshold()), ("scale", self.scaler)
        l1 = OneVsRestClassifier(_l1_logistic())
        members = {
            "nearest centroid": make_pipeline(self.scaler, NearestCentroid()),
            "shrunken centroids": self.search(
                [varying, scale, ("classify", NearestCentroid())],
                {"classify__shrink_threshold": [0.5, 1.0, 2.0, 3.0, 4.0]},
            ),
            "F test + SVM": self.search(
                [varying, scale, ("select", SelectKBest()), ("classify", LinearSVC())],
                {"select__k": self.sizes},
            ),
            "l1 logistic": self.search(
                [scale, ("classify", l1)], {"classify__estimator__C": [0.05, 0.2, 1.0, 5.0]}
            ),
            "random forest": RandomForestClassifier(),
            "naive Bayes": GaussianNB(),
        }
        if self.is_sparse:  # these need dense samples, or make them so
            del members["shrunken centroids"], members["naive Bayes"]
        return members

    def references(self):
        # Only a number is wanted of the reference, so its folds need not keep groups together.
        reference = self.sparse_centers(cv=_INNER_FOLDS if self._asks_groups else self.cv)
        return {
            "random features": RandomFeaturesClassifier(reference),
            "majority class": DummyClassifier(strategy="most_frequent"),
        }

    @property
    def _asks_groups(self):
        return bool(get_routing_for_object(self.cv).consumes("split", ["groups"]))


def _l1_logistic():
    is_new = parse_version(sklearn.__version__) >= parse_version("1.8")
    penalty = {"l1_ratio": 1.0} if is_new else {"penalty": "l1"}
    return LogisticRegression(solver="liblinear", max_iter=1000, **penalty)


def inner_folds(data, folds, groups):
    """Folds of the searches, as many as the training part of each outer fold allows."""
    counts = [np.bincount(data.codes[train], minlength=data.classes.size) for train, _ in folds]
    least = np.min(counts, axis=0)
    if least.min() < 2:
        rarest = data.classes.tolist()[least.argmin()]
        raise ValueError(
            f"class {rarest!r} has {least.min()} samples in a training part; the default line-up "
            "needs at least 2 to choose in folds of it."
        )
    n_folds = min(_INNER_FOLDS, int(least.min()))
    if groups is None:
        return n_folds
    n_groups = min(np.unique(groups[train]).size for train, _ in folds)
    if n_groups < 2:
        raise ValueError(
            "groups has a training part of one group; the default line-up needs at least 2 to "
            "choose in folds of it."
        )
    return StratifiedGroupKFold(min(n_folds, n_groups), shuffle=True, random_state=0)
