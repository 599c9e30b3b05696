"""A served model answers what the library does, to the last bit, to many at once; and refuses in words."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import numpy as np
import pandas as pd
import pytest
from starlette.testclient import TestClient

from taylor_sensus import load
from taylor_sensus.app.service import Limits, Service
from taylor_sensus.app.serving import find_key
from taylor_sensus.errors import SettingError, TaylorSensusWarning

GOLDEN = Path(__file__).parents[1] / "storage" / "golden"
KEY = "k" * 16
HEADERS = {"authorization": f"Bearer {KEY}"}
PARTS = ("mean", "std", "feature_noise", "system_noise", "epistemic")


def served(name="v0_1_words", key=KEY, **limits):
    model = load(GOLDEN / f"{name}.tsnet")
    app = Service(model, name, key=key, limits=Limits(**limits)).application()
    return model, TestClient(app, base_url="http://127.0.0.1", headers=HEADERS)


def rows_of(name="v0_1_words"):
    content = json.loads((GOLDEN / f"{name}.json").read_text())
    return pd.DataFrame(content["data"], columns=content["columns"])


def as_rows(model, frame):
    names = [column.name for column in model.fitted_.columns]
    return json.loads(frame.set_axis(names, axis=1).to_json(orient="records", double_precision=15))


@pytest.mark.parametrize("name", ["v0_1_words", "v0_1_two_targets", "v0_1_gaps"])
def test_answers_are_those_of_the_library_to_the_last_bit(name):
    model, client = served(name)
    rows = as_rows(model, rows_of(name))
    answer = client.post("/predict", json={"rows": rows, "coverage": 0.8, "errors": 0})
    assert answer.status_code == 200, answer.text
    frame = pd.DataFrame(rows)
    named = hasattr(model, "feature_names_in_")
    prediction = model.predict_distribution(frame if named else frame.to_numpy(float), X_err=0)
    interval = prediction.conformal_interval(0.8)
    found = answer.json()["predictions"]
    assert [one["familiarity"] for one in found] == prediction.familiarity.tolist()
    for place, target in enumerate(model.fitted_.target_names):
        for part in PARTS:
            wanted = getattr(prediction, part).reshape(len(frame), -1)[:, place]
            assert [one["targets"][target][part] for one in found] == wanted.tolist()
        assert [one["targets"][target]["upper"] for one in found] == interval.upper.reshape(len(frame), -1)[
            :, place
        ].tolist()


def test_many_at_once_get_their_own_answers():
    model, client = served("v0_1_plain")
    rows = as_rows(model, rows_of("v0_1_plain"))
    wanted = model.predict(pd.DataFrame(rows).to_numpy()).tolist()

    def ask(number):
        place = number % len(rows)
        answer = client.post("/predict", json={"rows": [rows[place]]}).json()["predictions"][0]["targets"]["y"]["mean"]
        return answer == wanted[place]

    with client, ThreadPoolExecutor(20) as pool:
        assert all(pool.map(ask, range(60)))


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"{", 400, "not JSON"),
        (b"[1]", 422, "'rows'"),
        (b'{"rows": [], "wings": 1}', 422, "'coverage'"),
        (b'{"rows": []}', 422, "list of 1 to 3"),
        (b'{"rows": [1, 2, 3, 4]}', 422, "list of 1 to 3"),
        (b'{"rows": [{"temp": 1}]}', 422, "null where unknown"),
        (b'{"rows": [{"temp": "x", "time": 1, "dose": 1, "maker": "north"}]}', 422, "'temp' must be a number"),
        (b'{"rows": [{"temp": true, "time": 1, "dose": 1, "maker": "north"}]}', 422, "'temp' must be a number"),
        (b'{"rows": [{"temp": 1e400, "time": 1, "dose": 1, "maker": "north"}]}', 422, "inf"),
        (b'{"rows": [{"temp": 1, "time": 1, "dose": 1, "maker": "north"}], "coverage": 2}', 422, "coverage"),
        (b'{"rows": [{"temp": 1, "time": 1, "dose": 1, "maker": "north"}], "errors": {"a": 1}}', 422, "'a'"),
        (b" " * 5000, 413, "at once"),
        (b"[" * 4000, 400, "not JSON"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_words(body, status, words):
    _, client = served(rows=3, bytes=4500)
    answer = client.post("/predict", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status and words in answer.json()["error"]


def test_a_new_category_is_answered():
    _, client = served()
    row = {"temp": 250.0, "time": 5.0, "dose": 1.0, "maker": "north"}
    with pytest.warns(TaylorSensusWarning, match="moon"):
        new = client.post("/predict", json={"rows": [{**row, "maker": "moon"}]}).json()["predictions"][0]
    usual = client.post("/predict", json={"rows": [row]}).json()["predictions"][0]
    assert new["familiarity"] <= usual["familiarity"]
    assert all(target["std"] > 0 for target in new["targets"].values())


def test_only_who_has_the_key_is_answered():
    _, client = served()
    for headers in ({"authorization": ""}, {"authorization": "Bearer nonsense"}, {"authorization": KEY}):
        for address in ("/", "/model", "/openapi.json"):
            assert client.get(address, headers=headers).status_code == 401
        assert client.post("/predict", json={"rows": []}, headers=headers).status_code == 401
        assert client.get("/health", headers=headers).json()["status"] == "ok"
    assert client.post("/predict", content=b"x", headers={"content-type": "text/plain"}).status_code == 415


def test_without_a_key_only_this_machine_is_answered():
    _, client = served(key=None)
    assert client.get("/model").status_code == 200
    assert client.get("/model", headers={"host": "evil.example"}).status_code == 403


def test_the_interface_is_documented():
    _, client = served()
    document = client.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1") and set(document["paths"]) == {"/predict", "/model", "/health"}
    body = document["paths"]["/predict"]["post"]["requestBody"]["content"]["application/json"]
    assert body["schema"]["properties"]["rows"]["items"]["properties"]["maker"]["examples"] == ["north", "south"]
    assert client.post("/predict", json=body["example"]).status_code == 200
    assert "Authorization: Bearer" in client.get("/").text
    assert client.get("/model").json()["columns"][3] == {"name": "maker", "categories": ["north", "south"]}


def test_a_key_comes_from_a_file_or_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("TAYLOR_SENSUS_KEY", raising=False)
    assert find_key(None) is None
    monkeypatch.setenv("TAYLOR_SENSUS_KEY", KEY)
    assert find_key(None) == KEY
    (tmp_path / "key").write_text("short\n")
    with pytest.raises(SettingError, match="at least 16"):
        find_key(tmp_path / "key")


def test_the_command(tmp_path):
    command = [sys.executable, "-m", "taylor_sensus", "serve", str(GOLDEN / "v0_1_plain.tsnet"), "--port", "0"]
    refused = subprocess.run([*command, "--host", "0.0.0.0"], capture_output=True, text=True, timeout=120)
    assert refused.returncode == 1 and "give a key" in refused.stderr
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        line = server.stderr.readline()
        home = re.search(r"http://127\.0\.0\.1:\d+", line)[0]
        row = dict.fromkeys(("x0", "x1", "x2"), 0.5)
        found = httpx2.post(f"{home}/predict", json={"rows": [row]}, timeout=60).json()["predictions"][0]
        wanted = load(GOLDEN / "v0_1_plain.tsnet").predict(np.full((1, 3), 0.5))
        assert found["targets"]["y"]["mean"] == wanted[0]
    finally:
        server.send_signal(2)
        assert server.wait(30) == 0
