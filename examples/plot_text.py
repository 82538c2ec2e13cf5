"""
Which words give an opinion away?
=================================

Short texts as a bag of words: thousands of columns, a dozen words a text, almost all entries zero.
Here the words that tell two opinions apart are found without ever making the matrix dense.

The texts are generated: 60 of 5000 words are five times likelier in one opinion than in the other,
and the rest say nothing. Word frequencies follow Zipf's law, so many of the 60 are rare.
"""

# %%
# Choose the number of words
# --------------------------
# On sparse data the number of words is tried at 50 values on a log scale. We compare two
# geometries: counts as they are, and each word divided by its standard deviation, which is what
# :cite:t:`Calafiore2022` do with text.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from centroidal import SparseCenterClassifierCV
from centroidal.datasets import make_word_counts
from centroidal.inspection import PathDisplay

texts = make_word_counts(n_samples=4000, random_state=0)
X, y = texts.data, texts.target
print(
    f"{X.shape[0]} texts, {X.shape[1]} words, "
    f"{100 * X.nnz / np.prod(X.shape):.2f} % of entries stored"
)

raw = SparseCenterClassifierCV(scale=None).fit(X, y)
scaled = SparseCenterClassifierCV(scale="std").fit(X, y)

figure, ax = plt.subplots(layout="constrained")
PathDisplay.from_estimator(scaled, ax=ax, name='scale="std"')
PathDisplay.from_estimator(raw, ax=ax, name="counts as they are")
ax.set_title("Dividing by the spread helps, if few words are kept")

# %%
# Up to half a dozen words the two do equally well. Beyond that the raw counts gain little: rarer
# words may be just as telling, but they hardly move the distance. Divided by its standard deviation
# a rare word is as loud as a common one. That helps until thousands of words which say nothing are
# let in and drown the others. So a scale goes together with a choice of the number of words.
#
# Look at the words
# -----------------
# How much more often does each selected word occur in one opinion than in the other? A red bar
# would be a word that says nothing; there is none.

selected = scaled.feature_ranking_[: scaled.n_features_to_select_]
difference = 100 * (scaled.centers_[1, selected] - scaled.centers_[0, selected])
order = np.argsort(difference)
informative = texts.informative[selected]

figure, ax = plt.subplots(figsize=(7, 6), layout="constrained")
ax.barh(range(selected.size), difference[order], color=np.where(informative, "C0", "C3")[order])
ax.set_yticks(range(selected.size), texts.feature_names[selected][order])
ax.axvline(0, color="black", linewidth=0.8)
ax.set_xlabel(
    f"more often in {texts.target_names[0]}  ←  occurrences per 100 texts  →  "
    f"more often in {texts.target_names[1]}"
)
ax.set_title(f"{informative.sum()} of {selected.size} selected words are informative")

# %%
# Compare
# -------
# Accuracy in an outer cross-validation, so that the choice of the words is judged as well. Beside
# the classifier itself stand its selection followed by naive Bayes, and what one would try first
# with scikit-learn.

methods = {
    "sparse centers": SparseCenterClassifierCV(scale="std"),
    "sparse centers select, naive Bayes decides": make_pipeline(
        SparseCenterClassifierCV(scale="std"), MultinomialNB()
    ),
    "chi2 selects, naive Bayes decides": GridSearchCV(
        make_pipeline(SelectKBest(chi2), MultinomialNB()),
        {"selectkbest__k": [20, 50, 100]},
    ),
    "naive Bayes, all words": MultinomialNB(),
    "logistic regression, all words": LogisticRegression(),
}
for name, method in methods.items():
    scores = cross_val_score(method, X, y)
    error = scores.std(ddof=1) / np.sqrt(scores.size)
    print(f"{name:>43}  {scores.mean():.3f} ± {error:.3f}")

# %%
# Selecting words helps here, because most words say nothing by construction. How they are selected
# matters less: a chi-squared test finds words that are as good. On real text the picture is less
# clear-cut, and a linear model on all words is a rival to take seriously.
