"""CatBoost: boosted symmetric trees, one model for the mean and one for the variance."""

from __future__ import annotations

from typing import Any

import numpy as np

from taylor_sensus.baselines.calibration import std_factor
from taylor_sensus.baselines.face import Baseline, Moments, Scaled
from taylor_sensus.model.chunks import cores


class CatBoostBaseline(Baseline):
    """Trees on squared error for the mean, trees on the Gaussian likelihood for the variance, both early stopped.

    The likelihood model's own mean is worse than that of squared error, so only its variance is used. It was fitted
    around another mean, and one factor from validation rows makes up for that.
    """

    requires = ("catboost",)

    iterations: int = 3000
    learning_rate: float = 0.03
    depth: int = 6
    patience: int = 200

    def _fit(self, rows: Scaled, seed: int) -> None:
        # CatBoost refuses a table in which nothing varies; it gets the training mean, which is 0 in scaled units.
        self.varies_ = bool(np.ptp(rows.y) > 0 and np.any(np.ptp(rows.x, axis=0) > 0))
        if self.varies_:
            self.mean_model_ = self._boost("RMSE", rows, seed)
            self.variance_model_ = self._boost("RMSEWithUncertainty", rows, seed)
        self.std_factor_ = 1.0
        predicted = self._predict(rows.x_val)
        # Validation rows without any error, as a constant target has, would give a factor of 0.
        self.std_factor_ = max(std_factor(rows.y_val - predicted.mean, np.sqrt(predicted.noise_variance)), 1e-3)

    def _predict(self, x: np.ndarray) -> Moments:
        mean, variance = np.zeros(len(x)), np.ones(len(x))
        if self.varies_:
            threads = cores(self.n_jobs)
            mean = self.mean_model_.predict(x, thread_count=threads)
            variance = self.variance_model_.predict(x, thread_count=threads)[:, 1]
        return Moments(mean, variance * self.std_factor_**2, np.zeros(len(x)))

    def _refit(self, x: np.ndarray, y: np.ndarray, seed: int) -> None:
        """The mean alone, with as many trees as were best; the variance is that around a mean of fewer rows."""
        if self.varies_:
            self.mean_model_ = self._model("RMSE", self.mean_model_.tree_count_, seed).fit(x, y)

    def _boost(self, loss: str, rows: Scaled, seed: int) -> Any:
        model = self._model(loss, self.iterations, seed, use_best_model=True, early_stopping_rounds=self.patience)
        return model.fit(rows.x, rows.y, eval_set=(rows.x_val, rows.y_val))

    def _model(self, loss: str, iterations: int, seed: int, **stopping: Any) -> Any:
        from catboost import CatBoostRegressor

        return CatBoostRegressor(
            loss_function=loss,
            iterations=iterations,
            learning_rate=self.learning_rate,
            depth=self.depth,
            random_seed=seed,
            thread_count=cores(self.n_jobs),
            allow_writing_files=False,
            logging_level="Silent",
            **stopping,
        )
