"""Whitening along a few directions, the Fisher axes it gives, and linear rules on them.

Equation map (:cite:t:`Rozza2010`):

    eq. (3.15)  whitening                          whiten(), "full"
    eq. (3.23)  whitening that retains variance    whiten(), "variance"
    eq. (4.6)   partial whitening                  whiten(), "truncated"
    eq. (4.8)   Fisher direction w = W W (a - b)   fisher_axes()
    section 6.2 Fisher subspace of many classes    fisher_axes()
    section 4.3 threshold                          cut_line(), in thresholds.py
    eq. (5.14)  Fisher direction with a kernel     kernel_axes(); sections 5.2.1 and 5.2.2 are
                                                   whiten(), "variance" and "truncated"

Every transform is :math:`W^2 = c I + U (G - c I) U^T` with the leading directions U of the scatter,
so that it is applied in two thin products and no features-by-features matrix exists.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr

from .. import _state as state
from ..statistics.threads import with_limited_blas
from .thresholds import place_threshold

_ROUNDING = 1e-12
_EQUAL = 1e-9  # separations that differ by less are the same
_LEAST_SPREAD = 1e-6  # of a class, as a share of the distance of centers, to keep odds finite


class SquaredWhitening(NamedTuple):
    """The map ``W @ W``: `gains` along the columns of `vectors`, `rest` across them."""

    vectors: np.ndarray
    gains: np.ndarray
    rest: float

    def apply(self, rows):
        """Transform the rows of an array."""
        along = (rows @ self.vectors) * (self.gains - self.rest)
        return self.rest * rows + along @ self.vectors.T


def log2_rule(n_samples):
    """Return the number of components that the thesis whitens, section 4.3."""
    return int(np.log2(max(n_samples, 2.0)) ** 2)


def count_components(wanted, spectrum):
    """How many components a number, or a share of the variance, stands for."""
    rank = spectrum.values.size
    if isinstance(wanted, float):
        shares = np.cumsum(spectrum.values) / spectrum.values.sum()
        wanted = np.argmax(shares >= wanted - _ROUNDING) + 1 if rank > 0 and wanted < 1 else rank
    return int(min(wanted, rank))


def whiten(spectrum, kind, n_components, n_samples):
    """Solve for the squared whitening transform.

    "full" and "variance" give unit variance along the components and nothing across them; the
    inverse is a pseudo-inverse. "truncated" brings the components down to the variance of the last
    of them and leaves what is across them as it is.
    """
    kept = spectrum.keep_leading(n_components)
    if kind == "truncated":
        gains = kept.values[-1] / kept.values if kept.values.size else kept.values
        return SquaredWhitening(kept.vectors, gains, 1.0)
    return SquaredWhitening(kept.vectors, n_samples / kept.values, 0.0)


class FisherAxes(NamedTuple):
    """Axes on which centred samples are projected, and where class centers fall on them."""

    axes: np.ndarray
    centers: np.ndarray


@with_limited_blas(lambda whitening, *_: whitening.vectors.shape)
def fisher_axes(whitening, counts, means):
    """Axes of the subspace that the whitened class means span, eq. (4.8) and section 6.2.

    `means` are relative to the overall mean. The axes are orthonormal after whitening and ordered
    by how far apart the classes are along them.
    """
    weighted = np.sqrt(counts)[:, None] * means
    contrasts = whitening.apply(weighted)
    return axes_of(contrasts, contrasts @ weighted.T, counts)


def axes_of(contrasts, between, counts):
    """Axes from whitened-twice class means (rows) and their inner products with the means."""
    values, vectors = np.linalg.eigh((between + between.T) / 2.0)
    values, vectors = values[::-1], vectors[:, ::-1]
    n_real = np.count_nonzero(values > _ROUNDING * np.abs(values).max())
    n_axes = min(n_real, counts.size - 1)
    values, vectors = values[:n_axes], _settle(values[:n_axes], vectors[:, :n_axes])
    centers = vectors * np.sqrt(values) / np.sqrt(counts)[:, None]
    return FisherAxes(contrasts.T @ (vectors / np.sqrt(values)), centers)


def _settle(values, vectors):
    """Make eigenvectors unique: fix the signs, and turn those of equal values to a standard form.

    The last class is on the positive side, or the class farthest out if the last is in the middle.
    """
    vectors = vectors.copy()
    ends = np.flatnonzero(np.diff(values, append=0.0) < -_EQUAL * values.max(initial=0.0)) + 1
    start = 0
    for end in ends:
        if end - start > 1:
            turn, _ = qr(vectors[:, start:end].T)
            vectors[:, start:end] = vectors[:, start:end] @ turn
        start = end
    farthest = np.argmax(np.abs(vectors), axis=0)
    reach = vectors[farthest, range(values.size)]
    leading = np.where(np.abs(vectors[-1]) > _EQUAL * np.abs(reach), vectors[-1], reach)
    return vectors * np.where(leading < 0, -1.0, 1.0)


class LinearRule(NamedTuple):
    """Log-odds ``coordinates @ slopes + offsets``: one column for two classes, else one a class."""

    slopes: np.ndarray
    offsets: np.ndarray
    threshold: float = np.nan

    _state = {
        "slopes": state.floats("axes", state.scores),
        "offsets": state.floats(state.scores, infinite=True),
        "threshold": state.number(nan=True),
    }


def cut_line(line, rule, balance):
    """Cut projections of two classes, which are in memory or in blocks, where a rule says."""
    threshold = place_threshold(rule, line, balance)
    means, variances, shares = line.spreads()
    return cut_at(threshold, means[1] - means[0], shares @ variances / shares.sum())


def cut_at(threshold, distance, variance):
    """Log-odds of two normal distributions of one variance, moved so that they are 0 at a point."""
    slope = distance / max(variance, (_LEAST_SPREAD * distance) ** 2)
    return LinearRule(np.array([[slope]]), np.array([-slope * threshold]), threshold)


def covariance_inside(coordinates, codes, weights, centers):
    """Pooled covariance of the coordinates around the centers of their classes."""
    return scatter_inside(coordinates, codes, weights, centers) / weights.sum()


def scatter_inside(coordinates, codes, weights, centers):
    """Sum of what the samples add to the covariance, so that parts of them can be added."""
    residuals = coordinates - centers[codes]
    return (residuals.T * weights) @ residuals


def choose_between(centers, within, log_priors):
    """Linear discriminants of normal classes with one covariance, in Fisher coordinates.

    The covariance is that inside the classes: whitening of all samples together has the right
    span, but not the right metric.
    """
    spreads, turn = np.linalg.eigh(within)
    turned = centers @ turn
    farthest = (centers**2).sum(axis=1).max()
    precise = turned / np.maximum(spreads, _LEAST_SPREAD**2 * farthest)
    slopes = turn @ precise.T
    offsets = log_priors - 0.5 * np.einsum("ij,ij->i", turned, precise)
    if len(centers) != 2:
        return LinearRule(slopes, offsets)
    slope, offset = slopes[:, 1:] - slopes[:, :1], offsets[1:] - offsets[:1]
    threshold = -offset[0] / slope[0, 0] if slope.size else np.nan
    return LinearRule(slope, offset, threshold)


def kernel_axes(summary, whitening):
    """Axes as combinations of the samples, their images, and where class centers fall on them.

    Classes without samples are left out. Without a `whitening`, the means were whitened by the
    inverse of the Gram matrix.
    """
    seen = summary.counts > 0
    counts = summary.counts[seen]
    roots = np.sqrt(counts)[:, None]
    means, images = roots * summary.means[seen], roots * summary.images[seen]
    if whitening is None:
        total = counts.sum()
        whitened, images_whitened = total * roots * summary.whitened[seen], total * means
    else:
        whitened = whitening.apply(means)
        # The Gram matrix stretches its eigenvectors by the eigenvalues.
        values = summary.spectrum.values[: whitening.gains.size]
        along = (means @ whitening.vectors) * ((whitening.gains - whitening.rest) * values)
        images_whitened = whitening.rest * images + along @ whitening.vectors.T
    both = np.hstack([whitened, images_whitened])
    fisher = axes_of(both, whitened @ images.T, counts)
    axes, axis_images = np.split(fisher.axes, 2)
    return axes, axis_images, fisher.centers
