"""Dask: predictions for partitioned tables, on this machine or a cluster. Needs the extra ``[distributed]``.

predict       a fitted model over the partitions of a Dask data frame, lazily
"""

from taylor_sensus.distributed.predict import predict

__all__ = ["predict"]
