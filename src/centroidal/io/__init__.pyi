from .annotated import write_anndata, write_back
from .documents import explain_documents, read_documents
from .evaluation import Evaluation, evaluate_model
from .merging import merge_models
from .onnx_export import to_onnx
from .prediction import Predictions, predict_table, read_new_samples
from .preview import preview_table
from .tables import Table, read_table

__all__ = [
    "Evaluation",
    "Predictions",
    "Table",
    "evaluate_model",
    "explain_documents",
    "merge_models",
    "predict_table",
    "preview_table",
    "read_documents",
    "read_new_samples",
    "read_table",
    "to_onnx",
    "write_anndata",
    "write_back",
]
