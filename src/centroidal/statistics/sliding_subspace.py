"""The subspace of the most recent chunks of a stream: new rows come in, old ones are forgotten."""

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from scipy.linalg import svd

from .. import _state as state
from .class_moments import class_moments
from .class_subspace import ClassSubspace
from .residuals import residuals
from .sample_count import SampleCount
from .spectrum import Spectrum, split_columns
from .threads import with_limited_blas


@dataclass(frozen=True)
class Chunk:
    """What is kept of one chunk beside its coordinates: exact class sums, and its spread."""

    codes: np.ndarray
    weights: np.ndarray
    counts: np.ndarray
    means: np.ndarray
    trace: float  # around the mean of the chunk

    _state = {
        "codes": state.positions("rows", below="classes"),
        "weights": state.floats("rows", least=0.0),
        "counts": state.counts("classes"),
        "means": state.floats("classes", "features"),
        "trace": state.number(0.0),
    }

    @property
    def total(self):
        """Sum of the sample weights."""
        return self.counts.sum()

    @property
    def mean(self):
        """Mean of the chunk."""
        return self.counts @ self.means / self.total


@dataclass(frozen=True)
class SlidingSubspace:
    """Coordinates of the samples of a window in the leading directions of their scatter.

    Forgetting drops the oldest coordinates and decomposes the others again, which is as exact as
    formulas for downdating. The class means stay exact whatever is cut off.
    """

    chunks: tuple  # oldest first
    # (n_samples, rank): of the samples of all chunks, relative to their mean.
    coordinates: np.ndarray
    subspace: ClassSubspace  # class means and leading directions of the window

    _state = {
        "chunks": state.sequence(state.part(Chunk), tuple),
        "coordinates": state.floats("rows", "kept"),
        "subspace": state.part(ClassSubspace),
    }

    def _check_relations(self, sizes):
        n_rows = sum(chunk.codes.size for chunk in self.chunks)
        if self.coordinates.shape != (n_rows, self.subspace.spectrum.values.size):
            raise state.StateError("are not those of the rows of all chunks", "coordinates")

    @classmethod
    def empty(cls, n_classes, n_features):
        """Return the window of no data."""
        return cls((), np.zeros((0, 0)), ClassSubspace.empty(n_classes, n_features))

    @with_limited_blas(lambda _, X, *__: X.shape)
    def slide(self, X, codes, weights, window, n_pairs):
        """Return the window with a dense chunk added and at most `window` chunks kept."""
        new = _summarise(X, codes, weights, self.subspace.counts.size)
        chunks = (*self.chunks, new)[-window:]
        n_kept = sum(chunk.codes.size for chunk in chunks[:-1])
        old = self.coordinates[self.coordinates.shape[0] - n_kept :]
        counts, means = _class_means(chunks)
        size = reduce(SampleCount.merge, (SampleCount.of(chunk.weights) for chunk in chunks))
        summary = ClassSubspace(counts, means, self.subspace.spectrum, "total", size)
        basis, coordinates = self._extend_basis(X, old, summary.mean)
        roots = np.sqrt(np.concatenate([chunk.weights for chunk in chunks]))
        _, singular, turn = svd(
            coordinates * roots[:, None], full_matrices=False, check_finite=False
        )
        longest = max(coordinates.shape[0], X.shape[1])
        rank = np.count_nonzero(singular**2 > singular[0] ** 2 * longest * np.finfo(float).eps)
        turn = turn[: min(rank, n_pairs)].T
        trace = sum(
            chunk.trace + chunk.total * ((chunk.mean - summary.mean) ** 2).sum() for chunk in chunks
        )
        found = Spectrum(singular[: turn.shape[1]] ** 2, basis @ turn, trace)
        subspace = replace(summary, spectrum=found)
        return SlidingSubspace(chunks, coordinates @ turn, subspace)

    def _extend_basis(self, X, old, mean):
        """Orthonormal basis that also holds new rows, and all coordinates around a new mean."""
        vectors = self.subspace.spectrum.vectors
        shift = self.subspace.mean - mean
        columns = np.column_stack([(X - mean).T, shift])
        inside, fresh, triangle = split_columns(vectors, columns)
        new = np.hstack([inside[:, :-1].T, triangle[:, :-1].T])
        moved = np.hstack([old, np.zeros((old.shape[0], fresh.shape[1]))])
        moved += np.concatenate([inside[:, -1], triangle[:, -1]])
        return np.hstack([vectors, fresh]), np.vstack([moved, new])

    def class_variances(self, axis):
        """Variance of each class along an axis; what was cut off is taken to be isotropic."""
        found = self.subspace.spectrum
        along = found.vectors.T @ axis
        values = self.coordinates @ along
        codes = np.concatenate([chunk.codes for chunk in self.chunks])
        weights = np.concatenate([chunk.weights for chunk in self.chunks])
        counts = np.maximum(self.subspace.counts, np.finfo(float).tiny)
        means = np.bincount(codes, weights * values, minlength=counts.size) / counts
        squares = weights * (values - means[codes]) ** 2
        variances = np.bincount(codes, squares, minlength=counts.size) / counts
        return variances + self.subspace.tail * max(axis @ axis - along @ along, 0.0)


def _summarise(X, codes, weights, n_classes):
    moments = class_moments(X, codes, n_classes, weights)
    weights = np.ones(codes.size) if weights is None else weights
    mean = (moments.counts @ moments.means / moments.counts.sum())[None]
    trace = residuals(X, np.zeros_like(codes), mean, weights).trace()
    return Chunk(codes, weights, moments.counts, moments.means, trace)


def _class_means(chunks):
    counts = sum(chunk.counts for chunk in chunks)
    sums = sum(chunk.counts[:, None] * chunk.means for chunk in chunks)
    return counts, sums / np.where(counts > 0, counts, 1.0)[:, None]
