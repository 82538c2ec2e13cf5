"""Permutation tests of the whole selection: equal to selecting again, and calibrated."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import binomtest
from sklearn.preprocessing import StandardScaler

from centroidal.model_selection import sources
from centroidal.model_selection.methods import METHODS, DataKind
from centroidal.model_selection.permutation import Null, PermutationTest, Relabelling, _Tally

from ..l2 import permutation_test, select_features

SEED, N_PERMUTATIONS = 3, 4


def _table(kind, n_classes=2, seed=0, n_samples=48, n_features=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    X = {
        "normal": X,
        "binary": (X > 0.5).astype(float),
        "counts": rng.poisson(0.2, size=X.shape).astype(float),
        "far": (X * 1e-3 + 1e4).astype(np.float32),
        "constant": np.where(np.arange(n_features) % 3 == 0, 7.0, np.round(X / 2)),
        "columns": np.asfortranarray(np.round(X, 1)),
        "sparse": csr_array(np.where(X > 1.0, X, 0.0)),
    }[kind]
    return X, rng.permutation(np.arange(n_samples) % n_classes)


def _select_again(X, y, relabelling, **options):
    """Scores, and gains of all features, of a selection with each relabelling, one by one."""
    again = [
        select_features(
            X, relabelling.draw(SEED, number), n_repeats=1, random_state=SEED, **options
        )
        for number in range(N_PERMUTATIONS)
    ]
    return [each.score for each in again], [each.gains for each in again]


@pytest.mark.parametrize("kind", ["normal", "binary", "counts", "far", "constant", "columns"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_null_scores_are_those_of_selecting_again(kind, n_classes):
    X, y = _table(kind, n_classes)
    scores, _ = _select_again(X, y, Relabelling.of(y), method="l2")
    options = {"method": "l2", "n_permutations": N_PERMUTATIONS, "random_state": SEED}
    found = select_features(X, y, n_repeats=1, **options)
    np.testing.assert_array_equal(found.permutations.null_scores, scores)
    assert found.permutations.score == found.score


@pytest.mark.parametrize(
    "options",
    [
        {"method": "l1"},
        {"method": "l1", "class_weight": "balanced"},
        {"method": "l2", "class_weight": "balanced"},
        {"method": "recursive"},
        {"method": "l2", "scoring": "balanced_accuracy", "rule": "best"},
        {"method": "l2", "scoring": "roc_auc"},
        {"method": "l2", "n_features_to_select": 3},
        {"method": "l2", "max_features": 5},
        {"method": "l2", "costs": [[0, 1], [3, 0]]},
        {"method": "l2", "preprocess": "snv"},
        {"method": "l2", "impute": "mean"},
        {"method": "l2", "cv": 4},
    ],
    ids=lambda options: "-".join(map(str, options)) + "-" + str(options["method"]),
)
def test_null_scores_are_those_of_selecting_again_with(options):
    X, y = _table("normal", n_samples=36, n_features=25)
    scores, _ = _select_again(X, y, Relabelling.of(y), **options)
    test = permutation_test(
        X, y, n_permutations=N_PERMUTATIONS, n_repeats=1, random_state=SEED, **options
    )
    np.testing.assert_array_equal(test.null_scores, scores)


@pytest.mark.parametrize("method", ["l2", "l1"])
def test_null_scores_are_those_of_selecting_again_from_sparse_data(method):
    X, y = _table("sparse", n_features=30)
    scores, _ = _select_again(X, y, Relabelling.of(y), method=method)
    test = permutation_test(
        X, y, method=method, n_permutations=N_PERMUTATIONS, n_repeats=1, random_state=SEED
    )
    np.testing.assert_array_equal(test.null_scores, scores)


@pytest.mark.parametrize("method", ["l1", "disjoint"])
@pytest.mark.parametrize("kind", ["normal", "sparse"])
def test_null_scores_of_any_method_are_those_of_selecting_again_with_groups(kind, method):
    X, y = _table(kind, n_samples=36, n_features=8)
    groups = np.arange(y.size) // 2
    y = y[groups]
    options = {"method": method, "groups": groups, "class_weight": "balanced", "cv": 3}
    options["n_features_to_select"] = 2
    scores, _ = _select_again(X, y, Relabelling.of(y, groups), **options)
    test = permutation_test(X, y, n_permutations=N_PERMUTATIONS, random_state=SEED, **options)
    np.testing.assert_array_equal(test.null_scores, scores)


@pytest.mark.parametrize(
    ("kind", "has_groups", "class_weight"),
    [
        ("normal", False, None),
        ("normal", True, "balanced"),
        ("sparse", True, None),
        ("sparse", False, "balanced"),
    ],
)
def test_null_scores_of_the_margin_rule_are_those_of_selecting_again(
    kind, has_groups, class_weight, monkeypatch
):
    disjoint = METHODS["disjoint"]
    margin = replace(disjoint, key="margin", build=lambda kind: disjoint.build(kind).take(-1))
    monkeypatch.setitem(METHODS, "margin", margin)
    (rule,) = margin.build(DataKind(8)).estimators
    assert rule.assignment == "margin"
    X, y = _table(kind, n_samples=36, n_features=8)
    groups = np.arange(y.size) // 2 if has_groups else None
    y = y if groups is None else y[groups]
    options = {"method": "margin", "groups": groups, "class_weight": class_weight, "cv": 3}
    scores, _ = _select_again(X, y, Relabelling.of(y, groups), **options)
    test = permutation_test(X, y, n_permutations=N_PERMUTATIONS, random_state=SEED, **options)
    np.testing.assert_array_equal(test.null_scores, scores)


@pytest.mark.parametrize("is_mixed", [False, True])
@pytest.mark.parametrize("kind", ["normal", "sparse"])
def test_null_scores_are_those_of_selecting_again_with_groups(kind, is_mixed):
    X, y = _table(kind)
    groups = np.arange(y.size) // 2
    y = y if is_mixed else y[groups]
    relabelling = Relabelling.of(y, groups)
    scores, _ = _select_again(X, y, relabelling, method="l2", groups=groups)
    test = permutation_test(
        X, y, method="l2", groups=groups, n_permutations=N_PERMUTATIONS, random_state=SEED
    )
    np.testing.assert_array_equal(test.null_scores, scores)
    assert test.permuted == ("samples within groups" if is_mixed else "groups")


def test_class_that_a_training_set_lacks_is_selected_again_as_well():
    X, y = _table("normal", n_samples=24, n_features=10)
    numbers = np.where(y == 1, np.arange(y.size) % 2, 2 + np.arange(y.size) // 2)
    groups = np.unique(numbers, return_inverse=True)[1]
    relabelling = Relabelling.of(y, groups)
    options = {"method": "l2", "groups": groups, "n_features_to_select": 2, "cv": 2}
    scores, _ = _select_again(X, y, relabelling, **options)
    test = permutation_test(X, y, n_permutations=N_PERMUTATIONS, random_state=SEED, **options)
    np.testing.assert_array_equal(test.null_scores, scores)


@pytest.mark.parametrize("method", ["l2", "l21"])
def test_result_does_not_depend_on_the_number_of_jobs(method):
    X, y = _table("normal", n_samples=30, n_features=12)
    options = {"method": method, "n_permutations": 3, "cv": 3, "random_state": 0}
    one = permutation_test(X, y, n_jobs=1, **options)
    two = permutation_test(X, y, n_jobs=2, **options)
    np.testing.assert_array_equal(one.null_scores, two.null_scores)
    np.testing.assert_array_equal(one.feature_p_values, two.feature_p_values)
    np.testing.assert_array_equal(one.expected_false, two.expected_false)


@pytest.mark.parametrize(
    ("method", "kind"),
    [("recursive", "normal"), ("recursive", "sparse"), ("l21", "normal"), ("disjoint", "normal")],
)
def test_training_sets_that_relabellings_share_change_nothing(method, kind, monkeypatch):
    X, y = _table(kind, n_samples=30, n_features=70)
    folds = np.arange(y.size) % 3
    options = {"method": method, "cv": folds, "n_features_to_select": 4, "random_state": 0}
    shared = permutation_test(X, y, n_permutations=3, **options)
    monkeypatch.setattr(sources, "_SHARED_BYTES", 0)
    alone = permutation_test(X, y, n_permutations=3, **options)
    np.testing.assert_array_equal(shared.null_scores, alone.null_scores)
    assert shared.score == alone.score


def test_training_sets_of_given_folds_are_standardised_once(monkeypatch):
    X, y = _table("normal", n_samples=30, n_features=40)
    options = {"method": "recursive", "cv": np.arange(30) % 3, "n_features_to_select": 2}
    n_fits, fit = [], StandardScaler.fit

    def count_and_fit(self, *args, **kwargs):
        n_fits.append(1)
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(StandardScaler, "fit", count_and_fit)
    select_features(X, y, random_state=0, **options)
    n_before = len(n_fits)
    select_features(X, y, random_state=0, n_permutations=5, **options)
    assert len(n_fits) == 2 * n_before + 6  # training sets: three without a fold, three without two


def test_training_sets_that_are_shared_are_bounded_in_bytes(monkeypatch):
    X, y = _table("normal", n_samples=30, n_features=40)
    n_kept, share = [], sources.MemorySource._share

    def share_and_count(self, *job):
        found = share(self, *job)
        n_kept.append(len(self._shared))
        return found

    monkeypatch.setattr(sources, "_SHARED_BYTES", 1)
    monkeypatch.setattr(sources.MemorySource, "_share", share_and_count)
    options = {"method": "recursive", "cv": np.arange(30) % 3, "n_features_to_select": 2}
    permutation_test(X, y, n_permutations=2, random_state=0, **options)
    assert set(n_kept) == {1}


def test_permutations_of_sparse_data_never_fill_it_in():
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(0, 600, 20_000), rng.integers(0, 20_000, 20_000)
    X, y = csr_array((np.ones(20_000), (rows, columns)), shape=(600, 20_000)), np.arange(600) % 2
    options = {"method": "l2", "n_features_to_select": 5, "cv": 3, "n_repeats": 1, "n_jobs": 1}
    permutation_test(X[:60], y[:60], n_permutations=1, random_state=0, **options)  # compiles
    tracemalloc.start()
    permutation_test(X, y, n_permutations=2, random_state=0, **options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 600 * 20_000 * 8 / 3


# ------------------------------------------------------------------ features


@pytest.mark.parametrize("kind", ["normal", "counts", "sparse"])
def test_p_value_of_a_feature_counts_relabellings_with_a_gain_as_large(kind):
    X, y = _table(kind)
    _, gains = _select_again(X, y, Relabelling.of(y), method="l2")
    found = select_features(X, y, method="l2", n_permutations=N_PERMUTATIONS, random_state=SEED)
    own, drawn = found.gains, np.array(gains)
    largest = drawn.max(axis=1)
    expected = [(1 + sum(largest >= gain - 1e-9)) / (1 + N_PERMUTATIONS) for gain in own]
    np.testing.assert_allclose(found.permutations.feature_p_values, expected)


def test_expected_luck_is_the_mean_number_of_features_as_good_in_a_relabelling():
    X, y = _table("normal")
    _, gains = _select_again(X, y, Relabelling.of(y), method="l2")
    found = select_features(X, y, method="l2", n_permutations=N_PERMUTATIONS, random_state=SEED)
    all_gains = np.array([found.gains, *gains])
    expected = [(all_gains >= gain - 1e-9).sum() / len(all_gains) for gain in found.gains]
    np.testing.assert_allclose(found.permutations.expected_false, expected)


def test_features_that_tell_classes_apart_are_told_from_luck():
    X, y = _table("normal", n_samples=80)
    X[:, :3] += 2.0 * y[:, None]
    found = select_features(X, y, method="l2", n_permutations=99, random_state=0)
    test = found.permutations
    assert (test.feature_p_values[:3] == 0.01).all()
    assert (test.feature_p_values[3:] > 0.05).sum() >= 55
    assert test.false_discoveries(np.arange(3)) < 0.1
    assert test.false_discoveries(np.arange(60)) > 50
    assert found.feature_columns()["p_value"] == [0.01] * found.n_features_to_select


# ------------------------------------------------------------------ the p-value


def _test_of(scores, score=0.5, n_asked=None, stop_after=None):
    nothing = np.ones(1)
    n_asked = len(scores) if n_asked is None else n_asked
    return PermutationTest(
        score, np.array(scores), n_asked, stop_after, "samples", nothing, nothing, nothing
    )


def test_p_value_counts_the_labels_as_one_of_their_permutations():
    assert _test_of([0.1, 0.5, 0.7, 0.2]).p_value == 3 / 5
    assert _test_of([0.1] * 99).p_value == 0.01


def test_scores_that_are_equal_but_for_rounding_are_as_good():
    assert _test_of([0.1 + 0.2], score=0.3 + 1e-16).n_as_good == 1


def test_early_stop_has_the_p_value_of_besag_and_clifford():
    test = _test_of([0.1, 0.6, 0.2, 0.9], n_asked=100, stop_after=2)
    assert test.is_stopped
    assert test.p_value == 2 / 4


def test_interval_of_the_p_value_is_that_of_clopper_and_pearson():
    test = _test_of([0.9] * 3 + [0.1] * 97)
    expected = binomtest(3, 100).proportion_ci(0.95, method="exact")
    np.testing.assert_allclose(test.interval, expected)
    assert _test_of([0.1] * 10).interval[0] == 0.0
    assert _test_of([0.9] * 10).interval[1] == 1.0


def test_early_stop_ends_at_the_same_permutation_for_any_number_of_jobs():
    X, y = _table("normal", n_samples=30, n_features=12)
    options = {"method": "l2", "n_permutations": 60, "stop_after": 4, "random_state": 1}
    one = permutation_test(X, y, n_jobs=1, **options)
    two = permutation_test(X, y, n_jobs=2, **options)
    assert one.n_as_good == 4
    assert one.n_permutations < 60
    assert one.null_scores[-1] >= one.score - 1e-12
    np.testing.assert_array_equal(one.null_scores, two.null_scores)


def test_interrupted_test_is_that_of_what_is_finished():
    X, y = _table("normal", n_samples=30, n_features=12)

    def interrupt(n_done, n_steps, what):
        if what == "permutation 3":
            raise KeyboardInterrupt

    found = select_features(
        X, y, method="l2", n_permutations=50, random_state=0, progress=interrupt
    )
    assert found.permutations.n_permutations == 3
    assert "It was interrupted; 50 were asked for." in found.permutation_summary()


def test_interrupt_before_the_first_permutation_ends_all():
    X, y = _table("normal", n_samples=30, n_features=12)

    def interrupt(n_done, n_steps, what):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        select_features(X, y, n_permutations=50, random_state=0, progress=interrupt)


def test_progress_counts_each_permutation():
    X, y = _table("normal", n_samples=30, n_features=12)
    steps = []
    select_features(
        X,
        y,
        method="l2",
        n_permutations=3,
        random_state=0,
        progress=lambda *step: steps.append(step),
    )
    assert [step[2] for step in steps if step[2].startswith("perm")][-1] == "permutation 3"
    assert steps[-1][0] == steps[-1][1]


def test_null_tables_have_small_p_values_as_seldom_as_they_promise():
    p_values = []
    for seed in range(60):
        X, y = _table("normal", seed=seed, n_samples=24, n_features=8)
        test = permutation_test(
            X, y, method="l2", n_permutations=19, cv=3, n_features_to_select=2, random_state=seed
        )
        p_values.append(test.p_value)
    n_small = int(np.sum(np.array(p_values) <= 0.1))
    assert binomtest(n_small, 60, 0.1).pvalue > 0.001


# ------------------------------------------------------------------ what is exchangeable


def test_labels_change_places_among_samples():
    y = np.arange(40) % 3
    drawn = Relabelling.of(y).draw(0, 0)
    np.testing.assert_array_equal(np.bincount(drawn), np.bincount(y))
    assert (drawn != y).any()


def test_labels_of_whole_groups_change_places():
    groups = np.repeat(np.arange(12), [1, 2, 3] * 4)
    drawn = Relabelling.of((np.arange(12) % 2)[groups], groups).draw(0, 5)
    assert all(np.unique(drawn[groups == each]).size == 1 for each in range(12))


def test_labels_stay_inside_groups_that_have_several():
    groups, y = np.repeat(np.arange(10), 4), np.arange(40) % 2
    drawn = Relabelling.of(y, groups).draw(0, 1)
    np.testing.assert_array_equal(drawn.reshape(10, 4).sum(axis=1), 2)
    assert (drawn != y).any()


def test_labels_stay_inside_blocks_if_asked():
    blocks, y = np.repeat([0, 1], 20), np.r_[np.zeros(15), np.ones(5), np.zeros(4), np.ones(16)]
    drawn = Relabelling.of(y.astype(int), blocks=blocks).draw(0, 2)
    assert drawn[:20].sum() == 5
    assert drawn[20:].sum() == 16


def test_blocks_that_are_all_the_difference_have_no_small_p_value_inside_them():
    rng = np.random.default_rng(0)
    blocks = np.repeat([0, 1], 30)
    y = np.where(rng.random(60) < 0.85, blocks, 1 - blocks)
    X = rng.normal(size=(60, 20)) + 2.0 * blocks[:, None]
    options = {"method": "l2", "blocks": blocks, "n_permutations": 49, "random_state": 0}
    assert permutation_test(X, y, **options).p_value == 0.02
    assert permutation_test(X, y, permute_within="blocks", **options).p_value > 0.05


def test_one_number_gives_the_same_relabelling_again():
    relabelling = Relabelling.of(np.arange(30) % 2)
    np.testing.assert_array_equal(relabelling.draw(1, 4), relabelling.draw(1, 4))
    assert (relabelling.draw(1, 4) != relabelling.draw(1, 5)).any()


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n_permutations": -1}, ValueError, "n_permutations=-1 must be at least 0"),
        ({"n_permutations": 2.5}, TypeError, "n_permutations=2.5 must be an int"),
        ({"stop_after": 0}, ValueError, "stop_after=0 must be at least 1"),
        ({"permute_within": "groups"}, ValueError, "permute_within='groups' must be one of"),
        ({"permute_within": "blocks"}, ValueError, "permute_within='blocks' needs blocks"),
        ({"n_permutations": 0, "stop_after": 5}, ValueError, "stop_after=5 needs n_permutations"),
    ],
)
def test_refuses(options, error, words):
    X, y = _table("normal", n_samples=20, n_features=5)
    with pytest.raises(error, match=words):
        select_features(X, y, **{"n_permutations": 3} | options)


def test_refuses_a_test_without_permutations():
    X, y = _table("normal", n_samples=20, n_features=5)
    with pytest.raises(ValueError, match="n_permutations=0 must be at least 1"):
        permutation_test(X, y, n_permutations=0)


def test_refuses_groups_that_leave_too_few_labellings():
    y, groups = np.arange(12) % 2, np.array([0, 0, 1, 1, *range(2, 10)])
    with pytest.raises(ValueError, match="there are 4 labellings, and p <= 0.05 takes 20"):
        Relabelling.of(y, groups)
    assert Relabelling.of(y, np.arange(12) // 6)._n_different == 400


def test_refuses_blocks_of_one_class_each_to_permute_within():
    X, y = _table("normal", n_samples=24, n_features=5)
    blocks = np.where(y == 0, np.arange(24) % 2, 2 + np.arange(24) % 2)
    with pytest.raises(ValueError, match="changes nothing"):
        permutation_test(X, y, n_permutations=3, blocks=blocks, permute_within="blocks")


def test_refuses_groups_in_several_blocks_to_permute_within():
    y = np.repeat([0, 1], 6)
    with pytest.raises(ValueError, match="needs each group in one block"):
        Relabelling.of(y, np.arange(12) // 2, np.arange(12) % 2)


def test_draws_do_not_depend_on_the_names_of_groups():
    groups = np.repeat([3, 0, 2, 1, 5, 4, 6, 7], 2)
    y = groups % 2
    names = np.array(list("hgfedcba"))[groups]
    for number in range(3):
        drawn = [Relabelling.of(y, each).draw(0, number) for each in (groups, names)]
        np.testing.assert_array_equal(*drawn)


def test_tally_of_equal_gains_counts_them_as_large():
    tally = _Tally(Null(0.5, np.array([1.0, 2.0])), None)
    tally.add(Null(0.4, np.array([2.0, 1.0])))
    np.testing.assert_allclose(tally.feature_p_values(), [1.0, 1.0])
    np.testing.assert_allclose(tally.expected_false(), [2.0, 1.0])
