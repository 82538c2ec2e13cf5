"""Predict the classes of new samples."""

from .. import display
from ..files import Outputs, advice_on_trust, load_model_file
from ..messages import InputError, input_errors
from ..options import READING, add_options, add_output, option_names

HELP = "Predict the classes of new samples with a model."
EXAMPLES = """\
  centroidal predict tumour.skops new.csv -o predictions.csv
  centroidal predict tumour.skops new.csv --id sample -o predictions.csv --allow-extra
  centroidal predict tumour.skops new.csv -o predictions.csv --no-call 0.05
  centroidal predict reviews.skops new.jsonl --explain -o predictions.csv"""


def add_arguments(parser):
    """Add the arguments."""
    add_options(parser, "model", "table")
    add_output(parser, "P.csv", "predictions: id, prediction, credible, probability_<class>")
    add_options(parser.add_argument_group("reading the table"), *READING, "--encoding")
    parser.add_argument(
        "--explain", action="store_true",
        help="tell for each document the words that decided, and how much each weighs",
    )  # fmt: skip
    add_options(parser, "--no-call", "--allow-extra", "--trust", "--force")


def run(args, messages):
    """Predict the classes of the samples of a table."""
    outputs = Outputs(args, {"--output": (".csv",)}, inputs=[args.model, args.table])
    try:
        predictions = _predict(args)
    except InputError as error:
        raise InputError(option_names(error)) from error
    messages.remarks(predictions.remarks)
    outputs.write("--output", predictions.write_csv)
    display.show(
        args, display.predictions, n_samples=len(predictions.labels), classes=predictions.classes,
        no_call=predictions.no_call, remarks=predictions.remarks, counts=predictions.counts(),
        written=outputs.written,
    )  # fmt: skip


def _predict(args):
    from ...io.prediction import label_name, predict_table, read_new_samples, text_columns

    with advice_on_trust():
        card, model = load_model_file(args.model, args.trust)
    if text_columns(model) is not None:
        return _predict_documents(args, model)
    if args.explain:
        raise InputError(f"--explain is for documents, and {args.model} reads numbers.")
    target = label_name(card)
    with input_errors():
        table = read_new_samples(
            args.table, card=card, ids=args.id, drop=args.drop, transpose=args.transpose,
            layer=args.layer, duplicates=args.duplicates, delimiter=args.delimiter,
            decimal=args.decimal or ".", max_bytes=args.max_bytes,
        )  # fmt: skip
        return predict_table(
            model, table, target=target, allow_extra=args.allow_extra, no_call=args.no_call
        )


def _predict_documents(args, model):
    from dataclasses import replace

    from ...io import explain_documents, predict_table
    from ...io.prediction import read_new_documents

    with input_errors(TypeError):
        options = {"ids": args.id, "encoding": args.encoding, "max_bytes": args.max_bytes}
        table = read_new_documents(args.table, model, **options)
        predictions = predict_table(model, table, no_call=args.no_call)
        if not args.explain:
            return predictions
        return replace(predictions, words=explain_documents(model, table.X))
