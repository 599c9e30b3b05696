"""Colours: one a source, apart from each other for colour-blind readers too; no side effects."""

import subprocess
import sys

import matplotlib
import pytest
from matplotlib.figure import Figure

from taylor_sensus.plots.style import COLOURS, FILLS, LABELS, RC, make_headroom, tint
from taylor_sensus.prediction import PARTS
from tests.colour_vision import BLINDNESS, smallest_distance


@pytest.mark.parametrize("sight", BLINDNESS)
def test_bands_can_be_told_apart(sight):
    assert smallest_distance([FILLS[part] for part in PARTS], sight) > 18


def test_every_source_has_a_colour_and_a_label():
    assert set(PARTS) | {"mean", "data"} <= set(COLOURS)
    assert set(PARTS) | {"mean", "data"} <= set(LABELS)
    assert len({COLOURS[name] for name in (*PARTS, "mean", "data")}) == 5


def test_tables_cannot_be_changed():
    for table in (COLOURS, FILLS, LABELS, RC):
        with pytest.raises(TypeError):
            table["mean"] = "red"


def test_settings_are_known_to_matplotlib():
    with matplotlib.rc_context(dict(RC)):
        pass


def test_tint():
    assert tint("#56B4E9", 1) == "#56B4E9"
    assert tint("#56B4E9", 0) == "#FFFFFF"
    assert tint("#000000", 0.5) in ("#7F7F7F", "#808080")


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_headroom_leaves_the_asked_share_free(scale):
    ax = Figure().subplots()
    ax.set_yscale(scale)
    ax.set_ylim(1, 100)
    make_headroom(ax, 0.25)
    assert ax.transAxes.inverted().transform(ax.transData.transform((0.5, 100)))[1] == pytest.approx(0.75)


def test_import_has_no_side_effects():
    code = """
import sys, matplotlib
names = [name for name in matplotlib.rcParams if name != "backend"]  # asking for that one loads pyplot
before = [matplotlib.rcParams[name] for name in names]
import taylor_sensus.plots
assert [matplotlib.rcParams[name] for name in names] == before
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
