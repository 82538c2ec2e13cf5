"""Feature selection by distance to centroids: tables and figures of Xia, Su and Kong.

The column *paper* is what is printed or said in the text, *ours* what was measured here, *instead*
what scikit-learn or skfeature offer for the same task. The names are the paper's: RFS is l2,1
selection with classes as targets, *Ours* the same with centroids, SLCE the sparse linear
centroid-encoder, Relief the one with squared differences, SCE the sparse centroid-encoder, AO-SCE
the same by alternation, RSCE the same after a first selection by ReliefF. Encoders need PyTorch.

skfeature's RFS takes minutes: it runs only with ``--peer-seconds``, and no longer than that on each
set. Accuracies are means over five folds, repeated once for every ten of ``--splits``, and half as
often for the encoders; ``--slow-splits`` gives them fewer.
"""

from functools import partial

from .._settings import Experiment
from . import accuracy, convergence, distances, relief_weights, times
from .problems import ALLAML, PROBLEMS

ALL_SETS = tuple(problem.needs for problem in PROBLEMS)

EXPERIMENTS = {
    "table1": Experiment(times.run, ALL_SETS),
    "table2": Experiment(distances.run, ALL_SETS),
    "figure1": Experiment(convergence.run, ALL_SETS),
    "figure2_3": Experiment(relief_weights.run, (ALLAML.needs,)),
} | {
    f"figure4_{problem.name.lower()}": Experiment(partial(accuracy.run, problem), (problem.needs,))
    for problem in PROBLEMS
}
