"""The study `toy_ablation`: rows are settings, references are what they say, tables compare seed by seed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from paper.engine.collected import write_collected
from paper.engine.ledger import Record
from paper.engine.study import Inputs, Selection
from paper.engine.tables import write_tables
from paper.engine.trials import settings_of
from paper.toy_ablation import run as toy_ablation
from paper.toy_ablation.study import TOY_ABLATION
from paper.toy_ablation.tables import typed
from paper.toy_ablation.variants import PRINTED_ROWS, VARIANTS
from paper.toys.problems import answer, problem, regions
from paper.toys.references import ExactTrend, Harmonics, PlainProcess
from taylor_sensus import TSNetRegressor
from taylor_sensus.settings import paper

WEIGHTS = {"toy_1d": (0.62, 0.76), "toy_2d": (0.45, 0.59)}
"""Between which shares of points inside the printed values lie."""


def test_the_eight_rows_are_the_printed_method_with_settings_switched():
    rows = {name: settings_of(VARIANTS[name], quick=False) for name in PRINTED_ROWS}
    switches = {name: (s["taylor"], s["contrast"], s["density"]) for name, s in rows.items()}
    assert switches == {
        "mlp": (False, "off", False), "mlp_contrast": (False, "bounded", False),
        "mlp_density": (False, "off", True), "mlp_both": (False, "bounded", True),
        "dtb": (True, "off", False), "dtb_contrast": (True, "bounded", False),
        "dtb_density": (True, "off", True), "dtb_both": (True, "bounded", True),
    }  # fmt: skip
    switched = ("taylor", "contrast", "contrast_weight", "density", "details")  # the weight goes with the contrast
    others = [{k: v for k, v in s.items() if k not in switched} for s in rows.values()]
    assert all(other == others[0] for other in others), "nothing else differs"
    whole = TSNetRegressor(**paper(embedding="positional", taylor=True)).get_params()
    assert VARIANTS["dtb_both"].make(random_state=0).get_params() == {**whole, "random_state": 0}
    assert len({VARIANTS[name].label for name in VARIANTS}) == len(VARIANTS)


@pytest.mark.parametrize("dataset", ["toy_1d", "toy_2d"])
def test_printed_values_were_typed_right(dataset):
    table = typed(dataset)
    assert list(table.index) == list(PRINTED_ROWS) and typed(f"{dataset}_raw").equals(table)
    share = (table.mse_ext - table.mse_all) / (table.mse_ext - table.mse_in)
    low, high = WEIGHTS[dataset]
    assert share.between(low, high).all(), "All must be a mean of In and Ext"


def errors(model, dataset: str, seed: int) -> dict[str, float]:
    toy = problem(dataset, seed)
    mean = model.fit(toy.X, toy.y).predict_distribution(toy.X_eval).mean
    return {region: float(np.mean((mean - toy.y_eval)[rows] ** 2)) for region, rows in regions(toy).items()}


@pytest.mark.parametrize("seed", [0, 1])
def test_harmonics_find_the_waves_and_follow_them_beyond_the_data(seed):
    waves = Harmonics()
    one = errors(waves, "toy_1d", seed)
    assert sorted(w.frequency for w in waves.waves_) == pytest.approx([2, 4, 5], abs=0.1)
    assert one["ext"] < 0.5 and one["in"] < 0.1
    two = errors(waves, "toy_2d", seed)
    assert {(w.feature, round(w.frequency, 1)) for w in waves.waves_} == {(0, 1.0), (1, 0.8)}
    assert two["ext"] < 0.4
    trend, process = errors(ExactTrend(), "toy_1d", seed), errors(PlainProcess(), "toy_1d", seed)
    assert 2 < trend["ext"] < process["ext"] and one["ext"] < 0.2 * trend["ext"]
    assert process["in"] < 0.2 * trend["in"], "the process learns the waves where data are"


def test_harmonics_stop_at_noise_and_know_its_size():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (400, 2))
    line = Harmonics().fit(X, 1 + 2 * X[:, 0] + 0.5 * rng.standard_normal(400))
    assert line.waves_ == []
    found = line.predict_distribution(np.array([[0.0, 0.0], [30.0, 0.0]]))
    assert found.system_noise == pytest.approx(0.5, rel=0.1) and found.mean == pytest.approx([1, 61], rel=0.1)
    assert found.epistemic[1] > 5 * found.epistemic[0]


def test_the_plain_process_is_surer_at_data_and_finds_the_noise():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (200, 1))
    process = PlainProcess().fit(X, 50 + 10 * np.sin(X[:, 0]) + 2 * rng.standard_normal(200))
    found = process.predict_distribution(np.array([[0.0], [20.0]]))
    assert found.system_noise == pytest.approx(2, rel=0.2) and found.mean[0] == pytest.approx(50, abs=1)
    assert found.epistemic[1] > 5 * found.epistemic[0]


def test_two_plain_networks_have_no_noise_of_the_features():
    toy = problem("toy_1d", 0)
    plain, block = (
        answer(VARIANTS[name], toy.X, toy.y, toy.X_eval, raw=False, seed=0, n_jobs=1, quick=True).prediction
        for name in ("mlp", "dtb")
    )
    assert (plain.feature_noise == 0).all() and (plain.system_noise > 0).all()
    assert block.feature_noise.max() > 0.05


def test_a_real_task():
    found = toy_ablation.run(TOY_ABLATION.task("toy_2d", "harmonics", 3), 1)
    assert found.values["mse_all"] < 0.3 and not found.arrays
    assert toy_ablation.inputs(TOY_ABLATION.task("toy_2d", "harmonics", 3)).settings["most_waves"] == 8
    assert found.values["mse_all"] == toy_ablation.run(TOY_ABLATION.task("toy_2d", "harmonics", 3), 1).values["mse_all"]


def record(dataset: str, method: str, seed: int) -> Record:
    size = {"dtb": 2.0, "dtb_both": 1.0, "mlp": 4.0}.get(method, 3.0) + 10 * seed  # seeds differ more than methods
    size += 0.5 * (seed == 2) * (method == "dtb_both")
    values = {f"mse_{region}": size for region in ("in", "ext", "all")}
    return Record(TOY_ABLATION.task(dataset, method, seed), values, {}, Inputs("0" * 64, {}), {}, "by hand")


def test_tables_show_the_paper_s_values_and_compare_on_the_same_seeds(tmp_path):
    tasks = TOY_ABLATION.tasks(Selection(seeds=[0, 1, 2]))
    write_collected(tmp_path, TOY_ABLATION, [record(task.dataset, task.method, task.seed) for task in tasks])
    write_tables(tmp_path, tmp_path / "tables")
    names = {path.stem for path in (tmp_path / "tables").glob("*.md")}
    assert names == {"toy_ablation_pairs", *(f"toy_ablation_{k}d{unit}" for k in (1, 2) for unit in ("", "_raw"))}
    for name in ("toy_ablation_1d", "toy_ablation_1d_raw"):
        table = pd.read_csv(tmp_path / "tables" / f"{name}.csv", dtype=str).set_index("model")
        assert list(table.index) == [variant.label for variant in VARIANTS.values()], "references under both units"
        whole = table.loc["Deep Taylor Block + contrast + density"]
        assert whole[["Ext, paper", "order", "order, paper"]].tolist() == ["1.280", "1", "1"]
        assert table.loc["two plain networks", ["All, paper", "order", "order, paper"]].tolist() == ["1.966", "8", "8"]
        assert set(table.loc["Gaussian process, plain inputs", ["In, paper", "order"]]) == {"–"}
    pairs = pd.read_csv(tmp_path / "tables" / "toy_ablation_pairs.csv", dtype=str)
    assert len(pairs) == 4 * 5
    line = pairs[pairs.difference == "Deep Taylor Block + contrast + density – Deep Taylor Block"].iloc[0]
    assert line["All"] == "-0.833 [-1.000, -0.500]*" and line["All, paper"] == "-0.168"
    ours = pairs[pairs.difference.str.startswith("TSNet, our default – Gaussian")].iloc[0]
    assert ours["Ext"] == "+0.000 [+0.000, +0.000]" and ours["Ext, paper"] == "–"
