"""Shapes in annotations, as in `Float[np.ndarray, "rows targets"]`: tests check them, elsewhere they are only read.

One letter or word means the same number in all arguments and results of a function.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or "jaxtyping" in sys.modules:
    from jaxtyping import Float, Shaped
else:  # only developers have jaxtyping, and annotations are not looked at

    class Float:
        """An array of floating-point numbers."""

        def __class_getitem__(cls, described: Any) -> Any:
            return described[0]

    Shaped = Float

__all__ = ["Float", "Shaped"]
