"""Who may talk to the app, and how much may be sent: this machine's own browser, with the key, up to the limit."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

BODY = "taylor_sensus.body"
PATIENCE = 20
"""A body this many times the limit is not even read to its end, which a browser shows as a broken connection."""
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; frame-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with none at all, browsers hide the origin of our own forms too
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
Refusal = Callable[[int, str, str], Response]


class TooLarge(Exception):
    """More was sent than may be."""


class Guard:
    """Wraps the app. The key comes once in the address and is then kept in a cookie that only this server gets."""

    def __init__(self, app: Any, *, key: str, port: int, limit: int, refuse: Refusal) -> None:
        self.app, self.key, self.limit, self.refuse = app, key, limit, refuse
        self.cookie = f"taylor-sensus-{port}"
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = _Body(receive, self.limit)
        request = Request(scope)
        answer = self._refusal(request)
        announced = request.headers.get("content-length", "0")
        if answer is None and announced.isdecimal() and int(announced) > self.limit:
            answer = self._too_large()
        if answer is not None:
            await body.drain()
            await answer(scope, body.receive, _with_headers(send))
            return
        await self.app({**scope, BODY: body}, body.receive, _with_headers(send))

    async def refuse_large(self, request: Request, _: Exception) -> Response:
        """What is answered when more came than was announced."""
        await request.scope[BODY].drain()
        return self._too_large()

    def _refusal(self, request: Request) -> Response | None:
        """What is answered to those who may not come in; None for the others."""
        if request.headers.get("host") not in self.hosts:
            return self.refuse(403, "Not here", "This app answers to 127.0.0.1 and localhost only.")
        given = parse_qs(request.url.query).get("key", [""])[0]
        if given and hmac.compare_digest(given.encode(), self.key.encode()):
            answer = RedirectResponse(request.url.path, status_code=303)
            # Lax: the browser comes from a file of ours. Forms of other pages still get no cookie, nor past the origin.
            answer.set_cookie(self.cookie, self.key, httponly=True, samesite="lax", path="/")
            return answer
        if not hmac.compare_digest(request.cookies.get(self.cookie, "").encode(), self.key.encode()):
            words = "Open the address that was shown in the terminal when the app was started; it holds the key."
            return self.refuse(403, "The key is missing", words)
        origin = request.headers.get("origin")
        if request.method == "POST" and origin is not None and origin not in {f"http://{host}" for host in self.hosts}:
            return self.refuse(403, "Not from there", "This request came from another page.")
        return None

    def _too_large(self) -> Response:
        words = (
            f"Up to {self.limit / 1e6:,.0f} MB can be sent. Leave out columns or rows that are not needed, or save the "
            "table as Parquet; or start the app with a larger --upload-limit. The command line takes any size: "
            "taylor-sensus fit."
        )
        return self.refuse(413, "This file is too large", words)


class _Body:
    """What a request sends, counted."""

    def __init__(self, receive: Any, limit: int) -> None:
        self._receive, self.limit, self.count, self.whole = receive, limit, 0, False

    async def receive(self) -> Any:
        message = await self._receive()
        if message["type"] == "http.request":
            self.count += len(message.get("body", b""))
            self.whole = not message.get("more_body", False)
            if self.count > self.limit:
                raise TooLarge
        else:
            self.whole = True
        return message

    async def drain(self) -> None:
        """Read on without keeping anything: a browser shows an answer only when it could send all."""
        while not self.whole and self.count < PATIENCE * self.limit:
            message = await self._receive()
            self.count += len(message.get("body", b""))
            self.whole = message["type"] != "http.request" or not message.get("more_body", False)


def _with_headers(send: Any) -> Any:
    async def sent(message: Any) -> None:
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *own]}
        await send(message)

    return sent
