"""The history figure: one pair of lines a member, stages one after another."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from taylor_sensus.errors import DataError
from taylor_sensus.plots import plot_history


def history(members=3, level=0.0):
    """A short density stage of one member, then a long stage and one of members that stop early."""
    rows = []
    for stage, count, length in (("density", 1, 100), ("mean", members, 1000), ("noise", members, 400)):
        for member in range(count):
            for step in range(50, length + 1 - 50 * member * (stage == "noise"), 50):
                loss = level + np.exp(-step / 200) - 0.5 * (stage == "noise") * (level == 0)
                rows.append((stage, member, step, loss, np.nan if stage == "density" else loss + 0.1))
    return pd.DataFrame(rows, columns=["stage", "member", "step", "loss", "validation"])


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


def curves(ax):
    return [line for line in ax.lines if len(line.get_xdata()) > 2]


def test_given_axes_are_used_and_returned(ax):
    assert plot_history(history(), ax=ax) is ax
    assert plot_history(history(), ax) is ax


def test_new_axes_are_made_when_none_are_given():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    made = plot_history(history())
    assert made.figure.number in plt.get_fignums()
    plt.close(made.figure)


def test_two_lines_a_member_and_one_boundary_between_stages(ax):
    plot_history(history(members=4), ax=ax)
    assert len(curves(ax)) == 8
    boundaries = [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 2]
    assert boundaries == [100, 1100]
    assert [text.get_text() for text in ax.texts] == ["density", "mean", "noise"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["training", "validation"]
    assert ax.get_xlabel() == "training step" and ax.get_ylabel() == "loss of the stage"


def test_stages_follow_each_other_and_are_not_joined(ax):
    table = history()
    plot_history(table, ax=ax)
    across, up = curves(ax)[0].get_data()
    drawn = np.isfinite(up)
    assert np.all(np.diff(across[drawn]) > 0)
    assert (~drawn).sum() == 2, "a gap at each boundary"
    mine = table[table["member"] == 0]
    assert up[drawn] == pytest.approx(mine["loss"].to_numpy())
    second = curves(ax)[2].get_xdata()
    assert second[0] == 150, "a member without the first stage starts at the second"


def test_missing_checks_are_left_out(ax):
    table = history(members=1)
    table.loc[table.index[5], "validation"] = np.nan
    plot_history(table, ax=ax)
    assert np.isfinite(curves(ax)[1].get_ydata()).sum() == table["validation"].notna().sum()


def test_without_validation_there_is_one_legend_entry(ax):
    plot_history(history().assign(validation=np.nan), ax=ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["training"]


def test_one_stage(ax):
    table = history()
    plot_history(table[table["stage"] == "mean"], ax=ax)
    assert ax.get_ylabel() == "loss" and ax.get_xlim() == (0, 1000)
    assert len(ax.lines) == len(curves(ax))


def test_scale_is_logarithmic_only_for_positive_losses_over_decades(ax):
    plot_history(history(), ax=ax)
    assert ax.get_yscale() == "linear"
    other = Figure().subplots()
    plot_history(history(level=1e-3), ax=other)
    assert other.get_yscale() == "log"


@pytest.mark.parametrize("level", [0.0, 1e-3])
def test_nothing_is_drawn_outside_and_words_do_not_overlap(ax, level):
    plot_history(history(level=level), ax=ax)
    ax.figure.draw_without_rendering()
    frame = ax.get_window_extent()
    boxes = [text.get_window_extent() for text in ax.texts] + [ax.get_legend().get_window_extent()]
    for number, box in enumerate(boxes):
        assert frame.x0 - 1 <= box.x0 and box.x1 <= frame.x1 + 1
        assert frame.y0 <= box.y0 and box.y1 <= frame.y1 + 1
        assert not any(box.overlaps(other) for other in boxes[:number])
    highest = max(np.nanmax(line.get_ydata()) for line in curves(ax))
    assert ax.transData.transform((0, highest))[1] <= min(box.y0 for box in boxes)


def test_wrong_tables_are_named(ax):
    with pytest.raises(DataError, match=r"no column \['validation'\]"):
        plot_history(history().drop(columns="validation"), ax=ax)
    with pytest.raises(DataError, match="no rows"):
        plot_history(history().iloc[:0], ax=ax)
