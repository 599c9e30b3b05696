"""Tables of the study `toy_ablation`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from paper.ablation.tables import interval
from paper.engine.formats import plus_minus, write_table
from paper.engine.printed import printed
from paper.engine.reading import Results
from paper.toy_ablation.variants import PRINTED_ROWS, VARIANTS
from paper.toys.methods import DEFAULT, HARMONICS, PROCESS
from paper.toys.study import RAW, RAW_DATASETS, TOY_DATASETS
from paper.toys.summary import REGION_TITLES, complete, paired, toy_title

PAIRS = (
    ("dtb_both", "dtb"),
    ("dtb_both", "mlp"),
    ("dtb", "mlp"),
    (DEFAULT.name, PROCESS.name),
    (DEFAULT.name, HARMONICS.name),
)
"""Who is held against whom."""
COLUMNS = {f"mse_{region}": heading for region, heading in REGION_TITLES.items()}


def write(results: Results, out: Path) -> None:
    """The paper's table for each toy and unit of the waves, its values beside ours; then pairs on the same seeds."""
    scores = complete(results.scores, VARIANTS)
    here = [dataset for dataset in (*TOY_DATASETS, *RAW_DATASETS) if dataset in set(scores.dataset)]
    for dataset in here:
        _toy(scores[scores.dataset == dataset], dataset, out)
    _pairs(scores, here, out)


def typed(dataset: str) -> pd.DataFrame:
    """The paper's values: index method, columns as ours. It has no second unit."""
    found = printed("toy_ablation")
    return found[found.dataset == dataset.removesuffix(RAW)].set_index("method")[list(COLUMNS)]


def _toy(scores: pd.DataFrame, dataset: str, out: Path) -> None:
    found = scores.groupby("method")[list(COLUMNS)].agg(["mean", "std"])
    theirs = typed(dataset)
    rows = [name for name in PRINTED_ROWS if name in found.index]
    order, their_order = found["mse_all", "mean"].loc[rows].rank(), theirs.mse_all.loc[rows].rank()
    lines = []
    for name in [name for name in VARIANTS if name in found.index]:
        line = {"model": VARIANTS[name].label}
        for column, heading in COLUMNS.items():
            line[heading] = plus_minus(found.loc[name, (column, "mean")], found.loc[name, (column, "std")])
            line[f"{heading}, paper"] = f"{theirs.loc[name, column]:.3f}" if name in theirs.index else "–"
        line["order"] = f"{order[name]:.0f}" if name in rows else "–"
        line["order, paper"] = f"{their_order[name]:.0f}" if name in rows else "–"
        lines.append(line)
    caption = (
        f"{toy_title(dataset)}: MSE against the noise-free truth, mean ± standard deviation over "
        f"{scores.seed.nunique()} seeds, beside the paper's values. In and Ext: inside and outside the bounding box of "
        "the training inputs. Order: by All among the rows that the paper has."
    )
    write_table(pd.DataFrame(lines), out, f"toy_ablation_{dataset.removeprefix('toy_')}", caption)


def _pairs(scores: pd.DataFrame, datasets: list[str], out: Path) -> None:
    lines = []
    for dataset in datasets:
        here, theirs = scores[scores.dataset == dataset], typed(dataset)
        for one, other in PAIRS:
            line = {"toy": toy_title(dataset), "difference": f"{VARIANTS[one].label} – {VARIANTS[other].label}"}
            found = {column: paired(here, one, other, column) for column in COLUMNS}
            if any(np.isnan(each.mean) for each in found.values()):
                continue
            for column, heading in COLUMNS.items():
                low, high = found[column].lower, found[column].upper
                line[heading] = interval(found[column], signed=True) + ("*" if low > 0 or high < 0 else "")
                both = {one, other} <= set(theirs.index)
                difference = theirs.loc[one, column] - theirs.loc[other, column] if both else np.nan
                line[f"{heading}, paper"] = f"{difference:+.3f}" if both else "–"
            lines.append(line)
    if not lines:
        return
    caption = (
        "The first minus the second on the same seeds, mean difference of MSE with a 95 % bootstrap interval over "
        "seeds, which with so few is somewhat too narrow; below zero the first is better, an asterisk marks an "
        "interval that does not hold zero. Beside it the difference of the paper's two values."
    )
    write_table(pd.DataFrame(lines), out, "toy_ablation_pairs", caption)
