"""Checks of a release: one version everywhere, and packages that hold what they should and nothing else.

python tools/release.py check v0.2.0      # the tag beside package, citation and changelog
python tools/release.py contents dist     # wheel and source archive
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
NEEDED_IN_WHEEL = ("taylor_sensus/py.typed", "taylor_sensus/app/static/app.js", "taylor_sensus/datasets/sources.toml")
NEEDED_IN_SOURCES = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "tests/tiny.py", "bench/speed.py")
FOREIGN = re.compile(r"(^|/)(\.venv|\.git|__pycache__|\.pytest_cache|\.hypothesis|demo-output)(/|$)|\.pyc$|\.part$")


def versions() -> dict[str, str]:
    """What each place says."""
    package = re.search(r'__version__ = "([^"]+)"', _read("src/taylor_sensus/_version.py"))
    citation = re.search(r"^version: (\S+)$", _read("CITATION.cff"), re.MULTILINE)
    changes = re.search(r"^## (\S+) \(\d{4}-\d{2}-\d{2}\)$", _read("CHANGELOG.md"), re.MULTILINE)
    found = {"package": package, "citation": citation, "changelog": changes}
    return {place: match[1] if match else "none" for place, match in found.items()}


def version_problems(tag: str) -> list[str]:
    """Places that say another version than the tag."""
    return [f"{place} says {said}, the tag {tag}" for place, said in versions().items() if f"v{said}" != tag]


def content_problems(folder: Path) -> list[str]:
    """What packages lack, and what has no business in them."""
    wheels, archives = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    if len(wheels) != 1 or len(archives) != 1:
        return [f"{folder} holds {len(wheels)} wheels and {len(archives)} source archives, not one each"]
    with zipfile.ZipFile(wheels[0]) as wheel:
        in_wheel = wheel.namelist()
    with tarfile.open(archives[0]) as archive:
        in_sources = [name.partition("/")[2] for name in archive.getnames()]
    problems = [f"{wheels[0].name} lacks {name}" for name in NEEDED_IN_WHEEL if name not in in_wheel]
    problems += [f"{archives[0].name} lacks {name}" for name in NEEDED_IN_SOURCES if name not in in_sources]
    problems += [f"{name} has no business in a package" for name in [*in_wheel, *in_sources] if FOREIGN.search(name)]
    outside = [name for name in in_wheel if not name.startswith("taylor_sensus")]
    return problems + [f"{wheels[0].name} installs {name}" for name in outside]


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def main(arguments: list[str]) -> int:
    """0 if all is well."""
    match arguments:
        case ["check", tag]:
            problems = version_problems(tag)
        case ["contents", folder]:
            problems = content_problems(Path(folder))
        case _:
            sys.exit(__doc__)
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
