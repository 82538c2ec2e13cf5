"""Completion of commands, options and files with the tabulator key."""

import re

from ..._optional import require
from .. import display

HELP = "Print a script that lets the shell complete commands, options and files."
EXAMPLES = """\
  centroidal completion bash
  centroidal completion zsh"""
_SHELLS = ("bash", "zsh", "tcsh")
# Place holders of what is the name of a file, by which it is completed.
_OF_FILES = re.compile(r"TABLE|SHEET|FILE|OUT|.*\.(skops|html|csv|onnx)\b")


def add_arguments(parser):
    """Add the arguments."""
    parser.add_argument("shell", choices=_SHELLS, help="for which shell")


def run(args, messages):
    """Print the script of a shell."""
    shtab = require("shtab", "completion", "Completion in a shell")
    from ..main import build_parser

    parser = build_parser()
    (commands,) = (each for each in parser._actions if each.dest == "command")
    for subparser in commands.choices.values():
        for action in subparser._actions:
            if _OF_FILES.match(action.metavar or ""):
                action.complete = shtab.FILE
    display.show(args, lambda script: print(script), script=shtab.complete(parser, args.shell))
