"""Tables and help texts that are read from the package, so that nobody types them: four directives.

`settings-table`, `methods-table` and `datasets-table` have no arguments; `commands` shows the help of every command.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", r"\|") for cell in line) + " |" for line in lines)


def settings_table() -> str:
    """Every hyper-parameter: default, meaning, source."""
    from taylor_sensus.settings import CONSTRUCTOR, Settings

    return markdown_table(
        ["setting", "default", "meaning", "where the default comes from"],
        [
            [
                f"`{f.name}`" + ("" if f.name in CONSTRUCTOR else " (detail)"),
                f"`{f.default!r}`",
                f.metadata["meaning"],
                f.metadata["source"],
            ]
            for f in fields(Settings)
        ],
    )


def methods_table() -> str:
    """Every method of the comparison."""
    from taylor_sensus.baselines.registry import METHODS

    origins = {"paper": "rival in the paper", "today": "rival of today", "ours": "ours"}
    return markdown_table(
        ["name", "label in tables", "whose", "gives error bars", "class"],
        [
            [
                f"`{m.name}`",
                m.label,
                origins[m.origin],
                "yes" if m.gives_std else "no",
                f"`taylor_sensus.{m.place.replace(':', '.')}`",
            ]
            for m in METHODS.values()
        ],
    )


def datasets_table() -> str:
    """The public datasets, with licence and source."""
    from taylor_sensus.datasets.sources import DATASETS

    return markdown_table(
        ["name", "title", "rows", "features", "target", "licence", "source"],
        [
            [f"`{d.name}`", d.title, f"{d.rows:,}", d.features, f"`{d.target}` ({d.unit})", d.licence, f"<{d.source}>"]
            for d in DATASETS.values()
        ],
    )


def command_helps() -> list[tuple[str, str]]:
    """Name and help text of every command of `taylor-sensus`."""
    from typer.main import get_command
    from typer.testing import CliRunner

    from taylor_sensus.cli import app

    runner = CliRunner()
    names = get_command(app).commands  # pyright: ignore[reportAttributeAccessIssue]
    return [
        (name, runner.invoke(app, [name, "--help"], prog_name="taylor-sensus", env={"COLUMNS": "100"}).stdout.strip())
        for name in names
    ]


class FromPackage(SphinxDirective):
    """A table of the package, as Markdown."""

    text = staticmethod(settings_table)

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(self.text())


class MethodsTable(FromPackage):
    text = staticmethod(methods_table)


class DatasetsTable(FromPackage):
    text = staticmethod(datasets_table)


class Commands(SphinxDirective):
    """One section for each command, with its help text."""

    def run(self) -> list[nodes.Node]:
        found = []
        for name, text in command_helps():
            section = nodes.section(ids=[f"command-{name}"], names=[name])
            section += nodes.title("", f"taylor-sensus {name}")
            section += nodes.literal_block(text, text, language="text")
            found.append(section)
        return found


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    for name, directive in {
        "settings-table": FromPackage,
        "methods-table": MethodsTable,
        "datasets-table": DatasetsTable,
        "commands": Commands,
    }.items():
        app.add_directive(name, directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
