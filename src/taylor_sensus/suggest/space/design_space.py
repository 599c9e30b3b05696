"""A design space: settings by column, with constraints, from which candidates are drawn that meet all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from taylor_sensus.suggest.space.constraints import Rules, tied_columns
from taylor_sensus.suggest.space.domain import Categories, Domain, Levels, Range, read_domains
from taylor_sensus.suggest.space.feasible_region import FeasibleRegion
from taylor_sensus.suggest.space.hit_and_run import HitAndRun
from taylor_sensus.tables.column import Column


class DesignSpace:
    """Bounds, levels and categories by column, with constraints."""

    def __init__(
        self, given: Mapping[str, Any], columns: Sequence[Column], rules: Rules, rng: np.random.Generator
    ) -> None:
        self.domains: dict[str, Domain] = read_domains(given, columns, rules)
        tied = tied_columns(rules.lines, rules.cardinalities)
        numbers = {n: d for n, d in self.domains.items() if n in tied and not isinstance(d, Categories)}
        region = FeasibleRegion(tuple(numbers), tuple(numbers.values()), rules.lines, rules.cardinalities)
        self.sampler = HitAndRun(region, rng) if rules.lines or rules.cardinalities else None
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
        if self.sampler is not None:
            found |= zip(self.sampler.region.names, self.sampler.draw(rng, count).T, strict=True)
        return pd.DataFrame({name: found[name] for name in self.domains})

    def near(self, rows: pd.DataFrame, rng: np.random.Generator, share: float) -> pd.DataFrame:
        """Settings not far from each of the rows: some columns are moved by about a `share` of what they may be."""
        found = {}
        for name in self.single:
            values = rows[name].to_numpy()
            moved = self.domains[name].near(values, rng, share)
            found[name] = np.where(rng.random(len(rows)) < max(0.3, 1 / len(self.domains)), moved, values)
        if self.sampler is not None:
            x = rows[list(self.sampler.region.names)].to_numpy(dtype=float)
            for _ in range(2):
                x = self.sampler.moved(x, rng, share)
            found |= zip(self.sampler.region.names, x.T, strict=True)
        return pd.DataFrame({name: found[name] for name in self.domains})
