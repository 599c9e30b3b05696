"""A shortlist of many blocks: the best are on it, others by chance, and the watched stand for all."""

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.suggest.shortlist import BEST, FAIR, WATCHED, ListedCandidates, Shortlist


def listed_from(scores, block=1000) -> Shortlist:
    shortlist = Shortlist(np.random.default_rng(0))
    for start in range(0, len(scores), block):
        part = slice(start, start + block)
        frame = pd.DataFrame({"x": np.arange(len(scores))[part]})
        shortlist.add(ListedCandidates(frame, np.arange(len(scores))[part], scores[part]))
    return shortlist


def test_few_candidates_are_all_kept():
    shortlist = listed_from(np.zeros(700), block=90)
    assert list(shortlist.choosable().place) == list(range(700)) == list(shortlist.choosable().frame.x)
    assert len(shortlist.watched().place) == 700 and shortlist.seen == 700


def test_many_candidates():
    scores = np.where(np.arange(40_000) < 20_000, np.log(9.0), np.log(1.0)) + np.linspace(0, 1e-6, 40_000)
    shortlist = listed_from(scores)
    choosable, watched = shortlist.choosable(), shortlist.watched()
    assert set(np.argsort(-scores)[:BEST]) <= set(choosable.place)
    assert len(choosable.place) <= BEST + FAIR and len(watched.place) == WATCHED
    assert (watched.place < 20_000).mean() == pytest.approx(0.5, abs=0.06), "by lot alone"
    others = np.setdiff1d(choosable.place, np.argsort(-scores)[:BEST])
    assert (others < 20_000).mean() == pytest.approx(0.9, abs=0.04), "chances by score"
    np.testing.assert_array_equal(scores[choosable.place], choosable.log_score)
