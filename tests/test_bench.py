"""The bench in miniature: it runs, and surrounding a step costs little beside the step."""

import pytest

from bench import steps


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(steps, "STEPS", 64)
    monkeypatch.setattr(steps.importlib.util, "find_spec", lambda name: None)


def test_bench_reports_ratios():
    figures = steps.measure()
    assert {"mean: whole loop / bare step", "joint: whole loop / bare step", "members: vmap / threads"} <= set(figures)
    assert all(value > 0 for value in figures.values())
    # Loose here, because tests share the machine; `make bench` on a quiet one is the measurement.
    assert figures["joint: whole loop / bare step"] < 3


def test_measurement_errors_in_miniature():
    from bench import measurement_errors as errors

    found = errors.averages(lambda seed: errors.toy_r(60, seed), 2)
    assert found["rank"][0] > 0.5 and found["NLL"][0] < 0.6 and 0.7 < found["held"][0] < 1
    assert errors.flag(0) == {"straight": 1.0, "curved": 1.0}
