"""
How many directions should be whitened?
=======================================

In spectra, and in many other wide tables, a few directions vary a lot in all classes and hide the
difference between them. Whitening brings these directions down. Whiten too few and they still hide
the classes. Whiten too many and one divides by variances that so few samples cannot tell.
:class:`~centroidal.FisherSubspaceClassifierCV` lets cross-validation decide.
"""

# %%
# The path
# --------
# 300 samples of 400 features, and 600 to test. The noise has 20 strong directions, and the
# difference of the two classes has nothing to do with them. One decomposition a fold gives the
# models for all numbers of components.

import matplotlib.pyplot as plt
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from centroidal import FisherSubspaceClassifier, FisherSubspaceClassifierCV
from centroidal.datasets import make_spiked_classes
from centroidal.inspection import PathDisplay, SubspaceDisplay

made = make_spiked_classes(900, 400, n_spikes=20, random_state=0)
X_train, X_test = made.data[:300], made.data[300:]
y_train, y_test = made.target[:300], made.target[300:]

grid = [1, 2, 3, 5, 7, 10, 14, 20, 21, 22, 25, 30, 40, 60, 85, 120, 170, 220]
model = FisherSubspaceClassifierCV(n_components_grid=grid).fit(X_train, y_train)
display = PathDisplay.from_estimator(model, marker=".")
display.ax_.axvline(21, color="0.7", zorder=0)
display.ax_.text(19.5, 0.9, "one more than\nstrong directions", ha="right", color="0.35")
display.ax_.legend(loc="lower right")

# %%
# Up to 20 components nothing helps. With 21 the accuracy jumps: the directions are brought down
# to the level of the *last* one that is whitened, so the last one must not be strong itself.
# Beyond that the number hardly matters for a while, and then accuracy falls.
#
# What whitening does
# -------------------
# Test samples on the Fisher axis, without whitening and with it. One component is the plain
# difference of the class means.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
means_only = FisherSubspaceClassifier(n_components=1).fit(X_train, y_train)
names = ["means only", f"{model.n_components_} components"]
for ax, name, shown in zip(axes, names, [means_only, model], strict=True):
    SubspaceDisplay.from_estimator(shown, X_test, y_test, ax=ax)
    ax.set_title(f"{name}: accuracy {shown.score(X_test, y_test):.3f}")
axes[1].set_ylabel("")
axes[1].get_legend().remove()

# %%
# Compare
# -------
# Shrinkage is the usual remedy for too few samples. It raises all small variances alike and does
# not look for a gap between strong directions and weak ones. Here there is one.

rivals = {
    "chosen by cross-validation": model,
    "rule of thumb, log2": FisherSubspaceClassifier().fit(X_train, y_train),
    "all components": FisherSubspaceClassifier("full").fit(X_train, y_train),
    "LDA with shrinkage": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(
        X_train, y_train
    ),
}
for name, rival in rivals.items():
    print(f"{name:>27}  {rival.score(X_test, y_test):.3f}")

# %%
# Whitening everything loses most. The rule of thumb, :math:`\lfloor \log_2^2 n \rfloor`
# components, does as well as the choice by cross-validation, because the curve is flat. Shrinkage
# is not far behind: the difference is about two standard errors of 600 test samples. On data
# without a gap between strong and weak directions do not expect any difference at all.
