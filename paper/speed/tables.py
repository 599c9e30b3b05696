"""The tables of the study `speed`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from paper.data.catalogue import title
from paper.engine.formats import HEADINGS, decimals, write_table
from paper.engine.reading import Results
from paper.speed.variants import RIVAL, VARIANTS

SCORES = ("rmse", "nll", "coverage_90")


def write(results: Results, out: Path) -> None:
    """A line for each table and method, with seconds and their ratio to the rival's; and the ratios' means."""
    scores, lines = results.scores, []
    seconds = scores.pivot_table(index="dataset", columns="method", values="fit_cpu_seconds")
    for dataset in results.datasets:
        for name in VARIANTS:
            own = scores.query("dataset == @dataset and method == @name")
            if own.empty:
                continue
            line: dict[str, object] = {"dataset": title(dataset), "rows": int(own["train_rows"].mean())}
            line |= {"method": VARIANTS[name].label}
            line |= {HEADINGS[score]: _short(own[score].mean()) for score in SCORES}
            line |= {"s of CPU": _short(own["fit_cpu_seconds"].mean(), 2)}
            line |= {f"/ {VARIANTS[RIVAL].label}": _ratio(seconds, dataset, name)}
            lines.append(line)
    caption = "Accuracy on test rows, and seconds of CPU of a fit, on one core; one split, rows for training."
    write_table(pd.DataFrame(lines), out, "speed", caption)
    means = [
        {
            "method": VARIANTS[name].label,
            "tables": len(ratio),
            "geometric mean": _short(np.exp(np.log(ratio).mean()), 2),
        }
        for name in VARIANTS
        if name in seconds and RIVAL in seconds and len(ratio := (seconds[name] / seconds[RIVAL]).dropna())
    ]
    write_table(pd.DataFrame(means), out, "speed_ratios", "Seconds of CPU of a fit, as multiples of CatBoost's.")


def _ratio(seconds: pd.DataFrame, dataset: str, name: str) -> str:
    if RIVAL not in seconds:
        return "–"
    found = seconds.loc[dataset, name] / seconds.loc[dataset, RIVAL]
    return "–" if np.isnan(found) else f"{found:.1f}"


def _short(value: float, digits: int = 3) -> str:
    return f"{value:.{decimals(value, digits)}f}"
