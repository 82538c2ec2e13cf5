"""The main job on the table that ships with the package."""

from ...model_selection.methods import DEFAULT
from .. import display
from ..files import Outputs, write_report
from ..options import add_options
from .select import n_resamples, select_samples, use_cores

HELP = "Select features of a table that ships with the package."
EXAMPLES = """\
  centroidal demo
  centroidal demo --report demo.html"""
_STEPS = {
    "the same with a table of your own": "centroidal select TABLE.csv --target COLUMN "
    "--report report.html --model model.skops",
    "then predict": "centroidal predict model.skops NEW.csv -o predictions.csv",
    "a table to try it on": "centroidal datasets expression -o expression.csv",
    "all of it in a browser": "centroidal app",
}


def add_arguments(parser):
    """Add the arguments."""
    add_options(parser, "--report", "--force")


def run(args, messages):
    """Select features of the shipped table, of which it is known which genes differ."""
    outputs = Outputs(args, {"--report": (".html",)})
    from ...datasets import load_expression

    genes = load_expression()
    labels = genes.target_names[genes.target]
    selection = select_samples(
        messages, genes.data, labels, feature_names=genes.feature_names,
        n_resamples=n_resamples(args), n_jobs=use_cores(args, DEFAULT),
        random_state=args.seed,
    )  # fmt: skip
    n_samples, n_features = genes.data.shape
    with display.answer(
        args, outputs, display.demo, _STEPS, n_samples=n_samples, n_features=n_features,
        selection=selection.to_dict(),
        n_informative=genes.informative[selection.selected].sum(),
    ):  # fmt: skip
        write_report(outputs, args, selection)
