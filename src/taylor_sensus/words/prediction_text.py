"""A prediction as text for a terminal and as a small table for a notebook."""

from __future__ import annotations

from taylor_sensus.prediction import Prediction
from taylor_sensus.words import notebook, verdicts
from taylor_sensus.words.format import one_line
from taylor_sensus.words.html import shown

FIRST = 10
"""Rows that a notebook shows."""


def prediction_text(prediction: Prediction) -> str:
    """How many rows, the statuses, and the mean and range of each column."""
    lines = [f"Prediction of {len(prediction)} rows", *map(str, verdicts.of_prediction(prediction))]
    if len(prediction):
        table = prediction.to_frame(0.9).describe().loc[["mean", "min", "max"]]
        lines.append(table.rename(columns=one_line).to_string(line_width=100, float_format="{:.6g}".format))
    return "\n".join(lines)


def prediction_html(prediction: Prediction) -> str:
    """The same for a notebook, with the first rows, and a word for each of them."""
    first = f", the first {FIRST}" if len(prediction) > FIRST else ""
    title = f"Prediction of {len(prediction)} rows, with 90 % intervals{first}"
    frame = prediction.to_frame(0.9).head(FIRST)
    rows = [
        [shown(label), *(f"{value:.4g}" for value in values), notebook.chip(verdicts.row(values[-1]))]
        for label, values in zip(frame.index, frame.to_numpy(dtype=float), strict=True)
    ]
    headings = ["", *(shown(name) for name in frame.columns), "seen such rows?"]
    table = notebook.table(headings, rows, words=(0, len(headings) - 1))
    return notebook.card(title, notebook.statuses(verdicts.of_prediction(prediction)), table)
