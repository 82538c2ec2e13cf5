"""A log of what a command does: an event a line, as JSON, while it happens."""

import json
import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime

from .. import __version__
from .messages import WorkError

_NO_OPTIONS = ("argv", "failures", "answer")
_SECONDS_BETWEEN = 0.2  # steps of progress, of which there may be many


class Log:
    """Appends events to a file; without one it does nothing.

    Each is an object with `time` (UTC), `seconds` since the start, and `event`: start, with all
    options, stage, with its `duration` when it is done, note, warning, progress, result, error or
    end. A disk that is full ends the log, not the work.
    """

    def __init__(self, path=None):
        self._begun, self._last_step = time.monotonic(), 0.0
        try:
            self._stream = None if path is None else open(path, "ab", 0)  # noqa: SIM115
        except OSError as error:
            raise WorkError(f"--log {path} could not be opened: {error.strerror}.") from error

    def start(self, argv, options):
        """Say which command begins, and with which options, those that were not given included."""
        options = {name: value for name, value in options.items() if name not in _NO_OPTIONS}
        self.write("start", argv=argv, version=__version__, options=options)

    @contextmanager
    def stage(self, what):
        """Say that a part of the work begins, and how long it took."""
        self.write("stage", what=what)
        begun = time.monotonic()
        yield
        self.write("stage", what=what, duration=round(time.monotonic() - begun, 3))

    def error(self, error, text=None):
        """Say what went wrong."""
        kind = None if error is None else type(error.__cause__ or error).__name__
        self.write("error", type=kind, text=str(error) if text is None else str(text))

    def progress(self, n_done, n_steps, what):
        """Say how far the work is, a few times a second at most, and when it is done."""
        now = time.monotonic()
        if n_done == n_steps or now - self._last_step > _SECONDS_BETWEEN:
            self._last_step = now
            self.write("progress", n_done=n_done, n_steps=n_steps, what=str(what))

    def result(self, answer):
        """Tell the answer, as ``--json`` prints it, if there is one."""
        if answer is not None and self._stream is not None:
            from .._plain import json_plain

            self.write("result", answer=json_plain(answer, finite=True))

    def end(self, code):
        """Say how the command ended."""
        self.write("end", code=code)
        if self._stream is not None:
            self._stream.close()

    def write(self, event, **values):
        """Append an event."""
        if self._stream is None:
            return
        seconds = round(time.monotonic() - self._begun, 3)
        line = {"time": datetime.now(UTC).isoformat(), "seconds": seconds, "event": event, **values}
        try:
            self._stream.write(json.dumps(line, default=str).encode() + b"\n")
        except OSError as error:
            print(f"centroidal: --log was ended: {error.strerror}.", file=sys.stderr)
            self._stream.close()
            self._stream = None
