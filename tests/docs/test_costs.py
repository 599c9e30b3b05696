"""The page of costs says what the measured points say."""

import re

import pandas as pd

from bench import costs
from docs.pages import FOLDER


def test_the_page_has_the_figures_of_the_model():
    page = (FOLDER / "howto" / "costs.md").read_text("utf-8")
    points = pd.read_csv(costs.POINTS)
    cores = int(points.cores.max())
    found = costs.fitted(points, cores)
    for point in points[points.kind == "step"].itertuples():
        said = found.step_seconds(point.processes, point.rows, turns=max(point.processes / cores, 1.0))
        line = f"| {point.processes} × {point.rows:,} | {1e3 * point.seconds:.2f} | {1e3 * said:.2f} |"
        assert line in page
    assert f"{1e3 * found.step:.2f} ms + {1e6 * found.step_row:.1f} µs · b + {1e3 * found.latency:.1f} ms" in page
    assert f"| {1e6 * found.survey_row:.1f} µs a row" in page and f"| {1e6 * found.pool_row:.1f} µs a row" in page
    hours = re.findall(r"([\d.]+) h,", costs.told(found, 1e9, 64, 8192, 9.5, 1.0, 1.25e9))
    assert f"| {' | '.join(f'{hour} h' for hour in hours)} |" in page
