"""MLP: the common network trained on squared error. It says nothing about its errors."""

from __future__ import annotations

import numpy as np

from taylor_sensus.baselines.face import Moments, Scaled
from taylor_sensus.baselines.networks import NeuralBaseline, in_chunks, outputs, prepare


class MLPBaseline(NeuralBaseline):
    """A plain network; of the spreads of frequencies it keeps the best on validation rows."""

    gives_std = False

    def _fit(self, rows: Scaled, seed: int) -> None:
        self.network_ = self.pilot(prepare(rows), seed).network

    def _predict(self, x: np.ndarray) -> Moments:
        mean = in_chunks(outputs, x, self.n_jobs, self.network_)[:, 0]
        unknown = np.full(len(x), np.nan)
        return Moments(mean, unknown, unknown)
