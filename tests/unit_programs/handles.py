"""Variables as messages, parts, handles and copies, as TensorFlow's tests use them."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import copy
from functools import partial
from typing import Any

import numpy as np

from unit_programs.common import Programs, internal, refusal


def programs(tf: Any) -> Programs:
    return messages(tf) | handles(tf) | graphs(tf)


def messages(tf: Any) -> Programs:
    """VariableDef, and which part of a whole a variable is."""
    v1 = tf.compat.v1

    def described() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            never = tf.VariableSynchronization.NONE
            first = tf.VariableAggregation.ONLY_FIRST_REPLICA
            v = v1.Variable(
                [1.0, 2.0], name="v", trainable=False, synchronization=never, aggregation=first
            )
            session.run(v.initializer)
            proto = v.to_proto()
            again = v1.Variable(variable_def=proto)
            return [
                proto.variable_name, proto.initializer_name,
                proto.trainable, again.trainable, again.name, again.shape,
                again.synchronization.name, again.aggregation.name, session.run(again),
                v.to_proto(export_scope="elsewhere") is None,
            ]  # fmt: skip

    def sliced() -> Any:
        whole = tf.Variable.SaveSliceInfo("w", [6, 4], [3, 0], [3, 4])
        again = tf.Variable.SaveSliceInfo.from_spec(whole.spec)
        proto = whole.to_proto()
        return [
            whole.spec, again.full_shape, again.var_offset, again.var_shape, proto.full_name,
            list(proto.var_offset),
            tf.Variable.SaveSliceInfo(save_slice_info_def=proto, import_scope="a").full_name,
            [
                refusal(partial(tf.Variable.SaveSliceInfo.from_spec, text), words)
                for text, words in (
                    ("0", "contain space-separated full_shape info"),
                    ("a b", "full_shape must be a sequence of int"),
                    ("0 0:0", "comma-separated pairs of offsets and"),
                    ("0 a,0:0:0", "var_offset must be an integer"),
                    ("0 0,a:0:0", "var_shape must be an integer"),
                )
            ],
        ]  # fmt: skip

    def parts() -> Any:
        with tf.Graph().as_default():
            cut = v1.fixed_size_partitioner(2)
            whole = v1.get_variable("w", [5, 2], partitioner=cut)
            return [[p._get_save_slice_info().spec, p.to_proto().variable_name] for p in whole]

    def eager() -> Any:
        made = tf.Variable(1.0)
        return [refusal(made.to_proto, "eager"), made.synchronization.name, made.aggregation.name]

    return {
        "VariableDef": described,
        "slice info": sliced,
        "slice info of parts": parts,
        "no VariableDef": eager,
    }


def handles(tf: Any) -> Programs:
    """Handles without a variable, and copies of variables."""

    def raw() -> Any:
        ops = internal("ops.resource_variable_ops")
        h = ops.var_handle_op(dtype=tf.int32, shape=[2], shared_name="raw handle")
        unset = refusal(lambda: ops.read_variable_op(h, dtype=tf.int32))
        ops.assign_variable_op(h, tf.constant([1, 2]))
        ops.assign_add_variable_op(h, tf.constant([1, 1]))
        ops.resource_scatter_add(h, [0], tf.constant([10]))
        same = ops.var_handle_op(dtype=tf.int32, shape=[2], shared_name="raw handle")
        wrong = refusal(
            lambda: ops.assign_variable_op(h, tf.constant([1.0, 2.0])),
            "Trying to assign variable with wrong dtype. Expected int32 got float",
        )
        return [unset[0] != "nothing raised", ops.read_variable_op(same, dtype=tf.int32), wrong]

    def in_graph() -> Any:
        ops, v1 = internal("ops.resource_variable_ops"), tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            v = tf.Variable([1.0, 2.0], name="v")
            h = ops.var_handle_op(dtype=tf.float32, shape=[2], shared_name="v")
            other = ops.var_handle_op(dtype=tf.float32, shape=[2], name="other")
            session.run(
                [v.initializer, ops.assign_variable_op(tf.identity(other), v.initial_value)]
            )
            session.run(ops.assign_add_variable_op(h, [1.0, 1.0]))
            read = [ops.read_variable_op(x, dtype=tf.float32) for x in (h, other)]
            return session.run([*read, v.read_value()])

    def copied() -> Any:
        late, total = tf.VariableSynchronization.ON_READ, tf.VariableAggregation.SUM
        one = tf.Variable(np.ones((2, 2)), name="v", synchronization=late, aggregation=total)
        other = copy.deepcopy(one)
        other.assign(4 * np.ones((2, 2)))
        return [one, other, other.name, other.synchronization.name, other.aggregation.name]

    def counted() -> Any:
        v = tf.Variable(0)
        counts = [v.count_up_to(2).numpy(), v.count_up_to(2).numpy()]
        return [counts, refusal(lambda: v.count_up_to(2), "Reached limit of 2")]

    return {
        "handles": raw,
        "handles in a graph": in_graph,
        "copies": copied,
        "count_up_to": counted,
    }


def graphs(tf: Any) -> Programs:
    """What variables of graphs say and refuse."""
    v1 = tf.compat.v1

    def iterated() -> Any:
        with tf.Graph().as_default():
            v = tf.Variable([0.0, 1.0])
            return refusal(lambda: list(v), "not allowed.*Graph mode")

    def old() -> Any:
        with tf.Graph().as_default(), tf.device("/job:ps"):
            v = v1.Variable(0.0, name="v", use_resource=False)
            with tf.device("/job:worker/task:7"):
                changed = v.assign(1.0)
            return [repr(v), changed.device, changed.op.colocation_groups()]

    def cached() -> Any:
        with tf.Graph().as_default(), v1.variable_scope("a", caching_device="/job:near"):
            v = v1.get_variable("v", [])
            with v1.variable_scope("b", caching_device=""):
                w = v1.get_variable("v", [])
            return [v.value().device, w.value().device, v.value() is v.value()]

    def nested() -> Any:
        def misplaced() -> Any:
            with v1.variable_scope("a"):
                outer = v1.variable_scope("b")
                outer.__enter__()
                with v1.variable_scope("c"):
                    found = refusal(lambda: outer.__exit__(None, None, None), "[Nn]esting")
                outer.__exit__(None, None, None)
            return [found, v1.get_variable_scope().name]

        with tf.Graph().as_default():
            return misplaced()

    def store() -> Any:
        with tf.Graph().as_default():
            found = internal("ops.variable_scope")._get_default_variable_store()
            v = found.get_variable("v", [1])
            return [
                v is found.get_variable("v", [1]),
                refusal(lambda: found.get_variable("v", [1], reuse=False), "already exists"),
                refusal(lambda: found.get_variable("u", [1], reuse=True), "does not exist"),
                sorted(x.name for x in found._vars.values()),
            ]

    return {
        "iterated": iterated,
        "old variables": old,
        "caching device": cached,
        "nested scopes": nested,
        "store": store,
    }
