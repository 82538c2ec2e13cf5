"""What is said beside the results, on the standard error stream: remarks, warnings, bars."""

import signal
import sys
import threading
import warnings
from contextlib import contextmanager, nullcontext
from functools import partial

from .._optional import require

_COMPILERS = {"numba", "llvmlite"}


class InputError(Exception):
    """The command line or a file is not as it must be; exit code 2."""


class WorkError(Exception):
    """The work could not be done, for reasons that are not in the input; exit code 1."""


@contextmanager
def input_errors(*kinds):
    """Turn what the library says of wrong input into one line without a traceback."""
    try:
        yield
    except (ValueError, OSError, *kinds) as error:
        if type(error).__name__ == "LinAlgError":
            raise
        raise InputError(str(error)) from error


def plain(text):
    """Show a text as it is: control characters and escapes are written out, not obeyed."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape", "surrogatepass").decode()
        for each in str(text)
    )


class Messages:
    """Speaks on the standard error stream, unless it is to be quiet, and to a log if there is one.

    The log is told of everything, see `Log`.
    """

    def __init__(self, quiet=False, log=None):
        self.quiet = quiet
        self._log = log
        self._is_interrupted = False

    def error(self, text, error=None):
        """Say what went wrong, even if quiet."""
        if self._log is not None:
            self._log.error(error, text)
        print(f"centroidal: {_lines(text)}", file=sys.stderr)

    def note(self, text, event="note"):
        """Say what is being done, or what was unusual."""
        if self._log is not None:
            self._log.write(event, text=str(text))
        if not self.quiet:
            print(_lines(text), file=sys.stderr, flush=True)

    def remarks(self, remarks):
        """Say what was unusual about a table."""
        for remark in remarks:
            self.note(f"Note: {remark}")

    @contextmanager
    def warnings(self):
        """Show warnings as one line each, and the same one only once."""
        seen = set()

        def show(message, category, filename, lineno, file=None, line=None):
            # Filters of warnings are no matter of threads, and without any scikit-learn says so.
            is_noise = "sklearn.utils.parallel.delayed" in str(message)
            if str(message) not in seen and not is_noise:
                seen.add(str(message))
                self.note(f"Warning: {message}", "warning")

        with warnings.catch_warnings():
            warnings.showwarning = show
            yield

    @contextmanager
    def interruptions(self):
        """Remember Ctrl-C: where it is lost, or must not end what goes on, the next step ends.

        A compiler that is stopped half way breaks: later calls of it fail, or Python does.
        """

        def interrupt(number, frame):
            self._is_interrupted = True
            if not _is_compiling(frame):
                raise KeyboardInterrupt

        def show_unless_interrupted(unraisable):
            if unraisable.exc_type is not KeyboardInterrupt:
                show(unraisable)

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before, show = signal.signal(signal.SIGINT, interrupt), sys.unraisablehook
        sys.unraisablehook = show_unless_interrupted
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            sys.unraisablehook = show

    def _go_on(self, *step):
        if self._is_interrupted:
            self._is_interrupted = False  # it is told now
            raise KeyboardInterrupt
        if self._log is not None:
            self._log.progress(*step)

    @contextmanager
    def bar(self, what):
        """Say that work begins; yield what is called as ``advance(n_done, n_steps, what)``."""
        stage = nullcontext() if self._log is None else self._log.stage(what)
        with stage, self._draw_bar(what) as bar:
            yield bar

    @contextmanager
    def _draw_bar(self, what):
        if self.quiet or not sys.stderr.isatty():
            self.note(f"{what} ...")
            yield Bar(what, self._go_on)
            return
        with _progress() as progress:
            task = progress.add_task(what, total=None)
            yield Bar(what, self._go_on, partial(progress.update, task))


class Bar:
    """How far the work is: `n_done` steps, which are drawn if there is something to draw them."""

    def __init__(self, what, go_on, draw=None):
        self._go_on, self._draw = go_on, draw
        self(0, None, what)

    def __call__(self, n_done, n_steps, what):
        """Say that so many of all steps are done, the last of which was `what`."""
        self._go_on(n_done, n_steps, what)
        self.n_done = n_done
        if self._draw is not None:
            self._draw(description=plain(what), completed=n_done, total=n_steps)


def _is_compiling(frame):
    while frame is not None:
        if frame.f_globals.get("__name__", "").split(".")[0] in _COMPILERS:
            return True
        frame = frame.f_back
    return False


def _lines(text):
    return "\n".join(plain(line) for line in str(text).split("\n"))


def _progress():
    rich = require("rich.progress", "cli", "A progress bar")
    console = require("rich.console", "cli", "A progress bar").Console(stderr=True)
    columns = (
        rich.TextColumn("{task.description}", markup=False),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TimeRemainingColumn(),
    )
    return rich.Progress(*columns, console=console, transient=True)
