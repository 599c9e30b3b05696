"""What is judged of a method in each case of the study `honesty`. Scores that a method does not allow are left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from paper.honesty.cases import Case
from paper.honesty.draw import Drawn
from paper.honesty.methods import Compared
from taylor_sensus.scores import nll, rmse

LEVELS = (50, 90, 95)
NINETY = 1.645
"""Standard errors on each side that hold 90 %."""
FAR = (10, 1000)
"""Times the inputs."""

Scores = dict[str, float]


def judge(case: Case, drawn: Drawn, model: Any, method: Compared, seed: int) -> Scores:
    """The scores of a case by name."""
    return _KINDS[case.kind](drawn, model, method, seed)


def _few(drawn: Drawn, model: Any, method: Compared, seed: int) -> Scores:
    said = model.predict_distribution(drawn.X_new)
    found = _distribution(said, drawn.y_new, method)
    if not len(drawn.f_new):
        return found
    return found | _of_function(said, drawn.f_new, method) | _far(drawn, model)


def _factorial(drawn: Drawn, model: Any, method: Compared, seed: int) -> Scores:
    said = model.predict_distribution(drawn.X_new)
    return {"rmse_f": rmse(drawn.f_new, said.mean), "mean_std": _mean_std(said)}


def _batches(drawn: Drawn, model: Any, method: Compared, seed: int) -> Scores:
    return _distribution(model.predict_distribution(drawn.X_new), drawn.y_new, method)


def _slips(drawn: Drawn, model: Any, method: Compared, seed: int) -> Scores:
    """Against the function and clean new values; which rows are named is judged of ours alone."""
    said = model.predict_distribution(drawn.X_new)
    found = {"rmse_f": rmse(drawn.f_new, said.mean), "mean_std": _mean_std(said), **_held(said, drawn.y_new)}
    if method.origin == "ours":
        is_slip, named = (np.zeros(len(drawn.y), bool) for _ in range(2))
        is_slip[drawn.slips] = True
        named[list(model.fitted_.fit_summary.outliers)] = True
        found |= {"named_slips": float(named[is_slip].mean()), "named_good": float(named[~is_slip].mean())}
    return found


def _lognormal(drawn: Drawn, model: Any, method: Compared, seed: int) -> Scores:
    said = model.predict_distribution(drawn.X_new)
    low, high = said.interval(0.9)
    missed = {"missed_below": np.mean(drawn.y_new < low), "missed_above": np.mean(drawn.y_new > high)}
    return _distribution(said, drawn.y_new, method) | {name: float(share) for name, share in missed.items()}


def _counts(drawn: Drawn, model: Any, method: Compared, seed: int) -> Scores:
    """By the randomised probability integral transform: a count stands for the half unit on both sides of it."""
    said = model.predict_distribution(drawn.X_new)
    y = drawn.y_new
    if method.has_density:
        below, above = (said.cdf(np.maximum(y + step, 0.0) if _is_positive(said) else y + step) for step in (-0.5, 0.5))
        below = np.where(y == 0, 0.0, below)
        level = below + np.random.default_rng([seed, len(y)]).uniform(size=len(y)) * (above - below)
        missed = {"missed_below": np.mean(level < 0.05), "missed_above": np.mean(level > 0.95)}
    else:
        low, high = said.interval(0.9)
        missed = {"missed_below": np.mean(y < low), "missed_above": np.mean(y > high)}
    negative = float(np.mean(said.interval(0.9)[0] < 0))
    return {name: float(share) for name, share in missed.items()} | {"negative_bounds": negative}


def _shares(drawn: Drawn, model: Any, method: Compared, seed: int) -> Scores:
    """The 90 % interval of the system's share of the noise."""
    told, truth = model.fitted_.fit_summary, drawn.system_share
    low, high = told.noise_share_bounds[0][-1]
    held = low - 1e-9 <= truth <= high + 1e-9
    return {
        "system_share": truth, "share_low": low, "share_high": high, "share_held": float(held),
        "share_width": high - low, "share_told_apart": float(told.split_identifiable),
    }  # fmt: skip


def _precise(drawn: Drawn, model: Any, method: Compared, seed: int) -> Scores:
    said = model.predict_distribution(drawn.X_new)
    found = _distribution(said, drawn.y_new, method)
    spread = np.std(drawn.f_new)
    exact = nll(drawn.y_new, drawn.f_new, np.full(len(drawn.y_new), drawn.noise_std)) - np.log(spread)
    return found | {"rmse_f": rmse(drawn.f_new, said.mean) / spread, "nll_exact": float(exact)}


def _toy(drawn: Drawn, model: Any, method: Compared, seed: int) -> Scores:
    """Largest second derivative of the mean, the new rows being evenly spaced."""
    x = drawn.X_new.to_numpy()[:, 0]
    mean = model.predict_distribution(drawn.X_new).mean
    return {"curvature": float(np.abs(np.diff(mean, 2)).max() / (x[1] - x[0]) ** 2), **_far(drawn, model)}


_KINDS: dict[str, Callable[[Drawn, Any, Compared, int], Scores]] = {
    "few": _few, "factorial": _factorial, "batches": _batches, "slips": _slips, "lognormal": _lognormal,
    "counts": _counts, "shares": _shares, "precise": _precise, "toy": _toy,
}  # fmt: skip


# ------------------------------------------------------------------------------------------ what cases share


def _held(said: Any, y: np.ndarray) -> Scores:
    """Shares of values that central intervals hold."""
    found = {}
    for level in LEVELS:
        low, high = said.interval(level / 100)
        found[f"coverage_{level}"] = float(np.mean((low <= y) & (y <= high)))
    return found


def _distribution(said: Any, y: np.ndarray, method: Compared) -> Scores:
    """Coverage, width and scores; widths and CRPS in spreads of the new values, so that tables can be pooled."""
    spread = float(np.std(y))
    low, high = said.interval(0.9)
    found = {"rmse": rmse(y, said.mean) / spread, **_held(said, y), "width_90": float(np.mean(high - low)) / spread}
    if method.has_density:
        found |= {
            "crps": float(np.mean(said.crps(y))) / spread,
            "nll": -float(np.mean(said.logpdf(y))) - np.log(spread),
        }
    return found


def _of_function(said: Any, f: np.ndarray, method: Compared) -> Scores:
    """The standard error of the function against its error."""
    if not method.has_epistemic:
        return {}
    error, spread = np.abs(said.mean - f), np.var(f)
    return {
        "f_held": float(np.mean(error <= NINETY * said.epistemic)),
        "f_claimed_square": float(np.mean(said.epistemic**2) / spread),
        "f_error_square": float(np.mean(error**2) / spread),
        "f_spearman": float(spearmanr(said.epistemic, error).statistic),
    }


def _far(drawn: Drawn, model: Any) -> Scores:
    """Share of rows, their inputs many times as large, whose 90 % interval reaches the range of the training values."""
    found = {}
    for times in FAR:
        low, high = model.predict_distribution(drawn.X * times).interval(0.9)
        found[f"far_{times}"] = float(np.mean((low <= drawn.y.max()) & (high >= drawn.y.min())))
    return found


def _mean_std(said: Any) -> float:
    """Of a new measurement; where there are intervals alone, that of a normal distribution as wide."""
    if hasattr(said, "std"):
        return float(np.mean(said.std))
    low, high = said.interval(0.9)
    return float(np.mean(high - low) / (2 * NINETY))


def _is_positive(said: Any) -> bool:
    return said.tails is not None and said.tails.power is not None
