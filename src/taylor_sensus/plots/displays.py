"""The four most used figures as scikit-learn displays: one call from a fitted model, or a pipeline, to a figure.

Each draws with the function of the same name (`plot_parity`, `plot_calibration`, `plot_residuals`, `plot_budget`),
keeps what it drew, and has the axes as ``ax_`` and the figure as ``figure_``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from taylor_sensus.budget import NoiseBudget
from taylor_sensus.plots.budget import plot_budget
from taylor_sensus.plots.calibration import plot_calibration
from taylor_sensus.plots.judged import measured, predicted
from taylor_sensus.plots.parity import plot_parity
from taylor_sensus.plots.residuals import plot_residuals
from taylor_sensus.prediction import Prediction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = Sequence[int] | Literal["all", "mean"] | None


class _Display:
    """Remembers where it was drawn."""

    def _drawn(self, ax: Axes) -> Any:
        self.ax_ = ax
        self.figure_ = ax.figure
        return self


class _JudgedDisplay(_Display):
    """Made from measured values and a prediction of one target."""

    def __init__(self, y: Any, prediction: Prediction, *, target: str | None = None) -> None:
        """With several targets, ``target`` names the one that is drawn."""
        self.measured = measured(y, prediction, target)


class ParityDisplay(_JudgedDisplay):
    """Predicted against measured values with error bars, drawn by `plot_parity`."""

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, X_err: Any = None, target: str | None = None, coverage: float = 0.9,
        ax: Axes | None = None,
    ) -> ParityDisplay:  # fmt: skip
        """Predict a table and draw.

        ``estimator`` is a fitted `TSNetRegressor`, a pipeline that ends with one, or a search over one. ``X_err`` are
        declared errors as in `TSNetRegressor.predict_distribution`, in the units of the table that the last step of
        a pipeline sees.
        """
        return cls.from_predictions(y, predicted(estimator, X, X_err), target=target, coverage=coverage, ax=ax)

    @classmethod
    def from_predictions(
        cls, y: Any, prediction: Prediction, *, target: str | None = None, coverage: float = 0.9,
        ax: Axes | None = None,
    ) -> ParityDisplay:  # fmt: skip
        """Draw what `predict_distribution` gave beside the measured values."""
        return cls(y, prediction, target=target).plot(ax, coverage=coverage)

    def plot(self, ax: Axes | None = None, *, coverage: float = 0.9) -> ParityDisplay:
        """Draw on ``ax``, or on new axes; error bars hold ``coverage``."""
        return self._drawn(plot_parity(self.measured.y, self.measured.prediction, coverage=coverage, ax=ax))


class CalibrationDisplay(_JudgedDisplay):
    """Promised against observed coverage of intervals, drawn by `plot_calibration`."""

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, X_err: Any = None, target: str | None = None, ax: Axes | None = None
    ) -> CalibrationDisplay:
        """Predict a table and draw; the arguments are those of `ParityDisplay.from_estimator`."""
        return cls.from_predictions(y, predicted(estimator, X, X_err), target=target, ax=ax)

    @classmethod
    def from_predictions(
        cls, y: Any, prediction: Prediction, *, target: str | None = None, ax: Axes | None = None
    ) -> CalibrationDisplay:
        """Draw what `predict_distribution` gave beside the measured values."""
        return cls(y, prediction, target=target).plot(ax)

    def plot(self, ax: Axes | None = None) -> CalibrationDisplay:
        """Draw on ``ax``, or on new axes."""
        found = self.measured
        return self._drawn(plot_calibration(found.y, found.prediction.mean, found.prediction.std, ax=ax))


class ResidualsDisplay(_JudgedDisplay):
    """Errors in predicted standard deviations, drawn by `plot_residuals`; surprising rows get their labels."""

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, X_err: Any = None, target: str | None = None, named: int = 5,
        ax: Axes | None = None,
    ) -> ResidualsDisplay:  # fmt: skip
        """Predict a table and draw; the arguments are those of `ParityDisplay.from_estimator`."""
        return cls.from_predictions(y, predicted(estimator, X, X_err), target=target, named=named, ax=ax)

    @classmethod
    def from_predictions(
        cls, y: Any, prediction: Prediction, *, target: str | None = None, named: int = 5, ax: Axes | None = None
    ) -> ResidualsDisplay:
        """Draw what `predict_distribution` gave beside the measured values."""
        return cls(y, prediction, target=target).plot(ax, named=named)

    def plot(self, ax: Axes | None = None, *, named: int = 5) -> ResidualsDisplay:
        """Draw on ``ax``, or on new axes; the ``named`` largest errors beyond 3 standard deviations get labels."""
        found = self.measured
        mean, std = found.prediction.mean, found.prediction.std
        return self._drawn(
            plot_residuals(found.y, mean, std, labels=found.labels, named=named, target=found.target, ax=ax)
        )


class BudgetDisplay(_Display):
    """The noise budget as stacked bars, drawn by `plot_budget`; no measured values are needed."""

    def __init__(self, budget: NoiseBudget, *, target: str | None = None) -> None:
        """With several targets, ``target`` names the one that is drawn."""
        self.budget = budget
        self.target = target

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, X_err: Any = None, target: str | None = None, rows: Rows = None,
        ax: Axes | None = None,
    ) -> BudgetDisplay:  # fmt: skip
        """Predict a table and draw; ``y`` is not looked at, the others are as in `ParityDisplay.from_estimator`."""
        return cls.from_predictions(predicted(estimator, X, X_err), target=target, rows=rows, ax=ax)

    @classmethod
    def from_predictions(
        cls, prediction: Prediction, *, target: str | None = None, rows: Rows = None, ax: Axes | None = None
    ) -> BudgetDisplay:
        """Draw the budget of what `predict_distribution` gave."""
        return cls(prediction.noise_budget(), target=target).plot(ax, rows=rows)

    def plot(self, ax: Axes | None = None, *, rows: Rows = None) -> BudgetDisplay:
        """Draw on ``ax``, or on new axes; ``rows`` are positions, ``"all"`` or ``"mean"``, as in `plot_budget`."""
        return self._drawn(plot_budget(self.budget, rows=rows, ax=ax, target=self.target))
