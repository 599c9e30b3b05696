"""What the addresses do.

start.py    the first page: choose a table or a model
fitting.py  from the columns of a table to a model
using.py    report, predictions, "what if", suggestions
answers.py  forms as they were sent, and answers to them
"""
