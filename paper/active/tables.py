"""Tables of the study `active`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from paper.active.study import EPISTEMIC, RANDOM, SUGGEST, TOTAL
from paper.active.summary import Ratio, by_cycle, curves, cycles_led, datasets, half, over_random
from paper.data.catalogue import title
from paper.engine.formats import plus_minus, write_table
from paper.engine.printed import OURS, printed
from paper.engine.reading import Results
from taylor_sensus.baselines.registry import METHODS

ARM_WORDS = {TOTAL: "whole error bar", EPISTEMIC: "its epistemic part", SUGGEST: "suggested batch", RANDOM: "random"}
CLAIMS = {"lowest MSE": "mse", "highest improvement ratio": "improvement"}


def write(results: Results, out: Path) -> None:
    """Every arm of every method by dataset, and in how many cycles TSNet leads."""
    cycles = by_cycle(results.scores)
    for dataset in datasets(cycles):
        _dataset(cycles, dataset, out)
    there = cycles.index.unique("method")
    if OURS in there and any(METHODS[name].origin == "paper" for name in there):  # else there is nobody to lead
        _claims(curves(cycles), out)


def arms(cycles: pd.DataFrame, dataset: str) -> list[tuple[str, str]]:
    """Methods in the order of the registry, each with its arms in the order of the words."""
    own = cycles.loc[[dataset]].index
    found = set(zip(own.get_level_values("method"), own.get_level_values("arm"), strict=True))
    return [(name, arm) for name in METHODS for arm in ARM_WORDS if (name, arm) in found]


def _dataset(cycles: pd.DataFrame, dataset: str, out: Path) -> None:
    middle, last = half(cycles, dataset), int(cycles.index.get_level_values("cycle").max())
    rows = cycles.xs(dataset, level="dataset").train_rows.groupby(level="cycle").mean()
    places = {number: f"{rows[number]:.0f} rows" for number in (0, middle, last)}
    lines = []
    for name, arm in arms(cycles, dataset):
        own = cycles.loc[dataset, name, arm]
        line = {"method": METHODS[name].label, "rows chosen by": ARM_WORDS[arm]}
        for number, place in places.items():
            mse = own.mse.xs(number, level="cycle")
            line[f"MSE, {place}"] = plus_minus(mse.mean(), mse.std())
        gain = own.improvement.xs(last, level="cycle")
        line["improvement"] = plus_minus(gain.mean(), gain.std(), 2)
        for number in (middle, last):
            ratio = "" if arm == RANDOM else _ratio(over_random(cycles, dataset, name, arm, number))
            line[f"over random, {places[number]}"] = ratio
        lines.append(line)
    splits = cycles.index.unique("seed").size
    caption = (
        f"{title(dataset)}: MSE on the same test rows at the start, with half of the pool, and "
        f"after {last} cycles, mean ± standard deviation over {splits} splits; improvement is the share of the MSE at "
        "the start that is gone at the end. The last two columns: MSE over that of the same "
        "method with as many random rows, geometric mean over splits with Student's 95 % interval; below 1 choosing "
        "helps, and an asterisk marks an interval that does not hold 1."
    )
    write_table(pd.DataFrame(lines), out, f"active_{dataset}", caption)


def _ratio(ratio: Ratio) -> str:
    if np.isnan(ratio.lower):
        return f"{ratio.mean:.2f}"
    star = "*" if ratio.upper < 1 or ratio.lower > 1 else ""
    return f"{ratio.mean:.2f} [{ratio.lower:.2f}, {ratio.upper:.2f}]{star}"


def _claims(means: pd.DataFrame, out: Path) -> None:
    count = means.index.unique("cycle").size
    lines = []
    for _, claim in printed("active").iterrows():
        if claim.dataset not in datasets(means):
            continue
        line = {"dataset": title(claim.dataset), "TSNet has the": claim.what, "in the paper": claim.said}
        for arm in (TOTAL, EPISTEMIC, SUGGEST):
            led = cycles_led(means, claim.dataset, arm, column=CLAIMS[claim.what])
            line[f"here, {ARM_WORDS[arm]}"] = f"{len(led)} of {count} cycles"
        lines.append(line)
    caption = (
        "In how many cycles TSNet leads the paper's rivals that give error bars, by the mean over splits; all choose "
        "by their own error bars. The improvement ratio of the first cycle is 0 for all, and no method leads there."
    )
    write_table(pd.DataFrame(lines), out, "active", caption)
