"""`python -m paper.mechanisms`."""

from __future__ import annotations

import sys

import pandas as pd

import paper.mechanisms
from paper.mechanisms.run import RESULTS, run
from paper.mechanisms.summary import of_large, of_stairs, summary

if __name__ == "__main__":
    if sys.argv[1:] == ["run"]:
        run()
    elif sys.argv[1:] == ["table"]:
        results = pd.read_csv(RESULTS)
        for table in (summary(results), of_stairs(results), of_large(results)):
            sys.stdout.write(table.round(4).to_string() + "\n\n")
    else:
        sys.exit(paper.mechanisms.__doc__)
