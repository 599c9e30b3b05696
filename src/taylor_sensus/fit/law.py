"""Stage law: where features were read with errors, the density of their true values, and f at exact inputs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize_scalar

from taylor_sensus.fit.records import FoundLaw, FoundProcess, Table
from taylor_sensus.fit.robust import LITTLE
from taylor_sensus.fit.scales import NOISE_SPREAD, USUAL_NOISE
from taylor_sensus.model.chunks import in_chunks, one_blas_thread
from taylor_sensus.model.covariance_shapes import SHAPES
from taylor_sensus.model.gaussian_process import covariance
from taylor_sensus.model.input_density import InputDensity, as_matrices
from taylor_sensus.model.law import Law, LawAnswer, LawNumbers, left_open, nodes, prior_root
from taylor_sensus.model.shapes import Bool, Float, Int
from taylor_sensus.rows import spread

COMPONENTS = (1, 2, 3, 5, 8)
"""Candidates for the number of normal distributions behind the inputs."""
PATIENCE = 2
"""Candidates in a row that are no better than one before, after which larger ones are not tried."""
MOST_FEATURES = 12
"""Whose true values are inferred together; of more, only those that have errors."""
MOST_ROWS, CENTRES = 2000, 300
"""From which density and law are learned, and values of f that stand for all others."""
ROUNDS, ENOUGH = 60, 1e-5
"""Of expectation and maximisation, and the gain in log-density below which they end."""
FLOOR = 1e-4
"""Least variance of a component in each feature, in scaled units."""
SHARPER = (0.0, 0.2, 0.4, 0.6, 0.8)
"""How much shorter (in logarithms) the law's length scales may be than those of the regression on readings, and how
much larger its amplitude: averaging has made that one smooth."""
PASSES = 3
"""The spread of f over a reading's true inputs counts as noise, and is known only once there is a fit."""
LEAST_NOISE = 0.05
"""Variance of the system's noise at least, as a share of what scatters around the regression on readings."""
MARGIN = 0.001
"""So much less or more than the usual size of errors is still usual."""
FAR = 1e4
"""Distance in scaled units to which set points may lie anywhere alike."""
USUAL = (0.02, 0.98)
"""Quantiles between which a size of errors is usual."""


class TrueInputs(NamedTuple):
    """What is known of the true inputs behind readings or set points, before anything is known of the law."""

    density: InputDensity
    used: Int[np.ndarray, " used"]
    """Features whose true values are inferred together."""
    has_errors: Bool[np.ndarray, " features"]
    rows: Int[np.ndarray, " rows"]
    """Training rows from which density and law are learned."""
    covariance: Float[np.ndarray, "rows features features"]
    """Of their errors."""
    rng: np.random.Generator

    def left_open(
        self, x: Float[np.ndarray, "rows features"], variance: Float[np.ndarray, "rows features"]
    ) -> Float[np.ndarray, "rows features"]:
        """Variance of each true input given its whole reading, with these variances of its errors."""
        return left_open(self.density, self.used, self.has_errors, x, variance)


def true_inputs(table: Table, seed: int, *, of_settings: bool = False) -> TrueInputs | None:
    """The density of true inputs; None where no feature has declared errors of that kind."""
    errors, reading = table.errors, np.ones(table.x.shape[1], bool) if of_settings else table.reading
    if errors is None or reading is None:
        return None
    rng, rows = np.random.default_rng([3, seed]), spread(np.arange(table.train), MOST_ROWS)
    variance = np.where(reading, errors.declared[rows], 0.0).astype(np.float64)
    reading = variance.mean(axis=0) > 0
    if not reading.any():
        return None
    used = np.flatnonzero(reading)
    if len(reading) <= MOST_FEATURES and not of_settings:
        used = np.flatnonzero(reading | (table.x[: table.train].std(axis=0) > 0))
    whole = as_matrices(variance) if errors.covariance is None else errors.covariance[rows].astype(np.float64)
    with one_blas_thread():
        x, error = table.x[rows][:, used].astype(np.float64), whole[:, used][:, :, used]
        density = anywhere(len(used)) if of_settings else learn_density(x, error, rng)
    return TrueInputs(density, used, reading, rows, whole, rng)


def fit_law(
    table: Table,
    found: FoundProcess,
    true: TrueInputs,
    fold: Int[np.ndarray, " train"],
    target_variance: Float[np.ndarray, "rows targets"] | None = None,
    *,
    of_settings: bool = False,
) -> FoundLaw:
    """The law behind readings, or behind set points.

    `target_variance` takes the place of the targets' declared variances. How far declared variances count in the
    regression on readings is not known yet; see `fit.declared_noise`.
    """
    errors, density, used, rows = table.errors, true.density, true.used, true.rows
    if errors is None:
        raise ValueError("no errors are declared")
    reading, whole, rng = true.has_errors, true.covariance, true.rng
    everywhere = np.where(reading, errors.declared, 0.0).astype(np.float64)
    variance = everywhere[rows]
    usual = variance.mean(axis=0)
    x, y = table.x[rows].astype(np.float64), table.y[rows].astype(np.float64)
    # Robust weights take the effect of the readings' errors for outliers: only what is far off counts less.
    weight = table.weight[rows] * np.where(found.robust_weights[rows] < LITTLE, found.robust_weights[rows], 1.0)
    known = (errors.target if target_variance is None else target_variance)[rows].mean(axis=1, dtype=np.float64)
    with one_blas_thread():
        points, share = nodes(density, used, reading, x, whole)
        averages = _Averages(points, share, y, known, weight, None, x)
        if errors.cross is not None and not of_settings:
            cross = errors.cross[rows].astype(np.float64)
            averages = averages.correlated(shared_errors(whole, cross, reading), cross)
        fit = _fit(found, averages, rng)
    size = (variance[:, reading] / usual[reading]).mean(axis=1)
    low, high = np.quantile(size, USUAL) * (1 - MARGIN, 1 + MARGIN)
    most = variance.max(axis=0) * (1 + MARGIN)
    numbers = LawNumbers(
        fit.theta, found.process.numbers.log_range, fit.centres, fit.factor, fit.weight, fit.noise,
        used, np.array(low), np.array(high), usual, np.ones(len(reading)), np.zeros(len(reading)), most,
        found.process.numbers.axes, np.array(float(of_settings)),
    )  # fmt: skip
    law = Law(numbers, density)
    answer: LawAnswer = in_chunks(law.answer, (table.x.astype(np.float64), everywhere), 1)
    mean, unknown = answer.mean.copy(), answer.epistemic_variance.copy()
    mean[rows], unknown[rows] = fit.unseen(fold[rows], unknown[rows])
    return FoundLaw(law, mean, unknown)


def anywhere(features: int) -> InputDensity:
    """What is known beforehand of inputs that were set: so little that they lie around their set points alone."""
    return InputDensity(np.ones(1), np.zeros((1, features)), FAR**2 * np.eye(features)[None])


def shared_errors(
    covariance: Float[np.ndarray, "rows features features"],
    cross: Float[np.ndarray, "rows features"],
    reading: Bool[np.ndarray, " features"],
) -> Float[np.ndarray, "rows features"]:
    """What a unit error of each reading brings along in the target's error: S^-1 c."""
    both = reading[:, None] & reading
    return np.einsum("rij,rj->ri", np.linalg.pinv(np.where(both, covariance, 0.0)), np.where(reading, cross, 0.0))


class _Averages(NamedTuple):
    """What the law learns from: each row's points, their weights, and targets."""

    points: Float[np.ndarray, "rows points features"]
    share: Float[np.ndarray, " points"]
    y: Float[np.ndarray, "rows targets"]
    known: Float[np.ndarray, " rows"]
    weight: Float[np.ndarray, " rows"]
    brought: Float[np.ndarray, "points rows"] | None
    """By how much the target's error differs between points, where it goes with the readings'."""
    x: Float[np.ndarray, "rows features"]

    def correlated(
        self, shared: Float[np.ndarray, "rows features"], cross: Float[np.ndarray, "rows features"]
    ) -> _Averages:
        """With errors of the target that go with those of the readings, x - point: their mean leaves the target."""
        brought = np.einsum("rf,rqf->qr", shared, self.x[:, None] - self.points)
        mean = self.share @ brought
        rest = np.maximum(self.known - np.einsum("rf,rf->r", shared, cross), 0.0)
        return self._replace(y=self.y - mean[:, None], known=rest, brought=brought - mean)


class _Fit(NamedTuple):
    theta: Float[np.ndarray, " numbers"]
    centres: Float[np.ndarray, "centres features"]
    factor: Float[np.ndarray, "centres centres"]
    weight: Float[np.ndarray, "centres targets"]
    noise: Float[np.ndarray, " targets"]
    basis: Float[np.ndarray, "centres rows"]
    """Averages of the whitened basis over each row's points"""
    total: Float[np.ndarray, " rows"]
    """Variance of each row around its average of f"""
    y: Float[np.ndarray, "rows targets"]

    def unseen(
        self, fold: Int[np.ndarray, " rows"], seen_variance: Float[np.ndarray, "rows targets"]
    ) -> tuple[Float[np.ndarray, "rows targets"], Float[np.ndarray, "rows targets"]]:
        """Averages of f and what is not known of them, as if the rows of a fold had not been seen.

        `seen_variance` is what is not known of them by all rows.
        """
        scaled = self.basis / self.total
        whole, pull = np.eye(len(self.basis)) + scaled @ self.basis.T, scaled @ self.y
        mean, variance = np.empty_like(self.y), seen_variance.copy()
        known = solve_triangular(np.linalg.cholesky(whole), self.basis, lower=True)
        for number in np.unique(fold):
            own = fold == number
            factor = np.linalg.cholesky(whole - scaled[:, own] @ self.basis[:, own].T)
            after = solve_triangular(factor, self.basis[:, own], lower=True)
            mean[own] = after.T @ solve_triangular(factor, pull - scaled[:, own] @ self.y[own], lower=True)
            variance[own] += ((after**2).sum(axis=0) - (known[:, own] ** 2).sum(axis=0))[:, None]
        return mean, np.maximum(variance, 0.0)


def _fit(found: FoundProcess, rows_of: _Averages, rng: np.random.Generator) -> _Fit:
    """A process from averages of its function over points."""
    points, share, y, known, weight, brought, _ = rows_of
    count, nodes_each, features = points.shape
    numbers = found.process.numbers
    flat = found.process.coordinates(points.reshape(-1, features))
    picked = rng.permutation(count)[:CENTRES]
    centres = flat.reshape(count, nodes_each, features)[picked, rng.integers(nodes_each, size=len(picked))]
    start, spread_of_f = float(numbers.theta[-1]), np.zeros_like(y)

    def averages(theta: Float[np.ndarray, " numbers"]) -> Float[np.ndarray, "centres rows"]:
        """Of the whitened basis over each row's points."""
        root = prior_root(theta, centres)
        rows = np.zeros((count, len(centres)))
        for number in range(nodes_each):
            at = flat.reshape(count, nodes_each, features)[:, number]
            rows += share[number] * covariance(theta, at, centres)
        return solve_triangular(root, rows.T, lower=True, check_finite=False)

    def solve(
        basis: Float[np.ndarray, "centres rows"], noise: float
    ) -> tuple[float, Float[np.ndarray, "centres centres"], Float[np.ndarray, "centres targets"]]:
        """Negative log-evidence, factor, and weights in whitened coordinates."""
        total = (noise + known[:, None] + spread_of_f).mean(axis=1) / weight
        scaled = basis / total
        factor = np.linalg.cholesky(np.eye(len(basis)) + scaled @ basis.T)
        whitened_y = solve_triangular(factor, scaled @ y, lower=True, check_finite=False)
        each = (y * y / total[:, None]).sum() - (whitened_y * whitened_y).sum()
        return each / 2 + y.shape[1] * (np.log(np.diag(factor)).sum() + np.log(total).sum() / 2), factor, whitened_y

    thetas = [_sharper(numbers.theta, by, features) for by in SHARPER]
    bases = [averages(theta) for theta in thetas]
    for _ in range(PASSES):
        ends: list[tuple[float, float, np.ndarray, np.ndarray]] = []
        for theta, basis in zip(thetas, bases, strict=True):
            best = minimize_scalar(
                lambda log_noise, basis=basis: (
                    solve(basis, float(np.exp(log_noise)))[0] + ((log_noise - USUAL_NOISE) / NOISE_SPREAD) ** 2 / 2
                ),
                bounds=(start - 5, start + 1), method="bounded", options={"xatol": 0.1},
            )  # fmt: skip
            ends.append((float(best.fun), float(best.x), theta, basis))
        ends.sort(key=lambda end: end[0])
        _, log_noise, theta, basis = ends[0]
        thetas, bases = [end[2] for end in ends[:2]], [end[3] for end in ends[:2]]
        _, factor, whitened_y = solve(basis, float(np.exp(log_noise)))
        root = prior_root(theta, centres)
        values = np.empty((nodes_each, *y.shape))
        for number in range(nodes_each):
            at = flat.reshape(count, nodes_each, features)[:, number]
            white = solve_triangular(root, covariance(theta, at, centres).T, lower=True, check_finite=False)
            values[number] = solve_triangular(factor, white, lower=True, check_finite=False).T @ whitened_y
        mean = np.einsum("q,qrt->rt", share, values)
        apart = values - mean if brought is None else values - mean + brought[:, :, None]
        spread_of_f = np.einsum("q,qrt->rt", share, apart**2)
    noise = np.maximum(np.full(y.shape[1], np.exp(log_noise)), LEAST_NOISE * float(np.exp(start)))
    total = (np.exp(log_noise) + known[:, None] + spread_of_f).mean(axis=1) / weight
    return _Fit(theta, centres, factor, whitened_y, noise, basis, total, y)


def _sharper(theta: Float[np.ndarray, " numbers"], by: float, features: int) -> Float[np.ndarray, " numbers"]:
    """The process' numbers with shorter length scales and a larger amplitude."""
    table = theta[:-2].reshape(len(SHAPES), 1 + features).copy()
    table[:, 0] += by
    table[:, 1:] -= by
    return np.append(table.ravel(), [theta[-2] + by, theta[-1]])


def learn_density(
    x: Float[np.ndarray, "rows features"], error: Float[np.ndarray, "rows features features"], rng: np.random.Generator
) -> InputDensity:
    """The mixture of true inputs behind readings with these covariances of their errors, by extreme deconvolution.

    Akaike's criterion chooses the number of components: it asks all rows, where a held-out fifth says little of few.
    """
    counts = [count for count in COMPONENTS if len(x) >= 15 * count * max(1, x.shape[1] // 2)] or [1]
    found, costs = [], list[float]()
    for count in counts:
        found.append(_deconvolved(x, error, count, rng))
        numbers = count * (1 + x.shape[1] + x.shape[1] * (x.shape[1] + 1) / 2) - 1
        costs.append(numbers - float(found[-1].behind(x, error).log_density.sum()))
        if len(costs) - int(np.argmin(costs)) > PATIENCE:
            break
    return found[int(np.argmin(costs))]


def _deconvolved(
    x: Float[np.ndarray, "rows features"],
    error: Float[np.ndarray, "rows features features"],
    count: int,
    rng: np.random.Generator,
) -> InputDensity:
    """Expectation and maximisation from a start by k-means; components are drawn a little to the pooled one."""
    from sklearn.cluster import KMeans

    rows, features = x.shape
    pooled = np.cov(x.T).reshape(features, features) + FLOOR * np.eye(features)
    label = KMeans(count, n_init=2, random_state=int(rng.integers(2**31))).fit_predict(x)
    share = np.stack([(label == number).astype(float) for number in range(count)])
    mean = share @ x / share.sum(axis=1, keepdims=True)
    found = InputDensity(share.sum(axis=1) / rows, mean, np.repeat(pooled[None] / count, count, axis=0))
    last = -np.inf
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
