"""
Is my number honest?
====================

Thirty patients with four samples each, 500 features of pure noise, and a label that was drawn for
each patient. There is nothing to find, and whoever is new to this finds 95 %: samples of one
patient lie on both sides of a fold, and to recognise the patient is to know the label. Kept
together, they say what is true.
"""

import matplotlib.pyplot as plt
import numpy as np

from centroidal.model_selection import select_features

patient = np.repeat(np.arange(30), 4)
found = {"each sample for itself": [], "groups=patient": []}
for seed in range(8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 500))[patient] + 0.3 * rng.normal(size=(120, 500))
    y = (rng.permutation(30) % 2)[patient]
    for name, groups in zip(found, (None, patient), strict=True):
        found[name].append(select_features(X, y, method="l2", groups=groups, random_state=seed))

# %%
# **The answers**, of eight such tables, with their 95 % confidence intervals. Without groups none
# of them reaches chance; no interval knows what the folds were not told.

fig, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for place, (name, answers) in enumerate(found.items()):
    x = np.arange(8) + 0.2 * place
    scores = np.array([each.score for each in answers])
    reach = np.abs(np.transpose([each.interval for each in answers]) - scores)
    ax.errorbar(
        x, scores, yerr=reach, fmt="os"[place], color=f"C{1 - place}", capsize=3, label=name
    )
ax.axhline(0.5, color="black", linestyle=":", label="chance")
ax.set(xlabel="table without any signal", ylabel="accuracy, 95 % interval", ylim=(0, 1.05))
ax.set_xticks(np.arange(8) + 0.1, np.arange(1, 9))
ax.legend(loc="lower right", ncols=3)

# %%
# **It is said, too.** The near copies are seen before the work, and the answer ends with a warning:

print(found["each sample for itself"][0].summary())
print()
print(found["groups=patient"][0].summary())
