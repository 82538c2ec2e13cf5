"""How columns go together inside the classes: products of residuals of unit length."""

import numpy as np
from scipy.sparse import issparse

from .class_moments import class_moments

_CONSTANT = 1e-12  # a spread inside the classes below this share of the values is rounding


def unit_residuals(X, codes, n_classes):
    """Columns minus their class means, of unit length; zero for one without spread in the classes.

    The product of two of them is their correlation inside the classes. They are made dense, so the
    columns should be few.
    """
    moments = class_moments(X, codes, n_classes)
    rows = X.toarray() if issparse(X) else np.asarray(X, dtype=float)
    found = rows - moments.means[codes]
    lengths = np.sqrt(np.einsum("ij,ij->j", found, found))
    sizes = np.abs(rows).max(axis=0, initial=0.0) * np.sqrt(codes.size)
    found[:, lengths <= _CONSTANT * sizes] = 0.0
    return found / np.where(lengths > 0.0, lengths, 1.0)
