"""The contract of every estimator: scikit-learn's checks, and ours."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from centroidal import (
    ColumnSelector,
    ConformalClassifier,
    CostSensitiveClassifier,
    DecisionDAGClassifier,
    DisjointCentroidClassifier,
    DisjointCentroidClassifierCV,
    FisherSubspace,
    FisherSubspaceClassifier,
    FisherSubspaceClassifierCV,
    KernelFisherSubspaceClassifier,
    L21CentroidSelector,
    LinearCentroidEncoder,
    MarginSelector,
    MixtureFisherClassifier,
    OnlineFisherSubspaceClassifier,
    RecursiveRidgeSelector,
    ReliefFSelector,
    SparseCenterClassifier,
    SparseCenterClassifierCV,
    SparseCentroidEncoder,
    StabilitySelector,
    WhitenedCenterClassifier,
    WhitenedCenterClassifierCV,
)
from centroidal.model_selection import RandomFeaturesClassifier, RankedFeaturesClassifierCV
from centroidal.model_selection.linear_svm import ProbabilityLinearSVC
from tests.public_names import PUBLIC_ESTIMATORS

# All features are kept where the number is given: scikit-learn's checks expect every feature of
# new samples to be looked at, which a classifier on few features does not do.
ESTIMATORS = [
    SparseCenterClassifier(),
    SparseCenterClassifier(metric="l1"),
    SparseCenterClassifier(metric="mahalanobis"),
    SparseCenterClassifier(metric="mahalanobis", covariance="total"),
    SparseCenterClassifier(scale="within", priors="empirical", n_jobs=2),
    SparseCenterClassifier(metric="l1", scale="mad"),
    SparseCenterClassifierCV(),
    SparseCenterClassifierCV(metric="l1", scale="std", rule="best"),
    SparseCenterClassifierCV(metric="mahalanobis", scoring="balanced_accuracy"),
    WhitenedCenterClassifier(),
    WhitenedCenterClassifier(ranking=RecursiveRidgeSelector(), shrinkage=0.2, priors="empirical"),
    WhitenedCenterClassifier(1.0, covariance="total"),
    WhitenedCenterClassifierCV(),
    WhitenedCenterClassifierCV(n_features_grid=[1.0], shrinkage="analytic", rule="best", n_jobs=2),
    FisherSubspaceClassifier(),
    FisherSubspaceClassifier("full", threshold="balanced"),
    FisherSubspaceClassifier("variance", scatter="within", threshold="mahalanobis"),
    FisherSubspaceClassifier(n_components=2, threshold="prior", priors="empirical"),
    FisherSubspaceClassifierCV(),
    FisherSubspaceClassifierCV(
        whitening="variance", scatter=("total", "within"), scoring="accuracy", rule="best"
    ),
    KernelFisherSubspaceClassifier(),
    KernelFisherSubspaceClassifier("poly", whitening="variance", threshold="mahalanobis"),
    KernelFisherSubspaceClassifier("linear", whitening="full", threshold="prior"),
    MixtureFisherClassifier(random_state=0),
    MixtureFisherClassifier(
        "variance",
        threshold="inclusive",
        refine="em",
        merge_rule="chi2",
        recluster=True,
        random_state=0,
    ),
    OnlineFisherSubspaceClassifier(),
    OnlineFisherSubspaceClassifier(n_components=2, window=2, priors="empirical"),
    OnlineFisherSubspaceClassifier(n_components=2, window=50, window_unit="samples"),
    DisjointCentroidClassifier(random_state=0),
    DisjointCentroidClassifier(
        baseline_weight=0.9, center=True, scale="std", random_state=0, n_jobs=2
    ),
    DisjointCentroidClassifier("margin"),
    DisjointCentroidClassifier("margin", disjoint=False, scale="within", calibration="logistic"),
    DisjointCentroidClassifier(disjoint=False, norm="euclidean", n_init=10, random_state=0),
    DisjointCentroidClassifierCV(n_init=20, random_state=0),
    DisjointCentroidClassifierCV("margin", disjoint=False, rule="best"),
    ConformalClassifier(SparseCenterClassifier()),
    CostSensitiveClassifier(SparseCenterClassifier()),
    ProbabilityLinearSVC(tol=1e-10, max_iter=10_000, random_state=0),
    RandomFeaturesClassifier(random_state=0),
    RandomFeaturesClassifier(
        SparseCenterClassifier(), estimator=SparseCenterClassifier(), random_state=0
    ),
    RankedFeaturesClassifierCV(ReliefFSelector()),
    RankedFeaturesClassifierCV(
        MarginSelector(),
        SparseCenterClassifier(),
        n_features_grid=[1.0],
        rule="best",
        n_jobs=2,
    ),
]
WITHOUT_PROBABILITIES = [
    DecisionDAGClassifier(FisherSubspaceClassifier()),
    DecisionDAGClassifier(KernelFisherSubspaceClassifier()),
]
TRANSFORMERS = [
    ColumnSelector(),
    ColumnSelector([0]),
    FisherSubspace(),
    FisherSubspace(3, whitening="variance", scatter="within"),
    L21CentroidSelector(),
    L21CentroidSelector(0.5, targets="classes", solver="irls", scale=None),
    LinearCentroidEncoder(),
    LinearCentroidEncoder(2, alpha=0.3, training="alternating", scale=None),
    MarginSelector(),
    MarginSelector(1, n_jobs=2),
    RecursiveRidgeSelector(),
    RecursiveRidgeSelector(2, alpha=0.5, n_jobs=2),
    ReliefFSelector(),
    ReliefFSelector(2, variant="squared", n_jobs=2),
    StabilitySelector(SparseCenterClassifier(), n_resamples=4, random_state=0),
    StabilitySelector(
        ReliefFSelector(1),
        n_resamples=3,
        sample_fraction=0.7,
        n_features_to_select=1.0,
        complementary_pairs=False,
        random_state=0,
    ),
]
ENCODERS = [
    SparseCentroidEncoder(max_epochs=20),
    SparseCentroidEncoder(
        2, training="alternating", prefilter=ReliefFSelector(1000), max_epochs=20
    ),
]
EVERYTHING = ESTIMATORS + WITHOUT_PROBABILITIES + TRANSFORMERS + ENCODERS
FIRST_OF_EACH = {type(each): each for each in reversed(EVERYTHING)}


def one_of_each(estimators):
    """The first setting of each class; other settings have laws of their own."""
    return list({type(each): each for each in reversed(estimators)}.values())[::-1]


# Some versions of the checks fit classes smaller than the 5 folds, of which scikit-learn warns.
@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
# Some fit more classes than features, of which disjoint groups warn.
@pytest.mark.filterwarnings("ignore:n_features=. are too few:UserWarning")
@parametrize_with_checks(one_of_each(ESTIMATORS + WITHOUT_PROBABILITIES + TRANSFORMERS))
def test_estimator_passes_every_check_of_scikit_learn(estimator, check):
    check(estimator)  # raises if the estimator breaks the convention


@parametrize_with_checks(one_of_each(ENCODERS))
def test_encoder_passes_every_check_of_scikit_learn(estimator, check):
    pytest.importorskip("torch", reason="encoders need PyTorch")
    check(estimator)  # raises if the estimator breaks the convention


def test_every_public_estimator_is_in_the_list():
    listed = {type(estimator).__name__ for estimator in EVERYTHING}
    others = {"ProbabilityLinearSVC", "RandomFeaturesClassifier", "RankedFeaturesClassifierCV"}
    assert listed == set(PUBLIC_ESTIMATORS) | others


@pytest.fixture
def ties():
    """Small integers, so that many samples are exactly half-way between centers."""
    rng = np.random.default_rng(0)
    return rng.integers(0, 3, (60, 8)).astype(float), rng.integers(0, 3, 60)


@pytest.mark.parametrize("estimator", ESTIMATORS + WITHOUT_PROBABILITIES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_predict_is_the_argmax_of_scores_and_probabilities(estimator, n_classes, ties):
    X, y = ties
    X, y = X[y < n_classes], y[y < n_classes]
    model = clone(estimator).fit(X, y)
    scores = model.decision_function(X)
    best = (scores > 0).astype(int) if n_classes == 2 else scores.argmax(axis=1)
    np.testing.assert_array_equal(model.predict(X), model.classes_[best])
    if estimator not in WITHOUT_PROBABILITIES:
        probable = model.predict_proba(X).argmax(axis=1)
        np.testing.assert_array_equal(model.predict(X), model.classes_[probable])


@pytest.mark.parametrize("estimator", ESTIMATORS + WITHOUT_PROBABILITIES, ids=str)
def test_fit_leaves_the_parameters_alone(estimator, ties):
    model = clone(estimator)
    before = model.get_params()
    assert model.fit(*ties).get_params() == before


@pytest.mark.parametrize("estimator", FIRST_OF_EACH.values(), ids=lambda e: type(e).__name__)
def test_fitted_estimator_is_told_above_its_diagram_in_notebooks(estimator, ties):
    model, told = clone(estimator), "<div><p><strong>"
    assert model._repr_html_().startswith("<style>")
    shown = model.fit(*ties)._repr_html_()
    inside = getattr(model, "estimator_", None) if hasattr(model, "costs_") else model
    assert shown.startswith(f"{told}{type(inside).__name__}: ")
    assert " of 8 features" in shown
    assert shown.count("<polyline") == hasattr(model, "path_")
    assert "<style>" in shown
    with sklearn.config_context(display="text"):
        assert list(model._repr_mimebundle_()) == ["text/plain"]


@pytest.mark.parametrize("estimator", ESTIMATORS + WITHOUT_PROBABILITIES, ids=str)
def test_clones_and_pickles_predict_the_same(estimator, ties):
    X, y = ties
    model = clone(estimator).fit(X, y)
    expected = model.decision_function(X)
    np.testing.assert_array_equal(clone(model).fit(X, y).decision_function(X), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), expected)


@pytest.mark.parametrize(
    "estimator", [each for each in ESTIMATORS if "n_jobs" in each.get_params()], ids=str
)
def test_threads_do_not_change_a_bit(estimator, ties):
    X, y = ties
    one, three = (clone(estimator).set_params(n_jobs=n).fit(X, y) for n in (1, 3))
    np.testing.assert_array_equal(one.decision_function(X), three.decision_function(X))


@pytest.mark.parametrize(
    "estimator",
    [
        each
        for each in one_of_each(ESTIMATORS + WITHOUT_PROBABILITIES + TRANSFORMERS)
        if "n_jobs" in each.get_params()
    ],
    ids=str,
)
def test_what_is_no_number_of_jobs_is_refused_by_name(estimator, ties):
    for n_jobs in (float("nan"), 0, True, 2.0, "2"):
        model = clone(estimator).set_params(n_jobs=n_jobs)
        with pytest.raises((TypeError, ValueError), match=f"n_jobs={n_jobs!r} must"):
            model.fit(*ties)


def test_predict_refuses_what_is_no_number_of_jobs(ties):
    X, y = ties
    model = SparseCenterClassifier().fit(X, y).set_params(n_jobs=float("nan"))
    with pytest.raises(TypeError, match="n_jobs=nan must be an int or None"):
        model.predict(np.tile(X, (2000, 1)))
