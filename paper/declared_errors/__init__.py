"""Study `declared_errors`: inputs whose errors are known, on real tables and where truth is known; and limits.

methods.py     what is compared, and who takes part in which case
cases.py       the cases by name: how often each is repeated, and what was asked of it
problems.py    rows to learn from and rows to answer, for each case
tables_with_limits.py   those of cells that tell only a bound
answers.py     every method with one face: fitted to rows with errors, asked for readings and for the law
noisy_inputs.py   rivals that know errors of inputs: NIGP, SIMEX, orthogonal distance regression
run.py, summary.py, tables.py, figure.py, study.py   as in every study
"""
