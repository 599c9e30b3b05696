"""Studies in miniature: few methods on few datasets with tiny budgets; then their tables and figures.

That every method of the comparison fits and predicts is `tests/baselines/test_contract.py`'s to show, and that tables
hold all of them `tests/paper/comparison/test_tables.py`'s.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from miniature import command

from taylor_sensus.baselines.registry import METHODS
from tests.published import need_dataset


def test_quick_comparison_tables_and_figures(tmp_path):
    methods = ("mcrf", "mlp", "tsnet")
    asked = ("run", "comparison", "--quick", "--datasets", "diabetes", "--methods", ",".join(methods))
    said = command(*asked, "--results", tmp_path)
    assert f"{len(methods)} done now, 0 failed" in said
    scores = pd.read_csv(tmp_path / "comparison.csv")
    assert set(scores.method) == set(methods) and set(scores.dataset) == {"diabetes"}
    assert np.isfinite(scores[["mse", "mae", "rmse"]]).all(axis=None)
    with_std = scores.method.map(lambda name: METHODS[name].gives_std)
    assert np.isfinite(scores.loc[with_std, ["nll", "crps", "coverage_90", "width_90"]]).all(axis=None)
    assert scores.loc[~with_std, "nll"].isna().all()
    assert "0 to do" in command(*asked, "--results", tmp_path)
    command("tables", "--quick", "--results", tmp_path, "--out", tmp_path / "tables")
    command("figures", "--quick", "--results", tmp_path, "--out", tmp_path / "figures")
    shown = (tmp_path / "tables" / "main_diabetes.md").read_text()
    assert all(METHODS[name].label in shown for name in methods)
    assert (tmp_path / "figures" / "ranks.svg").stat().st_size > 10_000


def test_the_other_studies_in_miniature(tmp_path):
    """Only some of their methods, because networks take long to compile."""
    for name in ("forest_fires", "concrete", "matbench_steels"):
        need_dataset(name)
    for study, methods, datasets, done in (
        ("ablation", "default,mean_alone", "diabetes", 2),
        ("calibration", "gprmk,ngboost", None, 4),
        ("published", "catboost,extra_trees", None, 4),
        ("speed", "catboost", None, 1),
    ):
        chosen = () if datasets is None else ("--datasets", datasets)
        said = command("run", study, "--quick", "--methods", methods, *chosen, "--results", tmp_path)
        assert f"{done} done now, 0 failed" in said
        scores = pd.read_csv(tmp_path / f"{study}.csv")
        assert set(scores.method) == set(methods.split(",")) and np.isfinite(scores[["mse", "nll"]]).all(axis=None)
    assert "2 done" in command("status", "ablation", "--quick", "--datasets", "diabetes", "--results", tmp_path)
    command("tables", "--quick", "--results", tmp_path, "--out", tmp_path / "tables")
    command("figures", "--quick", "--results", tmp_path, "--out", tmp_path / "figures")
    tables = {path.stem for path in (tmp_path / "tables").glob("*.md")}
    assert {"ablation", "calibration", "published_concrete", "published_matbench_steels", "speed"} <= tables
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {"ablation.svg", "reliability.svg"}
