"""What is done to the rows of a table before features are ranked, by name."""

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer

from .spectra import savitzky_golay, standard_normal_variate

__all__ = ["named_steps"]


def _by_function(function, **options):
    return FunctionTransformer(
        function, validate=True, feature_names_out="one-to-one", check_inverse=False, **options
    )


_STEPS = {
    "log1p": lambda: _by_function(np.log1p, accept_sparse=True),
    "snv": lambda: _by_function(standard_normal_variate),
    "savgol": lambda: _by_function(savitzky_golay),
    "norm": Normalizer,
}


def named_steps(names):
    """Return a pipeline of steps that are named, in their order.

    Parameters
    ----------
    names : str or sequence of str
        Keys of the dict `PREPROCESSING`; several in one text are separated by commas.

    Returns
    -------
    Pipeline
        Not fitted; it keeps the columns, and learns nothing of them.

    Examples
    --------
    >>> from centroidal.preprocessing import named_steps
    >>> named_steps("log1p,norm").fit_transform([[0.0, 3.0], [0.0, 0.0]]).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    names = names.split(",") if isinstance(names, str) else list(names)
    unknown = [name for name in names if name not in _STEPS]
    if unknown or not names:
        wrong = unknown[0] if unknown else ""
        raise ValueError(f"preprocess={wrong!r} must be among {', '.join(_STEPS)}.")
    if len(set(names)) < len(names):
        raise ValueError(f"preprocess={','.join(names)!r} names a step twice.")
    return Pipeline([(name, _STEPS[name]()) for name in names])
