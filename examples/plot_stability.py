"""
Which genes can be relied on?
=============================

A selector that is asked for 40 genes returns 40 genes, also if only a few of them say anything. Ask
it again with other samples, and the few come back while the rest changes. So fit it to many random
halves of the samples and keep what comes back: stability selection.

The table ships with the package. It is generated in the shape of gene expression, not measured, so
it is known which genes are informative: 30 of 2000.
"""

# %%
# Count selections
# ----------------
# The sparse center classifier selects 40 genes in each of 100 halves, which come in pairs without a
# common sample. Genes that are selected in at least 90 of them are kept.

import numpy as np

from centroidal import ReliefFSelector, SparseCenterClassifier, StabilitySelector
from centroidal.datasets import load_expression
from centroidal.inspection import StabilityDisplay

genes = load_expression()
selector = SparseCenterClassifier(40, scale="within")
stable = StabilitySelector(selector, threshold=0.9, random_state=0)
stable.fit(genes.data, genes.target)
display = StabilityDisplay.from_estimator(stable, feature_names=genes.feature_names, n_features=40)

# %%
# **How many of them are false?** Selected once, from all samples, some of the 40 genes are not
# informative. Of those that last all are. The bound says without knowing the truth how many false
# ones to expect at most:

once = selector.fit(genes.data, genes.target).get_support()
for name, support in {"once": once, "again and again": stable.support_}.items():
    n_false = np.count_nonzero(support & ~genes.informative)
    print(f"selected {name}: {support.sum()} genes, {n_false} of them not informative")
print(f"expected at most: {stable.expected_false_selections_:.1f}")

# %%
# The bound is for the worst case, and grows with the square of the number of genes that are
# selected in a half: with 20 instead of 40 it would be a quarter of that.
#
# **How stable is the selector?** The index is 1 for selections that are all the same and 0 for
# selections at random. It compares selectors that return the same number of genes, and it shows
# when there is nothing to find, as in shuffled labels:

shuffled = np.random.default_rng(0).permutation(genes.target)
trials = {
    "sparse centers": (selector, genes.target),
    "ReliefF": (ReliefFSelector(40), genes.target),
    "sparse centers, labels shuffled": (selector, shuffled),
}
for name, (each, labels) in trials.items():
    tried = StabilitySelector(each, n_resamples=40, random_state=0).fit(genes.data, labels)
    low, high = tried.stability_interval_
    print(f"{name:>32}: {tried.stability_:.2f} ({low:.2f} to {high:.2f})")
