"""tf.nest: structures of lists, tuples and dictionaries."""

from __future__ import annotations

import collections
import dataclasses
import re
import types
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wengert as tf


class Point(NamedTuple):
    x: Any
    y: Any


class Field:
    def __init__(self, name: str) -> None:
        self.name = name


class Record:
    """What the attrs library makes, as far as tf.nest looks."""

    __attrs_attrs__ = (Field("left"), Field("right"))

    def __init__(self, left: Any, right: Any) -> None:
        self.left, self.right = left, right

    def __repr__(self) -> str:
        return f"Record({self.left!r}, {self.right!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and (self.left, self.right) == (other.left, other.right)

    __hash__ = None  # type: ignore[assignment]


LEAVES = st.integers() | st.text(max_size=2) | st.none()
STRUCTURES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.builds(Point, inner, inner)
        | st.builds(Record, inner, inner)
        | st.lists(inner, max_size=3).map(collections.deque)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3).map(collections.OrderedDict)
    ),
    max_leaves=12,
)


# ---- laws -------------------------------------------------------------------------------------


@pytest.mark.slow
@given(STRUCTURES)
def test_packing_undoes_flattening(structure: Any) -> None:
    """pack_sequence_as(x, flatten(x)) is x, of the same types."""
    back = tf.nest.pack_sequence_as(structure, tf.nest.flatten(structure))
    assert back == structure
    assert type(back) is type(structure)


@given(STRUCTURES)
def test_flattening_undoes_packing(structure: Any) -> None:
    """flatten(pack_sequence_as(x, leaves)) is leaves."""
    leaves = list(range(len(tf.nest.flatten(structure))))
    assert tf.nest.flatten(tf.nest.pack_sequence_as(structure, leaves)) == leaves


@given(STRUCTURES)
def test_mapping_is_mapping_the_leaves(structure: Any) -> None:
    """map_structure applies the function to each leaf and keeps the structure."""
    mapped = tf.nest.map_structure(repr, structure)
    assert tf.nest.flatten(mapped) == [repr(leaf) for leaf in tf.nest.flatten(structure)]
    tf.nest.assert_same_structure(mapped, structure)


@given(STRUCTURES)
def test_mapping_leaves_the_structure_alone(structure: Any) -> None:
    """The argument is not changed."""
    before = repr(tf.nest.flatten(structure))
    tf.nest.map_structure(lambda leaf: 0, structure)
    assert repr(tf.nest.flatten(structure)) == before


@given(STRUCTURES)
def test_a_structure_with_another_leaf_more_is_another(structure: Any) -> None:
    """assert_same_structure sees what was added."""
    with pytest.raises((ValueError, TypeError), match="don't have the same nested structure"):
        tf.nest.assert_same_structure([structure], [structure, 0])


# ---- what is nested ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("structure", "leaves"),
    [
        (5, [5]),
        (None, [None]),
        ("ab", ["ab"]),
        (b"ab", [b"ab"]),
        ([], []),
        ([[], ()], []),
        ({"b": 2, "a": [1, (3,)]}, [1, 3, 2]),
        (collections.OrderedDict([("b", 1), ("a", 2)]), [2, 1]),
        (collections.defaultdict(list, {"b": 1, "a": 2}), [2, 1]),  # type: ignore[arg-type]
        (collections.UserDict({"b": 1, "a": 2}), [2, 1]),
        (collections.UserList([1, [2]]), [1, 2]),
        (collections.deque([1, 2]), [1, 2]),
        (Point(1, [2]), [1, 2]),
        (Record(1, [2]), [1, 2]),
        (range(3), [0, 1, 2]),
        ({"b": 1, "a": 2}.values(), [1, 2]),
        ({"b": 1}.items(), ["b", 1]),
    ],
    ids=str,
)
def test_flatten(structure: Any, leaves: Any) -> None:
    """Parts in order; those of a dictionary in the order of its keys; strings are leaves."""
    assert tf.nest.flatten(structure) == leaves
    assert tf.nest.is_nested(structure) is (leaves != [structure])


@pytest.mark.parametrize(
    "leaf",
    [
        tf.constant([1, 2]),
        tf.Variable([1, 2]),
        np.array([1, 2]),
        {1, 2},
        tf.TensorShape([1, 2]),
        np.float64(1),
    ],
    ids=lambda leaf: type(leaf).__name__,
)
def test_values_are_leaves(leaf: Any) -> None:
    """Tensors, arrays, shapes and sets have no parts."""
    assert not tf.nest.is_nested(leaf)
    (only,) = tf.nest.flatten(leaf)
    assert only is leaf


def test_references_are_keys() -> None:
    """In some order, the same one each time."""
    a, b = tf.Variable(1.0), tf.constant(2.0)
    named = {a.ref(): "a", b.ref(): "b"}
    assert sorted(tf.nest.flatten(named)) == ["a", "b"]
    assert tf.nest.map_structure(str.upper, named) == {b.ref(): "B", a.ref(): "A"}
    with pytest.raises(TypeError, match="sortable keys"):
        tf.nest.flatten({a.ref(): 1, 2: 3})


def test_keys_must_be_sortable() -> None:
    """A dictionary without an order has no leaves in order."""
    with pytest.raises(TypeError, match=re.escape("sortable keys; got the keys [1, 'a']")):
        tf.nest.flatten({1: 2, "a": 3})


# ---- packing ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("structure", "packed"),
    [
        ([0, 0], [1, 2]),
        ((0, [0]), (1, [2])),
        (Point(0, (0,)), Point(1, (2,))),
        (Record(0, 0), Record(1, 2)),
        (collections.deque([0, 0]), collections.deque([1, 2])),
        (collections.Counter("ab"), collections.Counter({"a": 1, "b": 2})),
        (types.MappingProxyType({"b": 0, "a": 0}), types.MappingProxyType({"a": 1, "b": 2})),
        (range(2), [1, 2]),
        ({"b": 0, "a": 0}.values(), [1, 2]),
    ],
    ids=str,
)
def test_packing_keeps_the_type(structure: Any, packed: Any) -> None:
    """What is packed is what the structure is; a view or a range becomes a list."""
    got = tf.nest.pack_sequence_as(structure, (1, 2))
    assert got == packed
    assert type(got) is type(packed)


def test_packing_keeps_the_order_of_keys() -> None:
    """Leaves come in sorted order, keys stay where they were."""
    packed = tf.nest.pack_sequence_as({"b": 0, "a": 0}, [1, 2])
    assert list(packed.items()) == [("b", 2), ("a", 1)]


def test_packing_keeps_the_default() -> None:
    """A defaultdict goes on making its default."""
    packed = tf.nest.pack_sequence_as(collections.defaultdict(list, {"a": 0}), [1])
    assert (packed["a"], packed["new"]) == (1, [])


@pytest.mark.parametrize(("structure", "expected"), [([0], 1), ([0, [0]], 2), (0, 1), ([], 0)])
def test_packing_counts(structure: Any, expected: int) -> None:
    """Too few and too many leaves are errors that say how many."""
    text = (
        f"Could not pack sequence. Structure had {expected} atoms, but flat_sequence had 3 items."
    )
    with pytest.raises(ValueError, match=re.escape(text)):
        tf.nest.pack_sequence_as(structure, [1, 2, 3])


@pytest.mark.parametrize("flat", [1, "a", {"a": 1}, np.array([1])], ids=str)
def test_packing_needs_a_sequence(flat: Any) -> None:
    """The leaves come in a list or a tuple."""
    text = f"into a structure, but found incompatible type `{type(flat)}` instead."
    with pytest.raises(TypeError, match=re.escape(text)):
        tf.nest.pack_sequence_as([0], flat)


# ---- several structures -----------------------------------------------------------------------


def test_mapping_over_several() -> None:
    """The leaves in the same places meet."""
    a, b = {"x": 1, "y": [2, 3]}, {"y": [20, 30], "x": 10}
    assert tf.nest.map_structure(lambda p, q: p + q, a, b) == {"x": 11, "y": [22, 33]}


def test_a_result_may_be_nested() -> None:
    """What the function returns is a leaf, whatever it is."""
    assert tf.nest.map_structure(lambda v: [v, v], (1, 2)) == ([1, 1], [2, 2])


ALIKE = [
    ([1, 2], [3, 4]),
    (1, 2),
    (None, tf.constant(1.0)),
    ("ab", "c"),
    ({"a": 1}, collections.OrderedDict(a=1)),
    (Point(1, 2), collections.namedtuple("Point", "x y")(3, 4)),  # type: ignore[arg-type, call-arg]
]
DIFFERENT = [
    ([1, 2], [3], ValueError, "[1, 2] has 2. Second structure: [3] has 1."),
    ([1, [2]], [3, 4], ValueError, "[2] is a sequence, while substructure 4 is not."),
    (1, [2], ValueError, "[2] is a sequence, while substructure 1 is not."),
    ("ab", ["a", "b"], ValueError, "is not."),
    ({"a": 1}, {"b": 1}, ValueError, "has keys ['a'], while second structure has keys ['b']."),
    (
        {"a": 1},
        {"a": 1, "b": 2},
        ValueError,
        "has keys ['a'], while second structure has keys ['a', 'b'].",
    ),
    ([1, 2], (3, 4), TypeError, "has type list, while second structure (3, 4) has type tuple."),
    ([], (), TypeError, "don't have the same sequence type"),
    (
        Point(1, 2),
        (1, 2),
        TypeError,
        "has type Point, while second structure (1, 2) has type tuple.",
    ),
    (
        Point(1, 2),
        collections.namedtuple("Point", "x z")(1, 2),  # type: ignore[arg-type, call-arg]
        TypeError,
        "has type Point, while second structure Point(x=1, z=2) has type Point.",
    ),
]


@pytest.mark.parametrize(("one", "other"), ALIKE, ids=str)
def test_the_same_structure(one: Any, other: Any) -> None:
    """Leaves do not matter; dictionaries and namedtuples are alike by their keys."""
    tf.nest.assert_same_structure(one, other)
    tf.nest.map_structure(lambda a, b: None, one, other)


@pytest.mark.parametrize(("one", "other", "error", "why"), DIFFERENT, ids=str)
def test_different_structures(one: Any, other: Any, error: Any, why: str) -> None:
    """The error shows both structures and the first difference."""
    text = (
        "The two structures don't have the same nested structure.\n\n"
        f"First structure: {one!r}\n\nSecond structure: {other!r}\n\nMore specifically: "
    )
    with pytest.raises(error, match=f"{re.escape(text)}.*{re.escape(why)}"):
        tf.nest.assert_same_structure(one, other)
    with pytest.raises(error, match=re.escape(why)):
        tf.nest.map_structure(lambda a, b: None, one, other)


def test_types_need_not_be_the_same() -> None:
    """With check_types=False a list is like a tuple, and keys may differ; lengths may not."""
    tf.nest.assert_same_structure([1, 2], (3, 4), check_types=False)
    tf.nest.assert_same_structure({"a": 1}, {"b": 1}, check_types=False)
    assert tf.nest.map_structure(lambda a, b: a + b, [1], (2,), check_types=False) == [3]
    with pytest.raises(ValueError, match="the same number of elements"):
        tf.nest.assert_same_structure([1, 2], (3,), check_types=False)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tf.nest.map_structure(abs), ValueError, "Must provide at least one structure"),
        (lambda: tf.nest.map_structure(3, [1]), TypeError, "func must be callable, got: 3"),  # type: ignore[arg-type]
        (
            lambda: tf.nest.map_structure(abs, [1], foo=2),
            ValueError,
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: `foo`",
        ),
    ],
)
def test_misuse_of_map_structure(call: Any, error: Any, text: str) -> None:
    """The error says what was given."""
    with pytest.raises(error, match=re.escape(text)):
        call()


# ---- classes that say their parts -------------------------------------------------------------


@dataclasses.dataclass
class Layer:
    """Nested, as TensorFlow lets a dataclass say it."""

    name: str
    weight: Any
    bias: Any

    def __tf_flatten__(self) -> tuple[Any, Any]:
        return (self.name,), (self.weight, self.bias)

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, parts: Any) -> Layer:
        return cls(*metadata, *parts)


def test_a_dataclass_that_says_its_parts() -> None:
    layer = Layer("dense", 1.0, [2.0, 3.0])
    assert tf.nest.flatten(layer) == [1.0, 2.0, 3.0]
    assert tf.nest.map_structure(lambda v: v + 1.0, layer) == Layer("dense", 2.0, [3.0, 4.0])
    x = tf.constant(3.0)
    f = tf.function(lambda layer: Layer(layer.name, layer.weight * x, layer.bias))
    made = f(Layer("dense", x, x))
    assert (made.name, float(made.weight)) == ("dense", 9.0)
    assert f(Layer("other", x, x)).name == "other"  # another trace
    assert f.experimental_get_tracing_count() == 2
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = Layer("dense", x * x, x)
    gradient = tape.gradient(y, Layer("d", x, [x]))
    assert (gradient.name, float(gradient.weight), float(gradient.bias[0])) == ("d", 7.0, 7.0)


def test_another_dataclass_is_a_leaf() -> None:
    @dataclasses.dataclass
    class Pair:
        a: int

    pair = Pair(1)
    assert tf.nest.flatten([pair])[0] is pair


# ---- composites -------------------------------------------------------------------------------


def test_a_composite_is_a_leaf_unless_it_is_expanded() -> None:
    """IndexedSlices come apart, and together again, by request."""
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([2]), [3, 1])
    assert tf.nest.flatten([slices])[0] is slices
    doubled = tf.nest.map_structure(lambda t: t * 2, [slices], expand_composites=True)[0]
    assert isinstance(doubled, tf.IndexedSlices)
    assert (doubled.values.numpy().tolist(), doubled.indices.numpy().tolist()) == ([[2.0]], [4])
    with pytest.raises(TypeError, match="only one of them is composite"):
        tf.nest.assert_same_structure([slices], [1.0], expand_composites=True)
