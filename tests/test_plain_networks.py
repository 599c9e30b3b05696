"""The setting `taylor`: without it a mean network and a variance network remain, in training, prediction and files."""

from __future__ import annotations

from functools import cache

import jax
import numpy as np
import pytest

from taylor_sensus import TSNetRegressor, load
from taylor_sensus.settings import fast, paper

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.sin(2 * X[:, 0]) + X[:, 1] + (0.1 + 0.2 * (X[:, 1] > 0)) * RNG.normal(size=60)
TINY = {"width": 8, "depth": 1, "epochs": 20, "noise_width": 8, "noise_depth": 1}
KINDS = {fast: {"members": 2, "embedding": "none", "noise_epochs": 10}, paper: {}}


@cache
def fitted(kind, taylor: bool, **changes) -> TSNetRegressor:
    return TSNetRegressor(**kind(**TINY, **KINDS[kind], **changes, taylor=taylor), random_state=0).fit(X, Y)


@pytest.mark.parametrize(
    ("kind", "changes"), [*((kind, {}) for kind in KINDS), (paper, {"embedding": "positional", "contrast": "theory"})]
)
def test_without_the_taylor_term_all_noise_is_the_system_s(kind, changes):
    models = [fitted(kind, taylor, **changes) for taylor in (False, True)]
    plain, whole = (model.predict_distribution(X) for model in models)
    assert (plain.feature_noise == 0).all() and (plain.system_noise > 0).all()
    assert np.mean(whole.feature_noise > 0) > 0.9, "0 only where the mean is level"
    assert np.array_equal(plain.aleatoric, plain.system_noise) and len(set(plain.system_noise)) == len(X)
    weights = [jax.tree.leaves(model.fitted_.ensemble.blocks.mean_net) for model in models]
    same_mean = all(np.array_equal(*pair) for pair in zip(*weights, strict=True))
    assert same_mean == (kind is fast), "trained jointly, the slope of the mean counts in the loss"


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_model_keeps_it(kind, tmp_path):
    plain = fitted(kind, False)
    plain.save(tmp_path / "plain.tsnet")
    back = load(tmp_path / "plain.tsnet")
    assert (back.details or {})["taylor"] is False and back.fitted_.settings == plain.fitted_.settings
    for part in ("mean", "std", "feature_noise", "system_noise", "familiarity"):
        assert np.array_equal(*(getattr(m.predict_distribution(X), part) for m in (back, plain))), part
    back.save(tmp_path / "again.tsnet")
    assert (tmp_path / "again.tsnet").read_bytes() == (tmp_path / "plain.tsnet").read_bytes()
