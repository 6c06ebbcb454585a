"""What libraries built on TensorFlow ask for beside its operations: tf.__internal__, tf.distribute, internal modules."""

from __future__ import annotations

import abc
import os
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.compat import keras2, resolver
from wengert.compat.internals.trackable import data_structures
from wengert.compat.internals.util import nest

internal = tf.__internal__
Point = namedtuple("Point", ["x", "y"])  # as libraries make them


def test_an_eager_tensor_is_one_with_a_value() -> None:
    """A tensor of a graph or a batch is none; both are tensors."""
    seen: list[bool] = []
    eager, tensor = internal.EagerTensor, internal.types.Tensor

    def looked_at(x: Any) -> Any:
        seen.extend([isinstance(x, eager), isinstance(x, tensor)])
        return x

    looked_at(tf.constant(1.0))
    tf.function(looked_at)(tf.constant(1.0))
    tf.vectorized_map(looked_at, tf.constant([1.0]))
    assert seen == [True, True, False, True, False, True]
    assert isinstance(tf.Variable(1.0), tensor)


def test_attributes_become_parts() -> None:
    """Variables, modules, lists of them; not what is told not to."""

    class Layer(internal.tracking.AutoTrackable):
        def __init__(self) -> None:
            self.v = tf.Variable(1.0)
            self.parts = [tf.Variable(2.0)]
            self.number = 3
            self.hidden = data_structures.NoDependency(tf.Variable(4.0))

        @internal.tracking.no_automatic_dependency_tracking
        def quietly(self) -> None:
            self.w = tf.Variable(5.0)

    layer = Layer()
    layer.quietly()
    assert list(layer._trackable_children()) == ["v", "parts"]
    assert isinstance(layer.parts, data_structures.ListWrapper)
    assert layer.parts._trackable_children()["0"] is layer.parts[0]
    assert layer.w.numpy() == 5.0
    del layer.v
    assert list(layer._trackable_children()) == ["parts"]
    with pytest.raises(ValueError, match="already declared"):
        layer._track_trackable(tf.Variable(1.0), "parts")
    with pytest.raises(TypeError, match="of type Trackable"):
        layer._track_trackable(3, "three")


def test_a_branch_that_is_decided_at_once() -> None:
    """Where the condition is known only one function is called."""
    smart_cond = internal.smart_cond.smart_cond
    called: list[str] = []

    def branch(name: str) -> Any:
        def chosen() -> Any:
            called.append(name)
            return tf.constant(float(len(name)))

        return chosen

    assert smart_cond(True, branch("yes"), branch("no")).numpy() == 3.0
    assert smart_cond(tf.constant(False), branch("yes"), branch("no")).numpy() == 2.0
    assert called == ["yes", "no"]
    f = tf.function(lambda p: smart_cond(p, branch("yes"), branch("no")))
    assert f(tf.constant(True)).numpy() == 3.0
    with pytest.raises(TypeError, match="callable"):
        smart_cond(True, 1, 2)  # type: ignore[arg-type]


def test_structures_down_to_the_depth_of_another() -> None:
    """Parts where a shallow structure has leaves; paths; what does not fit is said."""
    shallow, deep = {"a": 0, "b": (0, 0)}, {"a": [1, 2], "b": (3, {"c": 4})}
    assert nest.flatten_up_to(shallow, deep) == [[1, 2], 3, {"c": 4}]
    assert nest.map_structure_up_to(shallow, len, {"a": "xy", "b": ("z", "")}) == {
        "a": 2,
        "b": (1, 0),
    }
    assert nest.flatten_with_tuple_paths(Point(1, [2])) == [(("x",), 1), (("y", 0), 2)]
    assert nest.flatten_with_joined_string_paths(deep)[-1] == ("b/1/c", 4)
    shown = nest.map_structure_with_tuple_paths(lambda path, v: (path, v), (1, [2]))
    assert shown == (((0,), 1), [((1, 0), 2)])
    only_lists = nest.get_traverse_shallow_structure(
        lambda s: not isinstance(s, tuple), [1, (2, 3)]
    )
    assert only_lists == [True, False]
    with pytest.raises(ValueError, match="same sequence length"):
        nest.assert_shallow_structure([1, 2], [1])
    with pytest.raises(TypeError, match="same sequence type"):
        nest.flatten_up_to([1], (1,))


def test_a_strategy_on_one_device() -> None:
    """A step written for several replicas runs on one, and the reductions have one value."""
    assert not tf.distribute.has_strategy()
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        assert tf.distribute.get_strategy() is strategy
        assert tf.distribute.in_cross_replica_context()
        v = tf.Variable(2.0)

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        def replica(x: tf.Tensor) -> tf.Tensor:
            context = tf.distribute.get_replica_context()
            assert context is not None
            assert not tf.distribute.in_cross_replica_context()
            assert context.merge_call(lambda s: tf.distribute.in_cross_replica_context())
            return context.all_reduce(tf.distribute.ReduceOp.SUM, x * v)

        return strategy.reduce("MEAN", strategy.run(replica, (x,)), axis=0)

    assert step(tf.constant([1.0, 3.0])).numpy() == 4.0
    assert strategy.num_replicas_in_sync == 1
    assert strategy.extended.update(v, lambda w, a: w.assign_add(a), (1.0,)).numpy() == 3.0
    with pytest.raises(ValueError, match="There is no device '/gpu:0'"):
        tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])


def test_a_variable_of_a_library_may_be_of_an_abstract_class() -> None:
    """A class of variables, and one that says what its subclasses must have, go together."""

    class Bounded(abc.ABC):
        @abc.abstractmethod
        def bound(self) -> float: ...

    class Kind(type(tf.Variable), type(Bounded)):  # type: ignore[misc]
        """As a library joins the two."""

    class Unfinished(tf.Variable, Bounded, metaclass=Kind):
        """It has no bound."""

    class Parameter(Unfinished):  # type: ignore[metaclass]
        def bound(self) -> float:
            return 5.0

    p = Parameter(2.0)
    with tf.GradientTape() as tape:
        y = p * p
    assert tape.gradient(y, p).numpy() == 4.0
    assert isinstance(p, Bounded)
    assert isinstance(p, tf.Variable)
    assert not isinstance(tf.constant(1.0), Parameter)
    with pytest.raises(TypeError, match="abstract"):
        Unfinished(2.0)  # type: ignore[abstract]


def test_a_library_keeps_names_of_its_own_in_its_variables() -> None:
    """A class before the variable's says what the name is."""

    class Named:
        def __init__(self, *, label: str, **given: Any) -> None:
            self._name = label
            super().__init__(**given)

        @property
        def name(self) -> str:
            return self._name

    class Parameter(Named, tf.Variable): ...

    assert Parameter(label="mu", initial_value=1.0, name="theirs").name == "mu"
    with tf.Graph().as_default():
        assert tf.compat.v1.get_variable("v", [2]).name == "v:0"


def test_a_variable_that_is_computed_from_others() -> None:
    """It holds no value: making one says so as TensorFlow does, and operators convert it."""

    class Computed(tf.Variable):
        dtype = tf.float32

        def __init__(self, function: Any) -> None:
            with pytest.raises(NotImplementedError):
                super().__init__()
            self.function = function

        def value(self) -> Any:
            return self.function()

    tf.register_tensor_conversion_function(
        Computed, lambda v, dtype=None, name=None, as_ref=False: v.value(), priority=10
    )
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    ab = Computed(lambda: a * b)
    with tf.GradientTape() as tape:
        y = tf.constant(1.0) + ab * a
    da, db = tape.gradient(y, [a, b])
    assert (y.numpy(), da.numpy(), db.numpy()) == (13.0, 12.0, 4.0)
    with pytest.raises(ValueError, match="must be specified"):
        tf.Variable()


def test_a_library_changes_whether_a_variable_is_trained() -> None:
    """By the name inside TensorFlow, whose `trainable` cannot be set."""
    module = tf.Module()
    module.v, module.w = tf.Variable(2.0), tf.Variable(3.0)
    for variable in module.variables:
        variable._trainable = False
    module.w._trainable = True  # type: ignore[attr-defined]
    with tf.GradientTape() as tape:
        y = module.v * module.w  # type: ignore[attr-defined]
    assert [v.trainable for v in module.variables] == [False, True]
    assert module.trainable_variables == tape.watched_variables() == (module.w,)  # type: ignore[attr-defined]
    assert tape.gradient(y, module.v) is None  # type: ignore[attr-defined]


def test_what_becomes_a_tensor_is_a_type() -> None:
    """It joins with other types, and tells what is one of them."""
    numbers = int | np.ndarray | tf.types.experimental.TensorLike
    assert isinstance(tf.Variable(1.0), numbers)
    assert isinstance([1.0], numbers)
    assert isinstance(np.float32(1.0), numbers)
    assert not isinstance({}, tf.types.experimental.TensorLike)
    assert (
        resolver.find("python.types.core", "TensorLike", False) is tf.types.experimental.TensorLike
    )
    assert resolver.find("python.types.core", "Tensor", False) is internal.types.Tensor


def test_parts_of_a_variable_by_their_internal_name() -> None:
    part = resolver.find("python.ops.tensor_getitem_override", "_slice_helper_var", False)
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = part(v, slice(1, None))
    assert tf.convert_to_tensor(tape.gradient(y, v)).numpy().tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("path", ["tf_keras.optimizers", "tf_keras.optimizers.legacy"])
def test_optimizers_of_keras_2_by_their_modules(path: str) -> None:
    """Imported, or found from the package: the same without Keras 2, and they train."""
    found: Any = keras2.Keras2(keras2.NAME)
    for name in path.split(".")[1:]:
        found = getattr(found, name)
    assert found.Adam is keras2.Keras2(path).Adam
    v = tf.Variable(1.0)
    found.SGD(0.5).apply_gradients([(tf.constant(1.0), v)])
    assert v.numpy() == 0.5
    with pytest.raises(ImportError, match=r"tf_keras\.layers\.Dense"):
        keras2.Keras2(keras2.NAME).layers.Dense(2)


def test_a_class_may_be_abstract_and_derive_from_a_layer_of_keras_2() -> None:
    """It is defined, as its module may hold more than layers; made, it says what is missing."""
    base: Any = keras2.Keras2(keras2.NAME).layers.Layer

    class Features(abc.ABC, base):  # type: ignore[misc]
        @abc.abstractmethod
        def call(self, inputs: Any) -> Any: ...

    class Cosines(Features):
        def call(self, inputs: Any) -> Any:
            return tf.cos(inputs)

    with pytest.raises(ImportError, match=r"tf_keras\.layers\.Layer, of Keras 2"):
        Cosines()


def test_an_optimizer_derived_from_the_base_of_keras_2() -> None:
    """Its first argument is the name; every optimizer is one of the base, and not of what derives."""
    base: Any = keras2.Keras2(keras2.NAME).optimizers.Optimizer
    assert base is keras2.Keras2("tf_keras.optimizers.legacy").Optimizer

    class Halving(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__("halving")

        def minimize(self, variables: Any) -> None:
            for v in variables:
                v.assign(v / 2)

    v, optimizer = tf.Variable(3.0), Halving()
    optimizer.minimize([v])
    assert (v.numpy(), optimizer.name) == (1.5, "halving")
    sgd = tf.optimizers.SGD(0.5)
    assert isinstance(optimizer, Halving)
    assert isinstance(optimizer, tf.optimizers.Optimizer)
    assert isinstance(sgd, base)
    assert not isinstance(sgd, Halving)


def test_keras_2_that_is_installed_is_stood_in_for(tmp_path: Path) -> None:
    """It is made of TensorFlow's inside: programs that need it for little would end at its import."""
    (tmp_path / "tf_keras").mkdir()
    (tmp_path / "tf_keras" / "__init__.py").write_text("raise RuntimeError('Keras 2 began')\n")
    program = """
import wengert.compat
wengert.compat.install()
import tf_keras
from tf_keras.optimizers import Adam
assert tf_keras.optimizers.Adam is Adam
try:
    tf_keras.layers.Dense(2)
except ImportError as error:
    print(error)
wengert.compat.uninstall()
try:
    import tf_keras
except RuntimeError as error:
    print(error)
"""
    path = os.pathsep.join([str(tmp_path), str(Path(tf.__file__).parents[1])])
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout.splitlines() == [
        "tf_keras.layers.Dense is of Keras 2, which does not run on Wengert. "
        "tf.keras is Keras 3: pip install wengert[keras]",
        "Keras 2 began",
    ]
