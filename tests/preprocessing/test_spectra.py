import numpy as np
import pytest

from centroidal.preprocessing import (
    PREPROCESSING,
    named_steps,
    savitzky_golay,
    standard_normal_variate,
)


@pytest.fixture
def spectra(rng):
    return rng.normal(size=(6, 40)).cumsum(axis=1)


def test_offset_and_strength_of_a_spectrum_do_not_count(spectra, rng):
    offsets, strengths = rng.normal(size=(6, 1)), rng.uniform(0.5, 2.0, size=(6, 1))
    changed = standard_normal_variate(offsets + strengths * spectra)
    assert np.allclose(changed, standard_normal_variate(spectra), atol=1e-12)


def test_rows_get_mean_zero_and_variance_one(spectra):
    found = standard_normal_variate(spectra)
    assert np.allclose(found.mean(axis=1), 0.0)
    assert np.allclose(found.std(axis=1), 1.0)


def test_row_without_variance_becomes_zero():
    assert not standard_normal_variate([[0.1] * 7, [0.0] * 7]).any()


def test_derivative_does_not_know_a_baseline(spectra):
    raised = savitzky_golay(spectra + np.arange(6.0)[:, None])
    assert np.allclose(raised, savitzky_golay(spectra), atol=1e-12)


def test_derivative_of_a_parabola_is_its_slope():
    x = np.arange(30.0)
    assert np.allclose(savitzky_golay([x**2])[0], 2 * x)


def test_window_that_is_longer_than_the_spectrum_is_refused():
    with pytest.raises(ValueError, match="window_length=11 must be at most the number of feat"):
        savitzky_golay(np.ones((2, 10)))


@pytest.mark.parametrize("name", PREPROCESSING)
def test_every_name_keeps_columns_and_their_names(spectra, name):
    counts = np.rint(np.abs(spectra)) + 1.0
    step = named_steps(name).fit(counts)
    assert step.transform(counts).shape == spectra.shape
    assert step.get_feature_names_out()[:2].tolist() == ["x0", "x1"]


def test_steps_are_applied_in_their_order(spectra):
    X = np.abs(spectra)
    expected = standard_normal_variate(np.log1p(X))
    assert np.array_equal(named_steps(["log1p", "snv"]).fit_transform(X), expected)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("log", "preprocess='log' must be among log1p, snv, savgol, norm"),
        ((), "preprocess='' must be among log1p"),
        ("snv,snv", "preprocess='snv,snv' names a step twice"),
    ],
)
def test_names_that_are_not_known_are_refused(names, words):
    with pytest.raises(ValueError, match=words):
        named_steps(names)
