"""The commands, a module each: its arguments and its work.

Each has a line of HELP, EXAMPLES, ``add_arguments(parser)`` and ``run(args, messages)``. They
import the library inside functions, so that help and mistakes are answered at once. `run` may
return an exit code of its own.
"""

from . import (
    app,
    audit,
    compare,
    completion,
    datasets,
    demo,
    evaluate,
    export,
    merge,
    predict,
    score,
    select,
    show,
    summarise,
)

__all__ = ["COMMANDS"]

# In the order of the help.
COMMANDS = {
    "demo": demo,
    "select": select,
    "audit": audit,
    "compare": compare,
    "predict": predict,
    "evaluate": evaluate,
    "show": show,
    "merge": merge,
    "summarise": summarise,
    "score": score,
    "export": export,
    "datasets": datasets,
    "app": app,
    "completion": completion,
}
