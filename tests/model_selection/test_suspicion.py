"""What would make a score a lie is named, and nothing else is."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from centroidal.datasets import load_expression, make_expression, make_spiked_classes
from centroidal.model_selection import suspicion

from ..l2 import select_features

OPTIONS = {"n_repeats": 1, "cv": 3, "random_state": 0}


def suspicions(X, y, **options):
    """Return what is suspected, by kind."""
    found = select_features(X, y, **OPTIONS, **options)
    return {each["kind"]: each for each in found.suspicions}


def make_noise(n_samples=60, n_features=40, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_samples, n_features)), np.tile(["ill", "well"], n_samples // 2)


def make_patients(n_patients=30, n_each=4, n_features=500, noise=0.3):
    """Features of patients, noise, and a label that is drawn for each patient."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(n_patients), n_each)
    centers = rng.normal(size=(n_patients, n_features))
    X = centers[patient] + noise * rng.normal(size=(patient.size, n_features))
    return X, rng.integers(0, 2, n_patients)[patient], patient


# ------------------------------------------------------------------ copies


@pytest.mark.parametrize("kind", [np.asarray, np.float32, sparse.csr_array, sparse.csc_matrix])
def test_exact_copies_are_counted_and_named(kind):
    X, y = make_noise()
    X[[7, 20]] = X[5]
    X[40] = X[30]
    found = suspicions(kind(X), np.where(np.isin(np.arange(60), [5, 7, 20]), "ill", y))
    assert list(found) == ["copies"]
    assert found["copies"]["n_samples"] == 5
    assert found["copies"]["rows"] == [[5, 7], [30, 40]]
    assert "5 and 7, 30 and 40 (counted from 0)" in found["copies"]["sentence"]
    assert "another label" not in found["copies"]["sentence"]


def test_copies_with_another_label_are_worse():
    X, y = make_noise()
    X[1] = X[0]
    sentence = suspicions(X, y)["copies"]["sentence"]
    assert "2 of them have copies with another label." in sentence


def test_copies_in_one_group_are_as_they_should_be():
    X, y = make_noise()
    X[3], X[9] = X[1], X[7]
    groups = np.arange(60)
    groups[3] = groups[1]
    found = suspicions(X, y, groups=groups)
    assert found["copies"]["rows"] == [[7, 9]]
    assert "in another group" in found["copies"]["sentence"]
    groups[9] = groups[7]
    assert suspicions(X, y, groups=groups) == {}


def test_zeros_of_either_sign_are_equal():
    X, y = make_noise()
    X[2] = X[0]
    X[0, :5], X[2, :5] = 0.0, -0.0
    assert suspicions(X, y)["copies"]["rows"] == [[0, 2]]


def test_equal_rows_of_few_values_are_no_wonder():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(60, 4)).astype(float)
    assert len(np.unique(X, axis=0)) < 60
    assert suspicions(X, np.tile([0, 1], 30)) == {}


def test_empty_rows_of_sparse_data_are_no_wonder():
    X, y = make_noise()
    X[::10] = 0.0
    assert suspicions(sparse.csr_array(X), y) == {}


def test_copies_are_found_with_missing_values():
    X, y = make_noise()
    X[3, 4] = np.nan
    X[5] = X[3]
    assert suspicions(X, y, impute="median")["copies"]["rows"] == [[3, 5]]


# ------------------------------------------------------------------ near copies


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_samples_of_one_patient_are_near_copies(kind):
    X, y, patient = make_patients()
    found = suspicions(kind(X), y)
    assert list(found) == ["near_copies"]
    assert found["near_copies"]["n_samples"] == 120
    assert all(patient[i] == patient[j] for i, j in found["near_copies"]["rows"])


def test_groups_settle_near_copies():
    X, y, patient = make_patients()
    assert suspicions(X, y, groups=patient) == {}
    halves = 2 * patient + np.tile([0, 1], 60)
    assert "in another group" in suspicions(X, y, groups=halves)["near_copies"]["sentence"]


def test_two_near_copies_among_many_are_found_where_labels_differ():
    X, y = make_noise(100, 300)
    X[:, :10] += 2.0 * (y == "ill")[:, None]
    X[31] = X[10] + 0.1 * make_noise(100, 300, seed=1)[0][0]
    found = suspicions(X, y)
    assert found["near_copies"]["rows"] == [[10, 31]]
    assert found["near_copies"]["share"] == 0.02


def test_of_many_samples_some_are_looked_at(monkeypatch):
    monkeypatch.setattr(suspicion, "_MOST_ROWS", 80)
    X, y, _ = make_patients()
    found, again = (suspicions(X, y)["near_copies"] for _ in range(2))
    assert found == again
    assert "of 80 that were looked at" in found["sentence"]
    assert 0.9 < found["share"] <= 1.0


def make_factors(n_factors, n_samples=120, seed=0):
    """Samples that few factors explain, so that some are alike by chance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_factors)) @ rng.normal(size=(n_factors, 400))
    return X + 0.2 * rng.normal(size=X.shape), rng.integers(0, 2, n_samples)


def make_separated():
    """Classes that are far apart, in all features."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    return rng.normal(size=(120, 300)) + 20.0 * rng.normal(size=(3, 300))[y], y


def make_like_expression():
    """Samples that all correlate at more than 0.95, as levels of genes differ more than samples."""
    rng = np.random.default_rng(0)
    X = rng.normal(8.0, 3.0, size=1000) + 0.5 * rng.normal(size=(80, 1000))
    assert np.corrcoef(X).min() > 0.95
    return X, np.tile([0, 1], 40)


def make_counts():
    """Counts, mostly zero, of samples that were read more or less deeply."""
    rng = np.random.default_rng(0)
    depth, level = rng.lognormal(size=(200, 1)), rng.lognormal(-2.0, 1.5, size=800)
    return sparse.csr_array(rng.poisson(depth * level).astype(float)), rng.integers(0, 2, 200)


def samples_of(generated):
    return generated.data, generated.target


@pytest.mark.parametrize(
    "samples",
    [
        lambda: load_expression(return_X_y=True),
        lambda: samples_of(make_expression(100, 3000, n_classes=4, random_state=1)),
        lambda: samples_of(make_spiked_classes(random_state=0)),
        make_separated,
        make_like_expression,
        make_counts,
        *(lambda n=n: make_factors(n) for n in (1, 2, 3, 5, 10, 30)),
        lambda: load_iris(return_X_y=True),
        lambda: load_wine(return_X_y=True),
        lambda: load_breast_cancer(return_X_y=True),
        lambda: load_digits(return_X_y=True),
    ],
)
def test_samples_without_repeats_are_not_suspected(samples):
    assert suspicions(*samples()) == {}


@pytest.mark.parametrize("n_factors", [2, 3, 5, 8, 12])
def test_samples_that_are_alike_by_chance_are_hardly_ever_suspected(n_factors):
    found = [suspicions(*make_factors(n_factors, 40, seed)) for seed in range(10)]
    assert sum(map(bool, found)) <= 1


# ------------------------------------------------------------------ features


def test_a_label_in_other_words_is_named():
    X, y = make_noise()
    X[:, 17] = np.where(y == "ill", 2.0, 1.0)
    for samples in (X, sparse.csr_array(X)):
        found = suspicions(samples, y)
        assert found["giveaway"]["features"] == ["x17"]
        assert found["giveaway"]["sentence"].startswith("Feature x17 has one value in each class")


def test_a_feature_for_each_class_is_named():
    X, _ = make_noise()
    y = np.tile([0, 1, 2], 20)
    X[:, 4:7] = np.eye(3)[y]
    assert suspicions(X, y)["giveaway"]["features"] == ["x4", "x5", "x6"]


def test_a_number_of_the_row_is_named_where_rows_go_by_class():
    X, y = make_noise()
    X[:, 3] = 1000.0 - np.arange(60)
    assert suspicions(X, y) == {}
    found = suspicions(X, np.sort(y))
    assert found["giveaway"]["features"] == ["x3"]
    assert "sorted by class" in found["giveaway"]["sentence"]


def test_very_good_features_are_not_suspected():
    X, y = make_noise()
    X[:, 2] += 50.0 * (y == "ill")
    assert suspicions(X, np.array(y)) == {}


def test_clean_features_are_not_suspected_if_they_are_many():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 30)
    X = rng.integers(0, 2, size=(60, 100)).astype(float)
    X[:, :10] = y[:, None]
    assert suspicions(X, y) == {}


def test_of_many_features_and_few_samples_one_may_be_perfect_by_chance():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, size=(8, 500)).astype(float), np.tile([0, 1], 4)
    assert (y[:, None] == X).all(axis=0).any()
    assert suspicions(X, y) == {}


# ------------------------------------------------------------------ what is said


def test_the_answer_is_in_doubt_if_samples_seem_to_be_repeats():
    X, y, _ = make_patients()
    found = select_features(X, y, **OPTIONS)
    doubt = "come from the same source (120 near copies): give groups, or this number is too good."
    assert found.summary().endswith(doubt)
    assert f"\n{found.warnings_summary()}\n" in str(found)
    assert found.warnings_summary().startswith("Warning: 120 samples are near copies")
    found = select_features(X, y, groups=np.arange(120), **OPTIONS)
    assert found.summary().endswith("in different groups, which makes this number too good.")


def test_few_copies_are_told_but_do_not_put_the_answer_in_doubt():
    X, y = make_noise(200)
    X[0] = X[2]
    found = select_features(X, y, **OPTIONS)
    assert "exact copies" in str(found)
    assert found.repeat_summary() == ""


def test_nothing_is_said_where_nothing_is_suspected():
    found = select_features(*make_noise(), **OPTIONS)
    assert (found.suspicions, found.warnings_summary(), found.repeat_summary()) == ((), "", "")
    assert "Warning" not in str(found)


def test_very_large_values_are_no_trouble():
    X, y = make_noise()
    X[4] = X[2]
    assert suspicions(X * 1e140, y)["copies"]["rows"] == [[2, 4]]


def test_short_documents_with_the_same_words_are_no_near_copies():
    rng = np.random.default_rng(0)
    shares = 1.0 / np.arange(1, 601) ** 0.7
    X = np.zeros((400, 600))
    for document in X:
        document[rng.choice(600, size=rng.integers(1, 4), p=shares / shares.sum())] = 1.0
    assert suspicions(sparse.csr_array(X), np.arange(400) % 2) == {}


# ------------------------------------------------------------------ rows in the order of classes


def make_drift(strength=2.0, n_samples=80, seed=0):
    """Noise that wanders along the rows, in a direction that has nothing to do with classes."""
    rng = np.random.default_rng(seed)
    time = np.linspace(-1.0, 1.0, n_samples)
    X = rng.normal(size=(n_samples, 60))
    return X + strength * np.outer(time, rng.normal(size=60)), np.arange(n_samples) * 2 // n_samples


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_drift_along_rows_that_go_by_class_is_named(kind):
    X, y = make_drift()
    found = suspicions(kind(X), y)
    assert list(found) == ["drift"]
    assert "in 2 runs where about 41 would be expected" in found["drift"]["sentence"]
    assert "Give the batch or the day as blocks." in found["drift"]["sentence"]


def test_a_drift_does_not_matter_where_classes_are_mixed():
    X, y = make_drift()
    order = np.arange(80).reshape(2, 40).T.ravel()  # a sample of each class in turn
    assert suspicions(X, y[order]) == {}


def test_rows_that_go_by_class_without_a_drift_are_as_most_tables_are():
    for seed in range(5):
        assert suspicions(*make_drift(0.0, seed=seed)) == {}


def test_samples_of_a_group_are_no_drift():
    X, y, patient = make_patients(noise=1.0)
    order = np.argsort(y, kind="stable")
    assert "drift" not in suspicions(X[order], y[order], groups=patient[order])


def test_groups_that_drift_are_named():
    X, y = make_drift(3.0)
    patient = np.arange(80) // 2
    assert "drift" in suspicions(X, y, groups=patient)
