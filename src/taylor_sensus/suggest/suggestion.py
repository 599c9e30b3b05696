"""What to measure next, from the user's question to the form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from taylor_sensus.errors import SettingError
from taylor_sensus.suggest.acquisition import Goal, read_goal
from taylor_sensus.suggest.advice import advise
from taylor_sensus.suggest.candidate_model import CandidateModel
from taylor_sensus.suggest.choosing import Chooser, ChosenBatch
from taylor_sensus.suggest.form import Outlook, Suggestions, form_names
from taylor_sensus.suggest.space.candidates import read_candidates, settings_table
from taylor_sensus.suggest.space.constraints import is_number
from taylor_sensus.suggest.training_ranges import with_training_ranges
from taylor_sensus.tables.columns import as_frame
from taylor_sensus.tables.row_names import row_labels

if TYPE_CHECKING:
    from taylor_sensus.regressor import TSNetRegressor

MOST = 1000
"""Suggestions at a time."""


def suggest(
    model: TSNetRegressor,
    candidates: Any = None,
    n: int = 8,
    goal: Any = "learn",
    *,
    target: str | None = None,
    bounds: Mapping[str, Any] | None = None,
    constraints: Iterable[Mapping[str, Any]] | Mapping[str, Any] = (),
    pending: Any = None,
    diversity: float = 1.0,
    random_state: Any = None,
) -> Suggestions:
    """Which rows to measure next, and why.

    Parameters
    ----------
    model : TSNetRegressor
        Fitted.
    candidates : DataFrame, array-like or dict, optional
        A table of rows to choose from, or a space: a dictionary by column of ``(low, high)`` for numbers, a list of
        levels or categories, or one fixed value.
    n : int, default=8
        How many rows are wanted, 1000 at most.
    goal : {"learn", "max", "min"} or ("target", value), default="learn"
        "learn": rows that lower the model's epistemic error at all candidates most. "max", "min" or
        ``("target", value)``: rows that may have a higher or lower underlying value than the best so far, or one
        nearer to the value.
    target : str, optional
        Which target is meant, if the model has several.
    bounds : dict, optional
        A space, if there are no candidates; columns that are not named go from the smallest to the largest value of
        the training rows. With a table of candidates ``(low, high)`` by column.
    constraints : list of dict, optional
        What every suggestion meets; see `taylor_sensus.suggest.space.constraints`.
    pending : Suggestions, DataFrame or array-like, optional
        Rows that are being measured already: neither they nor their neighbourhood are suggested.
    diversity : float, default=1.0
        How much each suggestion takes the others of the batch into account: 1 as if measured, 0 not at all.
    random_state : int, RandomState or None, default=None
        The same integer gives the same suggestions.

    Returns
    -------
    Suggestions
        The form to fill in, with what measuring the batch promises.
    """
    check_is_fitted(model, "fitted_")
    _check(n, diversity)
    wanted = read_goal(goal)
    candidate_model = CandidateModel(model, target)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    if isinstance(pending, Suggestions):
        pending = pending.table
    waiting = None if pending is None else settings_table(pending, candidate_model.columns, "pending")
    wanted_rules: list[Any] = [constraints] if isinstance(constraints, Mapping) else list(constraints)
    ranges = ""
    if candidates is None:
        bounds, ranges = with_training_ranges(bounds, wanted_rules, candidate_model.fitted)
    source = read_candidates(candidates, bounds, wanted_rules, candidate_model.columns, candidate_model.encoded, rng)
    chosen = Chooser(candidate_model, source, wanted, waiting, float(diversity), rng).choose(int(n))
    from_table = source.space is None
    labels = _labels(candidates, chosen.place) if from_table else None
    return _form(candidate_model, chosen, wanted, n, labels, from_table, ranges)


def _check(n: Any, diversity: Any) -> None:
    problems = []
    if not isinstance(n, Integral) or isinstance(n, bool) or not 1 <= int(n) <= MOST:
        problems.append(f"n must be a whole number from 1 to {MOST}, not {n!r}")
    if not (is_number(diversity) and diversity >= 0):
        problems.append(f"diversity must be a number not below 0, not {diversity!r}")
    if problems:
        raise SettingError("; ".join(problems))


def _labels(candidates: Any, place: np.ndarray) -> np.ndarray | None:
    """The names of the chosen rows, if the table has any: labels, or where they stand in a file."""
    frame = as_frame(candidates)
    labels = None if frame is None else row_labels(frame.index, place)
    return None if labels is None else np.array(labels, dtype=object)


def _form(
    model: CandidateModel, chosen: ChosenBatch, goal: Goal, n: int, labels: np.ndarray | None, from_table: bool,
    ranges: str,
) -> Suggestions:  # fmt: skip
    settings = chosen.frame.reset_index(drop=True)
    names = form_names([*settings.columns, *model.fitted.target_names])
    prediction = model.prediction(settings)
    own = prediction.target(model.target)
    advice = advise(prediction.noise_budget(), model.target)
    columns: dict[str, Any] = {names.id: _ids(model, len(settings))}
    if labels is not None:
        columns[names.candidate] = labels
    columns |= {str(name): settings[name] for name in settings.columns}
    columns |= {names.mean: own.mean, names.std: own.std, names.source: advice.source, names.advice: advice.advice}
    columns |= {name: np.full(len(settings), np.nan) for name in model.fitted.target_names}
    columns[names.status] = np.full(len(settings), "", dtype=object)
    few = f"Only {len(settings)} different candidates are left to choose from; {n} were requested."
    note = " ".join(filter(None, [ranges, few if len(settings) < n else ""]))
    return Suggestions(
        table=pd.DataFrame(columns),
        goal=str(goal),
        target=model.target,
        outlook=_outlook(model, chosen),
        positions=chosen.place if from_table else None,
        candidates=chosen.seen,
        note=note,
    )


def _ids(model: CandidateModel, count: int) -> list[str]:
    """Names that the next round will not use again: how many rows the model knows, and a number."""
    rows = model.fitted.fit_summary.rows
    return [f"r{rows}-{number:0{max(2, len(str(count)))}d}" for number in range(1, count + 1)]


def _outlook(model: CandidateModel, chosen: ChosenBatch) -> Outlook:
    def median(variance: np.ndarray) -> float:
        return float(np.median(np.sqrt(variance))) * model.unit

    share = np.divide(chosen.after, chosen.before, out=np.ones_like(chosen.after), where=chosen.before > 0)
    return Outlook(
        median_std=median(chosen.noise.now + chosen.before),
        expected_median_std=median(chosen.noise.when_left(share) + chosen.after),
        noise=median(chosen.noise.whole),
    )
