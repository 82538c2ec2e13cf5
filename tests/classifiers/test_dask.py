"""Classifiers on Dask collections: the model of the same rows in memory."""

import os
import signal
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from centroidal import (
    DisjointCentroidClassifier,
    FisherSubspaceClassifier,
    KernelFisherSubspaceClassifier,
    SparseCenterClassifier,
    SparseCenterClassifierCV,
)

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

from dask.callbacks import Callback  # noqa: E402

from centroidal.statistics import dask_collection  # noqa: E402

from .conftest import MEMORY_LIMIT, PATIENCE  # noqa: E402

METHODS = ["decision_function", "predict", "predict_proba", "predict_log_proba", "transform"]
L2 = [{}, {"scale": "std"}, {"scale": "within"}]
MEDIANS = [{"metric": "l1"}, {"metric": "l1", "scale": "mad"}, {"scale": "mad"}]
ODD_BLOCKS = {
    "l2": SparseCenterClassifier(3, scale="within"),
    "l1": SparseCenterClassifier(3, metric="l1"),
    "margin": DisjointCentroidClassifier("margin"),
}


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def samples(rng):
    X = rng.normal(size=(83, 9)) * rng.integers(0, 2, size=(83, 9))
    y = rng.choice(["early", "late", "never"], size=83)
    X[:, 4] += 2.0 * (y == "late")
    X[:, 7] -= y == "never"
    return X, y


@pytest.fixture
def frame(samples):
    X, y = samples
    table = pd.DataFrame(X, columns=[f"gene{j}" for j in range(9)], index=np.arange(83) * 3)
    return table.assign(stage=y)


def of_unknown_length(X, y, height):
    keep = da.ones(len(y), chunks=height) > 0
    return da.from_array(X, chunks=(height, 4))[keep], da.from_array(y, chunks=height)[keep]


def assert_same_model(found, expected):
    np.testing.assert_array_equal(found.classes_, expected.classes_)
    np.testing.assert_array_equal(found.support_, expected.support_)
    np.testing.assert_array_equal(found.feature_ranking_, expected.feature_ranking_)
    for name in ("centers_", "feature_gains_", "feature_scale_", "objective_", "spread_"):
        actual = getattr(found, name)
        np.testing.assert_allclose(actual, getattr(expected, name), rtol=1e-10, atol=1e-10)


class TestSparseCenters:
    @pytest.mark.parametrize("options", L2 + MEDIANS, ids=str)
    @pytest.mark.parametrize("chunks", [(83, 9), (20, 9), (20, 4)])
    def test_arrays(self, samples, options, chunks):
        X, y = samples
        model = SparseCenterClassifier(3, **options)
        found = model.fit(da.from_array(X, chunks=chunks), da.from_array(y, chunks=30))
        assert_same_model(found, SparseCenterClassifier(3, **options).fit(X, y))

    @pytest.mark.parametrize("options", L2 + MEDIANS, ids=str)
    def test_weights(self, samples, options, rng):
        X, y = samples
        weights = rng.integers(0, 3, size=83).astype(float)
        expected = SparseCenterClassifier(3, **options).fit(X, y, weights)
        lazy = da.from_array(X, chunks=(20, 4))
        for given in (weights, weights.tolist(), da.from_array(weights, chunks=50)):
            assert_same_model(SparseCenterClassifier(3, **options).fit(lazy, y, given), expected)

    def test_blocks_in_which_no_sample_counts(self, samples):
        X, y = samples
        weights = (np.arange(83) >= 40).astype(float)
        found = SparseCenterClassifier(3).fit(da.from_array(X, chunks=(20, 4)), y, weights)
        assert_same_model(found, SparseCenterClassifier(3).fit(X[40:], y[40:]))

    def test_one_weight_for_all(self, samples):
        X, y = samples
        found = SparseCenterClassifier(3).fit(da.from_array(X, chunks=(20, 4)), y, 2.0)
        assert_same_model(found, SparseCenterClassifier(3).fit(X, y, 2.0))

    @pytest.mark.parametrize("options", [{"scale": "std"}, {"metric": "l1"}], ids=str)
    @pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix])
    def test_sparse_chunks(self, samples, options, kind):
        X, y = samples
        lazy = da.from_array(X, chunks=(20, 4)).map_blocks(kind)
        found = SparseCenterClassifier(3, **options).fit(lazy, y)
        assert_same_model(found, SparseCenterClassifier(3, **options).fit(sparse.csr_array(X), y))

    @pytest.mark.parametrize("options", [{}, {"metric": "l1"}], ids=str)
    def test_chunks_of_unknown_length(self, samples, options):
        X, y = samples
        lazy, labels = of_unknown_length(X, y, 20)
        assert np.isnan(lazy.shape[0])
        expected = SparseCenterClassifier(3, **options).fit(X, y)
        for given in (labels, y, y.tolist()):
            assert_same_model(SparseCenterClassifier(3, **options).fit(lazy, given), expected)

    @pytest.mark.parametrize("options", [{}, {"metric": "l1", "scale": "mad"}], ids=str)
    def test_data_frames(self, frame, options):
        X, y = frame.drop(columns="stage"), frame["stage"]
        expected = SparseCenterClassifier(3, **options).fit(X, y)
        lazy = dd.from_pandas(frame, npartitions=4)
        for labels in (lazy["stage"], y, y.to_numpy(), lazy["stage"].astype("category")):
            model = SparseCenterClassifier(3, **options).fit(lazy.drop(columns="stage"), labels)
            assert_same_model(model, expected)
            np.testing.assert_array_equal(model.feature_names_in_, expected.feature_names_in_)

    @pytest.mark.parametrize("options", [{}, {"metric": "l1"}], ids=str)
    def test_lists_of_delayed_blocks(self, samples, options):
        X, y = samples
        parts = [slice(0, 40), slice(40, 50), slice(50, 83)]
        blocks = [dask.delayed(X[rows]) for rows in parts]
        labels = [dask.delayed(y[rows]) for rows in parts]
        expected = SparseCenterClassifier(3, **options).fit(X, y)
        assert_same_model(SparseCenterClassifier(3, **options).fit(blocks, labels), expected)
        assert_same_model(SparseCenterClassifier(3, **options).fit(tuple(blocks), y), expected)

    def test_lists_of_delayed_data_frames_keep_names(self, frame):
        X, y = frame.drop(columns="stage"), frame["stage"]
        blocks = [dask.delayed(X[:30]), dask.delayed(X[30:])]
        model = SparseCenterClassifier(3).fit(blocks, y)
        assert_same_model(model, SparseCenterClassifier(3).fit(X, y))
        assert list(model.feature_names_in_) == list(X.columns)

    def test_labels_of_dask_for_samples_in_memory(self, samples, frame):
        X, y = samples
        expected = SparseCenterClassifier(3).fit(X, y)
        series = dd.from_pandas(frame, npartitions=3)["stage"]
        halves = [dask.delayed(y[:40]), dask.delayed(y[40:])]
        for labels in (da.from_array(y, chunks=20), series, halves):
            assert_same_model(SparseCenterClassifier(3).fit(X, labels), expected)

    def test_whole_numbers_and_float32(self, rng):
        counts = rng.poisson(2.0, size=(60, 5))
        y = rng.integers(0, 2, size=60)
        for X in (counts, counts.astype(np.uint8), counts.astype(np.float32)):
            found = SparseCenterClassifier(2).fit(da.from_array(X, chunks=(17, 5)), y)
            assert_same_model(found, SparseCenterClassifier(2).fit(X, y))

    def test_parts_can_follow_each_other(self, samples):
        X, y = samples
        classes = ["early", "late", "never"]
        model = SparseCenterClassifier(3)
        model.partial_fit(da.from_array(X[:50], chunks=(20, 9)), y[:50], classes=classes)
        model.partial_fit(da.from_array(X[50:], chunks=(20, 9)), y[50:])
        assert_same_model(model, SparseCenterClassifier(3).fit(X, y))

    def test_a_fitted_model_goes_on_without_dask(self, samples):
        X, y = samples
        model = SparseCenterClassifier(3).fit(da.from_array(X, chunks=(20, 4)), y)
        expected = SparseCenterClassifier(3).fit(X, y)
        assert_same_model(model.at(5), expected.at(5))
        np.testing.assert_array_equal(model.predict(X), expected.predict(X))
        assert all(isinstance(value, np.ndarray) for value in (model.centers_, model.classes_))

    @pytest.mark.parametrize("is_weighted", [False, True])
    def test_few_tasks_a_block(self, samples, is_weighted):
        X, y = samples
        cuts = [slice(0, 30), slice(30, 60), slice(60, 83)]
        parts = [[dask.delayed(values[rows]) for rows in cuts] for values in (X, y, X[:, 4] ** 2)]
        tasks = []
        with Callback(pretask=lambda key, *_: tasks.append(str(key).partition("-")[0])):
            SparseCenterClassifier(3, scale="std").fit(*parts[: 2 + is_weighted])
        expected = {"count_block_labels": 3, "_block_moments": 3, "_merge_moments": 1}
        if is_weighted:  # they are checked before they are counted, and before they are summed
            expected["_check_block_weights"] = 6
        ours = {"_without_rows": 1, **expected}
        found = {name for name in tasks if name[0] == "_" or name in ours}
        assert {name: tasks.count(name) for name in found} == ours

    def test_threads_do_not_change_a_bit(self, samples):
        X, y = samples
        lazy = da.from_array(X, chunks=(9, 4))
        models = []
        for n_threads in (1, 2, 4):
            with dask.config.set(scheduler="threads", num_workers=n_threads):
                models.append(SparseCenterClassifier(3, scale="std").fit(lazy, y))
        for model in models[1:]:
            np.testing.assert_array_equal(model.centers_, models[0].centers_)
            np.testing.assert_array_equal(model.feature_gains_, models[0].feature_gains_)


class TestCrossValidation:
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"scale": "std", "rule": "one_se", "cv": 3},
            {"metric": "l1", "cv": 3},
            {"scoring": "balanced_accuracy", "n_features_grid": [1, 4, 7], "priors": "empirical"},
        ],
        ids=str,
    )
    @pytest.mark.parametrize("is_weighted", [False, True])
    def test_path_and_choice(self, samples, options, is_weighted, rng):
        X, y = samples
        weights = rng.uniform(0.5, 2.0, size=83) if is_weighted else None
        expected = SparseCenterClassifierCV(**options).fit(X, y, weights)
        lazy, labels = da.from_array(X, chunks=(20, 4)), da.from_array(y, chunks=30)
        model = SparseCenterClassifierCV(**options).fit(lazy, labels, weights)
        assert model.path_.keys() == expected.path_.keys()
        for name, values in expected.path_.items():
            np.testing.assert_allclose(model.path_[name], values, rtol=1e-10)
        assert model.n_features_to_select_ == expected.n_features_to_select_
        assert_same_model(model, expected)
        np.testing.assert_array_equal(model.predict(lazy).compute(), expected.predict(X))

    def test_sparse_chunks(self, samples):
        X, y = samples
        expected = SparseCenterClassifierCV(cv=3).fit(sparse.csr_array(X), y)
        lazy = da.from_array(X, chunks=(20, 4)).map_blocks(sparse.csr_array)
        model = SparseCenterClassifierCV(cv=3).fit(lazy, y)
        for name, values in expected.path_.items():
            np.testing.assert_allclose(model.path_[name], values, rtol=1e-10)

    def test_what_needs_single_samples_is_refused(self, samples):
        X, y = samples
        lazy = da.from_array(X, chunks=(20, 4))
        for options in ({"scoring": "f1_macro"}, {"cv": StratifiedKFold(3)}):
            with pytest.raises(TypeError, match="does not fit Dask collections"):
                SparseCenterClassifierCV(**options).fit(lazy, y)
        with pytest.raises(TypeError, match="fit of Dask collections does not take groups"):
            SparseCenterClassifierCV().fit(lazy, y, groups=np.arange(83))
        with pytest.raises(ValueError, match="cv=1 must be at least 2 folds"):
            SparseCenterClassifierCV(cv=1).fit(lazy, y)

    def test_a_fold_that_counts_nothing(self, samples):
        X, _ = samples
        y = np.repeat([0, 1], [40, 43])
        weights = np.ones(83)
        weights[:20] = weights[40:62] = 0.0  # the first of 2 folds
        with pytest.raises(ValueError, match="sample_weight is zero for every test sample"):
            SparseCenterClassifierCV(cv=2).fit(da.from_array(X, chunks=(20, 4)), y, weights)


class TestLazyMethods:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_arrays_give_arrays(self, samples, method, n_classes):
        X, y = samples
        y = y if n_classes == 3 else (y == "late").astype(int)
        model = SparseCenterClassifier(3).fit(X, y)
        expected = getattr(model, method)(X)
        lazy = da.from_array(X, chunks=(20, 4))
        for given in (lazy, lazy.rechunk((83, 9)), lazy[lazy[:, 0] < np.inf]):
            result = getattr(model, method)(given)
            assert isinstance(result, da.Array)
            assert (result.dtype, result.ndim) == (expected.dtype, expected.ndim)
            assert_close(result.compute(), expected)
        assert getattr(model, method)(lazy).shape == expected.shape

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
    def test_sparse_chunks(self, samples, method, kind):
        X, y = samples
        model = SparseCenterClassifier(3).fit(X, y)
        result = getattr(model, method)(da.from_array(X, chunks=(20, 4)).map_blocks(kind))
        parts = dask.compute(*result.to_delayed().ravel())
        assert all(sparse.issparse(part) == (method == "transform") for part in parts)
        values = np.concatenate(
            [part.toarray() if sparse.issparse(part) else part for part in parts]
        )
        assert_close(values, getattr(model, method)(X))

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_data_frames_give_data_frames(self, frame, method, n_classes):
        X, y = frame.drop(columns="stage"), frame["stage"]
        y = y if n_classes == 3 else y == "late"
        model = SparseCenterClassifier(3).fit(X, y)
        lazy = dd.from_pandas(X, npartitions=4)
        expected = getattr(model, method)(X)
        result = getattr(model, method)(lazy)
        assert result.known_divisions
        result = result.compute()
        pd.testing.assert_index_equal(result.index, X.index)
        assert_close(result.to_numpy(), expected)
        if expected.ndim == 2:
            names = model.get_feature_names_out() if method == "transform" else model.classes_
            assert list(result.columns) == list(names)

    @pytest.mark.parametrize("method", METHODS)
    def test_blocks_without_rows(self, frame, method):
        X, y = frame.drop(columns="stage"), frame["stage"]
        model = SparseCenterClassifier(3).fit(X, y)
        lazy = dd.from_pandas(X, npartitions=4)
        late = X.index >= 200
        result = getattr(model, method)(lazy.map_partitions(_late_rows)).compute()
        assert_close(np.asarray(result), getattr(model, method)(X[late]))
        model = SparseCenterClassifier(3).fit(X.to_numpy(), y)
        rows = da.from_array(X.to_numpy(), chunks=(20, 4))[da.from_array(late, chunks=20)]
        assert_close(getattr(model, method)(rows).compute(), getattr(model, method)(X[late].values))

    @pytest.mark.parametrize("method", METHODS)
    def test_lists_give_lists(self, samples, method):
        X, y = samples
        model = SparseCenterClassifier(3).fit(X, y)
        result = getattr(model, method)([dask.delayed(X[:40]), dask.delayed(X[40:])])
        assert_close(np.concatenate(dask.compute(*result)), getattr(model, method)(X))

    def test_fit_and_transform_at_once(self, samples):
        X, y = samples
        lazy = da.from_array(X, chunks=(20, 4))
        result = SparseCenterClassifier(3).fit_transform(lazy, y)
        assert isinstance(result, da.Array)
        assert_close(result.compute(), SparseCenterClassifier(3).fit_transform(X, y))

    def test_nothing_is_computed_before_it_is_asked_for(self, samples):
        X, y = samples
        model = SparseCenterClassifier(3).fit(X, y)
        failing = da.from_array(X, chunks=(20, 4)).map_blocks(_fail, dtype=float, meta=X[:0])
        lazy = [getattr(model, method)(failing) for method in METHODS]
        for result in lazy:
            with pytest.raises(RuntimeError, match="this block is read"):
                result.compute()

    @pytest.mark.parametrize("method", ["decision_function", "predict", "predict_proba"])
    @pytest.mark.parametrize(
        "model",
        [
            FisherSubspaceClassifier(),
            KernelFisherSubspaceClassifier(),
            DisjointCentroidClassifier(),
        ],
        ids=lambda model: type(model).__name__,
    )
    def test_other_classifiers(self, samples, model, method):
        X, y = samples
        model = clone(model).fit(X, y)
        result = getattr(model, method)(da.from_array(X, chunks=(20, 4)))
        assert_close(result.compute(), getattr(model, method)(X))

    def test_scores(self, samples, frame):
        X, y = samples
        model = SparseCenterClassifier(3).fit(X, y)
        expected = model.score(X, y)
        assert model.score(da.from_array(X, chunks=(20, 4)), y) == expected
        assert (
            model.score(da.from_array(X, chunks=(20, 9)), da.from_array(y, chunks=20)) == expected
        )
        model.fit(frame.drop(columns="stage"), y)
        lazy = dd.from_pandas(frame, npartitions=3)
        right = model.predict(lazy.drop(columns="stage")) == lazy["stage"]
        assert right.mean().compute() == pytest.approx(expected)

    def test_other_columns_are_refused_at_once(self, frame):
        X, y = frame.drop(columns="stage"), frame["stage"]
        model = SparseCenterClassifier(3).fit(X, y)
        renamed = dd.from_pandas(X, npartitions=2).rename(columns={"gene1": "geneA"})
        with pytest.raises(ValueError, match="geneA"):
            model.predict(renamed)
        model.fit(X.to_numpy(), y)
        with pytest.raises(ValueError, match="X has 4 features, but SparseCenterClassifier is exp"):
            model.predict(da.from_array(X.to_numpy()[:, :4], chunks=(20, 4)))

    def test_set_output_is_refused(self, frame):
        X, y = frame.drop(columns="stage"), frame["stage"]
        model = SparseCenterClassifier(3).set_output(transform="pandas").fit(X, y)
        with pytest.raises(TypeError, match="set_output asks for a pandas data frame"):
            model.transform(dd.from_pandas(X, npartitions=2))
        model.fit(X.to_numpy(), y)
        with pytest.raises(TypeError, match="set_output asks for a pandas data frame"):
            model.transform(da.from_array(X.to_numpy(), chunks=(20, 4)))

    def test_bad_values_are_named(self, samples):
        X, y = samples
        model = SparseCenterClassifier().fit(X, y)
        X[50, 2] = np.nan
        with pytest.raises(ValueError, match="Input X contains NaN"):
            model.predict(da.from_array(X, chunks=(20, 4))).compute()

    def test_what_has_no_rows_is_refused(self, samples):
        X, y = samples
        model = SparseCenterClassifier(3).fit(X, y)
        with pytest.raises(ValueError, match="must have 2 dimensions"):
            model.predict(da.zeros(9))
        with pytest.raises(TypeError, match="must be a Dask array or data frame"):
            model.predict(dask.delayed(X))


def _late_rows(part):
    return part[part.index >= 200]


def _fail(block):
    raise RuntimeError("this block is read")


def assert_close(actual, expected):
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-12)
    else:
        np.testing.assert_array_equal(actual, expected)


class TestDisjointCentroids:
    @pytest.mark.parametrize(
        "options", [{}, {"baseline_weight": 0.99, "scale": "std"}, {"disjoint": False}], ids=str
    )
    @pytest.mark.parametrize("chunks", [(20, 9), (20, 4)])
    def test_margin(self, samples, options, chunks):
        X, y = samples
        expected = DisjointCentroidClassifier("margin", **options).fit(X, y)
        lazy = da.from_array(X, chunks=chunks)
        model = DisjointCentroidClassifier("margin", **options).fit(lazy, y)
        np.testing.assert_array_equal(model.groups_, expected.groups_)
        np.testing.assert_allclose(model.centers_, expected.centers_, atol=1e-12)
        assert model.objective_ == pytest.approx(expected.objective_, rel=1e-10)
        np.testing.assert_array_equal(model.predict(lazy).compute(), expected.predict(X))
        np.testing.assert_array_equal(model.transform(lazy).compute(), expected.transform(X))

    def test_probabilities_are_those_of_a_stream(self, samples):
        X, y = samples
        stream = DisjointCentroidClassifier("margin").partial_fit(X, y, classes=np.unique(y))
        model = DisjointCentroidClassifier("margin").fit(da.from_array(X, chunks=(20, 4)), y)
        assert model.slope_ == pytest.approx(stream.slope_, rel=1e-10)

    @pytest.mark.parametrize(
        "model",
        [
            DisjointCentroidClassifier(),
            DisjointCentroidClassifier("margin", calibration="logistic"),
            SparseCenterClassifier(metric="mahalanobis"),
            SparseCenterClassifierCV(metric="mahalanobis"),
            KernelFisherSubspaceClassifier(),
        ],
        ids=lambda model: type(model).__name__,
    )
    def test_what_needs_single_samples_says_so(self, samples, model):
        X, y = samples
        with pytest.raises(TypeError, match=r"does not fit Dask collections; load X first"):
            model.fit(da.from_array(X, chunks=(20, 4)), y)


class TestOddBlocks:
    def assert_same(self, name, found, X, y):
        expected = clone(ODD_BLOCKS[name]).fit(X, y)
        np.testing.assert_array_equal(found.classes_, expected.classes_)
        np.testing.assert_array_equal(found.support_, expected.support_)
        np.testing.assert_allclose(found.centers_, expected.centers_, rtol=1e-10, atol=1e-12)

    @pytest.mark.parametrize("name", ODD_BLOCKS)
    def test_blocks_without_rows(self, samples, name):
        X, y = samples
        heights = (0, 30, 0, 0, 52, 1, 0)
        labels = da.from_array(y, chunks=(heights,))
        lazy = da.from_array(X, chunks=(heights, (4, 5)))
        for given in (labels, y):
            self.assert_same(name, clone(ODD_BLOCKS[name]).fit(lazy, given), X, y)
        keep = np.r_[:40, 60:83]
        with_holes = lazy.rechunk((20, 4))[da.from_array(np.isin(np.arange(83), keep), chunks=20)]
        self.assert_same(name, clone(ODD_BLOCKS[name]).fit(with_holes, y[keep]), X[keep], y[keep])

    @pytest.mark.parametrize("name", ODD_BLOCKS)
    def test_blocks_of_one_class(self, samples, name):
        X, y = samples
        X, y = X[np.argsort(y, kind="stable")], np.sort(y)
        heights = tuple(np.unique(y, return_counts=True)[1].tolist())
        lazy = da.from_array(X, chunks=(heights, 4))
        labels = da.from_array(y, chunks=(heights,))
        self.assert_same(name, clone(ODD_BLOCKS[name]).fit(lazy, labels), X, y)

    @pytest.mark.parametrize("name", ["l2", "margin"])
    def test_a_label_that_was_not_announced_loses_nothing(self, samples, name):
        X, y = samples
        known = y != "never"
        model = clone(ODD_BLOCKS[name])
        model.partial_fit(X[known], y[known], classes=["early", "late"])
        lazy, labels = da.from_array(X, chunks=(20, 4)), da.from_array(y, chunks=20)
        with pytest.raises(ValueError, match="y holds .*'never'.*, which is not among classes="):
            model.partial_fit(lazy, labels)
        self.assert_same(name, model, X[known], y[known])


class TestErrors:
    @pytest.mark.parametrize("options", [{}, {"metric": "l1"}], ids=str)
    @pytest.mark.parametrize("weights", [None, np.ones(83)], ids=["equal", "weighted"])
    @pytest.mark.parametrize(
        ("value", "said"), [(np.nan, "Input X contains NaN"), (np.inf, "Input X contains infinity")]
    )
    def test_values_that_are_not_finite(self, samples, options, weights, value, said):
        X, y = samples
        X[50, 2] = value
        with pytest.raises(ValueError, match=said):
            SparseCenterClassifier(**options).fit(da.from_array(X, chunks=(20, 4)), y, weights)

    def test_values_that_are_too_large(self, samples):
        X, y = samples
        X[50, 2] = 1e200
        with pytest.raises(ValueError, match="squares are too large for float64"):
            SparseCenterClassifier().fit(da.from_array(X, chunks=(20, 4)), y)

    def test_texts(self, frame):
        lazy = dd.from_pandas(frame, npartitions=3)
        with pytest.raises(ValueError, match="X must hold numbers"):
            SparseCenterClassifier().fit(lazy, lazy["stage"])

    def test_one_class(self, samples):
        X, _ = samples
        with pytest.raises(ValueError, match="y holds one class, 'early'; SparseCenterClassifier"):
            SparseCenterClassifier().fit(da.from_array(X, chunks=(20, 4)), ["early"] * 83)

    def test_labels_that_are_missing(self, samples, frame):
        X, y = samples
        lazy = da.from_array(X, chunks=(20, 4))
        with pytest.raises(ValueError, match="SparseCenterClassifier requires y to be passed"):
            SparseCenterClassifier().fit(lazy, None)
        holes = dd.from_pandas(frame.assign(stage=frame["stage"].where(y != "late")), npartitions=3)
        with pytest.raises(ValueError, match="y holds missing labels"):
            SparseCenterClassifier().fit(holes.drop(columns="stage"), holes["stage"])
        with pytest.raises(ValueError, match="Input y contains NaN"):
            SparseCenterClassifier().fit(lazy, np.where(y == "late", np.nan, 1.0))

    def test_labels_that_are_measured(self, samples):
        X, _ = samples
        with pytest.raises(ValueError, match="Unknown label type"):
            SparseCenterClassifier().fit(da.from_array(X, chunks=(20, 4)), X[:, 0])

    def test_labels_that_were_not_announced(self, samples):
        X, y = samples
        lazy = da.from_array(X, chunks=(20, 4))
        with pytest.raises(ValueError, match="y holds .*'never'.*, which is not among classes="):
            SparseCenterClassifier().partial_fit(lazy, y, classes=["early", "late"])

    def test_another_number_of_rows(self, samples):
        X, y = samples
        lazy = da.from_array(X, chunks=(20, 4))
        with pytest.raises(ValueError, match="X has 83 rows, and y has 82."):
            SparseCenterClassifier().fit(lazy, y[1:])
        with pytest.raises(ValueError, match="X has 83 rows, and sample_weight has 3."):
            SparseCenterClassifier().fit(lazy, y, np.ones(3))
        halves = [dask.delayed(part) for part in (X[:40], X[40:])]
        weights = [dask.delayed(np.ones(40)), dask.delayed(np.ones(40))]
        with pytest.raises(ValueError, match="inconsistent numbers of samples: .40, 43."):
            SparseCenterClassifier().fit(halves, y, weights)

    def test_another_number_of_columns(self, samples):
        X, y = samples
        model = SparseCenterClassifier().partial_fit(X, y, classes=np.unique(y))
        with pytest.raises(ValueError, match="X has 5 features, but SparseCenterClassifier is exp"):
            model.partial_fit(da.from_array(X[:, :5], chunks=(20, 5)), y)

    def test_blocks_with_columns_of_other_names(self, frame):
        X, y = frame.drop(columns="stage"), frame["stage"]
        blocks = [dask.delayed(X[:30]), dask.delayed(X[30:].iloc[:, ::-1])]
        with pytest.raises(ValueError, match="a block of X has columns of other names"):
            SparseCenterClassifier().fit(blocks, y)

    def test_weights(self, samples):
        X, y = samples
        lazy = da.from_array(X, chunks=(20, 4))
        with pytest.raises(ValueError, match="sample_weight=-1 must not be negative"):
            SparseCenterClassifier().fit(lazy, y, -np.ones(83))
        with pytest.raises(ValueError, match="sample_weight is zero for every sample"):
            SparseCenterClassifier().fit(lazy, y, np.zeros(83))

    def test_no_samples(self):
        with pytest.raises(ValueError, match="X and y hold no samples"):
            SparseCenterClassifier().fit(da.zeros((0, 3)), [])

    def test_a_failed_fit_changes_nothing(self, samples):
        X, y = samples
        model = SparseCenterClassifier(3).fit(X, y)
        centers = model.centers_.copy()
        with pytest.raises(ValueError, match="y holds one class"):
            model.fit(da.from_array(X[:, :5], chunks=(20, 5)), np.zeros(83))
        assert model.n_features_in_ == 9
        np.testing.assert_array_equal(model.centers_, centers)


N_BLOCKS, HEIGHT, WIDTH = 192, 5_000, 800


def _block_of_numbers(place):
    """Rows of two classes, of which every second one has a larger first feature."""
    block = np.full((HEIGHT, WIDTH), place, dtype=np.float32)
    block[1::2, 0] += 1.0
    return block


def _rows_or_death(rows, marker, block_info=None):
    """Give the rows as they are; the third block ends its worker when it is first asked for."""
    if block_info[0]["chunk-location"][0] == 3 and not os.path.exists(marker):
        with open(marker, "w"):
            os.kill(os.getpid(), signal.SIGKILL)
    return rows


@pytest.mark.once
@pytest.mark.xdist_group("cluster")
# Older versions of Dask say so where a test asks for it, to compare.
@pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler:UserWarning")
class TestCluster:
    @pytest.mark.parametrize("options", [{"scale": "within"}, {"metric": "l1"}], ids=str)
    def test_a_cluster_gives_the_same_to_the_bit(self, samples, options, on_cluster):
        X, y = samples
        lazy, labels = da.from_array(X, chunks=(9, 4)), da.from_array(y, chunks=9)
        model = SparseCenterClassifier(3, **options).fit(lazy, labels)
        with dask.config.set(scheduler="synchronous"):
            expected = SparseCenterClassifier(3, **options).fit(lazy, labels)
        np.testing.assert_array_equal(model.centers_, expected.centers_)
        np.testing.assert_array_equal(model.feature_gains_, expected.feature_gains_)
        np.testing.assert_array_equal(model.predict(lazy).compute(), expected.predict(X))

    @pytest.mark.parametrize("options", [{}, {"metric": "l1"}], ids=str)
    def test_futures(self, samples, options, on_cluster):
        X, y = samples
        # Without names by content: an older future of the same name could still be on its way out.
        blocks = on_cluster.scatter([X[:40], X[40:]], hash=False)
        labels = on_cluster.scatter([y[:40], y[40:]], hash=False)
        expected = SparseCenterClassifier(3, **options).fit(X, y)
        model = SparseCenterClassifier(3, **options).fit(blocks, labels)
        assert_same_model(model, expected)
        predicted = np.concatenate(dask.compute(*model.predict(blocks)))
        np.testing.assert_array_equal(predicted, expected.predict(X))

    def test_an_error_on_a_worker_is_raised_here(self, samples, on_cluster):
        X, y = samples
        X[50, 2] = np.nan
        with pytest.raises(ValueError, match="Input X contains NaN"):
            SparseCenterClassifier().fit(da.from_array(X, chunks=(20, 4)), y)

    def test_data_larger_than_memory_never_come_together(self, on_cluster, monkeypatch):
        parts = [dask.delayed(_block_of_numbers)(place) for place in range(N_BLOCKS)]
        shape = (HEIGHT, WIDTH)
        X = da.concatenate([da.from_delayed(part, shape, np.float32) for part in parts])
        assert X.nbytes > 4 * MEMORY_LIMIT
        workers = on_cluster.run(os.getpid)
        sizes = []
        gather = dask_collection._gather
        monkeypatch.setattr(dask_collection, "_gather", partial(_measured, gather, sizes))

        model = SparseCenterClassifier(1).fit(X, da.arange(X.shape[0], chunks=HEIGHT) % 2)

        level = (N_BLOCKS - 1) / 2
        np.testing.assert_allclose(model.centers_[:, 0], [level, level + 1.0], rtol=1e-10)
        np.testing.assert_array_equal(model.feature_ranking_[:1], [0])
        n_numbers = 2 * (2 * WIDTH + 1)
        assert max(sizes) < 16 * n_numbers + 1000 * N_BLOCKS
        assert len(sizes) == 2
        assert on_cluster.run(os.getpid) == workers  # none was ended for taking too much memory

    @pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="workers are killed by a signal")
    def test_a_worker_that_dies_changes_nothing(self, samples, on_cluster, tmp_path):
        X, y = samples
        marker = str(tmp_path / "died")
        lazy = da.from_array(X, chunks=(9, 9))
        mortal = lazy.map_blocks(_rows_or_death, marker=marker, dtype=float, meta=X[:0])
        model = SparseCenterClassifier(3).fit(mortal, y)
        with dask.config.set(scheduler="synchronous"):
            expected = SparseCenterClassifier(3).fit(lazy, y)
        assert os.path.exists(marker)
        np.testing.assert_array_equal(model.centers_, expected.centers_)
        on_cluster.wait_for_workers(2, timeout=PATIENCE)


def _measured(gather, sizes, parts):
    from dask.sizeof import sizeof

    results = gather(parts)
    sizes.append(sum(sizeof(vars(part) if hasattr(part, "squares") else part) for part in results))
    return results
