"""Every screen of the app for everybody: axe finds no barrier, nothing is cut at 390 pixels, the keyboard suffices."""

import threading
import time

import pytest

from taylor_sensus.app.job import Job
from taylor_sensus.app.routes import application
from taylor_sensus.app.workbench import Workbench
from tests.app.conftest import fitted, tiny
from tests.axe import assert_usable

pytestmark = pytest.mark.browser

WAIT = 60_000
TABLE = "run,day,temp [degC],p,kind,shift,empty,y\n" + "".join(
    f"{i + 1},2024-05-{i % 28 + 1:02d},{i}.0(3),{i % 7 or 'n.d.'},{'ab'[i % 2]},1,,{i * i % 11}\n" for i in range(40)
)


def ended(bench):
    assert bench.job is not None
    bench.job.wait(60)
    assert bench.job.problem is None, bench.job.problem


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server in this process with a fitted tiny model, and its address."""
    import socket

    import uvicorn

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    bench = Workbench(tmp_path_factory.mktemp("usable"))
    from starlette.testclient import TestClient

    app = application(bench, key="k", port=port, limit=10**6)
    with pytest.MonkeyPatch.context() as patch, TestClient(app, base_url=f"http://127.0.0.1:{port}") as client:
        patch.setattr("taylor_sensus.app.choices.constructor_arguments", tiny)
        patch.setattr("taylor_sensus.app.workbench.constructor_arguments", tiny)
        client.get("/", params={"key": "k"})
        fitted(client, bench, TABLE)
        client.post("/suggestions", data={"low-0": "0", "high-0": "9", "low-1": "1", "high-1": "5", "n": "2"})
        ended(bench)
        client.post("/predict", files={"rows": ("t.csv", TABLE.encode())})
        ended(bench)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield bench, f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(20)


@pytest.fixture(scope="module")
def screen(browser, served):
    context = browser.new_context(viewport={"width": 1150, "height": 900})
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.goto(f"{served[1]}/?key=k")
    yield page
    context.close()


@pytest.mark.parametrize(
    ("address", "there"),
    [
        ("/", "#send-table"),
        ("/columns", "#fit"),
        ("/model", "iframe.report"),
        ("/report", "#accuracy"),
        ("/predict", "#predictions"),
        ("/what-if", "#view .mean"),
        ("/suggestions", "#found"),
        ("/nowhere", ".problem"),
    ],
)
def test_a_screen_is_for_everybody(screen, served, address, there):
    screen.goto(served[1] + address)
    screen.wait_for_selector(there)
    assert_usable(screen, address)


def test_work_under_way_tells_its_time(screen, served):
    bench, home = served
    go_on = threading.Event()

    def work(job):
        job.on_progress("means", 0.1)
        job._first = (time.monotonic() - 30, 0.0)
        job.on_progress("means", 0.5)
        go_on.wait(60)

    before, bench.job = bench.job, Job("Fitting t.csv", work, then="/", back="/")
    screen.goto(home + "/working")
    screen.wait_for_function("() => document.getElementById('clock').innerText.startsWith('50 %')")
    assert "so far, about 3" in screen.inner_text("#clock") and screen.inner_text("#doing") == "Learning the details"
    assert_usable(screen, "/working")
    go_on.set()
    bench.job.wait(10)
    screen.wait_for_url(home + "/")  # by itself; it would break off where the next test goes
    bench.job = before


def test_the_report_is_as_high_as_it_is(screen, served):
    screen.goto(served[1] + "/model")
    screen.wait_for_function(
        "() => {const f = document.querySelector('iframe.report'); const d = f.contentDocument.documentElement;"
        "return d.scrollHeight > 1000 && f.clientHeight >= d.scrollHeight}"
    )
    before = screen.evaluate("() => scrollY")
    screen.frame_locator("iframe.report").locator("nav a").last.click()
    screen.wait_for_function("before => scrollY > before + 500", arg=before)


def test_what_teaches_nothing_is_left_out_and_said(screen, served):
    screen.goto(served[1] + "/columns")
    uses = {
        name: screen.locator(f"#role-{at}").input_value() for at, name in enumerate(TABLE.split("\n")[0].split(","))
    }
    assert uses == {"run": "out", "day": "out", "temp [degC]": "input", "p": "input", "kind": "input", "shift": "out",
                    "empty": "out", "y": "target"}  # fmt: skip
    words = screen.inner_text("tbody")
    for remark in ("numbers the rows", "dates or times", "the same in every row", "no cell is filled", "6 missing",
                   "declared in 40 of 40 cells"):  # fmt: skip
        assert remark in words


def test_the_keyboard_reaches_everything(screen, served):
    """From the first tab to the button of the form, in order, each with a name that a screen reader can say."""
    screen.goto(served[1] + "/what-if")
    screen.wait_for_selector("#view .mean")
    said = []
    for _ in range(40):
        screen.keyboard.press("Tab")
        now = screen.evaluate(
            "() => {const e = document.activeElement; return [e.tagName, e.name || '', e.getAttribute('aria-label') "
            "|| e.innerText || e.labels?.[0]?.innerText || '']}"
        )
        said.append(tuple(now))
    names = [name for _, name, _ in said]
    assert {"value-0", "error-0", "slider-0", "along"} <= set(names)
    assert names.index("value-0") < names.index("slider-0") < names.index("along")
    assert all(label.strip() for tag, _, label in said if tag not in ("BODY", "HTML"))
    before = screen.inner_html("#view svg >> nth=0")
    screen.focus("input[name=slider-0]")
    screen.keyboard.press("End")
    screen.wait_for_function("b => document.querySelector('#view svg')?.innerHTML !== b", arg=before)
