"""Annotated matrices: .h5ad files, read with h5py alone, and AnnData objects."""

import numpy as np
from scipy import sparse

from .._optional import require
from ._arrays import as_samples
from ._labels import labels_from_array
from ._request import Found, clean_errors, texts

__all__ = ["is_annotated", "read_annotated", "read_h5ad"]


def is_annotated(source):
    """Say whether `source` has the parts of AnnData that are read."""
    return all(hasattr(source, part) for part in ("obs", "var_names", "obs_names", "layers", "X"))


def read_annotated(adata, request):
    """Read an AnnData object; labels are a column of `obs`."""
    _check(request)
    X = adata.X if request.layer is None else _layer(adata.layers, request)
    if X is None:
        raise ValueError(f"{request.name} has no X; name a layer: {_names_of(adata.layers)}.")
    if hasattr(X, "to_memory"):  # a sparse matrix that is still in its file
        X = X.to_memory()

    def column(name):
        return list(adata.obs[name])

    return _found(
        X, texts(list(adata.var_names)), texts(list(adata.obs_names)),
        texts(list(adata.obs.columns)), column, request,
    )  # fmt: skip


def read_h5ad(path, request):
    """Read a file of anndata 0.7 or later without anndata."""
    _check(request)
    h5py = require("h5py", "io", "Reading .h5ad")
    with clean_errors(request.name, "an .h5ad file"):
        file = h5py.File(path, "r")
    with file:
        with clean_errors(request.name, "an .h5ad file"):
            obs, var = file.get("obs"), file.get("var")
            layers = dict(file.get("layers", {}))
            stored = file["X"] if request.layer is None and "X" in file else None
        if not (isinstance(obs, h5py.Group) and isinstance(var, h5py.Group)):
            raise ValueError(
                f"{request.name} has no tables 'obs' and 'var' as anndata 0.7 or later writes "
                "them; read it with anndata and write it again."
            )
        if request.layer is not None:
            stored = _layer(layers, request)
        elif stored is None:
            raise ValueError(f"{request.name} has no X; name a layer: {_names_of(layers)}.")
        with clean_errors(request.name, "an .h5ad file"):
            X = _matrix(stored)
            names, ids = _index(var), _index(obs)
            columns = texts(obs.attrs.get("column-order", []))

        def column(name):
            with clean_errors(request.name, "an .h5ad file"):
                return _column(obs, name)

        return _found(X, names, ids, columns, column, request)


def _check(request):
    if request.transpose:
        request.refuse_option("transpose", "its samples are in rows")


def _layer(layers, request):
    if request.layer not in layers:
        raise ValueError(request.unknown("layer", request.layer, list(layers)))
    return layers[request.layer]


def _names_of(layers):
    return ", ".join(map(repr, layers)) or "there is none"


def _found(X, names, ids, columns, column, request):
    X = as_samples(X, request)
    for asked in (request.target, request.ids):
        if asked is not None and asked not in columns:
            raise ValueError(request.unknown("column of obs", asked, columns))
    for what, found, size in (("names", names, X.shape[1]), ("ids", ids, X.shape[0])):
        if len(found) != size:
            raise ValueError(f"{request.name} has {len(found)} {what} for a matrix {X.shape}.")
    y = None
    if request.target is not None:
        labels = column(request.target)
        y = labels_from_array(np.array([*labels, None], dtype=object)[:-1])
    if request.ids is not None:
        ids = texts(column(request.ids))
    kept = request.kept(names)
    if len(kept) < len(names):
        X, names = X[:, kept], [names[j] for j in kept]
    return Found(X, names, y, ids, request.target)


# ------------------------------------------------------------------ what the file holds


def _matrix(stored):
    if hasattr(stored, "shape"):
        return stored[()]
    kind = stored.attrs.get("encoding-type", stored.attrs.get("h5sparse_format", ""))
    shape = stored.attrs.get("shape", stored.attrs.get("h5sparse_shape"))
    makers = {"csr": sparse.csr_array, "csc": sparse.csc_array}
    if str(kind)[:3] not in makers or shape is None:
        raise ValueError(f"a matrix of kind {str(kind)!r} is neither dense nor csr or csc.")
    parts = tuple(stored[name][()] for name in ("data", "indices", "indptr"))
    return makers[str(kind)[:3]](parts, shape=tuple(int(size) for size in shape))


def _index(table):
    return texts(_column(table, table.attrs.get("_index", "_index")))


def _column(table, name):
    """Return a column of plain values, categories, or values with a mask of what is missing."""
    stored = table[name]
    if hasattr(stored, "shape"):
        values = _values(stored)
        categories = stored.attrs.get("categories")  # a reference, as anndata 0.7 wrote it
        return values if categories is None else _by_code(values, _values(table.file[categories]))
    if "codes" in stored:
        return _by_code(_values(stored["codes"]), _values(stored["categories"]))
    values, mask = _values(stored["values"]), _values(stored["mask"])
    return [None if gone else value for value, gone in zip(values, mask, strict=True)]


def _values(stored):
    is_text = stored.dtype.kind == "O" or stored.dtype.kind == "S"
    return (stored.asstr()[()] if is_text else stored[()]).tolist()


def _by_code(codes, categories):
    return [None if code < 0 else categories[code] for code in codes]
