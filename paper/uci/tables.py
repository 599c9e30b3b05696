"""Tables of the study `uci`; each is written whatever is missing, and says what is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from paper.engine.formats import decimals, write_table
from paper.engine.printed import printed
from paper.engine.reading import Results
from paper.uci.methods import UCI_METHODS
from paper.uci.study import DISTINCT, NINE, SPLITS
from paper.uci.summary import CELLS, WITHOUT_COPIES, against_peers, mean_ranks

SHORT = {
    "boston_housing": "Boston", "concrete": "concrete", "energy_efficiency": "energy", "kin8nm": "kin8nm",
    "naval_propulsion": "naval", "power_plant": "power", "protein_structure": "protein", "wine_quality": "wine",
    "yacht": "yacht", DISTINCT: "wine, distinct",
}  # fmt: skip
NONE = "–"


def write(results: Results, out: Path) -> None:
    """Ranks, ours beside the peers, each score by dataset, coverage, seconds, and how many splits there are."""
    scores = results.scores
    write_table(_ranks(mean_ranks(scores)), out, "uci_ranks", RANKS)
    write_table(_ranks(mean_ranks(scores, WITHOUT_COPIES)), out, "uci_ranks_distinct", RANKS_DISTINCT)
    write_table(_peers(scores), out, "uci_peers", PEERS)
    for score, caption in SCORES.items():
        cell = _rmse_cell if score == "rmse" else _cell
        table = _by_dataset(scores, lambda own, s=score, c=cell: c(own[s]))
        lines = [table] if score not in CELLS else [table, _published(score)]
        write_table(pd.concat(lines, ignore_index=True), out, f"uci_{score}", caption)
    write_table(_coverage(scores), out, "uci_coverage", COVERAGE)
    write_table(_by_dataset(scores, lambda own: f"{own.coverage_90.mean():.2f}"), out, "uci_coverage_90", COVERAGE_90)
    for name in ("fit", "predict"):
        seconds = _by_dataset(scores, lambda own, n=name: _seconds(own[f"{n}_cpu_seconds"].median()))
        write_table(seconds, out, f"uci_{name}_seconds", SECONDS.format(name))
    write_table(_by_dataset(scores, lambda own: f"{len(own)}"), out, "uci_splits", COUNTS)


RANKS = (
    "Mean rank among the methods that were run, over the nine tables and two scores (18 cells at most; without the "
    "copy of wine and the ready-made settings), with a 95 % bootstrap interval over splits; two methods are "
    "compared on the splits that both have. Last column: how far behind TSNet, paired."
)
RANKS_DISTINCT = (
    'The same with "wine, distinct" in place of wine: no method can gain by remembering a wine that stands among the '
    "training rows and the test rows."
)
PEERS = (
    "TSNet beside its peers on the same splits: RMSE over that of the better of CatBoost and ExtraTrees (asked: at "
    "most 1.03), and NLL beside the best of all others that were run."
)
SCORES = {
    "rmse": "RMSE, mean ± standard error over splits; below the line of methods run here what others have published.",
    "nll": "NLL with its constant, of the whole predictive distribution; as above.",
    "crps": "CRPS, mean ± standard error over splits.",
}
COVERAGE = (
    "Share of test rows that intervals hold, averaged over the tables; in brackets the lowest and highest of a table."
)
COVERAGE_90 = "Share of test rows that 90 % intervals hold, by table."
SECONDS = "Seconds of CPU to {} (all threads together), median over splits."
COUNTS = f"How many splits are in these tables, of {SPLITS['concrete']} (protein {SPLITS['protein_structure']})."


def _by_dataset(scores: pd.DataFrame, cell: Callable[[pd.DataFrame], str]) -> pd.DataFrame:
    lines = []
    for name in [name for name in UCI_METHODS if name in set(scores.method)]:
        line = {"method": UCI_METHODS[name].label}
        for dataset, short in SHORT.items():
            own = scores[(scores.dataset == dataset) & (scores.method == name)]
            line[short] = NONE if own.empty else cell(own)
        lines.append(line)
    return pd.DataFrame(lines)


def _cell(values: pd.Series) -> str:
    """Three significant digits of the mean, and its standard error."""
    places = min(decimals(values.mean(), 3), 2) if abs(values.mean()) >= 0.1 else decimals(values.mean(), 2)
    error = "" if len(values) < 2 else f" ± {values.sem():.{places}f}"
    return f"{values.mean():.{places}f}{error}"


def _rmse_cell(values: pd.Series) -> str:
    """Errors of every size, naval's being a ten-thousandth."""
    places = decimals(values.mean(), 3)
    if places > 5:
        return f"{values.mean():.1e}"
    return f"{values.mean():.{places}f}" + ("" if len(values) < 2 else f" ± {values.sem():.{places}f}")


def _seconds(value: float) -> str:
    return f"{value:.{min(decimals(value, 2), 3)}f}"


def _published(score: str) -> pd.DataFrame:
    typed = printed("uci").query("score == @score")
    lines = []
    for name in dict.fromkeys(typed.method):
        own = typed[typed.method == name].set_index("dataset")["mean"]
        line = {"method": f"*{name}, published*"}
        lines.append(line | {short: f"{own[d]:g}" if d in own else NONE for d, short in SHORT.items()})
    return pd.DataFrame(lines)


def _ranks(ranks: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for name, line in ranks.iterrows():
        behind = f"{line.behind:+.1f} [{line.behind_lower:+.1f}, {line.behind_upper:+.1f}]"
        lines.append(
            {
                "method": UCI_METHODS[str(name)].label, "mean rank": f"{line['all']:.2f}",
                "95 % interval": f"[{line.lower:.2f}, {line.upper:.2f}]" if pd.notna(line.lower) else "one split",
                "RMSE": f"{line.rmse:.2f}", "NLL": f"{line.nll:.2f}",
                "cells won": f"{line.won:.0f} of {line.cells:.0f}",
                "behind TSNet": behind if pd.notna(line.behind) else NONE,
            }
        )  # fmt: skip
    return pd.DataFrame(lines or [{"method": NONE}])


def _peers(scores: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for dataset in (*NINE, DISTINCT):
        found = against_peers(scores, dataset)
        line: dict[str, object] = dict.fromkeys(
            ("splits", "RMSE", "better tree method", "its RMSE", "ratio", "NLL", "best other", "its NLL"), NONE
        )
        if found:
            line = {
                "splits": found["splits"], "RMSE": f"{found['rmse']:.4g}",
                "better tree method": UCI_METHODS[str(found["better"])].label, "its RMSE": f"{found['trees']:.4g}",
                "ratio": f"{found['ratio']:.3f}", "NLL": f"{found['nll']:.3f}",
                "best other": UCI_METHODS[str(found["best"])].label if found["best"] else NONE,
                "its NLL": f"{found['peers']:.3f}",
            }  # fmt: skip
        lines.append({"table": SHORT[dataset], **line})
    return pd.DataFrame(lines)


def _coverage(scores: pd.DataFrame) -> pd.DataFrame:
    lines = []
    nine = scores[scores.dataset.isin(NINE)]
    for name in [name for name in UCI_METHODS if name in set(nine.method)]:
        line = {"method": UCI_METHODS[name].label}
        for level in (50, 80, 90, 95):
            means = nine[nine.method == name].groupby("dataset")[f"coverage_{level}"].mean()
            line[f"{level} %"] = f"{means.mean():.3f} ({means.min():.2f} to {means.max():.2f})"
        lines.append(line)
    return pd.DataFrame(lines)
