"""tf.saved_model.load: a model from its folder, its functions as functions that can be differentiated."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wengert.api.function.function import function as traced
from wengert.api.gradients.custom_gradient import custom_gradient
from wengert.compat.graph_defs.importing import Importer
from wengert.compat.graph_defs.protos import message
from wengert.compat.graph_defs.tensors import make_ndarray, shape_of
from wengert.core.context import activate, current_graph
from wengert.errors import DataLossError, NotFoundError
from wengert.formats.bundles import BundleReader
from wengert.ops.arrays.identity import identity_n
from wengert.ops.math.elementwise import zeros_like
from wengert.overrides.argument_forms import without_arguments
from wengert.overrides.row_override import with_rule
from wengert.saved_model import options as names
from wengert.saved_model.function_defs import WITHOUT_GRADIENT
from wengert.saved_model.reading import chosen, read_model
from wengert.saved_model.structures import decoded
from wengert.saved_model.tables import CREATE, INITIALIZE, table_of
from wengert.saved_model.version_1 import load_version_1
from wengert.saving.object_graph import KEY, of_message
from wengert.saving.restoration import Restoration
from wengert.saving.trackables.auto import AutoTrackable
from wengert.saving.trackables.collections import ListWrapper, NoDependency, _DictWrapper
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.tensor import Tensor
from wengert.values.type_spec import TensorSpec, TypeSpec


def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """The object that was saved: its variables are attributes again, its functions can be called and differentiated.

    >>> import tempfile
    >>> module, folder = tf.Module(), tempfile.mkdtemp()
    >>> module.x = tf.Variable(2.0)
    >>> tf.saved_model.save(module, folder)
    >>> tf.saved_model.load(folder).x.numpy()
    np.float32(2.0)
    """
    folder = Path(os.fspath(export_dir))
    meta = chosen(read_model(folder), tags, folder)
    if not meta.object_graph_def.nodes:
        return load_version_1(folder, meta)
    try:
        return _Loading(folder, meta, options or names.LoadOptions()).loaded()
    except (LookupError, AttributeError) as error:
        path = folder / names.SAVED_MODEL_FILENAME_PB
        raise DataLossError(f"{path} is cut short or damaged: {error}") from error


class LoadedObject(AutoTrackable):
    """An object of a saved model, with the attributes that it had."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call what was its `__call__`."""
        function = self.__dict__.get("__call__")
        if function is None:
            raise TypeError("The object was saved without a function `__call__`.")
        return function(*args, **kwargs)


class _LoadedTable(LoadedObject):
    """A table, or another resource: what makes it and fills it are functions among its parts."""


class _Loading:
    def __init__(self, folder: Path, meta: Any, options: Any) -> None:
        self._folder = folder
        self._meta = meta
        self._options = options
        self._protos = meta.object_graph_def.nodes
        self._nodes = {n.name: n for n in meta.graph_def.node}
        self.library = meta.graph_def.library
        self._functions: dict[str, LoadedFunction] = {}
        self.gradients = {
            g.registered_op_type: self._gradient(g.gradient_func)
            for g in self.library.registered_gradients
        }
        self._objects: list[Any] = []

    def loaded(self) -> Any:
        """The root."""
        self._objects = [self._made(proto) for proto in self._protos]
        for value, proto in zip(self._objects, self._protos, strict=True):
            self._connect(value, proto)
        if not self._options.experimental_skip_checkpoint:
            self._restore()
        for value in self._objects:
            if isinstance(value, _LoadedTable) and INITIALIZE in value.__dict__:
                value.__dict__[INITIALIZE]()
        if self._options.experimental_load_function_aliases:
            self._objects[0].function_aliases = NoDependency(self._aliases())
        return self._objects[0]

    def _aliases(self) -> dict[str, RestoredFunction]:
        """Functions by the names that `SaveOptions(function_aliases=...)` gave them."""
        named: dict[str, list[LoadedFunction]] = {}
        for function, alias in self._meta.meta_info_def.function_aliases.items():
            named.setdefault(alias, []).append(self.concrete(function))
        empty = message("FunctionSpec")()
        return {alias: RestoredFunction(found, empty) for alias, found in named.items()}

    def _restore(self) -> None:
        prefix = self._folder / names.VARIABLES_DIRECTORY / names.VARIABLES_FILENAME
        try:
            bundle = BundleReader(str(prefix))
        except NotFoundError:
            if any(isinstance(v, Variable) for v in self._objects):
                raise
            return
        restoration = Restoration(bundle, of_message(bundle.tensor(KEY).item()))
        restoration.restore(self._objects[0])
        got = {id(v) for v in restoration.objects.values()}
        missing = [v.name for v in self._objects if isinstance(v, Variable) and id(v) not in got]
        if missing and not self._options.allow_partial_checkpoint:
            raise DataLossError(f"{prefix} has no values for the variables {', '.join(missing)}.")

    # ---- objects -----------------------------------------------------------------------------

    def _made(self, proto: Any) -> Any:
        kind = proto.WhichOneof("kind")
        maker = getattr(self, f"_{kind}", None)
        return LoadedObject() if maker is None else maker(getattr(proto, kind))

    def _user_object(self, proto: Any) -> Any:
        makers = {
            "trackable_list_wrapper": ListWrapper,
            "trackable_tuple_wrapper": ListWrapper,
            "trackable_dict_wrapper": _DictWrapper,
            "signature_map": _DictWrapper,
        }
        return makers.get(proto.identifier, LoadedObject)()

    def _variable(self, proto: Any) -> Variable:
        dtype, shape = as_dtype(proto.dtype), shape_of(proto.shape)
        sizes = [] if shape.rank is None else [n or 0 for n in shape.as_list()]
        zeros = (
            np.full(sizes, b"", object)
            if dtype.name == "string"
            else np.zeros(sizes, dtype.numpy_dtype)
        )
        with activate((), None):
            return Variable(
                zeros, trainable=proto.trainable, name=proto.name or None, dtype=dtype, shape=shape
            )

    def _asset(self, proto: Any) -> names.Asset:
        name = self._meta.asset_file_def[proto.asset_file_def_index].filename
        return names.Asset(str(self._folder / names.ASSETS_DIRECTORY / name))

    def _constant(self, proto: Any) -> Tensor:
        with activate((), None):
            return convert(make_ndarray(self._nodes[proto.operation].attr["value"].tensor))

    def _function(self, proto: Any) -> RestoredFunction:
        found = [self.concrete(name) for name in proto.concrete_functions]
        return RestoredFunction(found, proto.function_spec)

    def _bare_concrete_function(self, proto: Any) -> LoadedFunction:
        found = self.concrete(proto.concrete_function_name)
        found.positional = proto.allowed_positional_arguments
        return found

    def _captured_tensor(self, proto: Any) -> str:
        return str(proto.name)

    def _resource(self, proto: Any) -> _LoadedTable:
        return _LoadedTable()

    def _connect(self, value: Any, proto: Any) -> None:
        for child in proto.children:
            part, name = self._objects[child.node_id], child.local_name
            if isinstance(value, ListWrapper):
                if name.isdigit():
                    value.append(part)
            elif isinstance(value, dict):
                value[name] = part
            elif isinstance(value, LoadedObject):
                if name == "__call__":
                    value.__dict__[name] = part
                else:
                    setattr(value, name, part)

    # ---- functions ---------------------------------------------------------------------------

    def concrete(self, name: str) -> LoadedFunction:
        """The function of a name."""
        if name not in self._functions:
            proto = self._meta.object_graph_def.concrete_functions[name]
            self._functions[name] = LoadedFunction(self, name, proto)
        return self._functions[name]

    def bound(self, number: int) -> Any:
        """What a function captured: a variable, the path of a file, or a constant."""
        value = self._objects[number]
        if isinstance(value, names.Asset):
            return value.asset_path
        return self._table(value) if isinstance(value, _LoadedTable) else value

    def _table(self, value: _LoadedTable) -> Any:
        """The tensor that stands for a table, which is made here."""
        handle = value.__dict__.get("_handle")
        if handle is None:
            create = value.__dict__[CREATE].concrete_functions[0].name
            handle = table_of(next(f for f in self.library.function if f.signature.name == create))
            if handle is None:
                raise NotImplementedError(
                    f"A function of the saved model at {self._folder} uses a resource that is no variable "
                    "and no table that is filled once: it cannot be loaded."
                )
            value.__dict__["_handle"] = handle
        return handle

    def _gradient(self, name: str) -> Any:
        """What makes a node whose gradient is a function of the library."""
        proto = self._meta.object_graph_def.concrete_functions[name]

        def pulled(dys: Sequence[Any], captured: Sequence[Any], count: int) -> list[Any]:
            structure = decoded(proto.output_signature)
            parts = structure if isinstance(structure, (list, tuple)) else [structure]
            called = Importer(current_graph(), self.library, None, self.gradients)
            found = iter(called.call(name, [*dys, *captured], is_trace=True))
            made = [None if part is None else next(found) for part in parts]
            return [*[None] * (count - len(made)), *made][-count:]

        def maker(importer: Importer, node: Any, inputs: list[Any]) -> Any:
            op = _overridden(node, inputs)
            if op is not None:
                own = [*op.outputs, *op.inputs]
                places = [self._place(importer, node, own, n) for n in proto.bound_inputs]
                if None not in places:
                    return _with_gradient(op, node.name, places, pulled)

            @custom_gradient
            def through(*xs: Any) -> Any:
                def grad(*dys: Any) -> list[Any]:
                    held = [self._captured(importer, n) for n in proto.bound_inputs]
                    return pulled(dys, held, len(xs))

                return identity_n(list(xs)), grad

            return through(*inputs)

        return maker

    def _place(self, importer: Importer, node: Any, own: list[Any], number: int) -> Any:
        """What a rule captured: a variable, or where it is among the values of its operation; None if elsewhere."""
        if self._protos[number].WhichOneof("kind") != "captured_tensor":
            return self.bound(number)
        name, _, index = self._protos[number].captured_tensor.name.partition(":")
        if name == node.name:
            return int(index or 0)
        try:
            value = self._captured(importer, number)
        except ValueError:  # it is not made yet
            return None
        return next((at for at, x in enumerate(own) if x is value), None)

    def _captured(self, importer: Importer, number: int) -> Any:
        if self._protos[number].WhichOneof("kind") == "captured_tensor":
            return importer.value(self._protos[number].captured_tensor.name)
        return self.bound(number)


def _overridden(node: Any, inputs: Sequence[Any]) -> Any:
    """The operation that a node hands on with the gradient that was in place of its own, if it does."""
    op = getattr(inputs[0], "op", None)
    if op is None or op.name.rpartition("/")[2] != WITHOUT_GRADIENT:
        return None
    handed_on = [*op.outputs, *op.inputs]
    is_all = len(inputs) == len(handed_on)
    return op if is_all and all(map(operator.is_, inputs, handed_on)) else None


def _with_gradient(
    op: Any, name: str, places: Sequence[Any], pulled: Callable[..., list[Any]]
) -> list[Any]:
    """An operation with a gradient in place of its own, by the name that it had; its results and inputs.

    What the gradient reads are variables, and values of the operation, by their places.
    """
    count = len(op.outputs)

    def rule(op: Any, *gs: Any) -> list[Any]:
        op = without_arguments(op)  # as it was written
        own = [*op.outputs, *op.inputs]
        dys = [*gs, *[None] * len(op.inputs)]
        given = [zeros_like(x) if g is None else g for g, x in zip(dys, own, strict=True)]
        held = [own[at] if isinstance(at, int) else at for at in places]
        return pulled(given, held, len(own))[count:]

    op.row = with_rule(op.row, rule)
    scope, own = op.graph.get_name_scope(), name.rpartition("/")[2]
    op.graph.rename(op, f"{scope}/{own}" if scope else own)
    return [*op.outputs, *op.inputs]


class LoadedFunction:
    """A trace of a saved model: it takes the arguments that it was traced with."""

    def __init__(self, loading: _Loading, name: str, proto: Any) -> None:
        self._loading = loading
        self.name = name
        self._bound = list(proto.bound_inputs)
        self._signature = decoded(proto.canonicalized_input_signature)
        self._results = decoded(proto.output_signature)
        flat = nest.flatten(self._signature, expand_composites=True)
        self._specs = [s for s in flat if isinstance(s, TensorSpec)]
        self.positional = len(self._specs)  # how many may be given without names
        self._run = traced(self._import, input_signature=self._specs, autograph=False)

    def _import(self, *tensors: Any) -> list[Any]:
        loading = self._loading
        importer = Importer(current_graph(), loading.library, None, loading.gradients)
        return importer.call(self.name, [*tensors, *self.captured_inputs], is_trace=True)

    @property
    def captured_inputs(self) -> list[Any]:
        """The variables and constants that it uses."""
        return [self._loading.bound(n) for n in self._bound]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that it uses."""
        return tuple(v for v in self.captured_inputs if isinstance(v, Variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def structured_input_signature(self) -> Any:
        """The arguments and keyword arguments, with a spec in place of each tensor."""
        return self._signature

    @property
    def structured_outputs(self) -> Any:
        """The structure of the result, with a spec in place of each tensor."""
        return self._results

    @property
    def _trace(self) -> Any:
        return self._run.get_concrete_function(*self._specs)

    @property
    def graph(self) -> Any:
        """The graph."""
        return self._trace.graph

    @property
    def inputs(self) -> Any:
        """The placeholders of the graph."""
        return self._trace.inputs

    @property
    def outputs(self) -> Any:
        """The results in the graph, flat."""
        return self._trace.outputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it with the arguments that it was traced with, or with its tensors in order or by name."""
        tensors = self.tensors(args, kwargs)
        if tensors is None:
            tensors = self._by_name(args, kwargs)
        return self.call(tensors)

    def call(self, tensors: Sequence[Any]) -> Any:
        """Call it with its tensors."""
        found = iter(self._run(*tensors))
        flat = [
            s._with_parts(found) if isinstance(s, TypeSpec) else s
            for s in nest.flatten(self._results)
        ]
        return nest.pack_sequence_as(self._results, flat)

    def _by_name(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        named = {str(s.name): s for s in self._specs}
        rest = [s for n, s in list(named.items())[len(args) :]]
        if len(args) > self.positional or set(kwargs) != {str(s.name) for s in rest}:
            raise TypeError(
                f"{self.name} takes the tensors {', '.join(named)}; given were {len(args)} by position and "
                f"{sorted(kwargs)} by name."
            )
        given = [*args, *[kwargs[str(s.name)] for s in rest]]
        return [_as(x, spec) for x, spec in zip(given, named.values(), strict=True)]

    def tensors(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any] | None:
        """The tensors among the arguments; None if they do not fit."""
        given = (tuple(args), dict(kwargs))
        try:
            nest.assert_same_structure(self._signature, given)
        except (TypeError, ValueError):
            return None
        found = []
        for wanted, value in zip(nest.flatten(self._signature), nest.flatten(given), strict=True):
            if isinstance(wanted, TensorSpec):
                tensor = _fitting(value, wanted)
                if tensor is None:
                    return None
                found.append(tensor)
            elif isinstance(wanted, TypeSpec):
                if not wanted.is_compatible_with(value):
                    return None
                found += wanted._to_tensor_list(value)
            elif isinstance(value, Tensor) or wanted != value:
                return None
        return found


def _as(value: Any, spec: TensorSpec) -> Any:
    return convert(value, spec.dtype)


def _fitting(value: Any, spec: TensorSpec) -> Any:
    """A value as a tensor of a spec; None if it is none."""
    if value is None or (isinstance(value, (str, bytes)) and spec.dtype.name != "string"):
        return None
    try:
        tensor = convert(value) if hasattr(value, "dtype") else convert(value, spec.dtype)
    except (TypeError, ValueError):
        return None
    fits = tensor.dtype is spec.dtype and spec.shape.is_compatible_with(tensor.shape)
    return tensor if fits else None


class RestoredFunction:
    """A function of a saved model: it calls the trace that fits its arguments."""

    def __init__(self, concrete_functions: list[LoadedFunction], spec: Any) -> None:
        self.concrete_functions = concrete_functions
        full = decoded(spec.fullargspec)
        self._args = list(full.args or []) if full is not None else []
        if spec.is_method and self._args:
            self._args = self._args[1:]
        self.full_arg_spec = None if full is None else full._replace(args=self._args)
        defaults = list(full.defaults or []) if full is not None else []
        self._defaults = dict(
            zip(self._args[len(self._args) - len(defaults) :], defaults, strict=False)
        )
        self._only = dict(full.kwonlydefaults or {}) if full is not None else {}
        self.input_signature = decoded(spec.input_signature)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the trace that fits."""
        function, tensors = self._chosen(args, kwargs)
        return function.call(tensors)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> LoadedFunction:
        """The trace for arguments, or specs in their place."""
        if not args and not kwargs and len(self.concrete_functions) == 1:
            return self.concrete_functions[0]
        for function in self.concrete_functions:
            wanted = nest.flatten(function.structured_input_signature)
            given = nest.flatten(self._canonical(args, kwargs))
            if len(wanted) == len(given) and all(
                _covers(w, g) for w, g in zip(wanted, given, strict=True)
            ):
                return function
        return self._chosen(args, kwargs)[0]

    def _canonical(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, Any]:
        """Arguments by position as far as they have one, with the defaults of those that are missing."""
        placed, named = list(args), dict(kwargs)
        for name in self._args[len(args) :]:
            if name in named:
                placed.append(named.pop(name))
            elif name in self._defaults:
                placed.append(self._defaults[name])
            else:
                break
        return tuple(placed), {**{k: v for k, v in self._only.items() if k not in named}, **named}

    def _chosen(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[LoadedFunction, list[Any]]:
        ways = [self._canonical(args, kwargs), (tuple(args), dict(kwargs))]
        for placed, named in ways:
            for function in self.concrete_functions:
                tensors = function.tensors(placed, named)
                if tensors is not None:
                    return function, tensors
        shown = "\n".join(f"  {f.structured_input_signature}" for f in self.concrete_functions)
        kind = ValueError if self.input_signature is None else TypeError
        raise kind(
            "Could not find matching concrete function to call loaded from the SavedModel. Got:\n  "
            f"{ways[0]}\nExpected one of {len(self.concrete_functions)}:\n{shown}"
        )


def _covers(wanted: Any, given: Any) -> bool:
    if isinstance(wanted, TensorSpec) and isinstance(given, (TensorSpec, Tensor)):
        return wanted.dtype is given.dtype and wanted.shape.is_compatible_with(given.shape)
    return not isinstance(given, (TensorSpec, Tensor)) and bool(wanted == given)
