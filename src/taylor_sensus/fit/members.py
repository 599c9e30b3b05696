"""The members of an ensemble, side by side on the machine's cores, each a call of the same compiled program.

Measured on 2 CPU cores: a thread a member beats `vmap` over members (batched small matrix products are slow) and
`lax.map` (one core idles); `make bench` prints the ratios. Each member's result is the same whatever `n_jobs`.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import equinox as eqx
import jax
import numpy as np
import pandas as pd

from taylor_sensus.fit.history import history_lines
from taylor_sensus.fit.loop import advance, start
from taylor_sensus.fit.objectives import RunOptions, Stage
from taylor_sensus.fit.objectives import stage as stage_of
from taylor_sensus.fit.padding import LARGE, MemberSplits, Split, batch_rows
from taylor_sensus.fit.records import Progress
from taylor_sensus.model.chunks import stopped
from taylor_sensus.model.network import Variant
from taylor_sensus.model.networks import trainable

if TYPE_CHECKING:
    from taylor_sensus.fit.context import FitContext

SLICES = 8
"""A run is advanced in so many calls: between them it reports, and can be interrupted."""

_compiling = threading.Lock()
"""Threads that need the same program at the same time would each compile it."""


class Trained(NamedTuple):
    """A finished run: the network with its best weights, and what happened."""

    network: Any
    history: pd.DataFrame
    score: float
    """On its held-out rows."""


class Interrupted(Exception):
    """Raised in a member's thread when the main thread was interrupted."""


def give_memory_back() -> None:
    """Hand memory that was freed back to the system.

    Linux's allocator keeps it for later; after each run on a large table a little more stayed, hundreds of megabytes
    in the end.
    """
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "malloc_trim"):  # not every Linux has it
        libc.malloc_trim(0)


def train(
    network: Any, rows: Any, points: Any, split: Split, options: RunOptions, seed: int,
    *, stage: Stage, batch_size: int, checks: int, member: int = 0, progress: Progress | None = None,
) -> Trained:  # fmt: skip
    """One run from start to end."""

    def advance_to(state, stop_at: int):
        until = np.int32(stop_at)
        return advance(state, network, rows, points, split, options, until, stage=stage, batch_size=batch_size)

    with _compiling:
        state = start(network, split, np.uint32(seed), checks=checks)
        state = advance_to(state, 0)
    for part in range(SLICES):
        if stopped():
            raise Interrupted
        state = advance_to(state, int(np.ceil(options.steps * (part + 1) / SLICES)))
        if progress is not None:
            made = np.asarray(state.log)
            loss, score = made[~np.isnan(made[:, 0])][-1]
            progress(stage=stage.name, member=member, share=1 / SLICES, loss=float(loss), score=float(score))
    if len(split.fit) >= LARGE:
        give_memory_back()
    _, fixed = trainable(network)
    history = history_lines(stage.name, member, options.steps_per_check, options.steps, np.asarray(state.log))
    return Trained(eqx.combine(jax.device_get(state.best), fixed), history, float(state.best_score))


def train_member(
    context: FitContext, name: str, member: int, network: Any, rows: Any, splits: MemberSplits, epochs: int, *,
    variant: Variant, points: Any = None,
) -> Trained:  # fmt: skip
    """One member's run of a stage."""
    settings, split = context.settings, splits[member]
    batch = batch_rows(settings.batch_size, splits.padded)
    rate = settings.noise_learning_rate if name == "noise" else settings.learning_rate
    wanted = round(epochs * int(split.fit_count) / batch)
    steps = max(settings.checks, min(wanted, settings.most_steps))
    return train(
        network, rows, points, split, context.options(steps, rate, settings.weight_decay),
        context.run_seeds[member], stage=stage_of(name, variant), batch_size=batch, checks=settings.checks,
        member=member, progress=context.progress,
    )  # fmt: skip


def histories(runs: list[Trained]) -> pd.DataFrame:
    """What happened in several runs, one after another."""
    return pd.concat([t.history for t in runs], ignore_index=True)
