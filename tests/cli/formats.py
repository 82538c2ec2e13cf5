"""One table in every format, by the tool that writes it; where only GEO or 10x do, as they do."""

import gzip
import io
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.io import mmwrite, savemat
from sklearn.datasets import dump_svmlight_file

from .conftest import make_samples

X, Y = make_samples()
IDS = [f"s{row}" for row in range(len(Y))]
NAMES = [f"g{column}" for column in range(X.shape[1])]
X_NAMES = [f"x{column}" for column in range(X.shape[1])]
FRAME = pd.DataFrame(X, columns=NAMES).assign(tree=Y)
SHEET = ("--samples", "sheet.csv", "--sample-id", "sample")


def text(**options):
    return FRAME.to_csv(index=False, **options)


def write_sheet():
    pd.DataFrame({"sample": IDS, "tree": Y}).to_csv("sheet.csv", index=False)


def write_zstd(path):
    with pa.CompressedOutputStream(str(path), "zstd") as stream:
        stream.write(text().encode())


def write_transposed(path):
    FRAME.set_index(pd.Index(IDS, name="sample")).T.to_csv(path)


def write_workbook(path):
    pytest.importorskip("openpyxl")
    FRAME.to_excel(path, index=False)


def write_polars(path):
    pytest.importorskip("polars").from_pandas(FRAME).write_parquet(path)


def write_parts(path):
    """A folder of Parquet files."""
    path.mkdir()
    for part, rows in enumerate(np.array_split(np.arange(len(Y)), 3)):
        FRAME.iloc[rows].to_parquet(path / f"{part}.parquet", index=False)


def write_joined(path):
    """Half of the features, and the others in a file of their own."""
    table = FRAME.assign(sample=IDS)
    table[["sample", *NAMES[:3], "tree"]].to_csv(path, index=False)
    table[["sample", *NAMES[3:]]].sample(frac=1.0, random_state=0).to_csv("more.csv", index=False)


def write_sparse(path):
    table = sparse.csr_array(X)
    parts = {name: getattr(table, name) for name in ("data", "indices", "indptr", "shape")}
    np.savez(path, **parts, tree=Y)


def write_svmlight(path):
    dump_svmlight_file(X, np.unique(Y, return_inverse=True)[1], str(path), zero_based=False)


def annotated():
    anndata = pytest.importorskip("anndata")
    obs, var = pd.DataFrame({"tree": Y}, index=IDS), pd.DataFrame(index=NAMES)
    return anndata.AnnData(X, obs=obs, var=var)


def write_zarr(path):
    pytest.importorskip("zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # which version of zarr is the default may change
        annotated().write_zarr(path)


def write_10x(path):
    """A matrix with genes in rows, as Cell Ranger packs it."""
    path.mkdir()
    matrix = io.BytesIO()
    mmwrite(matrix, sparse.coo_array(X.T))
    genes = "".join(f"ENSG{j}\t{name}\tGene Expression\n" for j, name in enumerate(NAMES))
    for name, content in (
        ("matrix.mtx.gz", matrix.getvalue()),
        ("features.tsv.gz", genes.encode()),
        ("barcodes.tsv.gz", "\n".join(IDS).encode()),
    ):
        (path / name).write_bytes(gzip.compress(content))
    write_sheet()


def write_gct(path):
    """Version 1.2, as GenePattern and GTEx write it."""
    table = pd.DataFrame(X.T, index=pd.Index(NAMES, name="Name"), columns=IDS)
    table.insert(0, "Description", "a gene")
    path.write_text(f"#1.2\n{X.shape[1]}\t{X.shape[0]}\n" + table.to_csv(sep="\t"))
    write_sheet()


def write_gct_of_cmap(path):
    gctoo = pytest.importorskip("cmapPy.pandasGEXpress.GCToo")
    from cmapPy.pandasGEXpress.write_gct import write

    genes = pd.DataFrame({"symbol": NAMES}, index=NAMES)
    trees = pd.DataFrame({"tree": Y, "site": "N"}, index=IDS)
    write(gctoo.GCToo(pd.DataFrame(X.T, index=NAMES, columns=IDS), genes, trees), str(path))


def write_geo(path):
    """As GEO serves it: no package of Python writes these, and GEOparse reads SOFT files only."""
    table = pd.DataFrame(X.T, index=pd.Index(NAMES, name="ID_REF"), columns=IDS)
    lines = [
        '!Series_title\t"Trees"',
        "\t".join(["!Sample_characteristics_ch1", *(f'"tree: {label}"' for label in Y)]),
        "!series_matrix_table_begin",
        table.to_csv(sep="\t").rstrip(),
        "!series_matrix_table_end\n",
    ]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))


def write_arff(path):
    arff = pytest.importorskip("arff")
    attributes = [*((name, "REAL") for name in NAMES), ("tree", sorted({*Y}))]
    table = {"relation": "trees", "attributes": attributes, "data": FRAME.to_numpy().tolist()}
    path.write_text(arff.dumps(table))


# Of each: the file, what writes it, options beside the target, and the names of the features.
FORMATS = {
    "csv": ("t.csv", lambda path: path.write_text(text()), (), NAMES),
    "tsv": ("t.tsv", lambda path: path.write_text(text(sep="\t")), (), NAMES),
    "txt": ("t.txt", lambda path: path.write_text(text(sep="|")), (), NAMES),
    "decimal commas": (
        "t.csv", lambda path: path.write_text(text(sep=";", decimal=",")),
        ("--delimiter", ";", "--decimal", ","), NAMES,
    ),
    "gzip": ("t.csv.gz", lambda path: FRAME.to_csv(path, index=False), (), NAMES),
    "zstd": ("t.csv.zst", write_zstd, (), NAMES),
    "transposed": ("t.csv", write_transposed, ("--transpose",), NAMES),
    "joined": ("t.csv", write_joined, ("--id", "sample", "--join", "more.csv"), NAMES),
    "workbook": ("t.xlsx", write_workbook, (), NAMES),
    "parquet": ("t.parquet", lambda path: FRAME.to_parquet(path, index=False), (), NAMES),
    "parquet of polars": ("t.parquet", write_polars, (), NAMES),
    "folder of parquet": ("t", write_parts, ("--stream",), NAMES),
    "npz": ("t.npz", lambda path: np.savez(path, X=X, tree=Y), (), X_NAMES),
    "sparse npz": ("t.npz", write_sparse, (), X_NAMES),
    "mat": ("t.mat", lambda p: savemat(p, {"X": X, "tree": Y.astype(object)}), (), X_NAMES),
    "svmlight": ("t.svmlight", write_svmlight, ("y",), [f"x{j + 1}" for j in range(X.shape[1])]),
    "h5ad": ("t.h5ad", lambda path: annotated().write_h5ad(path), (), NAMES),
    "zarr": ("t.zarr", write_zarr, ("--stream",), NAMES),
    "10x": ("t", write_10x, SHEET, NAMES),
    "gct": ("t.gct", write_gct, SHEET, NAMES),
    "gct 1.3": ("t.gct", write_gct_of_cmap, (), NAMES),
    "geo": ("t_series_matrix.txt.gz", write_geo, (), NAMES),
    "arff": ("t.arff", write_arff, (), NAMES),
}  # fmt: skip


def write_format(name):
    """Write the table in the current folder; return its path, options and names of features."""
    file, write, options, names = FORMATS[name]
    write(Path(file))
    target, options = ("y", options[1:]) if options[:1] == ("y",) else ("tree", options)
    return Path(file), ("--target", target, *options), names
