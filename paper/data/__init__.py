"""The tables that the studies use, by name.

names.py        names that several studies share
catalogue.py    every table, its hash, its splits and its title
real_tables.py  which columns of the R datasets are used, and how
"""
