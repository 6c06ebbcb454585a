"""Parts of TensorFlow's modules that are not public, and that its tests use."""

# mypy: disable-error-code="no-any-return, misc, func-returns-value"
from __future__ import annotations

import importlib
import typing
from typing import Any

import numpy as np

from unit_programs.common import Programs, internal, named, refusal


def programs(tf: Any) -> Programs:
    return {**graphs(tf), **tables(tf), **counted(tf), **arguments(tf), **fields(tf), **tests(tf)}


def graphs(tf: Any) -> Programs:
    v1 = tf.compat.v1

    def effects_in_order() -> Any:
        deps = internal("framework.auto_control_deps")
        with tf.Graph().as_default(), v1.Session() as session:
            v = v1.get_variable("v", initializer=1.0, use_resource=True)
            session.run(v.initializer)
            with deps.AutomaticControlDependencies() as block:
                v.assign(v + 1.0)
                v.assign(2.0 * v)
                y = block.mark_as_return(v.read_value())

            @deps.automatic_control_dependencies
            def f(x: Any) -> Any:
                v.assign(x)
                return x

            return session.run(y), session.run(f(tf.constant(7.0))), session.run(v)

    def effects_in_branches() -> Any:
        deps = internal("framework.auto_control_deps")
        with tf.Graph().as_default(), v1.Session() as session:
            v = v1.get_variable("v", initializer=1.0, use_resource=True)
            p = v1.placeholder(tf.bool)
            session.run(v.initializer)
            with deps.AutomaticControlDependencies() as block:
                tf.cond(p, lambda: v.assign_add(1.0), lambda: v.assign_add(4.0))
                y = block.mark_as_return(v.read_value())
            return [session.run(y, {p: case}) for case in (False, True)]

    def subscribed() -> Any:
        subscribe = internal("framework.subscribe").subscribe
        seen: list[int] = []
        with tf.Graph().as_default(), v1.Session() as session:
            c = tf.add(1, 2)
            with tf.control_dependencies([c]):
                waits = tf.constant(42)
            negative = tf.negative(c)

            def note(t: Any) -> Any:
                return v1.py_func(lambda x: seen.append(int(x)) or x, [t], [t.dtype])

            first, second = subscribe(c, note), subscribe(c, [note])
            found = session.run(negative), list(seen)
            session.run(waits)
            refused = refusal(lambda: subscribe("c", note), "type")
            return first is second, found, seen, refused

    def critical_sections() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            section = tf.CriticalSection(name="cs")
            v = v1.get_variable("v", initializer=0.0, use_resource=True)

            def body(x: Any) -> Any:
                before = v.read_value()
                with tf.control_dependencies([before]):
                    return v.assign(before + x)

            runs = [section.execute(lambda x=x: body(x)) for x in (1.0, 2.0, 4.0)]
            inside = refusal(lambda: section.execute(lambda: section.execute(lambda: 1)))
            session.run(v1.global_variables_initializer())
            session.run(runs)
            return session.run(v), section.name, inside

    def operations_to_look_at() -> Any:
        made = internal("framework.test_ops")
        with tf.Graph().as_default() as g:
            f, s = made.float_output_string_output(name="two")
            made.float_input(f, name="reads")
            total = g._create_op_internal("TwoFloatInputsFloatOutput", [f, f], [tf.float32])
            return [
                [[op.name, op.type, len(op.inputs)] for op in g.get_operations()],
                [x.dtype for x in (f, s, *total.outputs)],
                made.int_attr(foo=3).op.get_attr("foo"),
                made.int_attr().op.get_attr("foo"),
                [op.name for op in f.consumers()],
            ]

    def compared_outside() -> Any:
        """Tensors of a graph are equal where they are the same, whoever asks."""
        with tf.Graph().as_default() as g:
            x, y = tf.constant(1.0, name="x"), tf.constant(1.0)
        return x == g.get_tensor_by_name("x:0"), x == y, [y, x].index(x)

    def input_replaced() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            x, y = tf.constant(2.0), tf.constant(5.0)
            z = tf.add(x, y)
            later = tf.constant(40.0)
            z.op._update_input(0, later)
            far = refusal(lambda: z.op._update_input(7, later), "greater than the number of total")
            number = refusal(lambda: z.op._update_input(0, 3.0), "must be a Tensor")
            return session.run(z), far, number

    return named(
        effects_in_order,
        effects_in_branches,
        subscribed,
        critical_sections,
        operations_to_look_at,
        compared_outside,
        input_replaced,
    )


def tables(tf: Any) -> Programs:
    o = internal("ops.lookup_ops")

    def looked_up(table: Any, keys: Any, dtype: Any = None) -> Any:
        return table.size(), table.lookup(tf.constant(keys, dtype))

    def tables_of_words() -> Any:
        words = ["tape", "graph"]
        return [
            looked_up(o.index_table_from_tensor(words, num_oov_buckets=2), ["graph", "x", "tape"]),
            looked_up(o.index_table_from_tensor(words, default_value=7), ["graph", "x"]),
            looked_up(o.index_table_from_tensor([3, 9], 3, dtype=tf.int64), [9, 4], tf.int64),
            looked_up(o.index_to_string_table_from_tensor(words), [1, 5], tf.int64),
            looked_up(o.IdTableWithHashBuckets(None, 5, o.StrongHashSpec([1, 2])), words),
        ]

    def tables_refused() -> Any:
        return [
            refusal(lambda: o.index_table_from_tensor(None), "must be specified"),
            refusal(
                lambda: o.index_table_from_tensor(["x"], num_oov_buckets=-1), "greater or equal"
            ),
            refusal(
                lambda: o.index_table_from_tensor([1.0], dtype=tf.float32), "integer or string"
            ),
            refusal(
                lambda: o.index_table_from_tensor([1], dtype=tf.string), "Expected non-integer"
            ),
            refusal(lambda: o.index_table_from_file(""), "must not be empty"),
            refusal(lambda: o.index_table_from_file("x", vocab_size=0), "greater than 0"),
            refusal(lambda: o.index_to_string_table_from_file("x", vocab_size=0), "greater than 0"),
            refusal(lambda: o.IdTableWithHashBuckets(None, 0), "must be > 0"),
            refusal(lambda: o.IdTableWithHashBuckets(None, 1, hasher_spec=1), "of type HasherSpec"),
            refusal(lambda: o.StrongHashSpec([1]), "must have size 2"),
        ]

    return named(tables_of_words, tables_refused)


def counted(tf: Any) -> Programs:
    def monitored() -> Any:
        m = internal("eager.monitoring")
        c = m.Counter("/unit/counter", "counts", "label")
        c.get_cell("x").increase_by(2)
        c.get_cell("x").increase_by(3)
        g = m.StringGauge("/unit/gauge", "says")
        g.get_cell().set("word")
        s = m.Sampler("/unit/sampler", m.ExponentialBuckets(1.0, 2.0, 2), "sizes")
        for x in (1.0, 5.0):
            s.get_cell().add(x)
        found = s.get_cell().value()
        return [
            c.get_cell("x").value(),
            c.get_cell("y").value(),
            g.get_cell().value(),
            [found.num, found.sum, found.min, found.max],
            refusal(lambda: c.get_cell()),
        ]

    def registered() -> Any:
        r = internal("framework.registry").Registry("kinds")
        r.register(len, "length")
        return [
            r.lookup("length") is len,
            list(r.list()),
            refusal(lambda: r.register(len, "length"), "Registering two kinds with name 'length'"),
            refusal(lambda: r.lookup("none"), "kinds registry has no entry for: none"),
        ]

    def traced() -> Any:
        s = internal("framework.traceable_stack").TraceableStack()
        s.push_obj("first")
        s.push_obj("second")
        places = [t.filename == __file__ for t in s.peek_traceable_objs()]
        return list(s.peek_objs()), places, s.pop_obj(), s.peek_top_obj(), len(s)

    def hints_of_products() -> Any:
        h = internal("ops.linalg.property_hint_util")
        kind = tf.linalg.LinearOperatorFullMatrix
        sure = kind(
            [[1.0, 0.0], [0.0, 1.0]],
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
        )
        plain, wide = kind([[1.0, 2.0], [0.0, 1.0]]), kind([[1.0, 2.0, 3.0]])
        asked = (
            h.combined_commuting_self_adjoint_hint,
            h.combined_commuting_positive_definite_hint,
            h.combined_non_singular_hint,
            h.is_square,
        )
        pairs = ((sure, sure), (sure, plain), (plain, plain), (wide, wide))
        return [[f(a, b) for a, b in pairs] for f in asked]

    return named(monitored, registered, traced, hints_of_products)


def arguments(tf: Any) -> Programs:
    e = internal("eager.execute")

    def arguments_checked() -> Any:
        return [
            e.make_float(3, "x"),
            e.make_int(2.5, "x"),
            e.make_str("word", "x"),
            e.make_type("float32", "x"),
            e.make_shape([1, None], "x"),
            refusal(
                lambda: e.make_float("word", "x"), "Expected float for argument 'x' not 'word'."
            ),
            refusal(lambda: e.make_int("word", "x"), "Expected int for argument 'x' not 'word'."),
            refusal(lambda: e.make_bool(1, "x"), "Expected bool for argument 'x' not 1."),
            refusal(lambda: e.make_str(3, "x"), "Expected string for argument 'x' not 3."),
            refusal(lambda: e.make_type(3.5, "x"), "Expected DataType for argument 'x' not 3.5."),
        ]

    def operations_by_name() -> Any:
        context = internal("eager.context").context()
        one, two = tf.constant([[2.0]]), tf.constant([[3.0]])
        attrs = ("transpose_a", False, "transpose_b", True, "T", tf.float32.as_datatype_enum)
        dtype, found = e.args_to_matching_eager([tf.constant(1), 2], context, [tf.int32])
        return e.execute(b"MatMul", 1, [one, two], attrs, context), dtype, found

    def types_of_functions() -> Any:
        kinds = importlib.import_module("tensorflow.core.function.polymorphism.function_type")
        trace = tf.function(lambda x, y=2: x * y).get_concrete_function(tf.constant(1.0))
        made = trace.function_type
        return isinstance(made, kinds.FunctionType), list(made.parameters)

    def eager_tensors_asked() -> Any:
        x = tf.constant([[1.0, 2.0]])
        trainable = internal("eager.backprop_util").IsTrainable
        return [
            x._num_elements(),
            x._rank(),
            x._shape_tuple(),
            x._datatype_enum(),
            refusal(x.consumers),
            [trainable(v) for v in (x, tf.constant(1), tf.constant(1j))],
        ]

    return named(arguments_checked, operations_by_name, types_of_functions, eager_tensors_asked)


def fields(tf: Any) -> Programs:
    m = internal("framework.extension_type_field")
    field = m.ExtensionTypeField

    def fields_of_types() -> Any:
        values = {"x": 1.5, "y": [1, 2]}
        m.convert_fields(
            [field("x", tf.Tensor), field("y", typing.Tuple[int, ...])],  # noqa: UP006
            values,
        )

        own = {"__annotations__": {"x": tf.Tensor, "n": int}, "n": 3}
        pair: Any = type("Pair", (tf.experimental.ExtensionType,), own)
        return [
            repr(field("x", int, 3)),
            values,
            [
                [f.name, f.value_type is int, f.default]
                for f in pair._tf_extension_type_fields()[1:]
            ],
            field.is_reserved_name("Spec"),
            field.is_reserved_name("x"),
        ]

    def fields_refused() -> Any:
        return [
            refusal(
                lambda: field("x", int, "word"), "default value for x: expected 'int', got 'str'"
            ),
            refusal(lambda: field("x", typing.List[int]), "Unsupported type annotation"),  # noqa: UP006
            refusal(lambda: m.convert_fields([field("x", int)], {}), "Missing required fields"),
            refusal(
                lambda: m.convert_fields([field("x", int)], {"x": 1, "z": 2}), "unexpected fields"
            ),
            refusal(
                lambda: m.convert_fields([field("x", int)], {"x": "word"}), "x: expected 'int'"
            ),
            refusal(
                lambda: m.convert_fields([field("x", tf.Tensor)], {"x": object()}), "a Tensor, got"
            ),
        ]

    def values_without_a_declaration() -> Any:
        t = internal("framework.extension_type")
        anonymous = t.AnonymousExtensionType
        a = anonymous(x=tf.constant(1.5), y=(1, 2), z={"k": tf.constant(2)})
        own = {"__annotations__": {"x": tf.Tensor, "n": int}}
        pair: Any = type("Pair", (tf.experimental.ExtensionType,), own)
        twice = tf.nest.map_structure(lambda v: 2 * v, a, expand_composites=True)
        back = t.reinterpret(pair(1.5, 3), anonymous)
        return [
            repr(a._type_spec),
            twice.z["k"],
            tf.function(lambda v: v.x + 1.0)(a),
            back.n,
            t.reinterpret(back, pair).x,
            refusal(lambda: setattr(a, "x", 1), "Cannot set attribute `x`"),
            refusal(lambda: anonymous(Spec=1), "Reserved field name Spec"),
            refusal(lambda: anonymous(x=[1]), "unsupported `value` argument"),
            refusal(lambda: t.reinterpret(a, pair), "fields"),
            refusal(lambda: t.reinterpret(3, pair), "to be a tf.ExtensionType instance"),
        ]

    return named(fields_of_types, fields_refused, values_without_a_declaration)


def tests(tf: Any) -> Programs:
    def numbers_of_states() -> Any:
        r = internal("ops.stateful_random_ops")
        g = r.Generator(state=[1, 2, 3], alg=r.RNG_ALG_PHILOX)
        r.set_global_generator(None)
        return [
            r.PHILOX_STATE_SIZE,
            r.SEED_BIT_MASK == 2**64 - 1,
            np.iinfo(np.int64).min == r.MIN_INT64,
            g.state.dtype == r.STATE_TYPE,
            g.state.shape,
            r.get_global_generator() is r.get_global_generator(),
        ]

    def two_modes() -> Any:
        t = internal("framework.test_util")
        ran: list[str] = []

        @t.add_graph_building_optimization_tests
        class Case(tf.test.TestCase):
            def test_once(self) -> None:
                ran.append("once")

        names = sorted(n for n in dir(Case) if n.startswith("test_once"))
        for name in names:
            Case(name).debug()
        return names, ran, t.generate_combinations_with_testcase_name(mode=["a", "b"], n=[1])

    return named(numbers_of_states, two_modes)
