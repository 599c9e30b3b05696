"""The paper's studies: run, recorded, and shown again without running anything. Imports the package, never the reverse.

Run `python -m paper --help` in the repository's folder.

    commands.py     the command line: run, status, tables, figures, page
    studies.py      what a task and a study are; every study by name
    comparison.py   study `comparison`: all methods on all datasets
    timing.py       study `timing`: seconds to fit and to predict
    running.py      one run from start to end: what is open, who does it, what is written
    backends.py     who does the tasks: this process, worker processes (joblib), a Dask cluster
    work.py         how one task is done, the same in every process
    ledger.py       what is recorded of each task as soon as it is done
    collected.py    the committed files of a study: scores, seconds, predictions, and how they were made
    packing.py      arrays as .npz files that are the same bytes for the same numbers
    atomic.py       a file is written whole or not at all
    versions.py     the versions of everything that makes the numbers
    screen.py       progress

    reading.py, summaries.py, formats.py, tables.py, figures.py    from the committed files to tables and figures
    page.py, results_page.md                     the results page RESULTS.md: words by hand, tables put in
    printed/        numbers that the paper prints
    tables/ figures/    rebuilt from the results by `python -m paper tables` and `figures`
    results/        STUDY.csv, STUDY_seconds.csv, STUDY.json and STUDY_predictions.npz are committed;
                    STUDY/tasks/ (work in progress) and quick/ (tiny budgets) are not
"""
