"""Tables of the report: as many cells as were given, and every text a text."""

from taylor_sensus.report.html import table
from taylor_sensus.words.html import shown
from tests.hostile import read


def test_tables():
    made = table(("a", shown("<b>")), [("x", "1"), ("<i>", None)], words=(0,), caption="c")
    page = read(made)
    assert page.problems == [] and made.count("<td") == 4
    assert page.text == "ca<b>x1<i>"
