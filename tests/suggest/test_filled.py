"""The form out to a file and back: filled rows only, ids kept, errors read, mistakes named."""

import numpy as np
import pandas as pd
import pytest
from hill import table

from taylor_sensus.errors import DataError
from taylor_sensus.suggest import Suggestions, read_filled, suggest


@pytest.fixture(scope="module")
def form(model) -> Suggestions:
    return suggest(model, table(100, 11), n=4, random_state=0)


def test_out_and_back_through_a_file(model, form, tmp_path):
    form.to_csv(tmp_path / "form.csv")
    text = pd.read_csv(tmp_path / "form.csv", dtype=object)
    text["yield"] = ["7.5(2)", "8.25", None, "9.0"]
    text["status"] = ["done", None, None, "failed"]
    text.to_csv(tmp_path / "form.csv", index=False)
    rows = read_filled(model, tmp_path / "form.csv")
    assert rows.ids == list(form.table.id[:2])
    assert list(rows.y) == [7.5, 8.25] and rows.y.name == "yield"
    assert rows.y_err is not None and rows.y_err.iloc[0] == pytest.approx(0.2) and np.isnan(rows.y_err.iloc[1])
    assert rows.X_err is None
    settings = form.table.set_index("id").iloc[:2][["temp", "share", "solvent"]]
    pd.testing.assert_frame_equal(rows.X, settings, check_dtype=False, check_index_type=False, check_column_type=False)
    model.predict(rows.X)


def test_companion_columns_and_errors_of_settings(model, form):
    filled = form.table.assign(**{"yield": [1.0, 2.0, np.nan, 3.0], "yield_err": [0.1, np.nan, 0.1, 0.3]})
    filled["temp"] = filled["temp"].map(lambda value: f"{value:.1f} ± 0.5")
    rows = read_filled(model, filled)
    assert list(rows.y) == [1, 2, 3] and rows.ids == list(form.table.id[[0, 1, 3]])
    np.testing.assert_array_equal(rows.y_err, [0.1, np.nan, 0.3])
    assert rows.X_err is not None and list(rows.X_err.temp) == [0.5] * 3 and rows.X_err.share.isna().all()


def test_rows_that_do_not_count_may_hold_anything(model, form):
    filled = form.table.astype(object)
    filled["yield"] = [1.0, "exploded", 3.0, None]
    filled["status"] = ["", "Failed", "planned", ""]
    assert list(read_filled(model, filled).y) == [1.0]


@pytest.mark.parametrize(
    ("results", "status", "words"),
    [
        ([1.0, "about 3", None, None], ["", "", "", ""], "'yield': row '%s'"),
        ([1.0, None, None, None], ["done", "done", "", ""], "row '%s': the status is 'done', but column 'yield'"),
        ([1.0, 2.0, None, None], ["", "meh", "", ""], "unknown in row '%s' .'meh'"),
        ([None] * 4, [""] * 4, "no row of the form has a result"),
    ],
)
def test_mistakes_are_named(model, form, results, status, words):
    filled = form.table.assign(**{"yield": pd.Series(results, dtype=object), "status": status})
    with pytest.raises(DataError, match=words.replace("%s", form.table.id[1])):
        read_filled(model, filled)


def test_a_form_that_lost_columns_is_refused(model, form):
    with pytest.raises(DataError, match="lacks the columns 'share', 'yield'"):
        read_filled(model, form.table.drop(columns=["share", "yield"]))


def test_nothing_in_the_form_runs_in_a_spreadsheet_or_a_page(form, tmp_path):
    table = form.table.assign(candidate=["=1+1", "+2", "@x", "<b>bold</b>"])
    risky = Suggestions(table, form.goal, "<i>yield</i>", form.outlook, None, 100, "<script>")
    risky.to_csv(tmp_path / "form.csv")
    text = (tmp_path / "form.csv").read_text()
    assert "'=1+1" in text and "'@x" in text and ",=1+1" not in text
    page = risky._repr_html_()
    assert "<b>bold" not in page and "<script>" not in page and "<i>yield" not in page and "&lt;b&gt;bold" in page
