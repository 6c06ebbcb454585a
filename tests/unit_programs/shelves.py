"""What is put aside and taken again: barriers, staging areas, stacks, maps of tensors, queues of one name."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unit_programs.common import Programs, internal, named, refusal


def programs(tf: Any) -> Programs:
    return {
        **barriers(tf),
        **areas(tf),
        **stacks(tf),
        **maps(tf),
        **queues(tf),
        **handles(tf),
    }


def in_graph(tf: Any, program: Callable[[Any], Any]) -> Any:
    """What a program gives that is handed how to run something in a session of a new graph."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return program(session.run)


def barriers(tf: Any) -> Programs:
    o = internal("ops.data_flow_ops")

    def barrier(shapes: Any = ((), ())) -> Any:
        return o.Barrier([tf.float32, tf.int32], shapes=shapes, name="B")

    def taken_in_the_order_of_insertions() -> Any:
        def program(run: Any) -> Any:
            b = barrier()
            run(b.insert_many(0, ["x"], [1.0]))
            run(b.insert_many(0, ["y", "z"], [2.0, 3.0]))
            run(b.insert_many(1, ["z", "x", "y"], [30, 10, 20]))
            first = run(b.take_many(1))
            return first, run([b.ready_size(), b.incomplete_size()]), run(b.take_many(2))

        return in_graph(tf, program)

    def barrier_closed() -> Any:
        def program(run: Any) -> Any:
            b = barrier()
            run(b.insert_many(0, ["x", "y"], [1.0, 2.0]))
            run(b.close())
            new = refusal(lambda: run(b.insert_many(0, ["new"], [1.0])), "is closed")
            again = refusal(lambda: run(b.close()), "is already closed")
            run(b.insert_many(1, ["y", "x"], [20, 10]))
            many = refusal(lambda: run(b.take_many(3)), "is closed and has insufficient elements")
            few = run(b.take_many(3, allow_small_batch=True))
            none = refusal(lambda: run(b.take_many(3, allow_small_batch=True)), "is closed")
            return new, again, many, few, none

        return in_graph(tf, program)

    def barrier_cancelled() -> Any:
        def program(run: Any) -> Any:
            b = barrier()
            run(b.insert_many(0, ["x"], [1.0]))
            run(b.close(cancel_pending_enqueues=True))
            late = refusal(lambda: run(b.insert_many(1, ["x"], [1])), "is closed")
            return late, run([b.ready_size(), b.incomplete_size()])

        return in_graph(tf, program)

    def barrier_refused() -> Any:
        def program(run: Any) -> Any:
            b = barrier()
            run(b.insert_many(0, ["x"], [1.0]))
            return [
                refusal(lambda: run(b.insert_many(0, ["x"], [1.0])), "already has a value"),
                refusal(lambda: b.insert_many(0, ["x"], [1.0, 2.0])),
                refusal(lambda: barrier([[0], []]), "Empty tensors are not supported"),
                refusal(lambda: barrier([[None], []]), "All shapes must be fully defined"),
            ]

        return in_graph(tf, program)

    def barrier_described() -> Any:
        def program(run: Any) -> Any:
            b = barrier([[2], []])
            numbers, keys, values = b.take_many(3)
            return b.name, [[x.dtype, x.shape] for x in (numbers, keys, *values, b.ready_size())]

        return in_graph(tf, program)

    return named(
        taken_in_the_order_of_insertions,
        barrier_closed,
        barrier_cancelled,
        barrier_refused,
        barrier_described,
    )


def areas(tf: Any) -> Programs:
    o = internal("ops.data_flow_ops")

    def area_in_order() -> Any:
        def program(run: Any) -> Any:
            area = o.StagingArea([tf.float32], shapes=[[2]])
            x = tf.compat.v1.placeholder(tf.float32, [2])
            put = area.put([x])
            for n in (1.0, 2.0, 3.0):
                run(put, {x: [n, -n]})
            seen, first = run(area.peek(1)), run(area.get())
            size = run(area.size())
            run(area.clear())
            return seen, first, size, run(area.size()), area.get()[0].shape

        return in_graph(tf, program)

    def area_by_keys() -> Any:
        def program(run: Any) -> Any:
            area = o.MapStagingArea([tf.float32, tf.int32], names=["x", "y"], ordered=True)
            for key in (3, 1):
                given = {"x": tf.constant(key + 0.5), "y": tf.constant(key)}
                run(area.put(tf.constant(key, tf.int64), given))
            smallest = run(area.get())
            three = tf.constant(3, tf.int64)
            return smallest, run(area.peek(three)), run(area.get(three)), run(area.size())

        return in_graph(tf, program)

    def area_by_parts() -> Any:
        def program(run: Any) -> Any:
            area = o.MapStagingArea([tf.float32, tf.int32])
            key, x, y = tf.constant(7, tf.int64), tf.constant(1.5), tf.constant(2)
            run(area.put(key, [x], [0]))
            sizes = [run([area.size(), area.incomplete_size()])]
            twice = refusal(lambda: run(area.put(key, [x], [0])), "was already initialized")
            run(area.put(key, [y], [1]))
            sizes += [run([area.size(), area.incomplete_size()])]
            part = run(area.get(key, [1]))
            gone = refusal(lambda: run(area.get(key, [1])), "has already been removed")
            rest = run(area.get(key, [0]))
            return sizes, twice, part, gone, rest, run(area.size())

        return in_graph(tf, program)

    def areas_refused() -> Any:
        def program(run: Any) -> Any:
            plain, key = o.MapStagingArea([tf.float32]), tf.constant(1, tf.int64)
            with_names = o.MapStagingArea([tf.float32, tf.int32], names=["x", "y"])
            small = o.StagingArea([tf.float32], shapes=[[2]], memory_limit=4)
            x = tf.constant(1.0)
            return [
                refusal(lambda: plain.put(key, [x]), "Indices must be supplied"),
                refusal(lambda: plain.put(key, [x], [0, 1]), "Number of indices"),
                refusal(lambda: plain.put(key, {"x": x}), "must have names"),
                refusal(lambda: with_names.put(key, {"z": x}), "do not match names"),
                refusal(lambda: with_names.put(key, [x]), "must enqueue a dictionary"),
                refusal(lambda: with_names.get(key, ["z"]), "not in Staging Area names"),
                refusal(lambda: with_names.get(key, []), "Empty indices"),
                refusal(lambda: with_names.get(key, ["x", 1]), "Mixed types in indices"),
                refusal(lambda: small.put([tf.constant([1, 2])]), "Datatypes do not match"),
                refusal(lambda: small.put([tf.constant([1.0])])),
                refusal(lambda: run(small.put([tf.constant([1.0, 2.0])])), "memory limit"),
                refusal(lambda: o.StagingArea([tf.float32], names=["x", "y"]), "length"),
            ]

        return in_graph(tf, program)

    return named(area_in_order, area_by_keys, area_by_parts, areas_refused)


def stacks(tf: Any) -> Programs:
    g = internal("ops.gen_data_flow_ops")

    def stack_in_loops() -> Any:
        """A loop pushes its numbers, a second one pops and adds them."""

        def program(run: Any) -> Any:
            h = g.stack_v2(-1, elem_type=tf.int32, stack_name="s")

            def push(i: Any) -> Any:
                with tf.control_dependencies([g.stack_push_v2(h, i, swap_memory=True)]):
                    return i + 1

            def pop(i: Any, total: Any) -> Any:
                return i - 1, 2 * total + tf.reshape(g.stack_pop_v2(h, tf.int32), [])

            loop = tf.compat.v1.while_loop
            count = loop(lambda i: i < 4, push, [tf.constant(0)])
            return run(loop(lambda i, total: i > 0, pop, [count, tf.constant(0)]))

        return in_graph(tf, program)

    def stack_refused() -> Any:
        def program(run: Any) -> Any:
            h = g.stack_v2(1, elem_type=tf.float32)
            return refusal(lambda: run(g.stack_pop_v2(h, tf.float32)), "is empty")

        return in_graph(tf, program)

    return named(stack_in_loops, stack_refused)


def maps(tf: Any) -> Programs:
    o = internal("ops.map_ops")

    def two_keys() -> Any:
        m = o.tensor_map_insert(o.empty_tensor_map(), tf.constant(1.0), tf.constant([2.0, 3.0]))
        return o.tensor_map_insert(m, tf.constant(4.0), tf.constant([5.0, 6.0]))

    def map_of_tensors() -> Any:
        m = two_keys()
        again = o.tensor_map_insert(m, tf.constant(1.0), tf.constant([0.0, 0.0]))
        less = o.tensor_map_erase(m, tf.constant(1.0), tf.float32)
        return [
            o.tensor_map_size(m),
            o.tensor_map_lookup(m, tf.constant(4.0), tf.float32),
            o.tensor_map_lookup(again, tf.constant(1.0), tf.float32),
            o.tensor_map_has_key(less, tf.constant(1.0)),
            o.tensor_map_has_key(less, tf.constant(4.0)),
            o.tensor_map_size(less),
            sorted(o.tensor_map_stack_keys(m, tf.float32).numpy().tolist()),
            less.dtype,
            less.shape,
        ]

    def map_refused() -> Any:
        m, gone = two_keys(), tf.constant(9.0)
        return [
            refusal(lambda: o.tensor_map_lookup(m, gone, tf.float32), "lookup non-existent key"),
            refusal(lambda: o.tensor_map_erase(m, gone, tf.float32), "erase non-existent item"),
            refusal(lambda: o.tensor_map_lookup(m, tf.constant(4.0), tf.int32), "Type mismatch"),
            refusal(lambda: o.tensor_map_stack_keys(o.empty_tensor_map(), tf.float32), "empty map"),
        ]

    def map_in_a_function() -> Any:
        @tf.function
        def f(k: Any, v: Any) -> Any:
            m = o.tensor_map_insert(o.empty_tensor_map(), k, v)
            return o.tensor_map_lookup(m, k, tf.float32), o.tensor_map_size(m)

        return f(tf.constant(1), tf.constant(2.5))

    def map_gradient() -> Any:
        k, v, w = tf.constant(1), tf.constant(2.0), tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([v, w])
            m = o.tensor_map_insert(o.empty_tensor_map(), k, v)
            once = o.tensor_map_lookup(m, k, tf.float32)
            m = o.tensor_map_insert(m, k, w)
            y = 5.0 * once + 7.0 * o.tensor_map_lookup(m, k, tf.float32)
        return tape.gradient(y, [v, w])

    return named(map_of_tensors, map_refused, map_in_a_function, map_gradient)


def queues(tf: Any) -> Programs:
    v1 = tf.compat.v1

    def queues_of_one_name() -> Any:
        def program(run: Any) -> Any:
            a = v1.FIFOQueue(3, tf.float32, [[]], shared_name="q")
            b = v1.FIFOQueue(3, tf.float32, [[]], shared_name="q")
            other = v1.FIFOQueue(3, tf.float32, [[]])
            run(a.enqueue(1.0))
            return run(b.size()), run(other.size()), run(b.dequeue()), run(a.size())

        return in_graph(tf, program)

    def queues_that_differ() -> Any:
        def second(run: Any, **changed: Any) -> Any:
            given = {
                "capacity": 3,
                "dtypes": tf.float32,
                "shapes": [[2]],
                "shared_name": str(changed),
            }
            run(v1.FIFOQueue(**given).queue_ref.op)
            said = {
                "capacity": "capacity 3",
                "dtypes": "types float",
                "shapes": r"shapes \[\[2\]\]",
            }
            (name,) = changed
            return refusal(
                lambda: run(v1.FIFOQueue(**given | changed).queue_ref.op),
                f"has (component )?{said[name]} but requested",
            )

        def program(run: Any) -> Any:
            changes: list[dict[str, Any]] = [
                {"capacity": 4},
                {"dtypes": tf.int32},
                {"shapes": [[3]]},
            ]
            return [second(run, **changed) for changed in changes]

        return in_graph(tf, program)

    return named(queues_of_one_name, queues_that_differ)


def handles(tf: Any) -> Programs:
    o = internal("ops.session_ops")

    def values_by_handles() -> Any:
        def program(run: Any) -> Any:
            x = tf.constant([1.0, 2.0])
            kept, now = run([o.get_session_handle(x * 10.0), x])
            holder, value = o.get_session_tensor(kept.handle, tf.float32)
            more = run(o.get_session_handle(value + 1.0), {holder: kept.handle})
            return now, kept.eval(), more.eval(), run(x * 2.0, {x: more}), value.shape

        return in_graph(tf, program)

    def handles_let_go() -> Any:
        def program(run: Any) -> Any:
            kept = run(o.get_session_handle(tf.constant(3)))
            holder, value = o.get_session_tensor(kept.handle, tf.int32)
            gone, let_go = o.delete_session_tensor(kept.handle)
            run(let_go, {gone: kept.handle})
            late = refusal(lambda: run(value, {holder: kept.handle}))
            return isinstance(kept, o.TensorHandle), late, refusal(lambda: o.get_session_handle(3))

        return in_graph(tf, program)

    return named(values_by_handles, handles_let_go)
