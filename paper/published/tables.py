"""Tables of the study `published`: ours beside the figures of others."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from paper.engine.formats import HEADINGS, decimals, plus_minus, write_table
from paper.engine.printed import printed
from paper.engine.reading import Results
from taylor_sensus.baselines.registry import METHODS

HERE = "here"
OTHERS = "published"


def write(results: Results, out: Path) -> None:
    """One table a dataset."""
    for dataset, (scores, folds, caption) in TABLES.items():
        own = results.scores[results.scores.dataset == dataset]
        if not own.empty:
            lines = _ours(own, scores, folds) + _theirs(dataset, scores)
            write_table(pd.DataFrame(lines), out, f"published_{dataset}", caption.format(count=own.seed.nunique()))


TABLES = {
    "matbench_steels": (
        ("mae",),
        True,
        "Matbench steels, {count} of the benchmark's 5 folds: MAE in MPa, mean ± standard deviation over folds, and "
        "each fold, beside published values of the same benchmark.",
    ),
    "concrete": (
        ("rmse", "nll"),
        False,
        "Concrete, {count} random splits of 90 and 10 %: mean ± standard deviation over splits, beside published "
        "values of other random splits of the same kind. NLL with its constant.",
    ),
}  # fmt: skip
"""Scores, whether each fold is shown, caption with a place for the number of splits."""


def _ours(own: pd.DataFrame, scores: tuple[str, ...], folds: bool) -> list[dict[str, str]]:
    lines = []
    for name in [name for name in METHODS if name in set(own.method)]:
        found = own[own.method == name].sort_values("seed")
        line = {"method": METHODS[name].label, "source": HERE}
        line |= {HEADINGS[score]: plus_minus(found[score].mean(), found[score].std()) for score in scores}
        if folds:
            values = zip(found.seed, found[scores[0]], strict=True)
            line |= {f"fold {seed:.0f}": f"{value:.{decimals(value)}f}" for seed, value in values}
        lines.append(line)
    return lines


def _theirs(dataset: str, scores: tuple[str, ...]) -> list[dict[str, str]]:
    typed = printed("published").query("dataset == @dataset").pivot(index="method", columns="score", values="mean")
    return [
        {"method": str(name), "source": OTHERS}
        | {HEADINGS[s]: f"{line[s]:g}" if pd.notna(line.get(s)) else "–" for s in scores}
        for name, line in typed.iterrows()
    ]
