"""How the paper's sentences on figure 4 are put to the accuracies.

Better means by more than two standard errors of the differences by fold (see `results`), of the
mean accuracy over 20 to 100 features unless a number of features is named. Sentences on the
paper's own four methods are put to both classifiers. The bounds around printed accuracies are
wide: two points, as figure 4 has no table. That a method is not better says that it was not seen
to be on so few folds, not that they are equal.
"""

from .claims import judged
from .methods import NEURAL, PEERS, RANDOM
from .results import LOGISTIC, NETWORK

__all__ = ["FROM_20", "claims_of_accuracy"]

FROM_20 = [20, 40, 60, 80, 100]
OF_NETWORK = [20, 60, 100]
SIZES_OF = {LOGISTIC: FROM_20, NETWORK: OF_NETWORK}
SHORT = {LOGISTIC: "logistic", NETWORK: "network"}
ABOUT = 0.02  # what "approximately" allows
ENCODERS = tuple(method.name for method in NEURAL)
OF_PAPER = ("Ours", "RFS", "SLCE", "Relief", *ENCODERS)
STABLE = 0.5  # share of the first 20 features that stable selections have in common


def claims_of_accuracy(problem, results):
    """Judge the sentences on one set, and some of our own."""
    ask = Questions(f"Figure 4, {problem}", results)
    asked = [*on_every_set(ask)]
    if set(ENCODERS) <= set(results.methods):
        asked = [*BY_SET[problem](ask), ask.rsce_over_both(), *asked]
    return [judged(ask.figure, *question, ask.describe_peers()) for question in asked]


class Questions:
    """What sentences are asked about, on one set."""

    def __init__(self, figure, results):
        self.figure, self.results = figure, results

    def better(self, one, others, sizes=None):
        """Ask with both classifiers whether a method is better than each of others."""
        leads = {
            f"{SHORT[classifier]}, over {other}": self.results.lead(
                one, other, sizes or SIZES_OF[classifier], classifier
            )
            for classifier in SIZES_OF
            for other in others
        }
        return {f"{case} {lead}": lead.is_better for case, lead in leads.items()}

    def better_than_random(self, methods, size):
        """Ask with logistic regression whether methods are better than random features."""
        leads = {name: self.results.lead(name, RANDOM, [size]) for name in methods}
        return {f"{name} {lead}": lead.is_better for name, lead in leads.items()}

    def unbeaten(self, one, others):
        """Ask with logistic regression whether no other method is better."""
        leads = {other: self.results.lead(other, one, FROM_20) for other in others}
        return {f"{other} ahead by {lead}": not lead.is_better for other, lead in leads.items()}

    def accuracy_at(self, methods, sizes, low, high=1.0):
        """Ask with both classifiers whether accuracies lie in a range."""
        answers = {}
        for classifier in SIZES_OF:
            for method in methods:
                for size in sizes:
                    found = self.results.mean(method, [size], classifier)
                    case = f"{SHORT[classifier]}, {method} at {size}: {found:.3f}"
                    answers[case] = low <= found <= high
        return answers

    def rsce_over_both(self):
        return (
            "RSCE is significantly more accurate than SCE and than Relief.",
            "RSCE is better, over 20 to 100 features",
            self.better("RSCE", ("SCE", "Relief")),
        )

    def describe_peers(self):
        """Name what a user would pick: mean accuracies on the folds that all methods ran on."""
        means = self.results.by_fold(FROM_20).dropna().mean().to_dict()
        ordered = sorted((*PEERS, RANDOM), key=means.get, reverse=True)
        peers = ", ".join(f"{name} {means[name]:.3f}" for name in ordered)
        shown = [name for name in ("Ours", "RFS", "RSCE", "SCE") if name in means]
        ours = ", ".join(f"{name} {means[name]:.3f}" for name in shown)
        return f"logistic, mean over 20 to 100 on shared folds: {peers}; of the paper: {ours}"


def on_allaml(ask):
    return [
        (
            "With 20 features RSCE achieves approximately 95 %, and stays there.",
            f"at least 95 % less {100 * ABOUT:.0f} %, at 20, 60 and 100 features",
            ask.accuracy_at(["RSCE"], OF_NETWORK, 0.95 - ABOUT),
        ),
        (
            "RSCE is the best of the four.",
            "it is better than each, over 20 to 100 features",
            ask.better("RSCE", ("AO-SCE", "SCE", "Relief")),
        ),
        (
            "AO-SCE is the second best.",
            "it is better than SCE and Relief, over 20 to 100 features",
            ask.better("AO-SCE", ("SCE", "Relief")),
        ),
        (
            "AO-SCE fluctuates between 85 and 90 % after 20 features.",
            f"between 85 and 90 %, give or take {100 * ABOUT:.0f} %",
            ask.accuracy_at(["AO-SCE"], OF_NETWORK, 0.85 - ABOUT, 0.90 + ABOUT),
        ),
        (
            "Relief and SCE fluctuate between 70 and 80 %, struggling to improve.",
            f"between 70 and 80 %, give or take {100 * ABOUT:.0f} %",
            ask.accuracy_at(["Relief", "SCE"], OF_NETWORK, 0.70 - ABOUT, 0.80 + ABOUT),
        ),
    ]


def on_lung(ask):
    return [
        (
            "RSCE reaches approximately 90 % with 60 features.",
            f"at least 90 % less {100 * ABOUT:.0f} %",
            ask.accuracy_at(["RSCE"], [60], 0.90 - ABOUT),
        ),
        (
            "RSCE converges fastest of the four.",
            "at 20 features it is better than each",
            ask.better("RSCE", ("AO-SCE", "SCE", "Relief"), sizes=[20]),
        ),
        (
            "AO-SCE, SCE and Relief need nearly 100 features to approach 90 and 88 %.",
            "with 20 features they are still below 88 %",
            ask.accuracy_at(["AO-SCE", "SCE", "Relief"], [20], 0.0, 0.88),
        ),
    ]


def on_glioma(ask):
    return [
        (
            "(Section 3.3.1:) alternating is the more effective selection.",
            "AO-SCE is better than SCE, over 20 to 100 features",
            ask.better("AO-SCE", ("SCE",)),
        )
    ]


def on_every_set(ask):
    results = ask.results
    of_paper = [name for name in OF_PAPER if name in results.methods]
    overlaps = {name: results.overlap(name) for name in ("Ours", "f_classif", "L1 logistic")}
    return [
        (
            "(Abstract:) Ours preserves classification accuracy.",
            "none of RFS, SLCE and the peers is better than Ours, over 20 to 100 features",
            ask.unbeaten("Ours", ["RFS", "SLCE", *PEERS]),
        ),
        (
            "(Abstract:) Ours is stable.",
            f"two folds share at least {100 * STABLE:.0f} % of the first 20 features, and no fewer "
            "than with f_classif and L1 logistic",
            {f"{overlaps['Ours']:.2f} shared": overlaps["Ours"] >= STABLE}
            | {
                f"{name} {overlaps[name]:.2f}": overlaps["Ours"] >= overlaps[name]
                for name in ("f_classif", "L1 logistic")
            },
        ),
        (
            "(Not in the paper:) 20 features of each of the paper's methods beat 20 random ones.",
            "it is better than random features at 20 features",
            ask.better_than_random(of_paper, 20),
        ),
        (
            "(Not in the paper:) a user of scikit-learn loses nothing by another selection.",
            "none of the paper's methods is better than the best peer, over 20 to 100 features",
            best_peer_unbeaten(ask, of_paper),
        ),
    ]


def best_peer_unbeaten(ask, of_paper):
    """Hold each method against the best peer; that it is the best here favours it a little."""
    best = max(PEERS, key=lambda peer: ask.results.mean(peer, FROM_20))
    answers = ask.unbeaten(best, of_paper)
    return {f"{best}: {case}": answer for case, answer in answers.items()}


BY_SET = {"ALLAML": on_allaml, "GLIOMA": on_glioma, "lung": on_lung}
