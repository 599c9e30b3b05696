"""A fitted model as one record: everything that a prediction needs and a model file holds, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from taylor_sensus.data.columns import Column
from taylor_sensus.data.repeats import Repeats
from taylor_sensus.data.rows import blocks
from taylor_sensus.data.scaling import Scaler
from taylor_sensus.data.trend import Trend
from taylor_sensus.model.combine import combine
from taylor_sensus.model.density import DensityPerception
from taylor_sensus.model.taylor_block import DeepTaylorBlock
from taylor_sensus.prediction import Prediction, joined
from taylor_sensus.settings import Settings
from taylor_sensus.training.inference import MemberEstimates, member_estimates
from taylor_sensus.training.support import Support

Prior = Callable[[Any], np.ndarray]


@dataclass(frozen=True)
class Familiar:
    """Constants that turn a perception's log-density into a familiarity, one pair a perception."""

    level: np.ndarray
    spread: np.ndarray

    def __call__(self, log_attention: np.ndarray) -> np.ndarray:
        """Familiarity of each row, averaged over the perceptions; see `model.density.familiarity`."""
        return expit((log_attention - self.level[:, None]) / self.spread[:, None]).mean(axis=0)


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
    repeats: Repeats | None
    """Inputs that were measured, if measuring again is known to give much the same."""
    facts: dict[str, Any]
    """What `summary()` tells: counts, held-out scores, warnings."""
    history: pd.DataFrame

    @property
    def members(self) -> int:
        """Networks in the ensemble."""
        return len(self.blocks.system_noise_net.level.value)

    def predict(self, x: np.ndarray, prior_mean: np.ndarray | None, n_jobs: int | None, index=None) -> Prediction:
        """The prediction for encoded rows; `prior_mean` in the target's unit if the prior is the user's own."""
        parts = [
            self._predict(x[rows], None if prior_mean is None else prior_mean[rows], n_jobs) for rows in blocks(len(x))
        ]
        return joined(parts, index)

    def _predict(self, x: np.ndarray, prior_mean: np.ndarray | None, n_jobs: int | None) -> Prediction:
        scaled = self.scaler.features(x)
        estimates = member_estimates(self.blocks, self.densities, self.support, scaled.astype(np.float32), n_jobs)
        prior = self.trend(scaled) if prior_mean is None else self.scaler.targets(prior_mean)
        return self._in_target_units(estimates, prior, scaled)

    def _in_target_units(self, estimates: MemberEstimates, prior: np.ndarray, scaled: np.ndarray) -> Prediction:
        k = self.familiar(estimates.log_attention) if self.settings.density else np.ones(len(prior))
        mean, doubt = between_members(estimates.mean)
        if self.support is not None:
            doubt = doubt + np.multiply.outer(estimates.kernel_variance[0].astype(np.float64), self.support.doubt)
        covariance = estimates.covariance.mean(axis=0, dtype=np.float64)
        combined = combine(self.settings.combination, k[:, None], mean, doubt, prior, self.prior_variance)
        unit = self.scaler.target_scale
        root = np.sqrt(self.noise_scale) * unit
        weight = np.broadcast_to(combined.aleatoric_weight, mean.shape)
        noise_covariance = covariance * np.multiply.outer(root, root) * weight[:, :, None]
        noise = np.einsum("rtt->rt", noise_covariance)
        system = estimates.system_variance.mean(axis=0, dtype=np.float64) * root**2 * weight
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
            familiarity=k,
            target_names=self.target_names,
            noise_covariance=None if self.one_dimensional else noise_covariance,
        )


def between_members(means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean of the members' means and the variance between them, `(rows, targets)`."""
    means = means.astype(np.float64)
    return means.mean(axis=0), means.var(axis=0)
