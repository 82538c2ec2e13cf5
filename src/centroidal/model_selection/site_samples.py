"""The samples of a site, which stay there: their folds, their hash, and small classes."""

import json
from collections import deque
from hashlib import sha256

import numpy as np
from scipy.sparse import issparse

from .._data import Features, LabelledData, check_labelled, label_codes
from ..preprocessing import named_steps
from ..streaming.batches import Batches
from ..streaming.labels import hash_names
from ..streaming.request import count_noun, list_names, texts
from .preparation import check_names
from .splits import Groups, Units, check_groups, cut_samples

LEAST_SAMPLES = 5  # of a class in a fold; what is summed up over fewer says much of each


class SiteSamples:
    """Samples at a site, in memory or in batches, and what is to be known of them there.

    Attributes
    ----------
    data : LabelledData
        The samples as they are given; of batches without samples, the `Batches`.
    folds, ids : ndarray
        Of each sample, its fold and the id of its group; there may be no groups.
    n_folds : int
        Number of folds.
    """

    def __init__(self, data, ids, summary, preprocess):
        (repeat,) = cut_samples(data, summary.cv, 1, summary.random_state, ids, least=1)
        self.data, self.folds, self.ids, self.n_folds = data, repeat.folds, ids, summary.cv
        self._steps, self._hash = None, None
        if preprocess is not None and not isinstance(data.X, Batches):
            self._steps = named_steps(preprocess)

    @classmethod
    def read(cls, summary, X, y, groups, feature_names, allow_small):
        """Check samples, and deal them to folds; None allows all classes to be small."""
        if isinstance(X, Batches):
            data, ids = _read_labels(summary, X, y, groups, feature_names)
        else:
            data, ids = _check_samples(summary, X, y, groups, feature_names)
        site = cls(data, ids, summary, summary.preprocess)
        if allow_small is not None:
            site._check_small(allow_small)
        return site

    @property
    def is_sparse(self):
        """Whether samples are sparse."""
        X = self.data.X
        return X.n_stored is not None if isinstance(X, Batches) else issparse(X)

    def blocks(self):
        """Yield the first row and the samples, preprocessed, of some rows after the other."""
        found, start, X = _RowHash(), 0, self.data.X
        for block in (each.X for each in X) if isinstance(X, Batches) else [X]:
            block = block if self._steps is None else self._steps.fit_transform(block)
            found.add(block)
            yield start, block
            start += block.shape[0]
        groups = np.zeros(0) if self.ids is None else self.ids
        arrays = [self.data.codes.astype(np.int64), groups]
        self._hash = hash_of(self.data.features, self.data.classes, found.digests, arrays)

    @property
    def groups(self):
        """Samples of each class in each group; None if each sample stands for itself."""
        if self.ids is None:
            return None
        return Groups.count(self.ids, self.data.codes, self.data.classes.size)

    @property
    def n_groups(self):
        """Number of groups; None if each sample stands for itself."""
        return None if self.ids is None else int(np.unique(self.ids).size)

    @property
    def units(self):
        """Number of samples, or groups, of each class."""
        return Units.of(self.data.classes, self.data.codes, self._unit_numbers)

    @property
    def _unit_numbers(self):
        return None if self.ids is None else np.unique(self.ids, return_inverse=True)[1]

    def _check_small(self, allowed):
        """Raise if a class that was not allowed has few samples, or groups, in a fold."""
        if isinstance(allowed, str) or not np.iterable(allowed):
            raise TypeError(f"allow_small={allowed!r} must be a list of classes.")
        classes, allowed = texts(self.data.classes), texts(list(allowed))
        unknown = [label for label in allowed if label not in classes]
        if unknown:
            raise ValueError(
                f"allow_small holds {unknown[0]!r}, which is no class; the classes are "
                f"{list_names(classes)}."
            )
        cells = self.folds * len(classes) + self.data.codes
        names = [f"fold {fold + 1}, {label}" for fold in range(self.n_folds) for label in classes]
        few = Units.of(np.array(names), cells, self._unit_numbers)
        counts = few.counts.reshape(self.n_folds, -1)
        for code, label in enumerate(classes):
            least = counts[:, code][counts[:, code] > 0].min()
            if least < LEAST_SAMPLES and label not in allowed:
                raise ValueError(
                    f"class {label!r} has {few.tell(least)} in a fold, fewer than "
                    f"{LEAST_SAMPLES}: sums over so few say much of each. Take fewer folds (cv="
                    f"{self.n_folds}), join the class with another, leave it out, or allow it by "
                    "name (allow_small, --allow-small)."
                )

    @property
    def hash(self):
        """What the samples are known by, once all blocks were looked at."""
        if self._hash is None:
            deque(self.blocks(), maxlen=0)
        return self._hash

    def check_member(self, summary):
        """Raise unless these are the samples of one of the sites."""
        self._places_in(summary)
        unknown = np.setdiff1d(self.data.classes, summary.classes_)
        if unknown.size or self.hash not in summary.sites_:
            raise ValueError(
                "these samples are not those of a summary that was merged: table, labels, groups "
                "and names must be the same as when they were summarised."
            )
        places = np.searchsorted(summary.classes_, self.data.classes)
        mine = Groups.count(self.folds, self.data.codes, self.data.classes.size)
        if (mine.counts > summary.fold_counts_[np.ix_(mine.ids, places)]).any():
            raise ValueError(
                "the merged summary has fewer samples of a class than this site alone: it is not "
                "the sum that it claims to be. Do not score it."
            )

    def _places_in(self, summary):
        """Return the columns in which the features of a summary are."""
        wanted, found = getattr(summary, "feature_names_in_", None), self.data.features.names
        if wanted is None or found is None:
            if summary.n_features_in_ != self.data.features.number or wanted is not found:
                raise ValueError(
                    f"X has {self.data.features.number} features"
                    f"{' without names' if found is None else ''}, the merged summary "
                    f"{summary.n_features_in_}{' without names' if wanted is None else ''}."
                )
            return np.arange(summary.n_features_in_)
        where = {name: place for place, name in enumerate(found.tolist())}
        missing = [name for name in wanted.tolist() if name not in where]
        if missing:
            raise ValueError(
                f"X lacks {count_noun(len(missing), 'feature')} of the merged summary: "
                f"{list_names(missing)}."
            )
        return np.array([where[name] for name in wanted.tolist()])

    def blocks_of(self, summary):
        """Yield blocks with the features of a summary, in its order."""
        places = self._places_in(summary)
        is_same = np.array_equal(places, np.arange(self.data.features.number))
        for start, X in self.blocks():
            if not is_same:
                X = X.tocsc()[:, places] if issparse(X) else X[:, places]
            yield start, X.tocsr() if issparse(X) else X

    def sum_groups(self, tally):
        """Return sums over groups, of each fold and size, and of the squares of their sizes."""
        if self.ids is None:  # of one sample each
            hits = np.trace(tally.outer, axis1=-2, axis2=-1)
            return np.array([hits, hits]), int(self.folds.size)
        _, first, numbers = np.unique(self.ids, return_index=True, return_inverse=True)
        sizes, folds = np.bincount(numbers), self.folds[first]
        sums = np.zeros((2, self.n_folds, tally.hits.shape[1]), dtype=np.int64)
        np.add.at(sums[0], folds, tally.hits**2)
        np.add.at(sums[1], folds, tally.hits * sizes[:, None])
        return sums, int((sizes**2).sum())


def _check_samples(summary, X, y, groups, feature_names):
    """Return samples in memory with their labels, and the ids of groups."""
    if y is None:
        raise ValueError("y=None must hold the class of each sample.")
    data = check_labelled(summary, X, y, classes=np.unique(np.asarray(y)), finite=False)
    names = check_names(feature_names, data.features)
    check_groups(groups, data.codes.size)
    ids = None if groups is None else hash_names(np.array(texts(groups), dtype=object))
    return data._replace(features=data.features._replace(names=names)), ids


def _read_labels(summary, X, y, groups, feature_names):
    """Return the labels of batches, and the ids of groups."""
    given = {"y": y, "groups": groups, "feature_names": feature_names}
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name} must be None: batches(...) names those of X.")
    if X.text is not None or X.preprocess != summary.preprocess:
        raise ValueError(
            f"X must be opened by batches(..., preprocess={summary.preprocess!r}) as rows of "
            f"numbers; preprocess is {X.preprocess!r}."
        )
    classes = X.classes()
    labels, groups, _ = X.read_labels(0, X.n_samples)
    names = X.feature_names if X.has_names else None
    ids = None if X.groups is None else hash_names(groups)
    features = Features(X.n_features, names)
    return LabelledData(X, label_codes(labels, classes), classes, None, features), ids


class _RowHash:
    """What rows are known by, however many of them are looked at together."""

    def __init__(self):
        self._hashes = {name: sha256() for name in ("values", "columns", "counts")}

    def add(self, X):
        """Add some rows; of sparse ones what is stored."""
        arrays = {"values": np.asarray(X, dtype=float)} if not issparse(X) else _stored(X.tocsr())
        for name, array in arrays.items():
            self._hashes[name].update(np.ascontiguousarray(array))

    @property
    def digests(self):
        """Return the hashes of all rows so far."""
        return [each.hexdigest() for each in self._hashes.values()]


def _stored(X):
    return {
        "values": X.data.astype(float),
        "columns": X.indices.astype(np.int64),
        "counts": np.diff(X.indptr).astype(np.int64),
    }


def hash_of(features, classes, values, arrays):
    """Return what names, plain values and arrays are known by."""
    names = None if features.names is None else texts(features.names)
    found = sha256(json.dumps([features.number, names, texts(classes), *values]).encode())
    for array in arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(np.ascontiguousarray(array))
    return found.hexdigest()
