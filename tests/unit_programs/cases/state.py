"""Test cases as TensorFlow writes them: variables."""

# mypy: disable-error-code="no-any-return, misc, no-untyped-call, func-returns-value"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import internal


def case(tf: Any) -> Any:
    """The test case."""
    util, errors, framework = (
        internal("framework.test_util"),
        internal("framework.errors_impl"),
        internal("framework.ops"),
    )
    resource, variables, scopes = (
        internal("ops.resource_variable_ops"),
        internal("ops.variables"),
        internal("ops.variable_scope"),
    )
    state_ops, dtypes, constant_op = (
        internal("ops.state_ops"),
        internal("framework.dtypes"),
        internal("framework.constant_op"),
    )
    init, math_ops, sliced = (
        internal("ops.init_ops"),
        internal("ops.math_ops"),
        internal("framework.indexed_slices"),
    )
    old = internal("ops.variable_v1")

    class State(tf.test.TestCase):
        @util.run_in_graph_and_eager_modes
        def test_assigned(self) -> None:
            v = resource.ResourceVariable(1.0, name="var0")
            self.evaluate(v.initializer)
            self.evaluate(
                [v.assign_add(2.0), v.assign_sub(0.5)]
                if internal("eager.context").executing_eagerly()
                else v.assign_add(1.5)
            )
            self.assertEqual(self.evaluate(v.value()), 2.5)
            self.assertEqual((v.name, v.name.split(":")[0]), ("var0:0", "var0"))

        @util.run_in_graph_and_eager_modes
        def test_assigned_wrongly(self) -> None:
            v = resource.ResourceVariable([1.0, 2.0])
            with self.assertRaisesRegex(
                ValueError, r"Cannot assign value to variable .*: Shape mismatch"
            ):
                v.assign([1.0, 2.0, 3.0])
            with self.assertRaises((ValueError, TypeError, errors.InvalidArgumentError)):
                v.assign(constant_op.constant([1, 2]))
            with self.assertRaisesRegex(ValueError, "initial_value|initial value"):
                resource.ResourceVariable()

        @util.run_in_graph_and_eager_modes
        def test_scattered(self) -> None:
            v = resource.ResourceVariable([1.0, 2.0, 3.0])
            self.evaluate(v.initializer)
            for f in (
                state_ops.scatter_update,
                state_ops.scatter_add,
                state_ops.scatter_mul,
                state_ops.scatter_max,
            ):
                self.evaluate(f(v, [0, 2], [5.0, 2.0]))
            self.assertAllEqual(self.evaluate(v), [50.0, 2.0, 8.0])
            self.evaluate(
                v.scatter_sub(
                    sliced.IndexedSlices(constant_op.constant([1.0]), constant_op.constant([1]))
                )
            )
            self.evaluate(v.scatter_nd_update([[1]], [9.0]))
            self.evaluate(state_ops.scatter_nd_add(v, [[0]], [1.0]))
            self.assertAllEqual(self.evaluate(v), [51.0, 9.0, 8.0])
            self.assertAllEqual(self.evaluate(v.sparse_read([2, 0])), [8.0, 51.0])
            self.assertAllEqual(self.evaluate(v.gather_nd([[1]])), [9.0])

        @util.run_deprecated_v1
        def test_scattered_out_of_range(self) -> None:
            v = old.VariableV1([1.0, 2.0])
            with self.cached_session():
                self.evaluate(v.initializer)
                with self.assertRaisesRegex(
                    errors.InvalidArgumentError, r"indices\[0\] = 7 is not in \[0, 2\)"
                ):
                    self.evaluate(state_ops.scatter_add(v, [7], [1.0]))

        @util.run_deprecated_v1
        def test_uninitialized(self) -> None:
            v = old.VariableV1(3.0, name="v")
            with self.cached_session() as session:
                with self.assertRaisesRegex(errors.FailedPreconditionError, "v"):
                    session.run(v)
                self.assertAllEqual(session.run(variables.report_uninitialized_variables()), [b"v"])
                session.run(variables.global_variables_initializer())

        @util.run_deprecated_v1
        def test_scopes(self) -> None:
            with scopes.variable_scope("a") as scope:
                v = scopes.get_variable("v", [2], initializer=init.constant_initializer(3.0))
                with self.assertRaisesRegex(ValueError, "Variable a/v already exists, disallowed"):
                    scopes.get_variable("v", [2])
            with scopes.variable_scope(scope, reuse=True):
                self.assertIs(scopes.get_variable("v", [2]), v)
                with self.assertRaisesRegex(ValueError, r"does not exist, or was not created with"):
                    scopes.get_variable("w", [2])
                with self.assertRaisesRegex(
                    ValueError, "Trying to share variable a/v, but specified shape"
                ):
                    scopes.get_variable("v", [3])
            self.assertEqual([x.name for x in variables.global_variables()], ["a/v:0"])
            self.assertEqual(variables.trainable_variables("a")[0].name, "a/v:0")

        @util.run_deprecated_v1
        def test_partitioned(self) -> None:
            parts = internal("ops.partitioned_variables")
            with scopes.variable_scope("p", partitioner=parts.fixed_size_partitioner(2)):
                v = scopes.get_variable("v", [4, 1], initializer=init.ones_initializer())
            self.assertEqual([p.name for p in v], ["p/v/part_0:0", "p/v/part_1:0"])
            with self.cached_session():
                self.evaluate(variables.global_variables_initializer())
                self.assertAllEqual(self.evaluate(v.as_tensor()), np.ones([4, 1]))

        @util.run_deprecated_v1
        def test_kept_in_collections(self) -> None:
            v = old.VariableV1(
                1.0, trainable=False, collections=["mine", framework.GraphKeys.GLOBAL_VARIABLES]
            )
            self.assertEqual(framework.get_collection("mine"), [v])
            self.assertEqual(variables.trainable_variables(), [])
            w = old.VariableV1(
                2.0, trainable=False, collections=[framework.GraphKeys.LOCAL_VARIABLES]
            )
            self.assertEqual(variables.local_variables(), [w])
            self.assertEqual(v.to_proto().variable_name, v.name)

        @util.run_in_graph_and_eager_modes
        def test_initializers(self) -> None:
            self.assertAllEqual(self.evaluate(init.constant_initializer([1.0, 2.0])([2])), [1, 2])
            self.assertAllEqual(self.evaluate(init.identity_initializer()([2, 2])), np.eye(2))
            q = self.evaluate(init.orthogonal_initializer(seed=1)([3, 3]))
            self.assertAllClose(q.T @ q, np.eye(3), atol=1e-5)
            self.assertEqual(
                init.variance_scaling_initializer(mode="fan_out").get_config()["mode"], "fan_out"
            )
            with self.assertRaisesRegex(ValueError, "scale"):
                init.variance_scaling_initializer(scale=-1.0)

        @util.run_in_graph_and_eager_modes
        def test_handles(self) -> None:
            v = resource.ResourceVariable([1.0, 2.0], dtype=dtypes.float32)
            self.evaluate(v.initializer)
            self.assertEqual(v.handle.dtype, dtypes.resource)
            self.assertAllEqual(
                self.evaluate(
                    resource.gen_resource_variable_ops.read_variable_op(
                        v.handle, dtype=dtypes.float32
                    )
                ),
                [1, 2],
            )
            self.assertAllEqual(self.evaluate(resource.variable_shape(v.handle)), [2])
            self.evaluate(
                resource.assign_add_variable_op(v.handle, constant_op.constant([1.0, 1.0]))
            )
            self.assertAllEqual(self.evaluate(v.read_value()), [2, 3])

        def test_constraints_and_names(self) -> None:
            v = variables.Variable([1.0], constraint=math_ops.abs, name="x", trainable=False)
            self.assertIs(v.constraint, math_ops.abs)
            self.assertFalse(v.trainable)
            self.assertEqual(v.shape.as_list(), [1])
            self.assertIn("x:0", repr(v))
            with self.assertRaises(ValueError):
                variables.Variable([1.0], constraint=3)

    return State
