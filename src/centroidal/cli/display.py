"""Results on the standard output, as JSON or for people. Names from files are never markup."""

import json
import math
import os
import re
import sys
from contextlib import contextmanager

from .messages import WorkError, plain

_MOST_ROWS = 20
_WIDTH_OF_A_FILE = 100
_IN_ROWS = ("sources", "calls", "remarks")  # of a card, which are lists of sentences


def show(args, display, **values):
    """Print values as one JSON object if that is asked for, otherwise call `display` with them."""
    if args.json:
        print(_json(values))
    else:
        display(**values)
    args.answer = values


@contextmanager
def answer(args, outputs, display, steps=None, **values):
    """Print the answer; then, when the files of the block are written, say which, and what is next.

    So nothing is lost where a file cannot be written, or where the work ends on the way. As JSON it
    is one object: the answer, and when they are known ``written`` and ``error``.
    """
    trouble = _print_first(args, display, values)
    try:
        yield
    finally:
        if trouble is not None and not (args.failures and isinstance(trouble, BrokenPipeError)):
            args.failures.insert(0, trouble)
        rest = {"written": outputs.written}
        if args.failures:
            rest["error"] = describe_error(args.failures[0])
        args.answer = values | rest
        if args.json:
            print(_json(rest)[1:])
        else:
            console = _console()
            _list_files(console, outputs.written)
            _list_steps(console, steps)


def _print_first(args, display, values):
    """Print the answer; return why it could not be printed: files are written all the same."""
    try:
        if args.json:
            print(_json(values)[:-1], end=", " if values else "")
        else:
            display(**values)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # whoever reads has seen enough
            return error
        return WorkError(f"the answer could not be printed: {error.strerror}.")
    args.answer = values
    return None


def _json(values):
    from .._plain import json_plain  # numpy comes with it

    return json.dumps(json_plain(values, finite=True), allow_nan=False)


def describe_error(error):
    """Return what went wrong as JSON has it; the parameter is None unless the message names one."""
    cause = error.__cause__ or error
    option = re.search(r"(?<!\S)--?[a-z][a-z-]*", str(error))
    return {
        "type": type(cause).__name__,
        "message": str(error) or "interrupted",
        "parameter": option and option.group(),
    }


# ------------------------------------------------------------------ one for each command


def _console():
    from rich.console import Console

    class PipeConsole(Console):
        def on_broken_pipe(self):
            raise BrokenPipeError

    console = PipeConsole(markup=False, emoji=False, highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDTH_OF_A_FILE
    return console


def demo(n_samples, n_features, selection, n_informative):
    """Show the main job on the shipped table."""
    console = _console()
    _say(
        console,
        f"{n_samples} generated samples in the shape of gene expression, {n_features:,} genes, "
        f"{len(selection['classes'])} types of tumour. Which few genes tell the types apart?",
    )
    _say(console, selection["answer"], style="bold")
    _say(console, selection["answer_on_method"])
    console.print(_feature_table(selection["features"]))
    _say(
        console,
        f"As the table was generated, it is known which genes differ: {n_informative} of these "
        f"{len(selection['features'])} do.",
    )
    console.print(_confusion_table(selection))


def selection(table, selection, rows):
    """Show a selection."""
    console = _console()
    _say(console, _data_line(table, selection))
    _say(console, selection["answer"], style="bold")
    if selection["answer_on_method"]:
        _say(console, selection["answer_on_method"])
    if selection["answer_in_blocks"]:
        _say(console, selection["answer_in_blocks"])
    if any(selection[name] for name in ("permutations", "learning_curve", "covariates")):
        console.print(_verdict_table(selection["checklist"]))
    if selection["bands"]:
        _say(console, selection["answer_on_bands"])
    if selection["stand_ins"]:
        _say(console, selection["answer_on_stand_ins"])
    console.print(_feature_table(selection["features"]))
    console.print(_metric_table(rows, "unseen samples"))
    console.print(_confusion_table(selection))


def audit(table, selection, rows):
    """Show the verdicts on a selection, then what was selected."""
    console = _console()
    _say(console, f"Can I believe it? {selection['answer_of_checklist']}", style="bold")
    console.print(_verdict_table(selection["checklist"]))
    _say(console, _data_line(table, selection))
    _say(console, selection["answer"])
    if selection["answer_on_method"]:
        _say(console, selection["answer_on_method"])
    console.print(_feature_table(selection["features"]))


def comparison(table, comparison):
    """Show scores and differences, the best first."""
    console = _console()
    _say(console, _data_line(table, comparison))
    for line in comparison["answer"].split("\n"):
        console.print(_cell(line), soft_wrap=True)
    console.print()


def predictions(counts, **_):
    """Show how many samples were predicted to be of each class."""
    console = _console()
    table = _table(("prediction", "left"), ("samples", "right"))
    for label, count in counts.items():
        table.add_row(_cell(label), str(count))
    console.print(table)


def evaluation(answer, rows, classes, confusion, recall, **_):
    """Show how well a model does on a table: scores with intervals, the confusion matrix."""
    console = _console()
    _say(console, answer, style="bold")
    console.print(_metric_table(rows, "found"))
    found = {"classes": classes, "confusion": confusion, "recall": recall, "n_repeats": 1}
    console.print(_confusion_table(found, "samples of"))


def model(path, **values):
    """Show what a model file says."""
    _console().print(_grid(_model_lines(path, **values)))


def site(*, classes, fold_counts, class_name, source, **_):
    """Show what leaves a site: how many samples of each class were summed up in each fold."""
    console = _console()
    what = "sums over" if class_name == "SiteSummary" else "counts of predictions of"
    labels = classes.tolist()
    _say(console, f"{source}: {what} these samples, by class and fold, and none of them.")
    table = _table(("samples of", "left"), *((label, "right") for label in labels))
    for number, row in enumerate(fold_counts.tolist(), start=1):
        table.add_row(f"fold {number}", *(f"{count:,}" for count in row))
    console.print(table)


def merge_counts(counts, *, class_name, classes, n_features, **card):
    """Show what was merged into a model: the samples of each file and of all."""
    console = _console()
    selected = card.get("selected_features")
    nouns = "summaries" if class_name == "SiteSummary" else "models"
    which = "" if selected is None else f", of which it reads {_first_names(selected)}"
    _say(
        console,
        f"{len(counts)} {nouns} are merged into a {class_name} of {card['n_samples']:,} samples "
        f"and {n_features:,} features{which}.",
    )
    labels = classes.tolist()
    table = _table(("samples of", "left"), *((each, "right") for each in labels), ("all", "right"))
    together = {label: card["class_counts"][str(label)] for label in labels}
    for name, count in {**counts, "together": together}.items():
        cells = [f"{count.get(label, 0):,}" for label in labels]
        table.add_row(_cell(name), *cells, f"{sum(count.values()):,}")
    console.print(table)
    _say(console, card["remarks"][-1], style="bold")


def datasets(datasets):
    """Show what ships and what can be generated, a line each."""
    console = _console()
    console.print(_grid(datasets.items()))
    console.print()
    _list_steps(
        console, {"write one as a table": "centroidal datasets expression -o expression.csv"}
    )


def files_alone(**_):
    """Show nothing but the files that are written."""


# ------------------------------------------------------------------ parts


def _cell(value, style=""):
    from rich.text import Text

    return Text(plain(value), style=style)


def _say(console, text, style=""):
    console.print(_cell(text, style))
    console.print()


def _grid(rows):
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, style="bold")
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(_cell(name), _cell(value))
    return grid


def _table(*columns):
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    for name, justify in columns:
        overflow = "fold" if justify == "left" else "ellipsis"
        table.add_column(_cell(name), justify=justify, overflow=overflow)
    return table


def _data_line(table, found):
    pairs = zip(found["classes"].tolist(), found["class_counts"], strict=True)
    sizes = [f"{label} ({count:,})" for label, count in pairs]
    what = f"{table['n_samples']:,} samples, {table['n_features']:,} features"
    if found.get("text"):
        what = f"{table['n_samples']:,} documents"
    return (
        f"{table['source']}: {what}, {len(sizes)} classes of {table['target']}: {', '.join(sizes)}."
    )


def _feature_table(features):
    from .._plain import percent  # numpy comes with it

    if not any(each.get("stand_ins") for each in features):  # a column that would be empty
        features = [{k: v for k, v in each.items() if k != "stand_ins"} for each in features]
    names = [name.replace("center_", "", 1) for name in features[0]]
    sides = ["left" if name in ("feature", "stand_ins") else "right" for name in names]
    words = {
        "speaks_for": "speaks for", "marker_of": "marker of", "stand_ins": "stand-ins",
        "p_value": "p", "expected_false": "by luck",
    }  # fmt: skip
    table = _table(*zip([words.get(name, name) for name in names], sides, strict=True))
    for each in features[:_MOST_ROWS]:
        if "frequency" in each:
            each = each | {"frequency": percent(each["frequency"], digits=0)}
        rank, name, *numbers = each.values()
        table.add_row(str(rank), _cell(name), *(_cell(_number(each)) for each in numbers))
    if len(features) > _MOST_ROWS:
        table.add_row("", f"… and {len(features) - _MOST_ROWS:,} more")
    return table


def _metric_table(rows, found):
    table = _table(("metric", "left"), (found, "right"), ("95 % interval", "right"))
    for row in rows:
        table.add_row(*map(_cell, row))
    return table


def _verdict_table(verdicts):
    table = _table(("can I believe it?", "left"), ("", "left"), ("because", "left"))
    for each in verdicts:
        table.add_row(*map(_cell, (each["question"], each["verdict"], each["reason"])))
    return table


def _confusion_table(found, samples="unseen samples of"):
    from .._plain import percent

    labels = found["classes"].tolist()
    heads = [(f"as {label}", "right") for label in labels]
    table = _table((samples, "left"), *heads, ("recall", "right"))
    for label, counts, recall in zip(labels, found["confusion"], found["recall"], strict=True):
        cells = [f"{count:,}" for count in counts.tolist()]
        table.add_row(_cell(label), *cells, "-" if math.isnan(recall) else percent(recall))
    if found["n_repeats"] > 1:
        table.add_row(f"(each sample in {found['n_repeats']} repeats)")
    return table


def _number(value):
    if isinstance(value, str):
        return value
    return "-" if math.isnan(value) else f"{value:.4g}"


def _model_lines(path, n_features, selected_features, **card):
    yield "file", path
    yield "class", card["class_name"]
    if card["classes"] is not None:
        yield "classes", ", ".join(map(str, card["classes"]))
    if n_features is not None or card["classes"] is None:  # counts of sites have classes alone
        yield "features", "not fitted" if n_features is None else f"{n_features:,}"
    if selected_features is not None:
        yield "selected", _first_names(selected_features)
    for name, value in card["parameters"].items():
        yield f"  {name}", _in_words(value)
    for name, value in card["metadata"].items():
        if name in _IN_ROWS and isinstance(value, list):
            yield from zip([name] + [""] * (len(value) - 1), map(_in_words, value), strict=True)
        elif name != "selected_features":
            yield name, _in_words(value)
    centroidal, sklearn = card["centroidal_version"], card["sklearn_version"]
    yield "written by", f"centroidal {centroidal}, scikit-learn {sklearn}"


def _in_words(value):
    if isinstance(value, dict):
        return ", ".join(f"{name} {_in_words(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, map(_in_words, value)))
    return _number(value) if isinstance(value, float) else value


def _first_names(names):
    first = ", ".join(map(str, names[:_MOST_ROWS]))
    more = f", … and {len(names) - _MOST_ROWS:,} more" if len(names) > _MOST_ROWS else ""
    return f"{len(names):,}: {first}{more}"


def _list_files(console, files):
    if files:
        console.print(_cell(f"Written: {', '.join(files)}"), soft_wrap=True)
        console.print()


def _list_steps(console, steps):
    if steps:
        console.print("Next:")
        for name, command in steps.items():
            # In one line, so that it can be copied.
            console.print(_cell(f"  {name}: {command}"), soft_wrap=True)
