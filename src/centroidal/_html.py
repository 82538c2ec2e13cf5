"""Pieces of what notebooks show, in which everything that comes from data is text."""

from html import escape
from math import isfinite, log

_MOST_ROWS = 10
_WIDTH, _HEIGHT, _MARGIN = 420, 150, 34


def html_table(header, rows):
    """Return a table of texts and numbers as HTML."""
    head = "".join(f"<th>{escape(str(name))}</th>" for name in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_cell(value))}</td>" for value in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def titled_table(sentence, header, rows):
    """Return a table below a sentence on it, as HTML."""
    return f"<div><p><strong>{escape(sentence)}</strong></p>{html_table(header, rows)}</div>"


def html_answer(sentence, notes, curve, header, rows, rest="more."):
    """Return a sentence, notes on it, a curve and the first of the rows of a table, as HTML."""
    n_more = len(rows) - _MOST_ROWS
    parts = [
        f"<p><strong>{escape(sentence)}</strong></p>",
        *(f"<p>{escape(note)}</p>" for note in notes if note),
        curve,
        html_table(header, rows[:_MOST_ROWS]) if rows else "",
        f"<p>… and {n_more:,} {rest}</p>" if n_more > 0 else "",
    ]
    return f"<div>{''.join(parts)}</div>"


def html_curve(sizes, scores, chosen, scoring, of="features"):
    """Return scores against sizes from one on as a drawing, the choice marked; "" if too few."""
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
    marks = "".join(
        '<circle cx="{}" cy="{}" r="5" fill="#c8553d"/>'.format(*place(*point).split(","))
        for point in points
        if point[0] == chosen
    )
    words = (
        f"{escape(scoring.replace('_', ' '))} against the number of {of}, "
        f"{points[0][0]:,} to {points[-1][0]:,}: {least:.3f} to {most:.3f}"
    )
    return (
        f'<svg role="img" aria-label="{words}" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        'style="background:#fff">'
        f'<polyline points="{line}" fill="none" stroke="#1f5f78" stroke-width="2"/>{marks}'
        f'<text x="{_MARGIN}" y="{_HEIGHT - 10}" font-size="11">{words}</text></svg>'
    )


def _cell(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)
