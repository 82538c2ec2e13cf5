"""Show what is in a model file."""

from functools import partial

from .. import display
from ..files import load_model_file
from ..messages import input_errors
from ..options import add_options

HELP = "Show what is in a model file."
EXAMPLES = """\
  centroidal show tumour.skops
  centroidal show tumour.skops --json"""


def add_arguments(parser):
    """Add the arguments."""
    add_options(parser, "model")


def run(args, messages):
    """Show what a model file says, and build the model only to find the selected features."""
    from ...persistence import read_model_card

    with input_errors():
        card = read_model_card(args.model)
    selected, n_features = _selected_features(card, args.model)
    display.show(
        args, partial(display.model, args.model), n_features=n_features,
        selected_features=selected, **vars(card),
    )  # fmt: skip


def _selected_features(card, path):
    """Names of the selected features, and the number of all; from the card if it has both."""
    if "selected_features" in card.metadata and card.feature_names is not None:
        return card.metadata["selected_features"], len(card.feature_names)
    from ...io.prediction import columns_read

    _, model = load_model_file(path)
    n_features = getattr(model, "n_features_in_", None)
    if n_features is None:  # not fitted
        return None, None
    is_read = columns_read(model)
    if is_read is None:
        return None, n_features
    names = card.feature_names or [f"x{j}" for j in range(n_features)]
    return [name for name, read in zip(names, is_read, strict=True) if read], n_features
