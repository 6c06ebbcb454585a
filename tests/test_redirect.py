"""`import tensorflow` put in and taken out, and what the names resolve to."""

from __future__ import annotations

import importlib
import importlib.util
import json
import pickle
import re
import sys
import types
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert import errors
from wengert.compat import resolver
from wengert.errors import MissingNameError

INTERNALS = Path(resolver.__file__).parent / "internals"


@pytest.fixture
def redirected() -> Iterator[None]:
    tf.compat.install()
    yield
    tf.compat.uninstall()


def module(name: str) -> Any:
    return importlib.import_module(name)


def test_in_and_out() -> None:
    """Afterwards nothing is left of it."""
    before = list(sys.meta_path)
    tf.compat.install()
    tf.compat.install(v1=True)  # twice is once
    assert tf.compat.is_installed()
    assert module("tensorflow").placeholder is tf.compat.v1.placeholder
    tf.compat.uninstall()
    assert sys.meta_path == before
    assert not tf.compat.is_installed()
    assert not [name for name in sys.modules if name.partition(".")[0] == "tensorflow"]


def test_a_package_that_is_asked_for_its_version() -> None:
    """Libraries look whether TensorFlow is installed, and which, before they import it."""
    tf.compat.install()
    assert metadata.version("tensorflow") == metadata.version("TensorFlow") == tf.compat.v1.VERSION
    assert metadata.distribution("tensorflow").files is None
    assert metadata.requires("tensorflow") is None
    assert "tensorflow" in {d.metadata["Name"] for d in metadata.distributions()}
    assert metadata.entry_points(
        group="console_scripts"
    )  # of all packages, of which this one has none
    assert metadata.version("numpy") == np.__version__
    with pytest.raises(metadata.PackageNotFoundError):
        metadata.version("tensorflow-text")
    tf.compat.uninstall()
    if importlib.util.find_spec("tensorflow") is None:
        with pytest.raises(metadata.PackageNotFoundError):
            metadata.version("tensorflow")


def test_not_over_a_tensorflow_that_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two libraries in one program would not know each other's tensors."""
    loaded = types.ModuleType("tensorflow")
    loaded.__file__ = "/somewhere/tensorflow/__init__.py"
    monkeypatch.setitem(sys.modules, "tensorflow", loaded)
    with pytest.raises(RuntimeError, match="imported already, from /somewhere/tensorflow"):
        tf.compat.install()
    assert not tf.compat.is_installed()


def test_the_versions_differ_at_the_top_level() -> None:
    """Version 2 first, with version 1's names behind it; or the other way round."""
    tf.compat.install()
    assert module("tensorflow").where is tf.where
    assert module("tensorflow").Session is tf.compat.v1.Session
    assert module("tensorflow.compat.v2").where is tf.where
    tf.compat.install(v1=True)
    assert module("tensorflow").where is tf.compat.v1.where
    assert module("tensorflow.compat.v2").where is tf.where
    assert module("tensorflow").GradientTape is tf.GradientTape
    tf.compat.uninstall()


def test_all_names_of_a_module() -> None:
    tf.compat.install()
    names: dict[str, Any] = {}
    exec("from tensorflow.python.ops.rnn_cell import *\nfrom tensorflow.math import *", names)
    assert names["RNNCell"] is tf.compat.v1.nn.rnn_cell.RNNCell
    assert names["cumsum"] is tf.math.cumsum
    tf.compat.uninstall()


PLACES = [
    ("tensorflow.python.ops.math_ops", "reduce_sum", "reduce_sum"),
    ("tensorflow.python.ops.math_ops", "reduce_sum_v1", "compat.v1.reduce_sum"),
    ("tensorflow.python.ops.array_ops", "gather", "compat.v1.gather"),
    ("tensorflow.python.ops.array_ops", "gather_v2", "gather"),
    ("tensorflow.python.ops.nn_ops", "conv2d", "compat.v1.nn.conv2d"),
    ("tensorflow.python.ops.nn_ops", "max_pool_v2", "nn.max_pool"),
    ("tensorflow.python.ops.gen_nn_ops", "relu_grad", "raw_ops.ReluGrad"),
    ("tensorflow.python.ops.gen_nn_ops", "max_pool_v2", "raw_ops.MaxPoolV2"),
    ("tensorflow.python.ops.gradients_impl", "gradients", "compat.v1.gradients"),
    ("tensorflow.python.ops.control_flow_ops", "while_loop", "compat.v1.while_loop"),
    ("tensorflow.python.framework.ops", "Graph", "Graph"),
    ("tensorflow.python.framework.ops", "RegisterGradient", "RegisterGradient"),
    ("tensorflow.python.framework.dtypes", "float32", "float32"),
    ("tensorflow.python.framework.errors_impl", "OpError", "errors.OpError"),
    ("tensorflow.python.eager.def_function", "function", "function"),
    ("tensorflow.python.eager.backprop", "GradientTape", "GradientTape"),
    ("tensorflow.python.client.session", "Session", "compat.v1.Session"),
    ("tensorflow.python.training.adam", "AdamOptimizer", "compat.v1.train.AdamOptimizer"),
    ("tensorflow.core.protobuf.config_pb2", "ConfigProto", "compat.v1.ConfigProto"),
]


@pytest.mark.parametrize(
    ("place", "name", "public"), PLACES, ids=[f"{p}.{n}" for p, n, _ in PLACES]
)
def test_an_internal_name_is_the_public_object(
    place: str, name: str, public: str, redirected: None
) -> None:
    found: Any = tf
    for part in public.split("."):
        found = getattr(found, part)
    assert getattr(module(place), name) is found


def test_the_table_names_what_there_is(redirected: None) -> None:
    """Two thirds of its names, and more of those that are used, are here; none is a wrong kind."""
    listed = [
        (key, name, path)
        for key, names in resolver._table().items()
        for name, path in names.items()
    ]
    there = 0
    for key, name, _ in listed:
        try:
            resolver.find(f"python.{key}", name)
            there += 1
        except resolver.NotFoundError:
            pass
    assert len(listed) > 3000
    assert there / len(listed) > 0.6


@pytest.mark.parametrize(
    "file",
    sorted(f for f in INTERNALS.rglob("*.py") if f.stem != "__init__"),
    ids=lambda f: str(f.relative_to(INTERNALS)),
)
def test_every_file_of_internal_names_can_be_imported(file: Path, redirected: None) -> None:
    """Under the name that programs use, with the names that it has."""
    name = ".".join(file.relative_to(INTERNALS).with_suffix("").parts)
    top = name.startswith(("core.", "contrib."))
    full = f"tensorflow.{name}" if top else f"tensorflow.python.{name}"
    made = importlib.import_module(f"wengert.compat.internals.{name}")
    names = {n: v for n, v in vars(made).items() if not n.startswith("__")}
    own = [n for n, v in names.items() if getattr(v, "__module__", made.__name__) == made.__name__]
    assert names
    assert all(getattr(module(full), n) is names[n] for n in own)
    assert all(hasattr(module(full), n) for n in names)


def test_a_directory_of_a_module(redirected: None) -> None:
    listed = dir(module("tensorflow.python.ops.math_ops"))
    assert {"reduce_sum", "square", "_as_indexed_slices"} <= set(listed)
    assert "math_ops" in dir(module("tensorflow.python.ops"))


def test_a_missing_name_is_an_object_that_says_so(redirected: None) -> None:
    """Calling it, looking into it, inheriting from it, asking for its truth or its items."""
    namespace: dict[str, Any] = {}
    exec("from tensorflow.python.layers.normalization import BatchRenorm", namespace)
    absent = namespace["BatchRenorm"]
    assert "which Wengert lacks" in repr(absent)
    for use in (absent, lambda: absent.x, lambda: bool(absent), lambda: list(absent)):
        with pytest.raises(MissingNameError, match=r"no tensorflow\.python\.layers\.normalization"):
            use()
    with pytest.raises(MissingNameError):
        exec("class Mine(BatchRenorm): pass", namespace)


# ---- functions of internal modules -------------------------------------------------------------


def test_gradients_of_functions(redirected: None) -> None:
    """tensorflow.python.eager.backprop, as it was before there were tapes to write."""
    backprop = module("tensorflow.python.eager.backprop")
    dx, dy = backprop.gradients_function(lambda x, y: x * y)(2.0, 3.0)
    assert (dx.numpy(), dy.numpy()) == (3.0, 2.0)
    (only,) = backprop.gradients_function(lambda x, y: x * y, params=["y"])(2.0, 3.0)
    assert only.numpy() == 2.0
    with pytest.raises(ValueError, match="params must be"):
        backprop.gradients_function(lambda x: x, params=["z"])(1.0)
    one = tf.constant(1.0)
    assert [g.numpy() for g in backprop.gradients_function(lambda x, y: x * y)(one, one)] == [1, 1]
    value, (g,) = backprop.val_and_grad_function(lambda x: x * x)(3.0, dy=2.0)
    assert (value.numpy(), g.numpy()) == (9.0, 12.0)
    with pytest.raises(ValueError, match="did you forget to return a value from nothing"):

        def nothing(x: Any) -> None:
            return None

        backprop.gradients_function(nothing)(1.0)
    v, w = tf.Variable(3.0), tf.Variable(2.0)
    pairs = backprop.implicit_grad(lambda: w * w * v)()
    assert [(g.numpy(), x is y) for (g, x), y in zip(pairs, (v, w), strict=True)] == [
        (4, 1),
        (12, 1),
    ]
    with pytest.raises(ValueError, match="No trainable variables"):
        backprop.implicit_grad(lambda: tf.constant(1.0))()


def test_sums_of_slices(redirected: None) -> None:
    backprop = module("tensorflow.python.eager.backprop")
    slices = module("tensorflow.python.ops.math_ops")._as_indexed_slices(
        tf.constant([[1.0], [2.0]])
    )
    assert backprop.aggregate_indexed_slices_gradients([]) is None
    total = backprop.aggregate_indexed_slices_gradients([slices, None, tf.constant([[5.0], [6.0]])])
    assert tf.convert_to_tensor(total).numpy().tolist() == [[6.0], [8.0]]


def test_what_tapes_are_told(redirected: None) -> None:
    record = module("tensorflow.python.eager.record")
    x, y = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        assert record.should_record_backprop([x])
        assert not record.should_record_backprop([y])
        record.record_operation("Mine", [y], [x], lambda dy: [7.0 * dy])
        with record.stop_recording():
            unseen = x * x
        z = tf.identity(x)
        record.record_operation("Broken", [z], [x], lambda dy: [])
    assert tape.gradient(y, x).numpy() == 7.0
    assert tape.gradient(unseen, x) is None
    with pytest.raises(tf.errors.InternalError, match="Broken returned too few gradients: 0 for 1"):
        tape.gradient(z, x)


def test_modes(redirected: None) -> None:
    context = module("tensorflow.python.eager.context")
    with context.graph_mode():
        assert not context.executing_eagerly()
        with context.eager_mode():
            assert tf.constant(1.0).numpy() == 1.0
    assert context.context().executing_eagerly()


def test_jacobians_in_a_graph(redirected: None) -> None:
    gradients = module("tensorflow.python.ops.parallel_for.gradients")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        whole = session.run(gradients.jacobian(x * x, x))
        each = session.run(gradients.batch_jacobian(x * x, x))
    np.testing.assert_array_equal(whole.reshape(4, 4), np.diag([2.0, 4.0, 6.0, 8.0]))
    np.testing.assert_array_equal(each, [np.diag([2.0, 4.0]), np.diag([6.0, 8.0])])


def test_loops_whose_rounds_do_not_wait(redirected: None) -> None:
    loops = module("tensorflow.python.ops.parallel_for.control_flow_ops")
    square = lambda i: tf.square(tf.cast(i, tf.float32))  # noqa: E731
    assert loops.pfor(square, 3).numpy().tolist() == [0.0, 1.0, 4.0]
    assert loops.for_loop(square, tf.float32, 3).numpy().tolist() == [0.0, 1.0, 4.0]


def test_functions_of_version_1(redirected: None) -> None:
    """Defun, also with a gradient function in Python."""
    function = module("tensorflow.python.framework.function")

    @function.Defun(tf.float32, python_grad_func=lambda op, dy: dy * 10.0 * op.inputs[0])
    def double(x: Any) -> Any:
        return 2.0 * x

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = double(x)
    assert (y.numpy(), tape.gradient(y, x).numpy()) == (6.0, 30.0)

    @function.Defun(tf.float32, tf.float32)
    def back(x: Any, dy: Any) -> Any:
        return 3.0 * dy

    square = function.Defun(tf.float32, grad_func=back)(lambda x: x * x)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant([1.0, 2.0])
        y = square(x)
        assert session.run(y).tolist() == [1.0, 4.0]
        assert session.run(tf.gradients(y, x)[0]).tolist() == [3.0, 3.0]


def test_error_of_a_gradient(redirected: None) -> None:
    checker = module("tensorflow.python.ops.gradient_checker_v2")
    two = checker.compute_gradient(tf.sin, [np.array([0.5, 1.0])])
    assert checker.max_error(*two) < 1e-6
    assert checker.max_error([np.ones(2)], [np.array([1.0, 4.0])]) == 3.0


def test_the_data_is_json_without_paths() -> None:
    """Module by module, namespaces with their names."""
    file = Path(resolver.__file__).with_name("internal_names.json")
    table = json.loads(file.read_text("utf-8"))
    assert "ops.math_ops" in table
    assert not [key for key in table if "/" in key]


def test_variables_by_their_handles(redirected: None) -> None:
    """In eager mode a variable is its own handle, in a graph a tensor stands for it."""
    ops = module("tensorflow.python.ops.resource_variable_ops")
    v = tf.Variable([1.0, 2.0])
    ops.assign_add_variable_op(v.handle, [1.0, 1.0])
    assert ops.read_variable_op(v.handle, tf.float32).numpy().tolist() == [2.0, 3.0]
    assert ops.resource_gather(v.handle, [1], tf.float32).numpy().tolist() == [3.0]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        w = tf.Variable([1.0, 2.0])
        session.run(w.initializer)
        session.run(ops.assign_sub_variable_op(w.handle, [1.0, 1.0]))
        assert session.run(ops.read_variable_op(w.handle)).tolist() == [0.0, 1.0]
        assert session.run(ops.variable_shape(w.handle)).tolist() == [2]


def test_a_layer_with_a_gradient_of_its_own(redirected: None) -> None:
    """Its variables reach the gradient function by `variables`."""
    layers = module("tensorflow.python.layers.core")

    @tf.custom_gradient
    def f(x: Any) -> Any:
        out = layers.dense(x, 3, use_bias=False)

        def grad(dy: Any, variables: Any = None) -> Any:
            (kernel,) = variables
            pulled = tf.gradients(out, [x, kernel], grad_ys=dy)
            return pulled[0], [tf.ones((4, 3))]

        return out, grad

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.ones((2, 4))
        with tf.compat.v1.variable_scope("f", use_resource=True) as scope:
            y = f(x)
            (kernel,) = scope.global_variables()
        by_x, by_kernel = tf.gradients(y, [x, kernel])
        session.run(tf.compat.v1.global_variables_initializer())
        assert kernel.name == "f/dense/kernel:0"
        assert session.run(tf.reduce_sum(by_kernel)) == 12.0
        sums = np.tile(session.run(kernel).sum(1), (2, 1))
        np.testing.assert_allclose(session.run(by_x), sums, rtol=1e-5)


def test_hessians_times_vectors(redirected: None) -> None:
    product = module("tensorflow.python.ops.gradients_impl")._hessian_vector_product
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, v = tf.constant([[1.0], [2.0]], tf.float64), tf.constant([[1.0], [-1.0]], tf.float64)
        (found,) = product(tf.transpose(x) @ (a @ x), [x], [v])
        np.testing.assert_allclose(session.run(found), (a + a.T) @ [[1.0], [-1.0]])


def test_rows_changed(redirected: None) -> None:
    ops = module("tensorflow.python.ops.inplace_ops")
    x = tf.zeros([2, 2])
    assert ops.inplace_add(x, [1], [[1.0, 2.0]]).numpy().tolist() == [[0.0, 0.0], [1.0, 2.0]]
    assert ops.inplace_update(x, 0, [3.0, 4.0]).numpy().tolist() == [[3.0, 4.0], [0.0, 0.0]]
    assert ops.inplace_sub(x, None, tf.ones([2, 2])).numpy().tolist() == [[-1.0, -1.0]] * 2
    assert x.numpy().tolist() == [[0.0, 0.0]] * 2


def test_one_axis_too_many(redirected: None) -> None:
    remove = module("tensorflow.python.ops.confusion_matrix").remove_squeezable_dimensions
    labels, predictions = remove(tf.ones([3]), tf.ones([3, 1]))
    assert (labels.shape, predictions.shape) == ([3], [3])
    labels, predictions = remove(tf.ones([3, 1]), tf.ones([3]))
    assert (labels.shape, predictions.shape) == ([3], [3])
    some, column = tf.TensorSpec([None]), tf.TensorSpec([None, None])
    for specs in ([tf.TensorSpec(None)] * 2, [column, some]):  # told when it runs
        shapes = tf.function(remove, input_signature=specs)(np.ones([3, 1]), np.ones(3))
        assert [x.shape for x in shapes] == [[3], [3]]
    counts = tf.math.confusion_matrix([[1], [0]], [1, 1])
    assert counts.numpy().tolist() == [[0, 1], [0, 1]]


def test_variables_that_outputs_depend_on(redirected: None) -> None:
    """Not through the inputs, and not where there is no derivative."""
    dependent = module("tensorflow.python.ops.custom_gradient")._get_dependent_variables
    with tf.Graph().as_default():
        v, x = tf.Variable(100.0), tf.constant(2.0)
        other = tf.identity(v) * 5.0
        assert dependent([x], [x + 5.0 + v]) == [v]
        assert dependent({"x": x}, {"y": x * v}) == [v]
        assert dependent([x], [x + 5.0]) == []
        assert dependent([other], [other + 5.0]) == []
        assert dependent([x], [x + tf.ones_like(v)]) == []


def test_eager_mode_before_it_was_tensorflows_own(redirected: None) -> None:
    tfe = module("tensorflow.contrib.eager")
    square = tfe.gradients_function(lambda x: x * x)
    assert square(3.0)[0].numpy() == 6.0
    assert tfe.gradients_function(lambda x: square(x)[0])(3.0)[0].numpy() == 2.0
    v = tfe.Variable(2.0)
    ((g, same),) = tfe.implicit_gradients(lambda: v * v)()
    assert (g.numpy(), same is v) == (4.0, True)


def test_layers_before_they_were_tensorflows_own(redirected: None) -> None:
    layers, v1 = module("tensorflow.contrib.layers"), tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.ones([5, 4])
        half = layers.l2_regularizer(0.5)
        first = layers.fully_connected(x, 6, weights_regularizer=half)
        second = layers.fully_connected(first, 2, activation_fn=None, scope="last")
        (penalty,) = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
        names = [v.op.name for v in v1.trainable_variables()]
        session.run(v1.global_variables_initializer())
        weights, biases, *_ = v1.trainable_variables()
        w, b, h, y, p = session.run([weights, biases, first, second, penalty])
    assert names == [f"{s}/{v}" for s in ("fully_connected", "last") for v in ("weights", "biases")]
    np.testing.assert_allclose(h, np.maximum(np.ones([5, 4]) @ w + b, 0.0), rtol=1e-6)
    np.testing.assert_allclose(p, 0.25 * (w**2).sum(), rtol=1e-6)
    assert y.shape == (5, 2)
    assert abs(w).max() <= np.sqrt(6.0 / 10.0)


def test_initializers_and_regularizers_of_contrib(redirected: None) -> None:
    layers = module("tensorflow.contrib.layers")
    shape, w = [300, 500], tf.constant([1.0, -3.0])
    for mode, n in (("FAN_IN", 300.0), ("FAN_OUT", 500.0), ("FAN_AVG", 400.0)):
        for uniform in (True, False):
            draw = layers.variance_scaling_initializer(2.0, mode, uniform, seed=1)
            np.testing.assert_allclose(draw(shape).numpy().var(), 2.0 / n, rtol=0.02)
    with pytest.raises(TypeError, match="Unknown mode FAN"):
        layers.variance_scaling_initializer(mode="FAN")
    assert layers.l1_regularizer(2.0)(w).numpy() == 8.0
    assert layers.l1_l2_regularizer(2.0, 4.0)(w).numpy() == 28.0
    assert layers.sum_regularizer([None, layers.l1_regularizer(1.0)])(w).numpy() == 4.0
    assert layers.apply_regularization(layers.l2_regularizer(1.0), [w, w]).numpy() == 10.0


# ---- what libraries look at ----------------------------------------------------------------------


def test_classes_are_tensorflows_while_it_is_redirected(redirected: Any) -> None:
    kinds = [type(x) for x in (tf.constant(1.0), tf.Variable(1.0), tf.sparse.eye(2))]
    assert all(kind.__module__.startswith("tensorflow.") for kind in kinds)
    tf.compat.uninstall()
    assert not any(kind.__module__.startswith("tensorflow") for kind in kinds)


@pytest.mark.parametrize(
    "value", [tf.constant([1.0]), tf.Variable(2.0)], ids=["tensor", "variable"]
)
def test_values_are_pickled_while_it_is_redirected(redirected: Any, value: Any) -> None:
    assert pickle.loads(pickle.dumps(value)).numpy() == value.numpy()


def test_an_attempt_to_import_what_is_missing_fails_there(redirected: Any) -> None:
    """So that the program takes its other way; elsewhere it fails when it is used."""
    found: Any = None
    try:
        importlib.import_module("tensorflow.no_such_module")
    except ImportError as error:
        found = error
    assert "no module tensorflow.no_such_module" in str(found)
    later = module("tensorflow.no_such_module")
    with pytest.raises(MissingNameError, match="no_such_module"):
        later.thing()


def test_versions_and_types() -> None:
    assert tf.version.VERSION.startswith("2.")
    assert not tf.sysconfig.get_build_info()["is_cuda_build"]
    with pytest.raises(NotImplementedError, match="in Python"):
        tf.sysconfig.get_include()
    assert isinstance(np.int32(3), tf.compat.integral_types)
    assert tf.keras.optimizers is tf.optimizers
    with pytest.raises(AttributeError, match="Module holds variables"):
        tf.keras.layers


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sum", "tf.reduce_sum"),
        ("log", "tf.math.log"),
        ("tpu", "no TPUs"),
        ("Session", "compat.v1.Session"),
    ],
)
def test_a_missing_name_says_what_to_use(name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=re.escape(words)):
        getattr(tf, name)


@pytest.mark.parametrize(
    ("module", "name", "words"),
    [
        ("eager.forwardprop_util", "push_forwardprop_state", "ForwardAccumulator follows all"),
        ("framework.test_util", "create_local_cluster", "one process"),
        ("ops.control_flow_ops", "XLAControlFlowContext", "tf.while_loop"),
        ("ops.gen_state_ops", "temporary_variable", "Variables are resources"),
        ("ops.handle_data_util", "copy_handle_data", "the variable itself"),
        ("ops.ref_variable", "RefVariable", "no references"),
    ],
)
def test_a_missing_internal_name_says_what_to_use(
    module: str, name: str, words: str, redirected: None
) -> None:
    with pytest.raises(errors.MissingNameError, match=re.escape(words)):
        getattr(importlib.import_module(f"tensorflow.python.{module}"), name)


def test_a_missing_module_says_what_to_use(redirected: None) -> None:
    said = ""
    try:
        importlib.import_module("tensorflow.core.config.flags")
    except ModuleNotFoundError as error:
        said = str(error)
    assert said.endswith("Settings are in tf.config, and as arguments of tf.function.")


def test_dimensions() -> None:
    three, unknown = tf.compat.v1.Dimension(3), tf.compat.v1.Dimension(None)
    assert three == 3
    assert (three + 1).value == 4
    assert (7 // three).value == 2
    assert (three * unknown).value is None
    assert (three < unknown) is None
    assert tf.TensorShape([three, unknown]).as_list() == [3, None]
    assert tf.compat.dimension_value(three) == 3


def test_classes_have_the_names_that_programs_print(redirected: None) -> None:
    """`type(x).__name__`, and the classes of errors."""
    tensor, variable = tf.constant(1.0), tf.Variable(1.0)
    assert [type(v).__name__ for v in (tensor, variable)] == ["EagerTensor", "ResourceVariable"]
    place = "tensorflow.python.framework.errors_impl.InvalidArgumentError"
    assert str(tf.errors.InvalidArgumentError) == f"<class '{place}'>"
    assert pickle.loads(pickle.dumps(tensor)).numpy() == 1.0
    error = pickle.loads(pickle.dumps(tf.errors.NotFoundError("gone")))
    assert type(error) is tf.errors.NotFoundError


def test_rooms_of_tables_files_and_runs(redirected: None) -> None:
    """Names of rooms that are public under other ones."""
    places = {
        "ops.lookup_ops.StaticHashTable": tf.lookup.StaticHashTable,
        "ops.lookup_ops.KeyValueTensorInitializer": tf.lookup.KeyValueTensorInitializer,
        "saved_model.loader.load": tf.compat.v1.saved_model.load,
        "distribute.distribute_lib.get_strategy": tf.distribute.get_strategy,
        "lib.io.file_io.file_exists_v2": tf.io.gfile.exists,
        "ops.summary_ops_v2.record_if": tf.summary.record_if,
    }
    for path, found in places.items():
        space, _, name = path.rpartition(".")
        assert getattr(module(f"tensorflow.python.{space}"), name) is found
