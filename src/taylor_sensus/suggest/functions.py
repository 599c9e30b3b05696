"""Joint draws of the underlying function over rows: for the error of a slope, a mean or an optimum.

Error bars say how far each row may be off, but not together: if the function is too high at one row, it is so at its
neighbours too. The draws have the epistemic covariance of `covariance`, whose variances are those of the predictions;
the noise of measurements is not in them.
"""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from taylor_sensus.errors import SettingError
from taylor_sensus.model.ensemble import NEVER
from taylor_sensus.model.epistemic import EpistemicParts, component_means, epistemic_parts
from taylor_sensus.records import Query
from taylor_sensus.suggest.covariance import SurveyedRows, epistemic_covariance
from taylor_sensus.suggest.process_view import process_view

if TYPE_CHECKING:
    from taylor_sensus.regressor import TSNetRegressor

MOST_ROWS = 5000
"""Rows that are drawn together at most: their covariance takes 200 MB."""
JITTER = 1e-9
"""Share of the variance that is independent: rows that are equal have a singular covariance."""


def sample_functions(model: TSNetRegressor, X: Any, n: int, random_state: Any) -> np.ndarray:
    """`n` functions at the rows of X, `(n, rows)` or `(n, rows, targets)`, in the targets' units."""
    if not (isinstance(n, Integral) and n >= 0):
        raise SettingError(f"n must be a whole number of functions, not {n!r}")
    fitted = model.fitted_
    x, _ = model._encode(X, fitted.columns)
    if len(x) > MOST_ROWS:
        raise SettingError(f"{len(x):,} rows are too many to draw together; give at most {MOST_ROWS:,}")
    rng = np.random.default_rng(random_state)
    scaled = fitted.inputs(Query(x))[0]
    own = model._own_prior(X, fitted.settings, (len(x), len(fitted.target_names)))
    view = process_view(fitted)
    seen = view.rows(scaled)
    drawn = []
    for target in range(len(fitted.target_names)):
        estimate = _estimate(model, scaled, view.variance(seen), own, target)
        rows = SurveyedRows(scaled, estimate, seen)
        covariance = epistemic_covariance(view, rows, rows)
        covariance[np.diag_indices_from(covariance)] = estimate.variance * (1 + JITTER) + 1e-300
        root = _root(covariance)
        drawn.append(estimate.mean + rng.standard_normal((n, len(x))) @ root.T)
    together = np.stack(drawn, axis=2) * fitted.scaler.target_scale + fitted.scaler.target_center
    return together[:, :, 0] if fitted.one_dimensional else together


def _estimate(
    model: TSNetRegressor, scaled: np.ndarray, process_variance: np.ndarray, own: np.ndarray | None, target: int
) -> EpistemicParts:
    """Mean and epistemic error at rows in scaled units, with the process' own variance beyond the data."""
    fitted = model.fitted_
    share = fitted.ensemble.process_share
    if share is None:
        process_variance = np.zeros_like(process_variance)  # the stand-in only gives correlations
    elif share.usual_odds < NEVER:
        process_variance = process_variance + share.process.beyond(scaled)
    prior = fitted.prior(Query(scaled, prior_mean=own), scaled)
    outputs = component_means(fitted.ensemble, scaled.astype(np.float32), model.n_jobs)
    return epistemic_parts(fitted.ensemble, outputs, process_variance, scaled, prior, target)


def _root(covariance: np.ndarray) -> np.ndarray:
    """A matrix whose product with its transpose is the covariance, even if rounding made it slightly indefinite."""
    try:
        return np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariance)
        return vectors * np.sqrt(np.maximum(values, 0.0))
