"""ReliefF as a selector: parameters, frames, scikit-learn around it, callbacks, bad input."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline

from centroidal.datasets import make_word_counts
from centroidal.feature_selection.relieff import ReliefFSelector
from centroidal.solvers import relieff
from tests.reference.relieff import relief_scores

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
every_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


@pytest.fixture
def samples(rng):
    """Two classes that differ in features 1 and 3; feature 5 is constant."""
    y = np.array(["no", "yes"])[np.arange(60) % 2]
    X = rng.normal(size=(60, 6))
    X[:, [1, 3]] += 2.0 * (y == "yes")[:, None]
    X[:, 5] = 4.0
    return X, y


@pytest.fixture
def table():
    """Columns of any type, some values missing; the class is the colour but for one row."""
    colours = ["red", "blue", "red", "blue", None, "blue", "red", "blue"]
    size = [1.0, 2.0, 1.5, None, 1.0, 2.5, 2.0, 1.0]
    shape = ["a", "b", "b", "a", "a", "b", "a", "b"]
    y = [0, 1, 0, 1, 0, 1, 0, 0]
    return {"colour": colours, "size": size, "shape": shape}, np.array(y)


def codes_of(values):
    """Numbers for the values of a column, NaN for None."""
    known = {value: number for number, value in enumerate(sorted(set(values) - {None}))}
    return [known.get(value, np.nan) for value in values]


# ------------------------------------------------------------------ fitting


def test_informative_features_are_selected(samples):
    selector = ReliefFSelector(2).fit(*samples)
    assert selector.get_support(indices=True).tolist() == [1, 3]
    assert set(selector.feature_ranking_[:2]) == {1, 3}
    assert selector.scores_[5] == 0.0


@pytest.mark.parametrize(
    ("variant", "k", "metric"), [("classic", 10, "manhattan"), ("squared", 1, "euclidean")]
)
def test_none_is_what_the_variant_is_known_for(samples, variant, k, metric):
    own = ReliefFSelector(variant=variant).fit(*samples)
    said = ReliefFSelector(variant=variant, n_neighbors=k, metric=metric).fit(*samples)
    assert (own.n_neighbors_, own.metric_) == (k, metric)
    np.testing.assert_array_equal(own.scores_, said.scores_)


@pytest.mark.parametrize("variant", ["classic", "squared"])
@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
def test_scores_are_those_of_the_definition(rng, variant, metric):
    X, y = rng.normal(size=(20, 4)), rng.integers(0, 3, 20)
    selector = ReliefFSelector(n_neighbors=4, variant=variant, metric=metric).fit(X, y)
    expected = relief_scores(
        X, y, k=4, is_euclidean=metric == "euclidean", is_squared=variant == "squared"
    )
    np.testing.assert_allclose(selector.scores_, expected, rtol=1e-11, atol=1e-13)


def test_two_classes_equal_a_peer(samples):
    peer = pytest.importorskip("skrebate", reason="the peer is not installed")
    X, y = samples
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # It takes features of few different values for categories unless told otherwise.
        expected = peer.ReliefF(n_neighbors=10, categorical_features=[]).fit(X[:, :5], y == "yes")
    found = ReliefFSelector().fit(X[:, :5], y).scores_
    np.testing.assert_allclose(found, expected.feature_importances_, rtol=1e-12, atol=1e-14)


def test_none_keeps_the_features_with_a_positive_score(samples):
    selector = ReliefFSelector().fit(*samples)
    np.testing.assert_array_equal(selector.support_, selector.scores_ > 0.0)
    assert selector.n_features_to_select_ == selector.support_.sum()


@pytest.mark.parametrize(("value", "expected"), [(1, 1), (6, 6), (0.5, 3), (1.0, 6)])
def test_number_of_features_may_be_an_int_or_a_fraction(samples, value, expected):
    selector = ReliefFSelector(value).fit(*samples)
    assert selector.n_features_to_select_ == selector.support_.sum() == expected


def test_names_of_the_classes_do_not_matter(samples):
    X, y = samples
    np.testing.assert_allclose(
        ReliefFSelector().fit(X, y == "no").scores_, ReliefFSelector().fit(X, y).scores_, rtol=1e-12
    )


@pytest.mark.parametrize("variant", ["classic", "squared"])
@pytest.mark.parametrize("layout", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_samples_have_the_scores_of_dense_ones(samples, variant, layout):
    X, y = samples[0] * (np.abs(samples[0]) > 0.7), samples[1]
    dense = ReliefFSelector(2, variant=variant).fit(X, y)
    of_sparse = ReliefFSelector(2, variant=variant).fit(layout(X), y)
    np.testing.assert_allclose(of_sparse.scores_, dense.scores_, rtol=1e-11, atol=1e-13)
    selected = of_sparse.transform(layout(X))
    assert sparse.issparse(selected)
    np.testing.assert_array_equal(selected.toarray(), dense.transform(X))


def test_sparse_samples_are_never_made_dense(samples):
    X, y = samples
    empty = sparse.csr_matrix((len(y), 10**6))
    wide = sparse.hstack([sparse.csr_matrix(X), empty], format="csr")
    tracemalloc.start()
    selector = ReliefFSelector(2).fit(wide, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert selector.get_support(indices=True).tolist() == [1, 3]
    assert peak < 150e6  # dense, these are 480 MB


@pytest.mark.parametrize("variant", ["classic", "squared"])
def test_weights_are_numbers_of_copies(rng, samples, variant):
    X, y = samples
    times = rng.integers(0, 4, len(y))
    weighted = ReliefFSelector(variant=variant).fit(X, y, sample_weight=times)
    copied = ReliefFSelector(variant=variant).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.scores_, copied.scores_, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_number_of_threads_does_not_matter_to_the_bit(samples, n_jobs, monkeypatch):
    monkeypatch.setattr(relieff, "_LEAST_BLOCK", 8)
    for variant in ("classic", "squared"):
        one, more = (ReliefFSelector(variant=variant, n_jobs=n).fit(*samples) for n in (1, n_jobs))
        np.testing.assert_array_equal(one.scores_, more.scores_)


def test_missing_values_are_allowed_in_fit_and_transform(rng, samples):
    X, y = samples
    X = X.copy()
    X[rng.random(X.shape) < 0.2] = np.nan
    selector = ReliefFSelector(2).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [1, 3]
    np.testing.assert_array_equal(selector.transform(X), X[:, [1, 3]])


def test_fitting_again_forgets_the_first_data(samples):
    X, y = samples
    selector = ReliefFSelector(2).fit(pd.DataFrame(X[:, :3], columns=["a", "b", "c"]), y)
    selector.fit(X, y)
    np.testing.assert_array_equal(selector.scores_, ReliefFSelector(2).fit(X, y).scores_)
    assert not hasattr(selector, "feature_names_in_")


def test_fit_leaves_data_and_parameters_alone(samples):
    X, y = samples
    before = X.copy(), y.copy()
    selector = ReliefFSelector(0.5, categorical_features=[0])
    parameters = selector.get_params()
    selector.fit(X, y)
    assert selector.get_params() == parameters
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


def test_failed_fit_leaves_the_fitted_selector_alone(samples):
    X, y = samples
    selector = ReliefFSelector(2).fit(X, y)
    before = pickle.dumps(selector.set_params(n_features_to_select=4))
    with pytest.raises(ValueError, match="n_features_to_select=4"):
        selector.fit(X[:, :3], y)
    assert pickle.dumps(selector) == before


# ------------------------------------------------------------------ categories


def test_categories_may_be_a_mask_or_numbers(samples):
    X, y = np.round(samples[0]), samples[1]
    expected = relief_scores(
        X, (y == "yes").astype(int), k=3, is_categorical=[True, False, False, True, False, False]
    )
    for chosen in ([0, 3], np.array([True, False, False, True, False, False]), (3, 0)):
        selector = ReliefFSelector(n_neighbors=3, categorical_features=chosen).fit(X, y)
        np.testing.assert_allclose(selector.scores_, expected, rtol=1e-11, atol=1e-13)


@every_frame
def test_categories_of_a_frame_may_be_strings(frame, table):
    columns, y = table
    X = np.column_stack([codes_of(columns["colour"]), columns["size"], codes_of(columns["shape"])])
    expected = relief_scores(X.astype(float), y, k=2, is_categorical=[True, False, True])
    for chosen in (["colour", "shape"], [0, 2], [True, False, True], "from_dtype"):
        selector = ReliefFSelector(1, n_neighbors=2, categorical_features=chosen)
        selector.fit(frame(columns), y)
        np.testing.assert_allclose(selector.scores_, expected, rtol=1e-11, atol=1e-13)
        assert selector.get_feature_names_out().tolist() == ["colour"]


def test_categories_are_found_by_their_type(table):
    columns, y = table
    strings = ReliefFSelector(n_neighbors=2, categorical_features="from_dtype")
    expected = strings.fit(pd.DataFrame(columns), y).scores_
    pandas = pd.DataFrame(columns).astype({"colour": "category", "shape": "category"})
    polars = pl.DataFrame(columns).with_columns(pl.col("colour", "shape").cast(pl.Categorical))
    for frame in (pandas, polars):
        np.testing.assert_array_equal(clone(strings).fit(frame, y).scores_, expected)


def test_nan_and_null_are_the_same_missing_category():
    values = [1.0, np.nan, 2.0, None, 1.0, 2.0]
    frame = pl.DataFrame({"a": values, "b": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}, strict=False)
    y = [0, 0, 0, 1, 1, 1]
    array = np.array([[np.nan if v is None else v for v in values], frame["b"].to_list()]).T
    of_frame = ReliefFSelector(categorical_features=["a"]).fit(frame, y)
    of_array = ReliefFSelector(categorical_features=[0]).fit(array, y)
    np.testing.assert_array_equal(of_frame.scores_, of_array.scores_)


@pytest.mark.parametrize("chosen", [None, [], "from_dtype"])
def test_array_has_no_categories_by_itself(samples, chosen):
    expected = ReliefFSelector().fit(*samples).scores_
    found = ReliefFSelector(categorical_features=chosen).fit(*samples).scores_
    np.testing.assert_array_equal(found, expected)


@every_frame
def test_names_of_the_features_are_kept(samples, frame):
    X, y = samples
    names = [f"gene {j}" for j in range(6)]
    data = frame(dict(zip(names, X.T, strict=True)))
    for chosen in (None, ["gene 0"]):
        selector = ReliefFSelector(2, categorical_features=chosen).fit(data, y)
        assert selector.feature_names_in_.tolist() == names
        assert selector.get_feature_names_out().tolist() == ["gene 1", "gene 3"]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_output_may_be_a_frame(samples, kind):
    X, y = samples
    data = FRAMES[kind]({f"gene {j}": X[:, j] for j in range(6)})
    selected = ReliefFSelector(2).set_output(transform=kind).fit(data, y).transform(data)
    assert isinstance(selected, FRAMES[kind])
    assert list(selected.columns) == ["gene 1", "gene 3"]


# ------------------------------------------------------------------ scikit-learn around it


def test_selector_works_in_a_pipeline_and_a_grid(samples):
    X, y = samples
    model = make_pipeline(ReliefFSelector(1), LogisticRegression())
    grid = GridSearchCV(model, {"relieffselector__n_features_to_select": [1, 2]}, cv=3).fit(X, y)
    assert grid.best_params_ == {"relieffselector__n_features_to_select": 2}


def test_clones_and_pickles_select_the_same(samples):
    selector = ReliefFSelector(2).fit(*samples)
    for other in (clone(selector).fit(*samples), pickle.loads(pickle.dumps(selector))):
        np.testing.assert_array_equal(other.scores_, selector.scores_)
        np.testing.assert_array_equal(other.support_, selector.support_)


class Counter:
    """A callback that notes the tasks it is told about."""

    def __init__(self):
        self.ended = []

    def setup(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context): ...

    def on_fit_task_end(self, estimator, context):
        self.ended.append(context.task_name)

    def teardown(self, estimator, context): ...


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_callbacks_see_one_step_a_block(samples, n_jobs, monkeypatch):
    pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")
    monkeypatch.setattr(relieff, "_LEAST_BLOCK", 16)
    counter = Counter()
    selector = ReliefFSelector(2, n_jobs=n_jobs).set_callbacks(counter).fit(*samples)
    assert counter.ended == ["block of samples"] * 4 + ["fit"]
    np.testing.assert_array_equal(selector.scores_, ReliefFSelector(2).fit(*samples).scores_)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"variant": "fast"}, "variant='fast' must be one of 'classic', 'squared'"),
        ({"metric": "l1"}, "metric='l1' must be one of 'manhattan', 'euclidean', None"),
        ({"n_neighbors": 0}, "n_neighbors=0 must be at least 1"),
        ({"n_features_to_select": 7}, "n_features_to_select=7 must lie between 1 and n_features=6"),
        ({"n_features_to_select": 0.0}, "n_features_to_select=0.0 must"),
        ({"categorical_features": "all"}, "categorical_features='all' must be one of 'from_dtype'"),
        ({"categorical_features": [6]}, "categorical_features holds 6 ... 6; columns go from 0 to"),
        ({"categorical_features": [-1, 2]}, "holds -1 ... 2; columns go from 0 to 5"),
        ({"categorical_features": [True]}, "is a mask of 1 features; X has 6"),
        ({"categorical_features": ["a"]}, r"\['a'\] holds names, but X is no data frame"),
    ],
)
def test_error_names_the_parameter_and_what_is_allowed(samples, parameters, message):
    with pytest.raises(ValueError, match=message):
        ReliefFSelector(**parameters).fit(*samples)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 2.5}, "n_neighbors=2.5 must be an int of at least 1"),
        ({"n_neighbors": True}, "n_neighbors=True must be an int"),
        ({"n_features_to_select": "all"}, "n_features_to_select='all' must be an int"),
        ({"categorical_features": [0.5]}, r"categorical_features=\[0.5\] must be a mask"),
        ({"categorical_features": [[0], [1, 2]]}, "must be a mask, an array of columns or of"),
        ({"categorical_features": 3}, "categorical_features=3 must be a mask"),
    ],
)
def test_error_names_the_parameter_and_its_type(samples, parameters, message):
    with pytest.raises(TypeError, match=message):
        ReliefFSelector(**parameters).fit(*samples)


@every_frame
def test_unknown_name_of_a_category_is_named(frame, table):
    columns, y = table
    with pytest.raises(ValueError, match="holds 'weight', which is not among the features"):
        ReliefFSelector(categorical_features=["shape", "weight"]).fit(frame(columns), y)


@every_frame
def test_strings_that_are_no_categories_are_refused(frame, table):
    columns, y = table
    with pytest.raises(ValueError, match="X must hold numbers"):
        ReliefFSelector(categorical_features=["shape"]).fit(frame(columns), y)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_infinity_is_refused(samples, layout):
    X, y = samples[0].copy(), samples[1]
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        ReliefFSelector().fit(layout(X), y)


def test_one_class_is_refused(samples):
    X, y = samples
    with pytest.raises(ValueError, match="ReliefFSelector needs samples"):
        ReliefFSelector().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="positive weight of at least 2 classes"):
        ReliefFSelector().fit(X, y, sample_weight=(y == "no").astype(float))


def test_negative_weight_is_refused(samples):
    X, y = samples
    with pytest.raises(ValueError, match="sample_weight=-1 must not be negative"):
        ReliefFSelector().fit(X, y, sample_weight=-np.ones(len(y)))


def test_selector_must_be_fitted_first(samples):
    with pytest.raises(NotFittedError):
        ReliefFSelector().transform(samples[0])


def test_scores_that_differ_by_rounding_are_ties_for_dense_and_sparse_alike():
    counts = make_word_counts(90, 40, n_informative=8, random_state=0)
    rows = next(iter(StratifiedKFold(3).split(counts.data, counts.target)))[0]
    X, y = counts.data[rows], counts.target[rows]
    dense = ReliefFSelector().fit(X.toarray(), y)
    sparse_one = ReliefFSelector().fit(X, y)
    np.testing.assert_array_equal(dense.feature_ranking_, sparse_one.feature_ranking_)


# ------------------------------------------------------------------ samples that are drawn


def test_as_many_draws_as_samples_change_nothing(rng):
    X, y = rng.normal(size=(40, 6)), np.arange(40) % 3
    expected = ReliefFSelector().fit(X, y).scores_
    for most in (40, 1000):
        found = ReliefFSelector(max_samples=most, random_state=0).fit(X, y).scores_
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("variant", ["classic", "squared"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_single_draws_of_all_samples_add_up_to_all(rng, variant, store, monkeypatch):
    """Scores are means, or sums, over the samples that are looked at."""
    X, y = rng.normal(size=(30, 5)), np.arange(30) % 3
    expected = ReliefFSelector(variant=variant).fit(store(X), y).scores_
    scores = []
    for i in range(0, 30, 3):
        rows = np.arange(i, i + 3)
        monkeypatch.setattr(
            "centroidal.feature_selection.relieff._draw", lambda *_, rows=rows: rows
        )
        scores.append(ReliefFSelector(variant=variant).fit(store(X), y).scores_)
    together = np.sum(scores, axis=0) if variant == "squared" else np.mean(scores, axis=0)
    np.testing.assert_allclose(together, expected, rtol=1e-9, atol=1e-12)


def test_draw_is_repeatable_and_depends_on_the_seed(rng):
    X, y = rng.normal(size=(60, 5)), np.arange(60) % 2
    draws = [ReliefFSelector(max_samples=9, random_state=s).fit(X, y).scores_ for s in (0, 0, 1)]
    np.testing.assert_array_equal(draws[0], draws[1])
    assert (draws[0] != draws[2]).any()


@pytest.mark.parametrize("value", [0, 2.5, "all"])
def test_number_of_draws_is_a_count(rng, value):
    with pytest.raises((TypeError, ValueError), match="max_samples="):
        ReliefFSelector(max_samples=value).fit(rng.normal(size=(8, 2)), np.arange(8) % 2)
