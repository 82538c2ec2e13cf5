"""Data to try things on: generators whose truth is known, and one table that ships with us."""

from ._crossed_clusters import make_crossed_clusters
from ._expression import load_expression, make_expression
from ._feature_blocks import make_feature_blocks
from ._outlier_classes import make_outlier_classes
from ._random_clusters import make_random_clusters
from ._sentiment import make_word_counts
from ._spiked_classes import make_spiked_classes

__all__ = [
    "load_expression",
    "make_crossed_clusters",
    "make_expression",
    "make_feature_blocks",
    "make_outlier_classes",
    "make_random_clusters",
    "make_spiked_classes",
    "make_word_counts",
]
