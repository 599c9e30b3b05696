"""The paper's studies: run, recorded, and shown again without running anything. Imports the package, never the reverse.

Run `python -m paper --help` in the repository's folder.

    studies.py      every study by name: the list to add a study to
    engine/         the runner: tasks, workers, records, the command line, and from records to tables, figures, page
    data/           every table by name, and its splits

A study is a folder. `study.py` says which tasks there are (light: no NumPy), `run.py` does one of them; where they
exist, `variants.py` or `methods.py` name what is compared, `summary.py` goes from single results to what is shown,
`tables.py` and `figure.py` show it.

    comparison/     all methods on all datasets
    timing/         seconds to fit and to predict
    ablation/       the default with one thing changed at a time
    calibration/    error bars and learned noise where the truth is known
    speed/          what accuracy costs in seconds
    published/      the splits of others, beside their figures
    uci/            the standard benchmark of error bars: nine tables, 20 splits
    honesty/        cases that are ordinary in a laboratory, each with the range that is asked
    antinoise/      noise on a part of the training entries
    active/         methods that choose their next training rows
    toys/           all methods on the paper's toys
    toy_ablation/   the paper's ablation on its toys
    deviations/     noise that the model does not assume
    scaling/        time, memory and errors as rows and parameters grow
    mechanisms/     does each thing that the default does earn its place? Has a command line of its own

    pages/          the words of each study's page; with its tables put in, it is docs/paper/STUDY.md
    results_page.md the words of their index, RESULTS.md
    printed/        numbers that the paper prints, and in published.csv those of others
    tables/ figures/    rebuilt from the results by `python -m paper tables` and `figures`
    results/        STUDY.csv, STUDY_seconds.csv, STUDY.json and STUDY_predictions.npz are committed;
                    STUDY/tasks/ (work in progress) and quick/ (tiny budgets) are not
"""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where results, printed values, tables and figures are."""
