"""Good, fair, or check: a model and its answers judged in a word, with the numbers behind it.

======================  ===========================  ===========================  ==========================
about                   good                         fair                         check
======================  ===========================  ===========================  ==========================
accuracy                explains at least 70 % of    at least 30 %                less
                        the variance, unseen rows
error bars              90 % intervals held what     held more than chance        held less than 84 %, and
                        chance allows of 90 %, with  allows, or less but at       less than chance allows
                        at least 30 unseen rows      least 84 %, or fewer rows
amount of data          at least 50 distinct rows    at least 20                  fewer
warnings                none                         some
familiarity of a row    at least 0.5                 at least 0.2                 less
familiarity of rows     at most 5 % of the rows are  at most 20 %                 more
                        below 0.5
too little data         less than 20 % of the        less than 50 %               50 % or more
                        variance comes from it
split of the noise      the data tell the inputs'                                 they do not
                        noise from the system's
======================  ===========================  ===========================  ==========================

What chance allows: the shares that honest intervals would show in 95 of 100 tables of as many rows (binomial). Of 20
rows 90 % intervals may hold 75 to 100 %, of 1,000 rows 88.1 to 91.8 %. Shares within 1 % of what was promised are good
in any case: with very many rows chance allows almost nothing, and so small a difference matters to nobody.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from taylor_sensus.budget import shares
from taylor_sensus.words.format import explained_share, one_line, percent

if TYPE_CHECKING:
    from taylor_sensus.prediction import Prediction
    from taylor_sensus.records import FitSummary

Word = Literal["good", "fair", "check"]

ACCURATE, HELPFUL = 0.7, 0.3
"""Shares of the variance that a good and a fair model explain on unseen rows."""
NEARLY = 0.06
"""By how much error bars may hold less than they promise and still be fair."""
NEGLIGIBLE = 0.01
"""A difference from what was promised that is good in any case ..."""
MANY_JUDGED = 3500
"""... and the rows from which on chance allows less."""
ENOUGH_TO_JUDGE = 30
"""Unseen rows from which on chance leaves coverage a range narrow enough to call it good."""
ENOUGH_TO_WARN = 100
"""Unseen rows from which on a coverage is worth a warning."""
MANY_ROWS, SOME_ROWS = 50, 20
"""Distinct training rows; below the first, error bars are rough."""
FAMILIAR, STRANGE = 0.5, 0.2
"""Familiarities from which on a row counts as known, and below which it counts as strange."""
FEW_UNFAMILIAR, SOME_UNFAMILIAR = 0.05, 0.2
"""Shares of rows below `FAMILIAR` that a good and a fair table may have."""
LITTLE_LACKING, MUCH_LACKING = 0.2, 0.5
"""Shares of the variance that come from too little data, below which all is good, or fair."""


class Status(NamedTuple):
    """What is judged, the word for it, and why."""

    about: str
    word: Word
    why: str
    short: str = ""
    """The answer to a reader's question about it, where there is one in a few words."""
    remedy: str = ""
    """What to do, where there is something."""

    def __str__(self) -> str:
        return f"{self.about}: {self.word} ({self.why})"


def of_model(fit: FitSummary, target_names: Sequence[str], warnings: int) -> list[Status]:
    """How accurate, how honest, from how much, and how many warnings there are to read."""
    found = []
    for at, target in enumerate(target_names):
        name = f" of {one_line(target)}" if len(target_names) > 1 else ""
        judged = accuracy(fit.held_out_explained[at]), error_bars(fit.held_out_coverage[90][at], fit.held_out_rows)
        found += [one._replace(about=one.about + name) for one in judged]
    return [*found, amount(fit.distinct_rows), warned(warnings)]


def of_prediction(prediction: Prediction) -> list[Status]:
    """Whether the model knows such rows, and how much of the variance more data would remove; of no rows nothing."""
    if not len(prediction):
        return []
    return [rows(prediction.familiarity), lacking_data(max(_lacking_shares(prediction)))]


def _lacking_shares(prediction: Prediction) -> list[float]:
    """For each target the share of the rows' summed variance that comes from too little data."""
    parts = (prediction.feature_variance, prediction.system_variance, prediction.epistemic_variance)
    summed = np.stack([part.reshape(len(prediction), -1).sum(axis=0) for part in parts], axis=-1)
    return shares(summed)[:, -1].tolist()


def of_budget(identifiable: bool, lacking: float) -> list[Status]:
    """Whether the split can be trusted, and how much of the variance more data would remove."""
    return [split(identifiable), lacking_data(lacking)]


def accuracy(explained: float) -> Status:
    """How much of the target's variance is explained on unseen rows."""
    if not math.isfinite(explained):
        return Status("accuracy", "fair", "cannot be judged: the target does not vary on unseen rows")
    word = _word(explained >= ACCURATE, explained >= HELPFUL)
    return Status("accuracy", word, f"{explained_share(explained)} of the variance explained on unseen rows")


def error_bars(held: float, rows: int, promised: float = 0.9, of: str = "unseen rows") -> Status:
    """Whether intervals held as many rows as they promise, as far as so many rows can tell; `of` says what they are."""
    if rows < 1 or not math.isfinite(held):
        return Status("error bars", "fair", "cannot be judged: no unseen rows", "not known here")
    low, high = chance(rows, promised)
    told = f"{percent(promised, 0)} intervals held {percent(held, 0)} of {rows:,} {of}"
    allowed = f"chance allows {percent(low, 0)} to {percent(high, 0)}"
    if low - 1e-9 <= held <= high + 1e-9 or abs(held - promised) <= NEGLIGIBLE:
        if rows < ENOUGH_TO_JUDGE:
            return Status("error bars", "fair", f"{told}; too few to tell, {allowed}", "too few rows to tell")
        chances = allowed if rows < MANY_JUDGED else "that is as promised"
        return Status("error bars", "good", f"{told}; {chances}", "yes, they are honest")
    if held > high:
        why = f"{told}, so they are wider than need be; {allowed}"
        return Status("error bars", "fair", why, "yes, they are rather wide")
    why, remedy = f"{told}, so they are too small; {allowed}", "Use predict_interval to make up for it."
    if held >= promised - NEARLY - 1e-9:
        return Status("error bars", "fair", why, "nearly: a little too small", remedy)
    return Status("error bars", "check", why, "no, they are too small", remedy)


def chance(rows: int, promised: float = 0.9) -> tuple[float, float]:
    """Between which shares honest intervals lie in 95 of 100 tables of so many rows."""
    from scipy.stats import binom  # takes a while to load, and is needed only here

    low, high = binom.ppf([0.025, 0.975], rows, promised) / rows
    return float(low), float(high)


def amount(distinct_rows: int) -> Status:
    """Whether there are rows enough for error bars."""
    word = _word(distinct_rows >= MANY_ROWS, distinct_rows >= SOME_ROWS)
    return Status("amount of data", word, f"{distinct_rows:,} distinct rows; error bars are rough below {MANY_ROWS}")


def warned(count: int) -> Status:
    """Whether there is anything to read below."""
    return Status("warnings", _word(count == 0, True), f"{count}, listed below" if count else "none")


def row(familiarity: float) -> Word:
    """Whether the model has seen data like one row."""
    return _word(familiarity >= FAMILIAR, familiarity >= STRANGE)


def rows(familiarity: Sequence[float] | np.ndarray) -> Status:
    """Whether the model has seen data like the rows of a table."""
    values = np.asarray(familiarity, dtype=float)
    far = int(np.sum(values < FAMILIAR))
    share = far / len(values)
    why = f"{far:,} of {len(values):,} rows below {FAMILIAR}"
    if far:
        why += f", of these {int(np.sum(values < STRANGE)):,} below {STRANGE}"
    return Status("familiarity", _word(share <= FEW_UNFAMILIAR, share <= SOME_UNFAMILIAR), why)


def lacking_data(share: float) -> Status:
    """How much of the variance more data would remove."""
    word = _word(share < LITTLE_LACKING, share < MUCH_LACKING)
    return Status("too little data", word, f"{percent(share, 0)} of the variance comes from it")


def split(identifiable: bool) -> Status:
    """Whether the data can tell the inputs' noise from the system's."""
    why = "the data tell the inputs' noise from the system's" if identifiable else "trust the sum, not the split"
    return Status("split of the noise", _word(identifiable, False), why)


def _word(good: bool, fair: bool) -> Word:
    return "good" if good else "fair" if fair else "check"
