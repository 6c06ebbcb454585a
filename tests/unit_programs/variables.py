"""Variables, scopes, sessions, graphs, shapes and tensors, as TensorFlow's tests use them."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import Programs, in_session, internal, refusal


def programs(tf: Any) -> Programs:
    return (
        resources(tf) | scopes(tf) | partitioned(tf) | sessions(tf) | graphs(tf) | values(tf)
        | shapes(tf)
    )  # fmt: skip


def resources(tf: Any) -> Programs:
    """tf.Variable and resource_variable_ops."""
    v1 = tf.compat.v1

    def assigned() -> Any:
        v = tf.Variable([1.0, 2.0], name="v")
        r = v.assign([3.0, 4.0])
        return [
            r.numpy(),
            v.assign_add([1.0, 1.0]),
            v.assign_sub([2.0, 0.0]).read_value(),
            v.assign([5.0, 6.0], read_value=False) is None,
            v + 1.0,
            -v,
            v[0],
            tf.reduce_sum(v),
            v.value(),
            v.numpy(),
            v.shape,
            v.dtype,
            v.name,
            v.trainable,
            v.get_shape(),
            len(v.shape),
            v.sparse_read([1]),
            v.gather_nd([[0]]),
            v.is_initialized(),
        ]

    def refused() -> Any:
        v = tf.Variable([1.0, 2.0])
        return [
            refusal(lambda: v.assign([1.0]), "not compatible|Shapes|Cannot assign value"),
            refusal(lambda: v.assign_add([[1.0, 2.0]]), ""),
            refusal(lambda: v.assign("a"), ""),
            refusal(lambda: v.assign(tf.constant([1, 2])), ""),
            refusal(lambda: tf.Variable(), ""),
            refusal(lambda: tf.Variable([1.0], shape=[2]), ""),
            refusal(lambda: tf.Variable(1.0, constraint=3), "constraint"),
            refusal(lambda: hash(v), "unhashable"),
            refusal(lambda: v.foo, "foo"),
            refusal(lambda: bool(v), ""),
            refusal(lambda: v[0].assign("a"), ""),
            refusal(lambda: tf.Variable(lambda: "a", dtype=tf.int32), ""),
            refusal(lambda: tf.Variable(1.0, dtype=tf.int32), ""),
            refusal(lambda: v1.get_variable("x", initializer=3, shape=[1]), ""),
            refusal(lambda: tf.Variable(1.0, synchronization="x"), ""),
            refusal(lambda: tf.Variable(1.0, aggregation="x"), ""),
        ]

    def unknown_shape() -> Any:
        v = tf.Variable([1.0], shape=[None])
        w = tf.Variable(1.0, shape=tf.TensorShape(None))
        v.assign([1.0, 2.0, 3.0])
        w.assign([[1.0]])
        return v.shape.as_list(), v, w.shape.rank, w, refusal(lambda: v.assign(1.0), "")

    def handles() -> Any:
        ops = internal("ops.resource_variable_ops")
        gen = internal("ops.gen_resource_variable_ops")
        v = ops.ResourceVariable([1.0, 2.0], name="held")
        h = v.handle
        ops.assign_variable_op(h, tf.constant([5.0, 6.0]))
        return [
            ops.read_variable_op(h, dtype=tf.float32),
            h.dtype.name,
            ops.variable_shape(h),
            gen.assign_add_variable_op(h, tf.constant([1.0, 1.0])) is None,
            gen.resource_gather(h, [1], dtype=tf.float32),
            gen.var_is_initialized_op(h),
            ops.is_resource_variable(v),
            gen.resource_scatter_add(h, [0], [10.0]) is None,
            v,
        ]

    def uninitialized() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            v = v1.get_variable("v", initializer=1.0)
            w = v1.Variable(2.0, name="w", trainable=False, collections=["mine"])
            before = session.run(v1.report_uninitialized_variables())
            ready = session.run([v1.is_variable_initialized(v), v.is_initialized()])
            missing = refusal(lambda: session.run(v), "Attempting to use uninitialized value|v")
            session.run([v.initializer, w.initializer])
            return [
                before,
                ready,
                missing,
                session.run([v, w]),
                [x.name for x in tf.compat.v1.get_collection("mine")],
                [x.op.name for x in v1.global_variables()],
                v.eval(),
                v.initial_value.op.type != "" if v.initial_value is not None else None,
                v.op.name,
                v.load(7.0, session),
                session.run(v),
                session.run(v1.assign(v, 4.0)),
                session.run(v1.assign_add(v, 1.0)),
                session.run(v1.variables_initializer([w])),
            ]

    def dependent() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            a = v1.get_variable("a", initializer=tf.constant(3.0))
            b = v1.get_variable("b", initializer=tf.constant(4.0))
            c = v1.get_variable("c", initializer=lambda: tf.constant(1.0))
            session.run(v1.global_variables_initializer())
            return session.run([a, b, c])

    def exported() -> Any:
        v = tf.Variable(2.0, name="v", trainable=False)
        c = tf.Variable(1.0, constraint=lambda x: tf.clip_by_value(x, 0.0, 1.0))
        import copy

        k = copy.deepcopy(v)
        k.assign(9.0)
        return k, v, c.constraint(tf.constant(5.0)), v.ref() == v.ref(), v.ref().deref() is v

    def compared() -> Any:
        v, w = tf.Variable([1, 2]), tf.Variable([1, 3])
        return v == w, v != w, v < w, v + w, 2 * v, v // 2, v % 2, v**2, abs(-v), v.ref() == w.ref()

    def made_in_graphs() -> Any:
        def in_graph(build: Any) -> Any:
            with tf.Graph().as_default():
                return build()

        def rows(updates: Any) -> Any:
            return v1.scatter_update(tf.Variable([0, 1, 2, 3]), [0, 1], updates)

        loaded = tf.Variable([1.0, 2.0])
        loaded.load([3.0, 4.0])
        return [
            loaded,
            in_graph(lambda: rows([5, 6]).shape.as_list()),
            refusal(lambda: in_graph(lambda: rows([5, 6, 7])), ""),
            refusal(
                lambda: in_graph(lambda: tf.Variable([1.0, 2.0], shape=[3])), "not compatible with"
            ),
            refusal(
                lambda: in_graph(lambda: tf.Variable(1.0, constraint=2.0)), "must be None or a"
            ),
            in_graph(lambda: tf.Variable([1.0, 2.0], shape=[None]).shape.as_list()),
        ]

    return {
        "assigned": assigned,
        "made in graphs": made_in_graphs,
        "variables refused": refused,
        "unknown shapes": unknown_shape,
        "handles": handles,
        "uninitialized": uninitialized,
        "dependent": dependent,
        "copied": exported,
        "compared": compared,
    }


def scopes(tf: Any) -> Programs:
    """variable_scope and get_variable."""
    v1 = tf.compat.v1

    def names() -> Any:
        with tf.Graph().as_default():
            found = []
            with v1.variable_scope("a") as a:
                found.append(v1.get_variable("v", [1]).name)
                with v1.variable_scope("b"):
                    found.append(v1.get_variable("v", [1]).name)
                    found.append(tf.constant(1.0).name)
                with v1.variable_scope(None, default_name="c"):
                    found.append(v1.get_variable("v", [1]).name)
                with v1.variable_scope(None, default_name="c"):
                    found.append(v1.get_variable("v", [1]).name)
            with v1.variable_scope("a", reuse=True):
                found.append(v1.get_variable("v", [1]).name)
                found.append(tf.constant(1.0).name)
            with v1.variable_scope(a, reuse=True), tf.name_scope("n"):
                found.append((v1.get_variable("v").name, tf.constant(1.0).name))
            with v1.variable_scope("a", reuse=v1.AUTO_REUSE):
                found.append([v1.get_variable(n, [1]).name for n in ("v", "w")])
            with v1.variable_scope(""):
                found.append(v1.get_variable("top", [1]).name)
            with tf.name_scope("only"):
                found.append((v1.get_variable("x", [1]).name, v1.Variable(1.0).name))
            with v1.variable_scope("d", auxiliary_name_scope=False):
                found.append((v1.get_variable("x", [1]).name, tf.constant(1.0).name))
            with v1.variable_op_scope([], None, "old"):
                found.append(v1.get_variable("x", [1]).name)
            found.append([v1.get_variable_scope().name, a.name, a.original_name_scope])
            found.append([v.name for v in v1.global_variables("a")])
            return found

    def refused() -> Any:
        with tf.Graph().as_default():
            v1.get_variable("v", [1])
            with v1.variable_scope("s") as s:
                s.reuse_variables()
                missing = refusal(lambda: v1.get_variable("z", [1]), "does not exist, or was not")
            return [
                refusal(lambda: v1.get_variable("v", [1]), "already exists, disallowed"),
                missing,
                refusal(lambda: v1.get_variable("n"), "must be fully defined|shape"),
                refusal(lambda: v1.get_variable("m", [None]), "must be fully defined"),
                refusal(lambda: v1.get_variable("i", initializer=[1], shape=[1]), ""),
                refusal(lambda: v1.get_variable("k", [1], initializer=3.0), ""),
                refusal(lambda: v1.variable_scope(None).__enter__(), ""),
                refusal(lambda: v1.variable_scope(5).__enter__(), ""),
                refusal(lambda: v1.variable_scope("q", reuse=7).__enter__(), ""),
                refusal(lambda: v1.get_variable("o", [1], regularizer=3), ""),
                refusal(
                    lambda: v1.get_variable("u", [2], tf.int32, v1.glorot_uniform_initializer()), ""
                ),
            ]

    def mismatches() -> Any:
        with tf.Graph().as_default():
            v1.get_variable("v", [2])
            with v1.variable_scope("", reuse=True):
                return [
                    refusal(
                        lambda: v1.get_variable("v", [3]), "but specified shape|Trying to share"
                    ),
                    refusal(lambda: v1.get_variable("v", [2], tf.int32), "Trying to share"),
                    v1.get_variable("v").name,
                ]

    def defaults() -> Any:
        def build() -> Any:
            said: list[str] = []

            def getter(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
                said.append(name)
                return getter(name, *args, **kwargs) * 2.0

            with v1.variable_scope(
                "s",
                initializer=v1.constant_initializer(3.0),
                regularizer=lambda v: tf.reduce_sum(v) * 10.0,
                dtype=tf.float64,
            ) as s:
                v = v1.get_variable("v", [2])
                w = v1.get_variable("w", [], regularizer=lambda v: v * 7.0)
                with v1.variable_scope("t", custom_getter=getter):
                    u = v1.get_variable("u", [])
                s.set_initializer(v1.zeros_initializer())
                z = v1.get_variable("z", [], tf.float32)
                n = v1.get_local_variable("n", [])
            kept.append([v.dtype.name, z.dtype.name, said, [x.name for x in v1.local_variables()]])
            losses = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
            more = v1.losses.get_regularization_losses()
            kept.append(len(more))
            kept.append(n.name)
            return [v, w, u, z, losses]

        kept: list[Any] = []
        return in_session(tf, build), kept

    def initializers() -> Any:
        def build() -> Any:
            return [
                v1.get_variable(
                    "a", [2, 2], initializer=v1.ones_initializer(tf.float64), dtype=tf.float64
                ),
                v1.get_variable("b", initializer=np.array([1, 2], np.int64)),
                v1.get_variable("c", [2], initializer=v1.constant_initializer([1.0, 2.0])),
                v1.get_variable("d", [3], initializer=v1.constant_initializer(5.0)),
                v1.get_variable("e", initializer=lambda: tf.ones([2])),
                v1.get_variable("f", [2, 3], initializer=tf.initializers.identity()),
                v1.get_variable("g", [], tf.bool),
                v1.get_variable("h", [2], tf.int32),
            ]

        def wrong() -> Any:
            return v1.get_variable(
                "c", [3], initializer=v1.constant_initializer([1.0, 2.0], verify_shape=True)
            )

        return in_session(tf, build), refusal(lambda: in_session(tf, wrong), "")

    def eager() -> Any:
        store = internal("ops.variable_scope").EagerVariableStore()
        with store.as_default(), v1.variable_scope("s"):
            a = v1.get_variable("v", initializer=2.0)
            b = v1.get_variable("v", initializer=2.0)
        return a is b, [v.name for v in store.variables()], v1.get_variable("x", [1]).name

    def creators() -> Any:
        said: list[str] = []

        def creator(following: Any, **kwargs: Any) -> Any:
            said.append(kwargs["name"] if kwargs["name"] else "none")
            kwargs["initial_value"] = 7.0
            return following(**kwargs)

        with tf.variable_creator_scope(creator):
            v = tf.Variable(1.0, name="mine")
            w = tf.Variable(2.0)
        return v, w, said

    return {
        "scope names": names,
        "scopes refused": refused,
        "scope mismatches": mismatches,
        "scope defaults": defaults,
        "scope initializers": initializers,
        "scopes eager": eager,
        "creators": creators,
    }


def partitioned(tf: Any) -> Programs:
    """Partitioned variables."""
    v1 = tf.compat.v1

    def values() -> Any:
        def build() -> Any:
            with v1.variable_scope("p", partitioner=v1.fixed_size_partitioner(2)):
                v = v1.get_variable("v", [3, 2], initializer=v1.constant_initializer(2.0))
            w = v1.get_variable(
                "w",
                [3, 2],
                initializer=v1.ones_initializer(),
                partitioner=v1.fixed_size_partitioner(3),
            )
            kept.append([[x.name for x in v], [x.name for x in w], v.shape.as_list(), v.name])
            kept.append([s.shape.as_list() for s in v])
            return v.as_tensor(), tf.convert_to_tensor(w), tf.nn.embedding_lookup(v, [2, 0])

        kept: list[Any] = []
        return in_session(tf, build), kept

    def partitioners() -> Any:
        size = tf.TensorShape([64, 32])
        return [
            v1.fixed_size_partitioner(4)(shape=size, dtype=tf.float32),
            v1.fixed_size_partitioner(4, axis=1)(shape=size, dtype=tf.float32),
            v1.variable_axis_size_partitioner(1024)(shape=size, dtype=tf.float32),
            v1.variable_axis_size_partitioner(1024, max_shards=3)(shape=size, dtype=tf.float32),
            v1.min_max_variable_partitioner(max_partitions=4, min_slice_size=512)(
                shape=size, dtype=tf.float32
            ),
            refusal(lambda: v1.variable_axis_size_partitioner(0), ""),
        ]

    return {"partitioned": values, "partitioners": partitioners}


def sessions(tf: Any) -> Programs:
    """Sessions: fetches, feeds and their refusals."""
    v1 = tf.compat.v1

    def fetches() -> Any:
        with tf.Graph().as_default() as g, v1.Session() as session:
            a, b = tf.constant(1.0, name="a"), tf.constant([2.0], name="b")
            s = tf.SparseTensor([[0]], [1.0], [2])
            i = tf.IndexedSlices(tf.constant([3.0]), tf.constant([0]))
            o = tf.no_op(name="nothing")
            r = session.run({"x": a, "y": [b, (a, None)[0]], "o": o})
            return [
                r,
                session.run([]),
                session.run("a:0"),
                session.run(["a:0", "nothing"]),
                session.run(g.get_operation_by_name("b")),
                tf.nest.flatten(session.run(s)),
                tf.nest.flatten(session.run(i)),
                session.run([s.values, i.indices]),
                session.run((a, [b, {"k": a}])),
                session.make_callable(a + b)(),
                session.graph is g,
                a.eval(),
                v1.get_default_session() is session,
            ]

    def refused() -> Any:
        with tf.Graph().as_default() as g:
            session = v1.Session()
            a = tf.constant(1.0, name="a")
            p = v1.placeholder(tf.float32, [2], name="p")
            q = v1.placeholder(tf.float32, name="q")
            with tf.Graph().as_default():
                other = tf.constant(2.0, name="other")
            found = [
                refusal(lambda: session.run(None), "has invalid type"),
                refusal(lambda: session.run(3), "has invalid type|cannot be interpreted"),
                refusal(lambda: session.run("missing:0"), "cannot be interpreted|refers to"),
                refusal(lambda: session.run(other), "is not an element of this graph"),
                refusal(lambda: session.run(p), "You must feed a value for placeholder tensor 'p'"),
                refusal(lambda: session.run(p, {p: [1.0]}), "Cannot feed value of shape"),
                refusal(lambda: session.run(p, {p: ["a", "b"]}), ""),
                refusal(
                    lambda: session.run(p, {p: tf.constant([1.0, 2.0])}), "cannot be a tf.Tensor"
                ),
                refusal(lambda: session.run(a, {"zz:0": 1.0}), "annot interpret"),
                refusal(lambda: session.run(a, {None: 1.0}), ""),
                refusal(lambda: session.run(a, feed_dict=3), ""),
                refusal(lambda: session.run(q, {q: [[1.0], [2.0, 3.0]]}), ""),
                refusal(lambda: v1.Session(graph="x"), "`graph` must be"),
                refusal(lambda: v1.Session(target=5), "`target` must be"),
                refusal(lambda: tf.constant(1.0).eval(), "No default session|Cannot evaluate"),
            ]
            session.close()
            found.append(refusal(lambda: session.run(a), "Attempted to use a closed Session"))
            g.finalize()
            found.append(refusal(lambda: tf.constant(3), "Graph is finalized"))
            return found

    def feeds() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            p = v1.placeholder(tf.int32, [None])
            a = tf.constant([1, 2])
            d = v1.placeholder_with_default([5], [None])
            s = v1.sparse_placeholder(tf.float32)
            y = p + 1
            b = v1.placeholder(tf.bool)
            t = v1.placeholder(tf.string)
            h = v1.placeholder(tf.half, [1])
            return [
                session.run(y, {p: [1, 2]}),
                session.run(y, {p.name: np.array([1.0, 2.0]).astype(np.int64)}),
                session.run(a * 2, {a: [7, 8]}),
                session.run(d),
                session.run(d, {d: [1, 2]}),
                session.run(tf.sparse.to_dense(s), {s: ([[0, 1]], [2.0], [1, 2])}),
                session.run(b, {b: 1}),
                session.run(t, {t: ["a", "é"]}),
                session.run(h, {h: [1.1]}),
                session.run(y, {y: [9]}),
                session.make_callable(y, [p])([4]),
            ]

    def interactive() -> Any:
        with tf.Graph().as_default():
            session = v1.InteractiveSession()
            x = tf.constant(3.0)
            try:
                return x.eval(), (x * 2).eval({x: 5.0}), v1.get_default_session() is session
            finally:
                session.close()

    return {
        "fetches": fetches,
        "sessions refused": refused,
        "feeds": feeds,
        "interactive": interactive,
    }


def graphs(tf: Any) -> Programs:
    """Graphs and operations: names, attributes, collections, control inputs."""
    v1 = tf.compat.v1

    def names() -> Any:
        with tf.Graph().as_default() as g:
            with g.name_scope("s") as scope:
                a = tf.constant(1.0)
                with g.name_scope("t/"):
                    b = tf.constant(1.0)
                with g.name_scope(""):
                    c = tf.constant(1.0)
            with g.name_scope("s"):
                d = tf.constant(1.0)
            with g.name_scope(scope):
                e = tf.constant(1.0)
            return [
                [x.name for x in (a, b, c, d, e)],
                scope,
                g.unique_name("new"),
                g.unique_name("new"),
                g.unique_name("new", mark_as_used=False),
                g.unique_name("NEW"),
                refusal(lambda: tf.constant(1, name="bad name"), "is not a valid"),
                refusal(lambda: g.name_scope("_bad").__enter__(), "is not a valid"),
                g.get_tensor_by_name("s/Const:0") is a,
                g.get_operation_by_name("t/Const") is b.op,
                refusal(lambda: g.get_tensor_by_name("s/Const"), "is not a valid|exactly|format"),
                refusal(
                    lambda: g.get_tensor_by_name("none:0"), "refers to a Tensor which does not"
                ),
                refusal(lambda: g.get_tensor_by_name("s/Const:3"), "does not exist"),
                refusal(lambda: g.get_operation_by_name("none"), "refers to an Operation not in"),
                refusal(lambda: g.as_graph_element("none", False, False), ""),
                refusal(lambda: g.as_graph_element(5), "Can not convert a int into a"),
                g.as_graph_element("s/Const", allow_tensor=False) is a.op,
                [op.name for op in g.get_operations()],
                g.version,
            ]

    def operations() -> Any:
        with tf.Graph().as_default() as g:
            x = v1.placeholder(tf.float32, [2, 2], name="x")
            with tf.control_dependencies([x]):
                y = tf.matmul(x, x, transpose_b=True, name="y")
            with tf.control_dependencies(None):
                z = tf.constant(1.0, name="z")
            tf.concat([y, y], 0)
            with g.device("/cpu:0"):
                d = tf.constant(2.0)
            op = y.op
            return [
                op.type,
                [i.name for i in op.inputs],
                [c.name for c in op.control_inputs],
                op.get_attr("transpose_b"),
                op.get_attr("T"),
                refusal(lambda: op.get_attr("none"), "No attr named|has no attr"),
                [o.name for o in op.outputs],
                len(op.node_def.input),
                z.op.control_inputs,
                d.device,
                op.graph is g,
                [c.name for c in y.consumers()],
                x.op.get_attr("shape") is not None,
                g.is_feedable(x),
                g.is_fetchable(y),
                g.prevent_feeding(y),
                g.is_feedable(y),
                y.op is op,
                y.value_index,
                str(y),
                repr(op),
            ]

    def collections() -> Any:
        with tf.Graph().as_default() as g:
            g.add_to_collection("k", "a")
            g.add_to_collections(["k", "l"], "s/b")
            ref = g.get_collection_ref("k")
            ref.append("c")
            with g.name_scope("n"):
                v1.add_to_collection("m", tf.constant(1.0))
            return [
                g.get_collection("k"),
                g.get_collection("none"),
                g.get_collection("l", "s"),
                sorted(map(str, g.get_all_collection_keys())),
                g.clear_collection("k"),
                g.get_collection("k"),
                len(g.get_collection("m", "n")),
            ]

    def converted() -> Any:
        class Mine:
            pass

        tf.register_tensor_conversion_function(
            Mine, lambda v, dtype=None, name=None, as_ref=False: tf.constant(5)
        )
        return [
            tf.convert_to_tensor(Mine()),
            tf.convert_to_tensor([1.0, tf.constant(2.0)]),
            tf.convert_to_tensor(np.float32(2.0)),
            tf.convert_to_tensor(3, dtype_hint=tf.float32),
            tf.convert_to_tensor(3.5, dtype_hint=tf.int32),
            refusal(
                lambda: tf.convert_to_tensor(tf.constant(1), tf.float32),
                "Tensor conversion requested dtype",
            ),
            refusal(lambda: tf.convert_to_tensor(object()), "Attempt to convert a value"),
            refusal(lambda: tf.convert_to_tensor([1, "a"]), ""),
            refusal(lambda: tf.register_tensor_conversion_function(3, 4), ""),
            v1.convert_to_tensor_or_indexed_slices([1.0]),
            internal("framework.ops").convert_n_to_tensor([1, 2.0]),
        ]

    def modes() -> Any:
        ops, context = internal("framework.ops"), internal("eager.context")
        with tf.Graph().as_default():
            inside = tf.executing_eagerly(), ops.executing_eagerly_outside_functions()
            with tf.init_scope():
                lifted = tf.executing_eagerly()
        with context.graph_mode():
            graph = tf.executing_eagerly()
            with context.eager_mode():
                again = tf.executing_eagerly()
        return inside, lifted, graph, again, context.executing_eagerly()

    def old_names() -> Any:
        ops = internal("framework.ops")
        with tf.Graph().as_default() as g:
            with ops.name_scope("a", "b", [1]) as s:
                x = tf.constant(1.0)
            with ops.name_scope(None, "default"):
                y = tf.constant(1.0)
            with ops.control_dependencies([x]), ops.colocate_with(x.op):
                z = tf.identity(y)
            return [
                s,
                x.name,
                y.name,
                z.op.colocation_groups(),
                ops.get_default_graph() is g,
                ops.uid() < ops.uid(),
                ops.strip_name_scope("a/b/c", "a/b"),
                ops.prepend_name_scope("c", "a"),
                ops.name_from_scope_name("a/b/"),
                ops.is_dense_tensor_like(x),
                ops.get_all_collection_keys() == g.get_all_collection_keys(),
            ]

    return {
        "graph names": names,
        "operations": operations,
        "collections": collections,
        "converted": converted,
        "modes": modes,
        "old names": old_names,
    }


def values(tf: Any) -> Programs:
    """tensor_util, constants, dtypes."""

    def protos() -> Any:
        u = internal("framework.tensor_util")
        given = [
            1.5, [1, 2], [[1.0], [2.0]], "a", ["a", "bc"], [True, False], 1 + 2j,
            np.array([1, 2], np.int8), np.array([1.5], np.float16), np.zeros([0, 2]),
        ]  # fmt: skip
        protos = [u.make_tensor_proto(x) for x in given]
        return [
            [u.MakeNdarray(p) for p in protos],
            [p.dtype for p in protos],
            u.MakeNdarray(u.make_tensor_proto(5, shape=[2, 2])),
            u.MakeNdarray(u.make_tensor_proto([1, 2], dtype=tf.bfloat16)),
            refusal(lambda: u.make_tensor_proto([1, 2], shape=[3], verify_shape=True), ""),
            refusal(lambda: u.make_tensor_proto([1, "a"]), ""),
            refusal(lambda: u.make_tensor_proto([[1], [2, 3]]), ""),
            refusal(lambda: u.make_tensor_proto(None), "None values not supported"),
            refusal(lambda: u.make_tensor_proto(1.5, dtype=tf.int32), ""),
            u.is_tf_type(tf.constant(1)),
            u.is_tf_type(np.zeros(1)),
            u.shape_tensor([1, 2]),
            u.shape_tensor([]).dtype,
        ]

    def constants() -> Any:
        u = internal("framework.tensor_util")
        with tf.Graph().as_default():
            p = tf.compat.v1.placeholder(tf.float32, [3, None])
            c = tf.constant([1, 2])
            return [
                u.constant_value(c),
                u.constant_value(p),
                u.constant_value(tf.shape(p)),
                u.constant_value(tf.shape(tf.ones([2, 3]))),
                u.constant_value(tf.size(tf.ones([2, 3]))),
                u.constant_value(tf.rank(p)),
                u.constant_value(tf.range(1, 5, 2)),
                u.constant_value(tf.cast(c, tf.float32)),
                u.constant_value(tf.concat([c, c], 0)),
                u.constant_value(tf.stack([c[0], 5])),
                u.constant_value(tf.fill([2], 3)),
                u.constant_value(tf.equal(c, c)),
                u.constant_value(tf.identity(c)),
                u.constant_value_as_shape(tf.shape(p)).as_list(),
                u.constant_value_as_shape(tf.stack([tf.shape(p)[1], 7, -1])).as_list(),
                u.constant_value_as_shape(tf.concat([tf.shape(p), [4]], 0)).as_list(),
                u.constant_value_as_shape(tf.constant([2, -1])).as_list(),
                refusal(lambda: u.constant_value_as_shape(tf.constant([-3, 2])), ""),
                tf.get_static_value(c),
            ]

    def dtypes() -> Any:
        d = internal("framework.dtypes")
        return [
            [x.name for x in map(d.as_dtype, (1, "float64", np.int8, np.dtype("u2"), bool))],
            d.float32.as_numpy_dtype.__name__,
            [d.int8.min, d.int8.max, d.float16.max, d.bfloat16.max, d.uint64.max],
            d.float32.limits,
            [
                d.complex64.real_dtype.name,
                d.complex128.is_complex,
                d.qint8.is_quantized,
                d.int4.is_integer,
            ],
            [d.float32.size, d.complex64.size, d.bool.size],
            d.float32 == "float32",
            d.float32 != tf.int32,
            d.float32.is_compatible_with(d.float64),
            d.float32.as_datatype_enum,
            refusal(lambda: d.as_dtype("float99"), "Cannot convert|not understood|data type"),
            refusal(lambda: d.as_dtype(9999), ""),
            refusal(lambda: d.as_dtype([1]), ""),
            refusal(lambda: d.string.max, ""),
            repr(d.float32),
            str(d.float32),
            hash(d.float32) == hash(tf.float32),
            [
                x.name
                for x in (d.float8_e5m2, d.float8_e4m3fn, d.int4, d.uint4, d.variant, d.resource)
            ],
        ]

    def eager() -> Any:
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        return [
            x.shape,
            len(x),
            [float(v) for v in x[0]],
            bool(tf.constant(1)),
            int(tf.constant(3.7)),
            float(tf.constant(2)),
            complex(tf.constant(1 + 1j)),
            f"{tf.constant(1.234):.2f}",
            refusal(lambda: bool(x), "ambiguous"),
            refusal(lambda: int(x), ""),
            refusal(lambda: range(x[0, 0]), ""),
            list(range(tf.constant(3))),
            refusal(lambda: hash(x), "unhashable"),
            refusal(lambda: len(tf.constant(1)), ""),
            refusal(lambda: x.graph, ""),
            refusal(lambda: x.op, ""),
            refusal(lambda: x.name, ""),
            refusal(lambda: x.foo, "no attribute"),
            x.ndim,
            x.dtype,
            x.device != "",
            np.asarray(x).dtype.name,
            np.array(x) + 1,
            tf.constant("text").numpy(),
            str(tf.constant([1, 2])),
            repr(tf.constant(1.5)),
            repr(tf.constant(["a"])),
            x == x,
            x is not None,
            tf.constant([1, 2]) == tf.constant([1, 2, 3]),
            x.get_shape().as_list(),
            tf.is_tensor(x),
        ]

    return {"protos": protos, "constant values": constants, "dtypes": dtypes, "eager": eager}


def shapes(tf: Any) -> Programs:
    """TensorShape, TensorSpec, Dimension."""

    def known() -> Any:
        s = tf.TensorShape
        a, n = s([2, None, 3]), s(None)
        d = tf.compat.v1.Dimension
        return [
            a.as_list(), a.rank, a.ndims, n.rank, a[1:].as_list(), a[0], len(a), str(a), str(n),
            repr(a), repr(n), a.num_elements(), s([2, 3]).num_elements(),
            a.merge_with([None, 4, 3]).as_list(), a.concatenate([5]).as_list(),
            a.concatenate(n).rank, a.is_compatible_with([2, 7, 3]), a.is_compatible_with([2, 3]),
            a.is_fully_defined(), a.most_specific_compatible_shape([2, 4, 3]).as_list(),
            a.with_rank(3).as_list(), a.with_rank_at_least(2).rank, n.with_rank(2).as_list(),
            a == [2, None, 3], a == s([2, None, 3]), n == n, s([]) == [], s(5).as_list(),
            s([1]).__add__([2]).as_list(), s([2]).__radd__([1]).as_list(), list(s([1, 2])), bool(n), bool(a),
            a.is_subtype_of(s([None, None, 3])), a.most_specific_common_supertype([s([2, 1, 4])]),
            s(np.array([1, 2])).as_list(), s(tf.constant([1, 2]).numpy()).as_list(),
            hash(s([1])) == hash(s([1])), a.dims[0] is not None, d(3).value, d(None).value,
            (d(3) + 2).value, (d(3) * d(None)).value, d(4) == 4, d(4) < 5, (d(7) // 2).value,
            (d(7) % 4).value, (10 - d(3)).value, d(None) == d(None), d(3).merge_with(None).value,
            str(d(3)), repr(d(None)), int(d(3)),
        ]  # fmt: skip

    def refused() -> Any:
        s = tf.TensorShape
        d = tf.compat.v1.Dimension
        a, n = s([2, None, 3]), s(None)
        return [
            refusal(lambda: a.assert_has_rank(2), "must have rank 2"),
            refusal(lambda: a.assert_same_rank([1]), "must have the same rank"),
            refusal(lambda: a.assert_is_compatible_with([2, 3]), "are incompatible"),
            refusal(lambda: a.assert_is_fully_defined(), "is not fully defined"),
            refusal(lambda: a.merge_with([3, 1, 3]), "not compatible|are not compatible"),
            refusal(lambda: a.with_rank_at_least(4), "must have rank at least 4"),
            refusal(lambda: a.with_rank_at_most(2), "must have rank at most 2"),
            refusal(lambda: n.as_list(), "not defined on an unknown TensorShape"),
            refusal(lambda: len(n), "unknown rank"),
            refusal(lambda: list(n), "unknown rank"),
            refusal(lambda: n[0] + 1, ""),
            refusal(lambda: a[5], ""),
            refusal(lambda: s([-1]), ">= 0|must be"),
            refusal(lambda: s(["a"]), ""),
            refusal(lambda: s([1.5]), ""),
            refusal(lambda: s("ab"), ""),
            refusal(lambda: s(object()), ""),
            refusal(lambda: d(-1), ">= 0"),
            refusal(lambda: d("a"), ""),
            refusal(lambda: d(1.5), "Ambiguous|must be"),
            refusal(lambda: d(3).merge_with(4), "not compatible"),
            refusal(lambda: d(3).assert_is_compatible_with(4), "not compatible"),
        ]

    def specs() -> Any:
        t = tf.TensorSpec
        a = t([None, 2], tf.float32, "x")
        return [
            str(a), repr(a), a.name, a.shape.as_list(), a.dtype, a == t([None, 2], tf.float32, "x"),
            a == t([None, 2], tf.float32), a.is_compatible_with(tf.ones([3, 2])),
            a.is_compatible_with(tf.ones([3, 3])), a.is_compatible_with(np.ones([1, 2], np.float32)),
            t.from_tensor(tf.ones([1])).shape.as_list(), t.from_spec(a, "y").name,
            a.most_specific_compatible_type(t([3, 2], tf.float32, "x")),
            refusal(lambda: a.most_specific_compatible_type(t([3, 2], tf.int32)), ""),
            refusal(lambda: t([-2], tf.int32), ""),
            refusal(lambda: t([1], "what"), ""),
            a.is_subtype_of(t(None, tf.float32, "x")),
            tf.type_spec_from_value(tf.constant([1])),
            refusal(lambda: tf.type_spec_from_value(object()), ""),
            hash(a) == hash(t([None, 2], tf.float32, "x")),
        ]  # fmt: skip

    return {"shapes": known, "shapes refused": refused, "specs": specs}
