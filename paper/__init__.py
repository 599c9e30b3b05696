"""The paper's studies: run, recorded, and shown again without running anything. Imports the package, never the reverse.

Run `python -m paper --help` in the repository's folder.

    commands.py     the command line: run, status, tables, figures, page
    study.py        what a task and a study are
    studies.py      every study by name
    comparison.py   study `comparison`: all methods on all datasets
    timing.py       study `timing`: seconds to fit and to predict
    ablation.py     study `ablation`: the default with one thing changed at a time
    calibration.py  study `calibration`: error bars and learned noise where the truth is known
    speed.py        study `speed`: what accuracy costs in seconds
    published.py    study `published`: the splits of others, beside their figures
    antinoise.py    study `antinoise`: noise on a part of the training entries
    active.py       study `active`: methods that choose their next training rows
    toys.py         study `toys`: all methods on the paper's toys
    toy_ablation.py study `toy_ablation`: the paper's ablation on its toys
    deviations.py   study `deviations`: noise that the model does not assume, drawn in deviation_noise.py
    scaling.py      study `scaling`: time, memory and errors as rows and parameters grow; its rows are in
                    scaling_data.py, and memory.py watches what a process takes
    variants.py     the variants of TSNet that `ablation` and `speed` compare
    toy_methods.py, toy_references.py, toy_problems.py    what the toy studies fit, and how it is judged
    study_data.py, real_tables.py    every table by name, and its splits
    trials.py       what the studies share: one method fitted, timed and judged
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
    STUDY_tables.py, STUDY_figure.py, ablation_summary.py    the same of the four studies after the comparison
    page.py, results_page.md, sections/          the results page RESULTS.md: words by hand, tables put in;
                    a section of `sections/` is shown once its study has results
    printed/        numbers that the paper prints, and in published.csv those of others
    tables/ figures/    rebuilt from the results by `python -m paper tables` and `figures`
    results/        STUDY.csv, STUDY_seconds.csv, STUDY.json and STUDY_predictions.npz are committed;
                    STUDY/tasks/ (work in progress) and quick/ (tiny budgets) are not
"""
