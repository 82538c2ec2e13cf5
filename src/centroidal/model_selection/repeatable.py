"""What makes a result repeatable: seeds, jobs of one thread each, and versions."""

import platform
import warnings
from collections import deque
from contextlib import nullcontext
from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from ..statistics.threads import thread_pools

_LARGEST_SEED = np.iinfo(np.int32).max


def draw_seed(rng):
    """Draw the seed of another source."""
    return int(rng.randint(_LARGEST_SEED))


def draw_seeds(rng, number):
    """Draw several seeds."""
    return rng.randint(_LARGEST_SEED, size=number)


def seed_of(random_state):
    """Return a seed as it is; of another source, or of none, draw one."""
    rng = check_random_state(random_state)
    return int(random_state) if isinstance(random_state, Integral) else draw_seed(rng)


def seed_parts(model, seed_for):
    """Give a seed to each `random_state` that is None, in a model and its parts.

    `seed_for` is called with no argument for each part that has a `random_state`, in the order of
    their names.
    """
    parameters = model.get_params()
    names = sorted(name for name in parameters if f"__{name}".endswith("__random_state"))
    seeds = {name: seed_for() for name in names}
    return model.set_params(**{name: seeds[name] for name in names if parameters[name] is None})


def run_jobs(function, jobs, n_jobs, prefer=None):
    """Yield what a function returns for each tuple of arguments, in their order."""
    options = {} if prefer is None else {"prefer": prefer}  # else what the caller has configured
    parallel = Parallel(n_jobs=n_jobs, return_as="generator", **options)
    with thread_limit(prefer):  # here too: jobs in threads would not restore it in order
        yield from parallel(delayed(_run_alone)(function, job, prefer) for job in jobs)


def take_until_interrupted(results, take, stop):
    """Hand on results one by one; with Ctrl-C `stop` is called, and what was begun ends.

    Returns whether it was interrupted.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*have been successfully executed")  # and are left out
        try:
            for found in results:
                take(found)
        except KeyboardInterrupt:
            stop()
            deque(results, maxlen=0)
            return True
    return False


def _run_alone(function, job, prefer):
    with thread_limit(prefer):
        return function(*job)


def thread_limit(prefer=None):
    """Keep linear algebra and OpenMP to one thread inside a with statement.

    So times compare, and results do not depend on the number of jobs. What prefers threads has
    compiled loops only, and need not look for linear algebra, which takes time.
    """
    return nullcontext() if prefer == "threads" else thread_pools().limit(limits=1)


def versions():
    """Return the versions of Python and the packages, by name."""
    import scipy
    import sklearn

    from .. import __version__

    return {
        "python": platform.python_version(),
        "centroidal": __version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
