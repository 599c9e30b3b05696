"""Where rows come from and how they are made ready.

- ``table``      reads and writes the user's files, and splits targets from features
- ``delimited``  the text files among them: encoding, separator, decimal sign, rows of unequal length
- ``columns``    text columns become numbers; what is wrong in a table is named by row and column
- ``measurements``  a table as scientists write it: values, declared errors, units; ``notation`` reads cells such as
                 14.2(3), ``refusals`` says why one cannot be read, ``companions`` finds columns of errors, ``units``
                 units in headers, ``censored`` cells such as <0.05, ``column_errors`` errors of whole columns
- ``declared``   errors that the user declares, as one number a cell; ``alignment`` finds a model's columns in a table
- ``imputation`` missing cells from the rest of their row, and how sure that is
- ``rows``       equal rows become one heavier row, in an order of their own
- ``scaling``    from the user's units to numbers around 0, and back
- ``trend``      the linear trend of a table, believed where there are no data
- ``splits``     the paper's training, validation and test rows
- ``datasets``   the paper's public datasets, ready to use; ``dataset_sources`` says what and where they are,
                 ``dataset_files`` finds or downloads and checks them, ``dataset_readers`` reads each layout
- ``functions``  textbook functions of engineering, with noise of known size
- ``repeats``    inputs that were measured before, and what that is worth
- ``reactor``    a small messy table for the documentation
- ``synthetic``  the paper's 1-D and 2-D toy problems, whose truth and noise are known
"""
