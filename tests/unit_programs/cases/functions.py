"""Test cases as TensorFlow writes them: functions."""

# mypy: disable-error-code="no-any-return, misc, no-untyped-call, func-returns-value"
from __future__ import annotations

from typing import Any

from unit_programs.common import internal


def case(tf: Any) -> Any:
    """The test case."""
    def_function, framework, errors = (
        internal("eager.polymorphic_function.polymorphic_function"),
        internal("framework.ops"),
        internal("framework.errors_impl"),
    )
    constant_op, math_ops, spec = (
        internal("framework.constant_op"),
        internal("ops.math_ops"),
        internal("framework.tensor_spec"),
    )
    variables, dtypes, context = (
        internal("ops.variables"),
        internal("framework.dtypes"),
        internal("eager.context"),
    )
    graph, test_util = internal("framework.func_graph"), internal("framework.test_util")

    class Functions(tf.test.TestCase):
        def test_traced_once_for_each_kind(self) -> None:
            traces = []

            @def_function.function
            def f(x: Any) -> Any:
                traces.append(x)
                return x + 1

            f(constant_op.constant(1)), f(constant_op.constant(2)), f(constant_op.constant([1]))
            self.assertLen(traces, 2)
            self.assertEqual(f.experimental_get_tracing_count(), 2)
            f(1), f(2)
            self.assertLen(traces, 4)

        def test_signature_kept(self) -> None:
            @def_function.function(input_signature=[spec.TensorSpec([None], dtypes.float32)])
            def f(x: Any) -> Any:
                return math_ops.reduce_sum(x)

            self.assertEqual(self.evaluate(f([1.0, 2.0])), 3.0)
            with self.assertRaises(TypeError):
                f([[1.0]])
            with self.assertRaises((TypeError, ValueError)):
                f(constant_op.constant([1]))
            with self.assertRaises(TypeError):
                f([1.0], [2.0])

        def test_concrete(self) -> None:
            @def_function.function
            def f(x: Any, scale: Any = 2) -> Any:
                return {"y": x * scale}

            concrete = f.get_concrete_function(spec.TensorSpec([], dtypes.float32))
            self.assertEqual(self.evaluate(concrete(constant_op.constant(3.0))["y"]), 6.0)
            self.assertEqual(concrete.structured_outputs["y"].dtype, dtypes.float32)
            self.assertEqual([t.dtype for t in concrete.inputs], [dtypes.float32])
            self.assertLen(concrete.outputs, 1)
            self.assertEqual(concrete.output_shapes["y"].as_list(), [])
            self.assertIsInstance(concrete.graph, graph.FuncGraph)
            with self.assertRaises(TypeError):
                concrete()

        def test_captured(self) -> None:
            v, c = variables.Variable(2.0), constant_op.constant(3.0)

            @def_function.function
            def f() -> Any:
                return v * c

            concrete = f.get_concrete_function()
            self.assertEqual(self.evaluate(concrete()), 6.0)
            self.assertEqual([x.name for x in concrete.variables], [v.name])
            self.assertLen(concrete.captured_inputs, 2)
            self.assertLen(concrete.graph.variables, 1)

        def test_variables_created_once(self) -> None:
            made: list[Any] = []

            @def_function.function
            def f(x: Any) -> Any:
                if not made:
                    made.append(variables.Variable(2.0))
                return x * made[0]

            self.assertEqual(self.evaluate(f(constant_op.constant(3.0))), 6.0)

            @def_function.function
            def g() -> Any:
                return variables.Variable(2.0) + 1.0

            with self.assertRaisesRegex(
                ValueError, "tf.function only supports singleton tf.Variables created"
            ):
                g()

        def test_leaked(self) -> None:
            kept = []

            @def_function.function
            def f(x: Any) -> Any:
                kept.append(x * 2.0)
                return x

            f(constant_op.constant(1.0))
            with self.assertRaises(
                (TypeError, ValueError, AttributeError, errors.InvalidArgumentError)
            ):
                self.evaluate(kept[0] + 1.0)

        def test_python_side(self) -> None:
            @def_function.function
            def f(x: Any) -> Any:
                self.assertFalse(context.executing_eagerly())
                with framework.init_scope():
                    self.assertTrue(context.executing_eagerly())
                return x

            f(constant_op.constant(1.0))
            self.assertEqual(f.python_function.__name__, "f")
            self.assertEqual(f.function_spec.fullargspec.args, ["x"])

        def test_run_eagerly(self) -> None:
            seen = []

            @def_function.function
            def f(x: Any) -> Any:
                seen.append(hasattr(x, "numpy") and x.numpy())
                return x

            tf.config.run_functions_eagerly(True)
            try:
                f(constant_op.constant(5))
                self.assertTrue(tf.config.functions_run_eagerly())
            finally:
                tf.config.run_functions_eagerly(False)
            self.assertEqual(seen, [5])

        def test_branches_of_tensors(self) -> None:
            @def_function.function
            def f(x: Any) -> Any:
                total = constant_op.constant(0)
                for i in math_ops.range(x):
                    if i % 2 == 0:
                        continue
                    if i > 5:
                        break
                    total += i
                return total

            self.assertEqual(self.evaluate(f(constant_op.constant(10))), 9)

        def test_shapes_relaxed(self) -> None:
            shapes = []

            @def_function.function(reduce_retracing=True)
            def f(x: Any) -> Any:
                shapes.append(x.shape.as_list())
                return x

            (
                f(constant_op.constant([1])),
                f(constant_op.constant([1, 2])),
                f(constant_op.constant([1, 2, 3])),
            )
            self.assertEqual(shapes, [[1], [None]])

        def test_wrapped(self) -> None:
            wrap = internal("eager.wrap_function")
            f = wrap.wrap_function(lambda x: x * 2.0, [spec.TensorSpec([], dtypes.float32)])
            self.assertEqual(self.evaluate(f(constant_op.constant(3.0))), 6.0)
            pruned = f.prune(f.inputs[0].name, f.outputs[0].name)
            self.assertAllEqual(self.evaluate(pruned(constant_op.constant(4.0))), 8.0)

        @test_util.run_v1_only("version 1")
        def test_version_1_only(self) -> None:
            self.fail("this is not run")

        def test_names_of_graphs(self) -> None:
            concrete = def_function.function(
                lambda first: math_ops.add(first, 1.0, name="plus")
            ).get_concrete_function(spec.TensorSpec([], dtypes.float32))
            names = [o.name for o in concrete.graph.get_operations()]
            self.assertIn("first", names)
            self.assertIn("plus", names)
            self.assertEqual(concrete.graph.inputs[0].op.type, "Placeholder")

    return Functions
