"""A cluster of two processes, as the tests of classifiers have it, and what sources share."""

import pytest

from ..classifiers.conftest import client, on_cluster  # noqa: F401


@pytest.fixture(scope="module")
def without_background():
    """Samples in memory are told from noise by a background, too; batches and Dask have none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("centroidal.solvers.background.Background.of", lambda X, rows: None)
        yield
