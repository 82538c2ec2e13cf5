"""All metrics of unseen samples: those of scikit-learn on the same predictions, with intervals."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from centroidal import ReliefFSelector, SparseCenterClassifier
from centroidal._data import check_labelled
from centroidal.datasets import make_expression
from centroidal.model_selection import METHODS, Method, register_method
from centroidal.model_selection.methods import METRICS, PROBABILITY_SCORES, SCORES, SCORINGS
from centroidal.model_selection.procedures import CentersProcedure, RankedPath, RankedProcedure
from tests.reference.calibration import slow_temper, slow_temperature
from tests.reference.selection import Question, Size, model_of

from ..l2 import select_features

BY_PROBABILITY = ("roc_auc", "average_precision", "neg_log_loss", "neg_brier_score")


def make_samples(n_classes=2, n_samples=60, effect=1.2, seed=0):
    made = make_expression(
        n_samples, 25, n_classes=n_classes, n_informative=4, effect=effect, random_state=seed
    )
    return made.data, made.target


@pytest.fixture(scope="module", params=[2, 3])
def samples(request):
    return make_samples(request.param)


@pytest.fixture(scope="module")
def found(samples):
    return select_features(*samples, n_repeats=2, random_state=0)


@pytest.fixture
def svm():
    """A method whose classifier ranks samples and has no probabilities."""
    register_method(
        Method(
            "svm", "SVM", "a test", "", "", "", "",
            build=lambda kind: RankedProcedure(
                StandardScaler(), ReliefFSelector(), LinearSVC(random_state=0)
            ),
            selects=True,
        )
    )  # fmt: skip
    yield
    del METHODS["svm"]


def test_metrics_are_those_of_scikit_learn_on_the_same_predictions(found):
    n_repeats, _, n_classes = found.probabilities.shape
    shares, true = found.probabilities.reshape(-1, n_classes), np.tile(found.true_codes, n_repeats)
    ranked, taken = shares[:, 1] if n_classes == 2 else shares, found.predicted.ravel()
    expected = {
        "accuracy": metrics.accuracy_score(true, taken),
        "balanced_accuracy": metrics.balanced_accuracy_score(true, taken),
        "f1_macro": metrics.f1_score(true, taken, average="macro"),
        "matthews_corrcoef": metrics.matthews_corrcoef(true, taken),
        "roc_auc": metrics.roc_auc_score(true, ranked, multi_class="ovr"),
        "average_precision": metrics.average_precision_score(true, ranked),
        "log_loss": metrics.log_loss(true, shares),
        "brier_score": metrics.brier_score_loss(true, shares, labels=np.arange(n_classes)),
    }
    assert found.metrics.keys() == expected.keys()
    for name, value in expected.items():
        assert found.metrics[name] == pytest.approx(value, rel=1e-12), name


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
@pytest.mark.parametrize("method", ["l2", "l1", "fisher", "relief"])
def test_probabilities_are_those_of_the_classifier_with_the_chosen_features(
    samples, method, scoring
):
    X, y = samples
    found = select_features(X, y, method=method, scoring=scoring, cv=3, n_repeats=2, random_state=0)
    question = Question.of(X, y, 0, 3, 2)
    for number, (train, test) in enumerate(question.folds):
        choice = found.fold_choices[number]
        size = Size(choice["n_features"], choice["classifier"])
        model = model_of(method, size).fit(X[train], y[train])
        mine, shares = found.probabilities[number // 3, test], model.predict_proba(X[test])
        if scoring == "accuracy":  # calibrated by the other folds of the repeat
            first = number - number % 3
            others = [first + place for place in range(3) if first + place != number]
            known = held_out(found, method, X, y, others, choice["classifier"])
            shares = slow_temper(shares, slow_temperature(*known))
        np.testing.assert_allclose(mine, shares, rtol=1e-5, atol=1e-12)
        assert (mine.argmax(axis=1) == found.predicted[number // 3, test]).all()


def held_out(found, method, X, y, numbers, classifier):
    """Probabilities of the samples of some folds, by models that have not seen them, and codes.

    Models have the number of features that the fold chose, and the one classifier.
    """
    shares, codes = [], []
    for number in numbers:
        train, test = Question.of(X, y, 0, 3, 2).folds[number]
        size = Size(found.fold_choices[number]["n_features"], classifier)
        model = model_of(method, size).fit(X[train], y[train])
        shares.append(model.predict_proba(X[test]))
        codes.append(found.true_codes[test])
    return np.concatenate(shares), np.concatenate(codes)


@pytest.mark.parametrize("scoring", BY_PROBABILITY)
def test_each_metric_chooses_and_is_told(samples, scoring):
    found = select_features(*samples, scoring=scoring, n_repeats=1, random_state=0)
    low, high = found.interval
    assert low <= found.score <= high
    assert found.score > found.majority_score
    # Folds of the same size: the mean over folds of a loss is that of all samples.
    if scoring.startswith("neg_"):
        assert -found.score == pytest.approx(found.metrics[found.metric], rel=1e-9)
        assert f"{METRICS[found.metric].name} {-found.score:.3f} (95 % interval" in found.summary()
        assert "the sizes of the classes alone" in found.summary()
    assert found.score == pytest.approx(np.mean([each["score"] for each in found.fold_choices]))


def test_values_lie_inside_their_intervals_which_never_have_the_width_zero(found):
    assert found.intervals.keys() == found.metrics.keys()
    for name, (low, high) in found.intervals.items():
        assert low <= found.metrics[name] <= high, name
        assert high - low > 0.01, name


def test_perfect_probabilities_do_not_promise_perfection():
    X, y = np.random.default_rng(0).normal(size=(60, 5)), np.arange(60) % 2
    X[:, 0] += 1000.0 * y
    found = select_features(X, y, scoring="roc_auc", n_repeats=1, random_state=0)
    assert found.score == found.metrics["roc_auc"] == 1.0
    assert 0.8 < found.interval[0] < 0.95
    for name, (low, high) in found.intervals.items():
        assert high - low > 0.01, name


def test_table_is_printed(found):
    lines = " ".join(str(found).split())
    for row in found.metric_rows():
        assert " ".join(row) in lines
    assert len(found.metric_rows()) == len(SCORES) + len(PROBABILITY_SCORES)


@pytest.mark.parametrize("scoring", BY_PROBABILITY)
def test_sparse_samples_give_what_dense_ones_give(scoring):
    X, y = make_samples(3)
    X = np.where(np.median(X) < X, X, 0.0)
    procedure, found = CentersProcedure.of(scale="std"), []
    for layout in (np.asarray, sparse.csr_array):
        data = check_labelled(SparseCenterClassifier(), layout(X), y)
        sizes, rows = np.array([1, 5, 25]), np.arange(40, 60)
        fitted = procedure.fit(data, np.arange(40))
        (predicted,) = fitted.predict(data.X, rows, sizes, np.arange(3))
        found.append(predicted.test(data.codes[rows], 3, scoring))
    np.testing.assert_allclose(found[0].values, found[1].values, rtol=1e-10)
    np.testing.assert_array_equal(found[0].confusions, found[1].confusions)


@pytest.mark.parametrize("scoring", BY_PROBABILITY)
def test_jobs_do_not_matter(samples, scoring):
    one, two = (
        select_features(*samples, scoring=scoring, n_repeats=1, random_state=0, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    )
    assert (one.score, one.interval, one.fold_choices) == (
        two.score, two.interval, two.fold_choices,
    )  # fmt: skip
    np.testing.assert_array_equal(one.probabilities, two.probabilities)
    assert one.metrics == two.metrics
    assert one.intervals == two.intervals


def test_order_of_features_does_not_matter(samples):
    X, y = samples
    order = np.random.default_rng(0).permutation(X.shape[1])
    one, other = (
        select_features(each, y, scoring="roc_auc", n_repeats=1, random_state=0)
        for each in (X, X[:, order])
    )
    assert one.path["mean_test_score"] == pytest.approx(other.path["mean_test_score"], rel=1e-9)
    assert one.metrics == pytest.approx(other.metrics, rel=1e-9)


# ------------------------------------------------------------------ groups


def test_groups_widen_intervals_of_all_metrics():
    X, y = make_samples(n_samples=40, effect=0.8)
    copies = np.repeat(np.arange(40), 4)
    rng = np.random.default_rng(0)
    X, y = X[copies] + 0.01 * rng.normal(size=(160, X.shape[1])), y[copies]
    found = select_features(X, y, groups=copies, n_repeats=1, random_state=0)
    alone = select_features(X[::4], y[::4], n_repeats=1, random_state=0)
    for name, ends in found.intervals.items():
        assert np.ptp(ends) > 0.5 * np.ptp(alone.intervals[name]), name


def test_a_class_that_is_not_in_every_fold_is_named():
    X, _ = make_samples(n_samples=60)
    rng = np.random.default_rng(19)
    groups = rng.integers(0, int(rng.integers(6, 12)), 60)
    y = np.where(groups < 4, (rng.random(60) < 0.3).astype(int), 0)  # rare, and in few groups
    options = {"groups": groups, "cv": 4, "n_repeats": 1, "random_state": 0}
    select_features(X, y, **options)
    with pytest.raises(ValueError, match="needs samples of each class in each of cv=4 folds"):
        select_features(X, y, scoring="roc_auc", **options)


def test_blocks_are_scored_by_it(samples):
    X, y = samples
    blocks = np.array(["north", "south", "west"])[np.arange(60) // 20]
    found = select_features(X, y, blocks=blocks, scoring="roc_auc", n_repeats=1, random_state=0)
    for row in found.blocks["rows"]:
        train, test = blocks != row["block"], blocks == row["block"]
        model = SparseCenterClassifier(row["n_features"], scale="within").fit(X[train], y[train])
        shares = model.predict_proba(X[test])
        ranked = model.decision_function(X[test]) if shares.shape[1] == 2 else shares
        expected = metrics.roc_auc_score(y[test], ranked, multi_class="ovr")
        assert row["score"] == pytest.approx(expected, rel=1e-9)


# ------------------------------------------------------------------ without probabilities


def test_decision_values_are_enough_to_rank(svm):
    X, y = make_samples()
    found = select_features(X, y, method="svm", scoring="roc_auc", n_repeats=1, random_state=0)
    assert found.probabilities is None
    assert found.metrics.keys() == SCORES.keys()
    assert 0.6 < found.interval[0] < found.score < found.interval[1]


@pytest.mark.parametrize("scoring", ["neg_log_loss", "neg_brier_score"])
def test_probabilities_that_are_not_there_are_refused(svm, scoring):
    words = f"scoring='{scoring}' must not be asked of method='svm': LinearSVC, .* no predict_proba"
    with pytest.raises(ValueError, match=words):
        select_features(*make_samples(), method="svm", scoring=scoring)


def test_decision_values_rank_where_probabilities_are_one_up_to_rounding():
    line, codes = np.arange(-4.0, 5.0)[:, None], np.arange(9) // 5
    path = RankedPath(
        np.array([0]), [LogisticRegression(C=1e6)], line, codes, np.array([1]), StandardScaler()
    )
    path.scaler.fit(line)
    far = np.array([[100.0], [300.0], [200.0]])
    (found,) = path.predict(far, np.arange(3), np.array([1]), np.array([0]))
    assert (found.probabilities[0, :, 1] == 1.0).all()
    assert found.ranks[0, :, 1].argsort().tolist() == [0, 2, 1]


def test_every_scoring_is_told_in_an_error():
    with pytest.raises(ValueError, match="scoring='log_loss' must be one of .*'neg_log_loss'"):
        select_features(*make_samples(), scoring="log_loss")
    assert set(SCORINGS) >= set(SCORES)
