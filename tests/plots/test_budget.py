"""The figure of the noise budget: as long as the std, divided by shares of variance, inert names."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from taylor_sensus.budget import BudgetParts, NoiseBudget
from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.plots import plot_budget
from taylor_sensus.plots.budget import MOST_BARS, NAMED_COLUMNS, SHADES, TARGET_ERROR
from taylor_sensus.plots.labels import plain, with_unit
from taylor_sensus.plots.style import COLOURS, tint


def budget(rows=5, columns=("temp [degC]", "time [s]"), targets=("strength [MPa]",), target_error=0.0, index=None):
    rng = np.random.default_rng(0)
    size = (rows, len(targets))
    return NoiseBudget(
        BudgetParts(
            columns=tuple(columns),
            contribution=rng.uniform(0.1, 1, (*size, len(columns))),
            sensitivity=np.ones((*size, len(columns))),
            input_std=np.ones((rows, len(columns))),
            kind=np.zeros((rows, len(columns)), np.int8),
            system=rng.uniform(1, 2, size),
            target_error=np.full(size, target_error),
            epistemic=rng.uniform(0, 1, size),
            identifiable=np.ones(len(columns), bool),
            system_identifiable=True,
            target_names=tuple(targets),
            index=index,
        )
    )


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


def words(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_given_axes_are_used_and_returned(ax):
    assert budget().plot(ax=ax) is ax
    assert plot_budget(budget(), ax=ax) is ax


def test_new_axes_are_made_when_none_are_given():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    made = budget().plot()
    assert made.figure.number in plt.get_fignums()
    plt.close(made.figure)


def test_bars_are_as_long_as_the_std_and_divided_by_shares(ax):
    given = budget(target_error=0.4)
    plot_budget(given, ax=ax)
    assert words(ax)[:2] == ["system noise", "measuring the target"] and words(ax)[-1] == "too little data"
    heights = np.array([[bar.get_height() for bar in pieces] for pieces in ax.containers])
    assert heights.sum(axis=0) == pytest.approx(np.sqrt(given.total_variance[:, 0]))
    system = given.share[:, 0, given.sources.index("system_noise")]
    assert heights[0] / heights.sum(axis=0) == pytest.approx(system)


def test_the_average_of_many_rows_is_one_bar(ax):
    given = budget(rows=MOST_BARS + 1)
    plot_budget(given, ax=ax)
    assert [len(pieces) for pieces in ax.containers] == [1] * 4
    assert sum(pieces[0].get_width() for pieces in ax.containers) == pytest.approx(np.sqrt(given.total_variance.mean()))
    share = given.mean().set_index("source")["share"]["system_noise"]
    assert words(ax)[0] == f"system noise: {100 * share:.0f} %"
    assert ax.get_xlabel() == "std of strength [MPa]"
    assert ax.get_legend().get_title().get_text() == "divided by shares of variance"


def test_chosen_rows_keep_their_labels(ax):
    plot_budget(budget(index=pd.Index(["alpha", "b$eta$", "g", "d", "e"])), rows=np.array([1, 0]), ax=ax)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == [r"b\$eta\$", "alpha"]


def test_only_the_largest_columns_are_named(ax):
    given = budget(columns=[f"c{i}" for i in range(9)])
    plot_budget(given, ax=ax)
    named = [word for word in words(ax) if word.startswith("c")]
    average = given.variance[:, 0, :9].mean(axis=0)
    assert named == [f"c{i}" for i in np.argsort(-average)[: NAMED_COLUMNS - 1]]
    assert "6 other features" in words(ax)
    heights = np.array([[bar.get_height() for bar in pieces] for pieces in ax.containers])
    assert heights.sum(axis=0) == pytest.approx(np.sqrt(given.total_variance[:, 0]))


def test_all_pieces_differ_in_lightness_or_hue():
    colours = [COLOURS["system_noise"], COLOURS["epistemic"], TARGET_ERROR]
    colours += [tint(COLOURS["feature_noise"], shade) for shade in SHADES]
    for one, other in itertools.combinations(colours, 2):
        assert np.abs(np.subtract(to_rgb(one), to_rgb(other))).max() > 0.1


def test_columns_that_hardly_count_are_not_named(ax):
    given = budget(columns=("large", "small", "tiny"))
    given.parts.contribution[..., 1:] *= 1e-4
    plot_budget(given, ax=ax)
    assert words(ax) == ["system noise", "large", "2 other features", "too little data"]


@pytest.mark.parametrize("name", ["$x^{$", "$$", "\\frac{", "a\nb", "\u202egpj.exe", "x" * 500, "<script>", "\x00", ""])
def test_hostile_names_are_drawn_as_they_are(ax, name):
    plot_budget(budget(columns=(name, "b"), targets=(name,), index=pd.Index([name] * 5)), ax=ax)
    ax.figure.canvas.draw()


def test_labels():
    assert with_unit("temp / degC") == "temp [degC]" and with_unit("temp") == "temp"
    assert plain("a\tb\u202e$c$") == r"a b\$c\$" and len(plain("x" * 99)) == 40


def test_wrong_arguments_are_named(ax):
    with pytest.raises(SettingError, match="choose one with target="):
        plot_budget(budget(targets=("a", "b")), ax=ax)
    with pytest.raises(SettingError, match="'all' or 'mean'"):
        plot_budget(budget(), rows="some", ax=ax)
    with pytest.raises(DataError, match="no rows"):
        plot_budget(budget(rows=0), ax=ax)
