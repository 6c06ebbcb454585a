"""Optimizers in graphs for sessions, and in tf.function: the same numbers as in eager mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from training import assert_as, name_of, optimizer_of, reference

import wengert as tf

pytestmark = pytest.mark.usefixtures("interpreted")

v1 = tf.compat.v1
CASES = reference()["cases"]
MAKERS = {
    "GradientDescent": lambda: v1.train.GradientDescentOptimizer(0.1),
    "Momentum": lambda: v1.train.MomentumOptimizer(0.1, 0.9),
    "Nesterov": lambda: v1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "Adagrad": lambda: v1.train.AdagradOptimizer(0.5),
    "Adam": lambda: v1.train.AdamOptimizer(0.05),
    "RMSProp": lambda: v1.train.RMSPropOptimizer(0.05, momentum=0.5),
    "Adadelta": lambda: v1.train.AdadeltaOptimizer(20.0),
    "Ftrl": lambda: v1.train.FtrlOptimizer(0.5),
}


# ---- TensorFlow's numbers ---------------------------------------------------------------------


def data_of(case: dict[str, Any]) -> tuple[list[Any], list[list[Any]]]:
    """The initial values, and for each step the arrays that make its gradients."""
    dtype = case["dtype"]
    data = reference()[case["kind"].replace(" ", "_")]
    if case["kind"] == "dense":
        initial = [np.array(x, dtype) for x in data["initial"]]
        return initial, [[np.array(g, dtype) for g in gs] for gs in data["steps"]]
    steps = [[np.array(g, dtype), np.array(i)] for i, g in data["steps"]]
    return [np.array(data["initial"], dtype)], steps


def pairs(case: dict[str, Any], parts: Any, variables: Any) -> list[tuple[Any, Any]]:
    if case["kind"] == "dense":
        return list(zip(parts, variables, strict=True))
    return [(tf.IndexedSlices(*parts, variables[0].shape), variables[0])]  # type: ignore[call-arg]


def placeholders(case: dict[str, Any], initial: Any) -> list[Any]:
    if case["kind"] == "dense":
        return [v1.placeholder(x.dtype, x.shape) for x in initial]
    return [v1.placeholder(case["dtype"], [None, 2]), v1.placeholder(tf.int64, [None])]


def in_session(case: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The variables and the slots of the last one, after all steps in a session."""
    initial, steps = data_of(case)
    with tf.Graph().as_default(), v1.Session() as session:
        optimizer, more = optimizer_of(case)
        variables = [tf.Variable(x) for x in initial]
        parts = placeholders(case, initial)
        update = optimizer.apply_gradients(pairs(case, parts, variables), **more)
        session.run(v1.global_variables_initializer())
        for arrays in steps:
            session.run(update, dict(zip(parts, arrays, strict=True)))
        names = case.get("slots", {})
        return session.run([variables, {n: optimizer.get_slot(variables[-1], n) for n in names}])


def in_function(case: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The same in a tf.function, whose first call makes the slots."""
    initial, steps = data_of(case)
    optimizer, more = optimizer_of(case)
    variables = [tf.Variable(x) for x in initial]

    @tf.function(reduce_retracing=True)
    def step(*parts: Any) -> None:
        optimizer.apply_gradients(pairs(case, parts, variables), **more)

    for arrays in steps:
        step(*map(tf.constant, arrays))
    slots = {n: optimizer.get_slot(variables[-1], n).numpy() for n in case.get("slots", {})}
    return [v.numpy() for v in variables], slots


@pytest.mark.parametrize("train", [in_session, in_function], ids=["session", "function"])
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_values(case: dict[str, Any], train: Any) -> None:
    """After all steps the variables are TensorFlow's; the slots, too."""
    variables, slots = train(case)
    wanted = case["last"] if case["kind"] == "dense" else [case["last"]]
    for got, want in zip(variables, wanted, strict=True):
        assert_as(case, got, want)
    for name, want in case.get("slots", {}).items():
        assert_as(case, slots[name], want)


# ---- programs ---------------------------------------------------------------------------------


def test_feeding_two_placeholders() -> None:
    """The first program of all."""
    with tf.Graph().as_default():
        a, b = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
        total = tf.add(a, b)
        with v1.Session() as session:
            assert session.run(total, feed_dict={a: 3.0, b: 4.5}) == 7.5
            assert session.run(total, feed_dict={a: [1, 3], b: [2, 4]}).tolist() == [3.0, 7.0]


X = np.array([1.0, 2.0, 3.0, 4.0], np.float64)
Y = np.array([0.0, -1.0, -2.0, -3.0], np.float64)


def line_by_numpy(rate: float, steps: int) -> tuple[float, float]:
    """Descent on the sum of squared errors of a line, by hand."""
    w, b = 0.3, -0.3
    for _ in range(steps):
        error = w * X + b - Y
        w, b = w - rate * 2.0 * (error @ X), b - rate * 2.0 * error.sum()
    return w, b


def test_linear_regression() -> None:
    """minimize, a thousand times; the numbers are those of descent by hand."""
    with tf.Graph().as_default():
        w = v1.Variable([0.3], dtype=tf.float64)
        b = v1.Variable([-0.3], dtype=tf.float64)
        x, y = v1.placeholder(tf.float64), v1.placeholder(tf.float64)
        loss = tf.reduce_sum(tf.square(w * x + b - y))
        train = v1.train.GradientDescentOptimizer(1 / 128).minimize(loss)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for _ in range(1000):
                session.run(train, {x: X, y: Y})
            found = session.run([w, b, loss], {x: X, y: Y})
    np.testing.assert_allclose(
        found[:2], np.reshape(line_by_numpy(1 / 128, 1000), [2, 1]), rtol=1e-12
    )
    assert found[2] < 1e-6


def test_gradients_applied_by_hand() -> None:
    """compute_gradients, clipping, apply_gradients, and the count of the steps."""
    with tf.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        w = v1.get_variable("w", initializer=np.array([3.0, 4.0]))
        other = tf.Variable(1.0)
        optimizer = v1.train.GradientDescentOptimizer(0.5)
        found = optimizer.compute_gradients(tf.reduce_sum(w * w))
        assert [v for _, v in found] == [w, other]
        assert found[1][0] is None
        clipped = [(tf.clip_by_norm(g, 5.0), v) for g, v in found if g is not None]
        train = optimizer.apply_gradients(clipped, global_step=step, name="train")
        assert (train.name, v1.get_collection(v1.GraphKeys.TRAIN_OP)) == ("train", [train])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            train.run()
            # The gradient (6, 8) has the norm 10.
            np.testing.assert_allclose(session.run(w), [1.5, 2.0], rtol=1e-15)
            assert v1.train.global_step(session, step) == 1


def test_clipping_the_rows_of_a_gradient() -> None:
    """IndexedSlices made anew of the parts of others, as programs do; only their rows move."""
    with tf.Graph().as_default(), v1.Session() as session:
        table = v1.get_variable("table", [4, 2], initializer=v1.ones_initializer())
        ids = v1.placeholder(tf.int32, [None])
        loss = 3.0 * tf.reduce_sum(tf.nn.embedding_lookup(table, ids))
        optimizer = v1.train.MomentumOptimizer(0.5, 0.5)
        ((gradient, _),) = optimizer.compute_gradients(loss)
        assert isinstance(gradient, tf.IndexedSlices)
        values = tf.clip_by_value(gradient.values, -1.0, 1.0)
        clipped = tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
        train = optimizer.apply_gradients([(clipped, table)])
        session.run(v1.global_variables_initializer())
        session.run(train, {ids: [1, 3, 1]})
        assert session.run(table)[:, 0].tolist() == [1.0, 0.0, 1.0, 0.5]
        assert session.run(optimizer.get_slot(table, "momentum"))[:, 0].tolist() == [0, 2, 0, 1]
        session.run(train, {ids: [0]})
        assert session.run(table)[:, 0].tolist() == [0.5, 0.0, 1.0, 0.5]


@pytest.mark.parametrize("kind", ["number", "tensor", "placeholder", "variable", "decayed"])
def test_learning_rates(kind: str) -> None:
    """A rate is whatever it is when the update runs."""
    with tf.Graph().as_default(), v1.Session() as session:
        v, step = tf.Variable(8.0), v1.train.get_or_create_global_step()
        rate = {
            "number": lambda: 0.25,
            "tensor": lambda: tf.constant(0.5) * 0.5,
            "placeholder": lambda: v1.placeholder_with_default(0.25, []),
            "variable": lambda: tf.Variable(0.25, trainable=False),
            "decayed": lambda: v1.train.exponential_decay(0.25, step, 1, 0.5),
        }[kind]()
        train = v1.train.GradientDescentOptimizer(rate).minimize(v * v, global_step=step)
        session.run(v1.global_variables_initializer())
        session.run(train)
        assert session.run(v) == 4.0
        if kind == "placeholder":
            session.run(train, {rate: 0.5})
        elif kind == "variable":
            session.run(rate.assign(0.5))
            session.run(train)
        else:
            session.run(train)
        wanted = {"placeholder": 0.0, "variable": 0.0, "decayed": 3.0}
        assert session.run(v) == wanted.get(kind, 2.0)


INPUTS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
TARGETS = np.array([[0.0], [1.0], [1.0], [0.0]])
WEIGHTS = [
    np.array([[1.0, -1.2, 0.4], [0.8, -0.9, -0.7]]),
    np.array([0.1, -0.1, 0.2]),
    np.array([[1.1], [1.3], [-0.4]]),
    np.array([0.05]),
]


def loss_by_numpy(w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    """The mean squared error of a network with two layers, and its gradients, by hand."""
    hidden = np.tanh(INPUTS @ w1 + b1)
    error = hidden @ w2 + b2 - TARGETS
    back = 2.0 * error / len(INPUTS)
    inner = (back @ w2.T) * (1.0 - hidden**2)
    gradients = [INPUTS.T @ inner, inner.sum(0), hidden.T @ back, back.sum(0)]
    return np.mean(error**2), gradients


def network(session: Any, make: Any) -> tuple[Any, Any, list[Any], Any]:
    x = v1.placeholder(tf.float64, [None, 2])
    y = v1.placeholder(tf.float64, [None, 1])
    with v1.variable_scope("hidden"):
        w1 = v1.get_variable("w", initializer=WEIGHTS[0])
        b1 = v1.get_variable("b", initializer=WEIGHTS[1])
        hidden = tf.tanh(tf.matmul(x, w1) + b1)
    with v1.variable_scope("output"):
        w2 = v1.get_variable("w", initializer=WEIGHTS[2])
        b2 = v1.get_variable("b", initializer=WEIGHTS[3])
        output = tf.matmul(hidden, w2) + b2
    loss = tf.reduce_mean(tf.square(output - y))
    train = make().minimize(loss)
    session.run(v1.global_variables_initializer())
    return loss, train, v1.trainable_variables(), {x: INPUTS, y: TARGETS}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_network_with_two_layers(kind: str) -> None:
    """In a session, with gradients by the graph: as eager with the gradients worked out by hand."""
    eager, optimizer = [tf.Variable(w) for w in WEIGHTS], MAKERS[kind]()
    for _ in range(20):
        _, gradients = loss_by_numpy(*[v.numpy() for v in eager])
        optimizer.apply_gradients(zip(map(tf.constant, gradients), eager, strict=True))
    with tf.Graph().as_default(), v1.Session() as session:
        loss, train, variables, feeds = network(session, MAKERS[kind])
        np.testing.assert_allclose(session.run(loss, feeds), loss_by_numpy(*WEIGHTS)[0], rtol=1e-14)
        for _ in range(20):
            session.run(train, feeds)
        found = session.run(variables)
        after = session.run(loss, feeds)
    for got, want in zip(found, eager, strict=True):
        np.testing.assert_allclose(got, want.numpy(), rtol=1e-10, atol=1e-12)
    assert after < loss_by_numpy(*WEIGHTS)[0]


def test_learning_xor() -> None:
    """To the end."""
    with tf.Graph().as_default(), v1.Session() as session:
        loss, train, _, feeds = network(session, lambda: v1.train.AdamOptimizer(0.05))
        for _ in range(400):
            session.run(train, feeds)
        assert session.run(loss, feeds) < 1e-3


# ---- names, collections, slots ----------------------------------------------------------------


def test_names() -> None:
    """Slots stand beside their variables; the powers of Adam in the name scope; as TensorFlow's."""
    with tf.Graph().as_default():
        w = v1.get_variable("w", [1], initializer=v1.zeros_initializer())
        loss = tf.reduce_sum(w)
        optimizer = v1.train.AdamOptimizer(0.1)
        with v1.variable_scope("vs"), tf.name_scope("ns"):
            first = optimizer.minimize(loss)
        second = v1.train.AdamOptimizer(0.1).minimize(loss)
        third = v1.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")
        assert [op.name for op in (first, second, third)] == ["vs/ns/Adam", "Adam", "train"]
        assert {op.type for op in (first, second, third)} == {"NoOp"}
        assert [v.name for v in v1.global_variables()] == [
            "w:0",
            "vs/ns/beta1_power:0",
            "vs/ns/beta2_power:0",
            "vs/w/Adam:0",
            "vs/w/Adam_1:0",
            "beta1_power:0",
            "beta2_power:0",
            "w/Adam:0",
            "w/Adam_1:0",
        ]
        assert v1.trainable_variables() == [w]
        assert v1.get_collection(v1.GraphKeys.TRAIN_OP) == [first, second, third]
        assert [v.name for v in optimizer.variables()] == [
            "vs/ns/beta1_power:0",
            "vs/ns/beta2_power:0",
            "vs/w/Adam:0",
            "vs/w/Adam_1:0",
        ]


def test_slots_begin_when_they_are_initialized() -> None:
    """They have initializers of their own; without them an update says what is missing."""
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable([2.0, 3.0])
        optimizer = v1.train.AdagradOptimizer(0.5, initial_accumulator_value=0.25)
        train = optimizer.minimize(tf.reduce_sum(v))
        session.run(v.initializer)
        slot = optimizer.get_slot(v, "accumulator")
        with pytest.raises(tf.errors.FailedPreconditionError, match="Variable/Adagrad"):
            session.run(train)
        session.run(v1.variables_initializer(optimizer.variables()))
        assert session.run(slot).tolist() == [0.25, 0.25]
        session.run(train)
        assert session.run(slot).tolist() == [1.25, 1.25]


def test_slots_of_variables_of_any_size() -> None:
    """They are as large as the variable when they are initialized."""
    with tf.Graph().as_default(), v1.Session() as session:
        size = v1.placeholder(tf.int32, [])
        v = v1.Variable(lambda: tf.ones([size]), validate_shape=False)
        optimizer = v1.train.MomentumOptimizer(0.5, 0.5)
        train = optimizer.minimize(tf.reduce_sum(v.read_value() * 2.0), var_list=[v])
        session.run(v1.global_variables_initializer(), {size: 3})
        session.run(train)
        assert session.run(v).tolist() == [0.0, 0.0, 0.0]


def test_one_optimizer_for_two_graphs() -> None:
    """It keeps the powers of each."""
    optimizer = v1.train.AdamOptimizer(0.5)
    for _ in range(2):
        with tf.Graph().as_default(), v1.Session() as session:
            v = tf.Variable(3.0)
            train = optimizer.minimize(v * v)
            session.run(v1.global_variables_initializer())
            session.run(train)
            np.testing.assert_allclose(session.run(v), 2.5, rtol=1e-6)
            assert len(optimizer.variables()) == 4


def test_constraints() -> None:
    """Hold after each update."""
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=[1.0, 5.0], constraint=lambda x: tf.maximum(x, 0.0))
        train = v1.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(v * 2.0))
        session.run(v.initializer)
        session.run(train)
        assert session.run(v).tolist() == [0.0, 3.0]


def test_updates_before_the_step() -> None:
    """What is collected under UPDATE_OPS runs first, by a control dependency."""
    with tf.Graph().as_default(), v1.Session() as session:
        mean, v = tf.Variable(0.0, trainable=False), tf.Variable(1.0)
        v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, mean.assign(v))
        with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
            train = v1.train.GradientDescentOptimizer(0.25).minimize(v * v)
        session.run(v1.global_variables_initializer())
        session.run(train)
        assert session.run([mean, v]) == [1.0, 0.5]


def test_a_training_returns_the_loss_before_it() -> None:
    """Fetched together, as every program fetches them."""
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable(4.0)
        loss = v * v
        train = v1.train.GradientDescentOptimizer(0.25).minimize(loss)
        session.run(v1.global_variables_initializer())
        losses = [session.run([train, loss])[1] for _ in range(3)]
        assert losses == [16.0, 4.0, 1.0]


@pytest.mark.parametrize(
    ("loss", "error", "match"),
    [
        (lambda: tf.constant(1.0), ValueError, "^No variables to optimize."),
        (lambda: (tf.Variable(1.0), tf.constant(1.0))[1],
         ValueError, "^No gradients provided for any variable, check your graph for ops that do "
         "not support gradients, between variables \\[<tf.Variable 'Variable:0' shape=\\(\\) "
         "dtype=float32>\\] and loss "),
        (lambda: tf.cast(tf.Variable(1.0), tf.int32), ValueError, "^Invalid type tf.int32 for "
         "Cast:0, expected: \\[tf.float32, tf.float64, tf.float16, tf.bfloat16\\]"),
    ],
)  # fmt: skip
def test_errors(loss: Any, error: type[Exception], match: str) -> None:
    """TensorFlow's sentences."""
    with tf.Graph().as_default():
        with pytest.raises(error, match=match):
            v1.train.GradientDescentOptimizer(0.1).minimize(loss())


# ---- functions --------------------------------------------------------------------------------


def test_a_step_as_a_function() -> None:
    """Of both APIs: slots are made once, and later traces use them."""
    for make in (lambda: v1.train.AdamOptimizer(0.5), lambda: tf.optimizers.Adam(0.5)):
        results = []
        for compiled in (False, True):
            v, optimizer = tf.Variable([3.0, 4.0]), make()

            def step(x: Any, v: Any = v, optimizer: Any = optimizer) -> Any:
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(v * v * x)
                optimizer.apply_gradients([(tape.gradient(loss, v), v)])
                return loss

            run = tf.function(step) if compiled else step
            losses = [run(tf.constant(x)).numpy() for x in (1.0, [2.0], [1.0, 3.0])]
            results.append((losses, v.numpy()))
        np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-6)
        np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-6)


def test_minimize_in_a_function() -> None:
    """Of a tensor, by the graph of the function; the update has its place in the order."""
    v, step = tf.Variable(3.0), tf.Variable(0)
    optimizer = v1.train.GradientDescentOptimizer(0.25)

    @tf.function
    def train() -> Any:
        optimizer.minimize(v * v, global_step=step, var_list=[v])
        return v * 2.0

    assert train().numpy() == 3.0
    assert (v.numpy(), step.numpy()) == (1.5, 1)


def test_iterations_are_returned() -> None:
    """tf.optimizers count, and return the count, in a function as well."""
    v, optimizer = tf.Variable(1.0), tf.optimizers.SGD(0.5)

    @tf.function
    def train() -> Any:
        return optimizer.apply_gradients([(tf.constant(1.0), v)])

    assert [train().numpy().item() for _ in range(2)] == [1, 2]


def test_schedules_in_functions() -> None:
    """The rate is computed from the step, anew in each call."""
    v, rate = tf.Variable(8.0), tf.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5)
    optimizer = tf.optimizers.SGD(rate)

    @tf.function
    def train() -> None:
        optimizer.apply_gradients([(tf.constant(8.0), v)])

    train()
    assert v.numpy() == 4.0
    train()
    assert v.numpy() == 2.0
