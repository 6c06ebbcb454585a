"""Random networks whose gradients are overridden: wherever the rule is given, the gradient is the same.

What is expected comes from networks without overrides, whose overridden parts are custom gradients.
WENGERT_DRAWS is how many networks are drawn; twenty thousand take half an hour.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

import wengert as tf
from wengert.errors import OverrideError

v1 = tf.compat.v1

DRAWS = int(os.environ.get("WENGERT_DRAWS", "300"))
PARTS = 10
BATCH = 3

# ---- rules ------------------------------------------------------------------------------------

# (x, y, g): of the input, the result and the gradient of an operation
RULES: dict[str, Callable[..., Any]] = {
    "reads nothing": lambda x, y, g: 0.7 * g,
    "reads the input": lambda x, y, g: g * x,
    "reads the result": lambda x, y, g: g * (y + 0.5),
    "reads both": lambda x, y, g: g * tf.cos(x) * (1.0 + 0.1 * y),
}
# Operation types whose gradient may be taken, as formulas.
OTHERS: dict[str, Callable[..., Any]] = {
    "Identity": lambda x, y, g: g,
    "Sin": lambda x, y, g: g * tf.cos(x),
    "Square": lambda x, y, g: g * (2.0 * x),
    "Atan": lambda x, y, g: g / (1.0 + x * x),
}
ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "Relu": tf.nn.relu,
    "Softplus": tf.nn.softplus,
    "Softsign": tf.nn.softsign,
    "Elu": tf.nn.elu,
}


def registered(name: str) -> str:
    return f"TestDrawn {name}"


for _name, _rule in RULES.items():
    tf.RegisterGradient(registered(_name))(
        lambda op, g, rule=_rule: rule(op.inputs[0], op.outputs[0], g)
    )


def of_region(region: Any, *gs: Any) -> list[Any]:
    """A rule for a name scope, which reads all inputs."""
    return region_rule(region.inputs, gs)


def region_rule(xs: Sequence[Any], gs: Sequence[Any]) -> list[Any]:
    return [tf.add_n([tf.reduce_mean(g) for g in gs]) * (0.5 * x + 0.1) for x in xs]


# ---- networks ---------------------------------------------------------------------------------


class Step(NamedTuple):
    """One operation on the value so far and an operand."""

    what: str  # of STEPS
    kind: str  # of KINDS
    value: Any  # the operand's


class Layer(NamedTuple):
    steps: list[Step]
    activation: str


class Network(NamedTuple):
    """What is computed, and which of the operations have another gradient."""

    dtype: str
    x: Any
    layers: list[Layer]
    scoped: bool
    selector: str
    chosen: str | int  # the type, or the layer
    form: str  # "function", "registered" or "type"
    rule: str  # of RULES or OTHERS
    watches_x: bool


STEPS: dict[str, Callable[..., Any]] = {
    "matmul": lambda h, w: tf.matmul(h, w),
    "add": lambda h, b: h + b,
    "subtracted": lambda h, b: b - h,
    "times": lambda h, b: h * b,
    "divided": lambda h, b: h / b,
    "joined": lambda h, b: tf.concat([h, h * b], axis=1)[:, : h.shape[1]],
}
KINDS = ("variable", "slice", "constant", "array", "number", "untrainable", "watched")


def drawn(seed: int) -> Network:
    draw = np.random.default_rng(seed)
    dtype = str(draw.choice(["float32", "float64"]))
    n = int(draw.integers(1, 5))
    x = draw.normal(size=(BATCH, n)).astype(dtype)
    layers = []
    for _ in range(int(draw.integers(1, 7))):
        steps = [_step(draw, n, dtype) for _ in range(int(draw.integers(1, 4)))]
        layers.append(Layer(steps, str(draw.choice(list(ACTIVATIONS)))))
    scoped = bool(draw.integers(2))
    selector = str(draw.choice(["type", "predicate", *(["name", "scope"] if scoped else [])]))
    at = int(draw.integers(len(layers)))
    form = str(draw.choice(["function", "registered", "type"]))
    rule = str(draw.choice(list(OTHERS if form == "type" else RULES)))
    chosen = layers[at].activation if selector in ("type", "predicate") else at
    return Network(dtype, x, layers, scoped, selector, chosen, form, rule, bool(draw.integers(4)))


def _step(draw: Any, n: int, dtype: str) -> Step:
    what = str(draw.choice(list(STEPS)))
    kind = str(draw.choice(KINDS))
    if what == "matmul":
        kind = "variable" if kind == "number" else kind
        return Step(what, kind, (draw.normal(size=(n, n)) / np.sqrt(n)).astype(dtype))
    away_from_zero = 1.5 if what == "divided" else 0.0
    if kind == "number":
        return Step(what, kind, away_from_zero + float(np.abs(draw.normal())))
    shape = [(), (n,), (1, n), (BATCH, 1)][int(draw.integers(4))]
    if kind == "slice" and shape == ():
        shape = (n,)
    value = draw.normal(size=shape)
    if away_from_zero:
        value = away_from_zero + np.abs(value)
    return Step(what, kind, value.astype(dtype))


class Operands:
    """The operands of a network as one run of it sees them, made once."""

    def __init__(self, network: Network) -> None:
        self._made = [[_operand(s) for s in layer.steps] for layer in network.layers]
        steps = [s for layer in network.layers for s in layer.steps]
        made = [o for layer in self._made for o in layer]
        self.trained = [o for s, o in zip(steps, made, strict=True) if s.kind in FOLLOWED]
        self.watched = [o for s, o in zip(steps, made, strict=True) if s.kind == "watched"]

    def of(self, layer: int) -> list[Any]:
        return self._made[layer]


FOLLOWED = ("variable", "slice", "watched")


def _operand(step: Step) -> Any:
    if step.kind in ("variable", "untrainable"):
        return tf.Variable(step.value, trainable=step.kind == "variable", dtype=step.value.dtype)
    if step.kind == "slice":
        more = np.concatenate([step.value, 9.0 * np.ones_like(step.value)])
        return tf.Variable(more.astype(step.value.dtype), dtype=step.value.dtype)
    return tf.constant(step.value) if step.kind in ("constant", "watched") else step.value


def computed(network: Network, operands: Operands, x: Any) -> Any:
    """The network as somebody else wrote it."""
    h = x
    for i, layer in enumerate(network.layers):
        if network.scoped:
            with tf.name_scope(f"layer{i}"):
                h = _through(layer, operands.of(i), h, ACTIVATIONS[layer.activation])
        else:
            h = _through(layer, operands.of(i), h, ACTIVATIONS[layer.activation])
    return h


def _through(layer: Layer, operands: Sequence[Any], h: Any, activation: Any) -> Any:
    for step, operand in zip(layer.steps, operands, strict=True):
        part = operand[: len(step.value)] if step.kind == "slice" else operand
        h = STEPS[step.what](h, part)
    return activation(h)


# ---- what is expected: custom gradients in place of overrides -----------------------------------


def expected_computed(network: Network, operands: Operands, x: Any) -> Any:
    h, follows = x, network.watches_x
    for i, layer in enumerate(network.layers):
        plain = ACTIVATIONS[layer.activation]
        if network.selector == "scope" and network.chosen == i:
            h = _as_one(layer, operands.of(i), h, plain, follows)
        else:
            other = network.chosen in (layer.activation, i)
            h = _through(layer, operands.of(i), h, _other(network, plain) if other else plain)
        follows = follows or any(s.kind in FOLLOWED for s in layer.steps)
    return h


def _other(network: Network, plain: Any) -> Any:
    """The activation with the other rule, also for what the rule reads."""
    rule = {**RULES, **OTHERS}[network.rule]

    @tf.custom_gradient
    def activation(x: Any) -> Any:
        return plain(x), lambda g: rule(x, activation(x), g)

    return activation


def _as_one(layer: Layer, operands: Sequence[Any], h: Any, plain: Any, follows: bool) -> Any:
    """A layer as one operation on what is followed, in the order of use."""
    at = [i for i, s in enumerate(layer.steps) if s.kind in FOLLOWED]

    @tf.custom_gradient
    def whole(*xs: Any) -> Any:
        first = xs[0] if follows else h
        rest = dict(zip(at, xs[follows:], strict=True))
        values = [rest.get(i, operand) for i, operand in enumerate(operands)]
        return _through(layer, values, first, plain), lambda g: region_rule(xs, [g])

    followed = [operands[i] for i in at]
    xs = [h] * follows + [x.read_value() if isinstance(x, tf.Variable) else x for x in followed]
    return whole(*xs)


# ---- where the rule is given --------------------------------------------------------------------


def overrides_of(network: Network) -> Any:
    if network.selector == "scope":
        return {f"layer{network.chosen}/": of_region}
    rule = rule_of(network)
    if network.selector == "name":
        activation = network.layers[int(network.chosen)].activation
        return {("name", f"layer{network.chosen}/{activation}"): rule}
    if network.selector == "predicate":
        return [(lambda op: op.type == network.chosen and op.inputs[0].shape.rank == 2, rule)]
    return {network.chosen: rule}


def rule_of(network: Network) -> Any:
    if network.form == "type":
        return network.rule
    if network.form == "registered":
        return registered(network.rule)
    rule = RULES[network.rule]
    return lambda op, g: rule(op.inputs[0], op.outputs[0], g)


class Program(NamedTuple):
    """The network with the sources of its gradients."""

    network: Network
    operands: Operands
    compute: Callable[..., Any]
    overrides: Any

    def recorded(self, x: Any, persistent: bool = False) -> tuple[Any, Any]:
        with tf.GradientTape(persistent=persistent) as tape:
            self.watch(tape, x)
            y = self.compute(self.network, self.operands, x)
        return tape, y

    def watch(self, tape: Any, x: Any) -> None:
        tape.watch(self.operands.watched)
        if self.network.watches_x:
            tape.watch(x)

    def sources(self, x: Any) -> list[Any]:
        return [x] * self.network.watches_x + self.operands.trained

    def gradient(self, x: Any) -> list[Any]:
        tape, y = self.recorded(x)
        return tape.gradient(y, self.sources(x), overrides=self.overrides)

    def jacobian(self, x: Any) -> list[Any]:
        tape, y = self.recorded(x)
        return tape.jacobian(y, self.sources(x), overrides=self.overrides)

    def rows(self, x: Any) -> list[Any]:
        tape, y = self.recorded(x, persistent=True)
        return tape.jacobian(
            y, self.sources(x), experimental_use_pfor=False, overrides=self.overrides
        )

    def batch_jacobian(self, x: Any) -> list[Any]:
        tape, y = self.recorded(x)
        return [tape.batch_jacobian(y, self.sources(x)[0], overrides=self.overrides)]

    def second(self, x: Any) -> list[Any]:
        with tf.GradientTape() as tape:
            self.watch(tape, x)
            first = [g for g in self.gradient(x) if g is not None]
            total = tf.add_n([tf.reduce_sum(tf.sqrt(1.0 + g * g)) for g in first]) if first else x
        sources = self.sources(x)
        try:
            return tape.gradient(total, sources, overrides=self.overrides)
        except OverrideError:  # by a rule that reads nothing the gradient may depend on nothing
            return [None] * len(sources)

    def traced(self, ask: Callable[..., Any]) -> list[Any]:
        """The gradient taken in a function."""
        return tf.function(lambda x: ask(self, x))(tf.constant(self.network.x))

    def called(self, ask: Callable[..., Any]) -> list[Any]:
        """The gradient of a function."""
        inner = tf.function(lambda x: self.compute(self.network, self.operands, x))
        through = self._replace(compute=lambda network, operands, x: inner(x))
        return ask(through, tf.constant(self.network.x))


def matches(network: Network) -> bool:
    """Whether an operation whose rule is replaced stands between a source and the result."""
    follows = network.watches_x
    for i, layer in enumerate(network.layers):
        follows = follows or any(s.kind in FOLLOWED for s in layer.steps)
        if follows and network.chosen in (layer.activation, i):
            return True
    return False


ASKED = (Program.gradient, Program.jacobian, Program.rows, Program.batch_jacobian, Program.second)


def where_recorded(network: Network, computed: Any) -> Any:
    """The network under a map; other selectors have no map."""
    rule = rule_of(network)

    def under_map(network: Network, operands: Operands, x: Any) -> Any:
        with tf.gradient_override_map({network.chosen: rule}):
            return computed(network, operands, x)

    return under_map


def in_session(network: Network) -> list[Any]:
    """The gradient by tf.gradients, run by a session."""
    with tf.Graph().as_default():
        operands = Operands(network)
        program = Program(network, operands, computed, None)
        x = tf.constant(network.x)
        y = computed(network, operands, x)
        gradients = tf.gradients(y, program.sources(x), overrides=overrides_of(network))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            return [None if g is None else session.run(tf.convert_to_tensor(g)) for g in gradients]


def check(seed: int) -> None:
    network = drawn(seed)
    draw = np.random.default_rng([seed, 1])
    operands = Operands(network)
    if not (network.watches_x or operands.trained):
        return
    ask = ASKED[int(draw.integers(len(ASKED)))]
    if ask is Program.batch_jacobian and not network.watches_x:
        ask = Program.gradient
    reference = Program(network, operands, expected_computed, None)
    program = Program(network, operands, computed, overrides_of(network))
    places = ["eager", "in a function", "of a function", "session"]
    places += ["recorded"] * (network.selector == "type")
    place = places[int(draw.integers(len(places)))]
    if ask is Program.rows and place == "in a function":
        ask = Program.jacobian
    if place != "recorded" and not matches(network):
        with pytest.raises(OverrideError, match="matched no operation"):
            ask(program, tf.constant(network.x))
        return
    if place == "session":
        ask, found = Program.gradient, in_session(network)
    elif place == "recorded":
        under = program._replace(compute=where_recorded(network, computed), overrides=None)
        found = ask(under, tf.constant(network.x))
    elif place == "in a function":
        found = program.traced(ask)
    elif place == "of a function":
        found = program.called(ask)
    else:
        found = ask(program, tf.constant(network.x))
    expected = ask(reference, tf.constant(network.x))
    described = f"seed {seed}: {ask.__name__}, {place}, {network}"
    for g, e in zip(found, expected, strict=True):
        if (
            ask is Program.second
        ):  # a traced gradient may be zeros where nothing depends on a source
            g, e = _zeros_for_none(g, e), _zeros_for_none(e, g)
        agree(g, e, network.dtype, described)


def _zeros_for_none(g: Any, other: Any) -> Any:
    return tf.zeros_like(other) if g is None and other is not None else g


def agree(g: Any, e: Any, dtype: str, described: str) -> None:
    assert (g is None) == (e is None), described
    if e is None:
        return
    g, e = np.asarray(tf.convert_to_tensor(g)), np.asarray(tf.convert_to_tensor(e))
    assert g.dtype == e.dtype, described
    share = 1e-3 if dtype == "float32" else 1e-9
    np.testing.assert_allclose(
        g, e, rtol=share, atol=share * max(1.0, float(np.abs(e).max(initial=0))), err_msg=described
    )


@pytest.mark.parametrize("part", range(PARTS))
def test_an_override_is_the_same_wherever_it_is_given(part: int) -> None:
    for seed in range(part, DRAWS, PARTS):
        check(seed)
