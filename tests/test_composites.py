"""Values made of tensors: ragged, sparse, and of types that users declare, as TensorFlow has them."""

# mypy: disable-error-code="call-arg,misc,valid-type,name-defined,override,no-any-return"
from __future__ import annotations

import json
from pathlib import Path

import pytest
from composite_programs import GROUPS, text_of

import wengert as tf

RECORDED = json.loads((Path(__file__).parent / "data" / "composites.json").read_text("utf-8"))
HERE = {group: programs(tf) for group, programs in GROUPS.items()}
# Exact reasons why a text differs.
BEYOND = {
    ("ragged", "exp"): "the last digit of exp",
    ("ragged", "softmax"): "the last digit of exp",
    ("ragged", "sigmoid"): "the last digit of exp",
    ("extension types", "many spec"): "a mapping in a spec cannot be changed, either",
    ("extension types", "node"): "a type within a function may name itself",
    ("extension types", "node spec"): "a type within a function may name itself",
}


def _on_one_line(text: str) -> str:
    return text.replace("numpy= ", "numpy=")


@pytest.mark.parametrize(
    ("group", "name"), [(g, n) for g, programs in HERE.items() for n in programs]
)
def test_it_is_as_in_tensorflow(group: str, name: str) -> None:
    """Every program gives the text that TensorFlow gives, or fails with the same kind of error."""
    if (group, name) in BEYOND:
        pytest.skip(BEYOND[group, name])
    found = text_of(HERE[group][name])
    assert _on_one_line(found) == _on_one_line(RECORDED[group][name])


# ---- beyond it ----------------------------------------------------------------------------------


class Pair(tf.experimental.ExtensionType):
    """Two tensors and a name."""

    x: tf.Tensor
    y: tf.Tensor
    name: str = "pair"


def test_the_gradient_of_a_type_is_a_value_of_it() -> None:
    """What is unconnected in part is zero; what is unconnected in whole is None."""
    p, q = Pair([1.0, 2.0], [3.0, 4.0]), Pair(1.0, 2.0)
    with tf.GradientTape() as tape:
        tape.watch([p, q])
        z = tf.reduce_sum(p.x * p.x)
    found, other = tape.gradient(z, [p, q])
    assert found.x.numpy().tolist() == [2.0, 4.0]
    assert found.y.numpy().tolist() == [0.0, 0.0]
    assert other is None


def test_a_function_is_traced_once_for_values_of_one_kind() -> None:
    """Not for every number of values, but for every static field."""
    f = tf.function(lambda p: p.x + p.y)
    f(Pair([1.0], [2.0]))
    f(Pair([3.0], [4.0]))
    assert f.experimental_get_tracing_count() == 1
    f(Pair([3.0], [4.0], "another"))
    assert f.experimental_get_tracing_count() == 2
    rows = tf.function(lambda r: tf.reduce_sum(r, 1))
    for lengths in ([1, 2], [4, 0], [3, 3]):
        rows(tf.RaggedTensor.from_row_lengths(tf.ones([sum(lengths)]), lengths))
    assert rows.experimental_get_tracing_count() == 1


def test_gradients_flow_through_ragged_functions() -> None:
    """tf.gradients of what dispatch computes is that of the same on the values."""
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        r = tf.RaggedTensor.from_row_lengths(x, [2, 0, 1])
        y = tf.reduce_sum(tf.nn.softmax(r) * r) + tf.reduce_sum(tf.reverse(r, [1])[0] * [1.0, 10.0])
    with tf.GradientTape() as plain:
        plain.watch(x)
        z = tf.reduce_sum(tf.nn.softmax(x[:2]) * x[:2]) + x[2] + x[1] + 10.0 * x[0]
    a, b = tape.gradient(y, x).numpy(), plain.gradient(z, x).numpy()
    assert abs(a - b).max() < 1e-6


def test_what_is_made_of_tensors_says_so() -> None:
    """A function that no type answers names the value, and what would help."""
    with pytest.raises(
        ValueError, match=r"is made of tensors, but is not one itself.*dispatch_for_api"
    ):
        tf.reduce_sum(Pair(1.0, 2.0))


def test_users_of_tensorflows_protocol() -> None:
    """A class with a type spec of its own, as libraries write them, in functions, loops and gradients."""

    class Spec(tf.TypeSpec):
        def __init__(self, shape: object, dtype: object) -> None:
            self.shape, self.dtype = tf.TensorShape(shape), tf.as_dtype(dtype)

        value_type = property(lambda self: Scaled)

        def _serialize(self) -> object:
            return self.shape, self.dtype

        @property
        def _component_specs(self) -> object:
            return {
                "values": tf.TensorSpec(self.shape, self.dtype),
                "scale": tf.TensorSpec([], tf.float32),
            }

        def _to_components(self, value: Scaled) -> object:
            return {"values": value.values, "scale": value.scale}

        def _from_components(self, components: dict[str, tf.Tensor]) -> Scaled:
            return Scaled(**components)

    class Scaled(tf.extend.Composite):
        def __init__(self, values: tf.Tensor, scale: tf.Tensor) -> None:
            self.values, self.scale = values, scale

        @property
        def _type_spec(self) -> Spec:
            return Spec(self.values.shape, self.values.dtype)

    s = Scaled(tf.constant([1.0, 2.0]), tf.constant(3.0))
    assert tf.type_spec_from_value(s) == Spec([2], tf.float32)
    assert [t.shape.rank for t in tf.nest.flatten(s, expand_composites=True)] == [0, 1]
    f = tf.function(lambda v: Scaled(v.values * v.scale, v.scale + 1.0))
    assert f(s).values.numpy().tolist() == [3.0, 6.0]
    _, looped = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, f(v)), (0, s))
    assert looped.values.numpy().tolist() == [12.0, 24.0]
    general = Spec([2], tf.float32).most_specific_compatible_type(Spec([3], tf.float32))
    assert general.shape.as_list() == [None]


def test_what_cannot_be_batched_says_so() -> None:
    """By tf.map_fn, whether or not it is told what the results are."""
    for signature in (None, tf.float32):
        with pytest.raises(ValueError, match="BatchableExtensionType"):
            tf.map_fn(lambda p: p.x, Pair([1.0], [2.0]), fn_output_signature=signature)
