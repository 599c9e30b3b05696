"""What a command shows: results on stdout as text or JSON, everything else on stderr."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer

PIPE_WIDTH = 200
"""Columns of text where there is no terminal to ask; tables take only what they need."""


def note(text: str) -> None:
    """Something worth knowing that is not the result."""
    typer.echo(f"note: {text}", err=True)


def warning(text: str) -> None:
    """Something that may change how far the result can be trusted."""
    typer.echo(f"warning: {text}", err=True)


def wrote(ctx: typer.Context, path: Path) -> None:
    """Say that a file is complete."""
    ctx.obj.append(path)
    typer.echo(f"wrote {path} ({file_size(path)})", err=True)


def show_json(content: Any) -> None:
    """Print strict JSON: what is not a finite number becomes null."""
    typer.echo(json.dumps(_strict(content), indent=2, allow_nan=False))


def show_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = True) -> None:
    """Print a table; columns after the first are set to the right if they hold `numbers`."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal:
        console = Console(width=PIPE_WIDTH)
    table = Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD)
    for position, name in enumerate(header):
        table.add_column(Text(name), justify="right" if position and numbers else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    with console.capture() as shown:
        console.print(table)
    typer.echo("\n".join(line.rstrip() for line in shown.get().rstrip().splitlines()) + "\n")


def score_text(name: str, value: float) -> str:
    """A score as people read it: shares in percent, the others with four digits."""
    if math.isnan(value):
        return "-"
    if "coverage" in name:
        return f"{value:.1%}"
    return f"{value:.3f}" if name in ("r2", "std_error_spearman") else f"{value:#.4g}"


def file_size(path: Path) -> str:
    """Size of a file in words."""
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.1f} kB"


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _strict(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(inner) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, (bool, int, str, type(None))) else str(value)
