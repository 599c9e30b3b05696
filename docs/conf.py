"""How the documentation site is built: `make docs`, or `python -m sphinx -W docs docs/_build/html`.

No page asks another machine for anything: fonts are the reader's own, formulas are MathML, and nothing is looked up
elsewhere while building.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pygments.lexers.special import TextLexer

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
os.environ.setdefault("JAX_PLATFORMS", "cpu")  # autodoc imports the package; no other device is looked for

from taylor_sensus import __version__  # noqa: E402

project = "Taylor-Sensus"
author = "The Taylor-Sensus developers"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "docs.extensions.docstrings",
    "docs.extensions.mathml",
    "docs.extensions.notebooks",
    "docs.extensions.repository",
    "docs.extensions.search",
    "docs.extensions.tables",
]
exclude_patterns = ["_build", "gallery/*.ipynb"]
nitpicky = False
default_role = "code"  # docstrings write `name` for code
show_warning_types = True

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
myst_dmath_double_inline = False

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_param = False  # several names that share a description stay together
napoleon_use_ivar = True  # attributes stand in a list, beside those that autodoc finds
napoleon_use_rtype = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100

html_theme = "furo"
html_title = f"Taylor-Sensus {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_copyright = False
html_theme_options = {"source_edit_link": "", "footer_icons": []}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def setup(app) -> None:
    """Called by Sphinx: tables in text are shown as they are."""
    app.add_lexer("csv", TextLexer)
