"""A matplotlib figure as a small piece of SVG inside the page: its colours follow light and dark, its text is text."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree

from taylor_sensus.plots.budget import SHADES
from taylor_sensus.plots.calibration import CHANCE
from taylor_sensus.plots.style import COLOURS, FILLS, RC, tint
from taylor_sensus.words.html import Markup

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SVG, _LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_POINT = re.compile(r"(?<=\d)\s+(?=[MLQCZ])|(?<=[MLQCZ])\s+")

THEMED: Mapping[str, str] = {
    "#000000": "ink",
    COLOURS["mean"].lower(): "ink",
    COLOURS["data"].lower(): "data",
    COLOURS["training"].lower(): "rows",
    COLOURS["truth"].lower(): "truth",
    "#ffffff": "paper",
    COLOURS["outside"].lower(): "outside",
    CHANCE.lower(): "chance",
    **{FILLS[part].lower(): part.replace("_", "-") for part in FILLS},
    **{tint(COLOURS["feature_noise"], shade).lower(): f"input-{at}" for at, shade in enumerate(SHADES)},
}
"""Colours that change with the page, and the names of their variables in ``style``."""
_DEFAULTS = {"stroke-linejoin": "miter", "stroke-opacity": "1", "fill-opacity": "1", "opacity": "1"}


def figure(draw: Callable[[Axes], Any], name: str, alt: str, size: tuple[float, float] = (5.2, 3.9)) -> Markup:
    """What ``draw`` draws on new axes of ``size`` inches; ``name`` must be the only one of its kind in the page."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings = {**RC, "svg.hashsalt": name, "path.simplify": True, "axes.formatter.use_mathtext": False}
    with matplotlib.rc_context(cast(Any, settings)), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the browser has the letters that the figure's font lacks
        made = Figure(figsize=size, layout="constrained")
        draw(made.subplots())
        file = io.BytesIO()
        FigureCanvasSVG(made).print_svg(file, metadata={"Date": None, "Creator": None})
    return Markup(slim(file.getvalue().decode(), name, alt))


def slim(text: str, name: str, alt: str) -> str:
    """The same drawing, shorter: no metadata, a digit behind the point, styles written once."""
    root = ElementTree.fromstring(text)
    _drop_unseen(root)
    used = {found for e in root.iter() for value in e.attrib.values() for found in re.findall(r"#([\w-]+)", value)}
    names = {old: f"{name}-{at}" for at, old in enumerate(sorted(used))}
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        _shorten(element, names)
    _simplify(root)
    box = root.attrib["viewBox"]
    root.attrib = {"viewBox": box, "role": "img", "aria-label": alt}
    root.attrib["style"] = f"max-width:{float(box.split()[2]) / 72:.2f}in"
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=True)


def _drop_unseen(element: ElementTree.Element) -> None:
    for child in list(element):
        if child.tag in (f"{_SVG}metadata", f"{_SVG}style"):
            element.remove(child)
        else:
            _drop_unseen(child)
    if element.tag != f"{_SVG}text":
        element.text = None
    element.tail = None


def _shorten(element: ElementTree.Element, names: Mapping[str, str]) -> None:
    found = element.attrib
    if _LINK in found:
        found["href"] = found.pop(_LINK)
    if found.get("id") in names:
        found["id"] = names[found["id"]]
    else:
        found.pop("id", None)
    for key in ("href", "clip-path"):
        if key in found:
            found[key] = re.sub(r"#([\w-]+)", lambda match: "#" + names[match[1]], found[key])
    for key in ("d", "x", "y", "transform", "width", "height", "points"):
        if key in found:
            found[key] = _NUMBER.sub(lambda match: f"{float(match[0]):.1f}".removesuffix(".0"), found[key])
    if "d" in found:
        found["d"] = _POINT.sub("", found["d"].strip())
    if "style" in found:
        style = dict(part.strip().split(": ", 1) for part in found["style"].split(";") if ": " in part)
        found["style"] = ";".join(f"{key}:{value}" for key, value in _short_style(style).items())
        if not found["style"]:
            del found["style"]


def _short_style(style: dict[str, str]) -> dict[str, str]:
    """Colours by the page's names, the page's own font, and nothing that holds anyway."""
    if "font" in style:  # such as "9px 'DejaVu Sans', ..., sans-serif"
        style["font-size"] = style.pop("font").split()[0]
    style.pop("font-family", None)
    for key in ("fill", "stroke"):
        colour = style.get(key, "").lower()
        if colour in THEMED:
            style[key] = f"var(--{THEMED[colour]})"
    return {key: value for key, value in style.items() if _DEFAULTS.get(key) != value}


def _simplify(element: ElementTree.Element) -> None:
    """Empty groups go, paths of one kind become one path, and a style that all members share is set on the group."""
    for child in list(element):
        _simplify(child)
        if child.tag == "g" and not len(child):
            element.remove(child)
        elif child.tag == "g" and not child.attrib:
            at = list(element).index(child)
            element.remove(child)
            for offset, inner in enumerate(list(child)):
                element.insert(at + offset, inner)
    _merge_paths(element)
    styles = {child.get("style") for child in element}
    if (
        element.tag == "g"
        and len(element) > 1
        and len(styles) == 1
        and None not in styles
        and "style" not in element.attrib
    ):
        element.set("style", str(styles.pop()))
        for child in element:
            del child.attrib["style"]


def _merge_paths(element: ElementTree.Element) -> None:
    before: ElementTree.Element | None = None
    for child in list(element):
        if child.tag != "path" or "id" in child.attrib:
            before = None
            continue
        kind = {key: value for key, value in child.attrib.items() if key != "d"}
        if before is not None and kind == {key: value for key, value in before.attrib.items() if key != "d"}:
            before.set("d", before.attrib["d"] + child.attrib["d"])
            element.remove(child)
        else:
            before = child
