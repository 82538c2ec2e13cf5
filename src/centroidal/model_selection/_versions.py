"""Versions of what a result was computed with."""

import platform

import numpy as np
import scipy
import sklearn

__all__ = ["versions"]


def versions():
    """Return the versions of Python and the packages, by name."""
    from .. import __version__  # the package is not there yet while this module is imported

    return {
        "python": platform.python_version(),
        "centroidal": __version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
