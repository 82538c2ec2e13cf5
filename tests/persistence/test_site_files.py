"""What sites exchange comes out of files as it went in; what is forged or damaged does not."""

import warnings
from copy import deepcopy

import numpy as np
import pytest

from centroidal.model_selection import SiteSummary, select_federated
from centroidal.persistence import load_model, model_file, read_model_card, save_model
from centroidal.statistics import ClassMoments

from .test_model_file import mutant

N_MUTANTS = 150


def make_site(seed, n_samples=48, n_features=6):
    rng = np.random.default_rng(seed)
    codes = np.arange(n_samples) % 2
    return rng.normal(size=(n_samples, n_features)) + codes[:, None], np.array(["a", "b"])[codes]


SITES = [make_site(0), make_site(1)]


@pytest.fixture(scope="module")
def exchanged():
    """The merged summary of two sites, and their counts."""
    one, other = (SiteSummary(3).fit(*site) for site in SITES)
    merged = one.merge(other)
    return merged, [merged.score_site(*site) for site in SITES]


@pytest.fixture
def merged(exchanged):
    return deepcopy(exchanged[0])


@pytest.fixture
def counts(exchanged):
    return deepcopy(exchanged[1])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "site.skops"


def through_a_file(thing, path):
    save_model(thing, path, force=True)
    return load_model(path)


def forge(thing, path, monkeypatch):
    """Write a file that is not checked when it is written."""
    with monkeypatch.context() as patch:
        patch.setattr(model_file, "check_model", lambda model: None)
        save_model(thing, path, force=True)


def test_summary_and_counts_come_out_of_files_as_they_went_in(merged, counts, path):
    found = select_federated(merged, counts)
    loaded = through_a_file(merged, path)
    assert loaded._hash == merged._hash
    again = select_federated(loaded, [through_a_file(each, path) for each in counts])
    assert (again.score, again.interval) == (found.score, found.interval)


def test_card_tells_classes_and_folds(merged, path):
    save_model(merged, path)
    card = read_model_card(path)
    assert (card.class_name, card.classes) == ("SiteSummary", ["a", "b"])
    assert card.parameters["cv"] == 3


def test_summary_that_was_loaded_is_merged_on(path):
    one, other = (through_a_file(SiteSummary(3).fit(*site), path) for site in SITES)
    assert one.merge(other).class_counts_.tolist() == [48, 48]


# ------------------------------------------------------------------ forgeries of summaries


def change_moments(name, change):
    def forge(summary):
        arrays = {key: each.copy() for key, each in vars(summary._solution.moments).items()}
        arrays[name] = change(arrays[name])
        summary._solution = summary._solution._replace(moments=ClassMoments(**arrays))

    return forge


def change(name, value):
    return lambda thing: setattr(thing, name, value(getattr(thing, name)))


def put(place, value):
    def change(array):
        array = array.copy()
        array[place] = value
        return array

    return change


SUMMARIES = {
    "parts of samples": (change_moments("counts", put(0, 8.5)), "holds parts of samples"),
    "negative counts": (change_moments("counts", put(0, -8.0)), "counts holds numbers below"),
    "negative squares": (change_moments("squares", put((0, 0), -1.0)), "holds numbers below 0"),
    "infinite means": (change_moments("means", put((0, 0), np.inf)), "means holds infinity"),
    "missing means": (change_moments("means", put((0, 0), np.nan)), "means holds NaN"),
    "fewer rows": (change_moments("means", lambda means: means[:-1]), "entries where there are 6"),
    "fewer features": (change_moments("means", lambda means: means[:, 1:]), "has 5 entries"),
    "whole numbers": (change_moments("means", lambda means: means.astype(int)), "array of int"),
    "other folds": (change("cv", lambda _: 4), "has 3 folds, not 4"),
    "a million folds": (change("cv", lambda _: 10**6), "cv=1000000 must lie between"),
    "another method": (change("method", lambda _: "l1"), "method='l1' must be one of 'l2'"),
    "another scale": (change("scale_", lambda _: "mad"), "scale_ is none of 'within', 'std'"),
    "no sites": (change("sites_", lambda _: []), "sites_ holds no site, or one twice"),
    "a site twice": (change("sites_", lambda sites: sites[:1] * 2), "holds no site, or one twice"),
    "a site by name": (change("sites_", lambda _: ["north"]), "is no hash of 64 digits"),
    "more groups": (change("unit_counts_", put(0, 900)), "or more groups"),
    "an empty class": (change("unit_counts_", put(0, 0)), "holds classes without samples"),
    "labels twice": (change("classes_", put(0, "b")), "does not hold each label once"),
    "no number of groups": (change("n_groups_", lambda _: 0), "n_groups_ is 0, below 1"),
    "more state": (lambda summary: vars(summary).update(rows_=np.ones(3)), "rows_ is no attribute"),
}


@pytest.mark.parametrize("name", SUMMARIES)
def test_forged_summary_is_refused(name, merged, path, monkeypatch):
    forging, words = SUMMARIES[name]
    forging(merged)
    forge(merged, path, monkeypatch)
    with pytest.raises(ValueError, match=words):
        load_model(path)


@pytest.mark.parametrize("name", SUMMARIES)
def test_forged_summary_is_not_merged_scored_or_chosen_by(name, merged, counts):
    forging, words = SUMMARIES[name]
    forging(merged)
    for use in (
        lambda: SiteSummary(3).fit(*make_site(2)).merge(merged),
        lambda: merged.score_site(*SITES[0]),
        lambda: select_federated(merged, counts),
        lambda: merged.at(2),
    ):
        with pytest.raises(ValueError, match=words):
            use()


def test_sums_that_leave_the_range_of_numbers_are_refused():
    one, other = (SiteSummary(3).fit(*site) for site in SITES)
    change_moments("means", put((0, 0), 1e308))(one)
    change_moments("means", put((0, 0), -1e308))(other)
    with pytest.raises(ValueError, match="holds (infinity|NaN)"):
        one.merge(other)


def test_classes_too_many_to_count_are_refused_before_memory_is_asked_for():
    n_classes = 4000
    y = np.repeat(np.arange(n_classes), 3)
    X = np.arange(y.size, dtype=float)[:, None] % 7
    summary = SiteSummary(3).fit(X, y, allow_small=np.arange(n_classes))
    with pytest.raises(ValueError, match="4000 classes are too many"):
        summary.score_site(X, y, allow_small=np.arange(n_classes))


# ------------------------------------------------------------------ forgeries of counts

COUNTS = {
    "a sample more": (change("outer_", lambda each: each + put(0, 1)(each * 0)), "other samples"),
    "fewer inside": (change("inner_", lambda each: each * 0), "inner_ counts other samples"),
    "others at random": (change("random_", lambda each: each[:, :, ::-1] * 2), "random_ counts"),
    "negative": (change("outer_", put((0, 0, 0, 0), -1)), "do not lie between 0"),
    "floats": (change("outer_", lambda each: each.astype(float)), "array of float64"),
    "fewer sizes": (change("sizes_", lambda sizes: sizes[1:]), "entries where there are"),
    "sizes that fall": (change("sizes_", lambda sizes: sizes[::-1].copy()), "does not increase"),
    "sums of groups": (change("group_sums_", lambda sums: sums * 0), "that no groups have"),
    "no summary": (change("summary_", lambda _: "mine"), "is no hash of 64 digits"),
    "more state": (lambda counts: vars(counts).update(rows_=np.ones(3)), "rows_ is no attribute"),
}


@pytest.mark.parametrize("name", COUNTS)
def test_forged_counts_are_refused(name, merged, counts, path, monkeypatch):
    forging, words = COUNTS[name]
    forging(counts[0])
    forge(counts[0], path, monkeypatch)
    with pytest.raises(ValueError, match=words):
        load_model(path)
    with pytest.raises(ValueError, match=words):
        select_federated(merged, counts)
    with pytest.raises(ValueError, match=words):
        counts[1].merge(counts[0])


def double(counts):
    for name in ("outer_", "inner_", "random_", "group_sums_"):
        setattr(counts, name, 2 * getattr(counts, name))


@pytest.mark.parametrize(
    "forging",
    [double, change("sizes_", lambda sizes: sizes + 1), change("classes_", put(0, "A"))],
    ids=["twice as many", "other sizes", "other classes"],
)
def test_counts_that_agree_with_themselves_must_agree_with_the_summary(forging, merged, counts):
    forging(counts[0])
    with pytest.raises(ValueError, match="do not count the samples of the summary"):
        select_federated(merged, counts)


def test_counts_that_claim_another_site_are_refused(merged, counts):
    counts[1].sites_ = list(counts[0].sites_)
    with pytest.raises(ValueError, match="are of the same samples"):
        select_federated(merged, counts)
    counts[1].sites_ = ["0" * 64]
    with pytest.raises(ValueError, match="1 of 2 sites have sent no counts"):
        select_federated(merged, counts)


def test_summary_that_was_changed_after_it_was_scored_is_noticed(merged, counts):
    change_moments("means", lambda means: means[::-1].copy())(merged)
    with pytest.raises(ValueError, match="counts 1 are counts of another merged summary"):
        select_federated(merged, counts)


def test_files_in_the_place_of_each_other_are_told_by_their_kind(merged, counts):
    with pytest.raises(TypeError, match="must be a SiteSummary"):
        select_federated(counts[0], counts)
    with pytest.raises(TypeError, match="counts 2 is a SiteSummary"):
        select_federated(merged, [counts[0], merged])
    with pytest.raises(TypeError, match="other=SiteCounts must be"):
        merged.merge(counts[0])
    with pytest.raises(TypeError, match="other=SiteSummary must be SiteCounts"):
        counts[0].merge(merged)


# ------------------------------------------------------------------ damage


def test_mutants_of_site_files_are_refused_cleanly_or_harmless(merged, counts, path, tmp_path):
    rng = np.random.default_rng(5)
    originals = [tmp_path / "summary.skops", tmp_path / "counts.skops"]
    for thing, original in zip((merged, counts[0]), originals, strict=True):
        save_model(thing, original)
    outcomes = {"loaded": 0, "refused": 0}
    for number in range(N_MUTANTS):
        path.write_bytes(mutant(rng, originals[number % 2]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = load_model(path, max_bytes=2**22)
            except ValueError as error:
                outcomes["refused"] += path.name in str(error)
                continue
            outcomes["loaded"] += 1
            try:  # what is wrong may be refused, but not crash
                select_federated(found, counts) if number % 2 == 0 else select_federated(
                    merged, [found, counts[1]]
                )
            except (ValueError, TypeError):
                continue
    assert sum(outcomes.values()) == N_MUTANTS
    assert min(outcomes.values()) > 0
