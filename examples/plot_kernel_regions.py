"""
How far may a boundary bend?
============================

A kernel bends the boundary between classes. How far depends on its width, and on how many
directions of its feature space are whitened. Here we look at the regions of the linear classifier
and of the three whitenings of :class:`~centroidal.KernelFisherSubspaceClassifier` on data that can
be seen.
"""

# %%
# Regions
# -------
# Two moons with so much noise that they overlap: 200 samples to train, 2000 to test. The three
# kernel models come from one decomposition: ``whitening="variance"`` finds all components, and
# ``at`` returns the other models without computing anything twice.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from centroidal import FisherSubspaceClassifier, KernelFisherSubspaceClassifier

X, y = make_moons(2200, noise=0.3, random_state=0)
X_train, X_test, y_train, y_test = X[:200], X[200:], y[:200], y[200:]

by_variance = KernelFisherSubspaceClassifier(whitening="variance", gamma=1.0)
by_variance.fit(X_train, y_train)
models = {
    "linear": FisherSubspaceClassifier().fit(X_train, y_train),
    "kernel, truncated": by_variance.at(whitening="truncated"),
    "kernel, variance": by_variance,
    "kernel, full": by_variance.at(whitening="full"),
}

low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
grid = np.meshgrid(np.linspace(low[0], high[0], 160), np.linspace(low[1], high[1], 120))
points = np.column_stack([axis.ravel() for axis in grid])

figure, axes = plt.subplots(
    2, 2, figsize=(8.5, 6.8), sharex=True, sharey=True, layout="constrained"
)
for ax, (name, model) in zip(axes.flat, models.items(), strict=True):
    scores = model.decision_function(points).reshape(grid[0].shape)
    ax.contourf(*grid, scores > 0, levels=[-0.5, 0.5, 1.5], colors=["C0", "C1"], alpha=0.22)
    ax.contour(*grid, scores, levels=[0], colors="black", linewidths=1)
    for label in (0, 1):
        ax.scatter(*X_train[y_train == label].T, s=9, color=f"C{label}", linewidths=0)
    accuracies = [model.score(X_train, y_train), model.score(X_test, y_test)]
    ax.set_title(
        f"{name}: {model.n_components_} components\n"
        f"accuracy {accuracies[0]:.2f} in training, {accuracies[1]:.3f} on test samples",
        fontsize=10,
    )
    ax.set(xticks=[], yticks=[])

# %%
# A straight line is all that the linear classifier has. ``"truncated"`` damps the strong
# directions of the feature space and leaves the weak ones as they are; ``"variance"`` drops the
# weak ones. Both follow the moons. ``"full"`` brings all directions to the same variance, down to
# those that hold little more than the noise of single samples. It fits the training samples best
# and the others worst. What any of them says far away from the data means nothing.
#
# Width
# -----
# How much does the choice of ``gamma`` matter? So that nothing depends on one draw, accuracies
# are means over four of them. A support vector machine is there for comparison.

gammas = np.geomspace(0.03, 100, 10)
names = ["truncated", "variance", "full", "SVC"]
accuracy = np.zeros((len(names), gammas.size))
for seed in range(4):
    X, y = make_moons(1000, noise=0.3, random_state=seed)
    X_train, X_test, y_train, y_test = X[:200], X[200:], y[:200], y[200:]
    for j, gamma in enumerate(gammas):
        fitted = KernelFisherSubspaceClassifier(whitening="variance", gamma=gamma)
        fitted.fit(X_train, y_train)
        rivals = [fitted.at(whitening=name) for name in names[:3]]
        rivals.append(SVC(gamma=gamma).fit(X_train, y_train))
        accuracy[:, j] += [rival.score(X_test, y_test) / 4 for rival in rivals]

figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for name, values in zip(names, accuracy, strict=True):
    style = {"linestyle": "--", "color": "0.4"} if name == "SVC" else {}
    ax.plot(gammas, values, marker=".", label=name, **style)
ax.set(
    xscale="log", xlabel="gamma (narrower kernels to the right)", ylabel="accuracy on test samples"
)
ax.legend(loc="lower left")
for name, values in zip(names, accuracy, strict=True):
    print(f"{name:>10}  best {values.max():.3f} at gamma={gammas[values.argmax()]:.2g}")

# %%
# At their best the four are within a point of each other. ``"truncated"`` does well with wide
# kernels and with medium ones. ``"full"`` needs a very wide kernel or a very narrow one: in
# between it does hardly better than chance, because its training samples pile up on one point a
# class and nothing keeps it from following each of them. At the left end the kernel matrix has so
# few components above rounding that ``"truncated"`` whitens all of them, and is nearly the same
# as ``"full"``. At the right end every sample is almost alone, and all whitenings come together.
#
# In practice, choose ``gamma`` by cross-validation, and leave ``"full"`` alone unless there is a
# reason.
