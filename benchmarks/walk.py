"""How far a reader has to walk: ``python -m benchmarks.walk select T.csv --target class``.

Runs a command and follows it through the package: how many functions it enters, in how many
modules, and how often the walk, function after function in the order of their first call, goes back
from a room to one that imports it. Modules beside the rooms (checks, progress) and what runs while
a module is imported are not counted as steps.
"""

import sys
import threading
from pathlib import Path

import centroidal
from centroidal.cli.main import main

# From the command line down to the summaries, as the import contracts have them.
ROOMS = (
    "cli", "report", "inspection", "io", "model_selection", "streaming", "persistence",
    "classifiers", "feature_selection", "solvers", "statistics",
)  # fmt: skip
ROOT = Path(centroidal.__file__).parent


def follow(argv):
    """Return the code of each function that a command enters, in the order of the first calls."""
    entered = {}

    def note(frame, event, arg):
        code = frame.f_code
        if event != "call" or code in entered or not code.co_filename.startswith(str(ROOT)):
            return
        if not code.co_name.startswith("<") and not _is_importing(frame):
            entered[code] = None

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        main(argv)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return list(entered)


def _is_importing(frame):
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(str(ROOT)):
            return True
        frame = frame.f_back
    return False


def count_returns(entered):
    """Count how often the walk goes back to a room above."""
    rooms = [Path(code.co_filename).relative_to(ROOT).parts[0] for code in entered]
    places = [ROOMS.index(room) for room in rooms if room in ROOMS]
    return sum(later < earlier for earlier, later in zip(places, places[1:], strict=False))


if __name__ == "__main__":
    found = follow(sys.argv[1:])
    modules = {code.co_filename for code in found}
    print(
        f"{len(found)} functions in {len(modules)} modules, {count_returns(found)} returns to an "
        "earlier room",
        file=sys.stderr,
    )
