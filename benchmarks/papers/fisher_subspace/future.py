"""What the thesis leaves to future work, where it is cheap now: two small experiments.

*d a priori*: how many directions to whiten, from the spectrum alone: one more than the singular
values above the threshold of Gavish and Donoho, a multiple of their median, beside the thesis's
rule of thumb and cross-validation. *Kernel online*: the features of a Nyström approximation, whose
landmarks are samples of the first chunk, then the online classifier, with and without a window,
beside kernel methods that see the first samples, or the last ones, at once.
"""

import time

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, make_moons
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import train_test_split

from centroidal import (
    FisherSubspaceClassifier,
    FisherSubspaceClassifierCV,
    KernelFisherSubspaceClassifier,
    OnlineFisherSubspaceClassifier,
)
from centroidal.datasets import load_expression, make_spiked_classes

from .._output import Claim, print_grid, report_claims, write_csv
from .protocol import PAPER

__all__ = ["run"]

FIGURE = "Section 7, future work"
SHAPES = ((400, 500), (1000, 500), (200, 500), (400, 100))
N_TEST = 1000
CHUNK, N_CHUNKS, N_LANDMARKS, GAMMA, WINDOW = 100, 40, 100, 2.0, 8
N_NOISE = 2.0  # standard errors


def run(settings):
    """Measure both, write them, and say what came out."""
    seeds = range(settings.seed, settings.seed + settings.n_seeds)
    rows = [row for seed in seeds for row in (*choices_of_d(seed), *streams(seed))]
    table = pd.DataFrame(rows)
    grouped = table.groupby(["question", "data", "method"], sort=False)
    summary = grouped[["accuracy", "n_components", "cpu_seconds"]].mean().reset_index()
    summary.insert(4, "accuracy_se", grouped.accuracy.sem().to_numpy())
    print_grid("Future work of the thesis", summary)
    write_csv(settings, f"{PAPER}_future_work", summary.assign(n_repeats=settings.n_seeds))
    report_claims(settings, PAPER, claims_of(table), {"n_repeats": settings.n_seeds})


# ------------------------------------------------------------------ d a priori


def choices_of_d(seed):
    for data, train, test in problems(seed):
        for method, model in {
            "log2 rule": FisherSubspaceClassifier,
            "spectrum": lambda X=train[0]: FisherSubspaceClassifier(n_components=above_noise(X)),
            "cross-validation": FisherSubspaceClassifierCV,
        }.items():
            start = time.process_time()
            fitted = model().fit(*train)
            yield {
                "question": "d a priori",
                "data": data,
                "method": method,
                "seed": seed,
                "accuracy": fitted.score(*test),
                "n_components": fitted.n_components_,
                "cpu_seconds": time.process_time() - start,
            }


def problems(seed):
    """Yield spiked classes, for which such a rule is made, and halves of two real tables."""
    for n_samples, n_features in SHAPES:
        made = make_spiked_classes(n_samples + N_TEST, n_features, random_state=seed)
        parts = [
            (made.data[rows], made.target[rows])
            for rows in (slice(n_samples), slice(n_samples, None))
        ]
        yield f"spiked, {n_samples} x {n_features}", *parts
    for name, load in {"digits": load_digits, "expression": load_expression}.items():
        X, y = load(return_X_y=True)
        parts = train_test_split(X, y, train_size=0.5, stratify=y, random_state=seed)
        yield name, (parts[0], parts[2]), (parts[1], parts[3])


def above_noise(X):
    """One more than the singular values that are above the noise, by their median."""
    centred = X - X.mean(axis=0)
    values = np.linalg.svd(centred, compute_uv=False)
    share = min(X.shape) / max(X.shape)
    threshold = 0.56 * share**3 - 0.95 * share**2 + 1.82 * share + 1.43
    return int(np.count_nonzero(values > threshold * np.median(values))) + 1


# ------------------------------------------------------------------ kernels online


def streams(seed):
    for data, turn in {"moons at rest": 0.0, "moons that turn": np.pi}.items():
        chunks = [moons(CHUNK, turn * i / N_CHUNKS, 1000 * seed + i) for i in range(N_CHUNKS)]
        test = moons(N_TEST, turn, 1000 * seed + N_CHUNKS)
        for method, fit in {
            "online": lambda chunks=chunks: follow(chunks, seed),
            "online, window": lambda chunks=chunks: follow(chunks, seed, window=WINDOW),
            "kernel, first samples": lambda chunks=chunks: at_once(chunks[:WINDOW]),
            "kernel, last samples": lambda chunks=chunks: at_once(chunks[-WINDOW:]),
        }.items():
            start = time.process_time()
            predict = fit()
            seconds = time.process_time() - start
            yield {
                "question": "kernel online",
                "data": data,
                "method": method,
                "seed": seed,
                "accuracy": np.mean(predict(test[0]) == test[1]),
                "cpu_seconds": seconds,
            }


def moons(n_samples, angle, seed):
    X, y = make_moons(n_samples, noise=0.2, random_state=seed)
    X = X - [0.5, 0.25]
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return X @ turn, y


def follow(chunks, seed, **options):
    features = Nystroem(gamma=GAMMA, n_components=N_LANDMARKS, random_state=seed)
    features.fit(chunks[0][0])
    model = OnlineFisherSubspaceClassifier(**options)
    for X, y in chunks:
        model.partial_fit(features.transform(X), y, classes=[0, 1])
    return lambda X: model.predict(features.transform(X))


def at_once(chunks):
    X, y = (np.concatenate(parts) for parts in zip(*chunks, strict=True))
    return KernelFisherSubspaceClassifier(gamma=GAMMA).fit(X, y).predict


# ------------------------------------------------------------------ what came out


def claims_of(table):
    known = table.pivot_table(index=["data", "seed"], columns="method", values="accuracy")
    moving = known.loc["moons that turn"]
    known = known.dropna(subset="spectrum")
    lead = known["spectrum"] - known["log2 rule"]
    behind = known["cross-validation"] - known["spectrum"]
    gain = moving["online, window"] - moving["kernel, first samples"]
    return [
        Claim(
            FIGURE,
            "(Not in the thesis:) d can be told from the spectrum, before any training.",
            f"accuracy less that of the log2 rule {told(lead)}; cross-validation less it "
            f"{told(behind)}; by data, spectrum less log2: "
            + ", ".join(f"{data} {told(part)}" for data, part in lead.groupby("data", sort=False)),
            "",
            "holds" if is_clear(lead) and not is_clear(behind) else "does not hold",
        ),
        Claim(
            FIGURE,
            "(Not in the thesis:) K-TIPCAC can go online by a Nyström approximation, and adapt.",
            "where the classes turn, accuracy of the online classifier with a window less that of "
            f"the kernel on the first samples {told(gain)}; "
            + "; ".join(f"{name} {moving[name].mean():.3f}" for name in moving.dropna(axis=1)),
            "",
            "holds" if is_clear(gain) else "does not hold",
        ),
    ]


def told(differences):
    return f"{differences.mean():+.3f} ±{differences.sem():.3f}"


def is_clear(differences):
    return differences.mean() > N_NOISE * differences.sem()
