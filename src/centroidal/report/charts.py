"""The charts, as Vega-Lite specifications made with altair.

Names of the user are texts to show. They are never names of fields, in which Vega gives dots and
brackets a meaning, and never what tells classes apart, because Vega looks these up as properties of
an object, of which some, like ``__proto__``, are there already: numbers do that. Colours are
variables of the style sheet, so that themes and printing need no new drawing.
"""

import re

import altair as alt
import numpy as np

from .._optional import require
from ..model_selection.bands import band_sentence, feature_axis
from ._text import (
    class_labels,
    count,
    cut,
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

_HEAT_UNIT = "in standard deviations inside the classes from the mean of the centers"

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_SERIES = ("this method", "random features")  # and what knows the sizes of the classes alone
_SERIES_COLOURS = ["var(--c0)", "var(--c1)", "var(--muted)"]
_SERIES_DASHES = [[1, 0], [6, 4], [1, 3]]
_POINT = ("n_features", "mean_test_score", "se_test_score")  # columns of a path
_WITH_ERROR = "Score ± standard error"
_AT_K = "datum.k == k"  # where the slider stands
_LABEL = "labels[datum.value]"  # the text of a number, see `_finish`
_N_COLOURS = 8
_SHAPES = (
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
)  # fmt: skip
_MAX_HEAT_FEATURES, _MAX_HEAT_CLASSES = 40, 30
_MAX_VALUES_IN_CELLS, _MAX_LEVEL_LABELS = 6, 4  # classes
_STEPS = (-2.0, -1.25, -0.5, -0.15, 0.15, 0.5, 1.25, 2.0)  # bounds of the nine colours
_NEGLIGIBLE = 1e-9
_MAX_STEPS, _N_BINS = 400, 10  # of a ROC curve, of a calibration curve
_PICTURE_WIDTH = 800  # where no script knows the width of the page
_MAX_POINTS, _POINT_BYTES = 2000, 180_000
_LABELS = {
    "titleColor": "var(--muted)",
    "labelFontSize": 12,
    "titleFontSize": 12,
    "titleFontWeight": "normal",
}
_CONFIG = {
    "font": _FONT,
    "background": "transparent",
    "aria": False,  # the figure has a description, and a table with the same numbers
    "view": {"stroke": None},
    "axis": {
        **_LABELS,
        "labelColor": "var(--muted)",
        "gridColor": "var(--line)",
        "domainColor": "var(--line-strong)",
        "tickColor": "var(--line-strong)",
        "titlePadding": 10,
        "labelLimit": 170,
    },
    "legend": {**_LABELS, "labelColor": "var(--ink)", "labelLimit": 220, "symbolStrokeWidth": 2},
    "text": {"fill": "var(--ink)", "fontSize": 12},
}


def javascript():
    """Return Vega, Vega-Lite and Vega-Embed as one script, in the version that altair speaks."""
    return _convert("javascript_bundle", "window.vegaEmbed = vegaEmbed;")


def picture(name, spec):
    """Return a chart as SVG, for where no script draws it, in the colours of the page.

    What it defines has the name of the chart in front, and a number that is the same every time.
    """
    drawn = _convert("vegalite_to_svg", spec | {"width": _PICTURE_WIDTH})
    ids = dict.fromkeys(re.findall(r' id="((?:clip|gradient)\w+)"', drawn))
    names = {each: f"{name}-{place}" for place, each in enumerate(ids)}
    return re.sub(
        r'( id="|url\(#)((?:clip|gradient)\w+)',
        lambda found: found[1] + names.get(found[2], found[2]),
        drawn,
    )


def _convert(function, argument):
    converter = require("vl_convert", "report", "the report")
    version = "_".join(alt.SCHEMA_VERSION.split(".")[:2])
    try:
        return getattr(converter, function)(argument, vl_version=version)
    except RuntimeError as error:
        raise ImportError(
            f"altair {alt.__version__} needs a newer vl-convert-python than "
            f"{converter.__version__}: pip install --upgrade 'centroidal[report]'."
        ) from error


def _chart(name):
    """Begin a chart of a data set, which `_finish` is given."""
    return alt.Chart(alt.NamedData(name=name))


def _finish(chart, height, labels=None, **datasets):
    """Return the specification of a chart as wide as its place on the page.

    Labels are the texts of the numbers that tell classes, or rows, apart.
    """
    if labels is not None:
        chart = chart.add_params(alt.param(name="labels", value=labels))
    chart = chart.properties(width="container", height=height, datasets=datasets)
    return chart.configure(**_CONFIG).to_dict()


def _tooltip(**titles):
    """Show fields of a row, by the title of each."""
    return [alt.Tooltip(f"{field}:N", title=title) for field, title in titles.items()]


def _by(channel, field, domain, values):
    """Encode a field by a value for each of its names, without a legend."""
    scale = alt.Scale(domain=list(domain), range=list(values))
    return channel(f"{field}:N", scale=scale, legend=None)


# ------------------------------------------------------------------ scores by number of features


def curve_chart(selection):
    """Score against the number of features, with random ones beside it and the chosen number."""
    sizes = np.asarray(selection.path["n_features"])
    rows, series = _curve_rows(selection), (*_SERIES, selection.reference)

    x = alt.X("k:Q", title="number of features", scale=_size_scale(sizes), axis=_size_axis(sizes))
    scale = alt.Scale(domain=_score_range(rows, selection.scoring), nice=False)
    title = score_words(selection.scoring).split(" (")[0]
    y = alt.Y("mean:Q", title=title, scale=scale, axis=_score_axis(selection.scoring, 6))
    colour = _by(alt.Color, "series", series, _SERIES_COLOURS)
    dash = _by(alt.StrokeDash, "series", series, _SERIES_DASHES)
    base = _chart("rows").encode(x=x)
    band = base.mark_area(opacity=0.16, clip=True).encode(
        y=alt.Y("low:Q", scale=scale), y2="high:Q", color=colour
    )
    line = base.mark_line(strokeWidth=2.25, clip=True).encode(y=y, color=colour, strokeDash=dash)
    dots = base.mark_point(filled=True, size=110, opacity=0, cursor="pointer", clip=True).encode(
        y=y, color=colour, tooltip=_tooltip(series="What", shown_k="Features", text=_WITH_ERROR)
    )
    is_here = _chart("sizes").transform_filter(_AT_K)
    here = is_here.mark_rule(stroke="var(--accent)", strokeWidth=2).encode(x=x)
    curves = f"{_AT_K} && datum.series != '{series[2]}'"
    marked = base.transform_filter(curves).mark_point(
        filled=True, size=80, opacity=1, stroke="var(--page)", strokeWidth=2, clip=True
    )
    chosen = int(selection.n_features_to_select)
    chart = alt.layer(
        band, *_chosen_line(chosen, sizes, x), here, line, marked.encode(y=y, color=colour), dots
    ).add_params(alt.param(name="k", value=chosen))
    return {
        "spec": _finish(
            chart,
            300,
            rows=rows,
            sizes=[{"k": int(size)} for size in sizes],
            chosen=[{"k": chosen, "label": f"chosen: {count(chosen)}"}],
        ),
        "description": _curve_words(selection),
        "table": _curve_table(selection),
        "legend": list(zip(_SERIES_COLOURS, ("solid", "dashed", "dotted"), series, strict=True)),
    }


def _curve_rows(selection):
    """List the points of the two curves, and the ends of the line of the largest class."""
    rows, name = [], selection.scoring
    for series, path in zip(_SERIES, (selection.path, selection.random_path), strict=False):
        points = zip(*(path[column] for column in _POINT), strict=True)
        rows += [_curve_row(series, *point, name) for point in points if np.isfinite(point[1])]
    sizes, majority = selection.path["n_features"], selection.majority_score
    ends = (sizes[0], sizes[-1])
    return rows + [_curve_row(selection.reference, size, majority, np.nan, name) for size in ends]


def _score_range(rows, name):
    """Return the ends of the axis of scores; random features may lose more than it shows."""
    if name.startswith("neg_"):
        return [0.0, 1.15 * max(row["mean"] for row in rows if row["series"] != _SERIES[1])]
    least = 0.0 if is_share(name) else -1.0
    return [float(max(least, np.floor(20 * min(row["low"] for row in rows) - 0.2) / 20)), 1.0]


def _curve_row(series, size, mean, error, name):
    place = {"series": series, "k": int(size), "shown_k": count(size)}
    half, told = error if np.isfinite(error) else 0.0, plain_value(mean, name)
    return place | {
        "mean": json_number(told),
        "low": json_number(told - half),
        "high": json_number(told + half),
        "text": plus_minus(mean, error, name),
    }


def _size_scale(sizes):
    least, most = int(sizes[0]), int(sizes[-1])
    if most > 20:
        return alt.Scale(type="log", domain=[least, most], nice=False)
    return alt.Scale(domain=[least, max(most, least + 1)], nice=False, zero=False)


def _size_axis(sizes):
    """Ticks at 1, 2, 5, 10, ..., and at 1, 10, 100, ... where these would be too many."""
    steps = (1, 2, 5) if sizes[-1] / sizes[0] < 3000 else (1,)
    ticks = [step * 10**power for power in range(9) for step in steps]
    inside = [tick for tick in ticks if sizes[0] <= tick <= sizes[-1]]
    return alt.Axis(format=",d", values=inside, grid=False, labelOverlap="greedy")


def _score_axis(name, n_ticks):
    return _share_axis(n_ticks) if is_share(name) else alt.Axis(tickCount=n_ticks)


def _share_axis(n_ticks=5):
    space = "replace(datum.label, '%', '\u00a0%')"
    return alt.Axis(format=".0%", labelExpr=space, tickCount=n_ticks)


def _chosen_line(chosen, sizes, x):
    """Draw a dashed line at the chosen number, labelled on the side where there is room."""
    is_left = bool(np.searchsorted(sizes, chosen) < 0.6 * max(1, len(sizes) - 1))
    base = _chart("chosen").encode(x=x)
    rule = base.mark_rule(stroke="var(--muted)", strokeDash=[2, 3])
    text = base.mark_text(
        align="left" if is_left else "right",
        dx=6 if is_left else -6,
        dy=-6,
        fill="var(--muted)",
        baseline="bottom",
    ).encode(y=alt.value("height"), text="label:N")
    return rule, text


def _curve_words(selection):
    scores = selection.path["mean_test_score"]
    best, sizes, name = int(np.nanargmax(scores)), selection.path["n_features"], selection.scoring
    at = int(np.abs(np.asarray(sizes) - selection.n_features_to_select).argmin())
    return (
        f"Line chart of {score_words(name)} on held-out samples against the number of features, "
        f"from {count(sizes[0])} to {count(sizes[-1])}. The best mean is "
        f"{score(scores[best], name)}, with {count(sizes[best], 'feature')}. With "
        f"{count(sizes[at])}, the chosen number, it is {score(scores[at], name)}, and with as many "
        f"random features {score(selection.random_path['mean_test_score'][at], name)}."
    )


def _curve_table(selection):
    name, chosen = selection.scoring, selection.n_features_to_select
    columns = [selection.path[each] for each in _POINT]
    columns += [selection.random_path[each] for each in _POINT[1:]]
    return {
        "caption": f"{score_words(name).capitalize()} ± its standard error for each number of "
        "features",
        "head": ["Features", "This method", "Random features"],
        "rows": [
            [
                count(size) + (" (chosen)" if size == chosen else ""),
                plus_minus(mean, error, name),
                plus_minus(lot, lot_error, name),
            ]
            for size, mean, error, lot, lot_error in zip(*columns, strict=True)
        ],
    }


# ------------------------------------------------------------------ centers


def heat_chart(selection):
    """Centers of the selected features, in standard deviations from their mean."""
    columns = np.asarray(selection.selected)[:_MAX_HEAT_FEATURES]
    if len(selection.classes) > _MAX_HEAT_CLASSES:
        return None
    labels = class_labels(selection.classes, 40)
    values = _standardise(selection.centers[:, columns], selection.spreads[columns])
    names = [
        f"{rank}. {tidy(selection.feature_names[column], 40)}"
        for rank, column in enumerate(columns, 1)
    ]
    rows = _heat_rows(names, labels, values, selection.centers[:, columns])
    return {
        "spec": _finish(_heat_layers(labels), 24 * len(columns), labels, rows=rows),
        "description": (
            f"Heat map of the class centers of {count(len(columns), 'selected feature')} in "
            f"{count(len(labels), 'class', 'classes')}, standardised. The numbers are in the table "
            "below."
        ),
        "unit": _HEAT_UNIT,
        "n_shown": len(columns),
        "min_width": 190 + 34 * len(labels),
        "legend": [(f"var(--d{step})", text) for step, text in enumerate(_step_words())],
        "table": {
            "caption": f"Class centers of the selected features, {_HEAT_UNIT}",
            "head": ["Feature", *labels],
            "rows": [
                [name, *(number(value, "+.2f") for value in column)]
                for name, column in zip(names, values.T, strict=True)
            ],
        },
    }


def _heat_rows(names, labels, values, centers):
    return [
        {
            "feature": name,
            "code": c,
            "class": label,
            "z": json_number(values[c, i]) or 0.0,
            "shown": number(values[c, i], "+.1f"),
            "center": number(centers[c, i], ".4g"),
        }
        for i, name in enumerate(names)
        for c, label in enumerate(labels)
    ]


def _heat_layers(labels):
    """Colour the cells, and write the values into them where there is room."""
    base = _chart("rows").encode(
        x=_class_axis(len(labels) <= _MAX_LEVEL_LABELS),
        y=alt.Y(
            "feature:N",
            sort=None,
            title=None,
            axis=alt.Axis(ticks=False, domain=False, labelColor="var(--ink)", labelPadding=8),
            scale=alt.Scale(paddingInner=0.06),
        ),
        tooltip=_tooltip(
            feature="Feature", **{"class": "Class"}, center="Center", shown="Standardised"
        ),
    )
    colours = [f"var(--d{step})" for step in range(len(_STEPS) + 1)]
    scale = alt.Scale(type="threshold", domain=list(_STEPS), range=colours)
    cells = base.mark_rect(cornerRadius=2).encode(color=alt.Color("z:Q", scale=scale, legend=None))
    layers = [cells]
    if len(labels) <= _MAX_VALUES_IN_CELLS:
        strong = alt.condition(
            f"abs(datum.z) > {_STEPS[-2]}", alt.value("var(--on-strong)"), alt.value("var(--ink)")
        )
        layers.append(base.mark_text(fontSize=11).encode(text="shown:N", color=strong))
    right = 5 if len(labels) <= _MAX_LEVEL_LABELS else 75  # room for the last slanted label
    return alt.layer(*layers).properties(padding={"left": 5, "top": 5, "bottom": 5, "right": right})


def _class_axis(is_level):
    """Labels of the classes above the columns, slanted where they are many."""
    axis = alt.Axis(
        orient="top",
        labelAngle=0 if is_level else -40,
        labelAlign="center" if is_level else "left",
        labelLimit=110 if is_level else 130,
        labelPadding=8,
        ticks=False,
        domain=False,
        labelExpr=_LABEL,
    )
    return alt.X("code:O", sort=None, title=None, axis=axis, scale=alt.Scale(paddingInner=0.03))


def _step_words():
    bounds = [number(bound, "+g") for bound in _STEPS]
    middle = [f"{low} to {high}" for low, high in zip(bounds, bounds[1:], strict=False)]
    return [f"below {bounds[0]}", *middle, f"above {bounds[-1]}"]


def _standardise(centers, spread):
    """Centers less their mean, over the spread inside the classes."""
    off = centers - centers.mean(axis=0)
    return np.divide(off, spread, out=np.zeros_like(off), where=spread > 0.0)


# ------------------------------------------------------------------ samples


def scatter_chart(selection, table):
    """Draw the samples in the Fisher subspace, those that were taken for another class ringed."""
    if selection.is_streamed:
        return None
    subspace = np.array(selection.subspace, dtype=float)
    if not np.isfinite(subspace).all():
        return None
    is_line = np.ptp(subspace[:, 1]) < _NEGLIGIBLE * np.ptp(subspace[:, 0])
    if is_line:  # one feature: what is beside the direction is rounding
        subspace[:, 1] = 0.0
    labels = class_labels(selection.classes, 40)
    rows = _points(selection, subspace, labels, table)
    n_wrong = sum(row["wrong"] for row in rows)
    return {
        "spec": _finish(_scatter_layers(labels, is_line), 380, labels, rows=rows),
        "description": (
            f"Scatter chart of {count(len(rows), 'sample')} in two dimensions, by class. "
            f"{count(n_wrong)} of them, ringed, were mostly taken for another class when they were "
            "held out."
        ),
        "n_shown": len(rows),
        "n_samples": len(selection.true_codes),
        "n_wrong": n_wrong,
        "is_two": len(labels) == 2,
        "table": {
            "caption": "Samples in the Fisher subspace",
            "head": ["Sample", "Class", "Predicted when held out", "First axis", "Second axis"],
            "rows": [
                [
                    *(row[name] for name in ("id", "class", "predicted")),
                    *(number(row[name], ".4g") for name in ("x", "y")),
                ]
                for row in rows
            ],
        },
    }


def _scatter_layers(labels, is_line):
    """Draw the points, and rings around those that were taken for another class."""
    two, codes = len(labels) == 2, list(range(len(labels)))
    beside = "principal component beside it" if two else "second Fisher axis"
    x = alt.X(
        "x:Q",
        title="Fisher direction" if two else "first Fisher axis",
        scale=alt.Scale(zero=False, nice=True),
    )
    y = alt.Y(
        "y:Q",
        title="nothing beside it" if is_line else beside,
        scale=alt.Scale(zero=False),
        axis=alt.Axis(values=[]) if is_line else alt.Axis(),
    )
    colour = _class_colour(codes, labels)
    shape = alt.Shape(
        "code:N",
        scale=alt.Scale(domain=codes, range=[_SHAPES[code % len(_SHAPES)] for code in codes]),
    )
    tooltip = _tooltip(id="Sample", **{"class": "Class"}, predicted="Predicted, held out")
    base = _chart("rows").encode(x=x, y=y, tooltip=tooltip)
    points = base.mark_point(filled=True, size=70, opacity=0.85).encode(color=colour, shape=shape)
    rings = base.transform_filter("datum.wrong").mark_point(
        shape="circle", size=260, filled=False, stroke="var(--ink)", strokeWidth=1.6
    )
    return alt.layer(rings, points)


def _legend_columns(labels):
    """Fewer columns for longer labels, so that they fit on a small screen."""
    longest = max(len(label) for label in labels)
    return 4 if longest <= 5 else 3 if longest <= 9 else 2 if longest <= 16 else 1


def _points(selection, subspace, labels, table):
    """Rows of the chart; of many samples every so many, as the budget allows."""
    true = np.asarray(selection.true_codes)
    taken = _mostly_predicted(np.asarray(selection.predicted), len(labels))
    n_samples = len(true)
    ids = None if table is None or table.ids is None or len(table.ids) != n_samples else table.ids

    def row(sample):
        return {
            "x": json_number(subspace[sample, 0]),
            "y": json_number(subspace[sample, 1]),
            "code": int(true[sample]),
            "class": labels[true[sample]],
            "predicted": "never tested" if taken[sample] < 0 else labels[taken[sample]],
            "wrong": bool(taken[sample] >= 0 and taken[sample] != true[sample]),
            "id": tidy(ids[sample], 60) if ids is not None else f"row {sample + 1}",
        }

    number = min(n_samples, _MAX_POINTS)
    rows = [row(sample) for sample in _every(true, number)]
    size = len(json_text(rows).encode())
    if size > _POINT_BYTES:
        rows = [row(sample) for sample in _every(true, int(number * _POINT_BYTES / size))]
    return rows


def _every(codes, number):
    """Rows of `number` samples, evenly over the classes."""
    by_class = np.argsort(codes, kind="stable")
    return np.sort(by_class[np.linspace(0, codes.size - 1, max(1, number)).astype(int)])


def _mostly_predicted(predicted, n_classes):
    """Return the class that each sample was taken for most often; -1 if it was never tested."""
    votes = np.stack([(predicted == code).sum(axis=0) for code in range(n_classes)])
    return np.where(votes.any(axis=0), votes.argmax(axis=0), -1)


# ------------------------------------------------------------------ means with errors


def means_chart(rows, score_name, title):
    """Draw means and intervals of rows of a table of scores."""
    known = [row for row in rows if np.isfinite(row["mean"])]
    values = [
        {
            "place": place,
            "name": cut(row["name"], 48),
            "kind": "reference" if row["is_reference"] else "method",
            "mean": json_number(plain_value(row["mean"], score_name)),
            **_bar(row["mean"], row["interval"], score_name),
            "text": with_interval(row["mean"], row["interval"], score_name),
        }
        for place, row in enumerate(known)
    ]
    if not values:
        return None
    height = max(90, 32 * len(values))
    return {
        "spec": _finish(
            _mean_layers(score_name, title), height, [row["name"] for row in values], rows=values
        ),
        "description": "Dot chart of mean scores, the best first: "
        + "; ".join(f"{row['name']} {row['text']}" for row in values[:20])
        + ".",
    }


def _bar(mean, interval, name):
    """Return the ends of a bar, which is a point where there is no interval."""
    ends = interval if np.isfinite(interval).all() else (mean, mean)
    low, high = sorted(plain_value(end, name) for end in ends)
    return {"low": json_number(low), "high": json_number(high)}


def _mean_layers(score_name, title):
    scale = alt.Scale(zero=False, nice=True)
    x = alt.X("mean:Q", title=title, scale=scale, axis=_score_axis(score_name, 5))
    style = {"labelColor": "var(--ink)", "labelPadding": 8, "labelLimit": 190}
    names = alt.Axis(ticks=False, domain=False, grid=True, labelExpr=_LABEL, **style)
    y = alt.Y("place:O", sort=None, title=None, axis=names)
    kinds = ("method", "reference")
    colour = _by(alt.Color, "kind", kinds, ("var(--c0)", "var(--c1)"))
    shape = _by(alt.Shape, "kind", kinds, ("circle", "diamond"))
    base = _chart("rows").encode(y=y, tooltip=_tooltip(name="Method", text="Score"))
    bars = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", scale=alt.Scale(zero=False)), x2="high:Q", color=colour
    )
    dots = base.mark_point(filled=True, size=100, opacity=1).encode(x=x, color=colour, shape=shape)
    return alt.layer(bars, dots)


# ------------------------------------------------------------------ can it be believed


def chance_chart(selection):
    """Draw how often permuted labels have each score, and that of the labels themselves."""
    test, name = selection.permutations, selection.scoring
    if test is None:
        return None
    null = np.array([plain_value(each, name) for each in test.null_scores])
    own, middle = plain_value(test.score, name), (null.min() + null.max()) / 2
    counts, ends = np.histogram(null, "rice" if np.ptp(null) else 1)
    if not np.ptp(null):
        ends = middle + np.array([-0.005, 0.005])  # a bar for the one score that there is
    rows = [
        {"low": json_number(low), "high": json_number(high), "count": int(n)}
        for low, high, n in zip(ends[:-1], ends[1:], counts, strict=True)
    ]
    scale, axis = alt.Scale(zero=False), _score_axis(name, 5)
    x = alt.X("low:Q", bin="binned", title=score_words(name), scale=scale, axis=axis)
    y = alt.Y("count:Q", title="permutations", axis=alt.Axis(tickCount=4, format="d"))
    bars = _chart("rows").mark_bar(color="var(--c1)").encode(x=x, x2="high:Q", y=y)
    line = _chart("own").encode(x="score:Q")
    rule = line.mark_rule(color="var(--c0)", strokeWidth=3)
    is_left = own < middle
    text = line.mark_text(
        align="left" if is_left else "right", dx=6 if is_left else -6, dy=-6,
        fill="var(--c0)", baseline="bottom",
    ).encode(y=alt.value(0), text="label:N")  # fmt: skip
    shown = [
        {"score": json_number(own), "label": f"the labels: {selection.score_words(test.score)}"}
    ]
    return {
        "spec": _finish(alt.layer(bars, rule, text), 220, rows=rows, own=shown),
        "description": f"Histogram of the scores of {count(test.n_permutations)} permutations of "
        f"the labels, and a line at {score(test.score, name)}, the score of the labels themselves.",
    }


def learning_chart(selection):
    """Draw the score against the number of samples, and how it would go on."""
    curve, name = selection.learning_curve, selection.scoring
    if curve is None:
        return None
    sides = zip(curve.n_samples, curve.means, curve.errors, strict=True)
    rows = [_learning_row(n, mean, (mean - each, mean + each), name) for n, mean, each in sides]
    line, caption = [], "Mean score of the whole selection from fewer samples, and its spread."
    if curve.law is not None:
        places = np.linspace(curve.n_samples[0], curve.n_with_more, 60)
        ends = ((n, *curve.extrapolate(n)) for n in places)
        line = [_learning_row(n, mean, interval, name) for n, mean, *interval in ends]
        caption += " The line is the law that is extrapolated, the band its 95 % interval."
    scale = alt.Scale(zero=False, padding=8)
    x = alt.X("n:Q", title="samples", scale=scale)
    y = alt.Y("score:Q", title=score_words(name), scale=scale, axis=_score_axis(name, 5))
    lawful, drawn = _chart("line").encode(x=x), _chart("rows").encode(x=x)
    layers = alt.layer(
        lawful.mark_area(opacity=0.14, color="var(--muted)").encode(y="low:Q", y2="high:Q"),
        lawful.mark_line(strokeDash=[4, 3], color="var(--muted)").encode(y=y),
        drawn.mark_rule(strokeWidth=2, color="var(--c0)").encode(y="low:Q", y2="high:Q"),
        drawn.mark_point(filled=True, size=90, opacity=1, color="var(--c0)").encode(
            y=y, tooltip=_tooltip(n="Samples", text="Score")
        ),
    )
    texts = [f"{row['n']:.0f} samples {row['text']}" for row in rows]
    return {
        "spec": _finish(layers, 220, rows=rows, line=line),
        "description": f"Mean score by number of samples: {'; '.join(texts)}.",
        "caption": caption,
    }


def _learning_row(n_samples, mean, interval, name):
    row = {"n": json_number(n_samples), "score": json_number(plain_value(mean, name))}
    return row | _bar(mean, np.asarray(interval), name) | {"text": score(mean, name)}


# ------------------------------------------------------------------ bands of an axis


def band_chart(selection):
    """Draw the bands of selected features over the class means, if the features are an axis."""
    places = feature_axis(selection.feature_names)
    if places is None or len(selection.classes) > _N_COLOURS:
        return None
    bands, labels = selection.band_columns(), class_labels(selection.classes, 40)
    domain = sorted(json_number(end) for end in (places[0], places[-1]))
    scale = alt.Scale(domain=domain, nice=False, reverse=bool(places[0] > places[-1]))
    x = alt.X("x:Q", title="feature", scale=scale)
    y = alt.Y("y:Q", title="class mean", scale=alt.Scale(zero=False, padding=8))
    band = _chart("bands").mark_rect(fill="var(--accent)", opacity=0.18, clip=True)
    line = (
        _chart("rows")
        .mark_line(strokeWidth=1.75)
        .encode(x=x, y=y, color=_class_colour(list(range(len(labels))), labels))
    )
    said = band_sentence(bands)
    layers = alt.layer(band.encode(x=x, x2="end:Q"), line)
    rows, spans = _mean_rows(selection, places), _band_rows(bands, places)
    return {
        "spec": _finish(layers, 260, labels, rows=rows, bands=spans),
        "description": f"Mean of each class along the features. {said}",
        "table": {
            "caption": said,
            "head": ["Band", "Selected features", "Strongest", "Its gain"],
            "rows": [
                [_ends(first, last), count(size), best, number(gain, ".3g")]
                for first, last, size, best, gain in zip(*bands.values(), strict=True)
            ],
        },
    }


def _mean_rows(selection, places):
    """Class means at so many features that the page stays small."""
    n_shown = min(places.size, _MAX_POINTS // len(selection.classes))
    shown = np.linspace(0, places.size - 1, n_shown).astype(int)
    return [
        {"code": code, "x": json_number(places[column]), "y": json_number(center[column])}
        for code, center in enumerate(selection.centers)
        for column in shown
    ]


def _band_rows(bands, places):
    """Where bands begin and end: half a step beyond their features."""
    half = np.abs(np.diff(places)).min() / 2
    ends = (sorted(map(float, each)) for each in zip(bands["first"], bands["last"], strict=True))
    return [{"x": json_number(low - half), "end": json_number(high + half)} for low, high in ends]


def _ends(first, last):
    return first if first == last else f"{first} to {last}"


# ------------------------------------------------------------------ probabilities


def probability_charts(classes, codes, probabilities, area):
    """Draw the ROC curve and the calibration of the second of two classes, or of each of more.

    `area` is that under the ROC curve, or the mean of several. Of more classes than there are
    colours, or where one has no samples, nothing is drawn.
    """
    n_classes = len(classes)
    counts = np.bincount(codes, minlength=n_classes)
    if n_classes > _N_COLOURS or not counts.all() or not np.isfinite(probabilities).all():
        return {}
    labels = class_labels(classes, 60)
    shown = [1] if n_classes == 2 else range(n_classes)
    of_class = labels[1] if n_classes == 2 else "the class"
    pairs = {code: (codes == code, probabilities[:, code]) for code in shown}
    mean = "area below it is" if n_classes == 2 else "mean of the areas below is"
    return {
        "roc": _share_chart(
            {code: _roc_curve(*pair) for code, pair in pairs.items()},
            ("taken for it, of all others", f"found, of all {of_class}"),
            f"ROC curve{'' if n_classes == 2 else ' of each class against the others'}; the "
            f"{mean} {number(area, '.3f')}",
            labels,
        ),
        "calibration": _share_chart(
            {code: _calibration_curve(*pair) for code, pair in pairs.items()},
            ("mean predicted probability", f"share that is {of_class}"),
            f"Calibration curve{'' if n_classes == 2 else ' of each class'}",
            labels,
            marks_points=True,
        ),
    }


def _roc_curve(is_class, scores):
    from sklearn.metrics import roc_curve

    others, found, _ = roc_curve(is_class, scores)
    kept = np.unique(np.linspace(0, len(found) - 1, _MAX_STEPS).astype(int))
    return others[kept], found[kept]


def _calibration_curve(is_class, scores):
    from sklearn.calibration import calibration_curve

    observed, predicted = calibration_curve(is_class, scores, n_bins=_N_BINS, strategy="quantile")
    return predicted, observed


def _share_chart(curves, titles, words, labels, marks_points=False):
    """Draw shares against shares for each class, beside the line on which both are equal."""
    points = [
        (code, place, *point)
        for code, curve in curves.items()
        for place, point in enumerate(zip(*curve, strict=True))
    ]
    rows = [
        {"code": code, "order": place, "x": json_number(x), "y": json_number(y)}
        for code, place, x, y in points
    ]
    channels = [
        channel(f"{field}:Q", title=title, scale=alt.Scale(domain=[0.0, 1.0]), axis=_share_axis())
        for channel, field, title in zip((alt.X, alt.Y), "xy", titles, strict=True)
    ]
    base = alt.Chart().encode(*channels)
    equal = base.mark_line(stroke="var(--muted)", strokeDash=[1, 3])
    equal = equal.properties(data=alt.NamedData(name="equal"))
    curve = base.properties(data=alt.NamedData(name="rows")).encode(
        order="order:Q", color=_class_colour(list(curves), labels)
    )
    curve = curve.mark_line(strokeWidth=2.25, point={"opacity": 1} if marks_points else False)
    ends = [{"x": 0.0, "y": 0.0}, {"x": 1.0, "y": 1.0}]
    is_one = len(curves) == 1
    return {
        "spec": _finish(alt.layer(equal, curve), 320, labels, rows=rows, equal=ends),
        "description": f"{words}: {titles[1]} against {titles[0]}.",
        "table": {
            "caption": words,
            "head": [*titles] if is_one else ["class", *titles],
            "rows": [
                [*([] if is_one else [labels[code]]), percent(x), percent(y)]
                for code, _, x, y in points
            ],
        },
    }


def _class_colour(codes, labels):
    """Colour classes, with a legend where there are several."""
    legend = alt.Legend(
        title=None,
        orient="top",
        columns=_legend_columns(labels),
        symbolLimit=40,
        labelExpr=_LABEL,
    )
    places = codes if len(codes) > 1 else [0]
    return alt.Color(
        "code:N",
        scale=alt.Scale(domain=codes, range=[f"var(--c{code % _N_COLOURS})" for code in places]),
        legend=legend if len(codes) > 1 else None,
    )
