"""Operations on arrays: values, static shapes, dtypes and refusals."""

# mypy: disable-error-code="no-any-return, misc, func-returns-value"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import Programs, everywhere, in_session, internal, refusal


def programs(tf: Any) -> Programs:
    return slices(tf) | gathers(tf) | scatters(tf) | joined(tf) | shaped(tf) | others(tf) | raw(tf)


def counted(tf: Any, *shape: int, dtype: Any = None) -> Any:
    return tf.constant(np.arange(np.prod(shape)).reshape(shape), dtype or tf.float32)


def static(tf: Any, function: Any, *shapes: Any, dtype: Any = None) -> Any:
    """The static shape that a function gives for arguments of such shapes."""
    with tf.Graph().as_default():
        given = [tf.compat.v1.placeholder(dtype or tf.float32, s) for s in shapes]
        found = tf.nest.flatten(function(*given))
        return [None if f.shape.rank is None else f.shape.as_list() for f in found]


def slices(tf: Any) -> Programs:
    """x[...], strided_slice, slice, and assignments to slices."""
    ops = "ops.array_ops"

    def indexed() -> Any:
        x = counted(tf, 4, 3, 5, dtype=tf.int32)
        n, i = tf.newaxis, tf.constant(1)
        return [
            x[1:3, ::-1, 2],
            x[..., n, -2:],
            x[::-2, n, 1:, i],
            x[i:, ..., :1],
            x[3:0:-1, 0, 4:1:-2],
            x[2:1],
            x[-9:9:3, 1],
            x[tf.constant(2, tf.int64)][0],
            x[tf.greater(x, 55)],
            x[np.array([True, False, True, False])][:, 0, 0],
        ]

    def index_refused() -> Any:
        x = counted(tf, 4, 3)
        return [
            refusal(lambda: x[5], "out of bounds"),
            refusal(lambda: x[:, -4], "out of bounds"),
            refusal(lambda: x[1, 2, 0], "Index out of range|Too many indices"),
            refusal(lambda: x[..., ...], "Multiple ellips"),
            refusal(lambda: x[0.5], "Only integers, slices"),
            refusal(lambda: x["a"], "Only integers, slices"),
            refusal(lambda: x[:, [0, 1]], ""),
            refusal(lambda: x[::0], "must be non-zero"),
            refusal(lambda: x[1:2:0.5], ""),
            refusal(lambda: x[:2].assign([1.0]), "no attribute 'assign'"),
            refusal(lambda: x[tf.constant([1.5])], ""),
            refusal(lambda: tf.constant(3)[0], ""),
            refusal(lambda: iter(tf.constant(3)).__next__(), ""),
        ]

    def slice_shapes() -> Any:
        return [
            static(tf, lambda x: x[1:3, :, 4:20], [5, None, 7]),
            static(tf, lambda x: x[::-1, tf.newaxis, 50:3], [5, None, 7]),
            static(tf, lambda x: x[2], [None, 4]),
            static(tf, lambda x: x[..., 0], None),
            static(tf, lambda x, y: tf.slice(x, [0, 1], [-1, 2]), [None, 4], []),
            static(tf, lambda x, y: tf.slice(x, y, [2, -1]), [3, 4], [2], dtype=tf.int32),
            static(tf, lambda x, y: x[y : y + 2], [9, 4], [], dtype=tf.int32),
            static(tf, lambda x, y: x[y], [9, 4], [], dtype=tf.int32),
            static(tf, lambda x: x[::-1, :3, None, None, 0], [None, None, 3]),
        ]

    def masks() -> Any:
        x = counted(tf, 3, 4, dtype=tf.int32)
        f = tf.strided_slice
        return [
            f(x, [1, 0], [3, 4], [1, 2]),
            f(x, [0, 1], [0, 3], begin_mask=1, end_mask=1),
            f(x, [1, 1], [2, 2], shrink_axis_mask=1),
            f(x, [0, 1], [0, 2], ellipsis_mask=1),
            f(x, [0, 0], [0, 3], new_axis_mask=1),
            tf.slice(x, [1, 2], [-1, 2]),
            tf.slice(x, tf.constant([0, 1], tf.int64), tf.constant([2, -1], tf.int64)),
        ]

    def slice_refused() -> Any:
        x = counted(tf, 3, 4)
        return [
            refusal(lambda: tf.slice(x, [0, 3], [1, 2]), "Expected size"),
            refusal(lambda: tf.slice(x, [0], [1]), "Expected begin and size arguments"),
            refusal(lambda: tf.slice(x, [-1, 0], [1, 1]), "Expected begin"),
            refusal(lambda: tf.strided_slice(x, [0], [1, 2]), ""),
            refusal(lambda: tf.strided_slice(x, [0, 0], [1, 1], [0, 1]), "must be non-zero"),
        ]

    def gradients() -> Any:
        def build() -> Any:
            x = tf.reshape(tf.range(24.0), [2, 3, 4])
            y = x * x
            found = [
                y[:, 1],
                y[::-1, 2:0:-1, -1],
                y[0, tf.newaxis, ..., 3:0:-2],
                y[x > 8.0],
                tf.slice(y, [0, 1, 1], [1, -1, 2]),
            ]
            return [tf.gradients(f, x)[0] for f in found]

        return in_session(tf, build)

    def gradient_operation() -> Any:
        f = internal(ops).strided_slice_grad
        return [
            f([3, 4], [0, 1], [3, 4], [2, 2], tf.ones([2, 2])),
            f(tf.constant([3], tf.int64), *[tf.constant([k], tf.int64) for k in (0, 3, 2)], [1, 2]),
        ]

    def assigned(dtype: Any) -> Any:
        v = tf.Variable(tf.cast(tf.reshape(tf.range(12), [3, 4]), dtype))
        v[1, 1:3].assign(tf.cast([90, 91], dtype))
        v[::-2, 0].assign(tf.cast([70, 71], dtype))
        v[:, None, -1:].assign(tf.cast(tf.fill([3, 1, 1], 5), dtype))
        v[2:1].assign(tf.zeros([0, 4], dtype))
        return v, refusal(lambda: v[0].assign(tf.cast([1, 2], dtype)), "")

    def assigned_in_graph() -> Any:
        def build() -> Any:
            v = tf.compat.v1.get_variable("v", initializer=tf.zeros([2, 3]), use_resource=True)
            with tf.control_dependencies([v.initializer]):
                return tf.compat.v1.assign(v[1, ::2], [4.0, 5.0])

        return in_session(tf, build)

    return {
        "indices": lambda: everywhere(tf, indexed),
        "indices refused": index_refused,
        "slices' shapes": slice_shapes,
        "masks": lambda: everywhere(tf, masks),
        "slices refused": slice_refused,
        "slices' gradients": gradients,
        "strided_slice_grad": gradient_operation,
        **{
            f"assigned {d}": lambda d=d: assigned(d)
            for d in ("int8", "float16", "bool", "complex64", "uint16", "bfloat16")
        },
        "assigned in a graph": assigned_in_graph,
    }


def gathers(tf: Any) -> Programs:
    """gather, gather_nd, batch_gather, boolean_mask."""

    def gathered() -> Any:
        x = counted(tf, 3, 4, 2, dtype=tf.int32)
        return [
            tf.gather(x, [2, 0]),
            tf.gather(x, [[1, 0], [2, 2]], axis=1)[0],
            tf.gather(x, [[1, 0], [2, 2], [3, 0]], axis=1, batch_dims=1),
            tf.gather(x, 1, axis=-1),
            tf.gather(x, [[1], [0], [1]], batch_dims=-1, axis=2)[1],
            tf.gather(tf.constant(["a", "b"]), tf.constant([1, 0], tf.int64)),
            tf.compat.v1.batch_gather(x, [[1], [0], [3]]),
            tf.gather_nd(x, [[0, 1], [2, 3]]),
            tf.gather_nd(x, [[[0, 1, 1]], [[2, 3, 0]]]),
            tf.gather_nd(x, [[1], [2], [0]], batch_dims=1),
            tf.gather_nd(x, tf.zeros([2, 0], tf.int32))[1],
            tf.boolean_mask(x, [True, False, True])[:, 0],
            tf.boolean_mask(x, tf.equal(x % 5, 0)),
            tf.boolean_mask(x[0], [False, True], axis=1),
        ]

    def refused() -> Any:
        x = counted(tf, 3, 4)
        return [
            refusal(lambda: tf.gather(x, [3]), r"indices\[0\] = 3 is not in \[0, 3\)"),
            refusal(lambda: tf.gather(x, [[0, 0], [-1, 1]]), r"indices\[1,0\] = -1 is not in"),
            refusal(lambda: tf.gather(x, [0], axis=2), "Expected axis in the range"),
            refusal(lambda: tf.gather(x, [0], batch_dims=2), ""),
            refusal(lambda: tf.gather(x, [0.5]), ""),
            refusal(lambda: tf.gather(tf.constant(1), [0]), ""),
            refusal(lambda: tf.gather_nd(x, [[0, 1, 2]]), "index innermost dimension length must"),
            refusal(lambda: tf.gather_nd(x, [[0, 4]]), r"indices\[0\] = \[0, 4\] does not index"),
            refusal(lambda: tf.gather_nd(x, [[[0]], [[7]]]), r"indices\[1,0\] = \[7\] does not"),
            refusal(lambda: tf.boolean_mask(x, tf.constant(True)), "mask cannot be scalar"),
            refusal(lambda: tf.boolean_mask(x, [True, False]), "incompatible|Shapes"),
        ]

    def gradients() -> Any:
        def build() -> Any:
            x = counted(tf, 3, 4)
            found = [
                tf.gather(x * x, [2, 0, 2]),
                tf.gather(x * x, [[1, 1], [0, 2], [3, 3]], batch_dims=1),
                tf.gather_nd(x * x, [[0, 1], [2, 3], [0, 1]]),
                tf.gather(x * x, [3, 3], axis=1),
            ]
            return [tf.gradients(f, x)[0] for f in found]

        return in_session(tf, build)

    def kinds() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            x = tf.Variable(tf.ones([3, 4]))
            found = [
                tf.gather(x, [2, 0]),
                tf.gather(x, [[1, 0]], axis=1),
                tf.gather_nd(x, [[1], [2]]),
                tf.gather_nd(x, [[1, 1]]),
                tf.nn.embedding_lookup(x, [0, 1]),
            ]
        return [type(tape.gradient(f, x)).__name__ for f in found]

    def shapes() -> Any:
        return [
            static(tf, lambda x: tf.gather(x, [0, 1]), [None, 4]),
            static(tf, lambda x: tf.gather(x, [[0], [1]], axis=1), [3, None, 2]),
            static(tf, lambda x: tf.gather_nd(x, [[0, 1], [1, 0]]), [3, None, 2]),
            static(tf, lambda x: tf.boolean_mask(x, [True, False]), [2, 5]),
            static(tf, lambda x, m: tf.boolean_mask(x, m > 0), [2, 5], [2]),
            static(tf, lambda x: tf.gather(x, tf.constant([1]), batch_dims=0, axis=-1), None),
        ]

    return {
        "gather": lambda: everywhere(tf, gathered),
        "gather refused": refused,
        "gather gradients": gradients,
        "gather kinds": kinds,
        "gather shapes": shapes,
    }


def scatters(tf: Any) -> Programs:
    """scatter_nd, tensor_scatter_nd_*, and scatters to variables."""

    def scattered() -> Any:
        x = tf.ones([4, 2])
        at = [[1], [3]]
        new = [[5.0, 6.0], [7.0, 8.0]]
        return [
            tf.scatter_nd(at, new, [4, 2]),
            tf.scatter_nd([[1, 0], [1, 0]], [2.0, 3.0], [2, 2]),
            tf.tensor_scatter_nd_update(x, at, new),
            tf.tensor_scatter_nd_add(x, [[1], [1]], new),
            tf.tensor_scatter_nd_sub(x, at, new),
            tf.tensor_scatter_nd_max(x, at, tf.constant(new) - 6.0),
            tf.tensor_scatter_nd_min(x, at, tf.constant(new) - 6.0),
            tf.scatter_nd([[0], [1]], ["x", "y"], [3]),
            tf.scatter_nd(tf.zeros([0, 1], tf.int32), tf.zeros([0, 2]), [2, 2]),
        ]

    def refused() -> Any:
        return [
            refusal(
                lambda: tf.scatter_nd([[5]], [1.0], [4]), r"indices\[0\] = \[5\] does not index"
            ),
            refusal(lambda: tf.scatter_nd([[0, 0, 0]], [1.0], [4, 4]), ""),
            refusal(lambda: tf.scatter_nd([[0]], [[1.0, 2.0]], [4]), ""),
            refusal(lambda: tf.scatter_nd([[0]], 1.0, [4]), ""),
            refusal(lambda: tf.tensor_scatter_nd_update(tf.ones([3]), [[3]], [1.0]), "indices"),
            refusal(lambda: tf.tensor_scatter_nd_add(tf.ones([3]), [[0]], [[1.0, 2.0]]), ""),
        ]

    def variables() -> Any:
        v = tf.Variable(tf.range(8.0))
        s = tf.IndexedSlices
        found = []
        for name in ("add", "sub", "mul", "div", "max", "min", "update"):
            getattr(v, f"scatter_{name}")(s(tf.constant([4.0, 2.0]), tf.constant([1, 3])))
            found.append(v.numpy())
        v.scatter_nd_add([[0], [7]], [1.0, 2.0])
        v.scatter_nd_sub([[0]], [5.0])
        v.scatter_nd_update([[6]], [55.0])
        v.scatter_nd_max([[5]], [9.5])
        v.scatter_nd_min([[4]], [-9.5])
        return found, v

    def version1(name: str) -> Any:
        v1 = tf.compat.v1

        def build() -> Any:
            v = v1.get_variable("v", initializer=tf.reshape(tf.range(1.0, 9.0), [4, 2]))
            function = getattr(v1, name)
            if "nd" in name:
                return function(v, [[1, 0], [3, 1]], [2.0, 4.0])
            return function(v, [3, 1], [[2.0, 4.0], [0.5, 8.0]])

        return in_session(tf, build)

    def version1_refused() -> Any:
        v1 = tf.compat.v1
        v = tf.Variable(tf.zeros([3, 2]))
        return [
            refusal(lambda: v1.scatter_update(v, [3], [[1.0, 2.0]]), r"indices\[0\] = 3 is not in"),
            refusal(lambda: v1.scatter_add(v, [-1], [[1.0, 2.0]]), r"indices\[0\] = -1 is not in"),
            refusal(lambda: v1.scatter_nd_update(v, [[4, 0]], [1.0]), "does not index into"),
        ]

    def gradients() -> Any:
        def build() -> Any:
            x, u = tf.range(4.0) + 1.0, tf.constant([3.0, 0.5])
            at = [[1], [2]]
            found = [
                tf.scatter_nd(at, u * u, [4]) * x,
                tf.tensor_scatter_nd_update(x * x, at, u * u) ** 2,
                tf.tensor_scatter_nd_add(x * x, at, u * u) ** 2,
                tf.tensor_scatter_nd_max(x * x, at, u * u) ** 2,
            ]
            return [tf.gradients(f, [x, u]) for f in found]

        return in_session(tf, build)

    names = ["update", "add", "sub", "mul", "div", "min", "max", "nd_update", "nd_add", "nd_sub"]
    return {
        "scatter": lambda: everywhere(tf, scattered),
        "scatter refused": refused,
        "scatter variables": variables,
        **{f"scatter_{n} of version 1": lambda n=n: version1(f"scatter_{n}") for n in names},
        "scatter of version 1 refused": version1_refused,
        "scatter gradients": gradients,
    }


def joined(tf: Any) -> Programs:
    """concat, stack, split, pad, tile, repeat."""

    def put_together() -> Any:
        a, b = counted(tf, 2, 3), -counted(tf, 2, 1)
        return [
            tf.concat([a, b], 1),
            tf.concat([a, a], -2),
            tf.concat(values=[["x"], ["y", "z"]], axis=0),
            tf.stack([a, a + 1.0], axis=1),
            tf.stack([1, 2.5]),
            tf.unstack(a, axis=-1),
            tf.split(a, 3, axis=1),
            tf.split(a, [1, -1], -1),
            tf.split(a, tf.constant([2, 1]), 1),
            internal("ops.gen_array_ops").concat_offset(1, [[2, 3], [2, 4], [2, 1]]),
            tf.tile(b, [1, 3]),
            tf.repeat(a, [1, 2], axis=0),
            tf.repeat([1, 2, 3], 2),
            tf.pad(a, [[1, 0], [0, 2]], constant_values=9),
            tf.pad(a, [[1, 1], [2, 1]], "REFLECT"),
            tf.pad(a, [[2, 1], [0, 3]], "symmetric"),
            tf.pad([[1]], tf.constant([[0, 1], [1, 0]], tf.int64)),
            tf.roll(a, [1, 2], [0, 1]),
            tf.reverse(a, [-1, 0]),
        ]

    def refused() -> Any:
        a, b = tf.ones([2, 3]), tf.ones([3, 3])
        return [
            refusal(lambda: tf.concat([a, b], 1), "Dimension 0 in both shapes must be equal"),
            refusal(lambda: tf.concat([a, b[0]], 0), "should have the same|Ranks of all input"),
            refusal(
                lambda: tf.concat([a, a], 2), r"Expected concatenating dimensions in the range"
            ),
            refusal(lambda: tf.concat([tf.constant(1), tf.constant(2)], 0), ""),
            refusal(lambda: tf.concat([], 0), ""),
            refusal(lambda: tf.stack([a, b]), "Shapes of all inputs must match"),
            refusal(lambda: tf.stack([a, a], axis=3), "Argument `axis` = 3 not in range"),
            refusal(lambda: tf.stack([1, "a"]), ""),
            refusal(lambda: tf.unstack(a, num=4), ""),
            refusal(lambda: tf.unstack(a, axis=2), "Argument `axis` = 2 not in range|not in"),
            refusal(lambda: tf.split(a, 2, 1), "Number of ways to split|evenly"),
            refusal(lambda: tf.split(a, [1, 3], 1), ""),
            refusal(lambda: tf.split(a, [-1, -1], 1), ""),
            refusal(lambda: tf.split(a, 0), ""),
            refusal(lambda: tf.split(a, 1, axis=5), ""),
            refusal(lambda: tf.pad(a, [[1, 1]]), ""),
            refusal(lambda: tf.pad(a, [[-1, 0], [0, 0]]), "must be non-negative"),
            refusal(lambda: tf.pad(a, [[2, 0], [0, 0]], "REFLECT"), ""),
            refusal(lambda: tf.pad(a, [[1, 0], [0, 0]], "other"), "Unknown padding mode"),
            refusal(lambda: tf.tile(a, [1]), ""),
            refusal(lambda: tf.tile(a, [-1, 1]), ""),
            refusal(lambda: tf.repeat(a, [1, 2], axis=1), ""),
            refusal(lambda: tf.reverse(a, [0, -2]), "axis 0 specified more than once"),
            refusal(lambda: tf.reverse(a, [3]), "is out of"),
            refusal(lambda: tf.roll(a, 1, 7), ""),
        ]

    def shapes() -> Any:
        return [
            static(tf, lambda x, y: tf.concat([x, y], 0), [2, None], [3, 4]),
            static(tf, lambda x, y: tf.concat([x, y], 0), None, [3, 4]),
            static(tf, lambda x, y: tf.concat([x, y], 1), [None, 3], [None, None]),
            static(tf, lambda x: tf.stack([x, x], -1), [2, None]),
            static(tf, lambda x: tf.split(x, [1, -1, 2], 1), [None, 7]),
            static(tf, lambda x: tf.split(x, 2, 0), [None, 7]),
            static(tf, lambda x: tf.pad(x, [[1, 2], [0, 3]]), [None, 4]),
            static(tf, lambda x: tf.tile(x, [2, 3]), [None, 4]),
            static(tf, lambda x, p: tf.pad(x, p), [1, 4], [2, 2], dtype=tf.int32),
            static(tf, lambda x, p: tf.tile(x, p), [1, 4], [2], dtype=tf.int32),
            static(tf, lambda x: tf.repeat(x, 3, axis=1), [None, 4]),
            static(tf, lambda x: tf.expand_dims(x, -1), None),
            static(tf, lambda x: tf.squeeze(x), [1, None, 3]),
            static(tf, lambda x: tf.squeeze(x, [0]), [1, None, 3]),
        ]

    def unknown_unstack() -> Any:
        with tf.Graph().as_default():
            p = tf.compat.v1.placeholder(tf.float32, [None, 2])
            return [
                refusal(lambda: tf.unstack(p), "Cannot infer argument `num` from shape"),
                refusal(lambda: tf.unstack(tf.compat.v1.placeholder(tf.float32)), "infer"),
                refusal(lambda: tf.split(p, tf.compat.v1.placeholder(tf.int32)), "infer"),
            ]

    def gradients() -> Any:
        def build() -> Any:
            x = counted(tf, 2, 3)
            k = tf.reshape(tf.range(1.0, 13.0), [2, 6])
            found = [
                tf.concat([x, x * x], 1) * k,
                tf.stack([x, x * x], 1) * tf.reshape(k, [2, 2, 3]),
                tf.pad(x * x, [[0, 0], [1, 2]]) * k,
                tf.pad(x * x, [[0, 0], [1, 2]], "REFLECT") * k,
                tf.pad(x * x, [[0, 0], [2, 1]], "SYMMETRIC") * k,
                tf.tile(x * x, [1, 2]) * k,
                tf.repeat(x * x, 2, axis=1) * k,
                tf.split(x * x, [1, 2], 1)[1],
                tf.roll(x * x, 1, 0) * x,
            ]
            return [tf.gradients(f, x)[0] for f in found]

        return in_session(tf, build)

    return {
        "joined": lambda: everywhere(tf, put_together),
        "joined refused": refused,
        "joined shapes": shapes,
        "joined unknown": unknown_unstack,
        "joined gradients": gradients,
    }


def shaped(tf: Any) -> Programs:
    """Shapes, reshaping, broadcasting, casts, constants."""

    def values() -> Any:
        x = counted(tf, 2, 1, 3)
        return [
            tf.shape(x),
            tf.shape(x, out_type=tf.int64),
            tf.size(x),
            tf.rank(x),
            tf.shape_n([x, x[0]]),
            tf.reshape(x, [-1, 2]),
            tf.squeeze(x, -2),
            tf.expand_dims(x, [1]),
            tf.broadcast_to(x, [2, 2, 3]),
            tf.broadcast_dynamic_shape([2, 1], [3]),
            tf.transpose(x, [2, 0, 1]),
            tf.transpose(tf.complex(x, x), conjugate=True),
            tf.linalg.matrix_transpose(x),
            tf.ones_like(x, dtype=tf.int32),
            tf.zeros_like(["a", "b"]),
            tf.fill([2], "x"),
            tf.eye(2, 3, batch_shape=[2]),
            tf.one_hot([0, 3, -1], 3, on_value=5, off_value=2, axis=0),
            tf.one_hot([[1]], 2, dtype=tf.bool, on_value=True, off_value=False),
            tf.sequence_mask([1, 0, 3], 4),
            tf.meshgrid([1, 2], [3, 4, 5], indexing="ij"),
            tf.linspace(1.0, 2.0, 3),
            tf.range(5, 1, -2),
            tf.range(1, 2, 0.25),
            tf.bitcast(tf.constant([1.0, -2.0]), tf.int32),
            tf.bitcast(tf.constant([[1, 2], [3, 4]], tf.uint8), tf.uint16),
            tf.where([[True, False], [False, True]]),
            tf.where([True, False], [1, 2], [[3, 4], [5, 6]]),
            tf.unravel_index([7, 3], [3, 4]),
            tf.searchsorted([1, 3, 5], [3, 6], side="right"),
            tf.sort([3, 1, 2], direction="DESCENDING"),
            tf.argsort([3, 1, 2]),
        ]

    def refused() -> Any:
        x = tf.ones([2, 3])
        return [
            refusal(lambda: tf.reshape(x, [4, -1]), ""),
            refusal(lambda: tf.reshape(x, [-1, -1]), ""),
            refusal(
                lambda: tf.reshape(x, [5]),
                "Cannot reshape a tensor with 6 elements|Input to reshape",
            ),
            refusal(lambda: tf.reshape(x, [[6]]), ""),
            refusal(lambda: tf.squeeze(x, 0), "Can not squeeze dim"),
            refusal(lambda: tf.squeeze(x, 4), ""),
            refusal(lambda: tf.expand_dims(x, 5), ""),
            refusal(lambda: tf.broadcast_to(x, [3, 3]), "ncompatible shapes"),
            refusal(lambda: tf.broadcast_to(x, [3]), ""),
            refusal(
                lambda: tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3])), ""
            ),
            refusal(lambda: tf.transpose(x, [0, 0]), ""),
            refusal(lambda: tf.transpose(x, [0, 2]), ""),
            refusal(lambda: tf.transpose(x, [0]), ""),
            refusal(lambda: tf.fill([-1], 2), ""),
            refusal(lambda: tf.fill([[2]], 2), ""),
            refusal(lambda: tf.one_hot([1], 2, on_value=1, off_value=0.5), "does not match"),
            refusal(lambda: tf.one_hot([1], 2, on_value=1.0, dtype=tf.int32), "does not match"),
            refusal(lambda: tf.one_hot([1.5], 2), ""),
            refusal(lambda: tf.sequence_mask([[1]], tf.constant([3])), "maxlen must be scalar"),
            refusal(lambda: tf.range(1, 5, 0), "Requires delta != 0"),
            refusal(lambda: tf.range(5, 1), "Requires start <= limit|start"),
            refusal(lambda: tf.linspace(0.0, 1.0, 0), ""),
            refusal(lambda: tf.linspace([1.0], [1.0, 2.0, 3.0], [2]), ""),
            refusal(lambda: tf.bitcast(tf.constant([1.0, 2.0, 3.0]), tf.float64), ""),
            refusal(lambda: tf.cast("a", tf.float32), ""),
            refusal(lambda: tf.where([True], [1]), "both be non-None or both be None"),
            refusal(lambda: tf.where([True, False, True], [1, 2], [3, 4]), ""),
            refusal(lambda: tf.constant([1, 2], shape=[3]), ""),
            refusal(lambda: tf.constant([[1, 2], [3]]), "non-rectangular"),
            refusal(lambda: tf.constant([1, None]), ""),
            refusal(lambda: tf.constant(300, tf.uint8), ""),
            refusal(lambda: tf.constant(1.5, tf.int32), ""),
            refusal(lambda: tf.constant("a", tf.int32), ""),
            refusal(lambda: tf.constant(2**63), ""),
            refusal(lambda: tf.zeros([2, -3]), ""),
            refusal(lambda: tf.zeros(2.5), ""),
            refusal(lambda: tf.eye(-1), ""),
            refusal(lambda: tf.unravel_index(12, [3, 4]), ""),
            refusal(lambda: tf.ensure_shape(x, [3, 3]), "is not compatible with expected shape"),
            refusal(lambda: x.set_shape([3, 3]), "not compatible"),
            refusal(lambda: tf.sort(x, direction="up"), ""),
            refusal(lambda: tf.sort(x, axis=5), ""),
            refusal(lambda: tf.searchsorted([[1, 2]], [1]), ""),
        ]

    def casts() -> Any:
        given = [-1.5, 0.0, 2.5, 100.7]
        return [
            tf.cast(given, d)
            for d in ("float16", "bfloat16", "int8", "int64", "bool", "complex64", "float64")
        ] + [
            tf.cast([True, False], tf.float16),
            tf.cast([1 + 2j], tf.float32),
            tf.saturate_cast([-5.0, 300.0], tf.uint8),
            tf.cast(tf.constant([1, 200, -3], tf.int32), tf.int8),
            tf.cast([3], tf.uint8),
        ]

    def static_shapes() -> Any:
        return [
            static(tf, lambda x: tf.reshape(x, [-1, 3]), [None, 3]),
            static(tf, lambda x: tf.reshape(x, [tf.shape(x)[0], -1]), [None, 2, 3]),
            static(tf, lambda x, s: tf.reshape(x, s), [6], [2], dtype=tf.int32),
            static(tf, lambda x: tf.transpose(x), None),
            static(tf, lambda x: tf.transpose(x, [1, 0]), [None, 3]),
            static(tf, lambda x: tf.zeros(tf.shape(x)), [None, 3]),
            static(tf, lambda x: tf.fill(tf.stack([tf.shape(x)[0], 4]), 0.0), [None, 3]),
            static(tf, lambda x: tf.one_hot(x, 4, axis=1), [2, None], dtype=tf.int32),
            static(tf, lambda x, y: x + y, [None, 1], [4]),
            static(
                tf, lambda x, y: tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y)), [2], [3, 1]
            ),
            static(tf, lambda x: tf.where(x > 0), [2, None]),
            static(tf, lambda x, y: tf.where(x > 0, x, y), [2, None], [2, 3]),
            static(tf, lambda x: tf.linalg.diag(x), [2, None]),
            static(tf, lambda x: tf.range(x), [], dtype=tf.int32),
            static(tf, lambda x: tf.sequence_mask(x, 5), [None], dtype=tf.int32),
        ]

    return {
        "shaped": lambda: everywhere(tf, values),
        "shaped refused": refused,
        "casts": lambda: everywhere(tf, casts),
        "static shapes": static_shapes,
    }


def others(tf: Any) -> Programs:
    """Space and batch, uniques, edit distance, reverse_sequence, identities."""
    v1 = tf.compat.v1

    def values() -> Any:
        x = counted(tf, 1, 4, 4, 1)
        return [
            tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]])[:, 0, 0, 0],
            tf.batch_to_space(tf.reshape(x, [4, 2, 2, 1]), [2, 2], [[0, 1], [1, 0]])[0, :, :, 0],
            v1.space_to_batch(x, [[0, 0], [0, 0]], block_size=2)[:, 1, 1, 0],
            v1.batch_to_space(tf.reshape(x, [4, 2, 2, 1]), [[0, 0], [0, 0]], block_size=2)[0, 0],
            tf.nn.space_to_depth(x, 2)[0, 1],
            tf.nn.depth_to_space(tf.reshape(x, [1, 2, 2, 4]), 2)[0, 1],
            tf.unique([3, 1, 3, 2]),
            tf.unique_with_counts(["a", "b", "a"], out_idx=tf.int64),
            v1.setdiff1d([1, 2, 3, 4], [2, 4]),
            tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1),
            tf.edit_distance(
                tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2]),
                tf.SparseTensor([[0, 0]], ["b"], [1, 1]),
            ),
            tf.identity_n([tf.constant(1), tf.constant([2.0])]),
            tf.guarantee_const(tf.constant(5)),
            tf.required_space_to_batch_paddings([3, 5], [2, 2]),
            tf.dynamic_partition([1, 2, 3, 4], [1, 0, 1, 0], 2),
            tf.dynamic_stitch([[0, 2], [1]], [[[1, 2], [3, 4]], [[5, 6]]]),
            tf.quantization.quantize_and_dequantize_v2([0.3, -1.2], -1.0, 1.0, range_given=True),
            tf.quantization.fake_quant_with_min_max_args([-7.0, 0.31, 9.0]),
            tf.linalg.band_part(tf.ones([3, 3]), 0, 1),
        ]

    def refused() -> Any:
        x = tf.ones([1, 4, 4, 1])
        return [
            refusal(lambda: tf.space_to_batch(x, [3, 3], [[0, 0], [0, 0]]), "divisible"),
            refusal(lambda: tf.space_to_batch(x, [0, 2], [[0, 0], [0, 0]]), ""),
            refusal(lambda: tf.space_to_batch(x, [2, 2], [[0, -2], [0, 0]]), ""),
            refusal(lambda: tf.batch_to_space(x, [2, 2], [[0, 0], [0, 0]]), "divisible"),
            refusal(lambda: tf.nn.space_to_depth(x, 3), ""),
            refusal(lambda: tf.nn.space_to_depth(x, 1), ""),
            refusal(lambda: tf.nn.depth_to_space(x, 2), ""),
            refusal(lambda: tf.nn.depth_to_space(tf.ones([2, 3, 4]), 2), ""),
            refusal(lambda: tf.unique([[1, 2]]), ""),
            refusal(lambda: tf.reverse_sequence([[1, 2]], [3], seq_axis=1), ""),
            refusal(lambda: tf.reverse_sequence([[1, 2]], [1, 1], seq_axis=1), ""),
            refusal(lambda: tf.reverse_sequence([[1, 2]], [1], seq_axis=0), ""),
            refusal(
                lambda: tf.dynamic_partition([1, 2], [0, 3], 2), r"partitions\[1\] = 3 is not in"
            ),
            refusal(lambda: tf.dynamic_partition([1, 2], [0], 2), ""),
            refusal(lambda: tf.dynamic_stitch([[0, 1]], [[1]]), ""),
            refusal(lambda: tf.edit_distance(1, 2), ""),
            refusal(lambda: tf.identity_n([]), ""),
            refusal(
                lambda: tf.quantization.quantize_and_dequantize_v2(
                    [1.0], 2.0, 1.0, range_given=True
                ),
                "",
            ),
        ]

    return {"other arrays": lambda: everywhere(tf, values), "other arrays refused": refused}


def raw(tf: Any) -> Programs:
    """Generated functions that tests call by themselves."""

    def of_arrays() -> Any:
        g = internal("ops.gen_array_ops")
        x = counted(tf, 3, 3)
        return [
            g.gather(x, [1]),
            g.gather_v2(x, [1], 1),
            g.matrix_diag([1.0, 2.0]),
            g.matrix_diag_part(x),
            g.matrix_set_diag(x, [7.0, 8.0, 9.0]),
            g.reverse_v2(x, [0]),
            g.pad(x, [[1, 0], [0, 0]]),
            g.pad_v2(x, [[1, 0], [0, 0]], 5.0),
            g.mirror_pad(x, [[1, 0], [0, 1]], "REFLECT"),
            g.mirror_pad_grad(x, [[1, 0], [0, 1]], "REFLECT"),
            g.broadcast_args([2, 1], [3]),
            g.broadcast_gradient_args([2, 1, 3], [4, 1]),
            g.invert_permutation([2, 0, 1]),
            g.concat_v2([x, x], 0)[3],
            g.shape_n([x, x[0]]),
            g.conjugate_transpose(tf.complex(x, x), [1, 0]),
            g.tensor_scatter_update(x, [[1]], [[0.0, 0.0, 0.0]]),
            g.scatter_nd_non_aliasing_add(x, [[1]], [[1.0, 1.0, 1.0]]),
            g.prevent_gradient(x[0]),
            g.check_numerics_v2(x[0], message="m"),
            g.deep_copy(x[0]),
            g.split_v(x, [1, 2], 0, 2)[0],
            g.unpack(x, 3)[1],
            g.list_diff([1, 2, 3], [2]),
            g.lower_bound([[1, 2, 3]], [[2]]),
            g.upper_bound([[1, 2, 3]], [[2]]),
            g.empty([2], tf.float32, init=True),
            g.space_to_batch(tf.ones([1, 2, 2, 1]), [[0, 0], [0, 0]], 2)[:, 0, 0],
            g.batch_to_space(tf.ones([4, 1, 1, 1]), [[0, 0], [0, 0]], 2)[0, :, :, 0],
            g.parallel_concat([[[1, 2]], [[3, 4]]], [2, 2]),
            g.guarantee_const(x[0]),
            g.edit_distance([[0, 0]], ["a"], [1, 1], [[0, 0]], ["b"], [1, 1]),
        ]

    def inplace() -> Any:
        g, i = internal("ops.gen_array_ops"), internal("ops.inplace_ops")
        x = counted(tf, 3, 2)
        return [
            i.alias_inplace_update(x + 0.0, [1], [[9.0, 8.0]]),
            i.alias_inplace_add(x + 0.0, [1, 1], [[9.0, 8.0], [1.0, 1.0]]),
            i.alias_inplace_sub(x + 0.0, [0], [[1.0, 1.0]]),
            i.inplace_update(x, 1, [5.0, 5.0]),
            i.empty_like(x, init=True),
            g.inplace_update(x + 0.0, [2], [[0.0, 0.0]]),
            g.inplace_sub(x + 0.0, [2], [[1.0, 0.0]]),
        ]

    def fingerprints() -> Any:
        f = internal("ops.array_ops").fingerprint
        return f(["abc", "defgh"]), f(tf.constant([[1, 2], [3, 4]]))

    return {
        "raw arrays": of_arrays,
        "inplace": inplace,
        "fingerprint": fingerprints,
    }
