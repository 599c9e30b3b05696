"""Do the intervals of the noise budget's shares hold the truth? Set points with input and system noise, undeclared.

Run as `python -m bench.noise_shares [repeats] [rows]`; a line for each function and true share of the system.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from taylor_sensus import TSNetRegressor

Function = Callable[[np.ndarray], np.ndarray]

FUNCTIONS: dict[str, Function] = {
    "linear": lambda x: 2 * x[:, 0] - x[:, 1],
    "curved": lambda x: np.sin(2 * np.pi * x[:, 0]) + 0.3 * x[:, 1],
    "interaction": lambda x: 4 * (x[:, 0] - 0.5) * (x[:, 1] - 0.5),
    "saturating": lambda x: 5 * x[:, 0] / (5 * x[:, 0] + 0.5) + 0.2 * x[:, 1],
}
CASES = [*FUNCTIONS, "curved, replicated", "curved, system like slope"]
SHARES = (0.0, 0.5, 1.0)
NOISE = 0.15
"""Standard deviation of the noise, in those of the function."""


def table(case: str, system: float, rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Set points, and measured values of which the system's own noise has this share of the noise variance."""
    f = FUNCTIONS[case.split(",")[0]]
    x = rng.uniform(0, 1, (rows, 2))
    if "replicated" in case:
        x = np.repeat(x[: rows // 4], 4, axis=0)
    step = 1e-4 * np.array([[1.0, 0.0]])
    slope = (f(x + step) - f(x - step)) / 2e-4
    size = NOISE**2 * np.var(f(rng.uniform(0, 1, (2000, 2))))
    moved = x + np.sqrt((1 - system) * size / np.mean(slope**2)) * rng.standard_normal((len(x), 1)) * [[1.0, 0.0]]
    pattern = slope**2 / np.mean(slope**2) if "like slope" in case else 1.0
    return x, f(moved) + np.sqrt(system * size * pattern) * rng.standard_normal(len(x))


def interval(case: str, system: float, rows: int, seed: int) -> tuple[float, float]:
    """The 90 % interval of the system's share."""
    x, y = table(case, system, rows, np.random.default_rng(seed))
    bounds = TSNetRegressor(random_state=seed).fit(x, y).fitted_.fit_summary.noise_share_bounds
    assert bounds is not None, "a new fit has them"
    return bounds[0][-1]


def main(repeats: int = 5, rows: int = 200) -> None:
    """Print the share of intervals that hold the truth, and their mean width."""
    for case in CASES:
        for system in SHARES:
            found = np.array([interval(case, system, rows, seed) for seed in range(repeats)])
            held = np.mean((found[:, 0] - 1e-9 <= system) & (system <= found[:, 1] + 1e-9))
            width = np.ptp(found, axis=1).mean()
            print(f"{case:26} system {system:4.0%}: held {held:4.0%} of {repeats}, mean width {width:.2f}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
