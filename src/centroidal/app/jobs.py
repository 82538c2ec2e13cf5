"""Jobs: commands of centroidal, each in a process of its own, one after the other."""

import asyncio
import contextlib
import csv
import json
import secrets
import signal
import sys
import time
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from .folder import OUTPUTS

_SECONDS_TO_STOP = 5.0
_N_ROWS = 20  # of predictions, in the page
QUEUED, RUNNING, DONE, FAILED, CANCELLED = "queued", "running", "done", "failed", "cancelled"


@dataclass
class Job:
    """A command, what became of it, and the folder that it works in."""

    id: str
    title: str
    request: dict  # as the page sent it, to be shown again
    argv: list
    folder: Path
    state: str = QUEUED
    error: str | None = None
    begun: float | None = None
    seconds: float | None = None
    is_stopped: bool = False
    process: object = field(default=None, repr=False)

    def status(self):
        """Return what a list of jobs shows."""
        begun = None if self.state != RUNNING else time.monotonic() - self.begun
        return {
            "id": self.id,
            "title": self.title,
            "command": self.request["command"],
            "state": self.state,
            "error": self.error,
            "seconds": self.seconds if begun is None else begun,
            "progress": self._progress() if self.state == RUNNING else None,
        }

    def details(self):
        """Return all that the page of the job shows."""
        is_done = self.state == DONE
        return self.status() | {
            "request": self.request,
            "files": [name for name in OUTPUTS if is_done and (self.folder / name).exists()],
            "notes": self._notes(),
            "result": self._result() if is_done else None,
            "predictions": self._predictions() if is_done else None,
        }

    def _progress(self):
        """Return the last step that the process has logged, with the time that may be left."""
        steps = [line for line in _log_lines(self.folder) if line.get("event") == "progress"]
        if not steps:
            return None
        last, first = steps[-1], steps[0]
        n_done, n_steps = last["n_done"], last["n_steps"]
        passed, n_passed = last["seconds"] - first["seconds"], n_done - first["n_done"]
        left = passed * (n_steps - n_done) / n_passed if n_passed > 0 and n_steps else None
        return {"n_done": n_done, "n_steps": n_steps, "what": last["what"], "seconds_left": left}

    def _notes(self):
        events = ("note", "warning", "remark")
        return [line["text"] for line in _log_lines(self.folder) if line.get("event") in events]

    def _result(self):
        return json.loads((self.folder / "result.json").read_text(encoding="utf-8"))

    def _predictions(self):
        path = self.folder / "predictions.csv"
        if not path.exists():
            return None
        with path.open(encoding="utf-8", newline="") as stream:
            return list(islice(csv.reader(stream), _N_ROWS + 1))


def _log_lines(folder):
    """Return the events of a log, as far as their lines are complete."""
    path = folder / "log.jsonl"
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    return [json.loads(line) for line in lines if line]


class Jobs:
    """All jobs of a server; the first that waits is run when the one before has ended."""

    def __init__(self):
        self.all = {}
        self._waiting = asyncio.Queue()

    def add(self, title, request, argv, folder):
        """Let a job wait for its turn; return it."""
        job = Job(folder.name, title, request, argv, folder)
        self.all[job.id] = job
        self._waiting.put_nowait(job)
        return job

    async def work(self):
        """Run jobs for ever."""
        while True:
            job = await self._waiting.get()
            if job.state == QUEUED:
                await _run(job)

    async def cancel(self, job):
        """End a job, politely first, so that it can put away what it has begun to write."""
        job.is_stopped = True
        if job.state == QUEUED:
            job.state = CANCELLED
        elif job.state == RUNNING and job.process is not None:
            await _stop(job.process)

    async def close(self):
        """End what goes on."""
        for job in self.all.values():
            await self.cancel(job)


def new_id():
    """Return a name for a job that nobody can guess."""
    return secrets.token_hex(8)


async def _run(job):
    job.state, job.begun = RUNNING, time.monotonic()
    words = [sys.executable, "-m", "centroidal.cli", *job.argv, "--json", "--log", "log.jsonl"]
    with (
        (job.folder / "result.json").open("wb") as out,
        (job.folder / "errors.txt").open("wb") as err,
    ):
        job.process = await asyncio.create_subprocess_exec(
            *words, cwd=job.folder, stdin=asyncio.subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True,
        )  # fmt: skip
        (job.folder / "pid").write_text(str(job.process.pid))
        try:
            if job.is_stopped:
                await _stop(job.process)
            code = await job.process.wait()
        except asyncio.CancelledError:  # the server ends
            await _stop(job.process)
            raise
    (job.folder / "pid").unlink()
    job.seconds = time.monotonic() - job.begun
    if job.is_stopped and code != 0:
        job.state = CANCELLED
    elif code == 0:
        job.state = DONE
    else:
        job.state, job.error = FAILED, _reason(job, code)


async def _stop(process):
    for way in (lambda: process.send_signal(signal.SIGINT), process.kill):
        with contextlib.suppress(ProcessLookupError):
            way()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.shield(process.wait()), _SECONDS_TO_STOP)
            return


def _reason(job, code):
    """Return what the command said last, or that it said nothing."""
    lines = (job.folder / "errors.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    said = [line for line in lines if line.startswith("centroidal: ")]
    if said:
        return said[-1].partition(": ")[2].partition(": ")[2] or said[-1]
    if code < 0:
        return f"The process of this job was ended from outside (signal {-code})."
    return f"The job ended with code {code}: {lines[-1] if lines else 'it said nothing'}"
