"""Tables as scientists write them on the command line: errors in cells, in columns and in options; units; gaps."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import taylor_sensus
from taylor_sensus.cli import app

SMALL = ["--members", "2", "--epochs", "5", "--set", "noise_epochs=5", "--set", "density_steps=20", "--quiet"]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def succeeded(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def failed(*arguments):
    result = run(*arguments)
    assert result.exit_code == 1 and result.stdout == "", result.output
    return result.stderr.strip().splitlines()[-1]


def table(rows=60, seed=0):
    """`temp` declares errors in its cells, `p` in a column beside, `flow` nowhere; two cells are empty."""
    rng = np.random.default_rng(seed)
    temp, p, flow = rng.uniform(200, 400, rows), rng.uniform(1, 9, rows), rng.uniform(0.1, 0.4, rows)
    rate = 0.05 * temp + 2 * p + rng.normal(0, 1, rows)
    frame = pd.DataFrame(
        {
            "temp [degC]": [f"{t:.1f}(5)" if i % 2 else f"{t:.1f}" for i, t in enumerate(temp)],
            "p [bar]": p.round(3),
            "p_err": np.full(rows, 0.1),
            "flow": [f"{f:.4f}" for f in flow],
            "catalyst": rng.choice(["A", "B"], rows),
            "rate [mol/s]": [f"{r:.2f} ± 0.3" for r in rate],
        }
    )
    frame.loc[3, "flow"] = "n.d."
    frame.loc[5, "flow"] = "<0.1"
    return frame


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("messy")
    table().to_csv(folder / "messy.csv", index=False)
    table(12, seed=1).to_csv(folder / "new.csv", index=False)
    result = succeeded("fit", folder / "messy.csv", "--target", "rate", "-o", folder / "m.tsnet", "--json", *SMALL)
    (folder / "fit.json").write_text(result.stdout)
    (folder / "fit.txt").write_text(result.stderr)
    return folder


@pytest.fixture
def given(folder, monkeypatch):
    """What `fit` with these options hands to the estimator, which is stopped before it begins."""
    from taylor_sensus import TSNetRegressor

    found = {}

    def stop(self, X, y, **errors):
        found.update(X=X, y=y, **errors)
        raise KeyboardInterrupt

    monkeypatch.setattr(TSNetRegressor, "fit", stop)

    def given(*options, file="messy.csv", target="rate"):
        arguments = ["fit", folder / file, "--target", target, "-o", folder / "never.tsnet", *options]
        result = run(*arguments)
        assert result.exit_code == 130, result.output
        return found

    return given


# ------------------------------------------------------------------------------------------------ fitting


def test_fit_tells_what_it_found(folder):
    notes = (folder / "fit.txt").read_text().splitlines()
    assert notes[0].startswith("warning: column 'flow': cells with only a bound (1 row, such as '<0.1') count as miss")
    assert "--censored" in notes[0]
    assert notes[1] == "note: column 'p_err' holds the errors of column 'p [bar]'; if it does not: --ordinary p_err"
    assert notes[2] == (
        "note: errors are declared for 'temp [degC]' (in 30 of 60 rows), 'p [bar]' (in 60 of 60 rows), "
        "'rate [mol/s]' (in 60 of 60 rows)"
    )
    content = json.loads((folder / "fit.json").read_text())
    assert content["error_columns"] == {"p [bar]": "p_err"}
    assert content["declared_errors"] == {"temp [degC]": 30, "p [bar]": 60, "rate [mol/s]": 60}
    assert [column["name"] for column in content["columns"]] == ["temp [degC]", "p [bar]", "flow", "catalyst"]
    assert content["targets"] == ["rate [mol/s]"]


def test_fit_hands_over_values_and_errors(given):
    found = given()
    assert list(found["X"]) == ["temp [degC]", "p [bar]", "flow", "catalyst"]
    assert np.isnan(found["X"]["flow"].iloc[[3, 5]]).all() and found["X"]["flow"].notna().sum() == 58
    assert list(found["X_err"]) == ["temp [degC]", "p [bar]"]
    assert np.isnan(found["X_err"].iloc[0]["temp [degC]"]) and found["X_err"].iloc[1]["temp [degC]"] == 0.5
    assert (found["X_err"]["p [bar]"] == 0.1).all()
    assert found["y"].name == "rate [mol/s]" and (found["y_err"] == 0.3).all()
    assert found["X_val"] is None and found["X_val_err"] is None


def test_errors_from_options(given):
    found = given("--x-err", "temp=2", "--x-err", "flow=10%")
    flow = found["X"]["flow"]
    assert found["X_err"]["temp [degC]"].tolist() == [2.0, 0.5] * 30
    np.testing.assert_allclose(found["X_err"]["flow"].dropna(), 0.1 * flow.dropna())
    assert np.isnan(found["X_err"].iloc[3]["flow"])
    found = given("--x-err", "0")
    assert found["X_err"]["temp [degC]"].tolist() == [0.0, 0.5] * 30
    assert set(found["X_err"]["flow"].dropna()) == {0.0} and (found["X_err"]["p [bar]"] == 0.1).all()
    assert (found["X_err"]["catalyst"] == 0).all()
    assert "catalyst" not in given("--x-err", "1%")["X_err"]


def test_a_column_of_errors_by_name(given, folder):
    table().rename(columns={"p_err": "spread"}).assign(dy=0.7, rate=table().index).drop(columns="rate [mol/s]").to_csv(
        folder / "named.csv", index=False
    )
    found = given("--x-err", "p=spread", "--y-err", "dy", file="named.csv")
    assert list(found["X"]) == ["temp [degC]", "p [bar]", "flow", "catalyst"]
    assert (found["X_err"]["p [bar]"] == 0.1).all() and (found["y_err"] == 0.7).all()
    found = given("--x-err", "p=col:spread", "--y-err", "rate=5%", file="named.csv")
    assert (found["X_err"]["p [bar]"] == 0.1).all() and "dy" in found["X"]
    np.testing.assert_allclose(found["y_err"][1:], 0.05 * np.arange(1, 60))


def test_ordinary_columns_and_words(given):
    found = given("--ordinary", "p_err", "--text", "flow")
    assert "p_err" in found["X"] and list(found["X_err"]) == ["temp [degC]"]
    assert found["X"]["flow"].map(lambda cell: isinstance(cell, str)).sum() == 59  # n.d. is missing in words too


def test_missing_words_are_told(folder):
    without = table(12, seed=1)
    without.loc[[2, 4], "catalyst"] = ["None", ""]
    without.to_csv(folder / "words.csv", index=False)
    result = succeeded("predict", folder / "m.tsnet", folder / "words.csv", "-o", folder / "out.csv")
    assert (
        "note: column 'catalyst' holds words; 2 of its cells are missing (empty, or NA, n.d., - and the like)"
        in result.stderr
    )
    assert pd.read_csv(folder / "out.csv")["std"].notna().all()


@pytest.mark.parametrize(("way", "value"), [("missing", np.nan), ("bound", 0.1), ("half", 0.05)])
def test_censored(given, way, value):
    np.testing.assert_equal(given("--censored", way)["X"].iloc[5]["flow"], value)


def test_several_targets(given, folder):
    table().assign(yield_=range(60)).to_csv(folder / "two.csv", index=False)
    found = given("--target", "yield_", "--y-err", "yield_=1.5", file="two.csv")
    assert list(found["y"]) == list(found["y_err"]) == ["rate [mol/s]", "yield_"]
    assert (found["y_err"]["yield_"] == 1.5).all() and (found["y_err"]["rate [mol/s]"] == 0.3).all()
    line = failed("fit", folder / "two.csv", "--target", "rate", "--target", "yield_", "--y-err", "1", "-o", "x.tsnet")
    assert "which column is meant? Write --y-err 'rate [mol/s]=1'" in line


def test_declared_decimal_commas(given, folder):
    text = "a;b;ok;y\n1,5(2);1.000;True;2\n2;3,25;False;3,5\n"
    (folder / "comma.csv").write_text(text)
    line = failed("fit", folder / "comma.csv", "--target", "y", "--decimal", ",", "-o", folder / "x.tsnet")
    assert "column 'b': row 2 ('1.000') has a point although" in line
    (folder / "comma.csv").write_text(text.replace("1.000", "1,234"))
    found = given("--decimal", ",", file="comma.csv", target="y")
    assert found["X"].to_dict("list") == {"a": [1.5, 2.0], "b": [1.234, 3.25], "ok": [True, False]}
    assert found["y"].tolist() == [2.0, 3.5] and found["X_err"].iloc[0]["a"] == 0.2
    line = failed("fit", folder / "comma.csv", "--target", "y", "--decimal", ";", "-o", folder / "x.tsnet")
    assert "decimal is ';'" in line


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--x-err", "0.5", "which column is meant? Write --x-err 'temp [degC]=0.5'"),
        ("--x-err", "tmp=0.5", "there is no such column 'tmp'"),
        ("--x-err", "temp=0,5", "decimals are written with a point"),
        ("--x-err", "temp=-1", "not an error size"),
        ("--x-err", "temp=nan", "not an error size"),
        ("--x-err", "temp=flwo", "did you mean 'flow'?"),
        ("--x-err", "p=0.2", "all its cells have errors of their own"),
        ("--x-err", "p=flow", "columns 'flow' and 'p_err' all seem to hold the errors of column 'p [bar]'"),
        ("--x-err", "catalyst=1", "column 'catalyst' holds words, which have no standard error"),
        ("--x-err", "temp=temp", "a column cannot hold its own errors"),
        ("--x-err", "rate=1", "there is no such column 'rate'"),
        ("--y-err", "1", "all its cells have errors of their own"),
        ("--y-err", "raet=1", "there is no such column 'raet'"),
        ("--ordinary", "q_err", "ordinary names 'q_err'"),
        ("--censored", "zero", "censored is 'zero'"),
    ],
)
def test_options_that_are_refused(folder, option, value, words):
    assert words in failed("fit", folder / "messy.csv", "--target", "rate", "-o", folder / "x.tsnet", option, value)


def test_options_given_twice_or_in_two_meanings(folder):
    twice = ["--x-err", "temp=1", "--x-err", "temp [degC]=2"]
    fit = ["fit", folder / "messy.csv", "--target", "rate", "-o", folder / "x.tsnet"]
    assert "an error of 'temp [degC]' is given twice" in failed(*fit, *twice)
    assert "an error of all columns is given twice" in failed(*fit, "--x-err", "2%", "--x-err", "0")
    table().assign(**{"5": 1.0, "a": 1.0, "a=b": 1.0}).to_csv(folder / "odd.csv", index=False)
    fit[1] = folder / "odd.csv"
    assert "'5' is a size and the name of a column; write col:5" in failed(*fit, "--x-err", "temp=5")
    assert "this may mean 'a', 'a=b'" in failed(*fit, "--x-err", "a=b=5%")


def test_a_validation_table_in_the_same_notation(given, folder):
    table(12, seed=2).rename(columns={"temp [degC]": "temp (°C)"}).to_csv(folder / "held.csv", index=False)
    found = given("--validation", folder / "held.csv", "--x-err", "flow=0.01")
    assert list(found["X_val"]) == list(found["X"]) and len(found["y_val"]) == 12
    assert list(found["X_val_err"]) == ["temp [degC]", "p [bar]", "flow"] and (found["y_val_err"] == 0.3).all()


# --------------------------------------------------------------------------------------------- predicting


def predicted(folder, *options, file="new.csv"):
    succeeded("predict", folder / "m.tsnet", folder / file, "-o", folder / "out.csv", *options)
    return pd.read_csv(folder / "out.csv")


def test_predict_reads_errors_in_the_same_way(folder):
    from taylor_sensus import load, read_measurements

    model = load(folder / "m.tsnet")
    with pytest.warns(taylor_sensus.TaylorSensusWarning):
        X, X_err = read_measurements(folder / "new.csv").inputs(model.feature_names_in_)
    expected = model.predict_distribution(X, X_err=X_err)
    np.testing.assert_allclose(predicted(folder)["std"], expected.std, rtol=1e-6)
    exact = predicted(folder, "--exact")
    assert (exact["feature_noise"] < expected.feature_noise).all()
    wide = predicted(folder, "--x-err", "temp=40")
    assert (wide["feature_noise"] > expected.feature_noise + 1e-9).sum() == 6
    result = run("predict", folder / "m.tsnet", folder / "new.csv", "-o", folder / "out.csv", "--exact", "--x-err", "0")
    assert result.exit_code == 1 and "give one of them" in result.stderr


def test_units_are_checked_and_may_be_left_out(folder):
    bare = table(12, seed=1).rename(columns={"temp [degC]": "temp", "p [bar]": "p / bar"})
    bare.drop(columns="rate [mol/s]").to_csv(folder / "bare.csv", index=False)
    pd.testing.assert_frame_equal(predicted(folder, file="bare.csv"), predicted(folder))
    table(12).rename(columns={"temp [degC]": "temp [K]"}).to_csv(folder / "kelvin.csv", index=False)
    line = failed("predict", folder / "m.tsnet", folder / "kelvin.csv", "-o", folder / "out.csv")
    assert "column 'temp [degC]' was learned in 'degC', but comes in 'K'" in line
    table(12).rename(columns={"rate [mol/s]": "rate [mmol/s]"}).to_csv(folder / "milli.csv", index=False)
    assert "learned in 'mol/s', but comes in 'mmol/s'" in failed("evaluate", folder / "m.tsnet", folder / "milli.csv")


def test_columns_that_the_model_does_not_use_are_not_read(folder):
    extra = table(12, seed=1).assign(remark="12 kg", note_err="x", rate_err="bad")
    extra["rate [mol/s]"] = ["1,2"] * 12
    extra.to_csv(folder / "extra.csv", index=False)
    pd.testing.assert_frame_equal(predicted(folder, file="extra.csv"), predicted(folder))
    result = succeeded("predict", folder / "m.tsnet", folder / "extra.csv", "-o", folder / "out.csv", "--json")
    assert json.loads(result.stdout)["ignored_columns"] == ["rate [mol/s]", "remark", "note_err", "rate_err"]


def test_a_row_with_a_gap_is_less_sure(folder):
    whole = table(12, seed=1).assign(flow=0.2)
    whole.to_csv(folder / "whole.csv", index=False)
    whole.assign(**{"temp [degC]": ""}).to_csv(folder / "gap.csv", index=False)
    assert (predicted(folder, file="gap.csv")["std"] > predicted(folder, file="whole.csv")["std"]).all()


def test_kept_texts_cannot_run_as_formulas(folder):
    hostile = table(12, seed=1).assign(remark=["=1+1", "@x", "+a", "-b", "\t=c", "-5 ± 2", "-5", *"ghijk"])
    hostile.to_csv(folder / "hostile.csv", index=False)
    predicted(folder, "--keep", "remark", file="hostile.csv")
    kept = pd.read_csv(folder / "out.csv", dtype=str)["remark"].tolist()
    assert kept[:7] == ["'=1+1", "'@x", "'+a", "'-b", "'\t=c", "'-5 ± 2", "-5"]


def test_evaluate_judges_both_kinds_of_interval(folder):
    result = succeeded("evaluate", folder / "m.tsnet", folder / "messy.csv", "--json")
    scores = json.loads(result.stdout)["scores"]["rate [mol/s]"]
    thirds = [scores[f"conformal_coverage_90_{third}"] for third in ("low", "mid", "high")]
    assert np.mean(thirds) == pytest.approx(scores["conformal_coverage_90"])
    shown = succeeded("evaluate", folder / "m.tsnet", folder / "messy.csv").stdout
    assert "Conformal intervals" in shown and shown.count("the third with the largest std") == 2


# ------------------------------------------------------------------------------------------------- budget


def test_budget_adds_up_and_is_drawn(folder):
    arguments = ["budget", folder / "m.tsnet", folder / "new.csv"]
    files = ["-o", folder / "budget.csv", "--plot", folder / "budget.png"]
    result = succeeded(*arguments, *files)
    assert "temp [degC]" in result.stdout or "temp" in result.stdout
    found = pd.read_csv(folder / "budget.csv")
    variance = predicted(folder)["std"] ** 2
    np.testing.assert_allclose(found.groupby("row")["variance"].sum(), variance, rtol=1e-6)
    assert set(found.loc[found["source"] == "p [bar]", "origin"]) == {"declared"}
    assert (folder / "budget.png").read_bytes().startswith(b"\x89PNG")
    one = json.loads(succeeded(*arguments, "--row", "5", "--json").stdout)
    assert one["rows"] == 1 and sum(source["share"] for source in one["sources"]) == pytest.approx(1)
    origins = {source["source"]: source["origin"] for source in one["sources"]}
    assert origins["flow"] == "missing" and origins["p [bar]"] == "declared"
    assert "there is no row '14'" in failed(*arguments, "--row", "14")
    assert "must end in .png" in failed(*arguments, "--plot", folder / "budget.txt")


def test_budget_of_exact_inputs(folder):
    found = json.loads(succeeded("budget", folder / "m.tsnet", folder / "new.csv", "--exact", "--json").stdout)
    exact = {source["source"] for source in found["sources"] if source["origin"] == "exact"}
    assert {"temp [degC]", "p [bar]"} <= exact
    assert all(s["variance"] == 0 for s in found["sources"] if s["source"] in exact)


# -------------------------------------------------------------------------------------------- what is next

SPACE = ["--bounds", "temp=200:400", "--bounds", "p=1:9", "--levels", "flow=0.1,0.2"]


def test_suggestions_keep_to_the_space_and_are_a_form(folder):
    form = folder / "form.csv"
    rules = ["--step", "temp=5", "--fixed", "catalyst=B", "--constraint", "temp + p <= 300", "-n", "5"]
    result = succeeded("suggest", folder / "m.tsnet", *SPACE, *rules, "-o", form)
    assert "5 suggestions to learn most" in result.stdout
    assert f"taylor-sensus update {folder / 'm.tsnet'} {form} -o NEW_MODEL" in result.stderr
    found = pd.read_csv(form)
    assert len(found) == 5 and found["rate [mol/s]"].isna().all()
    assert set(found["flow"]) <= {0.1, 0.2} and set(found["catalyst"]) == {"B"}
    assert (found["temp [degC]"] % 5 == 0).all() and found["temp [degC]"].between(200, 400).all()
    assert (found["temp [degC]"] + found["p [bar]"] <= 300 + 1e-6).all()


def test_suggestions_from_a_table(folder):
    table(40, seed=3).drop([3, 5]).to_csv(folder / "pool.csv", index=False)
    arguments = ["suggest", folder / "m.tsnet", folder / "pool.csv", "-n", "3", "--json"]
    found = json.loads(succeeded(*arguments, "--goal", "max").stdout)
    assert found["target"] == "rate [mol/s]" and found["candidates"] == 38 and len(found["suggestions"]) == 3
    known = pd.read_csv(folder / "pool.csv")["p [bar]"].tolist()
    assert all(row["p [bar]"] in known for row in found["suggestions"])
    near = json.loads(succeeded(*arguments, "--goal", "target=20").stdout)
    assert near["goal"] == "come near 20" and near["outlook"]["median_std"] > 0
    waiting = pd.DataFrame(found["suggestions"])
    waiting.to_csv(folder / "waiting.csv", index=False)
    others = json.loads(succeeded(*arguments, "--goal", "max", "--pending", folder / "waiting.csv").stdout)
    assert not set(waiting["p [bar]"]) & {row["p [bar]"] for row in others["suggestions"]}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--bounds", "temp=200"], "expected COLUMN=LOW:HIGH"),
        (["--bounds", "temp=a:b"], "'a' is not a number"),
        (["--bounds", "tmp=1:2"], "there is no such column 'tmp'"),
        (["--bounds", "200:400"], "expected COLUMN=LOW:HIGH"),
        (["--bounds", "temp=1:2", "--bounds", "temp [degC]=1:3"], "'temp [degC]' is given twice"),
        (["--bounds", "flow=1:2", "--levels", "flow=1"], "has bounds too"),
        (["--constraint", "temp"], "expected a sum such as"),
        (["--constraint", "temp + tmp = 1", *SPACE], "there is no column 'tmp'"),
        (["--constraint", "temp + temp = 1"], "appears twice"),
        (["--constraint", "{'a': 1}"], "not valid JSON"),
        (["--levels", "catalyst=C", *SPACE], "does not know 'C'"),
    ],
)
def test_spaces_that_are_refused(folder, options, words):
    assert words in failed("suggest", folder / "m.tsnet", *options)


def test_constraints_as_json_and_levels_with_commas(folder):
    from taylor_sensus.cli.space import SpaceOptions, read_space
    from taylor_sensus.tables.column import Column

    columns = [Column("temp [degC]", None), Column("flow", None), Column("kind", ("a,1", "b"))]
    text = '{"nonzero": ["temp", "flow"], "at_most": 1}'
    options = SpaceOptions(["temp=-5:5"], ['kind=["a,1", "b"]', "flow=0,1"], None, None, [text, "temp + flow >= 2"])
    bounds, constraints = read_space(options, columns)
    assert bounds == {"temp [degC]": (-5.0, 5.0), "kind": ["a,1", "b"], "flow": [0.0, 1.0]}
    assert constraints == [
        {"nonzero": ["temp [degC]", "flow"], "at_most": 1},
        {"linear": {"temp [degC]": 1, "flow": 1}, "at_least": 2.0},
    ]


def test_goals_that_are_refused(folder):
    for goal in ("most", "target", "target=high"):
        assert run("suggest", folder / "m.tsnet", "--goal", goal).exit_code == 2


def test_a_filled_form_goes_back_into_the_model(folder):
    form, new = folder / "back.csv", folder / "new.tsnet"
    succeeded("suggest", folder / "m.tsnet", *SPACE, "-n", "4", "-o", form)
    filled = pd.read_csv(form).astype({"rate [mol/s]": object, "status": object})
    filled["rate [mol/s]"] = ["21.5 ± 0.2", "22.5", "", "99"]
    filled["status"] = ["done", "", "planned", "failed"]
    filled.rename(columns={"rate [mol/s]": "rate", "temp [degC]": "temp (°C)"}).to_csv(form, index=False)
    result = succeeded("update", folder / "m.tsnet", form, "-o", new, "--quiet", "--json")
    assert "note: 2 of 4 rows of back.csv were added; the model now knows 62" in result.stderr
    content = json.loads(result.stdout)
    assert content["added_rows"] == 2 and content["facts"]["rows"] == 62
    succeeded("predict", new, folder / "new.csv", "-o", folder / "out.csv")
    assert "is an input of this command" in failed("update", folder / "m.tsnet", form, "-o", form)
    assert "there is no such column 'catalyst'" in failed(
        "update", folder / "m.tsnet", form, "-o", new, "--force", "--x-err", "catalyst=0"
    )
    pd.read_csv(form).assign(rate="").to_csv(form, index=False)
    assert "no result" in failed("update", folder / "m.tsnet", form, "-o", new, "--force")


def test_errors_of_a_form_from_options(folder, monkeypatch):
    from taylor_sensus import TSNetRegressor

    form, found = folder / "errors.csv", []

    def stop(self, rows):
        found.append(rows)
        raise KeyboardInterrupt

    monkeypatch.setattr(TSNetRegressor, "update", stop)
    filled = table(6).head(3).assign(spread=[0.5, 0.25, ""])
    filled["flow"] = ["2e-1", "0", "0.3(1)"]
    filled["rate [mol/s]"] = [20.0, 21.0, ""]
    filled.to_csv(form, index=False)
    options = ["--x-err", "0.001%", "--x-err", "temp=2e-3", "--y-err", "spread"]
    assert run("update", folder / "m.tsnet", form, "-o", folder / "x.tsnet", *options).exit_code == 130
    (rows,) = found
    assert rows.X["temp [degC]"].tolist() == [float(cell.split("(")[0]) for cell in filled["temp [degC]"][:2]]
    assert rows.X_err["temp [degC]"].tolist() == [2e-3, 0.5] and rows.y_err.tolist() == [0.5, 0.25]
    np.testing.assert_allclose(rows.X_err["flow"], [2e-6, np.nan])


def test_a_model_without_its_rows_cannot_be_updated(folder):
    bare, form = folder / "bare.tsnet", folder / "back.csv"
    options = ["--target", "rate", "-o", bare, "--without-rows", "--drop", "catalyst", *SMALL]
    succeeded("fit", folder / "messy.csv", *options)
    assert taylor_sensus.load(bare).fitted_.rows is None
    table(6).head(3).to_csv(form, index=False)
    assert "does not hold its training rows" in failed("update", bare, form, "-o", folder / "x.tsnet")


def test_hostile_names_and_words_stay_inert_and_come_back(tmp_path):
    rng = np.random.default_rng(0)
    hostile = pd.DataFrame(
        {"@x": rng.normal(size=40), "kind": rng.choice(["=cmd(A1)", "B"], 40), "y": rng.normal(size=40)}
    )
    hostile.to_csv(tmp_path / "t.csv", index=False)
    succeeded("fit", tmp_path / "t.csv", "--target", "y", "-o", tmp_path / "m.tsnet", *SMALL)
    space = ["--bounds", "@x=0:1", "--levels", "kind==cmd(A1)", "-n", "2"]
    succeeded("suggest", tmp_path / "m.tsnet", *space, "-o", tmp_path / "form.csv")
    succeeded("budget", tmp_path / "m.tsnet", tmp_path / "t.csv", "-o", tmp_path / "budget.csv")
    for file in ("form.csv", "budget.csv"):
        cells = [cell for line in (tmp_path / file).read_text().splitlines() for cell in line.split(",")]
        texts = [cell for cell in cells if cell[:1] in ("=", "@", "+", "-")]
        assert all(float(cell) is not None for cell in texts)  # only numbers begin like this
        assert "'@x" in cells
    form = pd.read_csv(tmp_path / "form.csv").assign(y=1.0)
    assert set(form["kind"]) == {"'=cmd(A1)"}
    form.to_csv(tmp_path / "filled.csv", index=False)
    succeeded("update", tmp_path / "m.tsnet", tmp_path / "filled.csv", "-o", tmp_path / "new.tsnet", "--quiet")
