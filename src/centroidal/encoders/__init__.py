"""Neural networks (extra `neural`); PyTorch is imported when one is fitted."""

from .sparse_centroid_encoder import SparseCentroidEncoder

__all__ = ["SparseCentroidEncoder"]
