"""The two figures of docs/method.md name functions of the code in the code's own order."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "method.md").read_text("utf-8")
FIGURES = re.findall(r"```text\n(row .*?)```", PAGE, flags=re.S)
HELPERS = {"algorithm_1": "_contrast_rows"}  # a figure may look into a helper where it is called


def calls(tree: ast.Module, name: str) -> list[str]:
    """Names that a function calls or hands to `vmap`, in the order of the code; helpers where they are called."""
    function = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name)
    nodes = [node for node in ast.walk(function) if isinstance(node, ast.Name | ast.Attribute)]
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    found = []
    for node in nodes:
        named = node.id if isinstance(node, ast.Name) else node.attr
        found += calls(tree, named) if named == HELPERS.get(name) else [named]
    return found


def in_order(names: list[str], among: list[str]) -> bool:
    rest = iter(among)
    return all(any(name == other for other in rest) for name in names)


def stations(figure: str) -> list[str]:
    return re.findall(r"-> (\w+)", figure)


def test_there_are_two_figures():
    assert len(FIGURES) == 2 and all(len(stations(figure)) >= 6 for figure in FIGURES)


@pytest.mark.parametrize(
    ("number", "module", "functions"),
    [
        (0, "network.py", ["algorithm_1"]),
        (1, "ensemble.py", ["component_outputs", "blend", "familiarity_of", "distribution"]),
    ],
)
def test_a_figure_follows_the_code(number, module, functions):
    tree = ast.parse((ROOT / "src/taylor_sensus/model" / module).read_text("utf-8"))
    said = [name for function in functions for name in [*calls(tree, function), function]]
    known = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)} | set(said)
    wanted = [name for name in stations(FIGURES[number]) if name != "TaylorSensusNetwork"]
    assert set(wanted) <= known
    assert in_order(wanted, said), (wanted, said)
