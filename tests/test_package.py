"""The package as a whole: what it never does, what it offers, and what importing it costs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import taylor_sensus

FILES = sorted(Path(taylor_sensus.__file__).parent.rglob("*.py"))
FORBIDDEN_CALLS = {"eval", "exec", "print", "compile", "__import__"}
FORBIDDEN_MODULES = {"pickle", "cPickle", "cloudpickle", "dill", "marshal", "shelve", "joblib"}


def called(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return {(node.module or "").split(".")[0]}
    return set()


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_nothing_runs_text_as_code_or_prints(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        assert called(node) not in FORBIDDEN_CALLS, f"{path.name}:{node.lineno} calls {called(node)}"
        assert not imported(node) & FORBIDDEN_MODULES, f"{path.name}:{node.lineno}"
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            assert isinstance(node.value, ast.Constant) and node.value.value is False
    text = path.read_text(encoding="utf-8")
    assert "read_pickle" not in text and "joblib.load" not in text


def test_every_public_name_can_be_imported_and_is_documented():
    assert sorted(taylor_sensus.__all__) == dir(taylor_sensus)
    for name in taylor_sensus.__all__:
        thing = getattr(taylor_sensus, name)
        if name != "__version__":
            assert (thing.__doc__ or "").strip(), name
    with pytest.raises(AttributeError, match="no attribute 'TSNet'"):
        _ = taylor_sensus.TSNet


def test_importing_the_package_does_not_import_jax():
    code = "import sys, taylor_sensus; print('jax' in sys.modules, 'sklearn' in sys.modules, 'pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "False"]


def test_every_module_says_what_it_is_for():
    for path in FILES:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path
