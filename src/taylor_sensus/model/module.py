"""What networks are made of: frozen records of arrays, which NumPy reads with nothing else installed.

Where JAX trains them, it needs to know such records as trees. Both come in when JAX is first used: the default's fits
of smaller tables, loading a model and predicting with it never import JAX.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, dataclass_transform

from taylor_sensus.errors import MissingExtraError

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


NEEDED = ("jax", "equinox", "optax")


@cache
def has_jax() -> bool:
    """Whether JAX, and what we use beside it, are installed; nothing is loaded."""
    try:
        return all(find_spec(name) is not None for name in NEEDED)
    except ModuleNotFoundError:
        return False


def missing_jax(what: str) -> MissingExtraError:
    """The error that says how to install it."""
    return MissingExtraError(f'{what} needs JAX, which is not installed: pip install "taylor-sensus[jax]"')


class Later:
    """A module of JAX that is imported when something in it is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if not has_jax():
            raise missing_jax("this")
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


def leaves(tree: Any) -> list[Any]:
    """All arrays and numbers of a tree of records and tuples, in their order."""
    if tree is None:
        return []
    if isinstance(tree, Module):
        names = [one.name for one in fields(tree) if not one.metadata.get("static")]  # pyright: ignore[reportArgumentType]
        tree = tuple(getattr(tree, name) for name in names)
    return [leaf for part in tree for leaf in leaves(part)] if isinstance(tree, tuple) else [tree]


def refilled(tree: Any, values: Iterator[Any]) -> Any:
    """A tree of the same kind with other leaves, taken one after another."""
    if tree is None:
        return None
    if isinstance(tree, Module):
        names = [one.name for one in fields(tree) if not one.metadata.get("static")]  # pyright: ignore[reportArgumentType]
        return replace(tree, **{name: refilled(getattr(tree, name), values) for name in names})  # pyright: ignore
    if isinstance(tree, tuple):
        parts = [refilled(part, values) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    return next(values)
