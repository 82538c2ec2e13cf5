"""The Fisher subspace in the span of the samples.

Equation map (:cite:t:`Rozza2010`):

    eq. (5.10)    centred kernel matrix        statistics/gram.py
    eq. (5.14)    Fisher direction             kernel_axes()
    section 5.2.1 retaining variance           whiten(), "variance", in fisher_subspace.py
    section 5.2.2 rest of the spectrum         whiten(), "truncated"
"""

import numpy as np

from .fisher_subspace import axes_of

__all__ = ["kernel_axes"]


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
