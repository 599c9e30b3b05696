"""Tables of the study `declared_errors`; each is written whatever is missing, and what was asked stands beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from paper.declared_errors import summary
from paper.declared_errors.cases import (
    BIAS_ASKED,
    CASES,
    LIMITS,
    RATIO_ASKED,
    REAL,
    SIMULATED,
    SPREAD_ASKED,
    TOYS,
    Range,
    Simulated,
)
from paper.declared_errors.methods import COMPARED, DECLARED, UNDECLARED
from paper.declared_errors.summary import NO, NONE, YES, cell, spelled, values_of, verdict
from paper.engine.formats import write_table
from paper.engine.reading import Results

WORDS = {
    "nll": "NLL", "rmse": "RMSE", "coverage": "90 % coverage", "coverage_low": "coverage, small errors",
    "coverage_mid": "coverage, middle", "coverage_high": "coverage, large errors", "beta": "slope of colour",
    "alpha": "slope of stretch", "beta_error": "its standard error", "system_noise": "left for the system",
    "slope": "slope of the law", "inside": "law within ±1.645 of its error", "rank": "rank corr. of std",
    "rmse_low": "RMSE below the limit", "bias": "bias of low values", "law_rmse": "RMSE of the law",
}  # fmt: skip
DIGITS = {"slope": 2, "inside": 2, "beta": 2, "beta_error": 2, "rank": 2, "rmse": 4, "system_noise": 4, "law_rmse": 2}
COLUMNS = {
    "redshifts_alike": ("nll", "rmse", "coverage", "coverage_low", "coverage_mid", "coverage_high"),
    "redshifts_worse": ("nll", "rmse", "coverage"),
    "redshifts_law": ("rmse", "nll", "coverage"),
    "supernovae": ("beta", "alpha", "beta_error"),
    "supernovae_covariances": ("beta", "alpha", "beta_error"),
    "accelerations": ("system_noise", "nll", "rmse", "coverage"),
    **dict.fromkeys(TOYS, ("rank", "nll", "coverage")),
}
MEANS = "Mean ± standard error over repeats"


def write(results: Results, out: Path) -> None:
    """What was asked and what came, then each group of cases with all methods."""
    scores = results.scores
    write_table(_asked(scores), out, "declared_errors_asked", ASKED)
    for name, caption in CAPTIONS.items():
        write_table(_methods(scores, name), out, f"declared_errors_{name}", caption)
    for kind in ("reading", "setting"):
        write_table(_simulated(scores, kind), out, f"declared_errors_{kind}s", SIMULATIONS[kind])
    write_table(_rivals(scores), out, "declared_errors_rivals", RIVALS)
    write_table(_changes(scores), out, "declared_errors_nll", CHANGES)
    write_table(_limits(scores), out, "declared_errors_limits", LIMITED)


ASKED = "What was asked of TSNet with declared errors, and what came; simulations have tables of their own below."
CAPTIONS = {
    "redshifts_alike": (
        "Redshifts of 3,000 galaxies whose errors are like those of the 4,000 in training; coverage also by thirds of "
        f"the error in the band r. {MEANS}, which differ by the methods' seeds alone."
    ),
    "redshifts_worse": (
        f"Learned from 2,000 precise galaxies, asked for the 2,000 least precise ones of another file. {MEANS}."
    ),
    "redshifts_law": (
        "Noise of 0.05 to 0.4 mag is added to 1,500 precise galaxies and declared; 1,500 others are predicted at their "
        f"precise magnitudes, as exact. {MEANS}."
    ),
    "supernovae": (
        "Slopes of the supernovae at exact inputs; published 3.10 and 0.141, least squares 2.44 and 0.116. "
        f"{MEANS}, which differ by the methods' seeds alone."
    ),
    "supernovae_covariances": f"The same with the covariances of errors within a row. {MEANS}.",
    "accelerations": (
        "Accelerations of galaxies, in dex: what is left for the system beside all declared errors (published 0.034 ± "
        f"0.014), and predictions of the other half of the points. {MEANS}, two halves."
    ),
    "toy_60": f"Toy R: one of three inputs is read with an error, 60 rows; 300 new readings. {MEANS}.",
    "toy_200": f"Toy R with 200 rows. {MEANS}.",
}
SIMULATIONS = {
    "reading": (
        "Readings of a known function, TSNet with declared errors: slope of the predicted on the true law at exact "
        "inputs, share of the law within ±1.645 of its standard error, coverage of new readings. "
        f"{MEANS}; the asked range in brackets."
    ),
    "setting": "Settings that are missed, the same.",
}
RIVALS = "Slope of the predicted on the true law by method, readings; 1 is right, below 1 is attenuated. Means."
CHANGES = (
    "NLL with declared errors minus without, paired by repeat; asked: at most 0.02 and two standard errors worse. "
    "Cases that are within are counted, the others are named."
)
LIMITED = (
    "Cells that tell only a bound. Inputs: error on new rows below the limit, and over that with exact values. Target: "
    f"a fifth of the training targets lies below a limit; undeclared means dropped. {MEANS}."
)


def _asked(scores: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for name in (*REAL, *TOYS, *LIMITS):
        for value, asked in CASES[name].asked.items():
            found = values_of(scores, name, DECLARED, value)
            lines.append(_line(CASES[name].title, WORDS[value], asked, found, _digits(value)))
    for name, (spread, error) in summary.slope_errors(scores).items():
        what = f"standard error over spread, {WORDS[name]}"
        lines.append(_line(REAL["supernovae_simulated"].title, what, SPREAD_ASKED, np.array([error / spread]), 2))
    ratio, share = summary.ratio_to_exact(scores, DECLARED), summary.bias_share(scores)
    lines.append(_line(LIMITS["limits_inputs"].title, "RMSE over that with exact values", RATIO_ASKED, ratio, 2))
    found = np.array([share])[~np.isnan([share])]
    lines.append(_line(LIMITS["limits_target"].title, "bias of low values over that of dropping", BIAS_ASKED, found, 2))
    return pd.DataFrame(lines)


def _line(case: str, what: str, asked: Range, found: np.ndarray, digits: int) -> dict[str, str]:
    within = verdict(float(found.mean()), asked) if len(found) else NONE
    return {"case": case, "what": what, "asked": spelled(asked), "came": cell(found, digits), "within": within}


def _digits(value: str) -> int:
    return DIGITS.get(value, 3)


def _methods(scores: pd.DataFrame, case: str) -> pd.DataFrame:
    """All methods of a case, and a last line with what was asked of ours."""
    lines = []
    for method in CASES[case].methods:
        found = {value: values_of(scores, case, method, value) for value in COLUMNS[case]}
        if any(len(values) for values in found.values()):
            cells = {WORDS[value]: cell(values, _digits(value)) for value, values in found.items()}
            repeats = max(len(values) for values in found.values())
            lines.append({"method": COMPARED[method].label, **cells, "repeats": repeats})
    wanted = {WORDS[v]: spelled(CASES[case].asked[v]) if v in CASES[case].asked else NONE for v in COLUMNS[case]}
    return pd.DataFrame([*lines, {"method": "*asked of TSNet*", **wanted, "repeats": NONE}])


def _of_kind(kind: str) -> dict[str, Simulated]:
    return {name: case for name, case in SIMULATED.items() if case.kind == kind}


def _simulated(scores: pd.DataFrame, kind: str) -> pd.DataFrame:
    lines = []
    for name, case in _of_kind(kind).items():
        line = {"function, error": case.title, "rows": case.rows}
        good = []
        for value, asked in case.asked.items():
            found = values_of(scores, name, DECLARED, value)
            line[WORDS[value]] = f"{cell(found, 2 if value != 'coverage' else 3)} [{spelled(asked)}]"
            good += [verdict(float(found.mean()), asked)] if len(found) else []
        line["within"] = NONE if not good else YES if NO not in good else NO
        line["repeats"] = len(values_of(scores, name, DECLARED, "slope"))
        lines.append(line)
    return pd.DataFrame(lines)


def _rivals(scores: pd.DataFrame) -> pd.DataFrame:
    cases = _of_kind("reading")
    there = [method for method in COMPARED if any(len(values_of(scores, name, method, "slope")) for name in cases)]
    lines = []
    for name, case in cases.items():
        line = {"function, error, rows": f"{case.title}, {case.rows}"}
        for method in there:
            found = values_of(scores, name, method, "slope")
            line[COMPARED[method].label] = f"{found.mean():.2f}" if len(found) else NONE
        lines.append(line)
    return pd.DataFrame(lines)


def _changes(scores: pd.DataFrame) -> pd.DataFrame:
    """One line a group of cases, and the cases that became worse."""
    groups = {"real tables": list(REAL), "toy R": list(TOYS)}
    groups |= {f"simulated {kind}s": list(_of_kind(kind)) for kind in ("reading", "setting")}
    lines = []
    for title, names in groups.items():
        found = {name: change for name in names if (change := summary.nll_change(scores, name)) is not None}
        worse = [name for name, change in found.items() if change.mean > change.most]
        means = np.array([change.mean for change in found.values()])
        lines.append(
            {
                "cases": title, "compared": len(found),
                "mean change": f"{means.mean():+.3f}" if len(means) else NONE,
                "worst": f"{means.max():+.3f}" if len(means) else NONE,
                "within": f"{len(found) - len(worse)} of {len(found)}", "worse": ", ".join(worse) or "none",
            }
        )  # fmt: skip
    return pd.DataFrame(lines)


def _limits(scores: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for name, case in LIMITS.items():
        for method in case.methods:
            own = {v: values_of(scores, name, method, v) for v in ("rmse_low", "bias", "coverage_low", "coverage")}
            if not len(own["rmse_low"]):
                continue
            ratio = summary.ratio_to_exact(scores, method) if name == "limits_inputs" else np.empty(0)
            label = (
                "TSNet, such rows dropped"
                if (name, method) == ("limits_target", UNDECLARED)
                else COMPARED[method].label
            )
            lines.append(
                {
                    "case": case.title, "method": label, WORDS["rmse_low"]: cell(own["rmse_low"]),
                    "over exact": cell(ratio, 2), WORDS["bias"]: cell(own["bias"]),
                    "coverage below the limit": cell(own["coverage_low"]), WORDS["coverage"]: cell(own["coverage"]),
                }
            )  # fmt: skip
    return pd.DataFrame(lines or [{"case": NONE}])
