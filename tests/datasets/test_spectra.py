import numpy as np
import pytest

from centroidal.datasets import make_spectra
from centroidal.preprocessing import standard_normal_variate


def test_every_part_has_the_asked_size():
    made = make_spectra(9, 40, n_replicates=2, n_classes=3, random_state=0)
    assert made.data.shape == (18, 40)
    assert np.bincount(made.target).tolist() == [6, 6, 6]
    assert np.bincount(made.groups).tolist() == [2] * 9
    assert made.target_names.tolist() == ["class A", "class B", "class C"]


def test_names_are_the_wavelengths():
    made = make_spectra(4, 151, random_state=0)
    assert made.feature_names[[0, 1, -1]].tolist() == ["1000", "1010", "2500"]
    np.testing.assert_array_equal(made.feature_names.astype(float), made.wavelengths)


def test_replicates_have_the_class_of_their_specimen():
    made = make_spectra(10, n_replicates=4, random_state=0)
    for group in range(10):
        assert np.unique(made.target[made.groups == group]).size == 1


def test_same_seed_gives_the_same_spectra():
    first, second = (make_spectra(4, random_state=3).data for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_class_means_differ_most_where_peaks_do():
    made = make_spectra(2000, n_replicates=1, effect=1.0, background=0.0, random_state=0)
    means = [made.data[made.target == code].mean(axis=0) for code in (0, 1)]
    gaps = np.abs(means[0] - means[1])
    assert gaps[made.informative].min() > 0.2 > np.median(gaps[~made.informative])


def test_without_effect_class_means_are_equal():
    made = make_spectra(2000, n_replicates=1, effect=0.0, background=0.0, random_state=0)
    means = [made.data[made.target == code].mean(axis=0) for code in (0, 1)]
    np.testing.assert_allclose(*means, atol=0.05)


def test_replicates_resemble_each_other_once_their_background_is_gone():
    made = make_spectra(30, n_replicates=2, effect=0.0, random_state=0)
    X = standard_normal_variate(made.data)
    distances = np.linalg.norm(X[:, None] - X, axis=2) + 1e9 * np.eye(60)
    assert np.mean(made.groups[distances.argmin(axis=1)] == made.groups) > 0.6


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_classes": 5}, r"n_classes=5 must lie between 2 and n_specimens=4\."),
        ({"n_informative": 16}, r"n_informative=16 must lie between 0 and 15\."),
        ({"n_replicates": 0}, r"n_replicates=0 must be finite and at least 1\."),
        ({"effect": -1.0}, r"effect=-1\.0 must be finite and at least 0\."),
    ],
)
def test_error_names_the_parameter_and_its_bounds(wrong, message):
    with pytest.raises(ValueError, match=message):
        make_spectra(4, **wrong)
