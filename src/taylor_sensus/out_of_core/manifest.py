"""What a folder of predictions was made from, in a file next to them: only the very same work goes on in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from taylor_sensus.errors import DataError
from taylor_sensus.out_of_core.source import Source
from taylor_sensus.storage.atomic import write_atomically

NAME = "_taylor_sensus.json"
"""Readers of data sets pass over names that begin with an underscore."""
WORDS = {"version": "version of this package", "model": "model", "source": "source files", "options": "options"}


def begin_or_resume(folder: Path, recipe: Mapping[str, Any]) -> None:
    """Claim an empty folder for this work, or find that the work there is the same."""
    recipe = json.loads(json.dumps(recipe))
    path = folder / NAME
    if path.is_file():
        before = _read(path)
        changed = [words for name, words in WORDS.items() if before.get(name) != recipe[name]]
        if changed:
            raise DataError(
                f"{folder} holds predictions with another {' and another '.join(changed)}; "
                "choose another folder, or remove that one first"
            )
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what = "is a folder with other files" if folder.is_dir() else "is a file"
        raise DataError(f"{folder} {what}; choose a new folder for the predictions")
    if not folder.parent.is_dir():
        raise DataError(f"cannot make the folder {folder}: there is no folder {folder.parent}; create it first")
    folder.mkdir(exist_ok=True)
    write_atomically(path, json.dumps(recipe, indent=1).encode())


def part_names(source: Source, ending: str) -> list[str]:
    """File names for the parts, whose order is that of the rows; folders such as ``year=2024`` stay if that allows it.

    Names are sorted as readers of data sets do.
    """
    digits = max(5, len(str(len(source.parts) - 1)))
    plain = [f"part-{number:0{digits}d}{ending}" for number in range(len(source.parts))]
    folders = [part.folders for part in source.parts]
    inside = [f"{folder}/{name}" if folder else name for folder, name in zip(folders, plain, strict=True)]
    return inside if inside == sorted(inside) and _same_keys(folders) else plain


def mirrored(names: Sequence[str]) -> bool:
    """Whether folders of the source stay."""
    return any("/" in name for name in names)


def _same_keys(folders: Sequence[str]) -> bool:
    return len({tuple(part.split("=")[0] for part in folder.split("/")) for folder in set(folders)}) == 1


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
        return found if isinstance(found, dict) else {}
    except ValueError:
        return {}
