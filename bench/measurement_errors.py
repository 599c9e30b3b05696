"""Declared errors, intervals, gaps and the budget's flag, on tables whose truth is known.

Run as `python -m bench.measurement_errors declared|undeclared|intervals|gaps|flag [repeats]`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import numpy as np
from scipy.stats import spearmanr

from taylor_sensus import TSNetRegressor
from taylor_sensus.errors import TaylorSensusWarning

READING_ERROR, SYSTEM = 0.15, 0.05


def readings(rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Toy R: y = sin(2 x0) + x1²/2, with x0 recorded with an error; and the true std of y at each reading."""
    x = rng.uniform(-2, 2, (rows, 3))
    y = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] ** 2 + rng.normal(0, SYSTEM, rows)
    x[:, 0] += rng.normal(0, READING_ERROR, rows)
    return x, y, np.hypot(SYSTEM, 2 * np.cos(2 * x[:, 0]) * READING_ERROR)


def toy_r(rows: int, seed: int, declared: bool = True) -> dict[str, float]:
    """Rank correlation of predicted and true std, full NLL, 90 % coverage overall and by thirds of the true noise."""
    rng = np.random.default_rng(seed)
    (x, y, _), (new, answers, true) = readings(rows, rng), readings(300, rng)
    model = TSNetRegressor(random_state=seed).fit(x, y, X_err=[READING_ERROR, 0, 0] if declared else None)
    mean, std = model.predict(new, return_std=True)
    z = np.abs(answers - mean) / std
    third = true.argsort().argsort() * 3 // len(true)
    held = {f"held, third {k + 1}": float(np.mean(z[third == k] < 1.6449)) for k in range(3)}
    nll = float(np.mean(np.log(2 * np.pi * std**2) / 2 + z**2 / 2))
    return {"rank": float(spearmanr(std, true)[0]), "NLL": nll, "held": float(np.mean(z < 1.6449)), **held}


def intervals(rows: int, seed: int) -> dict[str, float]:
    """Share of new rows in 90 % conformal and Gaussian intervals; the kind of table goes round with the seed."""
    rng = np.random.default_rng(seed)

    def table(count: int) -> tuple[np.ndarray, np.ndarray]:
        x = rng.uniform(-2, 2, (count, 3))
        curved, uneven, long_tails = seed % 2, seed // 2 % 2, seed // 4 % 2
        mean = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] ** 2 if curved else x @ [1.0, -1.0, 0.5]
        noise = rng.standard_t(3, count) if long_tails else rng.standard_normal(count)
        return x, mean + (0.05 + 0.3 * np.abs(x[:, 1]) if uneven else 0.2) * noise

    x, y = table(rows)
    new, answers = table(500)
    model = TSNetRegressor(random_state=seed, details={"interval_fits": 10}).fit(x, y)
    found = {}
    for method in ("conformal", "gaussian"):
        low, high = model.predict_interval(new, 0.9, method)
        found[method] = float(np.mean((answers >= low) & (answers <= high)))
    return found


def gaps(seed: int) -> dict[str, float]:
    """Concrete without 20 % of its cells: MSE beside filling in column means, and 90 % coverage."""
    from taylor_sensus.datasets.catalogue import load_dataset, split_dataset

    parts, rng = split_dataset(load_dataset("concrete"), seed), np.random.default_rng(seed)
    x = np.vstack([parts.X_train, parts.X_val]).astype(float)
    new, y, answers = np.asarray(parts.X_test, float), np.r_[parts.y_train, parts.y_val], np.asarray(parts.y_test)
    x, new = (np.where(rng.uniform(size=a.shape) < 0.2, np.nan, a) for a in (x, new))
    means = np.nanmean(x, axis=0)
    mean, std = TSNetRegressor(random_state=seed).fit(x, y).predict(new, return_std=True)
    filled, other = (np.where(np.isnan(a), means, a) for a in (x, new))
    plain = TSNetRegressor(random_state=seed).fit(filled, y).predict(other)
    return {
        "MSE": float(np.mean((answers - mean) ** 2)),
        "MSE with means": float(np.mean((answers - plain) ** 2)),
        "held": float(np.mean(np.abs(answers - mean) < 1.6449 * std)),
    }


def flag(seed: int) -> dict[str, float]:
    """Whether the split is called unknown for a straight table, and known for a curved one.

    Known means that the interval of every share is at most half a unit wide, which 200 rows need not achieve.
    """
    right = {}
    for curved in (False, True):
        rng = np.random.default_rng([seed, curved])
        x = rng.uniform(-2, 2, (200, 3))
        shape = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] ** 2 if curved else x @ rng.normal(size=3)
        y = shape + rng.normal(0, 0.2, 200)
        budget = TSNetRegressor(random_state=seed).fit(x, y).noise_budget(x[:5])
        right["curved" if curved else "straight"] = float(budget.identifiable == curved)
    return right


STUDIES: dict[str, tuple[int, list[tuple[str, Callable[[int], dict[str, float]]]]]] = {
    "declared": (25, [(f"{n} rows", lambda seed, n=n: toy_r(n, seed)) for n in (60, 200)]),
    "undeclared": (25, [("200 rows", lambda seed: toy_r(200, seed, declared=False))]),
    "intervals": (200, [(f"{n} rows", lambda seed, n=n: intervals(n, seed)) for n in (30, 60, 200)]),
    "gaps": (5, [("concrete", gaps)]),
    "flag": (20, [("200 rows", flag)]),
}


def averages(figures: Callable[[int], dict[str, float]], repeats: int) -> dict[str, tuple[float, float]]:
    """Mean and standard error of each figure over seeds 0 to `repeats` - 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TaylorSensusWarning)
        found = [figures(seed) for seed in range(repeats)]
    columns = {name: np.array([one[name] for one in found]) for name in found[0]}
    return {name: (float(v.mean()), float(v.std() / np.sqrt(len(v)))) for name, v in columns.items()}


def main() -> None:
    """Print the averages of one study."""
    if len(sys.argv) < 2 or sys.argv[1] not in STUDIES:
        sys.exit(f"which of {', '.join(STUDIES)}?")
    usual, parts = STUDIES[sys.argv[1]]
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else usual
    for name, figures in parts:
        told = ", ".join(f"{k} {mean:.3f} ± {error:.3f}" for k, (mean, error) in averages(figures, repeats).items())
        print(f"{sys.argv[1]}, {name}, {repeats} repeats: {told}", flush=True)


if __name__ == "__main__":
    main()
