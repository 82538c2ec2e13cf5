"""A look at the tags of a MATLAB file of version 5, before SciPy reads it.

SciPy takes the type of an element for an index without a check, so that a damaged file would end
the process. Here every element must be of a known type, lie inside the file, and be nested only
where the format nests.
"""

import zlib
from math import prod

__all__ = ["check_mat5"]

_HEADER = 128
_LEAVES = {1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 16, 17, 18}
_FLAGS, _MATRIX, _COMPRESSED = 6, 14, 15
_NESTING = {1, 2, 3, 16, 17}  # classes: cells, structures, objects, functions, opaque objects
_CONTAINERS = {1, 2, 3}
# How many elements other classes have: flags, sizes, name and values; sparse ones have indices too.
_N_PARTS = {4: 4, 5: 6, **dict.fromkeys(range(6, 16), 4)}
_N_BEFORE_NESTED = 3


def check_mat5(data):
    """Raise ValueError unless the elements of the file are what the format allows."""
    if 0 in data[:4]:  # version 4, which SciPy reads with checks
        return
    orders = {b"IM": "little", b"MI": "big"}
    order = orders.get(data[126:_HEADER])
    if order is None:
        raise ValueError("the header is not that of a MATLAB file")
    for kind, content in _elements(memoryview(data)[_HEADER:], order, padded=False):
        if kind == _COMPRESSED:
            inside = _elements(memoryview(zlib.decompress(content)), order, padded=False)
            kind, content = next(inside, (None, b""))
        if kind != _MATRIX:
            raise ValueError(f"an element of type {kind} stands where a matrix should")
        _check_matrix(content, order)


def _check_matrix(content, order):
    parts = list(_elements(content, order))
    if not parts:
        return  # an empty cell
    kind, flags = parts[0]
    if kind != _FLAGS or len(flags) != 8:
        raise ValueError("a matrix does not begin with its flags")
    word = int.from_bytes(flags[:4], order)
    what, is_complex = word & 0xFF, bool(word & 0x0800)
    if what not in _NESTING and what not in _N_PARTS:
        raise ValueError(f"a matrix is of the unknown class {what}")
    if len(parts) < _N_PARTS.get(what, _N_BEFORE_NESTED) + (is_complex and what in _N_PARTS):
        raise ValueError("a matrix ends before its values")
    if what in _CONTAINERS and _size(parts[1][1], order) > max(1, len(parts) - _N_BEFORE_NESTED):
        raise ValueError("a container has fewer entries than its size says")
    for place, (kind, part) in enumerate(parts):
        if kind == _MATRIX and what in _NESTING and place >= _N_BEFORE_NESTED - 1:
            _check_matrix(part, order)
        elif kind not in _LEAVES:
            raise ValueError(f"an element has the unknown type {kind}")


def _size(sizes, order):
    words = [sizes[start : start + 4] for start in range(0, len(sizes), 4)]
    return prod(int.from_bytes(word, order) for word in words)


def _elements(data, order, padded=True):
    """Yield the type and the content of each element; inside a matrix they end on full words."""
    position = 0
    while position + 8 <= len(data):
        word = int.from_bytes(data[position : position + 4], order)
        if word >> 16:  # up to four bytes are kept in the tag itself
            kind, size, start = word & 0xFFFF, word >> 16, position + 4
            if size > 4:
                raise ValueError("a small element has more than four bytes")
            position += 8
        else:
            kind, start = word, position + 8
            size = int.from_bytes(data[position + 4 : start], order)
            position = start + size + (-size % 8 if padded else 0)
        if start + size > len(data):
            raise ValueError("an element ends behind the end of the file")
        yield kind, data[start : start + size]
