"""Files to read: tables and models."""

from pathlib import Path

from .messages import InputError, input_errors

__all__ = ["check_file", "load_model_file", "read_samples"]


def check_file(path):
    """Return a path if it is that of a file."""
    if not Path(path).is_file():
        raise InputError(f"There is no file {path}.")
    return path


def read_samples(args, messages):
    """Read the table of a command into memory."""
    from ..io import read_table

    if Path(args.table).is_dir():
        who = "--stream reads it" if args.command == "select" else "only select --stream reads one"
        raise InputError(f"{args.table} is a folder, not a file; {who}.")
    messages.note(f"Reading {args.table} ...")
    with input_errors():
        table = read_table(
            args.table, target=args.target, ids=args.id, drop=args.drop,
            transpose=args.transpose, layer=args.layer, impute=args.impute,
        )  # fmt: skip
    messages.remarks(table.remarks)
    return table


def load_model_file(path):
    """Return the card of a model file, and the model."""
    from ..persistence import load_model, read_model_card

    with input_errors():
        return read_model_card(check_file(path)), load_model(path)
