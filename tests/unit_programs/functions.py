"""tf.function, Defun, Python functions, templates and modules, as TensorFlow's tests use them."""

# mypy: disable-error-code="no-any-return, misc, func-returns-value"
from __future__ import annotations

import collections
import functools
import weakref
from typing import Any

import numpy as np

from unit_programs.common import Programs, in_session, internal, refusal


def programs(tf: Any) -> Programs:
    return (
        traced(tf)
        | concrete(tf)
        | refused(tf)
        | defuns(tf)
        | python(tf)
        | templates(tf)
        | constrained(tf)
    )


def traced(tf: Any) -> Programs:
    """How often a function is traced, and what it gives."""

    def counts() -> Any:
        found: list[Any] = []

        @tf.function
        def f(x: Any, y: Any = 1, *rest: Any, **named: Any) -> Any:
            found.append((type(x).__name__ in ("int", "str"), len(rest), sorted(named)))
            return x

        f(tf.constant(1))
        f(tf.constant(2))
        f(tf.constant(2.0))
        f(tf.constant([2.0]))
        f(3)
        f(3)
        f(4)
        f(tf.constant(1), 1)
        f(tf.constant(1), y=1)
        f(tf.constant(1), 2, 3, key="a")
        f("a")
        f(np.array([1, 2]))
        f(np.array([3, 4]))
        f([tf.constant(1)])
        f((tf.constant(1),))
        return found, f.experimental_get_tracing_count()

    def relaxed() -> Any:
        shapes: list[Any] = []

        @tf.function(reduce_retracing=True)
        def f(x: Any) -> Any:
            shapes.append(x.shape.as_list())
            return tf.reduce_sum(x)

        for n in (1, 2, 3, 4):
            f(tf.ones([n, 2]))
        f(tf.ones([1, 5]))
        return shapes

    def signatures() -> Any:
        shapes: list[Any] = []
        s = tf.TensorSpec([None, 2], tf.float32, "x")

        @tf.function(input_signature=[s, tf.TensorSpec([], tf.int32)])
        def f(x: Any, n: Any) -> Any:
            shapes.append(x.shape.as_list())
            return tf.tile(x, [n, 1])

        return (
            f(tf.ones([1, 2]), 2),
            f([[1.0, 2.0], [3.0, 4.0]], tf.constant(1)),
            shapes,
            [x.name for x in f.input_signature],
            refusal(lambda: f(tf.ones([1, 3]), 2), ""),
            refusal(lambda: f(tf.ones([1, 2], tf.float64), 2), ""),
            refusal(lambda: f(tf.ones([1, 2])), ""),
            refusal(lambda: f(tf.ones([1, 2]), 2, 3), ""),
            refusal(lambda: f(tf.ones([2]), 2), ""),
        )

    def outputs() -> Any:
        pair = collections.namedtuple("pair", "a b")  # type of results

        @tf.function
        def f(x: Any) -> Any:
            return {"p": pair(x, [x + 1, None]), "q": (), "r": "text", "n": 3, "l": (x,)}

        r = f(tf.constant(1))
        return r["p"].a, r["p"].b, r["q"], r["r"], r["n"], type(r["p"]).__name__, r["l"]

    def methods() -> Any:
        class Holder:
            def __init__(self) -> None:
                self.v = tf.Variable(2.0)

            @tf.function
            def times(self, x: Any, k: float = 1.0) -> Any:
                return self.v * x * k

            @functools.cached_property
            def other(self) -> Any:
                return tf.function(lambda x: self.v + x)

        one, two = Holder(), Holder()
        two.v.assign(5.0)
        partial = tf.function(functools.partial(lambda a, b: a - b, b=1.0))
        return one.times(3.0), two.times(3.0, k=2.0), two.other(1.0), partial(tf.constant(5.0))

    def variables() -> Any:
        kept: list[Any] = []

        @tf.function
        def f(x: Any) -> Any:
            if not kept:
                kept.append(tf.Variable(2.0))
            kept[0].assign_add(x)
            return kept[0] * x

        @tf.function
        def g() -> Any:
            return tf.Variable(1.0)

        first, second = f(tf.constant(1.0)), f(tf.constant(2.0))
        return (
            first,
            second,
            refusal(g, "tf.function only supports singleton tf.Variables"),
            [v.name for v in f.get_concrete_function(tf.constant(1.0)).variables],
        )

    def nested() -> Any:
        @tf.function
        def inner(x: Any) -> Any:
            return x * x

        @tf.function
        def outer(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = inner(x) * inner(x + 1.0)
            return tape.gradient(y, x), tf.gradients(inner(x), x)[0]

        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            g = outer(x)[0]
        return outer(x), tape.gradient(g, x)

    def in_a_graph() -> Any:
        def build() -> Any:
            v = tf.compat.v1.get_variable("v", initializer=2.0, use_resource=True)
            f = tf.function(lambda x: x * v)
            p = tf.compat.v1.placeholder_with_default(3.0, [])
            y = f(p) + f(p + 1.0)
            return y, tf.gradients(y, [p, v])

        return in_session(tf, build)

    def effects() -> Any:
        v = tf.Variable(0)
        said: list[Any] = []

        @tf.function
        def f(x: Any) -> Any:
            v.assign_add(1)
            tf.py_function(lambda: said.append(1), [], [])
            tf.debugging.assert_less(x, 5)
            return x

        f(tf.constant(1))
        f(tf.constant(2))
        return v, len(said), refusal(lambda: f(tf.constant(7)), "")

    def autograph() -> Any:
        @tf.function
        def f(n: Any) -> Any:
            total = 0
            i = 0
            while i < n:
                if i % 2 == 0:
                    i += 1
                    continue
                total += i
                i += 1
                if total > 20:
                    break
            for j in tf.range(3):
                total += j
            for k in range(2):
                total += k
            return total if total > 0 else -total

        @tf.function(autograph=False)
        def g(x: Any) -> Any:
            return x if x > 0 else -x

        return f(tf.constant(5)), f(tf.constant(50)), refusal(lambda: g(tf.constant(1)), "")

    def eagerly() -> Any:
        f = tf.function(lambda x: x + 1)
        tf.config.run_functions_eagerly(True)
        try:
            inside = tf.config.functions_run_eagerly(), f(tf.constant(1))
        finally:
            tf.config.run_functions_eagerly(False)
        return inside, tf.config.functions_run_eagerly()

    def composites() -> Any:
        f = tf.function(lambda s, r, i: (s.values * 2.0, r + 1, i.values))
        return f(
            tf.SparseTensor([[0]], [1.5], [2]),
            tf.ragged.constant([[1], [2, 3]]),
            tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])),
        )

    return {
        "traces": counts,
        "relaxed": relaxed,
        "signatures": signatures,
        "outputs": outputs,
        "methods": methods,
        "variables": variables,
        "nested": nested,
        "in a graph": in_a_graph,
        "effects": effects,
        "autograph": autograph,
        "eagerly": eagerly,
        "composites": composites,
    }


def concrete(tf: Any) -> Programs:
    """Concrete functions."""

    def attributes() -> Any:
        @tf.function
        def f(x: Any, y: Any) -> Any:
            return {"sum": x + y, "pair": (x, y)}

        c = f.get_concrete_function(tf.TensorSpec([None], tf.float32), y=tf.constant(2.0))
        return [
            len(c.structured_input_signature),
            [x.dtype.name for x in c.inputs],
            [x.shape.as_list() for x in c.outputs],
            c.output_dtypes["sum"].name,
            c.output_shapes["sum"].as_list(),
            len(c.captured_inputs),
        ]

    def called() -> Any:
        f = tf.function(lambda x, y: x - y)
        c = f.get_concrete_function(
            tf.TensorSpec([], tf.float32, "a"), tf.TensorSpec([], tf.float32, "b")
        )
        one, two = tf.constant(5.0), tf.constant(3.0)
        return [
            c(one, two),
            c(a=one, b=two),
            c(one, b=two),
            refusal(lambda: c(one), ""),
            refusal(lambda: c(one, two, two), ""),
            refusal(lambda: c(one, tf.constant(1)), ""),
            refusal(lambda: c(one, c=two), ""),
        ]

    def captured() -> Any:
        v = tf.Variable(2.0, name="held")
        k = tf.constant(4.0)
        c = tf.function(lambda x: x * v + k).get_concrete_function(tf.TensorSpec([], tf.float32))
        return (
            [w.name for w in c.variables],
            [w.name for w in c.trainable_variables],
            [x.dtype.name for x in c.captured_inputs],
            c(tf.constant(3.0)),
            len(c.graph.inputs),
        )

    def bound() -> Any:
        f = tf.function(lambda x, flag: x if flag else -x)
        c = f.get_concrete_function(tf.TensorSpec([], tf.float32), True)
        d = f.get_concrete_function(tf.TensorSpec([], tf.float32), False)
        return (
            c(tf.constant(1.0)),
            d(tf.constant(1.0)),
            refusal(lambda: c(tf.constant(1.0), False), ""),
        )

    return {
        "concrete": attributes,
        "concrete called": called,
        "concrete captured": captured,
        "concrete bound": bound,
    }


def refused(tf: Any) -> Programs:
    """What functions refuse."""

    def values() -> Any:
        class Plain:
            pass

        kept: list[Any] = []
        f = tf.function(lambda x: x)
        leak = tf.function(lambda x: kept.append(x + 1))
        leak(tf.constant(1))
        g = tf.function(lambda x: x, input_signature=[tf.TensorSpec([], tf.float32)])
        return [
            refusal(lambda: f(weakref.ref(Plain())), "weakref"),
            refusal(lambda: f(), "missing"),
            refusal(lambda: f(1, 2), "too many|takes"),
            refusal(lambda: f(tf.constant(1), z=2), "z"),
            refusal(lambda: kept[0] + 1, "out of scope"),
            refusal(lambda: int(kept[0]), ""),
            refusal(lambda: tf.function(5), ""),
            refusal(lambda: tf.function(lambda x: x, input_signature=5), ""),
            refusal(lambda: tf.function(lambda x: x, input_signature=[5])(1), ""),
            refusal(lambda: g("a"), ""),
            refusal(lambda: g.get_concrete_function(tf.TensorSpec([2], tf.float32)), ""),
            refusal(lambda: f.get_concrete_function(), ""),
        ]

    def in_graphs() -> Any:
        @tf.function
        def truth(x: Any) -> Any:
            return 1 if bool(x) else 2

        @tf.function
        def number(x: Any) -> Any:
            return x.numpy()

        @tf.function
        def wrong(x: Any) -> Any:
            return tf.matmul(x, x)

        @tf.function
        def iterated(x: Any) -> Any:
            return len(x)

        return [
            refusal(lambda: truth(tf.constant(True)), ""),
            refusal(lambda: number(tf.constant(1)), "numpy"),
            refusal(lambda: wrong(tf.ones([2, 3])), "Dimensions must be equal"),
            iterated(tf.constant([1, 2, 3])),
        ]

    return {"functions refused": values, "refused in functions": in_graphs}


def defuns(tf: Any) -> Programs:
    """tensorflow.python.framework.function.Defun."""
    v1 = tf.compat.v1

    def called() -> Any:
        Defun = internal("framework.function").Defun  # noqa: N806

        @Defun(tf.float32, tf.float32, func_name="Plus", out_names=["total"])
        def plus(a: Any, b: Any) -> Any:
            return a + b

        @Defun(tf.float32)
        def nothing(x: Any) -> Any:
            return x

        @Defun()
        def five() -> Any:
            return tf.constant([5.0])

        with tf.Graph().as_default(), v1.Session() as session:
            y = plus([5.0], [2.0], name="next")
            z = five()
            u, v = Defun(tf.float32, func_name="Two")(lambda x: (x, x * 2.0))(tf.constant(3.0))
            return [
                session.run([y, z, u, v]),
                y.op.name,
                y.op.type,
                plus.name,
                [t.name for t in plus.declared_input_types],
                session.run(nothing(1.0)),
                refusal(lambda: plus(1.0), ""),
                refusal(lambda: plus(1.0, 2.0, 3.0), ""),
                refusal(lambda: Defun(tf.float32, func_name="No")(lambda: 1.0)(1.0), ""),
            ]

    def scopes() -> Any:
        Defun = internal("framework.function").Defun  # noqa: N806
        with tf.Graph().as_default(), v1.Session() as session:

            @Defun(tf.float32)
            def layer(x: Any) -> Any:
                w = v1.get_variable("w", [1], initializer=v1.constant_initializer(3.0))
                return x * w

            with v1.variable_scope("outer"):
                y = layer(tf.constant([2.0]))
            names = [v.name for v in v1.global_variables()]
            session.run(v1.global_variables_initializer())
            return session.run(y), names

    def gradient() -> Any:
        Defun = internal("framework.function").Defun  # noqa: N806
        with tf.Graph().as_default(), v1.Session() as session:

            def scaled(op: Any, dy: Any) -> Any:
                return dy * op.inputs[0] * 100.0

            @Defun(tf.float32, python_grad_func=scaled)
            def f(x: Any) -> Any:
                return tf.tanh(x)

            x = tf.constant(2.0)
            return session.run(v1.gradients(f(x), x))

    return {"Defun": called, "Defun in scopes": scopes, "Defun with a gradient": gradient}


def python(tf: Any) -> Programs:
    """py_func, numpy_function and py_function."""
    v1 = tf.compat.v1

    def values() -> Any:
        def build() -> Any:
            x = tf.constant([1.0, 2.0])
            return [
                v1.py_func(lambda a: a * 2.0, [x], tf.float32),
                v1.py_func(lambda a: (a, a.sum()), [x], [tf.float32, tf.float32]),
                tf.numpy_function(lambda a: np.cumsum(a).astype(np.int64), [x], tf.int64),
                tf.py_function(lambda a: a + 1, [x], tf.float32),
                tf.py_function(lambda a, b: [a, b], [x, 3], [tf.float32, tf.int32]),
            ]  # fmt: skip

        return in_session(tf, build), build()

    def refused() -> Any:
        def run(function: Any, kind: Any, eager: bool = False) -> Any:
            made = tf.py_function if eager else v1.py_func
            return refusal(lambda: in_session(tf, lambda: made(function, [1.0], kind)), "")

        def fails(error: Exception) -> Any:
            def f(x: Any) -> Any:
                raise error

            return f

        return [
            run(lambda x: x, tf.float64),
            run(lambda x: "a", tf.float32),
            run(lambda x: [1, 2, 3][:2], [tf.int64] * 3),
            run(lambda x: object(), tf.float32),
            run(fails(ValueError("v")), tf.float32),
            run(fails(StopIteration("s")), tf.float32),
            run(fails(MemoryError("m")), tf.float32),
            run(fails(NotImplementedError("n")), tf.float32),
            run(fails(TypeError("t")), tf.float32, eager=True),
            run(fails(KeyError("k")), tf.float32),
        ]

    def gradients() -> Any:
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.py_function(lambda a: a * a, [x], tf.float32)
            z = tf.numpy_function(lambda a: a * a, [x], tf.float32)
        with tf.Graph().as_default(), v1.Session() as session:
            p = tf.constant(3.0)
            q = tf.py_function(lambda a: a**3, [p], tf.float32)
            q.set_shape([])
            g = session.run(v1.gradients(q, p))
        return tape.gradient(y, x), tape.gradient(z, x), g

    def state() -> Any:
        count: list[int] = []
        with tf.Graph().as_default(), v1.Session() as session:
            a = v1.py_func(lambda: np.int64(count.append(1) or len(count)), [], tf.int64)
            b = v1.py_func(lambda: np.int64(4), [], tf.int64, stateful=False)
            first, second = session.run(a), session.run(a)
            return first, second, a.op.type, b.op.type, a.shape.rank

    return {
        "python": values,
        "python refused": refused,
        "python gradients": gradients,
        "python state": state,
    }


def templates(tf: Any) -> Programs:
    """make_template, wrap_function, tf.Module."""
    v1 = tf.compat.v1

    def shared() -> Any:
        def line(x: Any, name: str = "w") -> Any:
            w = v1.get_variable(name, [], initializer=v1.constant_initializer(2.0))
            return x * w

        with tf.Graph().as_default(), v1.Session() as session:
            made = v1.make_template("part", line)
            other = v1.make_template("part", line)
            unique = v1.make_template("q", line, unique_name_="test", name="k")
            ys = [made(1.0), made(3.0), other(1.0), unique(1.0)]
            session.run(v1.global_variables_initializer())
            return [
                session.run(ys),
                [v.name for v in v1.trainable_variables()],
                made.name,
                made.variable_scope.name,
                [v.name for v in made.trainable_variables],
                [v.name for v in other.global_variables],
                refusal(
                    lambda: v1.make_template("s", line)(1.0, name="z") and made(1.0, name="z"), ""
                ),
                refusal(lambda: v1.make_template(None, line), ""),
            ]

    def eager() -> Any:
        def line(x: Any) -> Any:
            w = v1.get_variable("w", [], initializer=v1.constant_initializer(2.0))
            return x * w

        made = v1.make_template("part", line)
        return made(1.0), made(2.0), [v.name for v in made.variables]

    def modules() -> Any:
        class Inner(tf.Module):
            def __init__(self, name: Any = None) -> None:
                super().__init__(name=name)
                self.w = tf.Variable(1.0, name="w")

        class Outer(tf.Module):
            def __init__(self) -> None:
                super().__init__(name="outer")
                self.parts = [Inner("a"), {"k": Inner("b")}]
                with self.name_scope:
                    self.v = tf.Variable(2.0, name="v", trainable=False)

            @tf.Module.with_name_scope
            def __call__(self, x: Any) -> Any:
                made.append(tf.Variable(0.0, name="z").name)
                return x

        made: list[str] = []
        m = Outer()
        m(1.0)
        return [
            [v.name for v in m.variables],
            [v.name for v in m.trainable_variables],
            [v.name for v in m.non_trainable_variables],
            [s.name for s in m.submodules],
            m.name,
            m.name_scope.name,
            made,
            refusal(lambda: Inner("bad name"), "is not a valid module name"),
        ]

    def wrapped() -> Any:
        v = tf.Variable(3.0)
        f = v1.wrap_function(lambda x: v * x, [tf.TensorSpec([], tf.float32)])
        calls: list[Any] = []

        def build(x: Any) -> Any:
            w = v1.get_variable("w", initializer=5.0)
            calls.append(1)
            return w * x

        g = v1.wrap_function(build, [tf.TensorSpec([], tf.float32)])
        return (
            f(tf.constant(2.0)),
            g(tf.constant(2.0)),
            g(tf.constant(3.0)),
            len(calls),
            len(g.variables),
        )

    return {
        "templates": shared,
        "templates eager": eager,
        "modules": modules,
        "wrapped": wrapped,
    }


def constrained(tf: Any) -> Programs:
    """An input signature says what every parameter without a default is, and no more."""
    spec = tf.TensorSpec([None])

    def declared(function: Any, count: int) -> Any:
        return tf.function(function, input_signature=[spec] * count)

    def constraints() -> Any:
        x = tf.constant([1.0])
        return [
            refusal(
                lambda: declared(lambda x, y: x, 1), "input_signature missing type constraint for y"
            ),
            refusal(lambda: declared(lambda x: x, 2), "contains 1 extra type constraints"),
            refusal(
                lambda: declared(lambda x, *, k: x, 1), "parameter `k` must have a default value"
            ),
            declared(lambda x, y=2: x, 1)(x),
            declared(lambda x, *rest: x, 1)(x),
            declared(lambda x, *, k=1: x, 1)(x),
        ]

    return {"constraints": constraints}
