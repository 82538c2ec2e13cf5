"""Files at a URL, such as s3://bucket/parts, which fsspec knows to open."""

from glob import has_magic
from typing import NamedTuple

from .._optional import require


class RemoteFile(NamedTuple):
    """A file at a URL."""

    url: str

    @property
    def name(self):
        """What it is called in its folder."""
        return self.url.rstrip("/").rpartition("/")[2]

    def __str__(self):
        return self.url

    @property
    def opened_by(self):
        """What opens it: the path, and the file system as pyarrow takes it."""
        from pyarrow.fs import FSSpecHandler, PyFileSystem

        system, path = _system_of(self.url)
        return path, PyFileSystem(FSSpecHandler(system))


def is_url(source):
    """Whether a source is a URL, and not a path of this machine."""
    return isinstance(source, str) and "://" in source


def list_remote(source):
    """Return the Parquet files of a URL, in the order of their names, and the name of the folder.

    It is that of a file, of a folder, or a pattern.
    """
    system, path = _system_of(source.url)
    with _named_errors(source.url):
        if has_magic(path):
            found = [each for each in system.glob(path) if system.isfile(each)]
        elif system.isfile(path):
            return [source], None
        else:
            found = [each for each in system.ls(path, detail=False) if _is_parquet(each)]
    if not found:
        raise FileNotFoundError(f"{source.url} has no .parquet files.")
    scheme = source.url.partition("://")[0]
    files = [RemoteFile(f"{scheme}://{each.split('://')[-1]}") for each in sorted(found)]
    return files, source.name if not has_magic(path) else files[0].url.split("/")[-2]


def count_bytes(source):
    """Return the bytes of all files below a URL."""
    system, path = _system_of(source.url)
    with _named_errors(source.url):
        sizes = [each["size"] for each in system.find(path, detail=True).values()]
    if not sizes:
        raise FileNotFoundError(f"There is no file or folder {source.url}.")
    return sum(sizes)


def _is_parquet(path):
    name = path.rpartition("/")[2]
    return name.lower().endswith(".parquet") and name[0] not in "._"


def _system_of(url):
    fsspec = require("fsspec", "dask", "Reading a URL")
    with _named_errors(url):
        return fsspec.core.url_to_fs(url)


class _named_errors:
    """Says of which URL an error is, and what is to be installed for its kind."""

    def __init__(self, url):
        self._url = url

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, ImportError):
            raise ImportError(f"{self._url}: {error}") from error
        if isinstance(error, FileNotFoundError):
            raise FileNotFoundError(f"There is no file or folder {self._url}.") from error
        if isinstance(error, (ValueError, OSError)):
            raise OSError(f"{self._url} cannot be read: {error}") from error
