"""Small things that programs written after TensorFlow's guides do, and the messages their readers see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import wengert as tf

# ---- devices ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cpu", "CPU", "/cpu", "gpu", "/job:localhost/cpu"])
def test_a_device_without_a_number(name: str) -> None:
    with tf.device(name):
        assert (tf.constant(2) * 3).numpy() == 6
    spec = tf.DeviceSpec.from_string(name)
    assert spec.device_type in ("CPU", "GPU")
    assert spec.device_index is None


def test_the_number_of_a_device_is_merged_in() -> None:
    outer = tf.DeviceSpec.from_string("cpu")
    assert outer.to_string() == "/device:CPU:*"
    inner = tf.DeviceSpec.from_string("/job:j/cpu:1")
    assert outer.make_merged_spec(inner).to_string() == "/job:j/device:CPU:1"
    assert repr(inner) == (
        "<DeviceSpec(job=j, replica=None, task=None, device_type=CPU, device_index=1)>"
    )
    with pytest.raises(ValueError, match="Unknown attribute 'disk'"):
        tf.DeviceSpec.from_string("/job:j/disk")


# ---- loops over datasets --------------------------------------------------------------------------


def _lists(*lists: list[int]) -> Any:
    return tf.data.Dataset.from_generator(
        lambda: lists, output_signature=tf.TensorSpec([None], tf.int32)
    )


def test_a_loop_over_a_dataset_may_make_shapes_more_general() -> None:
    traced = []

    @tf.function
    def joined(lists: Any) -> Any:
        found, rounds = tf.zeros([0], tf.int32), 0
        for one in lists:
            traced.append(found.shape)
            if tf.size(one) == 0:
                break
            found = tf.concat([found, one], 0)
            rounds += 1
        assert found.shape.as_list() == [None]
        return found, rounds

    found, rounds = joined(_lists([4], [5, 6], [], [7]))
    assert (found.numpy().tolist(), rounds.numpy()) == ([4, 5, 6], 2)
    assert [shape.as_list() for shape in traced] == [[0], [None]]


def test_it_may_lose_the_rank_and_the_gradient_flows() -> None:
    pairs = tf.data.Dataset.from_generator(lambda: [(1.0, 2.0), (3.0, 5.0)], (tf.float32,) * 2)

    @tf.function
    def distance(pairs: Any, scale: Any) -> Any:
        total = tf.constant(0.0)
        for x, y in pairs:
            total += scale * tf.abs(y - x)
        assert total.shape.rank is None
        return total

    scale = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        total = distance(pairs, scale)
    assert total.numpy() == 6.0
    assert tape.gradient(total, scale).numpy() == 3.0


def test_other_loops_keep_their_shapes() -> None:
    @tf.function
    def joined(lists: Any) -> Any:
        found = tf.zeros([0], tf.int32)
        for one in iter(lists):
            found = tf.concat([found, one], 0)
        return found

    with pytest.raises(ValueError, match=r"shape \(0,\) before the loop, but shape \(None,\)"):
        joined(_lists([4], [5, 6]))


def test_next_of_an_iterator() -> None:
    iterator = iter(tf.data.Dataset.range(1))
    assert iterator.next().numpy() == 0
    with pytest.raises(StopIteration):
        iterator.next()


# ---- extension types ------------------------------------------------------------------------------


class Parcel(tf.experimental.ExtensionType):
    """Fields of several kinds."""

    weight: tf.Tensor
    label: str = ""
    sizes: tuple[int, ...] = ()
    prices: Mapping[str, tf.Tensor] = {}
    shape_inside: tf.TensorShape = tf.TensorShape([])
    number: int | str = 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"weight": None}, "weight: expected a Tensor, got 'NoneType'"),
        ({"label": 3}, "label: expected 'str', got 'int'"),
        ({"sizes": 3}, "sizes: expected tuple, got 'int'"),
        ({"sizes": [3, 4.5]}, "sizes[1]: expected 'int', got 'float'"),
        ({"prices": 3}, "prices: expected mapping, got 'int'"),
        ({"prices": {3: 4}}, "prices[<key>]: expected 'str', got 'int'"),
        ({"prices": {"a": None}}, "prices['a']: expected a Tensor, got 'NoneType'"),
        ({"shape_inside": "x"}, "shape_inside: expected 'tf.TensorShape', got 'str'"),
        ({"number": 2.5}, "number: expected int | str, got 'float'"),
    ],
)
def test_a_field_says_what_it_expected(given: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError) as caught:
        Parcel(**{"weight": 1.0, **given})
    assert str(caught.value) == said


def test_a_value_is_not_changed() -> None:
    parcel: Any = Parcel(**{"weight": 1.0})
    said = "Cannot mutate attribute `label` outside the custom constructor of ExtensionType."
    with pytest.raises(AttributeError) as caught:
        parcel.label = "x"
    assert str(caught.value) == said
    with pytest.raises(AttributeError) as caught:
        del parcel.label
    assert str(caught.value) == said


def test_a_constructor_sets_the_fields_all_of_them_and_nothing_else() -> None:
    class Half(tf.experimental.ExtensionType):
        x: tf.Tensor
        y: int = 2

        def __init__(self, x: Any) -> None:
            self.x = x

    with pytest.raises(ValueError, match=r"Missing required fields: \{'y'\}"):
        Half(1.0)

    class More(tf.experimental.ExtensionType):
        x: tf.Tensor

        def __init__(self, x: Any) -> None:
            self.x = x
            self.y = x

    with pytest.raises(AttributeError, match="`y`"):
        More(1.0)


# ---- labels -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [[0, 1], [False, True], tf.constant([0, 1]), np.array([0, 1]), tf.constant([0, 1], tf.float64)],
)
def test_labels_of_any_dtype_become_what_the_logits_are(labels: Any) -> None:
    logits = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
    assert loss.dtype is tf.float32
    assert loss.numpy().round(4) == np.float32(0.3133)
    assert tape.gradient(loss, logits).numpy().round(3).tolist() == [
        np.float32(0.269),
        np.float32(-0.269),
    ]


# ---- indices of ragged tensors --------------------------------------------------------------------


@pytest.mark.parametrize("key", ["a", 1.5, (0, 1.5), slice(None, 1.5), tf.constant(1.0), ("a", 0)])
def test_what_is_no_index_of_a_ragged_tensor(key: Any) -> None:
    with pytest.raises(TypeError, match=r"Only integers, slices \(`:`\), ellipsis"):
        tf.ragged.constant([[1, 2], [], [3]])[key]


def test_a_row_that_is_not_there() -> None:
    r = tf.ragged.constant([[1, 2], [], [3]])
    with pytest.raises(IndexError, match="Row key 5 out of bounds"):
        r[5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        r[-4]
    assert r[[0, 1]].numpy() == r[0, 1].numpy() == 2
    assert r[tf.constant(2)].numpy().tolist() == r[np.int64(-1)].numpy().tolist() == [3]


# ---- messages -----------------------------------------------------------------------------------


def test_what_readers_of_the_guides_are_told() -> None:
    x = tf.ones([2, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[:1] * 2.0
    with pytest.raises(
        ValueError, match=r"target shape \(\(1, 3\)\) and source shape \(\(2, 3\)\) to"
    ):
        tape.batch_jacobian(y, x)
    with pytest.raises(ValueError, match="except when you are not providing a `variable_def`"):
        tf.Variable()
    with pytest.raises(ValueError, match=r"\(e\.g\. a valid class name\)"):
        tf.Module("not a name")
    with pytest.raises(ValueError, match="Dimensions 3 and 2 are not compatible"):
        tf.data.Dataset.from_tensor_slices(([1, 2, 3], [1, 2]))


@pytest.mark.parametrize(
    "called", ["row_splits", "row_lengths", "row_starts", "row_limits", "value_rowids"]
)
@pytest.mark.parametrize("given", [[0.0, 1.0], tf.constant([0, 1], tf.int16)])
def test_rows_are_told_by_integers(called: str, given: Any) -> None:
    make = getattr(tf.RaggedTensor, f"from_{called}")
    with pytest.raises(ValueError, match=f"{called} must have dtype int32 or int64"):
        make([1, 2], given)


def test_a_new_axis_before_a_ragged_tensor() -> None:
    r = tf.ragged.constant([[1, 2], [], [3]])
    assert r[None].to_list() == [[[1, 2], [], [3]]]
    assert r[None].shape.as_list() == [1, 3, None]
    assert r[tf.newaxis, :2].to_list() == [[[1, 2], []]]
    assert r[None, :, 1:].to_list() == r[None, ..., 1:].to_list() == [[[2], [], []]]
    assert tf.function(lambda x: x[None])(r).to_list() == [[[1, 2], [], [3]]]
