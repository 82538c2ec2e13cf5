"""A cell atlas on one machine, beside scanpy and celltypist.

``python -m benchmarks.single_cell write CELLS FILE.h5ad`` writes counts in the shape of an atlas:
31,629 genes, of which a cell has about 3 %, 20 types of cells, 40 donors, 8 batches. Donors have a
profile of their own, and types differ in 40 markers each, so that types are not recognised without
an error. A name that ends in ``.csc.h5ad`` or ``.zarr`` is another way to store it.

``python -m benchmarks.single_cell run WAY FILE`` adds a row to benchmarks/single_cell.csv: seconds
of the processor, of all threads together, and peak memory of a process that does nothing else, its
imports included. Ways that are not ours run in any environment that has them.
"""

import argparse
import csv
import resource
import time
from importlib.metadata import version
from pathlib import Path

import numba
import numpy as np

N_GENES, N_TYPES, N_DONORS, N_BATCHES, N_MARKERS = 31_629, 20, 40, 8, 40
N_MOLECULES = 1_230  # of a cell in the middle, of about 950 genes
N_LEVELS = 2**20
AT_A_TIME = 20_000
MOST_MEMORY = 14 * 2**30  # of a process, so that none takes all of the machine
COLUMNS = (
    "way", "file", "cells", "genes", "stored_values", "cpu_seconds", "peak_memory_gb", "reads",
    "result", "versions",
)  # fmt: skip
RESULTS = Path(__file__).with_suffix(".csv")


# ------------------------------------------------------------------ an atlas


@numba.njit
def draw_cells(genes, depths, profiles, counts, indices, data, lengths):
    """Draw molecules of each cell, gene by gene of its profile; `counts` is a row of zeros."""
    place = 0
    for i in range(depths.size):
        for _ in range(depths[i]):
            counts[genes[profiles[i], int(np.random.random() * genes.shape[1])]] += 1  # noqa: NPY002
        before = place
        for j in range(counts.size):
            if counts[j]:
                indices[place], data[place] = j, counts[j]
                counts[j] = 0
                place += 1
        lengths[i] = place - before
    return place


@numba.njit
def seed_loops(seed):
    """Seed what is drawn in compiled loops."""
    np.random.seed(seed)  # noqa: NPY002


def gene_tables(rng):
    """Return for each type and batch the gene of each level of a uniform number."""
    base = rng.lognormal(0.0, 2.0, N_GENES)
    tables = []
    for _ in range(N_TYPES):
        rates = base.copy()
        rates[rng.choice(N_GENES, N_MARKERS, replace=False)] *= 6.0
        for batch in range(N_BATCHES):
            noise = np.random.default_rng(batch).lognormal(0.0, 0.4, N_GENES)
            shares = np.cumsum(rates * noise)
            levels = (np.arange(N_LEVELS) + 0.5) / N_LEVELS * shares[-1]
            tables.append(np.searchsorted(shares, levels).astype(np.uint16))
    return np.array(tables)


def cells(n_cells, seed=0):
    """Yield blocks of an atlas: CSR parts, types, donors and batches of some cells."""
    rng = np.random.default_rng(seed)
    seed_loops(seed)
    tables, counts = gene_tables(rng), np.zeros(N_GENES, np.int32)
    shares = rng.dirichlet(np.full(N_TYPES, 2.0))
    for start in range(0, n_cells, AT_A_TIME):
        size = min(AT_A_TIME, n_cells - start)
        types = rng.choice(N_TYPES, size, p=shares)
        donors = rng.integers(0, N_DONORS, size)
        depths = (N_MOLECULES * rng.lognormal(0.0, 0.4, size)).astype(np.int64)
        indices = np.empty(depths.sum(), np.int32)
        data, lengths = np.empty(depths.sum(), np.float32), np.empty(size, np.int64)
        batches = donors % N_BATCHES
        profiles = types * N_BATCHES + batches
        end = draw_cells(tables, depths, profiles, counts, indices, data, lengths)
        yield indices[:end], data[:end], lengths, types, donors, batches


def write(n_cells, path):
    """Write an atlas as CSR, block by block; other forms are made of it."""
    import anndata
    import h5py
    import pandas as pd

    columns = {"cell_type": [], "donor": [], "batch": []}
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        group.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0"})
        group.attrs["shape"] = (n_cells, N_GENES)
        stored = {
            name: group.create_dataset(name, (0,), dtype, maxshape=(None,), chunks=(2**20,))
            for name, dtype in (("data", np.float32), ("indices", np.int32))
        }
        pointers = [np.zeros(1, np.int64)]
        for indices, data, lengths, *names in cells(n_cells):
            for name, values in (("data", data), ("indices", indices)):
                size = stored[name].shape[0]
                stored[name].resize((size + values.size,))
                stored[name][size:] = values
            pointers.append(lengths)
            for column, codes in zip(columns.values(), names, strict=True):
                column.append(codes)
        group["indptr"] = np.cumsum(np.concatenate(pointers))
        words = {"cell_type": "type", "donor": "donor", "batch": "batch"}
        table = {
            name: pd.Categorical([f"{words[name]} {code}" for code in np.concatenate(codes)])
            for name, codes in columns.items()
        }
        index = pd.Index([f"cell{i}" for i in range(n_cells)])
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        anndata.io.write_elem(file, "obs", pd.DataFrame(table, index=index))
        genes = pd.DataFrame(index=pd.Index([f"gene{j}" for j in range(N_GENES)]))
        anndata.io.write_elem(file, "var", genes)


def write_form(n_cells, path):
    """Write an atlas in the form that its name says."""
    import anndata

    path = Path(path)
    if path.name.endswith(".csc.h5ad") or path.suffix == ".zarr":
        rows = path.with_name(f"{path.name}.rows.h5ad")
        write(n_cells, rows)
        atlas = anndata.read_h5ad(rows)
        if path.suffix == ".zarr":
            atlas.write_zarr(path)
        else:
            atlas.X = atlas.X.tocsc()
            atlas.write_h5ad(path)
        rows.unlink()
        return
    write(n_cells, path)


# ------------------------------------------------------------------ ways


def ours(path):
    """Choose the number of genes by nested cross-validation, donors together, reading batches."""
    from centroidal.model_selection import select_features
    from centroidal.streaming import batches

    rows = batches(path, target="cell_type", groups="donor", preprocess="normalise,log1p")
    passes = set()
    found = select_features(
        rows,
        method="l2",
        n_repeats=1,
        random_state=0,
        n_jobs=2,
        progress=lambda done, all_rows, what: passes.add(what),
    )
    # An .h5ad file is looked through for damage, and columns are turned to rows.
    reads = len(passes) + (Path(path).suffix == ".h5ad") + (".csc" in Path(path).suffixes)
    low, high = found.interval
    return reads, (
        f"{found.n_features_to_select} genes, accuracy on cells of new donors {found.score:.4f} "
        f"({low:.4f} to {high:.4f})"
    )


def read_logged(sc, path):
    """Read an atlas into memory, and normalise it."""
    atlas = sc.read_h5ad(path)
    atlas.X.indptr = atlas.X.indptr.astype(atlas.X.indices.dtype)  # or scanpy cannot rank
    sc.pp.normalize_total(atlas, target_sum=1e4)
    sc.pp.log1p(atlas)
    return atlas


def scanpy_t_test(path):
    """Rank genes for each type of cells against the rest, by t-tests; nothing is held out."""
    import scanpy as sc

    atlas = read_logged(sc, path)
    sc.tl.rank_genes_groups(atlas, "cell_type", method="t-test")
    return 1, "rank of all genes for each type, no score on unseen cells"


def celltypist_sgd(path):
    """Train logistic regression by gradient descent with mini-batches, values not centred.

    With the default, which centres them, 236,000 cells would be a dense table of 28 GB.
    """
    import celltypist
    import scanpy as sc

    atlas = read_logged(sc, path)
    options = {"use_SGD": True, "mini_batch": True, "with_mean": False, "check_expression": False}
    model = celltypist.train(atlas, labels="cell_type", n_jobs=2, **options)
    return 1, f"model of {model.features.size} genes, no score on unseen cells"


WAYS = {
    "centroidal, nested choice of k": ours,
    "scanpy, rank_genes_groups (t-test)": scanpy_t_test,
    "celltypist, mini-batch SGD": celltypist_sgd,
}
PACKAGES = {"centroidal": ("centroidal", "numpy", "scipy", "h5py")}


def run(way, path):
    """Measure a way, and add a row."""
    import h5py

    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    reads, result = WAYS[way](path)
    taken = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    if Path(path).suffix == ".zarr":
        import zarr

        file = zarr.open_group(path, mode="r")
        shape, n_stored = file["X"].attrs["shape"], file["X/data"].shape[0]
    else:
        with h5py.File(path) as file:
            shape, n_stored = file["X"].attrs["shape"], file["X/data"].shape[0]
    first = way.split(",")[0]
    packages = PACKAGES.get(first, (first, "scanpy", "anndata", "numpy", "scipy"))
    row = {
        "way": way, "file": "".join(Path(path).suffixes), "cells": shape[0], "genes": shape[1],
        "stored_values": n_stored, "cpu_seconds": f"{taken:.0f}", "peak_memory_gb": f"{peak:.2f}",
        "reads": reads, "result": result,
        "versions": " ".join(f"{name}=={version(name)}" for name in dict.fromkeys(packages)),
    }  # fmt: skip
    add_row(row)


def add_row(row):
    """Write a row to the table, in place of one of the same way, file and number of cells."""
    rows = []
    if RESULTS.exists():
        with open(RESULTS, newline="") as stream:
            rows = list(csv.DictReader(stream))
    same = ("way", "file", "cells")
    rows = [each for each in rows if any(str(each[key]) != str(row[key]) for key in same)] + [row]
    with open(RESULTS, "w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parts = parser.add_subparsers(dest="part", required=True)
    writing = parts.add_parser("write")
    writing.add_argument("cells", type=int)
    writing.add_argument("file")
    running = parts.add_parser("run")
    running.add_argument("way", choices=WAYS)
    running.add_argument("file")
    args = parser.parse_args()
    if args.part == "write":
        write_form(args.cells, args.file)
    else:
        run(args.way, args.file)


if __name__ == "__main__":
    main()
