"""Files: `atomic` writes all of them, `container` is the model file, `model_io` says what of a model is in it.

`travel` sends a model to other processes. `compilation` keeps compiled programs between processes, `programs` is what
it keeps them in.
"""
