"""A formula that is known: a decay y = a exp(-x / t) + c with noise, inside the data and beyond them.

lmfit gets the formula and has to find its three constants; ours gets nothing, or the formula with rough constants as
its prior. The same rough constants are lmfit's start, and are scored by themselves too.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from bench.peers_records import Peer, Task
from taylor_sensus.baselines.registry import method
from taylor_sensus.scores import rmse

TRUE = {"a": 2.0, "t": 1.5, "c": 0.5}
ROUGH = {"a": 1.6, "t": 2.0, "c": 0.4}
NOISE = 0.1
EDGE, END = 4.0, 8.0
"""Data lie between 0 and the edge; beyond, to the end, there are none."""
POINTS = 200


def decay(x: np.ndarray, a: float, t: float, c: float) -> np.ndarray:
    """The formula."""
    return a * np.exp(-x / t) + c


def rough_decay(X: Any) -> np.ndarray:
    """What a scientist might believe before the measurement: the right formula, constants off by a fifth to a third."""
    return decay(np.asarray(X, float)[:, 0], **ROUGH)


def curve(peer: str, x: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int, quick: bool) -> np.ndarray:
    """The curve that is found, at new points."""
    if peer == "rough":
        return decay(new, **ROUGH)
    if peer == "lmfit":
        from lmfit import Model

        return np.asarray(Model(decay).fit(y, x=x, **ROUGH).eval(x=new))
    changes = {"prior": rough_decay} if peer == "tsnet_prior" else {}
    model = method("tsnet").make(random_state=seed, n_jobs=1, quick=quick, **changes)
    return model.fit(x[:, None], y).predict(new[:, None])


def run(case: str, peer: str, seed: int, quick: bool) -> list[dict[str, float]]:
    """Error of the curve inside the data and beyond them, against the truth without noise."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, EDGE, int(case.split()[0]))
    y = decay(x, **TRUE) + rng.normal(0, NOISE, len(x))
    inside, outside = np.linspace(0, EDGE, POINTS), np.linspace(EDGE, END, POINTS + 1)[1:]
    started = time.process_time()
    found = curve(peer, x, y, np.concatenate([inside, outside]), seed, quick)
    seconds = time.process_time() - started
    errors = {
        "rmse_inside": rmse(decay(inside, **TRUE), found[:POINTS]),
        "rmse_outside": rmse(decay(outside, **TRUE), found[POINTS:]),
    }
    return [{**errors, "seconds": seconds}]


FORMULA = Task(
    name="formula",
    cases=("30 rows", "100 rows"),
    peers=(
        Peer("lmfit", "lmfit, with the formula", ("lmfit",)),
        Peer("tsnet", "Taylor-Sensus, without the formula"),
        Peer("tsnet_prior", "Taylor-Sensus, rough formula as prior"),
        Peer("rough", "the rough formula by itself"),
    ),
    run=run,
)
