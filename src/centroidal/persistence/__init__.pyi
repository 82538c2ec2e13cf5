from .audit import UntrustedTypeError
from .model_file import ModelCard, load_model, read_model_card, save_model
from .trusted_types import trust

__all__ = [
    "ModelCard",
    "UntrustedTypeError",
    "load_model",
    "read_model_card",
    "save_model",
    "trust",
]
