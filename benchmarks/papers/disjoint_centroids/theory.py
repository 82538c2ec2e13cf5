"""Theorems 1 and 2 and corollary 3 of section 3, by looking at all partitions of few features.

The risk of groups and centroids needs no more of a distribution than means and variances; so it is
exact here, and so is the optimal risk. The empirical risk minimizer is found among all partitions,
too. The questions were fixed before the measurements.
"""

from itertools import product

import numpy as np
import pandas as pd

from centroidal.classifiers import disjoint_objective

from .._output import Claim, print_grid, report_claims, verdict, write_csv
from .protocol import PAPER

__all__ = ["run"]

FIGURE = "Theorems 1 and 2, corollary 3"
SIZES = (30, 100, 300, 1_000, 3_000, 10_000)  # of samples
N_REPEATS, N_LAWS = 40, 300
PRIORS = np.array([0.6, 0.3, 0.1])
N_FEATURES = 6
STEADY, UNSTEADY = 1.0, 1.5  # variances of corollary 3
ROUNDING = 1e-12


def run(settings):
    """Measure the three statements, and what the paper says of the Euclidean norm."""
    rows = [
        *risks("corollary 3", blocks(), settings.seed),
        *risks("no pattern", anything(), settings.seed),
    ]
    table = pd.DataFrame(rows)
    shown = table.pivot(index="n_samples", columns="distribution", values="excess_mean")
    print_grid("Risk of the empirical risk minimizer above the optimal risk", shown)
    write_csv(settings, f"{PAPER}_theory", table)
    rng = np.random.default_rng(settings.seed)
    claims = [*claims_of_theorem_1(table), *claims_of_optima(rng), claim_of_norm()]
    report_claims(settings, PAPER, claims, {"n_repeats": N_REPEATS})


def blocks():
    """Means and variances of corollary 3: each class is steady in its block."""
    is_own = np.repeat(np.eye(PRIORS.size, dtype=bool), N_FEATURES // PRIORS.size, axis=1)
    return np.zeros(is_own.shape), np.where(is_own, STEADY, UNSTEADY)


def anything():
    """Means and variances without any pattern."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(PRIORS.size, N_FEATURES)), rng.uniform(0.5, 2.0, (3, N_FEATURES))


def partitions(n_classes, n_features):
    """All ways to give each class some features and each feature to one class."""
    labels = np.array(list(product(range(n_classes), repeat=n_features)))
    groups = labels[:, None, :] == np.arange(n_classes)[:, None]
    return groups[groups.any(axis=2).all(axis=1)]


def risks_of(groups, priors, variances, is_normalized=True):
    """Risk of each partition with the best centroids."""
    sums = (groups * variances).sum(axis=2)
    return (sums / groups.sum(axis=2) if is_normalized else sums) @ priors


# ------------------------------------------------------------------ theorem 1


def risks(name, law, seed):
    """Find the empirical risk minimizer again and again, and its risk."""
    means, variances = law
    groups = partitions(*means.shape)
    optimal = risks_of(groups, PRIORS, variances)
    for n_samples in SIZES:
        found = [
            minimize(groups, law, n_samples, np.random.default_rng([seed, n_samples, repeat]))
            for repeat in range(N_REPEATS)
        ]
        excess = np.array([risk for risk, _ in found]) - optimal.min()
        is_best = [optimal[best] <= optimal.min() + ROUNDING for _, best in found]
        yield {
            "distribution": name,
            "n_samples": n_samples,
            "optimal_risk": optimal.min(),
            "excess_mean": excess.mean(),
            "excess_largest": excess.max(),
            "groups_are_optimal": np.mean(is_best),
            "n_repeats": N_REPEATS,
        }


def minimize(groups, law, n_samples, rng):
    """Return the risk of the empirical risk minimizer of some samples, and which partition it is.

    All partitions are compared by sums; for the best one, that they are equation (1) is made sure.
    """
    means, variances = law
    codes = np.resize(np.arange(len(means)), n_samples)
    codes[len(means) * 2 :] = rng.choice(len(means), n_samples - len(means) * 2, p=PRIORS)
    X = means[codes] + np.sqrt(variances[codes]) * rng.normal(size=(n_samples, means.shape[1]))
    classes = [X[codes == c] for c in range(len(means))]
    shares = np.bincount(codes) / n_samples
    empirical = risks_of(groups, shares, np.array([part.var(axis=0) for part in classes]))
    best = int(empirical.argmin())
    same = disjoint_objective(X, codes, groups[best]) / n_samples
    assert abs(same - empirical[best]) <= 1e-9 * same
    paid = variances + (np.array([part.mean(axis=0) for part in classes]) - means) ** 2
    return float(risks_of(groups[best][None], PRIORS, paid)[0]), best


def claims_of_theorem_1(table):
    """Ask whether the risk tends to the optimal one."""
    for name, rows in table.groupby("distribution", sort=False):
        excess = rows.excess_mean.to_numpy()
        largest = rows.excess_largest.iloc[-1]
        answers = [*(np.diff(excess) < 0.0), largest < 0.01]
        told = ", ".join(f"{n}: {mean:.4f}" for n, mean in zip(rows.n_samples, excess, strict=True))
        yield Claim(
            FIGURE,
            "Theorem 1: the risk of the empirical risk minimizer tends to the optimal risk.",
            f"normal distribution ({name}): the mean excess falls with every number of samples "
            f"({told}), and at the last the largest of {N_REPEATS} is below 0.01 ({largest:.4f})",
            "",
            verdict(np.mean(answers)),
        )


# ------------------------------------------------------------------ theorem 2, corollary 3


def claims_of_optima(rng):
    """Ask whether partitions that the statements call optimal are, among all partitions."""
    answers = [is_theorem_2_true(rng) for _ in range(N_LAWS)]
    yield Claim(
        FIGURE,
        "Theorem 2: groups that are each the best subset for their class have the optimal risk.",
        f"in {sum(answers)} of {N_LAWS} random distributions with such groups no partition has a "
        "lower risk (the condition says that in its class a group holds features of the one "
        "smallest variance, and no feature of a smaller one exists)",
        "",
        verdict(np.mean(answers)),
    )
    settings = [(k, d) for k in (2, 3) for d in (1, 2, 3) if k * d <= 7]
    answers = [is_corollary_3_true(rng, *setting) for setting in settings for _ in range(50)]
    yield Claim(
        FIGURE,
        "Corollary 3: the blocks have the optimal risk.",
        f"in {sum(answers)} of {len(answers)} settings (2 or 3 classes, blocks of 1 to 3, any two "
        "variances, any class probabilities) no partition has a lower risk, and no other as low",
        "",
        verdict(np.mean(answers)),
    )


def is_theorem_2_true(rng):
    """Draw variances that fulfil the condition for a random partition, and look at all of them."""
    groups = partitions(3, N_FEATURES)
    chosen = groups[rng.integers(len(groups))]
    least = rng.uniform(0.2, 2.0, size=(3, 1))
    variances = np.where(chosen, least, least + rng.exponential(size=chosen.shape))
    priors = rng.dirichlet(np.ones(3))
    mine = risks_of(chosen[None], priors, variances)[0]
    return bool(mine <= risks_of(groups, priors, variances).min() + ROUNDING)


def is_corollary_3_true(rng, n_classes, size):
    groups = partitions(n_classes, n_classes * size)
    blocks = np.repeat(np.eye(n_classes, dtype=bool), size, axis=1)
    steady, unsteady = np.sort(rng.uniform(0.2, 2.0, 2))
    priors = rng.dirichlet(np.ones(n_classes))
    found = risks_of(groups, priors, np.where(blocks, steady, unsteady))
    is_block = (groups == blocks).all(axis=(1, 2))
    return bool(found[is_block] <= steady + ROUNDING and (found[~is_block] > steady).all())


def claim_of_norm():
    """Ask how large the groups of the largest and the smallest class are in either norm."""
    _, variances = blocks()
    groups = partitions(*variances.shape)
    sizes = {}
    for norm in (True, False):
        best = groups[risks_of(groups, PRIORS, variances, norm).argmin()]
        sizes[norm] = best.sum(axis=1).tolist()
    holds = sizes[False][0] < sizes[False][-1] and len(set(sizes[True])) == 1
    return Claim(
        FIGURE,
        "With the Euclidean norm majority classes would get much smaller groups.",
        f"distribution of corollary 3 with class probabilities {PRIORS.tolist()}: the groups of "
        f"the lowest risk have {sizes[True]} features in the normalized norm and {sizes[False]} in "
        "the Euclidean one",
        "",
        verdict(float(holds)),
    )
