"""Translate a model to ONNX."""

from .. import display
from ..files import Outputs, load_model_file
from ..messages import input_errors
from ..options import add_options, add_output

HELP = "Translate a model to ONNX, for other languages."
EXAMPLES = """\
  centroidal export tumour.skops -o tumour.onnx"""


def add_arguments(parser):
    """Add the arguments."""
    add_options(parser, "model")
    add_output(parser, "M.onnx", "the ONNX graph")
    add_options(parser, "--force")


def run(args, messages):
    """Translate a model, which is refused before anything is written if it cannot be."""
    outputs = Outputs(args, {"--output": (".onnx",)}, inputs=[args.model])
    from ...io import to_onnx

    _, model = load_model_file(args.model)
    with input_errors(TypeError):
        to_onnx(model)
    with display.answer(args, outputs, display.files_alone):
        outputs.write("--output", lambda path, force: to_onnx(model, path, force=force))
