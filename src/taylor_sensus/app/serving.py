"""Starts the service of a model: key, address, server."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
from collections.abc import Callable
from pathlib import Path

from taylor_sensus.app.server import need_packages
from taylor_sensus.errors import SettingError

VARIABLE = "TAYLOR_SENSUS_KEY"
SHORTEST = 16
"""Letters of a key."""
AT_ONCE = 1024
"""Connections; more are refused with "try again"."""


def serve_model(
    path: Path,
    *,
    host: str,
    port: int,
    key_file: Path | None,
    most_rows: int,
    limit: int,
    notify: Callable[[str], None],
) -> None:
    """Serve until interrupted; `notify` gets the address."""
    need_packages("serving a model")
    key = find_key(key_file)
    if key is None and not _is_own(host):
        raise SettingError(
            f"{host} can be reached by others: give a key, in the environment variable {VARIABLE} or with --key-file"
        )
    import uvicorn

    from taylor_sensus import load
    from taylor_sensus.app.service import Limits, Service

    service = Service(load(path), path.name, key=key, limits=Limits(most_rows, limit))
    listener = _listen(host, port)
    config = uvicorn.Config(
        service.application(), log_level="warning", access_log=False, server_header=False, limit_concurrency=AT_ONCE,
        timeout_graceful_shutdown=10, backlog=AT_ONCE,
    )  # fmt: skip
    where = f"http://{host}:{listener.getsockname()[1]}"
    notify(f"{path.name} answers at {where} until you press Ctrl-C; {where}/ says how to ask")
    try:
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])
    finally:
        listener.close()


def find_key(file: Path | None) -> str | None:
    """From a file or the environment, never from a command line, which every user of the machine can read."""
    if file is not None:
        key, source = file.read_text(encoding="utf-8").strip(), str(file)
    else:
        key, source = os.environ.get(VARIABLE, "").strip(), VARIABLE
        if not key:
            return None
    if len(key) < SHORTEST or not key.isascii() or not key.isprintable() or " " in key:
        raise SettingError(f"the key in {source} must be at least {SHORTEST} letters and digits without spaces")
    return key


def _is_own(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(AT_ONCE)
    except OSError as problem:
        listener.close()
        raise SettingError(f"{host}, port {port} cannot be used ({problem.strerror}); choose others") from None
    return listener
