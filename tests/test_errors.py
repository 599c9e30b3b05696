"""Wrong names: which known one is near, and what is said where none is."""

import pytest

from taylor_sensus.errors import did_you_mean, listed, near_names

SETTINGS = ("width", "depth", "noise_width", "noise_depth", "noise_epochs", "dropout", "epochs")


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("droput", SETTINGS, ["dropout"]),
        ("noise_epoch", SETTINGS, ["noise_epochs"]),
        ("WIDHT", SETTINGS, ["width"]),
        ("noise", SETTINGS, ["noise_width", "noise_depth", "noise_epochs"]),
        ("carbon", ["Carbon", "Carbonate"], ["Carbon"]),
        ("yield", ["time", "Yield (MPa)"], ["Yield (MPa)"]),
        ("T", ["Time", "T [K]", "T_max"], ["T [K]", "T_max"]),
        ("steels", ["matbench_steels", "steel"], ["matbench_steels"]),
        ("a.c", ["abc (1)"], []),
        ("(", ["a", "b"], []),
        ("", ["a b", ""], [""]),
        ("qqq", SETTINGS, []),
        ("x", [], []),
    ],
)
def test_near_names(name, known, near):
    assert near_names(name, known) == near


def test_words():
    assert did_you_mean("wine", ["wine_red", "wine_white"], "there are") == "; did you mean 'wine_red' or 'wine_white'?"
    assert did_you_mean("qqq", ["wine_red", "naval"], "there are") == "; there are 'wine_red', 'naval'"
    assert did_you_mean("qqq", ["wine_red"]) == ""
    assert did_you_mean(3, [1, 2], "there are") == "; there are '1', '2'"


def test_lists_stay_short():
    assert listed([]) == "none"
    assert listed(["a", 2]) == "'a', 2"
    assert listed(range(30), most=3) == "0, 1, 2, and 27 more"
