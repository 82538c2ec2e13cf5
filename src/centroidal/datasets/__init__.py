"""Data to try things on: generators whose truth is known, and one table that ships with us."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
