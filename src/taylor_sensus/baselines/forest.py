"""What the two forests share: trees grown in threads, and a standard deviation from their disagreement.

The spread over trees has no scale of its own, so one factor makes it fit the validation errors. Alone that is not
enough: fully grown trees agree exactly on a row whose duplicate they saw, and a standard deviation of 0 there makes one
wrong row cost more likelihood than all others gain. So spreads below a floor are raised to it, and validation rows
choose the floor. Where duplicates do have equal targets they choose a small one, and the method keeps what it knows.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np

from taylor_sensus.baselines.calibration import std_factor
from taylor_sensus.baselines.face import Baseline, Moments, Scaled
from taylor_sensus.model.chunks import cores

FLOORS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Candidates for the smallest spread, as shares of the validation errors' root mean square."""
SMALLEST_STD = 1e-4
"""Of the training targets' standard deviation, for a target that trees fit exactly."""


class ForestBaseline(Baseline):
    """A forest of scikit-learn; a subclass says of which kind."""

    kind: ClassVar[Any]
    trees: int = 500
    max_features: float = 0.5
    min_samples_leaf: int = 1

    def new_forest(self, seed: int) -> Any:
        """An unfitted forest with this method's settings."""
        return self.kind(
            n_estimators=self.trees,
            max_features=self.max_features,
            min_samples_leaf=self.min_samples_leaf,
            n_jobs=cores(self.n_jobs),
            random_state=seed,
        )

    def _fit(self, rows: Scaled, seed: int) -> None:
        # Equally good splits are ordered by the last digits of targets, which depend on the target's unit.
        self.forest_ = self.new_forest(seed).fit(rows.x, np.round(rows.y, 9))
        tree_means = self.tree_means(rows.x_val)
        error = rows.y_val - tree_means.mean(axis=0)
        self.floor_, self.std_factor_ = fit_spread(error, tree_means.std(axis=0))

    def _refit(self, x: np.ndarray, y: np.ndarray, seed: int) -> None:
        self.forest_ = self.new_forest(seed).fit(x, np.round(y, 9))

    def _predict(self, x: np.ndarray) -> Moments:
        tree_means = self.tree_means(x)
        spread = np.maximum(tree_means.std(axis=0), self.floor_)
        variance = np.maximum(self.std_factor_ * spread, SMALLEST_STD) ** 2
        return Moments(tree_means.mean(axis=0), variance, np.zeros(len(x)))

    def tree_means(self, x: np.ndarray) -> np.ndarray:
        """What each tree predicts for each row, `(trees, rows)`.

        The forest's own `predict` adds trees up in the order in which threads finish, and the last digits vary.
        """
        narrow = np.ascontiguousarray(x, np.float32)
        with ThreadPoolExecutor(cores(self.n_jobs)) as pool:
            means = pool.map(lambda tree: tree.tree_.predict(narrow)[:, 0], self.forest_.estimators_)
        return np.stack(list(means))


def fit_spread(error: np.ndarray, spread: np.ndarray) -> tuple[float, float]:
    """Floor of the spread and factor on it that make the validation errors most likely.

    One more row counts, on which all trees agree and whose error is of the common size: that a few duplicates among the
    validation rows were right does not promise that none will ever be wrong.
    """
    size = max(float(np.sqrt(np.mean(error**2))), SMALLEST_STD)

    def penalised(floor: float) -> tuple[float, float, float]:
        std = np.maximum(spread, floor)
        factor = max(std_factor(error, std), SMALLEST_STD)
        one_more = np.log(floor * factor) + (size / (floor * factor)) ** 2 / 2
        return float(np.sum(np.log(std * factor)) + one_more), floor, factor

    _, floor, factor = min(penalised(share * size) for share in FLOORS)
    return floor, factor
