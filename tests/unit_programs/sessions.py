"""Graphs of version 1: the names that operations are given, closed graphs, queues and their batches."""

# mypy: disable-error-code="no-any-return, misc"
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unit_programs.common import Programs, refusal


def programs(tf: Any) -> Programs:
    return (
        {
            "names by position": in_a_graph(tf, names_by_position),
            "names of scopes": in_a_graph(tf, names_of_scopes),
            "names of batches": in_a_graph(tf, names_of_batches),
            "closed graphs": in_a_graph(tf, closed),
            "monitored graphs": in_a_graph(tf, monitored),
            "refused batches": in_a_graph(tf, refused_batches),
            "one of several queues": in_a_graph(tf, one_of_several),
            "no texts": in_a_graph(tf, no_texts),
            "rows of accumulators": in_a_graph(tf, rows_of_accumulators),
            "errors made": lambda: errors_made(tf),
            "tables of any rank": lambda: tables_of_any_rank(tf),
        }
        | sizes(tf)
        | names_of_old(tf)
    )


def in_a_graph(tf: Any, program: Callable[[Any], Any]) -> Callable[[], Any]:
    def run() -> Any:
        with tf.Graph().as_default():
            return program(tf)

    return run


def names_by_position(tf: Any) -> Any:
    v1 = tf.compat.v1
    x = tf.constant([1.0, 2.0], tf.float32, [2], "c")
    made = [
        *(x, tf.identity(x, "out"), tf.add(x, x, "sum"), tf.reshape(x, [1, 2], "row")),
        *(tf.reduce_mean(x, 0, False, "mean"), tf.cast(x, tf.int32, "whole")),
        *(tf.stack([x, x], 0, "stack"), tf.concat([x, x], 0, "joined"), tf.nn.softmax(x, -1, "p")),
        *(tf.zeros([2], tf.float32, "zeros"), tf.expand_dims(x, 0, "wide")),
        *(tf.gather(x, [0], None, 0, 0, "some"), tf.range(3, 5, 1, tf.int32, "numbers")),
        *(tf.tile(x, [2], "tiled"), tf.fill([2], 1.0, "filled"), tf.maximum(x, x, "more")),
        *(v1.argmax(x, 0, "where"), v1.placeholder(tf.float32, None, "fed")),
        *(tf.identity(tf.identity(x, "a"), "a"), tf.split(x, 2, 0, None, "halves")[1]),
    ]
    refused = refusal(lambda: tf.identity(x, "a name"), "not a valid")
    return [[tensor.name for tensor in made], refused]


def names_of_scopes(tf: Any) -> Any:
    v1 = tf.compat.v1

    def made() -> Any:
        return [v1.get_variable("w", []).name, tf.constant(1.0).name, tf.no_op("x").name]

    found = []
    with v1.variable_scope(None, "t"):
        found.append(made())
    with tf.name_scope("t"):
        found.append(tf.constant(1.0).name)
    for _ in range(2):
        with v1.variable_scope(None, "t"):
            found.append(made())
    for _ in range(2):
        with v1.variable_scope("q"), v1.variable_scope(None, "t"):
            found.append(made())
    template = v1.make_template("t", lambda: tf.identity(v1.get_variable("w", []), "y"))
    return [found, template().name, template().name]


def names_of_batches(tf: Any) -> Any:
    train, x = tf.compat.v1.train, tf.constant(1)
    made = [
        train.batch([x, x], 2)[1],
        train.batch({"a": x, "b": x}, 2, name="named")["b"],
        train.shuffle_batch([x], 2, 6, 5),
        train.shuffle_batch([x], 2, capacity=7, min_after_dequeue=2, name="shuffled"),
    ]
    return [tensor.name for tensor in made]


def closed(tf: Any) -> Any:
    v1, graph = tf.compat.v1, tf.compat.v1.get_default_graph()
    w = v1.get_variable("w", initializer=[1.0, 2.0])
    start = v1.global_variables_initializer()
    graph.finalize()
    with v1.Session() as session:
        session.run(start)
        values = [session.run(w), w.eval(session)]
    return [values, graph.finalized, refusal(lambda: w + 1.0, "Graph is finalized")]


def monitored(tf: Any) -> Any:
    v1, graph = tf.compat.v1, tf.compat.v1.get_default_graph()
    w = v1.get_variable("w", initializer=2.0)
    v1.train.get_or_create_global_step()
    with v1.train.MonitoredTrainingSession() as session:
        found = [refusal(lambda: w + 1.0, "Graph is finalized"), session.run(w)]
    return [found, graph.finalized, (w + 1.0).shape.as_list()]


def refused_batches(tf: Any) -> Any:
    train, x = tf.compat.v1.train, tf.constant(1)
    one, two = tf.constant([1]), tf.constant([1, 2])
    return [
        refusal(lambda: train.shuffle_batch([x], 2, 5, 5), "must be bigger than min_after_dequeue"),
        refusal(lambda: train.batch([two, one], 2, enqueue_many=True), "not compatible"),
        refusal(lambda: train.input_producer(x), "must have rank at least 1"),
    ]


def one_of_several(tf: Any) -> Any:
    v1 = tf.compat.v1
    first, second = v1.FIFOQueue(5, [tf.int32], [[]]), v1.FIFOQueue(5, [tf.int32], [[]])
    which = v1.placeholder(tf.int32, [])
    queue = v1.FIFOQueue.from_list(which, [first, second])
    taken, fill = queue.dequeue(), [first.enqueue(1), second.enqueue(2)]
    with v1.Session() as session:
        session.run(fill)
        found = [session.run(taken, {which: n}) for n in (1, 0)]
    other = v1.FIFOQueue(5, [tf.float32])
    return [
        *(found, taken.shape.as_list()),
        refusal(lambda: v1.FIFOQueue.from_list(which, [first, other]), "matching component dtypes"),
        refusal(lambda: v1.FIFOQueue.from_list(which, []), "A list of queues expected"),
    ]


def no_texts(tf: Any) -> Any:
    """There are none as it turns out when the queue is filled."""
    v1 = tf.compat.v1
    texts = v1.placeholder_with_default(tf.constant([], tf.string), [None])
    taken = v1.train.string_input_producer(texts).dequeue()
    with v1.Session() as session:
        coordinator = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        ended = refusal(lambda: session.run(taken), "is closed and has insufficient elements")
        return [ended, refusal(lambda: coordinator.join(threads), "requires a non-null input")]


def rows_of_accumulators(tf: Any) -> Any:
    v1 = tf.compat.v1
    sums = v1.SparseConditionalAccumulator(tf.float32, shape=[4, 2])
    put = sums.apply_indexed_slices_grad(tf.IndexedSlices([[1.0, 2.0], [3.0, 4.0]], [1, 3], [4, 2]))
    taken = sums.take_indexed_slices_grad(1)
    with v1.Session() as session:
        session.run(put)
        found = session.run(taken)
    return [found.indices, found.values, list(map(int, found.dense_shape))]


def errors_made(tf: Any) -> Any:
    """Errors that a program makes, and parts of those it is given."""
    made = []
    for kind in (
        tf.errors.OutOfRangeError,
        tf.errors.InvalidArgumentError,
        tf.errors.NotFoundError,
    ):
        error = kind(None, None, "text")
        named = kind(node_def=None, op=None, message="text")
        made.append([error.message, str(error), error.node_def, error.op, error.error_code])
        made.append([named.message, named.experimental_payloads])
    try:
        tf.gather([1, 2], [9])
    except tf.errors.OpError as error:
        again = type(error)(error.node_def, error.op, "again", error.error_code)
        made.append([error.node_def, error.op, again.message])
    return made


def tables_of_any_rank(tf: Any) -> Any:
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], [1.0, 2.0]), 0.0
    )

    @tf.function(input_signature=[tf.TensorSpec(None, tf.string)])
    def found(keys: Any) -> Any:
        return table.lookup(keys)

    return [found(tf.constant("b")), found(tf.constant([["a", "x"]]))]


def sizes(tf: Any) -> Programs:
    """Sizes of shapes as objects, which programs of version 1 ask for a value."""
    v1 = tf.compat.v1

    def seen() -> Any:
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        rows, columns = x.get_shape()
        w = v1.get_variable("w", [x.shape[-1].value, columns * 2])
        unknown = v1.placeholder(tf.float32)
        return [
            [
                str(x.shape),
                repr(x.shape),
                str(x),
                str(tf.TensorShape(None)),
                str(tf.TensorShape([4])),
            ],
            [rows.value, columns.value, int(columns), columns == 3, rows is None, str(rows)],
            [(columns * 2).value, (columns // 2).value, (rows + 1).value, repr(columns - 1)],
            [d.value for d in x.shape[1:]],
            [x.shape.as_list(), x.shape.ndims, unknown.shape.ndims, unknown.get_shape().dims],
            [w.shape.as_list(), tf.reshape(x, [-1, columns]).shape.as_list()],
            tf.matmul(x, w).shape.as_list(),
            tf.zeros([columns, x.shape[1]]).shape.as_list(),
            [x.shape == [None, 3], x.shape[1:] == [3], x.shape.concatenate([2]).as_list()],
            [t.shape.as_list() for t in (tf.one_hot([0], columns), tf.fill([columns], 2.0))],
            [
                tf.get_static_value(t)
                for t in (tf.convert_to_tensor(columns), tf.stack([columns, 2]))
            ],
            tf.cast(columns, tf.float32).dtype.name,
            refusal(lambda: tf.convert_to_tensor(rows), "Cannot convert unknown Dimension"),
        ]

    def with_objects() -> Any:
        v1.disable_v2_tensorshape()
        try:
            with tf.Graph().as_default():
                return seen()
        finally:
            v1.enable_v2_tensorshape()

    def with_numbers() -> Any:
        shape = tf.TensorShape([None, 3])
        return [shape[0], shape[1], list(shape), str(shape), repr(shape)]

    return {"sizes as objects": with_objects, "sizes as numbers": with_numbers}


def names_of_old(tf: Any) -> Programs:
    """Names that version 1 has in modules of its own, and what they give."""
    v1 = tf.compat.v1
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    sparse = tf.sparse.from_dense([[0.0, 2.0], [3.0, 0.0]])

    def moved() -> Any:
        return [
            tf.abs(v1.spectral.rfft(x)),
            v1.spectral.dct(x),
            v1.manip.reshape(x, [4]),
            v1.manip.roll(x, 1, 0),
            v1.debugging.is_finite(x),
            v1.debugging.is_strictly_increasing([1, 2]),
            v1.verify_tensor_all_finite(t=x, msg="text"),
            refusal(lambda: v1.verify_tensor_all_finite(x / 0.0, "a text"), "a text"),
            v1.sets.set_size(tf.sparse.from_dense([[1, 2], [3, 0]])),
            v1.sparse.matmul(sparse, x),
            v1.sparse.reduce_sum(sparse, axis=1, keep_dims=True),
            v1.sparse.to_dense(sparse),
        ]

    def files() -> Any:
        gfile = v1.io.gfile
        return [gfile.exists("/nowhere"), gfile.join("a", "b"), hasattr(gfile, "GFile")]

    def constants() -> Any:
        spaces = (tf.saved_model, v1.saved_model, v1.saved_model.constants)
        names = ["ASSETS_KEY", "DEBUG_DIRECTORY", "DEBUG_INFO_FILENAME_PB"]
        methods = ["CLASSIFY", "PREDICT", "REGRESS"]
        return [
            [[getattr(space, name) for name in names] for space in spaces],
            [
                getattr(spaces[0], f"{method}_{part}")
                for method in methods
                for part in ("INPUTS", "METHOD_NAME")
            ],
            [v1.saved_model.LEGACY_INIT_OP_KEY, v1.saved_model.MAIN_OP_KEY, tf.saved_model.TPU],
        ]

    def settings() -> Any:
        (cpu,) = tf.config.list_physical_devices("CPU")
        return [
            tf.config.get_soft_device_placement(),
            tf.config.experimental.get_synchronous_execution(),
            tf.config.experimental.get_device_details(cpu),
            tf.config.experimental_functions_run_eagerly(),
        ]

    def samplers() -> Any:
        given = {"num_true": 1, "num_sampled": 3, "unique": True, "range_max": 5, "seed": 3}
        true = tf.constant([[1]], tf.int64)
        names = ("log_uniform_candidate_sampler", "uniform_candidate_sampler")
        return [[getattr(space, n)(true, **given) for n in names] for space in (v1.nn, v1.random)]

    return {
        "moved names": moved,
        "files of version 1": files,
        "constants of models": constants,
        "settings asked for": settings,
        "samplers of version 1": samplers,
    }
