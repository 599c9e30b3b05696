"""Fitting the kernel part of the mean, and weighing it against the networks on rows that neither has seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dtrtri
from scipy.optimize import minimize_scalar
from threadpoolctl import threadpool_limits

from taylor_sensus.fit.members import run_all
from taylor_sensus.fit.padding import bucket, pad
from taylor_sensus.fit.robust import beliefs
from taylor_sensus.model.gaussian_process import (
    CENTRES,
    Conditioned,
    Rows,
    condition,
    covariance,
    left_out,
    noise,
    posterior,
    search,
    split,
)
from taylor_sensus.model.process_mean import KernelMean, drawn_in
from taylor_sensus.settings import Settings

FIRST_START, OTHER_STARTS = CENTRES[1], (CENTRES[0], CENTRES[2])
"""Where searches begin: the first with every reach, the others with the best one only."""
REACHES = (1.0, 4.0, 30.0)
"""Where long tails may begin to be drawn in: unseen rows choose, because the evidence often errs here."""
ITERATIONS = 100
ROUNDS, MORE_ITERATIONS = 2, 30
"""How often rows are believed anew, and the search goes on."""
WORSE = 1.01
"""Beliefs are dropped if they make the squared error of unseen rows so many times larger: where noise leans to one
side, as counts and areas do, they would move the mean."""
LEAST_LOG_NOISE = np.log(1e-4)
"""Log of the smallest noise variance: single precision must be able to tell rows apart."""
CHUNK = 1024
"""Rows answered at once, which bounds the memory."""
DOUBTS = (0.0, 0.25, 0.5, 1.0)
"""Candidates for how much of the kernel's own variance counts as doubt of the whole mean."""


EXPECTED_SHARE_STD = 0.25
"""How far the best share of the kernel part is expected to lie from one half."""


class Stored(NamedTuple):
    """The numbers that make a kernel part: what a model file holds."""

    theta: np.ndarray
    reach: np.ndarray
    """()"""
    centres: np.ndarray
    """(centres, features), `drawn_in`, single precision"""
    row_noise: np.ndarray
    coefficients: np.ndarray


class Support(NamedTuple):
    """A kernel part and how far it is trusted, one number a target."""

    kernel: KernelMean
    share: np.ndarray
    """Its share in the mean; the networks have the rest."""
    doubt: np.ndarray
    """Factor on its variance in the doubt of the mean."""
    stored: Stored


class FittedKernel(NamedTuple):
    """A kernel part before it is weighed, and its answers as if each row were new."""

    stored: Stored
    unseen_mean: np.ndarray
    """(rows, targets)"""
    unseen_variance: np.ndarray
    """(rows,)"""
    belief: np.ndarray
    """Factor on the weight of each row, (rows,)"""

    def some(self, rows: np.ndarray) -> FittedKernel:
        """With the answers for these rows only."""
        return FittedKernel(self.stored, *[part[rows] for part in self[1:]])


def fit_kernel(
    x: np.ndarray, y: np.ndarray, weight: np.ndarray, known: np.ndarray, fold: np.ndarray, settings: Settings,
    seed: int, n_jobs: int | None,
) -> FittedKernel:  # fmt: skip
    """From the first rows, which have a `fold`, or some of them; answers for all rows.

    `known` is the variance of each row's target that is known beforehand.
    """
    few, pick = _picked(len(fold), settings, seed)
    y, weight = y.astype(np.float64), weight.astype(np.float64)
    views = [Rows(_view(x, reach), y, weight, known) for reach in REACHES]
    asked = np.concatenate([few, np.arange(len(fold), len(y))])  # the few and all validation rows

    def from_start(number: int, centre: tuple[float, ...]) -> _Found:
        cost, theta = search(views[number].some(few), centre, ITERATIONS)
        return _Found(cost, _with_some_noise(theta), centre)

    def unseen_error(number: int) -> float:
        rows = views[number].some(asked)
        theta = tried[number].theta
        return _unseen_error(_conditioned(theta, REACHES[number], rows, np.arange(len(few)), fold[few]), rows)

    # One thread a search: threads inside small matrix products gain little, and their order changes last digits.
    with threadpool_limits(1, "blas"):
        tried = run_all([lambda k=k: from_start(k, FIRST_START) for k in range(len(REACHES))], n_jobs)
        best = min(range(len(REACHES)), key=unseen_error)
        again = run_all([lambda c=c: from_start(best, c) for c in OTHER_STARTS], n_jobs)
        found = min([tried[best], *again], key=lambda one: one.cost)
        return _believed(found, REACHES[best], views[best], few, pick, fold, settings)


class _Found(NamedTuple):
    """Where a search has ended."""

    cost: float
    theta: np.ndarray
    centre: tuple[float, ...]


def refit_kernel(
    stored: Stored, x: np.ndarray, y: np.ndarray, weight: np.ndarray, known: np.ndarray, fold: np.ndarray,
    settings: Settings, seed: int,
) -> FittedKernel:  # fmt: skip
    """The same part with other known variances or more rows: the search goes on from where it had ended."""
    few, pick = _picked(len(fold), settings, seed)
    reach = float(stored.reach)
    rows = Rows(_view(x, reach), y.astype(np.float64), weight.astype(np.float64), known)
    with threadpool_limits(1, "blas"):
        cost, theta = search(rows.some(few), FIRST_START, ITERATIONS, stored.theta)
        found = _Found(cost, _with_some_noise(theta), FIRST_START)
        return _believed(found, reach, rows, few, pick, fold, settings)


def _believed(
    found: _Found, reach: float, rows: Rows, few: np.ndarray, pick: np.ndarray, fold: np.ndarray, settings: Settings
) -> FittedKernel:
    """The process given its rows, each as far as it is believed, unless unseen rows are served better without."""
    process = condition(found.theta, rows.some(pick))
    plain = _answers(process, reach, rows, pick, fold)
    if not settings.robust:
        return plain
    belief, train = np.ones(len(rows.y)), np.arange(len(fold))
    for _ in range(ROUNDS):
        belief[train] = beliefs(process, rows.some(train), pick, belief)
        believed = rows.believed(belief)
        theta = _with_some_noise(search(believed.some(few), found.centre, MORE_ITERATIONS, process.theta)[1])
        process = condition(theta, believed.some(pick))
    robust = _answers(process, reach, believed, pick, fold)._replace(belief=belief)
    return robust if _unseen_error(robust, rows) <= WORSE * _unseen_error(plain, rows) else plain


def _unseen_error(kernel: FittedKernel, rows: Rows) -> float:
    return float(np.average((rows.y - kernel.unseen_mean) ** 2, axis=0, weights=rows.weight).sum())


def white_noise(kernel: FittedKernel) -> float:
    """Variance of the targets that the kernel part takes for noise beside what is known beforehand."""
    return noise(kernel.stored.theta)


def _picked(train: int, settings: Settings, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows for the search, and rows that become centres."""
    rng = np.random.default_rng(seed)
    few = rng.permutation(train)[: settings.kernel_search_rows]
    return few, np.sort(rng.permutation(train)[: settings.kernel_rows])


def _view(x: np.ndarray, reach: float) -> np.ndarray:
    return drawn_in(np.asarray(x, np.float64), reach).astype(np.float32).astype(np.float64)


def _with_some_noise(theta: np.ndarray) -> np.ndarray:
    return np.append(theta[:-1], max(theta[-1], LEAST_LOG_NOISE))


def _conditioned(theta: np.ndarray, reach: float, rows: Rows, pick: np.ndarray, fold: np.ndarray) -> FittedKernel:
    """The process given the picked rows, with its answers at each row as if it were new."""
    return _answers(condition(theta, rows.some(pick)), reach, rows, pick, fold)


def _answers(process: Conditioned, reach: float, rows: Rows, pick: np.ndarray, fold: np.ndarray) -> FittedKernel:
    """What a process that has seen the picked rows says of each row as if it were new."""
    centres = rows.some(pick)
    mean, variance = np.empty(rows.y.shape), np.empty(len(rows.y))
    others = np.setdiff1d(np.arange(len(rows.y)), pick)
    for part in np.array_split(others, -(-len(others) // CHUNK)) if len(others) else []:
        mean[part], variance[part] = posterior(process, rows.x[part])
    mean[pick], variance[pick] = left_out(process, centres, fold[pick])
    stored = Stored(
        theta=process.theta,
        reach=np.array(reach, np.float32),
        centres=centres.x.astype(np.float32),
        row_noise=centres.noise(process.theta),
        coefficients=process.coefficients.astype(np.float32),
    )
    return FittedKernel(stored, mean, variance, np.ones(len(rows.y)))


def kernel_mean(stored: Stored) -> KernelMean:
    """The kernel part from its numbers, padded so that similar tables share a program."""
    centres = stored.centres.astype(np.float64)
    with threadpool_limits(1, "blas"):
        total = covariance(stored.theta, centres, centres) + np.diag(stored.row_noise)
        whitener, _ = dtrtri(np.linalg.cholesky(total), lower=1)
    size = bucket(len(centres))
    kernels = split(stored.theta, centres.shape[1])
    return KernelMean(
        reach=stored.reach,
        centres=pad(stored.centres, size),
        sizes=np.array([size for size, _ in kernels], np.float32),
        inverse_lengths=np.array([w for _, w in kernels], np.float32),
        coefficients=pad(stored.coefficients, size),
        whitener=np.pad(whitener.astype(np.float32), (0, size - len(centres))),
    )


def kernel_share(means, unseen_mean, unseen, y, weight, optimism: float = 1.0) -> np.ndarray:
    """For each target the share of the kernel part that makes the squared error of unseen rows smallest.

    `means` are those of the networks, (members, rows, targets), and `unseen` says which of them had not seen a row.
    Predictions average all members, unseen rows only show some: their errors are reduced by what averaging saves.
    The networks stop where validation rows like it, and the kernel's length scales have seen the training rows, so
    each kind of row flatters one of the two: where there are both kinds, they count alike. Where there are only folds,
    which stop the networks too, `optimism` says how much they flatter the networks; how much they flatter the kernel
    is not known, so the shares with and without it count alike.
    """
    both = (means, unseen_mean, unseen, y, weight)
    if optimism > 1:
        return (_best_share(*both) + _best_share(*both, optimism)) / 2
    validation = unseen.all(axis=0)
    if validation.any() and not validation.all():
        parts = [(means[:, k], unseen_mean[k], unseen[:, k], y[k], weight[k]) for k in (validation, ~validation)]
        return np.mean([_best_share(*part) for part in parts], axis=0)
    return _best_share(*both)


def _best_share(means, unseen_mean, unseen, y, weight, optimism: float = 1.0) -> np.ndarray:
    count = np.maximum(unseen.sum(axis=0), 1)
    members = len(means)
    own = y - np.einsum("mr,mrt->rt", unseen, means) / count[:, None]
    other = y - unseen_mean
    between = means.var(axis=0, ddof=1) if members > 1 else np.zeros_like(y)
    saved = np.average(between * (1 / count - 1 / members)[:, None], axis=0, weights=weight)
    networks = np.average(own**2, axis=0, weights=weight)
    networks = optimism * np.maximum(networks - saved, 0.25 * networks)
    kernel = np.average(other**2, axis=0, weights=weight)
    both = np.average(own * other, axis=0, weights=weight)
    apart = np.maximum(networks + kernel - 2 * both, 1e-9)  # mean squared difference of the two opinions
    share = (networks - both) / apart
    # A few rows say little: the share is drawn to one half as far as chance could have moved it.
    rows = weight.sum() ** 2 / (weight**2).sum()
    left = np.average((own + share * (other - own)) ** 2, axis=0, weights=weight)
    chance = left / (apart * rows)
    expected = EXPECTED_SHARE_STD**2
    return np.clip((expected * share + chance * 0.5) / (expected + chance), 0.0, 1.0)


def kernel_doubt(residual, variance, weight, known: np.ndarray | float = 0.0, tolerance: float = 0.002) -> np.ndarray:
    """For each target the smallest factor on the kernel's variance that explains unseen residuals as well as any.

    The rest of the residuals is what is `known` beforehand and noise of one size; what it depends on is learned later.
    """
    chosen = []
    for squared, beside in zip((residual**2).T, np.broadcast_to(known, residual.shape).T, strict=True):
        costs = _costs(DOUBTS, squared, variance, beside, weight)
        chosen.append(next(f for f, c in zip(DOUBTS, costs, strict=True) if c <= min(costs) + tolerance))
    return np.array(chosen)


def imputed_scale(residual, imputed, weight, known) -> float:
    """The factor on the variance that filled gaps bring, `imputed`, that makes unseen residuals most likely.

    It is carried to the target by a straight line over a feature's whole spread, which may err to either side.
    """
    columns = zip((residual**2).T, imputed.T, known.T, strict=True)
    costs = np.sum([_costs(SCALES, *column, weight) for column in columns], axis=0)
    return SCALES[int(costs.argmin())]


SCALES = (0.02, 0.05, 0.1, 0.15, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
"""Candidates for `imputed_scale`."""


def _costs(factors: tuple[float, ...], squared, variance, known, weight) -> list[float]:
    """For each factor on a variance how unlikely squared residuals are, with the best white noise beside it."""

    def cost(factor: float) -> float:
        def of(log_noise: float) -> float:
            total = np.exp(log_noise) + factor * variance + known
            return float(np.average(np.log(total) + squared / total, weights=weight))

        middle = np.log(max(float(np.average(squared, weights=weight)), 1e-10))
        return minimize_scalar(of, bounds=(middle - 9, middle + 1), method="bounded").fun

    return [cost(factor) for factor in factors]
