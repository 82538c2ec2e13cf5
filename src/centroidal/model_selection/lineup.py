"""Whom to compare: our methods beside what is commonly used, each choosing for itself."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from .._parameters import check_count
from .._typing import ArrayLike, Folds, Scorer
from .methods import DataKind, lineup_methods

__all__ = ["comparison_lineup", "inner_folds"]

_INNER_FOLDS = 5
_NUMBERS_OF_FEATURES = (4, 16, 64, 256)


def comparison_lineup(
    n_features: int,
    *,
    n_classes: int = 2,
    is_sparse: bool = False,
    inner_cv: Folds = 5,
    scoring: Scorer = None,
    n_features_grid: ArrayLike | None = None,
    neural: bool = False,
) -> dict[str, Any]:
    """Whom :func:`compare` compares if nothing is said: our methods and what is commonly used.

    The members are those of :ref:`the table of methods <methods>`, by their keys; a key means the
    same here and in :func:`select_features`. Every hyperparameter, be it a number of features, a
    penalty or a threshold, is chosen by a search over few values, inside the samples that the
    member is fitted to. Data are scaled there as well.

    Parameters
    ----------
    n_features : int
        Number of features of the data.
    n_classes : int, default=2
        Number of classes; disjoint centroids need as many features.
    is_sparse : bool, default=False
        Whether the data are sparse. Members that would make them dense are left out.
    inner_cv : int or cross-validation generator, default=5
        Inner folds, of the searches. A number is of stratified folds, shuffled in the same way for
        all.
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
    >>> list(lineup)[:4]
    ['l2', 'l1', 'disjoint', 'fisher']
    >>> "naive Bayes" in comparison_lineup(2000, is_sparse=True)
    False
    """
    check_count("n_features", n_features)
    check_count("n_classes", n_classes)
    sizes = _check_sizes(n_features_grid, n_features)
    if isinstance(inner_cv, Integral):
        if isinstance(inner_cv, bool) or inner_cv < 2:
            raise ValueError(f"inner_cv={inner_cv} must be at least 2 folds.")
        inner_cv = StratifiedKFold(int(inner_cv), shuffle=True, random_state=0)
    kind = DataKind(n_features, n_classes, bool(is_sparse), None, inner_cv, scoring, sizes)
    lineup = {}
    for key, method in lineup_methods(is_sparse, neural).items():
        built = method.build(kind)
        lineup[key] = built.classifier(kind) if method.selects else built
    return lineup


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


def inner_folds(data, folds, groups):
    """Inner folds of the searches, as many as the training set of each outer fold allows."""
    counts = [np.bincount(data.codes[train], minlength=data.classes.size) for train, _ in folds]
    least = np.min(counts, axis=0)
    if least.min() < 2:
        rarest = data.classes.tolist()[least.argmin()]
        raise ValueError(
            f"class {rarest!r} has {least.min()} samples in a training set; the default line-up "
            "needs at least 2 to choose in folds of it."
        )
    n_folds = min(_INNER_FOLDS, int(least.min()))
    if groups is None:
        return n_folds
    n_groups = min(np.unique(groups[train]).size for train, _ in folds)
    if n_groups < 2:
        raise ValueError(
            "groups has a training set of one group; the default line-up needs at least 2 to "
            "choose in folds of it."
        )
    return StratifiedGroupKFold(min(n_folds, n_groups))  # shuffled, 1.7 balances no classes
