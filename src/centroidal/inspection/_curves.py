"""What pictures of paths share: a score with its standard error, and the choice made by it."""

from ..model_selection.path import score_name

__all__ = ["draw_curve", "mark_choice", "score_name_of"]


def score_name_of(estimator):
    """Name of what the folds of an estimator were scored by."""
    return score_name(getattr(estimator, "scoring", None))


def draw_curve(ax, numbers, mean_score, standard_error, label=None, **line_options):
    """Draw a line and a band of one standard error around it; return both."""
    (line,) = ax.plot(numbers, mean_score, label=label, **line_options)
    band = ax.fill_between(
        numbers,
        mean_score - standard_error,
        mean_score + standard_error,
        color=line.get_color(),
        alpha=0.2,
        linewidth=0,
    )
    return line, band


def mark_choice(ax, number, what, color):
    """Draw a vertical line where the choice is."""
    return ax.axvline(number, color=color, linestyle=":", label=f"{number} {what} chosen")
