"""The programs of users, which are optimised, beside those of the other tests, which are not: the same numbers."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from taylor_sensus import TSNetRegressor
from taylor_sensus.settings import paper
from tests.tiny import numbers

pytestmark = pytest.mark.slow
JOINT = paper(
    embedding="positional", members=2, width=8, depth=1, epochs=300, folds=2, noise_width=8, noise_depth=1, landmarks=16
)
"""All parts of the printed method in one program."""
CODE = """
import json, sys, jax
from taylor_sensus import TSNetRegressor
settings, X, y = json.loads(sys.stdin.read())
said = TSNetRegressor(**settings).fit(X, y).predict(X, return_std=True)
plain = jax.config.read("jax_disable_most_optimizations")
print(json.dumps({"plain": plain, "said": [part.tolist() for part in said]}))
"""


def test_optimised_programs_learn_the_same():
    X, y = numbers()
    settings = {**JOINT, "n_jobs": 1, "random_state": 0}
    mine = TSNetRegressor(**settings).fit(X, y).predict(X, return_std=True)
    others = {n: v for n, v in os.environ.items() if n not in ("XLA_FLAGS", "JAX_DISABLE_MOST_OPTIMIZATIONS")}
    asked = json.dumps([settings, X.tolist(), y.tolist()])
    run = subprocess.run([sys.executable, "-c", CODE], input=asked, env=others, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["plain"] is False
    np.testing.assert_allclose(np.array(told["said"]), mine, rtol=1e-3, atol=1e-3)
    assert np.ptp(mine[0]) > 0.5, "something was learned"
