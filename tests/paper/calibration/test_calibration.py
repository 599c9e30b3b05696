"""Problems with known noise, what is measured of them, and the tables and the figure that show it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from paper.calibration import run as calibration
from paper.calibration.run import TEST_ROWS, TESTING, TRAINING, by_third, draw, ideal, noise_scores
from paper.calibration.study import CALIBRATION, PROBLEMS
from paper.engine.collected import write_collected
from paper.engine.figures import write_figures
from paper.engine.ledger import Record
from paper.engine.reading import read_results
from paper.engine.study import Inputs, Selection
from paper.engine.tables import write_tables
from taylor_sensus.prediction import Prediction
from taylor_sensus.scores import nll


@pytest.mark.parametrize("problem", PROBLEMS)
def test_problems_have_the_noise_that_they_say(problem):
    rows = draw(problem, 4000, 0, TESTING)
    z = (rows.y - rows.mean) / rows.noise_std
    assert z.mean() == pytest.approx(0, abs=0.06) and z.std() == pytest.approx(1, abs=0.06)
    assert (np.ptp(rows.noise_std) == 0) == problem.endswith("_even")


def test_training_and_fresh_rows_are_different_and_repeat():
    first, again, fresh, other = (
        draw("wave_even", 60, seed, stream)
        for seed, stream in ((0, TRAINING), (0, TRAINING), (0, TESTING), (1, TRAINING))
    )
    assert first.y.equals(again.y)
    assert not set(first.X.x) & set(fresh.X.x) and not set(first.X.x) & set(other.X.x)


def test_perfect_error_bars_score_as_the_ideal():
    rows = draw("friedman1_relevant_uneven", TEST_ROWS, 0, TESTING)
    zero = np.zeros(TEST_ROWS)
    exact = Prediction(rows.mean, zero, rows.noise_std**2, zero, zero)
    found, best = by_third(rows.y.to_numpy(), exact), ideal(rows)
    assert nll(rows.y, exact.mean, exact.std) == pytest.approx(best["nll_ideal"])
    for level in (50, 80, 95):
        for third in ("low", "mid", "high"):
            assert found[f"coverage_{level}_{third}"] == pytest.approx(level / 100, abs=0.06)
    assert found["width_90_low"] < found["width_90_mid"] < found["width_90_high"]
    assert noise_scores(exact.aleatoric, rows.noise_std) == pytest.approx({"noise_ratio": 1, "noise_log_error": 0})
    assert noise_scores(2 * exact.aleatoric, rows.noise_std) == pytest.approx(
        {"noise_ratio": 2, "noise_log_error": np.log(2)}
    )


def test_a_result_depends_on_its_rows():
    tasks = CALIBRATION.tasks(Selection(methods=["gprmk"], datasets=["wave_even"]))
    assert len(tasks) == 10 + 10 + 5 and len({calibration.inputs(task).dataset_sha256 for task in tasks}) == 25
    assert {calibration.training_rows(task) for task in tasks} == {60, 200, 1000}


def record(problem: str, method: str, rows: int, seed: int) -> Record:
    thirds = ("low", "mid", "high")
    values = {f"coverage_{level}": level / 100 for level in (50, 80, 90, 95)}
    values |= {f"coverage_{level}_{third}": level / 100 for level in (50, 80, 90, 95) for third in thirds}
    values |= {f"{score}_{third}": 2.0 for score in ("nll", "crps", "width_90") for third in thirds}
    values |= {"nll": 1.5, "nll_ideal": 1.0, "crps": 3.0, "crps_ideal": 2.0, "width_90": 5.0, "width_90_ideal": 4.0}
    values |= {"noise_ratio": 1.08 + 0.1 * seed if method == "tsnet" else 0.5, "noise_log_error": 0.123}
    task = CALIBRATION.task(problem, method, seed, train_rows=rows)
    return Record(task, values, {}, Inputs("0" * 64, {}), {"numpy": "2"}, "by hand")


def test_tables_and_figure_by_number_of_rows(tmp_path):
    lines = [
        record(problem, method, rows, seed)
        for problem in PROBLEMS
        for method in CALIBRATION.methods
        for rows in (60, 200, 1000)
        for seed in (0, 1)
    ]
    write_collected(tmp_path, CALIBRATION, lines)
    scores = read_results(tmp_path, "calibration").scores
    assert scores.groupby("train_rows").size().to_dict() == dict.fromkeys((60, 200, 1000), 40)
    write_tables(tmp_path, tmp_path / "tables")
    whole = pd.read_csv(tmp_path / "tables" / "calibration.csv")
    assert len(whole) == 12 and list(whole.rows[::4]) == [60, 200, 1000]
    assert set(whole["90 %"]) == {"90.0 %"} and set(whole["NLL minus the ideal's"]) == {0.5}
    noise = pd.read_csv(tmp_path / "tables" / "calibration_noise.csv")
    ours = noise[(noise.method == "TSNet") & (noise.rows == 200)]
    assert len(ours) == len(PROBLEMS) and set(ours["noise over the true one"]) == {"1.13 ± 0.07"}
    assert set(ours["seeds within 15 %"]) == {"1 of 2"} and set(ours["error of a row"]) == {"12.3 %"}
    assert set(noise[noise.method == "NGBoost"]["noise over the true one"]) == {"0.500 ± 0.000*"}
    thirds = pd.read_csv(tmp_path / "tables" / "calibration_thirds.csv")
    assert len(thirds) == 36 and set(thirds.NLL) == {1.0}
    (figure,) = write_figures(tmp_path, tmp_path / "figures")
    assert figure.name == "reliability.svg" and "1000 training rows" in figure.read_text()
