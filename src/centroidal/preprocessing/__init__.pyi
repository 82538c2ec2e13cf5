from .named_steps import named_steps
from .names import PREPROCESSING
from .spectra import savitzky_golay, standard_normal_variate

__all__ = [
    "PREPROCESSING",
    "named_steps",
    "savitzky_golay",
    "standard_normal_variate",
]
