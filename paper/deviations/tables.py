"""The table of the study `deviations`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from paper.calibration.tables import percent
from paper.deviations.noise import KINDS
from paper.deviations.run import DRAWS
from paper.deviations.study import METHODS
from paper.engine.formats import plus_minus, write_table
from paper.engine.reading import Results

ERRORS = {
    "bias": "mean error",
    "mse_truth": "MSE to the function",
    "mse_mean": "MSE to the mean of the noisy values",
}
NOISE = {"noise_ratio": "noise over the true one", "noise_spearman": "rank corr. of noise"}


def write(results: Results, out: Path) -> None:
    """A line for each kind of noise and method."""
    lines = []
    for kind in KINDS:
        for name, method in METHODS.items():
            own = results.scores[(results.scores.dataset == kind) & (results.scores.method == name)]
            if own.empty:
                continue
            line = {"noise": KINDS[kind].title, "method": method.label}
            line |= {heading: plus_minus(own[c].mean(), own[c].std()) for c, heading in (ERRORS | NOISE).items()}
            line["90 % coverage"] = percent(own.coverage_90.mean())
            line["exact mean and std"] = percent(own.coverage_90_ideal.mean())
            line["missed below / above"] = f"{percent(own.missed_below.mean())} / {percent(own.missed_above.mean())}"
            line["NLL"] = plus_minus(own.nll.mean(), own.nll.std())
            line["NLL, exact mean and std"] = plus_minus(own.nll_ideal.mean(), own.nll_ideal.std())
            lines.append(line)
    caption = (
        f"Noise of other kinds on the 1-D toy, inside the bounding box of the training inputs, mean ± standard "
        f"deviation over {results.scores.seed.nunique()} seeds. Mean error: prediction minus noise-free function. "
        f"Noise: aleatoric standard deviation against that of the measurements. Coverage and NLL: of {DRAWS} new "
        "measurements at each evaluation point, beside a Gaussian with the exact mean and standard deviation; missed: "
        "new measurements below and above the 90 % interval, 5 % each if all is right."
    )
    write_table(pd.DataFrame(lines), out, "deviations", caption)
