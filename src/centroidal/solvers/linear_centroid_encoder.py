r"""Weights of features that let a projection map samples near their class means (SLCE).

The problem is (section 2 of :cite:t:`XiaSuKong`, with samples in rows)

    min over b, A    ||C - Z diag(b) A A^T||_F^2 + alpha |b|_1    with A^T A = I,

where Z are the samples, usually standardised, and row i of C is the mean of the class of sample i.
With the averaging U of the classes (orthonormal columns) and B = Z^T U, C = U B^T and

    ||C - Z diag(b) A A^T||^2 = ||B||^2 - tr(A^T M A),
    M = diag(b) B B^T + B B^T diag(b) - diag(b) Z^T Z diag(b).

Map of the problem::

    C, Z                          encoding_problem()
    A for b = 1                   first_axes()
    A for any b                   best_axes()
    b for given A (a lasso)       solve_lasso()
    both in turn                  solve_linear_centroid_encoder()

M <= B B^T, so that at most as many eigenvalues are positive as class means are independent,
whatever b is. With b = 1 it is between-class minus within-class scatter.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from ..statistics.residuals import residuals
from ..statistics.spectrum import spectrum
from ..statistics.threads import with_limited_blas
from . import _loops

_LARGEST_PRODUCT = 1000  # rows of a matrix whose eigenvectors are all computed
_MOST_RESTARTS = 100  # of Lanczos iterations, for larger ones
_ROUNDING = 1e-12  # an eigenvalue below this share of the scatter is zero
_GAP_ROUNDING = 1e-14  # a duality gap below this share of the targets is zero
_FIRST_WORKING_SET = 64
_SWEEPS = (5, 20)  # least and most between two looks at all features
_MOST_SWEEPS = 10000  # of a lasso in an alternation
_LARGEST_FACE = 1500  # features in use whose weights are found by solving equations
_DEPENDENT = 1e-6  # share of what equations ask for that they may miss
_COPIED = 1e-3  # a copy of a feature in use is pulled as hard as the penalty, but for this share
_WORTHWHILE = 1e-3  # share of the gap asked for that a sweep has to gain


class EncodingProblem(NamedTuple):
    """What stays the same: Z as an operator, C = averages @ means.T, and squares of columns."""

    # Z, of shape (n_rows, n_features). Where there are fewer features than samples, as many rows as
    # features that have the same inner products.
    rows: object
    averages: np.ndarray  # (n_rows, n_classes): U
    # (n_features, n_classes): B: class means in Z, times the root of the weight of their class.
    means: np.ndarray
    squares: np.ndarray  # (n_features,): squared length of each column of Z
    is_centred: bool  # whether the columns of Z sum to zero

    def target(self, A):
        """C A."""
        return self.averages @ (self.means.T @ A)

    def correlations(self, A, residual):
        """Inner products of the columns of the lasso with a residual."""
        return (self.rows.pull_back(residual) * A).sum(axis=1)


class Lasso(NamedTuple):
    """Weights for given axes, with their certificate."""

    coef: np.ndarray  # (n_features,): b
    residual: np.ndarray  # (n_rows, n_components): C A - Z diag(b) A
    correlations: np.ndarray  # (n_features,): inner products of the columns with the residual
    value: float  # squares of the residual plus penalty
    gap: float  # how much the value may be above the optimum
    n_sweeps: int = 0  # sweeps of coordinate descent
    has_converged: bool = False  # whether the gap is within the tolerance


class LinearCentroidEncoding(NamedTuple):
    """Where the two steps, or the alternation, ended."""

    coef: np.ndarray  # (n_features,): b
    axes: np.ndarray  # (n_features, n_components): A
    # (n_features,): of the columns of the lasso with the residual: at most half the penalty.
    correlations: np.ndarray
    objectives: np.ndarray  # value after each step, beginning with A and weights of one
    penalty: float  # weight of the l1 norm
    largest_penalty: float  # the smallest one at which all weights are zero
    gap: float  # duality gap of the last lasso
    n_iter: int  # sweeps of the two-step solution, or alternations
    has_converged: bool  # whether the tolerance was reached


def encoding_problem(X, codes, moments, weights=None, origin=None, scale=None):
    """Summarise samples, minus an `origin` (their mean, or nothing), over a `scale`.

    Sparse samples are centred implicitly. A scale of infinity makes a feature zero.
    """
    is_centred = origin is not None
    origin = origin if is_centred else np.zeros(X.shape[1])
    scale = np.ones(X.shape[1]) if scale is None else scale
    rows = residuals(X, np.zeros_like(codes), origin[None], weights, scale)
    codes = codes if weights is None else codes[weights > 0]
    averages = np.zeros((codes.size, moments.counts.size))
    averages[range(codes.size), codes] = np.sqrt(rows.weights / moments.counts[codes])
    means = ((moments.means - origin) / scale).T * np.sqrt(moments.counts)
    problem = EncodingProblem(rows, averages, means, rows.column_squares(), is_centred)
    n_rows, n_features = rows.rows.shape
    return _condense(problem) if n_features <= min(n_rows, _LARGEST_PRODUCT) else problem


def _condense(problem):
    """Put as many rows as there are features, with the same inner products, for many samples."""
    found = spectrum(problem.rows)
    roots = np.sqrt(found.values)[:, None]
    rows = residuals(
        roots * found.vectors.T,
        np.zeros(found.values.size, dtype=np.int32),
        np.zeros((1, problem.squares.size)),
    )
    return problem._replace(rows=rows, averages=found.vectors.T @ problem.means / roots)


def first_axes(problem, n_components=None):
    """Find A for b = 1: eigenvectors of between- minus within-class scatter, if it is positive.

    Where none is positive, all weights equal to one fit worse than none. As they get smaller, the
    eigenvectors tend to the principal axes of the class means, which are returned then.

    Time is O(n^2 m + n^3), memory an (n, n) array; with more than a thousand rows, some hundred
    products with the data.
    """
    rounding = _ROUNDING * problem.squares.sum()
    vectors, lengths, _ = np.linalg.svd(problem.means, full_matrices=False)
    principal = vectors[:, lengths**2 > rounding]
    if problem.rows.rows.shape[0] <= _LARGEST_PRODUCT:
        axes = _axes_of_gram(problem, rounding)
    else:
        axes = _axes_by_products(problem, rounding, principal.shape[1])
    return _orient((axes if axes.size else principal)[:, :n_components])


def _axes_of_gram(problem, rounding):
    """Solve in the span of the samples: M = Z^T (2 U U^T - I) Z."""
    U = problem.averages
    rows = problem.rows
    gram = rows.gram() if problem.is_centred else rows.weighted_gram(1.0)
    values, V = _positive_eigenpairs(gram, rounding)
    halves = V * np.sqrt(values)
    T = halves.T @ U
    gains, inner = _positive_eigenpairs(2.0 * T @ T.T - np.diag(values), rounding)
    # An eigenvector is M times itself: unlike dividing by roots of small values, that is stable.
    across = halves @ inner / gains
    return np.linalg.qr(rows.pull_back(2.0 * U @ (U.T @ across) - across))[0]


def _axes_by_products(problem, rounding, n_pairs):
    """Find the `n_pairs` largest eigenvalues of M, as far as they are positive, by Lanczos."""
    rows, B = problem.rows, problem.means
    n_features = B.shape[0]
    if n_pairs == 0:
        return np.zeros((n_features, 0))

    def multiply(vector):
        column = vector.reshape(-1, 1)
        return 2.0 * B @ (B.T @ column) - rows.pull_back(rows.push(column))

    M = LinearOperator((n_features, n_features), matvec=multiply, dtype=float)
    start = np.random.default_rng(0).standard_normal(n_features)
    size = min(n_features, 2 * n_pairs + 40)
    try:
        values, vectors = eigsh(
            M, n_pairs, which="LA", v0=start, ncv=size, maxiter=_MOST_RESTARTS, tol=1e-10
        )
    except ArpackNoConvergence as partly:
        # Those that stand out are found; the others are among the many that are not positive.
        values, vectors = partly.eigenvalues, partly.eigenvectors
    order = np.argsort(-values)
    return vectors[:, order[values[order] > rounding]]


def best_axes(problem, coef, n_components=None):
    """Find A for a b that is mostly zero: eigenvectors of M with positive eigenvalues.

    They are in the span of the rows of Z diag(b), which are zero where b is, and of the class
    means: time is O((n + s)(n + K)^2) with s features in use.
    """
    is_used = coef != 0.0
    b, B = coef[is_used, None], problem.means
    Zb = problem.rows.columns(is_used) * b.T
    used, _ = np.linalg.qr(np.hstack([Zb.T, B[is_used]]))
    unused, means_unused = np.linalg.qr(B[~is_used])
    n_used = used.shape[1]
    left = np.vstack([used.T @ (b * B[is_used]), np.zeros_like(means_unused)])
    right = np.vstack([used.T @ B[is_used], means_unused])
    M = left @ right.T
    M += M.T
    M[:n_used, :n_used] -= (Zb @ used).T @ (Zb @ used)
    _, inner = _positive_eigenpairs(M, _ROUNDING * np.abs(M).max())
    axes = np.zeros((coef.size, min(inner.shape[1], n_components or coef.size)))
    axes[is_used] = used @ inner[:n_used, : axes.shape[1]]
    axes[~is_used] = unused @ inner[n_used:, : axes.shape[1]]
    return _orient(axes)


def _positive_eigenpairs(matrix, rounding):
    """Eigenvalues above rounding, decreasing, and their vectors."""
    if matrix.shape[0] == 0:
        return np.zeros(0), np.zeros((0, 0))
    values, vectors = np.linalg.eigh(matrix)
    n_positive = np.count_nonzero(values > rounding)
    return values[::-1][:n_positive], vectors[:, ::-1][:, :n_positive]


def _orient(axes):
    """Give each axis the sign that makes its largest entry positive."""
    if axes.size == 0:
        return axes
    largest = axes[np.abs(axes).argmax(axis=0), range(axes.shape[1])]
    return np.ascontiguousarray(axes * np.sign(largest))


def largest_penalty(problem, A):
    """Smallest penalty at which all weights are zero."""
    return 2.0 * np.abs(problem.correlations(A, problem.target(A))).max(initial=0.0)


def objective(problem, A, coef, penalty):
    """Value of the problem for orthonormal A."""
    target = problem.target(A)
    residual = target - problem.rows.push(coef[:, None] * A)
    out_of_reach = (problem.means**2).sum() - (target**2).sum()
    return float((residual**2).sum() + out_of_reach + penalty * np.abs(coef).sum())


def solve_lasso(problem, A, penalty, coef, tol, max_sweeps):
    """Find b for given A, by coordinate descent from `coef` on the features that matter.

    Column j of the lasso is the outer product of column j of Z with row j of A; its target is C A.
    None of them is formed: the derivative by b_j is -2 z_j^T (C A - Z diag(b) A) a_j. Stops when
    the duality gap is at most `tol` of the value.
    """
    target = problem.target(A)
    rounding = _GAP_ROUNDING * (target**2).sum()
    state = _certify(problem, A, target, penalty, coef)
    is_working = coef != 0.0
    while state.n_sweeps < max_sweeps and not state.has_converged:
        is_working |= _worst_violators(state.correlations, penalty, is_working)
        if not is_working.any():
            return state._replace(has_converged=True)
        least_gain = _WORTHWHILE * max(tol * state.value, rounding)
        coef, n_sweeps = _descend(
            problem, A, target, penalty, state, is_working, max_sweeps, least_gain
        )
        n_sweeps += state.n_sweeps
        state = _certify(problem, A, target, penalty, coef)
        is_within = state.gap <= max(tol * state.value, rounding)
        state = state._replace(n_sweeps=n_sweeps, has_converged=is_within)
    return state._replace(coef=_on_first_copies(problem, A, penalty, state))


def _descend(problem, A, target, penalty, state, is_working, max_sweeps, least_gain):
    """Improve the weights of the working set; return all weights and the number of sweeps."""
    working = np.flatnonzero(is_working)
    columns = np.ascontiguousarray(problem.rows.columns(working).T)
    axes, some = np.ascontiguousarray(A[working]), state.coef[working]
    curvatures = 2.0 * problem.squares[working] * (axes**2).sum(axis=1)
    residual = np.ascontiguousarray(state.residual.T)
    most = min(np.clip(is_working.size // working.size, *_SWEEPS), max_sweeps - state.n_sweeps)
    n_sweeps = _loops.descend(columns, axes, curvatures, penalty, some, residual, most, least_gain)
    coef = state.coef.copy()
    coef[working] = _minimise_on_face(columns, axes, target, penalty, some)
    return coef, n_sweeps


def _minimise_on_face(columns, axes, target, penalty, coef):
    """Minimise over the weights that are not zero; one that would change its sign becomes zero.

    With the signs known the problem is quadratic. Coordinate descent finds the signs soon, but the
    values slowly where features resemble each other.
    """
    used = np.flatnonzero(coef)
    if used.size > _LARGEST_FACE:
        return coef
    columns, axes = columns[used], axes[used]
    products = (columns @ columns.T) * (axes @ axes.T)
    wanted = ((columns @ target) * axes).sum(axis=1)
    coef = coef.copy()
    length = 0.0
    while used.size > 0 and length < 1.0:
        coef[used], length = _step_on_face(products, wanted, penalty, coef[used])
        kept = coef[used] != 0.0
        used, products, wanted = used[kept], products[np.ix_(kept, kept)], wanted[kept]
    return coef


def _step_on_face(products, wanted, penalty, b):
    """Go to the minimum, or to the first weight that becomes zero; return the share of the way."""
    slopes = wanted - 0.5 * penalty * np.sign(b) - products @ b  # minus half the gradient
    step, is_bounded = _face_direction(products, slopes)
    crossings = np.where(step * b < 0.0, -b / np.where(step == 0.0, 1.0, step), np.inf)
    length = min(1.0 if is_bounded else np.inf, crossings.min())
    is_lower = 2.0 * step @ slopes > length * step @ products @ step
    if not np.isfinite(length) or not is_lower:  # but for rounding
        return b, 1.0
    moved = np.where(crossings <= length, 0.0, b + length * step)
    return moved, (length if is_bounded else 0.0)


def _face_direction(products, slopes):
    """Return the step to the minimum, or a direction in which the value falls without an end.

    The latter exists where copies of a feature have different signs.
    """
    try:
        step = np.linalg.solve(products, slopes)
    except np.linalg.LinAlgError:
        step = np.zeros_like(slopes)
    missed = _DEPENDENT * np.abs(slopes).max()  # squares of slopes might leave float64
    if np.abs(slopes - products @ step).max() <= missed:
        return step, True
    step = np.linalg.lstsq(products, slopes, rcond=_ROUNDING)[0]
    left = slopes - products @ step
    if np.abs(left).max() <= missed:
        return step, True
    return left, False


def _on_first_copies(problem, A, penalty, state):
    """Move the weight of features that are copies to the first of them: no product changes.

    Only the sum of their weights is determined; which of them had it, rounding decided.
    """
    is_near = 2.0 * np.abs(state.correlations) >= (1.0 - _COPIED) * penalty
    near = np.flatnonzero(is_near | (state.coef != 0.0))
    if near.size > _LARGEST_FACE:
        return state.coef
    columns = problem.rows.columns(near)
    products = (columns.T @ columns) * (A[near] @ A[near].T)
    lengths = np.sqrt(np.diagonal(products))
    firsts = (products >= (1.0 - _ROUNDING) * np.outer(lengths, lengths)).argmax(axis=0)
    coef = np.zeros_like(state.coef)
    coef[near] = np.bincount(firsts, state.coef[near], minlength=near.size)
    return coef


def _worst_violators(correlations, penalty, is_working):
    """Features outside the working set that would improve the fit most; at most doubling it."""
    violations = np.where(is_working, 0.0, 2.0 * np.abs(correlations) - penalty)
    most = max(_FIRST_WORKING_SET, np.count_nonzero(is_working))
    worst = np.argsort(-violations, kind="stable")[:most]
    found = np.zeros_like(is_working)
    found[worst[violations[worst] > 0.0]] = True
    return found


def _certify(problem, A, target, penalty, coef):
    """Value of the lasso and how much it may be above the optimum, by a point of the dual."""
    residual = target - problem.rows.push(coef[:, None] * A)
    correlations = problem.correlations(A, residual)
    square, inner = (residual**2).sum(), (target * residual).sum()
    value = square + penalty * np.abs(coef).sum()
    # Dual: max 2 s <target, residual> - s^2 |residual|^2 over s with 2 s |correlations| <= penalty.
    steepest, tiny = 2.0 * np.abs(correlations).max(initial=0.0), np.finfo(float).tiny
    limit = penalty / max(steepest, tiny)
    s = np.clip(inner / max(square, tiny), -limit, limit)
    gap = max(value - (2.0 * s * inner - s * s * square), 0.0)
    return Lasso(coef, residual, correlations, float(value), float(gap))


@with_limited_blas(lambda problem, *_: problem.rows.rows.shape)
def solve_linear_centroid_encoder(
    problem, alpha, *, relative=True, n_components=None, alternate=False, max_iter=10000, tol=1e-6
):
    """Find axes and weights: in two steps, or by alternating them until the value stays.

    `alpha` is the penalty, or if `relative` a share of the smallest one at which all weights are
    zero. `max_iter` limits sweeps of the lasso, or alternations; `tol` is the relative duality gap,
    and the relative change of the value in an alternation.
    """
    A = first_axes(problem, n_components)
    n_features = problem.squares.size
    largest = largest_penalty(problem, A)
    penalty = float(alpha * largest if relative else alpha)
    objectives = [objective(problem, A, np.ones(n_features), penalty)]
    nothing = np.zeros(n_features)
    if penalty < largest:
        max_sweeps = _MOST_SWEEPS if alternate else max_iter
        lasso = solve_lasso(problem, A, penalty, nothing, tol, max_sweeps)
    else:
        lasso = _certify(problem, A, problem.target(A), penalty, nothing)
        lasso = lasso._replace(gap=0.0, has_converged=True)
    objectives.append(objective(problem, A, lasso.coef, penalty))
    n_iter, has_converged = lasso.n_sweeps, lasso.has_converged
    if alternate:
        A, lasso, has_converged = _alternate(
            problem, A, lasso, penalty, objectives, n_components, max_iter, tol
        )
        n_iter = len(objectives) // 2
    return LinearCentroidEncoding(
        lasso.coef, A, lasso.correlations, np.array(objectives), penalty, largest, lasso.gap,
        n_iter, has_converged,
    )  # fmt: skip


def _alternate(problem, A, lasso, penalty, objectives, n_components, max_iter, tol):
    """Find the best axes and the best weights in turn; append the value after each step."""
    has_converged = not lasso.coef.any()
    while len(objectives) < 2 * max_iter and not has_converged:
        A = best_axes(problem, lasso.coef, n_components)
        objectives.append(objective(problem, A, lasso.coef, penalty))
        lasso = solve_lasso(problem, A, penalty, lasso.coef, tol, _MOST_SWEEPS)
        objectives.append(objective(problem, A, lasso.coef, penalty))
        has_converged = objectives[-3] - objectives[-1] <= tol * objectives[-1]
    return A, lasso, has_converged and lasso.has_converged
