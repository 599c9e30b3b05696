"""Good, fair, or check: a model and its predictions assessed in a word, with the numbers behind it.

======================  ===========================  ===========================  ==========================
about                   good                         fair                         check
======================  ===========================  ===========================  ==========================
accuracy                explains at least 70 % of    at least 30 %, or fewer      less, or networks did not
                        the variance, of at least    rows                         learn
                        30 unseen rows
error bars              intervals of 50, 80, 90 and  some held more than chance   some held less than chance
                        95 %, and 90 % ones in each  allows, or less but by at    allows, and by more than
                        third of the rows, held      most 6 %, or fewer rows      6 % of the rows, or
                        what chance allows, of at                                 networks did not learn
                        least 30 unseen rows
amount of data          at least 50 distinct rows    at least 20                  fewer
warnings                none                         some
familiarity of a row    at least 0.5                 at least 0.2                 less
familiarity of rows     at most 5 % of the rows are  at most 20 %                 more
                        below 0.5
too little data         less than 20 % of the        less than 50 %               50 % or more
                        variance comes from it
split of the noise      the 90 % interval of the     so it is, if the system's    it is wider
                        system's share is at most    own noise has one size
                        half a unit wide
======================  ===========================  ===========================  ==========================

What chance allows: the shares that honest intervals would show in 95 of 100 tables of as many rows (binomial); for the
three thirds together, too. Of 20 rows 90 % intervals may hold 75 to 100 %, of 1,000 rows 88.1 to 91.8 %. Shares within
1 % of what was promised are good in any case: with very many rows chance allows almost nothing, and so small a
difference does not matter. Summary, notebook, report and app all use these functions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
MANY_HELD_OUT = 3500
"""... and the rows from which on chance allows less."""
ENOUGH_HELD_OUT = 30
"""Unseen rows from which on chance leaves coverage a range narrow enough to call it good."""
FEWEST_OF_A_THIRD = 10
"""Rows of a third from which on its share says anything."""
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
    """What is assessed, the word for it, and why."""

    about: str
    word: Word
    why: str
    short: str = ""
    """The answer to a reader's question about it, where there is one in a few words."""
    remedy: str = ""
    """What to do, where there is something."""

    def __str__(self) -> str:
        return f"{self.about}: {self.word} ({self.why})"


class Coverage(NamedTuple):
    """Which shares of how many rows the intervals of a target held."""

    rows: int
    levels: Mapping[int, float]
    """By the level in percent."""
    thirds: Sequence[float] | None = None
    """Of 90 % intervals: among the surest, the middle and the least sure third of the rows; None if not known."""


THIRDS = ("the surest third", "the middle third", "the least sure third")


def coverage_of_fit(fit: FitSummary, at: int) -> Coverage:
    """What the intervals of one target held of the fit's unseen rows."""
    levels = {level: values[at] for level, values in fit.held_out_coverage.items()}
    return Coverage(fit.held_out_rows, levels, None if fit.held_out_thirds is None else fit.held_out_thirds[at])


def coverage_of(y: np.ndarray, prediction: Prediction) -> Coverage:
    """What the intervals of a prediction of one target held of measured values."""
    from taylor_sensus.scores import check_bounds

    held = {level: check_bounds(y, *prediction.interval(level / 100), prediction.std) for level in (50, 80, 90, 95)}
    return Coverage(len(y), {level: found.coverage for level, found in held.items()}, held[90][1:4])


def of_model(fit: FitSummary, target_names: Sequence[str], warnings: int, not_learned: int = 0) -> list[Status]:
    """Accuracy, calibration, amount of data, and how many warnings there are to read.

    `not_learned` networks diverged in training.
    """
    found = []
    for at, target in enumerate(target_names):
        name = f" of {one_line(target)}" if len(target_names) > 1 else ""
        explained, held = fit.held_out_explained[at], coverage_of_fit(fit, at)
        own = [accuracy(explained, fit.held_out_rows), error_bars(held, constant=math.isnan(explained))]
        if not_learned:
            why = f"{not_learned} networks diverged in training; "
            own = [one._replace(word="check", why=why + one.why) for one in own]
        found += [one._replace(about=one.about + name) for one in own]
    return [*found, amount(fit.distinct_rows), warned(warnings)]


def of_prediction(prediction: Prediction) -> list[Status]:
    """Whether the model knows such rows, and how much of the variance more data would remove; of no rows nothing."""
    if not len(prediction):
        return []
    return [rows(prediction.familiarity), lacking_data(max(_lacking_shares(prediction)))]


def _lacking_shares(prediction: Prediction) -> list[float]:
    """For each target the share of the rows' summed variance that comes from too little data."""
    parts = (
        prediction.feature_variance,
        prediction.system_variance,
        prediction.group**2,
        prediction.epistemic_variance,
    )
    summed = np.stack([part.reshape(len(prediction), -1).sum(axis=0) for part in parts], axis=-1)
    return shares(summed)[:, -1].tolist()


def accuracy(explained: float, rows: int, of: str = "unseen rows") -> Status:
    """How much of the target's variance is explained, as far as so many rows can show; `of` says what they are."""
    if not math.isfinite(explained):
        return Status("accuracy", "fair", f"cannot be judged: the target does not vary on {of}")
    word, why = _word(explained >= ACCURATE, explained >= HELPFUL), f"{explained_share(explained)} of the variance"
    if rows < ENOUGH_HELD_OUT and word == "good":
        return Status("accuracy", "fair", f"{why} explained on {rows} {of}, too few to tell")
    return Status("accuracy", word, f"{why} explained on {of}")


def error_bars(found: Coverage, of: str = "unseen rows", *, constant: bool = False) -> Status:
    """Whether intervals of every level, and in every third, held as many rows as they promise, as far as rows can show.

    `of` says what the rows are; a `constant` target has no coverage.
    """
    if found.rows < 1 or constant or not all(map(math.isfinite, found.levels.values())):
        why = "the target does not vary" if constant else "no unseen rows"
        return Status("error bars", "fair", f"cannot be judged: {why}", "not known here")
    looks = looks_at(found)
    main = next(look for look in looks if look.name == "90 % intervals")
    observed = f"{main.name} held {percent(main.held, 0)} of {found.rows:,} {of}"
    small, wide = [look for look in looks if look.is_small], [look for look in looks if look.is_wide]
    others = "".join(f"; {look.name} held {percent(look.held, 0)}, {look.allowed}" for look in small or wide
                     if look is not main)  # fmt: skip
    here = f"; {main.allowed}" if main in (small or wide) or not others else ""
    if small:
        why, remedy = f"{observed}{here}{others}: too small", "Use predict_interval to make up for it."
        if max(look.nominal - look.held for look in small) <= NEARLY + 1e-9:
            return Status("error bars", "fair", why, "nearly: a little too small", remedy)
        return Status("error bars", "check", why, "no, they are too small", remedy)
    if wide:
        return Status("error bars", "fair", f"{observed}{here}{others}: wider than needed", "yes, they are rather wide")
    if found.rows < ENOUGH_HELD_OUT:
        return Status("error bars", "fair", f"{observed}; too few to tell, {main.allowed}", "too few rows to tell")
    chances = main.allowed if found.rows < MANY_HELD_OUT else "that is as promised"
    return Status("error bars", "good", f"{observed}; {chances}, at all levels and thirds", "yes, they are honest")


class Look(NamedTuple):
    """Observed coverage of intervals, their nominal coverage, and what chance allows."""

    name: str
    held: float
    nominal: float
    low: float
    high: float

    @property
    def allowed(self) -> str:
        """What chance allows, in words."""
        return f"chance allows {percent(self.low, 0)} to {percent(self.high, 0)}"

    @property
    def is_small(self) -> bool:
        """Whether they held less than chance allows."""
        return self.held < min(self.low, self.nominal - NEGLIGIBLE) - 1e-9

    @property
    def is_wide(self) -> bool:
        """Whether they held more than chance allows."""
        return self.held > max(self.high, self.nominal + NEGLIGIBLE) + 1e-9


def looks_at(found: Coverage) -> list[Look]:
    """Every level, then every third."""
    looks = [
        Look(f"{level} % intervals", held, level / 100, *chance(found.rows, level / 100))
        for level, held in found.levels.items()
    ]
    if found.thirds is not None and found.rows >= 3 * FEWEST_OF_A_THIRD:
        bounds = chance(found.rows // 3, 0.9, apart=3)
        looks += [Look(f"those of {name}", held, 0.9, *bounds) for name, held in zip(THIRDS, found.thirds, strict=True)]
    return looks


def chance(rows: int, nominal: float = 0.9, apart: int = 1) -> tuple[float, float]:
    """Between which shares honest intervals lie in 95 of 100 tables of so many rows, `apart` such shares together."""
    from scipy.stats import binom  # takes a while to load, and is needed only here

    outside = 0.025 / apart
    low, high = binom.ppf([outside, 1 - outside], rows, nominal) / rows
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


def lacking_data(share: float, unseen: float | None = None) -> Status:
    """How much of the variance more data would remove.

    Of rows that were trained on, `unseen` is that share as long as they are unseen, which counts for new rows.
    """
    counted = share if unseen is None else unseen
    why = f"{percent(counted, 0)} of the variance comes from it"
    if unseen is not None:
        why += f" at such rows as long as they are unseen, {percent(share, 0)} at these, which were trained on"
    return Status("too little data", _word(counted < LITTLE_LACKING, counted < MUCH_LACKING), why)


def split(identifiable: bool, assumes_one_size: bool) -> Status:
    """Whether the data can separate the inputs' noise from the system's; see `NoiseBudget.assumes_one_size`."""
    why = "the system's share of the noise is known to 50 percentage points"
    if assumes_one_size:
        why += ", if its noise has one size"
    if not identifiable:
        why = "trust the sum, not the split"
    return Status("split of the noise", _word(identifiable and not assumes_one_size, identifiable), why)


def _word(good: bool, fair: bool) -> Word:
    return "good" if good else "fair" if fair else "check"
