"""tf.random.Generator as an object; that its numbers are TensorFlow's is shown in test_random.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.api.variables import generator

Generator = tf.random.Generator


@pytest.fixture
def nobodys_generator() -> Iterator[None]:
    """The global generator as it is before anybody asked."""
    before = list(generator._global)
    generator._global.clear()
    yield
    generator._global[:] = before


def test_state_is_a_variable_that_is_not_trained() -> None:
    """It can be saved and shared, and a tape does not watch it."""
    g = Generator.from_seed(1)
    assert isinstance(g.state, tf.Variable)
    assert not g.state.trainable
    with tf.GradientTape() as tape:
        g.normal([2])
    assert tape.watched_variables() == ()


def test_a_given_variable_is_used() -> None:
    """A generator made from a variable goes on in it."""
    state = tf.Variable([1, 0, 0], dtype=tf.int64)
    g = Generator.from_state(state, "philox")
    assert g.state is state
    g.skip(1)
    assert state.numpy().tolist() == [257, 0, 0]


def test_copies_go_their_own_way() -> None:
    """A copy draws the same numbers, and leaves the original where it is."""
    g = Generator.from_seed(1)
    h = Generator(copy_from=g)
    assert h.normal([3]).numpy().tolist() == g.normal([3]).numpy().tolist()
    h.normal([3])
    assert h.state.numpy().tolist() != g.state.numpy().tolist()


def test_skip_is_drawing_without_numbers() -> None:
    """Behind n skipped numbers comes what comes behind n drawn ones."""
    g, h = Generator.from_seed(1), Generator.from_seed(1)
    g.uniform([2, 3])
    h.skip(6)
    assert g.uniform([2]).numpy().tolist() == h.uniform([2]).numpy().tolist()


def test_the_counter_carries() -> None:
    """The counter has 128 bits."""
    g = Generator.from_state([-1, 5, 6], 1)
    before = g.skip(1)
    assert before.numpy().tolist() == [-1, 5, 6]
    assert g.state.numpy().tolist() == [255, 6, 6]


def test_split_generators_differ() -> None:
    """From each other and from their parent."""
    g = Generator.from_seed(1)
    numbers = [x.normal([3]).numpy().tolist() for x in (*g.split(3), g)]
    assert len({tuple(n) for n in numbers}) == 4


def test_seeds_for_stateless_operations() -> None:
    """A column of make_seeds is a seed."""
    seeds = Generator.from_seed(1).make_seeds(3)
    assert seeds.shape == (2, 3)
    assert tf.random.stateless_uniform([2], seeds[:, 0]).shape == (2,)


def test_gradients_reach_moments() -> None:
    """As in the functions."""
    g, mean = Generator.from_seed(1), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(mean)
        y = g.normal([4], mean) + g.truncated_normal([4], mean) + g.uniform([4], 0.0, mean)
    assert 8.0 < tape.gradient(y, mean).numpy() < 12.0


def test_chance_decides() -> None:
    """Generators without a seed differ."""
    a, b = (Generator.from_non_deterministic_state() for _ in range(2))
    assert a.state.numpy().tolist() != b.state.numpy().tolist()


@pytest.mark.usefixtures("nobodys_generator")
def test_the_global_generator() -> None:
    """It is made once, and can be replaced."""
    first = tf.random.get_global_generator()
    assert tf.random.get_global_generator() is first
    mine = Generator.from_seed(1)
    tf.random.set_global_generator(mine)
    assert tf.random.get_global_generator() is mine


def test_algorithms() -> None:
    """By number, name and member; ThreeFry is for other devices."""
    for alg in (1, "philox", "Philox", tf.random.Algorithm.PHILOX):
        assert Generator.from_seed(1, alg).algorithm == 1
    assert Generator.from_seed(1, "auto_select").algorithm == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unsupported algorithm id: 2"):
        Generator.from_seed(1, "threefry")


def test_states_must_have_their_size() -> None:
    """Three integers, or a key and a counter of two."""
    with pytest.raises(ValueError, match="are incompatible"):
        Generator.from_state([1, 2], 1)
    with pytest.raises(ValueError, match="are incompatible"):
        Generator.from_seed(1).reset_from_key_counter(1, [2])
    with pytest.raises(ValueError, match="needs both `state` and `alg`"):
        Generator()
    with pytest.raises(ValueError, match="not both"):
        Generator(copy_from=Generator.from_seed(1), alg=1)


def test_integers_need_both_bounds_or_none() -> None:
    """One alone is refused."""
    with pytest.raises(ValueError, match="must be both None or not None"):
        Generator.from_seed(1).uniform([2], 0, None, tf.int32)


def test_integers_of_all_bits() -> None:
    """In the dtype asked for, uint64 by default."""
    g = Generator.from_seed(1)
    assert g.uniform_full_int([2]).dtype is tf.uint64
    assert g.uniform_full_int([2], tf.int32).dtype is tf.int32
    assert np.unique(g.uniform_full_int([1000]).numpy()).size == 1000


@pytest.mark.parametrize(
    "draw",
    [
        lambda g: g.normal([-1]),
        lambda g: g.uniform([2], minval=2, maxval=1, dtype=tf.int32),
        lambda g: g.uniform([2], dtype=tf.string),
        lambda g: g.binomial([2], [1.0, 2.0, 3.0], [0.5]),
        lambda g: g.normal([2], mean=[1.0, 2.0, 3.0]),
        lambda g: g.normal([1 << 40, 1 << 40]),
    ],
)
def test_an_error_leaves_the_state_as_it_was(draw: Any) -> None:
    generator = tf.random.Generator.from_seed(1)
    before = generator.state.numpy()
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError, ValueError)):
        draw(generator)
    np.testing.assert_array_equal(generator.state, before)


def test_sizes_that_are_not_known() -> None:
    """In a function that was traced for any number of rows it draws what it draws in eager mode."""
    g, h = Generator.from_seed(7), Generator.from_seed(7)

    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def f(x: Any) -> Any:
        return x + g.normal(tf.shape(x))

    for rows in (2, 0, 3):
        x = tf.ones([rows, 4])
        assert f(x).numpy().tolist() == (x + h.normal([rows, 4])).numpy().tolist()
    assert g.state.numpy().tolist() == h.state.numpy().tolist()
