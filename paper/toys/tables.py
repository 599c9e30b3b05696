"""Tables of the study `toys`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from paper.engine.formats import plus_minus, write_table
from paper.engine.reading import Results
from paper.toys.methods import TOY_METHODS
from paper.toys.problems import REGIONS
from paper.toys.study import RAW_DATASETS, TOY_DATASETS
from paper.toys.summary import REGION_TITLES, complete, toy_title

ERRORS = {f"mse_{region}": f"MSE {REGION_TITLES[region]}" for region in REGIONS}
LIKELIHOODS = {f"nll_{region}": f"NLL {REGION_TITLES[region]}" for region in REGIONS}
COVERAGES = {f"coverage_90_{region}": f"90 % coverage {REGION_TITLES[region]}" for region in ("in", "ext")}
NOISE = {"noise_spearman": "rank corr. of noise", "noise_ratio": "noise over the true one"}


def write(results: Results, out: Path) -> None:
    """A table for each toy and each unit of the embedding's waves."""
    scores = complete(results.scores, TOY_METHODS)
    for dataset in (*TOY_DATASETS, *RAW_DATASETS):
        here = scores[scores.dataset == dataset]
        if not here.empty:
            _toy(here, dataset, out)


def _toy(scores: pd.DataFrame, dataset: str, out: Path) -> None:
    columns = {**ERRORS, **LIKELIHOODS, **COVERAGES, **NOISE}
    found = scores.reindex(columns=["method", *columns]).groupby("method").agg(["mean", "std"])
    found = found.reindex([name for name in TOY_METHODS if name in found.index])
    best = found.xs("mean", axis=1, level=1)[[*ERRORS, *LIKELIHOODS]].min()
    lines = []
    for method, own in found.iterrows():
        line = {"method": TOY_METHODS[str(method)].label}
        for column, heading in columns.items():
            cell = plus_minus(own[column, "mean"], own[column, "std"])
            line[heading] = f"**{cell}**" if own[column, "mean"] == best.get(column) else cell
        lines.append(line)
    ideal = {LIKELIHOODS[f"nll_{r}"]: plus_minus(scores[f"nll_ideal_{r}"].mean(), float("nan")) for r in REGIONS}
    lines.append({"method": "exact mean and noise", **ideal})
    caption = (
        f"{toy_title(dataset)}: mean ± standard deviation over {scores.seed.nunique()} seeds, the best in bold. MSE "
        "against the noise-free truth; NLL and coverage against new noisy measurements at the evaluation points; "
        "noise (aleatoric standard deviation) against the true one inside. In: inside the bounding box of the training "
        "inputs. N/A: the method has no error bars, or its noise is the same everywhere and has no ranks."
    )
    write_table(pd.DataFrame(lines), out, f"toys_{dataset.removeprefix('toy_')}", caption)
