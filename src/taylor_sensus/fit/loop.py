"""A training run between two looks at the held-out rows: one small compiled program, `run_steps`.

Batches are drawn and gathered on the host and passed in, and so are step counts and all numbers in `RunOptions`: only
the shapes of a batch and of the network compile anew, whatever the number of rows. Scores, when to stop and which
weights are the best so far are the host's too (`members.py`), so that nothing of it has to be compiled.
"""

from __future__ import annotations

import threading
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from taylor_sensus.fit.columns import columns_of, resized
from taylor_sensus.fit.objectives import RunOptions, Stage
from taylor_sensus.fit.steps import WINDOW
from taylor_sensus.model.chunks import padded as pad
from taylor_sensus.model.module import known_to_jax
from taylor_sensus.model.networks import trainable
from taylor_sensus.model.shapes import Float, Int, UInt

if TYPE_CHECKING:
    from taylor_sensus.fit.processes import Processes

known_to_jax()

ADAM = optax.scale_by_adam(b1=0.9, b2=0.95)
_compiling = threading.Lock()
"""Threads that need the same program at the same time would each compile it."""


class CompiledSteps:
    """Steps by JAX: any network, any stage, also by several processes together. Columns are padded to few classes."""

    def __init__(
        self, network: Any, points: Any, features: int, options: RunOptions, seed: int | np.integer, stage: Stage,
        processes: Processes | None = None,
    ) -> None:  # fmt: skip
        """`features` is 0 where a network is trained as it is."""
        self.features, self.columns = features, columns_of(network, features) if features else None
        self.padded = network if self.columns is None else resized(network, features, self.columns)
        self.points, self.options, self.seed, self.stage = points, options, np.uint32(seed), stage
        self.take_steps = run_steps if processes is None else processes.run_steps
        self.compiled = False

    def start(self) -> tuple[Any, Any]:
        """Weights and moments before the first step."""
        weights, _ = trainable(self.padded)
        return weights, new_moments(weights)

    def gathered(self, rows: Any, picks: Int[np.ndarray, "steps batch"]) -> Any:
        """Padded to `WINDOW` steps and to the columns of the program."""
        found = jax.tree.map(lambda a: pad(np.take(np.asarray(a), picks, axis=0), WINDOW), rows)
        return found if self.columns is None else found.widened(self.columns)

    def run(self, weights: Any, moments: Any, window: Any, count: int, first: int) -> tuple[Any, Any, float]:
        """A call of the program; the first one of a process compiles it, one thread at a time."""
        given = (self.padded, window, self.points, np.int32(count), np.int32(first), self.seed)
        with nullcontext() if self.compiled else _compiling:
            weights, moments, loss = self.take_steps(weights, moments, *given, self.options, stage=self.stage)
        self.compiled = True
        return weights, moments, float(loss)

    def network(self, weights: Any) -> Any:
        """With its own number of columns."""
        found = eqx.combine(jax.device_get(weights), trainable(self.padded)[1])
        return found if self.columns is None else resized(found, self.columns, self.features)


def new_moments(trained: Any) -> optax.ScaleByAdamState:
    """Adam's state before the first step; made on the host, because every shape would be a program of its own."""
    zeros = jax.tree.map(np.zeros_like, trained)
    return optax.ScaleByAdamState(count=np.zeros((), np.int32), mu=zeros, nu=jax.tree.map(np.copy, zeros))


@partial(jax.jit, static_argnames=("stage",), donate_argnames=("moments",))
def run_steps(
    trained: Any,
    moments: Any,
    network: Any,
    window: Any,
    points: Any,
    count: Int[Array, ""],
    first: Int[Array, ""],
    seed: UInt[Array, ""],
    options: RunOptions,
    *,
    stage: Stage,
) -> tuple[Any, Any, Float[Array, ""]]:
    """`count` steps from `first` on, each on a batch of `window` (steps, batch, ...); and the sum of their losses."""
    _, fixed = trainable(network)
    key = jax.random.key(seed, impl="unsafe_rbg")

    def loss_of(trained, batch, key, fade):
        return stage.loss(eqx.combine(trained, fixed), batch, points, key, options, fade, stage.variant)

    def one_step(number, carry):
        trained, moments, total = carry
        step = first + number
        batch = jax.tree.map(lambda a: a[number], window)
        done = step / options.steps
        loss, slope = jax.value_and_grad(loss_of)(trained, batch, jax.random.fold_in(key, step), _fade(done))
        slope = jax.tree.map(lambda g: jnp.where(jnp.isfinite(loss), g, 0.0), slope)  # a bad batch is skipped
        change, moments = ADAM.update(slope, moments)
        rate = options.learning_rate * jnp.minimum(1.0, (done + 1 / options.steps) / options.warmup) * _fade(done)
        decay = rate * options.weight_decay * _fade(done)
        trained = jax.tree.map(lambda p, c: p - rate * c - (decay * p if p.ndim > 1 else 0.0), trained, change)
        return trained, moments, total + loss

    return jax.lax.fori_loop(0, count, one_step, (trained, moments, jnp.array(0.0)))


def _fade(done: Float[Array, ""]) -> Float[Array, ""]:
    """From 1 at the start of a run to 0 at its end, along half a cosine."""
    return 0.5 * (1 + jnp.cos(jnp.pi * done))
