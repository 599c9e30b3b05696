"""BNN-MCMC: a Bayesian network by cyclical stochastic-gradient Hamiltonian Monte Carlo (Zhang et al. 2020).

The moves are BlackJAX's. The step size falls along half a cosine in every cycle: large steps travel to another part of
the posterior, small ones sample it. Draws are taken in the last part of each cycle.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from taylor_sensus.baselines.networks import FitRows, Pilot, Prepared
from taylor_sensus.baselines.weights import BayesianBaseline, Draws, as_perceptron, as_vector, draw_batch

EXPLORING = 0.6
"""Share of a cycle before its first draw may be taken."""
FRICTION = 0.1
"""Share of the momentum that a step loses. Our choice: Langevin dynamics, without momentum, moved less."""


class Plan(NamedTuple):
    """When a chain does what."""

    stops: np.ndarray
    """Steps after which a draw is taken."""
    cycle: int
    """Steps in a cycle."""
    largest_step: Any
    """Square of the longest time step; in SGD's words, the learning rate."""
    temperature: Any


def plan_chain(cycles: int, draws: int, steps: int, largest_step: float, temperature: float) -> Plan:
    """Cycles of equal length, each with its draws evenly spaced in its last part."""
    cycle = max(2 * draws, steps // cycles)
    within = np.ceil(cycle * (EXPLORING + (1 - EXPLORING) * np.arange(1, draws + 1) / draws))
    stops = (cycle * np.arange(cycles)[:, None] + within).ravel()
    return Plan(stops.astype(np.int32), cycle, largest_step, temperature)


def step_size(step: Any, plan: Plan) -> Array:
    """From the largest step down to almost 0 along half a cosine, and again in the next cycle."""
    return plan.largest_step * 0.5 * (1 + jnp.cos(jnp.pi * (step % plan.cycle) / plan.cycle))


def sample_chain(gradient: Callable, first: Array, next_batch: Callable, plan: Plan, key: Array) -> Array:
    """Draws from the density whose logarithm's gradient is estimated on batches, `(draws, numbers)`."""
    from blackjax.sgmcmc.diffusions import sghmc

    def one_step(step: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        position, momentum = state
        batch_key, noise_key = jax.random.split(jax.random.fold_in(key, step))
        time = jnp.sqrt(step_size(step, plan))
        # The slope where the step ends, not where it begins: so the discrete path neither heats up nor flies away.
        slope = gradient(position + time * momentum, next_batch(batch_key))
        move = sghmc(alpha=FRICTION / time)
        return move(noise_key, position, momentum, slope, time, plan.temperature)

    def to_next_draw(state: tuple[Array, Array], span: Array) -> tuple[tuple[Array, Array], Array]:
        state = jax.lax.fori_loop(span[0], span[1], one_step, state)
        return state, state[0]

    stops = jnp.asarray(plan.stops)
    spans = jnp.stack([jnp.concatenate([jnp.zeros(1, stops.dtype), stops[:-1]]), stops], axis=1)
    return jax.lax.scan(to_next_draw, (first, jnp.zeros_like(first)), spans)[1]


class ChainNumbers(NamedTuple):
    """What may change without a new compilation."""

    prior_scale: float
    noise_variance: float
    rows: int
    plan: Plan


@partial(jax.jit, static_argnames="batch_size")
def posterior_draws(like: Any, rows: FitRows, numbers: ChainNumbers, seed: Array, *, batch_size: int) -> Array:
    """The whole chain as one compiled program. It walks in stretched weights, in which the slopes are alike."""
    first = as_vector(like)
    inside = jnp.arange(len(rows.x)) < numbers.rows
    per_row = numbers.rows / numbers.noise_variance

    def outputs(weights: Array) -> Array:
        return jnp.where(inside, jax.vmap(as_perceptron(weights, like))(rows.x)[:, 0], 0.0)

    def log_density(position: Array, batch: FitRows) -> Array:
        weights = position * stretch
        error = batch.y - jax.vmap(as_perceptron(weights, like))(batch.x)
        return -0.5 * per_row * jnp.mean(error**2) - 0.5 * jnp.sum((weights / numbers.prior_scale) ** 2)

    def next_batch(key: Array) -> FitRows:
        return draw_batch(key, rows, numbers.rows, batch_size)

    chain_key, probe_key, prior_key = jax.random.split(jax.random.key(seed), 3)
    # A pilot that learned nothing is flat, but the chain will not stay there: a draw from the prior counts too.
    places = jnp.stack([first, numbers.prior_scale * jax.random.normal(prior_key, first.shape)])
    stretch = _stretch(outputs, places, probe_key)
    curvature = jax.lax.map(lambda w: _steepest(lambda u: outputs(u * stretch), w / stretch, probe_key), places)
    steepest = curvature.max() / numbers.noise_variance + (stretch.max() / numbers.prior_scale) ** 2
    plan = numbers.plan._replace(largest_step=numbers.plan.largest_step / steepest)
    return sample_chain(jax.grad(log_density), first / stretch, next_batch, plan, chain_key) * stretch


def _stretch(outputs: Callable, places: Array, key: Array, probes: int = 16) -> Array:
    """Larger for weights on which the outputs depend little: the fourth root of the inverse mean square slope."""

    def square(weights: Array) -> Array:
        value, pull = jax.vjp(outputs, weights)
        signs = jax.random.rademacher(key, (probes, *value.shape), value.dtype)
        return jnp.mean(jax.lax.map(lambda s: pull(s)[0] ** 2, signs), axis=0)

    mean = jnp.mean(jax.lax.map(square, places), axis=0)
    size = jnp.sqrt(mean + 1e-3 * jnp.mean(mean))
    return jnp.sqrt(jnp.mean(size) / size)


def _steepest(outputs: Callable, weights: Array, key: Array, rounds: int = 20) -> Array:
    """The largest eigenvalue of J^T J by power iteration."""
    _, push = jax.linearize(outputs, weights)
    _, pull = jax.vjp(outputs, weights)

    def one_round(_: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        turned = pull(push(carry[0]))[0]
        size = jnp.sqrt(jnp.sum(turned**2))
        return turned / size, size

    start = jax.random.normal(key, weights.shape)
    return jax.lax.fori_loop(0, rounds, one_round, (start / jnp.linalg.norm(start), jnp.array(0.0)))[1]


class BNNMCMCBaseline(BayesianBaseline):
    """Draws from the posterior of Gaussian weights under a Gaussian prior, a few in each of several cycles.

    Warm start: the chain begins at the pilot's weights. Noise of `temperature` is added in both parts of a cycle.
    The noise variance is not sampled: it is `noise_share` of the pilot's mean squared error on validation rows, most of
    which is the network's own error (of 1, 0.3 and 0.1, tried with different step sizes, 0.1 did best on concrete's
    validation rows, 2 splits).
    `step` is the largest squared time step, as a share of the inverse of the steepest curvature.
    Validation rows also give one factor on all variances (every method gets validation rows for early stopping,
    selection and calibration).
    """

    requires = ("blackjax",)
    noise_by_row = False

    cycles: int = 4
    draws: int = 6
    prior_scale: float = 1.0
    temperature: float = 1.0
    step: float = 0.3
    noise_share: float = 0.1

    def _draw(self, pilot: Pilot, prepared: Prepared, seed: int) -> Draws:
        schedule = self._schedule(prepared, 2 * self.epochs)
        noise_variance = self.noise_share * pilot.score
        plan = plan_chain(self.cycles, self.draws, schedule.steps, self.step, self.temperature)
        numbers = ChainNumbers(self.prior_scale, noise_variance, prepared.train, plan)
        weights = posterior_draws(
            pilot.network.perceptron, prepared.rows, numbers, np.uint32(seed), batch_size=schedule.batch
        )
        return Draws(weights, noise_variance)
