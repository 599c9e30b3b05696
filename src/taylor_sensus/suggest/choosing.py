"""Which of the candidates are suggested: a quick look at all of them, then a careful choice among a few thousand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError
from taylor_sensus.suggest.asking import Asker, Noise
from taylor_sensus.suggest.batch import Ignorance, Wanted, choose
from taylor_sensus.suggest.candidates import Block, Candidates, columns_of
from taylor_sensus.suggest.constraints import roughly_met
from taylor_sensus.suggest.goals import LEARN, Goal, wanted_to_improve, wanted_to_learn
from taylor_sensus.suggest.ignorance import Rows, epistemic_covariance, teaching, within_reason
from taylor_sensus.suggest.process_view import quick_view, whole_view
from taylor_sensus.suggest.shortlist import Listed, Shortlist

NEAR = 0.1
"""Settings that differ by no more than this in any column, in standard deviations, are in a row's neighbourhood."""
ROOM = 0.01
"""By how much measured rows may break a constraint, in standard deviations of each column, and still be the best."""
QUICK_CENTRES = 256
"""Training rows that the first look takes into account for the variance of the kernel part."""
CLIMBERS, TRIES, ROUNDS = 64, 8, 12
"""Settings of a space from which better ones nearby are looked for, how many at a time, and how often."""


class Chosen(NamedTuple):
    """The suggested settings and what measuring them promises."""

    frame: pd.DataFrame
    place: np.ndarray
    """Where they stand among the candidates."""
    noise: Noise
    """At the watched candidates."""
    before: np.ndarray
    """Epistemic variance at the watched candidates, in scaled units, now ..."""
    after: np.ndarray
    """... and when the batch has been measured."""
    seen: int
    """Candidates that there were."""


class Chooser:
    """Chooses for one goal."""

    def __init__(
        self, asker: Asker, candidates: Candidates, goal: Goal, pending: pd.DataFrame | None, diversity: float,
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        self.asker, self.candidates, self.diversity, self.rng = asker, candidates, diversity, rng
        self.goal = goal._replace(value=asker.scaled_target(goal.value))
        self.quick, self.whole = quick_view(asker.fitted, QUICK_CENTRES), whole_view(asker.fitted)
        support = asker.fitted.support
        self.share = 0.0 if support is None else min(1.0, 2 * float(support.share[asker.place]))
        self.pending = None
        if pending is not None and len(pending):
            self.pending = asker.scaled(asker.encoded(pending, "pending"))
            self.pending_frame = pending
        self.best = None if self.goal.kind == LEARN else self._best_known()

    def choose(self, count: int) -> Chosen:
        """The batch."""
        shortlist = Shortlist(self.rng)
        for block in self.candidates.blocks(self.rng):
            shortlist.add(self._looked_at(block))
        if not shortlist.seen:
            raise DataError("all candidates are pending or lie next to pending rows; give others")
        listed, watched = shortlist.choosable(), shortlist.watched()
        if self.best is None and self.goal.kind != LEARN:
            survey = self._rows(listed.frame).survey
            self.best = self.goal.best(survey.mean, np.sqrt(survey.variance))
        if self.candidates.space is not None:
            listed = self._climbed(listed, watched)
        return self._batch(listed, watched, count, shortlist.seen)

    # --- the first look --------------------------------------------------------------------------------

    def _looked_at(self, block: Block) -> Listed:
        """Candidates of a block that are not pending, with a first score."""
        if not len(block.x):
            return Listed(block.frame, block.place, np.empty(0))
        scaled = self.asker.scaled(block.x)
        far = np.flatnonzero(~self._near_pending(scaled))
        return Listed(block.frame, block.place, self._first_score(block.frame, scaled)).some(far)

    def _first_score(self, frame: pd.DataFrame, scaled: np.ndarray) -> np.ndarray:
        if self.goal.kind == LEARN and self.share == 1:
            return np.log(self.quick.variance(scaled))  # the networks are not asked
        survey = self.asker.survey(frame, scaled, self.quick)
        std = np.sqrt(np.maximum(survey.variance, 1e-300))
        if self.goal.kind == LEARN:
            return self.share * np.log(self.quick.variance(scaled)) + (1 - self.share) * 2 * np.log(std)
        return np.log(std) if self.best is None else self.goal.log_hope(survey.mean, std, self.best)

    def _near_pending(self, scaled: np.ndarray) -> np.ndarray:
        near = np.zeros(len(scaled), bool)
        for row in [] if self.pending is None else self.pending:
            near |= neighbours(scaled, row)
        return near

    def _best_known(self) -> float | None:
        """The best underlying value at rows that were measured and meet the constraints, as the model sees it.

        Not the best reading: that is the luckiest one. None if the model does not know its rows, or none will do.
        """
        rows = self.asker.fitted.rows
        if rows is None:
            return None
        frame = decoded(rows.x[(rows.weight > 0) & ~np.isnan(rows.x).any(axis=1)], self.asker)
        rules, space = self.candidates.rules, self.candidates.space
        limits = rules if space is None else space.limits(rules)
        frame = frame[roughly_met(limits, columns_of(frame, self.asker), self.asker.room(ROOM))]
        if not len(frame):
            return None
        survey = self._rows(frame).survey
        return self.goal.best(survey.mean, np.sqrt(survey.variance))

    # --- the careful choice ----------------------------------------------------------------------------

    def _rows(self, frame: pd.DataFrame) -> Rows:
        scaled = self.asker.scaled(self.asker.encoded(frame, "candidates"))
        return Rows(scaled, self.asker.survey(frame, scaled, self.whole), self.whole.seen(scaled))

    def _noise(self, frame: pd.DataFrame) -> Noise:
        return self.asker.noise(self.asker.prediction(frame))

    def _batch(self, listed: Listed, watched: Listed, count: int, seen: int) -> Chosen:
        frame = listed.frame
        if self.pending is not None:
            frame = pd.concat([frame, self.pending_frame])
        rows, stand_ins = self._rows(frame), self._rows(watched.frame)
        noise, own_noise = self._noise(watched.frame), self._noise(frame).whole
        waiting = np.arange(len(listed.frame), len(frame))
        before = self._ignorance(rows, stand_ins, own_noise, float(np.median(noise.whole)))
        for place in waiting.tolist():
            before = before.measured(place)
        twins = np.unique(rows.scaled, axis=0, return_inverse=True)[1].ravel()
        allowed = np.arange(len(frame)) < len(listed.frame)

        def near(place: int) -> np.ndarray:
            return neighbours(rows.scaled, rows.scaled[place]) if self.diversity > 0 else ~allowed

        batch = choose(before, self._wanted(before, rows), count, allowed, twins, near)
        places = np.array(batch.places, dtype=int)
        return Chosen(
            listed.frame.iloc[places],
            listed.place[places],
            noise,
            self._left(rows.some(waiting), own_noise[waiting], stand_ins),
            self._left(rows.some(np.append(waiting, places)), own_noise[np.append(waiting, places)], stand_ins),
            seen,
        )

    def _ignorance(self, rows: Rows, watched: Rows, noise: np.ndarray, typical: float) -> Ignorance:
        """As the goal needs it: what rows teach about others, or how uncertain the underlying values are."""
        if self.goal.kind != LEARN:
            among, beside = (epistemic_covariance(self.whole, rows, others) for others in (rows, watched))
            return Ignorance(among, beside, watched.survey.variance, noise)
        taught = teaching(self.whole, self.share, watched)
        among, beside = (taught.covariance(rows, others) for others in (rows, watched))
        return Ignorance(among, beside, taught.variance(watched), within_reason(noise, typical))

    def _wanted(self, before: Ignorance, rows: Rows) -> Wanted:
        if self.goal.kind == LEARN:
            return wanted_to_learn(before, self.diversity)
        assert self.best is not None
        return wanted_to_improve(before, rows.survey.mean, self.goal, self.best, self.diversity)

    def _left(self, rows: Rows, noise: np.ndarray, watched: Rows) -> np.ndarray:
        """Epistemic variance at watched rows when some others have been measured."""
        among, beside = (epistemic_covariance(self.whole, rows, others) for others in (rows, watched))
        left = Ignorance(among, beside, watched.survey.variance, noise)
        for place in range(len(noise)):
            left = left.measured(place)
        return left.variance

    def _climbed(self, listed: Listed, watched: Listed) -> Listed:
        """With better settings from near the best of the list: a space has more than were drawn."""
        space = self.candidates.space
        assert space is not None
        stand_ins = self._rows(watched.frame)
        taught = teaching(self.whole, self.share, stand_ins)
        noise = float(np.median(self._noise(watched.frame).whole))  # it hardly differs between neighbours

        def score(frame: pd.DataFrame) -> np.ndarray:
            rows = self._rows(frame)
            if self.goal.kind == LEARN:
                told = (taught.covariance(rows, stand_ins) ** 2).mean(axis=1)
                found = np.log(np.maximum(told / np.maximum(taught.variance(rows) + noise, 1e-300), 1e-300))
            else:
                assert self.best is not None
                found = self.goal.log_hope(rows.survey.mean, np.sqrt(rows.survey.variance), self.best)
            return np.where(self._near_pending(rows.scaled), -np.inf, found)

        first = np.argsort(-listed.log_score, kind="stable")[: 8 * CLIMBERS : 8]
        current = listed.frame.iloc[first].reset_index(drop=True)
        height = score(current)
        for share in np.geomspace(0.3, 0.01, ROUNDS):
            tried = space.near(pd.concat([current] * TRIES, ignore_index=True), self.rng, share)
            heights = score(tried).reshape(TRIES, len(current))
            best, columns = heights.argmax(axis=0), np.arange(len(current))
            better = heights[best, columns] > height
            height = np.where(better, heights[best, columns], height)
            source = np.where(better, len(current) + best * len(current) + columns, columns)
            current = pd.concat([current, tried], ignore_index=True).iloc[source].reset_index(drop=True)
        return Listed(
            pd.concat([listed.frame, current], ignore_index=True),
            np.concatenate([listed.place, np.full(len(current), -1)]),
            np.concatenate([listed.log_score, height]),
        )


def neighbours(scaled: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Which rows lie in the neighbourhood of a row."""
    return np.less_equal(np.abs(scaled - row).max(axis=1), NEAR)


def decoded(x: np.ndarray, asker: Asker) -> pd.DataFrame:
    """Encoded rows as settings."""
    found, start = {}, 0
    for column in asker.columns:
        part = x[:, start : start + len(column.parts)]
        start += len(column.parts)
        if column.categories is None:
            found[column.name] = part[:, 0]
        else:
            found[column.name] = np.array(column.categories, dtype=object)[part.argmax(axis=1)]
    return pd.DataFrame(found)
