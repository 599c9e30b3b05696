"""Errors of single cells that are known beforehand, in scaled units: declared ones, and those of filled gaps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.model.shapes import AnyArray, Float, Shaped


class InputErrors(NamedTuple):
    """What takes the place of learned noise in the block."""

    declared_share: Float[AnyArray, "rows features"]
    """Share of a cell's noise that is declared, 0 to 1; the rest is learned."""
    declared_variance: Float[AnyArray, "rows features"]
    """Of the declared part, with its share."""

    def take(self, rows: Shaped[np.ndarray, " chosen"] | slice) -> InputErrors:
        """Of these rows only."""
        return InputErrors(self.declared_share[rows], self.declared_variance[rows])


def nothing_declared(rows: int, features: int) -> InputErrors:
    """All noise is learned; takes no memory."""
    nothing = np.broadcast_to(np.float32(0), (rows, features))
    return InputErrors(nothing, nothing)


class DeclaredErrors(NamedTuple):
    """Variances that are known for the rows of a training table."""

    is_declared: Float[np.ndarray, "rows features"]
    """1 where a feature's error is known, 0 where it is learned."""
    declared: Float[np.ndarray, "rows features"]
    """Of features, by the user; 0 elsewhere."""
    imputed: Float[np.ndarray, "rows features"]
    """Of cells that were missing; 0 elsewhere."""
    target: Float[np.ndarray, "rows targets"]
    """Of targets, by the user; 0 where it is not known."""
    covariance: Float[np.ndarray, "rows features features"] | None = None
    """Of the features' errors in a row, where they go together."""
    cross: Float[np.ndarray, "rows features"] | None = None
    """Of the features' errors with the target's."""

    def take(self, rows: Shaped[np.ndarray, " chosen"]) -> DeclaredErrors:
        """Of these rows only."""
        return DeclaredErrors(*[None if part is None else part[rows] for part in self])  # type: ignore[arg-type]

    def scaled(self, factor: Float[np.ndarray, " features"]) -> DeclaredErrors:
        """With a factor on the declared variance of each feature."""
        return self._replace(declared=(self.declared * factor).astype(np.float32))

    def inputs(self, imputed_scale: float = 1.0) -> InputErrors:
        """As the block takes them."""
        return InputErrors(self.is_declared, self.declared + np.float32(imputed_scale) * self.imputed)

    def at_targets(
        self, squared_jacobian: Float[np.ndarray, "rows targets features"], imputed_scale: float = 1.0
    ) -> Float[np.ndarray, "rows targets"]:
        """Variance of each target that is known, given the squared sensitivities."""
        through = np.einsum("rtf,rf->rt", squared_jacobian, self.inputs(imputed_scale).declared_variance)
        return self.target + through


class DefaultErrors(NamedTuple):
    """What a prediction assumes of its rows by default: errors as in training."""

    share: Float[np.ndarray, " features"]
    """Of the training cells of a feature whose error was declared."""
    variance: Float[np.ndarray, " features"]
    """Their mean variance, scaled."""
    target: Float[np.ndarray, " targets"]
    """Mean declared variance of each target, scaled."""


def default_errors(
    features: int, targets: int, errors: DeclaredErrors | None, weight: Float[np.ndarray, " rows"]
) -> DefaultErrors:
    """From the training rows' errors, their weights counted."""
    if errors is None:
        return DefaultErrors(np.zeros(features), np.zeros(features), np.zeros(targets))
    declared = np.where(errors.imputed > 0, 0.0, errors.is_declared) * weight[:, None]
    there = np.where(errors.imputed > 0, 0.0, 1.0) * weight[:, None]
    variance = (declared * errors.declared).sum(axis=0) / np.maximum(declared.sum(axis=0), 1e-30)
    share = declared.sum(axis=0) / np.maximum(there.sum(axis=0), 1e-30)
    return DefaultErrors(share, variance, np.average(errors.target, axis=0, weights=weight).astype(np.float64))
