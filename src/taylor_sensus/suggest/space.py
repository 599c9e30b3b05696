"""A space of settings, from which candidates are drawn a block at a time; all of them meet all constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from taylor_sensus.suggest.constraints import Rules
from taylor_sensus.suggest.domain import Domain, Levels, Range, Words, read_domains
from taylor_sensus.suggest.feasible import Joint
from taylor_sensus.suggest.walk import Walk
from taylor_sensus.tables.columns import Column


class Space:
    """Bounds, levels and categories by column, with constraints."""

    def __init__(
        self, given: Mapping[str, Any], columns: Sequence[Column], rules: Rules, rng: np.random.Generator
    ) -> None:
        self.domains: dict[str, Domain] = read_domains(given, columns, rules)
        tied = {name for line in rules.lines for name in line.weights} | {n for few in rules.few for n in few.columns}
        names = tuple(name for name in self.domains if name in tied)
        domains = [self.domains[name] for name in names]
        joint = Joint(names, tuple(d for d in domains if not isinstance(d, Words)), rules.lines, rules.few)
        self.walk = Walk(joint, rng) if rules.lines or rules.few else None
        self.single = [name for name in self.domains if name not in tied]

    def limits(self, rules: Rules) -> Rules:
        """The rules with the bounds of all columns of numbers."""
        bounds = {}
        for name, domain in self.domains.items():
            if isinstance(domain, Range):
                bounds[name] = domain.low, domain.high
            elif isinstance(domain, Levels):
                bounds[name] = domain.values[0], domain.values[-1]
        return rules._replace(bounds=bounds)

    def draw(self, rng: np.random.Generator, count: int) -> pd.DataFrame:
        """Settings from all over the space."""
        found = {name: self.domains[name].draw(rng, count) for name in self.single}
        if self.walk is not None:
            found |= zip(self.walk.joint.names, self.walk.draw(rng, count).T, strict=True)
        return pd.DataFrame({name: found[name] for name in self.domains})

    def near(self, rows: pd.DataFrame, rng: np.random.Generator, share: float) -> pd.DataFrame:
        """Settings not far from each of the rows: some columns are moved by about a `share` of what they may be."""
        found = {}
        for name in self.single:
            values = rows[name].to_numpy()
            moved = self.domains[name].near(values, rng, share)
            found[name] = np.where(rng.random(len(rows)) < max(0.3, 1 / len(self.domains)), moved, values)
        if self.walk is not None:
            x = rows[list(self.walk.joint.names)].to_numpy(dtype=float)
            for _ in range(2):
                x = self.walk.moved(x, rng, share)
            found |= zip(self.walk.joint.names, x.T, strict=True)
        return pd.DataFrame({name: found[name] for name in self.domains})
