"""HistGradientBoosting: scikit-learn's boosting on binned features, the mean and two quantiles for its error bar."""

from __future__ import annotations

from typing import Any

import numpy as np

from taylor_sensus.baselines.face import Baseline, Moments, Scaled
from taylor_sensus.baselines.forest import SMALLEST_STD, fit_spread

TAIL = 0.05
NORMAL_TAIL = 1.6448536269514722
"""The standard normal's 95 % quantile."""


class HistBoostingBaseline(Baseline):
    """Trees on squared error for the mean, trees on the 5 and 95 % quantiles for the standard deviation.

    Validation rows choose the number of trees, the fewest rows of a leaf (one of `leaves`), and
    a factor and a floor for the distance of the quantiles, as they do for the forests.
    """

    iterations: int = 1000
    learning_rate: float = 0.1
    leaves: tuple[int, ...] = (5, 20)
    patience: int = 50

    def _fit(self, rows: Scaled, seed: int) -> None:
        _, self.trees_, self.leaf_ = min(self._stopped(rows, seed, leaf) for leaf in self.leaves)
        self.mean_model_ = self._model(self.trees_, self.leaf_, seed).fit(rows.x, rows.y)
        self.quantiles_ = [
            self._model(self.trees_, self.leaf_, seed, loss="quantile", quantile=q).fit(rows.x, rows.y)
            for q in (TAIL, 1 - TAIL)
        ]
        self.floor_, self.std_factor_ = fit_spread(
            rows.y_val - self.mean_model_.predict(rows.x_val), self._spread(rows.x_val)
        )

    def _refit(self, x: np.ndarray, y: np.ndarray, seed: int) -> None:
        self.mean_model_ = self._model(self.trees_, self.leaf_, seed).fit(x, y)

    def _predict(self, x: np.ndarray) -> Moments:
        spread = np.maximum(self._spread(x), self.floor_)
        variance = np.maximum(self.std_factor_ * spread, SMALLEST_STD) ** 2
        return Moments(self.mean_model_.predict(x), variance, np.zeros(len(x)))

    def _spread(self, x: np.ndarray) -> np.ndarray:
        low, high = (model.predict(x) for model in self.quantiles_)
        return np.maximum(high - low, 0.0) / (2 * NORMAL_TAIL)

    def _model(self, trees: int, leaf: int, seed: int, **changes: Any) -> Any:
        from sklearn.ensemble import HistGradientBoostingRegressor

        settings = {"learning_rate": self.learning_rate, "min_samples_leaf": leaf, "early_stopping": False}
        return HistGradientBoostingRegressor(max_iter=trees, random_state=seed, **{**settings, **changes})

    def _stopped(self, rows: Scaled, seed: int, leaf: int) -> tuple[float, int, int]:
        """The least loss on validation rows, with how many trees, and the leaf."""
        watched = self._model(self.iterations, leaf, seed, early_stopping=True, n_iter_no_change=self.patience, tol=0.0)
        watched.fit(rows.x, rows.y, X_val=rows.x_val, y_val=rows.y_val)
        losses = -watched.validation_score_[1:]
        return float(losses.min()), 1 + int(np.argmin(losses)), leaf
