"""The sparse centroid-encoder by hand: an output for every sample, back-propagation, Adam."""

from typing import NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

N_EPOCHS_A_TURN = 10


class Encoding(NamedTuple):
    coef: np.ndarray
    weights: list
    biases: list
    objectives: list
    objective: float


class Samples(NamedTuple):
    """Standardised samples, for each the mean of its class, and weights."""

    Z: np.ndarray
    targets: np.ndarray
    weights: np.ndarray

    def take(self, rows):
        return Samples(*(part[rows] for part in self))


def standardised(X, codes, weights=None):
    """Columns of mean zero and variance one, constant ones zero; and the class means of them."""
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=float)
    shares = weights / weights.sum()
    centred = X - shares @ X
    spread = np.sqrt(shares @ centred**2)
    is_constant = spread <= 1e-12 * np.abs(X).max(axis=0)
    Z = np.where(is_constant, 0.0, centred / np.where(is_constant, 1.0, spread))
    means = [np.average(Z[codes == c], axis=0, weights=weights[codes == c]) for c in codes]
    return Samples(Z, np.array(means), weights)


# ------------------------------------------------------------------ network


def states(w, hidden, Z):
    """What every layer passes on: the weighted samples, then each hidden layer."""
    found = [Z * w]
    for weights, biases in hidden:
        found.append(np.tanh(found[-1] @ weights + biases))
    return found


def residuals(w, hidden, output, samples):
    """Output minus target, an array of samples times features."""
    return states(w, hidden, samples.Z)[-1] @ output[0] + output[1] - samples.targets


def error(w, hidden, output, samples):
    """Mean of the squared residuals over all entries."""
    squares = residuals(w, hidden, output, samples) ** 2
    return (samples.weights @ squares).sum() / (samples.weights.sum() * samples.Z.shape[1])


def gradients(w, hidden, output, samples):
    """Gradients of the error by back-propagation: weights of features, hidden layers, output."""
    found = states(w, hidden, samples.Z)
    scale = 2.0 / (samples.weights.sum() * samples.Z.shape[1])
    upstream = scale * samples.weights[:, None] * residuals(w, hidden, output, samples)
    of_output = [found[-1].T @ upstream, upstream.sum(axis=0)]
    upstream = upstream @ output[0].T
    of_hidden = []
    for (weights, _), before, after in zip(hidden[::-1], found[-2::-1], found[:0:-1], strict=True):
        upstream = upstream * (1.0 - after**2)
        of_hidden.insert(0, [before.T @ upstream, upstream.sum(axis=0)])
        upstream = upstream @ weights.T
    return (upstream * samples.Z).sum(axis=0), of_hidden, of_output


def drawn_layer(n_inputs, n_outputs, rng):
    """First weights and biases."""
    bound = 1.0 / np.sqrt(n_inputs)
    weights = rng.uniform(-bound, bound, (n_inputs, n_outputs))
    return [weights, rng.uniform(-bound, bound, n_outputs)]


# ------------------------------------------------------------------ steps


class Adam:
    """Running means of a gradient and of its square, without the bias of their start at zero."""

    def __init__(self, learning_rate):
        self.learning_rate = learning_rate
        self.m, self.v, self.t = 0.0, 0.0, 0

    def direction_and_sizes(self, gradient):
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * gradient
        self.v = 0.999 * self.v + 0.001 * gradient**2
        m_hat = self.m / (1.0 - 0.9**self.t)
        v_hat = self.v / (1.0 - 0.999**self.t)
        return m_hat, self.learning_rate / (np.sqrt(v_hat) + 1e-8)

    def moved(self, values, gradient, alpha=0.0):
        """Least point of Adam's model with a penalty; without one this is Adam."""
        direction, sizes = self.direction_and_sizes(gradient)
        return soft(values - sizes * direction, sizes * alpha)


def soft(values, threshold):
    """Closer to zero by `threshold`, and not beyond."""
    return np.where(np.abs(values) > threshold, values - np.sign(values) * threshold, 0.0)


def descended(w, hidden, output, samples, alpha, size):
    """One proximal gradient step with backtracking; weights and the length that was accepted."""
    value = error(w, hidden, output, samples)
    gradient = gradients(w, hidden, output, samples)[0]
    length = 2.0 * size
    for _ in range(60):
        after = soft(w - length * gradient, length * alpha)
        move = after - w
        model = value + gradient @ move + move @ move / (2.0 * length)
        if error(after, hidden, output, samples) <= model:
            return after, length
        length /= 2.0
    return w, size


# ------------------------------------------------------------------ training


class Trainer:
    """A network with the steps that change it."""

    def __init__(self, samples, hidden_sizes, *, learning_rate, batch_size, rng):
        self.samples, self.learning_rate = samples, learning_rate
        self.batch_size, self.rng = batch_size, rng
        n_features = samples.Z.shape[1]
        sizes = [n_features, *hidden_sizes]
        self.w = (np.abs(samples.Z).max(axis=0) > 0.0).astype(float)
        self.hidden = [drawn_layer(sizes[l], sizes[l + 1], rng) for l in range(len(hidden_sizes))]
        self.output = drawn_layer(sizes[-1], n_features, rng)

    def batches(self):
        n_samples = len(self.samples.Z)
        if self.batch_size is None or self.batch_size >= n_samples:
            return [self.samples]
        order = self.rng.permutation(n_samples)
        starts = range(0, n_samples, self.batch_size)
        return [self.samples.take(order[s : s + self.batch_size]) for s in starts]

    def objective(self, samples, alpha):
        return error(self.w, self.hidden, self.output, samples) + alpha * np.abs(self.w).sum()

    def encoding(self, values, alpha):
        """Copies of what is found so far."""
        layers = [*self.hidden, self.output]
        return Encoding(
            self.w.copy(),
            [weights.copy() for weights, _ in layers],
            [biases.copy() for _, biases in layers],
            list(values),
            self.objective(self.samples, alpha),
        )

    def pretrain_layer(self, depth, n_epochs):
        """Train one hidden layer with an output of its own; those before it stay."""
        hidden = self.hidden[: depth + 1]
        is_last = depth == len(self.hidden) - 1
        n_units, n_features = hidden[-1][1].size, self.w.size
        output = self.output if is_last else drawn_layer(n_units, n_features, self.rng)
        optimizers = [Adam(self.learning_rate) for _ in range(4)]
        for _ in range(n_epochs):
            for batch in self.batches():
                _, of_hidden, of_output = gradients(self.w, hidden, output, batch)
                arrays = [*hidden[-1], *output]
                moves = zip(optimizers, arrays, [*of_hidden[-1], *of_output], strict=True)
                after = [adam.moved(array, gradient) for adam, array, gradient in moves]
                hidden[-1][:], output[:] = after[:2], after[2:]

    def train_layers(self, n_epochs, alpha, with_weights, optimizers=None):
        """Train all layers, and the weights of the features if asked; objectives on the way."""
        optimizers = optimizers or self.optimizers()
        values = []
        for _ in range(n_epochs):
            in_epoch = []
            for batch in self.batches():
                in_epoch.append(self.objective(batch, alpha))
                of_w, of_hidden, of_output = gradients(self.w, self.hidden, self.output, batch)
                layers = [*self.hidden, self.output]
                for l, of_layer in enumerate([*of_hidden, of_output]):
                    for part in range(2):
                        adam = optimizers[1 + 2 * l + part]
                        layers[l][part] = adam.moved(layers[l][part], of_layer[part])
                if with_weights:
                    self.w = optimizers[0].moved(self.w, of_w, alpha)
            values.append(np.mean(in_epoch))
        return values

    def optimizers(self):
        return [Adam(self.learning_rate) for _ in range(1 + 2 * (len(self.hidden) + 1))]

    def train_in_turns(self, n_epochs, alpha):
        """Some epochs for the layers, then as many steps for the weights, and so on."""
        optimizers, size, values = self.optimizers(), float(self.w.size), []
        while len(values) < n_epochs:
            n_now = min(N_EPOCHS_A_TURN, n_epochs - len(values))
            values += self.train_layers(n_now, alpha, False, optimizers)
            for _ in range(min(N_EPOCHS_A_TURN, n_epochs - len(values))):
                values.append(self.objective(self.samples, alpha))
                self.w, size = descended(
                    self.w, self.hidden, self.output, self.samples, alpha, size
                )
        return values


def encode(
    X,
    codes,
    weights=None,
    *,
    hidden_sizes,
    alpha,
    training,
    max_epochs,
    pretraining_epochs,
    learning_rate,
    batch_size,
    seed,
):
    """Train through all stages."""
    samples = standardised(X, codes, weights)
    trainer = Trainer(
        samples,
        hidden_sizes,
        learning_rate=learning_rate,
        batch_size=batch_size,
        rng=np.random.RandomState(seed),
    )
    for depth in range(len(hidden_sizes)):
        trainer.pretrain_layer(depth, pretraining_epochs)
    trainer.train_layers(pretraining_epochs, 0.0, True)
    if training == "alternating":
        values = trainer.train_in_turns(max_epochs, alpha)
    else:
        values = trainer.train_layers(max_epochs, alpha, True)
    return trainer.encoding(values, alpha)


def encode_and_stop_early(
    X,
    codes,
    *,
    share,
    patience,
    hidden_sizes,
    alpha,
    max_epochs,
    pretraining_epochs,
    learning_rate,
    seed,
):
    """Train jointly on a part of the samples, and return the epoch that is best for the others."""
    rng = np.random.RandomState(seed)
    rows, others = train_test_split(
        np.arange(len(X)), test_size=share, stratify=codes, random_state=rng
    )
    samples = standardised(X[rows], codes[rows])
    means = np.array([samples.targets[codes[rows] == c][0] for c in codes[others]])
    Z = (X[others] - X[rows].mean(axis=0)) / X[rows].std(axis=0)
    held_out = Samples(Z, means, np.ones(len(others)))

    trainer = Trainer(samples, hidden_sizes, learning_rate=learning_rate, batch_size=None, rng=rng)
    for depth in range(len(hidden_sizes)):
        trainer.pretrain_layer(depth, pretraining_epochs)
    trainer.train_layers(pretraining_epochs, 0.0, True)
    optimizers, values, errors, encodings = trainer.optimizers(), [], [], []
    while len(values) < max_epochs and len(values) - np.argmin([*errors, np.inf]) <= patience:
        values += trainer.train_layers(1, alpha, True, optimizers)
        errors.append(trainer.objective(held_out, 0.0))
        encodings.append(trainer.encoding(values, alpha))
    return encodings[np.argmin(errors)]._replace(objectives=values)
