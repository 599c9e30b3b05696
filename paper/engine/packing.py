"""Arrays as .npz files that NumPy reads, and that are the same bytes for the same numbers.

`numpy.savez` puts the time of day into the file, so that each run would change a committed file.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first moment a zip file can name."""


def packed(arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of an .npz file with these arrays, ordered by name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(arrays):
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the same on every system
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asanyarray(arrays[name], order="C"), allow_pickle=False)
            archive.writestr(entry, content.getvalue(), compresslevel=9)
    return buffer.getvalue()


def unpacked(source: Path | bytes) -> dict[str, np.ndarray]:
    """All arrays of an .npz file; anything wrong with it is a ValueError, and a missing file the usual error."""
    try:
        with np.load(io.BytesIO(source) if isinstance(source, bytes) else source, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise
    except Exception as error:  # zipfile, zlib and NumPy each have their own for the same thing: a damaged file
        raise ValueError(f"not a whole .npz file ({error})") from error
