"""What was chosen in the form of the columns, as the options of the command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from taylor_sensus.errors import SettingError
from taylor_sensus.tables.assignments import COLUMN
from taylor_sensus.tables.companions import Pairing
from taylor_sensus.tables.wanted import Reading

INPUT, WORDS, TARGET, NAME, GROUP, OUT = "input", "words", "target", "name", "group", "out"
ROLES = {INPUT: "input", WORDS: "input (words)", TARGET: "predict this", NAME: "name of the row",
         GROUP: "group (batch, sample)", OUT: "leave out"}  # fmt: skip
EFFORTS = {"fast": "quick look", "default": "normal", "best": "thorough"}
DECIMALS = {"": "found by itself", ".": "point (1.5)", ",": "comma (1,5)"}
READING, SETTING, EXACT = "reading", "setting", "exact"
KINDS = {READING: "reading", SETTING: "set point", EXACT: "exact"}
"""How the recorded value of an input came about, which says what its error means."""
CENSORED = {"missing": "missing", "bound": "the bound", "half": "half the bound"}


class Choices(NamedTuple):
    """How a table is to be read, and what is to be fitted."""

    target: list[str]
    drop: list[str]
    reading: Reading
    effort: str
    seed: int
    set_points: Sequence[str] = ()
    """Inputs whose errors are those of set points, not of readings."""
    groups: str | None = None
    """The column that names the batch or sample of each row."""


def read_choices(fields: Mapping[str, str], headers: Sequence[str], found: Sequence[Pairing]) -> Choices:
    """From the fields of the form, in which columns go by their positions; `found` are errors found by their names."""
    roles = [_one_of(fields.get(f"role-{at}", INPUT), ROLES, "role") for at in range(len(headers))]
    kinds = [_one_of(fields.get(f"kind-{at}", READING), KINDS, "kind of input") for at in range(len(headers))]
    errors = [fields.get(f"error-{at}", "").strip() or ("0" if kind == EXACT else "") for at, kind in enumerate(kinds)]
    by_role = {role: [h for h, own in zip(headers, roles, strict=True) if own == role] for role in ROLES}
    if not by_role[TARGET]:
        raise SettingError(f"Choose at least one column to predict: set its role to {ROLES[TARGET]!r}.")
    if len(by_role[NAME]) > 1:
        raise SettingError(f"Only one column can name the rows; set the others to {ROLES[OUT]!r}.")
    if len(by_role[GROUP]) > 1:
        raise SettingError(f"Only one column can name the groups; set the others to {ROLES[OUT]!r}.")
    holding = {error for error in errors if error in headers}
    predicted = holding.intersection(by_role[TARGET])
    if predicted:
        raise SettingError(f"Column {min(predicted)!r} cannot be predicted and hold the errors of another column.")
    x_err, y_err = [], []
    for header, role, error in zip(headers, roles, errors, strict=True):
        if error and role not in (OUT, NAME, GROUP) and header not in holding:
            (y_err if role == TARGET else x_err).append(f"{header}={COLUMN if error in headers else ''}{error}")
    drop = [header for header in (*by_role[OUT], *by_role[GROUP]) if header not in holding]
    reading = Reading(
        x_err=x_err,
        y_err=y_err,
        ordinary=[pairing.errors for pairing in found if pairing.errors not in {*holding, *drop}],
        text=by_role[WORDS],
        decimal=_one_of(fields.get("decimal", ""), DECIMALS, "decimal sign") or None,
        censored=_one_of(fields.get("censored", "missing"), CENSORED, "way with cells such as <0.05"),
        id=next(iter(by_role[NAME]), None),
    )
    effort = _one_of(fields.get("effort", "default"), EFFORTS, "effort")
    set_points = [
        header
        for header, kind in zip(headers, kinds, strict=True)
        if kind == SETTING and header in by_role[INPUT] and header not in holding
    ]
    group = next(iter(by_role[GROUP]), None)
    return Choices(by_role[TARGET], drop, reading, effort, _seed(fields.get("seed", "0")), set_points, group)


def constructor_arguments(choices: Choices) -> dict[str, Any]:
    """What `TSNetRegressor` is made with."""
    from taylor_sensus.settings import best, fast

    presets = {"fast": fast, "best": best, "default": dict}
    kinds = {"X_err_kind": dict.fromkeys(choices.set_points, SETTING)} if choices.set_points else {}
    return {**presets[choices.effort](), **kinds, "random_state": choices.seed}


def as_command(choices: Choices, table: str) -> str:
    """The same fit on the command line."""
    reading = choices.reading
    options: list[tuple[str, str]] = [("--target", name) for name in choices.target]
    options += [("--drop", name) for name in choices.drop if name != choices.groups]
    options += [("--groups", choices.groups)] if choices.groups is not None else []
    options += [("--id", reading.id)] if reading.id is not None else []
    options += [("--sheet", reading.sheet)] if reading.sheet is not None else []
    for option, values in (("--x-err", reading.x_err), ("--y-err", reading.y_err), ("--ordinary", reading.ordinary),
                           ("--text", reading.text)):  # fmt: skip
        options += [(option, value) for value in values or ()]
    if reading.decimal:
        options.append(("--decimal", reading.decimal))
    if reading.censored != "missing":
        options.append(("--censored", reading.censored))
    options += [("--x-err-kind", f"{name}={SETTING}") for name in choices.set_points]
    arguments = constructor_arguments(choices)
    for name, value in {**arguments, **arguments.get("details", {})}.items():
        if name not in ("details", "random_state", "X_err_kind"):
            options.append(("--set", f"{name}={value}"))
    options.append(("--seed", str(choices.seed)))
    arguments = [f"{option} {shlex.quote(value)}" for option, value in options]
    return " ".join(["taylor-sensus fit", shlex.quote(table), *arguments, "-o model.tsnet"])


def _one_of(value: str, known: Mapping[str, str], what: str) -> str:
    if value not in known:
        raise SettingError(f"There is no {what} {value!r}; choose one of the list.")
    return value


def _seed(text: str) -> int:
    if not text.strip().isdecimal() or int(text) >= 2**32:
        raise SettingError(f"The seed must be a whole number from 0 to {2**32 - 1}, not {text!r}.")
    return int(text)
