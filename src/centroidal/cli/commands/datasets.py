"""Data to try things on: the table that ships, and generators."""

import shlex

from .. import display
from ..files import Outputs, write_table
from ..messages import InputError
from ..options import add_options

HELP = "List data to try things on, or write some as a table."
EXAMPLES = """\
  centroidal datasets
  centroidal datasets expression -o expression.csv
  centroidal datasets make_feature_blocks --seed 3 -o blocks.csv"""

_TARGET, _GROUP, _TEXT = "class", "group", "text"


def add_arguments(parser):
    """Add the arguments."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="data set to write")
    parser.add_argument("-o", "--output", metavar="TABLE.csv|.parquet", help="table to write")
    add_options(parser, "--force")


def run(args, messages):
    """List what ships and what can be generated, or write one as a table."""
    if (args.name is None) != (args.output is None):
        raise InputError(
            "NAME and -o TABLE.csv belong together; without both the data sets are listed."
        )
    outputs = Outputs(args, {"--output": (".csv", ".parquet")})
    known = known_datasets()
    if args.name is None:
        lines = {name: make.__doc__.strip().split("\n")[0] for name, make in known.items()}
        display.show(args, display.datasets, datasets=lines)
    elif args.name in known:
        _write(args, known[args.name], outputs)
    else:
        raise InputError(f"NAME {args.name} must be one of {', '.join(known)}.")


def known_datasets():
    """Return the shipped table and the generators, by name."""
    from ... import datasets

    generators = [name for name in datasets.__all__ if name.startswith("make_")]
    return {"expression": datasets.load_expression} | {
        name: getattr(datasets, name) for name in generators
    }


def _write(args, make, outputs):
    X, y, groups, names = _generate(make, args.seed)
    first = {_TARGET: y}
    again = f"centroidal select {shlex.quote(args.output)} --target {_TARGET}"
    if groups is not None:
        first, again = first | {_GROUP: groups}, f"{again} --groups {_GROUP}"
    if X.ndim == 1:  # texts
        first, X = first | {_TEXT: X}, X[:, None][:, :0]
        again += f" --text {_TEXT}"
    steps = {"select its features": again}
    sizes = {"n_samples": X.shape[0], "n_features": X.shape[1]}
    with display.answer(args, outputs, display.files_alone, steps, **sizes):
        outputs.write("--output", write_table, first, X, names)


def _generate(make, seed):
    """Return samples, labels, groups and names of a data set, as it is if nothing more is said."""
    found = make() if make.__name__.startswith("load_") else make(random_state=seed)
    if isinstance(found, tuple):
        X, y, *_ = found
        return X, y, None, _numbered_names(X)
    y = found.target_names[found.target] if "target_names" in found else found.target
    names = found.get("feature_names", _numbered_names(found.data))
    return found.data, y, found.get("groups"), [str(name) for name in names]


def _numbered_names(X):
    return [f"x{j}" for j in range(X.shape[1])] if X.ndim > 1 else []
