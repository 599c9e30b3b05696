"""Pages as people meet them: no barrier that axe finds, and nothing wider than the screen, on a telephone too."""

from __future__ import annotations

from typing import Any

WIDTHS = (1150, 390)


def barriers(page: Any) -> list[str]:
    """What axe objects to, a line each. Its script comes with the package and asks no other machine."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{one['id']} ({one['impact']}): {[node['target'] for node in one['nodes']][:3]}" for one in found]


def too_wide(page: Any) -> list[str]:
    """At which widths the page would have to be moved sideways, and by which elements."""
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        over = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            found.append(f"{over} pixels more than {width}")
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    return found


def assert_usable(page: Any, where: str) -> None:
    """Neither barriers nor sideways scrolling."""
    problems = [*barriers(page), *too_wide(page)]
    assert not problems, f"{where}: {problems}"
