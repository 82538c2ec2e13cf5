"""What to install for the optional parts, said once."""

from importlib import import_module


def require(module, extra, purpose):
    """Import `module`, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs {module}: pip install 'centroidal[{extra}]'."
        ) from error


def is_of_dask(value):
    """Whether the type of a value is one of Dask's, told without importing Dask."""
    rooms = {kind.__module__.partition(".")[0] for kind in type(value).__mro__}
    return not rooms.isdisjoint(("dask", "dask_expr", "distributed"))
