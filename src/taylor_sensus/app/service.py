"""A model behind an address: rows come as JSON, predictions go back as JSON, to the last bit those of the library.

Only predicts: nothing that is sent is kept, and no file is written.
"""

from __future__ import annotations

import hmac
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from taylor_sensus._version import __version__
from taylor_sensus.app.service_page import openapi_document, page
from taylor_sensus.errors import DataError, SettingError, TaylorSensusError, listed
from taylor_sensus.model.chunks import cores

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from taylor_sensus.prediction import Prediction
    from taylor_sensus.regressor import TSNetRegressor

OPEN = ("/health",)
"""Answered without the key: says only that the server lives."""
FIELDS = ("rows", "errors", "coverage")


class Limits(NamedTuple):
    """How much one request may hold."""

    rows: int = 10_000
    bytes: int = 10_000_000


class Refused(Exception):
    """A request that is answered with a status and words."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class Service:
    """Answers for one model. Requests wait for a core, so that many at once take no more memory than a few."""

    def __init__(self, model: TSNetRegressor, name: str, *, key: str | None, limits: Limits) -> None:
        self.model, self.name, self.key, self.limits = model, name, key, limits
        self._at_once = CapacityLimiter(cores(None))

    def application(self) -> Starlette:
        """For any ASGI server."""
        routes = [
            Route("/health", self.health),
            Route("/model", self.describe),
            Route("/predict", self.predict, methods=["POST"]),
            Route("/openapi.json", self.openapi),
            Route("/", self.page),
        ]
        return Starlette(routes=routes, exception_handlers={Refused: _refused})

    async def health(self, request: Request) -> Response:
        """Whether the server lives."""
        return JSONResponse({"status": "ok", "version": __version__})

    async def describe(self, request: Request) -> Response:
        """Which columns the model takes, and what it says of itself."""
        self._admit(request)
        fitted = self.model.fitted_
        columns = [
            {"name": c.name, "categories": None if c.categories is None else [*c.categories]} for c in fitted.columns
        ]
        description = {
            "name": self.name,
            "columns": columns,
            "targets": [*fitted.target_names],
            "summary": self.model.summary(),
        }
        return JSONResponse({**description, "most_rows": self.limits.rows})

    async def openapi(self, request: Request) -> Response:
        """The interface as an OpenAPI document."""
        self._admit(request)
        return JSONResponse(self._document())

    async def page(self, request: Request) -> Response:
        """The same for people."""
        self._admit(request)
        return HTMLResponse(page(self._document()), headers={"content-security-policy": "default-src 'none'"})

    async def predict(self, request: Request) -> Response:
        """Predictions for rows."""
        self._admit(request)
        query = await self._read(request)
        try:
            text = await to_thread.run_sync(lambda: self._answer(query), limiter=self._at_once)
        except TaylorSensusError as problem:
            raise Refused(422, str(problem)) from problem
        return Response(text, media_type="application/json")

    def _document(self) -> dict[str, Any]:
        fitted = self.model.fitted_
        return openapi_document(self.name, fitted.columns, fitted.target_names, self.limits.rows)

    def _admit(self, request: Request) -> None:
        if self.key is None:  # a page that gives its own name to this machine must not get in
            if request.url.hostname not in ("127.0.0.1", "localhost", "::1"):
                raise Refused(403, "Without a key only this machine is answered, as 127.0.0.1 or localhost.")
            return
        given = request.headers.get("authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {self.key}".encode()):
            raise Refused(401, "The key is missing or wrong: send the header 'Authorization: Bearer KEY'.")

    async def _read(self, request: Request) -> dict[str, Any]:
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise Refused(415, "Send JSON, with the header 'Content-Type: application/json'.")
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > self.limits.bytes:
                raise Refused(413, f"At most {self.limits.bytes:,} bytes can be sent at once; send fewer rows.")
        try:
            query = json.loads(body)
        except (ValueError, RecursionError) as problem:
            raise Refused(400, f"This is not JSON: {problem}.") from problem
        if not isinstance(query, dict) or "rows" not in query or not set(query) <= set(FIELDS):
            raise Refused(422, f"Send an object with 'rows' and, if wanted, some of {listed(FIELDS[1:])}.")
        return query

    def _answer(self, query: Mapping[str, Any]) -> str:
        rows = self._rows(query["rows"])
        coverage = query.get("coverage", 0.9)
        if type(coverage) not in (int, float):
            raise SettingError(f"coverage must be a number between 0 and 1, not {coverage!r}")
        errors = query.get("errors")
        if errors is not None and not isinstance(errors, int | float | dict):
            raise SettingError("errors must be a number for all inputs, or an object of numbers by column")
        prediction = self.model.predict_distribution(rows, X_err=errors)
        return json.dumps({"predictions": answers(prediction, coverage)}, allow_nan=False)

    def _rows(self, rows: Any) -> pd.DataFrame | np.ndarray:
        import pandas as pd

        columns = self.model.fitted_.columns
        names = [column.name for column in columns]
        if not isinstance(rows, list) or not rows or len(rows) > self.limits.rows:
            raise DataError(f"rows must be a list of 1 to {self.limits.rows:,} objects")
        for place, row in enumerate(rows):
            if not isinstance(row, dict) or set(row) != set(names):
                raise DataError(f"row {place} must be an object with the columns {listed(names)}; null where unknown")
            for column in columns:
                cell, words = row[column.name], column.categories is not None
                if cell is not None and not (isinstance(cell, str) if words else type(cell) in (int, float)):
                    kind = "text" if words else "a number"
                    raise DataError(f"row {place}, column {column.name!r} must be {kind} or null, not {cell!r}")
        frame = pd.DataFrame(
            {c.name: [row[c.name] for row in rows] for c in columns}, columns=names, dtype=object
        ).astype({c.name: float for c in columns if c.categories is None})
        if hasattr(self.model, "feature_names_in_"):
            return frame
        return (
            frame.set_axis(range(len(names)), axis=1) if any(c.categories for c in columns) else frame.to_numpy(float)
        )


PARTS = ("mean", "std", "feature_noise", "system_noise", "epistemic")


def answers(prediction: Prediction, coverage: float) -> list[dict[str, Any]]:
    """For each row its familiarity and, by target, mean, std, its parts and an interval; null for what is infinite."""
    interval = prediction.conformal_interval(coverage)
    numbers = {part: getattr(prediction, part) for part in PARTS} | {"lower": interval.lower, "upper": interval.upper}
    shape, names = (len(prediction), -1), prediction.target_names
    tables = {part: values.reshape(shape).tolist() for part, values in numbers.items()}
    return [
        {
            "familiarity": known,
            "targets": {
                name: {part: _finite(table[row][target]) for part, table in tables.items()}
                for target, name in enumerate(names)
            },
        }
        for row, known in enumerate(prediction.familiarity.tolist())
    ]


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


async def _refused(request: Request, problem: Any) -> Response:
    extra = {"www-authenticate": "Bearer"} if problem.status == 401 else {}
    return JSONResponse({"error": str(problem)}, status_code=problem.status, headers=extra)
