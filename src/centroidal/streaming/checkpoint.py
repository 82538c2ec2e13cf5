"""Checkpoints of a long run: a model file that also says how far it got, and on what."""

import re
import time
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._files import FileLock, check_target, write_atomically
from .._plain import json_plain
from ..persistence.archive import read_members, read_tree, tree_members
from ..persistence.audit import UntrustedTypeError
from ..persistence.model_file import (
    errors_that_name,
    load_model,
    model_file_content,
    read_model_card,
)
from .pieces import FileFacts
from .request import list_differences

FIT = "fit_batches"  # under which the card of a model file holds the manifest of a fit
_LAYOUT, _STATE = 6, "state"
_NOUNS = {FIT: "fit", "select_features": "selection"}  # whose manifest a file holds
_KEYS = {"layout", "columns", "files", "parameters", "progress"}
_MAX_BYTES, _MAX_UNPACKED = 2**30, 4
_SECONDS = 10.0  # between two checkpoints


class Progress(NamedTuple):
    """How far a run has got: batches of rows and blocks of columns, and rows read."""

    n_done: int = 0
    n_rows: int = 0
    finished: bool = False


def manifest_of(estimator, parameters, batches, classes, **plan):
    """Say what a run depends on, with what JSON has; `n_jobs` changes nothing and is left out."""
    fingerprint = batches.fingerprint
    return {
        "layout": _LAYOUT,
        "estimator": estimator,
        "parameters": json_plain(
            {name: parameters[name] for name in parameters if name != "n_jobs"}
        ),
        "classes": classes.tolist(),
        "target": batches.target,
        "batch_size": batches.batch_size,
        "format": fingerprint.format,
        "columns": fingerprint.columns,
        "files": [[*facts] for facts in fingerprint.files],
        **plan,
    }


def read_manifest(path, key):
    """Return the manifest that a file holds, None if it is not there or no checkpoint."""
    if path is None or not Path(path).exists():
        return None
    found = read_model_card(path, max_bytes=_max_bytes(path)).metadata.get(key)
    if not isinstance(found, dict) or not set(found) >= _KEYS or found["layout"] != _LAYOUT:
        return None
    are_files = isinstance(found["files"], list) and all(map(_is_file, found["files"]))
    return found if are_files else None


def _is_file(facts):
    kinds = (str, int, int | None, int, str)
    is_list = isinstance(facts, list) and len(facts) == len(kinds)
    return is_list and all(map(isinstance, facts, kinds))


def _max_bytes(path):
    """Bytes that a file may hold: checkpoints are our own, and may be large."""
    return max(_MAX_BYTES, _MAX_UNPACKED * Path(path).stat().st_size)


class Checkpoint:
    """A file that a run is written to as it goes on, and resumed from.

    Parameters
    ----------
    path : str, path or None
        The file; None writes and reads nothing.
    every : int or None
        After how many steps it is written; None writes it every 10 seconds.
    manifest : dict
        What the run depends on, see `manifest_of`.
    key : str
        Under which name the manifest stands on the card of the file.

    Attributes
    ----------
    state : dict or list or None
        Arrays that an earlier run wrote besides the model, None if none.
    """

    state = None

    def __init__(self, path, every, manifest, *, key=FIT):
        self._path = None if path is None else check_target(path, ".skops", force=True)
        self._every, self._manifest, self._key = every, manifest, key
        self._n_steps, self._written = 0, time.monotonic()
        self._lock = None

    @contextmanager
    def hold(self):
        """Return a context in which the file is this run's own: it is let go if something fails.

        It is, too, when the run is finished.
        """
        try:
            yield
        except BaseException:
            self._release()
            raise

    def _release(self):
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def errors_that_name(self):
        """Return a context in which what is wrong with the arrays is said of the file."""
        return errors_that_name(self._path)

    def begin(self, estimator, n_features):
        """Return the model and the progress of an earlier run, or write those of a new one.

        So that what cannot be written is known before any work.
        """
        if self._path is None:
            return estimator, Progress()
        self._take_lock()
        self._remove_parts()
        if not self._path.exists():
            self._write_first(estimator)
            return estimator, Progress()
        progress = self._read_progress()
        if progress.finished:
            self._release()
        model = load_model(self._path, max_bytes=_max_bytes(self._path))
        with errors_that_name(self._path), open(self._path, "rb") as stream:
            members = read_members(stream, _max_bytes(self._path), prefix=_STATE)
            self.state = read_tree(_STATE, members)
            self._check_model(model, estimator, n_features)
            if progress.n_done and self.state is None and not hasattr(model, "classes_"):
                raise ValueError("it holds nothing of the batches that were read")
        if "n_jobs" in estimator.get_params():
            model.set_params(n_jobs=estimator.get_params()["n_jobs"])
        return model, progress

    def _check_model(self, model, estimator, n_features):
        """Raise unless the model is what the manifest says it is."""
        if type(model) is not type(estimator):
            raise ValueError(f"it holds a {type(model).__name__}")
        if getattr(model, "n_features_in_", n_features) != n_features:
            raise ValueError(f"its model has {model.n_features_in_} features, not {n_features}")
        classes = self._manifest["classes"]
        if getattr(model, "classes_", np.array(classes)).tolist() != classes:
            raise ValueError("its model has other classes")

    def is_due(self):
        """Count a step, and say whether it is time to write."""
        self._n_steps += 1
        if self._path is None:
            return False
        if self._every is None:
            return time.monotonic() - self._written >= _SECONDS
        return self._n_steps >= self._every

    def write(self, model, progress, state=None):
        """Write the model, and arrays in dicts and lists beside it, in one atomic step."""
        if self._path is None:
            return
        metadata = {self._key: {**self._manifest, "progress": [*progress]}}
        members = {} if state is None else tree_members(_STATE, state)
        write_atomically(self._path, model_file_content(model, metadata, members), force=True)
        self._n_steps, self._written = 0, time.monotonic()
        if progress.finished:
            self._release()

    def _take_lock(self):
        try:
            self._lock = FileLock(self._path)
        except BlockingIOError as error:
            raise BlockingIOError(
                f"checkpoint={str(self._path)!r}: {error} Wait until it ends, or name another file."
            ) from None

    def _write_first(self, estimator):
        try:
            self.write(estimator, Progress())
        except UntrustedTypeError as error:
            raise UntrustedTypeError(
                f"checkpoint={str(self._path)!r} must be None for this estimator: {error}"
            ) from None

    def _remove_parts(self):
        """Remove what a run left that was killed while it wrote."""
        pattern = re.compile(rf"\.{re.escape(self._path.name)}\.[0-9a-f]{{32}}\.part")
        for each in self._path.parent.iterdir():
            if pattern.fullmatch(each.name):
                each.unlink(missing_ok=True)

    def _read_progress(self):
        found = read_manifest(self._path, self._key)
        if found is None:
            raise ValueError(
                f"checkpoint={str(self._path)!r} exists and is no checkpoint that can be resumed; "
                "name another file."
            )
        with errors_that_name(self._path):
            progress = _check_progress(found["progress"])
        differences = _differences(found, self._manifest, progress)
        if differences:
            raise ValueError(
                f"checkpoint={str(self._path)!r} is of another {_NOUNS[self._key]}: "
                f"{'; '.join(differences)}. "
                "Name another file, or remove this one to begin anew."
            )
        return progress


def _check_progress(found):
    """Return what a file says of its progress, if that can be."""
    kinds = (int, int, bool)
    if not isinstance(found, list) or [type(each) for each in found] != [*kinds]:
        raise ValueError(f"progress={found!r} must be two whole numbers and a bool")
    if min(found) < 0:
        raise ValueError(f"progress={found!r} must not be negative")
    return Progress(*found)


def _differences(found, wanted, progress):
    """Say in words in what two manifests differ."""
    apart = ("columns", "files", "parameters", "progress")
    plain = ({key: each[key] for key in each if key not in apart} for each in (found, wanted))
    words = _list_changes(*plain)
    if found["columns"] != wanted["columns"]:
        words.append("the names or types of the columns differ")
    words += _list_changes(found["parameters"], wanted["parameters"])
    return words + _changed_files(found["files"], wanted["files"], progress)


def _list_changes(found, wanted):
    return [
        f"{name} was {found.get(name)!r} and is {wanted.get(name)!r}"
        for name in {**wanted, **found}
        if found.get(name) != wanted.get(name)
    ]


def _changed_files(found, wanted, progress):
    """Compare the files that were read; those that follow may have been repaired or added."""
    if progress.n_done == 0:
        return []
    found, wanted = ([FileFacts(*facts) for facts in files] for files in (found, wanted))
    if not progress.finished and all(facts.n_rows is not None for facts in found):
        n_read = _n_files_read(found, progress.n_rows)
        found, wanted = found[:n_read], wanted[:n_read]
    if found == wanted:
        return []
    old, new = ({facts.name: facts for facts in files} for files in (found, wanted))
    changed = [
        f"{name!r} ({_say_change(old[name], new[name])})"
        for name in old
        if name in new and old[name] != new[name]
    ]
    words = list_differences(
        ("files that are gone", [name for name in old if name not in new], True),
        ("files that were not there", [name for name in new if name not in old], True),
        ("files that have changed", changed, False),
    )
    return words or ["the order of the files differs"]


def _say_change(old, new):
    if old.size != new.size:
        return f"{old.size} bytes, now {new.size}"
    return "other bytes" if old.digest != new.digest else "written again, not all is compared"


def _n_files_read(files, n_rows):
    """Return how many files the first so many rows are of."""
    n_read = 0
    while n_read < len(files) and n_rows > 0:
        n_rows -= files[n_read].n_rows
        n_read += 1
    return n_read
