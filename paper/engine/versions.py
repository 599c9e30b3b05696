"""The versions of everything that makes the numbers."""

from __future__ import annotations

import ast
import hashlib
import platform
from collections.abc import Mapping
from functools import cache
from importlib import import_module, metadata
from pathlib import Path

PACKAGES = (
    *("numpy", "scipy", "pandas", "scikit-learn", "jax", "jaxlib", "equinox", "optax"),
    *("catboost", "ngboost", "numpyro", "blackjax"),
)
SOURCE = "taylor-sensus source"
"""A digest of the package's program text without comments and docstrings."""
NOTED_ONLY = ("python", "pandas", SOURCE)
"""These are written down, but another version is no reason to compute anything again.

The source is among them because hardly any change of it changes all results; that it did change is said.
"""
NOT_NUMBERS = ("cli", "plots")
"""Folders of the package that make no numbers."""


@cache
def installed() -> dict[str, str]:
    """Name and version of what is installed here."""
    from taylor_sensus._version import __version__

    found = {"python": platform.python_version(), "taylor-sensus": __version__}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found | {SOURCE: _source_digest()}


def _source_digest() -> str:
    folder = Path(import_module("taylor_sensus").__file__ or "").parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).as_posix()):
        place = path.relative_to(folder)
        if place.parts[0] not in NOT_NUMBERS:
            tree = ast.parse(path.read_bytes())
            for node in ast.walk(tree):
                body = getattr(node, "body", None)
                if isinstance(body, list):  # texts that stand alone are for readers
                    node.body = [part for part in body if not _is_text(part)]  # pyright: ignore
            digest.update(f"{place.as_posix()}\n{ast.dump(tree)}\n".encode())
    return digest.hexdigest()[:16]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What may change the numbers, in words: `jax 0.9.0 -> 0.10.2`."""
    names = sorted((set(before) | set(now)) - set(NOTED_ONLY))
    return [
        f"{name} {before.get(name, 'none')} -> {now.get(name, 'none')}"
        for name in names
        if before.get(name) != now.get(name)
    ]
