from typing import NamedTuple

import pytest
from sklearn.base import BaseEstimator

from centroidal.persistence import UntrustedTypeError, load_model, save_model, trust
from centroidal.persistence.trusted_types import ALLOWED, ESTIMATORS

pytest.importorskip("skops", reason="model files need skops")


class Solution(NamedTuple):
    """Part of the state of an estimator."""

    value: int


class Outsider(BaseEstimator):
    """An estimator that the list does not have."""

    def fit(self, X, y=None):
        """Keep something."""
        self.solution_ = Solution(len(X))
        return self


@pytest.fixture
def lists(monkeypatch):
    """The lists, as they were again after the test."""
    for loader in ("ObjectNode", "TupleNode"):
        monkeypatch.setitem(ALLOWED, loader, set(ALLOWED[loader]))
    before = set(ESTIMATORS)
    yield
    ESTIMATORS.intersection_update(before)


def test_type_that_is_trusted_is_saved_and_loaded(tmp_path, lists):
    path = tmp_path / "model.skops"
    model = Outsider().fit([1, 2, 3])
    with pytest.raises(UntrustedTypeError, match="Outsider is not allowed"):
        save_model(model, path)
    trust(f"{__name__}.Outsider")
    with pytest.raises(UntrustedTypeError, match="Solution is not allowed"):
        save_model(model, path)
    trust(tuples=[f"{__name__}.Solution"])
    save_model(model, path)
    assert load_model(path).solution_ == Solution(3)


@pytest.mark.parametrize("name", ["Outsider", Outsider])
def test_name_must_be_dotted(name):
    with pytest.raises(ValueError, match="must be the dotted name of a type"):
        trust(name)
