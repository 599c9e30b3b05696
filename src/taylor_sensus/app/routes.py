"""Which address does what. Work that takes long runs as a job or in another thread, never in the server's loop."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from taylor_sensus.app.guard import Guard, TooLarge
from taylor_sensus.app.views.answers import refuse
from taylor_sensus.app.views.fitting import Fitting
from taylor_sensus.app.views.start import Starting
from taylor_sensus.app.views.using import Using
from taylor_sensus.app.workbench import Workbench

STATIC = {"app.css": "text/css", "app.js": "text/javascript"}


def application(bench: Workbench, *, key: str, port: int, limit: int) -> Any:
    """The whole app, guarded."""
    start, fitting, using = Starting(bench, limit), Fitting(bench), Using(bench, limit)
    routes = [
        Route("/", start.show),
        Route("/table", start.take_table, methods=["POST"]),
        Route("/example", start.take_example, methods=["POST"]),
        Route("/open", start.take_model, methods=["POST"]),
        Route("/last", start.take_last, methods=["POST"]),
        Route("/columns", fitting.show),
        Route("/sheet", fitting.sheet, methods=["POST"]),
        Route("/fit", fitting.fit, methods=["POST"]),
        Route("/working", fitting.working),
        Route("/progress", fitting.progress),
        Route("/stop", fitting.stop, methods=["POST"]),
        Route("/model", using.show),
        Route("/report", using.report),
        Route("/predict", using.predict, methods=["GET", "POST"]),
        Route("/download/{name}", using.download),
        Route("/what-if", using.what_if, methods=["GET", "POST"]),
        Route("/view", using.view, methods=["POST"]),
        Route("/suggestions", using.suggestions, methods=["GET", "POST"]),
        Route("/update", using.update, methods=["POST"]),
        Route("/static/{name}", _static),
    ]
    inside = Starlette(routes=routes)
    guard = Guard(inside, key=key, port=port, limit=limit, refuse=refuse)
    inside.add_exception_handler(TooLarge, guard.refuse_large)
    inside.add_exception_handler(HTTPException, _no_such_page)
    return guard


async def _no_such_page(request: Request, problem: Exception) -> Response:
    return refuse(getattr(problem, "status_code", 404), "There is no such page", "The app has other pages.")


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise HTTPException(404)
    text = files("taylor_sensus.app").joinpath("static", name).read_text(encoding="utf-8")
    return Response(text, media_type=STATIC[name])
