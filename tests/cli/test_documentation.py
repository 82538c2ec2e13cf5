import re
import shlex
from pathlib import Path

import pytest

from centroidal.cli.main import build_parser

DOCS = Path(__file__).parents[2] / "docs"


def commands_of(page):
    text = (DOCS / page).read_text()
    return re.findall(r"^ *\$ centroidal (.*?)(?: > .*)?$", text, flags=re.M)


SHOWN = commands_of("user_guide/command_line.rst")


@pytest.mark.parametrize("command", SHOWN + commands_of("tutorial.rst"))
def test_commands_of_the_guide_can_be_parsed(command):
    assert build_parser().parse_args(shlex.split(command)).command == command.split()[0]


def test_the_guide_shows_every_command_but_the_demo():
    parser = build_parser()
    (commands,) = (each for each in parser._actions if each.dest == "command")
    assert {line.split()[0] for line in SHOWN} == set(commands.choices) - {"demo"}
