"""How the thesis's sentences are put to the numbers.

A method is better than another where its lead on the same test points is more than two standard
errors (see `results`), worse where it trails by as much, and else equal within noise. A sentence
that orders methods *holds* if all its neighbours come out as it says, *holds mostly* if at least
half of them do; else they are *equal within noise* if none comes out the other way round, and if
one does the sentence *does not hold*. What a user would pick instead is the best of the peers on
these very points, which favours it a little.
"""

import pandas as pd

from .._output import Claim, verdict

__all__ = ["claims_of"]

CLEARLY_FASTER = 2


def claims_of(table, results):
    """Judge every sentence that goes with a table."""
    orderings = [claim_ordering(table, results, ordering) for ordering in table.orderings]
    return orderings + [claim_speed(table, results, speed) for speed in table.speeds]


def claim_ordering(table, results, ordering):
    by_rule = {rule: judged(results, ordering, rule) for rule in ordering.rules}
    texts = {rule: text for rule, (text, _) in by_rule.items()}
    verdicts = {rule: word for rule, (_, word) in by_rule.items()}
    return Claim(
        table.figure,
        ordering.text,
        by_rules(texts),
        "; ".join(instead(table, results, problem.name) for problem in ordering.problems),
        by_rules(verdicts),
    )


def by_rules(texts):
    """Name the rules unless all of them say the same."""
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return ". ".join(f"By the {rule} rule: {text}" for rule, text in texts.items())


def judged(results, ordering, rule):
    """Return the chains as found, and what that says of the ordering."""
    texts, signs = [], []
    for problem in ordering.problems:
        text, head = "", None
        for chain in ordering.chains:
            found = [
                results.lead(problem.name, one, other, rule).sign
                for one, other in zip(chain[:-1], chain[1:], strict=True)
            ]
            scored = [f"{name} {results.score(problem.name, name, rule):.1f}" for name in chain]
            links = " ".join(f"{s} {t}" for s, t in zip(found, scored[1:], strict=True))
            text += f", {links}" if chain[0] == head else f"; {scored[0]} {links}"
            signs, head = signs + found, chain[0]
        texts.append(f"{problem.name}: {text.removeprefix('; ')}")
    return ". ".join(texts), judge(signs, ordering.expects)


def judge(signs, expects):
    """Put the signs into words; see the head of this module."""
    share = sum(sign in expects for sign in signs) / len(signs)
    if share < 0.5 and expects == ">" and "<" not in signs:
        return "equal within noise"
    return verdict(share)


def instead(table, results, problem):
    """Hold the best peer against the champion, by its fair threshold."""
    peers = results.methods(problem, "instead")
    best = max(peers, key=lambda peer: results.score(problem, peer))
    lead = results.lead(problem, best, table.champion, "inclusive")
    word = {">": "better than", "=": "equal to", "<": "worse than"}[lead.sign]
    return (
        f"{problem}: {best} {results.score(problem, best):.1f}, {word} {table.champion} "
        f"({lead.mean:+.1f} ±{lead.error:.1f})"
    )


def claim_speed(table, results, speed):
    """Judge a sentence on run times; faster means by a factor of two on each problem."""
    seconds = pd.DataFrame(
        {
            method: {p.name: results.seconds(p.name, method) for p in table.problems}
            for method in (speed.champion, *speed.others, speed.peer)
        }
    )
    ratios = seconds[list(speed.others)].div(seconds[speed.champion], axis=0)
    times = ", ".join(f"{other} {span(ratios[other])} times" for other in speed.others)
    return Claim(
        table.figure,
        speed.text,
        f"{speed.champion} takes {span(seconds[speed.champion])} s; {times} as long",
        f"{speed.peer}: {span(seconds[speed.peer])} s",
        verdict((ratios > CLEARLY_FASTER).to_numpy().mean()),
    )


def span(values):
    return f"{values.min():.2g} to {values.max():.2g}"
