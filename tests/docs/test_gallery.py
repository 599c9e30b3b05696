"""The gallery: notebooks that were run, from the scripts beside them, without an error; nothing is run for the site."""

import json

import pytest

from docs.notebooks import FOLDER, cells_of

SCRIPTS = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_notebook_is_what_its_script_says_and_was_run(script):
    book = json.loads(script.with_suffix(".ipynb").read_text())
    kept = [(cell["cell_type"] == "code", "".join(cell["source"])) for cell in book["cells"]]
    assert kept == [tuple(cell) for cell in cells_of(script)], f"run python -m docs.notebooks {script.stem}"
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    kinds = [output["output_type"] for cell in code for output in cell["outputs"]]
    assert "error" not in kinds and len(kinds) >= 4
    assert len(script.with_suffix(".ipynb").read_bytes()) < 200_000


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_figures_have_words(script):
    book = json.loads(script.with_suffix(".ipynb").read_text())
    for cell in book["cells"]:
        drawn = any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))
        assert drawn == "".join(cell["source"]).startswith("# figure: ")


def test_every_notebook_has_a_page_with_a_download():
    for script in SCRIPTS:
        page = script.with_suffix(".md").read_text()
        assert f"<{script.stem}.ipynb>" in page and f"{{notebook}} {script.stem}.ipynb" in page
        assert cells_of(script)[0].source.splitlines()[0] == page.splitlines()[0]
