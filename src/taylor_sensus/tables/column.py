"""One column of the user's table, as a model knows it. Loads no pandas."""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """One column of the user's table; `categories` is None for numbers."""

    name: str
    categories: tuple[str, ...] | None

    @property
    def parts(self) -> list[str]:
        """Names of the numeric columns that it becomes."""
        return [self.name] if self.categories is None else [f"{self.name}={c}" for c in self.categories]
