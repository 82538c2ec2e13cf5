"""The samples of a site, which stay there: their folds, their hash, and small classes."""

import json
from hashlib import sha256
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from .._data import LabelledData, check_labelled
from ..statistics.threads import row_blocks
from ..streaming.labels import hash_names
from ..streaming.request import count_noun, list_names, texts
from .preparation import check_names
from .splits import Groups, Units, check_groups, cut_samples

LEAST_SAMPLES = 5  # of a class in a fold; what is summed up over fewer says much of each


class SiteSamples(NamedTuple):
    """Samples at a site, and what is to be known of them there."""

    data: LabelledData
    folds: np.ndarray  # of each sample
    ids: np.ndarray | None  # of the group of each
    n_folds: int

    @classmethod
    def read(cls, summary, X, y, groups, feature_names, allow_small):
        """Check samples, and deal them to folds; None allows all classes to be small."""
        if y is None:
            raise ValueError("y=None must hold the class of each sample.")
        data = check_labelled(summary, X, y, classes=np.unique(np.asarray(y)), finite=False)
        names = check_names(feature_names, data.features)
        data = data._replace(features=data.features._replace(names=names))
        check_groups(groups, data.codes.size)
        ids = None if groups is None else hash_names(np.array(texts(groups), dtype=object))
        (repeat,) = cut_samples(data, summary.cv, 1, summary.random_state, ids, least=1)
        site = cls(data, repeat.folds, ids, summary.cv)
        if allow_small is not None:
            site._check_small(allow_small)
        return site

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
        """What the samples are known by."""
        data = self.data
        if issparse(data.X):
            X = data.X.tocsr()
            arrays = [X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)]
        else:
            arrays = [data.X[rows] for rows in row_blocks(*data.X.shape)]
        groups = np.zeros(0) if self.ids is None else self.ids
        return hash_of(
            data.features, data.classes, [], [data.codes.astype(np.int64), groups, *arrays]
        )

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

    def columns_of(self, summary):
        """Return the samples with the features of a summary, in its order."""
        places, X = self._places_in(summary), self.data.X
        if np.array_equal(places, np.arange(X.shape[1])):
            return X.tocsr() if issparse(X) else X
        return X.tocsc()[:, places].tocsr() if issparse(X) else X[:, places]

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


def hash_of(features, classes, values, arrays):
    """Return what names, plain values and arrays are known by."""
    names = None if features.names is None else texts(features.names)
    found = sha256(json.dumps([features.number, names, texts(classes), *values]).encode())
    for array in arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(np.ascontiguousarray(array))
    return found.hexdigest()
