"""Checkpoints of a long fit: a model file that also says how far it got, and on what."""

import re
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

from .._files import check_target, write_atomically
from .._plain import json_plain
from ..persistence.archive import read_members, read_tree, tree_members
from ..persistence.audit import UntrustedTypeError
from ..persistence.model_file import (
    ModelFile,
    errors_that_name,
    load_model,
    read_model_card,
)
from .request import list_values

__all__ = ["KEY", "Checkpoint", "Progress", "described", "recall", "stated"]

KEY = "fit_batches"  # under which the card of a model file holds the facts of a fit
_LAYOUT, _CARRIED = 3, "carried"
_WORDS = {KEY: "fit", "select_features": "selection"}  # whose facts a file holds
_KEYS = {"layout", "columns", "files", "parameters", "progress"}
_MAX_BYTES, _MAX_UNPACKED = 2**30, 4
# What checkpoints may take of the time: while the fit waits, and of a processor beside it. Nor are
# they written more often than is needed to lose no more than this when killed: disks wear out.
_SHARE = 0.005
_N_TIMED = 3  # writings of which the quickest counts: others may have waited for something else


class Progress(NamedTuple):
    """How far a fit has got: batches of rows and blocks of columns, and rows read."""

    n_done: int = 0
    n_rows: int = 0
    finished: bool = False

    @property
    def goes_on(self):
        """Whether it is neither the beginning nor the end."""
        return self.n_done > 0 and not self.finished


def described(estimator, parameters, batches, classes, **plan):
    """Say what a fit depends on, with what JSON has; `n_jobs` changes nothing and is left out."""
    identity = batches.identity
    return {
        "layout": _LAYOUT,
        "estimator": estimator,
        "parameters": json_plain(
            {name: parameters[name] for name in parameters if name != "n_jobs"}
        ),
        "classes": classes.tolist(),
        "target": batches.target,
        "batch_size": batches.batch_size,
        "format": identity.format,
        "columns": identity.columns,
        "files": identity.files,
        "times": [*identity.times],
        **plan,
    }


def stated(path, key):
    """Return what a file says that it depends on, None if it is not there or no checkpoint."""
    if path is None or not Path(path).exists():
        return None
    found = read_model_card(path, max_bytes=_room(path)).metadata.get(key)
    if not isinstance(found, dict) or not set(found) >= _KEYS or found["layout"] != _LAYOUT:
        return None
    times = found.setdefault("times", [])
    are_files = _is_list(found["files"], _is_file) and _is_list(times, _is_whole)
    return found if are_files else None


def _is_list(value, is_item):
    return isinstance(value, list) and all(map(is_item, value))


def _is_whole(value):
    return isinstance(value, int)


def _is_file(facts):
    kinds = (str, int, int | None)
    return isinstance(facts, list) and len(facts) == 3 and all(map(isinstance, facts, kinds))


def recall(batches, path, key):
    """Tell a reader what the file at a path says, so that it need not look at each of its own."""
    take_over = getattr(batches._reader, "recall", None)  # where there is anything to be spared
    found = stated(path, key)
    if take_over is not None and found is not None:
        take_over(found["files"], found["times"])


def _room(path):
    """Bytes that a file may hold: checkpoints are our own, and may be large."""
    return max(_MAX_BYTES, _MAX_UNPACKED * Path(path).stat().st_size)


class Checkpoint:
    """A file that a fit is written to as it goes on, and resumed from.

    A thread writes while the fit goes on; at the end of a with statement it is done.

    Parameters
    ----------
    path : str, path or None
        The file; None writes and reads nothing.
    every : int or None
        After how many steps it is written; None goes by the time that writing takes.
    facts : dict
        What the fit depends on, see `described`.
    key : str
        Under which name the facts stand on the card of the file.

    Attributes
    ----------
    carried : dict or list or None
        Arrays that an earlier run wrote besides the model, None if none.
    """

    carried = None

    def __init__(self, path, every, facts, *, key=KEY):
        self._path = None if path is None else check_target(path, ".skops", force=True)
        self._every, self._facts, self._key = every, facts, key
        self._n_waited, self._unchanged = 0, None
        self._begun = self._written = time.perf_counter()
        self._waited, self._beside = deque(maxlen=_N_TIMED), deque(maxlen=_N_TIMED)  # seconds
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="centroidal-checkpoint")
        self._writing = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._thread.shutdown()

    def begin(self, estimator):
        """Return the model and the progress of an earlier run, or write those of a new one.

        So that what cannot be written is known before any work.
        """
        if self._path is None:
            return estimator, Progress()
        self._remove_parts()
        if not self._path.exists():
            self._write_first(estimator)
            return estimator, Progress()
        progress = self._read_progress()
        model = load_model(self._path, max_bytes=_room(self._path))
        with errors_that_name(self._path), open(self._path, "rb") as stream:
            members = read_members(stream, _room(self._path), prefix=_CARRIED)
            self.carried = read_tree(_CARRIED, members)
        if "n_jobs" in estimator.get_params():
            model.set_params(n_jobs=estimator.get_params()["n_jobs"])
        self._written = time.perf_counter()
        return model, progress

    def is_due(self):
        """Count a step, and say whether it is time to write."""
        if self._path is None:
            return False
        self._n_waited += 1
        now = time.perf_counter()
        if self._every is None:
            is_ready = self._writing is None or self._writing.done()
            return is_ready and now - self._written >= self._pause(now)
        return self._n_waited >= self._every

    def _pause(self, now):
        """Seconds to let pass between two writings."""
        return max(
            min(self._waited, default=0.0) / _SHARE,
            min(self._beside, default=0.0) / _SHARE,
            (now - self._begun) * _SHARE,
        )

    def write(self, model, progress, carried=None):
        """Write the model, or what is carried instead of it so far, whole or not at all.

        The first time and the last time it is there when this returns. In between a thread writes
        while the fit goes on: of a model, which changes, a copy. With arrays in dicts and lists,
        which must not change any more, the model is as it was at the beginning.
        """
        if self._path is None:
            return
        start = time.perf_counter()
        self._wait()
        if progress.goes_on and carried is None:
            model = deepcopy(model)
        self._written = time.perf_counter()
        self._waited.append(self._written - start)
        self._n_waited = 0
        self._writing = self._thread.submit(self._write_beside, model, progress, carried)
        if not progress.goes_on:
            self._wait()

    def _write_beside(self, model, progress, carried):
        """Do what the fit does not wait for; only work counts that keeps a processor from it."""
        start = time.thread_time()
        write_atomically(self._path, self._content(model, progress, carried), force=True)
        self._beside.append(time.thread_time() - start)

    def _content(self, model, progress, carried):
        metadata = {self._key: {**self._facts, "progress": [*progress]}}
        more = {} if carried is None else tree_members(_CARRIED, carried)
        if carried is None or progress.finished:
            return ModelFile(model).content(metadata, more)
        self._unchanged = self._unchanged or ModelFile(model)
        return self._unchanged.content(metadata, more, compressed=False)

    def _wait(self):
        """Wait until what was written last is there; raise if it could not be."""
        if self._writing is not None:
            self._writing.result()

    def _write_first(self, estimator):
        try:
            self.write(estimator, Progress())
        except UntrustedTypeError as error:
            raise UntrustedTypeError(
                f"checkpoint={str(self._path)!r} must be None for this estimator: {error}"
            ) from None
        for seconds in (self._waited, self._beside):
            seconds.clear()  # nothing was found yet, and what writes was imported

    def _remove_parts(self):
        """Remove what a run left that was killed while it wrote."""
        pattern = re.compile(rf"\.{re.escape(self._path.name)}\.[0-9a-f]{{32}}\.part")
        for each in self._path.parent.glob(f".{_escaped(self._path.name)}.*.part"):
            if pattern.fullmatch(each.name):
                each.unlink(missing_ok=True)

    def _read_progress(self):
        found = stated(self._path, self._key)
        if found is None:
            raise ValueError(
                f"checkpoint={str(self._path)!r} exists and is no checkpoint that can be resumed; "
                "name another file."
            )
        progress = Progress(*found["progress"])
        differences = _differences(found, self._facts, progress)
        if differences:
            raise ValueError(
                f"checkpoint={str(self._path)!r} is of another {_WORDS[self._key]}: "
                f"{'; '.join(differences)}. "
                "Name another file, or remove this one to begin anew."
            )
        return progress


def _escaped(name):
    return re.sub(r"([*?\[])", r"[\1]", name)


def _differences(found, wanted, progress):
    """Say in words in what two fits differ."""
    apart = ("columns", "files", "parameters", "times")
    plain = ({key: facts[key] for key in facts if key not in apart} for facts in (found, wanted))
    words = _changed(*plain, left_out="progress")
    if found["columns"] != wanted["columns"]:
        words.append("the names or types of the columns differ")
    words += _changed(found["parameters"], wanted["parameters"])
    return words + _changed_files(found["files"], wanted["files"], progress)


def _changed(found, wanted, left_out=None):
    names = [name for name in {**wanted, **found} if found.get(name) != wanted.get(name)]
    return [
        f"{name} was {found.get(name)!r} and is {wanted.get(name)!r}"
        for name in names
        if name != left_out
    ]


def _changed_files(found, wanted, progress):
    """Compare the files that were read; those that follow may have been repaired or added."""
    if progress.n_done == 0:
        return []
    n_read = len(found)
    if not progress.finished and all(rows is not None for _, _, rows in found):
        n_before, n_read = 0, 0
        while n_read < len(found) and n_before < progress.n_rows:
            n_before += found[n_read][2]
            n_read += 1
        wanted = wanted[:n_read]
    found = found[:n_read]
    if found == wanted:
        return []
    old, new = ({name: rest for name, *rest in files} for files in (found, wanted))
    gone = [name for name in old if name not in new]
    added = [name for name in new if name not in old]
    changed = [
        f"{name!r} ({old[name][0]} bytes, now {new[name][0]})"
        for name in old
        if name in new and old[name] != new[name]
    ]
    words = [
        f"{word}: {list_values(names, quoted=quoted)}"
        for word, names, quoted in (
            ("files that are gone", gone, True),
            ("files that were not there", added, True),
            ("files that have changed", changed, False),
        )
        if names
    ]
    return words or ["the order of the files differs"]
