"""Shapes in annotations, as in `Float[np.ndarray, "rows targets"]`: tests check them, elsewhere they are only read.

One letter or word means the same number in all arguments and results of a function; `*rows` stands for any number of
axes, `#rows` for as many or one, and `_` for an axis without a name.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or "jaxtyping" in sys.modules:
    from jaxtyping import Bool, Float, Int, Num, Shaped, UInt
else:  # only developers have jaxtyping, and annotations are not looked at

    class Float:
        """An array of floating-point numbers."""

        def __class_getitem__(cls, described: Any) -> Any:
            return described[0]

    Bool = Int = Num = Shaped = UInt = Float

AnyArray = Any
"""JAX's, NumPy's, or a single number of NumPy's: only the shape and the kind of numbers are looked at."""

__all__ = ["AnyArray", "Bool", "Float", "Int", "Num", "Shaped", "UInt"]
