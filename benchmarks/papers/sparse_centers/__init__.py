"""Sparse l1 and l2 center classifiers: section VI of Calafiore and Fracastoro (2022).

The paper's figures are pictures, so what stands in the column *paper* is what its text says of
them, and the verdict is a rule applied to our numbers (see `claims`).
"""

from functools import partial

from .._settings import Experiment
from . import against_svm, one_stage, outliers, two_stage
from .protocol import GENES, TEXTS, file_word


def on_each(prefix, run, sets):
    """Make an experiment of each set, named after what the paper calls it."""
    suffix = ".jsonl.gz" if sets.items() <= TEXTS.items() else ".npz"
    return {
        f"{prefix}_{file_word(title)}": Experiment(partial(run, data), (data + suffix,))
        for data, title in sets.items()
    }


# What the paper trains on all features needs tables that fit; scikit-learn makes TWTR dense.
SMALL_TEXTS = {data: title for data, title in TEXTS.items() if title != "TWTR sample"}

EXPERIMENTS = {
    "figure6": Experiment(outliers.run),
    **on_each("two_stage", two_stage.run_text, TEXTS),
    **on_each("two_stage", two_stage.run_genes, GENES),
    **on_each("one_stage", one_stage.run_text, SMALL_TEXTS),
    **on_each("against_svm", against_svm.run, SMALL_TEXTS),
    **on_each("one_stage", one_stage.run_genes, GENES),
    **on_each("l1_against_l2", one_stage.run_l1_against_l2, GENES),
}
