"""Colours: one a source, apart from each other for colour-blind readers too; no side effects."""

import itertools
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from taylor_sensus.plots.style import COLOURS, FILLS, LABELS, RC, make_headroom, tint
from taylor_sensus.prediction import PARTS

# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB.
BLINDNESS = {
    "normal": np.eye(3),
    "protan": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "deutan": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    "tritan": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}


def lab(linear):
    """CIE L*a*b* of a linear RGB colour."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    x, y, z = np.cbrt(np.maximum(xyz / np.array([0.9505, 1, 1.089]), 0))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", BLINDNESS)
def test_bands_can_be_told_apart(sight):
    seen = []
    for part in PARTS:
        srgb = np.array(to_rgb(FILLS[part]))
        linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
        seen.append(lab(np.clip(np.array(BLINDNESS[sight]) @ linear, 0, 1)))
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(one - other) > 18


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
