"""Textbook functions with known noise: tables for tests and studies whose truth is known.

Each function has a box of inputs. Rows are drawn evenly from the box, and noise is added to the exact value. How much
noise is given as a share: its standard deviation over the standard deviation of the function in its box. Uneven noise
has the same mean standard deviation, but grows fourfold from the low to the high end of the first input.

The engineering functions and their ranges are those of the usual collections for emulation of computer experiments
(Surjanovic & Bingham, Virtual Library of Simulation Experiments); all inputs are even over their ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real

import numpy as np
import pandas as pd

from taylor_sensus.errors import SettingError, did_you_mean

GROWTH = 4.0
"""Uneven noise: how many times larger its standard deviation is at the high end of the first input."""
ROWS_FOR_SPREAD = 20_000

Draw = Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]
"""So many rows: inputs `(rows, features)` and exact values `(rows,)`."""


@dataclass(frozen=True)
class Function:
    """A function, its inputs and how its rows are drawn."""

    name: str
    title: str
    source: str
    ranges: Mapping[str, tuple[float, float]]
    """Name, lowest and highest value of each input."""
    draw: Draw


@dataclass(frozen=True, eq=False)
class FunctionTable:
    """Rows of a function with noise, and what is known of them."""

    X: pd.DataFrame
    y: pd.Series
    truth: np.ndarray
    """The exact values, ``(rows,)``."""
    noise_std: np.ndarray
    """Standard deviation of the noise in each row, ``(rows,)``."""


def draw_function(
    name: str, n: int, *, noise_share: float, uneven: bool = False, random_state: int | list[int] | np.random.Generator
) -> FunctionTable:
    """`n` rows of the function of that name. The same integer gives the same rows."""
    function = find_function(name)
    if not isinstance(n, Integral) or isinstance(n, bool) or n < 1:
        raise SettingError(f"n must be a whole number of rows, at least 1, not {n!r}")
    if not isinstance(noise_share, Real) or not 0 <= noise_share < np.inf:
        raise SettingError(f"noise_share must be a number, 0 or more, not {noise_share!r}; 0.1 is usual")
    rng = np.random.default_rng(random_state)
    X, truth = function.draw(int(n), rng)
    std = float(noise_share) * spread(name) * (_uneven(X[:, 0], function) if uneven else np.ones(n))
    y = truth + std * rng.standard_normal(n)
    return FunctionTable(pd.DataFrame(X, columns=list(function.ranges)), pd.Series(y, name="y"), truth, std)


def find_function(name: str) -> Function:
    """The function of that name; a near match is suggested for a wrong one."""
    if name not in FUNCTIONS:
        raise SettingError(f"there is no function {name!r}{did_you_mean(name, FUNCTIONS, 'there are')}")
    return FUNCTIONS[name]


@cache
def spread(name: str) -> float:
    """Standard deviation of the exact function over its box, from a large fixed sample."""
    return float(find_function(name).draw(ROWS_FOR_SPREAD, np.random.default_rng(0))[1].std())


def _uneven(first: np.ndarray, function: Function) -> np.ndarray:
    """Factors on the standard deviation with mean 1 over the box, exponential in the first input."""
    low, high = next(iter(function.ranges.values()))
    half = np.log(GROWTH) / 2
    return np.exp(half * (2 * (first - low) / (high - low) - 1)) * half / np.sinh(half)


# ------------------------------------------------------------------------------------------ formulas


def wave(x: np.ndarray) -> np.ndarray:
    """One input: a wave that gets faster, on a slope."""
    return np.sin(2 * np.pi * (x + x**2)) + x


def borehole(
    rw: np.ndarray, r: np.ndarray, tu: np.ndarray, hu: np.ndarray,
    tl: np.ndarray, hl: np.ndarray, length: np.ndarray, kw: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Flow of water through a borehole between two aquifers, m3 a year."""
    log_ratio = np.log(r / rw)
    return 2 * np.pi * tu * (hu - hl) / (log_ratio * (1 + 2 * length * tu / (log_ratio * rw**2 * kw) + tu / tl))


def piston(
    mass: np.ndarray, surface: np.ndarray, volume: np.ndarray, spring: np.ndarray,
    pressure: np.ndarray, ambient: np.ndarray, temperature: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Seconds that a piston takes for one cycle."""
    a = pressure * surface + 19.62 * mass - spring * volume / surface
    gas = pressure * volume / temperature * ambient
    v = surface / (2 * spring) * (np.sqrt(a**2 + 4 * spring * gas) - a)
    return 2 * np.pi * np.sqrt(mass / (spring + surface**2 * gas / v**2))


def otl_circuit(
    rb1: np.ndarray, rb2: np.ndarray, rf: np.ndarray, rc1: np.ndarray, rc2: np.ndarray, beta: np.ndarray
) -> np.ndarray:
    """Midpoint voltage of an output transformerless push-pull circuit."""
    vb1 = 12 * rb2 / (rb1 + rb2)
    gain = beta * (rc2 + 9)
    return (vb1 + 0.74) * gain / (gain + rf) + 11.35 * rf / (gain + rf) + 0.74 * rf * gain / ((gain + rf) * rc1)


def wing_weight(
    area: np.ndarray, fuel: np.ndarray, aspect: np.ndarray, sweep: np.ndarray, dynamic_pressure: np.ndarray,
    taper: np.ndarray, thickness: np.ndarray, load: np.ndarray, gross: np.ndarray, paint: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Weight of a light aircraft's wing in pounds; the sweep is in degrees."""
    cosine = np.cos(np.deg2rad(sweep))
    shape = area**0.758 * fuel**0.0035 * (aspect / cosine**2) ** 0.6 * dynamic_pressure**0.006 * taper**0.04
    return 0.036 * shape * (100 * thickness / cosine) ** -0.3 * (load * gross) ** 0.49 + area * paint


def robot_arm(*inputs: np.ndarray) -> np.ndarray:
    """Distance of a robot arm's end from its shoulder: four angles, then four lengths."""
    angles, lengths = np.cumsum(inputs[:4], axis=0), np.asarray(inputs[4:])
    return np.hypot((lengths * np.cos(angles)).sum(axis=0), (lengths * np.sin(angles)).sum(axis=0))


# ------------------------------------------------------------------------------------------- drawing


def _even(formula: Callable[..., np.ndarray], ranges: Mapping[str, tuple[float, float]]) -> Draw:
    """Rows drawn evenly from the box of a formula whose arguments are the inputs."""

    def draw(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        low, high = np.array(list(ranges.values())).T
        X = rng.uniform(low, high, (n, len(ranges)))
        return X, formula(*X.T)

    return draw


def _from_scikit_learn(name: str, **arguments: int) -> Draw:
    """Rows of one of scikit-learn's generators, without their noise."""

    def draw(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        from sklearn import datasets

        return getattr(datasets, name)(n_samples=n, random_state=int(rng.integers(2**31)), **arguments)

    return draw


_LIBRARY = "Surjanovic & Bingham, Virtual Library of Simulation Experiments"
_FRIEDMAN = "scikit-learn; Friedman (1991), Multivariate adaptive regression splines, Annals of Statistics 19(1)"
_ELECTRIC = {"x1": (0.0, 100.0), "x2": (40 * np.pi, 560 * np.pi), "x3": (0.0, 1.0), "x4": (1.0, 11.0)}
_WAVE = {"x": (0.0, 1.0)}
_BOREHOLE = {
    "rw": (0.05, 0.15), "r": (100.0, 50_000.0), "tu": (63_070.0, 115_600.0), "hu": (990.0, 1110.0),
    "tl": (63.1, 116.0), "hl": (700.0, 820.0), "length": (1120.0, 1680.0), "kw": (9855.0, 12_045.0),
}  # fmt: skip
_PISTON = {
    "mass": (30.0, 60.0), "surface": (0.005, 0.020), "volume": (0.002, 0.010), "spring": (1000.0, 5000.0),
    "pressure": (90_000.0, 110_000.0), "ambient": (290.0, 296.0), "temperature": (340.0, 360.0),
}  # fmt: skip
_OTL = {
    "rb1": (50.0, 150.0), "rb2": (25.0, 70.0), "rf": (0.5, 3.0),
    "rc1": (1.2, 2.5), "rc2": (0.25, 1.2), "beta": (50.0, 300.0),
}  # fmt: skip
_WING = {
    "area": (150.0, 200.0), "fuel": (220.0, 300.0), "aspect": (6.0, 10.0), "sweep": (-10.0, 10.0),
    "dynamic_pressure": (16.0, 45.0), "taper": (0.5, 1.0), "thickness": (0.08, 0.18), "load": (2.5, 6.0),
    "gross": (1700.0, 2500.0), "paint": (0.025, 0.08),
}  # fmt: skip
_ARM = {**{f"angle{i}": (0.0, 2 * np.pi) for i in range(1, 5)}, **{f"length{i}": (0.0, 1.0) for i in range(1, 5)}}


def _unit(features: int) -> dict[str, tuple[float, float]]:
    return {f"x{i}": (0.0, 1.0) for i in range(1, features + 1)}


_FUNCTIONS = (
    Function("wave", "Wave, 1 input", "ours", _WAVE, _even(wave, _WAVE)),
    Function(
        "friedman1_relevant", "Friedman 1, its 5 relevant inputs", _FRIEDMAN, _unit(5),
        _from_scikit_learn("make_friedman1", n_features=5),
    ),
    Function("friedman1", "Friedman 1, 10 inputs", _FRIEDMAN, _unit(10), _from_scikit_learn("make_friedman1")),
    Function("friedman2", "Friedman 2", _FRIEDMAN, _ELECTRIC, _from_scikit_learn("make_friedman2")),
    Function("friedman3", "Friedman 3", _FRIEDMAN, _ELECTRIC, _from_scikit_learn("make_friedman3")),
    Function("borehole", "Borehole", _LIBRARY, _BOREHOLE, _even(borehole, _BOREHOLE)),
    Function("piston", "Piston", _LIBRARY, _PISTON, _even(piston, _PISTON)),
    Function("otl_circuit", "OTL circuit", _LIBRARY, _OTL, _even(otl_circuit, _OTL)),
    Function("wing_weight", "Wing weight", _LIBRARY, _WING, _even(wing_weight, _WING)),
    Function("robot_arm", "Robot arm", _LIBRARY, _ARM, _even(robot_arm, _ARM)),
)  # fmt: skip
FUNCTIONS: dict[str, Function] = {function.name: function for function in _FUNCTIONS}
