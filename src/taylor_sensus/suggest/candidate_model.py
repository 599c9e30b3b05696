"""A fitted model as candidates meet it: settings in, what it says of one target out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.fitted import FittedModel
from taylor_sensus.model.combine import combine
from taylor_sensus.model.ensemble import BY_PROCESS, NEVER
from taylor_sensus.model.epistemic import EpistemicParts, component_means, epistemic_parts
from taylor_sensus.prediction import Prediction
from taylor_sensus.records import Query
from taylor_sensus.tables.columns import Column
from taylor_sensus.tables.row_names import counting, named_row

if TYPE_CHECKING:
    from taylor_sensus.regressor import TSNetRegressor


LEAST_WEIGHT = 0.05
"""Below this share the network's noise is not scaled up any more: it is extrapolated there."""


class MeasurementNoise(NamedTuple):
    """Variance of the noise at each row, in scaled units."""

    now: np.ndarray
    """As it counts in the prediction."""
    whole: np.ndarray
    """Of a measurement there: what would count if the row were familiar."""

    def when_left(self, share: np.ndarray) -> np.ndarray:
        """As it will count when so much of the epistemic variance is left: the row has become more familiar."""
        return self.now + (self.whole - self.now) * (1 - share)


class CandidateModel:
    """A fitted model and the target that is meant."""

    def __init__(self, regressor: TSNetRegressor, target: str | None) -> None:
        self.regressor = regressor
        self.fitted: FittedModel = regressor.fitted_
        names = list(self.fitted.target_names)
        if target is None and len(names) > 1:
            raise SettingError(f"the model has the targets {', '.join(names)}; say which one is meant with target=")
        if target is not None and target not in names:
            raise SettingError(f"there is no target {target!r}; the model has {', '.join(names)}")
        self.target = names[0] if target is None else target
        self.target_index = names.index(self.target)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Of the model's features."""
        return self.fitted.columns

    @property
    def unit(self) -> float:
        """Of the target: how much a scaled unit is."""
        return float(self.fitted.scaler.target_scale[self.target_index])

    def scaled_target(self, value: float) -> float:
        """A value of the target in scaled units."""
        return (value - float(self.fitted.scaler.target_center[self.target_index])) / self.unit

    def encoded(self, frame: pd.DataFrame, what: str = "candidates") -> np.ndarray:
        """Settings as numbers; gaps are refused, because a setting has to be known."""
        x, index = self.regressor._encode(self._as_fitted(frame), self.columns, what)
        gaps = np.argwhere(np.isnan(x))
        if len(gaps):
            row, part = gaps[0].tolist()
            name = [column.name for column in self.columns for _ in column.parts][part]
            raise DataError(
                f"{what}: row {named_row(index, row)}, column {name!r} is empty, and so are "
                f"{len(np.unique(gaps[:, 0])) - 1} other rows; settings have to be known. {counting(index)}"
            )
        return x

    def scaled(self, x: np.ndarray) -> np.ndarray:
        """Encoded settings in scaled units."""
        return self.fitted.inputs(Query(x))[0]

    def column_stds(self) -> dict[str, float]:
        """Standard deviation of each column of numbers."""
        starts = np.cumsum([0, *(len(column.parts) for column in self.columns)])
        scale = self.fitted.scaler.scale
        return {c.name: float(scale[at]) for c, at in zip(self.columns, starts, strict=False) if c.categories is None}

    def survey(self, frame: pd.DataFrame, scaled: np.ndarray, process_variance: np.ndarray) -> EpistemicParts:
        """Mean and epistemic error in scaled units, without the noise, which takes longest.

        `process_variance` is that of the Gaussian process at the rows, as exact as it is needed.
        """
        fitted, shape = self.fitted, (len(frame), len(self.fitted.target_names))
        own = self.regressor._own_prior(self._as_fitted(frame), fitted.settings, shape)
        prior = fitted.prior(Query(scaled, prior_mean=own), scaled)
        share = fitted.ensemble.process_share
        if share is not None and share.usual_odds < NEVER:
            process_variance = process_variance + share.process.beyond(scaled)
        outputs = component_means(fitted.ensemble, scaled.astype(np.float32), self.regressor.n_jobs)
        return epistemic_parts(fitted.ensemble, outputs, process_variance, scaled, prior, self.target_index)

    def prediction(self, frame: pd.DataFrame) -> Prediction:
        """The whole prediction of all targets."""
        return self.regressor.predict_distribution(self._as_fitted(frame))

    def noise(self, frame: pd.DataFrame) -> MeasurementNoise:
        """Of a measurement at each row."""
        prediction = self.prediction(frame)
        now = prediction.target(self.target).aleatoric ** 2 / self.unit**2
        # Far from data a prediction leans on the prior, whose variance holds the noise; its own noise then counts less.
        rule = self.fitted.ensemble.combination
        if rule == BY_PROCESS:
            return MeasurementNoise(now, now)
        weight = combine(rule, prediction.familiarity, 0.0, 0.0, 0.0, 0.0).aleatoric_weight
        return MeasurementNoise(now, now / np.maximum(weight, LEAST_WEIGHT))

    def _as_fitted(self, frame: pd.DataFrame) -> Any:
        """As a table if the model was fitted to one, else as an array."""
        return frame if hasattr(self.regressor, "feature_names_in_") else frame.to_numpy(dtype=float)
