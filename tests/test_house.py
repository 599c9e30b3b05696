"""The house keeps its order: imports point inwards, names say one thing, nothing in model/ stands unused."""

import ast
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "taylor_sensus"
TREES = {path.relative_to(ROOT): ast.parse(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}
DOORS = "tables words storage scores plots datasets baselines suggest report search regressor __init__"
DOORS += " out_of_core distributed"
RINGS = ["errors _version records rows", "settings", "model", "fitted prediction budget budget_mean", "fit", DOORS]
RANK = {name: rank for rank, ring in enumerate([*RINGS, "cli app", "__main__"]) for name in ring.split()}
OPENED = {
    "budget plots",
    "budget words",
    "prediction words",
    "prediction tables",
    "cli app",
}  # by a method or command, when it is called
# Still to be put right; a name that is put right leaves its list.
OUTWARDS: set[str] = set()
TWICE: set[str] = set()
UNCALLED: set[str] = set()


def imported(node: ast.AST):
    """Rooms that a module needs when it runs."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.ImportFrom) and (child.module or "").split(".")[0] == "taylor_sensus":
            yield [*str(child.module).split("."), "__init__"][1]
        yield from imported(child)


def test_imports_point_inwards():
    rooms = {(path.parts[0].removesuffix(".py"), room) for path, tree in TREES.items() for room in imported(tree)}
    outwards = {f"{a} {b}" for a, b in rooms if RANK[b] > RANK[a] or {a, b} == {"cli", "app"}}
    assert outwards - OUTWARDS == OPENED


def test_a_class_name_stands_in_one_file():
    files = defaultdict(set)
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                files[node.name].add(path)
    assert {name for name, where in files.items() if len(where) > 1} <= TWICE


def test_everything_in_model_has_a_caller():
    nodes = [node for tree in TREES.values() for node in ast.walk(tree)]
    used = Counter(node.id for node in nodes if isinstance(node, ast.Name))
    used.update(node.attr for node in nodes if isinstance(node, ast.Attribute))
    model = [node for path, tree in TREES.items() if path.parts[0] == "model" for node in ast.walk(tree)]
    named = {node.name for node in model if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert {name for name in named if not name.startswith("_") and not used[name]} <= UNCALLED


def test_few_modules_stand_at_the_root():
    assert len([path for path in TREES if len(path.parts) == 1]) <= 12
