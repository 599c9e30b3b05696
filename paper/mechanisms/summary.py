"""From the results of the study `mechanisms` to what each mechanism brings."""

from __future__ import annotations

import numpy as np
import pandas as pd

from paper.data.real_tables import LARGE_TABLES
from paper.mechanisms.run import VARIANTS


def summary(results: pd.DataFrame) -> pd.DataFrame:
    """Each variant against the default: ratio of MSE and difference of NLL, means over tables with 95 % intervals."""
    frame = results[~results["table"].isin(LARGE_TABLES)]
    frame = frame.assign(log_mse=np.log(frame["mse"]))
    wide = frame.pivot_table(index=["table", "split"], columns="variant", values=["log_mse", "nll", "cpu_seconds"])
    lines = {}
    for variant in VARIANTS:
        if variant == "default" or variant not in wide["nll"]:
            continue
        line = {}
        for score in ("log_mse", "nll"):
            by_table = (wide[score][variant] - wide[score]["default"]).dropna().groupby("table").mean()
            mean, half = by_table.mean(), 1.96 * by_table.std(ddof=1) / np.sqrt(len(by_table))
            values = np.array([mean, mean - half, mean + half])
            line |= dict(zip(_names(score), np.exp(values) if score == "log_mse" else values, strict=True))
        line["tables"] = len(by_table)
        line["cpu_ratio"] = float(np.exp(np.log(wide["cpu_seconds"][variant] / wide["cpu_seconds"]["default"]).mean()))
        lines[variant] = line
    return pd.DataFrame(lines).T


def _names(score: str) -> tuple[str, str, str]:
    name = "mse_ratio" if score == "log_mse" else "nll_difference"
    return name, f"{name}_low", f"{name}_high"


def of_large(results: pd.DataFrame) -> pd.DataFrame:
    """MSE of each variant over the present default's, a line a large table."""
    frame = results[results["table"].isin(LARGE_TABLES)]
    wide = frame.pivot_table(index="table", columns="variant", values="mse", sort=False)
    return wide.div(wide["present_default"], axis=0) if "present_default" in wide else wide
