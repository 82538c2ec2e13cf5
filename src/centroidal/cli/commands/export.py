"""Translate a model to ONNX."""

from .. import display
from ..files import Outputs, load_model_file
from ..messages import input_errors
from ..options import add_options, add_output

HELP = "Translate a model to ONNX, for other languages."
EXAMPLES = """\
  centroidal export tumour.skops -o tumour.onnx
  centroidal export tumour.skops -o tumour.onnx --selected-only --dtype float32"""


def add_arguments(parser):
    """Add the arguments."""
    add_options(parser, "model")
    add_output(parser, "M.onnx", "the ONNX graph")
    parser.add_argument(
        "--selected-only", action="store_true",
        help="let the graph take only the features that the model looks at, not all columns",
    )  # fmt: skip
    parser.add_argument(
        "--dtype", choices=("float64", "float32"), default="float64",
        help="type of its numbers (default: float64)",
    )  # fmt: skip
    add_options(parser, "--force")


def run(args, messages):
    """Translate a model, which is refused before anything is written if it cannot be."""
    outputs = Outputs(args, {"--output": (".onnx",)}, inputs=[args.model])
    from ...io import to_onnx

    card, model = load_model_file(args.model)
    options = {
        "selected_only": args.selected_only, "dtype": args.dtype, "metadata": card.metadata,
    }  # fmt: skip
    with input_errors(TypeError):
        to_onnx(model, **options)
    with display.answer(args, outputs, display.files_alone):
        outputs.write("--output", lambda path, force: to_onnx(model, path, force=force, **options))
