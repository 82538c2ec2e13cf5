"""Compiled loops over the entries of the data; nothing is checked here.

Plain loops over scalars on purpose: array expressions run as fast but take seconds to compile. So
does a function that is called with a literal 0 besides other whole numbers: hence `np.int64(0)`.
"""

import numpy as np

from .._jit import compiled

STRIP = 8  # columns whose sums are added together: as many as vector instructions like
TIE_TOLERANCE = 1e-12  # 1/n + 1/n + ... does not sum to exactly one half


# ------------------------------------------------------------------ moments


@compiled
def add_row_major(X, cells, weights, start, stop, first, sums):
    """Fold rows `start:stop` into `sums` (cells, 3, columns), for the columns from `first` on.

    `sums[:, 0]` holds a value close to the data to measure from, so that a large offset costs no
    precision; deviations from it and their squares are added to the other two. A negative cell
    leaves a row out.
    """
    last = first + sums.shape[2]
    for i in range(start, stop):
        cell = cells[i]
        if cell >= 0:
            # Views that are counted from 0 are what the compiler turns into vector code.
            weight = weights[i]
            row, near = X[i, first:last], sums[cell, 0]
            total, squares = sums[cell, 1], sums[cell, 2]
            for j in range(row.size):
                deviation = row[j] - near[j]
                total[j] += weight * deviation
                squares[j] += weight * deviation * deviation


@compiled
def add_column_major(X, cells, weights, start, stop, first, sums):
    """Do what `add_row_major` does, with the same additions, for a strip of columns at a time.

    The sums of a strip lie together, so that they are added as one.
    """
    strip = np.zeros((sums.shape[0], 3, STRIP))
    values = np.zeros(STRIP)
    for begin in range(0, sums.shape[2], STRIP):
        width = min(STRIP, sums.shape[2] - begin)
        strip[:, :, :width] = sums[:, :, begin : begin + width]
        for i in range(start, stop):
            cell = cells[i]
            if cell >= 0:
                weight = weights[i]
                for t in range(width):
                    values[t] = X[i, first + begin + t]
                for t in range(STRIP):
                    deviation = values[t] - strip[cell, 0, t]
                    strip[cell, 1, t] += weight * deviation
                    strip[cell, 2, t] += weight * deviation * deviation
        sums[:, :, begin : begin + width] = strip[:, :, :width]


@compiled
def join_sums(count, first, sums, more_count, more_first, more_sums, joined):
    """Write the sums of two cells together around the value that came first.

    Sums around another value are moved by what the two values are apart.
    """
    here, there, weight = sums, more_sums, more_count
    if more_first < first:
        here, there, weight = more_sums, sums, count
    near, total, squares = here[0], here[1], here[2]
    more_near, more_total, more_squares = there[0], there[1], there[2]
    joined_near, joined_total, joined_squares = joined[0], joined[1], joined[2]
    # A loop each: with fewer places to write to, the compiler makes vector code.
    for j in range(near.size):
        apart = more_near[j] - near[j] if weight > 0.0 else 0.0
        joined_total[j] = total[j] + (more_total[j] + weight * apart)
    for j in range(near.size):
        apart = more_near[j] - near[j] if weight > 0.0 else 0.0
        moved = (2.0 * more_total[j] + weight * apart) * apart
        joined_squares[j] = squares[j] + (more_squares[j] + moved)
    for j in range(near.size):
        joined_near[j] = near[j]


@compiled
def finish_sums(count, sums, means, squares):
    """Turn the sums of a cell into means and squared deviations; NaN stays NaN."""
    divisor = count if count > 0.0 else 1.0
    near, total, square = sums[0], sums[1], sums[2]
    for j in range(means.size):
        step = total[j] / divisor
        rest = square[j] - total[j] * step
        means[j] = near[j] + step
        squares[j] = 0.0 if rest < 0.0 else rest


@compiled
def finish_cells(counts, sums, first, means, squares):
    """Turn the sums of cells into moments, for the columns from `first` on."""
    last = first + sums.shape[2]
    for cell in range(counts.size):
        finish_sums(counts[cell], sums[cell], means[cell, first:last], squares[cell, first:last])


@compiled
def finish_sets(is_kept, counts, firsts, sums, first, means, squares):
    """Write the moments of each set of folds, for the columns from `first` on.

    `is_kept` is (sets, folds); `counts` and `firsts`, weights and first rows, are (folds, classes),
    `sums` (folds, classes, 3, columns), `means` and `squares` (sets, classes, features). Folds are
    joined one by one: to take one off the sum of all would lose digits.
    """
    n_folds, n_classes, _, width = sums.shape
    last = first + width
    room = np.zeros((n_folds + 1, 3, width))
    for s in range(is_kept.shape[0]):
        for c in range(n_classes):
            count, since, joined = 0.0, firsts[:, c].max() + 1, room[0]
            for f in range(n_folds):
                if is_kept[s, f]:
                    fold = counts[f, c], firsts[f, c], sums[f, c]
                    join_sums(count, since, joined, *fold, room[f + 1])
                    count, since = count + counts[f, c], min(since, firsts[f, c])
                    joined = room[f + 1]
            finish_sums(count, joined, means[s, c, first:last], squares[s, c, first:last])


@compiled
def drop_rounding(variances, means, constant):
    """Set variances to 0 that are no more than the rounding of a large mean, in place."""
    for j in range(variances.size):
        largest = 0.0
        for c in range(means.shape[0]):
            largest = max(largest, abs(means[c, j]))
        rounding = constant * largest
        if variances[j] <= rounding * rounding:
            variances[j] = 0.0


@compiled
def add_csr_rows(data, indices, indptr, codes, weights, start, stop, sums):
    """Fold the stored entries of rows `start:stop` into `sums` (classes, features, 2), in place.

    Sums and sums of squares lie side by side: a random place in memory is visited once an entry.
    """
    for i in range(start, stop):
        c = codes[i]
        if c >= 0:
            weight = weights[i]
            for position in range(indptr[i], indptr[i + 1]):
                value = data[position]
                j = indices[position]
                sums[c, j, 0] += weight * value
                sums[c, j, 1] += weight * value * value


@compiled
def finish_csr_rows(sums, totals, cancelled, is_doubtful):
    """Turn the sums into means and squared deviations, in place; mark columns that lost digits."""
    for c in range(sums.shape[0]):
        if totals[c] > 0.0:
            for j in range(sums.shape[1]):
                mean = sums[c, j, 0] / totals[c]
                squares = sums[c, j, 1] - sums[c, j, 0] * mean
                if squares < cancelled * sums[c, j, 1]:
                    is_doubtful[j] = True
                sums[c, j, 0] = mean
                sums[c, j, 1] = squares


@compiled
def csc_moments(data, indices, indptr, codes, weights, start, stop, totals, stored, means, squares):
    """Moments of the columns `start:stop`, from their stored entries and implicit zeros.

    `stored[c]` = weight, first value, and sums of deviations and of their squares from that value,
    so that a large offset costs no precision.
    """
    for j in range(start, stop):
        for c in range(means.shape[0]):
            for part in range(4):
                stored[c, part] = 0.0
        for position in range(indptr[j], indptr[j + 1]):
            c = codes[indices[position]]
            weight = weights[indices[position]]
            if c >= 0 and weight != 0.0:
                if stored[c, 0] == 0.0:
                    stored[c, 1] = data[position]
                deviation = data[position] - stored[c, 1]
                stored[c, 0] += weight
                stored[c, 2] += weight * deviation
                stored[c, 3] += weight * deviation * deviation
        for c in range(means.shape[0]):
            if stored[c, 0] > 0.0:
                step = stored[c, 2] / stored[c, 0]
                mean = stored[c, 1] + step
                share = min(stored[c, 0] / totals[c], 1.0)
                spread = max(stored[c, 3] - stored[c, 2] * step, 0.0)
                means[c, j] = mean * share
                squares[c, j] = spread + mean * mean * share * (1.0 - share) * totals[c]


# ------------------------------------------------------------------ medians


@compiled
def pivot_of(values, low, high, rounds):
    """Median of three values at scattered places, so that no order of the data is a bad one."""
    width = high - low + 1
    a = values[low + (rounds * 7919 + 104729) % width]
    b = values[(low + high) // 2]
    c = values[low + (rounds * 6607 + 15485863) % width]
    return max(min(a, b), min(max(a, b), c))


@compiled
def share_of(weights, totals):
    """Sum the class weights, each class as a share of its total."""
    share = 0.0
    for c in range(totals.size):
        if totals[c] > 0.0:
            share += weights[c] / totals[c]
    return share


@compiled
def swap(values, codes, weights, i, j):
    """Exchange two entries."""
    values[i], values[j] = values[j], values[i]
    codes[i], codes[j] = codes[j], codes[i]
    weights[i], weights[j] = weights[j], weights[i]


@compiled
def weighted_median(values, codes, weights, n, totals, half, below, less, equal):
    """Weighted median, eq. (15), of the first `n` entries; each weighs `weight / totals[code]`.

    `below` holds the class weights of smaller values that were left out; `half` is half of the sum
    of all shares; `less` and `equal` are room to work in. Everything but `totals` is overwritten.
    Weights are added up per class and divided once, so equal weights are counted exactly.
    """
    tolerance = TIE_TOLERANCE * half
    low, high, rounds = np.int64(0), n, np.int64(0)
    while True:
        pivot = pivot_of(values, low, high - 1, rounds)
        rounds += 1
        for c in range(totals.size):
            less[c] = below[c]
            equal[c] = 0.0
        # Three-way partition: smaller | equal | larger.
        first_equal, i, first_larger = low, low, high
        while i < first_larger:
            if values[i] > pivot:
                first_larger -= 1
                swap(values, codes, weights, i, first_larger)
            else:
                if values[i] < pivot:
                    less[codes[i]] += weights[i]
                    swap(values, codes, weights, i, first_equal)
                    first_equal += 1
                else:
                    equal[codes[i]] += weights[i]
                i += 1
        if first_equal > low and share_of(less, totals) >= half - tolerance:
            high = first_equal
            continue
        for c in range(totals.size):
            equal[c] += less[c]
        share = share_of(equal, totals)
        if share < half - tolerance and first_larger < high:
            for c in range(totals.size):
                below[c] = equal[c]
            low = first_larger
            continue
        if share <= half + tolerance:
            return 0.5 * (pivot + smallest_above(values, n, pivot))
        return pivot


@compiled
def smallest_above(values, n, bound):
    """Return the smallest of the first `n` values above `bound`, or `bound` if there is none."""
    smallest = np.inf
    for i in range(n):
        if bound < values[i] < smallest:
            smallest = values[i]
    return smallest if smallest < np.inf else bound


@compiled
def take_members(X, order, members):
    """Copy the rows of `X` in `order` to the columns of `members`.

    Eight at a time: a cache line of `members`, so that none is left before it is full.
    """
    last = order.size - order.size % 8
    for p in range(0, last, 8):
        a, b, c, d = order[p], order[p + 1], order[p + 2], order[p + 3]
        e, f, g, h = order[p + 4], order[p + 5], order[p + 6], order[p + 7]
        for j in range(X.shape[1]):
            own = members[j]
            own[p], own[p + 1], own[p + 2], own[p + 3] = X[a, j], X[b, j], X[c, j], X[d, j]
            own[p + 4], own[p + 5], own[p + 6], own[p + 7] = X[e, j], X[f, j], X[g, j], X[h, j]
    for p in range(last, order.size):
        for j in range(X.shape[1]):
            members[j, p] = X[order[p], j]


@compiled
def largest(values):
    """Return the largest value, found four at a time: each would wait for the one before."""
    a, b, c, d = values[0], values[0], values[0], values[0]
    last = values.size - values.size % 4
    for i in range(0, last, 4):
        w, x, y, z = values[i], values[i + 1], values[i + 2], values[i + 3]
        a = w if w > a else a
        b = x if x > b else b
        c = y if y > c else c
        d = z if z > d else d
    for i in range(last, values.size):
        a = values[i] if values[i] > a else a
    return max(max(a, b), max(c, d))


@compiled
def sum_distances(values, point):
    """Return the sum of the distances of values from a point, four at a time as `largest`."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    last = values.size - values.size % 4
    for i in range(0, last, 4):
        w, x, y, z = values[i], values[i + 1], values[i + 2], values[i + 3]
        a += abs(w - point)
        b += abs(x - point)
        c += abs(y - point)
        d += abs(z - point)
    for i in range(last, values.size):
        a += abs(values[i] - point)
    return (a + b) + (c + d)


@compiled
def keep_least(values, least, kept):
    """Copy the values that are not below `least`; return how many.

    Without branches, of which the processor would guess every other one wrong.
    """
    n = 0
    for i in range(values.size):
        kept[n] = values[i]
        n += values[i] >= least
    return n


@compiled
def keep_most(values, most, kept):
    """Copy the values that are not above `most`; return how many."""
    n = 0
    for i in range(values.size):
        kept[n] = values[i]
        n += values[i] <= most
    return n


@compiled
def equal_weight_summary(members, start, bounds, totals, half, room, class_room, summary):
    """Summarise each row of `members`, a feature from `start` on.

    Samples stand class by class, `bounds` is where each class begins; the first half of a class is
    below its middle, the second is not. The weighted median of all lies between the lowest and the
    highest middle value of a class, so only values there are looked at; the others are on one side
    of both medians. The weights in the `room` are 1.
    """
    medians, dispersions, shared, shared_dispersion = summary
    values, codes, weights = room
    below, less, equal = class_room
    outside = np.empty(totals.size)
    for j in range(members.shape[0]):
        low, high, n = np.inf, -np.inf, np.int64(0)
        for c in range(totals.size):
            if totals[c] > 0.0:
                own = members[j, bounds[c] : bounds[c + 1]]
                middle = own.size // 2
                upper = own[middle]
                lower = upper if own.size % 2 else largest(own[:middle])
                low, high = min(low, lower), max(high, upper)
                medians[c, start + j] = 0.5 * (lower + upper)
                dispersions[c, start + j] = sum_distances(own, upper) / totals[c]
        for c in range(totals.size):
            first = n
            own = members[j, bounds[c] : bounds[c + 1]]
            middle = own.size // 2
            kept = keep_least(own[:middle], low, values[n:])
            below[c] = middle - kept
            n += kept
            n += keep_most(own[middle:], high, values[n:])
            outside[c] = 2.0 * below[c] + (n - first) - own.size
            for i in range(first, n):
                codes[i] = c
        median = weighted_median(values, codes, weights, n, totals, half, below, less, equal)
        shared[start + j] = median
        for c in range(totals.size):
            if totals[c] > 0.0:
                equal[c] = outside[c] * (median - medians[c, start + j])
        for i in range(n):
            c = codes[i]
            equal[c] += abs(values[i] - median) - abs(values[i] - medians[c, start + j])
        for c in range(totals.size):
            if totals[c] > 0.0:
                shared_dispersion[start + j] += dispersions[c, start + j] + equal[c] / totals[c]


@compiled
def gather(block, j, labels, class_room, gathered):
    """Copy the stored entries of column `j`, then a zero a class that weighs all implicit ones."""
    data, indices, indptr = block
    codes, weights, counts, totals = labels
    values, value_codes, value_weights = gathered
    stored_counts, stored_weights, _ = class_room
    for c in range(totals.size):
        stored_counts[c] = 0.0
        stored_weights[c] = 0.0
    n = 0
    for position in range(indptr[j], indptr[j + 1]):
        i = indices[position]
        c = codes[i]
        if c >= 0 and weights[i] > 0.0:
            values[n] = data[position]
            value_codes[n] = c
            value_weights[n] = weights[i]
            stored_counts[c] += 1.0
            stored_weights[c] += weights[i]
            n += 1
    for c in range(totals.size):
        if counts[c] > stored_counts[c]:
            values[n] = 0.0
            value_codes[n] = c
            value_weights[n] = totals[c] - stored_weights[c]
            n += 1
    return n


@compiled
def copy_members(gathered, n, wanted, room):
    """Copy the gathered entries of class `wanted` (of all classes if negative); return how many."""
    values, codes, weights = gathered
    some_values, some_codes, some_weights = room
    size = 0
    for i in range(n):
        if wanted < 0 or codes[i] == wanted:
            some_values[size] = values[i]
            some_codes[size] = codes[i]
            some_weights[size] = weights[i]
            size += 1
    return size


@compiled
def summarise_gathered(gathered, n, totals, half, room, class_room, j, summary):
    """Write the medians and dispersions of feature `j` from its gathered entries."""
    medians, dispersions, shared, shared_dispersion = summary
    values, codes, weights = gathered
    some_values, some_codes, some_weights = room
    below, less, equal = class_room
    for wanted in range(-1, totals.size):
        if wanted >= 0 and totals[wanted] == 0.0:
            continue
        size = copy_members(gathered, n, wanted, room)
        for c in range(totals.size):
            below[c] = 0.0
        median = weighted_median(
            some_values,
            some_codes,
            some_weights,
            size,
            totals,
            half if wanted < 0 else 0.5,
            below,
            less,
            equal,
        )
        if wanted < 0:
            shared[j] = median
        else:
            medians[wanted, j] = median
    for i in range(n):
        c = codes[i]
        dispersions[c, j] += weights[i] * abs(values[i] - medians[c, j]) / totals[c]
        shared_dispersion[j] += weights[i] * abs(values[i] - shared[j]) / totals[c]


@compiled
def weighted_medians(block, start, labels, half, gathered, room, class_room, summary):
    """Summarise the columns of a CSC block, features from `start` on; zeros are only counted."""
    for j in range(block[2].size - 1):
        n = gather(block, j, labels, class_room, gathered)
        summarise_gathered(gathered, n, labels[3], half, room, class_room, start + j, summary)


@compiled
def median_deviations(block, start, labels, total, gathered, class_room, medians, deviations):
    """Median deviation from the class medians for the columns of a CSC block, zeros included."""
    values, codes, weights = gathered
    below, less, equal = class_room
    for j in range(block[2].size - 1):
        n = gather(block, j, labels, class_room, gathered)
        for i in range(n):
            values[i] = abs(values[i] - medians[codes[i], start + j])
            codes[i] = 0  # one class, all together
        below[0] = 0.0
        deviations[start + j] = weighted_median(
            values, codes, weights, n, total, 0.5, below, less, equal
        )
