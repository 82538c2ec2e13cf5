"""What packed chunks unpack to, as their headers say: known before memory is asked for."""

import os
import zlib

__all__ = [
    "CHECKSUM_BYTES",
    "COMPRESSORS",
    "MOST_DEFLATED",
    "inflates_beyond",
    "number_of_texts",
    "unpacked_size",
]

CHECKSUM_BYTES = 4  # that may stand behind what is packed
MOST_DEFLATED = 1032  # times that deflate may make something larger
_ANY_HEADER = 47  # of zlib or gzip
_UNKNOWN = float("inf")
_ZSTD, _LEAST_ZSTD = b"\x28\xb5\x2f\xfd", 9  # how a frame begins, and its least bytes
_SIZE_BYTES, _DICTIONARY_BYTES = (0, 2, 4, 8), (0, 1, 2, 4)


def unpacked_size(path, compressor, limit):
    """Return how many bytes a chunk takes when it is unpacked; infinite if it does not say.

    Parameters
    ----------
    path : Path
        Of the chunk.
    compressor : str
        One of `COMPRESSORS`.
    limit : int
        Bytes up to which one that never says, deflate, is harmless.
    """
    with open(path, "rb") as stream:
        return _SIZES[compressor](stream, limit)


def inflates_beyond(packed, most):
    """Say whether what zlib or gzip has packed unpacks to more than `most` bytes."""
    unpacking = zlib.decompressobj(_ANY_HEADER)
    n_bytes = len(unpacking.decompress(packed, most + 1))
    return n_bytes > most or len(unpacking.unused_data) > CHECKSUM_BYTES  # behind it may be more


def number_of_texts(path, compressor):
    """Return of how many texts a chunk says it consists; `unpacked_size` must be harmless."""
    import numcodecs

    data = path.read_bytes()
    if compressor is not None:
        data = numcodecs.get_codec({"id": compressor}).decode(data)
    return int.from_bytes(bytes(data[:4]), "little")


def _deflated_size(stream, limit):
    n_bytes = os.fstat(stream.fileno()).st_size
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
