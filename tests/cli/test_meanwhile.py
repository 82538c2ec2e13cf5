"""What is loaded while a table is read."""

import subprocess
import sys

import pytest

from centroidal.cli import _meanwhile
from centroidal.cli._meanwhile import loading_loops

LOADED = """
import sys
from centroidal.cli._meanwhile import loading_loops
assert "numba" not in sys.modules
with loading_loops():
    pass
print("numba" in sys.modules, *(name in sys.modules for name in sys.argv[1:]))
"""


def test_loops_are_there_at_the_end():
    command = [sys.executable, "-c", LOADED, *_meanwhile._LOOPS]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    assert found.stdout.split() == ["True"] * 3


def test_what_cannot_be_loaded_is_said(monkeypatch):
    monkeypatch.setattr(_meanwhile, "_LOOPS", ("centroidal.no_such_loops",))
    with pytest.raises(ModuleNotFoundError, match="no_such_loops"), loading_loops():
        pass


def test_errors_of_the_reading_come_first(monkeypatch):
    monkeypatch.setattr(_meanwhile, "_LOOPS", ("centroidal.no_such_loops",))
    with pytest.raises(ValueError, match="not a table"), loading_loops():
        raise ValueError("not a table")
