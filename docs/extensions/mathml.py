"""Formulas as MathML: no scripts, no fonts, nothing fetched. Written by Docutils' own translator."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)

SAME = (
    (re.compile(r"\\dots\b"), r"\\ldots"),
    (re.compile(r"(\\[dt]?frac)\s*(\d)\s*(\d)"), r"\1{\2}{\3}"),
    (re.compile(r"(\\lVert.*?\\rVert)", re.S), r"{\1}"),
)
"""What the translator does not know or reads otherwise than TeX, and what means the same.

It takes the 12 of `\\tfrac12` for one number, and sets a power of a norm on the norm's last bar alone.
"""


def understood(latex: str) -> str:
    """The same formula in words that the translator reads as TeX does."""
    for pattern, instead in SAME:
        latex = pattern.sub(instead, latex)
    return latex


def translated(latex: str, node: nodes.Node, display: bool) -> str:
    """The formula as MathML; one that cannot be translated is a warning, and so stops the build."""
    try:
        return tex2mathml(understood(latex), as_block=display)
    except MathError as problem:
        logger.warning("formula cannot be shown: %s (%s)", latex, problem, location=node, type="mathml")
        return f"<code>{latex}</code>"


def visit_math(writer: Any, node: nodes.math) -> None:
    """A formula in a line of text."""
    writer.body.append(translated(node.astext(), node, display=False))
    raise nodes.SkipNode


def visit_displayed(writer: Any, node: nodes.math_block) -> None:
    """A formula on a line of its own, with its number and a link to it."""
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    if node["number"]:
        writer.body.append(f'<span class="eqno">({get_node_equation_number(writer, node)})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append(translated(node.astext(), node, display=True) + "</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
