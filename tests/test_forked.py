"""Forked children: schedulers and web servers fork, and JAX does not survive it. NumPy does."""

import json
import multiprocessing
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import load
from taylor_sensus.errors import TaylorSensusError
from tests.tiny import numbers, tiny

GOLDEN = Path(__file__).parent / "storage" / "golden" / "v0_1_plain.tsnet"
PATIENCE = 30
"""Seconds, on a busy machine; a child that hangs takes for ever."""

pytestmark = pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system cannot fork")


def in_children(work, count):
    """What each of so many forked children, all alive at once, sends back."""
    context = multiprocessing.get_context("fork")
    ends, children = [], []
    for _ in range(count):
        here, there = context.Pipe(duplex=False)
        children.append(context.Process(target=lambda end=there: end.send(work())))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # JAX and Python warn of forks as such
            children[-1].start()
        ends.append(here)
    try:
        end = time.monotonic() + PATIENCE
        assert all(here.poll(max(0, end - time.monotonic())) for here in ends), "a child hangs"
        return [here.recv() for here in ends]
    finally:
        for child in children:
            child.kill()
            child.join(10)


def test_children_predict_what_the_parent_does_after_load():
    content = json.loads(GOLDEN.with_suffix(".json").read_text())
    X = pd.DataFrame(content["data"]).to_numpy()
    model = load(GOLDEN)
    wanted = model.predict(X)
    assert all(np.array_equal(found, wanted) for found in in_children(lambda: model.predict(X), 4))


def test_children_predict_and_fit_after_a_fit():
    X, y = numbers()
    model = tiny().fit(X, y)
    wanted = model.predict(X)
    assert all(np.array_equal(found, wanted) for found in in_children(lambda: model.predict(X), 4))
    assert all(np.array_equal(found, wanted) for found in in_children(lambda: tiny().fit(X, y).predict(X), 2))


def test_children_of_a_process_where_jax_was_at_work_refuse_to_use_it_in_words():
    X, y = numbers()
    compiled = {"contrast": "theory"}  # only JAX can train it
    model = tiny(**compiled).fit(X, y)
    wanted = model.predict(X)
    assert all(np.array_equal(found, wanted) for found in in_children(lambda: model.predict(X), 4))

    def refit():
        try:
            tiny(**compiled).fit(X, y)
        except TaylorSensusError as problem:
            return str(problem)

    started = time.monotonic()
    (said,) = in_children(refit, 1)
    assert "does not survive a fork" in said and "get_context('spawn')" in said
    assert time.monotonic() - started < PATIENCE
    tiny(**compiled).fit(X, y)  # the parent still can
