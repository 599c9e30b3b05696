"""From a fitted model and a table to the contents of a report; nothing is drawn or written here."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from taylor_sensus._version import __version__
from taylor_sensus.report.contents import Contents, EvaluatedRows, References, Survey
from taylor_sensus.report.dependence import dependence
from taylor_sensus.report.evidence import held_out_evidence, is_training_table, new_row_evidence
from taylor_sensus.report.references import compare, mean_only
from taylor_sensus.report.survey import survey_rows
from taylor_sensus.report.table import ReportTable, kept_rows, numbers_of, read_data, table_hash
from taylor_sensus.words.format import one_line
from taylor_sensus.words.verdicts import coverage_of
from taylor_sensus.words.warnings import (
    ModelWarning,
    coverage_warnings,
    familiarity_warnings,
    reference_warnings,
    warnings_of,
)

if TYPE_CHECKING:
    from taylor_sensus.fitted import FittedModel
    from taylor_sensus.regressor import TSNetRegressor
    from taylor_sensus.suggest import Suggestions

SUGGESTED = 8
LIBRARIES = ("jax", "numpy", "scipy", "scikit-learn", "pandas", "matplotlib")


def gather(
    model: TSNetRegressor,
    data: Any = None,
    candidates: Any = None,
    *,
    model_name: str = "",
    data_name: str | None = None,
) -> Contents:
    """All that a report holds about ``model``; ``data`` and ``candidates`` may be left out, and with them sections."""
    fitted = model.fitted_
    table = kept_rows(fitted) if data is None else read_data(data, fitted)
    survey = curves = references = ranges = None
    evidence = held_out_evidence(fitted, None)
    if table is not None:
        prediction, survey = survey_rows(model, table)
        ranges = column_ranges(table)
        curves = dependence(model, table.features, survey.budget)
        if is_training_table(table, fitted):
            own = held_out_evidence(fitted, table)
            evidence = new_row_evidence(table, prediction, certain=False) if own is None else own
            references = None if own is None else _references(table, own, model)
        elif table.y is not None:
            evidence = new_row_evidence(table, prediction, certain=True)
            if evidence is not None:
                references = mean_only(fitted.scaler.target_center, evidence)
    return Contents(
        fitted=fitted,
        model_name=model_name,
        data_name=data_name,
        evidence=evidence,
        references=references,
        survey=survey,
        dependence=curves,
        ranges=ranges,
        suggestions=None if candidates is None else _suggestions(model, candidates),
        warnings=all_warnings(fitted, evidence, references, survey),
        made_with=made_with(model, table),
    )


def all_warnings(
    fitted: FittedModel, evidence: EvaluatedRows | None, references: References | None, survey: Survey | None
) -> list[ModelWarning]:
    """What the fit, the measured values, simple methods and the rows of the table give reason to warn of."""
    found, names = warnings_of(fitted), fitted.target_names
    if evidence is not None:
        for at, name in enumerate(names):
            evaluated = evidence.target(at)
            earlier = {(one.code, one.target) for one in found}  # of the same rows, if they are those of the fit
            of_rows = coverage_warnings(name, coverage_of(evaluated.y, evaluated.prediction), "measurements")
            found += [one for one in of_rows if (one.code, one.target) not in earlier]
    if references is not None:
        *others, own = references.methods
        for at, name in enumerate(names):
            best = min(others, key=lambda method: method.rmse[at])
            found += reference_warnings(name, best.name, float(best.rmse[at]), float(own.rmse[at]))
    return found if survey is None else [*found, *familiarity_warnings(survey.familiarity)]


def _references(table: ReportTable, evidence: EvaluatedRows, model: TSNetRegressor) -> References | None:
    """The references on the training rows that were held out; validation rows are not in the table."""
    rows = model.fitted_.held_out.rows
    inside = rows >= 0
    if table.y is None or not inside.any():
        return None
    kept = evidence._replace(y=evidence.y[inside], predictions=tuple(p.take(inside) for p in evidence.predictions))
    return compare(numbers_of(table.features, model.fitted_), table.y, rows[inside], kept, model.n_jobs)


def _suggestions(model: TSNetRegressor, candidates: Any) -> Suggestions:
    """The most informative candidates for the first target."""
    from taylor_sensus.suggest import suggest

    return suggest(model, candidates, SUGGESTED, target=model.fitted_.target_names[0], random_state=0)


def column_ranges(table: ReportTable) -> pd.DataFrame:
    """For each column its smallest, middle and largest number, or its most frequent category, and missing cells."""
    found = []
    for name, cells in table.features.items():
        numbers = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        missing = int(cells.isna().sum())
        if np.isfinite(numbers).any():
            low, middle, high = np.nanquantile(numbers, [0, 0.5, 1])
            found.append((str(name), low, middle, high, missing))
        else:
            found.append((str(name), np.nan, np.nan, np.nan, missing))
    return pd.DataFrame(found, columns=["column", "smallest", "middle", "largest", "missing"]).set_index("column")


def made_with(model: TSNetRegressor, table: ReportTable | None) -> dict[str, str]:
    """Versions, seed and data hash: what is needed to make the same again."""
    found = {"taylor-sensus": __version__, "Python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed as a package"
    state = model.random_state
    found["random_state"] = "not set, or not kept in the model file" if state is None else one_line(state)
    if (seed := model.fitted_.fit_summary.seed) is not None:
        found["seed of the fit"] = str(seed)
    words = "SHA-256 of the table"
    found[words] = "no table was given, and the model keeps none" if table is None else table_hash(table)
    return found
