"""Data to try things on: generators whose truth is known, and one table that ships with us."""

from ._expression import load_expression, make_expression
from ._outlier_classes import make_outlier_classes
from ._sentiment import make_word_counts

__all__ = ["load_expression", "make_expression", "make_outlier_classes", "make_word_counts"]
