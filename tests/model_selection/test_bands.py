from dataclasses import replace

import numpy as np
import pytest

from centroidal.datasets import make_spectra
from centroidal.model_selection import select_features
from centroidal.model_selection.bands import band_sentence, feature_axis, find_bands


@pytest.fixture(scope="module")
def found():
    made = make_spectra(20, 40, n_replicates=2, effect=0.6, random_state=0)
    return select_features(
        made.data, made.target, groups=made.groups, preprocess="snv", method="l2",
        n_features_to_select=6, n_repeats=1, feature_names=made.feature_names, random_state=0,
    )  # fmt: skip


@pytest.mark.parametrize("names", [["1000", "1002.5", "1005"], ["900", "890", "879"]])
def test_numbers_that_rise_or_fall_are_an_axis(names):
    np.testing.assert_array_equal(feature_axis(names), [float(name) for name in names])


@pytest.mark.parametrize(
    "names",
    [
        ["gene_1", "gene_2", "gene_3"],
        ["0", "1", "2"],
        ["1", "2", "3"],
        ["10", "30", "20"],
        ["10", "10", "20"],
        ["10", "20", "nan"],
        ["10", "20"],
        ["9", "10", "12", "7157", "90210"],
    ],
)
def test_other_names_are_none(names):
    assert feature_axis(names) is None


def test_an_axis_may_have_a_part_cut_out():
    names = [str(each) for each in (*range(1000, 1400, 10), *range(1900, 2500, 10))]
    assert feature_axis(names) is not None


@pytest.mark.parametrize(
    ("max_gap", "expected"),
    [(0, [[3, 4], [6], [9], [20]]), (1, [[3, 4, 6], [9], [20]]), (2, [[3, 4, 6, 9], [20]])],
)
def test_neighbours_are_put_together_up_to_the_gap(max_gap, expected):
    bands = find_bands([20, 6, 3, 9, 4], max_gap)
    assert [band.tolist() for band in bands] == expected


def test_nothing_has_no_band():
    assert find_bands([]) == []


@pytest.mark.parametrize(("gap", "error"), [(-1, ValueError), (1.5, TypeError)])
def test_error_names_the_gap(found, gap, error):
    with pytest.raises(error, match=f"max_gap={gap} must be"):
        found.band_columns(gap)


def test_table_has_every_selected_feature_in_one_band(found):
    bands = found.band_columns()
    assert sum(bands["n_features"]) == found.n_features_to_select
    for first, last, size in zip(
        *(bands[key] for key in ("first", "last", "n_features")), strict=True
    ):
        inside = (found.selected_names.astype(float) >= float(first)) & (
            found.selected_names.astype(float) <= float(last)
        )
        assert np.count_nonzero(inside) == size


def test_strongest_feature_of_all_is_that_of_its_band(found):
    bands = found.band_columns()
    assert found.selected_names[0] in bands["strongest"]
    assert max(bands["gain"]) == found.gains.max()


def test_answer_names_the_bands_where_features_are_an_axis(found):
    told = found.to_dict()
    assert told["answer_on_bands"] == found.band_summary() == band_sentence(found.band_columns())
    assert [row["first"] for row in told["bands"]] == found.band_columns()["first"]
    assert found.band_summary() in str(found)
    assert found.band_summary() in found._repr_html_()


def test_answer_says_nothing_of_bands_elsewhere(found):
    other = replace(found, feature_names=np.array([f"x{j}" for j in range(40)]))
    assert (other.band_summary(), other.to_dict()["bands"]) == ("", [])


def test_sentence_names_the_first_ten_bands():
    table = {"first": [str(j) for j in range(12)], "last": ["0", *["9"] * 11]}
    words = band_sentence(table)
    assert words.startswith("Selected features lie in 12 bands: 0, 1 to 9, ")
    assert words.endswith("and 2 more.")
    assert band_sentence({"first": ["7"], "last": ["8"]}).endswith("in one band: 7 to 8.")
