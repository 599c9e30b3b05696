"""Mean, then variance: what an ensemble leaves unexplained in rows it has not seen is fitted by one variance network.

The plain version of staged training: no Taylor term, no density, no prior.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from taylor_sensus.baselines.calibration import std_factor
from taylor_sensus.baselines.face import Moments, Scaled
from taylor_sensus.baselines.networks import (
    PARTS,
    SQUARED_ERROR,
    NeuralBaseline,
    Prepared,
    generators,
    in_chunks,
    outputs,
    prepare,
)
from taylor_sensus.errors import SettingError
from taylor_sensus.fit.objectives import Stage, weighted_mean
from taylor_sensus.fit.padding import assign_folds, held_out_average, pad, unseen_mask
from taylor_sensus.model.chunks import run_all
from taylor_sensus.model.networks import Constant, Perceptron, VarianceNetwork


class ResidualRows(NamedTuple):
    """What the variance network learns from, padded."""

    x: Any
    squared: Any
    weight: Any


def variance_loss(network, rows, points, key, options, fade, parts):
    """Twice the Gaussian negative log-likelihood of the residuals."""
    return variance_score(network, rows, rows.weight)


def variance_score(network, rows, weight):
    """The same on other rows."""
    variance = jax.vmap(network)(rows.x)[:, 0]
    return weighted_mean(weight, jnp.log(variance) + rows.squared / variance)


VARIANCE = Stage("variance", variance_loss, jax.jit(variance_score), PARTS)


class MeanThenVarianceBaseline(NeuralBaseline):
    """Members on squared error, each without its fold of the training rows; then the variance of their errors.

    Validation rows stop the members and the variance network, and give one factor on the std.
    """

    members: int = 5

    def _fit(self, rows: Scaled, seed: int) -> None:
        if not self.members >= 1:
            raise SettingError(f"members must be a whole number, at least 1, not {self.members!r}")
        everything = prepare(rows)
        spread = self.pilot(everything, seed).spread
        *member_rngs, rng = generators(seed, self.members + 1)
        held = assign_folds(np.arange(len(rows.x)), max(2, self.members), self.members, rng)

        def member(rng: np.random.Generator, fold: np.ndarray) -> Any:
            prepared = prepare(rows, fit=np.setdiff1d(np.arange(len(rows.x)), fold))
            network = self.new_network(prepared.features, 1, rng, spread)
            return self.train(network, prepared, SQUARED_ERROR, int(rng.integers(2**31))).network

        jobs = [lambda r=r, fold=fold: member(r, fold) for r, fold in zip(member_rngs, held, strict=True)]
        self.networks_ = run_all(jobs, self.n_jobs)
        x, y = np.concatenate([rows.x, rows.x_val]), np.concatenate([rows.y, rows.y_val])
        unseen = unseen_mask(held, len(rows.x), len(x))
        residual = y - held_out_average(self._means(x)[:, :, None], unseen)[:, 0]
        self.variance_network_ = self._train_variance(everything, residual, rng)
        predicted = self._moments(rows.x_val)
        self.std_factor_ = std_factor(
            rows.y_val - predicted.mean, np.sqrt(predicted.noise_variance + predicted.mean_variance)
        )

    def _train_variance(self, prepared: Prepared, residual: np.ndarray, rng: np.random.Generator) -> VarianceNetwork:
        """Fitted on training rows that their member has not seen, stopped by validation rows that none has seen."""
        settings = self.settings()
        squared = (residual**2).astype(np.float32)
        level = np.log(max(squared[: prepared.train].mean(), 1e-6)).astype(np.float32)
        sizes = [prepared.features, *[settings.noise_width] * settings.noise_depth, 1]
        network = VarianceNetwork(
            Perceptron.initial(rng, sizes, settings.activation), Constant(level[None]), settings.noise_range
        )
        padded = ResidualRows(prepared.rows.x, pad(squared, len(prepared.rows.x)), prepared.rows.weight)
        return self.train(
            network,
            prepared._replace(rows=jax.device_put(padded)),
            VARIANCE,
            int(rng.integers(2**31)),
            epochs=min(self.epochs, settings.noise_epochs),
            learning_rate=settings.noise_learning_rate,
        ).network

    def _predict(self, x: np.ndarray) -> Moments:
        mean, noise, mean_variance = self._moments(x)
        return Moments(mean, noise * self.std_factor_**2, mean_variance * self.std_factor_**2)

    def _moments(self, x: np.ndarray) -> Moments:
        """What members disagree about is the variance of the mean."""
        means = self._means(x)
        noise = in_chunks(outputs, x, self.n_jobs, self.variance_network_)[:, 0]
        return Moments(means.mean(axis=0), noise.astype(np.float64), means.var(axis=0))

    def _means(self, x: np.ndarray) -> np.ndarray:
        return np.asarray([in_chunks(outputs, x, self.n_jobs, net)[:, 0] for net in self.networks_], np.float64)
