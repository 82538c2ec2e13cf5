"""Arguments that several commands have, and how their values are read."""

import argparse
import re

from .. import __version__
from ..model_selection.methods import METHODS, SCORES
from ..preprocessing.names import PREPROCESSING

# What the library calls a parameter, and the option that sets it.
_OPTIONS = {
    "n_features_to_select": "-k",
    "costs": "--costs",
    "class_weight": "--class-weight",
    "cv": "--folds",
    "n_repeats": "--repeats",
    "n_resamples": "--resamples",
    "n_permutations": "--permutations",
    "permute_within": "--permute-within",
    "stop_after": "--stop-after",
    "include": "--include",
    "exclude": "--exclude",
    "distinct": "--distinct",
    "per_class": "--per-class",
    "feature_costs": "--feature-costs",
    "budget": "--budget",
    "n_stand_ins": "--stand-ins",
    "max_features": "--max-features",
    "min_df": "--min-df",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "checkpoint": "--checkpoint",
    "no_call": "--no-call",
    "allow_small": "--allow-small",
    "method": "--method",
    "rule": "--rule",
    "scoring": "--scoring",
    "y": "--target",
}


def option_names(error):
    """Return the text of an error with parameters called by the names of their options."""
    text = str(error)
    for name, option in _OPTIONS.items():
        text = re.sub(rf"\b{name}(=| (?=was |holds ))", f"{option} ", text)
    return text


def option_value(args, option):
    """Return the value of a long option."""
    return getattr(args, option[2:].replace("-", "_"))


def given_options(args, options):
    """Return those of the long options that were given, as words of a command."""
    words = []
    for option in options:
        value = option_value(args, option)
        if value is True:
            words.append(option)
        elif value not in (None, False):
            for each in value if isinstance(value, list) else [value]:
                words += [option, str(each)] if each != "" else [option]
    return words


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


def real_numbers(text):
    """Read a number, or several, separated by commas."""
    try:
        found = [float(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} must be a number, or several, separated by commas."
        ) from None
    return found[0] if len(found) == 1 else found


def _share(text):
    """Read a number between 0 and 1."""
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0.0 < share < 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number between 0 and 1.")
    return share


def _total(text):
    """Read a number above 0."""
    try:
        total = float(text)
    except ValueError:
        total = 0.0
    if not 0.0 < total < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} must be a number above 0, such as 1e4.")
    return total


def preprocess_names(args):
    """Return what is done to rows first, as the library takes it; None for nothing."""
    names = [] if args.normalise is None else [f"normalise={args.normalise:.17g}"]
    names += ["log1p"] if args.log1p else []
    return ",".join([*names, *filter(None, [args.preprocess])]) or None


def _delimiter(text):
    """Read the mark between cells."""
    known = {"tab": "\t", "\\t": "\t", "\t": "\t", ",": ",", ";": ";", "|": "|"}
    if text not in known:
        raise argparse.ArgumentTypeError(f"{text!r} must be one of , ; | or tab.")
    return known[text]


def _step_names(text):
    """Read the names of steps, separated by commas."""
    names = [word.partition("=")[0] for word in text.split(",")]
    unknown = [name for name in names if name not in PREPROCESSING]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"{unknown[0]!r} must be among {', '.join(PREPROCESSING)}, separated by commas."
        )
    return text


TABLE = (
    "file with a row for each sample: .csv, .tsv, .txt (also .gz), .parquet, .npz, .mat, "
    ".svmlight, .h5ad, .xlsx, .gct, .arff, a series matrix of GEO, text also .zst; a folder of "
    "10x; - for the standard input"
)
READING = (
    "--id", "--drop", "--join", "--transpose", "--layer", "--duplicates", "--delimiter",
    "--decimal", "--max-bytes",
)  # fmt: skip
SHEET = ("--samples", "--sample-id", "--allow-unmatched")
PREPARING = ("--normalise", "--log1p", "--preprocess")
EVALUATION = ("--groups", "--folds", "--repeats")
_KNOWN = {
    "model": {"metavar": "M.skops", "help": "model file"},
    "table": {"metavar": "TABLE", "help": TABLE},
    "--target": {
        "required": True, "metavar": "NAME",
        "help": "the column of labels; y in svmlight files, class in a folder of documents",
    },
    "--id": {"metavar": "COLUMN", "help": "the column with names of samples"},
    "--drop": {
        "action": "append", "default": [], "metavar": "NAME",
        "help": "a column to leave out, with --transpose a row or a column; may be given several "
        "times",
    },
    "--join": {
        "action": "append", "default": [], "metavar": "TABLE2",
        "help": "another table of the same samples, whose features stand beside those of the "
        "first, joined by sample id; may be given several times",
    },
    "--transpose": {"action": "store_true", "help": "samples are in columns, features in rows"},
    "--layer": {"metavar": "L", "help": "layer of an .h5ad file to read instead of X"},
    "--duplicates": {
        "choices": ("refuse", "mean", "max", "sum", "first"),
        "help": "features of the same name, such as genes that several probes measure: refuse "
        "them, or make one of them, by their mean, the largest value or the sum in each sample, or "
        "the first alone (default: refuse; with a model file as it says)",
    },
    "--delimiter": {
        "type": _delimiter, "metavar": "MARK",
        "help": "what stands between cells of text: a comma, a semicolon, a bar, or the word tab "
        "(default: what the header shows)",
    },
    "--decimal": {
        "choices": (".", ","), "help": "the mark in numbers of text (default: a point)",
    },
    "--max-bytes": {
        "type": whole_number(1), "metavar": "N",
        "help": "memory that a file may ask for (default: 200 times its size, and at least 1 GiB)",
    },
    "--samples": {
        "metavar": "SHEET",
        "help": "file with a row for each sample, joined by sample id: .csv, .tsv, .txt (also "
        ".gz), .parquet; --target, --groups and --blocks are looked for there first, and nothing "
        "of it becomes a feature",
    },
    "--sample-id": {
        "metavar": "COLUMN", "help": "the column of sample ids in the sheet (default: the first)",
    },
    "--allow-unmatched": {
        "action": "store_true",
        "help": "leave out samples that are not in the sheet, or not in all tables, instead of "
        "refusing them",
    },
    "--impute": {
        "choices": ("median", "drop-features"),
        "help": "missing values: fill in medians of the training samples, or leave out features "
        "with gaps (default: refuse them)",
    },
    "--normalise": {
        "type": _total, "metavar": "N",
        "help": "scale the counts of each sample to a total of N, such as 1e4 (library size); the "
        "model does the same with new samples, of which it then needs all features",
    },
    "--log1p": {
        "action": "store_true", "help": "then take the logarithm of 1 + x, as the model does, too",
    },
    "--preprocess": {
        "metavar": "NAMES", "type": _step_names,
        "help": "what is done to the rows first, inside the folds: "
        + "; ".join(f"{name}, {words}" for name, words in PREPROCESSING.items())
        + "; several in their order, separated by commas",
    },
    "--no-call": {
        "type": _share, "metavar": "SHARE",
        "help": "leave samples without a class where none, or more than one, is credible; of each "
        "class at most this share of new samples is without its own among the credible ones",
    },
    "--text": {
        "action": "append", "nargs": "?", "const": "", "metavar": "COLUMN",
        "help": "a column of texts, whose words and pairs of words are the features; may be given "
        "several times, and without a name for a folder",
    },
    "--encoding": {
        "default": "utf-8", "metavar": "NAME",
        "help": "how characters of text are written in bytes, such as latin-1 (default: utf-8)",
    },
    "--groups": {
        "metavar": "COLUMN",
        "help": "what samples belong together, such as the patient: they are never on both sides "
        "of a fold, and the column is no feature; none: each sample stands for itself (default: "
        "repeated sample ids are groups, except with --stream)",
    },
    "--blocks": {
        "metavar": "COLUMN",
        "help": "batch, site or study of each sample: each is also left out whole, as a new one "
        "would be, and the column is no feature",
    },
    "--scoring": {
        "choices": tuple(SCORES), "default": "accuracy",
        "help": "what counts (default: accuracy)",
    },
    "--folds": {
        "type": whole_number(2), "metavar": "N",
        "help": "parts to test on in turn (default: 5, or fewer if a class has fewer samples)",
    },
    "--repeats": {
        "type": whole_number(1), "metavar": "N",
        "help": "how often the parts are drawn anew (default: 3; select: 1 beyond 20,000 samples, "
        "with l2 10 up to 100 samples and 5 up to 2,000, with best and encoder 1)",
    },
    "--trust": {
        "action": "append", "default": [], "metavar": "MODULE.TYPE",
        "help": "let the model file hold this type, too: its code is imported and run, so name it "
        "only if you know the type and trust who wrote the file; may be given several times "
        "(default: refuse types that are not known to be harmless)",
    },
    "--allow-extra": {
        "action": "store_true",
        "help": "leave out columns that the model was not fitted to, instead of refusing them",
    },
    "--report": {"metavar": "R.html", "help": "a report, in one file"},
    "--force": {"action": "store_true", "help": "overwrite files that exist"},
    "--seed": {
        "type": whole_number(0, 2**32 - 1), "default": 0, "metavar": "N",
        "help": "seed of whatever is drawn at random (default: 0)",
    },
    "--json": {"action": "store_true", "help": "print the result as one JSON object, NaN as null"},
    "--quiet": {
        "action": "store_true", "help": "no bars, notes or warnings; errors are still shown",
    },
    "--log": {
        "metavar": "FILE",
        "help": "append what happens to a file while it does, an event a line as JSON",
    },
    "--version": {"action": "version", "version": f"centroidal {__version__}"},
}  # fmt: skip


def add_options(parser, *names):
    """Add arguments that several commands have to a parser, or to a group of it."""
    for name in names:
        parser.add_argument(name, **_KNOWN[name])
    return parser


def add_output(parser, metavar, text):
    """Add the one file to write."""
    parser.add_argument("-o", "--output", required=True, metavar=metavar, help=text)


def add_common(parser):
    """Add what every command has."""
    threaded = [key for key, each in METHODS.items() if each.selects and each.threads]
    group = add_options(parser.add_argument_group("common options"), "--seed")
    group.add_argument(
        "--jobs", metavar="N",
        type=number_reader(bool, "a whole number other than 0"),
        help="cores to use, -1 for all; the result does not depend on it (default: all for "
        f"methods that work in threads, {' and '.join(threaded)}, and for "
        "100 permutations or more, else 1)",
    )  # fmt: skip
    add_options(group, "--json", "--quiet", "--log", "--version")
