"""Test cases as TensorFlow writes them: math_ops and its neighbours."""

# mypy: disable-error-code="no-any-return, misc, no-untyped-call, func-returns-value"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import internal


def case(tf: Any) -> Any:
    """The test case."""
    ops, util, errors = (
        internal("ops.math_ops"),
        internal("framework.test_util"),
        internal("framework.errors_impl"),
    )
    dtypes, constant_op, array_ops = (
        internal("framework.dtypes"),
        internal("framework.constant_op"),
        internal("ops.array_ops"),
    )
    checker = internal("ops.gradient_checker_v2")

    class Numbers(tf.test.TestCase):
        @util.run_in_graph_and_eager_modes
        def test_reductions(self) -> None:
            x = constant_op.constant([[1, 2, 3], [4, 5, 6]])
            self.assertAllEqual(self.evaluate(ops.reduce_sum(x, [-1])), [6, 15])
            self.assertAllEqual(self.evaluate(ops.reduce_sum(x, axis=())), [[1, 2, 3], [4, 5, 6]])
            self.assertAllEqual(self.evaluate(ops.reduce_mean(x)), 3)
            self.assertAllEqual(self.evaluate(ops.reduce_prod(x, 0, keepdims=True)), [[4, 10, 18]])
            self.assertAllClose(self.evaluate(ops.reduce_std([1.0, 3.0])), 1.0)
            with self.assertRaisesRegex(
                (ValueError, errors.InvalidArgumentError), "Invalid reduction dimension"
            ):
                self.evaluate(ops.reduce_sum(x, 5))
            with self.assertRaisesRegex(TypeError, "must be either real or complex"):
                ops.reduce_std(x)

        @util.run_in_graph_and_eager_modes
        def test_log_sum_exp(self) -> None:
            self.assertAllClose(self.evaluate(ops.reduce_logsumexp([1000.0, 1000.0])), 1000.693147)
            self.assertAllEqual(self.evaluate(ops.reduce_logsumexp([-np.inf, -np.inf])), -np.inf)
            self.assertAllClose(
                self.evaluate(ops.cumulative_logsumexp([0.0, 0.0])), [0.0, np.log(2.0)]
            )

        @util.run_in_graph_and_eager_modes
        def test_divisions(self) -> None:
            a, b = constant_op.constant([7, -7]), constant_op.constant([2, 2])
            self.assertAllEqual(self.evaluate(a // b), [3, -4])
            self.assertAllEqual(self.evaluate(a % b), [1, 1])
            self.assertAllEqual(self.evaluate(ops.truncatediv(a, b)), [3, -3])
            self.assertAllEqual(self.evaluate(a / b), [3.5, -3.5])
            self.assertAllEqual(self.evaluate(ops.div_no_nan([1.0], [0.0])), [0.0])
            self.assertAllEqual(self.evaluate(ops.multiply_no_nan([np.inf], [0.0])), [0.0])
            with self.assertRaisesRegex(errors.InvalidArgumentError, "Integer division by zero"):
                self.evaluate(a // constant_op.constant([0, 1]))
            with self.assertRaises((TypeError, errors.InvalidArgumentError)):
                self.evaluate(constant_op.constant(1) / constant_op.constant(1.0))

        @util.run_in_graph_and_eager_modes
        def test_sums_of_many(self) -> None:
            x = constant_op.constant([1, 2])
            self.assertAllEqual(self.evaluate(ops.add_n([x, x, x])), [3, 6])
            self.assertAllEqual(self.evaluate(ops.accumulate_n([x, x])), [2, 4])
            with self.assertRaisesRegex(ValueError, "Inputs must be an iterable of at least one"):
                ops.add_n([])
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(ops.add_n([x, constant_op.constant([1, 2, 3])]))
            with self.assertRaises(ValueError):
                ops.accumulate_n([x, constant_op.constant(1.0)])

        @util.run_in_graph_and_eager_modes
        def test_products(self) -> None:
            a = constant_op.constant(np.arange(6.0).reshape(2, 3))
            self.assertAllEqual(
                self.evaluate(ops.matmul(a, a, transpose_b=True)), [[5, 14], [14, 50]]
            )
            self.assertAllEqual(self.evaluate(ops.tensordot(a, a, [[1], [1]])), [[5, 14], [14, 50]])
            self.assertAllEqual(self.evaluate(ops.matvec(a, np.ones(3))), [3, 12])
            with self.assertRaisesRegex(
                (ValueError, errors.InvalidArgumentError),
                "Matrix size-incompatible|Dimensions must be equal",
            ):
                self.evaluate(ops.matmul(a, a))
            with self.assertRaisesRegex(
                ValueError, "Only one of `transpose_a` and `adjoint_a` can be True"
            ):
                ops.matmul(a, a, transpose_a=True, adjoint_a=True)
            with self.assertRaisesRegex(ValueError, ""):
                ops.tensordot(a, a, [[1, 0], [1]])

        @util.run_in_graph_and_eager_modes
        def test_ranges_and_lines(self) -> None:
            self.assertAllEqual(self.evaluate(ops.range(1, 9, 3)), [1, 4, 7])
            self.assertAllClose(self.evaluate(ops.linspace_nd(0.0, 1.0, 3)), [0, 0.5, 1])
            self.assertEqual(ops.range(constant_op.constant(3.0)).dtype, dtypes.float32)
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(ops.range(0, 5, 0))

        @util.run_in_graph_and_eager_modes
        def test_cumulative(self) -> None:
            x = constant_op.constant([1, 2, 3])
            self.assertAllEqual(self.evaluate(ops.cumsum(x, exclusive=True)), [0, 1, 3])
            self.assertAllEqual(self.evaluate(ops.cumprod(x, reverse=True)), [6, 6, 3])
            with self.assertRaisesRegex(
                (ValueError, errors.InvalidArgumentError), "Expected scan axis in the range|range"
            ):
                self.evaluate(ops.cumsum(x, 4))

        @util.run_in_graph_and_eager_modes
        def test_segments(self) -> None:
            x, ids = constant_op.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), [0, 0, 1]
            self.assertAllEqual(self.evaluate(ops.segment_sum(x, ids)), [[4, 6], [5, 6]])
            self.assertAllEqual(self.evaluate(ops.segment_mean(x, ids)), [[2, 3], [5, 6]])
            self.assertAllEqual(
                self.evaluate(ops.unsorted_segment_max(x, [1, 1, 0], 2)), [[5, 6], [3, 4]]
            )
            self.assertAllEqual(self.evaluate(ops.sparse_segment_sum(x, [0, 2], [0, 0])), [[6, 8]])
            with self.assertRaisesRegex(
                (ValueError, errors.InvalidArgumentError), "segment ids are not increasing|must be"
            ):
                self.evaluate(ops.segment_sum(x, [1, 0, 0]))
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(ops.segment_sum(x, [0, 1]))
            with self.assertRaisesRegex(
                errors.InvalidArgumentError, r"segment_ids.* is out of range"
            ):
                self.evaluate(ops.unsorted_segment_sum(x, [0, 9, 1], 2))

        def test_counts(self) -> None:
            bincount = internal("ops.bincount_ops")
            self.assertAllEqual(self.evaluate(bincount.bincount([1, 1, 3])), [0, 2, 0, 1])
            self.assertAllEqual(
                self.evaluate(bincount.bincount([[1, 1], [0, 2]], axis=-1, minlength=3)),
                [[0, 2, 0], [1, 0, 1]],
            )
            self.assertAllEqual(
                self.evaluate(bincount.bincount([1, 3], weights=[0.5, 2.0], maxlength=2)),
                [0.0, 0.5],
            )
            self.assertAllEqual(
                self.evaluate(bincount.bincount([1, 1], binary_output=True)), [0, 1]
            )
            with self.assertRaises(errors.InvalidArgumentError):
                self.evaluate(bincount.bincount([-1, 1]))
            with self.assertRaisesRegex(ValueError, "[Uu]nsupported value for argument axis"):
                bincount.bincount([[1]], axis=5)
            histogram = internal("ops.histogram_ops")
            self.assertAllEqual(
                self.evaluate(
                    histogram.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15], [0.0, 5.0], 5)
                ),
                [2, 1, 1, 0, 2],
            )
            self.assertAllEqual(
                self.evaluate(histogram.histogram_fixed_width_bins([-1.0, 2.0], [0.0, 5.0], 5)),
                [0, 2],
            )

        def test_confusion(self) -> None:
            confusion = internal("ops.confusion_matrix")
            self.assertAllEqual(
                self.evaluate(confusion.confusion_matrix([1, 2], [1, 0])),
                [[0, 0, 0], [0, 1, 0], [1, 0, 0]],
            )
            with self.assertRaises(errors.InvalidArgumentError):
                self.evaluate(confusion.confusion_matrix([1, -2], [1, 0]))
            with self.assertRaises(errors.InvalidArgumentError):
                self.evaluate(confusion.confusion_matrix([1, 2], [1, 0], num_classes=2))

        @util.run_in_graph_and_eager_modes
        def test_clips(self) -> None:
            clip = internal("ops.clip_ops")
            x = constant_op.constant([-3.0, 4.0])
            self.assertAllClose(self.evaluate(clip.clip_by_value(x, -1.0, 1.0)), [-1, 1])
            self.assertAllClose(self.evaluate(clip.clip_by_norm(x, 1.0)), [-0.6, 0.8])
            found, norm = clip.clip_by_global_norm([x, None, x], 5.0)
            self.assertIsNone(found[1])
            self.assertAllClose(self.evaluate(norm), 7.0710678)
            self.assertAllClose(self.evaluate(clip.global_norm([x])), 5.0)
            with self.assertRaisesRegex(TypeError, "`t_list` should be a sequence"):
                clip.clip_by_global_norm(x, 1.0)

        def test_special(self) -> None:
            special = internal("ops.special_math_ops")
            self.assertAllClose(self.evaluate(special.lbeta([1.0, 2.0])), -0.693147)
            self.assertAllClose(self.evaluate(special.bessel_i0([0.0, 1.0])), [1.0, 1.266066])
            self.assertAllClose(self.evaluate(special.dawsn([1.0])), [0.5380795])
            self.assertAllClose(self.evaluate(special.expint([1.0])), [1.8951178])
            self.assertAllClose(
                self.evaluate(special.einsum("ij,jk->ik", np.eye(2), np.ones([2, 2]))),
                np.ones([2, 2]),
            )
            for bad in ("ij,jk,->", "ij,jk->iz", "ijj->k", "...a->...b", "a b,c"):
                with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                    self.evaluate(special.einsum(bad, np.eye(2), np.ones([2, 2])))

        def test_gradients_checked(self) -> None:
            x = constant_op.constant([0.3, 0.7, 1.2], dtypes.float64)
            for f in (
                ops.tanh,
                ops.erf,
                ops.lgamma,
                ops.digamma,
                ops.asinh,
                ops.sqrt,
                ops.sinh,
                ops.log1p,
                ops.erfinv,
            ):
                y = x * 0.5 if f is ops.erfinv else x
                self.assertLess(checker.max_error(*checker.compute_gradient(f, [y])), 1e-3)

        @util.run_in_graph_and_eager_modes
        def test_casts(self) -> None:
            self.assertAllEqual(self.evaluate(ops.cast([1.7, -1.7], dtypes.int32)), [1, -1])
            self.assertAllEqual(
                self.evaluate(ops.saturate_cast([300.0, -5.0], dtypes.uint8)), [255, 0]
            )
            self.assertEqual(
                ops.cast(constant_op.constant(1), dtypes.float16).dtype, dtypes.float16
            )
            self.assertAllEqual(self.evaluate(ops.to_float([1])), [1.0])
            with self.assertRaises((TypeError, ValueError, errors.UnimplementedError)):
                self.evaluate(ops.cast(constant_op.constant("a"), dtypes.float32))

        @util.run_in_graph_and_eager_modes
        def test_comparisons(self) -> None:
            a = constant_op.constant([1, 2])
            self.assertAllEqual(self.evaluate(ops.equal(a, [1, 3])), [True, False])
            self.assertAllEqual(
                self.evaluate(ops.approximate_equal([1.0], [1.00001], tolerance=0.1)), [True]
            )
            self.assertAllEqual(self.evaluate(ops.logical_xor([True], [True])), [False])
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(ops.less(a, constant_op.constant([1, 2, 3])))
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(array_ops.where_v2([True, False, True], [1, 2], 0))

        @util.run_in_graph_and_eager_modes
        def test_linear_algebra(self) -> None:
            linalg = internal("ops.linalg_ops")
            m = constant_op.constant([[4.0, 1.0], [1.0, 3.0]])
            self.assertAllClose(
                self.evaluate(linalg.matrix_inverse(m)), np.linalg.inv([[4, 1], [1, 3]])
            )
            self.assertAllClose(
                self.evaluate(linalg.cholesky_solve(linalg.cholesky(m), [[1.0], [2.0]])),
                np.linalg.solve([[4, 1], [1, 3]], [[1], [2]]),
            )
            self.assertAllClose(
                self.evaluate(linalg.matrix_solve(m, [[1.0], [2.0]], adjoint=True)),
                np.linalg.solve([[4, 1], [1, 3]], [[1], [2]]),
            )
            self.assertAllClose(
                self.evaluate(linalg.norm_v2(m, "fro", axis=(-2, -1))), np.sqrt(27.0)
            )
            with self.assertRaisesRegex(errors.InvalidArgumentError, "Input is not invertible"):
                self.evaluate(linalg.matrix_inverse([[1.0, 2.0], [2.0, 4.0]]))
            with self.assertRaises((ValueError, errors.InvalidArgumentError)):
                self.evaluate(linalg.matrix_determinant([[1.0, 2.0, 3.0]]))
            with self.assertRaisesRegex(ValueError, "'ord' must be a supported"):
                linalg.norm_v2(m, "other")

    return Numbers
