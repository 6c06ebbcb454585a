"""Branches and loops as graphs of their own: what they read, their names, and what runs before them."""

# mypy: disable-error-code="no-any-return, misc, func-returns-value"
from __future__ import annotations

from typing import Any

from unit_programs.common import Program, Programs, internal


def programs(tf: Any) -> Programs:
    return watched(tf) | named(tf) | before(tf)


def watched(tf: Any) -> Programs:
    """Variables that only a body reads are watched by the tape around it."""
    v = tf.Variable(2.0)
    yes = tf.constant(True)

    def plain() -> Any:
        found = 0.0
        if yes:
            found = v * 3.0
        return found

    def repeated() -> Any:
        found = 1.0
        for _ in tf.range(3):
            found = found * v
        return found

    inner = tf.function(lambda: v * v * v)
    bodies = {
        "cond": lambda: tf.cond(yes, lambda: tf.pow(v, 3.0), lambda: v),
        "nested": lambda: tf.cond(
            yes, lambda: tf.cond(~yes, lambda: 1.0, lambda: v * 5.0), lambda: 2.0
        ),
        "called": lambda: tf.cond(yes, inner, lambda: 2.0),
        "case": lambda: tf.switch_case(tf.constant(1), [lambda: v * 1.0, lambda: v * v]),
        "while": lambda: tf.while_loop(
            lambda i, x: i < 2, lambda i, x: (i + 1, x * v), [0, tf.constant(1.0)]
        )[1],
        "map": lambda: tf.map_fn(lambda x: x * v, tf.ones(3)),
        "scan": lambda: tf.scan(lambda a, x: a * v, tf.ones(3), tf.constant(1.0)),
        "fold": lambda: tf.foldl(lambda a, x: a * v, tf.ones(3), tf.constant(1.0)),
        "if": plain,
        "for": repeated,
    }

    def under_a_tape(body: Program) -> Program:
        def program() -> Any:
            @tf.function
            def f() -> Any:
                with tf.GradientTape() as tape:
                    y = body()
                return tape.gradient(y, v), len(tape.watched_variables())

            @tf.function
            def twice() -> Any:
                with tf.GradientTape() as outer:
                    with tf.GradientTape() as tape:
                        y = body()
                    g = tape.gradient(y, v)
                return None if g is None else outer.gradient(g, v)

            return f(), twice()

        return program

    return {f"watched in {name}": under_a_tape(body) for name, body in bodies.items()}


def named(tf: Any) -> Programs:
    """The names and types of operations with bodies, and of what is in these."""
    v1 = tf.compat.v1

    def scopes() -> Any:
        found: list[str] = []

        def here(value: Any) -> Any:
            found.append(tf.get_current_name_scope())
            return value

        @tf.function
        def f(c: Any) -> Any:
            with tf.name_scope("outer"):
                tf.cond(c, lambda: here(1.0), lambda: here(2.0))
                tf.cond(c, lambda: here(1.0), lambda: here(2.0), name="own")
                tf.while_loop(lambda i: here(i < 3), lambda i: here(i + 1), [0])
                tf.while_loop(lambda i: i < 3, lambda i: here(i + 1), [0], name="own")
                tf.switch_case(tf.constant(0), [lambda: here(1.0), lambda: here(2.0)])
                tf.switch_case(tf.constant(0), [lambda: here(1.0), lambda: 2.0], name="own")
                tf.case([(c, lambda: here(1.0))], default=lambda: here(2.0))
            tf.cond(c, lambda: tf.cond(c, lambda: here(1.0), lambda: here(1.0)), lambda: 2.0)
            return c

        f.get_concrete_function(tf.TensorSpec([], tf.bool))
        return found

    def types() -> Any:
        v = tf.Variable(2.0)

        @tf.function
        def f(c: Any) -> Any:
            tf.cond(c, lambda: 1.0, lambda: 2.0, name="pure")
            tf.cond(c, lambda: v * 1.0, lambda: 2.0, name="reads")
            tf.cond(c, lambda: v.assign(1.0), lambda: v.assign(2.0), name="writes")
            tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], name="loop")
            tf.while_loop(lambda x: x < 3.0, lambda x: x + v, [0.0], name="loop_reads")
            tf.switch_case(tf.constant(0), [lambda: 1.0, lambda: 2.0], name="three")
            return c

        graph = f.get_concrete_function(tf.TensorSpec([], tf.bool)).graph
        names = ["pure", "reads", "writes", "loop", "loop_reads", "three/indexed_case"]
        return [graph.get_operation_by_name(name).type for name in names]

    def collections() -> Any:
        with tf.Graph().as_default():
            v1.add_to_collection("given", 3)

            def branch() -> Any:
                v1.add_to_collection("made", 7)
                return tf.constant(v1.get_collection("given")[0])

            got = tf.cond(v1.placeholder_with_default(True, []), branch, branch)
            with v1.Session() as session:
                return session.run(got), v1.get_collection("made")

    def graphs() -> Any:
        seen: list[Any] = []

        def here(x: Any) -> Any:
            seen.append([x.graph.is_control_flow_graph, x.graph._get_control_flow_context()])
            return x

        @tf.function
        def f(c: Any) -> Any:
            return tf.cond(c, lambda: here(tf.constant(1.0)), lambda: here(tf.constant(2.0)))

        f(tf.constant(True))
        return seen

    return {
        "scopes of bodies": scopes,
        "types of bodies": types,
        "collections of bodies": collections,
        "graphs of bodies": graphs,
    }


def before(tf: Any) -> Programs:
    """What a body is told to run after, and conditions that are no scalars."""
    v1 = tf.compat.v1

    def controlled() -> Any:
        found = []
        for loop in (False, True):
            with tf.Graph().as_default(), v1.Session() as session:
                v = v1.get_variable("v", initializer=1.0, use_resource=True)
                session.run(v.initializer)
                added = v.assign_add(1.0).op

                def body(i: Any, added: Any = added) -> Any:
                    with tf.control_dependencies([added]):
                        return i + 1

                if loop:
                    got = tf.while_loop(lambda i: i < 1, body, [0])[0]
                else:
                    no = v1.placeholder_with_default(False, [])
                    got = tf.cond(no, lambda: body(0), lambda: tf.constant(5))
                found.append([session.run(got), session.run(v)])
        return found

    def shapes() -> Any:
        def chosen(c: Any) -> Any:
            return tf.cond(c, lambda: 1.0, lambda: 2.0)

        graph = tf.function(chosen, input_signature=[tf.TensorSpec(None, tf.bool)])
        fixed = tf.function(chosen)
        return [
            [graph(tf.constant(c)) for c in (True, [True], [[False]])],
            [fixed(tf.constant(c)) for c in (False, [True], [[False]])],
        ]

    def branch_graphs() -> Any:
        cond_v2 = internal("ops.cond_v2")

        @tf.function
        def f(c: Any) -> Any:
            return tf.cond(c, lambda: tf.constant(1.0), lambda: tf.constant(2.0), name="choice")

        op = f.get_concrete_function(tf.TensorSpec([], tf.bool)).graph.get_operation_by_name(
            "choice"
        )
        return len(cond_v2.get_func_graphs(op))

    return {
        "run before bodies": controlled,
        "conditions' shapes": shapes,
        "branches": branch_graphs,
    }
