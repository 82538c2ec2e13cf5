"""A sparse centroid-encoder: weights of features, hidden layers, a linear output; its training.

Equation map (the paper's Algorithm 3, and section 3.3):

    line 16        sparse layer                  Network.feature_weights
    line 17        full model                    Network.encode(), then the linear output
    L_sce          without penalty               encoding_error()
    lines 4-14     layer-wise pre-training       _pretrain()
    lines 15-18    all layers, no penalty        _train_jointly() with alpha = 0
    lines 19-26    penalty on the sparse layer   _train_jointly()
    section 3.3.1  alternating optimisation      _train_in_turns()

The error is the mean over all n x d entries. It is computed without an array of that size: the
targets have one row a class, and the output is linear in the last hidden layer. The penalty acts by
proximal steps, which make weights exactly zero; its gradient never does.
"""

from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import torch
from scipy.sparse import diags_array, issparse
from torch.optim.adam import adam

_DTYPE = torch.float64
_EPOCHS_A_TURN = 10  # for the layers, and then as many for the weights of the features
_DECAYS = (0.9, 0.999)  # Adam's, and so is the next
_EPSILON = 1e-8
_MOST_HALVINGS = 60  # of a step, after which it is no step


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

    def encode(self, samples):
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
    state = network.encode(samples)
    state = torch.cat([state, torch.ones_like(state[:, :1])], dim=1)
    output = torch.cat([network.output.weights, network.output.biases[None, :]])
    weights = samples.membership.sum(dim=1)
    class_weights = samples.membership.sum(dim=0)
    squares = ((state.T * weights) @ state * (output @ output.T)).sum()
    products = ((state.T @ samples.membership) * (output @ centers.T)).sum()
    targets = class_weights @ (centers**2).sum(dim=1)
    return (squares - 2.0 * products + targets) / (weights.sum() * centers.shape[1])


class EncoderProblem(NamedTuple):
    """What stays the same: samples, class means and the strength of the penalty."""

    samples: Samples
    centers: torch.Tensor
    alpha: float

    def error(self, network, samples=None):
        """Mean squared distance to the class means."""
        return encoding_error(network, samples or self.samples, self.centers)

    def penalty(self, network):
        """Penalty on the weights of the features."""
        return self.alpha * network.feature_weights.detach().abs().sum()

    def objective(self, network):
        """Error and penalty."""
        with torch.no_grad():
            return float(self.error(network) + self.penalty(network))


def pose(data, standards, alpha, device):
    """Bring labelled samples and standardised class means to a device."""
    weights = 1.0 if data.weights is None else data.weights[:, None]
    membership = weights * np.eye(data.classes.size)[data.codes]
    samples = Samples.standardise(data.X, standards.mean, standards.divisors, membership, device)
    return EncoderProblem(samples, place(standards.centers, device), alpha)


class Schedule(NamedTuple):
    """How long and how fast to train, and on how many samples at a time."""

    pretraining_epochs: int
    epochs: int
    alternate: bool
    learning_rate: float
    batch_size: int | None
    rng: object


class Epoch(NamedTuple):
    """Value of the problem when an epoch began, and whether features are being selected in it."""

    objective: float
    is_selecting: bool


class Learned(NamedTuple):
    """A trained network as arrays, its objective, and the gradient of its error in the weights."""

    feature_weights: np.ndarray
    layer_weights: list[np.ndarray]
    layer_biases: list[np.ndarray]
    objective: float
    gradient: np.ndarray


def learned_weights(network, problem):
    """Summarise a trained network."""
    (gradient,) = torch.autograd.grad(problem.error(network), [network.feature_weights])
    feature_weights, *dense = (tensor.cpu().numpy() for tensor in network.copy())
    return Learned(
        feature_weights,
        dense[0::2],
        dense[1::2],
        problem.objective(network),
        gradient.cpu().numpy(),
    )


@contextmanager
def threads(number):
    """Let PyTorch use so many threads, and then as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def n_epochs(network, schedule):
    """Count the epochs of all stages."""
    n_stages = len(network.hidden_layers) + 1
    return n_stages * schedule.pretraining_epochs + schedule.epochs


def train(network, problem, schedule):
    """Train through all stages, in place; yield an `Epoch` after each epoch."""
    without_penalty = problem._replace(alpha=0.0)
    for value in _pretrain(network, without_penalty, schedule):
        yield Epoch(value, is_selecting=False)
    stabilise = _train_jointly(network, without_penalty, schedule, schedule.pretraining_epochs)
    for value in stabilise:  # line 18
        yield Epoch(value, is_selecting=False)
    select = _train_in_turns if schedule.alternate else _train_jointly
    for value in select(network, problem, schedule, schedule.epochs):
        yield Epoch(value, is_selecting=True)


def stop_early(epochs, network, held_out, patience):
    """Pass on epochs until the error of `held_out` falls no more; go back to where it was least."""
    least, best, n_waited = float("inf"), network.copy(), 0
    for epoch in epochs:
        yield epoch
        if not epoch.is_selecting:
            continue
        error = held_out._replace(alpha=0.0).objective(network)
        if error < least:
            least, best, n_waited = error, network.copy(), 0
        else:
            n_waited += 1
        if n_waited == patience:
            break
    network.assign(best)


def _pretrain(network, problem, schedule):
    """Train one hidden layer after the other, each with an output of its own."""
    for depth, layer in enumerate(network.hidden_layers, start=1):
        is_last = depth == len(network.hidden_layers)
        output = network.output if is_last else _fresh_output(layer, network, schedule.rng)
        part = Network(network.feature_weights, network.hidden_layers[:depth], output)
        optimizer = _Adam([*layer, *output], schedule.learning_rate)
        for _ in range(schedule.pretraining_epochs):
            yield _run_epoch(part, problem, schedule, optimizer)


def _fresh_output(layer, network, rng):
    n_features = network.feature_weights.numel()
    return draw_layer(layer.biases.numel(), n_features, rng, layer.biases.device)


def _train_jointly(network, problem, schedule, n_epochs):
    """Train the layers, and the weights of the features with their penalty, at the same time."""
    optimizer = _Adam(network.dense_parameters, schedule.learning_rate)
    proximal = _ProximalAdam(network.feature_weights, schedule.learning_rate, problem.alpha)
    for _ in range(n_epochs):
        yield _run_epoch(network, problem, schedule, optimizer, proximal)


def _train_in_turns(network, problem, schedule, n_epochs):
    """Train the layers for some epochs, then the weights of the features, and so on."""
    optimizer = _Adam(network.dense_parameters, schedule.learning_rate)
    step = _DescentStep(network, problem)
    for epoch in range(n_epochs):
        if epoch // _EPOCHS_A_TURN % 2 == 0:
            yield _run_epoch(network, problem, schedule, optimizer)
        else:
            yield step.take()


def _run_epoch(network, problem, schedule, optimizer, proximal=None):
    """Go through the samples once; return the value of the problem on the way, a mean of batches.

    Without `proximal` the weights of the features stay as they are.
    """
    dense = optimizer.parameters
    trained = [*dense, network.feature_weights] if proximal else dense
    values = []
    for batch in _batches(problem.samples, schedule):
        error = problem.error(network, batch)
        values.append(float(error.detach() + problem.penalty(network)))
        gradients = torch.autograd.grad(error, trained)
        optimizer.step(gradients[: len(dense)])
        if proximal:
            proximal.step(gradients[-1])
    return sum(values) / len(values)


def _batches(samples, schedule):
    if schedule.batch_size is None or schedule.batch_size >= len(samples):
        return [samples]
    order = schedule.rng.permutation(len(samples))
    starts = range(0, len(samples), schedule.batch_size)
    return (samples.take(order[start : start + schedule.batch_size]) for start in starts)


class _Adam:
    """Adam; the class of PyTorch imports its compiler, which takes longer than PyTorch itself."""

    def __init__(self, parameters, learning_rate):
        self.parameters, self.learning_rate = parameters, learning_rate
        self.means, self.squares = ([torch.zeros_like(x) for x in parameters] for _ in range(2))
        self.n_steps = [torch.zeros((), dtype=torch.float32, device=x.device) for x in parameters]

    @torch.no_grad()
    def step(self, gradients):
        """Take a step in place."""
        adam(
            self.parameters, list(gradients), self.means, self.squares, [], self.n_steps,
            lr=self.learning_rate, beta1=_DECAYS[0], beta2=_DECAYS[1], eps=_EPSILON,
            weight_decay=0.0, amsgrad=False, maximize=False, fused=True,
        )  # fmt: skip


class _ProximalAdam:
    """Adam for weights with an l1 penalty: each step ends with a soft threshold in its metric."""

    def __init__(self, weights, learning_rate, alpha):
        self.weights, self.learning_rate, self.alpha = weights, learning_rate, alpha
        self.mean, self.square = torch.zeros_like(weights), torch.zeros_like(weights)
        self.n_steps = 0

    @torch.no_grad()
    def step(self, gradient):
        """Take a step in place."""
        self.n_steps += 1
        self.mean.lerp_(gradient, 1.0 - _DECAYS[0])
        self.square.lerp_(gradient**2, 1.0 - _DECAYS[1])
        mean, square = (
            average / (1.0 - decay**self.n_steps)
            for average, decay in zip((self.mean, self.square), _DECAYS, strict=True)
        )
        sizes = self.learning_rate / (square.sqrt() + _EPSILON)
        self.weights.copy_(_soft_threshold(self.weights - sizes * mean, sizes * self.alpha))


class _DescentStep:
    """Proximal gradient steps for the weights of the features; the objective never rises.

    A step is short enough if the error stays below its quadratic model. The first attempt at a
    step is twice as long as the last one that was taken.
    """

    def __init__(self, network, problem):
        self.network, self.problem = network, problem
        # The error is a mean over the features, so its curvature falls with their number.
        self.size = float(problem.centers.shape[1])

    def take(self):
        """Take a step in place; return the objective before it."""
        weights = self.network.feature_weights
        error = self.problem.error(self.network)
        (gradient,) = torch.autograd.grad(error, [weights])
        objective = float(error.detach() + self.problem.penalty(self.network))
        with torch.no_grad():
            self._descend(weights, gradient, float(error))
        return objective

    def _descend(self, weights, gradient, error):
        before = weights.clone()
        for n_halvings in range(_MOST_HALVINGS):
            size = 2.0 * self.size / 2.0**n_halvings
            after = _soft_threshold(before - size * gradient, size * self.problem.alpha)
            step = after - before
            bound = error + gradient @ step + step @ step / (2.0 * size)
            weights.copy_(after)
            if self.problem.error(self.network) <= bound:
                self.size = size if step.any() else self.size
                return
        weights.copy_(before)  # rounding hides any further descent


def _soft_threshold(values, threshold):
    shrunk = values.sign() * (values.abs() - threshold).clamp(min=0.0)
    return shrunk + 0.0  # a zero has no sign
