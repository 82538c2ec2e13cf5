import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csc_matrix, csr_array
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import accuracy_score, balanced_accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneGroupOut,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from centroidal import SparseCenterClassifier, SparseCenterClassifierCV
from centroidal.datasets import make_expression, make_word_counts

SETTINGS = [
    {"metric": "l2"},
    {"metric": "l2", "scale": "within", "priors": "empirical"},
    {"metric": "l1"},
    {"metric": "l1", "scale": "mad", "priors": [0.2, 0.3, 0.5]},
    {"metric": "mahalanobis", "scale": "std"},
]


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 40, n_informative=6, random_state=0)
    return data.data, data.target


@pytest.fixture(scope="module")
def words():
    data = make_word_counts(150, 60, n_informative=10, n_classes=3, random_state=0)
    return data.data, data.target


SCORES = {"accuracy": accuracy_score, "balanced_accuracy": balanced_accuracy_score}


def scores_one_by_one(X, y, settings, grid, cv):
    """Fit and score a model for every fold and number of features: slow and obvious."""
    scores = {name: np.empty((cv.get_n_splits(), len(grid))) for name in SCORES}
    for fold, (train, test) in enumerate(cv.split(X, y)):
        for column, k in enumerate(grid):
            model = SparseCenterClassifier(int(k), **settings).fit(X[train], y[train])
            predicted = model.predict(X[test])
            for name, score in SCORES.items():
                scores[name][fold, column] = score(y[test], predicted)
    return scores


def path_scores(model):
    return np.array([model.path_[f"split{i}_test_score"] for i in range(model.n_splits_)])


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_path_equals_fitting_every_model(genes, settings):
    cv = StratifiedKFold(3)
    for name, expected in scores_one_by_one(*genes, settings, range(1, 41), cv).items():
        model = SparseCenterClassifierCV(**settings, cv=cv, scoring=name).fit(*genes)
        np.testing.assert_allclose(path_scores(model), expected, rtol=0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("container", [csr_array, csc_matrix])
@pytest.mark.parametrize("settings", [SETTINGS[1], SETTINGS[3]], ids=str)
def test_sparse_path_equals_the_dense_one_on_its_grid(words, container, settings):
    X, y = words
    model = SparseCenterClassifierCV(**settings, n_features_grid=12, cv=3)
    # A shift of no consequence makes exact ties, which rounding may break either way, unlikely.
    X = X.astype(float) * np.sqrt(np.arange(1, X.shape[1] + 1))
    sparse = model.fit(container(X), y).path_
    dense = model.fit(X.toarray(), y).path_
    np.testing.assert_array_equal(sparse["n_features_to_select"], dense["n_features_to_select"])
    np.testing.assert_allclose(sparse["mean_test_score"], dense["mean_test_score"], atol=1e-12)


def test_dense_data_are_tried_with_every_number_and_sparse_data_with_a_grid(words):
    X, y = words
    model = SparseCenterClassifierCV(cv=3)
    assert model.fit(X.toarray(), y).path_["n_features_to_select"].tolist() == [*range(1, 61)]
    assert model.fit(X, y).path_["n_features_to_select"].size < 50


def test_other_scorers_are_computed_by_scikit_learn(genes):
    cv = StratifiedKFold(3)
    grid = [1, 5, 40]
    model = SparseCenterClassifierCV(cv=cv, scoring="neg_log_loss", n_features_grid=grid)
    model.fit(*genes)
    search = GridSearchCV(
        SparseCenterClassifier(), {"n_features_to_select": grid}, cv=cv, scoring="neg_log_loss"
    ).fit(*genes)
    np.testing.assert_allclose(
        model.path_["mean_test_score"], search.cv_results_["mean_test_score"], rtol=1e-9
    )


def test_scorer_of_the_user_agrees_with_the_fast_path(genes):
    scorer = make_scorer(accuracy_score)
    slow = SparseCenterClassifierCV(scoring=scorer, n_features_grid=range(1, 41)).fit(*genes)
    fast = SparseCenterClassifierCV().fit(*genes)
    np.testing.assert_allclose(path_scores(slow), path_scores(fast), atol=1e-12)


def test_model_is_the_exact_one_of_all_data_for_the_chosen_number(genes):
    model = SparseCenterClassifierCV(scale="within").fit(*genes)
    plain = SparseCenterClassifier(model.n_features_to_select_, scale="within").fit(*genes)
    np.testing.assert_array_equal(model.centers_, plain.centers_)
    np.testing.assert_array_equal(model.predict_proba(genes[0]), plain.predict_proba(genes[0]))


def test_best_estimator_goes_on_with_a_stream(genes):
    X, y = genes
    best = SparseCenterClassifierCV().fit(X[:40], y[:40]).best_estimator_
    whole = SparseCenterClassifier(best.n_features_to_select).fit(X, y)
    np.testing.assert_allclose(best.partial_fit(X[40:], y[40:]).centers_, whole.centers_)


def test_another_number_needs_no_data(genes):
    model = SparseCenterClassifierCV(metric="l1").fit(*genes).at(3)
    plain = SparseCenterClassifier(3, metric="l1").fit(*genes)
    np.testing.assert_array_equal(model.centers_, plain.centers_)


def test_one_se_rule_keeps_no_more_features_than_best(genes):
    best, one_se = (SparseCenterClassifierCV(rule=rule).fit(*genes) for rule in ("best", "one_se"))
    assert one_se.n_features_to_select_ <= best.n_features_to_select_


def test_table_becomes_a_data_frame(genes):
    frame = pd.DataFrame(SparseCenterClassifierCV(cv=4).fit(*genes).path_)
    assert frame.shape == (40, 4 + 4)


def test_groups_reach_the_splitter(genes):
    X, y = genes
    groups = np.arange(y.size) % 4
    model = SparseCenterClassifierCV(cv=LeaveOneGroupOut()).fit(X, y, groups=groups)
    assert model.n_splits_ == 4


def test_metadata_is_routed_to_splitter_and_scorer(genes):
    X, y = genes
    weights = np.linspace(0.5, 2.0, y.size)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        model = SparseCenterClassifierCV(
            cv=GroupKFold(3), scoring=scorer, n_features_grid=range(1, 41)
        ).set_fit_request(sample_weight=True)
        model.fit(X, y, sample_weight=weights, groups=np.arange(y.size) % 3)
    plain = SparseCenterClassifierCV(cv=GroupKFold(3))
    plain.fit(X, y, sample_weight=weights, groups=np.arange(y.size) % 3)
    np.testing.assert_allclose(path_scores(model), path_scores(plain), atol=1e-12)


def test_meta_estimators_pass_weights_on_when_asked(genes):
    X, y = genes
    weights = np.linspace(0.5, 2.0, y.size)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = SparseCenterClassifierCV().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(FunctionTransformer(), inner).fit(X, y, sample_weight=weights)
    plain = SparseCenterClassifierCV().fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(pipeline[-1].centers_, plain.centers_)


def test_unknown_metadata_is_refused_without_routing(genes):
    with pytest.raises(TypeError, match="colour.*enable_metadata_routing"):
        SparseCenterClassifierCV().fit(*genes, colour="red")


def test_whole_choice_can_be_cross_validated():
    genes = make_expression(90, 200, n_informative=20, effect=4.0, random_state=0)
    scores = cross_val_score(SparseCenterClassifierCV(cv=3), genes.data, genes.target, cv=3)
    assert (scores > 0.8).all()


def test_one_against_the_rest_chooses_for_each_class(genes):
    model = OneVsRestClassifier(SparseCenterClassifierCV(cv=3)).fit(*genes)
    assert len(model.estimators_) == 3


def test_class_missing_from_a_training_part_is_counted_as_wrong():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]])
    y = np.array([0, 0, 1, 1, 2])
    folds = [([0, 1, 2, 3], [4]), ([0, 2, 4], [1, 3])]
    model = SparseCenterClassifierCV(cv=folds).fit(X, y)
    assert path_scores(model)[:, 0].tolist() == [0.0, 1.0]


def test_callbacks_see_one_task_a_fold(genes):
    pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")

    class Counter:
        def __init__(self):
            self.ended = []

        def setup(self, estimator, context): ...

        def on_fit_task_begin(self, estimator, context): ...

        def on_fit_task_end(self, estimator, context):
            self.ended.append(context.task_name)

        def teardown(self, estimator, context): ...

    counter = Counter()
    SparseCenterClassifierCV(cv=4).set_callbacks(counter).fit(*genes)
    assert counter.ended == ["fold"] * 4 + ["fit"]


def test_folds_may_be_masks(genes):
    X, y = genes
    test = np.arange(y.size) % 3 == 0
    masks = SparseCenterClassifierCV(cv=[(~test, test)]).fit(X, y)
    positions = SparseCenterClassifierCV(cv=[(np.flatnonzero(~test), np.flatnonzero(test))])
    np.testing.assert_array_equal(path_scores(masks), path_scores(positions.fit(X, y)))


def test_training_samples_named_twice_count_twice(genes):
    X, y = genes
    rng = np.random.default_rng(0)
    train, test = rng.integers(0, 40, 40), np.arange(40, 60)
    model = SparseCenterClassifierCV(cv=[(train, test)], n_features_grid=[3, 20]).fit(X, y)
    expected = [
        accuracy_score(y[test], SparseCenterClassifier(k).fit(X[train], y[train]).predict(X[test]))
        for k in (3, 20)
    ]
    np.testing.assert_allclose(path_scores(model)[0], expected)


def test_named_columns_are_no_trouble_to_a_scorer(genes):
    X, y = genes
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(X.shape[1])])
    model = SparseCenterClassifierCV(scoring="neg_log_loss", n_features_grid=3).fit(frame, y)
    assert model.predict(frame).shape == y.shape
    assert model.best_estimator_.feature_names_in_[0] == "gene 0"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_features_grid": []}, "n_features_grid=.* must hold at least one"),
        ({"rule": "median"}, "rule='median' must be one of 'best', 'one_se'"),
        ({"metric": "l3"}, "metric='l3' must be one of"),
        ({"scale": "max"}, "scale='max' must be one of"),
        ({"n_features_grid": 1}, "n_features_grid=1 must be at least 2"),
        ({"n_features_grid": [0, 5]}, "n_features_to_select=0 must lie between 1 and"),
        ({"priors": [0.5, 0.5]}, "priors=.* or 3 positive numbers"),
        ({"scoring": "beauty"}, "beauty"),
    ],
)
def test_errors_name_the_parameter_and_what_is_allowed(genes, parameters, message):
    with pytest.raises(ValueError, match=message):
        SparseCenterClassifierCV(**parameters).fit(*genes)


def test_fold_without_weight_is_an_error(genes):
    X, y = genes
    weights = np.ones(y.size)
    weights[:20] = 0.0
    folds = [(np.arange(20, 60), np.arange(20)), (np.arange(40), np.arange(40, 60))]
    with pytest.raises(ValueError, match="sample_weight is zero for every test sample"):
        SparseCenterClassifierCV(cv=folds).fit(X, y, sample_weight=weights)


def test_scale_is_chosen_around_the_number_of_features(genes):
    grid = {"scale": [None, "within"], "rule": ["best", "one_se"]}
    search = GridSearchCV(SparseCenterClassifierCV(cv=3), grid, cv=3).fit(*genes)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_estimator_.n_features_to_select_ >= 1


def test_probabilities_of_the_chosen_model_can_be_calibrated(genes):
    X, y = genes
    model = CalibratedClassifierCV(SparseCenterClassifierCV(cv=3), cv=3).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
