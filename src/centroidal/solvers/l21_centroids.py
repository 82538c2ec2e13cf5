r"""Row-sparse regression on class targets: both the misfit and the penalty are sums of row norms.

    minimise  F(W) = sum_i ||Y_i - X_i W|| + alpha sum_j ||W_j||

Its dual has a vector for each sample, and any S within its constraints bounds the optimum:

    maximise  <S, Y>  subject to  ||S_i|| <= 1  and  ||(X^T S)_j|| <= alpha

Equation map (:cite:t:`XiaSuKong`, whose equations have no numbers, with misprints corrected)::

    section 3.2   objective                          objective()
    algorithm 1   reweighted least squares           solve_reweighted()
    algorithm 2   conjugate gradients, by column     _Reweighted._conjugate_gradients()

The interior-point method on the dual and the alternating direction method of multipliers (ADMM),
with a working set of features, are ours: solve_interior(), solve_splitting().
"""

from typing import NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from ..statistics.threads import with_limited_blas

_RANK = 1e-10  # a smaller share of the largest eigenvalue is no direction of the centroids
_FIRST_STEPS = 4  # of reweighting, to find features to begin with
_FEATURES_PER_SAMPLE = 3  # to begin with
_POOL = 4  # times as many from which these are found: those nearest to the targets
_NEARLY = 0.95  # length of what may be longer than one in the next round
_PASSED = 0.8  # length of what is left out again
_INSIDE = 1.1  # how far inside its constraints a point must be to begin from
_FIRST_AIM, _NEXT_AIM = 1e-2, 0.03  # relative gap on the first working set; later, share of the gap
_MOST_ROUNDS, _MOST_VAIN_ROUNDS = 50, 15
_MOST_STEPS = 100
_SMOOTHING = 1e-8  # smallest row norm as a share of the mean
_DIRECT_SAMPLES = 2000  # up to which equations are solved by Cholesky
_CG_TOL = 1e-8
_LOOK_EVERY = 10  # steps of alternating directions, between two looks at the certificate
_AHEAD = 1.6  # how far they go beyond where they are led
_MOST_JITTERS = 12  # tenfold each time, up to about the diagonal itself
_BLOCK = 64  # rows that are solved for at a time
_ROUNDING = 1e-12  # a smaller share of the largest possible correlation is none
_HARMLESS = 0.01  # share of the gap by which it may grow for the sake of zeros
_CLEAR = 10.0  # times that one of two shares is above the other if a feature is clearly in or out
_FINER = 0.01  # share of the tolerance down to which to go on until that is clear
_PRECISION = 1e-8  # share of the objective up to which ill-conditioned equations are solved
_SMALL = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)  # shares of the longest row that may be zero


class L21Solution(NamedTuple):
    """A certified solution."""

    coefficients: np.ndarray  # (n_features, n_targets): W
    dual: np.ndarray  # (n_samples, n_targets): S, within all its constraints
    objective: float  # F(W)
    bound: float  # ``<S, Y>``, which the optimum is not below
    n_iter: int  # steps taken

    def is_within(self, tol):
        """Whether the gap between objective and bound is at most this share of the objective."""
        return bool(self.objective - self.bound <= tol * self.objective)

    def allows(self, value, tol):
        """Whether an objective of `value` is within `tol`, or this one is not and it is as good."""
        least = min(value, self.objective)
        limit = tol * least
        if not self.is_within(tol):
            limit = (1.0 + _HARMLESS) * (self.objective - self.bound)
        return bool(value - self.bound <= max(limit, _PRECISION * least))


def centroid_targets(centroids):
    """Coordinates of the centroids in their own span, one row a class.

    With them as targets, W has the same row norms as with the centroids themselves.
    """
    values, vectors = np.linalg.eigh(centroids @ centroids.T)
    kept = values > _RANK * max(values[-1], 0.0)
    return vectors[:, kept] * np.sqrt(values[kept])


def largest_alpha(rows, targets):
    """Smallest penalty for which W = 0 is optimal, if no row of the targets is zero."""
    largest = float(_norms(rows.pull_back(_units(targets))).max())
    possible = np.sqrt(len(targets) * rows.column_squares().max())
    return largest if largest > _ROUNDING * possible else 0.0


def objective(rows, targets, coefficients, alpha):
    """Value of F."""
    misfit = _norms(targets - rows.push(coefficients)).sum()
    return float(misfit + alpha * _norms(coefficients).sum())


def _squares(vectors):
    return np.einsum("ij,ij->i", vectors, vectors)


def _norms(vectors):
    return np.sqrt(_squares(vectors))


def _units(vectors):
    """Rows of length one, but for those that are zero."""
    lengths = _norms(vectors)
    return vectors / np.where(lengths > 0, lengths, 1.0)[:, None]


def _factor(matrix):
    """Cholesky factor; what rounding took from the diagonal is given back, and no more."""
    jitter = len(matrix) * np.finfo(float).eps * matrix.diagonal().max()
    for _ in range(_MOST_JITTERS):
        try:
            return np.linalg.cholesky(matrix)
        except LinAlgError:
            matrix.ravel()[:: len(matrix) + 1] += jitter
            jitter *= 10.0
    return np.linalg.cholesky(matrix)


def _solve_factored(lower, right):
    """Substitute forwards and backwards, a block of rows at a time.

    All is NumPy's, as products are: SciPy's threads and its would wait for each other.
    """
    blocks = [slice(start, start + _BLOCK) for start in range(0, len(lower), _BLOCK)]
    found = np.array(right)
    for rows in blocks:
        known = lower[rows, : rows.start] @ found[: rows.start]
        found[rows] = np.linalg.solve(lower[rows, rows], found[rows] - known)
    for rows in reversed(blocks):
        known = lower[rows.stop :, rows].T @ found[rows.stop :]
        found[rows] = np.linalg.solve(lower[rows, rows].T, found[rows] - known)
    return found


# ---------------------------------------------------------------- reweighted least squares


class _Reweighted:
    """Row norms of W and of the scaled residuals, from which the next least squares follow."""

    def __init__(self, rows, targets, alpha, by_gradients=False):
        self.rows, self.targets, self.alpha = rows, targets, alpha
        self.by_gradients = by_gradients
        n_samples, n_features = rows.rows.shape
        self.of_features, self.of_samples = np.ones(n_features), np.ones(n_samples)
        self.is_kept = np.ones(n_features, dtype=bool)  # the others have rows of zeros
        self.multipliers = np.zeros_like(targets)

    def step(self):
        """Solve the weighted least squares and take its row norms as the next weights."""
        self.multipliers = self._solve()
        self.gradients = self.rows.pull_back(self.multipliers)
        on_features = _norms(self.gradients)
        on_samples = self.alpha * _norms(self.multipliers)
        self.solved_with = self.of_features
        self.steepest = max(on_features.max(), on_samples.max())
        norms = self.of_features * on_features, self.of_samples * on_samples
        self.objective = self.alpha * sum(part.sum() for part in norms)
        floor = _SMOOTHING * self.objective / self.alpha / sum(part.size for part in norms)
        self.of_features, self.of_samples = (np.hypot(part, floor) for part in norms)
        self.of_features[~self.is_kept] = 0.0

    @property
    def coefficients(self):
        """W of the last step."""
        return self.solved_with[:, None] * self.gradients

    @property
    def dual(self):
        """S of the last step, scaled into its constraints."""
        return self.alpha / self.steepest * self.multipliers

    def _solve(self):
        ridge = self.alpha**2 * self.of_samples
        if self.by_gradients or ridge.size > _DIRECT_SAMPLES:
            return self._conjugate_gradients(ridge)
        matrix = self.rows.weighted_gram(self.of_features)
        matrix.ravel()[:: ridge.size + 1] += ridge
        return _solve_factored(_factor(matrix), self.targets)

    def _conjugate_gradients(self, ridge):
        """Solve column by column, without the matrix, from the last multipliers."""

        def multiply(vectors):
            inner = self.rows.pull_back(vectors)
            return self.rows.push(self.of_features[:, None] * inner) + ridge[:, None] * vectors

        found = self.multipliers.copy()
        residual = self.targets - multiply(found)
        direction, lengths = residual.copy(), (residual**2).sum(axis=0)
        enough = _CG_TOL**2 * (self.targets**2).sum(axis=0)
        for _ in range(10 * ridge.size):
            if (lengths <= enough).all():
                break
            image = multiply(direction)
            curvature = (direction * image).sum(axis=0)
            active = lengths > enough
            steps = np.where(active, lengths / np.where(curvature > 0, curvature, 1.0), 0.0)
            found += steps * direction
            residual -= steps * image
            lengths, old = (residual**2).sum(axis=0), lengths
            direction = residual + np.where(active, lengths / old, 0.0) * direction
        return found


@with_limited_blas(lambda rows, *_: rows.rows.shape)
def solve_reweighted(rows, targets, alpha, tol, max_iter, by_gradients=False):
    """Solve by iteratively reweighted least squares, up to a relative gap of `tol`.

    Their equations are solved by conjugate gradients if asked for, or if there are many samples.
    """
    scheme = _Reweighted(rows, targets, alpha, by_gradients)
    best, bound, dual, n_iter = np.inf, -np.inf, None, 0
    while n_iter < max_iter:
        n_iter += 1
        scheme.step()
        if scheme.objective < best:
            best, coefficients = scheme.objective, scheme.coefficients
        below = float((scheme.dual * targets).sum())
        if below > bound:
            bound, dual = below, scheme.dual
        if best - bound <= (1.0 - _HARMLESS) * tol * best:
            break
    found = L21Solution(coefficients, dual, best, bound, n_iter)

    scheme.is_kept = _is_in_optimum(rows, alpha, found)
    scheme.of_features[~scheme.is_kept] = 0.0
    for _ in range(_MOST_STEPS):
        scheme.step()
        if found.allows(scheme.objective, tol):
            return found._replace(coefficients=scheme.coefficients, objective=scheme.objective)
    return _with_exact_zeros(rows, targets, alpha, found, tol)


def _is_in_optimum(rows, alpha, found):
    """Tell the features of the optimum by its certificate.

    A row of an optimal W is not longer than the gap divided by ``alpha - ||(X^T S)_j||``. So of two
    shares, the length of a row in that of the longest one and what S leaves of its constraint, one
    tends to zero with the gap: a feature is in the optimum if the first is the larger one.
    """
    lengths, left = _shares(rows, alpha, found)
    return lengths > left


def _is_clear(rows, alpha, found):
    """Whether it is clear for all features if they are in the optimum."""
    lengths, left = _shares(rows, alpha, found)
    return bool(((lengths > _CLEAR * left) | (left > _CLEAR * lengths)).all())


def _shares(rows, alpha, found):
    """Lengths of the rows as shares of the longest, and what is left of their constraints."""
    lengths = _norms(found.coefficients)
    left = 1.0 - _norms(rows.pull_back(found.dual)) / alpha
    return lengths / max(lengths.max(), np.finfo(float).tiny), left


def _with_exact_zeros(rows, targets, alpha, found, tol):
    """Set as many of the short rows to zero as the gap allows, for `tol` is a loose one."""
    norms = _norms(found.coefficients)
    for share in _SMALL:
        trial = np.where((norms > share * norms.max())[:, None], found.coefficients, 0.0)
        value = objective(rows, targets, trial, alpha)
        if found.allows(value, tol):
            return found._replace(coefficients=trial, objective=value)
    return found


# ---------------------------------------------------------------- a working set of features


@with_limited_blas(lambda rows, *_: rows.rows.shape)
def solve_interior(rows, targets, alpha, tol, max_iter, start=None):
    """Solve the dual by an interior-point method on a working set of features that grows."""
    return _solve_growing(rows, targets, alpha, tol, max_iter, start, _solve_inside, _FINER)


@with_limited_blas(lambda rows, *_: rows.rows.shape)
def solve_splitting(rows, targets, alpha, tol, max_iter, start=None):
    """Solve by the alternating direction method of multipliers on a working set that grows."""
    return _solve_growing(rows, targets, alpha, tol, max_iter, start, _solve_split, 1.0)


def _solve_growing(rows, targets, alpha, tol, max_iter, start, solve_on, finer):
    """Leave features out until they break their constraint; the bound holds for all of them.

    `max_iter` counts steps over all working sets; `start` is the solution for a similar penalty.
    While it is not clear which features are in the optimum, go on, down to `finer` times `tol`.
    """
    chosen, dual = _first_features(rows, targets, alpha, start)
    coefficients = np.zeros((rows.rows.shape[1], targets.shape[1]))
    if start is not None:
        coefficients[chosen] = start.coefficients[chosen]
    best, bound = objective(rows, targets, coefficients, alpha), -np.inf
    n_iter, n_vain, aim, gap = 0, 0, _FIRST_AIM, np.inf
    for _ in range(_MOST_ROUNDS):
        columns = np.ascontiguousarray(rows.columns(chosen))
        near = dual, coefficients[chosen]
        found = solve_on(columns, targets, alpha, aim, max_iter - n_iter, *near)
        n_iter += found.n_iter
        if found.objective < best:
            best = found.objective
            coefficients = np.zeros_like(coefficients)
            coefficients[chosen] = found.coefficients
        lengths = _norms(rows.pull_back(found.dual)) / alpha
        excess = max(float(lengths.max()), 1.0)
        below = float((found.dual * targets).sum()) / excess
        if below > bound:
            bound, best_dual = below, found.dual / excess
        gap, last_gap = (best - bound) / best, gap
        solution = L21Solution(coefficients, best_dual, best, bound, n_iter)
        is_clear = gap <= finer * tol or _is_clear(rows, alpha, solution)
        grown = _with_violators(chosen, lengths, targets.shape[0])
        n_vain = n_vain + 1 if grown.size == chosen.size and gap > 0.9 * last_gap else 0
        if (gap <= tol and is_clear) or n_iter >= max_iter or n_vain == _MOST_VAIN_ROUNDS:
            break
        aim = max(_NEXT_AIM * min(aim, gap), 0.5 * (tol if gap > tol else finer * tol))
        chosen = grown
        dual = found.dual

    kept = np.flatnonzero(_is_in_optimum(rows, alpha, solution))
    columns, aim = np.ascontiguousarray(rows.columns(kept)), 0.5 * max(tol, gap)
    near = best_dual, coefficients[kept]
    alone = solve_on(columns, targets, alpha, aim, _MOST_STEPS, *near)
    cut = np.zeros_like(coefficients)
    cut[kept] = coefficients[kept]
    value = objective(rows, targets, cut, alpha)
    if alone.objective < value:
        cut[kept], value = alone.coefficients, alone.objective
    if solution.allows(value, tol):
        return solution._replace(coefficients=cut, objective=value)
    return _with_exact_zeros(rows, targets, alpha, solution, tol)


def _first_features(rows, targets, alpha, start):
    """Features to begin with, and a dual point."""
    n_chosen = _FEATURES_PER_SAMPLE * len(targets)
    if start is not None:
        promise = _norms(rows.pull_back(start.dual)) + _norms(start.coefficients)
        return _largest(promise, n_chosen), start.dual
    pool = _largest(_norms(rows.pull_back(_units(targets))), _POOL * n_chosen)
    scheme = _Reweighted(rows.take_columns(pool), targets, alpha)
    for _ in range(_FIRST_STEPS):
        scheme.step()
    return pool[_largest(scheme.of_features, n_chosen)], scheme.dual


def _largest(values, number):
    """Positions of the largest values, in order."""
    return np.sort(np.argsort(-values, kind="stable")[:number])


def _with_violators(chosen, lengths, n_samples):
    """Add the features that break their constraint most; lengths of one are allowed.

    Those that nearly do come along: else they would be next, a few in each round. Those that are
    far from it go; if that was wrong, they come back.
    """
    outside = np.setdiff1d(np.flatnonzero(lengths > _NEARLY), chosen)
    if not (lengths[outside] > 1.0).any():
        return chosen
    n_added = max(n_samples, chosen.size // 2)
    worst = outside[np.argsort(-lengths[outside], kind="stable")[:n_added]]
    return np.union1d(chosen[lengths[chosen] > _PASSED], worst)


# ---------------------------------------------------------------- alternating directions


def _solve_split(columns, targets, alpha, tol, max_iter, dual, coefficients):
    """Alternating direction method of multipliers with all features, from a point nearby."""
    scheme = _Splitting(columns, targets, alpha, dual, coefficients)
    best, bound, n_iter = np.inf, -np.inf, 0
    while n_iter < max_iter:
        n_iter += 1
        scheme.step()
        if n_iter % _LOOK_EVERY and n_iter < max_iter:
            continue
        value = scheme.objective()
        if value < best:
            best, coefficients = value, scheme.Z
        trial = scheme.dual()
        below = float((trial * targets).sum())
        if below > bound:
            bound, dual = below, trial
        if best - bound <= tol * best:
            break
    return L21Solution(coefficients, dual, best, bound, n_iter)


class _Splitting:
    """Misfits E and rows Z of their own, W between them, and how far they are apart so far.

    Misfits and rows are shrunk, which costs nothing, and least squares bring ``X W + E`` to Y and
    W to Z. Their matrix does not change, so it is inverted once; no eigenvalue is below one.
    """

    def __init__(self, columns, targets, alpha, dual, coefficients):
        self.X, self.targets, self.alpha = columns, targets, alpha
        n_samples, n_features = columns.shape
        self.unit = (columns**2).sum() / n_features  # of a row of W, beside a misfit
        self.is_wide = n_features >= n_samples
        products = (columns @ columns.T if self.is_wide else columns.T @ columns) / self.unit
        products.ravel()[:: len(products) + 1] += 1.0
        self.inverse = np.linalg.inv(products)
        self.strength = len(targets) / _norms(targets).sum()
        self.Z, self.E = coefficients, targets - columns @ coefficients
        self.of_misfits = -dual / self.strength
        self.of_rows = columns.T @ dual / (self.strength * self.unit)

    def step(self):
        """Find W by least squares, shrink both copies, and add up what is between them."""
        W, met = self._solve(self.targets - self.E - self.of_misfits, self.Z - self.of_rows)
        met = _AHEAD * met + (1.0 - _AHEAD) * (self.targets - self.E)
        ahead = _AHEAD * W + (1.0 - _AHEAD) * self.Z
        left, rows = self.targets - met - self.of_misfits, ahead + self.of_rows
        self.E = _shrink(left, 1.0 / self.strength)
        self.Z = _shrink(rows, self.alpha / (self.strength * self.unit))
        self.of_misfits, self.of_rows = self.E - left, rows - self.Z

    def _solve(self, wanted, near):
        """Return W near a given one with ``X W`` near what is wanted, and ``X W``."""
        if self.is_wide:
            solved = self.inverse @ (wanted - self.X @ near)
            return near + self.X.T @ solved / self.unit, wanted - solved
        W = self.inverse @ (self.X.T @ wanted / self.unit + near)
        return W, self.X @ W

    def objective(self):
        """Value of F at Z."""
        misfit = _norms(self.targets - self.X @ self.Z).sum()
        return float(misfit + self.alpha * _norms(self.Z).sum())

    def dual(self):
        """S of the last step, scaled into its constraints."""
        S = -self.strength * self.of_misfits
        longest = _norms(self.X.T @ S).max() / self.alpha
        return S / max(_norms(S).max(), longest, 1.0)


def _shrink(vectors, length):
    """Make each row shorter by a length, down to zero."""
    norms = _norms(vectors)
    shares = 1.0 - length / np.maximum(norms, length)
    return shares[:, None] * vectors


# ---------------------------------------------------------------- interior point


class _Cones:
    """Vectors that must stay in the unit ball: of each sample, and of each feature."""

    def __init__(self, columns, alpha):
        self.scaled = columns / alpha

    def down(self, dual):
        """Vectors of all cones at a dual point."""
        return np.vstack([dual, self.scaled.T @ dual])

    def up(self, vectors):
        """Adjoint of `down`."""
        n_samples = self.scaled.shape[0]
        return vectors[:n_samples] + self.scaled @ vectors[n_samples:]

    def factor(self, vectors, multipliers, ratios):
        """Cholesky factor of the matrix of the Newton equations, target by target."""
        n_samples, n_targets = self.scaled.shape[0], vectors.shape[1]
        matrix = np.empty((n_targets, n_samples, n_targets, n_samples))
        for a in range(n_targets):
            for b in range(a, n_targets):
                weights = ratios * vectors[:, a] * vectors[:, b] + multipliers * (a == b)
                block = self._weighted_gram(weights[n_samples:], is_positive=a == b)
                block.ravel()[:: n_samples + 1] += weights[:n_samples]
                matrix[a, :, b, :] = block
                matrix[b, :, a, :] = block
        side = n_samples * n_targets
        return _factor(matrix.reshape(side, side))

    def _weighted_gram(self, weights, is_positive):
        """Inner products of the samples; a matrix times its own transpose takes half the time."""
        if not is_positive:
            return (self.scaled * weights) @ self.scaled.T
        rooted = self.scaled * np.sqrt(weights)
        return rooted @ rooted.T


def _solve_inside(columns, targets, alpha, tol, max_iter, dual, _):
    """Primal-dual interior-point method with all features, from a point strictly inside."""
    cones = _Cones(columns, alpha)
    dual = dual / (_INSIDE * max(_norms(cones.down(dual)).max(), 1.0))
    vectors = cones.down(dual)
    slack = 0.5 * (1.0 - _squares(vectors))
    multipliers = _norms(targets).sum() / slack.size / slack
    best, coefficients = np.inf, None
    bound, best_dual = float((dual * targets).sum()), dual
    n_iter, max_iter = 0, min(max_iter, _MOST_STEPS)
    while n_iter < max_iter:
        n_iter += 1
        try:
            step = _Step(cones, targets, vectors, slack, multipliers)
        except LinAlgError:  # as near as rounding allows
            break
        step.predict_and_correct()
        trial = step.primal()[targets.shape[0] :] / alpha
        value = _norms(targets - columns @ trial).sum() + alpha * _norms(trial).sum()
        if value < best:
            best, coefficients = float(value), trial
        dual, vectors, multipliers = step.take(dual)
        slack = 0.5 * (1.0 - _squares(vectors))
        below = float((dual * targets).sum())
        if below > bound:
            bound, best_dual = below, dual
        if best - bound <= tol * best or slack.min() <= 0.0:
            break
    return L21Solution(coefficients, best_dual, best, bound, n_iter)


class _Step:
    """One step of the interior-point method: Mehrotra's predictor and corrector."""

    def __init__(self, cones, targets, vectors, slack, multipliers):
        self.cones, self.targets = cones, targets
        self.vectors, self.slack, self.multipliers = vectors, slack, multipliers
        self.ratios = multipliers / slack
        self.level = slack @ multipliers / slack.size
        self.factor = cones.factor(vectors, multipliers, self.ratios)

    def predict_and_correct(self):
        """Aim at no gap at all, see how far that goes, and aim again accordingly."""
        self._aim_at(np.zeros_like(self.slack))
        shares = self._longest()
        ahead = self.vectors + shares[0] * self.change
        left = np.maximum(0.5 * (1.0 - _squares(ahead)), 0.0)
        level = left @ (self.multipliers + shares[1] * self.multiplier_change) / left.size
        centring = np.clip((level / self.level) ** 2, 1e-4, 0.5)
        bend = self.multiplier_change * np.einsum("ij,ij->i", self.vectors, self.change)
        curve = 0.5 * self.multipliers * _squares(self.change)
        aims = centring * self.level + shares[0] * (shares[1] * bend + shares[0] * curve)
        self._aim_at(np.clip(aims, 0.05 * centring * self.level, 50.0 * self.level))

    def _aim_at(self, products):
        """Solve for the change after which slack times multiplier is as given, to first order."""
        centres = products / self.slack
        right = self.targets - self.cones.up(centres[:, None] * self.vectors)
        solved = _solve_factored(self.factor, right.T.ravel())
        self.dual_change = solved.reshape(right.T.shape).T
        self.change = self.cones.down(self.dual_change)
        turned = np.einsum("ij,ij->i", self.vectors, self.change)
        self.multiplier_change = centres - self.multipliers + self.ratios * turned

    def _longest(self):
        """Largest shares of the change, at most 1, that stay inside: of vectors, of multipliers."""
        a, c = _squares(self.change), 2.0 * self.slack
        b = np.einsum("ij,ij->i", self.vectors, self.change)
        moving = a > 0.0
        a, b, c = a[moving], b[moving], c[moving]
        # The positive root of a t^2 + 2 b t - c, without cancellation.
        root = np.sqrt(b * b + a * c)
        reach = np.where(b > 0.0, c / (b + root), (root - b) / a)
        falling = self.multiplier_change < 0.0
        fall = self.multipliers[falling] / -self.multiplier_change[falling]
        return min(1.0, reach.min(initial=1.0)), min(1.0, fall.min(initial=1.0))

    def primal(self):
        """Vectors of the primal after the whole step: their image is exactly the targets."""
        multipliers = (self.multipliers + self.multiplier_change)[:, None]
        return multipliers * self.vectors + self.multipliers[:, None] * self.change

    def take(self, dual):
        """Go nearly as far as the constraints allow."""
        a, b = (0.99 * share if share < 1.0 else 1.0 for share in self._longest())
        return (
            dual + a * self.dual_change,
            self.vectors + a * self.change,
            self.multipliers + b * self.multiplier_change,
        )
