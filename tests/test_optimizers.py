"""The optimizers of both APIs, against TensorFlow's numbers and the laws they obey."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from training import assert_as, name_of, optimizer_of, reference, trained

import wengert as tf
from wengert.errors import MissingNameError

v1 = tf.compat.v1.train
CASES = reference()["cases"]
V2 = [c for c in CASES if c["api"] == "v2" and c["kind"] == "dense"]
V1 = [c for c in CASES if c["api"] == "v1" and c["kind"] == "dense"]
# The optimizers for which a row without a gradient stays, by TensorFlow's rules.
LEAVE_ROWS = [c for c in V1 if c["optimizer"] != "AdamOptimizer"] + [
    c for c in V2 if optimizer_of(c)[0].leaves_rows and c["args"].keys() <= {"learning_rate"}
]
MAKERS_V2 = {
    kind: getattr(tf.optimizers, kind)
    for kind in [
        "SGD",
        "Adam",
        "AdamW",
        "RMSprop",
        "Adagrad",
        "Adadelta",
        "Adamax",
        "Nadam",
        "Ftrl",
        "Lion",
    ]
}


def pair() -> tuple[Any, Any]:
    return tf.Variable([1.0, 2.0], name="v"), tf.Variable([[3.0]], name="w")


def slices(values: Any, indices: Any) -> Any:
    return tf.IndexedSlices(tf.constant(values, tf.float64), indices, [4, 2])


# ---- TensorFlow's numbers ---------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_values(case: dict[str, Any]) -> None:
    """After one step, and after all, the variables are TensorFlow's; the slots, too."""
    for steps, want in ((1, case["first"]), (None, case["last"])):
        optimizer, variables = trained(case, steps or 99)
        wanted = want if case["kind"] == "dense" else [want]
        for variable, values in zip(variables, wanted, strict=True):
            assert_as(case, variable.numpy(), values)
    for name, values in case.get("slots", {}).items():
        assert_as(case, optimizer.get_slot(variables[1], name).numpy(), values)
    if "slots" in case:
        assert optimizer.get_slot_names() == sorted(case["slots"])


@pytest.mark.parametrize("kind", MAKERS_V2)
@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_small_dtypes(dtype: Any, kind: str) -> None:
    """A variable is trained in its own dtype, even where that takes 0.999 for 1, as in bfloat16."""
    small = reference()["small"]
    v, optimizer = tf.Variable(small["initial"], dtype=dtype), MAKERS_V2[kind](small["rate"])
    for gradient in small["steps"]:
        optimizer.apply_gradients([(tf.constant(gradient, dtype), v)])
    assert all(x.dtype is dtype for x in optimizer.variables[2:])
    want = np.array(small["last"][dtype.name][kind], float)  # null stands for NaN
    tolerance = {"float16": 2.0**-10, "bfloat16": 2.0**-7}[dtype.name]
    np.testing.assert_allclose(v.numpy().astype(float), want, rtol=0, atol=tolerance)


# ---- rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", LEAVE_ROWS, ids=name_of)
def test_rows_without_a_gradient_stay(case: dict[str, Any]) -> None:
    """As do their slots, also after steps that gave all rows a gradient."""
    optimizer, more = optimizer_of(case)
    v = tf.Variable(np.ones([4, 2]))
    optimizer.apply_gradients([(tf.constant(np.full([4, 2], 0.5)), v)], **more)
    kept = [v, *(optimizer.get_slot(v, name) for name in optimizer.get_slot_names())]
    before = [x.numpy() for x in kept]
    optimizer.apply_gradients([(slices([[1.0, 2.0]] * 2, [2, 2]), v)], **more)
    for variable, old in zip(kept, before, strict=True):
        np.testing.assert_array_equal(variable.numpy()[[0, 1, 3]], old[[0, 1, 3]])
    assert not np.array_equal(v.numpy()[2], before[0][2])


@pytest.mark.parametrize("case", [*V2, *V1], ids=name_of)
def test_rows_with_all_indices_are_the_whole(case: dict[str, Any]) -> None:
    """A gradient of rows that names every row, some twice, is the dense gradient."""
    if case["dtype"] == "float32":
        return
    values = np.array([[1.0, -2.0], [0.5, 0.25], [0.0, 3.0], [-1.0, 1.0], [0.25, 0.5]])
    found = []
    for dense in (False, True):
        optimizer, more = optimizer_of(case)
        v = tf.Variable(np.arange(1.0, 9.0).reshape(4, 2))
        for _ in range(3):
            gradient = slices(values, [3, 0, 1, 2, 3])
            optimizer.apply_gradients(
                [(tf.convert_to_tensor(gradient) if dense else gradient, v)], **more
            )
        found.append(v.numpy())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-13)


def test_adam_moves_all_rows() -> None:
    """Its means fade everywhere, in both APIs."""
    for optimizer in (v1.AdamOptimizer(0.1), tf.optimizers.Adam(0.1)):
        v = tf.Variable(np.ones([4, 2]))
        optimizer.apply_gradients([(tf.constant(np.ones([4, 2])), v)])
        before = v.numpy()
        optimizer.apply_gradients([(slices([[1.0, 1.0]], [2]), v)])
        assert (v.numpy() != before).all()


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-5, 5)), min_size=1, max_size=6))
def test_repeated_rows_are_summed_first(parts: list[tuple[int, float]]) -> None:
    """The order and the splitting of the rows do not matter."""
    indices = [i for i, _ in parts]
    values = np.array([[g, -g] for _, g in parts])
    merged = {i: sum(g for j, g in parts if j == i) for i in indices}
    found = []
    for ids, rows in (
        (indices, values),
        (list(merged), np.array([[g, -g] for g in merged.values()])),
    ):
        v = tf.Variable(np.ones([4, 2]))
        v1.AdagradOptimizer(0.5).apply_gradients([(slices(rows, ids), v)])
        found.append(v.numpy())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9, atol=1e-9)


def test_gathered_rows_are_trained() -> None:
    """The gradient of an embedding is an IndexedSlices, and reaches its rows only."""
    table = tf.Variable(np.ones([4, 2]))
    v1.MomentumOptimizer(0.5, 0.9).minimize(
        lambda: tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 1]))
    )
    assert table.numpy()[:, 0].tolist() == [1.0, 0.0, 1.0, 1.0]


# ---- v2 ---------------------------------------------------------------------------------------


def test_minimize_a_function() -> None:
    """Gradients are computed and applied; the steps are counted."""
    v, _ = pair()
    optimizer = tf.optimizers.SGD(0.25)
    assert optimizer.iterations.numpy() == 0
    result = optimizer.minimize(lambda: tf.reduce_sum(v * v), [v])
    assert result is optimizer.iterations
    assert result.numpy() == 1
    assert v.numpy().tolist() == [0.5, 1.0]
    optimizer.minimize(lambda: v * v, lambda: [v], grad_loss=tf.constant([0.0, 1.0]))
    assert v.numpy().tolist() == [0.5, 0.5]


def test_minimize_a_tensor_of_a_tape() -> None:
    """The tape that recorded the loss is given as well."""
    v, _ = pair()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    tf.optimizers.SGD(0.25).minimize(loss, [v], tape=tape)
    assert v.numpy().tolist() == [0.5, 1.0]
    with pytest.raises(ValueError, match=r"^`tape` is required when a `Tensor` loss is passed"):
        tf.optimizers.SGD(0.25).minimize(loss, [v])


def test_apply_takes_gradients_and_variables_apart() -> None:
    """As newer code writes it."""
    v, w = pair()
    optimizer = tf.optimizers.SGD(1.0)
    optimizer.apply([tf.ones([2]), tf.ones([1, 1])], [v, w])
    assert v.numpy().tolist() == [0.0, 1.0]
    optimizer.apply([tf.ones([2]), tf.ones([1, 1])])  # to the variables of the first time
    assert v.numpy().tolist() == [-1.0, 0.0]
    with pytest.raises(ValueError, match=r"^When passing `grads` without `variables`"):
        tf.optimizers.SGD(1.0).apply([tf.ones([2])])


@pytest.mark.parametrize("kind", MAKERS_V2)
def test_every_optimizer_finds_a_minimum(kind: str) -> None:
    """Of a bowl, in a few hundred steps."""
    v = tf.Variable([1.0, -0.5])
    rate = {"Adadelta": 20.0, "Adagrad": 0.5, "Ftrl": 0.5, "Lion": 0.005}.get(kind, 0.05)
    optimizer = MAKERS_V2[kind](rate)
    for _ in range(200):
        optimizer.minimize(lambda: tf.reduce_sum(tf.square(v)), [v])
    assert np.max(np.abs(v.numpy())) < 0.05


def test_variables_and_slots() -> None:
    """A counter, the rate, and the slots, named after their variables."""
    v, w = pair()
    optimizer = tf.optimizers.Adam(amsgrad=True)
    assert [x.name for x in optimizer.variables] == ["iteration:0", "learning_rate:0"]
    assert optimizer.get_slot(v, "momentum") is None
    optimizer.build([v, w])
    assert optimizer.get_slot_names() == ["momentum", "velocity", "velocity_hat"]
    assert optimizer.get_slot(v, "velocity").name == "v/velocity:0"
    assert optimizer.get_slot(w, "momentum").shape == [1, 1]
    assert len(optimizer.variables) == 8
    assert not any(x.trainable for x in optimizer.variables)


def test_a_variable_that_comes_later_gets_slots() -> None:
    """And starts as if it were new."""
    v, w = pair()
    optimizer = tf.optimizers.SGD(1.0, momentum=0.5)
    optimizer.apply_gradients([(tf.ones([2]), v)])
    optimizer.apply_gradients([(tf.ones([1, 1]), w)])
    assert w.numpy().item() == 2.0


def test_the_learning_rate_can_be_set() -> None:
    """A number by a number, anything by a function or schedule; a schedule by no number."""
    optimizer = tf.optimizers.SGD(0.5)
    optimizer.learning_rate = 0.25
    assert optimizer.learning_rate.numpy() == 0.25
    optimizer.learning_rate = lambda: 0.75
    assert optimizer.learning_rate == 0.75
    optimizer.learning_rate = 0.5
    assert optimizer.learning_rate.numpy() == 0.5
    optimizer.learning_rate = tf.optimizers.schedules.ExponentialDecay(1.0, 1, 0.5)
    assert optimizer.learning_rate.numpy() == 1.0
    with pytest.raises(TypeError, match="hence its learning rate is not settable"):
        optimizer.learning_rate = 0.5


@pytest.mark.parametrize("rate", [0.5, 1, np.float64(0.5), lambda: 0.5, tf.constant(0.5)])
def test_kinds_of_learning_rates(rate: Any) -> None:
    """Numbers, tensors and functions."""
    v = tf.Variable(1.0)
    tf.optimizers.SGD(rate).apply_gradients([(tf.constant(0.5), v)])
    assert v.numpy() == (0.5 if rate == 1 else 0.75)


def test_a_variable_as_learning_rate() -> None:
    """Is read at each step."""
    rate, v = tf.Variable(0.5), tf.Variable(1.0)
    optimizer = tf.optimizers.SGD(rate)
    rate.assign(0.25)
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    assert v.numpy() == 0.75


def test_gradients_are_cast() -> None:
    """To the dtype of the variable."""
    v = tf.Variable([1.0, 2.0])
    tf.optimizers.SGD(1.0).apply_gradients([(tf.ones([2], tf.float64), v)])
    assert v.numpy().tolist() == [0.0, 1.0]


def test_constraints_hold_after_a_step() -> None:
    """In both APIs."""
    for optimizer in (tf.optimizers.SGD(1.0), v1.GradientDescentOptimizer(1.0)):
        v = tf.Variable([1.0, 2.0], constraint=tf.nn.relu)
        optimizer.apply_gradients([(tf.constant([5.0, 1.0]), v)])
        assert v.numpy().tolist() == [0.0, 1.0]


def test_weight_decay_can_leave_variables_out() -> None:
    """Themselves, or by a part of their names."""
    v, w = pair()
    u = tf.Variable(1.0, name="bias")
    optimizer = tf.optimizers.SGD(1.0, weight_decay=0.5)
    optimizer.exclude_from_weight_decay([w], ["bi"])
    optimizer.apply_gradients([(tf.zeros_like(x), x) for x in (u, v, w)])
    assert (u.numpy(), v.numpy().tolist(), w.numpy().item()) == (1.0, [0.5, 1.0], 3.0)


def test_averages_of_the_variables() -> None:
    """They replace the variables when training is over."""
    v = tf.Variable(1.0)
    optimizer = tf.optimizers.SGD(1.0, use_ema=True, ema_momentum=0.5)
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant(1.0), v)])
    assert v.numpy() == -1.0
    optimizer.finalize_variable_values([v])
    assert v.numpy() == -0.5


@pytest.mark.parametrize("compiled", [False, True])
def test_the_average_of_a_variable_that_comes_later_begins_at_its_value(compiled: bool) -> None:
    """Keras refuses such a variable."""
    early, late = tf.Variable(1.0), tf.Variable(10.0)
    optimizer = tf.optimizers.SGD(1.0, use_ema=True, ema_momentum=0.5)
    decorated: Any = tf.function if compiled else lambda f: f
    one: Any = decorated(lambda: optimizer.apply_gradients([(tf.constant(1.0), early)]))
    both: Any = decorated(
        lambda: optimizer.apply_gradients([(tf.constant(1.0), early), (tf.constant(2.0), late)])
    )
    one()
    both()
    both()
    optimizer.finalize_variable_values([late])
    assert late.numpy() == 0.5 * (0.5 * 10.0 + 0.5 * 8.0) + 0.5 * 6.0


@pytest.mark.parametrize("compiled", [False, True])
def test_averages_of_variables_without_a_gradient(compiled: bool) -> None:
    """They are followed from the first step on, and replace nothing by zeros."""
    used, left = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    optimizer = tf.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5)
    optimizer.build([used, left])

    def step() -> None:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(used * used)
        optimizer.apply_gradients(zip(tape.gradient(y, [used, left]), [used, left], strict=True))

    run = tf.function(step) if compiled else step
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run()
        left.assign([5.0, 4.0])
        run()
    optimizer.finalize_variable_values([used, left])
    np.testing.assert_allclose(left, [4.0, 4.0])
    np.testing.assert_allclose(used, [0.72, 1.44], rtol=1e-6)


def test_a_scaled_loss() -> None:
    """Its gradients are divided again."""
    optimizer, v = tf.optimizers.SGD(0.25, loss_scale_factor=1024.0), tf.Variable(1.0)
    optimizer.minimize(lambda: optimizer.scale_loss(v * v), [v])
    assert v.numpy() == 0.5
    assert tf.optimizers.SGD().scale_loss(2.0) == 2.0


@pytest.mark.parametrize("case", V2, ids=name_of)
def test_configurations(case: dict[str, Any]) -> None:
    """An optimizer is made again from its configuration, which has all its arguments."""
    optimizer, _ = optimizer_of(case)
    config = optimizer.get_config()
    again = type(optimizer).from_config(config)
    assert again.get_config() == config
    assert config.keys() >= case["args"].keys()


@pytest.mark.parametrize(
    ("kind", "name"), [("SGD", "sgd"), ("RMSprop", "rm_sprop"), ("AdamW", "adam_w")]
)
def test_names(kind: str, name: str) -> None:
    """An optimizer is named after its class, or as one wishes."""
    assert MAKERS_V2[kind]().name == name
    assert MAKERS_V2[kind](name="mine").name == "mine"


def test_an_optimizer_of_ones_own() -> None:
    """Overrides `update_step` and `slots`."""

    class Counting(tf.optimizers.Optimizer):
        def slots(self) -> dict[str, float]:
            return {"count": 3.0}

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any:
            count = self.slot(variable, "count")
            return [count.assign_add(tf.ones_like(count)), variable.assign_sub(gradient)]

    v, optimizer = tf.Variable([1.0, 2.0]), Counting()
    optimizer.apply_gradients([(tf.ones([2]), v)])
    assert optimizer.get_slot(v, "count").numpy().tolist() == [4.0, 4.0]
    with pytest.raises(NotImplementedError, match=r"^Optimizer 'Optimizer' must override"):
        tf.optimizers.Optimizer(0.1).apply_gradients([(tf.ones([2]), v)])


def test_an_optimizer_written_for_keras() -> None:
    """Makes its slots in `build`, and finds them by the index of the variable."""

    class Heavy(tf.optimizers.Optimizer):
        def build(self, variables: Any) -> None:
            if self.built:
                return
            super().build(variables)
            self.velocities = [
                self.add_variable_from_reference(v, name="velocity") for v in variables
            ]

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            velocity = self.velocities[self._get_variable_index(variable)]
            self.assign(velocity, 0.5 * velocity - learning_rate * gradient)
            self.assign_add(variable, velocity)

    v, w = pair()
    optimizer = Heavy(learning_rate=1.0)
    for _ in range(2):
        optimizer.apply_gradients([(tf.ones([1, 1]), w), (tf.ones([2]), v)])
    assert v.numpy().tolist() == [-1.5, -0.5]
    assert [x.name for x in optimizer.variables[2:]] == ["w/velocity:0", "v/velocity:0"]
    with pytest.raises(ValueError, match=r"^Unknown variable: 'u:0'. This optimizer can only be"):
        optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0, name="u"))])


# ---- beside Keras -----------------------------------------------------------------------------


def test_a_model_of_keras_takes_our_optimizers() -> None:
    """As its own, of the same settings; one of a class of the program's own it could not train with."""
    get = tf.keras.taking_ours(lambda identifier: identifier)
    made = get(tf.optimizers.SGD(0.5, momentum=0.25))
    assert made["class_name"] == "SGD"
    assert (made["config"]["learning_rate"], made["config"]["momentum"]) == (0.5, 0.25)
    assert get("adam") == "adam"
    assert get(None) is None

    class Own(tf.optimizers.SGD):
        pass

    with pytest.raises(
        ValueError, match=r"by Own.*: derive it from tf\.keras\.optimizers\.Optimizer"
    ):
        get(Own(0.5))


class Wrapped:
    """A library's variable, around one of ours, as Keras's is."""

    _should_act_as_resource_variable = True

    def __init__(self, variable: tf.Variable) -> None:
        self.handle = variable

    @property
    def dtype(self) -> str:
        return str(self.handle.dtype.name)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Nadam", "Lamb", "Adafactor", "Ftrl"])
def test_variables_of_libraries(name: str) -> None:
    """They are trained as those that they hold, which have the slots."""
    (v, w), (x, y) = pair(), pair()
    given = [Wrapped(v), Wrapped(w)]
    one, other = (
        getattr(tf.optimizers, name)(0.1, weight_decay=0.5, use_ema=True) for _ in range(2)
    )
    one.build(given)
    one.exclude_from_weight_decay(given[:1])
    other.exclude_from_weight_decay([x])
    for _ in range(2):
        gradients = tf.ones([2]), tf.ones([1, 1])
        one.apply_gradients(zip(gradients, given, strict=True))
        other.apply_gradients(zip(gradients, (x, y), strict=True))
    assert np.array_equal(v.numpy(), x.numpy())
    assert np.array_equal(w.numpy(), y.numpy())
    assert len(one.variables) == len(other.variables)
    for slot in one.get_slot_names():
        assert one.get_slot(given[0], slot) is one.get_slot(v, slot)
    one.finalize_variable_values(given)
    other.finalize_variable_values([x, y])
    assert np.array_equal(w.numpy(), y.numpy())
    legacy = v1.GradientDescentOptimizer(0.5)
    legacy.minimize(lambda: tf.reduce_sum(v), var_list=given[:1])
    assert np.array_equal(v.numpy(), x.numpy() - 0.5)


def test_what_else_takes_variables_of_libraries() -> None:
    """Forward mode, averages, and the program of a tape."""
    v, _ = pair()
    given: Any = Wrapped(v)
    with tf.autodiff.ForwardAccumulator(given, tf.ones([2])) as accumulator:
        y = v * v
    assert np.array_equal(accumulator.jvp(y), 2.0 * v)
    assert np.array_equal(accumulator.jvp(given), [1.0, 1.0])
    averages = tf.train.ExponentialMovingAverage(0.5)
    averages.apply([given])
    assert averages.average(given) is averages.average(v)
    assert averages.average_name(given) == averages.average_name(v)
    with tf.GradientTape(source_lines=True) as tape:
        total = tf.reduce_sum(v * v)
    assert np.array_equal(tape.source(total, given)([3.0, 4.0])[1], [6.0, 8.0])
    assert np.array_equal(tape.gradient(total, given), 2.0 * v)


def test_a_schedule_that_is_not_ours() -> None:
    """Keras's have a base of the same name, and nothing else in common with ours."""
    base = type("LearningRateSchedule", (), {})
    halving = type(
        "Halving", (base,), {"__call__": lambda self, step: 0.5 ** tf.cast(step, tf.float32)}
    )
    v, _ = pair()
    optimizer = tf.optimizers.SGD(halving())
    for rate in (1.0, 0.5):
        assert optimizer.learning_rate.numpy() == rate
        optimizer.apply_gradients([(tf.ones([2]), v)])
    with pytest.raises(TypeError, match="its learning rate is not settable"):
        optimizer.learning_rate = 0.1


@pytest.mark.parametrize("space", ["losses", "metrics"])
def test_what_tensorflow_has_of_keras(space: str) -> None:
    """Without the package, which says so; what is version 1's is said to be that."""
    part = getattr(tf, space)
    with pytest.raises(
        MissingNameError, match=rf"tf\.{space}\.MeanSquaredError is of the package keras"
    ):
        _ = part.MeanSquaredError
    old = {"losses": "log_loss", "metrics": "mean"}[space]
    with pytest.raises(MissingNameError, match=rf"TensorFlow 1: tf\.compat\.v1\.{space}\.{old}\.$"):
        getattr(part, old)
    assert dir(part) == []
    assert not hasattr(part, "__path__")


# ---- v1 ---------------------------------------------------------------------------------------


def test_v1_minimize_counts_the_step() -> None:
    """In eager mode nothing is returned; without var_list all that the loss reads is trained."""
    v, w = pair()
    step = tf.Variable(np.int64(7))
    optimizer = v1.GradientDescentOptimizer(0.25)
    assert optimizer.minimize(lambda: tf.reduce_sum(v * v) + w[0, 0], global_step=step) is None
    assert (v.numpy().tolist(), w.numpy().item(), step.numpy()) == ([0.5, 1.0], 2.75, 8)
    optimizer.minimize(lambda: tf.reduce_sum(v * v) + w[0, 0], var_list=w)
    assert v.numpy().tolist() == [0.5, 1.0]


def test_v1_gradients_can_be_changed_on_the_way() -> None:
    """compute_gradients and apply_gradients are the two halves; None is left out."""
    v, w = pair()
    optimizer = v1.GradientDescentOptimizer(1.0)
    found = optimizer.compute_gradients(lambda: v * v, [v, w], grad_loss=tf.constant([1.0, 10.0]))
    assert found[0][1] is v
    assert found[1][1] is w
    assert found[0][0].numpy().tolist() == [2.0, 40.0]
    assert found[1][0] is None
    optimizer.apply_gradients([(None if g is None else g / 2.0, x) for g, x in found])
    assert v.numpy().tolist() == [0.0, -18.0]


def test_v1_names() -> None:
    """Slots are named after the variable and the optimizer, as in TensorFlow."""
    v, _ = pair()
    optimizer = v1.AdamOptimizer()
    optimizer.apply_gradients([(tf.ones([2]), v)])
    names = [x.name for x in optimizer.variables()]
    assert names == ["beta1_power:0", "beta2_power:0", "v/Adam:0", "v/Adam_1:0"]
    assert optimizer.get_slot_names() == ["m", "v"]
    assert optimizer.get_slot(v, "m").name == "v/Adam:0"
    assert optimizer.get_slot(v, "nothing") is None
    assert (optimizer.get_name(), v1.AdamOptimizer(name="mine").get_name()) == ("Adam", "mine")
    centered = v1.RMSPropOptimizer(0.1, centered=True)
    centered.apply_gradients([(tf.ones([2]), v)])
    slots = [centered.get_slot(v, name).name for name in ("rms", "mg", "momentum")]
    assert slots == ["v/RMSProp:0", "v/RMSProp_1:0", "v/RMSProp_2:0"]


def test_v1_gates() -> None:
    """The constants have TensorFlow's values."""
    gates = v1.Optimizer.GATE_NONE, v1.Optimizer.GATE_OP, v1.Optimizer.GATE_GRAPH
    assert gates == (0, 1, 2)


def test_v1_hyperparameters_may_be_functions() -> None:
    """They are called at each step."""
    rate, v = [1.0], tf.Variable(4.0)
    optimizer = v1.GradientDescentOptimizer(lambda: rate[0])
    for value in (1.0, 0.5):
        rate[0] = value
        optimizer.apply_gradients([(tf.constant(1.0), v)])
    assert v.numpy() == 2.5


def test_v1_optimizer_of_ones_own() -> None:
    """The methods that TensorFlow calls are called, with its arguments."""

    class Signs(v1.Optimizer):
        def __init__(self) -> None:
            super().__init__(use_locking=False, name="Signs")
            self.finished = 0

        def _create_slots(self, var_list: Any) -> None:
            for variable in var_list:
                self._zeros_slot(variable, "seen", self.get_name())

        def _apply_dense(self, grad: Any, var: Any) -> Any:
            return var.assign_sub(tf.sign(grad))

        def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
            return handle.scatter_sub(tf.IndexedSlices(tf.sign(grad), indices))

        def _finish(self, update_ops: Any, name_scope: str) -> Any:
            self.finished += len(update_ops)
            return super()._finish(update_ops, name_scope)

    optimizer = Signs()
    v, table = tf.Variable([1.0, 2.0], name="v"), tf.Variable(np.ones([4, 2]))
    rows = slices([[1.0, -1.0], [-3.0, -1.0]], [1, 1])
    optimizer.apply_gradients([(tf.constant([7.0, -7.0]), v), (rows, table)])
    assert v.numpy().tolist() == [0.0, 3.0]
    assert table.numpy()[1].tolist() == [2.0, 2.0]  # the repeated rows came summed
    assert optimizer.finished == 2
    assert optimizer.get_slot(v, "seen").name == "v/Signs:0"


def twice(rows: Any) -> Any:
    return tf.IndexedSlices(2 * rows.values, rows.indices, rows.dense_shape)


class Doubling:
    """The gradient twice, in each of the methods that TensorFlow has for it."""

    def _apply_dense(self: Any, grad: Any, var: Any) -> Any:
        return super()._apply_dense(2 * grad, var)  # type: ignore[misc]

    def _resource_apply_dense(self: Any, grad: Any, handle: Any) -> Any:
        return super()._resource_apply_dense(2 * grad, handle)  # type: ignore[misc]

    def _apply_sparse(self: Any, grad: Any, var: Any) -> Any:
        return super()._apply_sparse(twice(grad), var)  # type: ignore[misc]

    def _resource_apply_sparse(self: Any, grad: Any, handle: Any, indices: Any) -> Any:
        return super()._resource_apply_sparse(2 * grad, handle, indices)  # type: ignore[misc]


class DoublingDescent(Doubling, v1.GradientDescentOptimizer):
    """Both kinds of methods."""


class DoublingOldRows(v1.GradientDescentOptimizer):
    """Of both kinds one: the rows come summed, and as the gradient of a whole variable."""

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return super()._apply_dense(2 * grad, var)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        assert grad.indices.numpy().tolist() == [1]
        assert grad.dense_shape.numpy().tolist() == [4, 2]
        return super()._apply_sparse(twice(grad), var)


@pytest.mark.parametrize("kind", [DoublingDescent, DoublingOldRows])
def test_v1_optimizer_that_changes_gradients(kind: Any) -> None:
    """They are changed once, whichever methods are overridden."""
    optimizer = kind(1.0)
    v, table = tf.Variable([1.0, 2.0]), tf.Variable(np.ones([4, 2]))
    rows = slices([[1.0, -1.0], [1.0, 0.0]], [1, 1])
    optimizer.apply_gradients([(tf.constant([1.0, -1.0]), v), (rows, table)])
    assert v.numpy().tolist() == [-1.0, 4.0]
    assert table.numpy()[1].tolist() == [-3.0, 3.0]


class LazyAdam(v1.AdamOptimizer):
    """Adam that leaves rows without a gradient as they are: it reads what TensorFlow's Adam has."""

    def _resource_apply_sparse(self: Any, grad: Any, handle: Any, indices: Any) -> Any:
        power1, power2 = self._get_beta_accumulators()
        rate = self._lr_t * tf.sqrt(1 - power2) / (1 - power1)
        m = (1 - self._beta1_t) * grad
        v = (1 - self._beta2_t) * tf.square(grad)
        step = rate * m / (tf.sqrt(v) + self._epsilon_t)
        return handle.scatter_sub(tf.IndexedSlices(step, indices))


def test_v1_optimizer_that_reads_anothers_numbers() -> None:
    """Under TensorFlow's names, as tensors of the step."""
    table = tf.Variable(tf.ones([3, 1]))
    optimizer = LazyAdam(0.5)
    optimizer.apply_gradients([(tf.IndexedSlices(tf.constant([[4.0]]), [1], [3, 1]), table)])
    np.testing.assert_allclose(table.numpy().ravel(), [1.0, 0.5, 1.0], rtol=1e-6)
    assert [power.numpy().round(6) for power in optimizer._get_beta_accumulators()] == [
        np.float32(0.81),
        np.float32(0.998001),
    ]
    v = tf.Variable([1.0])
    momentum: Any = v1.MomentumOptimizer(lambda: 0.25, 0.5)
    momentum.apply_gradients([(tf.ones([1]), v)])
    assert momentum._learning_rate_tensor.numpy() == 0.25
    assert momentum._momentum_tensor.numpy() == 0.5


# ---- messages ---------------------------------------------------------------------------------


def test_missing_gradients_are_told() -> None:
    """With the names of the variables, and where the user called."""
    v, w = pair()
    with pytest.warns(
        UserWarning, match=r"^Gradients do not exist for variables \['w:0'\]"
    ) as told:
        tf.optimizers.SGD(1.0).apply_gradients([(tf.ones([2]), v), (None, w)])
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        v1.GradientDescentOptimizer(1.0).apply_gradients([(tf.ones([2]), v), (None, w)])
    assert (v.numpy().tolist(), w.numpy().item()) == ([-1.0, 0.0], 3.0)


V = "<tf.Variable 'v:0' shape=\\(2,\\) dtype=float32>"
BOTH = [tf.optimizers.SGD(1.0), v1.GradientDescentOptimizer(1.0)]


@pytest.mark.parametrize("optimizer", BOTH, ids=["v2", "v1"])
@pytest.mark.parametrize(
    ("gradient", "error", "match"),
    [
        (None, ValueError, rf"^No gradients provided for any variable: \[{V}\]. All gradients"),
        (tf.ones([3]), tf.errors.InvalidArgumentError,
         r"^Cannot update variable with shape \[2\] using a Tensor with shape \[3\], shapes must "
         r"be equal. This is the gradient given for variable 'v:0'"),
        (tf.IndexedSlices(tf.ones([1, 3]), [0], [2, 3]), tf.errors.InvalidArgumentError,
         r"using a Tensor with shape \[2,3\]"),
    ],
)  # fmt: skip
def test_bad_gradients(optimizer: Any, gradient: Any, error: Any, match: str) -> None:
    """The variable is named, and what was found."""
    with pytest.raises(error, match=match):
        optimizer.apply_gradients([(gradient, pair()[0])])


@pytest.mark.parametrize("kind", MAKERS_V2)
def test_nothing_to_apply(kind: str) -> None:
    """Without gradients nothing is made or counted."""
    optimizer = MAKERS_V2[kind]()
    with pytest.raises(ValueError, match=r"^No gradients provided for any variable: \[\]"):
        optimizer.apply_gradients([])
    assert len(optimizer.variables) == 2


@pytest.mark.parametrize("optimizer", BOTH, ids=["v2", "v1"])
def test_bad_pairs(optimizer: Any) -> None:
    """What is not a list of (gradient, variable)."""
    v = pair()[0]
    with pytest.raises(TypeError, match=r"^`grads_and_vars` must hold pairs .* found 7"):
        optimizer.apply_gradients([7])
    with pytest.raises(TypeError, match=r"^Argument is not a tf.Variable: 3.0"):
        optimizer.apply_gradients([(tf.ones([2]), 3.0)])
    with pytest.raises(TypeError, match=r"element 1 of `var_list` is 3.0"):
        optimizer.minimize(lambda: v, var_list=[v, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Variable 'n:0' holds no floating"):
        optimizer.apply_gradients([(tf.constant(1), tf.Variable(1, name="n"))])


def test_v1_dtypes_must_agree() -> None:
    """TensorFlow ends the process here."""
    with pytest.raises(
        ValueError, match=r"given for variable 'v:0'. Use tf.cast\(gradient, tf.flo"
    ):
        v1.GradientDescentOptimizer(1.0).apply_gradients([(tf.ones([2], tf.float64), pair()[0])])


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda o, v: o.minimize(tf.reduce_sum(v)), RuntimeError,
         "^`loss` passed to Optimizer.compute_gradients should be a function when eager execution "
         "is enabled."),
        (lambda o, v: o.minimize(lambda: tf.constant(1.0), var_list=[v]), ValueError,
         "^No gradients provided for any variable, check your graph for ops that do not support "
         rf"gradients, between variables \[{V}\] and loss <function"),
        (lambda o, v: o.compute_gradients(lambda: v, gate_gradients=7), ValueError,
         "^gate_gradients must be one of: .* Not 7$"),
        (lambda o, v: o.apply_gradients([]), ValueError, "^No variables provided.$"),
        (lambda o, v: v1.Optimizer(False, ""), ValueError, "^Must specify the optimizer name$"),
        (lambda o, v: v1.Optimizer(False, "X").minimize(lambda: v * v), NotImplementedError,
         r"^Optimizer 'Optimizer' must override `_apply_dense\(self, grad, var\)`"),
        (lambda o, v: v1.AdagradOptimizer(0.1, 0.0), ValueError,
         "^initial_accumulator_value must be positive: 0.0$"),
        (lambda o, v: v1.FtrlOptimizer(0.1, learning_rate_power=1.0), ValueError,
         "learning_rate_power.* needs to be negative or zero"),
        (lambda o, v: o.apply_gradients([(
            slices([[1.0, 1.0]], [0]),
            tf.Variable(np.ones([4, 2]), constraint=tf.nn.relu, name="c"))]), RuntimeError,
         "^Cannot use a constraint function on a sparse variable. .* 'c:0'"),
    ],
)  # fmt: skip
def test_v1_messages(call: Any, error: type[Exception], match: str) -> None:
    """TensorFlow's words."""
    with pytest.raises(error, match=match):
        call(v1.GradientDescentOptimizer(1.0), pair()[0])


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: tf.optimizers.SGD(clipnorm=1.0, clipvalue=2.0),
         "^Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
         "clipnorm=1.0, clipvalue=2.0, global_clipnorm=None$"),
        (lambda: tf.optimizers.SGD(lr=1.0), r"^Argument\(s\) not recognized: {'lr': 1.0}"),
        (lambda: tf.optimizers.SGD("fast"), "^Argument `learning_rate` should be float, .*=fast$"),
        (lambda: tf.optimizers.SGD(momentum=2.0), r"^`momentum` must be a float between \[0, 1\]"),
        (lambda: tf.optimizers.SGD(use_ema=True, ema_momentum=2.0), "^`ema_momentum` must be in"),
        (lambda: tf.optimizers.SGD(use_ema=True, ema_overwrite_frequency=2.0),
         "^`ema_overwrite_frequency` must be an integer >= 1 or None."),
        (lambda: tf.optimizers.SGD(gradient_accumulation_steps=2),
         "^`gradient_accumulation_steps` is not supported"),
        (lambda: tf.optimizers.AdamW(weight_decay=None), "^Argument `weight_decay` must be a float"),  # type: ignore[arg-type]
        (lambda: tf.optimizers.Lion(beta_1=2.0), r"^Argument `beta_1` must be in the \[0, 1\]"),
        (lambda: tf.optimizers.Ftrl(learning_rate_power=1.0), "needs to be negative or zero"),
        (lambda: tf.optimizers.Ftrl(l1_regularization_strength=-1.0),
         "^`l1_regularization_strength` needs to be positive or zero. Received: "
         "l1_regularization_strength=-1.0.$"),
    ],
)  # fmt: skip
def test_v2_arguments(make: Any, match: str) -> None:
    """What cannot be, and what was given."""
    with pytest.raises(ValueError, match=match):
        make()


def test_arguments_as_others_call_them() -> None:
    with pytest.raises(
        ValueError, match=r"not recognized: \{'lr': 0.1\}. Here 'lr' is learning_rate"
    ):
        tf.optimizers.Adam(lr=0.1)
