"""The page of the app, served to this machine alone, and the jobs behind it.

Whoever opens the page has to know a token. Requests that name another host (DNS rebinding) or come
from another site are refused, and so is what is too large. Files stay in a private folder.
"""

import asyncio
import contextlib
import json
import secrets
import socket
import sys
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse
from starlette.routing import Route

from .commands import COMMANDS, command_words
from .folder import OUTPUTS, PrivateFolder, Upload, UploadError
from .jobs import Jobs, new_id

HOST = "127.0.0.1"
MAX_UPLOAD = 2**30
_MOST_JSON = 2**20
_MOST_WAITING = 50
_SECONDS_TO_LOOK = 120
_STATIC = Path(__file__).parent / "static"
_ASSETS = {"app.js": "text/javascript", "app.css": "text/css", "icon.svg": "image/svg+xml"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
# The report has scripts of its own, named by their hashes; here it may not touch the page around.
_POLICY_OF_REPORTS = "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": _POLICY,
}


def serve(methods, *, port=0, max_upload=MAX_UPLOAD, announce=print):
    """Serve the app until Ctrl-C; the address is announced when the page can be opened.

    Parameters
    ----------
    methods : dict of str to str
        The methods to choose from, each with a line on it; the first is the default.
    port : int, default=0
        Port on the loopback address; 0 is any that is free.
    max_upload : int, default=2**30
        Bytes that all uploaded files may have together.
    announce : callable, default=print
        Called with the address, which holds the token.
    """
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(128)
        token, port = secrets.token_urlsafe(24), listener.getsockname()[1]
        folder = PrivateFolder(max_upload)
        try:
            address = f"http://{HOST}:{port}/?token={token}"
            app = _build_app(folder, methods, token, port, lambda: announce(address))
            config = uvicorn.Config(
                app, log_level="warning", access_log=False, server_header=False,
                timeout_graceful_shutdown=2,
            )  # fmt: skip
            uvicorn.Server(config).run(sockets=[listener])
        finally:
            folder.close()


def _build_app(folder, methods, token, port, ready):
    """Return the app over a private folder, for whoever knows the token."""
    app = Starlette(
        routes=[
            Route("/", _page),
            Route("/static/{name}", _asset),
            Route("/api/choices", _choices),
            Route("/api/files", _upload, methods=["POST"]),
            Route("/api/example", _example, methods=["POST"]),
            Route("/api/files/{id}", _look),
            Route("/api/jobs", _list_jobs),
            Route("/api/jobs", _start, methods=["POST"]),
            Route("/api/jobs/{id}", _show_job),
            Route("/api/jobs/{id}/cancel", _cancel, methods=["POST"]),
            Route("/jobs/{id}/{name}", _output),
        ],
        middleware=[Middleware(_Guard, token=token, port=port)],
        exception_handlers={UploadError: _refuse, HTTPException: _refuse},
        lifespan=_lifespan,
    )
    app.state.folder, app.state.methods, app.state.ready = folder, methods, ready
    return app


@contextlib.asynccontextmanager
async def _lifespan(app):
    app.state.jobs, app.state.lookers = Jobs(), asyncio.Semaphore(2)
    worker = asyncio.create_task(app.state.jobs.work())
    app.state.ready()
    yield
    worker.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await worker
    await app.state.jobs.close()


# ------------------------------------------------------------------ who may ask


class _Guard:
    """Lets through what comes from the page of this server, opened by somebody with the token."""

    def __init__(self, app, token, port):
        self._app, self._token = app, token
        self._cookie = f"centroidal-{port}"
        self._hosts = {f"{name}:{port}" for name in (HOST, "localhost")}

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        answer = self._refusal(request)
        if answer is None and request.url.path == "/" and "token" in request.query_params:
            answer = RedirectResponse("/", status_code=303)
            answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")

        async def send_guarded(message):
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await (self._app if answer is None else answer)(scope, receive, send_guarded)

    def _refusal(self, request):
        """Return the answer to a request that is not let through, otherwise None."""
        headers = request.headers
        host = headers.get("host", "")
        if host not in self._hosts:
            return PlainTextResponse("This server answers to its own name only.", 421)
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return PlainTextResponse("Other sites may not ask here.", 403)
        is_from_page = headers.get("origin") == f"http://{host}" and "x-centroidal" in headers
        if request.method not in ("GET", "HEAD") and not is_from_page:
            return PlainTextResponse("Only the page of this server may do this.", 403)
        in_address = request.query_params.get("token", "") if request.url.path == "/" else ""
        given = (in_address, request.cookies.get(self._cookie, ""))
        if not any(secrets.compare_digest(each.encode(), self._token.encode()) for each in given):
            return PlainTextResponse(
                "Open the address that `centroidal app` has printed: it ends in a token.", 403
            )
        return None


async def _refuse(request, error):
    status = getattr(error, "status", None) or getattr(error, "status_code", 400)
    text = str(error) if isinstance(error, UploadError) else error.detail
    return JSONResponse({"error": text}, status)


# ------------------------------------------------------------------ the page


async def _page(request):
    return FileResponse(_STATIC / "index.html", media_type="text/html")


async def _asset(request):
    name = request.path_params["name"]
    if name not in _ASSETS:
        raise HTTPException(404)
    return FileResponse(_STATIC / name, media_type=_ASSETS[name])


async def _choices(request):
    state = request.app.state
    return JSONResponse({"methods": state.methods, "max_upload": state.folder.max_bytes})


# ------------------------------------------------------------------ files


async def _upload(request):
    folder = request.app.state.folder
    folder.check_size(_stated_size(request))
    upload = await folder.receive(request.query_params.get("name", ""), request.stream())
    return JSONResponse({"id": upload.id, "name": upload.name}, 201)


def _stated_size(request):
    stated = request.headers.get("content-length", "0")
    return int(stated) if stated.isdecimal() else 0


async def _example(request):
    """Upload the table that ships with the package, as if it came from the page."""
    folder = request.app.state.folder
    target = folder.path / f"example-{new_id()}.csv"
    words = ["datasets", "expression", "-o", str(target), "--quiet", "--json"]
    _, code = await _answer(request, "centroidal.cli", *words)
    if code != 0:
        raise UploadError(500, "The example could not be written.")
    upload = folder.add("expression.csv", target.read_bytes())
    target.unlink()
    return JSONResponse({"id": upload.id, "name": upload.name}, 201)


async def _look(request):
    upload = _find_upload(request, request.path_params["id"])
    words = [str(upload.path), str(request.app.state.folder.max_unpacked)]
    words += ["--transpose"] * (request.query_params.get("transpose") == "1")
    output, code = await _answer(request, "centroidal.app.look", *words)
    if code != 0:
        raise UploadError(422, f"{upload.name} could not be looked at.")
    found = json.loads(output)
    if "error" in found:
        raise UploadError(422, found["error"])
    return JSONResponse({"id": upload.id, "name": upload.name, "preview": found["preview"]})


async def _answer(request, module, *words):
    """Run a module in a process of its own; return what it prints, and its code."""
    async with request.app.state.lookers:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", module, *words, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            output, _ = await asyncio.wait_for(process.communicate(), _SECONDS_TO_LOOK)
        except TimeoutError as error:
            raise UploadError(422, "It took too long to look at this file.") from error
        except asyncio.CancelledError as error:  # the server ends
            raise UploadError(503, "The app ends.") from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    return output, process.returncode


def _find_upload(request, key):
    found = request.app.state.folder.uploads.get(key)
    if found is None:
        raise UploadError(404, "This file is not here any more; choose it again.")
    return found


# ------------------------------------------------------------------ jobs


async def _list_jobs(request):
    return JSONResponse([job.status() for job in request.app.state.jobs.all.values()])


async def _show_job(request):
    return JSONResponse(_find_job(request).details())


async def _cancel(request):
    job = _find_job(request)
    await request.app.state.jobs.cancel(job)
    return JSONResponse(job.status())


async def _start(request):
    """Take a job: its command, its files by their ids, and its options."""
    asked = await _json_object(request)
    jobs, folder = request.app.state.jobs, request.app.state.folder
    if sum(job.state == "queued" for job in jobs.all.values()) >= _MOST_WAITING:
        raise UploadError(429, f"{_MOST_WAITING} jobs are waiting; cancel some first.")
    command, options = asked.get("command"), asked.get("options", {})
    if command not in COMMANDS or not isinstance(options, dict):
        raise UploadError(400, f"command={command!r} must be one of {', '.join(COMMANDS)}.")
    words = [*command_words(command, options), f"--max-bytes={folder.max_unpacked}"]
    files = {"table": _find_upload(request, asked.get("table"))}
    if asked.get("sheet"):
        files["sheet"] = _find_upload(request, asked["sheet"])
    if command == "predict":
        files = {"model": _find_model(request, asked.get("model")), **files}
    job_folder, names = folder.job_folder(new_id(), *files.values())
    names = dict(zip(files, names, strict=True))
    if "sheet" in names:
        words.append(f"--samples={names['sheet']}")
    argv = [command, *(names[each] for each in ("model", "table") if each in names), *words]
    title = f"{command} {files['table'].name}"
    return JSONResponse(jobs.add(title, asked, argv, job_folder).status(), 201)


def _find_model(request, key):
    """Return a model file: that of a job, or one that was uploaded."""
    job = request.app.state.jobs.all.get(key)
    if job is None:
        return _find_upload(request, key)
    path = job.folder / "model.skops"
    if not path.exists():
        raise UploadError(404, "This job has no model.")
    return Upload(key, path.name, path)


async def _json_object(request):
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_JSON:
            raise UploadError(413, "This is too long.")
    try:
        found = json.loads(body)
    except ValueError as error:
        raise UploadError(400, f"This is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise UploadError(400, "This is not a JSON object.")
    return found


def _find_job(request):
    found = request.app.state.jobs.all.get(request.path_params["id"])
    if found is None:
        raise UploadError(404, "There is no such job.")
    return found


async def _output(request):
    """Send a file that a job has written; a report is shown, the others are downloads."""
    job, name = _find_job(request), request.path_params["name"]
    if name not in OUTPUTS or not (job.folder / name).exists():
        raise UploadError(404, "This job has no such file.")
    is_shown = name == "report.html" and "download" not in request.query_params
    if is_shown:
        return FileResponse(
            job.folder / name, media_type=OUTPUTS[name],
            headers={"Content-Security-Policy": _POLICY_OF_REPORTS},
        )  # fmt: skip
    return FileResponse(job.folder / name, media_type=OUTPUTS[name], filename=name)
