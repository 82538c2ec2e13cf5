"""How much memory a file may ask for: a small file must not unpack to more than there is.

Sizes come from headers, so that they are checked before memory is asked for.
"""

import gzip
import io
import os
import zlib
from contextlib import contextmanager
from pathlib import Path

from .._parameters import check_count

# Real tables stay far below: counts of which 99 % are zero shrink to about a fiftieth, and deflate
# never goes beyond a 1032nd part. What is small on any machine is never refused.
_ALWAYS_ALLOWED, _MOST_TIMES = 2**30, 200
_PART_BYTES = 2**24
CHECKSUM_BYTES = 4  # that may stand behind what is packed
MOST_DEFLATED = 1032  # times that deflate may make something larger
_ANY_HEADER = 47  # of zlib or gzip
_UNKNOWN = float("inf")
_ZSTD, _LEAST_ZSTD = b"\x28\xb5\x2f\xfd", 9  # how a frame begins, and its least bytes
_SIZE_BYTES, _DICTIONARY_BYTES = (0, 2, 4, 8), (0, 1, 2, 4)


class RefusedFileError(ValueError):
    """A file that is not read, although a library might; its words are for the user as they are."""


def memory_limit(n_stored, max_bytes=None):
    """Return how many bytes a file of `n_stored` bytes may take in memory at a time.

    If the caller does not say what is allowed, it is 200 times the file, and at least 1 GiB.
    """
    if max_bytes is None:
        return max(_ALWAYS_ALLOWED, _MOST_TIMES * n_stored)
    check_count("max_bytes", max_bytes)
    return int(max_bytes)


def check_unpacked_size(name, n_bytes, n_stored, max_bytes=None):
    """Raise if a file, or what in it is named, takes more memory than `memory_limit` allows."""
    limit = memory_limit(n_stored, max_bytes)
    if n_bytes > limit:
        raise RefusedFileError(
            f"{name} would take {n_bytes} bytes of memory or more; max_bytes={limit} are allowed "
            f"for a file of {n_stored} bytes. Raise max_bytes (--max-bytes) if you trust it."
        )


@contextmanager
def bounded_memory(n_bytes):
    """Let a library take no more than so many bytes inside, by the limit that Linux has for it.

    For what it takes by lengths that only it sees; the limit is that of the whole process, so it
    is at least 1 GiB, and short. Elsewhere nothing is bounded.
    """
    n_bytes = max(n_bytes, _ALWAYS_ALLOWED)
    pages = Path("/proc/self/statm")
    if not pages.exists():
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    limit = int(pages.read_text().split()[0]) * resource.getpagesize() + n_bytes
    if before[0] != resource.RLIM_INFINITY and before[0] <= limit:
        yield
        return
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def unpack_gzip(data, name, max_bytes=None):
    """Return what gzip has packed."""
    with gzip.open(io.BytesIO(data)) as stream:
        return read_unpacked(stream, name, len(data), max_bytes)


def read_unpacked(stream, name, n_packed, max_bytes=None):
    """Return what is unpacked; raise as soon as it is too much, whatever the rest may be."""
    parts, size = [], 0
    while part := stream.read(_PART_BYTES):
        parts.append(part)
        size += len(part)
        check_unpacked_size(name, size, n_packed, max_bytes)
    return b"".join(parts)


# ------------------------------------------------------------------ chunks of arrays


def unpacked_size(path, compressor, limit):
    """Return how many bytes a chunk takes when it is unpacked; infinite if it does not say.

    The compressor is one of `COMPRESSORS`; of deflate, which never says, up to `limit` bytes are
    harmless.
    """
    with path.open("rb") as stream:
        return _SIZES[compressor](stream, limit)


def inflates_beyond(packed, most):
    """Say whether what zlib or gzip has packed unpacks to more than `most` bytes."""
    unpacking = zlib.decompressobj(_ANY_HEADER)
    n_bytes = len(unpacking.decompress(packed, most + 1))
    return n_bytes > most or len(unpacking.unused_data) > CHECKSUM_BYTES  # behind it may be more


def is_cut_off(path, compressor):
    """Say whether a chunk is shorter than it says: blosc would unpack what is not there."""
    if compressor != "blosc":
        return False  # the others notice
    with path.open("rb") as stream:
        return _number(stream, 4, first=12) > stream.seek(0, os.SEEK_END)


def number_of_texts(path, compressor):
    """Return of how many texts a chunk says it consists; `unpacked_size` must be harmless."""
    import numcodecs

    data = path.read_bytes()
    if compressor is not None:
        data = numcodecs.get_codec({"id": compressor}).decode(data)
    return int.from_bytes(bytes(data[:4]), "little")


def _deflated_size(stream, limit):
    n_bytes = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    is_harmless = n_bytes * MOST_DEFLATED <= limit or not inflates_beyond(stream.read(), limit)
    return 0 if is_harmless else _UNKNOWN


def _zstd_size(stream, _):
    """Return the size of the only frame; those after it could be of any size."""
    if stream.read(4) != _ZSTD:
        return 0  # which is refused
    flags = _number(stream, 1)
    is_single = flags >> 5 & 1
    stream.seek(not is_single, os.SEEK_CUR)
    stream.seek(_DICTIONARY_BYTES[flags & 3], os.SEEK_CUR)
    width = _SIZE_BYTES[flags >> 6] or is_single
    size = _number(stream, width) + 256 * (width == 2)
    is_last = False
    while not is_last:
        block = stream.read(3)
        if len(block) < 3:
            return _UNKNOWN
        header = int.from_bytes(block, "little")
        is_last = header & 1
        stream.seek(1 if header >> 1 & 3 == 1 else header >> 3, os.SEEK_CUR)
    return size if width and len(stream.read(_LEAST_ZSTD)) <= CHECKSUM_BYTES else _UNKNOWN


def _number(stream, n_bytes, first=0):
    stream.seek(first, os.SEEK_CUR)
    return int.from_bytes(stream.read(n_bytes), "little")


_SIZES = {
    "blosc": lambda stream, _: _number(stream, 4, first=4),
    "gzip": _deflated_size,
    "lz4": lambda stream, _: _number(stream, 4),
    "zlib": _deflated_size,
    "zstd": _zstd_size,
}
COMPRESSORS = _SIZES.keys()
