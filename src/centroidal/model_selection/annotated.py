"""AnnData in memory: samples in X or a layer, and what is known of them in the table `obs`."""

from typing import Any, NamedTuple

from .._parameters import check_asked
from ..streaming.labels import check_labels, labels_from_values
from ..streaming.request import Request, texts


class AnnotatedSamples(NamedTuple):
    """What `select_features` takes, of AnnData."""

    X: Any
    y: Any
    groups: Any
    blocks: Any
    covariates: Any
    feature_names: Any


def take_annotated(adata, y, target, layer, groups, blocks, covariates, feature_names):
    """Return the samples of AnnData; names stand for columns of `obs`."""
    request = Request("AnnData", **check_asked(target=target, ids=None, layer=layer))
    if target is None:
        raise ValueError("target=None must name the column of obs with the labels: X is AnnData.")
    if y is not None:
        raise ValueError(f"y must be None: target={target!r} names the labels of AnnData.")
    y = labels_from_values(_column(adata, target, request))
    check_labels(y, adata.n_obs, target, request.name, texts(list(adata.obs_names)))
    if covariates is not None and all(isinstance(name, str) for name in covariates):
        covariates = {name: _column(adata, name, request) for name in covariates}
    groups, blocks = (
        _column(adata, each, request) if isinstance(each, str) else each
        for each in (groups, blocks)
    )
    if feature_names is None:
        feature_names = texts(list(adata.var_names))
        request.refuse_repeated(feature_names)
    X = matrix_of(adata, request)
    return AnnotatedSamples(X, y, groups, blocks, covariates, feature_names)


def _column(adata, name, request):
    columns = texts(list(adata.obs.columns))
    if name not in columns:
        raise ValueError(request.say_unknown("column of obs", name, columns))
    return adata.obs[name]


def matrix_of(adata, request):
    """Return X or the layer that is asked for; raise if it is not there or still in a file."""
    if getattr(adata, "isbacked", False):
        raise ValueError(
            f"X is AnnData that is still in its file: batches({str(adata.filename)!r}, target=...) "
            "reads it as it is needed, X.to_memory() reads it all."
        )
    if request.layer is not None:
        request.check_layer(list(adata.layers))
        return adata.layers[request.layer]
    if adata.X is None:
        layers = ", ".join(map(repr, adata.layers)) or "there is none"
        raise ValueError(f"{request.name} has no X; name a layer: {layers}.")
    return adata.X
