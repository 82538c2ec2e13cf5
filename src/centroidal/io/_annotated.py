"""Annotated matrices: .h5ad files, read with h5py alone, and AnnData objects."""

from scipy import sparse

from .._optional import require
from ..streaming.annotated_reader import (
    Column,
    index_of,
    labels_from_values,
    layer_names,
    open_tables,
    stored_matrix,
)
from ..streaming.arrays import as_samples
from ..streaming.request import RawTable, clean_errors, texts

__all__ = ["is_annotated", "read_annotated", "read_h5ad"]

_KIND = "an .h5ad file"


def is_annotated(source):
    """Say whether `source` has the parts of AnnData that are read."""
    return all(hasattr(source, part) for part in ("obs", "var_names", "obs_names", "layers", "X"))


def read_annotated(adata, request):
    """Read an AnnData object; labels are a column of `obs`."""
    _check(request)
    if request.layer is not None:
        request.check_layer(list(adata.layers))
    X = adata.X if request.layer is None else adata.layers[request.layer]
    if X is None:
        raise ValueError(f"{request.name} has no X; name a layer: {layer_names(adata.layers)}.")
    if hasattr(X, "to_memory"):  # a sparse matrix that is still in its file
        X = X.to_memory()
    return _raw_table(
        X,
        texts(list(adata.var_names)),
        texts(list(adata.obs_names)),
        texts(list(adata.obs.columns)),
        lambda name: list(adata.obs[name]),
        request,
    )


def read_h5ad(path, request):
    """Read a file of anndata 0.7 or later without anndata."""
    _check(request)
    h5py = require("h5py", "io", "Reading .h5ad")
    with open_tables(lambda: h5py.File(path, "r"), request.name, _KIND) as root:
        obs, var = root["obs"], root["var"]
        stored = stored_matrix(root, request, _KIND)
        with clean_errors(request.name, _KIND):
            X = _matrix(stored)
            names, ids = (texts(Column(table, index_of(table))[:]) for table in (var, obs))
            columns = texts(obs.attrs.get("column-order", []))

        def column(name):
            with clean_errors(request.name, _KIND):
                return Column(obs, name)[:]

        return _raw_table(X, names, ids, columns, column, request)


def _check(request):
    if request.transpose:
        request.refuse_option("transpose", "its samples are in rows")


def _raw_table(X, names, ids, columns, column, request):
    X = as_samples(X, request)
    for asked in (request.target, request.ids):
        if asked is not None and asked not in columns:
            raise ValueError(request.unknown("column of obs", asked, columns))
    for what, found, size in (("names", names, X.shape[1]), ("ids", ids, X.shape[0])):
        if len(found) != size:
            raise ValueError(f"{request.name} has {len(found)} {what} for a matrix {X.shape}.")
    y = None if request.target is None else labels_from_values(column(request.target))
    if request.ids is not None:
        ids = texts(column(request.ids))
    kept = request.kept_positions(names)
    if len(kept) < len(names):
        X, names = X[:, kept], [names[j] for j in kept]
    return RawTable(X, names, y, ids, request.target)


def _matrix(stored):
    if hasattr(stored, "shape"):
        return stored[()]
    kind = str(stored.attrs.get("encoding-type", stored.attrs.get("h5sparse_format", "")))
    shape = stored.attrs.get("shape", stored.attrs.get("h5sparse_shape"))
    makers = {"csr": sparse.csr_array, "csc": sparse.csc_array}
    if kind[:3] not in makers or shape is None:
        raise ValueError(f"a matrix of kind {kind!r} is neither dense nor csr or csc.")
    parts = tuple(stored[name][()] for name in ("data", "indices", "indptr"))
    return makers[kind[:3]](parts, shape=tuple(int(size) for size in shape))
