"""Which trials are made, which are given up, and which is the best.

The first trial has the estimator's own settings. Then come rounds of trials, each of which changes a few settings of
the best trial of the earlier rounds. A trial is evaluated on two folds first; if it loses on both to the best trial of
the earlier rounds it is given up, else it goes on to the other folds. All decisions rest on finished rounds only, so
the outcome is the same whatever `n_jobs`, and the same when a search was stopped and went on with its journal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.search.evaluation import Evaluator, Trial

ROUND = 4
"""Trials in a round."""
FIRST_FOLDS = 2
"""Folds on which a trial must not always lose."""
FINISHED, GIVEN_UP, OUT_OF_TIME = "finished", "given up", "out of time"


class Outcome(NamedTuple):
    """What became of each trial that was begun, and the best of those that were finished."""

    states: dict[Trial, str]
    best: Trial


def run_rounds(evaluator: Evaluator, *, trials: int, seed: int, notify: Callable[[str], None]) -> Outcome:
    """Make trials until there are enough, no time or nothing to try is left; `notify` gets a line for each."""
    best = Trial(0, evaluator.options.own)
    evaluator.evaluate([best], evaluator.folds)
    notify(_line(evaluator, best, FINISHED))
    states = {best: FINISHED}
    while True:
        rng = np.random.default_rng([seed, len(states)])
        known = {trial.choice for trial in states}
        choices = evaluator.options.draw(min(ROUND, trials - len(states)), near=best.choice, known=known, rng=rng)
        begun = [Trial(len(states) + i, choice) for i, choice in enumerate(choices)]
        evaluator.evaluate(begun, range(FIRST_FOLDS))
        losers = {trial for trial in begun if _always_loses(evaluator, trial, best)}
        evaluator.evaluate([trial for trial in begun if trial not in losers], evaluator.folds)
        now = {trial: _state(evaluator, trial, trial in losers) for trial in begun if evaluator.folds_of(trial)}
        for trial, state in now.items():
            notify(_line(evaluator, trial, state))
        states |= now
        best = min([best, *(t for t in now if now[t] == FINISHED)], key=evaluator.mean)  # the earliest if equal
        if len(now) < ROUND or OUT_OF_TIME in now.values():
            return Outcome(states, best)


def results(evaluator: Evaluator, states: dict[Trial, str]) -> pd.DataFrame:
    """One line a trial."""
    return pd.DataFrame([_result(evaluator, trial, state) for trial, state in states.items()])


def _result(evaluator: Evaluator, trial: Trial, state: str) -> dict[str, Any]:
    known = evaluator.folds_of(trial)
    return {
        "trial": trial.number,
        "state": state,
        "score": evaluator.mean(trial) if state == FINISHED else np.nan,
        **{f"fold_{fold + 1}": known[fold].score if fold in known else np.nan for fold in evaluator.folds},
        "seconds": sum(fold_score.seconds for fold_score in known.values()),
        **evaluator.options.settings(trial.choice),
    }


def _always_loses(evaluator: Evaluator, trial: Trial, best: Trial) -> bool:
    known, to_beat = evaluator.folds_of(trial), evaluator.folds_of(best)
    return all(fold in known and known[fold].score > to_beat[fold].score for fold in range(FIRST_FOLDS))


def _state(evaluator: Evaluator, trial: Trial, loses: bool) -> str:
    return FINISHED if len(evaluator.folds_of(trial)) == len(evaluator.folds) else GIVEN_UP if loses else OUT_OF_TIME


def _line(evaluator: Evaluator, trial: Trial, state: str) -> str:
    """What became of a trial, for a reader."""
    count = len(evaluator.folds_of(trial))
    result = f"{evaluator.scoring} {evaluator.mean(trial):.4f}" if state == FINISHED else f"after {count} folds"
    named = ", ".join(f"{name}={value}" for name, value in evaluator.options.changes(trial.choice).items())
    return f"trial {trial.number}: {state}, {result} ({named or 'own settings'})"
