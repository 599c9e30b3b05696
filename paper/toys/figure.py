"""Figures of the study `toys`: the paper's panels of the 1-D toy, and maps of the 2-D toy, a method each."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from paper.engine.reading import Results
from paper.toys.methods import TOY_METHODS
from paper.toys.problems import problem, shown
from paper.toys.run import DRAWN_SEED
from taylor_sensus.datasets.synthetic import ToyProblem
from taylor_sensus.plots import plot_band
from taylor_sensus.plots.style import COLOURS
from taylor_sensus.prediction import Prediction

ACROSS = 4
"""Panels beside each other."""
HEIGHTS = (-5.0, 8.0)
"""What the panels show of the target; error bars may go beyond."""
MAPS = ("prediction", "aleatoric", "epistemic", "total")
LARGEST = 2.5
"""Ends of the maps' colour scales."""


def figures(results: Results) -> dict[str, Figure]:
    """The panels and the maps, as far as there are predictions."""
    found = {}
    for dataset, draw in (("toy_1d", _panels), ("toy_2d", _maps)):
        toy = problem(dataset, DRAWN_SEED)
        answers = {"the truth": exact(toy)}
        for name, method in sorted(TOY_METHODS.items(), key=lambda item: item[1].origin != "ours"):
            frame = results.predictions.get((dataset, name, DRAWN_SEED))
            if frame is not None:
                answers[method.label] = shown(frame)
        if len(answers) > 1:
            found[dataset] = draw(toy, answers)
    return found


def exact(toy: ToyProblem) -> Prediction:
    """The true mean and noise at the evaluation points."""
    X = toy.X_eval
    system = toy.system_noise_std(X) ** 2
    nothing = np.zeros(len(X))
    return Prediction(toy.noisy_mean(X), toy.noise_std(X) ** 2 - system, system, nothing, np.ones(len(X)))


def band_panel(axes: Axes, toy: ToyProblem, prediction: Prediction, title: str) -> None:
    """One panel over a single input, without a legend of its own."""
    plot_band(toy.X_eval[:, 0], prediction, X_train=toy.X[:, 0], y_train=toy.y, truth=toy.y_eval, ax=axes)
    for part in (*axes.collections, *[line for line in axes.lines if line.get_linestyle() == "None"]):
        part.set_rasterized(True)  # hundreds of points in each of many panels would make a large file
    legend = axes.get_legend()
    if legend is not None:
        legend.remove()
    axes.set_ylim(*HEIGHTS)
    axes.set_title(title, fontsize=9, loc="left")
    axes.set_xlabel("")
    axes.set_ylabel("")
    axes.spines[["top", "right"]].set_visible(False)


def shared_legend(figure: Figure, axes: Axes) -> None:
    """The legend of one panel, above all of them."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=6 if len(figure.axes) > 3 else 3, fontsize=8, frameon=False
    )


def outer_labels(panels: np.ndarray, x: str, y: str) -> None:
    """Labels at the left and at the lowest panel of each column."""
    for row in panels:
        row[0].set_ylabel(y)
    for column in panels.T:
        lowest = [axes for axes in column if axes.get_visible()][-1]
        lowest.set_xlabel(x)
        lowest.tick_params(labelbottom=True)


def _panels(toy: ToyProblem, answers: dict[str, Prediction]) -> Figure:
    across = min(ACROSS, len(answers))
    rows = -(-len(answers) // across)
    figure = Figure(figsize=(2.6 * across, 1.9 * rows + 0.6), dpi=120, layout="constrained")
    panels = figure.subplots(rows, across, sharex=True, sharey=True, squeeze=False)
    for axes, (label, prediction) in zip(panels.flat, answers.items(), strict=False):
        band_panel(axes, toy, prediction, label)
        squared = (prediction.mean - toy.y_eval) ** 2
        text = f"MSE in {squared[toy.inside].mean():.2f}, ext {squared[~toy.inside].mean():.1f}"
        axes.text(0.02, 0.96, text, transform=axes.transAxes, fontsize=7, va="top", zorder=4)
        box = toy.X.min(), toy.X.max()
        for edge in box:
            axes.axvline(edge, color=COLOURS["guide"], linewidth=0.7, linestyle=":", zorder=1)
    _hide(panels.flat[len(answers) :])
    outer_labels(panels, "input x", "target")
    shared_legend(figure, panels.flat[0])
    return figure


def _maps(toy: ToyProblem, answers: dict[str, Prediction]) -> Figure:
    """Two blocks side by side, each a method a line with its four maps."""
    labels = [label for label, p in answers.items() if not np.isnan(p.std).any()]
    rows = -(-len(labels) // 2)
    figure = Figure(
        figsize=(10, rows + 1.2), dpi=150, layout=ConstrainedLayoutEngine(w_pad=0.02, h_pad=0.02, wspace=0, hspace=0)
    )
    grid = figure.add_gridspec(1, 2)
    blocks = [figure.add_subfigure(grid[0, side]) for side in (0, 1)]
    images = ()
    for block, names in zip(blocks, (labels[:rows], labels[rows:]), strict=True):
        images = _block(block, toy, {name: answers[name] for name in names}, rows) or images
    for image, label, block in zip(images, ("prediction", "standard deviation"), blocks, strict=True):
        bar = block.colorbar(image, ax=block.axes, location="bottom", shrink=0.7, aspect=40, pad=0.02)
        bar.set_label(f"{label}, in the target's unit", fontsize=8)
        bar.ax.tick_params(labelsize=7)
    return figure


def _block(block: SubFigure, toy: ToyProblem, answers: dict[str, Prediction], rows: int) -> tuple:
    grid = block.subplots(rows, len(MAPS), squeeze=False)
    images = ()
    for line, (label, prediction) in zip(grid, answers.items(), strict=False):
        values = (prediction.mean, prediction.aleatoric, prediction.epistemic, prediction.std)
        drawn = [_map(axes, toy, each, signed=axes is line[0]) for axes, each in zip(line, values, strict=True)]
        images = (drawn[0], drawn[1])
        line[0].set_ylabel(label.replace(", ", ",\n"), fontsize=7, rotation=0, ha="right", va="center", labelpad=4)
    for axes, heading in zip(grid[0], MAPS, strict=True):
        axes.set_title(heading, fontsize=8)
    for line in grid[len(answers) :]:
        _hide(line)
    for axes in grid[len(answers) - 1]:
        axes.set_xticks([-10, 0, 10])
        axes.tick_params(labelsize=6, length=2)
        axes.set_xlabel("input 1", fontsize=6, labelpad=1)
    last = grid[len(answers) - 1, -1]
    last.yaxis.tick_right()
    last.yaxis.set_label_position("right")
    last.set_yticks([-10, 0, 10])
    last.set_ylabel("input 2", fontsize=6, labelpad=1)
    return images


def _map(axes: Axes, toy: ToyProblem, values: np.ndarray, *, signed: bool):
    side = round(np.sqrt(len(values)))
    low, high = toy.X_eval.min(axis=0), toy.X_eval.max(axis=0)
    image = axes.imshow(
        values.reshape(side, side).T, origin="lower", extent=(low[0], high[0], low[1], high[1]),
        cmap="PuOr" if signed else "viridis", vmin=-LARGEST if signed else 0, vmax=LARGEST, interpolation="nearest",
    )  # fmt: skip
    if signed:
        dots = {"linestyle": "none", "marker": ".", "markersize": 1, "alpha": 0.5, "rasterized": True}
        axes.plot(*toy.X.T, color=COLOURS["mean"], **dots)
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(low[1], high[1])
    axes.set_xticks([])
    axes.set_yticks([])
    return image


def _hide(panels: Iterable[Axes]) -> None:
    for axes in panels:
        axes.set_visible(False)
