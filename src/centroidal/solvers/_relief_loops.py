"""Compiled loops over pairs of samples; nothing is checked here.

`tile` is a block of features in float64: (features, samples) where all samples are compared with
one, so that the inner loop runs along the samples; (samples, features) where few pairs are.
"""

import numpy as np

from .._jit import compiled

_LANES = 16  # numbers that a vectorised loop takes at a time


@compiled
def difference(a, b, rate, is_categorical, is_squared):
    """Differ by 0 or 1 as categories, else by a share of the range, which may be squared."""
    if is_categorical:
        return 1.0 if a != b else 0.0
    gap = abs(a - b) * rate
    return gap * gap if is_squared else gap


# ------------------------------------------------------------------ distances


@compiled
def add_distances(tile, rates, rows, is_squared, chunk, distances):
    """Add the differences of numbers between `rows` and all samples to `distances`, in place.

    Samples are taken in chunks that stay in the cache.
    """
    n_samples = tile.shape[1]
    for first in range(0, n_samples, chunk):
        last = min(first + chunk, n_samples)
        for r in range(rows.size):
            add_row_distances(tile, rates, rows[r], first, is_squared, distances[r, first:last])


@compiled
def add_upper_distances(tile, rates, is_squared, width, distances):
    """Do the same between each sample and those that follow it; features in parts of `width`.

    A few samples before it are taken along, so that the last loop runs over whole vectors.
    """
    n_features, n_samples = tile.shape
    for first in range(0, n_features, width):
        some, some_rates = tile[first : first + width], rates[first : first + width]
        for i in range(n_samples):
            begin = i - i % _LANES
            add_row_distances(some, some_rates, i, begin, is_squared, distances[i, begin:])


@compiled
def add_row_distances(tile, rates, i, first, is_squared, total):
    """Add the differences between sample `i` and those from `first` on to `total`, in place.

    Features are taken four at a time, so that each sum is fetched and stored once for them.
    """
    n_features, last = tile.shape[0], first + total.size
    whole = n_features - n_features % 4
    for f in range(0, whole, 4):
        x, y = tile[f, first:last], tile[f + 1, first:last]
        z, t = tile[f + 2, first:last], tile[f + 3, first:last]
        x_i, y_i, z_i, t_i = tile[f, i], tile[f + 1, i], tile[f + 2, i], tile[f + 3, i]
        x_rate, y_rate, z_rate, t_rate = rates[f], rates[f + 1], rates[f + 2], rates[f + 3]
        for j in range(total.size):
            total[j] += (
                difference(x[j], x_i, x_rate, False, is_squared)
                + difference(y[j], y_i, y_rate, False, is_squared)
            ) + (
                difference(z[j], z_i, z_rate, False, is_squared)
                + difference(t[j], t_i, t_rate, False, is_squared)
            )
    for f in range(whole, n_features):
        x, x_i, x_rate = tile[f, first:last], tile[f, i], rates[f]
        for j in range(total.size):
            total[j] += difference(x[j], x_i, x_rate, False, is_squared)


@compiled
def expect_differences(
    tile, order, n_present, codes, weights, lowest, rates, is_categorical, is_squared, expected
):
    """Write the mean difference between each value and the values of each class, in place.

    `order` sorts each feature, missing values last. `expected` (features, classes, samples) holds,
    for a sample whose value is missing, the mean over the values of its own class. A class without
    values counts as all classes together. Row `everyone` of the sums is for these.
    """
    n_features, n_classes, _ = expected.shape
    everyone = n_classes
    mass = np.empty(n_classes + 1)
    sums = np.empty(n_classes + 1)
    below = np.empty((2, n_classes + 1))
    both = np.empty((n_classes + 1, n_classes))
    for f in range(n_features):
        values, means, rate, low = tile[f], expected[f], rates[f], lowest[f]
        present, missing = order[f, : n_present[f]], order[f, n_present[f] :]
        for g in range(n_classes + 1):
            mass[g] = sums[g] = below[0, g] = below[1, g] = 0.0
            for c in range(n_classes):
                both[g, c] = 0.0
        for i in present:
            for c in (np.int64(codes[i]), everyone):
                mass[c] += weights[i]
                sums[c] += weights[i] * (values[i] - low) * rate
        if is_categorical[f]:
            expect_categories(values, present, codes, weights, mass, below, means)
        elif is_squared:
            expect_squares(values, present, codes, weights, low, rate, mass, sums, below, means)
        else:
            expect_distances(values, present, codes, weights, low, rate, mass, sums, below, means)
        for i in present:
            for c in range(n_classes):
                both[codes[i], c] += weights[i] * means[c, i]
                both[everyone, c] += weights[i] * means[c, i]
        for i in missing:
            own = np.int64(codes[i]) if mass[codes[i]] > 0.0 else everyone
            for c in range(n_classes):
                means[c, i] = both[own, c] / mass[own] if mass[own] > 0.0 else 0.0


@compiled
def expect_categories(values, positions, codes, weights, mass, below, means):
    """One less the share of the class that has the same value; equal values are neighbours."""
    n_classes = means.shape[0]
    everyone = n_classes
    same = below[0]
    first = 0
    for last in range(1, positions.size + 1):
        i = positions[last - 1]
        same[codes[i]] += weights[i]
        same[everyone] += weights[i]
        if last == positions.size or values[positions[last]] != values[i]:
            for c in range(n_classes):
                g = c if mass[c] > 0.0 else everyone
                for p in range(first, last):
                    means[c, positions[p]] = 1.0 - same[g] / mass[g]
            for g in range(n_classes + 1):
                same[g] = 0.0
            first = last


@compiled
def expect_squares(values, positions, codes, weights, low, rate, mass, sums, below, means):
    """Squared distance from the mean of the class, and its variance."""
    n_classes = means.shape[0]
    everyone = n_classes
    squares = below[0]
    for i in positions:
        value = (values[i] - low) * rate
        for c in (np.int64(codes[i]), everyone):
            squares[c] += weights[i] * (value - sums[c] / mass[c]) ** 2
    for i in positions:
        value = (values[i] - low) * rate
        for c in range(n_classes):
            g = c if mass[c] > 0.0 else everyone
            means[c, i] = (value - sums[g] / mass[g]) ** 2 + squares[g] / mass[g]


@compiled
def expect_distances(values, positions, codes, weights, low, rate, mass, sums, below, means):
    """Mean distance, from the number and the sum of the values up to here, in one sweep."""
    n_classes = means.shape[0]
    everyone = n_classes
    for i in positions:
        value = (values[i] - low) * rate
        for c in (np.int64(codes[i]), everyone):
            below[0, c] += weights[i]
            below[1, c] += weights[i] * value
        for c in range(n_classes):
            g = c if mass[c] > 0.0 else everyone
            left = value * below[0, g] - below[1, g]
            right = (sums[g] - below[1, g]) - value * (mass[g] - below[0, g])
            means[c, i] = max(left + right, 0.0) / mass[g]


@compiled
def add_mixed_distances(
    tile, order, n_present, expected, codes, rates, is_categorical, rows, is_squared, distances
):
    """Do what `add_distances` does for features with categories or missing values, in place."""
    n_features, n_samples = tile.shape
    for r in range(rows.size):
        i, total = rows[r], distances[r]
        for f in range(n_features):
            values, rate, is_category = tile[f], rates[f], is_categorical[f]
            x_i = values[i]
            if np.isnan(x_i):
                means = expected[f, codes[i]]
                for j in range(n_samples):
                    total[j] += means[j]
            elif n_present[f] == n_samples:
                for j in range(n_samples):
                    total[j] += difference(values[j], x_i, rate, is_category, is_squared)
            else:
                for j in range(n_samples):
                    gap = difference(values[j], x_i, rate, is_category, is_squared)
                    total[j] += gap if values[j] == values[j] else 0.0
                for p in range(n_present[f], n_samples):
                    j = order[f, p]
                    total[j] += expected[f, codes[j], i]


@compiled
def add_sparse_distances(by_row, by_column, rows, lengths, rates, is_categorical, is_squared, out):
    """Add distances from the stored entries that two samples share, in place.

    Two samples that share none are as far from each other as both from zero, `lengths`, together.
    """
    data, indices, indptr = by_row
    column_data, column_indices, column_indptr = by_column
    for r in range(rows.size):
        i, total = rows[r], out[r]
        for j in range(total.size):
            total[j] += lengths[i] + lengths[j]
        for p in range(indptr[i], indptr[i + 1]):
            f, a = indices[p], data[p]
            rate, is_category = rates[f], is_categorical[f]
            alone = difference(a, 0.0, rate, is_category, is_squared)
            for q in range(column_indptr[f], column_indptr[f + 1]):
                b = column_data[q]
                apart = alone + difference(b, 0.0, rate, is_category, is_squared)
                total[column_indices[q]] += difference(a, b, rate, is_category, is_squared) - apart


@compiled
def sparse_distance(by_row, i, j, rates, is_categorical, is_squared):
    """Add up the differences of two rows over the entries that either of them stores."""
    data, indices, indptr = by_row
    p, p_end, q, q_end = indptr[i], indptr[i + 1], indptr[j], indptr[j + 1]
    total = 0.0
    while p < p_end or q < q_end:
        f, a, b, p, q = next_entries(data, indices, p, p_end, q, q_end)
        total += difference(a, b, rates[f], is_categorical[f], is_squared)
    return total


@compiled
def next_entries(data, indices, p, p_end, q, q_end):
    """Return the next column that either row stores, its two values and the places after it."""
    if q == q_end or (p < p_end and indices[p] < indices[q]):
        return indices[p], data[p], 0.0, p + 1, q
    if p == p_end or indices[q] < indices[p]:
        return indices[q], 0.0, data[q], p, q + 1
    return indices[p], data[p], data[q], p + 1, q + 1


@compiled
def add_wanted_distances(by_row, rows, wanted, rates, is_categorical, is_squared, distances):
    """Add the distances that are wanted, without cancellation, in place."""
    for r in range(rows.size):
        for j in range(distances.shape[1]):
            if wanted[r, j]:
                distances[r, j] += sparse_distance(
                    by_row, rows[r], j, rates, is_categorical, is_squared
                )


# ------------------------------------------------------------------ neighbours


@compiled
def distance_of_kth(keys, weights, n, need):
    """Return the smallest of the first `n` keys up to which they weigh `need`; reorders both."""
    low, high, before = np.int64(0), n, 0.0
    while True:
        # Median of three, so that sorted keys are no bad case.
        a, b, c = keys[low], keys[(low + high) // 2], keys[high - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        less, equal = 0.0, 0.0
        # Three-way partition: smaller | equal | larger.
        first_equal, i, first_larger = low, low, high
        while i < first_larger:
            if keys[i] > pivot:
                first_larger -= 1
                keys[i], keys[first_larger] = keys[first_larger], keys[i]
                weights[i], weights[first_larger] = weights[first_larger], weights[i]
            else:
                if keys[i] < pivot:
                    less += weights[i]
                    keys[i], keys[first_equal] = keys[first_equal], keys[i]
                    weights[i], weights[first_equal] = weights[first_equal], weights[i]
                    first_equal += 1
                else:
                    equal += weights[i]
                i += 1
        if first_equal > low and before + less >= need:
            high = first_equal
        elif first_larger == high or before + less + equal >= need:
            return pivot
        else:
            before += less + equal
            low = first_larger


@compiled
def share_pairs(distances, rows, errors, groups, k, factors, tolerance, room, doubtful, shares):
    """Write the part that each sample has in the scores as a neighbour of `rows`, in place.

    `groups` = class and weight of each sample, samples class by class, and where classes begin.
    Of each class the nearest samples that weigh `k` together are taken; those whose distance
    equals that of the last one share what is left of it. Where `errors` of the distances leave
    open which these are, the distances in question are marked in `doubtful` as from ... to.
    """
    codes, weights, members, bounds = groups
    keys, masses = room
    for r in range(rows.size):
        i = rows[r]
        for c in range(bounds.size - 1):
            doubtful[0, r, c] = np.inf
            doubtful[1, r, c] = -np.inf
            n, total = np.int64(0), 0.0
            for p in range(bounds[c], bounds[c + 1]):
                j = members[p]
                # A sample of weight 3 has two copies of itself beside it.
                mass = weights[j] - 1.0 if j == i else weights[j]
                if mass > 0.0:
                    keys[n] = distances[r, j]
                    masses[n] = mass
                    total += mass
                    n += 1
            if n == 0:
                continue
            first_tie, last_tie, left = np.inf, np.inf, total
            if total > k:
                last = distance_of_kth(keys, masses, n, k)
                width = 2.0 * errors[r] + tolerance * abs(last)
                first_tie, last_tie, left = last - width, last + width, k
            part = weights[i] * factors[codes[i], c] / left
            tied = 0.0
            for p in range(bounds[c], bounds[c + 1]):
                j = members[p]
                mass = weights[j] - 1.0 if j == i else weights[j]
                if mass > 0.0 and distances[r, j] < first_tie:
                    left -= mass
                    shares[r, j] = part * mass
                elif mass > 0.0 and distances[r, j] <= last_tie:
                    tied += mass
            is_shared = tied > max(left, 0.0)  # of which rounding may leave less than nothing
            if is_shared:
                part *= max(left, 0.0) / tied
            for p in range(bounds[c], bounds[c + 1]):
                j = members[p]
                mass = weights[j] - 1.0 if j == i else weights[j]
                if mass > 0.0 and first_tie <= distances[r, j] <= last_tie:
                    shares[r, j] = part * mass
            if is_shared and errors[r] > 0.0:
                doubtful[0, r, c] = first_tie
                doubtful[1, r, c] = last_tie


# ------------------------------------------------------------------ scores


@compiled
def add_pairs(X, start, rates, indices, indptr, shares, is_squared, width, scores):
    """Add the differences of all pairs (i, indices) in the columns from `start` on, in place.

    Features are taken in parts of `width`, so that all rows of a part stay in the cache.
    """
    for first in range(0, scores.size, width):
        some, some_rates = scores[first : first + width], rates[first : first + width]
        begin = start + first
        end = begin + some.size
        for i in range(X.shape[0]):
            row = X[i, begin:end]
            for p in range(indptr[i], indptr[i + 1]):
                other, share = X[indices[p], begin:end], shares[p]
                for f in range(some.size):
                    gap = difference(row[f], other[f], some_rates[f], False, is_squared)
                    some[f] += share * gap


@compiled
def add_mixed_pairs(
    tile, expected, codes, rates, is_categorical, indices, indptr, shares, is_squared, scores
):
    """Do what `add_pairs` does for features with categories or missing values, in place."""
    for f in range(scores.size):
        values = tile[f]
        for i in range(values.size):
            for p in range(indptr[i], indptr[i + 1]):
                j = indices[p]
                if np.isnan(values[i]):
                    gap = expected[f, codes[i], j]
                elif np.isnan(values[j]):
                    gap = expected[f, codes[j], i]
                else:
                    gap = difference(values[i], values[j], rates[f], is_categorical[f], is_squared)
                scores[f] += shares[p] * gap


@compiled
def add_sparse_pairs(
    by_row, rates, is_categorical, start, stop, pair_indices, pair_indptr, shares, is_squared, out
):
    """Do what `add_pairs` does for pairs of the CSR rows `start:stop`, in place."""
    data, indices, indptr = by_row
    for i in range(start, stop):
        for pair in range(pair_indptr[i], pair_indptr[i + 1]):
            j, share = pair_indices[pair], shares[pair]
            p, p_end, q, q_end = indptr[i], indptr[i + 1], indptr[j], indptr[j + 1]
            while p < p_end or q < q_end:
                f, a, b, p, q = next_entries(data, indices, p, p_end, q, q_end)
                out[f] += share * difference(a, b, rates[f], is_categorical[f], is_squared)
