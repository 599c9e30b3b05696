"""The model file: one file that is either whole or refused, and that can run no code when it is opened.

Layout, all integers little-endian::

    8 bytes    magic, as PNG's: a byte above 127 and a line end show damage by text-mode transfers
    4 bytes    format version
    8 bytes    length of the header
    ...        header: JSON, UTF-8, keys sorted
    ...        arrays: safetensors
    32 bytes   SHA-256 of everything before it

The digest shows accidents (cut-off copies, bad disks), not forgery: anyone who can change the file can also
compute a new digest. A forged file is still only JSON and numbers, so that the worst it holds is a wrong
model. What the header and the arrays mean is the business of the callers.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taylor_sensus.errors import ModelFileError
from taylor_sensus.storage.atomic import write_atomically

if TYPE_CHECKING:
    import numpy as np

MAGIC = b"\x89TSNET\r\n"
FORMAT_VERSION = 4
"""Of the layout above, which is still the first, and of what a model's header and arrays hold: see `upgrade`."""
MAX_FILE_BYTES = 2 * 1024**3
"""Far above any model of ours; keeps a wrong path (a disk image) from filling the memory."""
MAX_HEADER_BYTES = 16 * 1024**2
MAX_ARRAYS = 10_000
"""A network of a hundred layers has some hundreds."""

_VERSION_AND_LENGTH = struct.Struct("<IQ")
_PREFIX_BYTES = len(MAGIC) + _VERSION_AND_LENGTH.size
_DIGEST_BYTES = hashlib.sha256().digest_size
_MAX_DEPTH = 64
_MAX_INTEGER_BITS = 4096
_METADATA_NAME = "__metadata__"  # safetensors keeps this name for itself
_FLOATS = ("float16", "float32", "float64")
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_DTYPES = frozenset(("bool", *_FLOATS, *_INTEGERS))


@dataclass(frozen=True, eq=False)
class ModelFile:
    """What a model file holds: a header of plain JSON values, and named arrays."""

    header: dict[str, Any]
    arrays: dict[str, np.ndarray]
    format: int = FORMAT_VERSION


@dataclass(frozen=True, eq=False)
class CheckedFile:
    """A whole model file whose header is read, and its arrays not yet: NumPy is only loaded for them."""

    path: str | os.PathLike[str]
    header: dict[str, Any]
    payload: bytes
    format: int
    digest: str
    """SHA-256 of the content, as it stands at the file's end."""

    def content(self) -> ModelFile:
        """Header and arrays."""
        try:
            return ModelFile(self.header, _arrays(self.payload), self.format)
        except Exception as error:  # whatever a parser finds wrong, for the user it is one thing: a bad file
            raise _unreadable(self.path, error) from error


def write_model_file(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write header and arrays to ``path``, completely or not at all.

    A full disk, a crash or Ctrl-C leaves an older model as it was.
    Arrays come back with the same shape and dtype, in row-major order and this machine's byte order.
    """
    head, payload = _header_bytes(header), _payload_bytes(arrays)
    total = _PREFIX_BYTES + len(head) + len(payload) + _DIGEST_BYTES
    if len(head) > MAX_HEADER_BYTES or total > MAX_FILE_BYTES:
        raise ModelFileError(
            f"the model is too large to save: header {len(head):,} bytes (at most {MAX_HEADER_BYTES:,}), "
            f"file {total:,} bytes (at most {MAX_FILE_BYTES:,}). Put large tables into arrays, or keep fewer."
        )
    prefix = MAGIC + _VERSION_AND_LENGTH.pack(FORMAT_VERSION, len(head))
    digest = hashlib.sha256(prefix)
    digest.update(head)
    digest.update(payload)
    if Path(path).exists() and not Path(path).is_file():
        raise ModelFileError(f"{path} is a folder or a device; give the path of a file to write.")
    write_atomically(path, prefix, head, payload, digest.digest())


def read_model_file(path: str | os.PathLike[str]) -> ModelFile:
    """Read what ``write_model_file`` wrote.

    Raises ``FileNotFoundError`` where there is no file, and ``ModelFileError`` for everything else that is
    not a whole model file. Sizes and digest are checked before any of the content is looked at.
    """
    return check_model_file(path).content()


def check_model_file(path: str | os.PathLike[str]) -> CheckedFile:
    """The same without its arrays."""
    data = _whole_file(path)
    version, header_bytes = _VERSION_AND_LENGTH.unpack_from(data, len(MAGIC))
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{path} has model file format {version}; this version of Taylor-Sensus reads up to "
            f"{FORMAT_VERSION}. The file is not damaged: upgrade with pip install --upgrade taylor-sensus."
        )
    if version < 1:
        raise _damaged(path, f"its format version is {version}, the first one is 1")
    room = len(data) - _PREFIX_BYTES - _DIGEST_BYTES
    if header_bytes > min(room, MAX_HEADER_BYTES):
        raise _damaged(path, f"its header claims {header_bytes:,} bytes where {room:,} are left")
    split = _PREFIX_BYTES + header_bytes
    try:
        header = _strict_json(data[_PREFIX_BYTES:split])
    except Exception as error:
        raise _unreadable(path, error) from error
    return CheckedFile(path, header, data[split:-_DIGEST_BYTES], version, data[-_DIGEST_BYTES:].hex())


def _unreadable(path: object, error: Exception) -> ModelFileError:
    return _damaged(path, f"its content cannot be read ({error})")


def _damaged(path: object, finding: str) -> ModelFileError:
    return ModelFileError(
        f"{path} is not a whole model file: {finding}. "
        "Copy it again from where it was made, in binary mode, or save the model again."
    )


# Reading


def _whole_file(path: str | os.PathLike[str]) -> bytes:
    """The file's bytes, once kind, size and digest are as they should be."""
    try:
        where = Path(path)
        status = where.stat()
        if stat.S_ISDIR(status.st_mode):
            raise ModelFileError(f"{path} is a folder; give the path of the model file inside it.")
        if not stat.S_ISREG(status.st_mode):
            raise ModelFileError(f"{path} is a device or a pipe; copy the model to an ordinary file first.")
        with where.open("rb") as stream:
            data = _sized_content(path, stream, status.st_size)
    except (FileNotFoundError, ModelFileError):
        raise
    except (OSError, TypeError, ValueError, MemoryError) as error:
        raise ModelFileError(
            f"{path!r} cannot be read: {error or type(error).__name__}. "
            "Check the path, the permissions and the free memory."
        ) from error
    body = memoryview(data)[:-_DIGEST_BYTES]
    if hashlib.sha256(body).digest() != data[-_DIGEST_BYTES:]:
        raise _damaged(path, "its checksum does not match its content")
    return data


def _sized_content(path: object, stream: Any, size: int) -> bytes:
    """Look at the first bytes before reading the rest, so that a large file of another kind costs nothing."""
    magic = stream.read(len(MAGIC))
    if not magic:
        raise _damaged(path, "it is empty")
    if not MAGIC.startswith(magic):
        raise ModelFileError(
            f"{path} is not a Taylor-Sensus model file: it starts with {magic!r}, not with {MAGIC!r}. "
            "Give a file that save() wrote; a copy made in text mode has to be made again in binary mode."
        )
    if size > MAX_FILE_BYTES:
        raise ModelFileError(f"{path} has {size:,} bytes; a model file has at most {MAX_FILE_BYTES:,}. Check the path.")
    if size < _PREFIX_BYTES + _DIGEST_BYTES:
        raise _damaged(path, f"it ends after {size} bytes")
    data = magic + stream.read(size - len(magic) + 1)
    if len(data) != size:
        raise _damaged(path, "its size changed while it was read")
    return data


def _strict_json(text: bytes) -> dict[str, Any]:
    """JSON without Python's leniencies: no doubled key, no NaN, no infinity, an object at the top."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key occurs twice")
        return found

    def finite(number: str) -> float:
        value = float(number)
        if not math.isfinite(value):
            raise ValueError(f"the number {number} is not finite")
        return value

    content = json.loads(text.decode("utf-8"), object_pairs_hook=unique, parse_float=finite, parse_constant=finite)
    if not isinstance(content, dict):
        raise ValueError(f"expected a JSON object, found a {type(content).__name__}")
    return content


def _arrays(payload: bytes) -> dict[str, np.ndarray]:
    """The arrays of a safetensors payload whose own header, too, names each array once."""
    import safetensors.numpy

    (length,) = struct.unpack_from("<Q", payload)
    if length > min(len(payload) - 8, MAX_HEADER_BYTES):
        raise ValueError(f"the arrays' header claims {length:,} bytes of {len(payload):,}")
    named = _strict_json(payload[8 : 8 + length])  # safetensors would silently keep the last of two equal names
    if len(named) > MAX_ARRAYS:
        raise ValueError(f"it names {len(named):,} arrays; a model has at most {MAX_ARRAYS:,}")
    return safetensors.numpy.load(payload)


# Writing


def _header_bytes(header: Mapping[str, Any]) -> bytes:
    if not isinstance(header, dict):
        raise ModelFileError(f"the header must be a dict, not a {type(header).__name__}; convert with dict().")
    problems = list(islice(_header_problems(header, "header", 0), 5))
    if problems:
        raise ModelFileError("the header cannot be saved: " + "; ".join(problems) + ".")
    # Escaped to ASCII: any column name can be saved, even one read with a wrong encoding.
    return json.dumps(header, sort_keys=True, allow_nan=False, separators=(",", ":")).encode("ascii")


def _header_problems(value: Any, place: str, depth: int) -> Iterator[str]:
    """Say where a value would be lost, or come back as something else."""
    if depth > _MAX_DEPTH:
        yield f"{place[:60]}... is nested deeper than {_MAX_DEPTH} levels or contains itself; make it flatter"
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                yield f"{place} has the key {key!r} of type {type(key).__name__}; use text"
            yield from _header_problems(inner, f"{place}[{key!r}]", depth + 1)
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _header_problems(inner, f"{place}[{position}]", depth + 1)
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield f"{place} is {value!r}, which JSON cannot hold; use None, or put it into an array"
    elif isinstance(value, int):
        if value.bit_length() > _MAX_INTEGER_BITS:
            yield f"{place} is an integer of {value.bit_length()} bits; at most {_MAX_INTEGER_BITS}, use text"
    elif value is not None and not isinstance(value, str):
        yield (
            f"{place} is a {type(value).__name__}; a header holds only None, bool, int, float, str, list "
            "and dict: convert it, for example with list(), int(), float() or .tolist()"
        )


def _payload_bytes(arrays: Mapping[str, np.ndarray]) -> bytes:
    import numpy as np
    import safetensors.numpy

    problems, plain = [], {}
    for name, array in arrays.items():
        if not isinstance(name, str) or name == _METADATA_NAME or not _is_unicode(name):
            problems.append(f"{name!r} cannot name an array; use text other than {_METADATA_NAME!r}")
        elif type(array) is not np.ndarray:  # a masked array would lose its mask
            problems.append(f"{name!r} is a {type(array).__name__}; convert it with numpy.asarray()")
        elif array.dtype.name not in _DTYPES:
            problems.append(f"{name!r} has dtype {array.dtype}; convert it to float, int or bool")
        else:
            # safetensors reads raw memory and ignores strides; asarray, unlike ascontiguousarray, keeps 0-d.
            plain[name] = np.asarray(array, dtype=array.dtype.name, order="C")
    if problems:
        raise ModelFileError("the arrays cannot be saved: " + "; ".join(problems[:5]) + ".")
    return safetensors.numpy.save(plain)


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
