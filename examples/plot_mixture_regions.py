"""
Regions of clusters that play matches
=====================================

:class:`~centroidal.MixtureFisherClassifier` takes each class for a mixture of normal distributions.
What does it do with classes that are none? Figure 5.6 of :cite:t:`Rozza2010` shows the regions of
two such classes in the plane, once balanced and once with a class of a tenth of the size. The data
are not described there; here they are two bands, one bent around the other.
"""

# %%
# Two bands that no line separates
# --------------------------------
# The background is white where the class of the red samples is predicted and grey elsewhere, and
# crosses are the means of the clusters that were found.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from centroidal import MixtureFisherClassifier


def draw_bands(n_red, n_blue, seed):
    """Red samples on most of a circle, blue ones in a bar that enters it from the right."""
    rng = np.random.default_rng(seed)
    angles = rng.uniform(0.22 * np.pi, 1.78 * np.pi, n_red)
    circle = np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(0.8, 1.2, (n_red, 1))
    bar = np.column_stack([rng.uniform(-0.35, 1.6, n_blue), rng.uniform(-0.2, 0.2, n_blue)])
    X = np.vstack([circle, bar]) + rng.normal(0, 0.16, (n_red + n_blue, 2))
    return X, np.repeat([0, 1], [n_red, n_blue])


X_test, y_test = draw_bands(2000, 2000, seed=1)
low, high = X_test.min(axis=0) - 0.2, X_test.max(axis=0) + 0.2
grid = np.meshgrid(np.linspace(low[0], high[0], 220), np.linspace(low[1], high[1], 180))
points = np.column_stack([axis.ravel() for axis in grid])

figure, axes = plt.subplots(2, 2, figsize=(9, 7.4), sharex=True, sharey=True, layout="constrained")
for row, rule in zip(axes, ("three_sigma", None), strict=True):
    for ax, n_blue in zip(row, (1000, 100), strict=True):
        X, y = draw_bands(1000, n_blue, seed=0)
        model = MixtureFisherClassifier(merge_rule=rule, random_state=0).fit(X, y)
        region = model.predict(points).reshape(grid[0].shape)
        ax.contourf(*grid, region, levels=[-0.5, 0.5, 1.5], colors=["white", "0.75"])
        for label, color in enumerate(["tab:red", "tab:blue"]):
            ax.scatter(*X[y == label].T, s=4, color=color, linewidths=0)
            own = model.cluster_means_[model.cluster_class_ == label]
            ax.scatter(*own.T, s=70, marker="x", color="black")
        accuracy = model.score(X_test, y_test)
        ax.set_title(f"merge_rule={rule!r}\n1000 red, {n_blue} blue: accuracy {accuracy:.3f}")
        ax.set(xticks=[], yticks=[])

# %%
# The clusters of a band touch each other. The rule that merges clusters whose means are within
# three standard deviations makes one of all red ones, and its mean lies among the blue samples:
# hardly more than a straight line is left, as in the upper row. The rule is meant for classes that
# *are* mixtures, of which a cluster was cut in two.
# Without it straight pieces follow both bands, and a tenth of the blue samples is enough for nearly
# the same border: a match looks at how far the samples of a cluster spread, not at how many there
# are.
#
# Beside others
# -------------
# Where classes are bands use ``merge_rule=None``, or a kernel. One normal distribution a class does
# not find the border.

for n_blue in (1000, 100):
    X, y = draw_bands(1000, n_blue, seed=0)
    clusters = MixtureFisherClassifier(merge_rule=None, random_state=0).fit(X, y)
    nearest = ((X_test[:, None] - clusters.cluster_means_) ** 2).sum(axis=2).argmin(axis=1)
    scores = {
        "clusters that play": clusters.score(X_test, y_test),
        "nearest cluster": np.mean(clusters.cluster_class_[nearest] == y_test),
        "support vector machine": SVC().fit(X, y).score(X_test, y_test),
        "naive Bayes": GaussianNB().fit(X, y).score(X_test, y_test),
    }
    print(f"{n_blue} blue: " + ", ".join(f"{name} {value:.3f}" for name, value in scores.items()))
