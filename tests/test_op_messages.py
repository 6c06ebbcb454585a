"""Misuse of operations gives TensorFlow's class of error and its first words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import wengert as tf

c = tf.constant
Misuse = tuple[Callable[[], Any], str]

INVALID: list[Misuse] = [
    (
        lambda: tf.reshape([1, 2, 3], [2]),
        "Input to reshape is a tensor with 3 values, but the requested shape has 2",
    ),
    (
        lambda: tf.reshape([1, 2, 3], [2, -1]),
        "Input to reshape is a tensor with 3 values, but the requested shape requires a",
    ),
    (lambda: tf.reshape([1, 2], [-1, -1]), "Only one input size may be -1, not both 0 and 1"),
    (lambda: tf.reshape([1, 2], [-2]), "Size 0 must be non-negative, not -2"),
    (
        lambda: tf.concat([c([1]), c([[1]])], 0),
        "ConcatOp : Ranks of all input tensors should match: shape[0] = [1] vs. shape[1] =",
    ),
    (
        lambda: tf.concat([c([[1, 2]]), c([[1]])], 0),
        "ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [1,2] vs. shape[1] =",
    ),
    (
        lambda: tf.concat([c([1]), c([1])], 3),
        "ConcatOp : Expected concatenating dimensions in the range [-1, 1), but got 3",
    ),
    (
        lambda: tf.concat([c([1]), c([1.0])], 0),
        "cannot compute ConcatV2 as input #1(zero-based) was expected to be a int32 tensor",
    ),
    (
        lambda: tf.concat([c(1), c(1)], 0),
        "ConcatOp : Can't concatenate scalars (use tf.stack instead)",
    ),
    (
        lambda: tf.reduce_sum([1.0], 3),
        "Invalid reduction dimension (3 for input with 1 dimension(s)",
    ),
    (
        lambda: tf.reduce_max([1.0], -2),
        "Invalid reduction dimension (-2 for input with 1 dimension(s)",
    ),
    (
        lambda: tf.reduce_sum([[1.0]], [0, 0]),
        "Invalid reduction arguments: Axes contains duplicate dimension: 0",
    ),
    (
        lambda: tf.reduce_sum([[1.0]], [0, -2]),
        "Invalid reduction arguments: Axes contains duplicate dimension: 0",
    ),
    (
        lambda: tf.matmul([[1.0, 2.0]], [[1.0, 2.0]]),
        "Matrix size-incompatible: In[0]: [1,2], In[1]: [1,2]",
    ),
    (lambda: tf.matmul([1.0], [1.0]), "In[0] ndims must be >= 2"),
    (lambda: tf.matmul([[1.0]], [1.0]), "In[1] ndims must be >= 2"),
    (
        lambda: tf.matmul(tf.ones([2, 1, 2]), tf.ones([3, 2, 1])),
        "In[0] and In[1] must have compatible batch dimensions: [2,1,2] vs. [3,2,1]",
    ),
    (lambda: tf.matmul(c([[1.0]]), c([[1]])), "cannot compute"),
    (
        lambda: tf.matmul(tf.ones([2, 1, 2]), tf.ones([2, 1, 2])),
        "Matrix size-incompatible: In[0]: [2,1,2], In[1]: [2,1,2]",
    ),
    (lambda: tf.gather([1.0, 2.0, 3.0], [5]), "indices[0] = 5 is not in [0, 3)"),
    (lambda: tf.gather([1.0, 2.0, 3.0], [[0, -1]]), "indices[0,1] = -1 is not in [0, 3)"),
    (lambda: tf.gather([1.0, 2.0, 3.0], 7), "indices = 7 is not in [0, 3)"),
    (
        lambda: tf.gather([1.0], [0.0]),
        "Value for attr 'Tindices' of float is not in the list of allowed values: int16,",
    ),
    (lambda: tf.gather([1.0], [0], axis=2), "Shape must be at least rank 3 but is rank 1"),
    (lambda: tf.gather(1.0, [0]), "params must be at least 1 dimensional"),
    (
        lambda: tf.gather([[1.0]], [0], batch_dims=2, axis=1),
        "Expected batch_dims in the range [-1, 1], but got 2",
    ),
    (lambda: tf.transpose([[1, 2]], [0, 0]), "1 is missing from {0,0}."),
    (
        lambda: tf.transpose([[1, 2]], [0]),
        "transpose expects a vector of size 2. But input(1) is a vector of size 1",
    ),
    (lambda: tf.transpose([[1, 2]], [0, 5]), "5 is out of range [0 .. 2)"),
    (
        lambda: tf.stack([c([1]), c([1, 2])]),
        "Shapes of all inputs must match: values[0].shape = [1] != values[1].shape = [2]",
    ),
    (lambda: tf.unstack(c([1, 2]), num=3), "Input shape axis 0 must equal 3, got shape [2]"),
    (
        lambda: tf.pad([1, 2], [[1, 1], [1, 1]]),
        "The first dimension of paddings must be the rank of inputs",
    ),
    (lambda: tf.pad([1, 2], [[-1, 1]]), "Paddings must be non-negative: -1 1"),
    (
        lambda: tf.pad([1, 2], [[2, 1]], "REFLECT"),
        "paddings must be less than the dimension size: 2, 1 not less than 2",
    ),
    (
        lambda: tf.pad([1, 2], [[3, 1]], "SYMMETRIC"),
        "paddings must be no greater than the dimension size: 3, 1 greater than 2",
    ),
    (lambda: tf.pad([1, 2], [1, 1]), "paddings must be a matrix with 2 columns: [2]"),
    (
        lambda: tf.split(c([1, 2, 3]), 2),
        "Number of ways to split should evenly divide the split dimension, but got split_dim",
    ),
    (
        lambda: tf.split(c([1, 2, 3]), [1, 1]),
        "Determined shape must either match input shape along split_dim",
    ),
    (lambda: tf.split(c([1, 2, 3]), [-1, -1]), "There can only be one -1 in the input."),
    (
        lambda: tf.split(c([1, 2]), 2, axis=1),
        "-input rank(-1) <= split_dim < input rank (1), but got 1",
    ),
    (lambda: tf.split(c([1, 2]), 0), "Value for attr 'num_split' of 0 must be at least minimum 1"),
    (lambda: tf.squeeze([[1, 2]], 1), "Can not squeeze dim[1], expected a dimension of 1, got 2"),
    (lambda: tf.squeeze([[1, 2]], 5), "Tried to squeeze dim index 5 for tensor with 2 dimensions."),
    (lambda: tf.expand_dims([1], 5), "Tried to expand dim index 5 for tensor with 1 dimensions."),
    (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([3], [[0.0, 0.0]]),
        "Received a label value of 3 which is outside the valid range of [0, 2).  Label",
    ),
    (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([-1], [[0.0, 0.0]]),
        "Received a label value of -1 which is outside the valid range of [0, 2).  Label",
    ),
    (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([0], tf.zeros([1, 0])),
        "Must have at least one class, but got logits shape [1,0]",
    ),
    (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([0.0], [[0.0, 0.0]]),
        "Value for attr 'Tlabels' of float is not in the list of allowed values: int32, int64",
    ),
    (lambda: tf.pow(2, -1), "Integers to negative integer powers are not allowed"),
    (lambda: c([1]) // c([0]), "Integer division by zero"),
    (lambda: c([1]) % c([0]), "Integer division by zero"),
    (
        lambda: tf.tile([1], [1, 2]),
        "Expected multiples argument to be a vector of length 1 but got length 2",
    ),
    (lambda: tf.tile([1], [-1]), "Expected multiples[0] >= 0, but got -1"),
    (lambda: tf.cumsum([1.0], 3), "ScanOp: Expected scan axis in the range [-1, 1), but got 3"),
    (
        lambda: tf.math.cumprod([1.0], -2),
        "ScanOp: Expected scan axis in the range [-1, 1), but got",
    ),
    (lambda: tf.scatter_nd([[5]], [1.0], [3]), "indices[0] = [5] does not index into shape [3]"),
    (
        lambda: tf.scatter_nd([[1]], [1.0, 2.0], [3]),
        "Dimensions [0,1) of indices[shape=[1,1]] must match dimensions [0,1) of",
    ),
    (
        lambda: tf.scatter_nd([[1, 1]], [1.0], [3]),
        "Dimensions [2,1) of input[shape=[3]] must match dimensions [1,1) of",
    ),
    (
        lambda: tf.gather_nd([[1.0, 2.0]], [[5, 0]]),
        "indices[0] = [5, 0] does not index into param shape [1,2]",
    ),
    (
        lambda: tf.gather_nd([1.0], [[0, 0]]),
        "index innermost dimension length must be <= params rank; saw: 2 vs. 1",
    ),
    (lambda: tf.exp(1), "Value for attr 'T' of int32 is not in the list of allowed values"),
    (lambda: tf.exp(c([1])), "Value for attr 'T' of int32 is not in the list of allowed values"),
    (lambda: tf.exp(True), "Value for attr 'T' of bool is not in the list of allowed values"),
    (lambda: tf.sqrt(c(4)), "Value for attr 'T' of int32 is not in the list of allowed values"),
    (lambda: tf.floor(1j), "Value for attr 'T' of complex128 is not in the list of allowed values"),
    (
        lambda: tf.maximum(1j, 2j),
        "Value for attr 'T' of complex128 is not in the list of allowed values",
    ),
    (
        lambda: tf.less(1j, 2j),
        "Value for attr 'T' of complex128 is not in the list of allowed values",
    ),
    (
        lambda: tf.logical_and(c(1), c(1)),
        "cannot compute LogicalAnd as input #0(zero-based) was expected to be a bool tensor",
    ),
    (
        lambda: tf.bitwise.invert(1.0),
        "Value for attr 'T' of float is not in the list of allowed values",
    ),
    (lambda: tf.negative(True), "Value for attr 'T' of bool is not in the list of allowed values"),
    (lambda: tf.negative("a"), "Value for attr 'T' of string is not in the list of allowed values"),
    (
        lambda: tf.nn.relu(1j),
        "Value for attr 'T' of complex128 is not in the list of allowed values",
    ),
    (lambda: tf.abs(True), "Value for attr 'T' of bool is not in the list of allowed values"),
    (
        lambda: tf.reduce_sum([True]),
        "Value for attr 'T' of bool is not in the list of allowed values",
    ),
    (
        lambda: tf.reduce_max([1j]),
        "Value for attr 'T' of complex128 is not in the list of allowed values",
    ),
    (lambda: tf.math.is_nan(1), "Value for attr 'T' of int32 is not in the list of allowed values"),
    (lambda: tf.round(True), "Value for attr 'T' of bool is not in the list of allowed values"),
    (lambda: tf.debugging.check_numerics([float("nan")], "msg"), "msg : Tensor had NaN values"),
    (lambda: tf.debugging.check_numerics([float("inf")], "msg"), "msg : Tensor had Inf values"),
    (
        lambda: tf.debugging.check_numerics([float("inf"), float("nan")], "msg"),
        "msg : Tensor had Inf and NaN values",
    ),
    (lambda: tf.debugging.check_numerics([-float("inf")], "msg"), "msg : Tensor had Inf values"),
    (
        lambda: tf.debugging.check_numerics([1], "msg"),
        "Value for attr 'T' of int32 is not in the list of allowed values",
    ),
    (lambda: c([1.0, 2.0]) + c([1.0, 2.0, 3.0]), "Incompatible shapes: [2] vs. [3]"),
    (
        lambda: c(1.0) + c(1),
        "cannot compute AddV2 as input #1(zero-based) was expected to be a float tensor but",
    ),
    (
        lambda: tf.where([True, False], [1.0, 2.0, 3.0], 0.0),
        "condition [2], then [3], and else [] must be broadcastable",
    ),
    (lambda: tf.where([True], c(1.0), c(1)), "cannot compute SelectV2 as input #"),
    (lambda: tf.broadcast_to([1, 2], [3]), "Incompatible shapes: [2] vs. [3]"),
    (
        lambda: tf.broadcast_to([[1, 2]], [2]),
        "Rank of input (2) must be no greater than rank of output shape (1).",
    ),
    (lambda: tf.slice([1, 2], [0], [3]), "Expected size[0] in [0, 2], but got 3"),
    (
        lambda: tf.slice([1, 2], [0, 0], [1]),
        "Expected begin and size arguments to be 1-D tensors of size 1, but got shapes [2]",
    ),
    (lambda: tf.slice([1, 2], [3], [0]), "Expected begin[0] in [0, 2], but got 3"),
    (lambda: tf.roll([1], 1, 2), "axis 2 is out of range"),
    (lambda: tf.reverse([[1]], [0, 0]), "axis 0 specified more than once."),
    (lambda: tf.roll([1], [1, 2], [0]), "shift and axis must have the same size"),
    (
        lambda: tf.nn.softmax([1.0], 3),
        "`dim` must be in the range [-1, 1) where 1 is the number of dimensions in the input.",
    ),
    (
        lambda: tf.nn.softmax([1]),
        "Value for attr 'T' of int32 is not in the list of allowed values",
    ),
    (lambda: tf.argmax([1.0], 3), "Expected dimension in the range [-1, 1), but got 3"),
    (lambda: tf.argmax(tf.zeros([0])), "Reduction axis 0 is empty in shape [0]"),
    (
        lambda: tf.add_n([c([1.0]), c([1.0, 2.0])]),
        "Inputs to operation AddN of type AddN must have the same size and shape.  Input 0:",
    ),
    (
        lambda: tf.add_n([c(1.0), c(1)]),
        "cannot compute AddN as input #1(zero-based) was expected to be a float tensor but is",
    ),
    (lambda: tf.einsum("ij->i", tf.ones([1])), "Expected input 0 to have rank 2 but got: 1"),
    (
        lambda: tf.einsum("i,i->", tf.ones([2]), tf.ones([1])),  # only dots are broadcast
        "Expected dimension 2 at axis 0 of the input shaped [1] but got dimension 1",
    ),
    (
        lambda: tf.einsum("ij,jk->ik", tf.ones([1, 2]), tf.ones([3, 1])),
        "Expected dimension 2 at axis 0 of the input shaped [3,1] but got dimension 3",
    ),
    (
        lambda: tf.tensordot(tf.ones([2]), tf.ones([3]), 1),
        "Matrix size-incompatible: In[0]: [1,2], In[1]: [3,1]",
    ),
    (
        lambda: tf.one_hot([0.0], 2),
        "Value for attr 'TI' of float is not in the list of allowed values: uint8, int8,",
    ),
    (lambda: tf.one_hot([0], -1), "depth must be non-negative, got: -1"),
    (
        lambda: tf.math.unsorted_segment_sum([1.0], [3], 2),
        "segment_ids[0] = 3 is out of range [0, 2)",
    ),
    (
        lambda: tf.math.unsorted_segment_sum([1.0], [0, 1], 2),
        "data.shape = [1] does not start with segment_ids.shape = [2]",
    ),
    (
        lambda: tf.nn.l2_loss([1]),
        "Value for attr 'T' of int32 is not in the list of allowed values: half, bfloat16,",
    ),
    (lambda: tf.norm([1]), "Value for attr 'T' of int32 is not in the list of allowed values"),
    (
        lambda: tf.reduce_logsumexp([1]),
        "Value for attr 'T' of int32 is not in the list of allowed values",
    ),
    (lambda: tf.square("a"), "Value for attr 'T' of string is not in the list of allowed values"),
    (
        lambda: tf.reduce_prod([True]),
        "Value for attr 'T' of bool is not in the list of allowed values",
    ),
]

VALUE: list[Misuse] = [
    (lambda: tf.stack([c([1])], 3), "Argument `axis` = 3 not in range [-2, 2)"),
    (lambda: tf.unstack(c([1, 2]), axis=2), "Argument `axis` = 2 not in range [-1, 1)"),
    (lambda: tf.unstack(c(1)), "Argument `axis` = 0 not in range [0, 0)"),
    (
        lambda: tf.pad([1], [[1, 1]], "X"),
        'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or',
    ),
    (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([[0]], [[0.0, 0.0]]),
        "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape=(1,",
    ),
    (lambda: tf.where([True], [1.0]), "x and y must both be non-None or both be None."),
    (
        lambda: tf.add_n([]),
        "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype",
    ),
    (
        lambda: tf.einsum("ij,jk->ik", tf.ones([1, 1])),
        'Got 1 inputs for equation "ij,jk->ik", expecting 2',
    ),
    (
        lambda: tf.einsum("i->j", tf.ones([1])),
        "Output subscripts contain the label j not present in the input subscripts.",
    ),
    (
        lambda: tf.einsum("i->ii", tf.ones([2])),
        "Output subscripts contain a label appearing more than once: i->ii",
    ),
    (lambda: tf.einsum("i$->i", tf.ones([2, 2])), "Subscripts have incorrect format: i$->i"),
    (
        lambda: tf.tensordot(tf.ones([2]), tf.ones([3]), 2),
        "`axes` must not be larger than the number of dimensions of tensor",
    ),
    (
        lambda: tf.tensordot(tf.ones([2]), tf.ones([3]), [[0], [0, 1]]),
        "Different number of contraction axes `a` and `b`, 1 != 2.",
    ),
    (lambda: tf.boolean_mask([1, 2, 3], [True, False]), "Shapes (3,) and (2,) are incompatible"),
    (lambda: tf.boolean_mask([1], True), "mask cannot be scalar."),
    (lambda: tf.norm([1.0], ord="x"), "'ord' must be a supported vector norm, got x"),
    (lambda: tf.norm([1.0], ord="fro"), "'ord' must be a supported vector norm, got fro"),
    (
        lambda: tf.math.scalar_mul(c([1.0]), c([1.0])),
        "The input scalar must be a 0-D value. Received shape (1,).",
    ),
    (lambda: tf.nn.gelu([1]), "`features.dtype` must be a floating point tensor."),
    (
        lambda: tf.nn.sigmoid_cross_entropy_with_logits([1.0], [1.0, 2.0]),
        "`logits` and `labels` must have the same shape, received ((2,) vs (1,)).",
    ),
    (
        lambda: tf.meshgrid([1], indexing="x"),
        "Argument `indexing` parameter must be either 'xy' or 'ij', got 'x'",
    ),
]

UNIMPLEMENTED: list[Misuse] = [
    (lambda: tf.cast("1.5", tf.float32), "Cast string to float is not supported"),
    (lambda: tf.cast(1.5, tf.string), "Cast float to string is not supported"),
    (lambda: tf.cast("1", tf.int32), "Cast string to int32 is not supported"),
]

TYPE: list[Misuse] = [
    (
        lambda: tf.complex(c(1), c(1)),
        "The `real` and `imag` components have incorrect types: int32 int32. They must be",
    ),
    (
        lambda: tf.complex(c(1.0), c(1.0, tf.float64)),
        "The `real` and `imag` components have incorrect types: float32 float64. They must be",
    ),
    (
        lambda: tf.complex(c(1.0, tf.float16), c(1.0, tf.float16)),
        "The `real` and `imag` components have incorrect types: float16 float16. They must be",
    ),
    (lambda: tf.math.angle(1), "Cannot convert 3.141592653589793 to EagerTensor of dtype int32"),
    (
        lambda: tf.math.reduce_variance([1]),
        "Input must be either real or complex. Received integer type <dtype: 'int32'>.",
    ),
    (
        lambda: tf.math.reduce_std([1]),
        "Input must be either real or complex. Received integer type <dtype: 'int32'>.",
    ),
]

CASES = [
    *[(tf.errors.InvalidArgumentError, *case) for case in INVALID],
    *[(tf.errors.UnimplementedError, *case) for case in UNIMPLEMENTED],
    *[(ValueError, *case) for case in VALUE],
    *[(TypeError, *case) for case in TYPE],
]


@pytest.mark.parametrize(
    ("kind", "misuse", "words"),
    [pytest.param(*case, id=f"{i}-{case[2][:40]}") for i, case in enumerate(CASES)],
)
def test_misuse(kind: type[Exception], misuse: Callable[[], Any], words: str) -> None:
    """The class is TensorFlow's, or derives from it, and the message begins as TensorFlow's."""
    with pytest.raises(kind) as caught:
        misuse()
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    "misuse", [misuse for _, misuse, _ in CASES], ids=[f"{i}" for i in range(len(CASES))]
)
def test_misuse_under_a_tape(misuse: Callable[[], Any]) -> None:
    """A tape that listens changes nothing, and goes on working afterwards."""
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(Exception) as caught:  # noqa: PT011
            misuse()
        y = x * x
    with pytest.raises(type(caught.value)) as alone:
        misuse()
    assert str(caught.value) == str(alone.value)
    assert tape.gradient(y, x).numpy() == 6.0
