"""Data leakage, looked for before the work by cheap checks of samples in memory."""

from math import lgamma, log
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from ..statistics import class_moments

_MOST_SHOWN = 3  # pairs of rows, or features, that a sentence names
_MOST_ROWS, _MOST_COLUMNS = 2000, 200  # that neighbours are looked for in
_FEWEST_COLUMNS = 20  # in which a correlation says something
_IDENTICAL, _SIMILAR = 0.999, 0.8  # correlations: near copies in any case, and at least
_BEYOND_CHANCE = 1.5  # times the largest correlation that samples without repeats would have
_GAP, _MOST_ALIKE = 4.0, 50  # how much farther than the near ones the next is; how many are near
_CLIPPED = 3.0  # standard deviations, so that two samples with one large value are not alike
_UNLIKELY = 1e-3  # expected number by chance, below which something found is no accident
_FIRST_ROWS = 16  # that rule out most features that do not rise with the rows
_SORTED = 0.5  # share of the runs of a class that mixed rows would have, up to which they go by it
_LEAST_LIKENESS, _N_PERMUTATIONS = 0.05, 199  # of neighbours that matters; by which it is tested
_BYTES_AT_A_TIME = 2**25


class Suspicion(NamedTuple):
    """Something that makes a score too good."""

    kind: str  # "copies", "near_copies", "giveaway" or "drift"
    sentence: str
    n_samples: int  # that are concerned
    share: float  # of the samples that were looked at
    rows: list  # the first pairs of rows that are alike, counted from 0
    features: list  # names of features that give the class away


def find_suspicions(data, feature_names, groups, seed):
    """Return what makes the score of these samples too good, as a tuple of `Suspicion`.

    `groups` are numbers of the groups that stay together, or None. The same seed looks at the same
    samples, where there are more than can be looked at.
    """
    kinds, rng = _copy_numbers(data.X), np.random.RandomState(seed)
    rows = np.arange(data.codes.size)
    if rows.size > _MOST_ROWS:
        rows = np.sort(rng.permutation(rows.size)[:_MOST_ROWS])
    Z = _standardise(data, rows)
    found = [_say_copies(data, groups, kinds), _say_giveaways(data, feature_names)]
    if Z is not None:
        near = _say_near_copies(data, groups, kinds, rows, Z)
        # Near copies that stand together would look like a drift.
        found.insert(1, near or _say_drift(data, groups, rows, Z, rng))
    return tuple(each for each in found if each is not None)


# ------------------------------------------------------------------ copies


def _copy_numbers(X):
    """Give equal rows the same number; empty ones have one of their own."""
    n_rows, n_columns = X.shape
    numbers = np.arange(n_rows)
    projected = _project(X, np.random.RandomState(0).uniform(1.0, 2.0, n_columns))
    order = np.argsort(projected, kind="stable")
    sizes = np.abs(projected[order])
    # Sums of equal rows may differ in their last digits.
    is_close = np.diff(projected[order]) <= 1e-10 * sizes[1:]
    first_of = {}
    for place in np.flatnonzero(np.append(is_close, False) | np.append(False, is_close)).tolist():
        row = int(order[place])
        if sizes[place] > 0.0:  # rows without any value are no wonder where data are sparse
            numbers[row] = first_of.setdefault(_row_key(X, row), row)
    return np.unique(numbers, return_inverse=True)[1]


def _project(X, direction):
    """Sum each row with random weights, which are equal for equal rows."""
    if issparse(X):
        return X @ direction
    height = max(1, _BYTES_AT_A_TIME // (8 * max(1, X.shape[1])))
    with np.errstate(over="ignore", invalid="ignore"):
        parts = [X[start : start + height] @ direction for start in range(0, len(X), height)]
    return np.concatenate(parts)


def _row_key(X, row):
    if not issparse(X):
        return (X[row] + 0.0).tobytes()  # -0 is 0
    values = X[[row]].tocsr()
    values.sum_duplicates()
    values.eliminate_zeros()
    return values.indices.tobytes(), values.data.tobytes()


def _say_copies(data, groups, kinds):
    """Say which samples are exact copies of others that are not in their group."""
    repeated = np.flatnonzero(np.bincount(kinds)[kinds] > 1)
    repeated = repeated[np.argsort(kinds[repeated], kind="stable")]
    units = np.arange(kinds.size) if groups is None else groups
    pairs, n_copies, n_contrary = [], 0, 0
    for rows in np.split(repeated, np.flatnonzero(np.diff(kinds[repeated])) + 1):
        is_apart = units[rows] != units[rows[:1]]
        if is_apart.any():
            pairs.append([int(rows[0]), int(rows[is_apart.argmax()])])
            n_copies += rows.size
            n_contrary += rows.size if np.ptp(data.codes[rows]) else 0
    if not pairs or _expected_copies(data.X) > _UNLIKELY:
        return None
    pairs.sort()
    sentence = (
        f"{n_copies:,} samples are exact copies of others{_apart(groups)}, {_say_pairs(pairs)}; "
        "where one is learned from, the other is no unseen sample."
    )
    if n_contrary:
        sentence += f" {n_contrary:,} of them have copies with another label."
    share = n_copies / kinds.size
    return Suspicion("copies", sentence, n_copies, share, pairs[:_MOST_SHOWN], [])


def _expected_copies(X):
    """Return how many pairs of equal rows there would be if columns were mixed."""
    n_rows = X.shape[0]
    columns = np.arange(min(X.shape[1], _MOST_COLUMNS))
    log_share = 0.0
    for values in _dense(X[:_MOST_ROWS], columns).T:
        counts = np.unique(values, return_counts=True)[1]
        log_share += log(np.sum((counts / counts.sum()) ** 2))
    return np.exp(min(0.0, log_share + log(n_rows * (n_rows - 1) / 2)))


# ------------------------------------------------------------------ near copies


def _say_near_copies(data, groups, kinds, rows, Z):
    """Say which samples are far more alike than others of their class, and in no common group."""
    n_rows = rows.size
    sizes = np.linalg.norm(Z, axis=1)
    says_something = sizes > 0.5 * np.median(sizes)  # samples near their center are all alike
    if not says_something.any():
        return None
    Z, rows = Z[says_something] / sizes[says_something, None], rows[says_something]
    alike = Z @ Z.T
    least = _least_correlation(alike)
    for numbers in (kinds[rows],) if groups is None else (kinds[rows], groups[rows]):
        alike[numbers[:, None] == numbers] = -1.0
    nearest = alike.argmax(axis=1)
    is_near = alike[np.arange(rows.size), nearest] > least
    is_near[is_near] = _largest_gaps(alike[is_near], least) >= _GAP
    near = np.flatnonzero(is_near & is_near[nearest])
    if not near.size:
        return None
    pairs = np.unique(np.sort(rows[np.column_stack([near, nearest[near]])], axis=1), axis=0)
    looked = "" if n_rows == data.codes.size else f" of {n_rows:,} that were looked at"
    typical = np.median(alike[near, nearest[near]])
    sentence = (
        f"{near.size:,} samples{looked} are near copies of others{_apart(groups)}, "
        f"{_say_pairs(pairs.tolist())}: their deviations from the class mean have a correlation of "
        f"about {typical:.2f}, as those of samples from one patient have."
    )
    first = pairs[:_MOST_SHOWN].tolist()
    return Suspicion("near_copies", sentence, near.size, near.size / n_rows, first, [])


def _standardise(data, rows):
    """Return how samples differ from their class, in the features that vary most inside classes.

    Without the means of classes, what tells these apart makes no two samples alike. None if there
    are too few features to tell.
    """
    is_all = rows.size == data.codes.size
    X, codes = (data.X, data.codes) if is_all else (data.X[rows], data.codes[rows])
    moments = class_moments(X, codes, data.classes.size)
    variance = moments.within_variance
    variance[~np.isfinite(variance)] = 0.0
    columns = np.argsort(-variance, kind="stable")[:_MOST_COLUMNS]
    columns = columns[variance[columns] > 0.0]
    if columns.size < _FEWEST_COLUMNS:
        return None
    values = _dense(X, columns)
    Z = values - moments.means[:, columns][codes]
    Z = np.clip(Z / np.sqrt(variance[columns]), -_CLIPPED, _CLIPPED).astype(np.float32)
    if issparse(X):  # short documents have the same words, or none, and are no copies for that
        Z[np.count_nonzero(values, axis=1) < _FEWEST_COLUMNS] = 0.0
    return Z - Z.mean(axis=1, keepdims=True)


def _least_correlation(alike):
    """Return the correlation that no two samples would have by chance."""
    n_rows = len(alike)
    some = alike[:: n_rows // 200 + 1]
    spread = np.median(np.abs(some)) / 0.6745  # of most pairs, whether or not a few are repeats
    largest = spread * np.sqrt(4.0 * log(max(n_rows, 2)))
    return min(max(_SIMILAR, float(np.tanh(_BEYOND_CHANCE * largest))), _IDENTICAL)


def _largest_gaps(alike, least):
    """Return how many times farther than those before it the next neighbour of a sample is.

    Among samples that are no repeats neighbours get farther little by little, however alike.
    """
    n_alike = max(2, min(_MOST_ALIKE, alike.shape[1] // 5))
    distances = np.sort(np.partition(1.0 - alike, n_alike - 1, axis=1)[:, :n_alike], axis=1)
    distances = np.maximum(distances, 1e-6)  # what float32 can tell
    gaps = distances[:, 1:] / distances[:, :-1]
    gaps[distances[:, :-1] > 1.0 - least] = 0.0
    return gaps.max(axis=1)


# ------------------------------------------------------------------ rows in the order of classes


def _say_drift(data, groups, rows, Z, rng):
    """Say if rows go by class and neighbours inside a class are alike, as after a drift in time."""
    codes = data.codes[rows]
    if groups is not None:  # whose samples are alike in any case
        names, first, numbers = np.unique(groups[rows], return_index=True, return_inverse=True)
        sums = np.zeros((names.size, Z.shape[1]))
        np.add.at(sums, numbers, Z)
        places = np.argsort(first, kind="stable")
        Z, codes = sums[places], codes[first[places]]
    shares = np.bincount(codes) / codes.size
    n_runs = 1 + np.count_nonzero(np.diff(codes))
    n_expected = 1.0 + codes.size * (1.0 - shares @ shares)
    if n_runs > _SORTED * n_expected:
        return None
    sizes = np.linalg.norm(Z, axis=1, keepdims=True)
    Z = np.divide(Z, sizes, out=np.zeros_like(Z), where=sizes > 0.0)
    found = _likeness_of_neighbours(Z, codes, np.arange(codes.size))
    orders = (rng.permutation(codes.size) for _ in range(_N_PERMUTATIONS))
    drawn = [_likeness_of_neighbours(Z, codes, order) for order in orders]
    if found < _LEAST_LIKENESS or found <= max(drawn):
        return None
    sentence = (
        f"Rows go by class, in {n_runs:,} runs where about {round(n_expected):,} would be "
        "expected, and neighbours inside a class are alike (mean correlation of their deviations "
        f"{found:.2f}, permutation test p = {1.0 / (_N_PERMUTATIONS + 1):.3f}): if samples were "
        "measured in this order, a drift tells the classes apart as well. Give the batch or the "
        "day as blocks."
    )
    return Suspicion("drift", sentence, data.codes.size, 1.0, [], [])


def _likeness_of_neighbours(Z, codes, order):
    """Mean inner product of samples of a class that are next to each other in an order."""
    order = order[np.argsort(codes[order], kind="stable")]
    is_same = codes[order[1:]] == codes[order[:-1]]
    products = np.einsum("ij,ij->i", Z[order[1:]], Z[order[:-1]])
    return float(products[is_same].mean()) if is_same.any() else 0.0


# ------------------------------------------------------------------ a feature that gives it away


def _say_giveaways(data, names):
    """Say which features are the class in other words, or count rows that are sorted by class."""
    counts = np.bincount(data.codes)
    n_ways = lgamma(data.codes.size + 1) - sum(lgamma(count + 1) for count in counts.tolist())
    if log(max(1, len(names))) - n_ways > log(_UNLIKELY):
        return None  # of so many features, one may do so by chance
    encoded, counting = _class_columns(data), _counting_columns(data)
    columns = np.union1d(encoded, counting)
    if not 0 < columns.size <= data.classes.size:
        return None  # none, or so many that this is what the data are like
    some = [str(names[column]) for column in columns]
    sentences = []
    if encoded.size:
        sentences.append(
            f"{_say_names(names, encoded)} has one value in each class and tells classes apart by "
            "itself, as the label in other words would."
        )
    if counting.size:
        sentences.append(
            f"{_say_names(names, counting)} rises or falls from each row to the next, and rows are "
            "sorted by class, so it tells classes apart as a number of the row would."
        )
    sentence = " ".join(sentences) + " Drop it unless it will be known of new samples."
    return Suspicion("giveaway", sentence, data.codes.size, 1.0, [], some)


def _class_columns(data):
    """Return the columns that are constant inside each class, and not in all."""
    first = np.array([np.argmax(data.codes == code) for code in range(data.classes.size)])
    X, codes = data.X, data.codes
    last = codes.size - 1 - np.array([np.argmax(codes[::-1] == code) for code in range(first.size)])
    centers = _dense(X[first])
    is_open = (centers == _dense(X[last])).all(axis=0) & (centers != centers[0]).any(axis=0)
    columns = np.flatnonzero(is_open)
    for rows in (slice(0, codes.size, codes.size // _FIRST_ROWS + 1), slice(None)):
        if columns.size:
            is_same = _dense(X[rows], columns) == centers[:, columns][codes[rows]]
            columns = columns[is_same.all(axis=0)]
    return columns


def _counting_columns(data):
    """Return the columns that rise or fall from each row to the next, if rows go by class."""
    columns = np.arange(data.X.shape[1])
    if np.count_nonzero(np.diff(data.codes)) >= data.classes.size:
        return columns[:0]
    for rows in (slice(_FIRST_ROWS), slice(None)):
        if columns.size:
            steps = np.diff(_dense(data.X[rows], columns), axis=0)
            columns = columns[(steps > 0.0).all(axis=0) | (steps < 0.0).all(axis=0)]
    return columns


# ------------------------------------------------------------------ words


def _dense(X, columns=slice(None)):
    X = X[:, columns]
    return X.toarray() if issparse(X) else X


def _apart(groups):
    return "" if groups is None else " in another group"


def _say_pairs(pairs):
    first = ", ".join(f"{one} and {other}" for one, other in pairs[:_MOST_SHOWN])
    more = " and more" if len(pairs) > _MOST_SHOWN else ""
    return f"such as rows {first}{more} (counted from 0)"


def _say_names(names, columns):
    some = ", ".join(str(names[column]) for column in columns[:_MOST_SHOWN])
    return f"{'Feature' if columns.size == 1 else 'Each of the features'} {some}"
