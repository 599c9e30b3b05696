"""The face of every rival: scikit-learn's `fit` and `predict`, with validation rows and a whole distribution.

A method writes two functions on scaled arrays, `_fit` and `_predict`; tables, names and units stop here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, Self, dataclass_transform

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from taylor_sensus.errors import DataError, MissingExtraError
from taylor_sensus.model.scaling import Scaler, learn_scaling
from taylor_sensus.prediction import Prediction


class Scaled(NamedTuple):
    """Rows in scaled units, `(rows, features)` and `(rows,)`, first for fitting and then for validation."""

    x: np.ndarray
    y: np.ndarray
    x_val: np.ndarray
    y_val: np.ndarray


class Moments(NamedTuple):
    """What a method says of rows in scaled units; NaN variances where it says nothing about its errors."""

    mean: np.ndarray
    noise_variance: np.ndarray
    """What more data would not remove."""
    mean_variance: np.ndarray
    """What more data would remove; 0 if the method does not separate the two."""


_as_fields = dataclass(kw_only=True, eq=False, repr=False)


@dataclass_transform(kw_only_default=True, eq_default=False)
@_as_fields
class Baseline(RegressorMixin, BaseEstimator, ABC):
    """A rival method. One target, numbers only, no missing values.

    The settings of a method are its class's annotated names with their defaults: they become the arguments of the
    constructor, which stores them and does nothing else, as scikit-learn wants it.
    """

    gives_std: ClassVar[bool] = True
    requires: ClassVar[tuple[str, ...]] = ()
    """Packages of the extra `[baselines]` that this method needs."""
    n_jobs: int | None = None
    random_state: Any = None

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        _as_fields(cls)

    def fit(self, X: Any, y: Any, *, X_val: Any = None, y_val: Any = None, refit: bool = False) -> Self:
        """Fit to a table. Without validation rows a fifth of the rows is held out for their work.

        With `refit` a method that can learns once more, from held-out rows too, with what they have chosen.
        """
        _check_packages(self.requires)
        x, target = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=5, y_numeric=True)
        target = np.asarray(target, np.float64)
        random = check_random_state(self.random_state)
        if (X_val is None) != (y_val is None):
            raise DataError("X_val and y_val belong together: give both or neither")
        if X_val is None:
            order = random.permutation(len(x))
            cut = max(1, len(x) // 5)
            held, kept = order[:cut], order[cut:]
            whole_x, whole_y = x, target
            x_val, y_val, x, target = x[held], target[held], x[kept], target[kept]
        else:
            whole_x = whole_y = None
            x_val = validate_data(self, X_val, dtype=np.float64, reset=False)
            y_val = column_or_1d(np.asarray(y_val, np.float64))
            check_consistent_length(x_val, y_val)
        self.scaler_: Scaler = learn_scaling(x, target[:, None], np.ones(len(x)))
        scaled = Scaled(
            self.scaler_.features(x),
            self.scaler_.targets(target[:, None])[:, 0],
            self.scaler_.features(x_val),
            self.scaler_.targets(y_val[:, None])[:, 0],
        )
        seed = int(random.randint(2**31 - 1))
        self._fit(scaled, seed=seed)
        if refit and whole_x is not None and whole_y is not None:
            self._refit(self.scaler_.features(whole_x), self.scaler_.targets(whole_y[:, None])[:, 0], seed)
        self.fitted_ = True
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean for each row, and with `return_std` its standard deviation too (NaN if the method has none)."""
        prediction = self.predict_distribution(X)
        return (prediction.mean, prediction.std) if return_std else prediction.mean

    def predict_distribution(self, X: Any) -> Prediction:
        """Mean and variances; the noise counts as the system's, because no baseline says where noise comes in."""
        check_is_fitted(self, "fitted_")
        index = getattr(X, "index", None)
        x = validate_data(self, X, dtype=np.float64, reset=False)
        predicted = self._predict(self.scaler_.features(x))
        unit = float(self.scaler_.target_scale[0])
        mean = np.asarray(predicted.mean, np.float64) * unit + float(self.scaler_.target_center[0])
        return Prediction(
            mean=mean,
            feature_variance=np.zeros(len(x)),
            system_variance=np.asarray(predicted.noise_variance, np.float64) * unit**2,
            epistemic_variance=np.asarray(predicted.mean_variance, np.float64) * unit**2,
            familiarity=np.full(len(x), np.nan),
            index=index,
        )

    @abstractmethod
    def _fit(self, rows: Scaled, seed: int) -> None:
        """Learn from scaled rows; the seed is the only source of randomness."""

    def _refit(self, x: np.ndarray, y: np.ndarray, seed: int) -> None:
        """Learn once more from all scaled rows, with what validation rows have chosen; by default nothing is done."""

    @abstractmethod
    def _predict(self, x: np.ndarray) -> Moments:
        """What the method says of scaled rows, each by itself."""


def _check_packages(names: tuple[str, ...]) -> None:
    for name in names:
        try:
            import_module(name)
        except ImportError:
            raise MissingExtraError(
                f'{name} is needed for this method; install it with: pip install "taylor-sensus[baselines]"'
            ) from None
