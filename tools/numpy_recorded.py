"""Writes tests/data/numpy.json.gz: what calls of tf.experimental.numpy give with TensorFlow.

    python tools/numpy_recorded.py

needs TensorFlow, and nothing of Wengert but the calls in tests/numpy_cases.py. A call for which
TensorFlow raises an error is recorded as such.
"""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).parent.parent
FILE = ROOT / "tests" / "data" / "numpy.json.gz"


def main() -> None:
    tf = importlib.import_module("tensorflow")
    cases = _of_tests("numpy_cases")
    names = cases.values(tf)
    found: dict[str, Any] = {}
    for mode in ("float64", "float32"):
        tf.experimental.numpy.experimental_enable_numpy_behavior(prefer_float32=mode == "float32")
        found[mode] = {call: recorded(tf, call, names) for call in cases.calls()}
        for call in cases.calls() if mode == "float32" else []:  # only what differs
            if str(found[mode][call]) == str(found["float64"][call]):
                del found[mode][call]
    tf.experimental.numpy.experimental_enable_numpy_behavior()
    found["programs"] = {
        p.__name__: differentiated(tf, p, x)
        for p, x in _of_tests("numpy_programs").arguments().items()
    }
    text = json.dumps(found, indent=0, sort_keys=True)
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(len(text), sum(len(part) for part in found.values()))


def differentiated(tf: Any, program: Any, x: Any) -> Any:
    """The value and the gradient of a NumPy program, with TensorFlow's functions of NumPy's names."""
    names = vars(tf.experimental.numpy)
    linalg = SimpleNamespace(
        cholesky=tf.linalg.cholesky,
        solve=lambda a, b: tf.linalg.solve(a, b[:, None])[:, 0],
        det=tf.linalg.det,
        inv=tf.linalg.inv,
    )
    fft = SimpleNamespace(
        rfft=lambda x: tf.signal.rfft(tf.convert_to_tensor(x, tf.float64)), irfft=tf.signal.irfft
    )
    at = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(at)
        y = program(SimpleNamespace(**{**names, "linalg": linalg, "fft": fft}), at)
    return {
        "value": float(y),
        "gradient": tf.convert_to_tensor(tape.gradient(y, at)).numpy().tolist(),
    }


def _of_tests(name: str) -> Any:
    """A module of the tests, without the package around it."""
    path = ROOT / "tests" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def recorded(tf: Any, call: str, names: dict[str, Any]) -> Any:
    """The result of a call in plain values; the name of the error that it raises."""
    try:
        return plain(tf, eval(call, dict(names)))  # our own text
    except Exception as error:  # noqa: BLE001  # whatever it is, it is recorded
        return {"raises": type(error).__name__}


def plain(tf: Any, value: Any) -> Any:
    """A result as JSON has it: tensors with dtype and shape, complex numbers as two."""
    if isinstance(value, (tuple, list)) and any(isinstance(v, tf.Tensor) for v in value):
        return [plain(tf, v) for v in value]
    if isinstance(value, tf.Tensor):
        array = value.numpy()
        flat = array.astype("complex128").ravel()
        is_complex = value.dtype.is_complex
        listed = [[z.real, z.imag] if is_complex else z.real for z in flat.tolist()]
        return {"dtype": value.dtype.name, "shape": list(value.shape), "is": listed}
    if isinstance(value, tf.DType):
        return {"dtype": value.name}
    if isinstance(value, tf.TensorShape):
        return {"sizes": list(value)}
    return {"type": type(value).__name__, "is": value.item() if hasattr(value, "item") else str(value)}  # fmt: skip


if __name__ == "__main__":
    main()
