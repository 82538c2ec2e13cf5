"""Models of parts, merged, are the model of all samples; what cannot be merged says why."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from centroidal import (
    DisjointCentroidClassifier,
    DisjointCentroidClassifierCV,
    FisherSubspaceClassifier,
    OnlineFisherSubspaceClassifier,
    SparseCenterClassifier,
    SparseCenterClassifierCV,
)
from centroidal.io.merging import class_counts, merge_models
from centroidal.persistence import load_model, save_model
from centroidal.statistics import ClassMoments, class_moments

laws = settings(
    deadline=None,
    max_examples=15,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
TREES = np.array(["ash", "elm", "oak", "yew"])
AB = ("a.skops", "b.skops")
RECIPES = {
    "l2": lambda: SparseCenterClassifier(3),
    "l2-std": lambda: SparseCenterClassifier(3, scale="std", priors="empirical"),
    "l2-within": lambda: SparseCenterClassifier(0.5, scale="within"),
    "disjoint": lambda: DisjointCentroidClassifier("margin", scale="within"),
    "disjoint-shared": lambda: DisjointCentroidClassifier(
        "margin", disjoint=False, baseline_weight=0.9, shared_features=2
    ),
    "fisher-full": lambda: FisherSubspaceClassifier("full", threshold="prior"),
    "fisher-within": lambda: FisherSubspaceClassifier(
        "variance", scatter="within", threshold="prior", priors="empirical"
    ),
    "fisher-uncut": lambda: FisherSubspaceClassifier(threshold="prior"),
}
every_recipe = pytest.mark.parametrize("recipe", list(RECIPES))


def samples(seed=0, n_samples=120, n_features=8, n_classes=3):
    """Draw a frame whose classes differ in means and spreads."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n_samples) % n_classes)
    spreads = rng.uniform(0.5, 2.0, size=(n_classes, n_features))
    X = 2.0 * rng.normal(size=(n_classes, n_features))[codes]
    X += spreads[codes] * rng.normal(size=X.shape)
    return pd.DataFrame(X, columns=[f"g{j}" for j in range(n_features)]), TREES[codes]


def halves(make, X, y, cut=50):
    """Models of the first rows and of the others."""
    return make().fit(X[:cut], y[:cut]), make().fit(X[cut:], y[cut:])


def sparse_pair(first=None, second=None, **data):
    """Two models of sparse centers with the options given."""
    X, y = samples(**data)
    return [
        SparseCenterClassifier(**({"n_features_to_select": 3} | (options or {}))).fit(X, y)
        for options in (first, second)
    ]


def assert_same_model(actual, expected, X):
    """Everything a user sees, to rounding."""
    assert type(actual) is type(expected)
    np.testing.assert_array_equal(actual.classes_, expected.classes_)
    assert actual.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    for name in ("support_", "groups_", "n_features_to_select_", "n_components_"):
        if hasattr(expected, name):
            np.testing.assert_array_equal(getattr(actual, name), getattr(expected, name))
    for name in ("centers_", "feature_gains_", "feature_scale_", "spread_", "class_prior_"):
        if hasattr(expected, name):
            found, wanted = getattr(actual, name), getattr(expected, name)
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)
    scores, wanted = actual.decision_function(X), expected.decision_function(X)
    np.testing.assert_allclose(scores, wanted, rtol=1e-10, atol=1e-10 * np.abs(wanted).max())


def refusal(models, **options):
    """The message with which models are refused."""
    with pytest.raises(ValueError, match=".") as caught:
        merge_models(models, **options)
    return str(caught.value)


# ------------------------------------------------------------------ laws


@st.composite
def sites(draw):
    """Rows of two to four sites, each with two classes or more and an order of features."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X, y = samples(rng.integers(2**32), n_samples=160, n_classes=draw(st.integers(2, 4)))
    classes = np.unique(y)
    n_sites = draw(st.integers(2, 4))
    of_site = rng.integers(n_sites, size=len(y))
    parts = []
    for site in range(n_sites):
        lacked = rng.choice(classes, size=rng.integers(0, classes.size - 1), replace=False)
        parts.append(np.flatnonzero((of_site == site) & ~np.isin(y, lacked)))
    orders = [X.columns, *(rng.permutation(X.columns) for _ in parts[1:])]
    return X, y, parts, orders


@every_recipe
@given(drawn=sites())
@laws
def test_merged_parts_are_the_model_of_all_samples(recipe, drawn):
    X, y, parts, orders = drawn
    models = [
        RECIPES[recipe]().fit(X.iloc[rows][order], y[rows])
        for rows, order in zip(parts, orders, strict=True)
    ]
    rows = np.concatenate(parts)
    expected = RECIPES[recipe]().fit(X.iloc[rows], y[rows])
    assert_same_model(merge_models(models), expected, X)


@every_recipe
def test_order_of_the_models_does_not_matter(recipe):
    X, y = samples()
    parts = (slice(0, 30), slice(30, 70), slice(70, 120))
    models = [RECIPES[recipe]().fit(X[rows], y[rows]) for rows in parts]
    expected = merge_models(models)
    for order in permutations(models):
        assert_same_model(merge_models(order), expected, X)
    assert_same_model(merge_models([merge_models(models[:2]), models[2]]), expected, X)


@every_recipe
def test_merging_again_gives_the_same_to_the_bit(recipe, tmp_path):
    X, y = samples()
    models = halves(RECIPES[recipe], X, y)
    for name in ("one", "two"):
        save_model(merge_models(models), tmp_path / f"{name}.skops")
    assert (tmp_path / "one.skops").read_bytes() == (tmp_path / "two.skops").read_bytes()
    for name, model in zip(AB, models, strict=True):
        save_model(model, tmp_path / name)
    merged = merge_models([load_model(tmp_path / name) for name in AB])
    np.testing.assert_array_equal(
        merged.decision_function(X), load_model(tmp_path / "one.skops").decision_function(X)
    )


@every_recipe
def test_the_models_stay_as_they_were(recipe):
    X, y = samples()
    models = halves(RECIPES[recipe], X, y)
    moved = RECIPES[recipe]().fit(X[X.columns[::-1]][50:], y[50:])
    before = [model.decision_function(X) for model in models]
    merge_models([*models, moved])
    for model, scores in zip(models, before, strict=True):
        np.testing.assert_array_equal(model.decision_function(X), scores)
    assert moved.feature_names_in_.tolist() == X.columns[::-1].tolist()


def test_merged_model_goes_on_with_further_samples():
    X, y = samples()
    models = [
        SparseCenterClassifier(3).fit(X[rows], y[rows]) for rows in (slice(40), slice(40, 80))
    ]
    model = merge_models(models).partial_fit(X[80:], y[80:])
    assert_same_model(model, SparseCenterClassifier(3).fit(X, y), X)


@pytest.mark.parametrize("scatter", ["total", "within"])
def test_columns_of_a_summary_are_those_of_the_data(scatter):
    X, y = samples()
    order = np.random.default_rng(1).permutation(8)
    codes = np.searchsorted(TREES, y).astype(np.int32)
    moments = class_moments(X.to_numpy(), codes, 3)
    moved = moments.columns(order)
    assert moved.means.flags.c_contiguous
    expected = class_moments(np.ascontiguousarray(X.to_numpy()[:, order]), codes, 3)
    for name in ClassMoments.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(moved, name), getattr(expected, name))
    model = FisherSubspaceClassifier("full", scatter=scatter).fit(X, y)
    subspace = model._solution.subspace
    again = subspace.columns(order).columns(np.argsort(order))
    np.testing.assert_array_equal(again.means, subspace.means)
    np.testing.assert_array_equal(again.spectrum.vectors, subspace.spectrum.vectors)
    assert again.scatter == scatter


# ------------------------------------------------------------------ how exact


def test_truncated_subspace_says_how_much_was_cut_off():
    X, y = samples(n_features=20)
    models = halves(lambda: FisherSubspaceClassifier(n_components=3, threshold="prior"), X, y)
    model, remarks = merge_models(models, return_remarks=True)
    found = model._solution.subspace.spectrum
    share = 1 - found.values.sum() / found.trace
    assert 0.01 < share < 0.5
    assert len(remarks) == 1
    assert f"hold {100 * share:.1f} % of the scatter" in remarks[0]
    expected = FisherSubspaceClassifier(n_components=3, threshold="prior").fit(X, y)
    assert (model.predict(X) == expected.predict(X)).mean() > 0.9


def test_threshold_of_two_classes_is_said_to_be_a_mean():
    X, y = samples(n_classes=2)
    models = halves(lambda: FisherSubspaceClassifier("full"), X, y)
    model, remarks = merge_models(models, return_remarks=True)
    assert len(remarks) == 1
    assert "threshold='inclusive'" in remarks[0]
    moved = models[1].__class__("full").fit(X[X.columns[::-1]][50:], y[50:])
    assert merge_models([models[0], moved]).threshold_ == pytest.approx(model.threshold_, rel=1e-8)


def test_probabilities_of_disjoint_centroids_are_remarked_on():
    models = halves(RECIPES["disjoint"], *samples())
    assert "class moments" in merge_models(models, return_remarks=True)[1][0]


@pytest.mark.parametrize("recipe", ["l2", "l2-std", "fisher-full", "fisher-uncut"])
def test_exact_merging_has_no_remarks(recipe):
    assert merge_models(halves(RECIPES[recipe], *samples()), return_remarks=True)[1] == ()


# ------------------------------------------------------------------ numbers of features


def test_different_numbers_of_features_need_a_choice():
    X, y = samples()
    first = SparseCenterClassifier(3).fit(X[:50], y[:50])
    second = SparseCenterClassifier(5).fit(X[50:], y[50:])
    text = refusal([first, second], names=AB)
    assert "b.skops: n_features_to_select=5, a.skops: n_features_to_select=3" in text
    assert "n_features_to_select=... (-k)" in text
    merged = merge_models([first, second], n_features_to_select=4)
    assert merged.n_features_to_select == 4
    assert_same_model(merged, SparseCenterClassifier(4).fit(X, y), X)


def test_the_same_number_may_be_said_in_different_ways():
    X, y = samples()
    models = [SparseCenterClassifier(k).fit(X, y) for k in (4, 0.5)]
    assert merge_models(models).n_features_to_select_ == 4
    models = [SparseCenterClassifier(k).fit(X, y) for k in (None, 8)]
    assert merge_models(models).n_features_to_select_ == 8


@pytest.mark.parametrize(
    ("n_features", "error", "words"),
    [
        (9, ValueError, "n_features_to_select=9 .* between 1 and 8"),
        (0, ValueError, "n_features_to_select=0 must be at least 1"),
        (2.5, TypeError, "n_features_to_select=2.5 must be an int"),
        (True, TypeError, "n_features_to_select=True must be an int"),
    ],
)
def test_wrong_number_of_features_is_named(n_features, error, words):
    with pytest.raises(error, match=words):
        merge_models(sparse_pair(), n_features_to_select=n_features)


@pytest.mark.parametrize("recipe", ["disjoint", "fisher-full"])
def test_number_of_features_is_for_sparse_centers(recipe):
    text = refusal(halves(RECIPES[recipe], *samples()), n_features_to_select=2)
    assert "n_features_to_select=2 (-k) must be left out" in text


def test_cross_validated_models_are_merged_as_what_they_chose():
    X, y = samples()
    grid = [2, 5]
    first = SparseCenterClassifierCV(scale="std", n_features_grid=[2], cv=3).fit(X[:50], y[:50])
    second = SparseCenterClassifierCV(scale="std", n_features_grid=grid).fit(X[50:], y[50:])
    third = SparseCenterClassifier(2, scale="std").fit(X[:10], y[:10])
    model, remarks = merge_models(
        [first, second, third], n_features_to_select=2, names=(*AB, "c"), return_remarks=True
    )
    everything = np.r_[0:120, 0:10]
    expected = SparseCenterClassifier(2, scale="std").fit(X.iloc[everything], y[everything])
    assert_same_model(model, expected, X)
    assert [remark.split()[0] for remark in remarks] == [*AB]
    assert all("best_estimator_" in remark for remark in remarks)


# ------------------------------------------------------------------ parameters


def test_all_differing_parameters_are_listed_with_both_values():
    models = sparse_pair({"scale": "std"}, {"scale": "within", "priors": "empirical"})
    third = sparse_pair({"scale": None})[0]
    assert refusal([*models, third], names=("a", "b", "c")).split("\n") == [
        "The models have different parameters:",
        "  b: priors='empirical', a: priors='uniform'",
        "  b: scale='within', a: scale='std'",
        "  c: scale=None, a: scale='std'",
    ]


def test_parameters_that_cannot_matter_may_differ():
    X, y = samples()
    merge_models([SparseCenterClassifier(3, n_jobs=n).fit(X, y) for n in (1, 2)])
    others = ({}, {"n_jobs": 2, "n_init": 5, "random_state": 1, "center": True})
    merge_models([DisjointCentroidClassifier("margin", **each).fit(X, y) for each in others])


def test_one_component_is_not_all_of_the_variance():
    X, y = samples()
    models = [FisherSubspaceClassifier(n_components=n).fit(X, y) for n in (1, 1.0)]
    assert "n_components=1.0, model 1: n_components=1" in refusal(models)


def test_a_weight_of_one_is_one():
    X, y = samples()
    weights = (1, np.float64(1.0))
    models = [DisjointCentroidClassifier("margin", baseline_weight=w).fit(X, y) for w in weights]
    merge_models(models)


def test_priors_by_class_need_the_same_classes():
    X, y = samples()
    given = [0.5, 0.3, 0.2]
    models = [SparseCenterClassifier(3, priors=each).fit(X, y) for each in (given, np.array(given))]
    np.testing.assert_allclose(merge_models(models).class_prior_, given)
    is_less = y != "oak"
    models[1] = SparseCenterClassifier(3, priors=[0.5, 0.5]).fit(X[is_less], y[is_less])
    assert "priors=[0.5, 0.5]" in refusal(models)
    upper = y != "ash"
    models[0] = SparseCenterClassifier(3, priors=[0.5, 0.5]).fit(X[upper], y[upper])
    assert "lacks 'ash'" in refusal(models)


def test_shared_features_follow_their_names():
    X, y = samples()
    turned = X[X.columns[::-1]]

    def fit(X, y, shared):
        return DisjointCentroidClassifier("margin", shared_features=shared).fit(X, y)

    first, second = fit(X[:50], y[:50], [0, 2]), fit(turned[50:], y[50:], [5, 7])
    assert_same_model(merge_models([first, second]), fit(X, y, [0, 2]), X)
    mask = np.isin(np.arange(8), [5, 7])
    merge_models([first, fit(turned[50:], y[50:], mask)])
    text = refusal([first, fit(turned[50:], y[50:], [0, 2])], names=AB)
    assert "b.skops: shared_features=[5, 7], a.skops: shared_features=[0, 2]" in text


# ------------------------------------------------------------------ what cannot be merged


def test_models_of_different_classes_are_refused():
    X, y = samples()
    models = [SparseCenterClassifier(3).fit(X, y), FisherSubspaceClassifier().fit(X, y)]
    text = refusal(models, names=AB)
    assert "different classes" in text
    assert "a.skops: SparseCenterClassifier" in text
    assert "b.skops: FisherSubspaceClassifier" in text


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SparseCenterClassifier(metric="l1"), "metric='l1', scale=None; only metric='l2'"),
        (SparseCenterClassifier(scale="mad"), "metric='l2', scale='mad'; only"),
        (SparseCenterClassifier(metric="mahalanobis"), "metric='mahalanobis'"),
        (SparseCenterClassifierCV(metric="l1", cv=2), "metric='l1', scale=None; only metric='l2'"),
        (
            DisjointCentroidClassifier(n_init=2, random_state=0),
            "assignment='alternating', calibration=None; only assignment='margin'",
        ),
        (
            DisjointCentroidClassifier("margin", calibration="logistic"),
            "assignment='margin', calibration='logistic'; only",
        ),
        (DisjointCentroidClassifierCV("margin", cv=2), "a DisjointCentroidClassifierCV; only"),
        (OnlineFisherSubspaceClassifier(3), "a OnlineFisherSubspaceClassifier; only"),
        (LogisticRegression(max_iter=1000), "a LogisticRegression; only these merge: Sparse"),
        (
            make_pipeline(SimpleImputer(), StandardScaler(), SparseCenterClassifier(3)),
            "a pipeline (SimpleImputer, StandardScaler before the classifier). What its steps "
            "learned, such as medians",
        ),
    ],
    ids=["l1", "mad", "mahalanobis", "l1-cv", "alternating", "logistic", "disjoint-cv", "online",
         "sklearn", "pipeline"],
)  # fmt: skip
def test_what_does_not_merge_says_why(model, words):
    X, y = samples()
    text = refusal([SparseCenterClassifier(3).fit(X, y), model.fit(X, y)], names=AB)
    assert f"b.skops: {words}" in text
    assert "a.skops" not in text


@pytest.mark.parametrize("model", [SparseCenterClassifier(3), SparseCenterClassifierCV()])
def test_models_that_are_not_fitted_are_named(model):
    fitted = sparse_pair()[0]
    assert refusal([fitted, model], names=AB) == "b.skops is not fitted."


def test_at_least_two_models_are_needed():
    assert "models holds 1; at least 2" in refusal(sparse_pair()[:1])
    assert "models holds 0" in refusal([])
    assert "names holds 1" in refusal(sparse_pair(), names=["a"])


# ------------------------------------------------------------------ features


def test_order_of_the_first_is_kept_and_remarked_on():
    X, y = samples()
    turned = X[X.columns[::-1]]
    models = [SparseCenterClassifier(3).fit(turned, y), SparseCenterClassifier(3).fit(X, y)]
    model, remarks = merge_models(models, names=AB, return_remarks=True)
    assert model.feature_names_in_.tolist() == turned.columns.tolist()
    assert remarks == ("b.skops has the features in another order; that of a.skops is kept.",)


def test_features_that_are_lacking_are_listed():
    X, y = samples(n_features=14)
    first = SparseCenterClassifier(2).fit(X[X.columns[:13]], y)
    second = SparseCenterClassifier(2).fit(X[X.columns[[0, 13]]], y)
    text = refusal([first, second], names=AB)
    ten = ", ".join(f"'g{j}'" for j in range(1, 11))
    assert f"b.skops lacks 12 features of a.skops: {ten}, ... (12)." in text
    assert "a.skops lacks 1 feature of b.skops: 'g13'." in text


def test_models_without_names_need_the_same_number_of_features():
    X, y = samples()
    first, second = (SparseCenterClassifier(3).fit(X.to_numpy(), y) for _ in range(2))
    _, remarks = merge_models([first, second], return_remarks=True)
    assert remarks == (
        "The models know no names of features; the columns are taken in their order.",
    )
    fewer = SparseCenterClassifier(3).fit(X.to_numpy()[:, :7], y)
    assert "b.skops was fitted to 7 features, a.skops to 8" in refusal([first, fewer], names=AB)


def test_names_on_one_side_only_are_refused():
    X, y = samples()
    models = [SparseCenterClassifier(3).fit(each, y) for each in (X, X.to_numpy(), X)]
    text = refusal(models, names=(*AB, "c.skops"))
    assert "names in a.skops, c.skops and none in b.skops" in text


def test_a_name_that_stands_for_two_features_is_refused():
    X, y = samples(n_features=3)
    models = [SparseCenterClassifier(2).fit(X, y) for _ in range(2)]
    for model, names in zip(models, ("abb", "aab"), strict=True):
        model.feature_names_in_ = np.array([*names], dtype=object)
    assert "model 1 has several features named 'b'" in refusal(models)
    assert merge_models(models[:1] * 2).feature_names_in_.tolist() == ["a", "b", "b"]


# ------------------------------------------------------------------ classes


def test_classes_are_the_union_and_lacking_ones_are_remarked_on():
    X, y = samples()
    parts = y != "oak", y != "ash"
    models = [SparseCenterClassifier(3).fit(X[rows], y[rows]) for rows in parts]
    model, remarks = merge_models(models, names=AB, return_remarks=True)
    assert model.classes_.tolist() == ["ash", "elm", "oak"]
    assert class_counts(model) == {"ash": 40, "elm": 80, "oak": 40}
    assert remarks == (
        "a.skops lacks 1 class of the others: 'oak'.",
        "b.skops lacks 1 class of the others: 'ash'.",
    )


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (["1", "2"], [1, 2], ("are text ('1', '2')", "are numbers")),
        (np.array(["1", "2"], dtype=object), [1, 2], ("are text", "are numbers")),
        ([False, True], [0, 1], ("are true or false", "are numbers")),
    ],
    ids=["text", "object", "bool"],
)
def test_labels_of_different_types_are_refused(first, second, words):
    X, y = samples(n_classes=2)
    codes = np.searchsorted(TREES, y)
    models = [SparseCenterClassifier(3).fit(X, np.array(each)[codes]) for each in (first, second)]
    text = refusal(models, names=AB)
    assert [word for word in words if word not in text] == []


def test_whole_numbers_and_fractions_are_labels_of_one_type():
    X, y = samples(n_classes=2)
    codes = np.searchsorted(TREES, y)
    models = [SparseCenterClassifier(3).fit(X, codes.astype(kind)) for kind in (np.int32, float)]
    assert merge_models(models).classes_.tolist() == [0, 1]


def test_texts_of_different_lengths_and_kinds_are_matched():
    X, y = samples(n_classes=2)
    labels = np.array(["ash", "longer"])[np.searchsorted(TREES, y)]
    models = [SparseCenterClassifier(3).fit(X, each) for each in (y, labels.astype(object))]
    assert class_counts(merge_models(models)) == {"ash": 120, "elm": 60, "longer": 60}


@pytest.mark.parametrize("recipe", ["l2", "disjoint", "fisher-full"])
def test_weights_are_counted_as_they_are(recipe):
    X, y = samples(n_classes=2)
    weights = np.where(y == "ash", 0.75, 1.0)[:50]
    model = RECIPES[recipe]().fit(X[:50], y[:50], sample_weight=weights)
    counts = class_counts(model)
    n_ash = np.count_nonzero(y[:50] == "ash")
    assert counts == {"ash": pytest.approx(0.75 * n_ash), "elm": 50 - n_ash}
    assert isinstance(counts["elm"], int)


@pytest.mark.parametrize("recipe", ["l2", "disjoint", "fisher-full", "fisher-uncut"])
@pytest.mark.parametrize("count", [-5.0, np.nan])
def test_counts_that_no_samples_have_are_refused(recipe, count):
    models = halves(RECIPES[recipe], *samples())
    solution = models[1]._solution
    summary = solution.subspace if hasattr(solution, "subspace") else solution.moments
    summary.counts[0] = count
    with pytest.raises(ValueError, match=r"^model 2 is damaged: .*counts"):
        merge_models(models)


# ------------------------------------------------------------------ features that not all have


def test_features_that_not_all_have_are_left_out_if_asked_for(rng):
    X, y = rng.normal(size=(60, 6)), np.arange(60) % 3
    X[:, 1] += y
    frame = pd.DataFrame(X).add_prefix("g")
    one = SparseCenterClassifier(2, scale="within").fit(frame.iloc[:30, :5], y[:30])
    other = SparseCenterClassifier(2, scale="within").fit(frame.iloc[30:, :0:-1], y[30:])
    merged, remarks = merge_models(
        [one, other], features="intersection", names="ab", return_remarks=True
    )
    expected = SparseCenterClassifier(2, scale="within").fit(frame.iloc[:, 1:5], y)
    assert merged.feature_names_in_.tolist() == ["g1", "g2", "g3", "g4"]
    np.testing.assert_allclose(merged.centers_, expected.centers_, atol=1e-10)
    assert remarks[0] == "2 features that not all have are left out: 'g0', 'g5'."
    assert one.n_features_in_ == 5


def test_models_without_a_common_feature_are_refused(rng):
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 2
    one, other = (
        SparseCenterClassifier(1).fit(pd.DataFrame(X).add_prefix(name), y) for name in "ab"
    )
    with pytest.raises(ValueError, match="no feature in common"):
        merge_models([one, other], features="intersection")


def test_only_moments_of_features_can_do_without_some(rng):
    X, y = pd.DataFrame(rng.normal(size=(30, 4))).add_prefix("g"), np.arange(30) % 2
    models = [FisherSubspaceClassifier().fit(X.iloc[:, start:], y) for start in (0, 1)]
    with pytest.raises(ValueError, match="model 1 is a FisherSubspaceClassifier"):
        merge_models(models, features="intersection")


def test_features_are_the_same_or_an_intersection():
    with pytest.raises(ValueError, match="features='all' must be one of 'same', 'intersection'"):
        merge_models([], features="all")
