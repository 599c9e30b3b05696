"""Only this machine's browser with the key is let in, and only as much is taken as may be sent."""

import re
import socket

import pytest
from starlette.testclient import TestClient

from taylor_sensus.app.routes import application
from tests.app.conftest import KEY, LIMIT, PORT, upload


@pytest.fixture
def stranger(bench):
    with TestClient(application(bench, key=KEY, port=PORT, limit=LIMIT), base_url=f"http://127.0.0.1:{PORT}") as made:
        yield made


def test_without_the_key_nothing_is_shown(stranger):
    for address in ("/", "/columns", "/progress", "/download/model.tsnet", "/static/app.js"):
        answer = stranger.get(address)
        assert answer.status_code == 403
        assert "terminal" in answer.text


def test_a_wrong_key_is_as_good_as_none(stranger):
    assert stranger.get("/", params={"key": KEY + "x"}).status_code == 403


def test_the_key_leaves_the_address_and_becomes_a_cookie_for_this_server_only(stranger):
    answer = stranger.get("/", params={"key": KEY}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and str(PORT) in cookie
    assert stranger.get("/").status_code == 200


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1:1", ""])
def test_other_names_for_this_machine_are_refused(client, host):
    assert client.get("/", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_forms_of_other_pages_are_refused(client, origin):
    assert client.post("/example", headers={"origin": origin}).status_code == 403
    assert client.post("/example", headers={"origin": f"http://127.0.0.1:{PORT}"}).status_code == 200


def test_a_file_that_is_too_large_is_refused_in_words(client, bench):
    answer = upload(client, "/table", "table", b"x" * (LIMIT + 1))
    assert answer.status_code == 413
    assert "too large" in answer.text and "taylor-sensus fit" in answer.text
    assert bench.table is None and not list(bench.folder.iterdir())


def test_a_file_whose_size_is_not_announced_is_refused_too(client, bench):
    boundary = "b0undary"

    def body():
        yield f'--{boundary}\r\nContent-Disposition: form-data; name="table"; filename="t.csv"\r\n\r\n'.encode()
        for _ in range(20):
            yield b"1,2\n" * (LIMIT // 40)
        yield f"\r\n--{boundary}--\r\n".encode()

    kind = {"content-type": f"multipart/form-data; boundary={boundary}"}
    answer = client.post("/table", content=body(), headers=kind)
    assert answer.status_code == 413
    assert bench.table is None


def test_pages_may_load_nothing_from_elsewhere(client):
    for address in ("/", "/nothing", "/static/app.css"):
        policy = client.get(address).headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy
        assert "unsafe-eval" not in policy and "script-src 'self' 'unsafe-inline'" not in policy


def test_only_files_of_the_app_can_be_downloaded(client, bench):
    (bench.folder / "secret.txt").write_text("secret")
    for name in ("secret.txt", "..%2fsecret.txt", "model.tsnet"):
        assert client.get(f"/download/{name}").status_code == 404


def test_the_server_listens_on_one_address_only(address):
    port = int(re.search(r":(\d+)/", address)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=5):
        pass
    with pytest.raises(OSError), socket.create_connection(("127.0.0.2", port), timeout=5):
        pass  # a server that listens on all addresses answers here too
