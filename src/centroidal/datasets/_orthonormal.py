"""Random orthonormal directions that the generators share."""

import numpy as np

__all__ = ["draw_orthonormal"]


def draw_orthonormal(n_directions, n_features, rng):
    """Draw orthonormal directions, every rotation of them being equally likely.

    Parameters
    ----------
    n_directions : int
        Number of directions, at most `n_features`.
    n_features : int
        Dimension of the space.
    rng : RandomState
        Source of randomness.

    Returns
    -------
    ndarray of shape (n_directions, n_features)
        One direction per row.
    """
    Q, R = np.linalg.qr(rng.normal(size=(n_features, n_directions)))
    # Without positive diagonal in R the signs would be those the LAPACK routine happens to choose.
    return (Q * np.copysign(1.0, np.diag(R))).T
