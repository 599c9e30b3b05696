"""The public datasets: found or downloaded, checked, read, made ready and split."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from taylor_sensus.datasets.files import VARIABLE, data_folder, find_or_download, whereabouts
from taylor_sensus.datasets.readers import READERS, read_diabetes, read_year_prediction
from taylor_sensus.datasets.sources import DATASETS, DatasetInfo
from taylor_sensus.datasets.splits import Parts, paper_split, split_before_test
from taylor_sensus.errors import DataError, did_you_mean

__all__ = [
    "DATASETS", "VARIABLE", "Dataset", "DatasetInfo", "SplitDataset", "data_folder", "fetch_dataset", "find_info",
    "load_dataset", "read_year_prediction", "split_dataset", "whereabouts",
]  # fmt: skip

DISTINCT = "_distinct"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table made ready for a regressor, and where it came from."""

    name: str
    X: pd.DataFrame
    """float64; for Year-Prediction-MSD float32, which holds all its digits in half the memory."""
    y: pd.Series
    info: DatasetInfo
    sha256: str
    """Of the file that was read; for diabetes, of the numbers."""
    distinct: bool = False
    """True if exact duplicate rows were dropped."""
    official_split: Parts | None = None
    """The authors' own training and test rows, if they fixed them; its validation part is empty."""
    X_err: pd.DataFrame | None = None
    """Declared errors of the features, as ``fit`` takes them; None where the authors give none."""
    y_err: pd.Series | None = None
    """Declared errors of the target."""
    covariances: np.ndarray | None = None
    """Where errors of a row go together: their covariance matrices, the target last, to be given as ``X_err``."""

    @property
    def key(self) -> str:
        """The name under which ``load_dataset`` finds exactly this table again."""
        return self.name + DISTINCT * self.distinct

    @property
    def table(self) -> pd.DataFrame:
        """Features, target and declared errors side by side, under headers that ``read_measurements`` understands."""
        errors = {} if self.X_err is None else {f"{name}_err": self.X_err[name] for name in self.X_err}
        own = {} if self.y_err is None else {f"{self.y.name}_err": self.y_err}
        together: dict[str, np.ndarray] = {}
        if self.covariances is not None:
            named = [*self.X, self.y.name]
            for a, b in self.info.covariances.values():
                together[f"cov({a},{b})"] = self.covariances[:, named.index(a), named.index(b)]
        return self.X.assign(**{str(self.y.name): self.y, **errors, **own, **together})


@dataclass(frozen=True, eq=False)
class SplitDataset:
    """Training, validation and test parts; row labels are positions in the dataset."""

    X_train: pd.DataFrame
    y_train: pd.Series
    X_val: pd.DataFrame
    y_val: pd.Series
    X_test: pd.DataFrame
    y_test: pd.Series
    target_mean: float = 0.0
    target_std: float = 1.0
    """``y * target_std + target_mean`` is the target as it was loaded."""


def load_dataset(name: str, distinct: bool = False) -> Dataset:
    """Load a dataset, prepared as in the paper's appendix: words as numbers, long-tailed columns as logarithms.

    ``distinct`` drops rows that repeat an earlier row of the source table in all columns, because a random split
    would put copies of one row on both sides; a name with the ending ``_distinct`` asks for the same.
    """
    info = find_info(name)
    distinct = distinct or name.endswith(DISTINCT)
    if info.files:
        found = find_or_download(info)
        table, sha256 = READERS[found.file.layout](found.path), found.file.sha256
    else:
        table, sha256 = read_diabetes()
    table = _check_shape(table, info)
    table = _numbers(table, info)
    rows = np.flatnonzero(~table.duplicated()) if distinct else np.arange(len(table))
    table = table.iloc[rows].reset_index(drop=True) if distinct else table
    table = _logarithms(table.drop(columns=list(info.left_out)), info)
    features = table.drop(columns=[info.target, *info.errors.values(), *info.covariances])
    X = table[list(info.order)] if info.order else features
    return Dataset(
        name=info.name,
        X=X,
        y=table[info.target].astype("float64"),
        info=info,
        sha256=sha256,
        distinct=distinct,
        official_split=_official(rows, info),
        X_err=_errors(table, [name for name in X if name in info.errors], info),
        y_err=table[info.errors[info.target]].rename(info.target) if info.target in info.errors else None,
        covariances=_covariances(table, [*X, info.target], info),
    )


def split_dataset(dataset: Dataset, seed: int) -> SplitDataset:
    """Training, validation and test rows by the paper's 6 : 2 : 2; test rows that the authors fixed stay theirs.

    Where the paper reports errors of the standardised target (wine), it is standardised with mean and standard
    deviation of the training part alone, so that nothing of the other parts leaks. Other targets keep their unit,
    and features are never scaled here: an estimator scales by itself, and would not know what was done before.
    """
    official = dataset.official_split
    parts = (
        paper_split(len(dataset.y), seed)
        if official is None
        else split_before_test(official.train, official.test, seed)
    )
    y, mean, std = dataset.y, 0.0, 1.0
    if dataset.info.standardise_target:
        learned = y.iloc[parts.train]
        mean, std = float(learned.mean()), float(learned.std(ddof=0))
        y = (y - mean) / std
    (X_train, y_train), (X_val, y_val), (X_test, y_test) = ((dataset.X.iloc[rows], y.iloc[rows]) for rows in parts)
    return SplitDataset(X_train, y_train, X_val, y_val, X_test, y_test, mean, std)


def find_info(name: str) -> DatasetInfo:
    """The record of a dataset, with or without the ending ``_distinct``."""
    plain = name.removesuffix(DISTINCT)
    if plain in DATASETS:
        return DATASETS[plain]
    raise DataError(f"there is no dataset {name!r}{did_you_mean(plain, DATASETS, 'there are')}")


def _official(rows: np.ndarray, info: DatasetInfo) -> Parts | None:
    if info.official_train_rows is None:
        return None
    positions, before_test = np.arange(len(rows)), rows < info.official_train_rows
    return Parts(positions[before_test], positions[:0], positions[~before_test])


def _errors(table: pd.DataFrame, columns: list[str], info: DatasetInfo) -> pd.DataFrame | None:
    """Declared errors under the names of their columns."""
    return table[[info.errors[name] for name in columns]].set_axis(columns, axis=1) if columns else None


def _covariances(table: pd.DataFrame, columns: list[str], info: DatasetInfo) -> np.ndarray | None:
    """Matrices of variances and covariances, `(rows, columns, columns)`."""
    if not info.covariances:
        return None
    whole = np.zeros((len(table), len(columns), len(columns)))
    np.einsum("rii->ri", whole)[:] = table[[info.errors[name] for name in columns]].to_numpy() ** 2
    for column, (a, b) in info.covariances.items():
        i, j = columns.index(a), columns.index(b)
        whole[:, i, j] = whole[:, j, i] = table[column]
    return whole


def fetch_dataset(name: str) -> Path | None:
    """Make sure that a dataset's file is on this machine; returns it, or None for what comes with scikit-learn."""
    info = find_info(name)
    return find_or_download(info).path if info.files else None


def _check_shape(table: pd.DataFrame, info: DatasetInfo) -> pd.DataFrame:
    """The table, its columns named where the file has no header."""
    if len(info.columns) == table.shape[1]:
        table = table.set_axis(list(info.columns), axis=1)
    named = (*info.left_out, *info.errors.values(), *info.covariances)
    wanted = (info.rows, info.features + 1 + len(named))
    missing = [column for column in (info.target, *info.order, *named) if column not in table]
    if table.shape != wanted or missing:
        raise DataError(
            f"{info.name}: the table read has {table.shape[0]} rows and {table.shape[1]} columns"
            f"{f' and lacks {missing}' if missing else ''}; expected {wanted[0]} rows and {wanted[1]} columns"
        )
    return table


def _numbers(table: pd.DataFrame, info: DatasetInfo) -> pd.DataFrame:
    """Words become their place in the list, texts the numbers they spell; columns left out stay as they are."""
    changed = {
        name: table[name].map({word: place for place, word in enumerate(words, start=1)})
        for name, words in info.codes.items()
    }
    used = [name for name in table.columns if name not in info.left_out]
    table = table.assign(**changed).astype(dict.fromkeys(used, info.precision))
    holes = [name for name in used if table[name].isna().any()]
    if holes:
        raise DataError(f"{info.name}: the columns {holes} have cells without a usable value")
    return table


def _logarithms(table: pd.DataFrame, info: DatasetInfo) -> pd.DataFrame:
    changed = {name: np.log(table[name]) for name in info.log}
    changed |= {name: np.log1p(table[name]) for name in info.log1p}
    return table.assign(**changed)
