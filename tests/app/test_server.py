"""The server behind the page: whom it answers, what it takes, and what it leaves behind."""

import gzip
import os
import signal
import socket
import stat
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from .conftest import MAX_UPLOAD, running, wait_until

pytestmark = pytest.mark.xdist_group("app")
ROLES = {"target": "tumour", "id": "sample", "groups": "patient"}
SLOW = ROLES | {"audit": True, "method": "l21"}


# ------------------------------------------------------------------ who may ask


def test_nothing_is_shown_without_the_token(app):
    for path in ("/", "/static/app.js", "/api/jobs", "/api/choices", "/jobs/a/report.html"):
        answer = httpx.get(app.origin + path)
        assert answer.status_code == 403
        assert "token" in answer.text
    assert httpx.get(app.origin, params={"token": "x" * 32}).status_code == 403
    assert httpx.get(app.origin + "/api/jobs", params={"token": app.token}).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1.evil.example", ""])
def test_another_name_of_the_host_is_refused(app, host):
    answer = app.client.get("/api/jobs", headers={"Host": host})
    assert answer.status_code in (400, 421)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_posts_of_other_sites_are_refused(app, headers):
    assert app.client.post("/api/example", headers=headers).status_code == 403


def test_forms_cannot_post(app):
    cookies, headers = dict(app.client.cookies), {"Origin": app.origin}
    answer = httpx.post(app.origin + "/api/example", headers=headers, cookies=cookies)
    assert answer.status_code == 403


def test_only_this_machine_can_connect(app):
    port = int(app.origin.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=5) as there:
        assert there.getpeername()[0] == "127.0.0.1"
    others = {each[4][0] for each in socket.getaddrinfo(socket.gethostname(), port)}
    for address in others - {"127.0.0.1", "::1"}:
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((address, port), timeout=5)


def test_page_may_load_nothing_from_elsewhere(app):
    answer = app.client.get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert " onclick" not in answer.text
    assert "<style" not in answer.text


def test_cookie_is_for_this_site_and_not_for_scripts(app):
    answer = httpx.get(app.origin, params={"token": app.token})
    assert "httponly" in answer.headers["set-cookie"].lower()
    assert "samesite=strict" in answer.headers["set-cookie"].lower()


# ------------------------------------------------------------------ files


def test_folder_is_private(app):
    assert stat.S_IMODE(app.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../../evil.csv", "evil.csv"),
        ("C:\\Users\\me\\T.csv", "T.csv"),
        ("-rf.csv", "rf.csv"),
        (".hidden.csv", "hidden.csv"),
        ("a b;$(rm).csv", "a_b_rm_.csv"),
        ("x" * 300 + ".csv", ("x" * 300 + ".csv")[-100:]),
    ],
)
def test_names_of_files_say_nothing_to_paths_and_shells(app, name, kept):
    answer = app.client.post("/api/files", params={"name": name}, content=b"a,b\n1,2\n")
    assert answer.json()["name"] == kept
    there = app.folder / "files" / answer.json()["id"]
    assert [each.name for each in there.iterdir()] == [kept]


@pytest.mark.parametrize("name", ["", "..", "/", "../"])
def test_file_without_a_name_is_refused(app, name):
    assert app.client.post("/api/files", params={"name": name}, content=b"1").status_code == 400


def test_stated_size_beyond_the_bound_is_refused_before_it_is_sent(app):
    cookies = "; ".join(f"{name}={value}" for name, value in app.client.cookies.items())
    head = (
        f"POST /api/files?name=T.csv HTTP/1.1\r\nHost: {app.origin[7:]}\r\nOrigin: {app.origin}\r\n"
        f"X-Centroidal: 1\r\nCookie: {cookies}\r\nContent-Length: 2000000000\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", int(app.origin.rpartition(":")[2]))) as there:
        there.sendall(head.encode())
        assert b" 413 " in there.recv(1000)


def test_too_many_bytes_are_refused_and_not_kept(app):
    before = set((app.folder / "files").glob("*"))

    def chunks():
        for _ in range(MAX_UPLOAD * 11):
            yield b"1" * 100_000

    answer = app.client.post("/api/files", params={"name": "T.csv"}, content=chunks())
    assert answer.status_code == 413
    assert "--max-upload" in answer.json()["error"]
    assert set((app.folder / "files").glob("*")) == before


def test_file_that_unpacks_to_too_much_is_refused(app):
    bomb = gzip.compress(b"a,b\n" + b"0,0\n" * (MAX_UPLOAD * 2_000_000))
    key = app.upload("T.csv.gz", bomb)
    answer = app.client.get(f"/api/files/{key}")
    assert answer.status_code == 422
    assert "T.csv.gz" in answer.json()["error"]


def test_table_is_looked_at(app, expression):
    found = app.client.get(f"/api/files/{app.upload('T.csv', expression)}").json()["preview"]
    assert (found["n_rows"], found["n_columns"]) == (60, 33)
    assert found["guess"] == {
        "target": "tumour", "groups": "patient", "blocks": None, "id": "sample",
    }  # fmt: skip


def test_wrong_file_is_told_in_words(app):
    answer = app.client.get(f"/api/files/{app.upload('T.csv', b'a,b')}")
    assert answer.status_code == 422
    assert "no rows" in answer.json()["error"]


# ------------------------------------------------------------------ jobs


def test_selection_prediction_and_their_files(app, expression):
    table = app.upload("T.csv", expression)
    selected = app.wait_for(app.start("select", table, ROLES))
    assert selected["state"] == "done", selected["error"]
    assert selected["files"] == ["report.html", "features.csv", "model.skops"]
    assert selected["result"]["selection"]["n_groups"] == 30
    report = app.client.get(f"/jobs/{selected['id']}/report.html")
    assert report.headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert str(app.folder) not in report.text
    assert "centroidal select T.csv" in report.text
    model = app.client.get(f"/jobs/{selected['id']}/model.skops")
    assert model.headers["content-disposition"].startswith("attachment")
    options = {"id": "sample", "allow_extra": True}
    for by in (selected["id"], app.upload("M.skops", model.content)):
        predicted = app.wait_for(app.start("predict", table, options, model=by))
        assert predicted["state"] == "done", predicted["error"]
        assert predicted["result"]["n_samples"] == 60
        assert predicted["predictions"][0][:2] == ["id", "prediction"]
        assert len(predicted["predictions"]) == 21


def test_labels_come_from_a_sheet(app, expression):
    rows = [line.split(",") for line in expression.decode().split("\n")]
    table = "\n".join(",".join([row[0], *row[3:]]) for row in rows).encode()
    sheet = "\n".join(",".join(row[:3]) for row in rows).encode()
    files = {"sheet": app.upload("T.csv", sheet)}  # of the same name as the table
    roles = ROLES | {"sample_id": "sample"}
    found = app.wait_for(app.start("select", app.upload("T.csv", table), roles, **files))
    assert found["state"] == "done", found["error"]
    assert found["result"]["table"]["sheet"]["source"] == "my_T.csv"


def test_mistake_is_told_in_the_words_of_the_command(app, expression):
    found = app.wait_for(app.start("select", app.upload("T.csv", expression), {"target": "kind"}))
    assert found["state"] == "failed"
    assert "'kind'" in found["error"]
    assert found["files"] == []


@pytest.mark.parametrize(
    "asked",
    [
        {"command": "merge"},
        {"command": "select", "options": {"model": "/etc/passwd"}},
        {"command": "select", "options": {"target": ["a"]}},
        {"command": "select", "options": {"drop": "a"}},
        {"command": "select", "options": {"target": "x" * 2000}},
        {"command": "select", "options": []},
    ],
)
def test_jobs_take_known_options_only(app, expression, asked):
    table = app.upload("T.csv", expression)
    assert app.client.post("/api/jobs", json={"table": table, **asked}).status_code == 400


def test_values_never_become_options(app, expression):
    table = app.upload("T.csv", expression)
    found = app.wait_for(app.start("select", table, {"target": "--seed=3", "id": "-x"}))
    assert found["state"] == "failed"
    assert "--seed=3" in found["error"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"command": 1}', b"1" * 2_000_000])
def test_what_is_no_request_is_refused(app, body):
    assert app.client.post("/api/jobs", content=body).status_code in (400, 413)


def test_only_outputs_of_a_job_can_be_had(app, expression):
    key = app.start("select", app.upload("T.csv", expression), {"target": "kind"})
    app.wait_for(key)
    for name in ("result.json", "..%2f..%2fetc%2fpasswd", "errors.txt", "T.csv", "report.html"):
        assert app.client.get(f"/jobs/{key}/{name}").status_code == 404


def test_unknown_files_and_jobs_are_told(app):
    assert app.client.get("/api/files/no").status_code == 404
    assert app.client.get("/api/jobs/no").status_code == 404
    assert app.client.post("/api/jobs/no/cancel").status_code == 404
    assert app.client.get("/static/server.py").status_code == 404


def test_jobs_run_one_after_the_other_and_can_be_cancelled(app, expression):
    table = app.upload("T.csv", expression)
    first, second = (app.start("select", table, SLOW) for _ in range(2))
    app.wait_for(first, "running")
    assert app.job(second)["state"] == "queued"
    app.client.post(f"/api/jobs/{second}/cancel")
    assert app.job(second)["state"] == "cancelled"
    wait_until(lambda: app.job(first)["progress"])
    app.client.post(f"/api/jobs/{first}/cancel")
    found = app.wait_for(first)
    assert (found["state"], found["files"]) == ("cancelled", [])
    assert not (app.folder / "jobs" / first / "pid").exists()


def test_fifty_requests_at_once_are_answered(app):
    def ask(number):
        if number % 5 == 0:
            return app.client.post("/api/files", params={"name": "T.csv"}, content=b"a,b\n1,2\n")
        return app.client.get("/api/jobs")

    with ThreadPoolExecutor(50) as pool:
        codes = {answer.status_code for answer in pool.map(ask, range(50))}
    assert codes == {200, 201}


# ------------------------------------------------------------------ sudden ends


def test_killed_job_is_told_and_the_next_one_works(app, expression):
    table = app.upload("T.csv", expression)
    key = app.start("select", table, SLOW)
    path = app.folder / "jobs" / key / "pid"
    wait_until(path.exists)
    os.kill(int(path.read_text()), signal.SIGKILL)
    found = app.wait_for(key)
    assert found["state"] == "failed"
    assert "ended from outside" in found["error"]
    assert app.wait_for(app.start("select", table, ROLES))["state"] == "done"


def test_killed_server_leaves_neither_files_nor_jobs(tmp_path, expression):
    with running(tmp_path) as app:
        key = app.start("select", app.upload("T.csv", expression), SLOW)
        path = app.folder / "jobs" / key / "pid"
        wait_until(path.exists)
        job = int(path.read_text())
        app.process.kill()
        app.process.wait()
        wait_until(lambda: not list(tmp_path.iterdir()))
        wait_until(lambda: not _is_alive(job))


def _is_alive(process):
    try:
        with open(f"/proc/{process}/stat") as stream:
            return stream.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_port_in_use_is_told(app, run_app):
    port = app.origin.rpartition(":")[2]
    found = run_app("--port", port, "--no-browser")
    assert found.returncode == 1
    assert f"--port {port}" in found.stderr
