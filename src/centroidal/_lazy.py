"""Rooms whose public names load their module on first use: nobody waits for what is not used."""

import sys
from importlib import import_module
from types import ModuleType

__all__ = ["load_lazily"]


def load_lazily(room, modules):
    """Let a room load its public names when they are asked for.

    Parameters
    ----------
    room : str
        Name of the package.
    modules : dict
        For each of its modules the public names in it, in one text.
    """
    package = sys.modules[room]
    package._home = {name: module for module, names in modules.items() for name in names.split()}
    package.__class__ = _LazyRoom


class _LazyRoom(ModuleType):
    def __getattr__(self, name):
        if name not in self._home:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{self.__name__}.{self._home[name]}"), name)
        setattr(self, name, value)
        return value

    def __setattr__(self, name, value):
        # A module that is loaded does not take the place of the function it is named after.
        if name not in self._home or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __dir__(self):
        return sorted({*vars(self), *self._home})
