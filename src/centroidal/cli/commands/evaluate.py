"""Score a model on a table with labels that it has not seen: external validation."""

from functools import partial

from .. import display
from ..files import (
    Outputs,
    advice_on_trust,
    groups_of,
    input_files,
    read_labelled,
    table_values,
    write_report,
)
from ..messages import InputError, input_errors
from ..options import READING, SHEET, add_options, option_names

HELP = "Score a model on samples with labels that it has not seen (external validation)."
EXAMPLES = """\
  centroidal evaluate tumour.skops other_hospital.csv --target tumour --report report.html
  centroidal evaluate tumour.skops other_hospital.csv --target tumour --groups patient --json
  centroidal evaluate tumour.skops other_hospital.csv --target tumour --no-call 0.05"""

_PRINTED = (
    "metrics", "intervals", "promised", "same_table", "n_samples", "n_groups", "classes",
    "confusion", "recall", "calls", "remarks",
)  # fmt: skip


def add_arguments(parser):
    """Add the arguments."""
    add_options(parser, "model", "table", "--target")
    parser.add_argument(
        "--groups", metavar="COLUMN",
        help="what samples belong together, such as the patient: intervals know that they are "
        "alike, and the column is no feature; none: each sample stands for itself (default: "
        "repeated sample ids are groups)",
    )  # fmt: skip
    add_options(parser, "--no-call")
    add_options(parser.add_argument_group("reading the table"), *READING, *SHEET, "--allow-extra")
    add_options(parser.add_argument_group("documents"), "--text", "--encoding")
    add_options(parser, "--trust")
    add_options(parser.add_argument_group("files to write"), "--report", "--force")


def run(args, messages):
    """Predict the samples of a table, and compare with their labels and with what was promised."""
    from ...persistence import read_model_card

    outputs = Outputs(args, {"--report": (".html",)}, inputs=[args.model, *input_files(args)])
    # Gaps are left in: whether the model fills them in is for it to say.
    with input_errors():
        card = read_model_card(args.model)
    table = read_labelled(args, messages, impute="median", card=card)
    evaluation = _evaluate(args, table)
    messages.remarks(evaluation.remarks)
    values = {"answer": evaluation.summary(), "table": table_values(table)}
    values |= {name: getattr(evaluation, name) for name in _PRINTED}
    show = partial(display.evaluation, rows=evaluation.rows())
    with display.answer(args, outputs, show, **values):
        write_report(outputs, args, table=table, evaluation=evaluation)


def _evaluate(args, table):
    from ...io import evaluate_model

    groups = groups_of(args, table)
    options = {
        "random_state": args.seed, "allow_extra": args.allow_extra, "trusted": args.trust,
        "no_call": args.no_call,
    }  # fmt: skip
    try:
        with advice_on_trust(), input_errors():
            return evaluate_model(args.model, table, groups=groups, **options)
    except InputError as error:
        raise InputError(option_names(error)) from error
