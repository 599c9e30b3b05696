"""A prediction as text for a terminal and as a small table for a notebook."""

from __future__ import annotations

import numpy as np

from taylor_sensus.budget import shares
from taylor_sensus.prediction import PARTS, Prediction
from taylor_sensus.words import notebook, verdicts
from taylor_sensus.words.format import one_line
from taylor_sensus.words.html import shown
from taylor_sensus.words.verdicts import Status

FIRST = 10
"""Rows that a notebook shows."""


def statuses(prediction: Prediction) -> list[Status]:
    """Whether the model knows such rows, and how much of the variance more data would remove; of no rows nothing."""
    if not len(prediction):
        return []
    lacking = max(lacking_shares(prediction))
    return [verdicts.rows(prediction.familiarity), verdicts.lacking_data(lacking)]


def lacking_shares(prediction: Prediction) -> list[float]:
    """For each target the share of the rows' summed variance that comes from too little data."""
    parts = (prediction.feature_variance, prediction.system_variance, prediction.epistemic_variance)
    summed = np.stack([part.reshape(len(prediction), -1).sum(axis=0) for part in parts], axis=-1)
    return shares(summed)[:, PARTS.index("epistemic")].tolist()


def prediction_text(prediction: Prediction) -> str:
    """How many rows, the statuses, and the mean and range of each column."""
    lines = [f"Prediction of {len(prediction)} rows", *map(str, statuses(prediction))]
    if len(prediction):
        table = prediction.to_frame().describe().loc[["mean", "min", "max"]]
        lines.append(table.rename(columns=one_line).to_string(line_width=100, float_format="{:.6g}".format))
    return "\n".join(lines)


def prediction_html(prediction: Prediction) -> str:
    """The same for a notebook, with the first rows, and a word for each of them."""
    first = f", the first {FIRST}" if len(prediction) > FIRST else ""
    title = f"Prediction of {len(prediction)} rows, with 90 % intervals{first}"
    frame = prediction.to_frame().head(FIRST)
    rows = [
        [shown(label), *(f"{value:.4g}" for value in values), notebook.chip(verdicts.row(values[-1]))]
        for label, values in zip(frame.index, frame.to_numpy(dtype=float), strict=True)
    ]
    headings = ["", *(shown(name) for name in frame.columns), "seen such rows?"]
    table = notebook.table(headings, rows, words=(0, len(headings) - 1))
    return notebook.card(title, notebook.statuses(statuses(prediction)), table)
