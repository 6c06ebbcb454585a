"""Test cases as TensorFlow writes them: control flow."""

# mypy: disable-error-code="no-any-return, misc, no-untyped-call, func-returns-value"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import internal


def case(tf: Any) -> Any:
    """The test case."""
    ops, util, errors = (
        internal("ops.control_flow_ops"),
        internal("framework.test_util"),
        internal("framework.errors_impl"),
    )
    constant_op, math_ops, array_ops = (
        internal("framework.constant_op"),
        internal("ops.math_ops"),
        internal("ops.array_ops"),
    )
    cond, loop, case = (
        internal("ops.cond"),
        internal("ops.while_loop"),
        internal("ops.control_flow_case"),
    )
    switch_case, asserts, framework = (
        internal("ops.control_flow_switch_case"),
        internal("ops.control_flow_assert"),
        internal("framework.ops"),
    )
    map_fn, functional, grads = (
        internal("ops.map_fn"),
        internal("ops.functional_ops"),
        internal("ops.gradients_impl"),
    )
    shapes, variables, dtypes = (
        internal("framework.tensor_shape"),
        internal("ops.variables"),
        internal("framework.dtypes"),
    )
    switch, script = internal("ops.control_flow_util"), internal("ops.script_ops")

    class Flow(tf.test.TestCase):
        @util.run_deprecated_v1
        def test_switch_and_merge(self) -> None:
            p = array_ops.placeholder_with_default(True, [])
            low, high = ops.switch(constant_op.constant(3), p)
            value, index = ops.merge([low * 2, high * 5])
            with self.cached_session():
                self.assertEqual(self.evaluate([value, index]), [15, 1])

        @util.run_in_graph_and_eager_modes
        def test_conditionals(self) -> None:
            x = constant_op.constant(3.0)
            found = cond.cond(x > 2.0, lambda: x * x, lambda: -x)
            self.assertEqual(self.evaluate(found), 9.0)
            with self.assertRaisesRegex(TypeError, "true_fn"):
                cond.cond(x > 2.0, 3, lambda: x)

        @util.run_deprecated_v1
        def test_gradient_of_conditional(self) -> None:
            x = constant_op.constant(3.0)
            p = array_ops.placeholder_with_default(False, [])
            y = cond.cond(p, lambda: x * x, lambda: x * 7.0)
            with self.cached_session():
                self.assertEqual(self.evaluate(grads.gradients(y, [x])[0]), 7.0)

        @util.run_deprecated_v1
        def test_loops(self) -> None:
            i = constant_op.constant(0)
            found = loop.while_loop(
                lambda i: i < 10, lambda i: math_ops.add(i, 1), [i], parallel_iterations=1
            )
            with self.cached_session():
                self.assertEqual(self.evaluate(found), 10)
            with self.assertRaisesRegex(TypeError, "'cond' must be callable|must be callable"):
                loop.while_loop(3, lambda i: i, [i])

        @util.run_deprecated_v1
        def test_loop_shapes(self) -> None:
            m = array_ops.ones([2, 2])
            with self.assertRaisesRegex(ValueError, "[Ss]hape"):
                loop.while_loop(lambda m: True, lambda m: array_ops.concat([m, m], 0), [m])
            found = loop.while_loop(
                lambda m: math_ops.less(array_ops.shape(m)[0], 5),
                lambda m: array_ops.concat([m, m], 0),
                [m],
                [shapes.TensorShape([None, 2])],
            )
            self.assertEqual(found.shape.as_list(), [None, 2])
            with self.cached_session():
                self.assertEqual(self.evaluate(found).shape, (8, 2))

        @util.run_deprecated_v1
        def test_gradient_of_loop(self) -> None:
            v = constant_op.constant(2.0)
            r = loop.while_loop(lambda v: math_ops.less(v, 100.0), math_ops.square, [v])
            with self.cached_session():
                self.assertAllClose(self.evaluate(grads.gradients(r, v)[0]), 1024.0)

        @util.run_deprecated_v1
        def test_nested_loop_gradient(self) -> None:
            v = constant_op.constant(1.0)

            def inner(s: Any) -> Any:
                return loop.while_loop(
                    lambda i, s: i < 4, lambda i, s: (i + 1, s * 2.0), [constant_op.constant(0), s]
                )[1]

            r = loop.while_loop(lambda s: s < 8.0, inner, [v])
            with self.cached_session():
                self.assertAllClose(self.evaluate(grads.gradients(r, v)[0]), 16.0)

        @util.run_in_graph_and_eager_modes
        def test_cases(self) -> None:
            x, y = constant_op.constant(1), constant_op.constant(2)
            self.assertEqual(
                self.evaluate(
                    case.case([(x > y, lambda: x), (x < y, lambda: y * 10)], default=lambda: -x)
                ),
                20,
            )
            self.assertEqual(self.evaluate(switch_case.switch_case(x, [lambda: x, lambda: y])), 2)
            with self.assertRaisesRegex(TypeError, "pred_fn_pairs"):
                case.case([lambda: 1])

        @util.run_in_graph_and_eager_modes
        def test_groups(self) -> None:
            v = variables.Variable(0)
            self.evaluate(v.initializer)
            self.evaluate(ops.group(v.assign_add(2), v.assign_add(3)))
            self.assertEqual(self.evaluate(v), 5)
            a, b = ops.tuple([constant_op.constant(1), constant_op.constant(2)])
            self.assertEqual(self.evaluate([a, b]), [1, 2])
            with self.assertRaisesRegex(TypeError, "Expected tf.Tensor, tf.Operation|inputs"):
                with framework.Graph().as_default():
                    ops.group("a")

        @util.run_in_graph_and_eager_modes
        def test_maps_and_folds(self) -> None:
            x = constant_op.constant([1, 2, 3])
            self.assertAllEqual(self.evaluate(map_fn.map_fn(lambda v: v * 2, x)), [2, 4, 6])
            self.assertAllEqual(self.evaluate(functional.foldl(lambda a, v: a - v, x)), -4)
            self.assertAllEqual(
                self.evaluate(functional.foldr(lambda a, v: a - v, x, initializer=10)), 4
            )
            self.assertAllEqual(self.evaluate(functional.scan(lambda a, v: a * v, x)), [1, 2, 6])
            with self.assertRaises(ValueError):
                self.evaluate(map_fn.map_fn(lambda v: v, constant_op.constant(1)))
            with self.assertRaises((ValueError, TypeError)):
                self.evaluate(map_fn.map_fn(lambda v: (v, v), x, dtype=dtypes.int32))

        @util.run_in_graph_and_eager_modes
        def test_python_functions(self) -> None:
            found = script.py_func(
                lambda x, y: np.sinh(x) + y,
                [constant_op.constant(1.0), constant_op.constant(2.0)],
                dtypes.float32,
            )
            self.assertAllClose(self.evaluate(found), np.sinh(1.0) + 2.0)
            self.assertAllClose(
                self.evaluate(
                    script.numpy_function(
                        lambda x: x * 2, [constant_op.constant(1.0)], dtypes.float32
                    )
                ),
                2.0,
            )
            self.assertAllClose(
                self.evaluate(
                    script.eager_py_func(
                        lambda x: x * x, [constant_op.constant(3.0)], dtypes.float32
                    )
                ),
                9.0,
            )

            def wrong() -> Any:
                raise ValueError("a mistake")

            with self.assertRaisesRegex((ValueError, errors.InvalidArgumentError), "a mistake"):
                self.evaluate(script.py_func(wrong, [], dtypes.float32))

        @util.run_in_graph_and_eager_modes
        def test_assertions(self) -> None:
            check = internal("ops.check_ops")
            with self.assertRaisesRegex(errors.InvalidArgumentError, "x is wrong"):
                self.evaluate(asserts.Assert(False, ["x is wrong"]))
            with self.assertRaisesRegex((ValueError, errors.InvalidArgumentError), "oops"):
                with framework.control_dependencies(
                    [
                        check.assert_equal(
                            constant_op.constant([1]), constant_op.constant([2]), message="oops"
                        )
                    ]
                ):
                    self.evaluate(array_ops.identity(1))
            with self.assertRaisesRegex(ValueError, "rank"):
                check.assert_rank(constant_op.constant([1]), 2)
            with self.assertRaisesRegex(TypeError, "must be of type"):
                check.assert_type(constant_op.constant([1]), dtypes.float32)

        def test_dependencies(self) -> None:
            with framework.Graph().as_default() as graph:
                a, b = constant_op.constant(1, name="a"), constant_op.constant(2, name="b")
                with graph.control_dependencies([a.op]):
                    c = array_ops.identity(b, name="c")
                self.assertEqual([o.name for o in c.op.control_inputs], ["a"])
                self.assertEqual((c.op.type, c.op.node_def.op), ("Identity", "Identity"))
                self.assertEqual([o.name for o in graph.get_operations()], ["a", "b", "c"])

        @util.run_deprecated_v1
        def test_contexts(self) -> None:
            p = array_ops.placeholder_with_default(True, [])
            seen = []

            def branch() -> Any:
                seen.append(switch.InXlaContext(framework.get_default_graph()))
                return constant_op.constant(1)

            cond.cond(p, branch, lambda: constant_op.constant(2))
            self.assertEqual(seen, [False])
            self.assertFalse(switch.IsInWhileLoop(constant_op.constant(3).op))

    return Flow
