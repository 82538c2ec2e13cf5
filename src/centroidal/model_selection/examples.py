"""Documents that show what was found: of each class some that were recognised, with their words."""

import numpy as np

from .._data import as_frame, rows_of
from ..statistics import class_moments

_N_DOCUMENTS, _N_WORDS = 3, 6
_N_CHARACTERS = 300


def find_examples(documents, data, names, columns, is_recognised):
    """Return documents of each class that speak for it most, among those that were recognised.

    `data` are weights of words, of which `columns` were selected.
    """
    X = data.X[:, columns]
    moments = class_moments(X, data.codes, data.classes.size)
    spread = np.where(moments.variance > 0.0, moments.variance, 1.0)
    found = []
    for code, label in enumerate(data.classes.tolist()):
        others = np.delete(moments.means, code, axis=0).max(axis=0)
        weights = (moments.means[code] - others) / spread
        votes = np.where(is_recognised & (data.codes == code), X @ weights, -np.inf)
        for row in np.argsort(-votes, kind="stable")[:_N_DOCUMENTS].tolist():
            if np.isfinite(votes[row]):
                words = _words_for(X[[row]].toarray()[0] * weights, names[columns])
                text = _beginning(documents, row)
                found.append({"class": label, "row": row, "text": text, "words": words})
    return tuple(found)


def _words_for(votes, names):
    """Return the words that speak for a class, the strongest first."""
    best = np.argsort(-votes, kind="stable")[:_N_WORDS]
    return [str(names[place]) for place in best if votes[place] > 0.0]


def _beginning(documents, row):
    found = rows_of(documents, np.array([row]))
    frame = as_frame(found)
    cells = list(found[0]) if frame is None else list(frame.row(0))
    text = " ".join(" / ".join(map(str, cells)).split())
    return text if len(text) <= _N_CHARACTERS else f"{text[:_N_CHARACTERS]} ..."
