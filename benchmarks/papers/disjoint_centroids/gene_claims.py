"""How the paper's sentences on genes are put to the numbers.

As in `claims`, every sentence becomes a question that is asked in several cases. Errors and numbers
of features are means over the splits, and better means by more than two standard errors of the
differences over the splits; the splits share their samples, so that is a statement on these
samples, not on others. NDC-S is the one with few starts, which saw all splits. The questions and
their bounds were fixed before the measurements.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from .._output import Claim, verdict
from .claims import describe_cases
from .methods import NDC_S_OF_GENES
from .printed import RIVALS
from .results import N_NOISE, standard_error

__all__ = ["claims_of_genes"]

NDC_S = NDC_S_OF_GENES.name
LOGS = ", logs"
SMALL_ERROR = 0.03  # breast and colon cancer: "less than 3 %"
LOW_ERROR = 0.06  # leukemia: "less than 6 %"
FEW = 0.1  # share of the features
VERY_FEW = 0.02  # "around 1 %"
CLOSELY = 0.05  # errors that follow each other closely
AS_MANY = 1.25  # times as many features are about as many


def claims_of_genes(study, results):
    """Judge every sentence on a set of genes, and two of our own."""
    ask = Questions(results)
    asked = BY_TABLE[study.tables[0]](ask) + on_every_set(ask)
    figure = f"Tables {study.tables[0]} and {study.tables[1]}"
    return [
        Claim(
            figure,
            text,
            f"{question}: {describe_cases(answers)}",
            ask.describe_peers(),
            verdict(answers.mean()),
        )
        for text, question, answers in ((t, q, pd.Series(a)) for t, q, a in asked)
    ]


class Questions:
    """What sentences are asked about, on one set."""

    def __init__(self, results):
        self.results = results
        self.error, self.count = results.means.iloc[0], results.counts.iloc[0]
        self.n_features = results.records.n_features.iloc[0]

    def is_better(self, one, other):
        return bool(self.results.better(one, other).iloc[0])

    def better(self, ones, others):
        return {f"{a} < {b}": self.is_better(a, b) for a in ones for b in others}

    def unbeaten(self, ones, others):
        return {f"{a} against {b}": not self.is_better(b, a) for a in ones for b in others}

    def better_with_logs(self):
        """Ask whether methods are better on logarithms, where there are any."""
        answers = {}
        for name in self.error.index[self.error.index.str.endswith(LOGS)]:
            raw = name.removesuffix(LOGS)
            errors = self.results.means_together((name, raw)).iloc[0]
            answers[f"{name} {errors[name]:.3f}, raw {errors[raw]:.3f}"] = self.is_better(name, raw)
        return answers

    def share(self, method):
        return self.count[method] / self.n_features

    def overlapping(self, methods):
        """Ask for each pair whether it is equal within noise, by the folds of the first split."""
        records = self.results.records
        first = records[records.repeat == 0].groupby("method").error
        means, errors = first.mean(), first.agg(standard_error)
        return {
            f"{a} = {b}": bool(abs(means[a] - means[b]) <= N_NOISE * np.hypot(errors[a], errors[b]))
            for a, b in combinations(methods, 2)
        }

    def describe_peers(self):
        """Name what a user would pick: errors, and features where they are chosen."""
        peers = self.error[self.results.peers].sort_values()
        text = ", ".join(
            f"{name} {error:.3f} ({self.count[name]:.0f})" for name, error in peers.items()
        )
        ours = ", ".join(
            f"{name} {self.error[name]:.3f} ({self.count[name]:.0f})"
            for name in ("NDC", NDC_S, "overlapping CV")
        )
        return f"error (features): {text}; ours: {ours}"


def on_breast_and_colon(ask):
    best, others = ("NDC", NDC_S, "Logistic"), ("SVM", "LDA", "KNN", "NC", "NSC")
    return [
        (
            "NDC, NDC-S and Logistic have the best performance.",
            "none of the other five is better than one of them",
            ask.unbeaten(best, others),
        ),
        (
            "NDC and NDC-S are significantly better than NC and NSC.",
            "each is better than each",
            ask.better(("NDC", NDC_S), ("NC", "NSC")),
        ),
        (
            "NDC-S has less than 3 % error with less than half of the features.",
            "error; features",
            {
                f"{NDC_S} {ask.error[NDC_S]:.3f}": ask.error[NDC_S] < SMALL_ERROR,
                f"{ask.count[NDC_S]:.0f} features": ask.share(NDC_S) < 0.5,
            },
        ),
        (
            "NDC-S errs less than NSC with about as many features.",
            f"it is better, with at most {AS_MANY} times as many features",
            {
                f"{NDC_S} < NSC": ask.is_better(NDC_S, "NSC"),
                f"{ask.count[NDC_S]:.0f} against {ask.count['NSC']:.0f} features": ask.count[NDC_S]
                <= AS_MANY * ask.count["NSC"],
            },
        ),
    ]


def on_leukemia(ask):
    low, high = ("NDC", NDC_S, "NC", "NSC", "LDA"), ("KNN", "Logistic")
    named = {name: f"{name} {ask.error[name]:.3f}" for name in low + high}
    in_both = {
        name
        for name in ("NDC", NDC_S, *RIVALS)
        if ask.error[name] < LOW_ERROR and ask.share(name) <= FEW
    }
    return [
        (
            "NDC, NDC-S, NC, NSC and LDA have less than 6 % error, KNN and Logistic more.",
            f"below {LOW_ERROR} for the five, above for the two",
            {named[name]: ask.error[name] < LOW_ERROR for name in low}
            | {named[name]: ask.error[name] > LOW_ERROR for name in high},
        ),
        (
            "NDC-S is as good as NSC with about 3 % of the features.",
            f"NSC is not better; NDC-S keeps at most {100 * FEW:.0f} % of the features",
            ask.unbeaten([NDC_S], ["NSC"])
            | {f"{ask.count[NDC_S]:.0f} features": ask.share(NDC_S) <= FEW},
        ),
        (
            "NDC-S has a smaller error and fewer features than LDA and SVM.",
            "it is better than both, with fewer features than SVM (our LDA does not select)",
            ask.better([NDC_S], ["LDA", "SVM"])
            | {
                f"{ask.count[NDC_S]:.0f} against {ask.count['SVM']:.0f} features": ask.count[NDC_S]
                < ask.count["SVM"]
            },
        ),
        (
            "Only NDC-S is good both in classification and in feature selection.",
            f"of the eight methods only NDC-S has an error below {LOW_ERROR} with at most "
            f"{100 * FEW:.0f} % of the features (found: {', '.join(sorted(in_both)) or 'none'})",
            {"only NDC-S": in_both == {NDC_S}},
        ),
    ]


def on_breast(ask):
    eight = ("NDC", NDC_S, *RIVALS)
    errors = ask.results.means_together(eight).iloc[0]
    lowest = errors.idxmin()
    return [
        (
            "LDA achieves the smallest error, followed closely by NDC-S.",
            f"LDA has the lowest error of the eight; NDC-S is at most {CLOSELY} above the lowest",
            {
                f"lowest: {lowest} {errors[lowest]:.3f}": lowest == "LDA",
                f"{NDC_S} {errors[NDC_S]:.3f}": errors[NDC_S] <= errors[lowest] + CLOSELY,
            },
        ),
        (
            "The differences between most methods are not that significant.",
            "in the first split pairs are within two standard errors over the folds",
            ask.overlapping(("NDC", "NDC-S", *RIVALS)),
        ),
        (
            "NDC-S and Logistic select around 1 % of the features.",
            f"at most {100 * VERY_FEW:.0f} %",
            {
                f"{name} {ask.count[name]:.0f} features": ask.share(name) <= VERY_FEW
                for name in (NDC_S, "Logistic")
            },
        ),
        (
            "NDC-S achieves the smallest error.",
            "none of the other seven is better",
            ask.unbeaten([NDC_S], [name for name in eight if name != NDC_S]),
        ),
    ]


def on_every_set(ask):
    asked = [
        (
            "(Section 7.4:) NDC-S might be a better default than NDC on real-world data.",
            "its error is no higher than that of NDC",
            {
                f"{NDC_S} {ask.error[NDC_S]:.3f}, NDC {ask.error['NDC']:.3f}": ask.error[NDC_S]
                <= ask.error["NDC"]
            },
        ),
        (
            "(Not in the paper:) on genes NDC-S is better than GaussianNB.",
            "it is better on raw values",
            ask.better([NDC_S], ["GaussianNB"]),
        ),
    ]
    if answers := ask.better_with_logs():
        asked.append(
            (
                "(Not in the paper:) z-scores of logarithms are better than raw values.",
                "each method is better than itself on raw values",
                answers,
            )
        )
    return asked


BY_TABLE = {"6": on_breast_and_colon, "8": on_leukemia, "10": on_breast}
