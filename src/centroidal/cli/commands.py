"""The commands: each checks its outputs, makes one call to the library, writes and shows."""

import re
import shlex
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from .._optional import require
from ._meanwhile import loading_loops
from ._messages import InputError, WorkError, input_errors
from ._outputs import Output, Outputs

__all__ = ["compare", "datasets", "demo", "export", "merge", "predict", "select", "show"]

_N_RESAMPLES = 50
_N_FOLDS = 5
_SUFFIXES = {
    "--report": (".html",),
    "--model": (".skops",),
    "--features": (".csv",),
    "--export-selected": (".csv", ".parquet"),
    "--output": (".csv",),
    "--checkpoint": (".skops",),
}
_STREAMED = _IN_THREADS = ("l2", "l1")  # methods that work in batches, and in threads
_LABEL = "class"
_MERGED_BY = "centroidal merge"
_NO_SCORE = (
    "How well the merged model does is not known: the scores of its parts are those of other "
    "models. Try it on samples that none of them was trained on."
)
# What the library calls a parameter, and how it was said here.
_OPTIONS = {
    "n_features": "-k",
    "cv": "--folds",
    "n_repeats": "--repeats",
    "n_resamples": "--resamples",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "checkpoint": "--checkpoint",
}


def demo(args, messages):
    """Do the main job on the table that ships with us."""
    outputs = _outputs(args, "--report")
    view = _view(args)
    from ..datasets import load_expression

    genes = load_expression()
    labels = genes.target_names[genes.target]
    selection = _select(
        messages, genes.data, labels, feature_names=genes.feature_names,
        n_resamples=_n_resamples(args), n_jobs=_n_jobs(args), random_state=args.seed,
    )  # fmt: skip
    _write_report(outputs, args, selection)
    truth = genes.informative[selection.selected]
    if args.json:
        return _print(selection=selection, n_informative=truth.sum(), written=outputs.written)
    view.demo(selection, truth, outputs.written)
    return 0


def select(args, messages):
    """Select features of a table, score the selection, write what is asked for."""
    _check_stream(args)
    if args.compare and args.report is None:
        raise InputError(
            "--compare adds to the report, so it needs --report R.html; the command compare "
            "works without."
        )
    named = ("--report", "--model", "--features", "--export-selected", "--checkpoint")
    outputs = _outputs(args, *named, inputs=[args.table])
    view = _view(args)
    work = _select_stream if args.stream else _select_table
    table, selection, comparison = work(args, messages)
    _write_selection(outputs, args, selection, table, comparison)
    if args.json:
        return _print(table=table, selection=selection, written=outputs.written)
    view.selection(selection, table, outputs.written, _next_steps(args, outputs.written))
    return 0


def compare(args, messages):
    """Compare classifiers on a table; if interrupted, show what is finished and write nothing."""
    outputs = _outputs(args, "--report", "--output", inputs=[args.table])
    view = _view(args)
    table = _read(args, messages)
    run = _begin_comparison(args, table)
    try:
        comparison = _finish(run, messages)
    except KeyboardInterrupt:
        if not run.n_done:
            raise
        _show_comparison(args, view, run.comparison(), table, [])
        raise KeyboardInterrupt(
            f"{run.n_done} of {len(run)} fits are in the table, nothing was written"
        ) from None
    _write_report(outputs, args, comparison=comparison, table=table)
    outputs.write("--output", lambda path, force: _write_scores(path, comparison, force))
    _show_comparison(args, view, comparison, table, outputs.written)
    return 0


def predict(args, messages):
    """Predict the classes of the samples of a table."""
    outputs = _outputs(args, "--output", inputs=[args.model, args.table])
    view = _view(args)
    from ..io.prediction import predict_table, read_new_samples

    card, model = _load(args.model)
    target = card.metadata.get("target")
    if target in (card.feature_names or ()):  # a feature of the same name, which is needed
        target = None
    with input_errors():
        table = read_new_samples(
            args.table, target=target, ids=args.id, drop=args.drop, transpose=args.transpose,
            layer=args.layer,
        )  # fmt: skip
        found = predict_table(model, table, target=target, allow_extra=args.allow_extra)
    messages.remarks(found.remarks)
    outputs.write("--output", found.write_csv)
    if args.json:
        return _print(
            n_samples=len(found.labels), classes=found.classes, remarks=found.remarks,
            counts=_counts(found), written=outputs.written,
        )  # fmt: skip
    view.predictions(found.classes, _counts(found), outputs.written)
    return 0


def show(args, messages):
    """Show what a model file says, and build the model only to find the selected features."""
    view = _view(args)
    from ..persistence import read_model_card

    with input_errors():
        card = read_model_card(_existing(args.model))
    selected, n_features = _selected_of(card, args.model)
    if args.json:
        facts = {name: getattr(card, name) for name in card.__dataclass_fields__}
        return _print(n_features=n_features, selected_features=selected, **facts)
    view.model(args.model, card, n_features, selected)
    return 0


def merge(args, messages):
    """Merge models of different samples, without the samples."""
    outputs = Outputs(
        Output("--output", args.output, (".skops",)), force=args.force, inputs=args.models
    )
    view = _view(args)
    _check_each_once(args.models)
    from ..io.merging import class_counts, merge_models
    from ..persistence import save_model

    cards, models = zip(*map(_load, args.models), strict=True)
    with input_errors():
        model, remarks = merge_models(
            models, n_features=args.n_features, names=args.models, return_remarks=True
        )
    counts = [class_counts(each) for each in models]
    sources = _sources(args.models, cards, counts)
    target, on_target = _common_target(args.models, cards)
    remarks += (*on_target, *_on_repeated(sources))
    messages.remarks(remarks)
    facts = _merged_facts(model, class_counts(model), sources, target, (*remarks, _NO_SCORE))
    outputs.write(
        "--output", lambda path, force: save_model(model, path, metadata=facts, force=force)
    )
    if args.json:
        return _print(
            class_name=type(model).__name__, classes=model.classes_,
            n_features=model.n_features_in_, **facts, written=outputs.written,
        )  # fmt: skip
    view.merged(model, dict(zip(args.models, counts, strict=True)), facts, outputs.written)
    return 0


def export(args, messages):
    """Translate a model to ONNX."""
    outputs = Outputs(
        Output("--output", args.output, (".onnx",)), force=args.force, inputs=[args.model]
    )
    view = _view(args)
    require("onnx", "onnx", "An ONNX graph")
    from ..io import to_onnx

    _, model = _load(args.model)
    with input_errors(TypeError):
        to_onnx(model)
    outputs.write("--output", lambda path, force: to_onnx(model, path, force=force))
    if args.json:
        return _print(written=outputs.written)
    view.written(outputs.written)
    return 0


def datasets(args, messages):
    """List what ships and what can be generated, or write one as a table."""
    if (args.name is None) != (args.output is None):
        raise InputError(
            "NAME and -o TABLE.csv belong together; without both the data sets are listed."
        )
    suffixes = (".csv", ".parquet")
    outputs = Outputs(Output("--output", args.output, suffixes), force=args.force)
    view = _view(args)
    if outputs.is_asked("--output", ".parquet"):
        require("pyarrow", "io", "Writing .parquet")
    known = _known_datasets()
    if args.name is None:
        lines = {name: _first_line(make) for name, make in known.items()}
        if args.json:
            return _print(datasets=lines)
        view.datasets(lines)
        return 0
    if args.name not in known:
        raise InputError(f"NAME {args.name} must be one of {', '.join(known)}.")
    from ._tables import write_table

    X, y, names = _generated(known[args.name], args.seed)
    outputs.write("--output", lambda path, force: write_table(path, {_LABEL: y}, X, names, force))
    if args.json:
        return _print(n_samples=X.shape[0], n_features=X.shape[1], written=outputs.written)
    view.written(outputs.written, f"centroidal select {shlex.quote(args.output)} --target {_LABEL}")
    return 0


# ------------------------------------------------------------------ before the work


def _outputs(args, *options, inputs=()):
    """Check the files to write, and that the packages which write them are there."""
    paths = {option: getattr(args, option[2:].replace("-", "_")) for option in options}
    outputs = Outputs(
        *(
            Output(option, path, _SUFFIXES[option], may_exist=option == "--checkpoint")
            for option, path in paths.items()
        ),
        force=args.force,
        inputs=inputs,
    )
    if outputs.is_asked("--report"):
        for package in ("jinja2", "altair", "vl_convert"):
            require(package, "report", "A report")
    if outputs.is_asked("--model"):
        require("skops.io", "persist", "A model file")
    if outputs.is_asked("--checkpoint"):
        require("skops.io", "persist", "A checkpoint")
    if outputs.is_asked("--export-selected", ".parquet"):
        require("pyarrow", "io", "Writing .parquet")
    return outputs


def _view(args):
    """Return the module that shows results, None if they are to be JSON."""
    if args.json:
        return None
    require("rich", "cli", "The command line, unless with --json,")
    return import_module("._show", __package__)


def _existing(path):
    if not Path(path).is_file():
        raise InputError(f"There is no file {path}.")
    return path


def _read(args, messages):
    from ..io import read_table

    if Path(args.table).is_dir():
        who = "--stream reads it" if args.command == "select" else "only select --stream reads one"
        raise InputError(f"{args.table} is a folder, not a file; {who}.")
    messages.note(f"Reading {args.table} ...")
    with loading_loops(), input_errors():
        table = read_table(
            args.table, target=args.target, ids=args.id, drop=args.drop,
            transpose=args.transpose, layer=args.layer, impute=args.impute,
        )  # fmt: skip
    messages.remarks(table.remarks)
    return table


def _load(path):
    from ..persistence import load_model, read_model_card

    with input_errors():
        return read_model_card(_existing(path)), load_model(path)


def _n_resamples(args):
    asked = getattr(args, "resamples", None)
    if asked is not None:
        return asked
    return _N_RESAMPLES if args.report or getattr(args, "features", None) else 0


def _n_jobs(args, method="l2"):
    """Cores to use; if nothing is said all where threads do, which start at once, else one."""
    return -1 if args.jobs is None and method in _IN_THREADS else args.jobs


def _check_stream(args):
    """Raise if an option needs all samples in memory, which is what --stream is to avoid."""
    if not args.stream:
        if args.checkpoint is not None:
            raise InputError(f"--checkpoint {args.checkpoint} needs --stream.")
        return
    if args.method not in _STREAMED:
        raise InputError(
            f"--stream knows --method {' and '.join(_STREAMED)}; {args.method} needs all samples "
            "in memory."
        )
    for option in ("--impute", "--transpose", "--resamples", "--compare", "--export-selected"):
        if getattr(args, option[2:].replace("-", "_")):
            raise InputError(f"{option} needs all samples in memory, so not with --stream.")
    if args.repeats not in (None, 1):
        raise InputError(f"--repeats {args.repeats} must be 1 with --stream: folds are drawn once.")


# ------------------------------------------------------------------ the work


def _select_table(args, messages):
    """Return the table, the selection, and the comparison if it is asked for."""
    table = _read(args, messages)
    run = _begin_comparison(args, table) if args.compare else None
    selection = _select(
        messages, table.X, table.y, method=args.method, n_features=args.n_features,
        rule=args.rule, scoring=args.scoring, cv=args.folds, n_repeats=args.repeats,
        impute=table.impute, n_resamples=_n_resamples(args), feature_names=table.feature_names,
        n_jobs=_n_jobs(args, args.method), random_state=args.seed,
    )  # fmt: skip
    return table, selection, None if run is None else _finish(run, messages)


def _select_stream(args, messages):
    """Do the same with batches, which cannot be compared."""
    from ..io import select_batches
    from ..streaming import batches

    with input_errors():
        rows = batches(
            args.table, target=args.target, ids=args.id, drop=args.drop, layer=args.layer
        )
    with messages.bar("Selecting features") as advance, _stream_errors(args):
        selection = select_batches(
            rows, method=args.method, n_features=args.n_features, rule=args.rule,
            scoring=args.scoring, cv=args.folds, checkpoint=args.checkpoint,
            n_jobs=_n_jobs(args, args.method), random_state=args.seed, progress=advance,
        )  # fmt: skip
    return rows, selection, None


@contextmanager
def _stream_errors(args):
    """Word what may go wrong while batches are read; most of it is known only then."""
    try:
        yield
    except ValueError as error:
        raise InputError(_as_said_here(error)) from error
    except OSError as error:
        if error.errno is None or args.checkpoint is None:  # in a batch, which is named
            raise InputError(str(error)) from error
        raise WorkError(
            f"--checkpoint {args.checkpoint} could not be written: {error.strerror}."
        ) from error
    except KeyboardInterrupt:
        if args.checkpoint is None or not Path(args.checkpoint).exists():
            raise
        raise KeyboardInterrupt(
            f"the same command goes on from {args.checkpoint}, nothing else was written"
        ) from None


def _select(messages, X, y, **options):
    """Select; what is refused before the first step is wrong input, any later error is not."""
    from ..model_selection import select_features

    steps = []
    with messages.bar("Selecting features") as advance:

        def tell(*step):
            steps.append(step)
            advance(*step)

        try:
            return select_features(X, y, progress=tell, **options)
        except ValueError as error:
            if steps:
                raise
            raise InputError(_as_said_here(error)) from error


def _as_said_here(error):
    """Call parameters by the names of the options."""
    text = str(error)
    for name, option in _OPTIONS.items():
        text = re.sub(rf"\b{name}(=| (?=was ))", f"{option} ", text)
    return text


def _begin_comparison(args, table):
    from ..model_selection import iter_comparison

    n_folds = _n_folds(args.folds, table.y)
    try:
        return iter_comparison(
            _lineup(args, table, n_folds), table.X, table.y, cv=n_folds, n_repeats=args.repeats,
            scoring=args.scoring, impute=table.impute, n_jobs=args.jobs, random_state=args.seed,
        )  # fmt: skip
    except ValueError as error:
        raise InputError(_as_said_here(error)) from error


def _n_folds(asked, y):
    """Return the number of folds; if nothing is said, as many as the rarest class allows."""
    label, count = _rarest(y)
    if count < 3:
        raise InputError(
            f"class {label!r} has {count} sample{'' if count == 1 else 's'}; at least 3 are needed "
            "to compare. Leave it out, or join it with another class."
        )
    return min(_N_FOLDS, count) if asked is None else asked


def _rarest(y):
    labels, counts = import_module("numpy").unique(y, return_counts=True)
    return labels.tolist()[counts.argmin()], int(counts.min())


def _lineup(args, table, n_folds):
    """Return whom to compare; None is the default."""
    if not getattr(args, "neural", False):
        return None
    from scipy.sparse import issparse

    from ..model_selection import comparison_lineup

    require("torch", "neural", "--neural")
    _, count = _rarest(table.y)
    n_training = count - -(-count // n_folds)  # of the rarest class, in the smallest training part
    return comparison_lineup(
        table.X.shape[1], is_sparse=issparse(table.X), inner_cv=max(2, min(_N_FOLDS, n_training)),
        scoring=args.scoring, neural=True,
    )  # fmt: skip


def _finish(run, messages):
    with messages.bar("Comparing classifiers") as advance:
        for result in run:
            advance(run.n_done, len(run), result.name)
    comparison = run.comparison()
    for name in comparison.names:
        errors = [each.error for each in comparison.results_of(name) if each.error]
        if errors:
            messages.note(f"Warning: {name} failed in {len(errors)} folds, first: {errors[0]}")
    return comparison


def _counts(found):
    labels = found.labels.tolist()
    return {str(label): labels.count(label) for label in found.classes.tolist()}


def _selected_of(card, path):
    """Names of the selected features, and the number of all; from the card if it has both."""
    if "selected_features" in card.metadata and card.feature_names is not None:
        return card.metadata["selected_features"], len(card.feature_names)
    from ..io.prediction import columns_read

    _, model = _load(path)
    n_features = getattr(model, "n_features_in_", None)
    if n_features is None:  # not fitted
        return None, None
    is_read = columns_read(model)
    if is_read is None:
        return None, n_features
    names = card.feature_names or [f"x{j}" for j in range(n_features)]
    return [name for name, read in zip(names, is_read, strict=True) if read], n_features


# ------------------------------------------------------------------ after the work


def _command_of(args):
    return shlex.join(["centroidal", *args.argv])


def _write_report(outputs, args, selection=None, comparison=None, table=None):
    def write(path, force):
        from ..report import write_report

        write_report(
            path, selection, comparison, table=table, command=_command_of(args), force=force
        )

    outputs.write("--report", write)


def _write_selection(outputs, args, selection, table, comparison):
    from ..persistence import save_model
    from ._facts import feature_columns, model_metadata
    from ._tables import write_columns, write_table

    def save(path, force):
        save_model(selection.model, path, metadata=model_metadata(selection, table), force=force)

    def export_selected(path, force):
        first = {} if table.ids is None else {_free_name(selection, table): table.ids}
        first[table.target] = table.y
        X, names = table.X[:, selection.selected], selection.selected_names.tolist()
        write_table(path, first, X, names, force)

    outputs.write("--model", save)
    outputs.write(
        "--features",
        lambda path, force: write_columns(path, feature_columns(selection), force),
    )
    outputs.write("--export-selected", export_selected)
    _write_report(outputs, args, selection, comparison, table)


def _free_name(selection, table):
    """Return a name for the column of ids that no other column has."""
    name = "id"
    while name in (table.target, *selection.selected_names):
        name = f"sample_{name}"
    return name


def _write_scores(path, comparison, force):
    from ._facts import comparison_columns
    from ._tables import write_columns

    write_columns(path, comparison_columns(comparison), force)


def _next_steps(args, written):
    """Return the commands that come next."""
    again = _command_of(args) + (" --force" if written and not args.force else "")
    steps = {}
    if args.model is None:
        steps["keep the model"] = f"{again} --model model.skops"
    else:
        model = shlex.quote(args.model)
        steps["predict new samples"] = f"centroidal predict {model} NEW.csv -o predictions.csv"
    if args.report is None:
        steps["see more in a report"] = f"{again} --report report.html"
    if not args.stream:
        table, target = shlex.quote(args.table), shlex.quote(args.target)
        steps["compare classifiers"] = f"centroidal compare {table} --target {target}"
    return steps


def _show_comparison(args, view, comparison, table, written):
    if args.json:
        _print(table=table, comparison=comparison, written=written)
    else:
        view.comparison(comparison, table, written)


def _print(**facts):
    """Print one JSON object; of tables, selections and comparisons what is worth knowing."""
    from . import _facts

    told = {
        "table": _facts.table_facts,
        "selection": _facts.selection_facts,
        "comparison": _facts.comparison_facts,
    }
    _facts.print_json(
        {name: told[name](value) if name in told else value for name, value in facts.items()}
    )
    return 0


# ------------------------------------------------------------------ merging


def _check_each_once(paths):
    seen = set()
    for path in paths:
        if Path(path).resolve() in seen:
            raise InputError(f"{path} is given twice; its samples would count twice.")
        seen.add(Path(path).resolve())


def _sources(paths, cards, counts):
    """Return where the samples come from, as the cards say; what was merged before, by its parts.

    A card is a claim of its file, so only texts and numbers are taken from it.
    """
    sources = []
    for path, card, count in zip(paths, cards, counts, strict=True):
        before = card.metadata.get("sources")
        is_merged = card.metadata.get("made_by") == _MERGED_BY and isinstance(before, list)
        parts = [_source(each) for each in before if isinstance(each, dict)] if is_merged else []
        own = card.metadata | {"file": Path(path).name, "n_samples": sum(count.values())}
        sources += list(filter(None, parts)) or [_source(own)]
    return sources


def _source(facts):
    names = ("file", "source", "digest", "n_samples")
    return {name: facts[name] for name in names if isinstance(facts.get(name), str | int | float)}


def _common_target(paths, cards):
    """Return the name of the labels if all have the same, and remarks if they differ."""
    targets = [card.metadata.get("target") for card in cards]
    if all(isinstance(each, str) and each == targets[0] for each in targets):
        return targets[0], ()
    if len({each for each in targets if isinstance(each, str)}) < 2:
        return None, ()
    said = ", ".join(f"{path}: {target}" for path, target in zip(paths, targets, strict=True))
    return None, (
        f"The labels have different names ({said}), so the merged model remembers none; predict "
        "leaves out a column of labels only if --drop names it.",
    )


def _on_repeated(sources):
    """Remark on tables that several models were trained on."""
    files = {}
    for each in sources:
        if "digest" in each:
            files.setdefault(each["digest"], []).append(each.get("file", "?"))
    for names in files.values():
        if len(names) > 1:
            yield f"{', '.join(names)} come from the same table; its samples count several times."


def _merged_facts(model, counts, sources, target, remarks):
    """Return what the card of a merged model says; no score, as there is none."""
    from .._json import json_plain

    facts = {
        "made_by": _MERGED_BY,
        "sources": sources,
        "target": target,
        "n_samples": sum(counts.values()),
        "class_counts": counts,
        "selected_features": _selected_names(model),
        "remarks": remarks,
    }
    plain = {name: value for name, value in facts.items() if value is not None}
    return json_plain(plain, finite=True)


def _selected_names(model):
    """Names of the features that a model reads, the best first; None if it reads all of them."""
    from ..io.prediction import columns_read

    is_read = columns_read(model)
    if is_read is None:
        return None
    columns = range(model.n_features_in_)
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in columns])
    return [str(names[j]) for j in getattr(model, "feature_ranking_", columns) if is_read[j]]


# ------------------------------------------------------------------ data sets


def _known_datasets():
    """Return the shipped table and the generators, by name."""
    from .. import datasets

    generators = [name for name in datasets.__all__ if name.startswith("make_")]
    return {"expression": datasets.load_expression} | {
        name: getattr(datasets, name) for name in generators
    }


def _first_line(make):
    return make.__doc__.strip().split("\n")[0]


def _generated(make, seed):
    """Return samples, labels and names of a data set, as it is if nothing more is said."""
    found = make() if make.__name__.startswith("load_") else make(random_state=seed)
    if isinstance(found, tuple):
        X, y, *_ = found
        return X, y, _numbered(X)
    y = found.target_names[found.target] if "target_names" in found else found.target
    names = found.get("feature_names", _numbered(found.data))
    return found.data, y, [str(name) for name in names]


def _numbered(X):
    return [f"x{j}" for j in range(X.shape[1])]
