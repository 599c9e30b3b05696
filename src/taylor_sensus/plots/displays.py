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
from taylor_sensus.plots.measured import measured, predicted
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


class _MeasuredDisplay(_Display):
    """Made from measured values and a prediction of one target."""

    def __init__(self, y: Any, prediction: Prediction, *, target: str | None = None) -> None:
        """With several targets, ``target`` names the one that is drawn."""
        self.measured = measured(y, prediction, target)


class ParityDisplay(_MeasuredDisplay):
    """Predicted against measured values with error bars, drawn by `plot_parity`.

    Parameters
    ----------
    y : Series, DataFrame or array-like, (rows,) or (rows, targets)
        What was measured.
    prediction : Prediction
        What `predict_distribution` gave.
    target : str, optional
        Which target is drawn, if there are several.

    Attributes
    ----------
    ax_ : Axes
        Where it was drawn.
    figure_ : Figure
        The figure of these axes.
    """

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, X_err: Any = None, target: str | None = None, coverage: float = 0.9,
        ax: Axes | None = None,
    ) -> ParityDisplay:  # fmt: skip
        """Predict a table and draw.

        Parameters
        ----------
        estimator : TSNetRegressor, Pipeline or TSNetSearch
            A fitted model, a pipeline that ends with one, or a search over one.
        X : DataFrame or array-like, (rows, columns)
            Rows to predict.
        y : Series, DataFrame or array-like, (rows,) or (rows, targets)
            What was measured.
        X_err : float, dict, DataFrame or array-like, optional
            Declared errors as in `TSNetRegressor.predict_distribution`, in the units of the table that the last step of
            a pipeline sees.
        target : str, optional
            Which target is drawn, if there are several.
        coverage : float, default=0.9
            What the error bars promise to hold, between 0 and 1.
        ax : Axes, optional
            Where to draw; on new axes by default.

        Returns
        -------
        ParityDisplay
            Drawn.
        """
        return cls.from_predictions(y, predicted(estimator, X, X_err), target=target, coverage=coverage, ax=ax)

    @classmethod
    def from_predictions(
        cls, y: Any, prediction: Prediction, *, target: str | None = None, coverage: float = 0.9,
        ax: Axes | None = None,
    ) -> ParityDisplay:  # fmt: skip
        """Draw what `predict_distribution` gave beside the measured values.

        Parameters
        ----------
        y : Series, DataFrame or array-like, (rows,) or (rows, targets)
            What was measured.
        prediction : Prediction
            What `predict_distribution` gave.
        target : str, optional
            Which target is drawn, if there are several.
        coverage : float, default=0.9
            What the error bars promise to hold, between 0 and 1.
        ax : Axes, optional
            Where to draw; on new axes by default.

        Returns
        -------
        ParityDisplay
            Drawn.
        """
        return cls(y, prediction, target=target).plot(ax, coverage=coverage)

    def plot(self, ax: Axes | None = None, *, coverage: float = 0.9) -> ParityDisplay:
        """Draw on given or new axes.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; on new axes by default.
        coverage : float, default=0.9
            What the error bars promise to hold, between 0 and 1.

        Returns
        -------
        ParityDisplay
            The display itself, with `ax_` and `figure_`.
        """
        return self._drawn(plot_parity(self.measured.y, self.measured.prediction, coverage=coverage, ax=ax))


class CalibrationDisplay(_MeasuredDisplay):
    """Nominal against observed coverage of intervals, drawn by `plot_calibration`.

    Parameters
    ----------
    y : Series, DataFrame or array-like, (rows,) or (rows, targets)
        What was measured.
    prediction : Prediction
        What `predict_distribution` gave.
    target : str, optional
        Which target is drawn, if there are several.

    Attributes
    ----------
    ax_ : Axes
        Where it was drawn.
    figure_ : Figure
        The figure of these axes.
    """

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, X_err: Any = None, target: str | None = None, ax: Axes | None = None
    ) -> CalibrationDisplay:
        """Predict a table and draw.

        Parameters
        ----------
        estimator : TSNetRegressor, Pipeline or TSNetSearch
            A fitted model, a pipeline that ends with one, or a search over one.
        X : DataFrame or array-like, (rows, columns)
            Rows to predict.
        y : Series, DataFrame or array-like, (rows,) or (rows, targets)
            What was measured.
        X_err : float, dict, DataFrame or array-like, optional
            Declared errors as in `TSNetRegressor.predict_distribution`, in the units of the table that the last step of
            a pipeline sees.
        target : str, optional
            Which target is drawn, if there are several.
        ax : Axes, optional
            Where to draw; on new axes by default.

        Returns
        -------
        CalibrationDisplay
            Drawn.
        """
        return cls.from_predictions(y, predicted(estimator, X, X_err), target=target, ax=ax)

    @classmethod
    def from_predictions(
        cls, y: Any, prediction: Prediction, *, target: str | None = None, ax: Axes | None = None
    ) -> CalibrationDisplay:
        """Draw what `predict_distribution` gave beside the measured values.

        Parameters
        ----------
        y : Series, DataFrame or array-like, (rows,) or (rows, targets)
            What was measured.
        prediction : Prediction
            What `predict_distribution` gave.
        target : str, optional
            Which target is drawn, if there are several.
        ax : Axes, optional
            Where to draw; on new axes by default.

        Returns
        -------
        CalibrationDisplay
            Drawn.
        """
        return cls(y, prediction, target=target).plot(ax)

    def plot(self, ax: Axes | None = None) -> CalibrationDisplay:
        """Draw on given or new axes.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; on new axes by default.

        Returns
        -------
        CalibrationDisplay
            The display itself, with `ax_` and `figure_`.
        """
        found = self.measured
        return self._drawn(plot_calibration(found.y, found.prediction, ax=ax))


class ResidualsDisplay(_MeasuredDisplay):
    """Errors in predicted standard deviations, drawn by `plot_residuals`; surprising rows get their labels.

    Parameters
    ----------
    y : Series, DataFrame or array-like, (rows,) or (rows, targets)
        What was measured.
    prediction : Prediction
        What `predict_distribution` gave.
    target : str, optional
        Which target is drawn, if there are several.

    Attributes
    ----------
    ax_ : Axes
        Where it was drawn.
    figure_ : Figure
        The figure of these axes.
    """

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, X_err: Any = None, target: str | None = None, named: int = 5,
        ax: Axes | None = None,
    ) -> ResidualsDisplay:  # fmt: skip
        """Predict a table and draw.

        Parameters
        ----------
        estimator : TSNetRegressor, Pipeline or TSNetSearch
            A fitted model, a pipeline that ends with one, or a search over one.
        X : DataFrame or array-like, (rows, columns)
            Rows to predict.
        y : Series, DataFrame or array-like, (rows,) or (rows, targets)
            What was measured.
        X_err : float, dict, DataFrame or array-like, optional
            Declared errors as in `TSNetRegressor.predict_distribution`, in the units of the table that the last step of
            a pipeline sees.
        target : str, optional
            Which target is drawn, if there are several.
        named : int, default=5
            How many of the largest errors beyond 3 standard deviations get their labels.
        ax : Axes, optional
            Where to draw; on new axes by default.

        Returns
        -------
        ResidualsDisplay
            Drawn.
        """
        return cls.from_predictions(y, predicted(estimator, X, X_err), target=target, named=named, ax=ax)

    @classmethod
    def from_predictions(
        cls, y: Any, prediction: Prediction, *, target: str | None = None, named: int = 5, ax: Axes | None = None
    ) -> ResidualsDisplay:
        """Draw what `predict_distribution` gave beside the measured values.

        Parameters
        ----------
        y : Series, DataFrame or array-like, (rows,) or (rows, targets)
            What was measured.
        prediction : Prediction
            What `predict_distribution` gave.
        target : str, optional
            Which target is drawn, if there are several.
        named : int, default=5
            How many of the largest errors beyond 3 standard deviations get their labels.
        ax : Axes, optional
            Where to draw; on new axes by default.

        Returns
        -------
        ResidualsDisplay
            Drawn.
        """
        return cls(y, prediction, target=target).plot(ax, named=named)

    def plot(self, ax: Axes | None = None, *, named: int = 5) -> ResidualsDisplay:
        """Draw on given or new axes.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; on new axes by default.
        named : int, default=5
            How many of the largest errors beyond 3 standard deviations get their labels.

        Returns
        -------
        ResidualsDisplay
            The display itself, with `ax_` and `figure_`.
        """
        found = self.measured
        mean, std = found.prediction.mean, found.prediction.std
        return self._drawn(
            plot_residuals(found.y, mean, std, labels=found.labels, named=named, target=found.target, ax=ax)
        )


class BudgetDisplay(_Display):
    """The noise budget as stacked bars, drawn by `plot_budget`; no measured values are needed.

    Parameters
    ----------
    budget : NoiseBudget
        What `noise_budget` gave.
    target : str, optional
        Which target is drawn, if there are several.

    Attributes
    ----------
    ax_ : Axes
        Where it was drawn.
    figure_ : Figure
        The figure of these axes.
    """

    def __init__(self, budget: NoiseBudget, *, target: str | None = None) -> None:
        """With several targets, ``target`` names the one that is drawn."""
        self.budget = budget
        self.target = target

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, X_err: Any = None, target: str | None = None, rows: Rows = None,
        ax: Axes | None = None,
    ) -> BudgetDisplay:  # fmt: skip
        """Predict a table and draw.

        Parameters
        ----------
        estimator : TSNetRegressor, Pipeline or TSNetSearch
            A fitted model, a pipeline that ends with one, or a search over one.
        X : DataFrame or array-like, (rows, columns)
            Rows to predict.
        y : Any, optional
            Not looked at; here so that all displays are called alike.
        X_err : float, dict, DataFrame or array-like, optional
            Declared errors as in `TSNetRegressor.predict_distribution`, in the units of the table that the last step of
            a pipeline sees.
        target : str, optional
            Which target is drawn, if there are several.
        rows : list of int, "all" or "mean", optional
            Which rows, as in `plot_budget`.
        ax : Axes, optional
            Where to draw; on new axes by default.

        Returns
        -------
        BudgetDisplay
            Drawn.
        """
        return cls.from_predictions(predicted(estimator, X, X_err), target=target, rows=rows, ax=ax)

    @classmethod
    def from_predictions(
        cls, prediction: Prediction, *, target: str | None = None, rows: Rows = None, ax: Axes | None = None
    ) -> BudgetDisplay:
        """Draw the budget of what `predict_distribution` gave.

        Parameters
        ----------
        prediction : Prediction
            What `predict_distribution` gave.
        target : str, optional
            Which target is drawn, if there are several.
        rows : list of int, "all" or "mean", optional
            Which rows, as in `plot_budget`.
        ax : Axes, optional
            Where to draw; on new axes by default.

        Returns
        -------
        BudgetDisplay
            Drawn.
        """
        return cls(prediction.noise_budget(), target=target).plot(ax, rows=rows)

    def plot(self, ax: Axes | None = None, *, rows: Rows = None) -> BudgetDisplay:
        """Draw on given or new axes.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; on new axes by default.
        rows : list of int, "all" or "mean", optional
            Which rows, as in `plot_budget`.

        Returns
        -------
        BudgetDisplay
            The display itself, with `ax_` and `figure_`.
        """
        return self._drawn(plot_budget(self.budget, rows=rows, ax=ax, target=self.target))
