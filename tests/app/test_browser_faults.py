"""Two tables in two windows, an upload while another is predicted, and a server that dies in a fit: in a real browser.

Nothing may be mixed: a model is of the table that it was fitted on, predictions are those of the model that is open.
Nothing may be lost: what was shown as fitted is there when the app is started again.
"""

import re
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import load

pytestmark = pytest.mark.browser
WAIT = 240_000


def table(path, names, rows=60, seed=0):
    """A small table whose columns have names of their own."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, len(names) - 1))
    made = pd.DataFrame(np.column_stack([X, X[:, 0] + 0.1 * rng.normal(size=rows)]), columns=names)
    made.to_csv(path, index=False)
    return path


@contextmanager
def app(folder):
    """A server of its own; killed at the end, if it still lives."""
    command = [sys.executable, "-m", "taylor_sensus", "app", "--port", "0", "--no-browser", "--folder", str(folder)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    try:
        found = re.search(r"http://127\.0\.0\.1:\d+/\S+", server.stderr.readline())
        assert found
        yield server, found[0]
    finally:
        server.kill()
        server.wait()
        server.stderr.close()


def send(page, path):
    page.set_input_files("#table", path)
    page.click("#send-table")
    page.wait_for_selector("#fit", timeout=WAIT)


def begin(page):
    page.select_option("#effort", "fast")
    page.click("#fit")


def model_of(page, home, path):
    answer = page.context.request.get(f"{home}/download/model.tsnet")
    assert answer.ok
    path.write_bytes(answer.body())
    return load(path)


def predictions_of(page, home):
    answer = page.context.request.get(f"{home}/download/predictions.csv")
    assert answer.ok
    from io import BytesIO

    return pd.read_csv(BytesIO(answer.body()))


def test_two_windows_an_upload_during_a_prediction_and_a_death_in_a_fit(browser, tmp_path):
    first = table(tmp_path / "first.csv", ["alpha", "beta", "gamma"])
    second = table(tmp_path / "second.csv", ["red", "green", "blue"], seed=1)
    many = table(tmp_path / "many.csv", ["alpha", "beta", "gamma"], rows=20_000, seed=2)
    folder = tmp_path / "folder"
    with app(folder) as (server, address):
        home = address.partition("/?")[0]
        context = browser.new_context()
        one, other = context.new_page(), context.new_page()
        one.goto(address)
        send(one, first)
        begin(one)
        one.wait_for_selector("#progress", timeout=WAIT)

        other.goto(home)  # another table while the first is fitted
        send(other, second)
        assert "red" in other.inner_text("body") and "alpha" not in other.inner_text("tbody")
        begin(other)  # refused in words, or begun if the first fit has ended meanwhile
        one.wait_for_selector("iframe.report", timeout=WAIT)
        if "still running" in other.inner_text("body"):
            model = model_of(one, home, tmp_path / "first.tsnet")
            assert list(model.feature_names_in_) == ["alpha", "beta"]
        else:
            other.wait_for_selector("iframe.report", timeout=WAIT)
            one.goto(home)
            send(one, first)
            begin(one)
            one.wait_for_selector("iframe.report", timeout=WAIT)
            model = model_of(one, home, tmp_path / "first.tsnet")
        assert list(model.feature_names_in_) == ["alpha", "beta"]

        one.goto(f"{home}/predict")
        one.set_input_files("#rows", many)
        one.click("#predict")
        other.goto(home)  # an upload while rows are predicted
        send(other, second)
        one.wait_for_selector("#download-predictions", timeout=WAIT)
        got, wanted = predictions_of(one, home), model.predict(pd.read_csv(many)[["alpha", "beta"]])
        assert len(got) == 20_000 and {"alpha", "beta"} <= set(got) and "red" not in got
        said = next(name for name in got if "mean" in name)
        np.testing.assert_allclose(got[said], wanted, rtol=1e-6)

        other.goto(f"{home}/columns")
        assert "red" in other.inner_text("body")
        begin(other)
        other.wait_for_selector("#progress", timeout=WAIT)
        server.kill()  # in the midst of the second fit
        server.wait()
        context.close()

    with app(folder) as (server, address):
        home = address.partition("/?")[0]
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)
        page.click("text=Go on with it")
        page.wait_for_selector("iframe.report", timeout=WAIT)
        kept = model_of(page, home, tmp_path / "kept.tsnet")
        assert (tmp_path / "kept.tsnet").read_bytes() == (tmp_path / "first.tsnet").read_bytes()
        assert list(kept.feature_names_in_) == ["alpha", "beta"]
        assert not list(folder.glob("*.part")), "no half-written file is taken for a whole one"
        context.close()
