"""For SciPy: a Jacobian as a linear operator, and a function with the derivatives that optimizers ask for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.derivatives import structures
from wengert.derivatives.arguments import Arguments, check_function
from wengert.derivatives.forward import jvp
from wengert.derivatives.jacobians import hessian, hvp, jacobian
from wengert.derivatives.reverse import value_and_grad, vjp
from wengert.host.locks import load_module
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import reshape
from wengert.values.convert import convert
from wengert.values.tensor import dims


def jacobian_operator(f: Callable[..., Any], x: Any) -> Any:
    """The Jacobian of a function at a point as a SciPy `LinearOperator`, without building it.

    `matvec` is forward mode, `rmatvec` reverse mode; each product costs about as much as the function.
    Where argument or result are nested, or have several axes, their elements are those of the
    vectors one after the other.

    >>> operator = tf.jacobian_operator(lambda x: x * x[0], tf.constant([2.0, 3.0]))
    >>> operator.matvec([1.0, 0.0]).tolist(), operator.rmatvec([0.0, 1.0]).tolist()
    ([4.0, 3.0], [3.0, 2.0])
    """
    check_function(f, "jacobian_operator")
    layout = _Layout(x, "jacobian_operator")
    point = layout.pack(layout.start)
    value, pull = vjp(f, point)
    out = _Layout(value, "jacobian_operator")

    def forward(v: Any) -> Any:
        _, pushed = jvp(f, (point,), (layout.pack(np.ravel(v)),))
        return _vector(pushed)

    def backward(u: Any) -> Any:
        return _vector(pull(out.pack(np.ravel(u)))[0])

    operators = load_module("scipy.sparse.linalg")
    shape = (out.size, layout.size)
    return operators.LinearOperator(shape, forward, backward, dtype=out.start.dtype)


class _Layout:
    """Tensors of a structure one after the other, as one vector."""

    def __init__(self, structure: Any, who: str) -> None:
        self._structure = structure
        leaves = Arguments(lambda x: x, [structure], {}, who=who).leaves
        self._shapes = [dims(leaf) for leaf in leaves]
        self._dtypes = [leaf.dtype for leaf in leaves]
        self.start = _vector(structure)
        self.size = len(self.start)

    def pack(self, vector: Any) -> Any:
        leaves, at = [], 0
        for shape, dtype in zip(self._shapes, self._dtypes, strict=True):
            size = math.prod(shape)
            leaves.append(convert(np.reshape(vector[at : at + size], shape), dtype))
            at += size
        return structures.pack(self._structure, leaves)


def _vector(structure: Any) -> Any:
    """The elements of all tensors of a structure, one after the other."""
    arrays = [np.ravel(np.asarray(convert(leaf))) for leaf in structures.flatten(structure)]
    return np.concatenate(arrays) if arrays else np.zeros(0)


class ScipyProblem:
    """A function and its derivatives on vectors of NumPy; what `tf.to_scipy` returns.

    Called twice for the same point, it computes once.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        like: Any = None,
        args: Sequence[Any] = (),
        sparse: bool = False,
    ) -> None:
        self._f = f
        self._sparse = sparse
        self._jacobian = jacobian(self._with_value, has_aux=True, sparse=sparse and "scipy")
        self._hessian = hessian(f, sparse=sparse and "scipy")
        self._args = tuple(args)
        self._layout = None if like is None else _Layout(like, "to_scipy")
        self._is_number: bool | None = None  # seen at the first call
        self._known: dict[str, tuple[bytes, Any]] = {}

    def start(self) -> Any:
        """The vector of what was given as `like`."""
        if self._layout is None:
            raise ValueError("tf.to_scipy needs like=, an example of the argument, to start with.")
        return self._layout.start

    def pack(self, x: Any) -> Any:
        """A vector as the argument of the function."""
        return convert(np.asarray(x, float)) if self._layout is None else self._layout.pack(x)

    def fun(self, x: Any) -> Any:
        """The value: a number, or a vector of residuals."""
        return self._both(x)[0]

    def jac(self, x: Any) -> Any:
        """The gradient of a number, or the Jacobian of a vector."""
        return self._both(x)[1]

    def fun_and_jac(self, x: Any) -> tuple[Any, Any]:
        """Both at once, as `scipy.optimize.minimize(..., jac=True)` takes them."""
        return self._both(x)

    def hess(self, x: Any) -> Any:
        """The Hessian of a number."""
        return self._once("hess", x, lambda: self._square(self._hessian(*self._at(x))))

    def hessp(self, x: Any, p: Any) -> Any:
        """The Hessian times a vector."""
        return _vector(hvp(self._f)(*self._at(x), self.pack(p))).astype(float)

    def _at(self, x: Any) -> tuple[Any, ...]:
        return (self.pack(x), *self._args)

    def _both(self, x: Any) -> tuple[Any, Any]:
        found: tuple[Any, Any] = self._once("both", x, lambda: self._computed(x))
        return found

    def _computed(self, x: Any) -> tuple[Any, Any]:
        at = self._at(x)
        if self._is_number is None:
            self._is_number = not dims(convert(self._f(*at)))
        if self._is_number:
            number, gradient = value_and_grad(self._f)(*at)
            return float(number), _vector(gradient).astype(float)
        blocks, value = self._jacobian(*at)
        return _vector(value).astype(float), self._matrix(blocks, math.prod(dims(value)))

    def _with_value(self, *args: Any) -> tuple[Any, Any]:
        value = convert(self._f(*args))
        return value, value

    def _once(self, what: str, x: Any, compute: Callable[[], Any]) -> Any:
        key = np.asarray(x, float).tobytes()
        known = self._known.get(what)
        if known is None or known[0] != key:
            known = self._known[what] = key, compute()
        return known[1]

    def _matrix(self, structure: Any, rows: int) -> Any:
        if self._sparse:
            return load_module("scipy.sparse").hstack(structures.flatten(structure), "csr")
        blocks = [reshape(block, (rows, -1)) for block in structures.flatten(structure)]
        return np.asarray(concat(blocks, 1), float)

    def _square(self, structure: Any) -> Any:
        """The blocks of a Hessian as one matrix."""
        blocks = structures.flatten(structure)
        count = math.isqrt(len(blocks))
        if self._sparse:
            rows = [blocks[at : at + count] for at in range(0, len(blocks), count)]
            return load_module("scipy.sparse").bmat(rows, "csr")
        sizes = [math.isqrt(math.prod(dims(blocks[i * (count + 1)]))) for i in range(count)]
        rows = [
            [
                np.reshape(np.asarray(blocks[i * count + k], float), (sizes[i], sizes[k]))
                for k in range(count)
            ]
            for i in range(count)
        ]
        return np.block(rows)


def to_scipy(
    f: Callable[..., Any], like: Any = None, args: Sequence[Any] = (), sparse: bool = False
) -> ScipyProblem:
    """A function with the derivatives that `scipy.optimize` asks for: fun, jac, hess, hessp.

    Args:
        f: A function of a vector of float64, or of something nested as `like` is. Its result is a
            number, for `minimize`, or a vector, for `least_squares` and `root`.
        like: What the argument looks like, where it is no vector; `problem.start()` is its vector,
            and `problem.pack(x)` the way back.
        args: Further arguments of `f`, which stay as they are.
        sparse: Whether Jacobians and Hessians are sparse matrices, as `least_squares` and
            `trust-constr` take them.

    >>> import scipy.optimize
    >>> problem = tf.to_scipy(lambda x: (1.0 - x[0]) ** 2.0 + 100.0 * (x[1] - x[0] ** 2.0) ** 2.0)
    >>> found = scipy.optimize.minimize(
    ...     problem.fun, [-1.2, 1.0], method="trust-exact", jac=problem.jac, hess=problem.hess)
    >>> found.x.round(6).tolist()
    [1.0, 1.0]
    """
    check_function(f, "to_scipy")
    return ScipyProblem(f, like, args, sparse)
