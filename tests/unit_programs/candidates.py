"""Candidate sampling, CTC beam search, embeddings in parts."""

# mypy: disable-error-code="no-any-return, misc"
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from unit_programs.common import Programs, refusal

TRUE = [[3], [5]]
TWO = [[3, 4], [5, 0]]
WEIGHTS = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def programs(tf: Any) -> Programs:
    return samplers(tf) | losses(tf) | beams(tf) | alignments(tf) | embeddings(tf)


def seeded(tf: Any, draw: Callable[[], Any]) -> Callable[[], Any]:
    """What an operation with a seed gives twice."""

    def program() -> Any:
        tf.random.set_seed(1)
        return [list(draw()), list(draw())]

    return program


def samplers(tf: Any) -> Programs:
    random = tf.random
    found: Programs = {}
    for unique in (True, False):
        draws = {
            "uniform": lambda u=unique: random.uniform_candidate_sampler(TRUE, 1, 5, u, 7, seed=3),
            "uniform of 64": lambda u=unique: random.uniform_candidate_sampler(
                TWO, 2, 5, u, 64, seed=3
            ),
            "log uniform": lambda u=unique: random.log_uniform_candidate_sampler(
                TRUE, 1, 5, u, 100, seed=3
            ),
            "learned": lambda u=unique: random.learned_unigram_candidate_sampler(
                TRUE, 1, 5, u, 10, seed=3
            ),
            "fixed": lambda u=unique: random.fixed_unigram_candidate_sampler(
                TRUE, 1, 3, u, 6, unigrams=WEIGHTS, distortion=0.75, seed=3
            ),
            "reserved": lambda u=unique: random.fixed_unigram_candidate_sampler(
                TRUE, 1, 3, u, 7, unigrams=WEIGHTS, num_reserved_ids=1, seed=3
            ),
        }
        found |= {f"{name}, unique: {unique}": seeded(tf, draw) for name, draw in draws.items()}
    sharded = lambda: random.fixed_unigram_candidate_sampler(  # noqa: E731
        [[0], [1]], 1, 3, False, 3, unigrams=WEIGHTS, num_shards=2, shard=1, seed=3
    )
    found["sharded"] = seeded(tf, sharded)
    found["all"] = lambda: list(random.all_candidate_sampler(TRUE, 1, 6, True))
    found["hits"] = lambda: list(tf.nn.compute_accidental_hits(TWO, [5, 1, 4, 5, 3], 2))
    for size in (1, 5, 8, 9):
        found[f"shuffles of {size}"] = seeded(tf, lambda n=size: [tf.random.shuffle(range(n), 3)])
    found["sizes of any rank"] = lambda: [
        tf.function(draw, input_signature=[tf.TensorSpec(None, tf.int32)])(tf.constant([2, 3]))
        for draw in (
            lambda s: random.normal(s, seed=3),
            lambda s: random.uniform(s, 0, 9, tf.int32, seed=3),
            lambda s: random.truncated_normal(s, seed=3),
            lambda s: random.gamma(s, [1.0, 2.0], seed=3),
            lambda s: random.poisson(s, [1.0, 2.0], seed=3),
        )
    ]
    return found | {"refused samplers": lambda: refused_samplers(tf)}


def refused_samplers(tf: Any) -> Any:
    uniform, fixed = tf.random.uniform_candidate_sampler, tf.random.fixed_unigram_candidate_sampler
    return [
        refusal(lambda: uniform(TRUE, 1, 5, True, 3), "Sampler's range is too small"),
        refusal(lambda: uniform(TRUE, 2, 5, True, 30), "true_classes must have num_true columns"),
        refusal(lambda: uniform([3], 1, 5, True, 30), "true_classes must be a matrix"),
        refusal(lambda: uniform(TRUE, 1, 0, True, 3), "must be at least minimum 1"),
        refusal(lambda: fixed(TRUE, 1, 3, True, 6, "/no/such"), "No such file or directory"),
        refusal(lambda: fixed(TRUE, 1, 3, True, 6), "Must provide either vocab_file or unigrams"),
        refusal(
            lambda: fixed(TRUE, 1, 3, True, 6, unigrams=[1.0]), "must be equal to weights size"
        ),
        refusal(
            lambda: tf.random.log_uniform_candidate_sampler(TRUE, 1, 5, False, 4),
            r"`true_candidate` out of range \[0, 4\), received 5",
        ),
        refusal(
            lambda: tf.nn.compute_accidental_hits(TWO, [5], 1),
            "true_candidates must be a batch_size",
        ),
    ]


def losses(tf: Any) -> Programs:
    rng = np.random.default_rng(0)
    w, b, x = (rng.standard_normal(s).astype(np.float32) for s in ((12, 3), 12, (4, 3)))
    one = tf.constant([[1], [4], [0], [11]], tf.int64)
    two = tf.constant([[1, 3], [4, 2], [0, 9], [11, 5]], tf.int64)

    def graded(loss: Callable[[Any, Any, Any], Any]) -> Callable[[], Any]:
        """The loss; the kinds of gradients in table, offsets and inputs, and their sums."""

        def program() -> Any:
            tf.random.set_seed(7)
            sources = tf.Variable(w), tf.Variable(b), tf.Variable(x)
            with tf.GradientTape() as tape:
                y = loss(*sources)
            gradients = tape.gradient(y, sources)
            kinds = [isinstance(g, tf.IndexedSlices) for g in gradients]
            return [y, kinds, [tf.reduce_sum(tf.convert_to_tensor(g), 0) for g in gradients]]

        return program

    def twice() -> Any:
        tf.random.set_seed(3)
        return [nn.nce_loss(w, b, one, x, 5, 12, remove_accidental_hits=True) for _ in range(2)]

    @tf.function(input_signature=[tf.TensorSpec(None)] * 3)
    def of_any_rank(w: Any, b: Any, x: Any) -> Any:
        return [
            nn.nce_loss(w, b, one, x, 5, 12, sampled_values=values),
            nn.sampled_softmax_loss([w[:6], w[6:]], b, one, x, 5, 12, sampled_values=values),
        ]

    nn = tf.nn
    values = tf.random.uniform_candidate_sampler(one, 1, 5, True, 12, seed=2)
    return {
        "noise contrastive": graded(lambda w, b, x: nn.nce_loss(w, b, one, x, 5, 12)),
        "noise contrastive, two": graded(
            lambda w, b, x: nn.nce_loss(
                w, b, two, x, 5, 12, num_true=2, remove_accidental_hits=True
            )
        ),
        "given candidates": graded(
            lambda w, b, x: nn.nce_loss(w, b, one, x, 5, 12, sampled_values=values)
        ),
        "losses of any rank": lambda: of_any_rank(w, b, x),
        "one loss after another": lambda: twice(),
        "sampled softmax": graded(lambda w, b, x: nn.sampled_softmax_loss(w, b, one, x, 5, 12)),
        "sampled softmax, two": graded(
            lambda w, b, x: nn.sampled_softmax_loss(w, b, two, x, 5, 12, num_true=2, seed=5)
        ),
        "words to vectors": lambda: words_to_vectors(tf),
    }


def words_to_vectors(tf: Any) -> Any:
    """Steps of a well-known example."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v1.set_random_seed(3)
        table = tf.constant(np.arange(80.0, dtype=np.float32).reshape(20, 4) / 80)
        words = v1.get_variable("words", initializer=table)
        weights = v1.get_variable("weights", initializer=table[::-1])
        offsets = v1.get_variable("offsets", [20], initializer=v1.zeros_initializer())
        ids = v1.placeholder(tf.int32, [None])
        labels = v1.placeholder(tf.int32, [None, 1])
        found = v1.nn.embedding_lookup(words, ids)
        loss = tf.reduce_mean(
            v1.nn.nce_loss(weights, offsets, labels, found, num_sampled=6, num_classes=20)
        )
        step = v1.train.GradientDescentOptimizer(1.0).minimize(loss)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            fed = [{ids: [1, 2, i], labels: [[3], [4], [i]]} for i in range(4)]
            return [session.run([loss, step], feeds)[0] for feeds in fed]


def beams(tf: Any) -> Programs:
    def decoded(search: Any, case: tuple[int, ...], kind: Any = np.float32) -> Any:
        steps, batch, classes, width, paths, scale = case
        logits = np.random.default_rng(steps).standard_normal((steps, batch, classes)) * scale
        lengths = [steps - i for i in range(batch)]
        return search(logits.astype(kind), lengths, width, paths)

    cases = [(5, 2, 3, 4, 2, 2), (12, 3, 5, 10, 3, 3), (20, 2, 30, 100, 1, 4), (8, 1, 2, 3, 2, 1),
             (30, 2, 8, 25, 5, 2), (6, 2, 4, 1, 1, 1), (1, 1, 3, 3, 2, 1), (15, 2, 6, 7, 7, 3)]  # fmt: skip
    search, merging = tf.nn.ctc_beam_search_decoder, tf.compat.v1.nn.ctc_beam_search_decoder
    found: Programs = {f"beam {case}": lambda c=case: decoded(search, c) for case in cases}
    found |= {f"beam, merged {case}": lambda c=case: decoded(merging, c) for case in cases[:3]}
    found["beam, double"] = lambda: decoded(search, cases[1], np.float64)
    zeros = np.zeros((1, 1, 3), np.float32)
    found["beam, nothing"] = lambda: search(zeros, [0], 10, 1)
    found["refused beams"] = lambda: [
        refusal(lambda: search(zeros, [1], 10, 9), "Less leaves in the beam search than requested"),
        refusal(lambda: search(zeros, [1], 2, 3), "requested more paths than the beam width"),
        refusal(lambda: search(zeros, [1], 0, 1), "must be at least minimum 1"),
        refusal(lambda: search(zeros[0], [1], 2, 1), "inputs is not a 3-Tensor"),
        refusal(lambda: search(zeros, [1, 1], 2, 1), r"len\(sequence_length\) != batch_size"),
        refusal(lambda: search(zeros, [2], 2, 1), r"sequence_length\(0\) <= 1"),
    ]
    return found


def alignments(tf: Any) -> Programs:
    """CTC loss in both versions, and greedy decoding."""
    v1, nn = tf.compat.v1, tf.nn
    logits = np.random.default_rng(5).standard_normal((7, 3, 5)).astype(np.float32)
    lengths = np.array([7, 6, 4], np.int32)
    some = [[1, 2], [3, 3, 1], [2]]

    def rows(given: Any) -> Any:
        at = [[i, j] for i, row in enumerate(given) for j in range(len(row))]
        values = tf.constant([label for row in given for label in row], tf.int32)
        return tf.SparseTensor(at, values, [len(given), max(map(len, given))])

    def graded(labels: Any = some, given: Any = logits, frames: Any = lengths, **how: Any) -> Any:
        x = tf.constant(given)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = v1.nn.ctc_loss(rows(labels), x, frames, **how)
        return [y, tape.gradient(y, x)]

    def of_any_size(*size: Any) -> Any:
        spec = tf.TensorSpec(*size), tf.TensorSpec([None], tf.int32)
        sparse = tf.function(lambda x, n: v1.nn.ctc_loss(rows(some), x, n), input_signature=spec)
        dense = tf.function(
            lambda x, n: nn.ctc_loss([[1, 2]] * 3, x, [2, 2, 1], n, blank_index=0),
            input_signature=spec,
        )
        greedy = tf.function(lambda x, n: nn.ctc_greedy_decoder(x, n), input_signature=spec)
        found = [f(tf.constant(logits), tf.constant(lengths)) for f in (sparse, dense)]
        (decoded,), score = greedy(tf.constant(logits), tf.constant(lengths))
        return [*found, decoded, score]

    long = [[1, 2, 3, 1, 2, 3, 1, 1], [1], [1]]
    return {
        "sparse labels": lambda: [
            graded(),
            graded(preprocess_collapse_repeated=True),
            graded(ctc_merge_repeated=False),
            graded(preprocess_collapse_repeated=True, ctc_merge_repeated=False),
            graded(given=logits.transpose(1, 0, 2), time_major=False),
            graded([[1, 4], [1], [1]]),
            graded(long, ignore_longer_outputs_than_inputs=True),
        ],
        "frames beyond the end": lambda: nn.ctc_loss(
            [[1, 2, 0], [3, 3, 1], [2, 0, 0]], logits, [2, 3, 1], lengths + 9, blank_index=0
        ),
        "unique labels": lambda: nn.ctc_unique_labels([[3, 4, 4, 3]]),
        "alignments of any size": lambda: [of_any_size([None, None, 5]), of_any_size(None)],
        "refused alignments": lambda: [
            refusal(lambda: graded([[1], [], [1]]), "Labels length is zero in batch 1"),
            refusal(lambda: graded(long), "Not enough time for target transition sequence"),
            refusal(lambda: graded([[4, 1], [1], [1]]), "Saw a non-null label"),
            refusal(lambda: graded([[-1], [1], [1]]), "All labels must be nonnegative integers"),
            refusal(lambda: graded(frames=lengths + 9), r"sequence_length\(0\) <= 7"),
            refusal(lambda: graded(frames=lengths[:2]), r"len\(sequence_length\) != batch_size"),
            refusal(lambda: graded(frames=-lengths), r"seq_len\(0\) < 0"),
            refusal(lambda: graded(given=logits[0]), "inputs is not a 3-Tensor"),
            refusal(lambda: v1.nn.ctc_loss([[1]], logits, lengths), "to be a SparseTensor"),
            refusal(lambda: nn.ctc_loss([[1, 2]] * 3, logits, [2, 2], lengths), "Incompatible"),
            refusal(lambda: nn.ctc_greedy_decoder(logits, lengths + 9), r"sequence_length\(0\)"),
            refusal(lambda: nn.ctc_greedy_decoder(logits, lengths[:2]), "!= batch_size"),
            refusal(lambda: nn.ctc_greedy_decoder(logits, lengths[:, None]), "is not a vector"),
            refusal(lambda: nn.ctc_unique_labels([3, 4])),
        ],
    }


def embeddings(tf: Any) -> Programs:
    v1, nn = tf.compat.v1, tf.nn
    a = tf.constant(np.arange(6.0, dtype=np.float32).reshape(3, 2))
    b = a[:2] + 6.0
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 3, 1], [2, 2])
    at = [[0, 3], [4, 1]]

    def gradients(strategy: str) -> Any:
        parts = tf.Variable(a), tf.Variable(b)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v1.nn.embedding_lookup(list(parts), at, strategy) ** 2)
        found = tape.gradient(y, parts)
        return [[isinstance(g, tf.IndexedSlices), tf.convert_to_tensor(g)] for g in found]

    def partitioned(strategy: str) -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            with v1.variable_scope("scope", partitioner=v1.fixed_size_partitioner(2)):
                start = lambda shape, dtype, partition_info: (  # noqa: E731
                    tf.ones(shape, dtype) * (1.0 + partition_info.var_offset[0])
                )
                table = v1.get_variable("table", [5, 2], initializer=start)
            rows = v1.nn.embedding_lookup(table, [0, 3, 4], strategy)
            session.run(v1.global_variables_initializer())
            return session.run(rows)

    @tf.function(
        input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None, 2]), tf.TensorSpec([None])]
    )
    def of_any_size(a: Any, b: Any, ids: Any) -> Any:
        return nn.embedding_lookup([a, b], tf.cast(ids, tf.int32))

    def of_any_rank(lookup: Callable[..., Any]) -> Any:
        rank = [tf.TensorSpec(None), tf.TensorSpec(None), tf.TensorSpec(None, tf.int32)]
        return tf.function(lookup, input_signature=rank)(a, b, tf.constant(at))

    ragged = tf.ragged.constant([[0, 2], [], [1, 1]], dtype=tf.int64)
    weights = tf.ragged.constant([[1.0, 2.0], [], [0.5, 3.0]])
    return {
        "lists are parts": lambda: nn.embedding_lookup([[1.0, 2.0], [3.0, 4.0]], [1]),
        "rows in parts": lambda: nn.embedding_lookup([a, b], at),
        "rows dealt out": lambda: v1.nn.embedding_lookup([a, b], at),
        "scaled rows": lambda: nn.embedding_lookup([a, b], at, max_norm=1.0),
        "sparse ids": lambda: [
            nn.embedding_lookup_sparse([a, b], ids, None),
            v1.nn.embedding_lookup_sparse([a, b], ids, None),
            v1.nn.embedding_lookup_sparse([a, b], ids, None, "div"),
            nn.safe_embedding_lookup_sparse([a, b], ids, None, "sum"),
            v1.nn.safe_embedding_lookup_sparse([a, b], ids, None, "sum"),
        ],
        "gradients in parts": lambda: [gradients("mod"), gradients("div")],
        "partitioned tables": lambda: [partitioned("mod"), partitioned("div")],
        "parts of any size": lambda: of_any_size(a, b, tf.constant([4.0, 2.0])),
        "parts of any rank": lambda: [
            of_any_rank(lambda x, y, i: v1.nn.embedding_lookup([x, y], i, s, max_norm=2.0))
            for s in ("mod", "div")
        ],
        "sparse ids of any rank": lambda: of_any_rank(
            lambda x, y, _: v1.nn.safe_embedding_lookup_sparse([x, y], ids, None, max_norm=2.0)
        ),
        "ragged ids": lambda: [
            f(a, ragged, w, combiner=how)
            for how in ("sum", "mean", "sqrtn")
            for w in (None, weights)
            for f in (nn.embedding_lookup_sparse, nn.safe_embedding_lookup_sparse)
        ],
        "refused embeddings": lambda: [
            refusal(lambda: nn.embedding_lookup([], [1]), "Length of params is currently 0"),
            refusal(lambda: nn.embedding_lookup(None, [1]), "params must be specified"),
            refusal(lambda: v1.nn.embedding_lookup([a, b], at, "x"), "Unrecognized partition"),
            refusal(lambda: nn.embedding_lookup([a, b], [7]), r"is not in \[0, 2\)"),
            refusal(lambda: nn.embedding_lookup_sparse(a, ragged, [1.0]), "of the same type"),
        ],
    }
