"""The first passes of a selection: what sparse centers need of every training set."""

from functools import reduce

import numpy as np
from scipy.sparse import issparse

from ..classifiers.sparse_center_rule import ColumnSummary
from ..statistics import ClassMoments, class_moments
from ..streaming.passes import codes_of, read_block, summary_arrays, summary_from_arrays

__all__ = ["MeansPass", "MediansPasses"]


class MeansPass:
    """Class moments of every fold, in one pass; those of a training set are merged from them.

    Parameters
    ----------
    plan : StreamPlan
        What the passes over the rows have in common.
    state : dict or None
        What an earlier run has found.

    Attributes
    ----------
    n_passes, n_steps : int
        How often the rows are read, and in how many steps.
    """

    n_passes = 1

    def __init__(self, plan, state):
        self._plan = plan
        self.n_steps = plan.n_batches
        self._moments = None if state is None else ClassMoments(**state)

    def steps(self, n_done, rows_read):
        """Go on after some steps; yield after each."""
        plan, n_classes = self._plan, self._plan.n_classes
        for batch in plan.batches.start(n_done) if n_done < self.n_steps else ():
            codes = codes_of(batch, plan.classes)
            cells = plan.folds.folds_of(codes, self._n_before) * n_classes + codes
            n_cells = plan.folds.n_folds * n_classes
            found = class_moments(batch.X, cells, n_cells, None, plan.n_jobs)
            self._moments = found if self._moments is None else self._moments.merge(found)
            rows_read.add(batch.y.size)
            yield

    @property
    def _n_before(self):
        """Rows of each class so far."""
        n_classes = self._plan.n_classes
        if self._moments is None:
            return np.zeros(n_classes, dtype=int)
        return self._moments.counts.reshape(-1, n_classes).sum(axis=0).astype(int)

    @property
    def state(self):
        """Arrays that tell what has been found so far."""
        return vars(self._moments)

    def solution(self, left_out=()):
        """Sparse centers of all rows but those of some folds."""
        n_classes, estimator = self._plan.n_classes, self._plan.estimator
        parts = [
            self._moments.take_classes(slice(fold * n_classes, (fold + 1) * n_classes))
            for fold in range(self._plan.folds.n_folds)
            if fold not in left_out
        ]
        moments = reduce(ClassMoments.merge, parts)
        return estimator._problem.solve_moments(estimator, None, moments)

    @property
    def spreads(self):
        """Standard deviation of each feature inside the classes."""
        return np.sqrt(self.solution().moments.within_variance)


class MediansPasses:
    """Medians of every training set, in a pass for each block of columns; see `MeansPass`.

    Parameters
    ----------
    plan : StreamPlan
        What the passes over the rows have in common.
    state : dict or None
        What an earlier run has found.
    """

    def __init__(self, plan, state):
        self._plan = plan
        self._starts = range(0, plan.batches.n_features, plan.width)
        self.n_passes = self.n_steps = len(self._starts)
        state = {"spreads": [], "summaries": [[] for _ in plan.sets]} | (state or {})
        self._spreads = list(state["spreads"])
        self._parts = {
            left_out: [summary_from_arrays(part) for part in parts]
            for left_out, parts in zip(plan.sets, state["summaries"], strict=True)
        }

    def steps(self, n_done, rows_read):
        """Go on after some steps; yield after each."""
        plan, batches = self._plan, self._plan.batches
        for start in self._starts[n_done:]:
            block = batches.columns(start, min(start + plan.width, batches.n_features))
            X, codes = read_block(block, plan.classes, rows_read)
            folds = plan.folds.folds_of(codes, np.zeros(plan.n_classes, dtype=int))
            self._summarise(X.tocsc() if issparse(X) else X, codes, folds)
            yield

    def _summarise(self, X, codes, folds):
        n_classes, n_jobs = self._plan.n_classes, self._plan.n_jobs
        problem = self._plan.estimator._problem
        for left_out, parts in self._parts.items():
            trained = np.where(np.isin(folds, left_out), np.int32(-1), codes)
            parts.append(problem.summarise_columns(X, trained, n_classes, None, n_jobs))
        moments = class_moments(X, codes, n_classes, None, n_jobs)
        self._spreads.append(np.sqrt(moments.within_variance))

    @property
    def state(self):
        """Arrays that tell what has been found so far."""
        self._join()
        summaries = [[summary_arrays(part) for part in parts] for parts in self._parts.values()]
        return {"spreads": [*self._spreads], "summaries": summaries}

    def solution(self, left_out=()):
        """Sparse centers of all rows but those of some folds."""
        self._join()
        (summary,) = self._parts[left_out]
        estimator = self._plan.estimator
        return estimator._problem.solve_columns(estimator, summary)

    @property
    def spreads(self):
        """Standard deviation of each feature inside the classes."""
        self._join()
        return self._spreads[0]

    def _join(self):
        """Put the blocks of columns side by side, so that each training set has one summary."""
        if len(self._spreads) > 1:
            self._spreads = [np.concatenate(self._spreads)]
            self._parts = {key: [ColumnSummary.join(each)] for key, each in self._parts.items()}
