"""From the results of the study `ablation` to what its table and figure show: every variant against the default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from paper.ablation.study import FURTHER
from paper.ablation.variants import DEFAULT, MEAN_ALONE, VARIANTS
from paper.data.names import SIX
from taylor_sensus.scores import paired_bootstrap

GROUPS: dict[str, Sequence[str]] = {
    "all datasets": (*SIX, *FURTHER),
    "the six": SIX,
    "the further ones": FURTHER,
}


class Estimate(NamedTuple):
    """A mean over datasets with its 95 % interval; the bounds are NaN where there is only one dataset."""

    mean: float
    lower: float
    upper: float


def against_default(scores: pd.DataFrame) -> pd.DataFrame:
    """Each variant minus the default on the same split, averaged over splits: index dataset, method.

    Columns: the logarithm of the ratio of squared errors (`log_mse`), and the difference of the printed likelihood
    (`nll`), which like a ratio does not depend on the target's unit.
    """
    measured = pd.DataFrame(
        {
            "log_mse": np.log(scores.mse),
            "nll": scores.nll_paper,
        }
    )
    measured.index = pd.MultiIndex.from_frame(scores[["dataset", "seed", "method"]])
    base = measured.xs(DEFAULT, level="method").reindex(measured.index.droplevel("method"))
    found = (measured - base.to_numpy()).dropna(how="all").groupby(level=["dataset", "method"], sort=False).mean()
    return found.drop(DEFAULT, level="method")


def estimate(differences: pd.Series) -> Estimate:
    """The mean of one number a dataset, with a bootstrap interval over datasets."""
    values = differences.dropna().to_numpy()
    if len(values) < 2:
        return Estimate(float(values.mean()) if len(values) else np.nan, np.nan, np.nan)
    found = paired_bootstrap(values, np.zeros_like(values), random_state=0)
    return Estimate(found.difference, found.lower, found.upper)


def ratios(differences: pd.DataFrame, column: str) -> dict[str, dict[str, Estimate]]:
    """By variant and group of datasets: the geometric mean of the ratio, with its interval."""
    found: dict[str, dict[str, Estimate]] = {}
    for name in VARIANTS:
        if name in differences.index.get_level_values("method"):
            own = differences[column].xs(name, level="method")
            groups = {group: own[own.index.isin(members)] for group, members in GROUPS.items()}
            found[name] = {g: Estimate(*np.exp(estimate(values))) for g, values in groups.items() if len(values)}
    return found


def against_mean_alone(scores: pd.DataFrame) -> pd.DataFrame:
    """Root mean squared errors of the default and of the mean alone by dataset: means, their ratio, the worst split's.

    Columns: default, mean_alone, ratio, worst.
    """
    wide = scores.pivot_table(index=["dataset", "seed"], columns="method", values="rmse", sort=False)
    if not {DEFAULT, MEAN_ALONE} <= set(wide.columns):
        return pd.DataFrame()
    wide = wide[[DEFAULT, MEAN_ALONE]].dropna().rename(columns={DEFAULT: "default", MEAN_ALONE: "mean_alone"})
    found = wide.groupby(level="dataset", sort=False).mean()
    found["ratio"] = found["default"] / found["mean_alone"]
    found["worst"] = (wide["default"] / wide["mean_alone"]).groupby(level="dataset", sort=False).max()
    return found
