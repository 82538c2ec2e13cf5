"""Tables for notebooks, in which everything that comes from data is text."""

from html import escape


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


def _cell(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)
