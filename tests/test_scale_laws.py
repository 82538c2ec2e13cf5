"""One model, however the rows arrive: in memory, as a stream, from files, from Dask, merged."""

import tempfile
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from centroidal import DisjointCentroidClassifier, SparseCenterClassifier
from centroidal.io import merge_models
from centroidal.streaming import batches, fit_batches

from .streaming.test_batches import write_csr_npz, write_folder, write_h5ad

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

pytestmark = pytest.mark.once

MOMENTS = {
    "l2": lambda: SparseCenterClassifier(3),
    "l2 std": lambda: SparseCenterClassifier(3, scale="std"),
    "l2 within": lambda: SparseCenterClassifier(3, scale="within", priors="empirical"),
    "margin": lambda: DisjointCentroidClassifier("margin"),
}
MEDIANS = {
    "l1": lambda: SparseCenterClassifier(3, metric="l1"),
    "l1 mad": lambda: SparseCenterClassifier(3, metric="l1", scale="mad"),
}
RECIPES = MOMENTS | MEDIANS
EXACT = ("classes_", "support_", "groups_", "feature_ranking_")
ROUNDED = ("centers_", "feature_scale_", "feature_gains_", "objective_", "spread_")

laws = settings(deadline=None, max_examples=6, derandomize=True)
every_recipe = pytest.mark.parametrize("recipe", list(RECIPES))


class Drawn(NamedTuple):
    """Rows, and where they are cut; a cut twice makes a piece without rows."""

    X: np.ndarray
    y: np.ndarray
    cuts: list[int]
    widths: tuple[int, ...]
    is_sparse: bool

    @property
    def stored(self):
        return sparse.csr_array(self.X) if self.is_sparse else self.X

    @property
    def classes(self):
        return np.unique(self.y)

    @property
    def heights(self):
        return tuple(np.diff([0, *self.cuts, len(self.y)]).tolist())

    @property
    def pieces(self):
        """Rows of each piece that has some."""
        bounds = sorted({0, *self.cuts, len(self.y)})
        return [slice(start, stop) for start, stop in pairwise(bounds)]


@st.composite
def cut_rows(draw):
    """Gaussian classes, in which ties do not happen, cut anywhere.

    Where rows are sorted by class, many pieces hold one class; some hold one row, some none.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes, n_rows = draw(st.integers(2, 3)), draw(st.integers(8, 40))
    y = rng.permutation(np.arange(n_rows) % n_classes)
    y = np.sort(y) if draw(st.booleans()) else y
    is_sparse = draw(st.booleans())
    X = rng.normal(size=(n_rows, 6)) + 2.0 * rng.normal(size=(n_classes, 6))[y]
    X[rng.random(X.shape) < (0.3 if is_sparse else 0.0)] = 0.0
    cuts = st.one_of(st.sampled_from([0, 1, n_rows - 1, n_rows]), st.integers(0, n_rows))
    cuts = sorted([*draw(st.lists(cuts, max_size=5)), draw(st.integers(1, n_rows - 1))])
    return Drawn(
        X.astype(draw(st.sampled_from([np.float32, np.float64]))),
        np.array(["ash", "elm", "oak"])[y],
        cuts,
        draw(st.sampled_from([(6,), (4, 2), (1, 3, 2)])),
        is_sparse,
    )


# ------------------------------------------------------------------ ways to a model


def from_memory(recipe, drawn):
    return RECIPES[recipe]().fit(drawn.stored, drawn.y)


def from_stream(recipe, drawn):
    model = RECIPES[recipe]()
    for rows in drawn.pieces:
        model.partial_fit(drawn.stored[rows], drawn.y[rows], classes=drawn.classes)
    return model


def from_files(recipe, drawn, path):
    """Fit a folder with a Parquet file for each piece, which may be empty, or a sparse file."""
    if not drawn.is_sparse:
        source = write_folder(path / "parts", drawn.X, drawn.y, drawn.cuts, group=5)
    elif len(drawn.cuts) % 2:
        source = write_csr_npz(path / "table.npz", drawn.X, drawn.y)
    else:
        source = write_h5ad(path / "table.h5ad", drawn.X, drawn.y, "csr")
    drop = () if drawn.is_sparse else ("sample",)
    batch_size = max(drawn.cuts[0], len(drawn.y) // 8)
    rows = batches(source, target="kind", drop=drop, batch_size=batch_size)
    return fit_batches(RECIPES[recipe](), rows, memory=2 * drawn.X[:, 0].nbytes)


def from_dask(recipe, drawn, scheduler="synchronous"):
    lazy = da.from_array(drawn.X, chunks=(drawn.heights, drawn.widths))
    lazy = lazy.map_blocks(sparse.csr_array) if drawn.is_sparse else lazy
    labels = da.from_array(drawn.y, chunks=(drawn.heights,))
    with dask.config.set(scheduler=scheduler, num_workers=3):
        return RECIPES[recipe]().fit(lazy, labels)


def from_parts(recipe, drawn):
    return merge_models([model_of_piece(recipe, drawn, rows) for rows in drawn.pieces])


def model_of_piece(recipe, drawn, rows):
    """Fit as a site would, which knows its own classes; if it has one, the others are announced."""
    X, y = drawn.stored[rows], drawn.y[rows]
    if np.unique(y).size == 1:
        return RECIPES[recipe]().partial_fit(X, y, classes=drawn.classes)
    return RECIPES[recipe]().fit(X, y)


def fitted_each_way(recipe, drawn):
    """Every way of which the recipe is capable, by name, but that in memory."""
    with tempfile.TemporaryDirectory() as folder:
        models = {"files": from_files(recipe, drawn, Path(folder))}
    models["Dask"] = from_dask(recipe, drawn)
    if recipe in MOMENTS:
        models["stream"] = from_stream(recipe, drawn)
        models["parts"] = from_parts(recipe, drawn)
    return models


def arrays_of(model, names):
    return {name: np.asarray(getattr(model, name)) for name in names if hasattr(model, name)}


def assert_close(model, expected, way):
    """The same selection, and numbers that differ by rounding of the largest."""
    for name, wanted in arrays_of(expected, EXACT).items():
        np.testing.assert_array_equal(getattr(model, name), wanted, err_msg=f"{way}, {name}")
    for name, wanted in arrays_of(expected, ROUNDED).items():
        options = {"rtol": 1e-10, "atol": 1e-10 * np.abs(wanted).max()}
        found = getattr(model, name)
        np.testing.assert_allclose(found, wanted, **options, err_msg=f"{way}, {name}")


def assert_equal(model, expected, way, names=EXACT + ROUNDED):
    for name, wanted in arrays_of(expected, names).items():
        np.testing.assert_array_equal(getattr(model, name), wanted, err_msg=f"{way}, {name}")


# ------------------------------------------------------------------ laws


@every_recipe
@given(drawn=cut_rows())
@settings(laws, max_examples=12)
def test_every_way_leads_to_the_model_of_all_rows(recipe, drawn):
    expected = from_memory(recipe, drawn)
    for way, model in fitted_each_way(recipe, drawn).items():
        assert_close(model, expected, way)
        if recipe in MEDIANS:
            assert_equal(model, expected, way, ("centers_", "feature_scale_"))


@every_recipe
@given(drawn=cut_rows())
@laws
def test_the_same_cut_gives_the_same_model_to_the_bit(recipe, drawn):
    again = fitted_each_way(recipe, drawn)
    for way, model in fitted_each_way(recipe, drawn).items():
        assert_equal(again[way], model, way)


@every_recipe
@given(drawn=cut_rows())
@laws
def test_scheduler_of_dask_does_not_change_a_bit(recipe, drawn):
    assert_equal(from_dask(recipe, drawn, "threads"), from_dask(recipe, drawn), "threads")


@pytest.mark.parametrize("recipe", list(MEDIANS))
def test_what_needs_whole_columns_neither_streams_nor_merges(recipe, rng):
    model = RECIPES[recipe]().fit(rng.normal(size=(8, 4)), np.arange(8) % 2)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(ValueError, match="only metric='l2' with scale=None"):
        merge_models([model, model])
