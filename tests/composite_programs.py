"""Programs with values made of tensors, for Wengert and TensorFlow: tools/composites.py records the latter.

The annotations are objects and not strings, as in programs that declare types.
"""

# mypy: disable-error-code="misc,valid-type,name-defined,call-arg,no-any-return"
import inspect
from collections.abc import Callable, Mapping
from typing import Any, List, Optional, Union  # noqa: UP035  # TensorFlow takes no `X | Y`

Programs = dict[str, Callable[[], Any]]


def text_of(program: Callable[[], Any]) -> str:
    """What a program gives, or the kind of error: ValueError and TypeError, and those that derive from them."""
    try:
        found = str(program())
    except (TypeError, ValueError) as error:
        return "TypeError" if isinstance(error, TypeError) else "ValueError"
    return " ".join(found.split())


def of_ragged(tf: Any) -> Programs:
    """Public functions of ragged tensors."""
    r = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    i = tf.ragged.constant([[1, 2], [], [3]])
    b = tf.ragged.constant([[True, False], [], [True]])
    deep = tf.ragged.constant([[[1.0], [2.0, 3.0]], [], [[4.0]]])
    shape = tf.experimental.DynamicRaggedShape
    return {
        "abs": lambda: tf.abs(r),
        "exp": lambda: tf.exp(r),
        "add": lambda: tf.add(r, 1.0),
        "add2": lambda: r + r,
        "maximum": lambda: tf.maximum(r, 2.0),
        "mul": lambda: tf.multiply(2.0, r),
        "concat": lambda: tf.concat([r, r], 0),
        "concat1": lambda: tf.concat([r, r], 1),
        "stack": lambda: tf.stack([r, r]),
        "expand_dims": lambda: tf.expand_dims(r, 1),
        "gather": lambda: tf.gather(r, [2, 0]),
        "gather_ri": lambda: tf.gather(tf.constant([1.0, 2.0, 3.0, 4.0]), i),
        "gather_nd": lambda: tf.gather_nd(r, [[0, 1]]),
        "one_hot": lambda: tf.one_hot(i, 4),
        "ones_like": lambda: tf.ones_like(r),
        "zeros_like": lambda: tf.zeros_like(r),
        "rank": lambda: tf.rank(r),
        "size": lambda: tf.size(r),
        "shape": lambda: tf.shape(r),
        "split": lambda: tf.split(r, [1, 2]),
        "squeeze": lambda: tf.squeeze(tf.expand_dims(r, 0), 0),
        "tile": lambda: tf.tile(r, [2, 1]),
        "where": lambda: tf.where(b, r, r),
        "where1": lambda: tf.where(b),
        "reverse": lambda: tf.reverse(r, [0]),
        "cast": lambda: tf.cast(r, tf.int32),
        "reduce_sum": lambda: tf.reduce_sum(r, 1),
        "reduce_mean": lambda: tf.reduce_mean(r, axis=0),
        "reduce_any": lambda: tf.reduce_any(b, 1),
        "reduce_variance": lambda: tf.math.reduce_variance(r, 1),
        "bitcast": lambda: tf.bitcast(i, tf.uint32),
        "dropout": lambda: tf.nn.dropout(r, 0.0),
        "softmax": lambda: tf.nn.softmax(r),
        "embedding_lookup": lambda: tf.nn.embedding_lookup(tf.ones([4, 2]), i),
        "matmul": lambda: tf.matmul(
            tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[1.0, 1.0]]], ragged_rank=1),
            tf.ones([2, 2, 2]),
        ),
        "as_string": lambda: tf.as_string(i),
        "add_n": lambda: tf.add_n([r, r]),
        "clip": lambda: tf.clip_by_value(r, 0.0, 1.0),
        "equal": lambda: tf.equal(r, 1.0),
        "eq": lambda: r == r,
        "identity": lambda: tf.identity(r),
        "stop_gradient": lambda: tf.stop_gradient(r),
        "relu": lambda: tf.nn.relu(r),
        "sigmoid": lambda: tf.sigmoid(r),
        "unsorted_segment_sum": lambda: tf.math.unsorted_segment_sum(r, i, 4),
        "segment": lambda: tf.ragged.map_flat_values(tf.square, r),
        "map_fn": lambda: tf.map_fn(tf.reduce_sum, r, fn_output_signature=tf.float32),
        "dynamic_partition": lambda: tf.dynamic_partition(r, [0, 1, 0], 2),
        "sparse": lambda: r.to_sparse(),
        "range": lambda: tf.ragged.range([1, 2]),
        "ravel": lambda: tf.reshape(r, [-1]),
        "rrt": lambda: tf.ragged.stack_dynamic_partitions(tf.constant([1, 2]), [0, 1], 2),
        "logical": lambda: tf.logical_not(b),
        "sqdiff": lambda: tf.math.squared_difference(r, 1.0),
        "getitem": lambda: r[:, :1],
        "spec": lambda: tf.RaggedTensorSpec.from_value(r),
        "zeroslike": lambda: tf.math.is_nan(r),
        "dshape": lambda: tf.experimental.DynamicRaggedShape.from_tensor(r),
        "bshape": lambda: tf.broadcast_to(
            tf.constant([[1.0]]), tf.experimental.DynamicRaggedShape.from_tensor(r)
        ),
        "segment_ids": lambda: tf.ragged.segment_ids_to_row_splits([0, 1]),
        "rows of a map": lambda: tf.map_fn(lambda x: x * 2.0, r),
        "ranges": lambda: tf.map_fn(
            tf.range,
            tf.constant([3, 0, 2]),
            fn_output_signature=tf.RaggedTensorSpec([None], tf.int32),
        ),
        "deeper map": lambda: tf.map_fn(lambda x: x + 1.0, deep),
        "deeper gather": lambda: tf.gather(deep, [2, 0]),
        "gather in rows": lambda: tf.gather(r, tf.ragged.constant([[1, 0], [], [0]]), batch_dims=1),
        "deeper reverse": lambda: tf.reverse(deep, [1]),
        "deeper expand": lambda: tf.expand_dims(deep, 2),
        "deeper keepdims": lambda: tf.reduce_sum(deep, axis=2, keepdims=True),
        "keepdims": lambda: tf.reduce_sum(r, axis=1, keepdims=True),
        "std": lambda: tf.math.reduce_std(r, axis=0),
        "function": lambda: tf.function(lambda v: tf.expand_dims(tf.exp(v * 0.0), 1))(r),
        "parts": lambda: [
            t.numpy().tolist() for t in tf.nest.flatten(deep, expand_composites=True)
        ],
        "shape of deep": lambda: tf.shape(deep),
        "lengths": lambda: shape.from_lengths([2, (1, 3), 5]),
        "uniform": lambda: shape.from_lengths([2, 2, (1, 3, 0, 1)]),
        "ones": lambda: tf.ones(tf.shape(r)),
        "broadcast scalar": lambda: tf.broadcast_to(2.0, tf.shape(r)),
        "spec of flat": lambda: tf.RaggedTensorSpec([None, None, 3], tf.float32, 1),
        "spec fits": lambda: tf.RaggedTensorSpec([None, None], tf.float32).is_compatible_with(r),
        "spec does not": lambda: tf.RaggedTensorSpec([4, None], tf.float32).is_compatible_with(r),
        "no rank": lambda: tf.RaggedTensorSpec(),
        "rank too high": lambda: tf.RaggedTensorSpec([None], tf.float32, 1),
        "sparse spec": lambda: tf.type_spec_from_value(tf.SparseTensor([[0, 1]], [1.0], [2, 3])),
        "spec of number": lambda: tf.type_spec_from_value(3),
        "spec of nothing": lambda: tf.type_spec_from_value(object()),
    }


def of_extension_types(tf: Any) -> Programs:
    """Types from annotations."""
    base = tf.experimental.ExtensionType

    class Masked(base):
        values: tf.Tensor
        mask: tf.Tensor

        def filled(self, default: Any) -> Any:
            return tf.where(self.mask, self.values, tf.cast(default, self.values.dtype))

    class Many(base):
        a: tf.Tensor
        shape: tf.TensorShape
        kind: tf.DType = tf.float32
        n: int = 3
        parts: tuple[tf.Tensor, ...] = ()
        table: Mapping[str, tf.Tensor] = {}
        maybe: Optional[tf.Tensor] = None  # noqa: UP045
        either: Union[tf.Tensor, str] = 2  # noqa: UP007

    class Child(Masked):
        extra: tf.Tensor

    class Checked(base):
        x: tf.Tensor
        y: tf.Tensor

        def __validate__(self) -> None:
            self.x.shape.assert_is_compatible_with(self.y.shape)

    class Scaled(base):
        x: tf.Tensor

        def __init__(self, x: Any, scale: float = 2.0) -> None:
            self.x = [v * scale for v in x]

    class Shaped(base):
        values: tf.Tensor

        class Spec:
            def __init__(self, shape: Any, dtype: Any = tf.float32) -> None:
                self.values = tf.TensorSpec(shape, dtype)

            @property
            def shape(self) -> Any:
                return self.values.shape

    class Node(base):
        v: tf.Tensor
        children: tuple["Node", ...] = ()

    class Rows(base):
        r: tf.RaggedTensor

    class Network(tf.experimental.BatchableExtensionType):
        shape: tf.TensorShape
        work: tf.Tensor
        links: tf.Tensor

        def __init__(self, work: Any, links: Any) -> None:
            self.work, self.links = tf.convert_to_tensor(work), tf.convert_to_tensor(links)
            self.shape = self.work.shape[:-1].merge_with(self.links.shape[:-2])

    class Late(base):
        a: int = 3
        b: tf.Tensor

    class Pair(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        y: tf.Tensor

    m = Masked([1.0, 2.0], [True, False])
    spec = Masked.Spec(tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool))
    both = Pair([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0])
    one = Pair.Spec(tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.float32))
    many = Many(1.0, [2, None], parts=[1, 2.0], table={"q": 1}, maybe=3)

    def without_annotation() -> Any:
        return type("Wrong", (base,), {"x": 3})

    def of_a_list() -> Any:
        return type("Wrong", (base,), {"__annotations__": {"x": list[tf.Tensor]}})

    def of_a_dict() -> Any:
        return type("Wrong", (base,), {"__annotations__": {"x": dict}})

    def reserved() -> Any:
        return type("Wrong", (base,), {"__annotations__": {"self": int}})

    def wrong_default() -> Any:
        return type("Wrong", (base,), {"__annotations__": {"x": int}, "x": "a"})

    def gradient() -> Any:
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(Masked(x, [True, False]).filled(0) ** 2)
        return tape.gradient(y, x)

    def changed() -> None:
        try:
            m.values = 3
        except AttributeError as error:
            raise TypeError from error

    def parameters(kind: Any) -> str:
        found = inspect.signature(kind).parameters.values()
        return ", ".join(f"{p.name} {p.kind.name} {p.default is not p.empty}" for p in found)

    def doubled(e: Any) -> Any:
        return Pair(e.x * e.y, e.y)

    return {
        "repr": lambda: m,
        "spec": lambda: m._type_spec,
        "spec of value": lambda: tf.type_spec_from_value(m),
        "constructor": lambda: parameters(Masked),
        "change": changed,
        "equal": lambda: m == Masked([1.0, 2.0], [True, False]),
        "not equal": lambda: m != m,
        "other": lambda: m == 3,
        "hash": lambda: hash(m),
        "no arguments": Masked,
        "keywords": lambda: Masked(values=[1], mask=[True]),
        "spec by hand": lambda: spec,
        "compatible": lambda: spec.is_compatible_with(m),
        "function": lambda: tf.function(lambda v: Masked(v.values * 2, v.mask))(m),
        "signature": lambda: tf.function(lambda v: v.filled(0), input_signature=[spec])(m),
        "concrete": lambda: tf.function(lambda v: v.filled(0)).get_concrete_function(spec)(m),
        "many": lambda: many,
        "many constructor": lambda: parameters(Many),
        "many wrong": lambda: Many(1.0, [2], n="a"),
        "many spec": lambda: Many(1.0, [2, None], parts=(1,), either=1, table={"b": 1})._type_spec,
        "many flat": lambda: tf.nest.flatten(many, expand_composites=True),
        "child": lambda: Child([1.0], [True], 2),
        "child constructor": lambda: parameters(Child),
        "checked": lambda: Checked([1], [1, 2]),
        "own constructor": lambda: Scaled([1.0, 2.0]),
        "own spec": lambda: Shaped([1.0])._type_spec,
        "own spec's constructor": lambda: Shaped.Spec([None]),
        "own spec's shape": lambda: Shaped([1.0])._type_spec.shape,
        "node": lambda: Node(1, [Node(2), Node(3)]),
        "node spec": lambda: Node(1, [Node(2)])._type_spec,
        "rows": lambda: Rows(tf.ragged.constant([[1], [2, 3]]))._type_spec,
        "rows of a list": lambda: Rows([[1]]),
        "rows flat": lambda: tf.nest.flatten(
            Rows(tf.ragged.constant([[1], [2, 3]])), expand_composites=True
        ),
        "while": lambda: tf.while_loop(
            lambda i, v: i < 3, lambda i, v: (i + 1, Masked(v.values * 2, v.mask)), (0, m)
        )[1],
        "cond": lambda: tf.cond(tf.constant(True), lambda: m, lambda: Masked(m.values + 1, m.mask)),
        "gradient": gradient,
        "as_dict": lambda: sorted(tf.experimental.extension_type.as_dict(m)),
        "late": lambda: parameters(Late),
        "late by place": lambda: Late(1, 2),
        "late by name": lambda: Late(2, b=3),
        "map_fn": lambda: tf.map_fn(lambda e: e.x * e.y, both, fn_output_signature=tf.float32),
        "map_fn to": lambda: tf.map_fn(doubled, both, fn_output_signature=one),
        "map_fn alike": lambda: tf.map_fn(doubled, both),
        "map_fn in a function": lambda: tf.function(lambda v: tf.map_fn(doubled, v))(both),
        "vectorized_map": lambda: tf.vectorized_map(lambda e: e.x * e.y, both),
        "identity": lambda: tf.identity(m),
        "identity in a function": lambda: tf.function(tf.identity)(m),
        "case": lambda: tf.case([(tf.constant(False), lambda: m)], default=lambda: m),
        "cond of two sizes": lambda: tf.function(
            lambda c: tf.cond(c, lambda: m, lambda: Masked([1.0], [True]))
        )(tf.constant(False)),
        "batch of networks": lambda: tf.map_fn(
            lambda n: Network(n.work * 2.0, n.links), Network([[1.0, 2.0]], [[[1.0, 2.0]]])
        ),
        "network spec": lambda: Network([1.0], [[1.0]])._type_spec._batch(4),
        "network of a batch": lambda: Network([[1.0]], [[[1.0]]])._type_spec._unbatch(),
        "without annotation": without_annotation,
        "of a list": of_a_list,
        "of a dict": of_a_dict,
        "reserved": reserved,
        "wrong default": wrong_default,
    }


def of_dispatch(tf: Any) -> Programs:
    """What public functions do for a type of one's own."""
    experimental = tf.experimental

    class Masked(experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

        def __repr__(self) -> str:
            return f"{self.values.numpy().tolist()} {self.mask.numpy().tolist()}"

    m = Masked([1.0, -2.0], [True, False])
    t = tf.constant([3.0, 4.0])

    @experimental.dispatch_for_unary_elementwise_apis(Masked)
    def of_one(f: Any, x: Masked) -> Masked:
        return Masked(f(x.values), x.mask)

    def as_masked(x: Any) -> Masked:
        return x if isinstance(x, Masked) else Masked(x, tf.ones_like(x, tf.bool))

    @experimental.dispatch_for_binary_elementwise_apis(
        Union[Masked, tf.Tensor],  # noqa: UP007
        Union[Masked, tf.Tensor],  # noqa: UP007
    )
    def of_two(f: Any, x: Any, y: Any) -> Masked:
        x, y = as_masked(x), as_masked(y)
        return Masked(f(x.values, y.values), x.mask & y.mask)

    @experimental.dispatch_for_api(tf.stack)
    def stacked(values: List[Masked], axis: int = 0, name: str = "stack") -> Masked:  # noqa: UP006
        return Masked(
            tf.stack([v.values for v in values], axis), tf.stack([v.mask for v in values], axis)
        )

    @experimental.dispatch_for_api(tf.concat, {"values": List[Masked]})  # noqa: UP006
    def joined(values: Any, axis: Any, name: str = "concat") -> Masked:
        return Masked(
            tf.concat([v.values for v in values], axis), tf.concat([v.mask for v in values], axis)
        )

    @experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    def checked(f: Any, x: Masked, y: Masked) -> Any:
        return f(tf.boolean_mask(x.values, x.mask), tf.boolean_mask(y.values, y.mask))

    def without_name() -> Any:
        @experimental.dispatch_for_api(tf.expand_dims, {"input": Masked})
        def expanded(input: Any, axis: Any) -> Masked:
            return Masked(tf.expand_dims(input.values, axis), tf.expand_dims(input.mask, axis))

        found = tf.expand_dims(m, 0), tf.expand_dims(m, axis=1, name="n")
        experimental.unregister_dispatch_for(expanded)
        return found

    def unknown_parameter() -> None:
        experimental.dispatch_for_api(tf.concat, {"parts": List[Masked]})(joined)  # noqa: UP006

    def other_parameters() -> None:
        @experimental.dispatch_for_api(tf.concat, {"values": List[Masked]})  # noqa: UP006
        def wrong(parts: Any, axis: Any, name: str = "concat") -> None: ...

    def again() -> None:
        experimental.dispatch_for_unary_elementwise_apis(Masked)(lambda f, x: x)

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = tf.multiply(Masked(t, [True, False]), t).values
        return tape.gradient(y, t)

    def forgotten() -> Any:
        class Other(experimental.ExtensionType):
            x: tf.Tensor

        @experimental.dispatch_for_unary_elementwise_apis(Other)
        def handler(f: Any, x: Other) -> Any:
            return f(x.x)

        before = tf.abs(Other(-1.0)).numpy()
        experimental.unregister_dispatch_for(handler)
        try:
            tf.abs(Other(-1.0))
        except (TypeError, ValueError):
            return before, "forgotten"

    return {
        "abs": lambda: tf.abs(m),
        "cast": lambda: tf.cast(m, tf.int32),
        "clip_by_value": lambda: tf.clip_by_value(m, 0.0, 1.0),
        "ones_like": lambda: tf.ones_like(m),
        "relu": lambda: tf.nn.relu(m),
        "logical_not": lambda: tf.math.logical_not(Masked([True], [True])),
        "add": lambda: tf.add(m, m),
        "add to a tensor": lambda: tf.add(t, m),
        "add by name": lambda: tf.add(m, m, name="q"),
        "operator": lambda: t * m,
        "greater": lambda: tf.greater(m, m),
        "tensors": lambda: tf.add(t, t),
        "stack": lambda: tf.stack([m, m]),
        "stack along": lambda: tf.stack([m, m], axis=1),
        "concat": lambda: tf.concat([m, m], 0),
        "concat by name": lambda: tf.concat(values=[m, m], axis=0),
        "mixed": lambda: tf.concat([m, t], 0),
        "not said": lambda: tf.reduce_sum(m),
        "function": lambda: tf.function(lambda v: tf.abs(v))(m),
        "check": lambda: tf.debugging.assert_equal(m, Masked([1.0, 7.0], [True, False])),
        "gradient": gradient,
        "unknown parameter": unknown_parameter,
        "other parameters": other_parameters,
        "again": again,
        "never registered": lambda: experimental.unregister_dispatch_for(gradient),
        "forgotten": forgotten,
        "without a name": without_name,
    }


GROUPS = {"ragged": of_ragged, "extension types": of_extension_types, "dispatch": of_dispatch}
