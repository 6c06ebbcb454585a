"""Branches, loops, folds and scans, as tests of TensorFlow's control flow have them."""

# mypy: disable-error-code="no-any-return, misc, func-returns-value"
from __future__ import annotations

import collections
from typing import Any

import numpy as np

from unit_programs.common import Programs, everywhere, in_session, internal, refusal


def programs(tf: Any) -> Programs:
    return (
        branches(tf)
        | loops(tf)
        | folds(tf)
        | names_of_old(tf)
        | functional(tf)
        | effects(tf)
        | given(tf)
    )


def branches(tf: Any) -> Programs:
    """Conditionals: structures, errors and gradients."""
    pair = collections.namedtuple("pair", "low high")  # type of results

    def structured(make: Any) -> Any:
        x, y = tf.constant(7), tf.constant(31)
        return tf.cond(x < y, lambda: make(x + y, x - y), lambda: make(y, y))

    def leaked() -> Any:
        @tf.function
        def f() -> Any:
            kept = {"now": tf.constant(1.0)}

            def first() -> Any:
                kept["now"] = tf.identity(kept["now"], name="from_first")
                return kept["now"]

            return tf.cond(tf.constant(True), first, lambda: tf.identity(kept["now"]))

        return refusal(f, r"Tensor cond/from_first:0 in true_fn is accessed from false_fn\.")

    def leaked_case() -> Any:
        @tf.function
        def f() -> Any:
            kept = {"now": tf.constant(1.0)}

            def other() -> Any:
                return tf.constant(3.0)

            def early() -> Any:
                kept["now"] = tf.identity(kept["now"], name="early")
                return kept["now"]

            def late() -> Any:
                return tf.identity(kept["now"])

            return tf.switch_case(tf.constant(1), [other, early, other, late])

        pattern = "Tensor switch_case/indexed_case/early:0 in branch 1 is accessed from branch 3."
        return refusal(f, pattern)

    def mismatched_slices() -> Any:
        @tf.function
        def f() -> Any:
            s = tf.IndexedSlices(tf.constant([5]), tf.constant([0]))
            tf.cond(tf.constant(True), lambda: s, lambda: s.values + 1)

        return refusal(f, "Cannot reconcile tf.cond 0-th outputs")

    def slices() -> Any:
        s = tf.IndexedSlices(tf.constant([5.0, 2.0]), tf.constant([0, 3]))

        def less() -> Any:
            return tf.IndexedSlices(s.values - 1.0, s.indices)

        r = tf.cond(tf.less(2, 1), lambda: s, less)
        return r.values, r.indices

    def sparse() -> Any:
        s = tf.SparseTensor([[1], [4]], tf.constant([2.5, 4.5]), [9])
        r = tf.cond(tf.less(1, 2), lambda: tf.SparseTensor(s.indices + 1, s.values, [9]), lambda: s)
        return r.values, r.indices, r.values.shape.as_list()

    def ragged() -> Any:
        r = tf.ragged.constant([[4, 5], [6], [7, 8, 9]])
        found = tf.cond(
            tf.less(1, 2), lambda: tf.concat([r * 2, [[50]]], axis=0), lambda: r[:2] + 1
        )
        return found.values, found.row_splits

    def one_operation() -> Any:
        r = tf.cond(
            tf.constant(True), tf.no_op, lambda: tf.debugging.Assert(False, ["the wrong one"])
        )
        return r is None

    def second() -> Any:
        def build() -> Any:
            x = tf.compat.v1.placeholder_with_default(3.0, [])
            p = tf.compat.v1.placeholder_with_default(True, [])
            z = tf.cond(p, lambda: x * x * 2.0, lambda: 2.0)
            g = tf.gradients(z, x)[0]
            return z, g, tf.gradients(g, x)[0]

        return in_session(tf, build)

    def integers_have_none() -> Any:
        with tf.Graph().as_default():
            p = tf.compat.v1.placeholder(tf.bool, [])
            v = tf.constant(4)
            return tf.compat.v1.gradients(tf.cond(p, lambda: v + 1, lambda: v - 1), [v])

    def python_bool_in_graph() -> Any:
        with tf.Graph().as_default():
            return refusal(
                lambda: tf.compat.v1.cond(False, lambda: 1, lambda: 2), "must not be a Python bool"
            )

    def not_callable(which: str) -> Any:
        arguments = {"true_fn": lambda: 1, "false_fn": lambda: 2, which: 3}
        return refusal(
            lambda: tf.cond(tf.constant(True), **arguments), f"'?{which}'? must be callable"
        )

    def other_structure() -> Any:
        @tf.function
        def f() -> Any:
            y = tf.constant(2)
            return tf.cond(tf.constant(True), lambda: {"a": y}, lambda: {"b": y})

        return refusal(f, "true_fn and false_fn arguments to tf.cond must have the same")

    def case_errors() -> Any:
        t, f = tf.constant(True), tf.constant(1)
        return [
            refusal(lambda: tf.case([(t,)]), "pred_fn_pairs"),
            refusal(lambda: tf.case([(t, 3)]), "must be callable"),
            refusal(lambda: tf.case(3), "pred_fn_pairs"),
            refusal(lambda: tf.case([(t, lambda: f)], default=4), "callable"),
            refusal(lambda: tf.switch_case(tf.constant(0), []), "at least one"),
            refusal(lambda: tf.switch_case(tf.constant(0), [(0, lambda: f), (2, lambda: f)]), ""),
            refusal(lambda: tf.switch_case(0.5, [lambda: f]), ""),
        ]

    def cases() -> Any:
        x = tf.constant(4)
        pairs = [(x < 2, lambda: x * 10), (x < 9, lambda: x * 100)]
        return (
            tf.case(pairs, default=lambda: x),
            tf.case([(x < 1, lambda: x * 10)], default=lambda: -x),
            tf.switch_case(x - 3, [lambda: x, lambda: x + 1, lambda: x + 2]),
            tf.switch_case(x + 9, {1: lambda: x, 0: lambda: x + 3}),
            tf.switch_case(x + 9, {1: lambda: x, 0: lambda: x + 3}, default=lambda: -x),
            tf.switch_case(-x, [lambda: x, lambda: x + 5]),
        )

    def case_without_truth() -> Any:
        @tf.function
        def f(x: Any) -> Any:
            return tf.case([(x < 2, lambda: x), (x < 3, lambda: x + 1)])

        return f(tf.constant(1)), refusal(lambda: f(tf.constant(5)))

    def v1_arguments() -> Any:
        old = tf.compat.v1.cond
        return [
            refusal(lambda: old(tf.constant(True), fn1=lambda: 1, true_fn=lambda: 1, fn2=int), ""),
            refusal(lambda: old(tf.constant(True), false_fn=int), "true_fn"),
            refusal(lambda: old(tf.constant(True), true_fn=int), "false_fn"),
        ]

    def shapes() -> Any:
        @tf.function
        def f(p: Any) -> Any:
            one = tf.cond(p, lambda: tf.zeros([2, 3]), lambda: tf.zeros([2, 5]))
            two = tf.cond(p, lambda: tf.zeros([2]), lambda: tf.zeros([2, 5]))
            found.extend([one.shape.as_list(), two.shape.rank])
            return tf.shape(one), tf.shape(two)

        found: list[Any] = []
        return f(tf.constant(False)), found

    def autodiff() -> Any:
        x = tf.Variable(3.0)

        def f() -> Any:
            with tf.GradientTape() as tape:
                y = tf.cond(x > 2.0, lambda: x**3, lambda: tf.constant(1.0))
            return tape.gradient(y, x)

        return f(), tf.function(f)()

    named = {
        "list": lambda: structured(lambda a, b: [a, b]),
        "tuple": lambda: structured(lambda a, b: (a, b)),
        "dict": lambda: structured(lambda a, b: {"p": a, "q": b}),
        "named": lambda: structured(pair),
        "nested": lambda: structured(lambda a, b: {"p": [a, {"r": b}], "q": (b,)}),
        "single": lambda: structured(lambda a, b: [a]),
        "nested single": lambda: structured(lambda a, b: [[a, b]]),
    }
    return {
        **{f"cond {name}": lambda p=p: everywhere(tf, p) for name, p in named.items()},
        "cond leaks": leaked,
        "case leaks": leaked_case,
        "cond mismatched slices": mismatched_slices,
        "cond slices": lambda: everywhere(tf, slices),
        "cond sparse": sparse,
        "cond ragged": lambda: everywhere(tf, ragged),
        "cond operation": one_operation,
        "cond second derivative": second,
        "cond integers": integers_have_none,
        "cond python bool": python_bool_in_graph,
        "cond true not callable": lambda: not_callable("true_fn"),
        "cond false not callable": lambda: not_callable("false_fn"),
        "cond other structure": other_structure,
        "case errors": case_errors,
        "case": lambda: everywhere(tf, cases),
        "case without truth": case_without_truth,
        "cond of version 1": v1_arguments,
        "cond shapes": shapes,
        "cond autodiff": autodiff,
    }


def loops(tf: Any) -> Programs:
    """while_loop: invariants, limits, structures and gradients."""
    old = tf.compat.v1.while_loop

    def total(limit: Any = None) -> Any:
        return tf.while_loop(
            lambda i, s: i < 7,
            lambda i, s: (i + 1, s + i),
            (0, tf.constant([1, 2])),
            maximum_iterations=limit,
        )

    def single() -> Any:
        return [
            tf.while_loop(lambda i: i < 5, lambda i: [i + 2], [1]),
            tf.while_loop(lambda i: i < 5, lambda i: (i + 2,), (1,)),
            old(lambda i: i < 5, lambda i: i + 2, [1]),
            old(lambda i: i < 5, lambda i: [i + 2], [1], return_same_structure=True),
        ]

    def in_structures() -> Any:
        pair = collections.namedtuple("pair", "low high")  # type of the state
        start = {"p": tf.constant(1), "q": [tf.constant(2.0), pair(3.0, tf.constant([4.0]))]}

        def body(s: Any) -> Any:
            a, b = s["q"]
            return [{"p": s["p"] + 1, "q": [a * 2.0, pair(b.low + a, b.high - 1.0)]}]

        return tf.while_loop(lambda s: s["p"] < 4, body, [start])

    def composite_state() -> Any:
        s = tf.SparseTensor([[0, 1]], [1.5], [3, 3])
        d = tf.IndexedSlices(tf.constant([2.0]), tf.constant([1]), tf.constant([4]))
        r = tf.ragged.constant([[1, 2], [3]])

        def body(i: Any, s: Any, d: Any, r: Any) -> Any:
            grown = tf.SparseTensor(s.indices, s.values * 2.0, s.dense_shape)
            return i + 1, grown, tf.IndexedSlices(d.values + 1.0, d.indices, d.dense_shape), r + r

        _, s, d, r = tf.while_loop(lambda i, *_: i < 3, body, [0, s, d, r])
        return s.values, s.indices, d.values, d.indices, r

    def growing(invariants: Any) -> Any:
        @tf.function
        def f() -> Any:
            r = tf.while_loop(
                lambda i, m: i < 3,
                lambda i, m: [i + 1, tf.concat([m, m], axis=0)],
                [tf.constant(0), tf.ones([2, 2])],
                shape_invariants=invariants,
            )
            found.append(r[1].shape.rank)
            return r[1]

        found: list[Any] = []
        return tf.shape(f()), found

    def shape_refused() -> Any:
        f = tf.function(lambda: growing_plain())

        def growing_plain() -> Any:
            return tf.while_loop(
                lambda m: tf.size(m) < 9, lambda m: [tf.concat([m, m], 0)], [tf.ones([2, 2])]
            )

        return refusal(f, "enters the loop with shape \\(2, 2\\), but has shape \\(4, 2\\)")

    def invariant_refused() -> Any:
        @tf.function
        def f() -> Any:
            return tf.while_loop(
                lambda m: tf.size(m) < 9,
                lambda m: [tf.concat([m, m], 0)],
                [tf.ones([2, 2])],
                shape_invariants=[tf.TensorShape([3, 2])],
            )

        return refusal(f, "")

    def other_length() -> Any:
        f = tf.function(lambda: tf.while_loop(lambda i, j: i < 3, lambda i, j: [i + 1], [0, 0]))
        return refusal(f, "The two structures don't have the same nested structure")

    def other_dtype() -> Any:
        f = tf.function(
            lambda: tf.while_loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32), [0])
        )
        return refusal(f, "")

    def arguments_refused() -> Any:
        n = tf.constant(0)
        return [
            refusal(lambda: old(lambda i: i < 3, lambda i: i, []), "provided"),
            refusal(lambda: old(1, lambda i: i, [n]), "cond must be callable|'cond' must be"),
            refusal(lambda: old(lambda i: i < 3, 1, [n]), "body must be callable|'body' must be"),
            refusal(
                lambda: old(lambda i: i < 3, lambda i: i, [n], parallel_iterations=0),
                "parallel_iterations",
            ),
        ]

    def gradients_in_graph() -> Any:
        def build() -> Any:
            x = tf.constant(2.0)
            k = tf.constant(1.5)
            r = tf.while_loop(lambda v: v < 60.0, lambda v: v * v * k, [x])
            g = tf.gradients(r, [x, k])
            return r, g, tf.gradients(g[0], [x, k])

        return in_session(tf, build)

    def gradient_of_captured() -> Any:
        def build() -> Any:
            v = tf.compat.v1.get_variable("v", initializer=[[1.0, 2.0], [0.5, 1.0]])
            r = tf.while_loop(
                lambda i, m: i < 3, lambda i, m: (i + 1, tf.matmul(m, v)), (0, tf.ones([1, 2]))
            )
            return tf.gradients(r[1], [v])

        return in_session(tf, build)

    def gradient_of_gather() -> Any:
        def build() -> Any:
            table = tf.compat.v1.get_variable("t", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
            r = tf.while_loop(
                lambda i, s: i < 3,
                lambda i, s: (i + 1, s + tf.reduce_sum(tf.gather(table, [i, 0]) ** 2)),
                (0, 0.0),
            )
            g = tf.gradients(r[1], [table])[0]
            return tf.convert_to_tensor(g)

        return in_session(tf, build)

    def nested() -> Any:
        def inner(x: Any) -> Any:
            return tf.while_loop(lambda j, y: j < 2, lambda j, y: (j + 1, y * x), (0, x))[1]

        def build() -> Any:
            x = tf.constant(1.25)
            r = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, inner(s)), (0, x))[1]
            return r, tf.gradients(r, x)

        return in_session(tf, build)

    def with_cond() -> Any:
        def build() -> Any:
            x = tf.constant(1.5)

            def body(i: Any, s: Any) -> Any:
                return i + 1, tf.cond(i < 2, lambda: s * x, lambda: s + x)

            r = tf.while_loop(lambda i, s: i < 4, body, (0, x))[1]
            g = tf.gradients(r, x)[0]
            return r, g, tf.gradients(g, x)[0]

        return in_session(tf, build)

    def unknown_shape() -> Any:
        def build() -> Any:
            x = tf.compat.v1.placeholder_with_default([[1.0, 2.0]], None)
            r = tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s * s), (0, x))[1]
            return r, tf.gradients(r, x)[0]

        return in_session(tf, build)

    def arrays() -> Any:
        def body(i: Any, ta: Any) -> Any:
            return i + 1, ta.write(i, tf.fill([2], tf.cast(i, tf.float32)))

        ta = tf.TensorArray(tf.float32, 3, element_shape=[2])
        return tf.while_loop(lambda i, _: i < 3, body, (0, ta))[1].stack()

    def array_gradient() -> Any:
        def build() -> Any:
            x = tf.constant(2.0)

            def body(i: Any, ta: Any, v: Any) -> Any:
                return i + 1, ta.write(i, v), v * x

            ta = tf.TensorArray(tf.float32, 4)
            r = tf.while_loop(lambda i, *_: i < 4, body, (0, ta, x))[1].stack()
            return r, tf.gradients(r, x)

        return in_session(tf, build)

    def function_as_body() -> Any:
        f = tf.function(lambda x: [x + 3])
        return tf.while_loop(lambda x: x < 10, f, [0])

    def variable_state() -> Any:
        v = tf.Variable(2.0)

        def f() -> Any:
            return tf.while_loop(lambda i: i < 3, lambda i: [(v.assign_add(1.0), i + 1)[1]], [0]), v

        return f(), tf.function(lambda: (f()[0], v.read_value()))()

    def escaped() -> Any:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            kept = []

            def body(_: Any) -> Any:
                kept.append(tf.constant(5))
                return tf.constant(10)

            r = tf.while_loop(lambda t: t < 5, body, [tf.constant(4)])
            return session.run(r), refusal(lambda: session.run(kept[0]))

    def back_prop() -> Any:
        def build() -> Any:
            x = tf.constant(2.0)
            r = old(lambda v: v < 9.0, lambda v: v * v, [x], back_prop=False)
            return tf.gradients(r, x)

        return refusal(lambda: in_session(tf, build))

    return {
        "while": lambda: everywhere(tf, total),
        "while limited": lambda: everywhere(tf, lambda: total(3)),
        "while limited by a tensor": lambda: everywhere(tf, lambda: total(tf.constant(2))),
        "while single": lambda: everywhere(tf, single),
        "while structures": lambda: everywhere(tf, in_structures),
        "while composite": lambda: everywhere(tf, composite_state),
        "while invariants": lambda: growing([tf.TensorShape([]), tf.TensorShape([None, 2])]),
        "while no invariant": lambda: growing([tf.TensorShape([]), tf.TensorShape(None)]),
        "while invariant spec": lambda: growing([tf.TensorShape([]), tf.TensorSpec([None, 2])]),
        "while shape refused": shape_refused,
        "while invariant refused": invariant_refused,
        "while other length": other_length,
        "while other dtype": other_dtype,
        "while arguments": arguments_refused,
        "while gradients": gradients_in_graph,
        "while captured": gradient_of_captured,
        "while gather": gradient_of_gather,
        "while nested": nested,
        "while with cond": with_cond,
        "while unknown": unknown_shape,
        "while arrays": lambda: everywhere(tf, arrays),
        "while array gradient": array_gradient,
        "while function": lambda: everywhere(tf, function_as_body),
        "while variable": variable_state,
        "while escaped": escaped,
        "while no back_prop": back_prop,
    }


def folds(tf: Any) -> Programs:
    """foldl, foldr, scan and map_fn."""
    ops = "ops.functional_ops"
    data = np.array([2.0, 3.0, 4.0, 5.0])

    def simple() -> Any:
        f = internal(ops)

        def step(a: Any, x: Any) -> Any:
            return (a + x) * 3

        e = tf.constant([1, 3, 4])
        return [
            f.foldl(step, e),
            f.foldl(step, e, initializer=7),
            f.foldr(step, e),
            f.foldr(step, e, initializer=7),
            f.scan(step, e),
            f.scan(step, e, initializer=7, reverse=True),
            tf.scan(step, e, reverse=True),
        ]

    def several() -> Any:
        f = internal(ops)
        start = np.array(1.0), np.array(-1.0)
        return [
            f.foldl(lambda a, x: a + x[0] * x[1], (data, -data), np.array(0.5)),
            f.foldr(lambda a, x: a + x, data, np.array([1.0, -1.0])),
            f.scan(lambda a, x: (a[0] * x, -a[1] * x), data, start),
            f.scan(lambda a, x: a * (x[0] + x[1]), (data + 1, -data), np.array(2.0)),
            f.scan(lambda a, x: (a[0] + x[0], a[1] - x[1]), (data, -data)),
        ]

    def other_structure() -> Any:
        return refusal(
            lambda: internal(ops).scan(lambda a, x: (a, -a), data, np.array(1.0)),
            "two structures don't have the same nested structure",
        )

    def scoped() -> Any:
        v1 = tf.compat.v1

        def step(a: Any, x: Any) -> Any:
            with v1.variable_scope("inside"):
                k = v1.get_variable("k", [], dtype=tf.int32, initializer=v1.constant_initializer(3))
            return (a + x) * k

        def build() -> Any:
            f = internal(ops)
            with v1.variable_scope("top") as scope:
                e = tf.constant([1, 3, 4])
                one = f.foldl(step, e)
                names.append([v.name for v in v1.trainable_variables()])
                scope.reuse_variables()
                two = f.foldr(step, e, initializer=2), f.scan(step, e, initializer=1)
                three = tf.map_fn(lambda x: step(x, x), e)
                names.append([v.name for v in v1.trainable_variables()])
            return one, two, three

        names: list[Any] = []
        return in_session(tf, build), names

    def gradients() -> Any:
        def build() -> Any:
            f = internal(ops)
            e, v = tf.constant(data), tf.constant(2.0, tf.float64)

            def step(a: Any, x: Any) -> Any:
                return a * x

            return [
                tf.gradients(f.foldl(step, e, initializer=v), [v, e]),
                tf.gradients(f.foldr(step, e, initializer=v), [v, e]),
                tf.gradients(f.scan(step, e, initializer=v), [v, e]),
                tf.gradients(tf.map_fn(lambda x: x * x * v, e), [v, e]),
            ]

        return in_session(tf, build)

    def part_stopped() -> Any:
        def build() -> Any:
            v1 = tf.compat.v1
            a, b = v1.get_variable("a", initializer=0.0), v1.get_variable("b", initializer=0.0)
            p, q = tf.scan(lambda _, x: (a + 0.0, b + 0.0), tf.zeros(5), initializer=(0.0, 0.0))
            return v1.gradients([p + tf.stop_gradient(q)], [a])

        return in_session(tf, build)

    def shapes() -> Any:
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            x = v1.placeholder(tf.float32)
            y = tf.scan(lambda _, e: e, x, initializer=v1.placeholder(tf.float32))
            empty = tf.scan(lambda a, _: a, tf.range(0), initializer=tf.ones([2, 4]))
            mapped = tf.map_fn(lambda e: e, v1.placeholder(tf.float32, [None, 3]))
            varying = tf.scan(
                lambda a, e: (a[0] + 1, a[1]), x, initializer=(tf.constant(0), tf.ones([2]))
            )
            return [
                y.shape.rank,
                empty.shape.as_list(),
                mapped.shape.as_list(),
                [v.shape.as_list() for v in varying],
                v1.Session().run(empty).shape,
            ]

    def mapped() -> Any:
        two = tf.map_fn(
            lambda x: (x[0] * x[1], x[0] + 1),
            (data, -data),
            fn_output_signature=(tf.float64, tf.float64),
        )
        text = tf.map_fn(lambda x: tf.strings.length(x), tf.constant(["a", "bcd"]), dtype=tf.int32)
        names = tf.map_fn(
            lambda x: x["p"] - x["q"],
            {"p": data, "q": data * 0.5},
            fn_output_signature=tf.float64,
        )
        nested = tf.map_fn(
            lambda x: {"s": x, "t": [x * 2, x[:1]]},
            tf.constant([[1, 2], [3, 4]]),
            fn_output_signature={"s": tf.int32, "t": [tf.int32, tf.int32]},
        )
        return two, text, names, nested

    def mapped_composites() -> Any:
        r = tf.ragged.constant([[1, 2], [], [3]])
        made = tf.map_fn(
            lambda n: tf.range(n),
            tf.constant([2, 0, 3]),
            fn_output_signature=tf.RaggedTensorSpec([None], tf.int32),
        )
        sums = tf.map_fn(tf.reduce_sum, r, fn_output_signature=tf.int32)
        s = tf.sparse.from_dense([[1, 0], [0, 2]])
        dense = tf.map_fn(tf.sparse.to_dense, s, fn_output_signature=tf.int32)
        return made, sums, dense

    def map_errors() -> Any:
        e = tf.constant([1.0, 2.0])
        return [
            refusal(lambda: tf.map_fn(lambda x: x, tf.constant(1.0)), ""),
            refusal(lambda: tf.map_fn(lambda x: (x, x), e), "same nested structure"),
            refusal(lambda: tf.map_fn(lambda x: x, (e, tf.constant([1.0]))), ""),
            refusal(lambda: tf.map_fn(lambda x: x, [[1, 2, 3], [4, 5]]), ""),
            refusal(lambda: tf.map_fn(lambda x: x, []), "must be a Tensor or sequence|elems"),
        ]

    return {
        "folds": lambda: everywhere(tf, simple),
        "folds of several": lambda: everywhere(tf, several),
        "scan other structure": other_structure,
        "folds in scopes": scoped,
        "fold gradients": gradients,
        "scan part stopped": part_stopped,
        "fold shapes": shapes,
        "map_fn": lambda: everywhere(tf, mapped),
        "map_fn composites": lambda: everywhere(tf, mapped_composites),
        "map_fn errors": map_errors,
    }


def names_of_old(tf: Any) -> Programs:
    """with_dependencies, group, tuple, Assert."""
    v1 = tf.compat.v1

    def dependencies() -> Any:
        ops = internal("ops.control_flow_ops")
        with tf.Graph().as_default(), v1.Session() as session:
            v = v1.Variable(3.0)
            c = ops.with_dependencies([v.initializer], tf.constant(10), name="after")
            before = refusal(lambda: session.run(v), "uninitialized")
            return before, session.run(c), session.run(v), c.name

    def grouped() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            a, b = v1.Variable([1.0]), v1.Variable([2.0])
            op = tf.group(a.initializer, [b.initializer], name="both")
            op.run()
            empty = tf.group()
            return session.run([a, b]), op.name, op.type, empty.type, len(empty.control_inputs)

    def group_refused() -> Any:
        with tf.Graph().as_default():
            return [
                refusal(lambda: tf.group(1, 2), "'inputs' should be zero or more"),
                refusal(lambda: tf.group(tf.no_op(), foo=1), "foo"),
            ]

    def tuples() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            v = v1.Variable(1.0)
            one, two = tf.tuple([tf.constant(2.0), None], control_inputs=[v.initializer])
            return session.run(one), two, session.run(v), refusal(lambda: tf.tuple([None]), "")

    def asserted() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            p = v1.placeholder(tf.bool, [])
            op = tf.debugging.Assert(p, ["was", tf.constant([1, 2])])
            return session.run(op, {p: True}), refusal(
                lambda: session.run(op, {p: False}), r"assertion failed: \[was\] \[1 2\]"
            )

    def eager_assert() -> Any:
        return refusal(lambda: tf.debugging.Assert(False, ["odd"], summarize=1), "odd")

    return {
        "with_dependencies": dependencies,
        "group": grouped,
        "group refused": group_refused,
        "tuple": tuples,
        "Assert": asserted,
        "Assert eager": eager_assert,
    }


def functional(tf: Any) -> Programs:
    """functional_ops.If, While, For, and Defun."""
    v1 = tf.compat.v1

    def defun(*types: Any, **kwargs: Any) -> Any:
        return internal("framework.function").Defun(*types, **kwargs)

    def conditional() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:

            @defun(tf.float32)
            def twice(x: Any) -> Any:
                return x * 2.0

            @defun(tf.float32)
            def next_one(x: Any) -> Any:
                return x + 1.0

            x = v1.placeholder(tf.float32)
            r = internal("ops.functional_ops").If(tf.greater(x, 0.0), [x], twice, next_one)
            return [session.run(r, {x: k}) for k in (-1.0, 3.0)]

    def looped() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:

            @defun(*[tf.float32] * 2)
            def go_on(n: Any, s: Any) -> Any:
                return n > 0.0

            @defun(*[tf.float32] * 2)
            def step(n: Any, s: Any) -> Any:
                return n - 1.0, s + n

            r = internal("ops.functional_ops").While([4.0, 0.5], go_on, step)
            return session.run(r)

    def counted() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:

            @defun(tf.int32, tf.float32)
            def step(i: Any, s: Any) -> Any:
                return s + tf.cast(i, tf.float32)

            ops = internal("ops.functional_ops")
            up = ops.For(1, 6, 2, [0.5], step)[0]
            down = ops.For(6, 1, -2, [0.5], step)[0]
            return session.run([up, down])

    def defun_gradient() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:

            @defun(tf.float64, tf.float64)
            def product_gradient(x: Any, dy: Any) -> Any:
                return dy * 5.0

            @defun(tf.float64, grad_func=product_gradient, func_name="named_square")
            def square(x: Any) -> Any:
                return x * x

            x = tf.constant(3.0, tf.float64)
            y = square(x)
            return session.run([y, tf.gradients(y, x)[0]]), square.name, y.op.type

    def refused() -> Any:
        with tf.Graph().as_default():
            return [
                refusal(lambda: defun(tf.float32)(lambda x, y: x)(1.0, 2.0), ""),
                refusal(lambda: defun(tf.float32)(lambda x: x)(1.0, 2.0), ""),
                refusal(lambda: defun(tf.float32)(lambda x: None)(1.0), ""),
            ]

    return {
        "If": conditional,
        "While": looped,
        "For": counted,
        "Defun gradient": defun_gradient,
        "Defun refused": refused,
    }


def effects(tf: Any) -> Programs:
    """What happens in what order."""

    def order() -> Any:
        log = tf.Variable("")

        def said(word: str) -> None:
            log.assign(log + word)

        @tf.function
        def f() -> Any:
            def go_on(i: Any) -> Any:
                said("A")
                return i < 2

            def body(i: Any) -> Any:
                said("B")
                with tf.control_dependencies([i]):
                    said("C")
                return i + 1

            return tf.while_loop(go_on, body, [0])

        return f(), log

    def pruned() -> Any:
        v = tf.Variable(1)
        w = tf.compat.v1.wrap_function(lambda: (v.assign(5), tf.constant(2))[1], [])
        found = w(), int(v.numpy())
        tf.function(lambda: (v.assign(6), tf.constant(2))[1])()
        return found, v

    def branches_assign() -> Any:
        a, b = tf.Variable(1), tf.Variable(1)

        @tf.function
        def f(p: Any) -> Any:
            return tf.cond(p, lambda: [a.assign(7).op, b.assign(8).op][0], lambda: b.assign(9).op)

        f(tf.constant(True))
        return a, b

    return {"order": order, "pruned": pruned, "branches assign": branches_assign}


def given(tf: Any) -> Programs:
    """What a loop gives has the structure that its body gave; an index is any integer."""
    ways = (lambda: tf.constant(1), lambda: tf.constant(2))

    def looped(make: Any, start: Any) -> Any:
        found = tf.while_loop(lambda i, x: i < 3, lambda i, x: make(i + 1, x * 2.0), start)
        return type(found).__name__, found

    def structures() -> Any:
        pair = (tf.constant(0), tf.constant(1.0))
        return [
            looped(lambda *both: both, list(pair)),
            looped(lambda *both: list(both), pair),
            looped(lambda i, x: (i, x), (0, 1.0)),
        ]

    def indexed() -> Any:
        kinds = (tf.int32, tf.int64, tf.uint8)
        text = "'branch_index' must be an integer Tensor, got"
        return [
            [tf.switch_case(tf.constant(at, kind), ways) for kind in kinds for at in (0, 1, 7)],
            refusal(lambda: tf.switch_case(tf.constant(1.0), ways), text),
        ]

    def conditions() -> Any:
        first, second = ((tf.constant(truth), ways[truth]) for truth in (False, True))
        return [
            refusal(lambda: tf.case([first, first]), "None of conditions evaluated as True"),
            refusal(
                lambda: tf.case([second, second], default=ways[0], exclusive=True),
                "Input error: exclusive=True: more than 1 conditions .*evaluated as True:",
            ),
            refusal(tf.function(lambda: tf.cond(True, *ways)), "pred must not be a Python bool"),
        ]

    return {
        "structures of loops": structures,
        "indices of branches": indexed,
        "conditions held": conditions,
    }
