"""What the documentation shows is what happens."""

import doctest
import re
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import pytest
import sklearn
from sklearn.utils.fixes import parse_version

from centroidal.model_selection import METHODS, register_method

pytestmark = pytest.mark.once

ROOT = Path(__file__).parent.parent
PAGES = sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob("docs/[!_]*/*.rst"))
PAGES += sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob("docs/*.rst"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

mpl.use("Agg")


@pytest.fixture(autouse=True)
def same_methods_for_all():
    before = dict(METHODS)
    yield
    METHODS.clear()
    METHODS.update(before)


@pytest.mark.parametrize("page", [page for page in PAGES if ">>>" in (ROOT / page).read_text()])
def test_examples_of_the_page_print_what_it_shows(page):
    if "sparse_centers" in page and parse_version(sklearn.__version__) < parse_version("1.8"):
        pytest.skip("shows a method of calibration that scikit-learn has from 1.8 on")
    failed, tried = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=FLAGS)
    assert tried > 0
    assert failed == 0


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
