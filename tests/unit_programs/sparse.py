"""Sparse and ragged tensors, sets, and lookups, as TensorFlow's tests use them."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import Programs, everywhere, in_session, internal, refusal


def programs(tf: Any) -> Programs:
    return sparse(tf) | raw_sparse(tf) | ragged(tf) | sets(tf)


def some(tf: Any, values: Any = (1.0, -2.0, 3.0)) -> Any:
    """[[1 0 -2] [0 0 0] [0 3 0]]."""
    return tf.SparseTensor([[0, 0], [0, 2], [2, 1]], list(values), [3, 3])


def sparse(tf: Any) -> Programs:
    """tf.sparse, and what TensorFlow 1 has of it."""

    def combined() -> Any:
        s, f = some(tf), tf.sparse
        t = f.from_dense(tf.constant([[0.0, 5.0, 1.0]]))
        return [
            f.add(s, s),
            f.add(s, f.map_values(lambda v: -v, s), threshold=0.1),
            f.add(s, tf.ones([3, 3])),
            f.concat(0, [s, t]),
            f.concat(1, [s, t], expand_nonconcat_dims=True),
            f.split(s, 2, 1),
            f.slice(s, [0, 1], [3, 2]),
            f.reshape(s, [-1]),
            f.reorder(tf.SparseTensor([[2, 0], [0, 1]], [1, 2], [3, 2])),
            f.transpose(s, [1, 0]),
            f.transpose(s),
            f.to_dense(s, default_value=9.0),
            f.reduce_sum(s, 1),
            f.reduce_max(s, 0, keepdims=True),
            f.reduce_sum(s, output_is_sparse=True, axis=[0]),
            f.softmax(s),
            f.maximum(s, f.map_values(lambda v: v * 0.0, s)),
            f.minimum(s, s),
            f.fill_empty_rows(s, 7.0),
            f.retain(s, [True, False, True]),
            f.reset_shape(s),
            f.reset_shape(s, [4, 5]),
            f.sparse_dense_matmul(s, tf.ones([3, 2])),
            f.sparse_dense_matmul(tf.ones([2, 3]), s),
            f.sparse_dense_matmul(s, tf.ones([2, 3]), adjoint_a=True, adjoint_b=True),
            f.segment_sum(tf.ones([3, 2]), [0, 2], [0, 0]),
            f.segment_mean(tf.ones([3, 2]), [0, 2], [0, 2], num_segments=4),
            f.segment_sqrt_n(tf.ones([3, 2]), [0, 2, 1], [0, 0, 1]),
            f.eye(2, 3),
            f.bincount([[1, 1, 0]], minlength=4),
            f.to_indicator(tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1]), 3),
            f.mask(tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([4, 7])), [4]).values,
            s * tf.constant([[2.0], [1.0], [3.0]]),
            s / 2.0,
            f.expand_dims(s, -1),
            f.map_values(tf.abs, s),
        ]

    def refused() -> Any:
        s, f = some(tf), tf.sparse
        return [
            refusal(lambda: tf.SparseTensor([[0]], [1.0], [2, 2]), ""),
            refusal(lambda: tf.SparseTensor([0], [1.0], [2]), ""),
            refusal(lambda: tf.SparseTensor([[0]], [1.0, 2.0], [2]), ""),
            refusal(lambda: f.to_dense(tf.SparseTensor([[1], [0]], [1, 2], [2])), "out of order"),
            refusal(lambda: f.to_dense(tf.SparseTensor([[1], [1]], [1, 2], [2])), "is repeated"),
            refusal(lambda: f.to_dense(tf.SparseTensor([[3]], [1], [2])), "out of bounds"),
            refusal(lambda: f.add(s, f.from_dense([[1.0]])), ""),
            refusal(lambda: f.add(tf.ones([3]), tf.ones([3])), "At least one input should be"),
            refusal(lambda: f.concat(0, [s, f.from_dense([[1.0]])]), "Concat shapes|expected"),
            refusal(lambda: f.concat(5, [s, s]), ""),
            refusal(lambda: f.split(s, 0, 1), ""),
            refusal(lambda: f.reshape(s, [-1, -1]), ""),
            refusal(lambda: f.reshape(s, [2, 2]), ""),
            refusal(lambda: f.retain(s, [True]), ""),
            refusal(lambda: f.sparse_dense_matmul(s, tf.ones([2, 2])), ""),
            refusal(lambda: f.reduce_sum(s, 5), ""),
            refusal(lambda: f.reset_shape(s, [2, 2]), ""),
            refusal(lambda: f.fill_empty_rows(s, [1.0]), ""),
            refusal(lambda: f.softmax(tf.SparseTensor([[0]], [1.0], [2])), ""),
            refusal(lambda: tf.convert_to_tensor(s), ""),
            refusal(lambda: f.mask(s, [0]), ""),
            refusal(lambda: f.segment_sum(tf.ones([2, 2]), [2], [0]), ""),
            refusal(lambda: f.segment_sum(tf.ones([2, 2]), [0, 1], [1, 0]), "segment ids are not"),
        ]

    def gradients() -> Any:
        def build() -> Any:
            v = tf.constant([1.0, -2.0, 3.0])
            s = tf.SparseTensor([[0, 0], [0, 2], [2, 1]], v * v, [3, 3])
            d = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
            f = tf.sparse
            found = [
                f.to_dense(s) * 2.0,
                f.add(s, s).values * v,
                f.add(s, tf.reshape(tf.range(9.0), [3, 3])) ** 2,
                f.sparse_dense_matmul(s, d) ** 2,
                f.reduce_sum(s, 0) ** 2,
                f.softmax(s).values * v,
                f.reorder(s).values * v,
                f.slice(s, [0, 1], [3, 2]).values ** 2,
                f.fill_empty_rows(s, 2.0)[0].values ** 2,
                (s * d[:, :1]).values,
            ]
            return [tf.gradients(y, v)[0] for y in found]

        return in_session(tf, build)

    def shapes() -> Any:
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            p = v1.sparse_placeholder(tf.float32, [None, 4])
            q = v1.sparse_placeholder(tf.float32)
            d = tf.sparse.to_dense(p)
            feed = v1.SparseTensorValue([[1, 2]], [5.0], [2, 4])
            return [
                p.shape.as_list(),
                q.shape.rank,
                d.shape.as_list(),
                tf.sparse.reduce_sum(p, 1).shape.rank,
                tf.sparse.reorder(p).shape.as_list(),
                v1.Session().run(d, {p: feed}),
                v1.Session().run(tf.shape(tf.sparse.to_dense(q)), {q: feed}),
            ]

    def version1() -> Any:
        v1, s = tf.compat.v1, some(tf)
        return [
            v1.sparse_reduce_sum(s, 1),
            v1.sparse_reduce_max_sparse(s, 0),
            v1.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [5, 6], default_value=1),
            v1.sparse_to_dense(1, [3], 4),
            v1.sparse_tensor_to_dense(s),
            v1.sparse_add(s, s, thresh=3),
            v1.sparse_segment_sum(tf.ones([3, 2]), [0, 2], [0, 1]),
            v1.sparse_placeholder is not None,
            v1.sparse_merge(
                tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1]),
                tf.SparseTensor([[0, 0], [1, 0]], [0.5, 1.5], [2, 1]),
                3,
            ),
        ]

    def crossed() -> Any:
        a = tf.sparse.from_dense([["x", "y"], ["z", ""]])
        b = tf.constant([["p"], ["q"]])
        return (
            tf.sparse.cross([a, b]),
            tf.sparse.cross([a, b], separator="-"),
            tf.sparse.to_dense(tf.sparse.cross_hashed([a, b], num_buckets=50, hash_key=3)),
        )

    return {
        "sparse": lambda: everywhere(tf, combined),
        "sparse refused": refused,
        "sparse gradients": gradients,
        "sparse shapes": shapes,
        "sparse of version 1": version1,
        "sparse crossed": lambda: everywhere(tf, crossed),
    }


def raw_sparse(tf: Any) -> Programs:
    """The generated functions of sparse tensors."""

    def values() -> Any:
        g = internal("ops.gen_sparse_ops")
        s = some(tf)
        i, v, d = s.indices, s.values, s.dense_shape
        return [
            g.sparse_add(i, v, d, i, v, d, 0.0),
            g.sparse_concat([i, i], [v, v], [d, d], 0),
            g.sparse_dense_cwise_add(i, v, d, [[1.0, 2.0, 3.0]]),
            g.sparse_dense_cwise_mul(i, v, d, [[1.0, 2.0, 3.0]]),
            g.sparse_dense_cwise_div(i, v, d, 2.0),
            g.sparse_fill_empty_rows(i, v, d, 8.0),
            g.sparse_fill_empty_rows_grad([0, 2, 3], [1.0, 2.0, 3.0, 4.0]),
            g.sparse_reduce_sum(i, v, d, [1], True),
            g.sparse_reduce_max(i, v, d, [0]),
            g.sparse_reduce_sum_sparse(i, v, d, [1]),
            g.sparse_reduce_max_sparse(i, v, d, [1]),
            g.sparse_reorder(i[::-1], v[::-1], d),
            g.sparse_reshape(i, d, [9]),
            g.sparse_slice(i, v, d, [0, 1], [2, 2]),
            g.sparse_slice_grad([5.0], i, [0, 1], [[0, 1]]),
            g.sparse_softmax(i, v, d),
            g.sparse_sparse_maximum(i, v, d, i, -v, d),
            g.sparse_sparse_minimum(i, v, d, i, -v, d),
            g.sparse_split(1, i, v, d, 2),
            g.sparse_tensor_dense_add(i, v, d, tf.ones([3, 3])),
            g.sparse_tensor_dense_mat_mul(i, v, d, tf.ones([3, 2])),
            g.sparse_to_dense([[0, 1]], [2, 2], 5, 0),
            g.sparse_add_grad([1.0, 2.0, 3.0], i, i[:1], i),
        ]

    def serialized() -> Any:
        f, s = internal("ops.sparse_ops"), some(tf)
        many = f.serialize_many_sparse(s)
        back = f.deserialize_many_sparse(many, tf.float32)
        one = f.deserialize_sparse(f.serialize_sparse(s), tf.float32)
        return many.shape, back, one

    return {"raw sparse": values, "serialized sparse": serialized}


def ragged(tf: Any) -> Programs:
    """Ragged tensors."""

    def values() -> Any:
        r = tf.ragged.constant([[3, 1, 4], [], [1, 5]])
        n = tf.ragged.constant([[[1, 2], []], [[3]]])
        t = tf.RaggedTensor
        return [
            r[0],
            r[:, 1:],
            r[1:, :1],
            n[:, 0:1],
            n[1, 0],
            r + 1,
            r * r,
            tf.reduce_sum(r, 1),
            tf.reduce_sum(n, 2),
            tf.reduce_mean(tf.cast(r, tf.float32), 0),
            tf.reduce_max(n, axis=[1, 2]),
            tf.concat([r, r], 1),
            tf.stack([r, r[::-1]]),
            tf.tile(r, [1, 2]),
            tf.gather(r, [2, 0]),
            tf.gather(r, [[0, 1], [2, 2]]),
            tf.gather_nd(r, [[0, 2], [2, 0]]),
            tf.where(r > 2, r, -r),
            tf.where(tf.ragged.constant([[True, False], [True]])),
            tf.ragged.boolean_mask(r, tf.ragged.constant([[True, False, True], [], [False, True]])),
            tf.ragged.range([3, 0, 2]),
            tf.ragged.range([0, 3], [6, 9], 2),
            tf.ragged.stack([[1, 2], [3]]),
            tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]),
            tf.ragged.segment_ids_to_row_splits([0, 0, 2]),
            tf.ragged.map_flat_values(lambda x: x * 10, n),
            tf.ragged.cross([r, tf.ragged.constant([[1], [2], [3]])]),
            t.from_value_rowids([1, 2, 3], [0, 0, 2], 4),
            t.from_row_lengths([1, 2, 3], [2, 0, 1]),
            t.from_row_starts([1, 2, 3], [0, 2]),
            t.from_row_limits([1, 2, 3], [2, 3]),
            t.from_uniform_row_length([1, 2, 3, 4], 2),
            t.from_nested_row_splits([1, 2, 3], [[0, 2], [0, 1, 3]]),
            t.from_tensor([[1, 0], [2, 3]], padding=0),
            t.from_tensor([[1, 0], [2, 3]], lengths=[1, 2]),
            t.from_sparse(tf.sparse.from_dense([[1, 2], [0, 0]])),
            r.to_sparse(),
            r.to_tensor(-1, shape=[None, 4]),
            n.to_tensor(),
            r.value_rowids(),
            r.row_lengths(),
            n.nested_row_lengths(),
            r.nrows(),
            n.bounding_shape(),
            r.merge_dims(0, 1),
            n.merge_dims(1, 2),
            r.with_values([9, 8, 7, 6, 5]),
            tf.expand_dims(r, 1),
            tf.squeeze(tf.expand_dims(r, 0), 0),
            tf.size(r),
            tf.rank(n),
            tf.shape(r).static_lengths(),
            tf.one_hot(r, 6),
            tf.reverse(r, [0, 1]),
            tf.strings.reduce_join(tf.ragged.constant([["a", "b"], ["c"]]), axis=1, separator="-"),
            tf.nn.softmax(tf.cast(r, tf.float32)),
            tf.cast(r, tf.float32).values,
            tf.zeros_like(r),
            tf.equal(r, 1),
            tf.math.segment_sum(tf.ragged.constant([[1, 2], [3]]).to_tensor(), [0, 1]),
            tf.ragged.stack_dynamic_partitions([10, 20, 30], [1, 0, 1], 3),
            tf.repeat(tf.constant([1, 2]), [2, 1]),
        ]

    def refused() -> Any:
        t = tf.RaggedTensor
        r = tf.ragged.constant([[3, 1], [4]])
        return [
            refusal(lambda: tf.ragged.constant([[1]], ragged_rank=2), "Invalid pylist|ragged_rank"),
            refusal(lambda: t.from_row_splits([1, 2], [0, 1]), "do not form a valid"),
            refusal(lambda: t.from_row_splits([1, 2], [1, 2]), "do not form a valid"),
            refusal(lambda: t.from_row_splits([1, 2], [0, 2, 1]), "do not form a valid"),
            refusal(lambda: t.from_row_lengths([1, 2], [1, 2]), "do not form a valid"),
            refusal(lambda: t.from_value_rowids([1, 2], [1, 0]), "do not form a valid"),
            refusal(lambda: t.from_row_splits([1], [[0, 1]]), "rank 1"),
            refusal(lambda: t.from_row_splits([1], [0.0, 1.0]), ""),
            refusal(lambda: t.from_uniform_row_length([1, 2, 3], 2), ""),
            refusal(lambda: r[:, 0], "Cannot index into an inner ragged"),
            refusal(lambda: r[5], ""),
            refusal(lambda: r["a"], ""),
            refusal(lambda: r + tf.ragged.constant([[1], [2]]), ""),
            refusal(lambda: tf.convert_to_tensor(r), ""),
            refusal(lambda: tf.concat([r, tf.constant([1])], 0), ""),
            refusal(lambda: r.merge_dims(1, 0), ""),
            refusal(lambda: tf.ragged.map_flat_values(lambda x: x[:1], r), ""),
            refusal(lambda: r.with_values([1]), ""),
            refusal(lambda: tf.gather(r, [7]), ""),
            refusal(lambda: tf.ragged.range([1, 2], [3, 4, 5]), ""),
        ]

    def gradients() -> Any:
        x = tf.constant([1.0, 2.0, 3.0, 4.0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            r = tf.RaggedTensor.from_row_lengths(x * x, [1, 0, 3])
            found = [
                tf.reduce_sum(r, 1),
                tf.reduce_prod(r, 1),
                r.to_tensor() ** 2,
                (r * r).values,
                tf.gather(r, [2, 2]).values,
                tf.concat([r, r], 1).values * 2.0,
                tf.reduce_mean(r, 1)[2:],
            ]
        return [tape.gradient(y, x) for y in found]

    def specs() -> Any:
        s = tf.RaggedTensorSpec([None, None, 3], tf.float32, 1)
        f = tf.function(lambda r: (tf.shape(r.values), r.shape.as_list()[2]), input_signature=[s])
        r = tf.RaggedTensor.from_row_lengths(tf.ones([4, 3]), [1, 3])
        return f(r), s.is_compatible_with(r), str(s), r.shape.as_list(), r.ragged_rank

    def inner() -> Any:
        made = internal("ops.ragged.ragged_factory_ops")
        value = made.constant_value([[1, 2], [3]], dtype=np.int32)
        kept = internal("ops.ragged.ragged_tensor")
        return [
            value.to_list(),
            value.ragged_rank,
            kept.is_ragged(value),
            kept.is_ragged(tf.constant(1)),
            made.constant([[1], [2, 3]]).to_list(),
            internal("ops.ragged.ragged_math_ops").range(3),
            internal("ops.ragged.ragged_gather_ops").gather(tf.ragged.constant([[1], [2, 3]]), [1]),
            internal("ops.ragged.segment_id_ops").row_splits_to_segment_ids([0, 1, 3]),
            kept.convert_to_tensor_or_ragged_tensor(value),
        ]

    return {
        "ragged": values,
        "ragged refused": refused,
        "ragged gradients": gradients,
        "ragged specs": specs,
        "ragged inner": inner,
    }


def sets(tf: Any) -> Programs:
    """tf.sets and the generated functions behind it."""

    def values() -> Any:
        a, b = tf.constant([[1, 2, 3], [4, 5, 5]]), tf.constant([[2, 9], [5, 4]])
        s = tf.sparse.from_dense([[2, 3], [0, 6]])
        return [
            tf.sets.intersection(a, b),
            tf.sets.union(a, b),
            tf.sets.difference(a, b),
            tf.sets.difference(a, b, aminusb=False),
            tf.sets.size(s),
            tf.sets.union(a, s),
            tf.sets.intersection(s, s),
            internal("ops.gen_set_ops").dense_to_dense_set_operation(a, b, "a-b"),
        ]

    def refused() -> Any:
        return [
            refusal(lambda: tf.sets.union([[1]], [[1.0]]), ""),
            refusal(lambda: tf.sets.size(tf.constant([[1]])), ""),
            refusal(lambda: tf.sets.union([[1], [2]], [[1]]), ""),
        ]

    return {"sets": values, "sets refused": refused}
