"""A workbench with a client that talks to it in this process, and a real server with a real browser."""

from __future__ import annotations

import copy
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from taylor_sensus.app.routes import application
from taylor_sensus.app.workbench import Workbench
from tests.tiny import SMALL

KEY, PORT, LIMIT = "a-key", 8000, 200_000
ROWS = "x,x_err,kind,y\n" + "".join(f"{i / 10},0.1,{'ab'[i % 2]},{(i / 10) ** 2 + i % 2}\n" for i in range(60))


@pytest.fixture
def bench(tmp_path):
    made = Workbench(tmp_path)
    yield made
    made.close()
    if made.job is not None:
        made.job.wait(60)


@contextmanager
def browser_without_window(bench):
    """A client that has the key."""
    from starlette.testclient import TestClient

    app = application(bench, key=KEY, port=PORT, limit=LIMIT)
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}") as made:
        made.get("/", params={"key": KEY})
        yield made


@pytest.fixture
def client(bench):
    with browser_without_window(bench) as made:
        yield made


def tiny(choice):
    """Settings of fits that take a second: what is fitted here is not judged."""
    return {**SMALL, "kernel": False, "random_state": choice.seed}


@pytest.fixture
def quick(monkeypatch):
    """Fits are tiny."""
    from taylor_sensus.app import choices

    monkeypatch.setattr(choices, "constructor_arguments", tiny)
    monkeypatch.setattr("taylor_sensus.app.workbench.constructor_arguments", tiny)


@pytest.fixture(scope="session")
def fitted_bench(tmp_path_factory):
    """A workbench after the table of ROWS was fitted. Not to be changed: `has_model` puts a copy on the own one."""
    made = Workbench(tmp_path_factory.mktemp("fitted"))
    with pytest.MonkeyPatch.context() as patch, browser_without_window(made) as client:
        patch.setattr("taylor_sensus.app.choices.constructor_arguments", tiny)
        patch.setattr("taylor_sensus.app.workbench.constructor_arguments", tiny)
        fitted(client, made)
    return made


@pytest.fixture
def has_model(bench, fitted_bench):
    """The workbench has the model of ROWS, as after a fit."""
    shutil.copytree(fitted_bench.folder, bench.folder, dirs_exist_ok=True)
    table = fitted_bench.table
    bench.table = table._replace(path=bench.folder / table.path.name, frame=table.frame.copy())
    bench.opened = copy.deepcopy(fitted_bench.opened)
    bench.chosen = dict(fitted_bench.chosen)


def upload(client, address, field, content, name="table.csv", **fields):
    """Send a file as a form does."""
    sent = content.encode() if isinstance(content, str) else content
    return client.post(address, files={field: (name, sent)}, data=fields)


def fitted(client, bench, content=ROWS, **fields):
    """Upload, fit, and wait for the model."""
    assert upload(client, "/table", "table", content).url.path == "/columns"
    chosen = dict(re.findall(r'<select name="(role-\d+)".*?value="(\w+)" selected', client.get("/columns").text))
    errors = dict(re.findall(r'<input type="text" name="(error-\d+)" value="([^"]*)"', client.get("/columns").text))
    answer = client.post("/fit", data={**chosen, **errors, **fields})
    bench.job.wait(120)
    assert bench.job.problem is None, bench.job.problem
    client.get("/working")
    assert bench.opened is not None, answer.text


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """The address of a real server, with its key."""
    folder = str(tmp_path_factory.mktemp("app"))
    command = [sys.executable, "-m", "taylor_sensus", "app", "--port", "0", "--no-browser", "--folder", folder]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/\S+", line)
        assert found, line
        yield found[0]
    finally:
        server.send_signal(2)
        assert server.wait(30) == 0


@pytest.fixture
def page(browser, address):
    """A page that must neither open dialogs, nor ask for anything outside, nor meet an error in its script."""
    context = browser.new_context(viewport={"width": 1150, "height": 900})
    made = context.new_page()
    troubles: list[str] = []
    home = address.partition("/?")[0]
    made.on("dialog", lambda dialog: (troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    made.on("pageerror", lambda error: troubles.append(f"script: {error}"))
    made.on("request", lambda r: None if r.url.startswith((home, "data:")) else troubles.append(f"asked {r.url}"))
    made.goto(address)
    yield made
    assert not troubles
    context.close()
