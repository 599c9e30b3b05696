"""Fits and scores, one fold of one trial at a time, in parallel if wanted."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from taylor_sensus.distributed.workers import DaskWorkers
from taylor_sensus.prediction import Prediction
from taylor_sensus.regressor import TSNetRegressor
from taylor_sensus.search.folds import FoldedRows
from taylor_sensus.search.journal import FoldScore, Journal
from taylor_sensus.search.space import Choice, Options

SCORES: dict[str, Callable[[np.ndarray, Prediction], np.ndarray]] = {
    "nll": lambda y, prediction: -prediction.logpdf(y),
    "crps": lambda y, prediction: prediction.crps(y),
    "mse": lambda y, prediction: (y - prediction.mean) ** 2,
    "mae": lambda y, prediction: np.abs(y - prediction.mean),
}
"""What a search can make small, row by row."""


class Trial(NamedTuple):
    """Settings to try."""

    number: int
    choice: Choice


@dataclass(frozen=True)
class Evaluator:
    """Evaluates trials fold by fold (cross-validation), and keeps their scores."""

    start: TSNetRegressor
    options: Options
    rows: FoldedRows
    scoring: str
    journal: Journal
    n_jobs: int | None
    workers: DaskWorkers | None
    """Who fits; None: processes of this machine."""
    end: float
    """When no fold may be begun any more, except those of the first trial."""

    @property
    def folds(self) -> range:
        """Numbers of the folds, from 0."""
        return range(len(self.rows.folds))

    def evaluate(self, trials: Iterable[Trial], folds: Iterable[int]) -> None:
        """Evaluate trials on those of some folds that have no score yet, as far as the time allows."""
        missing = [(t, fold) for t in trials for fold in folds if (t.choice, fold) not in self.journal.scores]
        in_time = itertools.takewhile(lambda task: task[0].number == 0 or time.monotonic() < self.end, missing)
        here = self.n_jobs is None and self.workers is None
        start = self.start if here else clone(self.start).set_params(n_jobs=1)
        tasks = ((t, self.options.applied(start, t.choice), fold, self.scoring) for t, fold in in_time)
        for trial, fold, fold_score in self._results(tasks):
            settings = self.options.settings(trial.choice)
            self.journal.add(trial.choice, fold, fold_score, trial=trial.number, settings=settings)

    def _results(self, tasks: Iterable[tuple[Trial, TSNetRegressor, int, str]]) -> Iterable[Any]:
        """Of `evaluate_fold`, as they come."""
        if self.workers is not None:
            most = self.workers.threads()
            return (found for _, found in self.workers.results(evaluate_fold, (self.rows,), enumerate(tasks), most))
        pool = Parallel(n_jobs=self.n_jobs or 1, return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1)
        return pool(delayed(evaluate_fold)(self.rows, *task) for task in tasks)

    def folds_of(self, trial: Trial) -> dict[int, FoldScore]:
        """What is known of a trial."""
        known = self.journal.scores
        return {fold: known[trial.choice, fold] for fold in self.folds if (trial.choice, fold) in known}

    def mean(self, trial: Trial) -> float:
        """Mean score over the folds."""
        return float(np.mean([fold_score.score for fold_score in self.folds_of(trial).values()]))


def evaluate_fold(
    rows: FoldedRows, trial: Trial, estimator: TSNetRegressor, number: int, scoring: str
) -> tuple[Trial, int, FoldScore]:
    """Fit without a fold and score the predictions for it."""
    began = time.perf_counter()
    fold = rows.folds[number]
    X, y, weight = rows.pick(fold.train)
    estimator.set_params(verbose=False).fit(X, y, weight, groups=rows.groups_at(fold.train))
    X, y, weight = rows.pick(fold.held_out)
    prediction = estimator.predict_distribution(X)
    mean, std = prediction.mean, prediction.std
    sound = np.isfinite(mean).all() and np.isfinite(std).all() and (std > 0).all()
    score = weighted_score(scoring, y, prediction, weight) if sound else math.inf
    return trial, number, FoldScore(score, time.perf_counter() - began)


def weighted_score(scoring: str, y: np.ndarray, prediction: Prediction, weight: np.ndarray) -> float:
    """A score in which a row of weight two counts like two rows."""
    values = SCORES[scoring](np.reshape(y, prediction.mean.shape), prediction)
    return float(np.average(values.reshape(len(weight), -1).mean(axis=1), weights=weight))
