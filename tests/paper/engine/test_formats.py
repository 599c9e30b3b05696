"""Numbers and tables as texts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from paper.engine.formats import decimals, latex, plus_minus, write_table


@pytest.mark.parametrize(
    ("mean", "std", "text"),
    [
        (14512.3, 812.9, "14512 ± 813"), (1.5149, 0.0512, "1.51 ± 0.05"), (0.09987, 0.004, "0.0999 ± 0.0040"),
        (-0.7164, 0.2, "-0.716 ± 0.200"), (9.999, 0.1, "10.0 ± 0.1"), (np.nan, np.nan, "N/A"), (2.0, np.nan, "2.00"),
    ],
)  # fmt: skip
def test_three_significant_digits(mean, std, text):
    assert plus_minus(mean, std) == text


def test_decimals_of_zero():
    assert decimals(0.0) == 2


def test_special_signs_are_spelled_for_latex(tmp_path):
    frame = pd.DataFrame({"method_1": ["a & b", "c"], "90 %": ["**1 ± 2**", "3"]})
    text = latex(frame, "t", "50 % & more")
    assert r"method\_1 & 90 \% \\" in text and r"\textbf{1 $\pm$ 2}" in text and r"a \& b" in text
    write_table(frame, tmp_path, "t", "caption")
    assert "**" not in (tmp_path / "t.csv").read_text() and "**1 ± 2**" in (tmp_path / "t.md").read_text()
