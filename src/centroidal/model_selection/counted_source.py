"""What sources have in common that keep counts of what was predicted, and no sample."""

import numpy as np
from sklearn.base import clone

from .._data import check_next_classes
from .._parameters import check_choice
from ..classifiers import CostSensitiveClassifier
from .intervals import GroupHits
from .methods import DataKind, merging_methods, selection_methods
from .procedures import FinalModel
from .splits import Units, deal_repeats
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


class CountedSource:
    """Samples of which only sums and counts are kept.

    What it is made of has `noun`, `seed`, `classes` and `class_counts`, `_features`, `_is_sparse`,
    `_groups` (a `Groups` or None), and once something was predicted `_tally`.
    """

    groups = given_folds = text = None  # of each sample, of which nothing is kept
    hides_names = False  # before features are selected

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
                "samples are ranked by it. Take another score, such as 'neg_log_loss', which is a "
                "mean over samples."
            )

    def _fit_model(self, candidate, n_features, costs, solution):
        """Return the model with so many features of a solution for all rows; costs decide."""
        model = clone(candidate.procedure.estimator).set_params(n_features_to_select=n_features)
        solution = candidate.procedure.path(solution).solution
        centers = model._keep(self._features, self.classes, solution, n_features)
        return centers if costs is None else CostSensitiveClassifier.of_fitted(centers, costs)

    def _tell_final(self, model, spreads):
        centers = getattr(model, "estimator_", model)  # what decides by costs has them inside
        return FinalModel.of_centers(centers, spreads)._replace(model=model)

    def group_hits(self, scores, repeats):
        """Count the samples of each group that were recognised, in each repeat, and all of them."""
        if self._groups is None:
            return None
        chosen = scores.positions.reshape(len(repeats), -1)
        hits = [
            each[np.arange(len(each)), mine[repeat.folds.folds]]
            for each, mine, repeat in zip(self._tally.hits, chosen, repeats, strict=True)
        ]
        return GroupHits.of(np.array(hits), self._groups.counts.sum(axis=1))

    # -------------------------------------------------------------- what takes single samples

    def find_suspicions(self):
        """Return none: samples that were read are not kept, to be compared with others."""
        return ()

    def score_blocks(self, run, choice):
        """Return None: there are no blocks."""
        return

    def test_permutations(self, run, n_folds, candidates):
        """Return None: labels of samples that are not in memory do not change places."""
        return

    def score_covariates(self, run, choice, repeat):
        """Return None: there are no covariates."""
        return

    def score_fewer(self, run, n_folds, candidates, scoring):
        """Return None: samples are taken as they are."""
        return

    def describe_samples(self, candidate, scores, final, repeats):
        """Tell what is known of each sample: nothing, only counts are kept."""
        names = ("predicted", "probabilities", "true_codes", "subspace", "stability")
        return dict.fromkeys(names)

    def find_stand_ins(self, candidate, choice, found, most):
        """Find none: samples that were read are not kept."""
        return StandIns()
