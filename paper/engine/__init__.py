"""The engine: runs the tasks of a study, records what they find, and shows it again. Knows no study by name.

commands.py     the command line: run, status, tables, figures, page
study.py        what a task and a study are
running.py      one run from start to end: what is open, who does it, what is written
backends.py     who does the tasks: this process, worker processes (joblib), a Dask cluster
work.py         how one task is done, the same in every process
trials.py       what the studies share: one method fitted, timed and judged
ledger.py       what is recorded of each task as soon as it is done
collected.py    the committed files of a study: scores, seconds, predictions, and how they were made
packing.py      arrays as .npz files that are the same bytes for the same numbers
atomic.py       a file is written whole or not at all
versions.py     the versions of everything that makes the numbers
screen.py       progress
reading.py, printed.py, formats.py, tables.py, figures.py, page.py    from the committed files to what is shown
"""
