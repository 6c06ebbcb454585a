"""Raw operations: optimizers' steps, variables by their handles, texts, files, mirrored edges, places."""

# mypy: disable-error-code="no-any-return, misc"
from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from unit_programs.common import Programs, refusal

SLOTS = ("var", "m", "v", "vhat", "accum", "accum_update", "mg", "ms", "mom", "linear",
         "gradient_accumulator", "gradient_squared_accumulator")  # fmt: skip
SWITCHES = ("use_locking", "use_nesterov", "update_slots", "multiply_linear_by_lr", "name")
STEPS = ("AdaMax", "Adadelta", "Adagrad", "AdagradDA", "AdagradV2", "Adam", "AdamWithAmsgrad", "AddSign",
         "CenteredRMSProp", "Ftrl", "FtrlV2", "GradientDescent", "KerasMomentum", "Momentum", "PowerSign",
         "ProximalAdagrad", "ProximalGradientDescent", "RMSProp")  # fmt: skip
WHOLE_ONLY = ("AdaMax", "Adam", "AdamWithAmsgrad", "AddSign", "GradientDescent", "PowerSign")


def programs(tf: Any) -> Programs:
    return steps(tf) | variables(tf) | texts(tf) | edges(tf)


def steps(tf: Any) -> Programs:
    found: Programs = {}
    for kind in STEPS:
        for name in [f"ResourceApply{kind}", f"ResourceSparseApply{kind}"][
            : 1 + (kind not in WHOLE_ONLY)
        ]:
            takes = inspect.signature(getattr(tf.raw_ops, name)).parameters
            for switch, value in ((None, None), ("use_nesterov", True), ("update_slots", False)):
                if switch is None or switch in takes:
                    more = {} if switch is None else {switch: value}
                    found[f"{name} {more or ''}".strip()] = step(tf, name, list(takes), more)
    return found


def step(tf: Any, name: str, takes: list[str], more: dict[str, Any]) -> Callable[[], Any]:
    """The variable and its slots after a step."""

    def program() -> Any:
        rng = np.random.RandomState(1)
        given: dict[str, Any] = {}
        for key in takes:
            if key in SLOTS:
                less = 0.5 if key == "mg" else 0.0
                given[key] = tf.Variable(rng.rand(4, 3).astype(np.float32) - np.float32(less))
            elif key in ("grad", "delta"):
                rows = 2 if "Sparse" in name else 4
                given[key] = tf.constant(rng.randn(rows, 3).astype(np.float32))
            elif key == "indices":
                given[key] = tf.constant([3, 1])
            elif key == "global_step":
                given[key] = tf.constant(3, tf.int64)
            elif key == "lr_power":
                given[key] = tf.constant(-0.5)
            elif key not in SWITCHES:
                given[key] = tf.constant(np.float32(rng.rand()))
        handles = {k: v.handle if isinstance(v, tf.Variable) else v for k, v in given.items()}
        getattr(tf.raw_ops, name)(**handles, **more)
        return [v.read_value() for v in given.values() if isinstance(v, tf.Variable)]

    return program


def variables(tf: Any) -> Programs:
    raw = tf.raw_ops

    def changed(name: str, **given: Any) -> Callable[[], Any]:
        def program() -> Any:
            v = tf.Variable(np.arange(6.0).reshape(3, 2))
            done = getattr(raw, name)(resource=v.handle, **given)
            return [done is None, v.read_value()]

        return program

    def asked(name: str, **given: Any) -> Callable[[], Any]:
        def program() -> Any:
            v = tf.Variable(np.arange(6.0).reshape(3, 2))
            return getattr(raw, name)(**{"resource": v.handle, **given})

        return program

    row = {"indices": [1], "updates": np.array([[2.0, 3.0]])}
    whole = np.ones([3, 2])
    return {
        **{
            f"ResourceScatter{kind}": changed(f"ResourceScatter{kind}", **row)
            for kind in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update")
        },
        "AssignVariableOp": changed("AssignVariableOp", value=whole),
        "AssignAddVariableOp": changed("AssignAddVariableOp", value=whole),
        "AssignSubVariableOp": changed("AssignSubVariableOp", value=whole),
        "ReadVariableOp": asked("ReadVariableOp", dtype=tf.float64),
        "VarIsInitializedOp": asked("VarIsInitializedOp"),
        "ResourceGather": asked("ResourceGather", indices=[2, 0], dtype=tf.float64),
        "ResourceGatherNd": asked("ResourceGatherNd", indices=[[2, 0]], dtype=tf.float64),
        "VariableShape": lambda: raw.VariableShape(input=tf.Variable(whole).handle),
    }


def texts(tf: Any) -> Programs:
    raw, text = tf.raw_ops, tf.constant

    def file() -> Any:
        path = str(Path(tempfile.mkdtemp()) / "f")
        raw.WriteFile(filename=path, contents="xyz")
        return [raw.ReadFile(filename=path), tf.size(raw.MatchingFiles(pattern=f"{path}*"))]

    return {
        "join": lambda: raw.StringJoin(inputs=[text(["a", "b"]), text("c")], separator="-"),
        "length": lambda: raw.StringLength(input=text(["a\u00e9", "b"]), unit="UTF8_CHAR"),
        "lower": lambda: raw.StringLower(input=text("A\u00c9"), encoding="utf-8"),
        "upper": lambda: raw.StringUpper(input=text("a\u00e9")),
        "strip": lambda: raw.StringStrip(input=text(" a ")),
        "bucket": lambda: raw.StringToHashBucket(string_tensor=text(["a", "b"]), num_buckets=10),
        "fast bucket": lambda: raw.StringToHashBucketFast(input=text(["a", "b"]), num_buckets=10),
        "strong bucket": lambda: raw.StringToHashBucketStrong(
            input=text(["a", "b"]), num_buckets=10, key=[1, 2]
        ),
        "number": lambda: raw.StringToNumber(string_tensor=text(["1.5", "2"]), out_type=tf.float64),
        "part": lambda: raw.Substr(input=text("hello"), pos=1, len=3),
        "match": lambda: raw.RegexFullMatch(input=text(["ab", "b"]), pattern="a.*"),
        "replace": lambda: raw.RegexReplace(
            input=text("aab"), pattern="a", rewrite="c", replace_global=False
        ),
        "static match": lambda: raw.StaticRegexFullMatch(input=text(["ab", "b"]), pattern="a.*"),
        "static replace": lambda: raw.StaticRegexReplace(
            input=text("aab"), pattern="a", rewrite="c"
        ),
        "reduced": lambda: raw.ReduceJoin(
            inputs=text([["a", "b"], ["c", "d"]]), reduction_indices=[0], separator="."
        ),
        "segments": lambda: raw.UnsortedSegmentJoin(
            inputs=text(["a", "b", "c"]), segment_ids=[0, 1, 0], num_segments=2, separator=":"
        ),
        "base64": lambda: raw.DecodeBase64(input=raw.EncodeBase64(input=text("abcd"), pad=True)),
        "bytes": lambda: raw.DecodeRaw(bytes=text(b"\1\0\2\0"), out_type=tf.int16),
        "tensor": lambda: raw.ParseTensor(
            serialized=raw.SerializeTensor(tensor=text([1.0, 2.0])), out_type=tf.float32
        ),
        "fingerprint": lambda: raw.Fingerprint(data=text(["a", "b"]), method="farmhash64"),
        "histogram": lambda: raw.HistogramFixedWidth(
            values=[0.0, 1.0, 2.0, 5.0], value_range=[0.0, 5.0], nbins=5
        ),
        "file": file,
    }


def edges(tf: Any) -> Programs:
    """Gradients of mirrored edges, and places in rows, of sizes that fit and that do not."""
    raw = tf.raw_ops

    def mirrored(paddings: Any, mode: str) -> Any:
        return raw.MirrorPadGrad(input=tf.range(7.0), paddings=paddings, mode=mode)

    def fitting() -> Any:
        return [mirrored([[2, 1]], mode) for mode in ("REFLECT", "SYMMETRIC")]

    def beyond() -> Any:
        many = [[0x77F00000, 0x0A000000]]  # whose sum is beyond int32
        return [
            refusal(lambda: mirrored(many, "REFLECT"), "must be less than the input dimension"),
            refusal(lambda: mirrored([[2, 3]], "REFLECT"), "less than the output dimension size"),
            refusal(lambda: mirrored([[3, 3]], "SYMMETRIC"), "no greater than the output"),
            refusal(lambda: mirrored([[-1, 2]], "REFLECT"), "must be non-negative: -1, 2"),
        ]

    def placed(side: str, ordered: Any, values: Any) -> Any:
        return getattr(raw, f"{side}Bound")(sorted_inputs=ordered, values=values)

    def rows() -> Any:
        three, two = tf.ones([3, 3]), tf.ones([2, 3])
        return [
            placed("Upper", three, three),
            refusal(lambda: placed("Lower", three, tf.ones([3])), "rank 1 for `values`"),
            refusal(lambda: placed("Upper", tf.ones([3]), three), "rank 1 for `sorted_inputs`"),
            refusal(lambda: placed("Upper", three, two), "Leading dim_size of both"),
        ]

    return {"mirrored edges": fitting, "edges beyond": beyond, "bounds of rows": rows}
