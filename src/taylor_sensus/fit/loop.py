"""One training run as one compiled program: shuffling, steps, held-out checks and the best weights so far.

The program advances a run up to a given step, so the caller may let it run in one go or in slices (to show
progress, or to be interrupted); the result is the same. Row counts, step counts and all numbers in `RunOptions` are
arguments: only shapes compile anew.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jax import Array

from taylor_sensus.fit.objectives import RunOptions, Stage
from taylor_sensus.fit.padding import Split
from taylor_sensus.model.networks import trainable

ADAM = optax.scale_by_adam(b1=0.9, b2=0.95)


class TrainState(eqx.Module):
    """The state of a training run."""

    trained: Any
    moments: Any
    best: Any
    best_score: Array
    best_step: Array
    step: Array
    key: Array
    order: Array
    log: Array
    """One line a check: mean loss since the last one, held-out score."""


@partial(jax.jit, static_argnames=("checks",))
def start(network: Any, split: Split, seed: Array, *, checks: int) -> TrainState:
    """A run before its first step. Its first candidate for the best weights are the initial ones."""
    trained, _ = trainable(network)
    return TrainState(
        trained=trained,
        moments=ADAM.init(trained),
        best=trained,
        best_score=jnp.array(jnp.inf, jnp.float32),
        best_step=jnp.array(0, jnp.int32),
        step=jnp.array(0, jnp.int32),
        key=jax.random.key(seed, impl="unsafe_rbg"),
        order=jnp.asarray(split.fit),
        log=jnp.full((checks, 2), jnp.nan, jnp.float32),
    )


@partial(jax.jit, static_argnames=("stage", "batch_size"), donate_argnames=("state",))
def advance(
    state: TrainState, network: Any, rows: Any, points: Any, split: Split, options: RunOptions, stop_at: Array,
    *, stage: Stage, batch_size: int,
) -> TrainState:  # fmt: skip
    """Train until `stop_at` steps, the end of the run, or `patience` steps without improvement."""
    _, fixed = trainable(network)
    held = jax.tree.map(lambda a: a[split.held], rows)

    def loss_of(trained, batch, key, fade):
        return stage.loss(eqx.combine(trained, fixed), batch, points, key, options, fade, stage.variant)

    def one_step(_, carry):
        trained, moments, step, key, order, total = carry
        key, shuffle_key, loss_key = jax.random.split(key, 3)
        start_row = (step * batch_size) % split.fit_count
        order = jax.lax.cond(start_row < batch_size, lambda o: _shuffled(shuffle_key, split), lambda o: o, order)
        chosen = order[(start_row + jnp.arange(batch_size)) % split.fit_count]
        batch = jax.tree.map(lambda a: a[chosen], rows)
        done = step / options.steps
        loss, slope = jax.value_and_grad(loss_of)(trained, batch, loss_key, _fade(done))
        slope = jax.tree.map(lambda g: jnp.where(jnp.isfinite(loss), g, 0.0), slope)  # a bad batch is skipped
        change, moments = ADAM.update(slope, moments)
        rate = options.learning_rate * jnp.minimum(1.0, (done + 1 / options.steps) / options.warmup) * _fade(done)
        decay = rate * options.weight_decay * _fade(done)
        trained = jax.tree.map(lambda p, c: p - rate * c - (decay * p if p.ndim > 1 else 0.0), trained, change)
        return trained, moments, step + 1, key, order, total + loss

    def one_check(state: TrainState) -> TrainState:
        steps = jnp.minimum(options.steps_per_check, options.steps - state.step)
        trained, moments, step, key, order, total = jax.lax.fori_loop(
            0, steps, one_step, (state.trained, state.moments, state.step, state.key, state.order, jnp.array(0.0))
        )
        score = stage.score(eqx.combine(trained, fixed), held, split.held_weight)
        better = (score < state.best_score) | (score == -jnp.inf)
        best = jax.lax.cond(better, lambda: trained, lambda: state.best)
        check = (step + options.steps_per_check - 1) // options.steps_per_check - 1
        return TrainState(
            trained, moments, best,
            best_score=jnp.where(better, score, state.best_score),
            best_step=jnp.where(better, step, state.best_step),
            step=step, key=key, order=order,
            log=state.log.at[check].set(jnp.stack([total / steps, score])),
        )  # fmt: skip

    def with_initial_score(state: TrainState) -> TrainState:
        score = stage.score(eqx.combine(state.trained, fixed), held, split.held_weight)
        return eqx.tree_at(lambda r: r.best_score, state, jnp.where(jnp.isnan(score), jnp.inf, score))

    def unfinished(state: TrainState) -> Array:
        fresh = state.step - state.best_step < options.patience
        return (state.step < jnp.minimum(stop_at, options.steps)) & fresh

    state = jax.lax.cond(state.step == 0, with_initial_score, lambda r: r, state)
    return jax.lax.while_loop(unfinished, one_check, state)


def _shuffled(key: Array, split: Split) -> Array:
    """The fit rows in a new random order, padding last."""
    rank = jnp.where(jnp.arange(len(split.fit)) < split.fit_count, jax.random.uniform(key, split.fit.shape), 2.0)
    return split.fit[jnp.argsort(rank)]


def _fade(done: Array) -> Array:
    """From 1 at the start of a run to 0 at its end, along half a cosine."""
    return 0.5 * (1 + jnp.cos(jnp.pi * done))
