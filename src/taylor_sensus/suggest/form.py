"""Suggestions as a table that is also the form to fill in."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.data.table import write_table
from taylor_sensus.wording import percent

LITTLE = 0.01
"""A batch that lowers the median error bar by less than this share is hardly worth its work."""
SMALL = 0.05
"""Where endless data would lower it by less than this share, it is time to stop."""


class FormNames(NamedTuple):
    """Names of the form's own columns."""

    id: str
    candidate: str
    mean: str
    std: str
    source: str
    advice: str
    status: str


def form_names(taken: Iterable[str]) -> FormNames:
    """Names that no column of the model has; where one has, an underscore is put behind."""
    names = {str(name) for name in taken}

    def free(name: str) -> str:
        while name in names:
            name += "_"
        return name

    wanted = ("id", "candidate", "predicted mean", "predicted std", "dominant source", "advice", "status")
    return FormNames(*map(free, wanted))


@dataclass(frozen=True)
class Outlook:
    """What measuring the batch promises, as medians over the candidates, in the target's unit."""

    median_std: float
    """Standard deviation of a prediction now ..."""
    expected_median_std: float
    """... and when the batch has been measured: an estimate, which does not know what will come out."""
    noise: float
    """What would be left with endless data: noise."""

    @property
    def reduction(self) -> float:
        """By which share the median standard deviation is expected to fall."""
        return max(0.0, 1 - self.expected_median_std / self.median_std) if self.median_std > 0 else 0.0

    @property
    def possible(self) -> float:
        """The same with endless data, which leave nothing but noise."""
        return max(0.0, 1 - self.noise / self.median_std) if self.median_std > 0 else 0.0

    def __str__(self) -> str:
        if self.reduction > 0:
            change = f"from {self.median_std:.4g} to {self.expected_median_std:.4g}, by {percent(self.reduction)}"
            text = f"Measuring these should lower the median std over the candidates {change}."
        else:
            text = f"Measuring these should not lower the median std over the candidates, {self.median_std:.4g}."
        text += f" Noise alone is {self.noise:.4g}: endless data would lower it by {percent(self.possible)}."
        if self.possible < SMALL:
            return f"{text} Time to stop: what is left is noise. Repeat rows or measure better instead."
        if self.reduction < LITTLE:
            return f"{text} So few rows change little: measure more at a time, or stop."
        return text


@dataclass(frozen=True)
class Suggestions:
    """What to measure next. `table` is the form: fill in the result (and a status, if you like) and read it back."""

    table: pd.DataFrame
    goal: str
    target: str
    outlook: Outlook
    positions: np.ndarray | None
    """Where the suggestions stand among the candidates that were given; None if they come from a space."""
    candidates: int
    """How many candidates there were."""
    note: str = ""
    """What else there is to know, such as that there are fewer than were asked for."""

    def __len__(self) -> int:
        return len(self.table)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write the form; texts that a spreadsheet would take for a formula are made harmless."""
        write_table(self.table, path)

    def _head(self) -> str:
        return f"{len(self)} suggestions to {self.goal} ({self.target}), from {self.candidates} candidates."

    def __str__(self) -> str:
        table = self.table.to_string(index=False, float_format=lambda value: f"{value:.4g}", na_rep="")
        return "\n".join(filter(None, [self._head(), table, str(self.outlook), self.note]))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        table = self.table.to_html(index=False, float_format=lambda value: f"{value:.4g}", na_rep="", border=0)
        texts = [html.escape(text) for text in (self._head(), str(self.outlook), self.note) if text]
        return f"<p>{texts[0]}</p>{table}" + "".join(f"<p>{text}</p>" for text in texts[1:])
