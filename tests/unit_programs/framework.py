"""Shapes, dtypes, names, devices and graphs, as the tests of TensorFlow's framework use them."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import operator
import pickle
from typing import Any

import numpy as np

from unit_programs.common import Programs, internal, refusal


def programs(tf: Any) -> Programs:
    return dtypes(tf) | shapes(tf) | devices(tf) | graphs(tf) | operations(tf)


def dtypes(tf: Any) -> Programs:
    """Dtypes, references to them, and where they come from."""
    inside = internal("framework.dtypes")
    names = [
        "float16",
        "bfloat16",
        "float32",
        "complex128",
        "int8",
        "uint64",
        "bool",
        "string",
        "qint8",
        "resource",
    ]

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
            operator.eq(tf.int32, int),
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


def devices(tf: Any) -> Programs:
    """Names of devices, and where operations are noted to be."""
    device = internal("framework.device")

    def names() -> Any:
        spec = tf.DeviceSpec(job="worker", replica=1, task=2, device_type="gpu", device_index=3)
        other = tf.DeviceSpec.from_string("/task:7/cpu:0")
        return [
            spec.to_string(),
            other.to_string(),
            spec.make_merged_spec(other).to_string(),
            other.replace(job="ps").to_string(),
            [other.job, other.replica, other.task, other.device_type, other.device_index],
            tf.DeviceSpec.from_string("/job:a/device:CPU:*").to_string(),
            tf.DeviceSpec.from_string("") == tf.DeviceSpec(),
            refusal(lambda: tf.DeviceSpec.from_string("/what"), "Unknown attribute"),
        ]

    def kinds() -> Any:
        named = ["CPU", "/gpu", "/job:a/TPU", "/task:1/device:cpu:2"]
        with tf.device("CPU"):
            here = tf.constant(1.0).device.endswith("device:CPU:0")
        return [
            here,
            [tf.DeviceSpec.from_string(name).to_string() for name in named],
            refusal(lambda: tf.DeviceSpec.from_string("/xpu"), "Unknown attribute"),
        ]

    def noted() -> Any:
        g = tf.Graph()
        with g.as_default():
            with tf.device("/device:GPU:7"):
                tf.constant(1.0)
                with tf.device("/device:GPU:*"):
                    tf.constant(1.0)
                with tf.device("/job:worker"):
                    tf.constant(1.0)
                    with tf.device("/cpu:0"), tf.device(""):
                        tf.constant(1.0)
                    with tf.device(None):
                        tf.constant(1.0)
            with g.device(lambda op: "/job:over"), tf.device("/job:ps"):
                tf.constant(1.0)
            with g.device(lambda op: f"/device:CPU:{len(op.inputs)}"):
                tf.abs(tf.constant(1.0))
            with g.device(device.merge_device("/device:GPU:0")):
                tf.constant(1.0)
                with g.device(device.merge_device("/job:w/device:CPU:0")):
                    tf.constant(1.0)
        return [op.device for op in g.get_operations()]

    def colocated() -> Any:
        with tf.Graph().as_default():
            with tf.device("/device:GPU:0"):
                a = tf.constant(1.0, name="a")
            b = tf.constant(1.0, name="b")
            with tf.compat.v1.colocate_with(a):
                with tf.device("/cpu:0"):
                    c = tf.constant(1.0)
                with tf.compat.v1.colocate_with(b, ignore_existing=True):
                    d = tf.constant(1.0)
                with tf.compat.v1.colocate_with(b):
                    e = tf.constant(1.0)
            return [[x.op.device, sorted(x.op.colocation_groups())] for x in (a, b, c, d, e)]

    return {"device names": names, "device kinds": kinds, "noted": noted, "colocated": colocated}


def graphs(tf: Any) -> Programs:
    """Control inputs, collections, and what a graph refuses."""

    def control() -> Any:
        with tf.Graph().as_default():
            a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
            with tf.control_dependencies([a]):
                c = b * b
                d = c * b
                e = a * b
                with tf.control_dependencies([b]):
                    f = c * c
                with tf.init_scope():
                    g = tf.constant(3.0)
            return [[o.name for o in x.op.control_inputs] for x in (c, d, e, f, g)]

    def finished() -> Any:
        g = tf.Graph()
        g.finalize()
        refused = refusal(lambda: g.add_to_collection("a", 1), "finalized")
        g._unsafe_unfinalize()
        with g.as_default():
            return [refused, tf.constant(1.0).name]

    def unnamed() -> Any:
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            return refusal(lambda: v1.name_scope(None, None, [1]).__enter__(), "name")

    def rows() -> Any:
        x = tf.IndexedSlices(tf.constant([[2, 3], [5, 7]]), tf.constant([0, 2]))
        y = tf.math.scalar_mul(-2, x)
        return [y.values, y.indices, y.dense_shape is None]

    return {"control": control, "finished": finished, "unnamed": unnamed, "rows": rows}


def operations(tf: Any) -> Programs:
    """What operations say of themselves."""

    def described() -> Any:
        with tf.Graph().as_default():
            a = tf.constant([1.0, 2.0], name="a")
            y = tf.reshape(a, [2, 1], name="y")
            op = y.op
            return [
                [op.node_def.name, op.node_def.op, list(op.node_def.input)],
                [op.get_attr("T").name, op.get_attr("Tshape").name],
                'name: "y"' in str(op),
                [arg.name for arg in op.op_def.input_arg],
                [arg.name for arg in op.op_def.output_arg],
                [op.op_def.name, len(a.op.op_def.input_arg)],
                refusal(lambda: op.get_attr("nope"), "has no attr named"),
                refusal(lambda: a.op.inputs.append(None), "no attribute 'append'"),
            ]

    def changed() -> Any:
        value = internal("framework.ops").get_default_graph
        with tf.Graph().as_default():
            graph = value()
            a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
            b.op._add_control_input(a.op)
            found = [[o.name for o in a.op._control_outputs], len(graph.get_operations())]
            b.op._remove_all_control_inputs()
            return [*found, [o.name for o in b.op.control_inputs]]

    def gradients() -> Any:
        ops = internal("framework.ops")
        with tf.Graph().as_default() as g:
            x = tf.constant(3.0)
            y = tf.square(x)
            (found,) = tf.nest.flatten(ops.get_gradient_function(y.op)(y.op, tf.constant(2.0)))
            with g.gradient_override_map({"Identity": "NobodyRegistered"}):
                z = tf.identity(x)
            return [
                tf.compat.v1.Session().run(found),
                refusal(lambda: ops.get_gradient_function(z.op), "NobodyRegistered"),
            ]

    return {"described": described, "changed": changed, "gradients": gradients}
