"""The model file is whole or refused: round trips, 2,000 damaged files, forged files, interrupted writes."""

import errno
import hashlib
import json
import os
import struct
import tracemalloc

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from taylor_sensus.errors import ModelFileError
from taylor_sensus.storage import container as saving
from taylor_sensus.storage.container import FORMAT_VERSION, MAGIC, read_model_file, write_model_file

HEADER = {
    "name": "steel",
    "columns": ["C", "Mn µm", "\u26f0"],
    "deep": {"a": [1, 2.5, None, True, {"b": -0.0}]},
}
ARRAYS = {
    "weights": np.random.default_rng(0).normal(size=(16, 8)).astype(np.float32),
    "scale": np.array(2.5),
    "rows": np.arange(40, dtype=np.int64).reshape(10, 4),
    "none": np.zeros((0, 3)),
}


@pytest.fixture
def model_path(tmp_path):
    path = tmp_path / "model.tsnet"
    write_model_file(path, HEADER, ARRAYS)
    return path


def sealed(body: bytes) -> bytes:
    """A file whose digest is right, whatever its content."""
    return body + hashlib.sha256(body).digest()


def forged(header: bytes, payload: bytes, *, version: int = FORMAT_VERSION, length: int | None = None) -> bytes:
    return sealed(MAGIC + struct.pack("<IQ", version, len(header) if length is None else length) + header + payload)


def tensors(header: str, data: bytes = b"") -> bytes:
    return struct.pack("<Q", len(header.encode())) + header.encode() + data


def assert_same(found: dict, expected: dict) -> None:
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert found[name].shape == array.shape
        assert found[name].dtype == array.dtype.newbyteorder("=")
        native = np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")
        assert found[name].tobytes() == native.tobytes()  # bit for bit: NaN payloads and -0.0 too


# Round trips


def test_round_trip(model_path):
    found = read_model_file(model_path)
    assert found.header == HEADER
    assert_same(found.arrays, ARRAYS)
    assert read_model_file(str(model_path)).header == HEADER


def test_empty_content_round_trips(tmp_path):
    write_model_file(tmp_path / "m", {}, {})
    found = read_model_file(tmp_path / "m")
    assert found.header == {} and found.arrays == {}


def test_same_content_gives_same_bytes(tmp_path):
    write_model_file(tmp_path / "a", {"x": 1, "y": 2}, ARRAYS)
    write_model_file(tmp_path / "b", {"y": 2, "x": 1}, dict(reversed(ARRAYS.items())))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


any_dtype = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(endianness="="),
    hnp.unsigned_integer_dtypes(endianness="="),
    hnp.floating_dtypes(endianness="=", sizes=(16, 32, 64)),
)
any_array = hnp.arrays(any_dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
any_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**200), 2**200)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
array_names = st.text(st.characters(codec="utf-8"), max_size=12).filter(lambda name: name != "__metadata__")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    header=st.dictionaries(st.text(), any_json, max_size=5),
    arrays=st.dictionaries(array_names, any_array, max_size=4),
)
def test_any_content_round_trips(tmp_path, header, arrays):
    write_model_file(tmp_path / "m", header, arrays)
    found = read_model_file(tmp_path / "m")
    assert found.header == header
    assert_same(found.arrays, arrays)


def test_strided_zero_dimensional_and_big_endian_arrays_round_trip(tmp_path):
    base = np.arange(60.0).reshape(3, 4, 5)
    arrays = {
        "transposed": base.T,
        "fortran": np.asfortranarray(base[0]),
        "every_second": base[::2, ::-1, 1::2],
        "broadcast": np.broadcast_to(np.float32(3), (4, 2)),
        "scalar": np.array(7, dtype=np.uint8),
        "scalar_of_strided": base[1:2, 1:2, 1:2].reshape(()),
        "big_endian": np.arange(5, dtype=">f4"),
        "big_endian_scalar": np.array(258, dtype=">i2"),
    }
    write_model_file(tmp_path / "m", {}, arrays)
    found = read_model_file(tmp_path / "m").arrays
    assert_same(found, arrays)
    np.testing.assert_array_equal(found["big_endian"], np.arange(5))
    assert found["scalar"].shape == () and found["big_endian_scalar"] == 258


def test_special_values_keep_their_bits(tmp_path):
    arrays = {"x": np.array([np.nan, -np.nan, np.inf, -np.inf, -0.0, 5e-324])}
    write_model_file(tmp_path / "m", {}, arrays)
    assert_same(read_model_file(tmp_path / "m").arrays, arrays)


# What cannot be saved


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ({"a": {"b": [1.0, float("nan")]}}, r"header\['a'\]\['b'\]\[1\] is nan"),
        ({"a": float("-inf")}, "is -inf"),
        ({"a": (1, 2)}, "is a tuple"),
        ({"a": np.float32(1)}, "is a float32"),
        ({"a": np.zeros(2)}, "is a ndarray"),
        ({"a": b"x"}, "is a bytes"),
        ({"a": {1: 2}}, "key 1 of type int"),
        ({"a": 1 << 5000}, "5001 bits"),
        ([1], "must be a dict"),
        ("x", "must be a dict"),
    ],
)
def test_header_outside_json_is_refused(tmp_path, header, says):
    with pytest.raises(ModelFileError, match=says):
        write_model_file(tmp_path / "m", header, {})
    assert os.listdir(tmp_path) == []


def test_header_that_contains_itself_is_refused(tmp_path):
    loop = {}
    loop["again"] = [loop, loop]
    with pytest.raises(ModelFileError, match="contains itself"):
        write_model_file(tmp_path / "m", loop, {})


def test_all_header_problems_are_named_at_once(tmp_path):
    with pytest.raises(ModelFileError, match=r"'a'.*'b'"):
        write_model_file(tmp_path / "m", {"a": float("nan"), "b": {1, 2}}, {})


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"a": np.array(["x"])}, "dtype <U1"),
        ({"a": np.array([None])}, "dtype object"),
        ({"a": np.array([1j])}, "dtype complex128"),
        ({"a": np.zeros(2, dtype="M8[s]")}, "dtype datetime64"),
        ({"a": np.zeros(2, dtype=[("x", "f8")])}, "convert it to float, int or bool"),
        ({"a": np.ma.masked_array([1.0, 2.0], mask=[0, 1])}, "is a MaskedArray"),
        ({"a": [1.0]}, "is a list"),
        ({"__metadata__": np.zeros(1)}, "cannot name an array"),
        ({"\ud800": np.zeros(1)}, "cannot name an array"),
        ({3: np.zeros(1)}, "cannot name an array"),
    ],
)
def test_arrays_outside_the_format_are_refused(tmp_path, arrays, says):
    with pytest.raises(ModelFileError, match=says):
        write_model_file(tmp_path / "m", {}, arrays)
    assert os.listdir(tmp_path) == []


def test_what_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(saving, "MAX_FILE_BYTES", 1000)
    with pytest.raises(ModelFileError, match="too large"):
        write_model_file(tmp_path / "m", {}, {"a": np.zeros(1000)})
    assert os.listdir(tmp_path) == []


# Damage


def damage(data: bytes, rng: np.random.Generator) -> bytes:
    """One random accident of five kinds; may by chance change nothing."""
    out = bytearray(data)
    kind = rng.integers(5)
    begin, end = sorted(rng.integers(0, len(data) + 1, size=2).tolist())
    if kind == 0:
        for position in rng.integers(len(data), size=rng.integers(1, 9)):
            out[position] ^= int(rng.integers(1, 256))
    elif kind == 1:
        del out[begin:]
    elif kind == 2:
        out[begin:begin] = rng.bytes(int(rng.integers(1, 40)))
    elif kind == 3:
        size = int(rng.integers(1, 64))
        a, b = rng.integers(0, len(data) // size, size=2) * size
        out[a : a + size], out[b : b + size] = out[b : b + size], out[a : a + size]
    else:
        out[begin:end] = bytes(end - begin)
    return bytes(out)


def test_two_thousand_damaged_files_are_refused(model_path):
    rng = np.random.default_rng(20240607)
    original = model_path.read_bytes()
    tried = 0
    while tried < 2000:
        damaged = damage(original, rng)
        if damaged == original:
            continue
        tried += 1
        model_path.write_bytes(damaged)
        with pytest.raises(ModelFileError, match=r"again|Give a file"):
            read_model_file(model_path)
    model_path.write_bytes(original)
    assert read_model_file(model_path).header == HEADER


def test_each_flipped_byte_of_prefix_and_digest_is_refused(model_path):
    original = model_path.read_bytes()
    for position in (*range(24), *range(len(original) - 40, len(original))):
        damaged = bytearray(original)
        damaged[position] ^= 1
        model_path.write_bytes(damaged)
        with pytest.raises(ModelFileError):
            read_model_file(model_path)


@pytest.mark.parametrize("extra", [b"\0", b"\n", b"x" * 32, b"x" * 5000])
def test_appended_bytes_are_refused(model_path, extra):
    model_path.write_bytes(model_path.read_bytes() + extra)
    with pytest.raises(ModelFileError, match="checksum"):
        read_model_file(model_path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\x89TSN", "ends after 4 bytes"),
        (MAGIC, "ends after 8 bytes"),
        (b"PK\x03\x04 some archive", "is not a Taylor-Sensus model file"),
        (b"x", "is not a Taylor-Sensus model file"),
        (b"\x89TSNET\n" + bytes(60), "binary mode"),
        (safetensors.numpy.save({"a": np.zeros(3)}), "is not a Taylor-Sensus model file"),
    ],
)
def test_empty_short_and_other_files_are_refused(tmp_path, content, says):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=says):
        read_model_file(path)


def test_missing_file_folder_and_odd_paths(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_model_file(tmp_path / "nowhere")
    with pytest.raises(ModelFileError, match="folder"):
        read_model_file(tmp_path)
    (tmp_path / "file").write_bytes(b"x")
    for odd in (tmp_path / "file" / "below", "a\0b", 3, None):
        with pytest.raises(ModelFileError, match="cannot be read"):
            read_model_file(odd)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="pipe"):
        read_model_file(tmp_path / "pipe")


def test_a_file_above_the_limit_is_refused_unread(tmp_path):
    path = tmp_path / "huge"
    with path.open("wb") as stream:
        stream.write(MAGIC)
        stream.truncate(saving.MAX_FILE_BYTES + 1)  # sparse: takes no space
    with pytest.raises(ModelFileError, match="at most"):
        read_model_file(path)


# Forged: the digest is right


def test_newer_format_says_upgrade_and_not_damage(model_path):
    data = model_path.read_bytes()[:-32]
    model_path.write_bytes(sealed(data[:8] + struct.pack("<I", FORMAT_VERSION + 1) + data[12:]))
    with pytest.raises(ModelFileError, match="not damaged: upgrade"):
        read_model_file(model_path)


def test_newer_format_with_wrong_digest_says_damage(model_path):
    data = model_path.read_bytes()
    model_path.write_bytes(data[:8] + struct.pack("<I", FORMAT_VERSION + 1) + data[12:])
    with pytest.raises(ModelFileError, match="checksum"):
        read_model_file(model_path)


@pytest.mark.parametrize("length", [2**64 - 1, 2**63, 2**40, 10**9, 100])
def test_huge_lengths_are_refused_without_allocating(tmp_path, length):
    path = tmp_path / "m"
    one = '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    huge_shape = one.replace("[1]", f"[{length}]").replace("[0,4]", f"[0,{length * 4 % 2**64}]")
    empty_shape = one.replace("[1]", f"[0,{2**62},{length}]").replace("[0,4]", "[0,0]")
    for content in (
        forged(b"{}", tensors("{}"), length=length),
        forged(b"{}", struct.pack("<Q", length) + one.encode() + bytes(4)),
        forged(b"{}", tensors(huge_shape, bytes(4))),
        forged(b"{}", tensors(empty_shape)),
    ):
        path.write_bytes(content)
        tracemalloc.start()
        try:
            with pytest.raises(ModelFileError):
                read_model_file(path)
            assert tracemalloc.get_traced_memory()[1] < 5_000_000
        finally:
            tracemalloc.stop()


ONE = '"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}'


def tensor_like(old: str, new: str) -> bytes:
    return tensors("{" + ONE.replace(old, new) + "}", bytes(4))


MALFORMED = {
    "header empty": forged(b"", tensors("{}")),
    "header cut": forged(b"{", tensors("{}")),
    "header a list": forged(b"[]", tensors("{}")),
    "header null": forged(b"null", tensors("{}")),
    "header key twice": forged(b'{"a":1,"a":2}', tensors("{}")),
    "header inner key twice": forged(b'{"x":{"a":1,"a":1}}', tensors("{}")),
    "header NaN": forged(b'{"a":NaN}', tensors("{}")),
    "header infinity": forged(b'{"a":-Infinity}', tensors("{}")),
    "header overflow": forged(b'{"a":1e999}', tensors("{}")),
    "header endless integer": forged(b'{"a":' + b"9" * 10_000 + b"}", tensors("{}")),
    "header deep objects": forged(b'{"a":' * 100_000, tensors("{}")),
    "header deep lists": forged(b"[" * 1_000_000, tensors("{}")),
    "header not UTF-8": forged(b'{"a":"\xff"}', tensors("{}")),
    "header UTF-16": forged('{"a":1}'.encode("utf-16"), tensors("{}")),
    "header with byte order mark": forged("\ufeff{}".encode(), tensors("{}")),
    "version zero": forged(b"{}", tensors("{}"), version=0),
    "no payload": forged(b"{}", b""),
    "payload of seven bytes": forged(b"{}", bytes(7)),
    "payload of zeros": forged(b"{}", bytes(8)),
    "payload text": forged(b"{}", b"not safetensors at all"),
    "payload trailing": forged(b"{}", tensors("{}", b"trailing")),
    "payload name twice": forged(b"{}", tensors("{" + ONE + "," + ONE + "}", bytes(4))),
    "payload cut": forged(b"{}", tensors("{" + ONE + "}", bytes(3))),
    "payload foreign dtype": forged(b"{}", tensor_like('F32","shape":[1]', 'BF16","shape":[2]')),
    "payload unknown dtype": forged(b"{}", tensor_like("F32", "OBJ")),
    "payload negative shape": forged(b"{}", tensor_like("[1]", "[-1]")),
    "payload reversed offsets": forged(b"{}", tensor_like("[0,4]", "[4,0]")),
    "payload deep": forged(b"{}", tensors("[" * 200_000)),
}


@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED)
def test_right_digest_over_malformed_content_is_refused(tmp_path, content):
    path = tmp_path / "m"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="save the model again"):
        read_model_file(path)


def test_random_damage_under_a_right_digest_never_escapes_as_another_error(model_path):
    rng = np.random.default_rng(7)
    body = model_path.read_bytes()[:-32]
    refused = 0
    for _ in range(1500):
        model_path.write_bytes(sealed(MAGIC + damage(body[8:], rng)))
        try:
            read_model_file(model_path)  # a changed number inside an array cannot be noticed here
        except ModelFileError:
            refused += 1
    assert refused > 700


# Interrupted writes


def test_an_interrupted_write_leaves_the_old_model_and_no_other_file(model_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "disk full")

    before = model_path.read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="disk full"):
        write_model_file(model_path, {"new": True}, {})
    assert os.listdir(model_path.parent) == [model_path.name]
    assert model_path.read_bytes() == before


def test_overwriting_replaces_and_leaves_no_other_file(model_path):
    write_model_file(model_path, {"new": True}, {})
    assert read_model_file(model_path).header == {"new": True}
    assert os.listdir(model_path.parent) == [model_path.name]


def test_writing_to_a_folder_or_into_none(tmp_path):
    with pytest.raises(ModelFileError, match="folder"):
        write_model_file(tmp_path, {}, {})
    with pytest.raises(FileNotFoundError, match="create it first"):
        write_model_file(tmp_path / "none" / "m", {}, {})
    assert os.listdir(tmp_path) == []


def test_header_is_plain_json_inside_the_file(model_path):
    data = model_path.read_bytes()
    (length,) = struct.unpack_from("<Q", data, 12)
    assert json.loads(data[20 : 20 + length]) == HEADER
    assert hashlib.sha256(data[:-32]).digest() == data[-32:]
