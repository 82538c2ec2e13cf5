"""Only ratios of sample weights count, and of whole numbers each is as good as so many copies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centroidal import (
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
    OnlineFisherSubspaceClassifier,
    RecursiveRidgeSelector,
    ReliefFSelector,
    SparseCenterClassifier,
    SparseCenterClassifierCV,
    WhitenedCenterClassifier,
    WhitenedCenterClassifierCV,
)
from tests.public_names import PUBLIC_ESTIMATORS

pytestmark = pytest.mark.once

RECIPES = {
    "l2": lambda: SparseCenterClassifier(3),
    "l2 within": lambda: SparseCenterClassifier(3, scale="within", priors="empirical"),
    "l2 mad": lambda: SparseCenterClassifier(3, scale="mad"),
    "l1": lambda: SparseCenterClassifier(3, metric="l1"),
    "mahalanobis": lambda: SparseCenterClassifier(3, metric="mahalanobis"),
    "mahalanobis, total": lambda: SparseCenterClassifier(
        3, metric="mahalanobis", covariance="total"
    ),
    "centers, chosen": lambda: SparseCenterClassifierCV(cv=3),
    "whitened": lambda: WhitenedCenterClassifier(3),
    "whitened, wide": WhitenedCenterClassifier,
    "whitened, ranked": lambda: WhitenedCenterClassifier(3, ranking=RecursiveRidgeSelector()),
    "whitened, total": lambda: WhitenedCenterClassifier(3, covariance="total"),
    "whitened, chosen": lambda: WhitenedCenterClassifierCV(cv=3),
    "disjoint": lambda: DisjointCentroidClassifier(random_state=0, n_init=3),
    "disjoint, each class": lambda: DisjointCentroidClassifier(
        disjoint=False, norm="euclidean", baseline_weight=1.1, random_state=0, n_init=3
    ),
    "disjoint, margin": lambda: DisjointCentroidClassifier("margin"),
    "disjoint, logistic": lambda: DisjointCentroidClassifier("margin", calibration="logistic"),
    "disjoint, chosen": lambda: DisjointCentroidClassifierCV("margin", cv=3),
    "fisher": FisherSubspaceClassifier,
    "fisher, full": lambda: FisherSubspaceClassifier("full", threshold="mahalanobis"),
    "fisher, variance": lambda: FisherSubspaceClassifier("variance", scatter="within"),
    "fisher, priors": lambda: FisherSubspaceClassifier(threshold="prior", priors="empirical"),
    "fisher, chosen": lambda: FisherSubspaceClassifierCV(cv=3),
    "fisher axes": FisherSubspace,
    "kernel": KernelFisherSubspaceClassifier,
    "kernel, full": lambda: KernelFisherSubspaceClassifier(whitening="full"),
    "online": OnlineFisherSubspaceClassifier,
    "online, window": lambda: OnlineFisherSubspaceClassifier(window=2),
    "costs": lambda: CostSensitiveClassifier(SparseCenterClassifier(2), class_weight={1: 3.0}),
    "pairs": lambda: DecisionDAGClassifier(FisherSubspaceClassifier()),
    "margin": lambda: MarginSelector(3),
    "recursive": lambda: RecursiveRidgeSelector(3),
    "relief": lambda: ReliefFSelector(3),
    "relief, squared": lambda: ReliefFSelector(3, variant="squared"),
    "l21": lambda: L21CentroidSelector(0.3),
    "l21, absolute": lambda: L21CentroidSelector(0.5, relative=False, targets="classes"),
    "encoder": LinearCentroidEncoder,
    "encoder, absolute": lambda: LinearCentroidEncoder(alpha=3.0, relative=False),
}
# StabilitySelector hands weights on, and the network is trained in steps that rounding changes;
# mixtures and conformal prediction, which counts samples, take none, nor do columns that are given.
ELSEWHERE = {
    *("StabilitySelector", "SparseCentroidEncoder", "MixtureFisherClassifier"),
    *("ConformalClassifier", "ColumnSelector"),
}
FACTORS = [1e-9, 1 / 97, 0.3, 2.0, 7.0, 1e12]

every_recipe = pytest.mark.parametrize("recipe", RECIPES)
laws = settings(deadline=None, max_examples=8, derandomize=True)


@st.composite
def weighted(draw):
    """Samples of two or three classes, with weights that are whole numbers or anything."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.sampled_from([(30, 8), (24, 50)]))
    y = np.arange(shape[0]) % draw(st.integers(2, 3))
    X = rng.normal(size=shape) + 0.7 * y[:, None] * (np.arange(shape[1]) < 4)
    kinds = [np.ones(shape[0]), rng.integers(1, 4, shape[0]), rng.uniform(0.1, 2.0, shape[0])]
    return X, y, kinds[draw(st.integers(0, 2))].astype(float), rng.normal(size=(60, shape[1]))


def outcome(model, new):
    """What a user sees: labels and features, or else coordinates to five digits."""
    found = {}
    if hasattr(model, "predict"):
        found["labels"] = model.predict(new)
    if hasattr(model, "support_"):
        found["support"] = model.support_
    if hasattr(model, "feature_ranking_"):
        found["ranking"] = model.feature_ranking_
    if not found:
        coordinates = model.transform(new)
        found["coordinates"] = np.round(coordinates / np.abs(coordinates).max(), 5)
    return found


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, wanted in expected.items():
        np.testing.assert_array_equal(found[name], wanted, err_msg=name)


def test_every_estimator_that_takes_weights_is_here():
    here = {type(make()).__name__ for make in RECIPES.values()}
    assert here | ELSEWHERE == set(PUBLIC_ESTIMATORS)


@every_recipe
@given(drawn=weighted(), factor=st.sampled_from(FACTORS))
@laws
def test_multiple_of_all_weights_changes_nothing(recipe, drawn, factor):
    X, y, weights, new = drawn
    expected = outcome(RECIPES[recipe]().fit(X, y, sample_weight=weights), new)
    found = outcome(RECIPES[recipe]().fit(X, y, sample_weight=factor * weights), new)
    assert_same(found, expected)


@every_recipe
@given(drawn=weighted())
@laws
def test_equal_weights_that_sum_to_one_are_as_good_as_none(recipe, drawn):
    X, y, _, new = drawn
    expected = outcome(RECIPES[recipe]().fit(X, y), new)
    found = RECIPES[recipe]().fit(X, y, sample_weight=np.full(len(y), 1.0 / len(y)))
    assert_same(outcome(found, new), expected)


@pytest.mark.parametrize("recipe", ["fisher", "fisher, priors", "online", "online, window"])
@given(drawn=weighted(), factor=st.sampled_from(FACTORS), size=st.sampled_from([1, 7, 15]))
@laws
def test_multiple_of_all_weights_changes_nothing_in_a_stream(recipe, drawn, factor, size):
    X, y, weights, new = drawn

    def streamed(weights):
        model = RECIPES[recipe]()
        for start in range(0, len(y), size):
            rows = slice(start, start + size)
            model.partial_fit(X[rows], y[rows], np.unique(y), sample_weight=weights[rows])
        return outcome(model, new)

    assert_same(streamed(factor * weights), streamed(weights))


@pytest.mark.parametrize("recipe", ["fisher", "fisher, priors"])
@given(drawn=weighted(), factor=st.sampled_from(FACTORS))
@laws
def test_multiple_of_all_weights_changes_nothing_in_blocks(recipe, drawn, factor):
    da = pytest.importorskip("dask.array")
    X, y, weights, new = drawn

    def blockwise(weights):
        parts = [da.from_array(each, chunks=(7, *each.shape[1:])) for each in (X, y, weights)]
        return outcome(RECIPES[recipe]().fit(*parts[:2], sample_weight=parts[2]), new)

    expected = outcome(RECIPES[recipe]().fit(X, y, sample_weight=weights), new)
    assert_same(blockwise(factor * weights), expected)
