"""What sources have in common that keep counts of what was predicted, and no sample.

Where labels are permuted, or fewer samples are selected from, the labels of all rows are in memory,
and nothing else of them. Each labelling is dealt to folds of its own, and many of them share the
passes over the rows, as repeats do.
"""

from contextlib import suppress
from copy import copy
from functools import cached_property, partial
from itertools import islice
from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from .._data import check_next_classes
from .._parameters import check_choice
from .._progress import progress_function
from ..classifiers import ConformalClassifier, CostSensitiveClassifier
from ..solvers.outliers import ClassReference, Training
from ..streaming.passes import RowCount
from .fold_passes import FoldPlan
from .held_out_rows import SampleFacts, Thinning
from .learning import draw_fewer, run_learning_curve
from .methods import METHODS, DataKind, merging_methods, selection_methods
from .permutation import Null, Relabelling, run_permutations
from .procedures import FinalModel
from .row_labels import merge_groups
from .splits import Groups, Units, deal_repeats
from .stand_ins import StandIns


def check_streams(method, needs_sums=False):
    """Raise unless a method needs not all samples, and if so asked not whole columns either."""
    known = [key for key, each in selection_methods().items() if each.streams]
    check_choice("method", method, merging_methods() if needs_sums else known)


def check_classes(found, counts, classes):
    """Return the classes and how many samples each has, of those that are given, if they are."""
    if classes is None:
        return check_next_classes(None, found, is_first=True), counts
    classes = check_next_classes(None, classes, is_first=True)
    unknown = [label for label in found.tolist() if label not in classes.tolist()]
    if unknown:
        raise ValueError(f"the label {unknown[0]!r} is not among classes={classes.tolist()}.")
    total = dict(zip(found.tolist(), counts.tolist(), strict=True))
    return classes, np.array([total.get(label, 0) for label in classes.tolist()])


def centers_in(model):
    """Return the centers inside of what decides by costs, and of what calibrates."""
    while hasattr(model, "estimator_"):
        model = model.estimator_
    return model


class Labelling(NamedTuple):
    """Rows to select from, with labels that may be others than theirs, and how they are dealt."""

    codes: np.ndarray  # of all rows, negative for those that are left out
    seed: int
    n_folds: int


class CountedSource:
    """Samples of which only sums and counts are kept, and what held-out rows taught: `_learned`.

    What it is made of has `noun`, `seed`, `classes` and `class_counts`, `_features`, `_is_sparse`,
    `_groups` (a `Groups` or None), `_memory` and `_progress`. It brings labels by `_gather_labels`,
    a list of `LabelBlock`, and counts by `_count_again` what the models of some labellings predict.
    If there are blocks to leave out, it has `_sites`, `without_block` and `test_block`.
    """

    groups = given_folds = text = None  # of each sample, of which nothing is kept
    in_memory = False
    hides_names = False  # before features are selected
    _permutations, _has_curve, _n_jobs, _sites = None, False, None, None
    _holds_out, _learned = True, None  # whether to learn from held-out rows, and what was

    @property
    def kind(self):
        """What methods have to know of the data."""
        return DataKind(self._features.number, self.classes.size, self._is_sparse, self.seed)

    @property
    def feature_names(self):
        """Names of all features."""
        names, number = self._features.names, self._features.number
        return np.array([f"x{j}" for j in range(number)] if names is None else names.tolist())

    @property
    def n_groups(self):
        """Number of groups; None if each sample stands for itself."""
        return None if self._groups is None else self._groups.ids.size

    @property
    def units(self):
        """What is dealt to folds, samples or groups, counted for each class."""
        if self._groups is None:
            return Units(self.classes, self.class_counts)
        return self._groups.units(self.classes)

    def cut(self, n_folds, n_repeats, is_nested):
        """Deal the rows, or whole groups, to outer folds, again and again."""
        least = 3 if is_nested else 2
        return deal_repeats(
            n_folds, n_repeats, self.seed, self.class_counts, self._groups, self.classes, least
        )

    def _check_scoring(self, choice):
        """Raise if a score needs samples that are ranked."""
        if choice.needs_every_class:
            raise ValueError(
                f"scoring={choice.scoring!r} needs all samples in memory, and X is {self.noun}: "
                "to choose by it, every number of features would have to rank all samples. It is "
                "among the metrics of what was chosen by another score, such as 'neg_log_loss', "
                "which is a mean over samples."
            )

    def _fit_model(self, candidate, scores, costs, solution, moments):
        """Return the model that was chosen, of all rows, which have these moments; costs decide."""
        n_features = scores.n_features
        model = clone(candidate.procedure.estimator).set_params(n_features_to_select=n_features)
        solution = candidate.procedure.path(solution).solution
        model = model._keep(self._features, self.classes, solution, n_features)
        if self._learned is not None:
            columns = model.get_support(indices=True)
            training = Training(columns, ClassReference.of(moments.columns(columns)), None)
            model = ConformalClassifier.of_fitted(model, training, self._learned.calibration)
        return model if costs is None else CostSensitiveClassifier.of_fitted(model, costs)

    def _tell_final(self, model, spreads):
        calls = None if self._learned is None else self._learned.calls
        final = FinalModel.of_centers(centers_in(model), spreads)
        return final._replace(model=model, calls=calls)

    @property
    def _thinning(self):
        """Which rows are held out by the models that were chosen."""
        return Thinning.of(self.class_counts, self._trials[0].repeat.n_folds)

    @property
    def _facts(self):
        """What scores of held-out rows need to know of all of them."""
        told = self.classes, self.class_counts, self.units, self.n_groups, self.seed
        return SampleFacts(*told)

    def tell_unseen(self, scores, described):
        """Tell all metrics of unseen samples, and their intervals."""
        return self._learned.unseen

    def _take_counts(self, counts, classes, has_groups):
        """Learn from `LabelCounts` which classes and groups there are; return those of classes."""
        found = np.unique(np.concatenate([each.labels for each in counts if each.labels.size]))
        totals = [each.of_classes(found) for each in counts]
        self.classes, self.class_counts = check_classes(found, np.sum(totals, axis=0), classes)
        self._groups = merge_groups(counts, self.classes) if has_groups else None
        return np.array([each.of_classes(self.classes) for each in counts])

    def _part(self):
        """Return the same, to be made the source of some of the rows; it tells no progress."""
        found = copy(self)
        found._progress, found._sites = progress_function(None, "rows"), None
        found._permutations, found._has_curve = None, False
        found._holds_out, found._learned = False, None
        found._features = self._features._replace(names=None)  # rows are arrays
        return found

    # -------------------------------------------------------------- other labels, fewer samples

    @cached_property
    def row_labels(self):
        """Class of each row, and the id of its group; None if each stands for itself."""
        labels = self._gathered_labels
        codes = np.concatenate([each.codes(self.classes) for each in labels])
        ids = None if self._groups is None else np.concatenate([each.ids for each in labels])
        return codes, ids

    @cached_property
    def _gathered_labels(self):
        return self._gather_labels()

    def relabelling(self, within):
        """Return what may change places where labels are permuted, inside blocks if asked for."""
        sites = None
        if within == "blocks":
            sites = np.concatenate([each.sites for each in self._gathered_labels])
            sites = np.unique(sites, return_inverse=True)[1]
        return Relabelling.of(*self.row_labels, sites)

    def test_permutations(self, run, n_folds, candidates):
        """Run the whole selection with permuted labels; None if that was not asked for."""
        if self._permutations is None:
            return None
        codes, _ = self.row_labels

        def try_labels(labellings):
            asked = (codes if each is None else each for each in labellings)
            asked = (Labelling(each, self.seed, n_folds) for each in asked)
            return self._score_labellings(run, asked, has_gains=True)

        n_left = self._n_rounds_left - self._n_rounds(self._permutations.number + 1)
        found = run_permutations(self, self._permutations, try_labels, lambda *_: None)
        n_skipped, self._n_rounds_left = self._n_rounds_left - n_left, n_left  # it stopped early
        with suppress(KeyboardInterrupt):  # again, if Ctrl-C is remembered until the next step
            self._rows_read.skip(self._n_passes_a_round * n_skipped)
        return found

    def score_fewer(self, run, n_folds, candidates, scoring):
        """Run the whole selection with fewer samples; None if that was not asked for."""
        if not self._has_curve:
            return None
        score_draws = partial(self._score_draws, run)
        with suppress(KeyboardInterrupt):
            return run_learning_curve(self, score_draws, scoring, n_folds)
        with suppress(KeyboardInterrupt):  # again, if Ctrl-C is remembered until the next step
            self._rows_read.add(0)
        return None  # what was selected is told

    def _score_draws(self, run, draws):
        """Score what is selected from each draw; those of as many folds share their passes."""
        codes, _ = self.row_labels
        scores = np.empty(len(draws))
        for n_folds in np.unique([each.n_folds for each in draws]):
            mine = [place for place, each in enumerate(draws) if each.n_folds == n_folds]
            asked = (
                Labelling(_keep_rows(codes, draws[place].rows), draws[place].seed, int(n_folds))
                for place in mine
            )
            scores[mine] = [each.score for each in self._score_labellings(run, asked)]
        return scores

    def _score_labellings(self, run, labellings, has_gains=False):
        """Yield what each shows; as many as fit in memory share the passes over the rows."""
        labellings = iter(labellings)
        while some := list(islice(labellings, self._n_at_a_time)):
            trials = [self._deal(run, each, number) for number, each in enumerate(some)]
            least = np.min_scalar_type(-self.classes.size)
            codes = np.array([each.codes for each in some], dtype=least)
            tally, gains = self._count_again(trials, codes, has_gains)
            self._n_rounds_left -= 1
            gains = gains if has_gains else [None] * len(some)
            for trial, mine in zip(trials, gains, strict=True):
                yield Null(run.score(trial, tally.counts(trial)), mine)

    def _deal(self, run, labelling, number):
        """Return what is asked of a labelling, the folds of which are drawn once."""
        (codes, seed, n_folds), (_, ids) = labelling, self.row_labels
        kept, n_classes = codes >= 0, self.classes.size
        groups = None if ids is None else Groups.count(ids[kept], codes[kept], n_classes)
        counts = np.bincount(codes[kept], minlength=n_classes)
        least = 3 if run.is_nested else 2
        (repeat,) = deal_repeats(n_folds, 1, seed, counts, groups, self.classes, least)
        return run.trial(repeat._replace(first=number * n_folds))

    def _begin_reading(self, n_passes, n_passes_a_round, plan, trial, n_done=0):
        """Count the rows of passes ahead, with those of labellings, each round of which has some.

        A labelling takes the memory of a repeat, of what is counted, and of the labels of all rows.
        """
        n_rows, n_folds = int(self.class_counts.sum()), trial.repeat.n_folds
        n_counted = self.classes.size**2 * n_folds * (n_folds + 1) * trial.all_sizes.size
        self._n_at_a_time = max(1, self._memory // (plan.repeat_bytes + 8 * n_counted + 4 * n_rows))
        self._n_rounds_left, self._n_passes_a_round = 0, n_passes_a_round
        if self._permutations is not None:
            self._n_rounds_left += self._n_rounds(self._permutations.number + 1)
        if self._has_curve:
            draws = [each.n_folds for each in draw_fewer(self, n_folds)]
            self._n_rounds_left += sum(self._n_rounds(draws.count(n)) for n in set(draws))
        n_passes += self._n_rounds_left * n_passes_a_round
        self._rows_read = RowCount(self._progress, n_rows, n_passes, n_done)

    def _n_rounds(self, n_labellings):
        return -(-n_labellings // self._n_at_a_time)

    def _plan_of(self, trials):
        """Return what passes over the rows of some trials have in common."""
        trial = trials[0]
        (candidate,) = trial.candidates.values()
        return FoldPlan(
            self._features.number, self._is_sparse, self.classes, candidate.procedure.estimator,
            [each.repeat.folds for each in trials], trial.training_sets, self._n_jobs,
        )  # fmt: skip

    def _gains_estimator(self):
        """Return what finds the gains of all features, each by itself."""
        return METHODS["l2"].build(self.kind).estimator

    # -------------------------------------------------------------- what takes single samples

    def find_suspicions(self):
        """Return none: samples that were read are not kept, to be compared with others."""
        return ()

    def score_blocks(self, run, choice):
        """Score each block by what `run` selects without it; None if there are no blocks."""
        return None if self._sites is None else self._sites.score(self, run, choice)

    def score_covariates(self, run, choice, repeat):
        """Return None: there are no covariates."""
        return

    def describe_samples(self, candidate, scores, final, repeats):
        """Tell what is known of each sample: nothing, only counts are kept."""
        names = ("predicted", "probabilities", "true_codes", "subspace", "stability")
        return dict.fromkeys(names)

    def find_stand_ins(self, candidate, choice, found, most):
        """Find none: samples that were read are not kept."""
        return StandIns()


def _keep_rows(codes, rows):
    """Leave all rows out but some."""
    kept = np.full(codes.size, -1, dtype=codes.dtype)
    kept[rows] = codes[rows]
    return kept


def gains_of(estimator, moments):
    """Return the gain of each feature by itself, of the moments of the classes."""
    return estimator._problem.solve_moments(estimator, None, moments).path.gains
