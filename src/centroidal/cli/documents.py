"""Options of documents: how words become features."""

from pathlib import Path

from .messages import InputError, input_errors
from .options import SHEET, add_options, option_value, whole_number

OF_TEXT = ("--ngrams", "--min-df", "--stop-words", "--counts", "--sublinear")
_OF_NUMBERS = ("--drop", "--join", "--transpose", "--layer", *SHEET, "--impute")


def add_text(group):
    """Add the options."""
    add_options(group, "--text")
    group.add_argument(
        "--ngrams", type=whole_number(1, 20), metavar="N",
        help="longest run of words that is a feature (default: 2)",
    )  # fmt: skip
    group.add_argument(
        "--min-df", type=whole_number(1), metavar="N",
        help="in how many documents of training a word must be (default: 2)",
    )  # fmt: skip
    group.add_argument(
        "--stop-words", metavar="FILE|english",
        help="words to leave out: those of a file, separated by spaces or lines, or scikit-learn's "
        "for English, which has not and no among them (default: none)",
    )  # fmt: skip
    group.add_argument(
        "--counts", action="store_true", help="count words (default: weigh them by TF-IDF)"
    )
    group.add_argument(
        "--sublinear", action="store_true", help="take 1 + log(count) in place of counts"
    )
    add_options(group, "--encoding")


def check_text(args, *of_numbers):
    """Raise if an option does not go with documents, or needs them."""
    if args.text is None:
        for option in OF_TEXT:
            if option_value(args, option):
                raise InputError(f"{option} is for documents, so it needs --text COLUMN.")
        return
    for option in (*_OF_NUMBERS, *of_numbers):
        if option_value(args, option):
            raise InputError(f"{option} is for tables of numbers, so not with --text.")
    stop_words(args)  # a file that cannot be read is told before any work


def text_options(args):
    """Return how words become features; None if the table is one of numbers."""
    if args.text is None:
        return None
    asked = {"ngrams": args.ngrams, "min_df": args.min_df, "sublinear": args.sublinear}
    asked |= {"kind": "counts" if args.counts else None, "stop_words": stop_words(args)}
    return {name: value for name, value in asked.items() if value}


def streamed_text(args):
    """Return how words are hashed; None if the table is one of numbers."""
    if args.text is None:
        return None
    columns = [name for name in args.text if name] or ["text"]
    return {"columns": columns, "ngrams": args.ngrams or 2, "stop_words": stop_words(args)}


def stop_words(args):
    """Return the words to leave out: None, english, or those of a file."""
    path = args.stop_words
    if path in (None, "english"):
        return path
    from ..streaming.documents import read_document

    with input_errors():
        words = read_document(Path(path), path, args.encoding).split()
    if not words:
        raise InputError(f"--stop-words {path} holds no words.")
    return words
