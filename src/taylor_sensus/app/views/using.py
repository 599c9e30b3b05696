"""What can be done with a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from taylor_sensus.app import pages
from taylor_sensus.app.views.answers import (
    MOST_FIELDS,
    Sent,
    decimal_sign,
    file_of,
    html,
    position,
    read_sent,
    refuse,
    sheet_of,
    to,
    tried,
    trouble_of,
)
from taylor_sensus.app.whatif import Control, category, controls_of, look, read_row
from taylor_sensus.app.workbench import MODEL, PREDICTIONS, REPORT, SUGGESTIONS, Candidates, Opened, Workbench
from taylor_sensus.errors import SettingError, TaylorSensusError
from taylor_sensus.tables.wanted import Reading
from taylor_sensus.words.html import tag

KINDS = {MODEL: "application/octet-stream", REPORT: "text/html", PREDICTIONS: "text/csv", SUGGESTIONS: "text/csv"}


class Using:
    """What can be done with a model."""

    def __init__(self, bench: Workbench, limit: int) -> None:
        self.bench, self.limit = bench, limit

    async def show(self, request: Request) -> Response:
        return self._page(trouble_of(self.bench))

    def _page(self, trouble: str | None) -> Response:
        opened = self.bench.opened
        if opened is None:
            return to("/")
        return html(pages.model_page(opened, trouble), trouble)

    async def report(self, request: Request) -> Response:
        opened = self.bench.opened
        return to("/") if opened is None else HTMLResponse(opened.report.html)

    async def download(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in KINDS or not self.bench.has(name):
            return refuse(404, "There is no such file", "It has not been made yet.")
        return FileResponse(self.bench.folder / name, media_type=KINDS[name], filename=name)

    def _predictions_page(self, trouble: str | None = None) -> Response:
        opened = self.bench.opened
        if opened is None:
            return to("/")
        return html(pages.predictions_page(opened, self.limit, self.bench.predicted, trouble), trouble)

    async def predict(self, request: Request) -> Response:
        if request.method == "GET":
            return self._predictions_page(trouble_of(self.bench))
        async with request.form(max_files=1) as form:
            sent = read_sent(form, "rows")

            def begin() -> Response:
                fields = sent.fields
                reading = Reading(decimal=decimal_sign(fields), exact="exact" in fields, sheet=sheet_of(fields))
                self.bench.predict(file_of(sent), sent.name, reading)
                return to("/working")

            return await tried(begin, self._predictions_page)

    async def update(self, request: Request) -> Response:
        async with request.form(max_files=1) as form:
            sent = read_sent(form, "form")

            def begin() -> Response:
                self.bench.update(file_of(sent), sent.name)
                return to("/working")

            return await tried(begin, self._suggestions_page)

    async def what_if(self, request: Request) -> Response:
        opened = self.bench.opened
        if opened is None:
            return to("/")
        async with request.form(max_fields=MOST_FIELDS, max_files=0) as form:
            fields = read_sent(form, None).fields

        def shown(trouble: str | None = None) -> Response:
            controls = controls_of(opened)
            entries = fields if fields and trouble is None else _at_start(controls)
            view = _view(opened, controls, entries)
            return html(pages.whatif_page(controls, opened.model.fitted_.target_names, view, entries, trouble), trouble)

        def failed(trouble: str) -> Response:
            try:
                return shown(trouble)
            except TaylorSensusError as problem:
                return self._page(str(problem))

        return await tried(shown, failed)

    async def view(self, request: Request) -> Response:
        """Only the part of the page that the sliders change, for the script."""
        opened = self.bench.opened
        if opened is None:
            return refuse(409, "There is no model", "Fit or open one first.")
        async with request.form(max_fields=MOST_FIELDS, max_files=0) as form:
            fields = read_sent(form, None).fields

        def failed(trouble: str) -> Response:
            return HTMLResponse(tag("p", trouble, class_="problem", role="alert"), status_code=400)

        return await tried(lambda: HTMLResponse(_view(opened, controls_of(opened), fields)), failed)

    async def suggestions(self, request: Request) -> Response:
        opened = self.bench.opened
        if opened is None:
            return to("/")
        if request.method == "GET":
            trouble = trouble_of(self.bench)
            return await tried(lambda: self._suggestions_page(trouble), self._page)
        async with request.form(max_fields=MOST_FIELDS, max_files=1) as form:
            sent = read_sent(form, "candidates")

            def begin() -> Response:
                self.bench.suggest_entries = sent.fields
                _suggest(self.bench, opened, sent)
                return to("/working")

            return await tried(begin, self._suggestions_page)

    def _suggestions_page(self, trouble: str | None = None) -> Response:
        opened = self.bench.opened
        if opened is None:
            return to("/")
        names = opened.model.fitted_.target_names
        found, suggest_entries = self.bench.suggestions, self.bench.suggest_entries
        return html(
            pages.suggestions_page(controls_of(opened), names, self.limit, found, suggest_entries, trouble), trouble
        )


def _at_start(controls: list[Control]) -> dict[str, str]:
    """Every control in its middle."""
    return {f"value-{at}": f"{control.start:.10g}" for at, control in enumerate(controls)}


def _view(opened: Opened, controls: list[Control], fields: Mapping[str, str]) -> Any:
    row, errors = read_row(fields, controls)
    first = next((at for at, control in enumerate(controls) if control.moves), 0)
    along = controls[position(fields.get("along", str(first)), len(controls))]
    target = position(fields.get("target", "0"), len(opened.model.fitted_.target_names))
    return pages.view_of(look(opened, row, errors, along), target)


def _suggest(bench: Workbench, opened: Opened, sent: Sent) -> None:
    fields = sent.fields
    controls, names = controls_of(opened), opened.model.fitted_.target_names
    count = fields.get("n", "8")
    if not count.isdecimal():
        raise SettingError(f"How many? {count!r} is not a whole number.")
    bounds = (
        {control.column.name: _space(at, control, fields) for at, control in enumerate(controls)}
        if sent.file is None
        else {}
    )
    target = names[position(fields.get("target", "0"), len(names))]
    bench.suggest(
        Candidates(sent.file, sent.name, decimal_sign(fields), sheet_of(fields), bounds),
        int(count),
        _goal(fields),
        target,
    )


def _goal(fields: Mapping[str, str]) -> Any:
    goal = fields.get("goal", "learn")
    if goal != "target":
        return goal
    try:
        return "target", float(fields.get("value", ""))
    except ValueError:
        raise SettingError("Which value? Write the number that results should come near to.") from None


def _space(at: int, control: Control, fields: Mapping[str, str]) -> Any:
    """Where a column may lie: two numbers, or categories."""
    if control.column.categories is not None:
        only = fields.get(f"only-{at}", "")
        return [category(control, only)] if only else list(control.column.categories)
    try:
        low, high = (float(fields[f"{end}-{at}"]) for end in ("low", "high"))
    except (KeyError, ValueError):
        raise SettingError(f"{control.column.name}: give a lowest and a highest value.") from None
    return (low, high) if low < high else [low]
