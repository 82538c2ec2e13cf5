"""Stand-ins: what goes along inside the classes and does as well, as plain loops find it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from centroidal import SparseCenterClassifier
from centroidal.model_selection.sources import MemorySource

from ..l2 import select_features

QUICK = {"cv": 4, "n_repeats": 1, "random_state": 0}


@pytest.fixture(scope="module")
def genes():
    """Three genes, a near copy of each of the first two, and noise beside them."""
    rng = np.random.default_rng(0)
    codes = np.arange(72) % 3
    strong = rng.normal(size=(72, 3)) + 3.0 * np.eye(3)[codes]
    copies = strong[:, :2] + 0.3 * rng.normal(size=(72, 2))
    return np.hstack([strong, copies, rng.normal(size=(72, 12))]), codes


def columns_of(rows):
    return [[each["column"] for each in row] for row in rows]


def all_columns(rows):
    return {each["column"] for row in rows for each in row}


def test_near_copy_is_the_stand_in_of_its_gene(genes):
    found = select_features(*genes, distinct=0.8, n_features_to_select=3, n_stand_ins=2, **QUICK)
    assert sorted(found.selected.tolist()) == [0, 1, 2]
    by_gene = dict(zip(found.selected.tolist(), columns_of(found.stand_ins), strict=True))
    assert by_gene == {0: [3], 1: [4], 2: []}


def test_mirrored_copy_can_stand_in_too(genes):
    X, y = genes
    X = np.hstack([X, -X[:, [2]]])
    found = select_features(X, y, distinct=0.8, n_features_to_select=3, n_stand_ins=2, **QUICK)
    assert columns_of(found.stand_ins)[found.selected.tolist().index(2)] == [17]


def test_feature_that_goes_along_but_does_not_do_as_well_is_no_stand_in():
    rng = np.random.default_rng(0)
    codes = np.arange(80) % 2
    inside = rng.normal(size=80)
    X = np.column_stack([inside + 4.0 * codes, inside, rng.normal(size=(80, 6))])
    found = select_features(X, codes, n_features_to_select=1, n_stand_ins=3, **QUICK)
    assert found.selected.tolist() == [0]
    assert found.stand_ins == ((),)


@pytest.mark.parametrize("method", ["l2", "relief"])
def test_scores_after_a_swap_are_those_of_plain_folds(genes, method):
    X, y = genes
    found = select_features(
        X, y, method=method, distinct=0.8, n_features_to_select=3, n_stand_ins=2, **QUICK
    )
    assert any(found.stand_ins)
    for place, row in enumerate(found.stand_ins):
        for each in row:
            panel = found.selected.copy()
            panel[place] = each["column"]
            np.testing.assert_allclose(each["score"], plain_score(found, X, y, panel, method))
    expected = plain_score(found, X, y, found.selected, method)
    np.testing.assert_allclose(found.signatures[0]["score"], expected)


def plain_score(found, X, y, panel, method):
    """Mean accuracy over the folds of a panel that is known beforehand."""
    names = ("groups", "blocks", "impute", "preprocess", "text", "feature_names")
    source = MemorySource(X, y, found.seed, None, None, n_resamples=0, **dict.fromkeys(names))
    folds, panel = source.cut(found.n_folds, 1, False)[0].folds, np.sort(panel)
    model, hits = SparseCenterClassifier(scale="within"), []
    if method != "l2":
        model = make_pipeline(StandardScaler(), clone(found.model.estimator_[-1]))
    for fold in range(found.n_folds):
        test = folds == fold
        model.fit(X[~test][:, panel], y[~test])
        hits.append(np.mean(model.predict(X[test][:, panel]) == y[test]))
    return np.mean(hits)


def test_signature_has_all_stand_ins_at_once(genes):
    found = select_features(*genes, distinct=0.8, n_features_to_select=3, n_stand_ins=2, **QUICK)
    assert [sorted(each["columns"].tolist()) for each in found.signatures] == [[0, 1, 2], [2, 3, 4]]


def test_feature_that_must_be_in_has_no_stand_in(genes):
    options = {"distinct": 0.8, "n_features_to_select": 3, "n_stand_ins": 2}
    found = select_features(*genes, include=[0], **options, **QUICK)
    assert columns_of(found.stand_ins)[0] == []


def test_feature_that_must_stay_out_stands_in_for_none(genes):
    options = {"distinct": 0.8, "n_features_to_select": 3, "n_stand_ins": 2}
    found = select_features(*genes, exclude=[3], **options, **QUICK)
    assert 3 not in all_columns(found.stand_ins)


def test_stand_in_must_be_within_the_budget(genes):
    X, y = genes
    X = X + 3.0 * np.eye(17)[[0, 1, 2]][y] * np.isin(np.arange(17), [0, 2])
    costs = np.full(17, 3.0)
    costs[:5] = 1.0, 1.0, 1.0, 5.0, 1.5
    found = select_features(X, y, feature_costs=costs, budget=4, n_stand_ins=3, **QUICK)
    spent = costs[found.selected].sum()
    swaps = [
        spent - costs[column] + costs[each["column"]]
        for column, row in zip(found.selected, found.stand_ins, strict=True)
        for each in row
    ]
    assert swaps
    assert max(swaps) <= 4
    assert 3 not in all_columns(found.stand_ins)


def test_stand_in_is_a_marker_of_the_same_class(genes):
    found = select_features(*genes, per_class=1, n_stand_ins=3, **QUICK)
    assert all_columns(found.stand_ins) <= {3, 4, 0, 1}


def test_nothing_is_looked_for_unless_it_is_asked(genes):
    found = select_features(*genes, n_features_to_select=3, **QUICK)
    assert found.stand_ins is None
    assert found.signatures == ()


def test_looking_for_stand_ins_changes_nothing_else(genes):
    plain = select_features(*genes, **QUICK)
    found = select_features(*genes, n_stand_ins=3, **QUICK)
    assert found.score == plain.score
    assert found.selected.tolist() == plain.selected.tolist()


def test_order_of_the_columns_does_not_matter(genes):
    X, y = genes
    options = {"distinct": 0.8, "n_features_to_select": 3, "n_stand_ins": 2}
    one = select_features(X, y, **options, **QUICK)
    other = select_features(X[:, ::-1], y, **options, **QUICK)
    swapped = {16 - a: [16 - b for b in row] for a, row in _by_column(other).items()}
    assert swapped == _by_column(one)


def _by_column(found):
    return dict(zip(found.selected.tolist(), columns_of(found.stand_ins), strict=True))


def test_losses_are_compared_by_probabilities(genes):
    found = select_features(
        *genes, scoring="neg_log_loss", distinct=0.8, n_features_to_select=3, n_stand_ins=2, **QUICK
    )
    assert all(each["score"] < 0.0 for row in found.stand_ins for each in row)
    assert sum(map(len, found.stand_ins)) >= 1


def test_table_and_words_name_the_stand_ins(genes):
    found = select_features(*genes, distinct=0.8, n_features_to_select=3, n_stand_ins=2, **QUICK)
    columns = found.feature_columns()
    assert dict(zip(columns["feature"], columns["stand_ins"], strict=True)) == {
        "x0": "x3", "x1": "x4", "x2": "",
    }  # fmt: skip
    assert "2 of 3 selected features have stand-ins" in str(found)
    assert "another signature of as many features does as well" in str(found)


def test_where_all_features_are_selected_none_is_left_to_stand_in(genes):
    X, y = genes
    found = select_features(X[:, :3], y, n_features_to_select=3, n_stand_ins=2, **QUICK)
    assert found.stand_ins == ((), (), ())
