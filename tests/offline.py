"""No test reaches the network: a connection to another machine is a failure, at once and with the address."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

import pytest


def is_this_machine(host: object) -> bool:
    """True for loopback addresses and for this machine's own names."""
    name = host.decode() if isinstance(host, bytes) else str(host or "")
    if name.lower() in ("", "localhost", socket.gethostname().lower()):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def refuse(host: object) -> None:
    """Fail the test; no `except Exception` on the way can hide it."""
    if not is_this_machine(host):
        pytest.fail(f"a test asks {host!r}, but tests must pass without a network; see tests/published.py for data")


def forbid_the_network() -> None:
    """For this process and its threads: TCP connections and look-ups of names."""
    connect, connect_ex, look_up = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def check(made: socket.socket, address: Any) -> None:
        if made.family in (socket.AF_INET, socket.AF_INET6) and made.type == socket.SOCK_STREAM:
            refuse(address[0])

    def checked_connect(made: socket.socket, address: Any) -> None:
        check(made, address)
        connect(made, address)

    def checked_connect_ex(made: socket.socket, address: Any) -> int:
        check(made, address)
        return connect_ex(made, address)

    def checked_look_up(host: Any, *arguments: Any, **options: Any) -> Any:
        if not _is_number(host):
            refuse(host)
        return look_up(host, *arguments, **options)

    socket.socket.connect = checked_connect  # type: ignore[method-assign]
    socket.socket.connect_ex = checked_connect_ex  # type: ignore[method-assign]
    socket.getaddrinfo = checked_look_up


def _is_number(host: object) -> bool:
    """An address in digits needs no server of names to be looked up."""
    try:
        return bool(ipaddress.ip_address(str(host).partition("%")[0]))
    except ValueError:
        return False
