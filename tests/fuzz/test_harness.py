"""The harness must see what it is there for."""

import os
import signal
import time

import numpy as np
import pytest

from tests.streaming.children import counts_memory

from .harness import Outcome, assert_harmless, n_cases, run_cases


def behave(case):
    """Do what a case says."""
    if case == "refuse":
        raise ValueError("this is no table")
    if case == "break":
        raise KeyError("column")
    if case == "allocate":
        return np.ones(2**29).sum()
    if case == "hide":
        try:
            return np.ones(2**29).sum()
        except MemoryError as error:
            raise ValueError("this is no table") from error
    if case == "sleep":
        time.sleep(60)
    if case == "die":
        os.kill(os.getpid(), signal.SIGSEGV)
    return f"{case} is fine"


@counts_memory
def test_each_case_has_its_outcome_whatever_became_of_those_before():
    cases = ["a", "sleep", "refuse", "die", "die", "allocate", "hide", "break", "b"]
    outcomes = run_cases(behave, cases, seconds=0.5, memory=2**29)
    kinds = ["answer", "hang", "refusal", "signal", "signal", "memory", "memory", "error", "answer"]
    assert [outcome.kind for outcome in outcomes] == kinds
    assert outcomes[0].text == "a is fine"
    assert outcomes[2].text == "ValueError: this is no table"
    assert outcomes[3].text == "SIGSEGV"


def test_harmful_cases_are_named():
    outcomes = [Outcome("answer", "1"), Outcome("refusal", "no"), Outcome("hang", "SIGALRM")]
    assert_harmless(outcomes[:2])
    with pytest.raises(AssertionError, match="case 2: hang: SIGALRM"):
        assert_harmless(outcomes)


def test_more_cases_are_tried_if_asked_for(monkeypatch):
    assert n_cases(7) == 7
    monkeypatch.setenv("CENTROIDAL_FUZZ_CASES", "5000")
    assert n_cases(7) == 5000
