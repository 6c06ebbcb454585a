"""What is known of shapes where sizes, indices or ranks are not: static shapes, and then values."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from unit_programs.common import Programs


def programs(tf: Any) -> Programs:
    return {**segments(tf), **arrays(tf), **images(tf), **arrays_written(tf)}


def given(tf: Any, *shape: Any, dtype: Any = None) -> Any:
    """A placeholder; of unknown rank for a shape of `...`."""
    form = None if shape == (...,) else shape
    return tf.compat.v1.placeholder(dtype or tf.float32, form)


def static(tf: Any, function: Any) -> Any:
    """The static shape of what a function makes in a graph."""

    def program() -> Any:
        with tf.Graph().as_default():
            shape = function().shape
            return None if shape.rank is None else shape.as_list()

    return program


def segments(tf: Any) -> Programs:
    def number() -> Any:
        return given(tf, dtype=tf.int32)

    def ids() -> Any:
        return given(tf, None, dtype=tf.int32)

    found: Programs = {
        "dynamic_stitch": static(
            tf, lambda: tf.dynamic_stitch([ids(), ids()], [given(tf, None, 3)] * 2)
        ),
        "dynamic_stitch of known indices": static(
            tf, lambda: tf.dynamic_stitch([[0, 3]], [given(tf, 2, None)])
        ),
        "segment_max": static(tf, lambda: tf.math.segment_max(given(tf, None), ids())),
        "segment_max of rows": static(tf, lambda: tf.math.segment_max(given(tf, None, 3), ids())),
    }
    for kind in ("sum", "max", "min", "prod", "mean", "sqrt_n"):
        reduce = getattr(tf.math, f"unsorted_segment_{kind}")
        found[f"unsorted_segment_{kind}"] = static(
            tf, lambda reduce=reduce: reduce(given(tf, None, 3), ids(), number())
        )
    for kind in ("sum", "mean", "sqrt_n"):
        reduce = getattr(tf.sparse, f"segment_{kind}")
        found[f"sparse segment_{kind}"] = static(
            tf, lambda reduce=reduce: reduce(given(tf, None, 3), ids(), ids())
        )
        found[f"sparse segment_{kind} of a number"] = static(
            tf, lambda reduce=reduce: reduce(given(tf, None, 3), ids(), ids(), num_segments=5)
        )
    return found


def arrays(tf: Any) -> Programs:
    def x(*shape: Any) -> Any:
        return given(tf, *shape)

    def ints(*shape: Any) -> Any:
        return given(tf, *shape, dtype=tf.int32)

    cases = {
        "pad": lambda: tf.pad(x(4, 4), ints(...)),
        "pad by a matrix": lambda: tf.pad(x(...), ints(2, 2)),
        "transpose": lambda: tf.transpose(x(...), [1, 0]),
        "transpose by a vector": lambda: tf.transpose(x(2, None), ints(2)),
        "tile": lambda: tf.tile(x(None, 3), ints(...)),
        "repeat": lambda: tf.repeat(x(None, 3), ints(...), axis=1),
        "broadcast_to": lambda: tf.broadcast_to(x(None, 3), ints(3)),
        "an index": lambda: x(5, 3, 7)[ints()],
        "a slice of numbers": lambda: x(5, 3, 7)[ints(), ::-2, tf.newaxis],
        "dropout": lambda: tf.nn.dropout(x(4, 3), 0.5, noise_shape=ints(...)),
        "dropout at a rate": lambda: tf.nn.dropout(x(4, None), x(...)),
    }
    return {name: static(tf, case) for name, case in cases.items()}


def images(tf: Any) -> Programs:
    def x(*shape: Any) -> Any:
        return given(tf, *shape)

    image, two = tf.image, (55, 66)
    cases: dict[str, Any] = {
        "resize to": lambda: image.resize(x(None, None, None, 3), given(tf, 2, dtype=tf.int32)),
        "central_crop": lambda: image.central_crop(x(None, 60, 3), 0.5),
        "central_crop of a batch": lambda: image.central_crop(x(5, 50, None, 3), 0.5),
    }
    for shape in ((None, 60, 3), (None, None, None), (9, None, None, 3)):
        cases |= {
            f"crop {shape}": lambda s=shape: image.crop_to_bounding_box(x(*s), 0, 0, *two),
            f"pad {shape}": lambda s=shape: image.pad_to_bounding_box(x(*s), 0, 0, *two),
            f"fit {shape}": lambda s=shape: image.resize_with_crop_or_pad(x(*s), *two),
            f"resize {shape}": lambda s=shape: image.resize(x(*s), two),
        }
    return {name: static(tf, case) for name, case in cases.items()}


def arrays_written(tf: Any) -> Programs:
    """Writes to an array of tensors in functions: within it, and past its end."""

    def written(at: int, dynamic: bool) -> Any:
        @tf.function
        def write(n: Any) -> Any:
            array = tf.TensorArray(tf.float32, 3, dynamic_size=dynamic, element_shape=[])
            return array.write(n, 2.0).stack()

        return lambda: write(tf.constant(at))

    return {
        "a write to an array": written(2, False),
        "a write past its end": written(3, False),
        "a write to an array that grows": written(3, True),
    }
