"""From results on the toys to what their tables show."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from paper.ablation.summary import Estimate, estimate
from paper.toys.methods import PLAIN, ToyMethod
from paper.toys.study import RAW, RAW_DATASETS, TOY_DATASETS

REGION_TITLES = {"in": "In", "ext": "Ext", "all": "All"}
"""As the paper heads its columns."""


def toy_title(dataset: str) -> str:
    """A toy's name for readers."""
    unit = "printed unit" if dataset.endswith(RAW) else "standardised inputs"
    return f"{dataset.removesuffix(RAW).removeprefix('toy_').replace('d', '-D')} toy, waves of {unit}"


def complete(scores: pd.DataFrame, methods: Mapping[str, ToyMethod]) -> pd.DataFrame:
    """Methods that get no embedding from us stand under both units, although they ran once."""
    plain = scores[scores.method.isin([name for name, method in methods.items() if method.sees == PLAIN])]
    there = set(scores.dataset)
    copies = [
        plain[plain.dataset == base].assign(dataset=raw)
        for base, raw in zip(TOY_DATASETS, RAW_DATASETS, strict=True)
        if raw in there
    ]
    return pd.concat([scores, *copies], ignore_index=True)


def paired(scores: pd.DataFrame, one: str, other: str, column: str) -> Estimate:
    """One method minus another on the same seeds of a toy: the mean with a 95 % bootstrap interval over seeds."""
    wide = scores.pivot_table(index="seed", columns="method", values=column)
    if not {one, other} <= set(wide.columns):
        return Estimate(np.nan, np.nan, np.nan)
    return estimate(wide[one] - wide[other])
