"""Docstrings of the public names are complete numpydoc: a summary, every argument, what comes back, true defaults."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("numpydoc")
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import validate

MODULES = (
    "",
    ".budget",
    ".distributed",
    ".plots",
    ".report",
    ".scores",
    ".search",
    ".settings",
    ".suggest",
    ".tables.measurements",
)
ASKED = {
    "GL08": "no docstring",
    "SS01": "no summary",
    "SS06": "summary longer than a line",
    "PR01": "arguments not explained",
    "PR02": "arguments explained that there are not",
    "PR03": "arguments in another order",
    "PR04": "an argument without a type",
    "PR07": "an argument without words",
    "RT01": "nothing about what is returned",
    "RT03": "what is returned without words",
}
ROUTING = re.compile(r"set_\w+_request")
"""Methods that scikit-learn adds to every estimator."""


def public() -> Iterator[tuple[str, Any]]:
    """The public functions, classes, methods and properties by name."""
    for place in MODULES:
        module = importlib.import_module(f"taylor_sensus{place}")
        listed = getattr(module, "__all__", None)
        for name in listed or [n for n in vars(module) if not n.startswith("_")]:
            thing = getattr(module, name)
            home = getattr(thing, "__module__", "")
            if not callable(thing) or not home.startswith("taylor_sensus") or (not listed and home != module.__name__):
                continue
            yield thing.__qualname__, thing
            if inspect.isclass(thing):
                yield from members(thing)


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that a class defines itself."""
    for name, thing in vars(kind).items():
        if name.startswith("_") or ROUTING.fullmatch(name):
            continue
        if inspect.isfunction(getattr(thing, "__func__", thing)) or isinstance(thing, property):
            yield f"{kind.__qualname__}.{name}", thing if isinstance(thing, property) else getattr(kind, name)


NAMES = dict(public())


def gaps(thing: Any) -> list[tuple[str, str]]:
    """What a docstring lacks."""
    return [(code, words) for code, words in validate(get_doc_object(thing))["errors"] if code in ASKED]


def false_defaults(thing: Any) -> list[str]:
    """Arguments whose docstring tells another default than the signature has."""
    told = {a.name: re.search(r"default=(.*)$", a.type) for a in get_doc_object(thing)["Parameters"]}
    values = {name: ast.literal_eval(found[1]) for name, found in told.items() if found}
    given = inspect.signature(thing).parameters if values else {}
    return [name for name, value in values.items() if value != given[name].default]


def test_the_main_names_are_looked_at():
    assert {"TSNetRegressor.predict_interval", "Prediction.quantile", "ParityDisplay.from_estimator"} <= set(NAMES)
    assert {"NoiseBudget.mean", "Settings", "Suggestions", "load_model", "read_measurements", "crps"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_docstring_is_complete(name):
    assert gaps(NAMES[name]) == []


@pytest.mark.parametrize("name", [name for name, thing in NAMES.items() if callable(thing)])
def test_docstring_tells_the_defaults_of_the_signature(name):
    assert false_defaults(NAMES[name]) == []


def planted(a: int = 1, b: int = 2) -> int:
    """Add.

    Parameters
    ----------
    a : int, default=3
        A number.
    """
    return a + b


def test_planted_gaps_are_found():
    assert {code for code, _ in gaps(planted)} == {"PR01", "RT01"}
    assert false_defaults(planted) == ["a"]
