"""The toys as the studies use them: what each method is given of the inputs, and how its answers are judged.

The paper's embedding (eq. 48) is waves of a whole number of half turns a unit, so everything depends on the unit.
Here a unit is the standard deviation of a training input, as in the paper's own tables, which are standardised. In a
toy whose name ends in `_raw` it is the unit in which the toy is printed.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from paper.calibration.run import noise_scores
from paper.data.catalogue import content_sha256
from paper.engine.trials import fit, settings_of
from paper.toys.methods import COLUMNS, PLAIN, ToyMethod
from paper.toys.study import RAW
from taylor_sensus.datasets.catalogue import SplitDataset
from taylor_sensus.datasets.synthetic import ToyProblem, toy_1d, toy_2d
from taylor_sensus.model.networks import Constant, PositionalEmbedding
from taylor_sensus.prediction import Prediction
from taylor_sensus.scores import interval_coverage, mse, nll
from taylor_sensus.settings import DEFAULTS

DRAWERS = {"toy_1d": toy_1d, "toy_2d": toy_2d}
NOISY_ROWS = 3000
"""New noisy measurements for the likelihood, about: each evaluation point is measured equally often."""
REGIONS = ("in", "ext", "all")
"""Inside the bounding box of the training inputs (interpolation), outside (extrapolation), everywhere."""
KEPT = ("mean", "feature_noise", "system_noise", "epistemic")
"""What figures need of a prediction."""


def problem(dataset: str, seed: int) -> ToyProblem:
    """The toy of that name."""
    return DRAWERS[dataset.removesuffix(RAW)](seed)


@cache
def rows_sha256(dataset: str, seed: int) -> str:
    """A hash of the training rows."""
    toy = problem(dataset, seed)
    return content_sha256(_frame(toy.X), pd.Series(toy.y))


class Answer(NamedTuple):
    """What a method says of other inputs, and what it took."""

    prediction: Prediction
    seconds: dict[str, float]


def answer(
    method: ToyMethod, X: np.ndarray, y: np.ndarray, X_new: np.ndarray, *, raw: bool, seed: int, n_jobs: int | None,
    quick: bool,
) -> Answer:  # fmt: skip
    """Fit to noisy rows, without validation rows, and predict others."""
    seen, new = given(method.sees, X, raw, X), given(method.sees, X, raw, X_new)
    nothing = pd.Series(y[:0])
    parts = SplitDataset(seen, pd.Series(y), seen[:0], nothing, new, nothing)
    fitted = fit(method.make(random_state=seed, n_jobs=n_jobs, quick=quick), parts)
    return Answer(fitted.model.predict_distribution(new), {"fit_seconds": fitted.seconds})


def given(sees: str, X_train: np.ndarray, raw: bool, X: np.ndarray) -> pd.DataFrame:
    """What a method is given of inputs."""
    if sees == PLAIN or (raw and sees != COLUMNS):
        return _frame(X)
    units = X if raw else (X - X_train.mean(axis=0)) / X_train.std(axis=0)
    return _frame(embedded(units) if sees == COLUMNS else units)


def embedded(X: np.ndarray) -> np.ndarray:
    """The columns of the paper's embedding, with as many octaves as the printed method has by default."""
    features = X.shape[1]
    none, one = (Constant(np.full(features, value, np.float32)) for value in (0, 1))
    embedding = PositionalEmbedding(none, one, DEFAULTS.octaves)
    return np.asarray(jax.vmap(embedding)(jnp.asarray(X, jnp.float32)), np.float64)


def scores(toy: ToyProblem, prediction: Prediction, seed: int) -> dict[str, Any]:
    """Errors against the noise-free truth; likelihood, coverage and noise where the method has error bars."""
    found: dict[str, Any] = {
        f"mse_{region}": mse(toy.y_eval[rows], prediction.mean[rows]) for region, rows in regions(toy).items()
    }
    if np.isnan(prediction.std).any():
        return found
    draws = max(1, NOISY_ROWS // len(toy.X_eval))
    X, mean, std = (np.concatenate([a] * draws) for a in (toy.X_eval, prediction.mean, prediction.std))
    y = toy.noisy_targets(X, [seed, 1])  # not the stream that the training rows were drawn from
    true_mean, true_std = toy.noisy_mean(X), toy.noise_std(X)
    for region, points in regions(toy).items():
        at = np.tile(points, draws)
        found |= {
            f"nll_{region}": nll(y[at], mean[at], std[at]),
            f"nll_ideal_{region}": nll(y[at], true_mean[at], true_std[at]),
            f"coverage_90_{region}": interval_coverage(y[at], mean[at], std[at], 0.9),
        }
    inside = toy.inside
    return found | noise_recovery(prediction.aleatoric[inside], toy.noise_std(toy.X_eval[inside]))


def regions(toy: ToyProblem) -> dict[str, np.ndarray]:
    """Which evaluation points belong to each region."""
    return dict(zip(REGIONS, (toy.inside, ~toy.inside, np.ones_like(toy.inside)), strict=True))


def noise_recovery(learned: np.ndarray, true: np.ndarray) -> dict[str, Any]:
    """Learned against true noise: its size, and its ranks; these are not defined for noise that never changes."""
    constant = bool(np.ptp(learned) <= 1e-9 * learned.mean())
    return {**noise_scores(learned, true), "noise_spearman": None if constant else float(spearmanr(learned, true)[0])}


def kept(prediction: Prediction) -> dict[str, np.ndarray]:
    """Arrays for figures, in the three digits that an eye can tell apart."""
    return {name: getattr(prediction, name).astype(np.float16) for name in KEPT}


def shown(frame: pd.DataFrame) -> Prediction:
    """The prediction that arrays for figures were made of."""
    parts = (frame[name].to_numpy(np.float64) for name in KEPT)
    mean, feature, system, epistemic = parts
    return Prediction(mean, feature**2, system**2, epistemic**2, np.full_like(mean, np.nan))


def settings(method: ToyMethod, quick: bool) -> dict[str, Any]:
    """The method's settings and what it is given."""
    return {**settings_of(method, quick), "sees": method.sees, "given_octaves": DEFAULTS.octaves}


def _frame(columns: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(columns, columns=[f"x{k}" for k in range(columns.shape[1])])
