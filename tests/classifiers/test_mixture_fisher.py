"""Clusters, matches between them and the jury; one cluster a class; bad input."""

import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from centroidal import FisherSubspaceClassifier, MixtureFisherClassifier
from tests.reference import fisher, jury, x_means

from .conftest import Samples
from .fisher_samples import draw_correlated

THRESHOLDS = ["mahalanobis", "inclusive", "strict", "balanced"]
KINDS = ["truncated", "variance", "full"]


def draw_clusters(rng, sizes, n_per_cluster=14, n_features=4, distance=25.0):
    """Round clusters of deviation 1, far from each other; `sizes` says how many a class has."""
    n_clusters = sum(sizes)
    corners = np.array(list(product([0.0, 1.0, 2.0], repeat=n_features)))
    centers = distance * corners[rng.choice(len(corners), n_clusters, replace=False)]
    cluster_class = np.repeat(np.arange(len(sizes)), sizes)
    clusters = rng.permutation(np.repeat(np.arange(n_clusters), n_per_cluster))
    X = centers[clusters] + rng.normal(size=(len(clusters), n_features))
    return Samples(X, cluster_class[clusters]), clusters


@pytest.fixture
def crossed(rng):
    """Two classes of two clusters each, at opposite corners of a square."""
    corners = np.array([[0.0, 0.0], [9.0, 9.0], [0.0, 9.0], [9.0, 0.0]])
    clusters = np.arange(80) % 4
    return Samples(corners[clusters] + rng.normal(size=(80, 2)), clusters // 2)


def results_of(model, x):
    """Who won each match: +1 the first cluster, -1 the second."""
    return np.where(model.coef_ @ x + model.intercept_ > 0, 1, -1)


def own_cluster(model, X):
    """Cluster whose mean is nearest."""
    return ((X[:, None] - model.cluster_means_) ** 2).sum(axis=2).argmin(axis=1)


# ------------------------------------------------------------------ clusters


@pytest.mark.parametrize("sizes", [(3, 1), (3, 2), (1, 1, 2)], ids=str)
def test_clear_clusters_are_found(rng, sizes):
    samples, clusters = draw_clusters(rng, sizes)
    model = MixtureFisherClassifier(random_state=0).fit(*samples)
    found = np.bincount(model.cluster_class_, minlength=len(sizes))
    assert tuple(found) == sizes
    for cluster in np.unique(clusters):
        members = own_cluster(model, samples.X[clusters == cluster])
        assert len(np.unique(members)) == 1


def test_means_and_counts_are_those_of_the_clusters(rng):
    samples, clusters = draw_clusters(rng, (2, 2))
    model = MixtureFisherClassifier(random_state=0).fit(*samples)
    for cluster in range(4):
        rows = samples.X[clusters == cluster]
        found = own_cluster(model, rows[:1])[0]
        np.testing.assert_allclose(model.cluster_means_[found], rows.mean(axis=0), rtol=1e-8)
        assert model.cluster_counts_[found] == len(rows)
        assert model.cluster_class_[found] == samples.y[clusters == cluster][0]


def test_no_more_clusters_than_allowed_are_made(rng):
    samples, _ = draw_clusters(rng, (5, 3))
    model = MixtureFisherClassifier(max_clusters=2, merge_rule=None, random_state=0).fit(*samples)
    assert np.bincount(model.cluster_class_).max() <= 2


def test_round_class_is_one_cluster(rng):
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    X[:, 0] += 8.0 * y
    model = MixtureFisherClassifier(random_state=0).fit(X, y)
    assert model.cluster_class_.tolist() == [0, 1]


def test_halves_of_a_long_class_are_merged_again(rng):
    X, y = rng.normal(size=(120, 2)), np.arange(120) % 2
    X[:, 1] *= 12.0
    X[:, 0] += 20.0 * y
    parted, merged = (
        MixtureFisherClassifier(max_clusters=2, merge_rule=rule, random_state=0).fit(X, y)
        for rule in (None, "three_sigma")
    )
    assert parted.cluster_class_.tolist() == [0, 0, 1, 1]
    assert merged.cluster_class_.tolist() == [0, 1]


@pytest.mark.parametrize("rule", ["three_sigma", "chi2"])
@pytest.mark.parametrize("stretch", [1.0, 2.0, 3.0])
def test_clusters_are_merged_as_long_as_the_definition_says(rng, rule, stretch):
    # Two clusters a class that touch, more or less.
    y, half = np.arange(80) % 2, np.arange(80) // 2 % 2
    X = rng.normal(size=(80, 2))
    X[:, 0] = stretch * (X[:, 0] + 5.0 * half)
    X[:, 1] += 30.0 * y
    options = {"max_clusters": 2, "random_state": 0}
    parted = MixtureFisherClassifier(merge_rule=None, **options).fit(X, y)
    merged = MixtureFisherClassifier(merge_rule=rule, **options).fit(X, y)
    members = own_cluster(parted, X)
    for c in (0, 1):
        rows = [X[members == k] for k in np.flatnonzero(parted.cluster_class_ == c)]
        covariances = [np.cov(r.T, bias=True) for r in rows]
        inside = sum(len(r) * np.trace(S) for r, S in zip(rows, covariances, strict=True))
        ridge = 1e-3 * inside / (2 * (y == c).sum()) if rule == "chi2" else 0.0
        groups = x_means.merged(
            [len(r) for r in rows],
            [r.mean(axis=0) for r in rows],
            [S + ridge * np.eye(2) for S in covariances],
            rule,
        )
        assert (merged.cluster_class_ == c).sum() == len(groups)


def test_clear_clusters_are_better_than_one_by_the_criterion(rng):
    # Why three clusters are found and not fewer.
    samples, clusters = draw_clusters(rng, (3, 1))
    X, clusters = samples.X[samples.y == 0], clusters[samples.y == 0]
    three, two, one = (
        x_means.bic(X, labels)
        for labels in (clusters, np.minimum(clusters, 1), np.zeros_like(clusters))
    )
    assert three > max(two, one)


@pytest.mark.parametrize("refine", [None, "em"])
def test_refinement_keeps_clear_clusters(rng, refine):
    samples, _ = draw_clusters(rng, (3, 2))
    model = MixtureFisherClassifier(refine=refine, random_state=0).fit(*samples)
    assert np.bincount(model.cluster_class_).tolist() == [3, 2]


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_reclustering_gives_samples_to_the_most_likely_gaussian(rng, store):
    """A wide cluster around a narrow one: the nearest mean is often the wrong one."""
    wide, narrow = 4.0 * rng.normal(size=(150, 3)), 0.5 * rng.normal(size=(150, 3)) + [6.0, 0, 0]
    X = np.vstack([wide, narrow, rng.normal(size=(40, 3)) + 40.0])
    y = np.repeat([0, 1], [300, 40])
    options = {"merge_rule": None, "max_clusters": 2, "random_state": 0}
    plain = MixtureFisherClassifier(**options).fit(store(X), y)
    moved = MixtureFisherClassifier(**options, recluster=True).fit(store(X), y)
    assert plain.cluster_class_.tolist() == moved.cluster_class_.tolist()
    before = own_cluster(plain, X[:300])
    after = x_means.reclustered(X[:300], before, 1e-3)
    assert (after != before).any()
    for k in (0, 1):
        np.testing.assert_allclose(
            moved.cluster_means_[k], X[:300][after == k].mean(axis=0), rtol=1e-8
        )
    np.testing.assert_array_equal(moved.cluster_counts_[:2], np.bincount(after))


def test_reclustering_keeps_clear_clusters(rng):
    samples, _ = draw_clusters(rng, (3, 2))
    plain, moved = (
        MixtureFisherClassifier(recluster=each, random_state=0).fit(*samples)
        for each in (False, True)
    )
    np.testing.assert_array_equal(plain.coef_, moved.coef_)


def test_same_seed_gives_the_same_clusters(crossed):
    models = [MixtureFisherClassifier(random_state=3).fit(*crossed) for _ in range(2)]
    np.testing.assert_array_equal(models[0].cluster_means_, models[1].cluster_means_)


# ------------------------------------------------------------------ matches and jury


def test_every_two_clusters_of_different_classes_play(rng):
    samples, _ = draw_clusters(rng, (2, 1, 2))
    model = MixtureFisherClassifier(random_state=0).fit(*samples)
    classes = model.cluster_class_
    expected = {frozenset((i, j)) for i in range(5) for j in range(5) if classes[i] != classes[j]}
    assert {frozenset(match) for match in model.matches_.tolist()} == expected
    assert len(model.matches_) == len(expected) == 8
    assert model.coef_.shape == (8, 4)
    assert model.intercept_.shape == (8,)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_match_is_the_classifier_of_its_two_clusters(rng, kind, threshold):
    samples, _ = draw_clusters(rng, (2, 2), distance=8.0)
    model = MixtureFisherClassifier(kind, threshold=threshold, random_state=0).fit(*samples)
    members = own_cluster(model, samples.X)
    for (first, second), coef in zip(model.matches_, model.coef_, strict=True):
        rows = (members == first) | (members == second)
        codes = (members[rows] == first).astype(int)
        expected = fisher.fit(samples.X[rows], codes, kind, threshold=threshold)
        assert fisher.cosine(coef, expected.w) == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_border_of_a_match_is_that_of_the_classifier_of_its_clusters(rng, threshold):
    samples, _ = draw_clusters(rng, (2, 1), distance=8.0)
    model = MixtureFisherClassifier("variance", threshold=threshold, random_state=0).fit(*samples)
    members = own_cluster(model, samples.X)
    for match, coef, intercept in zip(model.matches_, model.coef_, model.intercept_, strict=True):
        first, second = match
        rows = (members == first) | (members == second)
        codes = (members[rows] == first).astype(int)
        if model.cluster_class_[first] < model.cluster_class_[second] and threshold == "strict":
            continue  # the rule is not the same from both sides
        expected = fisher.fit(samples.X[rows], codes, "variance", threshold=threshold)
        unit = np.linalg.norm(coef) / np.linalg.norm(expected.w)
        border = -expected.threshold - expected.w @ expected.mean
        assert intercept == pytest.approx(unit * border, rel=1e-6, abs=1e-6)


def test_first_cluster_of_a_match_is_on_the_positive_side(crossed):
    model = MixtureFisherClassifier(random_state=0).fit(*crossed)
    for (first, second), coef, intercept in zip(
        model.matches_, model.coef_, model.intercept_, strict=True
    ):
        assert coef @ model.cluster_means_[first] + intercept > 0
        assert coef @ model.cluster_means_[second] + intercept < 0


@pytest.mark.parametrize("sizes", [(1, 1), (2, 3), (3, 4), (4, 4), (1, 4), (2, 2, 3)], ids=str)
def test_exponent_is_that_of_the_definition(rng, sizes):
    samples, _ = draw_clusters(rng, sizes, n_per_cluster=40)
    model = MixtureFisherClassifier(random_state=0).fit(*samples)
    assert tuple(np.bincount(model.cluster_class_)) == sizes
    assert model.exponent_ == jury.exponent(sizes)


@pytest.mark.parametrize(
    ("sizes", "expected"), [((4, 4), 3), ((1, 1), 2), ((3, 3), 2), ((2, 3), 2), ((3, 4), 3)]
)
def test_exponent_has_the_values_of_the_paper(sizes, expected):
    assert jury.exponent(sizes) == expected


@pytest.mark.parametrize("sizes", [(2, 3), (3, 3), (3, 4), (4, 4)], ids=str)
def test_member_that_beats_all_wins_for_its_class_though_the_others_lose_all(sizes):
    n_a, n_b = sizes
    table = np.ones((n_a, n_b))
    table[:, 1] = -1
    team_a, team_b = jury.two_teams(table, jury.exponent(sizes))
    assert team_b > team_a


@pytest.mark.parametrize("sizes", [(2, 3), (4, 4), (2, 1, 2)], ids=str)
def test_predictions_are_those_of_the_jury(rng, sizes):
    samples, _ = draw_clusters(rng, sizes, distance=3.0)
    model = MixtureFisherClassifier(random_state=0, merge_rule=None).fit(*samples)
    lengths = np.linalg.norm(model.coef_, axis=1)
    new = samples.X.mean(axis=0) + 4.0 * rng.normal(size=(60, 4))
    for x, predicted in zip(new, model.predict(new), strict=True):
        matches = model.matches_.tolist()
        scores = jury.class_scores(
            matches, results_of(model, x), model.cluster_class_, model.exponent_
        )
        best = np.flatnonzero(scores > scores.max() - 1e-9)
        distances = (model.coef_ @ x + model.intercept_) / lengths
        sums = jury.class_distances(matches, distances, model.cluster_class_)
        assert predicted == best[np.argmax(sums[best])]


@pytest.mark.parametrize("sizes", [(3, 4), (2, 1, 2)], ids=str)
def test_prediction_is_the_best_score(rng, sizes):
    samples, _ = draw_clusters(rng, sizes, distance=3.0)
    model = MixtureFisherClassifier(random_state=0).fit(*samples)
    new = samples.X + 2.0 * rng.normal(size=samples.X.shape)
    scores = model.decision_function(new)
    best = (scores > 0).astype(int) if len(sizes) == 2 else scores.argmax(axis=1)
    np.testing.assert_array_equal(model.predict(new), best)


@pytest.mark.parametrize("kind", KINDS)
def test_classes_that_no_line_separates_are_learnt(crossed, kind):
    assert MixtureFisherClassifier(kind, random_state=0).fit(*crossed).score(*crossed) > 0.95
    assert FisherSubspaceClassifier(kind).fit(*crossed).score(*crossed) < 0.8


# ------------------------------------------------------------------ one cluster a class


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_one_cluster_a_class_is_the_plain_classifier(rng, kind, threshold):
    X, y = draw_correlated(rng)
    model = MixtureFisherClassifier(kind, threshold=threshold, max_clusters=1).fit(X, y)
    plain = FisherSubspaceClassifier(kind, threshold=threshold).fit(X, y)
    clear = np.abs(plain.decision_function(X)) > 1e-9
    np.testing.assert_array_equal(model.predict(X)[clear], plain.predict(X)[clear])


@pytest.mark.parametrize("kind", ["truncated", "variance"])
@pytest.mark.parametrize("number", [1, 3, 0.8])
def test_number_of_components_is_that_of_the_plain_classifier(rng, kind, number):
    X, y = draw_correlated(rng)
    model = MixtureFisherClassifier(kind, number, max_clusters=1).fit(X, y)
    plain = FisherSubspaceClassifier(kind, number, threshold="mahalanobis").fit(X, y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


def test_one_cluster_each_of_several_classes_is_one_match_each_pair(rng):
    X, y = draw_correlated(rng, n_classes=3, n_samples=60, separation=4.0)
    model = MixtureFisherClassifier(max_clusters=1).fit(X, y)
    assert len(model.matches_) == 3
    assert model.score(X, y) > 0.8


# ------------------------------------------------------------------ around it


def test_number_of_jobs_does_not_matter(crossed):
    one, two = (
        MixtureFisherClassifier(random_state=0, n_jobs=n_jobs).fit(*crossed) for n_jobs in (None, 2)
    )
    np.testing.assert_array_equal(one.coef_, two.coef_)


@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("n_features", [4, 60], ids=["tall", "wide"])
def test_sparse_data_give_the_model_of_dense_data(rng, threshold, n_features):
    y, half = np.arange(48) % 2, np.arange(48) // 2 % 2
    X = rng.normal(size=(48, n_features))
    X[:, 0] += 20.0 * half
    X[:, 1] += 20.0 * (half == y)
    X[np.abs(X) < 0.5] = 0.0
    options = {"threshold": threshold, "n_components": 3, "random_state": 0}
    dense = MixtureFisherClassifier(**options).fit(X, y)
    model = MixtureFisherClassifier(**options).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(model.cluster_class_, [0, 0, 1, 1])
    np.testing.assert_array_equal(model.predict(sparse.csr_array(X)), dense.predict(X))
    order = own_cluster(dense, model.cluster_means_)
    np.testing.assert_allclose(model.cluster_means_, dense.cluster_means_[order], atol=1e-8)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float32"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_squares_of_counts_do_not_overflow(rng, dtype, store):
    y, half = np.arange(48) % 2, np.arange(48) // 2 % 2
    X = rng.integers(0, 9, size=(48, 30))
    X[:, 0] += 100 * half
    X[:, 1] += 100 * (half == y)
    options = {"n_components": 3, "random_state": 0}
    model = MixtureFisherClassifier(**options).fit(store(X.astype(dtype)), y)
    expected = MixtureFisherClassifier(**options).fit(X.astype(float), y)
    assert len(model.matches_) == len(expected.matches_) == 4
    np.testing.assert_array_equal(model.predict(store(X.astype(dtype))), expected.predict(X))
    np.testing.assert_allclose(
        np.sort(model.intercept_), np.sort(expected.intercept_), rtol=1e-3, atol=1e-3
    )


def test_large_offset_does_not_matter(crossed):
    X, y = crossed
    model = MixtureFisherClassifier(random_state=0).fit(X + 1e6, y)
    expected = MixtureFisherClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X + 1e6), expected.predict(X))


def test_probabilities_follow_the_scores(rng):
    samples, _ = draw_clusters(rng, (2, 1, 2), distance=3.0)
    model = MixtureFisherClassifier(random_state=0).fit(*samples)
    probabilities = model.predict_proba(samples.X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), model.predict(samples.X))


def test_names_of_a_frame_are_remembered(crossed):
    frame = pd.DataFrame(crossed.X, columns=["length", "width"])
    model = MixtureFisherClassifier(random_state=0).fit(frame, crossed.y)
    assert model.feature_names_in_.tolist() == ["length", "width"]
    assert model.score(frame, crossed.y) > 0.95


def test_labels_may_be_text(crossed):
    X, y = crossed
    model = MixtureFisherClassifier(random_state=0).fit(X, np.array(["no", "yes"])[y])
    assert set(model.predict(X)) == {"no", "yes"}
    assert model.score(X, np.array(["no", "yes"])[y]) > 0.95


def test_fit_leaves_parameters_and_data_alone(crossed):
    X, y = crossed
    before = X.copy()
    model = MixtureFisherClassifier(random_state=0)
    parameters = model.get_params()
    assert model.fit(X, y).get_params() == parameters
    np.testing.assert_array_equal(X, before)


def test_clones_and_pickles_predict_the_same(crossed):
    model = MixtureFisherClassifier(random_state=0).fit(*crossed)
    expected = model.decision_function(crossed.X)
    for other in (pickle.loads(pickle.dumps(model)), clone(model).fit(*crossed)):
        np.testing.assert_array_equal(other.decision_function(crossed.X), expected)


# ------------------------------------------------------------------ degenerate data


def test_class_of_one_sample_is_one_cluster(crossed):
    X, y = crossed
    kept = (y == 0) | (np.arange(len(y)) == np.argmax(y == 1))
    model = MixtureFisherClassifier(random_state=0).fit(X[kept], y[kept])
    assert (model.cluster_class_ == 1).sum() == 1
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("refine", [None, "em"])
def test_rows_that_are_all_equal_give_finite_scores(kind, refine):
    X, y = np.full((8, 3), 0.1), np.arange(8) % 2
    model = MixtureFisherClassifier(kind, refine=refine, random_state=0).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


def test_repeated_points_are_no_obstacle():
    X = np.repeat([[0.0, 0.0], [5.0, 5.0], [0.0, 5.0], [5.0, 0.0]], 6, axis=0)
    y = np.repeat([0, 0, 1, 1], 6)
    model = MixtureFisherClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("refine", [None, "em"])
def test_more_features_than_samples_are_no_obstacle(rng, refine):
    y = np.arange(30) % 2
    X = rng.normal(size=(30, 40)) + 3.0 * y[:, None]
    model = MixtureFisherClassifier(refine=refine, random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"whitening": "half"}, "whitening='half' must be one of"),
        ({"threshold": "middle"}, "threshold='middle' must be one of"),
        ({"n_components": 0}, "n_components=0"),
        ({"threshold": "balanced", "balance": 0.0}, "balance=0.0"),
        ({"max_clusters": 0}, "max_clusters=0"),
        ({"max_clusters": 2.5}, "max_clusters=2.5"),
        ({"refine": "more"}, "refine='more' must be one of"),
        ({"merge_rule": "near"}, "merge_rule='near' must be one of"),
        ({"reg_covar": -1.0}, "reg_covar=-1.0"),
        ({"n_init": 0}, "n_init=0"),
    ],
)
def test_error_names_the_parameter_and_its_value(crossed, parameters, message):
    with pytest.raises((TypeError, ValueError), match=message):
        MixtureFisherClassifier(**parameters).fit(*crossed)


def test_samples_of_one_class_are_refused(crossed):
    with pytest.raises(ValueError, match="one class"):
        MixtureFisherClassifier().fit(crossed.X, np.zeros(80, dtype=int))


def test_values_that_are_not_finite_are_refused(crossed):
    X = crossed.X.copy()
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        MixtureFisherClassifier().fit(X, crossed.y)
    with pytest.raises(ValueError, match="NaN"):
        MixtureFisherClassifier(random_state=0).fit(*crossed).predict(X)


def test_model_must_be_fitted_first(crossed):
    with pytest.raises(NotFittedError):
        MixtureFisherClassifier().predict(crossed.X)
