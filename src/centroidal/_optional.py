"""What to install for the optional parts, said once."""

from importlib import import_module

__all__ = ["require"]


def require(module, extra, purpose):
    """Import `module`, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs {module}: pip install 'centroidal[{extra}]'."
        ) from error
