"""What the header of a model file must say: text where text is meant, lists where lists are. Loads no NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from taylor_sensus.errors import ModelFileError, listed
from taylor_sensus.tables.column import Column

KINDS = {
    "kind": str,
    "written_by": str,
    "settings": dict,
    "columns": list,
    "named_columns": bool,
    "targets": list,
    "one_dimensional": bool,
    "parts": list,
    "group_labels": list,
    "fit_summary": dict,
    "history": str,
}
"""Everything that a header of the present format holds."""
WORDS = {str: "text", dict: "an object", list: "a list", bool: "true or false"}


def check_header(header: Mapping[str, Any], parts: tuple[str, ...]) -> None:
    """Refuse a header that says too little, too much or something else; `parts` are those that there may be."""
    problems = [f"{name} is missing" for name in KINDS if name not in header]
    problems += [f"{name!r} is unknown" for name in header if name not in KINDS]
    problems += [
        f"{name} must be {WORDS[kind]}, not {_short(header[name])}"
        for name, kind in KINDS.items()
        if name in header and not isinstance(header[name], kind)
    ]
    if problems:
        raise ModelFileError(f"its header is wrong: {listed(problems, 5)}")
    targets = targets_of(header)
    if header["one_dimensional"] and len(targets) != 1:
        raise ModelFileError(f"it has {len(targets)} targets where one column is meant")
    named = header["parts"]
    if not all(isinstance(part, str) and part in parts for part in named) or len(set(named)) < len(named):
        raise ModelFileError(f"its parts are {_short(named)}, where some of {listed(parts)} are meant")


def columns_of(header: Mapping[str, Any]) -> tuple[Column, ...]:
    """The columns that the model was fitted to."""
    columns = []
    for entry in _list(header, "columns"):
        if not isinstance(entry, list) or len(entry) != 2 or not _is_text(entry[0]):
            raise ModelFileError(f"a column must be a name and its categories, not {_short(entry)}")
        name, categories = entry
        if categories is not None and not _distinct_texts(categories):
            raise ModelFileError(f"the categories of {_short(name)} must be different texts, not {_short(categories)}")
        columns.append(Column(name, None if categories is None else tuple(categories)))
    if not _distinct_texts([column.name for column in columns]) or not any(column.parts for column in columns):
        raise ModelFileError("its columns must have names of their own, and hold something")
    return tuple(columns)


def targets_of(header: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the columns that the model predicts."""
    names = _list(header, "targets")
    if not names or not _distinct_texts(names):
        raise ModelFileError(f"its targets must be names of their own, not {_short(names)}")
    return tuple(names)


def _list(header: Mapping[str, Any], name: str) -> list[Any]:
    if not isinstance(header.get(name), list):
        raise ModelFileError(f"its {name} must be a list, not {_short(header.get(name))}")
    return header[name]


def _distinct_texts(values: Any) -> bool:
    return isinstance(values, list) and all(_is_text(v) for v in values) and len(set(values)) == len(values)


def _is_text(value: Any) -> bool:
    """Text that can be shown: halves of a character cannot."""
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
