"""From the columns of a table to a model."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from taylor_sensus.app import pages
from taylor_sensus.app.choices import read_choices
from taylor_sensus.app.views.answers import MOST_FIELDS, html, position, read_sent, to, tried, trouble_of
from taylor_sensus.app.workbench import Workbench


class Fitting:
    """From the columns of a table to a model."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench

    async def show(self, request: Request) -> Response:
        table, trouble = self.bench.table, trouble_of(self.bench)
        return to("/") if table is None else html(pages.columns_page(table, self.bench.chosen, trouble), trouble)

    async def sheet(self, request: Request) -> Response:
        """Another sheet of the book."""
        table = self.bench.table
        if table is None:
            return to("/")
        async with request.form(max_files=0) as form:
            fields = read_sent(form, None).fields

        def take() -> Response:
            place = position(fields.get("sheet", ""), len(table.sheets))
            self.bench.take_sheet(table.sheets[place])
            return to("/columns")

        return await tried(take, lambda trouble: html(pages.columns_page(table, None, trouble), trouble))

    async def fit(self, request: Request) -> Response:
        table = self.bench.table
        if table is None:
            return to("/")
        async with request.form(max_fields=MOST_FIELDS, max_files=0) as form:
            fields = read_sent(form, None).fields

        def begin() -> Response:
            self.bench.chosen = fields
            self.bench.fit(read_choices(fields, table.headers, table.pairings))
            return to("/working")

        return await tried(begin, lambda trouble: html(pages.columns_page(table, fields, trouble), trouble))

    async def working(self, request: Request) -> Response:
        job = self.bench.job
        if job is None:
            return to("/")
        if job.running:
            return html(pages.working_page(job))
        self.bench.trouble = job.problem
        return to(job.then if job.problem is None else job.back)

    async def progress(self, request: Request) -> Response:
        job = self.bench.job
        running = job is not None and job.running
        words, share, clock = (job.words, job.share, job.clock) if job is not None else ("", 1.0, "")
        return JSONResponse({"running": running, "words": words, "share": round(share, 3), "clock": clock})

    async def stop(self, request: Request) -> Response:
        if self.bench.job is not None:
            self.bench.job.stop()
            await run_in_threadpool(self.bench.job.wait, 20)
        return to("/working")
