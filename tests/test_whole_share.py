"""Where the process has the whole mean, the networks' means are not asked, and nothing else changes."""

from dataclasses import replace

import numpy as np

from taylor_sensus import TSNetRegressor
from taylor_sensus.model.declared_errors import InputErrors
from taylor_sensus.model.ensemble import predicted


def test_predictions_are_those_with_all_means_asked():
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, (60, 2))
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.05 * rng.normal(size=60)
    found = TSNetRegressor(members=2, epochs=2, random_state=0).fit(X, y).fitted_.ensemble
    whole = replace(found, process_share=replace(found.process_share, share=np.ones(1)))
    zeros = np.zeros((60, 1))
    answers = []
    for asked in (True, False):
        whole.__dict__["asks_networks"] = asked
        answers.append(predicted(whole, X, InputErrors(np.zeros((60, 2)), np.zeros((60, 2))), zeros, zeros, 1))
        whole.ready.means[:] = [None, None]  # asking one again would fail
    half = replace(found, process_share=replace(found.process_share, share=np.full(1, 0.5)))
    assert half.asks_networks and not replace(whole).asks_networks
    for before, after in zip(*answers, strict=True):
        np.testing.assert_allclose(after, before, rtol=1e-6)
