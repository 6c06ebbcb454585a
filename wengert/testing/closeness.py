"""Assertions about numbers: closeness, equality, ranges, shapes."""

from __future__ import annotations

import unittest
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from wengert.ops.ragged.tensor import RaggedTensor, RaggedTensorValue
from wengert.values.dtypes import DType, as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor

_SHOWN = 10  # differences in a message


class Closeness(unittest.TestCase):
    """Assertions that take tensors, arrays and nested structures of them."""

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors, as arrays."""
        raise NotImplementedError  # defined by WithSession

    def _array(self, value: Any) -> np.ndarray[Any, Any]:
        if isinstance(value, np.ndarray):
            return value
        if isinstance(value, DType):
            return np.asarray(value, object)
        if isinstance(value, TensorShape):
            return np.asarray(value.as_list())
        array = np.asarray(self.evaluate(value))
        if array.dtype == object and isinstance(value, (list, tuple)):
            array = np.asarray(self.evaluate(list(value)))
        return array

    def _together(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Two tensors of a graph as their values in one run: both may depend on the same draw."""
        if type(a) is type(b) is SymbolicTensor:
            a, b = self.evaluate([a, b])
        return a, b

    # ---- close ---------------------------------------------------------------------------------

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Assert that two structures match and, elementwise, |a - b| <= atol + rtol |b|."""
        self._assert_close(a, b, rtol, atol, "", msg)

    def _assert_close(
        self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str | None
    ) -> None:
        a, b = self._together(_plain(a), _plain(b))
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            self._assert_both(Mapping, a, b, path, msg)
            self.assertEqual(set(a), set(b), _told(msg, f"The keys{_at(path)} differ."))
            for key in a:
                self._assert_close(a[key], b[key], rtol, atol, f"{path}[{key!r}]", msg)
        elif _is_ragged_list(a) or _is_ragged_list(b):
            self._assert_lists_close(a, b, rtol, atol, path, msg)
        else:
            self._assert_arrays_close(self._array(a), self._array(b), rtol, atol, path, msg)

    def _assert_both(self, kind: type, a: Any, b: Any, path: str, msg: str | None) -> None:
        if not (isinstance(a, kind) and isinstance(b, kind)):
            self.fail(_told(msg, f"One{_at(path)} is a {type(a).__name__}, not the other: {b!r}"))

    def _assert_lists_close(
        self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str | None
    ) -> None:
        self.assertEqual(len(a), len(b), _told(msg, f"The lengths{_at(path)} differ."))
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            self._assert_close(x, y, rtol, atol, f"{path}[{i}]", msg)

    def _assert_arrays_close(
        self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str | None
    ) -> None:
        a, b = _wide(a), _wide(b)
        self.assertEqual(
            a.shape, b.shape, _told(msg, f"Shape mismatch{_at(path)}: {a.shape} and {b.shape}.")
        )
        wrong = ~np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
        if np.any(wrong):
            told = (
                f"Not close to within rtol={rtol}, atol={atol}{_at(path)}.\n{_lines(a, b, wrong)}"
            )
            self.fail(_told(msg, told))

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """assertAllClose with the tolerance for the less precise of the two dtypes."""
        names = {self._array(a).dtype.name, self._array(b).dtype.name}
        for of, relative, absolute in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if names & of:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Assert that some number differs by more than the tolerance."""
        try:
            self.assertAllClose(a, b, rtol=rtol, atol=atol)
        except AssertionError:
            return
        self.fail(_told(msg, "The two values are close at all elements."))

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Assert that two numbers differ by at most `err`, or are the same infinity."""
        off = f"{f1!r} != {f2!r} +/- {err!r}"
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, _told(msg, off))

    def assertArrayNear(
        self, farray1: Any, farray2: Any, err: float, msg: str | None = None
    ) -> None:
        """Assert that two sequences of numbers differ by at most `err`, number by number."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(
        self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None
    ) -> None:
        """Assert that the Euclidean norm of the difference of two arrays is below `err`."""
        distance = float(np.linalg.norm(np.ravel(self._array(ndarray1) - self._array(ndarray2))))
        self.assertLess(distance, err, msg)

    # ---- equal ---------------------------------------------------------------------------------

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Assert that two arrays have the same shape and elements; nan equals nan."""
        if any(isinstance(v, (RaggedTensor, RaggedTensorValue)) for v in (a, b)):
            self.assertEqual(self._rows(a), self._rows(b), msg)
            return
        if any(_is_uneven(v) for v in (a, b)):
            self.assertEqual(a, b, msg)
            return
        x, y = map(self._array, self._together(a, b))
        self.assertEqual(x.shape, y.shape, _told(msg, f"Shape mismatch: {x.shape} and {y.shape}."))
        wrong = _differs(x, y)
        if np.any(wrong):
            self.fail(_told(msg, f"Arrays are not equal.\n{_lines(x, y, wrong)}"))

    def _rows(self, value: Any) -> Any:
        """A ragged tensor, or what it is compared with, as nested lists."""
        found = self.evaluate(value) if isinstance(value, (Tensor, RaggedTensor)) else value
        if isinstance(found, (RaggedTensor, RaggedTensorValue)):
            return found.to_list()
        return found.tolist() if isinstance(found, (np.ndarray, np.generic)) else found

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Assert that some element differs."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(_told(msg, "The two values are equal at all elements."))

    # ---- range ---------------------------------------------------------------------------------

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Assert that every element is greater than the target."""
        self._assert_all(a, self._array(a) > comparison_target, f"> {comparison_target}")

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Assert that every element is greater than or equal to the target."""
        self._assert_all(a, self._array(a) >= comparison_target, f">= {comparison_target}")

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Assert that every element is less than the target."""
        self._assert_all(a, self._array(a) < comparison_target, f"< {comparison_target}")

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Assert that every element is less than or equal to the target."""
        self._assert_all(a, self._array(a) <= comparison_target, f"<= {comparison_target}")

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Assert that every element is between two bounds."""
        x = self._array(target)
        above = x > lower_bound if open_lower_bound else x >= lower_bound
        below = x < upper_bound if open_upper_bound else x <= upper_bound
        left, right = "(" if open_lower_bound else "[", ")" if open_upper_bound else "]"
        self._assert_all(target, above & below, f"in {left}{lower_bound}, {upper_bound}{right}")

    def assertAllInSet(self, target: Any, expected_set: Iterable[Any]) -> None:
        """Assert that every element is in a set."""
        allowed = list(expected_set)
        self._assert_all(target, np.isin(self._array(target), allowed), f"in {allowed}")

    def _assert_all(self, target: Any, holds: Any, said: str) -> None:
        if not np.all(holds):
            x = self._array(target)
            at = [f"{np.asarray(x[tuple(i)])} at {tuple(map(int, i))}" for i in np.argwhere(~holds)]
            self.fail(f"{len(at)} of {x.size} elements are not {said}: {', '.join(at[:_SHOWN])}")

    # ---- shapes and dtypes ---------------------------------------------------------------------

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Assert that two tensors or arrays have the same static shape."""
        self.assertEqual(_shape(input_a), _shape(input_b), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Assert that a tensor or array has this dtype."""
        dtype = target.dtype if hasattr(target, "dtype") else self._array(target).dtype
        self.assertEqual(as_dtype(dtype), as_dtype(expected_dtype))


def _plain(value: Any) -> Any:
    """A named tuple or an attrs-like object as a collection of its fields."""
    if hasattr(value, "_asdict"):
        return value._asdict()
    return value


def _is_ragged_list(value: Any) -> bool:
    """Whether a sequence is not an array, and must be compared item by item."""
    if not isinstance(value, (list, tuple)):
        return False
    if any(isinstance(v, (Tensor, Mapping)) or hasattr(v, "_asdict") for v in value):
        return True
    try:
        return bool(np.asarray(value).dtype == object)
    except (ValueError, TypeError):
        return True


def _wide(array: Any) -> Any:
    """Two-byte floats cast to a dtype in which NumPy can compare."""
    return array.astype(np.float32) if array.dtype.name in ("bfloat16", "float16") else array


def _differs(x: Any, y: Any) -> Any:
    with np.errstate(invalid="ignore"):
        wrong = np.asarray(x != y)
    if x.dtype.kind in "fcV" and y.dtype.kind in "fcV":
        wrong = wrong & ~((x != x) & (y != y))
    return wrong


def _lines(a: Any, b: Any, wrong: Any) -> str:
    """The largest differences, one line per element."""
    where = np.argwhere(wrong)
    with np.errstate(all="ignore"):
        off = _distance(a, b)
    if off is not None and wrong.ndim:
        where = where[np.argsort(-np.nan_to_num(off[wrong], nan=np.inf), kind="stable")]
    lines = [f"{len(where)} of {max(wrong.size, 1)} elements differ:"]
    lines += [f"  at {tuple(map(int, i))}: {a[tuple(i)]} and {b[tuple(i)]}" for i in where[:_SHOWN]]
    if len(where) > _SHOWN:
        lines.append(f"  and {len(where) - _SHOWN} more")
    return "\n".join(lines)


def _distance(a: Any, b: Any) -> Any:
    return np.abs(a - b) if a.dtype.kind in "fiuc" and b.dtype.kind in "fiuc" else None


def _shape(value: Any) -> list[int | None]:
    shape = value.shape if hasattr(value, "shape") else np.shape(value)
    return list(TensorShape(shape).as_list())


def _at(path: str) -> str:
    return f" at {path}" if path else ""


def _told(msg: str | None, said: str) -> str:
    return f"{msg}: {said}" if msg else said


def _is_uneven(value: Any) -> bool:
    """Whether a nested list has rows of different lengths, as what to_list() of a ragged tensor gives."""
    if not isinstance(value, list) or not any(isinstance(row, list) for row in value):
        return False
    lengths = {len(row) if isinstance(row, list) else -1 for row in value}
    return len(lengths) > 1 or any(_is_uneven(row) for row in value)
