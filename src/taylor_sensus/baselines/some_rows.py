"""A Gaussian process on so many random rows that it can be solved exactly."""

from __future__ import annotations

import numpy as np

from taylor_sensus.baselines.face import Scaled
from taylor_sensus.baselines.gprmk import GPRMKBaseline
from taylor_sensus.model.chunks import one_blas_thread
from taylor_sensus.model.coordinates import Coordinates
from taylor_sensus.model.gaussian_process import GaussianProcess, ProcessRows


class SomeRowsGPBaseline(GPRMKBaseline):
    """GPRMK that sees at most `max_rows` random training rows, where exact on all of them would take too long."""

    max_rows: int = 2000

    def _fit(self, rows: Scaled, seed: int) -> None:
        x, y = self._some(rows.x, rows.y, seed)
        super()._fit(rows._replace(x=x, y=y), seed)

    def _refit(self, x: np.ndarray, y: np.ndarray, seed: int) -> None:
        x, y = self._some(x, y, seed)
        known = ProcessRows(x, y[:, None], np.ones(len(x)), np.zeros(len(x)))
        with one_blas_thread():
            self.process_ = GaussianProcess.condition(self.process_.numbers.theta, Coordinates(np.inf), known)

    def _some(self, x: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        chosen = np.random.default_rng(seed).permutation(len(x))[: self.max_rows]
        return x[chosen], y[chosen]
