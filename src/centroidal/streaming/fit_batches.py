"""Fit an estimator to data that do not fit in memory, and resume a run that was killed."""

from sklearn.base import clone, is_classifier

from .._data import Features, check_next_classes
from .._parameters import check_count, check_parameters, optional
from .._progress import progress_function
from .._typing import ArrayLike, FilePath, Fitted, ShowProgress
from ..classifiers import SparseCenterClassifier
from ..statistics.class_moments import rows_per_block
from .batches import Batches
from .checkpoint import Checkpoint, Progress, manifest_of
from .passes import (
    RowCount,
    block_width,
    codes_of,
    moments_from_arrays,
    read_block,
    summaries_from_arrays,
    summary_arrays,
)

__all__ = ["fit_batches"]

_MEMORY = 2**28


def fit_batches(
    estimator: Fitted,
    batches: Batches,
    *,
    classes: ArrayLike | None = None,
    checkpoint: FilePath | None = None,
    checkpoint_every: int | None = None,
    memory: int = _MEMORY,
    progress: ShowProgress = None,
) -> Fitted:
    """Fit a classifier to batches, in one pass where that is enough.

    A classifier with `partial_fit` sees each batch once. Sparse centers that need medians, which
    cannot be put together from those of parts, are fitted exactly by blocks of columns: each
    block is a pass over the source that reads only these columns.

    Parameters
    ----------
    estimator : classifier
        A classifier with `partial_fit`, of this library or of scikit-learn, or a
        :class:`~centroidal.SparseCenterClassifier` with metric="l1" or scale="mad". It stays as
        it is: a copy is fitted, from the beginning.
    batches : Batches
        The data, as :func:`batches` returns them.
    classes : array-like, default=None
        All labels that may occur. None reads them first, see :meth:`Batches.classes`.
    checkpoint : str or path, default=None
        A file, ending in ``.skops``, to write what is found to as it goes on, and the model in the
        end. If it exists, the fit resumes there. It must be of the same fit.
    checkpoint_every : int, default=None
        After how many batches it is written; None writes it every 10 seconds. With medians it is
        written after each block of columns.
    memory : int, default=2**28
        Bytes that a block of columns may take; for medians only.
    progress : bool or function, default=None
        True writes to standard error. A function is called after each batch as
        ``progress(n_rows_done, n_rows, what)``; rows count once for each pass.

    Returns
    -------
    classifier
        Fitted, with `feature_names_in_` if the source names its features.

    Raises
    ------
    ValueError
        If a label is not among the classes, if a batch cannot be read, or if the checkpoint is
        of another fit; the message says which label, batch and file, or what differs.
    UntrustedTypeError
        If there is to be a checkpoint of an estimator that a model file may not hold.

    See Also
    --------
    batches : Reads a source in batches.
    centroidal.model_selection.select_features : Selects features, with an honest score.
    centroidal.persistence.save_model : Writes a model file, as a checkpoint is one in the end.

    Notes
    -----
    A run that was killed, at whatever moment, and is started again ends with the same model, to
    the bit, as one that was not. The files that were read must be the same, by name, size, time of
    the last change, columns, and a digest of parts of them; of a folder, files that follow may
    have been repaired or added. When it is finished the checkpoint stays, so that the same call
    returns the model at once.

    The medians are those of `fit` on all data, to the bit. Means are, too, up to rounding: a
    batch is a part, and parts are added in order.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from centroidal import SparseCenterClassifier
    >>> from centroidal.streaming import batches, fit_batches
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "table.csv"
    >>> rows = ["a,b,kind", "1,7,x", "2,7,x", "8,7,y", "9,7,y"]
    >>> _ = path.write_text(chr(10).join(rows))
    >>> source = batches(path, target="kind", batch_size=3)
    >>> model = fit_batches(SparseCenterClassifier(n_features_to_select=1), source)
    >>> model.centers_.tolist()
    [[1.5, 7.0], [8.5, 7.0]]
    >>> model.get_feature_names_out().tolist()
    ['a']
    >>> folder.cleanup()
    """
    optional(check_count)("checkpoint_every", checkpoint_every)
    check_count("memory", memory)
    if not isinstance(batches, Batches):
        raise TypeError(f"batches={type(batches).__name__} must be what batches() returns.")
    by_columns = _needs_columns(estimator)
    model = clone(estimator)
    if classes is None or batches.n_samples is None:
        found = batches.classes()  # counts the rows, too
    classes = check_next_classes(model, found if classes is None else classes, is_first=True)
    if batches.n_samples == 0:
        raise ValueError(f"{batches.source} has no rows.")
    if hasattr(model, "_check_for"):
        model._check_for(batches.n_features, classes.size)
    report_progress = progress_function(progress, "rows")
    width = block_width(batches, memory)
    plan = {"columns_at_a_time": width} if by_columns else {}
    every = 1 if by_columns else checkpoint_every
    manifest = None
    if checkpoint is not None:
        manifest = manifest_of(type(model).__name__, model.get_params(), batches, classes, **plan)
    saved = Checkpoint(checkpoint, every, manifest)
    with saved.hold():
        if by_columns:
            return _fit_columns(model, batches, classes, saved, width, report_progress)
        return _fit_rows(model, batches, classes, saved, report_progress)


def _needs_columns(estimator):
    """Say whether columns are needed whole; raise if not even that is enough."""
    if isinstance(estimator, SparseCenterClassifier):
        check_parameters(estimator)
        if estimator._problem.needs_columns:
            return True
    if not hasattr(estimator, "get_params") or not is_classifier(estimator):
        raise TypeError(f"estimator={estimator!r} must be a classifier.")
    if not hasattr(estimator, "partial_fit"):
        raise ValueError(
            f"estimator={estimator!r} has no partial_fit and so needs all data at once; only "
            "classifiers with partial_fit, and SparseCenterClassifier with metric='l1' or "
            "scale='mad', can be fitted in batches."
        )
    return False


# ------------------------------------------------------------------ batch after batch


def _fit_rows(model, batches, classes, checkpoint, report_progress):
    model, done = checkpoint.begin(model, batches.n_features)
    if done.finished:
        return model
    kind = _MomentSums if hasattr(model, "_keep_moments") else _PartialFits
    with checkpoint.errors_that_name():
        fit = kind(model, classes, batches.n_features, checkpoint.state)
    for batch in batches.start(done.n_done):
        fit.add(batch, codes_of(batch, classes))
        done = Progress(done.n_done + 1, done.n_rows + batch.y.size)
        report_progress(
            done.n_rows, batches.n_samples, f"batch {done.n_done} of {batches.n_batches}"
        )
        if checkpoint.is_due() and done.n_done < batches.n_batches:
            checkpoint.write(model, done, fit.state)
    model = fit.model()
    if batches.features.names is not None:
        # Not before: batches are arrays, and scikit-learn would miss the names in the next one.
        model.feature_names_in_ = batches.feature_names
    checkpoint.write(model, done._replace(finished=True))
    return model


class _PartialFits:
    """A classifier that every batch is given to; `state` is what a run keeps beside the model."""

    state = None

    def __init__(self, model, classes, n_features, state):
        self._model, self._classes = model, classes

    def add(self, batch, codes):
        """Learn from further rows, whose labels are `classes[codes]`."""
        self._model.partial_fit(batch.X, batch.y, classes=self._classes)

    def model(self):
        """Return the classifier of all rows."""
        return self._model


class _MomentSums(_PartialFits):
    """A classifier that needs class moments only: it is solved in the end, see `_PartialFits`."""

    def __init__(self, model, classes, n_features, state):
        super().__init__(model, classes, n_features, state)
        self._moments = None
        if state is not None:
            self._moments = moments_from_arrays(state, classes.size, n_features)

    @property
    def state(self):
        """Arrays that tell what has been found so far."""
        return vars(self._moments)

    def add(self, batch, codes):
        """Add further rows to the moments."""
        found = self._model._moments_of(batch.X, codes, self._classes.size)
        self._moments = found if self._moments is None else self._moments.merge(found)

    def model(self):
        """Return the classifier of all rows."""
        features = Features(self._moments.means.shape[1], None)
        return self._model._keep_moments(features, self._classes, self._moments)


# ------------------------------------------------------------------ columns after columns


def _fit_columns(model, batches, classes, checkpoint, width, report_progress):
    starts = range(0, batches.n_features, width)
    model, done = checkpoint.begin(model, batches.n_features)
    if done.finished:
        return model
    with checkpoint.errors_that_name():
        n_columns = min(done.n_done * width, batches.n_features)
        parts = summaries_from_arrays(checkpoint.state or [], classes.size, n_columns)
    height = rows_per_block(batches.n_samples, batches.n_features, classes.size, batches.n_stored)
    rows_read = RowCount(report_progress, batches.n_samples, len(starts), done.n_rows)
    for number, start in enumerate(starts[done.n_done :], done.n_done + 1):
        block = batches.columns(start, min(start + width, batches.n_features))
        X, codes, _ = read_block(block, classes, rows_read)
        parts.append(model._problem.summarise_columns(X, codes, classes.size, height, model.n_jobs))
        done = Progress(number, rows_read.n_done)
        if number < len(starts):
            checkpoint.write(model, done, [summary_arrays(part) for part in parts])
    model._fit_columns(parts, batches.features, classes)
    checkpoint.write(model, done._replace(finished=True))
    return model
