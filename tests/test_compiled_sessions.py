"""Sessions whose runs are compiled: at once, when they have run often, or never, with the same results."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.api.session import session as session_module
from wengert.engines.numpy_engine import NumpyPlan
from wengert.errors import FailedPreconditionError, InvalidArgumentError

v1 = tf.compat.v1
LEVELS = (-1, 0, 1)  # never, when it has run often, at once
SIZES = (5, 16, 1, 33, 16, 64)
FEW = 3
OFTEN = 30  # runs


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "OFTEN", OFTEN)
    monkeypatch.setattr(session_module, "ELEMENTS", 1e9)  # whatever their number


def session_of(level: int) -> Any:
    options = v1.OptimizerOptions(global_jit_level=level)
    config = v1.ConfigProto(graph_options=v1.GraphOptions(optimizer_options=options))
    return v1.Session(config=config)


def batches() -> list[Any]:
    random = np.random.default_rng(0)
    return [random.normal(size=(n, 8)).astype("f4") for n in SIZES]


def is_compiled(session: Any) -> bool:
    return any(run.engine == "native" and _is_native(run) for run in session._plans.values())


def _is_native(run: Any) -> bool:
    """Whether the engine has not left it to NumPy."""
    return not isinstance(getattr(run._compiled, "inner", run._compiled), NumpyPlan)


def same_at_every_level(
    build: Callable[[Any], Any],
    runs: int = OFTEN + len(SIZES),
    compiles: bool = True,
    exact: bool = False,
) -> None:
    """What a graph of a placeholder for batches gives, run after run, however it is computed."""
    found = []
    with tf.Graph().as_default():
        v1.set_random_seed(3)
        x = v1.placeholder(tf.float32, [None, 8])
        fetches = build(x)
        for level in LEVELS:
            with session_of(level) as session:
                session.run(v1.global_variables_initializer())
                feeds = [batches()[i % len(SIZES)] for i in range(runs)]
                found.append([session.run(fetches, {x: feed}) for feed in feeds])
                assert is_compiled(session) == (compiles and level >= 0)
    for results in found[1:]:
        for got, want in zip(results, found[0], strict=True):
            tf.nest.map_structure(lambda g, w: alike(g, w, exact), got, want)


def alike(got: Any, want: Any, exact: bool) -> None:
    if exact or want is None:
        np.testing.assert_array_equal(got, want)
    else:
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-6)
        assert got.dtype == want.dtype
        assert got.shape == want.shape


# ---- the same results ----------------------------------------------------------------------------


def trained(x: Any) -> Any:
    """Loss, gradient and step of a small network, with decay and an average of what is trained."""
    w = v1.get_variable("w", initializer=np.full((8, 4), 0.1, "f4"))
    b = v1.get_variable("b", initializer=np.zeros(4, "f4"))
    loss = tf.reduce_mean(tf.square(tf.nn.tanh(x @ w + b) - 0.3))
    rate = v1.train.exponential_decay(0.05, v1.train.get_or_create_global_step(), 10, 0.9)
    step = v1.train.AdamOptimizer(rate).minimize(loss, v1.train.get_global_step())
    with tf.control_dependencies([step]):
        average = tf.train.ExponentialMovingAverage(0.9).apply([w, b])
    return [loss, step, average, v1.gradients(loss, [w])[0]]


def looped(x: Any) -> Any:
    total = tf.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, s + tf.sin(x * tf.cast(i, tf.float32))), (0, x)
    )[1]
    chosen = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: tf.exp(-x))
    return [total, chosen, *v1.gradients([total, chosen], [x])]


def counted(x: Any) -> Any:
    """Reads before and after an assignment, of a variable that nothing else tells of."""
    v = v1.get_variable("v", initializer=1.0)
    before = v + 0.0
    with tf.control_dependencies([before]):
        changed = v1.assign_add(v, tf.reduce_mean(x))
    with tf.control_dependencies([changed]):
        after = tf.identity(v)
    return {"before": before, "after": after, "rows": tf.shape(x)[0]}


def dropped(x: Any) -> Any:
    """Random numbers go on where they were when a run is compiled."""
    return [tf.nn.dropout(tf.ones_like(x), rate=0.5), v1.random_uniform([3]), tf.shape(x)]


def followed(x: Any) -> Any:
    """Sizes that follow from those of the batch."""
    flat = tf.reshape(x, [-1])
    both = tf.concat([x, x[:2]], 0)
    return [flat, both, tf.range(tf.shape(both)[0]), tf.one_hot(tf.argmax(x, 1), 8), x[1:]]


@pytest.mark.parametrize("build", [trained, looped, counted, followed])
def test_results_are_the_same_however_they_are_computed(build: Callable[[Any], Any]) -> None:
    same_at_every_level(build)


def test_random_numbers_are_the_same_bits() -> None:
    same_at_every_level(dropped, exact=True)


def test_what_is_run_a_few_times_is_interpreted() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        y, z = tf.exp(x), tf.sin(x)
        with v1.Session() as session:
            for _ in range(OFTEN - 1):
                session.run(y, {x: [1.0]})
                session.run(z, {x: [1.0, 2.0]})
            assert not is_compiled(session)
            session.run(y, {x: [1.0]})
            assert is_compiled(session)


@pytest.mark.parametrize("size", [10, 100_000])
def test_what_is_large_is_compiled_sooner(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """After runs that take about as long as compiling it: 200 of few elements."""
    monkeypatch.undo()
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        y = tf.exp(x) * 2.0
        with v1.Session() as session:
            runs = 0
            while not is_compiled(session):
                session.run(y, {x: np.zeros(size, "f4")})
                runs += 1
    assert runs == 200 if size == 10 else 20 < runs < 60


def test_a_program_gives_the_same_bits_whenever_it_runs() -> None:
    """What decides is a number of runs, and no time."""
    found = []
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 8])
        fetches = trained(x)
        for _ in range(2):
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                runs = [session.run(fetches[0], {x: batches()[i % 6]}) for i in range(OFTEN + 9)]
                found.append(np.array(runs))
    assert np.array_equal(*found)


def test_the_engine_of_the_process_decides_where_the_session_says_nothing() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        y = tf.exp(x)
        for engine, level, wanted in (("native", 0, True), ("numpy", 0, False), ("numpy", 1, True)):
            tf.config.set_engine(engine)
            try:
                with session_of(level) as session:
                    for _ in range(OFTEN + 1):
                        session.run(y, {x: [1.0]})
                    assert is_compiled(session) == wanted
            finally:
                tf.config.set_engine(None)


def test_asking_for_the_level_changes_no_options() -> None:
    config = v1.ConfigProto()
    with tf.Graph().as_default():
        v1.Session(config=config)
    assert not config


# ---- elements of datasets ------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_batches_of_datasets(level: int) -> None:
    """Of a number that is not known, until there are no more; each run takes the next."""
    with tf.Graph().as_default():
        rows = v1.placeholder(tf.float32, [None, 2])
        iterator = v1.data.make_initializable_iterator(
            tf.data.Dataset.from_tensor_slices(rows).batch(4)
        )
        x = iterator.get_next()
        w = v1.get_variable("w", initializer=2.0)
        scale = v1.placeholder_with_default(1.0, [])
        fetches = [x, v1.gradients(tf.reduce_sum(w * scale * x), [w])[0], x.op]
        with session_of(level) as session:
            session.run(w.initializer)
            for count in (7, 1, 600, 5):
                given = np.arange(2.0 * count, dtype="f4").reshape(count, 2)
                session.run(iterator.initializer, {rows: given})
                for begin in range(0, count, 4):
                    batch = given[begin : begin + 4]
                    got, gradient, _ = session.run(fetches, {scale: 0.5} if begin % 8 else None)
                    assert np.array_equal(got, batch)
                    assert gradient == (batch.sum() * 0.5 if begin % 8 else batch.sum())
                with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
                    session.run(fetches)
            assert is_compiled(session) == (level >= 0)


@pytest.mark.parametrize("level", LEVELS)
def test_two_elements_in_one_run(level: int) -> None:
    with tf.Graph().as_default():
        data = tf.data.Dataset.range(6).map(lambda n: tf.cast(n, tf.float32)).batch(1).repeat()
        iterator = v1.data.make_one_shot_iterator(data)
        first, second = iterator.get_next(), iterator.get_next()
        with session_of(level) as session:
            for _ in range(FEW):
                found = [[y.item() for y in session.run([first, second])] for _ in range(3)]
                assert found == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]


# ---- state ---------------------------------------------------------------------------------------


def test_each_session_has_its_own_variables() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        v = v1.get_variable("v", initializer=0.0)
        change = v1.assign_add(v, tf.reduce_sum(x))
        sessions = [session_of(1) for _ in range(2)]
        for session in sessions:
            session.run(v.initializer)
        for i in range(FEW):
            for k, session in enumerate(sessions):
                assert session.run(change, {x: [1.0 + k] * (i + 1)}) == (1 + k) * sum(range(i + 2))


def test_results_are_the_callers() -> None:
    """Who writes into what was fetched changes no variable, and no later result."""
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        v = v1.get_variable("v", initializer=[1.0, 2.0])
        fetches = [v.read_value(), tf.identity(x), x * v]
        with session_of(1) as session:
            session.run(v.initializer)
            for _ in range(FEW):
                found = session.run(fetches, {x: [3.0, 4.0]})
                assert [f.tolist() for f in found] == [[1.0, 2.0], [3.0, 4.0], [3.0, 8.0]]
                for f in found:
                    f[:] = -1.0


def test_a_variable_gets_its_first_value_from_a_feed() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        v = v1.get_variable("v", initializer=x * 2.0, validate_shape=False)
        with session_of(1) as session:
            for feed in ([1.0, 2.0], [3.0]):
                session.run(v.initializer, {x: feed})
                assert session.run(v).tolist() == [2.0 * f for f in feed]


def test_a_value_in_the_middle_is_fed_and_handles_are() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        middle = tf.exp(x)
        v = v1.get_variable("v", initializer=5.0)
        y = middle * v
        with session_of(1) as session:
            session.run(v.initializer)
            assert session.run(y, {middle: [2.0, 3.0, 4.0]}).tolist() == [10.0, 15.0, 20.0]
            assert session.run(y, {middle: [2.0], v: 3.0}).tolist() == [6.0]
            assert session.run(v) == 5.0


@pytest.mark.parametrize("level", LEVELS)
def test_a_result_is_fed_in_another_size(level: int) -> None:
    """Than the graph would compute it in from what else is fed."""
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        y = tf.tanh(x)
        z, n = y * 2.0, tf.shape(y)[0]
        whole = v1.placeholder_with_default(np.ones((2, 3), "f4"), [None, None])
        more = whole + 0.0
        with session_of(level) as session:
            for _ in range(FEW):
                found = session.run([x, z, n], {x: [1.0, 2.0, 3.0], y: [1.0, 2.0]})
                assert [np.asarray(v).tolist() for v in found] == [[1.0, 2.0, 3.0], [2.0, 4.0], 2]
                default, fed = session.run([whole, more * 2.0], {more: np.ones((3, 1))})
                assert default.shape == (2, 3)
                assert fed.shape == (3, 1)
                assert session.run(z, {x: [0.0]}).tolist() == [0.0]


@pytest.mark.parametrize(
    "compute",
    [
        tf.nn.relu,
        lambda x: x[1:],
        lambda x: x[2:-1, 1:],
        lambda x: tf.concat([x, tf.ones([2, tf.shape(x)[1]])], 0),
        lambda x: tf.pad(tf.tile(x, [1, 2]), [[1, 2], [0, 0]]),
    ],
    ids=["same", "part", "parts", "joined", "padded"],
)
@pytest.mark.parametrize("level", LEVELS)
def test_sizes_come_with_a_result_that_is_fed(level: int, compute: Any) -> None:
    """A gradient that needs the sizes of a fed result does not ask for the placeholder that they came from."""
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, None])
        middle = compute(x)
        y = tf.reduce_sum(tf.exp(middle), 1) * tf.fill([tf.shape(middle)[0]], 2.0)
        first = tf.gradients(y, middle)
        second = tf.gradients(first, middle)
        with session_of(level) as session:
            for i in range(FEW):
                fed = np.full((3 + i % 4, 2), 0.5, "f4")
                found = session.run([first, second], {middle: fed})
                wanted = [2.0 * np.exp(fed)] * 2
                np.testing.assert_allclose(np.concatenate(found), wanted, rtol=1e-6)
            with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value"):
                session.run(tf.reduce_sum(x) + y, {middle: fed})


def test_a_graph_may_grow_between_runs() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        y = x + 1.0
        with session_of(1) as session:
            for i in range(FEW):
                assert session.run(y, {x: [float(i)] * (i + 2)}).tolist() == [i + 1.0] * (i + 2)
                y = y * 1.0


def test_threads_share_a_run_while_it_is_compiled() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        v = v1.get_variable("v", initializer=0.0)
        change = v1.assign_add(v, tf.reduce_sum(x))
        session = v1.Session()
        session.run(v.initializer)
        each = 2 * OFTEN

        def work(size: int) -> None:
            for _ in range(each):
                session.run(change, {x: [1.0] * size})

        threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2, 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert session.run(v) == each * 6
        assert is_compiled(session)


# ---- errors, and what stays interpreted ----------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_errors_are_the_same(level: int) -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None], name="fed")
        v = v1.get_variable("v", initializer=1.0)
        w = tf.constant([[1.0], [2.0]])
        y = tf.matmul(x[None], w, name="product")
        checked = tf.debugging.check_numerics(tf.math.log(x), "not finite", name="check")
        with session_of(level) as session:
            for _ in range(FEW):
                with pytest.raises(FailedPreconditionError, match="uninitialized value v") as info:
                    session.run(x * v, {x: [1.0]})
                assert "[[node ReadVariableOp" in info.value.message
                with pytest.raises(InvalidArgumentError, match=r"must feed a value .* 'fed'"):
                    session.run(y)
                with pytest.raises(InvalidArgumentError, match="not finite"):
                    session.run(checked, {x: [-1.0]})
                with pytest.raises(InvalidArgumentError, match="node product"):
                    session.run(y, {x: [1.0, 2.0, 3.0]})
                assert session.run(y, {x: [1.0, 2.0]}) == [[5.0]]


@pytest.mark.parametrize("level", LEVELS)
def test_sizes_that_do_not_fit_are_an_error_where_only_a_shape_is_asked_for(level: int) -> None:
    """Nothing is assigned then. A default tells its size only when it is not fed."""
    with tf.Graph().as_default():
        six = v1.placeholder_with_default(np.ones(6, "f4"), [None])
        x = v1.placeholder(tf.float32, [2, None])
        v = v1.get_variable("v", initializer=0.0)
        change = v1.assign_add(v, tf.reduce_sum(tf.fill(tf.shape(six * x), 2.0)))
        reshaped = tf.reshape(x, [5, -1], name="second")
        with session_of(level) as session:
            session.run(v.initializer)
            for _ in range(OFTEN + 2):
                with pytest.raises(InvalidArgumentError, match=r"shapes: \[6\] vs\. \[2,3\]"):
                    session.run(change, {x: np.ones((2, 3))})
                with pytest.raises(InvalidArgumentError, match="node second"):
                    session.run(reshaped, {x: np.ones((2, 3))})
            assert session.run(v) == 0.0
            assert session.run(change, {x: np.ones((2, 6))}) == 24.0


def test_what_calls_the_users_python_is_interpreted() -> None:
    same_at_every_level(
        lambda x: v1.py_func(lambda a: a * 2.0, [x], tf.float32), compiles=False, exact=True
    )


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "part", [lambda x: x[1:], lambda x: x[:, 1], lambda x: tf.gather(x, [0, 1], axis=1)]
)
def test_a_result_is_fed_in_a_size_that_does_not_fit(
    level: int, part: Callable[[Any], Any]
) -> None:
    """Its gradient would be read beyond its end: that a part has its size follows from that of the whole."""
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 4])
        y = part(tf.sin(x))
        gradient = tf.convert_to_tensor(v1.gradients(tf.reduce_sum(y * y), x)[0])
        ones = np.ones((5, 4), "f4")
        with session_of(level) as session:
            fits = session.run(y, {x: ones})
            want = session.run(gradient, {x: ones})
            for _ in range(OFTEN + FEW):
                for rows in (3, 6):
                    with pytest.raises(InvalidArgumentError, match=r"shape|size"):
                        session.run(gradient, {x: ones, y: np.ones((rows, *fits.shape[1:]))})
                np.testing.assert_allclose(
                    session.run(gradient, {x: ones, y: fits}), want, rtol=1e-6
                )
            assert is_compiled(session) == (level >= 0)


@pytest.mark.parametrize("level", LEVELS)
def test_what_only_a_shape_is_taken_of_raises_nothing(level: int) -> None:
    with tf.Graph().as_default():
        x, n = v1.placeholder(tf.float32, [None, 4]), v1.placeholder(tf.int32, [])
        total = tf.reduce_sum(x, 0)
        element = tf.gather(total, n)
        zeros = tf.zeros_like(element) + tf.reduce_sum(x)
        gradient = v1.gradients(element, x)[0]
        with session_of(level) as session:
            for _ in range(OFTEN + FEW):
                found = session.run([zeros, gradient], {x: np.ones((3, 4)), n: -1})
                assert found[0] == 12.0
                assert not found[1].any()
                with pytest.raises(InvalidArgumentError, match="-1 is not in"):
                    session.run(element, {x: np.ones((3, 4)), n: -1})
            assert is_compiled(session) == (level >= 0)


def test_what_others_only_wait_for_is_computed() -> None:
    """Numbers that are drawn later are those that would have been drawn without compiling."""
    found = []
    with tf.Graph().as_default():
        v1.set_random_seed(3)
        x, n = v1.placeholder(tf.float32, [None]), v1.placeholder(tf.int32, [])
        drawn = v1.random_uniform([], seed=3)
        with tf.control_dependencies([drawn + 1.0]):
            y = x * 2.0
        with tf.control_dependencies([tf.gather(x, n)]):
            z = x + 1.0
        for level in LEVELS:
            with session_of(level) as session:
                for i in range(OFTEN + FEW):
                    fed = {x: np.ones(1 + i % 2), n: 0}
                    session.run([y, z], fed)
                    session.run([y, drawn.op], fed)
                    with pytest.raises(InvalidArgumentError, match="7 is not in"):
                        session.run(z, fed | {n: 7})
                found.append(session.run(drawn))
                assert is_compiled(session) == (level >= 0)
    assert found[1:] == found[:1] * 2
