"""Figures that the report adds: calibration, familiarity, residuals, dependence, and very many points as cells."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.model.tails import Tails
from taylor_sensus.plots import (
    plot_calibration,
    plot_dependence,
    plot_familiarity,
    plot_parity_density,
    plot_residuals,
)
from taylor_sensus.plots.residuals import MANY_ROWS
from taylor_sensus.plots.style import COLOURS, FILLS
from taylor_sensus.prediction import Prediction


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


def judged(rows=200, std=1.0):
    rng = np.random.default_rng(0)
    mean = rng.uniform(0, 100, rows)
    return mean + rng.normal(size=rows), mean, np.full(rows, std)


def predicted(rows=200, std=1.0, tails=None):
    y, mean, spread = judged(rows, std)
    nothing = np.zeros(rows)
    return y, Prediction(mean, nothing, spread**2, nothing, nothing, tails=tails)


def average(values=5, targets=("strength",)):
    shape = (values,) if len(targets) == 1 else (values, len(targets))
    parts = [np.full(shape, variance) for variance in (1.0, 4.0, 9.0)]
    return Prediction(np.arange(values, dtype=float).reshape(-1, *([1] * (len(shape) - 1))) + np.zeros(shape), *parts,
                      familiarity=np.ones(values), target_names=targets)  # fmt: skip


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: plot_calibration(*predicted(), ax=ax),
        lambda ax: plot_familiarity(np.linspace(0, 1, 50), ax=ax),
        lambda ax: plot_residuals(*judged(), ax=ax),
        lambda ax: plot_parity_density(*judged()[:2], ax=ax),
        lambda ax: plot_dependence(np.arange(5.0), average(), ax=ax),
    ],
)
def test_axes_in_axes_out(ax, draw):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    assert draw(ax) is ax
    made = draw(None)
    assert made.figure.number in plt.get_fignums()
    plt.close(made.figure)


def test_honest_error_bars_lie_in_the_band_of_chance_and_small_ones_below(ax):
    plot_calibration(*predicted(5000), ax=ax)
    nominal, observed = ax.lines[1].get_data()
    assert np.abs(np.subtract(nominal, observed)).max() < 3
    other = Figure().subplots()
    plot_calibration(*predicted(5000, std=0.5), ax=other)
    nominal, observed = other.lines[1].get_data()
    assert (np.subtract(nominal, observed) > 0).all()
    assert "chance alone, 5,000 rows" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_calibration_is_judged_by_the_predictions_own_distribution(ax):
    """Draws of a skew t lie on the diagonal of that distribution, and far off that of a normal one."""
    tails, rng = Tails(np.array([3.0]), np.array([2.0])), np.random.default_rng(0)
    y = tails.quantile(rng.uniform(size=(5000, 1)))[:, 0]
    nothing = np.zeros(5000)
    honest = Prediction(nothing, nothing, nothing + 1, nothing, nothing, tails=tails)
    plot_calibration(y, honest, ax=ax)
    assert np.abs(np.subtract(*ax.lines[1].get_data())).max() < 3
    other = Figure().subplots()
    plot_calibration(y, replace(honest, tails=None), ax=other)
    assert np.abs(np.subtract(*other.lines[1].get_data())).max() > 10


def test_bars_of_categories_are_those_of_the_distribution(ax):
    skew = replace(average(2), tails=Tails(np.array([4.0]), np.array([1.8])))
    plot_dependence(["steel", "brass"], skew, ax=ax)
    outer = ax.patches[-2:]
    low, high = skew.interval(0.9)
    assert [bar.get_y() for bar in outer] == pytest.approx(low)
    assert [bar.get_y() + bar.get_height() for bar in outer] == pytest.approx(high)


def test_familiarity_counts_all_rows(ax):
    values = np.concatenate([np.full(500, 0.99), [0.02, 0.02, 0.3]])
    plot_familiarity(values, ax=ax)
    assert sum(bar.get_height() for bars in ax.containers for bar in bars) == 503
    assert ax.get_yscale() == "log", "three strange rows stay visible beside five hundred"
    colours = {bar.get_facecolor() for bars in ax.containers for bar in bars if bar.get_x() < 0.4}
    assert len(colours) == 1
    for wrong in ([], [0.5, 1.2], [np.nan]):
        with pytest.raises(DataError, match="from 0 to 1"):
            plot_familiarity(wrong, ax=ax)


def test_surprising_rows_are_coloured_and_named(ax):
    y, mean, std = judged(100)
    y[7] += 9
    plot_residuals(y, mean, std, labels=[f"$s_{at}$" for at in range(100)], target="strength / MPa", ax=ax)
    assert [text.get_text() for text in ax.texts] == [r"\$s_7\$"]
    wild = next(line for line in ax.lines if line.get_color() == COLOURS["outside"])
    assert wild.get_xdata() == pytest.approx(mean[7:8])
    assert ax.get_xlabel() == "predicted strength [MPa]"
    low, high = ax.get_ylim()
    assert low < ((y - mean) / std).min() and high > ((y - mean) / std).max()


def test_many_rows_are_counted_and_none_is_lost(ax):
    y, mean, std = judged(MANY_ROWS + 500)
    y[3] += 40
    plot_residuals(y, mean, std, ax=ax)
    assert not [line for line in ax.lines if len(line.get_xdata()) > 2], "no points"
    parity = Figure().subplots()
    plot_parity_density(y, mean, target="strength [MPa]", ax=parity)
    assert parity.get_title(loc="left").startswith("2,500 rows; darkest cell")
    assert parity.get_xlim() == parity.get_ylim() and parity.get_xlabel() == "measured strength [MPa]"
    inside = (y > parity.get_xlim()[0]) & (y < parity.get_xlim()[1])
    assert inside.all()


def test_wrong_lengths_are_refused(ax):
    y, mean, std = judged(10)
    with pytest.raises(DataError, match="equal length"):
        plot_residuals(y, mean[:5], std, ax=ax)
    with pytest.raises(DataError, match="above 0"):
        plot_residuals(y, mean, std * 0, ax=ax)
    with pytest.raises(DataError, match="equal length"):
        plot_parity_density(y, mean[:5], ax=ax)
    with pytest.raises(DataError, match="3 values but 5 predictions"):
        plot_dependence([1.0, 2.0, 3.0], average(), ax=ax)
    with pytest.raises(SettingError, match="choose one with target="):
        plot_dependence(np.arange(5.0), average(targets=("a", "b")), ax=ax)


def test_bands_of_numbers_are_nested(ax):
    plot_dependence(np.arange(5.0), average(), column="time / s", ax=ax)
    assert len(ax.collections) == 3 and ax.get_xlabel() == "time [s]" and ax.get_ylabel() == "strength"
    assert ax.get_legend() is not None
    bare = plot_dependence(np.arange(5.0), average(), legend=False, ax=Figure().subplots())
    assert bare.get_legend() is None


def test_bars_of_categories_hold_the_interval(ax):
    plot_dependence(["brass", "$teel", "tin", "zinc", "lead"], average(), coverage=0.9, ax=ax)
    outer = [bars for bars in ax.containers if len(bars) == 5][-1]
    low, high = average().interval(0.9)
    assert [bar.get_y() for bar in outer] == pytest.approx(low)
    assert [bar.get_y() + bar.get_height() for bar in outer] == pytest.approx(high)
    assert ax.get_xticklabels()[1].get_text() == r"\$teel"
    from matplotlib.colors import to_hex

    assert to_hex(outer[0].get_facecolor()).lower() == FILLS["epistemic"].lower()
