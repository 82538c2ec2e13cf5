"""The margin selector on Dask collections: the ranking of the same rows in memory."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from centroidal import L21CentroidSelector, MarginSelector

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def samples(rng):
    y = np.repeat(["a", "b", "c"], [20, 15, 10])
    X = rng.normal(size=(45, 6)) * rng.integers(0, 2, size=(45, 6))
    X[y == "b", 1] += 5.0
    X[y == "b", 3] *= 0.1
    return X, y


def assert_same(found, expected):
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(found.feature_ranking_, expected.feature_ranking_)
    np.testing.assert_array_equal(found.support_, expected.support_)
    np.testing.assert_array_equal(found.classes_, expected.classes_)


@pytest.mark.parametrize("chunks", [(45, 6), (7, 6), (7, 4)])
@pytest.mark.parametrize("is_weighted", [False, True], ids=["equal", "weighted"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_arrays(samples, rng, chunks, is_weighted, store):
    X, y = samples
    weights = rng.integers(0, 3, size=45).astype(float) if is_weighted else None
    lazy = da.from_array(X, chunks=chunks).map_blocks(store)
    expected = MarginSelector(2).fit(store(X), y, weights)
    assert_same(MarginSelector(2).fit(lazy, da.from_array(y, chunks=11), weights), expected)


def test_transform_is_lazy(samples):
    X, y = samples
    lazy = da.from_array(X, chunks=(7, 4))
    model = MarginSelector(2).fit(lazy, y)
    result = model.transform(lazy)
    assert isinstance(result, da.Array)
    np.testing.assert_array_equal(result.compute(), model.transform(X))
    result = MarginSelector(2).fit_transform(lazy, y)
    assert isinstance(result, da.Array)
    np.testing.assert_array_equal(result.compute(), model.transform(X))


def test_sparse_chunks_stay_sparse(samples):
    X, y = samples
    lazy = da.from_array(X, chunks=(20, 4)).map_blocks(sparse.csr_array)
    model = MarginSelector(2).fit(lazy, y)
    parts = dask.compute(*model.transform(lazy).to_delayed().ravel())
    assert all(sparse.issparse(part) for part in parts)
    np.testing.assert_array_equal(sparse.vstack(parts).toarray(), model.transform(X))


def test_data_frames_keep_names(samples):
    X, y = samples
    frame = pd.DataFrame(X, columns=list("uvwxyz"))
    lazy = dd.from_pandas(frame, npartitions=4)
    model = MarginSelector(2).fit(lazy, y)
    assert_same(model, MarginSelector(2).fit(frame, y))
    result = model.transform(lazy).compute()
    assert list(result.columns) == list(model.get_feature_names_out())
    np.testing.assert_array_equal(result.to_numpy(), model.transform(frame))


def test_lists_of_delayed_blocks(samples):
    X, y = samples
    blocks = [dask.delayed(X[:20]), dask.delayed(X[20:])]
    model = MarginSelector(2).fit(blocks, y)
    assert_same(model, MarginSelector(2).fit(X, y))
    parts = dask.compute(*model.transform(blocks))
    np.testing.assert_array_equal(np.concatenate(parts), model.transform(X))


def test_errors(samples):
    X, y = samples
    lazy = da.from_array(X, chunks=(7, 4))
    with pytest.raises(NotFittedError):
        MarginSelector().transform(lazy)
    with pytest.raises(ValueError, match="y holds one class, 'a'; MarginSelector"):
        MarginSelector().fit(lazy, ["a"] * 45)
    with pytest.raises(ValueError, match="n_features_to_select=7 must lie between"):
        MarginSelector(7).fit(lazy, y)
    X[30, 2] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        MarginSelector().fit(da.from_array(X, chunks=(7, 4)), y)


def test_set_output_is_refused(samples):
    X, y = samples
    lazy = da.from_array(X, chunks=(7, 4))
    model = MarginSelector(2).set_output(transform="pandas").fit(lazy, y)
    with pytest.raises(TypeError, match="set_output asks for a pandas data frame"):
        model.transform(lazy)


def test_other_selectors_refuse(samples):
    X, y = samples
    with pytest.raises(TypeError, match="does not fit Dask collections; load X first"):
        L21CentroidSelector().fit(da.from_array(X, chunks=(7, 4)), y)
