"""Deep evidential regression (Amini et al. 2020): one network says how sure it is of its mean and of its noise."""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from taylor_sensus.baselines.calibration import std_factor
from taylor_sensus.baselines.face import Moments, Scaled
from taylor_sensus.baselines.networks import PARTS, NeuralBaseline, in_chunks, outputs, prepare
from taylor_sensus.baselines.normal_inverse_gamma import (
    NormalInverseGamma,
    aleatoric_variance,
    epistemic_variance,
    evidence,
    misplaced_evidence,
    negative_log_likelihood,
)
from taylor_sensus.baselines.warm_up import WARM_FADE, calibrated_likelihood
from taylor_sensus.errors import SettingError
from taylor_sensus.fit.objectives import Stage, weighted_mean


def evidential_loss(network, rows, points, key, options, fade, parts):
    """Negative log-likelihood plus the price of misplaced evidence; `points` is that price."""
    nig, y = evidence(jax.vmap(network)(rows.x)), rows.y[:, 0]
    loss = evidential_terms(nig, y, points)
    return weighted_mean(rows.weight, jnp.where(fade > WARM_FADE, warm_terms(nig, y, points), loss))


def evidential_terms(nig: NormalInverseGamma, y, price):
    """What each row adds to the loss."""
    return negative_log_likelihood(nig, y) + price * misplaced_evidence(nig, y)


def warm_terms(nig: NormalInverseGamma, y, price):
    """The same in the warm-up, as in a deep ensemble: the mean learns from squared error alone."""
    around = nig._replace(gamma=jax.lax.stop_gradient(nig.gamma))
    return (y - nig.gamma) ** 2 + evidential_terms(around, y, price)


def evidential_score(network, rows, weight):
    """Calibrated likelihood: squared error alone would keep states whose evidence has run away."""
    nig = evidence(jax.vmap(network)(rows.x))
    variance = aleatoric_variance(nig) + epistemic_variance(nig)
    return calibrated_likelihood((rows.y[:, 0] - nig.gamma) ** 2, variance, weight)


class EvidentialBaseline(NeuralBaseline):
    """A normal-inverse-gamma head, trained from fresh weights; one factor on its std from validation rows."""

    stage: ClassVar[Stage] = Stage("evidential", evidential_loss, jax.jit(evidential_score), PARTS)

    evidence_weight: float = 0.01

    def _fit(self, rows: Scaled, seed: int) -> None:
        if not self.evidence_weight >= 0:
            raise SettingError(f"evidence_weight must be a number, at least 0, not {self.evidence_weight!r}")
        prepared = prepare(rows)
        spread = self.pilot(prepared, seed).spread
        network = self.new_network(prepared.features, 4, np.random.default_rng(seed), spread)
        price = np.float32(self.evidence_weight)
        self.network_ = self.train(network, prepared, self.stage, seed, numbers=price).network
        predicted = self._moments(rows.x_val)
        std = np.sqrt(predicted.noise_variance + predicted.mean_variance)
        self.std_factor_ = std_factor(rows.y_val - predicted.mean, std)

    def _predict(self, x: np.ndarray) -> Moments:
        mean, noise, mean_variance = self._moments(x)
        return Moments(mean, noise * self.std_factor_**2, mean_variance * self.std_factor_**2)

    def _moments(self, x: np.ndarray) -> Moments:
        nig = evidence(in_chunks(outputs, x, self.n_jobs, self.network_))
        return Moments(*(np.asarray(a) for a in (nig.gamma, aleatoric_variance(nig), epistemic_variance(nig))))
