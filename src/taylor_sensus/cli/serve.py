"""`taylor-sensus serve`: a model behind an address, for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from taylor_sensus.cli.command import ModelFile

KEY = "TAYLOR_SENSUS_KEY"


def serve(
    model: ModelFile,
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Address to listen at; others than this machine's need a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", help="Port; 0 finds a free one.", min=0, max=65535)] = 8378,
    key_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help=f"File with the key; the environment variable {KEY} does as well."),
    ] = None,
    most_rows: Annotated[int, typer.Option(metavar="N", help="Rows in one request at most.", min=1)] = 10_000,
    limit: Annotated[int, typer.Option(metavar="MB", help="Size of one request at most.", min=1)] = 10,
) -> None:
    """Answer predictions as JSON over HTTP: POST /predict, GET /model, /health and /openapi.json.

    Without a key only programs on this machine are answered. Put a server that speaks TLS before it where a network is
    between.
    """
    from taylor_sensus.app.serving import serve_model
    from taylor_sensus.cli.screen import note

    serve_model(
        model, host=host, port=port, key_file=key_file, most_rows=most_rows, limit=limit * 1_000_000, notify=note
    )
