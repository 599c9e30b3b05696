"""Inducing points of a Gaussian process (FITC): what many rows tell of the function, carried by few places.

With places u among the rows, Q = K_fu K_uu^-1 K_uf is what they can carry of the rows' covariance, and what they cannot
counts as noise of each row: Lambda = noise + diag(K_ff - Q). The variance at a row is then
k_** - k_*u [K_uu^-1 - (K_uu + K_uf Lambda^-1 K_fu)^-1] k_u*, and never less than the places could carry at best.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_solve, cholesky

from taylor_sensus.model.shapes import Float, Int

INDUCING = 512
"""Places."""
DULL = 1e-2
"""Directions in which the function varies less than this share of the noise tell nothing."""


@dataclass(frozen=True)
class InducingPoints:
    """Inducing points, whitened, and what the rows say there."""

    project: Float[np.ndarray, "directions places"]
    """From a covariance with the places to whitened directions."""
    carried: Float[np.ndarray, "directions rows"]
    """Rows in whitened directions."""
    root: Float[np.ndarray, " rows"]
    """Of each row's Lambda."""

    @cached_property
    def scaled(self) -> Float[np.ndarray, "directions rows"]:
        """Rows in whitened directions, in units of their noise."""
        return self.carried / self.root

    @cached_property
    def precision(self) -> Float[np.ndarray, "directions directions"]:
        """I + scaled scaled': how well each direction is known, 1 before any row."""
        return np.eye(len(self.scaled)) + self.scaled @ self.scaled.T

    @cached_property
    def whitening(self) -> Float[np.ndarray, "directions places"]:
        """Of a covariance with the places; squares of the product add up to the variance that is gone.

        Turned so that the last direction needs all places, the one before all but the last, and so on: half of the
        product is then left out.
        """
        size, turn = np.linalg.eigh(self.precision)
        gone = np.sqrt(np.maximum(1 - 1 / size, 0.0))
        whole = (gone[:, None] * turn.T) @ self.project
        return np.ascontiguousarray(np.asarray(np.linalg.qr(whole[:, ::-1], "r"))[::-1, ::-1])

    def left_out(
        self, rows: Int[np.ndarray, " chosen"], prior: Float[np.ndarray, " chosen"]
    ) -> Float[np.ndarray, " chosen"]:
        """Variance at rows of its own, whose variances before were `prior`, as if they had not been seen."""
        own, at = self.scaled[:, rows], self.carried[:, rows]
        factor = cholesky(self.precision - own @ own.T, lower=True)
        left = cho_solve((factor, True), at)
        return prior - np.einsum("dr,dr->r", at, at) + np.einsum("dr,dr->r", at, left)


def induced(
    among: Float[np.ndarray, "places places"],
    cross: Float[np.ndarray, "places rows"],
    prior: Float[np.ndarray, " rows"],
    noise: Float[np.ndarray, " rows"],
) -> InducingPoints:
    """From covariances among the places, with all rows `(places, rows)`, the rows' own variances, and their noise."""
    size, turn = np.linalg.eigh(among)
    kept = size > max(DULL * float(np.median(noise)) * len(among) / len(noise), 1e-9 * size[-1])
    project = turn[:, kept].T / np.sqrt(size[kept])[:, None]
    carried = project @ cross
    rest = np.maximum(prior - np.einsum("dr,dr->r", carried, carried), 0.0)
    return InducingPoints(project, carried, np.sqrt(noise + rest))
