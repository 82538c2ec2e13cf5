"""Where samples come from, and what the engine asks of them.

A source cuts its samples into folds, counts what the models of all training sets predict, and fits
the final model. `MemorySource` has all samples in memory, `BatchSource` (in `stream_source.py`)
reads them in batches, `DaskSource` (in `dask_source.py`) has them on the workers of a cluster. The
last two make the same three passes over rows, see `fold_passes.py` and `held_out_rows.py`.
"""

from contextlib import suppress
from copy import copy
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from joblib import parallel_config
from scipy.sparse import issparse
from sklearn import config_context

from .._data import rows_of
from .._parameters import number
from .._progress import progress_function
from ..classifiers import ConformalClassifier, CostSensitiveClassifier, FisherSubspace
from ..solvers.conformal import Calibration, HeldOut, count_calls
from ..solvers.fold_centers import FeatureRows, count_folds
from ..solvers.outliers import Training
from ..statistics.threads import row_blocks
from ..streaming.labels import hash_names
from ..streaming.request import texts
from .blocks import Blocks
from .covariates import Covariates
from .learning import draw_fewer, run_learning_curve, score_draw
from .methods import METHODS, DataKind
from .metrics import Tested, loss_moments
from .nested import ChosenPredictions, FoldCounts, Trial
from .panels import PanelProcedure, columns_of_size
from .permutation import Relabelling, run_permutations, try_labelling
from .preparation import Preparation, PreparedSamples, find_examples
from .procedures import RankedPath
from .repeatable import draw_seed, run_jobs, seed_of, take_until_interrupted, thread_limit
from .splits import GivenFolds, Units, check_groups, cut_samples
from .stand_ins import find_stand_ins
from .suspicion import find_suspicions
from .unseen import UnseenSamples, in_row_order

__all__ = ["MemorySource"]

_MOST_IN_PICTURE, _MOST_LEARNED = 200, 20_000  # features, and samples that axes are found by
_SUMMARY_BYTES = 2**28  # that summaries of training sets may take together
_SHARED_BYTES = 2**28  # that all relabellings may have in common of training sets
_check_resamples = number(
    "an int, 0 for none",
    lambda value: value >= 0 and value % 2 == 0,
    "be an even number, or 0 for none",
    Integral,
)


class MemorySource:
    """Samples in memory: training sets are sums of folds where a method has them, else fitted.

    The parameters are those of :func:`select_features`.
    """

    def __init__(
        self, X, y, random_state, n_jobs, progress, *, groups, blocks, impute, preprocess,
        text, n_resamples, feature_names, permutations=None,
        learning_curve=None, covariates=None, folds=None, n_repeats=None,
    ):  # fmt: skip
        _check_resamples("n_resamples", n_resamples)
        self._progress = progress_function(progress, "steps")
        self._asked = {"impute": impute, "preprocess": preprocess, "text": text}
        preparation = Preparation.check(**self._asked)
        self.text = preparation.text_options
        self.seed = seed_of(random_state)
        if y is None:
            raise ValueError("y=None must hold the class of each sample.")
        self._samples = PreparedSamples(X, y, preparation, feature_names)
        self._data = self._samples.data
        if n_resamples and self._data.features.number != self._samples.counted.features.number:
            raise ValueError(
                f"n_resamples={n_resamples} must be 0 where preprocess makes other columns."
            )
        self._groups = check_groups(groups, self._data.codes.size)
        # By the hashes of their names, as batches know them, groups are dealt to the same folds.
        self._ids = None if groups is None else hash_names(np.array(texts(groups), dtype=object))
        self._blocks = Blocks.check(blocks, self._data.codes, self._groups)
        self._covariates = Covariates.check(covariates, self._data.codes.size)
        if self._covariates is not None and preparation.steps:
            raise ValueError("covariates must be None with impute, preprocess or text.")
        self.given_folds = None  # to which samples are dealt here
        if folds is not None:
            self.given_folds = GivenFolds.check(
                folds, self._data.codes.size, n_repeats, self._groups
            )
        self._n_jobs, self._n_resamples = n_jobs, int(n_resamples)
        self._permutations, self._has_curve = permutations, learning_curve is not None
        self._rows = self._gains = None  # of many relabellings, and of one
        self._shared = None  # training sets that many relabellings have in common
        self._n_done = self._n_steps = 0

    def deal_groups_by(self, ids):
        """Deal groups to folds by the ids that another source knew them by; None for no groups."""
        self._ids = ids

    @property
    def data(self):
        """The samples as they were given, checked."""
        return self._samples.given

    @property
    def groups(self):
        """Number of the group of each sample; None if each stands for itself."""
        return self._groups

    @property
    def row_labels(self):
        """Class of each sample, and its group; None if each stands for itself."""
        return self._data.codes, self._groups

    def part(self, rows, seed=None):
        """Return the source of some of the samples, which tells no progress."""
        data, groups = self.data, self._groups
        seed = self.seed if seed is None else seed
        found = MemorySource(
            rows_of(data.X, rows), data.classes[data.codes[rows]], seed, self._n_jobs, None,
            groups=None if groups is None else groups[rows], blocks=None, **self._asked,
            n_resamples=0, feature_names=None,
        )  # fmt: skip
        found.deal_groups_by(None if groups is None else self._ids[rows])
        return found

    def relabel(self, codes):
        """Return the same samples with other labels, the codes, if given; it tells no progress."""
        found = copy(self)
        found._samples = self._samples.relabel(self._data.codes if codes is None else codes)
        found._data, found._n_jobs = found._samples.data, None
        found._progress = progress_function(None, "steps")
        return found

    def relabelling(self, within):
        """Return what may change places where labels are permuted, inside blocks if asked for."""
        blocks = self._blocks.numbers if within == "blocks" else None
        return Relabelling.of(self._data.codes, self._groups, blocks)

    @property
    def gains(self):
        """How well each feature tells the classes apart by itself: its gain for l2 centers."""
        if self._gains is not None:
            return self._gains
        rows = np.arange(self._data.codes.size)
        path = METHODS["l2"].build(self.kind).fit(self._samples.learned_from(rows), rows)
        return path.solution.path.gains

    def test_permutations(self, run, n_folds, candidates):
        """Run the whole selection with permuted labels; None if that was not asked for.

        `run` takes a source and a number of folds and returns the score of what is selected.
        """
        if self._permutations is None:
            return None
        prefer, asked = _prefer(candidates), self._permutations
        (procedure, *others), data = [each.procedure for each in candidates.values()], self._data
        is_alone = not others and procedure.merges and not self._samples.is_learned
        if is_alone and procedure.counts_folds(data):
            self._rows = FeatureRows.of(data.X)
        if self.given_folds is not None and not self._samples.is_learned:
            self._shared = {}  # filled with the labels as they are, before jobs are handed out

        def try_labels(labellings):
            yield try_labelling(run, self, n_folds, next(labellings))
            jobs = ((run, self, n_folds, each) for each in labellings)
            yield from run_jobs(try_labelling, jobs, self._n_jobs, prefer)

        test = run_permutations(self, asked, try_labels, self._step_done)
        self._shared = None
        return test

    def score_covariates(self, run, choice, repeat):
        """Score covariates alone, and features without what they explain; None without any."""
        if self._covariates is None:
            return None
        found = {
            "names": self._covariates.names,
            "score": self._covariates.score(self._data, choice, repeat),
            "adjusted_score": run(self._without_covariates(), repeat.n_folds),
        }
        self._step_done("covariates")
        return found

    def _without_covariates(self):
        """Return the same samples in which covariates are taken out, inside the folds."""
        data, covariates = self.data, self._covariates
        asked = dict.fromkeys(self._asked) | {"preprocess": covariates.remover}
        X, labels = covariates.beside(data.X), data.classes[data.codes]
        found = MemorySource(
            X, labels, self.seed, self._n_jobs, None, groups=self._groups, blocks=None, **asked,
            n_resamples=0, feature_names=None,
        )  # fmt: skip
        found._ids = self._ids  # so that groups are in the same folds
        return found

    def score_fewer(self, run, n_folds, candidates, scoring):
        """Run the whole selection with fewer samples; None if that was not asked for."""
        if not self._has_curve:
            return None

        def score_draws(draws):
            left, scores = list(draws), []

            def take(score):
                scores.append(score)
                self._step_done(f"learning curve, {len(scores)} of {len(draws)}")

            jobs = ((run, self, left.pop(0)) for _ in draws if left)
            results = run_jobs(score_draw, jobs, self._n_jobs, _prefer(candidates))
            if take_until_interrupted(results, take, left.clear):
                with suppress(KeyboardInterrupt):  # again, if Ctrl-C is remembered
                    self._step_done("no more draws", len(draws) - len(scores))
            return scores

        return run_learning_curve(self, score_draws, scoring, n_folds)

    def find_suspicions(self):
        """Look for what would make the score too good."""
        return find_suspicions(self._data, self.feature_names, self._groups, self.seed)

    def score_blocks(self, run, choice):
        """Score each block by what `run` selects without it; None if there are no blocks."""
        if self._blocks is None:
            return None
        rows = []
        for row in self._blocks.score(self, run, choice):
            rows.append(row)
            self._step_done(f"without {row['block']}")
        return self._blocks.describe(rows, self._data.codes, self.seed, self._groups)

    @property
    def kind(self):
        """What methods have to know of the data."""
        data = self._data
        return DataKind(data.features.number, data.classes.size, issparse(data.X), self.seed)

    @property
    def classes(self):
        """Labels."""
        return self._data.classes

    @property
    def class_counts(self):
        """Number of samples of each class."""
        return np.bincount(self._data.codes)

    @property
    def units(self):
        """What is dealt to folds, samples or groups, counted for each class."""
        return Units.of(self.classes, self._data.codes, self._groups)

    @property
    def n_groups(self):
        """Number of groups; None if each sample stands for itself."""
        return None if self._groups is None else int(self._groups.max()) + 1

    in_memory = True
    hides_names = False  # before features are selected

    @property
    def feature_names(self):
        """Names of all features."""
        names, number = self._data.features.names, self._data.features.number
        return np.array([f"x{j}" for j in range(number)] if names is None else names.tolist())

    def cut(self, n_folds, n_repeats, is_nested):
        """Cut the samples into outer folds, again and again."""
        least = 3 if is_nested else 2
        if self.given_folds is not None:
            return self.given_folds.repeats(self.seed)[:n_repeats]
        return cut_samples(self._data, n_folds, n_repeats, self.seed, self._ids, least)

    def check_given_folds(self, is_nested):
        """Raise unless the folds that were given leave enough of each class."""
        self.given_folds.check_classes(self._data.codes, self.classes, is_nested)

    def prepare(self, trials):
        """Count the steps ahead, with those after the folds; raise if a fold cannot be scored."""
        for trial in trials:
            if trial.choice.needs_every_class:
                self._check_folds(trial)
        n_blocks = 0 if self._blocks is None else self._blocks.names.size
        n_permutations = 0 if self._permutations is None else self._permutations.number
        n_draws = len(draw_fewer(self, trials[0].repeat.n_folds)) if self._has_curve else 0
        n_more = bool(self._n_resamples) + (self._covariates is not None)
        n_after = 1 + n_more + n_blocks + n_permutations + n_draws
        self._n_steps = sum(len(_jobs(trial)) for trial in trials) + n_after

    def _check_folds(self, trial):
        """Raise unless each fold has samples of each class."""
        n_classes, n_folds = self.classes.size, trial.repeat.n_folds
        cells = trial.repeat.folds * n_classes + self._data.codes
        counts = np.bincount(cells, minlength=n_folds * n_classes).reshape(n_folds, n_classes)
        if not counts.all():
            label = self.classes.tolist()[int(np.argwhere(counts == 0)[0, 1])]
            raise ValueError(
                f"scoring={trial.choice.scoring!r} needs samples of each class in each of "
                f"cv={n_folds} folds, and class {label!r} is not in all of them. Take fewer folds, "
                "or another score."
            )

    def _step_done(self, what, n_steps=1):
        self._n_done += n_steps
        self._progress(self._n_done, self._n_steps, what)

    def count_predictions(self, trial):
        """Find what scores need of what each training set predicts in the folds it leaves out.

        Inner folds come first, so that of the size that they choose probabilities can be kept.
        """
        if trial.only_score and self._rows is not None and not trial.choice.needs_scores:
            counts = self._count_at_once(trial)
            if counts is not None:
                return counts
        counts = FoldCounts.empty()
        work = _Work(self._samples, trial, _random_centers(self.kind, trial))
        for n_left_out in (2, 1):
            jobs = [job for job in _jobs(trial) if len(job[0]) == n_left_out]
            if trial.only_score and n_left_out == 1:
                jobs = [(each, trial.winner(counts, *each)[0]) for each in dict(jobs)]
            for start in range(0, len(jobs), self._n_sets_at_a_time):
                self._run_jobs(work, jobs[start : start + self._n_sets_at_a_time], counts)
        return counts

    def _count_at_once(self, trial):
        """Do so for l2 centers of all training sets together; None if one has no row of a class."""
        counts, data, repeat = FoldCounts.empty(), self._data, trial.repeat
        ((key, candidate),) = trial.candidates.items()
        sets = [*trial.training_sets, ()]
        found = count_folds(
            self._rows, data.codes, data.classes.size, repeat.folds, sets, candidate.sizes
        )
        if found is None:
            return None
        self._gains = found.roots[-1] ** 2
        for left_out, tested in zip(sets[:-1], found.counts[:-1], strict=True):
            mine = slice(None)
            if len(left_out) == 2:
                mine = trial.choice.positions(candidate.sizes)
            parts = [Tested(tested[mine, fold]) for fold in range(len(left_out))]
            _Found(parts).add_to(counts, left_out, key)
        return counts

    def _run_jobs(self, work, jobs, counts):
        """Add what some training sets predict to the counts."""
        summaries = self._summaries(work, jobs)
        tasks = ((work, *job, _choose_inside(work, counts, *job), summaries[job]) for job in jobs)
        found = run_jobs(_predict, tasks, self._n_jobs, _prefer(work.trial.candidates))
        for (left_out, key), predicted in zip(jobs, found, strict=True):
            predicted.add_to(counts, left_out, key)
            self._step_done(f"{key or 'random features'}, {work.trial.repeat.name_folds(left_out)}")

    @property
    def _n_sets_at_a_time(self):
        kind = self.kind
        return max(1, _SUMMARY_BYTES // (16 * kind.n_classes * kind.n_features))

    def _summaries(self, work, jobs):
        """Find what one pass can find for all training sets of a method; None where nothing can."""
        summaries = dict.fromkeys(jobs)
        if self._samples.is_learned:
            return summaries
        if self._shared is not None:
            summaries |= {job: self._share(work, *job) for job in jobs}
        for key in {key for _, key in jobs}:
            mine = [job for job in jobs if job[1] == key]
            sets = [left_out for left_out, _ in mine]
            found = work.procedure(key).summarise_sets(self._data, work.trial.repeat.folds, sets)
            if found is not None:
                summaries.update(zip(mine, found, strict=True))
        return summaries

    def _share(self, work, left_out, key):
        """Return what all relabellings have in common of a training set, if it can be kept."""
        job, n_bytes = (left_out, key), sum(each.n_bytes for each in self._shared.values())
        if job not in self._shared and n_bytes < _SHARED_BYTES:
            train = work.trial.repeat.rows_without(*left_out)
            found = work.procedure(key).share(self._samples.for_model, train)
            if found is None:
                return None
            self._shared[job] = found
        return self._shared.get(job)

    def fit_final(self, candidate, scores, choice, calibrates=True):
        """Fit what was chosen to all samples, and calibrate it by those that were held out."""
        data, repeats = self._samples.for_model, scores.held_out() if calibrates else None
        with thread_limit("threads" if candidate.uses_threads else None):
            final = candidate.procedure.fit_final(data, scores.n_features)
        self._step_done("all samples")
        model = final.model
        if repeats is not None and hasattr(model, "predict_proba"):
            columns = np.sort(final.ranking[: final.number_of(scores.n_features)])
            training = Training.of(data, np.arange(data.codes.size), columns)
            calibrates = not choice.needs_probabilities
            calibration = Calibration.of([HeldOut.join(each) for each in repeats], calibrates)
            model = ConformalClassifier.of_fitted(model, training, calibration)
            final = final._replace(calls=count_calls(repeats[0], calibrates))
        model = self._samples.pipeline(model)
        if choice.costs is not None:
            model = CostSensitiveClassifier.of_fitted(model, choice.costs)
        return final._replace(model=model)

    def tell_unseen(self, scores, described):
        """Tell all metrics of unseen samples, and their intervals."""
        return UnseenSamples(self, scores.outcome, described).tell(scores.score)

    def describe_samples(self, candidate, scores, final, repeats):
        """Tell what is known of each sample: class, predicted class, place in a picture."""
        n_features, folds = scores.n_features, np.array([each.folds for each in repeats])
        found = in_row_order(scores.predictions, folds, self._data.codes, self.classes.size)
        shown = final.ranking[: min(final.number_of(n_features), _MOST_IN_PICTURE)]
        if self.text is not None:
            documents, is_known = self.data.X, found["predicted"][0] == self._data.codes
            examples = find_examples(documents, self._data, self.feature_names, shown, is_known)
            self.text["examples"] = examples
        return found | {
            "subspace": _subspace(self._data, shown),
            "stability": self._stability(candidate, n_features) if self._n_resamples else None,
        }

    def find_stand_ins(self, candidate, choice, found, most):
        """Find what could take the place of selected features; see `stand_ins.py`."""
        candidate = candidate._replace(procedure=candidate.procedure.take(found.scores.classifier))
        selected = found.final.ranking[: found.final.number_of(found.scores.n_features)]
        error = found.scores.results()["se_score"]
        return find_stand_ins(
            self._samples, candidate, choice, found.repeats, selected, found.final, found.panel,
            most, error,
        )  # fmt: skip

    def _stability(self, candidate, n_features):
        """Select again from halves of the samples."""
        from .stability import StabilitySelector

        stability = StabilitySelector(
            self._samples.before(candidate.procedure.selector(n_features)),
            n_resamples=self._n_resamples,
            n_jobs=self._n_jobs,
            random_state=draw_seed(np.random.RandomState(self.seed)),
        )
        with parallel_config(prefer="threads" if candidate.uses_threads else None):
            stability.fit(self._samples.counted.X, self.data.codes, groups=self._groups)
        self._step_done("resamples")
        return stability


# ------------------------------------------------------------------ one training set


class _Work(NamedTuple):
    """What all jobs have in common."""

    samples: PreparedSamples
    trial: Trial
    random_centers: Any  # the procedure that random features are tried with

    def procedure(self, key):
        """Return the procedure of a method; None stands for random features."""
        return self.random_centers if key is None else self.trial.candidates[key].procedure


def _prefer(candidates):
    """Return what jobs had better run in: loops that release the GIL need no processes."""
    return "threads" if all(each.uses_threads for each in candidates.values()) else None


def _jobs(trial):
    """List what to fit: the folds that a training set leaves out, and a method.

    Random features are tried with the centers of a method that has them, or by themselves under the
    key None, and have no part in what the inner folds choose.
    """
    alone = () if trial.only_score or trial.centers_key is not None else (None,)
    return [
        (left_out, key)
        for left_out in trial.training_sets
        for key in (*(alone if len(left_out) == 1 else ()), *trial.candidates)
    ]


def _random_centers(kind, trial):
    key, first = trial.centers_key, next(iter(trial.candidates.values())).procedure
    if key is not None:
        return trial.candidates[key].procedure
    centers = METHODS["l2"].build(kind)
    is_panel = isinstance(first, PanelProcedure)
    return first._replace(procedure=centers) if is_panel else centers


class _Found(NamedTuple):
    """What a training set predicts in the folds it leaves out, as far as it is asked for."""

    tested: list  # of each of them
    at_random: Tested | None = None
    chosen: ChosenPredictions | None = None

    def add_to(self, counts, left_out, key):
        """Put it into the counts of all training sets."""
        if len(left_out) == 2:
            one, other = left_out
            counts.inner[other, one, key], counts.inner[one, other, key] = self.tested
            return
        (fold,) = left_out
        if self.at_random is not None:
            counts.at_random[fold] = self.at_random
        if key is not None:
            (counts.outer[fold, key],) = self.tested
            counts.chosen[fold, key] = self.chosen


def _choose_inside(work, counts, left_out, key):
    """Return the position of the size that inner folds choose; None in these themselves."""
    if len(left_out) == 2 or key is None:
        return None
    return work.trial.choose_inside(counts, *left_out, key).position


def _predict(work, *job):
    """Do a job; what was checked when it was given is not checked in each fit."""
    is_known = not work.samples.is_learned
    with config_context(assume_finite=is_known, skip_parameter_validation=is_known):
        return _predict_set(work, *job)


def _predict_set(work, left_out, key, position, summary):
    """Fit a method to a training set, and find what scores need of the folds that it leaves out.

    Random features are tried where the method is the one to try them with.
    """
    data, path = _fit(work, left_out, key, summary)
    trial, test = work.trial, work.trial.repeat.rows(*left_out)
    has_random = len(left_out) == 1 and key == trial.centers_key and not trial.only_score
    sizes = trial.all_sizes if has_random else trial.sizes_of(key, left_out)
    mine = np.arange(sizes.size)
    if has_random and key is not None:
        mine = np.searchsorted(sizes, trial.candidates[key].sizes)
    orders = {}
    if has_random:
        orders["orders"] = trial.random_orders(*left_out, data.X.shape[1])
    ask = _score_set if trial.choice.needs_scores else _count_set
    if trial.only_score and position is not None:  # of which no other model has a part in the score
        if isinstance(path, RankedPath):
            path, sizes, position = path.take_model(sizes, position), sizes[[position]], 0
        mine, position = np.array([position]), None
    places = None
    if position is not None:  # of a size, all classifiers
        n_classifiers = len(work.procedure(key).classifiers)
        size, number = divmod(position, n_classifiers)
        places = mine[size * n_classifiers :][:n_classifiers]
    tested, drawn, parts = ask(trial, data, path, left_out, test, sizes, places, orders)
    at_random, chosen = Tested.stack(drawn) if has_random else None, None
    if key is None:
        return _Found([], at_random)
    if parts and places is not None:
        columns = np.sort(columns_of_size(path, sizes[places[number]]))
        chosen = _keep(trial, data, columns, left_out, parts, number)
    return _Found([each.take_models(mine) for each in tested], at_random, chosen)


def _count_set(trial, data, path, left_out, test, sizes, places, orders):
    """Count what is predicted, of some rows after the other; of models at some places keep more."""
    codes, n_classes = data.codes[test], data.classes.size
    cells, n_cells = codes, n_classes * len(left_out)
    if len(left_out) == 2:
        cells = codes + n_classes * (trial.repeat.folds[test] == left_out[1])
    options, parts = dict(orders), []
    if places is not None:
        options["kept"] = places
        options["see"] = lambda _, found: parts.append(found.take_models(places))
    own, *drawn = path.count(data.X, test, cells, (n_cells, n_classes), sizes, **options)
    own = own.reshape(sizes.size, len(left_out), n_classes, n_classes)
    tested = [Tested(own[:, number]) for number in range(len(left_out))]
    return tested, [Tested(each) for each in drawn], parts


def _score_set(trial, data, path, left_out, test, sizes, places, orders):
    """Find the same where every model has to say how probable the classes are."""
    codes, n_classes, choice = data.codes[test], data.classes.size, trial.choice
    found = path.predict(data.X, test, sizes, np.arange(sizes.size), **orders)
    own, *drawn = (each.decide(choice.costs) for each in found)
    folds = trial.repeat.folds[test]
    samples = [np.flatnonzero(folds == fold) for fold in left_out]
    tested = [own.take(each).test(codes[each], n_classes, choice.scoring) for each in samples]
    at_random = [each.test(codes, n_classes, choice.scoring) for each in drawn]
    return tested, at_random, [] if places is None else [own.take_models(places)]


def _keep(trial, data, columns, left_out, parts, number):
    """Return what the chosen one of some classifiers predicts, given all samples in parts.

    Of each classifier is kept what calibration needs; how unlike others samples are, once of each.
    """
    test = trial.repeat.rows(*left_out)
    codes, chosen = data.codes[test], np.concatenate([each.codes[number] for each in parts])
    if parts[0].probabilities is None:
        return ChosenPredictions(chosen, None, None, columns.size)
    measured = ()
    if trial.repeat.number == 0:
        train = trial.repeat.rows_without(*left_out)
        measured = Training.of(data, train, columns).measure(data.X, test)
    shares = np.concatenate([each.probabilities for each in parts], axis=1)
    held_out = tuple(HeldOut(each, codes, *measured) for each in shares)
    losses = loss_moments(shares[number], codes)
    return ChosenPredictions(chosen, shares[number], losses, columns.size, held_out)


def _fit(work, left_out, key, summary):
    procedure = work.procedure(key)
    train = work.trial.repeat.rows_without(*left_out)
    if summary is not None:
        data = work.samples.for_model
        return data, procedure.fit_summary(data, summary, train)
    data = work.samples.learned_from(train)
    return data, procedure.fit(data, train)


# ------------------------------------------------------------------ a picture


def _subspace(data, columns):
    """Place samples by Fisher directions, and a principal component beside a single one.

    Of many samples some are learned from, and all are placed.
    """
    X = data.X[:, columns]
    some = _some_of_each_class(data.codes)
    Z = _dense(X[some])
    center, spread = Z.mean(axis=0), Z.std(axis=0)
    if not spread.any():
        return np.zeros((data.codes.size, 2))
    scale = np.where(spread > 0.0, spread, 1.0)
    axes = _picture_axes((Z - center) / scale, data.codes[some])
    blocks = row_blocks(*X.shape)
    return np.concatenate([(_dense(X[rows]) - center) / scale @ axes for rows in blocks])


def _dense(X):
    return X.toarray() if issparse(X) else X.astype(float, order="C")


def _some_of_each_class(codes):
    step = -(-codes.size // _MOST_LEARNED)
    by_class = np.argsort(codes, kind="stable")
    return np.union1d(by_class[::step], np.unique(codes, return_index=True)[1])


def _picture_axes(Z, codes):
    """Two directions in the space of scaled features."""
    fisher = FisherSubspace().fit(Z, codes).axes_[:, :2]
    if fisher.shape[1] == 2:
        return fisher
    first = fisher[:, 0] if fisher.size else np.zeros(Z.shape[1])  # if the means are the same
    values = Z @ first
    direction = np.linalg.lstsq(Z, values - values.mean(), rcond=None)[0]
    length = np.linalg.norm(direction)
    direction = direction / length if length > 0.0 else direction
    beside = Z - np.outer(Z @ direction, direction)
    largest = np.linalg.svd(beside, full_matrices=False)[2][0]
    return np.column_stack([first, largest - direction * (direction @ largest)])
