"""How far it is: scikit-learn's callbacks behind one shim (a no-op before 1.9), and functions."""

import sys
from functools import partial
from itertools import islice

from ._typing import Decorated

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:

    class CallbackSupportMixin:
        """Stands in for scikit-learn's mixin where it does not exist yet."""

    def _with_callbacks(method):
        """Return the method as it is."""
        return method


def with_callbacks(method: Decorated) -> Decorated:
    """Let scikit-learn's callbacks follow a method, if there are any."""
    return _with_callbacks(method)


class ProgressMixin(CallbackSupportMixin):
    """Estimators whose `fit` consists of steps that callbacks can follow.

    `fit` is to be decorated by `with_callbacks`; it runs its steps through `_each_step`.
    """

    def _each_step(self, results, n_steps, name, *, is_last=True):
        """Yield the results one by one, telling the callbacks when a step begins and ends.

        There may be fewer than `n_steps`; the step that finds no further result is the last one.
        Without `is_last`, further steps follow in another call; their number is not known yet.
        """
        if not hasattr(self, "_init_callback_context"):
            yield from results
            return
        root = getattr(self, "_callback_fit_ctx", None)
        if root is None:
            root = self._init_callback_context(max_subtasks=n_steps if is_last else None)
            root.call_on_fit_task_begin(estimator=self)
        for _ in range(n_steps):
            step = root.subcontext(task_name=name).call_on_fit_task_begin(estimator=self)
            found = list(islice(results, 1))
            yield from found
            step.call_on_fit_task_end(estimator=self)
            if not found:
                break
        yield from results  # none is left, but what follows the last one is still to be done
        if is_last:
            root.call_on_fit_task_end(estimator=self)


def progress_function(progress, unit):
    """Return the function to call as ``(n_done, n_steps, what)``; a step is one `unit`."""
    if progress is None or progress is False:
        return lambda n_done, n_steps, what: None
    if progress is True:
        return partial(_write_line, unit)
    if not callable(progress):
        raise TypeError(f"progress={progress!r} must be a bool, a function or None.")
    return progress


def _write_line(unit, n_done, n_steps, what):
    end = "\n" if n_done == n_steps else ""
    line = f"{n_done}/{n_steps} {unit}: {what}"
    print(f"\r{line:<79.79}", end=end, file=sys.stderr, flush=True)
