"""The documentation's tables about other libraries, written from the results: `peers_TASK.md` beside the CSV files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from bench.peers_experiments import EXPERIMENTS
from bench.peers_formula import FORMULA
from bench.peers_records import Records, Task
from bench.peers_uncertainty import UNCERTAINTY
from paper.data.catalogue import title
from paper.engine.formats import HEADINGS, markdown, plus_minus
from taylor_sensus.datasets.catalogue import DATASETS

SECONDS = "seconds"
NOT_OURS = ("numpy", "scikit-learn", "taylor-sensus", "source", "torch")
"""Named in the results, but not in the line that says which libraries were run."""


def write_tables(results: Path) -> list[Path]:
    """One file for each task that has results."""
    written = []
    for name, text in tables(results).items():
        path = results / f"peers_{name}.md"
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def tables(results: Path) -> dict[str, str]:
    """Text of each task's tables, by the task's name."""
    makers = {UNCERTAINTY: uncertainty, EXPERIMENTS: experiments, FORMULA: formula}
    found = {task: whole_seeds(Records(results, task.name).read()) for task in makers}
    return {task.name: makers[task](found[task]) + "\n" for task in makers if len(found[task])}


def whole_seeds(found: pd.DataFrame) -> pd.DataFrame:
    """Only seeds on which all have been run, so that everybody is judged on the same ones."""
    runs = found[["seed", "case", "peer"]].drop_duplicates().groupby("seed").size()
    return found[found["seed"].isin(runs.index[runs == runs.max()])] if len(found) else found


def uncertainty(found: pd.DataFrame) -> str:
    """A table for each dataset."""
    parts = [origin(UNCERTAINTY, found)]
    scores = ["rmse", "coverage_90", "width_90", "nll"]
    for case, rows in grouped(found, UNCERTAINTY.cases, "case"):
        lines = []
        for label, runs in by_peer(rows, UNCERTAINTY):
            cells = {HEADINGS[name]: spread(runs[name]) for name in scores}
            lines.append({"method": label, **cells, SECONDS: seconds(runs)})
        caption = f"**{title(case)}** (unit: {DATASETS[case].unit})"
        parts.append(f"{caption}\n\n{markdown(pd.DataFrame(lines))}")
    return "\n\n".join(parts)


def experiments(found: pd.DataFrame) -> str:
    """What is found and learned, by the number of mixes that are known."""
    goal = spread(found.groupby("seed")["ten_best_of_all"].first())
    captions = {
        "ten_best": f"**Mean strength of the ten strongest mixes known, in MPa.** Of all mixes: {goal}.",
        "rmse": "**RMSE on test rows, in MPa, of Taylor-Sensus fitted to the known mixes.**",
        "rmse_forest": "**RMSE on test rows, in MPa, of a random forest fitted to the known mixes.**",
    }
    parts = [origin(EXPERIMENTS, found)]
    for score, caption in captions.items():
        lines = []
        for label, runs in by_peer(found, EXPERIMENTS):
            line = {"chosen by": label}
            line |= {f"{known} mixes": spread(rows[score]) for known, rows in runs.groupby("rows")}
            if score == "ten_best":
                line["seconds a choice"] = seconds(runs[runs["round"] > 0])
            lines.append(line)
        parts.append(f"{caption}\n\n{markdown(pd.DataFrame(lines))}")
    return "\n\n".join(parts)


def formula(found: pd.DataFrame) -> str:
    """Errors of the curves inside and outside the data, for each number of rows."""
    lines = []
    for label, runs in by_peer(found, FORMULA):
        line = {"RMSE to the true curve": label}
        for case, rows in grouped(runs, FORMULA.cases, "case"):
            line |= {f"{case}, inside": spread(rows["rmse_inside"]), f"{case}, beyond": spread(rows["rmse_outside"])}
        lines.append({**line, SECONDS: seconds(runs)})
    return f"{origin(FORMULA, found)}\n\n{markdown(pd.DataFrame(lines))}"


def origin(task: Task, found: pd.DataFrame) -> str:
    """When, with which versions, on how many seeds, by which command."""
    pairs = {pair for text in found["versions"].unique() for pair in text.split(", ")}
    versions = sorted((pair for pair in pairs if pair.split()[0] not in NOT_OURS), key=str.lower)
    seeds = sorted(found["seed"].unique())
    run_with = f", with {', '.join(versions)}" if versions else ""
    return (
        f"Measured on {found['day'].max()}{run_with}; seeds {seeds[0]} to {seeds[-1]}, mean ± standard deviation. "
        f"Again with `python -m bench.peers {task.name} --seeds {seeds[0]}-{seeds[-1]}`."
    )


def by_peer(rows: pd.DataFrame, task: Task) -> list[tuple[str, pd.DataFrame]]:
    """Label and runs of each who has any, in the order of the task."""
    labels = {peer.name: peer.label for peer in task.peers}
    return [(labels[name], runs) for name, runs in grouped(rows, tuple(labels), "peer")]


def grouped(rows: pd.DataFrame, names: tuple[str, ...], column: str) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each name that has any, in this order."""
    return [(name, rows[rows[column] == name]) for name in names if (rows[column] == name).any()]


def spread(values: pd.Series) -> str:
    """Mean and standard deviation over seeds; a dash where there is nothing."""
    return "–" if values.isna().all() else plus_minus(values.mean(), values.std(ddof=1))


def seconds(runs: pd.DataFrame) -> str:
    """The median: the first fit of a kind also compiles, which would spoil a mean."""
    found = runs[SECONDS].median()
    return "< 0.1" if found < 0.1 else f"{found:.2g}" if found < 10 else f"{found:.0f}"
