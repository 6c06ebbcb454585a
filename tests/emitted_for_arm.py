"""What the native engine writes for 64-bit ARM, as a program: prints assembly, under names, as JSON.

It takes this machine for another one, so that it must be a process of its own. Nothing of what it
compiles is run or kept.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

import llvmlite.binding as llvm

TRIPLE: Final = "aarch64-unknown-linux-gnu"
LACKING: Final = 3  # what is returned where LLVM does not know ARM


def main() -> int:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        target = llvm.Target.from_triple(TRIPLE)
    except RuntimeError:
        return LACKING
    os.environ["WENGERT_CACHE_DIR"] = ""
    platform.machine = lambda: "aarch64"
    platform.system = lambda: "Linux"
    llvm.Target.from_default_triple = lambda: target
    from wengert.engines.native.runtime import llvm_calls, processor

    llvm_calls.Calls.triple = lambda self: TRIPLE  # type: ignore[method-assign]
    processor.asked = lambda: (sys.argv[1], "+crc,+fp-armv8,+neon")  # type: ignore[assignment]
    made = {name: assembly(text, name == "runtime", target) for name, text in texts().items()}
    json.dump(made, sys.stdout)
    return 0


def assembly(text: str, quickly: bool, target: Any) -> str:
    """As the engine compiles it, down to an object file; what that says."""
    from wengert.engines.native.runtime import llvm as compiler
    from wengert.engines.native.runtime import processor
    from wengert.engines.native.runtime.pieces import objects_in

    for made in objects_in(compiler.compile_text(text, quickly)):
        assert made[18:20] == b"\xb7\0"  # ELF's number for AArch64
    module = llvm.parse_assembly(text, llvm.create_context())
    name, features = processor.asked()
    effort = compiler.STRAIGHT if quickly else compiler.LOOPS
    machine = target.create_target_machine(
        cpu=name, features=features, opt=effort, reloc="pic", codemodel="small", jit=True
    )
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return machine.emit_assembly(module)


def texts() -> dict[str, str]:
    import wengert as tf
    from wengert.engines.native.frontend.images import image_tiles
    from wengert.engines.native.frontend.images import winograd as fewer
    from wengert.engines.native.kernels import checksum, conv, matmul, transposes, winograd
    from wengert.engines.native.runtime import runtime_ir
    from wengert.ops.support.large_kernels import LargeKernel

    LargeKernel.__call__ = lambda *_, **__: None  # type: ignore[method-assign]  # they would run here

    def loss_and_gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.exp(x))
        return y, tape.gradient(y, x)

    found = {"runtime": runtime_ir.text(), "checksum": checksum.text()}
    for kind, dtype in (("f4", tf.float32), ("f8", tf.float64)):
        # Rows so far apart that an instruction does not reach from the first to the last.
        for depth in (64, 1024):
            a, b = tf.ones([96, depth], dtype), tf.ones([depth, 64], dtype)
            found[f"product {kind} {depth}"] = text_of(tf.matmul, a, b)
        a, b = tf.ones([96, 50], dtype), tf.ones([50, 60], dtype)
        found[f"open {kind}"] = text_of(lambda x, y: tf.nn.softmax(x @ y), a, b, are_open=True)
        found[f"exp {kind}"] = text_of(loss_and_gradient, tf.ones([16, 1000], dtype))
        block: Any = image_tiles.block_of(kind, 64, 48)
        written = conv.convolution_text(kind, block, True, image_tiles.unrolling())
        found[f"convolution {kind}"] = written
        written = winograd._Winograd(kind, block, fewer.unrolling(), 1).text()
        found[f"fewer products {kind}"] = written
        found[f"eager product {kind}"] = matmul._Product(kind, 4, 256, False, True, False).text()
        found[f"transpose {kind}"] = transposes._Transposed(kind).text()
    return found


def text_of(function: Callable[..., Any], *args: Any, are_open: bool = False) -> str:
    """What the engine would compile for a function, of any sizes if they are open; NumPy then takes over."""
    import wengert as tf
    from wengert.engines.native.program import modules
    from wengert.engines.native.runtime import units

    found: list[str] = []

    def results(ahead: Any) -> list[bytes]:
        found.append(modules.module_of(ahead._functions, ahead._added))
        raise NotImplementedError

    def compiled_each(texts: Sequence[str]) -> list[bytes]:
        found.append(max(texts, key=len))
        raise NotImplementedError

    modules.Ahead.results = results  # type: ignore[assignment, method-assign]
    units.compile_each = compiled_each  # type: ignore[assignment, attr-defined]
    signature = [tf.TensorSpec([None] * len(x.shape), x.dtype) for x in args] if are_open else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tf.function(function, jit_compile=True, input_signature=signature)(*args)
    return "\n".join(found)


if __name__ == "__main__":
    sys.exit(main())
