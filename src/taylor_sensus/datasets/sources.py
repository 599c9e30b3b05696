"""Where the public datasets come from, and what is done to their columns: the records of ``sources.toml``.

``files`` fetches and checks, ``readers`` reads.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

Layout = Literal[
    "commas", "semicolons", "matminer json", "concrete book", "year prediction", "spaces",
    "supernovae", "accelerations", "galaxies",
]  # fmt: skip


@dataclass(frozen=True)
class Download:
    """A public address, and the hash that pooch checks: a SHA-256, or ``md5:...`` where only that is recorded."""

    url: str
    known_hash: str
    zipped: bool = True


@dataclass(frozen=True)
class SourceFile:
    """One file of a dataset: its place in the data folder, and the SHA-256 without which it is not read."""

    path: str
    sha256: str
    layout: Layout
    download: Download | None = None


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a dataset, and how its table is made ready.

    Of ``files`` the first that is there is read; each alone is enough, and all give the same numbers.
    """

    name: str
    title: str
    rows: int
    features: int
    target: str
    unit: str
    """Unit of the target as it is loaded, that is after its logarithm."""
    source: str
    """Page on which the authors, or their archive, offer the data."""
    doi: str
    licence: str
    citation: str
    files: tuple[SourceFile, ...] = ()
    """Empty for what comes with scikit-learn."""
    columns: tuple[str, ...] = ()
    """Names of all columns, for files that have no header."""
    left_out: tuple[str, ...] = ()
    """Columns of the file that are neither features nor target: names, and other outcomes of the experiment."""
    order: tuple[str, ...] = ()
    """The features in this order, where it may differ between the files."""
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Text columns whose words become 1, 2, 3, ... in this order."""
    log: tuple[str, ...] = ()
    """Long-tailed columns that become ln(x)."""
    log1p: tuple[str, ...] = ()
    """Long-tailed columns that hold zeros and become ln(1 + x)."""
    standardise_target: bool = False
    """True where the paper reports errors of the standardised target."""
    precision: Literal["float64", "float32"] = "float64"
    official_train_rows: int | None = None
    """Where the authors fixed the test rows: how many rows come before them."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """Columns of declared errors (standard deviations), by the features or the target that they belong to."""
    covariances: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Columns of covariances of errors within a row, with the two columns that each is about."""

    @property
    def preparation(self) -> str:
        """What happens to the columns on loading, in one sentence."""
        steps = [f"{name} as 1 to {len(words)}" for name, words in self.codes.items()]
        logarithms = ((self.log, "ln(x)"), (self.log1p, "ln(1 + x)"))
        steps += [f"{', '.join(names)} as {form}" for names, form in logarithms if names]
        steps += [f"without {', '.join(self.left_out)}"] if self.left_out else []
        steps += [f"with declared errors of {', '.join(self.errors)}"] if self.errors else []
        return "; ".join(steps) or "as published"


def _read_sources() -> dict[str, DatasetInfo]:
    """The records by name, in the order in which they are written."""
    text = files("taylor_sensus.datasets").joinpath("sources.toml").read_text(encoding="utf-8")
    return {name: _info(name, fields) for name, fields in tomllib.loads(text).items()}


def _info(name: str, fields: dict[str, Any]) -> DatasetInfo:
    sources = tuple(_source_file(each) for each in fields.pop("files", ()))
    codes = {column: tuple(words) for column, words in fields.pop("codes", {}).items()}
    covariances = {column: tuple(pair) for column, pair in fields.pop("covariances", {}).items()}
    others: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
    return DatasetInfo(name=name, files=sources, codes=codes, covariances=covariances, **others)


def _source_file(fields: dict[str, Any]) -> SourceFile:
    download = fields.pop("download", None)
    return SourceFile(**fields, download=None if download is None else Download(**download))


DATASETS: dict[str, DatasetInfo] = _read_sources()
