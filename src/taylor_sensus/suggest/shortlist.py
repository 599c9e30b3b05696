"""From very many candidates to a few thousand: those that seem best, a fair share of the others, and some at random.

Candidates come a block at a time and only the list is kept, so a million of them take little memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

BEST, FAIR, WATCHED = 512, 1536, 1024
"""Candidates on the list because they seem best, by lot with chances by how good they seem, and by lot alone."""


class ListedCandidates(NamedTuple):
    """Some candidates: settings, where they stand among all candidates, and how good they seem (as logarithms)."""

    frame: pd.DataFrame
    place: np.ndarray
    log_score: np.ndarray

    def take(self, rows: np.ndarray) -> ListedCandidates:
        """These rows only."""
        return ListedCandidates(self.frame.iloc[rows], self.place[rows], self.log_score[rows])


class Shortlist:
    """The list while candidates come in. The best alone would often all lie in the same corner."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._kept: dict[str, tuple[ListedCandidates, np.ndarray]] = {}
        self.seen = 0

    def add(self, listed: ListedCandidates) -> None:
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
                own, key = joined(before, listed), np.concatenate([old, key])
            top = np.sort(np.argsort(-key, kind="stable")[:room])
            self._kept[name] = own.take(top), key[top]

    def choosable(self) -> ListedCandidates:
        """Candidates to choose from, each once, in their order."""
        both = joined(self._kept["best"][0], self._kept["fair"][0])
        _, first = np.unique(both.place, return_index=True)
        return both.take(first)

    def watched(self) -> ListedCandidates:
        """Candidates that stand for all."""
        return self._kept["watched"][0]


def joined(a: ListedCandidates, b: ListedCandidates) -> ListedCandidates:
    """Both, one after the other."""
    return ListedCandidates(
        pd.concat([a.frame, b.frame]),
        np.concatenate([a.place, b.place]),
        np.concatenate([a.log_score, b.log_score]),
    )
