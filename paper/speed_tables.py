"""The table of the study `speed`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from paper.formats import HEADINGS, decimals, plus_minus, write_table
from paper.reading import Results
from paper.study_data import title
from paper.variants import SPEED

SCORES = ("mse", "mae", "nll", "coverage_90")
SECONDS = {"first_fit_seconds": "s, first fit", "fit_seconds": "s, fit", "predict_seconds": "s, predict"}


def write_speed(results: Results, out: Path) -> None:
    """A line for each dataset and setting: scores and seconds, averaged over splits."""
    lines = []
    for dataset in results.datasets:
        for name in SPEED:
            own = results.scores.query("dataset == @dataset and method == @name")
            if own.empty:
                continue
            line = {"dataset": title(dataset), "method": SPEED[name].label}
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
