"""A kernel matrix of labelled samples, centred, and what the Fisher-subspace methods need of it."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.lapack import dpocon

from .. import _state as state
from .class_moments import class_weights
from .spectrum import Spectrum, matrix_spectrum
from .threads import with_limited_blas

# Share of the largest entry, for each unit of weight, below which an eigenvalue is rounding: those
# above are known to six digits, however large the part of the matrix that centring takes off.
_ROUNDING = 1e-10


class GramSummary(NamedTuple):
    """Class means in the feature space of a kernel, and the scatter of all samples there.

    Vectors of that space are combinations of samples, centred and times the root of their weight;
    their *image* holds the inner products with these.
    """

    counts: np.ndarray  # (n_classes,): sum of the sample weights of each class
    means: np.ndarray  # (n_classes, n_samples): class means minus the common mean, as combinations
    images: np.ndarray  # (n_classes, n_samples): images of the class means
    # Of the centred Gram matrix; None where the means were whitened without it.
    spectrum: Spectrum | None
    # (n_classes, n_samples): means times the inverse of the Gram matrix, where it was found by a
    # factorisation.
    whitened: np.ndarray | None
    row_means: np.ndarray  # (n_samples,): mean of each row of the kernel matrix

    _state = {
        "counts": state.counts("classes"),
        "means": state.floats("classes", "rows"),
        "images": state.floats("classes", "rows"),
        "spectrum": state.optional(state.part(Spectrum, features="rows")),
        "whitened": state.optional(state.floats("classes", "rows")),
        "row_means": state.floats("rows"),
    }


@with_limited_blas(lambda kernel_matrix, *_: kernel_matrix.shape)
def gram_summary(kernel_matrix, codes, n_classes, weights, n_pairs=None, *, invert=False):
    """Centre a kernel matrix, which is overwritten, and decompose it.

    All pairs, or the `n_pairs` largest; with `invert`, if the matrix is regular, a Cholesky
    factorisation instead, which takes a fraction of the time.
    """
    roots, total = np.sqrt(weights), weights.sum()
    # Entries are rounded before the common mean is taken off, which may be most of them.
    floor = _ROUNDING * total * max(kernel_matrix.max(), -kernel_matrix.min())
    row_means = kernel_matrix @ weights / total
    gram = kernel_matrix
    gram -= row_means
    gram -= (row_means - weights @ row_means / total)[:, None]
    gram *= roots
    gram *= roots[:, None]
    counts = class_weights(codes, n_classes, weights)
    means = np.zeros((n_classes, codes.size))
    means[codes, np.arange(codes.size)] = 1.0
    means = roots * (means / np.where(counts > 0, counts, 1.0)[:, None] - 1.0 / total)
    images = means @ gram
    whitened = _whiten_means(gram, roots, means, floor) if invert else None
    found = None
    if whitened is None:
        found = matrix_spectrum(gram, n_pairs)
        found = found.keep_leading(np.count_nonzero(found.values > floor))
    return GramSummary(counts, means, images, found, whitened, row_means)


def _whiten_means(gram, roots, means, floor):
    """Means times the inverse of the Gram matrix; None if it is singular but for the mean."""
    size = gram.shape[0]
    level = gram.trace() / max(size - 1, 1)
    if level <= 0.0:
        return None
    # Along the roots of the weights the centred matrix is zero, and the means have no part.
    filled = gram + level / (roots @ roots) * np.outer(roots, roots)
    norm = np.abs(filled).sum(axis=0).max()
    try:
        factor = cho_factor(filled, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    condition, _ = dpocon(factor[0], norm, uplo="L" if factor[1] else "U")
    if condition * norm <= floor:
        return None
    return cho_solve(factor, means.T, check_finite=False).T
