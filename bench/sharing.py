"""A weight-sharing ensemble beside eight separate networks: squared error of unseen rows, and seconds of CPU.

Eight members share all hidden weights; each has factors of its own on the embedded features, which begin as random
signs, and an output layer of its own (as TabM's smallest variant and BatchEnsemble do). The separate members are the
package's own networks. Both learn on the same rows with the same steps (`fit.backprop`), the same widths and waves,
and stop where the same held-out rows like it best; nothing but the mean is learned. A step of the shared ensemble asks
eight members for each row of its batch, as a step of each separate network does together: so it can only save time by
needing fewer passes over the table, and half and a quarter of them are tried too.

Run as `python -m bench.sharing`; lines are kept in `bench/results/sharing.csv` as they are measured, and those that are
there already are not measured again. `--quick` shows in miniature that everything runs.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from paper.data.catalogue import load
from taylor_sensus._version import __version__
from taylor_sensus.datasets.splits import standard_split
from taylor_sensus.fit.backprop import Layers, MeanBatch, MeanPass, PlainSteps, Waves
from taylor_sensus.fit.initial import Shape, frequency_scales, new_mean
from taylor_sensus.fit.objectives import RunOptions
from taylor_sensus.model.activations import ACTIVATIONS
from taylor_sensus.model.forward import mean_of
from taylor_sensus.model.network import Weights
from taylor_sensus.model.networks import MeanNetwork, Perceptron
from taylor_sensus.model.scaling import learn_scaling
from taylor_sensus.settings import DEFAULTS, Settings

RESULTS = Path(__file__).parent / "results" / "sharing.csv"
TABLES = (
    *("auto", "cpus", "biomass", "sacramento", "carseats", "college"),
    *("friedman1", "borehole", "piston", "robot_arm", "otl_circuit", "wave"),
)
MOST_ROWS, SPLITS, HELD_OUT, CHECKS = 1000, (0, 1, 2), 0.1, 12
EPOCHS = {"separate": 1.0, "shared": 1.0, "shared, half the passes": 0.5, "shared, a quarter": 0.25}


class SharedPass:
    """Mean squared error of a weight-sharing ensemble on a batch, averaged over its members, and its gradient."""

    batch = MeanBatch

    def __init__(self, start: MeanNetwork, members: int, rng: np.random.Generator) -> None:
        *hidden, last = start.perceptron.layers
        self.members, self.waves = members, Waves(start.embedding)  # pyright: ignore[reportArgumentType]
        self.layers = Layers(Perceptron(tuple(hidden), start.perceptron.activation))
        self.activation = ACTIVATIONS[start.perceptron.activation]
        inputs, (width, targets) = hidden[0].weight.shape[0], last.weight.shape
        signs = rng.choice(np.array([-1, 1], np.float32), (members, inputs))
        heads, biases = np.zeros((members, width, targets), np.float32), np.zeros((members, targets), np.float32)
        self.arrays = [*self.waves.arrays, signs, heads, biases, *self.layers.arrays]

    def outputs(self, views: Sequence[Any], x: np.ndarray) -> np.ndarray:
        """Of every member at rows; what the way back needs is remembered."""
        signs, self.heads, biases = views[3:6]
        self.embedded, self.signs = self.waves.forward(views[:3], x), signs
        z = self.layers.forward(views[6:], (self.embedded * signs[:, None, :]).reshape(-1, signs.shape[1]))
        last, self.slope = self.activation(z, True)
        self.last = last.reshape(self.members, len(x), -1)
        return self.last @ self.heads / np.sqrt(np.float32(z.shape[1])) + biases[:, None, :]

    def __call__(self, views: list[Any], gradient: list[Any], rows: MeanBatch) -> float:
        away = self.outputs(views, rows.x) - rows.y
        pull = away * (rows.weight / rows.weight.sum())[:, None]
        loss = float(np.vdot(pull, away))  # summed over members, as their own losses would be
        pull *= 2
        pull.sum(axis=1, out=gradient[5])
        pull /= np.sqrt(np.float32(self.last.shape[2]))
        np.matmul(self.last.swapaxes(1, 2), pull, out=gradient[4])
        back = (pull @ self.heads.swapaxes(1, 2)).reshape(self.slope.shape) * self.slope
        back = self.layers.back(back, gradient[6:], to_input=True).reshape(self.members, len(rows.x), -1)
        np.einsum("mre,re->me", back, self.embedded, out=gradient[3])
        self.waves.back((back * self.signs[:, None, :]).sum(axis=0), gradient[:3])
        return loss

    def network(self, views: list[Any]) -> list[Any]:
        """The weights themselves."""
        return [view.copy() for view in views]


class Rows(NamedTuple):
    """A table in scaled units."""

    fit: MeanBatch
    held: MeanBatch
    test: MeanBatch


def scaled_rows(table: str, split: int, most: int) -> Rows:
    """Training rows, a tenth of them held out to stop on, and test rows."""
    X, y, _ = load(table)
    X = pd.get_dummies(X, dtype=float).to_numpy(np.float64)
    X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    some = np.random.default_rng(0).permutation(len(y))[:most]
    X, target = X[some], np.asarray(y, np.float64)[some, None]
    parts = standard_split(len(target), split)
    held = round(HELD_OUT * len(parts.train))
    scaler = learn_scaling(X[parts.train], target[parts.train], np.ones(len(parts.train)))

    def taken(rows: np.ndarray) -> MeanBatch:
        x, t = scaler.features(X[rows]), scaler.targets(target[rows])
        return MeanBatch(x.astype(np.float32), t.astype(np.float32), np.ones(len(rows), np.float32))

    return Rows(taken(parts.train[held:]), taken(parts.train[:held]), taken(parts.test))


def options(steps: int, settings: Settings) -> RunOptions:
    """The default's, for so many steps."""
    return RunOptions(
        learning_rate=settings.learning_rate, weight_decay=settings.weight_decay, warmup=settings.warmup, dropout=0.0,
        steps=steps, steps_per_check=steps, patience=steps, weights=Weights(0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0),
    )  # fmt: skip


def learned(steps: PlainSteps, rows: Rows, count: int, batch: int, seed: int, error: Any) -> Any:
    """The weights that serve held-out rows best; looked at a dozen times."""
    rng, done = np.random.default_rng(seed), 0
    weights, moments = steps.start()
    best, least = weights, error(weights)
    while done < count:
        window = min(max(count // CHECKS, 1), count - done)
        picks = np.stack([rng.choice(len(rows.fit.y), batch, replace=False) for _ in range(window)])
        weights, moments, _ = steps.run(weights, moments, steps.gathered(rows.fit, picks), window, done)
        done += window
        now = error(weights)
        if now < least:
            best, least = weights, now
    return best


def measured(kind: str, rows: Rows, seed: int, settings: Settings) -> tuple[float, float]:
    """Squared error of test rows in scaled units, of the mean of all members, and seconds of CPU."""
    started, (count, features) = time.process_time(), rows.fit.x.shape
    batch = min(settings.batch_size, count)
    steps = max(CHECKS, min(round(EPOCHS[kind] * settings.epochs * count / batch), settings.most_steps))
    shape = Shape(features, 1, np.zeros(features), np.ones(features))
    scale = frequency_scales(count, features, settings)[0]
    generators = np.random.default_rng(seed).spawn(settings.members)
    starts = [new_mean(shape, settings, rng, scale) for rng in generators]
    if kind == "separate":
        found = []
        for number, start in enumerate(starts):
            run = PlainSteps(MeanPass(start), options(steps, settings))
            best = learned(run, rows, steps, batch, seed + number, lambda w, r=run: _error(r, w, rows.held))
            found.append(mean_of(run.network(best), rows.test.x))
        mean = np.mean(found, axis=0)
    else:
        shared = SharedPass(starts[0], settings.members, generators[0])
        run = PlainSteps(shared, options(steps, settings))  # pyright: ignore[reportArgumentType]

        def held_error(weights: np.ndarray) -> float:
            return float(np.mean((shared.outputs(run.views(weights), rows.held.x).mean(axis=0) - rows.held.y) ** 2))

        best = learned(run, rows, steps, batch, seed, held_error)
        mean = shared.outputs(run.views(best), rows.test.x).mean(axis=0)
    return float(np.mean((mean - rows.test.y) ** 2)), time.process_time() - started


def _error(run: PlainSteps, weights: np.ndarray, rows: MeanBatch) -> float:
    return float(np.mean((mean_of(run.network(weights), rows.x) - rows.y) ** 2))


def table_of(lines: pd.DataFrame) -> pd.DataFrame:
    """Geometric means of the ratios to the separate members, with the standard error over tables."""
    wide = lines.pivot_table(index=["dataset", "split"], columns="kind", values=["mse", "cpu_seconds"])
    made = []
    for kind in EPOCHS:
        ratio = np.log(wide["mse"][kind] / wide["mse"]["separate"]).groupby(level="dataset").mean().dropna()
        cost = np.log(wide["cpu_seconds"][kind] / wide["cpu_seconds"]["separate"]).mean()
        error = ratio.std() / np.sqrt(max(len(ratio), 1))
        made.append((kind, float(np.exp(ratio.mean())), float(error), float(np.exp(cost)), len(ratio)))
    return pd.DataFrame(made, columns=["ensemble", "mse_ratio", "log_standard_error", "cpu_ratio", "tables"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is not there yet, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one small table, a few steps, nothing kept")
    quick = parser.parse_args(arguments).quick
    settings = replace(DEFAULTS, epochs=2, members=2) if quick else DEFAULTS
    tables, splits, most = (("friedman1",), (0,), 150) if quick else (TABLES, SPLITS, MOST_ROWS)
    known = (
        pd.read_csv(RESULTS) if RESULTS.exists() and not quick else pd.DataFrame(columns=["dataset", "split", "kind"])
    )
    done = set(zip(known["dataset"], known["split"], known["kind"], strict=True))
    lines = known.to_dict("records")
    for table in tables:
        for split in splits:
            rows = scaled_rows(table, split, most)
            for kind in EPOCHS:
                if (table, split, kind) in done:
                    continue
                mse, seconds = measured(kind, rows, split, settings)
                lines.append(
                    {"dataset": table, "split": split, "kind": kind, "mse": mse, "cpu_seconds": round(seconds, 3),
                     "version": __version__}
                )  # fmt: skip
                if not quick:
                    with RESULTS.open("w", newline="") as file:
                        writer = csv.DictWriter(file, lines[-1], lineterminator="\n")
                        writer.writeheader()
                        writer.writerows(lines)
    print(table_of(pd.DataFrame(lines)).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
