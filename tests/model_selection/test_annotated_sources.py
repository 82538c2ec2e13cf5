"""The whole answer is the same for cells in memory and in every file that anndata writes."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from centroidal.streaming import arrays, batches

from ..l2 import select_features
from .test_stream_source import assert_same_answer

anndata = pytest.importorskip("anndata")
pd = pytest.importorskip("pandas")

FORMS = {  # suffix, and how the matrix is stored
    "h5ad, by rows": (".h5ad", sparse.csr_matrix),
    "h5ad, by columns": (".h5ad", sparse.csc_matrix),
    "h5ad, dense": (".h5ad", np.asarray),
    "zarr, by rows": (".zarr", sparse.csr_matrix),
    "zarr, by columns": (".zarr", sparse.csc_matrix),
}


def make_cells(seed, n_classes):
    """Counts of cells of some types, of donors that do not have all of them."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(4 * n_classes) % n_classes, rng.integers(0, n_classes, 60)])
    donors = np.concatenate([np.arange(4 * n_classes), rng.integers(0, 25, 60)])
    rates = 1.0 + 4.0 * (codes[:, None] == np.arange(9))
    counts = rng.poisson(rates * rng.uniform(0.4, 3.0, size=(codes.size, 1)))
    counts[:, 8] += 1  # so that no cell is without a count
    obs = {"kind": pd.Categorical([f"type {c}" for c in codes]), "donor": donors.astype(str)}
    obs = pd.DataFrame(obs, index=[f"cell{i}" for i in range(codes.size)])
    var = pd.DataFrame(index=[f"gene{j}" for j in range(9)])
    return anndata.AnnData(counts.astype(np.float32), obs=obs, var=var)


def write(adata, folder, suffix, matrix):
    path = folder / f"cells{suffix}"
    adata = adata.copy()
    adata.X = matrix(adata.X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # texts are not in the specification of zarr 3 yet
        adata.write_h5ad(path) if suffix == ".h5ad" else adata.write_zarr(path)
    return path


@pytest.mark.filterwarnings("ignore:The data type")
@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=4, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4), batch_size=st.integers(1, 90),
    is_grouped=st.booleans(), preprocess=st.sampled_from([None, "log1p", "normalise=500,log1p"]),
)  # fmt: skip
def test_answer_is_that_of_cells_in_memory(
    form, seed, n_classes, batch_size, is_grouped, preprocess, tmp_path_factory
):
    suffix, matrix = FORMS[form]
    adata, groups = make_cells(seed, n_classes), "donor" if is_grouped else None
    path = write(adata, tmp_path_factory.mktemp("cells"), suffix, matrix)
    options = {"cv": 3, "n_repeats": 2, "random_state": seed}
    adata.X = adata.X if matrix is np.asarray else sparse.csr_matrix(adata.X)
    in_memory = select_features(
        adata, target="kind", groups=groups, preprocess=preprocess, **options
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_ENTRIES_AT_A_TIME", 100)
        rows = batches(
            path, target="kind", groups=groups, batch_size=batch_size, preprocess=preprocess
        )
        assert_same_answer(in_memory, select_features(rows, **options))
