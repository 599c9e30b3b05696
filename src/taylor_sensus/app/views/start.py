"""The first page, and what can be chosen there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO

from starlette.requests import Request
from starlette.responses import Response

from taylor_sensus.app import pages
from taylor_sensus.app.views.answers import file_of, html, read_sent, to, tried, trouble_of
from taylor_sensus.app.workbench import Workbench


class Starting:
    """The first page, and what can be chosen there."""

    def __init__(self, bench: Workbench, limit: int) -> None:
        self.bench, self.limit = bench, limit

    async def show(self, request: Request) -> Response:
        return self._page(trouble_of(self.bench))

    def _page(self, trouble: str | None = None) -> Response:
        return html(pages.start_page(self.limit, has_last=self.bench.has_last(), trouble=trouble), trouble)

    async def take_table(self, request: Request) -> Response:
        return await self._take(request, "table", self.bench.take_table, "/columns")

    async def take_model(self, request: Request) -> Response:
        return await self._take(request, "model", self.bench.take_model, "/working")

    async def take_example(self, request: Request) -> Response:
        from taylor_sensus.datasets.reactor import TABLE

        def take() -> Response:
            with TABLE.open("rb") as file:
                self.bench.take_table(file, TABLE.name)
            return to("/columns")

        return await tried(take, self._page)

    async def take_last(self, request: Request) -> Response:
        def take() -> Response:
            self.bench.open_last()
            return to("/working")

        return await tried(take, self._page)

    async def _take(self, request: Request, field: str, take: Callable[[BinaryIO, str], Any], then: str) -> Response:
        async with request.form(max_files=1) as form:
            sent = read_sent(form, field)

            def taken() -> Response:
                take(file_of(sent), sent.name)
                return to(then)

            return await tried(taken, self._page)
