"""The files of the datasets as tables, each in its own layout, and the one table that comes with scikit-learn."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from taylor_sensus.datasets.astronomy import read_accelerations, read_galaxies, read_supernovae
from taylor_sensus.datasets.files import INSTALL
from taylor_sensus.datasets.sources import DATASETS
from taylor_sensus.errors import DataError, MissingExtraError

DIABETES_SHA256 = "839c546b0b4ac02c2e6cbe5e5c92313cefa993446c9733e9b49477cc3f96e104"
"""Of the numbers themselves, as little-endian doubles row by row: scikit-learn, not a file of ours, brings them."""
CONCRETE_COLUMNS = (
    *("cement", "blast_furnace_slag", "fly_ash", "water", "superplasticizer"),
    *("coarse_aggregate", "fine_aggregate", "age", "compressive_strength"),
)
YEAR_COLUMNS = (
    "year",
    *(f"timbre_average_{number}" for number in range(1, 13)),
    *(f"timbre_covariance_{number}" for number in range(1, 79)),
)


def read_year_prediction(path: str | os.PathLike) -> pd.DataFrame:
    """Parse a file in the layout of Year-Prediction-MSD: no header, the year, then 90 timbre values, as float32.

    Only the layout is checked, so a part of the file can be read too; ``load_dataset`` insists on the whole.
    """
    import pyarrow as pa
    from pyarrow import csv

    try:
        table = csv.read_csv(
            path,
            read_options=csv.ReadOptions(column_names=list(YEAR_COLUMNS)),
            convert_options=csv.ConvertOptions(column_types=dict.fromkeys(YEAR_COLUMNS, pa.float32())),
        )
    except pa.ArrowInvalid as error:
        raise DataError(f"{Path(path).name} is not in the layout of Year-Prediction-MSD: {error}") from error
    return table.to_pandas(self_destruct=True)


def read_matminer_json(path: str | os.PathLike) -> pd.DataFrame:
    """Read a table that matminer stored: gzipped JSON with ``columns``, ``index`` and ``data`` (row by row)."""
    try:
        content = json.loads(gzip.decompress(Path(path).read_bytes()))
        return pd.DataFrame(content["data"], columns=content["columns"])
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise DataError(f"{Path(path).name} is not a gzipped JSON table of matminer ({problem})") from error


def read_concrete_book(path: str | os.PathLike) -> pd.DataFrame:
    """Read the first sheet of the authors' Excel book, under short names."""
    try:
        import xlrd
    except ImportError as error:
        raise MissingExtraError(f"reading {Path(path).name} needs the package xlrd: {INSTALL}") from error
    with xlrd.open_workbook(str(path)) as book:
        sheet = book.sheet_by_index(0)
        rows = [sheet.row_values(row) for row in range(1, sheet.nrows)]
    return pd.DataFrame(rows, columns=list(CONCRETE_COLUMNS))


def _text_cells(separator: str, header: int | None = 0) -> Callable[[Path], pd.DataFrame]:
    """Cells are read as text, and become numbers later: so they are exact in every version of pandas."""
    return lambda path: pd.read_csv(path, sep=separator, header=header, dtype=str)


def read_diabetes() -> tuple[pd.DataFrame, str]:
    from sklearn.datasets import load_diabetes

    bunch: Any = load_diabetes(as_frame=True, scaled=False)
    table: pd.DataFrame = bunch.frame.rename(columns={"target": DATASETS["diabetes"].target})
    found = hashlib.sha256(np.ascontiguousarray(table.to_numpy(), dtype="<f8").tobytes()).hexdigest()
    if found != DIABETES_SHA256:
        raise DataError(
            f"the diabetes table of this scikit-learn is another one: SHA-256 of its numbers {found}, "
            f"expected {DIABETES_SHA256}; reinstall scikit-learn"
        )
    return table, found


READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    "commas": _text_cells(","),
    "semicolons": _text_cells(";"),
    "matminer json": read_matminer_json,
    "concrete book": read_concrete_book,
    "year prediction": read_year_prediction,
    "spaces": _text_cells(r"\s+", header=None),
    "supernovae": read_supernovae,
    "accelerations": read_accelerations,
    "galaxies": read_galaxies,
}
