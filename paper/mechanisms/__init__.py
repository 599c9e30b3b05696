"""Study `mechanisms`: does each of four mechanisms on trial earn its place in the default?

Nineteen tables beside the paper's six and the standard UCI set (R's datasets and textbook functions), exact duplicate
rows dropped, three splits of 80 and 20 %, no validation rows: what users do. Each variant is the default with one
mechanism left out, and the last one leaves out all four.

    python -m paper.mechanisms run      # goes on where it stopped
    python -m paper.mechanisms table    # every variant against the default

Two of the switches existed only in the version that was measured; its commit stands in the results.
"""
