"""From what was found to one HTML file that needs nothing else."""

import base64
import hashlib
import re
from datetime import date as calendar_date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import check_target, write_atomically
from .._optional import require
from .._typing import FilePath
from . import sections
from ._text import count, json_text, tidy

if TYPE_CHECKING:
    from ..io import Evaluation, Table
    from ..model_selection import Comparison, FeatureSelection
    from ..streaming import Batches

__all__ = ["build_report", "write_report"]

_TEMPLATES = Path(__file__).parent / "templates"
_HEADING = re.compile(r'<section id="([a-z]+)"[^>]*>\s*<h2[^>]*>([^<]+)</h2>')
_PACKAGES = ("jinja2", "altair", "vl_convert")


def build_report(
    selection: "FeatureSelection | None" = None,
    comparison: "Comparison | None" = None,
    *,
    evaluation: "Evaluation | None" = None,
    table: "Table | Batches | None" = None,
    command: str | None = None,
    title: str | None = None,
    comment: str | None = None,
    date: calendar_date | None = None,
) -> str:
    """Return a report as HTML: one page with its charts and scripts inside.

    The page says what was asked, what was found and how sure it is, and what to mind. A slider
    shows the score, the features and the confusion matrix for other numbers of features. It works
    without a network, from a mail attachment, on paper, and by keyboard.

    Parameters
    ----------
    selection : FeatureSelection or None, default=None
        What :func:`~centroidal.model_selection.select_features` returns.
    comparison : Comparison or None, default=None
        What :func:`~centroidal.model_selection.compare` returns.
    evaluation : Evaluation or None, default=None
        What :func:`~centroidal.io.evaluate_model` returns; it has a page of its own. Either
        it or one of the others is needed.
    table : Table, Batches or None, default=None
        What :func:`~centroidal.io.read_table` or :func:`~centroidal.streaming.batches` returned,
        for the name of the file; of a table also for its SHA-256, remarks, and names of samples.
    command : str or None, default=None
        How to do it again from the command line.
    title : str or None, default=None
        Title of the page.
    comment : str or None, default=None
        A paragraph of your own below the title.
    date : datetime.date or None, default=None
        Date of the report; None is today.

    Returns
    -------
    str
        The page, less than 2 MB in UTF-8.

    See Also
    --------
    write_report : Writes it to a file.

    Notes
    -----
    Of many features, details of the first ones are in the page, as many as fit; the page says how
    many. Names are shown as text, whatever is in them: nothing in a table can run in the page.

    Examples
    --------
    >>> from datetime import date
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.model_selection import select_features
    >>> from centroidal.report import build_report
    >>> X, y = load_expression(return_X_y=True)
    >>> found = select_features(X, y, n_repeats=1, random_state=0)
    >>> page = build_report(found, title="Tumours", date=date(2024, 5, 17))
    >>> "<title>Tumours</title>" in page, len(page) < 2_000_000
    (True, True)
    """
    if (selection is None and comparison is None) == (evaluation is None):
        raise ValueError("selection=None and comparison=None: only, and always, with evaluation.")
    jinja2, *_ = (require(package, "report", "the report") for package in _PACKAGES)
    scripts = [_javascript(), _asset("report.js")]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": count, "headings": _HEADING.findall}
    trusted = jinja2.utils.markupsafe.Markup
    if evaluation is None:
        template, content = "report.html", _content(selection, comparison, table, command)
    else:
        template, content = "evaluation.html", _evaluation_content(evaluation, table, command)
    specs = {name: chart["spec"] for name, chart in content["charts"].items()}
    for name, chart in content["charts"].items():
        chart["picture"] = trusted(_picture(name, chart["spec"]))
    return environment.get_template(template).render(
        content,
        title=_title(title, table, selection, evaluation),
        comment=None if comment is None else tidy(comment, 5000),
        date=calendar_date.today() if date is None else date,
        policy=_policy(scripts),
        style=trusted(_asset("report.css")),
        scripts=[trusted(script) for script in scripts],
        data=trusted(json_text({"charts": specs, "selection": content["embedded"]})),
    )


def write_report(
    path: FilePath,
    selection: "FeatureSelection | None" = None,
    comparison: "Comparison | None" = None,
    *,
    force: bool = False,
    **options: Any,
) -> None:
    """Write a report to an HTML file, by an atomic write.

    Parameters
    ----------
    path : str or path
        File to write; its name must end in ``.html``.
    selection : FeatureSelection or None, default=None
        As in :func:`build_report`.
    comparison : Comparison or None, default=None
        As in :func:`build_report`.
    force : bool, default=False
        Whether a file that exists may be overwritten.
    **options
        Passed to :func:`build_report`: `evaluation`, `table`, `command`, `title` and so on.

    Raises
    ------
    FileExistsError
        If the file exists and `force` is False.

    See Also
    --------
    build_report : Returns the page, and says what is in it.
    """
    path = check_target(path, ".html", force)
    page = build_report(selection, comparison, **options)
    write_atomically(path, page.encode(), force=force)


def _title(title, table, selection, evaluation):
    if title is not None:
        return tidy(title)
    what = "Feature selection" if selection is not None else "Comparison of classifiers"
    what = what if evaluation is None else "External validation"
    return what if table is None else f"{what}: {tidy(table.source, 120)}"


def _content(selection, comparison, table, command):
    """Everything the template says; parts without data are None."""
    features = sections.feature_section(selection)
    compared = sections.comparison_section(comparison)
    references = sections.reference_section(selection)
    return {
        "head": sections.request_section(selection, comparison, table),
        "answer": sections.answer_section(selection, comparison),
        "slider": sections.slider_section(selection),
        "features": features,
        "words": sections.words_section(selection),
        "is_streamed": selection is not None and selection.is_streamed,
        "references": references,
        "compared": compared,
        "in_blocks": sections.block_section(selection),
        "believe": sections.believe_section(selection),
        "recall": sections.recall_section(selection, comparison),
        "metrics": sections.metric_section(selection),
        "costs": sections.cost_section(selection),
        "calls": selection and sections.call_section(selection.calls, selection.classes),
        "stability": sections.stability_section(selection),
        "reproduction": sections.reproduction_section(selection, comparison, table, command),
        "caveats": sections.caveat_section(selection, comparison),
        "cards": sections.card_section(selection, comparison),
        "embedded": sections.embedded_data(selection, features),
        "charts": _charts(selection, comparison, table, references, compared),
    }


def _charts(selection, comparison, table, references, compared):
    """Draw the charts there are data for; they go by name."""
    from . import charts  # altair comes with it

    found = {}
    if selection is not None:
        found["curve"] = charts.curve_chart(selection)
        found["bands"] = charts.band_chart(selection)
        found["heat"] = charts.heat_chart(selection)
        found["scatter"] = charts.scatter_chart(selection, table)
        found["chance"] = charts.chance_chart(selection)
        found["learning"] = charts.learning_chart(selection)
        if not selection.is_streamed and selection.probabilities is not None:
            n_repeats, _, n_classes = selection.probabilities.shape
            found |= charts.probability_charts(
                selection.classes,
                np.tile(selection.true_codes, n_repeats),
                selection.probabilities.reshape(-1, n_classes),
                selection.metrics["roc_auc"],
            )
    name = selection.scoring if comparison is None else comparison.score_name
    scores = references if compared is None else compared
    found["means"] = charts.means_chart(scores["rows"], name, scores["score"])
    return {name: chart for name, chart in found.items() if chart is not None}


def _evaluation_content(evaluation, table, command):
    """Everything that the page on an evaluation says."""
    from . import charts

    found, probabilities = {}, evaluation.predictions.probabilities
    if probabilities is not None:
        codes = np.argmax(evaluation.labels[:, None] == evaluation.classes, axis=1)
        area = evaluation.metrics["roc_auc"]
        found = charts.probability_charts(evaluation.classes, codes, probabilities, area)
    return sections.evaluation_sections(evaluation, table, command) | {"charts": found}


def _picture(name, spec):
    from .charts import picture

    return picture(name, spec)


@cache
def _javascript():
    from .charts import javascript

    return javascript()


def _asset(name):
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _policy(scripts):
    """Content security policy: nothing is loaded, and no script runs but these, by their hashes.

    Expressions of Vega are interpreted, not compiled (`ast` in the script), so that 'unsafe-eval'
    is not needed. Styles have to be allowed: charts and bars set widths and colours on elements.
    """
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    sources = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {sources}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
