"""The rows of each case: what is learned from, which readings are to be answered, and where the law is asked for.

Real tables are those of the package; where a case draws rows or noise, the seed says which. A quick problem is small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from paper.declared_errors.cases import SIMULATED, Simulated
from taylor_sensus.datasets.catalogue import Dataset, load_dataset

NOISE, TOY_NOISE, TOY_ERROR = 0.1, 0.05, 0.15
"""Noise of the system in simulations and in toy R, and the error of its first input."""
ALPHA, BETA, MAGNITUDE, SCATTER = 0.141, 3.101, -19.05, 0.1
"""The law of the simulated supernovae: that of Betoule et al. 2014, and a scatter of its own."""
COLOURS, STRETCHES = np.linspace(-0.15, 0.2, 36), np.linspace(-1.5, 1.5, 31)
"""Where the slopes of the supernovae are taken, at stretch 0 and colour 0."""
QUICK_ROWS = 50


class Rows(NamedTuple):
    """Inputs as they were recorded, their errors, and targets."""

    X: np.ndarray
    X_err: np.ndarray
    y: np.ndarray
    y_err: np.ndarray | None = None
    covariances: np.ndarray | None = None
    """Of all errors of a row, the target's last; in place of both where it is there."""

    def take(self, rows: np.ndarray | slice) -> Rows:
        """These rows only."""
        return Rows(*[None if part is None else part[rows] for part in self])  # pyright: ignore[reportArgumentType]


class Problem(NamedTuple):
    """What a method learns from and what it is asked."""

    train: Rows
    new: Rows | None = None
    """Rows to predict as they are recorded."""
    exact: np.ndarray | None = None
    """Exactly known inputs, at which the law is asked for."""
    truth: np.ndarray | None = None
    """The law there, or what was measured there."""
    kind: str = "reading"
    clean: Rows | None = None
    """Training rows without the noise that was added, for the best that can be had."""
    std: np.ndarray | None = None
    """True standard deviation of the new rows' targets, where it is known."""


def problem(case: str, seed: int, quick: bool = False) -> Problem:
    """The rows of a case."""
    if case in SIMULATED:
        whole = simulated(SIMULATED[case], seed)
    elif case.startswith("toy_"):
        whole = toy(int(case.removeprefix("toy_")), seed)
    else:
        whole = _REAL[case](seed)
    return _few(whole) if quick else whole


def _few(whole: Problem) -> Problem:
    few = slice(None, QUICK_ROWS)
    fewer = {name: part.take(few) for name in ("train", "new", "clean") if (part := getattr(whole, name)) is not None}
    cut = ("std",) if whole.truth is None else ("exact", "truth", "std")  # slopes need all of their rows
    short = {name: part[few] for name in cut if (part := getattr(whole, name)) is not None}
    return whole._replace(**fewer, **short)


def _rows(data: Dataset, chosen: np.ndarray | slice, columns: slice = slice(None)) -> Rows:
    errors = pd.DataFrame(data.X_err)
    whole = Rows(
        data.X.to_numpy()[:, columns],
        errors.to_numpy()[:, columns],
        data.y.to_numpy(),
        None if data.y_err is None else data.y_err.to_numpy(),
    )
    return whole.take(chosen)


# --------------------------------------------------------------------------------------- real tables


def redshifts_alike(seed: int) -> Problem:
    """4,000 galaxies of one file, 3,000 of another, whose errors are alike."""
    return Problem(_rows(load_dataset("photoz_boss_0"), slice(4000)), _rows(load_dataset("photoz_boss_3"), slice(3000)))


def redshifts_worse(seed: int) -> Problem:
    """2,000 of the 6,000 most precise galaxies; the 2,000 least precise ones of another file."""
    parts = [_rows(load_dataset(f"photoz_boss_{number}"), slice(None)) for number in (0, 1)]
    both = Rows(*[np.concatenate(pair) for pair in zip(*[part[:3] for part in parts], strict=True)])
    precise = by_error(both)[:6000]
    test = _rows(load_dataset("photoz_boss_3"), slice(None))
    return Problem(
        both.take(np.random.default_rng(seed).permutation(precise)[:2000]), test.take(by_error(test)[-2000:])
    )


def redshifts_law(seed: int) -> Problem:
    """Precise galaxies without the band u, to which noise of known size is added; the law is asked for others."""
    rng = np.random.default_rng(seed)

    def precise(number: int) -> Rows:
        data = load_dataset(f"photoz_boss_{number}")
        best = by_error(_rows(data, slice(None)))[:3000]
        return _rows(data, rng.permutation(best)[:1500], slice(1, None))

    clean, test = precise(0), precise(3)
    error = np.broadcast_to(rng.uniform(0.05, 0.4, (len(clean.y), 1)), clean.X.shape)
    noisy = clean._replace(X=clean.X + error * rng.standard_normal(clean.X.shape), X_err=error)
    return Problem(noisy, exact=test.X, truth=test.y, clean=clean)


def by_error(rows: Rows) -> np.ndarray:
    """Rows of galaxies from the most to the least precise in the band r."""
    return np.argsort(rows.X_err[:, 2], kind="stable")


def supernovae(seed: int) -> Problem:
    """All supernovae; colours and stretches at which the line is taken."""
    return Problem(_rows(load_dataset("supernovae_jla"), slice(None)), exact=slope_rows())


def supernovae_covariances(seed: int) -> Problem:
    """The same with errors that go together in a row."""
    whole = supernovae(seed)
    return whole._replace(train=whole.train._replace(covariances=load_dataset("supernovae_jla").covariances))


def supernovae_simulated(seed: int) -> Problem:
    """The same table drawn anew: true inputs as spread as the real ones must be, errors by each row's covariances."""
    rows = supernovae_covariances(seed).train
    rng = np.random.default_rng([seed, len(rows.y)])
    reliable = np.sqrt(1 - (rows.X_err**2).mean(axis=0) / rows.X.var(axis=0))
    true = rows.X.mean(axis=0) + reliable * (rows.X - rows.X.mean(axis=0))
    root = np.linalg.cholesky(np.asarray(rows.covariances))
    error = np.einsum("rij,rj->ri", root, rng.standard_normal((len(rows.y), 3)))
    y = MAGNITUDE - ALPHA * true[:, 0] + BETA * true[:, 1] + SCATTER * rng.standard_normal(len(true)) + error[:, 2]
    return Problem(rows._replace(X=true + error[:, :2], y=y), exact=slope_rows())


def slope_rows() -> np.ndarray:
    """Stretch and colour: first along the colours, then along the stretches."""
    return np.concatenate([np.c_[0 * COLOURS, COLOURS], np.c_[STRETCHES, 0 * STRETCHES]])


def accelerations(seed: int) -> Problem:
    """Half of the points, drawn by the seed, to learn from; the other half to predict."""
    whole = _rows(load_dataset("sparc_rar"), slice(None))
    order = np.random.default_rng(seed // 2).permutation(len(whole.y))
    return Problem(whole.take(order[1 - seed % 2 :: 2]), whole.take(order[seed % 2 :: 2]))


_REAL = {
    "redshifts_alike": redshifts_alike,
    "redshifts_worse": redshifts_worse,
    "redshifts_law": redshifts_law,
    "supernovae": supernovae,
    "supernovae_covariances": supernovae_covariances,
    "supernovae_simulated": supernovae_simulated,
    "accelerations": accelerations,
}

# ------------------------------------------------------------------------------- where truth is known


def wave(x: np.ndarray) -> np.ndarray:
    """sin(2x)."""
    return np.sin(2 * x[:, 0])


def three(x: np.ndarray) -> np.ndarray:
    """Of three inputs."""
    return np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] * x[:, 2]


def simulated(case: Simulated, seed: int) -> Problem:
    """Inputs uniform on [-3, 3]; readings err, settings are missed. The law is asked for within [-2.5, 2.5]."""
    f, features = (wave, 1) if case.function == "wave" else (three, 3)
    rng = np.random.default_rng([seed, case.rows, features, round(100 * case.share), case.kind == "reading"])
    size = case.share * np.sqrt(3.0)

    def drawn(rows: int) -> Rows:
        x = rng.uniform(-3, 3, (rows, features))
        other = x + size * rng.standard_normal(x.shape)
        recorded, worked = (other, x) if case.kind == "reading" else (x, other)
        return Rows(recorded, np.full(x.shape, size), f(worked) + NOISE * rng.standard_normal(rows))

    train, new, exact = drawn(case.rows), drawn(500), rng.uniform(-2.5, 2.5, (300, features))
    return Problem(train, new, exact, f(exact), case.kind)


def toy(rows: int, seed: int) -> Problem:
    """Toy R: one of three inputs is read with an error."""
    rng = np.random.default_rng([seed, rows])

    def drawn(rows: int) -> Rows:
        x = rng.uniform(-2, 2, (rows, 3))
        y = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] ** 2 + TOY_NOISE * rng.standard_normal(rows)
        error = np.broadcast_to(np.array([TOY_ERROR, 0, 0]), x.shape)
        return Rows(x + error * rng.standard_normal(x.shape), error, y)

    train, new = drawn(rows), drawn(300)
    return Problem(train, new, std=np.hypot(TOY_NOISE, TOY_ERROR * 2 * np.cos(2 * new.X[:, 0])))
