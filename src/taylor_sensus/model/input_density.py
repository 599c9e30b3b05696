"""The density of true inputs: a Gaussian mixture behind readings with errors of their own (extreme deconvolution).

A reading w = x + u, with u normal and its covariance known row by row, has the density of x widened by that covariance.
Given the mixture, what is known of the true input behind a reading is again one; its mean and covariance are used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from taylor_sensus.model.shapes import Float

WIDER, ELSEWHERE = 3.0, 0.2
"""How much wider than the training rows those from elsewhere may lie, and their share before they are looked at."""


class TrueInput(NamedTuple):
    """What is known of the true inputs behind readings."""

    mean: Float[np.ndarray, "rows features"]
    covariance: Float[np.ndarray, "rows features features"]
    log_density: Float[np.ndarray, " rows"]
    """Of the readings"""


class InputDensity(NamedTuple):
    """Gaussian mixture of true inputs, in scaled units."""

    weight: Float[np.ndarray, " components"]
    mean: Float[np.ndarray, "components features"]
    covariance: Float[np.ndarray, "components features features"]

    def with_elsewhere(self) -> InputDensity:
        """A density with long tails: a share of its rows lies `WIDER` times as far from the middle, scattered as wide.

        What goes together goes together there too: of a reading from elsewhere the direction in which features differ
        is known, how far it lies is not.
        """
        middle = self.weight @ self.mean / self.weight.sum()
        return InputDensity(
            np.concatenate([(1 - ELSEWHERE) * self.weight, ELSEWHERE * self.weight]),
            np.concatenate([self.mean, middle + WIDER * (self.mean - middle)]),
            np.concatenate([self.covariance, WIDER**2 * self.covariance]),
        )

    def behind(
        self,
        reading: Float[np.ndarray, "rows features"],
        error: Float[np.ndarray, "rows features features"],
        kept: Float[np.ndarray, "rows features features"] | None = None,
    ) -> TrueInput:
        """The posterior of true inputs, given readings and the covariances of their errors.

        With `kept`, the posterior of better readings: those whose errors have only these covariances, while the
        readings at hand have `error` on top.
        """
        member, center, spread, log_density = self.shares(reading, error, kept)
        mean = np.einsum("kn,kni->ni", member, center)
        off = center - mean
        covariance = np.einsum("kn,knij->nij", member, spread) + np.einsum("kn,kni,knj->nij", member, off, off)
        return TrueInput(mean, covariance, log_density)

    def shares(
        self,
        reading: Float[np.ndarray, "rows features"],
        error: Float[np.ndarray, "rows features features"],
        kept: Float[np.ndarray, "rows features features"] | None = None,
    ) -> tuple[
        Float[np.ndarray, "components rows"],
        Float[np.ndarray, "components rows features"],
        Float[np.ndarray, "components rows features features"],
        Float[np.ndarray, " rows"],
    ]:
        """For each component its probability, mean and covariance behind each reading; and the log-density."""
        own = self.covariance[:, None] + (np.zeros(error.shape) if kept is None else kept)
        total = own + error
        off = reading - self.mean[:, None]
        gain = np.linalg.solve(total, own)  # total^-1 V
        solved = np.linalg.solve(total, off[..., None])[..., 0]
        size = np.einsum("kni,kni->kn", off, solved) + np.linalg.slogdet(total)[1] + off.shape[2] * np.log(2 * np.pi)
        joint = np.log(self.weight)[:, None] - size / 2
        whole = logsumexp(joint, axis=0)
        center = self.mean[:, None] + np.einsum("knij,knj->kni", own, solved)
        spread = own - np.einsum("knij,knjl->knil", own, gain)
        return np.exp(joint - whole), center, (spread + np.swapaxes(spread, 2, 3)) / 2, whole


def as_matrices(variance: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows features features"]:
    """Variances of independent errors as covariances."""
    matrices = np.zeros((*variance.shape, variance.shape[1]))
    np.einsum("rii->ri", matrices)[:] = variance
    return matrices
