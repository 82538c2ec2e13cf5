"""Centers with features of their own; mathematics in solvers/disjoint_centroids.py."""

import numpy as np

from .._data import check_moments
from .._parameters import check_parameters
from .._progress import with_callbacks
from .._typing import Assignment, Calibration, MomentScale, Norm, RandomState, SharedFeatures
from ..statistics import map_blocks
from ._base import MomentsClassifier
from .disjoint_centroid_rule import DisjointCentroidRule, DisjointSolution

__all__ = ["DisjointCentroidClassifier"]


class DisjointCentroidClassifier(MomentsClassifier, DisjointCentroidRule):
    r"""Nearest centroid classifier whose classes have features of their own (NDC).

    A sample goes to the class with the smallest mean square over the features of that class,

    .. math::

        \hat y(x) = \arg\min_j \frac{1}{|I_j|} \sum_{i \in I_j} (x_i - \mu_{ij})^2,

    where :math:`I_j` is a group of features and :math:`\mu_{ij}` the mean of feature i in class j
    (section 2 of :cite:t:`Fraiman2021`). So a class can be recognised by features that are steady
    inside it and vary elsewhere, even where all class means are equal.

    Parameters
    ----------
    assignment : {"alternating", "margin"}, default="alternating"
        How features find their class. "alternating": the algorithms of the paper, k-means on the
        features that looks at each group on the samples of its class only, from `n_init` starts, of
        which the one with the lowest training error counts. "margin": in closed form, one pass: a
        feature goes to the class with the smallest ratio of what its samples pay there to what
        samples of the other classes pay there; it can go on with `partial_fit` and `merge`.
    baseline_weight : float, default=inf
        Features are left out that are nearer to a baseline than to any class; its distance counts
        so many times (lambda in the paper; here of the distance, not of its square). With "margin",
        features are left out whose ratio is not below its square. The smaller, the fewer features;
        inf uses all.
    disjoint : bool, default=True
        Whether a feature speaks for one class only. False lets it speak for several: with "margin"
        for every class whose ratio is below the squared weight; with "alternating" each class has
        a clustering of its own, of the features it has and those it has not, as section 9 of the
        paper proposes. The weight is then best chosen by cross-validation. With inf all features
        speak for all classes, as in a plain nearest centroid classifier.
    norm : {"normalized", "euclidean"}, default="normalized"
        "normalized": distances are means, over the features of a class and over its samples when
        features are clustered. "euclidean": they are sums (over samples in units of all of them),
        which the paper warns of: large classes get few features, or none, and a class with few
        features is near to everything.
    shared_features : "auto", None, int, float or array-like, default="auto"
        Features that all classes have beside their own: so many, or that fraction, of those with
        class means furthest apart in units of the spread inside the classes; a mask; or columns.
        None shares none. "auto" shares none either, unless there are fewer features than groups:
        then all are shared, with a warning.
    center : bool, default=False
        Whether to look at each feature relative to its mean when features are clustered. True where
        features have levels of their own; it makes no difference to "margin".
    scale : {None, "std", "within"}, default=None
        What each feature is divided by: its standard deviation, or its pooled standard deviation
        inside the classes. Use it, with ``center=True``, where features have units of their own,
        after taking logarithms of skewed ones; without it features of a large scale decide.
    calibration : {None, "logistic"}, default=None
        None: the nearest centroid decides, and probabilities come from a logistic regression on the
        distances with one slope for all of them, which keeps their order. "logistic": a logistic
        regression on the distances, with slopes and intercepts of its own for each class, decides;
        it helps where groups hold features that say nothing.
    n_init : int, default=100
        Number of starts of "alternating".
    random_state : int, RandomState or None, default=None
        Seed or source of randomness of the starts; pass an int for the same result every time.
    n_jobs : int or None, default=None
        Number of threads, over blocks of starts. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    groups_ : ndarray of bool, shape (n_classes, n_features)
        Which features each class has.
    centers_ : ndarray of shape (n_classes, n_features)
        Class means, also outside the groups. A row of NaN belongs to a class without samples so
        far.
    support_ : ndarray of bool, shape (n_features,)
        Features that some class has.
    feature_scale_ : ndarray of shape (n_features,)
        What each feature was divided by.
    objective_ : float
        What was minimised. "alternating": the sum over the features of their mean squared distance
        to the center of their group, J on the page on mathematics. "margin": the sum of the ratios,
        where the squared weight stands for features that are left out.
    restart_errors_ : ndarray of shape (n_init,)
        Training error of each start, NaN if a class lost all its features on the way (a void
        start). Empty where there are no starts.
    n_void_ : int
        Number of void starts.
    slope_ : float
        By how much the logarithm of a probability falls when the distance grows by one.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    DisjointCentroidClassifierCV : Chooses the weight of the baseline by cross-validation.
    centroidal.inspection.FeatureGroupsDisplay : Draws which features speak for which class.
    SparseCenterClassifier : The same few features for all classes.
    sklearn.naive_bayes.GaussianNB : Uses the variances of all features in all classes.

    Notes
    -----
    **Where it helps**: classes that differ in their variances, with groups of steady features. If
    classes differ in their means alone, plain nearest centroids are better. On the simulations of
    the paper ``sklearn.naive_bayes.GaussianNB``, which was not among its rivals, has a lower error
    on average than the paper's method; see :doc:`/user_guide/disjoint_centroids`.

    **Where we differ** from the paper: the closed-form rule; weights of samples; probabilities. The
    weight multiplies distances, not their squares, which the paper leaves open.

    After `partial_fit` and `merge`, and from Dask collections, `slope_` comes from the class
    moments, as if features were independent and normal; it is often too steep.

    Time of "alternating" is O(n p^2) for the products of the features and O(n_init p^2) a step if
    there are at least two samples a feature, else O(n_init n p) a step. "margin" takes one pass.

    Examples
    --------
    >>> from centroidal import DisjointCentroidClassifier
    >>> from centroidal.datasets import make_feature_blocks
    >>> made = make_feature_blocks(n_samples=400, spread=1.9, random_state=0)
    >>> model = DisjointCentroidClassifier(n_init=20, random_state=0).fit(made.data, made.target)
    >>> model.groups_.astype(int)
    array([[1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1]])
    """

    def __init__(
        self,
        assignment: Assignment = "alternating",
        *,
        baseline_weight: float = np.inf,
        disjoint: bool = True,
        norm: Norm = "normalized",
        shared_features: SharedFeatures = "auto",
        center: bool = False,
        scale: MomentScale = None,
        calibration: Calibration = None,
        n_init: int = 100,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.assignment = assignment
        self.baseline_weight = baseline_weight
        self.disjoint = disjoint
        self.norm = norm
        self.shared_features = shared_features
        self.center = center
        self.scale = scale
        self.calibration = calibration
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    @with_callbacks
    def _fit(self, data):
        return self._keep_moments(data.features, data.classes, self._summarise(data), data)

    @property
    def _needed_to_merge(self):
        if self._takes_dask:
            return None
        return (
            "assignment='margin' and calibration=None, which come from class moments; got "
            f"assignment={self.assignment!r}, calibration={self.calibration!r}"
        )

    @property
    def _takes_dask(self):
        """Whether class moments are enough, wherever they come from."""
        return self._recipe.streams and self.calibration is None

    def _check_for(self, n_features, n_classes):
        """Raise unless the parameters are right, which they are for any features and classes."""
        check_parameters(self)

    def _keep_moments(self, features, classes, moments, data=None):
        """Become the model of all samples that the moments are of; `data` if they are in memory."""
        check_moments(self, None, moments)
        recipe, weights = self._recipe, np.array([self.baseline_weight], dtype=float)
        (groups,) = recipe.find(data, moments, weights, self._seed(), self._each_block)
        self._check_found(groups)
        scale = recipe.feature_scale(moments)
        solution = DisjointSolution(moments, scale, groups, self.baseline_weight)
        return self._keep(features, classes, solution, data)

    def _each_block(self, run, blocks):
        """Run blocks of starts in threads; a step each."""
        results = map_blocks(run, blocks, self.n_jobs)
        return self._each_step(results, len(blocks), "starts")

    def _check_found(self, groups):
        if groups is None:
            advice = "more starts, or fewer classes for so many features"
            if np.isfinite(self.baseline_weight):
                advice = f"a larger baseline_weight than {self.baseline_weight}, {advice}"
            raise ValueError(
                f"In each of n_init={self.n_init} starts a class lost all its features; "
                f"give {advice}."
            )
