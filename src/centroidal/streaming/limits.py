"""How much memory a file may ask for: a small file must not unpack to more than there is.

Sizes come from headers, so that they are checked before memory is asked for.
"""

import gzip
import io

from .._parameters import check_count

# Real tables stay far below: counts of which 99 % are zero shrink to about a fiftieth, and deflate
# never goes beyond a 1032nd part. What is small on any machine is never refused.
_ALWAYS_ALLOWED, _MOST_TIMES = 2**30, 200
_PART_BYTES = 2**24


class RefusedFileError(ValueError):
    """A file that is not read, although a library might; its words are for the user as they are."""


def memory_limit(n_stored, max_bytes=None):
    """Return how many bytes a file of `n_stored` bytes may take in memory at a time.

    Parameters
    ----------
    n_stored : int
        Bytes of the file.
    max_bytes : int or None
        What the caller allows; None is 200 times the file, and at least 1 GiB.

    Returns
    -------
    int
        The limit.
    """
    if max_bytes is None:
        return max(_ALWAYS_ALLOWED, _MOST_TIMES * n_stored)
    check_count("max_bytes", max_bytes)
    return int(max_bytes)


def check_unpacked_size(name, n_bytes, n_stored, max_bytes=None):
    """Raise if a file asks for more memory than it may.

    Parameters
    ----------
    name : str
        The file, and what in it, for the message.
    n_bytes : int
        What it takes in memory, as its header says.
    n_stored, max_bytes : int, int or None
        See `memory_limit`.
    """
    limit = memory_limit(n_stored, max_bytes)
    if n_bytes > limit:
        raise RefusedFileError(
            f"{name} would take {n_bytes} bytes of memory or more; max_bytes={limit} are allowed "
            f"for a file of {n_stored} bytes. Raise max_bytes (--max-bytes) if you trust it."
        )


def unpack_gzip(data, name, max_bytes=None):
    """Return what gzip has packed; raise as soon as it is too much, whatever the rest may be."""
    parts, size = [], 0
    with gzip.open(io.BytesIO(data)) as stream:
        while part := stream.read(_PART_BYTES):
            parts.append(part)
            size += len(part)
            check_unpacked_size(name, size, len(data), max_bytes)
    return b"".join(parts)
