"""`notebook`: a notebook that was run, shown with its outputs as they were kept; nothing is run while building."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class Notebook(SphinxDirective):
    """Cells of words, code and what it showed, without the first heading, which the page has."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        relative, path = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(relative)
        found: list[nodes.Node] = []
        for cell in json.loads(Path(path).read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                found += self.parse_text_to_nodes(re.sub(r"\A# .*\n*", "", source))
                continue
            found.append(nodes.literal_block(source, source, language="python"))
            for output in cell["outputs"]:
                found += shown(output, figure_words(source))
        return found


def figure_words(source: str) -> str:
    """What the figure of a cell shows: `# figure: ...` in its first line."""
    words = re.match(r"# figure: (.*)", source)
    return words[1] if words else "Figure"


def shown(output: dict[str, Any], alt: str) -> list[nodes.Node]:
    """One output of a cell."""
    if output["output_type"] == "stream":
        return [_text("".join(output["text"]))]
    data = {kind: "".join(value) if isinstance(value, list) else value for kind, value in output["data"].items()}
    if "image/png" in data:
        picture = data["image/png"].replace("\n", "")
        image = f'<img alt="{escape(alt)}" src="data:image/png;base64,{picture}">'
        return [nodes.raw("", f"<p>{image}</p>", format="html")]
    if "text/html" in data:
        table = data["text/html"].replace("<th></th>", "<td></td>")
        return [nodes.raw("", f'<div class="output" tabindex="0" role="group" aria-label="Output">{table}</div>',
                          format="html")]  # fmt: skip
    return [_text(data["text/plain"])]


def _text(words: str) -> nodes.Node:
    return nodes.literal_block(words.rstrip(), words.rstrip(), language="text")


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("notebook", Notebook)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
