import numpy as np
import pytest

from centroidal.datasets import make_feature_blocks


def block_of(made, own, block):
    """Entries of the samples of one class in the features of another, or in noise for -1."""
    return made.data[np.ix_(made.target == own, made.feature_class == block)]


@pytest.fixture(scope="module")
def large():
    return make_feature_blocks(
        3000, 10, n_classes=3, mean=0.7, spread=2.5, n_noise=12, random_state=0
    )


def test_every_part_has_the_asked_size():
    made = make_feature_blocks(30, 4, n_classes=3, n_noise=5, random_state=0)
    assert made.data.shape == (30, 17)
    assert made.target.shape == (30,)
    assert made.feature_class.shape == (17,)


def test_defaults_are_those_of_the_third_simulation():
    made = make_feature_blocks(random_state=0)
    assert made.data.shape == (1000, 20)
    assert np.bincount(made.target).tolist() == [250] * 4


def test_noise_comes_after_the_blocks():
    made = make_feature_blocks(12, 2, n_classes=3, n_noise=2, random_state=0)
    assert made.feature_class.tolist() == [0, 0, 1, 1, 2, 2, -1, -1]


def test_parts_have_the_types_of_numbers_and_codes():
    made = make_feature_blocks(12, 2, random_state=0)
    assert made.data.dtype == np.float64
    assert np.issubdtype(made.target.dtype, np.integer)
    assert np.issubdtype(made.feature_class.dtype, np.integer)


@pytest.mark.parametrize("n_samples", [3, 10, 31])
def test_classes_are_balanced(n_samples):
    made = make_feature_blocks(n_samples, 2, n_classes=3, random_state=0)
    assert np.unique(made.target).tolist() == [0, 1, 2]
    assert np.ptp(np.bincount(made.target)) <= 1


def test_classes_are_shuffled():
    target = make_feature_blocks(80, 2, random_state=0).target
    assert np.any(np.diff(target) < 0)


# A block has 1000 samples of 10 features; 5 standard errors of its mean, or deviation, are
# 0.05, or 0.035, times its standard deviation.


@pytest.mark.parametrize("own", range(3))
def test_own_block_has_the_mean_and_deviation_one(large, own):
    block = block_of(large, own, own)
    assert block.mean() == pytest.approx(0.7, abs=0.05)
    assert block.std() == pytest.approx(1.0, rel=0.035)


@pytest.mark.parametrize(("own", "block"), [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)])
def test_other_blocks_have_mean_zero_and_the_spread(large, own, block):
    entries = block_of(large, own, block)
    assert entries.mean() == pytest.approx(0.0, abs=0.125)
    assert entries.std() == pytest.approx(2.5, rel=0.035)


@pytest.mark.parametrize("own", range(3))
def test_noise_is_standard_normal_in_every_class(large, own):
    noise = block_of(large, own, -1)
    assert noise.mean() == pytest.approx(0.0, abs=0.05)
    assert noise.std() == pytest.approx(1.0, rel=0.035)


def test_features_of_a_class_are_uncorrelated(large):
    samples = large.data[large.target == 1]
    correlations = np.corrcoef(samples.T) - np.eye(samples.shape[1])
    assert np.abs(correlations).max() < 0.16


def test_without_spread_other_blocks_are_zero():
    made = make_feature_blocks(20, 2, n_classes=2, spread=0, random_state=0)
    assert not block_of(made, 0, 1).any()
    assert block_of(made, 0, 0).all()


def test_mean_may_be_negative():
    made = make_feature_blocks(400, 5, mean=-2.0, random_state=0)
    assert block_of(made, 1, 1).mean() == pytest.approx(-2.0, abs=0.3)


def test_mean_and_spread_change_nothing_else():
    """The same numbers are drawn, so that settings can be compared in pairs."""
    first = make_feature_blocks(40, 3, mean=0.0, spread=1.0, random_state=0)
    second = make_feature_blocks(40, 3, mean=0.5, spread=3.0, random_state=0)
    is_own = first.target[:, None] == first.feature_class
    np.testing.assert_array_equal(second.target, first.target)
    np.testing.assert_allclose(second.data, np.where(is_own, first.data + 0.5, 3.0 * first.data))


def test_the_same_seed_gives_the_same_data():
    first, second = (make_feature_blocks(20, 2, n_noise=2, random_state=3) for _ in range(2))
    for part in first:
        np.testing.assert_array_equal(first[part], second[part])


def test_source_of_randomness_goes_on():
    rng = np.random.RandomState(3)
    first, second = (make_feature_blocks(20, 2, random_state=rng) for _ in range(2))
    assert not np.array_equal(first.data, second.data)


def test_another_seed_gives_other_data():
    first, second = (make_feature_blocks(20, 2, random_state=seed) for seed in (0, 1))
    assert not np.array_equal(first.data, second.data)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_classes": 1}, "n_classes=1 must be finite and at least 2"),
        ({"n_samples": 3}, "n_samples=3 must be finite and at least 4"),
        ({"n_features_per_class": 0}, "n_features_per_class=0 must be finite and at least 1"),
        ({"n_noise": -1}, "n_noise=-1 must be finite and at least 0"),
        ({"mean": np.nan}, "mean=nan must be finite"),
        ({"mean": np.inf}, "mean=inf must be finite"),
        ({"spread": -0.5}, "spread=-0.5 must be finite and at least 0"),
        ({"spread": np.nan}, "spread=nan must be finite and at least 0"),
        ({"spread": np.inf}, "spread=inf must be finite and at least 0"),
    ],
    ids=str,
)
def test_error_names_the_parameter_and_its_bounds(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_feature_blocks(**parameters)


@pytest.mark.parametrize("name", ["n_samples", "n_features_per_class", "n_classes", "n_noise"])
def test_a_count_must_be_a_whole_number(name):
    with pytest.raises(TypeError, match=f"{name}=10.0 must be a whole number"):
        make_feature_blocks(**{name: 10.0})
