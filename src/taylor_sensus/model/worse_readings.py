"""Readings with larger errors than any in training: the regression averaged over the better readings behind them.

A worse reading is a better one with more error on top, so that y depends on it through the better one alone:
E[y | worse] = E[g(better) | worse], and the variance of g over the better readings comes on top of what g leaves open.
"""

from __future__ import annotations

import numpy as np

from taylor_sensus.model.ensemble import Distribution
from taylor_sensus.model.shapes import Float, Shaped


def averaged(found: Distribution, weight: Float[np.ndarray, " points"]) -> Distribution:
    """Of the points of each row, row by row, with these weights: one distribution a row."""
    parts = [part.reshape(-1, len(weight), *part.shape[1:]) for part in found]
    mean, feature, system, epistemic, target, noise, familiarity = (_sum(weight, part) for part in parts)
    off = parts[0] - mean[:, None]
    apart = _sum(weight, off[:, :, :, None] * off[:, :, None, :])
    feature = feature + np.einsum("rtt->rt", apart)
    return Distribution(mean, feature, system, epistemic, target, noise + apart, familiarity)


def with_rows(found: Distribution, rows: Shaped[np.ndarray, " chosen"], others: Distribution) -> Distribution:
    """With other distributions at some rows."""
    parts = [part.copy() for part in found]
    for part, other in zip(parts, others, strict=True):
        part[rows] = other
    return Distribution(*parts)


def _sum(
    weight: Float[np.ndarray, " points"], part: Float[np.ndarray, "rows points ..."]
) -> Float[np.ndarray, "rows ..."]:
    """Over points, one after the other: the same to the last digit in any company."""
    total = np.zeros((len(part), *part.shape[2:]))
    for number, share in enumerate(weight):
        total += share * part[:, number]
    return total
