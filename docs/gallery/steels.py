# %% [markdown]
# # Steels: few rows, many columns
#
# 312 high-alloy steels, thirteen elements in percent of weight, and the yield strength in MPa. The data are downloaded
# once from their original source, with a checked hash.
# %%
from taylor_sensus import TSNetRegressor
from taylor_sensus.datasets.catalogue import load_dataset, split_dataset
from taylor_sensus.scores import evaluate

steels = split_dataset(load_dataset("matbench_steels"), seed=0)
model = TSNetRegressor(random_state=0).fit(steels.X_train, steels.y_train)
model
# %%
p = model.predict_distribution(steels.X_test)
scores = evaluate(steels.y_test, p)
for name in ("rmse", "mae", "r2", "coverage_90"):
    print(f"{name:12} {scores[name]:.2f}")
# %%
# figure: predicted against measured yield strength with 90 % error bars
from taylor_sensus.plots import plot_parity

axes = plot_parity(steels.y_test, p, unit="MPa")
# %% [markdown]
# Does the error bar tell easy steels from hard ones? Mean error by thirds, from the surest to the least sure:
# %%
import numpy as np

error = np.abs(steels.y_test.to_numpy() - p.mean)
for name, third in zip(("surest", "middle", "least sure"), np.array_split(np.argsort(p.std), 3), strict=True):
    print(f"{name:10}  std {p.std[third].mean():4.0f} MPa  error {error[third].mean():4.0f} MPa")
# %% [markdown]
# What to make next, if a strong steel is wanted:
# %%
model.suggest(steels.X_test, n=3, goal="max", random_state=0).table.iloc[:, [0, -5, -4, -3]]
