"""Study `declared_errors`: inputs whose errors are known, and two questions to each table.

What is y for another reading like these, and what is the law at exactly known inputs? Real tables have errors that
their authors declare; simulations have a known function. Everything runs on one core.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from paper.data.catalogue import content_sha256
from paper.declared_errors.answers import Answers, Ours, SlopeNoise, learned
from paper.declared_errors.cases import LIMITS, SIMULATED
from paper.declared_errors.methods import COMPARED, DECLARED, SIMEX
from paper.declared_errors.problems import COLOURS, STRETCHES, Problem, by_error, problem
from paper.declared_errors.tables_with_limits import censored_inputs, censored_target
from paper.engine.study import Inputs, Result, Task
from paper.engine.trials import settings_of
from taylor_sensus.prediction import Prediction

DRAWN: dict[str, int] = dict.fromkeys(("reading_wave_120_30", "reading_wave_400_30"), 0)
"""Cases of the figure, and the seed that is drawn."""
DRAWN_METHODS = (DECLARED, SIMEX)
GRID = np.linspace(-3, 3, 121)
WITHIN = 1.645
"""Standard errors within which nine tenths of a normal distribution lie."""
VERSION = 1
"""Of the limits' tables, which come from this file alone."""


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit, ask, score."""
    started = time.process_time()
    if task.dataset in LIMITS:
        judge = censored_inputs if task.dataset == "limits_inputs" else censored_target
        values = judge(task.method, task.seed, quick=task.quick)
        return Result({**values, "cpu_seconds": time.process_time() - started})
    asked = problem(task.dataset, task.seed, task.quick)
    answers = learned(task.method, asked, task.seed, quick=task.quick)
    values: dict[str, Any] = {"train_rows": len(asked.train.y)}
    if asked.new is not None and task.method != SIMEX:
        values |= of_readings(task.dataset, asked, answers)
    if asked.exact is not None:
        values |= of_the_law(task.dataset, asked, answers)
    values["cpu_seconds"] = time.process_time() - started
    return Result(values, _curves(task, answers))


def of_readings(case: str, asked: Problem, answers: Answers) -> dict[str, Any]:
    """Scores of the predictions for rows as they are recorded."""
    assert asked.new is not None
    found, y = answers.readings(asked.new), asked.new.y
    values = scores(found, y)
    if case.startswith("redshifts"):
        inside = _inside(found, y)
        thirds = np.array_split(by_error(asked.new), 3)
        values |= {f"coverage_{word}": float(inside[t].mean()) for word, t in zip(_THIRDS, thirds, strict=True)}
    if asked.std is not None:
        values["rank"] = float(spearmanr(found.std, asked.std).statistic)
    if case == "accelerations" and isinstance(answers, Ours | SlopeNoise):
        left = answers.left_for_the_system(asked.new)
        values["system_noise"] = float(np.sqrt(np.mean(left.system_variance)))
    return values


def of_the_law(case: str, asked: Problem, answers: Answers) -> dict[str, Any]:
    """Scores at exactly known inputs: against measurements, against a known function, or as slopes."""
    assert asked.exact is not None
    found = answers.law(asked.exact)
    if asked.truth is None:
        return slopes(asked.exact, found.mean, answers)
    if case not in SIMULATED:
        return scores(found, asked.truth)
    off, knows = np.abs(found.mean - asked.truth), found.epistemic
    inside = np.mean(off < WITHIN * knows) if np.nanmax(np.append(knows, 0)) > 0 else None
    return {
        "slope": float(np.polyfit(asked.truth, found.mean, 1)[0]),
        "law_rmse": float(np.sqrt(np.mean(off**2))),
        "inside": None if inside is None else float(inside),
    }


def slopes(exact: np.ndarray, mean: np.ndarray, answers: Answers) -> dict[str, Any]:
    """Least-squares lines through what is said of supernovae along colour and stretch, and their standard errors."""
    along = {"beta": (COLOURS, slice(len(COLOURS)), 1), "alpha": (STRETCHES, slice(len(COLOURS), None), -1)}
    found = {name: sign * float(np.polyfit(x, mean[part], 1)[0]) for name, (x, part, sign) in along.items()}
    if isinstance(answers, Ours) and answers.declared:
        unknown = answers.law_covariance(exact)
        for name, (x, part, _) in along.items():
            weight = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
            found[f"{name}_error"] = float(np.sqrt(weight @ unknown[part, part] @ weight))
    return found


def scores(found: Prediction, y: np.ndarray) -> dict[str, Any]:
    """NLL, RMSE and coverage of 90 % intervals; None where a method has no error bars."""
    rmse = float(np.sqrt(np.mean((found.mean - y) ** 2)))
    if np.isnan(found.std).any():
        return {"nll": None, "rmse": rmse, "coverage": None}
    inside = _inside(found, y)
    return {"nll": -float(np.mean(found.logpdf(y))), "rmse": rmse, "coverage": float(inside.mean())}


_THIRDS = ("low", "mid", "high")


def _inside(found: Prediction, y: np.ndarray) -> np.ndarray:
    low, high = found.interval(0.9)
    return (y >= low) & (y <= high)


def _curves(task: Task, answers: Answers) -> dict[str, np.ndarray]:
    """What the figure shows: the law with its error, and the curve through readings."""
    if DRAWN.get(task.dataset) != task.seed or task.method not in DRAWN_METHODS:
        return {}
    law = answers.law(GRID[:, None])
    kept = {"x": GRID, "law": law.mean, "law_std": law.epistemic}
    if isinstance(answers, Ours):
        kept["readings"] = answers.model.predict(GRID[:, None])
    return {name: part.astype(np.float32) for name, part in kept.items()}


def inputs(task: Task) -> Inputs:
    """A hash of the training rows, and the method's settings."""
    base = COMPARED[task.method].base
    settings = {"method": task.method} | ({} if base is None else settings_of(base, task.quick))
    if task.dataset in LIMITS:
        return Inputs(f"{task.dataset} {VERSION} {task.seed}", settings)
    rows = problem(task.dataset, task.seed, task.quick).train
    errors = rows.X_err if rows.covariances is None else rows.covariances.reshape(len(rows.y), -1)
    return Inputs(content_sha256(pd.DataFrame(np.c_[rows.X, errors]), pd.Series(rows.y, name="y")), settings)
