"""Input queues, readers and monitored sessions of version 1."""

# mypy: disable-error-code="name-defined, no-any-return, misc"
from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

from unit_programs.common import Programs, outcome, refusal


def programs(tf: Any) -> Programs:
    return readers(tf) | batches(tf) | monitored(tf) | hooks(tf)


def started(tf: Any, build: Callable[[], Any], use: Callable[[Any, Any], Any]) -> Any:
    """What a program gives in a session whose queues are filled."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v1.set_random_seed(3)
        built = build()
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coordinator = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        try:
            return use(session, built)
        finally:
            coordinator.request_stop()
            coordinator.join(threads)


def until_the_end(tf: Any, most: int = 12) -> Callable[[Any, Any], Any]:
    def use(session: Any, fetched: Any) -> Any:
        found = []
        for _ in range(most):
            found.append(outcome(lambda: session.run(fetched)))
            if found[-1] == "raises OutOfRangeError":
                break
        return found

    return use


def readers(tf: Any) -> Programs:
    v1 = tf.compat.v1
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "a.txt").write_text("h1\nline1\nline2\n")
    (folder / "b.txt").write_text("h2\nx")
    (folder / "c.bin").write_bytes(bytes(range(23)))
    with tf.io.TFRecordWriter(str(folder / "r.rec")) as writer:
        for i in range(3):
            writer.write(b"rec%d\0" % i)

    def read(make: Callable[[], Any], files: list[str], count: int) -> Any:
        def build() -> Any:
            paths = [str(folder / file) for file in files]
            queue = v1.train.string_input_producer(paths, num_epochs=1, shuffle=False)
            reader = make()
            numbers = [reader.num_records_produced(), reader.num_work_units_completed()]
            return list(reader.read(queue)), list(reader.read_up_to(queue, 3)), numbers, reader

        def use(session: Any, built: Any) -> Any:
            one, some, numbers, reader = built
            found = [[session.run(one), session.run(numbers)] for _ in range(count)]
            rest = until_the_end(tf)(session, some)
            short = str([found, rest]).replace(f"{folder}{os.sep}", "")
            return [reader.supports_serialize, short.replace("np.int64", "")]

        return started(tf, build, use)

    fixed = lambda **more: v1.FixedLengthRecordReader(5, 2, 1, **more)  # noqa: E731
    return {
        "lines": lambda: read(v1.TextLineReader, ["a.txt", "b.txt"], 4),
        "lines after heads": lambda: read(lambda: v1.TextLineReader(1), ["a.txt", "b.txt"], 2),
        "whole files": lambda: read(v1.WholeFileReader, ["a.txt", "b.txt"], 1),
        "records": lambda: read(v1.TFRecordReader, ["r.rec"], 2),
        "pieces": lambda: read(fixed, ["c.bin"], 2),
        "pieces that overlap": lambda: read(lambda: fixed(hop_bytes=4), ["c.bin"], 2),
        "identity": lambda: read(v1.IdentityReader, ["a.txt", "b.txt"], 1),
        "a file that is not there": lambda: started(
            tf,
            lambda: v1.TextLineReader().read(v1.train.string_input_producer(["/no/file"])),
            lambda session, record: refusal(lambda: session.run(record), "No such file"),
        ),
        "readers without a graph": lambda: refusal(v1.TextLineReader, "Readers are not supported"),
    }


def batches(tf: Any) -> Programs:
    train = tf.compat.v1.train

    def numbers(count: int, epochs: int = 1) -> Any:
        return train.range_input_producer(count, num_epochs=epochs, shuffle=False).dequeue()

    def ragged() -> Any:
        return train.batch([tf.range(numbers(4))], 2, dynamic_pad=True)

    def even() -> Any:
        i = numbers(6)
        return train.maybe_batch([i], tf.equal(i % 2, 0), 2, allow_smaller_final_batch=True)

    def sparse() -> Any:
        i = numbers(3)
        row = tf.SparseTensor([[0], [2]], tf.stack([i, i + 1]), [4])
        return tf.sparse.to_dense(train.batch([row], 2, allow_smaller_final_batch=True))

    builds: dict[str, Callable[[], Any]] = {
        "rows": lambda: train.input_producer(
            tf.constant([[1, 2], [3, 4]]), shuffle=False, num_epochs=1
        ).dequeue(),
        "two epochs": lambda: numbers(4, 2),
        "slices": lambda: train.slice_input_producer(
            [tf.range(3), tf.constant(["a", "b", "c\0"])], shuffle=False, num_epochs=1
        ),
        "batches": lambda: train.batch([numbers(7)], 3),
        "a smaller last batch": lambda: train.batch(
            [numbers(7)], 3, allow_smaller_final_batch=True
        ),
        "batches by names": lambda: train.batch({"a": numbers(4)}, 2),
        "padded batches": ragged,
        "batches of some": even,
        "batches of sparse rows": sparse,
        "epochs": lambda: train.limit_epochs(tf.constant(3), 2),
        "shuffled names": lambda: train.string_input_producer(
            ["a", "b", "c", "d"], seed=4, num_epochs=1
        ).dequeue(),
        "shuffled batches": lambda: train.shuffle_batch(
            [train.range_input_producer(8, seed=1, num_epochs=1).dequeue()], 4, 20, 7, seed=7,
            allow_smaller_final_batch=True,
        ),
        "joined": lambda: tf.reduce_sum(train.batch_join([[tf.constant(1)], [tf.constant(1)]], 2)),
    }  # fmt: skip
    found: Programs = {
        name: lambda b=build: started(tf, b, until_the_end(tf, 9)) for name, build in builds.items()
    }

    def refused() -> Any:
        with tf.Graph().as_default():
            unknown = tf.compat.v1.placeholder(tf.int32)
            return [
                refusal(lambda: train.string_input_producer([]), "requires a non-null input"),
                refusal(lambda: train.batch([], 3), "Expected at least one tensor in batch"),
                refusal(lambda: train.batch([unknown], 3), "Cannot infer Tensor's rank"),
                refusal(lambda: train.limit_epochs(unknown, 0), "num_epochs must be > 0 not 0"),
            ]

    return found | {"refused input": refused}


def trained(tf: Any) -> tuple[Any, Any, Any]:
    """A loss, the step counter, and a step."""
    v1 = tf.compat.v1
    counter = v1.train.get_or_create_global_step()
    w = v1.get_variable("w", [], initializer=v1.constant_initializer(3.0))
    loss = (w - 1.0) ** 2
    return loss, counter, v1.train.GradientDescentOptimizer(0.1).minimize(loss, counter)


def monitored(tf: Any) -> Programs:
    train = tf.compat.v1.train

    def told() -> Any:
        heard: list[Any] = []

        class Heard(train.SessionRunHook):
            def begin(self) -> None:
                heard.append("begin")

            def after_create_session(self, session: Any, coord: Any) -> None:
                heard.append(["created", coord.should_stop()])

            def before_run(self, run_context: Any) -> Any:
                return train.SessionRunArgs({"loss": loss})

            def after_run(self, run_context: Any, run_values: Any) -> None:
                heard.append(["ran", sorted(run_values.results)])
                if len(heard) > 5:
                    run_context.request_stop()

            def end(self, session: Any) -> None:
                heard.append(["end", session.run(counter)])

        with tf.Graph().as_default():
            loss, counter, step = trained(tf)
            with train.MonitoredSession(hooks=[Heard()]) as session:
                while not session.should_stop():
                    session.run(step)
        return heard

    def resumed() -> Any:
        folder, steps = tempfile.mkdtemp(), []
        for last in (4, 6):
            with tf.Graph().as_default():
                _, counter, step = trained(tf)
                hook = train.StopAtStepHook(last_step=last)
                with train.MonitoredTrainingSession(
                    checkpoint_dir=folder,
                    hooks=[hook],
                    save_checkpoint_steps=3,
                    save_summaries_steps=2,
                ) as session:
                    steps.append(session.run(counter))
                    while not session.should_stop():
                        session.run(step)
            steps.append(os.path.basename(train.latest_checkpoint(folder)))
        return [steps, sorted(f for f in os.listdir(folder) if f.endswith(".index"))]

    def input_that_ends() -> Any:
        with tf.Graph().as_default():
            number = train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
            found = []
            with train.MonitoredSession() as session:
                while not session.should_stop():
                    found.append(session.run(number))
            return found

    def stepped() -> Any:
        with tf.Graph().as_default():
            _, counter, step = trained(tf)
            calls = []

            def once(step_context: Any) -> Any:
                calls.append(step_context.session.run(counter))
                if len(calls) == 3:
                    step_context.request_stop()
                return step_context.run_with_hooks(step)

            with train.SingularMonitoredSession() as session:
                refused = refusal(
                    lambda: session.run_step_fn(lambda x: None), "may either have one"
                )
                while not session.should_stop():
                    session.run_step_fn(once)
            return [calls, refused]

    def scaffold() -> Any:
        seen: list[Any] = []
        with tf.Graph().as_default():
            _, _, step = trained(tf)
            begins = train.Scaffold(init_fn=lambda s, session: seen.append(s.saver is not None))
            with train.MonitoredSession(train.ChiefSessionCreator(begins)) as session:
                session.run(step)
        with tf.Graph().as_default():
            trained(tf)
            idle = train.ChiefSessionCreator(train.Scaffold(init_op=tf.no_op()))
            kinds = refusal(lambda: train.MonitoredSession(idle), "did not make model ready")
        return [seen, kinds]

    return {
        "hooks are told": told,
        "training goes on": resumed,
        "input that ends": input_that_ends,
        "functions of steps": stepped,
        "scaffolds": scaffold,
    }


def hooks(tf: Any) -> Programs:
    v1, train = tf.compat.v1, tf.compat.v1.train

    def run(*given: Any, fetched: Any = None) -> Any:
        with train.MonitoredSession(hooks=given) as session:
            return [session.run(fetched), session.should_stop()]

    def not_a_number() -> Any:
        with tf.Graph().as_default():
            _, _, step = trained(tf)
            bad = tf.math.log(tf.constant(-1.0))
            failing = refusal(lambda: run(train.NanTensorHook(bad), fetched=step), "NaN loss")
            return [failing, run(train.NanTensorHook(bad, fail_on_nan_loss=False), fetched=step)[1]]

    def fed() -> Any:
        with tf.Graph().as_default():
            x = v1.placeholder(tf.float32, [])
            last = train.FinalOpsHook(x * 2.0, {x: 4.0})
            feed = train.FeedFnHook(lambda: {x: 3.0})
            found = run(feed, last, fetched=x * 2.0)
            twice = refusal(lambda: run(feed, feed, fetched=x), "Same tensor is fed by two hooks")
            return [found, last.final_ops_values, twice]

    def timer() -> Any:
        timer = train.SecondOrStepTimer(every_steps=3)
        found = [
            [step, timer.update_last_triggered_step(step)[1]]
            for step in range(8)
            if timer.should_trigger_for_step(step)
        ]
        return [found, timer.last_triggered_step()]

    def listened() -> Any:
        heard: list[Any] = []

        class Listener(train.CheckpointSaverListener):
            def before_save(self, session: Any, global_step_value: int) -> None:
                heard.append(["before", int(global_step_value)])

            def after_save(self, session: Any, global_step_value: int) -> Any:
                heard.append(["after", int(global_step_value)])
                return global_step_value >= 2

            def end(self, session: Any, global_step_value: int) -> None:
                heard.append(["end", int(global_step_value)])

        with tf.Graph().as_default():
            _, _, step = trained(tf)
            saver = train.CheckpointSaverHook(
                tempfile.mkdtemp(), save_steps=2, listeners=[Listener()]
            )
            with train.MonitoredSession(hooks=[saver]) as session:
                while not session.should_stop():
                    session.run(step)
        return heard

    return {
        "NaN": not_a_number,
        "fed by hooks": fed,
        "timer": timer,
        "listeners": listened,
        "refused hooks": lambda: [
            refusal(train.StopAtStepHook, "One of num_steps or last_step must be specified"),
            refusal(lambda: train.StopAtStepHook(1, 2), "Only one of num_steps or last_step"),
            refusal(lambda: train.SecondOrStepTimer(1, 2), "Can not provide both"),
            refusal(train.SecondOrStepTimer, "Either every_secs or every_steps"),
            refusal(lambda: train.LoggingTensorHook([1]), "either at_end and/or exactly one"),
        ],
    }
