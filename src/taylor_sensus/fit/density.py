"""Stage density: how much training data lies near a row, learned once for all members."""

from __future__ import annotations

import numpy as np

from taylor_sensus.fit.context import FitContext
from taylor_sensus.fit.members import Trained, train
from taylor_sensus.fit.objectives import stage
from taylor_sensus.fit.padding import batch_rows, bucket, split_rows
from taylor_sensus.model.density import DensityPerception, DensityPoints, density_targets, thinned
from taylor_sensus.model.shapes import Float
from taylor_sensus.model.squash import squash
from taylor_sensus.settings import Settings


def new_perception(
    x: Float[np.ndarray, "rows features"], settings: Settings, rng: np.random.Generator
) -> tuple[DensityPerception, DensityPoints]:
    """An attention that has learned nothing yet, and the points that it learns from, padded."""
    rows = squash(thinned(x, rng), tail="root")
    points = density_targets(rows, settings.neighbours, rng)
    size = min(settings.landmarks, bucket(len(rows)))
    perception = DensityPerception.initial(rows, settings.landmarks, rng, size)
    chosen = np.resize(np.arange(len(points.x)), bucket(len(points.x)))
    padded = DensityPoints(points.x[chosen].astype(np.float32), points.log_density[chosen].astype(np.float32))
    return perception, padded


def train_density(context: FitContext, perception: DensityPerception, points: DensityPoints) -> Trained:
    """The attention by itself."""
    count = len(points.x)
    split = split_rows(np.arange(count), np.arange(1), np.ones(count), count, 16)
    return train(
        perception, points, None, split, context.options(context.settings.density_steps, rate=0.05, decay=0.0),
        context.run_seeds[-1], stage=stage("density", context.variant()), batch_size=batch_rows(256, count),
        checks=context.settings.checks, progress=context.progress,
    )  # fmt: skip
