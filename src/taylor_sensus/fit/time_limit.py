"""A fit within a time limit: fewer members, shorter runs, a smaller process and no boosting, chosen before it begins.

One window of steps is timed on rows of the table's shape, and one evaluation of the process' evidence; what
a whole fit would take follows from the numbers of steps and evaluations. Where that is too long, members and steps are
reduced by the same factor each, because half the members trained half as long lose less than either alone cut to a
quarter. The choice depends on how busy the machine is, so that such a fit is not reproducible.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from taylor_sensus.fit.boosting import FEWEST_ROWS, MOST_TIMES, PARTS
from taylor_sensus.fit.initial import Shape, frequency_scales, new_mean
from taylor_sensus.fit.members import steps_of, useful_jobs
from taylor_sensus.fit.objectives import RunOptions, stage
from taylor_sensus.fit.padding import LARGE, TrainingRows, batch_rows, bucket
from taylor_sensus.fit.steps import WINDOW
from taylor_sensus.model.chunks import cores, on_one_blas_thread
from taylor_sensus.model.gaussian_process import CENTRES, ProcessRows, hyper_prior, negative_log_evidence
from taylor_sensus.model.network import Variant, Weights
from taylor_sensus.settings import Settings

USED = 0.8
"""Of the limit that is planned for: not everything can be foreseen."""
NOISE_COST, BOOSTED_COST, TREE_COST = 0.5, 2.0, 1.1
"""A step of the noise networks and a boosted tree of `BOOSTED_ROWS` beside a step of the mean's; and all that is done
beside training."""
BOOSTED_ROWS = 2000
"""Rows up to which a boosted tree costs about the same; beyond, it costs as much more as there are more rows."""
EVALUATIONS = 150
"""Of the process' evidence with all rows of its search, in a whole fit."""
FEWEST_MEMBERS, FEWEST_STEPS = 2, 64
SMALL_SEARCH, SMALL_PROCESS = 200, 500
"""Rows of the process' search and its centres, where time is short."""


class Costs(NamedTuple):
    """Seconds on this machine."""

    compile: float
    """Of the mean's program; 0 where nothing is compiled."""
    step: float
    """Of one member."""
    evidence: float


@on_one_blas_thread
def settings_within(
    seconds: float, rows: int, features: int, targets: int, settings: Settings, n_jobs: int | None
) -> Settings:
    """The settings with as many members, steps and centres as the limit allows; unchanged where all of it fits."""
    started = time.perf_counter()
    costs = measured(rows, features, targets, settings)
    left = USED * seconds - (time.perf_counter() - started) - costs.compile
    if settings.kernel and process_seconds(rows, settings, costs) > 0.3 * left:
        settings = replace(
            settings,
            kernel_search_rows=min(settings.kernel_search_rows, SMALL_SEARCH),
            kernel_rows=min(settings.kernel_rows, SMALL_PROCESS),
        )
    left -= process_seconds(rows, settings, costs)
    tree = BOOSTED_COST * costs.step * max(1.0, min(rows, LARGE) / BOOSTED_ROWS)
    if settings.boosting and rows >= FEWEST_ROWS:
        each = (PARTS + 1) * MOST_TIMES * tree  # a tree that is asked for, if as many more are grown as may be
        fit = int(min(settings.boosting, 0.3 * max(left, 0.0) / each))
        settings = replace(settings, boosting=fit if fit >= settings.boosting / MOST_TIMES else 0)
        left -= settings.boosting * each
    steps = mean_steps(rows, settings)
    threads = cores(useful_jobs(n_jobs, settings, rows))

    def training(members: int, share: float) -> float:
        pilots = pilot_runs(rows, features, settings) * settings.pilot_share
        noise = NOISE_COST * min(settings.noise_epochs * rows / batch(rows, settings), settings.most_steps / 10)
        return TREE_COST * (costs.step * share * (steps * (members + pilots) + noise * members)) / min(threads, members)

    whole = training(settings.members, 1.0)
    if whole <= left:
        return settings
    members = int(
        np.clip(np.ceil(settings.members * np.sqrt(max(left, 0.0) / whole)), FEWEST_MEMBERS, settings.members)
    )
    members = min(members, settings.members)
    share = float(np.clip(left / training(members, 1.0), FEWEST_STEPS / max(steps, FEWEST_STEPS), 1.0))
    return replace(
        settings,
        members=members,
        pilots=min(settings.pilots, members),
        epochs=max(1, round(settings.epochs * share)),
        noise_epochs=max(1, round(settings.noise_epochs * share)),
        most_steps=max(FEWEST_STEPS, min(settings.most_steps, round(steps * share))),
    )


def batch(rows: int, settings: Settings) -> int:
    """Rows of a step."""
    return batch_rows(settings.batch_size, bucket(rows))


def mean_steps(rows: int, settings: Settings) -> float:
    """Of a member's mean at most."""
    fit = rows * (1 - 1 / max(settings.folds, 2))
    return max(settings.checks, min(settings.epochs * fit / batch(rows, settings), settings.most_steps))


def pilot_runs(rows: int, features: int, settings: Settings) -> int:
    """Short runs that choose the frequencies."""
    if settings.training == "joint" or settings.embedding != "periodic":
        return 0
    tried = len(frequency_scales(rows, features, settings))
    return min(settings.pilots, settings.members) * tried if tried > 1 else 0


def process_seconds(rows: int, settings: Settings, costs: Costs) -> float:
    """Of the search, and of all answers: both grow with the cube of what is known, the answers with the rows too."""
    if not settings.kernel or settings.training == "joint":
        return 0.0
    search_rows, centres = min(rows, settings.kernel_search_rows), min(rows, settings.kernel_rows)
    per_work = costs.evidence / min(rows, SMALL_SEARCH) ** 2.5
    return EVALUATIONS * per_work * search_rows**2.5 + 6 * per_work * (centres**2.5 + rows * centres**1.5)


def measured(rows: int, features: int, targets: int, settings: Settings) -> Costs:
    """One window of steps twice, the second without compiling, and one evaluation of the evidence."""
    rng, size, settings = np.random.default_rng(0), batch(rows, settings), settings.of_rows(rows)
    shape = Shape(features, targets, np.zeros(features), np.ones(features))
    network = new_mean(shape, settings, rng, settings.frequency_cap)
    x, y = (rng.standard_normal((size, width)).astype(np.float32) for width in (features, targets))
    made = TrainingRows(x, y, np.ones(size, np.float32), 0 * y, np.ones_like(y))
    many = round(mean_steps(rows, settings))
    options = RunOptions(
        settings.learning_rate, settings.weight_decay, 0.1, settings.dropout, many, WINDOW, WINDOW,
        Weights(settings.contrast_weight, settings.contrast_mean, settings.contrast_spread, settings.contrast_noise,
                settings.density_weight, settings.log_weight, settings.beta),
    )  # fmt: skip
    variant = Variant(settings.contrast, settings.loss, settings.combination, settings.density, settings.dropout > 0)
    steps = steps_of(network, made, None, options, 0, stage("mean", variant), None)
    window, seconds = steps.gathered(made, np.tile(np.arange(size), (WINDOW, 1))), []
    for _ in range(2):
        started = time.perf_counter()
        steps.run(*steps.start(), window, WINDOW, 0)
        seconds.append(time.perf_counter() - started)
    search_rows = min(rows, SMALL_SEARCH)
    drawn = rng.standard_normal((search_rows, features + targets))
    inputs = ProcessRows(drawn[:, :features], drawn[:, features:], np.ones(search_rows), np.zeros(search_rows))
    prior = hyper_prior(CENTRES[1], features)
    started = time.perf_counter()
    negative_log_evidence(prior.mean, inputs, prior, None)
    return Costs(max(seconds[0] - seconds[1], 0.0), seconds[1] / WINDOW, time.perf_counter() - started)
