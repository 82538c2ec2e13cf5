"""Sites that keep their samples: the answer of pooled ones, from moments and counts alone."""

import re
from copy import copy, deepcopy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from centroidal.io import merge_models
from centroidal.model_selection import SiteCounts, SiteSummary, select_federated
from centroidal.streaming import batches

from ..l2 import select_features

CV, SEED, N_FEATURES = 3, 4, 30
NAMES = np.array([f"g{j}" for j in range(N_FEATURES)])
CLASSES = {"north": ["a", "b"], "south": ["a", "b", "c"], "west": ["c", "b"]}


def make_site(name, n_of_each=26):
    """Samples of the classes of a site, of which some features tell them apart, with groups."""
    seed = sorted(CLASSES).index(name)
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(len(CLASSES[name])), n_of_each))
    y = np.array(CLASSES[name])[codes]
    X = rng.normal(size=(y.size, N_FEATURES))
    for column, label in enumerate("abc"):
        X[:, column] += 1.1 * (y == label)
        X[:, column + 3] += 0.7 * (y == label)
    X += 0.2 * seed
    return X, y, np.arange(y.size) // 2


def order_of(name):
    """In which order a site has the features."""
    return np.random.default_rng(sorted(CLASSES).index(name)).permutation(N_FEATURES)


SITES = {name: make_site(name) for name in CLASSES}


def summarise(name, groups=None, is_sparse=False, **options):
    """The summary of a site, whose features are in an order of its own."""
    X, y, _ = SITES[name]
    frame = pd.DataFrame(X[:, order_of(name)], columns=NAMES[order_of(name)])
    if is_sparse:
        options["feature_names"], frame = frame.columns, sparse.csr_array(frame.to_numpy())
    return SiteSummary(CV, random_state=SEED).fit(frame, y, groups, **options)


def score(merged, name, groups=None, is_sparse=False, **options):
    X, y, _ = SITES[name]
    frame = pd.DataFrame(X[:, order_of(name)], columns=NAMES[order_of(name)])
    if is_sparse:
        options["feature_names"], frame = frame.columns, sparse.csr_array(frame.to_numpy())
    return merged.score_site(frame, y, groups, **options)


def run_federated(names=tuple(SITES), **options):
    """All exchanges: merged summary, counts of each site."""
    merged = merge_models([summarise(name, **options) for name in names])
    return merged, [score(merged, name, **options) for name in names]


def pool(names=tuple(SITES), with_groups=False):
    """The samples of all sites, in the order of features of the first, folds and groups."""
    X = np.vstack([SITES[name][0] for name in names])[:, order_of(names[0])]
    y = np.concatenate([SITES[name][1] for name in names])
    rule, numbers = SiteSummary(CV, random_state=SEED), []
    for name in names:
        _, labels, groups = SITES[name]
        numbers.append(rule.fold_numbers(labels, groups if with_groups else None))
    groups = [f"{name} {group}" for name in names for group in SITES[name][2]]
    return X, y, np.concatenate(numbers), np.array(groups) if with_groups else None


@pytest.fixture(scope="module")
def exchanged():
    return run_federated()


@pytest.fixture
def merged(exchanged):
    return deepcopy(exchanged[0])


@pytest.fixture
def counts(exchanged):
    return deepcopy(exchanged[1])


def assert_same_answer(found, pooled):
    """Selection, number of features, scores and intervals are those of pooled samples."""
    np.testing.assert_array_equal(found.selected, pooled.selected)
    assert found.n_features_to_select == pooled.n_features_to_select
    assert found.fold_choices == pooled.fold_choices
    np.testing.assert_array_equal(found.confusion, pooled.confusion)
    np.testing.assert_array_equal(found.confusion_path, pooled.confusion_path)
    for name in ("score", "se_score", "interval", "random_score", "se_random", "majority_score"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(pooled, name), rtol=0, atol=1e-10, err_msg=name
        )
    for name in ("gains", "centers", "spreads"):
        np.testing.assert_allclose(getattr(found, name), getattr(pooled, name), atol=1e-10)
    for name, value in found.metrics.items():
        np.testing.assert_allclose(value, pooled.metrics[name], atol=1e-10)


# ------------------------------------------------------------------ exactness


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "f1_macro"])
@pytest.mark.parametrize("rule", ["one_se", "best"])
def test_three_sites_give_the_answer_of_their_pooled_samples(exchanged, scoring, rule):
    X, y, folds, _ = pool()
    pooled = select_features(X, y, cv=folds, random_state=SEED, scoring=scoring, rule=rule)
    found = select_federated(*exchanged, scoring=scoring, rule=rule)
    assert_same_answer(found, pooled)
    for name in found.intervals:
        np.testing.assert_allclose(found.intervals[name], pooled.intervals[name], atol=1e-10)


def test_groups_stay_together_and_widen_the_interval_as_those_of_pooled_samples():
    X, y, folds, groups = pool(with_groups=True)
    pooled = select_features(X, y, cv=folds, groups=groups, random_state=SEED)
    merged = merge_models([summarise(name, SITES[name][2]) for name in SITES])
    found = select_federated(merged, [score(merged, name, SITES[name][2]) for name in SITES])
    assert_same_answer(found, pooled)
    assert (found.n_groups, found.has_mixed_groups) == (pooled.n_groups, pooled.has_mixed_groups)
    for group in np.unique(groups):
        assert np.unique(folds[groups == group]).size == 1


def test_site_without_groups_beside_one_with_groups_has_a_group_a_sample():
    names = ("north", "south")
    X, y, folds, groups = pool(names, with_groups=True)
    n_first = SITES["north"][1].size
    folds[n_first:] = SiteSummary(CV, random_state=SEED).fold_numbers(SITES["south"][1])
    groups[n_first:] = [f"alone {number}" for number in range(groups.size - n_first)]
    pooled = select_features(X, y, cv=folds, groups=groups, random_state=SEED)
    mine = {"north": SITES["north"][2], "south": None}
    merged = merge_models([summarise(name, mine[name]) for name in names])
    found = select_federated(merged, [score(merged, name, mine[name]) for name in names])
    assert_same_answer(found, pooled)
    assert found.n_groups == pooled.n_groups


def test_sparse_samples_give_the_same_as_pooled_ones():
    X, y, folds, _ = pool()
    pooled = select_features(sparse.csr_array(X), y, cv=folds, random_state=SEED)
    found = select_federated(*run_federated(is_sparse=True))
    assert_same_answer(found, pooled)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_steps_that_take_each_sample_by_itself_give_the_answer_of_pooled_samples(is_sparse):
    steps, sites = "normalise=1e3,log1p", {}
    for name, (X, y, _) in SITES.items():
        X = np.round(np.exp(X))
        sites[name] = (sparse.csr_array(X) if is_sparse else X), y
    rule = SiteSummary(CV, random_state=SEED, preprocess=steps)
    merged = merge_models([clone(rule).fit(*site) for site in sites.values()])
    found = select_federated(merged, [merged.score_site(*site) for site in sites.values()])
    stack = sparse.vstack if is_sparse else np.vstack
    X, y = stack([X for X, _ in sites.values()]), np.concatenate([y for _, y in sites.values()])
    folds = np.concatenate([rule.fold_numbers(y) for _, y in sites.values()])
    pooled = select_features(X, y, method="l2", cv=folds, random_state=SEED, preprocess=steps)
    assert_same_answer(found, pooled)
    assert found.preprocess == steps
    np.testing.assert_array_equal(found.model.predict(X), pooled.model.predict(X))


def test_model_behind_steps_takes_samples_as_they_are_and_knows_their_names():
    X, y, _ = SITES["south"]
    frame = pd.DataFrame(np.exp(X), columns=NAMES)
    model = SiteSummary(CV, preprocess="log1p").fit(frame, y).at(5)
    assert model.feature_names_in_.tolist() == NAMES.tolist()
    expected = SiteSummary(CV).fit(np.log1p(frame), y).at(5)
    np.testing.assert_array_equal(model.predict(frame), expected.predict(np.log1p(frame)))


def write_site(name, path, **columns):
    X, y, _ = SITES[name]
    frame = pd.DataFrame(np.exp(X), columns=NAMES)
    frame.assign(label=y, **columns).to_csv(path, index=False)
    return frame


@pytest.mark.parametrize("steps", [None, "log1p"])
def test_batches_give_the_summary_and_counts_of_the_same_samples_in_memory(tmp_path, steps):
    path, (_, y, groups) = tmp_path / "south.csv", SITES["south"]
    groups = np.array([f"p{number}" for number in groups])
    frame = write_site("south", path, patient=groups)
    rule = SiteSummary(CV, random_state=SEED, preprocess=steps)
    whole = clone(rule).fit(frame, y, groups)
    options = {"target": "label", "groups": "patient", "preprocess": steps}
    rows = batches(path, batch_size=11, **options)
    found = clone(rule).fit(rows)
    assert found.sites_ == whole.sites_
    assert found.feature_names_in_.tolist() == whole.feature_names_in_.tolist()
    np.testing.assert_array_equal(found.fold_counts_, whole.fold_counts_)
    np.testing.assert_allclose(
        found._solution.moments.squares, whole._solution.moments.squares, rtol=1e-12
    )
    one, other = whole.score_site(frame, y, groups), whole.score_site(rows)
    np.testing.assert_array_equal(one.outer_, other.outer_)
    np.testing.assert_array_equal(one.inner_, other.inner_)
    np.testing.assert_array_equal(one.group_sums_, other.group_sums_)


def test_sparse_batches_are_the_site_that_is_in_memory(tmp_path):
    anndata = pytest.importorskip("anndata")
    X, y, _ = SITES["south"]
    counts = sparse.csr_matrix(np.round(np.exp(X) - 0.8).clip(0))
    obs = pd.DataFrame({"label": y}, index=[f"s{i}" for i in range(y.size)])
    table = anndata.AnnData(counts, obs=obs, var=pd.DataFrame(index=NAMES))
    table.write_h5ad(tmp_path / "south.h5ad")
    rows = batches(tmp_path / "south.h5ad", target="label", batch_size=10)
    whole = SiteSummary(CV).fit(sparse.csr_array(counts), y, feature_names=NAMES)
    assert SiteSummary(CV).fit(rows).sites_ == whole.sites_


@pytest.mark.parametrize("option", ["y", "groups", "feature_names"])
def test_batches_bring_their_labels_groups_and_names(tmp_path, option):
    write_site("south", tmp_path / "south.csv")
    rows = batches(tmp_path / "south.csv", target="label")
    with pytest.raises(ValueError, match=f"{option} must be None"):
        SiteSummary(CV).fit(rows, **{option: SITES["south"][1]})


def test_batches_that_are_preprocessed_otherwise_are_refused(tmp_path):
    write_site("south", tmp_path / "south.csv")
    rows = batches(tmp_path / "south.csv", target="label", preprocess="norm")
    with pytest.raises(ValueError, match=r"preprocess='log1p'.* preprocess is 'norm'"):
        SiteSummary(CV, preprocess="log1p").fit(rows)


def test_steps_that_look_at_neighbours_need_one_order_of_features():
    parts = []
    for name in ("north", "south"):
        frame = pd.DataFrame(SITES[name][0][:, order_of(name)], columns=NAMES[order_of(name)])
        parts.append(SiteSummary(CV, preprocess="savgol").fit(frame, SITES[name][1]))
    with pytest.raises(ValueError, match="preprocessed by savgol.*in another order"):
        merge_models(parts)


def test_steps_that_look_at_all_features_need_the_same_ones():
    parts = []
    for name, first in (("north", 0), ("south", 2)):
        counts = np.round(np.exp(SITES[name][0]))
        frame = pd.DataFrame(counts, columns=NAMES).iloc[:, first:]
        rule = SiteSummary(CV, preprocess="normalise=100,log1p")
        parts.append(rule.fit(frame, SITES[name][1]))
    with pytest.raises(ValueError, match="preprocessed by normalise=100.*leaves out some"):
        merge_models(parts, features="intersection")


def test_the_number_of_features_may_be_given(exchanged):
    X, y, folds, _ = pool()
    options = {"n_features_to_select": 4}
    pooled = select_features(X, y, cv=folds, random_state=SEED, **options)
    assert_same_answer(select_federated(*exchanged, **options), pooled)


def test_the_largest_number_of_features_may_be_given(exchanged):
    X, y, folds, _ = pool()
    options = {"max_features": 3, "rule": "best"}
    pooled = select_features(X, y, cv=folds, random_state=SEED, **options)
    assert_same_answer(select_federated(*exchanged, **options), pooled)


def test_order_of_sites_does_not_matter(exchanged):
    found = select_federated(*exchanged)
    other = select_federated(*run_federated(tuple(SITES)[::-1]))
    assert set(other.selected_names) == set(found.selected_names)
    assert (other.score, other.interval) == (found.score, found.interval)


def test_merging_in_two_steps_is_merging_at_once(merged):
    first, *others = [summarise(name) for name in SITES]
    stepwise = merge_models([merge_models([first, others[0]]), others[1]])
    for name, array in vars(stepwise._solution.moments).items():
        np.testing.assert_allclose(array, getattr(merged._solution.moments, name), atol=1e-12)


def test_site_with_one_class_takes_part():
    X, y, _ = SITES["south"]
    sites = [(X[y == "a"], y[y == "a"]), (X[y != "a"], y[y != "a"])]
    one, other = (SiteSummary(CV, random_state=SEED).fit(*site) for site in sites)
    folds = np.concatenate([one.fold_numbers(labels) for _, labels in sites])
    merged = copy(one).merge(other)
    found = select_federated(merged, [merged.score_site(*site) for site in sites])
    X, y = np.vstack([sites[0][0], sites[1][0]]), np.concatenate([sites[0][1], sites[1][1]])
    assert_same_answer(found, select_features(X, y, cv=folds, random_state=SEED))


def test_model_without_a_score_is_that_of_all_samples(merged):
    model = merged.at(5)
    X, y, folds, _ = pool()
    found = select_features(
        X, y, cv=folds, n_features_to_select=5, random_state=SEED
    ).model.estimator_
    np.testing.assert_allclose(model.centers_, found.centers_, atol=1e-10)
    assert model.feature_names_in_.tolist() == NAMES[order_of("north")].tolist()


def test_labels_may_be_numbers():
    X, y, _ = SITES["south"]
    codes = np.unique(y, return_inverse=True)[1]
    summary = SiteSummary(CV).fit(X, codes)
    found = select_federated(summary, [summary.score_site(X, codes)])
    assert found.classes.tolist() == [0, 1, 2]


def test_threads_do_not_change_the_answer(exchanged):
    merged = deepcopy(exchanged[0]).set_params(n_jobs=2)
    again = score(merged, "south")
    np.testing.assert_array_equal(again.inner_, exchanged[1][1].inner_)


# ------------------------------------------------------------------ disclosure


def arrays_in(thing):
    """All arrays that are held."""
    if isinstance(thing, np.ndarray):
        return [thing]
    if isinstance(thing, dict):
        thing = list(thing.values())
    if isinstance(thing, list | tuple):
        return [array for each in thing for array in arrays_in(each)]
    return arrays_in(vars(thing)) if hasattr(thing, "__dict__") else []


@pytest.mark.parametrize("name", SITES)
def test_no_array_that_is_sent_has_an_entry_for_each_sample(name, merged):
    n_samples = SITES[name][1].size
    for sent in (summarise(name), score(merged, name)):
        arrays = arrays_in(sent)
        assert len(arrays) > 4
        assert not any(n_samples in array.shape for array in arrays)


def test_no_sample_is_among_the_rows_that_are_sent_nor_their_sums_and_differences():
    X, *_ = SITES["south"]
    X = X[:, order_of("south")]
    moments = summarise("south")._solution.moments
    totals = moments.means * moments.counts[:, None]
    rows = [moments.means, totals, moments.squares, np.sqrt(moments.squares)]
    sent = np.vstack([*rows, *(np.cumsum(each, axis=0) for each in rows)])
    sent = np.vstack([sent, (sent[:, None] - sent[None]).reshape(-1, N_FEATURES)])
    gaps = [np.abs(sent - row).max(axis=1).min() for row in X]
    assert min(gaps) > 0.5


def test_counts_are_whole_numbers_and_labels_and_nothing_else(counts):
    for array in arrays_in(counts[0]):
        assert array.dtype.kind == "i" or array is counts[0].classes_


def test_every_sum_is_over_five_samples_or_more():
    counts = summarise("south").fold_counts_
    assert counts[counts > 0].min() >= 5


@pytest.mark.parametrize("n_samples", [1, 4, 12])
def test_class_of_few_samples_in_a_fold_is_refused(n_samples):
    X, y, _ = SITES["south"]
    rows = np.flatnonzero((y != "c") | (np.cumsum(y == "c") <= n_samples))
    with pytest.raises(ValueError, match="class 'c' has [1-4] sample.* fewer than 5.*allow_small"):
        SiteSummary(CV).fit(X[rows], y[rows])


def test_class_of_few_samples_is_taken_if_it_is_named():
    X, y, _ = SITES["south"]
    rows = np.flatnonzero((y != "c") | (np.cumsum(y == "c") <= 4))
    summary = SiteSummary(CV).fit(X[rows], y[rows], allow_small=["c"])
    assert summary.class_counts_.tolist() == [26, 26, 4]


def test_counts_of_a_class_of_few_samples_are_refused_as_well():
    X, y, _ = SITES["south"]
    rows = np.flatnonzero((y != "c") | (np.cumsum(y == "c") <= 4))
    summary = SiteSummary(CV).fit(X[rows], y[rows], allow_small=["c"])
    with pytest.raises(ValueError, match="class 'c' has 1 sample"):
        summary.score_site(X[rows], y[rows])


def test_what_counts_are_groups_where_there_are_some():
    X, y, _ = SITES["south"]
    with pytest.raises(ValueError, match="has [1-4] groups? in a fold"):
        SiteSummary(CV).fit(X, y, np.arange(y.size) // 6)


def test_class_that_is_allowed_must_be_one():
    X, y, _ = SITES["south"]
    with pytest.raises(ValueError, match="allow_small holds 'd', which is no class"):
        SiteSummary(CV).fit(X, y, allow_small=["d"])


def test_classes_that_are_allowed_are_a_list():
    X, y, _ = SITES["south"]
    with pytest.raises(TypeError, match="allow_small='c' must be a list"):
        SiteSummary(CV).fit(X, y, allow_small="c")


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cv": 2}, "cv=2 must lie between 3 and 100"),
        ({"cv": 101}, "cv=101 must lie between 3 and 100"),
        ({"random_state": 2**32}, "must lie between 0 and"),
        ({"cv": 2.5}, "cv=2.5 must be an int"),
        ({"method": "l1"}, "method='l1' must be one of 'l2'"),
        ({"method": "relief"}, "method='relief' must be one of 'l2'"),
        ({"scale": "mad"}, "scale='mad' must be one of None, 'std', 'within'"),
        ({"random_state": None}, "random_state=None must be an int, the same at all sites"),
        ({"preprocess": "scale"}, "preprocess='scale' must be among log1p"),
        ({"preprocess": StandardScaler()}, "must be None, or a str with names of steps that take"),
    ],
)
def test_parameters_are_checked_before_any_work(options, words):
    with pytest.raises((ValueError, TypeError), match=words):
        SiteSummary(**options).fit(np.full((3, 2), np.nan), ["a", "b", "c"])


def test_samples_that_are_not_finite_are_refused():
    X, y, _ = SITES["south"]
    with pytest.raises(ValueError, match="NaN"):
        SiteSummary(CV).fit(np.where(X > 2.0, np.nan, X), y)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cv": 4}, "cv=4"),
        ({"scale": "std"}, "scale='std'"),
        ({"random_state": 5}, "random_state=5"),
        ({"preprocess": "snv"}, "preprocess='snv'"),
    ],
)
def test_summaries_that_were_made_differently_are_not_merged(options, words):
    X, y, _ = SITES["north"]
    frame = pd.DataFrame(X, columns=NAMES)
    options = {"cv": CV, "random_state": SEED} | options
    other = SiteSummary(**options).fit(frame, y, allow_small=["a", "b"])
    with pytest.raises(ValueError, match=f"east: {words}, south: "):
        merge_models([summarise("south"), other], names=["south", "east"])
    with pytest.raises(ValueError, match="other"):
        summarise("south").merge(other)


def test_sparse_and_dense_sites_agree_on_a_scale_or_are_refused():
    with pytest.raises(ValueError, match="model 2: scale='std', model 1: scale='within'"):
        merge_models([summarise("south"), summarise("north", is_sparse=True)])


def test_missing_features_are_named():
    X, y, _ = SITES["north"]
    other = SiteSummary(CV, random_state=SEED).fit(pd.DataFrame(X[:, 2:], columns=NAMES[2:]), y)
    with pytest.raises(ValueError, match=r"model 2 lacks 2 features of model 1: .*g[01].*g[01]"):
        merge_models([summarise("south"), other])


def test_features_that_not_all_sites_have_are_left_out_if_asked_for():
    sites = {name: SITES[name][:2] for name in ("north", "south")}
    kept = {"north": slice(0, 28), "south": slice(3, None)}
    frames = {n: pd.DataFrame(X, columns=NAMES).iloc[:, kept[n]] for n, (X, _) in sites.items()}
    rule = SiteSummary(CV, random_state=SEED)
    summaries = [clone(rule).fit(frames[name], sites[name][1]) for name in sites]
    merged = merge_models(summaries, features="intersection")
    found = select_federated(
        merged, [merged.score_site(frames[name], sites[name][1]) for name in sites]
    )
    X, y = (
        np.vstack([X[:, 3:28] for X, _ in sites.values()]),
        np.hstack([y for _, y in sites.values()]),
    )
    folds = np.concatenate([rule.fold_numbers(labels) for _, labels in sites.values()])
    pooled = select_features(X, y, cv=folds, feature_names=NAMES[3:28], random_state=SEED)
    assert_same_answer(found, pooled)
    assert found.selected_names.tolist() == pooled.selected_names.tolist()


def test_the_same_site_does_not_count_twice(merged, counts):
    with pytest.raises(ValueError, match="a and c are of the same samples"):
        merge_models([summarise(name) for name in ("north", "south", "north")], names="abc")
    with pytest.raises(ValueError, match="this summary and other are of the same samples"):
        summarise("south").merge(summarise("south"))
    with pytest.raises(ValueError, match="counts 2 and counts 4 are of the same samples"):
        select_federated(merged, [*counts, counts[1]])
    with pytest.raises(ValueError, match="these counts and other are of the same samples"):
        counts[1].merge(deepcopy(counts[1]))


def test_sites_that_sent_no_counts_are_told(merged, counts):
    with pytest.raises(
        ValueError, match=f"1 of 3 sites have sent no counts: {merged.sites_[1][:8]}"
    ):
        select_federated(merged, [counts[0], counts[2]])


def test_counts_of_another_summary_are_refused(merged, counts):
    _, [theirs, _] = run_federated(("north", "west"))
    with pytest.raises(ValueError, match="x are counts of another merged summary"):
        select_federated(merged, [theirs, *counts[1:]], names=["x", "y", "z"])
    with pytest.raises(ValueError, match="only counts of one merged summary add up"):
        counts[1].merge(theirs)


def test_samples_of_no_site_are_not_scored(merged):
    X, y, _ = make_site("south", 27)
    with pytest.raises(ValueError, match="not those of a summary that was merged"):
        merged.score_site(pd.DataFrame(X, columns=NAMES), y)


@pytest.mark.parametrize(
    "change",
    {
        "labels": lambda X, y, groups: (X, np.roll(y, 1), groups),
        "values": lambda X, y, groups: (X + 1e-12 * (np.arange(y.size) == 3)[:, None], y, groups),
        "order": lambda X, y, groups: (X[::-1], y[::-1], groups),
        "groups": lambda X, y, groups: (X, y, np.arange(y.size) // 2),
    }.items(),
    ids=lambda pair: pair[0],
)
def test_samples_that_changed_since_are_not_scored(change):
    X, y, _ = SITES["south"]
    summary = SiteSummary(CV).fit(X, y)
    with pytest.raises(ValueError, match="not those of a summary that was merged"):
        summary.score_site(*change[1](X, y, None))


def test_columns_that_a_table_lacks_are_named(merged):
    X, y, _ = SITES["south"]
    with pytest.raises(ValueError, match="X lacks 1 feature of the merged summary: 'g29'"):
        merged.score_site(pd.DataFrame(X[:, :29], columns=NAMES[:29]), y)


def test_table_without_names_is_not_scored_by_names(merged):
    X, y, _ = SITES["south"]
    with pytest.raises(ValueError, match="X has 30 features without names, the merged summary 30"):
        merged.score_site(X, y)


def test_summary_that_is_no_sum_of_the_site_is_not_scored(merged):
    moments = merged._solution.moments
    counts = np.where(moments.counts > 12, 6.0, moments.counts)
    forged = replace(moments, counts=counts)
    merged._solution = merged._solution._replace(moments=forged)
    merged.unit_counts_ = merged.class_counts_.copy()
    with pytest.raises(ValueError, match="fewer samples of a class than this site alone"):
        score(merged, "south")


def test_labels_of_sites_are_of_one_type():
    X, y, _ = SITES["south"]
    one, other = (
        SiteSummary(CV).fit(X, y),
        SiteSummary(CV).fit(X + 1.0, np.unique(y, True, True)[2]),
    )
    with pytest.raises(ValueError, match="they must be of one type"):
        one.merge(other)


def test_labels_must_be_given():
    with pytest.raises(ValueError, match="y=None must hold the class"):
        SiteSummary(CV).fit(SITES["south"][0], None)


def test_counts_may_be_merged_before_they_are_used(merged, counts):
    first, *others = deepcopy(counts)
    for each in others:
        first.merge(each)
    assert select_federated(merged, first).score == select_federated(merged, counts).score


@pytest.mark.parametrize("name", ["roc_auc", "neg_log_loss", "neg_cost"])
def test_scores_that_need_probabilities_are_refused(exchanged, name):
    with pytest.raises(ValueError, match=f"scoring='{name}' must be one of 'accuracy'"):
        select_federated(*exchanged, scoring=name)


@pytest.mark.parametrize("option", ["n_features_to_select", "max_features"])
def test_numbers_of_features_that_were_not_scored_are_refused(option):
    X, y, _ = make_site("south")
    X = np.hstack([X, np.random.default_rng(0).normal(size=(y.size, 200))])
    summary = SiteSummary(CV).fit(X, y)
    counts = [summary.score_site(X, y)]
    with pytest.raises(ValueError, match=f"{option}=113 must be one of the numbers .* 1, 2, 3"):
        select_federated(summary, counts, **{option: 113})


def test_class_in_too_few_folds_is_refused_before_sites_score():
    X, y, groups = SITES["south"]
    groups = np.where(y == "c", 1000, np.arange(y.size))
    summary = SiteSummary(CV).fit(X, y, groups, allow_small=["c"])
    with pytest.raises(ValueError, match="class 'c' has samples in 1 of cv=3 folds"):
        summary.score_site(X, y, groups, allow_small=["c"])


def test_one_class_in_all_is_refused():
    X, y, _ = SITES["south"]
    summary = SiteSummary(CV).fit(X[y == "a"], y[y == "a"])
    with pytest.raises(ValueError, match="all samples are of one class, 'a'"):
        summary.at(3)


@pytest.mark.parametrize("thing", ["text", None, SiteCounts()])
def test_what_is_no_summary_is_refused(thing, counts):
    with pytest.raises(TypeError, match="must be a SiteSummary"):
        select_federated(thing, counts)


def test_what_are_no_counts_is_refused(merged):
    with pytest.raises(TypeError, match="counts 1 is a SiteSummary; it must be SiteCounts"):
        select_federated(merged, [merged])
    with pytest.raises(ValueError, match=re.escape("SiteCounts() hold nothing")):
        select_federated(merged, [SiteCounts()])
