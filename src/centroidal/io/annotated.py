"""What was found, written to AnnData, where scanpy and its plots look for it."""

from pathlib import Path
from shutil import copyfile
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import atomic_part, check_target
from .._optional import require
from .._parameters import check_flag
from .._typing import FilePath
from ..streaming import batches
from ..streaming.request import quote
from .prediction import predict_rows, predict_table
from .tables import read_table

if TYPE_CHECKING:
    from anndata import AnnData

    from ..model_selection import FeatureSelection

__all__ = ["write_anndata", "write_back"]

_LEAST = 1e-9  # added to means before they are divided, as scanpy does
_PREDICTION = "centroidal_prediction"


def write_anndata(
    found: "FeatureSelection",
    adata: "AnnData",
    *,
    target: str | None = None,
    layer: str | None = None,
    no_call: float | None = None,
    training: bool = False,
    key_added: str = "rank_genes_groups",
) -> "AnnData":
    """Write a selection, and what its model says of cells, to AnnData, for scanpy to show.

    Parameters
    ----------
    found : FeatureSelection
        What :func:`~centroidal.model_selection.select_features` found.
    adata : AnnData
        The cells of training, or others with all features that the model reads. It is changed: see
        Notes for what is added.
    target : str or None, default=None
        The column of `obs` with labels, by which plots are to group cells; None takes the
        predictions.
    layer : str or None, default=None
        The layer that the model reads, as in training; None is X.
    no_call : float or None, default=None
        Leave cells without a class where none, or more than one, is credible, as in
        :func:`predict_table`.
    training : bool, default=False
        Whether these are the cells of training, in the same order: then the predictions of cells
        when they were not seen are added as well, which are the honest ones.
    key_added : str, default="rank_genes_groups"
        The key of `uns` under which markers are written.

    Returns
    -------
    AnnData
        `adata` itself.

    See Also
    --------
    predict_table : Predicts without AnnData.

    Notes
    -----
    Added are

    - ``var["centroidal_selected"]``, ``var["centroidal_rank"]`` (1 is the best, missing for genes
      that were not selected) and ``var["centroidal_marker_of"]``, the class that stands out most;
    - ``obs["centroidal_prediction"]``, missing where there is no call,
      ``obs["centroidal_probability"]`` of the predicted class, ``obs["centroidal_credible"]`` with
      `no_call`, and ``obs["centroidal_held_out"]`` with `training`;
    - ``uns["rank_genes_groups"]``: for each class all selected genes, first those in which its
      center lies highest above the mean of the other classes. ``scores`` are these differences over
      the standard deviation inside the classes, and ``logfoldchanges`` are computed from class
      means as scanpy does, if values are logarithms. ``pvals`` are missing: cells from which genes
      were selected cannot test them.

    Examples
    --------
    >>> import anndata, numpy as np, pandas as pd
    >>> from centroidal.io import write_anndata
    >>> from centroidal.model_selection import select_features
    >>> rng = np.random.default_rng(0)
    >>> kind = rng.choice(["B", "T"], size=90)
    >>> counts = rng.poisson(np.where((kind == "T")[:, None] & (np.arange(8) == 5), 9.0, 2.0))
    >>> obs = pd.DataFrame({"kind": pd.Categorical(kind)}, index=[f"cell{i}" for i in range(90)])
    >>> var = pd.DataFrame(index=[f"gene{j}" for j in range(8)])
    >>> adata = anndata.AnnData(counts.astype(float), obs=obs, var=var)
    >>> options = {"preprocess": "normalise,log1p", "random_state": 0}
    >>> found = select_features(adata, target="kind", **options)
    >>> _ = write_anndata(found, adata, target="kind", training=True)
    >>> adata.uns["rank_genes_groups"]["names"]["T"][0]
    'gene5'
    >>> adata.var.index[adata.var["centroidal_selected"]].tolist()
    ['gene5']
    """
    check_flag("training", training)
    table = read_table(adata, layer=layer)
    parts = [predict_table(found.model, table, allow_extra=True, no_call=no_call)]
    return _annotate(found, adata, parts, target, layer, training, key_added)


def write_back(
    found: "FeatureSelection",
    source: FilePath,
    path: FilePath | None = None,
    *,
    target: str,
    layer: str | None = None,
    no_call: float | None = None,
    training: bool = False,
    key_added: str = "rank_genes_groups",
    force: bool = False,
    **reading: Any,
) -> None:
    """Write a selection to a copy of an .h5ad file, as :func:`write_anndata` does to AnnData.

    Cells are predicted in batches, so that the matrix need not fit in memory.

    Parameters
    ----------
    found : FeatureSelection
        What was found in the file.
    source : str or path
        The file.
    path : str or path or None, default=None
        The file to write; None writes in place of `source`. Either is an atomic step: there is a
        whole copy for a moment.
    target : str
        The column of `obs` with labels.
    layer, no_call, training, key_added : object
        As in :func:`write_anndata`.
    force : bool, default=False
        Whether a file that exists may be overwritten.
    **reading
        As in :func:`~centroidal.streaming.batches`, but without `preprocess`, which the model does.

    Examples
    --------
    >>> from centroidal.io import write_back
    >>> write_back(found, "cells.h5ad", "answer.h5ad", target="kind")  # doctest: +SKIP
    """
    check_flag("training", training)
    anndata = require("anndata", "single-cell", "Writing AnnData")
    h5py = require("h5py", "io", "Writing .h5ad")
    source = Path(source)
    path = check_target(source if path is None else path, ".h5ad", force or path is None)
    rows = batches(source, target=target, layer=layer, **reading)
    parts = [predict_rows(found.model, batch.X, no_call) for batch in rows]

    with atomic_part(path, force=force or path == source) as part:
        copyfile(source, part)
        with h5py.File(part, "r+") as file:
            obs, var = (anndata.io.read_elem(file[name]) for name in ("obs", "var"))
            held = SimpleNamespace(obs=obs, var=var, uns=dict.fromkeys(file.get("uns", ())))
            _annotate(found, held, parts, target, layer, training, key_added)
            for name in ("obs", "var"):
                anndata.io.write_elem(file, name, getattr(held, name))
            anndata.io.write_elem(file.require_group("uns"), key_added, held.uns[key_added])


def _annotate(found, adata, parts, target, layer, training, key_added):
    """Write what is said of cells, in parts, and of genes."""
    _check_training(found, len(adata.obs), training)
    groupby = _check_groups(adata, target)
    _write_genes(found, adata)
    for name, column in _cell_columns(found, parts, training).items():
        adata.obs[name] = column
    is_logged = "log1p" in (found.preprocess or "").split(",") or "log1p" in adata.uns
    params = {
        "groupby": groupby, "reference": "rest", "method": f"centroidal {found.method}",
        "use_raw": False, "layer": layer, "corr_method": "none",
    }  # fmt: skip
    adata.uns[key_added] = {"params": params, **_rank_markers(found, is_logged)}
    return adata


def _check_training(found, n_cells, training):
    if training and found.is_streamed:
        raise ValueError(
            "training=True must be False for a selection from batches, which tells nothing of a "
            "single cell."
        )
    if training and found.predicted.shape[1] != n_cells:
        raise ValueError(
            f"training=True must be False for {n_cells} cells: the selection was made with "
            f"{found.predicted.shape[1]}."
        )


def _check_groups(adata, target):
    """Return the column by which cells are grouped; raise if it is not there."""
    if target is None:
        return _PREDICTION
    if target not in adata.obs.columns:
        raise ValueError(f"AnnData has no column of obs {quote(target)}.")
    return target


def _write_genes(found, adata):
    """Say of each gene whether it was selected."""
    pandas = require("pandas", "single-cell", "AnnData")
    names = adata.var.index.astype(str)
    ranks = {name: place for place, name in enumerate(found.selected_names.tolist(), start=1)}
    markers = dict(zip(found.selected_names.tolist(), _marker_of(found), strict=True))
    adata.var["centroidal_selected"] = [name in ranks for name in names]
    adata.var["centroidal_rank"] = np.array([ranks.get(name, np.nan) for name in names])
    adata.var["centroidal_marker_of"] = pandas.Categorical(
        [markers.get(name) for name in names], categories=_class_names(found)
    )


def _class_names(found):
    return [str(label) for label in found.classes.tolist()]


def _marker_of(found):
    return [str(label) for label in found.classes[found.marker_codes].tolist()]


def _cell_columns(found, parts, training):
    """Return what is said of each cell, by the names of columns."""
    pandas = require("pandas", "single-cell", "AnnData")
    classes = _class_names(found)

    def categories(labels):
        labels = [None if label is None else str(label) for label in labels]
        return pandas.Categorical(labels, categories=classes)

    columns = {_PREDICTION: categories(np.concatenate([each.calls for each in parts]).tolist())}
    if parts[0].probabilities is not None:
        largest = [each.probabilities.max(axis=1) for each in parts]
        columns["centroidal_probability"] = np.concatenate(largest)
    if parts[0].credible is not None:
        names = [name for each in parts for name in each.credible_names]
        columns["centroidal_credible"] = pandas.Categorical(names)
    if training:
        columns["centroidal_held_out"] = categories(found.classes[found.predicted[0]].tolist())
    return columns


def _rank_markers(found, is_logged):
    """Return the selected genes for each class, as scanpy keeps them."""
    columns, classes = found.selected, _class_names(found)
    centers, counts = np.nan_to_num(found.centers[:, columns]), found.class_counts[:, None]
    others = counts.sum() - counts
    rest = (counts.T @ centers - counts * centers) / np.maximum(others, 1)
    spreads = np.where(found.spreads[columns] > 0.0, found.spreads[columns], 1.0)
    scores = (centers - rest) / spreads
    folds = np.full(scores.shape, np.nan)
    if is_logged:
        folds = np.log2((np.expm1(centers) + _LEAST) / (np.expm1(rest) + _LEAST))
    order = np.argsort(-scores, axis=1, kind="stable")
    names = np.array(found.selected_names.tolist(), dtype=object)[order]
    numbers = {
        "scores": np.take_along_axis(scores, order, axis=1).astype(np.float32),
        "logfoldchanges": np.take_along_axis(folds, order, axis=1).astype(np.float32),
        "pvals": np.full(scores.shape, np.nan),
        "pvals_adj": np.full(scores.shape, np.nan),
    }
    return {
        name: np.rec.fromarrays(list(values), names=classes)
        for name, values in {"names": names, **numbers}.items()
    }
