"""Files of other programs, byte for byte: messages of protocol buffers, records, checksums."""

from __future__ import annotations

import io
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wengert.engines.native.runtime.processor import is_supported
from wengert.errors import DataLossError
from wengert.formats import crc32c as module
from wengert.formats import large_files
from wengert.formats.crc32c import crc32c, masked
from wengert.formats.records import record, records_in
from wengert.formats.wire import Fields, Message, signed, unzigzag, varint, zigzag

LONG = st.integers(-(2**63), 2**63 - 1)


# The vectors of RFC 3720, section B.4, and that of the catalogue of checksums.
@pytest.mark.parametrize(
    ("data", "checksum"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_known_checksums(data: bytes, checksum: int) -> None:
    assert crc32c(data) == checksum


def slow_checksum(data: bytes) -> int:
    """Bit by bit, as the polynomial says."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


@pytest.mark.parametrize("length", [1, 511, 512, 513, 514, 515, 516, 1023, 1024, 1025, 4099])
def test_long_checksums(length: int) -> None:
    data = np.random.default_rng(length).bytes(length)
    assert crc32c(data) == slow_checksum(data)
    assert crc32c(memoryview(data)) == slow_checksum(data)


@pytest.mark.parametrize("length", [16384, 16391, 131072, 131073, 163840, 400003])
def test_checksums_of_an_engine(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its parts come to what NumPy finds, which the tests above know to be right."""
    data = np.random.default_rng(length).bytes(length)
    found = crc32c(data, 0x1234567), crc32c(memoryview(data)[3:], 0)
    monkeypatch.setattr(module, "_kernels", [])
    assert found == (crc32c(data, 0x1234567), crc32c(data[3:], 0))


@pytest.mark.skipif(not is_supported(), reason="there is no compiler")
def test_an_engine_computes_checksums() -> None:
    (kernel,) = module._kernels
    assert kernel(np.zeros(1 << 17, np.uint8), 0, 1 << 15) is not None


def test_many_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written and read in pieces, from any place, and fewer where the file ends."""
    monkeypatch.setattr(large_files, "_READ", 1000)
    monkeypatch.setattr(large_files, "_WRITTEN", 3000)
    data = np.random.default_rng(0).bytes(10_007)
    with open(tmp_path / "file", "wb") as file:
        large_files.write(file, b"head")
        large_files.write(file, memoryview(data))
    for offset, size in ((4, 10_007), (0, 500), (17, 7001), (9000, 5000), (20_000, 3000)):
        found = large_files.read(str(tmp_path / "file"), offset, size)
        assert found.tobytes() == (b"head" + data)[offset : offset + size]


@given(st.binary(max_size=700), st.binary(max_size=700))
def test_a_checksum_goes_on(a: bytes, b: bytes) -> None:
    assert crc32c(b, crc32c(a)) == crc32c(a + b)


def test_masked_checksums() -> None:
    """Of an empty record, as every writer of the format has it."""
    assert masked(crc32c(b"")) == 0xA282EAD8
    assert record(b"").hex() == "000000000000000029039807d8ea82a2"


# ---- the wire format ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"), [(0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (300, "ac02"), (-1, "ff" * 9 + "01")]
)  # fmt: skip
def test_known_numbers(value: int, text: str) -> None:
    assert varint(value).hex() == text


@given(LONG)
def test_whole_numbers(value: int) -> None:
    read = Fields(Message().integer(3, value).integer(4, zigzag(value)).fixed(5, value, 8).done())
    assert signed(read.integer(3)) == value
    assert unzigzag(read.integer(4)) == value
    assert read.array(5, "<i8").tolist() == [value]
    assert read.numbers() == [3, 4, 5]


@pytest.mark.parametrize(("value", "written"), [(0, 0), (-1, 1), (1, 2), (-2, 3), (2**31 - 1, 2**32 - 2)])  # fmt: skip
def test_zigzag(value: int, written: int) -> None:
    assert zigzag(value) == written


@given(st.text(), st.binary(), st.floats(width=32), st.floats(), st.lists(LONG), st.integers(1, 2**29 - 1))  # fmt: skip
def test_all_kinds(t: str, d: bytes, f: float, g: float, numbers: list[int], field: int) -> None:
    inner = Message().text(field, t).data(field + 1, d)
    message = Message().message(field, inner).float32(field + 1, f).float64(field + 2, g)
    message.integers(field + 3, numbers).array(field + 4, [f, f], "<f4").float32(field + 4, f)
    read = Fields(message.done())
    assert read.message(field).text(field) == t
    assert bytes(read.message(field).data(field + 1)) == d
    assert struct.pack("<f", read.float32(field + 1)) == struct.pack("<f", f)
    assert read.float64(field + 2) == g or math.isnan(g)
    assert [signed(n) for n in read.integers(field + 3)] == numbers
    assert read.array(field + 4, "<f4").tobytes() == struct.pack("<f", f) * 3


def test_what_is_missing_and_what_is_repeated() -> None:
    message = Message().integer(1, 5).integers(1, [6, 7]).text(2, "a").text(2, "b").done()
    read = Fields(message)
    assert read.integers(1) == [5, 6, 7]  # packed and not, mixed
    assert read.integer(1) == 7
    assert read.texts(2) == ["a", "b"]
    assert read.text(2) == "b"
    assert 2 in read
    assert 9 not in read
    assert (read.integer(9, 4), read.text(9), read.float32(9), read.messages(9)) == (4, "", 0.0, [])


@pytest.mark.parametrize(
    "damaged",
    [
        "08",  # the number is missing
        "08" + "ff" * 10 + "01",  # it has no end
        "120474",  # bytes up to behind the end
        "0d0000",  # so is a fixed one
        "0b",  # a group, which nobody writes any more
        "0001",  # a field without a number
    ],
)
def test_a_damaged_message_is_refused(damaged: str) -> None:
    with pytest.raises(DataLossError, match="The message is damaged"):
        Fields(bytes.fromhex(damaged))


def test_a_field_of_another_kind_is_refused() -> None:
    read = Fields(Message().float32(1, 1.0).integer(2, 1).data(3, b"\xff\xff\xff").done())
    for ask in (
        lambda: read.integers(1), lambda: read.text(2), lambda: read.text(3), lambda: read.array(3, "<f4"),
        lambda: read.array(1, "<f8"), lambda: read.array(2, "<f4"), lambda: read.integers(3),
    ):  # fmt: skip
        with pytest.raises(DataLossError):
            ask()


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Nothing else happens: no other error, and no byte is left out."""
    try:
        read = Fields(data)
    except DataLossError:
        return
    assert bool(read.numbers()) == bool(data)


def test_the_same_bytes_as_the_library() -> None:
    """Written by the library of protocol buffers itself, where it is installed."""
    types: Any = pytest.importorskip("google.protobuf.descriptor_pb2")
    theirs = types.FieldDescriptorProto(name="größe", number=-3, label=2, proto3_optional=True)
    ours = Message().text(1, "größe").integer(3, -3).integer(4, 2).integer(17, True)
    assert ours.done() == theirs.SerializeToString()
    assert Fields(theirs.SerializeToString()).text(1) == "größe"


# ---- records -----------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=200)))
def test_records(data: list[bytes]) -> None:
    file = io.BytesIO(b"".join(map(record, data)))
    assert list(records_in(file)) == data


WHOLE = record(b"first") + record(b"the second, which is longer")


@pytest.mark.parametrize("at", range(len(WHOLE)))
def test_every_damaged_byte_is_found(at: int) -> None:
    damaged = bytearray(WHOLE)
    damaged[at] ^= 0x10
    with pytest.raises(DataLossError, match="corrupted record at"):
        list(records_in(io.BytesIO(damaged)))


@pytest.mark.parametrize("length", range(1, len(WHOLE)))
def test_a_file_that_ends_too_early(length: int) -> None:
    """Between two records it may end."""
    file = io.BytesIO(WHOLE[:length])
    if length == len(record(b"first")):
        assert list(records_in(file)) == [b"first"]
        return
    with pytest.raises(DataLossError, match="truncated record at"):
        list(records_in(file))
