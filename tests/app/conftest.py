"""The app as it is started from the command line, on a port of this machine."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from centroidal.datasets import make_expression

MAX_UPLOAD = 2  # megabytes


class App:
    """A server in a process of its own, and a client that knows its token."""

    def __init__(self, folder):
        words = ["-m", "centroidal.cli", "app", "--no-browser", "--json", "--port", "0"]
        self.process = subprocess.Popen(
            [sys.executable, *words, "--max-upload", str(MAX_UPLOAD)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"TMPDIR": str(folder)},
        )  # fmt: skip
        self.temporary = folder
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        self.address = json.loads(line)["address"]
        parts = urlsplit(self.address)
        self.origin = f"http://{parts.netloc}"
        self.token = parse_qs(parts.query)["token"][0]
        self.client = httpx.Client(
            base_url=self.origin, headers={"Origin": self.origin, "X-Centroidal": "1"}, timeout=120
        )
        assert self.client.get("/", params={"token": self.token}).status_code == 303

    @property
    def folder(self):
        """The private folder."""
        (found,) = self.temporary.glob("centroidal-*")
        return found

    def upload(self, name, content):
        answer = self.client.post("/api/files", params={"name": name}, content=content)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def start(self, command, table, options, **files):
        asked = {"command": command, "table": table, "options": options, **files}
        answer = self.client.post("/api/jobs", json=asked)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def job(self, key):
        return self.client.get(f"/api/jobs/{key}").json()

    def wait_for(self, key, *states):
        """Wait until a job is in one of some states, by default any that is its last."""
        states = states or ("done", "failed", "cancelled")
        return wait_until(lambda: (job := self.job(key))["state"] in states and job)

    def close(self):
        self.client.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        said = self.process.communicate(timeout=60)
        assert said == ("", ""), said
        wait_until(lambda: not list(self.temporary.glob("centroidal-*")))


def wait_until(is_so, seconds=120):
    """Wait until something is so, and return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := is_so():
            return found
        time.sleep(0.05)
    raise AssertionError("it never was so")


@contextlib.contextmanager
def running(folder):
    app = App(folder)
    try:
        yield app
    finally:
        app.close()


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with running(tmp_path_factory.mktemp("app")) as app:
        yield app


@pytest.fixture
def run_app():
    """Start the app where it cannot be."""

    def run(*words):
        command = [sys.executable, "-m", "centroidal.cli", "app", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    return run


@pytest.fixture(scope="session")
def expression():
    """A table as people have it: ids, patients, labels, and genes."""
    genes = make_expression(60, 30, n_informative=5, random_state=0)
    lines = ["sample,patient,tumour," + ",".join(f"gene_{j}" for j in range(30))]
    for i, (row, label) in enumerate(zip(genes.data, genes.target, strict=True)):
        cells = ",".join(f"{value:.3f}" for value in row)
        lines.append(f"s{i},p{i // 2},{'ABC'[label]},{cells}")
    return "\n".join(lines).encode()
