"""Figures 1 and 2: choose features, then train a linear SVM on them.

Both of our rankings are shown on both sets. On the bag of words l1-SC has nothing to choose by:
the median of nearly every word is zero in both classes, so all those gains are zero and the
columns come in their own order.
"""

import numpy as np
from sklearn.svm import LinearSVC

from .._output import Claim, report_claims, verdict
from .claims import (
    describe_ratios,
    describe_standing,
    mean_scores,
    reached,
    seconds_over,
    shared_features,
    standing,
)
from .protocol import present, study_of

__all__ = ["fit_svm", "run_genes", "run_text"]

COMPARABLE = 10  # run times within this factor are called comparable
CLEARLY_SLOWER = 2
ORDERS_OF_MAGNITUDE = 100


def run_text(data, settings):
    """Figure 1: sentiment, accuracy, sparse l2 centers."""
    study = study_of(data, settings)
    records = measure(study)
    title = f"Figure 1 ({study.title}): selection + linear SVM, accuracy"
    name = f"sparse_centers_figure1_two_stage_{study.file}"
    present(study, records, name, title, ["l2-SC"], "the selection")
    report_claims(settings, "sparse_centers", claims_on_text(study, reached(records)))


def run_genes(data, settings):
    """Figure 2: gene expression, balanced accuracy, sparse l1 centers."""
    study = study_of(data, settings)
    records = measure(study)
    title = f"Figure 2 ({study.title}): selection + linear SVM, balanced accuracy"
    name = f"sparse_centers_figure2_two_stage_{study.file}"
    present(study, records, name, title, ["l1-SC"], "the selection")
    report_claims(settings, "sparse_centers", claims_on_genes(study, reached(records)))


def measure(study):
    """Score every method at every size on every split."""
    return [
        record
        for i in range(study.settings.n_splits)
        for name in study.methods_on(i)
        for record in records_of(study, name, i)
    ]


def records_of(study, name, i):
    """Train an SVM on the features a method chose on one split, at every size."""
    split = study.split(i)
    for size, (columns, seconds) in zip(study.sizes, study.chosen(name, i), strict=True):
        model = fit_svm(split.X_train[:, columns], split.y_train)
        predicted = model.predict(split.X_test[:, columns])
        yield study.record(name, size, i, predicted, seconds, len(columns))


def fit_svm(X, y):
    """Train a linear SVM with scikit-learn's defaults; it may stop at its limit of iterations."""
    return LinearSVC(random_state=0).fit(X, y)


def claims_on_text(study, records):
    """Put what section VI-A1 says to the numbers."""
    ratios = seconds_over(records, "l2-SC", study.named("paper"))
    figure = f"1, {study.title}"
    return [
        accuracy_claim(study, records, figure, "l2-SC"),
        Claim(
            figure,
            "The run time is significantly lower than that of most other methods.",
            f"seconds in multiples of l2-SC: {describe_ratios(ratios)}",
            f"{describe_ratios(seconds_over(records, 'l2-SC', study.named('instead')))}",
            verdict(float(np.mean(ratios > CLEARLY_SLOWER) > 0.5)),
        ),
        only_odds_ratio_is_as_fast(study, records),
        odds_ratio_is_poorer(study, records),
    ]


def only_odds_ratio_is_as_fast(study, records):
    rivals = seconds_over(records, "l2-SC", study.named("paper"))
    instead = seconds_over(records, "l2-SC", study.named("instead"))
    comparable = rivals[rivals <= COMPARABLE]
    return Claim(
        f"1, {study.title}",
        "Only odds ratio has a comparable run time.",
        f"within a factor of {COMPARABLE} of l2-SC: {describe_ratios(comparable)}",
        describe_ratios(instead[instead <= COMPARABLE]),
        verdict(float(set(comparable.index) <= {"odds ratio"})),
    )


def odds_ratio_is_poorer(study, records):
    lead = mean_scores(records, "l2-SC") - mean_scores(records, "odds ratio")
    on_counts = mean_scores(records, "l2-SC") - mean_scores(records, "odds ratio, counts")
    return Claim(
        f"1, {study.title}",
        "The accuracy of odds ratio is poorer.",
        f"l2-SC leads odds ratio by {lead.min():.3f} to {lead.max():.3f}",
        f"odds ratio on unscaled counts: by {on_counts.min():.3f} to {on_counts.max():.3f}",
        verdict((lead > 0).mean()),
    )


def claims_on_genes(study, records):
    """Put what section VI-A2 says to the numbers."""
    ratios = seconds_over(records, "l1-SC", [*study.named("paper"), "l2-SC"])
    figure = f"2, {study.title}"
    return [
        accuracy_claim(study, records, figure, "l1-SC"),
        Claim(
            figure,
            "The run time can be orders of magnitude lower.",
            f"seconds in multiples of l1-SC: {describe_ratios(ratios)}",
            f"{describe_ratios(seconds_over(records, 'l1-SC', study.named('instead')))}",
            verdict(float(ratios.max() >= ORDERS_OF_MAGNITUDE)),
        ),
    ]


def accuracy_claim(study, records, figure, ours):
    share, best = standing(records, ours, study.named("paper"), study.sizes)
    _, instead = standing(records, ours, study.named("instead"), study.sizes)
    common = shared_features(study, "l2-SC", "f_classif")
    return Claim(
        figure,
        f"{ours} is competitive with the other selection methods in the accuracy of the SVM.",
        describe_standing(ours, best),
        f"{describe_standing(ours, instead)}; l2-SC and f_classif have at least "
        f"{100 * common:.1f} % of their features in common: on features divided by their deviation "
        "and two classes, both rank by the same quantity",
        verdict(share),
    )
