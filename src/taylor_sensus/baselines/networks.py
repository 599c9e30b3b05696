"""What the neural rivals share with TSNet: the mean network, the compiled training program and its schedule.

A method brings its own head and loss. The spread of the embedding's frequencies is chosen as TSNet chooses it, by
networks trained on squared error with each spread and scored on validation rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import Array

from taylor_sensus.baselines.face import Baseline, Scaled
from taylor_sensus.fit.initial import Shape, frequency_scales, new_mean
from taylor_sensus.fit.members import Trained, train
from taylor_sensus.fit.objectives import RunOptions, Stage, mean_loss, mean_score
from taylor_sensus.fit.padding import RowSplit, batch_rows, bucket, pad, split_rows
from taylor_sensus.model.chunks import run_all
from taylor_sensus.model.network import Variant, Weights
from taylor_sensus.model.networks import MeanNetwork
from taylor_sensus.settings import DEFAULTS, Settings, resolve
from taylor_sensus.storage.compilation import forget_programs_if_many, use_compilation_cache

PARTS = Variant(contrast="off", loss="expected", combination="mixture", density=False)
WEIGHTS = Weights(0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
SQUARED_ERROR = Stage("mean", mean_loss, mean_score, PARTS)
CHUNK = 1024
"""Rows in a call of a prediction program."""


class FitRows(NamedTuple):
    """Padded rows as the training program wants them: `(rows, features)`, `(rows, 1)`, `(rows,)`."""

    x: Any
    y: Any
    weight: Any


class Prepared(NamedTuple):
    """A table on its way into the training program."""

    rows: FitRows
    split: RowSplit
    train: int
    features: int


def prepare(table: Scaled, fit: np.ndarray | None = None, held: np.ndarray | None = None) -> Prepared:
    """Training rows are fitted and validation rows score them.

    Other choices by position: `fit` among the training rows, `held` among training rows followed by validation rows.
    """
    use_compilation_cache()
    forget_programs_if_many()
    x = np.concatenate([table.x, table.x_val]).astype(np.float32)
    y = np.concatenate([table.y, table.y_val]).astype(np.float32)[:, None]
    train_count, padded = len(table.x), bucket(len(x))
    fit = np.arange(train_count) if fit is None else fit
    held = np.arange(train_count, len(x)) if held is None else held
    weight = np.ones(len(x), np.float32)
    rows = FitRows(pad(x, padded), pad(y, padded), pad(weight, padded))
    split = split_rows(fit, held, weight, padded, bucket(len(held)))
    return Prepared(rows, split, train_count, x.shape[1])


class NeuralBaseline(Baseline):
    """A rival built on our mean network. Settings have TSNet's names and partly its defaults.

    Width, batches and epochs are larger: TSNet needs less, because a process shares in its mean.
    """

    width: int = 128
    depth: int = DEFAULTS.depth
    activation: str = DEFAULTS.activation
    embedding: str = DEFAULTS.embedding
    epochs: int = 256
    batch_size: int = 128
    learning_rate: float = DEFAULTS.learning_rate
    weight_decay: float = 0.02

    def settings(self) -> Settings:
        """This method's settings in TSNet's record, checked as TSNet checks them."""
        names = ("width", "depth", "activation", "embedding", "epochs", "batch_size", "learning_rate")
        own = {name: getattr(self, name) for name in names}
        more = {"weight_decay": self.weight_decay, "noise_width": 64}
        if self.embedding == "periodic":
            more["frequency_multiples"] = (0.25, 1.0, 4.0)
        return resolve({**own, "contrast": "off"}, more)

    def new_network(self, features: int, outputs: int, rng: np.random.Generator, spread: float) -> MeanNetwork:
        """An untrained network of the common architecture that gives 0 for each of its outputs."""
        shape = Shape(features, outputs, np.zeros(features), np.ones(features))
        return new_mean(shape, self.settings(), rng, spread)

    def train(
        self, network: Any, prepared: Prepared, stage: Stage, seed: int, *, numbers: Any = None, **changes: Any
    ) -> Trained:
        """A whole run on the common schedule. `numbers` reach the loss as its third argument, `points`, without a
        new compilation; `changes` replace settings by name."""
        settings = self.settings()
        chosen = {name: changes.get(name, getattr(settings, name)) for name in SCHEDULE}
        batch = batch_rows(chosen["batch_size"], len(prepared.rows.x))
        wanted = round(chosen["epochs"] * int(prepared.split.fit_count) / batch)
        steps = max(settings.checks, min(wanted, settings.most_steps))
        options = RunOptions(
            learning_rate=chosen["learning_rate"],
            weight_decay=chosen["weight_decay"],
            warmup=max(settings.warmup, 1e-6),
            dropout=0.0,
            steps=steps,
            steps_per_check=-(-steps // settings.checks),
            patience=max(1, int(np.ceil(chosen["patience"] * steps))),
            weights=WEIGHTS,
        )
        return train(
            network,
            prepared.rows,
            numbers,
            prepared.split,
            options,
            seed,
            stage=stage,
            batch_size=batch,
            checks=settings.checks,
        )

    def pilot(self, prepared: Prepared, seed: int) -> Pilot:
        """Networks trained on squared error with each spread of frequencies; the best on the validation rows."""
        settings = self.settings()
        spreads = [0.0]
        if settings.embedding == "periodic":
            spreads = frequency_scales(int(prepared.split.fit_count), prepared.features, settings)

        def run(spread: float) -> Trained:
            network = self.new_network(prepared.features, 1, np.random.default_rng(seed), spread)
            return self.train(network, prepared, SQUARED_ERROR, seed)

        trained = run_all([lambda s=s: run(s) for s in spreads], self.n_jobs)
        best = int(np.argmin([t.score for t in trained]))
        return Pilot(spreads[best], trained[best].network, trained[best].score)


SCHEDULE = ("batch_size", "epochs", "learning_rate", "weight_decay", "patience")


class Pilot(NamedTuple):
    """The best network trained on squared error, its spread of frequencies and its validation error."""

    spread: float
    network: MeanNetwork
    score: float


def in_chunks(program: Callable[..., Any], x: np.ndarray, n_jobs: int | None, *first: Any) -> Any:
    """`program(*first, chunk)` over all rows, in chunks of one shape; results keep rows as their first axis.

    `program` should be compiled and never mix rows.
    """

    def job(start: int) -> Any:
        chunk = x[start : start + CHUNK].astype(np.float32)
        result = jax.device_get(program(*first, pad(chunk, CHUNK)))
        return jax.tree.map(lambda a: a[: len(chunk)], result)

    parts = run_all([lambda s=s: job(s) for s in range(0, len(x), CHUNK)], n_jobs)
    return jax.tree.map(lambda *arrays: np.concatenate(arrays), *parts)


@jax.jit
def outputs(network: MeanNetwork, x: Array) -> Array:
    """What a network gives for each row, `(rows, outputs)`."""
    return jax.vmap(network)(x)


def generators(seed: int, count: int) -> Sequence[np.random.Generator]:
    """Independent generators from one seed."""
    return [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(count)]
