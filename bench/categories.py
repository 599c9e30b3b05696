"""Categories: new ones at prediction, and columns of very many, beside target statistics. Truth is a random effect.

Run as `python -m bench.categories [repeats]`; fits are those of `settings.fast()`. A line has means over the repeats of
RMSE, coverage of 90 % intervals, NLL and familiarity.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd

from taylor_sensus import TaylorSensusWarning, TSNetRegressor
from taylor_sensus.settings import fast

NOISE = 0.2


def table(rows: int, categories: int, effect: float, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers and a category, of unequal frequency where there are many, with an effect of this size."""
    rng = np.random.default_rng(seed)
    share = rng.gamma(0.7, size=categories) if categories > 20 else np.ones(categories)
    kind = rng.choice(categories, size=rows, p=share / share.sum())
    x = rng.uniform(-2, 2, (rows, 2))
    size = effect * rng.normal(size=categories)
    y = np.sin(1.5 * x[:, 0]) + 0.5 * x[:, 1] + size[kind] + NOISE * rng.normal(size=rows)
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "kind": [f"k{k:03d}" for k in kind]}), y


def smoothed_means(kind: np.ndarray, y: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """The target statistic of each asked category: its mean, drawn to that of all as far as its few rows scatter."""
    grouped = pd.Series(y).groupby(kind)
    count, mean = grouped.size(), grouped.mean()
    within = ((y - pd.Series(kind).map(mean)) ** 2).sum() / max(len(y) - len(count), 1)
    several = count > 1
    between = max(mean[several].var() - within * (1 / count[several]).mean(), 1e-3 * np.var(y))
    drawn = (count * mean + within / between * y.mean()) / (count + within / between)
    return pd.Series(asked).map(drawn).fillna(y.mean()).to_numpy()


def with_statistics(X: pd.DataFrame, y: np.ndarray, train: np.ndarray, seed: int) -> pd.DataFrame:
    """The category replaced by its target statistic, for training rows from the other fifths of them."""
    kind, found = X["kind"].to_numpy(), np.empty(len(X))
    known, fold = np.flatnonzero(train), np.random.default_rng(seed).integers(5, size=train.sum())
    for k in range(5):
        rest = known[fold != k]
        found[known[fold == k]] = smoothed_means(kind[rest], y[rest], kind[known[fold == k]])
    found[~train] = smoothed_means(kind[train], y[train], kind[~train])
    return X.assign(kind=found)


def judged(model: TSNetRegressor, X: pd.DataFrame, y: np.ndarray) -> list[float]:
    """RMSE, coverage, NLL and familiarity."""
    said = model.predict_distribution(X)
    low, high = said.interval(0.9)
    held = float(np.mean((y >= low) & (y <= high)))
    rmse = float(np.sqrt(np.mean((said.mean - y) ** 2)))
    return [rmse, held, -float(np.mean(said.logpdf(y))), float(np.mean(said.familiarity))]


def new_categories(seed: int, effect: float, rows: int = 300) -> dict[str, list[float]]:
    """Ten categories, of which two are in no training row: as new ones, as gaps, and known ones beside them."""
    X, y = table(rows, 10, effect, seed)
    new = (X["kind"] >= "k008").to_numpy()
    held = (np.arange(rows) % 6 == 0) & ~new
    model = TSNetRegressor(random_state=seed, **fast()).fit(X[~new & ~held], y[~new & ~held])
    name = f"effect {effect:g}"
    return {
        f"{name}: new": judged(model, X[new], y[new]),
        f"{name}: as gaps": judged(model, X[new].assign(kind=None), y[new]),
        f"{name}: known": judged(model, X[held], y[held]),
    }


def many_categories(seed: int, rows: int = 700) -> dict[str, list[float]]:
    """150 categories in 500 training rows, by columns and by target statistics."""
    X, y = table(rows, 150, 1.0, seed)
    train = np.arange(rows) < 5 * rows // 7
    tables = {"columns": X, "target statistics": with_statistics(X, y, train, seed), "left out": X.drop(columns="kind")}
    return {
        f"150 categories: {name}": judged(
            TSNetRegressor(random_state=seed, **fast()).fit(own[train], y[train]), own[~train], y[~train]
        )
        for name, own in tables.items()
    }


def main(repeats: int = 3) -> None:
    """Print the lines."""
    found: dict[str, list[list[float]]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TaylorSensusWarning)
        for seed in range(repeats):
            for part in (new_categories(seed, 0.0), new_categories(seed, 1.0), many_categories(seed)):
                for name, scores in part.items():
                    found.setdefault(name, []).append(scores)
    for name, scores in found.items():
        rmse, held, nll, known = np.mean(scores, axis=0)
        print(f"{name:36s} RMSE {rmse:.3f}  coverage {held:.3f}  NLL {nll:+.3f}  familiarity {known:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
