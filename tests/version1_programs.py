"""Programs of TensorFlow 1 that run in TensorFlow and here: tools/version1.py records what they give there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np


class Names(NamedTuple):
    """Where a program finds its functions: TensorFlow 2.21 has some of them only internally."""

    tf: Any
    cells: Any
    rnn: Any
    layers: Any
    base: Any


Program = Callable[[Names], dict[str, Any]]
PROGRAMS: dict[str, Program] = {}


def print_of(array: Any) -> list[Any]:
    """The shape, and two numbers that change with every element and its place."""
    flat = np.asarray(array, np.float64).ravel()
    places = np.cos(np.arange(flat.size))
    return [list(np.shape(array)), float(flat.sum()), float(flat @ places)]


def values(*shape: int, shift: float = 0.0) -> Any:
    return np.cos(np.arange(int(np.prod(shape))) + shift).reshape(shape)


def filled(tf: Any, variables: Any) -> list[Any]:
    """Assignments of values that do not depend on how random numbers are drawn."""
    return [
        tf.compat.v1.assign(v, 0.7 * values(*v.shape.as_list(), shift=i + 0.5))
        for i, v in enumerate(variables)
    ]


def with_gradients(tf: Any, found: Any, inputs: list[Any]) -> dict[str, Any]:
    """Of results: themselves, the variables by name, their first values, and all gradients."""
    v1 = tf.compat.v1
    results = [y for y in tf.nest.flatten(found) if y.dtype.is_floating]
    variables = v1.trainable_variables()
    total = tf.add_n([tf.reduce_sum(tf.sin(y)) for y in results])
    gradients = v1.gradients(total, [*inputs, *variables])
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        biases = [v for v in variables if "bias" in v.name]
        first = [print_of(value) for value in session.run(biases)]
        session.run(filled(tf, variables))
        return {
            "variables": [v.name for v in variables],
            "first": first,
            "results": [print_of(value) for value in session.run(results)],
            "gradients": [print_of(value) for value in session.run(gradients)],
        }


# ---- recurrent networks ------------------------------------------------------------------------


def cells(names: Names) -> dict[str, Callable[[], Any]]:
    of = names.cells
    return {
        "basic": lambda: of.BasicRNNCell(3),
        "relu": lambda: of.BasicRNNCell(3, activation="relu"),
        "gru": lambda: of.GRUCell(3),
        "basic_lstm": lambda: of.BasicLSTMCell(3),
        "joined": lambda: of.BasicLSTMCell(3, state_is_tuple=False, forget_bias=0.5),
        "lstm": lambda: of.LSTMCell(3),
        "peepholes": lambda: of.LSTMCell(
            3, use_peepholes=True, cell_clip=0.4, num_proj=2, proj_clip=0.3, forget_bias=0.25
        ),
        "projected": lambda: of.LSTMCell(3, num_proj=2, state_is_tuple=False),
        "stacked": lambda: of.MultiRNNCell([of.GRUCell(2), of.LSTMCell(3)]),
        "residual": lambda: of.ResidualWrapper(of.GRUCell(4)),
        "wrapped": lambda: of.DeviceWrapper(of.DropoutWrapper(of.GRUCell(2)), "/cpu:0"),
    }


def dynamic(names: Names, cell: Any, x: Any, lengths: Any) -> Any:
    return names.rnn.dynamic_rnn(cell(), x, lengths, dtype=names.tf.float64)


def time_major(names: Names, cell: Any, x: Any, lengths: Any) -> Any:
    turned = names.tf.transpose(x, [1, 0, 2])
    return names.rnn.dynamic_rnn(
        cell(), turned, lengths, dtype=names.tf.float64, time_major=True, scope="other"
    )


def static(names: Names, cell: Any, x: Any, lengths: Any) -> Any:
    xs = [x[:, t] for t in range(5)]
    return names.rnn.static_rnn(cell(), xs, dtype=names.tf.float64, sequence_length=lengths)


def both_ways(names: Names, cell: Any, x: Any, lengths: Any) -> Any:
    return names.rnn.bidirectional_dynamic_rnn(cell(), cell(), x, lengths, dtype=names.tf.float64)


def static_both_ways(names: Names, cell: Any, x: Any, lengths: Any) -> Any:
    xs = [x[:, t] for t in range(5)]
    return names.rnn.static_bidirectional_rnn(
        cell(), cell(), xs, dtype=names.tf.float64, sequence_length=lengths
    )


def raw(names: Names, cell: Any, x: Any, lengths: Any) -> Any:
    tf, made = names.tf, cell()
    by_time = tf.transpose(x, [1, 0, 2])
    ends = tf.constant([5, 5]) if lengths is None else lengths

    def loop_fn(time: Any, output: Any, state: Any, count: Any) -> Any:
        now = made.zero_state(2, tf.float64) if output is None else state
        done = time >= ends
        following = tf.gather(by_time, tf.minimum(time, 4))
        following.set_shape([2, 4])
        return done, following, now, output, tf.constant(0) if count is None else count + 1

    emitted, state, count = names.rnn.raw_rnn(made, loop_fn)
    return emitted.stack(), state, tf.cast(count, tf.float64)


LOOPS = [dynamic, time_major, static, both_ways, static_both_ways, raw]


def _recurrent() -> Iterator[tuple[str, Program]]:
    for cell in cells(Names(*[None] * len(Names._fields))):
        for loop in LOOPS:
            for lengths in ([], [2, 4]):
                yield f"{cell}/{loop.__name__}/{len(lengths)}", _program(cell, loop, lengths)


def _program(cell: str, loop: Callable[..., Any], lengths: list[int]) -> Program:
    def program(names: Names) -> dict[str, Any]:
        x = names.tf.constant(values(2, 5, 4))
        ends = names.tf.constant(lengths) if lengths else None
        found = loop(names, cells(names)[cell], x, ends)
        return with_gradients(names.tf, found, [x])

    return program


PROGRAMS.update(_recurrent())


# ---- layers ------------------------------------------------------------------------------------


def _with(build: Callable[[Names, Any], Any], *shape: int, dtype: str = "float64") -> Program:
    def program(names: Names) -> dict[str, Any]:
        x = names.tf.constant(values(*shape), dtype)
        return with_gradients(names.tf, build(names, x), [x])

    return program


CONVOLUTIONS: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "conv1d": ((2, 7, 3), {"padding": "causal", "dilation_rate": 2}),
    "conv2d": ((2, 7, 6, 3), {"strides": (2, 1), "padding": "same", "activation": "tanh"}),
    "conv3d": ((1, 4, 4, 5, 2), {"use_bias": False}),
    "separable_conv1d": ((2, 7, 3), {"depth_multiplier": 2}),
    "separable_conv2d": ((2, 7, 6, 3), {"strides": 2, "padding": "same"}),
    "conv2d_transpose": ((2, 4, 3, 3), {"strides": (2, 3)}),
    "conv3d_transpose": ((1, 2, 2, 3, 2), {"padding": "same", "strides": 2}),
}
POOLINGS = [f"{kind}_pooling{rank}d" for kind in ("max", "average") for rank in (1, 2, 3)]


def _convolved(name: str, settings: dict[str, Any]) -> Callable[[Names, Any], Any]:
    return lambda names, x: getattr(names.layers, name)(x, 4, 2, **settings)


def _pooled(name: str, padding: str) -> Callable[[Names, Any], Any]:
    return lambda names, x: getattr(names.layers, name)(x, 3, 2, padding)


def two_dense(names: Names, x: Any) -> Any:
    y = names.layers.dense(x, 5, activation=names.tf.nn.relu)
    return names.layers.dense(y, 2, use_bias=False)


def deep_dense(names: Names, x: Any) -> Any:
    with names.tf.compat.v1.variable_scope("deep"):
        return names.layers.Dense(2, name="named")(names.tf.reshape(x, [2, 2, 3]))


def reused_dense(names: Names, x: Any) -> Any:
    v1 = names.tf.compat.v1
    with v1.variable_scope("a"):
        y = names.layers.dense(x, 6, name="d")
    with v1.variable_scope("a", reuse=True):
        return names.layers.dense(y, 6, name="d")


def regularized(names: Names) -> dict[str, Any]:
    """The losses of a layer, in the collection and of the layer itself."""
    tf, v1 = names.tf, names.tf.compat.v1
    with v1.variable_scope("s"):
        layer = names.layers.Dense(
            2, kernel_regularizer=tf.nn.l2_loss, activity_regularizer=tf.nn.l2_loss, name="n"
        )
        for _ in range(2):
            y = layer(tf.constant(values(4, 3)))
    collected = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
    with v1.Session() as session:
        session.run(filled(tf, layer.variables))
        return {
            "names": [collected[0].name, y.name, layer.scope_name],
            "losses": [print_of(value) for value in session.run(collected)],
            "count": len(layer.losses),
        }


def names_of_layers(names: Names) -> dict[str, Any]:
    """The names of layers, scopes and operations that are given to none."""
    v1, x = names.tf.compat.v1, names.tf.ones([2, 3])
    layers = [names.layers.Dense(2) for _ in range(2)]
    results = [layer(x) for layer in (*layers, layers[0])]
    with v1.variable_scope("s"):
        layers.append(names.layers.Dense(2))
        results += [layers[-1](x), names.layers.dense(x, 2), names.layers.dense(x, 2, name="q")]
        results.append(names.layers.dense(x, 2, name="q", reuse=True))
    results += [names.layers.flatten(names.tf.ones([2, 3, 4])), names.layers.max_pooling2d(
        names.tf.ones([1, 4, 4, 2]), 2, 2)]  # fmt: skip
    return {
        "layers": [layer.name for layer in layers],
        "scopes": [layer.scope_name for layer in layers],
        "results": [y.name for y in results],
        "variables": [v.name for v in v1.trainable_variables()],
    }


def errors_of_layers(names: Names) -> dict[str, Any]:
    """The kinds of errors."""
    tf, v1, layers = names.tf, names.tf.compat.v1, names.layers
    built = layers.Dense(2)
    built(tf.ones([2, 3]))
    layers.dense(tf.ones([2, 3]), 2, name="taken")
    attempts: dict[str, Callable[[], Any]] = {
        "rank": lambda: layers.dense(tf.ones([2]), 2),
        "unknown": lambda: layers.dense(v1.placeholder(tf.float32, [2, None]), 2),
        "image": lambda: layers.conv2d(tf.ones([5, 5, 2]), 3, 2),
        "integer": lambda: layers.Dense(2)(tf.ones([2, 3], tf.int32)),
        "other": lambda: built(tf.ones([2, 4])),
        "unused": lambda: layers.Dense(3).scope_name,
        "sizes": lambda: layers.conv2d(tf.ones([1, 5, 5, 2]), 3, (2, 3, 4)),
        "padding": lambda: layers.conv2d(tf.ones([1, 5, 5, 2]), 3, 2, padding="x"),
        "twice": lambda: layers.dense(tf.ones([2, 3]), 2, name="taken"),
    }
    return {name: kind_of_error(attempt) for name, attempt in attempts.items()}


def kind_of_error(attempt: Callable[[], Any]) -> str:
    try:
        attempt()
    except Exception as error:
        return type(error).__name__
    return "none"


PROGRAMS.update(
    {f"layers/{name}": _with(_convolved(name, settings), *shape)
     for name, (shape, settings) in CONVOLUTIONS.items()}
)  # fmt: skip
PROGRAMS.update(
    {f"layers/{name}/{padding}": _with(_pooled(name, padding), *(2, 7, 6, 5, 3)[: rank + 1], 3, dtype="float32")
     for name in POOLINGS for padding in ("valid", "same") for rank in [int(name[-2])]}
)  # fmt: skip
PROGRAMS.update(
    {f"layers/{f.__name__}": _with(f, 4, 6) if f is reused_dense else _with(f, 4, 3)
     for f in (two_dense, deep_dense, reused_dense)}
)  # fmt: skip
PROGRAMS.update(
    {f"layers/{f.__name__}": f for f in (regularized, names_of_layers, errors_of_layers)}
)


# ---- metrics -----------------------------------------------------------------------------------

YES = [[1, 0, 1, 1], [0, 0, 1, 0]]
SAID = [[0.9, 0.3, 0.2, 0.5], [0.6, 0.1, 0.8, 0.45]]
CLASSES = [[0, 1, 2, 2], [1, 1, 0, 2]]
GUESSED = [[0, 2, 2, 2], [1, 0, 0, 1]]
RIGHT = [[1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0]]
LIMITS = [0.25, 0.5, 0.75]
METRICS: dict[str, tuple[Any, ...]] = {
    "mean": (SAID,),
    "mean_tensor": (SAID,),
    "accuracy": (CLASSES, GUESSED),
    "mean_absolute_error": (RIGHT, SAID),
    "mean_squared_error": (RIGHT, SAID),
    "root_mean_squared_error": (RIGHT, SAID),
    "mean_relative_error": (RIGHT, SAID, [[1.0, 0.0, 2.0, 4.0]] * 2),
    "mean_cosine_distance": (RIGHT, SAID, 1),
    "percentage_below": (SAID, 0.5),
    "true_positives": (YES, GUESSED),
    "false_positives": (YES, GUESSED),
    "true_negatives": (YES, GUESSED),
    "false_negatives": (YES, GUESSED),
    "precision": (YES, GUESSED),
    "recall": (YES, GUESSED),
    "auc": (YES, SAID),
    "true_positives_at_thresholds": (YES, SAID, LIMITS),
    "false_positives_at_thresholds": (YES, SAID, LIMITS),
    "true_negatives_at_thresholds": (YES, SAID, LIMITS),
    "false_negatives_at_thresholds": (YES, SAID, LIMITS),
    "precision_at_thresholds": (YES, SAID, LIMITS),
    "recall_at_thresholds": (YES, SAID, LIMITS),
    "sensitivity_at_specificity": (YES, SAID, 0.7),
    "specificity_at_sensitivity": (YES, SAID, 0.7),
    "mean_iou": (CLASSES, GUESSED, 4),
    "mean_per_class_accuracy": (CLASSES, GUESSED, 4),
}
RANKED = [[0, 2, 2], [1, 3, 9], [3, -1, 0]]
SCORES = [[0.1, 0.5, 0.3, 0.2], [0.4, 0.1, 0.2, 0.3], [0.2, 0.3, 0.1, 0.6]]
AT_K: dict[str, dict[str, Any]] = {
    f"{name}_at_k/{k}/{kind}": settings
    for name in ("recall", "precision", "average_precision")
    for k in (1, 2, 4)
    for kind, settings in (("all", {}), ("class", {"class_id": 3}), ("weighted", {"weights": [1.0, 0.5, 2.0]}))
    if not (name == "average_precision" and kind == "class")
}  # fmt: skip
CURVES = [
    {"curve": curve, "summation_method": method}
    for curve in ("ROC", "PR")
    for method in ("trapezoidal", "careful_interpolation", "minoring", "majoring")
]


def _metric(name: str, settings: dict[str, Any]) -> Program:
    def program(names: Names) -> dict[str, Any]:
        tf, v1 = names.tf, names.tf.compat.v1
        given = [tf.constant(a) if isinstance(a, list) and a is not LIMITS else a
                 for a in METRICS[name]]  # fmt: skip
        more = {k: tf.constant(v) if k == "weights" else v for k, v in settings.items()}
        value, update = getattr(v1.metrics, name)(*given, updates_collections=["u"], **more)
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            first = print_of(session.run(value))
            steps = [print_of(session.run(update)) for _ in range(2)]
            kept = [print_of(v) for v in session.run(v1.local_variables())]
            return {
                "variables": [v.name for v in v1.local_variables()],
                "collected": len(v1.get_collection("u")),
                "trained": len(v1.trainable_variables()),
                "values": [first, *steps, print_of(session.run(value))],
                "kept": kept,
            }

    return program


def _at_k(name: str, settings: dict[str, Any]) -> Program:
    title, k, _ = name.split("/")

    def program(names: Names) -> dict[str, Any]:
        tf, v1 = names.tf, names.tf.compat.v1
        given = tf.constant(RANKED, tf.int64), tf.constant(SCORES), int(k)
        more = {key: tf.constant(v) if key == "weights" else v for key, v in settings.items()}
        value, update = getattr(v1.metrics, title)(*given, **more)
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            steps = [print_of(session.run(each)) for each in (update, update, value)]
            kept = [print_of(v) for v in session.run(v1.local_variables())]
            return {
                "variables": [v.name for v in v1.local_variables()],
                "values": steps,
                "kept": kept,
            }

    return program


PROGRAMS.update({f"metrics/{name}": _at_k(name, settings) for name, settings in AT_K.items()})
WEIGHTED = {"weights": [[1.0, 2.0, 0.0, 0.5], [1.0, 1.0, 3.0, 0.25]]}
PROGRAMS.update({f"metrics/{name}": _metric(name, {}) for name in METRICS})
PROGRAMS.update(
    {f"metrics/{name}/weighted": _metric(name, WEIGHTED) for name in METRICS
     if name not in ("mean_cosine_distance", "mean_tensor")}
)  # fmt: skip
PROGRAMS.update(
    {f"metrics/auc/{'/'.join(settings.values())}": _metric("auc", settings) for settings in CURVES}
)
