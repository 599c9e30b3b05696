"""Every method with one face: fitted to rows with errors, then asked for readings and for the law at exact inputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from paper.declared_errors.methods import COMPARED, DECLARED, EXACT, FEATURES, NIGP, ODR, SIMEX
from paper.declared_errors.noisy_inputs import SlopeNoiseProcess, extrapolated, orthogonal_line
from paper.declared_errors.problems import Problem, Rows
from taylor_sensus.model.gaussian_process import covariance
from taylor_sensus.prediction import Prediction
from taylor_sensus.records import Query


class Answers(ABC):
    """A method that has learned."""

    @abstractmethod
    def readings(self, rows: Rows) -> Prediction:
        """For rows as they are recorded, with their errors."""

    @abstractmethod
    def law(self, x: np.ndarray) -> Prediction:
        """At exactly known inputs."""


class Ours(Answers):
    """TSNet; `declared` says whether it is told of the errors."""

    def __init__(self, model: Any, rows: Rows, *, declared: bool) -> None:
        self.declared = declared
        told: dict[str, Any] = {}
        if declared:
            errors = rows.X_err if rows.covariances is None else rows.covariances
            told = {"X_err": errors, "y_err": rows.y_err}
        self.model = model.fit(rows.X, rows.y, **told)

    def readings(self, rows: Rows) -> Prediction:
        told = {"X_err": rows.X_err, "y_err": rows.y_err} if self.declared else {}
        return self.model.predict_distribution(rows.X, **told)

    def law(self, x: np.ndarray) -> Prediction:
        return self.model.predict_distribution(x, **({"X_err": 0} if self.declared else {}))

    def left_for_the_system(self, rows: Rows) -> Prediction:
        """Without the declared error of the target."""
        told = {"X_err": rows.X_err, "y_err": 0} if self.declared else {}
        return self.model.predict_distribution(rows.X, **told)

    def law_covariance(self, x: np.ndarray) -> np.ndarray:
        """Of what is not known of the law at all rows together, in the target's unit: from it comes a slope's error."""
        fitted = self.model.fitted_
        law, scaled = fitted.law, fitted.inputs(Query(x))[0]
        before, after = law.basis(scaled)
        z = law.coordinates(scaled)
        whole = covariance(law.numbers.theta, z, z) - before.T @ before + after.T @ after
        return whole * float(fitted.scaler.target_scale[0]) ** 2


class ErrorsAsFeatures(Answers):
    """A rival that sees the errors beside the inputs, where they differ between rows."""

    def __init__(self, model: Any, rows: Rows) -> None:
        self.varies = np.ptp(rows.X_err, axis=0) > 0
        self.model = model.fit(self.table(rows.X, rows.X_err), rows.y, refit=True)

    def table(self, x: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """Inputs and errors side by side."""
        return np.concatenate([x, errors[:, self.varies]], axis=1)

    def readings(self, rows: Rows) -> Prediction:
        return self.model.predict_distribution(self.table(rows.X, rows.X_err))

    def law(self, x: np.ndarray) -> Prediction:
        return self.model.predict_distribution(self.table(x, np.zeros_like(x)))


class SlopeNoise(Answers):
    """A process with NIGP slopes."""

    def __init__(self, rows: Rows, seed: int) -> None:
        self.process = SlopeNoiseProcess(rows.X, rows.X_err, rows.y, rows.y_err, seed)

    def readings(self, rows: Rows) -> Prediction:
        found = self.process.predict(rows.X, rows.X_err)
        known = 0.0 if rows.y_err is None else rows.y_err**2
        return replace(found, system_variance=found.system_variance + known)

    def law(self, x: np.ndarray) -> Prediction:
        return self.process.predict(x, None)

    def left_for_the_system(self, rows: Rows) -> Prediction:
        """Without the declared error of the target."""
        return self.process.predict(rows.X, rows.X_err)


class MeanAtExactInputs(Answers):
    """SIMEX or a straight line: a mean at exact inputs and nothing else."""

    def __init__(self, method: str, rows: Rows, seed: int) -> None:
        self.method, self.rows, self.seed = method, rows, seed

    def readings(self, rows: Rows) -> Prediction:
        raise NotImplementedError(f"{self.method} answers at exact inputs only")

    def law(self, x: np.ndarray) -> Prediction:
        rows, count = self.rows, self.rows.X.shape[1]
        if self.method == SIMEX:
            mean = extrapolated(rows.X, rows.X_err, rows.y, x, self.seed)
        else:
            diagonal = rows.X_err[:, :, None] ** 2 * np.eye(count)
            errors = diagonal if rows.covariances is None else rows.covariances[:, :count, :count]
            line = orthogonal_line(rows.X, errors, rows.y, np.asarray(rows.y_err))
            mean = line[0] + x @ line[1:]
        unknown = np.full(len(x), np.nan)
        return Prediction(mean, unknown, unknown, unknown, unknown)


def learned(method: str, asked: Problem, seed: int, *, quick: bool) -> Answers:
    """A method, fitted to the rows of a problem on one core."""
    base = COMPARED[method].base
    if method in (SIMEX, ODR):
        return MeanAtExactInputs(method, asked.train, seed)
    if method == NIGP or base is None:
        return SlopeNoise(asked.train, seed)
    if method in FEATURES:
        return ErrorsAsFeatures(base.make(random_state=seed, n_jobs=1, quick=quick), asked.train)
    model = base.make(random_state=seed, n_jobs=1, quick=quick, X_err_kind=asked.kind)
    rows = asked.clean if method == EXACT and asked.clean is not None else asked.train
    return Ours(model, rows, declared=method == DECLARED)
