"""Prediction in a forked child: schedulers and web servers fork, and JAX does not survive it; NumPy does."""

import json
import multiprocessing
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import load

GOLDEN = Path(__file__).parent / "storage" / "golden" / "v0_1_plain.tsnet"


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system cannot fork")
def test_forked_children_predict_what_the_parent_does():
    content = json.loads(GOLDEN.with_suffix(".json").read_text())
    X = pd.DataFrame(content["data"]).to_numpy()
    model = load(GOLDEN)
    wanted = model.predict(X)
    context = multiprocessing.get_context("fork")
    for _ in range(3):
        here, there = context.Pipe(duplex=False)
        child = context.Process(target=lambda end=there: end.send(model.predict(X)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # JAX and Python warn of forks as such
            child.start()
        assert here.poll(30), "the child hangs"
        assert np.array_equal(here.recv(), wanted)
        child.join(10)
