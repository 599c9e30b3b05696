"""The members of an ensemble, side by side on the machine's cores.

Measured on 2 CPU cores, with compiled steps: a thread a member beats `vmap` over members (batched small matrix products
are slow) and `lax.map` (one core idles); `make bench` prints the ratios. Each member's result is the same whatever
`n_jobs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.fit.backprop import plain_steps
from taylor_sensus.fit.checkpoint import Checkpoints, RunKeeper, RunState
from taylor_sensus.fit.history import history_lines
from taylor_sensus.fit.objectives import RunOptions, Stage
from taylor_sensus.fit.objectives import stage as stage_of
from taylor_sensus.fit.padding import LARGE, MemberSplits, RowSplit, batch_rows
from taylor_sensus.fit.records import Progress
from taylor_sensus.fit.steps import WINDOW, Steps, batches
from taylor_sensus.model.chunks import give_memory_back, stopped
from taylor_sensus.model.module import has_jax, missing_jax
from taylor_sensus.model.network import Variant
from taylor_sensus.model.shapes import Int
from taylor_sensus.settings import Settings

if TYPE_CHECKING:
    from taylor_sensus.fit.context import FitContext
    from taylor_sensus.fit.stream import StreamedFeed

WORTH_COMPILING = 1200
"""Steps of a run from which a compiled program gains more than its compilation takes."""


class Trained(NamedTuple):
    """A finished run: the network with its best weights, and what happened."""

    network: Any
    history: pd.DataFrame
    score: float
    """On its held-out rows."""


class Interrupted(Exception):
    """Raised in a member's thread when the main thread was interrupted."""


def train(
    network: Any, rows: Any, points: Any, split: RowSplit, options: RunOptions, seed: int | np.integer,
    *, stage: Stage, batch_size: int, checks: int, member: int = 0, progress: Progress | None = None,
    feed: StreamedFeed | None = None, kept: Checkpoints | None = None,
) -> Trained:  # fmt: skip
    """One run from start to end: steps, a look at the held-out rows, and the best weights so far; then again.

    The initial weights are the first candidates for the best. Between two looks a run reports, can be interrupted, and
    writes a checkpoint where these are `kept`.
    """
    processes = None if feed is None else feed.processes
    steps = steps_of(network, rows, points, options, seed, stage, feed)
    scored, weight = (split.held, split.held_weight) if processes is None else map(processes.share, split[2:])
    held = _taken(rows, scored)
    drawn = batches(split, batch_size, np.random.default_rng(seed))

    def window_of(first: int, count: int) -> Any:
        if feed is not None:
            return feed(first, count, steps.columns)
        return steps.gathered(rows, np.stack([next(drawn) for _ in range(count)]))

    def score_of(weights: Any) -> float:
        network = steps.network(weights)
        if processes is None:
            return float(stage.score(network, held, weight))
        total = float(weight.sum())
        return processes.average(stage.score(network, held, weight) if total else 0.0, total)

    weights, moments = steps.start()
    first = score_of(weights)
    log = np.full((checks, 2), np.nan, np.float32)
    start = RunState(weights, moments, weights, log, np.inf if np.isnan(first) else first, 0, 0, 0, checks == 0)
    keeper = RunKeeper(kept, start, seed, options, processes)
    weights, moments, best, log, best_score, best_step, step, check, is_over = keeper.find()
    for _ in range(step if feed is None else 0):  # the batches of the steps before
        next(drawn)
    while not is_over:
        if stopped():
            raise Interrupted
        total, until = 0.0, min(step + options.steps_per_check, options.steps)
        begun = step
        while step < until:
            count = min(WINDOW, until - step)
            weights, moments, loss = steps.run(weights, moments, window_of(step, count), count, step)
            total, step = total + loss, step + count
        score = score_of(weights)
        log[check] = total / max(step - begun, 1), score
        if score < best_score or score == -np.inf:
            best, best_score, best_step = weights, score, step
        is_over = step >= options.steps or step - best_step >= options.patience or check + 1 == checks
        if progress is not None:
            share = (checks - check if is_over else 1) / checks
            progress(stage=stage.name, member=member, share=share, loss=float(log[check, 0]), score=score)
        check += 1
        keeper.keep(RunState(weights, moments, best, log, best_score, best_step, step, check, is_over))
    if len(split.fit) >= LARGE:
        give_memory_back()
    history = history_lines(stage.name, member, options.steps_per_check, options.steps, log)
    return Trained(steps.network(best), history, best_score)


def needs_jax(settings: Settings, rows: int) -> bool:
    """Whether a fit has parts that only JAX can train."""
    plain = settings.training == "staged" and settings.kernel and rows <= settings.kernel_limit
    return not plain or settings.contrast != "off" or settings.dropout > 0 or settings.embedding == "positional"


def may_compile(settings: Settings, rows: int, *, streamed: bool) -> bool:
    """Whether a fit may use JAX, which is loaded, and told where to keep its programs, only then."""
    if needs_jax(settings, rows) or not has_jax():
        if not has_jax() and needs_jax(settings, rows):
            raise missing_jax("a fit with these settings")
        return has_jax()
    passes = max(2.0, rows / settings.batch_size)  # steps of an epoch at most
    mean = min(settings.epochs * passes, settings.most_steps)
    noise = min(settings.noise_epochs * passes, settings.most_steps // 10)
    return streamed or max(mean, noise, settings.checks) >= WORTH_COMPILING


def useful_jobs(n_jobs: int | None, settings: Settings, rows: int, *, streamed: bool = False) -> int | None:
    """Threads that are worth having: one where steps are written out with NumPy.

    Their operations are so short that two threads mostly wait for Python's lock: 442 x 10 rows took 1.3 times the
    seconds with two, and 1.6 times the CPU seconds. A compiled step holds no lock.
    """
    return n_jobs if may_compile(settings, rows, streamed=streamed) else 1


def _taken(rows: Any, places: Int[np.ndarray, " chosen"]) -> Any:
    """Some rows of a record of arrays."""
    if rows is None:
        return None
    if isinstance(rows, tuple):
        return type(rows)(*[_taken(part, places) for part in rows])
    return np.asarray(rows)[places]


def steps_of(
    network: Any, rows: Any, points: Any, options: RunOptions, seed: int | np.integer, stage: Stage,
    feed: StreamedFeed | None,
) -> Steps:  # fmt: skip
    """Written out where that can be and runs are short, or JAX is not installed; compiled otherwise."""
    if (feed is None and options.steps < WORTH_COMPILING) or not has_jax():
        plain = plain_steps(network, options, stage)
        if plain is not None:
            return plain
        if not has_jax():
            raise missing_jax("this way of training")
    from taylor_sensus.fit.loop import CompiledSteps  # JAX is loaded only where it is needed

    processes = None if feed is None else feed.processes
    return CompiledSteps(network, points, getattr(rows, "features", 0), options, seed, stage, processes)


def train_member(
    context: FitContext, name: str, member: int, network: Any, rows: Any, splits: MemberSplits, epochs: int, *,
    variant: Variant, points: Any = None,
) -> Trained:  # fmt: skip
    """One member's run of a stage."""
    settings, split = context.settings, splits[member]
    batch = batch_rows(settings.batch_size, splits.padded)
    rate = settings.noise_learning_rate if name == "noise" else settings.learning_rate
    stream = context.stream if name == "mean" else None
    wanted = round(epochs * (int(split.fit_count) if stream is None else stream.fit_rows) / batch)
    most = settings.most_steps // 10 if name == "noise" else settings.most_steps
    steps = max(settings.checks, min(wanted, most))
    return train(
        network, rows, points, split, context.options(steps, rate, settings.weight_decay),
        context.run_seeds[member], stage=stage_of(name, variant), batch_size=batch, checks=settings.checks,
        member=member, progress=context.progress,
        feed=None if stream is None else stream.feed(member, int(context.run_seeds[member]), batch, steps),
        kept=context.kept,
    )  # fmt: skip


def histories(runs: list[Trained]) -> pd.DataFrame:
    """What happened in several runs, one after another."""
    return pd.concat([t.history for t in runs], ignore_index=True)
