"""Model files as accidents and forgers leave them, and the question whether a model deserves its answers.

Damage changes bytes and leaves the checksum: every such file must be refused. A forgery changes what the file says and
computes the checksum anew: it must be refused in words, or load to a model that answers with finite numbers.
"""

from __future__ import annotations

import copy
import hashlib
import json
import struct
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import safetensors.numpy

from taylor_sensus import TSNetRegressor
from taylor_sensus.storage.container import MAGIC, ModelFile

HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, 10**3, 10**6, 10**9, 10**18, 2**63, 1e-300, 0.5, -0.5, 1e30, 1e300, -1e300,
    float("nan"), float("inf"), "", "x", "nan", "1", "x" * 3000, "\ud800", "<b>", [], {}, [None], ["y"], ["y", "y"],
    [[]], {"a": 1}, [1, 2, 3], ["x0", None], [["x0", ["a", "b"]]],
)  # fmt: skip
"""In place of what a header says."""
NUMBERS = (
    np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 100.0, -100.0, 1e5, 1e10, -1e10, 1e20, 1e30, -1e30, 3e38,
    1e100, 1e300, -1e300, 1e-20, 1e-40, 1e-300, 5e-324,
)  # fmt: skip
"""In place of cells."""
MANY = 30_000
"""Rows that an array may be stretched to: a megabyte of file must not become an hour or a gigabyte."""


# Damage


def damaged(rng: np.random.Generator, data: bytes) -> bytes:
    """The file after an accident; never the file itself."""
    while True:
        changed = DAMAGES[rng.integers(len(DAMAGES))](rng, bytearray(data))
        if bytes(changed) != data:
            return bytes(changed)


def _place(rng: np.random.Generator, data: bytearray) -> tuple[int, int]:
    start = int(rng.integers(len(data)))
    return start, min(len(data), start + int(rng.choice([1, 2, 16, 512, 4096])))


def _flip(rng: np.random.Generator, data: bytearray) -> bytearray:
    for place in rng.integers(len(data), size=rng.choice([1, 1, 2, 10])):
        data[place] ^= 1 << int(rng.integers(8))
    return data


def _cut(rng: np.random.Generator, data: bytearray) -> bytearray:
    return data[: rng.integers(len(data))]


def _without(rng: np.random.Generator, data: bytearray) -> bytearray:
    start, end = _place(rng, data)
    return data[:start] + data[end:]


def _twice(rng: np.random.Generator, data: bytearray) -> bytearray:
    start, end = _place(rng, data)
    return data[:end] + data[start:end] + data[end:]


def _overwritten(rng: np.random.Generator, data: bytearray) -> bytearray:
    start, end = _place(rng, data)
    fill = rng.choice(["zeros", "ones", "noise", "spaces"])
    if fill == "noise":
        data[start:end] = rng.bytes(end - start)
    else:
        data[start:end] = {"zeros": b"\0", "ones": b"\xff", "spaces": b" "}[str(fill)] * (end - start)
    return data


def _as_text(rng: np.random.Generator, data: bytearray) -> bytearray:
    """Through a transfer that means well with line ends or letters."""
    change = int(rng.integers(4))
    if change == 0:
        return data.replace(b"\r\n", b"\n")
    if change == 1:
        return data.replace(b"\n", b"\r\n")
    if change == 2:
        return bytearray(data.decode("latin-1").encode("utf-8"))
    return bytearray(data.decode("utf-8", errors="replace").encode("utf-8"))


def _longer(rng: np.random.Generator, data: bytearray) -> bytearray:
    return data + rng.bytes(int(rng.integers(1, 5000)))


DAMAGES = (_flip, _flip, _cut, _without, _twice, _overwritten, _as_text, _longer)


# Forgery


def forged(rng: np.random.Generator, content: ModelFile) -> bytes:
    """A file with a right checksum that says one to three other things."""
    header, arrays = copy.deepcopy(content.header), dict(content.arrays)
    for _ in range(rng.integers(1, 4)):
        FORGERIES[rng.integers(len(FORGERIES))](rng, header, arrays)
    return assembled(header, arrays, content.format)


def assembled(header: Any, arrays: dict[str, np.ndarray], format_version: int) -> bytes:
    """The bytes of a model file, whatever it says."""
    head = json.dumps(header).encode("ascii")
    plain = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    body = MAGIC + struct.pack("<IQ", format_version, len(head)) + head + safetensors.numpy.save(plain)
    return body + hashlib.sha256(body).digest()


def _word(rng: np.random.Generator, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Another value somewhere in the header."""
    place, key = _somewhere(rng, header)
    if key is not None:
        place[key] = copy.deepcopy(HOSTILE[rng.integers(len(HOSTILE))])


def _left_out(rng: np.random.Generator, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    place, key = _somewhere(rng, header)
    if key is not None:
        del place[key]


def _said_twice(rng: np.random.Generator, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    place, key = _somewhere(rng, header)
    if isinstance(place, list):
        place[key:key] = [copy.deepcopy(place[key])] * int(rng.choice([1, 1, 3, 10_000]))


def _setting(rng: np.random.Generator, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    settings = header.get("settings")
    if isinstance(settings, dict) and settings:
        name = str(rng.choice(sorted(settings)))
        settings[name] = [0, 1, 2, 3, 8, 1000, 10**6, 10**12, 1e-9, 1e9, 1e308, True, False][rng.integers(13)]


def _somewhere(rng: np.random.Generator, header: Any) -> tuple[Any, Any]:
    """A container inside the header, and a key or position in it."""
    place, key = header, None
    while isinstance(place, dict | list) and place:
        inner = sorted(place) if isinstance(place, dict) else range(len(place))
        chosen = inner[int(rng.integers(len(inner)))]
        found, key = place, chosen
        if not isinstance(place[chosen], dict | list) or not place[chosen] or rng.random() < 0.2:
            return found, key
        place = place[chosen]
    return place, None


def _cells(rng: np.random.Generator, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Other numbers in an array: in one cell, in a column or in all."""
    name = _name(rng, arrays)
    array = arrays[name].copy()
    if not array.size:
        return
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        value = np.array(NUMBERS[rng.integers(len(NUMBERS))]).astype(array.dtype)
        how = int(rng.integers(4))
        if how == 0:
            array.flat[rng.integers(array.size)] = value
        elif how == 1 or not array.ndim:
            array[...] = value
        elif how == 2:
            array[..., 0] = value
        else:
            array = (array * value).astype(array.dtype)
    arrays[name] = array


def _kind(rng: np.random.Generator, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    name = _name(rng, arrays)
    with np.errstate(all="ignore"):
        arrays[name] = arrays[name].astype(str(rng.choice(["float16", "float32", "float64", "int64", "uint8", "bool"])))


def _shape(rng: np.random.Generator, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    name = _name(rng, arrays)
    array = arrays[name]
    how = int(rng.integers(5))
    if how == 0:
        arrays[name] = array.T
    elif how == 1:
        arrays[name] = array.reshape(-1)
    elif how == 2:
        arrays[name] = array[..., None]
    elif how == 3 and array.ndim:
        arrays[name] = array[: rng.integers(len(array) + 1)]
    elif array.ndim and len(array):
        arrays[name] = np.resize(array, (int(rng.choice([len(array) + 1, 2 * len(array), 1000])), *array.shape[1:]))


def _stretched(rng: np.random.Generator, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """All arrays of a part with many more rows, as they would belong together."""
    starts = ["process.", "densities.", "held_out.", "rows.", "repeats.", "kernel."]
    start = starts[rng.integers(len(starts))]
    axis = 1 if start == "densities." else 0
    lengths = [a.shape[axis] for n, a in arrays.items() if n.startswith(start) and a.ndim > axis]
    if not lengths:
        return
    count, many = max(lengths), int(rng.choice([500, 3000, MANY]))
    for name, array in arrays.items():
        if name.startswith(start) and array.ndim > axis and array.shape[axis] == count:
            arrays[name] = np.take(array, np.arange(many) % count, axis=axis)


def _swelled(rng: np.random.Generator, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Settings that ask for much, with small arrays that seem to back them."""
    settings = header.get("settings")
    if not isinstance(settings, dict):
        return
    many = int(rng.choice([1000, MANY, 10 * MANY]))
    name = str(rng.choice(["members", "depth", "noise_depth", "width", "noise_width", "frequencies", "octaves"]))
    settings[name] = many
    if rng.random() < 0.5:
        settings["width"], settings["noise_width"] = (many, 1) if name == "width" else (1, 1)
    arrays["blocks.more"] = np.zeros(2 * many, rng.choice(["bool", "float32"]))
    if rng.random() < 0.3:
        header["columns"] = [] if rng.random() < 0.5 else [[f"x{i}", None] for i in range(many)]


def _missing(rng: np.random.Generator, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    del arrays[_name(rng, arrays)]


def _renamed(rng: np.random.Generator, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    arrays[_name(rng, arrays)] = arrays.pop(_name(rng, arrays))


def _name(rng: np.random.Generator, arrays: dict[str, np.ndarray]) -> str:
    names = sorted(arrays)
    return names[int(rng.integers(len(names)))]


FORGERIES = (
    _word, _word, _left_out, _said_twice, _setting, _setting, _cells, _cells, _cells, _cells, _kind, _shape, _stretched,
    _swelled, _missing, _renamed,
)  # fmt: skip


# Use


def rows_for(model: TSNetRegressor) -> pd.DataFrame | np.ndarray:
    """Usual rows, one far off and one with a gap, for whatever columns the model has."""
    columns = model.fitted_.columns
    found = {}
    for place, column in enumerate(columns):
        if column.categories is None:
            found[column.name] = np.array([0.1, -0.7, 1e30, np.nan if place == 0 else 0.3])
        else:
            found[column.name] = pd.Series([column.categories[0]] * 3 + [column.categories[-1]], dtype=object)
    frame = pd.DataFrame(found, columns=[column.name for column in columns])
    if hasattr(model, "feature_names_in_"):
        return frame
    return frame.set_axis(range(len(columns)), axis=1) if any(c.categories for c in columns) else frame.to_numpy(float)


def use(model: TSNetRegressor, folder: Path) -> str:
    """Ask a model all that a reader of its answers would ask; "finite", or what is not."""
    rows = rows_for(model)
    prediction = model.predict_distribution(rows)
    answers = {
        "mean": prediction.mean,
        "std": prediction.std,
        "parts": np.stack([prediction.feature_noise, prediction.system_noise, prediction.epistemic]),
        "familiarity": prediction.familiarity,
        "interval": np.stack(prediction.interval(0.9)),
        "sample": prediction.sample(3, random_state=0),
        "budget": model.noise_budget(rows).share,
    }
    wrong = [name for name, answer in answers.items() if not np.isfinite(answer).all()]
    if not (prediction.std > 0).all():
        wrong.append("std is not positive")
    if np.isnan(np.stack(model.predict_interval(rows, 0.8))).any():  # infinite where unseen rows are too few
        wrong.append("conformal interval")
    tell: list[Callable[[], Any]] = [model.summary, model._repr_html_, model.history_.describe, prediction.__str__]
    for telling in tell:
        telling()
    model.save(folder / "again.tsnet")
    return f"not finite: {', '.join(wrong)}" if wrong else "finite"
