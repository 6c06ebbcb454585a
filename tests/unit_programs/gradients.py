"""Tapes, forward accumulators, tf.gradients and custom gradients, as TensorFlow's tests use them."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import functools
from typing import Any

import numpy as np

from unit_programs.common import Programs, in_session, internal, refusal


def programs(tf: Any) -> Programs:
    return backprop(tf) | tapes(tf) | forward(tf) | graphs(tf) | custom(tf) | checkers(tf)


def backprop(tf: Any) -> Programs:
    """tensorflow.python.eager.backprop: functions from functions."""
    path = "eager.backprop"

    def functions() -> Any:
        b = internal(path)
        v = internal("ops.resource_variable_ops").ResourceVariable(3.0, name="v")

        def product(x: Any, y: Any) -> Any:
            return x * y * y

        return [
            b.gradients_function(product)(2.0, 3.0),
            b.gradients_function(product, [1])(2.0, 3.0),
            b.gradients_function(product, ["y"])(2.0, 3.0),
            b.gradients_function(product, params=["y", "x"])(2.0, 3.0),
            b.gradients_function(product, [1])(2.0, tf.constant(3.0), dy=tf.constant(2.0)),
            b.val_and_grad_function(product)(2.0, 3.0),
            b.val_and_grad_function(product, params=[1])(2.0, 3.0),
            b.gradients_function(functools.partial(product, tf.constant(2.0)))(3.0),
            b.gradients_function(lambda x: (x, 2 * x))(1.0),
            b.gradients_function(lambda *args: args[0] * args[0])(4.0),
            [(g, w.name) for g, w in b.implicit_grad(lambda: v * v)()],
            b.implicit_val_and_grad(lambda: v * v * 2.0)()[0],
            b.gradients_function(lambda x: b.gradients_function(lambda y: y**3)(x)[0])(2.0),
            b.make_vjp(product)(2.0, 3.0)[0],
            b.make_vjp(product)(2.0, 3.0)[1](tf.constant(2.0)),
            b.gradients_function(lambda x: tf.stop_gradient(tf.argmax(x)))([0.0]),
        ]

    def refused() -> Any:
        b = internal(path)
        return [
            refusal(lambda: b.gradients_function(lambda x: x, [2])(1.0), ""),
            refusal(lambda: b.gradients_function(lambda x: x, ["z"])(1.0), ""),
            refusal(lambda: b.gradients_function(lambda x, y: x, [0, 0])(1.0, 2.0), ""),
            refusal(lambda: b.implicit_grad(lambda: None)(), ""),
            refusal(lambda: b.implicit_grad(lambda: tf.constant(1.0))(), ""),
            refusal(lambda: b.implicit_val_and_grad(lambda: None)(), "Cannot differentiate"),
        ]

    def attributes() -> Any:
        b, made = internal(path), internal("pywrap_tfe")
        return [
            b.op_attr_type("Add", "T") == int(made.TF_ATTR_TYPE),
            b.op_attr_type("MaxPool", "ksize") == [int(made.TF_ATTR_INT)],
            b.make_attr(int(made.TF_ATTR_TYPE), 1),
            b.make_attr([int(made.TF_ATTR_TYPE)], [1]),
        ]

    def recorded() -> Any:
        record = internal("eager.record")
        x, y = tf.constant(1.5), tf.constant(2.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            record.record_operation("Other", [y], [x], lambda dy: [dy * 7.0])
        with tf.GradientTape() as other:
            other.watch(x)
            record.record_operation("Short", [y], [x], lambda dy: [])
        stopped = tf.GradientTape()
        with stopped:
            stopped.watch(x)
            with record.stop_recording():
                z = x * 3.0
        return (
            tape.gradient(y, x),
            refusal(lambda: other.gradient(y, x), "Short.*too few gradients"),
            stopped.gradient(z, x),
            record.could_possibly_record(),
        )

    return {
        "functions": functions,
        "functions refused": refused,
        "attributes": attributes,
        "recorded": recorded,
    }


def tapes(tf: Any) -> Programs:
    """tf.GradientTape."""

    def structures() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            a, b, c = tf.constant(3.0), tf.constant(3.1), tf.constant(3.2)
            tape.watch([a, {"b": b}, (c,)])
            y = a + 2 * b + 3 * c
        return [
            tape.gradient(y, a),
            tape.gradient(y, (a,)),
            tape.gradient(y, [(a, b), (b, c)]),
            tape.gradient(y, [a, {"p": b, "q": c}]),
            tape.gradient([y, a], a),
            tape.gradient({"k": y}, a, output_gradients={"k": tf.constant(5.0)}),
            tape.gradient(y, [a, a]),
        ]

    def refused() -> Any:
        x = tf.constant(3.0)

        def once() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            tape.gradient(y, x)
            tape.gradient(y, x)

        def entered() -> Any:
            tape = tf.GradientTape()
            with tape, tape:
                pass

        def unknown() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            tape.gradient(y, x, unconnected_gradients="nonsense")

        def no_source() -> Any:
            with tf.GradientTape() as tape:
                y = x * x
            tape.gradient(y, None)

        def no_target() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
            tape.gradient(None, x)

        def inside() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                tape.reset()
            return tape.stop_recording().__enter__()

        def not_tensor() -> Any:
            tf.GradientTape().watch("x")

        def jacobian_twice() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            tape.jacobian(y, x)
            tape.jacobian(y, x)

        def batch_sizes() -> Any:
            with tf.GradientTape() as tape:
                a = tf.ones([2, 3])
                tape.watch(a)
                y = tf.reduce_sum(a, 0)
            tape.batch_jacobian(y, a)

        return [
            refusal(once, "A non-persistent GradientTape can only be used to compute one set|once"),
            refusal(entered, "ecording"),
            refusal(unknown, "Unknown value for unconnected_gradients: 'nonsense'"),
            refusal(no_source, "None passed for one|`sources`|None"),
            refusal(no_target, ""),
            refusal(jacobian_twice, ""),
            refusal(batch_sizes, "first dimension"),
        ]

    def variables() -> Any:
        v, w = tf.Variable(2.0, name="v"), tf.Variable(4.0, trainable=False, name="w")
        with tf.GradientTape(persistent=True) as tape:
            y = v * v * w
        with tf.GradientTape(watch_accessed_variables=False) as other:
            other.watch(w)
            z = v * w * w
        with tf.GradientTape() as third:
            v.assign_add(1.0)
            u = v * 2.0
        return [
            [x.name for x in tape.watched_variables()],
            tape.gradient(y, [v, w]),
            tape.gradient(y, w, unconnected_gradients="zero"),
            [x.name for x in other.watched_variables()],
            other.gradient(z, [v, w][1:]),
            third.gradient(u, v),
            tape.gradient(v, v),
            tape.gradient(w, v),
        ]

    def again() -> Any:
        x = tf.constant(3.0)
        tape = tf.GradientTape()
        with tape:
            tape.watch(x)
            y = 2 * x
        with tape:
            z = y * y
        first = tape.gradient(z, x)
        with tf.GradientTape(persistent=True) as kept:
            kept.watch(x)
            y = x**3
            d = kept.gradient(y, x)
            dd = kept.gradient(d, x)
        kept.reset()
        return first, kept.gradient(dd, x)

    def jacobians() -> Any:
        a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(a)
            y = tf.matmul(a, a)
            z = tf.reduce_sum(a * a, 1)
        with tf.GradientTape() as outer:
            outer.watch(a)
            with tf.GradientTape() as inner:
                inner.watch(a)
                s = tf.reduce_sum(a**3)
            g = inner.gradient(s, a)
        return [
            tape.jacobian(y, a),
            tape.jacobian(y, a, experimental_use_pfor=False),
            tape.batch_jacobian(z[:, None], a),
            tape.jacobian(z, [a, tf.constant(1.0)]),
            outer.jacobian(g, a)[0, 1],
        ]

    def kinds() -> Any:
        x, i = tf.constant(2.0), tf.constant(3)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            tape.watch(i)
            found = [
                tf.cast(x, tf.int32) * 2,
                tf.cast(tf.cast(x, tf.int32), tf.float32),
                i * 2,
                tf.cast(i, tf.float32),
                tf.cast(x, tf.float64) ** 2,
                tf.complex(x, x) * 2.0,
                tf.round(x),
                tf.sign(x) * x,
                tf.constant(5.0),
            ]
        return [tape.gradient(y, x) for y in found], tape.gradient(found[3], i)

    def composites() -> Any:
        v = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape(persistent=True) as tape:
            s = tf.SparseTensor([[0], [2]], tf.gather(v, [0, 2]) * 2.0, [3])
            r = tf.RaggedTensor.from_row_lengths(v * v, [2, 1])
            e = tf.nn.embedding_lookup(v, [1, 1])
        g = tape.gradient(e, v)
        return [
            tape.gradient(s.values, v).values,
            tape.gradient(r.values, v),
            g.values,
            g.indices,
            tape.gradient(r, v),
        ]

    return {
        "structures": structures,
        "tapes refused": refused,
        "watched": variables,
        "again": again,
        "jacobians": jacobians,
        "kinds": kinds,
        "composites": composites,
    }


def forward(tf: Any) -> Programs:
    """tf.autodiff.ForwardAccumulator."""
    accumulator = tf.autodiff.ForwardAccumulator

    def values() -> Any:
        x = tf.constant([1.0, 2.0])
        t = tf.constant([0.5, -1.0])
        with accumulator(x, t) as acc:
            found = [
                x * x,
                tf.sin(x),
                tf.reduce_sum(x),
                tf.matmul(x[:, None], x[None]),
                tf.concat([x, x * 2], 0),
                tf.gather(x, [1, 1]),
                tf.cond(x[0] > 0, lambda: x**3, lambda: x),
                tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x), (0, x))[1],
                tf.map_fn(lambda y: y * y, x),
                tf.function(lambda y: tf.exp(y))(x),
                tf.linalg.det(tf.linalg.diag(x)),
                tf.nn.softmax(x),
                tf.stop_gradient(x),
                tf.constant(1.0),
            ]
        return [acc.jvp(y) for y in found], acc.jvp(found[-1], "zero")

    def orders() -> Any:
        x = tf.constant(2.0)
        with accumulator(x, 1.0) as outer:
            with accumulator(x, 1.0) as inner:
                y = x**4
            d = inner.jvp(y)
        with tf.GradientTape() as tape:
            tape.watch(x)
            with accumulator(x, tf.constant(3.0)) as acc:
                z = x**3
            j = acc.jvp(z)
        with accumulator(x, 1.0) as over:
            with tf.GradientTape() as within:
                within.watch(x)
                w = x**3
            g = within.gradient(w, x)
        return d, outer.jvp(d), tape.gradient(j, x), over.jvp(g)

    def watched() -> Any:
        v = tf.Variable([1.0, 2.0])
        with accumulator([v], [tf.constant([3.0, 4.0])]) as acc:
            y = v * v
            v.assign(v * 2.0)
            z = v * 1.0
        d = {"a": tf.constant(1.0), "b": [tf.constant(2.0)]}
        with accumulator(d, {"a": tf.constant(1.0), "b": [tf.constant(5.0)]}) as other:
            s = d["a"] * d["b"][0]
        return acc.jvp(y), other.jvp({"s": s, "a": d["a"]}), z

    def refused() -> Any:
        x = tf.constant(1.0)

        def twice() -> Any:
            acc = accumulator(x, 1.0)
            with acc, acc:
                pass

        return [
            refusal(lambda: accumulator([x], [1.0, 2.0]), ""),
            refusal(twice, "already"),
            refusal(lambda: accumulator([x, x], [1.0, 1.0]), ""),
        ]

    return {"forward": values, "forward orders": orders, "forward watched": watched,
            "forward refused": refused}  # fmt: skip


def graphs(tf: Any) -> Programs:
    """tf.gradients, hessians, and what gradients_impl has besides."""
    v1 = tf.compat.v1

    def values() -> Any:
        def build() -> Any:
            x, y = tf.constant(2.0, name="x"), tf.constant(3.0)
            z = x * x * y
            w = tf.stop_gradient(z) * x
            return [
                v1.gradients(z, [x, y]),
                v1.gradients([z, w], x),
                v1.gradients([z, z], x, grad_ys=[tf.constant(2.0), None]),
                v1.gradients(z, [z]),
                v1.gradients(w, [x], stop_gradients=[z]),
                v1.gradients(x * (x + y), x, stop_gradients=[x + y]),
                v1.gradients(z, tf.constant(1.0), unconnected_gradients="zero"),
                v1.gradients(z, x, gate_gradients=True, colocate_gradients_with_ops=True),
                v1.gradients(z, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE),
            ]

        return in_session(tf, build)

    def nothing() -> Any:
        with tf.Graph().as_default():
            x, y = tf.constant(2.0), tf.constant(3.0)
            i = tf.constant(1)
            return [
                v1.gradients(x, y),
                v1.gradients(tf.stop_gradient(x), x),
                v1.gradients(tf.cast(x, tf.int32), x),
                v1.gradients(i * 2, i),
                v1.gradients(tf.argmax([x, y]), x),
                refusal(lambda: v1.gradients(x, x, grad_ys=[x, y]), ""),
                refusal(lambda: v1.gradients(x, [None]), ""),
                refusal(
                    lambda: v1.gradients(x * 1.0, x, unconnected_gradients="n"), "Unknown value"
                ),
                refusal(lambda: v1.gradients(x, x, aggregation_method=99), ""),
            ]

    def eager() -> Any:
        return refusal(lambda: v1.gradients(tf.constant(1.0), []), "not supported when eager")

    def slices() -> Any:
        def build() -> Any:
            v = v1.get_variable("v", initializer=tf.reshape(tf.range(6.0), [3, 2]))
            g = v1.gradients(tf.gather(v, [0, 2, 0]) * 2.0, v)[0]
            both = v1.gradients(tf.gather(v, [0]) + tf.gather(v, [1]), v)[0]
            mixed = v1.gradients(tf.reduce_sum(tf.gather(v, [0])) + tf.reduce_sum(v), v)[0]
            kinds.append([type(x).__name__ for x in (g, both)] + [isinstance(mixed, tf.Tensor)])
            return [g.values, g.indices, tf.convert_to_tensor(g), both.indices, mixed]

        kinds: list[Any] = []
        return in_session(tf, build), kinds

    def hessians() -> Any:
        def build() -> Any:
            x = tf.constant([1.0, 2.0, 3.0])
            y = tf.reduce_sum(x**3) + x[0] * x[1]
            m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
            f = internal("ops.gradients_impl")
            return [
                tf.hessians(y, x),
                tf.hessians(tf.reduce_sum(m**3), m),
                f._hessian_vector_product(y, [x], [tf.ones([3])]),
                v1.hessians(y, [x]),
            ]

        return in_session(tf, build)

    def registered() -> Any:
        with tf.Graph().as_default() as g, v1.Session() as session:

            @tf.RegisterGradient("Thrice")
            def thrice(op: Any, dy: Any) -> Any:
                return 3.0 * dy * op.inputs[0]

            x = tf.constant(2.0)
            with g.gradient_override_map({"Identity": "Thrice", "Square": "Thrice"}):
                y = tf.identity(x) + tf.square(x)
            twice = refusal(
                lambda: tf.RegisterGradient("Thrice")(thrice),
                "already been registered|Registering two",
            )
            tf.no_gradient("NeverSeen")
            return (
                session.run(v1.gradients(y, x)),
                twice,
                refusal(lambda: tf.RegisterGradient(5), "must be a string|str"),
            )

    def dependencies() -> Any:
        with tf.Graph().as_default():
            x = tf.constant(1.0)
            with tf.name_scope("inner"):
                y = tf.square(x) * 2.0
            g = v1.gradients(y, x, name="mine")[0]
            return g.op.name.startswith("mine/"), y.op.inputs[0].consumers()[0].type

    return {
        "gradients": values,
        "gradients of nothing": nothing,
        "gradients eager": eager,
        "gradients as slices": slices,
        "hessians": hessians,
        "registered": registered,
        "gradients' names": dependencies,
    }


def custom(tf: Any) -> Programs:
    """tf.custom_gradient, recompute_grad, grad_pass_through."""

    def values() -> Any:
        @tf.custom_gradient
        def clipped(x: Any) -> Any:
            return x * x, lambda dy: tf.clip_by_value(dy * 2 * x, -1.0, 1.0)

        @tf.custom_gradient
        def several(x: Any, y: Any) -> Any:
            return (x * y, x + y), lambda da, db: (da * y * 10.0, db)

        @tf.custom_gradient
        def keyed(x: Any, power: int = 2) -> Any:
            return x**power, lambda dy: dy * float(power)

        x, y = tf.constant(3.0), tf.constant(2.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            a = clipped(x)
            b, c = several(x, y)
            d = keyed(x, power=3)
            e = tf.grad_pass_through(tf.round)(x * 1.4)
            f = tf.recompute_grad(lambda z: tf.sin(z) * z)(x)
        return [tape.gradient(t, [x, y]) for t in (a, b, c, d, e, f)]

    def with_variables() -> Any:
        v = tf.Variable(2.0)

        @tf.custom_gradient
        def f(x: Any) -> Any:
            def back(dy: Any, variables: Any = None) -> Any:
                return dy * v, [dy * x * 100.0 for _ in variables]

            return x * v, back

        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, [x, v])

    def refused() -> Any:
        v = tf.Variable(2.0)
        x = tf.constant(3.0)

        def taped(f: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            return tape.gradient(y, x)

        @tf.custom_gradient
        def no_variables(x: Any) -> Any:
            return x * v, lambda dy: dy

        @tf.custom_gradient
        def too_many(x: Any) -> Any:
            return x * 2.0, lambda dy: (dy, dy)

        @tf.custom_gradient
        def no_function(x: Any) -> Any:
            return x * 2.0

        @tf.custom_gradient
        def with_kwargs(x: Any) -> Any:
            return x * 2.0, lambda dy: dy

        return [
            refusal(
                lambda: taped(no_variables), "must accept keyword argument 'variables'|variables"
            ),
            refusal(lambda: taped(too_many), ""),
            refusal(lambda: taped(no_function), ""),
            refusal(lambda: taped(lambda x: with_kwargs(x=x)), ""),
        ]

    return {"custom": values, "custom with variables": with_variables, "custom refused": refused}


def checkers(tf: Any) -> Programs:
    """Gradient checkers, in graphs with sessions and eagerly."""
    v1 = tf.compat.v1

    def of_version1() -> Any:
        with tf.Graph().as_default(), v1.Session():
            x = tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float64)
            y = tf.matmul(x, x)
            start = np.eye(2) + 0.5
            theory, numeric = v1.test.compute_gradient(x, [2, 2], y, [2, 2], start, delta=1e-3)
            error = v1.test.compute_gradient_error(x, [2, 2], y, [2, 2], x_init_value=np.eye(2))
            several = v1.test.compute_gradient([x, x], [[2, 2], [2, 2]], y, [2, 2])
            return np.round(theory, 4), np.round(numeric, 4), bool(error < 1e-6), len(several)

    def of_version2() -> Any:
        theory, numeric = tf.test.compute_gradient(
            lambda x, y: x * tf.sin(y), [tf.constant([1.0, 2.0]), tf.constant([0.5, 0.1])]
        )
        checker = internal("ops.gradient_checker_v2")
        c = checker.compute_gradient(lambda z: z * z, [tf.constant([1 + 2j, 3j], tf.complex64)])
        return (
            [np.round(t, 3) for t in theory],
            bool(checker.max_error(theory, numeric) < 1e-2),
            np.shape(c[0][0]),
            bool(checker.max_error(*c) < 1e-2),
            refusal(lambda: checker.compute_gradient(lambda x: x, tf.constant(1.0)), ""),
        )

    def of_slices() -> Any:
        theory, numeric = tf.test.compute_gradient(
            lambda x: tf.gather(x, [1, 1, 0]), [tf.constant([[1.0, 2.0], [3.0, 4.0]])]
        )
        return theory[0], np.round(numeric[0], 2)

    return {
        "checker of version 1": of_version1,
        "checker": of_version2,
        "checker of slices": of_slices,
    }
