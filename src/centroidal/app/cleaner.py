"""Waits until the process that started it is gone, ends its job, and removes its folder."""

import os
import shutil
import signal
import sys
import time
from pathlib import Path

_N_TRIES = 50


def main(folder):
    """Wait for the end of the standard input, which is that of the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdin.buffer.read()
    for path in folder.glob("jobs/*/pid"):
        try:
            os.kill(int(path.read_text()), signal.SIGTERM)
        except (OSError, ValueError):  # it has ended, or never began
            continue
    for _ in range(_N_TRIES):  # a job may still be writing
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1)
    print(f"centroidal: {folder} could not be removed.", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
