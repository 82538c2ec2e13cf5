import sys

import numpy as np
import pytest
from sklearn.feature_selection import f_classif
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import NearestCentroid

from centroidal.datasets import load_expression, make_expression
from centroidal.datasets._expression import SHIPPED_PARAMETERS, save_expression


@pytest.fixture(scope="module")
def generated():
    return make_expression(random_state=0)


@pytest.fixture(scope="module")
def shipped():
    return load_expression()


def cross_validated_accuracy(data, target):
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_score(NearestCentroid(), data, target, cv=folds).mean()


def test_every_part_has_the_asked_size():
    made = make_expression(40, 300, 12, 4, random_state=0)
    assert made.data.shape == (40, 300)
    assert made.target.shape == (40,)
    assert made.target_names.shape == (4,)
    assert made.feature_names.shape == (300,)
    assert made.informative.sum() == 12


def test_values_are_float64(generated):
    assert generated.data.dtype == np.float64


def test_gene_names_are_numbered_from_one(generated):
    assert generated.feature_names[[0, -1]].tolist() == ["gene_0001", "gene_2000"]


def test_nearly_all_values_look_like_log2_intensities(generated):
    assert np.mean((generated.data > 4) & (generated.data < 14)) > 0.98


def test_no_value_leaves_the_range_of_a_scanner():
    data = make_expression(outliers=0.5, random_state=0).data
    assert data.min() >= 0
    assert data.max() <= 16


def test_the_same_seed_gives_the_same_table(generated):
    again = make_expression(random_state=0)
    np.testing.assert_array_equal(again.data, generated.data)
    np.testing.assert_array_equal(again.target, generated.target)


def test_another_seed_gives_another_table(generated):
    assert not np.array_equal(make_expression(random_state=1).data, generated.data)


def test_class_sizes_follow_the_weights():
    made = make_expression(40, 50, 5, 2, class_weights=(3, 1), random_state=0)
    assert np.bincount(made.target).tolist() == [30, 10]


def test_informative_genes_differ_more_between_classes_than_the_others(generated):
    F, _ = f_classif(generated.data, generated.target)
    assert F[generated.informative].mean() > 10 * F[~generated.informative].mean()


def test_without_effect_informative_genes_are_like_the_others():
    made = make_expression(n_features=1000, n_informative=500, effect=0, random_state=0)
    F, _ = f_classif(made.data, made.target)
    assert F[made.informative].mean() < 2 * F[~made.informative].mean()


def test_informative_genes_are_not_in_the_first_columns(generated):
    positions = np.flatnonzero(generated.informative)
    assert positions.max() > 1000


def test_some_genes_are_co_expressed(generated):
    correlation = np.corrcoef(generated.data[:, ~generated.informative].T)
    n_strong = np.sum(np.abs(correlation) > 0.4, axis=0) - 1
    # Of independent genes, only about one in a hundred would find such a partner by chance.
    assert np.mean(n_strong > 0) > 0.2


def test_more_outliers_make_longer_tails():
    def largest_departure(outliers):
        data = make_expression(outliers=outliers, random_state=0).data
        return np.abs(data - np.median(data, axis=0)).max(axis=0).mean()

    assert largest_departure(0.05) > 1.5 * largest_departure(0)


@pytest.mark.parametrize("n_informative", [0, 20])
def test_none_and_all_genes_may_be_informative(n_informative):
    made = make_expression(12, 20, n_informative, random_state=0)
    assert made.informative.sum() == n_informative


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_samples": 1}, "n_samples=1 must be finite and at least 2"),
        ({"n_features": 0}, "n_features=0 must be finite and at least 1"),
        (
            {"n_features": 6, "n_informative": 9},
            "n_informative=9 must lie between 0 and n_features=6",
        ),
        ({"n_samples": 5, "n_classes": 6}, "n_classes=6 must lie between 2 and n_samples=5"),
        ({"class_weights": (1, 2)}, "class_weights=.* for each of n_classes=3"),
        ({"effect": -0.5}, "effect=-0.5 must be finite and at least 0"),
        ({"outliers": 1.2}, "outliers=1.2 must lie between 0 and 1"),
    ],
)
def test_error_names_the_parameter_and_its_bounds(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_expression(**parameters)


def test_shipped_classes_have_fifty_forty_and_thirty_samples(shipped):
    assert np.bincount(shipped.target).tolist() == [50, 40, 30]


def test_shipped_classes_have_names(shipped):
    assert shipped.target_names.tolist() == ["type A", "type B", "type C"]


def test_shipped_values_are_those_of_the_generator_to_two_decimals(shipped):
    made = make_expression(**SHIPPED_PARAMETERS)
    np.testing.assert_allclose(shipped.data, made.data.round(2), rtol=0, atol=1e-9)


@pytest.mark.parametrize("part", ["target", "target_names", "feature_names", "informative"])
def test_shipped_parts_are_those_of_the_generator(shipped, part):
    np.testing.assert_array_equal(shipped[part], make_expression(**SHIPPED_PARAMETERS)[part])


def test_saving_anew_writes_what_is_shipped(tmp_path, shipped):
    save_expression(tmp_path / "expression.npz")
    with np.load(tmp_path / "expression.npz", allow_pickle=False) as stored:
        np.testing.assert_array_equal(stored["hundredths_by_gene"].T / 100, shipped.data)


def test_plain_centroids_are_misled_by_the_noise(shipped):
    assert 0.75 < cross_validated_accuracy(shipped.data, shipped.target) < 0.90


def test_centroids_of_the_informative_genes_do_well(shipped):
    informative = shipped.data[:, shipped.informative]
    assert cross_validated_accuracy(informative, shipped.target) > 0.93


def test_a_caller_cannot_change_what_the_next_one_loads(shipped):
    load_expression().data[:] = 0
    np.testing.assert_array_equal(load_expression().data, shipped.data)


def test_data_and_target_come_as_a_pair_when_asked(shipped):
    X, y = load_expression(return_X_y=True)
    np.testing.assert_array_equal(X, shipped.data)
    np.testing.assert_array_equal(y, shipped.target)


def test_frame_holds_the_values_under_their_gene_names(shipped):
    pytest.importorskip("pandas")
    frame = load_expression(as_frame=True).data
    assert list(frame.columns) == shipped.feature_names.tolist()
    np.testing.assert_array_equal(frame.to_numpy(), shipped.data)


def test_whole_frame_ends_with_the_target(shipped):
    pytest.importorskip("pandas")
    frame = load_expression(as_frame=True).frame
    assert frame.shape == (120, 2001)
    np.testing.assert_array_equal(frame["target"], shipped.target)


def test_pair_may_be_pandas():
    pd = pytest.importorskip("pandas")
    X, y = load_expression(return_X_y=True, as_frame=True)
    assert isinstance(X, pd.DataFrame)
    assert isinstance(y, pd.Series)


def test_a_missing_pandas_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"load_expression\(as_frame=True\) needs pandas"):
        load_expression(as_frame=True)


def test_arrays_do_not_need_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert load_expression().data.shape == (120, 2000)
