"""Averages over Gaussian noise by quadrature, which is exact for polynomials: no code of the package takes part."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Moments(NamedTuple):
    """Of the values of a function, one number a target (the third moment is of each target alone)."""

    mean: np.ndarray
    covariance: np.ndarray
    third: np.ndarray


def noise_points(covariance: ArrayLike, nodes: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Points `(points, features)` and weights that stand for zero-mean Gaussian noise with this covariance."""
    root = np.linalg.cholesky(np.atleast_2d(covariance))
    points, weights = np.polynomial.hermite_e.hermegauss(nodes)
    grid = np.array(list(itertools.product(points, repeat=len(root))))
    product = np.array([np.prod(combination) for combination in itertools.product(weights, repeat=len(root))])
    return grid @ root.T, product / product.sum()


def average(function: Callable[[np.ndarray], np.ndarray], covariance: ArrayLike, nodes: int = 12) -> np.ndarray:
    """E[function(noise)]; the function takes noise `(points, features)` and gives a value or a row for each point."""
    points, weights = noise_points(covariance, nodes)
    return np.tensordot(weights, function(points), axes=1)[()]


def moments(function: Callable[[np.ndarray], np.ndarray], covariance: ArrayLike, nodes: int = 12) -> Moments:
    """Mean, covariance and third central moment of function(noise), whose values are `(points, targets)`."""
    points, weights = noise_points(covariance, nodes)
    values = function(points)
    centred = values - weights @ values
    return Moments(weights @ values, centred.T @ (weights[:, None] * centred), weights @ centred**3)
