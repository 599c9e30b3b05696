"""What the bench of other libraries is made of, and the file that keeps its results: one CSV file a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from paper.engine.atomic import write_whole
from paper.engine.versions import SOURCE, installed

RESULTS = Path(__file__).parent / "results"
KEY = ["case", "peer", "seed"]
FACTS = ["versions", "command", "day"]
DIGITS = 6
"""Significant digits that are kept."""


class Peer(NamedTuple):
    """One of those who answer."""

    name: str
    label: str
    packages: tuple[str, ...] = ()
    """What it needs beyond this package, by the names that pip knows."""


class Task(NamedTuple):
    """A question that all are asked."""

    name: str
    cases: tuple[str, ...]
    peers: tuple[Peer, ...]
    run: Callable[[str, str, int, bool], list[dict[str, float]]]
    """Scores by case, name of the peer, seed, and whether a tiny model will do; one line, or one a round."""


def missing_packages(peer: Peer) -> list[str]:
    """What would have to be installed for it."""
    return [name for name in peer.packages if not _version(name)]


def versions_of(peer: Peer) -> str:
    """Versions of what makes its numbers; of this package also the digest of its source."""
    ours = installed()
    common = {name: ours[name] for name in ("taylor-sensus", "numpy", "scikit-learn")}
    own = {name: _version(name) for name in peer.packages}
    return ", ".join(f"{name} {version}" for name, version in (own | common).items()) + f", source {ours[SOURCE]}"


class Records:
    """The results of one task so far."""

    def __init__(self, folder: Path, task: str) -> None:
        self.path = folder / f"peers_{task}.csv"

    def read(self) -> pd.DataFrame:
        """All lines; none if there is no file yet."""
        return pd.read_csv(self.path) if self.path.exists() else pd.DataFrame(columns=[*KEY, *FACTS])

    def has(self, case: str, peer: str, seed: int) -> bool:
        """Whether this run is there."""
        found = self.read()
        return bool(((found["case"] == case) & (found["peer"] == peer) & (found["seed"] == seed)).any())

    def add(self, case: str, peer: Peer, seed: int, rows: Sequence[dict[str, float]], command: str) -> None:
        """Keep the lines of a finished run; the file is written whole or not at all."""
        facts = [versions_of(peer), command, datetime.now(UTC).date().isoformat()]
        lines = pd.DataFrame(rows)
        for place, (name, value) in enumerate(zip(KEY, (case, peer.name, seed), strict=True)):
            lines.insert(place, name, value)
        lines = lines.assign(**dict(zip(FACTS, facts, strict=True)))
        before = self.read()
        both = lines if before.empty else pd.concat([before, lines])
        text = both.to_csv(index=False, float_format=f"%.{DIGITS}g", lineterminator="\n")
        write_whole(self.path, text.encode())


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
