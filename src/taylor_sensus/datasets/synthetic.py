"""The paper's toy problems: noisy tables whose truth and noise are known exactly.

In both, ``X`` is what was written down, and the system itself works at ``X`` plus feature noise. The recorded
input is therefore clean, and the noise of the inputs shows only in the target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy.special import expit

from taylor_sensus.errors import DataError, SettingError

QUADRATURE_NODES = 64
"""Gauss-Hermite nodes for the feature noise; the toys are smooth, and 32 agree to ten digits already."""


@dataclass(frozen=True)
class Cluster:
    """One Gaussian part of the training inputs; ``share`` is its number of rows out of 300."""

    share: int
    centre: np.ndarray
    covariance: np.ndarray


@dataclass(frozen=True, eq=False)
class ToyProblem:
    """A training table, an evaluation grid, and the truth behind both.

    Every function takes inputs of shape ``(rows, features)``.
    """

    name: str
    X: np.ndarray
    """Recorded inputs, free of noise, ``(n, features)``."""
    y: np.ndarray
    """Noisy targets, ``(n,)``."""
    X_eval: np.ndarray
    """Evaluation grid."""
    y_eval: np.ndarray
    """Noise-free truth on the evaluation grid."""
    inside: np.ndarray
    """True where an evaluation point lies in the bounding box of the training inputs (interpolation)."""
    truth: Callable[[np.ndarray], np.ndarray]
    """The noise-free function, ``(rows,)``."""
    gradient: Callable[[np.ndarray], np.ndarray]
    """Its analytic gradient, ``(rows, features)``."""
    feature_noise_std: Callable[[np.ndarray], np.ndarray]
    """Standard deviation of each input's noise, ``(rows, features)``; all inputs of a row share one draw."""
    system_noise_std: Callable[[np.ndarray], np.ndarray]
    """Standard deviation of the system's own noise, in the target's unit, ``(rows,)``."""

    def noise_std(self, X: np.ndarray) -> np.ndarray:
        """True standard deviation of the target at recorded inputs: exact feature noise, and system noise."""
        _, variance = self._response_to_feature_noise(X)
        return np.sqrt(variance + self.system_noise_std(X) ** 2)

    def noisy_mean(self, X: np.ndarray) -> np.ndarray:
        """True mean of the target at recorded inputs; feature noise moves it away from ``truth``."""
        shift, _ = self._response_to_feature_noise(X)
        return self.truth(X) + shift

    def noisy_targets(self, X: np.ndarray, random_state: int | Sequence[int] | np.random.Generator) -> np.ndarray:
        """New measurements at recorded inputs, ``(rows,)``."""
        rng = np.random.default_rng(random_state)
        return _noisy_targets(self.truth, self.feature_noise_std, self.system_noise_std, X, rng)

    def linear_noise_std(self, X: np.ndarray) -> np.ndarray:
        """First-order (Taylor) standard deviation: the gradient along the shared draw, and system noise."""
        feature_part = np.sum(self.gradient(X) * self.feature_noise_std(X), axis=1)
        return np.sqrt(feature_part**2 + self.system_noise_std(X) ** 2)

    def _response_to_feature_noise(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of ``truth(X + noise) - truth(X)`` by Gauss-Hermite quadrature."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(QUADRATURE_NODES)
        std, centre = self.feature_noise_std(X), self.truth(X)
        moved = np.stack([self.truth(X + std * node) - centre for node in nodes], axis=1)
        weights = weights / weights.sum()
        mean = moved @ weights
        return mean, (moved - mean[:, None]) ** 2 @ weights


# ---------------------------------------------------------------------------------------------- 1-D


def toy_1d(random_state: int | np.random.Generator, n: int = 300) -> ToyProblem:
    """The 1-D toy problem of the paper (eqs. 20 and 21): two overlapping clusters, 300 evaluation points on [-7, 7].

    ``n`` training rows keep the paper's proportions (150 : 150).
    """
    return _draw(
        name="toy 1-D",
        clusters=CLUSTERS_1D,
        X_eval=np.linspace(-7, 7, 300)[:, None],
        functions=(truth_1d, gradient_1d, feature_noise_std_1d, system_noise_std_1d),
        random_state=random_state,
        n=n,
    )


CLUSTERS_1D = (
    Cluster(150, np.array([-1.0]), np.array([[1.5**2]])),
    Cluster(150, np.array([2.0]), np.array([[1.1**2]])),
)
"""Training inputs of the 1-D toy problem of the paper (eq. 21)."""


def truth_1d(X: np.ndarray) -> np.ndarray:
    """1-D toy function of the paper, without its noise (eq. 20)."""
    x = _columns(X, 1)[0]
    return trend_1d(X) + np.sin(2 * x) + np.sin(4 * x) + np.sin(5 * x)


def trend_1d(X: np.ndarray) -> np.ndarray:
    """What is left of the 1-D toy function without its waves."""
    x = _columns(X, 1)[0]
    return np.exp(0.06 * x) + 0.5 * np.exp(0.2 * x)


def gradient_1d(X: np.ndarray) -> np.ndarray:
    """Derivative of the 1-D toy function of the paper (eq. 20)."""
    x = _columns(X, 1)[0]
    trend = 0.06 * np.exp(0.06 * x) + 0.1 * np.exp(0.2 * x)
    return (trend + 2 * np.cos(2 * x) + 4 * np.cos(4 * x) + 5 * np.cos(5 * x))[:, None]


def feature_noise_std_1d(X: np.ndarray) -> np.ndarray:
    """sigma_i of the 1-D toy function of the paper (eq. 20)."""
    x = _columns(X, 1)[0]
    return (0.2 * expit(x - 2))[:, None]


def system_noise_std_1d(X: np.ndarray) -> np.ndarray:
    """sigma_o of the 1-D toy function of the paper (eq. 20), repaired."""
    x = _columns(X, 1)[0]
    # DIFF(eq. 20): printed 0.5/(1-exp(x+1)) is singular at x = -1, a cluster centre; 0.5/(1+exp(-(x+1))).
    return 0.5 * expit(x + 1)


# ---------------------------------------------------------------------------------------------- 2-D


def toy_2d(random_state: int | np.random.Generator, n: int = 300) -> ToyProblem:
    """The 2-D toy problem of the paper (eqs. 22 and 23): three clusters, a 50 x 50 grid on [-10, 10] squared.

    ``n`` training rows keep the paper's proportions (100 : 150 : 50). The grid's first input varies slowest,
    so ``y_eval.reshape(50, 50)`` has the first input on its first axis.
    """
    ticks = np.linspace(-10, 10, 50)
    grid = np.meshgrid(ticks, ticks, indexing="ij")
    return _draw(
        name="toy 2-D",
        clusters=CLUSTERS_2D,
        X_eval=np.stack(grid, axis=-1).reshape(-1, 2),
        functions=(truth_2d, gradient_2d, feature_noise_std_2d, system_noise_std_2d),
        random_state=random_state,
        n=n,
    )


def _symmetric(printed: list[list[float]]) -> np.ndarray:
    """The symmetric part of a printed covariance."""
    # DIFF(eq. 23): two of the three printed covariances are not symmetric; here (A + A^T)/2.
    matrix = np.array(printed)
    return (matrix + matrix.T) / 2


CLUSTERS_2D = (
    Cluster(100, np.array([-2.9, -3.4]), _symmetric([[2.5, 2.0], [0.5, 2.3]])),
    Cluster(150, np.array([2.5, 2.5]), _symmetric([[3.0, 0.0], [0.0, 2.5]])),
    Cluster(50, np.array([5.0, -5.0]), _symmetric([[1.2, -0.5], [-0.7, 1.7]])),
)
"""Training inputs of the 2-D toy problem of the paper (eq. 23)."""


def truth_2d(X: np.ndarray) -> np.ndarray:
    """2-D toy function of the paper, without its noise (eq. 22)."""
    x, y = _columns(X, 2)
    return 0.5 * np.exp(0.03 * y) * np.sin(x) + np.exp(0.06 * x) * np.cos(0.8 * y)


def gradient_2d(X: np.ndarray) -> np.ndarray:
    """Gradient of the 2-D toy function of the paper (eq. 22)."""
    x, y = _columns(X, 2)
    along_x = 0.5 * np.exp(0.03 * y) * np.cos(x) + 0.06 * np.exp(0.06 * x) * np.cos(0.8 * y)
    along_y = 0.015 * np.exp(0.03 * y) * np.sin(x) - 0.8 * np.exp(0.06 * x) * np.sin(0.8 * y)
    return np.stack([along_x, along_y], axis=1)


def feature_noise_std_2d(X: np.ndarray) -> np.ndarray:
    """Root of Sigma_i of the 2-D toy function of the paper (eq. 22), the same for both inputs."""
    x, y = _columns(X, 2)
    std = (0.2 * np.sin(0.3 * y) + 0.4) * expit(x + 1)
    return np.stack([std, std], axis=1)


def system_noise_std_2d(X: np.ndarray) -> np.ndarray:
    """Root of Sigma_o of the 2-D toy function of the paper (eq. 22)."""
    x, y = _columns(X, 2)
    return (0.15 * np.sin(0.3 * x) * np.sin(0.8 * y) + 1.1) * expit(y - 2)


# ------------------------------------------------------------------------------------------- drawing


def _draw(
    *,
    name: str,
    clusters: Sequence[Cluster],
    X_eval: np.ndarray,
    functions: tuple[Callable, Callable, Callable, Callable],
    random_state: int | np.random.Generator,
    n: int,
) -> ToyProblem:
    """A table of the noise model Y = F(X + N_i) + N_o (eq. 1), and the truth behind it."""
    truth, gradient, feature_noise_std, system_noise_std = functions
    rng = np.random.default_rng(random_state)
    sizes = _sizes(n, [cluster.share for cluster in clusters])
    X = np.concatenate(
        [
            rng.multivariate_normal(cluster.centre, cluster.covariance, size, method="cholesky")
            for cluster, size in zip(clusters, sizes, strict=True)
        ]
    )
    X = X[rng.permutation(n)]  # so that folds without shuffling do not hold out a whole cluster
    y = _noisy_targets(truth, feature_noise_std, system_noise_std, X, rng)
    return ToyProblem(
        name=name,
        X=X,
        y=y,
        X_eval=X_eval,
        y_eval=truth(X_eval),
        inside=np.all((X_eval >= X.min(axis=0)) & (X_eval <= X.max(axis=0)), axis=1),
        truth=truth,
        gradient=gradient,
        feature_noise_std=feature_noise_std,
        system_noise_std=system_noise_std,
    )


def _noisy_targets(
    truth: Callable, feature_noise_std: Callable, system_noise_std: Callable, X: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    # DIFF(eq. 22): one scalar variance is printed for two "interdependent" inputs; both get the same draw.
    shared_draw = rng.standard_normal((len(X), 1))
    return truth(X + feature_noise_std(X) * shared_draw) + system_noise_std(X) * rng.standard_normal(len(X))


def _sizes(n: int, shares: list[int]) -> np.ndarray:
    """``n`` rows split in the given proportions; rows left over by rounding go to the largest remainders."""
    if not isinstance(n, Integral) or isinstance(n, bool) or n < len(shares):
        raise SettingError(
            f"n must be a whole number of at least {len(shares)} (one row a cluster), not {n!r}; the paper uses 300"
        )
    exact = n * np.array(shares) / sum(shares)
    sizes = np.floor(exact).astype(int)
    largest_first = np.argsort(sizes - exact, kind="stable")
    sizes[largest_first[: n - sizes.sum()]] += 1
    return sizes


def _columns(X: np.ndarray, features: int) -> np.ndarray:
    """Columns of a table of the right width, ready to unpack."""
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[1] != features:
        raise DataError(f"the inputs have shape {X.shape}; expected (rows, {features}), so reshape them")
    return X.T
