"""How the paper's sentences on the simulations are put to the numbers.

Every sentence becomes a question that is asked in each of several cases, such as cells or pairs of
methods. It *holds* if the answer is yes in all of them, *holds mostly* in at least half of them,
and else *does not hold*. Better means by more than two standard errors (see `results`). The same
questions are put to the printed numbers, where lower is better: a sentence that the paper's own
numbers do not bear out is no news of ours. The questions and their bounds were fixed before the
measurements; the bounds come from what is printed.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from .._output import Claim, verdict
from .printed import ERRORS, RIVALS, SELECTED
from .results import Printed

__all__ = ["N_RELEVANT", "claims_of_table", "describe_cases"]

OURS = ("NDC", "NDC-S")
LINEAR = ("NC", "NSC", "LDA", "Logistic")
NEXT_BEST = ("SVM", "KNN")
SIMILAR = 0.01  # span of errors that are "extremely similar"
CHANCE, NEAR_CHANCE = 0.75, 0.025
MINIMAL = 0.02  # rise of an error that is "minimally affected"
N_RELEVANT, CLOSE_TO = 20, 4  # features
BAYES_WINS = ("GaussianNB", "NDC")
N_SHOWN = 6  # cases that are named where a sentence fails


class Sentence(NamedTuple):
    """What the paper says, the question it becomes, and `ask(of)` -> a yes or no in each case.

    `of(number)` returns the results of a table, measured or printed.
    """

    text: str
    question: str
    ask: Callable
    is_printed: bool = True


def better_than_each(number, ones, others):
    """Ask whether each of `ones` is better than each of `others`."""

    def ask(of):
        return cases({f"{a} < {b}": of(number).better(a, b) for a in ones for b in others})

    return ask


def better_than_all(number, ones, others):
    """Ask whether each of `ones` is better than all of `others` together."""

    def ask(of):
        answers = {a: [of(number).better(a, b) for b in others] for a in ones}
        return cases({a: pd.concat(found, axis=1).all(axis=1) for a, found in answers.items()})

    return ask


def similar(number, methods):
    def ask(of):
        return cases({"": np.ptp(of(number).means_together(methods), axis=1) <= SIMILAR})

    return ask


def hardly_above(number, one, other):
    def ask(of):
        means = of(number).means_together((one, other))
        return cases({"": means[one] - means[other] <= SIMILAR})

    return ask


def near_chance(number, methods):
    def ask(of):
        means = of(number).means
        return cases({name: (means[name] - CHANCE).abs() <= NEAR_CHANCE for name in methods})

    return ask


def falls_along_the_grid(number, methods):
    """Ask whether the error falls to the next cell in both directions."""

    def ask(of):
        means = of(number).means
        along_values = means.groupby("row", sort=False).diff().dropna()
        along_rows = means.groupby("value", sort=False).diff().dropna()
        steps = pd.concat({"by strength": along_values, "by size": along_rows})
        return cases({name: steps[name] < 0 for name in methods})

    return ask


def lower_with_variances(methods, sign):
    """Ask whether errors of table 3 are lower (sign 1) or higher (-1) than those of table 1."""

    def ask(of):
        with_both = of(3).means[list(methods)]
        change = of(1).means[list(methods)].to_numpy() - with_both  # cells in the same order
        return cases({name: sign * change[name] > 0 for name in methods})

    return ask


def rises_of_table_4(without, with_noise):
    """Return by how much errors are higher than in table 3 without the irrelevant features."""
    values = with_noise.index.get_level_values("value")
    return with_noise - without.loc["d=5"].loc[values].to_numpy()


def minimally_affected(methods):
    def ask(of):
        rises = rises_of_table_4(*(of(number).means[list(methods)] for number in (3, 4)))
        return cases({name: rises[name] <= MINIMAL for name in methods})

    return ask


def noticeably_affected(methods):
    """Ask whether errors rise at once, and from each number of irrelevant features to the next."""

    def ask(of):
        without, with_noise = (of(number).means[list(methods)] for number in (3, 4))
        rises = rises_of_table_4(without, with_noise)
        steps = with_noise.groupby("value", sort=False).diff().dropna()
        found = {f"{name} rises": rises[name] > MINIMAL for name in methods}
        return cases(found | {f"{name} further": steps[name] > 0 for name in methods})

    return ask


def rises_less(one, other):
    def ask(of):
        rises = rises_of_table_4(*(of(number).means_together((one, other)) for number in (3, 4)))
        return cases({"": rises[one] < rises[other]})

    return ask


def selects_close_to_relevant(of):
    counts = of(4).counts["NDC-S"]
    return cases({"": (counts - N_RELEVANT).abs()[is_strong(counts)] <= CLOSE_TO})


def selects_closest_to_relevant(of):
    away = (of(4).counts[["NDC-S", "NSC", "Logistic"]] - N_RELEVANT).abs()
    return cases({"": away["NDC-S"] == away.min(axis=1)})


def is_strong(table):
    return table.index.get_level_values("value").isin(["c=0.6", "c=0.9"])


def cases(answers):
    """Join {name: yes or no by cell} into one, named "NDC, d=3, b=0.3"."""
    joined = pd.concat(answers)
    joined.index = [", ".join(filter(None, map(str, place))) for place in joined.index]
    return joined


SENTENCES = {
    1: (
        Sentence(
            "NC, NSC, LDA and Logistic have extremely similar errors.",
            f"the four errors lie within {SIMILAR}",
            similar(1, LINEAR),
        ),
        Sentence(
            "They have the smallest errors, followed by SVM and KNN.",
            "NC is better than SVM and KNN",
            better_than_each(1, ["NC"], NEXT_BEST),
        ),
        Sentence(
            "NDC and NDC-S have significantly larger errors than all others.",
            "SVM and KNN are better than NDC and NDC-S",
            better_than_each(1, NEXT_BEST, OURS),
        ),
        Sentence(
            "As d and a increase, the errors decrease.",
            "the error of each of the eight methods is lower in the next cell",
            falls_along_the_grid(1, OURS + RIVALS),
        ),
        Sentence(
            "(Section 2:) centroids can have a common set of features where disjoint groups fail.",
            "NDC with shared features, none, half or all by CV, is better than NDC",
            better_than_each(1, ["NDC, shared by CV"], ["NDC"]),
            is_printed=False,
        ),
        Sentence(
            "(Not in the paper:) with shared features nothing is lost against NC.",
            f"its error is at most {SIMILAR} above that of NC",
            hardly_above(1, "NDC, shared by CV", "NC"),
            is_printed=False,
        ),
    ),
    2: (
        Sentence(
            "NC, NSC, LDA and Logistic have errors around 0.75 in all cases.",
            f"each lies within {NEAR_CHANCE} of {CHANCE}",
            near_chance(2, LINEAR),
        ),
        Sentence(
            "SVM and KNN perform slightly better.",
            "SVM and KNN are better than NC",
            better_than_each(2, NEXT_BEST, ["NC"]),
        ),
        Sentence(
            "NDC and NDC-S clearly outperform all others.",
            "each is better than all six rivals",
            better_than_all(2, OURS, RIVALS),
        ),
    ),
    3: (
        Sentence(
            "NDC and NDC-S clearly have the best performance.",
            "each is better than all six rivals",
            better_than_all(3, OURS, RIVALS),
        ),
        Sentence(
            "SVM and KNN follow; NC, NSC, LDA and Logistic are the worst.",
            "SVM and KNN are better than each of the four",
            better_than_each(3, NEXT_BEST, LINEAR),
        ),
        Sentence(
            "Compared with table 1, different variances help NDC and NDC-S.",
            "the mean error is lower than in table 1",
            lower_with_variances(OURS, 1),
        ),
        Sentence(
            "Compared with table 1, the errors of all other methods increase.",
            "the mean error is higher than in table 1",
            lower_with_variances(RIVALS, -1),
        ),
    ),
    4: (
        Sentence(
            "NDC-S, NC, NSC, LDA and Logistic are only minimally affected by irrelevant features.",
            f"the error is at most {MINIMAL} above that of table 3 for d = 5",
            minimally_affected(("NDC-S", *LINEAR)),
        ),
        Sentence(
            "NDC, KNN and SVM are noticeably affected, the more the larger r is.",
            f"the error is more than {MINIMAL} above that of table 3 for d = 5, and higher than "
            "for the next smaller r",
            noticeably_affected(("NDC", "KNN", "SVM")),
        ),
        Sentence(
            "NDC-S is much more robust to irrelevant features than NDC.",
            "the error rises less above that of table 3",
            rises_less("NDC-S", "NDC"),
        ),
        Sentence(
            "(Table 5:) for c = 0.6 and 0.9 NDC-S always selects close to 20 features.",
            f"the mean number is within {CLOSE_TO} of {N_RELEVANT}",
            selects_close_to_relevant,
        ),
        Sentence(
            "(Table 5:) in general NDC-S selects best.",
            f"its mean number is nearest to {N_RELEVANT} of NDC-S, NSC and Logistic (our LDA does "
            "not select)",
            selects_closest_to_relevant,
        ),
        Sentence(
            "(Section 9:) a logistic regression on the distances could be fitted.",
            "NDC with calibration='logistic' is better than NDC",
            better_than_each(4, ["NDC, logistic"], ["NDC"]),
            is_printed=False,
        ),
    ),
}


def claims_of_table(number, measured_of):
    """Judge every sentence on a table; `measured_of(number)` returns what was measured."""
    results = measured_of(number)
    return [
        Claim(
            f"Table {number}",
            sentence.text,
            describe(sentence, sentence.ask(measured_of)),
            describe_peers(results),
            verdict(sentence.ask(measured_of).mean()),
        )
        for sentence in SENTENCES[number]
    ]


def printed_of(number):
    return Printed(ERRORS[number], SELECTED)


def describe(sentence, answers):
    text = f"{sentence.question}: {describe_cases(answers)}"
    if sentence.is_printed:
        printed = sentence.ask(printed_of)
        text += f". By the printed numbers: in {printed.sum()} of {len(printed)}"
    return text


def describe_cases(answers):
    """Write 'in 16 of 18 cases, not in a; b'."""
    failed = list(answers.index[~answers])
    text = f"in {answers.sum()} of {len(answers)} cases"
    if not failed:
        return text
    shown = "; ".join(failed[:N_SHOWN])
    more = len(failed) - N_SHOWN
    return f"{text}, not in {shown}" + (f" and {more} more" if more > 0 else "")


def describe_peers(results):
    """Hold what a user would pick against NDC and NDC-S, on average and cell by cell."""
    means = results.means.mean().sort_values()
    peers = ", ".join(f"{name} {means[name]:.3f}" for name in means.index if name in results.peers)
    wins, losses = (results.better(*pair).sum() for pair in (BAYES_WINS, BAYES_WINS[::-1]))
    return (
        f"mean error over the {len(results.means)} cells: {peers}; ours: NDC {means['NDC']:.3f}, "
        f"NDC-S {means['NDC-S']:.3f}; GaussianNB is better than NDC in {wins} cells, worse in "
        f"{losses}"
    )
