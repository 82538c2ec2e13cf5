from .named_steps import named_steps
from .names import PREPROCESSING
from .spectra import savitzky_golay, standard_normal_variate
from .word_counter import WordCounter, WordHasher
from .word_weights import WordWeights

__all__ = [
    "PREPROCESSING",
    "WordCounter",
    "WordHasher",
    "WordWeights",
    "named_steps",
    "savitzky_golay",
    "standard_normal_variate",
]
