"""What to do at a suggested row, by what its error bar is made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.budget import LEARNED, NoiseBudget

NEW_POINT = "new point"
REPEAT = "repeat: system noise dominates"
REPEAT_UNKNOWN = "repeat: noise dominates, and its source is not known yet"
IMPROVE = "improve the measurement of {}"
IMPROVE_LEARNED = f"{IMPROVE}, if the system's own noise has one size"
"""Of an input whose error was learned; see `NoiseBudget.assumes_one_size`."""
NEW_GROUP = "measure it in another group: differences between groups dominate"
FILL_IN = "find the missing values of this row"
SOURCE_WORDS = {
    "epistemic": "too little data",
    "missing_cells": "missing cells",
    "system_noise": "system noise",
    "target_error": "measuring error of {}",
    "group": "differences between groups",
}


class Advice(NamedTuple):
    """One text a row each."""

    source: np.ndarray
    """The largest source of error."""
    advice: np.ndarray


def advise(budget: NoiseBudget, target: str) -> Advice:
    """For the rows of a noise budget: where too little data is not the largest source, say what is."""
    place = budget.target_names.index(target)
    largest = budget.variance[:, place].argmax(axis=1)
    sources, advice = [], []
    for row, number in enumerate(largest):
        part, name = budget.part_of_source[number], budget.sources[number]
        if part == "feature_noise":
            name = budget.parts.columns[number]
            sources.append(f"noise of {name}")
            known = bool(budget.parts.identifiable[number])
            assumed = budget.assumes_one_size and budget.parts.kind[row, number] == LEARNED
            advice.append((IMPROVE_LEARNED if assumed else IMPROVE).format(name) if known else REPEAT_UNKNOWN)
            continue
        sources.append(SOURCE_WORDS[part].format(target))
        if part == "epistemic":
            advice.append(NEW_POINT)
        elif part == "target_error":
            advice.append(IMPROVE.format(target))
        elif part == "missing_cells":
            advice.append(FILL_IN)
        elif part == "group":
            advice.append(NEW_GROUP)
        else:
            advice.append(REPEAT)
    return Advice(np.array(sources, dtype=object), np.array(advice, dtype=object))
