"""What comes before features are ranked: words are counted, gaps filled in, rows preprocessed.

Steps that learn nothing of the samples are applied once, to all of them; what is learned is learned
from each training set anew. Words are counted once as well: which of them count, and how much, is
learned.
"""

from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from .._data import Features, as_frame, check_labelled, check_labels, rows_of
from .._model_html import ModelPipeline
from .._parameters import check_choice, check_parameters
from ..preprocessing.words import as_documents
from ..statistics import class_moments
from .feature_flow import steps_of

_N_DOCUMENTS, _N_WORDS, _N_CHARACTERS = 3, 6, 300  # of examples
_STRATEGIES = ("mean", "median", "most_frequent")
_ASKING = type("select_features", (BaseEstimator,), {})()  # whom messages about X and y speak of


class Preparation(NamedTuple):
    """Steps before the model, by name and not fitted; what is preprocessed may be of any type."""

    steps: tuple
    preprocesses: bool = False
    counter: Any = None  # of the words of documents, before all steps

    @classmethod
    def check(cls, impute=None, preprocess=None, text=None):
        """Return the steps that are asked for, by name or as transformers."""
        counter, weights = _check_text(text)
        if counter is not None and impute is not None:
            raise ValueError(f"impute={impute!r} must be None for text, where nothing is missing.")
        asked = {
            "weigh": weights,
            "impute": _check_imputer(impute),
            "preprocess": _check_preprocess(preprocess),
        }
        steps = tuple((name, step) for name, step in asked.items() if step is not None)
        return cls(steps, asked["preprocess"] is not None, counter)

    @property
    def text_options(self):
        """How words become features, as a dict; None if there are no documents."""
        if self.counter is None:
            return None
        return self.counter.get_params() | dict(self.steps)["weigh"].get_params()

    @property
    def learns(self):
        """Whether a step learns from the samples, so that it belongs inside the folds."""
        return any(get_tags(part).requires_fit for _, step in self.steps for part in steps_of(step))

    def build(self):
        """Return the steps behind the counter as one transformer, not fitted; None if none are."""
        return Pipeline([(name, clone(step)) for name, step in self.steps]) if self.steps else None

    def before(self, estimator):
        """Return an estimator with steps of its own in front of it."""
        steps = self.build()
        return estimator if steps is None else Pipeline([*steps.steps, ("model", estimator)])


class PreparedSamples:
    """Samples as they are given, and as the model is to see them.

    Attributes
    ----------
    given : LabelledData
        The samples as they are given; numbers, if nothing is preprocessed.
    counted : LabelledData
        The same, or how often each word is in each document.
    data : LabelledData
        All samples, prepared by what is learned from all of them, with the names of what came out.
    """

    def __init__(self, X, y, preparation, feature_names=None):
        self._preparation = preparation
        if preparation.counter is not None:
            given = check_labels(_ASKING, as_documents(X), y)
        elif preparation.preprocesses:
            given = check_labels(_ASKING, X, y)
        else:
            _refuse_texts(X)
            finite = "allow-nan" if preparation.steps else True
            given = check_labelled(_ASKING, X, y, finite=finite)
        names = check_names(feature_names, given.features)
        X = given.X.tocsr() if issparse(given.X) else given.X
        self.given = given._replace(X=X, features=given.features._replace(names=names))
        self.counted = self.given if preparation.counter is None else self._count_words()
        self.data = self.given if self._steps is None else self._check_all()

    def _count_words(self):
        """Count the words of documents, of which no label and no fold need know."""
        self._counter = counter = clone(self._preparation.counter)
        X = counter.fit_transform(self.given.X)
        self.given.features.keep(counter)
        return self.given._replace(
            X=X, features=Features(X.shape[1], counter.get_feature_names_out())
        )

    def relabel(self, codes):
        """Return the same samples with other labels."""
        found = copy(self)
        for name in ("given", "counted", "data"):
            setattr(found, name, getattr(self, name)._replace(codes=codes))
        return found

    @cached_property
    def _steps(self):
        """The steps, fitted to all samples."""
        return self._fit(np.arange(self.given.codes.size))

    @property
    def is_learned(self):
        """Whether training sets are prepared each by itself."""
        return self._preparation.learns

    def learned_from(self, rows):
        """Return all samples, prepared by what some of them know."""
        if not self.is_learned:
            return self.for_model
        return self._replace_values(self._transform(self._fit(rows)))

    @property
    def for_model(self):
        """All samples for the model; behind other steps it is given arrays without names."""
        if self._steps is None:
            return self.data
        return self.data._replace(features=self.data.features._replace(names=None))

    def _fit(self, rows):
        steps, given = self._preparation.build(), self.counted
        if steps is None:
            return None
        return steps.fit(rows_of(given.X, rows), given.classes[given.codes[rows]])

    def _transform(self, steps):
        X = steps.transform(self.counted.X)
        if issparse(X):
            return X.tocsr()
        return np.asarray(X)

    def _check_all(self):
        """Return all samples, prepared; raise if what comes out is no table of numbers."""
        X, given = self._transform(self._steps), self.counted
        if not self._preparation.preprocesses:
            return given._replace(X=X, features=self._features_out(X.shape[1]))
        try:
            data = check_labelled(_ASKING, X, given.classes[given.codes])
        except ValueError as error:
            raise ValueError(f"preprocess makes of X what cannot be used: {error}") from error
        return data._replace(features=self._features_out(X.shape[1]))

    def _features_out(self, number):
        """Return the names of what comes out; those that are given, if nobody says otherwise."""
        features = self.counted.features
        try:
            names = self._steps.get_feature_names_out(features.names)
        except (AttributeError, NotImplementedError):  # a step does not say
            if number != features.number:
                raise ValueError(
                    f"preprocess makes {number} columns of {features.number} and has no "
                    "get_feature_names_out, so that nobody knows what they are."
                ) from None
            return features
        is_same = features.names is None and number == features.number
        names = None if is_same else np.array([str(name) for name in names], dtype=object)
        return features._replace(number=number, names=names)

    def _replace_values(self, X):
        if X.shape[1] != self.data.features.number:
            raise ValueError(
                f"preprocess makes {self.data.features.number} columns with all samples and "
                f"{X.shape[1]} with those of a fold; it must make the same ones of any."
            )
        return self.for_model._replace(X=X)

    def pipeline(self, model):
        """Return the fitted steps with a model behind them, which takes samples as given."""
        if self._steps is None:
            return model
        steps = model.steps if isinstance(model, Pipeline) else [("classify", model)]
        front = self._steps.steps
        if self._preparation.counter is not None:
            return ModelPipeline([("words", self._counter), *front, *steps])
        if as_frame(self.given.X) is None:  # else the first step has seen the names itself
            self.given.features.keep(steps_of(front[0][1])[0])
        return ModelPipeline([*front, *steps])

    def before(self, estimator):
        """Return an estimator that is not fitted, with the steps in front of it."""
        return self._preparation.before(estimator)


def _refuse_texts(X):
    """Raise if X is a column of texts, which need to be asked for."""
    has_rows = not isinstance(X, str) and np.iterable(X) and as_frame(X) is None
    if has_rows and not issparse(X) and isinstance(next(iter(X), None), str):
        raise ValueError("X holds texts, not numbers; text=True makes features of their words.")


def check_names(names, features):
    """Names of the features as an array of objects, None if they have none."""
    if names is None:
        return features.names
    if isinstance(names, str) or not np.iterable(names):
        raise TypeError(f"feature_names={names!r} must hold a name for each feature, or be None.")
    names = np.array([str(name) for name in names], dtype=object)
    if names.size != features.number:
        raise ValueError(
            f"feature_names holds {names.size} names, but X has {features.number} features."
        )
    if len(set(names.tolist())) < names.size:
        raise ValueError("feature_names must all be different.")
    return names


def _check_imputer(impute):
    """Return the imputer that is asked for by name or given; None if there is none."""
    if impute is None:
        return None
    if isinstance(impute, str):
        check_choice("impute", impute, _STRATEGIES)
        from sklearn.impute import SimpleImputer

        # A feature without any value in a training set stays, so that columns keep their place.
        return SimpleImputer(strategy=impute, keep_empty_features=True)
    if _is_transformer(impute):
        return impute
    raise TypeError(
        f"impute={impute!r} must be one of {', '.join(_STRATEGIES)}, a transformer or None."
    )


def _check_text(text):
    """Return what counts words and what weighs them, as asked for; None if X is no text."""
    if text is None or text is False:
        return None, None
    if text is not True and not isinstance(text, dict):
        raise TypeError(f"text={text!r} must be True, a dict of options, or None.")
    from ..preprocessing import WordCounter, WordWeights

    options = {
        "ngrams": 2, "min_df": 2, "stop_words": None, "kind": "tfidf", "sublinear": False,
    }  # fmt: skip
    asked = {} if text is True else text
    unknown = sorted(asked.keys() - options.keys())
    if unknown:
        raise ValueError(f"text has the option {unknown[0]!r}; known are {', '.join(options)}.")
    options |= asked
    of_counter = {name: options.pop(name) for name in ("ngrams", "min_df", "stop_words")}
    counter = WordCounter(**of_counter)
    weights = WordWeights(min_df=counter.min_df, **options)
    check_parameters(counter)
    check_parameters(weights)
    return counter, weights


def _check_preprocess(preprocess):
    """Return the transformer that is asked for by names or given; None if there is none."""
    if preprocess is None:
        return None
    if _is_transformer(preprocess):
        return preprocess
    if isinstance(preprocess, str | list | tuple):
        from ..preprocessing import named_steps

        return named_steps(preprocess)
    raise TypeError(
        f"preprocess={preprocess!r} must be a transformer, a Pipeline of them, names or None."
    )


def _is_transformer(value):
    return not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "transform")


# ------------------------------------------------------------------ documents to show


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
