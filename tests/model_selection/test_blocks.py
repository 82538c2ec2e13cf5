"""Blocks that are left out whole, and how they go with classes."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats.contingency import association as cramers_v

from centroidal.io import evaluate_model
from centroidal.model_selection.blocks import Blocks, association

from ..l2 import select_features

OPTIONS = {"n_repeats": 1, "cv": 3, "random_state": 0}


@pytest.fixture(scope="module")
def sites():
    """Samples of three sites, classes that ten features tell apart, and five that tell sites."""
    rng = np.random.default_rng(0)
    site, y = np.repeat(["A", "B", "C"], 30), np.tile(["ill", "well"], 45)
    X = rng.normal(size=(90, 40))
    X[:, :10] += 1.2 * (y == "ill")[:, None]
    X[:, 10:15] += 2.0 * (site == "A")[:, None]
    return X, y, site


def test_each_block_is_predicted_by_a_selection_without_it(sites):
    X, y, site = sites
    found = select_features(X, y, blocks=site, **OPTIONS)
    for row in found.blocks["rows"]:
        mine = site == row["block"]
        alone = select_features(X[~mine], y[~mine], n_repeats=1, random_state=0)
        predicted = alone.model.predict(X[mine])
        assert row["score"] == np.mean(predicted == y[mine])
        assert row["n_features"] == alone.n_features_to_select
        assert row["n_samples"] == 30
        assert row["confusion"].sum() == 30
    assert [row["block"] for row in found.blocks["rows"]] == ["A", "B", "C"]
    scores = [row["score"] for row in found.blocks["rows"]]
    assert found.blocks["score"] == pytest.approx(np.mean(scores))


@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro"])
def test_block_has_the_interval_of_samples_that_nothing_was_learned_from(sites, scoring):
    X, y, site = sites
    found = select_features(X, y, blocks=site, scoring=scoring, **OPTIONS)
    for row in found.blocks["rows"]:
        mine = site == row["block"]
        alone = select_features(X[~mine], y[~mine], scoring=scoring, n_repeats=1, random_state=0)
        outside = evaluate_model(alone.model, X[mine], y[mine], random_state=found.seed)
        assert row["interval"] == pytest.approx(outside.intervals[scoring])


def test_groups_widen_the_interval_of_a_block(sites):
    rows = np.repeat(np.arange(90), 3)
    X, y, site = (each[rows] for each in sites)
    options = {"blocks": site, "groups": rows} | OPTIONS
    alone = select_features(*sites[:2], blocks=sites[2], **OPTIONS).blocks["rows"][0]
    copies = select_features(X, y, **options).blocks["rows"][0]
    assert np.ptp(copies["interval"]) > 0.8 * np.ptp(alone["interval"])


def test_interval_of_a_block_holds_the_negative_of_costs(sites):
    X, y, site = sites
    options = {"blocks": site, "scoring": "neg_cost", "class_weight": "balanced"} | OPTIONS
    for row in select_features(X, y, **options).blocks["rows"]:
        low, high = row["interval"]
        assert low < high <= 0.0
        assert low <= row["score"] <= high


def test_block_has_no_interval_of_a_score_of_probabilities(sites):
    X, y, site = sites
    found = select_features(X, y, blocks=site, scoring="roc_auc", **OPTIONS)
    assert [row["interval"] for row in found.blocks["rows"]] == [None] * 3


def test_blocks_change_nothing_else(sites):
    X, y, site = sites
    plain, beside = (select_features(X, y, blocks=each, **OPTIONS) for each in (None, site))
    assert plain.score == beside.score
    assert plain.blocks is None
    assert (plain.block_summary(), plain.is_confounded) == ("", False)
    np.testing.assert_array_equal(plain.ranking, beside.ranking)


def test_sparse_samples_and_two_blocks(sites):
    X, y, site = sites
    both = np.where(site == "A", 1, 2)
    dense = select_features(X, y, blocks=both, **OPTIONS).blocks
    stored = select_features(sparse.csr_array(X), y, blocks=both, **OPTIONS).blocks
    assert [row["block"] for row in dense["rows"]] == [1, 2]
    assert dense["score"] == pytest.approx(stored["score"], abs=0.03)


def test_missing_values_are_filled_in_without_the_block(sites):
    X, y, site = sites
    gaps = X.copy()
    gaps[::7, 3] = np.nan
    found = select_features(gaps, y, blocks=site, impute="median", **OPTIONS)
    assert all(row["trouble"] is None for row in found.blocks["rows"])


def test_blocks_that_go_with_the_classes_are_said_to(sites):
    X, y, _ = sites
    rng = np.random.default_rng(1)
    batch = np.where((y == "ill") ^ (rng.random(90) < 0.1), "first", "second")
    found = select_features(X, y, blocks=batch, **OPTIONS)
    assert found.is_confounded
    assert found.blocks["p_value"] == 0.001
    assert "Block and class go together (Cramér's V 0." in found.block_summary()
    assert "may be the block" in str(found)


def test_balanced_blocks_are_not(sites):
    X, y, site = sites
    found = select_features(X, y, blocks=site, **OPTIONS)
    assert not found.is_confounded
    assert found.blocks["cramers_v"] == pytest.approx(0.0, abs=1e-12)
    assert found.blocks["p_value"] == 1.0
    assert "Of blocks left out whole: accuracy" in found.block_summary()


def test_block_without_which_a_class_is_gone_has_its_trouble_in_its_row(sites):
    X, y, _ = sites
    blocks = np.where(y == "ill", "hospital", np.tile(["a", "b", "c"], 30))
    found = select_features(X, y, blocks=blocks, **OPTIONS)
    rows = {row["block"]: row for row in found.blocks["rows"]}
    assert np.isnan(rows["hospital"]["score"])
    assert rows["hospital"]["trouble"] == "the other blocks have one class"
    assert rows["a"]["trouble"] is None
    assert "1 could not be left out" in found.block_summary()


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        (lambda y: y, "none can be left out. Without ill, the other blocks have one class"),
        (lambda y: np.zeros(y.size), "blocks holds one block"),
        (lambda y: y[:5], r"blocks of shape \(5,\) must hold one block for each of the 90"),
        (lambda y: np.r_[[""], y[1:]], "blocks has no value for 1 of 90 samples"),
    ],
)
def test_blocks_that_cannot_be_are_refused(sites, blocks, words):
    X, y, _ = sites
    with pytest.raises(ValueError, match=words):
        select_features(X, y, blocks=blocks(y), **OPTIONS)


def test_strength_is_cramers_v():
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 4, 50), rng.integers(0, 3, 50)
    table = np.zeros((4, 3), dtype=int)
    np.add.at(table, (first, second), 1)
    found, p_value = association(first, second, seed=0)
    assert found == pytest.approx(cramers_v(table), abs=1e-12)
    assert 0.05 < p_value < 1.0


def test_p_value_of_nothing_is_uniform():
    rng = np.random.default_rng(0)
    values = [
        association(rng.integers(0, 3, 30), rng.integers(0, 2, 30), seed=seed)[1]
        for seed in range(100)
    ]
    assert 0.35 < np.mean(values) < 0.65
    assert np.mean(np.array(values) <= 0.1) < 0.2


def test_groups_count_once_in_the_p_value():
    groups = np.repeat(np.arange(8), 20)
    blocks, codes = groups % 2, (groups // 2) % 2
    codes[groups == 1], codes[groups == 0] = 1, 0
    assert association(blocks, codes, 0)[1] < 0.01
    assert association(blocks, codes, 0, groups)[1] > 0.1


def test_groups_of_a_block_are_not_learned_from_elsewhere():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), 2)
    X = rng.normal(size=(40, 100))[groups] + 0.1 * rng.normal(size=(80, 100))
    y = rng.integers(0, 2, 40)[groups]
    # Half of the patients have a sample at each of two sites: who is seen at one is known.
    site = np.where(groups < 30, np.arange(80) % 2, 2 + groups % 2)
    alone = select_features(X, y, blocks=site, **OPTIONS).blocks["rows"]
    together = select_features(X, y, blocks=site, groups=groups, **OPTIONS).blocks["rows"]
    assert min(row["score"] for row in alone[:2]) > 0.75
    assert max(row["score"] for row in together[:2] if row["trouble"] is None) < 0.75


def test_progress_counts_the_blocks(sites):
    X, y, site = sites
    steps = []
    select_features(X, y, blocks=site, progress=lambda *step: steps.append(step), **OPTIONS)
    n_done, n_steps, what = steps[-1]
    assert n_done == n_steps
    assert what == "without C"


def test_blocks_are_checked_before_any_work():
    codes = np.array([0, 1, 0, 1])
    assert Blocks.check(None, codes) is None
    assert Blocks.check(["b", "a", "a", "b"], codes).names.tolist() == ["a", "b"]
    three = np.array([0, 1, 2])
    with pytest.raises(ValueError, match="Without 0, the other blocks have none of its classes"):
        Blocks.check(three, three)


def test_blocks_with_too_few_samples_beside_them_have_their_trouble_in_their_row(sites):
    X, y, _ = sites
    rows = np.r_[0:6, 30:32]
    found = select_features(X[rows], y[rows], blocks=["p"] * 6 + ["q"] * 2, **OPTIONS)
    assert "at least 3 are needed" in found.blocks["rows"][0]["trouble"]
    assert found.blocks["rows"][1]["trouble"] is None
