"""Programs that save and restore, look up, parse and cut texts, for Wengert and TensorFlow: tools/datasets.py records the latter."""

# mypy: disable-error-code="no-any-return, misc, untyped-decorator, attr-defined, name-defined"
from __future__ import annotations

import gzip
import os
import tempfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from dataset_programs import Programs, shown


def in_folder(program: Callable[[str], Any]) -> Callable[[], Any]:
    """A program that is given a folder."""

    def run() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            return program(folder)

    return run


def kind_of(program: Callable[[], Any]) -> str:
    """The kind of the error that a program raises."""
    try:
        program()
    except Exception as error:  # its kind is what is compared
        return type(error).__name__
    return "nothing"


def of_checkpoints(tf: Any) -> Programs:
    """Objects that are saved and restored, whole or in part, earlier or later."""
    train = tf.train
    v1 = tf.compat.v1

    def names(path: str) -> Any:
        return train.list_variables(path)

    def module(**parts: Any) -> Any:
        made = tf.Module()
        for name, part in parts.items():
            setattr(made, name, part)
        return made

    def nested(folder: str) -> Any:
        v = [tf.Variable(float(i)) for i in range(6)]
        root = train.Checkpoint(
            a=[v[0], [v[1]]], b={"k": v[2], "l": {"m": v[3]}}, c=(v[4], {"t": v[5]})
        )
        path = root.save(folder + "/c")
        for x in v:
            x.assign(-1.0)
        root.restore(path).assert_consumed()
        return names(path), [float(x) for x in v]

    def shared(folder: str) -> Any:
        v = tf.Variable(3.0)
        path = train.Checkpoint(a=v, b=v, c=[v]).write(folder + "/c")
        w = tf.Variable(0.0)
        train.Checkpoint(c=[w]).read(path).expect_partial()
        return names(path), float(w)

    def cycle(folder: str) -> Any:
        a, b = module(v=tf.Variable(1.0)), module(v=tf.Variable(2.0))
        a.b, b.a = b, a
        return names(train.Checkpoint(r=a).write(folder + "/c"))

    def root_module(folder: str) -> Any:
        m = module(v=tf.Variable(1.0), l=[tf.Variable(2.0)])
        path = train.Checkpoint(m).save(folder + "/c")
        return names(path)

    def root_and_more(folder: str) -> Any:
        m = module(v=tf.Variable(1.0))
        path = train.Checkpoint(m, step=tf.Variable(7)).save(folder + "/c")
        step = tf.Variable(0)
        train.Checkpoint(module(), step=step).restore(path).expect_partial()
        return names(path), int(step)

    def renamed(folder: str) -> Any:
        path = train.Checkpoint(old=tf.Variable(4.0)).write(folder + "/c")
        v = tf.Variable(0.0)
        status = train.Checkpoint(new=v).read(path)
        return float(v), [
            kind_of(f)
            for f in (
                status.assert_consumed,
                status.assert_existing_objects_matched,
                status.assert_nontrivial_match,
            )
        ]

    def partial(folder: str) -> Any:
        path = train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(folder + "/c")
        a, c = tf.Variable(0.0), tf.Variable(9.0)
        status = train.Checkpoint(a=a, c=c).read(path)
        return (
            float(a),
            float(c),
            [
                kind_of(f)
                for f in (
                    status.assert_consumed,
                    status.assert_existing_objects_matched,
                    status.assert_nontrivial_match,
                )
            ],
        )

    def fewer(folder: str) -> Any:
        path = train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(folder + "/c")
        a = tf.Variable(0.0)
        status = train.Checkpoint(a=a).read(path)
        return (
            float(a),
            kind_of(status.assert_consumed),
            kind_of(status.assert_existing_objects_matched),
        )

    def later(folder: str) -> Any:
        path = train.Checkpoint(m=module(v=tf.Variable(5.0), w=[tf.Variable(6.0)])).write(
            folder + "/c"
        )
        m = tf.train.Checkpoint()
        status = train.Checkpoint(m=m).read(path)
        before = kind_of(status.assert_consumed)
        m.v = tf.Variable(0.0)
        m.w = [tf.Variable(0.0)]
        status.assert_consumed()
        return before, float(m.v), float(m.w[0])

    def later_twice(folder: str) -> Any:
        one = train.Checkpoint(v=tf.Variable(1.0)).write(folder + "/one")
        two = train.Checkpoint(v=tf.Variable(2.0)).write(folder + "/two")
        c = train.Checkpoint()
        c.read(one)
        c.read(two)
        c.v = tf.Variable(0.0)
        return float(c.v)

    def replaced(folder: str) -> Any:
        c = train.Checkpoint(v=tf.Variable(1.0))
        path = c.write(folder + "/c")
        c.v = tf.Variable(0.0)
        c.read(path).assert_consumed()
        return float(c.v)

    def optimizer(folder: str) -> Any:
        v, opt = tf.Variable([1.0, 2.0]), v1.train.AdamOptimizer(0.1)
        opt.minimize(lambda: tf.reduce_sum(v * v), var_list=[v])
        path = train.Checkpoint(o=opt, v=v).save(folder + "/c")
        w, other = tf.Variable([0.0, 0.0]), v1.train.AdamOptimizer(0.1)
        status = train.Checkpoint(o=other, v=w).restore(path)
        other.minimize(lambda: tf.reduce_sum(w * w), var_list=[w])
        status.assert_consumed()
        opt.minimize(lambda: tf.reduce_sum(v * v), var_list=[v])
        return names(path), np.array_equal(v.numpy(), w.numpy())

    def python_state(folder: str) -> Any:
        class Words(train.experimental.PythonState):
            def __init__(self, words: Any) -> None:
                self.words = words

            def serialize(self) -> Any:
                return ",".join(self.words)

            def deserialize(self, text: Any) -> None:
                self.words = tf.compat.as_text(text).split(",")

        path = train.Checkpoint(w=Words(["a", "ü"])).write(folder + "/c")
        w = Words([])
        train.Checkpoint(w=w).read(path).assert_consumed()
        return w.words

    def keys(folder: str) -> Any:
        parts = {
            "a/b": tf.Variable(1.0),
            "c.d": tf.Variable(2.0),
            "ü e": tf.Variable(3.0),
            "": tf.Variable(4.0),
        }
        path = train.Checkpoint(d=parts).write(folder + "/c")
        new = {k: tf.Variable(0.0) for k in parts}
        train.Checkpoint(d=new).read(path).assert_consumed()
        return names(path), [float(v) for v in new.values()]

    def number_keys(folder: str) -> Any:
        return names(
            train.Checkpoint(d={1: tf.Variable(1.0), 2: tf.Variable(2.0)}).write(folder + "/c")
        )

    def list_grown(folder: str) -> Any:
        path = train.Checkpoint(l=[tf.Variable(1.0), tf.Variable(2.0)]).write(folder + "/c")
        c = train.Checkpoint(l=[tf.Variable(0.0)])
        c.read(path)
        c.l.append(tf.Variable(0.0))
        return [float(v) for v in c.l]

    def list_inserted(folder: str) -> Any:
        c = train.Checkpoint(l=[tf.Variable(1.0)])
        c.l.insert(0, tf.Variable(2.0))
        return kind_of(lambda: c.write(folder + "/c"))

    def list_removed(folder: str) -> Any:
        c = train.Checkpoint(l=[tf.Variable(1.0), tf.Variable(2.0)])
        c.l.pop(0)
        return kind_of(lambda: c.write(folder + "/c"))

    def shapes(folder: str) -> Any:
        path = train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(folder + "/c")
        return [
            kind_of(lambda v=v: train.Checkpoint(v=tf.Variable(v)).read(path))
            for v in ([1.0], [[1.0, 2.0]], [1, 2], np.zeros(2), 1.0)
        ]

    def any_shape(folder: str) -> Any:
        path = train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(folder + "/c")
        v = tf.Variable([0.0], shape=tf.TensorShape([None]))
        train.Checkpoint(v=v).read(path)
        return v.numpy().tolist()

    def counters(folder: str) -> Any:
        c = train.Checkpoint(v=tf.Variable(1.0))
        paths = [c.save(folder + "/c").rpartition("/")[2] for _ in range(2)]
        again = train.Checkpoint(v=tf.Variable(1.0))
        again.restore(train.latest_checkpoint(folder))
        return paths, again.save(folder + "/c").rpartition("/")[2], int(again.save_counter)

    def manager(folder: str) -> Any:
        c = train.Checkpoint(v=tf.Variable(1.0))
        m = train.CheckpointManager(c, folder, 2, checkpoint_name="x")
        for _ in range(4):
            m.save()
        last = lambda p: p.rpartition("/")[2]  # noqa: E731
        again = train.CheckpointManager(c, folder, 2, checkpoint_name="x")
        return (
            [last(p) for p in m.checkpoints],
            [last(p) for p in again.checkpoints],
            last(again.latest_checkpoint),
            sorted(os.listdir(folder)),
        )

    def manager_numbers(folder: str) -> Any:
        m = train.CheckpointManager(train.Checkpoint(v=tf.Variable(1.0)), folder, 3)
        for n in (10, 5, 7):
            m.save(checkpoint_number=n)
        return [p.rpartition("/")[2] for p in m.checkpoints]

    def manager_steps(folder: str) -> Any:
        step = tf.Variable(0, dtype=tf.int64)
        m = train.CheckpointManager(
            train.Checkpoint(s=step), folder, 5, step_counter=step, checkpoint_interval=3
        )
        found = []
        for _ in range(8):
            step.assign_add(1)
            path = m.save()
            found.append(None if path is None else path.rpartition("/")[2])
        return found

    def manager_none(folder: str) -> Any:
        seen: list[int] = []
        m = train.CheckpointManager(
            train.Checkpoint(v=tf.Variable(1.0)), folder, None, init_fn=lambda: seen.append(1)
        )
        found = m.restore_or_initialize()
        for _ in range(7):
            m.save()
        return found, seen, len(m.checkpoints), m.restore_or_initialize().rpartition("/")[2]

    def manager_wrong(folder: str) -> Any:
        c = train.Checkpoint(v=tf.Variable(1.0))
        return [
            kind_of(lambda k=k: train.CheckpointManager(c, folder, **k))
            for k in (
                {"max_to_keep": 0},
                {"max_to_keep": -1},
                {"max_to_keep": 1, "checkpoint_interval": 2},
            )
        ]

    def missing(folder: str) -> Any:
        c = train.Checkpoint(v=tf.Variable(1.0))
        return [kind_of(f) for f in (
            lambda: c.restore(folder + "/none"), lambda: c.read(folder + "/none"), lambda: c.restore(None).assert_consumed(),
            lambda: train.load_checkpoint(folder), lambda: train.load_checkpoint(folder + "/none"), lambda: train.load_variable(folder + "/none", "v"),
            lambda: train.Checkpoint(v=3), lambda: train.Checkpoint(v="text"), lambda: train.Checkpoint(3), lambda: c.save(""),
        )]  # fmt: skip

    def reader(folder: str) -> Any:
        path = train.Checkpoint(
            a=tf.Variable([[1, 2]]),
            s=tf.Variable(["x", "y"]),
            t=tf.Variable("z"),
            e=tf.Variable(np.zeros((0, 3))),
        ).write(folder + "/c")
        r = train.load_checkpoint(path)
        value = "/.ATTRIBUTES/VARIABLE_VALUE"
        dtypes = r.get_variable_to_dtype_map()
        return (
            [shown(r.get_tensor(n + value)) for n in ("a", "s", "t", "e")],
            [dtypes[n + value] for n in "aste"],
            r.has_tensor("nope"),
            kind_of(lambda: r.get_tensor("nope")),
        )

    def deep(folder: str) -> Any:
        root = inner = train.Checkpoint()
        for n in range(60):
            inner.next = train.Checkpoint(v=tf.Variable(float(n)))
            inner = inner.next
        path = root.write(folder + "/c")
        return len(names(path)), names(path)[-1]

    def saver(folder: str) -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            a, b = (
                v1.get_variable("a", initializer=[1.0, 2.0]),
                v1.get_variable("s/b", initializer=3),
            )
            session.run(v1.global_variables_initializer())
            paths = [
                v1.train.Saver({"x": a, "y": b}).save(session, folder + "/m", global_step=n)
                for n in (1, 2)
            ]
            return (
                names(paths[-1]),
                [p.rpartition("/")[2] for p in paths],
                sorted(n for n in os.listdir(folder) if not n.endswith(".meta")),
            )

    def saver_keeps(folder: str) -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            v1.get_variable("a", initializer=[1.0, 2.0])
            session.run(v1.global_variables_initializer())
            s = v1.train.Saver(max_to_keep=2)
            for n in range(4):
                s.save(session, folder + "/m", global_step=n, write_meta_graph=False)
            return (
                [p.rpartition("/")[2] for p in s.last_checkpoints],
                sorted(os.listdir(folder)),
                v1.train.latest_checkpoint(folder).rpartition("/")[2],
            )

    def saver_missing(folder: str) -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            a = v1.get_variable("a", initializer=[1.0, 2.0])
            session.run(a.initializer)
            path = v1.train.Saver([a]).save(session, folder + "/m", write_meta_graph=False)
        with tf.Graph().as_default(), v1.Session() as session:
            v1.get_variable("b", initializer=[1.0, 2.0])
            first = kind_of(lambda: v1.train.Saver().restore(session, path))
        with tf.Graph().as_default(), v1.Session() as session:
            v1.get_variable("a", initializer=[1.0, 2.0, 3.0])
            second = kind_of(lambda: v1.train.Saver().restore(session, path))
            third = kind_of(lambda: v1.train.Saver().restore(session, folder + "/none"))
        return first, second, third

    def saver_objects(folder: str) -> Any:
        path = train.Checkpoint(v=tf.Variable([1.0, 2.0], name="w")).write(folder + "/c")
        with tf.Graph().as_default(), v1.Session() as session:
            w = v1.get_variable("w", [2])
            v1.train.Saver().restore(session, path)
            return session.run(w).tolist()

    def generators(folder: str) -> Any:
        g = tf.random.Generator.from_seed(3)
        g.normal([5])
        path = train.Checkpoint(g=g).write(folder + "/c")
        first = g.uniform([3]).numpy().tolist()
        other = tf.random.Generator.from_seed(9)
        train.Checkpoint(g=other).read(path).assert_consumed()
        return names(path), first == other.uniform([3]).numpy().tolist()

    def averages(folder: str) -> Any:
        v = tf.Variable(1.0, name="v")
        ema = tf.train.ExponentialMovingAverage(0.5)
        ema.apply([v])
        return names(train.Checkpoint(v=v, a=ema.average(v)).write(folder + "/c"))

    def mutable_table(folder: str) -> Any:
        t = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        t.insert(["a", "b"], [1, 2])
        path = train.Checkpoint(t=t).write(folder + "/c")
        u = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        u.insert(["z"], [9])
        train.Checkpoint(t=u).read(path).assert_consumed()
        return names(path), u.lookup(tf.constant(["a", "b", "z"])).numpy().tolist()

    def write_options(folder: str) -> Any:
        seen: list[Any] = []
        options = train.CheckpointOptions(
            experimental_write_callbacks=[lambda p: seen.append(p.rpartition("/")[2])]
        )
        train.Checkpoint(v=tf.Variable(1.0)).save(folder + "/c", options=options)
        return seen

    def views(folder: str) -> Any:
        root = train.Checkpoint(a=tf.Variable(1.0), m=module(v=tf.Variable(2.0)))
        view = train.CheckpointView(root.write(folder + "/c"))
        return (
            sorted(view.children(0)),
            len(view.descendants()),
            len(train.TrackableView(root).descendants()),
        )

    return {f.__name__: in_folder(f) for f in (
        nested, shared, cycle, root_module, root_and_more, renamed, partial, fewer, later, later_twice, replaced, optimizer,
        python_state, keys, number_keys, list_grown, list_inserted, list_removed, shapes, any_shape, counters, manager,
        manager_numbers, manager_steps, manager_none, manager_wrong, missing, reader, deep, saver, saver_keeps, saver_missing,
        saver_objects, generators, averages, mutable_table, write_options, views,
    )}  # fmt: skip


def of_models(tf: Any) -> Programs:
    """Models that are saved and loaded."""
    spec = tf.TensorSpec

    def loaded(made: Any, folder: str, **how: Any) -> Any:
        tf.saved_model.save(made, folder + "/m", **how)
        return tf.saved_model.load(folder + "/m")

    class Net(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
            self.frozen = tf.Variable(2.0, trainable=False)
            self.parts = [tf.Variable(1.0), {"b": tf.Variable(5.0)}]
            self.table = None

        @tf.function(input_signature=[spec([None, 2], tf.float32)])
        def __call__(self, x: Any) -> Any:
            return self.inner(tf.matmul(x, self.w))

        @tf.function
        def inner(self, x: Any) -> Any:
            return x * self.frozen + self.parts[0]

        @tf.function(
            input_signature=[
                {"a": spec([None], tf.float32), "b": (spec([], tf.int32), spec([], tf.string))}
            ]
        )
        def nested(self, d: Any) -> Any:
            return {
                "sum": tf.reduce_sum(d["a"]) + tf.cast(d["b"][0], tf.float32),
                "text": [d["b"][1]],
            }

        @tf.function(input_signature=[spec([], tf.int32)])
        def many(self, n: Any) -> Any:
            found = tf.TensorArray(tf.float32, n)
            for i in tf.range(n):
                found = found.write(i, tf.cast(i, tf.float32) * self.frozen)
            return found.stack()

    x = lambda: tf.constant([[1.0, -1.0]])  # noqa: E731

    def values(folder: str) -> Any:
        m = loaded(Net(), folder)
        return (
            shown(m(x())),
            shown(
                m.nested({"a": tf.constant([1.0, 2.0]), "b": (tf.constant(3), tf.constant("t"))})
            ),
            shown(m.many(tf.constant(4))),
        )

    def gradients(folder: str) -> Any:
        m = loaded(Net(), folder)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum(m(x()) ** 2)
        return (
            shown(tape.gradient(y, m.w)),
            shown(tape.gradient(y, m.parts[0])),
            tape.gradient(y, m.frozen) is None,
        )

    def trained(folder: str) -> Any:
        m = loaded(Net(), folder)
        m.w.assign_add(tf.ones([2, 2]))
        again = tf.saved_model.load(folder + "/m")
        return shown(m(x())), shown(again(x()))

    def twice(folder: str) -> Any:
        m = loaded(Net(), folder)
        tf.saved_model.save(m, folder + "/n")
        return shown(tf.saved_model.load(folder + "/n")(x()))

    def variables(folder: str) -> Any:
        m = loaded(Net(), folder)
        return m.w.trainable, m.frozen.trainable, len(m.parts), float(m.parts[1]["b"]), m.w.shape

    def signatures(folder: str) -> Any:
        net = Net()
        m = loaded(net, folder, signatures={"f": net.__call__, "g": net.many})
        return (
            sorted(m.signatures),
            shown(m.signatures["f"](x=x())),
            m.signatures["f"].structured_input_signature,
            m.signatures["g"].structured_outputs,
        )

    def signature_named(folder: str) -> Any:
        module = tf.Module()
        module.f = tf.function(
            lambda a, b: {"out": a - b},
            input_signature=[spec([], tf.float32, name="first"), spec([], tf.float32)],
        )
        m = loaded(module, folder, signatures=module.f)
        f = m.signatures["serving_default"]
        return (
            shown(f(first=tf.constant(5.0), b=tf.constant(2.0))),
            kind_of(lambda: f(tf.constant(1.0), tf.constant(2.0))),
            kind_of(lambda: f(first=tf.constant(1.0))),
        )

    def signature_wrong(folder: str) -> Any:
        module = tf.Module()
        module.f = tf.function(lambda a: a)
        return [
            kind_of(lambda s=s: tf.saved_model.save(module, folder + "/m", signatures=s))
            for s in (3, {"a": 3}, module.f, {1: module.f})
        ]

    def other_arguments(folder: str) -> Any:
        m = loaded(Net(), folder)
        return [
            kind_of(lambda a=a: m(a))
            for a in (
                tf.constant([1.0]),
                tf.constant([[1]]),
                tf.constant([[1.0, 2.0, 3.0]]),
                "text",
            )
        ]

    def traces(folder: str) -> Any:
        module = tf.Module()
        module.f = tf.function(lambda a, double=False: a * 2 if double else a)
        module.f(tf.constant(1.0))
        module.f(tf.constant(1.0), True)
        module.f(tf.constant([1, 2]))
        m = loaded(module, folder)
        return shown(
            [
                m.f(tf.constant(3.0)),
                m.f(tf.constant(3.0), True),
                m.f(tf.constant(3.0), double=True),
                m.f(tf.constant([3, 4])),
            ]
        ), kind_of(lambda: m.f(tf.constant("a")))

    def constants(folder: str) -> Any:
        module, held = tf.Module(), tf.constant([1.0, 2.0])
        module.f = tf.function(lambda a: a + held, input_signature=[spec([2], tf.float32)])
        return shown(loaded(module, folder).f(tf.constant([1.0, 1.0])))

    def custom(folder: str) -> Any:
        @tf.custom_gradient
        def clipped(a: Any) -> Any:
            return a * 2.0, lambda dy: tf.clip_by_value(dy, -0.5, 0.5)

        module = tf.Module()
        module.f = tf.function(clipped, input_signature=[spec([], tf.float32)])
        m = loaded(
            module, folder, options=tf.saved_model.SaveOptions(experimental_custom_gradients=True)
        )
        a = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = m.f(a)
        return shown(y), shown(tape.gradient(y, a))

    def counting(folder: str) -> Any:
        module = tf.Module()
        module.n = tf.Variable(0)
        module.f = tf.function(lambda: module.n.assign_add(1), input_signature=[])
        m = loaded(module, folder)
        return [int(m.f()) for _ in range(3)], int(m.n), int(module.n)

    def controls(folder: str) -> Any:
        module = tf.Module()

        @tf.function(input_signature=[spec([], tf.int32)])
        def collatz(n: Any) -> Any:
            count = 0
            while n > 1:
                if n % 2 == 0:
                    n //= 2
                else:
                    n = 3 * n + 1
                count += 1
            return count

        module.f = collatz
        return [int(loaded(module, folder).f(tf.constant(n))) for n in (1, 7, 27)]

    def texts(folder: str) -> Any:
        module = tf.Module()
        module.f = tf.function(
            lambda s: tf.strings.join(
                [tf.strings.upper(s), tf.strings.as_string(tf.strings.length(s))], "-"
            ),
            input_signature=[spec([None], tf.string)],
        )
        return shown(loaded(module, folder).f(tf.constant(["ab", "ü"])))

    def chances(folder: str) -> Any:
        module = tf.Module()
        module.f = tf.function(
            lambda s: tf.random.stateless_uniform([3], s), input_signature=[spec([2], tf.int32)]
        )
        return shown(loaded(module, folder).f(tf.constant([1, 2])))

    def empty(folder: str) -> Any:
        m = loaded(tf.Module(), folder)
        return kind_of(lambda: m(1))

    def missing(folder: str) -> Any:
        os.mkdir(folder + "/e")
        return (
            kind_of(lambda: tf.saved_model.load(folder + "/none")),
            kind_of(lambda: tf.saved_model.load(folder + "/e")),
            tf.saved_model.contains_saved_model(folder),
        )

    def assets(folder: str) -> Any:
        with open(folder + "/words.txt", "w") as file:
            file.write("a\nb\n")
        module = tf.Module()
        module.asset = tf.saved_model.Asset(folder + "/words.txt")
        module.f = tf.function(lambda: tf.io.read_file(module.asset), input_signature=[])
        m = loaded(module, folder)
        os.remove(folder + "/words.txt")
        return shown(m.f()), m.asset.asset_path.numpy().decode().rpartition("/")[2]

    def hidden(folder: str) -> Any:
        outer = tf.Variable(1.0)
        module = tf.Module()
        module.f = tf.function(lambda: outer + 1.0, input_signature=[])
        return kind_of(lambda: tf.saved_model.save(module, folder + "/m"))

    def checkpoint_of(folder: str) -> Any:
        tf.saved_model.save(Net(), folder + "/m")
        net = Net()
        net.w.assign(tf.zeros([2, 2]))
        tf.train.Checkpoint(net).restore(folder + "/m").expect_partial()
        return shown(net.w), tf.train.list_variables(folder + "/m/variables/variables")

    def partial_module(folder: str) -> Any:
        net = Net()
        module = tf.Module()
        module.net = net
        module.f = tf.function(
            lambda a: net(a) + net.inner(a), input_signature=[spec([1, 2], tf.float32)]
        )
        return shown(loaded(module, folder).f(x()))

    def concrete(folder: str) -> Any:
        module = tf.Module()
        module.f = tf.function(lambda a: a + 1.0).get_concrete_function(spec([], tf.float32))
        return shown(loaded(module, folder).f(tf.constant(1.0)))

    def inputs_none(folder: str) -> Any:
        module = tf.Module()
        module.f = tf.function(lambda a, b=None: a if b is None else a + b)
        module.f(tf.constant(1.0))
        module.f(tf.constant(1.0), tf.constant(2.0))
        m = loaded(module, folder)
        return shown(
            [
                m.f(tf.constant(3.0)),
                m.f(tf.constant(3.0), tf.constant(1.0)),
                m.f(a=tf.constant(3.0), b=tf.constant(2.0)),
            ]
        )

    return {f.__name__: in_folder(f) for f in (
        values, gradients, trained, twice, variables, signatures, signature_named, signature_wrong, other_arguments, traces,
        constants, custom, counting, controls, texts, chances, empty, missing, assets, hidden, checkpoint_of, partial_module,
        concrete, inputs_none,
    )}  # fmt: skip


def of_files(tf: Any) -> Programs:
    """Tables, paths, records, examples and texts."""
    gfile = tf.io.gfile

    def tables(folder: str) -> Any:
        with open(folder + "/v.txt", "wb") as file:
            file.write(b"a\tx\t1\nb\ty\t2\n\xc3\xa4\tz\t3\n")
        init = tf.lookup.TextFileInitializer
        index = tf.lookup.TextFileIndex
        found = []
        for kt, ki, vt, vi in (
            (tf.string, 0, tf.int64, 2),
            (tf.string, 1, tf.string, 0),
            (tf.int64, 2, tf.string, 1),
            (tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER),
            (tf.int64, index.LINE_NUMBER, tf.string, 1),
        ):
            t = tf.lookup.StaticHashTable(
                init(folder + "/v.txt", kt, ki, vt, vi), -1 if vt == tf.int64 else "?"
            )
            k, v = t.export()
            found.append((int(t.size()), sorted(map(str, shown(k))), sorted(map(str, shown(v)))))
        return found

    def table_errors(folder: str) -> Any:
        with open(folder + "/v.txt", "w") as file:
            file.write("a 1\na 2\nb x\n")
        init = tf.lookup.TextFileInitializer
        kv = tf.lookup.KeyValueTensorInitializer
        return [kind_of(f) for f in (
            lambda: tf.lookup.StaticHashTable(init(folder + "/none", tf.string, 0, tf.int64, 1, delimiter=" "), -1),
            lambda: tf.lookup.StaticHashTable(init(folder + "/v.txt", tf.string, 0, tf.int64, 1, delimiter=" "), -1),
            lambda: tf.lookup.StaticHashTable(init(folder + "/v.txt", tf.string, 0, tf.string, 1, delimiter=" "), ""),
            lambda: tf.lookup.StaticHashTable(init(folder + "/v.txt", tf.string, 0, tf.string, 5, delimiter=" "), ""),
            lambda: tf.lookup.StaticHashTable(kv(["a", "a"], [1, 2]), -1),
            lambda: tf.lookup.StaticHashTable(kv(["a", "a"], [1, 1]), -1),
            lambda: tf.lookup.StaticHashTable(kv(["a"], [1, 2]), -1),
            lambda: tf.lookup.StaticHashTable(kv(["a"], [1]), "x"),
            lambda: tf.lookup.StaticHashTable(kv(["a"], [1]), -1).lookup(tf.constant([1])),
            lambda: tf.lookup.StaticHashTable(kv([1.5], [1]), -1),
            lambda: tf.lookup.StaticVocabularyTable(kv(["a"], [1]), 1),
            lambda: tf.lookup.StaticVocabularyTable(None, 0),
            lambda: tf.lookup.StaticHashTable(kv([], []), -1),
        )]  # fmt: skip

    def vocabulary(_: str) -> Any:
        init = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
        t = tf.lookup.StaticVocabularyTable(init, 3)
        words = tf.constant([["a", "q"], ["b", "zz"]])
        ragged = tf.ragged.constant([["a"], ["zz", "b"]])
        sparse = tf.SparseTensor([[0, 1]], ["zz"], [2, 2])
        return (
            shown([t[words], t.lookup(ragged), t.lookup(sparse)]),
            int(t.size()),
            t.key_dtype,
            t.value_dtype,
        )

    def dense(_: str) -> Any:
        t = tf.lookup.experimental.DenseHashTable(
            tf.int64, tf.float32, default_value=[-1.0, -1.0], empty_key=0, deleted_key=-7
        )
        t.insert(tf.constant([1, 2], tf.int64), [[1.0, 2.0], [3.0, 4.0]])
        t.remove(tf.constant([1], tf.int64))
        return (
            shown(t.lookup(tf.constant([1, 2], tf.int64))),
            int(t.size()),
            [
                kind_of(f)
                for f in (
                    lambda: t.insert(tf.constant([0], tf.int64), [[1.0, 1.0]]),
                    lambda: t.lookup(tf.constant([-7], tf.int64)),
                    lambda: t.insert(tf.constant([1], tf.int64), [1.0]),
                )
            ],
        )

    def mutable(_: str) -> Any:
        t = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, tf.constant([0.0, 0.0]))
        t.insert(["a", "b", "a"], [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
        t.remove(tf.constant(["b", "none"]))
        k, v = t.export()
        return (
            shown(t.lookup(tf.constant(["a", "b"]))),
            shown(k),
            shown(v),
            shown(tf.function(lambda: t.lookup(tf.constant("a")))()),
        )

    def paths(folder: str) -> Any:
        gfile.makedirs(folder + "/a/b/c")
        for name in ("a/x.txt", "a/b/y.txt", "a/b/c/z.bin", "[odd].txt", ".hidden", "ü.txt"):
            with gfile.GFile(f"{folder}/{name}", "w") as file:
                file.write(name)
        short = lambda p: p.replace(folder, "")  # noqa: E731
        globs = [
            sorted(map(short, gfile.glob(folder + p)))
            for p in (
                "/*",
                "/*/*",
                "/a/?.txt",
                "/a/*/*",
                "/[ab]/x*",
                "/{a,b}/x*",
                "/**",
                "/\\[odd\\].txt",
                "/none*",
                "/a/b/[!z]*",
            )
        ]
        walked = [(short(d), sorted(s), sorted(f)) for d, s, f in gfile.walk(folder)]
        return (
            globs,
            walked,
            sorted(gfile.listdir(folder)),
            sorted(map(short, gfile.glob([folder + "/a/*", folder + "/.h*"]))),
        )

    def files(folder: str) -> Any:
        name = folder + "/f"
        with gfile.GFile(name, "w") as file:
            file.write("one\ntwo\r\nthree")
        with gfile.GFile(name, "a") as file:
            file.write("\nü")
        with gfile.GFile(name) as file:
            text = file.read(3), file.tell(), file.readline(), file.readlines(), file.size()
        with gfile.GFile(name, "rb") as file:
            file.seek(4)
            data = file.read(3), file.read(), file.read()
        gfile.copy(name, name + "2")
        found = [kind_of(f) for f in (
            lambda: gfile.copy(name, name + "2"), lambda: gfile.rename(name, name + "2"), lambda: gfile.remove(folder + "/none"), lambda: gfile.mkdir(folder),
            lambda: gfile.listdir(folder + "/none"), lambda: gfile.rmtree(folder + "/none"), lambda: gfile.GFile(folder + "/none").read(),
            lambda: gfile.GFile(name, "r").write("x"), lambda: gfile.GFile(name, "w").read(), lambda: gfile.stat(folder + "/none"), lambda: gfile.GFile(name, "q"),
            lambda: gfile.GFile("no://where").read(), lambda: gfile.mkdir(folder + "/p/q"),
        )]  # fmt: skip
        gfile.rename(name, name + "2", overwrite=True)
        return (
            text,
            data,
            found,
            gfile.exists(name),
            gfile.isdir(folder),
            gfile.stat(name + "2").length,
            gfile.join("a", "b", "/c"),
        )

    def whole(folder: str) -> Any:
        tf.io.write_file(folder + "/x/y", b"\0\xff")
        return (
            shown(tf.io.read_file(folder + "/x/y")),
            kind_of(lambda: tf.io.read_file(folder + "/none")),
            shown(tf.io.matching_files(folder + "/none*")),
        )

    def example(**features: Any) -> bytes:
        return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()

    def ints(*v: int) -> Any:
        return tf.train.Feature(int64_list=tf.train.Int64List(value=v))

    def floats(*v: float) -> Any:
        return tf.train.Feature(float_list=tf.train.FloatList(value=v))

    def texts(*v: bytes) -> Any:
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=v))

    one = example(i=ints(1, 2), f=floats(0.5), t=texts(b"a", b"\xc3\xa4"), n=ints())
    two = example(i=ints(-3, 2**40), t=texts(b""))
    fixed, var = tf.io.FixedLenFeature, tf.io.VarLenFeature

    def parsed(_: str) -> Any:
        return shown(tf.io.parse_example([one, two], {
            "i": fixed([2], tf.int64), "f": fixed([], tf.float32, 9.0), "t": var(tf.string), "n": var(tf.int64),
            "q": tf.io.FixedLenSequenceFeature([], tf.string, True, default_value="?"),
            "rag": tf.io.RaggedFeature(tf.string, value_key="none", row_splits_dtype=tf.int64),
        }))  # fmt: skip

    def parsed_wrong(_: str) -> Any:
        return [kind_of(lambda f=f: tf.io.parse_example([one, two], f)) for f in (
            {"f": fixed([], tf.float32)}, {"i": fixed([3], tf.int64)}, {"i": fixed([2], tf.float32)}, {"i": fixed([2], tf.int32)}, {}, {"i": 3},
            {"i": var(tf.float32)},
        )] + [kind_of(lambda d=d: tf.io.parse_example(d, {"i": var(tf.int64)})) for d in ([one[:-3]], one)]  # fmt: skip

    def single(_: str) -> Any:
        return shown(
            tf.io.parse_single_example(one, {"i": fixed([2], tf.int64), "t": var(tf.string)})
        )

    def sequences(_: str) -> Any:
        lists = tf.train.FeatureLists(
            feature_list={
                "w": tf.train.FeatureList(feature=[ints(1), ints(2, 3), ints()]),
                "v": tf.train.FeatureList(feature=[floats(1.0, 2.0), floats(3.0, 4.0)]),
            }
        )
        data = tf.train.SequenceExample(
            context=tf.train.Features(feature={"id": ints(7)}), feature_lists=lists
        ).SerializeToString()
        c, s = tf.io.parse_single_sequence_example(
            data,
            {"id": fixed([], tf.int64)},
            {
                "w": var(tf.int64),
                "v": tf.io.FixedLenSequenceFeature([2], tf.float32),
                "none": tf.io.FixedLenSequenceFeature([], tf.int64, True),
            },
        )
        c2, s2, n = tf.io.parse_sequence_example(
            [data, data],
            {"id": fixed([], tf.int64)},
            {
                "w": tf.io.RaggedFeature(tf.int64),
                "v": tf.io.FixedLenSequenceFeature([2], tf.float32),
            },
        )
        return shown([c, s]), shown([c2, s2, n])

    def raw(_: str) -> Any:
        return [
            shown(tf.io.decode_raw(b"\x01\x02\x03\x04", d))
            for d in (tf.uint8, tf.int16, tf.float32)
        ] + [
            shown(tf.io.decode_raw(b"\x01\x02", tf.int16, little_endian=False)),
            kind_of(lambda: tf.io.decode_raw(b"\x01\x02\x03", tf.int16)),
            kind_of(lambda: tf.io.decode_raw(["ab", "abcd"], tf.int16)),
            shown(tf.io.decode_raw(["ab", "cd"], tf.uint8)),
        ]

    def csv(_: str) -> Any:
        return [
            shown(tf.io.decode_csv(['1,"a,""b",', "-2,,3.5"], [0, "d", 1.5])),
            kind_of(lambda: tf.io.decode_csv("1,2", [0])),
            kind_of(lambda: tf.io.decode_csv("x", [0])),
            kind_of(lambda: tf.io.decode_csv(",", [0, tf.constant([], tf.int32)])),
            shown(tf.io.decode_csv("a;NA", ["", 7], field_delim=";", na_value="NA")),
        ]

    def base64(_: str) -> Any:
        return [
            shown(tf.io.encode_base64([b"", b"a", b"\xff\xfe"])),
            shown(tf.io.encode_base64(b"a", pad=True)),
            shown(tf.io.decode_base64("_w")),
            kind_of(lambda: tf.io.decode_base64("!!")),
        ]

    def compressed(_: str) -> Any:
        return [
            kind_of(lambda c=c: tf.io.decode_compressed(b"junk", c))
            for c in ("", "ZLIB", "GZIP", "LZ4")
        ]

    def tensors(_: str) -> Any:
        values = [
            tf.constant([[1, 2]]),
            tf.constant("ü"),
            tf.constant([True]),
            tf.constant(1j, tf.complex64),
            tf.zeros([0, 2]),
            tf.cast([1.5], tf.bfloat16),
        ]
        return (
            [shown(tf.io.parse_tensor(tf.io.serialize_tensor(v), v.dtype)) for v in values],
            kind_of(lambda: tf.io.parse_tensor(tf.io.serialize_tensor(values[0]), tf.float32)),
            kind_of(lambda: tf.io.parse_tensor(b"junk", tf.int32)),
        )

    def sparse(_: str) -> Any:
        s = tf.SparseTensor([[0, 1], [2, 0]], [5.0, 7.0], [3, 2])
        return shown(tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(s), tf.float32))

    def images(_: str) -> Any:
        image = tf.constant(np.arange(24).reshape(2, 4, 3), tf.uint8)
        png = tf.io.encode_png(image)
        return (
            shown(tf.io.decode_png(png)) == shown(image),
            shown(tf.io.decode_png(png, channels=1)),
            shown(tf.io.decode_image(png, expand_animations=False)) == shown(image),
            [
                kind_of(f)
                for f in (
                    lambda: tf.io.decode_png(b"junk"),
                    lambda: tf.io.decode_image(b""),
                    lambda: tf.io.decode_png(png.numpy()[:20]),
                    lambda: tf.io.encode_png(tf.zeros([2, 2, 3])),
                )
            ],
        )

    def unicode(_: str) -> Any:
        s = tf.strings
        words = tf.constant(["héllo", "日本語", "😀a", "", "a\u0301"])
        bad = tf.constant([b"a\xffb", b"\xe3\x81", b"ok", b"\xed\xa0\x80"])
        return [
            shown(s.length(words, unit="UTF8_CHAR")), shown(s.substr(words[:2], 1, 2, unit="UTF8_CHAR")), shown(s.unicode_split(words, "UTF-8")),
            shown(s.unicode_decode(bad, "UTF-8", errors="replace")), shown(s.unicode_decode(bad, "UTF-8", errors="ignore")), kind_of(lambda: s.unicode_decode(bad, "UTF-8", errors="strict")),
            shown(s.unicode_transcode(bad, "UTF-8", "UTF-16-BE")), shown(s.unicode_encode([[104, 0x1F600], [0xD800]], "UTF-8", errors="replace")),
            kind_of(lambda: s.unicode_encode([[0x110000]], "UTF-8", errors="strict")), shown(s.unicode_script([65, 0x3042, 0x1F600, 0x41F])), shown(s.upper(words, encoding="utf-8")), shown(s.lower(["ÀÉ", "ΣΑΣ"], encoding="utf-8")),
            shown(s.reverse(words) if hasattr(s, "reverse") else 0), shown(s.split([" a  b ", "", "c"])), shown(s.split(["a,,b", ","], ",")), shown(s.split(["aXbXc"], "X", maxsplit=1)),
            shown(s.strip(["\t a \n", "\u00a0x"])), shown(s.regex_replace(["a.b", "ü9"], r"[[:alpha:]]+|\d", "<\\0>")), shown(s.regex_full_match(["ab", "aB"], "(?i)AB")), kind_of(lambda: s.regex_replace("a", "(", "")),
            shown(s.to_number(["1", " 2 ", "3e2", "inf"])), [kind_of(lambda v=v: s.to_number(v, tf.int32)) for v in ("1.5", "99999999999", "", "0x10")],
            shown(s.format("{} and {}", (tf.constant([1.5, 2.0]), "x"))), shown(s.as_string([1.5, float("nan")], precision=2, width=6, fill="0")), shown(s.bytes_split(["aü"])), shown(s.ngrams(["a", "b", "c"], [2, 3], separator="_")), shown(s.unicode_decode_with_offsets(["aü😀"], "UTF-8")),
            shown(s.substr(["hello", "abc"], [1, -2], [3, 1])), kind_of(lambda: s.substr("abc", 5, 1)), shown(s.join([["a", "b"], "-", ["c", "d"]])), shown(s.reduce_join([["a", "b"], ["c", "d"]], axis=[1, 0], separator="+")),
        ]  # fmt: skip

    return {f.__name__: in_folder(f) for f in (
        tables, table_errors, vocabulary, dense, mutable, paths, files, whole, parsed, parsed_wrong, single, sequences, raw, csv,
        base64, compressed, tensors, sparse, images, unicode,
    )}  # fmt: skip


def of_readers(tf: Any) -> Programs:
    """Datasets that read files."""
    data, experimental = tf.data.Dataset, tf.data.experimental

    def written(folder: str, **contents: bytes) -> list[str]:
        for name, content in contents.items():
            with open(f"{folder}/{name}", "wb") as file:
                file.write(content)
        return [f"{folder}/{name}" for name in contents]

    def until(dataset: Any) -> Any:
        found: list[Any] = []
        iterator = iter(dataset)
        for _ in range(12):
            try:
                found.append(shown(next(iterator)))
            except StopIteration:
                break
            except Exception as error:  # its kind is what is compared
                found.append(type(error).__name__)
                break
        return found

    def records(folder: str, codec: str = "", count: int = 3, name: str = "r") -> str:
        path = f"{folder}/{name}"
        with tf.io.TFRecordWriter(path, codec) as writer:
            for n in range(count):
                writer.write(b"%s%d" % (name.encode(), n))
        return path

    def lines(folder: str) -> Any:
        names = written(folder, a=b"one\ntwo\r\n\nlast", b=b"", c=b"\n", d=b"x\ry\r\n", e=b"\xff\n")
        reader = tf.data.TextLineDataset
        return (
            [until(reader(n)) for n in names],
            until(reader(names)),
            until(reader(data.from_tensor_slices(names))),
            until(reader(names, num_parallel_reads=2)),
            until(reader(folder + "/none")),
            until(reader([])),
            until(reader(names[0]).skip(1).take(2).repeat(2)),
        )

    def lines_compressed(folder: str) -> Any:
        names = written(folder, a=gzip.compress(b"one\ntwo\n"), b=zlib.compress(b"three"))
        reader = tf.data.TextLineDataset
        return (
            until(reader(names[0], compression_type="GZIP")),
            until(reader(names[1], compression_type="ZLIB")),
            until(reader(names[1], compression_type="GZIP")),
            kind_of(lambda: until(reader(names[0], compression_type="LZ"))),
        )

    def lengths(folder: str) -> Any:
        (name,) = written(folder, a=b"HEAD123456789FOOT")
        reader = tf.data.FixedLengthRecordDataset
        return (
            until(reader(name, 3, 4, 4)),
            until(reader(name, 4, 4, 4)),
            until(reader(name, 17)),
            until(reader(name, 3, header_bytes=4, footer_bytes=1)),
            until(reader([name, name], 9, 4, 4)),
            until(reader(folder + "/none", 1)),
        )

    def record_files(folder: str) -> Any:
        names = [records(folder, name=n, count=c) for n, c in (("a", 2), ("b", 0), ("c", 3))]
        reader = tf.data.TFRecordDataset
        return (
            until(reader(names)),
            until(reader(data.from_tensor_slices(names))),
            until(reader(names, num_parallel_reads=3)),
            until(reader(folder + "/none")),
            until(reader([names[0], folder + "/none"])),
            reader(names).element_spec,
            int(reader(names).cardinality()),
            until(reader(names).batch(2)),
            until(data.from_tensor_slices(names).interleave(reader, cycle_length=2)),
        )

    def record_codecs(folder: str) -> Any:
        reader = tf.data.TFRecordDataset
        return (
            [
                until(reader(records(folder, codec, name=f"f{n}"), compression_type=codec))
                for n, codec in enumerate(("", "GZIP", "ZLIB"))
            ],
            until(reader(records(folder, "GZIP", name="g"))),
            until(reader(records(folder, "", name="h"), "GZIP")),
        )

    def record_damaged(folder: str) -> Any:
        path = records(folder)
        with open(path, "rb") as file:
            whole = file.read()
        found = []
        for content in (
            whole[:-1],
            whole[:20],
            whole[:25] + b"?" + whole[26:],
            whole + b"more",
            b"",
            b"text that is no record at all",
        ):
            written(folder, r=content)
            found.append(until(tf.data.TFRecordDataset(path)))
        return found

    def csv(folder: str) -> Any:
        (name,) = written(folder, a=b'x,y,z\n1,2.5,"a, b"\n3,,c\n,4.5,\n')
        made = experimental.CsvDataset
        return [until(made(name, *how, **more)) for how, more in (
            (([0, 0.0, ""],), {"header": True}), (([tf.int32, tf.float32, tf.string],), {"header": True}), (([0, 0.0, ""],), {}),
            (([0, ""],), {"header": True, "select_cols": [0, 2]}), (([tf.constant([7]), tf.float32],), {"header": True, "select_cols": [0, 1]}), (([0, 0.0],), {"header": True}),
        )]  # fmt: skip

    def csv_batches(folder: str) -> Any:
        (name,) = written(folder, a=b"x,y,z\n1,2.5,a\n3,4.5,b\n5,6.5,c\n")

        def make(**how: Any) -> Any:
            return experimental.make_csv_dataset(name, 2, shuffle=False, num_epochs=1, **how)

        return (
            until(make()),
            until(make(label_name="z")),
            until(make(select_columns=["x", "z"])),
            until(make(column_names=["a", "b", "c"])),
            kind_of(lambda: make(label_name="none")),
        )

    def examples(folder: str) -> Any:
        path = f"{folder}/e"
        with tf.io.TFRecordWriter(path) as writer:
            for n in range(5):
                example = tf.train.Example()
                example.features.feature["n"].int64_list.value.append(n)
                example.features.feature["v"].float_list.value.extend([0.5] * n)
                writer.write(example.SerializeToString())
        features = {"n": tf.io.FixedLenFeature([], tf.int64), "v": tf.io.VarLenFeature(tf.float32)}
        reader = tf.data.TFRecordDataset
        return (
            until(reader(path).map(lambda x: tf.io.parse_single_example(x, features))),
            until(reader(path).batch(3).map(lambda x: tf.io.parse_example(x, features))),
            until(reader(path).batch(2).apply(experimental.parse_example_dataset(features))),
            until(
                experimental.make_batched_features_dataset(
                    path, 2, features, num_epochs=1, shuffle=False, label_key="n"
                )
            ),
        )

    def whole_files(folder: str) -> Any:
        written(folder, b=b"second", a=b"first")
        found = data.list_files(folder + "/*", shuffle=False).map(
            lambda p: (tf.strings.split(p, "/")[-1], tf.io.read_file(p))
        )
        return (
            until(found),
            until(data.from_tensor_slices([folder + "/a", folder + "/none"]).map(tf.io.read_file)),
            until(
                data.from_tensor_slices([folder + "/none", folder + "/a"])
                .map(tf.io.read_file)
                .ignore_errors()
            ),
        )

    def written_elements(folder: str) -> Any:
        experimental.TFRecordWriter(folder + "/w").write(data.from_tensor_slices(["a", "b"]))
        return until(tf.data.TFRecordDataset(folder + "/w")), kind_of(
            lambda: experimental.TFRecordWriter(folder + "/x").write(data.range(2))
        )

    def tables(folder: str) -> Any:
        pairs = data.zip((data.from_tensor_slices(["a", "b"]), data.range(5, 7)))
        table = experimental.table_from_dataset(pairs, num_oov_buckets=0, default_value=-1)
        index = experimental.index_table_from_dataset(
            data.from_tensor_slices(["x", "y"]), num_oov_buckets=1
        )
        return shown(table.lookup(tf.constant(["b", "q"]))), shown(
            index.lookup(tf.constant(["y", "q"]))
        )

    return {f.__name__: in_folder(f) for f in (
        lines, lines_compressed, lengths, record_files, record_codecs, record_damaged, csv, csv_batches, examples, whole_files,
        written_elements, tables,
    )}  # fmt: skip


GROUPS = {
    "checkpoints": of_checkpoints,
    "models": of_models,
    "files": of_files,
    "readers": of_readers,
}
