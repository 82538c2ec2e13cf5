"""
What should a model forget when classes move?
=============================================

A stream whose classes stay where they are is learnt best by remembering all of it. When the classes
move, old samples say where the classes were. :class:`~centroidal.OnlineFisherSubspaceClassifier`
takes a ``window``: the number of chunks it remembers. Here we watch what a window costs while
nothing moves, and what it is worth when something does.
"""

# %%
# A stream in three parts
# -----------------------
# 120 chunks of 50 samples with 100 features. The noise is strong in five directions. In the first
# third the two classes stay where they are. In the second they walk around each other in half a
# circle, until they have changed places. In the last third they stay there.
#
# Every chunk is predicted first and learnt afterwards, so that each accuracy is that of unseen
# samples.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import SGDClassifier

from centroidal import OnlineFisherSubspaceClassifier

N_CHUNKS, CHUNK_SIZE, N_FEATURES = 120, 50, 100
PARTS = {"at rest": (0, 40), "moving": (40, 80), "at rest again": (80, 120)}

rng = np.random.default_rng(0)
directions = np.linalg.qr(rng.normal(size=(N_FEATURES, 7)))[0].T
spikes, (start, turn) = directions[:5], directions[5:]
angles = np.pi * np.clip((np.arange(N_CHUNKS) - 40) / 40, 0, 1)


def draw_chunk(angle):
    """Two classes, 3.5 apart in a direction that depends on the angle."""
    y = rng.permutation(np.arange(CHUNK_SIZE) % 2)
    offsets = 3.5 * (y - 0.5)[:, None] * (np.cos(angle) * start + np.sin(angle) * turn)
    noise = rng.normal(size=(CHUNK_SIZE, N_FEATURES))
    return offsets + noise + 10 * rng.normal(size=(CHUNK_SIZE, 5)) @ spikes, y


chunks = [draw_chunk(angle) for angle in angles]

# %%
# Predict, then learn
# -------------------
# There are two rivals. A logistic regression follows the gradient, sample by sample; it has no
# window, but a constant step forgets by itself. (Its loss, step and penalty are the best of
# twenty settings for this stream, which flatters it.) And a discriminant analysis with shrinkage
# is fitted anew to the last five chunks, for which these must be kept.

models = {
    "remembers all": OnlineFisherSubspaceClassifier(n_components=10),
    "window of 20 chunks": OnlineFisherSubspaceClassifier(n_components=10, window=20),
    "window of 5 chunks": OnlineFisherSubspaceClassifier(n_components=10, window=5),
    "gradient, constant step": SGDClassifier(
        loss="log_loss", learning_rate="constant", eta0=0.01, alpha=0.01, random_state=0
    ),
}
accuracy = {}
for name, model in models.items():
    model.partial_fit(*chunks[0], classes=[0, 1])
    accuracy[name] = []
    for X, y in chunks[1:]:
        accuracy[name].append(model.score(X, y))
        model.partial_fit(X, y)

analysis = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
accuracy["LDA of the last 5 chunks"] = []
for i, (X, y) in enumerate(chunks[1:], start=1):
    recent = chunks[max(0, i - 5) : i]
    analysis.fit(np.vstack([X for X, _ in recent]), np.concatenate([y for _, y in recent]))
    accuracy["LDA of the last 5 chunks"].append(analysis.score(X, y))

# %%
# Accuracy over time
# ------------------
# A chunk of 50 is a small test, so the lines are means over nine chunks.


def smooth(values, width=9):
    """Mean over a centred window, shorter at the ends."""
    sums, counts = (np.convolve(a, np.ones(width), "same") for a in (values, np.ones(len(values))))
    return sums / counts


figure, ax = plt.subplots(figsize=(8, 4.6), layout="constrained")
for name, values in accuracy.items():
    is_rival = name not in list(models)[:3]
    style = {"linestyle": "--" if is_rival else "-", "linewidth": 1.2 if is_rival else 1.8}
    ax.plot(range(1, N_CHUNKS), smooth(values), label=name, **style)
ax.axvspan(40, 80, color="0.93", zorder=0)
for name, (first, last) in PARTS.items():
    ax.text((first + last) / 2, 1.02, name, ha="center")
ax.set(xlabel="chunk", ylabel="accuracy on the next chunk", ylim=(0, 1.09), xlim=(0, N_CHUNKS))
figure.legend(loc="outside lower center", ncols=3)

print(f"{'':>26}  " + "  ".join(f"{part:>13}" for part in PARTS))
for name, values in accuracy.items():
    means = [np.mean(values[max(first - 1, 0) : last - 1]) for first, last in PARTS.values()]
    print(f"{name:>26}  " + "  ".join(f"{mean:13.3f}" for mean in means))

# %%
# While the classes are at rest, remembering more is better, but not by much: the window of five
# chunks is two points behind. When they move, the model that remembers all averages over places
# where the classes no longer are, and in the end it is wrong more often than right. The short
# window hardly notices the movement. The longer one lags behind and recovers.
#
# So a window should be as long as the classes stay put, and that is something to know about the
# data; nothing here chooses it. The window is not the only way either. Fitting a shrinkage
# discriminant to the last chunks is as accurate. It needs the samples of the window, where the
# online model keeps a few coordinates of each, and it starts from nothing every time, which only
# matters when there are many features.
