"""A fitted model as one record: everything that a prediction needs and a model file holds, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.budget import BudgetParts
from taylor_sensus.model.attenuation import attenuation
from taylor_sensus.model.chunks import in_chunks
from taylor_sensus.model.declared_errors import DefaultErrors, InputErrors
from taylor_sensus.model.ensemble import (
    BY_PROCESS,
    Distribution,
    Ensemble,
    law_voice,
    predicted,
    with_law_answer,
)
from taylor_sensus.model.groups import NO_GROUP, GroupEffect
from taylor_sensus.model.imputation import Imputer
from taylor_sensus.model.law import Law, LawAnswer
from taylor_sensus.model.positive import positive_mean
from taylor_sensus.model.scaling import Scaler
from taylor_sensus.model.sensitivity import sensitivities
from taylor_sensus.model.trend import Trend
from taylor_sensus.model.worse_readings import averaged, with_rows
from taylor_sensus.prediction import Prediction, joined
from taylor_sensus.records import EncodedTable, FitSummary, GroupNames, Query
from taylor_sensus.rows import blocks, spread
from taylor_sensus.settings import Settings

if TYPE_CHECKING:
    from taylor_sensus.tables.columns import Column

Prior = Callable[[Any], np.ndarray]


class Origin(NamedTuple):
    """Where a prediction comes from: who made it, and of what."""

    fitted: FittedModel
    query: Query
    n_jobs: int | None


SLOPE_ROWS = 1000
"""Training rows at which slopes are compared."""


class HeldOut(NamedTuple):
    """The one held-out record: rows as predicted by networks and process that had not seen them, `(rows, targets)`."""

    rows: np.ndarray
    """Places in the training table; -1 for validation rows."""
    fold: np.ndarray
    """Which fold a row was held out in; -1 for validation rows, and where an older model file does not say."""
    y: np.ndarray
    mean: np.ndarray
    feature_variance: np.ndarray
    system_variance: np.ndarray
    epistemic_variance: np.ndarray
    score: np.ndarray
    """Signed errors in predicted standard deviations, as the whole ensemble would make them."""
    group_variance: np.ndarray
    """Between groups, of rows whose group was unseen."""

    @property
    def std(self) -> np.ndarray:
        """Total standard deviation."""
        return np.sqrt(self.feature_variance + self.system_variance + self.epistemic_variance + self.group_variance)

    def in_units(self, scaler: Scaler, first: np.ndarray) -> HeldOut:
        """From scaled units to those of the targets; `first` says where each distinct row stands in the table."""
        unit, center = scaler.target_scale, scaler.target_center
        return self._replace(
            rows=np.where(self.rows >= 0, first[np.maximum(self.rows, 0)], -1),
            y=self.y * unit + center,
            mean=self.mean * unit + center,
            feature_variance=self.feature_variance * unit**2,
            system_variance=self.system_variance * unit**2,
            epistemic_variance=self.epistemic_variance * unit**2,
            group_variance=self.group_variance * unit**2,
        )


@dataclass(frozen=True)
class FittedModel:
    """Networks in scaled units, with what leads from the user's table to them and back."""

    settings: Settings
    columns: tuple[Column, ...]
    target_names: tuple[str, ...]
    one_dimensional: bool
    """Whether y was given as a plain list of numbers."""
    scaler: Scaler
    trend: Trend
    """The prior's mean in scaled units, unless the prior is a function of the user's own."""
    ensemble: Ensemble
    """Networks and process, and what weighs them."""
    default_errors: DefaultErrors
    """Errors that a prediction's rows are taken to have by default."""
    imputer: Imputer
    """Fills missing cells."""
    imputed_scale: float
    """Factor on the variance that filled cells bring."""
    curved: np.ndarray
    """For each encoded feature whether the target's slope changes enough to separate its noise from the system's."""
    held_out: HeldOut
    """What was predicted for training rows by networks that had not seen them."""
    rows: EncodedTable | None
    """The training rows, unless there are very many."""
    fit_summary: FitSummary
    """What `summary()` shows: counts, choices, scores on unseen rows."""
    history: pd.DataFrame
    law: Law | None = None
    """f at exact inputs, where features were read or set with errors."""
    groups: GroupEffect | None = None
    """Differences between groups of rows; None where no groups were given."""
    group_names: GroupNames | None = None
    """What the groups are called."""
    left_out_scores: np.ndarray | None = None
    """Scores like those in `held_out`, by models fitted without the rows, if they were wanted."""

    @property
    def conformal_scores(self) -> np.ndarray:
        """Signed errors of unseen rows in standard deviations, `(rows, targets)`."""
        return self.held_out.score if self.left_out_scores is None else self.left_out_scores

    @property
    def members(self) -> int:
        """Networks in the ensemble."""
        return self.ensemble.members

    def predict(self, query: Query, n_jobs: int | None, index=None) -> Prediction:
        """The prediction for encoded rows."""
        parts = [self._predict(query.take(rows), n_jobs) for rows in blocks(len(query.x))]
        return replace(joined(parts, index), origin=Origin(self, query, n_jobs))

    def _predict(self, query: Query, n_jobs: int | None) -> Prediction:
        scaled, errors = self.inputs(query)
        prior = self.prior(query, scaled)
        target_error = np.broadcast_to(self.default_errors.target, prior.shape)
        if query.y_err is not None:
            declared = (query.y_err / self.scaler.target_scale) ** 2
            target_error = np.where(np.isnan(declared), target_error, declared)
        variance = self.declared_variance(query, scaled.shape)[1]
        voice = law_voice(self.law, scaled, variance, n_jobs)
        found = predicted(self.ensemble, scaled, errors, prior, target_error, n_jobs, voice)
        if self.law is not None:
            found = self._with_worse(self.law, scaled, errors, variance, found, prior, target_error, n_jobs)
            found = self._with_law(self.law, scaled, variance, found)
        found = self._with_groups(self._in_units(found), query)
        return replace(found, mean=positive_mean(found.mean, found.std)) if self.settings.positive else found

    def _with_groups(self, found: Prediction, query: Query) -> Prediction:
        """With the intercepts of known groups, and what is not known of them."""
        groups = self.groups
        if groups is None or not groups.variance.any():
            return found
        code = np.full(len(query.x), NO_GROUP) if query.group is None else query.group
        unit = self.scaler.target_scale
        shape = (lambda a: a[:, 0]) if self.one_dimensional else (lambda a: a)
        moved = found.mean + shape(groups.intercepts(code) * unit)
        return replace(
            found,
            mean=moved,
            group_variance=shape(groups.variances(code) * unit**2),
            group_freedom=float(groups.freedom),
        )

    def _with_worse(
        self, law: Law, scaled: np.ndarray, errors: InputErrors, variance: np.ndarray, found: Distribution,
        prior: np.ndarray, target_error: np.ndarray, n_jobs: int | None,
    ) -> Distribution:  # fmt: skip
        """Where errors are larger than in training, the regression averaged over better readings."""
        rows = np.flatnonzero(law.is_worse(variance))
        if not len(rows):
            return found

        def answer(x: np.ndarray, variance: np.ndarray, share: np.ndarray, known: np.ndarray, *others: np.ndarray):
            points, weight, kept = law.better_readings(x, variance)
            points = points.reshape(-1, x.shape[1])
            each = [np.repeat(part, len(weight), axis=0) for part in (kept, share, known, *others)]
            cells = np.where(law.is_reading, law.in_regression(points, each[0]), each[2])
            errors = InputErrors(each[1], cells.astype(np.float32))
            voice = law_voice(law, points, each[0], 1)
            return averaged(predicted(self.ensemble, points, errors, each[3], each[4], 1, voice), weight)

        parts = tuple(part[rows] for part in (scaled, variance, *errors, prior, np.asarray(target_error)))
        return with_rows(found, rows, in_chunks(answer, parts, n_jobs))

    def _with_law(self, law: Law, scaled: np.ndarray, variance: np.ndarray, found: Distribution) -> Distribution:
        """Where the errors of a row are none, or smaller than those of the training rows, the law answers."""
        share = law.share(variance)
        rows = np.flatnonzero(share > 0)
        if not len(rows):
            return found
        answer: LawAnswer = in_chunks(law.answer, (scaled[rows], variance[rows]), 1)
        return with_law_answer(found, rows, share[rows], answer)

    def prior(self, query: Query, scaled: np.ndarray) -> np.ndarray:
        """The prior's mean in scaled units."""
        if query.prior_mean is not None:
            return self.scaler.targets(query.prior_mean)
        if self.ensemble.combination == BY_PROCESS:
            return np.zeros((len(scaled), len(self.target_names)))
        return self.trend(scaled)

    def inputs(self, query: Query) -> tuple[np.ndarray, InputErrors]:
        """Scaled rows without gaps, and what is known of their errors."""
        scaled, gaps = self.imputer(self.scaler.features(query.x))
        share, variance = self.declared_variance(query, scaled.shape)
        if self.law is not None:
            variance = self.law.in_regression(scaled, variance)
        if gaps is not None:
            share = np.where(gaps > 0, 1.0, share)
            variance = np.where(gaps > 0, self.imputed_scale * gaps, variance)
        return scaled, InputErrors(share.astype(np.float32), variance.astype(np.float32))

    def declared_variance(self, query: Query, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Share of each cell's error that is declared, and its variance, scaled; as in training where not declared."""
        share = np.broadcast_to(self.default_errors.share, shape)
        variance = np.broadcast_to(self.default_errors.share * self.default_errors.variance, shape)
        if query.x_err is None:
            return share, variance
        declared = self.scaler.feature_variances(query.x_err)
        unknown = np.isnan(declared)
        return np.where(unknown, share, 1.0), np.where(unknown, variance, declared)

    def attenuation(self, n_jobs: int | None) -> dict[str, float]:
        """For each column that was read with errors, how much flatter its regression is than the law."""
        if self.law is None or self.law.of_settings or self.rows is None:
            return {}
        scaled = self.imputer(self.scaler.features(spread(self.rows.x, SLOPE_ROWS)))[0]
        ratio = attenuation(self.ensemble, self.law, scaled, n_jobs)
        starts = np.cumsum([0, *(len(c.parts) for c in self.columns)])[:-1]
        read = self.law.is_reading
        return {c.name: float(ratio[at]) for c, at in zip(self.columns, starts, strict=True) if read[at]}

    def budget_parts(self, prediction: Prediction, query: Query, n_jobs: int | None) -> BudgetParts:
        """Where the variance of each row comes from, feature by feature."""
        scaled, errors = self.inputs(query)
        found = sensitivities(self.ensemble, scaled.astype(np.float32), errors, n_jobs)
        noise_scale = self.ensemble.noise_scale
        rows, targets = len(scaled), len(self.target_names)
        variance = found.learned.astype(np.float64) * noise_scale[:, None] + found.declared
        whole = variance.sum(axis=2)
        feature = prediction.feature_variance.reshape(rows, targets)
        variance *= np.divide(feature, whole, out=np.zeros_like(whole), where=whole > 0)[:, :, None]
        gaps = np.isnan(query.x)
        missing = np.einsum("rtf,rf->rt", variance, gaps)
        variance = np.where(gaps[:, None, :], 0.0, variance)
        step = np.where(self.scaler.scale > 0, self.scaler.scale, 1.0)
        slope = found.jacobian * self.scaler.target_scale[:, None] / step * (self.scaler.scale > 0)
        cells = self.declared_variance(query, scaled.shape)[1]  # as declared, whatever the regression makes of it
        std = np.sqrt(found.input_variance * noise_scale.mean() + cells) * step
        starts = np.cumsum([0, *(len(c.parts) for c in self.columns)])[:-1]
        words = np.array([c.categories is not None for c in self.columns])
        declared = prediction.target_error_variance
        target_error = np.zeros((rows, targets)) if declared is None else declared.reshape(rows, targets)
        return BudgetParts(
            columns=tuple(c.name for c in self.columns),
            contribution=np.add.reduceat(variance, starts, axis=2),
            sensitivity=np.where(words, np.nan, slope[:, :, starts]),
            input_std=np.where(words | gaps[:, starts], np.nan, std[:, starts]),
            kind=self._kinds(query, errors)[:, starts],
            system=prediction.system_variance.reshape(rows, targets) - target_error,
            target_error=target_error,
            epistemic=prediction.epistemic_variance.reshape(rows, targets),
            group=None if prediction.group_variance is None else prediction.group_variance.reshape(rows, targets),
            identifiable=self._identifiable(starts) | (self.default_errors.share[starts] > 0.5),
            system_identifiable=self.fit_summary.split_identifiable,
            target_names=self.target_names,
            index=prediction.index,
            trained_on=self._trained_on(query.x),
            missing=missing,
            share_bounds=self._share_bounds(),
            probably_exact=self.fit_summary.probably_exact or {},
            unseen_lacking=self.unseen_lacking,
        )

    def _share_bounds(self) -> np.ndarray | None:
        """As an array; None where the model file is of an earlier version."""
        bounds = self.fit_summary.noise_share_bounds
        return None if bounds is None else np.array(bounds)

    def _identifiable(self, starts: np.ndarray) -> np.ndarray:
        """For each column whether its share of the noise is known to half a unit."""
        bounds = self._share_bounds()
        if bounds is None:
            return np.logical_or.reduceat(self.curved, starts)
        return np.asarray((np.ptp(bounds[:, :-1], axis=2) <= 0.5).all(axis=0))

    @cached_property
    def unseen_lacking(self) -> np.ndarray:
        """For each target the share of the held-out rows' variance that too little data leaves open."""
        total = (self.held_out.std**2).sum(axis=0)
        lacking = self.held_out.epistemic_variance.sum(axis=0)
        return np.divide(lacking, total, out=np.zeros_like(total), where=total > 0)

    def _trained_on(self, x: np.ndarray) -> np.ndarray | None:
        """Whether a training row has the same inputs; None where the model keeps no training rows."""
        if self.rows is None:
            return None
        # In single precision, as folds compare rows, after a power of two that keeps all digits of any unit; adding 0
        # turns -0 into 0.
        power = -np.frexp(self.scaler.scale)[1]
        cells = [np.clip(np.ldexp(rows, power), -1e38, 1e38) for rows in (self.rows.x, x)]
        tables = [pd.DataFrame(part.astype(np.float32) + np.float32(0)) for part in cells]
        seen, queried = (pd.util.hash_pandas_object(table, index=False) for table in tables)
        return np.isin(queried, seen)

    def _kinds(self, query: Query, errors: InputErrors) -> np.ndarray:
        """0 learned, 1 declared, 2 missing, 3 exact, for each cell."""
        known = np.where(errors.declared_variance > 0, errors.declared_share > 0.5, errors.declared_share > 0.999)
        declared = np.where(errors.declared_variance > 0, 1, 3)
        return np.where(np.isnan(query.x), 2, np.where(known, declared, 0)).astype(np.int8)

    def _in_units(self, found: Distribution) -> Prediction:
        unit = self.scaler.target_scale
        shape = (lambda a: a[:, 0]) if self.one_dimensional else (lambda a: a)
        return Prediction(
            mean=shape(found.mean * unit + self.scaler.target_center),
            feature_variance=shape(found.feature_variance * unit**2),
            system_variance=shape(found.system_variance * unit**2),
            epistemic_variance=shape(found.epistemic_variance * unit**2),
            target_error_variance=shape(found.target_error_variance * unit**2),
            familiarity=found.familiarity,
            target_names=self.target_names,
            tails=self.ensemble.tails,
            noise_covariance=None if self.one_dimensional else found.noise_covariance * np.multiply.outer(unit, unit),
        )
