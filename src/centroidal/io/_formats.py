"""Which suffix is read by whom."""

import hashlib

from ..streaming.request import suffix_of
from ._annotated import is_annotated, read_annotated, read_h5ad
from ._arrays import read_mat, read_npz, read_svmlight
from ._frames import read_frame, read_parquet
from ._text import read_text

__all__ = ["read_file", "read_object"]

_READERS = {
    ".csv": read_text,
    ".csv.gz": read_text,
    ".tsv": read_text,
    ".tsv.gz": read_text,
    ".txt": read_text,
    ".txt.gz": read_text,
    ".parquet": read_parquet,
    ".npz": read_npz,
    ".mat": read_mat,
    ".svmlight": read_svmlight,
    ".svmlight.gz": read_svmlight,
    ".libsvm": read_svmlight,
    ".libsvm.gz": read_svmlight,
    ".svm": read_svmlight,
    ".svm.gz": read_svmlight,
    ".h5ad": read_h5ad,
}


def read_file(path, request):
    """Return what is in a file, and the SHA-256 of its bytes."""
    suffix = suffix_of(path)
    if suffix not in _READERS:
        raise ValueError(
            f"{request.name}: the suffix {suffix!r} says nothing about the format; known are "
            f"{', '.join(_READERS)}."
        )
    if "\0" in str(path):
        raise ValueError(f"The name of the file, {str(path)!r}, holds a NUL character.")
    if request.layer is not None and suffix != ".h5ad":
        request.refuse_option("layer", "only .h5ad files and AnnData have layers")
    try:
        if path.is_dir():
            raise ValueError(f"{path} is a directory, not a file.")
        if suffix == ".h5ad":  # may be larger than memory, and h5py reads what is asked for
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            return read_h5ad(path, request), digest
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise FileNotFoundError(f"There is no file {path}.") from error
    except PermissionError as error:
        raise PermissionError(f"{path} must not be read; look at its permissions.") from error
    except OSError as error:
        raise OSError(f"{path} could not be read: {error.strerror or error}.") from error
    if not data:
        raise ValueError(f"{request.name} is empty.")
    return _READERS[suffix](data, request, suffix), hashlib.sha256(data).hexdigest()


def read_object(source, request):
    """Return what is in a data frame or an AnnData object, and None as it has no bytes."""
    if is_annotated(source):
        return read_annotated(source, request), None
    if request.layer is not None:
        request.refuse_option("layer", "only .h5ad files and AnnData have layers")
    return read_frame(source, request), None
