"""From the user's settings to rows that the model can be asked about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.fitted import Asked, FittedModel
from taylor_sensus.model.combine import combine
from taylor_sensus.prediction import Prediction
from taylor_sensus.suggest.process_view import ProcessView
from taylor_sensus.suggest.survey import Survey, survey
from taylor_sensus.tables.columns import Column, as_frame, check_names, named_row

if TYPE_CHECKING:
    from taylor_sensus.regressor import TSNetRegressor


LEAST_WEIGHT = 0.05
"""Below this share the network's noise is not scaled up any more: it is a guess there."""


class Noise(NamedTuple):
    """Variance of the noise at each row, in scaled units."""

    now: np.ndarray
    """As it counts in the prediction."""
    whole: np.ndarray
    """Of a measurement there: what would count if the row were familiar."""

    def when_left(self, share: np.ndarray) -> np.ndarray:
        """As it will count when so much of the ignorance at each row is left: the row has become more familiar."""
        return self.now + (self.whole - self.now) * (1 - share)


class Asker:
    """A fitted model and the target that is meant."""

    def __init__(self, model: TSNetRegressor, target: str | None) -> None:
        self.model = model
        self.fitted: FittedModel = model.fitted_
        names = list(self.fitted.target_names)
        if target is None and len(names) > 1:
            raise SettingError(f"the model has the targets {', '.join(names)}; say which one is meant with target=")
        if target is not None and target not in names:
            raise SettingError(f"there is no target {target!r}; the model has {', '.join(names)}")
        self.target = names[0] if target is None else target
        self.place = names.index(self.target)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Of the model's features."""
        return self.fitted.columns

    @property
    def unit(self) -> float:
        """Of the target: how much a scaled unit is."""
        return float(self.fitted.scaler.target_scale[self.place])

    def scaled_target(self, value: float) -> float:
        """A value of the target in scaled units."""
        return (value - float(self.fitted.scaler.target_center[self.place])) / self.unit

    def table(self, given: Any, what: str) -> pd.DataFrame:
        """The model's columns of a table or array; other columns are left out."""
        frame = as_frame(given)
        names = [column.name for column in self.columns]
        if frame is None:
            array = np.asarray(given, dtype=object if isinstance(given, list) else None)
            if array.ndim != 2 or array.shape[1] != len(names):
                raise DataError(f"{what} must be a table with the columns {_listed(names)}; its shape is {array.shape}")
            return pd.DataFrame(array, columns=pd.Index(names)).infer_objects()
        check_names(frame, what)
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
        missing = [name for name in names if name not in frame.columns]
        if missing:
            raise DataError(f"{what} lacks the columns {_listed(missing)}, on which the model was fitted")
        return frame.loc[:, names]

    def encoded(self, frame: pd.DataFrame, what: str) -> np.ndarray:
        """Settings as numbers; gaps are refused, because a setting has to be known."""
        x, index = self.model._encode(self._as_fitted(frame), self.columns, what)
        gaps = np.argwhere(np.isnan(x))
        if len(gaps):
            row, part = gaps[0].tolist()
            name = [column.name for column in self.columns for _ in column.parts][part]
            raise DataError(
                f"{what}: row {named_row(index, row)}, column {name!r} is empty, and so are "
                f"{len(np.unique(gaps[:, 0])) - 1} other rows; settings have to be known (rows count from 0)"
            )
        return x

    def scaled(self, x: np.ndarray) -> np.ndarray:
        """Encoded settings in scaled units."""
        return self.fitted.inputs(Asked(x))[0]

    def room(self, share: float) -> dict[str, float]:
        """A share of the standard deviation of each column of numbers."""
        scale, start, found = self.fitted.scaler.scale, 0, {}
        for column in self.columns:
            if column.categories is None:
                found[column.name] = share * float(scale[start])
            start += len(column.parts)
        return found

    def survey(self, frame: pd.DataFrame, scaled: np.ndarray, view: ProcessView) -> Survey:
        """A quick look at rows."""
        shape = (len(frame), len(self.fitted.target_names))
        prior = self.model._own_prior(self._as_fitted(frame), self.fitted.settings, shape)
        return survey(self.fitted, view, scaled, prior, self.place, self.model.n_jobs)

    def prediction(self, frame: pd.DataFrame) -> Prediction:
        """The whole prediction of all targets."""
        return self.model.predict_distribution(self._as_fitted(frame))

    def noise(self, prediction: Prediction) -> Noise:
        """Of a measurement at each row."""
        now = prediction.target(self.target).aleatoric ** 2 / self.unit**2
        # Far from data a prediction leans on the prior, whose variance holds the noise; its own noise then counts less.
        rule = self.fitted.settings.combination
        weight = combine(rule, prediction.familiarity, 0.0, 0.0, 0.0, 0.0).aleatoric_weight
        return Noise(now, now / np.maximum(weight, LEAST_WEIGHT))

    def _as_fitted(self, frame: pd.DataFrame) -> Any:
        """As a table if the model was fitted to one, else as an array."""
        return frame if hasattr(self.model, "feature_names_in_") else frame.to_numpy(dtype=float)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
