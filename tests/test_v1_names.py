"""tf.compat.v1: old names, old arguments, variables and collections, losses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf

v1 = tf.compat.v1


@pytest.fixture
def session() -> Iterator[Any]:
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


# ---- variables --------------------------------------------------------------------------------


def test_arguments_of_a_variable(session: Any) -> None:
    """In the order of version 1; every variable is one, whoever made it."""
    v = v1.Variable(1, False, ["mine"], True, None, "v", None, tf.float64)
    w = tf.Variable(2.0)
    u = v1.get_variable("u", [1])
    assert (v.name, v.dtype, v.trainable) == ("v:0", tf.float64, False)
    assert v1.get_collection("mine") == [v]
    assert all(isinstance(x, v1.Variable) and isinstance(x, tf.Variable) for x in (v, w, u))
    assert not isinstance(tf.constant(1.0), v1.Variable)
    assert v1.global_variables() == [w, u]


def test_a_variable_in_eager_mode() -> None:
    """Has its value at once; collections mean nothing."""
    v = v1.Variable(3.0, False, ["mine"], name="v")
    assert (v.numpy(), v.name, v.trainable) == (3.0, "v:0", False)
    assert isinstance(v, v1.Variable)
    assert v1.get_collection("mine") == []


def test_initializers(session: Any) -> None:
    """For all, for the local ones, for some; what is missing is reported by name."""
    v, w = v1.Variable(1.0, name="v"), v1.get_variable("w", [2])
    local = v1.Variable(1.0, collections=[v1.GraphKeys.LOCAL_VARIABLES], name="l")
    missing = v1.report_uninitialized_variables()
    check = v1.assert_variables_initialized()
    assert session.run(missing).tolist() == [b"v", b"w", b"l"]
    assert not session.run(v1.is_variable_initialized(v))
    session.run(v1.variables_initializer([v]))
    assert session.run(v1.is_variable_initialized(v))
    assert session.run(missing).tolist() == [b"w", b"l"]
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value"):
        session.run(check)
    session.run([v1.initialize_all_variables(), v1.local_variables_initializer()])
    assert session.run(missing).tolist() == []
    session.run(check)
    assert v1.local_variables() == [local]
    assert v1.all_variables() == [v, w]


def test_no_variables(session: Any) -> None:
    """Nothing is missing."""
    assert v1.assert_variables_initialized() is None
    assert session.run(v1.report_uninitialized_variables()).tolist() == []
    session.run(v1.global_variables_initializer())


def test_collections(session: Any) -> None:
    """Lists of the graph, by name; a scope is the beginning of the names of items."""
    a, b = tf.constant(1.0, name="a/x"), tf.constant(1.0, name="b/x")
    v1.add_to_collection("mine", a)
    v1.add_to_collections(["mine", "other"], b)
    assert v1.get_collection("mine") == [a, b]
    assert v1.get_collection("mine", "b/") == [b]
    assert v1.get_collection("other") == [b]
    v1.get_collection_ref("other").clear()
    assert v1.get_collection("other") == []
    assert v1.model_variables() == v1.moving_average_variables() == []


def test_assignments(session: Any) -> None:
    """As functions; what they return has the new value."""
    v = v1.Variable([1.0, 2.0])
    session.run(v.initializer)
    steps = [
        (v1.assign(v, [3.0, 4.0]), [3.0, 4.0]),
        (v1.assign_add(v, [1.0, 1.0]), [4.0, 5.0]),
        (v1.assign_sub(v, [4.0, 3.0]), [0.0, 2.0]),
        (v1.scatter_add(v, [0, 0], [1.0, 2.0]), [3.0, 2.0]),
        (v1.scatter_sub(v, [1], [1.0]), [3.0, 1.0]),
        (v1.scatter_mul(v, [1], [8.0]), [3.0, 8.0]),
        (v1.scatter_div(v, [1], [2.0]), [3.0, 4.0]),
        (v1.scatter_min(v, [0, 1], [1.0, 9.0]), [1.0, 4.0]),
        (v1.scatter_max(v, [0, 1], [2.0, 2.0]), [2.0, 4.0]),
        (v1.scatter_update(v, 1, 7.0), [2.0, 7.0]),
        (v1.scatter_nd_add(v, [[1]], [1.0]), [2.0, 8.0]),
        (v1.scatter_nd_sub(v, [[0]], [1.0]), [1.0, 8.0]),
        (v1.scatter_nd_update(v, [[0]], [5.0]), [5.0, 8.0]),
    ]
    for step, want in steps:
        assert session.run(step).tolist() == want
    assert session.run(v).tolist() == [5.0, 8.0]


def test_the_global_step(session: Any) -> None:
    """One in each graph, not trained, of int64."""
    assert v1.train.get_global_step() is None
    step = v1.train.create_global_step()
    assert (step.name, step.dtype, step.trainable) == ("global_step:0", tf.int64, False)
    assert v1.train.get_global_step() is v1.train.get_or_create_global_step() is step
    assert v1.get_collection(v1.GraphKeys.GLOBAL_STEP) == v1.global_variables() == [step]
    session.run(step.initializer)
    session.run(step.assign_add(3))
    assert v1.train.global_step(session, step) == 3
    with pytest.raises(ValueError, match=r'^"global_step" already exists\.$'):
        v1.train.create_global_step()
    with pytest.raises(TypeError, match="does not have integer type"):
        v1.train.assert_global_step(tf.Variable(1.0))


def test_a_global_step_of_ones_own(session: Any) -> None:
    """A variable of that name is found."""
    step = tf.Variable(0, name="global_step", trainable=False)
    assert v1.train.get_global_step() is step


def test_resource_variables_and_graphs_of_others() -> None:
    """The step of a graph may be made from outside of it."""
    graph = tf.Graph()
    step = v1.train.create_global_step(graph)
    assert step.graph is graph
    assert v1.train.get_global_step(graph) is step


# ---- sessions, modes --------------------------------------------------------------------------


def test_configurations(session: Any) -> None:
    """Any attribute can be set, and is there."""
    config = v1.ConfigProto(allow_soft_placement=True, gpu_options=v1.GPUOptions(allow_growth=True))
    config.graph_options.optimizer_options.global_jit_level = 2
    assert config.allow_soft_placement
    assert config.gpu_options.allow_growth
    assert config.graph_options.optimizer_options.global_jit_level == 2
    assert config == v1.ConfigProto(**vars(config))
    x = tf.constant(2.0)
    with v1.Session(config=config) as other:
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        assert other.run(x * x, options=options, run_metadata=v1.RunMetadata()) == 4.0
    with pytest.raises(AttributeError):
        copy_of = v1.ConfigProto().__deepcopy__
        copy_of()


def test_switches() -> None:
    """From eager mode to graphs and back."""
    assert v1.executing_eagerly_outside_functions()
    v1.disable_v2_behavior()
    try:
        assert not tf.executing_eagerly()
        assert not v1.executing_eagerly_outside_functions()
        x = v1.placeholder(tf.float32)
        assert v1.Session().run(x + 1.0, {x: 2.0}) == 3.0
    finally:
        v1.enable_v2_behavior()
    assert tf.executing_eagerly()
    assert v1.resource_variables_enabled()


def test_outside_of_functions() -> None:
    """Within a function it is the program around it that counts."""
    found: list[bool] = []

    @tf.function
    def f() -> None:
        found.append(v1.executing_eagerly_outside_functions())
        found.append(tf.executing_eagerly())

    f()
    with tf.Graph().as_default():
        f()
    assert found == [True, False, False, False]


# ---- old arguments ----------------------------------------------------------------------------

ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (lambda x: v1.reduce_sum(x, reduction_indices=[1]), lambda x: tf.reduce_sum(x, 1)),
        (lambda x: v1.reduce_mean(x, 0, keep_dims=True), lambda x: tf.reduce_mean(x, 0, True)),
        (lambda x: v1.reduce_prod(x, [0]), lambda x: tf.reduce_prod(x, 0)),
        (lambda x: v1.reduce_max(x, keep_dims=True), lambda x: tf.reduce_max(x, None, True)),
        (lambda x: v1.reduce_min(x), lambda x: tf.reduce_min(x)),
        (lambda x: v1.reduce_logsumexp(x, 1), lambda x: tf.reduce_logsumexp(x, 1)),
        (lambda x: v1.math.reduce_sum(x, reduction_indices=0), lambda x: tf.reduce_sum(x, 0)),
        (lambda x: v1.argmax(x, dimension=1), lambda x: tf.argmax(x, 1)),
        (lambda x: v1.argmin(x), lambda x: tf.argmin(x, 0)),
        (lambda x: v1.arg_max(x, 1, tf.int32), lambda x: tf.argmax(x, 1, tf.int32)),
        (lambda x: v1.expand_dims(x, dim=1), lambda x: tf.expand_dims(x, 1)),
        (lambda x: v1.squeeze(x[:, :1], squeeze_dims=[1]), lambda x: x[:, 0]),
        (lambda x: v1.norm(x, axis=1, keep_dims=True), lambda x: tf.norm(x, axis=1, keepdims=True)),
        (lambda x: v1.count_nonzero(x, reduction_indices=1), lambda x: tf.math.count_nonzero(x, 1)),
        (lambda x: v1.shape(x, out_type=tf.int64), lambda x: tf.shape(x, tf.int64)),
        (lambda x: v1.size(x), lambda x: tf.size(x)),
        (lambda x: v1.gather(x, [1], name="g"), lambda x: tf.gather(x, [1])),
        (lambda x: v1.gather_nd(x, [[1, 0]], "g"), lambda x: tf.gather_nd(x, [[1, 0]])),
        (lambda x: v1.zeros_like(x, tf.int32), lambda x: tf.zeros_like(x, tf.int32)),
        (lambda x: v1.ones_like(x, None, "o", False), lambda x: tf.ones_like(x)),
        (lambda x: v1.to_double(x), lambda x: tf.cast(x, tf.float64)),
        (lambda x: v1.to_float(x, "f"), lambda x: tf.cast(x, tf.float32)),
        (lambda x: v1.to_int32(x), lambda x: tf.cast(x, tf.int32)),
        (lambda x: v1.to_int64(x), lambda x: tf.cast(x, tf.int64)),
        (lambda x: v1.to_bfloat16(x), lambda x: tf.cast(x, tf.bfloat16)),
        (lambda x: v1.to_complex64(x), lambda x: tf.cast(x, tf.complex64)),
        (lambda x: v1.to_complex128(x), lambda x: tf.cast(x, tf.complex128)),
        (lambda x: v1.div(x, 2.0), lambda x: x / 2.0),
        (lambda x: v1.div(v1.to_int32(x) - 3, 2), lambda x: (tf.cast(x, tf.int32) - 3) // 2),
        (lambda x: v1.log(x), lambda x: tf.math.log(x)),
        (lambda x: v1.rsqrt(x, "r"), lambda x: tf.math.rsqrt(x)),
        (lambda x: v1.real(v1.conj(v1.to_complex64(x))), lambda x: x),
        (lambda x: v1.nn.softmax(x, dim=0), lambda x: tf.nn.softmax(x, 0)),
        (lambda x: v1.nn.log_softmax(x, dim=0), lambda x: tf.nn.log_softmax(x, 0)),
        (lambda x: v1.nn.relu(x - 3.0), lambda x: tf.nn.relu(x - 3.0)),
        (lambda x: v1.nn.xw_plus_b(x, [[1.0]] * 3, [2.0]),
         lambda x: tf.reduce_sum(x, 1, True) + 2.0),
        (lambda x: v1.nn.embedding_lookup(x, [1, 0], "mod"), lambda x: tf.gather(x, [1, 0])),
        (lambda x: v1.where([True, False], x, -x), lambda x: x * [[1.0], [-1.0]]),
        (lambda x: v1.where(x > 2.0), lambda x: tf.where(x > 2.0)),
        (lambda x: v1.where(x > 2.0, x, -x), lambda x: tf.where(x > 2.0, x, -x)),
        (lambda x: v1.cond(x[0, 0] > 0.0, fn1=lambda: x, fn2=lambda: -x), lambda x: x),
        (lambda x: v1.cond(x[0, 0] < 0.0, lambda: x, lambda: -x, strict=True), lambda x: -x),
        (lambda x: v1.while_loop(lambda y: y[0, 0] < 5.0, lambda y: y * 2.0, [x]), lambda x: x * 8.0),
        (lambda x: v1.matmul(x, x, transpose_b=True), lambda x: tf.matmul(x, x, transpose_b=True)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["eager", "session"])
def test_old_arguments(mode: str, old: Any, new: Any) -> None:
    """The same as the name of version 2 with its arguments."""
    want = np.asarray(new(tf.constant(ROWS)))
    if mode == "eager":
        got = np.asarray(old(tf.constant(ROWS)))
    else:
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, None])
            got = session.run(old(x), {x: ROWS})
    assert np.asarray(got).dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: v1.reduce_sum(ROWS, axis=1, reduction_indices=1), ValueError,
         "^Cannot specify both 'reduction_indices' and 'axis'.$"),
        (lambda: v1.reduce_sum(ROWS, keepdims=True, keep_dims=True), ValueError,
         "^Cannot specify both 'keep_dims' and 'keepdims'.$"),
        (lambda: v1.expand_dims(ROWS), ValueError,
         "^Must specify an axis argument to tf.expand_dims\\(\\)$"),
        (lambda: v1.where([True], [1.0]), ValueError,
         "^x and y must both be non-None or both be None.$"),
        (lambda: v1.where([True, False], ROWS[0], ROWS[0]), tf.errors.InvalidArgumentError,
         "^Inputs to operation Select of type Select must have the same size and shape."),
        (lambda: v1.where([True, False], 1.0, [1.0, 2.0]), tf.errors.InvalidArgumentError,
         "^Inputs to operation Select must have the same size and shape"),
        (lambda: v1.cond(tf.constant(True), lambda: 1.0), TypeError,
         "^cond\\(\\): 'false_fn' argument required$"),
        (lambda: v1.nn.softmax_cross_entropy_with_logits(labels=ROWS), ValueError,
         "^Both labels and logits must be provided.$"),
        (lambda: v1.constant([1, 2], shape=[2, 2], verify_shape=True), TypeError,
         "^Expected Tensor's shape: \\(2, 2\\), got \\(2,\\).$"),
    ],
)  # fmt: skip
def test_errors(make: Any, error: type[Exception], match: str) -> None:
    """TensorFlow's sentences."""
    with pytest.raises(error, match=match):
        make()


def test_constants_are_filled_up(session: Any) -> None:
    """With the last element of a list that is too short."""
    assert session.run(v1.constant([1, 2], shape=[2, 2], name="k")).tolist() == [[1, 2], [2, 2]]
    assert session.run(v1.constant(3.0, tf.float64, [2])).tolist() == [3.0, 3.0]


def test_gradients_of_the_labels(session: Any) -> None:
    """Flow in the function whose name ends in v2, and not in the other."""
    labels, logits = tf.constant([[0.0, 1.0]]), tf.constant([[1.0, 2.0]])
    old = v1.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    new = v1.nn.softmax_cross_entropy_with_logits_v2(labels, logits)
    assert tf.gradients(old, [labels])[0] is None
    of_labels, of_logits = session.run(tf.gradients(new, [labels, logits]))
    e = np.exp([1.0, 2.0])
    np.testing.assert_allclose(of_logits[0], e / e.sum() - [0.0, 1.0], rtol=1e-6)
    np.testing.assert_allclose(of_labels[0], -np.log(e / e.sum()), rtol=1e-6)


def test_printing(session: Any, capfd: Any) -> None:
    """Whenever the tensor is computed."""
    x = v1.placeholder(tf.float32)
    y = v1.Print(x, [x, tf.constant(3)], "x and 3: ") * 2.0
    assert capfd.readouterr().err == ""
    assert session.run(y, {x: [1.0, 2.0]}).tolist() == [2.0, 4.0]
    assert capfd.readouterr().err == "x and 3: [1 2]3\n"


def test_other_names_are_those_of_version_2() -> None:
    """And what neither has is an AttributeError."""
    assert v1.matmul is tf.matmul
    assert v1.nn.relu is tf.nn.relu
    assert v1.math.exp is tf.math.exp
    for space in (v1, v1.nn, v1.math):
        with pytest.raises(AttributeError):
            space.no_such_name


# ---- losses -----------------------------------------------------------------------------------

WANTED = np.array([[1.5, 2.0, 0.0], [0.0, 1.0, 2.0]], np.float32)
FOUND = np.array([[1.0, 2.0, -1.0], [3.0, 4.0, 0.5]], np.float32)
ONE_HOT = np.eye(3)[:2]
BINARY = (WANTED > 1).astype(np.float32)
losses = v1.losses
# TensorFlow 2.21 gives these numbers.
LOSSES = [
    (lambda: losses.absolute_difference(WANTED, FOUND, weights=[[2.0], [0.5]]), 1.125),
    (lambda: losses.mean_squared_error(WANTED, FOUND), 21.5 / 6),
    (lambda: losses.huber_loss(WANTED, FOUND, delta=0.7), 0.84916663),
    (lambda: losses.hinge_loss(BINARY, FOUND), 1.5833334),
    (lambda: losses.log_loss(BINARY, np.abs(FOUND) / 5), 1.2628639),
    (lambda: losses.cosine_distance(WANTED, FOUND, dim=1), -4.25),
    (lambda: losses.cosine_distance(WANTED, FOUND, axis=1, weights=[[2.0], [1.0]]), -6.5),
    (lambda: losses.mean_pairwise_squared_error(WANTED, FOUND, weights=[[1.0], [0.0]]), 0.5),
    (lambda: losses.sparse_softmax_cross_entropy([[0], [2]], FOUND), 2.5920548),
    (lambda: losses.sparse_softmax_cross_entropy([0, 2], FOUND, weights=[1.0, 3.0]), 6.4271526),
    (lambda: losses.sparse_softmax_cross_entropy([0, 2], FOUND, [[1.0], [3.0]]), 6.4271526),
    (lambda: losses.softmax_cross_entropy(ONE_HOT, FOUND, [1.0, 0.0], 0.2), 1.4156789),
    (lambda: losses.sigmoid_cross_entropy(ONE_HOT, FOUND, [[1.0], [2.0]], 0.3), 1.8308467),
    (lambda: losses.mean_squared_error(WANTED, FOUND, weights=0.0), 0.0),
]


@pytest.mark.parametrize("case", range(len(LOSSES)))
def test_losses(case: int, session: Any) -> None:
    """One number each, collected in the graph."""
    make, want = LOSSES[case]
    loss = make()
    assert losses.get_losses() == [loss]
    np.testing.assert_allclose(session.run(loss), want, rtol=1e-6)


@pytest.mark.parametrize(
    ("reduction", "want"),
    [
        ("none", [[1.0, 0.0, 2.0], [1.5, 1.5, 0.75]]),
        ("weighted_sum", 6.75),
        ("weighted_mean", 0.9),
        ("weighted_sum_over_batch_size", 1.125),
        ("weighted_sum_by_nonzero_weights", 1.125),
    ],
)
def test_reductions(reduction: str, want: Any) -> None:
    """How many numbers become one; also in eager mode, where nothing is collected."""
    found = losses.absolute_difference(WANTED, FOUND, [[2.0], [0.5]], reduction=reduction)
    np.testing.assert_allclose(found.numpy(), want, rtol=1e-6)
    assert losses.get_losses() == []
    assert reduction in losses.Reduction.all()


def test_elements_without_weight_do_not_count(session: Any) -> None:
    """The mean is over the others."""
    weights = v1.placeholder(tf.float32, [None, None])
    loss = losses.mean_squared_error(WANTED, FOUND, weights)
    assert session.run(loss, {weights: [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]}) == 0.25
    assert session.run(loss, {weights: np.zeros([2, 3])}) == 0.0


def test_the_total_loss(session: Any) -> None:
    """Losses and regularization, each with its scope."""
    with tf.name_scope("a"):
        first = losses.mean_squared_error([0.0], [3.0])
    losses.add_loss(tf.constant(1.0, name="b/mine"))
    losses.add_loss(tf.constant(100.0), loss_collection=None)
    w = v1.get_variable("w", initializer=[2.0, 4.0], regularizer=tf.nn.l2_loss)
    session.run(w.initializer)
    assert first.name == "a/mean_squared_error/value:0"
    assert losses.get_losses("a/") == [first]
    assert len(losses.get_regularization_losses()) == 1
    assert session.run(losses.get_regularization_loss()) == 10.0
    assert session.run(losses.get_total_loss()) == 20.0
    assert session.run(losses.get_total_loss(add_regularization_losses=False)) == 10.0


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: losses.mean_squared_error([1.0], [1.0, 2.0]), "^Shapes .* are incompatible$"),
        (lambda: losses.mean_squared_error(None, [1.0]), "^Argument `labels` must not be None.$"),
        (lambda: losses.hinge_loss([1.0], None), "^Argument `logits` must not be None.$"),
        (lambda: losses.sigmoid_cross_entropy(None, [1.0]),
         "^Argument `multi_class_labels` must not be None.$"),
        (lambda: losses.mean_squared_error([1.0], [1.0], reduction="x"),
         "^Invalid Reduction Key x. Key should be one of \\('none', "),
        (lambda: losses.cosine_distance([[1.0]], [[1.0]]), "^You must specify argument `axis`.$"),
        (lambda: losses.mean_squared_error(WANTED, FOUND, [1.0, 2.0]),
         "^weights can not be broadcast to values. values.rank=2. weights.rank=1. "),
        (lambda: losses.compute_weighted_loss(FOUND, [[1.0, 2.0]]),
         "^weights can not be broadcast to values. Mismatch at dim 1. "),
    ],
)  # fmt: skip
def test_errors_of_losses(make: Any, match: str) -> None:
    """TensorFlow's sentences."""
    with pytest.raises(ValueError, match=match):
        make()


# ---- checks and options -----------------------------------------------------------------------


def test_checks_of_all_numbers(session: Any) -> None:
    """In the order of the graph; variables are no numbers before they are read."""
    v = tf.Variable(1.0, name="v")
    x = v1.placeholder(tf.float32, name="x")
    tf.cast(v1.log(x, name="y") * v, tf.int32)
    check = v1.add_check_numerics_ops()
    session.run(v1.global_variables_initializer())
    assert session.run(check, {x: 1.0}) is None
    for value, words in (
        (0.0, "y:0 : Tensor had Inf"), (-1.0, "y:0 : Tensor had NaN"), (np.inf, "x:0 : Tensor had Inf"),
    ):  # fmt: skip
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(check, {x: value})


def test_checks_of_numbers_that_are_not_known(session: Any) -> None:
    """The data of a message are named where they have no values yet."""
    x = v1.placeholder(tf.int32, [], name="number")
    check = v1.assert_equal(x, 1, data=["size", x, 4], message="wrong")
    session.run(check, {x: 1})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"wrong size, .*number:0.*, 4"):
        session.run(check, {x: 2})


def test_checks_in_eager_mode() -> None:
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        v1.add_check_numerics_ops()


def test_finite_by_either_name() -> None:
    x = tf.constant(1.0)
    check = v1.debugging.assert_all_finite
    assert check(t=x, msg="m") == check(x=x, message="m") == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="m : Tensor had Inf"):
        check(t=x / 0.0, msg="m")


def test_devices_by_either_name() -> None:
    with tf.Graph().as_default(), v1.device(device_name_or_function="/cpu:0"):
        assert tf.constant(1.0).device == "/device:CPU:0"
    with v1.device(device_name_or_function=None), tf.device(device_name="/cpu:0"):
        assert tf.constant(1.0).numpy() == 1.0
    with pytest.raises(RuntimeError, match="does not support functions"):
        v1.device(lambda op: "/cpu:0")


def test_levels_of_compilation() -> None:
    options = v1.OptimizerOptions
    assert [options.DEFAULT, options.OFF, options.ON_1, options.ON_2] == [0, -1, 1, 2]
    assert (options.L0, options.L1) == (options.Level.L0, options.Level.L1) == (-1, 0)
    assert options().opt_level == options.L1
    assert not options(opt_level=options.L0).do_constant_folding
    levels = options.GlobalJitLevel
    assert dict(zip(levels.keys(), levels.values(), strict=True)) == dict(levels.items())
    assert levels.Name(levels.Value("ON_2")) == "ON_2"
    assert levels.ON_1 == 1
    for wrong in (lambda: levels.Name(7), lambda: levels.Value("ON_3")):
        with pytest.raises(ValueError, match="There is no"):
            wrong()
    with pytest.raises(AttributeError, match="no 'ON_3'"):
        _ = levels.ON_3
    config = v1.ConfigProto()
    config.graph_options.optimizer_options.global_jit_level = options.ON_1
    with tf.Graph().as_default(), v1.Session(config=config) as session:
        assert session.run(tf.constant(1.0)) == 1.0


def test_memory_of_devices() -> None:
    """A processor's is not counted, as in TensorFlow."""
    memory = tf.config.experimental
    for name in ("CPU:0", "cpu:0", "/device:CPU:0", "/CPU:0"):
        assert memory.get_memory_info(name) == {"current": 0, "peak": 0}
    assert memory.get_memory_usage("CPU:0") == 0
    memory.reset_memory_stats("CPU:0")
    with pytest.raises(ValueError, match="No matching devices found for 'GPU:7'"):
        memory.get_memory_info("GPU:7")
    with pytest.raises(ValueError, match="Failed parsing device name"):
        memory.get_memory_info("processor")


# ---- loss scales ------------------------------------------------------------------------------


def test_a_dynamic_loss_scale_grows_and_shrinks() -> None:
    scale = v1.mixed_precision.DynamicLossScale(8.0, increment_period=2)
    seen = []
    for gradient in (1.0, 1.0, np.inf, 1.0):
        _, finite = scale.update([tf.constant(gradient), None])
        seen.append((bool(finite), float(scale())))
    assert seen == [(True, 8.0), (True, 16.0), (False, 8.0), (True, 8.0)]
    assert "num_good_steps=1, initial_loss_scale=8.0" in repr(scale)
    same = v1.train.experimental.DynamicLossScale.from_config(scale.get_config())
    assert same.get_config() == scale.get_config()


@pytest.mark.parametrize("dense", [True, False])
def test_a_step_whose_gradients_are_not_finite_is_left_out(session: Any, dense: bool) -> None:
    v, x = tf.Variable([3.0, 1.0]), v1.placeholder(tf.float32, [])
    step = v1.train.get_or_create_global_step()
    scale = v1.mixed_precision.experimental.DynamicLossScale(16.0, 1)
    optimizer = v1.mixed_precision.MixedPrecisionLossScaleOptimizer(
        v1.train.MomentumOptimizer(0.25, 0.5), scale
    )
    y = v if dense else tf.gather(v, [0, 1])
    train = optimizer.minimize(tf.reduce_sum(y * y * x), step)
    session.run(v1.global_variables_initializer())
    seen = []
    for factor in (1.0, np.inf, 1.0):
        session.run(train, {x: factor})
        value, count, factor = session.run([v, step, scale()])
        seen.append((value.tolist(), int(count), float(factor)))
    assert seen == [([1.5, 0.5], 1, 32.0), ([1.5, 0.5], 1, 16.0), ([0.0, 0.0], 2, 32.0)]


def test_what_takes_a_loss_scale() -> None:
    plain = v1.train.GradientDescentOptimizer(0.25)
    scaled = v1.train.experimental.enable_mixed_precision_graph_rewrite(plain, 1024)
    v = tf.Variable(3.0)
    scaled.minimize(lambda: v * v)
    assert v.numpy() == 1.5
    with pytest.raises(ValueError, match="must not already be an instance"):
        v1.mixed_precision.enable_mixed_precision_graph_rewrite(scaled)
    with pytest.raises(ValueError, match="at least 1"):
        v1.mixed_precision.FixedLossScale(0.5)


# ---- private attributes -----------------------------------------------------------------------


def test_private_attributes_are_noted_and_do_not_reach_kernels(session: Any) -> None:
    graph = v1.get_default_graph()
    x = v1.placeholder(tf.float32, [])
    text = type(x.op.node_def.attr["dtype"])
    with graph._attr_scope({"_mine": text(s=b"a"), "_by": lambda node: text(s=node.op.encode())}):
        y = tf.sin(x)
        with graph._attr_scope({"_mine": None}):
            z = tf.cos(y)
    y.op._set_attr("_other", text(b=True))
    assert [y.op.get_attr(name) for name in ("_mine", "_by", "_other")] == [b"a", b"Sin", True]
    assert y.op.node_def.attr["_mine"].s == b"a"
    assert z.op.get_attr("_by") == b"Cos"
    for op in (z.op, x.op):
        with pytest.raises(ValueError, match="_mine"):
            op.get_attr("_mine")
    y.op._clear_attr("_other")
    with pytest.raises(ValueError, match="_other"):
        y.op.get_attr("_other")
    assert session.run([y, tf.gradients(z, x)[0]], {x: 0.0}) == [0.0, 0.0]
    with pytest.raises(TypeError, match="attr_map must be a dictionary"), graph._attr_scope({1: 2}):
        pass


def test_differences_of_lists() -> None:
    """As TensorFlow's table of hashes says: a NaN is like no other one, and -0.0 is 0.0."""
    v1 = tf.compat.v1
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 500, 900), rng.integers(0, 500, 300)
    for given in (x, x.astype(np.float32), x.astype(str).astype(object)):
        other = y.astype(given.dtype) if given.dtype != object else y.astype(str).astype(object)
        left, places = v1.setdiff1d(given, other)
        want = np.flatnonzero(~np.isin(x, y))
        assert places.dtype == tf.int32
        assert (places.numpy() == want).all()
        assert (
            left.numpy()
            == (
                np.strings.encode(given[want].astype(str)) if given.dtype == object else given[want]
            )
        ).all()
    left, places = v1.setdiff1d([1.0, np.nan, -0.0], [np.nan, 0.0], index_dtype=tf.int64)
    assert (places.dtype, places.numpy().tolist()) == (tf.int64, [0, 1])
    for of_x, of_y in (([], [1]), ([1, 2], [])):
        assert v1.setdiff1d(tf.constant(of_x, tf.int64), of_y).out.numpy().tolist() == of_x

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)] * 2)
    def open_sizes(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return v1.setdiff1d(x, y).out

    assert open_sizes([1, 2, 3, 1], [2, 4]).numpy().tolist() == [1, 3, 1]
    assert open_sizes([1, 2], []).numpy().tolist() == [1, 2]


def test_differences_of_what_has_no_known_rank() -> None:
    """Lists are vectors: anything else is an error, at the latest when the graph runs."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.int32), v1.placeholder(tf.int32)
        left, places = v1.setdiff1d(x, y[0])
        assert left.shape.rank == places.shape.rank == 1
        assert session.run(left, {x: [3, 1, 2], y: [[1], [5]]}).tolist() == [3, 2]
        for of_x, of_y in (([[1, 2]], [[1]]), ([1, 2], [1])):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(left, {x: of_x, y: of_y})
    with pytest.raises(tf.errors.InvalidArgumentError, match="x should be a 1D vector"):
        v1.setdiff1d([[1, 2]], [[1]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="y should be a 1D vector"):
        v1.setdiff1d([1, 2], 1)
