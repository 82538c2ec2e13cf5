"""
When not to call a class
========================

A classifier compares classes with each other. Far from all of them it is as sure as ever: noise,
zeros and samples on another scale get a class, with a probability near 1. The model that
:func:`~centroidal.model_selection.select_features` keeps knows how unusual samples of each class
were when they were held out, and can leave samples without a call.
"""

import matplotlib.pyplot as plt
import numpy as np

from centroidal.datasets import load_expression
from centroidal.model_selection import select_features

X, y = load_expression(return_X_y=True)
train, new = np.arange(0, 120, 2), np.arange(1, 120, 2)
found = select_features(X[train], y[train], method="l2", random_state=0)
model = found.model

rng = np.random.default_rng(0)
rows = {
    "new samples": X[new],
    "all zeros": np.zeros((60, 2000)),
    "times ten": 10 * X[new],
    "noise": rng.normal(X.mean(), X.std(), size=(60, 2000)),
}

# %%
# **How sure, and how unusual.** Each point is a row, by the largest probability of a class and by
# the factor by which it is farther from the nearest class, or larger or smaller, than the usual
# sample, or goes together less with what samples have in common. Above the line no class is
# credible, whatever the probability; left of it, more than one may be.

fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", width_ratios=[3, 2])
most = model.thresholds(0.1)
for place, (name, samples) in enumerate(rows.items()):
    scores, outlyingness = model.nonconformity(samples)
    axes[0].scatter(
        np.exp(-scores.min(axis=1)), outlyingness.min(axis=1), s=14, color=f"C{place}", label=name
    )
axes[0].axhline(most.outlyingness, color="black", linestyle=":")
axes[0].set(xlabel="largest probability", ylabel="times as unusual", yscale="log")
axes[0].legend(loc="center left")

shares = {
    name: [np.mean(part) for part in (n == 1, n > 1, n == 0)]
    for name, n in (
        (name, model.predict_set(samples, no_call=0.1).sum(axis=1))
        for name, samples in rows.items()
    )
}
left = np.zeros(len(rows))
words = ("called", "several classes", "resembles none")
for part, colour in enumerate(("C0", "0.75", "0.4")):
    widths = np.array([share[part] for share in shares.values()])
    axes[1].barh(list(shares), widths, left=left, color=colour, label=words[part])
    left += widths
axes[1].invert_yaxis()
axes[1].set(xlabel="share of the rows, no_call=0.1", xlim=(0, 1))
axes[1].legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, fontsize="small")

# %%
# **What it costs.** Of samples that were held out, by the share of errors that is allowed:

for calls in found.calls:
    shares = f"called {calls['called']:.2f}, class credible {calls['coverage']:.2f}"
    print(f"{calls['no_call']:<5} {shares}")
