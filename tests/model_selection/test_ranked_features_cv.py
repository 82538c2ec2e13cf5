"""Features ranked once a fold: the choices of a search that ranks anew, any data, bad input."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    StratifiedKFold,
)
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from centroidal import L21CentroidSelector, LinearCentroidEncoder, ReliefFSelector
from centroidal.datasets import make_expression, make_word_counts
from centroidal.model_selection import RankedFeaturesClassifierCV

SIZES = [2, 5, 20]


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 30, n_informative=5, random_state=0)
    return data.data, np.array(["a", "b", "c"])[data.target]


@pytest.fixture(scope="module")
def words():
    data = make_word_counts(90, 40, n_informative=8, random_state=0)
    return data.data, data.target


class CountingSelector(SelectKBest):
    """Counts how often it is fitted, and to how many samples."""

    n_samples = ()

    def fit(self, X, y):
        CountingSelector.n_samples += (len(y),)
        return super().fit(X, y)


# ------------------------------------------------------------------ what it computes


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
@pytest.mark.parametrize(
    ("selector", "size"),
    [
        (ReliefFSelector(), "n_features_to_select"),
        (L21CentroidSelector(), "n_features_to_select"),
        (LinearCentroidEncoder(), "n_features_to_select"),
        (SelectKBest(), "k"),
    ],
    ids=["ReliefF", "l21", "encoder", "F"],
)
def test_choices_are_those_of_a_search_that_ranks_anew(genes, selector, size, scoring):
    X, y = genes
    train, test = np.arange(60) % 3 > 0, np.arange(60) % 3 == 0
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    options = {"cv": folds, "scoring": scoring}
    model = RankedFeaturesClassifierCV(
        selector, GaussianNB(), n_features_grid=SIZES, rule="best", **options
    )
    model.fit(X[train], y[train])
    steps = make_pipeline(selector, GaussianNB())
    name = type(selector).__name__.lower()
    search = GridSearchCV(steps, {f"{name}__{size}": SIZES}, **options).fit(X[train], y[train])
    assert model.n_features_to_select_ == search.best_params_[f"{name}__{size}"]
    assert model.best_score_ == pytest.approx(search.best_score_)
    np.testing.assert_allclose(
        model.path_["mean_test_score"], search.cv_results_["mean_test_score"]
    )
    np.testing.assert_array_equal(model.get_support(), search.best_estimator_[0].get_support())
    np.testing.assert_array_equal(model.predict(X[test]), search.predict(X[test]))
    np.testing.assert_allclose(model.predict_proba(X[test]), search.predict_proba(X[test]))


def test_selector_ranks_once_a_fold_and_by_all_samples(genes):
    CountingSelector.n_samples = ()
    RankedFeaturesClassifierCV(CountingSelector(), n_features_grid=SIZES, cv=3).fit(*genes)
    assert CountingSelector.n_samples == (40, 40, 40, 60)


def test_fewest_of_equal_numbers_are_chosen(genes):
    model = RankedFeaturesClassifierCV(
        SelectKBest(), n_features_grid=SIZES, scoring=lambda model, X, y: 0.5
    )
    assert model.fit(*genes).n_features_to_select_ == 2


def test_one_se_takes_fewer_features_than_the_best(genes):
    def score(model, X, y):  # differs much between folds, little between numbers of features
        return np.mean(y == "a") + 0.0001 * X.shape[1]

    options = {"n_features_grid": SIZES, "cv": KFold(3), "scoring": score}
    best, few = (
        RankedFeaturesClassifierCV(SelectKBest(), rule=rule, **options).fit(*genes)
        for rule in ("best", "one_se")
    )
    assert (best.n_features_to_select_, few.n_features_to_select_) == (20, 2)
    assert best.best_score_ == pytest.approx(few.best_score_ + 0.0018)


def test_features_are_the_first_of_the_ranking(genes):
    X, y = genes
    model = RankedFeaturesClassifierCV(ReliefFSelector(), n_features_grid=SIZES).fit(X, y)
    first = np.sort(model.feature_ranking_[: model.n_features_to_select_])
    np.testing.assert_array_equal(model.get_support(indices=True), first)
    np.testing.assert_array_equal(model.transform(X), X[:, first])
    np.testing.assert_array_equal(model.selector_.feature_ranking_, model.feature_ranking_)
    assert model.estimator_.n_features_in_ == first.size
    assert model.n_splits_ == 5


def test_result_does_not_depend_on_the_number_of_threads(genes):
    one, two = (
        RankedFeaturesClassifierCV(ReliefFSelector(), n_jobs=n_jobs).fit(*genes)
        for n_jobs in (None, 2)
    )
    for column in one.path_:
        np.testing.assert_array_equal(one.path_[column], two.path_[column])
    np.testing.assert_array_equal(one.predict_proba(genes[0]), two.predict_proba(genes[0]))


def test_it_answers_as_its_classifier_can():
    selector = ReliefFSelector()
    svm, bayes = (
        RankedFeaturesClassifierCV(selector, each) for each in (LinearSVC(), GaussianNB())
    )
    assert hasattr(svm, "decision_function")
    assert not hasattr(svm, "predict_proba")
    assert hasattr(bayes, "predict_proba")
    assert not hasattr(bayes, "decision_function")
    default = RankedFeaturesClassifierCV(selector)
    assert hasattr(default, "predict_proba")
    assert hasattr(default, "decision_function")


# ------------------------------------------------------------------ any data


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
def test_sparse_equals_dense(words, kind):
    X, y = words
    model = RankedFeaturesClassifierCV(ReliefFSelector(), BernoulliNB(), n_features_grid=SIZES)
    dense, thin = clone(model).fit(X.toarray(), y), clone(model).fit(kind(X), y)
    np.testing.assert_array_equal(dense.feature_ranking_, thin.feature_ranking_)
    assert dense.n_features_to_select_ == thin.n_features_to_select_
    np.testing.assert_array_equal(dense.predict(X.toarray()), thin.predict(kind(X)))


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_equal_arrays_and_keep_their_names(genes, kind):
    X, y = genes
    names = [f"g{j}" for j in range(30)]
    table = pd.DataFrame(X, columns=names) if kind == "pandas" else pl.DataFrame(X, schema=names)
    model = RankedFeaturesClassifierCV(ReliefFSelector(), n_features_grid=SIZES)
    plain, named = clone(model).fit(X, y), clone(model).fit(table, y)
    np.testing.assert_array_equal(named.predict(table), plain.predict(X))
    assert named.feature_names_in_.tolist() == names
    kept = [names[j] for j in plain.get_support(indices=True)]
    assert named.get_feature_names_out().tolist() == kept
    assert named.estimator_.feature_names_in_.tolist() == kept


def test_selector_may_be_a_pipeline(genes):
    X, y = genes
    scaled = make_pipeline(StandardScaler(), ReliefFSelector())
    model = RankedFeaturesClassifierCV(scaled, NearestCentroid(), n_features_grid=SIZES).fit(X, y)
    expected = ReliefFSelector().fit(StandardScaler().fit_transform(X), y).feature_ranking_
    np.testing.assert_array_equal(model.feature_ranking_, expected)


def test_groups_reach_the_splitter(genes):
    X, y = genes
    groups = np.arange(60) % 4
    model = RankedFeaturesClassifierCV(SelectKBest(), n_features_grid=SIZES, cv=LeaveOneGroupOut())
    listed = [(groups != g, groups == g) for g in range(4)]
    expected = clone(model).set_params(cv=listed).fit(X, y).path_
    for routing in (False, True):
        with sklearn.config_context(enable_metadata_routing=routing):
            found = clone(model).fit(X, y, groups=groups)
        np.testing.assert_array_equal(found.path_["mean_test_score"], expected["mean_test_score"])


def test_routing_may_be_enabled_without_metadata(genes):
    model = RankedFeaturesClassifierCV(
        SelectKBest(), n_features_grid=SIZES, scoring=lambda model, X, y: model.score(X, y)
    )
    expected = clone(model).fit(*genes).path_["mean_test_score"]
    with sklearn.config_context(enable_metadata_routing=True):
        found = clone(model).fit(*genes).path_["mean_test_score"]
        with pytest.raises(ValueError, match="groups"):
            clone(model).set_params(cv=GroupKFold(3)).fit(*genes)
    np.testing.assert_array_equal(found, expected)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"selector": "relief"}, TypeError, "selector='relief' must be an estimator that ranks"),
        ({"selector": SelectKBest}, TypeError, "selector=<class .* must be an estimator"),
        (
            {"selector": KNeighborsClassifier()},
            TypeError,
            "selector=KNeighborsClassifier must rank the features",
        ),
        ({"estimator": "svm"}, TypeError, "estimator='svm' must be a classifier"),
        ({"estimator": StandardScaler()}, TypeError, "estimator=StandardScaler.* be a classifier"),
        ({"n_features_grid": 1}, ValueError, "n_features_grid=1 must be at least 2"),
        ({"n_features_grid": [31]}, ValueError, "31 must lie between 1 and n_features=30"),
        ({"cv": 1}, ValueError, "cv=1 must be at least 2 folds"),
        ({"scoring": "luck"}, ValueError, "luck"),
        ({"rule": "worst"}, ValueError, "rule='worst'"),
        ({"n_jobs": 0}, ValueError, "n_jobs=0 must be a number of jobs"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_wrong_input_is_named(genes, options, error, message):
    model = RankedFeaturesClassifierCV(**{"selector": SelectKBest()} | options)
    with pytest.raises(error, match=message):
        model.fit(*genes)


# ------------------------------------------------------------------ several classifiers


def test_of_several_classifiers_the_best_is_chosen_with_the_number(genes):
    X, y = genes
    classifiers = [NearestCentroid(), GaussianNB()]
    model = RankedFeaturesClassifierCV(
        ReliefFSelector(), classifiers, n_features_grid=SIZES, cv=4, rule="best"
    ).fit(X, y)
    alone = [
        RankedFeaturesClassifierCV(ReliefFSelector(), each, n_features_grid=SIZES, cv=4).fit(X, y)
        for each in classifiers
    ]
    expected = np.column_stack([each.path_["mean_test_score"] for each in alone])
    assert model.path_["n_features_to_select"].tolist() == [2, 2, 5, 5, 20, 20]
    assert model.path_["classifier"].tolist() == [0, 1, 0, 1, 0, 1]
    np.testing.assert_array_equal(model.path_["mean_test_score"], expected.ravel())
    size, place = np.unravel_index(np.argmax(expected), expected.shape)
    assert model.n_features_to_select_ == SIZES[size]
    assert type(model.estimator_) is type(classifiers[place])


def test_several_classifiers_rank_once_a_fold(genes):
    CountingSelector.n_samples = ()
    RankedFeaturesClassifierCV(
        CountingSelector(), [NearestCentroid(), GaussianNB()], n_features_grid=SIZES, cv=4
    ).fit(*genes)
    assert len(CountingSelector.n_samples) == 4 + 1


def test_probabilities_are_there_if_all_classifiers_have_them():
    both = RankedFeaturesClassifierCV(ReliefFSelector(), [GaussianNB(), LinearSVC()])
    assert not hasattr(both, "predict_proba")
    assert hasattr(both.set_params(estimator=[GaussianNB()]), "predict_proba")


def test_a_list_must_hold_classifiers(genes):
    with pytest.raises(ValueError, match=r"estimator=\[\] must hold at least one"):
        RankedFeaturesClassifierCV(ReliefFSelector(), []).fit(*genes)
    with pytest.raises(TypeError, match="must be a classifier"):
        RankedFeaturesClassifierCV(ReliefFSelector(), [ReliefFSelector()]).fit(*genes)
