"""`python -m paper.mechanisms`."""

from __future__ import annotations

import sys

import pandas as pd

import paper.mechanisms
from paper.mechanisms.run import RESULTS, run
from paper.mechanisms.summary import summary

if __name__ == "__main__":
    if sys.argv[1:] == ["run"]:
        run()
    elif sys.argv[1:] == ["table"]:
        sys.stdout.write(summary(pd.read_csv(RESULTS)).round(4).to_string() + "\n")
    else:
        sys.exit(paper.mechanisms.__doc__)
