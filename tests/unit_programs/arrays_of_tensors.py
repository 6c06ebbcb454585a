"""Arrays of tensors: what is read twice, written twice, gathered, scattered, split, and gradients through them."""

# mypy: disable-error-code="no-any-return, misc, func-returns-value"
from __future__ import annotations

from typing import Any

from unit_programs.common import Programs, everywhere, in_session, internal, named, refusal


def programs(tf: Any) -> Programs:
    return values(tf) | refused(tf) | gradients(tf) | shapes(tf) | loops(tf)


def values(tf: Any) -> Programs:
    """What is written is read."""
    arrays = internal("ops.tensor_array_ops")

    def array_written_and_read() -> Any:
        def build() -> Any:
            ta = arrays.TensorArray(tf.float32, size=3, tensor_array_name="foo")
            w = ta.write(0, [[4.0, 5.0]]).write(1, [[1.0, 3.0]]).write(2, [[7.0, -8.5]])
            return w.read(0), w.read(1), w.read(2), w.size()

        return everywhere(tf, build)

    def array_packed() -> Any:
        def build() -> Any:
            ta = tf.TensorArray(tf.int64, size=3)
            w = ta.write(0, [[4, 5]]).write(1, [[6, 7]]).write(2, [[8, 9]])
            return w.stack(), w.gather([2, 0])

        return everywhere(tf, build)

    def array_joined() -> Any:
        def build() -> Any:
            ta = tf.TensorArray(tf.float32, size=3, infer_shape=False)
            w = ta.write(0, [[4.0, 5.0], [6.0, 7.0]]).write(1, [[1.0, 3.0]])
            return w.write(2, [[8.0, 9.0], [0.0, 1.0]]).concat()

        return everywhere(tf, build)

    def array_split() -> Any:
        def build() -> Any:
            ta = tf.TensorArray(tf.float32, size=3, infer_shape=False)
            w = ta.split([[1.0, 101.0], [2.0, 201.0], [3.0, 301.0]], [1, 0, 2])
            return w.read(0), w.read(1), w.read(2)

        return everywhere(tf, build)

    def array_unstacked() -> Any:
        def build() -> Any:
            w = tf.TensorArray(tf.string, size=0, dynamic_size=True).unstack(["a", "b", "c"])
            return w.size(), w.read(2), w.stack()

        return everywhere(tf, build)

    def array_scattered() -> Any:
        def build() -> Any:
            ta = tf.TensorArray(tf.float32, size=4, infer_shape=False)
            w = ta.scatter([1, 3], [[1.0, -1.0], [10.0, -10.0]])
            return w.read(1), w.read(3)

        return everywhere(tf, build)

    def array_grows() -> Any:
        def build() -> Any:
            ta = tf.TensorArray(tf.int32, size=1, dynamic_size=True)
            w = ta.write(4, [7]).write(1, [2])
            return w.size(), w.stack()

        return everywhere(tf, build)

    def array_of_nothing_written() -> Any:
        def build() -> Any:
            ta = tf.TensorArray(tf.float32, size=3, element_shape=[2])
            return ta.write(1, [1.0, 2.0]).stack(), ta.write(2, [3.0, 4.0]).read(0)

        return everywhere(tf, build)

    def array_of_size_zero() -> Any:
        def build() -> Any:
            ta = tf.TensorArray(tf.float32, size=0, element_shape=[None, 2])
            return ta.size(), tf.TensorArray(tf.float32, size=0, element_shape=[3]).stack()

        return everywhere(tf, build)

    def array_kept_after_read() -> Any:
        def build() -> Any:
            ta = tf.TensorArray(tf.float32, size=2, clear_after_read=False)
            w = ta.unstack([[1.0], [2.0]])
            return w.read(0), w.read(0), w.write(0, [5.0]).read(0)

        return everywhere(tf, build)

    def array_of_complex() -> Any:
        return everywhere(tf, lambda: tf.TensorArray(tf.complex64, 2).unstack([1j, 2.0]).stack())

    def array_of_truths() -> Any:
        return everywhere(tf, lambda: tf.TensorArray(tf.bool, 2).unstack([True, False]).read(1))

    def array_identity() -> Any:
        def build() -> Any:
            ta = tf.TensorArray(tf.float32, size=2, infer_shape=False)
            w = ta.write(0, 0.0).write(1, 1.0).identity()
            return w.read(0), w.read(1), w.size()

        return everywhere(tf, build)

    def array_graph_mode() -> Any:
        def build() -> Any:
            ta = tf.TensorArray(tf.float32, 3)
            return ta.dtype.name, ta.element_shape.rank

        def inside() -> Any:
            with tf.Graph().as_default():
                return build()

        return None, inside()

    def array_in_eager_is_its_class() -> Any:
        ta = tf.TensorArray(tf.float32, 3)
        other = arrays.TensorArray(tf.float32, 3)
        return (
            type(ta) is tf.TensorArray,
            type(other).__name__,
            callable(arrays.build_ta_with_new_flow),
        )

    return named(
        array_written_and_read, array_packed, array_joined, array_split, array_unstacked,
        array_scattered, array_grows, array_of_nothing_written, array_of_size_zero, array_kept_after_read,
        array_of_complex, array_of_truths, array_identity, array_graph_mode, array_in_eager_is_its_class,
    )  # fmt: skip


def refused(tf: Any) -> Programs:
    """What an array of tensors does not do, and what it says."""

    def array_index_refused() -> Any:
        def reading(index: Any) -> Any:
            ta = tf.TensorArray(tf.float32, 3, element_shape=[])
            return lambda: ta.write(0, 1.0).read(index)

        return [
            refusal(reading(3), r"Tried to read from index 3 but array size is: 3"),
            refusal(reading(-1), ""),
            refusal(
                lambda: tf.TensorArray(tf.float32, 3).write(3, 3.0),
                "Tried to write to index 3 but array is not resizeable and size is: 3",
            ),
            refusal(lambda: tf.TensorArray(tf.float32, 3).write(-1, 3.0), "negative indices"),
        ]

    def array_index_refused_in_graphs() -> Any:
        def read() -> Any:
            return tf.TensorArray(tf.float32, 3, element_shape=[]).write(0, 1.0).read(3)

        def write() -> Any:
            return tf.TensorArray(tf.float32, 3).write(3, 3.0).flow

        return [
            [refusal(lambda b=b: in_session(tf, b)), refusal(lambda b=b: tf.function(b)())]
            for b in (read, write)
        ]

    def array_dtype_refused() -> Any:
        def write() -> Any:
            return tf.TensorArray(tf.float32, 3).write(0, tf.constant("x")).flow

        def written_integer() -> Any:
            return tf.TensorArray(tf.float32, 3).write(0, tf.constant(3)).flow

        return [
            [refusal(b), refusal(lambda b=b: tf.function(b)())] for b in (write, written_integer)
        ]

    def array_shape_refused() -> Any:
        def build() -> Any:
            return tf.TensorArray(tf.float32, 2).write(0, [1.0, 2.0]).write(1, [3.0]).stack()

        def stated() -> Any:
            return tf.TensorArray(tf.float32, 2, element_shape=[3]).write(0, [1.0, 2.0]).stack()

        return [
            [refusal(b, "ncompatible shape|nconsistent"), refusal(lambda b=b: tf.function(b)())]
            for b in (build, stated)
        ]

    def array_split_refused() -> Any:
        ta = tf.TensorArray(tf.float32, 3, infer_shape=False)
        return [
            refusal(lambda: ta.split([1.0, 2.0, 3.0], 1), r"Expected lengths to be a vector"),
            refusal(lambda: ta.split([1.0, 2.0, 3.0], [1, 2, 3]), "sum of lengths"),
            refusal(lambda: ta.split(1.0, [1]), "Expected value to be at least a vector"),
            refusal(lambda: ta.split([1.0], [1]), "Cannot split|size is 3|must match"),
        ]

    def array_scatter_refused() -> Any:
        ta = tf.TensorArray(tf.float32, 2)
        return [
            refusal(lambda: ta.scatter([0, 5], [1.0, 2.0]), ""),
            refusal(lambda: ta.unstack([1.0, 2.0, 3.0]), ""),
            refusal(lambda: ta.unstack(1.0), ""),
        ]

    def array_arguments_refused() -> Any:
        return [
            refusal(lambda: tf.TensorArray(tf.float32, handle="h", size=3), "handle"),
            refusal(lambda: tf.TensorArray(tf.float32, handle="h", element_shape=[3]), ""),
            refusal(lambda: tf.TensorArray(tf.float32, 3, clear_after_read=3), ""),
            refusal(lambda: tf.TensorArray(tf.float32), ""),
        ]

    def array_read_twice() -> Any:
        def build() -> Any:
            w = tf.TensorArray(tf.float32, 2, clear_after_read=True).unstack([1.0, 2.0])
            first = w.read(0)
            with tf.control_dependencies([first]):
                return w.read(0)

        return refusal(build), refusal(tf.function(build))

    def array_concat_refused() -> Any:
        def build() -> Any:
            ta = tf.TensorArray(tf.float32, 3, infer_shape=False)
            return ta.write(0, [3.0]).write(1, [4.0]).write(2, 3.0).concat()

        def mixed() -> Any:
            ta = tf.TensorArray(tf.float32, 2, infer_shape=False)
            return ta.write(0, [[3.0]]).write(1, [[4.0, 2.0]]).concat()

        return [[refusal(b), refusal(tf.function(b))] for b in (build, mixed)]

    return named(
        array_index_refused, array_index_refused_in_graphs, array_dtype_refused, array_shape_refused,
        array_split_refused, array_scatter_refused, array_arguments_refused, array_read_twice,
        array_concat_refused,
    )  # fmt: skip


def gradients(tf: Any) -> Programs:
    """What flows back through arrays of tensors."""

    def of(build: Any, *numbers: Any) -> Any:
        def taped() -> Any:
            xs = [tf.constant(n) for n in numbers]
            with tf.GradientTape() as tape:
                tape.watch(xs)
                y = build(*xs)
            return tape.gradient(y, xs)

        def graph() -> Any:
            xs = [tf.constant(n) for n in numbers]
            return [g for g in tf.compat.v1.gradients(build(*xs), xs) if g is not None]

        return taped(), tf.function(taped)(), in_session(tf, graph)

    def array_gradient_of_reads() -> Any:
        def build(x: Any, y: Any) -> Any:
            w = tf.TensorArray(tf.float32, 3, clear_after_read=False).write(0, x).write(1, y)
            return w.read(0) * w.read(0) + w.read(1) * 3.0

        return of(build, 3.0, 2.0)

    def array_gradient_of_stack() -> Any:
        def build(x: Any, y: Any) -> Any:
            w = tf.TensorArray(tf.float32, 2).write(0, x).write(1, y)
            return w.stack() * [[1.0, 2.0], [3.0, 4.0]]

        return of(build, [1.0, 2.0], [3.0, 4.0])

    def array_gradient_of_unstack() -> Any:
        def build(x: Any) -> Any:
            w = tf.TensorArray(tf.float32, 2).unstack(x)
            return w.read(0) * 2.0

        return of(build, [[1.0, 2.0], [3.0, 4.0]])

    def array_gradient_of_concat() -> Any:
        def build(x: Any, y: Any) -> Any:
            w = tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, x).write(1, y)
            return w.concat() * [1.0, 2.0, 3.0]

        return of(build, [1.0, 2.0], [3.0])

    def array_gradient_of_split() -> Any:
        def build(x: Any) -> Any:
            w = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [2, 1])
            return tf.reduce_sum(w.read(0)) * 5.0 + w.read(1)

        return of(build, [1.0, 2.0, 3.0])

    def array_gradient_of_gather() -> Any:
        def build(x: Any) -> Any:
            w = tf.TensorArray(tf.float32, 3).unstack(x)
            return w.gather([0, 2]) * [2.0, 3.0]

        return of(build, [1.0, 2.0, 3.0])

    def array_gradient_of_scatter() -> Any:
        def build(x: Any) -> Any:
            w = tf.TensorArray(tf.float32, 4, element_shape=[2]).scatter([3, 1], x)
            return w.stack() * 2.0

        return of(build, [[1.0, 2.0], [3.0, 4.0]])

    def array_gradient_in_a_loop() -> Any:
        def build(x: Any, v: Any) -> Any:
            w = tf.TensorArray(tf.float32, 3).unstack(x)

            def body(i: Any, acc: Any) -> Any:
                return i + 1, acc * v + w.read(i)

            return tf.while_loop(lambda i, acc: i < 3, body, [0, v])[1]

        return of(build, [1.0, 2.0, 3.0], 2.0)

    def array_written_in_a_loop() -> Any:
        def build(x: Any) -> Any:
            ta = tf.TensorArray(tf.float32, 0, dynamic_size=True)

            def body(i: Any, w: Any, v: Any) -> Any:
                return i + 1, w.write(i, v), v * x

            return tf.while_loop(lambda i, w, v: i < 3, body, [0, ta, x])[1].stack()

        return of(build, 2.0)

    def array_second_gradient() -> Any:
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.TensorArray(tf.float32, 2).unstack(x**3).stack()
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    def array_of_gradients() -> Any:
        def build() -> Any:
            ta = tf.TensorArray(tf.float32, 2)
            x = tf.constant([1.0, 2.0])
            w = ta.write(0, x).write(1, x)
            return tf.gradients(w.stack(), [x], [[[1.0, 2.0], [3.0, 4.0]]])

        return in_session(tf, build), tf.function(build)()

    return named(
        array_gradient_of_reads, array_gradient_of_stack, array_gradient_of_unstack,
        array_gradient_of_concat, array_gradient_of_split, array_gradient_of_gather,
        array_gradient_of_scatter, array_gradient_in_a_loop, array_written_in_a_loop,
        array_second_gradient, array_of_gradients,
    )  # fmt: skip


def shapes(tf: Any) -> Programs:
    """What is known of the parts before a graph runs."""

    def array_shapes_inferred() -> Any:
        with tf.Graph().as_default():
            c0 = tf.compat.v1.placeholder(tf.float32, [3, 2])
            ta = tf.TensorArray(tf.float32, 3, infer_shape=True).write(0, c0)
            loose = tf.TensorArray(tf.float32, 3, infer_shape=False).write(0, c0)
            unstacked = tf.TensorArray(tf.float32, 0, dynamic_size=True).unstack(c0)
            return [
                ta.element_shape, ta.stack().shape, ta.read(0).shape, loose.element_shape.rank,
                loose.read(0).shape.rank, unstacked.element_shape, ta.concat().shape, ta.gather([1, 0]).shape,
                tf.TensorArray(tf.float32, 3, element_shape=[None, 4]).read(0).shape,
            ]  # fmt: skip

    def array_spec() -> Any:
        spec = tf.TensorArraySpec([2], tf.float32, dynamic_size=True, infer_shape=False)
        other = tf.TensorArraySpec([None], tf.float32, True, False)
        ta = tf.TensorArray(tf.float32, 1, element_shape=[2])
        return [
            repr(spec), spec == tf.TensorArraySpec([2], tf.float32, True, False), spec == other,
            spec.is_compatible_with(other), spec.most_specific_compatible_type(other).__repr__(),
            tf.TensorArraySpec.from_value(ta), tf.type_spec_from_value(ta) == tf.TensorArraySpec([2], tf.float32),
            refusal(lambda: spec.most_specific_compatible_type(tf.TensorArraySpec([2], tf.int32)), ""),
        ]  # fmt: skip

    def array_through_functions() -> Any:
        @tf.function
        def make(v: Any) -> Any:
            return tf.TensorArray(tf.float32, 2).unstack(v).stack() * 2.0

        @tf.function
        def nested() -> Any:
            return make(tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]).stack())

        return nested()

    return named(array_shapes_inferred, array_spec, array_through_functions)


def loops(tf: Any) -> Programs:
    """Arrays as loops and folds of version 1 use them."""
    old = internal("ops.while_loop")

    def array_of_a_loop_in_version_1() -> Any:
        def build() -> Any:
            ta = tf.TensorArray(tf.float32, 4)
            _, out = old.while_loop(
                lambda i, _: i < 4, lambda i, w: (i + 1, w.write(i, tf.cast(i * i, tf.float32))), [0, ta]
            )  # fmt: skip
            return out.stack(), out.gather([3])

        return in_session(tf, build)

    def array_of_two_loops() -> Any:
        @tf.function
        def f(n: Any) -> Any:
            ta = tf.TensorArray(tf.int32, 0, dynamic_size=True)
            for i in tf.range(n):
                for j in tf.range(i):
                    ta = ta.write(ta.size(), i * 10 + j)
            return ta.stack()

        return f(tf.constant(3))

    def array_in_a_branch() -> Any:
        @tf.function
        def f(p: Any) -> Any:
            ta = tf.TensorArray(tf.int32, 2)
            return tf.cond(p, lambda: ta.write(0, 1).write(1, 2), lambda: ta.write(0, 3)).stack()

        return f(tf.constant(True)), f(tf.constant(False))

    def array_size_of_placeholder() -> Any:
        def build() -> Any:
            n = tf.compat.v1.placeholder_with_default(3, [])
            ta = tf.TensorArray(tf.float32, n)
            return ta.size(), tf.shape(ta.unstack(tf.ones([n, 2])).stack())

        return in_session(tf, build)

    return named(
        array_of_a_loop_in_version_1,
        array_of_two_loops,
        array_in_a_branch,
        array_size_of_placeholder,
    )
