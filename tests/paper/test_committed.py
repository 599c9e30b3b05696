"""What is committed fits together: tables and page are those that the committed results give."""

from __future__ import annotations

import pandas as pd
import pytest

from paper import FOLDER as PAPER
from paper.comparison.study import COMPARISON
from paper.engine import page
from paper.engine.atomic import StorageError
from paper.engine.collected import read_collected
from paper.engine.commands import RESULTS
from paper.engine.figures import write_figures
from paper.engine.study import Selection
from paper.engine.tables import write_tables
from paper.studies import STUDIES


def test_the_comparison_is_whole_and_nothing_failed():
    found = read_collected(RESULTS, COMPARISON)
    wanted = {task.key for task in COMPARISON.tasks(Selection())}
    assert wanted <= set(found), sorted(wanted - set(found))[:5]
    kept = {name for record in found.values() for name in record.arrays}
    assert kept == {"row", "error", "std"}, "targets are the data of others and are not committed"


def test_tables_and_page_are_rebuilt_to_the_same_bytes(tmp_path):
    for path in write_tables(RESULTS, tmp_path):
        committed = PAPER / "tables" / path.name
        assert committed.read_bytes() == path.read_bytes(), f"{path.name}: run python -m paper tables, then page"
    written = page.write_pages(tmp_path, tmp_path / "pages", tmp_path / "RESULTS.md")
    assert {path.stem for path in written} == {path.stem for path in page.TEMPLATES.glob("*.md")} | {"RESULTS"}
    for path in written:
        committed = page.RESULTS_PAGE if path.name == "RESULTS.md" else page.PAGES / path.name
        assert committed.read_bytes() == path.read_bytes(), f"{path.name}: run python -m paper page"


def test_the_index_is_short_and_leads_to_every_page():
    text = page.RESULTS_PAGE.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 60
    for path in page.TEMPLATES.glob("*.md"):
        assert f"(../docs/paper/{path.name})" in text and (page.PAGES / path.name).exists()


def test_findings_come_first():
    """A page's first heading after its title is its findings, and what was done comes after."""
    for path in page.TEMPLATES.glob("*.md"):
        headings = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
        assert headings[0].startswith("# ") and headings[1] == "## In short", path.name


def test_every_figure_is_there(tmp_path):
    drawn = {path.name for path in write_figures(RESULTS, tmp_path)}
    assert drawn == {path.name for path in (PAPER / "figures").glob("*.svg")}


def test_rivals_are_as_good_as_their_authors_say():
    """Mean squared errors on concrete, five splits; and error bars that say something."""
    most = {
        "gprmk": 30, "mcrf": 27, "mlp": 35, "mc_dropout": 40, "bnn_elbo": 35, "bnn_mcmc": 35, "bbp": 40, "vaer": 45,
        "evidential": 35, "mt_enet": 35, "catboost": 17, "extra_trees": 24, "ngboost": 36, "deep_ensemble": 28,
    }  # fmt: skip
    scores = pd.read_csv(RESULTS / "comparison.csv").query("dataset == 'concrete' and seed < 5 and not search")
    found = scores.groupby("method")[["mse", "std_error_spearman"]].mean()
    assert {name: found.mse[name] for name in most if found.mse[name] > most[name]} == {}
    assert (found.std_error_spearman.dropna() > 0.1).all(), found.std_error_spearman


REFERENCES = {
    "mcrf": (16_960, 3_326, 1.746, 25.4, 0.143, 0.0314),
    "extra_trees": (13_290, 3_335, 1.760, 22.7, 0.129, 0.0261),
    "gprmk": (21_500, 3_117, 1.533, 27.4, 0.112, 0.0203),
    "ngboost": (20_530, 3_440, 1.570, 33.4, 0.156, 0.0307),
    "catboost": (12_760, 3_195, 1.519, 15.5, 0.1055, 0.0224),
}
"""Mean squared errors of independent runs with the same splits, in the order of the six datasets."""
SIX = ("matbench_steels", "diabetes", "forest_fires", "concrete", "wine_red", "wine_white")


@pytest.mark.parametrize("name", REFERENCES)
def test_reference_figures_are_reproduced_or_beaten(name):
    scores = pd.read_csv(RESULTS / "comparison.csv").query("method == @name and seed < 5 and not search")
    found = scores.groupby("dataset").mse.agg(["mean", "sem"])
    for dataset, reference in zip(SIX, REFERENCES[name], strict=True):
        mean, error = found.loc[dataset]
        assert mean < reference + 2 * error, f"{dataset}: {mean:.4g} ± {error:.2g}, reference {reference}"


def test_a_page_without_its_tables_says_what_to_run(tmp_path):
    with pytest.raises(StorageError, match="python -m paper tables"):
        page.page("{{ ranks }}\n", tmp_path)
    (tmp_path / "ranks.md").write_text("caption\n\n| a |\n")
    assert page.page("before\n\n{{ ranks }}\n\nafter\n", tmp_path) == "before\n\ncaption\n\n| a |\n\nafter\n"


def test_a_study_without_tables_has_no_page(tmp_path):
    template = "# Speed\n\n![how](figures/speed.svg)\n\n{{ speed }}\n\n{{ more }}\n"
    assert not page.has_tables(template, tmp_path)
    (tmp_path / "speed.md").write_text("caption\n\n| a |\n")
    assert page.has_tables(template, tmp_path)
    with pytest.raises(StorageError, match="more"):
        page.page(template, tmp_path)
    (tmp_path / "more.md").write_text("x\n")
    found = "# Speed\n\n![how](../../paper/figures/speed.svg)\n\ncaption\n\n| a |\n\nx\n"
    assert page.page(template, tmp_path) == found


def test_every_page_names_tables_that_its_study_makes():
    """Table names begin with the study's, but for the comparison, which has four kinds."""
    for path in page.TEMPLATES.glob("*.md"):
        assert path.stem in {*STUDIES, "mechanisms"}
        text = path.read_text(encoding="utf-8")
        if path.stem != "comparison":
            assert all(f"{name}_".startswith(f"{path.stem}_") for name in page.PLACE.findall(text))
        assert f"python -m paper{'.mechanisms' if path.stem == 'mechanisms' else ''} run" in text
