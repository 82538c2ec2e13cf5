"""Fisher-subspace classification; mathematics in solvers/fisher_subspace.py."""

from .._typing import ArrayLike, NComponents, Priors, Scatter, Threshold, Whitening
from ._base import MergeableClassifier, recipe_of
from .fisher_recipe import (
    MERGING,
    FisherRecipe,
    FisherRule,
    check_no_window,
    check_scatter,
    merge_solutions,
    solve_rows,
)

__all__ = ["FisherSubspaceClassifier"]


class FisherSubspaceClassifier(MergeableClassifier, FisherRule):
    r"""Linear classifier on whitened class means (IPCAC, IPCAC_var, TIPCAC).

    After whitening, the subspace that separates the classes best is the one that the class means
    span (:cite:t:`Rozza2010`, chapters 3 and 4). Two classes are told apart along

    .. math::

        w = W^2 (\mu_A - \mu_B), \qquad W = q_d U_d Q_d^{-1} U_d^T + I - U_d U_d^T

    where :math:`U_d, Q_d` are the d leading left singular vectors and values of the centred data
    and :math:`q_d` is the last of them. Only the leading directions, which can be estimated, are
    whitened; the others stay as they are. One thin decomposition is all the training there is, and
    a prediction is one inner product a class.

    Parameters
    ----------
    whitening : {"truncated", "full", "variance"}, default="truncated"
        "truncated": as above (TIPCAC). "full": all directions to unit variance, by pseudo-inverse
        (IPCAC); a Fisher discriminant for more samples than features. "variance": only the leading
        directions to unit variance, the others dropped (IPCAC_var).
    n_components : int, float, "log2" or None, default=None
        How many directions are whitened: a number, the share of the variance they hold, or "log2",
        the rule :math:`\lfloor \log_2^2 n \rfloor` of the thesis. None is "log2" for "truncated",
        0.99 for "variance" and all for "full". At most the rank of the data is used. With
        "truncated", 1 is the plain difference of the means, and one more than the number of strong
        directions is needed to suppress them all.
    scatter : {"total", "within"}, default="total"
        Whether the scatter around the common mean (as in the thesis) or around the class means is
        whitened.
    threshold : {"inclusive", "strict", "balanced", "mahalanobis", "prior"}, default="inclusive"
        Where two classes are cut. "inclusive": the mean of those projected samples that make the
        fewest errors as thresholds, a sample on the threshold being right. "strict": the same where
        it is right only in the first class; sits at the edge of that class if the classes are
        separable. "balanced": the mean of good thresholds of either class, for unequal class
        sizes. "mahalanobis": as many standard deviations from one class mean as from the other.
        "prior": where normal distributions of one spread, with `priors`, are equally likely. More
        than two classes are always told apart by "prior".
    balance : float, default=0.99
        For "balanced": thresholds that score more than this share of the best count.
    priors : {"uniform", "empirical"} or array-like of shape (n_classes,), default="uniform"
        Class probabilities for "prior" and for more than two classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features in the log-odds of ``classes_[1]``, or in the score of each class.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Constants of the same; infinite where a class was not seen.
    feature_importances_ : ndarray of shape (n_features,)
        Norms of the columns of `coef_`, of which those equal up to rounding fall by position, so
        that scikit-learn's selectors rank features as we do.
    axes_ : ndarray of shape (n_features, n_axes)
        Fisher axes, at most one less than classes; of unit length after whitening.
    threshold_ : float
        Where the axis of two classes is cut, as a projection of a sample minus `mean_`; NaN for
        more classes.
    components_ : ndarray of shape (n_kept, n_features)
        Leading directions of the scatter; at least the `n_components_` that are whitened.
    singular_values_ : ndarray of shape (n_kept,)
        Their singular values.
    n_components_ : int
        Number of whitened directions.
    mean_, means_ : ndarray of shape (n_features,), ndarray of shape (n_classes, n_features)
        Mean of all samples, and class means.
    class_count_, class_prior_ : ndarray of shape (n_classes,)
        Sum of the sample weights, and probability, of each class.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    FisherSubspaceClassifierCV : Chooses the number of components by cross-validation.
    OnlineFisherSubspaceClassifier : The same for streams, in constant memory.
    KernelFisherSubspaceClassifier : The same with a kernel function.
    FisherSubspace : The subspace as a transformer.

    Notes
    -----
    `decision_function` holds the log-odds of normal distributions of one spread along the axis,
    moved to be 0 at the threshold, and `predict_proba` follows from them. The spread is that of the
    training samples, which is too small in wide tables; where probabilities matter, wrap the
    classifier in ``CalibratedClassifierCV``.

    **Where we differ** from the thesis: more features than samples are no problem; the threshold is
    between separable classes and not at the edge of one; any number of classes; weights; merging by
    exact class means. The reasons are in :doc:`/mathematics/fisher_subspace`.

    Merging, and `partial_fit`, are exact for "full" and "variance", but for thresholds, which are
    averaged, because the samples are gone. For "truncated" each part keeps twice the directions it
    whitens (once, where they are found by iteration), and what is beyond is cut off. Features whose
    spread is about 1e-7 of that of the largest count as constant. `merge` takes an
    :class:`OnlineFisherSubspaceClassifier` without a window, too.

    Time is O(n m min(n, m)), or O(n m d) where d is small; sparse data are centred implicitly. How
    often a Dask collection is read is said in :doc:`/user_guide/dask`.

    Examples
    --------
    >>> from centroidal import FisherSubspaceClassifier
    >>> from centroidal.datasets import make_spiked_classes
    >>> data = make_spiked_classes(random_state=0)
    >>> X_train, X_test = data.data[:300], data.data[300:]
    >>> y_train, y_test = data.target[:300], data.target[300:]
    >>> FisherSubspaceClassifier().fit(X_train, y_train).score(X_test, y_test) > 0.85
    True
    >>> means_only = FisherSubspaceClassifier(n_components=1).fit(X_train, y_train)
    >>> means_only.score(X_test, y_test) < 0.7
    True
    """

    _takes_dask = True
    _merges_with = MERGING

    def __init__(
        self,
        whitening: Whitening = "truncated",
        n_components: NComponents = None,
        *,
        scatter: Scatter = "total",
        threshold: Threshold = "inclusive",
        balance: float = 0.99,
        priors: Priors | ArrayLike = "uniform",
    ) -> None:
        self.whitening = whitening
        self.n_components = n_components
        self.scatter = scatter
        self.threshold = threshold
        self.balance = balance
        self.priors = priors

    @property
    def _recipe(self):
        return recipe_of(FisherRecipe, self)

    @property
    def _summary(self):
        return self._solution

    def _summary_of(self, part):
        return part._solution

    def _summarise(self, data):
        return solve_rows(self, self._recipe, data)

    def _merge_summaries(self, first, second):
        return merge_solutions(self._recipe, first, second)

    def _keep_summary(self, features, classes, summary):
        return self._keep(features, classes, summary, self.priors)

    def _check_mergeable(self, other):
        check_scatter(self, other)
        check_no_window(self, other)
        parts = self._solution, other._solution
        if self._recipe.n_pairs(2.0) is None and any(
            part.subspace.spectrum.is_cut for part in parts
        ):
            raise ValueError(
                f"whitening={self.whitening!r} with n_components={self.n_components!r} needs all "
                "directions of both parts, of which one kept only the leading ones."
            )
