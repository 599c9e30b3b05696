"""The study of declared errors: its cases, its rivals where the answer is known, its tables, and a miniature run."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from miniature import command

from paper.declared_errors.answers import Ours
from paper.declared_errors.cases import CASES, LIMITS, REAL, SIMULATED
from paper.declared_errors.methods import COMPARED, DECLARED, EXACT, OWN, SIMEX, UNDECLARED
from paper.declared_errors.noisy_inputs import Process, SlopeNoiseProcess, extrapolated, orthogonal_line
from paper.declared_errors.problems import Rows, problem, simulated, slope_rows, toy, wave
from paper.declared_errors.run import slopes
from paper.declared_errors.study import DECLARED_ERRORS, RIVAL_REPEATS
from paper.declared_errors.summary import bias_share, cell, nll_change, slope_errors, spelled, verdict
from paper.engine.collected import write_collected
from paper.engine.ledger import Record
from paper.engine.study import Inputs, Selection
from paper.engine.tables import write_tables
from tests.published import need_dataset
from tests.tiny import tiny

REAL_TABLES = ("supernovae_jla", "sparc_rar", "photoz_boss_0", "photoz_boss_1", "photoz_boss_3")


# ------------------------------------------------------------------------------------------------ cases


def test_every_cell_that_was_asked_for_is_there():
    assert len(SIMULATED) == 24
    assert {(c.kind, c.function, c.rows, round(100 * c.share)) for c in SIMULATED.values()} == {
        (kind, function, rows, percent)
        for kind in ("reading", "setting")
        for function in ("wave", "three")
        for rows in (120, 400)
        for percent in (10, 20, 30)
    }
    assert SIMULATED["reading_wave_120_20"].asked["slope"] == (0.88, 1.10)
    assert SIMULATED["setting_three_400_30"].asked["slope"] == (0.82, 1.12)
    assert set(REAL) | set(LIMITS) <= set(CASES)


def test_rivals_are_repeated_less_and_seeds_can_be_asked_for():
    tasks = DECLARED_ERRORS.tasks(Selection(datasets=["reading_wave_120_10"]))
    counts = pd.Series([task.method for task in tasks]).value_counts()
    assert {counts[name] for name in (DECLARED, UNDECLARED)} == {20}
    assert {counts[name] for name in counts.index if name not in OWN} == {RIVAL_REPEATS}
    more = DECLARED_ERRORS.tasks(Selection(datasets=["reading_wave_400_10"], methods=[DECLARED], seeds=range(20)))
    assert len(more) == 20
    assert {task.method for task in DECLARED_ERRORS.tasks(Selection())} == set(COMPARED)


# --------------------------------------------------------------------------------------------- problems


@pytest.mark.parametrize("kind", ["reading", "setting"])
def test_readings_err_and_settings_are_missed(kind):
    """Of readings the spread of the recorded inputs grows, of settings it does not; y follows the other one."""
    case = SIMULATED[f"{kind}_wave_400_30"]
    whole = simulated(case, 0)
    size = 0.3 * np.sqrt(3)
    recorded = whole.new.X.var()
    assert recorded == pytest.approx(3 + (size**2 if kind == "reading" else 0), rel=0.12)
    assert (whole.train.X_err == size).all() and whole.kind == kind
    assert np.abs(whole.exact).max() <= 2.5 and (whole.truth == wave(whole.exact)).all()
    again = simulated(case, 0)
    np.testing.assert_array_equal(again.train.y, whole.train.y)
    assert not np.array_equal(simulated(case, 1).train.y, whole.train.y)


def test_toy_r():
    whole = toy(60, 0)
    assert whole.train.X.shape == (60, 3) and whole.new.X.shape == (300, 3)
    assert whole.train.X_err[0].tolist() == [0.15, 0, 0]
    assert whole.std.min() >= 0.05 and whole.std.max() <= np.hypot(0.05, 0.3)


def test_real_tables_are_cut_as_described():
    for name in REAL_TABLES:
        need_dataset(name)
    alike = problem("redshifts_alike", 0)
    assert (alike.train.X.shape, alike.new.X.shape) == ((4000, 5), (3000, 5))
    worse = problem("redshifts_worse", 0)
    assert worse.train.X_err[:, 2].max() < worse.new.X_err[:, 2].min()
    law = problem("redshifts_law", 0)
    assert (
        law.train.X.shape == law.exact.shape == (1500, 4) and 0.05 < law.train.X_err.min() < law.train.X_err.max() < 0.4
    )
    assert np.std((law.train.X - law.clean.X) / law.train.X_err) == pytest.approx(1, abs=0.03)
    halves = [problem("accelerations", seed) for seed in (0, 1)]
    assert sum(len(half.new.y) for half in halves) == 2693
    drawn = problem("supernovae_simulated", 3)
    real = problem("supernovae_covariances", 0)
    assert drawn.train.X.std(axis=0) == pytest.approx(real.train.X.std(axis=0), rel=0.1)
    assert drawn.train.y.std() == pytest.approx(real.train.y.std(), rel=0.15)
    assert len(problem("supernovae", 0, quick=True).train.y) == 50


# ----------------------------------------------------------------------------------------------- rivals


def line(rows: int, error: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Readings of a standard normal input, and twice the input with little noise."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, 1))
    return x + error * rng.standard_normal(x.shape), 2 * x[:, 0] + 0.1 * rng.standard_normal(rows)


def slope_of(mean: np.ndarray, x: np.ndarray) -> float:
    return float(np.polyfit(x[:, 0], mean, 1)[0])


AT = np.linspace(-1, 1, 21)[:, None]


def test_a_process_alone_is_attenuated_and_simex_is_less_so():
    """Reliability 0.8: a line through readings has the slope 1.6."""
    w, y = line(300, 0.5, 0)
    plain = slope_of(Process(w, y, 0).predict(AT).mean, AT)
    back = slope_of(extrapolated(w, np.full(w.shape, 0.5), y, AT, 0), AT)
    assert plain == pytest.approx(1.6, abs=0.12) and 1.78 < back < 2.2


def test_nigp_sees_that_steep_places_are_noisier():
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, (200, 1))
    w, y = x + 0.2 * rng.standard_normal(x.shape), np.sin(2 * x[:, 0]) + 0.05 * rng.standard_normal(200)
    model = SlopeNoiseProcess(w, np.full(w.shape, 0.2), y, None, 0)
    peak, flank = np.array([[np.pi / 4]]), np.array([[0.0]])
    steep, flat = (model.predict(at, np.full((1, 1), 0.2)).std[0] for at in (flank, peak))
    assert steep > 2 * flat
    assert model.predict(flank, None).feature_variance[0] == 0
    near = [Process.predict(model.process, at).mean[0] for at in (flank - 1e-3, flank + 1e-3)]
    assert model.process.slopes(flank)[0, 0] == pytest.approx((near[1] - near[0]) / 2e-3, rel=1e-3)


def test_orthogonal_distances_find_the_line():
    rng = np.random.default_rng(1)
    x = rng.standard_normal((400, 2))
    w, y = x + 0.4 * rng.standard_normal(x.shape), 1 + x @ [2.0, -1.0] + 0.1 * rng.standard_normal(400)
    errors = np.broadcast_to(0.16 * np.eye(2), (400, 2, 2))
    assert orthogonal_line(w, errors, y, np.full(400, 0.1)) == pytest.approx([1, 2, -1], abs=0.2)


def test_the_law_covariance_has_the_variances_of_the_predictions():
    w, y = line(100, 0.5, 1)
    ours = Ours(tiny(), Rows(w, np.full(w.shape, 0.5), y), declared=True)
    unknown = ours.law_covariance(AT)
    np.testing.assert_allclose(np.sqrt(np.diag(unknown)), ours.law(AT).epistemic, rtol=1e-5)
    assert unknown[0, 1] > 0.5 * unknown[0, 0]


def test_slopes_are_lines_along_colour_and_stretch():
    exact = slope_rows()
    found = slopes(exact, 3 * exact[:, 1] - 0.14 * exact[:, 0] + 7, None)
    assert (found["beta"], found["alpha"]) == pytest.approx((3, 0.14))


# ----------------------------------------------------------------------------------- summary and tables


def test_what_was_asked_in_words():
    assert [spelled(r) for r in ((0.93, 1.07), (None, 0.063), (0.78, None))] == [
        "0.93 to 1.07",
        "at most 0.063",
        "at least 0.78",
    ]
    assert [verdict(v, (None, 1.0)) for v in (0.5, 1.5, np.nan)] == ["yes", "**no**", "–"]
    assert (
        cell(np.array([1.0, 2.0]), 2) == "1.50 ± 0.50" and cell(np.array([1.0])) == "1.000" and cell(np.empty(0)) == "–"
    )


def scored(case: str, method: str, seed: int, **values: float) -> dict:
    return {"dataset": case, "method": method, "seed": seed, **values}


def test_declared_and_undeclared_are_compared_by_repeat():
    lines = [scored("toy_60", DECLARED, seed, nll=0.1 * seed) for seed in range(3)]
    lines += [scored("toy_60", UNDECLARED, seed, nll=0.1 * seed - 0.05) for seed in range(4)]
    found = nll_change(pd.DataFrame(lines), "toy_60")
    assert found == pytest.approx((0.05, 0.02))
    assert nll_change(pd.DataFrame(lines[:3]), "toy_60") is None


def test_shares_of_bias_and_errors_of_slopes():
    lines = [scored("limits_target", DECLARED, s, bias=-0.1) for s in (0, 1)]
    lines += [scored("limits_target", UNDECLARED, s, bias=0.4) for s in (0, 1)]
    lines += [scored("supernovae_simulated", DECLARED, s, beta=3 + 0.1 * (s - 1), beta_error=0.12) for s in range(3)]
    scores = pd.DataFrame(lines)
    assert bias_share(scores) == pytest.approx(0.25)
    assert slope_errors(scores)["beta"] == pytest.approx((0.1, 0.12))


def test_tables_of_a_study_under_way(tmp_path):
    lines = [scored("reading_wave_120_30", DECLARED, s, slope=0.9, inside=0.9, coverage=0.95, nll=0.5) for s in (0, 1)]
    lines += [scored("reading_wave_120_30", SIMEX, 0, slope=1.2)]
    lines += [scored("limits_inputs", m, 0, rmse_low=r, rmse=r, coverage=0.9, coverage_low=0.9, nll=0.0)
              for m, r in ((DECLARED, 0.3), (EXACT, 0.25))]  # fmt: skip
    keys = ("dataset", "method", "seed")
    records = [
        Record(DECLARED_ERRORS.task(*(one[k] for k in keys)), {k: v for k, v in one.items() if k not in keys}, {},
               Inputs("0" * 64, {}), {"numpy": "2"}, "by hand")
        for one in lines
    ]  # fmt: skip
    write_collected(tmp_path, DECLARED_ERRORS, records)
    write_tables(tmp_path, tmp_path / "tables")
    asked = pd.read_csv(tmp_path / "tables" / "declared_errors_asked.csv").set_index(["case", "what"])
    assert asked.loc[("inputs below a limit", "RMSE over that with exact values"), ["came", "within"]].tolist() == [
        "1.20",
        "yes",
    ]
    readings = pd.read_csv(tmp_path / "tables" / "declared_errors_readings.csv")
    (row,) = readings[readings.repeats == 2].to_dict("records")
    assert row["within"] == "no" and row["90 % coverage"].startswith("0.950 ± 0.000 [0.87")
    rivals = pd.read_csv(tmp_path / "tables" / "declared_errors_rivals.csv")
    assert set(rivals.columns[1:]) == {COMPARED[DECLARED].label, COMPARED[SIMEX].label}


def test_a_miniature_of_the_study_runs(tmp_path):
    need_dataset("supernovae_jla")
    asked = ("run", "declared_errors", "--quick", "--methods", "declared,nigp,simex,odr", "--results", tmp_path)
    assert "8 done now, 0 failed" in command(*asked)
    scores = pd.read_csv(tmp_path / "declared_errors.csv")
    own = scores[scores.method == DECLARED].set_index("dataset")
    assert np.isfinite(own.loc["supernovae", ["beta", "alpha", "beta_error", "alpha_error"]].astype(float)).all()
    assert np.isfinite(own.loc["reading_wave_120_30", ["slope", "inside", "coverage", "nll"]].astype(float)).all()
    assert np.isfinite(own.loc["limits_target", ["bias", "coverage"]].astype(float)).all()
    assert "0 to do" in command(*asked)
    command("tables", "--quick", "--results", tmp_path, "--out", tmp_path / "tables")
    command("figures", "--quick", "--results", tmp_path, "--out", tmp_path / "figures")
    assert (tmp_path / "figures" / "declared_errors.svg").stat().st_size > 10_000
