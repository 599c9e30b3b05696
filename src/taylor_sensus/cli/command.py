"""What all commands share: failures as one line and an exit code, and the options that several have."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand

from taylor_sensus.errors import TaylorSensusError

DEBUG = "TAYLOR_SENSUS_DEBUG"
"""Set this environment variable to 1 to see tracebacks."""
FAILED, INTERRUPTED = 1, 130

TABLES = ".csv, .tsv, .txt, .xlsx, .xls or .parquet"
DataFile = Annotated[Path, typer.Argument(metavar="DATA", help=f"Table with one header line: {TABLES}.")]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file that `fit` wrote.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text; notes go to stderr.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
Jobs = Annotated[int | None, typer.Option(metavar="N", help="Networks trained at the same time; all cores by default.")]


class Command(TyperCommand):
    """A command that fails with one line on stderr. Its context's `obj` lists the files written so far."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; usage errors are left to Typer."""
        ctx.obj = written = []
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            files = " and ".join(map(str, written))
            _stop(
                f"interrupted; {f'only {files} was written' if written else 'nothing was written'}",
                INTERRUPTED,
            )
        except Exception as error:
            if os.environ.get(DEBUG, "0") not in ("", "0"):
                raise
            _stop(f"error: {_one_line(error)}", FAILED)


def _stop(line: str, code: int) -> NoReturn:
    typer.echo(line, err=True)
    raise typer.Exit(code)


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        text = f"{error.filename}: {error.strerror}"
    elif isinstance(error, (TaylorSensusError, OSError)):
        text = str(error) or type(error).__name__
    else:
        text = f"{error} ({type(error).__name__}; set {DEBUG}=1 to see where it comes from)"
    return " ".join(text.split())
