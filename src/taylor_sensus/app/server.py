"""Starts the app on this machine only, and opens the browser."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from taylor_sensus.errors import DataError, MissingExtraError

HOST = "127.0.0.1"
PACKAGES = ("starlette", "uvicorn", "python_multipart")
"""Of the extra `[app]`; by the last one Starlette reads forms."""

PATIENCE = 5.0
"""Seconds for work under way to end after Ctrl-C; files appear whole or not at all, so that nothing is lost by it."""
DOORWAY = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={address}">\n'
"""Leads the browser to the address with the key: on a browser's command line every user could read it."""


def serve(folder: Path, *, port: int, limit: int, browser: bool, notify: Callable[[str], None]) -> None:
    """Serve until interrupted. `limit` is in bytes; `notify` gets the address."""
    need_packages("the app")
    import uvicorn

    from taylor_sensus.app.routes import application
    from taylor_sensus.app.workbench import Workbench

    listener = _listen(port)
    own_port = listener.getsockname()[1]
    key = secrets.token_urlsafe(24)
    address = f"http://{HOST}:{own_port}/?key={key}"
    os.umask(0o077)  # tables and models are for their owner's eyes
    folder.mkdir(parents=True, exist_ok=True)
    bench = Workbench(folder)
    app = application(bench, key=key, port=own_port, limit=limit)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=3
    )
    notify(f"the app is at {address} until you press Ctrl-C; models are kept in {folder}")
    doorway = folder / f"open-{own_port}.html"
    if browser:
        doorway.write_text(DOORWAY.format(address=address), encoding="utf-8")
        threading.Timer(0.5, webbrowser.open, [doorway.as_uri()]).start()
    ended = False
    try:
        with contextlib.suppress(KeyboardInterrupt):  # the way to end it
            uvicorn.Server(config).run(sockets=[listener])
    finally:
        with contextlib.suppress(KeyboardInterrupt):
            ended = bench.close(PATIENCE)
        doorway.unlink(missing_ok=True)
        listener.close()
    if not ended:  # a fit is inside a compiled program, which would abort the process as the interpreter ends
        os._exit(0)


def need_packages(what: str) -> None:
    """Refuse without the extra."""
    missing = [package for package in PACKAGES if find_spec(package) is None]
    if missing:
        raise MissingExtraError(f"{what} needs {', '.join(missing)}: pip install 'taylor-sensus[app]'")


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()  # who comes before the server is ready waits instead of being turned away
    except OSError as problem:
        listener.close()
        raise DataError(f"port {port} cannot be used ({problem.strerror}); choose another with --port, or 0") from None
    return listener
