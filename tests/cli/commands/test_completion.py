"""The shell completes what the command line takes."""

import json
import shutil
import subprocess
import sys

import pytest

from centroidal.cli.commands import COMMANDS

SHELLS = ("bash", "zsh", "tcsh")
# What bash proposes for a line, of which the last word has only begun.
COMPLETE = """\
{script}
COMP_LINE={line!r} COMP_POINT=${{#COMP_LINE}}
COMP_WORDS=({line}{empty}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_shtab_centroidal
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize("shell", SHELLS)
def test_script_of_each_shell_knows_every_command_and_its_options(run, shell):
    found = run("completion", shell)
    assert (found.code, found.err) == (0, "")
    assert all(name in found.out for name in COMMANDS)
    assert all(option in found.out for option in ("target", "selected-only", "max-upload"))


@pytest.mark.parametrize(("shell", "check"), [("bash", "-n"), ("zsh", "-n"), ("tcsh", "-n")])
def test_shell_can_read_its_script(run, shell, check, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(run("completion", shell).out)
    found = subprocess.run([shell, check, script], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")


def propose(run, line):
    """Return the words that bash proposes at the end of a line."""
    script = run("completion", "bash").out
    code = COMPLETE.format(script=script, line=line, empty=" ''" * line.endswith(" "))
    found = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    return found.stdout.split()


def test_bash_asks_the_script_about_the_command(run):
    code = run("completion", "bash").out + "\ncomplete -p centroidal"
    found = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip().endswith("centroidal")


def test_bash_proposes_commands_options_choices_and_files(run, tmp_path):
    (tmp_path / "expression.csv").touch()
    assert propose(run, "centroidal ev") == ["evaluate"]
    assert propose(run, "centroidal export --sel") == ["--selected-only"]
    assert propose(run, "centroidal export --dtype ") == ["float64", "float32"]
    assert propose(run, "centroidal select expr") == ["expression.csv"]
    assert propose(run, "centroidal select --costs expr") == ["expression.csv"]


def test_script_as_json(run):
    found = json.loads(run("completion", "bash", "--json").out)
    assert found["script"] + "\n" == run("completion", "bash").out


def test_missing_package_is_named_with_what_brings_it(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    found = run("completion", "bash")
    assert (found.code, found.out) == (1, "")
    assert "pip install 'centroidal[completion]'" in found.err


def test_other_shell_is_refused(run):
    found = run("completion", "csh")
    assert found.code == 2
    assert "invalid choice: 'csh'" in found.err
