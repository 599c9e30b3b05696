"""The one reader of the user's tables: files, cells, headers and errors; from words to numbers and back.

- ``table``      reads and writes the user's files, and splits targets from features
- ``delimited``  the text files among them: encoding, separator, decimal sign, rows of unequal length
- ``columns``    text columns become numbers; what is wrong in a table is named by row and column
- ``measurements``  a table as scientists write it: values, declared errors, units; ``notation`` reads cells such as
                 14.2(3), ``refusals`` says why one cannot be read, ``companions`` finds columns of errors, ``units``
                 units in headers, ``censored`` cells such as <0.05, ``column_errors`` errors of whole columns
- ``declared``   errors that the user declares, as one number a cell; ``alignment`` finds a model's columns in a table
- ``estimator_input``  what the estimator's `fit` and `predict` are given, as arrays of one kind
"""
