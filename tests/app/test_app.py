"""The app without a browser: every page, every button, and what is refused."""

import os
import re
import threading

import pandas as pd
import pytest

from taylor_sensus import load
from taylor_sensus.app.workbench import Workbench
from taylor_sensus.datasets.reactor import TABLE, laboratory
from tests.app.conftest import ROWS, fitted, tiny, upload


def field(text, name):
    """What a field of a page holds."""
    return re.search(rf'<input type="\w+" name="{name}" value="([^"]*)"', text)[1]


def done(client, bench, answer):
    """The page at which the work that was begun ends."""
    if answer.url.path != "/working":  # it was done before we looked
        return answer
    bench.job.wait(120)
    return client.get("/working")


def test_the_columns_of_a_table_are_proposed_a_use(client, bench):
    answer = upload(client, "/table", "table", ROWS)
    assert (answer.url.path, answer.status_code) == ("/columns", 200)
    uses = dict(re.findall(r'<select name="role-(\d)".*?value="(\w+)" selected', answer.text))
    assert uses == {"0": "input", "1": "out", "2": "input", "3": "target"}
    assert field(answer.text, "error-0") == "x_err"
    assert "60 rows, 4 columns" in answer.text


def test_the_example_names_its_runs(client):
    text = client.post("/example").text
    uses = re.findall(r'<select name="role-\d".*?value="(\w+)" selected', text)
    assert uses == ["name", "input", "input", "out", "input", "input", "input", "target"]


def test_names_and_dates_are_preset_and_titles_told(client, bench):
    rows = "".join(f"S{i},2024-05-{i + 1:02d},{i},{2 * i}\n" for i in range(20))
    text = upload(client, "/table", "table", f"A title\nsample,day,x,y\n{rows}").text
    assert re.findall(r'<select name="role-\d".*?value="(\w+)" selected', text) == ["name", "out", "input", "target"]
    assert "left out above it: &#x27;A title&#x27;" in text or "left out above it: 'A title'" in text
    twice = client.post("/fit", data={"role-0": "name", "role-1": "name", "role-2": "input", "role-3": "target"})
    assert "Only one column can name the rows" in twice.text


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", b"", "is empty"),
        ("t.csv", b"a,b\n", "no rows"),
        ("t.csv", b"a,a\n1,2\n", "all named"),
        ("t.xlsx", b"PK\x03\x04 not a book", "cannot be read as an Excel book"),
        ("t.parquet", b"PAR1 broken", "cannot be read as Parquet"),
        ("t.exe", b"MZ", "tables can be read as"),
        ("../../etc/passwd", b"root", "tables can be read as"),
        ("t.csv", bytes(range(256)) * 20, ""),
    ],
)
def test_a_broken_table_is_refused_in_words(client, bench, name, content, words):
    answer = upload(client, "/table", "table", content, name=name)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text and words in answer.text
    assert "-upload" not in answer.text  # the user's name for it, not ours
    assert all(path.parent == bench.folder for path in bench.folder.rglob("*"))


def test_a_form_without_a_file_says_so(client):
    answer = client.post("/table", files={"other": ("", b"")})
    assert answer.status_code == 400 and "Choose a file first" in answer.text


def test_before_there_is_a_model_its_pages_lead_to_the_start(client):
    for address in ("/columns", "/working", "/model", "/report", "/what-if", "/suggestions"):
        assert client.get(address).url.path == "/"
    assert client.post("/view", data={"value-0": "1"}).status_code == 409


def test_what_the_form_says_wrong_is_told_and_the_form_kept(client, bench):
    upload(client, "/table", "table", ROWS)
    said = {"role-0": "input", "role-1": "out", "role-2": "input", "role-3": "target", "error-0": "nonsense"}
    answer = done(client, bench, client.post("/fit", data=said))
    assert (answer.url.path, answer.status_code) == ("/columns", 400)
    assert "neither a number, nor a percentage, nor a column" in answer.text
    assert field(answer.text, "error-0") == "nonsense"


def test_cells_that_cannot_be_read_are_named(client, bench):
    upload(client, "/table", "table", ROWS.replace("3.0,0.1", "3.0,oops"))
    answer = client.post("/fit", data={"role-1": "out", "role-3": "target", "error-0": "x_err"})
    answer = done(client, bench, answer)
    assert answer.status_code == 400
    assert "oops" in answer.text and "x_err" in answer.text


def test_from_a_table_to_downloads(client, bench, quick):
    fitted(client, bench)
    model = client.get("/model").text
    assert "taylor-sensus fit table.csv" in model and "--x-err" in model
    report = client.get("/report")
    assert "Predicting y" in report.text
    assert client.get("/download/report.html").text == report.text
    (bench.folder / "copy.tsnet").write_bytes(client.get("/download/model.tsnet").content)
    assert load(bench.folder / "copy.tsnet").fitted_.fit_summary.declared["x"][1] == pytest.approx(0.1)

    answer = done(client, bench, upload(client, "/predict", "rows", "x,kind,note\n1.5,a,n\n2.5,b,m\n", name="new.csv"))
    assert answer.url.path == "/predict" and "2 rows of " in answer.text and "lower_90" in answer.text
    assert "2 rows of" in answer.text and "note" in answer.text
    got = client.get("/download/predictions.csv")
    assert "attachment" in got.headers["content-disposition"]
    (bench.folder / "got.csv").write_bytes(got.content)
    frame = pd.read_csv(bench.folder / "got.csv")
    own = load(bench.folder / "copy.tsnet")
    rows = pd.DataFrame({"x": [1.5, 2.5], "kind": ["a", "b"]})
    assert frame["mean"].tolist() == pytest.approx(own.predict(rows).tolist())
    bounds = own.predict_interval(rows)
    assert frame["lower_90"].tolist() == pytest.approx(bounds.lower.tolist())
    assert frame["note"].tolist() == ["n", "m"]


def test_rows_that_lack_a_column_are_refused(client, bench, has_model):
    answer = done(client, bench, upload(client, "/predict", "rows", "x\n1\n", name="new.csv"))
    assert answer.status_code == 400
    assert "new.csv lacks" in answer.text and "kind" in answer.text


def test_what_if_is_what_the_model_says(client, bench, has_model):
    page = client.get("/what-if").text
    assert 'type="range"' in page and "familiarity" in page
    model = bench.opened.model
    said = {"value-0": "2.5", "value-1": "1", "along": "0"}
    row = pd.DataFrame({"x": [2.5], "kind": ["b"]})
    mean, std = model.predict(row, return_std=True)
    text = client.post("/view", data=said).text
    assert f"{mean[0]:.3g} ± {std[0]:.3g}" in text
    assert text.count("<svg") == 2
    exact = client.post("/view", data={**said, "error-0": "0"}).text
    known = model.predict(row, return_std=True, X_err={"x": 0})[1]
    assert f"± {known[0]:.3g}" in exact
    unknown = client.post("/view", data={**said, "value-0": ""}).text
    assert f"{model.predict(row.assign(x=float('nan')))[0]:.3g} ±" in unknown
    along = client.post("/view", data={**said, "along": "1"}).text
    assert "Prediction along kind" in along


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"value-0": "nan"}, "is not a number"),
        ({"value-0": "1e999"}, "is not a number"),
        ({"value-0": "1", "value-1": "9"}, "no category number"),
        ({"value-0": "1", "along": "7"}, "There is no choice"),
        ({"value-0": "1", "error-0": "-1"}, "-1"),
    ],
)
def test_a_row_that_cannot_be_is_refused(client, bench, has_model, said, words):
    answer = client.post("/view", data=said)
    assert answer.status_code == 400 and words in answer.text
    whole = client.post("/what-if", data=said)
    assert whole.status_code == 400 and words in whole.text and 'type="range"' in whole.text


def test_suggestions_from_ranges_and_from_a_table(client, bench, has_model):
    ranges = {"low-0": "1", "high-0": "2", "only-1": "0", "n": "3", "goal": "max"}
    page = done(client, bench, client.post("/suggestions", data=ranges))
    assert page.url.path == "/suggestions" and 'id="found"' in page.text
    assert field(page.text, "high-0") == "2"
    table = bench.suggestions.table
    assert len(table) == 3 and table["x"].between(1, 2).all() and set(table["kind"]) == {"a"}
    csv = client.get("/download/suggestions.csv").text
    assert csv.splitlines()[0].startswith("id,x,kind,predicted mean")
    upload(client, "/suggestions", "candidates", "x,kind\n1.23,b\n4.56,a\n", n="1")
    bench.job.wait(60)
    assert bench.suggestions.table["x"].iloc[0] in (1.23, 4.56)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"n": "0"}, "whole number from 1"),
        ({"n": "many"}, "not a whole number"),
        ({"goal": "target", "value": ""}, "Which value"),
        ({"low-0": "a"}, "lowest and a highest"),
        ({"only-1": "x"}, "no category number"),
    ],
)
def test_questions_that_cannot_be_answered(client, bench, has_model, said, words):
    answer = client.post("/suggestions", data={"low-0": "1", "high-0": "2", "n": "2", **said})
    answer = done(client, bench, answer)
    assert answer.url.path == "/suggestions" and answer.status_code == 400
    assert words in answer.text


@pytest.mark.slow
def test_a_filled_form_is_taken_in(client, bench, quick):
    fitted(client, bench, TABLE.read_bytes())
    client.post("/suggestions", data={**_ranges(client), "n": "2"})
    bench.job.wait(60)
    client.get("/working")
    form, filled = bench.folder / "suggestions.csv", bench.folder / "filled.csv"
    laboratory(form, filled)
    before = bench.opened.model.fitted_.fit_summary.rows
    answer = done(client, bench, upload(client, "/update", "form", filled.read_bytes(), name="filled.csv"))
    assert "with the results of filled.csv" in answer.text
    assert bench.opened.model.fitted_.fit_summary.rows == before + 2


def _ranges(client):
    text = client.get("/suggestions").text
    return dict(re.findall(r'<input type="number" name="((?:low|high)-\d)" value="([^"]*)"', text))


def test_a_model_file_is_opened_and_a_broken_one_refused(client, bench, has_model):
    content = client.get("/download/model.tsnet").content
    for sent, problem in ((content[: len(content) // 2], True), (b"\x80\x04pickle", True), (content, False)):
        answer = done(client, bench, upload(client, "/open", "model", sent, name="m.tsnet"))
        assert (answer.url.path == "/") == problem
        assert ('role="alert"' in answer.text) == problem


def test_the_last_model_is_there_when_the_app_is_started_again(client, bench, has_model):
    bench.close()
    assert sorted(path.name for path in bench.folder.iterdir()) == ["model.tsnet", "report.html"]
    bench.opened = None
    assert "Go on with it" in client.get("/").text
    client.post("/last")
    bench.job.wait(60)
    assert client.get("/working").url.path == "/model"


def test_while_one_fit_runs_no_other_begins_and_it_can_be_stopped(client, bench, monkeypatch):
    slow = {"epochs": 20_000, "kernel": False, "random_state": 0}
    monkeypatch.setattr("taylor_sensus.app.workbench.constructor_arguments", lambda choices: slow)
    upload(client, "/table", "table", ROWS)
    said = {"role-1": "out", "role-3": "target"}
    assert client.post("/fit", data=said).url.path == "/working"
    assert client.get("/progress").json()["running"]
    assert "still running" in client.post("/fit", data=said).text
    assert 'id="progress"' in client.get("/working").text
    answer = client.post("/stop")
    assert answer.url.path == "/columns" and "Stopped" in answer.text
    assert bench.opened is None
    assert "Stopped" not in client.get("/columns").text  # told once


@pytest.mark.slow
def test_several_targets(client, bench, quick):
    table = "x,a,b\n" + "".join(f"{i},{2 * i + i % 3},{i * i % 11}\n" for i in range(40))
    upload(client, "/table", "table", table)
    client.post("/fit", data={"role-1": "target", "role-2": "target"})
    bench.job.wait(120)
    assert bench.job.problem is None, bench.job.problem
    client.get("/working")
    text = client.post("/view", data={"value-0": "3", "target": "1"}).text
    assert text.count('class="mean"') == 2 and "Noise budget of b" in text


def test_a_refused_table_leaves_the_one_in_use_alone(client, bench):
    upload(client, "/table", "table", ROWS, name="a.csv")
    taken, content = bench.table, bench.table.path.read_bytes()
    assert upload(client, "/table", "table", b"a,a\n1,2\n", name="b.csv").status_code == 400
    assert bench.table is taken and taken.path.read_bytes() == content
    assert list(bench.folder.iterdir()) == [taken.path]  # nothing of what was refused is kept


def test_a_second_table_never_touches_the_file_that_a_fit_reads(client, bench, monkeypatch):
    """A fit that began with A ends with A, whatever is chosen meanwhile."""
    begun, go_on, seen = threading.Event(), threading.Event(), []

    def slow(choices):
        begun.set()
        go_on.wait(30)
        return tiny(choices)

    monkeypatch.setattr("taylor_sensus.app.workbench.constructor_arguments", slow)
    monkeypatch.setattr(bench, "_open", lambda job, model, name, data, *rest: seen.append((name, len(data[0]))))
    upload(client, "/table", "table", ROWS, name="a.csv")
    first = bench.table.path
    client.post("/fit", data={"role-1": "out", "role-3": "target", "decimal": "."})
    begun.wait(30)
    upload(client, "/table", "table", ROWS + ROWS.partition("\n")[2], name="b.csv")
    assert first.is_file() and bench.table.path != first
    go_on.set()
    bench.job.wait(120)
    assert seen == [("a.csv", 60)]


def test_predictions_belong_to_the_model_that_is_open(client, bench, has_model):
    done(client, bench, upload(client, "/predict", "rows", "x,kind\n1.5,a\n", name="new.csv"))
    assert client.get("/download/predictions.csv").status_code == 200
    content = client.get("/download/model.tsnet").content
    done(client, bench, upload(client, "/open", "model", content, name="other.tsnet"))
    assert client.get("/download/predictions.csv").status_code == 404  # they are of the model before
    refused = done(client, bench, upload(client, "/predict", "rows", "x\n1\n", name="bad.csv"))
    assert refused.status_code == 400
    assert [path.name for path in bench.folder.glob("*-upload.*")] == [bench.table.path.name]


def test_a_model_that_cannot_be_kept_leaves_file_and_report_as_they_were(client, bench, has_model, monkeypatch):
    before = {name: (bench.folder / name).read_bytes() for name in ("model.tsnet", "report.html")}
    content = client.get("/download/model.tsnet").content

    def full(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("taylor_sensus.regressor.TSNetRegressor.save", full)
    answer = done(client, bench, upload(client, "/open", "model", content, name="other.tsnet"))
    assert "No space left" in answer.text
    assert before == {name: (bench.folder / name).read_bytes() for name in before}


def test_a_refused_model_is_called_by_the_users_name(client, bench):
    answer = done(client, bench, upload(client, "/open", "model", b"\x89TSNET\r\n damaged", name="mine.tsnet"))
    assert "mine.tsnet" in answer.text and str(bench.folder) not in answer.text and "-upload" not in answer.text


def test_what_killed_apps_left_is_removed(tmp_path):
    old, new = tmp_path / "table-1-upload.csv", tmp_path / "table-2-upload.csv"
    part = tmp_path / f".model.tsnet.{'0' * 16}.part"
    for path in (old, new, part):
        path.write_text("x")
    for path in (old, part):
        os.utime(path, (0, 0))
    Workbench(tmp_path)
    assert list(tmp_path.iterdir()) == [new]
