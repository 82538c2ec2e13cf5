"""
The main job on a Dask cluster
==============================

Which few features tell classes apart, how well do they do on unseen samples, and could that be
chance? Here the samples lie in blocks on the workers of a Dask cluster, and the whole answer comes
from them: the number of features, chosen by nested cross-validation, its score, each site left out,
and a permutation test. What reaches this process are labels, sums and counts, and no sample.
"""

# %%
# Samples on workers
# ------------------
# 8 blocks of 500 patients, whose 300 measurements come from two sites. Ten of them differ between
# the sick and the healthy, a little. The workers are threads of this process; with the address of
# a scheduler in place of ``processes=False``, nothing else changes.

import dask
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client

from centroidal.model_selection import select_features

N_BLOCKS, N_ROWS, N_FEATURES, N_INFORMATIVE = 8, 500, 300, 10


def draw_block(number):
    """Draw the samples of a block; with real data a worker would read them."""
    rng = np.random.default_rng(number)
    X = rng.standard_normal((N_ROWS, N_FEATURES))
    X[:, :N_INFORMATIVE] += 0.3 * draw_labels(number)[:, None]
    X[:, -20:] += number % 2  # of the site
    return X


def draw_labels(number):
    """Draw who is sick."""
    return np.random.default_rng([number, 1]).integers(0, 2, N_ROWS)


def put_together(draw, shape, kind):
    """Return a Dask array of blocks, of which nothing is drawn yet."""
    parts = [dask.delayed(draw)(number) for number in range(N_BLOCKS)]
    return da.concatenate([da.from_delayed(part, shape, kind) for part in parts])


X = put_together(draw_block, (N_ROWS, N_FEATURES), float)
y = put_together(draw_labels, (N_ROWS,), int)
sites = np.repeat(np.array(["north", "south"])[np.arange(N_BLOCKS) % 2], N_ROWS)

# %%
# One call
# --------
# Labels are read first. Then every block is read twice: for the sums of all folds, and to be
# predicted by models that have not seen it. Each site that is left out takes three passes, and the
# 99 permutations share two, as their sums fit in ``memory``.

asked = {"method": "l2", "blocks": sites, "n_permutations": 99, "random_state": 0}
with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None):
    found = select_features(X, y, **asked)
print(found)
for row in found.blocks["rows"]:
    print(f"without {row['block']}: {row['score']:.3f} with {row['n_features']} features")
print(found.permutations)

# %%
# The answer of one machine
# -------------------------
# The blocks are small enough to be brought together, here, to see that nothing is different.

in_memory = select_features(X.compute(), y.compute(), **asked)
print("same features:", found.selected_names.tolist() == in_memory.selected_names.tolist())
print("scores differ by", abs(found.score - in_memory.score))
nulls = [each.permutations.null_scores for each in (found, in_memory)]
print("null scores differ by", np.abs(nulls[0] - nulls[1]).max())

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot(found.path["n_features"], found.path["mean_test_score"], marker=".")
left.axvline(found.n_features_to_select, color="0.6", linestyle=":")
left.set(xscale="log", xlabel="features selected", ylabel="accuracy", title="Number of features")
right.hist(found.permutations.null_scores, bins=15, color="0.75")
right.axvline(found.permutations.score, color="C0", linewidth=3)
right.set(xlabel="accuracy", ylabel="permutations", title="Labels, and permuted labels")

# %%
# How long it takes, and how much is sent, for data of any size: :ref:`scale_selection`. In a shell
# it is ``centroidal select PATH --target sick --blocks site --permutations 99 --workers 2``.
