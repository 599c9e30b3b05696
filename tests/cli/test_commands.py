"""The command line as its users meet it: the whole path, many kinds of table, one-line errors, exit codes."""

import json
import os
import subprocess
import sys
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import taylor_sensus
from taylor_sensus.cli import app
from taylor_sensus.settings import Settings

SMALL = ["--members", "2", "--epochs", "5", "--set", "noise_epochs=5", "--quiet"]
NUMBERS = ["mean", "std", "feature_noise", "system_noise", "aleatoric", "epistemic"]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def run_process(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "taylor_sensus", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def succeeded(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def error_line(*arguments, code=1):
    """The last line that a failing command prints; before it only notes may stand."""
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert all(line.startswith(("note: ", "warning: ")) for line in lines[:-1]), result.stderr
    return lines[-1]


def measurements(rows=60, seed=0):
    rng = np.random.default_rng(seed)
    hours, alloy = rng.uniform(0, 10, rows), rng.choice(["brass", "steel"], rows)
    strength = 3 * hours + 5 * (alloy == "steel") + rng.normal(0, 1, rows)
    strain = np.sin(hours) + rng.normal(0, 0.1, rows)
    return pd.DataFrame({"hours": hours, "alloy": alloy, "strength": strength, "strain": strain})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table `steel.csv` and two models fitted to it."""
    folder = tmp_path_factory.mktemp("cli")
    measurements().to_csv(folder / "steel.csv", index=False)
    one = ["--target", "strength", "--drop", "strain"]
    succeeded("fit", folder / "steel.csv", *one, "-o", folder / "steel.tsnet", *SMALL)
    both = ["--target", "strength", "--target", "strain"]
    succeeded("fit", folder / "steel.csv", *both, "-o", folder / "both.tsnet", *SMALL)
    return folder


# ----------------------------------------------------------------------------------- starting and stopping


def children_seconds():
    """Work of finished child processes, whatever else the machine does."""
    times = os.times()
    return times.children_user + times.children_system


@pytest.mark.parametrize("arguments", [["--help"], ["fit", "--help"]])
def test_help_answers_at_once(arguments):
    durations = []
    for _ in range(3):
        began = children_seconds()
        result = run_process(*arguments)
        durations.append(children_seconds() - began)
        assert result.returncode == 0
        assert result.stdout.startswith("Usage: taylor-sensus")
    assert min(durations) < 0.5


def test_help_loads_no_heavy_package():
    code = "import sys, taylor_sensus.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"jax", "numpy", "pandas", "sklearn", "scipy", "matplotlib", "rich"} & set(loaded)


def test_version():
    assert succeeded("--version").stdout == f"taylor-sensus {taylor_sensus.__version__}\n"


def test_wrong_usage_exits_with_2(folder):
    assert run("fit", folder / "steel.csv").exit_code == 2
    assert run("fitt").exit_code == 2
    output = ["--target", "strength", "-o", folder / "x.tsnet"]
    assert "NAME=VALUE" in run("fit", folder / "steel.csv", *output, "--set", "dropout").stderr
    twice = run("fit", folder / "steel.csv", *output, "--width", "8", "--set", "width=9")
    assert twice.exit_code == 2
    assert "'width' is given twice" in twice.stderr


def test_an_error_is_one_line_and_no_traceback(tmp_path):
    (tmp_path / "steel.csv").write_text("a,b\n1,2\n")
    arguments = ["fit", tmp_path / "stel.csv", "--target", "b", "-o", tmp_path / "m.tsnet"]
    result = run_process(*arguments)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("error: there is no file")
    assert result.stderr.endswith("did you mean 'steel.csv'?\n")
    assert "Traceback" in run_process(*arguments, TAYLOR_SENSUS_DEBUG="1").stderr


def test_an_unforeseen_error_is_one_line_too(folder, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr("taylor_sensus.tables.reading.read_file", broken)
    line = error_line("evaluate", folder / "steel.tsnet", folder / "steel.csv")
    assert line.startswith("error: two lines (RuntimeError; set TAYLOR_SENSUS_DEBUG=1")


def test_ctrl_c_writes_nothing(folder, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("taylor_sensus.fit.recipe.fit_model", interrupted)
    output = folder / "interrupted.tsnet"
    arguments = ["fit", folder / "steel.csv", "--target", "strength", "-o", output, *SMALL]
    assert error_line(*arguments, code=130) == "interrupted; nothing was written"
    assert not output.exists()


def test_ctrl_c_after_writing_says_what_is_there(folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("taylor_sensus.cli.predict"), "show_json", interrupted)
    output = folder / "late.csv"
    result = run("predict", folder / "steel.tsnet", folder / "steel.csv", "-o", output, "--json")
    assert result.exit_code == 130
    assert result.stderr.splitlines()[-1] == f"interrupted; only {output} was written"
    assert output.exists()


def test_full_disk_is_one_line(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "out.csv")

    monkeypatch.setattr("taylor_sensus.tables.files.write_table", full)
    line = error_line("predict", folder / "steel.tsnet", folder / "steel.csv", "-o", folder / "out.csv")
    assert line == "error: out.csv: No space left on device"


# ------------------------------------------------------------------------------------------ the whole path


def test_fit_shows_the_summary_and_where_the_model_is(folder):
    output = folder / "again.tsnet"
    arguments = [
        "fit",
        folder / "steel.csv",
        "--target",
        "strength",
        "--drop",
        "strain",
        "-o",
        output,
        *SMALL,
    ]
    result = succeeded(*arguments)
    assert result.stdout.startswith("[[Taylor-Sensus model]]")
    assert "alloy (2 categories)" in result.stdout
    assert result.stderr.startswith(f"wrote {output} (")
    assert output.read_bytes() == (folder / "steel.tsnet").read_bytes()


def test_progress_goes_to_stderr_without_bars_in_a_pipe(folder):
    loud = [word for word in SMALL if word != "--quiet"]
    arguments = ["--target", "strength", "--drop", "strain", "-o", folder / "loud.tsnet", *loud, "--json"]
    result = succeeded("fit", folder / "steel.csv", *arguments)
    assert json.loads(result.stdout)["model"] == str(folder / "loud.tsnet")
    assert "done" in result.stderr
    assert "\x1b" not in result.output
    assert "━" not in result.output


def test_fit_with_validation_rows_in_another_order(folder):
    held_out = folder / "held-out.tsv"
    measurements(20, seed=1)[["strain", "strength", "alloy", "hours"]].to_csv(held_out, sep="\t", index=False)
    arguments = ["--target", "strength", "-o", folder / "v.tsnet", "--validation", held_out, "--json", *SMALL]
    facts = json.loads(succeeded("fit", folder / "steel.csv", *arguments).stdout)["facts"]
    assert (facts["rows"], facts["validation_rows"]) == (60, 20)


@pytest.fixture
def settings_of(folder, monkeypatch):
    """The settings that a `fit` with these arguments would use; it is stopped before it begins."""
    found = []

    def stop(*arguments, **_):
        found.extend(given for given in arguments if isinstance(given, Settings))
        raise KeyboardInterrupt

    monkeypatch.setattr("taylor_sensus.fit.recipe.fit_model", stop)

    def settings_of(*arguments):
        required = ["--target", "strength", "-o", folder / "never.tsnet"]
        assert run("fit", folder / "steel.csv", *required, *arguments).exit_code == 130
        return found.pop()

    return settings_of


def test_settings_reach_the_model(settings_of):
    settings = settings_of("--width", "16", "--set", "activation=tanh", "--set", "taylor=false", *SMALL)
    assert (settings.members, settings.epochs, settings.width, settings.noise_epochs) == (2, 5, 16, 5)
    assert (settings.activation, settings.taylor) == ("tanh", False)


def test_the_method_as_printed(settings_of):
    settings = settings_of("--paper", "--epochs", "3", "--set", "prior_inflation=2")
    assert (settings.training, settings.members, settings.epochs) == ("joint", 1, 3)
    assert settings.prior_inflation == 2


def test_info(folder):
    shown = succeeded("info", folder / "steel.tsnet").stdout
    assert f"written by taylor-sensus {taylor_sensus.__version__}" in shown
    assert "2 categories: brass, steel" in shown
    content = json.loads(succeeded("info", folder / "steel.tsnet", "--json").stdout)
    assert content["bytes"] == (folder / "steel.tsnet").stat().st_size
    assert content["targets"] == ["strength"]
    assert content["columns"] == [
        {"name": "hours", "categories": None},
        {"name": "alloy", "categories": ["brass", "steel"]},
    ]


def test_predict_says_what_the_library_says(folder):
    result = succeeded("predict", folder / "steel.tsnet", folder / "steel.csv", "-o", folder / "out.csv")
    assert result.stdout == ""
    assert result.stderr.startswith("note: columns of steel.csv that the model does not use: 'strength', 'strain'")
    model, X = taylor_sensus.load(folder / "steel.tsnet"), pd.read_csv(folder / "steel.csv")[["hours", "alloy"]]
    expected = model.predict_distribution(X).to_frame(0.9)
    lower, upper = model.predict_interval(X, 0.9, "conformal")
    conformal = expected.assign(lower_90=lower, upper_90=upper)
    pd.testing.assert_frame_equal(pd.read_csv(folder / "out.csv"), conformal, check_dtype=False)
    gaussian = ["predict", folder / "steel.tsnet", folder / "steel.csv", "-o", folder / "out.csv", "--interval"]
    succeeded(*gaussian, "gaussian")
    pd.testing.assert_frame_equal(pd.read_csv(folder / "out.csv"), expected, check_dtype=False)
    assert run(*gaussian, "normal").exit_code == 2


@pytest.mark.parametrize("ending", ["tsv", "xlsx", "parquet"])
def test_tables_of_other_kinds_with_columns_in_any_order(folder, ending):
    if ending == "xlsx":
        pytest.importorskip("openpyxl")
    table = measurements()[["strain", "alloy", "hours"]]
    source = folder / f"other.{ending}"
    if ending == "tsv":
        table.to_csv(source, sep="\t", index=False)
    else:
        getattr(table, {"xlsx": "to_excel", "parquet": "to_parquet"}[ending])(source, index=False)
    output = folder / f"from-{ending}.parquet"
    result = succeeded("predict", folder / "steel.tsnet", source, "-o", output, "--keep", "alloy", "--json")
    content = json.loads(result.stdout)
    assert (content["rows"], content["kept_columns"], content["ignored_columns"]) == (
        60,
        ["alloy"],
        ["strain"],
    )
    found = pd.read_parquet(output)
    assert list(found.columns) == ["alloy", *NUMBERS, "lower_90", "upper_90", "familiarity"]
    succeeded("predict", folder / "steel.tsnet", folder / "steel.csv", "-o", folder / "csv.csv")
    np.testing.assert_allclose(found["mean"], pd.read_csv(folder / "csv.csv")["mean"], rtol=1e-5)


def test_predict_keeps_columns_and_row_labels(folder):
    labelled = measurements(4).set_axis(["a", "b", "b", "c"], axis=0)
    labelled.to_csv(folder / "labelled.csv")
    arguments = [folder / "steel.tsnet", folder / "labelled.csv", "-o", folder / "kept.csv", "--keep-all"]
    succeeded("predict", *arguments, "--coverage", "0.5")
    kept = pd.read_csv(folder / "kept.csv", index_col=0)
    assert list(kept.index) == ["a", "b", "b", "c"]
    pd.testing.assert_frame_equal(kept[list(labelled.columns)], labelled, check_dtype=False)
    assert "lower_50" in kept


def test_several_targets(folder):
    succeeded("predict", folder / "both.tsnet", folder / "steel.csv", "-o", folder / "both.csv")
    assert {"strength_mean", "strain_std"} <= set(pd.read_csv(folder / "both.csv").columns)
    scores = json.loads(succeeded("evaluate", folder / "both.tsnet", folder / "steel.csv", "--json").stdout)["scores"]
    found = pd.read_csv(folder / "both.csv")
    rmse = ((found["strain_mean"] - measurements()["strain"]) ** 2).mean() ** 0.5
    assert scores["strain"]["rmse"] == pytest.approx(rmse)
    assert set(scores) == {"strength", "strain"}


def test_evaluate(folder):
    shown = succeeded("evaluate", folder / "steel.tsnet", folder / "steel.csv").stdout
    for words in ("Errors on 60 rows", "RMSE", "90 % intervals hold", "the third with the largest std"):
        assert words in shown
    content = json.loads(succeeded("evaluate", folder / "steel.tsnet", folder / "steel.csv", "--json").stdout)
    scores = content["scores"]["strength"]
    assert content["rows"] == 60
    assert 0 <= scores["coverage_90_low"] <= 1
    succeeded("predict", folder / "steel.tsnet", folder / "steel.csv", "-o", folder / "out.csv")
    errors = pd.read_csv(folder / "out.csv")["mean"] - measurements()["strength"]
    assert scores["mae"] == pytest.approx(errors.abs().mean())


def test_a_score_that_is_not_defined_is_null(folder):
    measurements(1).to_csv(folder / "one.csv", index=False)
    content = json.loads(succeeded("evaluate", folder / "steel.tsnet", folder / "one.csv", "--json").stdout)
    assert content["scores"]["strength"]["std_error_spearman"] is None
    assert " -\n" in succeeded("evaluate", folder / "steel.tsnet", folder / "one.csv").stdout


# -------------------------------------------------------------------------------------------- bad input


def test_near_names_are_offered(folder):
    output = ["-o", folder / "x.tsnet", *SMALL]
    line = error_line("fit", folder / "steel.csv", "--target", "Strenght", *output)
    assert "did you mean 'strength'" in line
    line = error_line("fit", folder / "steel.csv", "--target", "strength", *output, "--set", "droput=0.2")
    assert line == "error: there is no setting 'droput'; did you mean 'dropout'?"


@pytest.mark.parametrize("column", ["hours", "strength"])
def test_text_among_numbers_is_named_by_row_and_column(folder, column):
    table = measurements().astype({column: object})
    table.loc[7, column] = "12 kg"
    table.to_csv(folder / "text.csv", index=False)
    arguments = ["fit", folder / "text.csv", "--target", "strength", "-o", folder / "x.tsnet", *SMALL]
    line = error_line(*arguments)
    assert f"column '{column}'" in line
    assert "row 9" in line
    assert "'12 kg'" in line


@pytest.mark.parametrize("cell", ["", "<0.1"])
def test_a_missing_target_is_named_by_row_and_column(folder, cell):
    table = measurements().astype({"strength": object})
    table.loc[7, "strength"] = cell
    table.to_csv(folder / "hole.csv", index=False)
    line = error_line("fit", folder / "hole.csv", "--target", "strength", "-o", folder / "x.tsnet", *SMALL)
    bound = " (gives only a bound)" if cell else ""
    assert f"column 'strength': no number in row 9{bound}. Rows count as in a spreadsheet" in line


def test_damaged_model_file(folder):
    damaged = folder / "damaged.tsnet"
    content = bytearray((folder / "steel.tsnet").read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    assert "checksum" in error_line("info", damaged)
    assert "not a Taylor-Sensus model" in error_line("info", folder / "steel.csv")
    assert "No such file" in error_line("info", folder / "none.tsnet")


def test_unknown_category(folder):
    table = measurements(5)
    table.loc[3, "alloy"] = "titanium"
    table.to_csv(folder / "new.csv", index=False)
    told = succeeded("predict", folder / "steel.tsnet", folder / "new.csv", "-o", folder / "out.csv").stderr
    assert "warning: column 'alloy': row 5 ('titanium') is none of the known categories" in told
    assert len(pd.read_csv(folder / "out.csv")) == 5


def test_missing_columns_are_all_named(folder):
    measurements().rename(columns={"hours": "Hours", "alloy": "metal"}).to_csv(folder / "renamed.csv", index=False)
    line = error_line("predict", folder / "steel.tsnet", folder / "renamed.csv", "-o", folder / "out.csv")
    assert line == "error: renamed.csv lacks 2 needed column(s): 'hours' (there is 'Hours'), 'alloy'"
    measurements().drop(columns="strength").to_csv(folder / "unmeasured.csv", index=False)
    line = error_line("evaluate", folder / "steel.tsnet", folder / "unmeasured.csv")
    assert "there is no target column 'strength'" in line


def test_a_kept_column_with_the_name_of_a_result(folder):
    measurements(5).assign(mean=0.0).to_csv(folder / "mean.csv", index=False)
    arguments = ["predict", folder / "steel.tsnet", folder / "mean.csv", "-o", folder / "out.csv"]
    assert "'mean'" in error_line(*arguments, "--keep-all")
    succeeded(*arguments, "--keep", "hours")


def test_outputs_are_refused_before_the_work(folder):
    before = (folder / "steel.csv").read_bytes()
    fit = ["fit", folder / "steel.csv", "--target", "strength", *SMALL, "-o"]
    predict = ["predict", folder / "steel.tsnet", folder / "steel.csv", "-o"]
    for command in (fit, predict):
        assert "is an input of this command" in error_line(*command, folder / "steel.csv")
        assert "is a folder" in error_line(*command, folder)
        assert "there is no folder" in error_line(*command, folder / "none" / "out.csv")
    assert "must end in .csv" in error_line(*predict, folder / "out.doc")
    assert "for 90 % write 0.9" in error_line(*predict, folder / "out.csv", "--coverage", "90")
    assert (folder / "steel.csv").read_bytes() == before


# ------------------------------------------------------------------------------------------------ demo


@pytest.fixture
def quick_defaults(monkeypatch):
    """Let the demo fit a small model: what it shows is tested here, not how good it is."""
    from taylor_sensus import regressor

    small = {"members": 2, "epochs": 5, "details": {"noise_epochs": 5, "density_steps": 20}}

    class Quick(regressor.TSNetRegressor):
        def fit(self, *arguments, **errors):
            self.set_params(**small, verbose=False)
            return super().fit(*arguments, **errors)

    monkeypatch.setattr(regressor, "TSNetRegressor", Quick)


@pytest.mark.slow
def test_demo(quick_defaults, tmp_path):
    out = tmp_path / "deep" / "demo"
    shown = succeeded("demo", "--out", out).stdout
    for words in ("Taylor-Sensus", "random forest", "ridge regression", "Noise budget of yield", "measure next"):
        assert words in shown
    assert f"Open {out / 'report.html'} in a browser" in shown
    assert sorted(path.name for path in out.iterdir()) == ["next_runs.csv", "predictions.csv", "report.html"]
    found = pd.read_csv(out / "predictions.csv")
    assert len(found) == 200 and list(found)[:2] == ["run", "temp [degC]"] and {"measured", "lower_90"} <= set(found)
    content = json.loads(succeeded("demo", "--out", out, "--json").stdout)
    assert sum(source["share"] for source in content["sources"]) == pytest.approx(1)
    assert len(content["suggestions"]) == 3
    assert "is a file" in error_line("demo", "--out", out / "report.html")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["predict", "none.tsnet", "steel.csv", "-o", "out.csv"], "none.tsnet"),
        (["predict", "steel.tsnet", "none.csv", "-o", "out.csv"], "there is no file none.csv"),
        (["evaluate", "steel.tsnet", "renamed.csv"], "lacks 1 needed column"),
        (["predict", "steel.tsnet", "steel.csv", "-o", "out.csv", "--keep", "batch"], "lacks 1 needed column"),
        (["predict", "steel.tsnet", "steel.csv", "-o", "out.csv", "--x-err", "hour=1"], "did you mean 'hours'"),
        (["predict", "steel.tsnet", "steel.csv", "-o", "out.csv", "--coverage", "90"], "for 90 % write 0.9"),
        (["report", "steel.tsnet", "renamed.csv"], "lacks 1 needed column"),
        (["info", "none.tsnet"], "none.tsnet"),
        (["suggest", "steel.tsnet", "--bounds", "hour=0:1"], "did you mean 'hours'"),
        (["update", "steel.tsnet", "none.csv", "-o", "new.tsnet"], "there is no file none.csv"),
        (["fit", "steel.csv", "--target", "strenth", "-o", "new.tsnet"], "did you mean 'strength'"),
        (["fit", "steel.csv", "--target", "strength", "--drop", "hour", "-o", "new.tsnet"], "did you mean 'hours'"),
    ],
)
def test_mistakes_are_told_before_anything_heavy_is_loaded(folder, arguments, words):
    measurements(5).rename(columns={"alloy": "metal"}).to_csv(folder / "renamed.csv", index=False)
    code = f"""
import sys
from taylor_sensus.cli import app
try:
    app({arguments!r}, prog_name="taylor-sensus")
except SystemExit:
    print(set("jax pandas pyarrow scipy sklearn".split()) & set(sys.modules))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder)
    assert words in result.stderr
    assert result.stdout == "set()\n"
