"""One figure a file; each takes an ``ax`` to draw on, or makes one, and returns it.

- ``band``     mean and error bands over one input, the bands split into their sources
- ``parity``   predicted against measured, with error bars
- ``history``  training and validation loss of each member
- ``style``    colours, labels and new axes, the same in every figure
- ``inputs``   what the figures ask of their arguments

Importing this package changes no matplotlib setting; ``pyplot`` is loaded only to make a new figure.
"""

from taylor_sensus.plots.band import plot_band
from taylor_sensus.plots.history import plot_history
from taylor_sensus.plots.parity import plot_parity

__all__ = ["plot_band", "plot_history", "plot_parity"]
