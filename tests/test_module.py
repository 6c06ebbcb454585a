"""tf.Module, and classes of the user's that libraries build on."""

from __future__ import annotations

from typing import Any

import numpy as np

import wengert as tf


class Inner(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable(1.0, name="w")


class Outer(tf.Module):
    def __init__(self) -> None:
        super().__init__(name="outer")
        self.v = tf.Variable(1.0, name="v")
        self.several = [tf.Variable(2.0, name="l0"), Inner()]
        self.named = {"b": Inner(), "a": tf.Variable(3.0, name="da")}
        self.rows = tf.ragged.constant([[1.0], [2.0, 3.0]])


def is_variable(value: Any) -> bool:
    return isinstance(value, tf.Variable)


def test_what_a_module_holds_and_where() -> None:
    """In TensorFlow's order: its own by name, then those of each submodule."""
    module = Outer()
    paths = [path for path, _ in module._flatten(predicate=is_variable, with_path=True)]
    assert paths == [
        ("named", "a"), ("several", 0), ("v",), ("named", "b", "w"), ("several", 1, "w"),
    ]  # fmt: skip
    assert [v.name for v in module._flatten(predicate=is_variable, recursive=False)] == [
        "da:0", "l0:0", "v:0",
    ]  # fmt: skip
    by_length = module._flatten(
        predicate=is_variable, attribute_traversal_key=lambda k: (len(k), k)
    )
    assert next(by_length).name == "v:0"
    assert len(list(module._flatten(predicate=tf.is_tensor, expand_composites=True))) == 7
    assert hasattr(module, "_name_scope")


def test_variables_of_what_consists_of_tensors_are_the_modules_own() -> None:
    """An operator's come at their place by name, before those of modules within."""

    class Holder(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a = Inner()
            self.b = tf.linalg.LinearOperatorDiag(tf.Variable([2.0], name="diag"))
            self.c = tf.Variable(3.0, name="c")
            self.d = [tf.linalg.LinearOperatorIdentity(2), tf.Variable(4, trainable=False)]

    module = Holder()
    assert [v.name for v in module.trainable_variables] == ["diag:0", "c:0", "w:0"]
    assert [v.name for v in module.variables] == ["diag:0", "c:0", "Variable:0", "w:0"]
    assert len(module.submodules) == 3  # which are not taken apart


def test_attributes_that_a_module_hides() -> None:
    class Hiding(tf.Module):
        _TF_MODULE_IGNORED_PROPERTIES = frozenset(
            ("hidden", *tf.Module._TF_MODULE_IGNORED_PROPERTIES)
        )

        def __init__(self) -> None:
            super().__init__()
            self.hidden = tf.Variable(1.0)
            self.shown = tf.Variable(2.0, name="shown")

    assert [v.name for v in Hiding().variables] == ["shown:0"]


def test_a_linear_operator_that_says_its_shape() -> None:
    class Twice(tf.linalg.LinearOperator):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(tf.float32, is_square=True)

        def _shape(self) -> Any:
            return tf.TensorShape([2, 2])

        def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
            return 2.0 * x

    twice: Any = Twice()
    np.testing.assert_array_equal(twice.to_dense(), 2.0 * np.eye(2))
    np.testing.assert_array_equal(twice.solve(tf.ones([2, 1])), [[0.5], [0.5]])
    assert (twice.trace().numpy(), twice.determinant().numpy()) == (4.0, 4.0)
    assert tf.linalg.LinearOperatorKronecker([twice, twice]).to_dense().shape == (4, 4)
