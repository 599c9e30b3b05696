"""Which of the candidates are suggested: a quick look at all of them, then a careful choice among a few thousand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from taylor_sensus.errors import DataError
from taylor_sensus.suggest.acquisition import LEARN, Goal, improvement, variance_reduction
from taylor_sensus.suggest.batch import Acquisition, PosteriorCovariance, choose
from taylor_sensus.suggest.candidate_model import CandidateModel, MeasurementNoise
from taylor_sensus.suggest.covariance import SurveyedRows, epistemic_covariance, learning_kernel
from taylor_sensus.suggest.process_view import process_view
from taylor_sensus.suggest.shortlist import ListedCandidates, Shortlist, joined
from taylor_sensus.suggest.space.candidates import CandidateBlock, Candidates, cells
from taylor_sensus.suggest.space.climb import climb
from taylor_sensus.suggest.space.constraints import broken
from taylor_sensus.suggest.space.design_space import DesignSpace
from taylor_sensus.tables.columns import decode

NEAR = 0.1
"""Settings that differ by no more than this in any column, in standard deviations, are in a row's neighbourhood."""
ROOM = 0.01
"""By how much measured rows may break a constraint, in standard deviations of each column, and still be the best."""
QUICK_CENTRES = 256
"""Training rows that the first look takes into account for the variance of the Gaussian process."""
CLIMBERS = 64
"""Settings of a space from which better ones nearby are looked for."""
MOST_NOISE = 4.0
"""How many times more or less than typical the noise of a row may count: it is only known roughly."""


class ChosenBatch(NamedTuple):
    """The suggested settings and what measuring them promises."""

    frame: pd.DataFrame
    place: np.ndarray
    """Where they stand among the candidates."""
    noise: MeasurementNoise
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
        self,
        model: CandidateModel,
        candidates: Candidates,
        goal: Goal,
        pending: pd.DataFrame | None,
        diversity: float,
        rng: np.random.Generator,
    ) -> None:
        self.model, self.candidates, self.diversity, self.rng = model, candidates, diversity, rng
        self.goal = goal._replace(value=model.scaled_target(goal.value))
        self.quick, self.whole = process_view(model.fitted, QUICK_CENTRES), process_view(model.fitted)
        self.share = min(1.0, 2 * float(model.fitted.ensemble.share()[model.target_index]))
        self.pending_frame = pending if pending is not None and len(pending) else None
        self.pending = np.empty((0, len(model.fitted.scaler.scale)))
        if self.pending_frame is not None:
            self.pending = model.scaled(model.encoded(self.pending_frame, "pending"))
        self.best = None if self.goal.kind == LEARN else self._best_known()

    def choose(self, count: int) -> ChosenBatch:
        """The batch. Many small products of matrices: threads would wait for each other more than they work."""
        with threadpool_limits(1, "blas"):
            return self._chosen(count)

    def _chosen(self, count: int) -> ChosenBatch:
        shortlist = Shortlist(self.rng)
        for block in self.candidates.blocks(self.rng):
            shortlist.add(self._looked_at(block))
        if not shortlist.seen:
            raise DataError("all candidates are pending or lie next to pending rows; give others")
        listed, watched = shortlist.choosable(), shortlist.watched()
        if self.best is None and self.goal.kind != LEARN:
            estimate = self._rows(listed.frame).estimate
            self.best = self.goal.best(estimate.mean, estimate.std)
        if self.candidates.space is not None:
            listed = self._climbed(listed, watched, self.candidates.space)
        return self._batch(listed, watched, count, shortlist.seen)

    # --- the first look --------------------------------------------------------------------------------

    def _looked_at(self, block: CandidateBlock) -> ListedCandidates:
        """Candidates of a block that are not pending, with a first score."""
        if not len(block.x):
            return ListedCandidates(block.frame, block.place, np.empty(0))
        scaled = self.model.scaled(block.x)
        far = np.flatnonzero(~self._near_pending(scaled))
        return ListedCandidates(block.frame, block.place, self._first_score(block.frame, scaled)).take(far)

    def _first_score(self, frame: pd.DataFrame, scaled: np.ndarray) -> np.ndarray:
        process = self.quick.variance(self.quick.rows(scaled))
        if self.goal.kind == LEARN and self.share == 1:
            return np.log(process)  # the networks are not needed
        estimate = self.model.survey(frame, scaled, process)
        std = np.sqrt(np.maximum(estimate.variance, 1e-300))
        if self.goal.kind == LEARN:
            return self.share * np.log(process) + (1 - self.share) * 2 * np.log(std)
        return np.log(std) if self.best is None else self.goal.log_ei(estimate.mean, std, self.best)

    def _near_pending(self, scaled: np.ndarray) -> np.ndarray:
        near = np.zeros(len(scaled), bool)
        for row in self.pending:
            near |= neighbours(scaled, row)
        return near

    def _best_known(self) -> float | None:
        """The best underlying value at rows that were measured and meet the constraints, as the model sees it.

        Not the best reading: that is the luckiest one. None if the model does not know its rows, or none will do.
        """
        rows, columns = self.model.fitted.rows, self.model.columns
        if rows is None:
            return None
        frame = decode(rows.x[(rows.weight > 0) & ~np.isnan(rows.x).any(axis=1)], columns)
        rules, space = self.candidates.rules, self.candidates.space
        limits = rules if space is None else space.limits(rules)
        limits = limits._replace(steps={})  # measured rows seldom fit steps
        room = {name: ROOM * std for name, std in self.model.column_stds().items()}
        bad = np.zeros(len(frame), bool)
        for wrong in broken(limits, cells(frame, columns), room).values():
            bad |= wrong
        if bad.all():
            return None
        estimate = self._rows(frame[~bad]).estimate
        return self.goal.best(estimate.mean, estimate.std)

    # --- the careful choice ----------------------------------------------------------------------------

    def _rows(self, frame: pd.DataFrame) -> SurveyedRows:
        scaled = self.model.scaled(self.model.encoded(frame))
        process = self.whole.rows(scaled)
        return SurveyedRows(scaled, self.model.survey(frame, scaled, self.whole.variance(process)), process)

    def _batch(self, listed: ListedCandidates, watched: ListedCandidates, count: int, seen: int) -> ChosenBatch:
        frame = listed.frame if self.pending_frame is None else pd.concat([listed.frame, self.pending_frame])
        rows, stand_ins = self._rows(frame), self._rows(watched.frame)
        noise, own_noise = self.model.noise(watched.frame), self.model.noise(frame).whole
        waiting = np.arange(len(listed.frame), len(frame))
        before = self._covariance(rows, stand_ins, own_noise, float(np.median(noise.whole)))
        for place in waiting.tolist():
            before = before.measured(place)
        group = np.unique(rows.scaled, axis=0, return_inverse=True)[1].ravel()
        allowed = np.arange(len(frame)) < len(listed.frame)

        def near(place: int) -> np.ndarray:
            return neighbours(rows.scaled, rows.scaled[place]) if self.diversity > 0 else ~allowed

        batch = choose(before, self._acquisition(before, rows), count, allowed, group, near)
        places = np.array(batch.places, dtype=int)
        measured = np.append(waiting, places)
        return ChosenBatch(
            listed.frame.iloc[places],
            listed.place[places],
            noise,
            self._left(rows.take(waiting), own_noise[waiting], stand_ins),
            self._left(rows.take(measured), own_noise[measured], stand_ins),
            seen,
        )

    def _covariance(
        self, rows: SurveyedRows, watched: SurveyedRows, noise: np.ndarray, typical: float
    ) -> PosteriorCovariance:
        """As the goal needs it: what rows reveal about others, or how uncertain the underlying values are."""
        if self.goal.kind != LEARN:
            return self._epistemic(rows, watched, noise)
        kernel = learning_kernel(self.whole, self.share, watched)
        among, across = (kernel.covariance(rows, others) for others in (rows, watched))
        return PosteriorCovariance(among, across, kernel.variance(watched), plausible_noise(noise, typical))

    def _epistemic(self, rows: SurveyedRows, watched: SurveyedRows, noise: np.ndarray) -> PosteriorCovariance:
        among, across = (epistemic_covariance(self.whole, rows, others) for others in (rows, watched))
        return PosteriorCovariance(among, across, watched.estimate.variance, noise)

    def _acquisition(self, before: PosteriorCovariance, rows: SurveyedRows) -> Acquisition:
        if self.goal.kind == LEARN:
            return variance_reduction(before, self.diversity)
        assert self.best is not None
        return improvement(before, rows.estimate.mean, self.goal, self.best, self.diversity)

    def _left(self, rows: SurveyedRows, noise: np.ndarray, watched: SurveyedRows) -> np.ndarray:
        """Epistemic variance at watched rows when some others have been measured."""
        left = self._epistemic(rows, watched, noise)
        for place in range(len(noise)):
            left = left.measured(place)
        return left.variance

    def _climbed(self, listed: ListedCandidates, watched: ListedCandidates, space: DesignSpace) -> ListedCandidates:
        """With better settings from near the best of the list: a space has more than were drawn."""
        stand_ins = self._rows(watched.frame)
        kernel = learning_kernel(self.whole, self.share, stand_ins)
        noise = float(np.median(self.model.noise(watched.frame).whole))  # it hardly differs between neighbours

        def score(frame: pd.DataFrame) -> np.ndarray:
            rows = self._rows(frame)
            if self.goal.kind == LEARN:
                explained = (kernel.covariance(rows, stand_ins) ** 2).mean(axis=1)
                found = np.log(np.maximum(explained / np.maximum(kernel.variance(rows) + noise, 1e-300), 1e-300))
            else:
                assert self.best is not None
                found = self.goal.log_ei(rows.estimate.mean, rows.estimate.std, self.best)
            return np.where(self._near_pending(rows.scaled), -np.inf, found)

        start = np.argsort(-listed.log_score, kind="stable")[: 8 * CLIMBERS : 8]
        better = climb(listed.frame.iloc[start], score, space, self.rng)
        return joined(listed, ListedCandidates(better.frame, np.full(len(better.frame), -1), better.score))


def neighbours(scaled: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Which rows lie in the neighbourhood of a row."""
    return np.less_equal(np.abs(scaled - row).max(axis=1), NEAR)


def plausible_noise(noise: np.ndarray, typical: float) -> np.ndarray:
    """Noise variances, not too far from the typical one."""
    return np.clip(noise, typical / MOST_NOISE, typical * MOST_NOISE)
