"""A text table whose cells stay as they are written, for tables whose decimal sign is declared and not guessed."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from taylor_sensus.errors import DataError
from taylor_sensus.tables import delimited

_TRUTH = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}


def read_texts(path: Path, *, favourite: str = ",") -> delimited.Delimited:
    """As `read_delimited`, but no cell is taken for a number; columns of only true and false are truth values."""
    encoding = delimited._find_encoding(path)
    separator = delimited._find_separator(path, encoding, favourite) if path.stat().st_size else favourite
    sample = delimited._sample(path, encoding, separator)
    if not sample:
        raise DataError(f"{path.name} is empty; expected a header line and at least one row")
    delimited._refuse_spaces(path, sample[1:])
    delimited._refuse_ragged_rows(path, encoding, separator, width=len(sample[0]))
    with path.open(encoding=encoding, newline="") as handle:
        body = pd.read_csv(
            handle,
            sep=separator,
            header=0,
            names=list(range(len(sample[0]))),
            index_col=False,
            skipinitialspace=True,
            dtype=str,
        )
    for name, column in body.items():
        if len(column) and column.isin(list(_TRUTH)).all():
            body[name] = column.map(_TRUTH).astype(bool)
    return delimited.Delimited(sample[0], body)
