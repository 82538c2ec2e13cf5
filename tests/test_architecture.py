"""The rules of the house: who imports whom, what is public, what `import centroidal` loads."""

import ast
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import centroidal

ROOT = Path(__file__).parent.parent
PUBLIC_ROOMS = [
    "classifiers",
    "datasets",
    "feature_selection",
    "inspection",
    "io",
    "model_selection",
    "persistence",
    "preprocessing",
    "report",
    "streaming",
]


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_import_contracts_hold():
    result = run(str(Path(sys.executable).parent / "lint-imports"))
    assert result.returncode == 0, result.stdout


def test_public_names_are_these():
    assert centroidal.__all__ == [
        "ColumnSelector",
        "ConformalClassifier",
        "CostSensitiveClassifier",
        "DecisionDAGClassifier",
        "DisjointCentroidClassifier",
        "DisjointCentroidClassifierCV",
        "FisherSubspace",
        "FisherSubspaceClassifier",
        "FisherSubspaceClassifierCV",
        "KernelFisherSubspaceClassifier",
        "L21CentroidSelector",
        "LinearCentroidEncoder",
        "MarginSelector",
        "MixtureFisherClassifier",
        "OnlineFisherSubspaceClassifier",
        "RecursiveRidgeSelector",
        "ReliefFSelector",
        "SparseCenterClassifier",
        "SparseCenterClassifierCV",
        "SparseCentroidEncoder",
        "StabilitySelector",
        "WhitenedCenterClassifier",
        "WhitenedCenterClassifierCV",
        *PUBLIC_ROOMS,
    ]


def test_version_is_that_of_the_distribution():
    assert centroidal.__version__ == version("centroidal")


@pytest.mark.once
def test_import_loads_no_optional_module_and_no_compiler():
    heavy = {"numba", "matplotlib", "torch", "dask", "polars"}
    code = f"import centroidal, centroidal.inspection, sys; print({heavy!r} & set(sys.modules))"
    assert run(sys.executable, "-c", code).stdout == "set()\n"


@pytest.mark.parametrize("name", PUBLIC_ROOMS)
def test_every_public_name_of_a_room_is_found(name):
    room = import_module(f"centroidal.{name}")
    assert set(room.__all__) <= set(dir(room))
    for public in room.__all__:
        assert not isinstance(getattr(room, public), ModuleType)
    with pytest.raises(AttributeError, match=f"centroidal.{name}"):
        _ = room.no


@pytest.mark.parametrize("name", ["centroidal", *(f"centroidal.{room}" for room in PUBLIC_ROOMS)])
def test_completion_shows_public_names_only(name):
    room = import_module(name)
    for public in room.__all__:  # what has been loaded stands in the module
        getattr(room, public)
    assert [each for each in dir(room) if not each.startswith("__")] == sorted(room.__all__)


@pytest.mark.once
def test_function_is_not_hidden_by_the_module_of_its_name():
    code = (
        "import centroidal.streaming.batches, centroidal.model_selection.compare; "
        "from centroidal.streaming import batches; "
        "from centroidal.model_selection import compare; "
        "print(callable(batches), callable(compare))"
    )
    assert run(sys.executable, "-c", code).stdout == "True True\n"


@pytest.mark.once
def test_selecting_by_sparse_centers_loads_little_of_scikit_learn():
    code = (
        "import sys; from centroidal.io import read_table; "
        "from centroidal.model_selection import select_features; import sklearn; "
        "select_features([[0], [1], [0], [2], [8], [9], [9], [8]], [0] * 4 + [1] * 4); "
        "heavy = {'sklearn.ensemble', 'sklearn.cluster', 'sklearn.mixture', 'skops'}; "
        "print(heavy & set(sys.modules))"
    )
    assert run(sys.executable, "-c", code).stdout == "set()\n"


def test_compiled_loops_are_decorated_in_one_place():
    importing = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "src").rglob("*.py")
        if "import numba" in path.read_text() or "from numba" in path.read_text()
    ]
    assert importing == ["src/centroidal/_jit.py"]


def test_scikit_learn_helpers_that_check_input_are_used_in_one_place():
    using = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "src").rglob("*.py")
        if "sklearn.utils.validation" in path.read_text()
    ]
    assert using == ["src/centroidal/_data.py"]


def imports_of(path):
    """Module of each import, as it is written, and the names that are taken from it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), [each.name for each in node.names]


@pytest.mark.once
def test_no_private_module_or_name_is_imported_across_rooms():
    found = []
    for path in (ROOT / "src" / "centroidal").glob("*/**/*.py"):
        depth = len(path.relative_to(ROOT / "src" / "centroidal").parts) - 1
        for module, names in imports_of(path):
            outside = module.startswith("." * (depth + 1)) and "." in module.lstrip(".")
            parts = module.lstrip(".").split(".")[1:] if outside else []
            if outside and any(part.startswith("_") for part in (*parts, *names)):
                found.append(f"{path.name}: from {module} import {', '.join(names)}")
    assert found == []


@pytest.mark.once
def test_source_stays_small():
    modules = list((ROOT / "src").rglob("*.py"))
    n_lines = sum(len(path.read_text().splitlines()) for path in modules)
    assert len(modules) <= 230
    assert n_lines <= 54_500
