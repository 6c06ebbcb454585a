"""tf.compat.v1.get_variable and variable_scope: names, reuse, defaults, errors; as TensorFlow's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.core.context import activate

v1 = tf.compat.v1
SCOPE = "layer"


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as g:
        yield g


def new(name: str = "w", *args: Any, **kwargs: Any) -> Any:
    return v1.get_variable(name, *(args or ([1],)), **kwargs)


def constant() -> str:
    return tf.constant(1.0, name="c").name


# ---- names ------------------------------------------------------------------------------------


def test_names_within_a_scope() -> None:
    """Variables and operations begin with it; an inner scope adds to it."""
    with v1.variable_scope("s") as scope:
        assert (new().name, constant()) == ("s/w:0", "s/c:0")
        with v1.variable_scope("t") as inner:
            assert new().name == "s/t/w:0"
    assert (scope.name, scope.original_name_scope) == ("s", "s/")
    assert (inner.name, inner.original_name_scope) == ("s/t", "s/t/")


def test_a_scope_entered_again() -> None:
    """It has the same variables, and a name scope of its own."""
    with v1.variable_scope("s") as scope:
        first = new()
    with v1.variable_scope("s"):
        assert (new("x").name, constant()) == ("s/x:0", "s_1/c:0")
    with v1.variable_scope(scope, reuse=True):
        assert new() is first
        assert constant() == "s_2/c:0"
    with v1.variable_scope(scope, auxiliary_name_scope=False):
        assert constant() == "c:0"


def test_a_scope_from_within_another() -> None:
    """A scope object brings its own name; the operations stay where they are made."""
    with v1.variable_scope("s") as scope:
        pass
    with v1.variable_scope("q"), v1.variable_scope(scope):
        assert (new().name, constant()) == ("s/w:0", "q/s/c:0")
        with v1.variable_scope("t"):
            assert (new().name, constant()) == ("s/t/w:0", "q/s/t/c:0")


def test_default_names_are_unique() -> None:
    """And begin again where a scope is entered again."""

    def two() -> list[str]:
        found = []
        for _ in range(2):
            with v1.variable_scope(None, default_name="d"):
                found.append(new(initializer=0.0, shape=None).name)
        return found

    def new(**kwargs: Any) -> Any:
        return v1.get_variable("w", **kwargs)

    with v1.variable_scope("s"):
        assert two() == ["s/d/w:0", "s/d_1/w:0"]
    with v1.variable_scope("s", reuse=True):
        assert two() == ["s/d/w:0", "s/d_1/w:0"]
    with v1.variable_scope("q"):
        pass
    with v1.variable_scope(None, "q"):
        assert new(initializer=0.0).name == "q_1/w:0"


def test_name_scopes_are_not_for_variables() -> None:
    """tf.name_scope names operations; tf.Variable is named by it, too."""
    with v1.variable_scope("a"), tf.name_scope("b"), v1.variable_scope("c") as scope:
        assert (new().name, constant(), scope.name) == ("a/c/w:0", "a/b/c/c:0", "a/c")
        assert v1.Variable(1.0, name="v").name == "a/b/c/v:0"


def test_names_with_slashes_and_the_root() -> None:
    """A name may hold several scopes; an empty one is the root."""
    with v1.variable_scope("a/b"):
        assert (new().name, constant()) == ("a/b/w:0", "a/b/c:0")
    with v1.variable_scope(""):
        assert (new().name, constant()) == ("w:0", "c:0")


def test_operations_of_a_variable() -> None:
    """Its initial value, its handle and its assignment stand in its own scope."""
    with tf.name_scope("elsewhere"), v1.variable_scope("s"):
        w = new(initializer=v1.zeros_initializer())
    assert w.op.name == "s/w"
    assert w.initializer.name == "s/w/Assign"
    assert w.initial_value.op.name.startswith("s/w/Initializer/")


def test_op_scope_in_the_old_order() -> None:
    """The values stand in front."""
    with v1.variable_op_scope([tf.constant(1.0)], None, "dense") as scope:
        assert (scope.name, new().name) == ("dense", "dense/w:0")
    with v1.op_scope([], "layer") as name:
        assert name == "layer/"


# ---- reuse ------------------------------------------------------------------------------------


def test_auto_reuse() -> None:
    """Makes what is missing, and finds what is there."""
    with v1.variable_scope("s", reuse=v1.AUTO_REUSE):
        first = new()
        assert new() is first
    with v1.variable_scope("s", reuse=True):
        assert new() is first


def test_reuse_is_inherited_and_cannot_be_taken_back() -> None:
    """A False within a scope that reuses means nothing."""
    with v1.variable_scope("s"):
        with v1.variable_scope("x"):
            first = new()
    with v1.variable_scope("s", reuse=True), v1.variable_scope("x", reuse=False) as scope:
        assert scope.reuse is True
        assert new() is first


def test_reuse_variables() -> None:
    """From then on, until the scope is left."""
    with v1.variable_scope("s"):
        first = new()
        v1.get_variable_scope().reuse_variables()
        assert new() is first
    with v1.variable_scope("s") as scope:
        assert scope.reuse is False


def test_a_network_used_twice() -> None:
    """Two towers with one set of weights: what reuse is for."""

    def tower(x: Any) -> Any:
        with v1.variable_scope("tower", reuse=v1.AUTO_REUSE):
            return tf.matmul(x, v1.get_variable("w", [2, 2], initializer=v1.ones_initializer()))

    a, b = tower(tf.constant([[1.0, 2.0]])), tower(tf.constant([[3.0, 4.0]]))
    (w,) = v1.trainable_variables()
    (gradient,) = tf.gradients(tf.reduce_sum(a * b), w)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        # d/dw of Σ_j (x w)_j (y w)_j is x^T (y w) + y^T (x w)
        assert session.run(gradient).tolist() == [[16.0, 16.0], [26.0, 26.0]]


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: [new(), new()], ValueError, "^Variable w already exists, disallowed. Did you mean "
         "to set reuse=True or reuse=tf.AUTO_REUSE in VarScope\\? It was made at .*.py:"),
        (lambda: in_scope(new, reuse=True), ValueError, "^Variable layer/w does not exist, or was "
         "not created with tf.get_variable\\(\\). Did you mean to set reuse=tf.AUTO_REUSE in "
         "VarScope\\?$"),
        (lambda: in_scope(lambda: [new("w", [2]), new("w", [3])], reuse=v1.AUTO_REUSE), ValueError,
         "^Trying to share variable layer/w, but specified shape \\(3,\\) and found shape "
         "\\(2,\\).$"),
        (lambda: in_scope(lambda: [new(), new(dtype=tf.float64)], reuse=v1.AUTO_REUSE), ValueError,
         "^Trying to share variable layer/w, but specified dtype float64 and found dtype "
         "float32.$"),
        (lambda: v1.get_variable("w"), ValueError, "^Variable w did not get an initializer, so its "
         "`shape` argument must be specified.$"),
        (lambda: new(initializer=tf.constant([1.0])), ValueError, "^If initializer is a constant, "
         "do not specify shape.$"),
        (lambda: new("w", [None, 2]), ValueError, "^The initializer passed is not valid."),
        (lambda: v1.get_variable("w", initializer=1.0, dtype=tf.float64), ValueError,
         "^Initializer type 'float32' and explicit dtype 'float64' don't match.$"),
        (lambda: new(dtype=tf.complex64), ValueError, "^An initializer for variable w of .* is "
         "required$"),
        (lambda: new(partitioner=lambda **_: [2, 1]), ValueError, "^Partitioner returned "
         "a partition list"),
        (lambda: new(custom_getter=3), ValueError, "^Passed a custom_getter which is not callable"),
        (lambda: v1.variable_scope(None), TypeError, "^If default_name is None then name_or_scope "
         "is required$"),
        (lambda: v1.variable_scope(3), TypeError, "^VariableScope: name_or_scope must be a string "
         "or VariableScope.$"),
        (lambda: v1.variable_scope(None, "x", reuse=True), ValueError, "^reuse=True cannot be used "
         "without a name_or_scope$"),
        (lambda: v1.variable_scope("x", reuse=3), ValueError, "^The reuse parameter must be True "  # type: ignore[arg-type]
         "or False or None.$"),
        (lambda: v1.variable_scope("x", auxiliary_name_scope=3), TypeError,  # type: ignore[arg-type]
         "^The auxiliary_name_scope must be `True` or `False`, while get 3$"),
    ],
)  # fmt: skip
def test_errors(make: Any, error: type[Exception], match: str) -> None:
    """TensorFlow's sentences."""
    with pytest.raises(error, match=match):
        make()


def in_scope(make: Any, **kwargs: Any) -> Any:
    with v1.variable_scope(SCOPE, **kwargs):
        return make()


def test_an_error_leaves_the_scope() -> None:
    """What comes after stands outside."""
    with pytest.raises(ZeroDivisionError), v1.variable_scope("s"):
        1 / 0
    assert (new().name, v1.get_variable_scope().name) == ("w:0", "")


# ---- what a variable begins with --------------------------------------------------------------


@pytest.mark.parametrize(
    ("kwargs", "want"),
    [
        ({"initializer": 3.0}, np.float32(3.0)),
        ({"initializer": np.ones(2)}, np.ones(2)),
        ({"initializer": [1, 2]}, np.array([1, 2], np.int32)),
        ({"initializer": lambda: tf.ones([3])}, np.ones(3, np.float32)),
        ({"shape": [2], "initializer": v1.ones_initializer}, np.ones(2, np.float32)),
        ({"shape": [2], "initializer": v1.constant_initializer(4)}, np.full(2, 4, np.float32)),
        ({"shape": [2], "initializer": tf.ones_initializer(), "dtype": tf.int32},
         np.ones(2, np.int32)),
        ({"shape": [2], "initializer": tf.initializers.Constant(2.0)}, np.full(2, 2, np.float32)),
        ({"shape": [2], "initializer": lambda shape, dtype=None, partition_info=None:
          tf.ones(shape, dtype)}, np.ones(2, np.float32)),
        ({"shape": [2], "dtype": tf.int64}, np.zeros(2, np.int64)),
        ({"shape": [2], "dtype": tf.bool}, np.zeros(2, bool)),
    ],
)  # fmt: skip
def test_initializers(kwargs: dict[str, Any], want: Any) -> None:
    """Values, classes, objects of both versions, and functions; zeros for whole numbers."""
    w = v1.get_variable("w", **kwargs)
    with v1.Session() as session:
        session.run(w.initializer)
        got = session.run(w)
    np.testing.assert_array_equal(got, want)
    assert got.dtype == np.asarray(want).dtype


def test_weights_begin_with_glorots_numbers() -> None:
    """Uniform between -√(6 / (inputs + outputs)) and that; a seed makes them repeatable."""
    v1.set_random_seed(3)
    w = v1.get_variable("w", [40, 60])
    with v1.Session() as session:
        session.run(w.initializer)
        found = session.run(w)
    limit = np.sqrt(6.0 / 100.0)
    assert 0.95 * limit < np.abs(found).max() <= limit
    np.testing.assert_allclose(found.std(), limit / np.sqrt(3.0), rtol=0.05)


def test_defaults_of_a_scope() -> None:
    """Initializer, regularizer, dtype and constraint; an inner scope may have others."""
    with v1.variable_scope(
        "s",
        initializer=v1.constant_initializer(3.0),
        regularizer=lambda w: 2.0 * tf.reduce_sum(w),
        dtype=tf.float64,
        constraint=abs,
    ) as scope:
        w = new("w", [2])
        with v1.variable_scope("t", regularizer=v1.no_regularizer):
            new("u", [2])
    assert (w.dtype, w.constraint, scope.dtype) == (tf.float64, abs, tf.float64)
    (loss,) = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
    assert loss.name.startswith("s/w/Regularizer/")
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(loss) == 12.0


def test_setting_the_defaults_of_the_current_scope() -> None:
    """For what follows in it."""
    with v1.variable_scope("s") as scope:
        scope.set_dtype(tf.float64)
        scope.set_initializer(v1.zeros_initializer())
        scope.set_regularizer(tf.nn.l2_loss)
        scope.set_use_resource(True)
        scope.set_partitioner(None)
        scope.set_caching_device(None)
        scope.set_custom_getter(None)
        w = new()
        assert scope.trainable_variables() == scope.global_variables() == [w]
        assert scope.local_variables() == []
    assert w.dtype is tf.float64
    assert len(v1.losses.get_regularization_losses("s/")) == 1


def test_collections() -> None:
    """A variable that is trained is always among those; the others by request."""
    w = new("w", collections=["mine"])
    u = new("u", trainable=False)
    count = v1.get_local_variable("n", [], initializer=v1.zeros_initializer())
    assert v1.get_collection("mine") == [w]
    assert v1.trainable_variables() == [w]
    assert v1.global_variables() == [u]
    assert v1.local_variables() == [count]
    assert not count.trainable


def test_getters() -> None:
    """They see every request; the inner one is asked first, and asks the outer one."""
    heard: list[tuple[str, str]] = []

    def listening(who: str) -> Any:
        def getter(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
            heard.append((who, name))
            return getter(name, *args, **kwargs)

        return getter

    def doubled(getter: Any, *args: Any, **kwargs: Any) -> Any:
        return getter(*args, **kwargs) * 2.0

    with v1.variable_scope("s", custom_getter=listening("outer")):
        with v1.variable_scope("t", custom_getter=listening("inner")):
            w = new()
    assert heard == [("inner", "s/t/w"), ("outer", "s/t/w")]
    with v1.variable_scope("s/t", reuse=True, custom_getter=doubled):
        assert new() is not w
        with v1.Session() as session:
            session.run(w.initializer)
            two, one = session.run([new(), w])
    np.testing.assert_array_equal(two, 2.0 * one)


# ---- functions, eager mode --------------------------------------------------------------------


def test_functions_share_the_variables_of_the_graph() -> None:
    """Within a tf.function that is traced for a graph, the graph's variables are found."""
    with v1.variable_scope("s"):
        w = new(initializer=v1.ones_initializer())

    @tf.function
    def f(x: Any) -> Any:
        with v1.variable_scope("s", reuse=True):
            return x * v1.get_variable("w", [1])

    y = f(tf.constant([3.0]))
    with v1.Session() as session:
        session.run(w.initializer)
        session.run(w.assign([2.0]))
        assert session.run(y).tolist() == [6.0]


def test_in_eager_mode() -> None:
    """A new variable each time: nobody keeps them."""
    with eagerly():
        first, second = new(), new()
        assert first is not second
        assert first.name == "w:0"
        assert first.numpy().shape == (1,)
        with v1.variable_scope("s", reuse=True) as scope:
            assert scope.reuse is v1.AUTO_REUSE
            assert new().name == "s/w:0"
        assert v1.global_variables() == []


class eagerly:
    """Outside of the graph that the fixture made the default one."""

    def __enter__(self) -> None:
        self._context = activate((), None)
        self._context.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._context.__exit__(*error)


def test_a_function_makes_its_variables_once() -> None:
    """In eager mode its first trace makes them, and the function keeps them for the second."""
    made: list[Any] = []
    with eagerly():

        @tf.function
        def f(x: Any) -> Any:
            if not made:
                two = v1.constant_initializer(2.0)
                made.append(v1.get_variable("w", [], initializer=two))
            return x * made[0]

        assert [f(tf.constant(x)).numpy().item() for x in (1.0, 3.0)] == [2.0, 6.0]


# ---- custom gradients -------------------------------------------------------------------------


def scaled(use_resource: bool, variables: bool = True) -> Any:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        w = v1.get_variable("w", [], use_resource=use_resource, initializer=v1.ones_initializer())

        def grad(dy: Any, variables: Any = None) -> Any:
            assert variables == [w]
            return dy * w, [dy * x * 10.0]

        return x * w, grad if variables else (lambda dy: dy * w)

    return f


def test_custom_gradients_hear_of_variables() -> None:
    """grad_fn gets those that the function reads, and says their gradients."""
    x = tf.constant(3.0)
    with v1.variable_scope("s"):
        y = scaled(True)(x)
    (w,) = v1.trainable_variables()
    found = tf.gradients(y, [x, w])
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(found) == [1.0, 30.0]


def test_custom_gradients_of_variables_that_are_no_resources() -> None:
    """TensorFlow cannot watch them, and says so."""
    with pytest.raises(TypeError, match=r"^All variables used by a function wrapped with @custom_g"
                       r"radient must be `ResourceVariable`s. Ensure that no `variable_scope` is "
                       r"created with `use_resource=False`."):  # fmt: skip
        scaled(False)(tf.constant(3.0))
    with pytest.raises(TypeError, match="must accept keyword argument 'variables'"):
        with v1.variable_scope("other"):
            scaled(True, variables=False)(tf.constant(3.0))
