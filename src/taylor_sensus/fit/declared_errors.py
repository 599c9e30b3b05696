"""What is known of the errors of single cells, in scaled units: declared ones, and those of filled gaps."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class InputErrors(NamedTuple):
    """What takes the place of learned noise in the block; `(rows, features)`."""

    known: Any
    """Share of a cell's noise that is known, 0 to 1; the rest is learned."""
    variance: Any
    """Of the known part, with its share."""

    def some(self, rows: np.ndarray | slice) -> InputErrors:
        """Of these rows only."""
        return InputErrors(self.known[rows], self.variance[rows])


def nothing_known(rows: int, features: int) -> InputErrors:
    """All noise is learned; takes no memory."""
    nothing = np.broadcast_to(np.float32(0), (rows, features))
    return InputErrors(nothing, nothing)


class KnownErrors(NamedTuple):
    """Variances that are known for the rows of a training table."""

    known: np.ndarray
    """1 where a feature's error is known, 0 where it is learned, `(rows, features)`."""
    declared: np.ndarray
    """Of features, by the user; 0 elsewhere."""
    imputed: np.ndarray
    """Of cells that were missing; 0 elsewhere."""
    target: np.ndarray
    """Of targets, by the user, `(rows, targets)`; 0 where it is not known."""

    def some(self, rows: np.ndarray) -> KnownErrors:
        """Of these rows only."""
        return KnownErrors(*[part[rows] for part in self])

    def inputs(self, imputed_scale: float = 1.0) -> InputErrors:
        """As the block takes them."""
        return InputErrors(self.known, self.declared + np.float32(imputed_scale) * self.imputed)

    def at_targets(self, squared_jacobian: np.ndarray, imputed_scale: float = 1.0) -> np.ndarray:
        """Variance of each target that is known, `(rows, targets)`, given the squared sensitivities."""
        return self.target + np.einsum("rtf,rf->rt", squared_jacobian, self.inputs(imputed_scale).variance)


class UsualErrors(NamedTuple):
    """What a prediction assumes of its rows unless it is told otherwise: errors as in training."""

    share: np.ndarray
    """Of the training cells of a feature whose error was declared."""
    variance: np.ndarray
    """Their mean variance, scaled."""
    target: np.ndarray
    """Mean declared variance of each target, scaled."""


def usual_errors(features: int, targets: int, errors: KnownErrors | None, weight: np.ndarray) -> UsualErrors:
    """From the training rows' errors, their weights counted."""
    if errors is None:
        return UsualErrors(np.zeros(features), np.zeros(features), np.zeros(targets))
    told = np.where(errors.imputed > 0, 0.0, errors.known) * weight[:, None]
    there = np.where(errors.imputed > 0, 0.0, 1.0) * weight[:, None]
    variance = (told * errors.declared).sum(axis=0) / np.maximum(told.sum(axis=0), 1e-30)
    share = told.sum(axis=0) / np.maximum(there.sum(axis=0), 1e-30)
    return UsualErrors(share, variance, np.average(errors.target, axis=0, weights=weight).astype(np.float64))


MOST_TRUST = 20.0
"""A row counts at most so many times more, or less, than a typical one, however exact it is said to be."""


def trust(weight: np.ndarray, noise: np.ndarray, train: int) -> np.ndarray:
    """Weights of rows whose `noise` variances differ: an exact row says more than a doubtful one."""
    ratio = np.median(noise[:train]) / np.maximum(noise, 1e-30)
    ratio = np.clip(ratio, 1 / MOST_TRUST, MOST_TRUST)
    weight = weight * ratio
    return (weight / weight[:train].mean()).astype(np.float32)
