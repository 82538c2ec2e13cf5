"""The training: single steps, stages and when it ends."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from tests.feature_selection.encoder_samples import NEEDS_TORCH, draw
from tests.reference import sparse_centroid_encoder as reference

torch = pytest.importorskip("torch", reason=NEEDS_TORCH)

from centroidal.feature_selection._encoder import (  # noqa: E402
    EncoderProblem,
    Epoch,
    Network,
    Samples,
    Schedule,
    _batches,
    _DescentStep,
    _ProximalAdam,
    first_network,
    learned_weights,
    n_epochs,
    place,
    stop_early,
    threads,
    train,
)

pytestmark = pytest.mark.usefixtures("one_thread")


class Training(NamedTuple):
    network: Network
    problem: EncoderProblem
    schedule: Schedule

    def epochs(self):
        return train(*self)

    def skip(self, n_epochs):
        """Epochs after the first `n_epochs`."""
        epochs = self.epochs()
        for _ in range(n_epochs):
            next(epochs)
        return epochs


def pose(rng, hidden_sizes=(5,), alpha=0.01, **schedule):
    """A problem, a first network and a schedule of 2 + 2 + 4 epochs; drawn alike each time."""
    X, codes = draw(rng, n_features=8)
    standards = reference.standardised(X, codes)
    samples = Samples(standards.Z, None, np.eye(3)[codes], "cpu")
    first_of_class = [0, 1, 2]
    centers = place(standards.targets[first_of_class], "cpu")
    network = first_network(np.ones(8), hidden_sizes, np.random.RandomState(4), "cpu")
    settings = {
        "pretraining_epochs": 2,
        "epochs": 4,
        "alternate": False,
        "learning_rate": 0.03,
        "batch_size": None,
        "rng": np.random.RandomState(5),
    }
    return Training(
        network, EncoderProblem(samples, centers, alpha), Schedule(**{**settings, **schedule})
    )


def is_changed(tensors, before):
    return [not torch.equal(now, then) for now, then in zip(tensors, before, strict=True)]


# ------------------------------------------------------------------ proximal steps of Adam


def test_proximal_step_minimises_the_model_of_adam_with_the_penalty(rng):
    weights = torch.tensor([0.9, -0.4, 0.02, -0.001, 0.0, 0.0], dtype=torch.float64)
    proximal, adam = _ProximalAdam(weights, 0.05, alpha=0.3), reference.Adam(0.05)
    for _ in range(4):
        gradient, before = rng.standard_normal(6) * 0.5, weights.numpy().copy()
        direction, sizes = adam.direction_and_sizes(gradient)
        proximal.step(torch.tensor(gradient))
        for j in range(6):

            def model(u, j=j, before=before, direction=direction, sizes=sizes):
                move = u - before[j]
                return direction[j] * u + move**2 / (2.0 * sizes[j]) + 0.3 * abs(u)

            expected = minimize_scalar(model, bracket=(-1.0, 1.0), tol=1e-10).x
            assert float(weights[j]) == pytest.approx(expected, abs=1e-6)


def test_proximal_step_without_penalty_is_that_of_pytorch(rng):
    ours = torch.tensor(rng.standard_normal(6))
    theirs = ours.clone().requires_grad_()
    proximal = _ProximalAdam(ours, 0.05, alpha=0.0)
    adam = torch.optim.Adam([theirs], lr=0.05)
    for _ in range(5):
        gradient = torch.tensor(rng.standard_normal(6))
        proximal.step(gradient)
        theirs.grad = gradient
        adam.step()
    np.testing.assert_allclose(ours, theirs.detach(), rtol=1e-12)


@pytest.mark.parametrize("learning_rate", [1e-3, 1e-1, 10.0])
def test_weight_of_zero_stays_zero_until_its_gradient_exceeds_the_penalty(learning_rate):
    weights = torch.zeros(4, dtype=torch.float64)
    proximal = _ProximalAdam(weights, learning_rate, alpha=0.2)
    for _ in range(3):
        proximal.step(torch.tensor([0.199, -0.199, 0.201, -0.201], dtype=torch.float64))
    assert weights.sign().tolist() == [0.0, 0.0, -1.0, 1.0]


def test_weight_that_would_change_its_sign_becomes_exactly_zero():
    weights = torch.tensor([0.01, -0.01], dtype=torch.float64)
    _ProximalAdam(weights, 0.1, alpha=1e-3).step(torch.tensor([5e-4, -5e-4], dtype=torch.float64))
    assert weights.tolist() == [0.0, 0.0]


def test_training_with_a_strong_penalty_makes_weights_exactly_zero(rng):
    training = pose(rng, alpha=0.05, epochs=30, learning_rate=0.1)
    list(training.epochs())
    assert 0 < torch.count_nonzero(training.network.feature_weights) < 8


# ------------------------------------------------------------------ steps that never rise


@pytest.mark.parametrize("first_size", [1e-3, 1.0, 1e6])
def test_steps_of_the_alternation_never_raise_the_objective(rng, first_size):
    network, problem, _ = pose(rng, alpha=0.02)
    step = _DescentStep(network, problem)
    step.size = first_size
    values = []
    for _ in range(12):
        values.append(problem.objective(network))
        assert step.take() == pytest.approx(values[-1], rel=1e-12)
    assert (np.diff(values) <= 1e-14).all()
    assert values[-1] < values[0]


def test_step_of_the_alternation_lowers_the_objective_as_much_as_its_length_promises(rng):
    network, problem, _ = pose(rng, alpha=0.02)
    step = _DescentStep(network, problem)
    for _ in range(6):
        before, weights = problem.objective(network), network.feature_weights.detach().clone()
        step.take()
        move = network.feature_weights.detach() - weights
        promised = float(move @ move) / (2.0 * step.size)
        assert promised > 0.0
        assert problem.objective(network) <= before - promised + 1e-14


def test_step_of_the_alternation_is_a_soft_threshold_of_the_gradient_step(rng):
    network, problem, _ = pose(rng, alpha=0.02)
    found = learned_weights(network, problem)
    step = _DescentStep(network, problem)
    step.take()
    moved = found.feature_weights - step.size * found.gradient
    expected = reference.soft(moved, step.size * 0.02)
    np.testing.assert_allclose(network.feature_weights.detach(), expected, rtol=1e-12)


def test_steps_of_the_alternation_leave_the_layers_alone(rng):
    network, problem, _ = pose(rng)
    before = [tensor.detach().clone() for tensor in network.dense_parameters]
    _DescentStep(network, problem).take()
    assert not any(is_changed(network.dense_parameters, before))


def test_step_that_cannot_descend_leaves_the_weights_as_they_are(rng):
    network, problem, _ = pose(rng)
    step, before = _DescentStep(network, problem), network.feature_weights.detach().clone()
    step.size = 1e100  # sixty halvings are not enough
    step.take()
    assert torch.equal(network.feature_weights, before)


# ------------------------------------------------------------------ stages


@pytest.mark.parametrize("alternate", [False, True])
@pytest.mark.parametrize(("hidden_sizes", "expected"), [((5,), 8), ((5, 4), 10), ((5, 4, 3), 12)])
def test_epochs_are_those_of_each_layer_of_all_and_of_the_penalty(
    rng, hidden_sizes, expected, alternate
):
    training = pose(rng, hidden_sizes, alternate=alternate)
    epochs = list(training.epochs())
    assert len(epochs) == n_epochs(training.network, training.schedule) == expected
    assert [epoch.is_selecting for epoch in epochs] == [False] * (expected - 4) + [True] * 4


def test_each_hidden_layer_is_first_trained_alone(rng):
    training = pose(rng, (5, 4))
    epochs, network = training.epochs(), training.network
    changes = []
    for _ in range(2):
        before = network.copy()
        next(epochs), next(epochs)
        changes.append(is_changed(network.parameters, before))
    # weights of features, first layer, second layer, output: the last one is kept
    assert changes[0] == [False, True, True, False, False, False, False]
    assert changes[1] == [False, False, False, True, True, True, True]


def test_all_layers_are_then_trained_together_without_penalty(rng):
    training = pose(rng, (5, 4), alpha=1e3)
    epochs, network = training.skip(4), training.network
    before = network.copy()
    value = next(epochs).objective
    assert all(is_changed(network.parameters, before))
    assert value < 10.0
    assert (network.feature_weights - 1.0).abs().max() < 0.05


def test_value_of_an_epoch_is_the_objective_when_it_began(rng):
    training = pose(rng, alpha=0.02)
    epochs, network, problem = training.skip(4), training.network, training.problem
    for _ in range(4):
        expected = problem.objective(network)
        assert next(epochs).objective == pytest.approx(expected, rel=1e-12)


def test_objective_is_the_error_and_the_penalty(rng):
    network, problem, _ = pose(rng, alpha=0.02)
    assert problem.objective(network) == pytest.approx(problem.error(network).item() + 0.02 * 8.0)


def test_alternation_takes_ten_epochs_for_the_layers_and_ten_for_the_weights(rng):
    training = pose(rng, alternate=True, epochs=25)
    epochs, network = training.skip(4), training.network
    changes = []
    for _ in range(25):
        before = network.copy()
        next(epochs)
        weights, *dense = is_changed(network.parameters, before)
        assert all(dense) is not weights
        changes.append(weights)
    assert changes == [False] * 10 + [True] * 10 + [False] * 5


def test_joint_training_moves_everything_in_each_epoch(rng):
    training = pose(rng)
    epochs, network = training.skip(4), training.network
    for _ in range(4):
        before = network.copy()
        next(epochs)
        assert all(is_changed(network.parameters, before))


@pytest.mark.parametrize(("batch_size", "lengths"), [(8, [8, 8, 8, 6]), (30, [30]), (99, [30])])
def test_batches_hold_every_sample_once(rng, batch_size, lengths):
    weights = np.arange(1.0, 31.0)
    samples = Samples(rng.standard_normal((30, 2)), None, weights[:, None], "cpu")
    schedule = pose(rng, batch_size=batch_size).schedule
    batches = list(_batches(samples, schedule))
    assert [len(batch) for batch in batches] == lengths
    seen = np.concatenate([batch.membership[:, 0] for batch in batches])
    np.testing.assert_array_equal(np.sort(seen), weights)


def test_batches_are_drawn_anew_in_each_epoch(rng):
    training = pose(rng, batch_size=8)
    samples = training.problem.samples
    first, second = (next(iter(_batches(samples, training.schedule))) for _ in range(2))
    identity = place(np.eye(8), "cpu")
    assert not torch.equal(first.times(identity), second.times(identity))


def test_what_is_learned_are_the_arrays_of_the_network(rng):
    training = pose(rng, (5, 4))
    found, network = learned_weights(training.network, training.problem), training.network
    np.testing.assert_array_equal(found.feature_weights, network.feature_weights.detach())
    assert [weights.shape for weights in found.layer_weights] == [(8, 5), (5, 4), (4, 8)]
    assert [biases.shape for biases in found.layer_biases] == [(5,), (4,), (8,)]
    np.testing.assert_array_equal(found.layer_weights[2], network.output.weights.detach())
    assert found.objective == training.problem.objective(network)


# ------------------------------------------------------------------ early stopping


class Course:
    """A training that only moves the biases of the output, so that errors are known."""

    def __init__(self, rng, distances, is_selecting=True):
        training = pose(rng)
        self.network, self.problem = training.network, training.problem
        self.distances, self.is_selecting = distances, is_selecting
        self.n_run = 0
        with torch.no_grad():
            self.network.output.weights.zero_()
            self.problem.centers.zero_()

    def epochs(self):
        for distance in self.distances:
            with torch.no_grad():
                self.network.output.biases.fill_(distance)
            self.n_run += 1
            yield Epoch(0.0, self.is_selecting)

    def stopped(self, patience):
        """Number of epochs that are passed on, and the distance to which the network returns."""
        passed = list(stop_early(self.epochs(), self.network, self.problem, patience))
        return len(passed), self.network.output.biases[0].item()


@pytest.mark.parametrize(
    ("patience", "expected"), [(1, (3, 3.0)), (2, (6, 2.0)), (3, (8, 1.0)), (9, (8, 1.0))]
)
def test_early_stopping_returns_to_the_best_epoch_it_has_seen(rng, patience, expected):
    course = Course(rng, [4.0, 3.0, 3.5, 2.0, 2.5, 2.0, 1.0, 6.0])
    assert course.stopped(patience) == expected
    assert course.n_run == expected[0]


def test_early_stopping_restores_every_parameter(rng):
    training = pose(rng, epochs=6, learning_rate=1.0)
    network = training.network
    held_out = training.problem._replace(centers=-training.problem.centers)
    seen = [
        (held_out.error(network).item(), network.copy())
        for epoch in stop_early(training.epochs(), network, held_out, 99)
        if epoch.is_selecting
    ]
    best = int(np.argmin([error for error, _ in seen]))
    assert best < 5
    assert not any(is_changed(network.parameters, seen[best][1]))


def test_epochs_before_the_penalty_do_not_stop_early(rng):
    course = Course(rng, [1.0, 2.0, 3.0, 4.0], is_selecting=False)
    assert course.stopped(1)[0] == 4


def test_penalty_does_not_count_for_the_samples_held_out(rng):
    course = Course(rng, [1.0, 0.9, 0.8])
    course.problem = course.problem._replace(alpha=1.0)
    inner = course.epochs

    def growing():
        for weight, epoch in zip((1.0, 5.0, 9.0), inner(), strict=True):
            with torch.no_grad():
                course.network.feature_weights.fill_(weight)
            yield epoch

    course.epochs = growing
    assert course.stopped(1) == (3, pytest.approx(0.8))


# ------------------------------------------------------------------ threads


@pytest.fixture
def other_number():
    """A number of threads that is not the one in use, which is brought back at the end."""
    before = torch.get_num_threads()
    yield before + 1
    torch.set_num_threads(before)


def test_so_many_threads_are_used_as_asked_for_and_then_as_before(other_number):
    with threads(other_number):
        assert torch.get_num_threads() == other_number
    assert torch.get_num_threads() == other_number - 1


def test_number_of_threads_is_restored_after_an_error(other_number):
    with pytest.raises(RuntimeError, match="on the way"), threads(other_number):
        raise RuntimeError("on the way")
    assert torch.get_num_threads() == other_number - 1
