"""Numbers of Rozza (2011) that can be had from his generators, on data of reduced size."""

import numpy as np
import pytest

from centroidal import (
    FisherSubspaceClassifier,
    KernelFisherSubspaceClassifier,
    MixtureFisherClassifier,
)
from centroidal.datasets import make_crossed_clusters, make_random_clusters, make_spiked_classes

pytestmark = pytest.mark.once


def accuracy(made, n_train, model):
    """Per cent of what is right after the first samples."""
    model.fit(made.data[:n_train], made.target[:n_train])
    return 100.0 * model.score(made.data[n_train:], made.target[n_train:])


def mean_accuracy(draws, n_train, *parameters, **options):
    return mean_accuracy_of(FisherSubspaceClassifier(*parameters, **options), draws, n_train)


def mean_accuracy_of(model, draws, n_train):
    return np.mean([accuracy(made, n_train, model) for made in draws])


# ------------------------------------------------------------------ tables 3.1 and 4.2


@pytest.fixture(scope="module")
def nearly_square():
    """Two Gaussians in about as many features as there are training samples."""
    return [make_random_clusters(((520,), (520,)), 500, random_state=seed) for seed in range(2)]


def test_strict_threshold_gives_the_order_of_the_table(nearly_square):
    # Printed are 81.3 for full whitening and 98.5 for that which retains variance.
    full, variance, truncated = (
        mean_accuracy(nearly_square, 540, kind, threshold="strict")
        for kind in ("full", "variance", "truncated")
    )
    assert full < 86.0
    assert full + 3.0 < variance < truncated
    assert truncated > 96.0


@pytest.mark.parametrize("kind", ["full", "variance", "truncated"])
def test_fair_threshold_makes_all_methods_good(nearly_square, kind):
    assert mean_accuracy(nearly_square, 540, kind, threshold="inclusive") > 95.0


# ------------------------------------------------------------------ table 4.5


@pytest.fixture(scope="module")
def many_features():
    """Like 1200 samples in 2000 features with means scaled by 0.1, a fifth the size."""
    scale = 0.1 * np.sqrt(2000 / 400)  # keeps the distance of the means
    return [
        make_random_clusters(((380,), (380,)), 400, mean_scale=scale, random_state=seed)
        for seed in range(6)
    ]


def test_truncated_whitening_has_the_accuracy_of_table_4_5(many_features):
    # Printed is 74.9; at full size the method as we define it has 76.9.
    assert mean_accuracy(many_features, 160) == pytest.approx(76.9, abs=3.0)


def test_whitening_that_retains_variance_has_the_accuracy_of_table_4_5(many_features):
    # Printed is 70.9; at full size the method as we define it has 72.8.
    assert mean_accuracy(many_features, 160, "variance") == pytest.approx(72.8, abs=4.0)


def test_methods_of_table_4_5_are_in_its_order(many_features):
    truncated, variance, full = (
        mean_accuracy(many_features, 160, kind, threshold="strict")
        for kind in ("truncated", "variance", "full")
    )
    assert truncated > variance > full


# ------------------------------------------------------------------ table 5.4

SPREAD = 2.0 * np.sqrt(100 / 500)  # spread 2 in 500 features, in 100: as far in deviations


@pytest.fixture(scope="module")
def crossed():
    """Four clusters a class that no hyperplane separates, a fifth the size of the table."""
    return [make_crossed_clusters(1200, 100, spread=SPREAD, random_state=seed) for seed in range(4)]


def test_every_cluster_is_found(crossed):
    model = MixtureFisherClassifier(random_state=0)
    for made in crossed:
        model.fit(made.data[:536], made.target[:536])
        assert np.bincount(model.cluster_class_).tolist() == [4, 4]


def test_clusters_that_play_have_the_accuracy_of_table_5_4(crossed):
    # Printed is 92.2; at full size the method as we define it has 92.0, at this size 88.4.
    model = MixtureFisherClassifier("variance", random_state=0)
    assert mean_accuracy_of(model, crossed, 536) == pytest.approx(88.4, abs=2.5)


def test_partial_whitening_of_the_clusters_is_better(crossed):
    # At full size 95.8, at this size 93.2.
    truncated, variance = (
        mean_accuracy_of(MixtureFisherClassifier(kind, random_state=0), crossed, 536)
        for kind in ("truncated", "variance")
    )
    assert truncated == pytest.approx(93.2, abs=2.5)
    assert truncated > variance


@pytest.mark.parametrize("kind", ["full", "truncated"])
def test_kernels_are_between_clusters_and_hyperplanes(crossed, kind):
    # Printed are 76.1 and 77.1, against 92.2 and 50.3; at this size 81.
    model = KernelFisherSubspaceClassifier(whitening=kind, gamma=0.5 / (16.0 * SPREAD) ** 2 * 5)
    assert 74.0 < mean_accuracy_of(model, crossed, 536) < 86.0


def test_hyperplanes_know_nothing(crossed):
    assert mean_accuracy(crossed, 536, "variance") == pytest.approx(50.0, abs=5.0)


# ------------------------------------------------------------------ what partial whitening is for


@pytest.fixture(scope="module")
def spiked():
    """Twenty directions in which the noise is ten times as strong."""
    return [make_spiked_classes(1200, 500, random_state=seed) for seed in range(4)]


def test_partial_whitening_suppresses_strong_directions(spiked):
    assert mean_accuracy(spiked, 400) > 90.0


def test_difference_of_the_means_is_drowned_by_strong_directions(spiked):
    assert mean_accuracy(spiked, 400, n_components=1) < 62.0


def test_one_component_more_than_strong_directions_is_needed(spiked):
    assert mean_accuracy(spiked, 400, n_components=20) < 66.0
    assert mean_accuracy(spiked, 400, n_components=21) > 90.0


def test_partial_whitening_beats_full_whitening(spiked):
    assert mean_accuracy(spiked, 400) > mean_accuracy(spiked, 400, "full") + 8.0
