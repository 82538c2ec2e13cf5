"""What a notebook shows of a selection or a comparison."""

from copy import deepcopy
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pandas
import pytest
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.fixes import parse_version

from centroidal.datasets import make_expression
from centroidal.inspection import PathDisplay
from centroidal.io import evaluate_model
from centroidal.model_selection import compare
from centroidal.persistence import load_model, read_model_card, save_model

from ..l2 import select_features


@pytest.fixture(scope="module")
def genes():
    return make_expression(40, 30, n_informative=5, random_state=0)


@pytest.fixture(scope="module")
def found(genes):
    return select_features(genes.data, genes.target, n_repeats=1, random_state=0)


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in ("polyline", "circle"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_selection_shows_answer_curve_and_first_features(found):
    page = found._repr_html_()
    tags = Tags(page).seen
    assert found.summary().split(";")[0] in page
    assert tags.count("svg") == 1
    assert tags.count("tr") == 1 + min(10, found.n_features_to_select)
    assert str(found.selected_names[0]) in page


def test_curve_has_a_point_for_each_number_of_features(found):
    page = found._repr_html_()
    svg = ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])
    points = svg.find("polyline").get("points").split()
    assert len(points) == np.isfinite(found.path["mean_test_score"]).sum()
    assert len(svg.findall("circle")) == 1


def test_model_shows_what_its_selection_found_and_so_does_its_file(found, tmp_path):
    save_model(found.model, tmp_path / "m.skops")
    for model in (found.model, load_model(tmp_path / "m.skops")):
        page = told(model)
        assert f"{found.n_features_to_select} of 30 features, 3 classes (0, 1, 2)" in page
        assert found.summary() in page
        assert curve_of(page) == curve_of(found._repr_html_())
        assert page.count("<tr>") == 1 + min(10, found.n_features_to_select)
        assert f"<td>1</td><td>{found.selected_names[0]}</td>" in page


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.8"),
    reason="the diagram of scikit-learn fails on parameters that are arrays",
)
def test_model_behind_steps_and_costs_shows_the_names_of_the_columns(genes):
    X = pandas.DataFrame(genes.data, columns=[f"<b>{column}" for column in range(30)])
    options = {"impute": "mean", "costs": 1.0 - np.eye(3), "n_repeats": 1, "random_state": 0}
    found = select_features(X, genes.target, **options)
    page = told(found.model)
    assert escape(found.selected_names[0]) in page
    assert found.summary() in page
    assert "<b>" not in page


def test_model_that_learns_other_samples_forgets_the_selection(found, genes):
    model = deepcopy(found.model).fit(genes.data, genes.target)
    assert found.summary() not in told(model)


def told(model):
    """What is shown of a model above the diagram of scikit-learn."""
    page = model._repr_html_()
    page = page[: page.index("<style>")]
    Tags(page)
    return page


def curve_of(page):
    return page[page.index("<svg") : page.index("</svg>")]


def test_names_are_text(found):
    names = found.feature_names.astype(object)
    names[found.selected[0]] = "<script>alert(1)</script>"
    page = replace(found, feature_names=names)._repr_html_()
    assert "script" not in Tags(page).seen
    assert "&lt;script&gt;" in page


def test_comparison_shows_the_best_first(genes):
    members = {"bayes <b>": GaussianNB(), "majority": DummyClassifier()}
    shown = compare(members, genes.data, genes.target, cv=3, n_repeats=1, random_state=0)
    page = shown._repr_html_()
    assert Tags(page).seen.count("tr") == 3
    assert page.index("bayes &lt;b&gt;") < page.index("majority")


def test_card_of_a_model_shows_what_it_is_and_the_first_features(found, tmp_path):
    names = [f"<b>{each}" for each in range(30)]
    metadata = {"score": found.score, "selected_features": names, "left_out": ["age"]}
    save_model(found.model, tmp_path / "m.skops", metadata=metadata)
    page = read_model_card(tmp_path / "m.skops")._repr_html_()
    assert Tags(page).seen.count("strong") == 1
    assert "<strong>ConformalClassifier of " in page
    assert f"<td>score</td><td>{found.score:.4g}</td>" in page
    assert "30, first &lt;b&gt;0, &lt;b&gt;1" in page


def test_evaluation_shows_its_summary_and_scores(found, genes):
    shown = evaluate_model(found.model, genes.data, genes.target)
    page = shown._repr_html_()
    assert shown.summary().split(" (")[0] in page
    assert Tags(page).seen.count("tr") == 1 + len(shown.rows())


def test_frame_has_the_features_in_the_order_of_their_rank(found):
    frame = found.to_frame()
    assert frame["feature"].tolist() == found.selected_names.tolist()
    assert frame["rank"].tolist() == list(range(1, found.n_features_to_select + 1))


def test_plot_draws_the_path_and_marks_the_choice(found):
    display = found.plot()
    assert isinstance(display, PathDisplay)
    assert display.lines_[0].get_xdata().tolist() == found.path["n_features"].tolist()
    assert display.chosen_line_ is not None
