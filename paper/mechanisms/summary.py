"""From the results of the study `mechanisms` to what each mechanism brings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from paper.data.real_tables import LARGE_TABLES
from paper.engine.formats import write_table
from paper.mechanisms.run import STAIRS, VARIANTS


def summary(results: pd.DataFrame) -> pd.DataFrame:
    """Each variant against the default: ratio of MSE and difference of NLL, means over tables with 95 % intervals."""
    frame = results[~results["table"].isin({*LARGE_TABLES, *STAIRS})]
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
    return _ratios(results[results["table"].isin(LARGE_TABLES)], "present_default")


def of_stairs(results: pd.DataFrame) -> pd.DataFrame:
    """The same for functions that step."""
    return _ratios(results[results["table"].isin(STAIRS)], "default")


def _ratios(frame: pd.DataFrame, default: str) -> pd.DataFrame:
    wide = frame.pivot_table(index="table", columns="variant", values="mse", sort=False)
    return wide.div(wide[default], axis=0) if default in wide else wide


def write(results: pd.DataFrame, out: Path) -> None:
    """Both as tables for the page."""
    found = summary(results)
    lines = pd.DataFrame(
        {
            "variant": [name.replace("_", " ") for name in found.index],
            "MSE": _with_interval(found, "mse_ratio", ".3f"),
            "NLL": _with_interval(found, "nll_difference", "+.4f"),
            "seconds": [f"{ratio:.2f}" for ratio in found["cpu_ratio"]],
            "fits": [
                int((~results["table"].isin({*LARGE_TABLES, *STAIRS}) & (results["variant"] == name)).sum())
                for name in found.index
            ],
        }
    )
    write_table(lines, out, "mechanisms", f"Against the default, {int(found['tables'].max())} tables.")
    rows = results.groupby("table")["rows"].max()
    for ratios, name, what in (
        (of_large(results), "mechanisms_large", "Large tables, one split: MSE over that of the default."),
        (of_stairs(results), "mechanisms_stairs", "Functions that step, one split: MSE over that of the default."),
    ):
        if not len(ratios):
            continue
        shown = ratios.map(lambda ratio: "" if np.isnan(ratio) else f"{ratio:.3f}")
        shown.columns = [column.replace("_", " ") for column in shown.columns]
        shown.insert(0, "rows", [f"{rows[table]:,}" for table in shown.index])
        write_table(shown.reset_index(), out, name, what)


def _with_interval(found: pd.DataFrame, name: str, style: str) -> list[str]:
    middle, low, high = (found[each] for each in (name, f"{name}_low", f"{name}_high"))
    return [f"{m:{style}} [{a:{style}}, {b:{style}}]" for m, a, b in zip(middle, low, high, strict=True)]
