"""Tables of the study `scaling`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from paper.engine.formats import decimals, plus_minus, write_table
from paper.engine.printed import printed
from paper.engine.reading import Results
from paper.scaling.study import NETWORKS, REAL, RIVAL, SEARCHES, STAND_IN

TITLES = {STAND_IN: "synthetic stand-in", REAL: "Year-Prediction-MSD"}
NOT_SONGS = "The stand-in's rows are drawn by a program: its errors say nothing about songs."
START = 64_000
"""Rows from which the growth of memory is counted."""


def write(results: Results, out: Path) -> None:
    """One large fit beside the paper's, errors and costs by rows and by parameters, and the neighbour search."""
    fits = results.scores[results.scores.method.isin(list(NETWORKS))]
    if not fits.empty:
        _resources(fits, out)
        _rows(fits, out)
        _parameters(fits, out)
        rival = results.scores[results.scores.method == RIVAL.name]
        if not rival.empty:
            _beside(by_rows(fits), rival, out)
    searches = results.scores[results.scores.method.isin(list(SEARCHES))]
    if not searches.empty:
        _searches(searches, out)


def by_rows(fits: pd.DataFrame) -> pd.DataFrame:
    """The fits of the network with the most parameters."""
    return fits[fits.parameters == fits.parameters.max()]


def by_parameters(fits: pd.DataFrame) -> pd.DataFrame:
    """The fits to the most rows."""
    return fits[fits.train_rows == fits.train_rows.max()]


def growth(fits: pd.DataFrame, start: int = START) -> float | None:
    """Megabytes that the peak of a fit grows from `start` rows to all, less what the tables grow; None if unknown."""
    means = by_rows(fits).groupby("train_rows")[["fit_megabytes", "data_megabytes"]].mean()
    if start not in means.index or start == means.index.max():
        return None
    more = means.loc[means.index.max()] - means.loc[start]
    return float(more.fit_megabytes - more.data_megabytes)


def _resources(fits: pd.DataFrame, out: Path) -> None:
    typed = printed("scaling").set_index("quantity")
    lines = []
    for quantity, (column, what, factor) in QUANTITIES.items():
        line = {"what": what}
        for dataset, own in _by_dataset(by_rows(by_parameters(fits))):
            line[TITLES[dataset]] = plus_minus(own[column].mean() * factor, own[column].std() * factor)
        lines.append({**line, "paper, on a GPU": _as_printed(typed["mean"][quantity], typed["std"][quantity])})
    rows = f"{fits.train_rows.max():,.0f} training rows and {fits.rows.max():,.0f} test rows"
    caption = (
        f"One large network: {rows}, {_seeds(fits)}. Ours on a CPU, compilation included in training; memory is that "
        "of the whole process with both tables in it, the paper's that of the GPU alone."
    )
    write_table(pd.DataFrame(lines), out, "scaling", caption)


QUANTITIES = {
    "parameters": ("parameters", "parameters, million", 1e-6),
    "fit_seconds": ("fit_seconds", "training, s", 1.0),
    "fit_gigabytes": ("fit_megabytes", "most memory in training, GB", 1e-3),
    "predict_seconds": ("predict_seconds", "prediction of the test rows, s", 1.0),
    "predict_gigabytes": ("predict_megabytes", "most memory in prediction, GB", 1e-3),
}
"""What the paper prints: our column, words, and the factor to the paper's unit."""


def _rows(fits: pd.DataFrame, out: Path) -> None:
    chosen = by_rows(fits)
    lines = [
        {"table": TITLES[dataset], "training rows": f"{count:,.0f}", **_costs(own)}
        for dataset, table in _by_dataset(chosen)
        for count, own in table.groupby("train_rows")
    ]
    grown = {TITLES[dataset]: growth(table) for dataset, table in _by_dataset(fits)}
    words = [f"{value:.0f} MB ({name})" for name, value in grown.items() if value is not None]
    said = f" From {START:,} rows to all, the most memory grows by the tables' own size and {', '.join(words)}."
    caption = (
        f"The network of {_millions(chosen)} by number of training rows, {_seeds(fits)}. Memory of the whole process; "
        "the tables are training and test rows with targets and labels as they are handed over, in single precision."
        f"{said if words else ''} {NOT_SONGS}"
    )
    write_table(pd.DataFrame(lines), out, "scaling_rows", caption)


def _beside(fits: pd.DataFrame, rival: pd.DataFrame, out: Path) -> None:
    """The rival by number of rows, and our seconds and errors as multiples of its own on the same shuffles."""
    both = rival.merge(fits, on=["dataset", "train_rows", "seed"], suffixes=("", "_ours"), how="left")
    lines = [
        {
            "table": TITLES[dataset],
            "training rows": f"{count:,.0f}",
            **_costs(own),
            "our s / its s": _number((own.fit_seconds_ours / own.fit_seconds).mean()),
            "our MSE / its MSE": f"{(own.mse_ours / own.mse).mean():.3f}",
        }
        for dataset, table in _by_dataset(both)
        for count, own in table.groupby("train_rows")
    ]
    caption = (
        f"{RIVAL.label} with error bars on the same rows, {_seeds(rival)}: trees for the mean and trees for the "
        f"variance, stopped on a tenth of the training rows. {NOT_SONGS}"
    )
    write_table(pd.DataFrame(lines), out, "scaling_rival", caption)


def _parameters(fits: pd.DataFrame, out: Path) -> None:
    chosen = by_parameters(fits)
    lines = [
        {"table": TITLES[dataset], "parameters": f"{count:,.0f}", **_costs(own)}
        for dataset, table in _by_dataset(chosen)
        for count, own in table.groupby("parameters")
    ]
    caption = (
        f"Networks of several sizes on {chosen.train_rows.max():,.0f} training rows, {_seeds(fits)}, all with the same "
        f"number of steps. {NOT_SONGS}"
    )
    write_table(pd.DataFrame(lines), out, "scaling_parameters", caption)


def _costs(own: pd.DataFrame) -> dict[str, str]:
    return {
        "s, fit": _number(own.fit_seconds.mean()),
        "s, predict": _number(own.predict_seconds.mean()),
        "MB, tables": f"{own.data_megabytes.mean():.0f}",
        "MB, most in fit": f"{own.fit_megabytes.mean():.0f}",
        "MB, most in predict": f"{own.predict_megabytes.mean():.0f}",
        "MSE": plus_minus(own.mse.mean(), own.mse.std()),
        "R2": f"{own.r2.mean():.3f}",
        "90 % coverage": f"{100 * own.coverage_90.mean():.1f} %",
    }


def _searches(searches: pd.DataFrame, out: Path) -> None:
    lines = [
        {
            "table": TITLES[dataset],
            "rows searched": f"{count:,.0f}",
            "s": _number(own.search_seconds.mean()),
            "shift of log-density": f"{own.log_density_shift.mean():+.3f}",
            "error beyond the shift": f"{own.log_density_error.mean():.3f}",
            "rank correlation": f"{own.rank_correlation.mean():.4f}",
        }
        for dataset, table in _by_dataset(searches)
        for count, own in table.groupby("searched_rows")
    ]
    spread = searches.log_density_spread.mean()
    caption = (
        f"Searching the neighbours of 4,096 rows and 8,192 noisy copies among some of {searches.train_rows.max():,.0f} "
        "rows, and the log-densities that follow, compared with those among all rows (at 512 rows and 1,024 copies). A "
        "shift common to all points does not matter; the exact log-densities have a standard deviation of "
        f"{spread:.2f}."
    )
    write_table(pd.DataFrame(lines), out, "scaling_neighbours", caption)


def _by_dataset(scores: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [(name, scores[scores.dataset == name]) for name in TITLES if name in set(scores.dataset)]


def _millions(fits: pd.DataFrame) -> str:
    return f"{fits.parameters.max() / 1e6:.2g} million parameters"


def _seeds(fits: pd.DataFrame) -> str:
    count = int(fits.seed.nunique())
    return "one shuffle" if count == 1 else f"{count} shuffles, mean ± standard deviation"


def _as_printed(mean: float, std: float) -> str:
    """With the digits that the paper has."""
    text = f"{mean:g}"
    return text if pd.isna(std) else f"{text} ± {std:.{len(text.partition('.')[2])}f}"


def _number(value: float) -> str:
    return f"{value:.{decimals(value, 2)}f}"
