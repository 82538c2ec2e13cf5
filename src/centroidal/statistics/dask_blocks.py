"""The summaries of a Dask collection: those of each block, merged in a tree."""

from dataclasses import replace
from functools import partial, reduce

import dask
import numpy as np
from scipy.sparse import issparse, vstack

from .class_medians import ClassMedians, class_medians, median_deviations
from .class_moments import ClassMoments, class_moments
from .class_subspace import ClassSubspace, class_subspace
from .dask_collection import DaskCollection, RowBlocks, merge_in_tree
from .spectrum import Spectrum, basis_size, is_direct, iterated_spectrum, matrix_spectrum

_MOST_CUTS = 64  # of a block of columns, where whole columns are needed
_LARGEST_MERGE = 2**25  # numbers in a direction for each row, where so many are not needed
# Vectors in a product, as for rows in memory, so that they lead to the same directions.
_SPARSE_WIDTH, _DENSE_WIDTH = 16, 32


class DaskBlocks(DaskCollection):
    """Samples whose summaries are made where they are; none grows with the rows."""

    def class_moments(self, codes, n_classes, weights=None):
        """Moments of each block, merged over the rows in a fixed tree; columns side by side."""
        widths = np.diff(self._edges).tolist()
        codes = codes if len(widths) == 1 else codes.as_tasks()
        summarise = dask.delayed(_block_moments)
        parts = []
        for column, width in enumerate(widths):
            moments = [
                summarise(
                    row[column], self._reader(place, width), own, codes.function, n_classes, weight
                )
                for place, (row, own, weight) in enumerate(self._rows(codes.sources, weights))
            ]
            parts.append(merge_in_tree(_merge_moments, moments))
        parts = RowBlocks(parts).gather()
        return ClassMoments(parts[0].counts, *_side_by_side(parts, ("means", "squares")))

    def class_medians(self, codes, n_classes, weights=None):
        """Medians of whole columns: rows are put together, a block of columns at a time."""
        summarise = dask.delayed(_stacked_medians)
        labels = self._whole(codes, weights)
        parts = RowBlocks(
            [summarise(pieces, labels, n_classes) for _, pieces in self._columns(codes)]
        ).gather()
        return ClassMedians(parts[0].counts, *_side_by_side(parts, ClassMedians._fields[1:]))

    def median_deviations(self, codes, medians, weights=None):
        """Median absolute deviations of whole columns, as in `class_medians`."""
        deviate = dask.delayed(_stacked_deviations)
        labels = self._whole(codes, weights)
        parts = [
            deviate(pieces, labels, medians[:, columns]) for columns, pieces in self._columns(codes)
        ]
        return np.concatenate(RowBlocks(parts).gather())

    def class_subspace(self, codes, moments, weights=None, scatter="total", n_pairs=None):
        """Directions of the scatter, as those of the same rows in memory.

        One pass over the blocks where features are few, or rows are: products of the features are
        summed, or all directions of the blocks are merged, and decomposed or cut on a worker.
        Otherwise one pass a product with some vectors, in the same iterations as in memory.
        """
        n_features = self.shape[1]
        n_samples = _n_counted(codes, weights, moments)
        summary = ClassSubspace(moments.counts, moments.means, Spectrum.empty(n_features), scatter)
        n_kept = None if n_pairs is None else 2 * n_pairs
        noise = max(n_samples, n_features)
        if n_features > n_samples and self._merges(n_samples, n_pairs):
            summarise = partial(_block_subspace, summary.counts.size, scatter)
            parts = self.of_rows(summarise, codes, weights)
            found = parts.reduce(_merge_subspaces, partial(_leading_pairs, n_kept))
        elif n_features <= n_samples and is_direct(n_features, n_pairs):
            parts = self.of_rows(partial(_block_scatter, summary), codes, weights)
            found = parts.reduce(sum, partial(_decompose, n_kept, noise))
        else:
            # Labels and weights are small: they are read and checked once for all products.
            codes, weights = codes.persist(), None if weights is None else weights.persist()
            multiply = partial(self._multiply, codes, weights, summary)
            trace = _trace(moments, summary)
            found = iterated_spectrum(multiply, n_features, n_pairs, self._width, trace, noise)
        return replace(summary, spectrum=found)

    @property
    def _width(self):
        return _SPARSE_WIDTH if self.is_sparse else _DENSE_WIDTH

    def _merges(self, n_samples, n_pairs):
        """Whether a direction a row is no more than iterations would hold, or little anyway."""
        if n_pairs is None or n_samples <= basis_size(n_pairs, self._width) + self._width:
            return True
        return is_direct(n_samples, n_pairs) and n_samples * self.shape[1] <= _LARGEST_MERGE

    def _multiply(self, codes, weights, summary, vectors):
        # The vectors are part of what is asked of the blocks, and may be large.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
            return self.sum_rows(partial(_block_product, summary, vectors), codes, weights)

    def _whole(self, codes, weights):
        """Codes and weights of all rows, in one task that all blocks of columns share."""
        return dask.delayed(_join_labels)(list(codes), None if weights is None else list(weights))

    def _columns(self, codes):
        """Yield slices of columns, and their pieces, one a block of rows."""
        for column, (start, stop) in enumerate(zip(self._edges[:-1], self._edges[1:], strict=True)):
            n_cuts = min(len(self._grid), stop - start, _MOST_CUTS)
            edges = np.linspace(0, stop - start, n_cuts + 1).astype(int).tolist()
            cut = dask.delayed(_cut, nout=n_cuts)
            pieces = [
                cut(row[column], self._reader(place, stop - start), own, edges)
                for place, (row, own) in enumerate(zip(self._grid, codes, strict=True))
            ]
            for i in range(n_cuts):
                columns = slice(start + edges[i], start + edges[i + 1])
                yield columns, [of_rows[i] for of_rows in pieces]


def _merge_moments(parts):
    return reduce(ClassMoments.merge, parts)


def _side_by_side(parts, names):
    return [np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in names]


def _block_moments(block, read, labels, encode, n_classes, weights):
    codes = labels if encode is None else encode(labels)
    return class_moments(read(block, codes.size), codes, n_classes, weights)


def _n_counted(codes, weights, moments):
    """Count the rows that count."""
    if weights is None:
        return int(moments.counts.sum())
    return sum(codes.map(_n_counted_in_block, weights).gather())


def _n_counted_in_block(codes, weights):
    return np.count_nonzero((codes >= 0) & (weights > 0))


def _trace(moments, summary):
    """Sum of the squared lengths of all residuals."""
    trace = moments.squares.sum()
    if summary.scatter == "total":
        trace += moments.counts @ ((moments.means - summary.mean) ** 2).sum(axis=1)
    return float(trace)


def _block_scatter(summary, X, codes, weights):
    return summary.center_rows(X, codes, weights).scatter()


def _block_product(summary, vectors, X, codes, weights):
    rows = summary.center_rows(X, codes, weights)
    return rows.pull_back(rows.push(vectors))


def _block_subspace(n_classes, scatter, X, codes, weights):
    moments = class_moments(X, codes, n_classes, weights)
    return class_subspace(X, codes, moments, weights, scatter)


def _merge_subspaces(parts):
    return reduce(ClassSubspace.merge, parts)


def _leading_pairs(n_pairs, subspace):
    return subspace.spectrum.keep_leading(n_pairs)


def _decompose(n_pairs, noise, scatter):
    return matrix_spectrum(scatter.copy(), n_pairs, noise)  # it is not ours to overwrite


def _cut(block, read, codes, edges):
    X = read(block, codes.size)
    X = X.tocsc() if issparse(X) else X
    # Copies: a view would keep the whole block in memory.
    return [X[:, start:stop].copy() for start, stop in zip(edges[:-1], edges[1:], strict=True)]


def _join_labels(codes, weights):
    return np.concatenate(codes), None if weights is None else np.concatenate(weights)


def _stack(pieces):
    if any(issparse(piece) for piece in pieces):
        return vstack(pieces, format="csc")
    return np.concatenate(pieces)


def _stacked_medians(pieces, labels, n_classes):
    codes, weights = labels
    return class_medians(_stack(pieces), codes, n_classes, weights)


def _stacked_deviations(pieces, labels, medians):
    codes, weights = labels
    return median_deviations(_stack(pieces), codes, medians, weights)
