"""Fisher directions in the span of the samples against slow twins; linear kernels; bad input."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import kernel_metrics, polynomial_kernel, rbf_kernel

from centroidal import FisherSubspaceClassifier, KernelFisherSubspaceClassifier
from tests.reference import fisher, kernel_fisher

from .fisher_samples import draw_correlated

THRESHOLDS = ["inclusive", "strict", "balanced", "mahalanobis"]
SETTINGS = [
    ("truncated", None),
    ("truncated", 1),
    ("truncated", 5),
    ("truncated", 0.8),
    ("full", None),
    ("variance", None),
    ("variance", 5),
    ("variance", 0.7),
]

every_setting = pytest.mark.parametrize(("kind", "number"), SETTINGS)
# Full whitening puts the samples of a class on one point: they have no covariance, and the strict
# threshold is that point.
not_piled = pytest.mark.parametrize(
    ("kind", "number"), [setting for setting in SETTINGS if setting[0] != "full"]
)
every_kind = pytest.mark.parametrize("kind", ["truncated", "full", "variance"])


@pytest.fixture
def pair(rng):
    """Two classes."""
    return draw_correlated(rng, n_samples=40, n_features=5)


@pytest.fixture
def several(rng):
    """Three classes."""
    return draw_correlated(rng, n_classes=3, n_samples=60, n_features=5, separation=3.0)


@pytest.fixture
def rings(rng):
    """One class around the other."""
    angles, y = rng.uniform(0, 2 * np.pi, 60), np.arange(60) % 2
    radii = np.where(y == 1, 3.0, 1.0) + 0.2 * rng.normal(size=60)
    return radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)]), y


def cosine(model, dual):
    return fisher.cosine(model.dual_coef_, dual)


# ------------------------------------------------------------------ against the definition


@every_setting
def test_weights_of_the_samples_are_those_of_the_definition(pair, kind, number):
    X, y = pair
    model = KernelFisherSubspaceClassifier("rbf", whitening=kind, n_components=number, gamma=0.05)
    model.fit(X, y)
    expected = kernel_fisher.fit(kernel_fisher.rbf(X, X, 0.05), y, kind, number)
    assert cosine(model, expected.dual) == pytest.approx(1.0, abs=1e-6)
    assert model.n_components_ == expected.n_components


@pytest.mark.parametrize(
    ("kind", "number", "threshold"),
    [
        (*setting, threshold)
        for setting in SETTINGS
        for threshold in THRESHOLDS
        if (setting[0], threshold) != ("full", "strict")
    ],
)
def test_border_is_that_of_the_definition(pair, kind, number, threshold):
    X, y = pair
    new = X + 0.3
    options = {"whitening": kind, "n_components": number, "threshold": threshold}
    model = KernelFisherSubspaceClassifier(gamma=0.05, **options).fit(X, y)
    expected = kernel_fisher.fit(kernel_fisher.rbf(X, X, 0.05), y, kind, number, threshold)
    values = kernel_fisher.rbf(new, X, 0.05) @ expected.dual - expected.threshold
    clear = np.abs(values) > 1e-6 * np.abs(values).max()
    np.testing.assert_array_equal(model.predict(new)[clear], (values > 0)[clear].astype(int))


def test_eigenvalues_are_those_of_the_centred_gram_matrix(pair):
    X, y = pair
    model = KernelFisherSubspaceClassifier(gamma=0.05, whitening="variance").fit(X, y)
    expected = kernel_fisher.eigenpairs(kernel_fisher.rbf(X, X, 0.05))[0]
    count = min(len(expected), len(model.eigenvalues_))
    np.testing.assert_allclose(model.eigenvalues_[:count], expected[:count], rtol=1e-7, atol=1e-11)


@every_setting
def test_weights_of_the_samples_sum_to_zero(several, kind, number):
    model = KernelFisherSubspaceClassifier(whitening=kind, n_components=number).fit(*several)
    sums = model.dual_coef_.sum(axis=0)
    np.testing.assert_allclose(sums, 0.0, atol=1e-8 * np.abs(model.dual_coef_).max())


def test_full_whitening_is_ridgeless_least_squares(pair):
    X, y = pair
    model = KernelFisherSubspaceClassifier(gamma=0.5, whitening="full").fit(X, y)
    expected = kernel_fisher.least_squares(kernel_fisher.rbf(X, X, 0.5), y)
    assert cosine(model, expected) == pytest.approx(1.0, abs=1e-8)


def test_full_whitening_puts_each_class_on_a_pile(pair):
    X, y = pair
    model = KernelFisherSubspaceClassifier(gamma=0.5, whitening="full").fit(X, y)
    values = kernel_fisher.rbf(X, X, 0.5) @ model.dual_coef_[:, 0]
    gap = values[y == 1].mean() - values[y == 0].mean()
    assert gap > 0
    assert max(values[y == c].std() for c in (0, 1)) < 1e-7 * gap


@pytest.mark.parametrize("threshold", ["inclusive", "balanced", "mahalanobis"])
def test_piles_are_parted_in_the_middle(pair, threshold):
    X, y = pair
    model = KernelFisherSubspaceClassifier(gamma=0.5, whitening="full", threshold=threshold)
    scores = model.fit(X, y).decision_function(X)
    assert model.score(X, y) == 1.0
    assert scores[y == 1].mean() == pytest.approx(-scores[y == 0].mean(), rel=1e-5)


def test_strict_threshold_of_piles_is_the_negative_pile(pair):
    X, y = pair
    options = {"gamma": 0.5, "whitening": "full"}
    strict = KernelFisherSubspaceClassifier(threshold="strict", **options).fit(X, y)
    scores = strict.decision_function(X)
    assert np.abs(scores[y == 0]).max() < 1e-5 * scores[y == 1].min()


# ------------------------------------------------------------------ linear kernel


@every_setting
def test_linear_kernel_gives_the_linear_direction(pair, kind, number):
    X, y = pair
    if kind == "truncated" and number is None:
        number = 4
    model = KernelFisherSubspaceClassifier("linear", whitening=kind, n_components=number).fit(X, y)
    expected = FisherSubspaceClassifier(kind, number).fit(X, y)
    assert fisher.cosine(X.T @ model.dual_coef_, expected.coef_) == pytest.approx(1.0, abs=1e-8)
    assert model.n_components_ == expected.n_components_


@every_setting
@pytest.mark.parametrize("threshold", [*THRESHOLDS, "prior"])
def test_linear_kernel_gives_the_linear_scores(pair, kind, number, threshold):
    X, y = pair
    if kind == "truncated" and number is None:
        number = 4
    options = {"threshold": threshold, "priors": [0.3, 0.7]}
    model = KernelFisherSubspaceClassifier(
        "linear", whitening=kind, n_components=number, **options
    ).fit(X, y)
    expected = FisherSubspaceClassifier(kind, number, **options).fit(X, y)
    new = X[::2] + 0.5
    np.testing.assert_allclose(
        model.decision_function(new), expected.decision_function(new), rtol=1e-5, atol=1e-5
    )


@every_setting
def test_linear_kernel_gives_the_linear_scores_of_several_classes(several, kind, number):
    X, y = several
    if kind == "truncated" and number is None:
        number = 4
    model = KernelFisherSubspaceClassifier("linear", whitening=kind, n_components=number).fit(X, y)
    expected = FisherSubspaceClassifier(kind, number).fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba(X), expected.predict_proba(X), rtol=1e-5, atol=1e-6
    )


# ------------------------------------------------------------------ kernels


@every_kind
@pytest.mark.parametrize("factor", [1e-6, 50.0])
def test_multiple_of_a_kernel_gives_the_same_scores(pair, kind, factor):
    X, y = pair
    K = rbf_kernel(X, gamma=0.05)
    model, scaled = (
        KernelFisherSubspaceClassifier("precomputed", whitening=kind, threshold="mahalanobis")
        for _ in range(2)
    )
    number = 6
    if kind != "full":
        model.set_params(n_components=number)
        scaled.set_params(n_components=number)
    expected = model.fit(K, y).predict(K)
    np.testing.assert_array_equal(scaled.fit(factor * K, y).predict(factor * K), expected)


def test_computed_kernel_and_precomputed_kernel_agree(several):
    X, y = several
    named = KernelFisherSubspaceClassifier("rbf", gamma=0.1).fit(X, y)
    given = KernelFisherSubspaceClassifier("precomputed").fit(rbf_kernel(X, gamma=0.1), y)
    new = X[:7] + 0.1
    np.testing.assert_allclose(
        given.decision_function(rbf_kernel(new, X, gamma=0.1)),
        named.decision_function(new),
        rtol=1e-6,
        atol=1e-7,
    )


def test_kernel_may_be_a_function_of_two_samples(pair):
    X, y = pair

    def kernel(x, z):
        return np.exp(-0.1 * ((x - z) ** 2).sum())

    model = KernelFisherSubspaceClassifier(kernel).fit(X, y)
    expected = KernelFisherSubspaceClassifier("rbf", gamma=0.1).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(X), expected.decision_function(X), rtol=1e-5, atol=1e-6
    )


def test_function_gets_its_parameters(pair):
    X, y = pair

    def kernel(x, z, width):
        return np.exp(-width * ((x - z) ** 2).sum())

    model = KernelFisherSubspaceClassifier(kernel, kernel_params={"width": 0.1}).fit(X, y)
    expected = KernelFisherSubspaceClassifier("rbf", gamma=0.1).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


def test_polynomial_kernel_gets_its_parameters(pair):
    X, y = pair
    options = {"degree": 2, "gamma": 0.1, "coef0": 0.5}
    model = KernelFisherSubspaceClassifier("poly", **options).fit(X, y)
    given = KernelFisherSubspaceClassifier("precomputed").fit(polynomial_kernel(X, **options), y)
    np.testing.assert_allclose(
        model.decision_function(X),
        given.decision_function(polynomial_kernel(X, **options)),
        rtol=1e-6,
        atol=1e-7,
    )


@pytest.mark.parametrize("name", ["rbf", "poly", "sigmoid", "linear", "cosine"])
def test_kernels_of_scikit_learn_go_by_their_names(pair, name):
    X, y = pair
    model = KernelFisherSubspaceClassifier(name, gamma=0.01, n_components=3).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


def test_scale_is_one_over_features_times_variance(pair):
    X, y = pair
    model = KernelFisherSubspaceClassifier(gamma="scale").fit(X, y)
    expected = KernelFisherSubspaceClassifier(gamma=1.0 / (5 * X.var())).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_, expected.dual_coef_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("offset", [1e4, 1e8])
def test_scale_of_data_far_from_zero_is_not_lost(pair, offset):
    X, y = pair.X + offset, pair.y
    model = KernelFisherSubspaceClassifier().fit(X, y)
    assert model.gamma_ == pytest.approx(1.0 / (5 * X.var()), rel=1e-6)


def test_scale_of_single_precision_data_is_not_lost(pair):
    X, y = (pair.X + 1e4).astype(np.float32), pair.y
    model = KernelFisherSubspaceClassifier().fit(X, y)
    assert model.gamma_ == pytest.approx(1.0 / (5 * X.astype(float).var()), rel=1e-4)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int64", "float32"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_scale_of_counts_is_that_of_floats(rng, dtype, store):
    X, y = rng.integers(0, 40, size=(30, 4)), np.arange(30) % 2
    model = KernelFisherSubspaceClassifier(n_components=3).fit(store(X.astype(dtype)), y)
    assert model.gamma_ == pytest.approx(1.0 / (4 * X.var()), rel=1e-5)


def test_auto_is_one_over_features(pair):
    X, y = pair
    model = KernelFisherSubspaceClassifier(gamma="auto").fit(X, y)
    expected = KernelFisherSubspaceClassifier(gamma=0.2).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_, expected.dual_coef_, rtol=1e-6, atol=1e-9)


@every_kind
def test_one_class_around_the_other_is_learnt(rings, kind):
    model = KernelFisherSubspaceClassifier(gamma=0.5, whitening=kind).fit(*rings)
    assert model.score(*rings) > 0.95


# ------------------------------------------------------------------ scores and several classes


@not_piled
@pytest.mark.parametrize("priors", ["uniform", "empirical", [1, 2, 3]])
def test_discriminants_are_those_of_the_definition(several, kind, number, priors):
    X, y = several
    options = {"whitening": kind, "n_components": number, "priors": priors}
    model = KernelFisherSubspaceClassifier(gamma=0.05, **options).fit(X, y)
    shares = {"uniform": np.full(3, 1 / 3), "empirical": np.bincount(y) / len(y)}
    shares = np.arange(1, 4) / 6 if isinstance(priors, list) else shares[priors]
    K = kernel_fisher.rbf(X, X, 0.05)
    expected = kernel_fisher.discriminants(K, y, shares, kind, number).scores(K)
    scores = model.decision_function(X)
    np.testing.assert_allclose(
        scores - scores[:, :1], expected - expected[:, :1], rtol=1e-3, atol=1e-4
    )


def test_several_classes_have_a_column_of_weights_each(several):
    X, y = several
    model = KernelFisherSubspaceClassifier().fit(X, y)
    assert model.dual_coef_.shape == (60, 3)
    assert model.intercept_.shape == (3,)


def test_two_classes_have_one_column_of_weights(pair):
    assert KernelFisherSubspaceClassifier().fit(*pair).dual_coef_.shape == (40, 1)


def test_weights_and_intercept_make_the_scores(pair):
    X, y = pair
    model = KernelFisherSubspaceClassifier(gamma=0.1).fit(X, y)
    expected = (rbf_kernel(X, model.X_fit_, gamma=0.1) @ model.dual_coef_ + model.intercept_)[:, 0]
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-7, atol=1e-8)


def test_probability_is_the_logistic_function_of_the_score(pair):
    X, y = pair
    model = KernelFisherSubspaceClassifier().fit(X, y)
    expected = expit(model.decision_function(X))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected, rtol=1e-9, atol=1e-14)


def test_several_piles_are_told_apart(several):
    X, y = several
    model = KernelFisherSubspaceClassifier(gamma=0.5, whitening="full").fit(X, y)
    assert model.score(X, y) == 1.0
    assert np.isfinite(model.decision_function(X)).all()


# ------------------------------------------------------------------ other settings, same data


@pytest.mark.parametrize("number", [1, 4, 0.9, "log2"])
@pytest.mark.parametrize("kind", ["truncated", "variance"])
@pytest.mark.parametrize("threshold", ["inclusive", "mahalanobis", "prior"])
def test_another_number_of_components_needs_no_data(pair, number, kind, threshold):
    X, y = pair
    options = {"whitening": kind, "threshold": threshold}
    model = KernelFisherSubspaceClassifier(whitening="variance", gamma=0.05).fit(X, y)
    fresh = KernelFisherSubspaceClassifier(n_components=number, gamma=0.05, **options).fit(X, y)
    np.testing.assert_allclose(
        model.at(number, **options).decision_function(X),
        fresh.decision_function(X),
        rtol=1e-6,
        atol=1e-6,
    )


def test_other_settings_leave_the_model_alone(pair):
    X, y = pair
    model = KernelFisherSubspaceClassifier(whitening="variance").fit(X, y)
    before = model.decision_function(X)
    model.at(2)
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.n_components is None


def test_components_that_were_not_found_are_refused(pair):
    model = KernelFisherSubspaceClassifier(n_components=3).fit(*pair)
    with pytest.raises(ValueError, match="n_components=9"):
        model.at(9)


# ------------------------------------------------------------------ weights, storage


@pytest.mark.parametrize("kind", ["truncated", "variance"])
@pytest.mark.parametrize("threshold", [*THRESHOLDS, "prior"])
@pytest.mark.parametrize("gamma", [0.05, "scale"])
def test_integer_weights_are_repeats(rng, pair, kind, threshold, gamma):
    X, y = pair
    repeats = rng.integers(1, 4, size=len(y))
    options = {"gamma": gamma, "whitening": kind, "n_components": 6, "threshold": threshold}
    weighted = KernelFisherSubspaceClassifier(**options).fit(X, y, sample_weight=repeats)
    repeated = KernelFisherSubspaceClassifier(**options)
    repeated.fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    new = X + 0.2
    np.testing.assert_allclose(
        weighted.decision_function(new), repeated.decision_function(new), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("threshold", ["inclusive", "balanced", "mahalanobis", "prior"])
def test_integer_weights_are_repeats_of_piles(rng, pair, threshold):
    X, y = pair
    repeats = rng.integers(1, 4, size=len(y))
    options = {"gamma": 0.5, "whitening": "full", "threshold": threshold}
    weighted = KernelFisherSubspaceClassifier(**options).fit(X, y, sample_weight=repeats)
    repeated = KernelFisherSubspaceClassifier(**options)
    repeated.fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    np.testing.assert_array_equal(weighted.predict(X + 0.2), repeated.predict(X + 0.2))


def test_class_of_weight_zero_is_never_predicted(several):
    X, y = several
    model = KernelFisherSubspaceClassifier().fit(X, y, sample_weight=(y != 1).astype(float))
    assert model.classes_.tolist() == [0, 1, 2]
    assert 1 not in model.predict(X)
    assert not model.predict_proba(X)[:, 1].any()


def test_sample_without_weight_does_not_exist(pair):
    X, y = pair
    weights = (np.arange(len(y)) % 5 > 0).astype(float)
    model = KernelFisherSubspaceClassifier(gamma=0.05).fit(X, y, sample_weight=weights)
    expected = KernelFisherSubspaceClassifier(gamma=0.05).fit(X[weights > 0], y[weights > 0])
    np.testing.assert_allclose(
        model.decision_function(X), expected.decision_function(X), rtol=1e-5, atol=1e-6
    )


def test_sparse_data_give_the_model_of_dense_data(rng, pair):
    X, y = pair
    X = X * (rng.random(X.shape) < 0.5)
    model = KernelFisherSubspaceClassifier(gamma=0.1, n_components=6).fit(sparse.csr_array(X), y)
    expected = KernelFisherSubspaceClassifier(gamma=0.1, n_components=6).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(sparse.csr_array(X)),
        expected.decision_function(X),
        rtol=1e-5,
        atol=1e-6,
    )


def test_single_precision_is_close_to_double_precision(pair):
    X, y = pair
    options = {"gamma": 0.05, "n_components": 4, "threshold": "mahalanobis"}
    model = KernelFisherSubspaceClassifier(**options).fit(X.astype(np.float32), y)
    expected = KernelFisherSubspaceClassifier(**options).fit(X, y)
    assert (model.predict(X.astype(np.float32)) == expected.predict(X)).mean() > 0.95


# ------------------------------------------------------------------ degenerate data


@every_kind
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_rows_that_are_all_equal_give_finite_scores(kind, kernel):
    X, y = np.full((6, 3), 0.1), np.array([0, 1, 0, 1, 1, 0])
    model = KernelFisherSubspaceClassifier(kernel, whitening=kind, gamma=1.0).fit(X, y)
    assert np.isfinite(model.decision_function(X + 1.0)).all()


@every_kind
def test_repeated_rows_are_no_obstacle(pair, kind):
    X, y = np.repeat(pair.X, 2, axis=0), np.repeat(pair.y, 2)
    model = KernelFisherSubspaceClassifier(gamma=0.5, whitening=kind).fit(X, y)
    assert model.score(X, y) > 0.7


@every_kind
def test_two_samples_are_enough(kind):
    X = np.array([[0.0, 1.0], [3.0, 1.0]])
    model = KernelFisherSubspaceClassifier(whitening=kind, gamma=1.0).fit(X, ["a", "b"])
    assert model.predict(X).tolist() == ["a", "b"]


@every_kind
def test_kernel_that_is_nearly_the_identity_is_no_obstacle(pair, kind):
    X, y = pair
    model = KernelFisherSubspaceClassifier(gamma=1e3, whitening=kind).fit(X, y)
    assert model.score(X, y) == 1.0


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "warp"}, "kernel='warp'"),
        ({"kernel": 3}, "kernel=3"),
        ({"whitening": "half"}, "whitening='half' must be one of"),
        ({"threshold": "middle"}, "threshold='middle' must be one of"),
        ({"n_components": 0}, "n_components=0"),
        ({"n_components": 1.5}, "n_components=1.5"),
        ({"n_components": "log3"}, "n_components='log3'"),
        ({"gamma": "wide"}, "gamma='wide'"),
        ({"gamma": -1.0}, "gamma=-1.0"),
        ({"threshold": "balanced", "balance": 2.0}, "balance=2.0"),
        ({"priors": "even"}, "priors='even'"),
    ],
)
def test_error_names_the_parameter_and_its_value(pair, parameters, message):
    with pytest.raises((TypeError, ValueError), match=message):
        KernelFisherSubspaceClassifier(**parameters).fit(*pair)


def test_precomputed_kernel_must_be_square(pair):
    with pytest.raises(ValueError, match="square"):
        KernelFisherSubspaceClassifier("precomputed").fit(pair.X, pair.y)


def test_samples_of_one_class_are_refused(pair):
    with pytest.raises(ValueError, match="one class"):
        KernelFisherSubspaceClassifier().fit(pair.X, np.zeros(40, dtype=int))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(pair, value):
    X = pair.X.copy()
    X[3, 2] = value
    with pytest.raises(ValueError, match="NaN|infinity"):
        KernelFisherSubspaceClassifier().fit(X, pair.y)
    with pytest.raises(ValueError, match="NaN|infinity"):
        KernelFisherSubspaceClassifier().fit(*pair).predict(X)


def test_new_samples_must_have_the_same_number_of_features(pair):
    with pytest.raises(ValueError, match="5 features"):
        KernelFisherSubspaceClassifier().fit(*pair).predict(pair.X[:, :3])


def test_model_must_be_fitted_first(pair):
    with pytest.raises(NotFittedError):
        KernelFisherSubspaceClassifier().predict(pair.X)


def test_refused_fit_leaves_the_model_as_it_was(pair):
    X, y = pair
    model = KernelFisherSubspaceClassifier().fit(X, y)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full_like(X, np.nan), y)
    assert pickle.dumps(model) == before


# ------------------------------------------------------------------ other settings, same samples


@pytest.mark.parametrize("kind", ["truncated", "full", "variance"])
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_one_decomposition_serves_every_setting(several, pair, kind, threshold):
    for samples in (pair, several):
        found = KernelFisherSubspaceClassifier(whitening="variance").fit(*samples)
        same = found.at(4, whitening=kind, threshold=threshold)
        fresh = KernelFisherSubspaceClassifier(
            whitening=kind, n_components=4, threshold=threshold
        ).fit(*samples)
        scores = [model.decision_function(samples[0]) for model in (same, fresh)]
        np.testing.assert_allclose(*scores, rtol=1e-6, atol=1e-8)


def test_model_that_another_came_from_stays_as_it_was(pair):
    model = KernelFisherSubspaceClassifier(n_components=5).fit(*pair)
    before = model.decision_function(pair.X)
    model.at(2)
    np.testing.assert_array_equal(model.decision_function(pair.X), before)
    assert model.n_components == 5


@pytest.mark.parametrize(
    ("fitted", "asked"),
    [
        ({"n_components": 3}, {"n_components": 4}),
        ({"n_components": 3}, {"whitening": "variance"}),
        ({"whitening": "full", "kernel": "rbf", "gamma": 5.0}, {"whitening": "truncated"}),
    ],
)
def test_what_was_not_decomposed_is_refused(pair, fitted, asked):
    model = KernelFisherSubspaceClassifier(**fitted).fit(*pair)
    with pytest.raises(ValueError, match="whitening='variance', which finds all"):
        model.at(**asked)


def test_parameters_of_a_function_are_refused_for_a_name(pair):
    with pytest.raises(ValueError, match="kernel_params=.*for functions"):
        KernelFisherSubspaceClassifier(kernel_params={"a": 1}).fit(*pair)


def test_degree_that_is_no_number_is_refused(pair):
    with pytest.raises(TypeError, match="degree='a' must be a number"):
        KernelFisherSubspaceClassifier("poly", degree="a").fit(*pair)


def test_function_that_gives_no_number_is_refused(pair):
    with pytest.raises(ValueError, match="kernel gave NaN"):
        KernelFisherSubspaceClassifier(lambda a, b: np.nan).fit(*pair)


def test_precomputed_kernel_must_be_symmetric(pair):
    with pytest.raises(ValueError, match="symmetric"):
        KernelFisherSubspaceClassifier("precomputed").fit(np.triu(np.ones((40, 40))), pair.y)


# ------------------------------------------------------------------ order of the rows


def shuffled_labels(X, y, order, new, **options):
    """Labels of new samples by the model of the rows, and of the rows in another order."""
    first = KernelFisherSubspaceClassifier(**options).fit(X, y)
    second = KernelFisherSubspaceClassifier(**options).fit(X[order], y[order])
    return first.predict(new), second.predict(new)


@pytest.mark.parametrize(
    ("kernel", "gamma"), [("linear", "scale"), ("poly", 1e-4), ("rbf", 1e-4), ("sigmoid", "auto")]
)
@every_kind
def test_directions_of_rounding_are_not_whitened(kernel, gamma, kind):
    """More components are asked for than the centred matrix has."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = 30.0 + rng.normal(size=(12, 24)), np.arange(12) % 3
        new, order = 30.0 + rng.normal(size=(200, 24)), rng.permutation(12)
        options = {"whitening": kind, "gamma": gamma, "n_components": 12}
        first, second = shuffled_labels(X, y, order, new, kernel=kernel, **options)
        np.testing.assert_array_equal(first, second)
        model = KernelFisherSubspaceClassifier(kernel, **options).fit(X, y)
        assert model.n_components_ < 12


@pytest.mark.parametrize("kernel", sorted(kernel_metrics()))
@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.sampled_from([(12, 24), (40, 5), (30, 60)]),
    kind=st.sampled_from(["truncated", "full", "variance"]),
    number=st.sampled_from([None, 5, 1000, "log2", 0.9, 1.0]),
    gamma=st.sampled_from(["scale", "auto", 1e-4]),
)
@settings(deadline=None, max_examples=25, derandomize=True)
def test_order_of_rows_does_not_matter(kernel, seed, shape, kind, number, gamma):
    rng = np.random.default_rng(seed)
    y = np.arange(shape[0]) % 3
    X = np.abs(rng.normal(size=shape) + y[:, None])  # some kernels are for positive numbers
    new, order = np.abs(rng.normal(size=(100, shape[1]))), rng.permutation(shape[0])
    options = {"whitening": kind, "n_components": number, "gamma": gamma}
    first, second = shuffled_labels(X, y, order, new, kernel=kernel, **options)
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("kernel", ["laplacian", "rbf", "linear", "cosine"])
@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array])
def test_indices_of_64_bits_are_as_good_as_those_of_32(pair, kernel, store):
    X, y = pair
    expected = KernelFisherSubspaceClassifier(kernel).fit(store(X), y).decision_function(store(X))
    wide = store(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    found = KernelFisherSubspaceClassifier(kernel).fit(wide, y).decision_function(wide)
    np.testing.assert_array_equal(found, expected)
