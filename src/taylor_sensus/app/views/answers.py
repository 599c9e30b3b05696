"""Forms as they were sent, and answers: pages, redirects and refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import HTMLResponse, RedirectResponse, Response

from taylor_sensus.app import pages
from taylor_sensus.app.choices import DECIMALS
from taylor_sensus.app.job import in_words
from taylor_sensus.app.workbench import Workbench
from taylor_sensus.errors import DataError, SettingError

MOST_FIELDS = 50_000
"""Of a form: three for each column of a wide table."""


class Sent(NamedTuple):
    """What a form sent: texts by name, and a file if there was one."""

    fields: dict[str, str]
    file: BinaryIO | None
    name: str


def read_sent(form: Any, file: str | None) -> Sent:
    """Fields as texts; the file only if one was chosen."""
    fields = {name: value for name, value in form.multi_items() if isinstance(value, str)}
    upload = form.get(file) if file else None
    if not isinstance(upload, UploadFile) or not upload.filename:
        return Sent(fields, None, "")
    return Sent(fields, upload.file, upload.filename)


def file_of(sent: Sent) -> BinaryIO:
    if sent.file is None:
        raise DataError("Choose a file first.")
    return sent.file


async def tried(action: Callable[[], Response], failed: Callable[[str], Response]) -> Response:
    """The outcome, or the page that says why there is none."""
    try:
        return await run_in_threadpool(action)
    except Exception as problem:  # a page that says so is better than one that says nothing
        words = in_words(problem)
    return await run_in_threadpool(failed, words)


def trouble_of(bench: Workbench) -> str | None:
    """Why the work before failed, shown once."""
    trouble, bench.trouble = bench.trouble, None
    return trouble


def position(text: str, count: int) -> int:
    if not text.isdecimal() or int(text) >= count:
        raise SettingError(f"There is no choice {text!r}; choose one of the list.")
    return int(text)


def decimal_sign(fields: Mapping[str, str]) -> str | None:
    sign = fields.get("decimal", "")
    if sign not in DECIMALS:
        raise SettingError(f"There is no decimal sign {sign!r}; choose one of the list.")
    return sign or None


def sheet_of(fields: Mapping[str, str]) -> str | None:
    """The sheet of a book that was named, if any."""
    return fields.get("sheet", "").strip() or None


def to(address: str) -> Response:
    return RedirectResponse(address, status_code=303)


def html(text: str, trouble: str | None = None) -> Response:
    return HTMLResponse(text, status_code=200 if trouble is None else 400)


def refuse(status: int, title: str, words: str) -> Response:
    return HTMLResponse(pages.problem_page(title, words), status_code=status)
