"""Sparse matrices whose arrays lie are refused by every method of every estimator, in words.

Compiled code would follow such indices anywhere, so all is done in child processes.
"""

from functools import cache, partial
from importlib.util import find_spec

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from centroidal import MarginSelector, SparseCenterClassifier
from centroidal._sparse import check_sparse_structure
from centroidal.io import read_table
from centroidal.model_selection import compare, selection_curve
from tests.streaming.children import counts_memory
from tests.test_all_estimators import (
    ENCODERS,
    ESTIMATORS,
    TRANSFORMERS,
    WITHOUT_PROBABILITIES,
    one_of_each,
)

from ..l2 import select_features
from .harness import assert_harmless, run_cases

FORMATS = ("csr", "csc", "bsr", "coo", "dia", "lil", "dok")
WITH_LABELS = ("fit", "partial_fit", "fit_transform", "score")
METHODS = (
    *WITH_LABELS,
    *("predict", "predict_proba", "predict_log_proba", "decision_function"),
    *("transform", "inverse_transform"),
)


def samples(kind=sparse.csr_array):
    """Half of the entries of 30 samples of two classes, with whole blocks of two by two."""
    rng = np.random.default_rng(0)
    blocks = rng.random((15, 4)) < 0.5
    X = np.kron(blocks, np.ones((2, 2))) * rng.normal(2.0, 1.0, size=(30, 8))
    return kind(X), np.tile([0, 1, 1], 10)


def change(matrix, **parts):
    """Give a matrix other arrays, which SciPy does not look at then."""
    for name, value in parts.items():
        setattr(matrix, name, value)
    return matrix


def with_entry(values, place, value):
    values = values.copy()
    values[place] = value
    return values


FORGERIES = {
    "csr, index behind the last": lambda X: change(X, indices=with_entry(X.indices, 3, 10**9)),
    "csr, negative index": lambda X: change(X, indices=with_entry(X.indices, 0, -(10**8))),
    "csr, pointers that fall": lambda X: change(X, indptr=with_entry(X.indptr, 5, 10**8)),
    "csr, pointers behind the end": lambda X: change(X, indptr=with_entry(X.indptr, -1, 10**8)),
    "csr, pointers that are too few": lambda X: change(X, indptr=X.indptr[:-4]),
    "csr, values that are too few": lambda X: change(X, data=X.data[:5]),
    "csr, pointers that begin late": lambda X: change(X, indptr=with_entry(X.indptr, 0, -(10**8))),
    "csr, indices with fractions": lambda X: change(X, indices=X.indices + 0.5),
    "csc, index behind the last": lambda X: change(X, indices=with_entry(X.indices, 3, 10**9)),
    "bsr, index behind the last": lambda X: change(X, indices=with_entry(X.indices, 3, 10**9)),
    "bsr, blocks of another size": lambda X: change(X, data=X.data[:, :1].copy()),
    "coo, row behind the last": lambda X: change(X, row=with_entry(X.row, 3, 10**9)),
    "coo, negative column": lambda X: change(X, col=with_entry(X.col, 3, -(10**8))),
    "dia, diagonals that are too few": lambda X: change(X, data=X.data[:1]),
    "dia, diagonal outside": lambda X: change(X, offsets=with_entry(X.offsets, 0, -(2**31))),
    "lil, index behind the last": lambda X: change(X, rows=with_entry(X.rows, 2, [10**9])),
    "lil, lists of other lengths": lambda X: change(X, data=with_entry(X.data, 2, [1.0] * 50)),
}


def forge(name, kind=sparse.csr_array):
    matrix = samples(kind)[0].asformat(name[:3])
    return FORGERIES[name](matrix.copy())


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("name", FORGERIES)
def test_what_is_wrong_is_said(name, kind):
    with pytest.raises(ValueError, match="^here is a damaged sparse matrix"):
        check_sparse_structure(forge(name, kind), "here")


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("shape", [(30, 8), (0, 3), (3, 0), (5, 5)])
@pytest.mark.parametrize("name", FORMATS)
def test_sound_matrices_pass(name, shape, kind):
    X = samples()[0] if shape == (30, 8) else sparse.csr_array(shape)
    assert check_sparse_structure(kind(X).asformat(name)) is None


def test_dense_samples_pass():
    assert check_sparse_structure(np.eye(3)) is None


def test_shapes_other_than_tables_are_refused():
    with pytest.raises(ValueError, match=r"X of shape \(4,\) must have two dimensions"):
        check_sparse_structure(sparse.coo_array(np.ones(4)))


# ------------------------------------------------------------------ every estimator


@cache
def estimators():
    encoders = ENCODERS if find_spec("torch") else []
    return one_of_each(ESTIMATORS + WITHOUT_PROBABILITIES + TRANSFORMERS + encoders)


@cache
def fitted(number):
    return clone(estimators()[number]).fit(*samples())


def call(case):
    """Give a forged matrix to a method of an estimator."""
    number, method, name = case
    X, (_, y) = forge(name), samples()
    model = clone(estimators()[number]) if method.startswith("fit") else fitted(number)
    if not hasattr(model, method):
        return "has no such method"
    return getattr(model, method)(*((X, y) if method in WITH_LABELS else (X,)))


@counts_memory
def test_every_method_of_every_estimator_refuses_what_is_forged():
    cases = [
        (number, method, name)
        for number, estimator in enumerate(estimators())
        for method in METHODS
        if hasattr(type(estimator), method)
        for name in FORGERIES
    ]
    outcomes = run_cases(call, cases, memory=2**32)
    wrong = [
        f"{estimators()[case[0]]!r}.{case[1]}, {case[2]}: {outcome}"
        for case, outcome in zip(cases, outcomes, strict=True)
        if not (outcome.kind == "refusal" and "damaged sparse matrix" in outcome.text)
        and outcome.text != "has no such method"
    ]
    assert not wrong, "\n".join(wrong[:20])


FUNCTIONS = {
    "select_features": select_features,
    "selection_curve": partial(selection_curve, SparseCenterClassifier()),
    "compare": partial(compare, {"centers": SparseCenterClassifier()}),
}


def call_function(case):
    """Give a forged matrix to a function that splits samples."""
    function, name = case
    return FUNCTIONS[function](forge(name), samples()[1])


@counts_memory
def test_functions_that_split_samples_refuse_what_is_forged():
    cases = [(function, name) for function in FUNCTIONS for name in FORGERIES]
    outcomes = run_cases(call_function, cases)
    wrong = [
        f"{case}: {outcome}"
        for case, outcome in zip(cases, outcomes, strict=True)
        if outcome.kind != "refusal" or "damaged sparse matrix" not in outcome.text
    ]
    assert not wrong, "\n".join(wrong)


def read_forged(case):
    """Read a file of a forged matrix, as it is and transposed."""
    path, transpose = case
    return read_table(path, transpose=transpose)


@counts_memory
def test_tables_refuse_what_is_forged_before_they_transpose_it(tmp_path):
    cases = []
    for number, name in enumerate(FORGERIES):
        if name[:3] not in ("lil", "dok"):  # of which there are no files
            path = tmp_path / f"{number}.npz"
            sparse.save_npz(path, forge(name))
            cases += [(path, False), (path, True)]
    assert_harmless(run_cases(read_forged, cases), lambda number: str(cases[number]))


def test_entries_stored_twice_add_up_even_if_the_matrix_remembers_otherwise():
    X, y = samples()
    assert X.has_canonical_format
    first = X.indptr[1]
    twice = change(X.copy(), indices=with_entry(X.indices, slice(0, first), X.indices[0]))
    twice.has_canonical_format = True
    X = X.toarray()
    X[0] = 0.0
    X[0, twice.indices[0]] = twice.data[:first].sum()
    scores = [MarginSelector().fit(each, y).scores_ for each in (twice, X)]
    np.testing.assert_allclose(*scores)
