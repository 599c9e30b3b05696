"""What longer training brings on tables beside all benchmarks: ``python -m bench.longer_training``.

Every table is fitted twice, with longer runs where short ones were too short (the default) and without; errors in units
of the target's spread on rows that neither saw. Writes ``bench/results/longer_training.csv``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd

from paper.data.catalogue import load
from taylor_sensus import TSNetRegressor
from taylor_sensus.datasets.functions import draw_function

FUNCTIONS = (
    ("robot_arm", 800, 0.02), ("piston", 300, 0.02), ("otl_circuit", 600, 0.03), ("friedman1", 600, 0.05),
    ("friedman3", 500, 0.05), ("borehole", 300, 0.02),
)  # fmt: skip
REAL = ("meats", "cars", "auto", "biomass")
RESULT = Path(__file__).parent / "results" / "longer_training.csv"


def tables(seed: int) -> Iterator[tuple[str, pd.DataFrame, pd.Series, pd.DataFrame, pd.Series]]:
    """Name, training rows and test rows."""
    for name, rows, noise in FUNCTIONS:
        drawn = draw_function(name, rows + 300, noise_share=noise, random_state=seed)
        yield name, drawn.X[:rows], drawn.y[:rows], drawn.X[rows:], drawn.y[rows:]
    for name in REAL:
        table = load(name)
        order = np.random.default_rng(100 + seed).permutation(len(table.y))
        train, test = order[: int(0.8 * len(order))], order[int(0.8 * len(order)) :]
        yield name, table.X.iloc[train], table.y.iloc[train], table.X.iloc[test], table.y.iloc[test]


def main(seeds: int = 1) -> None:
    found = []
    for seed in range(seeds):
        for name, X, y, X_test, y_test in tables(seed):
            row: dict[str, object] = {"table": name, "seed": seed}
            for word, longest in (("usual", 1.0), ("longer", 3.0)):
                with patch("taylor_sensus.fit.means.LONGER", longest):
                    started = time.process_time()
                    model = TSNetRegressor(random_state=seed, n_jobs=1).fit(X, y)
                    row[f"cpu_{word}"] = round(time.process_time() - started, 2)
                said, true = model.predict_distribution(X_test), y_test.to_numpy()
                row[f"rmse_{word}"] = round(float(np.sqrt(np.mean((said.mean - true) ** 2)) / true.std()), 5)
                row[f"nll_{word}"] = round(float(-np.mean(said.logpdf(true)) - np.log(true.std())), 4)
            found.append(row)
            print(row, flush=True)
    pd.DataFrame(found).to_csv(RESULT, index=False)


if __name__ == "__main__":
    main()
