"""The theory pages as a whole: every displayed formula has a label and a check, every link and name leads somewhere."""

import importlib
import re
from collections import Counter
from pathlib import Path

import pytest
from theory_pages import PAGES, ROOT, Displayed, checks, displayed, formula

from taylor_sensus import settings

NAMES = sorted(page.name for page in PAGES.glob("*.md"))


def gaps(pages: Path, tests: Path) -> list[str]:
    """One line for each formula without label or check, and each check without formula or without force."""
    shown, found = displayed(pages), list(checks(tests))
    labels = Counter(one.label for one in shown if one.label)
    checked = Counter(check.label for check in found)
    fences = sum(line.startswith("$$") for page in pages.glob("*.md") for line in page.read_text().splitlines())
    return [
        *([] if fences == 2 * len(shown) else ["a $$ does not stand on a line of its own"]),
        *(f"{one.page} has a formula without a label: {one.latex}" for one in shown if not one.label),
        *(f"the label {label} is given {count} times" for label, count in labels.items() if count > 1),
        *(f"{label} has no check" for label in labels if label not in checked),
        *(f"{label} has {count} checks" for label, count in checked.items() if count > 1),
        *(f"{check.where} checks {check.label}, which no page has" for check in found if check.label not in labels),
        *(f"{check.where} cannot fail" for check in found if not check.can_fail),
    ]


def test_every_formula_has_a_label_and_a_check():
    assert gaps(PAGES, Path(__file__).parent) == []
    assert len(displayed()) > 40


@pytest.mark.parametrize("name", NAMES)
def test_labels_of_a_page_are_numbered_in_order(name):
    labels = [one.label for one in displayed() if one.page == name]
    prefix = f"eq-{''.join(word[0] for word in name.split('_'))}" if "_" in name else f"eq-{name[:2]}"
    assert labels == [f"{prefix}-{number}" for number in range(1, len(labels) + 1)]


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_to_files(name):
    for target in re.findall(r"\]\(([^)#:]+)\)", (PAGES / name).read_text(encoding="utf-8")):
        assert (PAGES / target).resolve().is_file(), target


def test_the_index_leads_to_every_page():
    links = re.findall(r"\]\((\w+\.md)\)", (PAGES / "index.md").read_text(encoding="utf-8"))
    assert sorted([*links, "index.md"]) == NAMES


@pytest.mark.parametrize("name", [name for name in NAMES if name != "index.md"])
def test_code_that_a_page_names_exists(name):
    text = (PAGES / name).read_text(encoding="utf-8")
    places = re.findall(r"`([\w/]+)\.py::([\w.]+)`", text)
    assert len(places) >= 4
    for file, path in places:
        found = importlib.import_module(f"taylor_sensus.{file.replace('/', '.')}")
        for part in path.split("."):
            found = getattr(found, part)
        assert callable(found)
    for word in re.findall(r"setting `(\w+)`", text):
        assert word in settings.NAMES
    for word, value in re.findall(r"`(\w+)=\"(\w+)\"`", text):
        assert value in settings.CHOICES[word]


def test_quotations_of_the_map_are_known():
    """Numbers of equations on the pages are the paper's; the map has a line for each."""
    mapped = (ROOT / "PAPER.md").read_text(encoding="utf-8")
    for name in NAMES:
        for number in re.findall(r"\beqs?\. (\d+)", (PAGES / name).read_text(encoding="utf-8")):
            assert re.search(rf"^\| (?:{number}\b|\d+, {number}\b|\d+ to \d+)", mapped, re.M), number


# -------------------------------------------------------------------- the readers see what they should


GOOD_PAGE = "# Sums\n\n$$\na + b = c\n$$ (eq-su-1)\n\nText.\n"
GOOD_TESTS = "@formula('eq-su-1', 'a + b = c')\ndef test_sum():\n    assert 1 + 2 == 3\n"


@pytest.mark.parametrize(
    ("part", "old", "new", "says"),
    [
        ("page", "Text.", "$$\nd\n$$ (eq-su-2)", "eq-su-2 has no check"),
        ("page", "Text.", "$$\nd\n$$", "sums.md has a formula without a label: d"),
        ("page", "Text.", "$$\nd\n$$ (eq-su-1)", "the label eq-su-1 is given 2 times"),
        ("page", "Text.", "$$ d $$", "a $$ does not stand on a line of its own"),
        ("page", "su-1", "su-9", "test_sums.py::test_sum checks eq-su-1, which no page has"),
        ("tests", "@formula('eq-su-1', 'a + b = c')\n", "", "eq-su-1 has no check"),
        ("tests", "assert 1 + 2 == 3", "print(1 + 2)", "test_sums.py::test_sum cannot fail"),
        ("tests", "def test_sum", "def sum_test", "test_sums.py::sum_test cannot fail"),
        ("tests", "@formula", "@pytest.mark.skip\n@formula", "test_sums.py::test_sum cannot fail"),
    ],
)
def test_a_planted_gap_is_found(tmp_path, part, old, new, says):
    texts = {"page": GOOD_PAGE, "tests": GOOD_TESTS}

    def found() -> list[str]:
        (tmp_path / "sums.md").write_text(texts["page"], encoding="utf-8")
        (tmp_path / "test_sums.py").write_text(texts["tests"], encoding="utf-8")
        return gaps(tmp_path, tmp_path)

    assert found() == []
    assert old in texts[part]
    texts[part] = texts[part].replace(old, new, 1)
    assert says in found()


def test_a_check_of_another_formula_than_the_page_s_fails():
    first: Displayed = displayed()[0]
    formula(first.label, first.latex.replace(" ", "\n  "))(lambda: None)()
    with pytest.raises(AssertionError, match=f"check of {first.label} differ"):
        formula(first.label, first.latex.replace("=", "<"))(lambda: None)()
