"""Generated gene expression with known informative genes, and the table that ships with us.

`save_expression` writes the shipped table, ``data/expression.npz`` in this folder, anew.
"""

from importlib import resources
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from sklearn.utils import Bunch, check_random_state

from .._typing import Array, ArrayLike, Floats, RandomState
from ._generators import (
    check_between,
    check_table,
    class_sizes,
    letter_names,
    numbered_names,
    shuffled_codes,
)

GENES_PER_MODULE = 25
SHARE_OF_BATCH_GENES = 0.1
N_BATCH_MODULES = 8
# How much wider the shared signal of a batch gene swings than that of any other gene.
BATCH_SWING = 2.0
TYPICAL_DEVIATION = 0.5
SHARE_OF_VARIANCE_IN_MODULE = 0.3
# A 16-bit scanner reads intensities from 1 to 65536, so log2 values end at 0 and 16.
SCANNER_RANGE = (0.0, 16.0)

SHIPPED_PARAMETERS = {
    "n_samples": 120,
    "n_features": 2000,
    "n_informative": 30,
    "n_classes": 3,
    "class_weights": (50, 40, 30),
    "random_state": 0,
}
# Two decimals are as many as a scanner deserves, and they fit in two bytes.
HUNDREDTHS = 100


class Genes(NamedTuple):
    """What belongs to a gene whatever the sample; one entry, or column, per gene."""

    level: np.ndarray
    module: np.ndarray
    loading: np.ndarray
    deviation: np.ndarray
    shift: np.ndarray
    informative: np.ndarray


def make_expression(
    n_samples: int = 120,
    n_features: int = 2000,
    n_informative: int = 30,
    n_classes: int = 3,
    *,
    class_weights: ArrayLike | None = None,
    effect: float = 1.8,
    outliers: float = 0.005,
    random_state: RandomState = None,
) -> Bunch:
    """Generate a table in the shape of gene expression, with known informative genes.

    Values look like log2 intensities, most of them between 4 and 14. Genes have their own level
    and spread and are co-expressed in modules. Each informative gene is shifted up or down in
    one class. One gene in ten belongs to a batch-like module with large variance that says
    nothing about the class: it is what misleads a classifier that uses all genes.

    Parameters
    ----------
    n_samples : int, default=120
        Number of samples (rows).
    n_features : int, default=2000
        Number of genes (columns).
    n_informative : int, default=30
        Number of genes that differ between classes; they take turns among the classes.
    n_classes : int, default=3
        Number of classes.
    class_weights : array-like of shape (n_classes,), default=None
        Relative sizes of the classes; equal if None.
    effect : float, default=1.8
        Mean shift of an informative gene, in log2 units, of a sample that is all tumour. The
        shifts of single genes range from a quarter of it to 1.75 times it.
    outliers : float, default=0.005
        Share of all entries that get a heavy-tailed error.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same table every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        data, target : ndarray of shape (n_samples, n_features), ndarray of int, shape (n_samples,)
            Values, and the classes of the samples.
        target_names, feature_names : ndarray of str, shape (n_classes,) or (n_features,)
            Names of the classes and of the genes.
        informative : ndarray of bool, shape (n_features,)
            True for the genes that differ between classes.

    See Also
    --------
    load_expression : One such table, fixed once and for all.

    Notes
    -----
    The shift of a sample is multiplied by its share of tumour cells, drawn from a Beta(1.5, 1)
    distribution, so that not even the informative genes alone reach an accuracy of one.

    Examples
    --------
    >>> from centroidal.datasets import make_expression
    >>> expression = make_expression(n_samples=60, n_features=500, random_state=0)
    >>> expression.data.shape
    (60, 500)
    >>> int(expression.informative.sum())
    30
    """
    check_table(n_samples, n_features, n_informative, n_classes)
    check_between("effect", effect, 0)
    check_between("outliers", outliers, 0, 1)

    # RandomState rather than Generator: its stream never changes between NumPy versions, so the
    # shipped table can always be made anew.
    rng = check_random_state(random_state)
    codes = shuffled_codes(class_sizes(n_samples, n_classes, class_weights), rng)
    genes = _draw_genes(n_features, n_informative, n_classes, effect, rng)
    data = _draw_samples(genes, codes, rng)
    data = _add_outliers(data, outliers, rng)

    return Bunch(
        data=data,
        target=codes,
        target_names=letter_names("type", n_classes),
        feature_names=numbered_names("gene", n_features),
        informative=genes.informative,
    )


def _draw_genes(n_features, n_informative, n_classes, effect, rng):
    order = rng.permutation(n_features)
    informative_genes, others = order[:n_informative], order[n_informative:]
    batch_genes = others[: round(SHARE_OF_BATCH_GENES * n_features)]

    deviation = TYPICAL_DEVIATION * rng.gamma(8.0, 1 / 8, size=n_features)
    return Genes(
        level=5.0 + 7.0 * rng.beta(2.0, 2.5, size=n_features),
        module=_draw_modules(n_features, batch_genes, rng),
        loading=_draw_loadings(deviation, batch_genes, rng),
        deviation=deviation * np.sqrt(1.0 - SHARE_OF_VARIANCE_IN_MODULE),
        shift=_draw_shifts((n_classes, n_features), informative_genes, effect, rng),
        informative=np.isin(np.arange(n_features), informative_genes),
    )


def _draw_modules(n_features, batch_genes, rng):
    """Give every gene a module; the first few modules belong to the batch genes."""
    n_modules = 1 + n_features // GENES_PER_MODULE
    module = N_BATCH_MODULES + rng.randint(n_modules, size=n_features)
    module[batch_genes] = rng.randint(N_BATCH_MODULES, size=len(batch_genes))
    return module


def _draw_loadings(deviation, batch_genes, rng):
    """Say how far, and in which direction, each gene follows its module."""
    loading = deviation * np.sqrt(SHARE_OF_VARIANCE_IN_MODULE) * _draw_signs(len(deviation), rng)
    loading[batch_genes] *= BATCH_SWING
    return loading


def _draw_shifts(shape, informative_genes, effect, rng):
    """Shift each informative gene in one class, the classes taking turns."""
    n_informative = len(informative_genes)
    sizes = effect * rng.uniform(0.25, 1.75, size=n_informative)
    shift = np.zeros(shape)
    classes = np.arange(n_informative) % shape[0]
    shift[classes, informative_genes] = sizes * _draw_signs(n_informative, rng)
    return shift


def _draw_signs(size, rng):
    return rng.choice([-1.0, 1.0], size=size)


def _draw_samples(genes, codes, rng):
    n_samples, n_genes = len(codes), len(genes.level)
    module_activity = rng.normal(size=(n_samples, genes.module.max() + 1))
    tumour_share = rng.beta(1.5, 1.0, size=(n_samples, 1))
    return (
        genes.level
        + genes.loading * module_activity[:, genes.module]
        + genes.deviation * rng.normal(size=(n_samples, n_genes))
        + tumour_share * genes.shift[codes]
    )


def _add_outliers(data, share, rng):
    """Add heavy-tailed errors to a share of the entries, within what a scanner can read."""
    is_outlier = rng.uniform(size=data.shape) < share
    # With 1.5 degrees of freedom the variance is infinite: a few errors are wild.
    data[is_outlier] += 2.0 * rng.standard_t(1.5, size=is_outlier.sum())
    return data.clip(*SCANNER_RANGE)


@overload
def load_expression(*, return_X_y: Literal[False] = False, as_frame: bool = False) -> Bunch: ...


@overload
def load_expression(
    *, return_X_y: Literal[True], as_frame: Literal[False] = False
) -> tuple[Floats, Array]: ...


@overload
def load_expression(*, return_X_y: bool, as_frame: bool = False) -> Any: ...


def load_expression(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the expression table that ships with the package: generated data, not measured.

    No patient, tumour or real gene stands behind these numbers. They were made once by
    :func:`make_expression` with a fixed seed and rounded to two decimals, so that it is known
    which genes are informative: 30 of 2000, for 50, 40 and 30 samples of "type A", "type B" and
    "type C". Effects and noise were set so that selection matters: a nearest-centroid classifier on
    all genes is right for about 80 % of the samples, one on the informative genes for about 97 %.
    So the table shows what selection is; it is no evidence that selection pays on other data.

    Parameters
    ----------
    return_X_y : bool, default=False
        If True, return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=False
        If True, data is a pandas DataFrame and target a pandas Series.

    Returns
    -------
    Bunch or tuple
        Dictionary-like object with

        data, target, target_names, feature_names, informative : ndarray
            As in :func:`make_expression`; data and target are a DataFrame and a Series if asked.
        frame : DataFrame of shape (120, 2001)
            Data and target side by side; only with ``as_frame=True``.

        With ``return_X_y=True`` the tuple ``(data, target)``.

    See Also
    --------
    make_expression : More tables of the same kind.

    Examples
    --------
    >>> from centroidal.datasets import load_expression
    >>> expression = load_expression()
    >>> expression.data.shape
    (120, 2000)
    >>> expression.target_names.tolist()
    ['type A', 'type B', 'type C']
    """
    file = resources.files(__package__).joinpath("data", "expression.npz")
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        expression = Bunch(
            data=np.ascontiguousarray(stored["hundredths_by_gene"].T) / HUNDREDTHS,
            target=stored["target"].astype(int),
            **{name: stored[name] for name in ("target_names", "feature_names", "informative")},
        )
    if as_frame:
        expression = _as_frame(expression)
    return (expression.data, expression.target) if return_X_y else expression


def _as_frame(expression):
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "load_expression(as_frame=True) needs pandas: install it, or use as_frame=False."
        ) from error
    data = pd.DataFrame(expression.data, columns=expression.feature_names)
    target = pd.Series(expression.target, name="target")
    frame = pd.concat([data, target], axis=1)
    return Bunch(**{**expression, "data": data, "target": target, "frame": frame})


def save_expression(path):
    """Make the shipped table anew and write it to a .npz file."""
    expression = make_expression(**SHIPPED_PARAMETERS)
    np.savez_compressed(
        path,
        # Gene by gene, because the values of one gene are alike and compress better together.
        hundredths_by_gene=np.rint(HUNDREDTHS * expression.data.T).astype(np.int16),
        target=expression.target.astype(np.int8),
        target_names=expression.target_names,
        feature_names=expression.feature_names,
        informative=expression.informative,
    )
