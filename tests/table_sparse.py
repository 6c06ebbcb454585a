"""Lines of the table of samples: sparse and ragged tensors, sets, distances."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.special
from samples import Dims, Line, Rng, anywhere, distinct, integers, internal, line

import wengert as tf

assert tf.ragged  # its operations are in the table when it is loaded

WHOLE = "int32 int64"
MOVES = "int32 uint8 bool"
AT = np.array([[0, 0], [0, 2], [1, 1], [2, 3]])
OTHER = np.array([[0, 2], [1, 0], [2, 3]])
SHAPE = (3, 4)


def sp(values: Any, at: Any = AT, shape: Dims = SHAPE) -> Any:
    return tf.SparseTensor(at, values, shape)


def full(values: Any, at: Any = AT, shape: Dims = SHAPE) -> Any:
    out = np.zeros(shape, values.dtype)
    np.add.at(out, tuple(at.T), values)
    return out


def places(rng: Rng, shape: Dims) -> Any:
    """Coordinates of a 3 by 4 matrix, some of them twice."""
    return rng.integers(0, 3, shape).astype(np.int64)


def repeated(rng: Rng, shape: Dims) -> Any:
    """Four different coordinates, two of them twice, in any order."""
    return rng.permutation(AT[[0, 1, 1, 2, 3, 3]])


def sorted_places(rng: Rng, shape: Dims) -> Any:
    """Different coordinates of a 3 by 4 matrix in rising order."""
    flat = np.sort(rng.permutation(12)[: shape[0]])
    return np.stack(np.unravel_index(flat, SHAPE), 1)


def rising(rng: Rng, shape: Dims) -> Any:
    """As many segments in every draw."""
    return np.sort([2, *rng.integers(0, 3, shape[0] - 1)]).astype(np.int32)


def np_picked(reduce: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: Any, i: Any, ids: Any, num_segments: int | None = None) -> Any:
        count = int(ids.max()) + 1 if num_segments is None else num_segments
        nothing = np.zeros(x.shape[1:], x.dtype)
        rows = [x[i[ids == k]] for k in range(count)]
        return np.array([reduce(r) if len(r) else nothing for r in rows])

    return reference


def np_softmax(values: Any) -> Any:
    e = np.exp(values)
    rows = np.array([e[AT[:, 0] == r].sum() for r in range(3)])
    return e / rows[AT[:, 0]]


def np_lookup(how: str) -> Callable[..., Any]:
    def reference(x: Any, w: Any) -> Any:
        ids, rows = np.array([2, 0, 2]), np.array([0, 0, 1])
        total = np.zeros((2, x.shape[1]), x.dtype)
        np.add.at(total, rows, x[ids] * w[:, None])
        size = np.zeros(2, x.dtype)
        np.add.at(size, rows, w if how == "mean" else w * w)
        return total / {"sum": 1, "mean": size[:, None], "sqrtn": np.sqrt(size)[:, None]}[how]

    return reference


def lookup(how: str) -> Callable[..., Any]:
    at = [[0, 0], [0, 1], [1, 0]]
    ids = np.array([2, 0, 2])

    def call(x: Any, w: Any) -> Any:
        weights = tf.SparseTensor(at, w, [2, 2])
        return tf.nn.embedding_lookup_sparse(x, tf.SparseTensor(at, ids, [2, 2]), weights, how)

    return call


PICKED: dict[str, Any] = {"shapes": [[(3, 2), (4,), (4,)], [(3,), (5,), (5,)]], "complex": True}

SPARSE = [
    line("SparseOrder", internal("SparseOrder"), lambda i: np.lexsort((i[:, 1], i[:, 0])), places,
         shapes=[[(5, 2)]]),
    line("[SparseGroups]", internal("SparseGroups"),
         lambda i: [np.unique(i, axis=0), np.unique(i, axis=0, return_inverse=True)[1]], repeated,
         shapes=[[(6, 2)]]),
    line("SparseToDense", lambda v, i: tf.sparse.to_dense(tf.SparseTensor(i, v, SHAPE)),
         full, anywhere, sorted_places, shapes=[[(5,), (5, 2)]], complex=True,
         dtypes="int32 int64"),
    line("SparseTensorDenseMatMul",
         lambda v, b, i: tf.sparse.sparse_dense_matmul(tf.SparseTensor(i, v, SHAPE), b),
         lambda v, b, i: full(v, i) @ b, anywhere, anywhere, places,
         shapes=[[(5,), (4, 2), (5, 2)], [(6,), (4, 1), (6, 2)]], complex=True, dtypes=WHOLE),
    *(line("[sparse_dense_matmul]",
         lambda v, b, a=a, c=c: tf.sparse.sparse_dense_matmul(sp(v), b, a, c),
         lambda v, b, a=a, c=c: (full(v).conj().T if a else full(v)) @ (b.conj().T if c else b),
         anywhere, anywhere, shapes=[[(4,), (2, 3 if a else 4) if c else (3 if a else 4, 2)]],
         complex=True) for a in (False, True) for c in (False, True)),
    *(line("[dense_sparse_matmul]",
         lambda b, v, a=a, c=c: tf.sparse.sparse_dense_matmul(b, sp(v), a, c),
         lambda b, v, a=a, c=c: (b.conj().T if a else b) @ (full(v).conj().T if c else full(v)),
         anywhere, anywhere, shapes=[[(4 if c else 3, 2) if a else (2, 4 if c else 3), (4,)]],
         complex=True) for a in (False, True) for c in (False, True)),
    line("SparseSegmentSum", tf.sparse.segment_sum, np_picked(lambda r: r.sum(0)), anywhere,
         integers(0, 3), rising, dtypes=WHOLE, attrs=[{}, {"num_segments": 5}], **PICKED),
    line("SparseSegmentMean", tf.sparse.segment_mean, np_picked(lambda r: r.mean(0)), anywhere,
         integers(0, 3), rising, attrs=[{}, {"num_segments": 5}], **PICKED),
    line("SparseSegmentSqrtN", tf.sparse.segment_sqrt_n,
         np_picked(lambda r: r.sum(0) / np.sqrt(len(r))), anywhere, integers(0, 3), rising,
         attrs=[{}, {"num_segments": 5}], **PICKED),
    line("[sparse.add]", lambda u, v: tf.sparse.add(sp(u), sp(v, OTHER)).values,
         lambda u, v: (full(u) + full(v, OTHER))[[0, 0, 1, 1, 2], [0, 2, 0, 1, 3]],
         anywhere, anywhere, shapes=[[(4,), (3,)]], complex=True, dtypes=WHOLE),
    line("[sparse.add dense]", lambda u, y: tf.sparse.add(sp(u), y), lambda u, y: full(u) + y,
         anywhere, anywhere, shapes=[[(4,), (3, 4)]], complex=True, dtypes=WHOLE),
    line("[sparse.maximum]", lambda u, v: tf.sparse.maximum(sp(u), sp(v, OTHER)).values,
         lambda u, v: np.maximum(full(u), full(v, OTHER))[[0, 0, 1, 1, 2], [0, 2, 0, 1, 3]],
         anywhere, anywhere, shapes=[[(4,), (3,)]]),
    line("[sparse * dense]", lambda u, y: (sp(u) * y).values, lambda u, y: (full(u) * y)[tuple(AT.T)],
         anywhere, anywhere, shapes=[[(4,), (3, 4)], [(4,), (4,)], [(4,), (3, 1)], [(4,), ()]],
         complex=True),
    line("[sparse / dense]", lambda u, y: (sp(u) / y).values, lambda u, y: (full(u) / y)[tuple(AT.T)],
         anywhere, anywhere, shapes=[[(4,), (3, 4)], [(4,), ()]], complex=True),
    line("[sparse.concat]",
         lambda u, v: tf.sparse.to_dense(tf.sparse.concat(1, [sp(u), sp(v, OTHER)])),
         lambda u, v: np.concatenate([full(u), full(v, OTHER)], 1), anywhere, anywhere,
         shapes=[[(4,), (3,)]], complex=True, dtypes=WHOLE),
    line("[sparse.softmax]", lambda u: tf.sparse.softmax(sp(u)).values, np_softmax,
         shapes=[[(4,)]]),
    *(line("[sparse.reduce_sum]",
         lambda u, axis=axis, keep=keep: tf.sparse.reduce_sum(sp(u), axis, keep),
         lambda u, axis=axis, keep=keep: full(u).sum(axis, keepdims=keep), shapes=[[(4,)]],
         complex=True) for axis in (None, 0, 1) for keep in (False, True)),
    line("[sparse.reduce_max]", lambda u: tf.sparse.reduce_max(sp(u), 1),
         lambda u: np.array([u[:2].max(), u[2], u[3]]), distinct, shapes=[[(4,)]]),
    line("[sparse.transpose]", lambda u: tf.sparse.to_dense(tf.sparse.transpose(sp(u))),
         lambda u: full(u).T, shapes=[[(4,)]], complex=True),
    line("[sparse.reshape]", lambda u: tf.sparse.to_dense(tf.sparse.reshape(sp(u), [2, -1, 3])),
         lambda u: full(u).reshape(2, 2, 3), shapes=[[(4,)]], complex=True),
    line("[sparse.slice]", lambda u: tf.sparse.to_dense(tf.sparse.slice(sp(u), [0, 1], [2, 9])),
         lambda u: full(u)[:2, 1:], shapes=[[(4,)]], complex=True),
    line("[sparse.split]", lambda u: [tf.sparse.to_dense(p) for p in tf.sparse.split(sp(u), 3, 1)],
         lambda u: [full(u)[:, :2], full(u)[:, 2:3], full(u)[:, 3:]], shapes=[[(4,)]],
         complex=True),
    line("[sparse.fill_empty_rows]",
         lambda u, d: tf.sparse.to_dense(tf.sparse.fill_empty_rows(sp(u, OTHER, (4, 4)), d)[0]),
         lambda u, d: full(np.append(u, d), np.array([*OTHER.tolist(), [3, 0]]), (4, 4)),
         anywhere, anywhere, shapes=[[(3,), ()]], complex=True),
    line("[sparse.to_dense]", lambda u, d: tf.sparse.to_dense(sp(u), d),
         lambda u, d: np.where(full(np.ones(4)) > 0, full(u), d), anywhere, anywhere,
         shapes=[[(4,), ()]], complex=True),
    line("[sparse.sampled_addmm]",
         lambda u, x, y: tf.sparse.sampled_addmm(AT, u, SHAPE, x, y, 0.5, 2.0)[1],
         lambda u, x, y: 0.5 * u + 2.0 * (x @ y)[tuple(AT.T)], anywhere, anywhere, anywhere,
         shapes=[[(4,), (3, 2), (2, 4)]]),
    *(line(f"[embedding_lookup_sparse {how}]", lookup(how), np_lookup(how), anywhere,
         lambda rng, shape: rng.uniform(0.5, 2.0, shape), shapes=[[(3, 2), (3,)]])
         for how in ("sum", "mean", "sqrtn")),
]  # fmt: skip


# ---- ragged -----------------------------------------------------------------------------------

ENDS = np.array([0, 2, 2, 5])


def rag(values: Any) -> Any:
    return tf.RaggedTensor.from_row_splits(values, ENDS)


def np_rows(reduce: Callable[..., Any], empty: float = 0.0) -> Callable[..., Any]:
    def reference(v: Any) -> Any:
        rows = [v[a:b] for a, b in itertools.pairwise(ENDS)]
        nothing = np.full(v.shape[1:], empty, v.dtype)
        return np.array([reduce(r, axis=0) if len(r) else nothing for r in rows])

    return reference


def np_padded(v: Any, d: Any) -> Any:
    out = np.broadcast_to(d, (3, 3, *v.shape[1:])).copy()
    out[0, :2], out[2] = v[:2], v[2:]
    return out


def ends(rng: Rng, shape: Dims) -> Any:
    """Three rows of two, two and one values, in an order of their own in each draw."""
    return np.concatenate([[0], np.cumsum(rng.permutation([2, 2, 1]))])


RAGGED = [
    line("RaggedRowIds", internal("RaggedRowIds"),
         lambda s: np.repeat(np.arange(len(s) - 1), np.diff(s)), ends, shapes=[[(4,)]]),
    line("RaggedPlaces", internal("RaggedPlaces"), None, ends, shapes=[[(4,)]],
         attrs=[{"width": None}, {"width": 2}]),
    line("RaggedRows", internal("RaggedRows"), None, ends, lambda rng, n: rng.permutation(3),
         shapes=[[(4,), (3,)]]),
    line("RaggedCut", internal("RaggedCut"), None, ends, shapes=[[(4,)]],
         attrs=[{"cut": (0, 1, None)}, {"cut": (None, None, -1)}]),
    line("[RaggedRange]", lambda n: tf.ragged.range(n).values,
         lambda n: np.concatenate([np.arange(k) for k in n]), lambda rng, shape: rng.permutation(3), shapes=[[(3,)]]),
    line("[to_tensor]", lambda v, d: rag(v).to_tensor(d), np_padded, anywhere, anywhere,
         shapes=[[(5,), ()], [(5, 2), ()]], complex=True, dtypes=WHOLE),
    line("[ragged rows]", lambda v: rag(v)[1:, ::-1].values, lambda v: v[2:][::-1],
         shapes=[[(5,)], [(5, 2)]], complex=True, dtypes=MOVES),
    line("[ragged reduce_sum]", lambda v: tf.reduce_sum(rag(v), 1), np_rows(np.sum),
         shapes=[[(5,)], [(5, 2)]], complex=True),
    line("[ragged reduce_max]", lambda v: tf.reduce_max(rag(v)[::2], 1),
         lambda v: np.array([v[:2].max(0), v[2:].max(0)]), distinct, shapes=[[(5,)], [(5, 2)]]),
    line("[ragged reduce_mean]", lambda v: tf.reduce_mean(rag(v)[::2], 1),
         lambda v: np.array([v[:2].mean(0), v[2:].mean(0)]), shapes=[[(5,)], [(5, 2)]]),
    line("[ragged reduce_prod]", lambda v: tf.reduce_prod(rag(v), 1), np_rows(np.prod, 1.0),
         shapes=[[(5,)], [(5, 2)]]),
    line("[ragged axis 0]", lambda v: tf.reduce_sum(rag(v), 0),
         lambda v: np_padded(v, np.zeros((), v.dtype)).sum(0), shapes=[[(5,)], [(5, 2)]]),
    line("[ragged * ragged]", lambda v, w: (rag(v) * rag(w) + 1.0).values, lambda v, w: v * w + 1.0,
         anywhere, anywhere, shapes=[[(5,), (5,)]], complex=True),
    line("[ragged * dense]", lambda v, w: (rag(v) * w).values,
         lambda v, w: v * w[[0, 0, 2, 2, 2], 0], anywhere, anywhere, shapes=[[(5,), (3, 1)]]),
    line("[ragged concat]", lambda v, w: tf.concat([rag(v), rag(w)], 1).values,
         lambda v, w: np.concatenate([v[:2], w[:2], v[2:], w[2:]]), anywhere, anywhere,
         shapes=[[(5,), (5,)], [(5, 2), (5, 2)]], complex=True),
    line("[ragged to_sparse]", lambda v: tf.sparse.to_dense(rag(v).to_sparse()),
         lambda v: np_padded(v, np.zeros((), v.dtype)), shapes=[[(5,)], [(5, 2)]]),
]  # fmt: skip


# ---- sets, distances, decoding ----------------------------------------------------------------


def orders(rng: Rng, shape: Dims) -> Any:
    """Each row a permutation."""
    return rng.permuted(np.tile(np.arange(shape[1]), (shape[0], 1)), axis=1)


def np_sets(a: Any, b: Any) -> Any:
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    return np.array([v for x, y in pairs for v in sorted(set(x) - set(y))])


def np_decoded(x: Any) -> Any:
    best = x.argmax(2).T
    return [-x.max(2).sum(0)[:, None], best[best != x.shape[2] - 1]]


def decoded(x: Any) -> Any:
    (labels,), score = tf.nn.ctc_greedy_decoder(x, [4, 4], merge_repeated=False)
    return [score, labels.values]


def first_likely(rng: Rng, shape: Dims) -> Any:
    return distinct(rng, shape) * 0.1 + 9.0 * (np.arange(3) == 0)


def np_first_chance(x: Any) -> Any:
    """Of one step whose best class is the first."""
    return scipy.special.log_softmax(x, -1)[0, :, :1]


def some_blank(rng: Rng, shape: Dims) -> Any:
    """Scores of four steps whose best classes are 0, 0, 1 and the blank, in any order."""
    best = np.stack([rng.permutation([0, 0, 1, 2]) for _ in range(shape[1])], 1)
    return distinct(rng, shape) * 0.1 + 9.0 * (best[..., None] == np.arange(3))


DISCRETE = [
    line("[SparseToSparseSetOperation]", lambda a, b: tf.sets.difference(a, b).values, np_sets, orders, orders, shapes=[[(2, 4), (2, 3)]]),
    line("EditDistance",
         lambda a, b: tf.edit_distance(tf.sparse.from_dense(a), tf.sparse.from_dense(b)),
         lambda a, b: (a != b).mean(1).astype(np.float32), integers(1, 2), integers(1, 3),
         shapes=[[(3, 4), (3, 4)]]),
    line("[CTCGreedyDecoder]", decoded, np_decoded, some_blank, shapes=[[(4, 2, 3)]]),
    line("[CTCBeamSearchDecoder]", lambda x: tf.nn.ctc_beam_search_decoder(x, [1, 1])[1], np_first_chance,
         first_likely, shapes=[[(1, 2, 3)]], constant=True),
]  # fmt: skip

LINES: Sequence[Line] = [*SPARSE, *RAGGED, *DISCRETE]
