"""Kinds of noise beyond the model's assumption, with their exact mean and standard deviation.

The paper shows four kinds on its 1-D toy and gives no numbers; these are our choices. All act on the noise-free
function (eq. 47), and `size` is the toy's own system noise, which grows with the input.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

SHAPE = 2.0
"""Of the gamma distribution: a skewness of 1.4, where a Gaussian has none."""
SHARE = 0.3
"""Standard deviation of multiplicative noise as a share of the value."""
LOST = 0.1
"""Share of the values that salt and pepper replace."""
PEPPER, SALT = -2.0, 5.0
"""What they are replaced by, equally often: about the smallest and the largest value of the function."""
SHIFT = 1.0
"""Mean of the noise that has one."""


class NoiseKind(ABC):
    """How values are disturbed; `value` is noise-free and `size` the toy's own standard deviation there."""

    title: ClassVar[str]

    @abstractmethod
    def draw(self, value: np.ndarray, size: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Measured values."""

    def mean(self, value: np.ndarray, size: np.ndarray) -> np.ndarray:
        """Their mean."""
        return value

    def std(self, value: np.ndarray, size: np.ndarray) -> np.ndarray:
        """Their standard deviation."""
        return size


class Gaussian(NoiseKind):
    """As the model assumes."""

    title = "Gaussian, as assumed"

    def draw(self, value: np.ndarray, size: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return value + size * rng.standard_normal(len(value))


class Gamma(NoiseKind):
    """Skewed, with a mean of zero."""

    title = "gamma"

    def draw(self, value: np.ndarray, size: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return value + size * (rng.gamma(SHAPE, size=len(value)) - SHAPE) / np.sqrt(SHAPE)


class Multiplicative(NoiseKind):
    """In proportion to the value."""

    title = "multiplicative"

    def draw(self, value: np.ndarray, size: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return value * (1 + SHARE * rng.standard_normal(len(value)))

    def std(self, value: np.ndarray, size: np.ndarray) -> np.ndarray:
        return SHARE * np.abs(value)


class SaltAndPepper(NoiseKind):
    """Most values are exact, a few are lost."""

    title = "salt and pepper"

    def draw(self, value: np.ndarray, size: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        chance = rng.random(len(value))
        return np.select([chance < LOST / 2, chance < LOST], [PEPPER, SALT], value)

    def mean(self, value: np.ndarray, size: np.ndarray) -> np.ndarray:
        return (1 - LOST) * value + LOST * (PEPPER + SALT) / 2

    def std(self, value: np.ndarray, size: np.ndarray) -> np.ndarray:
        squared = (1 - LOST) * value**2 + LOST * (PEPPER**2 + SALT**2) / 2
        return np.sqrt(squared - self.mean(value, size) ** 2)


class Shifted(Gaussian):
    """Gaussian with a mean of its own, which nothing in the data tells from the function."""

    title = "Gaussian with a mean of its own"

    def draw(self, value: np.ndarray, size: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return SHIFT + super().draw(value, size, rng)

    def mean(self, value: np.ndarray, size: np.ndarray) -> np.ndarray:
        return value + SHIFT


KINDS: dict[str, NoiseKind] = {
    "gaussian": Gaussian(),
    "gamma": Gamma(),
    "multiplicative": Multiplicative(),
    "salt_pepper": SaltAndPepper(),
    "shifted": Shifted(),
}
"""By the names of the study's datasets."""
