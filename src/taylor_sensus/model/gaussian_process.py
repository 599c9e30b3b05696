"""One Gaussian process over scaled rows: its evidence, and its posterior at seen and unseen rows.

The covariance is a sum over `SHAPES` of amplitude times shape, each with a length scale for every feature (or every
axis of its `Coordinates`), a linear trend, and white noise. Libraries form one matrix for each length scale to get the
gradient; here all length scales of a shape share one matrix product, so that a fit takes a second where theirs takes a
minute. A row of weight w counts as w rows.

Far from all rows the shapes say nothing, and the trend is what is left: it levels off beyond the range of the rows, and
the variance grows with the distance.

The posterior mean is as smooth as the mean network is, and the noise of the features goes through its slope in the same
way. Double precision, unless the noise is far above rounding errors: with little noise, single could not tell rows
apart.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtrtri
from scipy.optimize import minimize

from taylor_sensus.model.chunks import one_blas_thread
from taylor_sensus.model.coordinates import Coordinates, FeatureLevels
from taylor_sensus.model.covariance_shapes import SHAPES, CovarianceShape, are_single, arguments, as_queries
from taylor_sensus.model.inducing import INDUCING, InducingPoints, induced
from taylor_sensus.model.shapes import Float, Int, Num, Shaped
from taylor_sensus.model.squash import squash, squash_slope
from taylor_sensus.rows import blocks, spread

CENTRES = ((10.0, 10.0), (3.0, 30.0), (3.0, 3.0))
"""Typical length scales of the shapes, where a search starts: smooth in everything, rough on a wide trend, rough."""
LEAST_NOISE = 1e-6
"""Smallest noise variance in scaled units; equal rows stay solvable."""
TREND_LIMIT = 6.0
"""Squashed features level off here in the trend."""
NO_TREND = -40.0
"""Log of the trend's variance where there is none."""
CACHED_ROWS = 64
"""Of a large matrix that are made at once: they stay in the processor's cache, which takes a third of the time."""
EXACT = 1000
"""Centres up to which the variance is exact: it takes the square of their number for each row, the mean only the
number. Of more, inducing points among them carry what all of them tell."""
SINGLE_ROWS, SINGLE, TRIED_ROWS = 256, 0.005, 64
"""Centres from which single precision is worth it; the share of the noise, or of the usual slope, by which it may err
at worst; and at how many centres, and places between them, that is tried."""
ASKED_ROWS, ASKED_PAIRS = (16, 32, 64, 128), 1 << 17
"""Rows whose covariances with all centres are made at once: the most that make so few pairs that these stay in the
processor's cache."""
HIGHEST = 20.0
"""Logarithms of hyper-parameters stay within this."""


class HyperPrior(NamedTuple):
    """Independent normal priors of the logarithms of all hyper-parameters, in the order of `split`."""

    mean: Float[np.ndarray, " numbers"]
    std: Float[np.ndarray, " numbers"]


class ProcessRows(NamedTuple):
    """What a process learns from: features (squashed), targets and weights."""

    x: Float[np.ndarray, "rows features"]
    y: Float[np.ndarray, "rows targets"]
    weight: Float[np.ndarray, " rows"]
    declared_variance: Float[np.ndarray, " rows"]
    """Variance of each row beside the white noise that is known beforehand, from declared errors."""

    def take(self, rows: Shaped[np.ndarray, " chosen"]) -> ProcessRows:
        """These rows only."""
        return ProcessRows(*[part[rows] for part in self])

    def reweighted(self, factor: Float[np.ndarray, " rows"]) -> ProcessRows:
        """The same rows, each with a factor on its weight."""
        return self._replace(weight=self.weight * factor)

    def noise(self, theta: Float[np.ndarray, " numbers"]) -> Float[np.ndarray, " rows"]:
        """Variance of each row's noise."""
        return (noise(theta) + self.declared_variance) / self.weight


class ProcessEstimate(NamedTuple):
    """Posterior of the function, without noise, at each row."""

    mean: Float[np.ndarray, "rows targets"]
    variance: Float[np.ndarray, " rows"]
    """The same for all targets"""
    jacobian: Float[np.ndarray, "rows targets features"] | None
    """d mean / d x, if asked for"""


class ProcessNumbers(NamedTuple):
    """The numbers that make a process: what a model file holds."""

    theta: Float[np.ndarray, " numbers"]
    log_range: Float[np.ndarray, ""]
    """Where long tails begin to be squashed"""
    centres: Float[np.ndarray, "centres coordinates"]
    """Training rows in its coordinates"""
    row_noise: Float[np.ndarray, " centres"]
    coefficients: Float[np.ndarray, "centres targets"]
    """Of each centre in the mean"""
    witnesses: Num[np.ndarray, ""] | None = None
    """How many of the centres, spread evenly, are inducing points, from which the variance comes; None: all"""
    is_induced: Num[np.ndarray, ""] | None = None
    """1 where what all others know goes through these, else 0; None: a model file before version 0.3"""
    axes: Float[np.ndarray, "features features"] | None = None
    """Of its coordinates; None: the features themselves"""
    levels: FeatureLevels | None = None
    """Of its coordinates; None: no feature is asked at levels"""

    @property
    def coordinates(self) -> Coordinates:
        """From scaled rows to those of the process."""
        return Coordinates(self.log_range, self.axes, self.levels)


class ShapeAtCentres(NamedTuple):
    """One shape and the centres, ready for covariances and slopes by one matrix product each."""

    shape: CovarianceShape
    size: float
    inverse_lengths: Float[np.ndarray, " features"]
    keys: Float[np.ndarray, "features+2 centres"]
    """Of the centres, see `CovarianceShape`; in single precision only where that is not seen. Otherwise what is left of
    large sums would depend on a row's place in a chunk."""
    places: Float[np.ndarray, "centres terms"]
    """For each target the scaled centres beside a column of ones, times what each centre counts in its slope. Columns
    of zeros make them a multiple of four, with which matrix products are quicker"""

    @property
    def log_size(self) -> float:
        """Of the amplitude."""
        return float(np.log(self.size))

    def queries(self, z: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows features+2"]:
        """Of rows in the process' coordinates."""
        return as_queries(z * self.inverse_lengths).astype(self.keys.dtype, copy=False)

    def values(
        self, queries: Float[np.ndarray, "rows terms"]
    ) -> tuple[Float[np.ndarray, "rows centres"], Float[np.ndarray, "rows centres"]]:
        """Covariances with all centres, and their slopes but for a factor."""
        return self.shape.of(arguments(queries, self.keys).astype(self.places.dtype, copy=False), self.log_size)

    def jacobian(
        self, z: Float[np.ndarray, "rows features"], pull: Float[np.ndarray, "rows terms"], targets: int
    ) -> Float[np.ndarray, "rows targets features"]:
        """Slope of the mean, from the slopes' product with `places`."""
        features = z.shape[1]
        of = pull[:, : targets * (features + 1)].reshape(len(z), targets, features + 1).astype(np.float64, copy=False)
        return self.inverse_lengths * (of[:, :, -1:] * (z * self.inverse_lengths)[:, None, :] - of[:, :, :-1])


class GaussianProcess:
    """A process that has seen its rows."""

    def __init__(self, numbers: ProcessNumbers, factor: Float[np.ndarray, "centres centres"] | None = None) -> None:
        witnesses = len(numbers.centres) if numbers.witnesses is None else numbers.witnesses
        exact: list[Any] = [np.asarray(part, np.float64) for part in numbers[:5]]
        axes = None if numbers.axes is None else np.asarray(numbers.axes, np.float64)
        made: list[Any] = [*exact, np.array(witnesses), numbers.is_induced, axes, numbers.levels]
        self.numbers = ProcessNumbers(*made)
        if factor is not None:
            self.factor = factor

    @classmethod
    def condition(
        cls, theta: Float[np.ndarray, " numbers"], coordinates: Coordinates, rows: ProcessRows
    ) -> GaussianProcess:
        """The process given all these rows, which are in its coordinates."""
        row_noise = rows.noise(theta)
        factor = _factor(theta, rows.x, row_noise)
        coefficients = dpotrs(factor, rows.y, lower=1)[0]
        many = len(rows.x) > EXACT
        witnesses = np.array(INDUCING if many else len(rows.x))
        log_range, axes, levels = coordinates
        log_range, is_induced = np.array(log_range), np.array(int(many))
        numbers = ProcessNumbers(theta, log_range, rows.x, row_noise, coefficients, witnesses, is_induced, axes, levels)
        return cls(numbers, factor)

    @cached_property
    def coordinates(self) -> Coordinates:
        """From scaled rows to those of the process."""
        return self.numbers.coordinates

    @cached_property
    def factor(self) -> Float[np.ndarray, "centres centres"]:
        """Lower Cholesky factor of the covariance of what was measured at all centres."""
        return _factor(self.numbers.theta, self.numbers.centres, self.numbers.row_noise)

    @cached_property
    def inducing_rows(self) -> Int[np.ndarray, " inducing"]:
        """Places of the inducing points: centres from which the variance comes."""
        return spread(np.arange(len(self.numbers.centres)), int(self.numbers.witnesses or 0))

    @cached_property
    def inducing(self) -> InducingPoints | None:
        """Where centres are many, the inducing points with what all of them know."""
        n = self.numbers
        if n.is_induced is None or not n.is_induced:
            return None
        own = n.centres[self.inducing_rows]
        with one_blas_thread():
            cross = np.empty((len(own), len(n.centres)))
            for rows in blocks(len(own), CACHED_ROWS):
                cross[rows] = covariance(n.theta, own[rows], n.centres)
            return induced(cross[:, self.inducing_rows], cross, prior_variances(n.theta, n.centres), n.row_noise)

    @cached_property
    def precision(self) -> type:
        """Single where its rounding errors are far below the noise, which makes three times the rows a second."""
        n = self.numbers
        if n.is_induced is None or len(n.centres) < SINGLE_ROWS:
            return np.float64
        asked = self.tried, np.zeros_like(self.coordinates.turned_back(self.tried))  # not where features are drawn in
        exact, single = (self._in(kind).posterior_at(*asked) for kind in (np.float64, np.float32))
        least, usual_slope = n.row_noise.min(), np.sqrt(np.mean(np.square(np.asarray(exact.jacobian))))
        pairs = zip(exact, single, (np.sqrt(least), least, usual_slope), strict=True)
        is_close = all(np.abs(np.subtract(*map(np.asarray, pair))).max() <= SINGLE * size for *pair, size in pairs)
        return np.float32 if is_close else np.float64

    @cached_property
    def tried(self) -> Float[np.ndarray, "tried features"]:
        """Some centres, and places between them."""
        some = spread(self.numbers.centres, TRIED_ROWS)
        return np.concatenate([some, (some[1:] + some[:-1]) / 2])

    def _in(self, precision: type) -> GaussianProcess:
        """The same process in single or double precision."""
        same = GaussianProcess(self.numbers, self.factor if self.inducing is None else None)
        same.__dict__.update(precision=precision, inducing=self.inducing)
        return same

    @cached_property
    def whitening(self) -> Float[np.ndarray, "directions inducing"]:
        """Its product with a covariance at the inducing points is whitened: an inverse Cholesky factor.

        In single precision where that is hardly seen in the variance.
        """
        own = self.inducing_rows
        if self.inducing is not None:
            exact = self.inducing.whitening
        else:
            whole, noise = len(own) == len(self.numbers.centres), self.numbers.row_noise
            factor = self.factor if whole else _factor(self.numbers.theta, self.numbers.centres[own], noise[own])
            with one_blas_thread():  # as in a fit, so that a loaded model says the same to the last digit
                exact = np.ascontiguousarray(np.tril(dtrtri(factor, lower=1)[0]))
        if self.precision is np.float64:
            return exact
        cross = covariance(self.numbers.theta, self.tried, self.numbers.centres[own]).astype(np.float32).T
        single = exact.astype(np.float32)
        gone = [np.square(matrix @ cross.astype(matrix.dtype)).sum(axis=0) for matrix in (single, exact)]
        is_seen = np.abs(gone[0] - gone[1]).max() > SINGLE / 2 * self.numbers.row_noise.min()
        return exact if is_seen else single

    @cached_property
    def order(self) -> Int[np.ndarray, " centres"]:
        """The centres, inducing points first: covariances with these are then a part of those with all."""
        others = np.ones(len(self.numbers.centres), bool)
        others[self.inducing_rows] = False
        return np.concatenate([self.inducing_rows, np.flatnonzero(others)])

    @cached_property
    def coefficients(self) -> Float[np.ndarray, "centres targets"]:
        """In this order."""
        return self.numbers.coefficients[self.order]

    @cached_property
    def at_centres(self) -> list[ShapeAtCentres]:
        """Every shape, with the centres in this order."""
        found, kind, noise = [], self.precision, float(self.numbers.row_noise.min())
        for shape, (size, w) in zip(SHAPES, split(self.numbers.theta, self.numbers.centres.shape[1]), strict=True):
            b, one = self.numbers.centres[self.order] * w, np.ones((len(self.numbers.centres), 1))
            pull = 2 * shape.steepness * self.coefficients
            places = np.einsum("ct,cf->ctf", pull, np.concatenate([b, one], axis=1)).reshape(len(b), -1)
            places = np.pad(places, ((0, 0), (0, -places.shape[1] % 4))).astype(kind)
            is_single = kind is np.float32 and are_single(shape, size, b, self.coefficients, noise)
            keys = shape.keys(b).astype(np.float32 if is_single else np.float64)
            found.append(ShapeAtCentres(shape, size, w, keys, places))
        return found

    @property
    def asked_rows(self) -> int:
        """Rows whose covariances with all centres are made at once."""
        return max(rows for rows in ASKED_ROWS if rows * len(self.order) <= ASKED_PAIRS or rows == ASKED_ROWS[0])

    @cached_property
    def amplitude(self) -> float:
        """Variance of the shapes where nothing is known."""
        return float(sum(size for size, _ in split(self.numbers.theta, self.numbers.centres.shape[1])))

    @cached_property
    def prior_variance(self) -> float:
        """Of the function, shapes and trend, before anything was seen: typical for rows like the centres."""
        centres = squash(self.numbers.centres, TREND_LIMIT)
        return self.amplitude + trend_size(self.numbers.theta) * float((centres**2).sum(axis=1).mean())

    @cached_property
    def flat_inducing(self) -> Float[np.ndarray, "inducing features"]:
        """The inducing points as the trend sees them."""
        return squash(self.numbers.centres[self.inducing_rows], TREND_LIMIT)

    @cached_property
    def trend_slope(self) -> Float[np.ndarray, "features targets"]:
        """Of each target in each levelled feature."""
        return trend_size(self.numbers.theta) * squash(self.numbers.centres, TREND_LIMIT).T @ self.numbers.coefficients

    @cached_property
    def span(self) -> Float[np.ndarray, "2 features"]:
        """Lowest and highest of each squashed feature among the centres."""
        centres = self.coordinates.turned_back(self.numbers.centres)
        return np.stack([centres.min(axis=0), centres.max(axis=0)])

    def beyond(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, " rows"]:
        """Variance that is added beyond the centres' range, at scaled rows.

        Next to nothing at the edge, the whole prior's a range further out, and then growing like the distance does: no
        row has shown what happens there, not even in features that made no difference so far.
        """
        low, high = self.span
        z = squash(np.asarray(x, np.float64), float(self.numbers.log_range), "log")
        outside = np.maximum(z - high, 0.0) + np.maximum(low - z, 0.0)
        ratio = outside / np.where(high > low, high - low, 1.0)
        squared = ratio * ratio
        return self.prior_variance * (squared * squared / (1 + squared)).sum(axis=1)

    def gone(self, cross: Float[np.ndarray, "rows inducing"]) -> Float[np.ndarray, " rows"]:
        """Variance that the inducing points take away at rows, whose covariance with them is given."""
        whitening, total = self.whitening, np.zeros(len(cross))
        cross = cross.astype(whitening.dtype, copy=False)
        empty = whitening.shape[1] - len(whitening)
        for some in blocks(len(whitening), max(CACHED_ROWS, -(-len(whitening) // 4))):
            end = some.stop + empty  # nothing stands above its diagonal
            known = cross[:, :end] @ whitening[some, :end].T
            total += np.einsum("rd,rd->r", known, known)
        return total

    def posterior(
        self, x: Float[np.ndarray, "rows features"], *, slopes: bool = False, variances: bool = True
    ) -> ProcessEstimate:
        """At scaled rows. Without `variances` these are 0."""
        return self.posterior_at(self.coordinates(x), x if slopes else None, variances)

    def posterior_at(
        self,
        z: Float[np.ndarray, "rows coordinates"],
        x: Float[np.ndarray, "rows features"] | None = None,
        variances: bool = True,
    ) -> ProcessEstimate:
        """The same at rows in its coordinates; slopes where the scaled rows `x` are given.

        Covariances are made for some rows at a time: they stay in the processor's cache. Whitening is one matrix
        product for all.
        """
        theta, kind, targets = self.numbers.theta, self.precision, self.numbers.coefficients.shape[1]
        flat = squash(z, TREND_LIMIT)
        mean, own, pulls = flat @ self.trend_slope, np.empty((len(z), 0), kind), []
        if variances:
            own = (trend_size(theta) * flat).astype(kind) @ self.flat_inducing.astype(kind).T
        queries = [part.queries(z) for part in self.at_centres]
        if x is not None:
            pulls = [np.empty((len(z), part.places.shape[1]), kind) for part in self.at_centres]
        for rows in blocks(len(z), self.asked_rows):
            cross = None
            for number, part in enumerate(self.at_centres):
                value, slope = part.values(queries[number][rows])
                if pulls:
                    np.matmul(slope, part.places, out=pulls[number][rows])
                cross = value if cross is None else np.add(cross, value, out=cross)
            # A sum of large terms.
            mean[rows] += np.asarray(cross).astype(np.float64, copy=False) @ self.coefficients
            own[rows] += np.asarray(cross)[:, : own.shape[1]]
        jacobian = None
        if x is not None:
            parts = [part.jacobian(z, pull, targets) for part, pull in zip(self.at_centres, pulls, strict=True)]
            jacobian = sum(parts, squash_slope(z, TREND_LIMIT)[:, None, :] * self.trend_slope.T)
            jacobian = self.coordinates.pulled_back(jacobian, x)
        variance = np.zeros(len(z))
        if variances:
            prior = self.amplitude + trend_size(theta) * (flat * flat).sum(axis=1)
            variance = np.maximum(prior - self.gone(own), 0.0)
        return ProcessEstimate(mean, variance, jacobian)

    def left_out(
        self, y: Float[np.ndarray, "rows targets"], fold: Int[np.ndarray, " rows"], *, variances: bool = True
    ) -> ProcessEstimate:
        """At each of its own rows, whose targets are `y`, as if the rows of its fold had not been seen."""
        mean, own = np.empty_like(y), self.inducing_rows
        inverse = _inverse(self.factor)
        among = _among(inverse, fold)
        for rows, block in among:
            mean[rows] = y[rows] - block @ self.numbers.coefficients[rows]
        variance, noise = np.zeros(len(y)), self.numbers.row_noise
        if not variances:
            return ProcessEstimate(mean, variance, None)
        if self.inducing is not None:
            return ProcessEstimate(mean, self._left_out_variance(self.inducing, fold), None)
        if len(own) < len(y):
            others = np.setdiff1d(np.arange(len(y)), own)
            for part in (others[rows] for rows in blocks(len(others), 1024)):
                variance[part] = self.posterior_at(self.numbers.centres[part]).variance
            among = [(own[rows], block) for rows, block in _among(self.whitening.T @ self.whitening, fold[own])]
        for rows, block in among:
            variance[rows] = np.diag(block) - noise[rows]
        return ProcessEstimate(mean, np.maximum(variance, 0.0), None)

    def _left_out_variance(
        self, inducing: InducingPoints, fold: Int[np.ndarray, " centres"]
    ) -> Float[np.ndarray, " centres"]:
        """At each centre as if those of its fold had not been seen."""
        n, variance = self.numbers, np.empty(len(fold))
        prior = prior_variances(n.theta, n.centres)
        for number in np.unique(fold):
            rows = np.flatnonzero(fold == number)
            variance[rows] = inducing.left_out(rows, prior[rows])
        return np.maximum(variance, 0.0)


def _inverse(factor: Float[np.ndarray, "centres centres"]) -> Float[np.ndarray, "centres centres"]:
    """Of the matrix whose lower Cholesky factor is given."""
    half = dpotri(factor, lower=1)[0]
    return np.tril(half) + np.tril(half, -1).T


def _among(
    inverse: Float[np.ndarray, "centres centres"], fold: Int[np.ndarray, " centres"]
) -> list[tuple[Int[np.ndarray, " _"], Float[np.ndarray, "_ _"]]]:
    """For each fold its rows, and the covariance of what was measured there given all other folds."""
    places = [np.flatnonzero(fold == number) for number in np.unique(fold)]
    return [(own, np.linalg.inv(inverse[np.ix_(own, own)])) for own in places]


def _factor(
    theta: Float[np.ndarray, " numbers"], x: Float[np.ndarray, "rows features"], row_noise: Float[np.ndarray, " rows"]
) -> Float[np.ndarray, "rows rows"]:
    total = np.zeros((len(x), len(x)))
    with one_blas_thread():  # the same to the last digit after loading, wherever that happens
        for rows in blocks(len(x), CACHED_ROWS):
            total[rows, : rows.stop] = covariance(theta, x[rows], x[: rows.stop])  # the factor needs no more
        total.flat[:: len(x) + 1] += row_noise
        return np.linalg.cholesky(total)


def hyper_prior(centre: tuple[float, ...], features: int) -> HyperPrior:
    """Weak priors; length scales grow with the root of the number of features, as distances do."""
    lengths = np.log(np.array(centre) * np.sqrt(features / 8))
    kernels = [np.append(np.log(0.5), np.full(features, length)) for length in lengths]
    spread = np.tile(np.append(2.0, np.ones(features)), len(kernels))
    trend = np.log(0.5 / features)
    return HyperPrior(np.append(np.concatenate(kernels), [trend, np.log(0.1)]), np.append(spread, [2.0, 2.0]))


def hyper_parameters(features: int) -> int:
    """How many there are."""
    return len(SHAPES) * (1 + features) + 2


def split(theta: Float[np.ndarray, " numbers"], features: int) -> list[tuple[float, Float[np.ndarray, " features"]]]:
    """Amplitude and inverse length scales of each shape."""
    table = np.exp(theta[:-2].reshape(len(SHAPES), 1 + features))
    return [(row[0], 1 / row[1:]) for row in table]


def trend_size(theta: Float[np.ndarray, " numbers"]) -> float:
    """Variance of the trend's slope in each feature."""
    return float(np.exp(theta[-2]))


def noise(theta: Float[np.ndarray, " numbers"]) -> float:
    """Variance of the white noise."""
    return float(np.exp(theta[-1])) + LEAST_NOISE


def usual_slopes(theta: Float[np.ndarray, " numbers"], features: int) -> Float[np.ndarray, " features"]:
    """How much the function is expected to change with each squashed feature: times these, rows far apart differ."""
    return np.sqrt(trend_size(theta) + sum(size * w * w for size, w in split(theta, features)))


def prior_variances(
    theta: Float[np.ndarray, " numbers"], z: Float[np.ndarray, "rows features"]
) -> Float[np.ndarray, " rows"]:
    """Of the function at squashed rows before anything was seen."""
    flat = squash(z, TREND_LIMIT)
    amplitude = sum(size for size, _ in split(theta, z.shape[1]))
    return amplitude + trend_size(theta) * (flat * flat).sum(axis=1)


def covariance(
    theta: Float[np.ndarray, " numbers"], a: Float[np.ndarray, "rows features"], b: Float[np.ndarray, "others features"]
) -> Float[np.ndarray, "rows others"]:
    """Of the function, without noise, between all pairs of squashed rows."""
    total = (trend_size(theta) * squash(a, TREND_LIMIT)) @ squash(b, TREND_LIMIT).T
    for shape, (size, w) in zip(SHAPES, split(theta, a.shape[1]), strict=True):
        log_size = float(np.log(size))
        queries, keys = as_queries(a * w), shape.keys(b * w)
        for part in blocks(len(a), CACHED_ROWS):
            total[part] += shape.of(arguments(queries[part], keys), log_size)[0]
    return total


def negative_log_evidence(
    theta: Float[np.ndarray, " numbers"],
    rows: ProcessRows,
    prior: HyperPrior,
    trend: Float[np.ndarray, "rows rows"] | None,
) -> tuple[float, Float[np.ndarray, " numbers"]]:
    """Negative log of marginal likelihood times prior, for each row, and its gradient; targets count alike.

    `trend` is the covariance of a trend of unit size, None for a process without one.
    """
    n, targets = rows.y.shape
    if np.abs(theta).max() > HIGHEST:
        return 1e10, np.zeros_like(theta)  # the line search turns back
    # All matrices are symmetric: only blocks up to the diagonal are made, a few rows at a time, which stay in the
    # processor's cache. In LAPACK's order of columns these are the upper halves.
    pieces = [(part, slice(0, part.stop)) for part in blocks(n, CACHED_ROWS)]
    total, scaled, made = np.empty((n, n)), [], []
    for shape, (size, w) in zip(SHAPES, split(theta, rows.x.shape[1]), strict=True):
        z = rows.x * w
        log_size = float(np.log(size))
        scaled.append(z)
        queries, keys = as_queries(z), shape.keys(z)
        made.append([shape.of(arguments(queries[own], keys[:, others]), log_size) for own, others in pieces])
    for number, (own, others) in enumerate(pieces):
        block = total[own, others]
        np.add(*[values[number][0] for values in made], out=block)
        if trend is not None:
            block += trend_size(theta) * trend[own, others]
    total.flat[:: n + 1] += rows.noise(theta)
    factor, failed = dpotrf(total.T, lower=0, overwrite_a=1)
    if failed or not np.isfinite(factor[-1, -1]):
        return 1e10, np.zeros_like(theta)
    solved = dpotrs(factor, rows.y, lower=0)[0]
    evidence = -np.sum(rows.y * solved) / 2 - targets * np.log(np.diag(factor)).sum()
    inverse = dpotri(factor, lower=0, overwrite_c=1)[0].T
    sizes, lengths, slope_of_trend = np.zeros(len(SHAPES)), np.zeros((len(SHAPES), rows.x.shape[1])), 0.0
    for number, (own, others) in enumerate(pieces):
        pull = solved[own] @ solved[others].T
        pull -= targets * inverse[own, others]
        corner = pull[:, own]  # twice what lies below the diagonal, for what lies above
        corner[:] = np.tril(corner, -1)
        pull *= 2
        np.einsum("ii->i", corner)[:] = (solved[own] ** 2).sum(axis=1) - targets * np.einsum("ii->i", inverse[own, own])
        for kind, z in enumerate(scaled):
            value, slope = made[kind][number]
            sizes[kind] += np.vdot(pull, value)
            slope *= pull  # and the value, which may be the same array, is needed no more
            # Σ_ij A_ij (z_ik - z_jk)² for all features k at once.
            a, b = z[own], z[others]
            lengths[kind] += (
                2 * np.einsum("rf,rf->f", a, slope @ b) - slope.sum(axis=1) @ a**2 - slope.sum(axis=0) @ b**2
            )
        if trend is not None:
            slope_of_trend += float(np.einsum("ij,ij->", pull, trend[own, others]))
    gradient = []
    for shape, size, length in zip(SHAPES, sizes, lengths, strict=True):
        gradient += [size / 2, *(shape.steepness * length)]
    gradient += [trend_size(theta) * slope_of_trend / 2]
    diagonal = (solved**2).sum(axis=1) - targets * np.diag(inverse)
    gradient = np.append(gradient, np.exp(theta[-1]) * np.sum(diagonal / rows.weight) / 2)
    off = (theta - prior.mean) / prior.std
    return float(off @ off / 2 - evidence) / n, (off / prior.std - gradient) / n


class FoundMaximum(NamedTuple):
    """Where a search for hyper-parameters has ended."""

    cost: float
    theta: Float[np.ndarray, " numbers"]
    centre: tuple[float, ...]


def search(
    rows: ProcessRows,
    centre: tuple[float, ...],
    iterations: int,
    start: Float[np.ndarray, " numbers"] | None = None,
    *,
    with_trend: bool = True,
) -> FoundMaximum:
    """The nearest maximum of the evidence from one start, the prior's by default."""
    prior = hyper_prior(centre, rows.x.shape[1])
    start = prior.mean if start is None else np.clip(start, -HIGHEST + 1, HIGHEST - 1)
    flat = squash(rows.x, TREND_LIMIT)
    given = (rows, prior, flat @ flat.T if with_trend else None)
    options = {"maxiter": iterations, "ftol": 1e-6}
    found = minimize(negative_log_evidence, start, given, method="L-BFGS-B", jac=True, options=options)
    theta = found.x if with_trend else np.append(found.x[:-2], [NO_TREND, found.x[-1]])
    return FoundMaximum(float(found.fun), theta, centre)
