"""What a notebook shows of a selection: the answer, the curve, the first features."""

from .._html import html_answer, html_curve
from ..classifiers.conformal import SelectionRecord
from .feature_flow import split_conformal


def tell_model(found):
    """Let the model of a selection know what was found, if it can."""
    _, model = split_conformal(found.model)
    if model is not None:
        model.selection_ = SelectionRecord(
            found.summary(),
            found.scoring,
            found.path["n_features"],
            found.path["mean_test_score"],
            found.selected,
            found.gains[found.selected],
        )


def selection_html(found):
    """Return the answer, the score along the path, and the first features, as HTML."""
    notes = (
        found.method_summary(), found.band_summary(), found.permutation_summary(),
        found.block_summary(), found.warnings_summary(),
    )  # fmt: skip
    path, columns = found.path, found.feature_columns()
    scores = path["n_features"].tolist(), path["mean_test_score"].tolist()
    curve = html_curve(*scores, found.n_features_to_select, found.scoring)
    header = ("rank", "feature", "gain")
    rows = list(zip(*(columns[name] for name in header), strict=True))
    return html_answer(
        found.summary(), notes, curve, header, rows, "more; print() shows all scores."
    )
