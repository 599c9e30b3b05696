"""The table of the study `speed`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from paper.data.catalogue import title
from paper.engine.formats import HEADINGS, decimals, plus_minus, write_table
from paper.engine.reading import Results
from paper.speed.variants import VARIANTS

SCORES = ("mse", "mae", "nll", "coverage_90")
SECONDS = {"first_fit_seconds": "s, first fit", "fit_seconds": "s, fit", "predict_seconds": "s, predict"}


def write(results: Results, out: Path) -> None:
    """A line for each dataset and setting: scores and seconds, averaged over splits."""
    lines = []
    for dataset in results.datasets:
        for name in VARIANTS:
            own = results.scores.query("dataset == @dataset and method == @name")
            if own.empty:
                continue
            line = {"dataset": title(dataset), "method": VARIANTS[name].label}
            line |= {HEADINGS[score]: plus_minus(own[score].mean(), own[score].std()) for score in SCORES}
            line |= {word: _seconds(own[column].mean()) for column, word in SECONDS.items()}
            lines.append(line)
    caption = (
        f"Accuracy and seconds, {int(results.scores.seed.nunique())} splits, mean ± standard deviation over splits. "
        "Each fit alone on the machine with all cores; the first fit includes compilation, the second does not."
    )
    write_table(pd.DataFrame(lines), out, "speed", caption)


def _seconds(value: float) -> str:
    return f"{value:.{decimals(value, 2)}f}"
