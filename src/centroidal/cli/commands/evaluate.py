"""Score a model on a table with labels that it has not seen: external validation."""

from functools import partial

from .. import display
from ..files import groups_of, read_labelled, table_values
from ..messages import InputError, input_errors
from ..options import READING, SHEET, add_options, option_names

HELP = "Score a model on samples with labels that it has not seen (external validation)."
EXAMPLES = """\
  centroidal evaluate tumour.skops other_hospital.csv --target tumour
  centroidal evaluate tumour.skops other_hospital.csv --target tumour --groups patient --json"""

_PRINTED = (
    "metrics", "intervals", "promised", "same_table", "n_samples", "n_groups", "classes",
    "confusion", "recall", "remarks",
)  # fmt: skip


def add_arguments(parser):
    """Add the arguments."""
    add_options(parser, "model", "table", "--target")
    parser.add_argument(
        "--groups", metavar="COLUMN",
        help="what samples belong together, such as the patient: intervals come from resamples of "
        "whole groups, and the column is no feature; none: each sample stands for itself (default: "
        "repeated sample ids are groups)",
    )  # fmt: skip
    add_options(parser.add_argument_group("reading the table"), *READING, *SHEET, "--allow-extra")


def run(args, messages):
    """Predict the samples of a table, and compare with their labels and with what was promised."""
    # Gaps are left in: whether the model fills them in is for it to say.
    table = read_labelled(args, messages, impute="median")
    evaluation = _evaluate(args, table)
    messages.remarks(evaluation.remarks)
    display.show(
        args, partial(display.evaluation, rows=evaluation.rows()),
        answer=evaluation.summary(), table=table_values(table),
        **{name: getattr(evaluation, name) for name in _PRINTED},
    )  # fmt: skip


def _evaluate(args, table):
    from ...io import evaluate_model

    try:
        with input_errors():
            return evaluate_model(
                args.model, table, groups=groups_of(args, table), random_state=args.seed,
                allow_extra=args.allow_extra,
            )  # fmt: skip
    except InputError as error:
        raise InputError(option_names(error)) from error
