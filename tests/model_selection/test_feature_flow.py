"""What members say of themselves: choices and features, as a comparison reads them."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from centroidal import (
    DisjointCentroidClassifierCV,
    FisherSubspaceClassifierCV,
    SparseCenterClassifier,
    SparseCenterClassifierCV,
)
from centroidal.datasets import make_expression
from centroidal.model_selection import RankedFeaturesClassifierCV, compare

QUICK = {"cv": 3, "n_repeats": 1, "random_state": 0}


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 30, n_informative=5, random_state=0)
    return data.data, np.array(["a", "b", "c"])[data.target]


class Secretive(DummyClassifier):
    """Fails if it is asked for its features."""

    def get_support(self):
        raise OSError("no")


@pytest.mark.parametrize(
    ("model", "parameters", "selects"),
    [
        (SparseCenterClassifierCV(scale="within"), {"n_features_to_select"}, True),
        (DisjointCentroidClassifierCV("margin"), {"baseline_weight"}, True),
        (FisherSubspaceClassifierCV(), {"n_components", "scatter"}, False),
        (make_pipeline(StandardScaler(), SparseCenterClassifier(4)), set(), True),
        (make_pipeline(SelectKBest(k=5), PCA(3), GaussianNB()), set(), True),
        (make_pipeline(PCA(3), GaussianNB()), set(), False),
        (make_pipeline(SelectKBest(k=5), "passthrough", GaussianNB()), set(), True),
        (RidgeClassifier(), set(), False),
        (OneVsRestClassifier(LinearSVC(penalty="l1", dual=False, C=0.01)), set(), True),
        (NearestCentroid(shrink_threshold=1.0), set(), True),
        (RandomForestClassifier(2, max_depth=2), set(), True),
        (RankedFeaturesClassifierCV(SelectKBest()), {"n_features_to_select"}, True),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseEstimator) else "",
)
def test_choices_and_features_are_read_from_the_fitted_model(genes, model, parameters, selects):
    result = compare({"a": model}, *genes, **QUICK)
    for each in result.results:
        assert each.error is None
        assert each.warnings == ()
        assert each.parameters.keys() == parameters
        assert (each.features is not None) == selects
        assert each.n_features == (each.features.size if selects else 30)


def test_nothing_is_made_up_where_a_model_does_not_say(genes):
    result = compare({"neighbours": KNeighborsClassifier()}, *genes, **QUICK)
    assert {each.n_features for each in result.results} == {None}
    assert np.isnan(result.table["max_n_features"]).all()


def test_features_of_a_pipeline_are_columns_of_the_data(genes):
    X, y = genes
    steps = make_pipeline(SelectKBest(k=10), StandardScaler(), SparseCenterClassifier(3))
    result = compare({"a": steps}, X, y, **QUICK)
    for each, (train, _) in zip(result.results, result.folds, strict=True):
        first = SelectKBest(k=10).fit(X[train], y[train])
        scaled = StandardScaler().fit_transform(first.transform(X[train]))
        then = SparseCenterClassifier(3).fit(scaled, y[train]).get_support(indices=True)
        expected = first.get_support(indices=True)[then]
        np.testing.assert_array_equal(each.features, expected)


def test_score_is_kept_if_features_cannot_be_read(genes):
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        result = compare({"a": Secretive()}, *genes, **QUICK)
    assert result.table["n_failed"].tolist() == [0]
    assert result.results[0].warnings == ("UserWarning: features were not read, OSError: no",)
