"""`taylor-sensus app`: a page on this machine, for people who don't write Python."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def app(
    port: Annotated[int, typer.Option(metavar="N", help="Port; 0 finds a free one.", min=0, max=65535)] = 8377,
    upload_limit: Annotated[int, typer.Option(metavar="MB", help="Largest file that can be sent.", min=1)] = 100,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the last model and its report are kept.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
) -> None:
    """Open a page to fit a table, look at the report, ask "what if" and get suggestions.

    It answers to this machine only (127.0.0.1), and only to who has the address with its key.
    """
    from taylor_sensus.app.server import serve
    from taylor_sensus.cli.screen import note

    if folder is None:
        from platformdirs import user_data_path

        folder = user_data_path("taylor-sensus") / "app"
        if folder.is_dir():
            folder.chmod(0o700)  # earlier versions left it open to others
    serve(folder, port=port, limit=upload_limit * 1_000_000, browser=browser, notify=note)
