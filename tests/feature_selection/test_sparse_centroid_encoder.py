"""The sparse centroid-encoder as a selector."""

import pickle
import subprocess
import sys
from textwrap import dedent

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest, SelectorMixin

from centroidal import ReliefFSelector, SparseCentroidEncoder
from centroidal.datasets import make_expression
from centroidal.feature_selection import elbow
from tests.feature_selection.encoder_samples import NEEDS_TORCH, SHORT, WITHOUT_TORCH, draw
from tests.reference import sparse_centroid_encoder as reference

torch = pytest.importorskip("torch", reason=NEEDS_TORCH)

TRAININGS = ["joint", "alternating"]
every_training = pytest.mark.parametrize("training", TRAININGS)
every_format = pytest.mark.parametrize("to", [np.asarray, sparse.csr_array, sparse.csc_array])

ALL_ZERO = "All weights became zero"


def encoder(*args, **parameters):
    """An encoder with a short training."""
    return SparseCentroidEncoder(*args, **{**SHORT, **parameters})


@pytest.fixture
def samples(rng):
    """Three classes that differ in the first three of twelve features."""
    return draw(rng)


@pytest.fixture
def fitted(samples):
    """An encoder of which some weights are zero, and some are not."""
    model = encoder(alpha=0.05, max_epochs=20, learning_rate=0.03).fit(*samples)
    assert 3 <= np.count_nonzero(model.coef_) <= 9
    return model


def learned(model):
    """Everything that a training finds, as a list of arrays."""
    arrays = [model.coef_, *model.layer_weights_, *model.layer_biases_]
    return [*arrays, model.objectives_, np.array(model.objective_)]


def assert_same(actual, expected, tolerance=1e-8):
    for found, values in zip(learned(actual), learned(expected), strict=True):
        np.testing.assert_allclose(found, values, atol=tolerance)
    np.testing.assert_array_equal(actual.coef_ == 0.0, expected.coef_ == 0.0)


def assert_same_bits(actual, expected):
    for found, values in zip(learned(actual), learned(expected), strict=True):
        np.testing.assert_array_equal(found, values)
    np.testing.assert_array_equal(actual.feature_ranking_, expected.feature_ranking_)


# ------------------------------------------------------------------ what is found


def assert_equals_twin(X, y, weights, to, hidden_layer_sizes, **parameters):
    """Weights, layers and objectives to 1e-9; they differ by 1e-13 on these data."""
    parameters = {
        "alpha": 0.02,
        "training": "joint",
        "max_epochs": 8,
        "pretraining_epochs": 3,
        "learning_rate": 0.05,
        "batch_size": None,
        **parameters,
    }
    model = SparseCentroidEncoder(
        hidden_layer_sizes=hidden_layer_sizes, random_state=3, **parameters
    )
    model.fit(to(X), y, sample_weight=weights)
    sizes = np.atleast_1d(hidden_layer_sizes).tolist()
    expected = reference.encode(X, y, weights, hidden_sizes=sizes, seed=3, **parameters)
    assert_is_encoding(model, expected)
    return model


def assert_is_encoding(model, expected):
    np.testing.assert_allclose(model.coef_, expected.coef, atol=1e-9)
    np.testing.assert_array_equal(model.coef_ == 0.0, expected.coef == 0.0)
    layers = zip(model.layer_weights_, expected.weights, strict=True)
    biases = zip(model.layer_biases_, expected.biases, strict=True)
    for found, values in (*layers, *biases):
        np.testing.assert_allclose(found, values, atol=1e-9)
    np.testing.assert_allclose(model.objectives_, expected.objectives, rtol=1e-9)
    assert model.objective_ == pytest.approx(expected.objective, rel=1e-9)


@pytest.fixture
def gappy(rng, samples):
    """Samples with many zeros, and weights of them."""
    X = samples.X * (rng.random(samples.X.shape) < 0.6)
    return X, samples.y, rng.uniform(0.5, 2.0, len(X))


@every_format
@pytest.mark.parametrize("hidden_layer_sizes", [5, (6, 4)])
@pytest.mark.parametrize(("training", "max_epochs"), [("joint", 12), ("alternating", 24)])
def test_training_is_that_of_the_definition(gappy, to, hidden_layer_sizes, training, max_epochs):
    X, y, _ = gappy
    schedule = {"training": training, "max_epochs": max_epochs}
    assert_equals_twin(X, y, None, to, hidden_layer_sizes, **schedule)


@every_format
@every_training
def test_training_on_weighted_samples_is_that_of_the_definition(gappy, to, training):
    assert_equals_twin(*gappy, to, (5,), training=training, max_epochs=14)


@every_format
@every_training
def test_training_on_batches_is_that_of_the_definition(gappy, to, training):
    schedule = {"training": training, "max_epochs": 12, "pretraining_epochs": 1}
    assert_equals_twin(*gappy, to, (4, 3), batch_size=13, **schedule)


def test_training_of_three_hidden_layers_is_that_of_the_definition(gappy):
    assert_equals_twin(*gappy, np.asarray, (6, 4, 3))


def test_training_that_makes_weights_zero_is_that_of_the_definition(samples):
    schedule = {"max_epochs": 30, "pretraining_epochs": 3}
    model = assert_equals_twin(*samples, None, np.asarray, 5, **schedule)
    assert 0 < np.count_nonzero(model.coef_) < 12


def test_objectives_are_those_of_each_epoch_with_the_penalty(samples):
    model = encoder().fit(*samples)
    assert model.objectives_.shape == (model.n_iter_,) == (5,)


@pytest.mark.parametrize(("training", "expected"), [("joint", 125), ("alternating", 200)])
def test_number_of_epochs_depends_on_the_training(samples, training, expected):
    model = encoder(training=training, max_epochs=None, hidden_layer_sizes=2)
    assert model.fit(*samples).n_iter_ == expected


def test_layers_have_a_row_an_input(samples):
    model = encoder(hidden_layer_sizes=(5, 4)).fit(*samples)
    assert [weights.shape for weights in model.layer_weights_] == [(12, 5), (5, 4), (4, 12)]
    assert [biases.shape for biases in model.layer_biases_] == [(5,), (4,), (12,)]


def test_hidden_layers_may_be_given_as_an_array(samples):
    model = encoder(hidden_layer_sizes=np.array([5, 4])).fit(*samples)
    assert_same_bits(model, encoder(hidden_layer_sizes=(5, 4)).fit(*samples))


def test_scores_are_absolute_weights(fitted):
    np.testing.assert_array_equal(fitted.scores_, np.abs(fitted.coef_))


def test_means_and_scales_are_those_of_the_samples(samples):
    model = encoder().fit(*samples)
    np.testing.assert_allclose(model.mean_, samples.X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.feature_scale_, samples.X.std(axis=0), rtol=1e-12)


@every_training
@pytest.mark.parametrize("seed", [0, 1])
def test_features_that_differ_are_favoured(training, seed):
    table = make_expression(60, 200, 8, 2, effect=4.0, random_state=seed)
    model = SparseCentroidEncoder(
        8, training=training, hidden_layer_sizes=10, max_epochs=60, random_state=seed
    )
    model.fit(table.data, table.target)
    assert table.informative[model.support_].sum() >= 3  # 0.3 by chance
    scores = [model.scores_[mask].mean() for mask in (table.informative, ~table.informative)]
    assert scores[0] > 5.0 * scores[1]


# ------------------------------------------------------------------ selection


def test_features_up_to_the_elbow_are_kept_by_default(samples):
    model = encoder(alpha=1e-4).fit(*samples)
    assert model.n_features_to_select_ == elbow(model.scores_) == model.support_.sum() < 12
    np.testing.assert_array_equal(
        np.sort(model.feature_ranking_[: model.support_.sum()]), np.flatnonzero(model.support_)
    )


def test_elbow_never_keeps_a_weight_of_zero(fitted):
    assert elbow(fitted.scores_) > np.count_nonzero(fitted.scores_)
    assert fitted.n_features_to_select_ == np.count_nonzero(fitted.scores_)
    assert fitted.scores_[fitted.support_].all()


@pytest.mark.parametrize(("number", "expected"), [(1, 1), (11, 11), (0.25, 3), (12, 12)])
def test_so_many_features_are_kept_as_asked_for(samples, number, expected):
    model = encoder(number).fit(*samples)
    assert model.transform(samples.X).shape == (30, expected)
    np.testing.assert_array_equal(
        np.sort(model.feature_ranking_[:expected]), np.flatnonzero(model.support_)
    )


def test_none_keeps_the_features_with_a_weight(samples, fitted):
    model = clone(fitted).set_params(n_features_to_select=None).fit(*samples)
    np.testing.assert_array_equal(model.support_, fitted.coef_ != 0.0)


@pytest.mark.parametrize("number", ["elbow", None])
def test_one_feature_is_kept_where_all_weights_are_zero(samples, number):
    model = encoder(number, alpha=10.0, max_epochs=30, learning_rate=0.1)
    with pytest.warns(UserWarning, match=ALL_ZERO):
        model.fit(*samples)
    assert not model.scores_.any()
    assert model.n_features_to_select_ == 1


def test_too_large_a_penalty_is_said(samples):
    with pytest.warns(UserWarning, match=f"{ALL_ZERO}: alpha=10.0 is too large"):
        encoder(alpha=10.0, max_epochs=30, learning_rate=0.1).fit(*samples)


def test_features_without_a_weight_follow_by_how_much_the_error_would_fall(samples, fitted):
    arrays = reference.standardised(*samples)
    *hidden, output = [
        list(layer) for layer in zip(fitted.layer_weights_, fitted.layer_biases_, strict=True)
    ]
    slopes = np.abs(reference.gradients(fitted.coef_, hidden, output, arrays)[0])
    rest = fitted.feature_ranking_[np.count_nonzero(fitted.coef_) :]
    assert not fitted.coef_[rest].any()
    assert (np.diff(fitted.scores_[fitted.feature_ranking_]) <= 0.0).all()
    assert (np.diff(slopes[rest]) < 0.0).all()


# ------------------------------------------------------------------ prefilter


class FixedColumns(SelectorMixin, BaseEstimator):
    """A selector that knows what it keeps; it takes no weights."""

    def __init__(self, columns=()):
        self.columns = columns

    def fit(self, X, y):
        self.mask_ = np.isin(np.arange(X.shape[1]), self.columns)
        return self

    def _get_support_mask(self):
        return self.mask_


class NeverFitted(FixedColumns):
    """A selector whose fit must not be reached."""

    def fit(self, X, y):
        raise AssertionError("work has begun")


KEPT = [2, 4, 5, 9]


@every_format
def test_prefilter_leaves_the_network_the_features_it_keeps(samples, to):
    X, y = samples
    model = encoder(prefilter=FixedColumns(KEPT)).fit(to(X), y)
    alone = encoder().fit(to(X[:, KEPT]), y)
    np.testing.assert_array_equal(model.coef_[KEPT], alone.coef_)
    np.testing.assert_array_equal(model.layer_weights_[0], alone.layer_weights_[0])
    np.testing.assert_array_equal(model.mean_[KEPT], alone.mean_)
    np.testing.assert_array_equal(model.feature_scale_[KEPT], alone.feature_scale_)
    np.testing.assert_array_equal(model.embed(to(X)), alone.embed(to(X[:, KEPT])))


def test_features_that_the_prefilter_drops_score_zero_and_are_ranked_last(samples):
    model = encoder(prefilter=FixedColumns(KEPT), alpha=0.3, max_epochs=12, learning_rate=0.3)
    model.fit(*samples)
    dropped = np.setdiff1d(np.arange(12), KEPT)
    assert not model.coef_[KEPT].all()
    assert not model.scores_[dropped].any()
    assert sorted(model.feature_ranking_[:4]) == KEPT
    assert model.feature_ranking_[4:].tolist() == dropped.tolist()


def test_prefilter_given_is_left_alone(samples):
    prefilter = SelectKBest(k=5)
    model = encoder(prefilter=prefilter).fit(*samples)
    assert not hasattr(prefilter, "scores_")
    np.testing.assert_array_equal(
        model.prefilter_.get_support(), SelectKBest(k=5).fit(*samples).get_support()
    )


def test_without_a_prefilter_none_is_kept(samples):
    assert encoder().fit(*samples).prefilter_ is None


@pytest.mark.parametrize("number", [12, 1000])
def test_prefilter_that_asks_for_more_features_than_there_are_keeps_all(samples, number):
    model = encoder(prefilter=ReliefFSelector(number)).fit(*samples)
    assert model.prefilter_.get_support().all()
    assert model.prefilter.n_features_to_select == number
    assert_same_bits(model, encoder().fit(*samples))


def test_prefilter_is_given_the_weights(rng, samples):
    weights = rng.uniform(0.1, 3.0, 30)
    model = encoder(prefilter=ReliefFSelector(5)).fit(*samples, sample_weight=weights)
    expected = ReliefFSelector(5).fit(*samples, sample_weight=weights)
    np.testing.assert_array_equal(model.prefilter_.scores_, expected.scores_)


def test_weights_with_a_prefilter_that_does_not_take_them_are_an_error(samples):
    message = r"sample_weight is given, but prefilter=SelectKBest\(k=5\) does not take it in fit"
    with pytest.raises(TypeError, match=message):
        encoder(prefilter=SelectKBest(k=5)).fit(*samples, sample_weight=np.ones(30))


def test_prefilter_that_keeps_nothing_is_an_error(samples):
    with pytest.raises(ValueError, match="prefilter"):
        encoder(prefilter=FixedColumns()).fit(*samples)


# ------------------------------------------------------------------ what must not matter


@every_training
@pytest.mark.parametrize("batch_size", [None, 8])
def test_same_seed_gives_the_same_bits(samples, training, batch_size):
    model = encoder(training=training, max_epochs=12, batch_size=batch_size)
    assert_same_bits(clone(model).fit(*samples), clone(model).fit(*samples))


def test_second_fit_gives_the_same_bits(samples):
    model = encoder(validation_fraction=0.3).fit(*samples)
    assert_same_bits(model, pickle.loads(pickle.dumps(model)).fit(*samples))


def test_different_seeds_give_different_weights(samples):
    first, second = (encoder(random_state=seed).fit(*samples) for seed in (0, 1))
    assert np.abs(first.coef_ - second.coef_).max() > 1e-3


def test_source_of_randomness_goes_on_from_fit_to_fit(samples):
    rng = np.random.RandomState(0)
    first, second = (encoder(random_state=rng).fit(*samples) for _ in range(2))
    assert_same_bits(first, encoder(random_state=0).fit(*samples))
    assert not np.array_equal(first.coef_, second.coef_)


def test_fit_does_not_touch_the_randomness_of_others(samples):
    before = torch.get_rng_state()
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    encoder(batch_size=8, validation_fraction=0.3).fit(*samples)
    assert torch.equal(torch.get_rng_state(), before)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@every_format
@every_training
def test_integer_weights_are_repeats(rng, samples, training, to):
    X, y = samples
    repeats = rng.integers(1, 4, size=len(y))
    model = encoder(training=training, max_epochs=14)
    weighted = clone(model).fit(to(X), y, sample_weight=repeats)
    assert_same(
        weighted, clone(model).fit(to(np.repeat(X, repeats, axis=0)), np.repeat(y, repeats))
    )


@pytest.mark.parametrize("parameters", [{}, {"batch_size": 8}, {"validation_fraction": 0.3}])
def test_samples_without_weight_do_not_matter(rng, samples, parameters):
    X, y = samples
    weights = rng.uniform(0.5, 2.0, 30) * (rng.random(30) < 0.7)
    is_kept = weights > 0.0
    changed = np.where(is_kept[:, None], X, 1e3)
    model = encoder(**parameters).fit(changed, y, sample_weight=weights)
    expected = encoder(**parameters).fit(X[is_kept], y[is_kept], sample_weight=weights[is_kept])
    assert_same(model, expected)


def test_class_without_weight_does_not_count(samples):
    X, y = samples
    model = encoder().fit(X, y, sample_weight=(y < 2).astype(float))
    assert_same(model, encoder().fit(X[y < 2], y[y < 2]))


def test_unit_of_the_weights_does_not_matter(rng, samples):
    weights = rng.uniform(0.5, 2.0, 30)
    first, second = (
        encoder().fit(*samples, sample_weight=factor * weights) for factor in (1.0, 100.0)
    )
    assert_same(first, second)


@every_training
def test_names_of_classes_do_not_matter(samples, training):
    X, y = samples
    model = encoder(training=training, max_epochs=14)
    named = clone(model).fit(X, np.array(["zebra", "ape", "newt"])[y])
    assert named.classes_.tolist() == ["ape", "newt", "zebra"]
    assert_same(named, clone(model).fit(X, y))


def test_order_of_samples_does_not_matter_without_batches(rng, samples):
    X, y = samples
    order = rng.permutation(len(y))
    assert_same(encoder().fit(X[order], y[order]), encoder().fit(X, y))


def test_units_of_features_do_not_matter(rng, samples):
    X, y = samples
    rescaled = X * rng.uniform(0.1, 10.0, 12) + rng.standard_normal(12)
    assert_same(encoder().fit(rescaled, y), encoder().fit(X, y))


@every_training
@every_format
def test_constant_features_have_no_score(samples, training, to):
    X, y = samples
    X = X.copy()
    X[:, [1, 4, 7]] = [0.0, 0.1, -1e6]
    model = encoder(training=training, max_epochs=12, alpha=1e-4).fit(to(X), y)
    assert np.flatnonzero(model.coef_ == 0.0).tolist() == [1, 4, 7]
    assert set(model.feature_ranking_[-3:]) == {1, 4, 7}


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8])
def test_numbers_of_other_types_are_read(samples, dtype):
    X, y = samples
    X = np.clip(np.round(8.0 * X), 0.0, 255.0)
    model, expected = encoder().fit(X.astype(dtype), y), encoder().fit(X, y)
    assert_same(model, expected)
    np.testing.assert_allclose(model.embed(X.astype(dtype)), expected.embed(X), atol=1e-8)


@pytest.mark.parametrize("to", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
def test_sparse_samples_give_the_weights_of_dense_ones(gappy, to):
    X, y, _ = gappy
    assert_same(encoder().fit(to(X), y), encoder().fit(X, y))


def test_fit_leaves_parameters_alone(samples):
    model = encoder(7, prefilter=SelectKBest(k=8))
    before = model.get_params()
    assert model.fit(*samples).get_params() == before


def test_fit_leaves_samples_alone(samples):
    before = samples.X.copy()
    encoder().fit(*samples)
    np.testing.assert_array_equal(samples.X, before)


def test_one_feature_and_one_sample_a_class_are_enough():
    model = encoder().fit([[0.0], [1.0], [5.0]], list("abc"))
    assert model.support_.tolist() == [True]
    assert model.embed([[2.0]]).shape == (1, 5)


# ------------------------------------------------------------------ early stopping


def test_training_stops_when_the_samples_held_out_gain_no_more(rng):
    X, y = rng.standard_normal((30, 12)), np.arange(30) % 2  # nothing to learn
    model = encoder(validation_fraction=0.4, patience=3, max_epochs=100).fit(X, y)
    assert 3 <= model.n_iter_ < 100
    assert model.objectives_.shape == (model.n_iter_,)


@pytest.mark.parametrize(
    ("patience", "max_epochs", "n_run"),
    [(3, 60, 6), (9, 8, 8)],
    ids=["out of patience", "out of epochs"],
)
def test_network_returns_to_the_epoch_that_is_best_for_the_samples_held_out(
    rng, patience, max_epochs, n_run
):
    X, y = draw(rng, n_true=1)
    schedule = {
        "alpha": 0.01,
        "max_epochs": max_epochs,
        "pretraining_epochs": 4,
        "learning_rate": 0.1,
        "patience": patience,
    }
    model = encoder(validation_fraction=0.4, **schedule).fit(X, y)
    expected = reference.encode_and_stop_early(
        X, y, share=0.4, hidden_sizes=[5], seed=0, **schedule
    )
    assert model.n_iter_ == n_run
    assert_is_encoding(model, expected)


@pytest.mark.parametrize("share", [0.001, 0.999])
def test_share_held_out_must_leave_every_class_on_both_sides(samples, share):
    message = f"validation_fraction={share} must leave samples of every class on both sides: .+"
    with pytest.raises(ValueError, match=message):
        encoder(validation_fraction=share).fit(*samples)


def test_class_of_one_sample_cannot_be_held_out(samples):
    y = np.where(np.arange(30) == 0, 7, samples.y)
    with pytest.raises(ValueError, match=r"validation_fraction=0\.3 must leave samples of every"):
        encoder(validation_fraction=0.3).fit(samples.X, y)


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_class_of_few_samples_must_be_on_both_sides(rng, share):
    X, y = rng.standard_normal((102, 4)), (np.arange(102) < 2).astype(int)
    with pytest.raises(ValueError, match=f"validation_fraction={share} must leave samples of"):
        encoder(validation_fraction=share).fit(X, y)


# ------------------------------------------------------------------ embedding


def by_hand(model, X):
    """The last hidden layer of all features, used or not."""
    state = model.coef_ * (X - model.mean_) / model.feature_scale_
    for weights, biases in zip(model.layer_weights_[:-1], model.layer_biases_[:-1], strict=True):
        state = np.tanh(state @ weights + biases)
    return state


@pytest.mark.parametrize("hidden_layer_sizes", [5, (6, 4), (6, 4, 3)])
def test_embedding_is_the_last_hidden_layer(rng, samples, hidden_layer_sizes):
    model = encoder(hidden_layer_sizes=hidden_layer_sizes).fit(*samples)
    others = rng.standard_normal((7, 12))
    expected = by_hand(model, others)
    assert expected.shape == (7, np.atleast_1d(hidden_layer_sizes)[-1])
    np.testing.assert_allclose(model.embed(others), expected, atol=1e-12)


@pytest.mark.parametrize(
    "to", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, np.asfortranarray]
)
def test_embedding_of_sparse_samples_is_that_of_dense_ones(samples, fitted, to):
    found = fitted.embed(to(samples.X))
    assert isinstance(found, np.ndarray)
    np.testing.assert_allclose(found, fitted.embed(samples.X), atol=1e-12)


def test_embedding_reads_only_features_with_a_weight(samples, fitted):
    X = np.where(fitted.coef_ == 0.0, np.nan, samples.X)
    np.testing.assert_array_equal(fitted.embed(X), fitted.embed(samples.X))


def test_embedding_reads_every_feature_with_a_weight(samples, fitted):
    for j in np.flatnonzero(fitted.coef_):
        X = samples.X.copy()
        X[3, j] = np.nan
        with pytest.raises(ValueError, match="NaN"):
            fitted.embed(X)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_embedding_of_a_frame_leaves_columns_without_a_weight_unread(samples, frame):
    X, y = samples
    names = [f"gene{j}" for j in range(12)]
    table = frame({name: X[:, j] for j, name in enumerate(names)})
    model = encoder(prefilter=FixedColumns(KEPT)).fit(table, y)
    words = {name: X[:, j] if j in KEPT else ["?"] * 30 for j, name in enumerate(names)}
    np.testing.assert_array_equal(model.embed(frame(words)), model.embed(table))


@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame])
def test_embedding_without_any_weight_is_that_of_the_biases(frame):
    X = frame(np.ones((6, 4)))
    with pytest.warns(UserWarning, match=ALL_ZERO):
        model = encoder().fit(X, [0, 1, 0, 1, 0, 1])
    expected = np.tile(np.tanh(model.layer_biases_[0]), (6, 1))
    np.testing.assert_allclose(model.embed(X), expected)


# ------------------------------------------------------------------ copies


def test_clone_fits_the_same_bits(samples, fitted):
    assert_same_bits(clone(fitted).fit(*samples), fitted)


def test_pickled_model_is_the_same_to_the_bit(samples, fitted):
    copied = pickle.loads(pickle.dumps(fitted))
    assert_same_bits(copied, fitted)
    np.testing.assert_array_equal(copied.embed(samples.X), fitted.embed(samples.X))
    np.testing.assert_array_equal(copied.transform(samples.X), fitted.transform(samples.X))


def test_pickled_model_works_without_torch(samples, tmp_path):
    X, y = samples
    model = encoder(4, hidden_layer_sizes=(5, 3), prefilter=SelectKBest(k=8)).fit(X, y)
    (tmp_path / "model").write_bytes(pickle.dumps((model, X)))
    code = WITHOUT_TORCH + dedent("""
        import pickle
        with open("model", "rb") as stream:
            model, X = pickle.load(stream)
        with open("found", "wb") as stream:
            pickle.dump((model.embed(X), model.transform(X)), stream)
    """)
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    embedded, selected = pickle.loads((tmp_path / "found").read_bytes())
    np.testing.assert_array_equal(embedded, model.embed(X))
    np.testing.assert_array_equal(selected, model.transform(X))


def test_fitted_attributes_know_nothing_of_torch(fitted):
    for found in learned(fitted):
        assert type(found) is np.ndarray
        assert found.dtype == np.float64
    assert type(fitted.objective_) is float


# ------------------------------------------------------------------ frames


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_of_columns_are_kept(samples, frame):
    X, y = samples
    table = frame({f"gene{j}": X[:, j] for j in range(12)})
    model = encoder(4).fit(table, y)
    assert_same_bits(model, encoder(4).fit(X, y))
    assert model.feature_names_in_.tolist() == list(table.columns)
    expected = [f"gene{j}" for j in np.flatnonzero(model.support_)]
    assert model.get_feature_names_out().tolist() == expected
    np.testing.assert_array_equal(model.embed(table), encoder(4).fit(X, y).embed(X))


@pytest.mark.parametrize(("kind", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_selection_can_be_a_frame(samples, kind, frame):
    X, y = samples
    table = frame({f"gene{j}": X[:, j] for j in range(12)})
    model = encoder(4).set_output(transform=kind).fit(table, y)
    found = model.transform(table)
    assert isinstance(found, frame)
    assert list(found.columns) == model.get_feature_names_out().tolist()


# ------------------------------------------------------------------ callbacks and threads


class Counter:
    """A callback that notes the tasks it is told about, and the threads in use."""

    def __init__(self, error=None):
        self.begun, self.ended, self.threads = [], [], set()
        self.error = error

    def setup(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context):
        self.ended.append(context.task_name)
        if context.task_name == "epoch":
            self.threads.add(torch.get_num_threads())
            if self.error:
                raise self.error

    def teardown(self, estimator, context): ...


@pytest.fixture
def counter():
    pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")
    return Counter()


@every_training
@pytest.mark.parametrize(("hidden_layer_sizes", "expected"), [(5, 9), ((5, 4), 11)])
def test_callbacks_see_one_step_an_epoch(samples, counter, training, hidden_layer_sizes, expected):
    model = encoder(training=training, hidden_layer_sizes=hidden_layer_sizes)
    model.set_callbacks(counter).fit(*samples)
    assert counter.begun == ["fit"] + ["epoch"] * expected
    assert counter.ended == ["epoch"] * expected + ["fit"]


def test_callbacks_see_at_most_all_epochs_of_a_training_that_stops_early(rng, counter):
    X, y = rng.standard_normal((30, 12)), np.arange(30) % 2
    model = encoder(validation_fraction=0.4, patience=3, max_epochs=100).set_callbacks(counter)
    n_epochs = 4 + model.fit(X, y).n_iter_
    assert n_epochs <= counter.ended.count("epoch") <= n_epochs + 1 < 104
    assert counter.begun.count("epoch") == counter.ended.count("epoch")
    assert counter.ended[-1] == "fit"


def test_callbacks_do_not_change_the_model(samples, counter):
    assert_same_bits(encoder().set_callbacks(counter).fit(*samples), encoder().fit(*samples))


@pytest.mark.parametrize(("n_jobs", "expected"), [(None, 1), (1, 1), (2, 2)])
def test_so_many_threads_are_used_as_asked_for(samples, counter, n_jobs, expected):
    encoder(n_jobs=n_jobs).set_callbacks(counter).fit(*samples)
    assert counter.threads == {expected}


@pytest.mark.parametrize("error", [None, RuntimeError("on the way")])
def test_number_of_threads_is_restored(samples, counter, error):
    before, counter.error = torch.get_num_threads(), error
    try:
        torch.set_num_threads(3)
        if error is None:
            encoder().set_callbacks(counter).fit(*samples)
        else:
            with pytest.raises(RuntimeError, match="on the way"):
                encoder().set_callbacks(counter).fit(*samples)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("parameters", "kind", "message"),
    [
        ({"n_features_to_select": 0}, ValueError, "n_features_to_select=0 must lie between 1 and"),
        ({"n_features_to_select": 13}, ValueError, "=13 must lie between 1 and n_features=12"),
        ({"n_features_to_select": 1.5}, ValueError, "n_features_to_select=1.5 must, as a fraction"),
        ({"n_features_to_select": "knee"}, ValueError, "_select='knee' must be one of 'elbow'"),
        ({"n_features_to_select": [3]}, TypeError, r"n_features_to_select=\[3\] must be an int"),
        ({"alpha": 0.0}, ValueError, "alpha=0.0 must be positive and finite"),
        ({"alpha": np.inf}, ValueError, "alpha=inf must be positive and finite"),
        ({"alpha": "strong"}, TypeError, "alpha='strong' must be a positive number"),
        ({"hidden_layer_sizes": 0}, ValueError, "hidden_layer_sizes=0 must be at least 1"),
        ({"hidden_layer_sizes": ()}, ValueError, r"hidden_layer_sizes=\[\] must hold at least"),
        ({"hidden_layer_sizes": "ten"}, TypeError, "hidden_layer_sizes='ten' must be an int"),
        ({"hidden_layer_sizes": 2.5}, TypeError, "hidden_layer_sizes=2.5 must be an int"),
        ({"hidden_layer_sizes": (5, 0)}, ValueError, "hidden_layer_sizes.*0.* must be at least 1"),
        ({"hidden_layer_sizes": [True]}, TypeError, "hidden_layer_sizes.*True.* must be an int"),
        ({"training": "two_step"}, ValueError, "='two_step' must be one of 'joint', 'alternating'"),
        ({"prefilter": SelectKBest}, TypeError, "prefilter=<.*SelectKBest'> must be a selector"),
        ({"prefilter": "relief"}, TypeError, "prefilter='relief' must be a selector, with fit and"),
        ({"max_epochs": 0}, ValueError, "max_epochs=0 must be at least 1"),
        ({"max_epochs": 2.0}, TypeError, "max_epochs=2.0 must be an int of at least 1"),
        ({"pretraining_epochs": 0}, ValueError, "pretraining_epochs=0 must be at least 1"),
        ({"pretraining_epochs": None}, TypeError, "pretraining_epochs=None must be an int"),
        ({"learning_rate": -0.1}, ValueError, "learning_rate=-0.1 must be positive and finite"),
        ({"learning_rate": None}, TypeError, "learning_rate=None must be a positive number"),
        ({"batch_size": 0}, ValueError, "batch_size=0 must be at least 1"),
        ({"batch_size": "auto"}, TypeError, "batch_size='auto' must be an int of at least 1"),
        ({"validation_fraction": 1.0}, ValueError, "=1.0 must lie between 0 and 1"),
        ({"validation_fraction": 0}, ValueError, "validation_fraction=0 must lie between 0 and 1"),
        ({"validation_fraction": "all"}, TypeError, "='all' must be a number between 0 and 1"),
        ({"patience": 0}, ValueError, "patience=0 must be at least 1"),
        ({"patience": None}, TypeError, "patience=None must be an int of at least 1"),
        ({"device": "nowhere"}, ValueError, "device='nowhere' must name a device on which PyTorch"),
        ({"n_jobs": 0}, ValueError, "n_jobs=0 must"),
        ({"n_jobs": "two"}, TypeError, "n_jobs='two' must"),
        ({"random_state": "x"}, ValueError, "'x' cannot be used to seed"),
    ],
    ids=str,
)
def test_error_names_the_parameter_its_value_and_what_is_allowed(
    samples, parameters, kind, message
):
    parameters = {"prefilter": NeverFitted(), **parameters}
    with pytest.raises(kind, match=message):
        encoder(**parameters).fit(*samples)


def test_failed_fit_leaves_the_model_as_it_was(samples, fitted):
    before = pickle.dumps(fitted.__dict__)
    with pytest.raises(ValueError, match="n_features_to_select=13"):
        fitted.set_params(n_features_to_select=13).fit(*samples)
    fitted.set_params(n_features_to_select="elbow")
    assert pickle.dumps(fitted.__dict__) == before


def test_selector_must_be_fitted_first(samples):
    for method in ("transform", "embed", "get_support"):
        arguments = () if method == "get_support" else (samples.X,)
        with pytest.raises(NotFittedError):
            getattr(encoder(), method)(*arguments)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_samples_must_be_finite(samples, value):
    X, y = samples
    X = X.copy()
    X[3, 5] = value
    with pytest.raises(ValueError, match="NaN|infinity"):
        encoder().fit(X, y)


def test_samples_whose_squares_overflow_are_refused(samples):
    X, y = samples
    X = X.copy()
    X[3, 5] = 1e300
    with pytest.raises(ValueError, match="too large"):
        encoder().fit(X, y)


def test_one_class_is_refused(samples):
    with pytest.raises(ValueError, match="SparseCentroidEncoder needs samples .* 2 classes"):
        encoder().fit(samples.X, np.zeros(30))


def test_samples_to_embed_must_have_the_features_of_the_fit(samples, fitted):
    with pytest.raises(ValueError, match="X has 11 features, but SparseCentroidEncoder .* 12"):
        fitted.embed(samples.X[:, 1:])
