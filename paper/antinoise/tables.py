"""Tables of the study `antinoise`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from paper.antinoise.summary import CLEAN, Duel, cells_won, duels, errors, field_of, relative, whole_seeds
from paper.data.catalogue import title
from paper.engine.formats import plus_minus, write_table
from paper.engine.printed import OURS, printed
from paper.engine.reading import Results
from taylor_sensus.baselines.registry import METHODS

PAPERS_LABEL = "TSNet in the paper"


def write(results: Results, out: Path) -> None:
    """How many cells each method wins, TSNet against the best rival in each cell, and all errors by dataset."""
    means = errors(results.scores)
    if means.empty:
        return
    _counts(means, out)
    _cells(results, out)
    spreads = whole_seeds(results.scores).groupby(level="dataset", sort=False).std().stack("method", future_stack=True)
    for dataset in means.index.unique("dataset"):
        _dataset(dataset, means, spreads, out)


def _counts(means: pd.DataFrame, out: Path) -> None:
    index, noisy = relative(means), [level for level in means.columns if level != CLEAN]
    datasets = means.index.unique("dataset")
    lines = []
    for name in _methods(means):
        line = {"method": METHODS[name].label}
        line["lowest MSE"] = f"{cells_won(means, name)} of {len(datasets) * len(means.columns)}"
        line["lowest relative index"] = f"{cells_won(index[noisy], name)} of {len(datasets) * len(noisy)}"
        own = np.exp(np.log(index.xs(name, level="method")).mean())
        lines.append(line | {f"relative index, {level:.0f} %": f"{own[level]:.3f}" for level in noisy})
    lines.append({"method": PAPERS_LABEL, **printed("antinoise").set_index("what").said})
    caption = (
        "Cells, a dataset and a level of noise each, in which a method has the lowest MSE on clean test rows, and in "
        "which its MSE grows least: the relative index is its MSE over its own without noise, here as a geometric mean "
        "over datasets. Rivals are counted among the paper's ten rivals and our default TSNet, each TSNet against the "
        "ten rivals alone. The last line is what the paper says of its four datasets."
    )
    write_table(pd.DataFrame(lines), out, "antinoise", caption)


def _cells(results: Results, out: Path) -> None:
    found = duels(results)
    if not found:
        return
    levels = sorted({level for _, level in found})
    lines = [
        {"dataset": title(dataset)} | {f"{level:.0f} %": _duel_cell(found[dataset, level]) for level in levels}
        for dataset in dict.fromkeys(dataset for dataset, _ in found)
    ]
    won = sum(duel.difference > 0 for duel in found.values())
    clear = sum(duel.lower > 0 for duel in found.values())
    lost = sum(duel.upper < 0 for duel in found.values())
    caption = (
        "By dataset and level of noise: the best of the paper's ten rivals, and its MSE minus that of TSNet in percent "
        "of TSNet's, mean over splits; in brackets a 95 % bootstrap interval of the paired difference over test rows. "
        "Above zero TSNet is better; an asterisk marks an interval that does not hold zero. TSNet is better in "
        f"{won} of {len(found)} cells: in {clear} the interval is above zero, in {lost} below."
    )
    write_table(pd.DataFrame(lines), out, "antinoise_cells", caption)


def _duel_cell(duel: Duel) -> str:
    star = "*" if duel.lower > 0 or duel.upper < 0 else ""
    return f"{METHODS[duel.rival].label} {duel.difference:+.1f} [{duel.lower:+.1f}, {duel.upper:+.1f}]{star}"


def _dataset(dataset: str, means: pd.DataFrame, spreads: pd.DataFrame, out: Path) -> None:
    own = means.loc[dataset]
    smallest, index = own[own.index.isin(field_of(OURS))].min(), relative(means).loc[dataset]
    lines = []
    for name in _methods(means):
        line = {"method": METHODS[name].label}
        for level in own.columns:
            cell = plus_minus(own.loc[name, level], spreads.loc[(dataset, name), level])
            best = name in field_of(OURS) and own.loc[name, level] == smallest[level]
            line[f"MSE, {level:.0f} %"] = f"**{cell}**" if best else cell
        noisy = [level for level in own.columns if level != CLEAN]
        lines.append(line | {f"index, {level:.0f} %": f"{index.loc[name, level]:.2f}" for level in noisy})
    caption = (
        f"{title(dataset)}: MSE on clean test rows by percent of noisy training entries, mean ± standard deviation "
        "over splits, and the relative index (MSE over the method's own without noise). Bold: the lowest of TSNet and "
        "the paper's ten rivals."
    )
    write_table(pd.DataFrame(lines), out, f"antinoise_{dataset}", caption)


def _methods(means: pd.DataFrame) -> list[str]:
    """Those of the results, in the order of the registry."""
    return [name for name in METHODS if name in means.index.unique("method")]
