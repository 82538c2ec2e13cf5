"""A screen by l2 before other methods: inside the training sets, in memory and on workers."""

import numpy as np
import pytest
from scipy import sparse

from centroidal.streaming import batches
from tests.streaming.test_batches import write_folder

from ..l2 import select_features
from .test_stream_source import SEED

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

QUICK = {"cv": 3, "n_repeats": 2, "random_state": SEED}


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def data():
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 2, 90)
    X = rng.normal(size=(90, 40)) * (rng.random((90, 40)) < 0.9)
    X[:, [2, 31]] += 1.2 * codes[:, None]
    return X, np.array(["a", "b"])[codes]


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("is_grouped", [False, True], ids=["rows", "groups"])
@pytest.mark.parametrize("method", ["l1", "disjoint"])
def test_screen_on_workers_gives_the_answer_of_one_in_memory(method, is_grouped, form, data):
    X, y = data
    groups = np.random.default_rng(1).integers(0, 40, 90) if is_grouped else None
    options = {"method": method, "screen": 8, "groups": groups, **QUICK}
    chunks = da.from_array(X, chunks=(25, 40))
    if form == "sparse":
        X = sparse.csr_array(X)
        chunks = chunks.map_blocks(sparse.csr_array, meta=sparse.csr_array((0, 0)))
    expected, found = select_features(X, y, **options), select_features(chunks, y, **options)
    assert found.score == pytest.approx(expected.score, rel=1e-10)
    assert found.interval == pytest.approx(expected.interval, rel=1e-10)
    assert found.fold_choices == expected.fold_choices
    assert found.selected_names.tolist() == expected.selected_names.tolist()
    np.testing.assert_array_equal(found.confusion_path, expected.confusion_path)
    np.testing.assert_array_equal(found.model.predict(X), expected.model.predict(X))
    assert found.preprocess == "screen to 8 features by l2"


def test_screen_is_inside_the_training_sets():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2000)), np.arange(60) % 2  # nothing but noise
    options = {"n_features_to_select": 20, **QUICK}
    honest = select_features(X, y, screen=20, **options)
    assert honest.score < 0.65
    means = [X[y == code].mean(axis=0) for code in (0, 1)]
    first = np.argsort(-np.abs(means[0] - means[1]))[:20]  # by all samples, which tells too much
    assert select_features(X[:, first], y, **options).score > 0.8


def test_screen_that_keeps_all_features_changes_nothing(data):
    found = select_features(*data, screen=1000, **QUICK)
    expected = select_features(*data, **QUICK)
    assert (found.score, found.fold_choices) == (expected.score, expected.fold_choices)
    np.testing.assert_array_equal(found.confusion_path, expected.confusion_path)


def test_files_that_workers_read_may_be_screened(data, tmp_path):
    X, y = data
    folder = write_folder(tmp_path / "parts", X, y, cuts=(40,), group=9)
    rows = batches(folder, target="kind", drop="sample")
    options = {"method": "l1", "screen": 8, **QUICK}
    found = select_features(rows.on_workers(), **options)
    expected = select_features(X, y, feature_names=rows.feature_names, **options)
    assert found.score == pytest.approx(expected.score, rel=1e-10)
    assert found.selected_names.tolist() == expected.selected_names.tolist()
    assert found.model.n_features_in_ == 40


def test_screen_that_cannot_be_is_refused(data, tmp_path):
    with pytest.raises(ValueError, match="screen=0 must be"):
        select_features(*data, screen=0)
    with pytest.raises(ValueError, match="impute='mean' must be None: it does not go with screen"):
        select_features(*data, screen=3, impute="mean")
    folder = write_folder(tmp_path / "parts", *data, cuts=(40,), group=9)
    with pytest.raises(ValueError, match="screen=3 needs samples in memory or on workers"):
        select_features(batches(folder, target="kind", drop="sample"), screen=3)
