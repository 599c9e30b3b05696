"""Tables of the study `ablation`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from paper.ablation.study import FURTHER
from paper.ablation.summary import GROUPS, Estimate, against_default, against_mean_alone, estimate, ratios
from paper.ablation.variants import VARIANTS
from paper.data.catalogue import title
from paper.data.names import SIX
from paper.engine.formats import decimals, write_table
from paper.engine.reading import Results

BOUND = 1.02
"""The default's RMSE should never be above this times that of the mean alone."""


def write(results: Results, out: Path) -> None:
    """Each variant against the default, by dataset and on the whole; and the default against the mean alone."""
    differences = against_default(results.scores)
    splits = int(results.scores.seed.nunique())
    if not differences.empty:
        _whole(differences, splits, out)
        _by_dataset(differences, splits, out)
    _mean_alone(against_mean_alone(results.scores), splits, out)


def _whole(differences: pd.DataFrame, splits: int, out: Path) -> None:
    lines = []
    for name, groups in ratios(differences, "log_mse").items():
        own = differences.xs(name, level="method")
        line = {"variant": VARIANTS[name].label}
        line |= {f"MSE ratio, {group}": interval(groups[group]) if group in groups else "–" for group in GROUPS}
        line["NLL minus default's"] = interval(estimate(own.nll), signed=True)
        line["datasets better / worse"] = f"{(own.log_mse < 0).sum()} / {(own.log_mse > 0).sum()}"
        lines.append(line)
    count = differences.index.get_level_values("dataset").nunique()
    caption = (
        f"The default with one thing changed, on {count} datasets, {splits} splits each: ratio of its MSE on test rows "
        "to the default's (geometric mean over splits and datasets; above 1 the change hurts), mean difference of NLL "
        "(printed form; above 0 the change hurts). In brackets 95 % bootstrap intervals "
        "over datasets. Better and worse count datasets by MSE."
    )
    write_table(pd.DataFrame(lines), out, "ablation", caption)


def _by_dataset(differences: pd.DataFrame, splits: int, out: Path) -> None:
    shown = np.exp(differences.log_mse).unstack("method")
    shown = shown.reindex(index=_order(shown.index), columns=[name for name in VARIANTS if name in shown.columns])
    cells = shown.map(lambda value: "–" if pd.isna(value) else f"{value:.3f}")
    cells.columns = [VARIANTS[name].label for name in cells.columns]
    cells.insert(0, "dataset", [title(name) for name in cells.index])
    caption = f"Ratio of each variant's MSE on test rows to the default's, geometric mean over {splits} splits."
    write_table(cells, out, "ablation_datasets", caption)


def _mean_alone(found: pd.DataFrame, splits: int, out: Path) -> None:
    if found.empty:
        return
    lines = [
        {
            "dataset": title(name),
            "RMSE": f"{line['default']:.{decimals(line['default'], 4)}f}",
            "RMSE of the mean alone": f"{line['mean_alone']:.{decimals(line['default'], 4)}f}",
            "ratio": f"{line['ratio']:.3f}" + ("*" if line["ratio"] > BOUND else ""),
            "largest ratio of a split": f"{line['worst']:.3f}",
        }
        for name, line in found.reindex(_order(found.index)).iterrows()
    ]
    above = int((found["ratio"] > BOUND).sum())
    caption = (
        "What honesty about unknown rows costs: RMSE on test rows of the default and of the same network trained on "
        f"the mean alone, mean over {splits} splits. The bound is a ratio of {BOUND}; {above} of {len(found)} datasets "
        "are above it, marked by an asterisk."
    )
    write_table(pd.DataFrame(lines), out, "ablation_mean_alone", caption)


def interval(found: Estimate, *, signed: bool = False) -> str:
    """`1.034 [1.012, 1.051]`; a single dataset has no interval."""
    mean, *bounds = (f"{value:+.3f}" if signed else f"{value:.3f}" for value in found)
    return mean if np.isnan(found.lower) else f"{mean} [{', '.join(bounds)}]"


def _order(names: pd.Index) -> list[str]:
    return [name for name in (*SIX, *FURTHER) if name in names]
