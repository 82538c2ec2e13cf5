"""The work of the process that `peer` starts: read a problem, solve it, write the weights.

Labels become zeros and ones, as in the paper on RFS; left alone this version of the package takes
-1 and 1, which is another problem.
"""

import sys

import numpy as np
from skfeature.function.sparse_learning_based import RFS
from skfeature.utility.sparse_learning import construct_label_matrix


def solve(problem, found):
    """Print the objective of each iteration, and save the weights at the end."""
    RFS.construct_label_matrix_pan = construct_label_matrix
    with np.load(problem) as given:
        X, y, alpha = given["X"], given["y"], float(given["alpha"])
    np.save(found, RFS.rfs(X, y, mode="raw", gamma=alpha, verbose=True))


if __name__ == "__main__":
    solve(*sys.argv[1:])
