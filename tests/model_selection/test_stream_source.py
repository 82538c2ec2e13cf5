import os
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score
from sklearn.pipeline import Pipeline

from centroidal import ConformalClassifier, SparseCenterClassifier
from centroidal.model_selection import held_out_rows
from centroidal.model_selection.methods import SCORES
from centroidal.model_selection.splits import GroupFolds, Groups, RowFolds, training_sets
from centroidal.persistence import load_model, read_model_card, save_model
from centroidal.solvers.calibration import fit_temperature, temper
from centroidal.streaming import batches, fit_batches
from centroidal.streaming.labels import hash_names
from tests.streaming import children
from tests.streaming.test_batches import (
    add_column,
    damage,
    write_csr_npz,
    write_folder,
    write_h5ad,
    write_npy,
    write_text,
)
from tests.streaming.test_fit_batches import watch_progress

from ..l2 import select_features
from ..reference.folds import slow_folds
from ..reference.selection import model_of
from ..reference.selection_stream import slow_selection

pytestmark = pytest.mark.usefixtures("without_background")
SEED = 3
N_ROWS, N_FEATURES = 90, 9


def make_data(n_rows=N_ROWS, n_features=N_FEATURES, strength=1.0):
    """Samples of which two features tell three classes apart, none of them perfectly."""
    rng = np.random.default_rng(5)
    codes = rng.choice(3, size=n_rows, p=[0.5, 0.3, 0.2])
    X = rng.normal(size=(n_rows, n_features))
    X *= rng.random(X.shape) < 0.8
    X[:, 2] += strength * (codes == 0)
    X[:, 4] -= 1.5 * strength * (codes == 2)
    return X, np.array(["a", "b", "c"])[codes]


@pytest.fixture
def data():
    return make_data()


@pytest.fixture
def folder(tmp_path, data):
    return write_folder(tmp_path / "parts", *data, cuts=(20, 45, 70), group=9)


def open_folder(folder, batch_size=16):
    return batches(folder, target="kind", drop="sample", batch_size=batch_size)


def found_in(selection):
    """All that is found, as arrays and plain values by name; times do not count."""
    found = {name: value for name, value in vars(selection).items() if name != "seconds"}
    model = found.pop("model")
    found |= {f"path {name}": column for name, column in found.pop("path").items()}
    found |= {f"random {name}": column for name, column in found.pop("random_path").items()}
    return found | fitted_state(model)


def fitted_state(model):
    """What a model has learned, by name; that of what is inside as well."""
    found = {"parameters": str(model.get_params())}
    for name, value in vars(model).items():
        if name == "estimator_":
            found |= {f"inside {each}": state for each, state in fitted_state(value).items()}
        elif hasattr(value, "_fields") and name.endswith("_"):
            parts = value._asdict().items()
            found |= {f"{name} {each}": part for each, part in parts if each != "usual"}
            found |= {f"{name} usual": [*getattr(value, "usual", ())]}
        elif name.endswith("_"):
            found[name] = value
    return found


def conformal_in(model):
    """What calibrates, wherever it is in a model."""
    while not isinstance(model, ConformalClassifier):
        model = model[-1] if isinstance(model, Pipeline) else model.estimator_
    return model


def assert_same(first, second):
    """Equal to the bit."""
    first, second = found_in(first), found_in(second)
    assert first.keys() == second.keys()
    assert len(first) > 50
    for name in first:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)


# ------------------------------------------------------------------ folds


@pytest.mark.parametrize("n_folds", [2, 3, 5, 8])
def test_folds_are_those_of_the_slow_deal(n_folds):
    codes = np.random.default_rng(0).choice(3, size=101, p=[0.7, 0.2, 0.1])
    folds = RowFolds(n_folds, SEED, np.bincount(codes)).folds_of(codes, np.zeros(3, dtype=int))
    np.testing.assert_array_equal(folds, slow_folds(codes.tolist(), n_folds, SEED))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    codes=st.lists(st.integers(0, 2), min_size=1, max_size=60),
    n_folds=st.integers(2, 7),
    cuts=st.lists(st.integers(0, 60), max_size=4),
    seed=st.integers(0, 2**32 - 1),
)
def test_folds_do_not_depend_on_the_cut(codes, n_folds, cuts, seed):
    codes = np.array(codes)
    deal = RowFolds(n_folds, seed, np.bincount(codes, minlength=3))
    whole = deal.folds_of(codes, np.zeros(3, dtype=int))
    n_before, parts = np.zeros(3, dtype=int), []
    for part in np.split(codes, sorted(min(cut, codes.size) for cut in cuts)):
        parts.append(deal.folds_of(part, n_before))
        n_before += np.bincount(part, minlength=3)
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    for code in range(3):
        counts = np.bincount(whole[codes == code], minlength=n_folds)
        assert np.ptp(counts) <= 1
    assert np.ptp(np.bincount(whole, minlength=n_folds)) <= 1


def test_folds_are_drawn_by_the_seed_and_for_each_class_anew():
    codes = np.repeat([0, 1], 1000)
    nothing = np.zeros(2, dtype=int)
    counts = np.bincount(codes)
    first, second = (RowFolds(5, seed, counts).folds_of(codes, nothing) for seed in (1, 2))
    assert 0.1 < np.mean(first == second) < 0.3
    assert 0.1 < np.mean(first[:1000] == first[1000:]) < 0.3
    orders = {tuple(run) for run in first.reshape(-1, 5).tolist()}
    assert len(orders) > 100  # of 120


@settings(max_examples=30, deadline=None, derandomize=True)
@given(n_groups=st.integers(9, 60), n_folds=st.integers(3, 5), seed=st.integers(0, 2**32 - 1))
def test_groups_of_a_class_are_spread_over_folds(n_groups, n_folds, seed):
    names = np.array([f"p{i}" for i in range(n_groups)], dtype=object)
    codes = np.maximum(0, np.arange(n_groups) % 3 - (np.arange(n_groups) >= 9))
    groups = Groups.count(hash_names(names), codes, 3)
    deal = GroupFolds.deal(min(n_folds, 3), seed, groups, np.arange(3), least=3)
    folds = deal.folds_of(codes, None, hash_names(names))
    for code in range(3):
        assert np.ptp(np.bincount(folds[codes == code], minlength=deal.n_folds)) <= 1
    order = np.random.default_rng(0).permutation(n_groups).repeat(2)
    np.testing.assert_array_equal(deal.folds_of(None, None, hash_names(names[order])), folds[order])
    with pytest.raises(ValueError, match="was not there when groups were counted"):
        deal.folds_of(None, None, np.array([2**64 - 1], dtype=np.uint64))


def test_fifteen_training_sets_for_five_folds():
    assert len(training_sets(5, is_nested=True)) == 15
    assert training_sets(3, is_nested=False) == [(0,), (1,), (2,)]


# ------------------------------------------------------------------ the same as by plain loops


def opened(form, tmp_path, X, y):
    if form == "dense":
        return open_folder(write_folder(tmp_path / "parts", X, y, cuts=(20, 45), group=9), 16)
    path = write_csr_npz(tmp_path / "table.npz", X, y)
    return batches(path, target="kind", batch_size=16)


CASES = {
    "l2": {},
    "l2, sparse": {"form": "sparse", "cv": 3},
    "l2, best, balanced": {"rule": "best", "scoring": "balanced_accuracy", "cv": 4},
    "l2, three folds": {"cv": 3},
    "l2, four features, two folds": {"n_features_to_select": 4, "cv": 2},
    "l1": {"method": "l1", "cv": 4},
    "l1, sparse": {"method": "l1", "cv": 3, "form": "sparse"},
    "l1, three features": {"method": "l1", "n_features_to_select": 3, "cv": 3},
    "l2, log loss": {"scoring": "neg_log_loss"},
    "l2, sparse, log loss": {"scoring": "neg_log_loss", "form": "sparse", "cv": 3},
    "l2, costs": {"scoring": "neg_cost", "costs": [[0, 1, 5], [3, 0, 1], [2, 2, 0]]},
    "l2, sparse, costs": {"form": "sparse", "cv": 3, "costs": [[0, 1, 5], [3, 0, 1], [2, 2, 0]]},
    "l1, Brier score, best": {"method": "l1", "scoring": "neg_brier_score", "rule": "best"},
}


@pytest.mark.parametrize("name", CASES)
def test_selection_is_that_of_plain_loops(name, tmp_path, data):
    asked = {
        "method": "l2",
        "n_features_to_select": "auto",
        "rule": "one_se",
        "scoring": "accuracy",
    }
    case = dict(CASES[name])
    form, n_folds = case.pop("form", "dense"), case.pop("cv", 5)
    asked |= case
    if "costs" in asked:
        asked["costs"] = np.array(asked["costs"], dtype=float)
    X, y = data
    rows = opened(form, tmp_path, X, y)
    cut = {"cv": n_folds, "n_repeats": 1, "random_state": SEED}
    found = select_features(rows, **asked, **cut, memory=1600)

    is_sparse = form == "sparse"
    folds = slow_folds(np.unique(y, return_inverse=True)[1].tolist(), n_folds, SEED)
    expected = slow_selection(
        sparse.csr_array(X) if is_sparse else X, y, folds, **asked, seed=SEED, is_sparse=is_sparse
    )
    np.testing.assert_array_equal(found.confusion_path, expected.confusions.sum(axis=0))
    for fold in range(n_folds):
        np.testing.assert_allclose(
            found.random_path[f"split{fold}_test_score"],
            expected.random_scores[fold],
            rtol=1e-10 if asked["scoring"].startswith("neg_") else 0.0,
        )
    assert [choice["n_features"] for choice in found.fold_choices] == expected.chosen
    assert found.score == pytest.approx(expected.score, rel=1e-10)
    assert found.random_score == pytest.approx(expected.random_score, rel=1e-10)
    assert found.n_features_to_select == expected.n_features
    assert found.confusion.sum() == len(y)


def test_model_is_that_of_fit_batches(tmp_path, folder, data):
    rows = open_folder(folder)
    found = select_features(rows, random_state=SEED)
    size, inside = found.n_features_to_select, found.model.estimator_
    model = fit_batches(SparseCenterClassifier(size, scale="within"), rows)
    for name in ("centers_", "feature_gains_", "feature_scale_", "spread_"):
        np.testing.assert_allclose(getattr(inside, name), getattr(model, name), rtol=1e-12)
    assert found.model.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    assert inside.get_params() == model.get_params()
    X, y = data
    means = np.array([X[y == label].mean(axis=0) for label in "abc"])
    np.testing.assert_allclose(found.centers, means, rtol=1e-12)
    within = ((X - means[np.unique(y, return_inverse=True)[1]]) ** 2).sum(axis=0)
    np.testing.assert_allclose(found.spreads, np.sqrt(within / len(y)), rtol=1e-12)


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_model_of_medians_is_that_of_fit_batches_to_the_bit(form, tmp_path, data):
    rows = opened(form, tmp_path, *data)
    found = select_features(
        rows, method="l1", n_features_to_select=2, cv=2, memory=3000, random_state=SEED
    )
    model = fit_batches(SparseCenterClassifier(2, metric="l1", scale="mad"), rows, memory=2000)
    for name in ("centers_", "feature_gains_", "feature_scale_", "spread_", "feature_names_in_"):
        inside = found.model.estimator_
        np.testing.assert_array_equal(getattr(inside, name), getattr(model, name))
    X, y = data
    medians = [np.median(X[y == label], axis=0) for label in "abc"]
    np.testing.assert_allclose(found.centers, medians, rtol=1e-12, atol=1e-15)
    within = sum(((X[y == label] - X[y == label].mean(axis=0)) ** 2).sum(axis=0) for label in "abc")
    np.testing.assert_allclose(found.spreads, np.sqrt(within / len(y)), rtol=1e-12)


def test_facts_are_told_and_nothing_is_kept_of_a_sample(folder, data):
    found = select_features(open_folder(folder), random_state=SEED)
    assert (found.predicted, found.true_codes, found.subspace, found.stability) == (None,) * 4
    assert found.probabilities is None
    assert found.is_streamed
    assert (found.n_folds, found.n_repeats, found.seed) == (5, 10, SEED)
    assert found.feature_names.tolist() == [f"g{j}" for j in range(N_FEATURES)]
    assert found.class_counts.tolist() == [np.sum(data[1] == label) for label in "abc"]
    assert (10 * found.class_counts).tolist() == found.confusion.sum(axis=1).tolist()
    assert found.majority_score == found.class_counts.max() / N_ROWS
    assert found.method_scores["l2"]["n_features"] == found.n_features_to_select
    assert f"{found.n_features_to_select} of 9 features" in found.summary()
    assert " recall  samples  class" in str(found)


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_metrics_of_probabilities_are_those_of_scikit_learn_once_calibrated(form, tmp_path, data):
    X, y = data
    found = select_features(opened(form, tmp_path, X, y), cv=3, n_repeats=1, random_state=SEED)
    samples = sparse.csr_array(X) if form == "sparse" else X
    folds = slow_folds(np.unique(y, return_inverse=True)[1].tolist(), 3, SEED)
    shares = np.empty((len(y), 3))
    for fold, choice in enumerate(found.fold_choices):
        model = model_of("l2", choice["n_features"], is_sparse=form == "sparse")
        model.fit(samples[folds != fold], y[folds != fold])
        shares[folds == fold] = model.predict_proba(samples[folds == fold])
    codes, raw = np.unique(y, return_inverse=True)[1], shares.copy()
    for fold in range(3):
        temperature = fit_temperature(raw[folds != fold], codes[folds != fold])
        shares[folds == fold] = temper(raw[folds == fold], temperature)
    expected = {
        "roc_auc": roc_auc_score(y, shares, multi_class="ovr"),
        "average_precision": average_precision_score(np.eye(3)[codes], shares),
        "log_loss": log_loss(y, shares),
        "brier_score": brier_score_loss(y, shares, labels=["a", "b", "c"]),
    }
    assert {name: found.metrics[name] for name in expected} == pytest.approx(expected, rel=1e-10)
    assert found.model.calibration_.temperature == pytest.approx(fit_temperature(raw, codes))
    for name, (low, high) in found.intervals.items():
        assert low < found.metrics[name] < high


def test_finished_checkpoint_decides_by_costs(folder, tmp_path):
    path = tmp_path / "c.skops"
    options = {"class_weight": {"c": 8.0}, "random_state": SEED, "checkpoint": path}
    first = select_features(open_folder(folder), **options)
    assert load_model(path).costs_.tolist() == first.costs.tolist()
    again = select_features(open_folder(folder), **options)
    assert (again.score, again.metrics, again.intervals) == (
        first.score, first.metrics, first.intervals,
    )  # fmt: skip
    np.testing.assert_array_equal(again.ranking, first.ranking)
    assert again.model.costs_.tolist() == first.costs.tolist()
    with pytest.raises(ValueError, match="costs was"):
        select_features(open_folder(folder), **options | {"class_weight": {"c": 9.0}})


# ------------------------------------------------------------------ the same as in memory


def assert_same_answer(first, second):
    """Counts and choices are equal, numbers up to rounding."""
    for name in ("n_features_to_select", "n_folds", "n_repeats", "n_groups", "seed", "method"):
        assert getattr(first, name) == getattr(second, name), name
    for name in ("ranking", "confusion", "confusion_path", "class_counts", "feature_names"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)
    numbers = ("score", "se_score", "interval", "random_score", "se_random", "majority_score")
    for name in (*numbers, "gains", "centers", "spreads"):
        mine, other = getattr(first, name), getattr(second, name)
        np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-12, err_msg=name)
    for name in ("path", "random_path"):
        mine, other = getattr(first, name), getattr(second, name)
        assert mine.keys() == other.keys()
        for column in mine:
            np.testing.assert_allclose(mine[column], other[column], rtol=1e-10, atol=1e-12)
    for mine, other in zip(first.fold_choices, second.fold_choices, strict=True):
        assert mine == pytest.approx(other, rel=1e-10)
    assert first.metrics == pytest.approx(second.metrics, rel=1e-10, abs=1e-12)
    assert first.intervals.keys() == second.intervals.keys() == first.metrics.keys()
    for name, ends in first.intervals.items():
        assert ends == pytest.approx(second.intervals[name], rel=1e-9, abs=1e-10), name
    for mine, other in zip(first.calls, second.calls, strict=True):
        rates = [each["class_coverage"] for each in (mine, other)]
        assert rates[0] == pytest.approx(rates[1], rel=1e-10)
        mine, other = ({**each, "class_coverage": None} for each in (mine, other))
        assert mine == pytest.approx(other, rel=1e-10)
    assert_same_models(first.model, second.model)


def assert_same_models(first, second):
    """They have the same centers, and say the same of any sample, calibrated by the same ones."""
    first, second = conformal_in(first), conformal_in(second)
    np.testing.assert_array_equal(first.columns_, second.columns_)
    mine, other = first.estimator_, second.estimator_
    names = [each.get_feature_names_out().tolist() for each in (mine, other)]
    assert names[0] == names[1]
    pairs = {"centers": (mine.centers_, other.centers_), "spread": (mine.spread_, other.spread_)}
    for name in ("temperature", "usual", "codes", "scores", "outlyingness"):
        pairs[name] = [getattr(each.calibration_, name) for each in (first, second)]
    for name in ("centers", "spreads"):
        pairs[f"reference {name}"] = [getattr(each.reference_, name) for each in (first, second)]
    for name, pair in pairs.items():
        np.testing.assert_allclose(*pair, rtol=1e-9, atol=1e-10, err_msg=name)


ANSWERS = {  # what is asked, and with how many rows a batch
    "l2": ({}, 37),
    "l2, five repeats": ({"n_repeats": 5, "cv": 4}, 1),
    "l2, repeats that do not fit at once": ({"memory": 20_000, "cv": 3}, 50),
    "l2, four features": ({"n_features_to_select": 4, "cv": 2, "scoring": "f1_macro"}, 16),
    "l2, by log loss": ({"scoring": "neg_log_loss", "cv": 3, "n_repeats": 2}, 25),
    "l1": ({"method": "l1"}, 90),
    "l1, few columns and repeats at a time": ({"method": "l1", "cv": 3, "memory": 1_600}, 17),
}


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("is_grouped", [False, True], ids=["rows", "groups"])
@pytest.mark.parametrize("name", ANSWERS)
def test_batches_give_the_answer_of_samples_in_memory(name, is_grouped, form, tmp_path):
    asked, batch_size = dict(ANSWERS[name][0]), ANSWERS[name][1]
    X, y = make_data()
    rng = np.random.default_rng(len(name))
    groups = np.array([f"p{number}" for number in rng.integers(0, 40, N_ROWS)])
    if form == "dense":
        source = write_folder(tmp_path / "parts", X, y, cuts=(20, 45, 70), group=9)
    else:
        source = write_csr_npz(tmp_path / "table.npz", X, y)
    reading = {"drop": ["sample"] if form == "dense" else []}
    if is_grouped:
        add_column(source, "patient", groups)
        reading["groups"] = "patient"
    rows = batches(source, target="kind", batch_size=batch_size, **reading)
    in_batches = select_features(rows, **asked, random_state=SEED)
    asked.pop("memory", None)
    X = X if form == "dense" else sparse.csr_array(X)
    in_memory = select_features(
        X, y, **asked, groups=groups if is_grouped else None, random_state=SEED,
        feature_names=rows.feature_names,
    )  # fmt: skip
    assert_same_answer(in_memory, in_batches)


def make_counts():
    """Counts of cells of different depth, of which three tell three classes apart."""
    rng = np.random.default_rng(8)
    y = rng.choice(list("abc"), size=N_ROWS)
    rates = np.where(y[:, None] == np.array([*"abc", *"------"]), 6.0, 1.5)
    return rng.poisson(rates * rng.uniform(0.5, 4.0, size=(N_ROWS, 1))), y


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("options", [{}, {"method": "l1", "memory": 1_600}], ids=str)
def test_counts_are_normalised_in_batches_as_in_memory(form, options, tmp_path):
    X, y = make_counts()
    write = write_npy if form == "dense" else write_csr_npz
    path = write(tmp_path / ("arrays" if form == "dense" else "table.npz"), X, y)
    rows = batches(path, target="kind", batch_size=16, preprocess="normalise=100,log1p")
    in_batches = select_features(rows, **options, cv=3, random_state=SEED)
    options = {name: value for name, value in options.items() if name != "memory"}
    in_memory = select_features(
        X if form == "dense" else sparse.csr_array(X), y, **options, cv=3, random_state=SEED,
        preprocess="normalise=100,log1p", feature_names=rows.feature_names,
    )  # fmt: skip
    assert_same_answer(in_memory, in_batches)
    assert in_batches.preprocess == in_memory.preprocess == "normalise=100,log1p"
    frame = pd.DataFrame(X, columns=rows.feature_names)
    assert in_batches.model.predict(frame).tolist() == in_memory.model.predict(frame).tolist()


def test_model_of_normalised_counts_is_saved_with_what_is_done_first(tmp_path):
    X, y = make_counts()
    rows = batches(
        write_npy(tmp_path / "arrays", X, y), target="kind", preprocess="normalise,log1p"
    )
    model = select_features(rows, cv=3, random_state=SEED).model
    save_model(model, tmp_path / "m.skops")
    loaded = load_model(tmp_path / "m.skops")
    X = pd.DataFrame(X, columns=rows.feature_names)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_allclose(loaded.predict_proba(3 * X), model.predict_proba(X), rtol=1e-12)


def test_checkpoint_of_other_preprocessing_is_refused(tmp_path):
    X, y = make_counts()
    path, saved = write_npy(tmp_path / "arrays", X, y), tmp_path / "c.skops"
    first = batches(path, target="kind", preprocess="normalise,log1p")
    select_features(first, cv=3, random_state=SEED, checkpoint=saved)
    other = batches(path, target="kind", preprocess="normalise")
    message = "preprocess was 'normalise,log1p' and is 'normalise'"
    with pytest.raises(ValueError, match=message):
        select_features(other, cv=3, random_state=SEED, checkpoint=saved)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4), batch_size=st.integers(1, 80),
    is_grouped=st.booleans(),
)  # fmt: skip
def test_any_table_gives_the_same_answer_in_batches(
    seed, n_classes, batch_size, is_grouped, tmp_path_factory
):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(12) % n_classes, rng.integers(0, n_classes, 50)])
    X = rng.integers(0, 6, (62, 7)) + np.eye(7)[:n_classes][codes] * rng.integers(0, 3)
    groups = np.array([f"p{number}" for number in np.r_[:12, rng.integers(0, 25, 50)]])
    source = write_npy(tmp_path_factory.mktemp("table") / "arrays", X, codes)
    reading = {}
    if is_grouped:
        add_column(source, "patient", groups)
        reading["groups"] = "patient"
    rows = batches(source, target="kind", batch_size=batch_size, **reading)
    options = {"cv": 3, "n_repeats": 2, "random_state": seed}
    in_memory = select_features(
        X, codes, groups=groups if is_grouped else None, **options, feature_names=rows.feature_names
    )
    assert_same_answer(in_memory, select_features(rows, **options))


def test_repeats_that_do_not_fit_take_passes_of_their_own(folder):
    told = []
    options = {"n_repeats": 3, "cv": 3, "random_state": SEED}
    select_features(
        open_folder(folder, 90), **options, memory=1, progress=lambda *a: told.append(a)
    )
    assert told == [(90 * i, 810, f"pass {i} of 9") for i in range(1, 10)]
    told.clear()
    select_features(open_folder(folder, 90), **options, progress=lambda *a: told.append(a))
    assert [what for *_, what in told] == [f"pass {i} of 3" for i in (1, 2, 3)]


# ------------------------------------------------------------------ laws


@pytest.mark.parametrize("method", ["l2", "l1"])
def test_batches_of_any_size_give_the_same(method, folder):
    options = {"method": method, "cv": 3, "random_state": SEED}
    first = select_features(open_folder(folder, 90), **options)
    for batch_size in (1, 37):
        found = select_features(open_folder(folder, batch_size), **options)
        np.testing.assert_array_equal(found.confusion_path, first.confusion_path)
        assert found.fold_choices == first.fold_choices
        assert (found.score, found.random_score) == (first.score, first.random_score)
        assert_same_models(found.model, first.model)


@pytest.mark.parametrize("method", ["l2", "l1"])
def test_result_does_not_depend_on_the_threads(method, folder):
    options = {"method": method, "cv": 3, "random_state": SEED}
    first = select_features(open_folder(folder), **options)
    assert_same(select_features(open_folder(folder), **options, n_jobs=3), first)


def test_some_rows_are_enough_for_what_is_told_of_single_ones(tmp_path, monkeypatch):
    folder = write_folder(tmp_path / "parts", *make_data(600), cuts=(150, 310, 480), group=9)
    options = {"cv": 3, "n_repeats": 2, "random_state": SEED}
    everything = select_features(open_folder(folder, 50), **options)
    monkeypatch.setattr(held_out_rows, "_MOST_NUMBERS", 600)  # 200 rows of three classes
    some = select_features(open_folder(folder, 50), **options)
    assert conformal_in(some.model).calibration_.codes.size == pytest.approx(200, abs=9)
    assert some.selected.tolist() == everything.selected.tolist()
    np.testing.assert_array_equal(some.confusion, everything.confusion)
    for name, value in everything.metrics.items():
        low, high = some.intervals[name]
        assert low <= value <= high, name
        assert (some.metrics[name] == value) == (name in SCORES), name
    for other in (open_folder(folder, 37), open_folder(folder, 600)):
        assert_same_answer(select_features(other, **options), some)


def test_rows_that_stay_are_the_same_wherever_they_are_cut():
    codes = np.random.default_rng(0).integers(3, size=1000)
    counts = np.bincount(codes)
    thinning = held_out_rows.Thinning(4, 5)
    stay = thinning.rows(codes, np.zeros(3, dtype=int))
    parts = [
        start + thinning.rows(codes[start : start + 70], np.bincount(codes[:start], minlength=3))
        for start in range(0, 1000, 70)
    ]
    np.testing.assert_array_equal(np.concatenate(parts), stay)
    assert thinning.n_rows(counts) == stay.size
    shares = np.bincount(codes[stay]) / counts
    np.testing.assert_allclose(shares, 0.25, atol=0.02)


def test_every_source_gives_the_same(tmp_path, data, folder):
    first = select_features(open_folder(folder), random_state=SEED)
    sources = {
        "text": write_text(tmp_path / "table.csv", *data),
        "arrays": write_npy(tmp_path / "arrays", *data),
        "h5ad": write_h5ad(tmp_path / "table.h5ad", *data),
    }
    for path in sources.values():
        rows = batches(path, target="kind", batch_size=16)
        assert_same(select_features(rows, random_state=SEED), first)


def test_memory_for_columns_changes_the_passes_only(folder):
    options = {"method": "l1", "cv": 3, "n_repeats": 1, "random_state": SEED}
    first = select_features(open_folder(folder), **options)
    narrow = select_features(open_folder(folder), **options, memory=1)
    assert_same(narrow, first)


@pytest.mark.parametrize("form", ["folder", "csv", "h5ad"])
def test_last_pass_reads_the_columns_of_chosen_models_alone(form, folder, data, tmp_path):
    source = {"folder": folder}.get(form) or {"csv": write_text, "h5ad": write_h5ad}[form](
        tmp_path / f"table.{form}", *data
    )
    rows, read = batches(source, target="kind", drop="sample" if form == "folder" else ()), []
    pieces = rows._reader.pieces

    def watch(first_row, n_rows, columns):
        for piece in pieces(first_row, n_rows, columns):
            read.append(piece.X.shape[1])
            yield piece

    rows._reader.pieces = watch
    found = select_features(rows, n_features_to_select=2, cv=2, n_repeats=1, random_state=SEED)
    assert read[0] == 9
    assert 2 <= read[-1] <= 4
    X = pd.DataFrame(data[0], columns=rows.feature_names)
    assert found.model.predict_set(X, no_call=0.1).shape == (N_ROWS, 3)


def test_seed_decides(folder):
    first, again, other = (
        select_features(open_folder(folder), random_state=state) for state in (SEED, SEED, SEED + 1)
    )
    assert_same(first, again)
    assert (first.confusion_path != other.confusion_path).any()
    source = np.random.RandomState(0)
    drawn = [select_features(open_folder(folder), random_state=source).seed for _ in range(2)]
    assert drawn[0] != drawn[1]


def test_labels_without_a_meaning_are_recognised_by_chance(tmp_path):
    rng = np.random.default_rng(1)
    X, y = make_data(1500, 30, strength=3.0)
    folder = write_folder(tmp_path / "true", X, y, cuts=(), group=500)
    rows = open_folder(folder, 500)
    assert select_features(rows, random_state=SEED, scoring="balanced_accuracy").score > 0.8
    folder = write_folder(tmp_path / "mixed", X, rng.permutation(y), cuts=(), group=500)
    found = select_features(
        open_folder(folder, 500), random_state=SEED, scoring="balanced_accuracy"
    )
    assert abs(found.score - 1 / 3) < 0.05
    assert not found.beats_random


# ------------------------------------------------------------------ wrong input


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"method": "fisher"}, ValueError, "method='fisher' must be .*l2.*l1"),
        ({"rule": "first"}, ValueError, "rule='first' must be"),
        ({"classifier": "any"}, ValueError, "classifier='any' needs all samples in memory"),
        ({"scoring": "f1"}, ValueError, "scoring='f1' must be"),
        (
            {"n_features_to_select": 0},
            ValueError,
            "n_features_to_select=0 must lie between 1 and the 9 features",
        ),
        (
            {"n_features_to_select": 10},
            ValueError,
            "n_features_to_select=10 must lie between 1 and the 9 features",
        ),
        (
            {"n_features_to_select": "some"},
            TypeError,
            "n_features_to_select='some' must be an int or 'auto'",
        ),
        ({"cv": 2}, ValueError, "cv=2 must be at least 3, as the inner folds of a fold are"),
        ({"cv": 1, "n_features_to_select": 2}, ValueError, "cv=1 must be at least 2"),
        ({"cv": 40}, ValueError, "cv=40 must be at most 20, the number of samples of class 'c'"),
        ({"cv": "5"}, TypeError, "cv='5' must be an int"),
        ({"n_repeats": 0}, ValueError, "n_repeats=0 must be at least 1"),
        ({"classes": ["a", "b"]}, ValueError, r"the label 'c' is not among classes=\['a', 'b'\]"),
        ({"classes": list("abcd")}, ValueError, "class 'd' has 0 samples; at least 3 are needed"),
        ({"classes": ["a"]}, ValueError, "must hold at least 2 classes"),
        ({"checkpoint": "model.zip"}, ValueError, r"must end in \.skops"),
        ({"checkpoint_every": 0}, ValueError, "checkpoint_every=0 must be at least 1"),
        ({"memory": 0}, ValueError, "memory=0 must be at least 1"),
        ({"n_jobs": 0}, ValueError, "n_jobs=0"),
        ({"random_state": "now"}, ValueError, "now"),
        ({"progress": 3}, TypeError, "progress=3 must be a bool, a function or None"),
        ({"scoring": "roc_auc"}, ValueError, "scoring='roc_auc' needs all samples in memory"),
        ({"scoring": "average_precision"}, ValueError, "needs all samples in memory"),
    ],
    ids=lambda value: re.sub(r"\W+", "-", str(value))[:30] if isinstance(value, dict) else "",
)
def test_errors_name_the_parameter(options, error, message, folder):
    told = []
    with pytest.raises(error, match=message):
        select_features(open_folder(folder), **({"progress": lambda *a: told.append(a)} | options))
    assert told == []  # nothing was read but labels


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y": [0, 1]}, r"y=\[0, 1\] must be None: it needs all samples in memory"),
        ({"impute": "mean"}, "impute='mean' must be None"),
        ({"n_resamples": 4}, "n_resamples=4 must be 0"),
    ],
    ids=str,
)
def test_what_needs_all_samples_is_refused(options, message, folder):
    with pytest.raises(ValueError, match=message):
        select_features(open_folder(folder), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"checkpoint": "c.skops"}, "checkpoint='c.skops' must be None: it is for batches"),
        ({"checkpoint_every": 3}, "checkpoint_every=3 must be None"),
        ({"memory": 10}, "memory=10 must be 268435456"),
        ({"classes": ["a", "b"]}, "classes=.* must be None"),
    ],
    ids=str,
)
def test_what_is_for_batches_is_refused_in_memory(options, message, data):
    with pytest.raises(ValueError, match=message):
        select_features(*data, **options)


@pytest.mark.parametrize(("n_rare", "n_features", "least"), [(2, "auto", 3), (1, 2, 2)])
def test_rare_classes_are_refused(n_rare, n_features, least, tmp_path, data):
    X, y = data
    y = np.where(np.arange(N_ROWS) < n_rare, "rare", y)
    rows = open_folder(write_folder(tmp_path / "parts", X, y))
    with pytest.raises(ValueError, match=f"class 'rare' has {n_rare} samples?; at least {least}"):
        select_features(rows, n_features_to_select=n_features)


def test_rare_classes_make_fewer_folds(tmp_path, data):
    X, y = data
    y = np.where(np.arange(N_ROWS) < 3, "rare", y)
    rows = open_folder(write_folder(tmp_path / "parts", X, y))
    found = select_features(rows, random_state=SEED)
    assert found.n_folds == 3
    assert found.confusion.sum(axis=1).tolist()[-1] == 3 * found.n_repeats


def test_missing_values_are_named_with_the_batch(tmp_path, data):
    X, y = data
    X[40, 3] = np.nan
    rows = open_folder(write_folder(tmp_path / "parts", X, y))
    with pytest.raises(ValueError, match=r"Batch \d of parts: .* 1 value is missing .*'g3'"):
        select_features(rows)


def test_values_that_are_too_large_are_refused(tmp_path, data):
    X, y = data
    X[:, 3] *= 1e200
    rows = open_folder(write_folder(tmp_path / "parts", X, y))
    with pytest.raises(ValueError, match="too large for float64"):
        select_features(rows)


# ------------------------------------------------------------------ progress


def test_progress_counts_rows_of_all_passes(folder):
    told = []
    select_features(open_folder(folder, 50), progress=lambda *a: told.append(a))
    assert told == [
        (50, 270, "pass 1 of 3"),
        (90, 270, "pass 1 of 3"),
        (140, 270, "pass 2 of 3"),
        (180, 270, "pass 2 of 3"),
        (230, 270, "pass 3 of 3"),
        (270, 270, "pass 3 of 3"),
    ]
    told.clear()
    options = {"method": "l1", "n_repeats": 1, "memory": 5 * 90 * 8}  # five columns at a time
    select_features(open_folder(folder, 90), **options, progress=lambda *a: told.append(a))
    assert told == [(90 * i, 360, f"pass {i} of 4") for i in (1, 2, 3, 4)]


def test_progress_is_written_to_standard_error(folder, capsys):
    select_features(open_folder(folder, 90), progress=True)
    told = re.sub(" +", " ", capsys.readouterr().err)
    assert told == (
        "\r90/270 rows: pass 1 of 3 \r180/270 rows: pass 2 of 3 \r270/270 rows: pass 3 of 3 \n"
    )


# ------------------------------------------------------------------ checkpoints


class Stop(Exception):
    pass


def stop_after(n_calls):
    """Make a progress function that ends the work as if it were interrupted."""
    calls = []

    def progress(*told):
        calls.append(told)
        if len(calls) == n_calls:
            raise Stop

    return progress


OPTIONS = {
    "l2": {"method": "l2", "cv": 4},
    "l2, sparse": {"method": "l2", "cv": 3},
    "l2, three features": {"method": "l2", "n_features_to_select": 3},
    "l2, a repeat at a time": {"method": "l2", "cv": 3, "n_repeats": 2, "memory": 1},
    "l1": {"method": "l1", "cv": 3, "n_repeats": 1, "memory": 4 * 90 * 8},
    "l1, sparse": {"method": "l1", "cv": 3, "n_repeats": 1, "memory": 2000},
    "l1, a repeat at a time": {"method": "l1", "cv": 3, "n_repeats": 2, "memory": 9 * 90 * 8},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_resumed_selection_is_the_unbroken_one_to_the_bit(name, tmp_path, data):
    rows = opened("sparse" if "sparse" in name else "dense", tmp_path, *data)
    options = OPTIONS[name] | {"random_state": SEED}
    unbroken = select_features(rows, **options)
    path = tmp_path / "so_far.skops"
    options |= {"checkpoint": path, "checkpoint_every": 1}
    told = []
    # Of six batches in a pass, or in a pass over some columns.
    n_calls_each = (3, 5, 2, 4) if "l2" in name else (8, 9, 8, 2)
    if name == "l2, a repeat at a time":  # of which one is done
        n_calls_each = (3, 17, 2)
    for n_calls in n_calls_each:
        with pytest.raises(Stop):
            select_features(rows, **options, progress=stop_after(n_calls))
    found = select_features(rows, **options, progress=lambda *a: told.append(a[2]))
    assert told  # and it was not finished before
    assert_same(found, unbroken)
    assert not hasattr(found.model, "_selection_so_far")


def test_selection_goes_on_in_either_pass(folder, tmp_path):
    for n_calls, first in (
        (4, (64, 270, "pass 1 of 3")),
        (9, (138, 270, "pass 2 of 3")),
        (14, (196, 270, "pass 3 of 3")),  # which begins anew
    ):
        options = {"checkpoint": tmp_path / f"{n_calls}.skops", "checkpoint_every": 1}
        with pytest.raises(Stop):
            select_features(open_folder(folder), **options, progress=stop_after(n_calls))
        told = []
        found = select_features(
            open_folder(folder), **options, progress=lambda *a, t=told: t.append(a)
        )
        assert told[0] == first
        unbroken = select_features(open_folder(folder), random_state=found.seed)
        assert_same(found, unbroken)


def test_finished_checkpoint_is_the_model_and_returned_at_once(folder, tmp_path):
    path = tmp_path / "so_far.skops"
    for method in ("l2", "l1"):
        options = {"method": method, "random_state": SEED, "checkpoint": path}
        first = select_features(open_folder(folder), **options)
        told = []
        again = select_features(
            open_folder(folder), **options, n_jobs=2, progress=lambda *a, t=told: t.append(a)
        )
        assert told == []
        assert_same(first, again)
        model = load_model(path)
        np.testing.assert_array_equal(model.estimator_.centers_, first.model.estimator_.centers_)
        assert model.feature_names_in_.tolist() == [f"g{j}" for j in range(N_FEATURES)]
        path.unlink()


def test_without_a_seed_that_of_the_checkpoint_is_taken(folder, tmp_path):
    path = tmp_path / "so_far.skops"
    options = {"checkpoint": path, "checkpoint_every": 1}
    with pytest.raises(Stop):
        select_features(open_folder(folder), **options, progress=stop_after(8))
    found = select_features(open_folder(folder), **options)
    stated = read_model_card(path).metadata["select_features"]["parameters"]["random_state"]
    assert found.seed == stated
    assert_same(found, select_features(open_folder(folder), random_state=stated))


def test_checkpoint_of_another_selection_says_what_differs(folder, tmp_path, data):
    path = tmp_path / "so_far.skops"
    options = {"checkpoint": path, "checkpoint_every": 1, "random_state": SEED}
    with pytest.raises(Stop):
        select_features(open_folder(folder), **options, progress=stop_after(4))
    content = path.read_bytes()

    def refused(message, rows=None, **others):
        with pytest.raises(ValueError, match=f"is of another selection: {message}"):
            select_features(open_folder(folder) if rows is None else rows, **(options | others))
        assert path.read_bytes() == content

    refused("columns_at_a_time was None and is 9; method was 'l2' and is 'l1'", method="l1")
    refused("n_features_to_select was 'auto' and is 2", n_features_to_select=2)
    refused("rule was 'one_se' and is 'best'", rule="best")
    refused("scoring was 'accuracy' and is 'balanced_accuracy'", scoring="balanced_accuracy")
    refused("cv was 5 and is 4", cv=4)
    refused("random_state was 3 and is 4", random_state=4)
    refused("batch_size was 16 and is 17", open_folder(folder, 17))
    refused("the names or types of the columns differ", open_folder(folder).columns(0, 4))
    labels = pq.read_table(folder / "part-3.parquet").to_pandas()
    labels.loc[:, "kind"] = "a"
    pq.write_table(pa.Table.from_pandas(labels, preserve_index=False), folder / "part-3.parquet")
    refused(r"class_counts was \[.*\] and is \[.*\]")


def test_other_files_are_not_overwritten(folder, tmp_path):
    rows, path = open_folder(folder), tmp_path / "model.skops"
    save_model(SparseCenterClassifier(), path)
    other = tmp_path / "fit.skops"
    fit_batches(SparseCenterClassifier(), rows, checkpoint=other)
    for each in (path, other):
        content = each.read_bytes()
        with pytest.raises(ValueError, match="exists and is no checkpoint that can be resumed"):
            select_features(rows, checkpoint=each)
        assert each.read_bytes() == content


def test_selection_goes_on_after_a_damaged_file_was_repaired(tmp_path, data):
    X, y = np.tile(data[0], (6, 1)), np.tile(data[1], 6)
    folder = write_folder(tmp_path / "parts", X, y, cuts=(180, 360), group=90)
    unbroken = select_features(open_folder(folder, 60), random_state=SEED)
    good = (folder / "part-1.parquet").read_bytes()
    rows = open_folder(folder, 60)
    options = {"checkpoint": tmp_path / "c.skops", "checkpoint_every": 1, "random_state": SEED}

    def damage_late(n_done, n_rows, what):
        if n_done == 120:
            damage(folder / "part-1.parquet")

    with pytest.raises(ValueError, match=r"Batch \d of parts: parts/part-1\.parquet could not"):
        select_features(rows, **options, progress=damage_late)
    (folder / "part-1.parquet").write_bytes(good)
    assert_same(select_features(open_folder(folder, 60), **options), unbroken)


def test_checkpoint_every_counts_batches_and_medians_are_written_block_by_block(
    folder, tmp_path, monkeypatch
):
    saved = watch_progress(monkeypatch)
    options = {"checkpoint": tmp_path / "c.skops", "checkpoint_every": 3}
    select_features(open_folder(folder, 45), **options)
    assert saved == [[0, 0, False], [3, 135, False], [6, 270, True]]
    saved.clear()
    options = {"checkpoint": tmp_path / "m.skops", "checkpoint_every": 3, "memory": 5 * 90 * 8}
    select_features(open_folder(folder, 45), method="l1", n_repeats=1, **options)
    blocks = [[1, 90, False], [2, 180, False]]
    assert saved == [[0, 0, False], *blocks, [6, 360, True]]


# ------------------------------------------------------------------ processes


@children.forks
@pytest.mark.parametrize("method", ["l2", "l1"])
def test_killed_runs_end_with_the_same_result_to_the_bit(method, folder, tmp_path):
    reading = {"drop": "sample", "batch_size": 30}
    asked = {"method": method, "cv": 3, "random_state": 1, "memory": 2000}
    options = asked | {"checkpoint": tmp_path / "so_far.skops", "checkpoint_every": 1}
    work = children.Work(select_features, folder, reading, options)
    for moment in children.MOMENTS:
        assert children.die(work, *moment)
        assert list(tmp_path.glob(".*.part")) or "writing" not in moment
    told = []
    found = work(progress=lambda n_done, n_rows, what: told.append(n_done / n_rows))
    assert told[0] > 0.8  # it went on
    assert_same(found, select_features(open_folder(folder, 30), **asked))
    assert not list(tmp_path.glob(".*.part"))


@children.counts_memory
def test_memory_does_not_grow_with_the_data(tmp_path):
    values = np.random.default_rng(0).normal(size=(6250, 200))  # 10 MB
    table = pa.table({f"g{j}": values[:, j] for j in range(200)} | {"kind": np.arange(6250) % 3})
    pq.write_table(table, tmp_path / "part.parquet", use_dictionary=False)
    works = []
    for name, n_files in (("small", 1), ("large", children.megabytes_of_data() // 10)):
        (tmp_path / name).mkdir()
        for i in range(n_files):
            os.link(tmp_path / "part.parquet", tmp_path / name / f"part-{i:05}.parquet")
        works.append(children.Work(select_features, tmp_path / name, {}, {"random_state": 0}))
    small, large = works
    assert children.megabytes(large, before=small) < 200


# ------------------------------------------------------------------ groups


PATIENT = np.repeat(np.arange(30), 4)
PATIENTS = np.array([f"p{number}" for number in PATIENT])


def write_patients(form, path):
    """Thirty patients with four samples each, noise, and a label that is drawn for each patient."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 200))[PATIENT] + 0.3 * rng.normal(size=(120, 200))
    y = np.array(["ill", "well"])[rng.integers(0, 2, 30)][PATIENT]
    order = rng.permutation(120)
    if form == "dense":
        source = write_folder(path / "parts", X[order], y[order], cuts=(20, 45, 70), group=9)
    else:
        source = write_csr_npz(path / "table.npz", X[order], y[order])
    add_column(source, "patient", PATIENTS[order])
    return source


def open_patients(source, batch_size=16, **options):
    drop = ["sample"] if source.is_dir() else []
    return batches(source, target="kind", drop=drop, batch_size=batch_size, **options)


@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("method", ["l2", "l1"])
def test_groups_are_whole_in_all_folds(form, method, tmp_path):
    source = write_patients(form, tmp_path)
    options = {"method": method, "random_state": SEED}
    leaky = open_patients(source, ids="patient")
    assert select_features(leaky, **options).score > 0.85
    found = select_features(open_patients(source, groups="patient"), **options)
    assert found.score < 0.7
    assert (found.n_groups, found.feature_names.size) == (30, 200)
    assert "on unseen groups of samples" in found.summary()
    assert np.ptp(found.interval) > 0.25  # not 0.17, that of 120 samples that are independent
    again = select_features(open_patients(source, batch_size=50, groups="patient"), **options)
    assert again.confusion.tolist() == found.confusion.tolist()


def test_scores_in_groups_are_those_of_folds_by_hand(tmp_path):
    source = write_patients("dense", tmp_path)
    rows = open_patients(source, groups="patient")
    found = select_features(rows, n_features_to_select=5, cv=4, n_repeats=1, random_state=SEED)
    X, y, names = (
        np.concatenate([getattr(batch, name) for batch in rows]) for name in ("X", "y", "groups")
    )
    groups = Groups(*rows.count_groups(found.classes))
    deal = GroupFolds.deal(4, SEED, groups, found.classes, least=2)
    folds = deal.folds_of(None, None, hash_names(names))
    for fold, choice in enumerate(found.fold_choices):
        test = folds == fold
        assert not np.intersect1d(names[test], names[~test]).size
        model = clone(found.model).fit(X[~test], y[~test])
        assert choice["score"] == pytest.approx(np.mean(model.predict(X[test]) == y[test]))


@pytest.mark.parametrize("method", ["l2", "l1"])
def test_groups_stay_the_same_when_a_run_goes_on(method, tmp_path):
    rows = open_patients(write_patients("dense", tmp_path), groups="patient")
    options = {"method": method, "n_features_to_select": 3, "random_state": SEED}
    whole = select_features(rows, **options)
    path = tmp_path / "c.skops"

    def stop(n_done, n_rows, what):
        if n_done > 150:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        select_features(rows, checkpoint=path, checkpoint_every=1, progress=stop, **options)
    assert read_model_card(path).metadata["select_features"]["parameters"]["groups"] == "patient"
    assert_same(select_features(rows, checkpoint=path, **options), whole)


def test_checkpoint_with_other_groups_is_refused(tmp_path):
    source, path = write_patients("csr", tmp_path), tmp_path / "c.skops"
    options = {"n_features_to_select": 3, "random_state": SEED, "checkpoint": path}
    select_features(open_patients(source), **options)
    with pytest.raises(ValueError, match="groups was None and is 'patient'"):
        select_features(open_patients(source, groups="patient"), **options)


def test_groups_that_folds_cannot_share_are_refused_in_words(tmp_path):
    X, y = make_data()
    source = write_csr_npz(tmp_path / "table.npz", X, y)
    two = np.where(y == "c", "one", np.where(np.arange(N_ROWS) % 2, "two", "three"))
    add_column(source, "few", two)
    add_column(source, "many", np.array([f"m{i // 2}" for i in range(N_ROWS)]))
    with pytest.raises(ValueError, match="class 'c' has 1 group; at least 3 are needed"):
        select_features(open_patients(source, groups="few"))
    with pytest.raises(ValueError, match="cv=40 must be at most .*, the number of groups of class"):
        select_features(open_patients(source, groups="many"), cv=40)
    with pytest.raises(ValueError, match=r"batches\(..., groups=COLUMN\) names those of X"):
        select_features(open_patients(source), groups=two)


def test_a_class_in_too_few_folds_is_named():
    counts = np.column_stack([np.full(9, 2), np.arange(9) < 2])
    groups = Groups(np.arange(9, dtype=np.uint64), counts)
    with pytest.raises(
        ValueError, match="class 'b' has 2 groups, which cv=3 folds of whole groups"
    ):
        GroupFolds.deal(3, 0, groups, np.array(["a", "b"]), least=3)


# ------------------------------------------------------------------ other labels, fewer samples


@pytest.mark.parametrize("method", ["l2", "l1"])
@pytest.mark.parametrize("is_grouped", [False, True], ids=["rows", "groups"])
def test_permutations_and_learning_curve_are_those_in_memory(method, is_grouped, data, tmp_path):
    X, y = data
    groups = np.array([f"p{number}" for number in np.random.default_rng(1).integers(0, 40, 90)])
    source = write_npy(tmp_path / "arrays", X, y)
    add_column(source, "patient", groups)
    asked = {"method": method, "cv": 3, "n_repeats": 1, "n_permutations": 5, "random_state": SEED}
    asked["learning_curve"] = method == "l2"
    named = {"groups": "patient"} if is_grouped else {}
    rows = batches(source, target="kind", batch_size=16, **named)
    found = select_features(rows, memory=200_000, **asked)
    expected = select_features(X, y, groups=groups if is_grouped else None, **asked)
    for name in ("score", "p_value", "null_scores", "gains", "feature_p_values", "expected_false"):
        mine, other = (getattr(each.permutations, name) for each in (found, expected))
        np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-12, err_msg=name)
    if method == "l2":
        scores = [each.learning_curve.scores for each in (found, expected)]
        np.testing.assert_allclose(*scores, rtol=1e-10)


def test_checkpoint_that_is_finished_leaves_permutations_to_be_done(folder, tmp_path):
    asked = {"method": "l2", "cv": 3, "n_repeats": 1, "n_permutations": 4, "random_state": SEED}
    rows, path = open_folder(folder), tmp_path / "c.skops"
    first = select_features(rows, checkpoint=path, **asked)
    again = select_features(rows, checkpoint=path, **asked)
    np.testing.assert_array_equal(first.permutations.null_scores, again.permutations.null_scores)


# ------------------------------------------------------------------ blocks that are left out


@pytest.mark.parametrize(
    "asked",
    [
        {"method": "l2"}, {"method": "l2", "groups": True}, {"method": "l1"},
        {"method": "l2", "scoring": "neg_log_loss"},
    ],
    ids=str,
)  # fmt: skip
def test_sites_that_are_left_out_score_as_in_memory(asked, data, tmp_path):
    X, y = data
    numbers = np.random.default_rng(1).integers(0, 40, 90)
    groups, sites = np.array([f"p{n}" for n in numbers]), np.array(["u", "v", "w"])[numbers % 3]
    source = write_npy(tmp_path / "arrays", X, y)
    add_column(source, "patient", groups)
    add_column(source, "site", sites)
    options = asked | {"cv": 3, "n_repeats": 1, "random_state": SEED}
    options |= {"n_permutations": 3, "permute_within": "blocks"}
    named = {"groups": "patient"} if options.pop("groups", False) else {}
    found = select_features(
        batches(source, target="kind", blocks="site", batch_size=16, **named), **options
    )
    options["groups"] = groups if named else None
    expected = select_features(X, y, blocks=sites, **options)
    assert found.block_name == "site"
    for mine, other in zip(found.blocks["rows"], expected.blocks["rows"], strict=True):
        np.testing.assert_array_equal(mine.pop("confusion"), other.pop("confusion"))
        assert mine.pop("interval") == pytest.approx(other.pop("interval"), rel=1e-10)
        assert mine == pytest.approx(other, rel=1e-10, nan_ok=True)
    assert found.blocks["cramers_v"] == pytest.approx(expected.blocks["cramers_v"], rel=1e-10)
    assert found.permutations.permuted == expected.permutations.permuted
    nulls = [each.permutations.null_scores for each in (found, expected)]
    np.testing.assert_allclose(*nulls, rtol=1e-10)


@pytest.mark.parametrize("form", ["csv", "parquet", "h5ad"])
def test_blocks_are_a_column_of_any_file_and_no_feature(form, data, tmp_path):
    X, y = data
    sites = np.array(["u", "v"])[np.arange(90) % 2]
    path = tmp_path / f"table.{form}"
    if form == "h5ad":
        add_column(write_h5ad(path, X, y), "site", sites)
    else:
        frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(9)]).assign(kind=y, site=sites)
        frame.to_csv(path, index=False) if form == "csv" else frame.to_parquet(path)
    rows = batches(path, target="kind", blocks="site", batch_size=40)
    assert rows.n_features == 9
    assert np.concatenate([batch.blocks for batch in rows]).tolist() == sites.tolist()


def test_blocks_of_batches_are_named_when_they_are_opened(folder):
    with pytest.raises(ValueError, match="blocks must be None: batches"):
        select_features(open_folder(folder), blocks=np.zeros(90))
    with pytest.raises(ValueError, match="'kind' is asked for twice, among target, ids, groups, b"):
        batches(folder, target="kind", drop="sample", blocks="kind")
