import json
import re
import subprocess
import sys
from dataclasses import replace
from datetime import date
from functools import partial
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest

from centroidal.report import build_report, write_report
from centroidal.streaming import batches

from ..l2 import select_features
from .samples import HOSTILE, make_evaluation, make_selection, widened, with_names

DAY = date(2024, 5, 17)
VOID = {"meta", "link", "input", "br", "img", "hr"}


class Page(HTMLParser):
    """Elements of a page with their attributes, ids, headings, and text by element."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.texts = [], [], {}
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for tag, attributes in self.open:
            self.texts.setdefault(attributes.get("id", tag), []).append(data)

    def all(self, tag):
        return [attributes for each, attributes in self.elements if each == tag]

    @property
    def ids(self):
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]

    def text(self, key):
        return " ".join(" ".join(self.texts.get(key, [])).split())


@pytest.fixture(scope="module")
def page(selection):
    return build_report(selection, title="Tumours", date=DAY)


@pytest.fixture(scope="module")
def parsed(page):
    return Page(page)


def table_of(selection, **values):
    n_samples, n_features = len(selection.true_codes), len(selection.feature_names)
    rng = np.random.default_rng(0)
    return SimpleNamespace(
        **{
            "X": rng.normal(size=(n_samples, n_features)),
            "ids": np.array([f"patient {row}" for row in range(n_samples)]),
            "target": "tumour",
            "remarks": ("1 duplicate sample id, kept: 's4'.",),
            "source": "tumours.csv",
            "digest": "ab" * 32,
        }
        | values
    )


def data_of(page):
    return json.loads(re.search(r'id="report-data">(.*?)</script>', page, re.DOTALL)[1])


# ------------------------------------------------------------------ the page as a whole


def test_page_is_one_well_formed_document(page, parsed):
    assert page.lstrip().startswith("<!DOCTYPE html>")
    assert len(parsed.ids) == len(set(parsed.ids))
    assert parsed.text("title") == "Tumours"
    assert parsed.all("html") == [{"lang": "en"}]


def test_headings_are_in_order(parsed):
    levels = [int(tag[1]) for tag, _ in parsed.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))


def test_contents_lead_to_every_section_by_its_title(page, parsed, evaluation):
    for text, read in ((page, parsed), (build_report(evaluation=evaluation), None)):
        read = read or Page(text)
        sections = [each["id"] for each in read.all("section")]
        links = re.findall(r'<li><a href="#([a-z]+)">([^<]+)</a></li>', text)
        assert [place for place, _ in links] == sections
        assert all(title in text.partition("<main>")[2] for _, title in links)


def test_charts_are_pictures_as_well_each_with_names_of_its_own(page, parsed):
    plots = [each["data-chart"] for each in parsed.all("div") if "data-chart" in each]
    assert len(parsed.all("svg")) == len(plots) > 3
    assert len(set(parsed.ids)) == len(parsed.ids)
    used = re.findall(r"url\(#([^)]+)\)", page.partition('id="report-data"')[0])
    assert used
    assert set(used) <= set(parsed.ids)


def test_nothing_is_loaded(page, parsed):
    for tag, attributes in parsed.elements:
        assert "src" not in attributes
        target = attributes.get("href", "#")
        is_inside = target.startswith(("#", "data:"))
        assert is_inside or (tag == "a" and target.startswith("https://"))
    assert not re.search(r"url\(|@import", "".join(parsed.texts["style"]))
    (policy,) = [meta["content"] for meta in parsed.all("meta") if "http-equiv" in meta]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert "http" not in policy


def test_landmarks_labels_and_captions_are_there(parsed):
    for tag in ("header", "main", "footer"):
        assert len(parsed.all(tag)) == 1
    labelled = {each["for"] for each in parsed.all("label") if "for" in each}
    assert {"k", "search"} <= labelled
    assert len(parsed.all("caption")) == len(parsed.all("table"))
    assert all("scope" in each for each in parsed.all("th"))
    assert all(each["aria-label"] for each in parsed.all("div") if "data-chart" in each)
    titles = {each["aria-labelledby"] for each in parsed.all("section")}
    assert titles <= set(parsed.ids)


def test_same_input_and_date_give_the_same_page(selection, page):
    assert build_report(selection, title="Tumours", date=DAY) == page


def test_date_is_that_of_today_or_as_given(selection, parsed):
    assert parsed.text("time") == "17 May 2024"
    today = Page(build_report(selection)).all("time")[0]["datetime"]
    assert date.fromisoformat(today) <= date.today()


def test_importing_the_report_loads_none_of_its_packages():
    heavy = {"altair", "vl_convert", "jinja2"}
    code = f"import centroidal.report, sys; print({heavy!r} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize("missing", ["altair", "jinja2"])
def test_missing_package_is_named_with_its_extra(selection, missing, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=rf"{missing}: pip install 'centroidal\[report\]'"):
        build_report(selection)


def test_something_is_needed():
    with pytest.raises(ValueError, match="selection=None and comparison=None"):
        build_report()


# ------------------------------------------------------------------ what is said


def test_answer_is_a_sentence_with_its_references(selection, parsed):
    answer = parsed.text("answer")
    k = selection.n_features_to_select
    score, (low, high) = 100 * selection.score, 100 * np.array(selection.interval)
    assert f"{k} of 40 features tell the 3 classes apart" in answer
    assert (
        f"{score:.0f} % of cases (95 % interval {low:.0f} to {high:.0f} %; random features: "
        in answer
    )
    assert "always the largest class: " in answer
    assert "Mind:" not in answer


def test_answer_that_does_not_beat_random_features_says_so(selection):
    same = replace(selection, random_score=selection.score)
    answer = Page(build_report(same)).text("answer")
    assert "features were selected" in answer
    assert "tell the" not in answer
    assert "does not beat as many random features by two standard errors" in answer
    assert "the difference is +0 points" in answer


def test_table_tells_the_question_the_data_and_how_to_do_it_again(selection):
    text = Page(
        build_report(selection, table=table_of(selection), command="centroidal select t.csv")
    )
    for part in ("Target tumour", "Source tumours.csv", "Samples 60", "1 duplicate sample id"):
        assert part in text.text("question")
    for part in ("centroidal select t.csv", "ab" * 32, "Seed 0", "4 folds", "numpy"):
        assert part in text.text("reproduce")
    assert text.text("title") == "Feature selection: tumours.csv"


def test_sections_are_there_only_with_their_data(selection, comparison):
    full, json_number = (
        Page(build_report(selection, comparison)),
        Page(build_report(replace(selection, stability=None))),
    )
    alone = Page(build_report(comparison=comparison))
    assert "stability" in full.ids
    assert "stability" not in json_number.ids
    assert "Other classifiers" in full.text("comparison")
    assert "Other classifiers" not in json_number.text("comparison")
    for name in ("curve", "features", "centers", "subspace", "stability"):
        assert name not in alone.ids
    for name in ("answer", "question", "comparison", "recall", "caveats", "reproduce", "methods"):
        assert name in alone.ids


def test_comparison_is_told_whole(comparison):
    page = Page(build_report(comparison=comparison))
    text = page.text("comparison")
    for name in comparison.names:
        assert name in text
    assert "reference" in text
    assert f"{comparison.baseline} is right in" in page.text("answer")
    assert "Without a card here: my <b>own</b>" in page.text("methods")


def test_comparison_that_beats_no_reference_says_so(comparison):
    table = dict(comparison.differences)
    table["high_difference"] = np.zeros(3)
    level = replace(comparison, differences=table)
    text = Page(build_report(comparison=level)).text("answer")
    assert "there to be beaten, and not shown to be beaten" in text


def test_comparison_has_the_intervals_of_scores_and_differences(comparison):
    page = Page(build_report(comparison=comparison))
    best = comparison.names.index(comparison.baseline)
    columns = (comparison.table[f"{end}_test_score"][best] for end in ("low", "high"))
    low, high = (f"{100 * end:.0f}" for end in columns)
    assert f"95 % interval {low} to {high} %" in page.text("answer")
    row = next(row for row in range(3) if row != best)
    columns = (comparison.differences[f"{end}_difference"][row] for end in ("low", "high"))
    low, high = (f"{100 * end:+.0f}".replace("-", "\u2212") for end in columns)
    assert f"({low} to {high} %)" in page.text("comparison")


def test_score_that_is_no_share_is_a_number(comparison):
    loss = replace(comparison, score_name="neg_log_loss")
    text = Page(build_report(comparison=loss)).text("answer")
    mean = loss.table["mean_test_score"].max()
    assert f"has a log loss (less is better) of {-mean:.3f}".replace("-", "\u2212") in text


def test_method_and_references_of_a_selection_have_cards(page):
    for title in ("Sparse l2 centers", "Random features", "Majority class"):
        assert f"<h3>{title}</h3>" in page
    assert "Without a card" not in page


def test_all_metrics_are_told_with_their_intervals(selection):
    page = Page(build_report(selection))
    for row in selection.metric_rows():
        assert " ".join(row) in page.text("scores")
    assert {"chart-roc", "chart-calibration"} <= set(page.ids)
    assert f"{selection.metrics['roc_auc']:.3f}" in page.text("scores")


def test_costs_are_told(selection):
    costs = np.array([[0.0, 1.0, 2.5], [7.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    told = replace(
        selection, costs=costs, metrics=selection.metrics | {"cost": 0.25},
        intervals=selection.intervals | {"cost": (0.125, 0.5)},
    )  # fmt: skip
    page = Page(build_report(told))
    assert "least expected cost; on average they cost 0.250" in page.text("answer")
    assert "Decision the class of the least expected cost" in page.text("question")
    assert "mean cost of a prediction (less is better) 0.250 0.125 to 0.500" in page.text("scores")
    assert "alpha 0 1 2.5" in page.text("scores")


def test_losses_are_told_as_positive_numbers(selection):
    told = replace(
        selection, scoring="neg_log_loss", score=-0.25, se_score=0.02, interval=(-0.31, -0.22),
        random_score=-0.9, se_random=0.1, majority_score=-1.1,
    )  # fmt: skip
    page = build_report(told)
    text = Page(page).text("answer").replace("\u00a0", " ")
    assert "log loss (less is better) of 0.250 (95 % interval 0.220 to 0.310" in text
    assert "random features: 0.900, the sizes of the classes alone: 1.100" in text
    shown = data_of(page)["selection"]
    assert shown["scores"] == pytest.approx(-told.path["mean_test_score"], rel=1e-5)
    rows = data_of(page)["charts"]["curve"]["datasets"]["rows"]
    assert {row["series"] for row in rows} >= {"the sizes of the classes alone"}


def test_stability_is_told_in_words(selection):
    text = Page(build_report(selection)).text("stability")
    low, high = selection.stability.stability_interval_
    assert f"{selection.stability.stability_:.2f} stability index" in text
    assert f"interval {low:.2f} to {high:.2f}" in text
    assert "agreement" in text


def test_comment_is_shown(selection):
    assert "Ask Ann <ann@example.org>" in Page(
        build_report(selection, comment="Ask Ann <ann@example.org>")
    ).text("header")


# ------------------------------------------------------------------ names and sizes


def test_hostile_texts_are_text(selection, comparison):
    hostile = with_names(selection, HOSTILE)
    classes = np.array(HOSTILE[:3], dtype=object)
    named = replace(hostile, classes=classes, n_features_to_select=10)
    evil = HOSTILE[1]
    table = table_of(
        named,
        source=evil,
        target=evil,
        remarks=(evil,),
        digest=evil,
        ids=np.array([evil] * len(named.true_codes), dtype=object),
    )
    page = build_report(named, comparison, table=table, command=evil, title=evil, comment=evil)
    parsed = Page(page)
    assert len(parsed.all("script")) == 3
    assert parsed.all("img") == []
    drawn = parsed.all("svg")  # by Vega, each in its place
    assert len(drawn) == sum("data-chart" in each for each in parsed.all("div"))
    assert all(each["class"] == "marks" for each in drawn)
    assert not [name for _, each in parsed.elements for name in each if name.startswith("on")]
    assert HOSTILE[0] in parsed.text("features")
    assert "49" not in parsed.text("feature-table").split()
    data = data_of(page)
    assert data["selection"]["features"][0][0] == HOSTILE[0]
    assert data["selection"]["features"][6][0] == "line\u2028separator\u2029 \ufffd \ufffd"
    assert data["selection"]["features"][9][0] == "n" * 300
    assert page.encode()


def test_names_are_values_of_charts_not_fields(selection):
    named = with_names(selection, HOSTILE)
    specs = json.dumps(
        {
            name: {key: value for key, value in spec.items() if key != "datasets"}
            for name, spec in data_of(build_report(named))["charts"].items()
        }
    )
    assert "onerror" not in specs
    assert "a.b[c]" not in specs


@pytest.mark.parametrize(("n_features", "length"), [(20_000, 300), (20_000, 6), (3, 300)])
def test_page_is_below_two_megabytes(selection, n_features, length):
    page = build_report(widened(selection, n_features, length))
    assert len(page.encode()) < 2_000_000
    n_embedded = len(data_of(page)["selection"]["features"])
    text = Page(page).text("features")
    if n_embedded == n_features:
        assert f"holds all {n_features:,} features" in text
    else:
        assert f"holds the first {n_embedded:,} of {n_features:,} features" in text
        assert "--features F.csv writes the full list" in text


@pytest.mark.parametrize("n_classes", [30, 300])
def test_many_classes_and_samples_are_below_two_megabytes(selection, n_classes):
    n_samples, n_sizes = 20_000, len(selection.path["n_features"])
    rng = np.random.default_rng(0)
    codes = np.arange(n_samples) % n_classes
    confusion = rng.integers(1, 5, size=(n_classes, n_classes))
    many = replace(
        selection,
        classes=np.array([f"{code:03}".ljust(300, "\u5b57") for code in range(n_classes)]),
        class_counts=np.bincount(codes),
        centers=rng.normal(size=(n_classes, len(selection.feature_names))),
        confusion=confusion,
        confusion_path=np.stack([confusion] * n_sizes),
        true_codes=codes,
        predicted=codes[None],
        subspace=rng.normal(size=(n_samples, 2)),
    )
    ids = np.array([f"{row:05}".ljust(300, "\u5b57") for row in range(n_samples)])
    page = build_report(many, table=table_of(many, ids=ids))
    assert len(page.encode()) < 2_000_000
    assert "of 20,000 samples" in Page(page).text("subspace")
    assert "most frequent mistakes" in Page(page).text("recall")


@pytest.mark.parametrize(
    "options",
    [
        {"n_classes": 2, "n_features": 1},
        {"n_classes": 2, "n_features": 5, "n_resamples": 0, "scoring": "balanced_accuracy"},
        {"n_classes": 5, "n_features": 12, "method": "l1", "rule": "best"},
    ],
    ids=["one feature", "balanced", "medians"],
)
def test_other_selections_have_a_page(options):
    selected = make_selection(**options)
    page = Page(build_report(selected))
    told = "balanced accuracy" if selected.scoring != "accuracy" else "is right in"
    assert told in page.text("answer")
    assert ("median of the class" in page.text("features")) == (selected.method == "l1")


# ------------------------------------------------------------------ writing


def test_file_holds_the_page(selection, page, tmp_path):
    path = tmp_path / "report.html"
    write_report(path, selection, title="Tumours", date=DAY)
    assert path.read_text(encoding="utf-8") == page
    assert list(tmp_path.iterdir()) == [path]


def test_file_is_overwritten_only_by_force(selection, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="force=True"):
        write_report(path, selection)
    assert path.read_text() == "mine"
    write_report(str(path), selection, force=True)
    assert path.stat().st_size > 100_000


def test_file_must_be_html(selection, tmp_path):
    with pytest.raises(ValueError, match="must end in .html"):
        write_report(tmp_path / "report.pdf", selection)


def test_samples_that_were_read_in_batches_are_not_drawn(selection, tmp_path):
    np.savez(tmp_path / "table.npz", X=np.eye(3), kind=["a", "b", "a"])
    rows = batches(tmp_path / "table.npz", target="kind")
    nothing = dict.fromkeys(("predicted", "probabilities", "true_codes", "subspace", "stability"))
    streamed = replace(selection, **nothing, n_repeats=1)
    page = Page(build_report(streamed, table=rows, date=DAY))
    assert "chart-scatter" not in page.ids
    assert "chart-curve" in page.ids
    assert "no picture of the samples: they were read in batches" in page.text("subspace")
    assert "Folds that were drawn once." in page.text("caveats")
    assert "Pictures of probabilities need every sample" in page.text("scores")
    assert "chart-roc" not in page.ids
    assert "Samples 60" in page.text("question")
    assert "table.npz" in page.text("reproduce")


# ------------------------------------------------------------------ external validation


def test_an_evaluation_has_a_page_of_its_own(evaluation):
    page = build_report(evaluation=evaluation, command="centroidal evaluate m.skops", date=DAY)
    parsed = Page(page)
    assert parsed.text("title") == "External validation"
    assert evaluation.summary()[1:] in parsed.text("answer")
    assert [cell for row in evaluation.rows() for cell in row if cell not in page] == []
    assert set(data_of(page)["charts"]) == {"roc", "calibration"}
    assert "centroidal evaluate m.skops" in parsed.text("reproduce")
    for check in (test_headings_are_in_order, partial(test_nothing_is_loaded, page)):
        check(parsed)
    assert len(parsed.all("caption")) == len(parsed.all("table"))


def test_an_evaluation_of_three_classes_has_curves_of_each():
    found = make_evaluation(("a", "b", "c"), groups=np.arange(60) // 2)
    page = build_report(evaluation=found)
    charts = data_of(page)["charts"]
    assert set(charts) == {"roc", "calibration"}
    for chart in charts.values():
        assert {row["code"] for row in chart["datasets"]["rows"]} == {0, 1, 2}
    assert "30" in Page(page).text("reproduce")


def test_an_evaluation_on_the_table_of_training_says_so(evaluation):
    page = build_report(evaluation=replace(evaluation, same_table=True))
    assert "that is no evidence" in Page(page).text("answer")


def test_hostile_classes_of_an_evaluation_are_text():
    parsed = Page(build_report(evaluation=make_evaluation(HOSTILE[:2])))
    assert parsed.all("img") == []
    assert len(parsed.all("script")) == 3
    assert all(label in parsed.text("recall") for label in HOSTILE[:2])


def test_an_evaluation_is_not_told_with_a_selection(evaluation, selection):
    with pytest.raises(ValueError, match="only, and always, with evaluation"):
        build_report(selection, evaluation=evaluation)


# ------------------------------------------------------------------ panels and stand-ins


@pytest.fixture(scope="module")
def with_copies():
    """A selection of distinct features, of which each has a copy that can stand in."""
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 2
    strong = rng.normal(size=(60, 3)) + 2.0 * codes[:, None]
    X = np.hstack([strong, strong + 0.1 * rng.normal(size=(60, 3)), rng.normal(size=(60, 4))])
    return partial(
        select_features, X, codes, feature_names=[f"gene {j}" for j in range(10)], cv=4,
        n_repeats=1, random_state=0,
    )  # fmt: skip


def test_row_of_a_feature_unfolds_to_its_stand_ins(with_copies):
    found = with_copies(distinct=0.8, n_features_to_select=3, n_stand_ins=2)
    page = Page(build_report(found))
    assert len([each for each in page.all("details") if each.get("class") == "stand-ins"]) == 3
    for (name,) in found.stand_in_names:
        assert f"{name} correlation" in page.text("feature-table")


def test_other_signatures_are_told(with_copies):
    found = with_copies(distinct=0.8, n_features_to_select=3, n_stand_ins=2)
    text = Page(build_report(found)).text("features")
    assert "Other signatures that do as well" in text
    assert "Other signatures" not in Page(build_report(with_copies())).text("features")


def test_wishes_are_told_with_the_question_and_beside_the_features(with_copies):
    wished = {"include": ["gene 9"], "exclude": ["gene 0", "gene 1"]}
    page = Page(build_report(with_copies(**wished, n_features_to_select=3)))
    assert "Must be in gene 9" in page.text("question")
    assert "Must stay out gene 0, gene 1" in page.text("question")
    assert "gene 9 must be in" in page.text("feature-table")


def test_budget_is_told_and_has_no_slider_as_each_has_another_list(with_copies):
    found = with_copies(feature_costs=np.arange(1, 11), budget=8)
    page = build_report(found)
    assert f"8, of which {found.panel['spent']:g} are spent" in Page(page).text("question")
    assert "cost 1" in Page(page).text("feature-table")
    assert f'"sizes":[{found.n_features_to_select}]' in page


def test_markers_name_their_class(with_copies):
    page = Page(build_report(with_copies(per_class=1)))
    assert "marker of 1" in page.text("feature-table")


def test_hostile_names_of_stand_ins_are_text(with_copies):
    found = with_copies(distinct=0.8, n_features_to_select=3, n_stand_ins=2)
    named = replace(found, feature_names=np.array(HOSTILE, dtype=object))
    page = Page(build_report(named))
    assert page.all("img") == []
    assert len(page.all("script")) == 3
