"""Writes tests/data/version1.json: what TensorFlow gives for the programs of tests/version1_programs.py.

    PYTHONPATH=tests python tools/version1.py [beginning of names ...]

needs TensorFlow, not Wengert. Cells and layers of TensorFlow 1 are found where 2.21 keeps them internally,
as their public names need another package there.
"""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path

import tensorflow as tf
from tensorflow.python.keras.layers.legacy_rnn import rnn_cell_impl
from tensorflow.python.keras.legacy_tf_layers import base, convolutional, core, pooling
from tensorflow.python.ops import rnn
from version1_programs import PROGRAMS, Names

FILE = Path(__file__).parent.parent / "tests" / "data" / "version1.json"


def main() -> None:
    layers = types.SimpleNamespace(**{**vars(core), **vars(convolutional), **vars(pooling)})
    names = Names(tf, rnn_cell_impl, rnn, layers, base)
    chosen = {n: p for n, p in PROGRAMS.items() if n.startswith(tuple(sys.argv[1:]) or "")}
    found = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    found = {name: value for name, value in found.items() if name in PROGRAMS}
    for name, program in chosen.items():
        with tf.Graph().as_default():
            tf.compat.v1.set_random_seed(1)
            found[name] = program(names)
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
