"""Score what several sites have merged on the samples of one of them, which stay there."""

import shlex

from ..files import Outputs, input_files, load_model_file
from ..messages import InputError
from ..options import add_options, add_output
from .select import use_cores
from .summarise import add_site, ask_site, write_site

HELP = "Score the merged summary of several sites on the samples of one of them; counts come out."
EXAMPLES = """\
  centroidal score merged.skops north.csv --target tumour -o north_counts.skops
  centroidal merge merged.skops north_counts.skops south_counts.skops -o tumour.skops"""


def add_arguments(parser):
    """Add the arguments."""
    parser.add_argument("summary", metavar="S.skops", help="merged summary of all sites")
    add_options(parser, "table", "--target")
    add_output(parser, "C.skops", "counts of predictions, to be sent to whoever merges")
    add_site(parser)


def run(args, messages):
    """Predict each sample of a table by models that have not seen it, and count."""
    inputs = [args.summary, *input_files(args)]
    outputs = Outputs(args, {"--output": (".skops",)}, inputs=inputs)
    from ...model_selection import SiteSummary

    _, summary = load_model_file(args.summary)
    if not isinstance(summary, SiteSummary):
        raise InputError(
            f"{args.summary} holds a {type(summary).__name__}; score takes the SiteSummary that "
            "merge makes of the summaries of all sites. A model is scored by evaluate."
        )
    summary.set_params(n_jobs=use_cores(args, "l2"))
    table, counts = ask_site(summary.score_site, args, messages, summary.preprocess)
    files = shlex.join([args.summary, args.output])
    steps = {
        "when all sites have scored": f"centroidal merge {files} OTHERS.skops -o model.skops",
    }
    write_site(outputs, args, counts, table, steps, summary.preprocess)
