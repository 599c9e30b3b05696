"""From very many candidates to a few thousand: those that seem best, a fair share of the others, and some at random.

Candidates come a block at a time and only the list is kept, so a million of them take little memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

BEST, FAIR, WATCHED = 512, 1536, 1024
"""Candidates on the list because they seem best, by lot with chances by how good they seem, and by lot alone."""


class Listed(NamedTuple):
    """Some candidates: settings, where they stand among all candidates, and how good they seem (as logarithms)."""

    frame: pd.DataFrame
    place: np.ndarray
    log_score: np.ndarray

    def some(self, rows: np.ndarray) -> Listed:
        """These rows only."""
        return Listed(self.frame.iloc[rows], self.place[rows], self.log_score[rows])


class Shortlist:
    """The list while candidates come in. The best alone would often all lie in the same corner."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._kept: dict[str, tuple[Listed, np.ndarray]] = {}
        self.seen = 0

    def add(self, listed: Listed) -> None:
        """Look at a block of candidates."""
        if not len(listed.place):
            return
        self.seen += len(listed.place)
        lots = self._rng.gumbel(size=(2, len(listed.place)))
        # The largest of logarithm plus Gumbel lot are a sample without replacement, with chances by the number itself.
        keys = {"best": listed.log_score, "fair": listed.log_score + lots[0], "watched": lots[1]}
        for name, room in {"best": BEST, "fair": FAIR, "watched": WATCHED}.items():
            own, key = listed, keys[name]
            if name in self._kept:
                before, old = self._kept[name]
                own, key = _joined(before, listed), np.concatenate([old, key])
            top = np.sort(np.argsort(-key, kind="stable")[:room])
            self._kept[name] = own.some(top), key[top]

    def choosable(self) -> Listed:
        """Candidates to choose from, each once, in their order."""
        both = _joined(self._kept["best"][0], self._kept["fair"][0])
        _, first = np.unique(both.place, return_index=True)
        return both.some(first)

    def watched(self) -> Listed:
        """Candidates that stand for all."""
        return self._kept["watched"][0]


def _joined(a: Listed, b: Listed) -> Listed:
    return Listed(
        pd.concat([a.frame, b.frame]),
        np.concatenate([a.place, b.place]),
        np.concatenate([a.log_score, b.log_score]),
    )
