"""The ways of running a program: each gives its result, and first and second derivatives.

A mode is a library-independent description, so that the peer can be asked in the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .programs import Program, environment

Shape = tuple["int | None", ...]


class Mode(NamedTuple):
    name: str
    traced: bool = False
    compiled: bool | None = None
    sizes: str = "known"  # or "sizes": none is known; or "rank": not even how many
    session: bool = False
    variables: bool = False

    def shape(self, array: Any) -> list[int | None] | None:
        """What is said about an input beforehand."""
        if self.sizes == "rank":
            return None
        return list(array.shape) if self.sizes == "known" else [None] * array.ndim


EAGER = Mode("eager")
MODES = {
    mode.name: mode
    for mode in (
        EAGER,
        Mode("variables", variables=True),
        Mode("function", traced=True, compiled=False),
        Mode("compiled", traced=True, compiled=True),
        Mode("unknown sizes", traced=True, compiled=False, sizes="sizes"),
        Mode("compiled, unknown sizes", traced=True, compiled=True, sizes="sizes"),
        Mode("unknown rank", traced=True, compiled=False, sizes="rank"),
        Mode("session", session=True),
        Mode("session, unknown sizes", session=True, sizes="sizes"),
    )
}


class Outcome(NamedTuple):
    """What a run gave: arrays by what they are, the kinds of the gradients, the shapes claimed."""

    arrays: dict[str, Any]
    kinds: dict[str, str]
    claims: dict[str, Shape | None]
    shapes: dict[str, Shape]
    refusal: str = ""


def outcome(program: Program, tf: Any, mode: Mode, *, second: bool = True) -> Outcome:
    """The outcome of a program. An error is one, too."""
    try:
        return _run(program, tf, mode, second)
    except Exception as error:
        first = str(error).strip().partition("\n")[0]
        return Outcome({}, {}, {}, {}, f"{type(error).__name__}: {first[:200]}")


def _run(program: Program, tf: Any, mode: Mode, second: bool) -> Outcome:
    inputs = program.inputs()
    seen = Outcome({}, {}, {}, {})
    if mode.session:
        arrays = _in_session(program, tf, mode, inputs, seen, second)
    elif mode.variables:
        variables = {name: tf.Variable(value) for name, value in inputs.items()}
        arrays = _with_tapes(program, tf, variables, seen, second)
    elif mode.traced:
        arrays = _in_function(program, tf, mode, inputs, seen, second)
    else:
        given = {name: tf.constant(value) for name, value in inputs.items()}
        arrays = _with_tapes(program, tf, given, seen, second)
        seen.shapes.update(seen.claims)  # type: ignore[arg-type]
    return seen._replace(arrays={name: np.asarray(value) for name, value in arrays.items()})


def _in_function(
    program: Program, tf: Any, mode: Mode, inputs: Mapping[str, Any], seen: Outcome, second: bool
) -> Any:
    specs = [tf.TensorSpec(mode.shape(a), a.dtype) for a in inputs.values()]

    def body(*given: Any) -> Any:
        return _with_tapes(program, tf, dict(zip(inputs, given, strict=True)), seen, second)

    run = tf.function(
        body, input_signature=specs, jit_compile=mode.compiled, autograph=False
    )  # fmt: skip
    return run(*[tf.constant(a) for a in inputs.values()])


def _in_session(
    program: Program, tf: Any, mode: Mode, inputs: Mapping[str, Any], seen: Outcome, second: bool
) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        places = {
            name: v1.placeholder(array.dtype, mode.shape(array), name=name)
            for name, array in inputs.items()
        }
        values = environment(program, tf, places)
        _note_claims(program, values, seen)
        found = _derived(program, tf, places, values, seen, second)
    with v1.Session(graph=graph) as session:
        return session.run(found, {places[name]: array for name, array in inputs.items()})


def _derived(
    program: Program, tf: Any, places: Mapping[str, Any], values: Any, seen: Outcome, second: bool
) -> dict[str, Any]:
    """Derivatives with tf.gradients."""
    result = values[program.result]
    found = {"result": result}
    if not result.dtype.is_floating:
        return found
    first = tf.gradients(target(tf, result), list(places.values()))
    gradients = _dense(tf, places, first, seen, "gradient", found)
    if second and gradients:
        again = tf.gradients(_squares(tf, gradients), list(places.values()))
        _dense(tf, places, again, seen, "second", found)
    return found


def _with_tapes(
    program: Program, tf: Any, inputs: Mapping[str, Any], seen: Outcome, second: bool
) -> dict[str, Any]:
    names = list(inputs.values())
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(names)
        with tf.GradientTape() as tape:
            tape.watch(names)
            values = environment(program, tf, inputs)
            _note_claims(program, values, seen)
            result = values[program.result]
            found = {"result": tf.convert_to_tensor(result)}
            if not result.dtype.is_floating:
                return found
            total = target(tf, result)
        first = tape.gradient(total, names)
        gradients = _dense(tf, inputs, first, seen, "gradient", found)
        squares = _squares(tf, gradients) if second and gradients else None
    if squares is not None:
        _dense(tf, inputs, outer.gradient(squares, names), seen, "second", found)
    return found


def target(tf: Any, result: Any) -> Any:
    """What is differentiated: a sine, so that no derivative of the result is lost in a sum."""
    return tf.sin(result)


def _squares(tf: Any, gradients: list[Any]) -> Any:
    return tf.add_n([tf.reduce_sum(g * g) for g in gradients])


def _dense(
    tf: Any, inputs: Mapping[str, Any], gradients: Any, seen: Outcome, order: str, found: Any
) -> list[Any]:
    """Enter gradients as tensors, and what they were."""
    dense = []
    for name, gradient in zip(inputs, gradients, strict=True):
        what = f"{order} of {name}"
        seen.kinds[what] = _kind(gradient)
        if gradient is not None:
            found[what] = tf.convert_to_tensor(gradient)
            dense.append(found[what])
    return dense


def _kind(gradient: Any) -> str:
    if gradient is None:
        return "None"
    return "IndexedSlices" if hasattr(gradient, "dense_shape") else "Tensor"


def _note_claims(program: Program, values: Mapping[str, Any], seen: Outcome) -> None:
    """The static shape of every step."""
    for step in program.steps:
        shape = getattr(values[step.name], "shape", None)
        known = shape is not None and getattr(shape, "rank", None) is not None
        seen.claims[step.name] = tuple(shape.as_list()) if known else None  # type: ignore[union-attr]
