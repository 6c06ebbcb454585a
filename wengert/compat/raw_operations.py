"""tf.raw_ops: operations by the name of their type, with all arguments, for gradient functions.

raw_operations.txt has a line for each: its parameters with their defaults and, after an arrow, what
it is here: a public function, `row(inputs; attributes)` for the row of the table itself,
`rule(row; cotangent, value; attributes)` for the gradient rule of a row, which reads its result or
its input, or `written` for a function below. Without an arrow it is the row, or the public function
of the same name with the same arguments.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import numpy as np

import wengert
from wengert.compat import raw_cells, raw_gradients, raw_quantized, raw_training, raw_variables
from wengert.core.context import is_replaced
from wengert.core.dispatch import apply
from wengert.core.table import complete, row_of
from wengert.errors import InvalidArgumentError
from wengert.host.locks import load_module
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import shape
from wengert.ops.arrays.shaping import expand_dims, reshape
from wengert.ops.arrays.slicing import pad
from wengert.ops.arrays.tensor_scatter import tensor_scatter_nd_add
from wengert.ops.arrays.text import as_string
from wengert.ops.control import dead_values
from wengert.ops.image.projective import projective_transform
from wengert.ops.linalg.diagonals import diag, diag_part, set_diag
from wengert.ops.math.comparison import approximate_equal
from wengert.ops.math.elementwise import cast as cast_to
from wengert.ops.nn.activations import softmax
from wengert.ops.nn.conv.dilated import explicit
from wengert.ops.nn.conv.public import conv2d
from wengert.ops.nn.pool.public import max_pool2d as max_pool
from wengert.ops.random import rows
from wengert.ops.random.arguments import leading_shape, sizes
from wengert.ops.random.seeds import BothSeeds
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.reductions.sorting import searchsorted
from wengert.ops.reductions.unique import unique_along
from wengert.ops.strings.hashing import fingerprint
from wengert.ops.strings.texts import join as strings_join
from wengert.ops.support.declare import convert_alike
from wengert.overrides.row_override import as_version, find_version
from wengert.saving.summaries import version_1
from wengert.state.variable import Variable
from wengert.values.convert import convert, convert_to_tensor
from wengert.values.dtypes import float32, float64
from wengert.values.tensor import Tensor, dims

Parameters = list[inspect.Parameter]
_NO_DEFAULT: Final = inspect.Parameter.empty
# The namespaces that are searched for a public function with an operation's name.
_SPACES: Final = [
    "math",
    "nn",
    "linalg",
    "image",
    "signal",
    "sparse",
    "random",
    "bitwise",
    "quantization",
    "compat.v1",
]
# Arguments that select a kernel, without effect on the result.
OF_KERNELS: Final = frozenset(
    [
        "T",
        "Tout",
        "Treal",
        "Tcomplex",
        "Truncate",
        "bad_indices_policy",
        "dtype",
        "grad_a",
        "grad_b",
        "grad_x",
        "grad_y",
        "index_type",
        "output_idx_type",
        "seed2",
        "use_cudnn_on_gpu",
        "use_locking",
        "validate_indices",
    ]
)


class Line(NamedTuple):
    """An operation in raw_operations.txt."""

    parameters: Parameters
    meaning: str


@functools.cache
def functions() -> dict[str, Callable[[], Any]]:
    """For each operation, a function that creates its function."""
    lines = Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
    return {
        name: functools.partial(_function, name, _line(rest))
        for name, _, rest in (line.partition(" ") for line in lines)
    }


def _line(text: str) -> Line:
    listed, _, meaning = text.partition(" -> ")
    return Line([_parameter(word) for word in listed.split()], meaning)


def _parameter(word: str) -> inspect.Parameter:
    name, has_default, default = word.partition("=")
    value = _default(default) if has_default else _NO_DEFAULT
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value)


def _default(text: str) -> Any:
    if text.startswith("tf."):
        return getattr(wengert, text[3:])
    return ast.literal_eval(text)


def _function(name: str, line: Line) -> Callable[..., Any]:
    compute = _meaning(name, line)
    by_name = inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    signature = inspect.Signature([*line.parameters, by_name])
    has_both_seeds = "seed2" in signature.parameters and "seed2" not in line.meaning

    def raw(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        given.pop("name")
        if has_both_seeds:
            given["seed"] = BothSeeds(given["seed"], given["seed2"])
        newer = find_version(name) if is_replaced(name) else None
        if newer is None or newer.name == name:
            return _with_names(name, compute(given))
        with as_version(name, newer.name):
            return _with_names(name, compute(given))

    raw.__module__, raw.__name__, raw.__qualname__ = "wengert.raw_ops", name, name
    raw.__doc__ = f"The operation {name}."
    raw.__signature__ = signature  # type: ignore[attr-defined]
    raw.foreseen = functools.partial(_foreseen, name)  # type: ignore[attr-defined]
    return deferrable(raw)


def _with_names(name: str, result: Any) -> Any:
    """Several results, each of which has the name that the definition of the operation gives it."""
    if type(result) not in (list, tuple) or len(result) < 2:
        return result
    named = _results(name)
    return result if named is None or len(named._fields) != len(result) else named(*result)


@functools.cache
def _results(name: str) -> Any:
    known = load_module("wengert.compat.graph_defs.op_defs").op_defs().get(name)
    if known is None or any(x.times for x in known.outputs):
        return None
    return namedtuple(name, [x.name for x in known.outputs])


def _foreseen(name: str, dtype: Any, _: Any) -> tuple[Any, list[Any]]:
    """The form of the results of a deferred call, of which only the definition of the operation tells."""
    known = load_module("wengert.compat.graph_defs.op_defs").op_defs().get(name)
    outputs = known.outputs if known is not None else ()
    if len(outputs) < 2 or any(x.times or x.dtype not in known.attrs for x in outputs):
        return Tensor, [(None, dtype)]
    defaults = [known.attrs[x.dtype].default for x in outputs]
    forms = [
        (None, dtype if d is None or d.is_floating else np.dtype(d.as_numpy_dtype))
        for d in defaults
    ]
    result: Any = namedtuple(name, [x.name for x in outputs])  # type: ignore[misc]
    return result(*[Tensor] * len(outputs)), forms


def _meaning(name: str, line: Line) -> Callable[[dict[str, Any]], Any]:
    """A function from the arguments by name to the result."""
    if line.meaning == "written":
        return lambda given: _WRITTEN[name](**given)
    if line.meaning.startswith("row("):
        return _of_row(name, *line.meaning[4:-1].split(";"))
    if line.meaning.startswith("rule("):
        return _of_rule(*line.meaning[5:-1].split(";"))
    if line.meaning:
        return _call(*line.meaning.rstrip(")").split("("))
    same = next(_same(name, line.parameters), None)
    return same if same is not None else _whole_row(name, line.parameters)


# ---- rows --------------------------------------------------------------------------------------


def _of_row(name: str, inputs: str, attributes: str = "") -> Callable[[dict[str, Any]], Any]:
    """The row of the table, with some arguments as its inputs and some as its attributes."""
    into = [word.strip() for word in inputs.split(",")]
    plain = [word.strip().partition("=") for word in attributes.split(",") if word.strip()]

    def compute(given: dict[str, Any]) -> Any:
        attrs = {k: ast.literal_eval(v) if has else _static(given[k]) for k, has, v in plain}
        return apply(row_of(name), _inputs(name, into, [given[k] for k in into]), attrs)

    return compute


def _inputs(name: str, names: Sequence[str], values: Sequence[Any]) -> tuple[Any, ...]:
    """The inputs of an operation; those that its definition gives one dtype are converted to that of the first tensor."""
    found = {key: _input(value) for key, value in zip(names, values, strict=True)}
    if len({x.dtype for x in found.values()}) > 1:
        given = dict(zip(names, values, strict=True))
        for alike in _of_one_dtype(name):
            both = [key for key in names if key in alike]
            found |= zip(both, convert_alike(name, *[given[key] for key in both]), strict=True)
    return tuple(found.values())


@functools.cache
def _of_one_dtype(name: str) -> list[list[str]]:
    """The inputs of an operation in groups that have one dtype each."""
    known = load_module("wengert.compat.graph_defs.op_defs").op_defs().get(name)
    groups: dict[str, list[str]] = {}
    for x in known.inputs if known is not None else ():
        if not x.times and x.dtype in known.attrs:
            groups.setdefault(x.dtype, []).append(x.name)
    return [group for group in groups.values() if len(group) > 1]


def _of_rule(name: str, inputs: str, attributes: str = "") -> Callable[[dict[str, Any]], Any]:
    """The gradient rule of a row with one input, as a function of what the rule reads."""
    rule: Any = next(iter(cast(Sequence[Any], row_of(name.strip()).vjp)))
    cotangent, value = [word.strip() for word in inputs.split(",")]
    plain = [word.strip() for word in attributes.split(",") if word.strip()]

    def compute(given: dict[str, Any]) -> Any:
        read = convert(given[value])
        return rule(convert(given[cotangent]), read, read, **{k: given[k] for k in plain})

    return compute


def _whole_row(name: str, parameters: Parameters) -> Callable[[dict[str, Any]], Any]:
    """The row whose kernel takes the first parameters as arrays, and the others by name."""
    row = row_of(name)
    taken = list(inspect.signature(row.kernel).parameters.values())[1:]
    by_name = [p.name for p in taken if p.kind is inspect.Parameter.KEYWORD_ONLY]
    attributes = [p.name for p in parameters if p.name in by_name]
    inputs = [p.name for p in parameters if p.name not in {*by_name, *OF_KERNELS}]
    return _of_row(name, ",".join(inputs), ",".join(attributes))


def _input(value: Any) -> Any:
    return value if isinstance(value, Variable) else convert(value)


def _static(value: Any) -> Any:
    """An attribute as rows keep them: tuples of numbers, text."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, Tensor):
        value = np.asarray(value).tolist()
    return tuple(map(_static, value)) if isinstance(value, (list, tuple)) else value


# ---- public functions --------------------------------------------------------------------------


def _call(path: str, arguments: str) -> Callable[[dict[str, Any]], Any]:
    """A public function, called with arguments given as source: `x`, `*x` or `y=x`."""
    words = [word.strip() for word in arguments.split(",")]

    def compute(given: dict[str, Any]) -> Any:
        args: list[Any] = []
        kwargs = {}
        for word in words:
            name, by_name, source = word.partition("=")
            if by_name:
                kwargs[name] = given[source]
            elif name.startswith("*"):
                args += given[name[1:]]
            else:
                args.append(given[name])
        return _public(path)(*args, **kwargs)

    return compute


def _public(path: str) -> Any:
    space, _, name = path.rpartition(".")
    return getattr(importlib.import_module(f"wengert.{space}") if space else wengert, name)


def _same(name: str, parameters: Parameters) -> Iterator[Callable[[dict[str, Any]], Any]]:
    """Public functions of the operation's name that take its arguments."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    wanted = [p.name for p in parameters if p.name not in OF_KERNELS]
    for path in (snake, *(f"{space}.{snake}" for space in _SPACES)):
        try:
            takes = inspect.signature(_public(path)).parameters
        except (AttributeError, TypeError, ValueError):
            continue
        if set(wanted) <= set(takes):
            yield _call(path, ",".join(f"{p}={p}" for p in wanted))


# ---- written -----------------------------------------------------------------------------------


def _cross_entropy(features: Any, labels: Any) -> tuple[Tensor, Tensor]:
    """The losses, and their derivatives with respect to the logits."""
    nn = importlib.import_module("wengert.nn")
    features, labels = convert(features), convert(labels)
    losses = nn.softmax_cross_entropy_with_logits(labels, features)
    return losses, softmax(features) * reduce_sum(labels, -1, keepdims=True) - labels


def _sparse_cross_entropy(features: Any, labels: Any) -> tuple[Tensor, Tensor]:
    """The losses for classes, and their derivatives with respect to the logits."""
    nn = importlib.import_module("wengert.nn")
    features, labels = convert(features), convert(labels)
    losses = nn.sparse_softmax_cross_entropy_with_logits(labels, features)
    chosen = wengert.one_hot(labels, shape(features)[-1], dtype=features.dtype)
    return losses, softmax(features) - chosen


def _places(source: str, target: str) -> list[int]:
    return [source.index(letter) for letter in target]


def _check_formats(source: str, target: str) -> None:
    for kind, text in (("Source", source), ("Destination", target)):
        if len(text) not in (4, 5):
            raise InvalidArgumentError(
                f"{kind} format must be of length 4 or 5, received {kind.lower()} format {text!r}."
            )
    if len(set(source)) < len(source) or sorted(source) != sorted(target):
        raise InvalidArgumentError(
            "Destination and source format must determine a permutation, got "
            f"{source!r} and {target!r}."
        )


def _dim_map(x: Any, src_format: str, dst_format: str) -> Tensor:
    """Map the axes of one layout to those of another."""
    _check_formats(src_format, dst_format)
    x, there = convert(x), convert(np.asarray([dst_format.index(c) for c in src_format], np.int32))
    return wengert.cast(wengert.gather(there, wengert.math.floormod(x, len(src_format))), x.dtype)


def _vec_permute(x: Any, src_format: str, dst_format: str) -> Tensor:
    """Permute a number for each axis, or a pair, to the order of another layout."""
    _check_formats(src_format, dst_format)
    x = convert(x)
    spatial = len(src_format) - dims(x)[0]
    if spatial:  # there are numbers only for the axes between batch and channels
        src_format, dst_format = (re.sub("[NC]", "", f) for f in (src_format, dst_format))
    return wengert.gather(x, np.asarray(_places(src_format, dst_format), np.int32))


def _gradient_args(s0: Any, s1: Any) -> tuple[Tensor, Tensor]:
    """The axes along which the gradients of two broadcast operands are summed."""
    a, b = (np.asarray(s).tolist() for s in (s0, s1))
    rank = max(len(a), len(b))
    shapes = [[1] * (rank - len(s)) + s for s in (a, b)]
    stretched = [[i for i in range(rank) if s[i] == 1] for s in shapes]
    r0, r1 = (convert_to_tensor(np.asarray(r, np.int32)) for r in stretched)
    return r0, r1


def _concat_offset(concat_dim: Any, shape: Any) -> list[Tensor]:
    """The offset of each of several arrays in their concatenation."""
    rows = np.asarray([np.asarray(s) for s in shape])
    kept = next((s.dtype.numpy_dtype for s in shape if isinstance(s, Tensor)), np.int32)
    begins = np.zeros_like(rows, kept)
    begins[1:, int(concat_dim)] = np.cumsum(rows[:-1, int(concat_dim)])
    return [convert_to_tensor(row) for row in begins]


def _batch_norm(
    x: Any, scale: Any, offset: Any, mean: Any, variance: Any, epsilon: float,
    exponential_avg_factor: float, data_format: str, is_training: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The normalized batch, its mean and variance, and both again for the gradient."""
    nn = importlib.import_module("wengert.compat.v1").nn
    y, m, v = nn.fused_batch_norm(
        x, scale, offset, mean, variance, epsilon, data_format, is_training,
        exponential_avg_factor=exponential_avg_factor,
    )  # fmt: skip
    return y, m, v, m, v, v


def _conv2d(
    input: Any, filter: Any, strides: Any, padding: str, explicit_paddings: Any, data_format: str,
    dilations: Any, use_cudnn_on_gpu: bool,
) -> Tensor:  # fmt: skip
    found: Tensor = conv2d(
        input, filter, strides, explicit(padding, explicit_paddings), data_format, dilations
    )
    return found


def _max_pool(
    input: Any, ksize: Any, strides: Any, padding: str, explicit_paddings: Any, data_format: str
) -> Tensor:
    found: Tensor = max_pool(
        input, ksize, strides, explicit(padding, explicit_paddings), data_format
    )
    return found


def _max_pool_put(
    input: Any, grad: Any, argmax: Any, include_batch_in_index: bool, **window: Any
) -> Tensor:
    """The gradient of maxima, put where these were."""
    attrs = {"shape": dims(convert(input)), "include_batch_in_index": include_batch_in_index}
    found: Tensor = apply(row_of("MaxPoolGradWithArgmax"), [convert(grad), convert(argmax)], attrs)
    return found


def _fractional_avg_grad(
    orig_input_tensor_shape: Any, out_backprop: Any, row_pooling_sequence: Any,
    col_pooling_sequence: Any, overlapping: bool,
) -> Tensor:  # fmt: skip
    """The gradient of means over regions, spread over these."""
    given = (out_backprop, row_pooling_sequence, col_pooling_sequence)
    attrs = {"shape": _static(convert(orig_input_tensor_shape)), "overlapping": overlapping}
    found: Tensor = apply(row_of("FractionalAvgPoolGrad"), [*map(convert, given)], attrs)
    return found


def _resized_and_convolved(
    input: Any, size: Any, paddings: Any, filter: Any, mode: str, strides: Any, padding: str,
    resize_align_corners: bool,
) -> Tensor:  # fmt: skip
    """A convolution of a picture that is resized first, and padded by its reflection."""
    resize = importlib.import_module("wengert.compat.v1.image").resize_bilinear
    padded = pad(resize(input, size, resize_align_corners), paddings, mode)
    found: Tensor = conv2d(padded, filter, strides, padding)
    return found


def _gamma(shape: Any, key: Any, counter: Any, alg: Any, alpha: Any) -> Tensor:
    """Samples of gamma distributions, by the key and the counter of the generator."""
    row, a = rows.GAMMA.stateless, convert(alpha)
    attrs = {"shape": leading_shape(sizes(shape, row), dims(a), row), "dtype": a.dtype}
    drawn: Tensor = apply(row, [convert(key), convert(counter), a], attrs)
    return drawn


def _five_digits(number: Any) -> Tensor:
    return as_string(convert(number), width=5, fill="0")


def _bucketize(input: Any, boundaries: Sequence[float]) -> Any:
    """How many of the boundaries are at or below each element."""
    if not isinstance(boundaries, (list, tuple)):
        raise TypeError(
            f"Expected list for 'boundaries' argument to 'bucketize' Op, not {boundaries!r}."
        )
    if list(boundaries) != sorted(boundaries):
        raise InvalidArgumentError("Expected sorted boundaries [Op:Bucketize]")
    x = convert(input)
    edges = cast_to(convert(list(boundaries), float32), x.dtype if x.dtype.is_floating else float64)
    flat = cast_to(reshape(x, [-1]), edges.dtype)
    return reshape(searchsorted(edges, flat, "right"), shape(x))


def _text(value: Any) -> str:
    found = np.asarray(value).item()
    return found.decode() if isinstance(found, bytes) else str(found)


_WRITTEN: Final[dict[str, Callable[..., Any]]] = {
    "ApproximateEqual": approximate_equal,
    "BroadcastGradientArgs": _gradient_args,
    "Bucketize": _bucketize,
    "ConcatOffset": _concat_offset,
    "Conv2D": _conv2d,
    "DataFormatDimMap": _dim_map,
    "DataFormatVecPermute": _vec_permute,
    "FusedBatchNorm": lambda **given: _batch_norm(**given)[:5],
    "FusedBatchNormV2": lambda **given: _batch_norm(**given)[:5],
    "FusedBatchNormV3": _batch_norm,
    "ImageProjectiveTransformV2": lambda **given: projective_transform(**given, fill_value=0.0),
    "ImageProjectiveTransformV3": projective_transform,
    "MaxPool": _max_pool,
    "Merge": dead_values.merge,
    "Switch": dead_values.switch,
    "InplaceAdd": lambda x, i, v: tensor_scatter_nd_add(x, expand_dims(i, -1), v),
    "MatrixDiagPartV2": lambda **given: diag_part(given.pop("input"), **given, align="LEFT_LEFT"),
    "MatrixDiagV2": lambda **given: diag(given.pop("diagonal"), **given, align="LEFT_LEFT"),
    "MatrixSetDiagV2": lambda **given: set_diag(given.pop("input"), **given, align="LEFT_LEFT"),
    "HistogramSummary": lambda tag, values: version_1.by_tag(version_1.distribution, tag, values),
    "ScalarSummary": lambda tags, values: version_1.by_tag(version_1.scalars, tags, values),
    "SoftmaxCrossEntropyWithLogits": _cross_entropy,
    "SparseSoftmaxCrossEntropyWithLogits": _sparse_cross_entropy,
    "UniqueV2": lambda **given: unique_along(**given)[:2],
    "UniqueWithCountsV2": unique_along,
    "Fingerprint": lambda data, method: fingerprint(data, _text(method)),
    "FusedResizeAndPadConv2D": _resized_and_convolved,
    "MaxPoolGradWithArgmax": _max_pool_put,
    "FractionalAvgPoolGrad": _fractional_avg_grad,
    "ShardedFilename": lambda basename, shard, num_shards: strings_join(
        [basename, "-", _five_digits(shard), "-of-", _five_digits(num_shards)]
    ),
    "ShardedFilespec": lambda basename, num_shards: strings_join(
        [basename, "-?????-of-", _five_digits(num_shards)]
    ),
    "StatelessRandomGammaV3": _gamma,
    **raw_cells.WRITTEN,
    **raw_gradients.WRITTEN,
    **raw_quantized.WRITTEN,
    **raw_training.WRITTEN,
    **raw_variables.WRITTEN,
}

complete()  # lines without an arrow need all rows
