"""Photographs the app for the documentation: `python -m docs.app_figure`. Needs Chromium (Debian: package chromium).

Writes docs/figures/app_what_if.png and docs/figures/app_columns.png.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FIGURES = Path(__file__).parent / "figures"
SIZE = {"width": 1000, "height": 760}
WAIT = 240_000


def photograph(page: Page, address: str) -> None:
    """From the example to its sliders."""
    page.goto(address)
    page.click("text=Take the example")
    page.wait_for_selector("#fit")
    page.screenshot(path=FIGURES / "app_columns.png")
    page.click("#fit")
    page.wait_for_selector("iframe.report", timeout=WAIT)
    page.click("text=What if")
    page.wait_for_selector("#view .mean", timeout=WAIT)
    page.screenshot(path=FIGURES / "app_what_if.png")


def main() -> None:
    """Start the app, photograph it, stop it."""
    browser = shutil.which("chromium")
    if browser is None:
        raise SystemExit("no Chromium is installed; on Debian: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "taylor_sensus", "app", "--port", "0", "--no-browser", "--folder", folder]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert server.stderr is not None
        found = re.search(r"http://\S+", server.stderr.readline())
        assert found, "the app tells its address first"
        try:
            with sync_playwright() as play:
                window = play.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
                photograph(window.new_page(viewport=SIZE), found[0])
                window.close()
        finally:
            server.send_signal(2)
            server.wait(30)


if __name__ == "__main__":
    main()
