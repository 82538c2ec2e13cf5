"""What works where PyTorch is not installed, and what is said where it does not."""

import json
import subprocess
import sys

import pytest

from tests.feature_selection.encoder_samples import WITHOUT_TORCH
from tests.public_names import PUBLIC_ESTIMATORS

pytestmark = pytest.mark.once

PROGRAM = (
    WITHOUT_TORCH
    + """
import json
import numpy as np
from sklearn.base import clone
import centroidal
from centroidal import SparseCentroidEncoder

rng = np.random.default_rng(0)
y = np.arange(60) % 3
X = rng.standard_normal((60, 5)) + 3.0 * np.eye(3, 5)[y]

def lengths():
    classifier = centroidal.SparseCenterClassifier()
    meta = ("ConformalClassifier", "CostSensitiveClassifier", "DecisionDAGClassifier")
    meta = (*meta, "StabilitySelector")
    required = dict.fromkeys(meta, [classifier])
    names = [name for name in centroidal.__all__ if name[0].isupper()]
    for name in set(names) - {"SparseCentroidEncoder"}:
        model = getattr(centroidal, name)(*required.get(name, [])).fit(X, y)
        use = model.predict if hasattr(model, "predict") else model.transform
        yield name, len(use(X))

def said(**parameters):
    try:
        SparseCentroidEncoder(**parameters).fit(X, y)
    except Exception as error:
        return [type(error).__name__, str(error)]

print(json.dumps({
    "lengths": dict(lengths()),
    "missing": said(),
    "invalid": said(alpha=0.0),
    "shown": str(clone(SparseCentroidEncoder(7, alpha=0.5))),
}))
"""
)


@pytest.fixture(scope="module")
def found():
    """What a process of its own finds, in which PyTorch cannot be imported."""
    command = [sys.executable, "-c", PROGRAM]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_all_other_estimators_work(found):
    assert set(found["lengths"]) == set(PUBLIC_ESTIMATORS) - {"SparseCentroidEncoder"}
    assert set(found["lengths"].values()) == {60}


def test_fitting_the_encoder_says_what_to_install(found):
    message = "SparseCentroidEncoder.fit needs torch: pip install 'centroidal[neural]'."
    assert found["missing"] == ["ImportError", message]


def test_parameters_are_checked_before_torch_is_looked_for(found):
    assert found["invalid"] == ["ValueError", "alpha=0.0 must be positive and finite."]


def test_encoder_can_be_built_cloned_and_shown(found):
    assert found["shown"] == "SparseCentroidEncoder(alpha=0.5, n_features_to_select=7)"
