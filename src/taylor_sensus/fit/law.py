"""Stage law: where features were read with errors, the density of their true values, and f at exact inputs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize_scalar

from taylor_sensus.fit.records import FoundProcess, Table
from taylor_sensus.fit.share import imputed_scale
from taylor_sensus.model.chunks import one_blas_thread
from taylor_sensus.model.gaussian_process import SHAPES, covariance
from taylor_sensus.model.input_density import InputDensity
from taylor_sensus.model.law import Law, LawNumbers, nodes, prior_root
from taylor_sensus.model.squash import squash
from taylor_sensus.rows import spread

COMPONENTS = (1, 2, 3, 5)
"""Candidates for the number of normal distributions behind the inputs: unseen rows choose."""
MOST_FEATURES = 12
"""Whose true values are inferred together; of more, only those that have errors."""
MOST_ROWS, CENTRES = 2000, 200
"""From which density and law are learned, and values of f that stand for all others."""
ROUNDS, ENOUGH = 60, 1e-5
"""Of expectation and maximisation, and the gain in log-density below which they end."""
FLOOR = 1e-4
"""Least variance of a component in each feature, in scaled units."""
SHARPER = (0.0, 0.15, 0.3, 0.45, 0.6)
"""How much shorter (in logarithms) the law's length scales may be than those of the regression on readings, and how
much larger its amplitude: averaging has made that one smooth."""
PASSES = 3
"""The spread of f over a reading's true inputs counts as noise, and is known only once there is a fit."""
LEAST_NOISE = 0.05
"""Variance of the system's noise at least, as a share of what scatters around the regression on readings."""
MARGIN = 0.001
"""So much less or more than the usual size of errors is still usual."""
SCALES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4)
"""Candidates for the factor on declared variances in the regression on readings."""


def reading_scale(
    table: Table, found: FoundProcess, squared_slopes: np.ndarray, reading: np.ndarray, judged: np.ndarray
) -> np.ndarray:
    """Factor on the declared variance of each feature, `(features,)`: 1 for settings, one number for all readings.

    A regression on readings has flat slopes and scatters as it does: only how the declared errors *differ* between rows
    tells more, and unseen rows say how much.
    """
    errors = table.errors
    if errors is None or not judged.any():
        return np.ones(table.x.shape[1])
    through = np.einsum("rtf,rf->rt", squared_slopes[judged][:, :, reading], errors.declared[judged][:, reading])
    others = errors._replace(declared=np.where(reading, 0.0, errors.declared)).take(np.flatnonzero(judged))
    known = others.at_targets(squared_slopes[judged]) + found.unseen_variance[judged, None]
    residual = (table.y - found.unseen_mean)[judged]
    scale = imputed_scale(residual, through, table.weight[judged], known, SCALES)
    return np.where(reading, scale, 1.0)


def fit_law(table: Table, found: FoundProcess, reading: np.ndarray, scale: np.ndarray, seed: int) -> Law | None:
    """The law behind readings; None where no feature has one."""
    errors = table.errors
    if errors is None or not reading.any():
        return None
    rng = np.random.default_rng([3, seed])
    rows = spread(np.arange(table.train), MOST_ROWS)
    variance = np.where(reading, errors.declared[rows], 0.0).astype(np.float64)
    usual = variance.mean(axis=0)
    reading = usual > 0
    if not reading.any():
        return None
    used = np.flatnonzero(reading)
    if len(reading) <= MOST_FEATURES:
        used = np.flatnonzero(reading | (table.x[: table.train].std(axis=0) > 0))
    x, y = table.x[rows].astype(np.float64), table.y[rows].astype(np.float64)
    weight = table.weight[rows] * np.minimum(found.robust_weights[rows], 1.0)
    with one_blas_thread():
        density = learn_density(x[:, used], variance[:, used], rng)
        points, share = nodes(density, used, reading, x, variance)
        known = errors.target[rows].mean(axis=1, dtype=np.float64)
        fit = _fit(found, points, share, y, known, weight, rng)
    size = (variance[:, reading] / usual[reading]).mean(axis=1)
    low, high = np.quantile(size, [0.02, 0.98]) * (1 - MARGIN, 1 + MARGIN)
    numbers = LawNumbers(
        fit.theta, found.process.numbers.log_range, fit.centres, fit.factor, fit.weight, fit.noise,
        used, np.array(low), np.array(high), usual, scale,
    )  # fmt: skip
    return Law(numbers, density)


class _Fit(NamedTuple):
    theta: np.ndarray
    centres: np.ndarray
    factor: np.ndarray
    weight: np.ndarray
    noise: np.ndarray


def _fit(found: FoundProcess, points, share, y, known, weight, rng) -> _Fit:
    """A process from averages of its function over `points`."""
    count, nodes_each, features = points.shape
    numbers = found.process.numbers
    flat = squash(points.reshape(-1, features), float(numbers.log_range), "log")
    picked = rng.permutation(count)[:CENTRES]
    centres = flat.reshape(count, nodes_each, features)[picked, rng.integers(nodes_each, size=len(picked))]
    start, spread_of_f = float(numbers.theta[-1]), np.zeros_like(y)

    def averages(theta: np.ndarray) -> np.ndarray:
        """Of the whitened basis over each row's points, (centres, rows)."""
        root = prior_root(theta, centres)
        rows = np.zeros((count, len(centres)))
        for number in range(nodes_each):
            at = flat.reshape(count, nodes_each, features)[:, number]
            rows += share[number] * covariance(theta, at, centres)
        return solve_triangular(root, rows.T, lower=True, check_finite=False)

    def solve(basis: np.ndarray, noise: float) -> tuple[float, np.ndarray, np.ndarray]:
        """Negative log-evidence, factor, and weights in whitened coordinates."""
        total = (noise + known[:, None] + spread_of_f).mean(axis=1) / weight
        scaled = basis / total
        factor = np.linalg.cholesky(np.eye(len(basis)) + scaled @ basis.T)
        told = solve_triangular(factor, scaled @ y, lower=True, check_finite=False)
        each = (y * y / total[:, None]).sum() - (told * told).sum()
        return each / 2 + y.shape[1] * (np.log(np.diag(factor)).sum() + np.log(total).sum() / 2), factor, told

    thetas = [_sharper(numbers.theta, by, features) for by in SHARPER]
    bases = [averages(theta) for theta in thetas]
    for _ in range(PASSES):
        ends = []
        for theta, basis in zip(thetas, bases, strict=True):
            best = minimize_scalar(
                lambda log_noise, basis=basis: solve(basis, float(np.exp(log_noise)))[0],
                bounds=(start - 5, start + 1), method="bounded", options={"xatol": 0.1},
            )  # fmt: skip
            ends.append((float(best.fun), float(best.x), theta, basis))
        _, log_noise, theta, basis = min(ends, key=lambda end: end[0])
        _, factor, told = solve(basis, float(np.exp(log_noise)))
        root = prior_root(theta, centres)
        said = np.empty((nodes_each, *y.shape))
        for number in range(nodes_each):
            at = flat.reshape(count, nodes_each, features)[:, number]
            white = solve_triangular(root, covariance(theta, at, centres).T, lower=True, check_finite=False)
            said[number] = solve_triangular(factor, white, lower=True, check_finite=False).T @ told
        mean = np.einsum("q,qrt->rt", share, said)
        spread_of_f = np.einsum("q,qrt->rt", share, (said - mean) ** 2)
    # Half-way between likelihood, in which rows whose declared error is too small set the noise of all, and moments,
    # which are a small difference of large numbers.
    inner = solve_triangular(factor, basis, lower=True, check_finite=False)
    likely = float(np.exp(log_noise))
    total = (likely + known[:, None] + spread_of_f).mean(axis=1) / weight
    freedom = max(1 - float(((inner * inner).sum(axis=0) / total).sum()) / count, 0.1)
    left = np.average((y - mean) ** 2 / freedom - known[:, None] - spread_of_f, axis=0, weights=weight)
    middle = np.sqrt(likely * np.maximum(left, 0.0))
    return _Fit(theta, centres, factor, told, np.maximum(middle, LEAST_NOISE * float(np.exp(start))))


def _sharper(theta: np.ndarray, by: float, features: int) -> np.ndarray:
    """The process' numbers with shorter length scales and a larger amplitude."""
    table = theta[:-2].reshape(len(SHAPES), 1 + features).copy()
    table[:, 0] += by
    table[:, 1:] -= by
    return np.append(table.ravel(), [theta[-2] + by, theta[-1]])


def learn_density(x: np.ndarray, variance: np.ndarray, rng: np.random.Generator) -> InputDensity:
    """The mixture of true inputs behind readings with these variances of their errors, by extreme deconvolution."""
    order = rng.permutation(len(x))
    kept, judging = order[: round(0.8 * len(x))], order[round(0.8 * len(x)) :]
    counts = [count for count in COMPONENTS if len(x) >= 15 * count * max(1, x.shape[1] // 2)] or [1]
    scores = []
    for count in counts if len(judging) else counts[:1]:
        found = _deconvolved(x[kept], variance[kept], count, rng)
        scores.append(found.behind(x[judging], _diagonal(variance[judging])).log_density.mean())
    return _deconvolved(x, variance, counts[int(np.argmax(scores))], rng)


def _diagonal(variance: np.ndarray) -> np.ndarray:
    error = np.zeros((*variance.shape, variance.shape[1]))
    np.einsum("rii->ri", error)[:] = variance
    return error


def _deconvolved(x: np.ndarray, variance: np.ndarray, count: int, rng: np.random.Generator) -> InputDensity:
    """Expectation and maximisation from a first guess by k-means; components are drawn a little to the pooled one."""
    from sklearn.cluster import KMeans

    rows, features = x.shape
    pooled = np.cov(x.T).reshape(features, features) + FLOOR * np.eye(features)
    label = KMeans(count, n_init=2, random_state=int(rng.integers(2**31))).fit_predict(x)
    share = np.stack([(label == number).astype(float) for number in range(count)])
    mean = share @ x / share.sum(axis=1, keepdims=True)
    found = InputDensity(share.sum(axis=1) / rows, mean, np.repeat(pooled[None] / count, count, axis=0))
    error, last = _diagonal(variance), -np.inf
    pull = features + 1
    for _ in range(ROUNDS):
        member, center, spread_of, log_density = found.shares(x, error)
        total = member.sum(axis=1) + 1e-9
        mean = np.einsum("kn,kni->ki", member, center) / total[:, None]
        off = center - mean[:, None]
        whole = np.einsum("kn,kni,knj->kij", member, off, off) + np.einsum("kn,knij->kij", member, spread_of)
        covariance_ = (whole + pull * (0.02 * pooled + FLOOR * np.eye(features))) / (total + pull)[:, None, None]
        found = InputDensity(total / total.sum(), mean, covariance_)
        now = float(log_density.mean())
        if now - last < ENOUGH:
            break
        last = now
    return found
