"""Tables in the app: sheets of a book, columns that never change, and what each column seems to be."""

import io
import re

import numpy as np
import pandas as pd

from taylor_sensus.app.chosen_table import CONSTANT, COUNTER, DATES, EMPTY, NAMES, NUMBERS, WORDS, column_profiles
from tests.app.conftest import upload


def book():
    rows = pd.DataFrame({"x": np.arange(40) / 4, "site": 3.0, "y": np.arange(40) ** 2 % 11})
    file = io.BytesIO()
    with pd.ExcelWriter(file) as sheets:
        pd.DataFrame({"remark": ["made in May", "by Ann"]}).to_excel(sheets, sheet_name="notes", index=False)
        rows.to_excel(sheets, sheet_name="data", index=False)
    return file.getvalue()


def test_a_sheet_of_a_book_can_be_chosen(client, bench):
    text = upload(client, "/table", "table", book(), name="runs.xlsx").text
    assert "Sheet of the book" in text and "--sheet" not in text
    assert bench.table.headers == ["remark"]
    answer = client.post("/sheet", data={"sheet": "1"})
    assert answer.url.path == "/columns" and "40 rows, 3 columns" in answer.text
    assert re.findall(r'<select name="role-\d".*?value="(\w+)" selected', answer.text) == ["input", "out", "target"]
    assert client.post("/sheet", data={"sheet": "7"}).status_code == 400


def test_a_fit_uses_the_sheet_that_was_chosen_and_constants_have_no_slider(client, bench, quick):
    upload(client, "/table", "table", book(), name="runs.xlsx")
    client.post("/sheet", data={"sheet": "1"})
    client.post("/fit", data={"role-0": "input", "role-1": "input", "role-2": "target", "decimal": "."})
    bench.job.wait(120)
    assert bench.job.problem is None, bench.job.problem
    assert "--sheet data" in bench.opened.command
    page = client.get("/what-if").text
    assert 'name="slider-0"' in page and 'name="slider-1"' not in page and "3 in all training rows" in page
    assert '<option value="1"' not in page, "and no curve is drawn along it"
    asked = client.post("/suggestions", data={"low-0": "1", "high-0": "2", "low-1": "3", "high-1": "3", "n": "2"})
    assert asked.status_code == 200
    bench.job.wait(60)
    assert (bench.suggestions.table["site"] == 3).all()
    found = client.get("/suggestions").text
    assert found.index("<h2>Measure these") < found.index("expected result") < found.index("<h2>Ask again")


def test_advice_that_holds_for_all_is_said_once(client, bench, has_model):
    client.post("/suggestions", data={"low-0": "1", "high-0": "2", "n": "3"})
    bench.job.wait(60)
    text = client.get("/suggestions").text
    advice = bench.suggestions.table["advice"]
    shown = text.count(advice.iloc[0])
    assert shown == (1 if advice.nunique() == 1 else (advice == advice.iloc[0]).sum())


def test_what_columns_seem_to_be():
    n = 40
    table = pd.DataFrame(
        {
            "run": np.arange(1, n + 1),
            "x": np.arange(1, n + 1),
            "name": [f"S{i}" for i in range(n)],
            "day": [f"{i % 28 + 1}.05.2024" for i in range(n)],
            "site": 7,
            "nothing": [np.nan] * n,
            "n.d.": ["n.d."] * n,
            "alloy": np.resize(["a", "b"], n),
            "temp": ["12.5(3)", "n.d."] * (n // 2),
        }
    )
    facts = dict(zip(table, column_profiles(table), strict=True))
    assert {name: one.kind for name, one in facts.items()} == {
        "run": COUNTER, "x": NUMBERS, "name": NAMES, "day": DATES, "site": CONSTANT, "nothing": EMPTY, "n.d.": EMPTY,
        "alloy": WORDS, "temp": NUMBERS,
    }  # fmt: skip
    assert (facts["temp"].declared, facts["temp"].missing) == (n // 2, n // 2)


def test_an_unknown_page_is_refused_in_words(client):
    answer = client.get("/nowhere")
    assert answer.status_code == 404 and "There is no such page" in answer.text and "<main>" in answer.text
