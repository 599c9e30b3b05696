"""The splits of others: Matbench's folds and random splits, and the tables with their figures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from paper.engine.collected import write_collected
from paper.engine.ledger import Record
from paper.engine.study import Inputs, Selection
from paper.engine.tables import write_tables
from paper.published.run import rows
from paper.published.study import PUBLISHED
from paper.speed.study import SPEED
from taylor_sensus.errors import SettingError


def test_matbenchs_folds_hold_every_row_once():
    tests = [rows("matbench_steels", 312, fold)[1] for fold in range(5)]
    assert sorted(np.concatenate(tests)) == list(range(312)) and {len(t) for t in tests} == {62, 63}
    for fold, test in enumerate(tests):
        train, same = rows("matbench_steels", 312, fold)
        assert set(train).isdisjoint(test) and len(train) + len(test) == 312 and (same == test).all()
    with pytest.raises(SettingError, match="there is no fold 5"):
        rows("matbench_steels", 312, 5)


def test_concrete_trains_on_the_first_nine_tenths_of_a_permutation():
    train, test = rows("concrete", 1030, 7)
    order = np.random.RandomState(7).permutation(1030)
    assert (train == order[:927]).all() and (test == order[927:]).all()


def test_each_dataset_has_its_own_seeds():
    tasks = PUBLISHED.tasks(Selection())
    counts = pd.Series([task.dataset for task in tasks]).value_counts()
    assert counts.to_dict() == {"matbench_steels": 5 * 3, "concrete": 20 * 3}
    assert {task.dataset for task in PUBLISHED.tasks(Selection(datasets=["concrete"], seeds=[0]))} == {"concrete"}


def record(study, dataset: str, method: str, seed: int, **values: float) -> Record:
    task = study.task(dataset, method, seed)
    return Record(task, values, {}, Inputs("0" * 64, {}), {"numpy": "2"}, "by hand")


def test_ours_stand_beside_theirs(tmp_path):
    lines = [record(PUBLISHED, "matbench_steels", "tsnet", fold, mae=80.0 + fold) for fold in range(5)]
    lines += [record(PUBLISHED, "concrete", "tsnet", seed, rmse=4.0 + seed, nll=2.0) for seed in (0, 1)]
    write_collected(tmp_path, PUBLISHED, lines)
    write_tables(tmp_path, tmp_path / "tables")
    steels = pd.read_csv(tmp_path / "tables" / "published_matbench_steels.csv").set_index(["method", "source"])
    assert steels.loc[("TSNet", "here"), ["MAE", "fold 0", "fold 4"]].tolist() == ["82.0 ± 1.6", 80.0, 84.0]
    assert float(steels.loc[("ExtraTrees", "published"), "MAE"]) == 80.4
    concrete = pd.read_csv(tmp_path / "tables" / "published_concrete.csv").set_index(["method", "source"])
    assert concrete.loc[("TSNet", "here"), "RMSE"] == "4.50 ± 0.71"
    assert concrete.loc[("TabPFN v2", "published"), ["RMSE", "NLL"]].tolist() == ["3.86", "2.21"]
    assert concrete.loc[("CatBoost", "published"), "NLL"] == "–"
    assert "Concrete, 2 random splits" in (tmp_path / "tables" / "published_concrete.md").read_text()


def test_speed_has_scores_and_seconds_side_by_side(tmp_path):
    values = {"rmse": 2.0, "nll": 0.5, "coverage_90": 0.91, "train_rows": 400.0, "predict_cpu_seconds": 0.1}
    lines = [
        record(SPEED, table, name, 0, **values, fit_cpu_seconds=seconds * more)
        for table, more in (("diabetes", 1), ("concrete", 4))
        for name, seconds in (("catboost", 2.0), ("default", 5.0 * more))
    ]
    write_collected(tmp_path, SPEED, lines)
    write_tables(tmp_path, tmp_path / "tables")
    found = pd.read_csv(tmp_path / "tables" / "speed.csv")
    assert found.method.tolist() == ["TSNet", "CatBoost"] * 2 and set(found["s of CPU"]) == {5, 2, 80, 8}
    assert sorted(found["/ CatBoost"]) == [1, 1, 2.5, 10]
    means = pd.read_csv(tmp_path / "tables" / "speed_ratios.csv")
    assert means["geometric mean"].tolist() == [5, 1] and means["tables"].tolist() == [2, 2]
