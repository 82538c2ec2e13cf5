"""What fitted state must be: a class says it in a table, and one walk checks it.

A model file may come from anybody. Before what was loaded predicts, learns on or is merged, every
array and number in it must have the shape, the type and the range that its class states in
`_state`, so that compiled loops, which check nothing, are given only what they expect.

Sizes have names: the first array that has "features" columns says how many they are, and all
others must agree. Where a size follows from others, a function of these stands for it.
"""

from numbers import Integral, Real

import numpy as np

_SHARED = ("classes", "features")  # sizes that parts of an estimator have in common
# What scikit-learn keeps in estimators beside parameters and fitted state.
_SETTINGS = {"_sklearn_output_config", "_metadata_request", "_sklearn_version"}


class StateError(ValueError):
    """Fitted state that cannot be; says where and why."""

    def __init__(self, words, place=""):
        super().__init__(f"{place} {words}".strip())
        self.words, self.place = words, place

    def inside(self, place):
        """Return the same error, seen from what holds this."""
        dot = "." if self.place and not self.place.startswith("[") else ""
        return StateError(self.words, f"{place}{dot}{self.place}")


def check_state(thing, **sizes):
    """Raise StateError unless an estimator, a statistic or a solution is as its class says.

    An estimator that was not fitted has no state. Estimators inside are not looked at.
    """
    table = _table_of(type(thing))
    found = _state_of(thing)
    if hasattr(thing, "get_params") and not found:
        return
    unknown = sorted(set(found) - set(table))
    if unknown:
        raise StateError(f"is no attribute of a {type(thing).__name__}", unknown[0])
    for name, check in table.items():
        if name in found:
            try:
                check(found[name], sizes)
            except StateError as error:
                raise error.inside(name) from None
        elif not getattr(check, "may_be_absent", False):
            raise StateError(f"is missing in a {type(thing).__name__}", name)
    if hasattr(thing, "_check_relations"):
        thing._check_relations(sizes)


def has_state(thing):
    """Whether the class of something says what its state must be."""
    return bool(_table_of(type(thing)))


def _table_of(kind):
    """Merge the tables of a class and those it is derived from, these first."""
    table = {}
    for base in reversed(kind.__mro__):
        table |= vars(base).get("_state", {})
    return table


def _state_of(thing):
    if hasattr(thing, "_fields"):
        return thing._asdict()
    parameters = thing.get_params(deep=False) if hasattr(thing, "get_params") else {}
    return {
        name: value
        for name, value in vars(thing).items()
        if name not in parameters and name not in _SETTINGS
    }


# ------------------------------------------------------------------ sizes


def scores(sizes):
    """Return the number of columns of scores: one for two classes, else one a class."""
    return 1 if sizes["classes"] == 2 else sizes["classes"]


def _resolve(size, sizes, found=None):
    """Return a size by its name, which `found` gives a meaning if it has none yet."""
    if callable(size):
        return size(sizes)
    if isinstance(size, str):
        return sizes[size] if found is None else sizes.setdefault(size, found)
    return size


def _check_shape(shape, names, sizes):
    if len(shape) != len(names):
        raise StateError(f"has {len(shape)} dimensions, not {len(names)}")
    for found, name in zip(shape, names, strict=True):
        wanted = _resolve(name, sizes, found)
        if found != wanted:
            what = name if isinstance(name, str) else "such"
            raise StateError(f"has {found} entries where there are {wanted} {what}")


# ------------------------------------------------------------------ arrays


def _check_array(value, kinds, shape, sizes):
    if type(value) is not np.ndarray:
        raise StateError(f"is a {type(value).__name__}, not an array")
    if value.dtype.kind not in kinds or not value.dtype.isnative:
        raise StateError(f"is an array of {value.dtype}, which it cannot be")
    _check_shape(value.shape, shape, sizes)


def _check_range(values, least, nan, infinite):
    if not nan and np.isnan(values).any():
        raise StateError("holds NaN")
    if not infinite and np.isinf(values).any():
        raise StateError("holds infinity")
    if least is not None and (values < least).any():
        raise StateError(f"holds numbers below {least}")


def floats(*shape, least=None, nan=False, infinite=False):
    """Return a check: an array of floats."""

    def check(value, sizes):
        _check_array(value, "f", shape, sizes)
        _check_range(value, least, nan, infinite)

    return check


def counts(*shape):
    """Return a check: an array of weights whose sum is a positive number."""

    def check(value, sizes):
        floats(*shape, least=0.0)(value, sizes)
        with np.errstate(over="ignore"):
            total = value.sum()
        if not 0.0 < total < np.inf:
            raise StateError(f"has the sum {total}")

    return check


def positions(*shape, below):
    """Return a check: an array of whole numbers from 0 on, below a size."""

    def check(value, sizes):
        _check_array(value, "i", shape, sizes)
        limit = _resolve(below, sizes)
        if value.size and (value.min() < 0 or value.max() >= limit):
            raise StateError(f"holds numbers that do not lie between 0 and {limit - 1}")

    return check


def ranking(size):
    """Return a check: each whole number from 0 on, once."""

    def check(value, sizes):
        _check_array(value, "i", (size,), sizes)
        if not np.array_equal(np.sort(value), np.arange(value.size)):
            raise StateError(f"does not hold each number from 0 to {value.size - 1} once")

    return check


def mask(*shape, may_be_empty=True):
    """Return a check: an array of True and False."""

    def check(value, sizes):
        _check_array(value, "b", shape, sizes)
        if not may_be_empty and not value.any():
            raise StateError("is not True anywhere")

    return check


def labels(size):
    """Return a check: labels of classes, each once and in order."""

    def check(value, sizes):
        _check_array(value, "biufUSmMO", (size,), sizes)
        try:
            is_sorted = bool((value[:-1] < value[1:]).all())
        except TypeError:
            is_sorted = False
        if not is_sorted:
            raise StateError("does not hold each label once, in order")

    return check


def names(size):
    """Return a check: texts, one a feature; there may be none."""

    def check(value, sizes):
        _check_array(value, "UO", (size,), sizes)
        if not all(isinstance(each, str) for each in value):
            raise StateError("holds a name that is no text")

    check.may_be_absent = True
    return check


def samples(*shape):
    """Return a check: samples, dense or sparse; what they are is checked where they are used."""

    def check(value, sizes):
        if hasattr(value, "indptr"):
            return _check_shape(value.shape, shape, sizes)
        return _check_array(value, "biuf", shape, sizes)

    return check


def columns_of_one_length(value, sizes):
    """Check a dict of arrays, of one length, under texts."""
    if not isinstance(value, dict) or not value:
        raise StateError("is no dict of columns")
    length = {}
    for name, column in value.items():
        if type(column) is not np.ndarray or column.ndim != 1 or not isinstance(name, str):
            raise StateError("is no column", f"[{name!r}]")
        if column.size != length.setdefault("rows", column.size):
            raise StateError(
                f"has {column.size}, not the {length['rows']} entries of others", f"[{name!r}]"
            )


def divisors(*shape):
    """Return a check: an array of positive floats."""
    return floats(*shape, least=np.finfo(float).smallest_subnormal)


# ------------------------------------------------------------------ single values


def number(least=None, nan=False, infinite=False):
    """Return a check: a number."""

    def check(value, sizes):
        if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
            raise StateError(f"is a {type(value).__name__}, not a number")
        _check_range(np.float64(value), least, nan, infinite)

    return check


def count(least=0, most=None):
    """Return a check: a whole number, at most a size."""

    def check(value, sizes):
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise StateError(f"is a {type(value).__name__}, not a whole number")
        if value < least:
            raise StateError(f"is {value}, below {least}")
        if most is not None and value > _resolve(most, sizes):
            raise StateError(f"is {value}, above {_resolve(most, sizes)} {most}")

    return check


def size(name):
    """Return a check: a whole number from 1 on, which gives a size its meaning."""

    def check(value, sizes):
        count(1)(value, sizes)
        if sizes.setdefault(name, int(value)) != value:
            raise StateError(f"is {value} where there are {sizes[name]} {name}")

    return check


def flag(value, sizes):
    """Check True or False."""
    if not isinstance(value, bool | np.bool_):
        raise StateError(f"is a {type(value).__name__}, not True or False")


def words(value, sizes):
    """Check a text of any kind."""
    if not isinstance(value, str):
        raise StateError(f"is a {type(value).__name__}, not a text")


def text(*allowed):
    """Return a check: one of some texts."""

    def check(value, sizes):
        if not isinstance(value, str) or value not in allowed:
            raise StateError(f"is none of {', '.join(map(repr, allowed))}")

    return check


# ------------------------------------------------------------------ what holds others


def optional(check):
    """Return a check: None, or what passes another check."""
    return lambda value, sizes: None if value is None else check(value, sizes)


def newer(check):
    """Return a check: what passes another check, and older files lack."""

    def check_newer(value, sizes):
        check(value, sizes)

    check_newer.may_be_absent = True
    return check_newer


def part(kind, **sizes_inside):
    """Return a check: a statistic or a solution; sizes have other names inside where it is said."""

    def check(value, sizes):
        if type(value) is not kind:
            raise StateError(f"is a {type(value).__name__}, not a {kind.__name__}")
        shared = {name: sizes[name] for name in _SHARED if name in sizes}
        inside = {name: _resolve(each, sizes) for name, each in sizes_inside.items()}
        check_state(value, **(shared | inside))

    return check


def sequence(check_each, kind=list):
    """Return a check: a list, or tuple, of what passes another check."""

    def check(value, sizes):
        if type(value) is not kind:
            raise StateError(f"is a {type(value).__name__}, not a {kind.__name__}")
        for place, each in enumerate(value):
            try:
                check_each(each, dict(sizes))  # what has a name in one has another in the next
            except StateError as error:
                raise error.inside(f"[{place}]") from None

    return check


def estimator(value, sizes):
    """Check that this is an estimator; its own state is looked at by itself."""
    if not hasattr(value, "get_params") or isinstance(value, type):
        raise StateError(f"is a {type(value).__name__}, not an estimator")


# ------------------------------------------------------------------ what most estimators have

FEATURES = {"n_features_in_": size("features"), "feature_names_in_": names("features")}
LABELLED = FEATURES | {"classes_": labels("classes")}
