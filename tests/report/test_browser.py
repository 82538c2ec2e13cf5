"""The report as a reader has it: opened from a file, without a network, in a real browser."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from centroidal.model_selection import compare
from centroidal.report import write_report
from centroidal.report._text import class_labels, plus_minus

from ..l2 import select_features
from .samples import HOSTILE, judged, widened, with_names

DRAWN = "html[data-drawn]"
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 800}


class Reader:
    """A tab with a page, and what happened in it."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(offline=True, **{"viewport": WIDE} | options)
        self.page = self.context.new_page()
        self.troubles, self.requests = [], []
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.troubles.append("dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        if self.page.evaluate("typeof window.vegaEmbed") == "function":
            self.page.wait_for_selector(DRAWN, state="attached", timeout=20_000)

    def text(self, selector):
        return self.page.inner_text(selector)

    def texts(self, selector):
        return self.page.locator(selector).all_inner_texts()

    def names(self):
        return self.texts("#feature-table tbody th bdi")

    def column(self, number):
        return self.texts(f"#feature-table tbody td:nth-child({number})")

    def wait_until(self, is_so):
        for _ in range(200):
            if is_so():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError("it never was so")

    def move(self, position):
        self.page.locator("#k").fill(str(position))


@pytest.fixture
def read(browser):
    """Open pages, and afterwards see that nothing went wrong or was loaded in them."""
    readers = []

    def open_page(path, **options):
        readers.append((Reader(browser, path, **options), path))
        return readers[-1][0]

    yield open_page
    for reader, path in readers:
        assert reader.troubles == []
        assert reader.requests == [path.as_uri()]
        reader.context.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def report(selection, comparison, folder):
    path = folder / "report.html"
    write_report(path, selection, comparison, title="Tumours")
    return path


def test_all_charts_are_drawn_and_nothing_is_loaded(read, report):
    reader = read(report)
    assert reader.page.locator(".plot svg").count() == 6
    assert reader.page.title() == "Tumours"
    for box in reader.page.locator(".plot svg").all():
        assert box.bounding_box()["width"] > 500


def test_verdicts_and_their_charts_are_shown(read, selection, folder):
    path, found = folder / "judged.html", judged(selection, law=np.array([0.95, 2.0, 0.7]))
    write_report(path, found)
    reader = read(path, viewport=NARROW)
    assert reader.page.locator("#believe .plot svg").count() == 2
    assert reader.texts(".verdict") == [each.verdict for each in found.checklist()]
    assert "the labels: 90.0 %" in reader.page.locator("#chart-chance").text_content()
    assert reader.page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]


def test_slider_changes_score_features_and_confusion(read, report, selection):
    reader = read(report)
    sizes = selection.path["n_features"].tolist()
    chosen = sizes.index(selection.n_features_to_select)
    assert len(reader.names()) == selection.n_features_to_select
    assert reader.page.is_disabled("#back")
    for position in (0, len(sizes) - 1):
        reader.move(position)
        k = sizes[position]
        assert reader.text("#k-shown").startswith(f"{k}\u00a0feature")
        columns = ("mean_test_score", "se_test_score")
        values = (selection.path[column][position] for column in columns)
        assert reader.text("#score") == plus_minus(*values, "accuracy")
        expected = selection.feature_names[selection.ranking[:k]].tolist()
        assert reader.names() == expected
        assert reader.texts("#names li")[0] == expected[0]
        counts = [int(text) for text in reader.texts("#matrix-here tbody td")]
        assert counts == selection.confusion_path[position].ravel().tolist()
        recall = selection.confusion_path[position].diagonal() / 20
        shown = [f"{100 * share:.0f}\u00a0%" for share in recall]
        assert reader.texts("#recall-here td.number") == shown
    reader.page.click("#back")
    assert len(reader.names()) == sizes[chosen]
    assert reader.page.evaluate("document.activeElement.id") == "k"


def test_stand_ins_unfold_and_stay_so_when_the_slider_moves(read, folder):
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 2
    strong = rng.normal(size=(60, 3)) + 2.0 * codes[:, None]
    X = np.hstack([strong, strong + 0.1 * rng.normal(size=(60, 3))])
    found = select_features(
        X, codes, distinct=0.8, n_features_to_select=3, n_stand_ins=1, cv=4, n_repeats=1,
        random_state=0,
    )  # fmt: skip
    write_report(folder / "stand_ins.html", found)
    reader = read(folder / "stand_ins.html")
    assert not reader.page.is_visible(".stand-ins li")
    reader.page.locator(".stand-ins summary").first.press("Enter")
    assert reader.texts(".stand-ins li")[0].startswith(found.stand_in_names[0][0])
    reader.move(0)
    assert reader.page.is_visible(".stand-ins li")


def test_budget_has_no_slider(read, folder):
    rng = np.random.default_rng(0)
    codes = np.arange(40) % 2
    X = rng.normal(size=(40, 5)) + codes[:, None]
    found = select_features(
        X, codes, feature_costs=np.arange(1, 6), budget=6, cv=4, n_repeats=1, random_state=0
    )
    write_report(folder / "budget.html", found)
    reader = read(folder / "budget.html")
    assert not reader.page.is_visible("#k")
    assert reader.page.is_visible("#names")


def test_slider_works_by_keyboard_and_is_announced(read, report, selection):
    reader = read(report)
    sizes = selection.path["n_features"].tolist()
    reader.page.focus("#k")
    reader.page.keyboard.press("Home")
    reader.page.keyboard.press("ArrowRight")
    assert reader.text("#k-shown") == f"{sizes[1]}\u00a0features"
    value = reader.page.get_attribute("#k", "aria-valuetext")
    assert value == f"{sizes[1]}\u00a0features"
    reader.page.wait_for_selector("#announcement:not(:empty)", state="attached")
    text = reader.page.text_content("#announcement")
    assert text.startswith(f"{sizes[1]}\u00a0features: accuracy ")
    reader.page.keyboard.press("End")
    assert len(reader.names()) == len(selection.feature_names)


def test_curve_follows_the_slider_and_a_click(read, report, selection):
    reader = read(report)
    rule = reader.page.locator('#chart-curve line[stroke="var(--accent)"]')

    def place():
        return rule.bounding_box()["x"] if rule.count() == 1 else None

    chosen = place()
    reader.move(0)
    reader.wait_until(lambda: place() is not None and place() < chosen)
    first = place()
    dots = reader.page.locator("#chart-curve g.mark-symbol").last.locator("path")
    size = int(selection.path["n_features"][5])

    def follows_a_click():
        dots.nth(5).click(force=True)  # again, if the curve was being drawn anew
        return reader.text("#k-shown") == f"{size}\u00a0features"

    reader.wait_until(follows_a_click)
    reader.wait_until(lambda: place() is not None and place() > first)


def test_table_is_sorted_by_every_column(read, report, selection):
    reader = read(report)
    reader.page.check("#beyond")
    headers = reader.page.locator("#feature-table th[data-column]")
    n_columns = headers.count()
    assert n_columns == 4 + len(selection.classes)
    for number in [3, *range(4, n_columns)]:
        header = headers.nth(number - 1)
        header.locator("button").click()
        assert header.get_attribute("aria-sort") == "descending"
        cells = [
            float(re.sub("[\u00a0%]", "", text).replace("\u2212", "-"))
            for text in reader.column(number)
        ]
        assert cells == sorted(cells, reverse=True)
        assert reader.page.locator("#feature-table th[aria-sort]").count() == 1
    headers.nth(1).locator("button").click()
    assert reader.names() == [f"gene {j}" for j in range(40)]  # 2 before 10
    headers.nth(0).locator("button").click()
    assert [int(text) for text in reader.column(1)] == list(range(1, 41))


def test_search_looks_at_all_features(read, report, selection):
    reader = read(report)
    last = selection.feature_names[selection.ranking[-1]]
    reader.page.fill("#search", last.upper())
    found = [name for name in selection.feature_names[selection.ranking] if last in name]
    n_selected = len(set(found) & set(selection.selected_names))
    assert reader.names() == found
    assert reader.page.locator("tr.beyond").count() == len(found) - n_selected > 0
    assert "not selected" in reader.text("tr.beyond")
    assert f"{len(found)}\u00a0features found, {n_selected} of them selected." in reader.text(
        "#shown"
    )
    reader.page.fill("#search", "no such feature")
    assert reader.names() == []
    assert reader.text("#shown").startswith("0\u00a0features found")
    reader.page.fill("#search", "")
    assert len(reader.names()) == selection.n_features_to_select


def test_table_is_copied_as_text(read, report, selection):
    reader = read(report, permissions=["clipboard-read", "clipboard-write"])
    for has_clipboard in (True, False):
        check_copying(reader, selection, has_clipboard)


def test_names_that_are_copied_are_no_formulas(read, selection, folder):
    path = folder / "formulas.html"
    names = ["=cmd()", "-1+1", "'=cmd()", "plain = name"]
    write_report(path, replace(with_names(selection, names), n_features_to_select=4))
    reader = read(path, permissions=["clipboard-read", "clipboard-write"])
    reader.page.click("#copy")
    reader.page.wait_for_selector("#copied:not(:empty)", state="attached")
    lines = reader.page.evaluate("navigator.clipboard.readText()").splitlines()
    copied = [line.split("\t")[1] for line in lines[1:]]
    assert copied == ["'=cmd()", "'-1+1", "''=cmd()", "plain = name"]


def check_copying(reader, selection, has_clipboard):
    if not has_clipboard:
        reader.page.evaluate("() => navigator.clipboard.writeText('')")
        reader.page.evaluate(
            "() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }"
        )
    reader.page.click("#copy")
    k = selection.n_features_to_select
    reader.page.wait_for_selector("#copied:not(:empty)", state="attached")
    assert reader.text("#copied") == f"{k} rows copied, separated by tabs."
    lines = reader.page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0].split("\t")[:4] == ["rank", "feature", "gain", "selected_again"]
    assert len(lines) == k + 1
    first = lines[1].split("\t")
    assert first[1] == selection.selected_names[0]
    np.testing.assert_allclose(
        [float(cell) for cell in first[4:]], selection.centers[:, selection.selected[0]], rtol=1e-5
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_theme_follows_the_system_and_the_button(read, report, scheme):
    reader = read(report, color_scheme=scheme)

    def is_dark():
        colour = reader.page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3])) < 200

    assert is_dark() == (scheme == "dark")
    assert reader.page.get_attribute("#theme", "aria-pressed") == str(is_dark()).lower()
    reader.page.click("#theme")
    assert is_dark() == (scheme == "light")
    assert reader.page.get_attribute("#theme", "aria-pressed") == str(is_dark()).lower()
    reader.page.reload()
    reader.requests.pop()
    assert is_dark() == (scheme == "dark")  # remembers nothing


def test_page_is_not_wider_than_the_screen(read, report):
    reader = read(report, viewport=NARROW)
    for viewport in (NARROW, WIDE):
        reader.page.set_viewport_size(viewport)
        reader.wait_until(
            lambda: (
                reader.page.evaluate("document.documentElement.scrollWidth")
                == reader.page.viewport_size["width"]
            )
        )


def test_texts_have_enough_contrast_in_both_themes(read, report):
    reader = read(report)
    assert poor_contrasts(reader) == []
    reader.page.click("#theme")
    assert poor_contrasts(reader) == []


def poor_contrasts(reader):
    return reader.page.evaluate(
        """() => {
          const style = getComputedStyle(document.documentElement);
          const light = (name) => {
            const [r, g, b] = style.getPropertyValue(name).trim().slice(1).match(/../g)
              .map((each) => parseInt(each, 16) / 255)
              .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const ratio = (a, b) => {
            const [low, high] = [light(a), light(b)].sort((p, q) => p - q);
            return (high + 0.05) / (low + 0.05);
          };
          const pairs = [];
          for (const ground of ["--page", "--card"]) {
            for (const ink of ["--ink", "--muted", "--accent"]) pairs.push([ink, ground, 4.5]);
            for (let c = 0; c < 8; c += 1) pairs.push([`--c${c}`, ground, 3]);
          }
          pairs.push(["--c2", "--page", 4.5], ["--card", "--c1", 4.5]);
          pairs.push(["--warn", "--warn-soft", 4.5], ["--ink", "--accent-soft", 4.5]);
          for (const d of [0, 1, 7, 8]) pairs.push(["--on-strong", `--d${d}`, 3]);
          for (const d of [2, 3, 4, 5, 6]) pairs.push(["--ink", `--d${d}`, 4.5]);
          return pairs.filter(([a, b, least]) => ratio(a, b) < least)
            .map(([a, b]) => `${a} on ${b}: ${ratio(a, b).toFixed(2)}`);
        }"""
    )


def test_hostile_names_are_shown_and_nothing_runs(read, selection, comparison, folder):
    hostile = with_names(selection, HOSTILE)
    hostile = replace(hostile, classes=np.array(HOSTILE[:3], dtype=object), n_features_to_select=10)
    path = folder / "hostile.html"
    write_report(path, hostile, comparison, title=HOSTILE[1], command=HOSTILE[0])
    reader = read(path)
    reader.move(len(selection.path["n_features"]) - 1)
    shown = [text.strip() for text in reader.names()]
    for name in (*HOSTILE[:6], HOSTILE[7], HOSTILE[9]):
        assert name in shown
    drawn = "".join(reader.page.locator("#chart-heat text").all_text_contents())
    assert HOSTILE[0][:20] in drawn
    for mark in reader.page.locator("#chart-scatter g.mark-symbol path").all()[:3]:
        mark.hover(force=True)
    cell = reader.page.locator("#chart-heat .mark-rect path").first
    cell.scroll_into_view_if_needed()
    cell.hover(force=True)
    assert HOSTILE[0][:20] in reader.text(".tooltip")
    assert reader.page.evaluate("window.__pwned") is None
    assert reader.page.locator("main img, main script, main svg svg").count() == 0
    assert HOSTILE[1] in reader.text("h1")


@pytest.mark.parametrize(
    "labels",
    [
        ("__proto__", "constructor", "toString"),
        ("</script>", "\N{DNA DOUBLE HELIX} \N{MICROSCOPE}", ""),
        ("hasOwnProperty", "n" * 299 + "a", "n" * 299 + "b"),
    ],
)
def test_classes_of_any_name_have_their_place_in_every_chart(read, selection, folder, labels):
    named = replace(selection, classes=np.array(labels, dtype=object))
    path = folder / "classes.html"
    write_report(path, named, force=True)
    reader = read(path)
    shown = class_labels(named.classes, 40)
    assert len(set(shown)) == len(shown)
    for chart in ("heat", "scatter"):
        texts = reader.page.locator(f"#chart-{chart} text").all_text_contents()
        for label in shown:  # long ones are cut once more
            assert any(text and label.startswith(text.rstrip("…")) for text in texts), label
    cells = reader.page.locator("#chart-heat .mark-rect path").all()
    places = {round(cell.bounding_box()["x"]) for cell in cells}
    assert len(places) == len(labels)
    points = reader.page.locator("#chart-scatter .mark-symbol.role-mark path")
    colours = {point.get_attribute("fill") for point in points.all()} - {"transparent", None}
    assert len(colours) == len(labels)


def test_members_of_any_name_have_their_place_in_the_chart(read, folder):
    names = ("__proto__", "n" * 60 + "a", "n" * 60 + "b")
    members = {name: DummyClassifier() for name in names}
    X, y = np.arange(24.0).reshape(12, 2), np.arange(12) % 2
    path = folder / "members.html"
    write_report(path, comparison=compare(members, X, y, cv=2, n_repeats=1))
    reader = read(path)
    dots = reader.page.locator("#chart-means .mark-symbol.role-mark path").all()
    assert len({round(dot.bounding_box()["y"]) for dot in dots}) == len(names)
    assert "__proto__" in reader.page.locator("#chart-means text").all_text_contents()


def test_many_features_are_shown_some_at_a_time(read, selection, folder):
    path = folder / "many.html"
    write_report(path, widened(selection, 20_000, 6))
    reader = read(path)
    n_embedded = reader.page.evaluate(
        "JSON.parse(document.getElementById('report-data').textContent).selection.features.length"
    )
    assert n_embedded > 2000
    assert len(reader.names()) == 200
    assert "20,000\u00a0features selected" in reader.text("#shown")
    reader.page.click("#more")
    assert len(reader.names()) == 400
    reader.page.fill("#search", "0")
    assert len(reader.names()) == 200
    assert int(re.match("[0-9,]+", reader.text("#shown"))[0].replace(",", "")) > 1000
    reader.page.click("th[data-column=name] button")
    assert reader.names() == sorted(reader.names())
    assert len(reader.names()) == 200


def test_page_is_printed_open_and_without_controls(read, report):
    reader = read(report)
    assert reader.page.locator("details.card[open]").count() == 1
    assert reader.page.pdf(format="A4").startswith(b"%PDF")
    assert reader.page.locator("details.card[open]").count() == 1
    reader.page.emulate_media(media="print", color_scheme="dark")
    assert not reader.page.is_visible("#k")
    assert not reader.page.is_visible("#search")
    assert reader.page.is_visible("#score")
    page_colour = reader.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert page_colour == "rgb(255, 255, 255)"


def test_keyboard_reaches_the_answer_and_every_control(read, report):
    reader = read(report)
    reader.page.keyboard.press("Tab")
    assert reader.page.evaluate("document.activeElement.className") == "skip"
    reader.page.keyboard.press("Enter")
    assert reader.page.evaluate("document.activeElement.id") == "answer"
    seen = []
    for _ in range(16):
        reader.page.keyboard.press("Tab")
        seen.append(reader.page.evaluate("document.activeElement.id"))
    assert [each for each in seen if each in ("k", "search", "beyond", "copy")] == [
        "k",
        "search",
        "beyond",
        "copy",
    ]


def test_comparison_alone_is_drawn(read, comparison, folder):
    path = folder / "comparison.html"
    write_report(path, comparison=comparison)
    reader = read(path)
    assert reader.page.locator(".plot svg").count() == 1


def test_evaluation_is_drawn(read, evaluation, folder):
    path = folder / "evaluation.html"
    write_report(path, evaluation=evaluation)
    reader = read(path)
    assert reader.page.locator(".plot svg").count() == 2


def test_page_without_scripts_has_its_tables(read, report, selection):
    reader = read(report, java_script_enabled=False)
    assert len(reader.names()) == selection.n_features_to_select
    assert "Scripts are switched off" in reader.text("main")
    assert not reader.page.is_visible("#explorer")
    assert not reader.page.is_visible("#feature-controls")


def test_page_without_scripts_has_its_charts_as_pictures(read, report):
    reader = read(report, java_script_enabled=False)
    plots = reader.page.locator(".plot")
    assert plots.count() > 3
    for place in range(plots.count()):
        box = plots.nth(place).locator("svg").bounding_box()
        assert box["width"] > 300
        assert box["height"] > 60
