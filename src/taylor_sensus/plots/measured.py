"""What displays draw, from an estimator or a pipeline: its prediction of a table, and the measured values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from taylor_sensus.errors import SettingError
from taylor_sensus.plots.inputs import column
from taylor_sensus.prediction import Prediction


class Measured(NamedTuple):
    """The measured values of one target, and the prediction of that target alone."""

    y: np.ndarray
    prediction: Prediction

    @property
    def target(self) -> str:
        """Name of the target, with its unit if the header has one."""
        return self.prediction.target_names[0]

    @property
    def labels(self) -> list[Any] | None:
        """Labels of the rows; None if they have none."""
        return None if self.prediction.index is None else list(self.prediction.index)


def predicted(estimator: Any, X: Any, X_err: Any = None) -> Prediction:
    """The prediction of a fitted model, of the winner of a search, or of the last step of a pipeline.

    The earlier steps of a pipeline transform ``X``; ``X_err`` goes to the last step as it is, so it is in the units
    of the table that they give.
    """
    if isinstance(estimator, Pipeline):
        *before, _ = estimator.steps
        return predicted(estimator.steps[-1][1], estimator[:-1].transform(X) if before else X, X_err)
    model = getattr(estimator, "best_estimator_", estimator)
    if model is not estimator:
        return predicted(model, X, X_err)
    if not hasattr(estimator, "predict_distribution"):
        raise SettingError(
            f"{type(estimator).__name__} gives no predict_distribution; use a TSNetRegressor, a pipeline that ends "
            "with one, or a search over one"
        )
    return estimator.predict_distribution(X, X_err=X_err)


def measured(y: Any, prediction: Prediction, target: str | None) -> Measured:
    """One target of a prediction and its measured values: of a table the column of that name, or else of that place."""
    names = list(prediction.target_names)
    if target is None and len(names) > 1:
        raise SettingError(f"the prediction has {len(names)} targets; choose one with target=, of {names}")
    name = names[0] if target is None else target
    one = prediction.target(name)
    if hasattr(y, "columns") and name in list(y.columns):
        values = y[name]
    elif np.ndim(y) == 2 and np.shape(y)[1] == len(names):
        values = np.asarray(y)[:, names.index(name)]
    else:
        values = y
    return Measured(column(values, "y", len(one)), one)
