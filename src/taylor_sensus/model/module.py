"""What networks are made of: frozen records of arrays, which NumPy reads with nothing else installed.

Training needs JAX, and JAX needs to know such records as trees. Both come in when JAX is first used: loading a model
and predicting with it never import JAX.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import Any, dataclass_transform

KINDS: list[type[Module]] = []


def static(**options: Any) -> Any:
    """A field that is no array: a compiled program is for one value of it."""
    return field(metadata={"static": True}, **options)


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(static,))
class Module:
    """A record of arrays and of other records; every class that derives from it is a frozen dataclass."""

    __no_type_check__ = True
    """What its fields say is not checked in tests: JAX also makes records of placeholders, and of many at once."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(frozen=True, eq=False)(cls)
        KINDS.append(cls)

    def __post_init__(self) -> None:
        if KINDS and "jax" in sys.modules:
            known_to_jax()


def known_to_jax() -> None:
    """Tell JAX of all kinds of records that it does not know yet."""
    from jax.tree_util import register_dataclass

    while KINDS:
        kind = KINDS.pop()
        names: dict[bool, list[str]] = {True: [], False: []}
        for one in fields(kind):  # pyright: ignore[reportArgumentType]
            names[bool(one.metadata.get("static"))].append(one.name)
        register_dataclass(kind, names[False], names[True])


class Later:
    """A module that is imported when something in it is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(import_module(self._name), attribute)
        known_to_jax()
        setattr(self, attribute, found)
        return found


def mapped(function: Callable[..., Any], *trees: Any) -> Any:
    """A tree of the results of a function on each array, and the arrays at the same place in further trees."""
    first = trees[0]
    if first is None:
        return None
    if isinstance(first, tuple):
        return tuple(mapped(function, *parts) for parts in zip(*trees, strict=True))
    if not isinstance(first, Module):
        return function(*trees)
    values = {}
    for one in fields(first):  # pyright: ignore[reportArgumentType]
        parts = [getattr(tree, one.name) for tree in trees]
        values[one.name] = parts[0] if one.metadata.get("static") else mapped(function, *parts)
    return type(first)(**values)
