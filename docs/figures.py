"""Redraws the figures of the README and the site, and runs what the site shows the output of: `python -m docs.figures`.

Takes about a minute. Nothing else writes to `docs/figures` and `docs/output`.
"""

from __future__ import annotations

import contextlib
import io
import runpy
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from docs.pages import run
from taylor_sensus import Prediction, TSNetRegressor
from taylor_sensus.datasets.catalogue import load_dataset, split_dataset
from taylor_sensus.datasets.synthetic import ToyProblem, feature_noise_std_1d, gradient_1d, toy_1d, truth_1d
from taylor_sensus.plots import plot_band, plot_budget, plot_parity
from taylor_sensus.plots.style import COLOURS, FILLS, LABELS, RC

HERE = Path(__file__).parent
EXAMPLES = sorted((HERE.parent / "examples").glob("*.py"))
SHOWN = ("start.md", "howto/std_or_interval.md")
"""Pages that show what their blocks print."""


def new_axes(width: float, height: float, **subplots: Any) -> Any:
    """Axes of a figure that no window shows."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure.subplots(**subplots)


def save(axes: Axes, path: Path) -> None:
    """Write the figure; the same picture gives the same file."""
    with rc_context({"svg.hashsalt": path.stem, "svg.fonttype": "none"}):
        axes.figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)


def toy_prediction(toy: ToyProblem, **settings: Any) -> Prediction:
    """The default estimator on the paper's 1-D toy."""
    return TSNetRegressor(random_state=0, **settings).fit(toy.X, toy.y).predict_distribution(toy.X_eval)


def toy_band(folder: Path, toy: ToyProblem, prediction: Prediction) -> None:
    """Mean and error bars, with the truth that the model has never seen."""
    axes = new_axes(9, 4.5)
    plot_band(toy.X_eval[:, 0], prediction, X_train=toy.X, y_train=toy.y, truth=toy.y_eval, ax=axes)
    save(axes, folder / "toy_band.png")


def noise_travels(folder: Path) -> None:
    """The same noise of an input makes much or little noise of the target: its slope decides."""
    axes = new_axes(7.5, 4)
    x = np.linspace(0.95, 1.8, 300)
    low, left, std = 0.4, x[0], 0.04
    for place, words in ((1.36, "steep: much of it arrives"), (1.62, "flat: little of it arrives")):
        at = np.array([[place]])
        height, reach = truth_1d(at)[0], abs(gradient_1d(at)[0, 0]) * std
        axes.fill_between([place - std, place + std], low, height, color=FILLS["feature_noise"], linewidth=0)
        axes.fill_between([left, place], height - reach, height + reach, color=FILLS["system_noise"], linewidth=0)
        axes.plot(place, height, "o", color=COLOURS["mean"])
        axes.annotate(words, (left + 0.01, height + reach + 0.05), fontsize="small")
    axes.plot(x, truth_1d(x[:, None]), color=COLOURS["mean"], linewidth=1.5)
    axes.set(
        xlim=(left, x[-1]), ylim=(low, 3.4), xlabel="input; orange: its noise", ylabel="target; blue: what arrives"
    )
    save(axes, folder / "noise_travels.svg")


def noise_split(folder: Path, toy: ToyProblem, prediction: Prediction) -> None:
    """Learned noise beside the true one, which only a toy problem can show: the total, and its two parts."""
    x, inside = toy.X_eval[:, 0], toy.inside
    slope = np.abs(gradient_1d(toy.X_eval)[:, 0])
    pairs = {
        "both together": (prediction.aleatoric, toy.noise_std(toy.X_eval)),
        LABELS["feature_noise"]: (prediction.feature_noise, slope * feature_noise_std_1d(toy.X_eval)[:, 0]),
        LABELS["system_noise"]: (prediction.system_noise, toy.system_noise_std(toy.X_eval)),
    }
    row = new_axes(10, 3.2, ncols=3, sharey=True)
    colours = (COLOURS["data"], COLOURS["feature_noise"], COLOURS["system_noise"])
    for axes, (name, (learned, true)), colour in zip(row, pairs.items(), colours, strict=True):
        axes.plot(x[inside], true[inside], color=COLOURS["truth"], linestyle=(0, (4, 2)), label="true")
        axes.plot(x[inside], learned[inside], color=colour, linewidth=1.8, label="learned")
        axes.set(title=name, xlabel="x")
        axes.legend(fontsize="small", frameon=False)
    row[0].set_ylabel("standard deviation")
    save(row[0], folder / "noise_split.svg")


def familiarity(folder: Path, toy: ToyProblem, prediction: Prediction) -> None:
    """Where the model knows that it knows: dense data, and what becomes of the error bar beyond them."""
    x = toy.X_eval[:, 0]
    upper, lower = new_axes(8, 4.4, nrows=2, sharex=True)
    upper.hist(toy.X[:, 0], bins=60, color=COLOURS["guide"], alpha=0.6, density=True)
    upper.plot(x, prediction.familiarity, color=COLOURS["training"], linewidth=1.8)
    upper.set_ylabel("familiarity")
    lower.fill_between(x, prediction.std, color=FILLS["epistemic"], linewidth=0, label=LABELS["epistemic"])
    lower.fill_between(x, prediction.aleatoric, color=FILLS["system_noise"], linewidth=0, label="noise of both kinds")
    lower.set(xlabel="x (grey above: where the training rows are)", ylabel="standard deviation")
    lower.legend(fontsize="small", frameon=False)
    save(upper, folder / "familiarity.svg")


def concrete_prediction(**settings: Any) -> tuple[np.ndarray, Prediction]:
    """Strengths of new concrete mixes and what the default estimator says of them, told the errors of the example."""
    scales = runpy.run_path(str(HERE.parent / "examples" / "concrete.py"))["SCALES"]
    mixes = split_dataset(load_dataset("concrete"), seed=0)
    model = TSNetRegressor(random_state=0, **settings)
    strength = mixes.y_train.rename("strength [MPa]")
    model.fit(mixes.X_train, strength, X_err=scales, X_val=mixes.X_val, y_val=mixes.y_val)
    return mixes.y_test.to_numpy(), model.predict_distribution(mixes.X_test)


def concrete_budget(folder: Path, measured: np.ndarray, prediction: Prediction) -> None:
    """Are the error bars right, and what are they made of? New mixes, and the noise budgets of a dozen of them."""
    left, right = new_axes(10, 4.6, ncols=2)
    plot_parity(measured, prediction, ax=left)
    spread = np.argsort(prediction.std, kind="stable")[:: max(1, len(measured) // 11)]
    plot_budget(prediction.noise_budget(), rows=spread.tolist(), ax=right)
    save(left, folder / "concrete_budget.svg")


def outputs_of_pages(figures: Path, output: Path) -> None:
    """Run the pages that show what they print, and keep what they print and draw."""
    for name in SHOWN:
        page = HERE / name
        with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
            printed, _ = run(page)
            for number, text in enumerate(printed, start=1):
                if text:
                    (output / f"{page.stem}_{number}.txt").write_text(text, encoding="utf-8")
            for drawn in Path(place).glob("*.svg"):
                shutil.copy(drawn, figures / f"{page.stem}_{drawn.name}")


def outputs_of_examples(figures: Path, output: Path, **settings: Any) -> None:
    """Run the examples, and keep what they print and draw."""
    for script in EXAMPLES:
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            runpy.run_path(str(script))["main"](figures, **settings)
        (output / f"{script.stem}.txt").write_text(shown.getvalue(), encoding="utf-8")


def main() -> None:
    """Draw and run all."""
    figures, output = HERE / "figures", HERE / "output"
    figures.mkdir(exist_ok=True)
    output.mkdir(exist_ok=True)
    toy = toy_1d(0)
    prediction = toy_prediction(toy)
    with rc_context(dict(RC)):
        toy_band(figures, toy, prediction)
        noise_travels(figures)
        noise_split(figures, toy, prediction)
        familiarity(figures, toy, prediction)
        concrete_budget(figures, *concrete_prediction())
    outputs_of_pages(figures, output)
    outputs_of_examples(figures, output)


if __name__ == "__main__":
    main()
