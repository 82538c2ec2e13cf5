"""Figure 4.2: accuracy over the number of whitened components."""

from .._output import Panel, save_picture
from .linear_tables import FIGURE_4_2
from .protocol import PAPER, run_table

__all__ = ["run"]

OURS = "TIPCAC"


def run(settings):
    """Measure as for a table, and draw."""
    summary = run_table(FIGURE_4_2, settings)
    panels = [
        Panel(f"{data}: accuracy, %", "d", curve(rows), log_x=False, x_is_share=False)
        for data, rows in summary.groupby("data", sort=False)
    ]
    save_picture(settings, f"{PAPER}_{FIGURE_4_2.name}", panels, highlight=[OURS])


def curve(rows):
    """Rows "d=5" are points of one curve, the peers are levels."""
    is_ours = rows.method.str.startswith("d=")
    d = rows.method.str.removeprefix("d=").where(is_ours).astype(float)
    table = rows.assign(x=d, method=rows.method.mask(is_ours, OURS))
    return table.rename(columns={"accuracy_mean": "y", "accuracy_se": "error"})
