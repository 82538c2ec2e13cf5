"""95 % confidence intervals of nested scores.

Folds that share training samples are not independent, so that the spread of a score over folds
says too little about its error. Two estimates of that error are at hand: that of
:cite:t:`Nadeau2003`, and that of :cite:t:`Bates2024`, who compare what inner folds promise with
what the outer fold, which they have not seen, then shows. The larger one counts. It is that of
fewer independent samples than there are, and with the fewer the interval is that of Wilson, which
never has the width 0. Where a score is no mean over samples, or its inner folds were not asked, the
spread of resamples, of whole groups where there are groups, is widened by as much as the error of
accuracy.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.stats import t as student

from .methods import SCORES, plain_score
from .metrics import LOSSES, confusion_matrices, corrected_error, score_confusion

_Z = 1.959963984540054  # of a normal distribution, for 95 %
_N_DRAWS, _FEWEST_DRAWS, _N_DRAWN = 400, 50, 2**23  # resamples, and numbers that they may take
_ROUNDING = 1e-12  # scores that are the same up to it do not vary
DRAWN = ("f1_macro", "matthews_corrcoef")  # counted scores that are no means over samples
MOST_DRAWS = 50  # of a resample, until every class that has samples is in it
_N_AT_ONCE = 2**21  # weights of samples in memory for a block of resamples


class Outcome(NamedTuple):
    """What outer folds show of what their inner folds chose, and what these had promised."""

    outer: np.ndarray  # confusion matrix of each outer fold of all repeats
    inner: np.ndarray | None  # of its inner folds; None if nothing was chosen
    losses: np.ndarray | None  # of each outer fold, see `loss_moments`
    scoring: str
    costs: np.ndarray | None
    scores: np.ndarray  # by which something was chosen, of each outer fold
    promised: np.ndarray  # by its inner folds
    n_repeats: int  # how often all samples were cut into folds
    ratio: float  # number of test samples for each training sample

    @classmethod
    def of_folds(cls, outer, scoring, n_repeats, ratio, costs=None):
        """Return what is known of confusion matrices alone, where nothing was chosen."""
        scores = score_confusion(outer, scoring, costs)
        return cls(outer, None, None, scoring, costs, scores, scores, n_repeats, ratio)


class _Means(NamedTuple):
    """A mean over samples, in each fold, with the variance that independent samples give it."""

    means: np.ndarray
    variances: np.ndarray
    variance: float  # of the mean over all folds of a repeat
    promised: np.ndarray | None  # by inner folds
    top: float  # that a sample can have; infinite if there is none


def confidence_interval(outcome, name, value, *, units, effect=1.0, spread=None, seed=0):
    """Return the ends of the 95 % confidence interval of a metric.

    Parameters
    ----------
    outcome : Outcome
        What came out.
    name : str
        A key of `METRICS`.
    value : float
        What is to lie inside.
    units : int
        Number of samples, or of groups, that are independent; of the smallest class for metrics
        that rank samples.
    effect : float, default=1.0
        By how much groups raise the variance, see `design_effect`.
    spread : float or None, default=None
        Standard deviation of the metric over resamples of groups, for metrics that are no means
        over samples. None if it is not known: samples are drawn then, and `effect` widens it.
    seed : int, default=0
        For F1 and Matthews correlation, whose spread is found by drawing.
    """
    means = _means_of(name, outcome)
    excess = _excess(_means_of("accuracy", outcome), outcome, effect)
    if name in DRAWN:
        pooled = outcome.outer.sum(axis=0) / outcome.n_repeats
        alone = Kinds.of_samples(pooled).spread(name, seed)
        spread = np.sqrt(effect) * alone if spread is None else max(spread, alone)
        half = float(student_factor(units) * np.sqrt(excess) * spread)
        return max(value - half, -1.0), min(value + half, 1.0)
    if means is None:
        return _wilson_of_mean(value, (spread or 0.0) ** 2, units, excess)
    own = _excess(means, outcome, effect)
    excess = own if means.promised is not None else max(own, excess)
    alone = effect * means.variance
    if np.isfinite(means.top):
        ends = _wilson_of_mean(value / means.top, alone / means.top**2, units, excess)
        return tuple(means.top * end for end in ends)
    half = _Z * np.sqrt(alone * excess)
    return max(value - half, 0.0), value + half


def counted_intervals(predicted, codes, n_classes, units, seed=0, costs=None):
    """Return those of all counted scores of a model that was not trained on these samples.

    Parameters
    ----------
    predicted, codes : ndarray of int, shape (n_samples,)
        What is predicted, and what is true.
    n_classes : int
        Number of classes.
    units : ndarray of int, shape (n_samples,)
        Number of each sample, or of its group, from 0.
    seed : int, default=0
        For F1 and Matthews correlation, whose spread is found by drawing.
    costs : ndarray of shape (n_classes, n_classes), default=None
        What each prediction costs; the mean is then a score, too.
    """
    (confusion,) = confusion_matrices(predicted[None], codes, n_classes)
    is_right, n_units, kinds = predicted == codes, units.max() + 1, None
    effect = design_effect(is_right[None], units)
    if is_right.all() or not is_right.any():  # which says nothing of how alike groups are
        effect = is_right.size / n_units
    if n_units < is_right.size:
        kinds = Kinds.of_groups(predicted[None], codes, units, n_classes)
    intervals = {}
    for name in (*SCORES, *(() if costs is None else ("cost",))):
        scoring, is_drawn = "neg_cost" if name == "cost" else name, name in DRAWN
        outcome = Outcome.of_folds(
            confusion[None] / (1.0 if is_drawn else effect), scoring, 1, 0.0, costs
        )
        spread = kinds.spread(name, seed) if is_drawn and kinds is not None else None
        value = plain_score(float(score_confusion(confusion, scoring, costs)), scoring)
        intervals[name] = confidence_interval(
            outcome, name, value, units=n_units, spread=spread, seed=seed
        )
    return intervals


def _means_of(name, outcome):
    """Return a metric that is a mean over samples as such; None for others."""
    if name in LOSSES:
        return _means_of_losses(name, outcome)
    if name not in ("accuracy", "balanced_accuracy", "cost"):
        return None
    scoring, costs = "neg_cost" if name == "cost" else name, outcome.costs
    pooled = outcome.outer.sum(axis=0) / outcome.n_repeats
    return _Means(
        score_confusion(outcome.outer, scoring, costs),
        np.array([_variance(each, name, costs) for each in outcome.outer]),
        _variance(pooled, name, costs),
        None if outcome.inner is None else score_confusion(outcome.inner, scoring, costs),
        1.0 if costs is None or name != "cost" else float(costs.max()),
    )


def _means_of_losses(name, outcome):
    sums, squares = np.moveaxis(outcome.losses[:, LOSSES.index(name)], -1, 0)
    counts, n_classes = outcome.outer.sum(axis=(1, 2)), outcome.outer.shape[1]
    is_log, both = name == "log_loss", np.array([sums.sum(), squares.sum(), counts.sum()])
    if is_log:  # with two samples more, of which nothing is known, as Wilson has it
        unknown = np.log(n_classes)
        both = both + _Z**2 / 2.0 * outcome.n_repeats * np.array([unknown, unknown**2, 1.0])
    is_asked = outcome.scoring == f"neg_{name}" and outcome.inner is not None
    return _Means(
        sums / counts,
        _variance_of_mean(sums, squares, counts),
        float(_variance_of_mean(*both) * outcome.n_repeats),
        -outcome.promised if is_asked else None,
        np.inf if is_log else 1.0 if n_classes == 2 else 2.0,
    )


def _variance_of_mean(sums, squares, counts):
    return np.maximum(squares / counts - (sums / counts) ** 2, 0.0) / counts


def _excess(folds, outcome, effect):
    """Return by how much the error of a mean is more than that of independent samples."""
    alone = effect * folds.variance
    error = max([alone, *_squared_errors(folds, outcome, effect, alone)])
    return error / alone if alone > 0.0 else 1.0


def _squared_errors(folds, outcome, effect, alone):
    """Yield the two estimates of the squared error of a mean over samples."""
    if folds.means.size > 1:
        yield float(corrected_error(folds.means, outcome.ratio)) ** 2
    if folds.promised is None:
        return
    n_folds = folds.means.size // outcome.n_repeats
    promised = (folds.promised - folds.means) ** 2
    found = (n_folds - 1) / n_folds * (promised.mean() - effect * folds.variances.mean())
    yield float(np.clip(found, alone, n_folds * alone))


def _variance(confusion, name, costs):
    """Variance of the mean of what independent predictions are worth."""
    hits, counts = np.diagonal(confusion), confusion.sum(axis=1)
    if name == "cost":
        sums = (confusion * costs).sum(), (confusion * costs**2).sum()
        return float(_variance_of_mean(*sums, counts.sum()))
    if name == "accuracy":
        share = hits.sum() / counts.sum()
        return share * (1.0 - share) / counts.sum()
    occurs = counts > 0
    recalls = hits[occurs] / counts[occurs]
    return float((recalls * (1.0 - recalls) / counts[occurs]).sum() / occurs.sum() ** 2)


def _wilson_of_mean(share, variance, units, excess):
    """Return the interval of Wilson of a mean between 0 and 1 that has a variance."""
    n_alone = share * (1.0 - share) / variance if variance > 0.0 else units
    return _wilson(share, max(n_alone, 1.0) / excess)


def _wilson(share, number):
    scale = 1.0 + _Z**2 / number
    center = (share + _Z**2 / (2.0 * number)) / scale
    half = _Z / scale * np.sqrt(share * (1.0 - share) / number + _Z**2 / (4.0 * number**2))
    return max(float(center - half), 0.0), min(float(center + half), 1.0)


def fold_interval(scores, ratio, least=0.0):
    """Return the same of a mean of which only the scores of folds are known: that of Student.

    It reaches at least as far as `least` to either side, and has NaN for its ends if neither that
    nor the folds say how far off the mean may be.
    """
    half = least
    if len(scores) > 1:
        half = max(half, student.ppf(0.975, len(scores) - 1) * corrected_error(scores, ratio))
    if len(scores) == 0 or not half > _ROUNDING:
        return np.nan, np.nan
    return float(np.mean(scores) - half), float(np.mean(scores) + half)


def difference_interval(gaps, ratio, ahead, groups=None):
    """Return the 95 % confidence interval of the difference of two scores on the same folds.

    Parameters
    ----------
    gaps : ndarray of shape (n_folds,)
        Differences of the scores of the folds.
    ratio : float
        Number of test samples for each training sample.
    ahead : ndarray of shape (n_repeats, n_samples)
        1 where only the first recognised a sample, -1 where only the second did, 0 where both or
        none did, NaN where it was not tested. The interval is at least that of
        :cite:t:`Bonett2012` for the share of them, which has a width even if the two never differ.
    groups : ndarray of int, shape (n_samples,), default=None
        Groups of the samples, which widen it.
    """
    is_tested = ~np.isnan(ahead)
    number = np.count_nonzero(is_tested.any(axis=0))
    weight = number / max(1, is_tested.sum())  # of a prediction; a sample may have several
    shares = [(weight * (ahead == sign).sum() + 1.0) / (number + 2.0) for sign in (1.0, -1.0)]
    variance = (sum(shares) - (shares[0] - shares[1]) ** 2) / (number + 2.0)
    effect = 1.0 if groups is None else design_effect(ahead, groups)
    return fold_interval(gaps, ratio, _Z * np.sqrt(effect * variance))


def design_effect(values, groups):
    """Return by how much groups raise the variance of a mean; at least 1.

    Parameters
    ----------
    values : ndarray of shape (n_repeats, n_samples)
        What each sample adds to the mean, such as whether it was recognised; NaN for those that
        were not tested.
    groups : ndarray of int, shape (n_samples,)
        Their groups.
    """
    is_tested = ~np.isnan(values)
    numbers = np.maximum(is_tested.sum(axis=1, keepdims=True), 1)
    left = np.where(is_tested, values - np.nansum(values, axis=1, keepdims=True) / numbers, 0.0)
    together = np.array([np.bincount(groups, each) for each in left])
    alone, clustered = (left**2).sum(), (together**2).sum()
    return max(1.0, float(clustered / alone)) if alone > 0.0 else 1.0


class GroupHits(NamedTuple):
    """Sums over groups, of which some samples were recognised; those of parts add up."""

    hits: np.ndarray  # recognised samples, in each repeat
    squares: np.ndarray  # of the recognised samples of each group, in each repeat
    products: np.ndarray  # of these and all samples of each group, in each repeat
    n_samples: int
    size_squares: int  # of all samples of each group

    @property
    def design_effect(self):
        """By how much groups raise the variance of the share of recognised samples."""
        shares = self.hits / self.n_samples
        alone = (shares * (1.0 - shares)).sum() * self.n_samples
        clustered = self.squares - 2.0 * shares * self.products + shares**2 * self.size_squares
        return max(1.0, float(clustered.sum() / alone)) if alone > 0.0 else 1.0


# ------------------------------------------------------------------ resamples


class Kinds(NamedTuple):
    """Confusion matrices that samples or groups have, and how many have each.

    Samples or groups of the same kind need not be told apart when they are drawn with replacement,
    so that drawing them takes no longer for more of them.
    """

    matrices: sparse.csr_array  # a row of n_classes * n_classes counts for each kind
    numbers: np.ndarray

    @classmethod
    def of_samples(cls, confusion):
        """Return those of single samples, which a confusion matrix counts."""
        return cls._merge(sparse.eye_array(confusion.size, format="csr"), confusion.ravel())

    @classmethod
    def of_groups(cls, predicted, codes, groups, n_classes):
        """Return those of groups, by what is predicted of their samples in each repeat.

        `predicted` has a row a repeat, of -1 where a sample was not tested. Repeats are no further
        groups: each of them counts for a part.
        """
        n_groups, repeats = groups.max() + 1, np.arange(len(predicted))[:, None]
        is_tested, shape = predicted >= 0, (n_groups * len(predicted), n_classes**2)
        rows, cells = (groups + n_groups * repeats)[is_tested], codes * n_classes + predicted
        mine = sparse.coo_array((np.ones(rows.size), (rows, cells[is_tested])), shape).tocsr()
        mine, number = mine[np.unique(rows)], np.unique(rows % n_groups).size
        return cls._merge(mine, np.full(mine.shape[0], number / mine.shape[0]))

    @classmethod
    def _merge(cls, matrices, numbers):
        # Those with the same counts have the same sum of counts times random numbers.
        keys = matrices @ np.random.RandomState(0).random_sample(matrices.shape[1])
        _, first, kinds = np.unique(keys, return_index=True, return_inverse=True)
        return cls(matrices[first], np.bincount(kinds, numbers))

    def spread(self, name, seed):
        """Return the standard deviation of a score of confusion matrices over resamples.

        There are two samples or groups more of each class, of which nothing is known, as Wilson has
        it.
        """
        n_cells = self.matrices.shape[1]
        n_classes = int(np.sqrt(n_cells))
        counts = self.matrices @ np.repeat(np.eye(n_classes), n_classes, axis=0)
        occurs = np.maximum(self.numbers @ (counts > 0), 1.0)  # samples or groups with the class
        sizes = np.repeat(self.numbers @ counts / occurs, n_classes)
        matrices = sparse.vstack([self.matrices, sparse.diags_array(sizes)], format="csr")
        shares = np.append(self.numbers, np.full(n_cells, _Z**2 / 2.0 / n_classes))
        n_draws = max(_FEWEST_DRAWS, min(_N_DRAWS, _N_DRAWN // shares.size))
        rng, number = np.random.RandomState(seed), int(self.numbers.sum().round())
        drawn = rng.multinomial(number, shares / shares.sum(), n_draws) @ matrices
        return float(np.std(score_confusion(drawn.reshape(-1, n_classes, n_classes), name)))


def student_factor(n_units):
    """Return how many standard deviations over resamples of so many units 95 % are.

    Resamples of few vary less than samples do, and the tails are those of Student.
    """
    n_free = max(n_units - 1, 1)
    return float(np.sqrt(n_units / n_free) * student.ppf(0.975, n_free))


def linear_spread(influences, units):
    """Return the standard deviation over resamples, by how much each sample changes the score.

    Parameters
    ----------
    influences : ndarray of shape (n_samples,)
        Derivatives of a score by the weights of the samples.
    units : ndarray of int, shape (n_samples,)
        What is drawn with each sample: itself, or its group.
    """
    return float(np.sqrt((np.bincount(units, influences) ** 2).sum()))


def bootstrap_scores(score, codes, units, n_draws, rng):
    """Return the scores of resamples by name, a value for each.

    Parameters
    ----------
    score : callable
        Takes weights of the samples, a row for each resample; returns scores by name.
    codes, units : ndarray of int, shape (n_samples,)
        Class of each sample, and what is drawn with it: itself, or its group.
    n_draws : int
        Number of resamples; one without a class that there is is drawn again.
    rng : numpy.random.Generator
        What they are drawn by.
    """
    n_rows = max(1, _N_AT_ONCE // codes.size)
    sizes = [min(n_rows, n_draws - start) for start in range(0, n_draws, n_rows)]
    blocks = [score(_draw_weights(codes, units, rng, size)) for size in sizes]
    return {name: np.concatenate([each[name] for each in blocks]) for name in blocks[0]}


def _draw_weights(codes, units, rng, n_rows):
    """Draw how often each sample is in each resample; those that lack a class are drawn again."""
    _, places = np.unique(codes, return_inverse=True)
    members = sparse.csr_array((np.ones(codes.size), (np.arange(codes.size), places)))
    weights, rows, n_units = np.empty((n_rows, codes.size)), np.arange(n_rows), units.max() + 1
    for _ in range(MOST_DRAWS):
        drawn = rng.integers(n_units, size=(rows.size, n_units))
        drawn += n_units * np.arange(rows.size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=drawn.size)
        weights[rows] = counts.reshape(drawn.shape)[:, units]
        rows = rows[(weights[rows] @ members == 0.0).any(axis=1)]
        if not rows.size:
            break
    return weights
