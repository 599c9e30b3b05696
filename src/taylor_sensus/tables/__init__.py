"""The one reader of the user's tables: files, cells, headers and errors; from words to numbers and back.

A file's way: ``files`` (``delimited``) -> ``measurements`` -> ``reading`` -> ``estimator_input``.

- ``files``      reads and writes the user's files; ``excel`` the books and ``titles`` lines above the header;
                 ``delimited`` the text files among them: encoding, separator,
                 decimal sign, rows of unequal length; ``file_header`` what a file shows before it is read
- ``measurements``  a table as scientists write it: values, declared errors, units; ``notation`` reads cells such as
                 14.2(3), ``refusals`` says why one cannot be read, ``companions`` finds columns of errors, ``units``
                 units in headers, ``censored`` cells such as <0.05, ``limit_flags`` columns that mark limits,
                 ``column_errors`` errors of whole columns
- ``reading``    what command line, app and forms do with a file: its columns by the user's choices or by a model;
                 ``wanted`` is what they ask for, refused by the header alone where that shows a mistake;
                 ``assignments`` reads errors such as temp=0.5 (``error_size``), ``alignment`` finds columns by name
- ``column``     a column as a model knows it
- ``columns``    text columns become numbers; what is wrong in a table is named by row and column
- ``declared``   errors that the user declares, as one number a cell
- ``quantities``  values that bring errors and units along: uncertainties, pint, astropy, xarray; masked arrays
- ``estimator_input``  what the estimator's `fit` and `predict` are given, as arrays of one kind
"""
