"""Select the features that tell the classes of a table apart: the main job."""

import shlex
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from ..._optional import require
from ...model_selection.methods import (
    AUTO,
    BEST,
    CLASSIFIERS,
    DEFAULT,
    METHODS,
    SCORES,
    SCORINGS,
    meant_method,
    merging_methods,
)
from .. import display
from ..documents import OF_TEXT, add_text, check_text, streamed_text, text_options
from ..files import (
    Outputs,
    command_line,
    groups_of,
    input_files,
    name_columns,
    plain_metadata,
    read_costs,
    read_feature_costs,
    read_names,
    read_samples,
    table_values,
    write_columns,
    write_report,
    write_table,
)
from ..messages import InputError, WorkError, input_errors
from ..options import (
    EVALUATION,
    PREPARING,
    READING,
    SHEET,
    TABLE,
    add_options,
    given_options,
    number_reader,
    option_names,
    option_value,
    preprocess_names,
    real_numbers,
    whole_number,
)
from .compare import begin_comparison, finish_comparison

HELP = "Select the features that tell the classes of a table apart."
EXAMPLES = """\
  centroidal select expression.csv --target tumour
  centroidal select expression.csv --target tumour -k 20 --model tumour.skops
  centroidal select genes.tsv --transpose --samples sheet.csv --target tumour --groups patient
  centroidal select expression.csv --target tumour --method best --report report.html
  centroidal select reviews.csv --text body --target label --model reviews.skops
  centroidal select expression.csv --target tumour --distinct 0.8 --include TP53
  centroidal select mails/ --text --target class --encoding latin-1 --report mails.html
  centroidal select cells.h5ad --target kind --layer counts --normalise 1e4 --log1p --stream
  centroidal select parts/ --target tumour --stream --checkpoint so_far.skops
  centroidal select s3://bucket/parts --target tumour --cluster tcp://scheduler:8786"""

_N_RESAMPLES, _N_PERMUTATIONS, _N_STAND_INS = 50, 1000, 3
_MANY = 100  # permutations from which on processes are worth their start
_IN_MEMORY = (
    "--impute", "--join", "--transpose", "--duplicates", "--delimiter", "--decimal", *SHEET,
    "--resamples", "--covariates",
    "--compare", "--export-selected", "--distinct", "--feature-costs", "--budget", "--stand-ins",
)  # fmt: skip
_FOLDERS = (
    "; with --stream also a folder of .parquet files or of text, a pattern such as "
    "'parts/*.parquet', or the URL of Parquet or .zarr, such as s3://bucket/parts"
)
_FILES = {
    "--report": (".html",),
    "--model": (".skops",),
    "--features": (".csv",),
    "--export-selected": (".csv", ".parquet"),
    "--checkpoint": (".skops",),
    "--write-back": (".h5ad",),
}
_NOT_WRITTEN_BACK = (
    "--samples",
    "--join",
    "--impute",
    "--duplicates",
    "--text",
)  # as the file has it


# ------------------------------------------------------------------ arguments


def add_arguments(parser, is_audit=False):
    """Add the arguments; an audit does without those that it answers itself."""
    folders = "" if is_audit else _FOLDERS
    folders += (
        "; with --text also .jsonl (also .gz), or a folder with a folder a class and a file a "
        "document"
    )
    parser.add_argument("table", metavar="TABLE", help=TABLE + folders)
    add_options(parser, "--target")
    reading = parser.add_argument_group("reading the table")
    add_options(reading, *READING, *SHEET, "--impute", *PREPARING)
    if is_audit:
        parser.set_defaults(audit=True, learning_curve=True)
        parser.set_defaults(stream=False, checkpoint=None, cluster=None, workers=None)
    else:
        _add_stream(reading)
    add_text(parser.add_argument_group("documents"))
    _add_selection(parser.add_argument_group("selection"))
    _add_evidence(parser.add_argument_group("can the number be believed?"), is_audit)
    _add_panel(parser.add_argument_group("panel: what is wished of the selected features"))
    _add_files(parser.add_argument_group("files to write"))


def _add_stream(group):
    group.add_argument(
        "--stream", action="store_true",
        help="read the table in batches, as often as needed, for one that does not fit in memory "
        "(out-of-core)",
    )  # fmt: skip
    group.add_argument(
        "--checkpoint", metavar="C.skops",
        help="with --stream: checkpoint file; after an interruption the same command resumes there",
    )  # fmt: skip
    group.add_argument(
        "--workers", type=whole_number(1), metavar="N",
        help="read the table, as with --stream, in N processes of Dask, which are ended after it",
    )  # fmt: skip
    group.add_argument(
        "--cluster", metavar="ADDRESS",
        help="the same on the cluster of a Dask scheduler, such as tcp://scheduler:8786, whose "
        "workers can read the table",
    )  # fmt: skip


def describe_methods():
    """Say in a line what each value of --method stands for."""
    methods = {key: each for key, each in METHODS.items() if each.selects}
    costly = " and ".join(key for key, each in methods.items() if each.is_costly)
    lines = {key: each.summary for key, each in methods.items()}
    recursive, reason = meant_method(AUTO)
    auto = f"{recursive} {reason}, else {meant_method(AUTO, in_memory=False)[0]}"
    return {
        AUTO: auto, **lines, BEST: f"whichever of them, but {costly}, does best in the folds"
    }  # fmt: skip


def _add_selection(group):
    methods = describe_methods()
    words = "; ".join(f"{key}, {summary}" for key, summary in methods.items())
    group.add_argument(
        "--method", choices=tuple(methods), default=DEFAULT,
        help=f"how features are ranked: {words} (default: {DEFAULT})",
    )  # fmt: skip
    group.add_argument(
        "--screen", type=whole_number(1), metavar="N",
        help="let l2 choose N features for the method, in each training set by itself; with "
        "--workers and --cluster this is done there, so that any method may follow",
    )  # fmt: skip
    group.add_argument(
        "--classifier", choices=CLASSIFIERS, default=AUTO,
        help="what classifies by the selected features; any is whichever of the others does best "
        "in the folds, and auto the same, but nearest centers for l2 and l1 (default: auto)",
    )  # fmt: skip
    group.add_argument(
        "-k", "--n-features-to-select", type=whole_number(1, word="auto"), default="auto",
        metavar="N|auto",
        help="how many features to select; auto chooses by cross-validation (default: auto)",
    )  # fmt: skip
    group.add_argument(
        "--max-features", type=whole_number(1, word="none"), metavar="N|none",
        help="the most features that auto may choose (default: 200 with --text, else none)",
    )  # fmt: skip
    group.add_argument(
        "--rule", choices=("best", "one_se"), default="one_se",
        help="auto takes the number with the best score, or the smallest within one standard error "
        "of it (default: one_se)",
    )  # fmt: skip
    group.add_argument(
        "--scoring", choices=SCORINGS, default="accuracy",
        help="what counts, and chooses the number of features; of losses the negative, so that "
        "more is better (default: accuracy)",
    )  # fmt: skip
    group.add_argument(
        "--class-weight", action="append", metavar="balanced|CLASS=N",
        help="what an error costs, by its true class: balanced weighs small classes more; "
        "CLASS=N, once for each class, 1 for those that are not named; predictions are then those "
        "of the least expected cost",
    )  # fmt: skip
    group.add_argument(
        "--costs", metavar="FILE",
        help="the same for each kind of error: .csv or .tsv with true classes in the first column "
        "and predicted ones in the first row, or .json",
    )  # fmt: skip
    add_options(group, *EVALUATION, "--blocks")
    even = number_reader(lambda number: number >= 0 and number % 2 == 0, "an even number from 0 on")
    group.add_argument(
        "--resamples", type=even, metavar="N",
        help="halves of the samples in which to select anew, to see how stable it is; an even "
        "number (default: 50 with --report or --features, else 0)",
    )  # fmt: skip


def _add_evidence(group, is_audit):
    usual = 1000 if is_audit else "1000 with --audit, else 0"
    group.add_argument(
        "--permutations", type=whole_number(0), metavar="N",
        help="do all of it N times with permuted labels, for a p-value of the score and of each "
        "feature; labels of whole groups where they are per group "
        f"(default: {usual})",
    )  # fmt: skip
    group.add_argument(
        "--permute-within", choices=("blocks",),
        help="permute labels inside the blocks only, so that what differs between them counts for "
        "nothing",
    )  # fmt: skip
    group.add_argument(
        "--stop-after", type=whole_number(1), metavar="N",
        help="stop when N permutations score as well as the labels: p is not small then",
    )  # fmt: skip
    group.add_argument(
        "--covariates", action="append", default=[], metavar="COLUMN",
        help="age, sex or whatever may explain the classes: how well it does by itself, and the "
        "features without what it explains; no feature; may be given several times",
    )  # fmt: skip
    if is_audit:
        return
    group.add_argument(
        "--learning-curve", action="store_true",
        help="select from fewer samples as well, to see what more would give",
    )  # fmt: skip
    group.add_argument(
        "--audit", action="store_true",
        help="can the number be believed? --permutations 1000 and --learning-curve, and a list of "
        "verdicts; the command audit shows them first",
    )  # fmt: skip


def _add_panel(group):
    group.add_argument(
        "--include", action="append", metavar="NAME|@FILE",
        help="a feature that must be in, or a file with a name a line; may be given several times",
    )  # fmt: skip
    group.add_argument(
        "--exclude", action="append", metavar="NAME|@FILE",
        help="a feature that must stay out, in the same way",
    )  # fmt: skip
    group.add_argument(
        "--distinct", type=float, metavar="R",
        help="no copies: of features that correlate by more than R inside the classes, only the "
        "one that ranks first",
    )  # fmt: skip
    group.add_argument(
        "--per-class", type=whole_number(1, word="auto"), metavar="N|auto",
        help="how many markers for each class, in place of a number of features; auto chooses",
    )  # fmt: skip
    group.add_argument(
        "--feature-costs", metavar="FILE",
        help="what it costs to measure each feature: .csv or .tsv with names and costs, or .json",
    )  # fmt: skip
    group.add_argument(
        "--budget", type=real_numbers, metavar="B[,B...]",
        help="what the selected features may cost together, in place of a number of features; of "
        "several budgets one is chosen, as a number would be",
    )  # fmt: skip
    group.add_argument(
        "--stand-ins", type=whole_number(0), metavar="N",
        help="the most features to look for that could take the place of a selected one "
        f"(default: {_N_STAND_INS})",
    )  # fmt: skip


def _add_files(group):
    add_options(group, "--report")
    group.add_argument(
        "--compare", action="store_true",
        help="add a comparison with other classifiers to the report; takes some minutes",
    )  # fmt: skip
    group.add_argument("--model", metavar="M.skops", help="the fitted model, for predict")
    group.add_argument(
        "--features", metavar="F.csv", help="the selected features: rank, gain, stand-ins, centers"
    )
    group.add_argument(
        "--export-selected", metavar="S.csv|S.parquet",
        help="the table with the selected features only",
    )  # fmt: skip
    group.add_argument(
        "--write-back", nargs="?", const="", metavar="OUT.h5ad",
        help="of an .h5ad file a copy with the selected genes in var, predictions in obs and "
        "markers of each class in uns, where scanpy's plots look for them; without a name in place",
    )  # fmt: skip
    add_options(group, "--no-call", "--force")


# ------------------------------------------------------------------ the work


def run(args, messages):
    """Select features of a table, score the selection, write what is asked for."""
    select_and_show(args, messages, display.selection)


def select_and_show(args, messages, shown):
    """Do so, show it by a function of `display`, and return the selection."""
    check_text(args, "--export-selected")
    _check_stream(args)
    _check_budget(args)
    if args.compare and args.report is None:
        raise InputError(
            "--compare adds to the report, so it needs --report R.html; the command compare "
            "works without."
        )
    if args.compare and (args.costs or args.class_weight):
        raise InputError("--compare knows no costs: leave --costs and --class-weight out, or it.")
    if args.compare and args.scoring not in SCORES:
        raise InputError(
            f"--compare knows --scoring {', '.join(SCORES)}; {args.scoring} is for the selection "
            "alone."
        )
    outputs = _check_outputs(args)
    work = _select_stream if _way(args) else _select_table
    table, selection, comparison = work(args, messages)
    selection = name_columns(selection, args)
    values = {"table": table_values(table), "selection": selection.to_dict()}
    note, rows = selection.group_summary(), selection.metric_rows()
    if note:
        messages.note(f"Note: {note}")
    steps, show = _next_steps(args, table, outputs), partial(shown, rows=rows)
    with display.answer(args, outputs, show, steps, **values):
        _write(outputs, args, selection, table, comparison)
    return selection


def _check_outputs(args):
    """Return the files to write; the table itself may be one of them, if that is asked for."""
    if args.write_back is None:
        if args.no_call is not None:
            raise InputError("--no-call is for --write-back, and for the command predict.")
        return Outputs(args, _FILES, inputs=input_files(args), may_exist=["--checkpoint"])
    if Path(args.table).suffix != ".h5ad":
        raise InputError(f"--write-back is for .h5ad files, not for {args.table}.")
    for option in _NOT_WRITTEN_BACK:
        if option_value(args, option):
            raise InputError(f"--write-back writes to the file as it is, so not with {option}.")
    if args.no_call is not None and _way(args):
        raise InputError(f"--no-call is for all samples in memory, so not with {_way(args)}.")
    may_exist, inputs = ["--checkpoint"], input_files(args)
    if args.write_back in ("", args.table):
        args.write_back, inputs = args.table, []
        may_exist.append("--write-back")
    return Outputs(args, _FILES, inputs=inputs, may_exist=may_exist)


def select_samples(messages, X, y, **options):
    """Select; what is refused before the first step is wrong input, any later error is not."""
    from ...model_selection import select_features

    with messages.bar("Selecting features") as bar:
        try:
            selection = select_features(X, y, progress=bar, **options)
        except ValueError as error:
            if bar.n_done:
                raise
            raise InputError(option_names(error)) from error
    for each in selection.suspicions:
        messages.note(f"Warning: {each['sentence']}")
    return selection


def n_resamples(args):
    """Return how many halves to select from; if nothing is said, some where they are shown."""
    asked = getattr(args, "resamples", None)
    if asked is not None:
        return asked
    return _N_RESAMPLES if args.report or getattr(args, "features", None) else 0


def use_cores(args, method):
    """Return the cores to use; if nothing is said, all for threads or much work, else one."""
    uses_threads = method in METHODS and METHODS[method].threads
    is_long = hasattr(args, "permutations") and _evidence(args)["n_permutations"] >= _MANY
    return -1 if args.jobs is None and (uses_threads or is_long) else args.jobs


def _check_budget(args):
    """Raise if one of costs and budget is there without the other."""
    pair = ("--budget", "--feature-costs")
    for given, missing in (pair, pair[::-1]):
        if option_value(args, given) is not None and option_value(args, missing) is None:
            raise InputError(f"{given} needs {missing} as well.")


def _check_stream(args):
    """Raise if an option needs all samples in memory, which is what --stream is to avoid."""
    way = _way(args)
    if way != "--stream" and args.checkpoint is not None:
        raise InputError(f"--checkpoint {args.checkpoint} needs --stream.")
    if way is None:
        return
    if args.workers is not None and args.cluster is not None:
        raise InputError("--workers starts a cluster and --cluster names one; give one of them.")
    if way != "--stream" and args.jobs is not None:
        raise InputError(f"--jobs is for cores of this process, so not with {way}.")
    streamed = merging_methods()
    if way == "--stream":
        streamed = [key for key, each in METHODS.items() if each.selects and each.streams]
    is_screened = args.screen is not None and way != "--stream"
    method, _ = meant_method(args.method, in_memory=False)
    if method not in streamed and not is_screened:
        raise InputError(
            f"{way} knows --method {' and '.join(streamed)}; {method} needs all samples in memory."
        )
    if args.text is not None and (method != "l2" or way != "--stream"):
        raise InputError(f"--text goes with --stream --method l2, not with {way} {method}.")
    for option in (*_IN_MEMORY, "--min-df", "--counts", "--sublinear"):
        if option_value(args, option):
            raise InputError(f"{option} is for all samples in memory, so not with {way}.")


def _way(args):
    """Return the option by which the table is not read whole; None if it is."""
    ways = ("--workers", "--cluster", "--stream")
    return next((option for option in ways if option_value(args, option)), None)


def _parameters(args, method):
    """Return what is asked for, in memory and in batches, as the library calls it.

    `method` is the one that is meant.
    """
    return {
        "method": args.method,
        "classifier": args.classifier,
        "screen": args.screen,
        "n_features_to_select": args.n_features_to_select,
        "max_features": _most_features(args),
        "rule": args.rule,
        "scoring": args.scoring,
        "costs": read_costs(args.costs),
        "class_weight": _class_weight(args.class_weight),
        "include": read_names("--include", args.include),
        "exclude": read_names("--exclude", args.exclude),
        "per_class": args.per_class,
        "cv": args.folds,
        "n_repeats": args.repeats,
        "n_jobs": use_cores(args, method),
        "random_state": args.seed,
    }


def _most_features(args):
    return {None: "auto", "none": None}.get(args.max_features, args.max_features)


def _class_weight(words):
    """Return what --class-weight says, as the library takes it."""
    if words is None or words == ["balanced"]:
        return None if words is None else "balanced"
    weights = {}
    for word in words:
        label, _, number = word.rpartition("=")
        try:
            weights[label] = float(number)
        except ValueError:
            raise InputError(
                f"--class-weight {word} must be balanced, or CLASS=N with a number N."
            ) from None
    return weights


def _select_table(args, messages):
    """Return the table, the selection, and the comparison if it is asked for."""
    table = read_samples(args, messages)
    method = _method_of_table(args, table, messages)
    fits = begin_comparison(args, table) if args.compare else None
    selection = select_samples(
        messages, table.X, table.y, **_parameters(args, method),
        groups=groups_of(args, table), blocks=_blocks(args, table), impute=table.impute,
        preprocess=preprocess_names(args), text=text_options(args),
        n_resamples=n_resamples(args), feature_names=table.feature_names,
        **_evidence(args), covariates=_covariates(args, table),
        distinct=args.distinct, feature_costs=read_feature_costs(args.feature_costs),
        budget=args.budget,
        n_stand_ins=_N_STAND_INS if args.stand_ins is None else args.stand_ins,
    )  # fmt: skip
    comparison = None if fits is None else finish_comparison(fits, args, messages)
    return table, selection, comparison


def _method_of_table(args, table, messages):
    """Return the method that is meant; say if it makes permutations long, where another would not.

    It is the same with and without permutations: what is tested is what is selected.
    """
    from scipy.sparse import issparse

    is_sparse = args.text is not None or issparse(table.X)
    method, reason = meant_method(
        args.method, n_samples=len(table.y), is_sparse=is_sparse,
        has_budget=args.budget is not None,
    )  # fmt: skip
    number = _evidence(args)["n_permutations"]
    if reason is not None and number and not METHODS[method].threads:
        messages.note(
            f"Note: auto takes {method} {reason}, which selects anew for each of {number:,} "
            "permutations; --method l2 does so in seconds."
        )
    return method


def _covariates(args, table):
    """Return the covariates by name; None for none."""
    return {name: table.annotations[name] for name in args.covariates} or None


def _evidence(args):
    """Return what is to be done again; if nothing is said of permutations, often for an audit."""
    usual = _N_PERMUTATIONS if args.audit else 0
    return {
        "n_permutations": usual if args.permutations is None else args.permutations,
        "permute_within": args.permute_within,
        "stop_after": args.stop_after,
        "learning_curve": args.learning_curve or args.audit,
    }


def _blocks(args, table):
    """Return the block of each sample, None for none."""
    if args.blocks is None:
        return None
    return table.ids if args.blocks == args.id else table.annotations[args.blocks]


def _select_stream(args, messages):
    """Do the same with batches, which cannot be compared."""
    from ...model_selection import select_features
    from ...streaming import batches

    with input_errors():
        rows = batches(
            args.table, target=args.target, ids=args.id, drop=args.drop, layer=args.layer,
            text=streamed_text(args), encoding=args.encoding,
            groups=None if args.groups == "none" else args.groups, max_bytes=args.max_bytes,
            blocks=args.blocks, preprocess=preprocess_names(args),
        )  # fmt: skip
        if _way(args) != "--stream":
            rows = rows.on_workers()
    method, _ = meant_method(args.method, in_memory=False)
    options = _parameters(args, method) | _evidence(args)
    with _cluster(args, messages) as dashboard:
        if dashboard is not None:
            options["n_jobs"] = None
            messages.note(f"Dashboard: {dashboard}")
        with messages.bar("Selecting features") as advance, _stream_errors(args):
            selection = select_features(
                rows, **options, checkpoint=args.checkpoint, progress=advance
            )
    return rows, selection, None


@contextmanager
def _cluster(args, messages):
    """Open the cluster that is asked for, if one is, and yield the address of its dashboard."""
    if args.cluster is None and args.workers is None:
        yield None
        return
    require("distributed", "dask", _way(args))
    from ...statistics.dask_cluster import open_cluster

    if args.workers is not None:
        messages.note(f"Starting {args.workers} workers ...")
    cluster = open_cluster(args.cluster, args.workers)
    with input_errors():
        dashboard = cluster.__enter__()
    try:
        yield dashboard
    finally:
        cluster.__exit__(None, None, None)


@contextmanager
def _stream_errors(args):
    """Word what may go wrong while batches are read; most of it is known only then."""
    try:
        yield
    except ValueError as error:
        raise InputError(option_names(error)) from error
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
            f"the same command resumes from {args.checkpoint}, nothing else was written"
        ) from None


# ------------------------------------------------------------------ after the work


def _write(outputs, args, selection, table, comparison):
    from ...persistence import save_model

    def save(path, force):
        metadata = plain_metadata(
            made_by=f"centroidal {args.command}",
            **{name: getattr(table, name) for name in ("source", "digest", "target")},
            id=args.id,
            left_out=_left_out(args, table),
            duplicates=getattr(table, "duplicates", None),  # batches have neither
            sheet=getattr(table, "sheet", None),
            **selection.card(),
        )
        save_model(selection.model, path, metadata=metadata, force=force)

    def export_selected(path, force):
        first = {} if table.ids is None else {_free_name(selection, table): table.ids}
        first[table.target] = table.y
        X, names = table.X[:, selection.selected], selection.selected_names.tolist()
        write_table(path, first, X, names, force)

    def write_back(path, force):
        from ...io import write_back

        write_back(
            selection, args.table, path, target=args.target, layer=args.layer, ids=args.id,
            drop=args.drop, max_bytes=args.max_bytes, no_call=args.no_call,
            training=_way(args) is None, force=force or args.write_back == args.table,
        )  # fmt: skip

    outputs.write("--model", save)
    outputs.write("--features", write_columns, selection.feature_columns())
    outputs.write("--export-selected", export_selected)
    outputs.write("--write-back", write_back)
    write_report(outputs, args, selection, comparison, table)


def _left_out(args, table):
    """Return the columns of the table that are no features, beside target and ids."""
    in_sheet = () if getattr(table, "sheet", None) is None else table.sheet["columns"]
    special = {args.groups, args.blocks, *args.covariates} - {None, "none", args.id, *in_sheet}
    return [*dict.fromkeys(args.drop), *sorted(special)]


def _free_name(selection, table):
    """Return a name for the column of ids that no other column has."""
    name = "id"
    while name in (table.target, *selection.selected_names):
        name = f"sample_{name}"
    return name


def _next_steps(args, table, outputs):
    """Return the commands that come next."""
    again = command_line(args) + (" --force" if outputs.paths and not args.force else "")
    steps, joined = {}, [f"--join=NEW{i}.csv" for i, _ in enumerate(args.join, 2)]
    if args.model is None:
        steps["keep the model"] = f"{again} --model model.skops"
    else:
        words = ["centroidal", "predict", args.model, "NEW.csv", "-o", "predictions.csv"]
        words += given_options(args, ("--id", "--transpose", "--layer")) + joined
        if args.encoding != "utf-8":
            words += ["--encoding", args.encoding]
        steps["predict new samples"] = shlex.join(words)
        words = ["centroidal", "evaluate", args.model, "OTHER.csv"]
        same = ("--target", "--id", "--transpose", "--layer", "--groups", "--text")
        words += given_options(args, same) + joined
        if args.encoding != "utf-8":
            words += ["--encoding", args.encoding]
        if args.samples is not None:
            words += ["--samples", "OTHER_SHEET.csv", *given_options(args, ("--sample-id",))]
        steps["score it on other samples"] = shlex.join(words)
    if args.report is None:
        steps["see more in a report"] = f"{again} --report report.html"
    if _way(args) is None:
        same = ("--target", *READING, *SHEET, "--impute", *PREPARING, "--groups")
        same += () if args.text is None else ("--text", *OF_TEXT)
        words = ["centroidal", "compare", args.table, *given_options(args, same)]
        if args.encoding != "utf-8":
            words += ["--encoding", args.encoding]
        no_feature = {args.blocks, *args.covariates} & set(_left_out(args, table))
        for column in sorted(no_feature - {args.groups, *args.drop}) if args.text is None else ():
            words += ["--drop", column]  # no feature there, either
        steps["compare classifiers"] = shlex.join(words)
    return steps
