"""What was predicted, and how methods are compared by it.

Methods are compared on the same test points. The standard error of a score or of a lead is the
larger of two: over the repeats, and over the test points as if the repeats were one. The first
sees that training sets differ, the second is trustworthy with few repeats. Repeats of a real set
share points, so there it is a little too small.
"""

from typing import NamedTuple

import numpy as np

__all__ = ["Record", "Results", "mean_and_error"]

N_NOISE = 2  # leads of fewer standard errors are noise


class Record(NamedTuple):
    """What one method with one rule predicted on one repeat."""

    problem: str
    method: str
    rule: str
    role: str
    repeat: int
    y: np.ndarray
    predicted: np.ndarray
    seconds: float
    n_train: int
    n_features: int

    @property
    def is_correct(self):
        """Whether each test point was classified correctly."""
        return self.predicted == self.y


class Lead(NamedTuple):
    """By how many % one method is better than another, and the standard error."""

    mean: float
    error: float

    @property
    def sign(self):
        """Return "<", "=" (within noise) or ">"."""
        if abs(self.mean) <= N_NOISE * self.error:
            return "="
        return ">" if self.mean > 0 else "<"


class Results:
    """All records of a table, by problem, method and rule."""

    def __init__(self, records):
        self.by_row = {}
        for record in records:
            key = record.problem, record.method, record.rule
            self.by_row.setdefault(key, []).append(record)

    def records(self, problem, method, rule=None):
        """Find the records of a method; one that does not have `rule` answers with its own."""
        rows = {key[2]: row for key, row in self.by_row.items() if key[:2] == (problem, method)}
        return rows.get(rule) or next(iter(rows.values()))

    def methods(self, problem, role):
        """List the methods of one role on a problem."""
        rows = {key: row[0] for key, row in self.by_row.items() if key[0] == problem}
        return list(dict.fromkeys(row.method for row in rows.values() if row.role == role))

    def score(self, problem, method, rule=None):
        """Return the mean accuracy in %."""
        return mean_and_error([r.is_correct for r in self.records(problem, method, rule)])[0]

    def lead(self, problem, one, other, rule=None):
        """Compare two methods on the repeats and points that both were tested on."""
        others = {r.repeat: r for r in self.records(problem, other, rule)}
        pairs = [
            (r, others[r.repeat]) for r in self.records(problem, one, rule) if r.repeat in others
        ]
        return Lead(*mean_and_error([a.is_correct * 1.0 - b.is_correct for a, b in pairs]))

    def seconds(self, problem, method):
        """Return the median time to train and predict."""
        return np.median([r.seconds for r in self.records(problem, method)])


def mean_and_error(parts):
    """Return mean and standard error in %; `parts` has an array of points a repeat."""
    points, means = np.concatenate(parts), [np.mean(part) for part in parts]
    error = points.std() / np.sqrt(len(points))
    if len(means) > 1:
        error = max(error, np.std(means, ddof=1) / np.sqrt(len(means)))
    return 100 * np.mean(means), 100 * error
