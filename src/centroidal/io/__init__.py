"""Tables in, models out and in."""

from .merging import merge_models
from .models import ModelCard, UntrustedTypeError, load_model, read_model_card, save_model
from .onnx_export import to_onnx
from .prediction import Predictions, predict_table, read_new_samples
from .tables import Table, read_table

__all__ = [
    "ModelCard",
    "Predictions",
    "Table",
    "UntrustedTypeError",
    "load_model",
    "merge_models",
    "predict_table",
    "read_model_card",
    "read_new_samples",
    "read_table",
    "save_model",
    "to_onnx",
]
