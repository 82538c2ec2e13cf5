"""Linear classifiers along a path of features, against scikit-learn's solvers."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from centroidal.solvers.linear_path import solve_linear_path

COST = 0.1


def make_samples(n_classes, n_samples=40, n_features=6):
    rng = np.random.default_rng(n_classes)
    codes = np.arange(n_samples) % n_classes
    codes[:5] = 0
    X = rng.normal(size=(n_samples, n_features)) + rng.normal(size=(n_samples, 1))
    X[:, :2] += codes[:, None]
    return X, codes


def solve(loss, X, codes, sizes, class_weight=None):
    shares = np.ones(codes.max() + 1) if class_weight is None else np.array(class_weight)
    return solve_linear_path(loss, X, codes, COST * shares, COST, np.array(sizes))


PEERS = {
    "logistic": LogisticRegression(C=COST, tol=1e-9, max_iter=10_000),
    "squared_hinge": LinearSVC(C=COST, tol=1e-9, max_iter=100_000, random_state=0),
}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", PEERS)
def test_every_size_has_the_weights_that_scikit_learn_finds(loss, n_classes):
    X, codes = make_samples(n_classes)
    shares, sizes = [2.0, 0.5, 1.5][:n_classes], [1, 3, 6]
    found = solve(loss, X, codes, sizes, shares)
    peer = PEERS[loss].set_params(class_weight=dict(enumerate(shares)))
    for place, size in enumerate(sizes):
        peer.fit(X[:, :size], codes)
        np.testing.assert_allclose(found.weights[place, :, :size], peer.coef_, atol=1e-4)
        np.testing.assert_allclose(found.constants[place], peer.intercept_, atol=1e-4)


@pytest.mark.parametrize("loss", PEERS)
def test_features_beyond_the_size_have_no_weight(loss):
    found = solve(loss, *make_samples(2), [1, 4])
    assert not found.weights[0, :, 1:].any()
    assert found.weights[1].all()


@pytest.mark.parametrize("loss", PEERS)
def test_a_size_does_not_depend_on_those_before_it(loss):
    X, codes = make_samples(3)
    path, alone = solve(loss, X, codes, [1, 2, 6]), solve(loss, X, codes, [6])
    np.testing.assert_allclose(path.weights[-1], alone.weights[0], atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_gradient_is_zero(n_classes):
    X, codes = make_samples(n_classes)
    found = solve("logistic", X, codes, [6])
    values = X @ found.weights[0].T + found.constants[0]
    shares = expit(values) if n_classes == 2 else softmax(values, axis=1)
    wanted = (codes == 1)[:, None] if n_classes == 2 else np.eye(3)[codes]
    slopes = COST * (shares - wanted)
    np.testing.assert_allclose(X.T @ slopes + found.weights[0].T, 0.0, atol=1e-5)
    np.testing.assert_allclose(slopes.sum(axis=0), 0.0, atol=1e-5)


@pytest.mark.parametrize("loss", PEERS)
def test_samples_far_from_all_others_do_not_overflow(loss):
    X, codes = make_samples(3)
    found = solve(loss, 1e4 * X, codes, [1, 6])
    assert np.isfinite(found.weights).all()


@pytest.mark.parametrize("loss", PEERS)
def test_constant_features_have_no_weight(loss):
    X, codes = make_samples(2)
    X[:, 1] = 0.0
    assert not solve(loss, X, codes, [3]).weights[0, :, 1].any()
