"""Rows of the stand-in, what is measured of a fit and of a search, and the tables and the figure that show it."""

from __future__ import annotations

import jax
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from paper.engine.collected import write_collected
from paper.engine.figures import write_figures
from paper.engine.ledger import Record
from paper.engine.reading import read_results
from paper.engine.study import Inputs, Selection
from paper.engine.tables import write_tables
from paper.scaling import run as scaling
from paper.scaling.data import BLOCK, stand_in, year_parts, year_sha256
from paper.scaling.memory import watched
from paper.scaling.study import (
    FITTED,
    LARGEST,
    NETWORKS,
    REAL,
    RIVAL_ROWS,
    ROWS,
    SCALING,
    SEARCHES,
    STAND_IN,
    TEST_ROWS,
    TRAIN_ROWS,
)
from paper.scaling.tables import growth
from taylor_sensus.datasets.catalogue import DATASETS
from taylor_sensus.fit.initial import Shape, new_block
from taylor_sensus.model.networks import trainable
from taylor_sensus.settings import CONSTRUCTOR, resolve

# ----------------------------------------------------------------------------------------- rows


def test_the_stand_in_has_the_shape_of_the_real_table():
    X, y = stand_in(np.arange(3000))
    assert X.shape == (3000, 90) and (X.dtypes == "float32").all() and y.between(1922, 2011).all()
    assert y.skew() < -1 and 1995 < y.mean() < 2002 and 8 < y.std() < 14, "most songs are recent"
    variances = X.iloc[:, 12:24]
    assert (variances > 0).all(axis=None) and (variances.skew() > 1).all()
    correlated = np.abs(np.corrcoef(X.to_numpy().T)) > 0.3
    assert correlated.sum() > 3 * 90
    info = DATASETS[REAL]
    assert (info.features, info.official_train_rows, info.rows) == (90, TRAIN_ROWS, TRAIN_ROWS + TEST_ROWS)


def test_a_line_tells_some_of_the_year_and_not_all():
    X, y = stand_in(np.arange(6000))
    line = LinearRegression().fit(X[:4000], y[:4000])
    assert 0.1 < line.score(X[4000:], y[4000:]) < 0.4


def test_any_part_of_the_stand_in_is_the_same_as_in_the_whole():
    rows = np.array([BLOCK + 5, 3, BLOCK - 1])
    X, y = stand_in(rows)
    whole, years = stand_in(np.arange(BLOCK + 6))
    assert np.array_equal(X, whole.iloc[rows]) and np.array_equal(y, years.iloc[rows])
    assert list(X.index) == list(y.index) == rows.tolist()


def test_seeds_take_other_training_rows_and_the_same_test_rows():
    one, other = (year_parts(STAND_IN, 50, seed, test_rows=20) for seed in (0, 2))
    assert not set(one.X_train.index) & set(other.X_train.index)
    assert list(one.X_test.index) == list(other.X_test.index) == list(range(TRAIN_ROWS, TRAIN_ROWS + 20))
    assert max(other.X_train.index) < TRAIN_ROWS and len(one.y_val) == 0


def test_the_real_table_keeps_its_official_split(songs):
    one, other = (year_parts(REAL, 20, seed, test_rows=10) for seed in (0, 1))
    assert set(one.X_train.index) != set(other.X_train.index) and max(one.X_train.index) < 30
    assert list(one.X_test.index) == list(range(30, 40))


def test_hashes_tell_the_tables_apart():
    assert year_sha256(REAL) == DATASETS[REAL].files[0].sha256 != year_sha256(STAND_IN)


# ---------------------------------------------------------------------------------------- tasks


def test_tasks_are_rows_of_the_largest_network_and_all_sizes_on_all_rows():
    tasks = SCALING.tasks(Selection(seeds=[0]))
    found = [(task.method, task.parameters.get("train_rows", TRAIN_ROWS)) for task in tasks]
    assert [rows for name, rows in found if name == LARGEST] == list(ROWS)
    assert {name for name, rows in found if rows == TRAIN_ROWS} == {*FITTED, *SEARCHES}
    assert len(found) == 2 * len(ROWS) + len(NETWORKS) - 1 + len(SEARCHES)
    few = [rows for rows in ROWS if rows <= RIVAL_ROWS]
    assert len(SCALING.tasks(Selection())) == len(found) + 2 * (len(ROWS) + len(few))
    assert {task.dataset for task in tasks} == {STAND_IN}, "the real table only if it is asked for"


def test_the_largest_network_has_three_million_parameters():
    given = dict(NETWORKS[LARGEST].settings)
    details = given.pop("details")
    settings = resolve({name: given[name] for name in CONSTRUCTOR if name in given}, details)
    shape = Shape(90, 1, np.zeros(90), np.ones(90))
    trained, _ = trainable(new_block(shape, settings, np.random.default_rng(0), 0.0, 0.0))
    count = sum(np.size(leaf) for leaf in jax.tree.leaves(trained))
    assert count == pytest.approx(3.0e6, rel=0.005)


# ------------------------------------------------------------------------------------- measuring


def test_memory_of_the_work_alone_is_watched():
    first = watched(lambda: np.ones(25_000_000).sum())
    assert first.answer == 25_000_000 and 190 < first.peak - first.before < 260
    second = watched(lambda: np.ones(1_250_000).sum())
    assert second.peak - second.before < 60, "what came before is forgotten"


def test_a_network_is_fitted_and_measured():
    (task,) = SCALING.tasks(Selection(quick=True, methods=["width_32"]))
    values = scaling.run(task, 1).values
    assert values["rows"] == 1000 and 0.05 < values["r2"] < 0.6 and 0.8 < values["coverage_90"] < 0.98
    assert values["parameters"] == 55_600
    assert values["before_megabytes"] > values["data_megabytes"] > 3000 * 90 * 4 / 1e6
    assert values["fit_megabytes"] >= values["before_megabytes"], "a process that has room to spare does not grow"
    assert values["fit_seconds"] > 0 and values["predict_seconds"] > 0
    assert scaling.inputs(task).settings["width"] == 32


def test_a_search_among_all_rows_is_exact_and_among_some_nearly():
    whole, some = (
        scaling.run(SCALING.task(STAND_IN, name, 0, train_rows=6000, quick=True), 1).values
        for name in ("neighbours_all", "neighbours_4096")
    )
    assert whole["searched_rows"] == 6000 and some["searched_rows"] == 4096
    assert whole["log_density_error"] < 0.002, "only the floor of distances comes from other rows"
    assert whole["rank_correlation"] == pytest.approx(1, abs=1e-4)
    assert -0.1 < some["log_density_shift"] < 0, "fewer rows are further away"
    assert 0 < some["log_density_error"] < 0.1 * some["log_density_spread"] and some["rank_correlation"] > 0.99


# -------------------------------------------------------------------------------- tables, figure


def record(name: str, rows: int, seed: int) -> Record:
    if name in SEARCHES:
        values = {"searched_rows": SEARCHES[name], "log_density_shift": -0.2, "log_density_error": 0.05}
        values |= {"log_density_spread": 0.5, "rank_correlation": 0.99, "search_seconds": 12.0}
    else:
        size = int(name.removeprefix("width_")) if name in NETWORKS else 500
        error = 60 + 3e3 / size + 1e4 / rows + seed
        values = {
            "rows": TEST_ROWS,
            "parameters": 3000 * size if name in NETWORKS else None,
            "mse": error,
            "r2": 1 - error / 120,
        }
        values |= {"coverage_90": 0.9, "fit_seconds": 0.1 * size, "predict_seconds": 1.5, "before_megabytes": 500.0}
        values |= {"data_megabytes": 4e-4 * rows, "fit_megabytes": 900 + 7e-4 * rows, "predict_megabytes": 800.0}
    task = SCALING.task(STAND_IN, name, seed, train_rows=rows)
    return Record(task, values, {}, Inputs("0" * 64, {}), {"numpy": "2"}, "by hand")


def test_tables_and_figure(tmp_path):
    tasks = SCALING.tasks(Selection())
    lines = [record(t.method, t.parameters.get("train_rows", TRAIN_ROWS), t.seed) for t in tasks]
    write_collected(tmp_path, SCALING, lines)
    kept = pd.read_csv(tmp_path / "scaling.csv").columns
    assert not any(name.endswith(("_seconds", "_megabytes")) for name in kept), "costs differ from run to run"
    scores = read_results(tmp_path, "scaling").scores
    assert growth(scores[scores.method.isin(list(NETWORKS))]) == pytest.approx(3e-4 * (TRAIN_ROWS - 64_000))
    write_tables(tmp_path, tmp_path / "tables")
    rows, parameters, searches, whole, rival = (
        pd.read_csv(tmp_path / "tables" / f"{name}.csv", dtype=str)
        for name in ("scaling_rows", "scaling_parameters", "scaling_neighbours", "scaling", "scaling_rival")
    )
    assert rows["training rows"].tolist() == [f"{count:,}" for count in ROWS]
    assert rows["MSE"].tolist()[0] == "73.9 ± 1.0" and set(rows["table"]) == {"synthetic stand-in"}
    assert parameters["parameters"].tolist()[-1] == "3,096,000" and len(parameters) == len(NETWORKS)
    assert searches["rows searched"].tolist() == [f"{count:,}" for count in SEARCHES.values()]
    assert whole["paper, on a GPU"].tolist() == [
        "3.018",
        "101.03 ± 2.59",
        "0.995 ± 0.000",
        "0.411 ± 0.036",
        "0.341 ± 0.001",
    ]
    assert whole["synthetic stand-in"].tolist()[2] == "1.22 ± 0.00"
    assert rival["training rows"].tolist() == [f"{count:,}" for count in ROWS]
    assert set(rival["our s / its s"]) == {"2.1"} and rival["our MSE / its MSE"].tolist()[0] == "0.960"
    said = (tmp_path / "tables" / "scaling_rows.md").read_text()
    assert "own size and 120 MB" in said and "say nothing about songs" in said
    (figure,) = write_figures(tmp_path, tmp_path / "figures")
    drawn = figure.read_text()
    assert figure.name == "scaling.svg" and "synthetic stand-in" in drawn and "training rows" in drawn
