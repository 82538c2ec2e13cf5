"""Which words of a document decided on its class."""

import warnings
from itertools import takewhile

import numpy as np
from sklearn.pipeline import Pipeline

from .._parameters import check_count
from ..model_selection.feature_flow import steps_of, used_mask

__all__ = ["explain_documents"]

_ROWS_AT_ONCE = 1000
_WEIGHERS = {"WordWeights", "Normalizer", "FunctionTransformer"}


def explain_documents(model, X, n_words=5):
    """Tell for each document which of its words decided, and how much each weighs.

    The weight of a word is by how much the lead of the predicted class over the next one falls if
    the word is taken away, in units of `decision_function`; a negative one speaks against it.

    Parameters
    ----------
    model : Pipeline
        What :func:`~centroidal.model_selection.select_features` made of documents, or another
        pipeline of a :class:`~centroidal.preprocessing.WordCounter` and a classifier.
    X : list, array, series or data frame of str
        Documents.
    n_words : int, default=5
        How many words to tell of each, those of the largest weight.

    Returns
    -------
    list of dict of str to float
        Words and weights of each document, the largest first; none if it has no word that counts.

    Examples
    --------
    >>> from centroidal.io import explain_documents
    >>> from centroidal.model_selection import select_features
    >>> texts = ["fine and warm", "fine film", "warm film", "dull film", "dull, cold", "cold one"]
    >>> labels = ["good", "good", "good", "bad", "bad", "bad"]
    >>> found = select_features(texts * 2, labels * 2, text=True, n_features_to_select=4)
    >>> (words,) = explain_documents(found.model, ["a warm and fine thing"])
    >>> sorted(words)[-2:]
    ['fine', 'warm']
    """
    check_count("n_words", n_words)
    if not takes_documents(model):
        raise TypeError(f"model={type(model).__name__} must be a pipeline that counts words first.")
    first, *rest = steps_of(model)
    before, classify = _split(rest)
    with warnings.catch_warnings():
        # An array cannot show that its columns are in order.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        counts = first.transform(X)
    weights = counts if before is None else before.transform(counts)
    is_used = used_mask(classify, weights.shape[1])
    is_used = np.ones(weights.shape[1], dtype=bool) if is_used is None else is_used
    names = _names(first, X, np.flatnonzero(is_used))
    found = []
    for start in range(0, weights.shape[0], _ROWS_AT_ONCE):
        part = weights[start : start + _ROWS_AT_ONCE]
        found += _explain(classify, part, is_used, names, n_words)
    return found


def takes_documents(model):
    """Whether the first step of a model counts the words of documents."""
    return type(steps_of(model)[0]).__name__ in ("WordCounter", "WordHasher")


def _names(first, X, columns):
    """Return the words behind columns; those behind a hash are looked for in the documents."""
    if hasattr(first, "get_feature_names_out"):
        names = first.get_feature_names_out()
        return {column: str(names[column]) for column in columns.tolist()}
    found = first.find_words(X, columns)
    often_last = sorted(found, key=lambda term: found[term][1])
    return {found[term][0]: term for term in often_last}


def _split(steps):
    """Return what weighs words, None if nothing does, and what classifies by them."""
    kinds = [type(step).__name__ for step in steps]
    n_before = sum(1 for _ in takewhile(_WEIGHERS.__contains__, kinds))
    parts = steps[:n_before], steps[n_before:]
    named = ([(str(place), step) for place, step in enumerate(part)] for part in parts)
    before, after = named
    return Pipeline(before) if before else None, Pipeline(after)


def _explain(classify, rows, is_used, names, n_words):
    """Take away each word of each document in turn, all at once."""
    present = is_used[rows.indices] & (rows.data != 0.0)
    document = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[present]
    columns = rows.indices[present]
    lacking = rows[document]
    is_gone = lacking.indices == np.repeat(columns, np.diff(lacking.indptr))
    lacking.data[is_gone] = 0.0
    whole = _scores(classify, rows)
    winner, second = np.argsort(-whole, axis=1, kind="stable")[:, :2].T
    lead = whole[np.arange(len(whole)), winner] - whole[np.arange(len(whole)), second]
    left = _scores(classify, lacking) if document.size else np.empty((0, whole.shape[1]))
    places = np.arange(document.size)
    lost = lead[document] - (left[places, winner[document]] - left[places, second[document]])
    found = [{} for _ in range(rows.shape[0])]
    for place in np.lexsort([columns, -np.abs(lost), document]).tolist():
        words = found[document[place]]
        if len(words) < n_words:
            words[names.get(columns[place], f"hash {columns[place]}")] = float(lost[place])
    return [dict(sorted(each.items(), key=lambda pair: -pair[1])) for each in found]


def _scores(classify, rows):
    """Return a score for each class; of two classes a decision is told by one number."""
    scores = classify.decision_function(rows)
    return np.column_stack([np.zeros_like(scores), scores]) if scores.ndim == 1 else scores
