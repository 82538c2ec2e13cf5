import math

import numpy as np

from centroidal._percent import percent


def test_a_space_stands_before_the_sign():
    assert percent(0.95) == "95.0 %"
    assert percent(np.float64(0.4167), digits=0) == "42 %"


def test_the_standard_error_has_the_digits_of_the_share():
    assert percent(0.95, 0.0104) == "95.0 ± 1.0 %"
    assert percent(0.95, math.nan) == "95.0 %"


def test_what_is_not_known_is_said():
    assert percent(math.nan) == "unknown"
    assert percent(math.nan, 0.1) == "unknown"
