import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, norm
from sklearn import metrics as sk
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from centroidal import SparseCenterClassifier
from centroidal.io import evaluate_model, read_table
from centroidal.model_selection.methods import PROBABILITY_SCORES, SCORES
from centroidal.persistence import save_model

NAMES = np.array(["ash", "elm", "oak", "yew"])
PROMISE = {"scoring": "accuracy", "score": 0.95, "interval": [0.91, 0.98], "target": "tree"}


def make_samples(n_samples=120, n_classes=3, shift=1.5, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_classes, size=n_samples)
    X = np.round(rng.normal(size=(n_samples, 5)) + shift * np.eye(n_classes, 5)[codes], 1)
    return X, NAMES[codes]


def make_frame(X, y=None):
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(X.shape[1])])
    return frame if y is None else frame.assign(tree=y)


def fit(n_classes=3, **options):
    return SparseCenterClassifier(3).fit(*make_samples(n_classes=n_classes, **options))


# ------------------------------------------------------------------ scores


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("shift", [0.3, 1.5, 30.0])
def test_scores_are_those_of_scikit_learn(n_classes, shift):
    model = fit(n_classes, shift=shift)
    X, y = make_samples(150, n_classes, shift=1.5, seed=1)
    found = evaluate_model(model, X, y, n_bootstrap=10)
    labels, shares = model.predict(X), model.predict_proba(X)
    second = shares[:, 1] if n_classes == 2 else shares
    ranked_y = y == model.classes_[1] if n_classes == 2 else y
    expected = {
        "accuracy": sk.accuracy_score(y, labels),
        "balanced_accuracy": sk.balanced_accuracy_score(y, labels),
        "f1_macro": sk.f1_score(y, labels, average="macro"),
        "matthews_corrcoef": sk.matthews_corrcoef(y, labels),
        "roc_auc": sk.roc_auc_score(ranked_y, second, multi_class="ovr"),
        "average_precision": sk.average_precision_score(ranked_y, second),
        "log_loss": sk.log_loss(y, shares),
        "brier_score": sk.brier_score_loss(y, shares, labels=model.classes_),
    }
    assert list(found.metrics) == [*SCORES, *PROBABILITY_SCORES] == list(expected)
    for name, value in expected.items():
        assert found.metrics[name] == pytest.approx(value, rel=1e-12, abs=1e-12), name
    np.testing.assert_array_equal(found.confusion, sk.confusion_matrix(y, labels))


def test_ties_of_probabilities_do_not_depend_on_the_order_of_the_samples():
    X, y = make_samples(200, 2, shift=0.5)
    X = np.round(X)
    model = SparseCenterClassifier(1).fit(X, y)
    order = np.random.default_rng(3).permutation(200)
    here, there = (evaluate_model(model, X[o], y[o], n_bootstrap=5) for o in (order, order[::-1]))
    assert np.unique(model.predict_proba(X)[:, 1]).size < 20
    for name, value in here.metrics.items():
        assert there.metrics[name] == pytest.approx(value, rel=1e-12), name


def test_a_model_without_probabilities_is_scored_by_its_labels():
    X, y = make_samples()
    found = evaluate_model(LinearSVC().fit(X, y), X, y, n_bootstrap=50)
    assert list(found.metrics) == list(found.intervals) == list(SCORES)


def test_a_class_without_samples_leaves_out_what_needs_every_class():
    model, (X, y) = fit(), make_samples(seed=1)
    found = evaluate_model(model, X[y != "oak"], y[y != "oak"], n_bootstrap=50)
    assert np.isnan([found.metrics["roc_auc"], found.metrics["average_precision"]]).all()
    assert found.intervals["roc_auc"] is None
    assert found.intervals["log_loss"] is not None
    assert found.remarks == (
        "No sample is of class 'oak', so ROC AUC and average precision are not defined.",
    )
    assert found.recall[2] != found.recall[2]


# ------------------------------------------------------------------ intervals


def test_the_interval_of_accuracy_agrees_with_the_binomial_distribution():
    model, (X, y) = fit(), make_samples(1000, seed=1)
    found = evaluate_model(model, X, y, n_bootstrap=5000)
    share = found.metrics["accuracy"]
    low, high = found.intervals["accuracy"]
    half = 1.96 * np.sqrt(share * (1 - share) / 1000)
    assert low == pytest.approx(share - half, abs=0.003)
    assert high == pytest.approx(share + half, abs=0.003)


def test_intervals_of_probabilities_are_percentiles_of_resamples_with_the_tails_of_student():
    model, (X, y) = fit(2), make_samples(60, 2, seed=1)
    found = evaluate_model(model, X, y, n_bootstrap=4000)
    shares, rng, areas = model.predict_proba(X)[:, 1], np.random.default_rng(9), []
    for _ in range(2000):
        rows = rng.integers(60, size=60)
        areas.append(sk.roc_auc_score(y[rows], shares[rows]))
    tail = norm.cdf(-np.sqrt(60 / 59) * 2.0009953780883)
    np.testing.assert_allclose(
        found.intervals["roc_auc"], np.quantile(areas, [tail, 1.0 - tail]), atol=0.01
    )


def test_intervals_of_counted_scores_need_no_resamples():
    model, (X, y) = fit(2), make_samples(60, 2, seed=1)
    found = evaluate_model(model, X, y, n_bootstrap=1)
    hits = int(np.sum(model.predict(X) == y))
    expected = binomtest(hits, 60).proportion_ci(method="wilson")
    assert found.intervals["accuracy"] == pytest.approx((expected.low, expected.high))
    for name in SCORES:
        low, high = found.intervals[name]
        assert low < found.metrics[name] < high


def test_copies_of_samples_do_not_narrow_intervals_if_they_are_groups():
    model, (X, y) = fit(), make_samples(100, seed=1)
    alone = evaluate_model(model, X, y)
    rows = np.repeat(np.arange(100), 4)
    copies = evaluate_model(model, X[rows], y[rows], groups=rows)
    blind = evaluate_model(model, X[rows], y[rows])
    assert (copies.n_groups, alone.n_groups) == (100, None)
    for name, interval in alone.intervals.items():
        np.testing.assert_allclose(copies.intervals[name], interval, rtol=1e-9)
    widths = [np.diff(each.intervals["accuracy"])[0] for each in (blind, alone)]
    assert widths[0] < 0.6 * widths[1]


@pytest.mark.parametrize("is_grouped", [False, True])
def test_many_samples_need_no_resamples(is_grouped, monkeypatch):
    model, (X, y) = fit(), make_samples(900, seed=1)
    groups = np.arange(900) // 3 if is_grouped else None
    drawn = evaluate_model(model, X, y, groups=groups).intervals
    monkeypatch.setattr("centroidal.io.evaluation._MANY", 800)
    found = evaluate_model(model, X, y, groups=groups, n_bootstrap=1).intervals
    for name, (low, high) in drawn.items():
        np.testing.assert_allclose(found[name], (low, high), atol=0.1 * (high - low))


def test_many_samples_that_lack_a_class_have_intervals_of_what_needs_no_class(monkeypatch):
    monkeypatch.setattr("centroidal.io.evaluation._MANY", 50)
    model, (X, y) = fit(), make_samples(seed=1)
    found = evaluate_model(model, X[y != "oak"], y[y != "oak"])
    assert found.intervals["roc_auc"] is None
    low, high = found.intervals["log_loss"]
    assert low < found.metrics["log_loss"] < high


def test_the_same_seed_gives_the_same_intervals():
    model, (X, y) = fit(), make_samples(seed=1)
    first, again, other = (evaluate_model(model, X, y, random_state=seed) for seed in (4, 4, 5))
    assert first.intervals == again.intervals != other.intervals


def test_a_class_of_one_sample_is_in_every_resample():
    model, (X, y) = fit(), make_samples(seed=1)
    rows = np.r_[np.flatnonzero(y != "oak"), np.flatnonzero(y == "oak")[:1]]
    found = evaluate_model(model, X[rows], y[rows], n_bootstrap=500)
    assert None not in found.intervals.values()
    assert np.isfinite(list(found.intervals.values())).all()


def test_many_classes_of_one_sample_have_intervals_of_what_needs_no_class():
    rng = np.random.default_rng(0)
    codes = np.r_[np.arange(40), np.zeros(20, dtype=int)]
    X = rng.normal(size=(60, 5)) + np.r_[np.zeros(40), np.ones(20)][:, None]
    model = SparseCenterClassifier(3).fit(np.r_[X, X + 0.3], np.r_[codes, codes])
    found = evaluate_model(model, X, codes, n_bootstrap=100)
    low, high = found.intervals["accuracy"]
    assert low < found.metrics["accuracy"] < high
    assert np.isfinite(found.metrics["roc_auc"])
    assert found.intervals["roc_auc"] is None
    assert (
        "no interval of ROC AUC, average precision: some resamples lack a class"
        in (found.remarks[0])
    )


def test_all_right_is_no_interval_of_width_zero():
    X, y = make_samples(shift=50.0)
    found = evaluate_model(SparseCenterClassifier(3).fit(X, y), X[:40], y[:40])
    assert found.metrics["accuracy"] == 1.0
    assert found.intervals["accuracy"] == pytest.approx((1 / (1 + 1.96**2 / 40), 1.0), abs=1e-4)
    for name in SCORES:
        low, high = found.intervals[name]
        assert 0.7 < low < high == 1.0
    assert found.intervals["roc_auc"] is None
    assert "There is no interval of ROC AUC, " in found.remarks[0]
    assert "accuracy 100.0 % (95 % interval 91.2 to 100.0 %) on 40 samples" in found.summary()


def test_one_group_has_no_interval():
    model, (X, y) = fit(), make_samples(seed=1)
    found = evaluate_model(model, X, y, groups=["p"] * 120)
    assert set(found.intervals.values()) == {None}
    assert found.remarks == ("There are no intervals: all comes from one group.",)
    assert "interval" not in found.summary()
    assert "in 1 group." in found.summary()


# ------------------------------------------------------------------ tables, frames, labels


def test_columns_are_found_by_name():
    X, y = make_samples(seed=1)
    model = fit()
    model.feature_names_in_ = np.array([f"g{j}" for j in range(5)], dtype=object)
    by_order = evaluate_model(model, X, y)
    frame = make_frame(X)[["g4", "g2", "g0", "g3", "g1"]]
    table = read_table(make_frame(X, y).iloc[:, ::-1], target="tree")
    for found in (evaluate_model(model, frame, y), evaluate_model(model, table)):
        assert found.metrics == by_order.metrics
        assert found.intervals == by_order.intervals


def test_missing_values_are_filled_in_by_the_model_or_refused():
    X, y = make_samples()
    frame = make_frame(X.copy())
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    model = make_pipeline(imputer, SparseCenterClassifier(3)).fit(frame, y)
    frame.iloc[0, 0] = np.nan
    found = evaluate_model(model, frame, y)
    assert "1 value is missing, in 1 feature; the model fills them in." in found.remarks
    with pytest.raises(ValueError, match="fitted without an imputer"):
        evaluate_model(SparseCenterClassifier(3).fit(make_frame(X), y), frame, y)


def test_labels_that_the_model_does_not_know_are_named():
    model, (X, y) = fit(), make_samples(n_classes=4, seed=1)
    with pytest.raises(ValueError, match="1 label that the model does not know, in .*: 'yew'. It"):
        evaluate_model(model, X, y)


def test_numbers_are_the_same_labels_as_their_texts():
    X, y = make_samples()
    texts = np.where(y == "ash", "7", np.where(y == "elm", "8", "10"))
    model = SparseCenterClassifier(3).fit(X, texts)
    assert evaluate_model(model, X, texts.astype(int)).metrics == (
        evaluate_model(model, X, texts).metrics
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"y": None}, "y=None must be the labels"),
        ({"y": ["ash"] * 3}, r"y of shape \(3,\) must hold a label for each of 120 samples"),
        ({"groups": ["a"] * 3}, r"groups of shape \(3,\) must hold one group"),
        ({"groups": [None, *["a"] * 119]}, "groups has no value for 1 of 120 samples"),
        ({"n_bootstrap": 0}, "n_bootstrap=0 must be at least 1"),
    ],
)
def test_wrong_parameters_are_named(options, words):
    X, y = make_samples()
    with pytest.raises(ValueError, match=words):
        evaluate_model(fit(), X, **({"y": y} | options))


# ------------------------------------------------------------------ what was promised


@pytest.fixture
def promising(tmp_path):
    """Write a model file with some metadata; return its name and that of a table."""

    def write(shift=1.5, **metadata):
        frame = make_frame(*make_samples(shift=shift, seed=1))
        frame.to_csv(tmp_path / "new.csv", index=False)
        model = SparseCenterClassifier(3).fit(make_frame(make_samples()[0]), make_samples()[1])
        save_model(model, tmp_path / "m.skops", metadata=metadata, force=True)
        return tmp_path / "m.skops", read_table(tmp_path / "new.csv", target="tree")

    return write


def test_the_promise_of_the_file_stands_beside_what_was_found(promising):
    found = evaluate_model(*promising(shift=3.0, **PROMISE))
    assert found.promised == {"scoring": "accuracy", "score": 0.95, "interval": (0.91, 0.98)}
    assert not found.same_table
    assert found.summary().startswith("accuracy ")
    assert found.summary().endswith(
        "on 120 samples; the model file promised 95.0 % (95 % interval 91.0 to 98.0 %)."
    )
    assert found.summary() in str(found)
    assert all(" ".join(row) in " ".join(str(found).split()) for row in found.rows())
    assert repr(found).startswith("<Evaluation: 120 samples, accuracy 0.")


def test_a_promise_that_was_not_kept_is_said(promising):
    found = evaluate_model(*promising(shift=0.2, **PROMISE))
    assert found.summary().endswith("91.0 to 98.0 %), which is more than the interval found.")


def test_the_promised_score_is_the_one_that_is_told(promising):
    found = evaluate_model(*promising(scoring="f1_macro", score=0.5, interval="wide"))
    assert found.summary().startswith(f"mean F1 {found.metrics['f1_macro']:.3f} (95 % interval 0.")
    assert found.summary().endswith("the model file promised 0.500.")


def test_a_promised_loss_is_told_as_a_positive_number(promising):
    card = {"scoring": "neg_log_loss", "score": -0.01, "interval": [-0.02, -0.005]}
    found = evaluate_model(*promising(shift=1.0, **card))
    assert found.summary().startswith(f"log loss {found.metrics['log_loss']:.3f} (95 % interval 0.")
    assert found.summary().endswith(
        "the model file promised 0.010 (95 % interval 0.005 to 0.020), which is less than the "
        "interval found."
    )


@pytest.mark.parametrize("is_merged", [False, True])
def test_the_table_of_training_is_no_evidence(promising, is_merged):
    digest = promising()[1].digest
    metadata = {"sources": [{"digest": "0"}, {"digest": digest}]} if is_merged else PROMISE
    found = evaluate_model(*promising(**({"digest": digest} | metadata)))
    assert found.same_table
    assert found.summary().endswith(
        "The model was trained on this very table: that is no evidence."
    )


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"scoring": "accuracy"},
        {"scoring": ["accuracy"], "score": 0.9},
        {"scoring": "beauty", "score": 0.9},
        {"scoring": "accuracy", "score": "very good", "sources": "here", "digest": None},
    ],
)
def test_a_file_that_promises_nothing_usable_is_evaluated_without(promising, metadata):
    found = evaluate_model(*promising(**metadata))
    assert found.promised is None
    assert not found.same_table
    assert "promise" not in found.summary()
