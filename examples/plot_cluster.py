"""
Are more rows worth a cluster?
==============================

A weak feature shows only among many samples. Here they are made block by block on the two workers
of a small Dask cluster: 125000 samples of 1000 features, 1 GB, which never come together in one
place. What the workers send are counts, means and squares of each class, and these are enough for
the models of all numbers of features.
"""

# %%
# Blocks
# ------
# 200 of the features are informative. In these the means of four classes are apart by less than a
# tenth of a standard deviation, mostly. A block is drawn from its number, so that a worker can make
# it when it is needed, and again if it was lost; with real data it would read it. In memory are no
# more than a few blocks at a time.

import dask
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client, LocalCluster

from centroidal import SparseCenterClassifier

N_ROWS, N_FEATURES, N_INFORMATIVE, N_CLASSES = 5000, 1000, 200, 4


def draw_labels(block):
    """Draw the classes of the samples of a block."""
    return np.random.default_rng([block, 0]).integers(0, N_CLASSES, N_ROWS)


def draw_samples(block, labels):
    """Draw the samples themselves; the first features are informative."""
    shifts = 0.06 * np.random.default_rng(0).standard_normal((N_CLASSES, N_INFORMATIVE))
    X = np.random.default_rng([block, 1]).standard_normal((N_ROWS, N_FEATURES))
    X[:, :N_INFORMATIVE] += shifts[labels]
    return X


def collection(blocks):
    """Return samples and labels as Dask arrays; nothing is drawn yet."""
    y = [dask.delayed(draw_labels)(block) for block in blocks]
    X = [dask.delayed(draw_samples)(*pair) for pair in zip(blocks, y, strict=True)]
    return (
        da.concatenate([da.from_delayed(x, (N_ROWS, N_FEATURES), float) for x in X]),
        da.concatenate([da.from_delayed(part, (N_ROWS,), int) for part in y]),
    )


# %%
# A cluster
# ---------
# ``LocalCluster`` starts two processes on this machine; with the address of a scheduler instead,
# the same lines run on many machines. A worker imports this file, hence the question for the name.
# Each fit draws the samples once. Its model knows the ranking of all features, so that
# ``model.at(k)`` needs no data, and all accuracies come from one pass over 10000 samples that no
# model has seen.

SIZES = [1, 5, 25]  # in blocks
NUMBERS = [1, 3, 10, 30, 100, 200, 400, 1000]


def accuracies(model, X, y):
    """Plan the accuracy with each number of features, all in one pass."""
    return [(model.at(k).predict(X) == y).mean() for k in NUMBERS]


if __name__ == "__main__":
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        models = []
        for n_blocks in SIZES:
            X, y = collection(range(n_blocks))
            models.append(SparseCenterClassifier(scale="std").fit(X, y))
        unseen = collection(range(100, 102))
        curves = dask.compute(*[accuracies(model, *unseen) for model in models])

# %%
# What the rows bring
# -------------------
# The cluster is closed; the models are small and stay.

if __name__ == "__main__":
    figure, (left, right) = plt.subplots(1, 2, sharex=True, figsize=(10, 4.2), layout="constrained")
    for n_blocks, model, curve in zip(SIZES, models, curves, strict=True):
        is_informative = model.feature_ranking_ < N_INFORMATIVE
        found = [is_informative[:k].sum() for k in NUMBERS]
        label = f"{n_blocks * N_ROWS:,} samples"
        left.plot(NUMBERS, curve, marker="o", label=label)
        right.plot(NUMBERS, found, marker="o", label=label)
    right.plot(NUMBERS, np.minimum(NUMBERS, N_INFORMATIVE), "k:", label="all that there are")
    left.set(xscale="log", ylabel="accuracy on unseen samples", title="Predictions")
    right.set(xscale="log", ylabel="informative features among them", title="Features found")
    for ax in (left, right):
        ax.set_xlabel("features selected")
        ax.set_xticks([1, 10, 100, 200, 1000], [1, 10, 100, 200, 1000])
        ax.minorticks_off()
        ax.legend()

    drawn = SIZES[-1] * N_ROWS * N_FEATURES * 8
    sent = 2 * N_CLASSES * N_FEATURES * 8
    print(f"{drawn / 1e6:.0f} MB were drawn for the last fit; a block sends {sent / 1e3:.0f} kB")

# %%
# **Are they?** For the strongest features hardly: with ten of them, 5000 samples do nearly as well
# as 25 times as many. For the weak ones, yes. Of the 200 features that 5000 samples rank first,
# about a quarter say nothing, and with still more features the predictions become worse. 125000
# samples find nearly all of the 200, gain several points of accuracy by them, and are hardly
# disturbed by the rest.
#
# There is an end to it: the curve of 25000 samples is already close to that of 125000. So fit a
# sample of the rows in memory first, then one that is larger, and see if the curve still rises.
