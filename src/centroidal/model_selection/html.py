"""What a notebook shows of a selection: the answer, the curve, the first features."""

from html import escape
from math import isfinite, log

from .._html import html_table

_MOST_ROWS = 10
_WIDTH, _HEIGHT, _MARGIN = 420, 150, 34


def selection_html(found):
    """Return the answer, the score along the path, and the first features, as HTML."""
    notes = (
        found.method_summary(), found.band_summary(), found.permutation_summary(),
        found.block_summary(), found.warnings_summary(),
    )  # fmt: skip
    columns = found.feature_columns()
    rows = list(zip(*(columns[name] for name in ("rank", "feature", "gain")), strict=True))
    n_more = len(rows) - _MOST_ROWS
    parts = [
        f"<p><strong>{escape(found.summary())}</strong></p>",
        *(f"<p>{escape(note)}</p>" for note in notes if note),
        _curve(found),
        html_table(("rank", "feature", "gain"), rows[:_MOST_ROWS]),
        f"<p>… and {n_more:,} more; print() shows all scores.</p>" if n_more > 0 else "",
    ]
    return f"<div>{''.join(parts)}</div>"


def _curve(found):
    """Return the mean score against the number of features as a drawing, the choice marked."""
    sizes, scores = found.path["n_features"].tolist(), found.path["mean_test_score"].tolist()
    points = [(k, score) for k, score in zip(sizes, scores, strict=True) if isfinite(score)]
    if len(points) < 2:
        return ""
    least, most = min(score for _, score in points), max(score for _, score in points)
    height = (most - least) or 1.0
    width = log(points[-1][0] / points[0][0]) or 1.0

    def place(k, score):
        across = _MARGIN + (_WIDTH - 2 * _MARGIN) * log(k / points[0][0]) / width
        down = _HEIGHT - _MARGIN - (_HEIGHT - 2 * _MARGIN) * (score - least) / height
        return f"{across:.1f},{down:.1f}"

    line = " ".join(place(*point) for point in points)
    chosen = [place(*point) for point in points if point[0] == found.n_features_to_select]
    marks = "".join(
        '<circle cx="{}" cy="{}" r="5" fill="#c8553d"/>'.format(*each.split(",")) for each in chosen
    )
    name = escape(found.scoring.replace("_", " "))
    words = (
        f"{name} against the number of features, {points[0][0]:,} to {points[-1][0]:,}: "
        f"{least:.3f} to {most:.3f}"
    )
    return (
        f'<svg role="img" aria-label="{words}" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        'style="background:#fff">'
        f'<polyline points="{line}" fill="none" stroke="#1f5f78" stroke-width="2"/>{marks}'
        f'<text x="{_MARGIN}" y="{_HEIGHT - 10}" font-size="11">{words}</text></svg>'
    )
