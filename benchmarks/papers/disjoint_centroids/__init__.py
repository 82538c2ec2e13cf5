"""Nearest disjoint centroids: sections 3, 7 and 8 of Fraiman and Li (2021).

The column *paper* is what is printed, *ours* what was measured here, *instead* the method of
scikit-learn with the lowest error on the very same samples, whether the paper has it or not. There
are fewer repeats than the paper's 50; their number stands in every row.
"""

from functools import partial

from .._settings import Experiment
from . import averages, frequencies, genes, norms, simulations, theory
from .genes import BREAST, BREAST_AND_COLON, LEUKEMIA


def of_genes(study):
    return Experiment(partial(genes.run, study), (f"{study.file}.npz",))


EXPERIMENTS = {
    "theory": Experiment(theory.run),
    "norms": Experiment(norms.run),
    "table1": Experiment(partial(simulations.run, 1)),
    "table2": Experiment(partial(simulations.run, 2)),
    "table3": Experiment(partial(simulations.run, 3)),
    "table4_5": Experiment(partial(simulations.run, 4)),
    "averages": Experiment(averages.run),
    "table6_7": of_genes(BREAST_AND_COLON),
    "table8_9": of_genes(LEUKEMIA),
    "table10_11": of_genes(BREAST),
    "table12": Experiment(frequencies.run, (f"{BREAST.file}.npz",)),
}
