"""The form of the columns becomes the options of the command line."""

import shlex

import pytest

from taylor_sensus.app.choices import as_command, constructor_arguments, read_choices
from taylor_sensus.errors import SettingError
from taylor_sensus.tables.companions import find_pairings
from taylor_sensus.tables.reading import open_table, table_to_fit

HEADERS = ["run", "temp [degC]", "temp_err", "p=q", "y"]


def chosen(**fields):
    said = {"role-0": "out", "role-4": "target", **{name.replace("_", "-"): text for name, text in fields.items()}}
    return read_choices(said, HEADERS, find_pairings(HEADERS))


def test_errors_are_numbers_percentages_or_columns():
    found = chosen(error_1="temp_err", error_3="2%", error_4="0.5")
    assert (found.target, found.drop) == (["y"], ["run"])
    assert found.reading.x_err == ["temp [degC]=col:temp_err", "p=q=2%"]
    assert found.reading.y_err == ["y=0.5"]
    assert found.reading.ordinary == []


def test_a_column_that_was_chosen_to_be_exact_has_an_error_of_0():
    assert chosen(kind_1="exact").reading.x_err == ["temp [degC]=0"]
    assert chosen(kind_1="exact", error_1="2%").reading.x_err == ["temp [degC]=2%"], "what was written counts"


def test_set_points_are_told_to_the_model_and_in_the_command():
    found = chosen(kind_1="setting", kind_4="setting", error_1="2")
    assert found.set_points == ["temp [degC]"], "a target has no kind"
    assert constructor_arguments(found)["X_err_kind"] == {"temp [degC]": "setting"}
    words = shlex.split(as_command(found, "t.csv"))
    assert words[words.index("--x-err-kind") + 1] == "temp [degC]=setting"


def test_a_column_that_looks_like_errors_is_an_input_if_the_form_says_so():
    assert chosen().reading.ordinary == ["temp_err"]


def test_a_column_of_errors_is_not_dropped_although_it_is_left_out():
    found = chosen(error_1="temp_err", role_2="out")
    assert found.drop == ["run"]


def test_the_command_line_reads_the_same(tmp_path):
    path = tmp_path / "a table.csv"
    path.write_text("run,temp [degC],temp_err,p=q,y\nr1,20,1,3,4\nr2,25,2,5,7\n")
    found = chosen(error_1="temp_err", error_3="2%", error_4="0.5", seed="7")
    table = table_to_fit(open_table(path), found.reading, target=found.target, drop=found.drop)
    assert list(table.X) == ["temp [degC]", "p=q"]
    assert table.X_err["temp [degC]"].tolist() == [1, 2]
    assert table.X_err["p=q"].tolist() == pytest.approx([0.06, 0.1])
    assert table.y_err.tolist() == [0.5, 0.5]
    words = shlex.split(as_command(found, "a table.csv"))
    assert words[:3] == ["taylor-sensus", "fit", "a table.csv"]
    assert words[words.index("--x-err") + 1] == "temp [degC]=col:temp_err"
    assert words[words.index("--seed") + 1] == "7"


@pytest.mark.slow
def test_the_command_that_is_shown_fits_the_same_model(tmp_path):
    from typer.testing import CliRunner

    from taylor_sensus import TSNetRegressor, load
    from taylor_sensus.cli import app

    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "".join(f"{i},{i * i % 7},{2 * i + i % 3}\n" for i in range(30)))
    found = read_choices({"role-2": "target", "effort": "fast"}, ["a", "b", "y"], [])
    words = shlex.split(as_command(found, str(path)))[1:]
    words[words.index("-o") + 1] = str(tmp_path / "m.tsnet")
    result = CliRunner().invoke(app, [*words, "--quiet"])
    assert result.exit_code == 0, result.output
    table = table_to_fit(open_table(path), found.reading, target=found.target, drop=found.drop)
    own = TSNetRegressor(**constructor_arguments(found)).fit(table.X, table.y)
    assert load(tmp_path / "m.tsnet").predict(table.X).tolist() == own.predict(table.X).tolist()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"role_4": "input"}, "at least one column to predict"),
        ({"role_1": "boss"}, "no role 'boss'"),
        ({"effort": "heroic"}, "no effort"),
        ({"seed": "-1"}, "seed must be"),
        ({"seed": "99999999999"}, "seed must be"),
        ({"error_1": "y"}, "cannot be predicted and hold the errors"),
    ],
)
def test_what_cannot_be_is_refused_in_words(fields, words):
    with pytest.raises(SettingError, match=words):
        chosen(**fields)
