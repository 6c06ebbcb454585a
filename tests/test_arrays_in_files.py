"""Values in files of other programs: safetensors, and NumPy's; and what is not read without trust."""

from __future__ import annotations

import contextlib
import json
import pickle
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import wengert as tf
from wengert.formats import large_files


class Layer(tf.Module):
    def __init__(self, size: int = 3) -> None:
        super().__init__()
        self.weights = tf.Variable(tf.reshape(tf.range(float(2 * size)), [2, size]))
        self.offsets = tf.Variable(tf.zeros([size], tf.bfloat16))


class Network(tf.Module):
    def __init__(self, size: int = 3) -> None:
        super().__init__()
        self.layers = [Layer(size), Layer(size)]
        self.count = tf.Variable(7, dtype=tf.int64, trainable=False)


DTYPES = [
    np.bool_, np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64, np.float16,
    np.float32, np.float64, np.complex64,
]  # fmt: skip
OWN = [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]


def values_of(dtype: Any, shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(0).integers(0, 2, shape).astype(dtype)


@pytest.mark.parametrize("end", [".safetensors", ".npz"])
def test_what_is_written_is_read(end: str, tmp_path: Path) -> None:
    path = tmp_path / f"values{end}"
    kinds = DTYPES + (OWN if end == ".safetensors" else [])
    shapes = [(), (0, 3), (3,), (2, 5)]
    given = {
        f"{np.dtype(kind)} {n}": values_of(kind, shape)
        for kind in kinds
        for n, shape in enumerate(shapes)
    }
    given["of columns"] = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    given["of the other order"] = np.arange(3, dtype=">i4")
    tf.io.save_arrays(path, given)
    found = tf.io.load_arrays(path)
    assert found.keys() == given.keys()
    for name, array in given.items():
        assert found[name].dtype == array.dtype.newbyteorder("=")
        assert found[name].shape == array.shape
        assert np.array_equal(found[name], array)


def test_one_array(tmp_path: Path) -> None:
    tf.io.save_arrays(tmp_path / "x.npy", {"x": tf.constant([1, 2])})
    assert tf.io.load_arrays(tmp_path / "x.npy")["array"].tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"one array, and there are 2"):
        tf.io.save_arrays(tmp_path / "x.npy", {"x": 1, "y": 2})


def test_the_variables_of_an_object(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    tf.io.save_arrays(path, Network())
    other = Network()
    for variable in other.variables:
        variable.assign(tf.ones_like(variable))
    found = tf.io.load_arrays(path, into=other)
    names = [f"layers.{n}.{name}" for n in (0, 1) for name in ("weights", "offsets")]
    assert sorted(found) == sorted(["count", *names])
    assert other.layers[1].weights.numpy().tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert other.count.numpy() == 7


def test_values_for_another_object(tmp_path: Path) -> None:
    """All or none; what does not fit is named."""
    path = tmp_path / "model.safetensors"
    tf.io.save_arrays(path, Network())
    other = Network(4)
    with pytest.raises(ValueError, match=r"shape \(2, 3\).*shape \(2, 4\).*layers\.0\.weights"):
        tf.io.load_arrays(path, into=other)
    assert other.layers[0].weights.numpy()[1, 0] == 4.0
    with pytest.raises(tf.errors.NotFoundError, match=r"no value for more\. It has: "):
        tf.io.load_arrays(path, into={"more": tf.Variable(1.0)})


def test_the_package_reads_what_we_write_and_we_read_its_files(tmp_path: Path) -> None:
    package: Any = pytest.importorskip("safetensors.numpy")
    given = {f"{np.dtype(k)}": values_of(k, (3, 5)) for k in DTYPES if k is not np.complex64}
    ours, theirs = tmp_path / "ours.safetensors", tmp_path / "theirs.safetensors"
    tf.io.save_arrays(ours, given)
    package.save_file(package.load_file(ours), theirs, metadata={"by": "it"})
    found = tf.io.load_arrays(theirs)
    for name, array in given.items():
        assert np.array_equal(found[name], array)
        assert found[name].dtype == array.dtype


# ---- trust --------------------------------------------------------------------------------------

RAN: list[str] = []


def run(text: str) -> str:
    RAN.append(text)
    return text


class _Attack:
    def __reduce__(self) -> Any:
        return run, ("what the file says",)


@pytest.mark.parametrize("name", ["x.npy", "x.npz"])
def test_objects_are_not_read_without_trust(name: str, tmp_path: Path) -> None:
    """They would run what the file says."""
    path = tmp_path / name
    attack = np.array([_Attack()], object)
    if name == "x.npz":
        np.savez(path, x=attack)
    else:
        np.save(path, attack)
    RAN.clear()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"so it is refused.*trust=True"):
        tf.io.load_arrays(path)
    assert RAN == []
    tf.io.load_arrays(path, trust=True)
    assert RAN == ["what the file says"]


def test_a_pickle_under_the_name_of_an_array(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(pickle.dumps(_Attack()))
    RAN.clear()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"trust=True"):
        tf.io.load_arrays(path)
    assert RAN == []


def test_objects_are_not_written(tmp_path: Path) -> None:
    for values in ({"x": np.array([{}], object)}, {"x": np.zeros(2, ml_dtypes.bfloat16)}):
        with pytest.raises(tf.errors.UnimplementedError, match=r"NumPy's files cannot hold"):
            tf.io.save_arrays(tmp_path / "x.npz", values)
    with pytest.raises(tf.errors.UnimplementedError, match=r"'x' is of dtype string"):
        tf.io.save_arrays(tmp_path / "x.safetensors", {"x": tf.constant(["a"])})
    assert list(tmp_path.iterdir()) == []


# ---- damage -------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [".safetensors", ".npz", ".npy"])
def test_files_that_are_cut_short_at_any_place(end: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{end}"
    tf.io.save_arrays(path, {"x": np.arange(5.0)})
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises((tf.errors.DataLossError, tf.errors.InvalidArgumentError), match=r"x\."):
            tf.io.load_arrays(path)


def test_bits_that_are_wrong(tmp_path: Path) -> None:
    """Of .npz each is seen; whatever a head may become is an error of ours, or other values."""
    path = tmp_path / "x.npz"
    tf.io.save_arrays(path, {"x": np.arange(5.0)})
    whole = path.read_bytes()
    start = whole.index(np.arange(5.0).tobytes())
    for at in range(start, start + 40):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(tf.errors.DataLossError):
            tf.io.load_arrays(path)
    for end in (".safetensors", ".npz", ".npy"):
        path = tmp_path / f"y{end}"
        tf.io.save_arrays(path, {"x": np.arange(5.0)})
        whole = path.read_bytes()
        for at in range(len(whole)):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 8]) + whole[at + 1 :])
            with contextlib.suppress(tf.errors.OpError):
                tf.io.load_arrays(path)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ({"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}, "cannot be from 0 to 4"),
        ({"x": {"dtype": "F32", "shape": [-1], "data_offsets": [0, -4]}}, "cannot be from"),
        ({"x": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}, "begins at 4, not at 0"),
        (
            {"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}},
            "8 bytes of values, and its",
        ),
        ({"x": {"dtype": "F99", "shape": [1], "data_offsets": [0, 4]}}, "dtype 'F99'"),
        ({"x": {"dtype": "F32", "shape": [1]}}, "has no dtype, shape or place"),
        ({"x": 3}, "has no dtype, shape or place"),
        ([3], "no JSON object"),
    ],
)
def test_heads_that_lie(head: Any, said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    text = json.dumps(head).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(8))
    with pytest.raises(tf.errors.OpError, match=said):
        tf.io.load_arrays(path)


def test_the_old_file_stays_where_the_new_one_has_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.safetensors"
    tf.io.save_arrays(path, {"x": [1.0]})

    def full(handle: Any, data: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(large_files, "write", full)
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"x\.safetensors; No space left"):
        tf.io.save_arrays(path, {"x": [2.0]})
    assert tf.io.load_arrays(path)["x"].tolist() == [1.0]
    assert [p.name for p in tmp_path.iterdir()] == ["x.safetensors"]


def test_names_of_other_files(tmp_path: Path) -> None:
    for use in (tf.io.load_arrays, lambda p: tf.io.save_arrays(p, {"x": 1})):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"may end with \.safetensors"):
            use(tmp_path / "x.bin")
    with pytest.raises(tf.errors.NotFoundError, match=r"x\.npz"):
        tf.io.load_arrays(tmp_path / "x.npz")
