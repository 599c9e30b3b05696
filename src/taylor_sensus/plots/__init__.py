"""One figure a file; each takes an ``ax`` to draw on, or makes one, and returns it.

All figures of the report are here. The figures of the studies are made from their results in ``paper/*/figure.py``;
their panels with bands are ``plot_band``.

- ``band``         mean and error bands over one input, the bands split into their sources
- ``parity``       predicted against measured, with error bars
- ``density``      the same for very many rows, counted in cells
- ``history``      training and validation loss of each member
- ``budget``       the noise budget as stacked bars
- ``calibration``  promised against observed coverage of intervals
- ``familiarity``  how many rows lie where the model has seen data
- ``residuals``    errors in predicted standard deviations
- ``dependence``   averaged predictions over one column, the bands split into their sources
- ``displays``     four of them in the manner of scikit-learn: ``ParityDisplay.from_estimator(model, X, y)``
- ``measured``     what displays draw, from an estimator or a pipeline
- ``style``        colours, labels and new axes, the same in every figure
- ``labels``       a user's names as words on a figure
- ``inputs``       what the figures ask of their arguments

Importing this package changes no matplotlib setting; ``pyplot`` is loaded only to make a new figure.
"""

from taylor_sensus.plots.band import plot_band
from taylor_sensus.plots.budget import plot_budget
from taylor_sensus.plots.calibration import plot_calibration
from taylor_sensus.plots.density import plot_parity_density
from taylor_sensus.plots.dependence import plot_dependence
from taylor_sensus.plots.displays import BudgetDisplay, CalibrationDisplay, ParityDisplay, ResidualsDisplay
from taylor_sensus.plots.familiarity import plot_familiarity
from taylor_sensus.plots.history import plot_history
from taylor_sensus.plots.parity import plot_parity
from taylor_sensus.plots.residuals import plot_residuals

__all__ = [
    "BudgetDisplay",
    "CalibrationDisplay",
    "ParityDisplay",
    "ResidualsDisplay",
    "plot_band",
    "plot_budget",
    "plot_calibration",
    "plot_dependence",
    "plot_familiarity",
    "plot_history",
    "plot_parity",
    "plot_parity_density",
    "plot_residuals",
]
