"""Test cases as TensorFlow writes them: variables as resources, scopes of variables, what is saved of them."""

# mypy: disable-error-code="no-any-return, misc, no-untyped-call, func-returns-value"
from __future__ import annotations

import copy
from typing import Any

import numpy as np

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
    resource, gen, state_ops = (
        internal("ops.resource_variable_ops"),
        internal("ops.gen_resource_variable_ops"),
        internal("ops.state_ops"),
    )
    variables, old, scopes = (
        internal("ops.variables"),
        internal("ops.variable_v1"),
        internal("ops.variable_scope"),
    )
    init, math_ops, shapes = (
        internal("ops.init_ops"),
        internal("ops.math_ops"),
        internal("framework.tensor_shape"),
    )
    backprop, def_function = (
        internal("eager.backprop"),
        internal("eager.polymorphic_function.polymorphic_function"),
    )
    sliced, grads, context = (
        internal("framework.indexed_slices"),
        internal("ops.gradients_impl"),
        internal("eager.context"),
    )
    template, parts = internal("ops.template"), internal("ops.partitioned_variables")

    class Resources(tf.test.TestCase):
        def test_raw_handles(self) -> None:
            handle = resource.var_handle_op(dtype=dtypes.int32, shape=[1], name="foo")
            gen.assign_variable_op(handle, constant_op.constant([5]))
            self.assertAllEqual(gen.read_variable_op(handle, dtype=dtypes.int32), [5])
            resource.assign_add_variable_op(handle, constant_op.constant([2]))
            self.assertAllEqual(resource.read_variable_op(handle, dtype=dtypes.int32), [7])
            self.assertTrue(self.evaluate(resource.var_is_initialized_op(handle)))

        def test_handles_without_value(self) -> None:
            handle = resource.var_handle_op(dtype=dtypes.int32, shape=[1], name="nothing_there")
            with self.assertRaises((errors.FailedPreconditionError, errors.NotFoundError)):
                resource.read_variable_op(handle, dtype=dtypes.int32)

        @util.run_in_graph_and_eager_modes
        def test_scattered_by_handles(self) -> None:
            for name, want in (
                ("add", 6.0),
                ("sub", -4.0),
                ("mul", 5.0),
                ("div", 0.2),
                ("min", 1.0),
                ("max", 5.0),
                ("update", 5.0),
            ):
                v = resource.ResourceVariable([[9.0], [1.0]])
                self.evaluate(v.initializer)
                self.evaluate(
                    getattr(resource, f"resource_scatter_{name}")(
                        v.handle, [1], constant_op.constant([[5.0]])
                    )
                )
                self.assertAllClose(self.evaluate(v.read_value()), [[9.0], [want]])

        @util.run_in_graph_and_eager_modes
        def test_scattered_with_broadcast(self) -> None:
            v = resource.ResourceVariable([1, 2, 3])
            self.evaluate(v.initializer)
            self.evaluate(resource.resource_scatter_add(v.handle, [0, 2], constant_op.constant(10)))
            self.assertAllEqual(self.evaluate(v), [11, 2, 13])

        @util.run_in_graph_and_eager_modes
        def test_scattered_by_methods(self) -> None:
            v = resource.ResourceVariable([1.0, 2.0, 3.0])
            self.evaluate(v.initializer)
            part = sliced.IndexedSlices(constant_op.constant([4.0]), constant_op.constant([1]))
            for name, want in (
                ("scatter_add", 6.0),
                ("scatter_div", 1.5),
                ("scatter_mul", 6.0),
                ("scatter_max", 6.0),
                ("scatter_min", 4.0),
                ("scatter_update", 4.0),
            ):
                self.evaluate(getattr(v, name)(part))
                self.assertAllClose(self.evaluate(v)[1], want)
            with self.assertRaisesRegex(TypeError, "IndexedSlices"):
                v.scatter_add(3.0)

        @util.run_in_graph_and_eager_modes
        def test_scattered_in_depth(self) -> None:
            v = resource.ResourceVariable([1, 2, 3, 4])
            self.evaluate(v.initializer)
            self.evaluate(v.scatter_nd_add([[1], [3]], [10, 20]))
            self.evaluate(state_ops.scatter_nd_sub(v, [[0]], [1]))
            self.evaluate(state_ops.scatter_nd_update(v, [[2]], [7]))
            self.assertAllEqual(self.evaluate(v), [0, 12, 7, 24])

        @util.run_in_graph_and_eager_modes
        def test_gathered(self) -> None:
            v = resource.ResourceVariable([[1.0, 2.0], [3.0, 4.0]])
            self.evaluate(v.initializer)
            self.assertAllEqual(
                self.evaluate(resource.resource_gather(v.handle, [1], dtype=dtypes.float32)),
                [[3, 4]],
            )
            self.assertAllEqual(self.evaluate(array_ops.gather(v, [0])), [[1, 2]])
            self.assertAllEqual(self.evaluate(array_ops.gather_nd(v, [[1, 0]])), [3])
            with backprop.GradientTape() as tape:
                y = v.sparse_read([0, 0]) * 2.0
            g = tape.gradient(y, v)
            self.assertAllEqual(self.evaluate(g.values), np.full([2, 2], 2.0))

        @util.run_in_graph_and_eager_modes
        def test_assigned_in_parts(self) -> None:
            v = resource.ResourceVariable([[1, 2, 3], [4, 5, 6]])
            self.evaluate(v.initializer)
            self.evaluate(v[0, 1:].assign([9, 8]))
            self.evaluate(v[1].assign([0, 0, 0]))
            self.assertAllEqual(self.evaluate(v), [[1, 9, 8], [0, 0, 0]])
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(v[0].assign([1, 2]))

        def test_copied(self) -> None:
            v = resource.ResourceVariable([1.0, 2.0], name="v")
            other = copy.deepcopy(v)
            v.assign([5.0, 6.0])
            self.assertAllEqual(other, [1.0, 2.0])
            with ops.Graph().as_default(), self.assertRaises(NotImplementedError):
                copy.deepcopy(resource.ResourceVariable(1.0))

        @util.run_in_graph_and_eager_modes
        def test_operators(self) -> None:
            v = resource.ResourceVariable([2.0, 3.0])
            self.evaluate(v.initializer)
            for found, want in (
                (v + 1, [3, 4]),
                (1 - v, [-1, -2]),
                (v * v, [4, 9]),
                (v / 2, [1, 1.5]),
                (v**2, [4, 9]),
                (-v, [-2, -3]),
                (v // 2, [1, 1]),
                (v % 2, [0, 1]),
                (abs(-v), [2, 3]),
                (v > 2, [False, True]),
            ):
                self.assertAllClose(self.evaluate(found), want)
            self.assertAllEqual(self.evaluate(v[1]), 3.0)
            self.assertAllEqual(self.evaluate(math_ops.matmul([v], [[1.0], [1.0]])), [[5.0]])

        def test_properties(self) -> None:
            v = resource.ResourceVariable(
                [1.0], name="x", trainable=False, aggregation=variables.VariableAggregation.MEAN
            )
            self.assertEqual(
                (v.name, v.dtype, v.shape, v.trainable, v.aggregation),
                (
                    "x:0",
                    dtypes.float32,
                    shapes.TensorShape([1]),
                    False,
                    variables.VariableAggregation.MEAN,
                ),
            )
            self.assertEqual((v._shared_name, v._in_graph_mode, v.constraint), ("x", False, None))
            self.assertTrue(resource.is_resource_variable(v))
            self.assertIsNone(v.assign(constant_op.constant([2.0]), read_value=False))
            with self.assertRaises((AttributeError, RuntimeError)):
                _ = v.graph.no_such_thing

        def test_unknown_sizes(self) -> None:
            v = variables.Variable([1.0], shape=shapes.TensorShape([None]))
            v.assign([1.0, 2.0])
            self.assertAllEqual(v, [1, 2])
            self.assertEqual(
                (v.shape.as_list(), self.evaluate(array_ops.shape(v)).tolist()), ([None], [2])
            )
            with self.assertRaisesRegex(ValueError, "not compatible|incompatible|Shape mismatch"):
                v.assign([[1.0]])
            with self.assertRaises(ValueError):
                variables.Variable([1.0, 2.0], shape=[3])

        @util.run_deprecated_v1
        def test_initialized_in_sessions(self) -> None:
            v = resource.ResourceVariable(lambda: constant_op.constant(1.0), name="var")
            w = resource.ResourceVariable(2.0, name="w")
            with self.cached_session() as session:
                with self.assertRaisesRegex(errors.FailedPreconditionError, "var"):
                    session.run(v)
                self.assertAllEqual(
                    session.run(variables.report_uninitialized_variables()), [b"var", b"w"]
                )
                session.run(v.initializer)
                self.assertAllEqual(session.run(variables.report_uninitialized_variables()), [b"w"])
                w.load(7.0, session)
                self.assertEqual(session.run([v, w]), [1.0, 7.0])
                self.assertEqual(v.eval(session), 1.0)

        @util.run_deprecated_v1
        def test_order_by_dependencies(self) -> None:
            v = resource.ResourceVariable(0.0)
            with self.cached_session():
                self.evaluate(v.initializer)
                first = v.assign(1.0)
                with ops.control_dependencies([first]):
                    second = v.read_value()
                with ops.control_dependencies([second]):
                    third = v.assign(3.0)
                self.assertEqual(self.evaluate([first, second, third])[1:], [1.0, 3.0])

        @util.run_deprecated_v1
        def test_protos(self) -> None:
            v = old.VariableV1(1.0, name="p", trainable=False)
            proto = v.to_proto()
            self.assertEqual(
                (proto.variable_name, proto.initializer_name, proto.trainable, proto.is_resource),
                ("p:0", "p/Assign", False, True),
            )
            again = old.VariableV1.from_proto(proto)
            self.assertEqual((again.name, again.op), (v.name, v.op))

        @util.run_deprecated_v1
        def test_gradients_of_resources(self) -> None:
            v = resource.ResourceVariable([1.0, 2.0])
            y = math_ops.reduce_sum(v * v) + math_ops.reduce_sum(array_ops.gather(v, [0]))
            with self.cached_session():
                self.evaluate(v.initializer)
                g = grads.gradients(y, v)[0]
                self.assertAllEqual(self.evaluate(ops.convert_to_tensor(g)), [3.0, 4.0])
                self.assertAllEqual(
                    self.evaluate(grads.gradients(v.value() * 3.0, v)[0]), [3.0, 3.0]
                )

        @util.run_deprecated_v1
        def test_getters(self) -> None:
            def doubled(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
                return getter(name, *args, **kwargs) * 2.0

            with scopes.variable_scope("s", custom_getter=doubled):
                v = scopes.get_variable("v", [1], initializer=init.ones_initializer())
            self.assertEqual(v.op.type, "Mul")
            with self.cached_session():
                self.evaluate(variables.global_variables_initializer())
                self.assertAllEqual(self.evaluate(v), [2.0])

        @util.run_deprecated_v1
        def test_default_names_of_scopes(self) -> None:
            with (
                scopes.variable_scope(None, default_name="d"),
                scopes.variable_scope(None, default_name="e") as inner,
            ):
                self.assertEqual(inner.name, "d/e")
            with scopes.variable_scope(None, default_name="d") as other:
                self.assertEqual(other.name, "d_1")
            with self.assertRaises(TypeError), scopes.variable_scope(None):
                pass

        @util.run_deprecated_v1
        def test_inherited_by_scopes(self) -> None:
            with scopes.variable_scope(
                "a",
                initializer=init.constant_initializer(4.0),
                dtype=dtypes.float64,
                regularizer=lambda v: math_ops.reduce_sum(v),
            ):
                v = scopes.get_variable("v", [2])
                with scopes.variable_scope("b", initializer=init.zeros_initializer()):
                    w = scopes.get_variable("w", [2])
                scopes.get_variable_scope().reuse_variables()
                self.assertIs(scopes.get_variable("v", [2]), v)
            self.assertEqual((v.dtype.base_dtype, w.name), (dtypes.float64, "a/b/w:0"))
            with self.cached_session():
                self.evaluate(variables.global_variables_initializer())
                self.assertAllEqual(self.evaluate([v, w]), [[4, 4], [0, 0]])
                self.assertAllEqual(
                    self.evaluate(ops.get_collection(ops.GraphKeys.REGULARIZATION_LOSSES)),
                    [8.0, 0.0],
                )

        @util.run_deprecated_v1
        def test_templates(self) -> None:
            def layer(x: Any) -> Any:
                return x * scopes.get_variable("w", initializer=2.0)

            t = template.make_template("t", layer)
            self.assertIsNot(t(1.0), t(2.0))
            self.assertEqual([v.name for v in variables.global_variables()], ["t/w:0"])
            self.assertEqual((t.name, len(t.variables)), ("t", 1))

        @util.run_deprecated_v1
        def test_divided(self) -> None:
            v = scopes.get_variable(
                "v",
                [5, 2],
                partitioner=parts.variable_axis_size_partitioner(16),
                initializer=init.ones_initializer(),
            )
            self.assertGreater(len(list(v)), 1)
            w = scopes.get_variable(
                "w",
                [4],
                partitioner=parts.fixed_size_partitioner(2),
                initializer=init.constant_initializer(3.0),
            )
            self.assertEqual([p.shape.as_list() for p in w], [[2], [2]])
            with self.cached_session():
                self.evaluate(variables.global_variables_initializer())
                self.assertAllEqual(self.evaluate(ops.convert_to_tensor(w)), [3, 3, 3, 3])

        def test_in_functions(self) -> None:
            v = variables.Variable([1.0, 2.0])

            @def_function.function
            def f(x: Any) -> Any:
                v.assign_add(x)
                v[0].assign(9.0)
                return v.read_value(), v.scatter_nd_update([[1]], [0.5])

            first, second = f(constant_op.constant([1.0, 1.0]))
            self.assertAllEqual(first, [9, 3])
            self.assertAllEqual(second, [9, 0.5])

        def test_creators(self) -> None:
            seen = []

            def creator(make: Any, **kwargs: Any) -> Any:
                seen.append(kwargs["name"])
                kwargs["initial_value"] = 5.0
                return make(**kwargs)

            with scopes.variable_creator_scope(creator):
                v = variables.Variable(1.0, name="n")
            self.assertEqual((seen, self.evaluate(v)), (["n"], 5.0))

        def test_eager_stores(self) -> None:
            store = scopes.EagerVariableStore()
            with store.as_default():
                v = scopes.get_variable("v", [1])
                with scopes.variable_scope(scopes.get_variable_scope(), reuse=True):
                    self.assertIs(scopes.get_variable("v", [1]), v)
            self.assertEqual([x.name for x in store.variables()], ["v:0"])
            self.assertTrue(context.executing_eagerly())

        @util.run_deprecated_v1
        def test_moved_by_counting(self) -> None:
            v = old.VariableV1(0)
            step = state_ops.count_up_to(v, 2)
            with self.cached_session() as session:
                session.run(v.initializer)
                self.assertEqual([session.run(step), session.run(step)], [0, 1])
                with self.assertRaisesRegex(errors.OutOfRangeError, "Reached limit of 2"):
                    session.run(step)

    return Resources
