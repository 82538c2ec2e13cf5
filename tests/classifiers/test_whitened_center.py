"""Centers in the Mahalanobis metric of few features."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from centroidal import (
    RecursiveRidgeSelector,
    SparseCenterClassifier,
    WhitenedCenterClassifier,
)
from tests.reference.whitened_centers import whitened_centers


@pytest.fixture
def samples(rng):
    y = np.repeat(["a", "b", "c"], [14, 11, 9])
    X = rng.normal(size=(34, 50)) + rng.normal(size=(34, 1)) + 5.0
    X[:, 10:16] += np.searchsorted(["a", "b", "c"], y)[:, None] * np.linspace(0.5, 1.5, 6)
    X[:, 20] = 3.0
    return X, y, rng.normal(size=(20, 50)) + 6.0


def differences(scores):
    return scores - scores[:, :1]


@pytest.mark.parametrize("size", [1, 5, 34, 50])
@pytest.mark.parametrize("shrinkage", ["auto", "analytic", 0.5])
def test_scores_are_those_of_the_slow_reference(samples, size, shrinkage):
    X, y, new = samples
    model = WhitenedCenterClassifier(size, shrinkage=shrinkage).fit(X, y)
    expected, share = whitened_centers(X, y, new, shrinkage, model.feature_ranking_, size)
    np.testing.assert_allclose(
        differences(model.decision_function(new)), differences(expected), rtol=1e-8, atol=1e-8
    )
    if size > 1:
        assert model.shrinkage_ == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize("size", [5, 50])
@pytest.mark.parametrize("shrinkage", ["auto", 0.5])
@pytest.mark.parametrize("kind", ["total", "given"])
def test_other_covariances_are_those_of_the_slow_reference(samples, size, shrinkage, kind, rng):
    X, y, new = samples
    noise = rng.normal(size=(80, 50))
    covariance = kind if kind == "total" else noise.T @ noise
    model = WhitenedCenterClassifier(size, shrinkage=shrinkage, covariance=covariance).fit(X, y)
    ranking = model.feature_ranking_
    expected, share = whitened_centers(X, y, new, shrinkage, ranking, size, covariance)
    np.testing.assert_allclose(
        differences(model.decision_function(new)), differences(expected), rtol=1e-7, atol=1e-8
    )
    assert model.shrinkage_ == pytest.approx(share, rel=1e-9)


def test_the_covariance_of_the_samples_can_be_given(samples):
    X, y, new = samples
    X, new = X[:, :12], new[:, :12]
    residuals = X - np.array([X[y == label].mean(axis=0) for label in y])
    plain = WhitenedCenterClassifier(6, shrinkage=0.3).fit(X, y)
    given = WhitenedCenterClassifier(6, shrinkage=0.3, covariance=residuals.T @ residuals / 31)
    np.testing.assert_allclose(
        given.fit(X, y).decision_function(new), plain.decision_function(new), rtol=1e-8
    )


@pytest.mark.parametrize("covariance", ["total", np.eye(50) + 0.5], ids=["total", "given"])
def test_other_covariances_are_the_same_for_sparse_samples(samples, covariance):
    X, y, new = samples
    dense = WhitenedCenterClassifier(5, covariance=covariance).fit(X, y)
    other = WhitenedCenterClassifier(5, covariance=covariance).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(
        other.decision_function(new), dense.decision_function(new), rtol=1e-7
    )


@pytest.mark.parametrize(
    ("covariance", "message"),
    [
        ("pooled", "covariance='pooled' must be one of 'within', 'total'"),
        (np.eye(3), "of 50 rows; got shape"),
        (-np.eye(50), "it is not positive definite"),
    ],
)
def test_what_is_no_covariance_of_the_features_is_refused(samples, covariance, message):
    with pytest.raises(ValueError, match=message):
        WhitenedCenterClassifier(covariance=covariance).fit(*samples[:2])


def test_without_shrinkage_it_is_linear_discriminant_analysis(samples):
    X, y, _ = samples
    X = X[:, :12]
    model = WhitenedCenterClassifier(shrinkage=0.0).fit(X, y)
    other = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    # There, spreads are those around the class means, as if these were known.
    expected = differences(other.coef_.T) * (34 - 3) / 34
    np.testing.assert_allclose(differences(model.coef_.T), expected, rtol=1e-5, atol=1e-9)


def test_shrunk_all_the_way_it_is_nearest_centers(samples):
    X, y, new = samples
    model = WhitenedCenterClassifier(9, shrinkage=1.0).fit(X, y)
    other = SparseCenterClassifier(9, scale="within").fit(X, y)
    np.testing.assert_array_equal(model.support_, other.support_)
    np.testing.assert_array_equal(model.predict(new), other.predict(new))


def test_features_are_ranked_by_gains_unless_told_otherwise(samples):
    X, y, _ = samples
    gains = SparseCenterClassifier(scale="within").fit(X, y).feature_ranking_
    np.testing.assert_array_equal(WhitenedCenterClassifier(3).fit(X, y).feature_ranking_, gains)


@pytest.mark.parametrize("weights", [None, [1.0, 3.0]])
def test_cat_scores_are_the_gains_of_decorrelated_features(samples, weights):
    X, y, _ = samples
    weights = None if weights is None else np.resize(weights, len(y))
    cat = SparseCenterClassifier(metric="mahalanobis", scale="within").fit(X, y, weights)
    model = WhitenedCenterClassifier(3, ranking="cat").fit(X, y, weights)
    np.testing.assert_array_equal(model.feature_ranking_, cat.feature_ranking_)


@pytest.mark.parametrize(
    "ranking",
    [RecursiveRidgeSelector(), SparseCenterClassifier(metric="mahalanobis", scale="within")],
)
def test_any_estimator_that_ranks_can_rank(samples, ranking):
    X, y, _ = samples
    model = WhitenedCenterClassifier(3, ranking=ranking).fit(X, y)
    np.testing.assert_array_equal(model.feature_ranking_, ranking.fit(X, y).feature_ranking_)
    assert set(model.get_support(indices=True)) == set(model.feature_ranking_[:3])


def test_sparse_samples_give_the_same(samples):
    X, y, new = samples
    for size in (5, 50):
        dense = WhitenedCenterClassifier(size).fit(X, y)
        other = WhitenedCenterClassifier(size).fit(sparse.csr_array(X), y)
        found = other.predict_log_proba(sparse.csr_array(new))
        np.testing.assert_allclose(found, dense.predict_log_proba(new), rtol=1e-7, atol=1e-9)


def test_only_selected_features_of_new_samples_are_read(samples):
    X, y, new = samples
    model = WhitenedCenterClassifier(4).fit(X, y)
    spoiled = np.where(model.support_, new, np.nan)
    np.testing.assert_array_equal(model.predict(spoiled), model.predict(new))


def test_units_of_features_do_not_matter(samples, rng):
    X, y, new = samples
    units = 10.0 ** rng.integers(-3, 4, size=50)
    model = WhitenedCenterClassifier(12).fit(X, y)
    other = WhitenedCenterClassifier(12).fit(X * units, y)
    np.testing.assert_allclose(
        other.predict_proba(new * units), model.predict_proba(new), rtol=1e-7, atol=1e-12
    )


def test_correlated_noise_is_taken_away(rng):
    y, noise = rng.integers(2, size=400), rng.normal(size=400)
    X = np.column_stack([0.5 * y + noise, noise + 0.1 * rng.normal(size=400)])
    assert WhitenedCenterClassifier().fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.9
    assert SparseCenterClassifier().fit(X[:200], y[:200]).score(X[200:], y[200:]) < 0.7


@pytest.mark.parametrize("ranking", [RecursiveRidgeSelector(), "cat"])
def test_one_of_ten_copies_and_a_complementary_feature_are_found(ranking, rng):
    y = np.repeat([0, 1, 2], 40)
    marker = (y == 0) + 0.2 * rng.normal(size=120)
    other = (y == 1) + 0.4 * rng.normal(size=120)
    X = np.column_stack([np.repeat(marker[:, None], 10, axis=1), other])
    model = WhitenedCenterClassifier(2, ranking=ranking).fit(X, y)
    assert model.get_support(indices=True).tolist() == [0, 10]
    assert model.score(X, y) > 0.85
    assert WhitenedCenterClassifier(2).fit(X, y).score(X, y) < 0.75


@pytest.mark.parametrize("value", [-0.1, 1.5, "none"])
def test_shrinkage_must_be_a_share(samples, value):
    X, y, _ = samples
    with pytest.raises(ValueError, match=f"shrinkage={value!r}|shrinkage={value}"):
        WhitenedCenterClassifier(shrinkage=value).fit(X, y)


def test_what_ranks_must_be_an_estimator(samples):
    X, y, _ = samples
    with pytest.raises(TypeError, match="ranking='gains' must be an estimator"):
        WhitenedCenterClassifier(ranking="gains").fit(X, y)


def test_what_ranks_must_tell_its_ranking(samples):
    X, y, _ = samples
    with pytest.raises(TypeError, match="must have feature_ranking_ after fit"):
        WhitenedCenterClassifier(ranking=GaussianNB()).fit(X, y)
