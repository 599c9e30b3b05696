"""Which address does what. Work that takes long runs as a job or in another thread, never in the server's loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any, BinaryIO, NamedTuple

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from taylor_sensus.app import pages
from taylor_sensus.app.choices import DECIMALS, read_choices
from taylor_sensus.app.guard import Guard, TooLarge
from taylor_sensus.app.job import in_words
from taylor_sensus.app.whatif import Knob, category, knobs_of, look, read_row
from taylor_sensus.app.workbench import MODEL, PREDICTIONS, REPORT, SUGGESTIONS, Candidates, Opened, Workbench
from taylor_sensus.errors import DataError, SettingError, TaylorSensusError
from taylor_sensus.markup import tag

MOST_FIELDS = 50_000
"""Of a form: three for each column of a wide table."""
KINDS = {MODEL: "application/octet-stream", REPORT: "text/html", PREDICTIONS: "text/csv", SUGGESTIONS: "text/csv"}
STATIC = {"app.css": "text/css", "app.js": "text/javascript"}


class Sent(NamedTuple):
    """What a form sent: texts by name, and a file if there was one."""

    fields: dict[str, str]
    file: BinaryIO | None
    name: str


def application(bench: Workbench, *, key: str, port: int, limit: int) -> Any:
    """The whole app, guarded."""
    routes = [
        Route("/", _Start(bench, limit).show),
        Route("/table", _Start(bench, limit).take_table, methods=["POST"]),
        Route("/example", _Start(bench, limit).take_example, methods=["POST"]),
        Route("/open", _Start(bench, limit).take_model, methods=["POST"]),
        Route("/last", _Start(bench, limit).take_last, methods=["POST"]),
        Route("/columns", _Fitting(bench).show),
        Route("/fit", _Fitting(bench).fit, methods=["POST"]),
        Route("/working", _Fitting(bench).working),
        Route("/progress", _Fitting(bench).progress),
        Route("/stop", _Fitting(bench).stop, methods=["POST"]),
        Route("/model", _Using(bench, limit).show),
        Route("/report", _Using(bench, limit).report),
        Route("/predict", _Using(bench, limit).predict, methods=["POST"]),
        Route("/download/{name}", _Using(bench, limit).download),
        Route("/what-if", _Using(bench, limit).what_if, methods=["GET", "POST"]),
        Route("/view", _Using(bench, limit).view, methods=["POST"]),
        Route("/suggestions", _Using(bench, limit).suggestions, methods=["GET", "POST"]),
        Route("/update", _Using(bench, limit).update, methods=["POST"]),
        Route("/static/{name}", _static),
    ]
    inside = Starlette(routes=routes)
    guard = Guard(inside, key=key, port=port, limit=limit, refuse=_refuse)
    inside.add_exception_handler(TooLarge, guard.refuse_large)
    return guard


class _Start:
    """The first page, and what can be chosen there."""

    def __init__(self, bench: Workbench, limit: int) -> None:
        self.bench, self.limit = bench, limit

    async def show(self, request: Request) -> Response:
        return self._page(_trouble(self.bench))

    def _page(self, trouble: str | None = None) -> Response:
        return _html(pages.start_page(self.limit, has_last=self.bench.has_last(), trouble=trouble), trouble)

    async def take_table(self, request: Request) -> Response:
        return await self._take(request, "table", self.bench.take_table, "/columns")

    async def take_model(self, request: Request) -> Response:
        return await self._take(request, "model", self.bench.take_model, "/working")

    async def take_example(self, request: Request) -> Response:
        from taylor_sensus.data.reactor import TABLE

        def take() -> Response:
            with TABLE.open("rb") as file:
                self.bench.take_table(file, TABLE.name)
            return _to("/columns")

        return await _tried(take, self._page)

    async def take_last(self, request: Request) -> Response:
        def take() -> Response:
            self.bench.open_last()
            return _to("/working")

        return await _tried(take, self._page)

    async def _take(self, request: Request, field: str, take: Callable[[BinaryIO, str], Any], then: str) -> Response:
        async with request.form(max_files=1) as form:
            sent = _sent(form, field)

            def taken() -> Response:
                take(_file(sent), sent.name)
                return _to(then)

            return await _tried(taken, self._page)


class _Fitting:
    """From the columns of a table to a model."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench

    async def show(self, request: Request) -> Response:
        table, trouble = self.bench.table, _trouble(self.bench)
        return _to("/") if table is None else _html(pages.columns_page(table, self.bench.chosen, trouble), trouble)

    async def fit(self, request: Request) -> Response:
        table = self.bench.table
        if table is None:
            return _to("/")
        async with request.form(max_fields=MOST_FIELDS, max_files=0) as form:
            fields = _sent(form, None).fields

        def begin() -> Response:
            self.bench.chosen = fields
            self.bench.fit(read_choices(fields, table.headers, table.pairings))
            return _to("/working")

        return await _tried(begin, lambda trouble: _html(pages.columns_page(table, fields, trouble), trouble))

    async def working(self, request: Request) -> Response:
        job = self.bench.job
        if job is None:
            return _to("/")
        if job.running:
            return _html(pages.working_page(job))
        self.bench.trouble = job.problem
        return _to(job.then if job.problem is None else job.back)

    async def progress(self, request: Request) -> Response:
        job = self.bench.job
        running = job is not None and job.running
        words, share = (job.words, job.share) if job is not None else ("", 1.0)
        return JSONResponse({"running": running, "words": words, "share": round(share, 3)})

    async def stop(self, request: Request) -> Response:
        if self.bench.job is not None:
            self.bench.job.stop()
            await run_in_threadpool(self.bench.job.wait, 20)
        return _to("/working")


class _Using:
    """What can be done with a model."""

    def __init__(self, bench: Workbench, limit: int) -> None:
        self.bench, self.limit = bench, limit

    async def show(self, request: Request) -> Response:
        return self._page(_trouble(self.bench))

    def _page(self, trouble: str | None) -> Response:
        opened = self.bench.opened
        if opened is None:
            return _to("/")
        return _html(pages.model_page(opened, self.limit, self.bench.predicted, trouble), trouble)

    async def report(self, request: Request) -> Response:
        opened = self.bench.opened
        return _to("/") if opened is None else HTMLResponse(opened.report.html)

    async def download(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in KINDS or self.bench.opened is None or not (self.bench.folder / name).is_file():
            return _refuse(404, "There is no such file", "It has not been made yet.")
        return FileResponse(self.bench.folder / name, media_type=KINDS[name], filename=name)

    async def predict(self, request: Request) -> Response:
        async with request.form(max_files=1) as form:
            sent = _sent(form, "rows")

            def begin() -> Response:
                exact, decimal = "exact" in sent.fields, _decimal(sent.fields)
                self.bench.predict(_file(sent), sent.name, exact=exact, decimal=decimal)
                return _to("/working")

            return await _tried(begin, self._page)

    async def update(self, request: Request) -> Response:
        async with request.form(max_files=1) as form:
            sent = _sent(form, "form")

            def begin() -> Response:
                self.bench.update(_file(sent), sent.name)
                return _to("/working")

            return await _tried(begin, self._suggestions_page)

    async def what_if(self, request: Request) -> Response:
        opened = self.bench.opened
        if opened is None:
            return _to("/")
        async with request.form(max_fields=MOST_FIELDS, max_files=0) as form:
            fields = _sent(form, None).fields

        def shown(trouble: str | None = None) -> Response:
            knobs = knobs_of(opened)
            said = fields if fields and trouble is None else _at_start(knobs)
            view = _view(opened, knobs, said)
            return _html(pages.whatif_page(knobs, opened.model.fitted_.target_names, view, said, trouble), trouble)

        def failed(trouble: str) -> Response:
            try:
                return shown(trouble)
            except TaylorSensusError as problem:
                return self._page(str(problem))

        return await _tried(shown, failed)

    async def view(self, request: Request) -> Response:
        """Only the part of the page that the sliders change, for the script."""
        opened = self.bench.opened
        if opened is None:
            return _refuse(409, "There is no model", "Fit or open one first.")
        async with request.form(max_fields=MOST_FIELDS, max_files=0) as form:
            fields = _sent(form, None).fields

        def failed(trouble: str) -> Response:
            return HTMLResponse(tag("p", trouble, class_="problem", role="alert"), status_code=400)

        return await _tried(lambda: HTMLResponse(_view(opened, knobs_of(opened), fields)), failed)

    async def suggestions(self, request: Request) -> Response:
        opened = self.bench.opened
        if opened is None:
            return _to("/")
        if request.method == "GET":
            trouble = _trouble(self.bench)
            return await _tried(lambda: self._suggestions_page(trouble), self._page)
        async with request.form(max_fields=MOST_FIELDS, max_files=1) as form:
            sent = _sent(form, "candidates")

            def begin() -> Response:
                self.bench.asked = sent.fields
                _suggest(self.bench, opened, sent)
                return _to("/working")

            return await _tried(begin, self._suggestions_page)

    def _suggestions_page(self, trouble: str | None = None) -> Response:
        opened = self.bench.opened
        if opened is None:
            return _to("/")
        names = opened.model.fitted_.target_names
        found, asked = self.bench.suggestions, self.bench.asked
        return _html(pages.suggestions_page(knobs_of(opened), names, self.limit, found, asked, trouble), trouble)


def _at_start(knobs: list[Knob]) -> dict[str, str]:
    """Every knob in its middle."""
    return {f"value-{at}": f"{knob.start:.10g}" for at, knob in enumerate(knobs)}


def _view(opened: Opened, knobs: list[Knob], fields: Mapping[str, str]) -> Any:
    row, errors = read_row(fields, knobs)
    along = knobs[_position(fields.get("along", "0"), len(knobs))]
    target = _position(fields.get("target", "0"), len(opened.model.fitted_.target_names))
    return pages.view_of(look(opened, row, errors, along), target)


def _suggest(bench: Workbench, opened: Opened, sent: Sent) -> None:
    fields = sent.fields
    knobs, names = knobs_of(opened), opened.model.fitted_.target_names
    count = fields.get("n", "8")
    if not count.isdecimal():
        raise SettingError(f"How many? {count!r} is not a whole number.")
    bounds = {knob.column.name: _space(at, knob, fields) for at, knob in enumerate(knobs)} if sent.file is None else {}
    target = names[_position(fields.get("target", "0"), len(names))]
    bench.suggest(Candidates(sent.file, sent.name, _decimal(fields), bounds), int(count), _goal(fields), target)


def _goal(fields: Mapping[str, str]) -> Any:
    goal = fields.get("goal", "learn")
    if goal != "target":
        return goal
    try:
        return "target", float(fields.get("value", ""))
    except ValueError:
        raise SettingError("Which value? Write the number that results should come near to.") from None


def _space(at: int, knob: Knob, fields: Mapping[str, str]) -> Any:
    """Where a column may lie: two numbers, or categories."""
    if knob.column.categories is not None:
        only = fields.get(f"only-{at}", "")
        return [category(knob, only)] if only else list(knob.column.categories)
    try:
        low, high = (float(fields[f"{end}-{at}"]) for end in ("low", "high"))
    except (KeyError, ValueError):
        raise SettingError(f"{knob.column.name}: give a lowest and a highest value.") from None
    return (low, high) if low < high else [low]


def _trouble(bench: Workbench) -> str | None:
    """What the work before failed of, told once."""
    trouble, bench.trouble = bench.trouble, None
    return trouble


def _position(text: str, count: int) -> int:
    if not text.isdecimal() or int(text) >= count:
        raise SettingError(f"There is no choice {text!r}; choose one of the list.")
    return int(text)


def _decimal(fields: Mapping[str, str]) -> str | None:
    sign = fields.get("decimal", "")
    if sign not in DECIMALS:
        raise SettingError(f"There is no decimal sign {sign!r}; choose one of the list.")
    return sign or None


def _sent(form: Any, file: str | None) -> Sent:
    """Fields as texts; the file only if one was chosen."""
    fields = {name: value for name, value in form.multi_items() if isinstance(value, str)}
    upload = form.get(file) if file else None
    if not isinstance(upload, UploadFile) or not upload.filename:
        return Sent(fields, None, "")
    return Sent(fields, upload.file, upload.filename)


def _file(sent: Sent) -> BinaryIO:
    if sent.file is None:
        raise DataError("Choose a file first.")
    return sent.file


async def _tried(action: Callable[[], Response], failed: Callable[[str], Response]) -> Response:
    """The outcome, or the page that says why there is none."""
    try:
        return await run_in_threadpool(action)
    except Exception as problem:  # a page that says so is better than one that says nothing
        words = in_words(problem)
    return await run_in_threadpool(failed, words)


def _to(address: str) -> Response:
    return RedirectResponse(address, status_code=303)


def _html(text: str, trouble: str | None = None) -> Response:
    return HTMLResponse(text, status_code=200 if trouble is None else 400)


def _refuse(status: int, title: str, words: str) -> Response:
    return HTMLResponse(pages.problem_page(title, words), status_code=status)


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return _refuse(404, "There is no such page", "Go back to the start.")
    text = files("taylor_sensus.app").joinpath("static", name).read_text(encoding="utf-8")
    return Response(text, media_type=STATIC[name])
