"""The parity figure: points, error bars, the diagonal, and the count of bars that miss."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.model.tails import Tails
from taylor_sensus.plots import plot_parity
from taylor_sensus.plots.parity import MANY_ROWS
from taylor_sensus.prediction import Prediction


def case(rows=40, missed=4):
    """Measured values, and a prediction whose first ``missed`` rows are ten standard deviations off."""
    rng = np.random.default_rng(0)
    y = rng.normal(1500, 300, rows)
    std = np.full(rows, 20.0)
    mean = y + np.where(np.arange(rows) < missed, 10, 0.5) * std
    parts = [std**2 / 3] * 3
    return y, Prediction(mean, *parts, familiarity=np.ones(rows), target_names=("strength",))


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


def words(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_given_axes_are_used_and_returned(ax):
    assert plot_parity(*case(), ax=ax) is ax


def test_new_axes_are_made_when_none_are_given():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    made = plot_parity(*case())
    assert made.figure.number in plt.get_fignums()
    plt.close(made.figure)


def test_diagonal_points_and_bars(ax):
    y, prediction = case()
    plot_parity(y, prediction, ax=ax, coverage=0.8)
    diagonal = ax.lines[0]
    assert np.array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    missed, hit = ax.containers[1], ax.containers[0]
    assert hit[0].get_xdata() == pytest.approx(y[4:])
    assert missed[0].get_ydata() == pytest.approx(prediction.mean[:4])
    low, high = prediction.interval(0.8)
    bars = np.array(hit[2][0].get_segments())
    assert bars[:, 0, 1] == pytest.approx(low[4:]) and bars[:, 1, 1] == pytest.approx(high[4:])


def test_bars_are_those_of_the_distribution_and_so_are_hits(ax):
    skew = Tails(np.array([3.0]), np.array([2.0]))
    mean = np.zeros(4)
    prediction = Prediction(mean, mean, mean + 1, mean, mean, tails=skew)
    low, high = (bound[0] for bound in prediction.interval(0.9))
    y = np.array([low - 0.01, low + 0.01, high - 0.01, high + 0.01])
    assert -low < 1.2 and high < 1.6, "or a normal interval would hit the same rows"
    plot_parity(y, prediction, ax=ax)
    hit = ax.containers[0]
    assert hit[0].get_xdata() == pytest.approx(y[1:3])
    bars = np.array(hit[2][0].get_segments())
    assert bars[:, 0, 1] == pytest.approx(low) and bars[:, 1, 1] == pytest.approx(high)
    plot_parity(y, prediction, coverage=0.02, ax=Figure().subplots())  # leaves its mean out


def test_labels_and_legend(ax):
    plot_parity(*case(), ax=ax, unit="MPa")
    assert ax.get_xlabel() == "measured strength [MPa]" and ax.get_ylabel() == "predicted strength [MPa]"
    assert words(ax) == ["hit: 90.0 %", "missed: 10.0 %"]
    assert ax.get_legend().get_title().get_text() == "90 % error bars, 40 rows"


@pytest.mark.parametrize(
    ("header", "unit", "label"),
    [
        ("strength / MPa", None, "measured strength [MPa]"),
        ("strength [MPa]", "GPa", "measured strength [GPa]"),
        ("$price", None, r"measured \$price"),
    ],
)
def test_the_unit_comes_from_the_header_and_names_are_no_formulas(ax, header, unit, label):
    y, prediction = case()
    plot_parity(y, replace(prediction, target_names=(header,)), ax=ax, unit=unit)
    assert ax.get_xlabel() == label


def test_without_unit_and_without_misses(ax):
    plot_parity(*case(missed=0), ax=ax)
    assert ax.get_xlabel() == "measured strength"
    assert words(ax) == ["hit: 100.0 %"] and len(ax.containers) == 1


def test_nothing_is_drawn_outside(ax):
    y, prediction = case()
    plot_parity(y, prediction, ax=ax)
    ax.figure.draw_without_rendering()
    low, high = ax.get_xlim()
    assert ax.get_ylim() == (low, high) and ax.get_aspect() == 1
    assert low < min(y.min(), prediction.interval().lower.min())
    assert high > max(y.max(), prediction.interval().upper.max())
    frame, legend = ax.get_window_extent(), ax.get_legend().get_window_extent()
    assert frame.x0 <= legend.x0 and legend.x1 <= frame.x1 and frame.y0 <= legend.y0 and legend.y1 <= frame.y1


def test_a_single_certain_row(ax):
    zero = np.zeros(1)
    plot_parity([3.0], Prediction(np.array([3.0]), zero, zero, zero, zero), ax=ax)
    assert ax.get_xlim()[0] < 3 < ax.get_xlim()[1]


def test_many_rows_become_an_image_in_vector_files(ax):
    plot_parity(*case(rows=MANY_ROWS), ax=ax)
    assert ax.containers[0][0].get_rasterized()
    assert not ax.lines[0].get_rasterized()


def test_wrong_arguments_are_named(ax):
    y, prediction = case()
    with pytest.raises(DataError, match="expected one column of 40 rows"):
        plot_parity(y[:3], prediction, ax=ax)
    with pytest.raises(DataError, match="1 missing or infinite values"):
        plot_parity(np.where(np.arange(40) == 7, np.inf, y), prediction, ax=ax)
    with pytest.raises(SettingError, match="for 90 % write"):
        plot_parity(y, prediction, ax=ax, coverage=1)
