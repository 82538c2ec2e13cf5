"""Predict the classes of new samples."""

from pathlib import Path

from ..._files import write_atomically
from .. import display
from ..files import Outputs, advice_on_trust, load_model_file, write_folder
from ..messages import InputError, input_errors
from ..options import READING, TABLE, add_options, add_output, option_names

HELP = "Predict the classes of new samples with a model."
EXAMPLES = """\
  centroidal predict tumour.skops new.csv -o predictions.csv
  centroidal predict tumour.skops new.csv --id sample -o predictions.csv --allow-extra
  centroidal predict tumour.skops new.csv -o predictions.csv --no-call 0.05
  centroidal predict tumour.skops parts/ -o predictions/
  centroidal predict reviews.skops new.jsonl --explain -o predictions.csv"""


def add_arguments(parser):
    """Add the arguments."""
    add_options(parser, "model")
    parser.add_argument(
        "table", metavar="TABLE",
        help=f"{TABLE}; or a folder of .parquet files, or of tables of text; folders, .csv, .tsv, "
        ".parquet and .h5ad are read in parts, and of these only the columns of the model",
    )  # fmt: skip
    add_output(
        parser,
        "P.csv|OUT/",
        "predictions: id, prediction, credible, probability_<class>; in a folder, one file for "
        "each that is read",
    )
    add_options(parser.add_argument_group("reading the table"), *READING, "--encoding")
    parser.add_argument(
        "--explain", action="store_true",
        help="tell for each document the words that decided, and how much each weighs",
    )  # fmt: skip
    add_options(parser, "--no-call", "--allow-extra", "--trust", "--force")


def run(args, messages):
    """Predict the classes of the samples of a table."""
    outputs = Outputs(
        args, {"--output": (".csv", "/")}, inputs=[args.model, args.table, *args.join]
    )
    with advice_on_trust():
        card, model = load_model_file(args.model, args.trust)
    try:
        if _is_streamed(args, card, model):
            _predict_stream(args, messages, outputs, card, model)
        else:
            _predict_table(args, messages, outputs, card, model)
    except InputError as error:
        raise InputError(option_names(error)) from error


def _is_streamed(args, card, model):
    """Say whether the table is read in parts, and not into memory as a whole."""
    from ...io.prediction import text_columns
    from ...io.streamed_prediction import is_streamed

    collapses = args.duplicates or card.metadata.get("duplicates", "refuse") != "refuse"
    if text_columns(model) is not None or args.explain or args.transpose or args.join or collapses:
        return False
    return is_streamed(args.table)


def _predict_stream(args, messages, outputs, card, model):
    """Predict part by part, while the predictions are written."""
    from ...io.streamed_prediction import StreamedPredictions

    with input_errors():
        predictions = StreamedPredictions(
            model, args.table, card=card, ids=args.id, drop=args.drop, layer=args.layer,
            max_bytes=args.max_bytes, delimiter=args.delimiter, decimal=args.decimal or ".",
            allow_extra=args.allow_extra, no_call=args.no_call,
        )  # fmt: skip
    is_folder = outputs.is_folder("--output")

    def parts():
        """Yield the name of a part and rows of text; what cannot be read is wrong input."""
        last = None
        with input_errors(), messages.bar("Predicting") as advance:
            for name, found in predictions:
                advance(predictions.n_samples, None, name)
                yield name, found.csv_rows(last is None or (is_folder and name != last))
                last = name

    def write(path, force):
        if is_folder:
            write_folder(path, parts(), force)
        else:
            write_atomically(path, (rows for _, rows in parts()), force=force)

    outputs.write("--output", write)
    if not outputs.written:  # nor is it known how many are of each class
        return
    messages.remarks(predictions.remarks)
    with display.answer(
        args, outputs, display.predictions, n_samples=predictions.n_samples,
        classes=predictions.classes, no_call=args.no_call, remarks=predictions.remarks,
        counts=predictions.counts,
    ):  # fmt: skip
        pass


def _predict_table(args, messages, outputs, card, model):
    """Predict the samples of a table that is read into memory."""
    predictions = _predict(args, card, model)
    messages.remarks(predictions.remarks)

    def write(path, force):
        if outputs.is_folder("--output"):
            write_folder(path, [(Path(args.table).name, predictions.csv_rows())], force)
        else:
            predictions.write_csv(path, force)

    with display.answer(
        args, outputs, display.predictions, n_samples=len(predictions.labels),
        classes=predictions.classes, no_call=predictions.no_call, remarks=predictions.remarks,
        counts=predictions.counts(),
    ):  # fmt: skip
        outputs.write("--output", write)


def _predict(args, card, model):
    from ...io.prediction import label_name, predict_table, read_new_samples, text_columns

    if text_columns(model) is not None:
        return _predict_documents(args, model)
    if args.explain:
        raise InputError(f"--explain is for documents, and {args.model} reads numbers.")
    target = label_name(card)
    with input_errors():
        table = read_new_samples(
            args.table, card=card, ids=args.id, drop=args.drop, join=args.join,
            transpose=args.transpose, layer=args.layer, duplicates=args.duplicates,
            delimiter=args.delimiter, decimal=args.decimal or ".", max_bytes=args.max_bytes,
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
