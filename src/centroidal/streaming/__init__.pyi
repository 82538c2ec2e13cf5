from .batches import Batch, Batches, batches
from .fit_batches import fit_batches

__all__ = ["Batch", "Batches", "batches", "fit_batches"]
