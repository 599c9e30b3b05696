"""More than one machine. Dask's parts need the extra ``[distributed]``.

predict       a fitted model over the partitions of a Dask data frame, lazily
workers       parts of one fit on the workers of a Dask cluster: ``TSNetRegressor.fit(..., client=...)``
"""

from taylor_sensus.distributed.predict import predict

__all__ = ["predict"]
