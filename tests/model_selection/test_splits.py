"""Groups of samples stay together wherever samples are cut."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedGroupKFold

from centroidal import SparseCenterClassifier, SparseCenterClassifierCV, StabilitySelector
from centroidal._data import Features, LabelledData
from centroidal.model_selection.splits import (
    GroupFolds,
    Groups,
    Units,
    check_groups,
    cut_samples,
    list_folds,
    n_repeats_of,
    outer_folds,
)

from ..l2 import select_features


def labelled(codes):
    codes = np.asarray(codes)
    X = np.zeros((codes.size, 1))
    return LabelledData(
        X, codes, np.array(["a", "b", "c"])[: codes.max() + 1], None, Features(1, None)
    )


@pytest.fixture
def patients():
    """Samples of 40 patients, one to five each, some with samples of both classes."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), rng.integers(1, 6, 40))
    codes = (groups % 2 == 0).astype(int)
    codes[rng.permutation(codes.size)[:5]] = 1
    return groups, codes


@pytest.mark.parametrize("n_folds", [3, 5, 10])
def test_each_group_is_in_one_fold_of_every_repeat(patients, n_folds):
    groups, codes = patients
    repeats = cut_samples(labelled(codes), n_folds, 4, 0, groups, 3)
    assert len(repeats) == 4
    for repeat in repeats:
        pairs = np.unique(np.column_stack([groups, repeat.folds]), axis=0)
        assert len(pairs) == 40
        assert set(repeat.folds) == set(range(n_folds))
    assert not all(np.array_equal(repeats[0].folds, each.folds) for each in repeats[1:])


def test_folds_of_groups_have_balanced_classes(patients):
    groups, codes = patients
    (repeat,) = cut_samples(labelled(codes), 5, 1, 0, groups, 3)
    shares = [codes[repeat.folds == fold].mean() for fold in range(5)]
    np.testing.assert_allclose(shares, codes.mean(), atol=0.15)


def unevenness(folds, codes, n_folds):
    """How much the shares of classes differ between folds."""
    n_classes = codes.max() + 1
    table = np.bincount(folds * n_classes + codes, minlength=n_folds * n_classes)
    shares = table.reshape(n_folds, n_classes) / np.bincount(codes)
    return shares.std(axis=0).mean()


@pytest.mark.parametrize("sizes", ["equal", "few", "skewed", "many"])
@pytest.mark.parametrize("is_mixed", [False, True])
def test_folds_of_groups_are_as_even_as_those_of_scikit_learn(sizes, is_mixed):
    rng = np.random.default_rng(0)
    mine, theirs = [], []
    for seed in range(15):
        n_groups, n_folds = int(rng.integers(30, 100)), int(rng.integers(3, 6))
        drawn = {
            "equal": np.full(n_groups, 4),
            "few": rng.integers(1, 6, n_groups),
            "skewed": rng.lognormal(1.0, 1.0, n_groups).astype(int) + 1,
            "many": rng.integers(1, 30, n_groups),
        }
        groups = np.repeat(np.arange(n_groups), drawn[sizes])
        codes = rng.choice(3, size=groups.size if is_mixed else n_groups, p=[0.5, 0.3, 0.2])
        codes = codes if is_mixed else codes[groups]
        counted = Groups.count(groups, codes, 3)
        deal = GroupFolds.deal(n_folds, seed, counted, np.arange(3), least=2)
        mine.append(unevenness(deal.folds_of(None, None, groups), codes, n_folds))
        folds = np.empty(codes.size, dtype=int)
        for number, (_, test) in enumerate(
            StratifiedGroupKFold(n_folds).split(codes, codes, groups)
        ):
            folds[test] = number
        theirs.append(unevenness(folds, codes, n_folds))
    assert np.mean(mine) < 1.1 * np.mean(theirs)


def test_groups_are_dealt_whatever_the_order_of_rows(patients):
    groups, codes = patients
    order = np.random.default_rng(0).permutation(codes.size)
    first = cut_samples(labelled(codes), 5, 3, 1, groups, 3)
    again = cut_samples(labelled(codes[order]), 5, 3, 1, groups[order], 3)
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one.folds[order], other.folds)


def test_groups_of_different_sizes_are_dealt_anew_in_each_repeat():
    groups = np.repeat(np.arange(20), np.arange(20) + 10)
    repeats = cut_samples(labelled(np.arange(groups.size) % 2), 5, 4, 0, groups, 3)
    cuts = {tuple(np.unique(each.folds, return_inverse=True)[1]) for each in repeats}
    assert len(cuts) == 4


@pytest.mark.parametrize(
    ("n_samples", "merged", "other"),
    [(60, 10, 3), (100, 10, 3), (101, 5, 3), (2_000, 5, 3), (20_000, 3, 3), (20_001, 1, 1)],
)
def test_repeats_depend_on_the_samples_and_on_whether_sums_of_folds_merge(n_samples, merged, other):
    assert n_repeats_of(None, n_samples, merges=True) == merged
    assert n_repeats_of(None, n_samples, merges=False) == other
    assert n_repeats_of(7, n_samples, merges=True) == 7


def test_folds_are_drawn_once_where_that_takes_long_enough():
    assert n_repeats_of(None, 100, merges=False, once=True) == 1
    assert n_repeats_of(3, 100, merges=False, once=True) == 3


def test_every_training_set_has_samples_of_each_class():
    groups = np.arange(12) // 2
    codes = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    for seed in range(20):
        (repeat,) = cut_samples(labelled(codes), 3, 1, seed, groups, 3)
        for fold in range(3):
            assert set(codes[repeat.folds == fold]) == {0, 1}


def test_classes_that_whole_groups_cannot_share_are_refused():
    data, groups = labelled(np.arange(24) % 2), np.arange(24) // 4
    with pytest.raises(ValueError, match="class 'a' has 6 groups, which cv=3 folds of whole"):
        outer_folds(3, 1, data, groups, 0, least=4)


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ([1, 2], r"groups of shape \(2,\) must hold one group for each of the 4 samples"),
        (["p", "q", None, "p"], "groups has no value for 1 of 4 samples, .* in row 2"),
        ([0.0, np.nan, np.nan, 1.0], "groups has no value for 2 of 4 samples, .* in row 1"),
        (["p", "", "q", "p"], "groups has no value for 1 of 4 samples, .* in row 1"),
        (["p", "p", "p", "p"], "groups holds one group"),
    ],
)
def test_groups_that_cannot_be_are_refused(groups, words):
    with pytest.raises(ValueError, match=words):
        check_groups(groups, 4)


@pytest.mark.parametrize(
    "groups",
    [["p", "q", "p", "r"], [7, 9, 7, 11], np.array(["p", "q", "p", "r"], dtype=object)],
)
def test_groups_become_numbers_in_the_order_of_their_names(groups):
    np.testing.assert_array_equal(check_groups(groups, 4), [0, 1, 0, 2])


def test_units_are_samples_or_the_groups_that_have_some_of_a_class():
    classes, codes, groups = np.array(["a", "b"]), np.array([0, 0, 0, 1, 1]), [0, 0, 1, 1, 2]
    assert Units.of(classes, codes).counts.tolist() == [3, 2]
    assert Units.of(classes, codes, np.array(groups)).counts.tolist() == [2, 2]


def test_too_few_groups_of_a_class_are_said_with_their_number(patients):
    groups, codes = patients
    X = np.random.default_rng(0).normal(size=(codes.size, 5))
    few = np.where(codes == 1, 100 + groups % 2, groups)
    with pytest.raises(ValueError, match=r"class 1 has 2 groups; at least 3 are needed"):
        select_features(X, codes, groups=few)
    few = np.where(codes == 1, 100 + np.arange(codes.size) % 4, groups)
    with pytest.raises(ValueError, match=r"cv=5 must be at most 4, the number of groups of class"):
        select_features(X, codes, groups=few, cv=5)
    assert select_features(X, codes, groups=few, n_repeats=1, random_state=0).n_folds == 4


# ------------------------------------------------------------------ noise that repeats


@pytest.fixture(scope="module")
def noise():
    """Four samples of each of 30 patients, whose label has nothing to do with the features."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 4)
    X = rng.normal(size=(30, 200))[groups] + 0.3 * rng.normal(size=(120, 200))
    return X, rng.integers(0, 2, 30)[groups], groups


@pytest.mark.parametrize("method", ["l2", "fisher"])
def test_groups_bring_the_score_of_noise_to_chance(noise, method):
    X, y, groups = noise
    options = {"method": method, "n_repeats": 1, "random_state": 0}
    alone, together = (select_features(X, y, groups=each, **options) for each in (None, groups))
    assert alone.score > 0.8
    assert together.score < 0.7
    assert (alone.n_groups, together.n_groups) == (None, 30)
    assert "on unseen groups of samples" in together.summary()
    assert "on unseen samples" in alone.summary()


def test_no_sample_is_predicted_by_a_model_that_saw_its_group(noise):
    _, y, groups = noise
    # A feature that tells the group: who has seen a group recognises all of its samples.
    told = np.eye(30)[groups]
    found = select_features(told, y, groups=groups, n_repeats=2, random_state=0)
    assert found.score < 0.75
    assert select_features(told, y, n_repeats=2, random_state=0).score > 0.9


def test_estimators_with_folds_keep_groups_together(noise):
    X, y, groups = noise
    for cv, splitter in ((None, StratifiedGroupKFold(5)), (4, StratifiedGroupKFold(4))):
        model = SparseCenterClassifierCV(cv=cv).fit(X, y, groups=groups)
        expected = SparseCenterClassifierCV(cv=splitter).fit(X, y, groups=groups)
        np.testing.assert_array_equal(
            model.path_["mean_test_score"], expected.path_["mean_test_score"]
        )
    for train, test in list_folds(None, X, y, groups=groups):
        assert not set(groups[train]) & set(groups[test])


class Spy(SparseCenterClassifier):
    seen = ()

    def fit(self, X, y, sample_weight=None):
        Spy.seen.append(X[:, 0].astype(int))
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("pairs", [True, False])
def test_resamples_have_all_samples_of_a_group_or_none(patients, pairs):
    groups, codes = patients
    X = np.column_stack([groups, np.random.default_rng(0).normal(size=(codes.size, 3))])
    Spy.seen = []
    selector = StabilitySelector(
        Spy(2), n_resamples=6, complementary_pairs=pairs, random_state=0, n_jobs=1
    )
    selector.fit(X, codes, groups=groups)
    sizes = np.bincount(groups)
    for drawn in Spy.seen:
        names, counts = np.unique(drawn, return_counts=True)
        np.testing.assert_array_equal(counts, sizes[names])
        assert names.size in (19, 20)
    if pairs:
        assert not set(Spy.seen[0]) & set(Spy.seen[1])


def test_groups_of_one_sample_each_are_drawn_as_samples_are(noise):
    X, y, _ = noise
    model = StabilitySelector(SparseCenterClassifier(5), n_resamples=6, random_state=0)
    alone, single = model.fit(X, y), None
    frequencies = alone.selection_frequencies_.copy()
    single = model.fit(X, y, groups=np.arange(y.size))
    np.testing.assert_array_equal(single.selection_frequencies_, frequencies)


# ------------------------------------------------------------------ folds that are given


def folds_of(y, n_folds, n_repeats, seed, groups=None):
    """The folds that a seed deals samples to."""
    codes = np.unique(y, return_inverse=True)[1]
    repeats = cut_samples(labelled(codes), n_folds, n_repeats, seed, groups, 3)
    return np.array([each.folds for each in repeats])


@pytest.mark.parametrize("method", ["l2", "recursive"])
def test_folds_that_are_given_score_as_the_same_folds_when_drawn(noise, method):
    X, y, _ = noise
    drawn = select_features(X, y, method=method, cv=4, n_repeats=2, random_state=5)
    given = select_features(X, y, method=method, cv=folds_of(y, 4, 2, 5), random_state=5)
    for name in ("score", "random_score", "interval", "metrics", "n_repeats", "n_folds"):
        assert getattr(given, name) == getattr(drawn, name)
    np.testing.assert_array_equal(given.confusion, drawn.confusion)


def test_one_row_of_folds_is_one_repeat(noise):
    X, y, _ = noise
    found = select_features(X, y, cv=folds_of(y, 4, 1, 0)[0].tolist(), random_state=0)
    assert (found.n_repeats, found.n_folds) == (1, 4)


def test_permuted_labels_are_scored_in_the_folds_that_are_given(noise):
    X, y, _ = noise
    folds = np.random.default_rng(1).permutation(y.size) % 4
    found = select_features(X, y, cv=folds, n_permutations=3, random_state=0)
    assert found.permutations.score == found.score


def wrong_folds(y):
    """Folds that cannot be, and what is said of them."""
    right = np.arange(y.size) % 4
    return {
        "each of the 120 samples": (right[1:], ValueError),
        "from 0 to 5 and none": (np.where(right == 3, 5, right), ValueError),
        "from 0 to 3 and none": (np.where(right == 0, -1, right), ValueError),
        "a whole number": (right + 0.5, TypeError),
        "cv='five' must be an int": ("five", TypeError),
        "in 2 of cv=4 folds": (np.where(y == y[0], right % 2, right), ValueError),
    }


@pytest.mark.parametrize("words", wrong_folds(np.zeros(120)))
def test_folds_that_cannot_be_are_refused(noise, words):
    X, y, _ = noise
    folds, error = wrong_folds(y)[words]
    with pytest.raises(error, match=words):
        select_features(X, y, cv=folds)


def test_given_folds_keep_groups_together_or_are_refused(noise):
    X, y, groups = noise
    with pytest.raises(ValueError, match="the same for all samples of a group"):
        select_features(X, y, cv=np.arange(y.size) % 4, groups=groups)


def test_given_folds_and_another_number_of_repeats_do_not_go_together(noise):
    X, y, _ = noise
    with pytest.raises(ValueError, match="n_repeats=2 must be None"):
        select_features(X, y, cv=np.arange(y.size) % 4, n_repeats=2)
