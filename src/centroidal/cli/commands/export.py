"""Translate a model to ONNX."""

from .. import display
from ..files import Output, Outputs, load_model_file
from ..messages import input_errors
from ..options import add_options, add_output
from ..results import print_json

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
    output = Output("--output", args.output, ".onnx")
    outputs = Outputs(output, force=args.force, inputs=[args.model])
    from ...io import to_onnx

    _, model = load_model_file(args.model)
    with input_errors(TypeError):
        to_onnx(model)
    outputs.write("--output", lambda path, force: to_onnx(model, path, force=force))
    if args.json:
        print_json(written=outputs.written)
    else:
        display.output_files(outputs.written)
