"""Classify and select features with class centers, for data with many features."""

import lazy_loader

# Nothing is loaded before it is used: the command line starts without scikit-learn.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

__version__ = "0.1.0"
