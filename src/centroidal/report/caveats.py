"""What to mind, in plain words, chosen by the facts."""

import numpy as np

from ._text import class_labels, count, score

__all__ = ["STABLE", "UNSTABLE", "caveat_section", "folds_words"]

STABLE, UNSTABLE = 0.75, 0.4  # the index above which a list is stable, below which it is not
_FEW, _VERY_FEW = 30, 10  # samples of a class
_UNBALANCED = 3  # times as many samples in the largest class as in the smallest


def caveat_section(selection, comparison):
    """Return what to mind, as pairs of a few words and a sentence."""
    return [
        *_about_classes(selection if selection is not None else comparison),
        *([] if selection is None else _about_selection(selection)),
        *([] if comparison is None else [_BEST_OF_SEVERAL]),
        _BEFORE,
    ]


def folds_words(selection):
    """Write how the samples were cut."""
    folds, repeats = count(selection.n_folds, "fold"), selection.n_repeats
    return folds if repeats == 1 else f"{folds}, {count(repeats, 'time')}"


_BEST_OF_SEVERAL = (
    "The best of several.",
    "The score of each classifier is honest. That of the best is slightly too good, because it was "
    "picked by these scores.",
)
_BEFORE = (
    "What was done before.",
    "If features were selected, batches corrected or values imputed with all samples at hand "
    "before this, or if several rows belong to the same individual, the scores are too good. All "
    "samples come from one table; those of another laboratory may do worse.",
)
_STAND_INS = (
    "Stand-ins.",
    "Features that are correlated stand in for each other. One that is not on the list may say the "
    "same as one that is, and to be on the list is no sign of a cause.",
)
_DRAWN_ONCE = (
    "Folds that were drawn once.",
    "The samples were read in batches, so the folds were drawn once. Another draw would give a "
    "slightly different score.",
)
_AT_RANDOM = (
    "Not above random features.",
    "As many features drawn by lot do as well, within two standard errors.",
)


def _about_classes(found):
    """Warn of few samples, and of classes of unequal size."""
    counts = getattr(found, "class_counts", None)
    if counts is None:
        counts = np.bincount(found.target, minlength=len(found.classes))
    least, most = int(np.argmin(counts)), int(np.argmax(counts))
    labels = class_labels(found.classes, 60)
    if counts[least] < _FEW:
        yield (
            "Very few samples." if counts[least] < _VERY_FEW else "Few samples.",
            f"The smallest class, {labels[least]}, has {count(counts[least], 'sample')}. A handful "
            "of other samples could change the result; the standard errors show only a part of "
            "this.",
        )
    if counts[most] >= _UNBALANCED * counts[least]:
        yield (
            "Unbalanced classes.",
            f"There are {count(counts[most])} samples of {labels[most]} and "
            f"{count(counts[least])} of {labels[least]}. Accuracy can be high while small classes "
            "are missed: look at the recall of each class.",
        )


def _about_selection(selection):
    if selection.beats_random:
        reached = score(selection.random_score, selection.scoring)
        yield (
            "Random features.",
            f"As many features drawn by lot reach {reached}. What counts is the lead over them, "
            "not the score alone.",
        )
    else:
        yield _AT_RANDOM
    yield (
        "Nested cross-validation.",
        "Ranking, number of features and every other hyperparameter were learned from the training "
        f"part of each outer fold ({folds_words(selection)}), by inner folds of it; the score is "
        "that of the held-out samples. It is the score of the procedure: the final list was made "
        "from all samples and cannot be tested on them.",
    )
    if selection.is_streamed:
        yield _DRAWN_ONCE
    if selection.impute is not None:
        yield (
            "Missing values.",
            f"They were filled in by the {selection.impute.replace('_', ' ')} value of the "
            "feature, as learned from the training part of each outer fold alone.",
        )
    stability = selection.stability
    if stability is not None and stability.stability_ < UNSTABLE:
        yield (
            "The list is unstable.",
            f"The stability index is {stability.stability_:.2f}, below {UNSTABLE}. Do not read "
            "meaning into a single name on it.",
        )
    yield _STAND_INS
