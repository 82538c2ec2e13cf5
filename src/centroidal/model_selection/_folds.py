"""What estimators that choose by cross-validation share: folds, metadata, progress over folds."""

from numbers import Integral

import numpy as np
from sklearn import get_config
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from .._progress import ProgressMixin
from ..statistics import map_blocks

__all__ = ["FoldsMixin", "list_folds"]


def list_folds(cv, X, labels, **split_params):
    """Training and test samples of each fold as positions, whatever the splitter gives."""
    if isinstance(cv, Integral) and cv < 2:
        raise ValueError(f"cv={cv} must be at least 2 folds.")
    positions = np.arange(labels.size)
    splits = check_cv(cv, labels, classifier=True).split(X, labels, **split_params)
    folds = [(positions[train], positions[test]) for train, test in splits]
    if not folds:
        raise ValueError(f"cv={cv!r} must give at least one fold.")
    return folds


class FoldsMixin(ProgressMixin):
    """Parameters `cv`, `scoring` and `n_jobs`; `_needs_scorer` says if a scorer is called."""

    _needs_scorer = True

    def get_metadata_routing(self):
        """Say which metadata the splitter and the scorer take.

        Returns
        -------
        MetadataRouter
            Routing information.
        """
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(splitter=self.cv, method_mapping=to_split)
        if self._needs_scorer:
            to_score = MethodMapping().add(caller="fit", callee="score")
            router.add(scorer=self._scorer, method_mapping=to_score)
        return router

    @property
    def _scorer(self):
        return get_scorer("accuracy" if self.scoring is None else self.scoring)

    def _routed(self, sample_weight, params):
        """Metadata for the splitter and the scorer, which must exist."""
        if self._needs_scorer:
            get_scorer("accuracy" if self.scoring is None else self.scoring)
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=sample_weight, **params)
            return Bunch(splitter=routed.splitter, scorer=routed.get("scorer", Bunch(score={})))
        unknown = params.keys() - {"groups"}
        if unknown:
            raise TypeError(
                f"fit got {', '.join(sorted(unknown))}, which needs metadata routing: "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return Bunch(splitter=Bunch(split=params), scorer=Bunch(score=weights))

    def _folds(self, data, split_params):
        """Training and test samples of each fold."""
        return list_folds(self.cv, data.X, data.classes[data.codes], **split_params)

    def _scores_of(self, score_fold, folds):
        """Scores of all folds, an array of shape (n_folds, n_models); a step a fold."""
        scores = map_blocks(score_fold, folds, self.n_jobs)
        return np.array(list(self._each_step(scores, len(folds), "fold")))
