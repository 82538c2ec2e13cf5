"""
Does a stream give the same model as all data at once?
======================================================

Data may come in chunks, or lie in parts that cannot be brought together. The l2 centers need only
counts, means and squared deviations of each class, and these can be added up. So the model after
the last chunk is the model of all data in one batch, and the chunks can be forgotten on the way.
"""

# %%
# A stream
# --------
# 2000 samples of 2000 features arrive in chunks of 20; 30 features are informative, and weakly so.
# After each chunk we ask how well the model does on 1000 samples it never sees, and how many of the
# 30 features it selects are informative.

import matplotlib.pyplot as plt
import numpy as np

from centroidal import SparseCenterClassifier
from centroidal.datasets import make_expression

table = make_expression(3000, 2000, n_informative=30, effect=1.0, random_state=0)
stream, test = np.arange(2000), np.arange(2000, 3000)

model = SparseCenterClassifier(n_features_to_select=30, scale="within")
seen, accuracy, found = [], [], []
for chunk in np.split(stream, 100):
    model.partial_fit(table.data[chunk], table.target[chunk], classes=[0, 1, 2])
    seen.append(chunk[-1] + 1)
    accuracy.append(model.score(table.data[test], table.target[test]))
    found.append(table.informative[model.support_].sum())

figure, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7, 6), layout="constrained")
top.plot(seen, accuracy)
top.set(ylabel="accuracy on unseen samples", title="What the model knows after each chunk")
bottom.step(seen, found, where="post", color="C1")
bottom.axhline(30, color="black", linestyle=":", linewidth=1)
bottom.set(
    xlabel="samples seen", xscale="log", ylabel="informative features\namong the 30 selected"
)
bottom.set_ylim(0, 31.5)

# %%
# Accuracy is close to its final value after about 100 samples. The last of the informative features
# are the weakest, and it takes several hundred samples to be sure of them.
#
# The same as a batch
# -------------------
# A model fitted to the 2000 samples at once selects the same features, and its centers differ from
# those of the stream by rounding alone.

batch = SparseCenterClassifier(n_features_to_select=30, scale="within")
batch.fit(table.data[stream], table.target[stream])
print("same features:", np.array_equal(batch.support_, model.support_))
print(f"largest difference of a center: {np.abs(batch.centers_ - model.centers_).max():.1e}")

# %%
# Parts that never meet
# ---------------------
# Four sites fit a model each and send the fitted models, not the samples. Merged, they are the
# model of all samples.

sites = [
    SparseCenterClassifier(n_features_to_select=30, scale="within").fit(
        table.data[site], table.target[site]
    )
    for site in np.split(stream, 4)
]
merged, *others = sites
for other in others:
    merged.merge(other)
print("same features:", np.array_equal(batch.support_, merged.support_))
print(f"largest difference of a center: {np.abs(batch.centers_ - merged.centers_).max():.1e}")
