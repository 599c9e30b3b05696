"""One training run as one compiled program: shuffling, steps, held-out checks and the best weights so far.

The program advances a run up to a given step, so the caller may let it run in one go or in slices (to show
progress, or to be interrupted); the result is the same. Row counts, step counts and all numbers in `Knobs` are
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

from taylor_sensus.fit.objectives import Knobs, Stage
from taylor_sensus.fit.padding import Split
from taylor_sensus.model.networks import trainable

ADAM = optax.scale_by_adam(b1=0.9, b2=0.95)


class Run(eqx.Module):
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
def start(network: Any, split: Split, seed: Array, *, checks: int) -> Run:
    """A run before its first step. Its first candidate for the best weights are the initial ones."""
    trained, _ = trainable(network)
    return Run(
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


@partial(jax.jit, static_argnames=("stage", "batch_size"), donate_argnames=("run",))
def advance(
    run: Run, network: Any, rows: Any, points: Any, split: Split, knobs: Knobs, stop_at: Array,
    *, stage: Stage, batch_size: int,
) -> Run:  # fmt: skip
    """Train until `stop_at` steps, the end of the run, or `patience` steps without improvement."""
    _, fixed = trainable(network)
    held = jax.tree.map(lambda a: a[split.held], rows)

    def loss_of(trained, batch, key, fade):
        return stage.loss(eqx.combine(trained, fixed), batch, points, key, knobs, fade, stage.parts)

    def one_step(_, carry):
        trained, moments, step, key, order, total = carry
        key, shuffle_key, loss_key = jax.random.split(key, 3)
        start_row = (step * batch_size) % split.fit_count
        order = jax.lax.cond(start_row < batch_size, lambda o: _shuffled(shuffle_key, split), lambda o: o, order)
        chosen = order[(start_row + jnp.arange(batch_size)) % split.fit_count]
        batch = jax.tree.map(lambda a: a[chosen], rows)
        done = step / knobs.steps
        loss, slope = jax.value_and_grad(loss_of)(trained, batch, loss_key, _fade(done))
        slope = jax.tree.map(lambda g: jnp.where(jnp.isfinite(loss), g, 0.0), slope)  # a bad batch is skipped
        change, moments = ADAM.update(slope, moments)
        rate = knobs.learning_rate * jnp.minimum(1.0, (done + 1 / knobs.steps) / knobs.warmup) * _fade(done)
        decay = rate * knobs.weight_decay * _fade(done)
        trained = jax.tree.map(lambda p, c: p - rate * c - (decay * p if p.ndim > 1 else 0.0), trained, change)
        return trained, moments, step + 1, key, order, total + loss

    def one_check(run: Run) -> Run:
        steps = jnp.minimum(knobs.steps_per_check, knobs.steps - run.step)
        trained, moments, step, key, order, total = jax.lax.fori_loop(
            0, steps, one_step, (run.trained, run.moments, run.step, run.key, run.order, jnp.array(0.0))
        )
        score = stage.score(eqx.combine(trained, fixed), held, split.held_weight)
        better = (score < run.best_score) | (score == -jnp.inf)
        best = jax.lax.cond(better, lambda: trained, lambda: run.best)
        check = (step + knobs.steps_per_check - 1) // knobs.steps_per_check - 1
        return Run(
            trained, moments, best,
            best_score=jnp.where(better, score, run.best_score),
            best_step=jnp.where(better, step, run.best_step),
            step=step, key=key, order=order,
            log=run.log.at[check].set(jnp.stack([total / steps, score])),
        )  # fmt: skip

    def with_initial_score(run: Run) -> Run:
        score = stage.score(eqx.combine(run.trained, fixed), held, split.held_weight)
        return eqx.tree_at(lambda r: r.best_score, run, jnp.where(jnp.isnan(score), jnp.inf, score))

    def unfinished(run: Run) -> Array:
        fresh = run.step - run.best_step < knobs.patience
        return (run.step < jnp.minimum(stop_at, knobs.steps)) & fresh

    run = jax.lax.cond(run.step == 0, with_initial_score, lambda r: r, run)
    return jax.lax.while_loop(unfinished, one_check, run)


def _shuffled(key: Array, split: Split) -> Array:
    """The fit rows in a new random order, padding last."""
    rank = jnp.where(jnp.arange(len(split.fit)) < split.fit_count, jax.random.uniform(key, split.fit.shape), 2.0)
    return split.fit[jnp.argsort(rank)]


def _fade(done: Array) -> Array:
    """From 1 at the start of a run to 0 at its end, along half a cosine."""
    return 0.5 * (1 + jnp.cos(jnp.pi * done))
