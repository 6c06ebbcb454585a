"""Test cases as TensorFlow writes them: array_ops."""

# mypy: disable-error-code="no-any-return, misc, no-untyped-call, func-returns-value"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import internal


def case(tf: Any) -> Any:
    """The test case."""
    ops, util, errors = (
        internal("ops.array_ops"),
        internal("framework.test_util"),
        internal("framework.errors_impl"),
    )
    dtypes, constant_op, math_ops = (
        internal("framework.dtypes"),
        internal("framework.constant_op"),
        internal("ops.math_ops"),
    )
    shapes = internal("framework.tensor_shape")
    gen, stack = internal("ops.gen_array_ops"), internal("ops.array_ops_stack")

    class Arrays(tf.test.TestCase):
        @util.run_in_graph_and_eager_modes
        def test_reverse_of_one_axis(self) -> None:
            x = np.array([[1, 2, 3], [4, 5, 6]], np.int32)
            self.assertAllEqual(self.evaluate(ops.reverse_v2(x, [-1])), x[:, ::-1])
            with self.assertRaisesRegex(
                (ValueError, errors.InvalidArgumentError), "is out of.* range"
            ):
                self.evaluate(ops.reverse_v2(x, [-30]))
            with self.assertRaisesRegex(
                (ValueError, errors.InvalidArgumentError), "axis 0 specified more than once"
            ):
                self.evaluate(ops.reverse_v2(x, [0, -2]))

        def test_mask_of_scalar(self) -> None:
            with self.assertRaisesRegex(ValueError, "mask cannot be scalar"):
                ops.boolean_mask([1, 2, 3], True)
            with self.assertRaisesRegex(ValueError, "incompatible|Shapes"):
                ops.boolean_mask([1, 2, 3], [True, False])

        @util.run_deprecated_v1
        def test_mask_of_placeholder(self) -> None:
            p = ops.placeholder(dtypes.int32, shape=[2, None])
            m = ops.placeholder(dtypes.bool, shape=[None])
            with self.cached_session() as session:
                found = session.run(ops.boolean_mask(p, m), {p: [[1, 2], [3, 4]], m: [False, True]})
            self.assertAllEqual(found, [[3, 4]])

        @util.run_in_graph_and_eager_modes
        def test_slices_checked(self) -> None:
            x = constant_op.constant([[0, 1], [2, 3]])
            self.assertAllEqual(self.evaluate(x[1:, ::-1]), [[3, 2]])
            with self.assertRaisesRegex(TypeError, "must be integers, slices|Invalid|slice"):
                _ = x[1.5]
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(x[5])
            with self.assertRaisesRegex(
                (ValueError, errors.InvalidArgumentError),
                "slice index 3 of dimension 0 out of bounds",
            ):
                self.evaluate(x[3])
            with self.assertRaises(
                (IndexError, ValueError, TypeError, errors.InvalidArgumentError)
            ):
                self.evaluate(x[0, 0, 0])
            with self.assertRaisesRegex(
                (ValueError, errors.InvalidArgumentError), r"strides\[0\] must be non-zero"
            ):
                self.evaluate(x[::0])

        @util.run_deprecated_v1
        def test_slice_assigned(self) -> None:
            resource = internal("ops.resource_variable_ops")
            v = resource.ResourceVariable([1, 2, 3, 4])
            with self.cached_session():
                self.evaluate(v.initializer)
                self.evaluate(v[1:3].assign([9, 8]))
                self.assertAllEqual(self.evaluate(v), [1, 9, 8, 4])

        @util.run_in_graph_and_eager_modes
        def test_strided_slice_gradients(self) -> None:
            x = constant_op.constant(np.arange(12.0).reshape(3, 4))
            with internal("eager.backprop").GradientTape() as tape:
                tape.watch(x)
                y = x[::2, 1] * 3.0
            self.assertAllEqual(
                self.evaluate(tape.gradient(y, x)), [[0, 3, 0, 0], [0, 0, 0, 0], [0, 3, 0, 0]]
            )
            grad = gen.strided_slice_grad(shape=[4], begin=[1], end=[3], strides=[1], dy=[1, 2])
            self.assertAllEqual(self.evaluate(grad), [0, 1, 2, 0])

        @util.run_in_graph_and_eager_modes
        def test_sequence_masks(self) -> None:
            self.assertAllEqual(
                self.evaluate(ops.sequence_mask([1, 3, 2], 5)),
                [[1, 0, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]],
            )
            with self.assertRaisesRegex(ValueError, "must be scalar"):
                ops.sequence_mask([10, 20], [10, 20])
            self.assertEqual(
                ops.sequence_mask(constant_op.constant([[0, 1], [2, 0]]), 2, dtypes.float32).dtype,
                dtypes.float32,
            )

        @util.run_in_graph_and_eager_modes
        def test_pads(self) -> None:
            x = constant_op.constant([[1, 2], [3, 4]])
            self.assertAllEqual(
                self.evaluate(ops.pad(x, [[1, 0], [0, 1]], constant_values=9)),
                [[9, 9, 9], [1, 2, 9], [3, 4, 9]],
            )
            self.assertAllEqual(
                self.evaluate(ops.pad(x, [[1, 1], [0, 1]], "REFLECT")),
                [[3, 4, 3], [1, 2, 1], [3, 4, 3], [1, 2, 1]],
            )
            self.assertAllEqual(
                self.evaluate(ops.pad(x, [[0, 1], [1, 0]], "SYMMETRIC")),
                [[1, 1, 2], [3, 3, 4], [3, 3, 4]],
            )
            with self.assertRaisesRegex(
                ValueError, "must be in|Unknown padding mode|Value of argument `mode`"
            ):
                ops.pad(x, [[1, 0], [0, 1]], "other")
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(ops.pad(x, [[-1, 0], [0, 1]]))
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(ops.pad(x, [[3, 0], [0, 1]], "REFLECT"))

        @util.run_in_graph_and_eager_modes
        def test_concat_and_stack(self) -> None:
            a, b = constant_op.constant([[1, 2]]), constant_op.constant([[3, 4]])
            self.assertAllEqual(self.evaluate(ops.concat([a, b], -1)), [[1, 2, 3, 4]])
            self.assertAllEqual(self.evaluate(stack.stack([a, b], axis=2)), [[[1, 3], [2, 4]]])
            for got, want in zip(stack.unstack(a, axis=1), (1, 2), strict=True):
                self.assertAllEqual(self.evaluate(got), [want])
            with self.assertRaisesRegex(ValueError, r"Argument `axis` = 3 not in range \[-3, 3\)"):
                stack.stack([a, b], axis=3)
            with self.assertRaisesRegex(ValueError, "not in range"):
                stack.unstack(a, axis=2)
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(ops.concat([a, constant_op.constant([1])], 0))

        @util.run_in_graph_and_eager_modes
        def test_gathers(self) -> None:
            x = constant_op.constant([[1.0, 2.0], [3.0, 4.0]])
            self.assertAllEqual(self.evaluate(ops.gather(x, [[1]], axis=1)), [[[2.0]], [[4.0]]])
            self.assertAllEqual(
                self.evaluate(ops.gather(x, [[0], [1]], batch_dims=1)), [[1.0], [4.0]]
            )
            self.assertAllEqual(self.evaluate(ops.gather_nd(x, [[1, 0]])), [3.0])
            with self.assertRaisesRegex(
                (ValueError, errors.InvalidArgumentError), r"indices\[0\] = 7 is not in \[0, 2\)"
            ):
                self.evaluate(ops.gather(x, [7]))
            with self.assertRaisesRegex(
                (ValueError, errors.InvalidArgumentError),
                r"indices\[0\] = \[0, 9\] does not index into param",
            ):
                self.evaluate(ops.gather_nd(x, [[0, 9]]))

        @util.run_in_graph_and_eager_modes
        def test_transposes_and_reshapes(self) -> None:
            x = constant_op.constant(np.arange(6).reshape(1, 2, 3))
            self.assertEqual(ops.transpose(x, [2, 0, 1]).get_shape(), shapes.TensorShape([3, 1, 2]))
            self.assertAllEqual(self.evaluate(ops.squeeze(x, [0])), [[0, 1, 2], [3, 4, 5]])
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(ops.squeeze(x, [1]))
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(ops.reshape(x, [-1, -1]))
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(ops.reshape(x, [7]))
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(ops.transpose(x, [0, 0, 1]))
            self.assertEqual(ops.expand_dims(x, -1).shape.as_list(), [1, 2, 3, 1])
            self.assertAllEqual(self.evaluate(ops.matrix_transpose(x)), [[[0, 3], [1, 4], [2, 5]]])

        @util.run_in_graph_and_eager_modes
        def test_scatters(self) -> None:
            self.assertAllEqual(
                self.evaluate(ops.scatter_nd([[1], [3]], [5, 6], [4])), [0, 5, 0, 6]
            )
            t = constant_op.constant([1, 1, 1])
            self.assertAllEqual(self.evaluate(ops.tensor_scatter_update(t, [[0]], [9])), [9, 1, 1])
            self.assertAllEqual(
                self.evaluate(ops.tensor_scatter_add(t, [[0], [0]], [9, 1])), [11, 1, 1]
            )
            self.assertAllEqual(self.evaluate(ops.tensor_scatter_max(t, [[2]], [7])), [1, 1, 7])
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(ops.scatter_nd([[5]], [5], [4]))

        @util.run_in_graph_and_eager_modes
        def test_fills_and_diagonals(self) -> None:
            self.assertAllEqual(self.evaluate(ops.fill([2, 1], 7)), [[7], [7]])
            self.assertAllEqual(
                self.evaluate(ops.matrix_diag([1, 2], k=1)), [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
            )
            self.assertAllEqual(
                self.evaluate(ops.matrix_band_part(ops.ones([3, 3]), 0, 1)),
                [[1, 1, 0], [0, 1, 1], [0, 0, 1]],
            )
            self.assertAllEqual(
                self.evaluate(ops.matrix_set_diag(ops.zeros([2, 2]), [5.0, 6.0])), [[5, 0], [0, 6]]
            )
            self.assertAllEqual(self.evaluate(ops.diag_part([[1, 2], [3, 4]])), [1, 4])
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(ops.fill([-1], 7))

        def test_shapes_of_broadcasts(self) -> None:
            self.assertAllEqual(self.evaluate(ops.broadcast_dynamic_shape([2, 1], [3])), [2, 3])
            self.assertEqual(
                ops.broadcast_static_shape(
                    shapes.TensorShape([None, 1]), shapes.TensorShape([3])
                ).as_list(),
                [None, 3],
            )
            with self.assertRaisesRegex(ValueError, "Incompatible shapes for broadcasting"):
                ops.broadcast_static_shape(shapes.TensorShape([2]), shapes.TensorShape([3]))
            self.assertAllEqual(self.evaluate(ops.broadcast_to([1, 2], [2, 2])), [[1, 2], [1, 2]])

        @util.run_deprecated_v1
        def test_placeholders(self) -> None:
            with self.cached_session():
                p = ops.placeholder_with_default([1, 1], [None])
                q = ops.identity(p)
                self.assertAllEqual(self.evaluate(q), [1, 1])
                self.assertAllEqual(q.eval(feed_dict={p: [6, 6, 6]}), [6, 6, 6])
                with self.assertRaises(ValueError):
                    q.eval(feed_dict={p: [[6, 6]]})
            with (
                self.assertRaisesRegex(
                    errors.InvalidArgumentError, "must feed a value for placeholder tensor"
                ),
                self.cached_session(),
            ):
                ops.identity(ops.placeholder(dtypes.float32)).eval()

        @util.run_in_graph_and_eager_modes
        def test_quantized(self) -> None:
            x = constant_op.constant([-1.0, 0.2, 0.6])
            found = ops.quantize_and_dequantize_v2(x, -1.0, 1.0, range_given=True)
            self.assertAllClose(self.evaluate(found), [-1.0, 0.203125, 0.6015625], atol=0.02)
            y = internal("ops.gen_array_ops").fake_quant_with_min_max_args(x, min=-1.0, max=1.0)
            self.assertAllClose(self.evaluate(y), [-1.0, 0.2, 0.6], atol=0.01)

        @util.run_in_graph_and_eager_modes
        def test_space_and_batch(self) -> None:
            x = constant_op.constant(np.arange(4.0).reshape(1, 2, 2, 1))
            b = (
                ops.space_to_batch(x, [[0, 0], [0, 0]], 2)
                if not internal("eager.context").executing_eagerly()
                else ops.space_to_batch_v2(x, [2, 2], [[0, 0], [0, 0]])
            )
            self.assertAllEqual(self.evaluate(b).ravel(), [0, 1, 2, 3])
            self.assertAllEqual(
                self.evaluate(ops.batch_to_space_v2(b, [2, 2], [[0, 0], [0, 0]])), self.evaluate(x)
            )
            self.assertAllEqual(self.evaluate(ops.space_to_depth(x, 2)).ravel(), [0, 1, 2, 3])

        @util.run_in_graph_and_eager_modes
        def test_where_and_unique(self) -> None:
            self.assertAllEqual(self.evaluate(ops.where([True, False, True])), [[0], [2]])
            self.assertAllEqual(self.evaluate(ops.where_v2([True, False], [1, 2], 7)), [1, 7])
            y, at, counts = self.evaluate(ops.unique_with_counts([3, 1, 3]))
            self.assertAllEqual(y, [3, 1])
            self.assertAllEqual(at, [0, 1, 0])
            self.assertAllEqual(counts, [2, 1])
            self.assertAllEqual(self.evaluate(ops.unravel_index([5], [2, 3])), [[1], [2]])
            self.assertAllEqual(self.evaluate(ops.searchsorted([1, 3, 5], [3], side="right")), [2])
            self.assertAllEqual(
                self.evaluate(
                    ops.edit_distance(
                        tf.sparse.from_dense([[1, 2]]),
                        tf.sparse.from_dense([[1, 3]]),
                        normalize=False,
                    )
                ),
                [1.0],
            )

        @util.run_in_graph_and_eager_modes
        def test_guards_and_identities(self) -> None:
            a, b = self.evaluate(ops.identity_n([1, 2.5]))
            self.assertEqual((a, b), (1, 2.5))
            self.assertAllEqual(self.evaluate(ops.guarantee_const([1])), [1])
            self.assertAllEqual(self.evaluate(ops.rank([[1, 2]])), 2)
            self.assertAllEqual(self.evaluate(ops.size([[1, 2]])), 2)
            self.assertAllEqual(self.evaluate(ops.repeat([1, 2], [2, 1])), [1, 1, 2])
            self.assertAllEqual(self.evaluate(ops.tile([1, 2], [2])), [1, 2, 1, 2])
            self.assertAllEqual(self.evaluate(math_ops.range(3)), [0, 1, 2])
            self.assertAllEqual(
                self.evaluate(ops.one_hot([1], 2, on_value=5, off_value=-5)), [[-5, 5]]
            )
            self.assertAllEqual(
                self.evaluate(ops.bitcast(constant_op.constant(1.0), dtypes.int32)), 1065353216
            )

    return Arrays
