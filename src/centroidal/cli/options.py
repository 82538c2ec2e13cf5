"""Arguments that several commands have, and how their values are read."""

import argparse
import re

from .. import __version__
from ..model_selection.methods import selection_methods

__all__ = [
    "add_common",
    "add_evaluation",
    "add_force",
    "add_model",
    "add_output",
    "add_reading",
    "add_report",
    "add_table",
    "add_target",
    "add_version",
    "number_reader",
    "option_names",
    "whole_number",
]

# What the library calls a parameter, and the option that sets it.
_OPTIONS = {
    "n_features_to_select": "-k",
    "cv": "--folds",
    "n_repeats": "--repeats",
    "n_resamples": "--resamples",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "checkpoint": "--checkpoint",
}


def option_names(error):
    """Return the text of an error with parameters called by the names of their options."""
    text = str(error)
    for name, option in _OPTIONS.items():
        text = re.sub(rf"\b{name}(=| (?=was ))", f"{option} ", text)
    return text


def whole_number(least, most=None, word=None):
    """Return a reader of whole numbers between bounds, or of a word in the place of one."""
    allowed = f"a whole number from {least} on" if most is None else f"between {least} and {most}"

    def is_allowed(number):
        return number >= least and (most is None or number <= most)

    return number_reader(is_allowed, allowed if word is None else f"{allowed}, or {word}", word)


def number_reader(is_allowed, allowed, word=None):
    """Return a reader of whole numbers that are allowed, which is said in words as well."""

    def read(text):
        if text == word:
            return text
        try:
            number = int(text)
        except ValueError:
            number = None
        if number is None or not is_allowed(number):
            raise argparse.ArgumentTypeError(f"{text!r} must be {allowed}.")
        return number

    return read


def add_version(parser):
    """Add the option that shows the version."""
    parser.add_argument("--version", action="version", version=f"centroidal {__version__}")


def add_common(parser):
    """Add what every command has."""
    threaded = [key for key, each in selection_methods().items() if each.threads]
    group = parser.add_argument_group("common options")
    group.add_argument(
        "--seed", type=whole_number(0, 2**32 - 1), default=0, metavar="N",
        help="seed of whatever is drawn at random (default: 0)",
    )  # fmt: skip
    group.add_argument(
        "--jobs", metavar="N",
        type=number_reader(bool, "a whole number other than 0"),
        help="cores to use, -1 for all; the result does not depend on it (default: all for "
        f"methods that work in threads, {' and '.join(threaded)}, else 1)",
    )  # fmt: skip
    group.add_argument(
        "--json", action="store_true", help="print the result as one JSON object, NaN as null"
    )
    group.add_argument(
        "--quiet", action="store_true", help="no bars, notes or warnings; errors are still shown"
    )
    add_version(group)


def add_table(parser, folders=False):
    """Add the table to read."""
    parser.add_argument(
        "table", metavar="TABLE",
        help="file with a row for each sample: .csv, .tsv, .txt (also .gz), .parquet, .npz, .mat, "
        ".svmlight, .h5ad" + ("; with --stream also a folder of .parquet files" if folders else ""),
    )  # fmt: skip


def add_target(parser):
    """Add the column of labels."""
    parser.add_argument(
        "--target", required=True, metavar="NAME", help="the column of labels; y in svmlight files"
    )


def add_model(parser):
    """Add the model file to read."""
    parser.add_argument("model", metavar="M.skops", help="model file")


def add_output(parser, metavar, text):
    """Add the one file to write."""
    parser.add_argument("-o", "--output", required=True, metavar=metavar, help=text)


def add_reading(parser, impute=False):
    """Add how the table is read; return the group of these options."""
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


def add_evaluation(parser):
    """Add the score and the folds."""
    parser.add_argument(
        "--scoring",
        choices=("accuracy", "balanced_accuracy"),
        default="accuracy",
        help="what counts (default: accuracy)",
    )
    parser.add_argument(
        "--folds", type=whole_number(2), metavar="N",
        help="parts to test on in turn (default: 5, or fewer if a class has fewer samples)",
    )  # fmt: skip
    parser.add_argument(
        "--repeats", type=whole_number(1), metavar="N",
        help="how often the parts are drawn anew (default: 3)",
    )  # fmt: skip


def add_report(parser):
    """Add the report to write."""
    parser.add_argument("--report", metavar="R.html", help="a report, in one file")


def add_force(parser):
    """Add the permission to overwrite."""
    parser.add_argument("--force", action="store_true", help="overwrite files that exist")
