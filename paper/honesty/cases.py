"""The cases of the study `honesty`: a name, what its tables come from, how many rows, how many repeats. Light.

The kind of a case says how its rows are drawn (`draw.py`) and what is judged (`judges.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

ROWS = (15, 30, 60, 120)
"""Of tables with few rows."""
MANY = 1000
FUNCTIONS = ("wave", "friedman1_relevant", "otl_circuit")
"""Generated tables, of 1, 5 and 6 inputs: their truth is known."""
TABLES = ("diabetes", "concrete", "wine_red_distinct", "wine_quality_distinct")
"""Real tables, of which few rows are drawn; the red wines with their density and with their quality as target."""
SHARES = ("linear", "curved", "interaction", "saturating", "curved, replicated", "curved, system like slope")
"""Set points with noise of an input and of the system, both undeclared; as `bench.noise_shares` names them."""
PROCESS = "gp"
"""What a few figures are held against."""
RIVALS = (PROCESS, "ngboost", "catboost", "ridge", "conformal")
ALL = ("tsnet", *RIVALS)


@dataclass(frozen=True)
class Case:
    """One kind of table, and who is judged on it."""

    name: str
    title: str
    kind: str
    """few, factorial, batches, slips, lognormal, counts, shares, precise or toy."""
    rows: int
    repeats: int
    source: str = ""
    """The function or real table behind it."""
    methods: tuple[str, ...] = ALL


def _few() -> list[Case]:
    few = [
        Case(f"{name}_{rows}", f"{name}, {rows} rows", "few", rows, repeats, name)
        for names, repeats in ((FUNCTIONS, 8), (TABLES, 5))
        for name in names
        for rows in ROWS
    ]
    many = [
        Case(f"{name}_{MANY}", f"{name}, {MANY:,} rows", "few", MANY, 4, name, ("tsnet", PROCESS, "ridge"))
        for name in FUNCTIONS
    ]
    return [*few, *many]


def _slug(words: str) -> str:
    return words.replace(", ", "_").replace(" ", "_")


_CASES = (
    *_few(),
    Case("factorial", "5 x 5 levels, four repeats each", "factorial", 100, 10),
    Case("batches", "new batches, after 12 to 14 of ten rows", "batches", 120, 60, methods=(*ALL, "untold")),
    Case("one_slip", "one value in 120 times ten", "slips", 120, 10),
    Case("ten_slips", "one value in ten times ten", "slips", 120, 10),
    Case("ten_slips_inputs", "the same with four inputs and values around 0", "slips", 120, 10),
    Case("lognormal", "lognormal noise", "lognormal", 200, 10),
    Case("counts", "counts", "counts", 200, 10),
    *(Case(f"shares_{_slug(name)}", name, "shares", 200, 12, name, ("tsnet",)) for name in SHARES),
    Case("precise", "noise of 0.1 % of the spread", "precise", 300, 6, "otl_circuit"),
    Case("toy", "the documentation's 1-D toy", "toy", 300, 4, methods=("tsnet", PROCESS)),
)
CASES: dict[str, Case] = {case.name: case for case in _CASES}
QUICK = ("wave_30", "factorial", "batches", "ten_slips", "lognormal", "counts", "shares_curved", "precise", "toy")
"""One of each kind, for a quick run."""


def of_kind(kind: str) -> list[Case]:
    """The cases of a kind, in order."""
    return [case for case in CASES.values() if case.kind == kind]
