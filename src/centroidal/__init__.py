"""Classify and select features with class centers, for data with many features."""

from .classifiers import SparseCenterClassifier

__all__ = ["SparseCenterClassifier"]

__version__ = "0.1.0"
