"""The directives ``method-table`` and ``method-cards``, read from the list of methods itself."""

from docutils import nodes
from docutils.parsers.rst import Directive, directives

from centroidal.model_selection import METHODS

COLUMNS = {"key": 12, "what it does": 40, "needs": 11, "out-of-core": 9, "reference": 28}
NEEDS = {"dense": "dense data", "torch": "PyTorch", "time": "time"}


def _select_or_compare(argument):
    return directives.choice(argument, ("select", "compare"))


class _OfMethods(Directive):
    """Takes ``select`` for the methods that select, ``compare`` for those that only classify."""

    required_arguments = 1

    def methods(self):
        selects = _select_or_compare(self.arguments[0]) == "select"
        return [each for each in METHODS.values() if each.selects == selects]


class MethodTable(_OfMethods):
    """Writes a row a method."""

    def run(self):
        widths = [nodes.colspec(colwidth=width) for width in COLUMNS.values()]
        head = nodes.thead("", _row(*(nodes.Text(each) for each in COLUMNS)))
        body = nodes.tbody("", *(_row_of(each) for each in self.methods()))
        group = nodes.tgroup("", *widths, head, body, cols=len(widths))
        return [nodes.table("", group, classes=["colwidths-given"])]


class MethodCards(_OfMethods):
    """Writes what a method does, when to pick it and what to mind."""

    def run(self):
        return [nodes.definition_list("", *(_card(each) for each in self.methods()))]


def _row_of(method):
    return _row(
        nodes.literal("", method.key),
        nodes.inline("", "", nodes.strong("", method.title), nodes.Text(f": {method.summary}")),
        nodes.Text(_needs(method)),
        nodes.Text("yes" if method.streams else ""),
        nodes.inline("", "", *_reference(method)),
    )


def _needs(method):
    needs = method.needs | ({"time"} if method.is_costly else set())
    return ", ".join(NEEDS[each] for each in NEEDS if each in needs)


def _reference(method):
    yield nodes.Text(method.reference)
    if method.link:
        yield nodes.Text(" ")
        yield nodes.reference("", method.link, refuri=method.link)


def _card(method):
    parts = [
        nodes.paragraph("", method.description),
        _said("Pick it for", method.pick),
        _said("Mind", method.avoid),
    ]
    title = [nodes.Text(f"{method.title}, "), nodes.literal("", method.key)]
    return nodes.definition_list_item("", nodes.term("", "", *title), nodes.definition("", *parts))


def _said(heading, text):
    return nodes.paragraph("", "", nodes.strong("", f"{heading}: "), nodes.Text(text))


def _row(*cells):
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", each)) for each in cells))


def setup(app):
    """Register the directives."""
    app.add_directive("method-table", MethodTable)
    app.add_directive("method-cards", MethodCards)
    return {"parallel_read_safe": True}
