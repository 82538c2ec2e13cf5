"""Fisher-subspace classification of Dask collections: the model of the same rows in memory."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from centroidal import (
    FisherSubspaceClassifier,
    FisherSubspaceClassifierCV,
    OnlineFisherSubspaceClassifier,
)

from .fisher_samples import cuts_of, draw_correlated

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

from centroidal.statistics import dask_blocks, dask_collection  # noqa: E402

residuals = import_module("centroidal.statistics.residuals")
spectrum = import_module("centroidal.statistics.spectrum")
thresholds = import_module("centroidal.solvers.thresholds")

THRESHOLDS = ["inclusive", "strict", "balanced", "mahalanobis", "prior"]
SETTINGS = [
    {},
    {"n_components": 1},
    {"n_components": 3, "scatter": "within"},
    {"n_components": 0.8},
    {"whitening": "full"},
    {"whitening": "full", "scatter": "within"},
    {"whitening": "variance"},
    {"whitening": "variance", "n_components": 3},
]
FEW_SETTINGS = [{}, {"n_components": 3, "scatter": "within"}, {"whitening": "full"}]
METHODS = ["decision_function", "predict", "predict_proba", "predict_log_proba"]
STORES = [sparse.csr_array, sparse.csr_matrix, sparse.csc_matrix]
SHAPES = {"tall": (90, 9), "wide": (30, 50)}


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(params=SHAPES)
def shape(request):
    return dict(zip(("n_samples", "n_features"), SHAPES[request.param], strict=True))


@pytest.fixture
def samples(rng, shape):
    return draw_correlated(rng, **shape)


@pytest.fixture
def several(rng, shape):
    """Four classes with names."""
    X, codes = draw_correlated(rng, n_classes=4, **shape)
    return X, np.array(["a", "b", "c", "d"])[codes]


def lazily(X, chunks=(20, 7)):
    return da.from_array(X, chunks=chunks)


def thinned(rng, X):
    return X * (rng.uniform(size=X.shape) < 0.4)


def assert_same_model(found, expected, X, tol=1e-9):
    np.testing.assert_array_equal(found.classes_, expected.classes_)
    assert found.n_components_ == expected.n_components_
    assert found.components_.shape == expected.components_.shape
    for name in ("class_count_", "means_", "mean_", "singular_values_", "threshold_"):
        actual = getattr(found, name)
        np.testing.assert_allclose(actual, getattr(expected, name), rtol=tol, atol=tol)
    scores = expected.decision_function(X)
    close = tol * np.abs(scores).max()
    np.testing.assert_allclose(found.decision_function(X), scores, rtol=tol, atol=close)
    # A sample on the threshold is on the side that rounding says, in memory as well.
    ordered = np.sort(
        np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores
    )
    is_clear = ordered[:, -1] - ordered[:, -2] > close
    np.testing.assert_array_equal(found.predict(X)[is_clear], expected.predict(X)[is_clear])


class TestSameAsInMemory:
    @pytest.mark.parametrize("options", SETTINGS, ids=str)
    def test_whitening(self, samples, options):
        X, y = samples
        found = FisherSubspaceClassifier(**options).fit(lazily(X), y)
        assert_same_model(found, FisherSubspaceClassifier(**options).fit(X, y), X)

    @pytest.mark.parametrize("chunks", [(90, 50), (20, 50), (90, 7), (1, 50)])
    def test_chunks(self, samples, chunks):
        X, y = samples
        found = FisherSubspaceClassifier().fit(lazily(X, chunks), y)
        assert_same_model(found, FisherSubspaceClassifier().fit(X, y), X)

    @pytest.mark.parametrize("options", SETTINGS, ids=str)
    def test_several_classes(self, several, options):
        X, y = several
        found = FisherSubspaceClassifier(**options).fit(lazily(X), da.from_array(y, chunks=13))
        assert_same_model(found, FisherSubspaceClassifier(**options).fit(X, y), X)

    @pytest.mark.parametrize("threshold", THRESHOLDS)
    @pytest.mark.parametrize("separation", [0.05, 0.3, 5.0])
    def test_thresholds(self, rng, threshold, separation):
        X, y = draw_correlated(rng, n_samples=300, separation=separation)
        options = {"threshold": threshold, "balance": 0.95, "priors": [0.3, 0.7]}
        found = FisherSubspaceClassifier(**options).fit(lazily(X, (70, 5)), y)
        assert_same_model(found, FisherSubspaceClassifier(**options).fit(X, y), X)

    @pytest.mark.parametrize("threshold", THRESHOLDS)
    def test_projections_that_are_equal(self, rng, threshold):
        X = rng.integers(0, 3, size=(200, 2)).astype(float)
        y = (X[:, 0] + rng.integers(0, 3, size=200) > 2).astype(int)
        found = FisherSubspaceClassifier(threshold=threshold).fit(lazily(X), y)
        assert_same_model(found, FisherSubspaceClassifier(threshold=threshold).fit(X, y), X)

    @pytest.mark.parametrize("options", FEW_SETTINGS, ids=str)
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_weights(self, rng, shape, options, n_classes):
        X, y = draw_correlated(rng, n_classes=n_classes, **shape)
        weights = rng.integers(0, 3, size=len(y)).astype(float)
        expected = FisherSubspaceClassifier(**options).fit(X, y, weights)
        for given_weights in (weights, da.from_array(weights, chunks=11)):
            model = FisherSubspaceClassifier(**options).fit(lazily(X), y, given_weights)
            assert_same_model(model, expected, X)

    @pytest.mark.parametrize("threshold", THRESHOLDS)
    def test_blocks_in_which_no_sample_counts(self, samples, threshold):
        X, y = samples
        weights = (np.arange(len(y)) >= 12).astype(float)
        model = FisherSubspaceClassifier(threshold=threshold)
        found = model.fit(lazily(X, (6, 7)), y, weights)
        expected = FisherSubspaceClassifier(threshold=threshold).fit(X[12:], y[12:])
        assert_same_model(found, expected, X)

    @pytest.mark.parametrize("options", FEW_SETTINGS, ids=str)
    @pytest.mark.parametrize("store", STORES)
    def test_sparse_chunks(self, rng, samples, options, store):
        X, y = thinned(rng, samples.X), samples.y
        found = FisherSubspaceClassifier(**options).fit(lazily(X).map_blocks(store), y)
        assert_same_model(found, FisherSubspaceClassifier(**options).fit(store(X), y), X)

    def test_chunks_of_unknown_length(self, several):
        X, y = several
        keep = da.ones(len(y), chunks=20) > 0
        lazy, labels = lazily(X)[keep], da.from_array(y, chunks=20)[keep]
        assert np.isnan(lazy.shape[0])
        expected = FisherSubspaceClassifier().fit(X, y)
        for given_labels in (labels, y):
            assert_same_model(FisherSubspaceClassifier().fit(lazy, given_labels), expected, X)

    def test_data_frames(self, several):
        X, y = several
        frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(X.shape[1])]).assign(stage=y)
        expected = FisherSubspaceClassifier().fit(frame.drop(columns="stage"), y)
        lazy = dd.from_pandas(frame, npartitions=4)
        model = FisherSubspaceClassifier().fit(lazy.drop(columns="stage"), lazy["stage"])
        assert_same_model(model, expected, frame.drop(columns="stage"))
        np.testing.assert_array_equal(model.feature_names_in_, expected.feature_names_in_)

    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
    def test_lists_of_delayed_blocks(self, samples, store):
        X, y = samples
        parts = [slice(0, 10), slice(10, 10), slice(10, 25), slice(25, None)]
        blocks = [dask.delayed(store(X[rows])) for rows in parts]
        labels = [dask.delayed(y[rows]) for rows in parts]
        expected = FisherSubspaceClassifier().fit(X, y)
        assert_same_model(FisherSubspaceClassifier().fit(blocks, labels), expected, X)
        assert_same_model(FisherSubspaceClassifier().fit(tuple(blocks), y), expected, X)

    @pytest.mark.parametrize("dtype", [np.uint8, np.float32])
    def test_whole_numbers_and_float32(self, rng, dtype):
        X = rng.poisson(2.0, size=(60, 5)).astype(dtype)
        y = rng.integers(0, 2, size=60)
        found = FisherSubspaceClassifier().fit(lazily(X), y)
        assert_same_model(found, FisherSubspaceClassifier().fit(X, y), X)

    @settings(max_examples=25, deadline=None, derandomize=True)
    @given(
        seed=st.integers(0, 2**16),
        n_parts=st.integers(1, 9),
        threshold=st.sampled_from(THRESHOLDS),
        n_classes=st.sampled_from([2, 2, 3]),
    )
    def test_any_chunks_of_rows(self, seed, n_parts, threshold, n_classes):
        rng = np.random.default_rng(seed)
        X, y = draw_correlated(rng, n_classes, n_samples=25, n_features=4, separation=0.5)
        parts = cuts_of(rng, 25, n_parts)
        blocks = [dask.delayed(X[rows]) for rows in parts]
        options = {"threshold": threshold, "n_components": 3}
        found = FisherSubspaceClassifier(**options).fit(blocks, y)
        assert_same_model(found, FisherSubspaceClassifier(**options).fit(X, y), X)


@pytest.fixture
def small_matrices_only(monkeypatch):
    """Iterate where there are more than a few features, in memory as well."""
    monkeypatch.setattr(spectrum, "_DIRECT_SIZE", 6)
    monkeypatch.setattr(spectrum, "_SHARE_OF_SIZE", 2)
    monkeypatch.setattr(dask_blocks, "_LARGEST_MERGE", 0)
    for name, kind in (("_DENSE", "_DenseResiduals"), ("_SPARSE", "_SparseResiduals")):
        monkeypatch.setattr(dask_blocks, f"{name}_WIDTH", 2)
        monkeypatch.setattr(getattr(residuals, kind), "largest_product", 6)
        monkeypatch.setattr(getattr(residuals, kind), "vectors_at_once", 2)


@pytest.mark.usefixtures("small_matrices_only")
class TestProducts:
    @pytest.mark.parametrize("scatter", ["total", "within"])
    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
    @pytest.mark.parametrize("is_weighted", [False, True], ids=["equal", "weighted"])
    def test_the_same_iterations_as_in_memory(self, rng, scatter, store, is_weighted):
        X, y = draw_correlated(rng, n_classes=3, n_samples=120, n_features=40)
        X = thinned(rng, X)
        weights = rng.uniform(0.5, 2.0, size=120) if is_weighted else None
        expected = FisherSubspaceClassifier(n_components=3, scatter=scatter)
        expected.fit(store(X), y, weights)
        assert expected.components_.shape == (3, 40)  # without those a direct way would add
        lazy = lazily(X, (50, 15)).map_blocks(store)
        model = FisherSubspaceClassifier(n_components=3, scatter=scatter).fit(lazy, y, weights)
        assert_same_model(model, expected, X)

    def test_more_features_than_samples(self, rng):
        X, y = draw_correlated(rng, n_samples=60, n_features=90)
        X += 30.0 * rng.normal(size=(60, 2)) @ rng.normal(size=(2, 90))
        expected = FisherSubspaceClassifier(n_components=3, threshold="mahalanobis").fit(X, y)
        model = FisherSubspaceClassifier(n_components=3, threshold="mahalanobis")
        model.fit(lazily(X), y)
        # From the other side, so that what iterations leave is another rest.
        assert_same_model(model, expected, X, tol=1e-4)

    def test_more_directions_than_there_are(self, rng):
        X, y = draw_correlated(rng, n_samples=200, n_features=5)
        X = X @ np.linalg.qr(rng.normal(size=(60, 5)))[0].T
        expected = FisherSubspaceClassifier(n_components=5).fit(X, y)
        model = FisherSubspaceClassifier(n_components=9).fit(lazily(X), y)
        assert model.n_components_ == 5
        scores = expected.decision_function(X)
        np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-6, atol=1e-6)

    def test_sparse_chunks_stay_sparse(self, rng, monkeypatch):
        X, y = draw_correlated(rng, n_samples=120, n_features=40)
        X = thinned(rng, X)
        expected = FisherSubspaceClassifier(n_components=3).fit(sparse.csr_array(X), y)
        lazy = lazily(X).map_blocks(sparse.csr_array)
        for name in ("toarray", "todense"):
            for kind in (sparse.csr_array, sparse.csc_array, sparse.coo_array):
                monkeypatch.setattr(kind, name, None)
        model = FisherSubspaceClassifier(n_components=3).fit(lazy, y)
        predicted = model.predict(lazy).compute()
        monkeypatch.undo()
        np.testing.assert_array_equal(predicted, expected.predict(X))
        np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-8, atol=1e-8)

    def test_what_reaches_the_caller_does_not_grow_with_the_samples(self, rng, gathered):
        X, y = draw_correlated(rng, n_samples=3000, n_features=40)
        FisherSubspaceClassifier(n_components=3).fit(lazily(X, (250, 40)), y)
        assert max(map(count_numbers, gathered)) <= thresholds._SAMPLES_OF_ORDER + 12


@pytest.fixture
def gathered(monkeypatch):
    """What is computed for the caller, each time."""
    seen = []
    gather = dask_collection._gather

    def watched(parts):
        results = gather(parts)
        seen.append(results)
        return results

    monkeypatch.setattr(dask_collection, "_gather", watched)
    return seen


def count_numbers(value):
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, list | tuple):
        return sum(map(count_numbers, value))
    return sum(map(count_numbers, vars(value).values())) if hasattr(value, "__dict__") else 1


class TestNothingLongReachesTheCaller:
    @pytest.mark.parametrize("threshold", THRESHOLDS)
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_tall_tables(self, rng, gathered, threshold, n_classes):
        X, y = draw_correlated(rng, n_classes, n_samples=4000, n_features=6, separation=0.2)
        lazy, labels = lazily(X, (200, 6)), da.from_array(y, chunks=200)
        FisherSubspaceClassifier(threshold=threshold).fit(lazy, labels)
        assert max(map(count_numbers, gathered)) <= thresholds._SAMPLES_OF_ORDER + 20

    def test_scores_that_are_all_equal(self, gathered):
        # Half of all samples are the best threshold: they are averaged where they are.
        X = np.arange(6000.0)[:, None]
        y = 1 - np.arange(6000) % 2
        y[0] = 0
        expected = FisherSubspaceClassifier(threshold="inclusive").fit(X, y)
        found = FisherSubspaceClassifier(threshold="inclusive").fit(lazily(X, (500, 1)), y)
        assert found.threshold_ == pytest.approx(expected.threshold_, rel=1e-12)
        assert max(map(count_numbers, gathered)) <= thresholds._SAMPLES_OF_ORDER + 20

    @pytest.mark.parametrize("n_samples", [50, 500])
    def test_directions(self, rng, gathered, n_samples):
        X, y = draw_correlated(rng, n_samples=n_samples, n_features=300)
        FisherSubspaceClassifier(n_components=2).fit(lazily(X, (n_samples // 5, 100)), y)
        # Means and squares of the classes; twice as many directions as are whitened.
        assert max(map(count_numbers, gathered)) <= (4 + 2 * 2) * 300 + 10


class TestLaws:
    @pytest.mark.parametrize("options", [{}, {"whitening": "full"}, {"threshold": "prior"}])
    def test_threads_do_not_change_a_bit(self, samples, options):
        X, y = samples
        models = []
        for n_threads in (1, 2, 4):
            with dask.config.set(scheduler="threads", num_workers=n_threads):
                models.append(FisherSubspaceClassifier(**options).fit(lazily(X, (9, 7)), y))
        for model in models[1:]:
            np.testing.assert_array_equal(model.coef_, models[0].coef_)
            np.testing.assert_array_equal(model.intercept_, models[0].intercept_)

    @pytest.mark.parametrize("options", FEW_SETTINGS, ids=str)
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_parts_can_follow_each_other(self, rng, options, n_classes):
        X, y = draw_correlated(rng, n_classes=n_classes)
        classes = np.arange(n_classes)
        found, expected = FisherSubspaceClassifier(**options), FisherSubspaceClassifier(**options)
        for rows in (slice(0, 25), slice(25, 60)):
            found.partial_fit(lazily(X[rows]), y[rows], classes=classes)
            expected.partial_fit(X[rows], y[rows], classes=classes)
        assert_same_model(found, expected, X)

    def test_a_part_may_hold_one_class(self, samples):
        X, y = samples
        first = y == 0
        found, expected = FisherSubspaceClassifier(), FisherSubspaceClassifier()
        found.partial_fit(lazily(X[first]), y[first], classes=[0, 1])
        expected.partial_fit(X[first], y[first], classes=[0, 1])
        np.testing.assert_array_equal(found.predict(X), expected.predict(X))
        found.partial_fit(lazily(X[~first]), y[~first])
        expected.partial_fit(X[~first], y[~first])
        assert_same_model(found, expected, X)

    def test_models_can_be_merged(self, samples):
        X, y = samples
        half = len(y) // 2
        lazy = [FisherSubspaceClassifier("full").fit(lazily(X[s]), y[s]) for s in halves(half)]
        plain = [FisherSubspaceClassifier("full").fit(X[s], y[s]) for s in halves(half)]
        assert_same_model(lazy[0].merge(lazy[1]), plain[0].merge(plain[1]), X)


def halves(half):
    return slice(0, half), slice(half, None)


class TestLazyMethods:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
    def test_arrays_give_arrays(self, rng, method, n_classes, store):
        X, y = draw_correlated(rng, n_classes=n_classes)
        lazy = lazily(X).map_blocks(store)
        model = FisherSubspaceClassifier().fit(lazy, y)
        result = getattr(model, method)(lazy)
        assert isinstance(result, da.Array)
        expected = getattr(model, method)(X)
        np.testing.assert_allclose(result.compute(), expected, rtol=1e-10, atol=1e-10)

    def test_data_frames_give_data_frames(self, rng):
        X, y = draw_correlated(rng, n_classes=3)
        frame = pd.DataFrame(X, columns=list("abcdefgh"), index=np.arange(60) * 2)
        lazy = dd.from_pandas(frame, npartitions=3)
        model = FisherSubspaceClassifier().fit(lazy, pd.Series(y))
        result = model.predict_proba(lazy).compute()
        np.testing.assert_allclose(result.to_numpy(), model.predict_proba(frame), atol=1e-12)
        pd.testing.assert_index_equal(result.index, frame.index)
        assert result.columns.tolist() == [0, 1, 2]


class TestErrors:
    @pytest.mark.parametrize("is_weighted", [False, True], ids=["equal", "weighted"])
    @pytest.mark.parametrize(
        ("value", "said"),
        [
            (np.nan, "Input X contains NaN"),
            (np.inf, "Input X contains infinity"),
            (1e200, "squares are too large for float64"),
        ],
    )
    def test_values(self, samples, is_weighted, value, said):
        X, y = samples
        X[25, 2] = value
        weights = np.ones(len(y)) if is_weighted else None
        with pytest.raises(ValueError, match=said):
            FisherSubspaceClassifier().fit(lazily(X), y, weights)

    def test_one_class(self, samples):
        with pytest.raises(ValueError, match="y holds one class, 'x'; FisherSubspaceClassifier"):
            FisherSubspaceClassifier().fit(lazily(samples.X), ["x"] * len(samples.y))

    def test_blocks_of_another_width(self, samples):
        X, y = samples
        blocks = [dask.delayed(X[:20]), dask.delayed(X[20:, 1:])]
        with pytest.raises(ValueError, match=r"block 1 of X has \d+ columns; it must have"):
            FisherSubspaceClassifier().fit(blocks, y)

    def test_another_number_of_rows(self, samples):
        X, y = samples
        with pytest.raises(ValueError, match=r"X has \d+ rows, and y has \d+."):
            FisherSubspaceClassifier().fit(lazily(X), y[1:])

    def test_parameters_come_first(self, samples):
        with pytest.raises(ValueError, match="threshold='middle' must be"):
            FisherSubspaceClassifier(threshold="middle").fit(lazily(samples.X), samples.y)
        with pytest.raises(ValueError, match="priors"):
            FisherSubspaceClassifier(priors=[0.2, 0.3, 0.5]).fit(lazily(samples.X), samples.y)

    def test_a_failed_fit_changes_nothing(self, samples):
        X, y = samples
        model = FisherSubspaceClassifier().fit(X, y)
        coef = model.coef_.copy()
        X[3, 2] = np.nan
        with pytest.raises(ValueError, match="Input X contains NaN"):
            model.fit(lazily(X[:, :5]), y)
        assert model.n_features_in_ == X.shape[1]
        np.testing.assert_array_equal(model.coef_, coef)

    @pytest.mark.parametrize("model", [FisherSubspaceClassifierCV, OnlineFisherSubspaceClassifier])
    def test_relatives_say_that_they_load(self, samples, model):
        with pytest.raises(TypeError, match="does not fit Dask collections; load X first"):
            model().fit(lazily(samples.X), samples.y)


@pytest.mark.once
@pytest.mark.xdist_group("cluster")
# Older versions of Dask say so where a test asks for it, to compare.
@pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler:UserWarning")
class TestCluster:
    @pytest.mark.parametrize("options", [{}, {"whitening": "full"}, {"threshold": "prior"}])
    def test_a_cluster_gives_the_same_to_the_bit(self, samples, options, on_cluster):
        X, y = samples
        lazy = lazily(X, tuple(-(-n // 3) for n in X.shape))
        model = FisherSubspaceClassifier(**options).fit(lazy, y)
        predicted = model.predict(lazy).compute()
        with dask.config.set(scheduler="synchronous"):
            expected = FisherSubspaceClassifier(**options).fit(lazy, y)
        np.testing.assert_array_equal(model.coef_, expected.coef_)
        np.testing.assert_array_equal(model.intercept_, expected.intercept_)
        np.testing.assert_array_equal(predicted, expected.predict(X))

    def test_futures(self, samples, on_cluster):
        X, y = samples
        blocks = on_cluster.scatter([X[:20], X[20:]], hash=False)
        labels = on_cluster.scatter([y[:20], y[20:]], hash=False)
        model = FisherSubspaceClassifier().fit(blocks, labels)
        assert_same_model(model, FisherSubspaceClassifier().fit(X, y), X)

    def test_vectors_that_are_long_do_not_warn(self, on_cluster, monkeypatch):
        monkeypatch.setattr(dask_blocks, "_LARGEST_MERGE", 0)
        X = da.map_blocks(_spread_rows, chunks=((100, 100), 5000), dtype=float)
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "500kB"}):
            model = FisherSubspaceClassifier(n_components=2).fit(X, np.arange(200) % 2)
        assert model.components_.shape == (2, 5000)


def _spread_rows(block_info=None):
    """Rows that are long in two directions."""
    rng = np.random.default_rng(block_info[None]["chunk-location"][0])
    block = rng.normal(size=(100, 1)) * np.linspace(-1.0, 1.0, 5000)
    block += rng.normal(size=(100, 1)) * np.cos(np.arange(5000))
    block[:, :300] += rng.normal(size=(100, 300))
    return block
