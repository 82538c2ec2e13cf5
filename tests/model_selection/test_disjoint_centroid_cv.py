"""The weight of the baseline chosen by cross-validation, against a loop over folds and weights."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    get_scorer,
    make_scorer,
)
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneGroupOut,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from centroidal import DisjointCentroidClassifier, DisjointCentroidClassifierCV
from centroidal.datasets import make_feature_blocks

GRID = (0.5, 0.6, 0.8, 1.0, np.inf)
FEW = {"n_init": 8, "random_state": 0}
SETTINGS = [
    FEW,
    FEW | {"center": True, "scale": "std", "shared_features": 2},
    FEW | {"calibration": "logistic", "n_init": 3},
    FEW | {"disjoint": False, "norm": "euclidean"},
    {"assignment": "margin"},
    {"assignment": "margin", "disjoint": False, "scale": "within", "calibration": "logistic"},
]


@pytest.fixture(scope="module")
def blocks():
    """Three classes with four features of their own, and eight features that say nothing."""
    made = make_feature_blocks(150, 4, n_classes=3, n_noise=8, random_state=1)
    return made.data, np.array(["ash", "elm", "oak"])[made.target]


def choose_weight(**parameters):
    return DisjointCentroidClassifierCV(**({"baseline_weights": GRID, "cv": 3} | parameters))


def outcome(model, X, y, **weights):
    """Return the fitted model, or None if all its starts are void."""
    try:
        return model.fit(X, y, **weights)
    except ValueError as error:
        if "a class lost all its features" not in str(error):
            raise
        return None


def models_one_by_one(X, y, settings, cv, sample_weight=None):
    """Fit a model for every fold and weight: slow and obvious; None where it is void."""
    for train, test in cv.split(X, y):
        weights = {} if sample_weight is None else {"sample_weight": sample_weight[train]}
        yield (
            [
                outcome(
                    DisjointCentroidClassifier(baseline_weight=weight, **settings),
                    X[train],
                    y[train],
                    **weights,
                )
                for weight in GRID
            ],
            test,
        )


def scores_one_by_one(X, y, settings, score, cv, sample_weight=None):
    """Scores of those models on the test sets; NaN where they are void."""
    return np.array(
        [
            [np.nan if model is None else score(model, test) for model in models]
            for models, test in models_one_by_one(X, y, settings, cv, sample_weight)
        ]
    )


def path_scores(model):
    return np.array([model.path_[f"split{i}_test_score"] for i in range(model.n_splits_)])


def constant_scorer(model, X, y):
    return 0.5


# ------------------------------------------------------------------ the path


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
def test_path_equals_fitting_every_model(blocks, settings, scoring):
    X, y = blocks
    cv = StratifiedKFold(2)
    scorer = get_scorer(scoring)
    model = choose_weight(**settings, cv=cv, scoring=scoring).fit(X, y)
    expected = scores_one_by_one(
        X, y, settings, lambda fitted, test: scorer(fitted, X[test], y[test]), cv
    )
    known = ~np.isnan(expected)
    assert len(np.unique(expected[known])) > 4
    np.testing.assert_allclose(path_scores(model)[known], expected[known], rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("settings", [FEW, {"assignment": "margin"}], ids=str)
def test_weights_of_samples_count_in_fitting_and_in_scoring(blocks, settings):
    X, y = blocks
    weights = np.linspace(0.1, 3.0, y.size)
    cv = StratifiedKFold(3)

    def score(model, test):
        return model.score(X[test], y[test], sample_weight=weights[test])

    model = choose_weight(**settings, cv=cv).fit(X, y, sample_weight=weights)
    expected = np.nan_to_num(scores_one_by_one(X, y, settings, score, cv, weights))
    np.testing.assert_allclose(path_scores(model), expected, rtol=0, atol=1e-12)


def test_source_of_randomness_is_asked_once_for_all_folds(blocks):
    X, y = blocks
    settings = {"n_init": 8}
    cv = StratifiedKFold(3)
    model = choose_weight(**settings, cv=cv, random_state=np.random.RandomState(3)).fit(X, y)
    same = choose_weight(**settings, cv=cv, random_state=3).fit(X, y)
    np.testing.assert_array_equal(path_scores(model), path_scores(same))


@pytest.mark.parametrize("settings", [FEW, {"assignment": "margin"}], ids=str)
def test_number_of_features_is_the_mean_over_the_folds_that_are_not_void(blocks, settings):
    X, y = blocks
    cv = StratifiedKFold(3)
    model = choose_weight(**settings, cv=cv).fit(X, y)
    sizes = np.array(
        [
            [np.nan if fitted is None else fitted.support_.sum() for fitted in models]
            for models, _ in models_one_by_one(X, y, settings, cv)
        ]
    )
    known = ~np.isnan(sizes).all(axis=0)
    np.testing.assert_allclose(
        model.path_["mean_n_features"][known], np.nanmean(sizes[:, known], axis=0)
    )
    assert np.isnan(model.path_["mean_n_features"][~known]).all()


def test_table_has_a_row_a_weight_and_a_column_a_fold(blocks):
    model = choose_weight(assignment="margin", cv=4).fit(*blocks)
    assert list(model.path_) == [
        "baseline_weight",
        "mean_n_features",
        "mean_test_score",
        "std_test_score",
        "se_test_score",
        *(f"split{fold}_test_score" for fold in range(4)),
    ]
    assert pd.DataFrame(model.path_).shape == (5, 9)
    assert model.n_splits_ == 4


def test_table_sums_up_its_folds(blocks):
    model = choose_weight(assignment="margin", cv=4).fit(*blocks)
    scores = path_scores(model)
    spread = scores.std(axis=0, ddof=1)
    np.testing.assert_allclose(model.path_["mean_test_score"], scores.mean(axis=0))
    np.testing.assert_allclose(model.path_["std_test_score"], spread)
    folds = StratifiedKFold(4).split(*blocks)
    ratio = np.mean([test.size / train.size for train, test in folds])
    np.testing.assert_allclose(model.path_["se_test_score"], spread * np.sqrt(1 / 4 + ratio))


def test_weights_are_sorted_and_each_is_tried_once(blocks):
    grid = [np.inf, 0.9, 0.5, 0.9]
    model = choose_weight(assignment="margin", baseline_weights=grid).fit(*blocks)
    assert model.path_["baseline_weight"].tolist() == [0.5, 0.9, np.inf]


@pytest.mark.parametrize(("assignment", "beyond"), [("alternating", 1.2), ("margin", 1.1)])
def test_weights_of_none_are_those_of_the_documentation(blocks, assignment, beyond):
    model = DisjointCentroidClassifierCV(assignment, n_init=2, random_state=0, cv=2).fit(*blocks)
    to_one = [0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert model.path_["baseline_weight"].tolist() == [*to_one, beyond, np.inf]


def test_folds_of_none_are_five(blocks):
    assert choose_weight(assignment="margin", cv=None).fit(*blocks).n_splits_ == 5


@pytest.mark.parametrize("n_jobs", [2, -1])
@pytest.mark.parametrize("settings", [FEW, {"assignment": "margin"}], ids=str)
def test_number_of_threads_does_not_matter_to_the_bit(blocks, settings, n_jobs):
    serial = choose_weight(**settings).fit(*blocks)
    threaded = choose_weight(**settings, n_jobs=n_jobs).fit(*blocks)
    np.testing.assert_array_equal(path_scores(threaded), path_scores(serial))
    np.testing.assert_array_equal(threaded.groups_, serial.groups_)


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("settings", [SETTINGS[1], SETTINGS[3]], ids=str)
def test_sparse_path_equals_the_dense_one(blocks, store, settings):
    X, y = blocks
    X = np.where(X > -0.5, X, 0.0)
    stored, dense = (choose_weight(**settings, cv=3).fit(data, y) for data in (store(X), X))
    np.testing.assert_allclose(path_scores(stored), path_scores(dense), atol=1e-12)
    np.testing.assert_array_equal(stored.groups_, dense.groups_)


# ------------------------------------------------------------------ the choice


def test_chosen_weight_has_the_best_mean_score(blocks):
    model = choose_weight(assignment="margin", rule="best").fit(*blocks)
    best = model.path_["mean_test_score"].argmax()
    assert model.baseline_weight_ == model.path_["baseline_weight"][best]
    assert model.best_score_ == model.path_["mean_test_score"].max()


def test_chosen_weight_leaves_noise_out():
    made = make_feature_blocks(400, 5, n_noise=40, random_state=0)
    model = DisjointCentroidClassifierCV("margin").fit(made.data, made.target)
    assert model.baseline_weight_ < 1.0
    assert model.support_[:20].all()
    assert model.support_[20:].sum() <= 2


def test_ties_go_to_the_smaller_weight(blocks):
    model = choose_weight(assignment="margin", scoring=constant_scorer).fit(*blocks)
    assert model.baseline_weight_ == 0.5


def test_one_se_rule_takes_the_smallest_weight_within_one_standard_error(blocks):
    model = choose_weight(assignment="margin", rule="one_se").fit(*blocks)
    mean, spread = model.path_["mean_test_score"], model.path_["std_test_score"]
    is_close = mean >= mean.max() - spread[mean.argmax()] / np.sqrt(model.n_splits_)
    assert model.baseline_weight_ == model.path_["baseline_weight"][is_close.argmax()]
    best = choose_weight(assignment="margin", rule="best").fit(*blocks)
    assert model.baseline_weight_ < best.baseline_weight_


def test_fold_whose_starts_are_all_void_counts_as_all_wrong(blocks):
    model = choose_weight(**FEW, baseline_weights=[0.01, 0.9]).fit(*blocks)
    assert path_scores(model)[:, 0].tolist() == [0.0] * 3
    assert np.isnan(model.path_["mean_n_features"][0])
    assert model.baseline_weight_ == 0.9


def test_void_fold_of_a_score_that_is_never_positive_is_not_the_best(blocks):
    model = choose_weight(**FEW, baseline_weights=[0.01, 0.9], scoring="neg_log_loss").fit(*blocks)
    assert model.path_["mean_test_score"].argmax() == 1


def test_chosen_weight_that_is_void_on_all_data_gives_way_to_the_next_larger_one(blocks):
    grid = [0.01, 0.02, 0.9, np.inf]
    model = choose_weight(**FEW, baseline_weights=grid, scoring=lambda *_: 0.0).fit(*blocks)
    assert model.baseline_weight_ == 0.9
    assert model.best_estimator_.baseline_weight == 0.9


def test_infinite_weight_is_among_the_next_larger_ones(blocks):
    grid = [0.01, np.inf]
    model = choose_weight(**FEW, baseline_weights=grid, scoring=lambda *_: 0.0).fit(*blocks)
    assert model.baseline_weight_ == np.inf
    assert model.support_.all()


def test_weights_that_are_all_void_are_an_error_that_says_what_to_change(blocks):
    message = (
        "In each of n_init=8 starts a class lost all its features, for all baseline_weights from "
        "0.01 on; add larger ones, or inf"
    )
    with pytest.raises(ValueError, match=message):
        choose_weight(**FEW, baseline_weights=[0.01, 0.02]).fit(*blocks)


# ------------------------------------------------------------------ the chosen model


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_model_is_that_of_all_data_for_the_chosen_weight(blocks, settings):
    X, y = blocks
    weights = np.linspace(0.5, 2.0, y.size)
    model = choose_weight(**settings, cv=2).fit(X, y, sample_weight=weights)
    plain = DisjointCentroidClassifier(baseline_weight=model.baseline_weight_, **settings)
    plain.fit(X, y, sample_weight=weights)
    for fitted in (model, model.best_estimator_):
        np.testing.assert_array_equal(fitted.groups_, plain.groups_)
        np.testing.assert_array_equal(fitted.support_, plain.support_)
        np.testing.assert_array_equal(fitted.centers_, plain.centers_)
        np.testing.assert_array_equal(fitted.restart_errors_, plain.restart_errors_)
        assert fitted.n_void_ == plain.n_void_
        assert fitted.objective_ == pytest.approx(plain.objective_, rel=1e-12)
        np.testing.assert_array_equal(fitted.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_best_estimator_has_the_parameters_of_the_choice(blocks, settings):
    model = choose_weight(**settings, baseline_weights=[0.9, np.inf], cv=2).fit(*blocks)
    expected = DisjointCentroidClassifier(baseline_weight=model.baseline_weight_, **settings)
    assert model.best_estimator_.get_params() == expected.get_params()


def test_best_estimator_goes_on_with_a_stream(blocks):
    X, y = blocks
    best = choose_weight(assignment="margin").fit(X[:100], y[:100]).best_estimator_
    whole = DisjointCentroidClassifier("margin", baseline_weight=best.baseline_weight).fit(X, y)
    best.partial_fit(X[100:], y[100:])
    np.testing.assert_array_equal(best.groups_, whole.groups_)
    np.testing.assert_allclose(best.decision_function(X), whole.decision_function(X), rtol=1e-8)


def test_best_estimators_can_be_merged(blocks):
    X, y = blocks
    first, second = (
        choose_weight(assignment="margin", baseline_weights=[0.75]).fit(X[rows], y[rows])
        for rows in (slice(75), slice(75, None))
    )
    merged = first.best_estimator_.merge(second.best_estimator_)
    whole = DisjointCentroidClassifier("margin", baseline_weight=0.75).fit(X, y)
    np.testing.assert_array_equal(merged.groups_, whole.groups_)


def test_stream_of_the_best_estimator_leaves_the_choice_alone(blocks):
    X, y = blocks
    model = choose_weight(assignment="margin").fit(X, y)
    before = model.decision_function(X)
    model.best_estimator_.partial_fit(X + 5.0, y)
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_choice_itself_takes_no_chunks():
    model = DisjointCentroidClassifierCV("margin")
    assert not hasattr(model, "partial_fit")
    assert not hasattr(model, "merge")


def test_choice_selects_features(blocks):
    X, y = blocks
    frame = pd.DataFrame(X).add_prefix("gene ")
    model = choose_weight(assignment="margin", baseline_weights=[0.75]).fit(frame, y)
    assert 3 <= model.support_.sum() < 20
    np.testing.assert_array_equal(model.transform(frame), X[:, model.support_])
    assert model.get_feature_names_out().tolist() == frame.columns[model.support_].tolist()


@pytest.mark.parametrize("settings", [FEW, {"assignment": "margin"}], ids=str)
def test_clones_and_pickles_predict_the_same(blocks, settings):
    X, y = blocks
    model = choose_weight(**settings).fit(X, y)
    expected = model.predict_proba(X)
    np.testing.assert_array_equal(clone(model).fit(X, y).predict_proba(X), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), expected)


# ------------------------------------------------------------------ scorers, folds, metadata


@pytest.mark.parametrize("settings", [FEW, {"assignment": "margin"}], ids=str)
def test_search_of_scikit_learn_finds_the_same(blocks, settings):
    grid = [0.9, 1.2, np.inf]
    cv = StratifiedKFold(2)
    model = choose_weight(**settings, baseline_weights=grid, cv=cv, scoring="neg_log_loss")
    search = GridSearchCV(
        DisjointCentroidClassifier(**settings),
        {"baseline_weight": grid},
        cv=cv,
        scoring="neg_log_loss",
    ).fit(*blocks)
    np.testing.assert_allclose(
        model.fit(*blocks).path_["mean_test_score"],
        search.cv_results_["mean_test_score"],
        rtol=1e-6,
    )
    assert model.baseline_weight_ == search.best_params_["baseline_weight"]


def test_scorer_may_be_a_function(blocks):
    def share_right(model, X, y):
        return np.mean(model.predict(X) == y)

    own = choose_weight(assignment="margin", scoring=share_right).fit(*blocks)
    known = choose_weight(assignment="margin").fit(*blocks)
    np.testing.assert_allclose(path_scores(own), path_scores(known), atol=1e-12)


def test_scorer_may_be_made_by_scikit_learn(blocks):
    made = make_scorer(balanced_accuracy_score)
    own = choose_weight(assignment="margin", scoring=made).fit(*blocks)
    known = choose_weight(assignment="margin", scoring="balanced_accuracy").fit(*blocks)
    np.testing.assert_allclose(path_scores(own), path_scores(known), atol=1e-12)


def test_groups_reach_the_splitter(blocks):
    X, y = blocks
    model = choose_weight(assignment="margin", cv=LeaveOneGroupOut())
    assert model.fit(X, y, groups=np.arange(y.size) % 4).n_splits_ == 4


def test_metadata_is_routed_to_splitter_and_scorer(blocks):
    X, y = blocks
    weights, groups = np.linspace(0.5, 2.0, y.size), np.arange(y.size) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        model = choose_weight(assignment="margin", cv=GroupKFold(3), scoring=scorer)
        model.set_fit_request(sample_weight=True)
        model.fit(X, y, sample_weight=weights, groups=groups)
    plain = choose_weight(assignment="margin", cv=GroupKFold(3))
    plain.fit(X, y, sample_weight=weights, groups=groups)
    np.testing.assert_allclose(path_scores(model), path_scores(plain), atol=1e-12)


@pytest.mark.parametrize("scorer", [None, make_scorer(accuracy_score)], ids=["hits", "scorer"])
def test_meta_estimators_pass_weights_on_when_asked(blocks, scorer):
    X, y = blocks
    weights = np.linspace(0.5, 2.0, y.size)
    with sklearn.config_context(enable_metadata_routing=True):
        if scorer is not None:
            scorer = scorer.set_score_request(sample_weight=True)
        inner = choose_weight(assignment="margin", scoring=scorer)
        inner.set_fit_request(sample_weight=True)
        pipeline = make_pipeline(FunctionTransformer(), inner).fit(X, y, sample_weight=weights)
    plain = choose_weight(assignment="margin").fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(pipeline[-1].centers_, plain.centers_)
    np.testing.assert_allclose(path_scores(pipeline[-1]), path_scores(plain), atol=1e-12)


def test_unknown_metadata_is_refused_without_routing(blocks):
    with pytest.raises(TypeError, match=r"colour.*enable_metadata_routing"):
        choose_weight(assignment="margin").fit(*blocks, colour="red")


def test_whole_choice_can_be_cross_validated():
    made = make_feature_blocks(300, 5, n_classes=3, n_noise=20, random_state=0)
    scores = cross_val_score(choose_weight(assignment="margin"), made.data, made.target, cv=3)
    assert (scores > 0.7).all()


def test_class_missing_from_a_training_part_is_counted_as_wrong(blocks):
    X, y = blocks
    is_oak = y == "oak"
    folds = [(np.flatnonzero(~is_oak), np.flatnonzero(is_oak)), (np.arange(75), np.arange(75, 150))]
    model = choose_weight(assignment="margin", cv=folds).fit(X, y)
    assert path_scores(model)[0].tolist() == [0.0] * len(GRID)
    assert (path_scores(model)[1] > 0.4).all()


def test_folds_may_be_masks(blocks):
    X, y = blocks
    test = np.arange(y.size) % 3 == 0
    masks = choose_weight(assignment="margin", cv=[(~test, test)]).fit(X, y)
    positions = choose_weight(assignment="margin", cv=[np.nonzero(~test) + np.nonzero(test)])
    np.testing.assert_array_equal(path_scores(masks), path_scores(positions.fit(X, y)))


@pytest.mark.parametrize("settings", [FEW, {"assignment": "margin"}], ids=str)
def test_training_samples_named_twice_count_twice(blocks, settings):
    X, y = blocks
    train, test = np.random.default_rng(0).integers(0, 100, 100), np.arange(100, 150)
    model = choose_weight(**settings, baseline_weights=[0.9, np.inf], cv=[(train, test)])
    expected = [
        DisjointCentroidClassifier(baseline_weight=weight, **settings)
        .fit(X[train], y[train])
        .score(X[test], y[test])
        for weight in (0.9, np.inf)
    ]
    np.testing.assert_allclose(path_scores(model.fit(X, y))[0], expected, atol=1e-12)


def test_test_samples_do_not_change_what_is_learned(blocks):
    """A fold with strange samples in its test set has the models of its training set."""
    X, y = blocks
    train, test = np.arange(100), np.arange(100, 150)
    strange = X.copy()
    strange[125:] = 50.0
    weights = np.where(np.arange(150) < 125, 1.0, 1e-12)
    models = [
        choose_weight(**FEW, baseline_weights=[0.9, np.inf], cv=[(train, test)]) for _ in range(2)
    ]
    models[0].fit(X, y, sample_weight=weights)
    models[1].fit(strange, y, sample_weight=weights)
    np.testing.assert_allclose(path_scores(models[1]), path_scores(models[0]), atol=1e-9)


def test_named_columns_are_no_trouble_to_a_scorer(blocks):
    X, y = blocks
    frame = pd.DataFrame(X).add_prefix("gene ")
    model = choose_weight(assignment="margin", scoring="neg_log_loss").fit(frame, y)
    assert model.predict(frame).shape == y.shape
    assert model.feature_names_in_[0] == "gene 0"
    assert model.best_estimator_.feature_names_in_[0] == "gene 0"


def test_callbacks_see_one_task_a_fold(blocks):
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
    choose_weight(**FEW, cv=4).set_callbacks(counter).fit(*blocks)
    assert counter.ended == ["fold"] * 4 + ["fit"]


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"baseline_weights": []}, r"baseline_weights=\[\] must hold at least one number"),
        ({"baseline_weights": [0.5, 0]}, "a value of baseline_weights=0 must be positive"),
        ({"baseline_weights": [-1.0]}, "a value of baseline_weights=-1.0 must be positive"),
        ({"baseline_weights": [np.nan]}, "a value of baseline_weights=nan must be positive"),
        ({"rule": "median"}, "rule='median' must be one of 'best', 'one_se'"),
        ({"assignment": "greedy"}, "assignment='greedy' must be one of 'alternating', 'margin'"),
        ({"scale": "mad"}, "scale='mad' must be one of None, 'std', 'within'"),
        ({"calibration": "isotonic"}, "calibration='isotonic' must be one of None, 'logistic'"),
        ({"norm": "l1"}, "norm='l1' must be one of 'normalized', 'euclidean'"),
        ({"n_init": 0}, "n_init=0 must be at least 1"),
        ({"shared_features": 21}, "shared_features=21 must lie between 0 and n_features=20"),
        ({"scoring": "beauty"}, "beauty"),
        ({"cv": 1}, "cv=1 must be at least 2 folds"),
    ],
    ids=str,
)
def test_errors_name_the_parameter_and_what_is_allowed(blocks, parameters, message):
    with pytest.raises(ValueError, match=message):
        DisjointCentroidClassifierCV(**({"random_state": 0} | parameters)).fit(*blocks)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"baseline_weights": 0.5}, "baseline_weights=0.5 must be an array of positive numbers"),
        ({"baseline_weights": "auto"}, "baseline_weights='auto' must be an array of positive"),
        ({"baseline_weights": ["1"]}, "a value of baseline_weights='1' must be a positive number"),
        ({"baseline_weights": [True]}, "a value of baseline_weights=True must be a positive"),
        ({"baseline_weights": [None]}, "a value of baseline_weights=None must be a positive"),
        ({"center": "mean"}, "center='mean' must be True or False"),
        ({"n_init": 2.5}, "n_init=2.5 must be an int of at least 1"),
        ({"shared_features": "all"}, "shared_features='all' must be 'auto', None"),
    ],
    ids=str,
)
def test_errors_name_the_parameter_and_its_types(blocks, parameters, message):
    with pytest.raises(TypeError, match=message):
        DisjointCentroidClassifierCV(**({"random_state": 0} | parameters)).fit(*blocks)


def test_missing_values_are_refused(blocks):
    X = blocks[0].copy()
    X[3, 3] = np.nan
    with pytest.raises(ValueError, match="X contains NaN"):
        choose_weight(assignment="margin").fit(X, blocks[1])


def test_single_class_is_refused(blocks):
    with pytest.raises(ValueError, match="y holds one class, 0; DisjointCentroidClassifierCV"):
        choose_weight(assignment="margin").fit(blocks[0], np.zeros(150, dtype=int))


def test_fold_without_weight_is_an_error(blocks):
    X, y = blocks
    weights = np.where(np.arange(150) < 50, 0.0, 1.0)
    folds = [(np.arange(50, 150), np.arange(50)), (np.arange(100), np.arange(100, 150))]
    with pytest.raises(ValueError, match="sample_weight is zero for every test sample of a fold"):
        choose_weight(assignment="margin", cv=folds).fit(X, y, sample_weight=weights)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"baseline_weights": [0.01]}, "lost all its features"),
        ({"rule": "median"}, "rule='median'"),
        ({"shared_features": 99}, "shared_features=99"),
    ],
    ids=str,
)
def test_failed_fit_leaves_a_new_model_not_fitted(blocks, parameters, message):
    model = choose_weight(**FEW | parameters)
    with pytest.raises(ValueError, match=message):
        model.fit(*blocks)
    assert set(vars(model)) == set(model.get_params())
    with pytest.raises(NotFittedError, match="not fitted"):
        model.predict(blocks[0])


def test_failed_fit_leaves_a_fitted_model_as_it_was(blocks):
    X, y = blocks
    model = choose_weight(**FEW).fit(X, y).set_params(baseline_weights=[0.01])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="lost all its features"):
        model.fit(X[:, :12], y)
    assert pickle.dumps(model) == before
