"""Test cases as TensorFlow writes them: gradients."""

# mypy: disable-error-code="no-any-return, misc, no-untyped-call, func-returns-value"
from __future__ import annotations

from typing import Any

from unit_programs.common import internal


def case(tf: Any) -> Any:
    """The test case."""
    util, framework, errors = (
        internal("framework.test_util"),
        internal("framework.ops"),
        internal("framework.errors_impl"),
    )
    grads, backprop, custom = (
        internal("ops.gradients_impl"),
        internal("eager.backprop"),
        internal("ops.custom_gradient"),
    )
    constant_op, math_ops, array_ops = (
        internal("framework.constant_op"),
        internal("ops.math_ops"),
        internal("ops.array_ops"),
    )
    checker, old, resource = (
        internal("ops.gradient_checker_v2"),
        internal("ops.gradient_checker"),
        internal("ops.resource_variable_ops"),
    )
    forwardprop, nn_ops, nn = (
        internal("eager.forwardprop"),
        internal("ops.nn_ops"),
        internal("ops.nn"),
    )
    dtypes = internal("framework.dtypes")

    class Gradients(tf.test.TestCase):
        @util.run_deprecated_v1
        def test_registered_by_users(self) -> None:
            with framework.Graph().as_default() as graph:

                @framework.RegisterGradient("WrittenAsTestsTwice")
                def _twice(op: Any, g: Any) -> Any:
                    return g * 2.0 * op.inputs[0]

                x = constant_op.constant(3.0)
                with graph.gradient_override_map({"Identity": "WrittenAsTestsTwice"}):
                    y = array_ops.identity(x)
                with self.session(graph=graph):
                    self.assertEqual(self.evaluate(grads.gradients(y, x)[0]), 6.0)

        @util.run_deprecated_v1
        def test_stopped(self) -> None:
            x, y = constant_op.constant(2.0), constant_op.constant(3.0)
            z = x * y + array_ops.stop_gradient(x)
            with self.cached_session():
                self.assertEqual(self.evaluate(grads.gradients(z, [x, y])), [3.0, 2.0])
                self.assertIsNone(grads.gradients(array_ops.stop_gradient(x), x)[0])
                w = x * 2.0
                self.assertEqual(
                    self.evaluate(grads.gradients(w * x, x, stop_gradients=[w])[0]), 4.0
                )

        @util.run_deprecated_v1
        def test_unused(self) -> None:
            x, y = constant_op.constant(1.0), constant_op.constant([3.0, 4.0])
            self.assertEqual(grads.gradients(x * 2, [x, y])[1], None)
            zero = grads.gradients(x * 2, [y], unconnected_gradients="zero")[0]
            with self.cached_session():
                self.assertAllEqual(self.evaluate(zero), [0.0, 0.0])
            with self.assertRaisesRegex(ValueError, "Unknown value for unconnected_gradients"):
                grads.gradients(x * 2, [y], unconnected_gradients="nonsense")

        @util.run_deprecated_v1
        def test_given_weights(self) -> None:
            x = constant_op.constant([1.0, 2.0])
            with self.cached_session():
                self.assertAllEqual(
                    self.evaluate(
                        grads.gradients(x * x, x, grad_ys=[constant_op.constant([1.0, 10.0])])[0]
                    ),
                    [2, 40],
                )
            with self.assertRaisesRegex(
                ValueError, "must have the same length|Passed 2 grad_ys for 1 ys|grad_ys"
            ):
                grads.gradients(x * x, x, grad_ys=[None, None])

        def test_only_in_graphs(self) -> None:
            with self.assertRaisesRegex(
                RuntimeError, "tf.gradients is not supported when eager execution is enabled"
            ):
                grads.gradients(constant_op.constant(1.0), constant_op.constant(1.0))

        @util.run_deprecated_v1
        def test_hessians(self) -> None:
            x = constant_op.constant([1.0, 2.0])
            y = math_ops.reduce_sum(x * x * x)
            with self.cached_session():
                self.assertAllEqual(self.evaluate(grads.hessians(y, x)[0]), [[6, 0], [0, 12]])
                product = grads._hessian_vector_product
                self.assertAllEqual(
                    self.evaluate(product(y, [x], [constant_op.constant([1.0, 1.0])])[0]), [6, 12]
                )

        def test_tapes(self) -> None:
            x = constant_op.constant(3.0)
            with backprop.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = x * x
                z = y * y
            self.assertEqual(self.evaluate(tape.gradient(z, x)), 108.0)
            self.assertEqual(self.evaluate(tape.gradient(z, y)), 18.0)
            with backprop.GradientTape() as once:
                once.watch(x)
                y = x * x
            once.gradient(y, x)
            with self.assertRaisesRegex(
                RuntimeError, "A non-persistent GradientTape can only be used to"
            ):
                once.gradient(y, x)
            with self.assertRaisesRegex(ValueError, "still recording"), once:
                once._push_tape()

        def test_functions_of_gradients(self) -> None:
            f = backprop.gradients_function(lambda a, b: a * a * b, params=[0])
            self.assertAllEqual(f(constant_op.constant(2.0), constant_op.constant(3.0)), [12.0])
            value, g = backprop.val_and_grad_function(lambda a: a * 3.0)(constant_op.constant(2.0))
            self.assertEqual((self.evaluate(value), [self.evaluate(v) for v in g]), (6.0, [3.0]))
            self.assertEqual(
                self.evaluate(
                    backprop.implicit_grad(lambda v: v * 1.0)(resource.ResourceVariable(2.0))[0][0]
                ),
                1.0,
            )

        def test_custom(self) -> None:
            @custom.custom_gradient
            def f(x: Any) -> Any:
                return x * x, lambda dy: dy * 100.0

            x = constant_op.constant(2.0)
            with backprop.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            self.assertEqual(self.evaluate(tape.gradient(y, x)), 100.0)
            with self.assertRaisesRegex(TypeError, "variables"):
                v = resource.ResourceVariable(1.0)

                @custom.custom_gradient
                def g(x: Any) -> Any:
                    return x * v, lambda dy: dy

                with backprop.GradientTape() as tape:
                    tape.watch(x)
                    g(x)

        def test_forward(self) -> None:
            x = constant_op.constant([2.0, 3.0])
            with forwardprop.ForwardAccumulator(x, constant_op.constant([1.0, 0.0])) as acc:
                y = math_ops.reduce_sum(x * x)
            self.assertEqual(self.evaluate(acc.jvp(y)), 4.0)
            self.assertIsNone(acc.jvp(constant_op.constant(1.0)))
            with (
                self.assertRaisesRegex(
                    ValueError, "A ForwardAccumulator was started|already|recording"
                ),
                acc,
            ):
                with acc:
                    pass

        @util.run_deprecated_v1
        def test_checked_in_sessions(self) -> None:
            with self.cached_session():
                x = constant_op.constant([[0.5, -0.5]], dtypes.float64)
                error = old.compute_gradient_error(x, [1, 2], math_ops.tanh(x), [1, 2])
                self.assertLess(error, 1e-6)
                theoretical, numerical = old.compute_gradient(
                    x, [1, 2], math_ops.tanh(x), [1, 2], delta=1e-3
                )
                self.assertAllClose(theoretical, numerical, atol=1e-5)

        def test_checked(self) -> None:
            theoretical, numerical = checker.compute_gradient(
                lambda x: nn_ops.softmax(x), [constant_op.constant([[1.0, 2.0]])]
            )
            self.assertAllClose(theoretical, numerical, atol=1e-3)
            with self.assertRaises((ValueError, TypeError)):
                checker.compute_gradient(lambda x: x, constant_op.constant(1.0))

        def test_jacobians(self) -> None:
            x = constant_op.constant([[1.0, 2.0], [3.0, 4.0]])
            with backprop.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = x * x
            self.assertAllEqual(
                self.evaluate(tape.batch_jacobian(y, x)), [[[2, 0], [0, 4]], [[6, 0], [0, 8]]]
            )
            self.assertEqual(tape.jacobian(y, x).shape.as_list(), [2, 2, 2, 2])
            with self.assertRaisesRegex(ValueError, "Need first dimension of target shape"):
                tape.batch_jacobian(constant_op.constant([1.0, 2.0, 3.0])[:, None], x)

        @util.run_deprecated_v1
        def test_rules_looked_up(self) -> None:
            x = constant_op.constant([1.0, -1.0])
            op = nn_ops.relu(x).op
            with self.cached_session():
                self.assertAllEqual(
                    self.evaluate(
                        framework.get_gradient_function(op)(op, constant_op.constant([1.0, 1.0]))
                    ),
                    [1, 0],
                )

        @util.run_deprecated_v1
        def test_aggregated(self) -> None:
            x = constant_op.constant([1.0])
            y = array_ops.gather(x, [0, 0]) * 2.0
            g = grads.gradients(y, x)[0]
            self.assertEqual(type(g).__name__, "IndexedSlices")
            for method in (0, 1, 2):
                with self.cached_session():
                    self.assertAllEqual(
                        self.evaluate(
                            grads.gradients([x * 2, x * 3], x, aggregation_method=method)[0]
                        ),
                        [5.0],
                    )
            with self.assertRaisesRegex(
                ValueError, "Invalid `?aggregation_method|Invalid aggregation_method"
            ):
                grads.gradients([x * 2, x * 3], x, aggregation_method=7)

        def test_errors_of_tapes(self) -> None:
            with (
                self.assertRaisesRegex(ValueError, "Passed in object of type|Passed in object"),
                backprop.GradientTape() as tape,
            ):
                tape.watch("text")
            with self.assertRaises(
                (TypeError, errors.InvalidArgumentError, AttributeError, ValueError)
            ):
                tape.gradient(1.0, 2.0)
            self.assertAllEqual(self.evaluate(nn.relu(constant_op.constant([-1.0]))), [0.0])

    return Gradients
