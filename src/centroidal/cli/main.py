"""The command line: what can be said, and what becomes of errors.

Nothing here, nor in what it imports, loads scikit-learn: help and mistakes are answered at once.
"""

import argparse
import os
import sys

from .. import __version__
from ._messages import InputError, Messages, WorkError

__all__ = ["METHODS", "build_parser", "main"]

METHODS = ("l2", "l1", "disjoint", "fisher", "l21", "relief", "encoder", "best")
SCORES = ("accuracy", "balanced_accuracy")
DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130

DESCRIPTION = "Find the few features that tell classes apart, and say honestly how well they do."
EXIT_CODES = """\
exit codes:
  0    fine
  1    the work failed: a package is not installed, a file could not be written
  2    the command line, a table or a model is not as it must be
  130  interrupted (Ctrl-C)
"""
EXAMPLES = {
    "": """\
  centroidal demo
  centroidal select expression.csv --target tumour --report report.html --model tumour.skops
  centroidal compare expression.csv --target tumour
  centroidal predict tumour.skops new.csv -o predictions.csv""",
    "demo": """\
  centroidal demo
  centroidal demo --report demo.html""",
    "select": """\
  centroidal select expression.csv --target tumour
  centroidal select expression.csv --target tumour -k 20 --model tumour.skops
  centroidal select genes.tsv --transpose --target tumour --method best --report report.html
  centroidal select cells.h5ad --target kind --layer counts --features features.csv
  centroidal select parts/ --target tumour --stream --checkpoint so_far.skops""",
    "compare": """\
  centroidal compare expression.csv --target tumour
  centroidal compare expression.csv --target tumour --repeats 1 --output scores.csv""",
    "predict": """\
  centroidal predict tumour.skops new.csv -o predictions.csv
  centroidal predict tumour.skops new.csv --id sample -o predictions.csv --allow-extra""",
    "show": """\
  centroidal show tumour.skops
  centroidal show tumour.skops --json""",
    "merge": """\
  centroidal merge north.skops south.skops -o both.skops
  centroidal merge north.skops south.skops west.skops -k 20 -o all.skops""",
    "export": """\
  centroidal export tumour.skops -o tumour.onnx""",
    "datasets": """\
  centroidal datasets
  centroidal datasets expression -o expression.csv
  centroidal datasets make_feature_blocks --seed 3 -o blocks.csv""",
}


def main(argv=None):
    """Run the command; return its exit code.

    Parameters
    ----------
    argv : list of str, default=None
        What was said after the name of the command; None takes it from the system.

    Returns
    -------
    int
        0 fine, 1 the work failed, 2 wrong input, 130 interrupted.
    """
    _show_what_cannot_be_encoded()
    try:
        code = _run(argv)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # whoever reads the results has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    return code


def _run(argv):
    argv = sys.argv[1:] if argv is None else argv
    try:
        args = build_parser().parse_args(argv)
    except SystemExit as stop:  # argparse has spoken
        return stop.code
    args.argv = argv
    messages = Messages(args.quiet)
    try:
        from . import commands

        with messages.warnings(), messages.interruptions():
            return getattr(commands, args.command)(args, messages)
    except InputError as error:
        messages.error(f"{args.command}: {error}")
        return WRONG_INPUT
    except WorkError as error:
        messages.error(f"{args.command}: {error}")
        return FAILED
    except ImportError as error:
        if "pip install" not in str(error):  # no extra is missing, so it is a bug
            raise
        messages.error(f"{args.command}: {error}")
        return FAILED
    except KeyboardInterrupt as stop:
        messages.error(f"{args.command}: interrupted; {str(stop) or 'nothing was written'}.")
        _forget_interruption()
        return INTERRUPTED


def _forget_interruption():
    """Let Python end with our code.

    It remembers that Ctrl-C came out of an ``exec`` of text, of which compilers make many, and
    would end a program run by ``python -m`` by a signal, caught or not; the next ``exec`` forgets.
    """
    exec("")


def _show_what_cannot_be_encoded():
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


# ------------------------------------------------------------------ what can be said


def build_parser():
    """Return the parser of the command line, which the documentation shows as well."""
    parser = _parser(argparse.ArgumentParser, "", DESCRIPTION, prog="centroidal")
    _add_version(parser)
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True
    )
    for name, (add_arguments, text) in _COMMANDS.items():
        command = _parser(commands.add_parser, name, text, help=text)
        add_arguments(command)
        _add_common(command)
    return parser


def _parser(make, name, text, prog=None, **options):
    examples = f"examples:\n{EXAMPLES[name]}\n\n{EXIT_CODES}"
    return make(
        *([name] if prog is None else []),
        **({} if prog is None else {"prog": prog}),
        description=text,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        **options,
    )


def _add_version(parser):
    parser.add_argument("--version", action="version", version=f"centroidal {__version__}")


def _add_common(parser):
    group = parser.add_argument_group("common options")
    group.add_argument(
        "--seed", type=_whole(0, 2**32 - 1), default=0, metavar="N",
        help="seed of whatever is drawn at random (default: 0)",
    )  # fmt: skip
    group.add_argument(
        "--jobs", type=_jobs, metavar="N",
        help="cores to use, -1 for all; the result does not depend on it (default: all for the "
        "methods l2 and l1, which work in threads, else 1)",
    )  # fmt: skip
    group.add_argument(
        "--json", action="store_true", help="print the result as one JSON object, NaN as null"
    )
    group.add_argument(
        "--quiet", action="store_true", help="no bars, notes or warnings; errors are still shown"
    )
    _add_version(group)


def _add_demo(parser):
    _add_report(parser)
    _add_force(parser)


def _add_select(parser):
    _add_table(parser, folders=True)
    _add_target(parser)
    _add_stream(_add_reading(parser, impute=True))
    group = parser.add_argument_group("selection")
    group.add_argument(
        "--method", choices=METHODS, default="l2",
        help="how features are ranked: sparse centers by means (l2) or medians (l1), features in "
        "which a class is steady (disjoint), Fisher subspace (fisher), a convex l2,1 problem "
        "(l21), ReliefF (relief), a network (encoder), or the best of all but the network "
        "(default: l2)",
    )  # fmt: skip
    group.add_argument(
        "-k", "--n-features", type=_number_of_features, default="auto", metavar="N|auto",
        help="how many features to select; auto chooses by cross-validation (default: auto)",
    )  # fmt: skip
    group.add_argument(
        "--rule", choices=("best", "one_se"), default="one_se",
        help="auto takes the number with the best score, or the smallest within one standard error "
        "of it (default: one_se)",
    )  # fmt: skip
    _add_evaluation(group)
    group.add_argument(
        "--resamples", type=_resamples, metavar="N",
        help="halves of the samples in which to select anew, to see how stable it is; an even "
        "number (default: 50 with --report or --features, else 0)",
    )  # fmt: skip
    group = parser.add_argument_group("files to write")
    _add_report(group)
    group.add_argument(
        "--compare", action="store_true",
        help="add a comparison with other classifiers to the report; takes some minutes",
    )  # fmt: skip
    group.add_argument("--model", metavar="M.skops", help="the fitted model, for predict")
    group.add_argument(
        "--features", metavar="F.csv", help="the selected features: rank, gain, centers"
    )
    group.add_argument(
        "--export-selected", metavar="S.csv|S.parquet",
        help="the table with the selected features only",
    )  # fmt: skip
    _add_force(group)


def _add_compare(parser):
    _add_table(parser)
    _add_target(parser)
    _add_reading(parser, impute=True)
    group = parser.add_argument_group("comparison")
    _add_evaluation(group)
    group.add_argument(
        "--neural", action="store_true",
        help="with the sparse centroid-encoder, a network; takes long",
    )  # fmt: skip
    group = parser.add_argument_group("files to write, only if the comparison is complete")
    _add_report(group)
    group.add_argument("--output", metavar="C.csv", help="scores and differences")
    _add_force(group)


def _add_predict(parser):
    _add_model(parser)
    _add_table(parser)
    _add_output(parser, "P.csv", "predictions: id, prediction, probability_<class>")
    _add_reading(parser)
    parser.add_argument(
        "--allow-extra", action="store_true",
        help="leave out columns that the model was not fitted to, instead of refusing them",
    )  # fmt: skip
    _add_force(parser)


def _add_show(parser):
    _add_model(parser)


def _add_merge(parser):
    parser.add_argument(
        "models", nargs="+", metavar="M.skops",
        help="two model files or more, of different samples with the same features",
    )  # fmt: skip
    _add_output(parser, "M.skops", "the model of all their samples")
    parser.add_argument(
        "-k", "--n-features", type=_whole(1), metavar="N",
        help="how many features the merged model selects (default: as many as each of the models, "
        "which must be the same number)",
    )  # fmt: skip
    _add_force(parser)


def _add_export(parser):
    _add_model(parser)
    _add_output(parser, "M.onnx", "the ONNX graph")
    _add_force(parser)


def _add_datasets(parser):
    parser.add_argument("name", nargs="?", metavar="NAME", help="data set to write")
    parser.add_argument("-o", "--output", metavar="TABLE.csv|.parquet", help="table to write")
    _add_force(parser)


_COMMANDS = {
    "demo": (_add_demo, "Select features of a table that ships with the package."),
    "select": (_add_select, "Select the features that tell the classes of a table apart."),
    "compare": (_add_compare, "Compare classifiers and selectors on a table, on the same folds."),
    "predict": (_add_predict, "Predict the classes of new samples with a model."),
    "show": (_add_show, "Show what is in a model file."),
    "merge": (_add_merge, "Merge models of different samples, without the samples."),
    "export": (_add_export, "Translate a model to ONNX, for other languages."),
    "datasets": (_add_datasets, "List data to try things on, or write some as a table."),
}


# ------------------------------------------------------------------ what commands share


def _add_table(parser, folders=False):
    parser.add_argument(
        "table", metavar="TABLE",
        help="file with a row for each sample: .csv, .tsv, .txt (also .gz), .parquet, .npz, .mat, "
        ".svmlight, .h5ad" + ("; with --stream also a folder of .parquet files" if folders else ""),
    )  # fmt: skip


def _add_target(parser):
    parser.add_argument(
        "--target", required=True, metavar="NAME", help="the column of labels; y in svmlight files"
    )


def _add_model(parser):
    parser.add_argument("model", metavar="M.skops", help="model file")


def _add_output(parser, metavar, text):
    parser.add_argument("-o", "--output", required=True, metavar=metavar, help=text)


def _add_reading(parser, impute=False):
    group = parser.add_argument_group("reading the table")
    group.add_argument("--id", metavar="COLUMN", help="the column with names of samples")
    group.add_argument(
        "--drop", action="append", default=[], metavar="NAME",
        help="a column to leave out; may be given several times",
    )  # fmt: skip
    group.add_argument(
        "--transpose", action="store_true", help="samples are in columns, features in rows"
    )
    group.add_argument("--layer", metavar="L", help="layer of an .h5ad file to read instead of X")
    if impute:
        group.add_argument(
            "--impute", choices=("median", "drop-features"),
            help="missing values: fill in medians of the training samples, or leave out features "
            "with gaps (default: refuse them)",
        )  # fmt: skip
    return group


def _add_stream(group):
    group.add_argument(
        "--stream", action="store_true",
        help="read the table in batches, as often as needed, for one that does not fit in memory",
    )  # fmt: skip
    group.add_argument(
        "--checkpoint", metavar="C.skops",
        help="with --stream: file to note in how far it is; the same command goes on from there",
    )  # fmt: skip


def _add_evaluation(parser):
    parser.add_argument(
        "--scoring", choices=SCORES, default="accuracy", help="what counts (default: accuracy)"
    )
    parser.add_argument(
        "--folds", type=_whole(2), metavar="N",
        help="parts to test on in turn (default: 5, or fewer if a class has fewer samples)",
    )  # fmt: skip
    parser.add_argument(
        "--repeats", type=_whole(1), metavar="N",
        help="how often the parts are drawn anew (default: 3)",
    )  # fmt: skip


def _add_report(parser):
    parser.add_argument("--report", metavar="R.html", help="a report, in one file")


def _add_force(parser):
    parser.add_argument("--force", action="store_true", help="overwrite files that exist")


def _whole(least, most=None):
    """Return a reader of whole numbers between bounds."""
    allowed = f"a whole number from {least} on" if most is None else f"between {least} and {most}"

    def read(text):
        number = _as_int(text)
        if number is None or number < least or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f"{text!r} must be {allowed}.")
        return number

    return read


def _jobs(text):
    number = _as_int(text)
    if number is None or number == 0:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number other than 0.")
    return number


def _number_of_features(text):
    if text == "auto":
        return text
    number = _as_int(text)
    if number is None or number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number from 1 on, or auto.")
    return number


def _resamples(text):
    number = _as_int(text)
    if number is None or number < 0 or number % 2:
        raise argparse.ArgumentTypeError(f"{text!r} must be an even number, or 0 for none.")
    return number


def _as_int(text):
    try:
        return int(text)
    except ValueError:
        return None
