"""Streams by decomposing everything again after each chunk."""

from typing import NamedTuple

import numpy as np

from . import fisher, thresholds


class Factors(NamedTuple):
    """What a stream keeps: the samples seen are `scaled` @ anything orthonormal, plus the mean."""

    count: float
    mean: np.ndarray
    scaled: np.ndarray


def truncated(matrix, rank):
    """The best factor of a rank, as axes times singular values."""
    axes, values, _ = np.linalg.svd(matrix, full_matrices=False)
    return axes[:, :rank] * values[:rank]


def update(factors, rows, rank):
    """Append a chunk: its deviations from its own mean and a column for the step of the mean."""
    n, center = len(rows), rows.mean(axis=0)
    total = factors.count + n
    step = np.sqrt(factors.count * n / total) * (center - factors.mean)
    scaled = np.column_stack([factors.scaled, (rows - center).T, step])
    mean = (factors.count * factors.mean + n * center) / total
    return Factors(total, mean, truncated(scaled, rank))


def stream(chunks, rule, working_rank):
    """Factors after each chunk, kept to `working_rank(d)` columns, and each d."""
    factors = Factors(0.0, np.zeros(chunks[0][0].shape[1]), np.zeros((chunks[0][0].shape[1], 0)))
    history = []
    for rows, _ in chunks:
        n_samples = factors.count + len(rows)
        d = min(int(np.log2(n_samples) ** 2), rows.shape[1]) if rule == "log2" else rule
        factors = update(factors, rows, working_rank(d))
        history.append((factors, d))
    return history


def direction(factors, d, difference):
    """Direction of partial whitening with the first d of the kept components."""
    axes, values, _ = np.linalg.svd(factors.scaled, full_matrices=False)
    is_real = values > values[0] * len(axes) * np.finfo(float).eps
    found = fisher.Spectrum(axes[:, is_real], values[is_real])
    W = fisher.whitener("truncated", found, min(d, is_real.sum()), factors.count)
    return fisher.direction(W, difference)


def window(chunks, size):
    """Samples and codes of the last chunks, together."""
    last = chunks[-size:]
    return np.vstack([rows for rows, _ in last]), np.concatenate([codes for _, codes in last])


def window_of_samples(chunks, size):
    """Samples and codes of the last chunks that have at most so many samples together.

    Of a chunk with more samples than that only the last are ever seen.
    """
    chunks = [(rows[-size:], codes[-size:]) for rows, codes in chunks]
    n_kept = 1
    while n_kept < len(chunks) and sum(len(rows) for rows, _ in chunks[-n_kept - 1 :]) <= size:
        n_kept += 1
    return window(chunks, n_kept)


def carried_variances(chunks, directions):
    """Variance of each class along the last direction, carried from chunk to chunk.

    The mean of a class is exact under the new direction; the variance of what was seen before is
    the one found under the direction before.
    """
    counts = np.zeros(2)
    means = np.zeros((2, chunks[0][0].shape[1]))
    variances = np.zeros(2)
    for (rows, codes), w in zip(chunks, directions, strict=True):
        for c in (0, 1):
            new = rows[codes == c]
            if not len(new):
                continue
            total = counts[c] + len(new)
            mean = (counts[c] * means[c] + new.sum(axis=0)) / total
            old = counts[c] * (variances[c] + (w @ means[c] - w @ mean) ** 2)
            variances[c] = (old + ((new @ w - mean @ w) ** 2).sum()) / total
            counts[c], means[c] = total, mean
    return variances, means


def threshold(chunks, directions, mean):
    """Point between the class means, each so many carried standard deviations away."""
    variances, means = carried_variances(chunks, directions)
    b, a = (means - mean) @ directions[-1]
    return thresholds.between(a, b, np.sqrt(variances[1]), np.sqrt(variances[0]))
