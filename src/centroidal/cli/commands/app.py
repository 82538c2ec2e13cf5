"""The main job in a browser, for people without a terminal."""

import json
import webbrowser
from contextlib import suppress

from ..._optional import require
from ...model_selection.methods import DEFAULT
from ..messages import WorkError
from ..options import whole_number
from .select import describe_methods

HELP = "Open the main job in a browser: choose a table, click, read the report."
EXAMPLES = """\
  centroidal app
  centroidal app --port 8080 --no-browser"""

_MEGABYTE = 10**6


def add_arguments(parser):
    """Add the arguments."""
    parser.add_argument(
        "--port", type=whole_number(0, 65535), default=0, metavar="N",
        help="port on this machine, which no other can reach; 0 is any free one (default: 0)",
    )  # fmt: skip
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address only, and open no browser"
    )
    parser.add_argument(
        "--max-upload", type=whole_number(1), default=1000, metavar="MB",
        help="megabytes that all files in the app may have together (default: 1000)",
    )  # fmt: skip


def run(args, messages):
    """Serve the app until Ctrl-C."""
    for package in ("starlette", "uvicorn"):
        require(package, "app", "The app")
    for package, extra in (("skops.io", "persist"), ("altair", "report")):
        require(package, extra, "The app")
    from ...app.server import serve

    def announce(address):
        if args.json:
            print(json.dumps({"address": address}), flush=True)
        else:
            print(f"The app is at {address}\nEnd it with Ctrl-C.", flush=True)
        if not args.no_browser:
            webbrowser.open(address)

    methods = describe_methods()
    try:
        with suppress(KeyboardInterrupt):
            serve(
                {DEFAULT: methods.pop(DEFAULT), **methods}, port=args.port,
                max_upload=args.max_upload * _MEGABYTE, announce=announce,
            )  # fmt: skip
    except OSError as error:
        raise WorkError(f"--port {args.port} could not be used: {error.strerror}.") from error
