"""Sessions: what may be fetched and fed, what runs, what an error says."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.api.session import session as session_module
from wengert.errors import FailedPreconditionError, InvalidArgumentError, OpError

v1 = tf.compat.v1
Pair = namedtuple("Pair", "first second")


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as g:
        yield g


@pytest.fixture
def sess(graph: Any) -> Any:
    return v1.Session()


def line() -> int:
    return sys._getframe(1).f_lineno


# ---- fetches ----------------------------------------------------------------------------------

STRUCTURES: dict[str, tuple[Any, Any]] = {
    "tensor": (lambda a, b: a, 1.0),
    "name": (lambda a, b: "a:0", 1.0),
    "operation": (lambda a, b: a.op, None),
    "name of an operation": (lambda a, b: "a", None),
    "list": (lambda a, b: [a, b], [1.0, 2.0]),
    "tuple": (lambda a, b: (a, b), (1.0, 2.0)),
    "namedtuple": (lambda a, b: Pair(a, b), Pair(1.0, 2.0)),
    "dict": (lambda a, b: {"y": a, "x": b}, {"y": 1.0, "x": 2.0}),
    "nested": (lambda a, b: {"x": [a, (b,)], "y": {"z": a}}, {"x": [1.0, (2.0,)], "y": {"z": 1.0}}),
    "duplicates": (lambda a, b: [a, b, a], [1.0, 2.0, 1.0]),
    "mixed": (lambda a, b: [a.op, b, "a:0"], [None, 2.0, 1.0]),
    "nothing": (lambda a, b: [], []),
}


@pytest.mark.parametrize(("fetches", "want"), STRUCTURES.values(), ids=STRUCTURES)
def test_fetches(sess: Any, fetches: Any, want: Any) -> None:
    """The values come in the structure of the fetches."""
    a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    got = sess.run(fetches(a, b))
    assert got == want
    assert type(got) is type(want) or isinstance(got, np.float32)


def test_fetch_indexed_slices(sess: Any) -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    (g,) = tf.gradients(tf.gather(x, [1, 1]), x)
    assert isinstance(g, tf.IndexedSlices)
    found = sess.run({"g": g})["g"]
    assert type(found) is v1.IndexedSlicesValue
    assert found.values.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert found.indices.tolist() == [1, 1]


def test_fetch_a_variable(sess: Any) -> None:
    v = tf.Variable([1.0, 2.0])
    sess.run(v.initializer)
    assert sess.run(v).tolist() == [1.0, 2.0]
    assert sess.run([v.assign_add([1.0, 1.0])])[0].tolist() == [2.0, 3.0]


BAD_FETCHES: list[tuple[Any, type[Exception], str]] = [
    (None, TypeError, "Argument `fetch` = None has invalid type 'NoneType'. Cannot be None"),
    ([None], TypeError, "Argument `fetch` = None"),
    (3, TypeError, "Argument `fetch` = 3 has invalid type 'int'. Must be a string or Tensor."),
    (
        "w",
        ValueError,
        "Argument `fetch` = w cannot be interpreted as a Tensor. (The name 'w' refers",
    ),
]


@pytest.mark.parametrize(("fetch", "kind", "text"), BAD_FETCHES)
def test_what_cannot_be_fetched(sess: Any, fetch: Any, kind: Any, text: str) -> None:
    tf.constant(1.0)
    with pytest.raises(kind, match=re.escape(text)):
        sess.run(fetch)


def test_fetch_of_another_graph(sess: Any) -> None:
    tf.constant(1.0)
    with tf.Graph().as_default():
        x = tf.constant(1.0)
    with pytest.raises(ValueError, match="is not an element of this graph"):
        sess.run(x)


# ---- feeds ------------------------------------------------------------------------------------


def test_anything_can_be_fed(sess: Any) -> None:
    """Placeholders, constants, intermediate results, variables, by tensor and by name."""
    x = v1.placeholder(tf.float32, name="x")
    c = tf.constant(2.0)
    y = tf.multiply(x, c, name="y")
    v = tf.Variable(1.0)
    z = y + v
    assert sess.run(z, {x: 3.0, v: 10.0}) == 16.0
    assert sess.run(z, {"x:0": 3.0, c: 5.0, v: 0.0}) == 15.0
    assert sess.run(z, {y: 7.0, v: 1.0}) == 8.0
    assert sess.run([y, z], {"y:0": 7.0, v: 1.0}) == [7.0, 8.0]
    assert sess.run(x, {x: 1.0}) == 1.0
    assert sess.run(z, {(x, c): (2.0, 3.0), v: 0.0}) == 6.0


def test_feed_indexed_slices(sess: Any) -> None:
    values, indices = v1.placeholder(tf.float32, [None]), v1.placeholder(tf.int64, [None])
    slices = tf.IndexedSlices(values, indices, (3,))
    dense = tf.convert_to_tensor(slices)
    fed = v1.IndexedSlicesValue([1.0, 2.0], [2, 0], None)
    assert sess.run(dense, {slices: fed}).tolist() == [2.0, 0.0, 1.0]


CONVERSIONS: list[tuple[Any, Any, Any]] = [
    (tf.float32, 3, np.float32(3.0)),
    (tf.float32, [1, 2], np.array([1.0, 2.0], np.float32)),
    (tf.float64, np.float32(0.5), np.float64(0.5)),
    (tf.int32, np.array([1, 2]), np.array([1, 2], np.int32)),
    (tf.bool, [1, 0], np.array([True, False])),
    (tf.string, ["a", b"b"], np.array([b"a", b"b"], object)),
    (tf.complex64, 1.0, np.complex64(1.0)),
]


@pytest.mark.parametrize(("dtype", "value", "want"), CONVERSIONS)
def test_feeds_are_converted(sess: Any, dtype: Any, value: Any, want: Any) -> None:
    x = v1.placeholder(dtype)
    got = np.asarray(sess.run(tf.identity(x), {x: value}))
    assert got.dtype == np.asarray(want).dtype
    assert np.array_equal(got, want)


def test_an_eager_tensor_can_be_fed() -> None:
    value = tf.constant([1.0, 2.0])
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32)
        assert v1.Session().run(x * 2.0, {x: value}).tolist() == [2.0, 4.0]


BAD_FEEDS: list[tuple[Any, type[Exception], str]] = [
    (1.5, TypeError, "Type of feed value 1.5 with type <class 'float'> is not compatible with"),
    (
        2**40,
        TypeError,
        "Type of feed value 1099511627776 with type <class 'int'> is not compatible",
    ),
    ("s", ValueError, "invalid literal for int()"),
    ([[1, 2]], ValueError, "Cannot feed value of shape (1, 2) for Tensor i:0, which has shape ()"),
]


@pytest.mark.parametrize(("value", "kind", "text"), BAD_FEEDS)
def test_what_cannot_be_fed(sess: Any, value: Any, kind: Any, text: str) -> None:
    i = v1.placeholder(tf.int32, [], name="i")
    with pytest.raises(kind, match=re.escape(text)):
        sess.run(i, {i: value})


def test_what_is_no_feed(sess: Any) -> None:
    x = tf.constant(1.0)
    with pytest.raises(
        TypeError, match="Cannot interpret feed_dict key as Tensor: Can not convert"
    ):
        sess.run(x, {3: 4})
    with pytest.raises(TypeError, match=r"The value of a feed cannot be a tf\.Tensor object"):
        sess.run(x, {x: x})
    with pytest.raises(TypeError, match="feed_dict must be a dictionary"):
        sess.run(x, [1])


def test_what_was_not_fed_is_named(sess: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 2], name="images"); at = line()  # noqa: E702  # fmt: skip
    y = tf.reduce_sum(x)
    with pytest.raises(InvalidArgumentError) as error:
        sess.run(y)
    text = str(error.value)
    assert "You must feed a value for placeholder tensor 'images' with dtype float" in text
    assert f"{__file__}:{at}" in text
    assert error.value.op is x.op


# ---- what runs --------------------------------------------------------------------------------


def test_only_what_is_needed_runs(sess: Any) -> None:
    x = v1.placeholder(tf.float32)
    y = x + 1.0
    tf.debugging.Assert(tf.constant(1) > 2, ["never"])
    bad = tf.debugging.check_numerics(tf.constant(np.nan), "nan")
    assert sess.run(y, {x: 1.0}) == 2.0
    with pytest.raises(InvalidArgumentError, match="nan"):
        sess.run([y, bad], {x: 1.0})
    assert sess.run(bad, {bad: 1.0}) == 1.0


def test_control_dependencies_are_honoured(sess: Any) -> None:
    v = tf.Variable(1.0)
    sess.run(v.initializer)
    with tf.control_dependencies([v.assign_add(1.0)]):
        after = v.read_value()
        nothing = tf.no_op()
    assert sess.run(after) == 2.0
    sess.run(nothing)
    assert sess.run(v) == 3.0
    group = tf.group(v.assign_add(1.0), v.assign_add(1.0))
    sess.run(group)
    assert sess.run(v) == 5.0


def test_a_control_input_added_to_an_older_operation(sess: Any) -> None:
    """The order of creation is then not an order in which the operations can run."""
    v: Any = tf.Variable(1.0)
    sess.run(v.initializer)
    read = v.read_value()
    assert sess.run(read) == 1.0
    read.op._add_control_input(v.assign(7.0).op)
    assert sess.run(read) == 7.0
    a, b = tf.no_op(), tf.no_op()
    a._add_control_input(b)
    b._add_control_input(a)
    with pytest.raises(ValueError, match="form a cycle"):
        sess.run(a)


def test_values_are_the_callers_own(sess: Any) -> None:
    """To change what came out changes nothing for anybody."""
    c, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    x = v1.placeholder(tf.float32, [2])
    view = tf.reshape(x, [2, 1])
    sess.run(v.initializer)
    fed = np.array([5.0, 6.0], np.float32)
    for _ in range(2):
        found = sess.run([c, v, x, view, c, tf.identity(v)], {x: fed})
        for value in found:
            value += 100.0
    assert sess.run([c, v], {x: fed})[0].tolist() == [1.0, 2.0]
    assert sess.run(v).tolist() == [3.0, 4.0]
    assert fed.tolist() == [5.0, 6.0]


def test_results_do_not_share_memory_with_later_runs(sess: Any) -> None:
    x = v1.placeholder(tf.float32, [3])
    y = tf.exp(x) + 1.0
    first = sess.run(y, {x: [0.0, 0.0, 0.0]})
    kept = first.copy()
    sess.run(y, {x: [1.0, 1.0, 1.0]})
    assert np.array_equal(first, kept)


def test_the_plan_is_made_once(sess: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    plan = session_module.Plan  # type: ignore[attr-defined]
    monkeypatch.setattr(session_module, "Plan", lambda *a: made.append(a) or plan(*a))  # type: ignore[func-returns-value]
    x = v1.placeholder(tf.float32)
    y = x * 2.0
    for k in range(5):
        assert sess.run(y, {x: float(k)}) == 2.0 * k
    assert len(made) == 1
    sess.run([y, x], {x: 1.0})
    sess.run(y, {y: 1.0})
    assert len(made) == 3
    z = y + 1.0  # the graph grows: what was planned stays
    sess.run(y, {x: 1.0})
    assert len(made) == 3
    assert sess.run(z, {x: 1.0}) == 3.0


# ---- variables --------------------------------------------------------------------------------


def test_variables_are_of_one_session(graph: Any) -> None:
    v = tf.Variable(1.0)
    a, b = v1.Session(), v1.Session()
    a.run(v.initializer)
    b.run(v.initializer)
    a.run(v.assign(5.0))
    assert [s.run(v) for s in (a, b)] == [5.0, 1.0]


def test_uninitialized(sess: Any) -> None:
    v = tf.Variable(1.0, name="weights"); at = line()  # noqa: E702  # fmt: skip
    with pytest.raises(FailedPreconditionError, match="uninitialized value weights") as error:
        sess.run(v * 2.0)
    assert f"{__file__}:{at}" in str(error.value)
    with pytest.raises(FailedPreconditionError):
        sess.run(v.assign_add(1.0))


def test_a_failed_run_leaves_the_session_as_it_was(sess: Any) -> None:
    v = tf.Variable(1.0)
    sess.run(v.initializer)
    with pytest.raises(InvalidArgumentError):
        sess.run(v.assign(tf.debugging.check_numerics(tf.constant(np.inf), "inf")))
    assert sess.run(v) == 1.0


# ---- default sessions -------------------------------------------------------------------------


def test_eval_and_run(graph: Any) -> None:
    x = v1.placeholder(tf.float32)
    v: Any = tf.Variable(2.0)
    y = x * v
    with v1.Session() as sess:
        assert v1.get_default_session() is sess
        v.initializer.run()
        assert y.eval({x: 3.0}) == 6.0
        assert v.eval() == 2.0
    assert v1.get_default_session() is None
    with pytest.raises(RuntimeError, match=re.escape("Attempted to use a closed Session.")):
        sess.run(y, {x: 1.0})
    with pytest.raises(ValueError, match="No default session is registered"):
        y.eval()
    with pytest.raises(ValueError, match="No default session is registered"):
        v.initializer.run()


def test_as_default_does_not_close(sess: Any) -> None:
    x = tf.constant(1.0)
    with sess.as_default():
        assert x.eval() == 1.0
    assert sess.run(x) == 1.0


def test_session_of_another_graph(sess: Any) -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0)
    with pytest.raises(ValueError, match="it runs another graph"):
        x.eval(session=sess)
    tf.constant(1.0)
    with sess.as_default(), pytest.raises(ValueError, match="it runs another graph"):
        x.eval()


def test_empty_graph(sess: Any) -> None:
    with pytest.raises(RuntimeError, match="The Session graph is empty"):
        sess.run("x:0")


def test_interactive_session(graph: Any) -> None:
    x = tf.constant(2.0)
    sess = v1.InteractiveSession()
    try:
        assert x.eval() == 2.0
    finally:
        sess.close()
    assert v1.get_default_session() is None


def test_make_callable(sess: Any) -> None:
    x, y = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
    f = sess.make_callable({"sum": x + y, "product": x * y}, [x, y])
    assert f(2.0, 3.0) == {"sum": 5.0, "product": 6.0}
    with pytest.raises(ValueError, match="takes 2 values"):
        f(1.0)
    sess.close()
    with pytest.raises(RuntimeError, match="closed Session"):
        f(2.0, 3.0)


# ---- threads ----------------------------------------------------------------------------------


def test_threads_run_one_session(sess: Any) -> None:
    x = v1.placeholder(tf.float32, [None])
    y = tf.reduce_sum(tf.exp(x) * x)
    v = tf.Variable(0.0)
    sess.run(v.initializer)
    failed: list[Any] = []

    def work(k: int) -> None:
        try:
            for i in range(100):
                value = np.full(3, 0.01 * (k + i), np.float32)
                want = np.sum(np.exp(value) * value)
                assert abs(sess.run(y, {x: value}) - want) < 1e-5
                assert sess.run([y, x], {x: value})[1].tolist() == value.tolist()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failed == []


# ---- errors -----------------------------------------------------------------------------------


def test_an_error_names_the_operation_and_the_line(sess: Any) -> None:
    x = v1.placeholder(tf.float32, [None])
    with tf.name_scope("layer"):
        y = tf.add(x, tf.constant([1.0, 2.0]), name="bias"); at = line()  # noqa: E702  # fmt: skip
    with pytest.raises(InvalidArgumentError) as error:
        sess.run(y * 2.0, {x: [1.0, 2.0, 3.0]})
    text = str(error.value)
    assert "Incompatible shapes: [3] vs. [2]" in text
    assert "layer/bias" in text
    assert f"{__file__}:{at}" in text
    assert isinstance(error.value, OpError)
    assert error.value.op is y.op


def test_an_error_in_users_code_comes_through(sess: Any) -> None:
    @tf.register_op("TestFails")
    def fails(a: Any) -> Any:
        raise ZeroDivisionError("mine")

    y = fails(tf.constant(1.0))
    with pytest.raises(ZeroDivisionError, match="mine"):
        sess.run(y)


# ---- size -------------------------------------------------------------------------------------


def seconds_for(count: int) -> float:
    """Building, running and differentiating a chain of an even number of negations."""
    begin = time.process_time()
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        y = x
        for _ in range(count):
            y = -y
        (g,) = tf.gradients(y, x)
        assert v1.Session().run([y, g], {x: 1.0}) == [1.0, 1.0]
    return time.process_time() - begin


@pytest.mark.timing
@pytest.mark.usefixtures("collected_afresh")
def test_large_graphs_take_linear_time() -> None:
    """A graph of 200,000 operations, without recursion: of what is quadratic, no try is in time."""
    # A graph that fits the caches would be no measure.
    assert any(seconds_for(200_000) / seconds_for(50_000) < 1.5 * 4 for _ in range(4))


def test_what_may_not_be_fetched() -> None:
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        x = tf.constant(1.0)
        graph.prevent_fetching(x.op)
        for fetch in (x, x.op, {"a": [x]}):
            with pytest.raises(ValueError, match="marked as not fetchable"):
                session.run(fetch)
        assert session.run(x + 1.0) == 2.0


# ---- runs in parts -------------------------------------------------------------------------------


def in_parts() -> tuple[Any, ...]:
    a, b, c = (tf.compat.v1.placeholder(tf.float32, [], name=n) for n in "abc")
    total = a + b
    return a, b, c, total, total * c


def test_a_run_in_parts_computes_nothing_twice() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        a, b, c, total, product = in_parts()
        noise = tf.random.uniform([]) + a
        seen: list[float] = []

        def look(x: Any) -> Any:
            seen.append(float(x))
            return x

        looked = tf.numpy_function(look, [noise], tf.float32)
        last = looked + noise * c
        handle = session.partial_run_setup([total, product, looked, last], [a, b, c])
        first = session.partial_run(
            handle, {"total": total, "looked": looked}, {a: 1.0, "b:0": 2.0}
        )
        assert first["total"] == 3.0
        second = session.partial_run(handle, [product, last], {c: first["total"]})
        assert second == [9.0, pytest.approx(4.0 * first["looked"])]
        assert seen == [first["looked"]]


def test_mistakes_of_runs_in_parts() -> None:
    wrong = tf.errors.InvalidArgumentError
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        a, b, c, total, product = in_parts()
        with pytest.raises(wrong, match="Must specify at least one target to fetch"):
            session.partial_run_setup([], [a])
        handle = session.partial_run_setup([total, product], [a, b])
        with pytest.raises(wrong, match="You must feed a value for placeholder tensor 'b'"):
            session.partial_run(handle, total, {a: 1.0})
        session.partial_run(handle, total, {b: 1.0})
        for feed, why in (
            (a, r"a:0 has already been fed\.$"),
            (c, r"not specified in partial_run"),
        ):
            with pytest.raises(wrong, match=why):
                session.partial_run(handle, product, {feed: 1.0})
        with pytest.raises(wrong, match=r"already been fetched\.$"):
            session.partial_run(handle, total)
        with pytest.raises(wrong, match=r"not specified in partial_run_setup\.$"):
            session.partial_run(handle, tf.square(total))
        with pytest.raises(wrong, match="no partial run 'none'"):
            session.partial_run("none", total)
        with pytest.raises(RuntimeError, match="empty `target_list`"):
            session.partial_run_setup([tf.no_op()], [])


def test_numbers_in_objects_are_fed(sess: Any) -> None:
    """As arrays of tables have them, with text or without."""
    x = v1.placeholder(tf.float32, [None, 2])
    for rows in (np.array([[1, 2.5]], object), np.array([["1", b"2.5"]], object)):
        assert sess.run(x * 2.0, {x: rows}).tolist() == [[2.0, 5.0]]
    with pytest.raises(TypeError, match="not 'dict'"):
        sess.run(x, {x: np.array([[{}, 1.0]], object)})
