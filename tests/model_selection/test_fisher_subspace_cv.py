"""Choice of the number of components by cross-validation, against scikit-learn's search."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneGroupOut,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)

from centroidal import FisherSubspaceClassifier, FisherSubspaceClassifierCV
from tests.classifiers.fisher_samples import draw_correlated, draw_spiked

GRID = [1, 2, 3, 5, 8, 30]
THRESHOLDS = ["inclusive", "strict", "balanced", "mahalanobis", "prior"]


@pytest.fixture
def pair():
    """Two classes with a few strong directions of noise."""
    return draw_spiked(np.random.default_rng(3), n_samples=60, n_features=20)


@pytest.fixture
def several():
    """Three classes that overlap."""
    return draw_correlated(np.random.default_rng(4), 3, n_samples=60, n_features=10, separation=0.8)


def searched(samples, grid, whitening, scatters, cv, scoring=None, **options):
    """Fit and score one model after the other, as scikit-learn does."""
    inner = FisherSubspaceClassifier(whitening, **options)
    found = []
    for scatter in scatters:
        search = GridSearchCV(
            inner.set_params(scatter=scatter), {"n_components": grid}, cv=cv, scoring=scoring
        ).fit(*samples)
        found.append(search.cv_results_)
    return found


def assert_path_is(model, found):
    """Compare the table with the results of one search for each scatter, in its order of rows."""
    names = [f"split{fold}_test_score" for fold in range(model.n_splits_)]
    for name in [*names, "mean_test_score"]:
        # Fewest components first, and the scatters in their order for each number.
        expected = np.column_stack([results[name] for results in found]).ravel()
        np.testing.assert_allclose(model.path_[name], expected, rtol=1e-7, atol=1e-9)


# ------------------------------------------------------------------ path


@pytest.mark.parametrize("whitening", ["truncated", "variance"])
@pytest.mark.parametrize("scatter", ["total", "within"])
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_path_of_two_classes_is_that_of_a_grid_search(pair, whitening, scatter, threshold):
    cv = StratifiedKFold(3)
    model = FisherSubspaceClassifierCV(
        whitening=whitening, scatter=scatter, n_components_grid=GRID, threshold=threshold, cv=cv
    ).fit(*pair)
    assert_path_is(model, searched(pair, GRID, whitening, [scatter], cv, threshold=threshold))


@pytest.mark.parametrize("whitening", ["truncated", "variance"])
@pytest.mark.parametrize("priors", ["uniform", "empirical", [0.2, 0.3, 0.5]])
def test_path_of_several_classes_is_that_of_a_grid_search(several, whitening, priors):
    cv = StratifiedKFold(3)
    model = FisherSubspaceClassifierCV(
        whitening=whitening, n_components_grid=GRID, priors=priors, cv=cv
    ).fit(*several)
    assert_path_is(model, searched(several, GRID, whitening, ["total"], cv, priors=priors))


@pytest.mark.parametrize("scatter", ["total", "within"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_path_of_wide_data_is_that_of_a_grid_search(scatter, n_classes):
    samples = draw_correlated(np.random.default_rng(5), n_classes, n_samples=36, n_features=60)
    cv = StratifiedKFold(3)
    model = FisherSubspaceClassifierCV(scatter=scatter, n_components_grid=GRID[:-1], cv=cv)
    assert_path_is(model.fit(*samples), searched(samples, GRID[:-1], "truncated", [scatter], cv))


@pytest.mark.parametrize("samples", ["pair", "several"])
def test_both_scatters_are_tried_for_every_number(request, samples):
    samples = request.getfixturevalue(samples)
    cv = StratifiedKFold(3)
    model = FisherSubspaceClassifierCV(
        scatter=("total", "within"), n_components_grid=GRID, cv=cv
    ).fit(*samples)
    assert_path_is(model, searched(samples, GRID, "truncated", ["total", "within"], cv))
    assert list(model.path_["scatter"]) == ["total", "within"] * 6
    assert list(model.path_["n_components"]) == np.repeat(GRID, 2).tolist()


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "neg_log_loss", "f1_macro"])
@pytest.mark.parametrize("samples", ["pair", "several"])
def test_path_of_any_score_is_that_of_a_grid_search(request, samples, scoring):
    samples = request.getfixturevalue(samples)
    cv = StratifiedKFold(3)
    model = FisherSubspaceClassifierCV(n_components_grid=GRID, cv=cv, scoring=scoring).fit(*samples)
    assert_path_is(model, searched(samples, GRID, "truncated", ["total"], cv, scoring))


def test_scorer_of_the_user_agrees_with_the_name(pair):
    named, own = (
        FisherSubspaceClassifierCV(n_components_grid=GRID, cv=3, scoring=scoring).fit(*pair)
        for scoring in ("accuracy", make_scorer(accuracy_score))
    )
    np.testing.assert_allclose(named.path_["mean_test_score"], own.path_["mean_test_score"])


def test_balance_reaches_the_threshold(pair):
    cv = StratifiedKFold(3)
    options = {"threshold": "balanced", "balance": 0.7}
    model = FisherSubspaceClassifierCV(n_components_grid=GRID, cv=cv, **options).fit(*pair)
    assert_path_is(model, searched(pair, GRID, "truncated", ["total"], cv, **options))


def test_sparse_path_is_the_dense_one(pair):
    X = np.where(np.abs(pair.X) < 0.7, 0.0, pair.X)
    model = FisherSubspaceClassifierCV(n_components_grid=GRID, cv=3, threshold="mahalanobis")
    sparse = model.fit(csr_array(X), pair.y).path_
    dense = model.fit(X, pair.y).path_
    np.testing.assert_allclose(sparse["mean_test_score"], dense["mean_test_score"], atol=1e-12)


@pytest.mark.parametrize(
    "cv", [StratifiedKFold(4), StratifiedShuffleSplit(3, random_state=0)], ids=["folds", "shuffles"]
)
def test_any_splitter_serves(pair, cv):
    model = FisherSubspaceClassifierCV(n_components_grid=GRID, cv=cv).fit(*pair)
    assert_path_is(model, searched(pair, GRID, "truncated", ["total"], cv))


def test_groups_reach_the_splitter(pair):
    groups = np.arange(60) % 4
    model = FisherSubspaceClassifierCV(cv=LeaveOneGroupOut()).fit(*pair, groups=groups)
    assert model.n_splits_ == 4


def test_table_becomes_a_data_frame(pair):
    model = FisherSubspaceClassifierCV(n_components_grid=GRID, cv=4).fit(*pair)
    frame = pd.DataFrame(model.path_)
    expected = {"scatter", "n_components", "mean_test_score", "std_test_score", "se_test_score"}
    assert set(frame.columns) == expected | {f"split{k}_test_score" for k in range(4)}
    assert len(frame) == len(GRID)


def test_standard_error_is_that_of_the_folds(pair):
    path = FisherSubspaceClassifierCV(n_components_grid=GRID, cv=4).fit(*pair).path_
    scores = np.array([path[f"split{k}_test_score"] for k in range(4)])
    np.testing.assert_allclose(
        path["se_test_score"], scores.std(axis=0, ddof=1) * np.sqrt(1 / 4 + 1 / 3)
    )


def test_weights_count_in_fitting_and_scoring(pair):
    X, y = pair
    repeats = 1 + np.arange(60) % 3
    folds = list(StratifiedKFold(3).split(X, y))
    place = np.repeat(np.arange(60), repeats)
    repeated_folds = [
        tuple(np.flatnonzero(np.isin(place, part)) for part in fold) for fold in folds
    ]
    weighted = FisherSubspaceClassifierCV(n_components_grid=GRID, cv=folds)
    weighted.fit(X, y, sample_weight=repeats)
    repeated = FisherSubspaceClassifierCV(n_components_grid=GRID, cv=repeated_folds)
    repeated.fit(X[place], y[place])
    np.testing.assert_allclose(
        weighted.path_["mean_test_score"], repeated.path_["mean_test_score"], atol=1e-12
    )


def test_class_missing_from_a_training_part_is_counted_as_wrong():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]])
    y = np.array([0, 0, 1, 1, 2])
    folds = [([0, 1, 2, 3], [4]), ([0, 2, 4], [1, 3])]
    model = FisherSubspaceClassifierCV(cv=folds).fit(X, y)
    assert model.path_["split0_test_score"].tolist() == [0.0]
    assert model.path_["split1_test_score"].tolist() == [1.0]


def test_training_part_of_one_class_predicts_that_class():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    folds = [([0, 1], [2, 3]), ([0, 1, 4, 5], [2, 3])]
    model = FisherSubspaceClassifierCV(cv=folds).fit(X, y)
    assert model.path_["split0_test_score"].tolist() == [0.5]


def test_folds_may_be_masks(pair):
    positions = list(StratifiedKFold(3).split(*pair))
    masks = [tuple(np.isin(np.arange(60), part) for part in fold) for fold in positions]
    by_mask, by_position = (
        FisherSubspaceClassifierCV(n_components_grid=GRID, cv=cv).fit(*pair).path_
        for cv in (masks, positions)
    )
    np.testing.assert_array_equal(by_mask["mean_test_score"], by_position["mean_test_score"])


def test_named_columns_are_remembered(pair):
    frame = pd.DataFrame(pair.X, columns=[f"gene{j}" for j in range(20)])
    model = FisherSubspaceClassifierCV(n_components_grid=GRID, scoring="neg_log_loss", cv=3)
    model.fit(frame, pair.y)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    np.testing.assert_array_equal(model.predict(frame), model.best_estimator_.predict(frame))


# ------------------------------------------------------------------ grid


def test_usual_grid_goes_from_one_component_to_all_there_are(pair):
    numbers = FisherSubspaceClassifierCV(cv=3).fit(*pair).path_["n_components"]
    assert numbers[0] == 1
    assert numbers[-1] == 20
    assert (np.diff(numbers) > 0).all()


def test_grid_may_be_a_number_of_values(pair):
    numbers = FisherSubspaceClassifierCV(n_components_grid=4, cv=3).fit(*pair).path_["n_components"]
    assert 2 <= len(numbers) <= 4


def test_order_and_repeats_of_the_grid_do_not_matter(pair):
    model = FisherSubspaceClassifierCV(n_components_grid=[5, 1, 5, 2], cv=3).fit(*pair)
    assert list(model.path_["n_components"]) == [1, 2, 5]


# ------------------------------------------------------------------ choice


def test_best_rule_takes_the_fewest_components_of_the_best_score(pair):
    model = FisherSubspaceClassifierCV(n_components_grid=GRID, cv=3).fit(*pair)
    scores = model.path_["mean_test_score"]
    assert model.n_components_ == GRID[np.argmax(scores >= scores.max() - 1e-12)]
    assert model.best_score_ == pytest.approx(scores.max())


def test_best_is_the_rule_as_fewer_components_make_no_sparser_model(pair):
    chosen = FisherSubspaceClassifierCV(n_components_grid=GRID, cv=3).fit(*pair)
    assert chosen.rule == "best"
    assert chosen.best_score_ == pytest.approx(chosen.path_["mean_test_score"].max())


def test_one_se_rule_takes_the_fewest_components_within_an_error_of_the_best(pair):
    model = FisherSubspaceClassifierCV(n_components_grid=GRID, cv=3, rule="one_se").fit(*pair)
    scores, best = model.path_["mean_test_score"], np.argmax(model.path_["mean_test_score"])
    bound = scores[best] - model.path_["std_test_score"][best] / np.sqrt(3)
    assert model.n_components_ == GRID[np.argmax(scores >= bound - 1e-12)]


@pytest.mark.parametrize("samples", ["pair", "several"])
def test_model_is_the_classifier_of_the_chosen_parameters(request, samples):
    X, y = request.getfixturevalue(samples)
    model = FisherSubspaceClassifierCV(scatter=("within", "total"), cv=3).fit(X, y)
    plain = FisherSubspaceClassifier(n_components=model.n_components_, scatter=model.scatter_)
    plain.fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-8)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), atol=1e-8)


def test_best_estimator_predicts_by_itself_and_goes_on_with_a_stream(pair):
    X, y = pair
    best = FisherSubspaceClassifierCV(cv=3).fit(X, y).best_estimator_
    assert isinstance(best, FisherSubspaceClassifier)
    before = best.class_count_.sum()
    assert best.partial_fit(X, y).class_count_.sum() == 2 * before


def test_chosen_scatter_is_one_of_those_tried(several):
    model = FisherSubspaceClassifierCV(scatter=("total", "within"), cv=3).fit(*several)
    best = np.argmax(model.path_["mean_test_score"])
    assert model.scatter_ in ("total", "within")
    assert model.best_score_ == pytest.approx(model.path_["mean_test_score"][best])


def test_number_of_jobs_does_not_matter(several):
    one, two = (
        FisherSubspaceClassifierCV(cv=3, n_jobs=n_jobs).fit(*several) for n_jobs in (None, 2)
    )
    np.testing.assert_array_equal(one.path_["mean_test_score"], two.path_["mean_test_score"])
    np.testing.assert_array_equal(
        one.decision_function(several.X), two.decision_function(several.X)
    )


def test_whole_choice_can_be_cross_validated(pair):
    scores = cross_val_score(FisherSubspaceClassifierCV(n_components_grid=GRID, cv=3), *pair, cv=3)
    assert len(scores) == 3


def test_fit_leaves_the_parameters_alone(pair):
    model = FisherSubspaceClassifierCV(n_components_grid=GRID, cv=3)
    before = model.get_params()
    assert model.fit(*pair).get_params() == before


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"whitening": "half"}, "whitening='half' must be one of"),
        ({"whitening": "full"}, "whitening='full' must be one of"),
        ({"scatter": "all"}, "scatter="),
        ({"scatter": ("total", "all")}, "scatter="),
        ({"scatter": ()}, "scatter="),
        ({"threshold": "middle"}, "threshold='middle' must be one of"),
        ({"rule": "worst"}, "rule='worst' must be one of"),
        ({"n_components_grid": []}, "n_components_grid="),
        ({"n_components_grid": 1}, "n_components_grid=1"),
        ({"n_components_grid": [0, 3]}, "0"),
        ({"n_components_grid": [1.5]}, "1.5"),
        ({"threshold": "balanced", "balance": 1.0}, "balance=1.0"),
        ({"priors": "even"}, "priors='even'"),
        ({"scoring": "beauty"}, "beauty"),
    ],
)
def test_error_names_the_parameter_and_its_value(pair, parameters, message):
    with pytest.raises((TypeError, ValueError), match=message):
        FisherSubspaceClassifierCV(**parameters).fit(*pair)


def test_unknown_metadata_is_refused_without_routing(pair):
    with pytest.raises(TypeError, match="colour"):
        FisherSubspaceClassifierCV().fit(*pair, colour="red")
