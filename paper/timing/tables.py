"""Tables of the study `timing`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from paper.comparison.summary import reading_order
from paper.data.catalogue import title
from paper.data.names import SIX
from paper.engine.formats import decimals, write_table
from paper.engine.printed import printed
from paper.engine.reading import Results
from taylor_sensus.baselines.registry import METHODS


def write(results: Results, out: Path) -> None:
    """Two tables: seconds to fit and to predict, as ratios to the plain network too, beside the printed seconds."""
    found = seconds_table(results.scores)
    typed = printed("timing").set_index(["dataset", "method", "score"])["mean"]
    for score, what in (("fit_seconds", "Training"), ("predict_seconds", "Prediction")):
        lines = []
        for method in METHODS:
            line = {"method": METHODS[method].label}
            for dataset in [d for d in SIX if d in found.index.get_level_values("dataset")]:
                if (dataset, method) not in found.index:
                    continue
                seconds, ratio = found.loc[(dataset, method), [score, f"{score}_ratio"]]
                paper = typed.get((dataset, method, score))
                base = typed.get((dataset, "mlp", score))
                line[title(dataset)] = f"{seconds:.{decimals(seconds, 2)}f} ({ratio:.{decimals(ratio, 2)}f})"
                shown = "–" if paper is None else f"{paper:g} ({paper / base:.{decimals(paper / base, 2)}f})"
                line[f"{title(dataset)}, paper"] = shown
            if len(line) > 1:
                lines.append(line)
        caption = (
            f"{what} seconds on 2 CPU cores, in brackets as a multiple of the MLP's in the same run, beside the "
            "paper's (on a GPU). Compilation is not included: the second fit in a process."
        )
        write_table(pd.DataFrame(lines), out, f"timing_{score}", caption)


def seconds_table(seconds: pd.DataFrame) -> pd.DataFrame:
    """Seconds of each dataset and method, and their ratio to those of the plain network in the same study."""
    columns = ["first_fit_seconds", "fit_seconds", "predict_seconds"]
    found = seconds.groupby(["dataset", "method"])[[c for c in columns if c in seconds]].mean()
    found = found.reindex(sorted(found.index, key=reading_order))
    for name in ("fit_seconds", "predict_seconds"):
        base = found[name].xs("mlp", level="method")
        found[f"{name}_ratio"] = found[name] / base.reindex(found.index.get_level_values("dataset")).to_numpy()
    return found
