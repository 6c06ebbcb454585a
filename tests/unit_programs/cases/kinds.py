"""Test cases as TensorFlow writes them: shapes, dtypes, constants, nests, sparse, ragged, strings, tables, random numbers."""

# mypy: disable-error-code="no-any-return, misc, no-untyped-call, func-returns-value"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import internal


def case(tf: Any) -> Any:
    """The test case."""
    util, errors, shapes = (
        internal("framework.test_util"),
        internal("framework.errors_impl"),
        internal("framework.tensor_shape"),
    )
    dtypes, constant_op, nest = (
        internal("framework.dtypes"),
        internal("framework.constant_op"),
        internal("util.nest"),
    )
    sparse_ops, sparse, string_ops = (
        internal("ops.sparse_ops"),
        internal("framework.sparse_tensor"),
        internal("ops.string_ops"),
    )
    lookup, random, stateless = (
        internal("ops.lookup_ops"),
        internal("ops.random_ops"),
        internal("ops.stateless_random_ops"),
    )
    tensor_util, parsing, sets = (
        internal("framework.tensor_util"),
        internal("ops.parsing_ops"),
        internal("ops.sets_impl"),
    )
    factory, ragged, array_ops = (
        internal("ops.ragged.ragged_factory_ops"),
        internal("ops.ragged.ragged_tensor"),
        internal("ops.array_ops"),
    )
    framework, math_ops = internal("framework.ops"), internal("ops.math_ops")

    class Kinds(tf.test.TestCase):
        def test_shapes(self) -> None:
            s = shapes.TensorShape([None, 3])
            self.assertEqual(s.ndims, 2)
            self.assertEqual(s.merge_with([2, None]).as_list(), [2, 3])
            self.assertTrue(s.is_compatible_with([5, 3]))
            self.assertEqual(s.concatenate([7]).as_list(), [None, 3, 7])
            with self.assertRaisesRegex(ValueError, "are not compatible|Shapes"):
                s.merge_with([2, 4])
            with self.assertRaisesRegex(ValueError, "must have rank at least 3"):
                s.with_rank_at_least(3)
            with self.assertRaisesRegex(ValueError, "is not fully defined|as_list"):
                s.assert_is_fully_defined()
            with self.assertRaises(ValueError):
                len(shapes.unknown_shape())
            self.assertEqual(shapes.as_shape([1, 2]).num_elements(), 2)
            self.assertEqual(repr(s), "TensorShape([None, 3])")
            self.assertEqual(shapes.dimension_value(s[1]), 3)
            self.assertEqual(shapes.TensorShape(s.as_proto()).as_list(), [None, 3])

        def test_dtypes(self) -> None:
            self.assertIs(dtypes.as_dtype("float32"), dtypes.float32)
            self.assertIs(dtypes.as_dtype(np.int64), dtypes.int64)
            self.assertEqual((dtypes.uint8.min, dtypes.uint8.max), (0, 255))
            self.assertEqual(dtypes.float32.limits, (0, 1))
            self.assertEqual(repr(dtypes.bfloat16), "tf.bfloat16")
            self.assertTrue(dtypes.complex64.is_complex)
            self.assertIs(dtypes.complex64.real_dtype, dtypes.float32)
            self.assertTrue(dtypes.float32_ref._is_ref_dtype)
            self.assertEqual(dtypes.as_dtype(3), dtypes.int32)
            with self.assertRaisesRegex(
                TypeError, "Cannot convert .* to a TensorFlow DType|Cannot convert"
            ):
                dtypes.as_dtype("nonsense")
            with self.assertRaises(TypeError):
                _ = dtypes.string.min

        def test_constants(self) -> None:
            with self.assertRaisesRegex(
                TypeError, "Cannot convert|Eager execution of tf.constant with unsupported shape"
            ):
                constant_op.constant([1, 2, 3], shape=[4])
            with self.assertRaises((TypeError, ValueError)):
                constant_op.constant([[1, 2], [3]])
            with self.assertRaises((TypeError, ValueError)):
                constant_op.constant("a", dtypes.float32)
            self.assertAllEqual(constant_op.constant(7, shape=[2, 1]), [[7], [7]])
            self.assertAllEqual(
                tensor_util.MakeNdarray(tensor_util.make_tensor_proto([1.0, 2.0])), [1, 2]
            )
            self.assertEqual(tensor_util.constant_value(constant_op.constant(3)), 3)

        def test_nests(self) -> None:
            s = {"b": [1, (2, 3)], "a": 4}
            self.assertEqual(nest.flatten(s), [4, 1, 2, 3])
            self.assertEqual(nest.pack_sequence_as(s, [0, 1, 2, 3]), {"b": [1, (2, 3)], "a": 0})
            self.assertEqual(nest.map_structure(lambda x: x + 1, s)["a"], 5)
            with self.assertRaisesRegex(ValueError, "don't have the same"):
                nest.assert_same_structure([1, 2], [1, [2]])
            with self.assertRaisesRegex(TypeError, "don't have the same"):
                nest.assert_same_structure([1], (1,))
            with self.assertRaisesRegex(
                ValueError, "Structure had 2|structure has 2|Flat structure"
            ):
                nest.pack_sequence_as([1, 2], [1, 2, 3])
            self.assertEqual(nest.flatten_up_to([0, 0], [[1, 2], 3]), [[1, 2], 3])
            self.assertTrue(nest.is_nested(s))

        @util.run_in_graph_and_eager_modes
        def test_sparse(self) -> None:
            s = sparse.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
            self.assertAllEqual(
                self.evaluate(sparse_ops.sparse_tensor_to_dense(s)), [[0, 1], [2, 0]]
            )
            self.assertAllEqual(self.evaluate(sparse_ops.sparse_reduce_sum(s, 1)), [1, 2])
            self.assertAllEqual(
                self.evaluate(
                    sparse_ops.sparse_tensor_dense_matmul(s, np.eye(2, dtype=np.float32))
                ),
                [[0, 1], [2, 0]],
            )
            t = self.evaluate(sparse_ops.sparse_add(s, s, 0))
            self.assertAllEqual(t.values, [2, 4])
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(
                    sparse_ops.sparse_reorder(sparse.SparseTensor([[0, 1, 2]], [1.0], [2, 2]))
                )
            with self.assertRaisesRegex(TypeError, "SparseTensor"):
                sparse_ops.sparse_add(1, 2)

        def test_ragged(self) -> None:
            r = factory.constant([[1, 2], [], [3]])
            self.assertAllEqual(r, [[1, 2], [], [3]])
            self.assertEqual(r.shape.as_list(), [3, None])
            self.assertAllEqual(r.row_lengths(), [2, 0, 1])
            self.assertAllEqual(ragged.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3]), r)
            with self.assertRaisesRegex(
                errors.InvalidArgumentError, "do not form a valid RaggedTensor"
            ):
                ragged.RaggedTensor.from_row_splits([1, 2], [1, 2])
            with self.assertRaisesRegex(
                ValueError, "all scalar values must have the same nesting depth|nesting depth"
            ):
                factory.constant([[1], 2])

        @util.run_in_graph_and_eager_modes
        def test_strings(self) -> None:
            self.assertAllEqual(self.evaluate(string_ops.string_join(["a", "b"], "-")), b"a-b")
            self.assertAllEqual(self.evaluate(string_ops.regex_replace("abc", "b.", "x")), b"ax")
            self.assertAllEqual(self.evaluate(string_ops.substr_v2("hello", 1, 3)), b"ell")
            self.assertAllEqual(self.evaluate(string_ops.reduce_join_v2(["a", "b"])), b"ab")
            self.assertAllEqual(
                self.evaluate(string_ops.string_to_hash_bucket_fast(["a"], 10)), [9]
            )
            self.assertAllEqual(self.evaluate(string_ops.string_length(["ab", "c"])), [2, 1])
            with self.assertRaises(errors.InvalidArgumentError):
                self.evaluate(string_ops.substr_v2("hello", 9, 3))
            with self.assertRaisesRegex(
                errors.InvalidArgumentError,
                "StringToNumberOp could not correctly convert string: x",
            ):
                self.evaluate(string_ops.string_to_number("x"))

        def test_tables(self) -> None:
            table = lookup.StaticHashTable(lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
            self.evaluate(lookup.tables_initializer())
            self.assertAllEqual(
                self.evaluate(table.lookup(constant_op.constant(["b", "z"]))), [2, -1]
            )
            self.assertEqual(self.evaluate(table.size()), 2)
            with self.assertRaises(TypeError):
                table.lookup(constant_op.constant([1]))
            m = lookup.DenseHashTable(
                dtypes.int64, dtypes.int64, default_value=-1, empty_key=0, deleted_key=-1
            )
            self.evaluate(
                m.insert(
                    constant_op.constant([7], dtypes.int64), constant_op.constant([8], dtypes.int64)
                )
            )
            self.assertAllEqual(
                self.evaluate(m.lookup(constant_op.constant([7, 9], dtypes.int64))), [8, -1]
            )

        def test_random(self) -> None:
            a = stateless.stateless_random_uniform([2], [1, 2])
            self.assertAllEqual(a, stateless.stateless_random_uniform([2], [1, 2]))
            self.assertAllClose(
                self.evaluate(stateless.stateless_random_normal([2], [1, 2])),
                self.evaluate(stateless.stateless_random_normal([2], [1, 2])),
            )
            with self.assertRaisesRegex(ValueError, "Must specify maxval for integer dtype"):
                random.random_uniform([2], dtype=dtypes.int32)
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(random.random_uniform([2], 5, 5, dtypes.int32))
            generator = internal("ops.stateful_random_ops").Generator.from_seed(1)
            self.assertEqual(generator.normal([2]).shape.as_list(), [2])
            self.assertEqual(random.random_gamma([3], [1.0, 2.0]).shape.as_list(), [3, 2])
            self.assertEqual(sorted(self.evaluate(random.random_shuffle([1, 2, 3]))), [1, 2, 3])

        def test_sets(self) -> None:
            a, b = constant_op.constant([[1, 2]]), constant_op.constant([[2, 3]])
            self.assertAllEqual(sets.set_intersection(a, b).values, [2])
            self.assertAllEqual(sets.set_union(a, b).values, [1, 2, 3])
            self.assertAllEqual(sets.set_difference(a, b).values, [1])
            self.assertAllEqual(sets.set_size(sets.set_union(a, b)), [3])

        def test_parsed(self) -> None:
            features = {
                "x": parsing.FixedLenFeature([2], dtypes.float32, [1.0, 2.0]),
                "y": parsing.VarLenFeature(dtypes.int64),
            }
            example = tf.train.Example(
                features=tf.train.Features(
                    feature={"y": tf.train.Feature(int64_list=tf.train.Int64List(value=[5, 6]))}
                )
            )
            found = parsing.parse_single_example_v2(example.SerializeToString(), features)
            self.assertAllEqual(found["x"], [1, 2])
            self.assertAllEqual(found["y"].values, [5, 6])
            self.assertAllEqual(
                parsing.decode_raw(constant_op.constant(b"\x01\x00\x02\x00"), dtypes.int16), [1, 2]
            )
            self.assertAllEqual(
                internal("ops.parsing_ops").decode_csv(constant_op.constant(["1,2"]), [[0], [0]])[
                    1
                ],
                [2],
            )

        def test_tensors(self) -> None:
            x = constant_op.constant([1, 2])
            self.assertEqual(str(x), "tf.Tensor([1 2], shape=(2,), dtype=int32)")
            self.assertEqual(
                repr(x), "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"
            )
            with self.assertRaisesRegex(TypeError, "Tensor is unhashable"):
                hash(x)
            with self.assertRaises((ValueError, TypeError)):
                bool(x)
            with self.assertRaises((ValueError, TypeError)):
                int(x)
            self.assertEqual([int(v) for v in x], [1, 2])
            with framework.Graph().as_default():
                y = array_ops.placeholder(dtypes.float32, [None, 2], name="y")
                self.assertEqual(repr(y), "<tf.Tensor 'y:0' shape=(None, 2) dtype=float32>")
                self.assertEqual(math_ops.add(y, 1.0, name="z").op.name, "z")
                with self.assertRaisesRegex(
                    TypeError, "is not allowed|Iterating over a symbolic|not iterable|iterat"
                ):
                    list(array_ops.placeholder(dtypes.float32))
                with self.assertRaisesRegex(TypeError, "as a Python `bool` is not allowed"):
                    bool(y)

        def test_close(self) -> None:
            with self.assertRaises(AssertionError):
                self.assertAllClose([1.0], [1.1])
            with self.assertRaises(AssertionError):
                self.assertAllEqual([1], [2])
            self.assertAllInRange([1, 2], 0, 3)
            self.assertAllGreater([1, 2], 0)
            self.assertAllCloseAccordingToType(np.float16(1.0), np.float16(1.0005))
            self.assertShapeEqual(np.ones([2]), array_ops.ones([2]))
            self.assertProtoEquals("", tf.compat.v1.GraphDef())
            self.assertDTypeEqual(constant_op.constant(1.0), np.float32)
            self.assertStartsWith("abc", "a")
            self.assertNotAllClose([1.0], [2.0])

    return Kinds
