"""Can the number be believed? Evidence from doing all of it again."""

from typing import TYPE_CHECKING, Any

from .._parameters import check_count
from .._typing import ArrayLike
from .select import select_features

if TYPE_CHECKING:
    from .learning import LearningCurve
    from .permutation import PermutationTest

__all__ = ["learning_curve", "permutation_test"]


def permutation_test(
    X: ArrayLike, y: ArrayLike = None, *, n_permutations: int = 1000, **options: Any
) -> "PermutationTest":
    """Test whether a selection scores better than chance, by the whole selection with other labels.

    Labels are permuted again and again; each time folds are drawn, features ranked, their number
    chosen inside the folds and what was chosen is scored outside, as for the labels themselves. The
    p-value is the share of permutations, the labels among them, that score as well.

    Parameters
    ----------
    X : array-like, data frame, sparse matrix, Batches or Dask collection
        Samples, as :func:`select_features` takes them.
    y : array-like of shape (n_samples,) or str, default=None
        Class labels.
    n_permutations : int, default=1000
        How often. The smallest p-value is ``1 / (n_permutations + 1)``.
    **options : dict
        Those of :func:`select_features`: `method`, `groups`, `scoring` and so on. With
        ``permute_within="blocks"`` labels stay inside `blocks`; with ``stop_after=10`` it ends when
        10 permutations have scored as well; `n_jobs` permutations are done side by side, which
        changes nothing in the result.

    Returns
    -------
    PermutationTest
        The p-value, its interval, the score and those of all permutations, and a p-value for each
        feature.

    See Also
    --------
    select_features : Does the same with `n_permutations`, and tells what was selected.

    Notes
    -----
    **What is exchangeable.** Where all samples of a group have one label, labels of whole groups
    change places; where they have several, labels do inside each group.

    **Time.** For "l2" and dense data all training sets of a relabelling are solved and tested
    together, more than five times as fast as selecting again. Other methods, "recursive" among
    them, which "auto" takes for few dense samples, fit what enters the score, and no more; where
    `cv` is the fold of each sample, they share what training sets have in common whatever the
    labels are: standardised samples, and for "recursive" their inner products. Rows in batches or
    on workers are read twice for as many relabellings as fit in `memory`. Interrupted by Ctrl-C,
    the test is that of the permutations that are finished.

    Examples
    --------
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.model_selection import permutation_test
    >>> X, y = load_expression(return_X_y=True)
    >>> test = permutation_test(X, y, method="l2", n_permutations=99, random_state=0)
    >>> test.p_value, bool(test.null_scores.max() < test.score)
    (0.01, True)
    """
    check_count("n_permutations", n_permutations)
    return select_features(X, y, n_permutations=n_permutations, **options).permutations


def learning_curve(X: ArrayLike, y: ArrayLike = None, **options: Any) -> "LearningCurve":
    """Score the whole selection with fewer samples, and say what more of them would give.

    Samples of each class, or whole groups, are drawn: a quarter of them, a third and so on, each
    number ten times. From each draw features are selected and scored, folds, choice and all. Where
    the mean scores follow an inverse power law, it is extrapolated.

    Parameters
    ----------
    X : array-like, data frame, sparse matrix, Batches or Dask collection
        Samples, as :func:`select_features` takes them.
    y : array-like of shape (n_samples,) or str, default=None
        Class labels.
    **options : dict
        Those of :func:`select_features`: `method`, `groups`, `scoring` and so on.

    Returns
    -------
    LearningCurve
        Scores of all draws, and ``extrapolate(n_samples)``, which raises where no law holds.

    See Also
    --------
    sklearn.model_selection.learning_curve : Does so for an estimator that is given.

    Examples
    --------
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.model_selection import learning_curve
    >>> X, y = load_expression(return_X_y=True)
    >>> curve = learning_curve(X, y, method="l2", random_state=0)
    >>> curve.scores.shape, bool(curve.means[0] < curve.means[-1])
    ((10, 5), True)
    """
    found = select_features(X, y, learning_curve=True, **options).learning_curve
    if found is None:
        raise KeyboardInterrupt
    return found
