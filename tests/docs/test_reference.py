"""Every public name is in the reference and says what it is for."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from built_site import built

import taylor_sensus
from docs.pages import FOLDER
from taylor_sensus.baselines.registry import METHODS
from taylor_sensus.datasets.sources import DATASETS
from taylor_sensus.settings import NAMES

PAGES = FOLDER / "reference"
PLACE = re.compile(r"automodule:: (\S+)\n(?!\s+:no-members:)")
ROUTING = re.compile(r"set_\w+_request")
"""Methods that scikit-learn adds to every estimator."""


def on_pages() -> set[str]:
    """Modules that the reference shows as a whole."""
    found = {name for page in PAGES.glob("*.md") for name in PLACE.findall(page.read_text())}
    assert {"taylor_sensus", "taylor_sensus.settings"} <= found
    return found


def with_a_list() -> set[str]:
    """Modules and folders right below the package that say which of their names are public, and the package."""
    names = ["taylor_sensus", *(f"taylor_sensus.{one.name}" for one in pkgutil.iter_modules(taylor_sensus.__path__))]
    files = {name: Path(inspect.getsourcefile(importlib.import_module(name)) or "") for name in names}
    return {name for name, file in files.items() if re.search(r"^__all__ = ", file.read_text(), re.M)}


def public(module: ModuleType) -> dict[str, Any]:
    """The names that a module lists, or else its own functions and classes without an underscore."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return {name: getattr(module, name) for name in listed if name != "__version__"}
    return {
        name: thing
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(thing) or inspect.isfunction(thing))
        and thing.__module__ == module.__name__
    }


MODULES = sorted(on_pages() | with_a_list())


def full_names(module: str, name: str, thing: Any) -> set[str]:
    """Where a name may stand in the reference: where it is public, or where it was made."""
    made = f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', '')}"
    return {f"{module}.{name}", made}


def missing(module: ModuleType, known: set[str]) -> list[str]:
    return [name for name, thing in public(module).items() if not full_names(module.__name__, name, thing) & known]


def own_words(thing: Any) -> str:
    """A docstring that somebody wrote: not inherited, and not the signature that dataclasses put in its place."""
    words = (vars(thing).get("__doc__") if inspect.isclass(thing) else getattr(thing, "__doc__", None)) or ""
    return "" if inspect.isclass(thing) and words.startswith(f"{thing.__name__}(") else words.strip()


def members(kind: type) -> dict[str, Any]:
    """Public methods and properties that a class defines itself."""
    plain = {name: getattr(thing, "__func__", thing) for name, thing in vars(kind).items()}
    return {
        f"{kind.__name__}.{name}": thing
        for name, thing in plain.items()
        if not name.startswith("_")
        and not ROUTING.fullmatch(name)
        and (inspect.isfunction(thing) or isinstance(thing, property) or hasattr(thing, "attrname"))
    }


def silent(module: ModuleType) -> list[str]:
    things = {name: thing for name, thing in public(module).items() if inspect.isclass(thing) or callable(thing)}
    for thing in list(things.values()):
        if inspect.isclass(thing) and thing.__module__.startswith("taylor_sensus"):
            things |= members(thing)
    return [name for name, thing in things.items() if not own_words(thing)]


@pytest.fixture(scope="module")
def known() -> set[str]:
    """The names in the inventory of the built site."""
    pytest.importorskip("sphinx")
    from sphinx.util.inventory import InventoryFile

    content = InventoryFile.loads((built().folder / "objects.inv").read_bytes(), uri="")
    return {name for kind, found in content.data.items() if kind.startswith("py:") for name in found}


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_in_the_reference(name, known):
    assert missing(importlib.import_module(name), known) == []


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_says_what_it_is_for(name):
    assert silent(importlib.import_module(name)) == []


def test_settings_methods_datasets_and_commands_are_listed():
    pytest.importorskip("sphinx")
    from typer.main import get_command

    from taylor_sensus.cli import app

    commands = get_command(app).commands  # pyright: ignore[reportAttributeAccessIssue]
    for page, names in {
        "settings": NAMES,
        "baselines": METHODS,
        "data": DATASETS,
        "command_line": [f"taylor-sensus {name}" for name in commands],
    }.items():
        text = (built().folder / "reference" / f"{page}.html").read_text()
        assert [name for name in names if f">{name}<" not in text] == [], page


# ------------------------------------------------------------------------------ the readers see what they should


def test_planted_gaps_are_found(known):
    module = ModuleType("taylor_sensus.planted")
    code = "class Box:\n    '''A box.'''\n    def open(self): ...\ndef shut(): ...\ndef _hidden(): ...\n"
    exec(code, vars(module))  # noqa: S102
    module.Box.__module__ = module.shut.__module__ = module.__name__
    assert missing(module, known) == ["Box", "shut"]
    assert silent(module) == ["shut", "Box.open"]
