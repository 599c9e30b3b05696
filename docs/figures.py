"""Redraws the figures of the README: `python -m docs.figures`."""

from __future__ import annotations

from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from taylor_sensus import TSNetRegressor
from taylor_sensus.data.synthetic import toy_1d
from taylor_sensus.plots import plot_band

FOLDER = Path(__file__).parent / "figures"


def toy_band(path: Path, seed: int = 0) -> None:
    """The default estimator on the paper's 1-D toy, with the truth that it has never seen."""
    toy = toy_1d(seed)
    prediction = TSNetRegressor(random_state=seed).fit(toy.X, toy.y).predict_distribution(toy.X_eval)
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    plot_band(toy.X_eval[:, 0], prediction, X_train=toy.X, y_train=toy.y, truth=toy.y_eval, ax=axes)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Draw all."""
    FOLDER.mkdir(exist_ok=True)
    toy_band(FOLDER / "toy_band.png")


if __name__ == "__main__":
    main()
