"""Test cases as TensorFlow writes them: graphs, names, scopes, collections, devices, sessions."""

# mypy: disable-error-code="no-any-return, misc, no-untyped-call, func-returns-value"
from __future__ import annotations

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
    math_ops, session, seeds = (
        internal("ops.math_ops"),
        internal("client.session"),
        internal("framework.random_seed"),
    )
    importer, graph_util, variables = (
        internal("framework.importer"),
        internal("framework.graph_util"),
        internal("ops.variable_v1"),
    )
    scopes, control, nn_ops = (
        internal("ops.variable_scope"),
        internal("ops.control_flow_ops"),
        internal("ops.nn_ops"),
    )

    class Graphs(tf.test.TestCase):
        def test_scopes_of_names(self) -> None:
            with ops.Graph().as_default() as graph:
                with graph.name_scope("foo") as scope:
                    self.assertEqual(scope, "foo/")
                    with graph.name_scope("foo") as inner:
                        self.assertEqual(inner, "foo/foo/")
                    with graph.name_scope("") as root:
                        self.assertEqual(root, "")
                with graph.name_scope("foo") as again:
                    self.assertEqual(again, "foo_1/")
                with graph.name_scope("foo/") as same:
                    self.assertEqual(same, "foo/")
                for bad in ("_no", "a:b", "a b"):
                    with (
                        self.assertRaisesRegex(ValueError, "is not a valid"),
                        graph.name_scope(bad),
                    ):
                        pass

        def test_names_of_operations(self) -> None:
            with ops.Graph().as_default():
                a, b = constant_op.constant([1.0, 2.0]), constant_op.constant([3.0, 4.0])
                found = [
                    a, b, math_ops.add(a, b), a + b, a * b, a - b, a / b, math_ops.reduce_sum(a), array_ops.reshape(a, [2, 1]), nn_ops.relu(a), math_ops.exp(a),
                    array_ops.identity(a, name="named"), a[0], math_ops.matmul([a], [b], transpose_b=True), array_ops.zeros([2]), math_ops.cast(a, dtypes.int32),
                    array_ops.concat([a, b], 0), array_ops.transpose([a]), math_ops.square(a), -a, a < b, array_ops.gather(a, [0]), math_ops.reduce_mean(a), nn_ops.softmax(a),
                ]  # fmt: skip
                self.assertEqual(
                    [t.op.name for t in found],
                    [
                        "Const",
                        "Const_1",
                        "Add",
                        "add_1",
                        "mul",
                        "sub",
                        "truediv",
                        "Sum",
                        "Reshape",
                        "Relu",
                        "Exp",
                        "named",
                        "strided_slice",
                        "MatMul",
                        "zeros",
                        "Cast",
                        "concat",
                        "transpose",
                        "Square",
                        "Neg",
                        "Less",
                        "GatherV2",
                        "Mean",
                        "Softmax",
                    ],
                )
                self.assertEqual(
                    [t.op.type for t in found],
                    [
                        "Const",
                        "Const",
                        "AddV2",
                        "AddV2",
                        "Mul",
                        "Sub",
                        "RealDiv",
                        "Sum",
                        "Reshape",
                        "Relu",
                        "Exp",
                        "Identity",
                        "StridedSlice",
                        "MatMul",
                        "Const",
                        "Cast",
                        "ConcatV2",
                        "Transpose",
                        "Square",
                        "Neg",
                        "Less",
                        "GatherV2",
                        "Mean",
                        "Softmax",
                    ],
                )

        def test_parts_of_operations(self) -> None:
            with ops.Graph().as_default() as graph:
                a = constant_op.constant([1.0, 2.0], name="a")
                b = array_ops.identity(a, name="b")
                self.assertIs(b.op.inputs[0], a)
                self.assertEqual(
                    (b.op.outputs, b.consumers(), [o.name for o in a.consumers()]), ([b], [], ["b"])
                )
                self.assertEqual(
                    (a.op.get_attr("dtype"), b.op.get_attr("T")), (dtypes.float32, dtypes.float32)
                )
                with self.assertRaisesRegex(ValueError, "has no attr named .nothing"):
                    a.op.get_attr("nothing")
                self.assertEqual(list(b.op.node_def.input), ["a"])
                self.assertIs(graph.get_tensor_by_name("b:0"), b)
                self.assertIs(graph.get_operation_by_name("b"), b.op)
                self.assertIs(graph.as_graph_element("a"), a.op)
                with self.assertRaisesRegex(
                    KeyError, "does not exist|refers to an Operation not in the graph"
                ):
                    graph.get_operation_by_name("none")
                with self.assertRaisesRegex(ValueError, "must be of the form"):
                    graph.get_tensor_by_name("b")
                with self.assertRaises((TypeError, ValueError, KeyError)):
                    graph.as_graph_element("a", allow_operation=False)
                with self.assertRaisesRegex(TypeError, "Can not convert a"):
                    graph.as_graph_element(3.5)

        def test_finalized(self) -> None:
            graph = ops.Graph()
            self.assertFalse(graph.finalized)
            graph.finalize()
            with (
                graph.as_default(),
                self.assertRaisesRegex(RuntimeError, "Graph is finalized and cannot be modified"),
            ):
                constant_op.constant(1)

        def test_collections(self) -> None:
            with ops.Graph().as_default() as graph:
                graph.add_to_collection("key", 12)
                graph.add_to_collections(["key", "other"], "x")
                self.assertEqual(graph.get_collection("key"), [12, "x"])
                self.assertEqual(graph.get_collection("nothing"), [])
                with graph.name_scope("s"):
                    v = variables.VariableV1(1.0, name="v")
                self.assertEqual(
                    graph.get_collection(ops.GraphKeys.GLOBAL_VARIABLES, scope="s"), [v]
                )
                graph.get_collection_ref("key").append(1)
                self.assertEqual(ops.get_collection("key"), [12, "x", 1])
                graph.clear_collection("key")
                self.assertEqual(
                    sorted(map(str, graph.get_all_collection_keys())),
                    ["other", "trainable_variables", "variables"],
                )

        def test_devices(self) -> None:
            with ops.Graph().as_default() as graph:
                with graph.device("/device:CPU:0"):
                    a = constant_op.constant(1)
                with graph.colocate_with(a.op):
                    b = constant_op.constant(2)
                self.assertEqual((a.device, a.op.device), ("/device:CPU:0",) * 2)
                self.assertEqual(b.op.colocation_groups(), [b"loc:@Const"])

        def test_dependencies_between_scopes(self) -> None:
            with ops.Graph().as_default() as graph:
                a, b = constant_op.constant(1, name="a"), constant_op.constant(2, name="b")
                with graph.control_dependencies([a]):
                    with graph.control_dependencies([b]):
                        c = constant_op.constant(3)
                    with graph.control_dependencies(None):
                        d = constant_op.constant(4)
                    e = control.no_op(name="e")
                self.assertEqual(
                    [sorted(o.name for o in t.control_inputs) for t in (c.op, d.op, e)],
                    [["a", "b"], [], ["a"]],
                )

        def test_fetched(self) -> None:
            with ops.Graph().as_default(), session.Session() as sess:
                a, b = constant_op.constant(1.0, name="a"), constant_op.constant([2.0])
                found = sess.run({"x": [a, (b, a)], "y": "a:0"})
                self.assertAllEqual(found["x"][1][0], [2.0])
                self.assertEqual((found["y"], sess.run(a.op)), (1.0, None))
                with self.assertRaisesRegex(TypeError, "None.* has invalid type"):
                    sess.run(None)
                with self.assertRaisesRegex(TypeError, "has invalid type|can not be"):
                    sess.run(3.5)
                with self.assertRaises((ValueError, KeyError)):
                    sess.run("nothing:0")
            with self.assertRaisesRegex(RuntimeError, "Attempted to use a closed Session"):
                sess.run(a)

        def test_fed(self) -> None:
            with ops.Graph().as_default(), session.Session() as sess:
                p = array_ops.placeholder(dtypes.float32, [None, 2])
                y = p * 2.0
                self.assertAllEqual(sess.run(y, {p: [[1.0, 2.0]]}), [[2.0, 4.0]])
                self.assertAllEqual(sess.run(y, {y: [[7.0, 7.0]]}), [[7.0, 7.0]])
                with self.assertRaisesRegex(ValueError, "Cannot feed value of shape"):
                    sess.run(y, {p: [1.0, 2.0, 3.0]})
                with self.assertRaisesRegex(TypeError, "Cannot interpret feed_dict key as Tensor"):
                    sess.run(y, {"nothing:0": 1.0})
                with self.assertRaisesRegex(
                    TypeError, "The value of a feed cannot be a tf.Tensor object"
                ):
                    sess.run(y, {p: constant_op.constant([[1.0, 2.0]])})
                call = sess.make_callable(y, [p])
                self.assertAllEqual(call([[1.0, 1.0]]), [[2.0, 2.0]])
                handle = sess.partial_run_setup([y], [p])
                self.assertAllEqual(sess.partial_run(handle, y, {p: [[3.0, 3.0]]}), [[6.0, 6.0]])

        def test_exported_and_imported(self) -> None:
            with ops.Graph().as_default() as graph:
                a = array_ops.placeholder(dtypes.float32, [], name="a")
                math_ops.multiply(a, 3.0, name="y")
                definition = graph.as_graph_def()
            self.assertEqual([n.name for n in definition.node], ["a", "y/y", "y"])
            with ops.Graph().as_default(), session.Session() as sess:
                c = constant_op.constant(5.0)
                (y,) = importer.import_graph_def(
                    definition, input_map={"a:0": c}, return_elements=["y:0"], name="in"
                )
                self.assertEqual((y.name, sess.run(y)), ("in/y:0", 15.0))
                with self.assertRaisesRegex(
                    ValueError, "Attempted to map inputs that were not found|not found"
                ):
                    importer.import_graph_def(definition, input_map={"zzz:0": c})
                with self.assertRaisesRegex(ValueError, "nothing.* not found|Requested return"):
                    importer.import_graph_def(definition, return_elements=["nothing:0"])
                with self.assertRaises(TypeError):
                    importer.import_graph_def(3)

        def test_parts_extracted(self) -> None:
            with ops.Graph().as_default() as graph:
                a = constant_op.constant(1.0, name="a")
                b = array_ops.identity(a, name="b")
                array_ops.identity(b, name="c")
                part = graph_util.extract_sub_graph(graph.as_graph_def(), ["b"])
            self.assertEqual([n.name for n in part.node], ["a", "b"])

        def test_seeds(self) -> None:
            with ops.Graph().as_default():
                self.assertEqual(seeds.get_seed(None), (None, None))
                seeds.set_random_seed(7)
                self.assertEqual(seeds.get_seed(3), (7, 3))
                self.assertEqual(seeds.get_seed(None)[0], 7)

        def test_stacks_of_defaults(self) -> None:
            one, two = ops.Graph(), ops.Graph()
            with one.as_default():
                self.assertIs(ops.get_default_graph(), one)
                with two.as_default():
                    self.assertIs(ops.get_default_graph(), two)
                self.assertIs(ops.get_default_graph(), one)
            with session.Session(graph=one).as_default() as sess:
                self.assertIs(ops.get_default_session(), sess)
            self.assertIsNone(ops.get_default_session())

        def test_converted(self) -> None:
            with self.assertRaisesRegex(
                ValueError,
                "Tensor conversion requested dtype float32 for Tensor with dtype int32|requested dtype",
            ):
                ops.convert_to_tensor(constant_op.constant(1), dtypes.float32)
            self.assertEqual(
                ops.convert_to_tensor(1, preferred_dtype=dtypes.float32).dtype, dtypes.float32
            )
            self.assertEqual(
                ops.convert_to_tensor("a", preferred_dtype=dtypes.float32).dtype, dtypes.string
            )
            with self.assertRaises(ValueError):
                ops.convert_to_tensor(None)

        @util.run_deprecated_v1
        def test_scopes_of_variables_and_names(self) -> None:
            with scopes.variable_scope("v1"):
                a = constant_op.constant(1, name="c")
                v = scopes.get_variable("w", [1])
            with scopes.variable_scope("v1"):
                b = constant_op.constant(1, name="c")
            self.assertEqual((a.op.name, b.op.name, v.op.name), ("v1/c", "v1_1/c", "v1/w"))

        @util.run_deprecated_v1
        def test_default_sessions_evaluate(self) -> None:
            with self.cached_session() as sess:
                c = constant_op.constant(3.0)
                self.assertEqual((c.eval(), sess.run(c)), (3.0, 3.0))
                v = variables.VariableV1(2.0)
                v.initializer.run()
                v.assign_add(1.0).op.run()
                self.assertEqual(v.eval(), 3.0)
            with self.assertRaisesRegex(
                ValueError,
                "Cannot evaluate tensor using `eval\\(\\)`: No default session|No default session",
            ):
                with ops.Graph().as_default():
                    constant_op.constant(1.0).eval()

        @util.run_deprecated_v1
        def test_errors_name_operations(self) -> None:
            x = constant_op.constant([1, 2], name="numbers")
            zero = constant_op.constant([0, 1], name="zero")
            y = x // zero
            with (
                self.cached_session() as sess,
                self.assertRaises(errors.InvalidArgumentError) as caught,
            ):
                sess.run(y)
            self.assertEqual(caught.exception.op.type, "FloorDiv")
            self.assertEqual(caught.exception.error_code, errors.INVALID_ARGUMENT)

        def test_values_of_errors(self) -> None:
            self.assertEqual(
                errors.exception_type_from_error_code(errors.NOT_FOUND), errors.NotFoundError
            )
            self.assertEqual(
                errors.error_code_from_exception_type(errors.OutOfRangeError), errors.OUT_OF_RANGE
            )
            error = errors.AbortedError(None, None, "gone")
            self.assertEqual(
                (error.message, error.op, error.error_code), ("gone", None, errors.ABORTED)
            )
            self.assertEqual(str(np.float32(1.5)), "1.5")

    return Graphs
