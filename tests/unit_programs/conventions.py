"""Conventions of arguments, names, hints and settings that single tests of TensorFlow's hold to."""

# mypy: disable-error-code="no-any-return, misc, func-returns-value"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import Programs, in_session, internal, refusal


def programs(tf: Any) -> Programs:
    return arrays(tf) | gradients(tf) | variables(tf) | operators(tf) | settings(tf)


def arrays(tf: Any) -> Programs:
    """Batch axes, axes that are none, and what an index may be."""
    array_ops = internal("ops.array_ops")
    params, places = tf.reshape(tf.range(24), [2, 3, 4]), [[[1], [0]], [[2], [2]]]

    def batches() -> Any:
        return (
            tf.gather_nd(params, places, batch_dims=tf.constant([1])),
            tf.gather_nd(params, places, batch_dims=tf.constant(1)),
            refusal(lambda: array_ops.batch_gather_nd(params, places, tf.constant((0, 1)))),
            refusal(lambda: array_ops.batch_gather_nd(params, places, -1)),
            refusal(lambda: array_ops.batch_gather_nd(params, places, 3)),
        )

    def unraveled() -> Any:
        found = []
        for kind, large in ((tf.int32, 2**28), (tf.int64, 2**62)):
            dims = tf.constant([large, large], kind)
            found += [
                refusal(
                    lambda k=kind: tf.unravel_index(tf.constant([2, 5], k), tf.constant([3, 0], k)),
                    "dims cannot contain a dim of zero",
                ),
                refusal(
                    lambda k=kind, d=dims: tf.unravel_index(tf.constant(1, k), d),
                    "Input dims product is causing integer overflow",
                ),
            ]
        return found

    def quantized() -> Any:
        def at(axis: int) -> Any:
            return tf.quantization.quantize_and_dequantize_v2([2.5], [1.0], [9.0], axis=axis)

        return [
            refusal(lambda: tf.function(lambda: at(2**31 - 1))(), "Axis cannot be >= kint32max"),
            refusal(lambda: tf.function(lambda: at(10))(), "Shape must be at least rank 11"),
        ]

    def indices() -> Any:
        text = internal("ops.tensor_getitem_override")._SLICE_TYPE_ERROR
        x = tf.constant([1, 2, 3])
        bad: list[Any] = ["a", 0.5, tf.constant([1, 2]), [2.1, 0.7]]
        return text, [refusal(lambda b=b: x[b])[0] for b in bad]

    def scans() -> Any:
        x = tf.ones([2, 5])
        return [
            refusal(lambda f=f, a=a: f(x, a), pattern)
            for f in (tf.cumsum, tf.math.cumprod)
            for a, pattern in (([0], "axis must be a scalar"), (2, r"range \[-2, 2\)"))
        ]

    def mapped() -> Any:
        two = [tf.float32, tf.float32]
        return [
            refusal(
                lambda: tf.map_fn(lambda x: (x, -x), tf.ones(3), fn_output_signature=two),
                "don't have the same nested structure",
            ),
            refusal(
                lambda: tf.scan(lambda a, x: (a, -a), tf.ones(3), 1.0),
                "don't have the same nested structure",
            ),
        ]

    def iterated() -> Any:
        def build() -> Any:
            return list(tf.compat.v1.placeholder(tf.float32, [None]))

        return refusal(lambda: in_session(tf, build), "not allowed.*Graph mode")[1]

    def ragged_asserts() -> Any:
        case = tf.test.TestCase()
        ragged = tf.ragged.constant([[1, 2], [3]])
        case.assertAllEqual(ragged, ragged)
        case.assertAllEqual([[1, 2], [3]], ragged)
        return refusal(lambda: case.assertAllEqual(ragged, [[1, 2], [4]]))[0]

    def checked() -> Any:
        x = np.arange(6.0).reshape(2, 3)
        found = []
        for f in (tf.transpose, lambda a: tf.transpose(tf.cast(a, tf.complex64), conjugate=True)):
            found += [tf.test.compute_gradient(f, [x]), tf.test.compute_gradient(f, [x.T])]
        return [[np.round(a[0], 2), np.round(b[0], 2)] for a, b in found]

    def squeezed() -> Any:
        ragged = tf.ragged.constant([[1, 2], [3, 4]])
        deep = tf.ragged.constant([[[[12], [11]]]])
        conversions = internal("ops.ragged.ragged_conversion_ops")
        return [
            refusal(lambda: tf.squeeze(ragged, [0]))[0],
            refusal(lambda: tf.squeeze(ragged, [1]))[0],
            refusal(lambda: tf.squeeze(deep, tf.constant([0, 1, 3])))[0],
            conversions.to_tensor(tf.squeeze(deep, [0, 1, 3])),
            conversions.to_tensor(tf.constant([1])),
            conversions.from_tensor(ragged),
        ]

    def from_python() -> Any:
        def of(value: Any, kind: Any) -> Any:
            return tf.function(lambda: tf.numpy_function(lambda: value, [], kind))()

        return [
            of([5.0], tf.float64),
            of([np.array([1.0, 2.0])], [tf.float64]),
            of([["a", "b"]], [tf.string]),
            refusal(lambda: of({"a": 1}, tf.int64), "Unsupported object type")[0],
        ]

    def framed() -> Any:
        return [
            refusal(lambda: tf.signal.frame([1], [1], 1))[0],
            refusal(lambda: tf.signal.frame([1], 1, [1]))[0],
            refusal(lambda: tf.signal.frame([1], 1, 1, pad_end=True, pad_value=[1]))[0],
            refusal(
                lambda: tf.transpose(tf.ones([2, 3]), [[0, 1], [1, 0]]), "must be rank 1|vector"
            ),
        ]

    return {
        "checked transposes": checked,
        "squeezed": squeezed,
        "from Python": from_python,
        "frames and permutations": framed,
        "batch axes": batches,
        "unraveled": unraveled,
        "quantized axes": quantized,
        "indices": indices,
        "scans' axes": scans,
        "mapped structures": mapped,
        "iterated": iterated,
        "ragged asserts": ragged_asserts,
    }


def gradients(tf: Any) -> Programs:
    """Jacobians row by row, and tapes that watch what is no tensor."""

    def rows() -> Any:
        def of(method: str, persistent: bool) -> Any:
            with tf.GradientTape(persistent=persistent) as tape:
                x = tf.constant([[1.0, 2.0]])
                tape.watch(x)
                y = x * x
            return getattr(tape, method)(y, x, experimental_use_pfor=False)

        found = []
        for method in ("jacobian", "batch_jacobian"):
            found += [
                of(method, True),
                refusal(lambda m=method: of(m, False), "persistent"),
                tf.function(lambda m=method: of(m, False))(),
            ]
        return found

    def watched() -> Any:
        return refusal(lambda: tf.GradientTape().watch(np.array(1.0)), "ndarray")

    return {"jacobians row by row": rows, "watched arrays": watched}


def variables(tf: Any) -> Programs:
    """Which variables are trained, and what they are called."""
    v1 = tf.compat.v1

    def trained() -> Any:
        on_read = tf.VariableSynchronization.ON_READ

        def each() -> Any:
            return [
                tf.Variable(1.0).trainable,
                tf.Variable(1.0, synchronization=on_read).trainable,
                tf.Variable(1.0, synchronization=on_read, trainable=True).trainable,
                tf.Variable(1.0, synchronization=on_read, trainable=False).trainable,
            ]

        with tf.Graph().as_default():
            return each(), [
                v1.get_variable("a", [], synchronization=on_read).trainable,
                v1.get_variable("b", [], trainable=True).trainable,
            ]

    def named() -> Any:
        made: list[Any] = []

        @tf.function
        def f() -> Any:
            if not made:
                with tf.name_scope("outer"):
                    made.append(tf.Variable(1.0, name="inside"))
                    with tf.name_scope("deeper"):
                        made.append(tf.Variable(1.0))
            return made[0] + made[1]

        f()
        return [v.name for v in made], made[0]._shared_name.rpartition("/")[2][:6]

    def names() -> Any:
        with tf.Graph().as_default():
            built = named()
        return named()[0], built

    def scopes() -> Any:
        found = []
        module = tf.Module(name="block")
        with internal("framework.ops").name_scope("plain", skip_on_eager=False) as scope:
            found.append(scope)
        found.append(module.name_scope is module.name_scope)
        with module.name_scope as scope:
            found.append(scope)
            with module.name_scope as again:
                found.append(again)
        return found

    def replicas() -> Any:
        kind = v1.VariableAggregation
        return kind.ONLY_FIRST_TOWER.name, kind.ONLY_FIRST_TOWER == kind.ONLY_FIRST_REPLICA

    return {
        "trained": trained,
        "names of variables": names,
        "module scopes": scopes,
        "replicas": replicas,
    }


def operators(tf: Any) -> Programs:
    """Hints and parameters of linear operators of one's own."""
    base = tf.linalg.LinearOperator

    class Wrapped(base):  # type: ignore[valid-type]
        def __init__(self, matrix: Any, **hints: Any) -> None:
            self._matrix = tf.convert_to_tensor(matrix)
            parameters = {"matrix": matrix, **hints}
            super().__init__(self._matrix.dtype, parameters=parameters, **hints)

        def _shape(self) -> Any:
            return self._matrix.shape

        def _shape_tensor(self) -> Any:
            return tf.shape(self._matrix)

        def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
            return tf.matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def hints(operator: Any) -> Any:
        return [
            operator.is_square,
            operator.is_self_adjoint,
            operator.is_non_singular,
            operator.is_positive_definite,
        ]

    def unknown() -> Any:
        def build() -> Any:
            m = tf.compat.v1.placeholder_with_default(np.eye(2), None)
            w = tf.compat.v1.placeholder_with_default(np.ones([2, 3]), None)
            plain, square = Wrapped(m), Wrapped(m, is_square=True)
            wide = Wrapped(w)
            said = Wrapped(m, is_non_singular=True, is_self_adjoint=True, is_square=True)
            found.append([hints(o) for o in (plain, square, said)])
            found.append(
                [
                    hints(plain.matmul(plain)),
                    hints(said.matmul(said)),
                    hints(wide.matmul(wide, adjoint_arg=True)),
                ]
            )
            return plain.to_dense(), wide.matmul(tf.eye(3, dtype=tf.float64))

        found: list[Any] = []
        return in_session(tf, build), found

    def refused() -> Any:
        return (
            refusal(lambda: Wrapped(np.eye(2), is_square=False).is_square, "was square"),
            refusal(lambda: Wrapped(np.eye(2), is_square=False, is_non_singular=True), "always"),
            refusal(
                lambda: Wrapped(np.eye(2), is_square=False, is_positive_definite=True), "always"
            ),
        )

    return {"operators of unknown shape": unknown, "hints refused": refused}


def settings(tf: Any) -> Programs:
    """What is set is what is read."""

    def remembered() -> Any:
        tf.config.optimizer.set_experimental_options({"constant_folding": True})
        tf.config.optimizer.set_jit(True)
        jit = tf.config.optimizer.get_jit()
        tf.config.optimizer.set_jit(False)
        before = tf.config.threading.get_inter_op_parallelism_threads()
        options = tf.config.optimizer.get_experimental_options()
        return jit, tf.config.optimizer.get_jit(), before, sorted(options.items())

    def places() -> Any:
        kinds = internal("eager.def_function").Function
        save, load = internal("saved_model.save").save, internal("saved_model.load").load
        return isinstance(tf.function(abs), kinds), callable(save), callable(load)

    return {"settings": remembered, "places": places}
