r"""Relief scores: how much more a feature differs between near samples of different classes.

With :math:`\delta_j(x, x')` the difference of two samples in feature j, and N(x, c) the nearest
samples of class c, the score of feature j is the sum over samples x of class k of

.. math:: - \operatorname{mean}_{x' \in N(x, k)} \delta_j
          + \sum_{c \ne k} q_{kc} \operatorname{mean}_{x' \in N(x, c)} \delta_j

Equation map::

    Kononenko (1994)            classic: q = p_c / (1 - p_k), delta = |x - x'| / range, mean over x
    section 3.3.2 of the paper  squared: q = p_c, delta = ((x - x') / range) ** 2, sum over x
    delta, its mean if missing  difference(), expect_differences() in _relief_loops.py
    N(x, c)                     find_pairs(), share_pairs() in _relief_loops.py
    the sum over all pairs      add_up_pairs()
"""

from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from scipy.sparse import coo_array, issparse

from ..statistics import weights_in_samples
from ..statistics.threads import column_blocks, limit_blas, map_blocks, one_blas_thread, run_blocks
from . import _relief_loops
from .ranking import ROUNDING

_TIE_TOLERANCE = 1e-12  # distances that differ by less, relative to their size, are equal
_EPSILON = np.finfo(np.float64).eps
_LARGEST_BLOCK = 2**23  # distances in a block of samples, as far as it has more than the least
_LEAST_BLOCK, _MOST_BLOCK = 64, 512  # samples in a block
_FEATURES_PER_TILE, _SAMPLES_PER_CHUNK = 32, 1024  # of the distances; 256 kB
_FEATURES_PER_PRODUCT = 256
_FEW_SAMPLES = 512  # all distances are kept, so that each pair is looked at once
_FEATURES_PER_SUM = 2048  # that a thread takes at a time for sums over pairs
_MOST_EXPECTED = 2**22  # mean differences of a tile
_ENTRIES_PER_TILE = 2**16  # of the scores


class ReliefProblem(NamedTuple):
    """What the scores are made of."""

    parts: list  # features of one kind each, with the same methods
    # Class and weight of each sample, samples class by class, and where each class begins.
    groups: tuple
    n_neighbors: int  # weight of the neighbours that are taken of each class
    # (n_classes, n_classes): what the mean difference to class c counts for a sample of class k; -1
    # for its own.
    factors: np.ndarray
    is_squared: bool  # whether differences are squared in the scores
    total: float  # what the sum over the samples is divided by
    drawn: np.ndarray  # samples whose neighbours are looked for

    @property
    def n_samples(self):
        """Number of samples that count."""
        return self.groups[0].size

    @property
    def error(self):
        """Bound of the rounding of a score: a share of the weight of all pairs."""
        weight_of_pairs = 2.0 * self.groups[1][self.drawn].sum()  # hits and misses of each sample
        return ROUNDING * weight_of_pairs / self.total

    @property
    def row_blocks(self):
        """Samples in blocks that depend on their number alone."""
        return self._cut(self.n_samples)

    @property
    def drawn_blocks(self):
        """Places in `drawn`, in such blocks."""
        return self._cut(self.drawn.size)

    def _cut(self, n_rows):
        n = self.n_samples
        width = min(max(n // 8, _LEAST_BLOCK), _MOST_BLOCK, max(_LARGEST_BLOCK // n, 16))
        return column_blocks(n_rows, width)


def pose_relief(
    X, codes, n_classes, weights=None, is_categorical=None, *, n_neighbors, metric, variant,
    draw=None,
):  # fmt: skip
    """Prepare samples, NaN where a value is missing, features and weights.

    Of weights that are multiples of the smallest, a row of twice that counts as two equal rows; of
    others, rows count as one on the average. `metric`, "manhattan" or "euclidean", is what makes
    neighbours near; `variant`, "classic" or "squared", as above. `draw` is given the number of
    samples and returns those whose neighbours are looked for; all, if there is none.
    """
    if weights is None:
        weights = np.ones(codes.size)
    elif not weights.all():
        X, codes, weights = (part[weights > 0] for part in (X, codes, weights))
    weights = weights_in_samples(weights)
    if is_categorical is None:
        is_categorical = np.zeros(X.shape[1], dtype=bool)
    counts = np.bincount(codes, weights, minlength=n_classes)
    members = np.argsort(codes, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=n_classes))])
    is_squared = variant == "squared"
    groups = (codes, weights, members, bounds)
    features = _describe(X, is_categorical)
    drawn = np.arange(codes.size) if draw is None else draw(codes.size)
    return ReliefProblem(
        _parts(X, features, groups, metric == "euclidean"),
        groups,
        n_neighbors,
        _factors(counts, is_squared),
        is_squared,
        1.0 if is_squared else weights[drawn].sum(),
        drawn,
    )


def find_pairs(problem, n_jobs=None):
    """Yield the pairs of near samples for each of `problem.drawn_blocks`, with their part."""

    def of_block(start, stop):
        return _block_pairs(problem, problem.drawn[start:stop])

    for part in problem.parts:
        part.prepare(n_jobs)
    n_features = sum(part.columns.size for part in problem.parts)
    # Products of matrices in several threads: threads inside each would only wait for one another.
    is_alone = effective_n_jobs(n_jobs) == 1
    with limit_blas(problem.n_samples, n_features) if is_alone else one_blas_thread():
        yield from map_blocks(of_block, problem.drawn_blocks, n_jobs)


def add_up_pairs(problem, blocks, n_jobs=None):
    """Scores of all features from the pairs of all blocks."""
    rows, others, shares = (np.concatenate(part) for part in zip(*blocks, strict=True))
    # A pair in which each is a neighbour of the other is looked at once.
    pairs = (np.minimum(rows, others), np.maximum(rows, others))
    shape = (problem.n_samples, problem.n_samples)
    pairs = coo_array((shares / problem.total, pairs), shape).tocsr()
    scores = np.zeros(sum(part.columns.size for part in problem.parts))
    for part in problem.parts:
        part.add_scores(pairs, problem, n_jobs, scores)
    scores[np.abs(scores) <= problem.error] = 0.0
    return scores


def _factors(counts, is_squared):
    priors = counts / counts.sum()
    factors = np.tile(priors, (priors.size, 1))
    if not is_squared:
        factors /= (1.0 - priors)[:, None]
    np.fill_diagonal(factors, -1.0)
    return factors


def _block_pairs(problem, rows):
    """Neighbours of `rows`: sample, neighbour and the part of the pair in the scores."""
    n, n_classes = problem.n_samples, problem.factors.shape[0]
    room = np.empty(n), np.empty(n)

    def share(rows, distances, errors):
        shares = np.zeros_like(distances)
        doubtful = np.empty((2, rows.size, n_classes))
        _relief_loops.share_pairs(
            distances, rows, errors, problem.groups, float(problem.n_neighbors), problem.factors,
            _TIE_TOLERANCE, room, doubtful, shares,
        )  # fmt: skip
        return shares, doubtful

    distances = np.zeros((rows.size, n))
    errors = np.zeros(rows.size)
    for part in problem.parts:
        part.add_distances(rows, distances)
        errors += part.errors(rows)
    shares, doubtful = share(rows, distances, errors)

    again = np.flatnonzero((doubtful[1] > -np.inf).any(axis=1))
    if again.size:
        distances = distances[again]
        lowest, highest = doubtful[:, again][:, :, problem.groups[0]]
        wanted = (distances >= lowest) & (distances <= highest)
        exact = np.zeros_like(distances)
        for part in problem.parts:
            part.add_exact_distances(rows[again], wanted, exact)
        np.copyto(distances, exact, where=wanted)
        shares[again] = share(rows[again], distances, np.zeros(again.size))[0]
    found, others = np.nonzero(shares)
    return rows[found], others, shares[found, others]


# ------------------------------------------------------------------ features


class _Features(NamedTuple):
    lowest: np.ndarray
    rates: np.ndarray  # one over the range; 0 for a feature without spread
    is_categorical: np.ndarray
    is_complete: np.ndarray


def _describe(X, is_categorical):
    """Range of each feature over the samples, implicit zeros included, and what kind it is."""
    if issparse(X):
        columns = X.tocsc()
        is_complete = ~np.isnan(_dense_row(columns.min(axis=0)))
        lowest, highest = (_dense_row(f(axis=0)) for f in (columns.nanmin, columns.nanmax))
    else:
        is_complete = ~np.isnan(np.minimum.reduce(X, axis=0).astype(np.float64))
        lowest, highest = (f.reduce(X, axis=0).astype(np.float64) for f in (np.fmin, np.fmax))
    with np.errstate(over="ignore", divide="ignore"):
        ranges = highest - lowest
        rates = 1.0 / ranges
    if np.isinf(ranges[~is_categorical]).any():
        raise ValueError("X holds values whose range is too large for float64; rescale it first.")
    rates[~np.isfinite(rates)] = 0.0
    lowest[np.isnan(lowest)] = 0.0
    return _Features(lowest, rates, is_categorical, is_complete)


def _dense_row(row):
    return row.toarray().astype(np.float64).ravel()


def _parts(X, features, groups, is_euclidean):
    """Cut the features into those that the fast ways can do, and the others."""
    is_fast = features.is_complete
    if not issparse(X):
        is_fast = is_fast & ~features.is_categorical
    parts = []
    if is_fast.any():
        if issparse(X):
            kind = _SparseFeatures
        elif is_euclidean:
            kind = _Products
        else:
            kind = _NumbersOfFew if X.shape[0] <= _FEW_SAMPLES else _Numbers
        parts.append(kind(X, np.flatnonzero(is_fast), features, groups, is_euclidean))
    if not is_fast.all():
        parts.append(_MixedFeatures(X, np.flatnonzero(~is_fast), features, groups, is_euclidean))
    return parts


class _Part:
    """Some of the features, of dense samples or of those that are made dense tile by tile."""

    def __init__(self, X, columns, features, groups, is_euclidean):
        self.columns = columns
        self._X = X.tocsc() if issparse(X) else X
        self._features = _Features(*(values[columns] for values in features))
        self._groups = groups
        self._is_euclidean = is_euclidean

    def prepare(self, n_jobs):
        """Get ready for distances; here nothing is needed."""

    def errors(self, rows):
        """Bound of what rounding does to the distances, beyond that of adding them up."""
        return np.zeros(rows.size)

    def add_exact_distances(self, rows, wanted, distances):
        """Add at least the distances that are wanted, from the definition."""
        self.add_distances(rows, distances)

    def _tile(self, start, stop):
        """Values of some of the columns, (samples, features)."""
        columns = self.columns[start:stop]
        if columns[-1] - columns[0] + 1 == columns.size:
            columns = slice(columns[0], columns[-1] + 1)
        tile = self._X[:, columns]
        return tile.toarray() if issparse(tile) else tile

    def _transpose_tile(self, start, stop):
        return np.ascontiguousarray(self._tile(start, stop).T, dtype=np.float64)

    def _tiles(self, width):
        return column_blocks(self.columns.size, width)


class _Numbers(_Part):
    """Features that hold numbers, none of them missing."""

    def add_distances(self, rows, distances):
        """Add distances from `rows` to all samples; squared ones if they are Euclidean."""
        for start, stop in self._tiles(_FEATURES_PER_TILE):
            rates = self._features.rates[start:stop]
            _relief_loops.add_distances(
                self._transpose_tile(start, stop), rates, rows, self._is_euclidean,
                _SAMPLES_PER_CHUNK, distances,
            )  # fmt: skip

    def add_exact_distances(self, rows, wanted, distances):
        _Numbers.add_distances(self, rows, distances)

    def add_scores(self, pairs, problem, n_jobs, scores):
        """Add what the pairs say about each feature."""

        def of_tile(start, stop):
            some, rates = np.zeros(stop - start), self._features.rates[start:stop]
            _relief_loops.add_pairs(
                *self._contiguous_rows(start, stop), rates, pairs.indices, pairs.indptr,
                pairs.data, problem.is_squared, width, some,
            )  # fmt: skip
            scores[self.columns[start:stop]] = some

        width = min(max(_ENTRIES_PER_TILE // problem.n_samples, 16), 512)
        run_blocks(of_tile, self._tiles(_FEATURES_PER_SUM), n_jobs)

    def _contiguous_rows(self, start, stop):
        """Return an array whose rows are contiguous, and the column in it of feature `start`."""
        first, last = self.columns[start], self.columns[stop - 1]
        is_ready = self._X.flags.c_contiguous and self._X.dtype == np.float64
        if is_ready and last - first + 1 == stop - start:
            return self._X, first
        return np.ascontiguousarray(self._tile(start, stop), dtype=np.float64), 0

    def _scale_tile(self, start, stop):
        """Values as shares of the range, from its lower end on."""
        features = self._features
        tile = np.subtract(self._tile(start, stop), features.lowest[start:stop], dtype=np.float64)
        tile = np.ascontiguousarray(tile)
        tile *= features.rates[start:stop]
        return tile


class _NumbersOfFew(_Numbers):
    """The same, of so few samples that all distances are kept."""

    def prepare(self, n_jobs):
        """Find the distances of all pairs; threads take features, so each pair is seen once."""

        def of_features(start, stop):
            tile = self._transpose_tile(start, stop)
            some = np.zeros((tile.shape[1], tile.shape[1]))
            _relief_loops.add_upper_distances(
                tile, self._features.rates[start:stop], self._is_euclidean, _FEATURES_PER_TILE,
                some,
            )  # fmt: skip
            return some

        upper = sum(map_blocks(of_features, self._tiles(_FEATURES_PER_SUM), n_jobs))
        self._distances = np.triu(upper) + np.triu(upper, 1).T

    def add_distances(self, rows, distances):
        distances += self._distances[rows]


class _Products(_Numbers):
    """The same, with Euclidean distances from inner products."""

    def __init__(self, *args):
        super().__init__(*args)
        self._squares = np.zeros(self._X.shape[0])
        for block in self._tiles(_FEATURES_PER_PRODUCT):
            Z = self._scale_tile(*block)
            self._squares += np.einsum("ij,ij->i", Z, Z)

    def errors(self, rows):
        steps = 4.0 * (self.columns.size + 8.0)
        return steps * _EPSILON * (self._squares[rows] + self._squares.max())

    def add_distances(self, rows, distances):
        distances += self._squares[rows, None] + self._squares
        for block in self._tiles(_FEATURES_PER_PRODUCT):
            Z = self._scale_tile(*block)
            distances -= 2.0 * (Z[rows] @ Z.T)


class _MixedFeatures(_Part):
    """Features that hold categories or miss values; sparse ones are made dense tile by tile."""

    def add_distances(self, rows, distances):
        for start, stop in self._mixed_tiles():
            tile, order, n_present, expected = self._expect(start, stop, self._is_euclidean)
            _, rates, is_categorical, _ = (part[start:stop] for part in self._features)
            _relief_loops.add_mixed_distances(
                tile, order, n_present, expected, self._groups[0], rates, is_categorical, rows,
                self._is_euclidean, distances,
            )  # fmt: skip

    def add_scores(self, pairs, problem, n_jobs, scores):
        def of_tile(start, stop):
            some = np.zeros(stop - start)
            tile, _, _, expected = self._expect(start, stop, problem.is_squared)
            _, rates, is_categorical, _ = (part[start:stop] for part in self._features)
            _relief_loops.add_mixed_pairs(
                tile, expected, self._groups[0], rates, is_categorical, pairs.indices,
                pairs.indptr, pairs.data, problem.is_squared, some,
            )  # fmt: skip
            scores[self.columns[start:stop]] = some

        run_blocks(of_tile, self._mixed_tiles(), n_jobs)

    def _mixed_tiles(self):
        codes, _, _, bounds = self._groups
        width = _MOST_EXPECTED // (codes.size * (bounds.size - 1))
        return self._tiles(min(max(width, 1), _FEATURES_PER_TILE))

    def _expect(self, start, stop, is_squared):
        """Values, (features, samples), which are present, and mean differences to each class."""
        tile = self._transpose_tile(start, stop)
        codes, weights, _, bounds = self._groups
        lowest, rates, is_categorical, is_complete = (part[start:stop] for part in self._features)
        shape = (stop - start, bounds.size - 1, codes.size)
        if is_complete.all():
            nothing = np.empty((stop - start, 0), dtype=np.intp), np.empty((*shape[:2], 0))
            return tile, nothing[0], np.full(stop - start, codes.size), nothing[1]
        order = np.argsort(tile, axis=1, kind="stable")
        n_present = np.count_nonzero(~np.isnan(tile), axis=1)
        expected = np.empty(shape)
        _relief_loops.expect_differences(
            tile, order, n_present, codes, weights, lowest, rates, is_categorical, is_squared,
            expected,
        )  # fmt: skip
        return tile, order, n_present, expected


class _SparseFeatures(_Part):
    """Features of sparse samples that miss no value; implicit zeros are not touched."""

    def __init__(self, X, columns, features, groups, is_euclidean):
        super().__init__(X, columns, features, groups, is_euclidean)
        self._rates, self._is_categorical = self._features.rates, self._features.is_categorical
        by_column = self._X if columns.size == X.shape[1] else self._X[:, columns]
        by_row = by_column.tocsr()  # columns in order, as the conversion leaves them
        self._by_row, self._by_column = _arrays(by_row), _arrays(by_column)
        self._lengths = self._distances_from_zero(by_row)
        self._longest = np.diff(by_row.indptr).max()

    def _distances_from_zero(self, X):
        gaps = np.abs(self._by_row[0]) * self._rates[X.indices]
        if self._is_euclidean:
            gaps **= 2
        gaps = np.where(self._is_categorical[X.indices], X.data != 0, gaps)
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        return np.bincount(rows, gaps, minlength=X.shape[0])

    def errors(self, rows):
        steps = 4.0 * (self._longest + 8.0)
        return steps * _EPSILON * (self._lengths[rows] + self._lengths.max())

    def add_distances(self, rows, distances):
        _relief_loops.add_sparse_distances(
            self._by_row, self._by_column, rows, self._lengths, self._rates, self._is_categorical,
            self._is_euclidean, distances,
        )  # fmt: skip

    def add_exact_distances(self, rows, wanted, distances):
        _relief_loops.add_wanted_distances(
            self._by_row, rows, wanted, self._rates, self._is_categorical, self._is_euclidean,
            distances,
        )  # fmt: skip

    def add_scores(self, pairs, problem, n_jobs, scores):
        def of_block(start, stop):
            some = np.zeros(self.columns.size)
            _relief_loops.add_sparse_pairs(
                self._by_row, self._rates, self._is_categorical, start, stop, pairs.indices,
                pairs.indptr, pairs.data, problem.is_squared, some,
            )  # fmt: skip
            return some

        for some in map_blocks(of_block, problem.row_blocks, n_jobs):
            scores[self.columns] += some


def _arrays(X):
    return X.data.astype(np.float64, copy=False), X.indices, X.indptr
