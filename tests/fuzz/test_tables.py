"""Damaged tables of every format: read or refused in words, with pyarrow as without.

Files with checksums are also changed inside and packed again, so that what is damaged is reached.
"""

import gzip
import io
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from centroidal import (
    FisherSubspaceClassifier,
    MarginSelector,
    ReliefFSelector,
    SparseCenterClassifier,
)
from centroidal.io import read_table
from centroidal.streaming import text
from tests.io.test_tables import GAPS, PLAIN, SIDEWAYS, dense, npz
from tests.streaming.children import counts_memory
from tests.streaming.test_batches import sample, write_folder, write_h5ad

from .harness import assert_harmless, n_cases, run_cases
from .test_sparse_structure import FORMATS as SPARSE
from .test_stream_files import INTERESTING, mutate, write_svmlight

# What text is broken by, more often than by single bytes.
BITS = [
    b",", b";", b"\t", b"\n", b"\r\n", b"\r", b'"', b'""', b"\0", b"\xff", b"NA", b"nan", b"inf",
    b"1e999", b"-", b"_", b"True", b"1,5", "\u00fc".encode(), b"kind", b"g1", b"", b"|", b"'", b"#",
    b" ", b"\\", b"=", b":", b"30000000:1", b"999999999999999999999", b"-5:1",
]  # fmt: skip
OPTIONS = [
    {},
    {"target": "kind", "ids": "sample"},
    {"target": "kind", "drop": ["sample"], "impute": "median"},
    {"target": "y", "impute": "drop-features"},
    {"target": "kind", "drop": ["note"], "transpose": True},
    {"impute": "median", "transpose": True},
    {"target": "kind"},
]


# ------------------------------------------------------------------ files to damage


def sparse_npz(name):
    stored = io.BytesIO()
    X = np.kron(np.eye(4, 3), np.ones((2, 2)))
    sparse.save_npz(stored, sparse.csr_array(X).asformat(name), compressed=False)
    return stored.getvalue()


def mat(do_compression):
    stored = io.BytesIO()
    X = sample(9, 4)[0]
    content = {"X": X, "Y": np.arange(9) % 3, "feature_names": np.array(list("abcd"), dtype=object)}
    savemat(stored, content, do_compression=do_compression)
    return stored.getvalue()


def by_path(write, suffix):
    """Return a function of a folder that writes a file there, and gives its bytes and suffix."""

    def make(folder):
        return write(folder / f"t{suffix}", *sample(9, 4)).read_bytes()

    return make


def write_parquet(path, X, y):
    return write_folder(path.parent, X, y, ()) / "part-0.parquet"


def text_file(content):
    return lambda folder: content.encode()


X, Y = sample(9, 4)
TABLES = {
    ".csv": text_file(PLAIN),
    ".tsv": text_file(PLAIN),
    "gaps.csv": text_file(GAPS),
    "sideways.csv": text_file(SIDEWAYS),
    "quoted.csv": text_file(PLAIN.replace("a", '"a"').replace("s1", '"s,1"')),
    ".csv.gz": lambda folder: gzip.compress(PLAIN.encode()),
    ".parquet": by_path(write_parquet, ".parquet"),
    ".npz": lambda folder: npz(X=X, y=Y, ids=Y, feature_names=list("abcd"), classes=["u", "v"]),
    **{
        f"{name}.npz": lambda folder, name=name: sparse_npz(name)
        for name in ("csr", "csc", "bsr", "coo", "dia")
    },
    ".mat": lambda folder: mat(False),
    "packed.mat": lambda folder: mat(True),
    ".svm": by_path(write_svmlight, ".svm"),
    ".svm.gz": by_path(write_svmlight, ".svm.gz"),
    ".h5ad": by_path(write_h5ad, ".h5ad"),
    "csr.h5ad": by_path(lambda path, X, y: write_h5ad(path, X, y, "csr"), ".h5ad"),
}


# ------------------------------------------------------------------ how they are damaged


def mutate_text(data, rng):
    data = bytearray(data)
    for _ in range(rng.integers(1, 5)):
        i, j = sorted(rng.integers(0, len(data) + 1, size=2).tolist())
        bits = BITS[rng.integers(len(BITS))]
        match rng.integers(3):
            case 0:
                data[i : min(j, i + 12)] = bits
            case 1:
                data[i:i] = bits
            case 2:
                data[i:i] = data[i : min(j, i + 12)]
    return bytes(data)


def mutate_array(data, rng):
    """Change numbers behind the header of an array, or the header."""
    place = 10 + int.from_bytes(data[8:10], "little")
    if rng.integers(4) == 0 or place >= len(data):
        return mutate(data, rng)
    body = bytearray(data[place:])
    for _ in range(rng.integers(1, 4)):
        at = 4 * int(rng.integers(max(1, len(body) // 4)))
        value = int(rng.choice([*range(-9, 10), *(each % 2**31 for each in INTERESTING)]))
        body[at : at + 4] = value.to_bytes(4, "little", signed=True)
    return data[:place] + bytes(body)


def mutate_zip(data, rng):
    """Change members of an archive, whose checksums are right again."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(packed, "w") as target:
        infos = archive.infolist()
        chosen = rng.integers(len(infos))
        for number, info in enumerate(infos):
            content = archive.read(info)
            if number == chosen or rng.integers(4) == 0:
                content = mutate_array(content, rng)
            target.writestr(info.filename, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def mutate_packed_mat(data, rng):
    """Change what is inside of the compressed elements."""
    parts, place = [data[:128]], 128
    while place + 8 <= len(data):
        size = int.from_bytes(data[place + 4 : place + 8], "little")
        content = zlib.decompress(data[place + 8 : place + 8 + size])
        if rng.integers(2):
            content = mutate(content, rng)
        content = zlib.compress(content)
        parts += [data[place : place + 4], len(content).to_bytes(4, "little"), content]
        place += 8 + size
    return b"".join(parts)


def damage(name, data, rng):
    if name.endswith(".gz") and rng.integers(4):
        return gzip.compress(damage(name.removesuffix(".gz"), gzip.decompress(data), rng), mtime=0)
    inside = {"npz": mutate_zip, "packed.mat": mutate_packed_mat}
    inside |= dict.fromkeys(("csv", "tsv", "svm"), mutate_text)
    change = inside.get(name, inside.get(name.rpartition(".")[2], mutate))
    return (change if rng.integers(4) else mutate)(data, rng)


# ------------------------------------------------------------------ what becomes of them


def outcome(path, options):
    """Return a table, or what is wrong with it, as something to compare."""
    try:
        table = read_table(path, **options)
    except ValueError as error:
        return _check_words(str(error), path)
    assert table.X.dtype in (np.float64, np.float32)
    assert len(set(table.feature_names)) == table.X.shape[1]
    for names in (table.feature_names, [] if table.ids is None else table.ids):
        "".join(names).encode()  # all are texts that can be written
    values = dense(table.X)
    assert table.impute == "median" or np.isfinite(values).all()
    y = None if table.y is None else table.y.tolist()
    return repr((values.tobytes(), y, table.feature_names.tolist(), table.ids, table.remarks))


def _check_words(message, path):
    assert path.name in message, message
    assert len(message) < 1000
    return f"refused: {message}"


def read_damaged(case):
    """Read a damaged file; text also as without pyarrow, to the same table or message."""
    name, data, folder, seed = case
    rng = np.random.default_rng(seed)
    path = Path(folder) / f"damaged{name[name.index('.') :]}"
    path.write_bytes(damage(name, data, rng))
    options = OPTIONS[rng.integers(len(OPTIONS))]
    found = outcome(path, options)
    if ".csv" in name or ".tsv" in name:
        find_spec, text.find_spec = text.find_spec, lambda name: None
        try:
            assert outcome(path, options) == found, path.read_bytes()
        finally:
            text.find_spec = find_spec
    return found[:200]


@counts_memory
@pytest.mark.parametrize("name", TABLES)
def test_damaged_tables_are_refused_or_read(name, tmp_path):
    data = TABLES[name](tmp_path)
    cases = [(name, data, tmp_path, seed) for seed in range(n_cases(45))]
    outcomes = run_cases(read_damaged, cases)
    assert_harmless(outcomes, lambda number: f"{name}, seed {number}")


# ------------------------------------------------------------------ matrices in memory

ESTIMATORS = (
    lambda: SparseCenterClassifier(2),
    lambda: SparseCenterClassifier(2, metric="l1"),
    lambda: FisherSubspaceClassifier(),
    lambda: ReliefFSelector(2),
    lambda: MarginSelector(2),
)


def damage_matrix(name, rng):
    """Change entries, types or lengths of the arrays of a sparse matrix."""
    X = sparse.csr_array(sample(24, 6, seed=1)[0]).asformat(name).copy()
    parts = {"coo": ["row", "col"], "dia": ["offsets"], "lil": ["rows"]}
    names = ["data", *parts.get(name, ["indices", "indptr"])]
    for _ in range(rng.integers(1, 3)):
        part = names[rng.integers(len(names))]
        values = getattr(X, part).copy()
        value = int(rng.choice([*range(-9, 30), 2**31 - 1, -(2**31)]))
        at = int(rng.integers(len(values)))
        match rng.integers(6):
            case 0 | 1 | 2 if name == "lil":
                values[at] = [value] * int(rng.integers(4))
            case 0 | 1 | 2:
                values[at] = value
            case 3:
                values = values[: -1 - at]
            case 4:
                values = np.concatenate([values, values[:at]])
            case 5 if name != "lil":
                values = values.astype(rng.choice(["f8", "i8", "c16", "O"]))
        setattr(X, part, values)
    return X


def fit_damaged(case):
    """Fit to a damaged matrix, or ask a sound model about it."""
    name, seed = case
    rng = np.random.default_rng(seed)
    X, y = damage_matrix(name, rng), np.arange(24) % 2
    model = ESTIMATORS[rng.integers(len(ESTIMATORS))]()
    if rng.integers(2):
        return model.fit(X, y)
    model.fit(sample(24, 6)[0], y)
    return getattr(model, "predict" if hasattr(model, "predict") else "transform")(X)


@counts_memory
@pytest.mark.parametrize("name", [each for each in SPARSE if each != "dok"])
def test_damaged_matrices_are_refused_or_fitted(name):
    cases = [(name, seed) for seed in range(n_cases(40))]
    # SciPy says by a TypeError which types of values it does not convert.
    outcomes = run_cases(fit_damaged, cases, refusals=(ValueError, TypeError))
    assert_harmless(outcomes, lambda number: f"{name}, seed {number}")
