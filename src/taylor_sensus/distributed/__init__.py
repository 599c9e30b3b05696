"""More than one machine. Dask's parts need the extra ``[distributed]``.

predict       a fitted model over the partitions of a Dask data frame, lazily
workers       parts of one fit on the workers of a Dask cluster: ``TSNetRegressor.fit(..., client=...)``
processes     several processes that train one network together: `initialize`, then ``TSNetRegressor.fit_dataset``
"""

from taylor_sensus.distributed.predict import predict
from taylor_sensus.distributed.processes import initialize

__all__ = ["initialize", "predict"]
