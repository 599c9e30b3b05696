"""Tables of the study `calibration`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from paper.calibration.run import EVEN, NOISE_SHARE, TEST_ROWS, THIRDS, UNEVEN
from paper.calibration.study import PROBLEMS
from paper.data.catalogue import title
from paper.engine.formats import plus_minus, write_table
from paper.engine.reading import Results
from taylor_sensus.baselines.registry import METHODS

BOUND = 0.15
"""The learned noise should be within this share of the truth; asked at 200 rows."""
LEVELS = (50, 80, 90, 95)


def write(results: Results, out: Path) -> None:
    """Coverage and scores on the whole, by thirds of the rows, and the learned noise."""
    scores = results.scores.assign(
        nll_excess=lambda s: s.nll - s.nll_ideal,
        crps_ratio=lambda s: s.crps / s.crps_ideal,
        width_ratio=lambda s: s.width_90 / s.width_90_ideal,
    )
    _whole(scores, out)
    _thirds(scores, out)
    _noise(scores, out)


def problem_title(problem: str) -> str:
    """A problem's name for readers."""
    if problem == "toy_1d":
        return "the paper's 1-D toy, uneven noise"
    kind = "uneven" if problem.endswith(UNEVEN) else "even"
    return f"{title(problem.removesuffix(UNEVEN).removesuffix(EVEN))}, {kind} noise"


def _whole(scores: pd.DataFrame, out: Path) -> None:
    lines = []
    for (count, method), own in _by_rows_and_method(scores):
        line = {"rows": f"{count:.0f}", "method": METHODS[method].label}
        line |= {f"{level} %": percent(own[f"coverage_{level}"].mean()) for level in LEVELS}
        line |= {"90 % width over the ideal's": f"{own.width_ratio.mean():.2f}"}
        line |= {"CRPS over the ideal's": f"{own.crps_ratio.mean():.2f}"}
        line |= {"NLL minus the ideal's": f"{own.nll_excess.mean():.2f}"}
        line |= {"noise over the true one": f"{own.noise_ratio.mean():.2f}"}
        lines.append(line)
    caption = (
        f"Coverage of central intervals and scores on {TEST_ROWS:,} fresh rows by number of training rows, mean over "
        f"{scores.dataset.nunique()} problems and all seeds. The ideal knows the exact mean and noise."
    )
    write_table(pd.DataFrame(lines), out, "calibration", caption)


def _thirds(scores: pd.DataFrame, out: Path) -> None:
    lines = []
    for (count, method), own in _by_rows_and_method(scores):
        for third in THIRDS:
            line = {"rows": f"{count:.0f}", "method": METHODS[method].label, "third by std": third}
            line |= {f"{level} %": percent(own[f"coverage_{level}_{third}"].mean()) for level in LEVELS}
            line["90 % width"] = f"{(own[f'width_90_{third}'] / own.width_90_ideal).mean():.2f}"
            line["CRPS"] = f"{(own[f'crps_{third}'] / own.crps_ideal).mean():.2f}"
            line["NLL"] = f"{(own[f'nll_{third}'] - own.nll_ideal).mean():+.2f}"
            lines.append(line)
    caption = (
        "The same in each third of the fresh rows, ordered by predicted standard deviation: coverage, width and CRPS "
        "as multiples of the ideal's over all rows, NLL minus the ideal's over all rows. Coverage should be as "
        "promised in each third; the others should grow with the noise."
    )
    write_table(pd.DataFrame(lines), out, "calibration_thirds", caption)


def _noise(scores: pd.DataFrame, out: Path) -> None:
    lines = []
    for problem in [p for p in PROBLEMS if p in set(scores.dataset)]:
        for (count, method), own in _by_rows_and_method(scores[scores.dataset == problem]):
            near = ((own.noise_ratio - 1).abs() <= BOUND).sum()
            ratio = plus_minus(own.noise_ratio.mean(), own.noise_ratio.std())
            star = "*" if abs(own.noise_ratio.mean() - 1) > BOUND else ""
            line = {"problem": problem_title(problem), "rows": f"{count:.0f}", "method": METHODS[method].label}
            line |= {
                "noise over the true one": ratio + star,
                f"seeds within {percent(BOUND, 0)}": f"{near} of {len(own)}",
            }
            lines.append(line | {"error of a row": percent(own.noise_log_error.mean())})
    caption = (
        "The learned noise (mean aleatoric standard deviation over the mean true one, mean ± standard deviation over "
        f"seeds; an asterisk marks a mean that is more than {percent(BOUND, 0)} off), and the median over rows of the "
        f"size of the logarithm of their ratio. The noise is {percent(NOISE_SHARE, 0)} of the function's spread; the "
        "toy has its own."
    )
    write_table(pd.DataFrame(lines), out, "calibration_noise", caption)


def _by_rows_and_method(scores: pd.DataFrame):
    """Groups in the order of rows, then of the registry."""
    groups = dict(list(scores.groupby(["train_rows", "method"])))
    return sorted(groups.items(), key=lambda item: (item[0][0], list(METHODS).index(item[0][1])))


def percent(share: float, places: int = 1) -> str:
    """`89.7 %`."""
    return f"{100 * share:.{places}f} %"
