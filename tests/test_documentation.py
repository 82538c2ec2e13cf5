"""What the documentation shows is what happens."""

import doctest
import re
import shlex
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import matplotlib as mpl
import pytest
import sklearn
from sklearn.utils.fixes import parse_version

from centroidal.cli.main import main
from centroidal.model_selection import METHODS, register_method

pytestmark = pytest.mark.once

ROOT = Path(__file__).parent.parent
PAGES = sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob("docs/[!_]*/*.rst"))
PAGES += sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob("docs/*.rst"))
READERS = [page for page in PAGES if page.startswith("docs/readers/") and "index" not in page]
CONSOLE = re.compile(r"^\.\. code-block:: console\n\n((?:(?:   .*)?\n)+)", flags=re.M)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

mpl.use("Agg")


@pytest.fixture(autouse=True)
def same_methods_for_all():
    before = dict(METHODS)
    yield
    METHODS.clear()
    METHODS.update(before)


def run_examples(page):
    failed, tried = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=FLAGS)
    assert tried > 0
    assert failed == 0


def commands_of(page):
    """Commands of `centroidal` that a page shows, each with the lines below it."""
    for block in CONSOLE.findall((ROOT / page).read_text()):
        for part in re.split(r"^   \$ ", block, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            if command.startswith("centroidal "):
                yield shlex.split(command)[1:], dedent(shown)


@pytest.mark.parametrize("page", READERS)
def test_page_of_a_reader_runs_as_it_stands(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    run_examples(page)
    capsys.readouterr()
    for words, shown in commands_of(page):
        assert main(words) == 0
        printed = capsys.readouterr().out
        if shown.strip():
            assert doctest.OutputChecker().check_output(shown, printed, FLAGS), printed


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page not in READERS and ">>>" in (ROOT / page).read_text()],
)
def test_examples_of_the_page_print_what_it_shows(page):
    if "sparse_centers" in page and parse_version(sklearn.__version__) < parse_version("1.8"):
        pytest.skip("shows a method of calibration that scikit-learn has from 1.8 on")
    run_examples(page)


def test_example_of_the_readme_prints_what_it_shows(capsys):
    text = (ROOT / "README.md").read_text()
    code = text.split("```python\n")[1].split("```")[0]
    shown = text.split("```text\n")[1].split("```")[0]
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == shown


def test_table_of_methods_shows_all_of_them_and_a_new_one(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "_extensions")
    from docutils.core import publish_doctree
    from docutils.parsers.rst import directives
    from method_table import MethodCards, MethodTable

    directives.register_directive("method-table", MethodTable)
    directives.register_directive("method-cards", MethodCards)
    register_method(replace(METHODS["relief"], key="dummy", avoid="Anything but a test."))
    page = "".join(
        f".. {name}:: {kind}\n\n"
        for name in ("method-table", "method-cards")
        for kind in ("select", "compare")
    )
    shown = publish_doctree(page).astext().split("\n")
    for method in METHODS.values():
        assert method.key in shown
        assert f"{method.title}: {method.summary}" in shown
        assert f"{method.title}, {method.key}" in shown
        assert f"Mind: {method.avoid}" in shown
    assert "Mind: Anything but a test." in shown


# The main job first, then the families, and selectors last among them.
FAMILIES = {
    "README.md": ("select_features", "Sparse centers", "Disjoint centroids", "Fisher-subspace"),
    "docs/index.rst": (
        "select_features", "Sparse centers", "disjoint_centroids", "fisher_subspace",
        "user_guide/feature_selection",
    ),
    "docs/choosing.rst": (
        "select_features", "user_guide/sparse_centers", "user_guide/disjoint_centroids",
        "user_guide/fisher_subspace", "Selectors without a classifier",
    ),
    "docs/user_guide/index.rst": (
        "selecting", "honest", "believe", "sparse_centers", "disjoint_centroids",
        "fisher_subspace", "feature_selection",
    ),
    "docs/mathematics/index.rst": (
        "sparse_centers", "whitened_centers", "disjoint_centroids", "fisher_subspace",
        "l21_centroids", "recursive_ridge", "relieff", "linear_centroid", "sparse_centroid_",
    ),
    "docs/papers.rst": ("*Sparse centers*", "*Disjoint centroids*", "*Fisher subspaces*"),
    "docs/api/index.rst": (
        "select_features", "SparseCenter", "Whitened", "DisjointCentroid", "FisherSubspace",
        "L21Centroid", "RecursiveRidge", "ReliefF", "LinearCentroid", "SparseCentroidEncoder",
    ),
    "benchmarks/papers/results/inventory.csv": ("Calafiore", "Fraiman", "Rozza", "Xia"),
}  # fmt: skip


@pytest.mark.parametrize("page", FAMILIES)
def test_families_come_in_one_order(page):
    text = (ROOT / page).read_text()
    places = [text.index(word) for word in FAMILIES[page]]
    assert places == sorted(places)


def test_methods_come_in_the_order_of_the_families():
    keys = [key for key in METHODS if METHODS[key].selects]
    order = ("l2", "l1", "disjoint", "fisher", "l21", "recursive", "relief", "linear", "encoder")
    assert [key for key in keys if key in order] == list(order)


def test_readme_has_one_example():
    text = (ROOT / "README.md").read_text()
    assert text.count("```python\n") == text.count("```text\n") == 1


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_links_of_the_page_lead_to_files_that_are_there(page):
    links = re.findall(r"\]\(([^)#]+)", (ROOT / page).read_text())
    files = [link for link in links if "://" not in link]
    assert [file for file in files if not (ROOT / file).exists()] == []


def test_security_is_told_of_where_people_look():
    for page in ("README.md", "docs/user_guide/model_files.rst", "docs/development/index.rst"):
        assert "SECURITY.md" in (ROOT / page).read_text()
