"""
Can I believe it?
=================

A selection of genes comes with a score on unseen samples. Could it come from chance? Could some of
the genes be luck? Would more samples help? The whole selection is done again: with labels that are
permuted, and with fewer samples.

The table ships with the package. It is generated in the shape of gene expression, not measured, so
it is known which genes are informative: 30 of 2000.
"""

# %%
# Labels that mean something
# --------------------------
# Each of 200 permutations goes through everything: folds, ranking, choice of the number of genes
# inside the folds, score outside.

import matplotlib.pyplot as plt
import numpy as np

from centroidal.datasets import load_expression
from centroidal.model_selection import select_features

genes = load_expression()
asked = {"method": "l2", "n_permutations": 200, "learning_curve": True, "random_state": 0}
found = select_features(genes.data, genes.target, **asked)
for each in found.checklist():
    print(f"{each.verdict:8} {each.question}")
    print(f"         {each.reason}")
print(found.checklist_summary())

# %%
# Labels that mean nothing
# ------------------------
# The same table with its labels shuffled. Features are selected, as a selector never says no, and
# the score is what chance gives.

shuffled = np.random.default_rng(0).permutation(genes.target)
nothing = select_features(genes.data, shuffled, **asked)
for each in nothing.checklist():
    print(f"{each.verdict:8} {each.question}")
    print(f"         {each.reason}")
print(nothing.checklist_summary())

figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharex=True, layout="constrained")
for panel, selection, title in zip(axes, (found, nothing), ("labels", "shuffled"), strict=True):
    test = selection.permutations
    panel.hist(test.null_scores, bins=20, color="0.75")
    panel.axvline(test.score, color="C0", linewidth=3)
    panel.set(title=f"{title}: p = {test.p_value:.2g}", xlabel="accuracy", ylabel="permutations")

# %%
# Which genes could be luck
# -------------------------
# From the same permutations each gene has a p-value, corrected for all 2000 of them. Here the truth
# is known:

sure = found.permutations.feature_p_values <= 0.05
print(f"{sure.sum()} genes with p <= 0.05, {(sure & ~genes.informative).sum()} not informative")

# %%
# More samples
# ------------
# The curve rises as long as samples are few; where it follows an inverse power law, it goes on.

curve = found.learning_curve
figure, panel = plt.subplots(figsize=(5, 3.2), layout="constrained")
panel.plot(curve.n_samples, curve.means, "o")
more = np.arange(curve.n_samples[0], curve.n_with_more)
if curve.law is not None:
    panel.plot(more, [curve.extrapolate(int(n))[0] for n in more], "--", color="0.5")
panel.set(xlabel="samples", ylabel="accuracy")
print(curve.summary())
