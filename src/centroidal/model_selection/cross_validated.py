"""What estimators share that choose a model of a path by cross-validation."""

from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from .. import _state as state
from .._progress import ProgressMixin, with_callbacks
from ..statistics import map_blocks
from .metrics import check_scoring
from .nested import choose_model, score_path, score_table
from .splits import list_folds, size_ratio

__all__ = ["CrossValidatedMixin"]


class ChosenModel(NamedTuple):
    """The scores of all models of a path, and the position of the one that was chosen."""

    table: dict
    position: int
    n_folds: int


class CrossValidatedMixin(ProgressMixin):
    """Parameters `cv`, `scoring`, `rule` and `n_jobs`; `_counts_hits` says if no scorer is called.

    `_fit` does the work. It hands `_choose_by_folds` a function that fits the models of a path to a
    training set, see :func:`~.nested.score_path`.
    """

    _state = {
        "path_": state.columns_of_one_length,
        "n_splits_": state.count(1),
        "best_score_": state.number(nan=True),
    }

    _counts_hits = False

    @with_callbacks
    def fit(self, X, y, sample_weight=None, **params):
        """Choose the hyperparameter by cross-validation, then fit all samples with it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, in fitting and in scoring.
        **params : dict
            ``groups`` for the splitter; with metadata routing enabled, whatever the splitter and
            the scorer request.

        Returns
        -------
        self
            Fitted estimator.
        """
        check_scoring(self.scoring)
        return self._fit(X, y, sample_weight, params)

    def _choose_by_folds(self, data, columns, fit_path, sample_weight, params):
        """Score every model in every fold, and choose one of them.

        `columns` say what the models are, those with fewer features or components first.
        """
        routed = self._route_metadata(sample_weight, params)
        folds = self._folds(data, routed.splitter.split)
        score = partial(self._score_fold, data, fit_path, routed.scorer.score)
        scores = map_blocks(score, folds, self.n_jobs)
        scores = np.array(list(self._each_step(scores, len(folds), "fold")))
        table = self._tabulate(columns, scores, size_ratio(folds))
        return ChosenModel(table, choose_model(table, self.rule), len(folds))

    def _keep_choice(self, found):
        self.path_ = found.table
        self.n_splits_ = found.n_folds
        self.best_score_ = float(found.table["mean_test_score"][found.position])

    @property
    def _scoring(self):
        return check_scoring(self.scoring)

    def _score_fold(self, data, fit_path, score_params, train, test):
        """Score every model, fitted to the training samples, on the test samples."""
        return score_path(fit_path(train), data, test, self._scoring, score_params)

    def _tabulate(self, columns, scores, ratio):
        return score_table(columns, scores, ratio)

    def _folds(self, data, split_params):
        """Training and test samples of each fold."""
        return list_folds(self.cv, data.X, data.classes[data.codes], **split_params)

    def get_metadata_routing(self):
        """Say which metadata the splitter and the scorer take, as a ``MetadataRouter``."""
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(splitter=self.cv, method_mapping=to_split)
        if not self._counts_hits:
            to_score = MethodMapping().add(caller="fit", callee="score")
            router.add(scorer=self._scoring.scorer, method_mapping=to_score)
        return router

    def _route_metadata(self, sample_weight, params):
        """Metadata for the splitter and the scorer."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **weights, **params)
            return Bunch(splitter=routed["splitter"], scorer=routed.get("scorer", Bunch(score={})))
        unknown = params.keys() - {"groups"}
        if unknown:
            raise TypeError(
                f"fit got {', '.join(sorted(unknown))}, which needs metadata routing: "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        return Bunch(splitter=Bunch(split=params), scorer=Bunch(score=weights))
