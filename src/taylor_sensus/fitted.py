"""A fitted model as one record: everything that a prediction needs and a model file holds, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit

from taylor_sensus.budget import BudgetParts
from taylor_sensus.fit.declared_errors import InputErrors, UsualErrors
from taylor_sensus.fit.inference import MemberEstimates, member_estimates, sensitivities
from taylor_sensus.fit.process import Support
from taylor_sensus.model.combine import combine
from taylor_sensus.model.density import DensityPerception
from taylor_sensus.model.imputation import Imputer
from taylor_sensus.model.repeats import Repeats
from taylor_sensus.model.scaling import Scaler
from taylor_sensus.model.taylor_block import DeepTaylorBlock
from taylor_sensus.model.trend import Trend
from taylor_sensus.prediction import Prediction, joined
from taylor_sensus.records import FitSummary
from taylor_sensus.rows import blocks
from taylor_sensus.settings import Settings
from taylor_sensus.tables.columns import Column

Prior = Callable[[Any], np.ndarray]


@dataclass(frozen=True)
class Familiar:
    """Constants that turn a perception's log-density into a familiarity, one pair a perception."""

    level: np.ndarray
    spread: np.ndarray

    def __call__(self, log_attention: np.ndarray) -> np.ndarray:
        """Familiarity of each row, averaged over the perceptions; see `model.density.familiarity`."""
        return expit((log_attention - self.level[:, None]) / self.spread[:, None]).mean(axis=0)


class EncodedTable(NamedTuple):
    """Rows as numbers in the user's units; `prior_mean` only if the prior is a function of the user's own."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    prior_mean: np.ndarray | None = None
    x_err: np.ndarray | None = None
    """Declared standard deviations of the features; not a number where unknown. So with `y_err`."""
    y_err: np.ndarray | None = None


class Asked(NamedTuple):
    """Encoded rows to predict, in the user's units; gaps are not a number."""

    x: np.ndarray
    prior_mean: np.ndarray | None = None
    """If the prior is a function of the user's own."""
    x_err: np.ndarray | None = None
    """Standard deviations; not a number where the noise is as in training."""
    y_err: np.ndarray | None = None

    def some(self, rows: slice) -> Asked:
        """These rows only."""
        prior_mean, x_err, y_err = (None if part is None else part[rows] for part in self[1:])
        return Asked(self.x[rows], prior_mean, x_err, y_err)


class Origin(NamedTuple):
    """Where a prediction comes from: who made it, and of what."""

    fitted: FittedModel
    asked: Asked
    n_jobs: int | None


class HeldOut(NamedTuple):
    """Rows that were predicted by networks that had not seen them, in the targets' units, `(rows, targets)`."""

    rows: np.ndarray
    """Places in the training table; -1 for validation rows."""
    mean: np.ndarray
    std: np.ndarray
    y: np.ndarray
    error: np.ndarray
    """Absolute errors in predicted standard deviations, as the whole ensemble would make them."""


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
    prior_variance: np.ndarray
    blocks: DeepTaylorBlock
    densities: DensityPerception
    support: Support | None
    """The kernel part of the mean."""
    familiar: Familiar
    noise_scale: np.ndarray
    """Factor on the noise variance of each target, from rows that the members had not seen."""
    usual: UsualErrors
    """Errors that a prediction's rows are taken to have unless told otherwise."""
    imputer: Imputer
    """Fills missing cells."""
    imputed_scale: float
    """Factor on the variance that filled cells bring."""
    repeats: Repeats | None
    """Inputs that were measured, if measuring again is known to give much the same."""
    curved: np.ndarray
    """For each encoded feature whether the target's slope in it changes enough to tell its noise from the system's."""
    held_out: HeldOut
    """What was predicted for training rows by networks that had not seen them."""
    rows: EncodedTable | None
    """The training rows, unless there are very many."""
    fit_summary: FitSummary
    """What `summary()` tells: counts, choices, scores on unseen rows."""
    history: pd.DataFrame
    left_out_error: np.ndarray | None = None
    """Errors like those in `held_out`, by models fitted without the rows; made when first needed."""

    @property
    def members(self) -> int:
        """Networks in the ensemble."""
        return len(self.blocks.system_noise_net.level.value)

    def predict(self, asked: Asked, n_jobs: int | None, index=None) -> Prediction:
        """The prediction for encoded rows."""
        parts = [self._predict(asked.some(rows), n_jobs) for rows in blocks(len(asked.x))]
        return replace(joined(parts, index), origin=Origin(self, asked, n_jobs))

    def _predict(self, asked: Asked, n_jobs: int | None) -> Prediction:
        scaled, errors = self.inputs(asked)
        estimates = member_estimates(
            self.blocks, self.densities, self.support, scaled.astype(np.float32), errors, n_jobs
        )
        prior = self.trend(scaled) if asked.prior_mean is None else self.scaler.targets(asked.prior_mean)
        target_error = np.broadcast_to(self.usual.target, prior.shape)
        if asked.y_err is not None:
            told = (asked.y_err / self.scaler.target_scale) ** 2
            target_error = np.where(np.isnan(told), target_error, told)
        return self._in_target_units(estimates, prior, scaled, target_error)

    def inputs(self, asked: Asked) -> tuple[np.ndarray, InputErrors]:
        """Scaled rows without gaps, and what is known of their errors."""
        scaled, gaps = self.imputer(self.scaler.features(asked.x))
        known = np.broadcast_to(self.usual.share, scaled.shape)
        variance = np.broadcast_to(self.usual.share * self.usual.variance, scaled.shape)
        if asked.x_err is not None:
            told = self.scaler.feature_variances(asked.x_err)
            known, variance = np.where(np.isnan(told), known, 1.0), np.where(np.isnan(told), variance, told)
        if gaps is not None:
            known = np.where(gaps > 0, 1.0, known)
            variance = np.where(gaps > 0, self.imputed_scale * gaps, variance)
        return scaled, InputErrors(known.astype(np.float32), variance.astype(np.float32))

    def budget_parts(self, prediction: Prediction, asked: Asked, n_jobs: int | None) -> BudgetParts:
        """Where the variance of each row comes from, feature by feature."""
        scaled, errors = self.inputs(asked)
        found = sensitivities(self.blocks, self.support, scaled.astype(np.float32), errors, n_jobs)
        rows, targets = len(scaled), len(self.target_names)
        variance = found.learned.astype(np.float64) * self.noise_scale[:, None] + found.known
        whole = variance.sum(axis=2)
        feature = prediction.feature_variance.reshape(rows, targets)
        variance *= np.divide(feature, whole, out=np.zeros_like(whole), where=whole > 0)[:, :, None]
        step = np.where(self.scaler.scale > 0, self.scaler.scale, 1.0)
        slope = found.jacobian * self.scaler.target_scale[:, None] / step * (self.scaler.scale > 0)
        std = np.sqrt(found.input_variance * self.noise_scale.mean() + errors.variance) * step
        starts = np.cumsum([0, *(len(c.parts) for c in self.columns)])[:-1]
        words = np.array([c.categories is not None for c in self.columns])
        told = prediction.target_error_variance
        target_error = np.zeros((rows, targets)) if told is None else told.reshape(rows, targets)
        return BudgetParts(
            columns=tuple(c.name for c in self.columns),
            contribution=np.add.reduceat(variance, starts, axis=2),
            sensitivity=np.where(words, np.nan, slope[:, :, starts]),
            input_std=np.where(words, np.nan, std[:, starts]),
            kind=self._kinds(asked, errors)[:, starts],
            system=prediction.system_variance.reshape(rows, targets) - target_error,
            target_error=target_error,
            epistemic=prediction.epistemic_variance.reshape(rows, targets),
            identifiable=np.logical_or.reduceat(self.curved, starts) | (self.usual.share[starts] > 0.5),
            system_identifiable=self.fit_summary.split_identifiable,
            target_names=self.target_names,
            index=prediction.index,
        )

    def _kinds(self, asked: Asked, errors: InputErrors) -> np.ndarray:
        """0 learned, 1 declared, 2 missing, 3 exact, for each cell."""
        known = np.where(errors.variance > 0, errors.known > 0.5, errors.known > 0.999)
        declared = np.where(errors.variance > 0, 1, 3)
        return np.where(np.isnan(asked.x), 2, np.where(known, declared, 0)).astype(np.int8)

    def _in_target_units(
        self, estimates: MemberEstimates, prior: np.ndarray, scaled: np.ndarray, target_error: np.ndarray
    ) -> Prediction:
        k = self.familiar(estimates.log_attention) if self.settings.density else np.ones(len(prior))
        mean, doubt = between_members(estimates.mean)
        if self.support is not None:
            doubt = doubt + np.multiply.outer(estimates.kernel_variance[0].astype(np.float64), self.support.doubt)
        covariance = estimates.covariance.mean(axis=0, dtype=np.float64)
        known = estimates.known_covariance.mean(axis=0, dtype=np.float64)
        combined = combine(self.settings.combination, k[:, None], mean, doubt, prior, self.prior_variance)
        unit = self.scaler.target_scale
        root = np.sqrt(self.noise_scale) * unit
        weight = np.broadcast_to(combined.aleatoric_weight, mean.shape)
        declared = known * np.multiply.outer(unit, unit)
        np.einsum("rtt->rt", declared)[:] += target_error * unit**2
        noise_covariance = (covariance * np.multiply.outer(root, root) + declared) * weight[:, :, None]
        noise = np.einsum("rtt->rt", noise_covariance)
        target_error = target_error * unit**2 * weight
        system = estimates.system_variance.mean(axis=0, dtype=np.float64) * root**2 * weight + target_error
        system = np.minimum(system, noise)
        center, left = combined.mean, np.ones(mean.shape)
        # DIFF(eq. 14): rows whose input was measured before are told what came out, as far as that is known to repeat.
        if self.repeats is not None:
            center, left = self.repeats(scaled, center)
            noise_covariance = noise_covariance * np.sqrt(left[:, :, None] * left[:, None, :])
        shape = (lambda a: a[:, 0]) if self.one_dimensional else (lambda a: a)
        return Prediction(
            mean=shape(center * unit + self.scaler.target_center),
            feature_variance=shape((noise - system) * left),
            system_variance=shape(system * left),
            epistemic_variance=shape(combined.epistemic_variance * unit**2 * left),
            target_error_variance=shape(np.minimum(target_error, system) * left),
            familiarity=k,
            target_names=self.target_names,
            noise_covariance=None if self.one_dimensional else noise_covariance,
        )


def between_members(means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean of the members' means and the variance between them, `(rows, targets)`."""
    means = means.astype(np.float64)
    return means.mean(axis=0), means.var(axis=0)
