"""Tables of the study `honesty`; each is written whatever is missing, and says what is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from paper.engine.formats import decimals, write_table
from paper.engine.reading import Results
from paper.honesty.cases import CASES, FUNCTIONS, MANY, ROWS, TABLES, Case, of_kind
from paper.honesty.methods import HONESTY_METHODS
from paper.honesty.summary import ASKED, Asked, Estimate, Measure, few, mean_of, over_process, ratio_of

NONE = "–"
OURS = "tsnet"
SHORT = {
    "wave": "wave", "friedman1_relevant": "Friedman 1", "otl_circuit": "OTL circuit", "diabetes": "diabetes",
    "concrete": "concrete", "wine_red_distinct": "wine, density", "wine_quality_distinct": "wine, quality",
}  # fmt: skip
INSIDE, CHANCE, OUTSIDE = "yes", "within chance", "no"
CHANCE_ERRORS = 2.0
"""Standard errors outside a range that chance explains."""


def write(results: Results, out: Path) -> None:
    """What is asked, and the figures of each case."""
    scores = results.scores
    write_table(_asked(scores), out, "honesty_asked", ASKED_CAPTION)
    write_table(_by_rows(scores, ROWS, FEW, generated=False), out, "honesty_few", FEW_CAPTION)
    write_table(_sources(scores), out, "honesty_sources", SOURCES_CAPTION)
    write_table(_by_rows(scores, (*ROWS, MANY), OF_F, generated=True), out, "honesty_function", OF_F_CAPTION)
    for name, (caption, columns) in SINGLE.items():
        write_table(_single(scores, columns), out, f"honesty_{name}", caption)
    write_table(_shares(scores), out, "honesty_shares", SHARES_CAPTION)
    write_table(_counts(scores), out, "honesty_repeats", COUNTS_CAPTION)


ASKED_CAPTION = (
    "What is asked, and what was found: value ± standard error over repeats. Met: by TSNet; within chance: outside the "
    "range by less than two standard errors. A dash: not run, or the method does not tell."
)
FEW_CAPTION = (
    "Few rows: share of new values that intervals hold, and scores in spreads of the target, over three generated "
    "functions and four real targets; ± standard error over tables. Split conformal intervals are infinite where the "
    "rows held out are too few, and have no density."
)
SOURCES_CAPTION = "Share of new values that 90 % intervals hold, by where the few rows (15 to 120) come from."
OF_F_CAPTION = (
    "The standard error of the function: share of f within 1.645 of it, its mean square over the mean squared error "
    "of f, and their rank correlation. CatBoost, NGBoost and conformal intervals do not tell it apart from noise."
)
SHARES_CAPTION = (
    "Noise of set points and of the system, undeclared, 200 rows: 90 % intervals of the system's share of the noise. "
    "Told apart: how often the budget says that the two can be separated."
)
COUNTS_CAPTION = "How many repeats are in these tables, and seconds of CPU to fit, median."

FEW = {
    "50 %": "coverage_50", "90 %": "coverage_90", "95 %": "coverage_95", "90 % width": "width_90", "CRPS": "crps",
    "NLL": "nll",
}  # fmt: skip
OF_F = {"f held": "f_held", "squares": ("f_claimed_square", "f_error_square"), "rank correlation": "f_spearman"}
_ONE, _TEN, _SEVERAL = ([CASES[name]] for name in ("one_slip", "ten_slips", "ten_slips_inputs"))
SINGLE: dict[str, tuple[str, dict[str, Measure]]] = {
    "factorial": (
        "Factorial design, 5 x 5 levels and four repeats each, judged between the levels (true noise 0.15).",
        {
            "RMSE": mean_of("rmse_f", of_kind("factorial")),
            "std": mean_of("mean_std", of_kind("factorial")),
            "std over the GP's": over_process("mean_std", "factorial"),
        },
    ),
    "batches": (
        "New batches after 12 to 14 of ten rows, with two inputs of the batch and two of the row; batches differ "
        "by 0.5, rows by 0.2.",
        {f"{level} %": mean_of(f"coverage_{level}", of_kind("batches")) for level in (50, 90, 95)}
        | {"90 % width": mean_of("width_90", of_kind("batches")), "RMSE": mean_of("rmse", of_kind("batches"))},
    ),
    "slips": (
        "Typing errors, values times ten, in 120 rows with noise of 0.1: judged against the function and clean values.",
        {
            "one: RMSE": mean_of("rmse_f", _ONE), "one: std": mean_of("mean_std", _ONE),
            "one: named": mean_of("named_slips", _ONE),
            "10 %: RMSE": mean_of("rmse_f", _TEN), "10 %: std": mean_of("mean_std", _TEN),
            "10 %: named": mean_of("named_slips", _TEN), "10 %: good rows named": mean_of("named_good", _TEN),
            "10 %, four inputs: RMSE": mean_of("rmse_f", _SEVERAL), "std": mean_of("mean_std", _SEVERAL),
            "good rows named": mean_of("named_good", _SEVERAL),
        },
    ),
    "tails": (
        "Share of new values below and above 90 % intervals, 5 % each if all is right, with lognormal noise and for "
        "counts (by the randomised probability integral transform; TSNet with `positive=True`); CRPS in spreads of the "
        "target.",
        {
            "lognormal: below": mean_of("missed_below", of_kind("lognormal")),
            "above": mean_of("missed_above", of_kind("lognormal")), "CRPS": mean_of("crps", of_kind("lognormal")),
            "counts: below": mean_of("missed_below", of_kind("counts")),
            "counts: above": mean_of("missed_above", of_kind("counts")),
            "counts: negative bounds": mean_of("negative_bounds", of_kind("counts")),
        },
    ),
    "precise": (
        "A precise table: 300 rows of the OTL circuit with noise of 0.1 % of the spread; RMSE against the function and "
        "NLL in spreads. Exact: the NLL of the true mean and noise.",
        {f"{level} %": mean_of(f"coverage_{level}", of_kind("precise")) for level in (50, 90, 95)}
        | {"RMSE": mean_of("rmse_f", of_kind("precise")), "NLL": mean_of("nll", of_kind("precise"))}
        | {"exact": mean_of("nll_exact", of_kind("precise"))},
    ),
    "beyond": (
        "Inside and far from the data: largest second derivative of the mean on the 1-D toy over that of the GP, and "
        "share of rows, their inputs 10 and 1,000 times as large, whose 90 % interval reaches the training values "
        "(generated functions and the toy).",
        {
            "second derivative over the GP's": over_process("curvature", "toy"),
            **{
                f"{times:,} times": mean_of(f"far_{times}", [*of_kind("few"), *of_kind("toy")]) for times in (10, 1000)
            },
        },
    ),
}  # fmt: skip


def shown(found: Estimate | None) -> str:
    """`0.893 ± 0.012`: three digits, at most three places."""
    if found is None or pd.isna(found.value):
        return NONE
    places = min(3, decimals(found.value, 3))
    return f"{found.value:.{places}f}" + ("" if pd.isna(found.error) else f" ± {found.error:.{places}f}")


def verdict(asked: Asked, found: Estimate | None) -> str:
    """Whether a figure is in its range, or chance may have moved it out."""
    if found is None:
        return NONE
    outside = asked.outside(found.value)
    if outside <= 1e-9:
        return INSIDE
    return CHANCE if outside <= CHANCE_ERRORS * found.error else OUTSIDE


def _methods(scores: pd.DataFrame) -> list[str]:
    return [name for name in HONESTY_METHODS if name in set(scores.method)]


def _asked(scores: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for asked in ASKED:
        line = {"what": asked.what, "asked": asked.range, "met": verdict(asked, asked.measure(scores, OURS))}
        for name in _methods(scores):
            line[HONESTY_METHODS[name].label] = shown(asked.measure(scores, name))
        lines.append(line)
    return pd.DataFrame(lines)


def _by_rows(
    scores: pd.DataFrame, counts: tuple[int, ...], columns: Mapping[str, str | tuple[str, str]], *, generated: bool
) -> pd.DataFrame:
    lines = []
    for rows in counts:
        cases = few(rows, generated=generated)
        for name in _methods(scores):
            line = {heading: shown(_measure(column, cases)(scores, name)) for heading, column in columns.items()}
            if set(line.values()) != {NONE}:
                lines.append({"rows": f"{rows:,}", "method": HONESTY_METHODS[name].label, **line})
    return _frame(lines)


def _measure(column: str | tuple[str, str], cases: list[Case]) -> Measure:
    return mean_of(column, cases) if isinstance(column, str) else ratio_of(*column, cases)


def _sources(scores: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for name in _methods(scores):
        line = {}
        for source in (*FUNCTIONS, *TABLES):
            cases = [case for case in of_kind("few") if case.source == source and case.rows in ROWS]
            line[SHORT[source]] = shown(mean_of("coverage_90", cases)(scores, name))
        if set(line.values()) != {NONE}:
            lines.append({"method": HONESTY_METHODS[name].label, **line})
    return _frame(lines)


def _single(scores: pd.DataFrame, columns: Mapping[str, Measure]) -> pd.DataFrame:
    lines = []
    for name in _methods(scores):
        line = {heading: shown(measure(scores, name)) for heading, measure in columns.items()}
        if set(line.values()) != {NONE}:
            lines.append({"method": HONESTY_METHODS[name].label, **line})
    return _frame(lines)


def _shares(scores: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for case in of_kind("shares"):
        headings = {"held": "share_held", "mean width": "share_width", "told apart": "share_told_apart"}
        found = {heading: mean_of(column, [case])(scores, OURS) for heading, column in headings.items()}
        repeats = max((one.repeats for one in found.values() if one is not None), default=0)
        lines.append({"function": case.title, **{h: shown(one) for h, one in found.items()}, "repeats": repeats})
    return pd.DataFrame(lines)


def _counts(scores: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for kind in dict.fromkeys(case.kind for case in CASES.values()):
        cases = [case.name for case in of_kind(kind)]
        line: dict[str, object] = {"kind of case": kind, "of": sum(case.repeats for case in of_kind(kind))}
        for name in _methods(scores):
            own = scores[(scores.method == name) & scores.dataset.isin(cases)]
            seconds = own.fit_cpu_seconds.median()
            line[HONESTY_METHODS[name].label] = (
                NONE if own.empty else f"{len(own)} ({seconds:.{decimals(seconds, 2)}f} s)"
            )
        lines.append(line)
    return pd.DataFrame(lines)


def _seconds(own: pd.DataFrame) -> str:
    median = own.fit_cpu_seconds.median()
    return f"{median:.{min(3, decimals(median, 2))}f} s"


def _frame(lines: list[dict[str, str]]) -> pd.DataFrame:
    return pd.DataFrame(lines or [{"method": NONE}])
