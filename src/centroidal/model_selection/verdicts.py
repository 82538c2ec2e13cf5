"""Can the number be believed? A short list of verdicts on a selection, by rules that are few.

The rules are told in docs/user_guide/believe.rst; command line, JSON and report show these verdicts
and no others.
"""

from typing import NamedTuple

from .permutation import UNLIKELY, number_text

FINE, CAUTION, NO = "fine", "caution", "no"
_FEW_FALSE, _MANY_FALSE = 0.1, 0.5  # share of the selected features that may be luck
_WORTH_IT = 0.02  # what half as many samples again must add to the score to be worth having


class Verdict(NamedTuple):
    """A question about a selection, and what was found."""

    question: str
    verdict: str  # "fine", "caution" or "no"
    reason: str


def judge(selection):
    """Return a verdict on each question that there is something to say about."""
    found = (
        rule(selection) for rule in (_chance, _luck, _guess, _sources, _blocks, _covariates, _more)
    )
    return tuple(each for each in found if each is not None)


def sum_up(verdicts):
    """Say in a line how many are fine, and name the others."""
    n_fine = sum(each.verdict == FINE for each in verdicts)
    others = {
        word: " ".join(each.question for each in verdicts if each.verdict == word)
        for word in (CAUTION, NO)
    }
    words = [f"{n_fine} of {len(verdicts)} answers are fine."]
    words += [f"{word.capitalize()}: {named}" for word, named in others.items() if named]
    return " ".join(words)


def _chance(selection):
    """Say whether the score could come from chance."""
    question, test = "Is the score more than chance?", selection.permutations
    if test is None:
        return Verdict(question, CAUTION, "No labels were permuted, so nobody knows.")
    verdict, words = NO, test.summary(score=selection.score_words(test.score))
    if test.p_value <= UNLIKELY:
        verdict = FINE
    elif 1.0 / (test.n_permutations + 1) > UNLIKELY:
        verdict, words = CAUTION, f"{words} So few cannot rule out chance."
    return Verdict(question, verdict, words)


def _luck(selection):
    """Say whether some of the features could be luck."""
    test = selection.permutations
    if test is None:
        return None
    n_false, n_selected = test.false_discoveries(selection.selected), selection.n_features_to_select
    share = n_false / n_selected
    verdict = FINE if share <= _FEW_FALSE else CAUTION if share <= _MANY_FALSE else NO
    words = f"Of {n_selected:,} features at most {number_text(n_false)} are expected to be luck."
    return Verdict("Are the features more than luck?", verdict, words)


def _guess(selection):
    """Say whether the interval leaves room for a guess by the sizes of the classes."""
    low, majority = selection.interval[0], selection.majority_score
    verdict = FINE if low > majority else CAUTION
    words = f"{selection.reference} scores {selection.score_words(majority)}"
    words = f"{selection.score_words(selection.score)}, {selection.interval_words()}; {words}."
    return Verdict("Is it better than a guess?", verdict, words)


def _sources(selection):
    """Say whether samples, or a feature, look like what makes a score too good."""
    question = "Are test samples really new?"
    if selection.is_streamed:
        return Verdict(question, CAUTION, "Samples in batches were not looked at.")
    if not selection.suspicions:
        by = "samples" if selection.n_groups is None else f"{selection.n_groups:,} groups"
        return Verdict(question, FINE, f"No copies among the {by}, nothing that gives it away.")
    verdict = NO if selection.repeat_summary() else CAUTION
    return Verdict(question, verdict, " ".join(each["sentence"] for each in selection.suspicions))


def _blocks(selection):
    """Say whether the score holds in another batch or site."""
    if selection.blocks is None:
        return None
    verdict = NO if selection.is_confounded else FINE
    if verdict == FINE and not selection.blocks["score"] >= selection.interval[0]:
        verdict = CAUTION
    return Verdict("Does it hold in another block?", verdict, selection.block_summary())


def _covariates(selection):
    """Say whether covariates explain the score."""
    if selection.covariates is None:
        return None
    low, alone = selection.interval[0], selection.covariates["score"]
    verdict = FINE if selection.covariates["adjusted_score"] >= low else CAUTION
    if alone >= low and alone > selection.majority_score:  # else they tell nothing themselves
        verdict = NO
    return Verdict("Is it more than the covariates?", verdict, selection.covariate_summary())


def _more(selection):
    """Say whether more samples would help."""
    curve, question = selection.learning_curve, "Are there enough samples?"
    if curve is None:
        return None
    if curve.law is None:
        return Verdict(question, CAUTION, curve.summary())
    expected, _, _ = curve.extrapolate(curve.n_with_more)
    verdict = CAUTION if expected - curve.means[-1] >= _WORTH_IT else FINE
    return Verdict(question, verdict, curve.summary())
