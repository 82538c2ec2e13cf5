"""What the report says, as plain values for the templates; only fitted attributes are read.

A section without data is None, and the template leaves it out.
"""

import numpy as np

from ..model_selection.methods import METHODS
from ._text import (
    NOTHING,
    class_labels,
    count,
    interval_words,
    is_share,
    json_number,
    json_text,
    number,
    percent,
    plain_value,
    plus_minus,
    score,
    score_words,
    tidy,
    with_interval,
)

_BY_COSTS = "the class of the least expected cost"
_RULES = {
    "one_se": "the fewest within one standard error of the best score",
    "best": "the number with the best score",
}
_FEATURE_BYTES = 420_000  # of the embedded list of features
_FIRST_ROWS = 50  # of that list that are there without JavaScript
_MAX_CENTER_COLUMNS = 12
_MAX_WISHED = 20  # names of features that must be in, or out
_MAX_MATRIX = 20  # classes of a confusion matrix that is drawn as a table
_MAX_BESIDE = 4  # classes of a matrix that stands beside the recall
_MAX_CLASSES = 100  # that are listed
_STABLE, _UNSTABLE = 0.75, 0.4  # the index above which a list is stable, below which it is not
_FEW, _VERY_FEW = 30, 10  # samples of a class
_UNBALANCED = 3  # times as many samples in the largest class as in the smallest


# ------------------------------------------------------------------ what was asked, the answer


def request_section(selection, comparison, table):
    """Return what was asked, and on what data, as pairs of words and texts."""
    asked = _selection_request(selection) if selection is not None else []
    if comparison is not None:
        asked.append(("Compared", ", ".join(tidy(name, 60) for name in comparison.names)))
        if selection is None:
            asked.append(("Score", score_words(comparison.score_name)))
            folds = count(len(comparison.folds), "fold") + _groups_words(comparison)
            asked.append(("Folds", folds))
    if table is not None and table.target is not None:
        asked.insert(0, ("Target", tidy(table.target)))
    return {"asked": asked, "data": _data_facts(selection, comparison, table)}


def _selection_request(selection):
    tried = selection.methods_tried
    method = _method_title(selection.method)
    if len(tried) > 1:
        method += f" (the best of {len(tried)} that were tried)"
    if selection.method_reason is not None:
        method += f" (what auto takes {selection.method_reason})"
    if selection.panel is not None and "budget" in selection.panel:
        number = "what the budget pays for"
    elif selection.n_features_asked == "auto":
        number = f"chosen by inner folds: {_RULES[selection.rule]}"
        if selection.max_features is not None:
            number += f", of at most {count(selection.max_features)}"
    else:
        number = f"{count(selection.n_features_asked)}, as asked for"
    return [
        ("Method", method),
        *_classifier_words(selection),
        ("Number of features", number),
        *_panel_words(selection),
        ("Score", score_words(selection.scoring)),
        *([("Decision", _BY_COSTS)] if selection.costs is not None else []),
        ("Folds", _folds_words(selection)),
        *_block_words(selection),
        *_text_words(selection),
        *_preprocess_words(selection),
    ]


def _classifier_words(selection):
    """Return a row that says what classifies, if there was a choice."""
    tried = selection.classifier_scores
    if len(tried) == 1:
        return []
    return [("Classifier", f"{selection.classifier} (the best of {len(tried)} that were tried)")]


def _panel_words(selection):
    """Return what was wished of the features, as pairs of words and texts."""
    panel, found = selection.panel or {}, []
    for name, words in (("include", "Must be in"), ("exclude", "Must stay out")):
        names = panel.get(name, [])
        if names:
            more = (
                f" and {count(len(names) - _MAX_WISHED)} more" if len(names) > _MAX_WISHED else ""
            )
            found.append((words, ", ".join(map(tidy, names[:_MAX_WISHED])) + more))
    if "distinct" in panel:
        bound = number(panel["distinct"], "g")
        found.append(("Copies", f"one of those that correlate by more than {bound} in the classes"))
    if "per_class" in panel:
        found.append(("Markers for each class", tidy(panel["per_class"])))
    if "budget" in panel:
        spent, budget = number(panel["spent"], ",g"), number(panel["budget"], ",g")
        found.append(("Budget", f"{budget}, of which {spent} are spent"))
    return found


def _block_words(selection):
    if selection.blocks is None:
        return []
    n_blocks = count(len(selection.blocks["rows"]), "block")
    of = "" if selection.block_name is None else f" of {tidy(selection.block_name)}"
    return [("Blocks", f"{n_blocks}{of}, each left out whole")]


def _text_words(selection):
    if selection.text is None:
        return []
    longest, left_out = selection.text["ngrams"], selection.text["stop_words"]
    runs = "single words" if longest == 1 else f"words, and runs of up to {longest}"
    weights = {"tfidf": "weighted by TF-IDF", "counts": "counted"}
    words = f"{runs}, {weights.get(selection.text.get('kind'), 'hashed')}"
    if isinstance(left_out, str):
        words += f"; without the {left_out} stop words of scikit-learn"
    elif left_out is not None:
        words += f"; without {count(len(left_out), 'stop word')}"
    return [("Words", words)]


def _preprocess_words(selection):
    if selection.preprocess is None:
        return []
    return [("Preprocessing", f"{tidy(selection.preprocess)}, inside the folds")]


def _data_facts(selection, comparison, table):
    found = comparison if selection is None else selection
    n_features = found.n_features if selection is None else len(found.feature_names)
    classes, counts = found.classes, _class_counts(found)
    remarks = () if table is None else table.remarks
    return {
        "source": None if table is None else tidy(table.source),
        "n_samples": count(counts.sum()),
        "n_features": count(n_features),
        "n_classes": count(len(classes)),
        "classes": [
            (label, count(n), percent(n / max(1, counts.sum())))
            for label, n in zip(class_labels(classes)[:_MAX_CLASSES], counts, strict=False)
        ],
        "more_classes": max(0, len(classes) - _MAX_CLASSES),
        "remarks": [tidy(remark, 1000) for remark in remarks[:50]],
        "more_remarks": max(0, len(remarks) - 50),
    }


def _class_counts(found):
    """Return the number of samples of each class of a selection or a comparison."""
    counts = getattr(found, "class_counts", None)
    return np.bincount(found.target, minlength=len(found.classes)) if counts is None else counts


def answer_section(selection, comparison):
    """Return the answer as a headline, sentences and a few numbers."""
    if selection is None:
        return _answer_of_comparison(comparison)
    k, n_features = selection.n_features_to_select, len(selection.feature_names)
    n_classes, name = len(selection.classes), selection.scoring
    honest, interval = score(selection.score, name), interval_words(selection.interval, name)
    beats = selection.beats_random
    what = f"{count(k)} of {count(n_features, 'feature')} "
    if beats:
        what += f"{'tells' if k == 1 else 'tell'} the {count(n_classes, 'class', 'classes')} apart"
    else:
        what += "was selected" if k == 1 else "were selected"
    right = _say_score("on held-out samples the whole procedure", honest, name)
    others = (
        f"random features: {score(selection.random_score, name)}, "
        f"{selection.reference}: {score(selection.majority_score, name)}"
    )
    return {
        "headline": f"{what}; {right} ({interval}; {others}). {selection.cost_summary()}".rstrip(),
        "warning": _doubts(selection),
        "numbers": [
            (count(k), f"of {count(n_features, 'feature')}", "selected"),
            (honest, score_words(name).split(" (")[0], f"held out, {interval}"),
            (
                score(selection.random_score, name),
                "random features",
                f"as many, {interval_words(_around_random(selection), name)}",
            ),
            (score(selection.majority_score, name), selection.reference, "without features"),
        ],
    }


def _say_score(who, score, name):
    if name == "accuracy":
        return f"{who} is right in {score} of cases"
    return f"{who} has a {score_words(name)} of {score}"


def _doubts(selection):
    """Return what is to be known together with the answer; None if there is nothing."""
    chance = "" if selection.beats_random else _not_above_random(selection)
    return " ".join(filter(None, [chance, selection.repeat_summary()])) or None


def _not_above_random(selection):
    gap = selection.score - selection.random_score
    error = np.hypot(selection.se_score, selection.se_random)
    gap, scale, form = plain_value(gap, selection.scoring), 1, ".3f"
    if is_share(selection.scoring):
        scale, form = 100, ".0f"
    points = number(scale * gap, f"+{form}") + (" points" if scale > 1 else "")
    around = f", {scale * error:{form}} the standard error of it" if np.isfinite(error) else ""
    return (
        "This does not beat as many random features by two standard errors: the difference is "
        f"{points}{around}. Nothing here shows that the selected features matter more than "
        "others of the table."
    )


def _around_random(selection):
    """Return the 95 % interval of random features: two standard errors to either side."""
    half = 2.0 * selection.se_random
    return selection.random_score - half, selection.random_score + half


def _answer_of_comparison(comparison):
    mean, name = comparison.table["mean_test_score"], comparison.score_name
    best = comparison.names.index(comparison.baseline)
    interval = _interval_of(comparison.table, best)
    around = f" ({interval_words(interval, name)})" if np.isfinite(interval).all() else ""
    headline = _say_score(tidy(comparison.baseline), score(mean[best], name), name) + around
    close = _not_shown_to_be_worse(comparison)
    if close:
        headline += f"; not shown to be worse: {', '.join(close)}"
    return {
        "headline": f"{headline}.",
        "warning": _reference_warning(comparison, best),
        "numbers": [
            (
                score(mean[row], name),
                tidy(comparison.names[row], 40),
                _how_sure(comparison, row),
            )
            for row in _best_first(comparison)[:4]
        ],
    }


def _how_sure(comparison, row):
    interval = _interval_of(comparison.table, row)
    words = ["reference"] * (comparison.names[row] in comparison.references)
    if np.isfinite(interval).all():
        words.append(interval_words(interval, comparison.score_name))
    return ", ".join(words)


def _interval_of(columns, row, what="test_score"):
    """Return the ends of the 95 % interval of a member, or of its difference."""
    return float(columns[f"low_{what}"][row]), float(columns[f"high_{what}"][row])


def _best_first(comparison):
    mean = np.nan_to_num(comparison.table["mean_test_score"], nan=-np.inf)
    return np.argsort(-mean, kind="stable")


def _not_shown_to_be_worse(comparison):
    differences = comparison.differences
    found = []
    for row in _best_first(comparison):
        name = comparison.names[row]
        if name != comparison.baseline and differences["high_difference"][row] >= 0.0:
            found.append(tidy(name, 60))
    return found


def _reference_warning(comparison, best):
    """Say so if a reference is level with the best."""
    differences, names = comparison.differences, comparison.names
    level = [
        tidy(names[row], 60)
        for row in range(len(names))
        if names[row] in comparison.references
        and row != best
        and not differences["high_difference"][row] < 0.0
    ]
    if comparison.baseline in comparison.references:
        level.insert(0, tidy(comparison.baseline, 60))
    if not level:
        return None
    return (
        f"{' and '.join(level)} {'is' if len(level) == 1 else 'are'} there to be beaten, and not "
        "shown to be beaten: the interval of the difference reaches 0. Nothing here shows that "
        "there is something to learn from this table."
    )


# ------------------------------------------------------------------ features and the slider


def slider_section(selection):
    """Return what stands beside the slider before it is moved."""
    if selection is None:
        return None
    sizes = np.asarray(selection.path["n_features"])[_shown_sizes(selection)]
    position = int(np.abs(sizes - selection.n_features_to_select).argmin())
    return {
        "position": position,
        "last": len(sizes) - 1,
        "chosen": count(selection.n_features_to_select, "feature"),
        "smallest": count(sizes[0]),
        "largest": count(sizes[-1]),
        "has_matrix": len(selection.classes) <= _MAX_MATRIX,
        "is_wide": len(selection.classes) > _MAX_BESIDE,
        "has_budgets": "budget" in selection.path,
    }


def _shown_sizes(selection):
    """Positions of the sizes that the slider shows; each budget has another list of features."""
    sizes = np.asarray(selection.path["n_features"])
    if "budget" not in selection.path:
        return np.arange(sizes.size)
    return np.flatnonzero(selection.path["budget"] == selection.panel["budget"])


def feature_section(selection):
    """Return the embedded features, and the first rows of their table."""
    if selection is None:
        return None
    rows, is_known = _feature_rows(selection), selection.method in METHODS
    n_features, k = len(selection.feature_names), selection.n_features_to_select
    has_centers = len(selection.classes) <= _MAX_CENTER_COLUMNS
    return {
        "rows": rows,
        "first": [
            _as_texts(rank, row) | details
            for rank, (row, details) in enumerate(
                zip(rows[: min(k, _FIRST_ROWS)], _feature_details(selection), strict=False), 1
            )
        ],
        "n_selected": k,
        "n_embedded": len(rows),
        "n_features": n_features,
        "labels": class_labels(selection.classes) if has_centers else [],
        "has_frequencies": selection.stability is not None,
        "has_evidence": selection.permutations is not None,
        "center_word": METHODS[selection.method].center if is_known else "mean",
        "has_centers": has_centers,
        "has_stand_ins": selection.stand_ins is not None and any(selection.stand_ins),
        "signatures": _signatures(selection),
    }


def _feature_details(selection):
    """Return tags of each selected feature, and those that could take its place."""
    panel = selection.panel or {}
    must, labels = set(panel.get("include", ())), class_labels(selection.classes)
    markers = [
        labels[selection.classes.tolist().index(each)] for each in panel.get("marker_of", ())
    ]
    found = []
    for place, name in enumerate(selection.selected_names.tolist()):
        tags = ["must be in"] if name in must else []
        tags += [f"marker of {markers[place]}"] if markers else []
        tags += [f"cost {number(panel['cost'][place], ',g')}"] if "cost" in panel else []
        row = () if selection.stand_ins is None else selection.stand_ins[place]
        stand_ins = [
            [
                tidy(selection.feature_names[each["column"]]),
                f"correlation {number(each['correlation'], '.2f')}, "
                f"{score(each['score'], selection.scoring)} after the swap",
            ]
            for each in row
        ]
        found.append({"tags": tags, "standIns": stand_ins})
    return found


def _signatures(selection):
    """Return other panels that do as well, with what they have in place of selected features."""
    if len(selection.signatures) < 2:
        return []
    own, *others = selection.signatures
    found = []
    for each in others:
        pairs = zip(own["columns"].tolist(), each["columns"].tolist(), strict=True)
        swaps = [
            [tidy(selection.feature_names[c]) for c in pair] for pair in pairs if pair[0] != pair[1]
        ]
        found.append({"swaps": swaps, "score": score(each["score"], selection.scoring)})
    return [{"swaps": [], "score": score(own["score"], selection.scoring)}, *found]


def words_section(selection):
    """Return the words that speak for each class, with documents that show them."""
    if selection is None or selection.text is None:
        return None
    speaks, names = selection.speaks_for.tolist(), selection.selected_names
    examples = selection.text.get("examples", ())
    found = []
    for label, shown in zip(
        selection.classes.tolist(), class_labels(selection.classes), strict=True
    ):
        words = [tidy(name) for name, each in zip(names, speaks, strict=True) if each == label]
        documents = [
            {"text": tidy(each["text"], 400), "words": [tidy(word) for word in each["words"]]}
            for each in examples
            if each["class"] == label
        ]
        if words or documents:
            row = {"label": shown, "words": words[:_FIRST_ROWS], "documents": documents}
            found.append(row | {"n_more": max(0, len(words) - _FIRST_ROWS)})
    return found[:_MAX_CLASSES]


def _feature_rows(selection):
    """Name, gain, frequency, p-value, luck and centers of features, as many as fit."""
    has_centers = len(selection.classes) <= _MAX_CENTER_COLUMNS
    stability, test = selection.stability, selection.permutations
    often = None if stability is None else stability.selection_frequencies_
    evidence = [None, None] if test is None else [test.feature_p_values, test.expected_false]
    rows, size = [], 0
    for column in np.asarray(selection.ranking).tolist():
        row = [tidy(selection.feature_names[column]), json_number(selection.gains[column])]
        row += [None if each is None else json_number(each[column]) for each in (often, *evidence)]
        if has_centers:
            row += map(json_number, selection.centers[:, column])
        size += len(json_text(row).encode()) + 1
        if rows and size > _FEATURE_BYTES:
            break
        rows.append(row)
    return rows


def _as_texts(rank, row):
    name, gain, frequency, p_value, luck, *centers = row
    return {
        "rank": rank,
        "name": name,
        "gain": _short(gain),
        "frequency": "" if frequency is None else percent(frequency),
        "evidence": [_short(p_value), _short(luck)],
        "centers": [_short(each) for each in centers],
    }


def _short(value):
    """Write a number in four digits, as the script does."""
    if value is None:
        return NOTHING
    size = abs(value)
    if value and (size < 1e-3 or size >= 1e6):
        return number(value, ".2e")
    return number(f"{value:.4g}", ".10g")


def embedded_data(selection, features):
    """Return what the script of the page works with."""
    if selection is None:
        return None
    path, at_random = selection.path, selection.random_path
    n_classes = len(selection.classes)
    shown = _shown_sizes(selection)
    path, at_random = ({name: np.asarray(each)[shown] for name, each in table.items()}
                       for table in (path, at_random))  # fmt: skip
    confusion = np.asarray(selection.confusion_path)[shown]
    tested = np.maximum(confusion.sum(axis=2), 1)
    recall = np.diagonal(confusion, axis1=1, axis2=2) / tested
    return {
        "position": slider_section(selection)["position"],
        "sizes": [int(size) for size in path["n_features"]],
        "scoreName": score_words(selection.scoring).split(" (")[0],
        "isShare": is_share(selection.scoring),
        "scores": _plain_numbers(path["mean_test_score"], selection.scoring),
        "errors": [json_number(each) for each in path["se_test_score"]],
        "random": _plain_numbers(at_random["mean_test_score"], selection.scoring),
        "randomErrors": [json_number(each) for each in at_random["se_test_score"]],
        "classes": class_labels(selection.classes)[:_MAX_CLASSES],
        "confusions": confusion.tolist() if n_classes <= _MAX_MATRIX else None,
        "recalls": np.round(recall[:, :_MAX_CLASSES], 4).tolist(),
        "features": features["rows"],
        "details": {
            str(place): each
            for place, each in enumerate(_feature_details(selection)[: len(features["rows"])])
            if each["tags"] or each["standIns"]
        },
        "hasCenters": features["has_centers"],
        "hasFrequencies": features["has_frequencies"],
        "hasEvidence": features["has_evidence"],
    }


def _plain_numbers(scores, name):
    return [json_number(plain_value(each, name)) for each in scores]


# ------------------------------------------------------------------ tables of scores


def metric_section(selection):
    """Return all metrics of held-out samples with their intervals, and what is not known."""
    if selection is None:
        return None
    missing = None
    if selection.is_streamed:
        missing = (
            "Pictures of probabilities need every sample at hand; these were read in batches, and "
            "nothing was kept of a single one."
        )
    elif selection.probabilities is None:
        missing = "The classifier has no probabilities, so there are no metrics of them."
    return {
        "table": score_table(selection.metric_rows(), "Metrics of held-out samples of all folds"),
        "missing": missing,
    }


def cost_section(selection):
    """Return the table of costs; None if there are none, or too many."""
    if selection is None or selection.costs is None or len(selection.classes) > _MAX_MATRIX:
        return None
    labels = class_labels(selection.classes)
    return {
        "caption": "What a prediction costs: true classes in rows, predicted ones in columns",
        "head": ["true class", *labels],
        "rows": [
            [label, *(_short(cost) for cost in row)]
            for label, row in zip(labels, selection.costs.tolist(), strict=True)
        ],
    }


def call_section(calls, classes):
    """Return what comes of leaving samples without a class, a row a level; None if not known."""
    if not calls:
        return None
    labels = class_labels(classes) if len(classes) <= _MAX_MATRIX else []
    shown = ("called", "accuracy", "several", "none", "coverage")
    rows = []
    for each in calls:
        shares = [each[name] for name in shown] + each["class_coverage"][: len(labels)]
        cells = (NOTHING if share is None else percent(share) for share in shares)
        rows.append([_short(each["no_call"]), *cells])
    return {
        "caption": "Samples with and without a call, by the share of errors that is allowed",
        "head": [
            "No call at", "Called", "of these right", "Several classes", "No class",
            "Class credible", *(f"of {label}" for label in labels),
        ],
        "rows": rows,
    }  # fmt: skip


def score_table(rows, caption):
    """Return rows of metrics, each with its interval, as a table."""
    return {
        "caption": f"{caption}, with 95 % confidence intervals",
        "head": ["Score", "Found", "95 % interval"],
        "rows": [[title, found, interval or NOTHING] for title, found, interval in rows],
    }


def reference_section(selection):
    """Return the rows of the procedure and what it has to beat, and of the methods tried."""
    if selection is None:
        return None
    name, numbers = selection.scoring, [each["n_features"] for each in selection.fold_choices]
    used, title = _range(numbers), f"{_method_title(selection.method)} (this selection)"
    rows = [
        (title, selection.score, selection.interval, used),
        ("As many random features", selection.random_score, _around_random(selection), used),
        (selection.reference.capitalize(), selection.majority_score, (np.nan, np.nan), "0"),
    ]
    return {
        "rows": [
            {
                "name": label,
                "is_reference": label != title,
                "mean": mean,
                "interval": interval,
                "score": with_interval(mean, interval, name),
                "features": n_features,
            }
            for label, mean, interval, n_features in rows
        ],
        "tried": _method_rows(selection),
        "score": score_words(name),
    }


def _range(numbers):
    if not numbers:
        return NOTHING
    least, most = min(numbers), max(numbers)
    return count(least) if least == most else f"{count(least)} to {count(most)}"


def _method_rows(selection):
    scores = selection.method_scores
    if len(scores) < 2:
        return []
    best_first = sorted(scores, key=lambda name: -np.nan_to_num(scores[name]["score"], nan=-np.inf))
    return [
        (
            _method_title(name),
            plus_minus(scores[name]["score"], scores[name]["se"], selection.scoring),
            NOTHING if scores[name]["n_features"] is None else count(scores[name]["n_features"]),
            name == selection.method,
        )
        for name in best_first
    ]


def comparison_section(comparison):
    """Return the whole table of a comparison, the best first."""
    if comparison is None:
        return None
    n_done, n_fits = count(len(comparison.results)), count(comparison.scores.size, "fit")
    return {
        "rows": [_comparison_row(comparison, row) for row in _best_first(comparison)],
        "baseline": tidy(comparison.baseline, 60),
        "score": score_words(comparison.score_name),
        "n_folds": count(len(comparison.folds), "fold"),
        "troubles": _troubles(comparison),
        "unfinished": None if comparison.is_complete else f"Unfinished: {n_done} of {n_fits}.",
    }


def _comparison_row(comparison, row):
    table, differences, score_name = comparison.table, comparison.differences, comparison.score_name
    name, n_failed = comparison.names[row], int(table["n_failed"][row])
    is_baseline = name == comparison.baseline
    mean, seconds = (table[column][row] for column in ("mean_test_score", "mean_fit_seconds"))
    interval, gap_interval = (
        _interval_of(table, row), _interval_of(differences, row, "difference")
    )  # fmt: skip
    gap, n_better, n_worse = (
        differences[column][row] for column in ("mean_difference", "n_better", "n_worse")
    )
    return {
        "name": tidy(name, 60),
        "is_reference": name in comparison.references,
        "is_baseline": is_baseline,
        "mean": mean,
        "interval": interval,
        "score": with_interval(mean, interval, score_name),
        "difference": NOTHING if is_baseline else with_interval(gap, gap_interval, score_name, "+"),
        "wins": NOTHING if is_baseline else f"{n_better} / {n_worse}",
        "features": _feature_range(table, row, comparison.n_features),
        "seconds": f"{seconds:.2g}" if np.isfinite(seconds) else NOTHING,
        "failed": count(n_failed) if n_failed else "",
    }


def _feature_range(table, row, n_features):
    mean, least, most = (table[f"{which}_n_features"][row] for which in ("mean", "min", "max"))
    if not np.isfinite(mean):
        return NOTHING
    if least == n_features:
        return "all"
    return (
        count(mean) if least == most else f"{count(round(mean))} ({count(least)} to {count(most)})"
    )


def _troubles(comparison):
    """Write a sentence for each member that failed, with the first reason."""
    lines = []
    for name in comparison.names:
        found = comparison.results_of(name)
        errors = [each.error for each in found if each.error]
        if errors:
            reason = tidy(" ".join(errors[0].split()))
            lines.append(
                f"{tidy(name, 60)} failed in {count(len(errors))} of {count(len(found), 'fold')}, "
                f"first: {reason}"
            )
    return lines


def block_section(selection):
    """Return a row for each block: its samples, and what a selection without it reaches there."""
    if selection is None or selection.blocks is None:
        return None
    name = selection.scoring
    return {
        "words": selection.block_summary(),
        "table": {
            "caption": f"Blocks left out whole: {score_words(name)} of a selection without them",
            "head": ["Block", "Samples", "Score (95 % interval)", "Features"],
            "rows": [
                [tidy(row["block"], 60), count(row["n_samples"]), *_block_cells(row, name)]
                for row in selection.blocks["rows"][:_MAX_CLASSES]
            ],
        },
    }


def _block_cells(row, name):
    if row["trouble"] is not None:
        return tidy(row["trouble"]), NOTHING
    ends = (np.nan, np.nan) if row["interval"] is None else row["interval"]
    return with_interval(row["score"], ends, name), count(row["n_features"])


def believe_section(selection):
    """Return the verdicts on the score, if there is more evidence than the folds."""
    if selection is None:
        return None
    evidence = selection.permutations, selection.learning_curve, selection.covariates
    if all(each is None for each in evidence):
        return None
    return {
        "words": selection.checklist_summary(),
        "rows": [[tidy(cell, 600) for cell in each] for each in selection.checklist()],
    }


def recall_section(selection, comparison):
    """Return the honest recall of each class and the confusion matrix."""
    if selection is not None:
        classes, confusion = selection.classes, np.asarray(selection.confusion)
        whose = "the whole procedure, with the number of features chosen by inner folds"
        n_repeats = selection.n_repeats
    else:
        classes, confusion = comparison.classes, comparison.confusion[comparison.baseline]
        whose = tidy(comparison.baseline, 60)
        n_repeats = None
    return _recall(classes, confusion, whose, n_repeats)


def _recall(classes, confusion, whose, n_repeats=None):
    labels, tested = class_labels(classes), confusion.sum(axis=1)
    recall = np.diag(confusion) / np.where(tested > 0, tested, np.nan)
    return {
        "whose": whose,
        "repeats": n_repeats,
        "rows": [
            (
                label,
                percent(recall[code]),
                json_number(recall[code]) or 0.0,
                count(confusion[code, code]),
                count(tested[code]),
            )
            for code, label in enumerate(labels[:_MAX_CLASSES])
        ],
        "labels": labels,
        "is_wide": len(labels) > _MAX_BESIDE,
        "matrix": _matrix(confusion, labels) if len(labels) <= _MAX_MATRIX else None,
        "mistakes": _mistakes(confusion, labels) if len(labels) > _MAX_MATRIX else [],
    }


def _matrix(confusion, labels):
    """Rows of a confusion matrix: label, then counts with their share of the row."""
    shares = confusion / np.maximum(confusion.sum(axis=1, keepdims=True), 1)
    return [
        (label, [(count(n), round(float(share), 3)) for n, share in zip(*both, strict=True)])
        for label, both in zip(labels, zip(confusion, shares, strict=True), strict=True)
    ]


def _mistakes(confusion, labels):
    """List the twenty most frequent mistakes, where a matrix would be too large to read."""
    wrong = confusion - np.diag(np.diag(confusion))
    order = np.argsort(-wrong, axis=None, kind="stable")[:20]
    pairs = zip(*np.unravel_index(order, wrong.shape), strict=True)
    return [
        (labels[true], labels[taken], count(wrong[true, taken]))
        for true, taken in pairs
        if wrong[true, taken]
    ]


# ------------------------------------------------------------------ stability, again, methods


def stability_section(selection):
    """Return the stability index and its interval in words."""
    if selection is None or selection.stability is None:
        return None
    stability = selection.stability
    index, (low, high) = stability.stability_, stability.stability_interval_
    if not np.isfinite(index):
        return {
            "headline": "The index is not known",
            "words": "Nothing was ever selected, or everything always.",
        }
    often = stability.selection_frequencies_[np.asarray(selection.selected)]
    lasting = int((often >= 0.9).sum())
    return {
        "headline": number(index, ".2f"),
        "interval": f"{number(low, '.2f')} to {number(high, '.2f')}",
        "n_resamples": count(stability.n_resamples, "random half", "random halves"),
        "words": _stability_words(index),
        "lasting": f"{count(lasting)} of the {count(len(often))} selected features "
        f"{'was' if lasting == 1 else 'were'} selected in at least 90{chr(160)}% of the halves.",
    }


def _stability_words(index):
    if index >= _STABLE:
        return "Excellent agreement: halves of these samples lead to nearly the same list."
    if index >= _UNSTABLE:
        return (
            "Fair agreement: much of the list comes back from other halves of these samples, and "
            "some of it does not."
        )
    return (
        "Poor agreement: another half of these samples leads to quite a different list. The "
        "features may predict well, but this list is one of many."
    )


def reproduction_section(selection, comparison, table, command):
    """Return how to do it again: command, data, seed, folds and versions."""
    facts = _table_facts(table)
    if selection is not None:
        facts += [
            ("Seed", str(selection.seed)),
            ("Folds", _folds_words(selection)),
            ("Time", f"{selection.seconds:.3g} seconds"),
        ]
    if comparison is not None:
        of = " of the comparison" if selection is not None else ""
        facts.append((f"Seed{of}", str(comparison.seeds["split"])))
        facts.append((f"Folds{of}", count(len(comparison.folds))))
    versions = selection.versions if selection is not None else comparison.versions
    return {
        "command": None if command is None else tidy(command, 5000),
        "facts": facts,
        "versions": [(tidy(name, 60), tidy(version, 60)) for name, version in versions.items()],
    }


def _table_facts(table):
    """Return where samples come from, as pairs of words and texts."""
    if table is None:
        return []
    digest = [("SHA-256 of the data", table.digest)] if table.digest else []
    facts = [("Data", tidy(table.source)), *digest]
    facts += [("Joined table", tidy(each["source"])) for each in getattr(table, "joined", ())]
    sheet = getattr(table, "sheet", None)  # batches have none
    if sheet is not None:
        facts.append(("Sheet of samples", tidy(sheet["source"])))
        facts.append(("Columns of the sheet", tidy(", ".join(sheet["columns"]))))
    return facts


def card_section(selection, comparison):
    """Return the cards of the methods used, each once, and the names that have none."""
    names = []
    if selection is not None:
        tried = [name for name in selection.methods_tried if name != selection.method]
        references = [key for key, each in METHODS.items() if each.is_reference]
        names += [selection.method, *tried, *references]
    if comparison is not None:
        names += [comparison.names[row] for row in _best_first(comparison)]
    return {
        "cards": [METHODS[name] for name in dict.fromkeys(names) if name in METHODS],
        "without": [tidy(name, 60) for name in names if name not in METHODS],
    }


def _method_title(name):
    """Return the name of a method as text is written."""
    return METHODS[name].title if name in METHODS else str(name)


# ------------------------------------------------------------------ what to mind


def caveat_section(selection, comparison):
    """Return what to mind, as pairs of a few words and a sentence."""
    return [
        *_about_suspicions(getattr(selection, "suspicions", ())),
        *_about_classes(selection if selection is not None else comparison),
        *([] if selection is None else _about_selection(selection)),
        *([] if comparison is None else [_BEST_OF_SEVERAL]),
        _BEFORE,
        *([_INDIVIDUALS] if (selection or comparison).n_groups is None else []),
    ]


def _folds_words(selection):
    """Write how the samples were cut."""
    folds, repeats = count(selection.n_folds, "fold"), selection.n_repeats
    folds += _groups_words(selection)
    return folds if repeats == 1 else f"{folds}, {count(repeats, 'time')}"


def _groups_words(found):
    """Write how many groups stayed whole, and by what they were named."""
    if found.n_groups is None:
        return ""
    by = "" if found.group_name is None else f" ({tidy(found.group_name, 60)})"
    return f" of {count(found.n_groups)} whole groups{by}"


_BEST_OF_SEVERAL = (
    "The best of several.",
    "The score of each classifier is honest. That of the best is slightly too good, because it was "
    "picked by these scores.",
)
_BEFORE = (
    "What was done before.",
    "If features were selected, batches corrected or values imputed by looking at all samples "
    "before this (data leakage), the scores are too good. All samples come from one table; those "
    "of another laboratory may do worse.",
)
_INDIVIDUALS = (
    "Samples of one individual.",
    "Each sample was taken to stand for itself. If several rows belong to the same individual, the "
    "scores are too good, and groups should keep them together.",
)
_STAND_INS = (
    "Stand-ins.",
    "Features that are correlated stand in for each other. One that is not on the list may say the "
    "same as one that is, and to be on the list is no sign of a cause.",
)
_DRAWN_ONCE = (
    "Folds that were drawn once.",
    "Another draw would give a slightly different score, and perhaps another number of features.",
)
_AT_RANDOM = (
    "Not above random features.",
    "As many features drawn at random do as well, within two standard errors.",
)


_SUSPECTED = {
    "copies": "Copies of samples.",
    "near_copies": "Near copies of samples.",
    "giveaway": "A feature that gives the class away.",
    "drift": "Rows go by class, and neighbours are alike.",
}


def _about_suspicions(suspicions):
    """Warn of what may make the score too good; names of features may hold anything."""
    for each in suspicions:
        yield _SUSPECTED[each["kind"]], tidy(each["sentence"], 1000)


def _about_classes(found):
    """Warn of few samples, and of classes of unequal size."""
    counts = _class_counts(found)
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
            f"As many features drawn at random reach {reached}. What counts is the lead over them, "
            "not the score alone.",
        )
    else:
        yield _AT_RANDOM
    yield (
        "Nested cross-validation.",
        "Ranking, number of features and every other hyperparameter were learned from the training "
        f"part of each outer fold ({_folds_words(selection)}), by inner folds of it; the score is "
        "that of the held-out samples. It is the score of the procedure: the final list was made "
        f"from all samples and cannot be tested on them. {selection.choice_summary()}".rstrip(),
    )
    if selection.has_mixed_groups:
        yield "Groups of several classes.", selection.group_summary()
    if selection.blocks is not None:
        word = "Confounded with blocks." if selection.is_confounded else "Blocks left out whole."
        yield word, selection.block_summary()
    if selection.n_repeats == 1:
        yield _DRAWN_ONCE
    if selection.impute is not None:
        yield (
            "Missing values.",
            f"They were filled in by the {selection.impute.replace('_', ' ')} value of the "
            "feature, as learned from the training set of each outer fold alone.",
        )
    stability = selection.stability
    if stability is not None and stability.stability_ < _UNSTABLE:
        yield (
            "The list is unstable.",
            f"The stability index is {stability.stability_:.2f}, below {_UNSTABLE}. Do not read "
            "meaning into a single name on it.",
        )
    yield _STAND_INS


# ------------------------------------------------------------------ external validation


def evaluation_sections(evaluation, table, command):
    """Return all that the page on an :class:`~centroidal.io.Evaluation` says, but its charts."""
    headline = evaluation.summary()
    samples = [("Samples", count(evaluation.n_samples))]
    if evaluation.n_groups is not None:
        samples.append(("Groups", count(evaluation.n_groups)))
    return {
        "headline": headline[0].upper() + headline[1:],
        "scores": score_table(evaluation.rows(), "Scores"),
        "remarks": [tidy(remark, 1000) for remark in evaluation.remarks],
        "recall": _recall(evaluation.classes, evaluation.confusion, "the model"),
        "calls": call_section(evaluation.calls and [evaluation.calls], evaluation.classes),
        "command": None if command is None else tidy(command, 5000),
        "facts": [*_table_facts(table), *samples],
        "embedded": None,
    }
