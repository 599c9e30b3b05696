"""Rivals that know of errors in inputs: a process with NIGP slopes, SIMEX around a process, orthogonal distances.

NIGP (McHutchon and Rasmussen, 2011) counts an input's error times the slope as noise of the target, and repeats. SIMEX
(Cook and Stefanski, 1994) adds more noise to the inputs, sees what that does to the answer, and goes back to none.
"""

from __future__ import annotations

import warnings
from copy import copy

import numpy as np

from taylor_sensus.model.chunks import one_blas_thread
from taylor_sensus.model.coordinates import Coordinates
from taylor_sensus.model.gaussian_process import CENTRES, GaussianProcess, ProcessRows, noise, search
from taylor_sensus.model.scaling import Scaler, learn_scaling
from taylor_sensus.prediction import Prediction

SEARCH_ROWS, MOST_ROWS = 500, 1500
"""Rows of the search for hyper-parameters, and of the process, which is exact."""
ITERATIONS, ROUNDS = 100, 3
LEVELS, COPIES = (0.5, 1.0, 1.5, 2.0), 5
"""Of added noise, as multiples of the declared variance; and how often noise of each is drawn."""
CHUNK = 1024
NO_SQUASH = 1e6
"""Standard deviations from which on features would be squashed."""


class Process:
    """A Gaussian process of at most `MOST_ROWS` rows, with the evidence's best of three starts."""

    def __init__(self, x: np.ndarray, y: np.ndarray, seed: int, known: np.ndarray | None = None) -> None:
        kept = np.random.default_rng(seed).permutation(len(x))[:MOST_ROWS]
        self.kept = kept
        self.scaler: Scaler = learn_scaling(x[kept], y[kept, None], np.ones(len(kept)))
        self.unit = float(self.scaler.target_scale[0])
        variance = np.zeros(len(kept)) if known is None else known[kept] / self.unit**2
        scaled = self.scaler.features(x[kept])
        self.rows = ProcessRows(scaled, self.scaler.targets(y[kept, None]), np.ones(len(kept)), variance)
        self.learn()

    def learn(self, start: np.ndarray | None = None) -> None:
        """Hyper-parameters, from those of before or from three starts, and the posterior."""
        some = self.rows.take(np.arange(min(SEARCH_ROWS, len(self.rows.x))))
        centres = CENTRES if start is None else CENTRES[:1]
        with one_blas_thread():
            found = [search(some, centre, ITERATIONS, start, with_trend=False) for centre in centres]
            theta = min(found, key=lambda one: one.cost).theta
            self.process = GaussianProcess.condition(theta, Coordinates(NO_SQUASH), self.rows)

    def conditioned(self, x: np.ndarray) -> Process:
        """The same hyper-parameters and targets at other inputs."""
        other = copy(self)
        other.rows = self.rows._replace(x=self.scaler.features(x[self.kept]))
        with one_blas_thread():
            other.process = GaussianProcess.condition(self.process.numbers.theta, Coordinates(NO_SQUASH), other.rows)
        return other

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """Of the mean at rows, in the target's unit over those of the features."""
        scaled = self.scaler.features(x)
        parts = [self.process.posterior(scaled[i : i + CHUNK], slopes=True) for i in range(0, len(x), CHUNK)]
        found = np.concatenate([np.asarray(part.jacobian)[:, 0] for part in parts])
        return found * self.unit / np.where(self.scaler.scale > 0, self.scaler.scale, np.inf)

    def predict(self, x: np.ndarray, feature_variance: np.ndarray | float = 0.0) -> Prediction:
        """At rows, with what errors of their inputs bring."""
        scaled = self.scaler.features(x)
        parts = [self.process.posterior(scaled[i : i + CHUNK])[:2] for i in range(0, len(x), CHUNK)]
        mean, variance = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Prediction(
            mean=mean[:, 0] * self.unit + float(self.scaler.target_center[0]),
            feature_variance=np.zeros(len(x)) + feature_variance,
            system_variance=np.full(len(x), noise(self.process.numbers.theta) * self.unit**2),
            epistemic_variance=variance * self.unit**2,
            familiarity=np.full(len(x), np.nan),
        )


class SlopeNoiseProcess:
    """NIGP: slopes and noise found in turn. Errors of the target count as what they are."""

    def __init__(self, x: np.ndarray, errors: np.ndarray, y: np.ndarray, y_err: np.ndarray | None, seed: int) -> None:
        self.target_variance = np.zeros(len(y)) if y_err is None else y_err**2
        self.process = Process(x, y, seed, self.target_variance)
        for _ in range(ROUNDS):
            known = self.target_variance + self.carried(x, errors)
            kept = known[self.process.kept] / self.process.unit**2
            self.process.rows = self.process.rows._replace(declared_variance=kept)
            self.process.learn(self.process.process.numbers.theta)

    def carried(self, x: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """Variance that errors of inputs bring to the target."""
        return ((self.process.slopes(x) * errors) ** 2).sum(axis=1)

    def predict(self, x: np.ndarray, errors: np.ndarray | None) -> Prediction:
        """For readings with errors; None: exact inputs."""
        return self.process.predict(x, 0.0 if errors is None else self.carried(x, errors))


def extrapolated(x: np.ndarray, errors: np.ndarray, y: np.ndarray, exact: np.ndarray, seed: int) -> np.ndarray:
    """SIMEX: means at exact inputs with more and more noise, and a parabola through them back to none at -1."""
    rng = np.random.default_rng(seed)
    found = [Process(x, y, seed).predict(exact).mean]
    for level in LEVELS:
        copies = [x + np.sqrt(level) * errors * rng.standard_normal(x.shape) for _ in range(COPIES)]
        process = Process(copies[0], y, seed)  # its hyper-parameters serve the other copies too
        found.append(np.mean([process.conditioned(copied).predict(exact).mean for copied in copies], axis=0))
    parabola = np.polynomial.polynomial.polyfit((0.0, *LEVELS), np.stack(found), 2)
    return np.asarray(np.polynomial.polynomial.polyval(-1.0, parabola))


def orthogonal_line(x: np.ndarray, covariance: np.ndarray, y: np.ndarray, y_err: np.ndarray) -> np.ndarray:
    """Intercept and slopes by orthogonal distances; it knows no scatter beside the errors, nor errors shared with y."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from scipy import odr
    start = np.linalg.lstsq(np.c_[np.ones(len(x)), x], y, rcond=None)[0]
    model = odr.Model(lambda beta, x: beta[0] + beta[1:] @ x)
    data = odr.RealData(x.T, y, covx=np.moveaxis(covariance, 0, 2), sy=y_err)
    return odr.ODR(data, model, beta0=start, maxit=200).run().beta
