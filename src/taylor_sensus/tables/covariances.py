"""Errors that go together in a row: covariance matrices in place of standard deviations, and columns ``cov(a,b)``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError
from taylor_sensus.tables.units import split_header

_FORM = re.compile(r"cov(?:ariance)?\(\s*(?P<a>[^,;]*\S)\s*[,;]\s*(?P<b>[^,;]*\S)\s*\)", flags=re.IGNORECASE)
TOLERANCE = 1e-6
"""By which a matrix may differ from a covariance, relative to its variances: numbers in tables are rounded."""


class Covariances(NamedTuple):
    """Declared errors taken apart."""

    X_err: Any
    """Standard deviations, as they came where no matrices were given."""
    among: np.ndarray | None
    """`(rows, columns, columns)`"""
    with_target: np.ndarray | None
    """`(rows, columns)`"""
    y_err: Any


def taken_apart(X_err: Any, y_err: Any, rows: int, columns: int, targets: int, what: str = "X_err") -> Covariances:
    """Standard deviations and covariances; matrices are `(rows, columns, columns)`, or one larger with the target."""
    if not isinstance(X_err, np.ndarray) or X_err.ndim != 3:
        return Covariances(X_err, None, None, y_err)
    whole = np.asarray(X_err, np.float64)
    with_target = whole.shape == (rows, columns + 1, columns + 1)
    if whole.shape != (rows, columns, columns) and not with_target:
        raise DataError(
            f"{what} has the shape {whole.shape}; covariance matrices of {rows} rows and {columns} columns are "
            f"{(rows, columns, columns)}, or {(rows, columns + 1, columns + 1)} with the target last"
        )
    if with_target and targets != 1:
        raise DataError(
            f"{what}: covariances with the target are possible with one target only, and there are {targets}"
        )
    variance = np.einsum("rii->ri", whole)
    std = np.sqrt(np.where(variance >= 0, variance, np.nan))
    known = np.where(np.isnan(whole) | np.isnan(std[:, :, None]) | np.isnan(std[:, None, :]), 0.0, whole)
    unit = np.where(std > 0, std, 1.0)
    scaled = known / (unit[:, :, None] * unit[:, None, :])
    lowest = np.linalg.eigvalsh((scaled + np.swapaxes(scaled, 1, 2)) / 2)[:, 0]
    lopsided = np.abs(scaled - np.swapaxes(scaled, 1, 2)).max(axis=(1, 2)) > TOLERANCE
    bad = np.flatnonzero((lowest < -TOLERANCE) | lopsided | (variance < 0).any(axis=1))
    if len(bad):
        raise DataError(
            f"{what}: the matrix of row {bad[0]} (from 0), and {len(bad) - 1} more, is not a covariance matrix: "
            "variances on its diagonal must not be negative, it must be symmetric, and no correlation may exceed 1"
        )
    if not with_target:
        return Covariances(std, known, None, y_err)
    own = std[:, columns] if y_err is None else y_err
    return Covariances(std[:, :columns], known[:, :columns, :columns], known[:, :columns, columns], own)


def covariance_headers(headers: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Headers such as ``cov(a,b)`` of two columns that are there, with these columns' headers."""
    by_name = {split_header(header).name: header for header in headers}
    found = {}
    for header in headers:
        fits = _FORM.fullmatch(header.strip())
        if fits and fits["a"] in by_name and fits["b"] in by_name and fits["a"] != fits["b"]:
            found[header] = (by_name[fits["a"]], by_name[fits["b"]])
    return found


def as_covariances(
    errors: pd.DataFrame | None, columns: Sequence[str], covariances: Mapping[tuple[str, str], np.ndarray],
    target: str | None = None, target_errors: pd.Series | None = None,
) -> Any:  # fmt: skip
    """Errors of the columns as matrices where some go together, with the target where it is among them; else as is."""
    named = [*columns, *([target] if target is not None else [])]
    pairs = {pair: values for pair, values in covariances.items() if set(pair) <= set(named)}
    if not pairs:
        return errors
    if target is not None and not any(target in pair for pair in pairs):
        named = list(columns)
    rows = len(next(iter(pairs.values())))
    std = np.full((rows, len(named)), np.nan)
    for place, name in enumerate(named):
        if errors is not None and name in errors:
            std[:, place] = errors[name].to_numpy(dtype=float)
        if name == target and target_errors is not None:
            std[:, place] = target_errors.to_numpy(dtype=float)
    whole = np.zeros((rows, len(named), len(named)))
    np.einsum("rii->ri", whole)[:] = std**2
    for (a, b), values in pairs.items():
        if np.isnan(std[:, [named.index(a), named.index(b)]]).all():
            raise DataError(f"column 'cov({a},{b})' needs the errors of both columns, and they are not declared")
        i, j = named.index(a), named.index(b)
        whole[:, i, j] = whole[:, j, i] = np.where(np.isnan(values), 0.0, values)
    return whole
