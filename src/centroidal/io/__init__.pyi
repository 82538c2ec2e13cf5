from .batches import Batch, Batches, batches
from .fit_batches import fit_batches
from .merging import merge_models
from .models import ModelCard, UntrustedTypeError, load_model, read_model_card, save_model
from .onnx_export import to_onnx
from .prediction import Predictions, predict_table, read_new_samples
from .select_batches import select_batches
from .tables import Table, read_table

__all__ = [
    "Batch",
    "Batches",
    "ModelCard",
    "Predictions",
    "Table",
    "UntrustedTypeError",
    "batches",
    "fit_batches",
    "load_model",
    "merge_models",
    "predict_table",
    "read_model_card",
    "read_new_samples",
    "read_table",
    "save_model",
    "select_batches",
    "to_onnx",
]
