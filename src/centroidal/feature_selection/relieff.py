"""Features in which near samples of different classes differ; mathematics in solvers/relieff.py."""

from functools import partial
from typing import Literal, Self

import numpy as np
from sklearn.utils import check_random_state

from .. import _state as state
from .._data import check_labelled_mixed
from .._parameters import check_n_features_to_select, check_parameters, choice
from .._progress import ProgressMixin, with_callbacks
from .._typing import Array, ArrayLike, NeighborMetric, NFeatures, RandomState, Variant
from ..solvers.relieff import add_up_pairs, find_pairs, pose_relief
from ._ranked_selector import RankedSelector

__all__ = ["ReliefFSelector"]

_NEIGHBORS = {"classic": 10, "squared": 1}
_METRICS = {"classic": "manhattan", "squared": "euclidean"}


class ReliefFSelector(ProgressMixin, RankedSelector):
    r"""Select the features in which near samples of different classes differ (ReliefF).

    Each sample is compared with its nearest neighbours. A feature is good if it differs little
    between neighbours of the same class, the hits, and much between neighbours of different
    classes, the misses. With :math:`\delta_j` the difference in feature j as a share of its range
    (0 or 1 for categories), and :math:`H_i` and :math:`M_i(c)` the nearest samples of the class
    :math:`y_i` of sample i and of another class c, the score of :cite:t:`Kononenko1994` is

    .. math::

        \frac{1}{n} \sum_i \Bigl[ - \operatorname{mean}_{h \in H_i} \delta_j(x_i, x_h)
        + \sum_{c \ne y_i} \frac{p_c}{1 - p_{y_i}}
        \operatorname{mean}_{m \in M_i(c)} \delta_j(x_i, x_m) \Bigr]

    where :math:`p_c` is the share of class c. Unlike scores of one feature at a time it sees
    features that tell the classes apart only together.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to keep: a number, a fraction of all features, or None for those with a
        score above zero (at least one).
    n_neighbors : int or None, default=None
        Number of neighbours that are taken of each class; fewer where a class has fewer. None is
        10 for "classic" and 1 for "squared".
    variant : {"classic", "squared"}, default="classic"
        "classic": as above. "squared": section 3.3.2 of :cite:t:`XiaSuKong`, where differences are
        squared, misses count :math:`p_c` (not divided by :math:`1 - p_{y_i}`), and the scores are
        sums over the samples. Most of its scores are negative; those closest to zero are not the
        best ones, the highest are.
    metric : {"manhattan", "euclidean"} or None, default=None
        What makes neighbours near: the sum of the differences, or of their squares. None is
        "manhattan" for "classic" and "euclidean" for "squared".
    categorical_features : array-like, "from_dtype" or None, default=None
        Features whose values are only equal or different: a mask, numbers or names of columns, or
        "from_dtype" for the columns of a data frame that are categories or strings. In a data
        frame their values may be of any type, otherwise they are numbers.
    max_samples : int or None, default=None
        How many samples, drawn at random, are compared with their neighbours (m in Relief): time is
        then O(m n) instead of O(n^2) a feature. None, or more than there are, takes all.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness of the draw; pass an int for the same result every time.
    n_jobs : int or None, default=None
        Number of threads over blocks of samples and of features. The result does not depend on it.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Score of each feature; higher is better.
    feature_ranking_ : ndarray of int, shape (n_features,)
        Features from the best to the worst; of scores equal up to rounding the first column.
    support_, n_features_to_select_ : ndarray of bool, shape (n_features,), int
        Mask of the features that are kept, and their number.
    n_neighbors_, metric_ : int, str
        Number of neighbours of each class, and metric that was used.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    L21CentroidSelector : Looks for few features that together reconstruct the class centroids.

    Notes
    -----
    Scores do not depend on the unit and the origin of a feature. A feature without spread scores 0.
    Equal features have equal scores, so redundant ones are all kept.

    **Missing values** (NaN) may be in any feature; they stand for the values of the class of their
    sample. **Sample weights** are numbers of copies where they are multiples of the smallest; only
    their ratios count. **Ties**: of neighbours whose distances agree to 12 digits all are taken and
    share what the last ones count, so that scores do not depend on the order of the rows.

    **Where we differ** from the papers: every sample is looked at once, and none is drawn at random
    unless `max_samples` asks for it, which draws none twice, by the position of rows; a class with
    fewer samples than `n_neighbors` contributes the mean over those it has; numbers have no zone in
    which they count as equal; in "squared", features are scaled by their range.

    Time is O(n^2 m) for n samples and m features. Sparse samples are not made dense. All rules and
    proofs are on the page :doc:`/mathematics/relieff`.

    Examples
    --------
    The class is whether the first two features agree; alone, neither says anything.

    >>> import numpy as np
    >>> from centroidal import ReliefFSelector
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(200, 10))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> selector = ReliefFSelector(2).fit(X, y)
    >>> selector.get_support(indices=True)
    array([0, 1])
    >>> selector.transform(X).shape
    (200, 2)
    """

    classes_: Array
    n_neighbors_: int
    metric_: str

    _state = {
        "classes_": state.labels("classes"),
        "n_neighbors_": state.count(1),
        "metric_": state.text("manhattan", "euclidean"),
    }

    _checks = {"metric": choice(NeighborMetric)}

    def __init__(
        self,
        n_features_to_select: NFeatures = None,
        *,
        n_neighbors: int | None = None,
        variant: Variant = "classic",
        metric: NeighborMetric = None,
        categorical_features: ArrayLike | Literal["from_dtype"] | None = None,
        max_samples: int | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.variant = variant
        self.metric = metric
        self.categorical_features = categorical_features
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Score the features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples; NaN where a value is missing.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: copies that each sample counts for, where they are multiples of the smallest.
        """
        check_parameters(self)
        n_neighbors = int(self.n_neighbors or _NEIGHBORS[self.variant])
        metric = self.metric or _METRICS[self.variant]
        data, is_categorical = check_labelled_mixed(
            self, X, y, sample_weight, categorical_features=self.categorical_features
        )
        check_n_features_to_select(self.n_features_to_select, data.features.number)

        problem = pose_relief(
            data.X,
            data.codes,
            data.classes.size,
            data.weights,
            is_categorical,
            n_neighbors=n_neighbors,
            metric=metric,
            variant=self.variant,
            draw=partial(_draw, self.max_samples, self.random_state),
        )
        steps = self._each_step(self._score(problem), len(problem.drawn_blocks), "block of samples")
        *_, scores = steps

        self.classes_ = data.classes
        self.n_neighbors_ = n_neighbors
        self.metric_ = metric
        return self._keep_ranking(data.features, scores, problem.error)

    def _score(self, problem):
        """Yield None after each block of samples but the last, then the scores."""
        blocks = []
        for block in find_pairs(problem, self.n_jobs):
            blocks.append(block)
            is_last = len(blocks) == len(problem.drawn_blocks)
            yield add_up_pairs(problem, blocks, self.n_jobs) if is_last else None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _draw(max_samples, random_state, n_samples):
    """Return samples in the order of the rows, so many of them at most."""
    if max_samples is None or max_samples >= n_samples:
        return np.arange(n_samples)
    rng = check_random_state(random_state)
    return np.sort(rng.choice(n_samples, max_samples, replace=False))
