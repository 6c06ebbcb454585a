"""Shapes, dtypes, names, devices and graphs, as the tests of TensorFlow's framework use them."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from unit_programs.common import Programs, internal, refusal


def programs(tf: Any) -> Programs:
    return dtypes(tf) | shapes(tf)


def dtypes(tf: Any) -> Programs:
    """Dtypes, references to them, and where they come from."""
    inside = internal("framework.dtypes")
    names = ["float16", "bfloat16", "float32", "complex128", "int8", "uint64", "bool", "string", "qint8", "resource"]

    def by_number() -> Any:
        numbers = [tf.as_dtype(name).as_datatype_enum for name in names]
        return [numbers, [inside.DType(n) == tf.as_dtype(n) for n in numbers]]

    def references() -> Any:
        found = [tf.as_dtype(f"{name}_ref") for name in names]
        return [
            [(d.name, repr(d), str(d), d.as_datatype_enum) for d in found],
            [d.base_dtype is tf.as_dtype(n) for d, n in zip(found, names, strict=True)],
            [d.real_dtype.name for d in found],
            inside.float32._as_ref is inside.float32_ref,
            [inside.float32_ref._is_ref_dtype, inside.float32._is_ref_dtype],
            tf.float32.is_compatible_with(inside.float32_ref),
            [pickle.loads(pickle.dumps(d)) is d for d in found],
            tf.float32 == inside.float32_ref,
        ]

    def like() -> Any:
        class Text:
            dtype = "f4"

        class Array:
            dtype = np.dtype(np.complex64)

        return [
            tf.as_dtype(Text).name,
            tf.as_dtype(Array()).name,
            refusal(lambda: tf.as_dtype(tf.constant(1.0)), "to a TensorFlow DType"),
            [tf.as_dtype(tf.as_dtype(n).as_numpy_dtype).name for n in names[:-1]],
            tf.int32 == int,
            tf.float32 == np.float32,
        ]

    def kept() -> Any:
        return [
            refusal(lambda: setattr(tf.float32, "name", "a"), ""),
            tf.float32.name,
            tf.float32.is_subtype_of(tf.float32),
            tf.float32.is_subtype_of(tf.int32),
            tf.float32.most_specific_common_supertype([tf.float32]) is tf.float32,
            tf.float32.most_specific_common_supertype([tf.int32]),
        ]

    return {"by number": by_number, "references": references, "like": like, "kept": kept}


def shapes(tf: Any) -> Programs:
    """Shapes as messages, single sizes, and what broadcasts."""

    def messages() -> Any:
        protos = [tf.TensorShape(s).as_proto() for s in (None, [], [2, None])]
        return [
            [p.unknown_rank for p in protos],
            [[d.size for d in p.dim] for p in protos],
            [str(tf.TensorShape(p)) for p in protos],
        ]

    def divided() -> Any:
        d = tf.compat.v1.Dimension(6)
        return [
            d // 4,
            refusal(lambda: d / d, "for /: 'Dimension' and 'Dimension', please use // instead"),
            refusal(lambda: d / 2, "for /: 'Dimension' and 'int', please use // instead"),
            refusal(lambda: 2 / d, "for /: 'int' and 'Dimension', please use // instead"),
        ]

    def broadcast() -> Any:
        common = internal("framework.common_shapes")
        known = [tf.TensorShape(s) for s in ([1, 3], [2, 1], [2, None], [None, 1], [None])]
        pairs = [(a, b) for a in known for b in known]
        s = tf.TensorShape
        return [
            [str(common.broadcast_shape(a, b)) for a, b in pairs],
            [common.is_broadcast_compatible(a, b) for a, b in pairs],
            common.is_broadcast_compatible(s([2]), s([3])),
            str(common.broadcast_shape(s(None), s([2]))),
            refusal(lambda: common.broadcast_shape(s([2]), s([3])), "Incompatible shapes"),
        ]

    def decided() -> Any:
        smart = internal("framework.smart_cond")
        return [
            smart.smart_case([(False, lambda: 1), (True, lambda: 2)], default=lambda: 3),
            smart.smart_case([(False, lambda: 1)], default=lambda: 3),
            smart.smart_case([(True, lambda: 1)], default=lambda: 3, exclusive=True),
            refusal(lambda: smart.smart_cond("a", lambda: 1, lambda: 2), "pred"),
        ]

    return {"messages": messages, "divided": divided, "broadcast": broadcast, "decided": decided}
