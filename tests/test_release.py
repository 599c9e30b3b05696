"""A release that others can build: one version, packages as they should be, pinned workflows, one list of needs."""

import importlib.util
import re
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(scope="module")
def release():
    spec = importlib.util.spec_from_file_location("release", ROOT / "tools" / "release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def packages(folder, wheel, sources):
    with zipfile.ZipFile(folder / "a-1-py3-none-any.whl", "w") as made:
        for name in wheel:
            made.writestr(name, "")
    with tarfile.open(folder / "a-1.tar.gz", "w:gz") as made:
        for name in sources:
            made.addfile(tarfile.TarInfo(f"a-1/{name}"))


def test_packages_hold_what_they_should_and_nothing_else(release, tmp_path):
    assert "0 wheels" in release.content_problems(tmp_path)[0]
    packages(tmp_path, release.NEEDED_IN_WHEEL, release.NEEDED_IN_SOURCES)
    assert release.content_problems(tmp_path) == []
    packages(tmp_path, [*release.NEEDED_IN_WHEEL[1:], "tests/x.py"], [*release.NEEDED_IN_SOURCES, "src/a.pyc"])
    said = " ".join(release.content_problems(tmp_path))
    assert "lacks taylor_sensus/py.typed" in said and "installs tests/x.py" in said and "src/a.pyc has no" in said


def test_a_tag_that_is_not_the_version_everywhere_is_refused(release):
    said = release.versions()
    assert set(said) == {"package", "citation", "changelog"} and said["package"] == said["citation"]
    assert len(release.version_problems("v999.0.0")) == 3
    assert release.main(["check", "v999.0.0"]) == 1


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_are_pinned_and_may_do_little(path):
    content = yaml.safe_load(path.read_text())
    assert content["permissions"] == {"contents": "read"}
    for job in content["jobs"].values():
        assert job["timeout-minutes"] <= 60
        for step in job["steps"]:
            assert "uses" not in step or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"]), step
            assert "${{ github.ref_name" not in step.get("run", "")  # a name of a branch is no piece of a script


def test_only_the_job_that_publishes_may_ask_for_an_identity():
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]
    assert jobs["publish"]["permissions"]["id-token"] == "write" and jobs["publish"]["environment"] == "pypi"
    assert "permissions" not in jobs["build"] and jobs["publish"]["needs"] == "build"
    assert not any("password" in str(step) for step in jobs["publish"]["steps"])


def test_the_conda_recipe_needs_what_the_package_needs():
    recipe = yaml.safe_load((ROOT / "recipe/recipe.yaml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {re.sub(r"^matplotlib(?=\W)", "matplotlib-base", need) for need in project["dependencies"]}
    found = {need.replace(" ", "") for need in recipe["requirements"]["run"]}
    assert found == wanted | {f"python{project['requires-python']}"}
    version = re.search(r'"(.+)"', (ROOT / "src/taylor_sensus/_version.py").read_text().partition("=")[2])[1]
    assert recipe["context"]["version"] == version
