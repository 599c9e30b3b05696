"""The study `toys`: what methods are given, how they are judged, and what tables and figures show."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from miniature import command

from paper.engine.collected import files, write_collected
from paper.engine.figures import write_figures
from paper.engine.ledger import Record
from paper.engine.reading import read_results
from paper.engine.study import Inputs, Selection
from paper.engine.tables import write_tables
from paper.toys import run as toys
from paper.toys.figure import exact
from paper.toys.methods import COLUMNS, HARMONICS, PLAIN, TOY_METHODS, UNITS
from paper.toys.problems import answer, embedded, given, kept, noise_recovery, problem, regions, scores, shown
from paper.toys.study import TOYS
from taylor_sensus.baselines.registry import METHODS
from taylor_sensus.prediction import Prediction
from taylor_sensus.settings import DEFAULTS

DATASETS = pytest.mark.parametrize("dataset", ["toy_1d", "toy_2d"])


def test_embedded_columns_by_hand():
    found = embedded(np.array([[0.5, -1.0]]))
    assert DEFAULTS.octaves == 0 and found.shape == (1, 6)
    assert found[0] == pytest.approx([0.5, -1.0, 1.0, 0.0, 0.0, -1.0], abs=1e-6)


@DATASETS
def test_what_a_method_is_given(dataset):
    X = problem(dataset, 0).X
    assert np.array_equal(given(PLAIN, X, False, X), X) and np.array_equal(given(UNITS, X, True, X), X)
    units = given(UNITS, X, False, X).to_numpy()
    assert np.allclose(units.mean(axis=0), 0) and np.allclose(units.std(axis=0), 1)
    new = X[:3] + 100
    assert np.allclose(given(UNITS, X, False, new), (new - X.mean(axis=0)) / X.std(axis=0)), (
        "units are the training rows'"
    )
    assert np.allclose(given(COLUMNS, X, False, X), embedded(units)) and np.allclose(
        given(COLUMNS, X, True, X), embedded(X)
    )


@DATASETS
def test_the_exact_answer_has_ideal_scores(dataset):
    toy = problem(dataset, 0)
    found = scores(toy, exact(toy), 0)
    for region in ("in", "ext", "all"):
        assert found[f"nll_{region}"] == pytest.approx(found[f"nll_ideal_{region}"])
        assert found[f"coverage_90_{region}"] == pytest.approx(0.9, abs=0.03)
    assert found["noise_spearman"] == pytest.approx(1) and found["noise_ratio"] == pytest.approx(1)
    share = toy.inside.mean()
    for score in ("mse", "nll"):
        mixed = share * found[f"{score}_in"] + (1 - share) * found[f"{score}_ext"]
        assert found[f"{score}_all"] == pytest.approx(mixed), "all points are those inside and those outside"
    assert sum(rows.sum() for rows in regions(toy).values()) == 2 * len(toy.X_eval)


def test_scores_see_what_is_wrong():
    toy = problem("toy_1d", 0)
    p = exact(toy)
    moved = Prediction(p.mean + 3, p.feature_variance, p.system_variance, p.epistemic_variance, p.familiarity)
    wide = Prediction(p.mean, 4 * p.feature_variance, 4 * p.system_variance, p.epistemic_variance, p.familiarity)
    best, worse, careful = (scores(toy, each, 0) for each in (p, moved, wide))
    assert worse["mse_in"] == pytest.approx(9, abs=0.3) and worse["nll_in"] > best["nll_in"] + 5
    assert careful["noise_ratio"] == pytest.approx(2) and careful["coverage_90_in"] > 0.98


def test_methods_without_error_bars_or_with_constant_noise_have_no_such_scores():
    toy = problem("toy_1d", 0)
    zero, unknown = np.zeros(300), np.full(300, np.nan)
    assert set(scores(toy, Prediction(zero, zero, unknown, unknown, unknown), 0)) == {"mse_in", "mse_ext", "mse_all"}
    true = toy.noise_std(toy.X_eval)
    assert noise_recovery(np.full(300, 0.4), true)["noise_spearman"] is None
    assert noise_recovery(true.max() - true + 0.01, true)["noise_spearman"] == pytest.approx(-1)


def test_every_method_of_the_registry_and_ours_in_both_ways():
    assert set(METHODS) | {"gp", "tsnet_embedded"} == set(TOY_METHODS)
    assert {name for name, m in TOY_METHODS.items() if m.sees == PLAIN} == {"gp", "tsnet"}
    assert TOY_METHODS["tsnet"].make(random_state=0).get_params() == METHODS["tsnet"].make(random_state=0).get_params()
    assert TOY_METHODS["tsnet_paper"].settings["embedding"] == "positional" and TOY_METHODS["tsnet_paper"].sees == UNITS
    tasks = TOYS.tasks(Selection())
    assert {task.seed for task in tasks} == set(range(10))
    assert sum(task.dataset == "toy_2d" for task in tasks) == 10 * len(TOY_METHODS)
    assert sum(task.dataset == "toy_2d_raw" for task in tasks) == 10 * (len(TOY_METHODS) - 2), (
        "plain inputs have no such unit"
    )


def test_a_real_task_repeats_and_keeps_arrays_of_one_seed():
    first, again, other = (toys.run(TOYS.task("toy_1d", "gp", seed), 1) for seed in (0, 0, 1))
    numbers = {name: value for name, value in first.values.items() if not name.endswith("_seconds")}
    assert numbers == {name: value for name, value in again.values.items() if not name.endswith("_seconds")}
    assert 0.01 < numbers["mse_in"] < 0.2 and 2 < numbers["mse_ext"] < 8
    assert numbers["noise_spearman"] is None and 0.7 < numbers["noise_ratio"] < 1.5
    assert set(first.arrays) == {"mean", "feature_noise", "system_noise", "epistemic"} and not other.arrays
    toy = problem("toy_1d", 0)
    back = shown(pd.DataFrame(dict(first.arrays)))
    assert np.mean((back.mean - toy.y_eval)[toy.inside] ** 2) == pytest.approx(numbers["mse_in"], rel=0.01)


def test_networks_learn_the_toy_in_each_way_of_giving_inputs():
    toy = problem("toy_1d", 0)
    for name, epochs in (("mlp", 64), ("tsnet_paper", 250)):
        method = TOY_METHODS[name]
        seen = given(method.sees, toy.X, False, toy.X)
        model = method.make(random_state=0, n_jobs=1, epochs=epochs).fit(seen, toy.y)
        mean = model.predict(given(method.sees, toy.X, False, toy.X_eval))
        inside = toy.inside
        assert np.mean((mean - toy.y_eval)[inside] ** 2) < 0.5 * np.var(toy.y_eval[inside]), name
    quick = answer(TOY_METHODS["tsnet_paper"], toy.X, toy.y, toy.X_eval, raw=True, seed=0, n_jobs=1, quick=True)
    assert len(quick.prediction) == 300 and (quick.prediction.std > 0).all() and quick.seconds["fit_seconds"] > 0


def test_a_result_depends_on_rows_settings_and_what_is_given():
    found = [toys.inputs(TOYS.task(*task)) for task in (("toy_1d", "tsnet", 0), ("toy_1d", "tsnet", 1))]
    assert found[0].dataset_sha256 != found[1].dataset_sha256 and found[0].settings == found[1].settings
    inside = toys.inputs(TOYS.task("toy_1d", "tsnet_embedded", 0))
    assert inside.dataset_sha256 == found[0].dataset_sha256 and inside.settings != found[0].settings


def record(dataset: str, method: str, seed: int) -> Record:
    size = 1 + list(TOY_METHODS).index(method)
    values = {f"mse_{region}": size * (1 + 0.1 * seed) for region in ("in", "ext", "all")}
    if TOY_METHODS[method].gives_std:
        values |= {f"{s}_{r}": 0.5 * size for s in ("nll", "coverage_90") for r in ("in", "ext", "all")}
        values |= {f"nll_ideal_{region}": 0.25 for region in ("in", "ext", "all")}
        values |= {"noise_ratio": 1.0, "noise_spearman": None if method == "gprmk" else 0.75}
    toy = problem(dataset, seed)
    answer = exact(toy)
    if not TOY_METHODS[method].gives_std:
        unknown = np.full(len(answer), np.nan)
        answer = Prediction(answer.mean, unknown, unknown, unknown, unknown)
    arrays = kept(answer) if seed == 0 and not dataset.endswith("_raw") else {}
    return Record(TOYS.task(dataset, method, seed), values, arrays, Inputs("0" * 64, {}), {}, "by hand")


def test_tables_and_figures(tmp_path):
    lines = [
        record(task.dataset, task.method, task.seed)
        for task in TOYS.tasks(Selection(seeds=[0, 1]))
        if task.dataset != "toy_1d_raw"
    ]
    write_collected(tmp_path, TOYS, lines)
    assert files(tmp_path, "toys").predictions.stat().st_size < 1_000_000
    assert len(read_results(tmp_path, "toys").predictions) == 2 * len(TOY_METHODS)
    write_tables(tmp_path, tmp_path / "tables")
    assert {p.stem for p in (tmp_path / "tables").glob("*.md")} == {"toys_1d", "toys_2d", "toys_2d_raw"}
    for name in ("toys_2d", "toys_2d_raw"):
        shown_table = pd.read_csv(tmp_path / "tables" / f"{name}.csv", keep_default_na=False).set_index("method")
        assert list(shown_table.index) == [*(m.label for m in TOY_METHODS.values()), "exact mean and noise"]
        assert (
            shown_table.loc["GPRMK", "MSE In"] == "1.05 ± 0.07"
            and shown_table.loc["GPRMK", "rank corr. of noise"] == "N/A"
        )
        assert shown_table.loc["MLP", "NLL All"] == "N/A" and shown_table.loc[
            "TSNet", "rank corr. of noise"
        ].startswith("0.750")
        assert shown_table.loc["exact mean and noise", "NLL In"] == "0.250"
    best = (tmp_path / "tables" / "toys_1d.md").read_text()
    assert "| GPRMK | **1.05 ± 0.07** |" in best and best.count("**") == 2 * 6, "one best in each column"
    drawn = {path.name: path.read_text() for path in write_figures(tmp_path, tmp_path / "figures")}
    assert set(drawn) == {"toy_1d.svg", "toy_2d.svg"}
    for name, text in drawn.items():
        ElementTree.fromstring(text)
        assert all(m.label.split(",")[0] in text for m in TOY_METHODS.values() if m.gives_std), name
    assert "VAER" in drawn["toy_1d.svg"] and "VAER" not in drawn["toy_2d.svg"], "no maps without error bars"


def test_the_three_studies_in_miniature_from_the_command_line(tmp_path):
    for study, methods, done in (
        ("toys", "gp,mcrf", 4),
        ("toy_ablation", "gp,trend,harmonics", 6),
        ("deviations", "tsnet_paper", 2),
    ):
        said = command("run", study, "--quick", "--methods", methods, "--results", tmp_path)
        assert f"{done} done now, 0 failed" in said
        assert "0 to do" in command("run", study, "--quick", "--methods", methods, "--results", tmp_path)
    command("tables", "--quick", "--results", tmp_path, "--out", tmp_path / "tables")
    command("figures", "--quick", "--results", tmp_path, "--out", tmp_path / "figures")
    waves = pd.read_csv(tmp_path / "tables" / "toy_ablation_1d.csv").set_index("model").loc[HARMONICS.label]
    assert float(waves["Ext"]) < 0.5, "only they go on beyond the data"
    drawn = {path.name for path in (tmp_path / "figures").iterdir()}
    assert drawn == {"toy_1d.svg", "toy_2d.svg", "deviations.svg"}
