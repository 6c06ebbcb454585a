"""Test cases as TensorFlow writes them: loops, branches and folds with gradients, functional operations, arrays of tensors."""

# mypy: disable-error-code="no-any-return, misc, no-untyped-call, func-returns-value"
from __future__ import annotations

from typing import Any

from unit_programs.common import internal


def case(tf: Any) -> Any:
    """The test case."""
    ops, util, errors = (
        internal("framework.ops"),
        internal("framework.test_util"),
        internal("framework.errors_impl"),
    )
    dtypes, constant_op, array_ops = (
        internal("framework.dtypes"),
        internal("framework.constant_op"),
        internal("ops.array_ops"),
    )
    math_ops, loop, cond, grads = (
        internal("ops.math_ops"),
        internal("ops.while_loop"),
        internal("ops.cond"),
        internal("ops.gradients_impl"),
    )
    functional, function, map_fn = (
        internal("ops.functional_ops"),
        internal("framework.function"),
        internal("ops.map_fn"),
    )
    ta, resource, def_function = (
        internal("ops.tensor_array_ops"),
        internal("ops.resource_variable_ops"),
        internal("eager.polymorphic_function.polymorphic_function"),
    )
    backprop = internal("eager.backprop")
    control, sparse, sliced = (
        internal("ops.control_flow_ops"),
        internal("framework.sparse_tensor"),
        internal("framework.indexed_slices"),
    )
    cond_v2, while_v2 = internal("ops.cond_v2"), internal("ops.while_v2")

    class Loops(tf.test.TestCase):
        @util.run_deprecated_v1
        def test_stopped_gradients_in_loops(self) -> None:
            x, y = constant_op.constant(3.0), constant_op.constant(2.0)
            r = loop.while_loop(
                lambda x, y: math_ops.less(x, 100.0),
                lambda x, y: [math_ops.square(x), array_ops.stop_gradient(y * x)],
                [x, y],
            )
            with self.cached_session():
                self.assertAllClose(self.evaluate(grads.gradients(r[0], x)[0]), 3.0**7 * 8)

        @util.run_deprecated_v1
        def test_loop_around_branch(self) -> None:
            x = constant_op.constant(1.0)

            def body(i: Any, s: Any) -> Any:
                return i + 1, cond.cond(math_ops.equal(i % 2, 0), lambda: s * 3.0, lambda: s + 1.0)

            r = loop.while_loop(lambda i, s: i < 4, body, [constant_op.constant(0), x])[1]
            with self.cached_session():
                self.assertAllClose(self.evaluate([r, grads.gradients(r, x)[0]]), [13.0, 9.0])

        @util.run_deprecated_v1
        def test_branch_around_loop(self) -> None:
            x = constant_op.constant(2.0)
            p = array_ops.placeholder_with_default(True, [])
            r = cond.cond(
                p, lambda: loop.while_loop(lambda v: v < 30.0, lambda v: v * v, [x]), lambda: x
            )
            with self.cached_session():
                self.assertAllClose(self.evaluate([r, grads.gradients(r, x)[0]]), [256.0, 1024.0])

        @util.run_deprecated_v1
        def test_loop_of_composites(self) -> None:
            s = sparse.SparseTensor([[0], [3]], constant_op.constant([1.0, 2.0]), [4])
            _, r = loop.while_loop(
                lambda i, s: i < 2,
                lambda i, s: (i + 1, sparse.SparseTensor(s.indices, s.values * 2.0, s.dense_shape)),
                [constant_op.constant(0), s],
            )
            d = sliced.IndexedSlices(
                constant_op.constant([1.0]), constant_op.constant([2]), constant_op.constant([4])
            )
            _, e = loop.while_loop(
                lambda i, d: i < 2,
                lambda i, d: (
                    i + 1,
                    sliced.IndexedSlices(d.values + 1.0, d.indices, d.dense_shape),
                ),
                [constant_op.constant(0), d],
            )
            with self.cached_session():
                self.assertAllEqual(self.evaluate(r.values), [4.0, 8.0])
                self.assertAllEqual(self.evaluate(e.values), [3.0])

        @util.run_deprecated_v1
        def test_loop_with_wrong_returns(self) -> None:
            with self.assertRaises(ValueError):
                loop.while_loop(
                    lambda i, j: i < 3,
                    lambda i, j: i + 1,
                    [constant_op.constant(0), constant_op.constant(0)],
                )
            with self.assertRaises((TypeError, ValueError)):
                loop.while_loop(
                    lambda i: i < 3,
                    lambda i: math_ops.cast(i, dtypes.float32),
                    [constant_op.constant(0)],
                )

        @util.run_deprecated_v1
        def test_second_gradient_of_loop(self) -> None:
            x = constant_op.constant(2.0)
            r = loop.while_loop(
                lambda i, s: i < 2, lambda i, s: (i + 1, s * s), [constant_op.constant(0), x]
            )[1]
            first = grads.gradients(r, x)[0]
            with self.cached_session():
                self.assertAllClose(
                    self.evaluate([first, grads.gradients(first, x)[0]]), [32.0, 48.0]
                )

        @util.run_deprecated_v1
        def test_branch_not_taken_not_run(self) -> None:
            p = array_ops.placeholder_with_default(True, [])
            v = resource.ResourceVariable(1.0)
            r = cond.cond(p, lambda: v.assign(5.0), lambda: v.assign_add(100.0))
            with self.cached_session():
                self.evaluate(v.initializer)
                self.assertEqual(self.evaluate(r), 5.0)
                self.assertEqual(self.evaluate(v), 5.0)

        @util.run_deprecated_v1
        def test_versions_of_branches(self) -> None:
            p, x = array_ops.placeholder_with_default(True, []), constant_op.constant(3.0)
            y = cond_v2.cond_v2(p, lambda: x * 2.0, lambda: x, name="two")
            z = while_v2.while_loop(lambda v: v < 10.0, lambda v: v * 2.0, [x])
            with self.cached_session():
                self.assertEqual(
                    self.evaluate([y, z[0] if isinstance(z, list) else z]), [6.0, 12.0]
                )
                self.assertEqual(self.evaluate(grads.gradients(y, x)[0]), 2.0)

        @util.run_deprecated_v1
        def test_functional_operations(self) -> None:
            @function.Defun(dtypes.float32)
            def twice(x: Any) -> Any:
                return x * 2.0

            @function.Defun(dtypes.float32)
            def less(x: Any) -> Any:
                return x < 10.0

            @function.Defun(dtypes.int32, dtypes.float32)
            def add(i: Any, x: Any) -> Any:
                return math_ops.cast(i, dtypes.float32) + x

            x = constant_op.constant(3.0)
            with self.cached_session():
                self.assertAllEqual(
                    self.evaluate(functional.If(x < 5.0, [x], twice, twice)[0]), 6.0
                )
                self.assertAllEqual(self.evaluate(functional.While([x], less, twice)[0]), 12.0)
                self.assertAllEqual(self.evaluate(functional.For(0, 4, 1, [x], add)[0]), 9.0)

        @util.run_in_graph_and_eager_modes
        def test_folds_of_structures(self) -> None:
            a, b = constant_op.constant([1.0, 2.0, 3.0]), constant_op.constant([10.0, 20.0, 30.0])
            found = functional.scan(lambda s, e: (s[0] + e[0], s[1] * e[1]), (a, b))
            self.assertAllEqual(self.evaluate(found[1]), [10, 200, 6000])
            self.assertAllEqual(
                self.evaluate(
                    functional.foldl(lambda s, e: s + e[0] * e[1], (a, b), initializer=0.0)
                ),
                140,
            )
            self.assertAllEqual(
                self.evaluate(map_fn.map_fn(lambda e: e[0] - e[1], (a, b), dtype=dtypes.float32)),
                [-9, -18, -27],
            )
            self.assertAllEqual(
                self.evaluate(functional.scan(lambda s, e: s + e, a, reverse=True)), [6, 5, 3]
            )
            found = map_fn.map_fn(lambda e: (e, -e), a, dtype=(dtypes.float32, dtypes.float32))
            self.assertAllEqual(self.evaluate(found[1]), [-1, -2, -3])

        @util.run_deprecated_v1
        def test_array_gradients(self) -> None:
            x = constant_op.constant([1.0, 2.0])
            w = ta.TensorArray(dtypes.float32, 2, clear_after_read=False).unstack(x)
            y = w.read(0) * w.read(1) + w.read(0)
            with self.cached_session():
                self.assertAllEqual(self.evaluate(grads.gradients(y, x)[0]), [3.0, 1.0])

        @util.run_in_graph_and_eager_modes
        def test_arrays_of_arrays(self) -> None:
            w = ta.TensorArray(dtypes.float32, 3, infer_shape=False)
            w = w.write(0, [1.0]).write(1, [2.0, 3.0]).write(2, [4.0])
            self.assertAllEqual(self.evaluate(w.concat()), [1, 2, 3, 4])
            self.assertAllEqual(self.evaluate(w.size()), 3)
            with self.assertRaises((ValueError, errors.InvalidArgumentError, errors.OpError)):
                self.evaluate(w.stack())

        def test_loops_in_functions(self) -> None:
            @def_function.function
            def f(x: Any) -> Any:
                with backprop.GradientTape() as tape:
                    tape.watch(x)
                    y = x
                    for _ in math_ops.range(3):
                        y = y * x
                return tape.gradient(y, x)

            self.assertAllClose(self.evaluate(f(constant_op.constant(2.0))), 32.0)

        def test_loops_over_iterables(self) -> None:
            @def_function.function
            def f(x: Any) -> Any:
                total = constant_op.constant(0.0)
                for row in x:
                    if math_ops.reduce_sum(row) > 3.0:
                        total += math_ops.reduce_sum(row)
                return total

            self.assertAllClose(
                self.evaluate(f(constant_op.constant([[1.0, 1.0], [2.0, 3.0]]))), 5.0
            )

        @util.run_deprecated_v1
        def test_loops_with_dependencies(self) -> None:
            v = resource.ResourceVariable(0)

            def body(i: Any) -> Any:
                with ops.control_dependencies([v.assign_add(2)]):
                    return i + 1

            r = loop.while_loop(lambda i: i < 3, body, [constant_op.constant(0)])
            with self.cached_session():
                self.evaluate(v.initializer)
                self.evaluate(r)
                self.assertEqual(self.evaluate(v), 6)

        @util.run_deprecated_v1
        def test_dependencies_of_groups(self) -> None:
            v = resource.ResourceVariable(1.0)
            step = control.group(v.assign_add(1.0), name="step")
            with ops.control_dependencies([step]):
                after = v.read_value()
            self.assertEqual((step.name, step.type), ("step", "NoOp"))
            with self.cached_session():
                self.evaluate(v.initializer)
                self.assertEqual(self.evaluate(after), 2.0)

    return Loops
