"""Tables that nobody would write: the readers must give a table, or refuse it in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from taylor_sensus import Measurements, read_measurements

CELLS = (
    "1", "2.5", "-3e4", "14.2(3)", "14.2±0.3", "345 ± 2%", "<0.05", "1,5", "1.234,5", "1e999", "-1e-999", "nan", "NA",
    "inf", "", " ", "0x1F", "1_000", "1 000", "١٢٣", "½", "true", "False", "2024-01-31", "12:30", "=1+1", "'=1+1", "@x",
    '"', '""', 'a"b', "a,b", "a;b", "a\tb", "line\nbreak", "\r", "\x00", "\ufeff", "\u202e9", "é", "\ud7ff", "x" * 200,
    "None", "null", "1(2)(3)", "±", "()", "%", "1±", "±1", "1 (1.2e-3)", "1e", "e1", "--1", "+-1", "1.2.3", "∞", "5 %",
)  # fmt: skip
HEADERS = (
    "a", "b", "temp [degC]", "temp_err", "sigma(a)", "u(b)", "a ± b", "y", "", " ", "a.1", "Unnamed: 0", "p (MPa)", "%",
    "é", "0", "1", "nan", "=x", "error", "err", "std", "[", "]", "a [", "x" * 100, "\ufeffa", "<b>",
)  # fmt: skip
ENDINGS = ("csv", "csv", "csv", "tsv", "txt", "parquet", "xlsx")


def written(rng: np.random.Generator, folder: Path) -> Path:
    """A table as a file, broken in one way or another."""
    for old in folder.glob("table.*"):
        old.unlink()
    ending = ENDINGS[rng.integers(len(ENDINGS))]
    path = folder / f"table.{ending}"
    if ending in ("parquet", "xlsx"):
        path.write_bytes(_broken(rng, _book(rng, folder, ending)))
        return path
    encoding = str(rng.choice(["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252", "utf-16-le"]))
    path.write_bytes(_broken(rng, _text(rng).encode(encoding, errors="replace")))
    return path


def read(path: Path, rng: np.random.Generator) -> Measurements:
    """Read it as a user would."""
    options: list[dict] = [{}, {"decimal": ","}, {"decimal": "."}, {"censored": "half"}]
    return read_measurements(path, **options[rng.integers(len(options))])


def judge(found: Measurements) -> str:
    """ "read" if there is a table of sound columns."""
    sizes = {len(found.values), len(found.errors)}
    if len(sizes) != 1 or not found.values.columns.is_unique:
        return "values and errors do not belong together"
    errors = found.errors.to_numpy(float, na_value=np.nan)
    if (errors < 0).any() or np.isinf(errors).any():
        return "an error that is negative or infinite"
    return "read"


def _text(rng: np.random.Generator) -> str:
    separator = str(rng.choice([",", ";", "\t", "|", " "]))
    end = str(rng.choice(["\n", "\r\n", "\r"]))
    columns, rows = int(rng.integers(1, 7)), int(rng.integers(0, 12))
    lines = [[_one(rng, HEADERS) for _ in range(columns)]]
    plain = rng.random(columns) < 0.6
    for _ in range(rows):
        width = columns if rng.random() < 0.97 else int(rng.integers(0, 9))
        cells = [f"{rng.normal():.4g}" if c < columns and plain[c] else _one(rng, CELLS) for c in range(width)]
        lines.append([f'"{cell}"' if rng.random() < 0.1 else cell for cell in cells])
    return end.join(separator.join(line) for line in lines) + (end if rng.random() < 0.8 else "")


def _book(rng: np.random.Generator, folder: Path, ending: str) -> bytes:
    columns = list(dict.fromkeys(_one(rng, HEADERS) for _ in range(int(rng.integers(1, 6)))))
    rows, cells = int(rng.integers(0, 10)), tuple(cell for cell in CELLS if cell != "\x00")
    frame = pd.DataFrame(
        {
            name: rng.normal(size=rows) if rng.random() < 0.6 else [_one(rng, cells) for _ in range(rows)]
            for name in columns
        }
    )
    place = folder / f"whole.{ending}"
    if ending == "parquet":
        frame.to_parquet(place)
    else:
        frame.to_excel(place, index=False)
    return place.read_bytes()


def _broken(rng: np.random.Generator, data: bytes) -> bytes:
    """As it is, mostly; else with bytes changed, cut or repeated."""
    how = rng.random()
    if how < 0.6 or not data:
        return data
    place = int(rng.integers(len(data)))
    if how < 0.7:
        return data[:place]
    if how < 0.8:
        return data[:place] + rng.bytes(int(rng.integers(1, 40))) + data[place:]
    if how < 0.9:
        return data[:place] + data[place : place + 50] * 20 + data[place + 50 :]
    changed = bytearray(data)
    for at in rng.integers(len(data), size=5):
        changed[at] = int(rng.integers(256))
    return bytes(changed)


def _one(rng: np.random.Generator, words: tuple[str, ...]) -> str:
    return words[int(rng.integers(len(words)))]
