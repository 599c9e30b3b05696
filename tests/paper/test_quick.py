"""Every study in miniature: few datasets, tiny budgets; then its tables and figures."""

from __future__ import annotations

import numpy as np
import pandas as pd
from miniature import command

from taylor_sensus.baselines.registry import METHODS
from tests.published import need_dataset


def test_quick_comparison_tables_and_figures(tmp_path):
    need_dataset("forest_fires")
    said = command("run", "comparison", "--quick", "--jobs", 2, "--results", tmp_path)
    assert f"{2 * len(METHODS)} done now, 0 failed" in said
    scores = pd.read_csv(tmp_path / "comparison.csv")
    assert set(scores.method) == set(METHODS) and set(scores.dataset) == {"diabetes", "forest_fires"}
    assert np.isfinite(scores[["mse", "mae", "rmse"]]).all(axis=None)
    with_std = scores.method.map(lambda name: METHODS[name].gives_std)
    assert np.isfinite(scores.loc[with_std, ["nll", "crps", "coverage_90", "width_90"]]).all(axis=None)
    assert scores.loc[~with_std, "nll"].isna().all()
    assert "0 to do" in command("run", "comparison", "--quick", "--results", tmp_path)
    command("tables", "--quick", "--results", tmp_path, "--out", tmp_path / "tables")
    command("figures", "--quick", "--results", tmp_path, "--out", tmp_path / "figures")
    shown = (tmp_path / "tables" / "main_diabetes.md").read_text()
    assert all(METHODS[name].label in shown for name in METHODS)
    assert (tmp_path / "figures" / "ranks.svg").stat().st_size > 10_000


def test_the_other_studies_in_miniature(tmp_path):
    """Only some of their methods, because networks take long to compile."""
    for name in ("forest_fires", "concrete", "matbench_steels"):
        need_dataset(name)
    for study, methods, done in (
        ("ablation", "default,mean_alone", 4),
        ("calibration", "gprmk,ngboost", 4),
        ("published", "catboost,extra_trees", 4),
        ("speed", "catboost", 1),
    ):
        said = command("run", study, "--quick", "--methods", methods, "--results", tmp_path)
        assert f"{done} done now, 0 failed" in said
        scores = pd.read_csv(tmp_path / f"{study}.csv")
        assert set(scores.method) == set(methods.split(",")) and np.isfinite(scores[["mse", "nll"]]).all(axis=None)
    assert "4 done" in command("status", "ablation", "--quick", "--results", tmp_path)
    command("tables", "--quick", "--results", tmp_path, "--out", tmp_path / "tables")
    command("figures", "--quick", "--results", tmp_path, "--out", tmp_path / "figures")
    tables = {path.stem for path in (tmp_path / "tables").glob("*.md")}
    assert {"ablation", "calibration", "published_concrete", "published_matbench_steels", "speed"} <= tables
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {"ablation.svg", "reliability.svg"}
