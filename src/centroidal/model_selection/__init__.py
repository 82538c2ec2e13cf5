"""Many fits: paths over features, components or weights, the choice among them, comparison."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
