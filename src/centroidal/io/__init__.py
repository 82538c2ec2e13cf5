"""Tables in, models out and in."""

from typing import TYPE_CHECKING

from .._lazy import load_lazily

if TYPE_CHECKING:
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

load_lazily(
    __name__,
    {
        "batches": "Batch Batches batches",
        "fit_batches": "fit_batches",
        "merging": "merge_models",
        "models": "ModelCard UntrustedTypeError load_model read_model_card save_model",
        "onnx_export": "to_onnx",
        "prediction": "Predictions predict_table read_new_samples",
        "select_batches": "select_batches",
        "tables": "Table read_table",
    },
)
