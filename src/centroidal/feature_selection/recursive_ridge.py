"""Features that ridge regression needs; mathematics in solvers/recursive_ridge.py."""

import numpy as np
from scipy.sparse import issparse

from .._data import check_moments
from .._parameters import check_positive
from .._typing import NFeatures
from ..solvers.recursive_ridge import class_targets, rank_by_elimination
from ..solvers.sparse_centers import feature_scale
from ..statistics import class_moments, weights_in_samples
from ..statistics.residuals import residuals
from ._ranked_selector import RankedSelector

__all__ = ["RecursiveRidgeSelector"]

_ROUNDING = 1e-10  # by which samples that are standardised may be off


class RecursiveRidgeSelector(RankedSelector):
    r"""Select the features that ridge regression of the classes can do without last.

    On the features that are left, :math:`\sum_i \lVert t_{y_i} - x_i B \rVert^2 + \alpha n \lVert B
    \rVert^2` is minimised, where :math:`x_i` is a standardised sample of n and :math:`t_c` a vector
    for each class; the features that matter least are left out, and so on. So features are judged
    together: of copies of one another one stays, and a feature stays that helps only beside others.
    One run ranks all features, so that it holds the selections of all sizes.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to keep: a number, a fraction of all features, or None for all that vary.
    alpha : float, default=10.0
        Strength of the penalty, for each sample, as long as there are 64 features or more.
    n_jobs : int or None, default=None
        Number of threads. The result is the same to the last bit for any number.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        How much the optimum rises, or at least rises, where a feature is left out; never less than
        that of a feature that was left out before.
    feature_ranking_ : ndarray of shape (n_features,)
        Columns, those that stayed longest first; of those equal up to rounding the first column.
    support_, n_features_to_select_ : ndarray of shape (n_features,), int
        Mask of the selected features, and their number.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    sklearn.feature_selection.RFE : Elimination by any linear model, which is fitted in each round.
    L21CentroidSelector : Selects features together by one convex problem.

    Notes
    -----
    Features are halved as long as there are more than 64; these leave one by one, and `alpha` falls
    with their number. While there are more features than samples a round needs only the inner
    products of the samples, so that all rounds take O(n^2 m + n^3) for n samples and m features, as
    much as two products of all features. Sparse samples are not made dense. The derivation is on
    the page :doc:`/mathematics/recursive_ridge`.

    Each round waits for the one before it; what `n_jobs` threads share are the products of dense
    samples, a block of columns at a time, which is most of the time with many features.

    The default of `alpha` was chosen on 14 sets of gene expression together; between 3 and 30 the
    mean accuracy with 50 features differs by less than a point.

    Examples
    --------
    Three copies of a feature, and one that tells apart what they leave together:

    >>> import numpy as np
    >>> from centroidal import RecursiveRidgeSelector
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=300)
    >>> X = np.array([y == 0, y == 0, y == 0, y == 1]).T + 0.5 * rng.normal(size=(300, 4))
    >>> X[:, 1:3] = X[:, :1]
    >>> RecursiveRidgeSelector(2).fit(X, y).get_support(indices=True)
    array([0, 3])
    """

    _checks = {"alpha": check_positive}
    _common = None  # what `_share` returned, where the same samples are ranked for other labels

    def __init__(
        self,
        n_features_to_select: NFeatures = None,
        *,
        alpha: float = 10.0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.n_jobs = n_jobs

    def _fit(self, data):
        counted = data.counted_rows
        data = data if counted.size == data.codes.size else data.take_rows(counted)
        weights = weights_in_samples(data.row_weights)
        rows, gram = self._common or (self._standardise(data.X, weights), None)
        counts = np.bincount(data.codes, weights, minlength=data.classes.size)
        targets = np.sqrt(weights)[:, None] * class_targets(counts)[data.codes]

        try:
            penalty = self.alpha * weights.sum()
            ranking, worths = rank_by_elimination(rows, targets, penalty, gram, self.n_jobs)
        except np.linalg.LinAlgError as error:
            raise ValueError(
                f"alpha={self.alpha} must be larger: beside the samples it is lost in rounding."
            ) from error
        return self._keep_ranking(data.features, worths, np.zeros_like(worths), ranking)

    def _share(self, X):
        """Return what samples without weights have in common, whatever their labels are."""
        rows = self._standardise(X, np.ones(X.shape[0]))
        return rows, rows.gram(self.n_jobs) if X.shape[1] > X.shape[0] else None

    def _standardise(self, X, weights):
        """Return the samples, centred and of unit variance; those that are so are not copied."""
        X, together = X.tocsr() if issparse(X) else X, np.zeros(X.shape[0], dtype=np.int32)
        moments = class_moments(X, together, 1, None if (weights == 1.0).all() else weights)
        check_moments(self, X, moments)
        mean, scale = moments.means, feature_scale(np.sqrt(moments.variance))
        if max(np.abs(mean).max(), np.abs(scale - 1.0).max()) <= _ROUNDING:
            mean, scale = np.zeros_like(mean), np.ones_like(scale)
        return residuals(X, together, mean, weights, scale)
