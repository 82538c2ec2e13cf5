import gc
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import centroidal
from centroidal.cli.commands import COMMANDS, datasets
from centroidal.cli.main import EXAMPLES, build_parser, main
from centroidal.cli.messages import InputError, Messages, WorkError, input_errors, plain


def test_the_command_is_installed_beside_the_interpreter():
    script = Path(sys.executable).parent / "centroidal"
    found = subprocess.run([script, "--version"], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, f"centroidal {centroidal.__version__}\n")


def test_help_of_the_command_names_all_commands_and_exit_codes(run):
    found = run("--help")
    assert found.code == 0
    assert all(f"    {name}" in found.out for name in COMMANDS)
    assert all(f"\n  {code} " in found.out for code in (0, 1, 2, 130))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples_and_the_common_options(run, name):
    found = run(name, "--help")
    assert found.code == 0
    assert f"  centroidal {name}" in found.out
    for option in ("--seed", "--jobs", "--json", "--quiet", "--version", "--help"):
        assert option in found.out


@pytest.mark.parametrize("name", COMMANDS)
def test_version_of_each_command(run, name):
    assert run(name, "--version").out == f"centroidal {centroidal.__version__}\n"


@pytest.mark.parametrize(
    "examples", [EXAMPLES, *(each.EXAMPLES for each in COMMANDS.values())], ids=["", *COMMANDS]
)
def test_examples_can_be_parsed(examples):
    for line in examples.split("\n"):
        build_parser().parse_args(line.split()[1:])


def test_help_and_mistakes_load_nothing_that_the_package_does_not():
    code = """\
import sys, centroidal
before = set(sys.modules)
from centroidal.cli.main import main
main(["select", "--help"]), main(["select"]), main(["--version"])
print(sorted({name.split(".")[0] for name in set(sys.modules) - before}), file=sys.stderr)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = found.stderr.split("\n")[-2]
    heavy = ("sklearn", "numba", "pandas", "rich", "numpy", "scipy", "torch", "altair", "skops")
    assert loaded.startswith("[")
    assert not [name for name in heavy if repr(name) in loaded]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), ("COMMAND",)),
        (("chop",), ("'chop'", "select")),
        (("select",), ("TABLE", "--target")),
        (("select", "t.csv"), ("--target",)),
        (("select", "t.csv", "--targ", "a"), ("--target",)),
        (("select", "t.csv", "--target", "a", "--method", "l3"), ("--method", "'l3'", "relief")),
        (("select", "t.csv", "--target", "a", "--rule", "x"), ("--rule", "'x'", "one_se")),
        (("select", "t.csv", "--target", "a", "-k", "few"), ("-k", "'few'", "auto")),
        (("select", "t.csv", "--target", "a", "-k", "0"), ("-k", "'0'", "from 1 on")),
        (("select", "t.csv", "--target", "a", "-k", "1.5"), ("-k", "'1.5'", "whole")),
        (("select", "t.csv", "--target", "a", "--folds", "1"), ("--folds", "'1'", "from 2 on")),
        (("select", "t.csv", "--target", "a", "--repeats", "0"), ("--repeats", "'0'")),
        (("select", "t.csv", "--target", "a", "--resamples", "7"), ("--resamples", "even")),
        (("select", "t.csv", "--target", "a", "--scoring", "f1"), ("--scoring", "'f1'")),
        (("select", "t.csv", "--target", "a", "--impute", "0"), ("--impute", "'0'", "median")),
        (("select", "t.csv", "--target", "a", "--jobs", "0"), ("--jobs", "'0'")),
        (("select", "t.csv", "--target", "a", "--seed", "-1"), ("--seed", "'-1'", "between 0")),
        (("predict", "m.skops", "t.csv"), ("--output",)),
        (("predict", "m.skops", "t.csv", "-o", "p.csv", "--impute", "median"), ("--impute",)),
        (("export", "m.skops"), ("--output",)),
    ],
)
def test_wrong_command_lines_are_named(run, args, words):
    found = run(*args)
    assert (found.code, found.out) == (2, "")
    assert "Traceback" not in found.err
    assert [word for word in words if word not in found.err] == []


# ------------------------------------------------------------------ what becomes of errors


@pytest.fixture
def failing(monkeypatch, run):
    """Let a command fail in some way."""

    def fail(error):
        def command(args, messages):
            raise error

        monkeypatch.setattr(datasets, "run", command)
        return run("datasets")

    return fail


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("no such thing."), 2, "no such thing."),
        (WorkError("no room."), 1, "no room."),
        (ImportError("It needs x: pip install 'centroidal[x]'."), 1, "pip install"),
        (KeyboardInterrupt(), 130, "interrupted; nothing was written."),
        (KeyboardInterrupt("written: a.csv"), 130, "interrupted; written: a.csv."),
    ],
)
def test_errors_are_one_line_and_an_exit_code(failing, error, code, line):
    found = failing(error)
    assert (found.code, found.out) == (code, "")
    assert found.err.startswith("centroidal: datasets: ")
    assert found.err.endswith("\n")
    assert found.err.count("\n") == 1
    assert line in found.err


@pytest.mark.parametrize("error", [TypeError("a bug"), ImportError("a bug"), ValueError("a bug")])
def test_bugs_are_not_swallowed(failing, error):
    with pytest.raises(type(error), match="a bug"):
        failing(error)


def test_an_interruption_of_a_file_says_which_were_written(failing):
    assert "written: a.csv, b.csv." in failing(KeyboardInterrupt("written: a.csv, b.csv")).err


def test_input_errors_are_those_that_the_library_words():
    with pytest.raises(InputError, match="wrong"), input_errors():
        raise ValueError("wrong")
    with pytest.raises(TypeError), input_errors():
        raise TypeError
    with pytest.raises(InputError), input_errors(TypeError):
        raise TypeError


def test_numerical_failures_are_no_input_errors():
    from numpy.linalg import LinAlgError

    with pytest.raises(LinAlgError), input_errors():
        raise LinAlgError("singular")


def test_a_reader_that_has_seen_enough_is_no_error():
    command = f"{sys.executable} -m centroidal.cli datasets | head -c 5; echo ${{PIPESTATUS[0]}}"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert found.stdout == "expre0\n"
    assert found.stderr == ""


# ------------------------------------------------------------------ what is said


def test_names_are_shown_as_text():
    assert plain("a\x1b[31mb\tc\u202ed\n") == "a\\x1b[31mb\\tc\\u202ed\\n"
    assert plain("Größe [red] \udcff") == "Größe [red] \\udcff"


def test_quiet_says_nothing_but_errors(capsys):
    messages = Messages(quiet=True)
    messages.note("a note")
    messages.remarks(["a remark"])
    with messages.bar("work") as advance:
        advance(1, 2, "step")
    messages.error("an error")
    assert capsys.readouterr().err == "centroidal: an error\n"


def test_warnings_are_one_line_and_said_once(capsys):
    with Messages().warnings(), warnings.catch_warnings():
        warnings.simplefilter("always")
        for _ in range(2):
            warnings.warn("did not converge", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "Warning: did not converge\n"


def test_a_bar_is_drawn_on_a_terminal_only(capsys, monkeypatch):
    with Messages().bar("Working") as advance:
        advance(1, 2, "first")
    assert capsys.readouterr().err == "Working ...\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with Messages().bar("Working") as advance:
        advance(1, 2, "the [red]first")
    assert "the [red]first" in capsys.readouterr().err


def test_main_reads_the_arguments_of_the_system(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["centroidal", "datasets", "--json"])
    monkeypatch.setattr("centroidal.cli.main._collect_less_garbage", lambda: None)
    assert main() == 0
    assert "make_expression" in json.loads(capsys.readouterr().out)["datasets"]


def test_main_that_is_given_arguments_leaves_the_garbage_collector_alone(capsys):
    before = gc.get_threshold()
    assert main(["datasets"]) == 0
    assert gc.get_threshold() == before


def test_a_process_of_its_own_looks_for_garbage_less_often():
    code = """\
import gc, sys
from centroidal.cli.main import main
sys.argv[1:], before = ["datasets"], gc.get_threshold()[0]
main()
print(before, gc.get_threshold()[0], file=sys.stderr)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = map(int, found.stderr.split())
    assert after > before


@pytest.mark.parametrize(
    "command",
    [
        ("show", "pipe.skops"),
        ("predict", "pipe.skops", "trees.csv", "-o", "p.csv"),
        ("merge", "pipe.skops", "other.skops", "-o", "m.skops"),
        ("export", "pipe.skops", "-o", "m.onnx"),
        ("select", "pipe.csv", "--target", "tree"),
        ("select", "pipe.csv", "--target", "tree", "--stream"),
        ("compare", "pipe.csv", "--target", "tree"),
    ],
    ids=" ".join,
)
def test_no_command_waits_for_a_pipe(run, trees, command):
    for suffix in (".csv", ".skops"):
        os.mkfifo(f"pipe{suffix}")
    found = run(*command)
    assert found.code == 2
    assert "is a device or a pipe, not a file" in found.err
