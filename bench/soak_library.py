"""Fits, predictions, updates and files in one process; each answer is compared with the first of its kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus import TSNetRegressor, load
from taylor_sensus.errors import DataError

NETWORKS = {"members": 2, "width": 8, "depth": 1, "epochs": 4, "n_jobs": 1}
DETAILS = {"folds": 2, "noise_width": 8, "noise_depth": 1, "noise_epochs": 4}


class Shape(NamedTuple):
    """A class of tables, by what makes programs differ."""

    name: str
    rows: int
    columns: int
    targets: int = 1
    words: bool = False
    errors: bool = False


SHAPES = (
    Shape("few", 30, 3),
    Shape("plain", 60, 4),
    Shape("wide", 80, 20),
    Shape("long", 400, 6),
    Shape("two targets", 60, 4, targets=2),
    Shape("words", 60, 3, words=True),
    Shape("declared errors", 60, 4, errors=True),
)


def table_of(shape: Shape) -> tuple[pd.DataFrame, np.ndarray]:
    """Inputs and targets, the same every time."""
    rng = np.random.default_rng(len(shape.name))
    X = pd.DataFrame(rng.normal(size=(shape.rows, shape.columns)), columns=[f"x{i}" for i in range(shape.columns)])
    y = np.stack([X["x0"] * (k + 1) + np.sin(3 * X["x1"]) for k in range(shape.targets)], axis=1)
    y = y + 0.1 * rng.normal(size=y.shape)
    if shape.words:
        X["kind"] = rng.choice(["brass", "steel"], shape.rows)
    return X, y[:, 0] if shape.targets == 1 else y


class Library:
    """What may be asked of the library, and what it said the first time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: dict[tuple[str, str], np.ndarray] = {}
        self.models: dict[str, TSNetRegressor] = {}
        self.seen: set[tuple[str, str]] = set()
        self.wrong: list[str] = []

    @property
    def actions(self) -> dict[str, Callable[[Shape], np.ndarray]]:
        """By name; all but a fit need a model of the shape, and make it if there is none yet."""
        return {
            "fit": self.fit,
            "predict": self.predict,
            "save and load": self.reload,
            "update": self.update,
            "budget": self.budget,
            "refuse": self.refuse,
        }

    def settled(self) -> bool:
        """Whether every action was done twice with every shape."""
        return len(self.seen) == len(self.actions) * len(SHAPES)

    def act(self, name: str, shape: Shape) -> None:
        """One action; another answer than the first time is wrong."""
        answer = self.actions[name](shape)
        key = (name, shape.name)
        if key in self.said:
            self.seen.add(key)
        if not np.array_equal(self.said.setdefault(key, answer), answer, equal_nan=True):
            self.wrong.append(f"{name}, {shape.name}")

    def fit(self, shape: Shape) -> np.ndarray:
        X, y = table_of(shape)
        model = TSNetRegressor(**NETWORKS, details=DETAILS, random_state=0)
        self.models[shape.name] = model.fit(X, y, X_err={"x0": 0.1} if shape.errors else None)
        return self.predict(shape)

    def predict(self, shape: Shape) -> np.ndarray:
        model, X = self._model(shape), table_of(shape)[0]
        return np.stack(model.predict(X, return_std=True))

    def reload(self, shape: Shape) -> np.ndarray:
        path = self.folder / "kept.tsnet"
        self._model(shape).save(path)
        return np.stack(load(path).predict(table_of(shape)[0], return_std=True))

    def update(self, shape: Shape) -> np.ndarray:
        """With three suggestions that were filled in."""
        path = self.folder / "kept.tsnet"
        self._model(shape).save(path)
        model, X = load(path), table_of(shape)[0]
        names = model.fitted_.target_names
        form = model.suggest(n=3, random_state=0, target=names[0]).table
        filled = form.assign(**{name: np.arange(3.0) for name in names})
        return np.stack(model.update(filled).predict(X, return_std=True))

    def budget(self, shape: Shape) -> np.ndarray:
        table = self._model(shape).noise_budget(table_of(shape)[0].head(20)).mean()
        return table.select_dtypes("number").to_numpy(dtype=float)

    def refuse(self, shape: Shape) -> np.ndarray:
        """A table that lacks a column must be refused, and leave the model as it was."""
        try:
            self._model(shape).predict(table_of(shape)[0].drop(columns="x0"))
        except (DataError, ValueError):
            return self.predict(shape)
        return np.zeros(0)

    def _model(self, shape: Shape) -> TSNetRegressor:
        if shape.name not in self.models:
            self.fit(shape)
        return self.models[shape.name]
