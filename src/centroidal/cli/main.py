"""The command line: parses, hands over to a command, and turns errors into exit codes.

Nothing here, nor in what it imports, loads scikit-learn: help and mistakes are answered at once.
"""

import argparse
import atexit
import gc
import json
import os
import sys

from .._optional import require
from .commands import COMMANDS
from .display import describe_error
from .files import standard_input
from .log import Log
from .messages import InputError, Messages, WorkError
from .options import add_common, add_options

DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130
_N_ALLOCATIONS = 50_000  # between two looks for garbage; importing scikit-learn makes many

HELP = "Find the few features that tell classes apart, and say honestly how well they do."
EXAMPLES = """\
  centroidal demo
  centroidal select expression.csv --target tumour --report report.html --model tumour.skops
  centroidal audit expression.csv --target tumour
  centroidal compare expression.csv --target tumour
  centroidal predict tumour.skops new.csv -o predictions.csv
  centroidal evaluate tumour.skops other_hospital.csv --target tumour"""
EXIT_CODES = """\
exit codes:
  0    fine
  1    the work failed: a package is not installed, a file could not be written
  2    the command line, a table or a model is not as it must be
  3    audit: a verdict is "no"
  130  interrupted (Ctrl-C)
"""


def main(argv=None):
    """Run the command with its arguments, None for those of the system; return its exit code."""
    _show_what_cannot_be_encoded()
    if argv is None:
        _collect_less_garbage()
    try:
        code = _run(argv)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # whoever reads the results has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    return code


def _collect_less_garbage():
    """Look for garbage less often, and not at the end: that took a fifth of a small selection."""
    gc.set_threshold(_N_ALLOCATIONS)
    atexit.register(gc.freeze)


def build_parser():
    """Return the parser of the command line, which the documentation shows as well."""
    parser = _Parser("centroidal", **_texts(HELP, EXAMPLES))
    add_options(parser, "--version")
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True
    )
    for name, command in COMMANDS.items():
        texts = _texts(command.HELP, command.EXAMPLES)
        subparser = commands.add_parser(name, help=command.HELP, **texts)
        command.add_arguments(subparser)
        add_common(subparser)
    return parser


def _texts(text, examples):
    return {
        "description": text,
        "epilog": f"examples:\n{examples}\n\n{EXIT_CODES}",
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "allow_abbrev": False,
    }


def _run(argv):
    argv = sys.argv[1:] if argv is None else argv
    try:
        args = build_parser().parse_args(argv)
    except SystemExit as stop:  # argparse has spoken
        if stop.code and "--json" in argv:
            _print_error(InputError(stop.message))
        return stop.code
    args.argv, args.failures, args.answer = argv, [], None
    try:
        log = Log(args.log)
    except WorkError as error:
        Messages().error(f"{args.command}: {error}")
        return _tell(args, error, FAILED)
    log.start(argv, vars(args))
    code = FAILED
    try:
        code = _work(args, Messages(args.quiet, log))
        log.result(args.answer)
    except Exception as error:
        log.error(error)
        raise
    finally:
        log.end(code)
    return code


def _work(args, messages):
    """Run the command; return its exit code."""
    try:
        with messages.warnings(), messages.interruptions():
            if not args.json:
                require("rich", "cli", "The command line, unless with --json,")
            with standard_input(args):
                code = COMMANDS[args.command].run(args, messages) or DONE
        for failure in args.failures[1:]:
            messages.error(f"{args.command}: {failure}", failure)
        for failure in args.failures:  # after the answer was printed
            raise failure
        return code
    except (InputError, WorkError) as error:
        messages.error(f"{args.command}: {error}", error)
        return _tell(args, error, WRONG_INPUT if isinstance(error, InputError) else FAILED)
    except ImportError as error:
        if "pip install" not in str(error):  # no extra is missing, so it is a bug
            raise
        messages.error(f"{args.command}: {error}", error)
        return _tell(args, error, FAILED)
    except KeyboardInterrupt as stop:
        words = f"interrupted; {str(stop) or 'nothing was written'}."
        messages.error(f"{args.command}: {words}", stop)
        _tell(args, KeyboardInterrupt(words), INTERRUPTED)
        # Python remembers that Ctrl-C came out of an ``exec``, of which compilers make many, and
        # would end ``python -m`` by a signal, caught or not; the next ``exec`` forgets.
        exec("")
        return INTERRUPTED


def _tell(args, error, code):
    """Print an error as JSON if that is asked for and no answer has it; return the exit code."""
    if args.json and args.answer is None:
        _print_error(error)
    return code


def _print_error(error):
    print(json.dumps({"error": describe_error(error)}))


class _Parser(argparse.ArgumentParser):
    """Lets whoever catches its end know why."""

    def error(self, message):
        try:
            super().error(message)
        except SystemExit as stop:
            stop.message = message
            raise


def _show_what_cannot_be_encoded():
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
