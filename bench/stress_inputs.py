"""152 difficult tables, each with its right answer; the same every time."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

ROWS = 40
NEW = 20
NO_UNIT = "no quantity needs such numbers, and their squares are 0 or infinite: use another unit or logarithms"
CONVENTION = "the convention of scikit-learn: names come in the order of the fit"
TYPING_ERROR = "a cell beyond 1e120 is a typing error, and the refusal names it"
IDENTIFIER = "a different text in each row is its name: a model could only memorise the rows"
CLOSE = 0.9
"""Root-mean-square error in standard deviations of the target: clearly better than its mean, for any kind of model."""


class Case(NamedTuple):
    """One input: rows to fit, rows to ask, and what is known of the answer."""

    name: str
    X: Any
    y: Any
    new: Any
    truth: np.ndarray | None = None
    """What the new rows' target is without noise; None where nothing is known of it."""
    tolerance: float = np.inf
    """Root-mean-square error, in standard deviations of the target, within which an answer is right."""
    fit: dict[str, Any] = {}  # noqa: RUF012
    """Further arguments of `fit`; only ours has declared errors, others are asked without."""
    must_refuse: bool = False
    """Where no right answer exists."""
    may_refuse: str = ""
    """Why a refusal is as good as the right answer, if it is."""


def plain(rows: int = ROWS, columns: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Inputs, and a smooth target with little noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, law(X) + 0.05 * rng.normal(size=rows)


def named(X: np.ndarray) -> pd.DataFrame:
    """With names for the columns."""
    return pd.DataFrame(X, columns=["a", "b", "c"])


def law(X: np.ndarray) -> np.ndarray:
    """What the target is without noise."""
    return 2 * X[:, 0] + (X[:, 1] if X.shape[1] > 1 else 0)


def cases() -> Iterator[Case]:
    """All of them."""
    for kind in (_scales, _shapes, _cells, _columns, _targets, _types, _errors, _refusals):
        yield from kind()


def _learned(name: str, change: Callable[[np.ndarray], Any], tolerance: float = CLOSE, **options: Any) -> Case:
    """The plain table with its inputs changed, both in fit and in question, so that nothing is lost."""
    X, y = plain()
    new, _ = plain(NEW, seed=1)
    return Case(name, change(X), y, change(new), law(new), tolerance, **options)


def _no_unit(factor: float) -> str:
    return "" if 1e-110 < factor < 1e110 else NO_UNIT


def _scales() -> Iterator[Case]:
    for factor in (1e-300, 1e-150, 1e-30, 1e-12, 1e-6, 1e6, 1e12, 1e30, 1e100, 1e150, 1e300):
        yield _learned(f"inputs times {factor:g}", lambda X, f=factor: X * f, may_refuse=_no_unit(factor))
    for offset in (1e3, 1e6, 1e9, 1e12):
        yield _learned(f"inputs plus {offset:g}", lambda X, o=offset: X + o, 2.0 if offset > 1e9 else CLOSE)
    for factor in (1e-300, 1e-100, 1e-30, 1e-12, 1e12, 1e30, 1e100, 1e150):
        X, y = plain()
        new, _ = plain(NEW, seed=1)
        yield Case(f"target times {factor:g}", X, y * factor, new, law(new) * factor, CLOSE,
                   may_refuse=_no_unit(factor))  # fmt: skip
    for offset in (1e6, 1e9, 1e12):
        X, y = plain()
        new, _ = plain(NEW, seed=1)
        yield Case(f"target plus {offset:g}", X, y + offset, new, law(new) + offset, CLOSE)
    yield _learned("one input times 1e12, one times 1e-12", lambda X: X * [1e12, 1e-12, 1.0])
    yield _learned("one input exponential", lambda X: np.column_stack([np.exp(3 * X[:, 0]), X[:, 1:]]), 1.0)
    yield _learned("inputs as powers of ten", lambda X: 10 ** (20 * np.tanh(X)), 1.0)


def _shapes() -> Iterator[Case]:
    for rows in (1, 2, 3, 4, 5, 6, 8, 12):
        X, y = plain(rows)
        yield Case(f"{rows} rows", X, y, plain(NEW, seed=1)[0])
    X, y = plain()
    yield Case("zero rows", X[:0], y[:0], X, must_refuse=True)
    yield Case("zero columns", X[:, :0], y, X[:, :0], must_refuse=True)
    yield Case("zero rows asked", X, y, X[:0])
    yield Case("one row asked", X, y, plain(1, seed=1)[0], law(plain(1, seed=1)[0]), CLOSE)
    for columns in (1, 2, 30, 100, 300):
        X, y = plain(ROWS, columns)
        new, _ = plain(NEW, columns, seed=1)
        yield Case(f"{columns} columns of {ROWS} rows", X, y, new, law(new), CLOSE if columns < 30 else 1.3)
    X, y = plain()
    yield Case("y as a column", X, y[:, None], X, law(X)[:, None], CLOSE)
    yield Case("y as a row", X, y[None, :], X, must_refuse=True)
    yield Case("X as a list of numbers", list(X[:, 0]), y, X, must_refuse=True)
    yield Case("X with three axes", X[:, :, None], y, X, must_refuse=True)
    yield Case("fewer targets than rows", X, y[:-1], X, must_refuse=True)
    yield Case("more columns asked", X, y, np.c_[X, X], must_refuse=True)
    yield Case("fewer columns asked", X, y, X[:, :2], must_refuse=True)


def _cells() -> Iterator[Case]:
    X, y = plain()
    new, _ = plain(NEW, seed=1)
    for name, value in (("NaN", np.nan), ("infinity", np.inf), ("minus infinity", -np.inf)):
        for where in ("fit", "question", "target"):
            holed, asked, target = X.copy(), new.copy(), y.copy()
            {"fit": holed[:, 2], "question": asked[:, 2], "target": target}[where][3] = value
            refuse = where == "target" or name != "NaN"
            yield Case(f"{name} in {where}", holed, target, asked, law(new), CLOSE, must_refuse=refuse)
    for share in (0.1, 0.5, 0.9):
        holed = X.copy()
        holed[np.random.default_rng(2).random(X.shape) < share] = np.nan
        yield Case(f"{share:.0%} of cells missing", holed, y, new, law(new), CLOSE if share < 0.2 else 1.5)
    empty = X.copy()
    empty[:, 2] = np.nan
    yield Case("a column all missing", empty, y, new, law(new), CLOSE)
    yield Case("all columns all missing", np.full_like(X, np.nan), y, new)
    row = X.copy()
    row[5] = np.nan
    yield Case("a row all missing", row, y, new, law(new), CLOSE)
    for size in (1e3, 1e9, 1e30, 1e100, 1e300):
        wild = X.copy()
        wild[4, 2] = size
        yield Case(f"one input {size:g}", wild, y, new, law(new), 1.0, may_refuse=TYPING_ERROR if size > 1e120 else "")
        slip = y.copy()
        slip[4] = size
        yield Case(f"one target {size:g}", X, slip, new, law(new), 1.0 if size < 1e6 else np.inf)
        yield Case(f"asked at {size:g}", X, y, new * [1, 1, size])


def _columns() -> Iterator[Case]:
    yield _learned("a constant column", lambda X: np.c_[X, np.full(len(X), 7.0)])
    yield _learned("all columns but one constant", lambda X: np.c_[X[:, 0], np.ones((len(X), 2))], 1.0)
    X, y = plain()
    yield Case("all columns constant", np.ones_like(X), y, np.ones((NEW, 3)), np.full(NEW, y.mean()), CLOSE)
    yield Case("constant in fit, not in question", np.c_[X, np.ones(ROWS)], y, np.c_[X, np.arange(ROWS)], law(X), 1.0)
    yield _learned("a column twice", lambda X: np.c_[X, X[:, 0]])
    yield _learned("a column twice but for rounding", lambda X: np.c_[X, X[:, 0] * (1 + 1e-15)])
    yield _learned("a column of 0 and 1", lambda X: np.c_[X, X[:, 2] > 0])
    yield _learned("a column of 0 and 1e-300", lambda X: np.c_[X, (X[:, 2] > 0) * 1e-300],
                   may_refuse=NO_UNIT)  # fmt: skip
    yield Case("all rows the same", np.tile(X[:1], (ROWS, 1)), y, X[:1], np.full(1, y.mean()), CLOSE)
    yield Case("every row five times", np.repeat(X, 5, 0), np.repeat(y, 5), plain(NEW, seed=1)[0],
               law(plain(NEW, seed=1)[0]), CLOSE)  # fmt: skip
    yield Case("same inputs, other targets", np.repeat(X, 2, 0), np.r_[y, y[::-1]], X)
    yield _learned("sorted rows", lambda X: X[np.argsort(X[:, 0])], np.inf)


def _targets() -> Iterator[Case]:
    X, y = plain()
    new, _ = plain(NEW, seed=1)
    yield Case("target constant", X, np.full(ROWS, 3.0), new, np.full(NEW, 3.0), 1e-6)
    yield Case("target zero", X, np.zeros(ROWS), new, np.zeros(NEW), 1e-6)
    yield Case("target constant but for rounding", X, 3 + 1e-15 * y, new, np.full(NEW, 3.0), np.inf)
    yield Case("target of 0 and 1", X, (y > 0).astype(float), new, (law(new) > 0).astype(float), 1.0)
    yield Case("target of whole numbers", X, np.round(y).astype(int), new, law(new), CLOSE)
    yield Case("target true or false", X, y > 0, new, (law(new) > 0).astype(float), 1.0)
    yield Case("target all but one zero", X, np.eye(ROWS)[0], new)
    yield Case("two targets", X, np.c_[y, -y], new, np.c_[law(new), -law(new)], CLOSE)
    yield Case("two targets, one constant", X, np.c_[y, np.ones(ROWS)], new, np.c_[law(new), np.ones(NEW)], CLOSE)
    yield Case("target of pure noise", X, np.random.default_rng(5).standard_cauchy(ROWS), new)


def _types() -> Iterator[Case]:
    for dtype in (np.float32, np.float16, np.longdouble, np.int64, np.int8, np.uint8, bool):
        scale = 20 if np.issubdtype(np.dtype(dtype), np.integer) else 1
        shift = 100 if dtype is np.uint8 else 0
        coarse = dtype is bool
        yield _learned(
            f"inputs as {np.dtype(dtype).name}",
            lambda X, d=dtype, s=scale, o=shift: (
                np.clip(X * s + o, -120, 250 if o else 120).astype(d) if d is not bool else X > 0
            ),
            np.inf if coarse else CLOSE,
        )
    yield _learned("inputs as objects", lambda X: X.astype(object))
    yield _learned("inputs as decimals", lambda X: pd.DataFrame(X).map(lambda v: Decimal(repr(float(v)))))
    yield _learned("inputs as fractions", lambda X: pd.DataFrame(X).map(lambda v: Fraction(float(v))))
    yield _learned("inputs as lists", lambda X: X.tolist())
    yield _learned("inputs in Fortran order", np.asfortranarray)
    yield _learned("inputs read-only, strided", lambda X: np.repeat(X, 2, axis=0)[::2])
    yield _learned("inputs as a data frame", lambda X: pd.DataFrame(X, columns=["a", "b", "c"]))
    yield _learned("names that are numbers", lambda X: pd.DataFrame(X, columns=[2, 0, 1]))
    yield _learned("nullable numbers", lambda X: pd.DataFrame(X).astype("Float64"))
    yield _learned("a column of words", lambda X: named(X).assign(kind=np.where(X[:, 2] > 0, "a", "b")))
    yield _learned("a column of categories", lambda X: named(X).assign(kind=pd.Categorical(X[:, 2] > 0)))
    yield _learned("a word a row", lambda X: named(X).assign(kind=[f"w{v:.5f}" for v in X[:, 2]]), 1.5,
                   may_refuse=IDENTIFIER)  # fmt: skip
    X, y = plain()
    words = named(X).assign(kind="a")
    yield Case("a word never seen", words, y, words.assign(kind="zebra"), law(X), 1.0)
    yield Case("two columns of one name", pd.DataFrame(X, columns=["a", "a", "b"]), y, X)
    yield Case("columns in another order", pd.DataFrame(X, columns=[*"abc"]), y, pd.DataFrame(X, columns=[*"abc"])[[*"cab"]], law(X), CLOSE, may_refuse=CONVENTION)  # noqa: E501  # fmt: skip
    yield Case("masked cells", np.ma.masked_array(X, X > 1.8), y, X, law(X), 1.0)


def _errors() -> Iterator[Case]:
    X, y = plain()
    new, _ = plain(NEW, seed=1)
    for size in (0.0, 1e-300, 1e-12, 1e3, 1e300):
        right = law(new), (CLOSE if size < 1 else np.inf)
        yield Case(f"y_err {size:g}", X, y, new, *right, fit={"y_err": size})
        yield Case(f"X_err {size:g}", X, y, new, law(new), CLOSE if size < 1 else np.inf, fit={"X_err": size})
    yield Case("y_err of NaN", X, y, new, law(new), CLOSE, fit={"y_err": np.full(ROWS, np.nan)})


def _refusals() -> Iterator[Case]:
    X, y = plain()
    new, _ = plain(NEW, seed=1)
    days = named(X).assign(day=pd.Timestamp("2026-01-01"))
    yield Case("a column of dates", days, y, days, must_refuse=True)
    yield Case("dates as objects", days.assign(day=datetime.date(2026, 1, 1)), y, days, must_refuse=True)
    yield Case("a sparse matrix", sparse.csr_matrix(X), y, new, must_refuse=True)
    yield Case("complex inputs", X + 1j, y, new, must_refuse=True)
    yield Case("complex target", X, y + 1j, new, must_refuse=True)
    yield Case("target of words", X, np.where(y > 0, "a", "b"), new, must_refuse=True)
    yield Case("no target", X, None, new, must_refuse=True)
    yield Case("no inputs", None, y, new, must_refuse=True)
    yield Case("negative y_err", X, y, new, fit={"y_err": -1.0}, must_refuse=True)
    yield Case("negative X_err", X, y, new, fit={"X_err": -1.0}, must_refuse=True)
    yield Case("infinite y_err", X, y, new, fit={"y_err": np.inf}, must_refuse=True)
    yield Case("weights all zero", X, y, new, fit={"sample_weight": np.zeros(ROWS)}, must_refuse=True)
    yield Case("a weight below zero", X, y, new, fit={"sample_weight": -np.ones(ROWS)}, must_refuse=True)
