"""Damaged files in all formats that are read in batches: refused or read, and nothing worse."""

import gzip
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from centroidal.io import read_table
from centroidal.streaming import batches
from tests.streaming.children import counts_memory
from tests.streaming.test_batches import SOURCES, sample, write_zarr

from .harness import assert_harmless, n_cases, run_cases

FORMATS = {
    **{key: SOURCES[key] for key in SOURCES if key != "parquet folder"},
    "svmlight": lambda d, X, y: write_svmlight(d / "t.svm", X, y),
    "svmlight.gz": lambda d, X, y: write_svmlight(d / "t.svm.gz", X, y),
    "zarr": lambda d, X, y: write_zarr(d / "t.zarr", X, y, "dense", 3),
    "zarr csr": lambda d, X, y: write_zarr(d / "t.zarr", X, y, "csr", 2),
}
# What libhdf5 asks for by a damaged number that nobody else sees: of headers it touches nothing,
# and a text takes 4 GiB at most.
BELOW_US = re.compile("failed for (on disk image buffer|chunk)")
INTERESTING = [0, 1, 2**7, 2**8 - 1, 2**15, 2**16 - 1, 2**31 - 1, 2**32 - 1, 2**63 - 1, 2**64 - 1]


def write_svmlight(path, X, y):
    with (gzip.open if path.suffix == ".gz" else open)(path, "wb") as stream:
        dump_svmlight_file(X, np.unique(y, return_inverse=True)[1], stream)
    return path


def mutate(data, rng):
    """Return bytes with a few changes of the kinds that disks, networks and attackers make."""
    data = bytearray(data)
    for _ in range(rng.integers(1, 6)):
        if not data:
            break
        at = int(rng.integers(len(data)))
        match rng.integers(7):
            case 0:
                data[at] ^= 1 << rng.integers(8)
            case 1:
                data[at] = rng.integers(256)
            case 2 | 3:
                width = int(rng.choice([1, 2, 4, 8]))
                value = INTERESTING[rng.integers(len(INTERESTING))] % 2 ** (8 * width)
                data[at : at + width] = value.to_bytes(width, rng.choice(["little", "big"]))
            case 4:
                other = int(rng.integers(len(data)))
                length = int(rng.integers(1, 64))
                data[at : at + length] = data[other : other + length]
            case 5:
                del data[at : at + int(rng.integers(1, 16))]
            case 6:
                del data[at:]
    return bytes(data)


def write_mutated(source, target, rng):
    """Copy a file, or a folder in which one file is changed."""
    if source.is_dir():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)
        files = sorted(each for each in target.rglob("*") if each.is_file())
        path = files[rng.integers(len(files))]
    else:
        path = target
        shutil.copyfile(source, target)
    data = path.read_bytes()
    if path.suffix == ".gz" and rng.integers(2):
        path.write_bytes(gzip.compress(mutate(gzip.decompress(data), rng), mtime=0))
    else:
        path.write_bytes(mutate(data, rng))


def read_mutated(case):
    """Read a damaged file in batches, and what `read_table` knows also whole."""
    source, folder, seed = case
    rng = np.random.default_rng(seed)
    path = Path(folder) / f"mutated{''.join(source.suffixes)}"
    write_mutated(source, path, rng)
    if ".svm" in path.suffixes:  # which is read whole only
        return read_table(path)
    if path.suffix != ".zarr" and path.is_file() and rng.integers(2):
        return read_table(path, target="kind")
    rows = batches(path, target="kind", batch_size=7)
    return rows.classes().size, sum(batch.y.size for batch in rows)


@counts_memory
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_are_refused_or_read(name, tmp_path):
    source = FORMATS[name](tmp_path, *sample(23, 5))
    folder = tmp_path / "mutated"
    folder.mkdir()
    cases = [(source, folder, seed) for seed in range(n_cases(40))]
    outcomes = run_cases(read_mutated, cases)
    assert_harmless([each for each in outcomes if not BELOW_US.search(each.text)])
