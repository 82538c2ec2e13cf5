"""Cases for a function in child processes, whose memory and time are limited.

A child serves one case after another. If a case ends it, by a signal or because it takes too long,
the case is marked so and another child goes on with the next one.
"""

import io
import os
import pickle
import re
import resource
import signal
import warnings
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pyarrow

from tests.streaming.children import fork

__all__ = ["Outcome", "assert_harmless", "n_cases", "run_cases"]

SECONDS, MEMORY = 20.0, 3 * 2**30  # beyond what any file may take that is small
HARMLESS = ("answer", "refusal")
REFUSALS = (ValueError, OSError)
_OUT_OF_MEMORY = re.compile("unable to allocate|memory allocation failed|out of memory", re.I)


class Outcome(NamedTuple):
    """What a case came to.

    The kind is "answer", "refusal" (an error that says what is wrong with the case), "error" (any
    other), "memory" (more than the limit was asked for), "hang" or "signal".
    """

    kind: str
    text: str  # of the answer or the error, or the name of the signal


def n_cases(usual):
    """Return how many cases to try, which the variable CENTROIDAL_FUZZ_CASES may change."""
    return int(os.environ.get("CENTROIDAL_FUZZ_CASES", usual))


def run_cases(function, cases, *, seconds=SECONDS, memory=MEMORY, refusals=REFUSALS):
    """Call a function with each case, away from this process.

    Parameters
    ----------
    function : function
        Of a module, not of another function; its argument is a case, and its answer has a str.
    cases : list
        What can be pickled.
    seconds : float
        How long a case may take.
    memory : int
        Bytes that a child may ask for beyond what it has before its first case.
    refusals : tuple of types
        Errors that are an answer, too.

    Returns
    -------
    list of Outcome
        One for each case.
    """
    outcomes = []
    while len(outcomes) < len(cases):
        rest = cases[len(outcomes) :]
        answer, code = fork(_serve_cases, function, rest, seconds, memory, refusals)
        outcomes += _load_all(answer)
        if code < 0 and len(outcomes) < len(cases):
            kind = "hang" if code == -signal.SIGALRM else "signal"
            outcomes.append(Outcome(kind, signal.Signals(-code).name))
        assert code <= 0, f"the child of {function.__name__} ended with {code}"
    return outcomes


def assert_harmless(outcomes, describe=str):
    """Fail unless each case was answered or refused; say which were not, by their number."""
    harmful = [
        f"case {describe(number)}: {outcome.kind}: {outcome.text[:300]}"
        for number, outcome in enumerate(outcomes)
        if outcome.kind not in HARMLESS
    ]
    counts = dict(Counter(outcome.kind for outcome in outcomes))
    assert not harmful, f"{counts}\n" + "\n".join(harmful[:20])


def _load_all(answer):
    """Return what was pickled, one after the other; what a killed child left half is left out."""
    stream, found = io.BytesIO(answer), []
    while True:
        try:
            found.append(pickle.load(stream))
        except (EOFError, pickle.UnpicklingError):
            return found


# ------------------------------------------------------------------ in the child


def _serve_cases(function, cases, seconds, memory, refusals, *, answer):
    """Write the outcome of each case; what hangs is ended by the timer, wherever it is."""
    warnings.simplefilter("ignore")
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())  # the usual one reserves far more
    limit = _address_space() + memory
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for case in cases:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        outcome = _try_case(function, case, refusals)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        pickle.dump(outcome, answer)
        answer.flush()


def _try_case(function, case, refusals):
    try:
        return Outcome("answer", str(function(case)))
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        if _asked_for_memory(error):
            return Outcome("memory", text)
        return Outcome("refusal" if isinstance(error, refusals) else "error", text)


def _asked_for_memory(error):
    """Say whether an error, or one that led to it, is that memory was refused."""
    while error is not None:
        if isinstance(error, MemoryError) or _OUT_OF_MEMORY.search(str(error)):
            return True
        error = error.__cause__ or error.__context__
    return False


def _address_space():
    n_pages = int(Path("/proc/self/statm").read_text().split()[0])
    return n_pages * resource.getpagesize()
