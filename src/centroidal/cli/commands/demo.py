"""The main job on the table that ships with the package."""

from ...model_selection.methods import DEFAULT
from .. import display
from ..files import Output, Outputs, write_report
from ..options import add_options
from ..results import print_json, selection_values
from .select import n_resamples, select_samples, use_cores

HELP = "Select features of a table that ships with the package."
EXAMPLES = """\
  centroidal demo
  centroidal demo --report demo.html"""


def add_arguments(parser):
    """Add the arguments."""
    add_options(parser, "--report", "--force")


def run(args, messages):
    """Select features of the shipped table, of which it is known which genes differ."""
    outputs = Outputs(Output("--report", args.report, ".html"), force=args.force)
    from ...datasets import load_expression

    genes = load_expression()
    labels = genes.target_names[genes.target]
    selection = select_samples(
        messages, genes.data, labels, feature_names=genes.feature_names,
        n_resamples=n_resamples(args), n_jobs=use_cores(args, DEFAULT),
        random_state=args.seed,
    )  # fmt: skip
    write_report(outputs, args, selection)
    is_informative = genes.informative[selection.selected]
    found, count = selection_values(selection), is_informative.sum()
    if args.json:
        print_json(selection=found, n_informative=count, written=outputs.written)
    else:
        display.demo(found, genes.data.shape, is_informative, outputs.written)
