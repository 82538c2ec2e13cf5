"""What a run leaves behind: tables on the screen, CSV files with their circumstances, pictures."""

import os
import platform
import sys
import textwrap
from importlib.metadata import version
from io import BytesIO
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

import centroidal

__all__ = [
    "Claim",
    "Panel",
    "print_grid",
    "report_claims",
    "save_picture",
    "verdict",
    "write_csv",
]

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
REPEATS = ("splits", "slow_splits", "seeds")
COLUMN_WIDTH = 40


class Claim(NamedTuple):
    """What the paper says, what we measured, what the usual tool does, and whether it holds."""

    figure: str
    paper: str
    ours: str
    instead: str
    verdict: str


class Panel(NamedTuple):
    """Curves over one axis; `table` has columns method, x, y and, for bars, error."""

    title: str
    x_label: str
    table: pd.DataFrame
    log_y: bool = False
    log_x: bool = True
    x_is_share: bool = True


def verdict(share):
    """Put the share of cases in which a claim is true into words."""
    if share == 1:
        return "holds"
    return "holds mostly" if share >= 0.5 else "does not hold"


def print_grid(title, table):
    """Print a table of numbers under its title."""
    print(f"\n{title}\n")
    print(textwrap.indent(table.to_string(), "  "))


def write_csv(settings, name, rows):
    """Write `<name>.csv`; seed, threads, versions and machine stand beside every number."""
    table = pd.DataFrame(rows).assign(**circumstances(settings))
    table.to_csv(settings.results / f"{name}.csv", index=False, float_format="%.6g")


def circumstances(settings):
    versions = [f"python {platform.python_version()}", f"centroidal {centroidal.__version__}"]
    libraries = LIBRARIES + ("torch",) * ("torch" in sys.modules)  # where it was used
    versions += [f"{library} {version(library)}" for library in libraries]
    return {
        "first_seed": settings.seed,
        "threads": settings.n_threads,
        "versions": "; ".join(versions),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
    }


def report_claims(settings, paper, claims, repeats=None):
    """Print the claims of one figure and put them in the place of its old ones in the CSV file.

    `repeats` names the numbers of repeats that stand beside them; default: those of the settings.
    """
    print_claims(claims)
    path = settings.results / f"{paper}_claims.csv"
    repeats = repeats or {f"n_{what}": getattr(settings, f"n_{what}") for what in REPEATS}
    table = pd.DataFrame(claims).assign(**repeats, **circumstances(settings))
    if path.exists():
        old = pd.read_csv(path, dtype=str)
        table = pd.concat([old[~old.figure.isin(table.figure)], table])
    table.sort_values("figure", kind="stable").to_csv(path, index=False)


def print_claims(claims):
    """Print *paper | ours | what a user would pick instead*, wrapped side by side."""
    rows = [("paper", "ours", "what a user would pick instead", "verdict")]
    rows += [claim[1:] for claim in claims]
    print()
    for row in rows:
        cells = [textwrap.wrap(text, COLUMN_WIDTH) or [""] for text in row]
        for i in range(max(map(len, cells))):
            line = [cell[i] if i < len(cell) else "" for cell in cells]
            print("  " + " | ".join(f"{text:<{COLUMN_WIDTH}}" for text in line).rstrip())
        print("  " + "-" * (4 * COLUMN_WIDTH - 18))


def save_picture(settings, name, panels, highlight=()):
    """Draw the panels side by side with one legend; methods in `highlight` get thick lines."""
    figure = Figure(figsize=(4.4 * len(panels) + 2.2, 4.0), layout="constrained")
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    methods = list(dict.fromkeys(np.concatenate([panel.table.method for panel in panels])))
    for axis, panel in zip(axes, panels, strict=True):
        draw_panel(axis, panel, methods, highlight)
    handles, labels = axes[0].get_legend_handles_labels()
    by_label = dict(zip(labels, handles, strict=True))
    ordered = {method: by_label[method] for method in methods}
    figure.legend(ordered.values(), ordered, loc="outside right upper", fontsize=8)
    save_small(figure, settings.results / f"{name}.png")


def save_small(figure, path):
    """Save with a palette of 256 colours: smaller, and the same to the eye."""
    with BytesIO() as buffer:
        figure.savefig(buffer, dpi=100)
        Image.open(buffer).convert("RGB").quantize(256).save(path, optimize=True)


def draw_panel(axis, panel, methods, highlight):
    """Draw one curve a method, or a dotted level where a method has a single point."""
    for i, method in enumerate(methods):
        rows = panel.table[panel.table.method == method]
        style = {"color": f"C{i % 10}", "label": method, "linestyle": "-" if i < 10 else "--"}
        is_thick = method in highlight
        style |= {"linewidth": 2.6, "zorder": 5} if is_thick else {"linewidth": 1.1}
        if len(rows) == 1:
            axis.axhline(rows.y.iloc[0], **style | {"linestyle": ":"})
        elif len(rows):
            bars = {"elinewidth": 1.6 if is_thick else 0.5, "capsize": 2, "marker": "."}
            axis.errorbar(rows.x, rows.y, rows.get("error"), **style, **bars)
    axis.set(title=panel.title, xlabel=panel.x_label)
    axis.set_xscale("log" if panel.log_x else "linear")
    axis.set_yscale("log" if panel.log_y else "linear")
    if panel.x_is_share:
        axis.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
    axis.grid(alpha=0.3)
