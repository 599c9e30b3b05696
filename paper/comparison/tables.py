"""Tables of the study `comparison`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from paper.comparison.summary import averages, differences, ranks
from paper.data.catalogue import title
from paper.data.names import SIX
from paper.engine.formats import HEADINGS, plus_minus, write_table
from paper.engine.printed import OURS, printed
from paper.engine.reading import Results
from taylor_sensus.baselines.registry import METHODS

SCORES = ("mse", "rmse", "mae", "nll", "nll_paper", "crps", "coverage_90", "width_90", "std_error_spearman")
PAPERS = [name for name, method in METHODS.items() if method.origin == "paper"]


def write(comparison: Results, out: Path) -> None:
    """The paper's main table, all scores, ranks and paired differences."""
    for dataset in comparison.datasets:
        if dataset in SIX:
            _main(comparison, dataset, out)
        _scores(comparison, dataset, out)
    _ranks(comparison, out)
    for score in ("mse", "nll_paper"):
        _differences(comparison, score, out)


def _main(results: Results, dataset: str, out: Path) -> None:
    """The paper's main table, one dataset: in its units, with the printed value beside ours."""
    seeds = results.scores.seed.nunique()
    found = averages(results.scores, ["mse", "mae", "nll_paper"]).loc[dataset]
    typed = printed("comparison").query("dataset == @dataset").set_index(["method", "score"])
    lines = []
    for method in found.index:
        line = {"method": METHODS[method].label}
        for score in ("mse", "mae", "nll_paper"):
            factor = float(typed.xs(score, level="score").factor.iloc[0])
            heading = "NLL" if score == "nll_paper" else HEADINGS[score]
            heading += "" if factor == 1 else f" (×{factor:g})"
            ours = found.loc[method, score]
            line[heading] = plus_minus(ours["mean"] / factor, ours["std"] / factor)
            line[f"{heading} in the paper"] = _printed_cell(typed, method, score)
        lines.append(line)
    caption = (
        f"{title(dataset)}: test scores over {seeds} splits, mean ± standard deviation, in the units of the paper's "
        "main table (under ×10000 a score of 14,500 reads 1.45), beside the values printed there. "
        "NLL without its constant, as printed."
    )
    write_table(pd.DataFrame(lines), out, f"main_{dataset}", caption)


def _printed_cell(typed: pd.DataFrame, method: str, score: str) -> str:
    if (method, score) not in typed.index:
        return "–"
    mean, std = typed.loc[(method, score), ["mean", "std"]]
    return "N/A" if pd.isna(mean) else f"{mean:.2f} ± {std:.2f}"


def _scores(results: Results, dataset: str, out: Path) -> None:
    """All scores of one dataset in its own unit; the best of each in bold where smaller is better."""
    found = averages(results.scores, list(SCORES)).loc[dataset]
    lines = []
    for method in found.index:
        line = {"method": METHODS[method].label}
        for score in SCORES:
            mean, std = found.loc[method, (score, "mean")], found.loc[method, (score, "std")]
            cell = plus_minus(mean, std)
            best = score not in ("coverage_90", "width_90", "std_error_spearman")
            best = best and mean == found[(score, "mean")].min()
            line[HEADINGS[score]] = f"**{cell}**" if best else cell
        lines.append(line)
    seeds = results.scores.seed.nunique()
    caption = f"{title(dataset)}: all scores on test rows, {seeds} splits, mean ± standard deviation over splits."
    write_table(pd.DataFrame(lines), out, f"scores_{dataset}", caption)


def _ranks(results: Results, out: Path) -> None:
    scores = results.scores[results.scores.dataset.isin(SIX)]
    for name, methods, who in (
        ("ranks", None, "all methods"),
        ("ranks_paper", [*PAPERS, "tsnet_paper"], "the paper's eleven methods, TSNet as printed"),
        ("ranks_paper_ours", [*PAPERS, OURS], "the paper's ten rivals and our default TSNet"),
    ):
        found = ranks(scores, methods)
        shown = found.rename(columns=HEADINGS).reset_index()
        shown["method"] = [METHODS[m].label for m in shown["method"]]
        for column in shown.columns[1:-2]:
            shown[column] = [f"{v:.2f}" if pd.notna(v) else "N/A" for v in shown[column]]
        caption = (
            f"Mean rank over the cells of the main table (six datasets; MSE, MAE, NLL), {who}: 1 is best. "
            "Cells won counts ties for each."
        )
        write_table(shown, out, name, caption)


def _differences(results: Results, score: str, out: Path) -> None:
    """Each rival minus TSNet: above zero, the rival is worse."""
    found = differences(results.predictions, score)
    if found.empty:
        return
    found["cell"] = [_difference_cell(line, score) for _, line in found.iterrows()]
    shown = found.pivot(index="method", columns="dataset", values="cell")
    order = [d for d in (*SIX, *results.datasets) if d in shown.columns]
    shown = shown.reindex([m for m in METHODS if m in shown.index])[list(dict.fromkeys(order))]
    shown.insert(0, "method", [METHODS[m].label for m in shown.index])
    what = "MSE, in percent of TSNet's" if score == "mse" else "NLL"
    caption = (
        f"Paired difference of each rival to TSNet on the same test rows: {what}, with a 95 % bootstrap interval over "
        "rows. Above zero the rival is worse; an asterisk marks an interval that does not hold zero."
    )
    shown.columns = ["method", *[title(c) for c in shown.columns[1:]]]
    write_table(shown, out, f"differences_{score}", caption)


def _difference_cell(line: pd.Series, score: str) -> str:
    unit = line.tsnet / 100 if score == "mse" else 1.0
    value, low, high = line.difference / unit, line.lower / unit, line.upper / unit
    places = 0 if score == "mse" else 2
    star = "*" if low > 0 or high < 0 else ""
    return f"{value:+.{places}f} [{low:+.{places}f}, {high:+.{places}f}]{star}"
