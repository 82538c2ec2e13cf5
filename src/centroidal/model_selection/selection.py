"""What `select_features` found: the features, the model, and how well it does on unseen samples."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._plain import interval_text, percent, row_dicts, score_text
from .._typing import Array, Floats, Ints
from .bands import band_sentence, band_table, feature_axis
from .html import selection_html
from .learning import LearningCurve
from .methods import METRICS, PROBABILITY_SCORES, metric_of, plain_score
from .metrics import metric_rows, metric_table
from .panels import class_of_features
from .permutation import PermutationTest

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from ..inspection import BandsDisplay, PathDisplay
    from .stability import StabilitySelector
    from .verdicts import Verdict

__all__ = ["FeatureSelection"]

_MOST_ROWS = 20
_MOST_NAMES = 5  # of covariates
_MANY = 0.02  # share of samples that are copies, from which on the score itself is in doubt
_UNLIKELY, _STRONG = 0.05, 0.3  # p-value and Cramér's V by which blocks and classes go together
# What the card of its model says, and what there is to tell besides.
_ON_THE_CARD = (
    "method", "method_reason", "classifier", "scoring", "score", "se_score", "interval",
    "random_score", "se_random", "n_folds", "n_repeats", "n_groups", "group_name", "block_name",
    "costs", "calls", "panel", "preprocess", "seed", "versions",
)  # fmt: skip
_TOLD = (
    *_ON_THE_CARD, "n_features_to_select", "n_features_of_folds", "n_features_asked", "rule",
    "majority_score", "max_features", "text", "beats_random", "metrics", "intervals", "classes",
    "class_counts", "confusion", "recall", "fold_choices", "method_scores", "classifier_scores",
    "impute", "has_mixed_groups", "blocks", "is_confounded", "suspicions", "p_value",
    "covariates", "seconds",
)  # fmt: skip
_OF_PERMUTATIONS = (
    "p_value", "interval", "score", "n_permutations", "n_as_good", "n_asked", "stop_after",
    "permuted", "null_scores",
)  # fmt: skip
_OF_CURVE = ("n_samples", "means", "errors", "law", "trouble")
_OF_PATH = ("n_features", "budget", "mean_test_score", "se_test_score")


@dataclass(frozen=True, eq=False, repr=False)
class FeatureSelection:
    """Few features that tell the classes apart, and an honest number for unseen samples.

    Made by :func:`select_features`. Printing it shows the answer, the features and how often each
    class is recognised (recall).

    Attributes
    ----------
    method, methods_tried : str, tuple of str
        How features were selected; the method that was chosen, and all that were tried.
    method_reason : str or None
        What ``method="auto"`` takes this method for; None if the method was named.
    classifier, classifier_scores : str, dict of str to dict
        What classifies by the selected features; and for all classifiers that were tried behind the
        ranking ``score`` and ``se`` with so many features, as in `path`.
    n_features_asked, max_features, rule, scoring, impute, preprocess : object
        What was asked for, as in :func:`select_features`.
    classes, class_counts : ndarray of shape (n_classes,)
        Labels, and the number of samples of each class.
    feature_names : ndarray of str, shape (n_features,)
        Names of all features.
    model : classifier
        Fitted to all samples. It takes samples with all features, and looks at the selected ones.
    ranking : ndarray of int, shape (n_features,)
        All columns, the best first.
    gains : ndarray of shape (n_features,)
        By what they were ranked, in the order of the columns.
    centers : ndarray of shape (n_classes, n_features)
        Mean of each class, or its median for "l1", in the units of the data.
    spreads : ndarray of shape (n_features,)
        Standard deviation of each feature inside the classes.
    n_features_to_select : int
        Number of features that were selected.
    path : dict of ndarray
        Score for other numbers of features, with everything done inside the folds: ``n_features``,
        ``mean_test_score``, ``std_test_score``, ``se_test_score`` (corrected for the overlap of
        training sets) and one ``split*_test_score`` a fold.
    confusion_path : ndarray of int, shape (n_sizes, n_classes, n_classes)
        Test samples of all folds by true class, in rows, and predicted class, for each of them.
    random_path : dict of ndarray
        The same table for nearest class centers on features that are drawn at random.
    score, se_score : float
        Score on unseen samples, and its standard error, of all that was done: the number of
        features, and the method if there were several, were chosen anew in each fold. It is the
        mean over the folds, of losses the negative, as `scoring` has it.
    interval : tuple of float
        Ends of the 95 % confidence interval of `score`.
    metrics : dict of str to float
        All metrics of the unseen samples of all folds together, as scikit-learn has them: accuracy,
        balanced_accuracy, f1_macro, matthews_corrcoef; roc_auc and average_precision (of the second
        of two classes, else the mean over the classes, each against the rest), log_loss and
        brier_score, which need probabilities; and cost, if there are `costs`. Of the last three
        less is better.
    intervals : dict of str to tuple of float
        Ends of the 95 % confidence interval of each of them.
    costs : ndarray of shape (n_classes, n_classes), or None
        What each prediction costs, by true class, in rows, and predicted class, if costs or class
        weights were given. Predictions are then those of the least expected cost.
    calls : tuple of dict or None
        What comes of leaving samples without a class where none, or more than one, is credible, at
        several levels ``no_call``: the shares of unseen samples that are ``called``, for which
        ``several`` classes are credible, and that resemble ``none``; the ``accuracy`` of those that
        are called; ``coverage``, the share whose class is credible, and ``class_coverage``, the
        same of each class. None without probabilities.
    confusion : ndarray of int, shape (n_classes, n_classes)
        Test samples of all folds by true class, in rows, and predicted class, for that score.
    random_score, se_random : float
        The same for as many random features as were chosen in each fold.
    majority_score : float
        Score of what knows the sizes of the classes alone, and always predicts the largest.
    predicted : ndarray of int, shape (n_repeats, n_samples), or None
        Number of the predicted class of each sample when it was not seen, as for `score`. None for
        samples that were read in batches, of which nothing is told one by one.
    probabilities : ndarray of shape (n_repeats, n_samples, n_classes), or None
        Probabilities of the classes for each sample when it was not seen, calibrated by samples of
        other folds. None for batches as well, and for methods whose classifier has none.
    true_codes : ndarray of int, shape (n_samples,), or None
        Number of the class of each sample; None for batches as well.
    fold_choices : tuple of dict
        What each fold chose: ``fold``, ``method``, ``classifier``, ``n_features`` and its
        ``score``.
    method_scores : dict of str to dict
        For each method that was tried ``classifier``, ``n_features``, ``score`` and ``se``, by
        which the best one was chosen. Being the best of several makes a score too good; `score` is
        not affected.
    panel : dict or None
        What was wished of the selected features, if anything was: ``include``, ``exclude``,
        ``distinct``, ``per_class`` with ``marker_of``, the class of each selected feature,
        and ``budget`` with the ``cost`` of each and what is ``spent`` on all. With a budget, `path`
        has a column ``budget``, and its ``n_features`` are those of the final model.
    stand_ins : tuple of tuple of dict, or None
        For each selected feature, of up to 50, those that could take its place: ``place`` (among
        the selected ones, from 0), ``column``, ``correlation`` inside the classes, at least 0.5 of
        either sign, and the ``score`` of the panel after the swap, within one standard error of
        that before. None if it was not asked for, beyond 256 selected features, and for batches.
    signatures : tuple of dict
        Panels that do as well within one standard error, with as many stand-ins as possible:
        ``columns`` and ``score``, which is that of a panel that is known beforehand, in the outer
        folds. The first is that of the selected features. Empty without `stand_ins`.
    text : dict or None
        Of documents: the options by which their words became features, and under ``examples`` some
        documents of each class that were recognised when they were not seen, with the words that
        speak for it: ``class``, ``row``, ``text`` (its beginning) and ``words``.
    stability : StabilitySelector or None
        How often each feature is selected again from halves of the samples, if asked for.
    subspace : ndarray of shape (n_samples, 2), or None
        The samples in the Fisher subspace of the selected features, for a picture. With two classes
        the second axis is the largest principal component beside the Fisher direction. It was
        fitted to these samples, so it is no evidence. None for samples that were read in batches.
    n_folds, n_repeats, seed : int
        How the samples were cut, and the seed of all that is random.
    n_groups : int or None
        How many groups of samples stayed together in that; None if each sample stood for itself.
    has_mixed_groups : bool
        Whether some of them have samples of more than one class, which is allowed.
    group_name, block_name : str or None
        Names of the columns that said what the groups and the blocks are, where they are known.
    suspicions : tuple of dict
        What would make `score` too good, as far as a short look at the samples tells: its ``kind``,
        "copies" and "near_copies" of samples that are in no common group, "drift" of samples that
        are in the order of their classes, or "giveaway", a feature that tells the class by itself;
        a ``sentence``; ``n_samples`` that are concerned and their ``share``; the first pairs of
        ``rows``, counted from 0; and the names of ``features``. Empty
        for samples that were read in batches, which are not looked at.
    blocks : dict or None
        If blocks were given: ``rows``, one a block, with its name ``block``, ``n_samples``, and the
        ``score``, ``confusion`` and ``n_features`` of a selection that has seen none of its
        samples, with the 95 % ``interval`` of a score that is counted, or the ``trouble`` there was
        with it; the mean ``score`` of the blocks; and how
        strongly block and class go together, as ``cramers_v`` between 0 and 1 with the ``p_value``
        of a permutation test.
    permutations : PermutationTest or None
        How the whole selection scores with permuted labels, with the p-value of the score and of
        each feature, if that was asked for.
    covariates : dict or None
        If covariates were given: their ``names``; the ``score`` of logistic regression by them
        alone, with the same folds, which are drawn once; and the ``adjusted_score`` of the whole
        selection when what they explain of the features, linearly, is taken out inside the folds.
    learning_curve : LearningCurve or None
        Score of the whole selection with fewer samples, and what more would give, if that was asked
        for.
    seconds : float
        Time it took; if it went on from a checkpoint, the time since then.
    versions : dict of str to str
        Versions of what it was computed with.
    """

    method: str
    methods_tried: tuple[str, ...]
    method_reason: str | None
    classifier: str
    classifier_scores: dict
    n_features_asked: Any
    rule: str
    scoring: str
    classes: np.ndarray
    class_counts: np.ndarray
    feature_names: np.ndarray
    model: Any
    ranking: np.ndarray
    gains: np.ndarray
    centers: np.ndarray
    spreads: np.ndarray
    n_features_to_select: int
    path: dict[str, np.ndarray]
    confusion_path: np.ndarray
    random_path: dict[str, np.ndarray]
    score: float
    se_score: float
    interval: tuple[float, float]
    metrics: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    costs: np.ndarray | None
    calls: tuple | None
    confusion: np.ndarray
    random_score: float
    se_random: float
    majority_score: float
    predicted: np.ndarray | None
    probabilities: np.ndarray | None
    true_codes: np.ndarray | None
    fold_choices: tuple
    method_scores: dict
    stability: "StabilitySelector | None"
    subspace: np.ndarray | None
    n_folds: int
    n_repeats: int
    n_groups: int | None
    has_mixed_groups: bool
    group_name: str | None
    block_name: str | None
    suspicions: tuple
    blocks: dict | None
    permutations: PermutationTest | None
    covariates: dict | None
    learning_curve: LearningCurve | None
    impute: str | None
    preprocess: str | None
    max_features: int | None
    text: dict | None
    panel: dict | None
    stand_ins: tuple | None
    signatures: tuple
    seed: int
    seconds: float
    versions: dict[str, str]

    @property
    def is_streamed(self) -> bool:
        """Whether the samples were read in batches, so that nothing is told of a single one."""
        return self.predicted is None

    @property
    def p_value(self) -> float | None:
        """Probability of a score as good if labels mean nothing; None if it was not asked for."""
        return None if self.permutations is None else self.permutations.p_value

    @property
    def selected(self) -> Ints:
        """Columns of the selected features, the best first."""
        return self.ranking[: self.n_features_to_select]

    @property
    def selected_names(self) -> Array:
        """Names of the selected features, the best first."""
        return self.feature_names[self.selected]

    def feature_columns(self) -> dict[str, list[Any]]:
        """Return the selected features as a table.

        Returns
        -------
        dict of str to list
            Columns with an entry for each feature, the best first: ``rank``, ``feature``, ``gain``,
            ``p_value`` and ``expected_false`` if there are `permutations` (see `PermutationTest`),
            ``speaks_for`` if these are words, ``marker_of`` and ``cost`` if a `panel` has them,
            ``frequency`` if there is a `stability`, names of ``stand_ins`` if they were looked for,
            and a ``center_`` of each class.
        """
        columns = {
            "rank": list(range(1, self.n_features_to_select + 1)),
            "feature": self.selected_names.tolist(),
            "gain": self.gains[self.selected].tolist(),
        }
        if self.permutations is not None:
            columns["p_value"] = self.permutations.feature_p_values[self.selected].tolist()
            columns["expected_false"] = self.permutations.expected_false[self.selected].tolist()
        if self.text is not None:
            columns["speaks_for"] = [str(label) for label in self.speaks_for.tolist()]
        for name in ("marker_of", "cost"):
            if self.panel is not None and name in self.panel:
                columns[name] = list(self.panel[name])
        if self.stability is not None:
            frequencies = self.stability.selection_frequencies_
            columns["frequency"] = frequencies[self.selected].tolist()
        if self.stand_ins is not None:
            columns["stand_ins"] = ["; ".join(names) for names in self.stand_in_names]
        for label, center in zip(self.classes.tolist(), self.centers, strict=True):
            columns[f"center_{label}"] = center[self.selected].tolist()
        return columns

    def band_columns(self, max_gap: int = 2) -> dict[str, list[Any]]:
        """Return the selected features as bands of neighbouring columns, as a table.

        For features that have an order, such as wavelengths of a spectrum.

        Parameters
        ----------
        max_gap : int, default=2
            How many features that were not selected may lie between two of the same band.

        Returns
        -------
        dict of str to list
            Columns with an entry for each band, in the order of the features: names of the
            ``first`` and the ``last`` feature, ``n_features`` that are selected in it, the
            ``strongest`` of them, and its ``gain``.
        """
        return band_table(self.selected, self.feature_names, self.gains, max_gap)

    @property
    def has_axis(self) -> bool:
        """Whether names of features are numbers that rise or fall evenly, as wavelengths do."""
        return feature_axis(self.feature_names) is not None

    @property
    def stand_in_names(self) -> list[list[str]]:
        """For each selected feature the names of those that could take its place."""
        found = ((),) * self.n_features_to_select if self.stand_ins is None else self.stand_ins
        return [[str(self.feature_names[each["column"]]) for each in row] for row in found]

    @property
    def speaks_for(self) -> Array:
        """For each selected feature the class whose center is largest in it."""
        return self.classes[np.argmax(self.centers[:, self.selected], axis=0)]

    @property
    def marker_codes(self) -> Ints:
        """For each selected feature the number of the class whose center stands out in it."""
        return class_of_features(self.centers[:, self.selected])

    @property
    def n_features_of_folds(self) -> dict[str, float]:
        """How many features the folds chose: the least, the median and the most of them."""
        numbers = [each["n_features"] for each in self.fold_choices]
        return {"least": min(numbers), "median": float(np.median(numbers)), "most": max(numbers)}

    @property
    def recall(self) -> Floats:
        """Share of the unseen samples of each class that is recognised."""
        return np.diagonal(self.confusion) / self.confusion.sum(axis=1)

    @property
    def beats_random(self) -> bool:
        """Whether the score lies above that of random features by more than two standard errors."""
        error = float(np.hypot(self.se_score, self.se_random))
        return bool(self.score - self.random_score > 2.0 * error)

    @property
    def metric(self) -> str:
        """Key in `metrics` of what was scored by."""
        return metric_of(self.scoring)

    def metric_rows(self) -> list[tuple[str, ...]]:
        """Return a row of texts for each metric: what it is called, its value, its interval."""
        return metric_rows(self.metrics, self.intervals)

    def score_words(self, value: float) -> str:
        """Write a score as its metric is written."""
        return score_text(plain_score(value, self.scoring), is_share=METRICS[self.metric].is_share)

    def interval_words(self) -> str:
        """Say the 95 % interval of the score."""
        ends = sorted(plain_score(end, self.scoring) for end in self.interval)
        return f"95 % interval {interval_text(ends, is_share=METRICS[self.metric].is_share)}"

    def summary(self) -> str:
        """Say the answer in a sentence or two: features, score, and what to compare it with."""
        name, write = METRICS[self.metric].name, self.score_words
        is_one = self.n_features_to_select == 1
        features = f"{self.n_features_to_select:,} of {self.feature_names.size:,} features"
        unseen = "samples" if self.n_groups is None else "groups of samples"
        reached = f"{name} {write(self.score)} ({self.interval_words()}) on unseen {unseen}"
        beside = (
            f"random features reach {write(self.random_score)}, {self.reference} "
            f"{write(self.majority_score)}"
        )
        if self.beats_random:
            apart = f"{'tells' if is_one else 'tell'} the {self.classes.size} classes apart"
            answer = f"{features} {apart} with {reached}; {beside}."
        else:
            found = f"{features} {'was' if is_one else 'were'} selected, with {reached}"
            answer = f"{found}. That is not shown to be better than chance: {beside}."
        more = (
            self.choice_summary(),
            self.classifier_summary(),
            self.panel_summary(),
            self.cost_summary(),
            self.repeat_summary(),
        )
        return " ".join(filter(None, [answer, *more]))

    @property
    def reference(self) -> str:
        """What knows the sizes of the classes alone, and has `majority_score`, in words."""
        if self.metric in PROBABILITY_SCORES:
            return "the sizes of the classes alone"
        return f"always the {'cheapest' if self.metric == 'cost' else 'largest'} class"

    def cost_summary(self) -> str:
        """Say that costs decided; nothing if there were none."""
        if self.costs is None:
            return ""
        words = "Predictions are those of the least expected cost"
        if self.metric == "cost":  # which is told already
            return f"{words}."
        return f"{words}; on average they cost {score_text(self.metrics['cost'], is_share=False)}."

    def classifier_summary(self) -> str:
        """Say which classifier the folds chose; nothing if there was one."""
        if len(self.classifier_scores) == 1:
            return ""
        others = [name for name in self.classifier_scores if name != self.classifier]
        return f"They are classified by {self.classifier}, rather than {' or '.join(others)}."

    def method_summary(self) -> str:
        """Say which method "auto" stands for; nothing if one was named."""
        if self.method_reason is None:
            return ""
        return f"Features are ranked by {self.method}, which auto takes {self.method_reason}."

    def choice_summary(self) -> str:
        """Say how many features the folds chose; nothing if the number was given."""
        least, median, most = self.n_features_of_folds.values()
        panel = self.panel or {}
        if self.n_features_asked != "auto" or panel.get("per_class", "auto") != "auto":
            return ""
        chose = "bought" if "budget" in panel else "chose"
        if least == most:
            return f"All folds {chose} {least:,} feature{'' if most == 1 else 's'}."
        return f"Folds {chose} {least:,} to {most:,} features, {median:,.0f} in the median."

    def panel_summary(self) -> str:
        """Say what was wished of the features; nothing if nothing was."""
        wished, said = self.panel or {}, []
        if "include" in wished:
            said.append(f"{len(wished['include']):,} must be in")
        if "exclude" in wished:
            said.append(f"{len(wished['exclude']):,} must stay out")
        if "distinct" in wished:
            bound = wished["distinct"]
            said.append(f"no two correlate by more than {bound:g} inside the classes")
        if "per_class" in wished:
            markers = (self.n_features_to_select - len(wished.get("include", ()))) // len(
                self.classes
            )
            said.append(
                f"{markers:,} {'is a marker' if markers == 1 else 'are markers'} of each class"
            )
        words = [f"Of the features, {', '.join(said)}."] if said else []
        if "budget" in wished:
            words.append(f"They cost {wished['spent']:g} of a budget of {wished['budget']:g}.")
        return " ".join(words)

    def stand_in_summary(self) -> str:
        """Say how many features have stand-ins; nothing if these were not looked for."""
        if self.stand_ins is None:
            return ""
        n_able, n_other = sum(map(bool, self.stand_ins)), len(self.signatures) - 1
        if not n_able:
            return "No selected feature has a stand-in, which could take its place."
        who = f"{n_able:,} of {self.n_features_to_select:,} selected features"
        words = f"{who} {'has' if n_able == 1 else 'have'} stand-ins, which could take their place"
        if not n_other:
            return f"{words}."
        other = "another signature" if n_other == 1 else f"{n_other:,} other signatures"
        return f"{words}; {other} of as many features {'does' if n_other == 1 else 'do'} as well."

    def band_summary(self) -> str:
        """Say in which bands the features lie; nothing if their names are no axis."""
        return band_sentence(self.band_columns()) if self.has_axis else ""

    def repeat_summary(self) -> str:
        """Say that samples seem to be repeats of each other; nothing if few of them do."""
        words = {"copies": "exact copies", "near_copies": "near copies"}
        repeats = [
            f"{each['n_samples']:,} {words[each['kind']]}"
            for each in self.suspicions
            if each["kind"] in words and each["share"] >= _MANY
        ]
        if not repeats:
            return ""
        found = f"Samples seem to come from the same source ({', '.join(repeats)})"
        if self.n_groups is None:
            return f"{found}: give groups, or this number is too good."
        return f"{found} and are in different groups, which makes this number too good."

    def group_summary(self) -> str:
        """Say that groups have samples of several classes; nothing if none has."""
        if not self.has_mixed_groups:
            return ""
        return "Some groups have samples of more than one class; they stay together all the same."

    def warnings_summary(self) -> str:
        """Say what may make the score too good, a line each; nothing if nothing was found."""
        return "\n".join(f"Warning: {each['sentence']}" for each in self.suspicions)

    @property
    def is_confounded(self) -> bool:
        """Whether block and class go together more than chance explains; False without blocks."""
        found = self.blocks
        return found is not None and found["p_value"] <= _UNLIKELY and found["cramers_v"] >= _STRONG

    def block_summary(self) -> str:
        """Say how well blocks that were left out whole are predicted; nothing without blocks."""
        if self.blocks is None:
            return ""
        name, write = METRICS[self.metric].name, self.score_words
        rows = [row for row in self.blocks["rows"] if row["trouble"] is None]
        each = ", ".join(f"{row['block']} {write(row['score'])}" for row in rows[:_MOST_ROWS])
        n_left = len(self.blocks["rows"]) - len(rows)
        if not rows:
            return "No block could be left out whole."
        words = f"Of blocks left out whole: {name} {write(self.blocks['score'])} ({each})"
        words += f"; {n_left} could not be left out." if n_left else "."
        if self.is_confounded:
            words += (
                f" Block and class go together (Cramér's V {self.blocks['cramers_v']:.2f}, "
                f"permutation test p = {self.blocks['p_value']:.3f}): what tells the classes apart "
                "may be the block."
            )
        return words

    def permutation_summary(self) -> str:
        """Say how often permuted labels do as well; nothing if they were not asked for."""
        if self.permutations is None:
            return ""
        name, write = METRICS[self.metric].name, self.score_words
        return self.permutations.summary(self.selected, f"{name} {write(self.permutations.score)}")

    def checklist(self) -> "tuple[Verdict, ...]":
        """Return verdicts on whether the score can be believed.

        Returns
        -------
        tuple of Verdict
            Each has a ``question``, a ``verdict`` ("fine", "caution" or "no") and a ``reason``.
        """
        from .verdicts import judge

        return judge(self)

    def checklist_summary(self) -> str:
        """Say in a line how many verdicts are fine, and which are not."""
        from .verdicts import sum_up

        return sum_up(self.checklist())

    def covariate_summary(self) -> str:
        """Say what covariates tell by themselves, and what is left without them."""
        if self.covariates is None:
            return ""
        name, write = METRICS[self.metric].name, self.score_words
        names, n_more = self.covariates["names"], len(self.covariates["names"]) - _MOST_NAMES
        more = f" and {n_more} more" if n_more > 0 else ""
        return (
            f"By themselves, covariates ({', '.join(names[:_MOST_NAMES])}{more}) have {name} "
            f"{write(self.covariates['score'])}; with what they explain taken out of the features "
            f"it is {write(self.covariates['adjusted_score'])}."
        )

    def learning_summary(self) -> str:
        """Say what more samples would give; nothing if that was not asked for."""
        return "" if self.learning_curve is None else self.learning_curve.summary()

    def card(self) -> dict[str, Any]:
        """Return what its model file says of it, by name."""
        return _take(self, _ON_THE_CARD) | {"selected_features": self.selected_names}

    def to_dict(self) -> dict[str, Any]:
        """Return all that there is to tell, as ``--json`` prints it.

        Returns
        -------
        dict
            Attributes under their names, sentences under names that begin with ``answer``, and
            ``features``, a dict for each selected feature.
        """
        stability = self.stability
        if stability is not None:
            stability = {
                "stability": stability.stability_,
                "interval": stability.stability_interval_,
                "n_resamples": stability.n_resamples,
            }
        return {
            "answer": self.summary(),
            "answer_on_method": self.method_summary(),
            "answer_on_stand_ins": self.stand_in_summary(),
            "answer_on_bands": self.band_summary(),
            "answer_in_blocks": self.block_summary(),
            "answer_by_chance": self.permutation_summary(),
            "permutations": _take(self.permutations, _OF_PERMUTATIONS),
            "answer_by_covariates": self.covariate_summary(),
            "answer_with_more": self.learning_summary(),
            "learning_curve": _take(self.learning_curve, _OF_CURVE),
            "answer_of_checklist": self.checklist_summary(),
            "checklist": [each._asdict() for each in self.checklist()],
            **_take(self, _TOLD),
            "features": row_dicts(self.feature_columns()),
            "bands": row_dicts(self.band_columns()) if self.has_axis else [],
            "stand_ins": self._stand_ins_by_name(),
            "signatures": [
                {"features": self.feature_names[each["columns"]], "score": each["score"]}
                for each in self.signatures
            ],
            "stability": stability,
            "path": {name: self.path[name] for name in _OF_PATH if name in self.path},
        }

    def _stand_ins_by_name(self):
        """Return stand-ins by the names of features; None if they were not looked for."""
        if self.stand_ins is None:
            return None
        return {
            str(name): [
                {
                    "feature": str(self.feature_names[each["column"]]),
                    "correlation": each["correlation"],
                    "score": each["score"],
                }
                for each in row
            ]
            for name, row in zip(self.selected_names, self.stand_ins, strict=True)
            if row
        }

    def __str__(self):
        shown = self.selected[:_MOST_ROWS]
        answer = [
            self.summary(), self.method_summary(), self.band_summary(), self.stand_in_summary(),
            self.group_summary(), self.block_summary(), self.permutation_summary(),
            self.covariate_summary(), self.learning_summary(), self.warnings_summary(),
        ]  # fmt: skip
        lines = [*filter(None, answer), "", "rank  gain       feature"]
        for rank, column in enumerate(shown.tolist(), start=1):
            lines.append(f"{rank:4}  {self.gains[column]:<9.4g}  {self.feature_names[column]}")
        if self.n_features_to_select > shown.size:
            lines.append(f"      ... and {self.n_features_to_select - shown.size:,} more")
        head = ("metric", "unseen samples", "95 % interval")
        lines += ["", *metric_table(self.metric_rows(), head)]
        lines += ["", " recall  samples  class"]
        for label, recall, count in zip(
            self.classes.tolist(), self.recall, self.class_counts, strict=True
        ):
            lines.append(f"{percent(recall):>7}  {count:7}  {label}")
        return "\n".join(lines)

    def to_frame(self) -> "DataFrame":
        """Return the selected features as a pandas data frame: rank, gain, class centers."""
        import pandas

        return pandas.DataFrame(self.feature_columns())

    def plot(self, *, ax: "Axes | None" = None, **line_options: Any) -> "PathDisplay":
        """Draw the score against the number of features, the choice marked.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        **line_options
            Passed to ``Axes.plot``.

        Returns
        -------
        PathDisplay
            See :class:`~centroidal.inspection.PathDisplay`.
        """
        from ..inspection import PathDisplay

        return PathDisplay.from_selection(self, ax=ax, **line_options)

    def plot_bands(
        self, *, max_gap: int = 2, ax: "Axes | None" = None, **line_options: Any
    ) -> "BandsDisplay":
        """Draw the bands in which selected features lie over the class means.

        Parameters
        ----------
        max_gap : int, default=2
            As in `band_columns`.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        **line_options
            Passed to ``Axes.plot``.

        Returns
        -------
        BandsDisplay
            See :class:`~centroidal.inspection.BandsDisplay`.
        """
        from ..inspection import BandsDisplay

        return BandsDisplay.from_selection(self, max_gap=max_gap, ax=ax, **line_options)

    def _repr_html_(self):
        return selection_html(self)

    def __repr__(self):
        return (
            f"<FeatureSelection by {self.method!r}: {self.n_features_to_select} of "
            f"{self.feature_names.size} features, {self.scoring} {self.score:.3f}>"
        )


def _take(found, names):
    """Return attributes by name; None if there is nothing that has them."""
    return None if found is None else {name: getattr(found, name) for name in names}
