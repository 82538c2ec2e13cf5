"""Archives that are checked before anything in them is believed: zip files of texts and arrays."""

import json
import os
import re
import zipfile
from io import BytesIO
from math import prod

import numpy as np

_MAX_MEMBERS = 100_000
_MAX_RATIO = 100  # how many times larger than the file its content may be,
_ALWAYS_ALLOWED = 2**24  # unless it is smaller than this
_MAX_HEADER = 10_000  # of an array
_TEXT_SHARE = 8  # a text, which takes more room once it is parsed, is at most 1 / 8 of all

# The header of an array as NumPy writes it, for numbers, texts and times; nothing is evaluated.
_HEADER = re.compile(
    rb"\{'descr': '[<>|=]?([biufSUmM])(0|[1-9][0-9]{0,8})(?:\[[0-9a-zA-Z]+\])?', "
    rb"'fortran_order': (?:True|False), "
    rb"'shape': \(((?:(?:0|[1-9][0-9]{0,18}), ?)*(?:0|[1-9][0-9]{0,18})?)\), ?\} *\n"
)


def read_members(stream, max_bytes, prefix=""):
    """Read the members of a zip archive whose names begin so, if it is of reasonable size."""
    size = stream.seek(0, os.SEEK_END)
    if size > max_bytes:
        raise ValueError(f"its {size} bytes are more than max_bytes={max_bytes}")
    with zipfile.ZipFile(stream) as archive:
        infos = archive.infolist()
        _check_infos(infos, size, max_bytes)
        return {
            info.filename: _read_member(archive, info)
            for info in infos
            if info.filename.startswith(prefix)
        }


def _check_infos(infos, size, max_bytes):
    if len(infos) > _MAX_MEMBERS:
        raise ValueError(f"{len(infos)} members are more than {_MAX_MEMBERS}")
    if len({info.filename for info in infos}) < len(infos):
        raise ValueError("two members have the same name")
    for info in infos:
        if info.flag_bits & 1 or info.compress_type not in (
            zipfile.ZIP_STORED,
            zipfile.ZIP_DEFLATED,
        ):
            raise ValueError(f"{info.filename!r} is encrypted, or packed in an unknown way")
        if info.filename.endswith(".json") and info.file_size > max_bytes // _TEXT_SHARE:
            raise ValueError(
                f"{info.filename!r} would unpack to {info.file_size} bytes, more than an eighth "
                f"of max_bytes={max_bytes}"
            )
    total = sum(info.file_size for info in infos)
    if total > max_bytes:
        raise ValueError(f"it would unpack to {total} bytes, more than max_bytes={max_bytes}")
    if np.isfinite(max_bytes) and total > max(_ALWAYS_ALLOWED, _MAX_RATIO * size):
        raise ValueError(f"its {size} bytes would unpack to {total}, more than {_MAX_RATIO} times")


def _read_member(archive, info):
    with archive.open(info) as member:
        content = member.read(info.file_size + 1)
    if len(content) != info.file_size:
        raise ValueError(f"{info.filename!r} is not as long as it should be")
    return content


def pack_archive(members):
    """Pack members into an archive whose bytes depend on nothing else; texts are compressed."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)
            is_text = name.endswith(".json")
            info.compress_type = zipfile.ZIP_DEFLATED if is_text else zipfile.ZIP_STORED
            archive.writestr(info, content)
    return buffer.getvalue()


def tree_members(prefix, tree):
    """Return members that hold dicts and lists of arrays: the arrays, and a text of their places.

    The names of all begin with the prefix.
    """
    arrays = {}

    def name_of(array):
        stream = BytesIO()
        np.save(stream, array, allow_pickle=False)
        name = f"{prefix}/{len(arrays)}.npy"
        arrays[name] = stream.getvalue()
        return name

    return {f"{prefix}.json": json.dumps(_map_leaves(name_of, tree)).encode(), **arrays}


def read_tree(prefix, members):
    """Undo `tree_members`; None if there is no such tree."""

    def array_of(name):
        if not isinstance(name, str) or name not in members:
            raise ValueError(f"the member {name!r} is missing")
        return np.load(BytesIO(check_array(members[name])), allow_pickle=False)

    text = members.get(f"{prefix}.json")
    return None if text is None else _map_leaves(array_of, parse_json(text))


def _map_leaves(function, tree):
    """Return dicts and lists with what a function makes of all that is neither."""
    if isinstance(tree, dict):
        return {key: _map_leaves(function, each) for key, each in tree.items()}
    if isinstance(tree, list):
        return [_map_leaves(function, each) for each in tree]
    return function(tree)


def parse_json(content):
    """Parse a text that may be nested too deeply."""
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("its texts are nested too deeply") from None


def check_array(content, kind="numpy.ndarray", room=None):
    """Return bytes that are an array of numbers, texts or times, exactly as long as they say."""
    start = {b"\x93NUMPY\x01\x00": 10, b"\x93NUMPY\x02\x00": 12}.get(content[:8])
    if start is None:
        raise ValueError("an array is not in the format of NumPy")
    length = int.from_bytes(content[8:start], "little")
    header = _HEADER.fullmatch(content[start : start + length]) if length < _MAX_HEADER else None
    if header is None:
        raise ValueError("an array is of a type that is not allowed")
    letter, size, sizes = header.groups()
    shape = [int(number) for number in re.findall(rb"[0-9]+", sizes)]
    n_bytes = int(size) * prod(shape) * (4 if letter == b"U" else 1)
    is_endless = int(size) == 0 and prod(shape) > 1  # of empty texts, which take no room
    if len(content) != start + length + n_bytes or is_endless:
        raise ValueError("an array is not as long as it should be")
    if kind != "numpy.ndarray" and shape:
        raise ValueError(f"{kind} must be a single value")
    return content
