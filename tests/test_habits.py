"""What the workflow, the pre-commit hooks and the templates say is true of this repository."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
WORKFLOW = ROOT / ".github/workflows/tests.yml"
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.M))


def jobs() -> dict[str, Any]:
    return yaml.safe_load(WORKFLOW.read_text())["jobs"]


def commands(job: dict[str, Any]) -> str:
    """All lines that a job runs in a shell."""
    return "\n".join(step.get("run", "") for step in job["steps"])


def test_workflow_tests_every_python_that_the_package_names():
    classifiers = "\n".join(PROJECT["project"]["classifiers"])
    named = re.findall(r":: Python :: (3\.\d+)$", classifiers, re.M)
    assert jobs()["test"]["strategy"]["matrix"]["python"] == named
    assert PROJECT["project"]["requires-python"] == f">={named[0]}"


def test_workflow_runs_tests_coverage_documentation_and_packages():
    run = {name: commands(job) for name, job in jobs().items()}
    assert "make test" in run["test"].splitlines()
    assert "make coverage" in run["coverage"] and "coverage report --format=total" in run["coverage"]
    assert "make docs" in run["docs"]
    assert "make packages" in run["package"]
    makefile = (ROOT / "Makefile").read_text()
    assert "python -m build" in makefile and "twine check --strict" in makefile


def test_workflow_calls_targets_that_exist():
    called = {target for job in jobs().values() for target in re.findall(r"\bmake ([a-z-]+)", commands(job))}
    assert called and called <= TARGETS


def test_actions_are_pinned_and_may_only_read():
    """A tag can be moved to other code, a commit cannot."""
    used = [step["uses"] for job in jobs().values() for step in job["steps"] if "uses" in step]
    assert [action for action in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)] == []
    assert yaml.safe_load(WORKFLOW.read_text())["permissions"] == {"contents": "read"}


def test_hooks_use_the_tools_of_the_project():
    repositories = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    (local,) = [one for one in repositories if one["repo"] == "local"]
    entries = {hook["id"]: hook["entry"].split() for hook in local["hooks"]}
    assert {"ruff-check", "ruff-format", "basedpyright"} <= set(entries)
    needed = {re.split(r"[\[<>=]", need)[0] for need in PROJECT["project"]["optional-dependencies"]["dev"]}
    assert {Path(entry[0]).name for entry in entries.values()} <= needed


@pytest.mark.parametrize("name", ["bug", "idea"])
def test_issue_forms_ask_what_the_forge_understands(name):
    form = yaml.safe_load((ROOT / f".github/ISSUE_TEMPLATE/{name}.yml").read_text())
    assert form["name"] and form["description"]
    assert {part["type"] for part in form["body"]} <= {"textarea", "input", "dropdown", "checkboxes", "markdown"}
    ids = [part["id"] for part in form["body"]]
    assert len(ids) == len(set(ids)) and all(part["attributes"]["label"] for part in form["body"])


def test_what_security_promises_of_the_app_is_what_the_server_does():
    pytest.importorskip("starlette")
    from taylor_sensus.app.server import HOST

    assert f"listens on {HOST}" in (ROOT / "SECURITY.md").read_text()
