"""A private folder for what is uploaded and what jobs write; gone when the server is, however."""

import contextlib
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from dataclasses import dataclass
from pathlib import Path

_LONGEST_NAME = 100
_UNPACKED = 4  # times what may be uploaded is the memory that a file may ask for
# Names of files that jobs write beside what they read.
OUTPUTS = {
    "report.html": "text/html",
    "features.csv": "text/csv",
    "model.skops": "application/octet-stream",
    "predictions.csv": "text/csv",
    "comparison.csv": "text/csv",
}


class UploadError(Exception):
    """A file that is not taken; `status` is the answer's."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Upload:
    """A file that was uploaded, and the name that it had."""

    id: str
    name: str
    path: Path


class PrivateFolder:
    """A folder that only its owner may read, and a process that removes it when this one ends."""

    def __init__(self, max_bytes):
        self.max_bytes = max_bytes
        self.max_unpacked = _UNPACKED * max_bytes
        self.path = Path(tempfile.mkdtemp(prefix="centroidal-"))  # of mode 0700
        self.uploads = {}
        self._cleaner = subprocess.Popen(
            [sys.executable, "-m", "centroidal.app.cleaner", str(self.path)],
            stdin=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the server
        )

    def close(self):
        """Remove the folder with all that is in it."""
        self._cleaner.stdin.close()
        self._cleaner.wait()

    async def receive(self, name, chunks):
        """Keep a file whose bytes come in chunks, unless there are too many of them."""
        name, key = safe_name(name), secrets.token_hex(8)
        folder = self.path / "files" / key
        folder.mkdir(parents=True)
        path, n_bytes = folder / name, 0
        try:
            with path.open("xb") as stream:
                async for chunk in chunks:
                    n_bytes += len(chunk)
                    self.check_size(n_bytes)
                    stream.write(chunk)
        except BaseException:  # also where the sender went away
            shutil.rmtree(folder)
            raise
        return self._remember(key, name, path)

    def check_size(self, n_bytes):
        """Raise if a file, or all of them together with it, is too large."""
        together = sum(each.path.stat().st_size for each in self.uploads.values())
        if n_bytes + together > self.max_bytes:
            raise UploadError(
                413,
                f"Files may have {self.max_bytes / 1e6:,.0f} MB together; start the app with "
                "--max-upload for more, or use the command line.",
            )

    def add(self, name, content):
        """Keep a file of our own."""
        key = secrets.token_hex(8)
        path = self.path / "files" / key / name
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        return self._remember(key, name, path)

    def _remember(self, key, name, path):
        self.uploads[key] = Upload(key, name, path)
        return self.uploads[key]

    def job_folder(self, key, *uploads):
        """Return a new folder with some uploads in it, and the name of each there."""
        folder = self.path / "jobs" / key
        folder.mkdir(parents=True)
        names = []
        for upload in uploads:
            name = upload.name
            while name in OUTPUTS or name in names:
                name = f"my_{name}"
            _link(upload.path, folder / name)
            names.append(name)
        return folder, names


def safe_name(name):
    """Return the last part of a name, without what could mean something to a shell or a path."""
    name = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    name = re.sub(r"[^\w.+-]+", "_", name).lstrip("-.")
    if not name.strip("._"):
        raise UploadError(400, "The file has no name.")
    return name[-_LONGEST_NAME:].lstrip("-.")


def _link(source, target):
    """Give a file a second name; copy it where there are no hard links."""
    with contextlib.suppress(OSError):
        os.link(source, target)
        return
    shutil.copyfile(source, target)
