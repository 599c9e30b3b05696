"""PAPER.md, docstrings and `# DIFF(...)` tags must tell the same story, and every test that the map names must exist.

`disagreements` reads all of them and returns one line a contradiction. The last part of this file plants
contradictions of every kind in a small project and sees that each is found.
"""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from taylor_sensus import settings

ROOT = Path(__file__).parents[1]
EQUATIONS = 48
"""Numbered equations in the paper."""

PLACES = {f"eq. {number}" for number in range(1, EQUATIONS + 1)} | {"Algorithm 1"}
MENTION = re.compile(r"\beqs?\.\s*(\d+(?:\s*(?:,\s*and|,|and|to|-|–)\s*\d+)*)")
TAG = re.compile(r"#\s*DIFF\(([^)]*)\): \S")
REASONS = ("definition: ", "not code: ")


class Reference(NamedTuple):
    """`file::name`, as the map writes it."""

    file: str
    name: str

    def __str__(self) -> str:
        return f"{self.file}::{self.name}"


class Line(NamedTuple):
    """One line of the map."""

    places: list[str]
    functions: list[Reference]
    tests: list[Reference]
    reason: bool


# ------------------------------------------------------------------------------------- reading


def mentioned(text: str) -> set[str]:
    """The places of the paper that a text mentions: `eq. 3`, `eqs. 3, 4 and 7`, `eqs. 3 to 5`, `Algorithm 1`."""
    places = {"Algorithm 1"} if "Algorithm 1" in text else set()
    for numbers in MENTION.findall(text):
        parts = re.findall(r"\d+|to|-|–", numbers)
        for position, part in enumerate(parts):
            if part.isdigit():
                places.add(f"eq. {part}")
            else:
                first, last = int(parts[position - 1]), int(parts[position + 1])
                places |= {f"eq. {number}" for number in range(first, last + 1)}
    return places


def tables(text: str, first_header: str) -> list[list[str]]:
    """The body rows of all Markdown tables whose first header cell is `first_header`, cut into cells."""
    rows, inside = [], False
    for line in text.splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells[0] == first_header:
            inside = True
        elif inside and not set("".join(cells)) <= set("-: "):
            rows.append(cells)
    return rows


def references(cell: str) -> list[Reference]:
    return [Reference(*found) for found in re.findall(r"`([\w/]+\.py)::([\w.]+)`", cell)]


def map_lines(text: str) -> list[Line]:
    lines = []
    for cells in tables(text, "equation"):
        number, _, code, tests = cells
        places = sorted(mentioned(number if "Algorithm" in number else f"eqs. {number}"))
        lines.append(Line(places, references(code), references(tests), code.startswith(REASONS)))
    return lines


def documented(tree: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Name and docstring of everything in a module: functions, classes, methods, and values with a string below."""
    body = tree.body
    for position, node in enumerate(body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield prefix + node.name, ast.get_docstring(node) or ""
            yield from documented(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            after = body[position + 1] if position + 1 < len(body) else None
            if isinstance(target, ast.Name):
                yield prefix + target.id, _string(after)


def _string(node: ast.stmt | None) -> str:
    value = node.value if isinstance(node, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def comments(source: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


# ----------------------------------------------------------------------------------- comparing


def disagreements(root: Path) -> list[str]:
    """One line for each contradiction between the map, the docstrings, the tags and the tests."""
    text = (root / "PAPER.md").read_text(encoding="utf-8")
    package = root / "src" / "taylor_sensus"
    sources = {path.relative_to(package).as_posix(): path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    return [
        *_map_and_docstrings(map_lines(text), sources),
        *_map_and_tests(map_lines(text), root),
        *_tags(tables(text, "place"), sources),
    ]


def _map_and_docstrings(lines: list[Line], sources: dict[str, str]) -> Iterator[str]:
    docstrings = {
        Reference(file, name): docstring
        for file, source in sources.items()
        for name, docstring in documented(ast.parse(source))
    }
    listed = {place for line in lines for place in line.places}
    yield from (f"PAPER.md has no line for {place}" for place in sorted(PLACES - listed))
    yield from (f"PAPER.md has a line for {place}, which the paper lacks" for place in sorted(listed - PLACES))
    for line in lines:
        if not line.functions and not line.reason:
            yield f"PAPER.md names neither code nor a reason ({' / '.join(REASONS)}) for {', '.join(line.places)}"
    mapped = {(place, function) for line in lines for place in line.places for function in line.functions}
    cited = {(place, where) for where, docstring in docstrings.items() for place in mentioned(docstring)}
    for place, function in sorted(mapped - cited):
        if function in docstrings:
            yield f"PAPER.md maps {place} to {function}, whose docstring does not cite it"
        else:
            yield f"PAPER.md maps {place} to {function}, which does not exist"
    for place, function in sorted(cited - mapped):
        yield f"the docstring of {function} cites {place}, but PAPER.md does not list it there"


def _map_and_tests(lines: list[Line], root: Path) -> Iterator[str]:
    for line in lines:
        if line.functions and not line.tests:
            yield f"PAPER.md names no test for {', '.join(line.places)}"
        for test in line.tests:
            path = root / test.file
            names = {n for n, _ in documented(ast.parse(path.read_text(encoding="utf-8")))} if path.exists() else set()
            if test.name not in names or not test.name.rsplit(".")[-1].startswith("test_"):
                yield f"PAPER.md names the test {test}, which does not exist"


def _tags(rows: list[list[str]], sources: dict[str, str]) -> Iterator[str]:
    in_code: Counter[tuple[str, str]] = Counter()
    for file, source in sources.items():
        for comment in comments(source):
            if "DIFF" not in comment:
                continue
            tag = TAG.match(comment)
            if tag and tag[1] in PLACES:
                in_code[tag[1], file] += 1
            else:
                yield f"{file} has a tag that is not '# DIFF(eq. n): what' or '# DIFF(Algorithm 1): what': {comment}"
    listed = Counter((row[0], row[-1].strip("`")) for row in rows)
    for (place, file), count in sorted((in_code - listed).items()):
        yield f"{file} has {count} more DIFF({place}) than PAPER.md lists"
    for (place, file), count in sorted((listed - in_code).items()):
        yield f"PAPER.md lists {count} more DIFF({place}) in {file} than there are"


# ------------------------------------------------------------------------------------ the tests


def test_map_docstrings_tags_and_tests_agree():
    assert disagreements(ROOT) == []


def test_the_map_is_not_empty():
    lines = map_lines((ROOT / "PAPER.md").read_text(encoding="utf-8"))
    assert sum(len(line.functions) for line in lines) > 20 and sum(len(line.tests) for line in lines) > 30


def test_both_configurations_are_as_the_table_says():
    """Every setting in which the two differ is listed, with its values."""
    given = settings.paper()
    details = given.pop("details")
    printed = replace(settings.DEFAULTS, **given, **details)
    expected = [
        f"| `{name}` | `{getattr(settings.DEFAULTS, name)!r}` | `{getattr(printed, name)!r}` |"
        for name in settings.NAMES
        if getattr(settings.DEFAULTS, name) != getattr(printed, name)
    ]
    told = [
        "| " + " | ".join(cells) + " |" for cells in tables((ROOT / "PAPER.md").read_text(encoding="utf-8"), "setting")
    ]
    assert told == expected, "PAPER.md must have these lines:\n" + "\n".join(expected)


# ------------------------------------------------------------- the checker catches what it should


GOOD_MAP = """
| equation | in words | code | tests |
| --- | --- | --- | --- |
| 1 | the sum | `model/sums.py::add` | `tests/test_sums.py::test_add` |
| 2, 3 | the record | `model/sums.py::Record.total` | `tests/test_sums.py::TestRecord.test_total` |
| 4 | the constant | `model/sums.py::LIMIT` | `tests/test_sums.py::test_add` |
| 5 to 48 | nothing | not code: words only | none |
| Algorithm 1 | the loop | `model/sums.py::loop` | `tests/test_sums.py::test_add` |

| place | ours | why | file |
| --- | --- | --- | --- |
| eq. 1 | rounds | speed | `model/sums.py` |
| eq. 1 | clips | safety | `model/sums.py` |
| Algorithm 1 | stops | time | `model/sums.py` |
"""
GOOD_CODE = '''"""Mentions eq. 7 in a module docstring, which is no claim."""

LIMIT = 3
"""The constant (eq. 4)."""


def add(a, b):
    """The sum (eq. 1)."""
    # DIFF(eq. 1): rounds.
    # DIFF(eq. 1): clips.
    return a + b


class Record:
    """A record."""

    @property
    def total(self):
        """The total (eqs. 2 and 3)."""
        return "# DIFF(eq. 9): text in a string is no tag"


def loop():
    """Line 1 of Algorithm 1."""
    # DIFF(Algorithm 1): stops.
'''
GOOD_TESTS = """
def test_add():
    pass


class TestRecord:
    def test_total(self):
        pass
"""


def project(folder: Path, *, paper: str = GOOD_MAP, code: str = GOOD_CODE, tests: str = GOOD_TESTS) -> Path:
    (folder / "src/taylor_sensus/model").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "PAPER.md").write_text(paper, encoding="utf-8")
    (folder / "src/taylor_sensus/model/sums.py").write_text(code, encoding="utf-8")
    (folder / "tests/test_sums.py").write_text(tests, encoding="utf-8")
    return folder


def test_a_consistent_project_has_no_disagreements(tmp_path):
    assert disagreements(project(tmp_path)) == []


@pytest.mark.parametrize(
    ("part", "old", "new", "says"),
    [
        ("paper", "::add`", "::subtract`", "maps eq. 1 to model/sums.py::subtract, which does not exist"),
        ("paper", "model/sums.py::add", "model/other.py::add", "model/other.py::add, which does not exist"),
        ("paper", "| 1 | the", "| 1, 4 | the", "maps eq. 4 to model/sums.py::add, whose docstring does not cite it"),
        ("paper", "5 to 48", "6 to 48", "no line for eq. 5"),
        ("paper", "5 to 48", "5 to 49", "a line for eq. 49, which the paper lacks"),
        ("paper", "| Algorithm 1 | the loop", "| 7 | the loop", "no line for Algorithm 1"),
        ("paper", "not code: words only", "see the text", "neither code nor a reason"),
        ("paper", "`model/sums.py::LIMIT`", "definition: a number", "LIMIT cites eq. 4, but PAPER.md does not list it"),
        ("paper", "`tests/test_sums.py::TestRecord.test_total`", "none", "no test for eq. 2, eq. 3"),
        ("paper", "::TestRecord.test_total", "::test_total", "the test tests/test_sums.py::test_total, which does not"),
        ("paper", "| eq. 1 | clips | safety | `model/sums.py` |\n", "", "1 more DIFF(eq. 1) than PAPER.md lists"),
        ("paper", "| eq. 1 | clips", "| eq. 2 | clips", "lists 1 more DIFF(eq. 2) in model/sums.py than there are"),
        ("paper", "time | `model/sums.py`", "time | `model/else.py`", "DIFF(Algorithm 1) in model/else.py"),
        ("code", "sum (eq. 1)", "sum", "maps eq. 1 to model/sums.py::add, whose docstring does not cite it"),
        ("code", '"""A record."""', '"""A record of eq. 12."""', "Record cites eq. 12, but PAPER.md does not list it"),
        ("code", "eqs. 2 and 3", "eqs. 2 to 4", "Record.total cites eq. 4, but PAPER.md does not list it there"),
        ("code", "    # DIFF(eq. 1): clips.\n", "", "lists 1 more DIFF(eq. 1) in model/sums.py than there are"),
        ("code", "# DIFF(eq. 1): clips", "# DIFF(eq. 2): clips", "1 more DIFF(eq. 2) than PAPER.md lists"),
        ("code", "# DIFF(eq. 1): clips", "# DIFF(toy 1-D): clips", "has a tag that is not"),
        ("code", "# DIFF(eq. 1): clips", "# DIFF(eq. 1) clips", "has a tag that is not"),
        ("tests", "def test_add", "def test_sum", "the test tests/test_sums.py::test_add, which does not exist"),
        ("tests", "class TestRecord", "class TestTotals", "TestRecord.test_total, which does not exist"),
    ],
)
def test_a_planted_disagreement_is_found(tmp_path, part, old, new, says):
    good = {"paper": GOOD_MAP, "code": GOOD_CODE, "tests": GOOD_TESTS}
    assert old in good[part]
    found = disagreements(project(tmp_path, **{part: good[part].replace(old, new, 1)}))
    assert any(says in line for line in found), found


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("as in eq. 3", [3]),
        ("(eqs. 3, 4 and 7)", [3, 4, 7]),
        ("(eqs. 3, 4, and 7)", [3, 4, 7]),
        ("(eqs. 3 to 6, 9)", [3, 4, 5, 6, 9]),
        ("eqs. 28–30", [28, 29, 30]),
        ("the first part of eq. 6, all that", [6]),
        ("sequences. 3 of them, freq. 4", []),
    ],
)
def test_mentions_are_read(text, numbers):
    assert mentioned(text) == {f"eq. {number}" for number in numbers}
