"""A row of the table: everything there is to know about one operation.

The conventions, in one place:

- ``kernel(xp, *arrays, **attrs)`` computes the result with a NumPy-shaped namespace, of which the
  native engine has one that writes loops. A string names the function of the namespace that is the
  kernel: "multiply" is xp.multiply. A kernel that is NumPy's calls the namespace `_`.
- ``vjp`` holds one rule for each input, ``rule(g, y, *xs, **attrs)``: from the cotangent of the
  result to the cotangent of that input. None stands for an input without a derivative.
- Rules multiply by the plain Jacobian, without conjugation. TensorFlow's convention for complex
  gradients (the conjugate) is applied once, where a gradient enters and leaves the machine.
- ``jvp`` holds rules of the same form, from the tangent of an input to that of the result. It is
  needed only where `elementwise` and `linear` do not already say it.
- ``joint`` is the form users write: all gradients at once, ``joint(gs, ys, xs, attrs)``, in
  TensorFlow's convention; and
  ``joint_jvp(ts, ys, xs, attrs)`` its forward twin, from all tangents (None where there is none).
- ``shape(*shapes, **attrs)`` is the shape of the result, or the list of shapes of several results.
  Sizes may be symbolic (values/sizes.py): what the rule says of them must hold for all values.
  The dtype is that of the first input, or ``dtype(*dtypes, **attrs)``.
  Without a shape, graphs try the kernel on zeros; unless all sizes of the inputs are known, they
  know none of the result. ``forms(inputs, attrs)`` gives shape and dtype of each result where these
  do not suffice. ``by_value`` says that the shape depends on values. ``integers(inputs, attrs)`` is
  the result itself, as an array of integers and terms, where it may be a shape.
- ``step(xp, *values, **attrs)`` is what a plan runs in place of the kernel, where values may be
  more than arrays: the cells of variables, the lists of a loop. ``inline(inputs, attrs)`` carries
  the operation out through the door, where a kernel cannot. An operation with ``effects`` runs in
  a function even if its result is unused, and so does one that ``checks`` its inputs: it may raise.
- ``large(row, arrays, attrs)`` is called before the kernel, if the first array (of a ufunc of two,
  one of them) has ``large_from`` elements or more: it gives the same numbers faster, or None. So do
  graphs that are interpreted. A ``slow`` function is one that NumPy computes element by element, or
  in many passes; one that works ``by_rows`` begins anew for each, so that many short ones are also
  large.
- ``closes``: its rules use values of the graph in which it stands, and not only its inputs.
- ``add_part(total, g, **attrs)`` does in place what the rule and an addition do: the result is a part of the
  only input, and its cotangent is added to that part of an array, where nobody else sees that array.
- ``saves`` names what the rules read: "x" the inputs, "y" the result. An input that is not
  saved reaches the rule as its shape alone, a tuple; read it with `dims`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from wengert.host.malloc import LARGE, LARGE_PAIR, LARGE_SLOW

Rule = Callable[..., Any]
Attrs = dict[str, Any]
NO_ATTRS: Final[Attrs] = {}


class Row:
    """One operation. The fields are explained at the top of this file.

    A row does not change; `replace` makes another one. A frozen dataclass would do both, but take
    2 ms more of the 35 of `import wengert`; tests/test_row.py sees to it that no field is forgotten.
    """

    __slots__ = (
        "add_part",
        "batch",
        "bodies",
        "by_rows",
        "by_shape",
        "by_value",
        "called",
        "checks",
        "closes",
        "cuts",
        "declared",
        "differentiable",
        "dtype",
        "effects",
        "elementwise",
        "enters",
        "fills",
        "forms",
        "gradient_type",
        "graphs",
        "inline",
        "integers",
        "joint",
        "joint_jvp",
        "jvp",
        "kernel",
        "large",
        "large_from",
        "linear",
        "many",
        "name",
        "overridden",
        "passes_slices",
        "saves",
        "saves_x",
        "saves_y",
        "shape",
        "slow",
        "stateful",
        "step",
        "sums_back",
        "type",
        "ufunc",
        "users",
        "vjp",
    )

    def __init__(
        self,
        name: str,
        kernel: Callable[..., Any] | str,
        *,
        vjp: Sequence[Rule | None] | EachInput | None = None,
        joint: Callable[..., Sequence[Any]] | None = None,
        jvp: Sequence[Rule | None] | EachInput | None = None,
        joint_jvp: Callable[..., Sequence[Any]] | None = None,
        batch: Callable[..., Any] | None = None,
        shape: Callable[..., Any] | None = None,
        dtype: Any = None,
        forms: Callable[..., Any] | None = None,
        integers: Callable[..., Any] | None = None,
        step: Callable[..., Any] | None = None,
        inline: Callable[..., Any] | None = None,
        large: Callable[..., Any] | None = None,
        slow: bool = False,
        by_rows: bool = False,
        saves: str = "xy",
        elementwise: bool = False,
        linear: str | tuple[int, ...] = (),
        many: bool = False,
        passes_slices: bool = False,
        stateful: bool = False,
        users: bool = False,
        by_shape: bool = False,
        by_value: bool = False,
        effects: bool = False,
        checks: bool = False,
        enters: bool = False,
        gradient_type: str = "",
        closes: bool = False,
        cuts: bool = False,
        fills: bool = True,
        called: str = "",
        declared: str = "",
        type: str = "",
        graphs: Sequence[Any] = (),
        bodies: Any = None,
        overridden: Callable[[Any], Row] | None = None,
        sums_back: bool | None = None,
        add_part: Callable[..., None] | None = None,
    ) -> None:
        self.name = name
        self.called = called or name  # in a graph, where nobody named it
        self.type = type or name  # of its operations, for programs that ask
        self.kernel = named_kernel(kernel) if isinstance(kernel, str) else kernel
        self.ufunc = getattr(self.kernel, "ufunc", None)
        self.declared = declared or place(self.kernel)  # file:line
        self.vjp = vjp
        self.joint = joint
        self.jvp = jvp
        self.joint_jvp = joint_jvp
        self.batch = batch
        self.shape = shape
        self.forms = forms
        self.integers = integers
        self.dtype = dtype
        self.step = step
        self.inline = inline
        self.large = large
        self.slow = slow
        self.by_rows = by_rows
        pair = getattr(self.ufunc, "nin", 1) == 2
        self.large_from = LARGE_SLOW if slow else LARGE_PAIR if pair else LARGE
        self.by_shape = by_shape  # the result depends on the shapes of the inputs alone
        self.by_value = by_value
        self.effects = effects
        self.checks = checks
        self.enters = enters  # brings a value into a computation, and is no part of a region
        self.gradient_type = gradient_type  # under which its gradient was registered, if overridden
        self.graphs = graphs  # those that it runs: a loop its body, a cond its branches
        self.bodies = bodies  # the loop or the branches that these are of
        # Of a whole call: the row whose gradient is taken with overrides of what the call does.
        self.overridden = overridden
        self.closes = closes
        self.cuts = cuts  # no tape follows the result
        self.fills = fills  # a result without a cotangent gets zeros; otherwise the rule sees None
        self.saves = saves
        self.saves_x = "x" in saves
        # Several results are always kept: a missing cotangent becomes zeros of their shape.
        self.saves_y = "y" in saves or many
        self.elementwise = elementwise
        self.linear = linear
        self.many = many
        self.passes_slices = passes_slices  # the rule does not mind IndexedSlices
        self.stateful = stateful  # each run gives another result
        self.users = users  # its code is the user's: let its errors through, check its results
        # Whether a cotangent may have to be summed back to the shape of an input.
        single = isinstance(vjp, tuple) and len(vjp) == 1
        self.sums_back = elementwise and not single if sums_back is None else sums_back
        self.add_part = add_part
        self.differentiable = vjp is not None or joint is not None

    def replace(self, **changes: Any) -> Row:
        """A copy with some fields changed; `sums_back` follows from the rules, and `add_part` goes with them."""
        fields = {name: getattr(self, name) for name in FIELDS}
        if not changes.keys().isdisjoint(("vjp", "joint")):
            fields["add_part"] = None
        return Row(**fields | {"sums_back": None} | changes)

    @property
    def only_in_graphs(self) -> bool:
        """Whether it works on what only graphs have: cells, lists of tensors, effects."""
        listed = self.forms is not None and not self.stateful and not self.by_value
        return listed or self.effects or (self.many and self.step is not None)

    def __repr__(self) -> str:
        return f"<operation {self.name} declared at {self.declared}>"


# What a row is made of: all that its constructor takes.
FIELDS: Final = ("name", "kernel", *(Row.__init__.__kwdefaults__ or ()))


def named_kernel(name: str) -> Callable[..., Any]:
    """The kernel that is one function of the namespace."""

    def kernel(xp: Any, *arrays: Any) -> Any:
        return getattr(xp, name)(*arrays)

    kernel.ufunc = getattr(np, name)  # type: ignore[attr-defined]
    return kernel


class EachInput:
    """One rule for any number of inputs: ``rule(i, g, y, *xs, **attrs)``.

    Where one operation gives the cotangents of all, ``together(g, y, xs, **attrs)`` is asked for them
    outside of graphs: otherwise a thousand inputs are a thousand calls with a thousand arguments.
    """

    __slots__ = ("rule", "together")

    def __init__(self, rule: Rule, together: Callable[..., Sequence[Any]] | None = None) -> None:
        self.rule = rule
        self.together = together

    def __getitem__(self, index: int) -> Rule:
        return partial(self.rule, index)


def place(function: Any) -> str:
    """Where a function was written, as file:line."""
    while getattr(function, "__wrapped__", None) is not None:  # a batch's rule around the user's
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    if code is None:
        return (
            f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', function)}"
        )
    return f"{code.co_filename}:{code.co_firstlineno}"
