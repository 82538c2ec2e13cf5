"""The network: what it computes, on dense and sparse samples, and its parameters."""

import numpy as np
import pytest
from scipy import sparse

from tests.feature_selection.encoder_samples import NEEDS_TORCH, draw
from tests.reference import sparse_centroid_encoder as reference

torch = pytest.importorskip("torch", reason=NEEDS_TORCH)

from centroidal.feature_selection._encoder import (  # noqa: E402
    Samples,
    check_device,
    draw_layer,
    encoding_error,
    first_network,
    place,
)

pytestmark = pytest.mark.usefixtures("one_thread")

FORMATS = [np.asarray, sparse.csr_array, sparse.csc_array, sparse.csr_matrix]
every_format = pytest.mark.parametrize("to", FORMATS)
every_depth = pytest.mark.parametrize("hidden_sizes", [(4,), (5, 3), (4, 3, 2)])


class Setting:
    """Samples with weights, and a network whose weights of features are all different."""

    def __init__(self, rng, hidden_sizes=(5, 3), to=np.asarray):
        X, codes = draw(rng, n_samples=11, n_features=7)
        X = X * (rng.random(X.shape) < 0.6)
        weights = rng.uniform(0.5, 2.0, len(codes))
        self.expected = reference.standardised(X, codes, weights)
        mean = np.average(X, axis=0, weights=weights)
        divisors = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
        membership = weights[:, None] * np.eye(3)[codes]
        self.samples = Samples.standardise(to(X), mean, divisors, membership, "cpu")
        first_of_class = [0, 1, 2]
        self.centers = place(self.expected.targets[first_of_class], "cpu")
        self.network = first_network(
            rng.standard_normal(7), hidden_sizes, np.random.RandomState(1), "cpu"
        )

    @property
    def arrays(self):
        """Weights of the features, hidden layers and output of the network, in NumPy."""
        network = self.network
        hidden = [[part.detach().numpy() for part in layer] for layer in network.hidden_layers]
        output = [part.detach().numpy() for part in network.output]
        return network.feature_weights.detach().numpy(), hidden, output

    def error(self):
        return encoding_error(self.network, self.samples, self.centers)

    def gradients(self):
        return torch.autograd.grad(self.error(), self.network.parameters)


# ------------------------------------------------------------------ the error


@every_format
@every_depth
def test_error_is_the_mean_over_all_entries_of_samples_times_features(rng, hidden_sizes, to):
    setting = Setting(rng, hidden_sizes, to)
    expected = reference.error(*setting.arrays, setting.expected)
    assert setting.error().item() == pytest.approx(expected, rel=1e-12)


@every_format
@every_depth
def test_gradients_are_those_of_back_propagation(rng, hidden_sizes, to):
    setting = Setting(rng, hidden_sizes, to)
    of_weights, of_hidden, of_output = reference.gradients(*setting.arrays, setting.expected)
    of_layers = [part for of_layer in (*of_hidden, of_output) for part in of_layer]
    expected = [of_weights, *of_layers]
    for found, values in zip(setting.gradients(), expected, strict=True):
        np.testing.assert_allclose(found, values, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("to", [np.asarray, sparse.csr_array])
def test_gradients_are_those_of_finite_differences(rng, to):
    setting = Setting(rng, (3, 2), to)
    for tensor, gradient in zip(setting.network.parameters, setting.gradients(), strict=True):
        entries, slopes = tensor.detach().ravel(), []
        for k, middle in enumerate(entries.tolist()):
            values = []
            for entries[k] in (middle + 1e-5, middle - 1e-5):
                values.append(setting.error().item())
            entries[k] = middle
            slopes.append((values[0] - values[1]) / 2e-5)
        np.testing.assert_allclose(gradient.ravel(), slopes, rtol=1e-5, atol=1e-9)


def test_error_of_outputs_that_hit_the_class_means_is_zero(rng):
    setting = Setting(rng)
    with torch.no_grad():
        setting.network.output.weights.zero_()
        setting.network.output.biases.copy_(setting.centers[1])
        own = setting.samples.take(np.flatnonzero(setting.samples.membership[:, 1]))
    assert abs(encoding_error(setting.network, own, setting.centers).item()) < 1e-15


# ------------------------------------------------------------------ samples


@every_format
def test_product_is_that_of_standardised_samples(rng, to):
    setting, weights = Setting(rng, to=to), rng.standard_normal((7, 4))
    found = setting.samples.times(place(weights, "cpu"))
    np.testing.assert_allclose(found, setting.expected.Z @ weights, atol=1e-12)


@every_format
def test_some_of_the_samples_keep_their_values_and_weights(rng, to):
    setting, rows = Setting(rng, to=to), np.array([8, 2, 5])
    part = setting.samples.take(rows)
    assert (len(setting.samples), len(part)) == (11, 3)
    np.testing.assert_allclose(
        part.times(place(np.eye(7), "cpu")), setting.expected.Z[rows], atol=1e-12
    )
    np.testing.assert_array_equal(part.membership.sum(dim=1), setting.expected.weights[rows])


def test_sparse_samples_are_never_made_dense(rng, monkeypatch):
    for kind in (sparse.csr_array, sparse.csc_array, sparse.coo_array):
        for name in ("toarray", "todense"):
            monkeypatch.setattr(kind, name, None)
    monkeypatch.setattr(torch.Tensor, "to_dense", None)
    assert len(Setting(rng, to=sparse.csr_array).gradients()) == 7


# ------------------------------------------------------------------ parameters


@every_depth
def test_first_weights_are_drawn_in_order_within_the_root_of_the_inputs(hidden_sizes):
    rng = np.random.RandomState(3)
    network = first_network(np.arange(7.0), hidden_sizes, np.random.RandomState(3), "cpu")
    sizes = [7, *hidden_sizes, 7]
    expected = [
        part
        for n_inputs, n_outputs in zip(sizes[:-1], sizes[1:], strict=True)
        for part in reference.drawn_layer(n_inputs, n_outputs, rng)
    ]
    for found, values in zip(network.dense_parameters, expected, strict=True):
        np.testing.assert_array_equal(found.detach(), values)
    np.testing.assert_array_equal(network.feature_weights.detach(), np.arange(7.0))


def test_first_weights_have_the_bounds_of_pytorch():
    ours, theirs = draw_layer(25, 4000, np.random.RandomState(0), "cpu"), torch.nn.Linear(25, 4000)
    for own, other in zip(ours, theirs.parameters(), strict=True):
        assert 0.195 < own.abs().max() <= 0.2
        assert 0.195 < other.abs().max() <= 0.2


def test_parameters_are_the_weights_of_the_features_and_then_the_layers(rng):
    network = Setting(rng, (5, 3)).network
    shapes = [tuple(tensor.shape) for tensor in network.parameters]
    assert shapes == [(7,), (7, 5), (5,), (5, 3), (3,), (3, 7), (7,)]
    assert all(tensor.requires_grad for tensor in network.parameters)


def test_copy_does_not_follow_the_network(rng):
    network = Setting(rng).network
    before = [tensor.detach().numpy().copy() for tensor in network.parameters]
    copied = network.copy()
    with torch.no_grad():
        for tensor in network.parameters:
            tensor.add_(1.0)
    for kept, values in zip(copied, before, strict=True):
        np.testing.assert_array_equal(kept, values)


def test_assigning_a_copy_restores_every_parameter_in_place(rng):
    network = Setting(rng).network
    tensors, copied = network.parameters, network.copy()
    with torch.no_grad():
        for tensor in tensors:
            tensor.add_(1.0)
    network.assign(copied)
    for tensor, now, kept in zip(tensors, network.parameters, copied, strict=True):
        assert tensor is now
        np.testing.assert_array_equal(tensor.detach(), kept)


# ------------------------------------------------------------------ devices


def test_processor_is_a_device():
    for device in ("cpu", "cpu:0", torch.device("cpu")):
        check_device(device)


@pytest.mark.parametrize("device", ["nowhere", "cpu:x", "cuda:99", 3.5])
def test_error_names_the_device_and_what_is_allowed(device):
    message = f"device={device!r} must name a device .* float64, such as 'cpu' or 'cuda': .+"
    with pytest.raises(ValueError, match=message):
        check_device(device)


def test_device_that_computes_nothing_is_refused():
    with pytest.raises(ValueError, match="device='meta' must name a device"):
        check_device("meta")
