"""The rules of the house: who imports whom, what is public, what `import centroidal` loads."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import centroidal

ROOT = Path(__file__).parent.parent


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_import_contracts_hold():
    result = run(str(Path(sys.executable).parent / "lint-imports"))
    assert result.returncode == 0, result.stdout


def test_public_names_are_these():
    assert centroidal.__all__ == [
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
        "ReliefFSelector",
        "SparseCenterClassifier",
        "SparseCenterClassifierCV",
        "SparseCentroidEncoder",
        "StabilitySelector",
    ]


def test_version_is_that_of_the_distribution():
    assert centroidal.__version__ == version("centroidal")


def test_import_loads_no_optional_module_and_no_compiler():
    heavy = {"numba", "matplotlib", "torch", "dask", "polars"}
    code = f"import centroidal, centroidal.inspection, sys; print({heavy!r} & set(sys.modules))"
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
    assert using == ["src/centroidal/_validation.py"]
