"""What the outlook says in words: when to go on, and when to stop."""

import pytest

from taylor_sensus.suggest import Outlook


@pytest.mark.parametrize(
    ("outlook", "told", "not_told"),
    [
        (Outlook(2.0, 1.5, 0.5), "from 2 to 1.5, by 25.0 %", "stop"),
        (Outlook(2.0, 1.99, 0.5), "measure more at a time, or stop", "Time to stop"),
        (Outlook(2.0, 1.99, 1.95), "Time to stop: what is left is noise", "more at a time"),
        (Outlook(2.0, 2.1, 2.2), "should not lower the median error bar", "-"),
        (Outlook(0.0, 0.0, 0.0), "Time to stop", "nan"),
    ],
)
def test_words(outlook, told, not_told):
    assert told in str(outlook) and not_told not in str(outlook)
    assert 0 <= outlook.reduction <= 1 and 0 <= outlook.possible <= 1
