"""The band figure: nested bands whose outer edge is the total, on the axes that were given."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.model.tails import Tails
from taylor_sensus.plots import plot_band
from taylor_sensus.plots.style import FILLS
from taylor_sensus.prediction import Prediction

X = np.linspace(-3, 3, 60)


def prediction(targets=1):
    parts = [np.sin(X), 0.04 + 0.01 * X**2, np.full_like(X, 0.09), 0.02 * X**4]
    if targets > 1:
        parts = [np.stack([part * (k + 1) for k in range(targets)], axis=1) for part in parts]
    return Prediction(*parts, familiarity=np.exp(-(X**2)), target_names=("strength", "hardness")[:targets])


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


def edges(collection):
    """Upper edge of a filled band, by x."""
    points = collection.get_paths()[0].vertices
    return np.array([points[np.isclose(points[:, 0], x), 1].max() for x in X])


def test_given_axes_are_used_and_returned(ax):
    assert plot_band(X, prediction(), ax=ax) is ax
    assert len(ax.figure.axes) == 1


def test_new_axes_are_made_when_none_are_given():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    before = dict(plt.rcParams)
    made = plot_band(X, prediction())
    assert made.figure.number in plt.get_fignums()
    assert dict(plt.rcParams) == before
    plt.close(made.figure)


def test_bands_are_nested_and_the_outer_edge_is_the_interval(ax):
    p = prediction()
    plot_band(X, p, ax=ax, coverage=0.8)
    system, feature, epistemic = (edges(band) for band in ax.collections)
    z = (p.interval(0.8).upper - p.mean) / p.std
    assert system == pytest.approx(p.mean + z * p.system_noise)
    assert feature == pytest.approx(p.mean + z * p.aleatoric)
    assert epistemic == pytest.approx(p.interval(0.8).upper)


def test_a_skew_prediction_has_a_skew_band(ax):
    p = replace(prediction(), tails=Tails(np.array([4.0]), np.array([1.8])))
    plot_band(X, p, ax=ax)
    low, high = p.interval(0.9)
    assert (high - p.mean) == pytest.approx(2.0 * (p.mean - low), rel=0.3), "or this test shows nothing"
    points = ax.collections[-1].get_paths()[0].vertices
    lower = np.array([points[np.isclose(points[:, 0], x), 1].min() for x in X])
    assert edges(ax.collections[-1]) == pytest.approx(high) and lower == pytest.approx(low)
    inner = ax.collections[0].get_paths()[0].vertices
    middle = np.isclose(inner[:, 0], X[30])
    share = p.system_noise[30] / p.std[30]
    assert inner[middle, 1].min() == pytest.approx(p.mean[30] - share * (p.mean[30] - low[30]))
    assert inner[middle, 1].max() == pytest.approx(p.mean[30] + share * (high[30] - p.mean[30]))
    order = [band.get_zorder() for band in ax.collections]
    assert order == sorted(order, reverse=True), "the inner bands lie on top"


def test_each_source_has_its_colour(ax):
    plot_band(X, prediction(), ax=ax)
    drawn = [to_hex(band.get_facecolor()[0]) for band in ax.collections]
    expected = [FILLS[part].lower() for part in ("system_noise", "feature_noise", "epistemic")]
    assert drawn == expected


def test_artists_labels_and_legend(ax):
    plot_band(X, prediction(), ax=ax, X_train=X[:7, None], y_train=np.zeros(7), truth=np.sin(X))
    assert len(ax.collections) == 3 and len(ax.lines) == 3
    assert ax.get_xlabel() == "x" and ax.get_ylabel() == "strength"
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == [
        "mean", "system noise", "+ feature noise", "+ too little data", "training data", "truth",
    ]  # fmt: skip
    assert ax.get_legend().get_title().get_text() == "90 % interval"


def test_x_may_be_a_named_column_in_any_order(ax):
    shuffled = np.random.default_rng(0).permutation(len(X))
    p = prediction()
    mixed = Prediction(*(part[shuffled] for part in (p.mean, *[p.feature_variance] * 3)), familiarity=X)
    plot_band(pd.DataFrame({"temperature (K)": X[shuffled]}), mixed, ax=ax)
    assert ax.get_xlabel() == "temperature [K]"
    drawn_x, drawn_mean = ax.lines[0].get_data()
    assert np.array_equal(drawn_x, X) and np.array_equal(drawn_mean, p.mean)


def test_several_targets_need_a_choice(ax):
    with pytest.raises(SettingError, match="2 targets"):
        plot_band(X, prediction(2), ax=ax)
    with pytest.raises(SettingError, match="no target 'colour'"):
        plot_band(X, prediction(2), ax=ax, target="colour")
    plot_band(X, prediction(2), ax=ax, target="hardness")
    assert ax.get_ylabel() == "hardness"
    assert ax.lines[0].get_ydata() == pytest.approx(2 * np.sin(X))


@pytest.mark.parametrize("size", [(6.4, 4.2), (4, 3), (9, 6)])
def test_nothing_is_drawn_outside_and_the_legend_hides_no_data(size):
    ax = Figure(figsize=size, layout="constrained").subplots()
    plot_band(X, prediction(), ax=ax, X_train=X, y_train=np.cos(X), truth=np.sin(X))
    ax.figure.draw_without_rendering()
    frame = ax.get_window_extent()
    legend = ax.get_legend().get_window_extent()
    assert legend.x0 >= frame.x0 - 1 and legend.x1 <= frame.x1 + 1
    assert legend.y0 >= frame.y0 and legend.y1 <= frame.y1 + 1
    top = max(edges(ax.collections[2]).max(), 1.0)
    assert ax.transData.transform((0, top))[1] <= legend.y0 + 1
    page = ax.figure.bbox
    for text in (ax.xaxis.label, ax.yaxis.label):
        box = text.get_window_extent()
        assert page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1


def test_wrong_arguments_are_named(ax):
    with pytest.raises(DataError, match=r"x has shape \(59,\); expected one column of 60 rows"):
        plot_band(X[1:], prediction(), ax=ax)
    with pytest.raises(DataError, match="y_train was not given"):
        plot_band(X, prediction(), ax=ax, X_train=X)
    with pytest.raises(DataError, match="first in row 2"):
        plot_band(np.where(np.arange(60) == 2, np.nan, X), prediction(), ax=ax)
    with pytest.raises(DataError, match="numbers only"):
        plot_band(["a"] * 60, prediction(), ax=ax)
    with pytest.raises(SettingError, match="coverage"):
        plot_band(X, prediction(), ax=ax, coverage=90)
    assert not ax.lines and not ax.collections, "nothing is drawn before the arguments are checked"


def test_pyplot_is_not_loaded_when_axes_are_given():
    code = """
import sys
import numpy as np, pandas as pd
from matplotlib.figure import Figure
from taylor_sensus.plots import plot_band, plot_history, plot_parity
from taylor_sensus.prediction import Prediction
x = np.linspace(0, 1, 5)
p = Prediction(x, x, x, x, x)
history = pd.DataFrame({"member": [0, 0], "stage": "mean", "step": [1, 2], "loss": 1.0, "validation": 2.0})
one, two, three = Figure().subplots(1, 3)
plot_band(x, p, ax=one), plot_parity(x, p, ax=two), plot_history(history, ax=three)
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
