"""Figures 3, 5 and 7: the center classifiers themselves, without a second stage.

Figure 3 is on SST in the paper, figures 5 and 7 are on Singh; MPQA and Chowdary stand beside them.
Figure 4: `against_svm`.
"""

from sklearn.neighbors import NearestCentroid

from centroidal import SparseCenterClassifier

from .._output import Claim, report_claims, verdict
from .claims import describe_leads, describe_standing, mean_leads, mean_scores, reached, standing
from .protocol import present, study_of, timed

__all__ = ["run_genes", "run_l1_against_l2", "run_text"]

OURS = {"l2": "l2-SC", "l1": "l1-SC"}
DISTANCES = {"l2": "euclidean", "l1": "manhattan"}
SECONDS = "selecting and training"


def run_text(data, settings):
    """Figure 3: l2 centers on the features of every method."""
    study = study_of(data, settings)
    records = measure(study, "l2")
    title = f"Figure 3 ({study.title}): l2 centers on the features of each method, accuracy"
    name = f"sparse_centers_figure3_one_stage_{study.file}"
    present(study, records, name, title, ["l2-SC"], SECONDS)
    report_claims(settings, "sparse_centers", claims_on_text(study, reached(records)))


def run_genes(data, settings):
    """Figure 5: l1 centers on the features of every method."""
    study = study_of(data, settings)
    records = measure(study, "l1")
    title = f"Figure 5 ({study.title}): l1 centers on each method's features, balanced accuracy"
    name = f"sparse_centers_figure5_one_stage_{study.file}"
    present(study, records, name, title, ["l1-SC"], SECONDS)
    report_claims(settings, "sparse_centers", claims_on_genes(study, reached(records)))


def run_l1_against_l2(data, settings):
    """Figure 7: the two sparse center classifiers, each with its own features."""
    study = study_of(data, settings)
    records = [
        record
        for i in range(settings.n_splits)
        for metric in OURS
        for record in our_records(study, metric, i) + whole_records(study, metric, i)
    ]
    title = f"Figure 7 ({study.title}): l1 against l2 sparse centers, balanced accuracy"
    name = f"sparse_centers_figure7_l1_against_l2_{study.file}"
    present(study, records, name, title, list(OURS.values()), SECONDS)
    report_claims(settings, "sparse_centers", [claim_l1_wins(study, reached(records))])


def measure(study, metric):
    """Score sparse centers, plain centers on each rival's features, and on all features."""
    records = []
    for i in range(study.settings.n_splits):
        records += our_records(study, metric, i)
        for name in study.methods_on(i):
            if study.methods[name].role != "ours":
                records += rival_records(study, metric, name, i)
        records += whole_records(study, metric, i)
    return records


def our_records(study, metric, i):
    """Fit once; `at` gives the model of every other size."""
    split = study.split(i)
    model = SparseCenterClassifier(study.sizes[-1], metric=metric, n_jobs=1)
    model, seconds = timed(model.fit, split.X_train, split.y_train)
    return [
        study.record(OURS[metric], size, i, model.at(size).predict(split.X_test), seconds)
        for size in study.sizes
    ]


def rival_records(study, metric, name, i):
    """Train plain centers on the columns that a rival chose."""
    split, records = study.split(i), []
    for size, chosen in zip(study.sizes, study.chosen(name, i), strict=True):
        X_train, X_test = (X[:, chosen.columns] for X in split[:2])
        model = SparseCenterClassifier(X_train.shape[1], metric=metric, n_jobs=1)
        model, seconds = timed(model.fit, X_train, split.y_train)
        seconds += chosen.seconds
        predicted = model.predict(X_test)
        records.append(study.record(name, size, i, predicted, seconds, X_train.shape[1]))
    return records


def whole_records(study, metric, i):
    """Train plain centers on all features: ours, and scikit-learn's on the slow splits."""
    size = study.X.shape[1]
    models = {f"all features ({metric})": SparseCenterClassifier(size, metric=metric, n_jobs=1)}
    if i < study.settings.n_slow_splits:
        models[f"NearestCentroid ({metric})"] = NearestCentroid(metric=DISTANCES[metric])
    return [whole_record(study, name, model, i) for name, model in models.items()]


def whole_record(study, name, model, i):
    split = study.split(i)
    model, seconds = timed(model.fit, split.X_train, split.y_train)
    return study.record(name, study.X.shape[1], i, model.predict(split.X_test), seconds)


def claims_on_text(study, records):
    """Put what section VI-B1 says of figure 3 to the numbers."""
    share, best = standing(records, "l2-SC", study.named("paper"), study.sizes)
    _, instead = standing(records, "l2-SC", study.named("instead"), study.sizes)
    scores, whole = mean_scores(records, "l2-SC"), mean_scores(records, "all features (l2)").iloc[0]
    user = mean_scores(records, "NearestCentroid (l2)").iloc[0]
    change = whole - scores.iloc[-2]
    return [
        Claim(
            f"3, {study.title}",
            "l2-SC is competitive at all sparsity levels.",
            describe_standing("l2-SC", best),
            describe_standing("l2-SC", instead),
            verdict(share),
        ),
        claim_best_on_average(study, records),
        Claim(
            f"3, {study.title}",
            "With many features the accuracy of the best stays constant or falls slightly.",
            f"l2-SC: {scores.iloc[-2]:.3f} with {scores.index[-2]} features, "
            f"{scores.iloc[-1]:.3f} with {scores.index[-1]}, {whole:.3f} with all",
            f"NearestCentroid with all features: {user:.3f}",
            verdict(float(-0.03 < change < 0.005)),
        ),
    ]


def claim_best_on_average(study, records):
    leads = mean_leads(records, study.named("paper"), "l2-SC")
    instead = mean_leads(records, study.named("instead"), "l2-SC")
    return Claim(
        f"3, {study.title}",
        "l2-SC has the best overall performance.",
        f"mean lead over l2-SC: {describe_leads(leads)}",
        describe_leads(instead),
        verdict(float(leads.max() <= 0)),
    )


def claims_on_genes(study, records):
    """Put what section VI-B2 says of figure 5 to the numbers."""
    scores, whole = mean_scores(records, "l1-SC"), mean_scores(records, "all features (l1)").iloc[0]
    user = mean_scores(records, "NearestCentroid (l1)").iloc[0]
    leads = mean_leads(records, study.named("paper"), "l1-SC")
    instead = mean_leads(records, study.named("instead"), "l1-SC")
    return [
        Claim(
            f"5, {study.title}",
            "The classifiers do best with very few features; accuracy falls as there are more.",
            f"l1-SC: best {scores.max():.3f} with {scores.idxmax()} features, "
            f"{scores.iloc[-1]:.3f} with {scores.index[-1]}, {whole:.3f} with all",
            f"NearestCentroid (manhattan) with all features: {user:.3f}",
            verdict(float(scores.idxmax() <= 0.01 * study.X.shape[1] and scores.max() > whole)),
        ),
        Claim(
            f"5, {study.title}",
            "Only logistic-RFE and logistic-l1 outperform l1-SC.",
            f"mean lead over l1-SC: {describe_leads(leads)}",
            describe_leads(instead),
            verdict(float(set(leads[leads > 0].index) == {"logistic-RFE", "logistic-l1"})),
        ),
    ]


def claim_l1_wins(study, records):
    l1, l2 = (mean_scores(records, OURS[metric]) for metric in ("l1", "l2"))
    lead = l1 - l2
    users = [mean_scores(records, f"NearestCentroid ({m})").iloc[0] for m in OURS]
    return Claim(
        f"7, {study.title}",
        "On gene expression l1-SC outperforms l2-SC.",
        f"lead of l1-SC over l2-SC: {', '.join(f'{v:+.3f} ({k})' for k, v in lead.items())}; "
        f"at the best size of each: l1-SC {l1.max():.3f} ({l1.idxmax()}), l2-SC {l2.max():.3f} "
        f"({l2.idxmax()})",
        f"NearestCentroid with all features: euclidean {users[0]:.3f}, manhattan {users[1]:.3f}",
        verdict((lead > 0).mean()),
    )
