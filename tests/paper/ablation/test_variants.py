"""Every variant is one that the estimator accepts, and no two are the same network."""

from __future__ import annotations

import json

import pytest

from paper.ablation.variants import DEFAULT, MEAN_ALONE, VARIANTS
from paper.engine.trials import settings_of
from paper.speed.variants import VARIANTS as SPEED
from taylor_sensus.baselines.registry import METHODS


@pytest.mark.parametrize("variants", [VARIANTS, SPEED], ids=["ablation", "speed"])
def test_no_two_variants_are_the_same(variants):
    seen: dict[str, str] = {}
    for name, variant in variants.items():
        settings = settings_of(variant, quick=False)
        settings.pop("details", None)  # where a setting is written does not matter
        text = json.dumps(settings, sort_keys=True)
        assert text not in seen, f"{name} has the settings of {seen[text]}: take one out of its variants.py"
        seen[text] = name
    assert len({variant.label for variant in variants.values()}) == len(variants)
    assert settings_of(variants[DEFAULT], quick=False) == settings_of(METHODS["tsnet"], quick=False)


def test_the_mean_alone_has_nothing_that_moves_it():
    settings = settings_of(VARIANTS[MEAN_ALONE], quick=False)
    assert (settings["density"], settings["contrast"], settings["training"]) == (False, "off", "staged")
    default = settings_of(VARIANTS[DEFAULT], quick=False)
    changed = {name for name in settings if settings[name] != default[name]}
    assert changed <= {"density", "contrast", "training"}, "the same network otherwise"


def test_speed_has_a_quick_setting_and_rivals():
    assert list(SPEED) == ["default", "fast", "catboost", "ngboost", "gp"]
    assert SPEED["fast"].settings != SPEED["default"].settings
