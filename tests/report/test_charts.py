import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from centroidal.report.charts import (
    band_chart,
    chance_chart,
    curve_chart,
    heat_chart,
    javascript,
    learning_chart,
    means_chart,
    probability_charts,
    scatter_chart,
)

from .samples import judged, widened


def charts_of(evaluation):
    codes = np.searchsorted(evaluation.classes, evaluation.labels)
    probabilities = evaluation.predictions.probabilities
    area = evaluation.metrics["roc_auc"]
    return probability_charts(evaluation.classes, codes, probabilities, area)


def rows_of(chart):
    return chart["spec"]["datasets"]["rows"]


def test_script_speaks_the_language_of_altair():
    altair = pytest.importorskip("altair")
    script = javascript()
    assert "window.vegaEmbed" in script
    assert "</script" not in script.lower()
    assert altair.SCHEMA_VERSION.split(".")[0] in ("v5", "v6")


def test_missing_converter_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ImportError, match=r"vl_convert: pip install 'centroidal\[report\]'"):
        javascript()


def test_converter_that_is_too_old_for_altair_is_told(monkeypatch):
    monkeypatch.setattr("altair.SCHEMA_VERSION", "v99.1.0")
    with pytest.raises(ImportError, match="needs a newer vl-convert-python"):
        javascript()


def test_curve_holds_both_paths_and_the_largest_class(selection):
    chart = curve_chart(selection)
    rows = rows_of(chart)
    by_series = {}
    for row in rows:
        by_series.setdefault(row["series"], []).append(row["mean"])
    np.testing.assert_allclose(
        by_series["this method"], selection.path["mean_test_score"], rtol=1e-5
    )
    np.testing.assert_allclose(
        by_series["random features"], selection.random_path["mean_test_score"], rtol=1e-5
    )
    np.testing.assert_allclose(
        by_series["always the largest class"], selection.majority_score, rtol=1e-5
    )
    assert chart["spec"]["params"] == [{"name": "k", "value": selection.n_features_to_select}]
    assert len(chart["table"]["rows"]) == len(selection.path["n_features"])


def test_heat_is_in_standard_deviations_inside_the_classes(selection):
    spreads = np.arange(1.0, len(selection.feature_names) + 1)
    rows = rows_of(heat_chart(replace(selection, spreads=spreads)))
    centers = selection.centers[:, selection.selected]
    expected = (centers - centers.mean(axis=0)) / spreads[selection.selected]
    np.testing.assert_allclose([row["z"] for row in rows], expected.T.ravel(), rtol=1e-5)


def test_heat_of_features_without_spread_is_zero(selection):
    flat = replace(selection, spreads=np.zeros_like(selection.spreads))
    assert {row["z"] for row in rows_of(heat_chart(flat))} == {0.0}


def test_heat_of_equal_centers_is_zero(selection):
    flat = replace(selection, centers=np.ones_like(selection.centers))
    assert {row["z"] for row in rows_of(heat_chart(flat))} == {0.0}


def test_samples_that_were_mostly_mistaken_are_ringed(selection):
    true = selection.true_codes
    wrong = (true + 1) % 3
    predicted = np.stack([true, true, wrong])
    predicted[:, 0] = [wrong[0], wrong[0], true[0]]
    predicted[:, 1] = -1
    rows = rows_of(scatter_chart(replace(selection, predicted=predicted), None))
    assert [row["wrong"] for row in rows] == [True] + [False] * (len(true) - 1)
    assert rows[1]["predicted"] == "never tested"
    assert rows[0]["id"] == "row 1"


def test_points_of_many_samples_are_spread_over_the_classes(selection):
    codes = np.arange(9000) % 3
    many = replace(
        selection,
        true_codes=codes,
        predicted=codes[None],
        subspace=np.random.default_rng(0).normal(size=(9000, 2)),
    )
    chart = scatter_chart(many, None)
    rows = rows_of(chart)
    labels, counts = np.unique([row["class"] for row in rows], return_counts=True)
    assert labels.size == 3
    assert counts.max() - counts.min() <= 1
    assert chart["n_shown"] == len(rows) < chart["n_samples"] == 9000


def test_means_that_are_not_known_are_left_out():
    names, none = ("name", "mean", "interval", "is_reference"), (np.nan, np.nan)
    rows = [("a", 0.5, (0.4, 0.7), False), ("b", np.nan, none, False), ("c", 0.4, none, True)]
    rows = [dict(zip(names, row, strict=True)) for row in rows]
    values = rows_of(means_chart(rows, "accuracy", "accuracy"))
    assert [row["name"] for row in values] == ["a", "c"]
    assert (values[0]["low"], values[0]["high"]) == (0.4, 0.7)
    assert (values[1]["low"], values[1]["high"]) == (0.4, 0.4)
    assert values[0]["text"] == "50\u00a0% (40 to 70\u00a0%)"
    assert means_chart(rows[1:2], "accuracy", "accuracy") is None


@pytest.mark.parametrize(("scoring", "has_percent"), [("accuracy", True), ("f1_macro", False)])
def test_axis_of_a_score_that_is_no_share_has_no_percent(selection, scoring, has_percent):
    spec = json.dumps(curve_chart(replace(selection, scoring=scoring))["spec"])
    assert ('".0%"' in spec) == has_percent


def test_roc_curve_has_the_area_that_is_told(evaluation):
    chart = charts_of(evaluation)["roc"]
    rows = rows_of(chart)
    assert (rows[0]["x"], rows[0]["y"], rows[-1]["x"], rows[-1]["y"]) == (0.0, 0.0, 1.0, 1.0)
    x, y = (np.array([row[axis] for row in rows]) for axis in "xy")
    assert np.trapezoid(y, x) == pytest.approx(evaluation.metrics["roc_auc"], abs=1e-4)
    assert f"{evaluation.metrics['roc_auc']:.3f}" in chart["description"]
    assert len(chart["table"]["rows"]) == len(rows)


def test_calibration_curve_has_the_share_of_the_class(evaluation):
    rows = rows_of(charts_of(evaluation)["calibration"])
    assert 2 <= len(rows) <= 10
    assert np.all(np.diff([row["x"] for row in rows]) >= 0)
    share = np.mean(evaluation.labels == "beta")
    assert np.mean([row["y"] for row in rows]) == pytest.approx(share, abs=0.05)


# ------------------------------------------------------------------ can it be believed


def test_histogram_counts_every_permutation(selection):
    chart = chance_chart(judged(selection))
    assert sum(row["count"] for row in rows_of(chart)) == 4
    (own,) = chart["spec"]["datasets"]["own"]
    assert own == {"score": 0.9, "label": "the labels: 90.0 %"}


def test_permutations_that_all_score_the_same_are_one_narrow_bar(selection):
    (row,) = rows_of(chance_chart(judged(selection, [0.4] * 9)))
    assert row == {"low": 0.395, "high": 0.405, "count": 9}


def test_learning_curve_has_the_spread_of_each_size(selection):
    chart = learning_chart(judged(selection))
    first = rows_of(chart)[0]
    spread = np.std([0.5, 0.6], ddof=1)
    assert first["n"] == 15
    np.testing.assert_allclose(
        [first["low"], first["score"], first["high"]], [0.55 - spread, 0.55, 0.55 + spread], 1e-4
    )


def test_learning_curve_goes_on_only_where_a_law_holds(selection):
    without = learning_chart(judged(selection))
    assert without["spec"]["datasets"]["line"] == []
    assert "law" not in without["caption"]
    law = learning_chart(judged(selection, law=np.array([0.95, 2.0, 0.7])))
    line = law["spec"]["datasets"]["line"]
    assert line[-1]["n"] == 90
    assert all(row["low"] < row["score"] < row["high"] for row in line)
    assert "95 % interval" in law["caption"]


def test_nothing_is_drawn_of_what_was_not_asked_for(selection):
    assert chance_chart(selection) is None
    assert learning_chart(selection) is None


def on_an_axis(selection, first=900, step=-10):
    names = np.arange(selection.feature_names.size) * step + first
    return replace(selection, feature_names=names.astype(str))


def test_bands_are_drawn_over_the_class_means_where_features_are_an_axis(selection):
    spectrum = on_an_axis(selection)
    chart = band_chart(spectrum)
    sets = chart["spec"]["datasets"]
    assert len(sets["rows"]) == len(selection.classes) * selection.feature_names.size
    assert sets["rows"][1] == {"code": 0, "x": 890, "y": pytest.approx(selection.centers[0, 1])}
    bands = spectrum.band_columns()
    assert [(band["end"], band["x"]) for band in sets["bands"]] == [
        (float(first) + 5, float(last) - 5)
        for first, last in zip(bands["first"], bands["last"], strict=True)
    ]
    assert [row[1] for row in chart["table"]["rows"]] == [str(n) for n in bands["n_features"]]
    assert spectrum.band_summary() in chart["description"]
    assert chart["spec"]["layer"][1]["encoding"]["x"]["scale"]["reverse"] is True


def test_axis_that_rises_is_not_turned_round(selection):
    chart = band_chart(on_an_axis(selection, 500, 10))
    assert chart["spec"]["layer"][1]["encoding"]["x"]["scale"]["reverse"] is False


def test_names_that_are_no_axis_have_no_bands(selection):
    assert band_chart(selection) is None


def test_many_features_of_an_axis_are_thinned_out(selection):
    wide = widened(selection, 5000, 3)
    wide = replace(wide, feature_names=np.arange(400, 5400).astype(str))
    assert len(rows_of(band_chart(wide))) <= 2000
