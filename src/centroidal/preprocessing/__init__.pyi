from .counts import normalise_total
from .names import PREPROCESSING
from .spectra import named_steps, savitzky_golay, standard_normal_variate
from .word_counter import WordCounter, WordHasher, WordWeights

__all__ = [
    "PREPROCESSING",
    "WordCounter",
    "WordHasher",
    "WordWeights",
    "named_steps",
    "normalise_total",
    "savitzky_golay",
    "standard_normal_variate",
]
