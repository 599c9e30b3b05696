"""Very many candidates: time grows gently with their number, and memory hardly at all."""

import time
import tracemalloc

import pandas as pd
import pytest
from hill import table

from taylor_sensus.suggest import suggest

pytestmark = pytest.mark.slow

ROWS = 80_000


def test_many_candidates_are_quick_and_take_little_memory(model):
    """A ratio, because machines differ: choosing costs a few predictions of all candidates."""
    pool = table(ROWS, 12)
    suggest(model, pool[:5000], n=4, random_state=0)  # compiles
    model.predict(pool[:5000])
    start = time.process_time()
    model.predict(pool)
    asked = time.process_time()
    found = suggest(model, pool, n=4, random_state=0)
    chosen = time.process_time()
    assert found.candidates == ROWS
    assert chosen - asked < 6 * (asked - start)  # about 3 on a quiet machine
    tracemalloc.start()
    peaks = []
    for rows in (ROWS // 2, ROWS):
        tracemalloc.reset_peak()
        suggest(model, pool[:rows], n=4, random_state=0)
        peaks.append(tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()
    each = (peaks[1] - peaks[0]) / (ROWS / 2)
    assert peaks[1] + each * (1_000_000 - ROWS) < 1e9, "a million candidates within a gigabyte"


def test_the_best_of_many_are_found(model):
    """One row in forty thousand is far better than the others; it must be on the list."""
    best = pd.DataFrame({"temp": [49.0], "share": [0.3], "solvent": ["oil"]})
    pool = pd.concat([table(40_000, 13).assign(temp=20.0), best], ignore_index=True)
    assert suggest(model, pool, n=3, goal="max", random_state=0).table.temp[0] == 49
