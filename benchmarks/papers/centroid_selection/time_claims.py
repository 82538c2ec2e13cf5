"""How the paper's sentences on run times are put to the numbers.

See `claims` for what makes a sentence hold.
"""

import numpy as np

from .claims import judged
from .peer import PEER
from .printed import FEATURES_OF_GLIOMA, SECONDS

__all__ = ["claims_of_times"]

FIGURE = "Table 1"
MUCH = 2  # times as fast is much faster
N_OF = {"ALLAML": 7129, "GLIOMA": 4434}  # features


def claims_of_times(table):
    """Judge every sentence on run times, and some of our own."""
    seconds = table.pivot(index="problem", columns="method", values="cpu_seconds")
    objectives = table.pivot(index="problem", columns="method", values="objective")
    peer = table[table.method == PEER].set_index("problem")
    instead = describe_instead(seconds, peer)
    return [
        faster_than(seconds, "RFS", 1, "Ours takes less time than RFS.", instead),
        *(
            faster_than(seconds, name, MUCH, f"Ours is much faster than SLCE ({how}).", instead)
            for name, how in (("SLCE, two steps", "two steps"), ("SLCE, alternating", "to the end"))
        ),
        claim_orders_of_magnitude(table, instead),
        claim_suboptimal(objectives, instead),
        claim_size_of_glioma(),
        *claims_of_peer(table, peer),
    ]


def faster_than(seconds, other, factor, text, instead):
    ratios = seconds[other] / seconds["Ours"]
    answers = {f"{name} {ratio:.2g} times": ratio > factor for name, ratio in ratios.items()}
    question = f"{other} takes more than {factor} times as long, both to a millionth"
    return judged(FIGURE, text, question, answers, instead)


def claim_orders_of_magnitude(table, instead):
    ours = table.dropna(subset="paper_seconds")
    ratios = ours.paper_seconds / ours.cpu_seconds
    names = ours.problem + ", " + ours.method
    answers = {f"{n} {r:.0f} times": r > 10 for n, r in zip(names, ratios, strict=True)}
    text = "(Not in the paper:) the same selections take less than a tenth of the printed times."
    question = f"printed is {ratios.min():.0f} to {ratios.max():.0f} times ours; other machine"
    return judged(FIGURE, text, question, answers, instead)


def claim_suboptimal(objectives, instead):
    ratios = objectives["SLCE, two steps"] / objectives["SLCE, alternating"]
    answers = {f"{name} {ratio:.2f}": ratio > 1.01 for name, ratio in ratios.items()}
    lowest, highest = ratios.min(), ratios.max()
    question = (
        "the objective after two steps is more than 1 % above that of the alternation "
        f"({lowest:.2f} to {highest:.2f} times)"
    )
    return judged(
        FIGURE,
        "SLCE is not convex and may end in suboptimal solutions (Ghosh et al. take two steps).",
        question,
        answers,
        instead,
    )


def claim_size_of_glioma():
    """Ask whether the printed times grow with the printed number of features."""
    answers, texts = {}, []
    for method in ("RFS", "Ours"):
        growth = np.log(SECONDS["ALLAML"][method] / SECONDS["GLIOMA"][method])
        stated = growth / np.log(N_OF["ALLAML"] / FEATURES_OF_GLIOMA)
        found = growth / np.log(N_OF["ALLAML"] / N_OF["GLIOMA"])
        answers[f"{method}: exponent {stated:.1f}"] = stated > 0
        texts.append(f"{method} {found:.2f}")
    question = (
        "printed times grow with the number of features; with the 4434 of the file their "
        f"exponents are {', '.join(texts)}"
    )
    text = f"GLIOMA has {FEATURES_OF_GLIOMA} features."
    return judged(FIGURE, text, question, answers, "the file of the collection has 4434")


def claims_of_peer(table, peer):
    """Compare skfeature's RFS with ours, if it ran."""
    ran = peer.dropna(subset="cpu_seconds")
    if ran.empty:
        return []
    ours = table[table.method == "RFS"].set_index("problem").loc[ran.index]
    ratios = ran.cpu_seconds / ours.cpu_seconds
    answers = {f"{name} {ratio:.0f} times": ratio > 10 for name, ratio in ratios.items()} | {
        f"{name} {high:.1e} above": high > 1e-6 for name, high in ran.above_optimum.dropna().items()
    }
    question = (
        "it takes more than 10 times as long as ours, and its last objective is above "
        f"the certified optimum: {describe_ends(ran)}"
    )
    text = "(Not in the paper:) skfeature's RFS is slower, and higher when it ends or is stopped."
    return [judged(FIGURE, text, question, answers, describe_instead(None, peer))]


def describe_ends(ran):
    return "; ".join(f"{name} {row.outcome}" for name, row in ran.iterrows())


def describe_instead(seconds, peer):
    """Say how long the usual tools take."""
    parts = []
    for name in ("f_classif", "L1 logistic") if seconds is not None else ():
        times = ", ".join(f"{problem} {s:.3f} s" for problem, s in seconds[name].items())
        parts.append(f"{name}: {times}")
    ends = (
        f"{name} {row.outcome}"
        + ("" if np.isnan(row.cpu_seconds) else f", {row.cpu_seconds:.0f} s of processor")
        for name, row in peer.iterrows()
    )
    return "; ".join([*parts, f"{PEER}: {', '.join(ends)}"])
