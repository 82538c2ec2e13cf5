"""The directive ``command-reference``: every command and option, read from the parser itself."""

import re

from docutils import nodes
from docutils.parsers.rst import Directive

from centroidal.cli.commands import COMMANDS
from centroidal.cli.main import EXIT_CODES, build_parser

COMMON = "common options"
OPTION = re.compile(r"(?<!\w)(--?[a-z][a-z-]*)")


class CommandReference(Directive):
    """Writes a section a command, then what all commands share."""

    def run(self):
        (commands,) = (each for each in build_parser()._actions if each.dest == "command")
        sections = [_command(name, each) for name, each in commands.choices.items()]
        shared = _groups_of(next(iter(commands.choices.values())))[COMMON]
        sections.append(_section("Common options", "common-options", _options(shared)))
        sections.append(_section("Exit codes", "exit-codes", _code(EXIT_CODES.partition("\n")[2])))
        return sections


def _command(name, parser):
    parts = [nodes.paragraph("", parser.description), _code(_usage(parser))]
    for title, actions in _groups_of(parser).items():
        if title != COMMON:
            parts += [nodes.rubric("", title.capitalize()), _options(actions)]
    parts += [nodes.rubric("", "Examples"), _code(COMMANDS[name].EXAMPLES)]
    return _section(parser.prog, f"command-{name}", *parts)


def _groups_of(parser):
    """Return what can be said, by the title of its group; help is left out."""
    groups = {}
    for group in parser._action_groups:
        actions = [each for each in group._group_actions if each.dest != "help"]
        if actions:
            groups[group.title] = actions
    return groups


def _usage(parser):
    needed = sorted((each for each in parser._actions if each.required), key=_is_option)
    return " ".join([parser.prog, *(_said(each)[0] for each in needed), "[options]"])


def _is_option(action):
    return bool(action.option_strings)


def _said(action):
    """Return the names of an option, each with what follows it; of an argument its place holder."""
    value = action.metavar or "|".join(action.choices or ())
    return [f"{name} {value}".strip() for name in action.option_strings] or [value]


def _options(actions):
    items = []
    for action in actions:
        term = nodes.term("", "", nodes.literal("", ", ".join(_said(action))))
        text = nodes.definition("", nodes.paragraph("", "", *_with_options_as_code(action.help)))
        items.append(nodes.definition_list_item("", term, text))
    return nodes.definition_list("", *items)


def _with_options_as_code(text):
    for part in OPTION.split(text):
        yield nodes.literal("", part) if OPTION.fullmatch(part) else nodes.Text(part)


def _section(title, name, *parts):
    return nodes.section("", nodes.title("", title), *parts, ids=[name], names=[name])


def _code(text):
    lines = "\n".join(line.strip() for line in text.strip().split("\n"))
    return nodes.literal_block(lines, lines, language="none")


def setup(app):
    """Register the directive."""
    app.add_directive("command-reference", CommandReference)
    return {"parallel_read_safe": True}
