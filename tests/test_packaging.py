"""What others package is in line with what the project says of itself."""

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

import centroidal
from centroidal.cli.main import build_parser

pytestmark = pytest.mark.once
ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def floors(requirements):
    """Name and floor of each requirement, without references to our own extras."""
    plain = [each for each in requirements if not each.startswith("centroidal")]
    return dict(re.fullmatch(r"([\w.-]+)(?:\[.*\])?>=([\d.]+)", each).groups() for each in plain)


def test_conda_recipe_asks_for_what_the_project_asks_for():
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    listed = dict(re.findall(r"^    - ([\w-]+) >=([\d.]+)$", recipe.partition("  run:")[2], re.M))
    extras = PROJECT["optional-dependencies"]
    expected = floors(
        [*PROJECT["dependencies"], *extras["cli"], *extras["report"], *extras["io"]]
        + extras["persist"]
    )
    assert listed == expected | {"python": PROJECT["requires-python"].removeprefix(">=")}
    assert f'version = "{centroidal.__version__}"' in recipe


def test_galaxy_wrapper_gives_options_that_the_command_has():
    tool = ElementTree.parse(ROOT / "packaging" / "galaxy" / "centroidal_select.xml").getroot()
    assert tool.get("version") == f"{centroidal.__version__}+galaxy0"
    words = re.findall(r"--[a-z-]+", ElementTree.tostring(tool, encoding="unicode"))
    (commands,) = (each for each in build_parser()._actions if each.dest == "command")
    known = commands.choices["select"]._option_string_actions
    assert set(words) <= set(known)
    methods = [each.get("value") for each in tool.iter("option")]
    assert set(methods) <= set(known["--method"].choices)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_to_commits_and_may_only_read(path):
    text = path.read_text()
    used = re.findall(r"uses: (\S+)", text)
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each) for each in used)
    assert "permissions:\n  contents: read" in text


def test_workflows_call_targets_that_there_are():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    targets |= {"test", "test-oldest"}
    for path in WORKFLOWS:
        for words in re.findall(r"run: make (.*)", path.read_text()):
            assert set(words.split()) <= targets


def test_citation_names_the_license_of_the_project():
    text = (ROOT / "CITATION.cff").read_text()
    assert f"license: {PROJECT['license']}" in text
    assert "cff-version: 1.2.0" in text
