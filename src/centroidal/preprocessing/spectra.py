"""What is done to rows before features are ranked, such as taking away what instruments add."""

import numpy as np
from scipy.signal import savgol_filter
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer

from .._typing import ArrayLike, Columns, Floats
from .counts import normalise_total

__all__ = ["named_steps", "savitzky_golay", "standard_normal_variate"]


def standard_normal_variate(X: ArrayLike) -> Floats:
    """Give each row mean 0 and variance 1, so that offset and strength of a spectrum do not count.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Spectra in rows.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        The same, each row by itself; a row without variance becomes zero.

    Examples
    --------
    >>> from centroidal.preprocessing import standard_normal_variate
    >>> standard_normal_variate([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]).round(3).tolist()
    [[-1.225, 0.0, 1.225], [-1.225, 0.0, 1.225]]
    """
    X = np.asarray(X, dtype=float)
    deviations = X - X.mean(axis=1, keepdims=True)
    spread = np.sqrt((deviations**2).mean(axis=1, keepdims=True))
    # What rounding leaves of a row without variance must not become a spectrum.
    has_spread = spread > 1e-12 * np.abs(X).max(axis=1, initial=0.0, keepdims=True)
    return np.divide(deviations, spread, out=np.zeros_like(deviations), where=has_spread)


def savitzky_golay(
    X: ArrayLike, window_length: int = 11, polyorder: int = 2, deriv: int = 1
) -> Floats:
    """Smooth each row by polynomials in a moving window, and differentiate it.

    The first derivative does not know a constant baseline, the second no straight one; 0 only
    smooths. The work is done by :func:`scipy.signal.savgol_filter`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Spectra in rows, of neighbouring channels at equal distances.
    window_length : int, default=11
        Number of channels in a window, an odd number.
    polyorder : int, default=2
        Degree of the polynomials.
    deriv : int, default=1
        Which derivative.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        The same, each row by itself.

    Examples
    --------
    >>> import numpy as np
    >>> from centroidal.preprocessing import savitzky_golay
    >>> line = np.arange(12.0)
    >>> savitzky_golay([line, line + 5.0])[:, :3].round(6).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    X = np.asarray(X, dtype=float)
    if X.shape[1] < window_length:
        raise ValueError(
            f"window_length={window_length} must be at most the number of features, {X.shape[1]}."
        )
    return savgol_filter(X, window_length, polyorder, deriv, axis=1)


# ------------------------------------------------------------------ by name


def _by_function(function, **options):
    return FunctionTransformer(
        function, validate=True, feature_names_out="one-to-one", check_inverse=False, **options
    )


def _normalise(total="1e4"):
    try:
        target_sum = float(total)
    except ValueError:
        target_sum = np.nan
    if not 0 < target_sum < np.inf:
        raise ValueError(f"normalise={total} must be a total above 0, such as 1e4.")
    options = {"target_sum": target_sum}
    return _by_function(normalise_total, accept_sparse=True, kw_args=options)


_STEPS = {
    "log1p": lambda: _by_function(np.log1p, accept_sparse=True),
    "snv": lambda: _by_function(standard_normal_variate),
    "savgol": lambda: _by_function(savitzky_golay),
    "norm": Normalizer,
    "normalise": _normalise,
}


def named_steps(names: Columns) -> Pipeline:
    """Return a pipeline of steps that are named, in their order.

    Parameters
    ----------
    names : str or sequence of str
        Keys of the dict `PREPROCESSING`; several in one text are separated by commas. The total
        of rows may be said: ``"normalise=1e6,log1p"``, else it is 10,000.

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
    words = names.split(",") if isinstance(names, str) else list(names)
    asked = [word.partition("=") for word in words]
    for name, equals, _ in asked or [("", "", "")]:
        if name not in _STEPS or (equals and name != "normalise"):
            wrong = "".join([name, equals])
            raise ValueError(f"preprocess={wrong!r} must be among {', '.join(_STEPS)}.")
    if len({name for name, *_ in asked}) < len(asked):
        raise ValueError(f"preprocess={','.join(words)!r} names a step twice.")
    return Pipeline(
        [(name, _STEPS[name](*([value] if equals else []))) for name, equals, value in asked]
    )
