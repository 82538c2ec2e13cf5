"""The network of a sparse centroid-encoder: weights of features, hidden layers, a linear output.

Equation map (section 3.3 of the paper):

    Algorithm 3, line 16   sparse layer      Network.feature_weights
    Algorithm 3, line 17   full model        Network.hidden(), then the linear output
    L_sce without penalty  distance to the   encoding_error()
                           class means

The error is the mean over all n x d entries. It is computed without an array of that size: the
targets have one row a class, and the output is linear in the last hidden layer.
"""

from typing import NamedTuple

import numpy as np
import torch
from scipy.sparse import diags_array, issparse

__all__ = [
    "Layer",
    "Network",
    "Samples",
    "check_device",
    "draw_layer",
    "encoding_error",
    "first_network",
    "place",
]

_DTYPE = torch.float64


def check_device(device):
    """Raise unless PyTorch can compute there."""
    try:
        torch.zeros(1, dtype=_DTYPE, device=device).item()
    except (RuntimeError, TypeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(
            f"device={device!r} must name a device on which PyTorch can compute with float64, such "
            f"as 'cpu' or 'cuda': {reason}"
        ) from error


class Layer(NamedTuple):
    """A linear map; `weights` has a row an input."""

    weights: torch.Tensor
    biases: torch.Tensor

    def __call__(self, inputs):
        """Map the rows of `inputs`."""
        return inputs @ self.weights + self.biases


class Network(NamedTuple):
    """Weights of the features, hidden layers, and a linear map back to the features."""

    feature_weights: torch.Tensor
    hidden_layers: list[Layer]
    output: Layer

    def hidden(self, samples):
        """Last hidden layer, a row a sample."""
        first, *others = self.hidden_layers
        weighted = self.feature_weights[:, None] * first.weights
        state = torch.tanh(samples.times(weighted) + first.biases)
        for layer in others:
            state = torch.tanh(layer(state))
        return state

    @property
    def dense_parameters(self):
        """Everything but the weights of the features."""
        return [tensor for layer in [*self.hidden_layers, self.output] for tensor in layer]

    @property
    def parameters(self):
        """Everything, weights of the features first."""
        return [self.feature_weights, *self.dense_parameters]

    def copy(self):
        """Return all parameters as they are now."""
        return [tensor.detach().clone() for tensor in self.parameters]

    @torch.no_grad()
    def assign(self, values):
        """Take back what `copy` returned."""
        for tensor, value in zip(self.parameters, values, strict=True):
            tensor.copy_(value)


def first_network(feature_weights, hidden_sizes, rng, device):
    """Draw the layers as PyTorch does by default, but from NumPy's `rng`, on any device alike."""
    n_features = feature_weights.size
    sizes = [n_features, *hidden_sizes]
    hidden = [draw_layer(*pair, rng, device) for pair in zip(sizes[:-1], sizes[1:], strict=True)]
    return Network(
        torch.tensor(feature_weights, dtype=_DTYPE, device=device, requires_grad=True),
        hidden,
        draw_layer(sizes[-1], n_features, rng, device),
    )


def draw_layer(n_inputs, n_outputs, rng, device):
    """Draw a layer uniformly between plus and minus one over the root of its inputs."""
    bound = 1.0 / np.sqrt(n_inputs)
    shapes = ((n_inputs, n_outputs), (n_outputs,))
    drawn = (rng.uniform(-bound, bound, shape) for shape in shapes)
    return Layer(*(torch.tensor(x, dtype=_DTYPE, device=device, requires_grad=True) for x in drawn))


class Samples:
    """Standardised samples and the weight that each has in each class; sparse ones stay sparse."""

    def __init__(self, matrix, shift, membership, device):
        self._matrix, self._shift, self._membership = matrix, shift, membership
        self._device = device
        self.membership = place(membership, device)
        if issparse(matrix):
            self._operands = _place_sparse(matrix, device), _place_sparse(matrix.T, device)
            self._shift_row = place(shift[None, :], device)
        else:
            self._rows = place(matrix, device)

    @classmethod
    def standardise(cls, X, mean, divisors, membership, device):
        """Subtract means, divide, and bring to a device."""
        if not issparse(X):
            return cls((X - mean) / divisors, None, membership, device)
        divided = X.astype(float).tocsr() @ diags_array(1.0 / divisors, format="csr")
        return cls(divided, mean / divisors, membership, device)

    def __len__(self):
        return self._matrix.shape[0]

    def times(self, weights):
        """Product of the standardised samples with `weights`."""
        if issparse(self._matrix):
            return _SparseProduct.apply(*self._operands, weights) - self._shift_row @ weights
        return self._rows @ weights

    def take(self, rows):
        """Return some of the samples."""
        return Samples(self._matrix[rows], self._shift, self._membership[rows], self._device)


class _SparseProduct(torch.autograd.Function):
    """Sparse times dense; the transposed matrix is at hand for the gradient."""

    @staticmethod
    def forward(context, matrix, transposed, weights):
        context.save_for_backward(transposed)
        return matrix @ weights

    @staticmethod
    def backward(context, gradient):
        (transposed,) = context.saved_tensors
        return None, None, transposed @ gradient


def place(array, device):
    """Bring an array to a device."""
    return torch.as_tensor(array, dtype=_DTYPE, device=device)


def _place_sparse(matrix, device):
    entries = matrix.tocoo()
    return torch.sparse_coo_tensor(
        np.array([entries.row, entries.col]),
        entries.data,
        entries.shape,
        dtype=_DTYPE,
        device=device,
        check_invariants=True,
    ).coalesce()


def encoding_error(network, samples, centers):
    """Mean squared distance, an entry, between the output of a sample and the mean of its class.

    With H the last hidden layer and a column of ones, V the output weights and biases, B the
    membership and C the centers, the sum of squares is <H' S H, V V'> - 2 <H' B, V C'> + <B'1, CC>.
    """
    state = network.hidden(samples)
    state = torch.cat([state, torch.ones_like(state[:, :1])], dim=1)
    output = torch.cat([network.output.weights, network.output.biases[None, :]])
    weights = samples.membership.sum(dim=1)
    class_weights = samples.membership.sum(dim=0)
    squares = ((state.T * weights) @ state * (output @ output.T)).sum()
    products = ((state.T @ samples.membership) * (output @ centers.T)).sum()
    targets = class_weights @ (centers**2).sum(dim=1)
    return (squares - 2.0 * products + targets) / (weights.sum() * centers.shape[1])
