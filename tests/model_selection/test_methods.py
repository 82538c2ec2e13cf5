"""The list of methods: each is complete, and a further one is found wherever methods are named."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from centroidal import ReliefFSelector
from centroidal.cli.main import build_parser, main
from centroidal.datasets import make_expression
from centroidal.model_selection import METHODS, Method, compare, comparison_lineup, register_method
from centroidal.model_selection.methods import (
    DataKind,
    best_candidates,
    draw_folds_once,
    selection_methods,
)
from centroidal.model_selection.procedures import RankedProcedure
from centroidal.persistence import load_model, save_model
from centroidal.persistence.trusted_types import ALLOWED, ESTIMATORS
from centroidal.report import build_report
from tests.cli.conftest import make_samples, write_csv

from ..l2 import select_features

pytestmark = pytest.mark.once

KEEP_COPIES = {"l2", "l1", "disjoint", "relief"}  # so the documentation says
QUICK = {"cv": 3, "n_repeats": 1, "random_state": 0}


class Bayes(GaussianNB):
    """A classifier that nobody else knows."""


def build_dummy(kind):
    from sklearn.preprocessing import StandardScaler

    return RankedProcedure(StandardScaler(), ReliefFSelector(n_neighbors=3), Bayes())


DUMMY = Method(
    "dummy",
    "Dummy ranking",
    "features of three neighbours, then naive Bayes",
    "A dummy that ranks by three neighbours.",
    "Trying out the list.",
    "Anything else.",
    "Nowhere.",
    build_dummy,
    selects=True,
    types=(f"{Bayes.__module__}.Bayes",),
)


@pytest.fixture
def dummy():
    """The list with one method more, and after the test as it was."""
    types = set(ESTIMATORS), set(ALLOWED["ObjectNode"])
    register_method(DUMMY)
    yield DUMMY
    del METHODS["dummy"]
    for known, before in zip((ESTIMATORS, ALLOWED["ObjectNode"]), types, strict=True):
        known.intersection_update(before)


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 30, n_informative=5, random_state=0)
    return data.data, data.target


# ------------------------------------------------------------------ a further method


def test_further_method_selects(dummy, genes):
    found = select_features(*genes, method="dummy", **QUICK)
    assert found.method == "dummy"
    assert found.score > 0.6
    assert isinstance(found.model.estimator_[-1], Bayes)


def test_further_method_may_be_the_best_one(dummy, genes):
    assert "dummy" in best_candidates(is_sparse=False)
    assert "dummy" in select_features(*genes, method="best", **QUICK).methods_tried


def test_further_method_is_compared(dummy, genes):
    member = comparison_lineup(30, n_classes=3)["dummy"]
    found = compare({"dummy": member}, *genes, **QUICK)
    assert found.table["mean_test_score"][0] > 0.6


def test_further_method_is_known_to_the_command_line(dummy, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "trees.csv", *make_samples())
    args = ["select", "trees.csv", "--target", "tree", "--method", "dummy", "--folds", "3"]
    assert build_parser().parse_args(args).method == "dummy"
    assert main([*args, "--repeats", "1", "--json", "--quiet"]) == 0
    assert '"method": "dummy"' in capsys.readouterr().out
    with pytest.raises(SystemExit):
        build_parser().parse_args(["select", "--help"])
    assert "dummy, features of three neighbours" in " ".join(capsys.readouterr().out.split())


def test_further_method_has_a_card_in_the_report(dummy, genes):
    page = build_report(select_features(*genes, method="dummy", **QUICK))
    for text in (DUMMY.title, DUMMY.description, DUMMY.pick, DUMMY.avoid, DUMMY.reference):
        assert text in page


def test_model_of_a_further_method_can_be_kept(dummy, genes, tmp_path):
    found = select_features(*genes, method="dummy", **QUICK)
    save_model(found.model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict(genes[0]), found.model.predict(genes[0]))


def test_keys_are_taken_once():
    with pytest.raises(ValueError, match="key='l2' is the key of another method"):
        register_method(METHODS["l2"])


# ------------------------------------------------------------------ those that are there


@pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))
def test_method_is_told_in_whole_sentences(method):
    assert method.key == next(key for key, each in METHODS.items() if each is method)
    for text in (method.description, method.pick, method.avoid, method.reference):
        assert text.endswith(".")
    assert not method.summary.endswith(".")
    assert method.link is None or method.link.startswith("https://")


@pytest.mark.parametrize("key", [key for key in selection_methods() if key != "encoder"])
def test_key_means_the_same_model_in_selection_and_comparison(key, genes):
    X, y = genes
    number = 8
    kind = DataKind(30, 3, cv=3, sizes=[number])
    chosen = METHODS[key].build(kind).classifier(kind)
    chosen.set_params(n_features_grid=[number])
    found = select_features(X, y, method=key, n_features_to_select=number, **QUICK)
    if len(found.classifier_scores) > 1:  # other folds may choose another one
        place = list(found.classifier_scores).index(found.classifier)
        chosen.set_params(estimator=chosen.estimator[place])
    np.testing.assert_array_equal(chosen.fit(X, y).predict(X), found.model.predict(X))


@pytest.mark.parametrize("key", selection_methods())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_of_ten_copies_and_what_complements_them_each_is_found_but_where_copies_stay(key, rng):
    if key == "encoder":
        pytest.importorskip("torch", reason="encoders need PyTorch")
    y = np.arange(240) % 3
    copied, other = ((y == c) + 0.2 * (1 + c) * rng.normal(size=240) for c in range(2))
    X, number = np.column_stack([*[copied] * 10, other]), 3 if key == "disjoint" else 2
    found = select_features(X, y, method=key, n_features_to_select=number, n_jobs=1, **QUICK)
    assert (10 in found.selected) == (key not in KEEP_COPIES)


def test_methods_that_take_long_or_dense_data_are_left_out_of_the_best():
    assert set(selection_methods()) - set(best_candidates(is_sparse=False)) == {"linear", "encoder"}
    assert set(best_candidates(False)) - set(best_candidates(is_sparse=True)) == {"l1"}


def test_list_of_methods_loads_no_library():
    code = (
        "import sys; import centroidal.model_selection.methods; "
        "print({'numpy', 'sklearn', 'numba'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"


def test_folds_are_drawn_once_for_several_methods_and_for_networks():
    assert draw_folds_once(["l2", "recursive"])
    assert draw_folds_once(["encoder"])
    assert not any(draw_folds_once([key]) for key in ("l2", "l21", "linear"))
