"""Summarise the samples of a site, so that several can select together and keep their samples."""

import shlex

from .. import display
from ..files import Outputs, groups_of, input_files, plain_metadata, read_samples
from ..messages import InputError, input_errors
from ..options import (
    PREPARING,
    READING,
    SHEET,
    add_options,
    add_output,
    given_options,
    option_names,
    option_value,
    preprocess_names,
    whole_number,
)
from .select import use_cores

HELP = "Summarise the samples of a site for others to merge: sums by class and fold, no rows."
EXAMPLES = """\
  centroidal summarise north.csv --target tumour -o north.skops
  centroidal summarise north.csv --target tumour --groups patient --folds 3 -o north.skops
  centroidal summarise counts.h5ad --target cell_type --normalise 1e4 --log1p --stream -o s.skops
  centroidal merge north.skops south.skops -o merged.skops
  centroidal score merged.skops north.csv --target tumour -o north_counts.skops
  centroidal merge merged.skops north_counts.skops south_counts.skops -o tumour.skops"""

_IN_MEMORY = ("--impute", "--transpose", "--duplicates", "--delimiter", "--decimal", *SHEET)


def add_arguments(parser):
    """Add the arguments."""
    add_options(parser, "table", "--target")
    add_output(parser, "S.skops", "the summary, to be sent to whoever merges")
    add_options(add_site(parser), *PREPARING)
    parser.add_argument(
        "--folds", type=whole_number(3), default=5, metavar="N",
        help="parts to test on in turn; the same number at all sites (default: 5)",
    )  # fmt: skip
    parser.add_argument(
        "--method", default="l2", metavar="METHOD",
        help="how features are ranked; sums of sites are enough for l2 (default: l2)",
    )  # fmt: skip
    parser.add_argument(
        "--scale", choices=("within", "std"),
        help="what features are divided by, the same at all sites: their standard deviation inside "
        "the classes, or that of all samples (default: std for sparse tables, else within)",
    )  # fmt: skip


def add_site(parser):
    """Add what the samples of a site are read by, and what may be told; return the group."""
    add_options(parser, "--groups")
    parser.add_argument(
        "--allow-small", action="append", default=[], metavar="CLASS",
        help="a class that may have fewer than 5 samples, or groups, in a fold, of which sums tell "
        "much; may be given several times (default: refuse such classes)",
    )  # fmt: skip
    reading = parser.add_argument_group("reading the table")
    add_options(reading, *READING, *SHEET, "--impute")
    reading.add_argument(
        "--stream", action="store_true",
        help="read the table in batches, for one that does not fit in memory (out-of-core)",
    )  # fmt: skip
    add_options(parser, "--force")
    return reading


def run(args, messages):
    """Summarise the samples of a table by class and fold."""
    outputs = Outputs(args, {"--output": (".skops",)}, inputs=input_files(args))
    from ...model_selection import SiteSummary

    summary = SiteSummary(
        args.folds, method=args.method, scale=args.scale, preprocess=preprocess_names(args),
        random_state=args.seed, n_jobs=use_cores(args, "l2"),
    )  # fmt: skip
    table, _ = ask_site(summary.fit, args, messages, summary.preprocess)
    again = ("--target", "--groups", "--allow-small", *READING, *SHEET, "--impute", "--stream")
    words = ["centroidal", "score", "merged.skops", args.table, *given_options(args, again)]
    steps = {
        "merge it with others": shlex.join(
            ["centroidal", "merge", args.output, "OTHER.skops", "-o", "merged.skops"]
        ),
        "then score at each site": shlex.join([*words, "-o", "counts.skops"]),
    }
    write_site(outputs, args, summary.set_params(n_jobs=None), table, steps, summary.preprocess)


def ask_site(function, args, messages, preprocess):
    """Call a function of the samples of a table; return it, and what was found."""
    if args.impute == "median":
        raise InputError(
            "--impute median is of the samples of one site, and not what those of all would give; "
            "--impute drop-features leaves out features with gaps."
        )
    if args.stream:
        for option in _IN_MEMORY:
            if option_value(args, option):
                raise InputError(f"{option} is for all samples in memory, so not with --stream.")
    table = None if args.stream else read_samples(args, messages)
    try:
        with input_errors():
            if table is None:
                table = _open_batches(args, preprocess)
                return table, function(table, allow_small=args.allow_small)
            return table, function(
                table.X, table.y, groups_of(args, table), feature_names=table.feature_names,
                allow_small=args.allow_small,
            )  # fmt: skip
    except InputError as error:
        raise InputError(option_names(error)) from error


def _open_batches(args, preprocess):
    from ...streaming import batches

    return batches(
        args.table, target=args.target, ids=args.id, drop=args.drop, layer=args.layer,
        groups=None if args.groups == "none" else args.groups, max_bytes=args.max_bytes,
        preprocess=preprocess,
    )  # fmt: skip


def write_site(outputs, args, found, table, steps, preprocess):
    """Write what a site sends, and show what is in it."""
    from ...persistence import save_model

    counts = found.fold_counts_.sum(axis=0).tolist()
    metadata = plain_metadata(
        made_by=f"centroidal {args.command}", source=table.source, target=table.target,
        preprocess=preprocess,
        n_samples=sum(counts), sites=found.sites_,
        class_counts=dict(zip(map(str, found.classes_), counts, strict=True)),
    )  # fmt: skip
    with display.answer(
        args, outputs, display.site, steps, class_name=type(found).__name__,
        classes=found.classes_, fold_counts=found.fold_counts_, **metadata,
    ):  # fmt: skip
        outputs.write(
            "--output", lambda path, force: save_model(found, path, metadata=metadata, force=force)
        )
