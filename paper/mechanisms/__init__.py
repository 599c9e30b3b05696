"""Study `mechanisms`: does each thing that the default does earn its place?

24 tables beside the paper's six and the standard UCI set (R's datasets and textbook functions), exact duplicate rows
dropped, three splits of 80 and 20 %, no validation rows: what users do. Each variant is the default with one
mechanism left out; the guards (prior, robust weights) are also judged where their fault is, in the study `honesty`.
Beside them six tables of 5,000 to 20,000 rows, one split.

What was judged with earlier defaults: four mechanisms of version 0.1, in part, in `results/mechanisms_v0_1.csv`; what
version 0.2 did, with three spreads of frequencies and wide noise networks, in `results/mechanisms_v0_2.csv`; and what
came next, with longer training of precise tables, in `results/mechanisms_v0_3.csv`: by that it left the default. The
default before boosted trees came to small tables is in `results/mechanisms_v0_4.csv`, in part, and on large tables; the
one with networks of 96 neurons everywhere, first split, in `results/mechanisms_v0_5.csv`; the one before trees had the
shares that predictions deserve, two splits and the large tables, in `results/mechanisms_v0_6.csv`.

    python -m paper.mechanisms run      # goes on where it stopped, split by split
    python -m paper.mechanisms table    # every variant against the default
"""
