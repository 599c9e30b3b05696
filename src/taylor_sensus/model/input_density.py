"""The density of true inputs: a Gaussian mixture behind readings with errors of their own (extreme deconvolution).

A reading w = x + u, with u normal and its covariance known row by row, has the density of x widened by that covariance.
Given the mixture, what is known of the true input behind a reading is again one; its mean and covariance are used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp


class TrueInput(NamedTuple):
    """What is known of the true inputs behind readings."""

    mean: np.ndarray
    """(rows, features)"""
    covariance: np.ndarray
    """(rows, features, features)"""
    log_density: np.ndarray
    """Of the readings, (rows,)"""


class InputDensity(NamedTuple):
    """Gaussian mixture of true inputs, in scaled units."""

    weight: np.ndarray
    """(components,)"""
    mean: np.ndarray
    """(components, features)"""
    covariance: np.ndarray
    """(components, features, features)"""

    def behind(self, reading: np.ndarray, error: np.ndarray) -> TrueInput:
        """The posterior of true inputs, given readings and the covariances of their errors."""
        member, center, spread, log_density = self.shares(reading, error)
        mean = np.einsum("kn,kni->ni", member, center)
        off = center - mean
        covariance = np.einsum("kn,knij->nij", member, spread) + np.einsum("kn,kni,knj->nij", member, off, off)
        return TrueInput(mean, covariance, log_density)

    def shares(self, reading: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, ...]:
        """For each component its probability, mean and covariance behind each reading; and the log-density."""
        total = self.covariance[:, None] + error
        off = reading - self.mean[:, None]
        gain = np.linalg.solve(total, np.broadcast_to(self.covariance[:, None], total.shape))  # total^-1 V
        solved = np.linalg.solve(total, off[..., None])[..., 0]
        size = np.einsum("kni,kni->kn", off, solved) + np.linalg.slogdet(total)[1] + off.shape[2] * np.log(2 * np.pi)
        joint = np.log(self.weight)[:, None] - size / 2
        whole = logsumexp(joint, axis=0)
        center = self.mean[:, None] + np.einsum("kij,knj->kni", self.covariance, solved)
        spread = self.covariance[:, None] - np.einsum("kij,knjl->knil", self.covariance, gain)
        return np.exp(joint - whole), center, (spread + np.swapaxes(spread, 2, 3)) / 2, whole
