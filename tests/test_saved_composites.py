"""Functions of ragged and sparse tensors, saved and loaded, and saved again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf

RAGGED = tf.RaggedTensorSpec([None, None], tf.float32)
DEEP = tf.RaggedTensorSpec([None, None, None], tf.float32, ragged_rank=2)
SPARSE = tf.SparseTensorSpec([None, 3], tf.float32)
SLICES = tf.IndexedSlicesSpec([None, 3], tf.float32)
LINE, MATRIX = tf.TensorSpec([None]), tf.TensorSpec([3, None])


def given(spec: Any) -> Any:
    """A value of a spec."""
    if isinstance(spec, dict):
        return {key: given(part) for key, part in spec.items()}
    return {
        RAGGED: lambda: tf.ragged.constant([[1.0, 2.0], [3.0], []]),
        DEEP: lambda: tf.ragged.constant([[[1.0], [2.0, 3.0]], [[4.0]]]),
        SPARSE: lambda: tf.sparse.from_dense([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]),
        SLICES: lambda: tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 3], tf.int64)),
        LINE: lambda: tf.constant([0.5, -1.0]),
        MATRIX: lambda: tf.constant([[1.0, 2.0], [0.5, 0.0], [3.0, 1.0]]),
    }[spec]()


def gradient(r: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(r)
        y = tf.reduce_sum(r * r, 1)
    return tape.gradient(y, r)


def sparse_gradient(s: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([s.values, x])
        y = tf.sparse.sparse_dense_matmul(s, x)
    return tape.gradient(y, [s.values, x])


PROGRAMS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "sums": (lambda r: tf.reduce_sum(r, 1), [RAGGED]),
    "elements": (lambda r: tf.ragged.map_flat_values(tf.sin, r * 2.0), [RAGGED]),
    "dense": (lambda r: r.to_tensor(-1.0), [RAGGED]),
    "joined": (lambda r, x: {"rows": tf.concat([r, r], 1), "x": x}, [RAGGED, LINE]),
    "deep": (lambda r: (tf.reduce_max(r, 2), r.row_lengths()), [DEEP]),
    "nested": (lambda q: q["r"] + q["x"][0], [{"r": RAGGED, "x": LINE}]),
    "sparse sums": (lambda s: tf.sparse.reduce_sum(s, 1), [SPARSE]),
    "sparse elements": (lambda s: s * 2.0, [SPARSE]),
    "sparse product": (tf.sparse.sparse_dense_matmul, [SPARSE, MATRIX]),
    "sparse to dense": (tf.sparse.to_dense, [SPARSE]),
    "slices": (lambda s: tf.IndexedSlices(s.values * 2.0, s.indices), [SLICES]),
    "gradient": (gradient, [RAGGED]),
    "sparse gradient": (sparse_gradient, [SPARSE, MATRIX]),
}


def parts(value: Any) -> list[Any]:
    return [np.asarray(x).tolist() for x in tf.nest.flatten(value, expand_composites=True)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_saved_and_loaded_and_saved_again(name: str, tmp_path: Path) -> None:
    program, specs = PROGRAMS[name]
    model: Any = tf.Module()
    model.f = tf.function(program, input_signature=specs)
    xs = [given(spec) for spec in specs]
    wanted = model.f(*xs)
    for time in range(2):
        tf.saved_model.save(model, str(tmp_path / str(time)))
        model = tf.saved_model.load(str(tmp_path / str(time)))
        found = model.f(*xs)
        tf.nest.assert_same_structure(found, wanted)
        assert parts(found) == parts(wanted)


def test_a_value_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    model: Any = tf.Module()
    model.f = tf.function(lambda r: tf.reduce_sum(r, 1), input_signature=[RAGGED])
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for wrong in (tf.ones([2, 2]), given(DEEP), given(SPARSE), tf.ragged.constant([[1], [2, 3]])):
        with pytest.raises((ValueError, TypeError)):
            loaded.f(wrong)
