"""NGBoost: boosting of a whole normal distribution along its natural gradient."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from taylor_sensus.baselines.face import Baseline, Moments, Scaled


class NGBoostBaseline(Baseline):
    """Small trees for mean and log standard deviation; the stage with the best validation likelihood is kept.

    The likelihood is what the method maximises and what chooses its last stage, so its standard deviations are taken
    as they come, without another factor. Trees grow one after the other: `n_jobs` is there for the common face only.
    """

    requires = ("ngboost",)

    iterations: int = 2000
    learning_rate: float = 0.01
    depth: int = 3
    patience: int = 100

    def _fit(self, rows: Scaled, seed: int) -> None:
        self.stages_ = 0
        self.varies_ = bool(np.ptp(rows.y) > 0)
        if not self.varies_:  # NGBoost would start from the logarithm of 0
            return
        model = self._model(self.iterations, seed)
        watch = Watch(self.patience)
        # NGBoost's own early stopping prints, whatever `verbose` says; ours ends the loop from the monitor it calls.
        with suppress(EnoughError):
            model.fit(rows.x, rows.y, X_val=rows.x_val, Y_val=rows.y_val, val_loss_monitor=watch)
        self.stages_ = watch.best + 1
        self.model_ = model

    def _refit(self, x: np.ndarray, y: np.ndarray, seed: int) -> None:
        if self.varies_:
            self.model_ = self._model(self.stages_, seed).fit(x, y)

    def _model(self, stages: int, seed: int) -> Any:
        from ngboost import NGBRegressor
        from ngboost.distns import Normal

        return NGBRegressor(
            Dist=Normal,
            Base=DecisionTreeRegressor(max_depth=self.depth, random_state=seed),
            n_estimators=stages,
            learning_rate=self.learning_rate,
            random_state=seed,
            verbose=False,
        )

    def _predict(self, x: np.ndarray) -> Moments:
        if not self.varies_:
            return Moments(np.zeros(len(x)), np.ones(len(x)), np.zeros(len(x)))
        predicted = self.model_.pred_dist(x, max_iter=self.stages_)
        return Moments(predicted.loc, predicted.scale**2, np.zeros(len(x)))


class EnoughError(Exception):
    """Raised by the monitor to end the boosting."""


class Watch:
    """Validation loss after each stage; raises `EnoughError` when it has not improved for so many stages."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.stage, self.best, self.least = -1, 0, np.inf

    def __call__(self, distribution: Any, y: np.ndarray) -> float:
        """Called by NGBoost after each stage."""
        loss = float(distribution.total_score(y))
        self.stage += 1
        if loss < self.least:
            self.best, self.least = self.stage, loss
        elif self.stage - self.best >= self.patience:
            raise EnoughError
        return loss
