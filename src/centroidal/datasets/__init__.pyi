from ._expression import load_expression, make_expression
from ._generators import (
    make_crossed_clusters,
    make_feature_blocks,
    make_mails,
    make_outlier_classes,
    make_random_clusters,
    make_spiked_classes,
    make_word_counts,
)
from ._recordings import make_event_responses
from ._spectra import make_spectra

__all__ = [
    "load_expression",
    "make_crossed_clusters",
    "make_event_responses",
    "make_expression",
    "make_feature_blocks",
    "make_mails",
    "make_outlier_classes",
    "make_random_clusters",
    "make_spectra",
    "make_spiked_classes",
    "make_word_counts",
]
