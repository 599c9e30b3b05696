"""The rows of each case of the study `honesty`: what a method learns from, what it is judged on, what is true there."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from bench.noise_shares import SHARES, table
from paper.data.catalogue import load
from paper.honesty.cases import TABLES, Case
from taylor_sensus.datasets.functions import draw_function
from taylor_sensus.datasets.synthetic import toy_1d

NEW_ROWS = 500
"""Fresh rows that a method is judged on; fewer of a real table."""
NEW_BATCHES, BATCH_ROWS = 40, 10
NOISE_SHARE, PRECISE_SHARE = 0.2, 0.001
"""Noise of generated tables, over the spread of the function."""
LEVELS = np.linspace(-1, 1, 5)
FACTORIAL_NOISE, SLIP_NOISE, ROW_NOISE, BATCH_EFFECT = 0.15, 0.1, 0.2, 0.5
SLIP = 10.0
"""A typing error: the value times this."""
LEAN = 0.8
"""Standard deviation of the logarithm of lognormal noise."""
TRAINING, TESTING = 0, 1
"""Streams of random numbers."""


class Drawn(NamedTuple):
    """A table, new rows, and what is known of them."""

    X: pd.DataFrame
    y: np.ndarray
    X_new: pd.DataFrame
    y_new: np.ndarray
    """What is measured at the new rows."""
    f_new: np.ndarray = np.empty(0)
    """The function there, without noise; empty where nobody knows it."""
    groups: pd.Series | None = None
    slips: np.ndarray = np.empty(0, int)
    """Places of the training rows that are wrong."""
    system_share: float = np.nan
    """Of the noise variance."""
    noise_std: float = np.nan


def draw(case: Case, seed: int) -> Drawn:
    """The rows of one repeat."""
    return _KINDS[case.kind](case, seed)


def _few(case: Case, seed: int) -> Drawn:
    if case.source in TABLES:
        whole = load(case.source)
        order = np.random.default_rng([seed, case.rows]).permutation(len(whole.y))[: case.rows + NEW_ROWS]
        X, y = whole.X.iloc[order].reset_index(drop=True), whole.y.to_numpy(float)[order]
        return Drawn(X[: case.rows], y[: case.rows], X[case.rows :], y[case.rows :])
    return _function(case, seed, NOISE_SHARE)


def _precise(case: Case, seed: int) -> Drawn:
    return _function(case, seed, PRECISE_SHARE)


def _function(case: Case, seed: int, share: float) -> Drawn:
    old, new = (
        draw_function(case.source, rows, noise_share=share, random_state=[seed, stream, case.rows])
        for rows, stream in ((case.rows, TRAINING), (NEW_ROWS, TESTING))
    )
    return Drawn(old.X, old.y.to_numpy(), new.X, new.y.to_numpy(), new.truth, noise_std=float(new.noise_std[0]))


def _factorial(case: Case, seed: int) -> Drawn:
    """Every pair of levels as often; judged in the middle between neighbours."""
    rng = np.random.default_rng([seed, TRAINING])
    design, between = _grid(LEVELS), _grid((LEVELS[1:] + LEVELS[:-1]) / 2)
    x = np.repeat(design, case.rows // len(design), axis=0)
    y = _hilly(x) + FACTORIAL_NOISE * rng.standard_normal(len(x))
    f = _hilly(between)
    y_new = f + FACTORIAL_NOISE * rng.standard_normal(len(f))
    return Drawn(_frame(x), y, _frame(between), y_new, f, noise_std=FACTORIAL_NOISE)


def _batches(case: Case, seed: int) -> Drawn:
    """Two inputs of the batch, two of the row; and each batch is off by an amount of its own."""
    rng = np.random.default_rng([seed, TRAINING])
    count = case.rows // BATCH_ROWS + seed % 3

    def rows_of(batches: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        code = np.repeat(np.arange(batches), BATCH_ROWS)
        x = np.hstack([rng.uniform(-1, 1, (batches, 2))[code], rng.uniform(-1, 1, (len(code), 2))])
        f = x[:, 0] + 0.5 * x[:, 1] ** 2 + np.sin(2 * x[:, 2]) + x[:, 2] * x[:, 3]
        effect = BATCH_EFFECT * rng.standard_normal(batches)[code]
        return code, x, f + effect + ROW_NOISE * rng.standard_normal(len(code))

    code, x, y = rows_of(count)
    _, x_new, y_new = rows_of(NEW_BATCHES)
    groups = pd.Series([f"batch {number + 1}" for number in code], name="batch")
    return Drawn(_frame(x), y, _frame(x_new), y_new, groups=groups)


def _slips(case: Case, seed: int) -> Drawn:
    """Values of a smooth function, of which one or a tenth are ten times too large.

    Positive, of two inputs; or around 0, of four, where neighbours differ and a slip may be as small as other values.
    """
    rng = np.random.default_rng([seed, TRAINING])
    function, inputs = (_several, 4) if case.name == "ten_slips_inputs" else (_wavy, 2)
    x, x_new = rng.uniform(0, 1, (case.rows, inputs)), rng.uniform(0, 1, (NEW_ROWS, inputs))
    y, f = function(x) + SLIP_NOISE * rng.standard_normal(len(x)), function(x_new)
    slips = rng.permutation(len(x))[: 1 if case.name == "one_slip" else len(x) // 10]
    y[slips] *= SLIP
    y_new = f + SLIP_NOISE * rng.standard_normal(len(f))
    return Drawn(_frame(x), y, _frame(x_new), y_new, f, slips=np.sort(slips), noise_std=SLIP_NOISE)


def _lognormal(case: Case, seed: int) -> Drawn:
    rng = np.random.default_rng([seed, TRAINING])
    x, x_new = rng.uniform(0, 1, (case.rows, 2)), rng.uniform(0, 1, (NEW_ROWS, 2))
    y, y_new = (_wavy(rows) + 0.3 * np.exp(LEAN * rng.standard_normal(len(rows))) for rows in (x, x_new))
    return Drawn(_frame(x), y, _frame(x_new), y_new)


def _counts(case: Case, seed: int) -> Drawn:
    """From hardly any to about twenty."""
    rng = np.random.default_rng([seed, TRAINING])
    x, x_new = rng.uniform(0, 1, (case.rows, 2)), rng.uniform(0, 1, (NEW_ROWS, 2))
    y, y_new = (rng.poisson(np.exp(_wavy(rows) - 2.0)).astype(float) for rows in (x, x_new))
    return Drawn(_frame(x), y, _frame(x_new), y_new)


def _shares(case: Case, seed: int) -> Drawn:
    """No, half and all of the noise is the system's, in turn."""
    share = SHARES[seed % len(SHARES)]
    x, y = table(case.source, share, case.rows, np.random.default_rng(seed))
    return Drawn(_frame(x), y, _frame(x[:0]), y[:0], system_share=share)


def _toy(case: Case, seed: int) -> Drawn:
    """The rows of the documentation's first figure with a model's mean (seed 0), and others like them."""
    toy = toy_1d(seed, case.rows)
    inside = np.linspace(toy.X.min(), toy.X.max(), NEW_ROWS)[:, None]
    return Drawn(_frame(toy.X), toy.y, _frame(inside), toy.noisy_targets(inside, [seed, TESTING]), toy.truth(inside))


_KINDS: dict[str, Callable[[Case, int], Drawn]] = {
    "few": _few, "factorial": _factorial, "batches": _batches, "slips": _slips, "lognormal": _lognormal,
    "counts": _counts, "shares": _shares, "precise": _precise, "toy": _toy,
}  # fmt: skip


def _hilly(x: np.ndarray) -> np.ndarray:
    return np.sin(2 * x[:, 0]) + x[:, 0] * x[:, 1] + 0.5 * x[:, 1] ** 2


def _wavy(x: np.ndarray) -> np.ndarray:
    return 3 + np.sin(2 * np.pi * x[:, 0]) + x[:, 1]


def _several(x: np.ndarray) -> np.ndarray:
    u = 2 * x - 1
    return np.exp(1.5 * u[:, 0]) - 1.4 + u[:, 1] * u[:, 2] + 0.5 * u[:, 3]


def _grid(ticks: np.ndarray) -> np.ndarray:
    return np.stack(np.meshgrid(ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 2)


def _frame(x: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(x, columns=[f"x{number}" for number in range(x.shape[1])])
