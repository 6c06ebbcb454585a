"""The steps of a plan as function calls: compiled loops, compiled products, and BLAS."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.engines.native.codegen.gemm_forms import (
    Form,
    Function,
    has_vector,
    is_compiled,
    left_size,
    may_pack_left,
    packs_left,
    strips,
)
from wengert.engines.native.codegen.loop_emitter import Launch, Over
from wengert.engines.native.frontend.arrays import (
    Base,
    Choice,
    Given,
    Known,
    Map,
    Piece,
    Product,
    Repeat,
    Routine,
    RowSet,
    Tiled,
    View,
    reshape,
)
from wengert.engines.native.frontend.lowering import leading_dimension
from wengert.engines.native.runtime.runtime_ir import TOGETHER
from wengert.host.locks import load_module
from wengert.host.threads import get_threads
from wengert.values.open_size import of_both


class Call:
    """One step of a segment: a function, its arrays, and the number of parts.

    Without a function it is a check, which stops the plan if the array holds True.
    """

    __slots__ = (
        "arrays", "chosen", "finish", "function", "inside", "name", "parts", "settings", "sizes", "together", "what",
    )  # fmt: skip

    def __init__(
        self, name: str, arrays: Sequence[tuple[Base, int]], parts: int, what: Any
    ) -> None:
        self.name = name
        self.arrays = arrays  # with the offset of each, in elements
        self.parts = parts
        self.together = 1  # parts that a thread takes at once
        self.what = what
        # Numbers that the function reads after its arrays: see `_in_place` of `program`.
        self.settings: tuple[str, Any, Any] | None = None
        self.sizes: bytes | None = None  # the open sizes that it reads after these
        # The code to compile for it, which has no name yet.
        self.function: Function | None = None
        self.finish: Any = None  # the epilogue of a product
        # The arrays that it reads in branches alone: those of a branch that was not run are missing.
        self.chosen: frozenset[Base] = frozenset()
        self.inside: Sequence[Call] = ()  # the calls of its bodies

    @property
    def shares(self) -> int:
        """The number of parts, with how many are taken together: see `runtime_ir`."""
        return self.parts + ((self.together << TOGETHER) if self.together > 1 else 0)

    @property
    def tables(self) -> tuple[tuple[str, Any, Any], ...]:
        """The tables of numbers that the function reads after its arrays."""
        sizes = None if self.sizes is None else ("", self.sizes, b"")
        return tuple([table for table in (self.settings, sizes) if table is not None])

    @property
    def outputs(self) -> Sequence[Base]:
        """The arrays that it computes."""
        if isinstance(self.what, Launch):
            return [_written(b) for b in self.what.outputs]
        if self.finish is not None:
            made = [_written(b) for b in (*self.finish.stored, *self.finish.partial.values())]
            return [self.what, *made] if self.finish.in_memory else made
        if isinstance(self.what, Repeat):
            return [*self.what.results, *self.what.rows]
        if isinstance(self.what, (Choice, Routine)):
            return self.what.results
        return [self.what] if self.name else []

    @property
    def over(self) -> Over:
        """Arrays that it reads, each with the outputs that may overwrite it."""
        if self.name == "@copy":
            return [(self.arrays[0][0], [self.arrays[1][0]])]
        return self.what.over if isinstance(self.what, Launch) else ()

    @property
    def work(self) -> int:
        """An estimate of the work, in elements."""
        if isinstance(self.what, Launch):
            return self.what.group.size
        if not self.name:
            return 1
        if isinstance(self.what, (Repeat, Choice)):
            return MUCH
        if isinstance(self.what, Routine):
            return self.what.work
        if isinstance(self.what, (Given, RowSet)):
            return self.what.size
        return int(self.what.size * self.what.views[0].shape[-1] // 8)


def _written(base: Base) -> Base:
    """The array in memory that a base is written into."""
    return base.target.base if type(base) is Piece else base


# ---- products ---------------------------------------------------------------------------------

MUCH: Final = 1 << 30  # the work of a loop or a branch, which is not known
_NO, _YES = 111, 112  # CblasNoTrans, CblasTrans
_PER_PART: Final = 1 << 21  # multiplications that are worth handing to another thread,
_OF_VECTOR: Final = 1 << 17  # and those by a vector, each of which waits for a number from memory
_PER_SHARE: Final = 1 << 17  # multiplications of small products that a thread takes at once,
_PER_PRODUCT: Final = 1 << 6  # and those in whose time a product begins


class Products(NamedTuple):
    """Products as they are computed: their form, their number, and the matrices."""

    form: Form
    many: int
    views: tuple[View, View, View]


def products_of(item: Product) -> Products:
    a, b, c = _with_shared_matrix(item.views[0], item.views[1], item.written)
    m, n, k = c.shape[-2], c.shape[-1], a.shape[-1]
    (turned_a, lda), (turned_b, ldb) = leading_dimension(a), leading_dimension(b)  # type: ignore[misc]
    ldc = c.strides[-2] if m > 1 else n
    count = math.prod(c.shape[:-2])
    splits = of_both(_splits, count, m, n, k)
    form = Form(item.kind, m, n, k, turned_a, lda, turned_b, ldb, ldc,
                item.factor, item.onto is not None, splits, *item.sources)  # fmt: skip
    if is_compiled(form, count):
        form = form._replace(splits=of_both(lambda s, t: s * -(-t // s), splits, strips(form)))
    return Products(form, count, (a, b, c))


def is_ours(item: Product) -> bool:
    """Whether a product is compiled into the plan, and not a call of BLAS."""
    found = products_of(item)
    return is_compiled(found.form, found.many)


def may_have_epilogue(item: Product) -> bool:
    """Whether more can be done with the result than to store it."""
    return is_ours(item) and not has_vector(products_of(item).form)


def computes(item: Product, operand: int) -> bool:
    """Whether a product can compute the elements of its left or right matrix while it packs it."""
    form, many, _ = products_of(item)
    copied = (operand == 1 or may_pack_left(form)) and not has_vector(form)
    return copied and item.sources[operand] is None and is_compiled(form, many)


def product_calls(item: Product, finish: Any = None, by_blas: bool = False) -> list[Call]:
    """The call for products of matrices, after a copy of what they are added to if need be."""
    form, count, views = products_of(item)
    offsets = np.stack([_starts(x, views[2].shape[:-2]) for x in views], axis=1).tobytes()
    arrays: list[tuple[Base, int]] = [(views[0].base, 0), (views[1].base, 0), (item, 0)]
    if not by_blas and is_compiled(form, count):
        if packs_left(form):
            size = count * form.splits * left_size(form)
            arrays.append((Base((size,), item.kind, item.place), 0))
        call = Call("", arrays, count * form.splits, item)
        call.function = _written_as(form, finish)
        call.settings = "", offsets, b""
        if finish is not None:
            call.finish = finish
            arrays += finish.arrays
            if not finish.in_memory:
                arrays[2] = arrays[0]  # a dummy: nothing is written there
    else:
        splits, fields = _fields(form)
        call = Call(f"@product_{item.kind}", arrays, count * splits, item)
        call.settings = item.kind, fields.tobytes(), offsets
    call.together = of_both(_together, form.m, form.n, form.k)
    if item.onto is None:
        return [call]
    return [copy_call(item.onto, item), call]


def copy_call(view: View, result: Base) -> Call:
    """The call that copies what is contiguous in memory."""
    call = Call("@copy", [(view.base, view.offset), (result, 0)], 1, result)
    call.settings = "", np.int64(result.bytes).tobytes(), b""
    return call


def row_calls(item: RowSet) -> list[Call]:
    """The calls for a list with another row: a copy of it, unless it may be written over."""
    values, index, row = item.operands
    call = Call(
        "@set_row", [(item, 0), (index.base, index.offset), (row.base, row.offset)], 1, item
    )
    call.settings = "", np.int64(item.bytes // item.shape[0]).tobytes(), b""
    return [copy_call(values, item), call]


def routine_call(item: Routine) -> Call:
    """The call of a routine, on its operands, its results, and room for what it needs on the way."""
    room = [Base(*form, item.place) for form in item.scratch]
    arrays = [(v.base, v.offset) for v in item.operands]
    arrays += [(base, 0) for base in (*item.results, *room)]
    call = Call("", arrays, item.parts, item)
    file, name = item.function.split(".")
    write = getattr(load_module(f"wengert.engines.native.routines.{file}"), name)
    writer = load_module(_FUNCTIONS).FunctionWriter(len(arrays))
    write(writer, *item.arguments)
    call.function = writer.function()
    return call


def stands_in(item: Tiled, memory: set[Base]) -> Base | None:
    """The array in whose memory tiles are computed: their own, or what their epilogue writes over it."""
    if item in memory:
        return item
    made = [m for m in item.group.members if type(m) is Map and m in memory]
    return next((m for m in made if (m.size, m.kind) == (item.size, item.kind)), None)


def tiled_calls(item: Tiled, target: Base | None, finish: Any) -> list[Call]:
    """The call of a kernel for an array, and the check that it had the memory that it needs."""
    tiles = item.tiles
    numbers = Known((len(tiles.numbers) + 1,), "i8", np.array([*tiles.numbers, 0], np.int64))
    arrays = [*[(v.base, v.offset) for v in item.views], (target or item, 0), (numbers, 0)]
    if finish is None:
        call = Call(tiles.kernel, arrays, tiles.number * tiles.parts, item)
    else:
        extent = np.array([tiles.parts, tiles.rows, tiles.image], np.int64)
        arrays.append((Known(extent.shape, "i8", extent), 0))
        call = Call("", [*arrays, *finish.arrays], tiles.number, item)
        call.finish = finish
        call.function = load_module(_TILES).tiles_text(len(arrays), finish)
        call.settings = "loop", (tiles.kernel,), ()
    return [call, Call("", [(numbers, len(tiles.numbers))], 1, numbers)]


def _written_as(form: Form, finish: Any) -> Function:
    """The function of a product. Its code generator is loaded on demand."""
    found: Function = load_module(_WRITER).product_text(form, finish)
    return found


_WRITER: Final = "wengert.engines.native.codegen.gemm_writer"
_TILES: Final = "wengert.engines.native.codegen.tiles_writer"
_FUNCTIONS: Final = "wengert.engines.native.codegen.function_writer"


def _fields(form: Form) -> tuple[int, Any]:
    """The number of parts of a product by BLAS, and the arguments of the call."""
    along, extent = (0, form.m) if form.m >= form.n else (1, form.n)
    per = -(-extent // form.splits)
    splits = -(-extent // per)
    turns = [_YES if turned else _NO for turned in (form.turned_a, form.turned_b)]
    fields = np.zeros(18, np.int64)
    fields[1:9] = [*turns, form.m, form.n, form.k, form.lda, form.ldb, form.ldc]
    fields[9:11].view(np.float64)[:] = form.factor, form.onto
    steps = [1 if form.turned_a else form.lda, form.ldb if form.turned_b else 1]
    fields[[11, 12, 14, 15, 16]] = [splits, per, along, *steps]
    return splits, fields


def _with_shared_matrix(a: View, b: View, c: View) -> tuple[View, View, View]:
    """Merge products that share the right matrix into one of more rows, if these are contiguous."""
    if len(b.shape) == 2 or any(b.strides[:-2]):
        return a, b, c
    rows = math.prod(a.shape[:-1])
    tall, made = (reshape(v, (rows, v.shape[-1])) for v in (a, c))
    if (
        tall is None
        or made is None
        or leading_dimension(tall) is None
        or leading_dimension(made) is None
    ):
        return a, b, c
    return tall, View(b.base, b.shape[-2:], b.offset, b.strides[-2:]), made


def _starts(view: View, batch: Sequence[int]) -> Any:
    places = np.full(batch, view.offset, np.int64)
    for axis, (size, stride) in enumerate(zip(batch, view.strides, strict=False)):
        shape = [1] * len(batch)
        shape[axis] = size
        places += (np.arange(size) * stride).reshape(shape)
    return places.ravel()


def _together(m: int, n: int, k: int) -> int:
    """How many products a thread takes at once: of small ones many, as each costs a claim."""
    return max(1, _PER_SHARE // (m * n * k + _PER_PRODUCT))


def _splits(count: int, m: int, n: int, k: int) -> int:
    """The number of parts of each of so many products, cut along the longer side of the result."""
    worth = _OF_VECTOR if min(m, n) == 1 else _PER_PART
    parts = min(get_threads(), count * m * n * k // worth, max(m // 16, n // 16, 1))
    return max(1, -(-parts // count) if count < parts else 1)
