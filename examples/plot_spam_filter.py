"""
A spam filter that is trained in parts and keeps learning
=========================================================

Mails come every day, spam changes its words, and no one place has all mails. The filter of section
3.7 of :cite:t:`Rozza2010` turns a mail into numbers in two steps, TF-IDF and latent semantic
analysis, and separates the classes in a Fisher subspace. Here it is trained in four places and
merged, then follows a stream that drifts, and is saved, loaded and asked about a new mail.
"""

# %%
# Mails to numbers
# ----------------
# 4000 generated mails in the order of time, half of them spam. 90 of 2000 words tell the classes
# apart, and those of spam change as time goes by. The words and the 100 directions of the semantic
# space are learnt from the first 600 mails and stay as they are. The same mails say how many of
# these directions to whiten.

from copy import deepcopy
from functools import reduce
from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from centroidal import (
    FisherSubspaceClassifier,
    FisherSubspaceClassifierCV,
    OnlineFisherSubspaceClassifier,
)
from centroidal.datasets import make_mails
from centroidal.persistence import load_model, save_model

mails = make_mails(4000, drift=1.0, random_state=0)
texts, y = mails.data, mails.target
print(f"spam: {texts[y == 1][0][:60]} ...")
print(f"ham:  {texts[y == 0][0][:60]} ...")

space = make_pipeline(TfidfVectorizer(), TruncatedSVD(100, random_state=0)).fit(texts[:600])
X = space.transform(texts)
d = FisherSubspaceClassifierCV(rule="best").fit(X[:600], y[:600]).n_components_
print(f"{d} directions are whitened")

# %%
# Trained in four places, merged
# ------------------------------
# Four people label 150 mails each, of the same semantic space. ``merge`` adds what their models
# know; no mail changes hands. All are asked about the 400 mails that come next.


def new_model():
    """Return a model that is not fitted."""
    return FisherSubspaceClassifier(n_components=d, threshold="prior")


first, after = slice(600, 1200), slice(1200, 1600)
parts = [new_model().fit(X[i : i + 150], y[i : i + 150]) for i in range(600, 1200, 150)]
filter_ = reduce(lambda one, other: one.merge(other), map(deepcopy, parts))
scores = {f"part {i}": part.score(X[after], y[after]) for i, part in enumerate(parts, start=1)}
scores["the four merged"] = filter_.score(X[after], y[after])
scores["all mails at one place"] = new_model().fit(X[first], y[first]).score(X[after], y[after])
regression = LogisticRegression(C=10).fit(X[first], y[first])
scores["logistic regression, all mails"] = regression.score(X[after], y[after])
for name, score in scores.items():
    print(f"{name:>30}  {score:.3f}")

# %%
# The merged model is as good as one that has seen all mails, and better than what each of the four
# has. That is no property of spam: the statistics add up. A logistic regression that may see all
# mails is two points better.
#
# The stream drifts
# -----------------
# From then on mails come in batches of 100; each is predicted first and learnt afterwards. The
# merged filter stays as it is, one online model remembers everything, another one the last ten
# batches. The last 100 mails are kept for the end.

models = {
    "merged filter, as it was": None,
    "online, remembers all": OnlineFisherSubspaceClassifier(d),
    "online, window of 10 batches": OnlineFisherSubspaceClassifier(d, window=10),
}
starts = np.arange(1200, len(texts) - 100, 100)
accuracy = {name: [] for name in models}
for name, model in models.items():
    if model is not None:
        model.partial_fit(X[first], y[first], classes=[0, 1])
    for i in starts:
        batch = slice(i, i + 100)
        accuracy[name].append((model or filter_).score(X[batch], y[batch]))
        if model is not None:
            model.partial_fit(X[batch], y[batch])

figure, ax = plt.subplots(layout="constrained")
for name, values in accuracy.items():
    smooth = np.convolve(values, np.ones(5) / 5, "valid")
    ax.plot(starts[2:-2] + 50, smooth, label=f"{name}: {np.mean(values[-5:]):.2f} at the end")
ax.set(xlabel="mail", ylabel="accuracy on the next batch, mean of five", ylim=(0.75, 1))
ax.set_title("What is not learnt is forgotten")
ax.legend(loc="lower left")

# %%
# The filter that no longer learns loses what the early words of spam were worth. The online models
# follow, though they, too, fall back: the semantic space is that of the first mails, in which the
# new words hardly count. A window pays where old mails mislead. Here they are only out of date, and
# to remember all is better.
#
# Save, load, ask
# ---------------
# The semantic space and the model go into one file, so that it takes mails as they are. The file
# holds numbers and words only and is checked when it is loaded.

file = Path(mkdtemp()) / "spam_filter.skops"
save_model(make_pipeline(*space.named_steps.values(), models["online, remembers all"]), file)
loaded = load_model(file)

mail = texts[-100]
probability = loaded.predict_proba([mail])[0, 1]
print(f"{mail[:60]} ...")
print(f"probability of spam: {probability:.2f}; it is {mails.target_names[y[-100]]}")
print(f"right in the last 100 mails: {loaded.score(texts[-100:], y[-100:]):.2f}")

# %%
# With real mails
# ---------------
# The experiments of the thesis on the SpamAssassin corpus are repeated in ``benchmarks/papers``,
# beside support vector machines and nearest neighbours. There the merged models of four parts are
# right in 96.4 % of mails, which is better than nearest neighbours and about as good as a support
# vector machine that sees one part; a support vector machine that sees all mails gets 97.4 %.
