"""Every array that enters or leaves a public function of model/ and fit/ has a named shape, which tests check.

With TAYLOR_SENSUS_SHAPES=1 the import hook of `conftest` looks at every call. What it cannot read it passes over: here
all is read again.
"""

import ast
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import get_args

import jaxtyping
import numpy as np
import pytest

from taylor_sensus.model.covariance_shapes import arguments

ROOT = Path(__file__).parents[1] / "src"
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for package in ("model", "fit")
    for path in (ROOT / "taylor_sensus" / package).glob("*.py")
    if path.stem != "__init__"
)
KINDS = {"Bool", "Float", "Int", "Num", "Shaped", "UInt"}
ARRAYS = {"np.ndarray", "numpy.ndarray", "jnp.ndarray", "jax.Array", "Array", "AnyArray", "ArrayLike", "NDArray"}
checked = pytest.mark.skipif(not os.environ.get("TAYLOR_SENSUS_SHAPES"), reason="TAYLOR_SENSUS_SHAPES=1 checks shapes")
WITHOUT_SHAPE: set[str] = set()
"""Public arrays whose shape cannot be named, as `taylor_sensus.model.room.function argument`, each with its reason."""


def tree_of(module: str) -> ast.Module:
    return ast.parse((ROOT / (module.replace(".", "/") + ".py")).read_text("utf-8"))


def is_public(name: str) -> bool:
    return not name.startswith("_") or name in ("__init__", "__call__", "__getitem__")


def annotations(node: ast.AST, name: str = "") -> Iterator[tuple[str, ast.expr | None]]:
    """Arguments, results and fields of all that is public, with what is said of them; None where nothing is."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef) and is_public(child.name):
            yield from annotations(child, f"{name}{child.name}.")
        elif isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name) and is_public(child.target.id):
            yield f"{name}{child.target.id}", child.annotation
        elif isinstance(child, ast.FunctionDef) and is_public(child.name):
            own = [*child.args.posonlyargs, *child.args.args, child.args.vararg, *child.args.kwonlyargs]
            for argument in filter(None, [*own, child.args.kwarg]):
                if argument.arg not in ("self", "cls"):
                    yield f"{name}{child.name} {argument.arg}", argument.annotation
            if child.name != "__init__":
                yield f"{name}{child.name} result", child.returns or ast.Constant(None)


def bare(annotation: ast.AST) -> bool:
    """Whether an array stands there without a shape."""
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) in KINDS:
        return False
    if isinstance(annotation, ast.Name | ast.Attribute) and ast.unparse(annotation) in ARRAYS:
        return True
    return any(bare(child) for child in ast.iter_child_nodes(annotation))


def described(annotation: ast.AST) -> list[ast.Subscript]:
    """All arrays with a shape in an annotation."""
    nodes = [node for node in ast.walk(annotation) if isinstance(node, ast.Subscript)]
    return [node for node in nodes if ast.unparse(node.value) in KINDS]


@pytest.mark.parametrize("module", MODULES)
def test_public_arrays_have_shapes(module):
    said = list(annotations(tree_of(module)))
    assert not [name for name, annotation in said if annotation is None], "nothing is said of these"
    without = {f"{module}.{name}" for name, annotation in said if annotation is not None and bare(annotation)}
    assert without == {name for name in WITHOUT_SHAPE if name.startswith(f"{module}.")}


@pytest.mark.parametrize("module", MODULES)
def test_shapes_can_be_read_when_a_module_is_imported(module):
    names = vars(import_module(module))
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Subscript) and node in described(node):
            found = eval(ast.unparse(node), dict(names))  # noqa: S307
            for one in get_args(found) or (found,):
                assert issubclass(one, jaxtyping.AbstractArray), ast.unparse(node)


@checked
@pytest.mark.parametrize("module", MODULES)
def test_calls_are_checked(module):
    assert hasattr(import_module(module), "jaxtyping"), "the import hook writes this name into what it checks"


@checked
def test_a_wrong_shape_is_found():
    with pytest.raises(jaxtyping.TypeCheckError, match="'keys'"):
        arguments(np.zeros((2, 3)), np.zeros((4, 2)))
    with pytest.raises(jaxtyping.TypeCheckError, match="'queries'"):
        arguments(np.zeros((2, 3), int), np.zeros((3, 2)))
