"""Suggestions as a table that is also the form to fill in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from taylor_sensus.tables.files import write_table
from taylor_sensus.words import notebook
from taylor_sensus.words.format import one_line, percent
from taylor_sensus.words.html import Content, shown, tag
from taylor_sensus.words.verdicts import Status

LITTLE = 0.01
"""A batch that lowers the median error bar by less than this share is hardly worth its work."""
SMALL = 0.05
"""Where unlimited data would lower it by less than this share, it is time to stop."""
LONGEST = 300
"""Characters of a cell or note that are shown; advice is a sentence."""


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
    """What measuring the batch promises, as medians over the candidates, in the target's unit.

    Parameters
    ----------
    median_std : float
        Standard deviation of a prediction now ...
    expected_median_std : float
        ... and when the batch has been measured: an estimate, which does not know what will come out.
    noise : float
        What would be left with unlimited data: noise.
    """

    median_std: float
    expected_median_std: float
    noise: float

    @property
    def reduction(self) -> float:
        """By which share the median standard deviation is expected to fall."""
        return max(0.0, 1 - self.expected_median_std / self.median_std) if self.median_std > 0 else 0.0

    @property
    def possible(self) -> float:
        """The same with unlimited data, which leave nothing but noise."""
        return max(0.0, 1 - self.noise / self.median_std) if self.median_std > 0 else 0.0

    @property
    def status(self) -> Status:
        """Good if the batch lowers error bars, fair if it hardly does, and "check" if it is time to stop."""
        why = f"error bars should fall by {percent(self.reduction)}, with unlimited data by {percent(self.possible)}"
        if self.possible < SMALL:
            return Status("gain", "check", f"{why}; time to stop")
        return Status("gain", "fair" if self.reduction < LITTLE else "good", why)

    def __str__(self) -> str:
        if self.reduction > 0:
            change = f"from {self.median_std:.4g} to {self.expected_median_std:.4g}, by {percent(self.reduction)}"
            text = f"Measuring these should lower the median error bar (std) of the candidates {change}."
        else:
            text = (
                f"Measuring these should not lower the median error bar (std) of the candidates, {self.median_std:.4g}."
            )
        text += f" The noise alone is {self.noise:.4g}, so unlimited data would lower it by {percent(self.possible)}."
        if self.possible < SMALL:
            return f"{text} Time to stop: what is left is noise. Repeat rows or measure better instead."
        if self.reduction < LITTLE:
            return f"{text} So few rows change little: measure more at a time, or stop."
        return text


@dataclass(frozen=True)
class Suggestions:
    """What to measure next. `table` is the form: fill in the result (and a status, if you like) and read it back.

    Parameters
    ----------
    table : DataFrame
        A line for each suggestion: its name, the settings, mean and std that the model predicts, the largest source of
        error, advice, an empty column for each result, and a status.
    goal : str
        The goal, in words.
    target : str
        Which target the predictions and the goal are about.
    outlook : Outlook
        What measuring all of them promises.
    positions : ndarray or None
        Where the suggestions stand among the candidates that were given; None if they come from a space.
    candidates : int
        How many candidates there were.
    note : str, default=""
        What else there is to know, such as that there are fewer than requested.
    """

    table: pd.DataFrame
    goal: str
    target: str
    outlook: Outlook
    positions: np.ndarray | None
    candidates: int
    note: str = ""

    def __len__(self) -> int:
        return len(self.table)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write the form; texts that a spreadsheet would take for a formula are made harmless.

        Parameters
        ----------
        path : path
            File to write.
        """
        write_table(self.table, path)

    def _head(self) -> str:
        return f"{len(self)} suggestions to {self.goal} ({one_line(self.target)}), from {self.candidates} candidates."

    def _below(self) -> list[str]:
        return [str(self.outlook), *([one_line(self.note, LONGEST)] if self.note else [])]

    def __str__(self) -> str:
        named = self.table.rename(columns=one_line)
        words = named.select_dtypes(exclude="number").columns
        table = named.to_string(
            index=False,
            float_format=lambda value: f"{value:.4g}",
            na_rep="",
            formatters=dict.fromkeys(words, _one_line),
        )
        return "\n".join([self._head(), str(self.outlook.status), table, *self._below()])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = [[_cell(value) for value in row] for row in self.table.itertuples(index=False, name=None)]
        words = [at for at, name in enumerate(self.table.columns) if not is_numeric_dtype(self.table.dtypes.iloc[at])]
        table = notebook.table([shown(name) for name in self.table.columns], rows, words=words)
        below = [notebook.paragraph(tag("bdi", text)) for text in self._below()]
        return notebook.card(tag("bdi", self._head()), notebook.statuses([self.outlook.status]), table, below)


def _cell(value: object) -> Content:
    """A number with four digits, nothing where nothing is, or a text on one line."""
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.4g}"
    return shown(_one_line(value), LONGEST)


def _one_line(value: object) -> str:
    return "" if pd.isna(value) else one_line(value, LONGEST)
