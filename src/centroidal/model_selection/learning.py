"""Would more samples help? The whole selection with fewer of them, and what that promises."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares

from .._plain import interval_text, score_text
from .._typing import Floats
from .methods import plain_score

__all__ = ["LearningCurve", "draw_fewer", "run_learning_curve", "score_draw"]

_STREAM = 11  # sets these random numbers apart from others of the same seed
_SHARES = (0.25, 0.35, 0.5, 0.7, 1.0)  # of the samples, or groups, that a selection is made from
_FEWEST = 3  # units of each class that folds and inner folds need
_N_DRAWS, _FEWEST_DRAWS, _N_BOOTSTRAPS = 10, 2, 200
_FARTHEST = 3.0  # how many times the samples there are may be extrapolated to
_STEEPEST = 2.0  # power by which an error can fall
_LEAST_SIZES = 4
_MOST_OFF = 2.0  # standard errors that a size may lie off the law, on average, if it is to hold
_TWO_SIDED = 1.96  # standard errors on either side of a 95 % interval


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve:
    """Score of the whole selection with fewer samples.

    Made by :func:`learning_curve`. Printing it shows what more samples would give.

    Attributes
    ----------
    n_samples : ndarray of shape (n_sizes,)
        Number of samples that were selected from, folds and all, on average where whole groups are
        drawn; the last are all samples.
    scores : ndarray of shape (n_draws, n_sizes)
        Score of the selection from each draw. The samples of a row are nested: the smaller numbers
        of them are among the larger ones.
    scoring : str
        What was scored by.
    law : ndarray of shape (3,), or None
        ``a, b, c`` of the inverse power law ``score = a - b * n_samples ** -c`` that fits the means
        of the scores; None if it does not hold.
    trouble : str or None
        Why it does not hold.
    """

    n_samples: np.ndarray
    scores: np.ndarray
    scoring: str
    law: np.ndarray | None
    trouble: str | None
    _laws: np.ndarray | None = None  # of resampled draws

    @property
    def means(self) -> Floats:
        """Mean score of each size."""
        return self.scores.mean(axis=0)

    @property
    def errors(self) -> Floats:
        """Standard deviation of the score over draws, for each size."""
        return self.scores.std(axis=0, ddof=1)

    def extrapolate(self, n_samples: int) -> tuple[float, float, float]:
        """Return the score that a selection from so many samples is expected to have.

        Parameters
        ----------
        n_samples : int
            At most three times as many as there are.

        Returns
        -------
        tuple of float
            The score, and the ends of its 95 % interval: of the law, over resampled draws, and for
            accuracies of the score itself, which is known from so many samples only.
        """
        if self.law is None:
            raise ValueError(f"the learning curve cannot be extrapolated: {self.trouble}.")
        most = int(_FARTHEST * self.n_samples[-1])
        if not 1 <= n_samples <= most:
            raise ValueError(f"n_samples={n_samples} must lie between 1 and {most}.")
        value, found = float(power_law(self.law, n_samples)), power_law(self._laws, n_samples)
        variance = np.var(found)
        if self._is_share:  # of samples, which are no more than there are
            variance += value * (1.0 - value) / self.n_samples[-1]
        step = _TWO_SIDED * np.sqrt(variance)
        most = 0.0 if self.scoring.startswith("neg_") else 1.0
        return value, float(value - step), float(min(value + step, most))

    @property
    def n_with_more(self) -> int:
        """Number of samples if there were half as many again."""
        return round(1.5 * float(self.n_samples[-1]))

    def summary(self) -> str:
        """Say what more samples would give."""
        interrupted = ""
        if len(self.scores) < _N_DRAWS:
            interrupted = f" It was interrupted after {len(self.scores)} of {_N_DRAWS} draws."
        if self.law is None:
            return f"What more samples would give is not known: {self.trouble}.{interrupted}"
        n_more = self.n_with_more - round(float(self.n_samples[-1]))
        expected, *ends = self.extrapolate(self.n_with_more)
        ends = sorted(plain_score(end, self.scoring) for end in ends)
        return (
            f"{n_more:,} more samples would give about {self._write(expected)} (95 % interval "
            f"{interval_text(ends, is_share=self._is_share)}); now it is "
            f"{self._write(self.means[-1])}.{interrupted}"
        )

    def _write(self, value):
        return score_text(plain_score(value, self.scoring), is_share=self._is_share)

    @property
    def _is_share(self):
        return self.scoring in ("accuracy", "balanced_accuracy")

    def __str__(self):
        rows = [
            f"{size:9.0f}  {self._write(mean):>8}"
            for size, mean in zip(self.n_samples, self.means, strict=True)
        ]
        return "\n".join([self.summary(), "", "  samples     score", *rows])

    __repr__ = __str__


def power_law(law, n_samples):
    """Score that a law, or each of several, gives for a number of samples."""
    a, b, c = np.moveaxis(np.asarray(law), -1, 0)
    return a - b * np.asarray(n_samples, dtype=float) ** -c


# ------------------------------------------------------------------ fewer samples


class _Draw(NamedTuple):
    """Samples to select from, and the seed of their folds."""

    rows: np.ndarray
    n_folds: int
    seed: int


def run_learning_curve(source, score_draws, scoring, n_folds):
    """Score the selection from some of the samples of a source, again and again.

    `score_draws` returns the score of what is selected from each of some draws, or of the first of
    them if it is interrupted. Two draws of all sizes are a curve; fewer are none.
    """
    draws = draw_fewer(source, n_folds)
    sizes = np.reshape([each.rows.size for each in draws], (_N_DRAWS, -1)).mean(axis=0)
    scores = score_draws(draws)
    n_draws = len(scores) // sizes.size
    if n_draws < _FEWEST_DRAWS:
        return None
    scores = np.reshape(scores[: n_draws * sizes.size], (n_draws, -1))
    law, trouble, laws = _fit_law(sizes, scores, source.seed)
    return LearningCurve(sizes, scores, scoring, law, trouble, laws)


def score_draw(run, source, draw):
    """Score what is selected from the samples of a draw."""
    return run(source.part(draw.rows, draw.seed), draw.n_folds)


def draw_fewer(source, n_folds):
    """Draw samples to select from, fewer and more of them, again and again."""
    return [each for number in range(_N_DRAWS) for each in _draw(source, n_folds, number)]


def _draw(source, n_folds, number):
    """Draw samples, or whole groups, of each class, more and more of them."""
    rng = np.random.default_rng((source.seed, _STREAM, number))
    codes, groups = source.row_labels
    units = np.arange(codes.size) if groups is None else groups
    # Groups in the order of the rows: however they are called, the same are drawn.
    first = np.sort(np.unique(units, return_index=True)[1])
    by_class = [rng.permutation(units[first][codes[first] == c]) for c in np.unique(codes[first])]
    found, before = [], None
    for share in _SHARES:
        counts = [int(np.ceil(share * mine.size)) for mine in by_class]
        if min(counts) >= _FEWEST and counts != before:
            before = counts
            taken = np.concatenate([mine[:n] for mine, n in zip(by_class, counts, strict=True)])
            rows = np.flatnonzero(np.isin(units, taken))
            found.append(_Draw(rows, min(n_folds, *counts), int(rng.integers(2**31 - 1))))
    return found


# ------------------------------------------------------------------ more samples


def _fit_law(sizes, scores, seed):
    """Return the law, None if it does not hold; why not; and the laws of resampled draws."""
    means, errors = scores.mean(axis=0), scores.std(axis=0, ddof=1) / np.sqrt(len(scores))
    errors = np.maximum(errors, 1e-3)
    if sizes.size < _LEAST_SIZES:
        return None, "there are too few samples to do with fewer", None
    if means[-1] - means[0] <= _TWO_SIDED * np.hypot(errors[0], errors[-1]):
        return None, "the score does not rise with the number of samples", None
    law = _fit(sizes, means, errors)
    off = np.abs(power_law(law, sizes) - means) / errors
    if off.mean() > _MOST_OFF:
        return None, "the scores do not follow an inverse power law", None
    rng = np.random.default_rng((seed, _STREAM))
    drawn = rng.integers(len(scores), size=(_N_BOOTSTRAPS, len(scores)))
    laws = [_fit(sizes, scores[rows].mean(axis=0), errors) for rows in drawn]
    return law, None, np.array(laws)


def _fit(sizes, means, errors):
    """Fit an inverse power law to means with errors; the score it tends to is no worse than any."""
    top, step = float(means.max()), float(np.ptp(means))
    most = max(1.0, top + step)

    def off(law):
        return (power_law(law, sizes / sizes[-1]) - means) / errors

    start = [min(top + 0.5 * step, most), max(step, 1e-6), 0.5]
    bounds = [top - 1e-9, 0.0, 0.05], [most + 1e-9, np.inf, _STEEPEST]
    a, b, c = least_squares(off, start, bounds=bounds).x
    return np.array([a, b * sizes[-1] ** c, c])  # for numbers, not shares, of samples
