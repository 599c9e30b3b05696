"""GPRMK: Gaussian process regression with multiple kernels, each with its own length scale for every feature."""

from __future__ import annotations

import numpy as np

from taylor_sensus.baselines.calibration import std_factor
from taylor_sensus.baselines.face import Baseline, Moments, Scaled
from taylor_sensus.model.chunks import one_blas_thread, run_all
from taylor_sensus.model.coordinates import Coordinates
from taylor_sensus.model.gaussian_process import CENTRES, GaussianProcess, ProcessRows, noise, search

CHUNK = 1024
"""Rows predicted at once, which bounds the memory."""


class GPRMKBaseline(Baseline):
    """A sum of a Matérn 5/2 and a squared exponential kernel, both with a length scale for each feature.

    Hyper-parameters see at most `kernel_rows` random training rows; the process is then conditioned on all of them.
    The likelihood has several maxima. The search is started at `1 + restarts` typical length scales, in threads, and
    validation rows choose among the ends and set one factor on the standard deviation.
    """

    kernel_rows: int = 700
    restarts: int = 2
    max_iterations: int = 150

    def _fit(self, rows: Scaled, seed: int) -> None:
        known = ProcessRows(rows.x, rows.y[:, None], np.ones(len(rows.x)), np.zeros(len(rows.x)))
        some = known.take(np.random.default_rng(seed).permutation(len(rows.x))[: self.kernel_rows])

        def one_start(centre: tuple[float, ...]) -> tuple[float, float, GaussianProcess]:
            theta = search(some, centre, self.max_iterations, with_trend=False).theta
            process = GaussianProcess.condition(theta, Coordinates(np.inf), known)
            mean, variance, _ = process.posterior_at(rows.x_val)
            std = np.sqrt(variance + noise(theta))
            error = rows.y_val - mean[:, 0]
            return float(np.mean(np.log(std) + (error / std) ** 2 / 2)), std_factor(error, std), process

        starts = CENTRES[: 1 + self.restarts]
        # One thread a search: threads inside small matrix products gain little, and their order changes last digits.
        with one_blas_thread():
            ends = run_all([lambda c=c: one_start(c) for c in starts], self.n_jobs)
        _, self.std_factor_, self.process_ = min(ends, key=lambda end: end[0])

    def _predict(self, x: np.ndarray) -> Moments:
        parts = [self.process_.posterior_at(x[i : i + CHUNK])[:2] for i in range(0, len(x), CHUNK)]
        mean, variance = (np.concatenate(part) for part in zip(*parts, strict=True))
        stretch = max(self.std_factor_, 1e-3) ** 2
        return Moments(mean[:, 0], np.full(len(x), noise(self.process_.numbers.theta) * stretch), variance * stretch)
