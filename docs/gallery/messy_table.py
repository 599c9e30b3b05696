# %% [markdown]
# # A messy table, as laboratories write it
#
# Sixty runs of a (simulated) reactor: errors in cells, in a column beside and in percent, a detection limit, missing
# cells, names of runs. Nothing is cleaned by hand.
# %%
import pandas as pd

from taylor_sensus import TSNetRegressor, read_measurements
from taylor_sensus.datasets.reactor import TABLE

raw = pd.read_csv(TABLE).set_index("run")
raw.head(4)
# %% [markdown]
# `read_measurements` finds values, errors and units, and says what it found.
# %%
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it says that "<5" counts as missing
    read = read_measurements(raw)
print(read)
X, y, X_err, y_err = read.split("yield [%]")
# %% [markdown]
# The declared errors go into the fit. The summary judges the model on rows that its networks did not see.
# %%
model = TSNetRegressor(random_state=0).fit(X, y, X_err=X_err, y_err=y_err)
model
# %% [markdown]
# Where does the error of a prediction come from? On the flank of the peak mostly from the thermocouple.
# %%
model.predict_distribution(X, X_err=X_err).noise_budget()
# %% [markdown]
# What to measure next, to find the best yield:
# %%
form = model.suggest(n=3, goal="max", random_state=0)
form.table.iloc[:, :8]
# %%
# figure: how much each column matters for the prediction and for its error
axes = model.importance(X).plot()
