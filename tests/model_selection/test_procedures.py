"""Classifiers along a ranking: fitted at once, they are those that are fitted one by one."""

import numpy as np
import pytest
from scipy import sparse

from centroidal import SparseCenterClassifier, WhitenedCenterClassifier
from centroidal.model_selection.procedures import RankedPath

SIZES = np.array([1, 2, 5, 20, 35, 60])


@pytest.mark.parametrize("to", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    "estimators",
    [
        [SparseCenterClassifier(scale="std"), WhitenedCenterClassifier()],
        [WhitenedCenterClassifier(n_features_to_select=1)],  # of those that it is given
    ],
    ids=["all features", "one feature"],
)
def test_models_of_all_sizes_are_those_fitted_by_themselves(rng, to, estimators):
    y = np.arange(45) % 3
    X = rng.normal(size=(45, 60)) + (y[:, None] == np.arange(60) % 3)
    ranking, sizes = rng.permutation(60), np.repeat(SIZES, len(estimators))
    path = RankedPath(ranking, estimators, to(X[:30]), y[:30], sizes)
    for place, (model, part) in enumerate(path.fit_models(to(X[30:]))):
        columns = np.sort(ranking[: sizes[place]])
        alone = estimators[place % len(estimators)].fit(to(X[:30][:, columns]), y[:30])
        expected = alone.predict_proba(to(X[30:][:, columns]))
        np.testing.assert_allclose(model.predict_proba(part), expected, rtol=1e-8, atol=1e-12)
