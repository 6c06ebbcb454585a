"""Elementwise operations, reductions, segments, products, linear algebra and signals."""

# mypy: disable-error-code="no-any-return, misc, func-returns-value"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import Programs, everywhere, in_session, internal, outcome, refusal


def programs(tf: Any) -> Programs:
    return (
        elementwise(tf) | reductions(tf) | segments(tf) | products(tf) | linear(tf) | signals(tf)
        | checks(tf) | counts(tf)
    )  # fmt: skip


UNARY = [
    "abs",
    "negative",
    "sign",
    "square",
    "sqrt",
    "exp",
    "log",
    "sin",
    "cos",
    "tan",
    "tanh",
    "sigmoid",
    "floor",
    "ceil",
    "round",
    "rsqrt",
    "reciprocal",
    "log1p",
    "expm1",
    "erf",
    "lgamma",
    "digamma",
    "sinh",
    "cosh",
    "asinh",
    "atan",
    "softplus",
    "is_finite",
    "is_nan",
    "log_sigmoid",
    "ndtri",
    "rint",
    "erfc",
    "acosh",
    "asin",
    "acos",
    "atanh",
    "bessel_i0",
    "bessel_i1e",
    "erfinv",
    "xlogy",
]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "floordiv",
    "floormod",
    "truncatediv",
    "truncatemod",
    "pow",
    "maximum",
    "minimum",
    "squared_difference",
    "atan2",
    "divide_no_nan",
    "xdivy",
    "xlogy",
    "multiply_no_nan",
    "less",
    "equal",
    "not_equal",
    "mod",
    "igamma",
    "logical_and",
    "xlog1py",
]
DTYPES = [
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "int8",
    "uint8",
    "int16",
    "int32",
    "int64",
    "complex64",
    "bool",
]


def elementwise(tf: Any) -> Programs:
    """Each function in each dtype."""

    def unary(name: str) -> Any:
        function = getattr(tf.math, name, None) or getattr(tf, name)
        found = {}
        for d in DTYPES:
            given = tf.cast(tf.constant([0.3, 0.8, 1.0]) + (1.0 if name == "acosh" else 0.0), d)
            found[d] = outcome(lambda f=function, x=given: f(x))
        return found

    def binary(name: str) -> Any:
        function = getattr(tf.math, name, None) or getattr(tf, name)
        found = {}
        for d in DTYPES:
            x, y = (tf.cast(v, d) for v in ([[1.0], [3.0]], [2.0, 5.0, 1.0]))
            found[d] = outcome(lambda f=function, x=x, y=y: f(x, y))
        return found

    def shapes() -> Any:
        a, b = tf.ones([2, 3]), tf.ones([4])
        return [
            refusal(lambda: a + b, "Incompatible shapes|required broadcastable"),
            refusal(lambda: a + tf.constant(1), ""),
            refusal(lambda: a + "x", ""),
            refusal(lambda: tf.add_n([]), "must be"),
            refusal(lambda: tf.add_n([a, b]), ""),
            refusal(lambda: tf.add_n(a[0, 0]), ""),
            refusal(lambda: a / tf.constant(2), "must have the same dtype"),
            refusal(lambda: tf.math.divide_no_nan(a, tf.ones([3], tf.int32)), "same dtype"),
            tf.add_n(x for x in (a, a)),
            tf.add_n({"a": a, "b": a}.values()),
            refusal(lambda: tf.constant(1) // tf.constant(0), "Integer division by zero"),
            refusal(lambda: tf.pow(tf.constant(2), tf.constant(-1)), "negative integer powers"),
            refusal(lambda: tf.complex(tf.constant(1.0), tf.constant(1.0, tf.float64)), ""),
            refusal(lambda: tf.clip_by_value(a, tf.ones([5]), 2.0), ""),
            refusal(lambda: tf.math.accumulate_n([]), ""),
            refusal(lambda: tf.math.accumulate_n([a, b]), ""),
            refusal(lambda: tf.cumsum(a, axis=5), ""),
            refusal(lambda: tf.math.top_k(a, 9), "at least k columns|must have"),
            refusal(lambda: tf.math.polygamma(tf.constant(1), tf.constant(1)), ""),
        ]

    def clipped_together() -> Any:
        norm, kinds = tf.constant(10.0), (tf.float32, tf.float16, tf.bfloat16)
        slices = tf.IndexedSlices(tf.constant([[8.0]], tf.float16), tf.constant([1]))
        given = [*[tf.constant([6.0, -8.0], kind) for kind in kinds], None]
        found, _ = tf.clip_by_global_norm(given, 5.0, use_norm=norm)
        rows, _ = tf.clip_by_global_norm([slices], 5.0, use_norm=norm)
        return [found[:2], found[2].dtype.name, tf.cast(found[2], tf.float32), rows[0].values]

    def clipped() -> Any:
        x = tf.constant([[-2.0, 0.5], [3.0, 9.0]])
        return [
            tf.clip_by_value(x, -1, [1.0, 2.0]),
            tf.clip_by_norm(x, 2.0),
            tf.clip_by_norm(x, 2.0, axes=[0]),
            tf.clip_by_global_norm([x, None, x], 3.0),
            tf.compat.v1.clip_by_average_norm(x, 0.5),
            tf.linalg.global_norm([x, x]),
            tf.math.top_k(x, 1),
            tf.math.in_top_k([1, 0], x, 1),
            tf.cumsum(x, 1, exclusive=True, reverse=True),
            tf.math.cumprod(x, 0, exclusive=True),
            tf.math.cumulative_logsumexp(x, 1),
            tf.math.accumulate_n([x, x, x]),
            tf.scalar_mul(3.0, x),
            tf.math.conj(tf.complex(x, x)),
            tf.math.angle(tf.complex(x, x)),
            tf.saturate_cast([1e10, -1e10], tf.int32),
            tf.math.bincount([1, 1, 2], weights=[0.5, 1.5, 2.0]),
            tf.histogram_fixed_width([-1.0, 0.0, 1.5, 5.0, 9.0], [0.0, 5.0], nbins=5),
            tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 5.0, 9.0], [0.0, 5.0], nbins=5),
            tf.math.confusion_matrix([0, 1, 2], [0, 2, 2], weights=[1, 2, 3]),
            tf.compat.v1.confusion_matrix([0, 1], [0, 1], num_classes=3, dtype=tf.int64),
            tf.bitwise.bitwise_xor([5, 3], [1, 6]),
            tf.bitwise.left_shift([1, 2], [3, 1]),
            tf.math.zero_fraction([0.0, 1.0, 0.0, 2.0]),
            tf.math.invert_permutation([2, 0, 1]),
            tf.math.sobol_sample(2, 3),
            tf.math.lbeta([[1.0, 2.0]]),
            tf.einsum("ij,kj->ik", x, x),
            tf.einsum("...i,ij", x, x),
            tf.tensordot(x, x, [[0], [1]]),
            tf.linalg.trace(x),
            tf.linalg.cross([1.0, 2.0, 3.0], [0.0, 1.0, 0.0]),
            tf.norm(x, ord=1, axis=1),
            tf.norm(x, ord=np.inf),
            tf.norm(x, ord="fro", axis=[0, 1]),
            tf.math.l2_normalize(x, 1),
        ]

    return {
        **{f"unary {n}": lambda n=n: unary(n) for n in UNARY if n != "xlogy"},
        **{f"binary {n}": lambda n=n: binary(n) for n in BINARY},
        "elementwise refused": shapes,
        "clipped": lambda: everywhere(tf, clipped),
        "clipped together": clipped_together,
    }


def reductions(tf: Any) -> Programs:
    """Reductions along axes, of empty and unknown shapes."""
    names = ["sum", "mean", "prod", "max", "min", "any", "all", "logsumexp", "std", "variance"]

    def reduced(name: str) -> Any:
        function = getattr(tf, f"reduce_{name}", None) or getattr(tf.math, f"reduce_{name}")
        x = np.arange(1.0, 13.0).reshape(2, 3, 2) / 2.0
        given: Any = tf.constant(x > 2.0) if name in ("any", "all") else tf.constant(x)
        empty = tf.zeros([2, 0], given.dtype)
        return [
            function(given),
            function(given, 1),
            function(given, [0, -1], keepdims=True),
            function(given, []),
            function(given, tf.constant([0, 2])),
            outcome(lambda: function(empty, 1)),
            function(empty, 0),
            refusal(lambda: function(given, 3), ""),
            refusal(lambda: function(given, [0, 0]), ""),
        ]

    def dtypes() -> Any:
        found = {}
        for d in DTYPES:
            x = tf.cast([[1, 2], [3, 1]], d)
            found[d] = [
                outcome(lambda f=f, x=x: f(x, 0))
                for f in (tf.reduce_sum, tf.reduce_mean, tf.reduce_prod, tf.reduce_max, tf.argmax)
            ]
        return found

    def static() -> Any:
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            p = v1.placeholder(tf.float32, [None, 3, None])
            q = v1.placeholder(tf.float32)
            a = v1.placeholder(tf.int32, [2])
            return [
                tf.reduce_sum(p, 0).shape.as_list(),
                tf.reduce_sum(p, [0, 2], keepdims=True).shape.as_list(),
                tf.reduce_sum(q).shape.as_list(),
                tf.reduce_sum(q, 1).shape.rank,
                tf.reduce_sum(p, a).shape.rank,
                tf.reduce_sum(q, 0, keepdims=True).shape.rank,
                tf.argmax(p, 1).shape.as_list(),
                v1.reduce_sum(p, reduction_indices=[1]).shape.as_list(),
                v1.reduce_mean(p, axis=0, keep_dims=True).shape.as_list(),
            ]

    def gradients() -> Any:
        def build() -> Any:
            x = tf.constant([[1.0, 2.0, 2.0], [0.0, 3.0, 4.0]])
            found = [
                tf.reduce_prod(x, 1), tf.reduce_max(x, 1), tf.reduce_min(x, 0), tf.reduce_mean(x),
                tf.math.reduce_std(x, 1), tf.reduce_logsumexp(x, 0), tf.norm(x + 1.0, axis=1),
                tf.math.reduce_euclidean_norm(x, 1), tf.cumsum(x, 1) * x, tf.math.cumprod(x + 1.0, 1),
            ]  # fmt: skip
            return [tf.gradients(f, x)[0] for f in found]

        return in_session(tf, build)

    def extremes() -> Any:
        x = tf.constant([[3, 1, 3], [2, 2, 0]])
        return [
            tf.argmax(x, 1), tf.argmin(x, 0), tf.argmax(x, -1, output_type=tf.int32),
            tf.math.argmax(tf.constant([1.0, np.nan, 2.0])), tf.argmax([True, False]),
            tf.math.count_nonzero(x, 1), tf.math.count_nonzero(["a", ""]),
            tf.math.count_nonzero(tf.cast(x, tf.float32), keepdims=True, dtype=tf.int32),
            tf.strings.reduce_join([["a", "b"], ["c", "d"]], 0, separator="+"),
            refusal(lambda: tf.argmax(x, 2), "") , refusal(lambda: tf.argmax(tf.zeros([0])), ""),
        ]  # fmt: skip

    return {
        **{f"reduce {n}": lambda n=n: reduced(n) for n in names},
        "reductions' dtypes": dtypes,
        "reductions' shapes": static,
        "reductions' gradients": gradients,
        "extremes": extremes,
    }


def segments(tf: Any) -> Programs:
    """Segment reductions."""

    def values() -> Any:
        m = tf.math
        x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
        kinds = ("sum", "mean", "max", "min", "prod")
        return [
            *[getattr(m, f"segment_{k}")(x, [0, 0, 2, 2]) for k in kinds],
            *[getattr(m, f"unsorted_segment_{k}")(x, [2, 0, -1, 2], 4) for k in (*kinds, "sqrt_n")],
            m.unsorted_segment_sum(x, [[0, 1], [1, 0], [2, 2], [0, 0]], 3),
            m.unsorted_segment_max(tf.constant([1, 2], tf.int8), [0, 0], 2),
            m.unsorted_segment_min(tf.constant([1, 2], tf.uint8), [0, 0], 2),
            m.unsorted_segment_sum(tf.constant([1.0, 2.0], tf.bfloat16), [1, 1], 2),
        ]

    def refused() -> Any:
        m, x = tf.math, tf.ones([3, 2])
        return [
            refusal(lambda: m.segment_sum(x, [0, 1]), "segment_ids should be the same size"),
            refusal(lambda: m.segment_sum(x, [1, 0, 0]), "segment ids are not increasing"),
            refusal(lambda: m.segment_sum(x, [-1, 0, 0]), "segment ids must be >= 0|not|ids"),
            refusal(lambda: m.segment_sum(x, [[0, 0, 0]]), ""),
            refusal(lambda: m.unsorted_segment_sum(x, [0, 1, 5], 2), r"= 5 is out of range|not in"),
            refusal(lambda: m.unsorted_segment_sum(x, [0, 1], 2), ""),
            refusal(lambda: m.unsorted_segment_sum(x, [0, 1, 1], -1), ""),
            refusal(lambda: tf.sparse.segment_sum(x, [0, 1], [0, 1], num_segments=1), ""),
            refusal(lambda: tf.sparse.segment_mean(x, [0, 9], [0, 1]), ""),
            refusal(lambda: tf.sparse.segment_mean(x, [0], [0, 1]), ""),
        ]

    def raw() -> Any:
        g, f = internal("ops.gen_math_ops"), internal("ops.math_ops")
        x = tf.ones([3, 2])
        return [
            g.sparse_segment_sum(x, [0, 2], [0, 1]),
            g.sparse_segment_mean_with_num_segments(x, [0, 2], [0, 0], 3),
            g.sparse_segment_sum_grad(x[:2], [0, 2], [0, 1], 4),
            f.sparse_segment_sqrt_n(x, [0, 2], [0, 0]),
            f.sparse_segment_mean_v2(x, [0, 2], [0, 0]),
            f.unsorted_segment_sum(x, [0, 0, 1], 2),
            f._bucketize([1.0, 5.0], [2.0]),
            f.reduced_shape([2, 3], [1]),
        ]

    return {
        "segments": lambda: everywhere(tf, values),
        "segments refused": refused,
        "raw segments": raw,
    }


def products(tf: Any) -> Programs:
    """matmul and its relatives."""

    def dtypes() -> Any:
        found = {}
        for d in DTYPES:
            a = tf.cast([[1, 2], [3, 4]], d)
            found[d] = outcome(
                lambda a=a: (tf.matmul(a, a, transpose_b=True), tf.linalg.matvec(a, a[0]))
            )
        return found

    def values() -> Any:
        a = tf.reshape(tf.range(12.0), [2, 2, 3])
        c = tf.complex(a, -a)
        return [
            tf.matmul(a, a, transpose_a=True),
            tf.matmul(c, c, adjoint_b=True),
            tf.matmul(a, tf.ones([3, 2])),
            a @ tf.ones([2, 3, 1]),
            tf.matmul(tf.ones([2, 0]), tf.ones([0, 3])),
            tf.matmul(
                tf.constant([[1, 2]], tf.int8),
                tf.constant([[3], [4]], tf.int8),
                output_type=tf.int32,
            ),
            tf.matmul([[1.0, 0.0]], [[0.0], [2.0]], a_is_sparse=True),
            tf.linalg.matvec(a, [1.0, 2.0, 3.0]),
            tf.linalg.matvec(a, [1.0, 2.0], transpose_a=True),
            tf.linalg.einsum("bij,bkj->bik", a, a),
        ]

    def refused() -> Any:
        a = tf.ones([2, 3])
        return [
            refusal(lambda: tf.matmul(a, a), "Matrix size-incompatible"),
            refusal(lambda: tf.matmul(a, tf.ones([3])), ""),
            refusal(lambda: tf.matmul(a, tf.ones([4, 3, 2])[:, :2]), ""),
            refusal(lambda: tf.matmul(a, a, transpose_a=True, adjoint_a=True), "Only one of"),
            refusal(lambda: tf.matmul(a, tf.constant([[1]])), ""),
            refusal(lambda: tf.linalg.matvec(a, a[:, :2]), ""),
            refusal(lambda: tf.tensordot(a, a, 1), ""),
            refusal(lambda: tf.tensordot(a, a, [[0]]), ""),
            refusal(lambda: tf.tensordot(a, a, -1), ""),
            refusal(lambda: tf.einsum("ij,jk", a, a), ""),
            refusal(lambda: tf.einsum("ij->", a, a), ""),
            refusal(lambda: tf.einsum("i.j", a), ""),
        ]

    return {
        "products' dtypes": dtypes,
        "products": lambda: everywhere(tf, values),
        "products refused": refused,
    }


def linear(tf: Any) -> Programs:
    """tf.linalg."""
    a = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])

    def values() -> Any:
        f, x = tf.linalg, tf.constant(a)
        r = tf.constant([[1.0], [2.0], [3.0]], tf.float64)
        chol = f.cholesky(x)
        lines = tf.constant([[1.0, 1.0, 0.0], [4.0, 4.0, 4.0], [0.0, 1.0, 1.0]])
        return [
            chol, f.inv(x), f.inv(x, adjoint=True), f.det(x), f.slogdet(x), f.logdet(x),
            f.solve(x, r), f.cholesky_solve(chol, r), f.triangular_solve(chol, r),
            f.triangular_solve(chol, r, adjoint=True), f.lstsq(x[:, :2], r),
            f.lstsq(x[:, :2], r, fast=False), f.lstsq(x[:, :2], r, l2_regularizer=0.5),
            f.eigvalsh(x), f.svd(x, compute_uv=False), tf.abs(f.qr(x)[1]), f.expm(x * 0.1),
            tf.math.real(f.logm(tf.cast(x, tf.complex128))), f.sqrtm(x), f.matrix_rank(x),
            f.pinv(x), f.lu(x), f.lu_solve(*f.lu(x), r), f.lu_matrix_inverse(*f.lu(x)),
            f.lu_reconstruct(*f.lu(x)), f.diag_part(x, k=1), f.diag([1.0, 2.0], k=-1),
            f.set_diag(x, [0.0, 0.0, 0.0]), f.band_part(x, 1, 0), f.tensor_diag([1.0, 2.0]),
            f.tensor_diag_part(x), f.trace(x), f.adjoint(tf.complex(x, x)), f.normalize(x)[1],
            f.tridiagonal_solve(lines, tf.constant([1.0, 2.0, 3.0])), f.tridiagonal_matmul(lines, tf.eye(3)),
            f.banded_triangular_solve(tf.constant([[2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]), tf.ones([3, 1])),
            f.eigh_tridiagonal(tf.constant([1.0, 2.0, 3.0]), tf.constant([0.5, 0.5])), f.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
            f.matvec(x, r[:, 0]), f.eye(2, 3), tf.eye(2, dtype=tf.int32),
            tf.abs(f.eigvals(x)), f.experimental.conjugate_gradient(f.LinearOperatorFullMatrix(
                x, is_self_adjoint=True, is_positive_definite=True), r[:, 0]).x,
        ]  # fmt: skip

    def refused() -> Any:
        f, x = tf.linalg, tf.constant(a)
        return [
            refusal(lambda: f.cholesky(x[:2]), ""),
            refusal(lambda: f.inv(tf.zeros([2, 2])), "Input is not invertible"),
            refusal(lambda: f.inv(x[0]), ""),
            refusal(
                lambda: f.solve(tf.zeros([2, 2]), tf.ones([2, 1])), "Input matrix is not invertible"
            ),
            refusal(lambda: f.solve(x, tf.ones([2, 1], tf.float64)), ""),
            refusal(lambda: f.det(x[:2]), ""),
            refusal(lambda: f.eigh(x[0]), ""),
            refusal(lambda: f.qr(x[0]), ""),
            refusal(lambda: f.svd(x[0]), ""),
            refusal(lambda: f.lstsq(x, tf.ones([2, 1], tf.float64)), ""),
            refusal(lambda: f.lu(x[:2]), ""),
            refusal(lambda: f.lu(tf.zeros([2, 2])), "not invertible"),
            refusal(lambda: f.expm(x[:2]), ""),
            refusal(lambda: f.tensor_diag_part(x[:2]), ""),
            refusal(lambda: f.band_part(x[0], 0, 0), ""),
            refusal(lambda: f.band_part(x, 9, 0), "num_lower must be negative or less or equal"),
            refusal(lambda: f.diag(x, k=(2, 1)), ""),
            refusal(lambda: f.set_diag(x, [1.0]), ""),
            refusal(lambda: f.tridiagonal_solve(x, [1.0], diagonals_format="no"), ""),
            refusal(lambda: f.norm(x, ord="bad"), ""),
            refusal(lambda: f.norm(x, ord=3, axis=[0, 1]), ""),
            refusal(lambda: f.pinv(tf.constant([[1]])), ""),
            refusal(lambda: f.cross([1.0, 2.0], [1.0, 2.0]), ""),
            refusal(lambda: f.logm(x), ""),
        ]

    def gradients() -> Any:
        def build() -> Any:
            f, x = tf.linalg, tf.constant(a)
            r = tf.constant([[1.0], [2.0], [3.0]], tf.float64)
            found = [
                f.cholesky(x), f.inv(x), f.det(x), f.logdet(x), f.solve(x, r), f.eigvalsh(x),
                f.svd(x, compute_uv=False), f.triangular_solve(x, r), f.expm(x * 0.1), f.pinv(x),
                f.lstsq(x[:, :2], r), f.diag_part(x), f.set_diag(x, r[:, 0]), f.band_part(x, 0, 1),
                f.trace(x @ x), f.norm(x), f.sqrtm(x), f.qr(x)[1],
            ]  # fmt: skip
            return [tf.gradients(y, x)[0] for y in found]

        return in_session(tf, build)

    def operators() -> Any:
        f, x = tf.linalg, tf.constant(a)
        d = f.LinearOperatorDiag(tf.constant([1.0, 2.0, 3.0], tf.float64), is_non_singular=True)
        m = f.LinearOperatorFullMatrix(x, is_self_adjoint=True, is_positive_definite=True)
        kinds = [
            d, m, f.LinearOperatorIdentity(3, dtype=tf.float64), f.LinearOperatorComposition([d, m]),
            f.LinearOperatorLowerTriangular(x), f.LinearOperatorKronecker([d, m]), m.inverse(),
            m.adjoint(), f.LinearOperatorBlockDiag([d, m]), f.LinearOperatorZeros(3, dtype=tf.float64),
            f.LinearOperatorScaledIdentity(3, tf.constant(2.0, tf.float64)), d @ d,
            f.LinearOperatorLowRankUpdate(d, x[:, :1]), f.LinearOperatorToeplitz(x[0], x[0]),
            f.LinearOperatorHouseholder(x[0]), f.LinearOperatorPermutation([1, 0, 2], dtype=tf.float64),
            f.LinearOperatorTridiag(x), f.LinearOperatorCirculant(tf.constant([1.0, 2.0, 2.0])),
        ]  # fmt: skip
        return [
            [
                type(k).__name__, k.shape.as_list(), outcome(k.to_dense),
                outcome(lambda k=k: tf.math.real(k.matvec(tf.cast(tf.ones(k.shape[-1]), k.dtype)))),
                outcome(k.trace), outcome(k.diag_part), k.is_self_adjoint, k.is_non_singular,
                k.is_square, outcome(k.log_abs_determinant),
            ]
            for k in kinds
        ]  # fmt: skip

    def operators_refused() -> Any:
        f, x = tf.linalg, tf.constant(a)
        d = f.LinearOperatorDiag([1.0, 2.0], is_non_singular=False)
        return [
            refusal(lambda: d.inverse(), "ingular"),
            refusal(lambda: d.solve(tf.ones([2, 1])), "ingular"),
            refusal(lambda: f.LinearOperatorDiag(1.0), "must have at least 1 dim"),
            refusal(lambda: f.LinearOperatorDiag([1], is_square=False), ""),
            refusal(lambda: f.LinearOperatorFullMatrix(x[0]), "at least 2 dim"),
            refusal(lambda: f.LinearOperatorIdentity(-2), "non-negative"),
            refusal(lambda: f.LinearOperatorIdentity([2]), "must be a 0-D"),
            refusal(lambda: f.LinearOperatorIdentity(2.0), "must be integer"),
            refusal(lambda: d.matmul(tf.ones([3, 1])), "not compatible|ncompatible"),
            refusal(lambda: f.LinearOperatorComposition([]), "non-empty"),
            refusal(lambda: f.LinearOperatorComposition([d, f.LinearOperatorFullMatrix(x)]), ""),
            refusal(
                lambda: f.LinearOperatorFullMatrix(x).cholesky(),
                "Cannot take the Cholesky|self-adjoint",
            ),
            refusal(lambda: f.LinearOperatorDiag([0.0, 1.0]).assert_non_singular(), "Singular"),
            refusal(lambda: f.LinearOperatorDiag([-1.0]).assert_positive_definite(), ""),
            refusal(lambda: f.LinearOperatorBlockDiag([]), "non-empty"),
            refusal(lambda: f.LinearOperatorZeros(2).solve(tf.ones([2, 1])), "ingular"),
        ]

    def not_finite() -> Any:
        """What one matrix holds is not seen in the results of others."""
        linalg = tf.linalg
        bad = tf.constant([[np.nan, 0.0], [0.0, 1.0]])
        both = tf.stack([bad, 2.0 * tf.eye(2)])
        ones = tf.ones([2, 2, 1])
        found = [linalg.svd(both, compute_uv=False), linalg.pinv(both), tf.norm(both, 2, [-2, -1])]
        refused = [refusal(lambda x=x: linalg.eigvalsh(x), "not successful") for x in (bad, both)]
        return [*found, linalg.matrix_rank(both), linalg.lstsq(both, ones, fast=False)[1], *refused]

    return {
        "linear": lambda: everywhere(tf, values),
        "linear refused": refused,
        "linear gradients": gradients,
        "linear, not finite": not_finite,
        "operators": operators,
        "operators refused": operators_refused,
    }


def signals(tf: Any) -> Programs:
    """tf.signal."""

    def values() -> Any:
        s = tf.signal
        x = tf.constant([1.0, -2.0, 3.0, 0.5, 2.0, 1.0, 0.0, -1.0])
        c = tf.complex(x, x * 0.5)
        m = tf.reshape(c, [2, 4])
        return [
            s.fft(c), s.ifft(c), s.rfft(x), s.rfft(x, [6]), s.irfft(c), s.irfft(c, [5]), s.fft2d(m),
            s.ifft2d(m), s.rfft2d(tf.reshape(x, [2, 4])), s.fft3d(m[None]), s.fftshift(x),
            s.ifftshift(x), s.dct(x), s.dct(x, type=1), s.dct(x, type=3, norm="ortho"),
            s.idct(x, type=2), s.dct(x, n=5), s.mdct(x, 4), s.inverse_mdct(s.mdct(x, 4)),
            s.frame(x, 3, 2), s.frame(x, 3, 2, pad_end=True, pad_value=9.0),
            s.overlap_and_add(tf.ones([3, 4]), 2), s.stft(x, 4, 2), s.stft(x, 4, 2, pad_end=True),
            s.inverse_stft(s.stft(x, 4, 2), 4, 2), s.hann_window(5), s.hamming_window(4, periodic=False),
            s.kaiser_window(4), s.vorbis_window(4), s.kaiser_bessel_derived_window(4),
            s.inverse_stft_window_fn(2)(4, tf.float32), s.linear_to_mel_weight_matrix(4, 8, 8000, 60.0, 3000.0),
            s.mfccs_from_log_mel_spectrograms(tf.reshape(x, [2, 4])),
        ]  # fmt: skip

    def refused() -> Any:
        s, x = tf.signal, tf.ones([8])
        return [
            refusal(lambda: s.fft(x), ""),
            refusal(lambda: s.rfft(tf.constant(1.0)), ""),
            refusal(lambda: s.rfft(x, [8, 8]), ""),
            refusal(lambda: s.irfft(tf.complex(x, x), [0, 1]), ""),
            refusal(lambda: s.dct(x, type=5), "Types I, II, III and IV"),
            refusal(lambda: s.dct(x, norm="bad"), "norm"),
            refusal(lambda: s.dct(x, n=0), ""),
            refusal(lambda: s.dct(x, axis=0), ""),
            refusal(lambda: s.dct(x, type=1, norm="ortho"), ""),
            refusal(lambda: s.hann_window(4, dtype=tf.int32), ""),
            refusal(lambda: s.linear_to_mel_weight_matrix(0), "num_mel_bins must be positive"),
            refusal(
                lambda: s.linear_to_mel_weight_matrix(4, 8, -1), "sample_rate must be positive"
            ),
            refusal(lambda: s.linear_to_mel_weight_matrix(4, 8, 8000, 3000.0, 60.0), ""),
            refusal(lambda: s.overlap_and_add(x[0], 2), ""),
            refusal(lambda: s.inverse_stft_window_fn(2)(4, tf.int32), ""),
        ]

    def gradients() -> Any:
        def build() -> Any:
            s = tf.signal
            x = tf.constant([1.0, -2.0, 3.0, 0.5])
            found = [
                tf.abs(s.rfft(x)) ** 2, tf.math.real(s.fft(tf.complex(x, x * x))), s.dct(x * x),
                s.irfft(tf.complex(x, x)), s.frame(x * x, 2, 1), s.overlap_and_add(x[None] * x, 1),
                tf.abs(s.stft(x, 2, 1)) ** 2, s.idct(x * x, type=3),
            ]  # fmt: skip
            return [tf.gradients(y, x)[0] for y in found]

        return in_session(tf, build)

    return {
        "signals": lambda: everywhere(tf, values),
        "signals refused": refused,
        "signals' gradients": gradients,
    }


def checks(tf: Any) -> Programs:
    """tf.debugging: assertions, eager and in graphs."""
    d = tf.debugging

    def eager() -> Any:
        x = tf.constant([1, 2, 3])
        return [
            d.assert_equal(x, x),
            refusal(
                lambda: d.assert_equal(x, [1, 2, 4], message="mine"), "mine(.|\n)*Condition x == y"
            ),
            refusal(lambda: d.assert_less(x, 3), "Condition x < y"),
            refusal(lambda: d.assert_none_equal(x, [1, 0, 0]), "Condition x != y"),
            refusal(lambda: d.assert_greater_equal(x, [2, 2, 2]), "x >= y"),
            refusal(lambda: d.assert_near(1.0, 1.1), "near|abs|x and y not equal"),
            refusal(lambda: d.assert_negative([-1, 0]), "x < 0"),
            refusal(lambda: d.assert_positive([1, 0]), "x > 0"),
            refusal(lambda: d.assert_non_negative([-1]), "x >= 0"),
            refusal(lambda: d.assert_non_positive([1]), "x <= 0"),
            refusal(lambda: d.assert_rank(x, 2), "must have rank 2"),
            refusal(lambda: d.assert_rank_at_least(x, 2), "must have rank at least 2"),
            refusal(lambda: d.assert_rank_in(x, [2, 3]), "must have rank"),
            refusal(lambda: d.assert_rank(x, [1]), "must be a scalar"),
            refusal(lambda: d.assert_rank(x, 1.5), "must be of type|integer"),
            refusal(lambda: d.assert_type(x, tf.float32), "must be of type"),
            refusal(lambda: d.assert_integer([1.0]), "xpected.*type|must be"),
            refusal(lambda: d.assert_scalar(x), "xpected scalar shape"),
            refusal(lambda: d.assert_proper_iterable(x), "to be iterable"),
            refusal(
                lambda: d.assert_same_float_dtype([tf.constant(1)]), "xpected floating point type"
            ),
            refusal(
                lambda: d.assert_same_float_dtype([tf.constant(1.0), tf.constant(1.0, tf.float64)]),
                "",
            ),
            refusal(lambda: d.assert_shapes([(x, ("N", 2))]), ""),
            refusal(lambda: d.assert_shapes([(x, ("N",)), (tf.ones([2]), ("N",))]), ""),
            refusal(lambda: d.check_numerics([1.0, np.nan], "m"), "m : Tensor had NaN values"),
            refusal(lambda: d.check_numerics([np.inf], "m"), "had .*[iI]nf"),
            d.is_numeric_tensor(x),
            refusal(lambda: d.assert_equal(x, tf.constant([1.0])), ""),
            refusal(lambda: d.assert_equal([[1]], [1, 2, 3]), ""),
            tf.compat.v1.assert_equal(x, x) is None,
        ]

    def in_graph() -> Any:
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            p = v1.placeholder(tf.int32)
            q = v1.placeholder(tf.float32)

            def run(op: Any, feed: Any) -> Any:
                return refusal(lambda: session.run(op, feed), "")

            return [
                run(v1.assert_equal(p, [1, 2]), {p: [1, 2]}),
                run(v1.assert_equal(p, [1, 2]), {p: [1, 3]}),
                run(v1.assert_rank(p, 1), {p: 3}),
                run(v1.assert_rank_at_least(q, 2), {q: [1.0]}),
                run(v1.assert_rank_in(q, [0, 2]), {q: [1.0]}),
                run(v1.assert_positive(q), {q: [0.0]}),
                run(v1.assert_less(q, 1.0, summarize=1), {q: [5.0]}),
                run(v1.assert_near(q, 1.0), {q: 1.5}),
                refusal(lambda: v1.assert_rank(tf.ones([2]), 0), "must have rank 0"),
                run(d.check_numerics(q, "m"), {q: np.nan}),
                session.run(v1.is_strictly_increasing(p), {p: [1, 1]}),
                v1.assert_type(p, tf.int32).type,
            ]

    return {"checks": eager, "checks in a graph": in_graph}


def counts(tf: Any) -> Programs:
    """Weights, histograms, moments and statistics."""

    def values() -> Any:
        x = tf.constant([[1.0, 2.0, 4.0], [0.0, 3.0, 5.0]])
        return [
            tf.nn.moments(x, [0]),
            tf.nn.moments(x, [1], keepdims=True),
            tf.nn.weighted_moments(x, [0], [[1.0], [3.0]]),
            tf.nn.sufficient_statistics(x, [0], shift=1.0),
            tf.nn.normalize_moments(2.0, [3.0], [5.0], None),
            tf.nn.batch_normalization(x, 1.0, 2.0, 0.5, 1.5, 1e-3),
            tf.math.reduce_variance(x, 0),
            tf.nn.zero_fraction(x),
            tf.compat.v1.losses.mean_squared_error(x, x + 1.0, weights=[[1.0], [0.0]]),
            tf.compat.v1.losses.absolute_difference(x, x - 2.0),
            tf.compat.v1.losses.huber_loss(x, x + 3.0),
            tf.compat.v1.losses.log_loss([1.0, 0.0], [0.9, 0.2]),
            tf.compat.v1.losses.hinge_loss([1.0, 0.0], [0.5, 0.2]),
            tf.compat.v1.losses.cosine_distance(
                tf.math.l2_normalize(x, 1), tf.math.l2_normalize(x, 1), axis=1
            ),
            tf.compat.v1.losses.sigmoid_cross_entropy(
                [[1.0, 0.0]], [[2.0, -1.0]], label_smoothing=0.1
            ),
            tf.compat.v1.losses.softmax_cross_entropy([[1.0, 0.0]], [[2.0, -1.0]]),
            tf.compat.v1.losses.sparse_softmax_cross_entropy([0], [[2.0, -1.0]]),
            tf.compat.v1.losses.compute_weighted_loss(x, 2.0, reduction="weighted_mean"),
        ]

    def weights() -> Any:
        w = internal("ops.weights_broadcast_ops")
        x = tf.ones([2, 3])
        return [
            w.broadcast_weights([[1.0], [2.0]], x),
            w.assert_broadcastable(2.0, x).__class__.__name__ != "",
            refusal(
                lambda: w.assert_broadcastable(tf.ones([3]), x), "weights can not be broadcast"
            ),
            refusal(
                lambda: w.assert_broadcastable(tf.ones([2, 2]), x), "weights can not be broadcast"
            ),
        ]

    return {"statistics": lambda: everywhere(tf, values), "weights": weights}
