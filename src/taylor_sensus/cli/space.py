"""Settings that may be suggested, as they are written on the command line; columns may be named without units.

--bounds temp=200:400          from 200 to 400
--levels catalyst=A,B          only these; a JSON list where a level holds a comma: catalyst=["A,1","B"]
--fixed time=2                 always this
--step temp=5                  multiples of 5
--constraint "a + b <= 1"      sums, with =, <= or >=
--constraint '{"nonzero": ["a", "b", "c"], "at_most": 2}'    any constraint of `taylor_sensus.suggest`, as JSON
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from taylor_sensus.errors import SettingError

if TYPE_CHECKING:
    from taylor_sensus.tables.column import Column

_SUM = re.compile(r"(?P<sum>.*?)(?P<sign><=|>=|=)(?P<value>[^<>=]*)")
_SIGNS = {"=": "equals", "<=": "at_most", ">=": "at_least"}


class SpaceOptions(NamedTuple):
    """The options as they were given."""

    bounds: Sequence[str] | None
    levels: Sequence[str] | None
    fixed: Sequence[str] | None
    step: Sequence[str] | None
    constraint: Sequence[str] | None


class Space(NamedTuple):
    """The same as `suggest` takes it."""

    bounds: dict[str, Any] | None
    constraints: list[dict[str, Any]]


def read_space(options: SpaceOptions, columns: Sequence[Column]) -> Space:
    """Bounds and constraints by the model's column names."""
    from taylor_sensus.tables.assignments import parted_all

    names = [column.name for column in columns]
    words = {column.name for column in columns if column.categories is not None}
    bounds: dict[str, Any] = {}
    for name, text in parted_all(options.bounds or (), "--bounds", names, "COLUMN=LOW:HIGH").items():
        low, sign, high = text.partition(":")
        if not sign:
            raise SettingError(f"--bounds {name}={text}: expected COLUMN=LOW:HIGH, such as temp=200:400")
        bounds[name] = _number(low, "--bounds", name), _number(high, "--bounds", name)
    for name, text in parted_all(options.levels or (), "--levels", names, "COLUMN=A,B").items():
        if name in bounds:
            raise SettingError(f"--levels {name}={text}: column {name!r} has bounds too; give one of them")
        levels = _json(text, "--levels") if text.startswith("[") else [level.strip() for level in text.split(",")]
        bounds[name] = [str(one) if name in words else _number(one, "--levels", name) for one in levels]
    constraints: list[dict[str, Any]] = []
    for name, text in parted_all(options.fixed or (), "--fixed", names, "COLUMN=VALUE").items():
        constraints.append({"fixed": {name: text if name in words else _number(text, "--fixed", name)}})
    for name, text in parted_all(options.step or (), "--step", names, "COLUMN=SIZE").items():
        constraints.append({"step": {name: _number(text, "--step", name)}})
    constraints += [_constraint(text.strip(), names) for text in options.constraint or ()]
    fixed = any("fixed" in one for one in constraints)
    return Space(bounds or ({} if fixed else None), constraints)


def _constraint(text: str, names: Sequence[str]) -> dict[str, Any]:
    if text.startswith("{"):
        found = _json(text, "--constraint")
        return {word: _by_header(content, names) for word, content in found.items()}
    parts = _SUM.fullmatch(text)
    if not parts:
        raise SettingError(f"--constraint {text}: expected a sum such as 'a + b <= 1', or JSON (see the documentation)")
    columns = [_by_header(name.strip(), names) for name in parts["sum"].split("+")]
    if len(set(columns)) < len(columns):
        raise SettingError(f"--constraint {text}: a column appears twice")
    return {"linear": dict.fromkeys(columns, 1), _SIGNS[parts["sign"]]: _number(parts["value"], "--constraint", text)}


def _by_header(content: Any, names: Sequence[str]) -> Any:
    """The same with names of columns as the model has them; what is no column stays for `suggest` to refuse."""
    from taylor_sensus.tables.alignment import headers_of

    if isinstance(content, dict):
        return dict(zip(headers_of(list(content), names), content.values(), strict=True))
    if isinstance(content, list) and all(isinstance(one, str) for one in content):
        return headers_of(content, names)
    return headers_of([content], names)[0] if isinstance(content, str) else content


def _json(text: str, option: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise SettingError(f"{option} {text}: not valid JSON ({error})") from None


def _number(text: Any, option: str, name: str) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        raise SettingError(f"{option} {name}: {text!r} is not a number") from None
