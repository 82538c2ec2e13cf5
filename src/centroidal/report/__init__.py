"""The report: one HTML file that says what was found, how sure it is, and what to mind."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
