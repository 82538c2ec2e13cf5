"""Files to read, which end; atomic writes and locks of files that are written."""

import os
import uuid
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

    def _lock(descriptor):
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:

    def _lock(descriptor):
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def write_atomically(path, content, *, force=False):
    """Write bytes to a file in one atomic step: whoever looks sees all of them, or none.

    Parameters
    ----------
    path : str or path
        File to write.
    content : bytes or iterable of bytes
        What to write; parts of it are made as they are written.
    force : bool, default=False
        Whether a file that exists may be overwritten. If not, one of several writers wins and
        the others get FileExistsError.
    """
    with atomic_part(path, force=force) as part, open(part, "xb") as stream:
        stream.writelines([content] if isinstance(content, bytes) else content)
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def atomic_part(path, *, force=False):
    """Give the name of a file to write, which takes the place of `path` if nothing fails.

    The parameters are those of `write_atomically`.
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        yield part
        if force:
            os.replace(part, path)
        else:
            _publish(part, path)
    finally:
        part.unlink(missing_ok=True)


def _publish(part, path):
    """Give a file a name that nobody else has taken."""
    _check_absent(path, force=False)
    try:
        os.link(part, path)
    except FileExistsError:
        _check_absent(path, force=False)
        raise
    except OSError:  # no hard links here: the name is taken first, by a file that is empty
        with open(path, "xb"):
            try:
                os.replace(part, path)
            except OSError:
                path.unlink()
                raise


class FileLock:
    """Says that this process writes a file; it ends with the process, however that ends.

    Parameters
    ----------
    path : Path
        The file, which need not exist. The lock is a hidden file beside it.

    Raises
    ------
    BlockingIOError
        If another process has the lock.
    """

    def __init__(self, path):
        self._path = path.with_name(f".{path.name}.lock")
        while True:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _lock(self._descriptor)
                if self._is_in_place():
                    return
            except (BlockingIOError, PermissionError):
                os.close(self._descriptor)
                raise BlockingIOError(f"{path} is being written by another process.") from None
            os.close(self._descriptor)  # its owner has removed it in the meantime

    def _is_in_place(self):
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False

    def release(self):
        """Let others write the file."""
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


def suffix_of(path):
    """Return what a file name ends in, in small letters, with that of compression."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    is_packed = suffixes[-1:] in ([".gz"], [".zst"])
    return "".join(suffixes[-2:] if is_packed else suffixes[-1:])


def check_source(path):
    """Raise unless a path is that of a regular file: devices and pipes need not ever end."""
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    if path.is_dir():
        raise ValueError(f"{path} is a folder, not a file.")
    if not path.is_file():
        raise ValueError(f"{path} is a device or a pipe, not a file; write what it holds to one.")


def check_target(path, suffix, force):
    """Return the path of a file to write; raise if it ends otherwise, or exists without force."""
    path = Path(path)
    if path.suffix != suffix:
        raise ValueError(f"path={str(path)!r} must end in {suffix}.")
    _check_absent(path, force)
    return path


def _check_absent(path, force):
    if not force and path.exists():
        raise FileExistsError(f"{path} exists; force=True overwrites it.")
